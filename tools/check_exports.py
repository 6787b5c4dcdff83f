#!/usr/bin/env python3
"""Compares the symbols a shared library exports with the list we promised.

    tools/check_exports.py LIB.so LIST             the two must be equal
    tools/check_exports.py --update LIB.so LIST    rewrites LIST
    tools/check_exports.py --complete LIB.so LIST  also: every SOTTO_API function is there
    tools/check_exports.py --self-test

Every exported symbol must start with sotto_, be declared in include/sotto/, and be used: by the
command, the bindings, an example, a test, a header's inline function, or another source than its
own. A symbol that leaves the list breaks programs that are linked already: that changes the SONAME.
"""

import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DECLARED = re.compile(r"\bSOTTO_API\b[^;{]*?\b(sotto_\w+)\s*\(")


def parse_nm(output):
    """Names of `nm -D --defined-only`: address, kind, name with its version, if it has one."""
    names = set()
    for line in output.splitlines():
        fields = line.split()
        if len(fields) >= 2:
            names.add(fields[-1].split("@")[0])
    return names


def exported(library):
    command = ["nm", "-D", "--defined-only", library]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"check_exports: {result.stderr.strip() or 'nm failed'}")
    return parse_nm(result.stdout)


def declared(texts):
    names = set()
    for text in texts:
        text = re.sub(r"/\*.*?\*/|//[^\n]*|^\s*#.*?$", " ", text, flags=re.DOTALL | re.MULTILINE)
        names.update(DECLARED.findall(text))
    return names


def public_headers():
    return [path.read_text(encoding="utf-8") for path in sorted((ROOT / "include/sotto").glob("*.h*"))]


USERS = ("src", "cli", "bindings", "examples", "tests", "fuzz", "bench")
DEFINES_NAMES = re.compile(r"^SOT_DEFINE_NAMES?\((sotto_\w+),", re.MULTILINE)  # src/base/names.h
INLINE = re.compile(r"^static inline\b.*?^}$", re.DOTALL | re.MULTILINE)


def mentions():
    """The set of names of each file that may define or use a function; of a header, those in inline functions."""
    for top in USERS:
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in (".c", ".h", ".py"):
                text = path.read_text(encoding="utf-8", errors="replace")
                made = {name + end for name in DEFINES_NAMES.findall(text) for end in ("_name", "_from_name")}
                yield made | set(re.findall(r"\bsotto_\w+", text))
    for text in public_headers():
        yield set(re.findall(r"\bsotto_\w+", " ".join(INLINE.findall(text))))


def unused(symbols, found):
    """Functions that only one file names, the one that defines them."""
    count = collections.Counter(name for names in found for name in names)
    return [f"{name}: exported, but nothing uses it" for name in sorted(symbols) if count[name] < 2]


def compare(symbols, listing, headers, complete):
    lines = listing.splitlines()
    problems = []
    if lines != sorted(set(lines)):
        problems.append("the list is not sorted, or names a symbol twice; use --update")
    problems += [f"{name}: exported, but not in the list" for name in sorted(symbols - set(lines))]
    problems += [f"{name}: in the list, but not exported" for name in sorted(set(lines) - symbols)]
    for name in sorted(symbols):
        if not name.startswith("sotto_"):
            problems.append(f"{name}: exported without the prefix sotto_")
        elif name not in headers:
            problems.append(f"{name}: exported, but declared in no header of include/sotto/")
    if complete:
        problems += [f"{name}: declared SOTTO_API, but not exported" for name in sorted(headers - symbols)]
    return problems


def self_test():
    nm = "0000000000001139 T sotto_a\n0000000000001140 T sotto_b@@SOTTO_0\n                 w other\n"
    header = (
        "/* SOTTO_API int sotto_comment(void); */\n#define SOTTO_API x\n"
        "SOTTO_API SOTTO_MUST_CHECK int sotto_a(\n    int a);\nSOTTO_API void sotto_b(void);\n"
    )
    headers = declared([header])
    good = {"sotto_a", "sotto_b"}
    cases = [
        ("nm is read", parse_nm(nm) == good | {"other"}),
        ("headers are read", headers == good),
        ("equal passes", compare(good, "sotto_a\nsotto_b\n", headers, True) == []),
        ("one more is caught", compare(good, "sotto_a\n", headers, False) != []),
        ("one less is caught", compare({"sotto_a"}, "sotto_a\nsotto_b\n", headers, False) != []),
        ("disorder is caught", compare(good, "sotto_b\nsotto_a\n", headers, False) != []),
        ("doubles are caught", compare(good, "sotto_a\nsotto_a\nsotto_b\n", headers, False) != []),
        ("a foreign prefix is caught", compare({"sot_x"}, "sot_x\n", {"sot_x"}, False) != []),
        ("an undeclared one is caught", compare({"sotto_c"}, "sotto_c\n", headers, False) != []),
        ("a missing one is caught", compare({"sotto_a"}, "sotto_a\n", headers, True) != []),
        ("a used one passes", unused({"sotto_a"}, [{"sotto_a"}, {"sotto_a", "sotto_b"}]) == []),
        ("an unused one is caught", unused(good, [{"sotto_a"}, {"sotto_a", "sotto_b"}]) != []),
        ("a missing one is let pass", compare({"sotto_a"}, "sotto_a\n", headers, False) == []),
    ]
    failures = [title for title, passed in cases if not passed]
    print(*(f"failed: {title}" for title in failures), sep="\n", end="\n" if failures else "")
    print(f"check_exports: self-test: {len(cases)} cases, {len(failures)} failures")
    return 1 if failures else 0


def main(arguments):
    options = {word for word in arguments if word.startswith("--")}
    words = [word for word in arguments if not word.startswith("--")]
    if options == {"--self-test"} and not words:
        return self_test()
    if len(words) != 2 or not options <= {"--update", "--complete"}:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    symbols = exported(words[0])
    listing = pathlib.Path(words[1])
    if "--update" in options:
        listing.write_text("".join(f"{name}\n" for name in sorted(symbols)), encoding="utf-8")
    if not listing.is_file():
        sys.exit(f"check_exports: {listing} does not exist; make it with --update")
    problems = compare(
        symbols, listing.read_text(encoding="utf-8"), declared(public_headers()), "--complete" in options
    )
    problems += unused(symbols, mentions())
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"check_exports: {len(symbols)} symbols, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
