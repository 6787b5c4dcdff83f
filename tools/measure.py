#!/usr/bin/env python3
"""Measures the house: lines of src/ and cli/, the longest function and file, comparisons with kinds, prefixes of symbols.

    tools/measure.py            code, comment and blank lines of every room, and the largest sizes
    tools/measure.py --kinds    comparisons with a kind outside of the folders of its family
    tools/measure.py --symbols  hidden functions whose name does not begin with the name of their folder

docs/internals/house.md has the figures.
"""

import argparse
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMENT = re.compile(r"""/\*.*?\*/|//[^\n]*|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')""", re.DOTALL)
FUNCTION = re.compile(r"^(?!typedef|struct|enum|union|static const|const static)[A-Za-z_][^;{}=#]*\([^;{}]*\)\n\{\n(.*?)^\}", re.DOTALL | re.MULTILINE)
DEFINED = re.compile(r"^(?!static)[A-Za-z_][\w *]*?\b(sot_\w+)\([^;{}]*\)\n\{", re.MULTILINE)

# Values of a kind, and the folders of its family. Formats of files have no values: readers are compared by their tables.
FAMILIES = {
    "model": (r"SOTTO_MODEL_(?!UNSET\b)[A-Z_]+", ("src/models/",)),
    "method": (r"SOTTO_METHOD_(?!UNSET\b|AUTO\b)[A-Z_]+",
               ("src/methods/", "src/models/network/learn/", "src/models/concept/learn/")),
    "mechanism": (r"SOTTO_(?:GAUSSIAN|PURE|APPROXIMATE|ZCDP|GDP|DISCRETE_GAUSSIAN|DISCRETE_LAPLACE|EXPONENTIAL|PERMUTE_AND_FLIP|"
                  r"RANDOMIZED_RESPONSE|OBJECTIVE_PERTURBATION|LAPLACE|RDP_CURVE)", ("src/privacy/",)),
    "concept": (r"SOT_CONCEPT_(?:THRESHOLDS|INTERVALS|STUMPS|RECTANGLES|CONJUNCTIONS|PARITIES|CANDIDATES)", ("src/models/concept/",)),
    "layer": (r"SOT_LAYER_(?:DENSE|CONV|TANH|RELU|MAX_POOL|AVERAGE_POOL|FLATTEN|GROUP_NORM|DATA_NORM|NORMALISE|SCATTERING)",
              ("src/models/network/",)),
    "reader": (r"&?sot_reader_\w+", ("src/data/readers/",)),
    "statistic": (r"SOTTO_RELEASE_(?:COUNT|SUM|MEAN|HISTOGRAM|QUANTILE|BOUNDS|CHOICE|RESPONSES|ACCURACY)", ("src/commands/statistics/",)),
}
WORDS = {"model": "logistic|svm|hinge|softmax|linear|huber|poisson|network|concept",
         "method": "objective|output|gd|sgd|newton|statistics|adassp|permutation-sgd|gd-output|frank-wolfe|posterior|regularized-em",
         "reader": "csv|tsv|json-lines|libsvm|npy|idx|cifar|sqlite|arrow"}


def sources(*tops):
    for top in tops:
        for path in sorted((ROOT / top).rglob("*.[ch]")):
            yield path, path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def code_of(text):
    """The text with comments as marks, lines kept."""
    return COMMENT.sub(lambda match: match[1] or re.sub(r"[^\n]", "\x01", match[0]), text)


def lines():
    rooms = collections.defaultdict(lambda: [0, 0, 0, 0])
    longest, largest, files = (0, ""), (0, ""), collections.Counter()
    for path, name, text in sources("src", "cli"):
        counts = [0, 0, 0]
        for line in code_of(text).splitlines():
            line = line.strip()
            counts[2 if not line else 1 if not line.strip("\x01 ") else 0] += 1
        parts = name.split("/")[:-1]
        room = rooms["/".join(parts[:3] if parts[0] == "src" else parts[:2])]
        for i in range(3):
            room[i] += counts[i]
        room[3] += 1
        files[path.parent.relative_to(ROOT).as_posix()] += path.suffix == ".c"
        longest = max(longest, (sum(counts), name))
        for match in FUNCTION.finditer(text):
            head = re.search(r"(\w+)\(", match[0])
            largest = max(largest, (match[0].count("\n") + 1, f"{name}: {head[1] if head else '?'}"))
    print(f"{'room':36} files   code comment  blank    all")
    for room in sorted(rooms):
        code, comment, blank, count = rooms[room]
        print(f"{room:36} {count:5} {code:6} {comment:7} {blank:6} {code + comment + blank:6}")
    code, comment, blank, count = (sum(room[i] for room in rooms.values()) for i in range(4))
    print(f"{'all':36} {count:5} {code:6} {comment:7} {blank:6} {code + comment + blank:6}")
    templates = [path for path in sorted((ROOT / "src").rglob("*")) if path.name.endswith((".css", ".c.in"))]
    generators = [ROOT / "cmake" / "embed.cmake", ROOT / "tools" / "make_layouts.py"]
    print(f"templates: {len(templates)} files, {sum(len(p.read_text().splitlines()) for p in templates)} lines;"
          f" generators: {sum(len(p.read_text().splitlines()) for p in generators)} lines")
    print(f"longest file: {longest[1]}, {longest[0]} lines; longest function: {largest[1]}, {largest[0]} lines;"
          f" largest folder: {files.most_common(1)[0][0]}, {files.most_common(1)[0][1]} .c files")


def kinds():
    for family, (values, homes) in FAMILIES.items():
        pattern = re.compile(rf"[!=<>]=\s*(?:\(\w+\)\s*)?(?:{values})\b|\b(?:{values})\s*[!=<>]=|\bcase\s+(?:{values})\b")
        words = WORDS.get(family)
        spelled = re.compile(rf'str(?:case)?cmp\([^;"]*"(?:{words})"') if words else None
        found = collections.Counter()
        for _, name, text in sources("src", "cli"):
            if name.startswith(homes):
                continue
            plain = code_of(text)
            count = len(pattern.findall(plain)) + (len(spelled.findall(plain)) if spelled else 0)
            if count:
                found[name.rsplit("/", 1)[0]] += count
        print(f"{family}: {sum(found.values())} outside of {', '.join(homes)}")
        for folder, count in found.most_common():
            print(f"    {count:4} {folder}")


def symbols():
    wrong, every = collections.Counter(), 0
    for _, name, text in sources("src"):
        folders = name.split("/")[1:-1]
        stems = {part for folder in folders for part in (folder, folder.rstrip("s"))}
        for function in DEFINED.findall(text):
            every += 1
            words = function.removeprefix("sot_")
            if not any(words == stem or words.startswith(stem + "_") for stem in stems):
                wrong["/".join(["src", *folders])] += 1
    for folder, count in wrong.most_common():
        print(f"{count:5} {folder}")
    print(f"{sum(wrong.values())} of {every} hidden functions do not begin with the name of a folder above them")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", action="store_true", help="comparisons with a kind outside of its family")
    parser.add_argument("--symbols", action="store_true", help="names of hidden functions and their folders")
    arguments = parser.parse_args()
    (kinds if arguments.kinds else symbols if arguments.symbols else lines)()
    return 0


if __name__ == "__main__":
    sys.exit(main())
