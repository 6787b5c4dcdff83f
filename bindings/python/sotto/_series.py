"""Columns of pandas and polars as cells. None is converted by its cells, and none can fail."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from . import _arrow
from ._cells import Cells, value_of

# Types whose array has every cell; of others polars makes floats, or fails on a cell.
_POLARS_NUMBERS = {"Boolean", "Float32", "Float64", *(f"{sign}Int{bits}" for sign in ("", "U")
                                                      for bits in (8, 16, 32, 64))}
# Types that the library reads from a stream, besides.
_POLARS_TEXTS = {"String", "Binary", "Categorical", "Enum", "Decimal", "Null"}
_POLARS_NESTED = {"List", "Array", "Struct", "Duration"}


def is_plain(kind: Any) -> bool:
    """Returns True if pandas hands a column of this type to Arrow as it is, or number by number."""
    if isinstance(kind, np.dtype):
        return kind.kind in "biuf" and kind.itemsize <= 8 and kind.isnative
    if hasattr(kind, "pyarrow_dtype"):
        types, of_arrow = sys.modules["pyarrow"].types, kind.pyarrow_dtype
        return any(check(of_arrow) for check in (
            types.is_integer, types.is_floating, types.is_boolean, types.is_string,
            types.is_large_string, types.is_decimal128))
    if hasattr(kind, "numpy_dtype"):  # pandas' own numbers and truth values with missing cells
        return kind.numpy_dtype.kind in "biuf"
    return getattr(kind, "storage", None) == "pyarrow"  # texts


def is_plain_polars(kind: Any) -> bool:
    """Returns True if the library reads a polars column of this type from a stream."""
    return kind.base_type().__name__ in _POLARS_NUMBERS | _POLARS_TEXTS


def of_pandas(series: Any) -> Cells:
    """A pandas Series, or one of its kind."""
    kind = series.dtype
    if isinstance(kind, np.dtype):
        return series.to_numpy()
    if hasattr(kind, "categories") and hasattr(series, "cat"):
        values = [*map(value_of, of_pandas(series.cat.categories.to_series())), None]
        return [values[code] for code in series.cat.codes.to_numpy().tolist()]
    if getattr(kind, "tz", None) is not None:
        return series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
    if type(series.array).__name__.startswith("Arrow"):
        return _arrow.cells(series.array.__arrow_array__())
    if getattr(kind, "kind", "O") in "biuf" and hasattr(kind, "numpy_dtype"):
        values = series.to_numpy(dtype=kind.numpy_dtype, na_value=0)
        return np.ma.MaskedArray(values, series.isna().to_numpy())
    try:
        return series.to_numpy(dtype=object)
    except Exception:  # noqa: BLE001
        return _arrow.one_by_one(len(series), lambda at: series.iloc[at])


def of_polars(series: Any) -> Cells:
    """A polars Series."""
    kind = series.dtype.base_type().__name__
    if kind in _POLARS_NESTED:
        return [None] * len(series)
    if kind in ("Date", "Datetime"):
        return series.to_numpy()
    if kind not in _POLARS_NUMBERS:
        return series.to_list()
    if series.null_count() == 0:
        return series.to_numpy()
    filled = series.fill_null(False if kind == "Boolean" else 0)
    return np.ma.MaskedArray(filled.to_numpy(), series.is_null().to_numpy())
