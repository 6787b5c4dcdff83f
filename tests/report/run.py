#!/usr/bin/env python3
"""Looks at reports in a headless Chromium: every kind of model, on screens and on paper.

    run.py --sotto build/dev/sotto --pictures DIR --axe AXE.js   makes the reports and looks at them
    run.py --self-test --axe AXE.js                              spoils a page and must catch every fault

A report is shown on a desk (light and dark), on a phone and on paper; faults.js and axe-core list the faults
of each view. Then its numbers are compared with those of the model file and of the other
commands. Pictures and pages stay in DIR, for people to look at.
"""

import argparse
import gzip
import itertools
import json
import os
import random
import re
import statistics
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, read_axe  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")
SECTIONS = ["words", "profile", "attack", "budget", "accuracy", "coefficients", "settings",
            "calibration", "confusion", "certificate", "weaknesses"]
OF_RELEASES = ["words", "values", "profile", "attack", "budget", "certificate", "weaknesses"]
OF_LEDGERS = ["words", "budget", "weaknesses"]
OF_LABELS = ["words", "profile", "attack", "budget", "labels", "certificate", "weaknesses"]
OF_STUDENTS = SECTIONS[:4] + ["labels"] + SECTIONS[4:]
VIEWS = [("desk", 1200, 900, "light"), ("dark", 1200, 900, "dark"), ("phone", 360, 740, "light"),
         ("phone-dark", 390, 800, "dark")]
# Names that would be markup, and one that would turn the writing around.
BAD_VALUE = "<script>alert(1)</script>"
BAD_NAME = "\"><img src=x onerror=alert(1)> & 'co'"
BAD_TURN = "a\u202egnihtemos"
with open(os.path.join(HERE, "faults.js"), encoding="utf-8") as source:
    FAULTS = source.read()


# --- models to report on ---

def write_table(directory, rows=400):
    """Public and secret rows of the same made-up kind, and their schemas."""
    rng = random.Random(7)
    towns = ["Lund", "Ystad", BAD_VALUE, BAD_TURN]
    columns = [{"name": "age", "type": "number", "lower": 18, "upper": 90},
               {"name": BAD_NAME, "type": "number", "lower": 0, "upper": 1},
               {"name": "town", "type": "category", "values": towns, "missing": "Lund"},
               {"name": "sick", "type": "boolean", "missing": False},
               {"name": "grade", "type": "category", "values": ["low", "middle", "high"],
                "missing": "low"},
               {"name": "pressure", "type": "number", "lower": 80, "upper": 200},
               {"name": "visits", "type": "integer", "lower": 0, "upper": 20}]
    for name in ("secret", "public"):
        with open(os.path.join(directory, name + ".csv"), "w", encoding="utf-8") as file:
            file.write(",".join('"' + column["name"].replace('"', '""') + '"'
                                for column in columns) + "\n")
            for _ in range(rows):
                age, other = rng.uniform(18, 90), rng.random()
                score = (age - 54) / 18 + 2 * other - 1
                grade = min(2, max(0, int(score + 1.5 + rng.gauss(0, 0.4))))
                cells = [f"{age:.1f}", f"{other:.3f}", rng.choice(towns),
                         "true" if rng.random() < 1 / (1 + 2.718281828 ** -score) else "false",
                         ["low", "middle", "high"][grade],
                         f"{140 + 15 * score + rng.gauss(0, 6):.1f}",
                         str(max(0, min(20, int(4 + 1.5 * score + rng.gauss(0, 1)))))]
                file.write(",".join(cells) + "\n")
    targets = {"sick", "grade", "pressure", "visits"}
    for target in targets:
        schema = {"dataset": "made-up-2026", "target": target, "intercept": 1, "columns": [
            column if column["name"] not in targets - {target}
            else {"name": column["name"], "type": "ignore"} for column in columns]}
        with open(os.path.join(directory, target + ".json"), "w", encoding="utf-8") as file:
            json.dump(schema, file)


SIDE, IMAGES, CLASSES = 12, 300, 10


def write_images(directory):
    """Ten classes of grey images, a bright square at one of ten places, as IDX; photographs of stripes."""
    rng = random.Random(11)
    for name in ("secret", "public"):
        pixels, labels = bytearray(), bytearray()
        for _ in range(IMAGES):
            label = rng.randrange(CLASSES)
            down, right = 4 * (label // 3) - (label // 9) * 4, 4 * (label % 3) + (label // 9) * 2
            bright = rng.randrange(40, 200)
            for i in range(SIDE * SIDE):
                inside = 0 <= i // SIDE - down < 4 and 0 <= i % SIDE - right < 4
                pixels.append(rng.randrange(70) + (bright if inside else 0) * 185 // 255)
            labels.append(label)
        with gzip.open(os.path.join(directory, name + "-images-idx3-ubyte.gz"), "wb") as file:
            file.write(struct.pack(">HBBIII", 0, 8, 3, IMAGES, SIDE, SIDE) + pixels)
        with gzip.open(os.path.join(directory, name + "-labels-idx1-ubyte.gz"), "wb") as file:
            file.write(struct.pack(">HBBI", 0, 8, 1, IMAGES) + labels)
    with open(os.path.join(directory, "images.json"), "w", encoding="utf-8") as file:
        json.dump({"dataset": "made-up-images", "shape": [SIDE, SIDE],
                   "labels": list(range(CLASSES)),
                   "numbers": {"lower": 0, "upper": 255, "scale": "unit"}}, file)
    subprocess.run([sys.executable, os.path.join(EXAMPLES, "make_formats.py"), directory],
                   check=True)


class Maker:
    """Runs the command under test in one directory."""

    def __init__(self, sotto, directory):
        self.sotto, self.directory = os.path.abspath(sotto), directory

    def run(self, *words, expect=0):
        done = subprocess.run([self.sotto, *words], cwd=self.directory, text=True,
                              capture_output=True)
        if done.returncode != expect:
            sys.exit(f"sotto {' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
        return done.stdout

    def train(self, name, target, *words):
        self.run("train", "secret.csv", "--schema", target + ".json", "-o", name + ".json", *words)
        return name + ".json"


PRIVATE = ["--epsilon", "1", "--delta", "1e-6"]
SEEDED = PRIVATE + ["--insecure-test-seed", "5"]


def make_reports(make):
    """The reports to look at: {"name", "page", "model", "plots", ...}, one after another."""
    write_table(make.directory)
    make.run("ledger", "init", "budget.ledger", "--dataset", "made-up-2026", "--epsilon", "4",
             "--delta", "1e-5")
    for target, model in (("pressure", "linear"), ("sick", "logistic")):
        make.train(model + "-charged", target, "--model", model, *PRIVATE, "--ledger",
                   "budget.ledger")
    make.run("ledger", "grant", "budget.ledger", "--epsilon", "1", "--reason", BAD_VALUE)
    all_plots = ["profile-plot", "attack-plot", "budget-plot", "curve-plot", "calibration-plot"]
    yield report(make, "private", "logistic-charged.json", 0, all_plots, "--public", "public.csv",
                 "--ledger", "budget.ledger", "--expected-rows", "1000")
    yield report(make, "quoted", "linear-charged.json", 0, all_plots, "--public", "public.csv")
    yield report(make, "bare", "logistic-charged.json", 0, all_plots[:3])
    yield from make_releases(make)
    kinds = [("logistic", "sick", "output", ["--expected-rows", "400"]),
             ("logistic", "sick", "gd", ["--expected-rows", "400"]), ("svm", "sick", "objective", []),
             ("hinge", "sick", "output", ["--expected-rows", "400"]),
             ("linear", "pressure", "objective", []), ("linear", "pressure", "adassp", []), ("huber", "pressure", "objective", []),
             ("softmax", "grade", "objective", []), ("poisson", "visits", "objective", []),
             ("logistic", "sick", "sgd", ["--expected-rows", "400"])]
    plots = ["profile-plot", "attack-plot", "curve-plot", "calibration-plot"]
    for model, target, method, more in kinds:
        name = f"{model}-{method}"
        path = make.train(name, target, "--model", model, "--method", method, *SEEDED, *more)
        yield report(make, name, path, 1, plots, "--public", "public.csv", "--repeats", "4")
    path = make.train("posterior", "sick", "--model", "logistic", "--method", "posterior", "--draws", "5",
                      "--lambda", "40", *SEEDED)
    no_curve = [plot for plot in plots if plot != "curve-plot"]  # the page says why
    yield report(make, "posterior", path, 1, no_curve, "--public", "public.csv")
    make.run("tune", "secret.csv", "--schema", "sick.json", "--model", "logistic", "--method",
             "objective", "--grid", "lambda=8,16", "--runs-mean", "2", "--score-epsilon", "0.5",
             "--epsilon", "2", "--delta", "1e-6", "--insecure-test-seed", "5", "-o", "tuned.json")
    yield report(make, "tuned", "tuned.json", 1, plots, "--public", "public.csv", "--repeats", "4")
    path = make.train("open", "grade", "--model", "softmax", "--method", "none",
                      "--data-is-public")
    yield report(make, "open", path, 0, ["calibration-plot"], "--public", "public.csv")
    path = make.train("open-number", "pressure", "--model", "huber", "--method", "none",
                      "--data-is-public")
    yield report(make, "open-bare", path, 0, [])
    yield from make_rules(make)
    yield from make_labels(make)


def make_releases(make):
    """A count, a histogram of a hostile column with a ledger, a seeded mean; and the ledger itself."""
    words = ["--schema", "sick.json", "--epsilon", "0.4"]
    make.run("ledger", "init", "few.ledger", "--dataset", "made-up-2026", "--epsilon", "1.5", "--delta",
             "1e-6")
    make.run("release", "count", "secret.csv", *words, "-o", "count.json")
    make.run("release", "histogram", "secret.csv", "town", *words, "--ledger", "few.ledger", "-o",
             "towns.json")
    make.run("release", "mean", "secret.csv", "age", *words, "--insecure-test-seed", "5", "-o",
             "mean.json")
    plots = ["profile-plot", "attack-plot"]
    yield report(make, "count", "count.json", 0, plots)
    yield report(make, "towns", "towns.json", 0, plots + ["budget-plot"], "--ledger", "few.ledger")
    yield report(make, "mean-seeded", "mean.json", 1, plots)
    page = os.path.join(make.directory, "ledger.html")
    make.run("report", "budget.ledger", "-o", page)
    yield {"name": "ledger", "page": page, "model": {}, "path": "budget.ledger", "seeded": False,
           "plots": ["budget-plot"], "rows": [], "images": 0, "names": True, "kind": "ledger",
           "labels": None, "grade": json.loads(make.run("report", "budget.ledger", "-o", page,
                                                        "--json"))["grade"]}


def make_rules(make):
    """Concepts: a cut of a line, a box of a plane, and features without a picture."""
    plots = ["profile-plot", "attack-plot", "curve-plot", "calibration-plot"]
    rules = [("stumps", {"class": "stumps", "columns": ["age", BAD_NAME], "bits": 8}, ["rule-plot"]),
             ("rectangles", {"class": "rectangles", "columns": ["age", BAD_NAME], "bits": 4},
              ["rule-plot"]),
             ("conjunctions", {"class": "conjunctions", "columns": ["town"]}, [])]
    for name, concept, own in rules:
        path = make.train(name, "sick", "--model", "concept", "--concept", json.dumps(concept),
                          "--epsilon", "1", "--insecure-test-seed", "5")
        yield report(make, name, path, 1, plots + own, "--public", "public.csv", "--repeats", "4")


def make_labels(make):
    """Labels of three classes by teachers, with and without their agreement, and students of them."""
    make.run("pate", "teach", "secret.csv", "--schema", "grade.json", "--teachers", "20", "--model",
             "softmax", "-o", "teachers")
    words = ["pate", "label", "teachers", "public.csv", "--ask", "120", "--delta", "1e-5"]
    vote = ["--aggregator", "confident", "--sigma1", "12", "--sigma2", "4", "--threshold", "9"]
    plots = ["profile-plot", "attack-plot", "course-plot"]
    make.run("ledger", "init", "votes.ledger", "--dataset", "made-up-2026", "--epsilon", "60",
             "--delta", "1e-5")
    make.run(*words, *vote, "--answers", "60", "--agreement", "1", "--agreement-bins", "5", "--ledger", "votes.ledger", "-o",
             "agreed.json")
    make.run(*words, "--aggregator", "gnmax", "--sigma2", "4", "--epsilon", "20", "-o", "gnmax.json",
             "--insecure-test-seed", "5")
    yield report(make, "labels", "agreed.json", 0, plots + ["budget-plot"], "--ledger",
                 "votes.ledger")
    yield report(make, "labels-seeded", "gnmax.json", 1, plots)
    make.run("pate", "student", "agreed.json", "public.csv", "--model", "softmax", "-o",
             "student.json")
    yield report(make, "student", "student.json", 0, plots + ["budget-plot", "calibration-plot"],
                 "--taught-by", "agreed.json", "--public", "secret.csv", "--ledger", "votes.ledger")
    yield report(make, "student-bare", "student.json", 0, plots[:2] + ["budget-plot"])


def make_network_reports(make):
    """Networks: of grey images in ten classes, private; of colours in two, public; and softmax on images."""
    write_images(make.directory)
    files = {name: [name + "-images-idx3-ubyte.gz", "--labels", name + "-labels-idx1-ubyte.gz"]
             for name in ("secret", "public")}
    shown = ["--public", *files["public"]]
    plots = ["profile-plot", "attack-plot", "calibration-plot"]
    make.run("train", *files["secret"], "--schema", "images.json", "--model", "mlp", "--epsilon", "8",
             "--delta", "1e-5", "--expected-rows", str(IMAGES), "--epochs", "20",
             "--insecure-test-seed", "5", "--validation", files["public"][0], "--validation-labels",
             files["public"][2], "-o", "network.json")
    yield report(make, "network", "network.json", 1, plots + ["learning-plot"], *shown)
    yield report(make, "network-bare", "network.json", 1, plots[:2] + ["learning-plot"])
    yield report(make, "network-few", "network.json", 1, plots + ["learning-plot"], *shown,
                 "--no-images")
    make.run("train", "stripes.bin", "--schema", "stripes.schema.json", "--model", "cnn", "--method",
             "none", "--data-is-public", "--epochs", "2", "-o", "stripes.json")
    yield report(make, "stripes", "stripes.json", 0, ["calibration-plot"], "--public", "stripes.bin")
    make.run("train", *files["secret"], "--schema", "images.json", "--model", "softmax", "--method",
             "none", "--data-is-public", "-o", "softmax-images.json")
    yield report(make, "softmax-images", "softmax-images.json", 0, ["calibration-plot"], *shown)


def report(make, name, model, exit_code, plots, *words):
    """Exit code 1: the noise came from a test seed, and the page says NOT PRIVATE."""
    page = os.path.join(make.directory, name + ".html")
    grade = json.loads(make.run("report", model, "-o", page, *words, "--json", expect=exit_code))
    with open(os.path.join(make.directory, model), encoding="utf-8") as file:
        content = json.load(file)
    rows = []
    if "--public" in words:
        at = words.index("--public") + 1
        rows = list(words[at:at + 3]) if "--labels" in words else [words[at]]
    taught = None
    if "--taught-by" in words:
        with open(os.path.join(make.directory, words[words.index("--taught-by") + 1]),
                  encoding="utf-8") as file:
            taught = json.load(file)
    kind = ("labels" if content["kind"] == "labels" else "release"
            if content["kind"] == "release" else "student"
            if "labels" in content.get("certificate", {}).get("output", "") else "model")
    shape = content.get("schema", {}).get("shape")
    images = 0 if "--no-images" in words else 40
    return {"name": name, "page": page, "model": content, "path": model, "plots": plots,
            "seeded": exit_code == 1, "rows": rows, "images": images if rows and shape else 0,
            "names": shape is None and kind != "labels" and name not in ("count", "mean-seeded"),
            "kind": kind, "grade": grade.get("grade"), "labels": content if kind == "labels" else taught}


# --- what a page must show ---

TABLE = """((caption) => [...document.querySelectorAll("table")]
    .filter((table) => table.caption.textContent.startsWith(caption))
    .map((table) => [...table.tBodies[0].rows].map((row) =>
        [...row.cells].map((cell) => cell.innerText.replace(/\\u00a0/g, " ").trim())))[0] ?? null)"""


def number(text):
    return float(text.replace("\u2212", "-").replace("%", "").replace("\u00b1", "").replace(" ", ""))


BOUNDS = [("strong", 3, 1e-5), ("moderate", 19, 1e-4), ("weak", 50, 1e-3)]
TITLES = {"strong": "Strong privacy, verified", "moderate": "Moderate privacy, verified",
          "weak": "Weak privacy, verified", "formal only": "Formal guarantee only, verified",
          None: "Verified, not graded"}


def grade_of(rate, delta):
    """The thresholds of docs/explanation/grades.md; the rate in per cent."""
    return next((name for name, most, largest in BOUNDS if rate <= most and delta <= largest),
                "formal only")


def check_grade(browser, item, need):
    """The headline is the worse of the file's grade and its history's; a void guarantee has none."""
    rows = browser.run(TABLE + "('Best attack with 1% false positives')")
    believed = browser.run("[...document.querySelectorAll('.believed li')].map((i) => i.innerText)")
    if item["seeded"] or not (item["kind"] == "ledger" or "certificate" in item["model"]):
        need(rows is None and item["grade"] is None and believed == [], f"the grade {rows}")
        return
    order = [name for name, _, _ in BOUNDS] + ["formal only"]
    for row in rows:
        need(row[3] == grade_of(number(row[1]), number(row[2])) or
             any(abs(number(row[1]) - most) < 0.01 for _, most, _ in BOUNDS), f"the grade of {row}")
    counted = [row[3] for row in rows if row[0].startswith(("This", "These", "Everything"))]
    need(item["grade"] == max(counted, key=order.index), f"the grade {item['grade']} of {counted}")
    if "certificate" in item["model"]:
        rate = 100 * item["model"]["certificate"]["attack"][1]["true_positive_rate"]
        need(rate <= number(rows[0][1]) <= rate * 1.01, f"the rate in {rows[0]} against {rate}")
        text = browser.run("document.getElementById('certificate').parentNode.innerText")
        for line in believed:
            need(line.startswith(("One person has", "Nothing ", "Sources of", "The schema names",
                                  "The rows of --public")) or line[1:-1] in text,
                 f"the certificate does not list '{line}'")
    need(len(believed) >= 3, f"what is believed: {believed}")


def check_guarantee(browser, item, need):
    """The attack table and the figures are those of the certificate, rounded to the safe side."""
    certificate = item["model"].get("certificate")
    rows = browser.run(TABLE + "('The best possible attack')")
    need((rows is None) == (certificate is None), "the attack table")
    if certificate is None:
        return
    for row, stated in zip(rows, certificate["attack"], strict=True):
        rate = stated["true_positive_rate"]
        need(rate <= number(row[1]) / 100 <= rate * 1.01, f"attack {row} against {rate}")
    rows = browser.run(TABLE + "('The guarantee at several deltas')")
    for row, stated in zip(rows, certificate["guarantees"], strict=True):
        epsilon = stated["epsilon"]
        need(epsilon <= number(row[1]) <= epsilon * 1.00001, f"epsilon {row} against {epsilon}")
    words = browser.run("document.querySelector('blockquote').innerText")
    need(certificate["statement"] in words.replace("\u00a0", " "), "the certificate's sentence")
    text = browser.run("document.getElementById('certificate').parentNode.innerText")
    need(certificate["hash"] in text, "the certificate's hash")


def check_layers(browser, item, need):
    """A network has a table of its layers, in order, with all parameters."""
    rows = browser.run(TABLE + "('Layers')")
    network = item["model"]["network"]
    need([row[1].split(" ")[0] for row in rows] == [layer["type"] for layer in network["layers"]],
         "the layers")
    counts = [int(number(row[4])) for row in rows if row[4] != "none"]
    need(counts == [len(part) for part in item["model"]["coefficients"]], "the parameters")
    for above, below in zip(rows, rows[1:]):
        need(above[3] == below[2], f"the shapes of {above} and {below}")
    points = browser.run(TABLE + "('Scores during training')")
    curve = item["model"].get("curve")
    need((points is None) == (curve is None), "the table of the learning curve")
    if curve is not None:
        need(number(points[-1][0]) == curve["steps"][-1], "the last step of the curve")
        need(abs(number(points[-1][1]) / 100 - curve["scores"][-1]) <= 1e-4, "its score")


def check_rule(browser, item, need):
    """A concept has its class in a table, feature by feature."""
    rows = browser.run(TABLE + "('Features of the class')")
    features = item["model"]["concept"]["features"]
    need(len(rows) == len(features), "the features of the class")
    for row, feature in zip(rows, features):
        name = feature["column"] + ("=" + feature["value"] if "value" in feature else "")
        need("\u202e" in name or row[0] == name, f"the feature {row} against {name}")


def check_labels(browser, item, need):
    """What was asked and answered, what that cost, and the agreement if it was paid for."""
    shares = browser.run(TABLE + "('Share of the queries')")
    rows = browser.run(TABLE + "('Sum of the queries')")
    labels = item["labels"]
    if labels is None:
        need(shares is None and rows is None, "labels that nobody gave")
        return
    text = browser.run("document.getElementById('labels').parentNode.innerText")
    need(("Not shown: it was not released" in text) == ("agreement" not in labels),
         "whether the agreement was paid for")
    need(number(rows[-2][0]) == labels["asked"], f"the queries asked in {rows[-2]}")
    need(number(rows[-2][1]) == labels["answered"], f"the queries answered in {rows[-2]}")
    spent = [number(row[2].split(",")[0]) for row in rows]
    need(spent == sorted(spent), f"epsilon by query is {spent}")
    need(labels["certificate"]["epsilon"] <= spent[-1] <= labels["epsilon"] * 1.00001,
         f"the guarantee in {rows[-1]}")
    counts = browser.run(TABLE + "('Labels of each class')")
    need({row[0]: int(number(row[1])) for row in counts} ==
         {name: labels["labels"].count(name) for name, _ in counts}, "the labels of each class")
    need((shares is None) == ("agreement" not in labels), "the histogram of the agreement")
    if shares is None:
        return
    agreement = labels["agreement"]
    marks = [100 * edge / labels["teachers"] for edge in agreement["edges"]]
    need([number(row[0]) for row in shares] == marks, f"the marks of {shares}")
    need(abs(sum(number(row[1]) for row in shares) - 100) < 0.5, f"the shares {shares}")
    width = agreement["edges"][-1] - agreement["edges"][-2]
    noise = 196 * agreement["sigma"] / agreement["queries"] / width
    need(noise * 0.99 <= number(shares[-1][2]) <= noise * 1.1, f"the noise of {shares[-1]}")


def check_coefficients(browser, item, need):
    if item["kind"] in ("labels", "release", "ledger"):
        return
    if "network" in item["model"]:
        check_layers(browser, item, need)
        return
    if item["model"]["model"] == "concept":
        check_rule(browser, item, need)
        return
    rows = browser.run(TABLE + "('Coefficients')")
    values = item["model"]["coefficients"]
    if "draws" in item["model"]:  # the page has their means
        values = [statistics.fmean(map(float.fromhex, column)) for column in zip(*values)]
    else:
        values = [row if isinstance(row, list) else [row] for row in values]
        values = [float.fromhex(value) for row in values for value in row]
    need(len(rows) == min(30, len(values)), "the number of coefficients")
    marks = ["within" in row[0].split("\n")[-1] for row in rows]
    need(marks == sorted(marks), "coefficients within the noise come last")
    for row, mark in zip(rows, marks):
        size = abs(number(row[1]))
        need(row[2] == "not known" or mark == (size <= number(row[2])) or
             abs(size - number(row[2])) <= 0.06 * size, f"the mark of {row}")
    for marked in (False, True):
        sizes = [abs(number(row[1])) for row, mark in zip(rows, marks) if mark == marked]
        need(sizes == sorted(sizes, reverse=True), f"the order of {sizes}")
    for row in rows:
        need(any(abs(number(row[1]) - value) <= 0.006 * abs(value) for value in values),
             f"coefficient {row}")
        known = row[2] != "not known"
        if item["kind"] == "student":
            need(not known, f"the noise of {row}")
            continue
        need(known and (number(row[2]) > 0) == ("certificate" in item["model"]),
             f"the noise of {row}")


def check_scores(browser, item, make, need):
    """The confusion matrix and the accuracy are those of sotto evaluate."""
    rows = browser.run(TABLE + "('Confusion matrix')")
    if item["kind"] == "release":
        shown = browser.run(TABLE + "('Released values')")
        values = item["model"]["values"]
        need(len(shown) == len(values), "the released values")
        for row, value in zip(shown, values):
            need(abs(number(row[1]) - value["value"]) <= 1e-5 * abs(value["value"]), f"{row}")
            need(("noise" in row[3]) == (item["model"]["statistic"] != "mean" and
                                         value["lower"] <= 0 <= value["upper"]), f"the mark of {row}")
    if not item["rows"]:
        need(rows is None, "a confusion matrix of no rows")
        return
    scores = json.loads(make.run("evaluate", item["path"], *item["rows"], "--data-is-public",
                                 "--json"))
    text = browser.run("document.getElementById('accuracy').parentNode.innerText")
    text = text.replace("\u00a0", " ")
    if "confusion" not in scores:
        need(rows is None and "RMSE" in text, "the scores of a model of numbers")
        shown = number(re.search(r"RMSE\)\n+([\d.e-]+)", text)[1])
        need(scores["mse"] ** 0.5 <= shown <= scores["mse"] ** 0.5 * 1.002, "the error")
        return
    counts = [[int(cell.split("\n")[0].replace(" ", "")) for cell in row[1:]] for row in rows]
    need(counts == scores["confusion"], "the confusion matrix")
    for k, row in enumerate(browser.run(TABLE + "('Class by class')")):
        said = [counts[i][k] for i in range(len(counts))]
        for cell, whole in ((row[2], sum(counts[k])), (row[3], sum(said))):
            need((cell == "no rows") == (whole == 0), f"the share {row}")
            need(whole == 0 or abs(number(cell) - 100 * counts[k][k] / whole) <= 0.06,
                 f"the share {row}")
    shown = number(re.search(r"Accuracy\n+([\d.]+)%", text)[1]) / 100
    need(scores["accuracy"] * 0.998 <= shown <= scores["accuracy"] + 1e-12, "the accuracy")


IMAGE_LIST = """[...document.querySelectorAll(".images li")].map((item) => [
    item.querySelector("img").alt, item.querySelector("b").innerText,
    item.querySelector("span").innerText, item.className, item.querySelector("img").naturalWidth])"""


def check_images(browser, item, make, need):
    """The first public rows, and mistakes, with what sotto predict says of them."""
    shown = browser.run(IMAGE_LIST)
    if item["images"] == 0:
        need(shown == [], "images that nobody asked for")
        return
    said = make.run("predict", item["path"], item["rows"][0]).split("\n")[:-1]
    labels = None
    if len(item["rows"]) == 3:
        with gzip.open(os.path.join(make.directory, item["rows"][2])) as file:
            labels = list(file.read()[8:])
    first = item["images"] - item["images"] // 2
    for i, (row, predicted, true, frame, width) in enumerate(shown):
        at = int(number(row.removeprefix("Row "))) - 1
        need(i >= first or at == i, f"the place of {row}")
        need(predicted == "said " + said[at], f"{row}: {predicted}")
        need(labels is None or true == f"is {labels[at]}", f"{row}: {true}")
        need((frame == "wrong") == (predicted[5:] != true[3:]), f"the frame of {row}")
        need(i < first or frame == "wrong", f"{row} is no mistake")
        need(width == item["model"]["schema"]["shape"][-1], f"the width of {row}")
    wrong = 0 if labels is None else sum(int(a) != b for a, b in zip(said, labels, strict=True))
    need(labels is None or len(shown) == first + min(wrong, item["images"] // 2),
         f"{len(shown)} images")


def check_words(browser, item, need):
    found = browser.run("[...document.querySelectorAll('main > section > h2')].map((h) => h.id)")
    wanted = {"model": SECTIONS, "labels": OF_LABELS, "student": OF_STUDENTS, "release": OF_RELEASES,
              "ledger": OF_LEDGERS}[item["kind"]]
    need(found == wanted, f"the sections are {found}")
    found = browser.run("[...document.querySelectorAll('figure svg')].map((s) => "
                        "s.getAttribute('aria-labelledby').split('-title')[0])")
    need(sorted(found) == sorted(item["plots"]), f"the plots are {found}")
    news = browser.run("document.querySelector('.news strong').innerText")
    expected = ("NOT PRIVATE" if item["seeded"] else TITLES[item["grade"]]
                if "certificate" in item["model"] or item["kind"] == "ledger"
                else "No privacy guarantee")
    need(news == expected, f"the news are {news}")
    text = browser.run("document.body.innerText")
    need(("alert(1)" in text) == item["names"] and "\u202e" not in text,
         "names that would be markup")
    tree = [node["role"]["value"] for node in
            browser.call("Accessibility.getFullAXTree")["nodes"] if "role" in node]
    for role in ("banner", "navigation", "main", "contentinfo"):
        need(tree.count(role) == 1, f"{tree.count(role)} {role} in the accessibility tree")


def look_at(browser, axe, item, make, pictures):
    """Every fault of one report, as sentences."""
    faults = []

    def need(is_so, fault):
        if not is_so:
            faults.append(f"{item['name']}: {fault}")

    for view, width, height, scheme in VIEWS:
        asked, said = browser.open(item["page"], width, height, scheme)
        need(not asked, f"it fetches {asked}")
        need(not said, f"the browser says {said}")
        faults += [f"{item['name']}, {view}: {fault}" for fault in browser.run(FAULTS) + browser.violations(axe)]
        pixel = browser.picture(os.path.join(pictures, f"{item['name']}-{view}.png"))
        need((sum(pixel) < 200) == (scheme == "dark"), f"{view} begins with {pixel}")
    browser.open(item["page"], 1200, 900, "light")
    check_words(browser, item, need)
    check_guarantee(browser, item, need)
    check_grade(browser, item, need)
    check_labels(browser, item, need)
    check_coefficients(browser, item, need)
    check_scores(browser, item, make, need)
    check_images(browser, item, make, need)
    browser.open(item["page"], 794, 1123, "dark", "print")
    faults += [f"{item['name']}, print: {fault}" for fault in browser.run(FAULTS)]
    browser.call("Emulation.setEmulatedMedia", media="")
    pages = browser.print(os.path.join(pictures, item["name"] + ".pdf"))
    need(2 <= pages <= 12, f"{pages} pages on paper")
    return faults


def check_repeatable(make):
    """The same files give the same page, by any number of threads."""
    texts = []
    for threads in ("1", "2"):
        make.run("report", "logistic-charged.json", "--public", "public.csv", "-o", "again.html",
                 "--threads", threads)
        with open(os.path.join(make.directory, "again.html"), encoding="utf-8") as file:
            texts.append(file.read())
    return [] if texts[0] == texts[1] else ["two reports of the same files differ"]


# --- the checker is checked ---

SPOILS = [
    ("a script", "<main", "<script>1</script><main"),
    ("an address", "<main", "<a href=\"https://example.org/\">x</a><main"),
    ("a fetched picture", "<main", "<img src=\"x.png\" alt=\"\"><main"),
    ("a picture from elsewhere", "<main", "<img src=\"https://example.org/x.png\" alt=\"x\"><main"),
    ("a picture that does not show", "<main", "<img src=\"data:image/png;base64,AAAA\" alt=\"x\"><main"),
    ("a lost caption", "<caption>", "<caption hidden></caption><caption hidden>"),
    ("a lost scope", "<th scope=\"col\">", "<th>"),
    ("a skipped heading", "<h2 ", "<h4>x</h4><h2 "),
    ("an id twice", "<footer", "<p id=\"words\">x</p><footer"),
    ("another title in the contents", "href=\"#words\">", "href=\"#words\">A "),
    ("a dead link", "href=\"#words\"", "href=\"#nowhere\""),
    ("a picture without words", "<desc id=\"profile-plot-desc\">", "<desc id=\"x\">"),
    ("grey on white", "--soft:#555f6b", "--soft:#9aa0a6"),
    ("too wide", "<footer", "<p style=\"width:2000px\">x</p><footer"),
    ("small letters", "figure .k{font-size:12.5px}", "figure .k{font-size:7px}"),
    ("no language", "<html lang=\"en\">", "<html>"),
    ("two mains", "<footer", "<main></main><footer"),
    ("one text on another", "</svg>", "<text x=\"200\" y=\"150\">aaa</text>"
                                      "<text x=\"204\" y=\"152\">bbb</text></svg>"),
]

AXE_SPOILS = [
    ("an unknown role", "<footer", "<p role=\"buton\">x</p><footer"),
    ("text outside of the landmarks", "</body>", "<p>x</p></body>"),
]


def self_test(axe):
    """On the page of the example, which is taken from the command's own output."""
    sotto = os.path.join(HERE, "..", "..", "build", "dev", "sotto")
    sotto = os.environ.get("SOTTO", sotto)
    missed = []
    with tempfile.TemporaryDirectory() as directory, Browser() as browser:
        page = os.path.join(directory, "page.html")
        subprocess.run([sotto, "report", os.path.join(EXAMPLES, "model.json"), "-o", page],
                       check=True, capture_output=True)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        browser.open(page, 360, 740, "light")
        if browser.run(FAULTS) or browser.violations(axe):
            missed.append("nothing: an unspoiled page was refused")
        for name, old, new in SPOILS + AXE_SPOILS:
            if old not in text:
                missed.append(f"{name}: nothing to spoil")
                continue
            with open(page, "w", encoding="utf-8") as file:
                file.write(text.replace(old, new, 1))
            browser.open(page, 360, 740, "light")
            if not (browser.violations(axe) if (name, old, new) in AXE_SPOILS else browser.run(FAULTS)):
                missed.append(name)
    if missed:
        sys.exit("self-test: missed " + "; ".join(missed))
    print(f"self-test: {len(SPOILS + AXE_SPOILS)} faults planted, all caught")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sotto")
    parser.add_argument("--pictures", default=".")
    parser.add_argument("--axe", required=True, help="axe.min.js, or a folder below which it lies")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    axe = read_axe(arguments.axe)
    if arguments.self_test:
        if arguments.sotto:
            os.environ["SOTTO"] = os.path.abspath(arguments.sotto)
        self_test(axe)
        return
    os.makedirs(arguments.pictures, exist_ok=True)
    faults, count = [], 0
    with tempfile.TemporaryDirectory() as directory, Browser() as browser:
        make = Maker(arguments.sotto, directory)
        for item in itertools.chain(make_reports(make), make_network_reports(make)):
            faults += look_at(browser, axe, item, make, arguments.pictures)
            os.replace(item["page"], os.path.join(arguments.pictures, item["name"] + ".html"))
            count += 1
        faults += check_repeatable(make)
    if faults:
        sys.exit("\n".join(faults))
    print(f"{count} reports, each on {len(VIEWS)} screens and on paper: no fault")


if __name__ == "__main__":
    main()
