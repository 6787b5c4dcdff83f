#!/usr/bin/env python3
"""Draws the pictures of docs/gallery/ from the output of sotto.

    gallery.py --sotto build/sotto            writes docs/gallery/*.svg
    gallery.py --sotto build/sotto --check    draws them again; fails if one differs by more than rounding

The noise of the trainings comes from fixed test seeds, so that the same numbers come out again. The rows are invented
(examples/make_clinic.py).
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from xml.sax.saxutils import escape

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
GALLERY = os.path.join(ROOT, "docs", "gallery")
INK, GREY, TEAL, ORANGE = "#1f2937", "#4b5563", "#00695c", "#b45309"
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 500, 350, 70, 24, 64, 56
EPSILONS = [0.1, 0.25, 0.5, 1, 2, 4, 8]
PERCENT = "{:.0%}".format
DASHED, DOTTED = "5 4", "2 3"


class Axis:
    """A scale from values to places in the picture."""

    def __init__(self, ticks, label, log=False, show="{:g}".format):
        self.ticks, self.label, self.log, self.show = ticks, label, log, show
        self.lower, self.upper = ticks[0], ticks[-1]

    def share(self, value):
        assert self.lower <= value <= self.upper, f"{value} lies outside of the axis {self.label}"
        if self.log:
            return math.log(value / self.lower) / math.log(self.upper / self.lower)
        return (value - self.lower) / (self.upper - self.lower)


class Picture:
    """One plot as SVG, with a white ground for light and dark pages."""

    def __init__(self, title, description, x, y):
        self.x, self.y, self.legend = x, y, LEFT
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" font-family="sans-serif" font-size="15">',
            f"<title>{escape(title)}</title>", f"<desc>{escape(description)}</desc>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#ffffff"/>', self.text(LEFT, 22, title, INK, weight="bold")]
        for value in x.ticks:
            place = self.place(value, y.lower)[0]
            self.parts.append(self.text(place, HEIGHT - BOTTOM + 20, x.show(value), GREY, "middle"))
        for value in y.ticks:
            place = self.place(x.lower, value)[1]
            self.parts.append(f'<path d="M{LEFT} {place:.1f}H{WIDTH - RIGHT}" stroke="#e5e7eb"/>')
            self.parts.append(self.text(LEFT - 8, place + 4, y.show(value), GREY, "end"))
        self.parts.append(self.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, x.label, GREY, "middle"))
        middle = (TOP + HEIGHT - BOTTOM) / 2
        self.parts.append(f'<text transform="translate(16 {middle:.1f}) rotate(-90)" text-anchor="middle" fill="{GREY}">{escape(y.label)}</text>')

    @staticmethod
    def text(x, y, words, colour, anchor="start", weight="normal"):
        return (f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}" font-weight="{weight}">'
                f"{escape(words)}</text>")

    def place(self, x, y):
        return (LEFT + self.x.share(x) * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - self.y.share(y) * (HEIGHT - BOTTOM - TOP))

    def name(self, words, colour, dash=""):
        """A line of the legend, above the plot."""
        self.parts.append(f'<path d="M{self.legend} 43h16" stroke="{colour}" stroke-width="3"{dash}/>')
        self.parts.append(self.text(self.legend + 21, 48, words, INK))
        self.legend += 40 + round(7.6 * len(words))

    def line(self, words, colour, points, dashes=None, dots=True):
        places = [self.place(*point) for point in points]
        dash = "" if dashes is None else f' stroke-dasharray="{dashes}"'
        self.parts.append(f'<path d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in places)}" fill="none" stroke="{colour}" stroke-width="2.5"{dash}/>')
        if dots:
            self.parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in places]
        self.name(words, colour, dash)

    def bars(self, words, colour, columns, shift):
        """Bars of half a step; `columns` are (lower end, upper end, height)."""
        for lower, upper, height in columns:
            (start, top), (end, _) = self.place(lower, height), self.place(upper, height)
            wide = (end - start) * 0.42
            start += (end - start) * (0.06 + 0.46 * shift)
            self.parts.append(f'<rect x="{start:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{HEIGHT - BOTTOM - top:.1f}" fill="{colour}"/>')
        self.name(words, colour)

    def svg(self):
        return "\n".join(self.parts + ["</svg>", ""])


class Sotto:
    """The command, in a directory with examples/."""

    def __init__(self, command, directory):
        self.command, self.directory = os.path.abspath(command), directory
        os.symlink(os.path.join(ROOT, "examples"), os.path.join(directory, "examples"))

    def text(self, *words):
        done = subprocess.run([self.command, *map(str, words)], cwd=self.directory, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(f"sotto {' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr}")
        return done.stdout

    def json(self, *words):
        return json.loads(self.text(*words, "--json"))

    def write(self, name, text):
        with open(os.path.join(self.directory, name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(os.path.join(self.directory, name), encoding="utf-8") as file:
            return file.read()


CLINIC = ["--schema", "examples/clinic.schema.json"]


def choose_epsilon(sotto):
    """The attack that an epsilon leaves, and the accuracy that it allows."""
    plans = {epsilon: sotto.json("plan", *CLINIC, "--model", "logistic", "--epsilon", epsilon, "--delta", "1e-6", "--forecast", "--public",
                                 "examples/clinic.csv", "--repeats", 20, "--insecure-test-seed", 7) for epsilon in EPSILONS}
    x = Axis(EPSILONS, "epsilon (delta 1e-6)", log=True)
    attack = Picture("The best attack", "Largest true positive rate of an attack with one percent false positives, against epsilon", x,
                     Axis([0, 0.25, 0.5, 0.75, 1], "members found", show=PERCENT))
    found = [(epsilon, point["true_positive_rate"]) for epsilon, plan in plans.items() for point in plan["attack"]
             if point["false_positive_rate"] == 0.01]
    attack.line("at 1 % false positives", ORANGE, found)
    attack.line("guessing", GREY, [(0.1, 0.01), (8, 0.01)], dashes=DASHED, dots=False)
    yield "choose-epsilon-attack", attack

    forecasts = {epsilon: plan["forecast"] for epsilon, plan in plans.items()}
    accuracy = Picture("The accuracy of the model", "Mean accuracy of twenty trainings against epsilon, beside training without noise", x,
                       Axis([0.5, 0.6, 0.7, 0.8, 0.9], "accuracy", show=PERCENT))
    accuracy.line("private", TEAL, [(epsilon, forecast["accuracy_mean"]) for epsilon, forecast in forecasts.items()])
    for words, member, colour, dashes in (("without noise", "accuracy_without_noise", INK, DASHED),
                                          ("most common class", "accuracy_majority", GREY, DOTTED)):
        accuracy.line(words, colour, [(epsilon, forecasts[1][member]) for epsilon in (0.1, 8)], dashes, dots=False)
    yield "choose-epsilon-accuracy", accuracy


def many_rows(sotto):
    """The loss of a person with k rows under a guarantee for one row."""
    noise = sotto.json("account", "noise", "--epsilon", 1, "--delta", "1e-6")["noise_multiplier"]
    rows = [1, 2, 3, 4, 5, 6, 7, 8]
    points = [(count, sotto.json("account", "epsilon", "--noise-multiplier", noise / count, "--delta", "1e-6")["epsilon"]) for count in rows]
    x = Axis(rows, "rows of the person")
    picture = Picture("Epsilon of one person", "Epsilon of a person against the number of its rows, for a guarantee of one row and of a person",
                      x, Axis([0, 2, 4, 6, 8, 10, 12], "epsilon at delta 1e-6"))
    picture.line("guarantee for a row", ORANGE, points)
    picture.line("guarantee for a person", TEAL, [(count, 1) for count in rows])
    yield "many-rows", picture


def pate(sotto):
    """The price of labels, by the noise of the vote."""
    counts = [1, 3, 10, 30, 100, 300, 1000]
    picture = Picture("The price of labels, by the noise of the vote", "Epsilon against the number of labels, for noise of 10, 40 and 160 votes",
                      Axis(counts, "labels", log=True), Axis([0.01, 0.1, 1, 10, 100], "epsilon at delta 1e-5", log=True))
    for sigma, colour in ((10, ORANGE), (40, TEAL), (160, INK)):
        answers = [(count, sotto.json("account", "epsilon", "--noise-multiplier", sigma / math.sqrt(2), "--count", count, "--delta",
                                      "1e-5")["epsilon"]) for count in counts]
        picture.line(f"{sigma} votes", colour, answers)
    yield "pate", picture


def audit(sotto):
    """The scores of canaries, with and without the bug."""
    sotto.write("wide.json", '{"features": 400, "labels": [-1, 1], "row_norm": {"bound": 1.0, "rule": "scale"}}')
    sotto.text("audit", "canaries", "make", "--schema", "wide.json", "--count", 400, "--canaries", "canaries.svm", "--included",
               "included.svm", "--coins", "coins.txt", "--insecure-test-seed", 11)
    sotto.write("public.svm", sotto.text("schema", "sample", "wide.json", "--rows", 400, "--seed", 9))
    coins = sotto.read("coins.txt").split()
    labels = [line.split()[0] for line in sotto.read("canaries.svm").splitlines()]
    for name, rows, title in (("fixed", "public.svm", "Prior from public rows"), ("bug", "included.svm", "Prior from the private rows")):
        sotto.text("train", rows, "--schema", "wide.json", "--model", "logistic", "--method", "none", "--data-is-public", "-o",
                   f"{name}-prior.json")
        sotto.text("train", "included.svm", "--schema", "wide.json", "--model", "logistic", "--prior", f"{name}-prior.json", "--lambda", 50,
                   "--epsilon", 1, "--delta", "1e-5", "--insecure-test-seed", 3, "-o", f"{name}.json")
        predicted = [float(line.split()[-1]) for line in sotto.text("predict", f"{name}.json", "canaries.svm", "--probabilities").splitlines()]
        scores = [value if label == "1" else 1 - value for value, label in zip(predicted, labels, strict=True)]
        picture = Picture(title, "Number of canaries against the probability that the model gives to their true label", Axis(
            [0, 0.2, 0.4, 0.6, 0.8, 1], "probability of the canary's own label"), Axis([0, 20, 40, 60, 80, 100], "canaries"))
        for coin, words, colour in (("1", "in the training", ORANGE), ("0", "left out", TEAL)):
            mine = [score for score, toss in zip(scores, coins, strict=True) if toss == coin]
            columns = [(i / 10, (i + 1) / 10, sum(i <= 10 * score < i + 1 for score in mine)) for i in range(10)]
            picture.bars(words, colour, columns, 0 if coin == "1" else 1)
        yield f"audit-{name}", picture


NUMBER = re.compile(r"-?\d+\.\d")


def same(left, right):
    """Equal, but for places that differ by a fraction of a pixel."""
    return NUMBER.sub("#", left) == NUMBER.sub("#", right) and all(
        abs(float(a) - float(b)) < 0.25 for a, b in zip(NUMBER.findall(left), NUMBER.findall(right), strict=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sotto", required=True, help="the built command")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    count = differing = 0
    for story in (choose_epsilon, many_rows, pate, audit):
        with tempfile.TemporaryDirectory() as directory:
            for name, picture in story(Sotto(arguments.sotto, directory)):
                path = os.path.join(GALLERY, name + ".svg")
                count += 1
                if arguments.check:
                    with open(path, encoding="utf-8") as file:
                        if not same(file.read(), picture.svg()):
                            differing += 1
                            print(f"docs/gallery/{name}.svg differs from what sotto gives now; draw it again and read its story")
                else:
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(picture.svg())
    print(f"pictures of the gallery: {count - differing} of {count} as sotto gives them")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
