#!/usr/bin/env python3
"""Whose rows a network was trained on, with and without noise, on MNIST: the table of docs/howto/audit.md.

    results_lira.py DATA OUT [--sotto build/release/sotto] [--repeats N] [--shadows N]

DATA has the folder mnist (IDX files, gzip). Each repeat has 2000 rows of its own of the training file: a network learns the first
1000, and the attacks tell them from the second 1000, with shadow models that learn as it did. For control one network of the
last 1000 rows of the file, which has seen neither, is attacked alike. Each command is printed as it is run. Noise and shadows are
from the operating system: numbers differ a little from run to run.
"""

import argparse
import gzip
import json
import math
import pathlib
import struct

from results_pate import Runner

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "examples" / "mnist.schema.json"
ROWS, DELTA = 1000, "1e-5"
EPOCHS = ["--epochs", "100"]
LAST = 59000
# What a model is, the epsilon of its training (None: without noise), and whether it saw the members.
MODELS = {"no noise": (None, True), "epsilon 30": (30, True), "epsilon 3": (3, True), "no noise, of other rows": (None, False)}


class Cutter:
    """Rows of the training file as files of their own."""

    def __init__(self, folder, out):
        with gzip.open(folder / "train-images-idx3-ubyte.gz") as file:
            self.images = file.read()
        with gzip.open(folder / "train-labels-idx1-ubyte.gz") as file:
            self.labels = file.read()
        self.out = out

    def __call__(self, name, first):
        size = 28 * 28
        images, labels = self.out / f"{name}-images-idx3-ubyte", self.out / f"{name}-labels-idx1-ubyte"
        images.write_bytes(struct.pack(">IIII", 2051, ROWS, 28, 28)
                           + self.images[16 + first * size:16 + (first + ROWS) * size])
        labels.write_bytes(struct.pack(">II", 2049, ROWS) + self.labels[8 + first:8 + first + ROWS])
        return images, labels


def attack(run, name, seen, members, others, out, shadows):
    """One network of the rows `seen`, and what the attacks find of it."""
    epsilon = MODELS[name][0]
    model = out / "model.json"
    train, shadow = ["--method", "none", "--data-is-public", *EPOCHS], ["--shadow-epochs", EPOCHS[1]]
    if epsilon is not None:
        train = ["--epsilon", epsilon, "--delta", DELTA, "--expected-rows", ROWS]
        shadow = ["--shadow-method", "sgd", "--shadow-epsilon", epsilon, "--shadow-delta", DELTA]
    run("train", seen[0], "--labels", seen[1], "--schema", SCHEMA, "--model", "mlp", *train, "-o", model)
    score, _ = run("evaluate", model, others[0], "--labels", others[1], "--data-is-public")
    found, seconds = run("audit", "model", model, "--data-is-public", "--members", members[0], "--members-labels", members[1],
                         "--nonmembers", others[0], "--nonmembers-labels", others[1],
                         "--shadows", shadows, *shadow)
    row = {"model": name, "accuracy": score["accuracy"], "seconds": seconds}
    for part in found["attacks"]:
        row[part["attack"]] = {"auc": part["auc"], "tpr": part["tpr_at_fpr_0.01"]}
    print(json.dumps(row), flush=True)
    return row


def mean(rows, *path):
    total = 0.0
    for row in rows:
        for key in path:
            row = row[key]
        total += row
    return total / len(rows)


def show(rows):
    print("| model | right on the others | loss: AUC | TPR at FPR 1 % | LiRA: AUC | TPR at FPR 1 % | at most |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, (epsilon, _) in MODELS.items():
        of_it = [row for row in rows if row["model"] == name]
        most = 1.0 if epsilon is None else min(1.0, math.exp(epsilon) * 0.01 + float(DELTA))
        print(f"| {name} | {100 * mean(of_it, 'accuracy'):.1f} % "
              f"| {mean(of_it, 'loss', 'auc'):.3f} | {100 * mean(of_it, 'loss', 'tpr'):.1f} % "
              f"| {mean(of_it, 'lira', 'auc'):.3f} | {100 * mean(of_it, 'lira', 'tpr'):.1f} % "
              f"| {100 * most:.0f} % |")
    print(f"an attack takes {mean(rows, 'seconds'):.0f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--sotto", default=ROOT / "build" / "release" / "sotto")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--shadows", type=int, default=32)
    arguments = parser.parse_args()
    folder = arguments.data / "mnist"
    if not folder.is_dir():
        print(f"mnist: no such folder in {arguments.data}; nothing is done")
        return
    arguments.out.mkdir(parents=True, exist_ok=True)
    cut, run, rows = Cutter(folder, arguments.out), Runner(arguments.sotto), []
    stranger = cut("stranger", LAST)
    for repeat in range(arguments.repeats):
        members = cut("members", 2 * ROWS * repeat)
        others = cut("others", 2 * ROWS * repeat + ROWS)
        for name, (_, saw_members) in MODELS.items():
            rows.append(attack(run, name, members if saw_members else stranger, members, others, arguments.out,
                               arguments.shadows))
    (arguments.out / "results_lira.json").write_text(json.dumps(rows, indent=1) + "\n")
    show(rows)


if __name__ == "__main__":
    main()
