#!/usr/bin/env python3
"""Plants one privacy bug at a time and sees which detectors alarm.

Bugs and detectors are listed in tests/planted_bugs.txt. A detector is a group of test programs;
it alarms when one of them fails with SOTTO_PLANT set to the name of the bug. Problems:

    a detector that alarms without any bug; a bug that a detector named beside it misses;
    a program that dies or hangs, which is no answer; a bug in the list that no source plants,
    or the other way round; a name of a bug in the product library, which must not know them.

    tools/planted_bugs.py BUILD              prints the table; asks the detectors named beside a bug
    tools/planted_bugs.py BUILD --all        asks every detector about every bug, which takes long
    tools/planted_bugs.py BUILD --bug NAME   one bug only
    tools/planted_bugs.py --page             sees that docs/planted-bugs.md has the list; --update
                                             writes it
    tools/planted_bugs.py --self-test        tries itself on detectors that are wrong on purpose
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

TIMEOUT_SECONDS = 600
PLANTED = re.compile(r"\bSOT_PLANTED\((\w+)\)")
FOLDERS = ["src", "cli", "tests"]
SILENT, ALARM, BROKEN = "silent", "alarm", "broken"


def read_list(path):
    """The detectors {name: programs} and bugs {name: (detectors, what)} of the list."""
    detectors, bugs = {}, {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "detector" and len(words) >= 3:
            detectors.setdefault(words[1], []).extend(words[2:])
        elif words[0] == "bug" and len(words) >= 4 and words[1] not in bugs:
            bugs[words[1]] = (words[2].split(","), " ".join(words[3:]))
        else:
            sys.exit(f"{path}:{number}: expected 'detector NAME PROGRAM...' or a new "
                     "'bug NAME DETECTOR,... WHAT'")
    for bug, (meant, _) in bugs.items():
        unknown = sorted(set(meant) - set(detectors))
        if unknown:
            sys.exit(f"{path}: bug {bug} names detectors that do not exist: {unknown}")
    return detectors, bugs


PAGE = """# Planted bugs

Each line is a classical mistake that a library of private learning could make, planted in this one behind a switch that only the
testing build has (`src/base/plant.h`). Every detector named beside it is a group of test programs (`tests/planted_bugs.txt`), and each of them must alarm when the bug
is there and be silent when none is. `tools/planted_bugs.py build/dev`, the end of `make test-all`, plants them one after another and prints the table of bugs
against detectors; a missed one fails it. What the detectors are: known values (*vectors*), laws of samplers, the [gate's tape](gate.md) over neighbours, attacks ([*audit*](audit.md)), refusals.

{count} bugs, {detectors} detectors.

| bug | what it does | caught by |
|---|---|---|
{lines}
"""


def page_of(detectors, bugs):
    lines = "\n".join(f"| `{bug}` | {what} | {', '.join(meant)} |"
                      for bug, (meant, what) in bugs.items())
    return PAGE.format(count=len(bugs), detectors=len(detectors), lines=lines)


def check_page(root, update):
    path = root / "docs" / "planted-bugs.md"
    page = page_of(*read_list(root / "tests" / "planted_bugs.txt"))
    if update:
        path.write_text(page, encoding="utf-8")
    same = path.is_file() and path.read_text(encoding="utf-8") == page
    if not same:
        print("planted_bugs: docs/planted-bugs.md is not the list; use --page --update",
              file=sys.stderr)
    print(f"planted_bugs: the page, {0 if same else 1} problems")
    return 0 if same else 1


def planted_in_sources(root):
    found = set()
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.[ch]")):
            if path.relative_to(root).as_posix() != "src/base/plant.h":
                found.update(PLANTED.findall(path.read_text(encoding="utf-8")))
    return found


def compare_with_sources(root, bugs):
    planted = planted_in_sources(root)
    problems = [f"{bug}: in the list, but no source plants it" for bug in bugs
                if bug not in planted]
    problems += [f"{bug}: planted, but not in tests/planted_bugs.txt"
                 for bug in sorted(planted - set(bugs))]
    return problems


def look_into_library(library, bugs):
    """The product must hold neither the switch nor the name of a bug."""
    if not library.is_file():
        return [f"{library.name}: not built, so it could not be searched for planted bugs"]
    content = library.read_bytes()
    return [f"{library.name}: holds the text '{name}'" for name in ["SOTTO_PLANT", *bugs]
            if name.encode() in content]


def run_program(program, bug):
    """In a directory of its own: a test that fails leaves its files behind."""
    environment = {**os.environ, "SOTTO_PLANT": bug or ""}
    try:
        with tempfile.TemporaryDirectory() as place:
            done = subprocess.run([program.resolve()], cwd=place, env=environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  timeout=TIMEOUT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return BROKEN
    if done.returncode == 0:
        return SILENT
    # An assertion of the library counts as an alarm; any other death does not.
    alarmed = done.returncode > 0 or done.returncode == -signal.SIGABRT
    return ALARM if alarmed else BROKEN


def run_detector(folder, programs, bug):
    """One alarm is enough, except on a clean build, where every program is asked."""
    result = SILENT
    for program in programs:
        answer = run_program(folder / program, bug)
        if answer == BROKEN or (answer == ALARM and bug is not None):
            return answer
        if answer == ALARM:
            result = ALARM
    return result


def run_all(folder, detectors, bugs, ask_all):
    """{(bug, detector): answer}; the bug None is the clean build."""
    jobs = [(bug, name) for bug in [None, *bugs] for name in detectors
            if bug is None or ask_all or name in bugs[bug][0]]
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        answers = pool.map(lambda job: run_detector(folder, detectors[job[1]], job[0]), jobs)
        return dict(zip(jobs, answers))


def judge(detectors, bugs, answers):
    problems = []
    for name in detectors:
        if answers[None, name] == ALARM:
            problems.append(f"{name}: alarms on a clean build")
        for bug in [None, *bugs]:
            if answers.get((bug, name)) == BROKEN:
                problems.append(f"{name}: no answer to {bug or 'a clean build'} "
                                "(a program is missing, died or hung)")
    for bug, (meant, _) in bugs.items():
        problems += [f"{bug}: missed by {name}" for name in meant
                     if answers[bug, name] == SILENT]
    return problems


def words_of(detectors, meant, bug, answers):
    """What the detectors said of one bug: {"caught by": names, ...}, empty ones left out."""
    said = {"caught by": [], "MISSED by": [], "also": [], "silent": [], "ALARM of": [], "BROKEN": []}
    for name in detectors:
        answer = answers.get((bug, name))
        if answer == BROKEN:
            said["BROKEN"].append(name)
        elif answer == ALARM:
            said["ALARM of" if bug is None else "caught by" if name in meant else "also"].append(name)
        elif answer == SILENT:
            said["MISSED by" if name in meant else "silent"].append(name)
    return {word: names for word, names in said.items() if names}


def print_table(detectors, bugs, answers):
    """A line a bug: with so many detectors, columns would not fit on any screen."""
    width = max(len(bug) for bug in ["clean build", *bugs])
    for bug in [None, *bugs]:
        said = words_of(detectors, bugs[bug][0] if bug else [], bug, answers)
        silent = said.pop("silent", [])
        words = [f"{word} {', '.join(names)}" for word, names in said.items()]
        if silent:
            words.append(f"{len(silent)} silent")
        print(f"{bug or 'clean build':<{width}}  {'; '.join(words)}")


def check(root, build, only=None, ask_all=False):
    detectors, bugs = read_list(root / "tests" / "planted_bugs.txt")
    problems = compare_with_sources(root, bugs)
    problems += look_into_library(build / "libsotto.so", bugs)
    if only is not None:
        if only not in bugs:
            sys.exit(f"planted_bugs: no bug '{only}' in tests/planted_bugs.txt")
        bugs = {only: bugs[only]}
    answers = run_all(build / "tests", detectors, bugs, ask_all)
    print_table(detectors, bugs, answers)
    problems += judge(detectors, bugs, answers)
    for problem in problems:
        print(f"planted_bugs: {problem}", file=sys.stderr)
    print(f"planted_bugs: {len(bugs)} bugs, {len(detectors)} detectors, "
          f"{len(problems)} problems")
    return 1 if problems else 0


# ---- self-test: a small repository whose detectors are shell scripts ----

GOOD = '#!/bin/sh\n[ "$SOTTO_PLANT" != %s ]\n'


def make_repository(root):
    for folder in ["src", "cli", "tests", "build/tests"]:
        (root / folder).mkdir(parents=True)
    (root / "src/a.c").write_text("x = SOT_PLANTED(halved) ? x / 2 : x;\n")
    (root / "src/b.c").write_text("if (SOT_PLANTED(skipped)) return;\n")
    (root / "build/libsotto.so").write_bytes(b"\x7fELF nothing")
    (root / "tests/planted_bugs.txt").write_text(
        "# comment\ndetector law test_law\ndetector tape test_tape test_more\n"
        "bug halved law half\nbug skipped tape nothing\n")
    for name, bug in [("test_law", "halved"), ("test_tape", "skipped"), ("test_more", "none")]:
        write_program(root, name, GOOD % bug)


def write_program(root, name, text):
    path = root / "build/tests" / name
    path.write_text(text)
    path.chmod(0o755)


FAULTS = {
    "none": lambda root: None,
    "a detector sleeps": lambda root: write_program(root, "test_law", "#!/bin/sh\nexit 0\n"),
    "a clean build alarms": lambda root: write_program(root, "test_more", "#!/bin/sh\nexit 1\n"),
    "a program dies": lambda root: write_program(
        root, "test_tape", '#!/bin/sh\n[ "$SOTTO_PLANT" = skipped ] && kill -SEGV $$\nexit 0\n'),
    "a program is missing": lambda root: (root / "build/tests/test_more").unlink(),
    "a bug is not listed": lambda root: (root / "cli/c.c").write_text("SOT_PLANTED(third)"),
    "a bug is not planted": lambda root: (root / "src/b.c").write_text(""),
    "the product knows a bug": lambda root: (root / "build/libsotto.so").write_bytes(
        b"\x7fELF halved"),
    "the product knows the switch": lambda root: (root / "build/libsotto.so").write_bytes(
        b"\x7fELF SOTTO_PLANT"),
    "the product is not there": lambda root: (root / "build/libsotto.so").unlink(),
}


def self_test():
    failures = 0
    for name, plant in FAULTS.items():
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            make_repository(root)
            plant(root)
            expected = 0 if name == "none" else 1
            if any(check(root, root / "build", ask_all=every) != expected
                   for every in (False, True)):
                print(f"planted_bugs: self-test: '{name}' was judged wrongly", file=sys.stderr)
                failures += 1
    print(f"planted_bugs: self-test: {len(FAULTS) - 1} faults planted, {failures} failures")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", nargs="?", type=pathlib.Path)
    parser.add_argument("--bug")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    if arguments.self_test:
        return self_test()
    if arguments.page:
        return check_page(root, arguments.update)
    if arguments.build is None:
        parser.error("give the build directory")
    return check(root, arguments.build.resolve(), arguments.bug, arguments.all)


if __name__ == "__main__":
    sys.exit(main())
