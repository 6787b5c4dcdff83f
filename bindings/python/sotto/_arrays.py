"""Arrays as the library sees them: views where the layout allows, copies else."""

from __future__ import annotations

import numpy as np

from . import _cells
from ._library import CONSTANTS, Array
from ._tables import Table

# What <sotto/array.h> reads in place. A NumPy boolean is one byte, 0 or 1.
_ELEMENTS = {
    np.dtype(np.float64): CONSTANTS["SOTTO_FLOAT64"],
    np.dtype(np.float32): CONSTANTS["SOTTO_FLOAT32"],
    np.dtype(np.int64): CONSTANTS["SOTTO_INT64"],
    np.dtype(np.int32): CONSTANTS["SOTTO_INT32"],
    np.dtype(np.uint8): CONSTANTS["SOTTO_UINT8"],
    np.dtype(np.bool_): CONSTANTS["SOTTO_UINT8"],
}


def view(values: np.ndarray) -> Array:
    """The array where it lies. The caller keeps `values` alive during the call."""
    rows, columns = values.shape if values.ndim == 2 else (values.shape[0], 1)
    column_stride = values.strides[1] if values.ndim == 2 else values.itemsize
    return Array(values.__array_interface__["data"][0], _ELEMENTS[values.dtype], rows, columns,
                 values.strides[0], column_stride)


def readable(values: np.ndarray) -> np.ndarray:
    """The same numbers: this array if the library can read it in place, else a copy.

    Every shorter type fits a float64 exactly.
    """
    if values.dtype in _ELEMENTS and values.dtype.isnative and values.flags.aligned:
        return values
    with np.errstate(all="ignore"):
        return values.astype(values.dtype if values.dtype in _ELEMENTS else np.float64)


def matrix(table: Table) -> np.ndarray:
    """Rows and columns of numbers; cells that are none are NaN."""
    table = table.numeric()
    if table.matrix is not None:
        return readable(table.matrix)
    values = np.empty((table.rows, table.width), dtype=np.float64, order="F")
    for place in range(table.width):
        values[:, place] = _cells.numbers(table.column(place))
    return values


def numbers(cells: _cells.Cells) -> np.ndarray:
    """A column of numbers, in place if the library can read it there."""
    if type(cells) is np.ndarray and cells.dtype.kind in "biuf":
        return readable(cells)
    return _cells.numbers(cells)
