#!/usr/bin/env python3
"""Compare the default method of a model with every other method, paired, on twelve public tables.

    make build && python3 bench/defaults.py DATA --out scores.jsonl [--seeds 20] [--sets bike-number,wine-number]
    python3 bench/defaults.py DATA --out scores.jsonl --summary

DATA is the folder that bench/peers_additive.py describes, with pima-diabetes and heart-cleveland beside. Seed s takes the fold s mod 3
of the training file to score on, learns from the other two, and draws its noise from the test seed s. So two methods of one seed
have the same rows, and their difference is paired. With --test they learn from the training file and are scored on the test file:
for a report, never for a choice.

Every score is one line of the file. A run that finds its line there skips it, so the same command resumes. The summary says where
`auto` loses more than 0.01 (AUC of two classes, R^2 of numbers) beyond two standard errors. A refused method has no line.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import statistics
import subprocess
import tempfile

from peers_additive import FOLDS, SETS, number, one_of, splits, whole, write

PIMA = [number("pregnancies", 0, 20), number("glucose", 0, 250), number("blood_pressure", 0, 150),
        number("skin_thickness", 0, 100), number("insulin", 0, 900), number("bmi", 0, 70),
        number("pedigree", 0, 2.5), number("age", 21, 90), whole("diabetes", 0, 1)]
HEART = [number("age", 18, 100), one_of("sex", "0.0|1.0"), one_of("cp", "1.0|2.0|3.0|4.0"),
         number("trestbps", 80, 220), number("chol", 100, 600), one_of("fbs", "0.0|1.0"),
         one_of("restecg", "0.0|1.0|2.0"), number("thalach", 60, 220), one_of("exang", "0.0|1.0"),
         number("oldpeak", 0, 7), one_of("slope", "1.0|2.0|3.0"), whole("ca", 0, 3),
         one_of("thal", "3.0|6.0|7.0|?", missing="?"), whole("num", 0, 4)]
TABLES = {
    **SETS,
    "pima": ("pima-diabetes/pima", PIMA, {"column": "diabetes", "above": 0}),
    "heart": ("heart-cleveland/heart", HEART, {"column": "num", "above": 0}),
    "heart-number": ("heart-cleveland/heart", HEART, {"column": "thalach"}),
    "wine-number": ("wine-quality/wine", SETS["wine"][1], {"column": "quality"}),
    "fair-number": ("fair-survey/fair", SETS["fair"][1], {"column": "affairs"}),
}
METHODS = {
    "linear": ["auto", "objective", "output", "gd", "statistics", "adassp"],
    "logistic": ["auto", "objective", "output", "gd", "newton"],
}
EPSILONS = [0.1, 0.5, 1, 2, 8]


def is_number(name):
    return name.endswith("-number")


def one(given, name, model, variant, epsilon, seed):
    """The score of one training; None where the method refuses its settings. `variant` is METHOD[,OPTION=VALUE]."""
    files, columns, target = TABLES[name]
    head, parts = splits(given.data, files, given.test, FOLDS)
    seen, held = parts[seed % FOLDS]
    method, *options = variant.split(",")
    more = [part for option in options for part in ("--" + option.split("=")[0], option.split("=")[1])]
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        write(folder / "train.csv", head, seen)
        write(folder / "held.csv", head, held)
        (folder / "schema.json").write_text(json.dumps({"target": target, "columns": columns}))
        command = [given.sotto, "train", folder / "train.csv", "--schema", folder / "schema.json", "--model",
                   model, "--method", method, "--epsilon", epsilon, "--delta", repr(1.0 / len(seen)**2),
                   "--expected-rows", len(seen), "-o", folder / "model.json", "--threads", 1,
                   "--insecure-test-seed", seed, *more]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode != 0:
            return {"refused": done.stderr.strip()[:200]}
        found = subprocess.run([given.sotto, "evaluate", folder / "model.json", folder / "held.csv",
                                "--data-is-public", "--json"], check=True, capture_output=True, text=True)
    scores = json.loads(found.stdout)
    return {key: scores[key] for key in ("auc", "log_loss", "r2") if key in scores}


def work(given, done):
    for seed in range(1, given.seeds + 1):
        for name in given.sets:
            model = "linear" if is_number(name) else "logistic"
            for variant in given.methods or METHODS[model]:
                for epsilon in given.epsilons:
                    cell = (name, model, variant, epsilon, seed)
                    if cell not in done:
                        yield cell


def read(path):
    if not path.exists():
        return []
    lines = path.read_text().splitlines()
    return [json.loads(line) for line in lines if line.endswith("}")]


def key_of(line):
    return line["set"], line["model"], line["method"], line["epsilon"], line["seed"]


def run(given):
    done = {key_of(line) for line in read(given.out)}
    cells = list(work(given, done))
    with given.out.open("a") as file, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for cell, found in zip(cells, pool.map(lambda cell: one(given, *cell), cells), strict=True):
            line = dict(zip(("set", "model", "method", "epsilon", "seed"), cell, strict=True), **found)
            file.write(json.dumps(line) + "\n")
            file.flush()


def summarise(lines):
    scores = collections.defaultdict(dict)
    for line in lines:
        value = line.get("r2" if is_number(line["set"]) else "auc")
        if value is not None:
            scores[line["set"], line["epsilon"], line["method"]][line["seed"]] = value
    losses = 0
    for name, epsilon in sorted({(name, epsilon) for name, epsilon, _ in scores}):
        means = {}
        ours = scores.get((name, epsilon, "auto"), {})
        for (other, size, method), found in scores.items():
            if (other, size) == (name, epsilon):
                means[method] = statistics.mean(found.values())
        cells = [f"{name:18} {epsilon:<4g}"]
        for method, mean in means.items():
            theirs = scores[name, epsilon, method]
            gaps = [theirs[seed] - ours[seed] for seed in theirs if seed in ours]
            error = statistics.stdev(gaps) / len(gaps)**0.5 if len(gaps) > 1 else float("inf")
            lost = method != "auto" and bool(gaps) and statistics.mean(gaps) - 2 * error > 0.01
            losses += lost
            cells.append(f"{method} {mean:.4f}{' *' if lost else ''}")
        print("  ".join(cells))
    print(f"auto loses more than 0.01 beyond two standard errors in {losses} cells (marked *)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--sotto", default="build/sotto")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--sets", type=lambda text: text.split(","), default=list(TABLES))
    parser.add_argument("--epsilons", type=lambda text: [float(e) for e in text.split(",")], default=EPSILONS)
    parser.add_argument("--methods", type=lambda text: text.split(";"),
                        help="METHOD[,OPTION=VALUE];... in place of all methods of the model")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--summary", action="store_true")
    given = parser.parse_args()
    if not given.summary:
        run(given)
    summarise(read(given.out))


if __name__ == "__main__":
    main()
