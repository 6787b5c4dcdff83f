"""Write docs/results from what bench/results_nn.py kept: a table with commands, and a certificate a case.

    python3 bench/write_results.py build/sotto OUT docs/results
"""

import json
import pathlib
import statistics
import subprocess
import sys

import results_nn

FILES = {"mnist": ("train-images-idx3-ubyte.gz --labels train-labels-idx1-ubyte.gz",
                   "t10k-images-idx3-ubyte.gz --labels t10k-labels-idx1-ubyte.gz", "mnist"),
         "fashion": ("train-images-idx3-ubyte.gz --labels train-labels-idx1-ubyte.gz",
                     "t10k-images-idx3-ubyte.gz --labels t10k-labels-idx1-ubyte.gz", "fashion-mnist"),
         "cifar": ("cifar-train.bin", "cifar-test.bin", "cifar10")}


def command_of(case):
    data, rows, epsilon, _, _, options = results_nn.CASES[case]
    train, test, schema = FILES[data]
    return (f"    sotto train {train} \\\n        --schema examples/{schema}.schema.json {options} \\\n"
            f"        --epsilon {epsilon} --delta 1e-5 --expected-rows {rows} -o {case}.json\n"
            f"    sotto evaluate {case}.json {test} --data-is-public\n")


def main():
    sotto, out, docs = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    docs.mkdir(exist_ok=True)
    rows, commands = [], []
    for case, (_, _, epsilon, wanted, _, _) in results_nn.CASES.items():
        scores = [json.loads(path.read_text()) for path in sorted(out.glob(f"{case}-*.score"))]
        if not scores:
            continue
        accuracy = [100 * score["accuracy"] for score in scores]
        certificate = subprocess.run([sotto, "verify", str(out / f"{case}-1.json"), "--form", "markdown"],
                                     check=True, capture_output=True, text=True).stdout
        (docs / f"{case}.md").write_text(certificate)
        each = ", ".join(f"{one:.2f}" for one in accuracy)
        rows.append(f"| [{case}]({case}.md) | {epsilon} | **{statistics.mean(accuracy):.2f}** | {each} | "
                    f"{100 * wanted:.1f} | {min(score['seconds'] for score in scores):.0f} s |")
        commands.append(f"### {case}\n\n{command_of(case)}")
    print("\n".join(["| network | epsilon | accuracy, % | each training | published | fastest training |",
                     "|---|---|---|---|---|---|", *rows, "", *commands]))


if __name__ == "__main__":
    main()
