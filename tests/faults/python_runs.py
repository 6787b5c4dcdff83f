#!/usr/bin/env python3
"""Faults, kills and interrupts of the Python functions that charge a ledger: fit, tune, label.

    python_runs.py --sotto build/dev/sotto --package build/dev/python --preload FAULTS.so      all faults, 60 kills
    python_runs.py ... --sample 1 --kills 24                                                   the fast part

Each run is a fork of this process, which has imported the package: a fault meets the call of the library, not the start
of the interpreter. The rules are those of sweep.py and kills.py: one charge, one result that verifies, no other file.
"""

import argparse
import collections
import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import time
import types
import warnings

import kills
import sweep
from aftermath import show
from scene import LEDGER, VERIFY, Command, Scene, work_directory

INTERRUPTED = 130
# Those of the interpreter would fail too, and its messages are its own.
LEFT_OUT = ("memory", "thread")


def load(package):
    """The functions by name, on rows that every child has."""
    sys.path.insert(0, package)
    import numpy as np
    import sotto

    X = np.random.default_rng(3).normal(size=(40, 2))
    y = (X[:, 0] > 0).astype(int)
    votes = np.random.default_rng(5).integers(0, 2, size=(30, 8))

    def logistic(output, ledger, **settings):
        return sotto.LogisticRegression(0.2, 1e-6, data_norm=2.0, classes=[0, 1], dataset="clinic-2026", ledger=ledger,
                                        output=output, **settings)

    functions = {
        "fit": lambda *places: logistic(*places).fit(X, y),
        "fit-gd": lambda *places: logistic(*places, method="gd", steps=200, expected_rows=40).fit(X, y),
        "tune": lambda *places: logistic(*places, method="output", expected_rows=40).tune(
            X, y, grid={"lambda_": [10, 30]}, runs_mean=2, score_epsilon=0.05),
        "label": lambda output, ledger: sotto.pate.label(
            predictions=votes, vote=sotto.pate.Vote("gnmax", noise=20, touched=1), classes=[0, 1], epsilon=2, delta=1e-5,
            dataset="clinic-2026", ledger=ledger, output=output),
    }
    for run in functions.values():  # all that is imported late, or made once
        with tempfile.TemporaryDirectory() as place:
            with contextlib.suppress(sotto.SottoError):
                run(os.path.join(place, "o.json"), os.path.join(place, "no.ledger"))
    return functions


class Forked:
    """A fork that makes one call, with the manners of subprocess.Popen."""

    def __init__(self, run, words, place, fault, log):
        self.returncode = None
        self.said = tempfile.TemporaryFile()
        # A child that Ctrl-C takes out of this function would run the tests a second time.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        self.pid = os.fork()
        if self.pid == 0:
            code = INTERRUPTED
            try:
                try:
                    os.dup2(self.said.fileno(), 2)
                    os.chdir(place)
                    signal.pthread_sigmask(signal.SIG_SETMASK, before)
                    code = self._run(run, words, fault, log)
                finally:
                    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            finally:
                os._exit(code)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    @staticmethod
    def _run(run, words, fault, log):
        faults = ctypes.CDLL(None)
        for name, value in (("SOTTO_FAULT", fault), ("SOTTO_FAULT_LOG", log)):
            if value is not None:
                os.environ[name] = value
        warnings.simplefilter("ignore")
        try:
            if fault is not None or log is not None:
                faults.faults_begin()
            run(*words)
            return 0
        except KeyboardInterrupt:
            return INTERRUPTED
        except Exception as problem:  # noqa: BLE001
            os.write(2, f"sotto: {problem}\n".encode())
            return 1
        finally:
            faults.faults_end()

    def send_signal(self, number):
        if self.returncode is None:
            os.kill(self.pid, number)

    def communicate(self, timeout=None):
        if self.returncode is None:
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self.said.seek(0)
        text = self.said.read().decode(errors="replace")
        self.said.close()
        return "", text


class PythonScene(Scene):
    """Runs `python FUNCTION OUTPUT LEDGER` as a fork, and every other command as itself."""

    def __init__(self, sotto, base, functions):
        super().__init__(sotto, base)
        self.functions = functions

    def start(self, place, words, fault=None, log=None):
        return Forked(self.functions[words[1]], words[2:], place, fault, log)

    def run(self, place, words, fault=None, log=None, **options):
        if words[0] != "python":
            return super().run(place, words, **options)
        process = self.start(place, words, fault, log)
        stdout, stderr = process.communicate()
        return subprocess.CompletedProcess(words, process.returncode, stdout, stderr)


class PythonWorker(kills.Worker):
    """Ends calls by SIGKILL and by Ctrl-C."""

    signals = (signal.SIGKILL, signal.SIGINT)
    ended = (-signal.SIGKILL, INTERRUPTED)

    def start_command(self, output):
        return self.scene.start(self.place, self.words(output)[1:])


def try_kills(scene, commands, number, seed):
    """`number` calls that are ended at random moments; the findings."""
    began = time.monotonic()
    with scene.copy() as place:
        scene.run(place, ("ledger", "init", kills.SECOND, "--dataset", "clinic-2026", "--epsilon", "400", "--delta", "1e-3"))
        before = set(os.listdir(place))
        shares = [number // len(commands) + (i < number % len(commands)) for i in range(len(commands))]
        workers = [PythonWorker(scene, place, command, (LEDGER, kills.SECOND)[i % 2], shares[i], seed + i)
                   for i, command in enumerate(commands)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        findings = kills.check(scene, place, before, workers)
    for finding, times in collections.Counter(findings).most_common(20):
        print(f"{times:4} x {finding}")
    print(f"python kills: {sum(worker.killed for worker in workers)} over {len(workers)} functions, "
          f"{sum(len(worker.outputs) for worker in workers)} outputs, {len(findings)} findings ({time.monotonic() - began:.0f} s)")
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sotto", required=True, help="the command, for ledgers and checks")
    parser.add_argument("--package", required=True, help="the directory with the Python package")
    parser.add_argument("--preload", required=True, help="the library of tests/faults/faults.c")
    parser.add_argument("--only", action="append", help="these functions")
    parser.add_argument("--fault", help="this fault")
    parser.add_argument("--sample", type=int, help="faults of each class (default: all)")
    parser.add_argument("--kills", type=int, default=60, help="in all (default 60)")
    parser.add_argument("--seed", type=int, default=20260101, help="of the moments (default 20260101)")
    arguments = parser.parse_args()
    if os.environ.get("SOTTO_FAULT_WAITS") is None:
        os.execve(sys.executable, [sys.executable, *sys.argv],
                  dict(os.environ, LD_PRELOAD=os.path.abspath(arguments.preload), SOTTO_FAULT_WAITS="1", OPENBLAS_NUM_THREADS="1"))
    functions = load(os.path.abspath(arguments.package))
    commands = [Command(f"python-{name}", ("python", name, "o.json", LEDGER), ("o.json",), charged=True, check=VERIFY)
                for name in functions if not arguments.only or name in arguments.only]
    failed = 0
    with work_directory() as base:
        scene = PythonScene(arguments.sotto, base, functions)
        settings = types.SimpleNamespace(fault=arguments.fault, sample=arguments.sample, memory_step=1, jobs=1, preload=arguments.preload,
                                         left_out=LEFT_OUT)
        for command in commands:
            cases = sweep.sweep(scene, command, settings)
            show(cases, f"--only {command.words[1]} --fault")
            if arguments.fault:
                print(*(case.text for case in cases), sep="\n")
            failed += len(cases)
        if not arguments.fault:
            failed += len(try_kills(scene, commands, arguments.kills, arguments.seed))
    print(f"python runs: {failed} findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
