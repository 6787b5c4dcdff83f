#!/usr/bin/env python3
"""Checks the words of every tracked file: no machine paths, no notes to oneself, plain prose.

Paths of machines are refused everywhere, marks of unfinished work everywhere, and excuses in
code and build files (prose may need the words).

Prose is counted by kind of fault in four scopes. "pages" are README, docs, man pages, SECURITY,
CONTRIBUTING, the newest section of CHANGELOG, Python docstrings and the comments of include/.
"program" are the string literals of the library and the command, which users read as errors,
help and reports. "notes" are the proof notes, src/**/*.md. "comments" are
the comments of src/. Code spans, code blocks, identifiers and addresses are not prose. The kinds:

    glossary   a word that has a term of the field ("law" for distribution)
    clause     a noun written as a clause ("what may be kept", "shows how much", a sentence that
               starts with "Of", "Whether", "Who" or "That the")
    order      inverted order: a sentence that starts with "Nor is" or "So does", "Only then"
    person     a program, user or number that is a he, a nobody or a whoever, or hears and forgives
    long       a sentence of more than 40 words
    wordy      a sentence of 26 to 40 words: a warning, counted like the others

tools/words_budget.json has the number allowed for each; a count above its number fails.

    tools/check_words.py                   checks the files git knows
    tools/check_words.py --report [PATH]   prints the findings, of files that start with PATH
    tools/check_words.py --update          lowers the budget to the counts; it never raises one
    tools/check_words.py --self-test       plants faults and checks that each one is caught
"""

import ast
import bisect
import json
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


# Prose. A segment is a piece of text in which sentences end: a paragraph, a list item, a table
# cell, a string. It keeps its newlines, so that a place in it has a line.

KINDS = ["glossary", "clause", "order", "person", "long", "wordy"]
SCOPES = ["pages", "program", "notes", "comments"]
BUDGET = "tools/words_budget.json"

# Certified files keep these words, and verification compares them.
FORMER_WORDS = ["src/artifact/certificate/statement.c"]

# Term of the field: pattern of the word that is used instead of it. A lookaround is an exception.
GLOSSARY = {
    "distribution": r"(?<!power )(?<!by )\blaws?\b(?! of large| of total| requires)",
    "random linear term": r"\btilt(?:s|ed|ing)?\b",
    "clip, truncate": r"(?<!short )(?<!-)\bcut(?:s|ting)?\b(?!-| off| short| points?)",
    "sample": r"\b(?:draws?|drew|drawn|drawing)\b(?! (?:a |the )?(?:line|plot|figure|curve|chart|picture|image|page))",
    "kink": r"\bcorners?\b(?! cases?)",
    "curvature term": r"\bbend(?:s|ing)?\b",
    "double-double": r"\btwofold\b",
    "extended precision": r"\bcareful (?=arithmetic|kernel|sum|sums|path|version|way|one)",
    "iterates, training loop": r"(?<!random )\bwalk(?:s|ed|ing)?\b(?!-?through)",
    "iteration, step": r"\bmethods? in steps\b",
    "record-and-replay test": r"(?<!gate )\btapes?\b",
    "mutant": r"\bplanted bugs?\b",
    "flagged": r"\b(?:accus(?:e|es|ed|ing)|recogni[sz]ed)\b",
    "simulation": r"\brehears(?:e|es|ed|al|als|ing)\b",
    "resume": r"\b(?:go|goes|going|gone|went) on\b",
    "gzip-compressed": r"(?<!bit-)\bpacked\b",
    "default": r"\b(?:by|from) the rule\b|\bthe rule (?:chooses|chose|gives|takes|says)\b|\brules? chose\b",
    "HTML report": r"\bpages? for people\b",
    "learned": r"\blearnt\b",
    "only": r"(?<!stand )(?<!stands )(?<!let )(?<!-)\balone\b",
    "a number or limit": r"\bso many\b|\bthe (?:least|most|fewest) that\b|\bhowever many\b",
    "distinguish, reveal, state": r"\b(?:tells?|telling|told)\b",
    "per": r"\b(?:(?:one|two|three|\d+)(?: (?!with|of|from|in|to|for|by|is|per|or|and|as|if)[a-z]+)?|bits|bytes|pixels|records|rows|samples|steps) an? "
           r"(?:call|canary|class|column|coordinate|feature|file|folder|line|minute|parameter|person|pixel|query|record|"
           r"release|row|run|second|side|step|unit)\b",
    "pass, return": r"\bhand(?:s|ed|ing) (?:over|out|back)\b",
}
# In sampler code "draw" is the usual verb: only the noun is a finding.
DRAW_NOUN = r"\b(?:an?|the|this|that|each|every|one|two|several|more|many|few|of|posterior|\d+)\s+(?:draw|draws)\b"

CLAUSES = [
    re.compile(r"\b(?:what|whatever)\b(?! if\b)", re.IGNORECASE),
    re.compile(r"\bthat which\b", re.IGNORECASE),
    re.compile(r"\bhow\b(?! to\b|-to\b|ever\b)", re.IGNORECASE),
]
OPENING = re.compile(r"^[\s*_(\"]*(?:Whether|Of|Who|That (?:a|an|the|no|every|each|some))\b(?! course)")
INVERTED = re.compile(r"^[\s*_(\"]*(?:(?:Nor|So|Neither|Never|Rarely|Seldom|Not only) (?:is|are|was|were|do|does|did|"
                      r"has|have|had|can|could|may|might|must|will|would|should)|Only (?:then|so|there)|Here (?:begins|ends))\b")
PERSON = re.compile(r"\b(?:he|she|his|hers?|him|nobody|no one|whoever|whomever|somebody|everybody|anybody|hears?|heard|"
                    r"forgives?|forgets?|keeps? (?:its|their) word|(?:its|their) word)\b(?!')", re.IGNORECASE)

WORD = re.compile(r"[^\W_][\w'’.,-]*")
# A list of identifiers is as easy to read as one.
CODE_LIST = re.compile(r"(?:\bCode\b[,;]?\s+(?:(?:and|or)\s+)?)+Code\b")
SENTENCE_END = re.compile(r"(?<!\bal)(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bcf)[.!?][)\"'*_]*(?=\s+(?:[A-Z0-9\"'(*_]|(?:lib)?sotto\b|pandas\b|opacus\b|dp-acc)|\s*$)")


def glossary_of(scope):
    words = dict(GLOSSARY)
    if scope in ("comments", "notes"):
        words["sample"] = DRAW_NOUN
    return [(term, re.compile(pattern, re.IGNORECASE)) for term, pattern in words.items()]


RULES = {scope: glossary_of(scope) for scope in SCOPES}
SUSPECT = {scope: re.compile("|".join(rule.pattern for _, rule in RULES[scope]), re.IGNORECASE) for scope in SCOPES}


def sentences_of(segment):
    """[(place, sentence)]"""
    found, start = [], 0
    for match in SENTENCE_END.finditer(segment):
        found.append((start, segment[start:match.end()]))
        start = match.end()
    if segment[start:].strip():
        found.append((start, segment[start:]))
    return found


def judge(scope, segment):
    """[(kind, place, words)] of one segment."""
    found = []
    if SUSPECT[scope].search(segment):
        for term, rule in RULES[scope]:
            for match in rule.finditer(segment):
                found.append(("glossary", match.start(), f"{match.group(0)!r}: write {term}"))
    for match in PERSON.finditer(segment):
        found.append(("person", match.start(), repr(match.group(0))))
    for place, sentence in sentences_of(segment):
        question = sentence.rstrip(" \n)\"'*_").endswith("?")
        if not question:
            for rule in CLAUSES:
                for match in rule.finditer(sentence):
                    around = " ".join(sentence[max(0, match.start() - 20):match.end() + 25].split())
                    found.append(("clause", place + match.start(), repr(around)))
            if OPENING.match(sentence):
                found.append(("clause", place + len(sentence) - len(sentence.lstrip()),
                              repr(" ".join(sentence.split()[:6]))))
            if INVERTED.match(sentence):
                found.append(("order", place + len(sentence) - len(sentence.lstrip()),
                              repr(" ".join(sentence.split()[:6]))))
        count = len(WORD.findall(CODE_LIST.sub("Code", sentence)))
        if count > 25:
            kind = "long" if count > 40 else "wordy"
            start = place + len(sentence) - len(sentence.lstrip())
            found.append((kind, start, f"{count} words: {' '.join(sentence.split()[:8])} ..."))
    return found


def blank(match):
    """A word in place of code, with the lines that the code had."""
    return "Code" + "\n" * match.group(0).count("\n")


SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*(?:\([^()]*\)[^()\s]*)?\)")
ADDRESS = re.compile(r"<?\bhttps?://[^\s>)]+>?|<[a-zA-Z/!][^>\n]*>")
ITEM = re.compile(r"\s*(?:[-*+]|\d+\.)\s+")


def prose_of_span(text):
    """Text without code spans, link targets and addresses; the lines stay."""
    return ADDRESS.sub(" ", LINK.sub(lambda match: match[1], SPAN.sub(blank, text)))


def markdown(text):
    """[(line, segment)]"""
    segments, block, first, fence, code_ok = [], [], 0, None, True

    def close():
        if block:
            segments.append((first, prose_of_span("\n".join(block))))
            block.clear()

    for number, line in enumerate(text.split("\n"), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if fence or mark:
            close()
            if fence and line.strip().startswith(fence):
                fence = None
            elif not fence:
                fence = mark[1]
            continue
        if not line.strip():
            close()
            code_ok = True
            continue
        if line.startswith(("    ", "\t")) and code_ok and not block:
            continue
        code_ok = False
        if line.lstrip().startswith("|"):
            close()
            row = SPAN.sub(blank, line)
            if not re.fullmatch(r"[\s|:-]+", row):
                segments += [(number, prose_of_span(cell)) for cell in re.split(r"(?<!\\)\|", row) if cell.strip()]
            continue
        if line.startswith("#"):
            close()
            segments.append((number, prose_of_span(line.lstrip("# "))))
            continue
        item = ITEM.match(line)
        if item:
            close()
            line = line[item.end():]
        if not block:
            first = number
        block.append(line)
    close()
    return segments


def man(text):
    """Sentences of mdoc: macros that name things become words, displays are left out."""
    segments, block, first, literal = [], [], 0, False

    def close():
        if any(block):
            segments.append((first, "\n".join(block)))
        block.clear()

    for number, line in enumerate(text.split("\n"), 1):
        if literal:
            literal = not line.startswith((".Ed", ".fi"))
            continue
        if line.startswith((".Bd", ".nf")):
            close()
            literal = True
            continue
        macro = re.match(r"\.([A-Z][a-z])\b ?(.*)", line)
        if macro and macro[1] == "Nd":
            segments.append((number, macro[2]))
            continue
        if macro and macro[1] in ("Em", "Sy", "Sx", "Dq", "Pq", "Sq"):
            line = re.sub(r"\b(?:Fl|Ar|Cm|Pa|Ql)\s+\S+", "Code", macro[2])
        elif macro and macro[1] in ("Fl", "Ar", "Cm", "Pa", "Ql", "Nm", "Xr", "Va", "Dv", "Ev", "Li", "Op"):
            end = re.search(r"\s([.,;:)]+)$", macro[2])
            line = "Code" + (end[1] if end else "")
        elif line.startswith((".", "'")):
            close()
            continue
        if not block:
            first = number
        block.append(re.sub(r"\\[a-zA-Z&-]|\\\(..|\\\[[^\]]*\]", "", line))
    close()
    return segments


C_TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
JOIN = re.compile(r"\s*(?:[A-Z_]*PRI[A-Za-z0-9_]+\s*)?")
COMMAND = re.compile(r"sotto(?: [a-z-]+)+ .*-")  # an example to type, not a sentence
MEMBER = re.compile(r"\"\w+\"(?=: )")  # of a JSON object
FORMAT = re.compile(r"%[-+ #0]*[\d.*]*(?:hh|h|ll|l|z|j|t)?[a-zA-Z]")


class Lines:
    """Line of a place in a text."""

    def __init__(self, text):
        self.starts = [match.end() for match in re.finditer("\n", text)]

    def of(self, place):
        return bisect.bisect_right(self.starts, place) + 1


def c_strings(text):
    """String literals; neighbours are one. Those without a space are names, not prose."""
    segments, parts, last, first, lines = [], [], None, 0, Lines(text)

    def close():
        whole = "".join(parts)
        if " " in whole.strip() and not COMMAND.match(whole):
            whole = MEMBER.sub("Code", FORMAT.sub("Code", whole.replace("\\\"", "\"").replace("%%", "%")))
            for piece in re.split(r"\\n", whole):
                segments.append((first, re.sub(r"--?[a-z][\w-]*", "Code", SPAN.sub(blank, piece))))
        parts.clear()

    for match in C_TOKEN.finditer(text):
        if not match.group(0).startswith("\""):
            continue
        if parts and not JOIN.fullmatch(text, last, match.start()):
            close()
        if not parts:
            first = lines.of(match.start())
        parts.append(match.group(0)[1:-1])
        last = match.end()
    close()
    return segments


IDENTIFIER = re.compile(r"\b\w+(?:\(\)|_\w*|->\w+|::\w+)+|\b[a-z]+\.[chp]\w*\b")


def c_comments(text):
    """Comments, a paragraph a segment; `//` lines are rare and stand for themselves."""
    segments, lines = [], Lines(text)
    for match in C_TOKEN.finditer(text):
        token = match.group(0)
        if not token.startswith("/"):
            continue
        token = token[2:-2] if token.startswith("/*") else token[2:]
        number = lines.of(match.start())
        block = []
        for offset, line in enumerate(token.split("\n")):
            line = re.sub(r"^\s*\*? ?", "", line)
            if not line.strip() or ITEM.match(line):
                if block:
                    segments.append((block[0][0], "\n".join(part for _, part in block)))
                block = []
            if line.strip():
                block.append((number + offset, line))
        if block:
            segments.append((block[0][0], "\n".join(part for _, part in block)))
    return [(line, IDENTIFIER.sub("Code", prose_of_span(segment))) for line, segment in segments]


def docstrings(text):
    segments = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) or not node.body:
            continue
        value = getattr(node.body[0], "value", None)
        if isinstance(node.body[0], ast.Expr) and isinstance(value, ast.Constant) and isinstance(value.value, str):
            indent = min((len(line) - len(line.lstrip()) for line in value.value.split("\n")[1:] if line.strip()),
                         default=0)
            plain = "\n".join([value.value.split("\n")[0]] + [line[indent:] for line in value.value.split("\n")[1:]])
            plain = re.sub(r"^>>>.*$|^\.\.\. .*$|^-+$", "", plain, flags=re.M)
            plain = re.sub(r"^\w[\w, ]* : .*$", "- Code.", plain, flags=re.M)  # a parameter and its type
            segments += [(value.lineno + line - 1, IDENTIFIER.sub("Code", segment)) for line, segment in markdown(plain)]
    return segments


def newest(text):
    """The newest section of a CHANGELOG, with the lines before it kept empty."""
    heads = [match.start() for match in re.finditer(r"^## ", text, re.M)]
    start, end = (heads + [0])[0], (heads + [len(text)] * 2)[1]
    return "\n" * text.count("\n", 0, start) + text[start:end]


def segments_of(name, text):
    """(scope, [(line, segment)]) of a file; (None, []) if it has no prose of ours."""
    path = pathlib.PurePath(name)
    if text.startswith("# Privacy certificate\n"):
        return None, []  # printed by `sotto verify --markdown`
    if name in ("README.md", "SECURITY.md", "CONTRIBUTING.md") or (path.parts[0] == "docs" and path.suffix == ".md"):
        return "pages", markdown(text)
    if name == "CHANGELOG.md":
        return "pages", markdown(newest(text))
    if path.parts[0] == "man" and path.suffix == ".1":
        return "pages", man(text)
    if name.startswith("bindings/python/") and path.suffix == ".py" and "tests" not in path.parts:
        return "pages", docstrings(text)
    if path.parts[0] == "src" and path.suffix == ".md":
        return "notes", markdown(text)
    return None, []


def parts_of(name, text):
    """[(scope, segments)] of a file: a C file has strings and comments."""
    path = pathlib.PurePath(name)
    parts = [segments_of(name, text)]
    if path.parts[0] in ("src", "include", "cli") and path.suffix in (".c", ".h"):
        if name not in FORMER_WORDS:
            parts.append(("program", c_strings(text)))
        if path.parts[0] != "cli":
            parts.append(("comments" if path.parts[0] == "src" else "pages", c_comments(text)))
    return [(scope, segments) for scope, segments in parts if scope is not None]


def prose(root, files, prefix=""):
    """Findings [(scope, kind, "file:line: ...")] and the number of words of each scope."""
    findings, words = [], dict.fromkeys(SCOPES, 0)
    for path in files:
        name = path.relative_to(root).as_posix()
        if not name.startswith(prefix) or path.suffix in DATA or path.is_symlink():
            continue
        if path.suffix not in (".md", ".1", ".c", ".h", ".py"):
            continue
        for scope, segments in parts_of(name, path.read_text(encoding="utf-8", errors="replace")):
            for line, segment in segments:
                words[scope] += segment.count(" ") + segment.count("\n") + 1
                for kind, place, text in judge(scope, segment):
                    findings.append((scope, kind, f"{name}:{line + segment.count(chr(10), 0, place)}: {kind}: {text}"))
    return findings, words


def counts_of(findings):
    counts = {scope: dict.fromkeys(KINDS, 0) for scope in SCOPES}
    for scope, kind, _ in findings:
        counts[scope][kind] += 1
    return counts


def over_budget(counts, budget):
    return [f"{BUDGET}: {scope}: {counts[scope][kind]} findings of the kind {kind}, at most {budget[scope][kind]} "
            f"allowed; list them with tools/check_words.py --report"
            for scope in SCOPES for kind in KINDS if counts[scope][kind] > budget[scope][kind]]


def lowered(counts, budget):
    return {scope: {kind: min(counts[scope][kind], budget[scope][kind]) for kind in KINDS} for scope in SCOPES}


def read_budget(root):
    return json.loads((root / BUDGET).read_text(encoding="utf-8"))


def print_counts(counts, words):
    for scope in SCOPES:
        if words[scope]:
            parts = [f"{kind} {counts[scope][kind]} ({counts[scope][kind] * 1e4 / words[scope]:.1f})" for kind in KINDS]
            print(f"check_words: {scope}: {words[scope]} words; findings (per 10 000 words): {', '.join(parts)}")


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

LONG = "word " * 41 + "end."
WORDY = "word " * 26 + "end."
PLAIN_PROSE = [
    ("docs/a.md", "`the law`, [the distribution](law.md) and <https://example.org/what/law>.\n\n    what a law\n"),
    ("docs/a.md", "```console\n$ what is drawn\n```\n\nWhat is epsilon? How far? The law of large numbers. A corner case."),
    ("docs/a.md", "The cut points of a stump."),
    ("docs/a.md", "It shows how to do it. See [how-to guides](howto). So it is. The sum of a row."),
    ("docs/a.md", "| a | b |\n|---|---|\n| " + "word " * 20 + "| " + "word " * 20 + "|\n"),
    ("docs/a.md", "- " + "word " * 20 + "\n- " + "word " * 20 + "\n"),
    ("docs/a.md", "It stops there, e.g. at " + "word " * 10 + "by Li et al. and so on. " + "Word " * 20 + "end."),
    ("man/a.1", ".Nd sample a posterior\n.Bd -literal\nwhat a law\n.Ed\n.Fl -draws Ar N\nsamples.\n"),
    ("cli/a.c", '/* what a law */ f("law", "sample %s of --draws", WHAT_LAW);'),
    ("cli/a.c", 'f("sotto label a.csv --x 1 ' + "2 " * 30 + '", "\\"draws\\": %zu, \\"law\\": %s");'),
    ("src/a.c", "/* Draws from sot_what_law() and law.h. */ char *law = \"law\";"),
    ("src/artifact/certificate/statement.c", 'f("Whoever tries and wrongly accuses");'),
    ("bindings/python/a.py", 'def f():\n    """A.\n\n    a, b : law\n        ' + "word " * 20 + "\n    c : int\n        " + "word " * 20 + '"""'),
    ("bindings/python/a.py", "law = 'what nobody knows'\ndef f():\n    \"\"\"Samples.\n\n        what(law)\n\n    Done.\n    \"\"\"\n"),
    ("CHANGELOG.md", "# Changes\n\n## 2\n\nPlain.\n\n## 1\n\nWhat a law.\n"),
    ("tests/a.c", "/* what nobody knows of the law */"),
    ("docs/results/a.md", "# Privacy certificate\n\nWhat is protected, and from whoever\n"),
    ("docs/a.md", "Plain " + "word " * 20 + "end. sotto " + "word " * 20 + "end."),
    ("man/a.1", "It has\n" + ".Cm name ,\n" * 50 + "and more.\n"),
]
PROSE_FAULTS = [
    ("docs/a.md", "Its law is known.", "glossary", 1),
    ("docs/a.md", "# A title\n\nOne line\nand the tilt.", "glossary", 4),
    ("docs/a.md", "| `a` | every draw |", "glossary", 1),
    ("docs/a.md", "The slope is cut.", "glossary", 1),
    ("docs/a.md", "It goes on later.", "glossary", 1),
    ("docs/a.md", "For networks alone.", "glossary", 1),
    ("docs/a.md", "It prints what is left.", "clause", 1),
    ("docs/a.md", "## What it costs", "clause", 1),
    ("docs/a.md", "Plain. Whether it fits is printed.", "clause", 1),
    ("docs/a.md", "Of `softmax` a list.", "clause", 1),
    ("docs/a.md", "Nobody adds them up.", "person", 1),
    ("docs/a.md", "The reader and his key.", "person", 1),
    ("docs/a.md", "It shows how much is left.", "clause", 1),
    ("docs/a.md", "Plain. Who reads it can see it.", "clause", 1),
    ("docs/a.md", "That the file is whole is not checked.", "clause", 1),
    ("docs/a.md", "The file fails. So does the run.", "order", 1),
    ("docs/a.md", "Only then the run starts.", "order", 1),
    ("docs/a.md", "No one adds them up.", "person", 1),
    ("docs/a.md", "The average forgives it.", "person", 1),
    ("docs/a.md", "It tells them apart.", "glossary", 1),
    ("docs/a.md", "One number a row.", "glossary", 1),
    ("docs/a.md", "Records a step, on average.", "glossary", 1),
    ("docs/a.md", "C hands over a stream.", "glossary", 1),
    ("src/a.md", "# A\n\nThe law of what is left.", "clause", 3),
    ("include/sotto/a.h", "/* Draws one. */", "glossary", 1),
    ("docs/sub/a.md", LONG.capitalize(), "long", 1),
    ("docs/a.md", "`a`, `b` and `c` " + LONG, "long", 1),
    ("docs/a.md", WORDY.capitalize(), "wordy", 1),
    ("README.md", "- one\n- whoever\n", "person", 2),
    ("SECURITY.md", "A planted bug.", "glossary", 1),
    ("CHANGELOG.md", "# Changes\n\n## 2\n\nWhat is new.\n\n## 1\n", "clause", 5),
    ("man/a.1", ".Sh NAME\n.Nm a\n.Nd what is drawn\n", "clause", 3),
    ("man/a.1", ".It Fl -x\nThe law\nof\n.Ar X .\n", "glossary", 2),
    ("cli/a.c", 'f("sotto trains by the law", "no \\"draws\\" left");', "glossary", 1),
    ("cli/a.c", '\nf("a number "\n  "he gave");', "person", 2),
    ("bindings/python/a.py", 'def f():\n    """One.\n\n    A draw.\n    """\n', "glossary", 4),
    ("bindings/python/a.py", 'def f():\n    """One.\n\n    a : int\n        The law.\n    """\n', "glossary", 5),
    ("src/a.c", 'f("standard deviation of the random tilt");', "glossary", 1),
    ("src/a.c", '\nf("Whoever wrongly accuses %s");', "person", 2),
    ("src/a.c", '\nf("and wrongly accuses %s");', "glossary", 2),
    ("src/a.c", 'f("what the solver proves");', "clause", 1),
    ("src/a.c", "int a;\n/* The law\n * of what is left. */", "glossary", 2),
    ("src/a.c", "int a;\n/* The distribution\n * of what is left. */", "clause", 3),
    ("include/sotto/a.h", "/* Each draw. */", "glossary", 1),
]


def prose_failures():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text, *wanted in PLAIN_PROSE + PROSE_FAULTS:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            found = [line for _, _, line in prose(root, [path])[0]]
            path.unlink()
            if not wanted and found:
                failures.append(f"plain, yet: {found}")
            if wanted and not any(line.startswith(f"{name}:{wanted[1]}: {wanted[0]}: ") for line in found):
                failures.append(f"not caught: {name} {text!r}: {found}")
    none = {scope: dict.fromkeys(KINDS, 1) for scope in SCOPES}
    for scope in SCOPES:
        for kind in KINDS:
            more = {place: dict(counts) for place, counts in none.items()}
            more[scope][kind] += 1
            if len(over_budget(more, none)) != 1 or over_budget(none, more):
                failures.append(f"the budget of {scope}, {kind} does not hold")
            if lowered(more, none) != none or lowered(none, more) != none:
                failures.append(f"--update raises {scope}, {kind}")
    return failures


def self_test():
    failures = [f"fine, yet: {check_text(*case)}" for case in FINE if check_text(*case)]
    failures += [f"not caught: {case}" for case in FAULTS if not check_text(*case)]
    with tempfile.TemporaryDirectory() as folder:  # the files are really read
        root = pathlib.Path(folder)
        subprocess.run(["git", "init", "-q", folder], check=True)
        (root / "a.c").write_text(FAULTS[0][1], encoding="utf-8")
        if check(root)[0] != 1 or len(check(root)[1]) != 1:
            failures.append("a file of a repository was not read")
    failures += prose_failures()
    print(*failures, sep="\n", end="\n" if failures else "")
    print(f"check_words: self-test: {len(FAULTS) + len(PROSE_FAULTS)} faults planted, {len(failures)} failures")
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    root = pathlib.Path(__file__).resolve().parent.parent
    if arguments[:1] == ["--report"] and len(arguments) <= 2:
        findings, words = prose(root, tracked(root), "".join(arguments[1:]))
        print(*[line for _, _, line in findings], sep="\n", end="\n" if findings else "")
        print_counts(counts_of(findings), words)
        return 0
    if arguments not in ([], ["--update"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    count, problems = check(root)
    findings, words = prose(root, tracked(root))
    counts = counts_of(findings)
    if arguments == ["--update"]:
        budget = lowered(counts, read_budget(root))
        (root / BUDGET).write_text(json.dumps(budget, indent=4) + "\n", encoding="utf-8")
    problems += over_budget(counts, read_budget(root))
    print(*problems, sep="\n", end="\n" if problems else "")
    print_counts(counts, words)
    print(f"check_words: {count} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
