#!/usr/bin/env python3
"""Checks that each public header stands on its own and says what it declares.

Each include/sotto/*.h compiles alone, as C17 and as C++; every SOTTO_API function has a
comment, or belongs to a group (lines without a blank one between them) that has one; headers
with functions are extern "C". An installed header cites no path of the repository: pages and
proof notes go by their file names (training.md), and exist. The front door, sotto.h with all
that it includes, declares at most 40 functions.

    tools/check_headers.py              checks the repository (CC and CXX choose the compilers)
    tools/check_headers.py --self-test  plants faults and sees that each one is caught
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wundef", "-Werror", "-fsyntax-only"]
DOOR_MOST = 40
REPOSITORY = re.compile(r"(?<![\w/.])(?:src|docs|tests|tools|bench|cli|bindings|examples|fuzz|man)/\w")
PAGE = re.compile(r"(?<![\w/-])([\w-]+\.md)\b")
DECLARED = re.compile(r"^SOTTO_API\b[^;{]*?\b(sotto_\w+)\s*\(", re.MULTILINE)
INCLUDED = re.compile(r"^#include <sotto/([\w.]+)>", re.MULTILINE)
VERSION = re.compile(r"project\(\s*sotto\s+VERSION\s+(\d+)\.(\d+)\.(\d+)")


def compilers():
    """(name, command) of a C and a C++ compiler; None where there is none."""
    c = os.environ.get("CC") or next(filter(shutil.which, ["cc", "gcc", "clang"]), None)
    cxx = os.environ.get("CXX") or next(filter(shutil.which, ["g++", "clang++"]), None)
    return [
        ("C17", [c, "-std=c17", "-x", "c"] if c else None),
        ("C++17", [cxx, "-std=c++17", "-x", "c++"] if cxx else None),
    ]


def make_version(root, folder):
    """version.h as CMake would make it."""
    template = root / "include/sotto/version.h.in"
    match = VERSION.search((root / "CMakeLists.txt").read_text(encoding="utf-8"))
    if match is None or not template.is_file():
        return
    text = template.read_text(encoding="utf-8")
    for name, value in zip(("MAJOR", "MINOR", "PATCH"), match.groups()):
        text = text.replace(f"@PROJECT_VERSION_{name}@", value)
    text = text.replace("@PROJECT_VERSION@", ".".join(match.groups()))
    (folder / "sotto").mkdir()
    (folder / "sotto/version.h").write_text(text, encoding="utf-8")


def compile_alone(root, name, language, command):
    """Twice in one file, so that the include guard is tried too."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        make_version(root, folder)
        source = folder / "alone.c"
        source.write_text(f"#include <sotto/{name}>\n" * 2, encoding="utf-8")
        result = subprocess.run(
            command + WARNINGS + ["-I", str(root / "include"), "-I", str(folder), str(source)],
            capture_output=True, text=True, check=False,
        )
    if result.returncode == 0:
        return []
    complaint = next((line for line in result.stderr.splitlines() if "error" in line), result.stderr)
    return [f"include/sotto/{name}: does not compile alone as {language}: {complaint.strip()}"]


def uncommented(text):
    """Line numbers of SOTTO_API declarations without a comment of their own or their group's."""
    lines = []
    commented = False   # a comment has been seen in this group
    in_comment = False
    waiting = None      # a declaration that may still get a comment before its semicolon
    for number, line in enumerate(text.splitlines(), 1):
        if not in_comment and not line.strip():
            commented = False
        if not in_comment and line.startswith("SOTTO_API") and not commented:
            waiting = number
        if "/*" in line:
            commented, waiting = True, None
            in_comment = True
        if "*/" in line:
            in_comment = line.rfind("/*") > line.rfind("*/")
        if waiting is not None and ";" in line:
            lines.append(waiting)
            waiting = None
    return lines


def pages(root):
    """The names of what is installed as documentation."""
    found = [*(root / "docs").rglob("*.md"), *(root / "src").rglob("*.md"), *root.glob("*.md")]
    return {path.name for path in found}


def citations(text, known):
    """(line, complaint) of what only the repository has."""
    for number, line in enumerate(text.splitlines(), 1):
        for path in REPOSITORY.findall(line):
            yield number, f"cites {path}..., which is not installed; name the page or state the fact"
        for page in PAGE.findall(line):
            if page not in known:
                yield number, f"cites {page}, which does not exist"


def read_header(root, name):
    path = root / "include/sotto" / name
    return (path if path.is_file() else path.with_name(name + ".in")).read_text(encoding="utf-8")


def door(root, name="sotto.h"):
    """The functions that a program sees which includes the front door only."""
    functions, seen, waiting = set(), set(), [name]
    while waiting:
        header = waiting.pop()
        if header not in seen:
            seen.add(header)
            text = read_header(root, header)
            functions.update(DECLARED.findall(re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)))
            waiting += INCLUDED.findall(text)
    return functions


def check(root, languages):
    problems = []
    known = pages(root)
    if (root / "include/sotto/sotto.h").is_file() and len(door(root)) > DOOR_MOST:
        problems.append(f"include/sotto/sotto.h: declares {len(door(root))} functions; "
                        f"the front door has at most {DOOR_MOST}")
    names = sorted(path.name.removesuffix(".in") for path in (root / "include/sotto").glob("*.h*"))
    for name in names:
        path = root / "include/sotto" / name
        path = path if path.is_file() else path.with_name(name + ".in")
        text = path.read_text(encoding="utf-8")
        for number in uncommented(text):
            problems.append(f"include/sotto/{path.name}:{number}: a function without a comment")
        problems += [f"include/sotto/{path.name}:{number}: {complaint}"
                     for number, complaint in citations(text, known)]
        if re.search(r"^SOTTO_API", text, re.MULTILINE) and 'extern "C"' not in text:
            problems.append(f'include/sotto/{path.name}: functions, but no extern "C"')
        for language, command in languages:
            if command is not None:
                problems += compile_alone(root, name, language, command)
    return len(names), problems


GOOD = """/* sotto/good.h: a header in order. */
#ifndef SOTTO_GOOD_H
#define SOTTO_GOOD_H
#include <stddef.h>
#define SOTTO_API
#ifdef __cplusplus
extern "C" {
#endif

/* A group.

   With a blank line in its comment. */
SOTTO_API size_t sotto_good_one(void);
SOTTO_API size_t sotto_good_two(
    size_t argument);

SOTTO_API void sotto_good_three(void); /* its own: good.md */

#ifdef __cplusplus
}
#endif
#endif
"""
FAULTS = {
    "needs another header": ("#include <stddef.h>\n", ""),
    "no guard": ("#ifndef SOTTO_GOOD_H\n#define SOTTO_GOOD_H\n", "#if 1\ntypedef struct twice {int x;} twice;\n"),
    "not C++": ("SOTTO_API size_t sotto_good_one(void)", "SOTTO_API size_t sotto_good_one(int class)"),
    "no extern C": ('extern "C" {', "namespace sotto {"),
    "no comment": (" /* its own: good.md */", ""),
    "a path of the repository": ("its own: good.md", "proof note: src/good/good.md"),
    "a page that is not there": ("its own: good.md", "its own: bad.md"),
    "a page by its path": ("its own: good.md", "its own: docs/good.md"),
    "comment of another group": ("   With a blank line in its comment. */\n", "*/\n\n"),
}


def self_test():
    failures = []
    languages = compilers()
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "include/sotto").mkdir(parents=True)
        (root / "CMakeLists.txt").write_text("project(sotto VERSION 1.2.3)\n", encoding="utf-8")
        (root / "docs").mkdir()
        (root / "docs/good.md").write_text("# Good\n", encoding="utf-8")
        header = root / "include/sotto/good.h"
        header.write_text(GOOD, encoding="utf-8")
        failures += [f"in order, yet: {problem}" for problem in check(root, languages)[1]]
        for title, (old, new) in FAULTS.items():
            if old not in GOOD:
                failures.append(f"the self-test itself is broken: {title}")
            header.write_text(GOOD.replace(old, new), encoding="utf-8")
            if title == "not C++" and languages[1][1] is None:
                continue
            if not check(root, languages)[1]:
                failures.append(f"not caught: {title}")
        header.write_text(GOOD, encoding="utf-8")
        many = "\n".join(f"SOTTO_API void sotto_many_{i}(void);" for i in range(DOOR_MOST - 2))
        for title, more in (("41 functions of the door", many), ("40 are enough", many[:many.rindex("\n")])):
            (root / "include/sotto/many.h").write_text(f"/* Many. */\n{more}\n", encoding="utf-8")
            (root / "include/sotto/sotto.h").write_text(
                "#ifndef D\n#define D\n#include <sotto/good.h>\n#include <sotto/many.h>\n#endif\n", encoding="utf-8")
            caught = any("front door" in problem for problem in check(root, languages)[1])
            if caught != title.startswith("41"):
                failures.append(f"wrong: {title}")
    print(*failures, sep="\n", end="\n" if failures else "")
    print(f"check_headers: self-test: {len(FAULTS) + 1} faults planted, {len(failures)} failures")
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if arguments:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    languages = compilers()
    for language, command in languages:
        if command is None:
            print(f"check_headers: no compiler for {language}: that part is skipped")
    if languages[0][1] is None:
        return 1
    count, problems = check(pathlib.Path(__file__).resolve().parent.parent, languages)
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"check_headers: {count} headers, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
