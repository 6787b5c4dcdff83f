#!/usr/bin/env python3
"""Prints the branch coverage of the code that keeps charges and results: ledger, outputs, checkpoints, PATE directories.

    tools/coverage.py BUILD [--missed] [--least 85]   after the tests of a build with SOTTO_COVERAGE=ON (make coverage)
    tools/coverage.py --files                         the sources that are counted, for CMake
    tools/coverage.py --reset BUILD                   removes the counts
    tools/coverage.py --self-test

A branch is one outcome of one condition, as gcc compiles it without optimisation. A file that is compiled twice (for the
product, and for the tests) counts once: a branch is taken if a copy takes it. Lines with assert() do not count, nor do
lines that only the tests compile (FAULT_AT).
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
AREAS = {
    "ledger": ("src/privacy/ledger/*.c",),
    "outputs": ("src/base/file/*.c", "cli/output*.c"),
    "checkpoints": ("src/commands/session/c*.c", "src/commands/session/find.c", "src/commands/session/keep.c", "src/commands/session/s*.c", "src/commands/session/text.c"),
    "PATE directories": ("src/commands/pate/directory*.c", "src/commands/pate/teach*.c"),
}
NOT_COUNTED = re.compile(r"\bassert\(|\bFAULT_AT\(|\bmeets_fault\(")


def area_files():
    """{area: sources}; an area without a source is a mistake in the table."""
    found = {area: sorted({path for pattern in patterns for path in ROOT.glob(pattern)}) for area, patterns in AREAS.items()}
    for area, files in found.items():
        if not files:
            sys.exit(f"coverage: no source of the area {area}; see AREAS")
    return found


def read_counts(build):
    """{source: [{line: [count of each branch]} of each copy]} from gcov."""
    copies = collections.defaultdict(list)
    wanted = {path for files in area_files().values() for path in files}
    data = [str(path) for path in pathlib.Path(build).resolve().rglob("*.gcda")]
    if not data:
        sys.exit(f"coverage: no counts in {build}; run its tests first (make coverage)")
    done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", *data], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for text in done.stdout.splitlines():  # one object for each data file
        of_file = json.loads(text)
        for source in of_file["files"]:
            name = (pathlib.Path(of_file["current_working_directory"]) / source["file"]).resolve()
            if name in wanted:
                copies[name].append({line["line_number"]: [branch["count"] for branch in line["branches"]]
                                     for line in source["lines"] if line["branches"]})
    return copies


def merge(copies):
    """{line: [count]}: the sum of copies with as many branches; of unlike ones that with the larger share taken."""
    merged = {}
    for lines in copies:
        for number, counts in lines.items():
            other = merged.get(number, [0] * len(counts))
            if len(other) == len(counts):
                merged[number] = [a + b for a, b in zip(other, counts)]
            else:
                merged[number] = max(other, counts, key=lambda branches: sum(map(bool, branches)) / len(branches))
    return merged


def counted(branches, text):
    """The branches of the lines that count."""
    lines = text.splitlines()
    return {number: counts for number, counts in branches.items() if not NOT_COUNTED.search(lines[number - 1])}


def share(branches):
    """Branches taken, and branches in all."""
    counts = [count for line in branches.values() for count in line]
    return sum(map(bool, counts)), len(counts)


def report(build, missed, least):
    copies = read_counts(build)
    low = []
    for area, files in area_files().items():
        rows, taken, total = [], 0, 0
        for path in files:
            text = path.read_text(encoding="utf-8")
            branches = counted(merge(copies.get(path, [])), text)
            if path not in copies:
                sys.exit(f"coverage: {path.relative_to(ROOT)} was not compiled with counters")
            part, whole = share(branches)
            taken, total = taken + part, total + whole
            rows.append((path, part, whole, branches, text.splitlines()))
        print(f"{area:18} {100 * taken / total:5.1f} % of {total} branches")
        if 100 * taken / total < least:
            low.append(area)
        for path, part, whole, branches, lines in rows:
            print(f"    {str(path.relative_to(ROOT)):40} {part:4} of {whole:4}")
            for number, counts in sorted(branches.items() if missed else ()):
                if 0 in counts:
                    print(f"        {number:4} ({counts.count(0)} of {len(counts)}): {lines[number - 1].strip()}")
    if low:
        print(f"coverage: below {least} %: {', '.join(low)}")
    return 1 if low else 0


def self_test():
    product, tests = {1: [0, 5], 2: [0, 1]}, {1: [3, 0], 2: [1, 1, 1, 0]}
    assert merge([product, tests]) == {1: [3, 5], 2: [1, 1, 1, 0]}
    assert counted({1: [1], 2: [1]}, "if (a)\nassert(b);\n") == {1: [1]}
    assert share({1: [3, 0], 2: [1, 1]}) == (3, 4)
    area_files()
    print("coverage: self-test passed")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", nargs="?", help="the build directory")
    parser.add_argument("--files", action="store_true", help="print the sources that are counted")
    parser.add_argument("--reset", action="store_true", help="remove the counts of earlier runs")
    parser.add_argument("--missed", action="store_true", help="print the lines with branches that were not taken")
    parser.add_argument("--least", type=float, default=85.0, help="percentage that each area must reach (default 85)")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    if arguments.files:
        print(*(path for files in area_files().values() for path in files), sep=";", end="")
        return 0
    if arguments.build is None:
        parser.error("give the build directory, for example build/coverage")
    if arguments.reset:
        for path in pathlib.Path(arguments.build).rglob("*.gcda"):
            path.unlink()
        return 0
    return report(arguments.build, arguments.missed, arguments.least)


if __name__ == "__main__":
    sys.exit(main())
