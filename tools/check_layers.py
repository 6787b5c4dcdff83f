#!/usr/bin/env python3
"""Checks the #include directives against the layers of the house.

A file includes headers of its own folder and of strictly lower rows of the table below.
The command, the bindings and the examples see <sotto/...> only. Samplers are for those who
may draw noise. Files are written by the writers of src/base only.

    tools/check_layers.py              checks the repository
    tools/check_layers.py --self-test  plants violations and sees that each one is caught
"""

import pathlib
import re
import sys
import tempfile

# Row by row, from the ground up. learn/* stands for every other folder of learn/. The header
# learn/erm/empirical.h, which the makers of sums of losses fill in, belongs to learn/learner.
ROWS = [
    ("0", ["base"]),
    ("1", ["random", "numeric"]),
    ("2", ["privacy/accounting", "key"]),
    ("3", ["data", "privacy/mechanisms", "privacy/ledger"]),
    ("3b", ["net", "concept"]),
    ("4", ["release"]),
    ("5a", ["learn/learner", "learn/glm"]),
    ("5a", ["learn/softmax"]),
    ("5b", ["learn/*"]),
    ("6", ["run"]),
    ("7", ["audit", "distributed"]),
    ("8", ["door"]),
]
HEIGHT = {module: height for height, (_, modules) in enumerate(ROWS) for module in modules}

# The top row: folders of the repository that see the public headers and their own.
PUBLIC_ONLY = ["cli", "bindings", "examples"]

# Who may draw from the samplers of src/random; everybody may hold a random/rng.h handle, and keys are made from
# bytes of the operating system (random/entropy.h).
SAMPLER_USERS = {"random", "privacy/mechanisms", "learn/posterior", "data"}

# Who may open files for writing, rename and remove them: the one atomic writer, pairs of files with a lock, and
# SQLite's file when a ledger is made. Other exceptions open, lock or remove, and write no content.
WRITERS = {"src/base/create.c", "src/base/file_write.c", "src/base/pair.c", "src/privacy/ledger/store.c"}
NO_CONTENT = {
    "src/base/output.c": {"open"},  # a FIFO or a device, which has no temporary
    "src/key/key.c": {"unlink"},  # the secret half of a pair whose public half failed
    "src/run/pate_lock.c": {"unlinkat"},  # partial teachers
    "cli/analyst_process.c": {"open", "unlink"},  # locks
    "cli/main.c": {"open"},  # /dev/null in the place of a closed standard stream
}
WRITES = re.compile(
    r'''\b(?:(f(?:re)?open|fdopen)\s*\([^;]*?"[^"]*[wa+][^"]*"\s*[,)]|'''
    r'''(open|openat)\s*\([^;]*?(?:O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|wrong_way)|'''
    r'''(creat|rename|renameat2?|mkstemp|tmpfile|unlink|unlinkat|remove|truncate)\s*\()''')
PYTHON_WRITES = re.compile(r'''\b(?:open\([^)]*["'][wax]b?["']|(?:write_text|write_bytes|os\.replace|os\.rename|os\.open)\b)''')

# What a public header may include besides <sotto/...>: the freestanding part of C.
PUBLIC_SYSTEM_HEADERS = {"stdbool.h", "stddef.h", "stdint.h"}

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
    """The module of a path below src/, or None if the table has no place for it."""
    parts = relative.parts
    if parts[0] == "learn":
        if len(parts) == 2:
            shared = relative.stem in ("learner", "learner_settings", "steps")
            return "learn/learner" if shared else None
        if relative.as_posix() == "learn/erm/empirical.h":
            return "learn/learner"
        return "/".join(parts[:2])
    for depth in (2, 1):
        name = "/".join(parts[:depth])
        if len(parts) > depth and name in HEIGHT:
            return name
    return None


def height_of(module):
    return HEIGHT[module] if module in HEIGHT else HEIGHT["learn/*"]


class Checker:
    def __init__(self, root):
        self.root = root
        self.src = root / "src"
        self.violations = []
        self.files = 0
        self.public_height = self.find_public_heights()

    def find_public_heights(self):
        """A public header is as high as the highest source that defines one of its functions."""
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
                        heights[name] = max(heights.get(name, 0), height_of(module))
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
        if other != module and height_of(other) >= height_of(module):
            self.complain(path, line, f'{module} may not include "{written}": {other} is not below it')
        sampler = other == "random" and relative.name not in ("rng.h", "entropy.h")
        if sampler and module not in SAMPLER_USERS:
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
        if self.public_height.get(name, 0) > height_of(module):
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
                target = (path.parent / name).resolve()
                if not target.is_file() or own not in target.parents:
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

    def run(self):
        for folder in ("src", "cli", "bindings"):
            for path in self.sources(folder):
                self.check_writes(path)
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
ORDER = {
    "include/sotto/error.h": "#include <stddef.h>\nSOTTO_API int sotto_status_name(int);\n",
    "include/sotto/rng.h": "#include <sotto/error.h>\nSOTTO_API int sotto_rng_new(int);\n",
    "include/sotto/version.h.in": "SOTTO_API int sotto_version(void);\n",
    "include/sotto/sotto.h": "#include <sotto/error.h>\n#include <sotto/rng.h>\n",
    "src/base/error.h": "#include <sotto/error.h>\n#include <sotto/version.h>\n",
    "src/base/error.c": '#include "base/error.h"\n#include <stdio.h>\nint sotto_status_name(int s)\n{\n}\n',
    "src/random/rng.h": '#include <sotto/rng.h>\n#include "base/error.h"\n',
    "src/random/rng.c": '#include "random/rng.h"\nint sotto_rng_new(int x)\n{\n}\n',
    "src/random/laplace.h": '#include "rng.h"\n',
    "src/numeric/roots.h": '/* #include "run/run.h" */ // #include "run/run.h"\n',
    "src/privacy/accounting/pld.h": '#include "numeric/roots.h"\n',
    "src/privacy/mechanisms/laplace.c": '#include "random/laplace.h"\n',
    "src/privacy/ledger/ledger.c": '#include "random/rng.h"\n',
    "src/data/batch.c": '#include "random/laplace.h"\n',
    "src/learn/learner.h": '#include "base/error.h"\n',
    "src/learn/glm/loss.h": '#include "numeric/roots.h"\n',
    "src/learn/erm/output.c": '#include "learn/learner.h"\n#include "learn/glm/loss.h"\n',
    "src/learn/posterior/mala.c": '#  include "random/laplace.h"\n',
    "src/learn/pate/teach.h": '#include "learn/learner.h"\n',
    "src/run/run.h": '#include "learn/pate/teach.h"\n#include "privacy/accounting/pld.h"\n',
    "src/audit/attack.c": '#include "run/run.h"\n',
    "src/door/train.c": "#include <sotto/sotto.h>\n",
    "cli/frame.h": "#include <stdio.h>\n",
    "cli/main.c": '#include "frame.h"\n#include <jansson.h>\n#include <sotto/sotto.h>\n',
}
VIOLATIONS = {
    "base includes a higher layer": ("src/base/a.c", '#include "numeric/roots.h"\n'),
    "a neighbour in the same row": ("src/numeric/a.c", '#include "random/rng.h"\n'),
    "accounting draws randomness": ("src/privacy/accounting/a.c", '#include "random/laplace.h"\n'),
    "the ledger draws noise": ("src/privacy/ledger/a.c", '#include "random/laplace.h"\n'),
    "a learner draws noise": ("src/learn/erm/a.c", '#include "random/laplace.h"\n'),
    "an audit draws noise": ("src/audit/a.c", '#include "random/laplace.h"\n'),
    "data reaches into the ledger": ("src/data/a.c", '#include "privacy/accounting/pld.h"\n#include "../privacy/ledger/b.h"\n'),
    "two families meet": ("src/learn/erm/a.c", '#include "learn/pate/teach.h"\n'),
    "glm includes a family": ("src/learn/glm/a.c", '#include "learn/pate/teach.h"\n'),
    "glm includes the learner beside it": ("src/learn/glm/a.c", '#include "learn/learner.h"\n'),
    "a learner runs itself": ("src/learn/erm/a.c", '#include "run/run.h"\n'),
    "hidden by blanks": ("src/base/a.c", '  #\tinclude\t"run/run.h"\n'),
    "ours in angle brackets": ("src/base/a.c", "#include <run/run.h>\n"),
    "by way of ..": ("src/base/a.c", '#include "../run/run.h"\n'),
    "by way of a macro": ("src/base/a.c", '#define X "run/run.h"\n#include X\n'),
    "behind a comment": ("src/base/a.c", '/* x */ /* y\n*/ #include "run/run.h"\n'),
    "a string is no comment": ("src/base/a.c", 'const char *x = "/*";\n#include "run/run.h"\nconst char *y = "*/";\n'),
    "a header that is not there": ("src/base/a.c", '#include "jansson.h"\n'),
    "a folder of no layer": ("src/misc/a.c", "#include <stdio.h>\n"),
    "a file in src itself": ("src/a.c", "#include <stdio.h>\n"),
    "a stray file in learn": ("src/learn/helper.h", "\n"),
    "base includes a public header of random": ("src/base/a.c", "#include <sotto/rng.h>\n"),
    "a source includes everything": ("src/run/a.c", "#include <sotto/sotto.h>\n"),
    "a public header that is not there": ("src/run/a.c", "#include <sotto/none.h>\n"),
    "the command looks inside": ("cli/a.c", '#include "base/error.h"\n'),
    "the command looks inside by ..": ("cli/a.c", '#include "../src/base/error.h"\n'),
    "the command looks inside by angle brackets": ("cli/a.c", "#include <base/error.h>\n"),
    "a binding looks inside": ("bindings/python/a.c", '#include "base/error.h"\n'),
    "an example looks inside": ("examples/a.c", '#include "base/error.h"\n'),
    "a public header shows an inner one": ("include/sotto/a.h", '#include "base/error.h"\n'),
    "the command writes a file itself": ("cli/a.c", 'void f(void) { fopen(path, "wb"); }\n'),
    "the command appends": ("cli/a.c", 'void f(void) { FILE *x = fopen(\n path, "ab"); }\n'),
    "a learner creates a file": ("src/learn/erm/a.c", "int f(void) { return open(path, O_RDONLY | O_CREAT, 0600); }\n"),
    "a run renames": ("src/run/a.c", "int f(void) { return rename(a, b); }\n"),
    "the command removes": ("cli/a.c", "int f(void) { return unlink(a); }\n"),
    "Python writes": ("bindings/python/a.py", 'pathlib.Path("x").write_text("y")\n'),
    "Python opens for writing": ("bindings/python/a.py", 'open("x", "w")\n'),
    "a public header needs a library": ("include/sotto/a.h", "#include <jansson.h>\n"),
}


def build(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def self_test():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        build(root, ORDER)
        failures += [f"in order, yet: {v}" for v in Checker(root).run()]
        for title, (name, text) in VIOLATIONS.items():
            build(root, {name: text})
            found = Checker(root).run()
            (root / name).unlink()
            if not found or not all(v.startswith(name + ":") for v in found):
                failures.append(f"not caught: {title}: {found}")
    return failures


def main(arguments):
    if arguments == ["--self-test"]:
        failures = self_test()
        print(*failures, sep="\n", end="\n" if failures else "")
        print(f"check_layers: self-test: {len(VIOLATIONS)} violations planted, {len(failures)} failures")
        return 1 if failures else 0
    if arguments:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    checker = Checker(pathlib.Path(__file__).resolve().parent.parent)
    violations = checker.run()
    print(*violations, sep="\n", end="\n" if violations else "")
    print(f"check_layers: {checker.files} files, {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
