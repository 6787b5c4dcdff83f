#!/usr/bin/env python3
"""Runs the examples of the documents and compares what they print with what is shown.

    check_docs.py --sotto build/sotto             every example of every document
    check_docs.py --sotto build/sotto --update    writes the real output into the documents
    check_docs.py --self-test                     plants faults and must catch every one

Numbers of nine and more digits may differ in the last ones: the C library's mathematics is not
the same to the bit on every processor.

An example is a fenced block marked `console`: a line `$ command` (goes on with lines `> ...`),
then what it prints, standard output and error together. The commands of a document run in one
shell, in an empty directory where `sotto` is the built command and examples/ is ours.
"""

import argparse
import contextlib
import glob
import io
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
MARK = "---- end of command ----"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
LONG_NUMBER = re.compile(r"\d+\.?\d*(?:e[+-]?\d+)?")


def steps_of(block):
    """[(lines as written, command, expected output)]"""
    steps = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            steps.append([line, line[2:], ""])
        elif not steps:
            sys.exit(f"a console block must start with '$ ': {line}")
        elif line.startswith("> ") and not steps[-1][2]:
            steps[-1][0] += line
            steps[-1][1] += line[2:]
        else:
            steps[-1][2] += line
    return steps


def run(commands, sotto):
    """What each command prints; $? of one is there for the next."""
    script = "exec 2>&1\n"
    for command in commands:
        script += f"{command}\n__status=$?; printf '%s\\n' '{MARK}'; (exit $__status)\n"
    with tempfile.TemporaryDirectory() as directory:
        os.mkdir(os.path.join(directory, "bin"))
        work = os.path.join(directory, "work")
        os.mkdir(work)
        os.symlink(sotto, os.path.join(directory, "bin", "sotto"))
        os.symlink(os.path.join(ROOT, "examples"), os.path.join(work, "examples"))
        path = os.path.join(directory, "bin") + os.pathsep + os.environ["PATH"]
        done = subprocess.run(["bash", "-c", script], cwd=work, check=False, timeout=120,
                              env=dict(os.environ, PATH=path, LC_ALL="C"),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    return done.stdout.decode().split(MARK + "\n")[:-1]


def is_long(number):
    return len(re.sub(r"e.*|\D", "", number)) >= 9


def same(shown, printed):
    """Equal, but for the last digits of long numbers."""
    if LONG_NUMBER.sub("#", shown) != LONG_NUMBER.sub("#", printed):
        return False
    for left, right in zip(LONG_NUMBER.findall(shown), LONG_NUMBER.findall(printed)):
        if left != right and not (is_long(left) and is_long(right) and
                                  abs(float(left) - float(right)) <= 1e-9 * float(left)):
            return False
    return True


def check(name, sotto, update):
    """(number of commands, number that differ)"""
    with open(name, encoding="utf-8") as file:
        text = file.read()
    blocks = [steps_of(match[1]) for match in BLOCK.finditer(text)]
    steps = [step for block in blocks for step in block]
    if not steps:
        return 0, 0
    outputs = run([step[1] for step in steps], sotto)
    differing = 0
    for step, output in zip(steps, outputs, strict=True):
        if not same(step[2], output) and not update:
            differing += 1
            print(f"{name}: {step[0]}prints\n{output}and is shown to print\n{step[2]}")
        if update and not same(step[2], output):
            step[2] = output
    if update:
        renewed = iter(blocks)
        text = BLOCK.sub(lambda _: "```console\n" + "".join(
            step[0] + step[2] for step in next(renewed)) + "```", text)
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    return len(steps), differing


FINE = [
    "$ echo one\none\n",
    "$ echo one\none\n$ echo two >&2\ntwo\n",
    "$ false\n$ echo $?\n1\n",
    "$ cat <<END\n> text\n> END\ntext\n",
    "$ x=3\n```\n\nprose\n\n```console\n$ echo $x\n3\n",
    "$ echo 2.516776397862496\n2.516776397862491\n",
]
FAULTS = [
    "$ echo one\ntwo\n",
    "$ echo one\n",
    "$ true\none\n",
    "$ echo one\none\n\n",
    "$ false\n$ echo $?\n0\n",
    "$ echo 2.38378\n2.38377\n",
    "$ echo 2.516776397862496\n2.516786397862496\n",
    "$ echo 2.516776397862496\n2.516776397862496 x\n",
]


def self_test():
    failures = []
    with tempfile.TemporaryDirectory() as directory:
        name = os.path.join(directory, "a.md")
        for block in FINE + FAULTS:
            with open(name, "w", encoding="utf-8") as file:
                file.write(f"prose\n\n```console\n{block}```\n")
            with contextlib.redirect_stdout(io.StringIO()):
                count, differing = check(name, "/bin/true", False)
            if count == 0 or (differing > 0) != (block in FAULTS):
                failures.append(f"misjudged: {block!r}")
    print(*failures, sep="\n", end="\n" if failures else "")
    print(f"check_docs: self-test: {len(FAULTS)} faults planted, {len(failures)} failures")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sotto", help="the built command")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    if arguments.sotto is None:
        parser.error("give --sotto")
    sotto = os.path.abspath(arguments.sotto)
    os.chdir(ROOT)
    commands = failed = 0
    for name in sorted(glob.glob("*.md") + glob.glob("docs/**/*.md", recursive=True)):
        count, differing = check(name, sotto, arguments.update)
        commands += count
        failed += differing
    print(f"examples of the documents: {commands - failed} passed, {failed} failed")
    return 1 if failed or commands == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
