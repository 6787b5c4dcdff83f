"""Rows reach the library where they lie, or as the cells they mean."""

import numpy as np
import pandas as pd
import pytest
from sotto import _arrays
from sotto._library import CONSTANTS
from sotto._records import Reader, code_labels, label_set, labels

VALUES = np.arange(24, dtype=np.float64).reshape(6, 4)

TABLE = {
    "target": {"column": "ill", "labels": ["false", "true"]},
    "unit": {"column": "person", "rows": 2},
    "columns": [
        {"name": "person", "type": "id"},
        {"name": "age", "type": "number"},
        {"name": "town", "type": "category", "values": ["Lund", "Ystad", "3"]},
        {"name": "smokes", "type": "boolean"},
        {"name": "note", "type": "ignore"},
        {"name": "ill", "type": "boolean"},
    ],
}


@pytest.mark.parametrize("kind, name", [
    (np.float64, "SOTTO_FLOAT64"), (np.float32, "SOTTO_FLOAT32"), (np.int64, "SOTTO_INT64"),
    (np.int32, "SOTTO_INT32"), (np.uint8, "SOTTO_UINT8"), (np.bool_, "SOTTO_UINT8")])
def test_numbers_are_viewed_in_place(kind, name):
    values = VALUES.astype(kind)
    for same in (values, np.asfortranarray(values), values[::2], values[:, 1:3], values[::-1, ::-1]):
        ready = _arrays.readable(same)
        assert ready is same
        view = _arrays.view(ready)
        assert view.data == same.__array_interface__["data"][0]
        assert view.element == CONSTANTS[name]
        assert (view.rows, view.columns) == same.shape
        assert (view.row_stride_bytes, view.column_stride_bytes) == same.strides


def test_a_column_is_viewed_in_place():
    for same in (VALUES[:, 2], VALUES[::-2, 1]):
        view = _arrays.view(_arrays.readable(same))
        assert view.data == same.__array_interface__["data"][0]
        assert (view.rows, view.columns, view.row_stride_bytes) == (*same.shape, 1, *same.strides)


def test_a_frame_of_one_type_is_not_copied():
    frame = pd.DataFrame(VALUES, columns=list("abcd"))
    assert np.shares_memory(_arrays.matrix(frame), frame.to_numpy())


@pytest.mark.parametrize("values", [
    VALUES.astype(np.float16), VALUES.astype(np.int8), VALUES.astype(np.uint16),
    VALUES.astype(np.uint64), VALUES.astype(np.longdouble), VALUES.astype(">f8"),
    VALUES.astype(object), VALUES.astype(str), VALUES.tolist(),
    np.frombuffer(b"x" + VALUES.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(6, 4),
    pd.DataFrame({place: pd.array(VALUES[:, place], dtype="Float64") for place in range(4)}),
    pd.DataFrame({"a": VALUES[:, 0].astype(np.int8), "b": VALUES[:, 1].astype(str),
                  "c": VALUES[:, 2].astype(object), "d": VALUES[:, 3]}),
])
def test_other_numbers_are_converted_to_the_same_values(values):
    ready = _arrays.matrix(values)
    assert ready.dtype == np.float64 and ready.dtype.isnative and ready.flags.aligned
    np.testing.assert_array_equal(ready, VALUES)


def test_cells_that_are_no_numbers_are_missing():
    cells = np.array([1.5, "2.5", None, pd.NA, "x", {"foo": "bar"}, np.nan, True, b"7", 10**400],
                     dtype=object)
    nan = np.nan
    expected = [1.5, 2.5, nan, nan, nan, nan, nan, 1.0, 7.0, nan]
    np.testing.assert_array_equal(_arrays.number_cells(cells), expected)
    np.testing.assert_array_equal(_arrays.matrix(cells[:, None])[:, 0], expected)


def test_categories_are_told_by_their_spelling():
    categories = ["Lund", "1", "2.5", "True"]
    for cells, expected in [
        (np.array(["1", "Lund", "lund", " Lund", None], dtype=object), [1, 0, *[np.nan] * 3]),
        (np.array([1, 2]), [1, np.nan]),
        (np.array([1.0, 2.5, np.nan, np.inf]), [1, 2, np.nan, np.nan]),
        (np.array([True, False]), [3, np.nan]),
        (_arrays.column(pd.Series(["Lund", "x", None], dtype="category")), [0, np.nan, np.nan]),
        (_arrays.column(pd.Series(["Lund", "1", None], dtype="string")), [0, 1, np.nan]),
    ]:
        np.testing.assert_array_equal(_arrays.category_cells(cells, categories), expected)


def test_booleans_are_told_by_the_words_of_a_file():
    cells = np.array([True, "Yes", "f", 0, 1.0, "maybe", None, 7], dtype=object)
    np.testing.assert_array_equal(_arrays.boolean_cells(cells),
                                  [1, 1, 0, 0, 1, np.nan, np.nan, 7])
    np.testing.assert_array_equal(_arrays.boolean_cells(np.array([True, False])), [1, 0])


def test_units_have_one_code_each():
    numbers = np.array([7, 7, -2])
    assert _arrays.unit_codes(numbers) is numbers
    names = np.array(["p1", "p2", None, "p1", np.nan, pd.NA, ["odd"], 3, 3.0, "3"], dtype=object)
    assert _arrays.unit_codes(names).tolist() == [0, 1, 2, 0, 2, 2, 3, 4, 4, 4]


def frame():
    return pd.DataFrame({
        "smokes": ["no", "yes", None], "town": ["Ystad", "elsewhere", 3], "age": [20, "x", 40.5],
        "person": ["a", "b", "a"], "ill": [True, False, True]})


def test_a_frame_is_read_by_name():
    reader = Reader(TABLE, None, "Model")
    records, (cells, units) = reader.records_of(frame(), None, None)
    nan = np.nan
    expected = [[nan, 20, 1, 0, nan, 1], [nan, nan, nan, 1, nan, 0], [nan, 40.5, 2, nan, nan, 1]]
    np.testing.assert_array_equal(cells, expected)
    assert units.tolist() == [0, 1, 0]
    assert (records.features.rows, records.features.columns, records.labels.rows) == (3, 6, 0)
    assert (records.units.rows, records.units.element) == (3, CONSTANTS["SOTTO_INT64"])
    apart, _ = reader.records_of(frame().drop(columns="ill"), [True, False, True], [5, 6, 5])
    assert apart.features.rows == 3
    np.testing.assert_array_equal(
        reader.features_of(frame().drop(columns=["ill", "person"]))[:, :5], np.array(expected)[:, :5])


def test_an_array_is_read_by_place():
    reader = Reader(TABLE, None, "Model")
    numbers = np.array([[1, 20, 1, 0, 0, 1], [2, 30, 2, 1, 0, 0]], dtype=np.float64)
    assert reader.features_of(numbers) is numbers
    _, (cells, units) = reader.records_of(numbers[:, :5], ["yes", "no"], None)
    np.testing.assert_array_equal(cells[:, 1:4], numbers[:, 1:4])
    assert cells[:, 5].tolist() == [1, 0] and units.tolist() == [0, 1]
    objects = np.array([["a", "20", "Ystad", "no", "?"]], dtype=object)
    np.testing.assert_array_equal(reader.features_of(objects),
                                  [[np.nan, 20, 1, 0, np.nan, np.nan]])


@pytest.mark.parametrize("table, y, text", [
    (frame().drop(columns="age"), None, "X has no column 'age'"),
    (frame().assign(heigth=1), None, "X has a column 'heigth' that the schema does not have"),
    (frame(), [1, 0, 1], "given twice"),
    (frame().drop(columns="ill"), None, "requires y"),
    (frame().drop(columns="ill"), [1, 0], "inconsistent numbers of samples"),
    (pd.DataFrame([[1, 2]], columns=["age", "age"]), None, "two columns of the same name"),
    (VALUES, [1, 0, 1, 0, 1, 0], "X has 4 features, but Model is expecting 5"),
    (VALUES[0], [1], "Expected 2D array, got 1D array"),
    (VALUES + 0j, None, "4 features"),
])
def test_wrong_shapes_and_names_are_refused(table, y, text):
    with pytest.raises(ValueError, match=text):
        Reader(TABLE, None, "Model").records_of(table, y, None)


def test_labels_are_coded_by_the_classes():
    nan = np.nan
    assert code_labels(np.array([2, 5, 7]), [2, 5]).tolist() == [2, 5, 7]  # 7: none of the labels
    np.testing.assert_array_equal(
        code_labels(np.array(["no", "yes", "?", None, 3], dtype=object), ["no", "yes"]),
        [0, 1, nan, nan, nan])
    np.testing.assert_array_equal(
        code_labels(np.array([0, "1", None, "x"], dtype=object), [0, 1]), [0, 1, nan, nan])
    np.testing.assert_array_equal(  # no classes: numbers
        code_labels(np.array([0.25, "1", None, "x"], dtype=object), []), [0.25, 1, nan, nan])
    with pytest.raises(ValueError, match="numbers are learned"):
        code_labels(np.array(["0", "1"]), [])
    assert label_set(np.array(["b", "a", "b"]), binary=True) == ["a", "b"]
    assert label_set(np.array([True, False]), binary=True) == [False, True]
    assert label_set(np.array([3, 1, 2, 1]), binary=False) == [1, 2, 3]
    for y, classes in [(np.array([0, 1]), ["0", "1"]), (np.array(["0", "1"]), [0, 1])]:
        with pytest.raises(ValueError, match="give them alike"):
            code_labels(y, classes)


@pytest.mark.parametrize("y, text", [
    ([0.5, 1], "continuous"), ([1, np.nan], "continuous"), ([1, 2, 3], "Only binary"),
    ([1, 1], "one class"), ([], "no class"), (np.array([1, "a"], dtype=object), "mixes kinds")])
def test_a_label_set_that_is_no_pair_is_refused(y, text):
    with pytest.raises(ValueError, match=text):
        label_set(labels(np.asarray(y)), binary=True)
