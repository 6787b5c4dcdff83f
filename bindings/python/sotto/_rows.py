"""Rows of a list. Each is a record: its length and its class decide nothing but its own cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ._cells import PLAIN

# Names, if it has some, and cells of one row of a list; None is no row.
Row = tuple[tuple[Any, ...] | None, list[Any]] | None


def row_of(row: Any) -> Row:
    """What one element of a list has to say as a row."""
    kind = type(row)
    try:
        if kind in PLAIN:
            return None
        if kind is list or kind is tuple:
            return None, list(row)
        if issubclass(kind, (str, bytes, bytearray, set, frozenset)):
            return None
        if issubclass(kind, Mapping):
            return tuple(row), [row[name] for name in row]
        if issubclass(kind, np.void) and row.dtype.names is not None:
            return row.dtype.names, list(row.tolist())
        if hasattr(kind, "_fields"):
            return tuple(row._fields), list(row)
        if hasattr(kind, "keys") and hasattr(kind, "__getitem__"):  # sqlite3.Row, a pandas Series
            return tuple(row.keys()), list(row)
        if issubclass(kind, np.ndarray) and row.ndim != 1:
            return None
        return (None, list(row)) if hasattr(kind, "__len__") else None
    except Exception:  # noqa: BLE001 - a record, whatever its class does
        return None


def cells_of(source: Sequence[Any]) -> list[Any]:
    """One cell a row, of a list; a row of one cell is that cell."""
    return [_only(cell) for cell in source]


def _only(cell: Any) -> Any:
    row = row_of(cell)
    return cell if row is None or row[0] is not None or len(row[1]) != 1 else row[1][0]


def shape_of(rows: Iterable[Row]) -> tuple[int | None, tuple[Any, ...] | None]:
    """(cells, names) of most rows; (None, None) if most are no rows.

    A table has one number of columns. A row of another length must not decide it, and cannot fail.
    """
    shapes: Counter[Any] = Counter()
    for row in rows:
        try:
            shapes[None if row is None else (len(row[1]), row[0])] += 1
        except Exception:  # noqa: BLE001 - names that cannot be compared
            shapes[None] += 1
    return (shapes.most_common(1)[0][0] if shapes else None) or (None, None)


def columns_of(source: Sequence[Any]) -> tuple[list[list[Any]], tuple[Any, ...] | None] | None:
    """(columns, names) of a list of rows; None if most are no rows.

    Cells beyond the columns do not count, and those that are not there are missing.
    """
    rows = [row_of(row) for row in source]
    width, names = shape_of(rows)
    if width is None:
        return None
    absent = [None] * width
    whole = [[*_in_order(row, names), *absent][:width] for row in rows]
    return [list(column) for column in zip(*whole, strict=True)], names


def _in_order(row: Row, names: tuple[Any, ...] | None) -> list[Any]:
    """The row's cells, by name if it has names of its own."""
    if row is None:
        return []
    if row[0] is None or names is None or row[0] == names:
        return row[1]
    by_name = {name: cell for name, cell in zip(*row, strict=False) if type(name) is str}
    return [by_name.get(name) for name in names]
