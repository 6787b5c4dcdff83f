#!/usr/bin/env python3
"""Every run that a ledger states as "you may still run one of" is admitted as it is stated.

    statements.py --sotto build/dev/sotto --examples examples [--histories 40] [--first-seed 1]

Makes ledgers with random budgets and random histories, reads the statement of `sotto ledger show`, and tries each run in a
copy of the ledger: with the digits of the text, and with those of --json. The random numbers of a history follow
from its seed, and whether a run is admitted depends on amounts only, so that a failure is repeated by its seed.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

BUDGET_EXCEEDED = 3
NUMBER = r"([0-9.]+(?:e-?[0-9]+)?)"
STATEMENTS = {
    "pure": re.compile(rf"a pure release of epsilon {NUMBER}"),
    "noise": re.compile(rf"a Gaussian one of noise multiplier {NUMBER}"),
    "gaussian": re.compile(rf"\(epsilon {NUMBER} at delta {NUMBER}\)"),
    "certified": re.compile(rf"any run certified at epsilon {NUMBER}, delta {NUMBER}"),
}


class Ledger:
    def __init__(self, sotto, examples, folder):
        self.sotto, self.folder = sotto, folder
        self.data = os.path.join(examples, "survey.csv")
        self.schema = os.path.join(examples, "smokers.schema.json")
        self.path = os.path.join(folder, "budget.ledger")

    def run(self, *words):
        return subprocess.run([self.sotto, *words], cwd=self.folder, capture_output=True, text=True, check=False)

    def must(self, *words):
        done = self.run(*words)
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}: {done.stderr}")
        return done.stdout

    def release(self, ledger, statistic, *options):
        return self.run("release", *statistic, "--schema", self.schema, "--ledger", ledger, *options)

    def train(self, ledger, method, epsilon, delta):
        return self.run("train", self.data, "--schema", self.schema, "--ledger", ledger, "--model", "logistic",
                        "--method", method, "--epsilon", epsilon, "--delta", delta, "--expected-rows", "400",
                        "-o", "model.json", "--overwrite")

    def plan(self, ledger, event, delta):
        """The exit code of a release of this event: `sotto plan` says what the ledger would do."""
        with open(os.path.join(self.folder, "plan.json"), "w", encoding="utf-8") as file:
            json.dump({"events": [event]}, file)
        done = self.run("plan", "plan.json", "--delta", delta, "--ledger", ledger)
        if "refused" in done.stdout:
            done.returncode = BUDGET_EXCEEDED
        return done


def draw(source, low, high):
    """Log-uniform, often with few digits, as people type."""
    value = low * (high / low) ** source.random()
    return f"{value:.{source.choice((0, 1, 2, 5))}e}"


def init(ledger, source):
    budget = source.choice((
        ["--epsilon", draw(source, 0.3, 20), "--delta", draw(source, 1e-9, 1e-4)],
        ["--epsilon", draw(source, 0.3, 20), "--delta", draw(source, 1e-9, 1e-4), "--filter", "gaussian"],
        ["--epsilon", draw(source, 0.3, 20)],
        ["--rho", draw(source, 0.01, 2)],
    ))
    ledger.must("ledger", "init", ledger.path, "--dataset", "survey-2026", *budget)
    return budget


def spend(ledger, source):
    """A few runs; one that is refused is in no history."""
    count, total = ["count", ledger.data], ["sum", ledger.data, "age"]
    for _ in range(source.randrange(5)):
        epsilon, delta = draw(source, 0.01, 2), draw(source, 1e-11, 1e-6)
        kind = source.randrange(4)
        if kind < 2:
            ledger.release(ledger.path, count, "--epsilon", epsilon)
        elif kind == 2:
            ledger.release(ledger.path, total, "--epsilon", epsilon, "--delta", delta)
        else:
            ledger.train(ledger.path, "objective", epsilon, delta)


def statements(ledger):
    """(name, numbers as texts), with the digits of the text and with those of --json."""
    text = ledger.must("ledger", "show", ledger.path)
    for name, pattern in STATEMENTS.items():
        found = pattern.search(text)
        if found:
            yield name, found.groups()
    room = json.loads(ledger.must("ledger", "show", ledger.path, "--json"))["may_still_run_one_of"]
    members = {"pure": ["pure_epsilon"], "noise": ["gaussian_noise_multiplier"],
               "gaussian": ["gaussian_epsilon", "gaussian_delta"],
               "certified": ["certified_epsilon", "certified_delta"]}
    for name, keys in members.items():
        values = [room.get(key) for key in keys]
        if all(value is not None and value > 0.0 for value in values):
            yield name, tuple(repr(value) for value in values)


def attempts(ledger, name, numbers):
    """Functions that run what the statement promises, each in the ledger that it is given."""
    count, total = ["count", ledger.data], ["sum", ledger.data, "age"]
    if name == "pure":
        yield "count", lambda at: ledger.release(at, count, "--epsilon", *numbers)
        yield "sum", lambda at: ledger.release(at, total, "--mechanism", "laplace", "--epsilon", *numbers)
        yield "plan", lambda at: ledger.plan(at, {"mechanism": "pure", "epsilon": float(numbers[0])}, "0")
    elif name == "noise":
        yield "plan", lambda at: ledger.plan(at, {"noise_multiplier": float(numbers[0])}, "1e-6")
    elif name == "gaussian":
        yield "gd", lambda at: ledger.train(at, "gd", *numbers)
    if name in ("gaussian", "certified"):
        epsilon, delta = numbers
        yield "count", lambda at: ledger.release(at, count, "--mechanism", "gaussian", "--epsilon", epsilon, "--delta", delta)
        yield "sum", lambda at: ledger.release(at, total, "--mechanism", "gaussian", "--epsilon", epsilon, "--delta", delta)
    if name == "certified":
        yield "plan", lambda at: ledger.plan(
            at, {"mechanism": "approximate", "epsilon": float(epsilon), "delta": float(delta)}, delta)
        yield "objective", lambda at: ledger.train(at, "objective", epsilon, delta)
        yield "sgd", lambda at: ledger.train(at, "sgd", epsilon, delta)


def try_history(ledger, seed):
    source = random.Random(seed)
    budget = init(ledger, source)
    spend(ledger, source)
    tried, refused = 0, []
    for name, numbers in statements(ledger):
        for way, attempt in attempts(ledger, name, numbers):
            copy = os.path.join(ledger.folder, "copy.ledger")
            shutil.copy(ledger.path, copy)
            done = attempt(copy)
            tried += 1
            if done.returncode != 0:
                refused.append(f"seed {seed}, budget {' '.join(budget)}: {name} {' '.join(numbers)} by {way}: exit "
                               f"{done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
    return tried, refused


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sotto", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--histories", type=int, default=40)
    parser.add_argument("--first-seed", type=int, default=1)
    given = parser.parse_args()
    tried, refused = 0, []
    for seed in range(given.first_seed, given.first_seed + given.histories):
        with tempfile.TemporaryDirectory() as folder:
            ledger = Ledger(os.path.abspath(given.sotto), os.path.abspath(given.examples), folder)
            more, wrong = try_history(ledger, seed)
            tried += more
            refused += wrong
    print(*(f"{line}: FAILED" for line in refused), f"{given.histories} histories, {tried} stated runs tried, {len(refused)} refused", sep="\n")
    sys.exit(1 if refused or tried < 8 * given.histories else 0)


if __name__ == "__main__":
    main()
