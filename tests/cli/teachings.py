#!/usr/bin/env python3
"""Several teachings into one directory at once, and teachings killed at any time.

    teachings.py --sotto build/dev/sotto --examples examples [--kills 45]

Held: while one `sotto pate teach` is stopped in mid-work, others are refused. At once: of four that start together
each teaches, is refused or finds the work done, and the teachers are those that one teaching with the same key gives. Killed: SIGKILL at random times, then the same command again: all teachers are
there, no hidden file stays, `sotto pate label` works.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TEACHERS = 24
TOGETHER = 4
DOCUMENTED = {"SECRET.txt", "teachers.json", "rows.digest"} | {
    f"teacher-{i:05d}.json" for i in range(1, TEACHERS + 1)}

problems = []


def expect(what, holds, detail=""):
    if not holds:
        problems.append(f"{what}: {detail}")


class Clinic:
    def __init__(self, arguments, place):
        self.sotto = os.path.abspath(arguments.sotto)
        self.data = os.path.abspath(os.path.join(arguments.examples, "clinic.csv"))
        self.schema = os.path.abspath(os.path.join(arguments.examples, "clinic.schema.json"))
        self.place = place

    def words(self, directory):
        return [self.sotto, "pate", "teach", self.data, "--schema", self.schema, "--teachers", str(TEACHERS),
                "--model", "logistic", "--threads", "1", "-o", directory]

    def start(self, directory):
        return subprocess.Popen(self.words(directory), cwd=self.place, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)

    def label(self, directory):
        return subprocess.run([self.sotto, "pate", "label", directory, self.data, "--aggregator", "gnmax",
                               "--sigma2", "8", "--ask", "10", "--answers", "10", "--delta", "1e-3", "-o",
                               "labels.json"], cwd=self.place, capture_output=True, text=True, check=False)


def files(directory):
    """Name: content."""
    found = {}
    for name in os.listdir(directory):
        with open(os.path.join(directory, name), encoding="utf-8") as file:
            found[name] = file.read()
    return found


def learned_again(clinic, directory, again):
    """The teachers that one teaching with the key of `directory` gives."""
    os.mkdir(again, 0o700)
    for name in ("teachers.json", "SECRET.txt"):
        shutil.copy(os.path.join(directory, name), again)
    process = clinic.start(again)
    _, words = process.communicate()
    expect("teaching again", process.returncode == 0, words)
    return files(again)


def refused(words, code):
    return code == 2 and "in use by another" in words


def stopped_in_mid_work(clinic):
    """A teaching that is stopped while it holds its directory: some of its teachers are there, not all."""
    for attempt in range(50):
        directory = os.path.join(clinic.place, f"held-{attempt}")
        process = clinic.start(directory)
        while process.poll() is None:
            if os.path.isdir(directory) and any(name.startswith("teacher-") for name in os.listdir(directory)):
                process.send_signal(signal.SIGSTOP)
                break
        if process.poll() is None and DOCUMENTED - set(os.listdir(directory)):
            return process, directory
        process.send_signal(signal.SIGCONT)
        process.communicate()
    raise SystemExit("no teaching could be stopped in mid-work")


def check_teachers(clinic, directory):
    kept = files(directory)
    expect("documented files only", set(kept) == DOCUMENTED, sorted(set(kept) ^ DOCUMENTED))
    expect("each record is in one teacher", kept == learned_again(clinic, directory, directory + "-again"))


def held(clinic):
    process, directory = stopped_in_mid_work(clinic)
    for _ in range(TOGETHER - 1):
        other = clinic.start(directory)
        _, words = other.communicate()
        expect("a held directory refuses others", refused(words, other.returncode), (words, other.returncode))
    process.send_signal(signal.SIGCONT)
    _, words = process.communicate()
    expect("the teaching that holds the directory ends", process.returncode == 0, words)
    check_teachers(clinic, directory)


def at_once(clinic):
    directory = os.path.join(clinic.place, "together")
    running = [clinic.start(directory) for _ in range(TOGETHER)]
    ends = [(process.communicate()[1], process.returncode) for process in running]
    expect("one teaching wins", any(code == 0 for _, code in ends), ends)
    for words, code in ends: # a late one may find the work done, which ends with 0 as well
        expect("the others are refused", code == 0 or refused(words, code), words)
    check_teachers(clinic, directory)


def killed(clinic, kills):
    directory = os.path.join(clinic.place, "killed")
    began = time.monotonic()
    process = clinic.start(os.path.join(clinic.place, "timed"))
    process.communicate()
    whole = time.monotonic() - began
    hidden = 0
    for _ in range(kills):
        shutil.rmtree(directory, ignore_errors=True)
        process = clinic.start(directory)
        time.sleep(random.uniform(0.0, whole))
        process.kill()
        process.communicate()
        if os.path.isdir(directory):
            hidden += any(name.startswith(".") for name in os.listdir(directory))
        process = clinic.start(directory)
        _, words = process.communicate()
        expect("the same command resumes", process.returncode == 0, words)
        kept = set(os.listdir(directory))
        expect("documented files only", kept == DOCUMENTED, sorted(kept ^ DOCUMENTED))
    done = clinic.label(directory)
    expect("labels", done.returncode == 0, done.stderr)
    return hidden


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sotto", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--kills", type=int, default=45)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        clinic = Clinic(arguments, place)
        held(clinic)
        at_once(clinic)
        hidden = killed(clinic, arguments.kills)
    for problem in problems[:10]:
        print(problem, file=sys.stderr)
    print(f"{TOGETHER} teachings at once, {arguments.kills} killed ({hidden} left a partial file until the next run): "
          f"{len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
