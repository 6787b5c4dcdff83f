#!/usr/bin/env python3
"""Kills commands that share ledgers at random moments, runs them again, and looks at what is left.

    kills.py --sotto build/dev/sotto                     60 kills
    kills.py --sotto build/dev/sotto --kills 2000        over six commands in parallel

Six workers, one a command, charge two ledgers in one directory. A worker starts its command with a fresh output, kills it
(SIGKILL) after a random time, and runs it again, with more kills, until it ends. At the end every charge has its result,
every result verifies against its ledger, no output was charged twice, and no other file is left.
"""

import argparse
import collections
import os
import random
import signal
import subprocess
import sys
import threading
import time

from scene import COMMANDS, ENVIRONMENT, LEDGER, Scene, count, ledger_rows, work_directory

NAMES = ("train-objective", "train-gd", "release-count", "evaluate", "tune", "pate-label")
SECOND = "second.ledger"
RUNS_MAX = 50  # of one output, all killed but the last: a command that never ends is a finding


class Worker(threading.Thread):
    """Repeats one command, each time into an output of its own, until its share of kills is done."""

    signals = (signal.SIGKILL,)
    ended = (-signal.SIGKILL,)  # exit codes of a command that a signal ended

    def __init__(self, scene, place, command, ledger, kills, seed):
        super().__init__()
        self.scene, self.place, self.command, self.ledger, self.kills = scene, place, command, ledger, kills
        self.random = random.Random(seed)
        self.outputs, self.findings, self.killed = [], [], 0
        self.seconds = 0.0  # that the command took the last time it ended

    def words(self, output):
        swaps = {"o.json": output, LEDGER: self.ledger}
        return [self.scene.sotto] + [swaps.get(word, word) for word in self.command.words]

    def start_command(self, output):
        return subprocess.Popen(self.words(output), cwd=self.place, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)

    def finish(self, output):
        """The command to its end; returns whether it ended well."""
        began = time.monotonic()
        process = self.start_command(output)
        message = process.communicate(timeout=300)[1]
        self.seconds = time.monotonic() - began
        if process.returncode != 0:
            self.findings.append(f"{self.command.name}: exit code {process.returncode}: {message.strip()[-120:]}")
        return process.returncode == 0

    def run_once(self, output):
        for _ in range(RUNS_MAX):
            if self.killed == self.kills or self.random.random() < 0.2:
                break
            process = self.start_command(output)
            time.sleep(self.random.uniform(0, 1.1 * self.seconds))
            process.send_signal(self.random.choice(self.signals))
            process.communicate()
            self.killed += process.returncode in self.ended
        self.finish(output)

    def run(self):
        self.outputs.append(f"{self.command.name}-0.json")
        self.finish(self.outputs[0])
        while self.killed < self.kills:
            self.outputs.append(f"{self.command.name}-{len(self.outputs)}.json")
            self.run_once(self.outputs[-1])


def check_ledger(scene, place, ledger, workers):
    """Every charge of the ledger has its result: as many charges and commits as outputs, and each output verifies."""
    findings = []
    rows = ledger_rows(place, ledger)
    outputs = [output for worker in workers if worker.ledger == ledger for output in worker.outputs]
    for kind in ("reserve", "commit"):
        if count(rows, kind) != len(outputs):
            findings.append(f"{ledger}: {count(rows, kind)} rows of kind {kind} for {len(outputs)} outputs")
    done = scene.run(place, ("ledger", "check", ledger))
    if done.returncode != 0:
        findings.append(f"ledger check {ledger}: {done.stderr.strip()}")
    for output in outputs:
        done = scene.run(place, ("verify", output, "--ledger", ledger))
        if done.returncode != 0:
            findings.append(f"verify {output}: {done.stderr.strip()[-120:]}")
    return findings


def check(scene, place, before, workers):
    findings = [finding for worker in workers for finding in worker.findings]
    for ledger in (LEDGER, SECOND):
        findings += check_ledger(scene, place, ledger, workers)
    outputs = {output for worker in workers for output in worker.outputs}
    litter = {name for name in set(os.listdir(place)) - before - outputs}
    if litter:
        kinds = collections.Counter(name[name.index("."):].rsplit("-", 2)[0] for name in litter)
        findings.append(f"{len(litter)} files left behind: {dict(kinds)}")
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sotto", required=True, help="the command under test")
    parser.add_argument("--kills", type=int, default=60, help="in all (default 60)")
    parser.add_argument("--seed", type=int, default=20260101, help="of the moments (default 20260101)")
    arguments = parser.parse_args()
    began = time.monotonic()
    with work_directory() as base:
        scene = Scene(arguments.sotto, base)
        with scene.copy() as place:
            scene.run(place, ("ledger", "init", SECOND, "--dataset", "clinic-2026", "--epsilon", "400", "--delta", "1e-3"))
            before = set(os.listdir(place))
            commands = [command for command in COMMANDS if command.name in NAMES]
            shares = [arguments.kills // len(NAMES) + (i < arguments.kills % len(NAMES)) for i in range(len(NAMES))]
            workers = [Worker(scene, place, command, (LEDGER, SECOND)[i % 2], shares[i], arguments.seed + i)
                       for i, command in enumerate(commands)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            findings = check(scene, place, before, workers)
    outputs = sum(len(worker.outputs) for worker in workers)
    kinds = collections.Counter(findings)
    for finding, times in kinds.most_common(20):
        print(f"{times:4} x {finding}")
    print(f"kills: {sum(worker.killed for worker in workers)} over {len(workers)} commands, {outputs} outputs, {len(findings)} findings "
          f"({time.monotonic() - began:.0f} s)")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
