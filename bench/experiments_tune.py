#!/usr/bin/env python3
"""What tuning is worth on the invented clinic: the table of docs/howto/tuning.md.

    bench/experiments_tune.py --sotto build/sotto [--seeds 20]

1000 rows to learn from, 250 public rows to score on, 250 others for the accuracy. The noise comes from seeds, so that the
table can be made again; epsilon 1, delta 1e-6.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
GRID = ["--grid", "lambda=10,30,100"]


def split(directory):
    header, *rows = (EXAMPLES / "clinic.csv").read_text().splitlines()
    parts = {"private": rows[:1000], "public": rows[1000:1250], "test": rows[1250:]}
    for name, part in parts.items():
        (directory / f"{name}.csv").write_text("\n".join([header, *part]) + "\n")


def ways(directory):
    public = ["--validation", str(directory / "public.csv")]
    yield "train, lambda by its rule", ["train"]
    for weight in ("10", "30", "100"):
        yield f"train, lambda {weight}", ["train", "--lambda", weight]
    yield "mean 5, eta 0, public score", ["tune", *GRID, *public, "--runs-mean", "5", "--eta", "0"]
    yield "mean 10, eta 1, public score", ["tune", *GRID, *public, "--runs-mean", "10"]
    yield "mean 5, eta 0, paid score", ["tune", *GRID, "--score-epsilon", "0.1", "--runs-mean", "5",
                                        "--eta", "0"]


def score_of(sotto, directory, command, seed):
    model = str(directory / "model.json")
    subprocess.run([sotto, command[0], str(directory / "private.csv"), "--schema",
                    str(EXAMPLES / "clinic.schema.json"), "--model", "logistic", "--epsilon", "1",
                    "--delta", "1e-6", "-o", model, "--insecure-test-seed", str(seed), *command[1:]],
                   check=True, capture_output=True)
    done = subprocess.run([sotto, "evaluate", model, str(directory / "test.csv"),
                           "--data-is-public", "--json"], check=True, capture_output=True)
    found = json.loads(done.stdout)
    return found["accuracy"], found["log_loss"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sotto", default="build/sotto")
    parser.add_argument("--seeds", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        split(directory)
        for label, command in ways(directory):
            scores = [score_of(given.sotto, directory, command, seed)
                      for seed in range(1, given.seeds + 1)]
            accuracies, losses = zip(*scores)
            error = statistics.stdev(accuracies) / given.seeds**0.5
            print(f"{label:32} accuracy {statistics.mean(accuracies):.4f} +- {error:.4f}, "
                  f"log loss {statistics.mean(losses):.4f}")


if __name__ == "__main__":
    main()
