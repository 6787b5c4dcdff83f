"""Train the networks of docs/results/README.md, and say how well they do: mean over several trainings, each with fresh noise.

    make build && python3 bench/results_nn.py build/sotto DATA OUT [--case NAME] [--runs 3]

DATA holds mnist/ (IDX, gzip) and cifar10/ (binary batches, xz), as its README says; Fashion-MNIST is taken from the
Debian package dataset-fashion-mnist. OUT keeps each model with its certificate and each score: whatever is there
already is not trained again, and a training that was stopped goes on. The settings of a case stand in CASES and
nowhere else; the test rows are read once a model, after it is written. A data set that is absent is left out, and said so.

Prints a table, or with --json one JSON line a case.
"""

import argparse
import json
import lzma
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist")
IDX = ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz",
       "t10k-labels-idx1-ubyte.gz")

# name: data set, rows, epsilon, least accuracy wanted, most minutes wanted, options of `sotto train`.
CASES = {
    "mnist-tanh-cnn": ("mnist", 60000, 2.93, 0.981, None, "--model tanh-cnn"),
    "mnist-scattering": ("mnist", 60000, 2.93, 0.987, None, "--model scattering-linear"),
    "fashion-scattering": ("fashion", 60000, 3, 0.895, None, "--model scattering-linear"),
    "cifar-scattering-linear": ("cifar", 50000, 3, 0.67, 15, "--model scattering-linear"),
    "cifar-scattering-cnn": ("cifar", 50000, 3, 0.693, 40, "--model scattering-cnn"),
}


def idx_files(folder):
    """Training and test files as (rows, labels), or None."""
    paths = [folder / name for name in IDX]
    if not all(path.exists() for path in paths):
        return None
    return (paths[0], paths[1]), (paths[2], paths[3])


def cifar_files(folder, out):
    """The batches joined into one plain file, once."""
    names = {"train": [f"data_batch_{i}.bin.xz" for i in range(1, 6)], "test": ["test_batch.bin.xz"]}
    files = []
    for part, batches in names.items():
        joined = out / f"cifar-{part}.bin"
        if not joined.exists():
            if not all((folder / name).exists() for name in batches):
                return None
            with open(str(joined) + ".part", "wb") as whole:
                for name in batches:
                    with lzma.open(folder / name) as piece:
                        shutil.copyfileobj(piece, whole)
            pathlib.Path(str(joined) + ".part").rename(joined)
        files.append((joined, None))
    return tuple(files)


def files_of(data, folder, out):
    if data == "mnist":
        return idx_files(folder / "mnist")
    if data == "fashion":
        return idx_files(FASHION)
    return cifar_files(folder / "cifar10", out)


def schema_of(data):
    name = {"mnist": "mnist", "fashion": "fashion-mnist", "cifar": "cifar10"}[data]
    return pathlib.Path(__file__).resolve().parent.parent / "examples" / f"{name}.schema.json"


def with_labels(option, rows_and_labels):
    rows, labels = rows_and_labels
    return [str(rows)] + ([] if labels is None else [option, str(labels)])


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"results_nn: {' '.join(command)}\n{done.stderr}")
    return done.stdout


def train_once(sotto, case, files, model, out_score):
    data, rows, epsilon, _, _, options = CASES[case]
    command = [sotto, "train", *with_labels("--labels", files[0]), "--schema", str(schema_of(data)),
               "--epsilon", str(epsilon), "--delta", "1e-5", "--expected-rows", str(rows),
               *options.split(), "-o", str(model)]
    started = time.monotonic()
    run(command)
    seconds = time.monotonic() - started
    run([sotto, "verify", str(model)])
    scores = json.loads(run([sotto, "evaluate", str(model), *with_labels("--labels", files[1]),
                             "--data-is-public", "--json"]))
    out_score.write_text(json.dumps({"accuracy": scores["accuracy"], "seconds": round(seconds, 1)}))


def run_case(sotto, case, folder, out, runs):
    data, _, epsilon, wanted, minutes, options = CASES[case]
    files = files_of(data, folder, out)
    if files is None:
        print(f"results_nn: no {data} in {folder}, so {case} is left out", file=sys.stderr)
        return None
    found = []
    for k in range(1, runs + 1):
        model, score = out / f"{case}-{k}.json", out / f"{case}-{k}.score"
        if not score.exists():
            train_once(sotto, case, files, model, score)
        found.append(json.loads(score.read_text()))
    accuracy = [one["accuracy"] for one in found]
    seconds = max(one["seconds"] for one in found)
    met = statistics.mean(accuracy) >= wanted and (minutes is None or seconds <= 60 * minutes)
    return {"case": case, "epsilon": epsilon, "options": options,
            "mean": round(statistics.mean(accuracy), 4), "accuracy": accuracy, "wanted": wanted,
            "seconds": seconds, "met": met}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sotto")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--case", action="append", choices=sorted(CASES))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    missed = 0
    for case in args.case or CASES:
        row = run_case(args.sotto, case, args.data, args.out, args.runs)
        if row is None:
            continue
        missed += not row["met"]
        if args.json:
            print(json.dumps(row), flush=True)
        else:
            print(f"{case}: {100 * row['mean']:.2f} % at epsilon {row['epsilon']} "
                  f"(wanted {100 * row['wanted']:.1f}), {row['seconds']:.0f} s; {row['accuracy']}", flush=True)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
