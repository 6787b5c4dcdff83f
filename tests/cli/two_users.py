#!/usr/bin/env python3
"""Two users on one machine: a curator who owns the data, and an analyst who attacks it.

    two_users.py --build build/dev --examples examples      needs root; exit code 77 without

Installs the command into a temporary directory, makes the directories of docs/howto/analyst.md for user ids that nobody
has, and runs `sotto analyst` with the curator's user id as sudo would: the analyst chooses words, environment,
directory, limits and open files. The analyst must get results, and nothing else. /etc is not touched.
"""

import argparse
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CURATOR, ANALYST, STRANGER, READERS = 64001, 64002, 64004, 64003
CLEAN = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}

problems = []
counts = {"works": 0, "attacks": 0}


def expect(kind, what, holds, detail=""):
    counts[kind] += 1
    if not holds:
        problems.append(f"{kind}: {what}: {detail}")


class Clinic:
    """The directories of docs/howto/analyst.md: one for the curator, one for results."""

    def __init__(self, base, sotto, examples):
        self.base, self.sotto = base, sotto
        self.private = os.path.join(base, "clinic", "private")
        self.results = os.path.join(base, "clinic", "results")
        self.home = os.path.join(base, "analyst")
        self.config = os.path.join(self.private, "analyst.json")
        self.ledger = os.path.join(self.private, "budget.ledger")
        self.data = os.path.join(self.private, "survey.csv")
        os.mkdir(os.path.join(base, "clinic"), 0o711)
        for path, owner, group, mode in ((self.private, CURATOR, CURATOR, 0o700),
                                         (self.results, CURATOR, READERS, 0o2750),
                                         (self.home, ANALYST, ANALYST, 0o777)):
            os.mkdir(path)
            os.chown(path, owner, group)
            os.chmod(path, mode)
        for name in ("survey.csv", "smokers.schema.json"):
            self.put(os.path.join(self.private, name), open(os.path.join(examples, name), encoding="utf-8").read())
        self.put(self.config, json.dumps({
            "data": "survey.csv", "schema": "smokers.schema.json", "ledger": "budget.ledger", "results": "../results",
            "readers": str(READERS), "max_epsilon": 1, "max_delta": 1e-6,
            "commands": ["plan", "train", "tune", "evaluate", "pac learn", "release", "ledger show"]}))
        self.run(CURATOR, [sotto, "ledger", "init", self.ledger, "--dataset", "survey-2026", "--epsilon", "20",
                           "--delta", "1e-5"], check=True)
        self.secrets = {path: open(path, "rb").read() for path in (self.data, self.config)}

    def put(self, path, text, owner=CURATOR, mode=0o600):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chown(path, owner, owner)
        os.chmod(path, mode)

    def run(self, user, words, check=False, **options):
        groups = [READERS] if user == ANALYST else []
        options.setdefault("env", CLEAN)
        options.setdefault("cwd", self.home)
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run(words, user=user, group=user, extra_groups=groups, check=check, text=True, timeout=300,
                              errors="replace", **{"capture_output": True, **options})

    def restricted(self, *words, **options):
        """As the sudo rule does: the curator's rights, the analyst's words and session."""
        return self.run(CURATOR, [self.sotto, "analyst", self.config, *words], **options)

    def charges(self):
        shown = self.run(CURATOR, [self.sotto, "ledger", "show", self.ledger, "--json"], check=True).stdout
        return shown.count('"reserve"')

    def readable(self, name):
        return self.run(ANALYST, ["cat", os.path.join(self.results, name)]).returncode == 0


def works(clinic):
    """The analyst trains, evaluates, releases and reads the results; each is charged."""
    for number, words in enumerate((
            ("train", "--model", "logistic", "--epsilon", "1", "--delta", "1e-6", "-o", "model.json", "--report", "model.html"),
            ("evaluate", "model.json", "--epsilon", "0.5", "-o", "accuracy.json"),
            ("release", "mean", "age", "--epsilon", "0.1", "-o", "mean.json"),
            ("release", "count", "--where", "smokes=true", "--epsilon", "0.1", "-o", "count.json"),
            ("train", "--model", "logistic", "--epsilon", "0.5", "--prior", "model.json", "--delta", "1e-6", "-o",
             "second.json"),
            ("pac", "learn", "--class", "stumps", "--epsilon", "0.5", "-o", "rule.json")), 1):
        done = clinic.restricted(*words)
        expect("works", " ".join(words), done.returncode == 0 and clinic.charges() == number, done.stderr)
        for name in (word for word in words if word.endswith((".json", ".html"))):
            expect("works", f"the analyst reads {name}", clinic.readable(name))
            facts = os.stat(os.path.join(clinic.results, name))
            expect("works", f"mode of {name}", (facts.st_mode & 0o7777, facts.st_gid, facts.st_uid) ==
                   (0o640, READERS, CURATOR), oct(facts.st_mode))
    done = clinic.run(ANALYST, [clinic.sotto, "verify", os.path.join(clinic.results, "model.json")])
    expect("works", "the analyst verifies the certificate", done.returncode == 0, done.stderr)
    expect("works", "the analyst sees the rules", clinic.restricted().returncode == 0)
    expect("works", "the analyst sees the ledger", "left" in clinic.restricted("ledger", "show").stdout)
    stranger = clinic.run(STRANGER, ["cat", os.path.join(clinic.results, "model.json")])
    expect("attacks", "a stranger reads a result", stranger.returncode != 0)


def attack_directly(clinic):
    """Without the command: the permissions of the files hold."""
    results, private = clinic.results, clinic.private
    for words in (["cat", clinic.data], ["cat", clinic.ledger], ["cat", clinic.config], ["ls", private], ["stat", clinic.data],
                  ["cp", "/dev/null", clinic.ledger], ["mv", private, private + "2"], ["mv", results, results + "2"],
                  ["ln", "-s", clinic.data, results + "/link.json"], ["ln", clinic.data, results + "/hard.json"],
                  ["touch", results + "/mine.json"], ["rm", "-f", results + "/model.json"], ["mkfifo", results + "/pipe.json"],
                  ["sh", "-c", f"echo x > '{results}/model.json'"], ["chmod", "777", results],
                  [clinic.sotto, "ledger", "grant", clinic.ledger, "--epsilon", "9", "--reason", "x"],
                  [clinic.sotto, "ledger", "show", clinic.ledger],
                  [clinic.sotto, "release", "count", clinic.data, "--schema", private + "/smokers.schema.json", "--epsilon", "1"],
                  [clinic.sotto, "analyst", clinic.config, "release", "count", "--epsilon", "0.1"]):
        done = clinic.run(ANALYST, words)
        expect("attacks", " ".join(words), done.returncode != 0, done.stdout)


def refused(clinic, what, words, **options):
    """The command refuses, charges nothing, writes nothing and shows nothing of a file."""
    before, names = clinic.charges(), sorted(os.listdir(clinic.results))
    done = clinic.restricted(*words, **options)
    output = (done.stdout or "") + (done.stderr or "")
    kept = all(open(path, "rb").read() == content for path, content in clinic.secrets.items())
    expect("attacks", what, done.returncode not in (0, 3) and clinic.charges() == before and kept and
           sorted(os.listdir(clinic.results)) == names and "p001" not in output and "max_epsilon" not in output,
           f"exit code {done.returncode}: {output[:300]}")


def attack_words(clinic):
    count = ("release", "count", "--epsilon", "0.1")
    train = ("train", "--model", "logistic", "--epsilon", "0.5", "--delta", "1e-6")
    for words in (
            count + ("--insecure-test-seed", "7"), count + ("--insecure-test-seed=7",), count + ("--insecure-test", "7"),
            count + ("--schema", "mine.json"), count + ("--schema=a", "--schema=b"), count + ("--ledger", "mine.ledger"),
            count + ("--query", "SELECT * FROM t"), count + ("--stored-table",), count + ("--", clinic.data),
            count + (clinic.data,), count + ("--public-n", "400", "--adjacency", "replace-one"), ("release", "count", "--epsilon", "5"),
            ("release", "choose", "town", "--epsilon", "0.1"), ("release", "choose", "--epsilon", "0.1", "--score", "given", "--sensitivity", "1"),
            ("release", "rr", "--estimate"), ("release", "rr", "smokes", "--epsilon", "0.1", "--adjacency", "replace-one"),
            train + ("--data-is-public", "-o", "x.json"), ("train", "--model", "logistic", "--method", "none", "-o", "x.json"),
            ("train", "--model", "logistic", "--method", "posterior", "--sampler", "mala", "--epsilon", "1", "-o", "x.json"),
            ("evaluate", "model.json", "--data-is-public"), ("predict", "model.json"), ("audit", "model", "model.json"),
            ("schema", "check", "--owner"), ("ledger", "grant", "--epsilon", "9", "--reason", "x"), ("ledger", "export"),
            ("pate", "teach"), ("analyst", clinic.config, "train"), ("release count", "--epsilon", "0.1"), ("",), ("--", "ledger", "export")):
        refused(clinic, " ".join(words), words)
    for name in ("../private/budget.ledger", "../private/x.json", clinic.private + "/x.json", "/proc/self/fd/1", "/proc/self/cwd/x.json", "/dev/stdout",
                 "-", ".x.json", "..", "", "x.json/", "a/b.json", "x", "x.ledger", "model.json", "x.json.checkpoint", "a\nb.json",
                 "a b.json", "x" * 300 + ".json", "x" * 5000, "\u00fc.json", "%s%n.json", "$(id).json", "~/x.json"):
        refused(clinic, f"output {name[:40]!r}", count + ("-o", name))
        refused(clinic, f"output={name[:40]!r}", count + ("--output=" + name,))
    for name in ("../private/analyst.json", clinic.config, "/proc/self/fd/0", "/dev/stdin", "-", ".", "..", "nothing.json", "a\nb.json"):
        refused(clinic, f"prior {name!r}", train + ("--prior", name, "-o", "x.json"))
        refused(clinic, f"evaluate {name!r}", ("evaluate", name, "--epsilon", "0.1"))
        refused(clinic, f"init {name!r}", ("train", "--model", "mlp", "--init", name, "--epsilon", "0.5", "--delta", "1e-6", "--expected-rows", "400",
                                           "-o", "x.json"))
        refused(clinic, f"validation {name!r}", ("train", "--model", "mlp", "--validation", name, "--epsilon", "0.5", "--delta", "1e-6",
                                                 "--expected-rows", "400", "-o", "x.json"))
    for network in ("../private/analyst.json", "mlp:/../../private/analyst.json", clinic.config):
        refused(clinic, f"network {network}", ("train", "--model", network, "--epsilon", "0.5", "--delta", "1e-6", "-o", "x.json"))
        refused(clinic, f"concept {network}", ("pac", "learn", "--class", network, "--epsilon", "0.5", "-o", "x.json"))
    # Help is shown and nothing is done, whatever stands beside it.
    before = clinic.charges()
    done = clinic.restricted(*count, "--ledger", "x", "-h", "-o", "help.json")
    expect("attacks", "words beside -h", done.returncode == 0 and clinic.charges() == before and
           not os.path.exists(clinic.results + "/help.json") and "--ledger" not in done.stdout, done.stdout)


def attack_planted(clinic):
    """Even what only the curator could have put there is not followed."""
    plants = {"link.json": lambda path: os.symlink(clinic.ledger, path), "loose.json": lambda path: os.symlink("nothing", path),
              "hard.json": lambda path: os.link(clinic.config, path), "pipe.json": os.mkfifo, "folder.json": os.mkdir}
    for name, plant in plants.items():
        path = os.path.join(clinic.results, name)
        plant(path)
        refused(clinic, f"output to {name}", ("release", "count", "--epsilon", "0.1", "-o", name))
        refused(clinic, f"input from {name}", ("train", "--model", "logistic", "--prior", name, "--epsilon", "0.5", "--delta", "1e-6", "-o", "x.json"))
        refused(clinic, f"evaluation of {name}", ("evaluate", name, "--epsilon", "0.1"))
        os.rmdir(path) if name == "folder.json" else os.unlink(path)


def attack_configuration(clinic):
    """Another configuration, or files whose permissions are wrong."""
    own = os.path.join(clinic.home, "mine.json")
    text = open(clinic.config, encoding="utf-8").read().replace('"max_epsilon": 1', '"max_epsilon": 100').replace('"survey', f'"{clinic.private}/survey')
    clinic.put(own, text, owner=ANALYST, mode=0o644)
    for path in (own, "mine.json", clinic.config + " x", "/dev/stdin", "/proc/self/fd/0", "-", clinic.results + "/model.json"):
        done = clinic.run(CURATOR, [clinic.sotto, "analyst", path, "release", "count", "--epsilon", "5"], stdin=open(own, encoding="utf-8"))
        expect("attacks", f"configuration {path}", done.returncode not in (0, 3), done.stdout)
    for path, mode, group in ((clinic.results, 0o2770, READERS), (clinic.results, 0o2777, READERS), (clinic.private, 0o750, READERS),
                              (clinic.private, 0o711, CURATOR), (clinic.data, 0o640, READERS), (clinic.data, 0o644, CURATOR),
                              (clinic.config, 0o660, READERS), (clinic.ledger, 0o640, READERS), (os.path.dirname(clinic.private), 0o777, 0)):
        facts = os.stat(path)
        os.chown(path, -1, group)
        os.chmod(path, mode)
        done = clinic.restricted("release", "count", "--epsilon", "0.1")
        expect("attacks", f"{path} of mode {mode:o}", done.returncode == 1 and "chmod" in done.stderr, done.stderr)
        os.chown(path, -1, facts.st_gid)
        os.chmod(path, facts.st_mode & 0o7777)
    expect("works", "the set-up is whole again", clinic.restricted().returncode == 0, clinic.restricted().stderr)


def limited(which, soft, hard):
    return lambda: resource.setrlimit(which, (soft, hard))


def attack_session(clinic):
    """Environment, limits, open files, directory and signals of the analyst's session."""
    count = ("release", "count", "--epsilon", "0.1")
    for name, which, most in (("file size", resource.RLIMIT_FSIZE, 0), ("file size", resource.RLIMIT_FSIZE, 4096),
                              ("memory", resource.RLIMIT_AS, 1 << 31), ("data", resource.RLIMIT_DATA, 1 << 31),
                              ("time", resource.RLIMIT_CPU, 60), ("files", resource.RLIMIT_NOFILE, 12), ("stack", resource.RLIMIT_STACK, 1 << 20)):
        refused(clinic, f"limit on {name} {most}", count, preexec_fn=limited(which, most, most))
    for name in ("libsodium.so.23", "libm.so.6", "libsotto.so.1"):
        clinic.put(os.path.join(clinic.home, name), "not a library", owner=ANALYST, mode=0o755)
    poison = {"TMPDIR": clinic.home, "SQLITE_TMPDIR": clinic.home, "SOTTO_KEEP_SECONDS": "0", "HOME": clinic.home,
              "OPENBLAS_VERBOSE": "9", "OPENBLAS_CORETYPE": "Nehalem", "LC_ALL": "de_DE.UTF-8", "GLIBC_TUNABLES": "glibc.malloc.perturb=9",
              "MALLOC_TRACE": clinic.home + "/trace", "LOCPATH": clinic.home, "PATH": clinic.home, "IFS": "/", "SUDO_UID": "0", "X": "y" * 60000}
    before = clinic.charges()
    done = clinic.restricted(*count, "-o", "poison.json", env=poison, umask=0)
    expect("attacks", "environment, umask and libraries in the current directory", done.returncode == 0 and
           clinic.charges() == before + 1 and os.stat(clinic.results + "/poison.json").st_mode & 0o777 == 0o640 and
           not os.path.exists(clinic.home + "/trace"), done.stderr)
    done = clinic.restricted(*count, "-o", "masked.json", umask=0o777)
    expect("attacks", "umask 777", done.returncode == 0 and clinic.readable("masked.json"), done.stderr)
    # An open file of the analyst's, a closed standard stream, ignored and blocked signals, a timer.
    leak = os.open(clinic.home + "/leak", os.O_RDWR | os.O_CREAT, 0o600)
    done = clinic.restricted(*count, "-o", "files.json", pass_fds=(leak,))
    expect("attacks", "an inherited file", done.returncode == 0 and os.fstat(leak).st_size == 0, done.stderr)
    for closed in (0, 1, 2):
        clinic.restricted(*count, "-o", f"closed{closed}.json", preexec_fn=lambda fd=closed: os.close(fd))
        expect("attacks", f"closed stream {closed}", open(clinic.data, "rb").read() == clinic.secrets[clinic.data] and
               json.load(open(clinic.results + f"/closed{closed}.json", encoding="utf-8")) is not None)

    def hostile():
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.001)
        signal.setitimer(signal.ITIMER_PROF, 3600)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGXCPU):
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGINT, signal.SIGVTALRM))
    done = clinic.restricted(*count, "-o", "signals.json", preexec_fn=hostile)
    expect("attacks", "signals and timers", done.returncode == 0, done.stderr)
    for name in ("", "-sotto", "../sotto", "x" * 5000):
        done = clinic.run(CURATOR, [name, "analyst", clinic.config, *count, "--ledger", "x"], executable=clinic.sotto)
        expect("attacks", f"argv[0] {name[:20]!r}", done.returncode == 2 and "--ledger" in done.stderr, done.stderr)


def attack_race(clinic):
    """Many processes, one name: one charge, one result."""
    before = clinic.charges()
    words = [clinic.sotto, "analyst", clinic.config, "release", "count", "--epsilon", "0.01", "-o", "race.json"]
    racers = [subprocess.Popen(words, user=CURATOR, group=CURATOR, extra_groups=[], env=CLEAN, cwd=clinic.home, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL) for _ in range(24)]
    codes = sorted(racer.wait(timeout=300) for racer in racers)
    expect("attacks", "24 processes, one output", codes == [0] + [2] * 23 and clinic.charges() == before + 1, f"{codes}, {clinic.charges() - before} charges")
    done = clinic.run(ANALYST, [clinic.sotto, "verify", clinic.results + "/race.json"])
    expect("works", "the winner verifies", done.returncode == 0, done.stderr)
    expect("works", "no lock is left", not [name for name in os.listdir(clinic.results) if name.endswith(".lock")])


def attack_running(clinic):
    """While a training runs: its memory is closed, it dies without a trace of the rows, and its checkpoint is closed."""
    words = [clinic.sotto, "analyst", clinic.config, "train", "--model", "mlp", "--epsilon", "1", "--delta", "1e-6", "--expected-rows", "400",
             "--steps", "200000", "--batch", "64", "-o", "long.json"]
    before = clinic.charges()
    run = subprocess.Popen(words, user=CURATOR, group=CURATOR, extra_groups=[], env=CLEAN, cwd=clinic.home, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, text=True)
    checkpoint = os.path.join(clinic.results, "long.json.checkpoint")
    for _ in range(300):
        if os.path.exists(checkpoint) or run.poll() is not None:
            break
        time.sleep(0.1)
    expect("works", "a long training keeps a checkpoint", run.poll() is None and os.path.exists(checkpoint),
           run.stderr.read() if run.poll() is not None else "")
    for name in ("mem", "environ", "maps", "fd", "cwd/.", "root/.", "stack"):
        done = clinic.run(ANALYST, ["ls" if name == "fd" else "head", "-c1" if name != "fd" else "-l", f"/proc/{run.pid}/{name}"])
        expect("attacks", f"/proc/PID/{name}", done.returncode != 0 or not done.stdout.strip("total 0\n"), done.stdout)
    expect("attacks", "SIGKILL by the analyst", clinic.run(ANALYST, ["kill", "-9", str(run.pid)]).returncode != 0 and run.poll() is None)
    expect("attacks", "prlimit by the analyst", clinic.run(ANALYST, ["prlimit", "--pid", str(run.pid), "--fsize=0"]).returncode != 0)
    expect("attacks", "the checkpoint is read", not clinic.readable("long.json.checkpoint"))
    refused(clinic, "the checkpoint as a prior", ("train", "--model", "mlp", "--init", "long.json.checkpoint", "--epsilon", "0.5", "--delta", "1e-6",
                                                  "--expected-rows", "400", "-o", "x.json"))
    refused(clinic, "the checkpoint as a model", ("evaluate", "long.json.checkpoint", "--epsilon", "0.1"))
    refused(clinic, "the name of a run that is going on", ("release", "count", "--epsilon", "0.1", "-o", "long.json"))
    limits = open(f"/proc/{run.pid}/limits", encoding="utf-8").read()
    expect("attacks", "core dumps are off", "Max core file size        0                    0 " in limits, limits)
    run.kill()
    run.wait()
    for name in os.listdir(clinic.results):
        if name.startswith(".") or name.endswith(".checkpoint"):
            expect("attacks", f"{name} after SIGKILL", os.stat(os.path.join(clinic.results, name)).st_mode & 0o077 == 0)
    expect("works", "one charge", clinic.charges() == before + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--examples", required=True)
    parser.add_argument("--cmake", default="cmake")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        print("skipped: two users are needed, and only root can become them; run this test as root")
        return 77
    os.umask(0o022)
    base = tempfile.mkdtemp(prefix="sotto-two-users-")
    try:
        os.chmod(base, 0o711)
        prefix = os.path.join(base, "opt")
        subprocess.run([arguments.cmake, "--install", arguments.build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        clinic = Clinic(base, os.path.join(prefix, "bin", "sotto"), arguments.examples)
        for part in (works, attack_directly, attack_words, attack_planted, attack_configuration, attack_session, attack_race, attack_running):
            part(clinic)
    finally:
        shutil.rmtree(base)
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"two users: {counts['works']} things that must work, {counts['attacks']} attacks, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
