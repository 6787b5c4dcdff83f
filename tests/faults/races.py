#!/usr/bin/env python3
"""Several processes at once: on one ledger, on one checkpoint, on one output, in one directory of teachers.

    races.py --sotto build/dev/sotto --preload FAULTS.so [--writers 50]

One line a race. A race is lost by a charge without its result, a second charge, a writer that fails, or a mixture. No
verdict depends on time: a process is stopped at a known call, and on a slow machine a race is only less narrow.
"""

import argparse
import fcntl
import os
import shutil
import signal
import subprocess
import struct
import sys
import termios
import time

from scene import COMMANDS, ENVIRONMENT, LEDGER, PRIVATE, Scene, count, files_of, ledger_rows, work_directory

COUNT = ("release", "count") + PRIVATE + ("--epsilon", "0.1")
PIPE_BYTES = 4096  # of a pipe that nobody reads: the least that Linux has
SECONDS = 300
PAUSE_SECONDS = 0.15  # for a second process beside one that is stopped; the race goes on then, wherever the second is


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

    def start(self, words, place=None, fault=None, stdout=subprocess.PIPE):
        environment = ENVIRONMENT
        if fault is not None:
            environment = dict(ENVIRONMENT, LD_PRELOAD=os.path.abspath(self.scene.preload), SOTTO_FAULT=fault)
        return subprocess.Popen([self.scene.sotto, *words], cwd=place or self.place, env=environment, stdin=subprocess.DEVNULL,
                                stdout=stdout, stderr=subprocess.PIPE, text=True)

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


def bytes_in(pipe):
    """How many bytes wait in a pipe."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]


def stalled_reader(race):
    """A reader of `ledger export` that stops reading holds up no writer, and gets the whole export in the end."""
    expected = ""
    while len(expected) <= 4 * PIPE_BYTES:
        race.succeeds("release", "count", *PRIVATE, "--epsilon", "0.001", "-o", f"r{len(expected)}.json")
        expected = race.succeeds("ledger", "export", LEDGER).stdout
    ours, its = os.pipe()
    size = fcntl.fcntl(its, fcntl.F_SETPIPE_SZ if hasattr(fcntl, "F_SETPIPE_SZ") else 1031, PIPE_BYTES)
    reader = race.start(("ledger", "export", LEDGER), stdout=its)
    os.close(its)
    race.wait_for(lambda: bytes_in(ours) == size, "a reader that is held up by its pipe")
    code, message = race.end(race.start(COUNT + ("-o", "late.json")))
    race.expect(code == 0, f"the writer beside a stalled reader has exit code {code}: {message[-150:]}")
    with os.fdopen(ours, encoding="utf-8") as pipe:
        text = pipe.read()
    message = reader.communicate(timeout=SECONDS)[1]
    race.expect(reader.returncode == 0 and text == expected, f"the reader has exit code {reader.returncode}, {len(text)} bytes: {message}")


def charged_and_killed(race, command):
    """A copy of the scene in which the command was killed after its charge and before its commit."""
    for number in range(1, sys.maxsize):
        with race.scene.copy(command) as place:
            code = race.end(race.start(command.words, place, f"kill:{number}:{signal.SIGKILL.value}"))[0]
            rows = ledger_rows(place)
            if count(rows, "reserve") == 1 and count(rows, "commit") == 0 and os.path.exists(os.path.join(place, "o.json.checkpoint")):
                yield place
                return
            if code == 0:
                race.expect(False, f"{command.name} was never charged and killed")
                return


def two_resumes(race):
    """Two processes resume one checkpoint: one resumes it, the other is refused or told that the run is finished; one charge."""
    refused = 0
    command = command_of("train-gd")
    for place in charged_and_killed(race, command):  # the path is part of what was asked, so the files are put back there
        shutil.copytree(place, os.path.join(race.place, "killed"))
        for number in range(1, 9):
            shutil.rmtree(place)
            shutil.copytree(os.path.join(race.place, "killed"), place)
            first = race.start(command.words, place, f"kill:{number}:{signal.SIGSTOP.value}")
            stopped = wait_for_stop(first)
            code, message = race.end(race.start(command.words, place))
            if stopped:
                first.send_signal(signal.SIGCONT)
            results = [race.end(first), (code, message)]
            refused += any("in use" in text for _, text in results)
            for code, message in results:
                race.expect(code == 0 or "in use" in message, f"stopped at {number}: exit code {code}: {message[-150:]}")
            race.expect(0 in [code for code, _ in results], f"stopped at {number}: none ended well")
            rows = ledger_rows(place)
            race.expect(count(rows, "reserve") == 1 and count(rows, "commit") == 1,
                        f"{count(rows, 'reserve')} charges, {count(rows, 'commit')} commits")
            race.succeeds("verify", "o.json", "--ledger", LEDGER, place=place)
    race.expect(refused > 0, "the processes never met")


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


def four_teachings(race):
    """Four processes teach into one directory at once, and again where they were refused: one set of teachers."""
    command = command_of("pate-teach")
    processes = [race.start(command.words) for _ in range(4)]
    for process in processes:
        code, message = race.end(process)
        race.expect(code == 0 or "in use" in message, f"exit code {code}: {message[-150:]}")
    race.succeeds(*command.words)
    raced = files_of(os.path.join(race.place, "taught"))
    race.expect(len(raced) == len(command.outputs), f"{len(raced)} files in the directory")
    race.succeeds(*command.check)


CONFIDENT = ("pate", "label", "teachers", "public.csv", "--aggregator", "confident", "--threshold", "2", "--sigma1", "3", "--sigma2", "3",
             "--ask", "20", "--answers", "15", "--delta", "1e-3", "--ledger", LEDGER, "-o", "o.json")


def sealed_head(race, place, number):
    """Head and length of the sealed output that a process killed at its N-th writing call left without a row; None: no such file."""
    staged = os.path.join(place, "o.json.checkpoint.next")
    race.end(race.start(CONFIDENT, place, f"kill:{number}:{signal.SIGKILL.value}"))
    if not os.path.exists(staged) or count(ledger_rows(place), "commit") > 0:
        return None
    with open(staged, "rb") as file:
        head, length = file.readline(), os.fstat(file.fileno()).st_size
    return (head, length) if b'"kind":"output"' in head else None


def sealed_outputs(race):
    """A sealed output without a row tells nothing of the outcome, however often the run is killed before its row.

    The confident aggregator answers a random number of questions: 12 runs of one charge would show 12 samples of it."""
    def is_charged():
        return count(ledger_rows(race.place), "reserve") == 1

    for number in range(1, 100):
        if not is_charged():
            race.end(race.start(CONFIDENT, fault=f"kill:{number}:{signal.SIGKILL.value}"))
    race.expect(is_charged(), "the run was never charged and killed")
    number = next((n for n in range(1, 100) if sealed_head(race, race.place, n)), None)
    race.expect(number is not None, "no run was killed between its sealed output and its row")
    seen = {sealed_head(race, race.place, number) for _ in range(12)}
    race.expect(len(seen) == 1, f"{len(seen)} kinds of sealed outputs: {sorted(map(str, seen))[:2]}")
    race.expect(race.charges() == 1, f"{race.charges()} charges")


def rewrite(place, change):
    """Changes the private rows; the header, which is public, stays."""
    path = os.path.join(place, "d.csv")
    with open(path, encoding="utf-8") as file:
        header, *rows = file.readlines()
    changed = {"touched": rows, "half of them": rows[::2], "none": [], "doubled": rows + rows, "others": rows[1:] + rows[:1] * 7}[change]
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.writelines([header, *changed])
    os.replace(path + ".new", path)
    os.utime(path, (1, 1))


def changed_data(race):
    """A finished run is recognised by settings, schema and ledger row: whatever became of the rows, all that can be seen is the same."""
    for name in ("train-objective", "train-gd", "release-count", "release-printed", "evaluate", "tune", "pac-learn"):
        command = command_of(name)
        with race.scene.copy(command) as finished:
            race.succeeds(*command.words, place=finished)
            seen = set()
            for change in ("touched", "half of them", "none", "doubled", "others"):
                rewrite(finished, change)
                done = race.scene.run(finished, command.words)
                files = files_of(finished)
                seen.add((done.returncode, done.stdout, done.stderr, files[LEDGER], tuple(sorted(files)), files.get("o.json")))
            race.expect(len(seen) == 1, f"{name}: {len(seen)} kinds of answers after changes of the rows")
            race.expect(count(ledger_rows(finished), "reserve") == 1, f"{name}: charged again")


RACES = (many_writers, stalled_reader, two_resumes, one_output, finished_twice, two_teachings, four_teachings, sealed_outputs, changed_data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sotto", required=True, help="the command under test")
    parser.add_argument("--preload", required=True, help="the library of tests/faults/faults.c")
    parser.add_argument("--writers", type=int, default=50, help="on one ledger (default 50)")
    parser.add_argument("--only", action="append", choices=[race.__name__ for race in RACES], help="these races")
    parser.add_argument("--except", dest="left_out", action="append", default=[], choices=[race.__name__ for race in RACES], help="all but these")
    arguments = parser.parse_args()
    lost = 0
    with work_directory() as base:
        scene = Scene(arguments.sotto, base, arguments.preload)
        for run in RACES:
            if (arguments.only and run.__name__ not in arguments.only) or run.__name__ in arguments.left_out:
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
