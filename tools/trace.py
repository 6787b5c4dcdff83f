#!/usr/bin/env python3
"""Prints the functions of a command in the order of their first call, and counts the changes of room.

    tools/trace.py                       a logistic training on examples/survey.csv
    tools/trace.py --list                also every function, below its room
    tools/trace.py -- train DATA ...     another command line of sotto

A reader who follows a run reads each function once, where it is called first; loops and recursion are read once. The number
of changes of room is the number of places where the next function of that list stands in another room than the last one.
A room is a folder of src/, of src/privacy/ one folder below. The ground floor (base, numeric, random) serves all rooms
and is left out, and so is the command cli/; the line "with" has the numbers with them.

The command is built with -finstrument-functions in build/trace and runs with one thread. `--check N` fails if it changes room N
times or more, or enters a function of networks, concepts or posterior sampling.
"""

import argparse
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "trace"
EXAMPLES = ROOT / "examples"
TRAINING = ["train", EXAMPLES / "survey.csv", "--schema", EXAMPLES / "smokers.schema.json", "--model", "logistic",
            "--epsilon", "1", "--delta", "1e-6", "--threads", "1", "--insecure-test-seed", "7", "-o", "model.json"]
GROUND = {"base", "numeric", "random"}
FOREIGN = ("src/models/network", "src/models/concept", "src/methods/posterior", "src/privacy/mechanisms/posterior",
           "src/commands/train/network.c", "src/commands/train/concept.c")


def build():
    """Builds the command with hooks at each function."""
    configure = ["cmake", "-S", ROOT, "-B", BUILD, "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=-O0 -g1 -finstrument-functions",
                 "--log-level=WARNING"]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", BUILD, "-j2", "--target", "sotto_cli"], check=True, stdout=subprocess.DEVNULL)
    return BUILD / "sotto"


def record(sotto, command):
    """Runs the command; returns its calls as (depth, address), and the mapped files as (begin, end, base, path)."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "calls"
        hook = pathlib.Path(folder) / "hook.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", hook, ROOT / "tools" / "trace" / "hook.c"], check=True)
        environment = dict(os.environ, LD_PRELOAD=str(hook), SOTTO_TRACE=str(log))
        subprocess.run([sotto, *command], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        calls, maps, bases = [], [], {}
        for line in log.read_text().splitlines():
            kind, *words = line.split(maxsplit=6)
            if kind == "call":
                calls.append((int(words[0]), int(words[1], 16)))
            elif len(words) == 6:
                begin, end = (int(word, 16) for word in words[0].split("-"))
                maps.append((begin, end, bases.setdefault(words[5], begin), words[5]))
        return calls, maps


def name_all(addresses, maps):
    """Finds function and source file of each address."""
    inside = collections.defaultdict(list)
    for address in addresses:
        for begin, end, base, path in maps:
            if begin <= address < end:
                inside[path].append((address, base))
    names = {}
    for path, found in inside.items():
        text = "\n".join(hex(address - base) for address, base in found)
        done = subprocess.run(["addr2line", "-f", "-e", path], input=text, capture_output=True, text=True, check=True)
        lines = done.stdout.splitlines()
        for i, (address, _) in enumerate(found):
            names[address] = (lines[2 * i], os.path.relpath(lines[2 * i + 1].split(":")[0], ROOT))
    return names


def room_of(path):
    parts = path.split("/")
    return parts[0] if parts[0] != "src" else "/".join(parts[1:3]) if parts[1] == "privacy" else parts[1]


def changes(rooms):
    return sum(one != other for one, other in zip(rooms, rooms[1:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print every function")
    parser.add_argument("--sotto", type=pathlib.Path, help="an instrumented command; none is built")
    parser.add_argument("--check", type=int, metavar="N", help="fail on N changes of room or more, or on a foreign function")
    parser.add_argument("command", nargs="*", help="a command line of sotto")
    arguments = parser.parse_args()
    sotto = arguments.sotto.resolve() if arguments.sotto else build()
    calls, maps = record(sotto, arguments.command or TRAINING)
    names = name_all({address for _, address in calls}, maps)
    order = list(dict.fromkeys(names[address] for _, address in calls))  # by first call
    shown = [(name, path) for name, path in order if room_of(path) not in GROUND | {"cli"}]
    last = None
    for name, path in shown:
        if room_of(path) != last:
            last = room_of(path)
            print(last)
        if arguments.list:
            print(f"    {name:40} {path}")
    foreign = [f"{name} ({path})" for name, path in order if path.startswith(FOREIGN)]
    count = changes([room_of(path) for _, path in shown])
    everything = changes([room_of(path) for _, path in order])
    print(f"trace: {count} changes of room, {len(shown)} functions; with the ground floor and the command {everything} and {len(order)}")
    print(f"trace: {len(foreign)} functions of networks, concepts or posterior sampling", *foreign, sep="\n    ")
    return int(arguments.check is not None and (count >= arguments.check or bool(foreign)))


if __name__ == "__main__":
    sys.exit(main())
