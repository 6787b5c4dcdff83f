"""One stored table, as many libraries have it, cells that no library expects, and trainings."""

import collections
import datetime
import decimal
import sqlite3

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sotto
from sotto._arrow import Stream as Opened
from sotto._records import Reader

NAMES = ["person", "age", "town", "grade", "smokes", "note"]
PERMUTED = ["note", "smokes", "grade", "person", "town", "age"]
SCHEMA = {
    "dataset": "people",
    "target": "smokes",
    "unit": {"column": "person", "rows": 2},
    "columns": [
        {"name": "person", "type": "id"},
        {"name": "age", "type": "number", "lower": 18, "upper": 90, "missing": 45},
        {"name": "town", "type": "category", "values": ["Lund", "Ystad", "3"], "missing": "Ystad"},
        {"name": "grade", "type": "category", "values": ["1", "2", "3"], "missing": "3"},
        {"name": "smokes", "type": "boolean"},
        {"name": "note", "type": "ignore"},
    ],
}
# The last two ids are one float64.
PEOPLE = [17, 4, -3, 250, 2**53, 2**53 + 1]


def stored_rows(count=60):
    """Ten rows of each person, of whom two are kept; some cells are missing."""
    random = np.random.default_rng(4)
    rows = []
    for at in range(count):
        age = None if at % 11 == 5 else round(float(random.uniform(15, 95)), 2)
        town = None if at % 13 == 7 else ["Lund", "Ystad", "3", "Hoor"][at % 4]
        grade = None if at % 17 == 3 else int(random.integers(1, 4))
        rows.append((PEOPLE[at % len(PEOPLE)], age, town, grade, bool(random.uniform() < 0.5),
                     float(at)))
    return rows


def columns_of(rows, names=None):
    """{name: cells} in the order of `names`."""
    return {name: [row[NAMES.index(name)] for row in rows] for name in names or NAMES}


class Stream:
    """A library that sotto does not know, with the Arrow PyCapsule interface."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


class Interchange:
    """A library that has the data frame protocol, and nothing else."""

    def __init__(self, frame):
        self.frame = frame

    def __dataframe__(self, **settings):
        return self.frame.__dataframe__(**settings)


def _arrow(columns):
    kinds = {"person": pa.int64(), "age": pa.float64(), "town": pa.string(), "grade": pa.int8(),
             "smokes": pa.bool_(), "note": pa.float64()}
    return pa.table({name: pa.array(cells, kinds[name]) for name, cells in columns.items()})


def _cursor(columns):
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE TABLE t ({', '.join(columns)})")
    database.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(columns))})",
                         list(zip(*columns.values(), strict=True)))
    return database.execute("SELECT * FROM t")


def _structured(columns):
    made = np.empty(len(columns["person"]), dtype=[(name, object) for name in columns])
    for name, cells in columns.items():
        made[name] = cells
    return made


def _relation(columns):
    frame = _arrow(columns)  # noqa: F841 - DuckDB finds it by its name
    return duckdb.connect().sql("SELECT * FROM frame")


def _pandas(columns):
    return pd.DataFrame(columns)


# Columns by name, in any order. SELECTED ones are computed when they are read.
NAMED = {
    "pandas": _pandas,
    "pandas, objects": lambda columns: pd.DataFrame(columns, dtype=object),
    "pandas, nullable": lambda columns: _pandas(columns).convert_dtypes(),
    "pandas, Arrow": lambda columns: _arrow(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas, categories": lambda columns: _pandas(columns).astype("category"),
    "pandas, texts": lambda columns: _pandas(columns).convert_dtypes().astype(
        {"town": "string", "grade": "string", "person": str}),
    "structured array": _structured,
    "dict of lists": dict,
    "dict of arrays": lambda columns: {name: np.array(cells, dtype=object)
                                       for name, cells in columns.items()},
    "list of dicts": lambda columns: [dict(zip(columns, row, strict=True))
                                      for row in zip(*columns.values(), strict=True)],
    "list of named tuples": lambda columns: list(map(
        collections.namedtuple("Row", list(columns))._make, zip(*columns.values(), strict=True))),
    "polars": lambda columns: pl.DataFrame(columns),
    "polars, categories": lambda columns: pl.DataFrame(columns).with_columns(
        pl.col("town").cast(pl.Categorical), pl.col("grade").cast(pl.Decimal(10, 2))),
    "pyarrow": _arrow,
    "pyarrow batch": lambda columns: _arrow(columns).combine_chunks().to_batches()[0],
    "pyarrow, dictionaries": lambda columns: pa.table({
        name: cells.dictionary_encode() for name, cells in
        zip(columns, _arrow(columns).columns, strict=True)}),
}
SELECTED = {
    "pyarrow reader": lambda columns: _arrow(columns).to_reader(7),
    "DuckDB": _relation,
    "cursor": _cursor,
    "unknown stream": lambda columns: Stream(_arrow(columns)),
    "data frame protocol": lambda columns: Interchange(_pandas(columns)),
    "generator of dicts": lambda columns: iter(NAMED["list of dicts"](columns)),
}
# The schema's columns in its order.
UNNAMED = {
    "list of lists": lambda rows: [list(row) for row in rows],
    "list of tuples": list,
    "array of objects": lambda rows: np.array(rows, dtype=object),
    "array of rows": lambda rows: np.fromiter(rows, dtype=object, count=len(rows)),
}


# ---- cells that nobody expects ----


class Hostile:
    """Every question raises."""

    def _raise(self, *_):
        raise RuntimeError("a record")

    __float__ = __int__ = __index__ = __str__ = __repr__ = __eq__ = __bool__ = __len__ = _raise
    __iter__ = __array__ = __hash__ = __getattr__ = __complex__ = __format__ = _raise

    @property
    def __class__(self):
        raise RuntimeError("a record")


class HostileText(str):
    __slots__ = ()

    def _raise(self, *_):
        raise RuntimeError("a record")

    strip = lower = encode = __eq__ = __hash__ = __str__ = __len__ = _raise


class HostileZone(datetime.tzinfo):
    def utcoffset(self, _):
        raise RuntimeError("a record")


ODD = {
    "None": None, "NA": pd.NA, "NaN": float("nan"), "inf": float("inf"), "NaT": pd.NaT,
    "huge": 10**400, "longer than int to text": 10**5000, "least": -2**63, "uint64": 2**64 - 1,
    "true": True, "float": 2.5, "float32": np.float32(0.1), "whole float": 4.0, "id": 17.0,
    "sNaN": decimal.Decimal("sNaN"), "decimal": decimal.Decimal("4.00"),
    "huge decimal": decimal.Decimal("1E+999999999"), "tiny decimal": decimal.Decimal("1E-999999999"),
    "complex": 1j, "real complex": 3 + 0j, "text": "x", "empty": "", "number": " 4 ", "unread": "1_0",
    "surrogate": "\udc80\ud800", "NUL": "a\0b", "bytes": b"\xff\x00", "date": datetime.date(1, 1, 1),
    "moment": datetime.datetime(9999, 12, 31, tzinfo=datetime.timezone(-datetime.timedelta(hours=14))),
    "hostile zone": datetime.datetime(2026, 1, 1, tzinfo=HostileZone()),
    "datetime64": np.datetime64("2026-01-01T00"), "timedelta": np.timedelta64(3, "D"),
    "list": [1, [2]], "empty list": [], "array": np.array([1.0, 2.0]), "array of one": np.array([3.0]),
    "dict": {"a": 1}, "set": {1}, "object": Hostile(), "hostile text": HostileText("17"),
    "function": len, "class": int, "long text": "9" * 3000,
}


# ---- what the library gets ----


def cells_of(schema, table):
    """(cells, the bytes of ids) of all rows; of a stream, whose ids the library finds, (cells, None)."""
    described = sotto.Schema(schema)
    records, keep = Reader(described.describe(), None, "X").records_of(table, None, None)
    if isinstance(keep[0], Opened):
        return keep[0].cells(described.pointer), None
    assert records.stream is None
    cells, *units = keep
    for place, column in enumerate(described.describe()["columns"]):
        if column["type"] in ("category", "number", "integer", "boolean"):
            cells[np.isnan(cells[:, place]), place] = missing_of(column)
            if column["type"] in ("number", "integer"):
                cells[:, place] = cells[:, place].clip(column["lower"], column["upper"])
    return np.nan_to_num(cells), None if not units else units_as_bytes(units[0])


def missing_of(column):
    """What a missing cell counts as, by the schema with its defaults written out."""
    missing = column["missing"]
    return column["values"].index(missing) if column["type"] == "category" else float(missing)


def units_as_bytes(units):
    if units.dtype == np.int64:
        return [str(number).encode() for number in units.tolist()]
    return [bytes(row).rstrip(b"\0") for row in units]


# ---- trainings ----

ROWS = stored_rows()
STEPS = {"method": "gd", "steps": 1, "expected_rows": 60}
# Warnings that every test here gives.
QUIET = [
    pytest.mark.filterwarnings("ignore:the noise comes from a seed:sotto.PrivacyWarning"),
    pytest.mark.filterwarnings("ignore:The Dataframe Interchange Protocol is deprecated"),
]


def private(**settings):
    """A seeded training by the schema."""
    return sotto.LogisticRegression(**{"epsilon": 4.0, "delta": 1e-6, "schema": SCHEMA, **STEPS,
                                       "insecure_test_seed": 5, "threads": 1, **settings})


def by_norm(kind=sotto.LogisticRegression, **settings):
    """A seeded training of rows without a schema."""
    goal = ({"target_bounds": (0, 1)} if issubclass(kind, sotto.LinearRegression)
            else {"classes": [0, 1]})
    return kind(**{"epsilon": 4.0, "delta": 1e-6, "data_norm": 3.0, **goal, **STEPS,
                   "insecure_test_seed": 5, "threads": 1, **settings})


def matrix(count=40):
    random = np.random.default_rng(2)
    X = random.normal(size=(count, 3)).round(3)
    return X, (X @ [1.0, -2.0, 0.5] > 0).astype(np.int64)
