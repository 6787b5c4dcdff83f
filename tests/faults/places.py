#!/usr/bin/env python3
"""Places in which a charged command must not lose its result: a full disk, few descriptors, a container, other locales.

    places.py --sotto build/dev/sotto

In each the command ends well, is refused before the charge, or is recovered by the same command in a better place. A full
disk and a container need root, locales need localedef; a part without its needs says that it is skipped.
"""

import argparse
import contextlib
import errno
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

from aftermath import Aftermath, show
from scene import COMMANDS, LEDGER, Scene, files_of, work_directory

DISK_BYTES = 1 << 20
FREE_PAGES = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24)  # an output, its checkpoint and a journal have some pages each
USER, OTHER_USER = 65534, 65533  # neither is root
STALE = 100  # temporaries that a process number may have left
LOCALES = ("tr_TR", "de_DE")


def charged_commands():
    return [command for command in COMMANDS if command.charged]


def some(choices, sample):
    """All choices, or that many of them, evenly."""
    choices = list(choices)
    return choices if sample is None else choices[:: max(1, len(choices) // sample)]


@contextlib.contextmanager
def small_disk(base):
    """A file system of DISK_BYTES."""
    with tempfile.TemporaryDirectory(dir=base) as directory:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "sotto-faults", directory], check=True)
        try:
            yield directory
        finally:
            subprocess.run(["umount", directory], check=True)


def fill(directory, free_pages):
    """Fills the file system but for some pages; returns the file to remove."""
    path = os.path.join(directory, "filler")
    state = os.statvfs(directory)
    with open(path, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(1, (state.f_bavail - free_pages) * state.f_frsize))
    return path


def full_disk(scene, sample):
    """No room for an output, a checkpoint or a journal; then room again."""
    if os.geteuid() != 0:
        return "only root can mount a file system"
    for command in charged_commands():
        for pages in some(FREE_PAGES, sample):
            with small_disk(scene.base) as disk, scene.copy(command, disk) as place:
                aftermath = Aftermath(scene, command, place, {}, f"{command.name}, {pages} pages free")
                filler = fill(disk, pages)
                done = scene.run(place, command.words)
                os.unlink(filler)
                aftermath.examine(done, os.strerror(errno.ENOSPC))
                yield aftermath
    return None


def few_descriptors(scene, sample):
    """`ulimit -n`, from too few for anything on."""
    for command in charged_commands():
        for limit in some(range(4, 14), sample):
            with scene.copy(command) as place:
                aftermath = Aftermath(scene, command, place, {}, f"{command.name}, ulimit -n {limit}")
                done = scene.run(place, command.words,
                                 preexec_fn=lambda most=limit: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
                if done.returncode == 127:  # the loader has none left for the libraries
                    continue
                aftermath.examine(done, os.strerror(errno.EMFILE))
                yield aftermath
    return None


def container(scene, sample):
    """Process number 1, as in a container that is started again: the temporaries of its forerunner are there."""
    before = ("unshare", "-fp", "--mount-proc")
    if os.geteuid() != 0 or subprocess.run([*before, "true"], capture_output=True, check=False).returncode != 0:
        return "only root can make a process namespace"
    for command in some([command for command in charged_commands() if command.outputs], sample):
        with scene.copy(command) as place:
            aftermath = Aftermath(scene, command, place, {}, command.name)
            for number in range(STALE):
                with open(os.path.join(place, f".sotto-1-{number}.tmp"), "w", encoding="ascii") as file:
                    file.write("stale")
            done = scene.run(place, command.words, before=before)
            aftermath.expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr.strip()[-150:]}")
            aftermath.examine(done, "")
            yield aftermath
    return None


@contextlib.contextmanager
def mounted_output(place, name):
    """An empty file under the name, mounted as a container mounts a single file: rename(2) cannot replace it."""
    path, source = os.path.join(place, name), os.path.join(place, "..", "source")
    for empty in (path, source):
        with open(empty, "wb"):
            pass
    subprocess.run(["mount", "--bind", source, path], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", path], check=True)
        os.unlink(path)


@contextlib.contextmanager
def sticky_output(place, name):
    """An empty file of another user in a sticky directory of root; the command runs as a third user."""
    path = os.path.join(place, name)
    with open(path, "wb"):
        pass
    os.chown(path, OTHER_USER, OTHER_USER)
    for file in (LEDGER, "d.csv", "s.json"):
        os.chown(os.path.join(place, file), USER, USER)
    os.chmod(place, 0o1777)
    try:
        yield
    finally:
        os.unlink(path)


def as_user():
    os.setgid(USER)
    os.setuid(USER)


def irreplaceable(scene, sample):
    """Outputs that rename(2) cannot replace are refused before the charge."""
    if os.geteuid() != 0:
        return "only root can mount a file and be other users"
    for command in some([command for command in charged_commands() if command.outputs], sample):
        with scene.copy(command) as place, mounted_output(place, command.outputs[0]):
            aftermath = Aftermath(scene, command, place, {}, f"{command.name}, mounted")
            done = scene.run(place, command.words)
            aftermath.expect(done.returncode == 1, f"exit code {done.returncode}")
            aftermath.examine(done, "mount point")
            aftermath.expect(aftermath.outcome == "refused", "charged, though the output cannot be written")
            yield aftermath
    command = next(command for command in COMMANDS if command.name == "release-count")
    with work_directory() as base, scene.copy(command, base) as place, sticky_output(place, command.outputs[0]):
        for directory in (base, os.path.dirname(place)):
            os.chmod(directory, 0o755)
        aftermath = Aftermath(scene, command, place, {}, f"{command.name}, sticky")
        done = scene.run(place, command.words, preexec_fn=as_user)
        aftermath.examine(done, "sticky")
        aftermath.expect("sticky" in done.stderr, f"another reason: {done.stderr.strip()[-150:]}")
        aftermath.expect(aftermath.outcome == "refused", "charged, though the output cannot be written")
        yield aftermath
    return None


def locales(scene, sample):
    """A decimal comma, and an i without its capital letter: the same bytes as in the C locale."""
    if shutil.which("localedef") is None:
        return "localedef is missing"
    with tempfile.TemporaryDirectory(dir=scene.base) as directory:
        for name in LOCALES:
            made = subprocess.run(["localedef", "-i", name, "-f", "UTF-8", os.path.join(directory, f"{name}.UTF-8")],
                                  capture_output=True, check=False)
            if made.returncode != 0:
                return f"localedef cannot make {name}"
        for command in some(COMMANDS, sample):
            with scene.copy(command) as place:
                scene.run(place, command.words)
                reference = files_of(place)
            for name in LOCALES:
                with scene.copy(command) as place:
                    aftermath = Aftermath(scene, command, place, reference, f"{command.name}, {name}")
                    done = scene.run(place, command.words, variables={"LC_ALL": f"{name}.UTF-8", "LOCPATH": directory})
                    aftermath.expect(done.returncode == 0, f"exit code {done.returncode}: {done.stderr.strip()[-150:]}")
                    aftermath.examine(done, "")
                    yield aftermath
    return None


PLACES = (full_disk, few_descriptors, container, irreplaceable, locales)


def collect(generator):
    """The aftermaths of a place, and why it was skipped (None: it was not)."""
    found = []
    while True:
        try:
            found.append(next(generator))
        except StopIteration as end:
            return found, end.value


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sotto", required=True, help="the command under test")
    parser.add_argument("--sample", type=int, help="settings of each place (default: all)")
    parser.add_argument("--only", action="append", choices=[place.__name__ for place in PLACES], help="these places")
    arguments = parser.parse_args()
    failed = 0
    with work_directory() as base:
        scene = Scene(arguments.sotto, base)
        for place in PLACES:
            if arguments.only and place.__name__ not in arguments.only:
                continue
            began = time.monotonic()
            aftermaths, skipped = collect(place(scene, arguments.sample))
            faulty = [aftermath for aftermath in aftermaths if aftermath.findings]
            outcomes = [aftermath.outcome for aftermath in aftermaths]
            print(f"{place.__name__:15} {len(aftermaths):4} runs: {outcomes.count('absorbed')} ended well, {outcomes.count('refused')} refused "
                  f"before a charge, {outcomes.count('recovered')} recovered; {len(faulty)} findings ({time.monotonic() - began:.0f} s)"
                  + (f"; skipped: {skipped}" if skipped else ""), flush=True)
            show(faulty, "in")
            failed += len(faulty)
    print(f"places: {failed} findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
