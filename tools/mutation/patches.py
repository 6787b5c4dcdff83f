"""Patches of tests/mutants/: their headers, their files, and what they make of these files."""

import difflib
import hashlib
import os
import pathlib
import re
import subprocess
import tempfile

FOLDER = "tests/mutants"
# A patch that changes a test or the build could make any detector fail.
MUTABLE = ("src/", "include/", "cli/", "bindings/")
FIELD = re.compile(r"([A-Z][A-Za-z-]*): +(\S.*)")


class PatchError(Exception):
    """The patch is malformed, or does not apply."""


class Detector:
    """A test of ctest, perhaps only one of its test functions: "commands.train.test_train:the_noise_is_fresh"."""

    def __init__(self, text):
        self.text = text
        self.test, _, self.filter = text.partition(":")

    def __eq__(self, other):
        return self.text == other.text

    def __hash__(self):
        return hash(self.text)

    def source(self):
        """The file of the test, as far as its name tells; None otherwise."""
        kind, _, rest = self.test.partition(".")
        if kind == "cli" and "." in rest:
            return f"tests/cli/{rest.replace('.', '/', 1)}.case"
        if kind == "python":
            return f"tests/python/test_{rest}.py"
        if re.fullmatch(r"(\w+\.)+(test|slow)_\w+", self.test):
            return f"tests/{self.test.replace('.', '/')}.c"
        return None


class Patch:
    """One deliberate bug: description, `Breaks:`, `Caught-by:` lines, then a diff."""

    def __init__(self, path):
        self.name = path.stem
        self.path = path
        content = path.read_bytes()
        self.hash = hashlib.sha256(content).hexdigest()
        header, _, diff = content.decode("utf-8").partition("\ndiff --git ")
        self.header = header
        self.description, self.breaks, self.detectors = "", None, []
        self._read_header(header)
        self.files = sorted(set(re.findall(r"^(?:---|\+\+\+) [ab]/(\S+)", diff, re.MULTILINE)))
        self._check()

    def _read_header(self, header):
        for line in header.splitlines():
            match = FIELD.fullmatch(line)
            if match is None:
                self.description = f"{self.description} {line.strip()}".strip()
            elif match[1] == "Caught-by":
                self.detectors += [Detector(word) for word in match[2].replace(",", " ").split()]
            elif match[1] == "Breaks" and self.breaks is None:
                self.breaks = match[2]
            else:
                raise PatchError(f"the header has an unknown or second field '{match[1]}:'")

    def _check(self):
        if not self.description or not self.breaks or not self.detectors:
            raise PatchError("the header needs a description, 'Breaks:' and 'Caught-by:'")
        if not self.files:
            raise PatchError("there is no diff; make one with git diff")
        strange = [name for name in self.files if not name.startswith(MUTABLE)]
        if strange:
            raise PatchError(f"a mutant changes product code only, not {strange[0]}")

    def apply(self, clean, context="-C3"):
        """{file: bytes} of the files that the patch changes in the tree `clean`, {file: bytes}.

        Lines around a change must be as they were: a mutant of another place would be another mutant.
        """
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            for name in self.files:
                if name not in clean:
                    raise PatchError(f"does not apply: there is no {name}")
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                (place / name).write_bytes(clean[name])
            # In no repository: git apply would leave out files that are not below its folder.
            environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(place.resolve().parent)}
            done = subprocess.run(["git", "apply", "--whitespace=nowarn", context, str(self.path.resolve())],
                                  cwd=place, env=environment, capture_output=True, check=False)
            if done.returncode != 0:
                why = done.stderr.decode(errors="replace").strip().splitlines()
                raise PatchError(f"does not apply: {why[0] if why else 'git apply failed'}")
            return {name: (place / name).read_bytes() for name in self.files}


def clean_files(root, patch):
    return {name: (root / name).read_bytes() for name in patch.files if (root / name).is_file()}


def diff_of(name, old, new):
    lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), f"a/{name}", f"b/{name}")
    return f"diff --git a/{name} b/{name}\n" + "".join(lines)


def refresh(root, patch):
    """Writes the patch anew if one line around each change is still there; whether it did."""
    clean = clean_files(root, patch)
    try:
        contents = patch.apply(clean, "-C1")
    except PatchError:
        return False
    diffs = [diff_of(name, clean[name].decode(), content.decode()) for name, content in sorted(contents.items())]
    patch.path.write_text(patch.header + "\n" + "".join(diffs), encoding="utf-8")
    return True


def read_all(root):
    """({name: patch}, problems) of the folder of patches."""
    patches, problems = {}, []
    for path in sorted((root / FOLDER).glob("*.patch")):
        try:
            patches[path.stem] = Patch(path)
        except (PatchError, UnicodeDecodeError) as reason:
            problems.append(f"{path.stem}: {reason}")
    return patches, problems


def check(root, patch):
    """Problems that need no build: the diff, the proof note, the spelling of detectors."""
    problems = []
    try:
        patch.apply(clean_files(root, patch))
    except PatchError as reason:
        problems.append(str(reason))
    note = re.match(r"[\w./-]+", patch.breaks)
    if note is None or not (root / note[0]).is_file():
        problems.append(f"Breaks: begins with no file of the tree: '{patch.breaks}'")
    for detector in patch.detectors:
        source = detector.source()
        if source is None:
            continue
        if not (root / source).is_file():
            problems.append(f"Caught-by: {detector.test} has no {source}")
        elif detector.filter and detector.filter.strip("*") not in (root / source).read_text("utf-8"):
            problems.append(f"Caught-by: {source} has no test {detector.filter}")
    return problems
