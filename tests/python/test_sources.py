"""From the stored table to the rows that are learned from: src/data/stability.md, for Python.

A table gives the same records from every library, with its columns in any order; what is refused is
refused before the charge; rows that are computed when they are read have a secret number.
"""

import json
import os
import pathlib
import subprocess
import sys
import warnings

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sotto
from sotto import _cells, pate
from sotto._tables import read, read_column
from sources import (
    NAMED,
    NAMES,
    ODD,
    PERMUTED,
    QUIET,
    ROWS,
    SCHEMA,
    SELECTED,
    UNNAMED,
    Hostile,
    by_norm,
    columns_of,
    matrix,
    private,
)

COMMAND = pathlib.Path(os.environ["SOTTO_BUILD"]) / "sotto"
pytestmark = QUIET


@pytest.fixture
def ledger(tmp_path):
    """A ledger that must not be charged."""
    path = tmp_path / "people.ledger"
    subprocess.run([COMMAND, "ledger", "init", path, "--dataset", "people", "--epsilon", "9",
                    "--delta", "1e-5"], check=True, capture_output=True)
    before = path.read_bytes()
    yield {"ledger": path, "insecure_test_seed": None}
    assert path.read_bytes() == before


# ---- the findings ----


def crowd():
    """Columns serial, person, x, t: one person has 3000 of 3100 rows, and at most 1 is kept."""
    person = np.where(np.arange(3100) < 3000, 0, np.arange(3100))
    schema = {"target": {"column": "t", "labels": [0, 1]}, "unit": {"column": "person", "rows": 1},
              "columns": [{"name": "person", "type": "id"}, {"name": "serial", "type": "ignore"},
                          {"name": "x", "type": "number", "lower": -1, "upper": 1},
                          {"name": "t", "type": "number", "lower": 0, "upper": 1}]}
    return schema, {"serial": np.arange(3100), "person": person,
                    "x": np.where(person == 0, 1.0, -1.0), "t": (person == 0).astype(float)}


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table, pd.DataFrame, dict])
def test_r4_the_unit_is_the_column_of_its_name(make):
    schema, columns = crowd()
    # Two rows of the person in 101 of at most one each cannot outweigh the others; 3000 would.
    model = sotto.LogisticRegression(50.0, schema=schema, insecure_test_seed=1).fit(make(columns))
    few = {name: cells[2999:] for name, cells in columns.items()}
    assert model.model_json_ == sotto.LogisticRegression(
        50.0, schema=schema, insecure_test_seed=1).fit(pd.DataFrame(few)).model_json_


def test_r4_columns_are_found_by_name_when_predicting():
    random = np.random.default_rng(1)
    names = ["a", "b", "c", "d"]
    X = random.uniform(-1, 1, size=(4000, 4))
    y = X @ [3.0, -2.0, 1.0, 0.0] > 0
    schema = {"target": "y", "columns": [*({"name": name, "type": "number", "lower": -1, "upper": 1}
                                           for name in names), {"name": "y", "type": "boolean"}]}
    model = sotto.LogisticRegression(8.0, 1e-6, schema=schema).fit(pd.DataFrame(X, columns=names), y)
    swapped = dict(zip(names[::-1], X.T[::-1], strict=True))
    for make in (pl.DataFrame, pa.table, pd.DataFrame):
        assert model.score(make(swapped), y) > 0.95
    with pytest.raises(ValueError, match="which is no text"):
        model.predict(pd.DataFrame(X, columns=pd.MultiIndex.from_product([["u"], names])))


def test_r6_a_label_of_one_record_is_not_published(ledger):
    X, _ = matrix()
    for y in (np.arange(40) % 2, np.where(np.arange(40) == 3, 9, np.arange(40) % 2), np.zeros(40)):
        for kind in (sotto.SoftmaxRegression, sotto.LogisticRegression, sotto.LinearSVC,
                     sotto.MLPClassifier, sotto.CNNClassifier, sotto.ConceptClassifier):
            with pytest.raises(ValueError, match=r"give classes=, for example classes=\[0, 1\]"):
                by_norm(kind, classes=None, dataset="people", **ledger).fit(X, y)
    labelled = by_norm(sotto.SoftmaxRegression, classes=[0, 1, 2])
    for y in (np.arange(40) % 3, np.where(np.arange(40) == 3, 9, np.arange(40) % 3)):
        assert labelled.fit(X, y).classes_.tolist() == [0, 1, 2]


def test_r8_one_cell_cannot_stop_a_training():
    X, y = matrix()
    for cell in ("sNaN", "complex", "array", "object", "hostile zone"):
        rows = X.tolist()
        rows[3][1] = ODD[cell]
        assert by_norm().fit(rows, y).coef_.shape == (1, 3)
        assert by_norm().fit(X, [*y[:-1].tolist(), ODD[cell]]).coef_.shape == (1, 3)
        people = [*range(59), ODD[cell]]
        frame = pd.DataFrame(ROWS, columns=NAMES).drop(columns="person")
        assert private().fit(frame, units=people).coef_.shape == (1, 7)
    assert by_norm().fit(np.where(X > 2, X + 1j, X), y).coef_.shape == (1, 3)


# ---- one table from many libraries ----


@pytest.fixture(scope="module")
def expected():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return private().fit(pd.DataFrame(ROWS, columns=NAMES))


def certified(model):
    """The model file, without how its rows were given and the hash over that."""
    members = json.loads(model.model_json_)
    certificate = members["certificate"]
    del members["request"]["rows"]
    for name in ("hash", "unprotected"):
        del certificate[name]
    return members


@pytest.mark.parametrize("names", [NAMES, PERMUTED], ids=["stored order", "permuted"])
@pytest.mark.parametrize("name", [*NAMED, *SELECTED])
def test_a_table_is_the_same_from_every_library(name, names, expected):
    make, columns = {**NAMED, **SELECTED}[name], columns_of(ROWS, names)
    model = private(stored_table=name in SELECTED).fit(make(columns))
    assert certified(model) == certified(expected)
    assert model.n_features_in_ == 6
    if "dicts" in name or "tuples" in name:  # the rows of a list say nothing about its columns
        assert not hasattr(model, "feature_names_in_")
    else:
        assert model.feature_names_in_.tolist() == names
    np.testing.assert_array_equal(model.predict_proba(make(columns)),
                                  expected.predict_proba(pd.DataFrame(ROWS, columns=NAMES)))
    assert model.score(make(columns)) == expected.score(pd.DataFrame(ROWS, columns=NAMES))
    assert read(make(columns)).selected == (name in SELECTED)


@pytest.mark.parametrize("name", list(UNNAMED))
def test_rows_without_names_are_in_the_schemas_order(name, expected):
    model = private().fit(UNNAMED[name](ROWS))
    assert model.model_json_ == expected.model_json_
    assert not hasattr(model, "feature_names_in_")
    np.testing.assert_array_equal(model.predict(UNNAMED[name](ROWS)),
                                  expected.predict(pd.DataFrame(ROWS, columns=NAMES)))


def test_a_table_is_the_same_from_a_file(expected, tmp_path):
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    frame = pd.DataFrame(ROWS, columns=NAMES).astype({"grade": "Int64"})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    subprocess.run([COMMAND, "train", "rows.csv", "--schema", "schema.json", "--model", "logistic",
                    "--epsilon", "4", "--delta", "1e-6", "--method", "gd", "--steps", "1",
                    "--expected-rows", "60", "--insecure-test-seed", "5", "-o", "m.json"],
                   check=True, capture_output=True, cwd=tmp_path)
    np.testing.assert_array_equal(sotto.load(tmp_path / "m.json").coef_, expected.coef_)


def test_labels_and_units_may_be_any_column(expected):
    frame = pd.DataFrame(ROWS, columns=NAMES)
    X, y, units = frame.drop(columns=["smokes", "person"]), frame["smokes"], frame["person"]
    for convert in (list, tuple, np.array, pl.Series, pa.array, lambda cells: pa.chunked_array(
            [pa.array(cells[:7]), pa.array(cells[7:])]), pd.Index, lambda cells: pd.Series(
            cells, index=range(len(cells))[::-1]), lambda cells: np.array(cells, dtype=object),
            lambda cells: pd.Series(cells, dtype="category"),
            lambda cells: pl.Series(cells).cast(pl.String)):
        model = private().fit(X, convert(y.tolist()), units=convert(units.tolist()))
        assert model.model_json_ == expected.model_json_
    with pytest.warns(UserWarning, match="column-vector"):
        private().fit(X, pl.DataFrame({"y": y.to_numpy()}), units=units)


def test_columns_without_a_schema_keep_their_names_and_order():
    X, y = matrix()
    names = ["b", "a", "c"]
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        table, swapped = (make(dict(zip(order, columns, strict=True))) for order, columns in (
            (names, X.T), (["a", "b", "c"], X.T[[1, 0, 2]])))
        for public in ({}, {"data_norm": None, "bounds": (-3, 3)}):
            model = by_norm(**public).fit(table, y)
            assert model.feature_names_in_.tolist() == names
            assert model.score(table, y) == model.score(pd.DataFrame(X, columns=names), y)
            with pytest.raises(ValueError, match="Feature names must be in the same order"):
                model.predict(swapped)
            with pytest.raises(ValueError, match="The feature names should match"):
                model.predict(pd.DataFrame(X))
            with pytest.warns(UserWarning, match="X does not have valid feature names"):
                model.predict(X)
            with pytest.warns(UserWarning, match="X has feature names"):
                by_norm(**public).fit(X, y).predict(table)


@pytest.mark.parametrize("names", [range(3), [2, 0, 1], [("a", 1), ("a", 2), ("b", 1)], ["a", 1, "b"]],
                         ids=str)
def test_names_that_are_no_texts_must_stay_too(names):
    X, y = matrix()
    frame = pd.DataFrame(X)
    frame.columns = pd.Index(names)
    for public in ({}, {"data_norm": None, "bounds": (-3, 3)}):
        model = by_norm(**public).fit(frame, y)
        assert model.coef_.tolist() == by_norm(**public).fit(X, y).coef_.tolist()
        model.predict(frame)
        with pytest.raises(ValueError, match="The feature names should match"):
            model.predict(frame[frame.columns[::-1]])
    by_norm().fit(X, y).predict(pd.DataFrame(X))  # 0, 1, 2 is the place


def test_bounds_with_names_are_matched():
    X, y = matrix()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    lower, upper = {"c": -1, "a": -2, "b": -3}, pd.Series({"b": 3.0, "c": 1.0, "a": 2.0})
    model = by_norm(data_norm=None, bounds=(lower, upper)).fit(frame, y)
    assert [column["upper"] for column in model.model_.schema["columns"][:3]] == [2, 3, 1]
    with pytest.raises(ValueError, match="bounds has other names"):
        by_norm(data_norm=None, bounds=(lower, upper)).fit(X, y)


@pytest.mark.parametrize("change, text", [
    (lambda columns: {"age": columns["age"]}, "X has no column 'town'"),
    (lambda columns: {**columns, "more": columns["age"]}, "'more' that the schema does not have"),
    (lambda columns: {**columns, 3: columns["age"]}, "3, which is no text"),
], ids=["missing", "additional", "number"])
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_wrong_names_are_refused_before_the_charge(make, change, text, ledger):
    if make is not pd.DataFrame and make is not dict and "text" in text:
        pytest.skip("names of these libraries are texts")
    with pytest.raises(ValueError, match=text):
        private(**ledger, stored_table=True).fit(make(change(columns_of(ROWS))))


def test_doubled_names_are_refused_before_the_charge(ledger):
    frame = pd.DataFrame(ROWS, columns=NAMES)
    doubled = pa.Table.from_arrays([pa.array([1.0]), pa.array([1.0])], names=["age", "age"])
    for table in (pd.concat([frame, frame], axis=1), doubled, doubled.to_reader()):
        with pytest.raises(ValueError, match="two columns of the same name"):
            private(**ledger).fit(table)
        with pytest.raises(ValueError, match="two columns of the same name"):
            by_norm(dataset="people", **ledger).fit(table, [1])


def test_tables_that_cannot_be_read_are_refused():
    X, y = matrix()
    for wrong in (5, {1, 2}, pl.Series([1.0]), pa.array([1.0]), pd.Series([1.0]), [1.0, 2.0],
                  duckdb.connect):
        with pytest.raises(ValueError, match="Expected 2D array"):
            by_norm().fit(wrong, y)
    with pytest.raises(ValueError, match="X is a file"):
        by_norm().fit("rows.csv", y)
    with pytest.raises(ValueError, match="a list without rows"):
        by_norm().fit([], [])
    assert by_norm(data_norm=None, bounds=([-1] * 3, [1] * 3)).fit([], []).n_features_in_ == 3
    assert private().fit([]).n_features_in_ == 6


# ---- places beside fit() ----


def test_public_rows_of_a_tuning_are_matched_by_name():
    X, y = matrix()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    settings = {"grid": {"lambda_": [20, 50]}, "runs_mean": 2}
    tuned = {"method": "auto", "steps": None, "expected_rows": None}
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        by_norm(**tuned).tune(frame, y, validation=(pl.DataFrame(frame[["c", "b", "a"]]), y), **settings)
    columns = columns_of(ROWS, PERMUTED)
    for make in (pd.DataFrame, pl.DataFrame):
        private(**tuned).tune(pd.DataFrame(ROWS, columns=NAMES), validation=(make(columns),),
                              **settings)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_votes_are_matched_by_the_names_of_classes(make):
    counts = np.array([[9, 1, 0], [0, 8, 2], [1, 1, 8]]) * 10
    vote = pate.Vote("gnmax", noise=2.0, touched=1)
    given = {"classes": ["cat", "dog", "owl"], "answers": 3, "delta": 1e-5, "insecure_test_seed": 1}
    named = {name: counts[:, place] for place, name in ((2, "owl"), (0, "cat"), (1, "dog"))}
    labels = pate.label(make(named), vote, **given)
    assert labels.json == pate.label(counts.tolist(), vote, **given).json
    assert labels.y.tolist() == ["cat", "dog", "owl"]
    # A column may be there because of one vote: others do not count, and absent ones are 0.
    fewer = {name: cells for name, cells in named.items() if name != "owl"}
    assert pate.label(make({**fewer, "cow": counts[:, 0]}), vote, **given).json == pate.label(
        (counts * [1, 1, 0]).tolist(), vote, **given).json
    with pytest.raises(ValueError, match="nothing to match them with"):
        pate.label(predictions=make({"q": ["cat"]}), vote=vote, **{**given, "answers": 1})
    odd = [["cat", "dog", "owl"]] * 9 + [["cat", Hostile(), np.array([1])], ["cat"]]
    assert pate.label(predictions=odd, vote=vote, **given).asked == 3


def test_images_may_be_lists_of_any_shape():
    images = np.random.default_rng(1).integers(0, 255, size=(30, 6, 6))
    y = [0, 1] * 15
    network = {"kind": "network", "version": 1, "layers": [
        {"type": "flatten"}, {"type": "dense", "units": "outputs"}]}
    model = sotto.CNNClassifier(8.0, 1e-5, bounds=(0, 255), classes=[0, 1], expected_rows=30,
                                sampling="none", steps=2, weight_average=0.0, network=network,
                                insecure_test_seed=1, threads=1)
    expected = model.fit(images, y).model_json_
    assert model.fit(images.tolist(), y).model_json_ == expected
    assert model.fit(list(images), y).model_json_ == expected
    for odd in ([[1]], 3, None, Hostile(), [[1, 2], 3], np.zeros((2, 2)), "x"):
        assert model.fit([*images.tolist()[:-1], odd], y).n_features_in_ == 36


# ---- selected rows ----


@pytest.mark.parametrize("name", list(SELECTED))
def test_rows_that_are_computed_have_a_secret_number(name, ledger):
    make, columns = SELECTED[name], columns_of(ROWS)
    schema = {key: value for key, value in SCHEMA.items() if key != "unit"}
    given = {"schema": schema, "adjacency": "replace-one"}
    secret = private(**given).fit(make(columns)).certificate_
    assert secret["rows_public"] is False
    declared = private(**given, stored_table=True).fit(make(columns)).certificate_
    assert declared["rows_public"] is True
    believed = "that the stream held every row of a stored table, under the table's own column names"
    assert not any(fact.startswith(believed) for fact in secret["unprotected"])
    assert any(fact.startswith("that each row of the stream came from one stored record")
               and "not checked" in fact for fact in secret["unprotected"])
    assert any(fact.startswith(believed) and "not checked" in fact
               for fact in declared["unprotected"])
    counted = {**given, "public_n": 60, "expected_rows": None}
    assert private(**counted, stored_table=True).fit(make(columns)).certificate_["rows_public"]
    with pytest.raises(ValueError, match="public_n is 60, but X is computed.*stored_table=True"):
        private(**{**counted, **ledger}).fit(make(columns))
    apart = {key: value for key, value in columns.items() if key != "smokes"}
    with pytest.raises(ValueError, match="and separately.*same order.*stored_table=True"):
        private(**{**given, **ledger}).fit(make(apart), columns["smokes"])
    private(**given, stored_table=True).fit(make(apart), columns["smokes"])


def test_rows_in_memory_are_a_stored_table():
    schema = {key: value for key, value in SCHEMA.items() if key != "unit"}
    model = private(schema=schema, adjacency="replace-one", public_n=60, expected_rows=None).fit(
        pl.DataFrame(columns_of(ROWS)))
    assert model.certificate_["rows_public"]
    with pytest.raises(ValueError, match="stored_table is 'yes'; give True or False"):
        private(stored_table="yes").fit(pl.DataFrame(columns_of(ROWS)))


def test_a_query_that_fails_quotes_no_record():
    """It may fail when it begins, or after batches of rows: the sentence is the same for every record."""
    schema = {"target": "t", "columns": [{"name": "age", "type": "number", "lower": 0, "upper": 9},
                                         {"name": "t", "type": "boolean"}]}

    def batches():
        yield pa.record_batch({"age": [1.0], "t": [True]})
        raise RuntimeError("secret")

    kinds = pa.schema([("age", pa.float64()), ("t", pa.bool_())])
    relation = "SELECT CAST(x AS INTEGER) AS age, true AS t FROM (VALUES ('secret')) v(x)"
    for stream in (duckdb.connect().sql(relation), pa.RecordBatchReader.from_batches(kinds, batches())):
        with pytest.raises((ValueError, sotto.SottoError),
                           match="cannot be read to its end|the stream of records failed") as caught:
            private(schema=schema).fit(stream)
        assert "secret" not in str(caught.value)
        assert caught.value.__context__ is None and caught.value.__cause__ is None


def test_streams_of_labels_are_selected():
    assert read_column(iter([1, 2])).selected and not read_column([1, 2]).selected
    for stream in (pa.table({"y": [1]}).to_reader(), duckdb.sql("SELECT 1 AS y")):
        with pytest.raises(ValueError, match="collect it into an array"):
            read_column(stream)


def test_a_lazy_frame_must_be_collected():
    lazy = pl.LazyFrame(columns_of(ROWS))
    for use in (lambda: private().fit(lazy), lambda: read_column(lazy)):
        with pytest.raises(ValueError, match=r"LazyFrame.*give [Xy]\.collect\(\)"):
            use()
    assert private().fit(lazy.collect()).n_features_in_ == 6


# ---- what libraries do ----


def test_cells_that_a_library_cannot_convert_are_missing():
    """Types of Arrow and polars hold more than Python does: their own conversions raise."""
    broken = pa.Array.from_buffers(pa.string(), 3, [None, pa.py_buffer(
        np.array([0, 1, 2, 3], dtype=np.int32).tobytes()), pa.py_buffer(b"\xffab")])
    far = pa.array([4_000_000, 0, None], pa.date32())
    late = pa.array([2**62, 0, None], pa.timestamp("s"))
    for array, spelled in ((broken, ["\udcff", "a", "b"]), (far, ["12921-08-18", "1970-01-01", ""]),
                           (late, [None, "1970-01-01", ""])):
        with pytest.raises(Exception):  # noqa: B017, PT011
            array.to_pylist()
        frame = pd.DataFrame({"a": pd.array(array, dtype=pd.ArrowDtype(array.type))})
        for column in (array, pa.chunked_array([array]), frame["a"]):
            found = [_cells.spelling_of(_cells.value_of(cell)) or ""
                     for cell in list(read_column(column).cells)]
            assert found[1:] == spelled[1:] and spelled[0] in (None, found[0])
            assert _cells.ids(read_column(column).cells).shape[0] == 3
            assert np.isnan(_cells.numbers(read_column(column).cells)).all()
    days = pl.Series([4_000_000, 0, None], dtype=pl.Int32).cast(pl.Date)
    assert np.isnan(_cells.places(read_column(days).cells, ["x"])).all()
    for empty in (pa.array([], pa.string()), pa.chunked_array([], pa.string()), pl.Series([], dtype=str),
                  pd.Series([], dtype="string"), pd.Series([], dtype="category")):
        assert len(_cells.ids(read_column(empty).cells)) == 0


def test_libraries_are_not_imported_and_not_needed(monkeypatch, expected):
    loaded = subprocess.run([sys.executable, "-c", "import sotto, sys; print(*sys.modules)"], check=True,
                            capture_output=True, text=True).stdout.split()
    assert not {"pandas", "polars", "pyarrow", "duckdb", "sklearn", "scipy"} & set(loaded)
    monkeypatch.setattr("sotto._arrow.pyarrow_is_there", lambda: False)
    columns = columns_of(ROWS, PERMUTED)
    for name in ("DuckDB", "unknown stream", "pandas, nullable"):
        model = private(stored_table=True).fit({**NAMED, **SELECTED}[name](columns))
        assert certified(model) == certified(expected)
    with pytest.raises(ValueError, match="sources.Interchange.*install pyarrow, or convert"):
        private().fit(SELECTED["data frame protocol"](columns))
