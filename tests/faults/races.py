#!/usr/bin/env python3
"""Several processes at once: on one ledger, on one checkpoint, on one output, in one directory of teachers.

    races.py --sotto build/dev/sotto --preload FAULTS.so [--writers 50]

One line a race. A race is lost by a charge without its result, a second charge, a writer that fails, or a mixture.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time

from scene import COMMANDS, ENVIRONMENT, LEDGER, PRIVATE, Scene, count, files_of, ledger_rows, work_directory

COUNT = ("release", "count") + PRIVATE + ("--epsilon", "0.1")
# Long enough that a second process meets it: a second.
LONG = ("train",) + PRIVATE + ("--model", "logistic", "--method", "gd", "--steps", "50000", "--expected-rows", "40", "--epsilon", "1",
                               "--delta", "1e-6", "-o", "long.json")
PIPE_BYTES = 1 << 16  # what Linux keeps of a pipe that nobody reads
SECONDS = 120


PAUSE_SECONDS = 0.15  # for a second process, which ends in a tenth of it unless it waits for the first


def command_of(name):
    return next(command for command in COMMANDS if command.name == name)


def wait_for_stop(process):
    """Whether the process was stopped by a signal; False: it ended."""
    return os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT).si_code == os.CLD_STOPPED


class Race:
    """A copy of the scene, processes in it, and what was wrong with them."""

    def __init__(self, scene, place, writers):
        self.scene, self.place, self.writers, self.findings = scene, place, writers, []

    def expect(self, holds, finding):
        if not holds:
            self.findings.append(finding)

    def start(self, words, place=None, fault=None):
        environment = ENVIRONMENT
        if fault is not None:
            environment = dict(ENVIRONMENT, LD_PRELOAD=os.path.abspath(self.scene.preload), SOTTO_FAULT=fault)
        return subprocess.Popen([self.scene.sotto, *words], cwd=place or self.place, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self, process):
        """Exit code and message of a process."""
        message = process.communicate(timeout=SECONDS)[1]
        return process.returncode, message.strip()

    def interleavings(self, command):
        """Stops a process before its N-th writing call, runs a second one beside it, and yields their place; for each N."""
        for number in range(1, sys.maxsize):
            with self.scene.copy(command) as place:
                first = self.start(command.words, place, f"kill:{number}:{signal.SIGSTOP.value}")
                if not wait_for_stop(first):
                    self.expect(self.end(first)[0] == 0, f"{command.name} fails alone")
                    return
                second = self.start(command.words, place)
                try:
                    second.wait(PAUSE_SECONDS)
                except subprocess.TimeoutExpired:
                    pass  # it waits for a lock of the first
                first.send_signal(signal.SIGCONT)
                results = [self.end(process) for process in (first, second)]
                self.expect(0 in [code for code, _ in results], f"{command.name}, stopped at {number}: none ended well: {results}")
                for code, message in results:
                    self.expect(code == 0 or "in use" in message, f"{command.name}: exit code {code}: {message[-150:]}")
                yield place

    def charges(self):
        return count(ledger_rows(self.place), "reserve")

    def succeeds(self, *words, place=None):
        done = self.scene.run(place or self.place, words)
        self.expect(done.returncode == 0, f"sotto {' '.join(words[:2])}: exit code {done.returncode}: {done.stderr.strip()[-150:]}")
        return done

    def wait_for(self, condition, what):
        for _ in range(SECONDS * 100):
            if condition():
                return
            time.sleep(0.01)
        self.expect(False, f"waited in vain for {what}")


def many_writers(race):
    """Writers on one ledger: none fails, the sums are exact, every charge has its result."""
    outputs = [f"w{i}.json" for i in range(race.writers)]
    processes = [race.start(COUNT + ("-o", output)) for output in outputs]
    for process in processes:
        code, message = race.end(process)
        race.expect(code == 0, f"a writer has exit code {code}: {message[-150:]}")
    rows = ledger_rows(race.place)
    race.expect(count(rows, "reserve") == race.writers, f"{count(rows, 'reserve')} charges of {race.writers} writers")
    race.expect(count(rows, "commit") == race.writers, f"{count(rows, 'commit')} commits of {race.writers} writers")
    race.succeeds("ledger", "check", LEDGER)
    for output in outputs:
        race.succeeds("verify", output, "--ledger", LEDGER)


def stalled_reader(race):
    """A reader of `ledger export` that stops reading holds up no writer, and gets the whole export in the end."""
    size = 0
    while size <= 2 * PIPE_BYTES:
        for i in range(16):
            race.succeeds("release", "count", *PRIVATE, "--epsilon", "0.001", "-o", f"r{size}-{i}.json")
        size = len(race.succeeds("ledger", "export", LEDGER).stdout)
    reader = race.start(("ledger", "export", LEDGER))
    race.wait_for(lambda: is_blocked(reader.pid), "a reader that is held up by its pipe")
    began = time.monotonic()
    code, message = race.end(race.start(COUNT + ("-o", "late.json")))
    seconds = time.monotonic() - began
    race.expect(code == 0, f"the writer beside a stalled reader has exit code {code} after {seconds:.0f} s: {message[-150:]}")
    race.expect(seconds < 10, f"the writer waited {seconds:.0f} s for a stalled reader")
    text, message = reader.communicate(timeout=SECONDS)
    race.expect(reader.returncode == 0 and len(text) >= size, f"the reader has exit code {reader.returncode}: {message}")


def is_blocked(process):
    """Whether the process sleeps in a write to a pipe."""
    with open(f"/proc/{process}/wchan", encoding="ascii") as file:
        return re.search("pipe", file.read()) is not None


def two_resumes(race):
    """Two processes resume one checkpoint: one goes on, the other is refused, and nothing is charged again."""
    first = race.start(LONG)
    race.wait_for(lambda: race.charges() == 1 and os.path.exists(os.path.join(race.place, "long.json.checkpoint")), "a checkpoint")
    first.send_signal(signal.SIGKILL)
    first.communicate()
    results = sorted(race.end(process) for process in [race.start(LONG), race.start(LONG)])
    race.expect([code for code, _ in results] == [0, 1], f"exit codes {[code for code, _ in results]}")
    race.expect("in use" in results[1][1], f"the second process says: {results[1][1][-150:]}")
    race.expect(race.charges() == 1, f"{race.charges()} charges")
    race.succeeds("verify", "long.json", "--ledger", LEDGER)


def one_output(race):
    """The same command at once from two processes: one charge, one result; the second is refused, or told that it is there.

    The first process is stopped before its N-th writing call, for each N, while the second runs."""
    for name in ("release-count", "train-gd"):
        for place in race.interleavings(command_of(name)):
            rows = ledger_rows(place)
            race.expect(count(rows, "reserve") == 1 and count(rows, "commit") == 1,
                        f"{name}: {count(rows, 'reserve')} charges, {count(rows, 'commit')} commits")
            race.succeeds("verify", "o.json", "--ledger", LEDGER, place=place)


def finished_twice(race):
    """A finished command twice at once: both end well, nothing is charged, the output stays."""
    race.succeeds(*COUNT, "-o", "o.json")
    before = files_of(race.place)
    for process in [race.start(COUNT + ("-o", "o.json")), race.start(COUNT + ("-o", "o.json"))]:
        code, message = race.end(process)
        race.expect(code == 0, f"exit code {code}: {message[-150:]}")
    race.expect(race.charges() == 1, f"{race.charges()} charges")
    race.expect(files_of(race.place) == before, "files changed")


def two_teachings(race):
    """Two processes teach into one directory: its teachers all follow from the one key that is in it."""
    command = command_of("pate-teach")
    for place in race.interleavings(command):
        race.succeeds(*command.words, place=place)
        taught = os.path.join(place, "taught")
        raced = files_of(taught)
        for name in raced:
            if name.startswith("teacher-"):
                os.unlink(os.path.join(taught, name))
        race.succeeds(*command.words, place=place)  # learns them again, from the key: there is no noise
        race.expect(files_of(taught) == raced, "teachers of different keys in one directory, or other files")


RACES = (many_writers, stalled_reader, two_resumes, one_output, finished_twice, two_teachings)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sotto", required=True, help="the command under test")
    parser.add_argument("--preload", required=True, help="the library of tests/faults/faults.c")
    parser.add_argument("--writers", type=int, default=50, help="on one ledger (default 50)")
    parser.add_argument("--only", action="append", choices=[race.__name__ for race in RACES], help="these races")
    arguments = parser.parse_args()
    lost = 0
    with work_directory() as base:
        scene = Scene(arguments.sotto, base, arguments.preload)
        for run in RACES:
            if arguments.only and run.__name__ not in arguments.only:
                continue
            began = time.monotonic()
            with scene.copy() as place:
                race = Race(scene, place, arguments.writers)
                run(race)
            print(f"{run.__name__:15} {len(race.findings):3} findings ({time.monotonic() - began:.1f} s)", flush=True)
            for finding in sorted(set(race.findings))[:8]:
                print(f"    {race.findings.count(finding):3} x {finding}")
            lost += len(race.findings)
    print(f"races: {lost} findings")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
