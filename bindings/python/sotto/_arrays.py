"""Rows in memory as the library sees them: views where the layout allows, converted cells else.

No cell can stop a run: whatever is not a number, not a known category and not a boolean becomes NaN,
which the library reads as a missing cell. Only the shape of the input, its number type and its column
names are errors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._library import CONSTANTS, Array

# What <sotto/array.h> reads in place. A NumPy boolean is one byte, 0 or 1.
_ELEMENTS = {
    np.dtype(np.float64): CONSTANTS["SOTTO_FLOAT64"],
    np.dtype(np.float32): CONSTANTS["SOTTO_FLOAT32"],
    np.dtype(np.int64): CONSTANTS["SOTTO_INT64"],
    np.dtype(np.int32): CONSTANTS["SOTTO_INT32"],
    np.dtype(np.uint8): CONSTANTS["SOTTO_UINT8"],
    np.dtype(np.bool_): CONSTANTS["SOTTO_UINT8"],
}

# The words of a boolean cell in a file: docs/schema.md.
_WORDS = {word: value for value, words in ((1.0, "1 true yes t y"), (0.0, "0 false no f n"))
          for word in words.split()}


def view(values: np.ndarray) -> Array:
    """The array where it lies. The caller keeps `values` alive during the call."""
    rows, columns = values.shape if values.ndim == 2 else (values.shape[0], 1)
    column_stride = values.strides[1] if values.ndim == 2 else values.itemsize
    return Array(values.__array_interface__["data"][0], _ELEMENTS[values.dtype], rows, columns,
                 values.strides[0], column_stride)


def readable(values: np.ndarray) -> np.ndarray:
    """The same array if the library can read it in place, else a copy that it can read.

    Every shorter type fits a float64 exactly. Cells that are no numbers become NaN.
    """
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported: give real numbers")
    if values.dtype in _ELEMENTS and values.dtype.isnative and values.flags.aligned:
        return values
    if values.dtype.kind in "fiub":
        return values.astype(values.dtype if values.dtype in _ELEMENTS else np.float64)
    if values.ndim == 1:
        return number_cells(values)
    cells = np.empty(values.shape, dtype=np.float64, order="F")
    for place in range(values.shape[1]):
        cells[:, place] = number_cells(values[:, place])
    return cells


def is_frame(table: Any) -> bool:
    """A pandas DataFrame, told without importing pandas."""
    return hasattr(table, "columns") and hasattr(table, "iloc") and hasattr(table, "to_numpy")


def frame_names(table: Any) -> list[str] | None:
    """The column names of a DataFrame, if all are texts; else it is read like an array."""
    if not is_frame(table):
        return None
    names = list(table.columns)
    return names if all(isinstance(name, str) for name in names) else None


def matrix(table: Any) -> np.ndarray:
    """Rows and columns of numbers, as the library reads them."""
    if hasattr(table, "tocsr"):
        raise TypeError("Sparse input is not supported: give a dense array, or train from a LIBSVM "
                        "file with the command")
    if is_frame(table):
        kinds = set(table.dtypes)
        if len(kinds) == 1 and isinstance(next(iter(kinds)), np.dtype):
            return two_dimensional(readable(table.to_numpy()))
        cells = np.empty(table.shape, dtype=np.float64, order="F")
        for place in range(table.shape[1]):
            cells[:, place] = number_cells(column(table.iloc[:, place]))
        return two_dimensional(cells)
    return readable(two_dimensional(np.asarray(table)))


def two_dimensional(values: np.ndarray) -> np.ndarray:
    """The array itself; refused unless it has rows and columns."""
    if values.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {values.ndim}D array instead. Reshape your data either using "
            "array.reshape(-1, 1) if it has a single feature or array.reshape(1, -1) if it is a "
            "single row")
    if values.shape[1] == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape={values.shape}) while a minimum of "
                         "1 is required.")
    return values


def column(series: Any) -> np.ndarray:
    """One column of a DataFrame, or anything one-dimensional, as a NumPy array."""
    dtype = getattr(series, "dtype", None)
    if dtype is not None and not isinstance(dtype, np.dtype):  # pandas' own types
        return series.to_numpy(dtype=object)
    return np.asarray(series)


def _number(cell: Any) -> float:
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return np.nan


def number_cells(values: np.ndarray) -> np.ndarray:
    """A column of numbers; everything else is missing."""
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported: give real numbers")
    if values.dtype.kind in "fiub":
        return values.astype(np.float64)
    return np.fromiter(map(_number, values), np.float64, len(values))


def _truth(cell: Any) -> float:
    if isinstance(cell, str):
        return _WORDS.get(cell.strip().lower(), np.nan)
    return _number(cell)


def boolean_cells(values: np.ndarray) -> np.ndarray:
    """A column of 0 and 1; everything else is missing."""
    if values.dtype.kind in "fiub":
        return values.astype(np.float64)
    return np.fromiter(map(_truth, values), np.float64, len(values))


def _spelling(cell: Any) -> str:
    """A cell as a file would have it: pandas turns a column of 1, 2 and a gap into floats."""
    if isinstance(cell, (float, np.floating)) and float(cell).is_integer():
        return str(int(cell))
    return str(cell)


def category_cells(values: np.ndarray, categories: list[str]) -> np.ndarray:
    """The place of each cell among the categories; everything else is missing."""
    places = {category: float(place) for place, category in enumerate(categories)}
    found = (places.get(_spelling(cell), np.nan) for cell in values)
    return np.fromiter(found, np.float64, len(values))


def _is_missing(cell: Any) -> bool:
    try:
        return cell is None or bool(cell != cell)  # noqa: PLR0124
    except TypeError:  # pandas' NA has no truth value
        return True


def unit_codes(values: np.ndarray) -> np.ndarray:
    """Whose row it is, as int64: ids that a file would spell alike have one code."""
    if values.dtype.kind in "iu" and values.dtype != np.uint64:
        return values.astype(np.int64, copy=False)
    codes: dict[str, int] = {}
    keys = ("" if _is_missing(cell) else _spelling(cell) for cell in values)
    return np.fromiter((codes.setdefault(key, len(codes)) for key in keys), np.int64, len(values))
