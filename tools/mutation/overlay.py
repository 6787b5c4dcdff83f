"""Builds the test programs of a mutant from the objects of a build that exists.

Only the files that the patch changes are compiled; a test program is linked with them in front of the library of the
tests, whose own objects of these files are then left out by the linker. No copy of the tree is made or built. Fit for
mutants of sources (no headers) whose detectors are test programs; tools/mutation/scratch.py judges the others.
"""

import json
import pathlib
import re
import shlex
import subprocess

from mutation.scratch import BuildError

LIBRARIES = ("sotto_testing", "sotto_same")
PROGRAM = re.compile(r"(?!cli\.)(\w+\.)+(test|slow)_\w+")


def is_fit(patch):
    return (all(name.startswith("src/") and name.endswith(".c") for name in patch.files)
            and all(PROGRAM.fullmatch(detector.test) for detector in patch.detectors))


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    text = done.stdout.decode(errors="replace")
    if done.returncode != 0:
        raise BuildError(text)
    return text


class Built:
    """What the build knows: how a file of the library is compiled, how a program is linked, which tests there are."""

    def __init__(self, root, build, jobs):
        self.root, self.build, self.jobs = root, build, jobs
        if not (build / "CMakeCache.txt").is_file():
            raise BuildError(f"{build}: no build directory; make one with cmake --preset dev")
        self.compile_commands = self._read_compile_commands()
        self.tests = {}

    def _read_compile_commands(self):
        """{file: (folder, words)}; of a file that is compiled twice, the one of the tests' library."""
        found = {}
        for entry in json.loads((self.build / "compile_commands.json").read_text("utf-8")):
            words = shlex.split(entry["command"])
            target = re.search(r"(?:^|/)CMakeFiles/(\w+)\.dir/", words[words.index("-o") + 1])
            if target is not None and target[1] in LIBRARIES:
                name = pathlib.Path(entry["file"]).resolve().relative_to(self.root).as_posix()
                if name not in found or target[1] == LIBRARIES[0]:
                    found[name] = (entry["directory"], words)
        return found

    def list_tests(self):
        listed = json.loads(run(["ctest", "--test-dir", str(self.build), "--show-only=json-v1"], self.root))
        self.tests = {test["name"]: test for test in listed["tests"]}

    def make(self, programs):
        """Brings these programs up to date; one that there is not is no answer later."""
        self.list_tests()
        known = sorted(programs & set(self.tests))
        if known:
            run(["cmake", "--build", str(self.build), "-j", str(self.jobs), "--target", *known], self.root)
        self.list_tests()

    def link_command(self, program):
        """(folder, words)."""
        for folder in (self.build / "tests", self.build):
            text = folder / "CMakeFiles" / f"{program}.dir" / "link.txt"
            if text.is_file():  # Makefiles
                return folder, shlex.split(text.read_text("utf-8"))
        last = run(["ninja", "-t", "commands", program], self.build).strip().splitlines()[-1]
        return self.build, [word for word in shlex.split(last) if word not in (":", "&&")]


class Overlay:
    """One mutant at a time: sources, objects and programs in a folder of its own. Looks like a Scratch."""

    def __init__(self, built, folder):
        self.built, self.tree = built, folder
        self.jobs = 1
        self.sources, self.programs = [], {}

    @property
    def tests(self):
        """Those of the build, with the programs of the mutant in place of their own."""
        return {name: {**test, "command": [str(self.programs[name])]} if name in self.programs else test
                for name, test in self.built.tests.items()}

    def mutate(self, contents):
        for path in self.tree.rglob("*"):
            if path.is_file():
                path.unlink()
        self.programs, self.sources = {}, sorted(contents)
        for name, content in contents.items():
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / name).write_bytes(content)

    def _compile(self, name):
        if name not in self.built.compile_commands:
            raise BuildError(f"error: {name} is not compiled for the tests")
        folder, words = self.built.compile_commands[name]
        words, out = list(words), (self.tree / name).with_suffix(".o")
        words[words.index("-o") + 1] = str(out)
        words[words.index("-c") + 1] = str(self.tree / name)
        # A mutant may leave a variable unused; and files beside the source stay visible.
        run([*words, "-Wno-error", "-iquote", str((self.built.root / name).parent)], folder)
        return out

    def build(self, targets):
        objects = [str(self._compile(name)) for name in self.sources]
        for program in targets:
            folder, words = self.built.link_command(program)
            at = words.index("-o")
            words[at + 1] = str(self.tree / program)
            run(words[:at] + objects + words[at:], folder)
            self.programs[program] = self.tree / program
