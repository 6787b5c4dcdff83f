#!/usr/bin/env python3
"""Runs the examples of the documents, compares their output with the text, and checks the links.

    check_docs.py --sotto build/sotto             every example and every link of every document
    check_docs.py --sotto build/sotto --update    writes the real output into the documents
    check_docs.py --sotto sotto --page PAGE       the examples of one page
    check_docs.py --links                         only the links; needs no built command
    check_docs.py --self-test                     plants faults and must catch every one

Numbers of nine and more digits may differ in the last ones: the C library's mathematics is not
the same to the bit on every processor.

A link of a Markdown file is relative: its file exists in the repository, and its anchor is a heading of that file.

An example is a fenced block marked `console`: a line `$ command` (goes on with lines `> ...`),
then what it prints, standard output and error together. The commands of a document run in one
shell, in an empty directory where `sotto` is the built command and examples/ is ours. A block marked `c title="NAME"` (any language) is the
file NAME there. A page with the comment of NEEDS_TREE is left
to tests/install/run.sh, which gives its installed tree and --page.
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
FENCE = re.compile(r"^ *```.*?^ *```$", re.M | re.S)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^ {0,3}\[[^\]\n]+\]:\s*<?([^\s>]+)", re.M)
HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t#]*$", re.M)
ANCHOR = re.compile(r"<a\s+(?:id|name)=\"([^\"]+)\"")
SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
FILE = re.compile(r"^```\w+ title=\"([\w.-]+)\"\n(.*?)^```$", re.M | re.S)
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
NEEDS_TREE = "<!-- check_docs: needs an installed tree -->"
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


def run(commands, sotto, files):
    """What each command prints; $? of one is there for the next. `files` are (name, text)."""
    script = "exec 2>&1\n"
    for command in commands:
        script += f"{command}\n__status=$?; printf '%s\\n' '{MARK}'; (exit $__status)\n"
    with tempfile.TemporaryDirectory() as directory:
        os.mkdir(os.path.join(directory, "bin"))
        work = os.path.join(directory, "work")
        os.mkdir(work)
        os.symlink(sotto, os.path.join(directory, "bin", "sotto"))
        os.symlink(os.path.join(ROOT, "examples"), os.path.join(work, "examples"))
        for name, text in files:
            with open(os.path.join(work, name), "w", encoding="utf-8") as file:
                file.write(text)
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


def check(name, sotto, update, has_tree=False):
    """(number of commands, number that differ)"""
    with open(name, encoding="utf-8") as file:
        text = file.read()
    if NEEDS_TREE in text and not has_tree:
        return 0, 0
    blocks = [steps_of(match[1]) for match in BLOCK.finditer(text)]
    steps = [step for block in blocks for step in block]
    if not steps:
        return 0, 0
    outputs = run([step[1] for step in steps], sotto, FILE.findall(text))
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


def anchors_of(text):
    """The anchors that GitHub gives to the headings, and explicit ones."""
    text = FENCE.sub("", text)
    anchors, seen = set(ANCHOR.findall(text)), {}
    for title in HEADING.findall(text):
        title = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", title)  # a link in a heading counts as its text
        slug = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        anchors.add(f"{slug}-{count}" if count else slug)
    return anchors


def check_links(root, names):
    """(number of links, problems) of the Markdown files `names` under `root`."""
    texts = {}

    def read(path):
        if path not in texts:
            with open(path, encoding="utf-8") as file:
                texts[path] = file.read()
        return texts[path]

    count, problems = 0, []
    for name in names:
        text = read(os.path.join(root, name))
        prose = CODE.sub("", FENCE.sub("", text))
        for match in LINK.finditer(prose):
            link = match[1] or match[2]
            if SCHEME.match(link):
                continue
            count += 1
            path, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(root, os.path.dirname(name), path)) if path else os.path.join(root, name)
            if path.startswith("/") or os.path.relpath(target, root).startswith(".."):
                problems.append(f"{name}: the link {link} leaves the repository; give a relative path inside it")
            elif not os.path.exists(target):
                problems.append(f"{name}: the link {link} has no file")
            elif anchor and (not target.endswith(".md") or anchor not in anchors_of(read(target))):
                problems.append(f"{name}: the link {link} has no heading")
    return count, problems


def markdown_files(root):
    """Markdown files that git tracks or would track; of an unpacked archive the documents' own."""
    command = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.md"]
    listed = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if listed.returncode != 0:
        return sorted(glob.glob("*.md", root_dir=root) + glob.glob("docs/**/*.md", root_dir=root, recursive=True))
    names = set(listed.stdout.decode().split("\0"))
    return sorted(name for name in names if name and os.path.exists(os.path.join(root, name)))


FINE = [
    "$ echo one\none\n",
    "$ echo one\none\n$ echo two >&2\ntwo\n",
    "$ false\n$ echo $?\n1\n",
    "$ cat <<END\n> text\n> END\ntext\n",
    "$ cat a.c\nint a;\n\nint b;\n```\n\n```c title=\"a.c\"\nint a;\n\nint b;\n",
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


# Links of a page docs/a.md, beside docs/b/c.md with the headings below.
HEADINGS = "# The `x` of a_b: 1, 2\n## Two\n## Two\n```sh\n# no heading\n```\n<a id=\"own\"></a>\n## [A link](a.md) & more\n"
FINE_LINKS = [
    "[x](b/c.md)", "[x](b)", "[x](../docs/b/c.md#two)", "[x](b/c.md#two-1)", "[x](b/c.md#the-x-of-a_b-1-2)", "[x](b/c.md#own)",
    "[x](b/c.md#a-link--more)", "[x](b/c.md \"title\")", "[x](#here)", "[x](https://example.org/none.md)", "`[x](none.md)`",
    "```\n[x](none.md)\n```", "[x][1]\n\n[1]: b/c.md",
]
FAULTY_LINKS = [
    "[x](none.md)", "![x](none.svg)", "[x](c.md)", "[x](b/c.md#three)", "[x](b/c.md#two-2)", "[x](b/c.md#no-heading)", "[x](#nowhere)",
    "[x](/docs/b/c.md)", "[x](../../other/c.md)", "[x][1]\n\n[1]: none.md", "`code` [x](none.md) `code`",
    "[long\ntext](none.md)",
]


def test_links():
    failures = []
    with tempfile.TemporaryDirectory() as directory:
        os.makedirs(os.path.join(directory, "docs", "b"))
        with open(os.path.join(directory, "docs", "b", "c.md"), "w", encoding="utf-8") as file:
            file.write(HEADINGS)
        for link in FINE_LINKS + FAULTY_LINKS:
            with open(os.path.join(directory, "docs", "a.md"), "w", encoding="utf-8") as file:
                file.write(f"# Here\n\nprose {link}\n" if not link.startswith("```") else f"# Here\n\n{link}\n")
            problems = check_links(directory, ["docs/a.md"])[1]
            if bool(problems) != (link in FAULTY_LINKS):
                failures.append(f"misjudged: {link!r}")
        for repository in (False, True):
            if repository:
                subprocess.run(["git", "init", "-q", directory], check=True)
            if markdown_files(directory) != ["docs/a.md", "docs/b/c.md"]:
                failures.append("a page of a subfolder was not found")
    return failures


def self_test():
    failures = test_links()
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
    print(f"check_docs: self-test: {len(FAULTS) + len(FAULTY_LINKS)} faults planted, {len(failures)} failures")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sotto", help="the built command")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--page", help="check only the examples of this page, which may use the installed tree around it")
    parser.add_argument("--links", action="store_true", help="check only the links")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    links, problems = check_links(ROOT, markdown_files(ROOT))
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"links of the documents: {links - len(problems)} resolve, {len(problems)} do not")
    if arguments.links:
        return 1 if problems or links == 0 else 0
    if arguments.sotto is None:
        parser.error("give --sotto, or --links")
    sotto = os.path.abspath(arguments.sotto)
    os.chdir(ROOT)
    commands = failed = 0
    pages = [arguments.page] if arguments.page else sorted(glob.glob("*.md") + glob.glob("docs/**/*.md", recursive=True))
    for name in pages:
        count, differing = check(name, sotto, arguments.update, bool(arguments.page))
        commands += count
        failed += differing
    print(f"examples of the documents: {commands - failed} passed, {failed} failed")
    return 1 if failed or problems or commands == 0 or links == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
