"""Tables by the Arrow C stream interface: the same records from every library, in any layout."""

import json
import os
import pathlib
import subprocess
import warnings

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
import sotto
from sotto._arrow import Stream
from sotto._records import Reader
from sotto._tables import read
from sources import NAMED, NAMES, ODD, PERMUTED, QUIET, ROWS, SCHEMA, by_norm, columns_of, matrix, private
from sources import _arrow as arrow_table

COMMAND = pathlib.Path(os.environ["SOTTO_BUILD"]) / "sotto"
pytestmark = QUIET


def model_of(table, **settings):
    """The model file of a seeded training, without how its rows were given and the hash over that."""
    members = json.loads(private(stored_table=True, **settings).fit(table).model_json_)
    del members["request"]["rows"], members["certificate"]["hash"], members["certificate"]["unprotected"]
    return members


@pytest.fixture(scope="module")
def expected():
    return model_of(ROWS)


# ---- how rows are handed over ----


@pytest.mark.parametrize("name", ["polars", "polars, categories", "pyarrow", "pyarrow batch",
                                  "pyarrow, dictionaries", "pandas, nullable", "pandas, Arrow"])
def test_tables_go_over_as_a_stream(name):
    records, keep = Reader(sotto.Schema(SCHEMA).describe(), None, "X").records_of(
        NAMED[name](columns_of(ROWS)), None, None)
    assert records.stream == keep[0].pointer and isinstance(keep[0], Stream)
    assert records.in_memory and not records.selected and records.features.rows == 0


def test_frames_with_objects_are_converted_cell_by_cell():
    for name in ("pandas, objects", "pandas, categories"):
        assert read(NAMED[name](columns_of(ROWS))).stream is None
    mixed = pd.DataFrame({"a": [1.0], "b": [1], "day": pd.to_datetime(["2026-03-01"])})
    assert read(mixed).stream is None and read(mixed[["a", "b"]]).stream is not None
    for odd in ({3: [1.0], "b": [1]}, {"a": np.array([1.0], dtype=np.longdouble), "b": [1]},
                {"a": np.array([1.0], dtype=">f8"), "b": [1]}):
        assert read(pd.DataFrame(odd)).stream is None


def test_what_pandas_cannot_export_is_converted(monkeypatch, expected):
    frame = NAMED["pandas, nullable"](columns_of(ROWS))

    def fail(self, requested_schema=None):
        raise ValueError("a record")

    monkeypatch.setattr(pd.DataFrame, "__arrow_c_stream__", fail)
    assert model_of(frame) == expected


# ---- neighbours: the same table in another layout ----


def rechunked(table, sizes):
    """The same rows in batches of these sizes, each column with its own dictionary in each."""
    pieces, at = [], 0
    for size in sizes:
        pieces.append(table.slice(at, size).combine_chunks())
        at += size
    return pa.concat_tables([*pieces, table.slice(at).combine_chunks()])


def with_dictionaries(table, sizes):
    """Texts as dictionaries, in batches whose dictionaries differ."""
    batches = []
    for batch in rechunked(table, sizes).to_batches():
        cells = [column.dictionary_encode() if pa.types.is_string(column.type) else column
                 for column in batch.columns]
        batches.append(pa.record_batch(cells, names=batch.schema.names))
    return pa.RecordBatchReader.from_batches(batches[0].schema, batches)


LAYOUTS = {
    "permuted": lambda table: table.select(PERMUTED),
    "polars": pl.from_arrow,
    "pandas": lambda table: table.to_pandas(),
    "pandas, Arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "DuckDB": lambda table: duckdb.connect().from_arrow(table),
    "reader": lambda table: table.to_reader(7),
    "chunks": lambda table: rechunked(table, [1, 0, 9, 23]),
    "other chunks": lambda table: rechunked(table, [30]),
    "slices": lambda table: pa.concat_tables([table.slice(3, 20), table])[20:],
    "sliced batch": lambda table: pa.concat_tables([table.slice(3, 20), table]).combine_chunks()
    .to_batches()[0].slice(20),
    "dictionaries": lambda table: with_dictionaries(table, [11, 20]),
    "another boundary of dictionaries": lambda table: with_dictionaries(table, [12, 5]),
    "NaN for null": lambda table: table.set_column(
        NAMES.index("age"), "age", table["age"].fill_null(float("nan"))),
    "large texts": lambda table: table.cast(table.schema.set(2, pa.field("town", pa.large_string()))),
    "views of texts": lambda table: table.cast(table.schema.set(2, pa.field("town", pa.string_view()))),
    "decimals": lambda table: table.cast(table.schema.set(3, pa.field("grade", pa.decimal128(5, 2)))),
    "ids as texts": lambda table: table.cast(table.schema.set(0, pa.field("person", pa.string()))),
    "all as texts": lambda table: pa.table({name: [None if cell is None else str(cell) for cell in
                                                   table[name].to_pylist()] for name in NAMES}),
}


@pytest.mark.parametrize("name", list(LAYOUTS))
def test_a_layout_changes_no_byte(name, expected):
    assert model_of(LAYOUTS[name](arrow_table(columns_of(ROWS)))) == expected


def test_a_stream_gives_what_a_file_gives(expected, tmp_path):
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    pd.DataFrame(ROWS, columns=NAMES).astype({"grade": "Int64"}).to_csv(tmp_path / "r.csv", index=False)
    subprocess.run([COMMAND, "train", "r.csv", "--schema", "schema.json", "--model", "logistic",
                    "--epsilon", "4", "--delta", "1e-6", "--method", "gd", "--steps", "1",
                    "--expected-rows", "60", "--insecure-test-seed", "5", "-o", "m.json"],
                   check=True, capture_output=True, cwd=tmp_path)
    made = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    for member in ("coefficients", "schema", "settings"):
        assert made[member] == expected[member]


@pytest.mark.parametrize("place", range(len(NAMES)), ids=NAMES)
def test_a_frame_is_the_same_whatever_type_one_cell_makes(place):
    """pandas gives a column objects, or another type, because of one cell: the records stay the same."""
    rows = [row for row in ROWS if row[0] <= 2**53][:12]
    ways = set()
    for odd in ODD.values():
        changed = [list(row) for row in rows]
        changed[3][place] = odd
        try:
            frame = pd.DataFrame(columns_of(changed))
        except Exception:  # noqa: BLE001, S112
            continue  # pandas itself refuses the cell
        ways.add(read(frame).stream is None)
        assert model_of(frame) == model_of(changed)
    assert len(ways) == 2  # both ways were tried


def test_whole_numbers_beyond_2_53_are_ids_by_all_their_digits():
    """As numbers they round to the nearest double, like their text."""
    people = [2**53, 2**53 + 1, 2**63 - 1, 2**62 + 1, 7]
    rows = [(people[at % 5], *row[1:]) for at, row in enumerate(ROWS)]
    texts = [(str(person), *rest) for person, *rest in rows]
    assert model_of(arrow_table(columns_of(rows))) == model_of(texts)


# ---- scipy ----


def sparse_rows():
    random = np.random.default_rng(3)
    X = np.where(random.uniform(size=(60, 40)) < 0.1, random.normal(size=(60, 40)).round(2), 0.0)
    return X, (X.sum(axis=1) > 0).astype(np.int64)


@pytest.mark.parametrize("make", [scipy.sparse.csr_array, scipy.sparse.csc_matrix,
                                  scipy.sparse.coo_array, scipy.sparse.csr_matrix])
def test_sparse_rows_are_those_of_the_dense_array(make):
    X, y = sparse_rows()
    for convert in (lambda values: values, lambda values: values.astype(np.float32),
                    lambda values: values.astype(np.int64)):
        model = by_norm(expected_rows=60).fit(make(convert(X)), y)
        dense = by_norm(expected_rows=60).fit(convert(X), y)
        assert model.model_json_ == dense.model_json_
        np.testing.assert_array_equal(model.predict_proba(make(X)), dense.predict_proba(X))
        assert model.score(make(X), y) == dense.score(X, y)


def test_sparse_rows_are_those_of_a_libsvm_file(tmp_path):
    X, y = sparse_rows()
    schema = {"features": 40, "labels": [0, 1], "row_norm": {"bound": 3.0, "rule": "clip"}}
    (tmp_path / "s.json").write_text(json.dumps(schema), encoding="utf-8")
    (tmp_path / "r.libsvm").write_text("".join(
        f"{label} " + " ".join(f"{at + 1}:{row[at]!r}" for at in np.flatnonzero(row)) + "\n"
        for row, label in zip(X.tolist(), y, strict=True)), encoding="utf-8")
    subprocess.run([COMMAND, "train", "r.libsvm", "--schema", "s.json", "--model", "logistic",
                    "--epsilon", "4", "--delta", "1e-6", "--method", "gd", "--steps", "1",
                    "--expected-rows", "60", "--insecure-test-seed", "5", "-o", "m.json"],
                   check=True, capture_output=True, cwd=tmp_path)
    model = private(schema=schema).fit(scipy.sparse.csr_array(X), y)
    np.testing.assert_array_equal(sotto.load(tmp_path / "m.json").coef_, model.coef_)


def test_entries_that_are_there_twice_are_added():
    X, y = sparse_rows()
    rows = scipy.sparse.csr_array(X)
    doubled = scipy.sparse.csr_array((np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2),
                                      rows.indptr * 2), shape=rows.shape)
    assert by_norm().fit(doubled, y).model_json_ == by_norm().fit(X, y).model_json_
    assert doubled.nnz == 2 * rows.nnz  # the caller's array stays as it is


def test_invalid_starts_of_a_sparse_array_are_rows_without_entries():
    """scipy does not check them either, and its functions would read beyond the arrays."""
    X = np.random.default_rng(2).uniform(-1, 1, size=(60, 3))
    y = (X[:, 0] > 0).astype(int)
    rows = scipy.sparse.csr_array(X)
    rows.indptr[[5, 9, 60]] = 10**7, -3, 10**9
    broken = [4, 5, 8, 9, 59]
    expected = X.copy()
    expected[broken] = 0.0

    def fitted(rows):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sotto.PrivacyWarning)
            return sotto.LogisticRegression(1.0, 1e-6, data_norm=2.0, classes=[0, 1], insecure_test_seed=3).fit(rows, y)

    assert (fitted(rows).coef_ == fitted(expected).coef_).all()


@pytest.mark.parametrize("index", [
    pd.RangeIndex(5, 85), pd.Index(np.arange(80)[::-1]), pd.Index(["same"] * 80, name="person"),
    pd.date_range("2026-01-01", periods=80), pd.MultiIndex.from_arrays([range(80), range(80)], names=["age", "q"])],
    ids=["range", "shuffled", "named", "dates", "levels"])
def test_a_pandas_index_is_no_column(index):
    """pandas exports an index that is no range as a column."""
    random = np.random.default_rng(4)
    frame = pd.DataFrame({"age": random.uniform(20, 60, 80), "ill": random.random(80) > 0.5})
    schema = {"columns": [{"name": "age", "type": "number", "lower": 20, "upper": 60}, {"name": "ill", "type": "boolean"}],
              "target": {"column": "ill"}}
    other = frame.set_axis(index)

    def fitted(rows):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sotto.PrivacyWarning)
            return sotto.LogisticRegression(1.0, 1e-6, schema=schema, insecure_test_seed=3).fit(rows)

    assert (fitted(other).coef_ == fitted(frame).coef_).all()
    assert fitted(frame).predict(other).tolist() == fitted(frame).predict(frame).tolist()
    assert other.index is index or other.index.equals(index)


@pytest.mark.parametrize("index", [40, 79, -1])
def test_an_index_outside_of_the_columns_is_no_entry(index):
    """scipy writes it into another row."""
    X, y = sparse_rows()
    model = by_norm(expected_rows=60).fit(X, y)
    rows = scipy.sparse.csr_array(X)
    end = rows.indptr[7]
    outside = scipy.sparse.csr_array((np.insert(rows.data, end, 9.0), np.insert(rows.indices, end, index),
                                      rows.indptr + (np.arange(61) >= 7)), shape=rows.shape)
    assert outside.nnz == rows.nnz + 1
    np.testing.assert_array_equal(model.predict_proba(outside), model.predict_proba(X))
    assert by_norm(expected_rows=60).fit(outside, y).model_json_ == model.model_json_


def test_sparse_rows_need_a_schema_of_features():
    X, y = sparse_rows()
    rows = scipy.sparse.csr_array(X)
    with pytest.raises(TypeError, match="Sparse input is not supported by a schema of columns"):
        by_norm(data_norm=None, bounds=(-1, 1)).fit(rows, y)
    model = by_norm().fit(rows, y)
    with pytest.raises(ValueError, match="X has 39 features, but LogisticRegression is expecting 40"):
        model.predict(rows[:, :39])
    assert model.predict(rows[:0]).shape == (0,)


# ---- without a schema ----


def test_columns_told_by_their_place_are_numbers():
    """A model of an array predicts for a table, as scikit-learn does, with a warning."""
    X, y = matrix()
    for public in ({}, {"data_norm": None, "bounds": (-3, 3)}):
        model = by_norm(**public).fit(X, y)
        for make in (pl.DataFrame, pa.table, lambda columns: pd.DataFrame(columns).convert_dtypes()):
            table = make(dict(zip("abc", X.T, strict=True)))
            with pytest.warns(UserWarning, match="X has feature names"):
                np.testing.assert_array_equal(model.predict_proba(table), model.predict_proba(X))
            assert by_norm(**public).fit(table, y).coef_.tolist() == model.coef_.tolist()
