"""Tables by the Arrow C stream interface, and columns of pyarrow as cells.

A table goes over to the library as it is, without pyarrow: <sotto/arrow.h>. A column by itself (y, units)
is converted here, and no cell can fail: a cell that pyarrow cannot convert is missing.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_void_p
from typing import Any

import numpy as np

from ._cells import Cells, value_of
from ._library import Array, Handle, call, library


class _Schema(Structure):
    """struct ArrowSchema"""


_Schema._fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p),
                    ("flags", c_int64), ("n_children", c_int64),
                    ("children", POINTER(POINTER(_Schema))), ("dictionary", c_void_p),
                    ("release", CFUNCTYPE(None, POINTER(_Schema))), ("private_data", c_void_p)]


class _ArrayStream(Structure):
    """struct ArrowArrayStream"""

    _fields_ = [("get_schema", CFUNCTYPE(c_int, c_void_p, POINTER(_Schema))),
                ("get_next", c_void_p), ("get_last_error", c_void_p), ("release", c_void_p),
                ("private_data", c_void_p)]


_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]


class Stream:
    """The capsule of a table's `__arrow_c_stream__`: it can be read once.

    The library takes the stream over. A stream that it does not take is released with the capsule.
    """

    def __init__(self, capsule: Any):
        self._capsule = capsule
        self.pointer = _get_pointer(capsule, b"arrow_array_stream")
        self.names = self._names()  # None: a column, not a table

    def _names(self) -> list[str] | None:
        stream, schema = ctypes.cast(self.pointer, POINTER(_ArrayStream)).contents, _Schema()
        if stream.get_schema(self.pointer, byref(schema)) != 0:
            raise ValueError("the stream has no schema")
        try:
            if schema.format != b"+s":
                return None
            return [(schema.children[place].contents.name or b"").decode("utf-8", "surrogateescape")
                    for place in range(schema.n_children)]
        finally:
            schema.release(byref(schema))

    def cells(self, schema: c_void_p) -> np.ndarray:
        """All rows, one number for each column of the schema. For rows that are no secret."""
        found = Array()
        call("sotto_arrow_cells", schema, self.pointer, byref(found))
        try:
            if found.rows == 0:
                return np.empty((0, found.columns))
            numbers = ctypes.cast(found.data, POINTER(ctypes.c_double))
            return np.ctypeslib.as_array(numbers, (found.rows, found.columns)).copy()
        finally:
            library.sotto_arrow_free_cells(byref(found))

    def numbers(self) -> np.ndarray:
        """All rows as numbers, matched by position; other cells are NaN."""
        schema = Handle("sotto_schema_free")
        text = b'{"features": %d, "labels": [0, 1], "row_norm": {"bound": 1, "rule": "clip"}}' % (
            len(self.names))
        call("sotto_schema_parse", b"stream", text, len(text), byref(schema.pointer))
        return self.cells(schema.pointer)


def pyarrow_is_there() -> bool:
    """Returns True if pandas can export a frame."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return False
    return True


def converted(source: Any) -> Any:
    """pyarrow's table of an object with another protocol than that of streams."""
    import pyarrow

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
