#!/usr/bin/env python3
"""Applies one deliberate bug at a time to a copy of the tree and asks the tests named for it.

A mutant is a file tests/mutants/NAME.patch: a description, a line `Breaks:` (the proof note and its claim), lines
`Caught-by:` (tests by their ctest names, perhaps `:FUNCTION` of a cmocka program or of a Python test), then the output of
`git diff`. Each detector must be silent on the clean tree and must fail on the mutant as a test fails. Problems:

    a patch that does not apply or does not compile; a detector that stays silent (missed), or that crashes, hangs or
    cannot run (no answer); an alarm on the clean tree.

    tools/mutants.py                  all mutants; the copy and its build stay in build/mutants/
    tools/mutants.py --only PATTERN   these ones (may be repeated)
    tools/mutants.py --changed REV    those whose files, detectors or patch changed since the commit REV
    tools/mutants.py --share I/N      the I-th of N shares
    tools/mutants.py --rotate N       one of N shares: the next one with each commit
    tools/mutants.py --most K         at most K of them, and says which are left out
    tools/mutants.py --minutes M      begins no mutant later than M minutes after the first, and says which are left out
    tools/mutants.py --build DIR      takes objects from this build of the tree where that is enough: no copy is built
    tools/mutants.py --light          only mutants for which it is enough
    tools/mutants.py --resume         skips what was judged before, for the same tree and the same patch
    tools/mutants.py -j N             N copies at a time
    tools/mutants.py --applies        only checks that each patch applies and names tests that exist
    tools/mutants.py --refresh        writes patches anew whose surroundings changed; read them before you commit them
    tools/mutants.py --list           prints mutants, claims and detectors
    tools/mutants.py --self-test      tries itself on a small repository with mutants of every kind
"""

import argparse
import concurrent.futures
import fcntl
import fnmatch
import json
import os
import pathlib
import queue
import subprocess
import sys
import threading
import time

from mutation import overlay, patches as patching
from mutation.detectors import ALARM, NO_ANSWER, SILENT, TIMEOUT_SECONDS, Runner, properties_of, targets_of
from mutation.patches import Detector, PatchError
from mutation.scratch import BuildError, Scratch, read_tree, tree_hash

MUTANTS_OF_A_COPY = 40  # a second copy costs a build, and pays from about this many mutants on
CAUGHT, MISSED, NO_COMPILE, NO_APPLY = "caught", "missed", "does not compile", "does not apply"


# ---- which ones ----


def files_changed_since(root, revision):
    """Names of files that differ from the commit, new ones included."""
    names = set()
    for command in (["diff", "--name-only", "-z", revision, "--"],
                    ["ls-files", "-z", "--others", "--exclude-standard"]):
        done = subprocess.run(["git", "-C", str(root), *command], capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(f"mutants: --changed is '{revision}': {done.stderr.decode().strip()}")
        names.update(done.stdout.decode(errors="surrogateescape").split("\0"))
    return names


def is_touched(root, patch, changed):
    own = {*patch.files, patch.path.relative_to(root).as_posix(), *(d.source() for d in patch.detectors)}
    return not changed.isdisjoint(own)


def share_of(names, share):
    """Every N-th name from the I-th on: shares differ in size by one at most."""
    index, _, count = share.partition("/")
    if not (index.isdigit() and count.isdigit() and 1 <= int(index) <= int(count)):
        sys.exit(f"mutants: --share is '{share}'; give I/N with 1 <= I <= N, for example 2/7")
    return sorted(names)[int(index) - 1::int(count)]


def rotation_of(root, count):
    """(share "I/N", why): by the number of commits; by the day where git does not know that number."""
    if count < 1:
        sys.exit(f"mutants: --rotate is {count}; give a number of shares of at least 1, for example 5")

    def git(*words):
        try:
            done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=False)
        except OSError:
            return ""
        return done.stdout.strip() if done.returncode == 0 else ""

    commits = git("rev-list", "--count", "HEAD")
    if commits.isdigit() and git("rev-parse", "--is-shallow-repository") == "false":
        return f"{int(commits) % count + 1}/{count}", f"commit number {commits}"
    day = int(time.time()) // 86400
    return f"{day % count + 1}/{count}", f"day number {day}; the number of commits is not known"


def bounded(names, most):
    """At most `most` names, evenly spread, so that no file has all of them; and the rest."""
    if most is None or len(names) <= most:
        return names, []
    chosen = [names[i * len(names) // most] for i in range(most)]
    return chosen, [name for name in names if name not in chosen]


def select(root, patches, arguments):
    names = sorted(patches)
    if arguments.only:
        names = [name for name in names if any(fnmatch.fnmatch(name, only) for only in arguments.only)]
        if not names:
            sys.exit(f"mutants: --only is {arguments.only}, and tests/mutants/ has no such patch")
    if arguments.changed is not None:
        changed = files_changed_since(root, arguments.changed)
        names = [name for name in names if is_touched(root, patches[name], changed)]
    if arguments.light:
        heavy = [name for name in names if not overlay.is_fit(patches[name])]
        tell_left_out(heavy, "--light")
        names = [name for name in names if name not in heavy]
    share = arguments.share
    if arguments.rotate is not None:
        share, why = rotation_of(root, arguments.rotate)
        print(f"mutants: share {share} ({why}); --share {share} repeats it")
    names = share_of(names, share) if share else names
    names, left_out = bounded(names, arguments.most)
    tell_left_out(left_out, f"--most {arguments.most}")
    return names


def tell_left_out(names, bound):
    if names:
        print(f"mutants: {len(names)} left out by {bound}: {' '.join(names)}", flush=True)


# ---- what was judged before ----


class Journal:
    """One JSON line a verdict, written at once: an interrupted run loses nothing."""

    def __init__(self, path, tree, resume):
        self.path, self.tree, self.known = path, tree, {}
        self.lock = threading.Lock()
        if resume and path.is_file():
            for line in path.read_text("utf-8").splitlines():
                entry = json.loads(line)
                self.known[entry["tree"], entry["kind"], entry["name"], entry["patch"]] = entry

    def find(self, kind, name, patch_hash):
        """The earlier entry; an environment that gave no answer is asked again."""
        entry = self.known.get((self.tree, kind, name, patch_hash))
        return None if entry is None or entry["verdict"] == NO_ANSWER else entry

    def add(self, kind, name, patch_hash, verdict, reason):
        entry = {"tree": self.tree, "kind": kind, "name": name, "patch": patch_hash, "verdict": verdict,
                 "reason": reason}
        with self.lock, self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


# ---- judging ----


class Judge:
    """Copies of the tree, each with a thread of its own, that take work from one queue.

    With --build, overlays of that build take the mutants that they are fit for, and copies the rest.
    """

    def __init__(self, root, folder, patches, names, arguments):
        self.clean = read_tree(root)
        tree = tree_hash(self.clean)
        count = max(1, min(arguments.jobs, len(names)))
        processors = os.cpu_count() or 1
        self.patches = [patches[name] for name in names]
        self.journal = Journal(folder / "judged.jsonl", tree, arguments.resume)
        self.runner = Runner(arguments.timeout)
        self.built = overlay.Built(root, arguments.build.resolve(), processors) if arguments.build else None
        self.overlays = [overlay.Overlay(self.built, folder / f"overlay{i}") for i in range(count)]
        self.scratches = [Scratch(root, folder / str(i), self.clean, tree, processors) for i in range(count)]
        self.copies = []
        self.minutes, self.deadline, self.left_out = arguments.minutes, None, []
        self.problems = []
        self.lock = threading.Lock()

    def say(self, name, verdict, reason, seconds):
        took = "known" if seconds is None else f"{seconds:.1f} s"
        with self.lock:
            print(f"{name:<44} {verdict:<17} {took:>8}  {reason}", flush=True)
            if verdict not in (CAUGHT, SILENT):
                self.problems.append(f"{name}: {verdict}: {reason}")

    def each(self, work, items):
        """work(copy, item) for all items; the first exception of a thread ends the run."""
        left, failures = queue.SimpleQueue(), []
        for item in items:
            left.put(item)

        def loop(copy):
            try:
                while not failures and not self.runner.stopped:
                    work(copy, left.get_nowait())
            except queue.Empty:
                pass
            except Exception as failure:  # pylint: disable=broad-except
                failures.append(failure)

        threads = [threading.Thread(target=loop, args=(copy,)) for copy in self.copies]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt:
            self.runner.stop()
            raise
        if failures:
            raise failures[0]

    # -- the clean tree --

    def prepare_overlays(self, detectors):
        for copy in self.overlays:
            copy.tree.mkdir(parents=True, exist_ok=True)
        self.built.make({detector.test for detector in detectors})

    def prepare(self, copy, detectors):
        copy.tree.mkdir(parents=True, exist_ok=True)
        copy.synchronise()
        copy.configure()
        targets = set()
        for detector in detectors:
            test = copy.tests.get(detector.test)
            targets |= targets_of(test) if test is not None else set()
        copy.build(targets)
        self.set_up(copy, detectors)
        copy.list_tests()

    def set_up(self, copy, detectors):
        """Tests that must run before others, such as the one that installs Python packages."""
        needed = set()
        for detector in detectors:
            needed.update(properties_of(copy.tests.get(detector.test, {})).get("FIXTURES_REQUIRED", []))
        for name, test in copy.tests.items():
            if needed.intersection(properties_of(test).get("FIXTURES_SETUP", [])):
                answer, reason = self.runner.ask(Detector(name), test)
                if answer != SILENT:
                    raise BuildError(f"{name}: {reason}")

    def ask_clean(self, detector):
        if self.journal.find("clean", detector.text, "") is not None:
            return
        begin = time.monotonic()
        answer, reason = self.runner.ask(detector, self.copies[0].tests.get(detector.test))
        if not self.runner.stopped:
            self.journal.add("clean", detector.text, "", answer if answer == SILENT else NO_ANSWER, reason)
            self.say("clean: " + detector.text, "ALARM" if answer == ALARM else answer, reason,
                     time.monotonic() - begin)

    # -- one mutant --

    def judge(self, copy, patch):
        """(verdict, reason)."""
        try:
            contents = patch.apply(self.clean)
            for name, content in contents.items():
                if name.endswith(".py"):
                    compile(content, name, "exec")
            copy.mutate(contents)
            copy.build(set().union(*(targets_of(copy.tests[d.test]) for d in patch.detectors
                                     if d.test in copy.tests)))
        except PatchError as reason:
            return NO_APPLY, str(reason).partition(": ")[2] or str(reason)
        except SyntaxError as reason:
            return NO_COMPILE, str(reason)
        except BuildError as failure:
            words = [line for line in str(failure).splitlines() if "error" in line.lower()]
            return NO_COMPILE, words[0].strip() if words else "the build failed"
        return self.ask_all(copy, patch)

    def ask_all(self, copy, patch):
        told = {ALARM: [], SILENT: [], NO_ANSWER: []}
        with concurrent.futures.ThreadPoolExecutor(copy.jobs) as pool:
            answers = list(pool.map(lambda d: self.runner.ask(d, copy.tests.get(d.test)), patch.detectors))
        for detector, (answer, reason) in zip(patch.detectors, answers):
            told[answer].append(detector.text + (f" ({reason})" if answer == NO_ANSWER else ""))
        if told[NO_ANSWER]:
            return NO_ANSWER, "from " + ", ".join(told[NO_ANSWER])
        if told[SILENT]:
            return MISSED, "by " + ", ".join(told[SILENT])
        return CAUGHT, "by " + ", ".join(told[ALARM])

    def is_known(self, patch):
        known = self.journal.find("mutant", patch.name, patch.hash)
        if known is not None:
            self.say(patch.name, known["verdict"], known["reason"], None)
        return known is not None

    def judge_and_say(self, copy, patch):
        begin = time.monotonic()
        if self.is_late():
            self.left_out.append(patch.name)
            return
        verdict, reason = self.judge(copy, patch)
        if self.runner.stopped:
            return
        self.journal.add("mutant", patch.name, patch.hash, verdict, reason)
        self.say(patch.name, verdict, reason, time.monotonic() - begin)

    def run(self):
        left = [patch for patch in self.patches if not self.is_known(patch)]
        light = [patch for patch in left if self.built is not None and overlay.is_fit(patch)]
        heavy = [patch for patch in left if patch not in light]
        self.run_on(self.overlays, light)
        self.run_on(self.scratches_for(len(heavy)), heavy)
        tell_left_out(sorted(self.left_out), f"--minutes {self.minutes}")

    def scratches_for(self, mutants):
        copies = self.scratches[:1 + mutants // MUTANTS_OF_A_COPY]
        for copy in copies:
            copy.jobs = max(1, (os.cpu_count() or 1) // len(copies))
        return copies

    def is_late(self):
        return self.deadline is not None and time.monotonic() > self.deadline

    def run_on(self, copies, left):
        if not left:
            return
        if self.is_late():  # before a copy is built for nothing
            self.left_out += [patch.name for patch in left]
            return
        self.copies = copies
        detectors = sorted({d for patch in left for d in patch.detectors}, key=lambda d: d.text)
        if copies is self.overlays:
            self.prepare_overlays(detectors)
        else:
            for copy in copies:
                self.prepare(copy, detectors)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(self.ask_clean, detectors))
        if self.minutes is not None and self.deadline is None:
            self.deadline = time.monotonic() + 60.0 * self.minutes
        # Mutants of one file follow each other: the file is compiled once for each of them.
        self.each(self.judge_and_say, sorted(left, key=lambda patch: (patch.files, patch.name)))
        for copy in copies:
            copy.mutate({})


# ---- commands ----


def finish(count, problems, begin):
    for problem in problems:
        print(f"mutants: {problem}", file=sys.stderr)
    print(f"mutants: {count} mutants, {len(problems)} problems, {time.monotonic() - begin:.0f} s")
    return 1 if problems else 0


def check_applies(root, patches, problems):
    begin = time.monotonic()
    for name, patch in patches.items():
        problems += [f"{name}: {problem}" for problem in patching.check(root, patch)]
    return finish(len(patches), problems, begin)


def refresh(root, patches, problems):
    begin = time.monotonic()
    for name, patch in patches.items():
        if not patching.refresh(root, patch):
            problems.append(f"{name}: its code has changed; write the patch again")
    return finish(len(patches), problems, begin)


def run(root, folder, arguments):
    begin = time.monotonic()
    patches, problems = patching.read_all(root)
    if arguments.applies:
        return check_applies(root, patches, problems)
    if arguments.refresh:
        return refresh(root, patches, problems)
    if arguments.list:
        for name, patch in patches.items():
            print(f"{name}: {patch.description}\n    breaks {patch.breaks}\n    caught by "
                  + ", ".join(detector.text for detector in patch.detectors))
        return finish(len(patches), problems, begin)
    names = select(root, patches, arguments)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sys.exit(f"mutants: another run works in {folder}; wait for it, or give --folder")
        try:
            judge = Judge(root, folder, patches, names, arguments)
        except BuildError as failure:
            return finish(0, problems + [str(failure)], begin)
        try:
            judge.run()
        except BuildError as failure:
            problems.append(f"the clean tree cannot be built or set up:\n{failure}")
    return finish(len(names) - len(judge.left_out), problems + judge.problems, begin)


def parse(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", metavar="PATTERN", help="names of mutants")
    parser.add_argument("--changed", metavar="REV", help="mutants of files that changed since this commit")
    parser.add_argument("--share", metavar="I/N", help="the I-th of N shares")
    parser.add_argument("--rotate", type=int, metavar="N", help="one of N shares, the next one with each commit")
    parser.add_argument("--most", type=int, metavar="K", help="at most K mutants")
    parser.add_argument("--minutes", type=float, metavar="M", help="begin no mutant later than M minutes after the first")
    parser.add_argument("--build", type=pathlib.Path, metavar="DIR",
                        help="take objects from this build, which is brought up to date first, where that is enough")
    parser.add_argument("--light", action="store_true", help="only mutants for which the objects of --build are enough")
    parser.add_argument("--resume", action="store_true", help="skip what was judged before")
    parser.add_argument("-j", "--jobs", type=int, metavar="N", default=max(1, (os.cpu_count() or 1) // 4),
                        help="copies of the tree at a time (default: a quarter of the processors)")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", default=TIMEOUT_SECONDS,
                        help="time limit of a detector (default: 300)")
    parser.add_argument("--folder", type=pathlib.Path, help="the copies (default: build/mutants)")
    parser.add_argument("--applies", action="store_true", help="check the patches without a build")
    parser.add_argument("--refresh", action="store_true", help="write patches anew whose surroundings changed")
    parser.add_argument("--list", action="store_true", help="print the mutants")
    parser.add_argument("--self-test", action="store_true")
    return parser.parse_args(words)


def main():
    arguments = parse()
    root = pathlib.Path(__file__).resolve().parent.parent
    if arguments.self_test:
        from mutation.self_test import self_test
        return self_test(run, parse)
    return run(root, (arguments.folder or root / "build" / "mutants").resolve(), arguments)


if __name__ == "__main__":
    sys.exit(main())
