#!/usr/bin/env python3
"""Checks that no tracked file has a path of somebody's machine or a note to oneself.

Paths of machines are refused everywhere, marks of unfinished work everywhere, and excuses in
code and build files (prose may need the words).

    tools/check_words.py              checks the files git knows
    tools/check_words.py --self-test  plants faults and sees that each one is caught
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# Put together from pieces, so that this file does not find itself.
MACHINE_FOLDERS = ["wo" + "rk", "ro" + "ot", "fa" + "rm"]
MARKS = ["TO" + "DO", "FIX" + "ME", "X" * 3, "HA" + "CK"]
EXCUSES = ["for" + " now", "simp" + "lified", "place" + "holder"]

# A path from the root; not the middle of another one, and not a part of an address.
PATHS = re.compile(r"(?<![\w./}~-])/(?:" + "|".join(MACHINE_FOLDERS) + r")(?=[/\s\"'`),;:]|$)", re.MULTILINE)
HOMES = re.compile(r"(?<![\w./}~-])/ho" + r"me/\w+")
MARKED = re.compile(r"\b(?:" + "|".join(MARKS) + r")\b")
EXCUSED = re.compile(r"\b(?:" + "|".join(EXCUSES).replace(" ", r"\s+") + r")\b", re.IGNORECASE)

CODE = {".c", ".h", ".in", ".py", ".sh", ".cmake", ".txt", ""}
# Data that came from elsewhere: not ours to word.
DATA = {".csv", ".gz", ".png", ".npy"}


def tracked(root):
    """What git tracks, and what it would: new files count before they are added."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    result = subprocess.run(command, capture_output=True, check=False)
    if result.returncode != 0:
        sys.exit(f"check_words: {result.stderr.decode(errors='replace').strip()}")
    names = sorted(set(result.stdout.decode(errors="surrogateescape").split("\0")) - {""})
    return [root / name for name in names if (root / name).is_file()]


def check_text(name, text):
    problems = []
    rules = [(PATHS, "a path of a machine"), (HOMES, "a path of a machine"), (MARKED, "a mark of unfinished work")]
    path = pathlib.PurePath(name)
    if path.suffix in CODE and path.parts[0] != "docs":
        rules.append((EXCUSED, "an excuse"))
    for pattern, title in rules:
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            problems.append(f"{name}:{line}: {title}: {match.group(0)}")
    return problems


def check(root):
    files, problems = tracked(root), []
    for path in files:
        if path.suffix not in DATA and not path.is_symlink():
            text = path.read_bytes().decode("utf-8", errors="replace")
            problems += check_text(path.relative_to(root).as_posix(), text)
    return len(files), problems


FINE = [
    ("src/a.c", "/* the network's root; root/x and ./work/x, a/work/b, https://host/work/ */"),
    ("src/a.c", "mkdtemp(" + "X" * 6 + "); " + MARKS[0] + "S"),
    ("docs/a.md", f"The {EXCUSES[2]} is explained {EXCUSES[0]}."),
]
FAULTS = [
    ("src/a.c", f'open("/{MACHINE_FOLDERS[0]}/x");'),
    ("docs/a.md", f"see /{MACHINE_FOLDERS[1]}/notes"),
    ("docs/a.md", f"cd /{MACHINE_FOLDERS[2]}"),
    ("README.md", f"(/{MACHINE_FOLDERS[1]})"),
    ("a.py", "path = '/ho" + "me/somebody/x'"),
    ("tools/run", f"# {MARKS[0]}: later"),
    ("docs/a.md", f"{MARKS[1]} the sign"),
    ("src/a.h", f"/* {MARKS[2]} */"),
    ("src/a.h", f"/* a {MARKS[3]} */"),
    ("src/a.h", f"/* {EXCUSES[0]} */"),
    ("src/a.h", "/* " + EXCUSES[0].replace(" ", "\n   ") + " */"),
    ("CMakeLists.txt", f"# a {EXCUSES[1].capitalize()} rule"),
    ("Makefile", f"# {EXCUSES[2]}"),
]


def self_test():
    failures = [f"fine, yet: {check_text(*case)}" for case in FINE if check_text(*case)]
    failures += [f"not caught: {case}" for case in FAULTS if not check_text(*case)]
    with tempfile.TemporaryDirectory() as folder:  # the files are really read
        root = pathlib.Path(folder)
        subprocess.run(["git", "init", "-q", folder], check=True)
        (root / "a.c").write_text(FAULTS[0][1], encoding="utf-8")
        if check(root)[0] != 1 or len(check(root)[1]) != 1:
            failures.append("a file of a repository was not read")
    print(*failures, sep="\n", end="\n" if failures else "")
    print(f"check_words: self-test: {len(FAULTS)} faults planted, {len(failures)} failures")
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if arguments:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    count, problems = check(pathlib.Path(__file__).resolve().parent.parent)
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"check_words: {count} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
