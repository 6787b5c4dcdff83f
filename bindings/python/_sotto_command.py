"""The command ``sotto`` that the wheel carries. A module of its own: the package would import NumPy first."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Becomes the command, with the arguments of this process."""
    command = pathlib.Path(__file__).with_name("sotto") / "bin" / "sotto"
    try:
        os.execv(command, ["sotto", *sys.argv[1:]])
    except OSError as problem:
        sys.exit(f"sotto: cannot run {command}: {problem.strerror}; install the package again: pip install libsotto")
