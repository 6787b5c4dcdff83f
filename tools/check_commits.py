#!/usr/bin/env python3
"""Checks the messages of new commits: subject `area: imperative summary`, then a body that says why.

    tools/check_commits.py              commits since the branch left origin/main, or else the last one
    tools/check_commits.py REVISION     commits since REVISION
    tools/check_commits.py --self-test  plants faults and sees that each one is caught

A merge is exempt. A change of at most 20 lines needs no body.
"""

import re
import subprocess
import sys

SUBJECT = re.compile(r"[a-z][a-z0-9_./-]*(?:, [a-z][a-z0-9_./-]*)*: (\S+)(?: \S+)+")
SUBJECT_MOST = 100
TRIVIAL_LINES = 20
# A verb in another form than the imperative. Verbs that end like one of these forms are listed.
OTHER_FORM = re.compile(r".*(?:ed|ing|[^siu]s)")
IMPERATIVE = {"embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed", "bring", "ring", "string", "alias"}


def problems(message, lines):
    """The faults of one message; `lines` is the number of lines that the commit changes."""
    subject, _, rest = message.strip("\n").partition("\n")
    found = []
    match = SUBJECT.fullmatch(subject)
    if match is None:
        found.append("the subject is not `area: imperative summary`")
    elif OTHER_FORM.fullmatch(match[1].lower()) and match[1].lower() not in IMPERATIVE:
        found.append(f"'{match[1]}' is no imperative; write the subject as an order, `pld: round the tail mass up`")
    if len(subject) > SUBJECT_MOST:
        found.append(f"the subject has {len(subject)} characters; at most {SUBJECT_MOST}")
    if subject.endswith("."):
        found.append("the subject ends with a period")
    if rest and not rest.startswith("\n"):
        found.append("the line after the subject is not empty")
    if lines > TRIVIAL_LINES and not rest.strip():
        found.append(f"the body is missing; say why, for {lines} changed lines")
    return found


def git(*words):
    return subprocess.run(["git", *words], capture_output=True, text=True, check=False)


def first_revision():
    """Where the new commits begin; None: the history has one commit, or is cut off there."""
    base = git("merge-base", "HEAD", "origin/main")
    if base.returncode == 0 and base.stdout.strip() != git("rev-parse", "HEAD").stdout.strip():
        return base.stdout.strip()
    before = git("rev-parse", "--verify", "--quiet", "HEAD~1")
    return before.stdout.strip() if before.returncode == 0 else None


def changed_lines(commit):
    numbers = git("show", "--format=", "--numstat", commit).stdout.split("\n")
    return sum(int(number) for row in numbers for number in row.split("\t")[:2] if number.isdigit())


def check(revision):
    commits = git("rev-list", "--no-merges", f"{revision}..HEAD")
    if commits.returncode != 0:
        sys.exit(f"check_commits: {commits.stderr.strip()}")
    failed = 0
    for commit in commits.stdout.split():
        message = git("show", "--no-patch", "--format=%B", commit).stdout
        for problem in problems(message, changed_lines(commit)):
            failed += 1
            print(f"{commit[:12]} {message.splitlines()[0]!r}: {problem}")
    print(f"check_commits: {len(commits.stdout.split())} commits, {failed} problems")
    return 1 if failed else 0


FINE = [("pld: round the tail mass up\n\nA lower mass is no bound.\n", 300), ("docs: fix a link\n", 2),
        ("audit, tests: process one record less\n\nWhy.\n", 50), ("random/stairs: seed the sampler once\n", 20)]
FAULTS = [("Round the tail mass up\n\nWhy.\n", 5), ("pld: rounded the tail mass up\n\nWhy.\n", 5),
          ("pld: rounds the tail mass up\n\nWhy.\n", 5), ("pld: rounding the tail mass up\n\nWhy.\n", 5),
          ("PLD: round the tail mass up\n\nWhy.\n", 5), ("pld: round\n\nWhy.\n", 5), ("pld: round it up.\n", 5),
          ("pld: round it up\nWhy.\n", 5), ("pld: round it up\n", 21), ("pld: round it up\n\n \n", 21),
          ("pld: round " + "x" * 100 + " up\n", 5)]


def self_test():
    wrong = [case for case in FINE if problems(*case)] + [case for case in FAULTS if not problems(*case)]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"check_commits: self-test: {len(FAULTS)} faults planted, {len(wrong)} failures")
    return 1 if wrong else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if len(arguments) > 1 or any(word.startswith("-") for word in arguments):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    if git("rev-parse", "--is-inside-work-tree").returncode != 0:
        print("check_commits: no git repository; nothing to check")
        return 0
    revision = arguments[0] if arguments else first_revision()
    if revision is None:
        print("check_commits: no earlier commit; nothing to check")
        return 0
    return check(revision)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
