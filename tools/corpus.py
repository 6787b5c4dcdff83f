#!/usr/bin/env python3
"""Makes a corpus of outputs, to compare two builds of sotto byte by byte.

    tools/corpus.py --sotto build/dev/sotto DIR   writes the corpus into the new directory DIR
    tools/corpus.py --compare OLD NEW             lists the outputs that differ
    tools/corpus.py --compare OLD NEW OLD_AGAIN   leaves out those that differ between two runs of the old build

The corpus has the help page of every command, and every case of tests/cli/ that uses a test seed: its standard output,
standard error, exit code and files (models, certificates, releases, reports). A restructuring of the code changes
none of them. The text of ledgers and of certificates has the time of the run; a time is replaced by its form.
Some files differ between two runs of one build: ledgers, keys, gzip-compressed inputs, measured times. Make the corpus of
the old build twice to leave them out.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "cli"
sys.path.insert(0, str(CASES))
import run  # noqa: E402  tests/cli/run.py reads the cases

TIME = re.compile(rb"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")


def steady(data):
    """The bytes with every time of day replaced."""
    return TIME.sub(b"TIME", data)


def execute(script, arguments, folder):
    """Runs the script in an empty directory; writes all it leaves into `folder`."""
    with tempfile.TemporaryDirectory() as programs, tempfile.TemporaryDirectory() as work:
        arguments.valgrind = None
        run.install(programs, arguments)
        environment = dict(os.environ, LC_ALL="C", EXAMPLES=run.EXAMPLES, NO_ENTROPY="",
                           PATH=programs + os.pathsep + os.environ["PATH"])
        done = subprocess.run(["sh", "-c", script], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=600, check=False)
        folder.mkdir(parents=True)
        outputs = {"stdout": done.stdout, "stderr": done.stderr, "exit": b"%d\n" % done.returncode}
        for path in sorted(pathlib.Path(work).rglob("*")):
            if path.is_file() and not path.is_symlink():
                outputs["file." + path.relative_to(work).as_posix().replace("/", ".")] = path.read_bytes()
        for name, data in outputs.items():
            (folder / name).write_bytes(steady(data.replace(work.encode(), b"WORK")))


def make(arguments, top):
    top.mkdir(parents=True)
    scripts = {}
    dump = subprocess.run([arguments.sotto, "--dump-options"], capture_output=True, check=True).stdout
    (top / "options.json").write_bytes(dump)
    for command in ["", *json.loads(dump)]:
        scripts["help/" + (command.replace(" ", "-") or "sotto")] = f"sotto {command} --help"
    for path in sorted(CASES.rglob("*.case")):
        name = path.relative_to(CASES).with_suffix("").as_posix()
        case = run.parse(path)
        if "--insecure-test-seed" in case["run"]:
            scripts["case/" + name] = case["run"]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for future in [pool.submit(execute, script, arguments, top / name) for name, script in scripts.items()]:
            future.result()
    print(f"corpus: {len(scripts)} runs, {sum(path.is_file() for path in top.rglob('*'))} outputs")


def compare(one, other, again=None):
    """Lists outputs that differ or that one side lacks, except those that differ between `one` and `again`."""
    names = {path.relative_to(top) for top in (one, other) for path in top.rglob("*") if path.is_file()}
    bytes_of = lambda path: path.read_bytes() if path.is_file() else None
    differing = sorted(str(name) for name in names if bytes_of(one / name) != bytes_of(other / name))
    if again is not None:
        unsteady = {name for name in names if bytes_of(one / name) != bytes_of(again / name)}
        differing = [name for name in differing if pathlib.Path(name) not in unsteady]
        names -= unsteady
        print(f"corpus: {len(unsteady)} outputs differ between two runs of the old build and are left out")
    print(*differing, sep="\n", end="\n" if differing else "")
    print(f"corpus: {len(names)} outputs, {len(differing)} differ")
    return 1 if differing or not names else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sotto", help="the command to run")
    parser.add_argument("--compare", action="store_true", help="compare two corpora")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("directories", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.compare:
        if len(arguments.directories) not in (2, 3):
            parser.error("--compare needs two or three directories")
        return compare(*arguments.directories)
    if arguments.sotto is None or len(arguments.directories) != 1:
        parser.error("give --sotto and one directory")
    make(arguments, arguments.directories[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
