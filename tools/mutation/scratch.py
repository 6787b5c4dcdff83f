"""A scratch copy of the tree with a build directory of its own; both stay between runs."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess

from mutation.patches import FOLDER


class BuildError(Exception):
    """CMake or the compiler failed; the text is what it said."""


def read_tree(root):
    """{file: content} of what git tracks and of new files that it does not ignore, without the mutants themselves.

    Read once: the tree may be edited while the mutants are judged.
    """
    done = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others",
                           "--exclude-standard"], capture_output=True, check=True)
    names = set(done.stdout.decode("utf-8", errors="surrogateescape").split("\0")) - {""}
    return {name: content_of(root / name) for name in sorted(names) if not name.startswith(FOLDER + "/")
            and ((root / name).is_file() or (root / name).is_symlink())}


def content_of(path):
    return os.readlink(path).encode() if path.is_symlink() else path.read_bytes()


def tree_hash(clean):
    total = hashlib.sha256()
    for name, content in clean.items():
        total.update(f"{name}\0{hashlib.sha256(content).hexdigest()}\n".encode("utf-8", "surrogateescape"))
    return total.hexdigest()


def build_environment():
    """The caller's, with ccache where it is installed: a reverted file then costs nothing."""
    environment = dict(os.environ)
    if shutil.which("ccache") is not None:
        environment.setdefault("CMAKE_C_COMPILER_LAUNCHER", "ccache")
        environment.setdefault("CCACHE_NOHASHDIR", "1")
    return environment


class Scratch:
    """Files are written only where their content differs, so that only these are built again."""

    def __init__(self, root, folder, clean, tree_id, jobs):
        self.root, self.clean, self.tree_id, self.jobs = root, clean, tree_id, jobs
        self.tree, self.build_folder = folder / "tree", folder / "build"
        self.stamp = folder / "configured"
        self.changed = set()  # files that are not clean
        self.environment = {"CCACHE_BASEDIR": str(self.tree), **build_environment()}
        self.tests = {}

    # ---- files ----

    def _write(self, name, content):
        target, like = self.tree / name, self.root / name
        if target.is_symlink() or target.is_file():
            if target.is_symlink() == like.is_symlink() and content_of(target) == content:
                return
            target.unlink()
        target.parent.mkdir(parents=True, exist_ok=True)
        if like.is_symlink():
            os.symlink(content.decode(), target)
            return
        target.write_bytes(content)
        shutil.copymode(like, target)

    def synchronise(self):
        """Makes the copy clean, whatever an interrupted run left in it."""
        for folder, folders, files in os.walk(self.tree):
            if pathlib.Path(folder) == self.tree and "build" in folders:
                folders.remove("build")
            for name in files:
                path = pathlib.Path(folder) / name
                if str(path.relative_to(self.tree)) not in self.clean:
                    path.unlink()
        for name, content in self.clean.items():
            self._write(name, content)
        # Packages of Python are installed once for all copies.
        shared, own = self.root / "build" / "python-env", self.tree / "build" / "python-env"
        if shared.is_dir() and not own.exists():
            own.parent.mkdir(parents=True, exist_ok=True)
            os.symlink(shared, own)

    def mutate(self, contents):
        """Exactly these files differ from the clean tree: what an earlier mutant changed is undone."""
        for name in self.changed - set(contents):
            self._write(name, self.clean[name])
        for name, content in contents.items():
            self._write(name, content)
        self.changed = set(contents)

    # ---- building ----

    def _run(self, command):
        done = subprocess.run(command, cwd=self.tree, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        text = done.stdout.decode(errors="replace")
        if done.returncode != 0:
            raise BuildError(text)
        return text

    def configure(self):
        is_new = not (self.build_folder / "CMakeCache.txt").is_file()
        if is_new or not self.stamp.is_file() or self.stamp.read_text() != self.tree_id:
            command = ["cmake", "--preset", "dev", "-S", str(self.tree), "-B",
                       str(self.build_folder), "--log-level=WARNING",
                       "-DSOTTO_WERROR=OFF"]  # a mutant may leave a variable unused
            if is_new and shutil.which("ninja") is not None:
                command += ["-G", "Ninja"]
            self._run(command)
            self.stamp.write_text(self.tree_id)
        self.list_tests()

    def list_tests(self):
        """Those of ctest; a program that is not built has no command yet."""
        listed = json.loads(self._run(["ctest", "--test-dir", str(self.build_folder),
                                       "--show-only=json-v1"]))
        self.tests = {test["name"]: test for test in listed["tests"]}

    def build(self, targets):
        if targets:
            self._run(["cmake", "--build", str(self.build_folder), "-j", str(self.jobs),
                       "--target", *sorted(targets)])
