"""The output of a run that a ledger charges, and the process that made it."""

from __future__ import annotations

import os
import warnings
from typing import Any

from ._errors import FinishedWarning
from ._library import CONSTANTS, library

# In the docstring of every estimator.
SETTINGS = """
    output : path, optional
        The file for the result. With a ledger, the library reserves its space before the charge: after a
        kill, a full disk or Ctrl-C the same call returns the result without a second charge. After a
        finished call it returns the file's content, with a FinishedWarning. The same call has the same
        settings, schema and output; rows are not compared (docs/howto/resume.md).
    again : bool
        Starts a new run, with its charge, even if the same one was finished before.
    overwrite : bool
        Lets the output replace a certified file with other content, or a file of another kind.
"""

_OUTCOMES = {CONSTANTS[f"SOTTO_RUN_{name.upper()}"]: name for name in ("new", "recovered", "finished")}


def flag(name: str, value: Any) -> bool:
    """A setting that is True or False."""
    if value not in (True, False):
        raise ValueError(f"{name} is {value!r}; give True or False")
    return bool(value)


def outcome_of(function: str, result: Any, output: str | os.PathLike[str] | None, level: int) -> str:
    """Returns "new", "recovered" or "finished". Warns about a finished run, `level` frames above."""
    outcome = _OUTCOMES[getattr(library, function)(result)]
    if outcome == "finished":
        warnings.warn(f"this run was finished before: the result is that of {os.fspath(output)!r}, nothing "
                      "was charged again, and records may have changed since; again=True starts a new run",
                      FinishedWarning, stacklevel=level)
    return outcome
