"""The budget of a data set, in a file that every private run charges: see docs/reference/ledger.md."""

from __future__ import annotations

import ctypes
import html
import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, byref, c_char, c_char_p, c_int, c_size_t, c_void_p
from dataclasses import dataclass
from typing import Any

from . import account
from ._certified import graded_report, put
from ._errors import Status
from ._files import Path, path_bytes, text_bytes
from ._keys import open_key
from ._library import (
    CONSTANTS,
    UNSET,
    Account,
    Error,
    Handle,
    LedgerBalance,
    LedgerConfig,
    LedgerEntry,
    LedgerPreview,
    LedgerRoom,
    call,
    defaults_of,
    library,
    message_of,
    raise_unless_ok,
    text_of,
    value_of_name,
)

_FILTERS = {"general": CONSTANTS["SOTTO_LEDGER_GENERAL"], "gaussian": CONSTANTS["SOTTO_LEDGER_GAUSSIAN"]}
_KINDS = {CONSTANTS[f"SOTTO_LEDGER_{name.upper()}"]: name
          for name in ("init", "grant", "reserve", "commit", "checkpoint")}
_Visitor = CFUNCTYPE(c_int, POINTER(LedgerEntry), c_void_p, POINTER(Error))
_Sink = CFUNCTYPE(c_int, POINTER(c_char), c_size_t, c_void_p, POINTER(Error))


@dataclass(frozen=True)
class Member:
    """One filter of a budget. Amounts are in its currency: epsilon, Renyi divergence at ``order``, mu^2 or rho.

    ``covers`` is True while the whole history is within its budget. ``spent`` is None if a run has no price in it.
    """

    kind: str
    order: float | None
    delta: float | None
    budget: float
    spent: float | None
    left: float
    covers: bool


@dataclass(frozen=True)
class Room:
    """The largest run of each kind that the ledger still admits: one of them, not all.

    ``str()`` gives a sentence. A kind that has no room left is 0, or None.
    """

    pure_epsilon: float
    gaussian_noise_multiplier: float | None
    gaussian_epsilon: float | None
    gaussian_delta: float | None
    certified_epsilon: float
    certified_delta: float
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Row:
    """One row of a ledger. ``time`` is in seconds since 1970, by the clock of the machine.

    ``kind`` is init, grant, reserve, commit or checkpoint. ``text`` is the reason of a grant or the label of a charge.
    ``charged`` is None for a charge without a price in the member that is shown.
    """

    row: int
    kind: str
    time: int
    text: str
    epsilon: float | None
    delta: float | None
    charged: float | None
    delta_charged: float | None
    reservation: int | None
    output_hash: str
    noise: str
    software: str
    signed: bool
    hash: str


@dataclass(frozen=True)
class Balance:
    """The spent part of a budget, rounded up, and the remaining part, rounded down.

    ``epsilon`` and ``delta`` are the whole budget; ``epsilon`` is None and ``rho`` is a number for a budget of zCDP.
    ``epsilon_spent`` is the epsilon at ``delta`` that the history already guarantees, for information.
    ``room`` has the runs that still fit. ``head`` is the hash of the last row: keep it to detect an older copy.
    ``rows`` has every row, for :meth:`Ledger.show`.
    """

    dataset: str
    adjacency: str
    unit: str | None
    unit_rows: int | None
    curator: str | None
    epsilon: float | None
    delta: float
    rho: float | None
    budget: float
    spent: float | None
    left: float
    delta_left: float | None
    epsilon_spent: float | None
    closed: bool
    members: tuple[Member, ...]
    room: Room
    entries: int
    head: str
    rows: tuple[Row, ...] = ()

    def __str__(self) -> str:
        return "\n".join(f"{name:<9} {value}" for name, value in self._lines())

    def _lines(self) -> list[tuple[str, str]]:
        whole = f"rho {self.rho:g}" if self.rho is not None else f"epsilon {self.epsilon:g} at delta {self.delta:g}"
        unit = "one row" if self.unit is None else f"all rows of one {self.unit} (at most {self.unit_rows})"
        spent = "no price" if self.spent is None else f"{self.spent:g} of {self.budget:g}"
        return [("data set", self.dataset), ("protects", f"{unit}, {self.adjacency}"), ("budget", whole),
                ("spent", spent), ("left", f"one of: {self.room}"),
                ("rows", f"{self.entries}, the last one {self.head}")]

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
                       f"<td style='text-align:left'>{html.escape(value)}</td></tr>" for name, value in self._lines())
        return f"<table>{rows}</table>"


@dataclass(frozen=True)
class Preview:
    """The effect of a charge that was not made: see :meth:`Ledger.preview`.

    ``charged`` and ``after`` are None if the charge would be refused; ``reason`` then says why.
    """

    admitted: bool
    reason: str
    charged: float | None
    after: Balance | None


class Ledger:
    """The ledger of a data set. Each call opens the file, verifies its chain of hashes and closes it again.

    >>> import os, sotto, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> ledger = sotto.Ledger.init(os.path.join(folder, "b.ledger"), dataset="clinic", epsilon=2, delta=1e-6)
    >>> ledger.show().left
    2.0
    """

    def __init__(self, path: Path):
        """Names an existing ledger, and verifies its chain of hashes."""
        self.path = os.fspath(path)
        with self._open():
            pass

    @classmethod
    def init(cls, path: Path, *, dataset: str, epsilon: float | None = None, delta: float | None = None,
             rho: float | None = None, unit: str | None = None, unit_rows: int | None = None,
             adjacency: str = "add-remove", filter: str = "general", own_delta: float | None = None,  # noqa: A002
             order: float | None = None, curator_key: Path | None = None) -> Ledger:
        """Creates the ledger of the data set ``dataset``; it never replaces a file.

        The budget is ``epsilon`` and ``delta`` (without delta it takes pure mechanisms only), or ``rho`` of zCDP.
        ``unit`` is the id column of a person, who has at most ``unit_rows`` rows. ``curator_key`` is the curator's secret
        key, which signs the budget: :meth:`grant` then needs it too.
        """
        config = defaults_of("ledger", LedgerConfig())
        config.dataset = _dataset(dataset)
        config.adjacency = value_of_name("sotto_adjacency_from_name", adjacency)
        if filter not in _FILTERS:
            raise ValueError(f"filter is {filter!r}; give {' or '.join(map(repr, _FILTERS))}")
        config.filter = _FILTERS[filter]
        for name, value in (("epsilon", epsilon), ("rho", rho), ("own_delta", own_delta), ("order", order)):
            if value is not None:
                setattr(config, name, float(value))
        if delta is not None or rho is None:
            config.delta = float(delta or 0.0)
        config.unit, config.unit_rows = text_bytes(unit), account.whole("unit_rows", unit_rows or 0)
        with open_key(curator_key) as key:
            config.curator = key
            call("sotto_ledger_init", os.fsencode(path), byref(config))
        return cls(path)

    @contextmanager
    def _open(self) -> Iterator[c_void_p]:
        handle = Handle("sotto_ledger_close")
        call("sotto_ledger_open", os.fsencode(self.path), byref(handle.pointer))
        try:
            yield handle.pointer
        finally:
            del handle

    def show(self) -> Balance:
        """Returns the balance with all rows."""
        found: list[Row] = []
        with self._open() as ledger:
            balance = _read(ledger)
            _visit("sotto_ledger_visit", _Visitor, ledger, lambda entry, *_: found.append(_row(entry.contents)))
        return _balance(balance, tuple(found))

    def grant(self, *, epsilon: float = 0.0, delta: float = 0.0, reason: str, key: Path | None = None) -> Balance:
        """Raises the budget by the curator's decision; ``reason`` stays on record. For zCDP ``epsilon`` raises rho.

        ``key`` is the curator's secret key, if the ledger names a curator.
        """
        with self._open() as ledger, open_key(key) as secret:
            call("sotto_ledger_grant", ledger, float(epsilon), float(delta), reason.encode(), secret)
            return _balance(_read(ledger))

    def check(self, expected_head: str | None = None) -> Balance:
        """Recomputes the chain, the sums and each charge, and raises VerificationError at the first difference.

        ``expected_head`` must be the hash of one of the rows, for example from the last certificate. Without it an older copy
        of the ledger passes.
        """
        with self._open() as ledger:
            call("sotto_ledger_check", ledger, text_bytes(expected_head))
            return _balance(_read(ledger))

    def export(self, path: Path | None = None, *, overwrite: bool = False) -> str:
        """Returns every row as a line of JSON, and writes them to ``path`` if it is given: see :func:`check_export`."""
        lines: list[bytes] = []
        with self._open() as ledger:
            _visit("sotto_ledger_export", _Sink, ledger, lambda line, size, *_: lines.append(line[:size]))
        text = b"".join(lines).decode()
        if path is not None:
            put(path, "SOTTO_OUTPUT_DATA", overwrite, text)
        return text

    def preview(self, plan: Any, *, delta: float | None = None) -> Preview:
        """Previews the charge of a plan: the ledger admits it, or states why not. Nothing is charged.

        ``plan`` is a :class:`sotto.Plan` or the like. ``delta`` is that of the guarantee that the run would certify.
        """
        handle, preview = account.PlanHandle(plan, None), LedgerPreview()
        with self._open() as ledger:
            call("sotto_ledger_try", ledger, handle.pointer, 0.0, UNSET if delta is None else float(delta),
                 byref(preview))
        if preview.admitted:
            return Preview(True, "", preview.charged, _balance(preview.after))
        return Preview(False, message_of(preview.reason), None, None)

    def account(self, accountant: str = "exact") -> account.Account | None:
        """Prices all plans charged so far as if they had been fixed in advance, at the ledger's delta: for information.

        None if nothing was charged, or if no finite epsilon holds.
        """
        found, error = Account(), Error()
        value = value_of_name("sotto_accountant_from_name", accountant)
        with self._open() as ledger:
            status = library.sotto_ledger_account(ledger, value, byref(found), byref(error))
        if status == Status.UNREACHABLE:
            return None
        raise_unless_ok(status, error)
        return account.answer_of(found)

    def report(self, path: Path, *, overwrite: bool = False) -> str:
        """Writes the HTML report of the ledger; returns the grade of everything that it has charged."""
        return graded_report(path, overwrite, "sotto_report_render_ledger", os.fsencode(self.path))

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"sotto.Ledger({self.path!r})"

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()


def check_export(text: str | bytes, expected_head: str | None = None) -> Balance:
    """Checks exported rows without the ledger, as :meth:`Ledger.check` does."""
    data, balance = text if isinstance(text, bytes) else text.encode(), LedgerBalance()
    call("sotto_ledger_check_export", data, len(data), text_bytes(expected_head), byref(balance))
    return _balance(balance)


def path_of(ledger: Ledger | Path | None) -> bytes | None:
    """Returns the path of a ledger for the library."""
    return path_bytes(ledger)


def _dataset(name: str) -> bytes:
    data, room = name.encode(), LedgerConfig.dataset.size
    if len(data) >= room:
        raise ValueError(f"dataset has {len(data)} bytes; give an id of at most {room - 1}, for example 'clinic-2026'")
    return data


def _read(ledger: c_void_p) -> LedgerBalance:
    balance = LedgerBalance()
    call("sotto_ledger_read_balance", ledger, byref(balance))
    return balance


def _visit(name: str, kind: Any, ledger: c_void_p, function: Callable[..., None]) -> None:
    """Calls `function` for each row; its exception ends the visit and is raised again."""
    problems: list[BaseException] = []

    def visitor(*arguments: Any) -> int:
        try:
            function(*arguments)
        except BaseException as problem:  # noqa: BLE001 - ctypes would drop it
            problems.append(problem)
            return int(Status.INTERRUPTED)
        return int(Status.OK)

    error = Error()
    status = getattr(library, name)(ledger, kind(visitor), None, byref(error))
    if problems:
        raise problems[0]
    raise_unless_ok(status, error)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _room(room: LedgerRoom) -> Room:
    text = ctypes.create_string_buffer(CONSTANTS["SOTTO_ROOM_TEXT_BYTES"])
    library.sotto_ledger_describe_room(byref(room), ctypes.cast(text, c_char_p))
    return Room(room.pure_epsilon, _finite(room.gaussian_noise), _finite(room.gaussian_epsilon),
                _finite(room.gaussian_delta), room.certified_epsilon, room.certified_delta, text.value.decode())


def _balance(found: LedgerBalance, rows: tuple[Row, ...] = ()) -> Balance:
    members = tuple(Member(text_of("sotto_member_name", one.kind), _finite(one.order), _finite(one.delta), one.budget,
                           _finite(one.spent), one.left, one.covers) for one in found.members[:found.member_count])
    return Balance(
        dataset=found.dataset.decode(), adjacency=text_of("sotto_adjacency_name", found.adjacency),
        unit=found.unit.decode() or None, unit_rows=found.unit_rows or None,
        curator=f"ed25519:{found.curator.decode()}" if found.curator else None,
        epsilon=_finite(found.epsilon), delta=found.delta, rho=_finite(found.rho), budget=found.budget,
        spent=_finite(found.spent), left=found.left, delta_left=_finite(found.delta_left),
        epsilon_spent=_finite(found.epsilon_spent_upper), closed=found.member == found.member_count,
        members=members, room=_room(found.room), entries=found.entries, head=found.head.decode(), rows=rows)


def _row(entry: LedgerEntry) -> Row:
    return Row(row=entry.row, kind=_KINDS[entry.kind], time=entry.time_seconds, text=entry.text.decode(),
               epsilon=_finite(entry.epsilon), delta=_finite(entry.delta), charged=_finite(entry.charged),
               delta_charged=_finite(entry.delta_charged), reservation=entry.reservation or None,
               output_hash=entry.output_hash.decode(), noise=entry.noise.decode(), software=entry.software.decode(),
               signed=entry.is_signed, hash=entry.hash.decode())
