"""The place in which the fault tests run commands, and the invariants that hold after every failure.

A scene is a directory made once by the command under test: 40 private rows, public rows, a schema, a model, teachers, an
empty ledger. Each fault works on a copy. The command may print to standard output only what a finished run prints.
"""

import contextlib
import dataclasses
import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
LEDGER = "b.ledger"
SECONDS = 120  # for one command; the slowest takes a tenth of a second

FAILED = 1  # exit code of a failure that is not the user's (docs/reference/command.md)
# With the testing library a checkpoint is kept after every step.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "SOTTO_KEEP_SECONDS": "0"}


@dataclasses.dataclass(frozen=True)
class Command:
    """One command of the sweep."""

    name: str
    words: tuple
    outputs: tuple = ()    # files that a finished run leaves
    charged: bool = False  # against LEDGER
    check: tuple = ()      # words that must succeed on a finished output
    same: bool = False     # the output depends on the inputs only
    once: bool = False     # refuses an existing output, by design
    old: str = None        # content of an older file of the same kind under the output's name; None: there is none
    prints: bool = False   # the result goes to standard output


PRIVATE = ("d.csv", "--schema", "s.json", "--ledger", LEDGER)
VERIFY = ("verify", "o.json", "--ledger", LEDGER)


def charging(name, *words):
    return Command(name, words + ("-o", "o.json"), ("o.json",), charged=True, check=VERIFY)


def writing(name, output, *words, **options):
    return Command(name, words, (output,), **options)


LABEL = ("pate", "label", "teachers", "public.csv", "--aggregator", "gnmax", "--sigma2", "20", "--ask", "5", "--answers", "4", "--delta", "1e-5")
TRAIN = ("train",) + PRIVATE + ("--model", "logistic", "--epsilon", "0.2")
COMMANDS = (
    charging("train-objective", *TRAIN),
    charging("train-output", *TRAIN, "--method", "output", "--expected-rows", "40"),
    charging("train-gd", *TRAIN, "--method", "gd", "--steps", "4", "--expected-rows", "40", "--delta", "1e-6"),
    charging("train-sgd", *TRAIN, "--method", "sgd", "--steps", "1", "--batch", "8", "--expected-rows", "40", "--delta", "1e-6"),
    charging("network", "train", *PRIVATE, "--model", "mlp", "--steps", "2", "--batch", "40", "--expected-rows", "40", "--epsilon", "1",
             "--delta", "1e-6"),
    charging("pac-learn", "pac", "learn", *PRIVATE, "--class", "thresholds", "--columns", "age", "--bits", "4", "--epsilon", "0.2"),
    charging("release-count", "release", "count", *PRIVATE, "--epsilon", "0.1"),
    charging("release-histogram", "release", "histogram", "d.csv", "sex", *PRIVATE[1:], "--epsilon", "0.1"),
    Command("release-printed", ("release", "count") + PRIVATE + ("--epsilon", "0.1"), charged=True, prints=True),
    charging("evaluate", "evaluate", "model.json", "d.csv", "--ledger", LEDGER, "--epsilon", "0.1"),
    charging("tune", "tune", *PRIVATE, "--model", "logistic", "--method", "output", "--expected-rows", "40", "--grid", "lambda=10,30",
             "--runs-mean", "2", "--score-epsilon", "0.05", "--epsilon", "0.5"),
    charging("pate-label", *LABEL, "--ledger", LEDGER),
    writing("pate-student", "x.json", "pate", "student", "labels.json", "public.csv", "--model", "logistic", "-o", "x.json", same=True, once=True,
            check=("verify", "x.json")),
    writing("ledger-init", "new.ledger", "ledger", "init", "new.ledger", "--dataset", "clinic-2026", "--epsilon", "2", once=True,
            check=("ledger", "check", "new.ledger")),
    writing("ledger-grant", LEDGER, "ledger", "grant", LEDGER, "--epsilon", "1", "--reason", "more", check=("ledger", "check", LEDGER)),
    Command("key-new", ("key", "new", "k.key"), ("k.key", "k.key.pub"), once=True),
    writing("schema-draft", "x.json", "schema", "draft", "--from-public", "public.csv", "-o", "x.json", same=True, once=True),
    writing("predict", "x.csv", "predict", "model.json", "public.csv", "-o", "x.csv", same=True, old="older\n"),
    writing("report", "x.html", "report", "model.json", "-o", "x.html", same=True, old="<!doctype html>older\n"),
    writing("export", "x.h", "export", "model.json", "--c", "-o", "x.h", same=True, old="/* older */\n"),
    Command("pate-teach", ("pate", "teach", "d.csv", "--schema", "s.json", "--teachers", "3", "--model", "logistic", "-o", "taught"),
            tuple("taught/" + name for name in ("SECRET.txt", "rows.digest", "teachers.json", "teacher-00001.json", "teacher-00002.json",
                                                "teacher-00003.json")),
            check=LABEL[:2] + ("taught",) + LABEL[3:] + ("-o", "other.json")),
)
# A write into the directory, before which stale temporaries are removed; for commands that refuse to run again.
NEXT_WRITE = writing("next-write", "next.json", "schema", "draft", "--from-public", "public.csv", "-o", "next.json")


def work_directory():
    """A directory in memory where there is one: fsync() costs nothing there."""
    memory = "/dev/shm"
    return tempfile.TemporaryDirectory(prefix="sotto-faults-", dir=memory if os.access(memory, os.W_OK) else None)


def files_of(directory):
    """{name: bytes} of all files below the directory."""
    found = {}
    for folder, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, directory)] = file.read()
    return found


class Scene:
    """Runs the command under test on copies of one directory."""

    def __init__(self, sotto, base, preload=None):
        self.sotto, self.base, self.preload = os.path.abspath(sotto), base, preload
        self.template = os.path.join(base, "template")
        os.mkdir(self.template)
        with open(os.path.join(EXAMPLES, "clinic.csv"), encoding="utf-8") as file:
            lines = file.readlines()
        self.put("d.csv", "".join(lines[:41]))
        self.put("public.csv", "".join(lines[:1] + lines[800:830]))
        shutil.copy(os.path.join(EXAMPLES, "clinic.schema.json"), os.path.join(self.template, "s.json"))
        for words in (("train", "public.csv", "--schema", "s.json", "--model", "logistic", "--epsilon", "1", "-o", "model.json"),
                      ("pate", "teach", "d.csv", "--schema", "s.json", "--teachers", "3", "--model", "logistic", "-o", "teachers"),
                      (*LABEL, "-o", "labels.json"),
                      ("ledger", "init", LEDGER, "--dataset", "clinic-2026", "--epsilon", "400", "--delta", "1e-3")):
            done = self.run(self.template, words)
            if done.returncode != 0:
                raise SystemExit(f"the scene cannot be made: sotto {' '.join(words)}: {done.stderr}")

    def put(self, name, text):
        with open(os.path.join(self.template, name), "w", encoding="utf-8") as file:
            file.write(text)

    @contextlib.contextmanager
    def copy(self, command=None, where=None):
        """A copy of the template, with an older output where the command asks for one."""
        with tempfile.TemporaryDirectory(dir=where or self.base) as directory:
            place = os.path.join(directory, "place")
            shutil.copytree(self.template, place)
            if command is not None and command.old is not None:
                with open(os.path.join(place, command.outputs[0]), "w", encoding="utf-8") as file:
                    file.write(command.old)
            yield place

    def run(self, place, words, fault=None, log=None, before=(), variables=(), **options):
        """Runs the command; `fault` is what faults.c reads from SOTTO_FAULT, `before` a program that starts the command."""
        environment = dict(ENVIRONMENT, **dict(variables))
        if fault is not None or log is not None:
            environment["LD_PRELOAD"] = os.path.abspath(self.preload)
        if fault is not None:
            environment["SOTTO_FAULT"] = fault
        if log is not None:
            environment["SOTTO_FAULT_LOG"] = log
        return subprocess.run([*before, self.sotto, *words], cwd=place, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=SECONDS, check=False, **options)


def ledger_rows(place, ledger=LEDGER):
    """The kinds of the ledger's rows, read from a copy: a hot journal is left for the command itself."""
    with work_directory() as copy:
        for suffix in ("", "-journal"):
            if os.path.exists(os.path.join(place, ledger + suffix)):
                shutil.copy(os.path.join(place, ledger + suffix), os.path.join(copy, "l" + suffix))
        with contextlib.closing(sqlite3.connect(os.path.join(copy, "l"))) as database:
            return [json.loads(line) for line, in database.execute("SELECT line FROM entry ORDER BY row")]


def count(rows, kind):
    return sum(row["kind"] == kind for row in rows)


def unexpected(scene_files, command, now):
    """Files that neither the scene nor a finished run of the command has; its check may have written one."""
    found = set(now) - set(scene_files) - set(command.outputs) - set(command.check)
    return sorted(found)
