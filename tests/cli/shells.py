#!/usr/bin/env python3
"""The completion scripts of zsh and fish, parsed and used by the shells themselves.

    shells.py --sotto build/dev/sotto zsh|fish

Exit code 77 if the shell is absent.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

# Of zsh: the functions that collect candidates are replaced by ones that print them.
ZSH = """
_describe() { print -rl -- "${(@)list%%:*}" }
_files() { print -r -- FILES }
compadd() { shift; print -rl -- "$@" }
source $1
shift
words=("$@")
CURRENT=${#words}
_sotto
"""


def complete_zsh(script, line):
    done = subprocess.run(["zsh", "-f", "-c", ZSH, "zsh", script, *line.split(" ")], capture_output=True, text=True,
                          check=True, timeout=60)
    assert done.stderr == "", done.stderr
    last = line.split(" ")[-1]
    return [word for word in done.stdout.splitlines() if word.startswith(last) or word == "FILES"]


def complete_fish(script, line):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "FILES").touch()
        done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"], cwd=folder,
                              capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == "", done.stderr
    return [word.split("\t")[0] for word in done.stdout.splitlines()]


def check(complete, script):
    assert {"start", "schema", "train", "ledger"} <= set(complete(script, "sotto ")), complete(script, "sotto ")
    assert {"draft", "check", "sample"} <= set(complete(script, "sotto schema "))
    assert "draft" not in complete(script, "sotto train ")
    assert "logistic" in complete(script, "sotto train --model ")
    assert {"exact", "pld"} <= set(complete(script, "sotto account epsilon --accountant "))
    assert "FILES" in complete(script, "sotto train --schema ")
    assert "FILES" in complete(script, "sotto train ")
    assert "FILES" not in complete(script, "sotto doctor ")
    # Options also behind an operand, and those of this command only.
    assert "--schema" in complete(script, "sotto train data.csv --sch")
    assert "--schema" not in complete(script, "sotto doctor --sch")
    assert complete(script, "sotto account epsilon --delta ") == []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sotto", required=True)
    parser.add_argument("shell", choices=["zsh", "fish"])
    arguments = parser.parse_args()
    if shutil.which(arguments.shell) is None:
        print(f"skipped: {arguments.shell} is missing; tools/deps all installs it")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "sotto"
        script.write_bytes(subprocess.run([arguments.sotto, "completion", arguments.shell], capture_output=True,
                                          check=True).stdout)
        subprocess.run([arguments.shell, "-n", script], check=True)
        check({"zsh": complete_zsh, "fish": complete_fish}[arguments.shell], script)


if __name__ == "__main__":
    main()
