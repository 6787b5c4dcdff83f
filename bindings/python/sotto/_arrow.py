"""Columns of pyarrow as cells. No cell can fail: what pyarrow cannot turn into Python is missing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ._cells import Cells, value_of


def library() -> Any:
    """pyarrow, or None if it is not installed."""
    try:
        import pyarrow
    except ImportError:
        return None
    return pyarrow


def read_stream(pyarrow: Any, source: Any) -> Any:
    """The table behind an object with the Arrow PyCapsule interface, or the data frame protocol."""
    if hasattr(source, "__arrow_c_stream__"):
        return pyarrow.RecordBatchReader.from_stream(source).read_all()
    if hasattr(source, "__arrow_c_array__"):
        return pyarrow.record_batch(source)
    from pyarrow.interchange import from_dataframe

    return from_dataframe(source)


def one_by_one(count: int, cell: Callable[[int], Any]) -> list[Any]:
    """Each cell by itself, missing if it cannot be had."""
    found = []
    for at in range(count):
        try:
            found.append(cell(at))
        except Exception:  # noqa: BLE001
            found.append(None)
    return found


def _each_once(column: Any) -> Cells:
    """Texts, of which many are alike: each is decoded once."""
    encoded = column.dictionary_encode().unify_dictionaries()
    found: list[Any] = []
    for chunk in encoded.chunks:
        known = [*map(value_of, chunk.dictionary.to_pylist()), None]
        places = chunk.indices.fill_null(len(known) - 1).to_numpy(zero_copy_only=False)
        found += [known[place] for place in places.tolist()]
    return found


def cells(column: Any) -> Cells:
    """The cells of an Array or a ChunkedArray."""
    arrow = sys.modules["pyarrow"]
    if not isinstance(column, arrow.ChunkedArray):
        column = arrow.chunked_array([column])
    kind, types = column.type, arrow.types
    if types.is_dictionary(kind):
        # Not to_numpy(): it gives a missing cell the value of another one.
        return cells(arrow.chunked_array([chunk.dictionary_decode() for chunk in column.chunks],
                                         kind.value_type))
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
        if column.null_count == 0:
            return column.to_numpy()
        filled = column.fill_null(False if types.is_boolean(kind) else 0)
        return np.ma.MaskedArray(filled.to_numpy(), column.is_null().to_numpy())
    if types.is_date(kind) or types.is_timestamp(kind):
        return column.to_numpy()
    if hasattr(types, "is_run_end_encoded") and types.is_run_end_encoded(kind):
        return one_by_one(len(column), lambda at: column[at].as_py())
    if types.is_nested(kind) or types.is_null(kind) or types.is_duration(kind):
        return [None] * len(column)
    bytes_of = {arrow.string(): arrow.binary(), arrow.large_string(): arrow.large_binary()}
    if kind in bytes_of:  # as bytes: a text that is not UTF-8 would fail
        return _each_once(column.cast(bytes_of[kind]))
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_decimal(kind):
        return column.to_numpy()
    return one_by_one(len(column), lambda at: column[at].as_py())
