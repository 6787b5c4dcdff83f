#!/usr/bin/env python3
"""Runs cases of the command line and compares what they give with what they should.

    run.py --sotto build/dev/sotto CASE...      the cases; the first difference is shown
    run.py --sotto build/dev/sotto --update CASE...   writes what they give into the case
    run.py --sotto build/dev/sotto --examples   the examples that end the help pages
    run.py --self-test                          plants faults and must catch every one

A case is a text file. Comment lines first (why the case exists), then sections:

    --- run             a script for sh; `sotto` is the built command, the directory is empty,
                        $NO_ENTROPY a library to preload (no_entropy.c), $EXAMPLES our examples/
    --- stdout          what it must print, exactly
    --- stdout like     the same, each line a regular expression
    --- json            stdout is one JSON object with exactly these members: "key literal", or
                        "key lower upper" for a number, or "key *" for any value
    --- stderr          exactly (`--- stderr like` as above)
    --- exit N          its exit code

A section that is missing stands for nothing printed and for exit code 0.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

VALGRIND_FAILED = 97
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")


def parse(path):
    """The sections of a case: {"run": text, "stdout": text, ..., "exit": 0}."""
    case = {"comment": "", "exit": 0}
    name = "comment"
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.fullmatch(r"--- (run|stdout|stderr|json|exit)( like| \d+)?\n", line)
            if match is None:
                case[name] = case.get(name, "") + line
            elif match[1] == "exit":
                case["exit"] = int(match[2])
            else:
                name = match[1] + (match[2] or "")
                case[name] = ""
    if "run" not in case or not case["comment"].startswith("#"):
        sys.exit(f"{path}: a case starts with a comment and has a '--- run' section")
    return case


def write(path, case, result):
    """The case again, with what the run gave."""
    text = case["comment"] + "--- run\n" + case["run"]
    for stream in ("stdout", "stderr"):
        for form in (stream + " like", "json"):
            if form in case and (stream == "stdout" or form != "json"):
                text += f"--- {form}\n" + case[form]
                break
        else:
            if result[stream]:
                text += f"--- {stream}\n" + result[stream]
    if result["exit"] != 0:
        text += f"--- exit {result['exit']}\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def install(directory, arguments):
    """A directory whose `sotto` is the command under test, perhaps under valgrind, and `python3` this one."""
    # The interpreter that runs this: what is on the path may be a shim, which takes longer than it.
    os.symlink(sys.executable, os.path.join(directory, "python3"))
    link = os.path.join(directory, "sotto")
    command = os.path.abspath(arguments.sotto)
    if arguments.valgrind is None:
        os.symlink(command, link)
        return
    with open(link, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec "{arguments.valgrind}" -q --leak-check=full '
                   f'--error-exitcode={VALGRIND_FAILED} "{command}" "$@"\n')
    os.chmod(link, 0o755)


def execute(script, arguments):
    with tempfile.TemporaryDirectory() as bin_directory, \
            tempfile.TemporaryDirectory() as work_directory:
        install(bin_directory, arguments)
        environment = dict(os.environ, LC_ALL="C", EXAMPLES=EXAMPLES, NO_ENTROPY=os.path.abspath(arguments.no_entropy),
                           PATH=bin_directory + os.pathsep + os.environ["PATH"])
        done = subprocess.run(["sh", "-c", script], cwd=work_directory, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
                              check=False)
    return {"stdout": done.stdout.decode(errors="replace"),
            "stderr": done.stderr.decode(errors="replace"), "exit": done.returncode}


def compare_lines(what, expected, got, like):
    """Differences as text; empty if there is none."""
    if not like:
        return "" if expected == got else f"{what} should be\n{expected}but is\n{got}"
    wanted, lines = expected.splitlines(), got.splitlines()
    same = len(wanted) == len(lines) and all(map(re.fullmatch, wanted, lines))
    return "" if same else f"{what} should be like\n{expected}but is\n{got}"


def compare_member(rule, value):
    """True if the value obeys "lower upper", "*" or a JSON literal."""
    if rule == "*":
        return True
    bounds = rule.split()
    if len(bounds) == 2 and isinstance(value, (int, float)):
        return float(bounds[0]) <= value <= float(bounds[1])
    return json.loads(rule) == value


def compare_json(rules, got):
    try:
        members = json.loads(got)
    except ValueError:
        return f"stdout should be a JSON object but is\n{got}"
    expected = dict(line.split(" ", 1) for line in rules.splitlines())
    problems = ""
    for key in sorted(expected.keys() ^ members.keys()):
        problems += f"member {key} is {'missing' if key in expected else 'not expected'}\n"
    for key in expected.keys() & members.keys():
        if not compare_member(expected[key], members[key]):
            problems += f"member {key} is {members[key]!r}, should be {expected[key]}\n"
    return problems


def compare(case, result):
    problems = ""
    if "json" in case:
        problems += compare_json(case["json"], result["stdout"])
    else:
        like = "stdout like" in case
        problems += compare_lines("stdout", case.get("stdout like", case.get("stdout", "")),
                                  result["stdout"], like)
    like = "stderr like" in case
    problems += compare_lines("stderr", case.get("stderr like", case.get("stderr", "")),
                              result["stderr"], like)
    if result["exit"] != case["exit"]:
        problems += f"exit code should be {case['exit']} but is {result['exit']}\n"
    return problems


def run_cases(arguments):
    failed = 0
    for path in arguments.cases:
        case = parse(path)
        result = execute(case["run"], arguments)
        if arguments.update:
            write(path, case, result)
            case = parse(path)
        problems = compare(case, result)
        if problems:
            failed += 1
            print(f"{path}: FAILED\n{case['comment']}{case['run']}{problems}")
    print(f"{len(arguments.cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


def run_examples(arguments):
    """Every help page ends with an example that runs; every command has --json."""
    table = json.loads(execute("sotto --dump-options", arguments)["stdout"])
    failed = 0
    for path, command in table.items():
        example = command["example"]
        page = execute(f"sotto {path} --help", arguments)
        problems = ""
        if not page["stdout"].endswith(f"example:\n  {example}\n") or page["exit"] != 0:
            problems += f"sotto {path} --help does not end with its example\n"
        example_files = 'ln -s "$EXAMPLES" examples\n'
        plain = execute(example_files + example, arguments)
        if plain["exit"] != 0 or not plain["stdout"] or plain["stderr"]:
            problems += f"{example}\nfails: exit {plain['exit']}\n{plain['stderr']}"
        as_json = execute(example_files + example + " --json", arguments)
        if as_json["exit"] != 0 or not isinstance(json.loads(as_json["stdout"]), dict):
            problems += f"{example} --json\ndoes not print a JSON object\n"
        if problems:
            failed += 1
            print(f"sotto {path}: FAILED\n{problems}")
    print(f"{len(table) - failed} passed, {failed} failed")
    return 1 if failed else 0


SCRIPT = "# Why.\n--- run\necho '{\"a\": 2.5, \"b\": \"x\"}'; echo oops >&2; exit 3\n"
FINE = [
    '--- stdout\n{"a": 2.5, "b": "x"}\n--- stderr\noops\n--- exit 3\n',
    '--- stdout like\n.*2\\.5.*\n--- stderr like\no+ps\n--- exit 3\n',
    '--- json\na 2 3\nb "x"\n--- stderr\noops\n--- exit 3\n',
    '--- json\na 2.5\nb *\n--- stderr\noops\n--- exit 3\n',
]
FAULTS = [
    '--- stdout\n{"a": 2.5, "b": "x"}\n--- stderr\noops\n',
    '--- stdout\n{"a": 2.5, "b": "x"}\n--- stderr\noops\n--- exit 2\n',
    '--- stdout\n{"a": 2.5, "b": "x"}\n--- exit 3\n',
    '--- stderr\noops\n--- exit 3\n',
    '--- stdout\n{"a": 2.6, "b": "x"}\n--- stderr\noops\n--- exit 3\n',
    '--- stdout like\n2\\.5\n--- stderr\noops\n--- exit 3\n',
    '--- json\na 2.6 3\nb "x"\n--- stderr\noops\n--- exit 3\n',
    '--- json\na 2 3\nb "y"\n--- stderr\noops\n--- exit 3\n',
    '--- json\na 2 3\n--- stderr\noops\n--- exit 3\n',
    '--- json\na 2 3\nb *\nc *\n--- stderr\noops\n--- exit 3\n',
]


def self_test(arguments):
    arguments.sotto = "/bin/true"
    failures = 0
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "a.case")
        for expected in FINE + FAULTS:
            with open(path, "w", encoding="utf-8") as file:
                file.write(SCRIPT + expected)
            case = parse(path)
            if bool(compare(case, execute(case["run"], arguments))) != (expected in FAULTS):
                print(f"misjudged: {expected!r}")
                failures += 1
    print(f"run: self-test: {len(FAULTS)} faults planted, {failures} failures")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sotto", help="the command under test")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--valgrind", help="run the command under this valgrind")
    parser.add_argument("--no-entropy", default="", help="the built no_entropy.c")
    parser.add_argument("--update", action="store_true", help="write the results into the cases")
    parser.add_argument("--examples", action="store_true", help="run the help pages' examples")
    parser.add_argument("cases", nargs="*")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test(arguments)
    if arguments.sotto is None:
        parser.error("give --sotto")
    return run_examples(arguments) if arguments.examples else run_cases(arguments)


if __name__ == "__main__":
    sys.exit(main())
