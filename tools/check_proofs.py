#!/usr/bin/env python3
"""Checks that every mechanism and every sampler has its proof note, with nothing left out.

A mechanism is a file of a folder of src/privacy/mechanisms; its note lies beside it (gaussian/gaussian.c:
gaussian/gaussian.md). A sampler is a header of src/random with a function that draws from a sotto_rng;
its note lies beside it, or its head says "Proof note: <name>.md". A note has the sections
Claim, Neighbours (mechanisms), Assumptions, Rounding and Tests, and each says something; the
tests it names exist.

Every proof note (src/**/*.md) has five parts: Claim, Proof (a section, or a paragraph that starts with
"Proof"), Assumptions, the code that enforces each assumption (the section "Enforced by", whose files
exist) and Tests. A note that lacks a part is refused.

    tools/check_proofs.py              checks the repository
    tools/check_proofs.py --self-test  plants faults and sees that each one is caught
"""

import pathlib
import re
import sys
import tempfile

MECHANISM_SECTIONS = ["Claim", "Neighbours", "Assumptions", "Rounding", "Tests"]
SAMPLER_SECTIONS = ["Claim", "Assumptions", "Rounding", "Tests"]

# Files that are neither, and why.
FRAME = {
    "gate/gate": "lets mechanisms through and records them",
    "gate/tape": "replays the gate in tests",
    "gate/calls": "a part of it",
    "gate/pairs": "a part of it",
    "gate/draw": "a part of it",
    "gate/items": "a part of it",
    "additive/additive": "adds noise for the mechanisms whose notes prove its law",
    "additive/avx2": "a part of it",
    "pate/meter": "a display for those who may see the votes: pate/cost.md",
}
PARTS = {
    "rng": "the generator: its claim is in include/sotto/rng.h",
    "digits": "a part of samplers, whose notes count its error",
}

PARTS_OF_NOTE = ["Claim", "Proof", "Assumptions", "Enforced", "Tests"]
PROOF_PARAGRAPH = re.compile(r"(?:^|\n)(?:\d+\. )?\*{0,2}Proof\b|\*Proof\b")
SOURCE = re.compile(r"`((?:src|include|cmake|tests|docs)/[\w./-]*\w)`")

DRAWS = re.compile(r"\(\s*[^;{]*\bsotto_rng\s*\*")
NOTE = re.compile(r"Proof note:\s*(?:[\w/]*/)?(\w+)\.md")
HEADING = re.compile(r"^##?\s+(\w+)[^\n]*$", re.MULTILINE)
TEST_FILE = re.compile(r"\b(?:tests/)?[\w/]*\b(?:test|slow)_\w+\.c\b")
LEAST_LETTERS = 20  # of a section; "none" is not an assumption


def sections(text):
    found = {}
    matches = list(HEADING.finditer(text))
    for match, following in zip(matches, matches[1:] + [None]):
        end = following.start() if following else len(text)
        found[match.group(1)] = text[match.end():end].strip()
    return found


def check_note(root, note, wanted, subject):
    place = note.relative_to(root)
    if not note.is_file():
        return [f"{subject.relative_to(root)}: no proof note {place}"]
    found = sections(note.read_text(encoding="utf-8"))
    problems = []
    for title in wanted:
        if title not in found:
            problems.append(f"{place}: no section {title}")
        elif len(found[title]) < LEAST_LETTERS:
            problems.append(f"{place}: the section {title} says nothing")
    named = TEST_FILE.findall(found.get("Tests", ""))
    if "Tests" in found and not named:
        problems.append(f"{place}: the section Tests names no test program")
    for name in named:
        if not list((root / "tests").rglob(pathlib.Path(name).name)):
            problems.append(f"{place}: names {name}, which does not exist")
    return problems


def check(root):
    problems, count = [], 0
    mechanisms = root / "src/privacy/mechanisms"
    subjects = {path.relative_to(mechanisms).with_suffix("").as_posix(): path for path in sorted(mechanisms.rglob("*.[ch]"))}
    for name in sorted(set(subjects) - set(FRAME)):
        problems += check_note(root, mechanisms / f"{name}.md", MECHANISM_SECTIONS, subjects[name])
        count += 1
    samplers = root / "src/random"
    for header in sorted(samplers.rglob("*.h")):
        text = header.read_text(encoding="utf-8")
        if header.stem in PARTS or not DRAWS.search(re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)):
            continue
        named = NOTE.search(text)
        note = header.parent / f"{named.group(1) if named else header.stem}.md"
        problems += check_note(root, note, SAMPLER_SECTIONS, header)
        count += 1
    return count, problems


def lacking(root, text):
    """The parts that a note lacks, and problems of those that it has."""
    found = sections(text)
    absent = [part for part in PARTS_OF_NOTE if len(found.get(part, "")) < LEAST_LETTERS]
    if "Proof" in absent and PROOF_PARAGRAPH.search(text):
        absent.remove("Proof")
    named = SOURCE.findall(found.get("Enforced", ""))
    problems = [f"names {name}, which does not exist" for name in named if not (root / name).exists()]
    if "Enforced" not in absent and not named:
        problems.append("the section Enforced by names no file")
    return absent, problems


def check_parts(root):
    problems, count = [], 0
    for path in sorted((root / "src").rglob("*.md")):
        if path.name == "README.md":
            continue
        place = path.relative_to(root)
        absent, faults = lacking(root, path.read_text(encoding="utf-8"))
        count += 1
        problems += [f"{place}: {fault}" for fault in faults]
        problems += [f"{place}: no part {part}" for part in absent]
    return count, problems


SAMPLER_NOTE = """# Discrete Laplace
## Claim
Every draw has the stated law exactly.
## Assumptions
The generator's words are uniform and independent.
## Enforced by
- Uniform words: `src/random/rng.h`.
## Proof
Every sample has the stated distribution exactly.
## Rounding
None: integers and comparisons only.
## Tests
tests/random/test_laplace.c compares with the exact law.
"""
MECHANISM_NOTE = SAMPLER_NOTE + "## Neighbours\nAdd or remove one record of the data.\n"
ORDER = {
    "src/random/rng.h": "int sot_u64(sotto_rng *rng);\n",
    "src/random/wide.h": "/* no (sotto_rng * here) */ int sot_wide(int a);\n",
    "src/random/laplace.h": "int sot_laplace(\n    sotto_rng *rng, int scale);\n",
    "src/random/laplace.md": SAMPLER_NOTE,
    "src/random/geometric.h": "/* Proof note: laplace.md. */ int sot_geometric(sotto_rng *rng);\n",
    "src/privacy/mechanisms/gate/gate.h": "\n",
    "src/privacy/mechanisms/count/count.c": "\n",
    "src/privacy/mechanisms/count/count.md": MECHANISM_NOTE,
    "tests/random/test_laplace.c": "\n",
}
FAULTS = {
    "a sampler without a note": {"src/random/new.h": "int sot_new(int a, sotto_rng *rng);\n"},
    "a mechanism without a note": {"src/privacy/mechanisms/count/new.h": "\n"},
    "a mechanism in a folder without a note": {"src/privacy/mechanisms/new/new.h": "\n"},
    "a sampler in a folder without a note": {"src/random/new/new.h": "int sot_new(int a, sotto_rng *rng);\n"},
    "a note that is not there": {"src/random/new.h": "/* Proof note: none.md */ int sot_new(sotto_rng *rng);\n"},
    "a mechanism without neighbours": {"src/privacy/mechanisms/count/count.md": SAMPLER_NOTE},
    "a section is missing": {"src/random/laplace.md": SAMPLER_NOTE.replace("## Rounding", "## Other")},
    "a section is empty": {"src/random/laplace.md": SAMPLER_NOTE.replace("None: integers and comparisons only.", "")},
    "no test is named": {"src/random/laplace.md": SAMPLER_NOTE.replace("test_laplace.c", "a test program")},
    "no proof": {"src/random/laplace.md": SAMPLER_NOTE.replace("## Proof", "## Other")},
    "no enforcement": {"src/random/laplace.md": SAMPLER_NOTE.replace("## Enforced by", "## Other")},
    "enforcement without a file": {"src/random/laplace.md": SAMPLER_NOTE.replace("`src/random/rng.h`", "the generator, always")},
    "a file of the enforcement does not exist": {"src/random/laplace.md": SAMPLER_NOTE.replace("rng.h`", "none.h`")},
    "a note of another folder lacks parts": {"src/data/where.md": "# Where\n## Claim\nOne row counts once, always.\n"},
    "a test does not exist": {"src/random/laplace.md": SAMPLER_NOTE.replace("test_laplace", "test_other")},
}


def build(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def self_test():
    failures = []
    for title, fault in {"": {}, **FAULTS}.items():
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            build(root, ORDER)
            build(root, fault)
            problems = check(root)[1] + check_parts(root)[1]
        if bool(problems) != bool(title):
            failures.append(f"not caught: {title}" if title else f"in order, yet: {problems}")
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        if check(root) != (0, []):
            failures.append("absent folders do not pass")
    print(*failures, sep="\n", end="\n" if failures else "")
    print(f"check_proofs: self-test: {len(FAULTS)} faults planted, {len(failures)} failures")
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if arguments:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    root = pathlib.Path(__file__).resolve().parent.parent
    count, problems = check(root)
    notes, faults = check_parts(root)
    problems += faults
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"check_proofs: {count} mechanisms and samplers, {notes} notes, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
