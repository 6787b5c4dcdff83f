"""Neighbours of a table in Python: src/data/stability.md.

Tables that differ in one cell, or in one row, never differ in an exception, a warning, a shape or a
type, nor in what the other records give.
"""

import collections
import json
import sqlite3
import warnings
from datetime import date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sotto
from sotto import _cells
from sotto._records import Reader
from sotto._tables import read, read_column
from sources import (
    NAMES,
    ODD,
    QUIET,
    ROWS,
    SCHEMA,
    SELECTED,
    Hostile,
    by_norm,
    cells_of,
    columns_of,
    matrix,
    private,
    units_as_bytes,
)

pytestmark = QUIET


def outcome(run):
    """What anybody sees of a training: an exception, warnings, shapes, types, public members."""
    with warnings.catch_warnings(record=True) as warned, np.errstate(all="warn"):
        warnings.simplefilter("always")
        try:
            model = run()
        except Exception as problem:  # noqa: BLE001
            return type(problem), str(problem)
    # _fitted_on refers to the caller's own object, for a warning of score().
    secret = ("model_", "certificate_", "intercept_", "_fitted_on")
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
    # One fraction makes floats of all ids in NumPy and pandas: they hold ids up to 2^53 only.
    rows = [row for row in ROWS if row[0] <= 2**53][:12]
    cells, _ = cells_of(SCHEMA, LOOSE[name](rows))
    _, units = cells_of(SCHEMA, rows)
    tried = 0
    for odd in odd_cells(name).values():
        for place in range(len(NAMES)):
            at = 11 * (place % 2)
            table = built(LOOSE[name], replaced(rows, at, place, odd))
            if table is None:
                continue
            with warnings.catch_warnings(), np.errstate(all="warn"):
                warnings.simplefilter("error")
                changed, changed_units = cells_of(SCHEMA, table)
            others = np.arange(12) != at
            np.testing.assert_array_equal(changed[others], cells[others])
            if changed_units is not None:
                assert [changed_units[row] for row in np.flatnonzero(others)] == [
                    units[row] for row in np.flatnonzero(others)]
            tried += 1
    assert tried >= (40 if name in ("polars", "pyarrow") else 180)


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
        table = read(changed).with_width_of_most()
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


@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow"])
def test_rows_with_labels_and_units_apart_may_come_and_go(name):
    """None and one row: how many labels there are says nothing about whether they are given."""
    types = {"age": pa.float64(), "grade": pa.int8()}
    made = {"pandas": lambda table: table.to_pandas(), "polars": pl.from_arrow,
            "pyarrow": lambda table: table}[name]

    def trained(settings, count, **apart):
        numbers = {name: pa.array([1] * count, kind) for name, kind in types.items()}
        estimator = sotto.LogisticRegression(1.0, 1e-6, **settings)
        return outcome(lambda: estimator.fit(made(pa.table(numbers)), [1] * count, **apart))

    columns = [column for column in SCHEMA["columns"] if column["name"] != "town"]
    for settings in ({"data_norm": 3.0, "classes": [0, 1]},
                     {"bounds": ([0, 0], [9, 9]), "classes": [0, 1]}):
        expected = trained(settings, 1)
        assert len(expected) > 2
        assert trained(settings, 0) == expected
    expected = trained({"schema": {**SCHEMA, "columns": columns}}, 1, units=["p"])
    assert len(expected) > 2
    assert trained({"schema": {**SCHEMA, "columns": columns}}, 0, units=[]) == expected


def test_what_is_kept_of_a_person_does_not_depend_on_others():
    """src/data/batches/unit.md, claim 1: an id is a function of the cell, not of the ids before it."""
    reader = Reader(sotto.Schema(SCHEMA).describe(), None, "X")
    for convert in (lambda cell: cell, str, float, lambda cell: f"p{cell}"):
        rows = [(convert(row[0]), *row[1:]) for row in ROWS[:48] if row[0] < 2**50]
        _, (_, units) = reader.records_of(rows, None, None)
        left = [row for row in rows if row[0] != rows[0][0]]
        _, (_, others) = reader.records_of(left, None, None)
        stay = [row[0] != rows[0][0] for row in rows]
        assert [unit for unit, stays in zip(units_as_bytes(units), stay, strict=True) if stays
                ] == units_as_bytes(others)


def test_a_label_of_one_row_has_any_shape():
    """Not even the only row decides how y is read."""
    X, _ = matrix(1)
    expected = outcome(lambda: by_norm().fit(X, [1]))
    for odd in ([1], [1, 2], [], [[1]], np.zeros((2, 2)), {"a": 1}, "x", Hostile(), [Hostile()]):
        assert outcome(lambda odd=odd: by_norm().fit(X, [odd])) == expected
    assert read_column([[1], (2,), np.array([3]), 4]).cells == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="collect it first"):
        read({"a": [1.0], "b": iter([1.0])})


# ---- lists: columns come from public things ----

TWO = {"target": "t", "columns": [{"name": "a", "type": "number", "lower": 0, "upper": 1},
                                  {"name": "b", "type": "number", "lower": 0, "upper": 1},
                                  {"name": "t", "type": "boolean"}]}


def test_names_of_a_list_come_from_the_schema():
    full, lacks = {"a": 1.0, "b": 0.0, "t": True}, {"t": True, "a": 1.0, "more": 2, 3: 4, pd.NA: 5}
    seen = [outcome(lambda count=count: private(schema=TWO).fit([full] * count + [lacks] * (9 - count)))
            for count in range(10)]
    assert len(seen[0]) > 2 and all(one == seen[0] for one in seen)
    reader = Reader(sotto.Schema(TWO).describe(), None, "X")
    _, (cells,) = reader.records_of([full, lacks, [1.0, 0.5, True], (1.0,), None], None, None)
    np.testing.assert_array_equal(cells, [[1, 0, 1], [1, np.nan, 1], [1, 0.5, 1], [1, np.nan, np.nan],
                                          [np.nan] * 3])


def test_one_person_of_a_list_decides_nothing():
    others = [{name: cell for name, cell in zip(NAMES, row, strict=True)} for row in ROWS[:12]]
    expected = outcome(lambda: private().fit(others))
    for row in ({"person": 17}, [17], [17] * 9, 17, {}):
        assert outcome(lambda row=row: private().fit(others + [row] * 40)) == expected


def test_names_of_a_list_come_from_the_bounds():
    ab, ba = {"a": 1.0, "b": 0.0}, {"b": 0.0, "a": 1.0}
    y = [1] * 11
    named = {"bounds": ({"a": 0, "b": 0}, {"a": 1, "b": 1}), "data_norm": None}
    seen = [by_norm(**named).fit([ab] * count + [ba] * (11 - count), y) for count in (0, 5, 6, 11)]
    assert len({model.model_json_ for model in seen}) == 1
    assert seen[0].feature_names_in_.tolist() == ["a", "b"]
    for rows in ([ab] * 11, [{0: 1.0, 1: 0.0}] * 11):
        with pytest.raises(ValueError, match="list of rows with names.*schema=, bounds= as dicts"):
            by_norm().fit(rows, y)


def test_the_shape_of_images_in_a_list_is_a_setting():
    images = np.random.default_rng(1).integers(0, 255, size=(10, 4, 4)).tolist()
    network = {"kind": "network", "version": 1, "layers": [
        {"type": "flatten"}, {"type": "dense", "units": "outputs"}]}

    class Hidden(np.ndarray):
        @property
        def shape(self):
            raise RuntimeError("a record")

    model = sotto.CNNClassifier(8.0, 1e-5, bounds=(0, 255), classes=[0, 1], expected_rows=10, steps=1,
                                network=network, shape=(4, 4), insecure_test_seed=1, threads=1)
    for odd in (np.zeros((2, 8)).tolist(), np.zeros((2, 2)).view(Hidden), np.zeros(3), None):
        for count in (1, 5, 6):
            rows = images[count:] + [odd] * count
            for make in (list, lambda rows: np.fromiter(rows, dtype=object, count=len(rows))):
                assert json.loads(model.fit(make(rows), [0, 1] * 5).model_json_)["schema"][
                    "shape"] == [1, 4, 4]


def test_a_vote_changes_its_own_count_only():
    vote = sotto.pate.Vote("gnmax", noise=2.0, touched=1)
    queries = [[0] * 10 + [1] * 90, [1] * 90 + [0] * 10] * 5

    def labels(votes):
        return sotto.pate.label([collections.Counter(query) for query in votes], vote, classes=[0, 1],
                                answers=10, delta=1e-5, insecure_test_seed=3).y.tolist()

    assert labels(queries) == [1] * 10
    for odd in (1, "0", 7, None, Hostile):
        assert labels([*queries[:9], [odd, *queries[9][1:]]]) == [1] * 10
    assert labels([[1] * 100] * 10) == [1] * 10


# ---- types that one cell decides ----


def test_a_category_is_its_name_in_an_array_of_any_type():
    schema = {"target": "t", "columns": [
        {"name": "g", "type": "category", "values": ["1", "2", "3"], "missing": "3"},
        {"name": "t", "type": "boolean"}]}
    reader = Reader(sotto.Schema(schema).describe(), None, "X")
    rows = [[1, 1], [2, 0], [3, 1]]
    for odd in (1, None, 2.5, "x", 1j, True):
        _, (cells,) = reader.records_of(np.array([*rows, [odd, 0]]), None, None)
        np.testing.assert_array_equal(cells[:3], [[0, 1], [1, 0], [2, 1]])


def test_one_ragged_label_changes_no_other():
    X, y = matrix(12)
    rows = [[int(label)] for label in y]

    def seen(labels):
        return outcome(lambda: by_norm().fit(X, np.array(labels, dtype=object)))

    expected = seen(rows)
    assert any("column-vector" in text for text in expected[1])
    for odd in ([0, 1], [], 1, None, [[1]]):
        assert seen([*rows[:-1], odd]) == expected
        ids = _cells.ids(read_column(np.array([*rows[:-1], odd], dtype=object)).cells)
        assert units_as_bytes(ids)[:11] == [str(label).encode() for label in y[:11]]


def test_a_category_of_any_kind_cannot_stop_a_training():
    frame = pd.DataFrame(ROWS[:12], columns=NAMES)
    for odd in (1, (1, 2), frozenset((1,))):
        grade = pd.Series([odd, *frame["grade"][1:]], dtype=object).astype("category")
        assert len(outcome(lambda grade=grade: private().fit(frame.assign(grade=grade)))) > 2


def test_a_text_that_is_not_utf_8_cannot_stop_a_query():
    for cell in ("'x'", "cast(x'ff' as text)"):
        database = sqlite3.connect(":memory:")
        database.execute("CREATE TABLE v (a, b, t)")
        database.execute(f"INSERT INTO v VALUES ({cell}, '0.5', 'yes')")
        cursor = database.execute("SELECT * FROM v")
        table = read(cursor)
        assert [_cells.numbers(table.column(1)).tolist(), _cells.truths(table.column(2)).tolist()] == [
            [0.5], [1.0]]
        assert database.text_factory is str


def test_no_rows_are_no_exception():
    for empty in ([], pd.DataFrame([]), pl.DataFrame([]), np.array([]), pd.DataFrame(columns=NAMES)):
        assert private().fit(empty).n_features_in_ == 6


# ---- rows that are computed ----


class Lazy:
    """pandas' interface over rows that are computed whenever they are asked for."""

    def __init__(self, frame):
        self.frame = frame

    columns = property(lambda self: self.frame.columns)
    dtypes = property(lambda self: self.frame.dtypes)
    iloc = property(lambda self: self.frame.sample(frac=1).iloc)

    def to_numpy(self):
        return self.frame.sample(frac=1).to_numpy()

    def __len__(self):
        return len(self.frame)


def test_a_frame_that_may_be_computed_is_selected_and_read_once():
    table = read(Lazy(pd.DataFrame({"a": range(20), "b": range(20)})))
    assert table.selected
    assert table.column(0).tolist() == table.column(1).tolist()


@pytest.mark.parametrize("name", list(SELECTED))
def test_the_unit_of_computed_rows_must_be_declared(name):
    table = SELECTED[name](columns_of(ROWS))
    with pytest.raises(ValueError, match="the schema has a unit, but X is computed.*stored_table=True"):
        private().fit(table)
    private(stored_table=True).fit(SELECTED[name](columns_of(ROWS)))


def test_no_cell_decides_whether_a_frame_of_polars_is_refused():
    """polars chooses the type Object for a column by one cell; another column has a type that Arrow streams lack."""
    ignored = {**TWO, "columns": [*TWO["columns"], {"name": "note", "type": "ignore"}]}
    for odd in ([date(2026, 3, 1)] * 3, [datetime(2026, 3, 1)] * 3, [timedelta(1)] * 3, [[1.0]] * 3, [{"x": 1}] * 3,
                [Decimal(1)] * 3, [2**70] * 3, ["x"] * 3, [None] * 3):
        full = {"a": [0.5] * 3, "b": pl.Series(odd), "t": [True, False, None]}
        for note in (pl.Series(["x", "y", "z"]), pl.Series([1j, "y", "z"], dtype=pl.Object)):
            private(schema=ignored).fit(pl.DataFrame({**full, "note": note}))


def test_types_without_cells_are_refused_by_name():
    """Types are public. A column that the schema ignores has any."""
    ends = pa.RunEndEncodedArray.from_arrays([2, 3], [1.5, 2.5])
    full = {"a": pa.array([0.5] * 3), "b": pa.array([0.5] * 3), "t": pa.array([True, False, None])}
    ignored = {**TWO, "columns": [*TWO["columns"], {"name": "note", "type": "ignore"}]}
    for odd in (ends, pa.array([[1.0]] * 3), pa.array([{"x": 1}] * 3), pa.array([b"x"] * 3, pa.binary(1)),
                pa.array([1, 2, 3], pa.decimal256(50, 2)), pa.array([1, 2, 3], pa.date32()),
                pa.array([1, 2, 3], pa.timestamp("us", "UTC")), pa.array([1, 2, 3], pa.duration("s"))):
        with pytest.raises(sotto.InvalidArgumentError, match="the column 'b' of the stream is"):
            private(schema=TWO).fit(pa.table({**full, "b": odd}))
        private(schema=ignored).fit(pa.table({**full, "note": odd}))
    assert _cells.numbers(read_column(ends).cells).tolist() == [1.5, 1.5, 2.5]
