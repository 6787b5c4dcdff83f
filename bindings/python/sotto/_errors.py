"""The one error type of the library as an exception, and the warning about privacy."""

from __future__ import annotations

import enum
from typing import Any


class Status(enum.IntEnum):
    """sotto_status of <sotto/error.h>."""

    OK = 0
    INVALID_ARGUMENT = 1
    OUT_OF_MEMORY = 2
    IO = 3
    PARSE = 4
    UNSUPPORTED = 5
    UNREACHABLE = 6
    BUDGET_EXCEEDED = 7
    NOT_IN_PLAN = 8
    ENTROPY = 9
    VERIFICATION = 10
    INTERRUPTED = 11
    INTERNAL = 99


class SottoError(Exception):
    """A call of the library failed.

    ``status`` is the kind of error. The text names the argument, its value and a remedy. The text quotes
    settings, schemas and file names, never a record.
    """

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = Status(status)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (int(self.status), str(self))


class InvalidArgumentError(SottoError, ValueError):
    """A setting, a plan or a schema is not acceptable."""


class BudgetExceededError(SottoError):
    """The ledger refuses the charge. Nothing was charged and no row was read."""


class VerificationError(SottoError):
    """A certificate does not hold."""


_CLASSES = {
    Status.INVALID_ARGUMENT: InvalidArgumentError,
    Status.PARSE: InvalidArgumentError,
    Status.BUDGET_EXCEEDED: BudgetExceededError,
    Status.VERIFICATION: VerificationError,
}


# The library spells its settings (sotto_error_spell()); a run is a call here.
_SPELLINGS = (("run the same command", "make the same call"),)


def error_of(status: int, message: str) -> SottoError:
    """The exception for a status other than OK."""
    for words, ours in _SPELLINGS:
        message = message.replace(words, ours)
    return _CLASSES.get(Status(status), SottoError)(status, message)


class FinishedWarning(UserWarning):
    """A call was finished before: its output was read, and nothing was charged."""


class PrivacyWarning(UserWarning):
    """Something was done that the guarantee does not cover, or that voids it."""
