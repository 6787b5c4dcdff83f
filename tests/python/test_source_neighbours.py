"""Neighbours of a table in Python: src/data/stability.md.

Tables that differ in one cell, or in one row, never differ in an exception, a warning, a shape or a
type, nor in what the other records give.
"""

import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sotto
from sotto._records import Reader
from sotto._tables import read, read_column
from sources import NAMES, ODD, QUIET, ROWS, SCHEMA, Hostile, by_norm, columns_of, matrix, private

pytestmark = QUIET


def outcome(run):
    """What anybody sees of a training: an exception, warnings, shapes, types, public members."""
    with warnings.catch_warnings(record=True) as warned, np.errstate(all="warn"):
        warnings.simplefilter("always")
        try:
            model = run()
        except Exception as problem:  # noqa: BLE001
            return type(problem), str(problem)
    secret = ("model_", "certificate_", "intercept_")
    seen = {name: (value.dtype, value.shape) if isinstance(value, np.ndarray) else
            type(value) if name in secret else value for name, value in vars(model).items()}
    members = json.loads(model.model_json_)
    return (seen, sorted({str(warning.message) for warning in warned}), sorted(members),
            members["schema"], members["settings"], members["certificate"]["plan"],
            members["certificate"]["unprotected"], model.model_.predict(
                np.zeros((2, len(model.model_.encoded_features_)))).dtype
            if model.schema is None else None)


def replaced(rows, at, place, cell):
    changed = [list(row) for row in rows]
    changed[at][place] = cell
    return changed


# Libraries whose column can hold any object, or that give it a type by its cells.
LOOSE = {
    "list": lambda rows: [list(row) for row in rows],
    "dict": columns_of,
    "array": lambda rows: np.array([(*row, 0) for row in rows], dtype=object)[:, :-1],
    "array by its cells": lambda rows: {name: np.array(cells) for name, cells in
                                        columns_of(rows).items()},
    "pandas": lambda rows: pd.DataFrame(columns_of(rows)),
    "nullable": lambda rows: pd.DataFrame(columns_of(rows)).convert_dtypes(),
    "polars": lambda rows: pl.DataFrame(columns_of(rows), strict=False, infer_schema_length=None),
    "pyarrow": lambda rows: pa.table(columns_of(rows)),
    "dicts": lambda rows: [dict(zip(NAMES, row, strict=True)) for row in rows],
}
# Cells for which a library chooses a type that rewrites all others, or panics: before sotto.
UNFIT = {"array by its cells": {"timedelta"}, "pyarrow": {"date", "moment", "hostile zone"},
         "polars": {"float32", "timedelta", "dict", "object", "hostile text", "sNaN", "decimal",
                    "huge decimal", "tiny decimal", "longer than int to text"}}


def odd_cells(name):
    return {key: cell for key, cell in ODD.items() if key not in UNFIT.get(name, ())}


def built(make, rows):
    """The library's table, or None if the library itself refuses the cell."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make(rows)
    except BaseException:  # noqa: BLE001 - polars panics
        return None


@pytest.mark.parametrize("name", list(LOOSE))
def test_a_cell_changes_its_own_row_only(name):
    """43 odd cells in each of 6 columns, in the first or the last row."""
    reader = Reader(sotto.Schema(SCHEMA).describe(), None, "X")
    # One fraction makes floats of all ids in NumPy and pandas: they hold ids up to 2^53 only.
    rows = [row for row in ROWS if row[0] <= 2**53][:12]
    _, (cells, units) = reader.records_of(LOOSE[name](rows), None, None)
    reference, tried = units_as_bytes(units), 0
    for odd in odd_cells(name).values():
        for place in range(len(NAMES)):
            at = 11 * (place % 2)
            table = built(LOOSE[name], replaced(rows, at, place, odd))
            if table is None:
                continue
            with warnings.catch_warnings(), np.errstate(all="warn"):
                warnings.simplefilter("error")
                _, (changed, changed_units) = reader.records_of(table, None, None)
            others = np.arange(12) != at
            np.testing.assert_array_equal(changed[others], cells[others])
            assert units_as_bytes(changed_units)[others].tolist() == reference[others].tolist()
            tried += 1
    assert tried >= (40 if name in ("polars", "pyarrow") else 180)


def units_as_bytes(units):
    if units.dtype == np.int64:
        return np.array([str(number).encode() for number in units.tolist()], dtype=object)
    return np.array([bytes(row).rstrip(b"\0") for row in units], dtype=object)


@pytest.mark.parametrize("place", range(len(NAMES)), ids=NAMES)
@pytest.mark.parametrize("name", ["list", "pandas", "array by its cells"])
def test_a_training_tells_nothing_of_a_cell(name, place):
    rows = ROWS[:12]
    expected = outcome(lambda: private().fit(LOOSE[name](rows)))
    assert len(expected) > 2
    for odd in list(odd_cells(name).values())[place % 2::2]:
        table = built(LOOSE[name], replaced(rows, 3, place, odd))
        if table is not None:
            assert outcome(lambda table=table: private().fit(table)) == expected


PLAIN = {
    "list": lambda rows: [list(row) for row in rows],
    "array": np.array,
    "objects": lambda rows: np.array(rows, dtype=object),
    "pandas": pd.DataFrame,
    "polars": lambda rows: pl.DataFrame(rows, schema=list("abc"), orient="row", strict=False,
                                        infer_schema_length=None),
}


@pytest.mark.parametrize("name", list(PLAIN))
def test_a_training_without_a_schema_tells_nothing_of_a_cell(name):
    X, y = matrix(12)
    expected = outcome(lambda: by_norm().fit(PLAIN[name](X.tolist()), y))
    assert len(expected) > 2
    for odd in odd_cells(name).values():
        rows = built(PLAIN[name], replaced(X, 3, 1, odd))
        if rows is not None:
            assert outcome(lambda rows=rows: by_norm().fit(rows, y)) == expected


@pytest.mark.parametrize("make", [list, pd.Series])
@pytest.mark.parametrize("kind", [sotto.LogisticRegression, sotto.LinearRegression])
def test_a_training_tells_nothing_of_a_label(kind, make):
    X, y = matrix(12)
    expected = outcome(lambda: by_norm(kind).fit(X, make(y.tolist())))
    assert len(expected) > 2
    for odd in ODD.values():
        labels = built(make, [*y[:-1].tolist(), odd])
        if labels is not None:
            assert outcome(lambda labels=labels: by_norm(kind).fit(X, labels)) == expected


ODD_ROWS = {
    "empty": [], "short": [1.0], "long": [1.0] * 9, "None": None, "number": 5, "text": "row",
    "hostile": Hostile(), "dict": {"a": 1}, "matrix": np.zeros((2, 2)), "tuple": (1.0, 2.0, 3.0),
    "nested": [[1.0], [2.0], [3.0]], "array": np.array([1.0, 2.0, 3.0]), "set": {1.0, 2.0, 3.0},
    "of hostile cells": [Hostile()] * 3, "bytes": b"abc", "series": pd.Series([1.0, 2.0, 3.0]),
}


@pytest.mark.parametrize("name", list(ODD_ROWS))
def test_a_row_of_a_list_has_any_length(name):
    X, y = matrix(12)
    row = ODD_ROWS[name]
    expected = outcome(lambda: by_norm().fit(X.tolist(), y))
    rows = X.tolist()
    for at in (0, 5, 11):
        changed = [*rows[:at], row, *rows[at + 1:]]
        assert outcome(lambda changed=changed: by_norm().fit(changed, y)) == expected
        others = np.arange(12) != at
        table = read(changed)
        for place in range(3):
            found = table.column(place)
            assert [*found[:at], *found[at + 1:]] == X[others, place].tolist()
    with_schema = outcome(lambda: private().fit(ROWS[:12]))
    assert outcome(lambda: private().fit([*ROWS[:11], row])) == with_schema


@pytest.mark.parametrize("name", ["list", "pandas", "polars", "pyarrow", "dict"])
def test_rows_may_come_and_go(name):
    """None, one and many rows; a row more, less or exchanged; whole persons."""
    expected = outcome(lambda: private().fit(LOOSE[name](ROWS[:12])))
    assert len(expected) > 2
    for rows in (ROWS[:11], ROWS[:13], [*ROWS[:11], ROWS[50]], ROWS[:3], ROWS[:1], [],
                 [row for row in ROWS if row[0] != 17], [(None,) * 6] * 5,
                 [(*row[:4], None, None) for row in ROWS[:12]]):
        table = LOOSE[name](rows)
        assert outcome(lambda table=table: private().fit(table)) == expected


def test_what_is_kept_of_a_person_does_not_depend_on_others():
    """src/data/unit.md, claim 1: an id is a function of the cell, not of the ids before it."""
    reader = Reader(sotto.Schema(SCHEMA).describe(), None, "X")
    for convert in (lambda cell: cell, str, float, lambda cell: f"p{cell}"):
        rows = [(convert(row[0]), *row[1:]) for row in ROWS[:48] if row[0] < 2**50]
        _, (_, units) = reader.records_of(rows, None, None)
        left = [row for row in rows if row[0] != rows[0][0]]
        _, (_, others) = reader.records_of(left, None, None)
        stay = [row[0] != rows[0][0] for row in rows]
        assert units_as_bytes(units)[stay].tolist() == units_as_bytes(others).tolist()


def test_a_label_of_one_row_has_any_shape():
    """Not even the only row decides how y is read."""
    X, _ = matrix(1)
    expected = outcome(lambda: by_norm().fit(X, [1]))
    for odd in ([1], [1, 2], [], [[1]], np.zeros((2, 2)), {"a": 1}, "x", Hostile(), [Hostile()]):
        assert outcome(lambda odd=odd: by_norm().fit(X, [odd])) == expected
    assert read_column([[1], (2,), np.array([3]), 4]).cells == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="collect it first"):
        read({"a": [1.0], "b": iter([1.0])})
