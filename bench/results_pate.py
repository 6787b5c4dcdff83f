#!/usr/bin/env python3
"""PATE from private rows to a student, on MNIST and Adult: the table of docs/results/pate-results.md.

    results_pate.py DATA OUT [--sotto build/release/sotto] [--only mnist|adult] [--repeats N]

DATA has the folders mnist (four IDX files, gzip) and adult (adult-train.csv.gz, adult-test.csv.gz). The private rows are the
training files. Public rows are the test files, split as the papers do: the first ones without their labels are asked about and
learned from, the last ones test the student. OUT is made; it keeps the teachers, which are as secret as the rows. Each command is
printed as it is run. Noise is the operating system's: numbers differ a little from run to run.
"""

import argparse
import csv
import gzip
import json
import pathlib
import struct
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

NETWORK = ["--optimizer", "adam"]
TASKS = {
    "mnist": {
        "schema": "mnist.schema.json",
        "teach": ["--model", "scattering-cnn:data-norm", *NETWORK, "--epochs", "60", "--batch", "32",
                  "--weight-average", "0.9"],
        "vote": ["--aggregator", "confident", "--sigma1", "150", "--sigma2", "40", "--threshold", "200"],
        "student": ["--model", "scattering-linear", *NETWORK, "--epochs", "20", "--weight-average", "0",
                    "--self-training", "3", "--confidence", "0.9"],
        "runs": [(4, 1100), (8, 3700)],
    },
    "adult": {
        "schema": "adult.schema.json",
        "teach": ["--model", "logistic", "--lambda", "0.02"],
        "vote": ["--aggregator", "confident", "--sigma1", "200", "--sigma2", "40", "--threshold", "300"],
        "student": ["--model", "logistic", "--lambda", "0.05"],
        "runs": [(2, 500), (4, 1500), (8, 5000)],
    },
}
TEACHERS, DELTA = 250, "1e-5"


def unpack(path):
    with gzip.open(path) as file:
        return file.read()


def make_mnist(data, out):
    """Files of the task: private rows with labels, public rows without, held rows with theirs."""
    folder = data / "mnist"
    images = unpack(folder / "t10k-images-idx3-ubyte.gz")
    labels = unpack(folder / "t10k-labels-idx1-ubyte.gz")
    size = 28 * 28

    def cut(name, first, last):
        (out / f"{name}-images-idx3-ubyte").write_bytes(
            struct.pack(">IIII", 2051, last - first, 28, 28) + images[16 + first * size:16 + last * size])
        (out / f"{name}-labels-idx1-ubyte").write_bytes(
            struct.pack(">II", 2049, last - first) + labels[8 + first:8 + last])

    cut("public", 0, 9000)
    cut("held", 9000, 10000)
    truth = [str(label) for label in labels[8:8 + 9000]]
    return {
        "private": [str(folder / "train-images-idx3-ubyte.gz"),
                    "--labels", str(folder / "train-labels-idx1-ubyte.gz")],
        "public": [str(out / "public-images-idx3-ubyte")],
        "held": [str(out / "held-images-idx3-ubyte"), "--labels", str(out / "held-labels-idx1-ubyte")],
        "truth": truth,
    }


def make_adult(data, out):
    folder = data / "adult"
    lines = unpack(folder / "adult-test.csv.gz").decode().splitlines()
    header, rows = lines[0], lines[1:]
    target = header.split(",").index("income")
    cells = list(csv.reader(rows))
    cut = len(rows) - 5000
    with open(out / "public.csv", "w", newline="") as file:
        writer = csv.writer(file)
        for row in [header.split(",")] + cells[:cut]:
            writer.writerow(row[:target] + row[target + 1:])
    (out / "held.csv").write_text("\n".join([header] + rows[cut:]) + "\n")
    return {
        "private": [str(folder / "adult-train.csv.gz")],
        "public": [str(out / "public.csv")],
        "held": [str(out / "held.csv")],
        "truth": [row[target] for row in cells[:cut]],
    }


class Runner:
    def __init__(self, sotto):
        self.sotto = sotto

    def __call__(self, *words):
        """Runs one command; gives what it printed as JSON, and the seconds."""
        print("$ sotto", *words, flush=True)
        begin = time.monotonic()
        done = subprocess.run([self.sotto, *map(str, words), "--json"], check=True,
                              stdout=subprocess.PIPE, encoding="utf-8")
        return json.loads(done.stdout), time.monotonic() - begin


def run_task(run, name, files, out, repeats):
    task = TASKS[name]
    teachers = out / "teachers"
    schema = ROOT / "examples" / task["schema"]
    _, teach_seconds = run("pate", "teach", *files["private"], "--schema", schema, "--teachers", TEACHERS,
                           *task["teach"], "-o", teachers)
    rows = []
    for epsilon, ask in task["runs"]:
        for repeat in range(repeats):
            labels = out / f"labels-{epsilon}.json"
            student = out / f"student-{epsilon}.json"
            label, label_seconds = run("pate", "label", teachers, *files["public"], *task["vote"], "--ask", ask,
                                       "--epsilon", epsilon, "--delta", DELTA, "-o", labels,
                                       "--csv", out / f"labels-{epsilon}.csv", "--plot", out / f"labels-{epsilon}.svg")
            _, student_seconds = run("pate", "student", labels, *files["public"], *task["student"], "-o", student)
            run("verify", student)
            score, _ = run("evaluate", student, *files["held"], "--data-is-public")
            with open(out / f"labels-{epsilon}.csv", newline="") as file:
                said = list(csv.DictReader(file))
            right = sum(files["truth"][int(line["row"])] == line["label"] for line in said)
            rows.append({
                "data": name, "epsilon": epsilon, "delta": DELTA, "repeat": repeat,
                "ask_at_most": label["ask_at_most"], "answer_at_most": label["answer_at_most"],
                "asked": label["asked"], "answered": label["answered"],
                "label_accuracy": right / max(1, len(said)), "student_accuracy": score["accuracy"],
                "seconds": [round(teach_seconds), round(label_seconds), round(student_seconds)],
            })
            print(json.dumps(rows[-1]), flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--sotto", default=ROOT / "build" / "release" / "sotto")
    parser.add_argument("--only", choices=sorted(TASKS))
    parser.add_argument("--repeats", type=int, default=1)
    arguments = parser.parse_args()
    rows = []
    for name, make in (("mnist", make_mnist), ("adult", make_adult)):
        if arguments.only not in (None, name):
            continue
        if not (arguments.data / name).is_dir():
            print(f"{name}: no such folder in {arguments.data}; skipped")
            continue
        out = arguments.out / name
        out.mkdir(parents=True, exist_ok=True)
        rows += run_task(Runner(arguments.sotto), name, make(arguments.data, out), out, arguments.repeats)
    (arguments.out / "results_pate.json").write_text(json.dumps(rows, indent=1) + "\n")
    print("| data | epsilon | asked (cap) | answered (cap) | labels right | student right | teach, label, student |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        print(f"| {row['data']} | {row['epsilon']} | {row['asked']} ({row['ask_at_most']}) "
              f"| {row['answered']} ({row['answer_at_most']}) | {100 * row['label_accuracy']:.1f} % "
              f"| {100 * row['student_accuracy']:.1f} % | {', '.join(str(s) + ' s' for s in row['seconds'])} |")


if __name__ == "__main__":
    main()
