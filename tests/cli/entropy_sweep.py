#!/usr/bin/env python3
"""The system's random source fails at the first, second, ... call of every command that draws from it.

    entropy_sweep.py --sotto build/dev/sotto --no-entropy libno_entropy.so --examples examples

Each time the command must end with exit code 1 and a message about the random source, never by a signal, and leave
no output. If the ledger was charged by then, the message must say that the charge stands. With the source back, the same
command must succeed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

CALLS_MAX = 40
TRAIN = ["train", "{data}", "--schema", "{schema}", "--model", "logistic", "--epsilon", "1", "--delta", "1e-5",
         "--ledger", "budget.ledger", "-o", "out.json"]
COMMANDS = {
    "ledger init": ["ledger", "init", "out.json", "--dataset", "x", "--epsilon", "1"],
    "key new": ["key", "new", "out.json"],
    "release": ["release", "count", "{data}", "--schema", "{schema}", "--epsilon", "1", "--ledger", "budget.ledger",
                "-o", "out.json"],
    "train objective": TRAIN,
    "train sgd": [*TRAIN, "--method", "sgd", "--steps", "20", "--expected-rows", "1500"],
    "tune": ["tune", *TRAIN[1:], "--grid", "lambda=30,60", "--runs-mean", "5", "--score-epsilon", "0.1"],
    "pate teach": ["pate", "teach", "{data}", "--schema", "{schema}", "--teachers", "5", "--model", "logistic", "-o",
                   "out"],
    "pate label": ["pate", "label", "teachers", "{data}", "--aggregator", "gnmax", "--sigma2", "20", "--ask", "5",
                   "--answers", "5", "--delta", "1e-4", "--ledger", "budget.ledger", "-o", "out.json"],
}

problems = []


class Machine:
    def __init__(self, arguments, place):
        self.sotto = os.path.abspath(arguments.sotto)
        self.preload = os.path.abspath(arguments.no_entropy)
        self.names = {"data": os.path.abspath(os.path.join(arguments.examples, "clinic.csv")),
                      "schema": os.path.abspath(os.path.join(arguments.examples, "clinic.schema.json"))}
        self.place = place

    def run(self, words, failing_call=None):
        environment = dict(os.environ, LC_ALL="C")
        if failing_call is not None:
            environment.update(LD_PRELOAD=self.preload, NO_ENTROPY_MODE=str(failing_call))
        return subprocess.run([self.sotto, *(word.format(**self.names) for word in words)], cwd=self.place,
                              env=environment, capture_output=True, text=True, check=False)

    def must(self, words):
        done = self.run(words)
        if done.returncode != 0:
            problems.append(f"{' '.join(words[:2])}: {done.stderr}")
        return done.stdout

    def clear(self):
        """An empty directory, but for a ledger and teachers."""
        for name in os.listdir(self.place):
            path = os.path.join(self.place, name)
            if name == "teachers":
                continue
            (shutil.rmtree if os.path.isdir(path) else os.unlink)(path)
        self.must(["ledger", "init", "budget.ledger", "--dataset", "clinic-2026", "--epsilon", "20", "--delta",
                   "1e-3"])

    def spent(self):
        return json.loads(self.must(["ledger", "show", "budget.ledger", "--json"]))["spent"]


def sweep(machine, name, words):
    """How many calls of the random source the command makes; the number of them after a charge."""
    charged = 0
    for call in range(1, CALLS_MAX + 1):
        machine.clear()
        done = machine.run(words, call)
        if done.returncode == 0:
            return call - 1, charged
        where = f"{name}, call {call}: exit code {done.returncode}, {done.stderr.strip()}"
        if done.returncode != 1 or "random source" not in done.stderr:
            problems.append(where)
        if os.path.exists(os.path.join(machine.place, "out.json")):
            problems.append(f"{where}: an output is left")
        if machine.spent() > 0:
            charged += 1
            if "the charge stands" not in done.stderr:
                problems.append(f"{where}: the charge is not mentioned")
        machine.must(words)
    problems.append(f"{name}: fails at call {CALLS_MAX} too")
    return CALLS_MAX, charged


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sotto", required=True)
    parser.add_argument("--no-entropy", required=True)
    parser.add_argument("--examples", required=True)
    arguments = parser.parse_args()
    counts = {}
    with tempfile.TemporaryDirectory() as place:
        machine = Machine(arguments, place)
        teach = COMMANDS["pate teach"]
        machine.must([*teach[:-1], "teachers"])
        for name, words in COMMANDS.items():
            counts[name] = sweep(machine, name, words)
    for name, (calls, charged) in counts.items():
        print(f"{name}: {calls} calls, {charged} of them after the charge")
        if calls == 0:
            problems.append(f"{name}: draws nothing, so the sweep shows nothing")
    for problem in problems[:20]:
        print(problem, file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
