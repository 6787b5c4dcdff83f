#!/usr/bin/env python3
"""Checks the #include directives against the layers, and the folders against the map of CONTRIBUTING.md.

A file includes headers of its own folder and of strictly lower rows of the table below.
The command, the bindings and the examples see <sotto/...> only. Samplers are for those who
may draw noise. Files are written by the writers of src/base only.

A folder of src/ or cli/ has at most 25 .c files and at most three files that share a prefix; a file has
at most 450 lines, or is listed below and may only become shorter. CONTRIBUTING.md lists every
folder of src/ and cli/, and no other.

Model kinds and methods are described in the tables of src/models/kinds.c and src/methods/kinds.c. No other folder compares
a value with a kind of model or with a method: it asks the table, or has a table of its own, indexed by the kind. Neither
does it compare a word with the name of one. Advisories are exempt: they state the names in files of old versions.

    tools/check_layers.py              checks the repository
    tools/check_layers.py --self-test  plants violations and sees that each one is caught
"""

import collections
import pathlib
import re
import sys
import tempfile

# Row by row, from the ground up; every folder of src/ stands in one row. Rows of one number are a layer of CONTRIBUTING.md
# whose folders still include each other; a folder includes itself and rows above it in this table, no neighbour.
ROWS = [
    ("0a", ["base"]),
    ("0b", ["base/file", "base/json"]),
    ("1a", ["numeric", "random"]),
    ("1b", ["random/rounded_gaussian"]),
    ("2a", ["key", "privacy/accounting/curve", "privacy/accounting/profile"]),
    ("2b", ["privacy/accounting/objective_loss", "privacy/accounting/sampled"]),
    ("2c", ["privacy/accounting/loss"]),
    ("2d", ["privacy/accounting/plan"]),
    ("2e", ["privacy/accounting"]),
    ("2f", ["privacy/accounting/bounds", "privacy/accounting/budget", "privacy/accounting/exact", "privacy/accounting/pld"]),
    ("2g", ["privacy/accounting/objective", "privacy/accounting/selection"]),
    ("3a", ["artifact/page", "data/cells", "privacy/ledger", "privacy/mechanisms/grid"]),
    ("3b", ["data/readers", "data/schema", "data/where", "privacy/mechanisms/gate"]),
    ("3c", ["artifact/certificate", "data/encode", "data/readers/csv", "data/readers/sqlite", "data/readers/text", "data/source",
            "privacy/mechanisms/additive", "privacy/mechanisms/best_run", "privacy/mechanisms/selection"]),
    ("3d", ["data/batches", "data/describe", "data/draft", "privacy/mechanisms/correction", "privacy/mechanisms/exponential", "privacy/mechanisms/gaussian", "privacy/mechanisms/laplace",
            "privacy/mechanisms/noisy_max", "privacy/mechanisms/permute_and_flip",
            "privacy/mechanisms/propose_test_release", "privacy/mechanisms/randomized_response",
            "privacy/mechanisms/sparse_vector", "privacy/mechanisms/symmetric"]),
    ("3e", ["data/owner", "data/readers/array", "privacy/mechanisms/objective", "privacy/mechanisms/output",
            "privacy/mechanisms/pate", "privacy/mechanisms/posterior"]),
    ("3f", ["data/readers/arrow"]),
    ("4a", ["models/linear/losses", "models/network/scattering"]),
    ("4b", ["models", "models/additive", "models/concept/classes", "models/linear/rows", "models/network/layers"]),
    ("4c", ["methods", "models/linear/solver", "models/network/gemm"]),
    ("4d", ["models/concept/learn", "models/network/operations", "models/softmax"]),
    ("4e", ["models/network/engine"]),
    ("4f", ["artifact/model_file", "methods/convex", "models/network/learn"]),
    ("4g", ["artifact/export", "methods/moments", "methods/objective", "methods/output", "methods/posterior",
            "methods/stable"]),
    ("4h", ["methods/descent"]),
    ("4i", ["methods/frank_wolfe"]),
    ("5", ["report"]),
    ("6a", ["commands/session"]),
    ("6b", ["commands/statistics", "commands/verify"]),
    ("6c", ["commands/train"]),
    ("6d", ["commands/audit/pairs", "commands/pac", "commands/pate", "commands/start", "commands/tune"]),
    ("6e", ["commands/audit", "commands/report"]),
    ("7", ["door"]),
]
HEIGHT = {module: height for height, (_, modules) in enumerate(ROWS) for module in modules}
LAYER = {module: int(name[0]) for name, modules in ROWS for module in modules}

# The top row: folders of the repository that see the public headers and their own.
PUBLIC_ONLY = ["cli", "bindings", "examples"]

# Who may draw from the samplers of src/random; everybody may hold a random/rng.h handle, and keys are made from
# bytes of the operating system (random/entropy.h).
SAMPLER_USERS = re.compile(r"random(/|$)|privacy/mechanisms/|methods/posterior$|data/(batches|describe)$")

# Who may open files for writing, rename and remove them: the one atomic writer, pairs of files with a lock, and
# SQLite's file when a ledger is made. Other exceptions open, lock or remove, and write no content.
WRITERS = {"src/base/file/create.c", "src/base/file/write.c", "src/base/file/pair.c", "src/privacy/ledger/store.c"}
NO_CONTENT = {
    "src/base/file/output.c": {"open"},  # a FIFO or a device, which has no temporary
    "src/key/key.c": {"unlink"},  # the secret half of a pair whose public half failed
    "src/commands/pate/lock.c": {"unlinkat"},  # partial teachers
    "cli/analyst/process.c": {"open", "unlink"},  # locks
    "cli/main.c": {"open"},  # /dev/null in the place of a closed standard stream
}
WRITES = re.compile(
    r'''\b(?:(f(?:re)?open|fdopen)\s*\([^;]*?"[^"]*[wa+][^"]*"\s*[,)]|'''
    r'''(open|openat)\s*\([^;]*?(?:O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|wrong_way)|'''
    r'''(creat|rename|renameat2?|mkstemp|tmpfile|unlink|unlinkat|remove|truncate)\s*\()''')
PYTHON_WRITES = re.compile(r'''\b(?:open\([^)]*["'][wax]b?["']|(?:write_text|write_bytes|os\.replace|os\.rename|os\.open)\b)''')

# What a public header may include besides <sotto/...>: the freestanding part of C.
PUBLIC_SYSTEM_HEADERS = {"stdbool.h", "stddef.h", "stdint.h"}

# Sizes. A file of LONG may not grow; one that has become short leaves the list.
FOLDER_LIMIT = 25
PREFIX_LIMIT = 3
LINE_LIMIT = 450
LONG = {}

# Comparisons with a kind, and the folders that may have them. Learners of networks and concepts are methods too. "Unset" and
# "auto" are no kinds.
KIND = r"SOTTO_(MODEL|METHOD)_(?!UNSET\b|AUTO\b)[A-Z_]+\b"
COMPARISON = re.compile(rf"[!=]=\s*(?:\(\w+\)\s*)?{KIND}|{KIND}\s*[!=]=|\bcase\s+{KIND}")
KIND_FOLDERS = {"MODEL": ("src/models/",),
                "METHOD": ("src/methods/", "src/models/network/learn/", "src/models/concept/learn/")}

# The same by the name. "linear" is also a scale of tuning, "none" is many things, "concept" and "network" are members of files: not listed.
MODEL_NAMES = "logistic|svm|hinge|softmax|huber|poisson"
METHOD_NAMES = "output|objective|gd|sgd|newton|statistics|adassp|permutation-sgd|gd-output|frank-wolfe|posterior|regularized-em"
NAMED = re.compile(rf'\bstr(?:case)?cmp\([^;]*?"(?:({MODEL_NAMES})|({METHOD_NAMES}))"\s*\)')
NAMES_OF_OLD_FILES = "src/artifact/certificate/advisory.c"

# A line of the map in CONTRIBUTING.md: a folder and its subject.
MAP_LINE = re.compile(r"^    ((?:src|cli)(?:/[\w/]+)?)/[ \t]+(\S.*)$", re.MULTILINE)

SOURCES = {".c", ".h", ".cc", ".cpp", ".hpp"}
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|("(?:\\.|[^"\\\n])*")', re.DOTALL)
INCLUDE = re.compile(r"^[ \t]*#[ \t]*(?:include|import|include_next)\b[ \t]*(.*)$", re.MULTILINE)
DECLARED = re.compile(r"\bSOTTO_API\b[^;{]*?\b(sotto_\w+)\s*\(")


def read(path):
    return path.read_text(encoding="utf-8", errors="replace")


def without_comments(text):
    """Comments become blanks, lines and strings stay."""

    def blank(match):
        return match.group(1) or re.sub(r"[^\n]", " ", match.group(0))

    return COMMENT.sub(blank, text)


def module_of(relative):
    """The folder of a path below src/, or None if the table has no place for it."""
    folder = relative.parent.as_posix()
    return folder if folder in HEIGHT else None


class Checker:
    def __init__(self, root):
        self.root = root
        self.src = root / "src"
        self.violations = []
        self.files = 0
        self.public_height = self.find_public_heights()

    def find_public_heights(self):
        """A public header belongs to the highest layer that defines one of its functions."""
        owners = {}
        for header in sorted((self.root / "include" / "sotto").glob("*.h*")):
            name = header.name.removesuffix(".in")
            for function in DECLARED.findall(without_comments(read(header))):
                owners[function] = name
        heights = {}
        for source in self.sources("src"):
            module = module_of(source.relative_to(self.src))
            if source.suffix != ".c" or module is None:
                continue
            for line in without_comments(read(source)).splitlines():
                if line[:1].isspace() or line.endswith(";"):
                    continue
                for function in re.findall(r"\b(sotto_\w+)\s*\(", line):
                    if function in owners:
                        name = owners[function]
                        heights[name] = max(heights.get(name, 0), LAYER[module])
        return heights

    def sources(self, folder):
        top = self.root / folder
        return sorted(p for p in top.rglob("*") if p.suffix in SOURCES) if top.is_dir() else []

    def complain(self, path, line, text):
        self.violations.append(f"{path.relative_to(self.root)}:{line}: {text}")

    def includes(self, path):
        text = without_comments(read(path))
        for match in INCLUDE.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, match.group(1).strip()

    def resolve(self, path, written):
        """The repository's file behind a quoted name, as the compiler would find it."""
        for folder in (path.parent, self.src):
            candidate = folder / written
            if candidate.is_file():
                return candidate.resolve()
        return None

    def check_target(self, path, line, module, written):
        """An include of a file of src/ from a module of src/."""
        target = self.resolve(path, written)
        if target is None or self.src.resolve() not in target.parents:
            self.complain(path, line, f'"{written}" is no header of src/')
            return
        relative = target.relative_to(self.src.resolve())
        other = module_of(relative)
        if other is None:
            self.complain(path, line, f'"{written}" lies in no layer')
            return
        if other != module and HEIGHT[other] >= HEIGHT[module]:
            self.complain(path, line, f'{module} may not include "{written}": {other} is not below it')
        sampler = other.split("/")[0] == "random" and relative.name not in ("rng.h", "entropy.h", "wide.h")
        if sampler and not SAMPLER_USERS.match(module):
            self.complain(path, line, f'{module} may not include the sampler "{written}"')

    def check_public(self, path, line, module, name):
        """An include of <sotto/name>; module is None above src/."""
        folder = self.root / "include" / "sotto"
        if not (folder / name).is_file() and not (folder / (name + ".in")).is_file():
            self.complain(path, line, f"<sotto/{name}> does not exist")
        if module is None:
            return
        if name == "sotto.h" and module != "door":
            self.complain(path, line, "include the public headers you use, not the front door")
        if self.public_height.get(name, 0) > LAYER[module]:
            self.complain(path, line, f"{module} may not include <sotto/{name}>: it is defined above it")

    def check_source(self, path):
        module = module_of(path.relative_to(self.src))
        if module is None:
            self.complain(path, 1, "lies in no layer: src/ has the folders of the table only")
            return
        for line, written in self.includes(path):
            name = written[1:-1]
            if not re.fullmatch(r'"[^"]+"|<[^>]+>', written):
                self.complain(path, line, f"#include {written}: name the header itself")
            elif ".." in name.split("/"):
                self.complain(path, line, f"{written}: name it from src/, without ..")
            elif written.startswith('"'):
                self.check_target(path, line, module, name)
            elif name.startswith("sotto/"):
                self.check_public(path, line, module, name.removeprefix("sotto/"))
            elif (self.src / name).is_file():
                self.complain(path, line, f"{written} is ours: quote it")

    def check_upper(self, path, folder):
        """cli, bindings, examples: their own folder, <sotto/...> and the system."""
        for line, written in self.includes(path):
            name = written[1:-1]
            own = (self.root / folder).resolve()
            if not re.fullmatch(r'"[^"]+"|<[^>]+>', written):
                self.complain(path, line, f"#include {written}: name the header itself")
            elif written.startswith('"'):
                targets = [(top / name).resolve() for top in (path.parent, own)]
                if not any(target.is_file() and own in target.parents for target in targets):
                    self.complain(path, line, f"{written} is not in {folder}/: use <sotto/...>")
            elif name.startswith("sotto/"):
                self.check_public(path, line, None, name.removeprefix("sotto/"))
            elif (self.src / name).is_file() or ".." in name.split("/"):
                self.complain(path, line, f"{written} is hidden: {folder} sees <sotto/...> only")

    def check_public_header(self, path):
        for line, written in self.includes(path):
            name = written[1:-1]
            if written.startswith("<sotto/"):
                self.check_public(path, line, None, name.removeprefix("sotto/"))
            elif not written.startswith("<") or name not in PUBLIC_SYSTEM_HEADERS:
                self.complain(path, line, f"a public header may not include {written}")

    def check_writes(self, path):
        """One atomic writer for every file."""
        name = path.relative_to(self.root).as_posix()
        text = without_comments(read(path))
        if name in WRITERS:
            return
        for match in WRITES.finditer(text):
            call = match.group(1) or match.group(2) or match.group(3)
            if call not in NO_CONTENT.get(name, ()):
                line = text.count("\n", 0, match.start()) + 1
                self.complain(path, line, f"{call}(): files are written by base/file.h and <sotto/output.h> only")

    def check_python_writes(self):
        for path in sorted((self.root / "bindings").rglob("*.py")):
            text = read(path)
            for match in PYTHON_WRITES.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                self.complain(path, line, "files are written by <sotto/output.h> only")

    def check_kinds(self, path):
        """No comparison with a kind of model or a method outside of its family."""
        name = path.relative_to(self.root).as_posix()
        text = without_comments(read(path))
        for match in COMPARISON.finditer(text):
            if not name.startswith(KIND_FOLDERS[next(filter(None, match.groups()))]):
                line = text.count("\n", 0, match.start()) + 1
                self.complain(path, line, f"{match[0]}: ask the table (models/kinds.h, methods/kinds.h)")
        for match in NAMED.finditer(text):
            homes = KIND_FOLDERS["MODEL" if match[1] else "METHOD"]
            if not name.startswith(homes) and name != NAMES_OF_OLD_FILES:
                line = text.count("\n", 0, match.start()) + 1
                self.complain(path, line, f'"{match[1] or match[2]}": ask the table (models/kinds.h, methods/kinds.h)')

    def check_folders(self):
        """Few files a folder, and no prefix that is a missing folder."""
        folders = collections.defaultdict(list)
        for path in self.sources("src") + self.sources("cli"):
            folders[path.parent].append(path)
        for folder, paths in folders.items():
            count = sum(path.suffix == ".c" for path in paths)
            if count > FOLDER_LIMIT:
                self.complain(folder, 1, f"{count} .c files; at most {FOLDER_LIMIT} a folder")
            prefixes = collections.defaultdict(set)
            for path in paths:
                prefixes[path.stem.split("_")[0]].add(path.stem)
            for prefix, stems in prefixes.items():
                if len(stems) > PREFIX_LIMIT:
                    self.complain(folder, 1, f"{len(stems)} files share the prefix {prefix}; make it a folder")
        return {folder.relative_to(self.root).as_posix() for folder in folders}

    def check_lengths(self):
        for folder in ("src", "cli"):
            for path in self.sources(folder):
                name, count = path.relative_to(self.root).as_posix(), len(read(path).splitlines())
                limit = LONG.get(name, LINE_LIMIT)
                if count > limit:
                    self.complain(path, count, f"{count} lines; at most {limit}: split it by subject")
                elif name in LONG and count <= LINE_LIMIT:
                    self.complain(path, count, f"{count} lines: remove it from LONG in tools/check_layers.py")

    def check_map(self, folders):
        """The map of CONTRIBUTING.md and the tree, in both directions."""
        page = self.root / "CONTRIBUTING.md"
        listed = collections.Counter(match.group(1) for match in MAP_LINE.finditer(read(page)))
        for folder in sorted(folders - set(listed)):
            self.complain(page, 1, f"the map has no line for {folder}/")
        for folder, count in sorted(listed.items()):
            if folder not in folders:
                self.complain(page, 1, f"the map lists {folder}/, which has no source")
            elif count > 1:
                self.complain(page, 1, f"the map lists {folder}/ {count} times")

    def check_table(self, folders):
        """Every name of ROWS and of LONG is in the tree. Not for the small tree of the self-test."""
        for name in sorted(set(HEIGHT) - {folder.removeprefix("src/") for folder in folders}):
            self.complain(self.src, 1, f"ROWS of tools/check_layers.py lists {name}, which has no source")
        for name in sorted(LONG):
            if not (self.root / name).is_file():
                self.complain(self.src, 1, f"LONG of tools/check_layers.py lists {name}, which does not exist")

    def run(self, whole=False):
        folders = self.check_folders()
        self.check_lengths()
        self.check_map(folders)
        if whole:
            self.check_table(folders)
        for folder in ("src", "cli", "bindings"):
            for path in self.sources(folder):
                self.check_writes(path)
                self.check_kinds(path)
        self.check_python_writes()
        for path in self.sources("src"):
            self.files += 1
            self.check_source(path)
        for folder in PUBLIC_ONLY:
            for path in self.sources(folder):
                self.files += 1
                self.check_upper(path, folder)
        for path in sorted((self.root / "include" / "sotto").glob("*.h*")):
            self.files += 1
            self.check_public_header(path)
        return self.violations


# A small house that is in order, and one violation after another put into it.
FOLDERS = ["base", "random", "numeric", "privacy/accounting/pld", "privacy/mechanisms/laplace", "privacy/ledger", "data/batches",
           "data/encode", "data/readers/text", "methods", "models/linear/losses", "methods/output", "methods/posterior", "methods/stable",
           "commands/session", "commands/audit", "door"]
MAP = "# The map\n" + "".join(f"    src/{name}/   its subject\n" for name in FOLDERS) + "".join(f"    {name}/   its subject\n" for name in ("cli", "cli/frame"))
ORDER = {
    "CONTRIBUTING.md": MAP,
    "include/sotto/error.h": "#include <stddef.h>\nSOTTO_API int sotto_status_name(int);\n",
    "include/sotto/rng.h": "#include <sotto/error.h>\nSOTTO_API int sotto_rng_new(int);\n",
    "include/sotto/version.h.in": "SOTTO_API int sotto_version(void);\n",
    "include/sotto/sotto.h": "#include <sotto/error.h>\n#include <sotto/rng.h>\n",
    "src/base/error.h": "#include <sotto/error.h>\n#include <sotto/version.h>\n",
    "src/base/error.c": '#include "base/error.h"\n#include <stdio.h>\nint sotto_status_name(int s)\n{\n}\n',
    "src/random/rng.h": '#include <sotto/rng.h>\n#include "base/error.h"\n',
    "src/random/rng.c": '#include "random/rng.h"\nint sotto_rng_new(int x)\n{\n}\n',
    "src/random/laplace.h": '#include "rng.h"\n',
    "src/numeric/roots.h": '/* #include "commands/session/run.h" */ // #include "commands/session/run.h"\n',
    "src/privacy/accounting/pld/pld.h": '#include "numeric/roots.h"\n',
    "src/privacy/mechanisms/laplace/laplace.c": '#include "random/laplace.h"\n',
    "src/privacy/ledger/ledger.c": '#include "random/rng.h"\n',
    "src/data/batches/batch.c": '#include "random/laplace.h"\n',
    "src/data/encode/encode.c": '#include "random/rng.h"\n',
    "src/data/readers/text/libsvm.c": "\n",
    "src/methods/learner.h": '#include "base/error.h"\n',
    "src/models/linear/losses/loss.h": '#include "numeric/roots.h"\n',
    "src/methods/output/output.c": '#include "methods/learner.h"\n#include "models/linear/losses/loss.h"\n',
    "src/methods/posterior/mala.c": '#  include "random/laplace.h"\n',
    "src/methods/stable/stable.h": '#include "methods/learner.h"\n',
    "src/commands/session/run.h": '#include "methods/stable/stable.h"\n#include "privacy/accounting/pld/pld.h"\n',
    "src/commands/audit/attack.c": '#include "commands/session/run.h"\nint f(int m) { return m == SOTTO_METHOD_AUTO ? SOTTO_METHOD_GD : m; }\n',
    "src/door/train.c": "#include <sotto/sotto.h>\n",
    "cli/frame/frame.h": "#include <stdio.h>\n",
    "cli/main.c": '#include "frame/frame.h"\n#include <sotto/sotto.h>\n',
}
RUN = "commands/session/run.h"
VIOLATIONS = {
    "base includes a higher layer": ("src/base/a.c", '#include "numeric/roots.h"\n'),
    "a neighbour in the same row": ("src/numeric/a.c", '#include "random/rng.h"\n'),
    "accounting draws randomness": ("src/privacy/accounting/pld/a.c", '#include "random/laplace.h"\n'),
    "the ledger draws noise": ("src/privacy/ledger/a.c", '#include "random/laplace.h"\n'),
    "a learner draws noise": ("src/methods/output/a.c", '#include "random/laplace.h"\n'),
    "an audit draws noise": ("src/commands/audit/a.c", '#include "random/laplace.h"\n'),
    "an encoding draws noise": ("src/data/encode/a.c", '#include "random/laplace.h"\n'),
    "data reaches into the ledger": ("src/data/batches/a.c", '#include "privacy/accounting/pld/pld.h"\n#include "../privacy/ledger/b.h"\n'),
    "two methods meet": ("src/methods/output/a.c", '#include "methods/stable/stable.h"\n'),
    "a model includes a method": ("src/models/linear/losses/a.c", '#include "methods/stable/stable.h"\n'),
    "a loss includes the learner": ("src/models/linear/losses/a.c", '#include "methods/learner.h"\n'),
    "a learner runs itself": ("src/methods/output/a.c", f'#include "{RUN}"\n'),
    "hidden by blanks": ("src/base/a.c", f'  #\tinclude\t"{RUN}"\n'),
    "ours in angle brackets": ("src/base/a.c", f"#include <{RUN}>\n"),
    "by way of ..": ("src/base/a.c", f'#include "../{RUN}"\n'),
    "by way of a macro": ("src/base/a.c", f'#define X "{RUN}"\n#include X\n'),
    "behind a comment": ("src/base/a.c", f'/* x */ /* y\n*/ #include "{RUN}"\n'),
    "a string is no comment": ("src/base/a.c", f'const char *x = "/*";\n#include "{RUN}"\nconst char *y = "*/";\n'),
    "a header that is not there": ("src/base/a.c", '#include "jansson.h"\n'),
    "base includes a public header of random": ("src/base/a.c", "#include <sotto/rng.h>\n"),
    "a source includes everything": ("src/commands/audit/a.c", "#include <sotto/sotto.h>\n"),
    "a public header that is not there": ("src/commands/audit/a.c", "#include <sotto/none.h>\n"),
    "the command looks inside": ("cli/a.c", '#include "base/error.h"\n'),
    "the command looks inside by ..": ("cli/a.c", '#include "../src/base/error.h"\n'),
    "the command looks inside by angle brackets": ("cli/a.c", "#include <base/error.h>\n"),
    "a binding looks inside": ("bindings/python/a.c", '#include "base/error.h"\n'),
    "an example looks inside": ("examples/a.c", '#include "base/error.h"\n'),
    "a public header shows an inner one": ("include/sotto/a.h", '#include "base/error.h"\n'),
    "the command writes a file itself": ("cli/a.c", 'void f(void) { fopen(path, "wb"); }\n'),
    "the command appends": ("cli/a.c", 'void f(void) { FILE *x = fopen(\n path, "ab"); }\n'),
    "a learner creates a file": ("src/methods/output/a.c", "int f(void) { return open(path, O_RDONLY | O_CREAT, 0600); }\n"),
    "a run renames": ("src/commands/session/a.c", "int f(void) { return rename(a, b); }\n"),
    "the command removes": ("cli/a.c", "int f(void) { return unlink(a); }\n"),
    "Python writes": ("bindings/python/a.py", 'pathlib.Path("x").write_text("y")\n'),
    "Python opens for writing": ("bindings/python/a.py", 'open("x", "w")\n'),
    "a public header needs a library": ("include/sotto/a.h", "#include <sodium.h>\n"),
    "a command asks for a kind of model": ("src/commands/audit/a.c", "bool f(int m) { return m == SOTTO_MODEL_HINGE; }\n"),
    "a session asks for a method": ("src/commands/session/a.c", "bool f(int m) { return SOTTO_METHOD_GD != m; }\n"),
    "the command switches by method": ("cli/a.c", "void f(int m) { switch (m) { case SOTTO_METHOD_GD: break; } }\n"),
    "a method asks for a kind of model": ("src/methods/output/a.c", "bool f(int m) { return m != SOTTO_MODEL_SVM; }\n"),
    "a report asks for a method by its name": ("src/commands/audit/a.c", 'bool f(const char *m) { return strcmp(m, "gd") == 0; }\n'),
    "the command asks for a kind by its name": ("cli/a.c", 'bool f(const char *m) { return strcmp(m,\n "softmax") != 0; }\n'),
    "a model asks for a method": ("src/models/linear/losses/a.c", "bool f(int m) { return m == (int)SOTTO_METHOD_SGD; }\n"),
    "a long file": ("src/base/a.c", "\n" * (LINE_LIMIT + 1)),
    "a long file of the command": ("cli/a.c", "\n" * (LINE_LIMIT + 1)),
}
# Violations of several files, and the place they are reported at.
TREES = {
    "a folder of no layer": ({"src/misc/a.c": "#include <stdio.h>\n"}, ("src/misc/a.c:", "CONTRIBUTING.md:")),
    "a file in src itself": ({"src/a.c": "#include <stdio.h>\n"}, ("src/a.c:", "CONTRIBUTING.md:")),
    "a crowded folder": ({f"src/numeric/{letter}{digit}.c": "\n" for letter in "abcdefghi" for digit in "123"}, ("src/numeric:",)),
    "a crowded folder of the command": ({f"cli/{letter}{digit}.c": "\n" for letter in "abcdefghi" for digit in "123"}, ("cli:",)),
    "a folder of the command that the map lacks": ({"cli/key/key.c": "\n"}, ("CONTRIBUTING.md:",)),
    "a prefix that is a folder": ({f"src/numeric/fft_{part}.c": "\n" for part in "abcd"}, ("src/numeric:",)),
    "a header that shares the prefix": ({**{f"src/numeric/fft_{part}.c": "\n" for part in "abc"}, "src/numeric/fft.h": "\n"}, ("src/numeric:",)),
    "a folder that the map lacks": ({"src/key/key.c": "\n"}, ("CONTRIBUTING.md:",)),
    "the map lists a folder that is gone": ({"CONTRIBUTING.md": MAP + "    src/gone/   its subject\n"}, ("CONTRIBUTING.md:",)),
    "the map lists a folder twice": ({"CONTRIBUTING.md": MAP + "    src/base/   its subject\n"}, ("CONTRIBUTING.md:",)),
    "the map lists a folder without its subject": ({"CONTRIBUTING.md": MAP.replace("src/base/   its subject", "src/base/")}, ("CONTRIBUTING.md:",)),
}


def build(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def self_test():
    failures = []
    trees = {title: ({name: text}, (name + ":",)) for title, (name, text) in VIOLATIONS.items()}
    for title, (files, places) in {"in order": ({}, ()), **trees, **TREES}.items():
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            build(root, {**ORDER, **files})
            found = Checker(root).run()
        if bool(found) != bool(files) or not all(v.startswith(places) for v in found):
            failures.append(f"{title}: {found}")
    return failures


def main(arguments):
    if arguments == ["--self-test"]:
        failures = self_test()
        print(*failures, sep="\n", end="\n" if failures else "")
        print(f"check_layers: self-test: {len(VIOLATIONS) + len(TREES)} violations planted, {len(failures)} failures")
        return 1 if failures else 0
    if arguments:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    checker = Checker(pathlib.Path(__file__).resolve().parent.parent)
    violations = checker.run(whole=True)
    print(*violations, sep="\n", end="\n" if violations else "")
    print(f"check_layers: {checker.files} files, {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
