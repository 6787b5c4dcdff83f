#!/usr/bin/env python3
"""Makes every system call, allocation and thread of the command fail once, and kills it before every writing call.

    sweep.py --sotto build/dev/sotto --preload FAULTS.so              all faults
    sweep.py ... --sample 3                                           that many of each class and command
    sweep.py ... --share 2/3                                          the second third of the commands
    sweep.py ... --only train-gd --fault write:17:28                  one fault, with all that the run printed

After each fault the ledger is whole, no file is half written, and the same command run again ends well: one charge, one
result that verifies, no other file. Where a charge stands, the failing run says so. One line a command; each finding is
printed once, with the command that repeats it.
"""

import argparse
import collections
import concurrent.futures
import errno
import os
import signal
import sys
import threading
import time

from aftermath import Aftermath, show
from scene import COMMANDS, Scene, files_of, work_directory

# What each class of calls fails with: the number, and whether every later call of the class fails too.
ERRORS = {
    "open": ((errno.EMFILE, False), (errno.EIO, False), (errno.EMFILE, True)),
    "read": ((errno.EIO, False),),
    "write": ((errno.ENOSPC, False), (errno.EIO, False), (errno.ENOSPC, True)),
    "sync": ((errno.EIO, False),),
    "name": ((errno.EIO, False), (errno.ENOSPC, True)),
    "close": ((errno.EIO, False),),
    "look": ((errno.EIO, False),),
    "lock": ((errno.EIO, False),),
    "entropy": ((errno.EIO, True),),
    "memory": ((errno.ENOMEM, False),),
    "thread": ((errno.EAGAIN, True),),
    "kill": ((signal.SIGKILL.value, False),),
}

def faults_of(calls, sample, memory_step):
    """The faults to try, as SOTTO_FAULT spells them: {class: calls} gives how many there are of each."""
    for name, errors in ERRORS.items():
        total = calls[name]
        numbers = range(1, total + 1)
        if sample is not None and total > sample:  # evenly, the last one included
            numbers = sorted({round(total * (i + 1) / sample) for i in range(sample)})
        elif name == "memory":
            numbers = numbers[::memory_step]
        for code, lasts in errors:
            for n in numbers:
                yield f"{name}:{n}:{code}" + (":on" if lasts else "")


def try_fault(scene, command, fault, reference):
    """The run that fails, and the same command again; the aftermath holds the findings."""
    log = os.path.join(scene.base, f"log-{threading.get_ident()}")
    with scene.copy(command) as place:
        aftermath = Aftermath(scene, command, place, reference, fault)
        done = scene.run(place, command.words, fault=fault, log=log)
        with open(log, encoding="utf-8") as file:
            lines = file.read().splitlines()
        os.unlink(log)
        if "fault" not in lines:  # a run with other noise has other calls
            aftermath.outcome = "not reached"
            return aftermath
        aftermath.text = f"at {lines[lines.index('fault') - 1]}: "
        aftermath.examine(done, os.strerror(int(fault.split(":")[2])), killed=fault.startswith("kill"))
    return aftermath


def sweep(scene, command, arguments):
    """All faults of one command; its line and its findings."""
    began = time.monotonic()
    log = os.path.join(scene.base, f"log-{command.name}")
    with scene.copy(command) as place:
        done = scene.run(place, command.words, log=log)
        if done.returncode != 0:
            raise SystemExit(f"{command.name} fails without a fault: {done.stderr}")
        reference = files_of(place)
    with open(log, encoding="utf-8") as file:
        calls = collections.Counter(line.split()[0] for line in file)
    for name in arguments.left_out:
        calls.pop(name, None)
    faults = [arguments.fault] if arguments.fault else list(faults_of(calls, arguments.sample, arguments.memory_step))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        cases = list(pool.map(lambda fault: try_fault(scene, command, fault, reference), faults))
    outcomes = collections.Counter(case.outcome for case in cases)
    if outcomes["not reached"] > len(cases) / 2:
        raise SystemExit(f"{command.name}: most faults did not happen; is {arguments.preload} built for this system?")
    faulty = [case for case in cases if case.findings]
    print(f"{command.name:18} {len(cases):5} faults: {outcomes['refused']:5} refused before a charge, {outcomes['recovered']:4} recovered, "
          f"{outcomes['absorbed']:4} absorbed, {outcomes['not reached']:3} not reached; {len(faulty):4} findings "
          f"({time.monotonic() - began:.0f} s)", flush=True)
    return faulty


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sotto", required=True, help="the command under test")
    parser.add_argument("--preload", required=True, help="the library of tests/faults/faults.c")
    parser.add_argument("--only", action="append", choices=[command.name for command in COMMANDS], help="these commands")
    parser.add_argument("--fault", help="this fault")
    parser.add_argument("--sample", type=int, help="faults of each class (default: all)")
    parser.add_argument("--memory-step", type=int, default=1, help="of the allocations every N-th fails (default 1)")
    parser.add_argument("--share", default="1/1", help="I/N: the I-th of N parts of the commands (default 1/1)")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    arguments.left_out = ()
    failed = 0
    with work_directory() as base:
        scene = Scene(arguments.sotto, base, arguments.preload)
        part, parts = map(int, arguments.share.split("/"))
        for command in COMMANDS[part - 1::parts]:
            if arguments.only and command.name not in arguments.only:
                continue
            cases = sweep(scene, command, arguments)
            show(cases, f"--only {command.name} --fault")
            if arguments.fault:
                print(*(case.text for case in cases), sep="\n")
            failed += len(cases)
    print(f"fault sweep: {failed} findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
