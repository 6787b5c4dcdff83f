#!/usr/bin/env python3
"""Sends SIGINT to the command at its work: it ends within a second, and every file is as it was.

    interrupts.py --sotto build/dev/sotto        one line for each work
"""

import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
INTERRUPTED = 130


def write_rows(path, lines, wide):
    """A public CSV that takes long to read, or long to learn from."""
    noise = random.Random(7)
    names = [f"x{i}" for i in range(wide)]
    rows = ["," .join(f"{noise.random():.3f}" for _ in names) + f",{noise.randrange(2)}\n" for _ in range(1000)]
    with open(path, "w", encoding="ascii") as file:
        file.write(",".join(names) + ",y\n")
        for _ in range(lines // 1000):
            file.writelines(rows)
    columns = ", ".join(f'{{"name": "{name}", "type": "number", "lower": 0, "upper": 1}}' for name in names)
    path.with_suffix(".schema.json").write_text(
        f'{{"dataset": "d", "target": "y", '
        f'"row_norm": {{"bound": 10, "rule": "clip"}}, "columns": [{columns}, {{"name": "y", "type": "category", "values": ["0", "1"]}}]}}', encoding="ascii")


def snapshot(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".csv"}


def interrupt(sotto, folder, name, words, after, limit, feed=None):
    """Runs the command, interrupts it after some seconds, earlier if it has ended by then, and returns what is wrong."""
    before = snapshot(folder)
    run = subprocess.Popen([sotto, *words], cwd=folder, text=True, stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if feed:
        run.stdin.write(feed)
        run.stdin.flush()  # and then nothing more comes
    time.sleep(after)
    if run.poll() not in (None, 0):
        return [f"{name}: ended by itself, with {run.returncode}: {run.stderr.read()}"]
    sent = time.monotonic()
    run.send_signal(signal.SIGINT)
    try:
        run.wait(timeout=20)
    except subprocess.TimeoutExpired:
        run.kill()
        run.wait()
        return [f"{name}: still running 20 s after SIGINT"]
    seconds = time.monotonic() - sent
    if run.returncode == 0 and seconds <= limit:  # a fast machine: it was ready before it would have stopped
        for path in snapshot(folder).keys() - before.keys():
            (folder / path).unlink()
        if after > 0.1:
            return interrupt(sotto, folder, name, words, after / 2, limit, feed)
        print(f"{name}: finished {seconds:.2f} s after the signal", flush=True)
        return []
    said = run.stderr.read()
    problems = []
    if run.returncode != INTERRUPTED:
        problems.append(f"exit code {run.returncode}")
    if seconds > limit:
        problems.append(f"{seconds:.2f} s to end")
    if "sotto: " not in said:
        problems.append(f"it said {said!r}")
    after_files = snapshot(folder)
    for path in before.keys() | after_files.keys():
        if before.get(path) != after_files.get(path) and not path.endswith(".checkpoint"):
            problems.append(f"{path} was changed")
    print(f"{name}: ended after {seconds:.2f} s", flush=True)
    return [f"{name}: {problem}" for problem in problems]


def works(folder):
    """Name, words, seconds before the signal, what standard input brings."""
    rows, schema = "long.csv", "long.schema.json"
    train = ["train", rows, "--schema", schema, "--model", "logistic", "--epsilon", "1", "--delta", "1e-6", "-o", "m.json"]
    header = (folder / "long.csv").read_text().splitlines(keepends=True)[0]
    yield "train, reading", train, 0.3, None
    yield "train, a stalled pipe", ["train", "-", *train[2:]], 0.3, header
    os.mkfifo(folder / "fifo.csv")
    yield "train, a FIFO without a writer", ["train", "fifo.csv", *train[2:]], 0.3, None
    yield "train gd, streaming", [*train, "--method", "gd", "--steps", "1000", "--expected-rows", "100000", "--stream"], 0.5, None
    wide = ["train", "wide.csv", "--schema", "wide.schema.json", "--model", "logistic", "-o", "m.json"]
    yield "train none, solving", [*wide, "--method", "none", "--data-is-public", "--lambda", "1e-12", "--threads", "1"], 1.5, None
    yield "train gd, in memory", [*wide, "--method", "gd", "--steps", "100000", "--expected-rows", "4000", "--epsilon", "1", "--delta", "1e-6"], 1.5, None
    yield "audit learner", ["audit", "learner", "--model", "svm", "--method", "output", "--epsilon", "6", "--delta", "1e-5", "--runs", "10000000",
                            "-o", "a.json"], 0.5, None
    yield "train posterior, sampling", [*wide, "--method", "posterior", "--radius", "1", "--epsilon", "1"], 3.0, None
    yield "release, reading", ["release", "mean", rows, "x1", "--schema", schema, "--epsilon", "1", "-o", "r.json"], 0.1, None
    yield "release, a stalled pipe", ["release", "count", "-", "--schema", schema, "--epsilon", "1"], 0.3, header
    yield "predict, reading", ["predict", "old.json", rows, "-o", "p.txt"], 0.3, None
    yield "predict, a stalled pipe", ["predict", "old.json", "-", "-o", "p.txt"], 0.3, header
    yield "evaluate, reading", ["evaluate", "old.json", rows, "--data-is-public"], 0.3, None
    yield "report, trainings for its curve", ["report", "old.json", "--public", rows, "-o", "r.html"], 1.0, None
    yield "schema sample", ["schema", "sample", schema, "--rows", "100000000", "-o", "s.csv"], 0.3, None
    yield "tune", ["tune", *train[1:], "--grid", "lambda=1000,3000", "--runs-mean", "5", "--score-epsilon", "0.2"], 0.5, None


def interrupt_analyst(sotto, folder):
    """After the charge of an analyst's run, the message names the charge: the inner command charges, not the outer one."""
    private, results = folder / "private", folder / "results"
    private.mkdir(mode=0o700)
    results.mkdir()
    results.chmod(0o2750)
    for name in ("long.csv", "long.schema.json"):
        os.link(folder / name, private / name)
        (private / name).chmod(0o600)
    subprocess.run([sotto, "ledger", "init", "b.ledger", "--dataset", "d", "--epsilon", "2", "--delta", "1e-5"], cwd=private, check=True,
                   stdout=subprocess.DEVNULL)
    config = private / "analyst.json"
    config.write_text(json.dumps({"data": "long.csv", "schema": "long.schema.json", "ledger": "b.ledger", "results": str(results),
                                  "readers": str(results.stat().st_gid), "commands": ["train"]}), encoding="ascii")
    config.chmod(0o600)
    run = subprocess.Popen([sotto, "analyst", str(config), "train", "--model", "logistic", "--epsilon", "1", "--delta", "1e-6", "-o", "m.json"],
                           text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while run.poll() is None and not (results / "m.json.checkpoint").exists():
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    said = run.communicate(timeout=20)[1]
    if run.returncode == INTERRUPTED and "the charge stands" in said:
        return []
    return [f"analyst: exit code {run.returncode} after the charge, it said {said!r}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sotto", required=True)
    parser.add_argument("--only", default="", help="works whose name contains this")
    parser.add_argument("--limit", type=float, default=1.0, help="seconds; more for a machine that is busy")
    arguments = parser.parse_args()
    sotto = os.path.abspath(arguments.sotto)
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_rows(folder / "long.csv", 400_000, 20)
        write_rows(folder / "wide.csv", 4_000, 400)
        write_rows(folder / "few.csv", 1_000, 20)
        subprocess.run([sotto, "train", "few.csv", "--schema", "few.schema.json", "--model", "logistic", "--epsilon", "1", "--delta", "1e-6",
                        "-o", "old.json"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        (folder / "p.txt").write_text("old predictions\n", encoding="ascii")
        (folder / "r.html").write_text("<!doctype html>old\n", encoding="ascii")
        for work, words, after, feed in works(folder):
            if arguments.only in work:
                problems += interrupt(sotto, folder, work, words, after, arguments.limit, feed)
                for left in folder.glob("*.checkpoint"):
                    left.unlink()
        if arguments.only in "analyst":
            problems += interrupt_analyst(sotto, folder)
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
