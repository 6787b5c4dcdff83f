"""Rows of a list. Each is a record: it decides its own cells, and nothing about any other row.

The columns of a list come from public things: the schema, the bounds, the classes. A row with names
of its own (a dict, a named tuple) is matched by name, every other row by place. A cell beyond the
columns does not count, and one that is not there is missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ._cells import PLAIN, spelling_of, value_of

# Classes that have a length and are one cell.
_CELLS = (str, bytes, bytearray, set, frozenset)


def _by_name(row: Any) -> Callable[[str], Any] | None:
    """Returns a function from a name to the row's cell or None; None for a row without names."""
    kind = type(row)
    if kind in PLAIN or kind is list or kind is tuple or issubclass(kind, _CELLS):
        return None
    if issubclass(kind, Mapping):
        return row.get
    names = None
    if issubclass(kind, np.void):
        names = row.dtype.names
    elif hasattr(kind, "_fields"):
        return lambda name: getattr(row, name) if name in kind._fields else None
    elif hasattr(kind, "keys") and hasattr(kind, "__getitem__"):  # sqlite3.Row, a pandas Series
        names = frozenset(row.keys())
    return None if names is None else lambda name: row[name] if name in names else None


def has_names(row: Any) -> bool:
    """Returns True if the row's cells have names."""
    try:
        return _by_name(row) is not None
    except Exception:  # noqa: BLE001 - a record, whatever its class does
        return False


def length_of(row: Any) -> int | None:
    """The cells of a row that are matched by position; None for everything else."""
    kind = type(row)
    try:
        if kind in PLAIN or issubclass(kind, (*_CELLS, Mapping)) or not hasattr(kind, "__len__"):
            return None
        if issubclass(kind, np.ndarray) and row.ndim != 1:
            return None
        return len(row)
    except Exception:  # noqa: BLE001
        return None


def _by_place(row: Any, width: int) -> list[Any]:
    if length_of(row) is None:
        return []
    return list(islice(iter(row.tolist() if isinstance(row, np.ndarray) else row), width))


def _of_names(row: Any, names: Sequence[str]) -> list[Any]:
    cell = _by_name(row)
    return _by_place(row, len(names)) if cell is None else [cell(name) for name in names]


def _of_spellings(row: Any, names: Sequence[str | None]) -> list[Any]:
    if _by_name(row) is None or not isinstance(row, Mapping):
        return _of_names(row, names)
    total: Counter[Any] = Counter()
    for name, cell in row.items():
        total[spelling_of(value_of(name))] += cell
    return [total[name] for name in names]


def _columns(source: Iterable[Any], width: int, cells: Callable[[Any], list[Any]]
             ) -> list[list[Any]]:
    """The columns of rows, each converted by itself; one that cannot be converted has no cells."""
    absent, whole = [None] * width, []
    for row in source:
        try:
            whole.append([*cells(row), *absent][:width])
        except Exception:  # noqa: BLE001
            whole.append(absent)
    return [list(column) for column in zip(*whole, strict=True)] or [[] for _ in absent]


def by_place(source: Iterable[Any], width: int) -> list[list[Any]]:
    """The columns of a list, matched by position."""
    return _columns(source, width, lambda row: _by_place(row, width))


def by_name(source: Iterable[Any], names: Sequence[str]) -> list[list[Any]]:
    """The columns of a list that have these names, or in this order where a row has no names."""
    return _columns(source, len(names), lambda row: _of_names(row, names))


def by_spelling(source: Iterable[Any], names: Sequence[str | None]) -> list[list[Any]]:
    """The same for counts: names may be of any type, and a name that is not there counts 0."""
    return _columns(source, len(names), lambda row: _of_spellings(row, names))


def most_common(values: Iterable[Any]) -> Any:
    """The most frequent value, which describes the columns of a list without public names."""
    found = Counter(values).most_common(1)
    return found[0][0] if found else None


def cells_of(source: Iterable[Any]) -> list[Any]:
    """One cell per row of a list; a row of one cell is that cell."""
    return [_only(cell) for cell in source]


def _only(cell: Any) -> Any:
    try:
        return _by_place(cell, 1)[0] if is_one_cell(cell) else cell
    except Exception:  # noqa: BLE001
        return None


def is_one_cell(cell: Any) -> bool:
    """Returns True for a row of one cell, without a name."""
    return length_of(cell) == 1 and not has_names(cell)
