"""Rows reach the library where they lie, or as the cells they mean."""

import datetime
import decimal
import enum
import uuid

import numpy as np
import pandas as pd
import pytest
from sotto import _arrays, _cells
from sotto._library import CONSTANTS
from sotto._records import Reader, code_labels, label_set, labels
from sotto._tables import read

VALUES = np.arange(24, dtype=np.float64).reshape(6, 4)
NAN = np.nan

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


def ids_of(cells):
    """Ids as texts."""
    found = _cells.ids(cells)
    if found.dtype == np.int64:
        return [str(number) for number in found.tolist()]
    return [bytes(row).rstrip(b"\0").decode("utf-8", "surrogatepass") for row in found]


# ---- arrays ----


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
        view = _arrays.view(_arrays.numbers(same))
        assert view.data == same.__array_interface__["data"][0]
        assert (view.rows, view.columns, view.row_stride_bytes) == (*same.shape, 1, *same.strides)


def test_a_frame_of_one_type_is_not_copied():
    frame = pd.DataFrame(VALUES, columns=list("abcd"))
    assert np.shares_memory(_arrays.matrix(read(frame)), frame.to_numpy())


@pytest.mark.parametrize("values", [
    VALUES.astype(np.float16), VALUES.astype(np.int8), VALUES.astype(np.uint16),
    VALUES.astype(np.uint64), VALUES.astype(np.longdouble), VALUES.astype(">f8"),
    VALUES.astype(object), VALUES.astype(str), VALUES.tolist(), VALUES.astype(complex),
    np.ma.MaskedArray(VALUES, VALUES < 0), VALUES.astype("S"),
    np.frombuffer(b"x" + VALUES.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(6, 4),
    pd.DataFrame({place: pd.array(VALUES[:, place], dtype="Float64") for place in range(4)}),
    pd.DataFrame({"a": VALUES[:, 0].astype(np.int8), "b": VALUES[:, 1].astype(str),
                  "c": VALUES[:, 2].astype(object), "d": VALUES[:, 3]}),
])
def test_other_numbers_are_converted_to_the_same_values(values):
    ready = _arrays.matrix(read(values).with_width_of_most())
    assert ready.dtype == np.float64 and ready.dtype.isnative and ready.flags.aligned
    np.testing.assert_array_equal(ready, VALUES)


# ---- cells ----


class Colour(enum.IntEnum):
    RED = 7


class Word(str):
    __slots__ = ()

    def __eq__(self, other):
        raise ValueError

    __hash__ = None


def test_cells_that_are_no_numbers_are_missing():
    cells = [1.5, "2.5", None, pd.NA, "x", {"foo": "bar"}, NAN, True, b"7", 10**400, " 8\t", 3 + 0j, 3j,
             decimal.Decimal("2.25"), decimal.Decimal("sNaN"), np.float32(0.5), np.array([1.0]),
             Colour.RED, Word("9"), "1_0", "0x10", "nan", "inf", "1e400", "\u0661", "-.5e+1", "", [1.0],
             np.datetime64("2026"), np.timedelta64(5, "s"), datetime.date(2026, 1, 1), "9" * 2049]
    expected = [1.5, 2.5, NAN, NAN, NAN, NAN, NAN, 1, 7, NAN, 8, 3, NAN, 2.25, NAN, 0.5, NAN, 7, 9,
                NAN, NAN, NAN, NAN, np.inf, NAN, -5, *[NAN] * 6]
    np.testing.assert_array_equal(_cells.numbers(cells), expected)
    rows = [[cell] for cell in cells]
    np.testing.assert_array_equal(_arrays.matrix(read(rows).with_width(1))[:, 0], expected)


def test_a_value_has_one_spelling():
    decimals = decimal.Decimal
    for spelling, cells in {
        "1": [1, 1.0, True, np.int8(1), np.float32(1), np.bool_(True), decimals("1.00"), "1", b" 1 ",
              decimals("10E-1"), 1 + 0j],
        "0": [0, -0.0, False, decimals("-0.00"), decimals("0E+5"), "0"],
        "-12.5": [-12.5, decimals("-12.50"), "-12.5", np.float64(-12.5)],
        "0.0001": [0.0001, decimals("1E-4")],
        "1e-5": [0.00001, decimals("0.00001")],
        "1.25e-300": [1.25e-300, decimals("1.250E-300")],
        "9007199254740993": [2**53 + 1, np.uint64(2**53 + 1), decimals(2**53 + 1)],
        "18446744073709551615": [2**64 - 1, np.uint64(2**64 - 1), decimals(2**64 - 1)],
        "100000000000000000000": [1e20, 10**20, decimals("1E+20")],
        "inf": [np.inf, decimals("Infinity")],
        "2026-03-01": [datetime.date(2026, 3, 1), datetime.datetime(2026, 3, 1),
                       pd.Timestamp("2026-03-01"), np.datetime64("2026-03"), "2026-03-01",
                       np.datetime64("2026-03-01T00:00:00.000000000")],
        "2026-03-01 12:30:00.25": [
            datetime.datetime(2026, 3, 1, 12, 30, 0, 250000),
            np.datetime64("2026-03-01T12:30:00.250000000"), pd.Timestamp("2026-03-01 12:30:00.25"),
            pd.Timestamp("2026-03-01 13:30:00.25", tz="Europe/Stockholm")],
        "12:30:00": [datetime.time(12, 30)],
        "12345678-1234-5678-1234-567812345678": [
            uuid.UUID("12345678-1234-5678-1234-567812345678")],
        "Lund": ["Lund", "\tLund ", b"Lund", np.str_("Lund"), np.bytes_(b"Lund"), Word("Lund")],
    }.items():
        assert {_cells.spelling_of(_cells.value_of(cell)) for cell in cells} == {spelling}
        assert set(ids_of(cells)) == {spelling}
    for missing in (None, NAN, pd.NA, pd.NaT, decimals("NaN"), decimals("-sNaN"), "", " \t", 1j, [], {},
                    np.array([1, 2]), 10**300, -10**5000, decimals("1E+999999999"), 1e301, object(),
                    np.datetime64("NaT"), np.timedelta64(3, "D"), datetime.timedelta(1)):
        assert _cells.spelling_of(_cells.value_of(missing)) is None
        assert ids_of([missing]) == [""]


def test_a_float_is_spelled_as_the_library_spells_it(tmp_path):
    """The SQLite reader takes 0.1 as "0.1", 1e-7 as "1e-7", 3.0 as "3" (src/data/readers/sqlite/query.c)."""
    random = np.random.default_rng(3)
    values = np.concatenate([random.normal(size=200) * 10.0 ** random.integers(-30, 15, 200),
                             [0.1, 1e-7, 3.0, -2.0**62, 123456789.25, 5e-324]])
    for value in values.tolist():
        spelled = _cells.spelling_of(value)
        assert float(spelled) == value
        assert spelled == (str(int(value)) if value == int(value) else
                           repr(value).replace("e-0", "e-").replace("e+0", "e").replace("e+", "e"))


def test_categories_are_told_by_their_spelling():
    categories = ["Lund", "1", "2.5", "True"]
    for cells, expected in [
        (["1", "Lund", "lund", " Lund", None], [1, 0, NAN, 0, NAN]),
        (np.array([1, 2]), [1, NAN]),
        (np.array([1.0, 2.5, NAN, np.inf]), [1, 2, NAN, NAN]),
        (np.array([True, False]), [1, NAN]),
        (np.array([b"Lund", b"1"]), [0, 1]),
        (np.ma.MaskedArray([1, 1], [False, True]), [1, NAN]),
        (read(pd.DataFrame({"a": pd.Series(["Lund", "x", None], dtype="category")})).column(0),
         [0, NAN, NAN]),
        (read(pd.DataFrame({"a": pd.Series(["Lund", "1", None], dtype="string")})).column(0),
         [0, 1, NAN]),
    ]:
        np.testing.assert_array_equal(_cells.places(cells, categories), expected)
    for names in (["0", "1"], ["false", "true"], ["False", "True"]):
        np.testing.assert_array_equal(_cells.places([True, False, np.bool_(True)], names), [1, 0, 1])


def test_booleans_are_told_by_the_words_of_a_file():
    cells = [True, "Yes", "f", 0, 1.0, "maybe", None, 7, decimal.Decimal("1.0"), "1.0"]
    np.testing.assert_array_equal(_cells.truths(cells), [1, 1, 0, 0, 1, NAN, NAN, 7, 1, NAN])
    np.testing.assert_array_equal(_cells.truths(np.array([True, False])), [1, 0])


def test_an_id_is_the_same_in_every_type_of_column():
    numbers = np.array([7, 7, -2])
    assert _cells.ids(numbers) is numbers
    for same in (numbers, numbers.astype(float), numbers.astype(object), numbers.astype(str),
                 numbers.astype("S"), numbers.tolist(), numbers.astype(np.int8),
                 np.ma.MaskedArray(numbers, False), numbers.astype(complex)):
        assert ids_of(same) == ["7", "7", "-2"]
    names = ["p1", "p2", None, "p1", NAN, pd.NA, ["odd"], 3, 3.0, "3", "x" * 300, "\udc80", "å" * 200]
    assert ids_of(names)[:12] == ["p1", "p2", "", "p1", "", "", "", "3", "3", "3", "x" * 256, "\udc80"]
    large = np.array([2**53, 2**53 + 1, 2**63, 2**63 + 1], dtype=np.uint64)
    assert len(set(ids_of(large))) == 4
    assert ids_of(np.ma.MaskedArray(large, [False, True, False, True]))[1::2] == ["", ""]
    assert ids_of([]) == [] and ids_of([None]) == [""]


# ---- tables ----


def frame():
    return pd.DataFrame({
        "smokes": ["no", "yes", None], "town": ["Ystad", "elsewhere", 3], "age": [20, "x", 40.5],
        "person": ["a", "b", "a"], "ill": [True, False, True]})


def test_a_frame_is_read_by_name():
    reader = Reader(TABLE, None, "Model")
    records, (cells, units) = reader.records_of(frame(), None, None)
    expected = [[NAN, 20, 1, 0, NAN, 1], [NAN, NAN, NAN, 1, NAN, 0], [NAN, 40.5, 2, NAN, NAN, 1]]
    np.testing.assert_array_equal(cells, expected)
    assert units.tolist() == [[ord("a")], [ord("b")], [ord("a")]]
    assert (records.features.rows, records.features.columns, records.labels.rows) == (3, 6, 0)
    assert (records.units.rows, records.units.element) == (3, CONSTANTS["SOTTO_UINT8"])
    assert not records.selected
    apart, _ = reader.records_of(frame().drop(columns=["ill", "person"]), [True, False, True],
                                 np.array([5, 6, 5]))
    assert apart.features.rows == 3
    assert apart.units.element == CONSTANTS["SOTTO_INT64"]
    np.testing.assert_array_equal(
        next(reader.features_of(frame().drop(columns=["ill", "person"])))[:, :5],
        np.array(expected)[:, :5])


def test_an_array_is_read_by_place():
    reader = Reader(TABLE, None, "Model")
    numbers = np.array([[1, 20, 1, 0, 0, 1], [2, 30, 2, 1, 0, 0]], dtype=np.float64)
    _, (cells, units) = reader.records_of(numbers, None, None)
    np.testing.assert_array_equal(cells[:, [1, 3, 5]], numbers[:, [1, 3, 5]])
    assert np.isnan(cells[:, 2]).all()  # no town is called 1 or 2
    assert bytes(units).replace(b"\0", b"") == b"12"
    _, (apart, units) = reader.records_of(numbers[:, :5], numbers[:, 5], None)
    np.testing.assert_array_equal(apart, cells)
    plain = {**TABLE, "columns": [column for column in TABLE["columns"]
                                  if column["type"] != "category"]}
    assert next(Reader(plain, None, "Model").features_of(numbers[:, :5].copy())).flags.c_contiguous
    names = np.array([["p", "20", "Lund", "no", "", "t"], ["p", 30, "Ystad", True, 0, "f"]],
                     dtype=object)
    _, (cells, units) = reader.records_of(names, None, None)
    np.testing.assert_array_equal(cells[:, [1, 2, 3, 5]], [[20, 0, 0, 1], [30, 1, 1, 0]])
    assert bytes(units) == b"pp"
    _, (from_list, _) = reader.records_of(names.tolist(), None, None)
    np.testing.assert_array_equal(from_list, cells)


@pytest.mark.parametrize("table, y, text", [
    (frame().assign(more=1), None, "'more'"),
    (frame().drop(columns="age"), None, "no column 'age'"),
    (frame(), [True] * 3, "given twice"),
    (frame().drop(columns="ill"), None, "requires y to be passed"),
    (frame().drop(columns="ill"), [True] * 2, "inconsistent numbers"),
    (pd.concat([frame(), frame()], axis=1), None, "same name"),
    (np.zeros((2, 7)), None, "7 features"),
    (VALUES, [1, 0, 1, 0, 1, 0], "X has 4 features, but Model is expecting 5"),
    (VALUES[0], [1], "Expected 2D array, got 1D array"),
    (VALUES + 0j, [0] * 6, "4 features"),
    (frame().rename(columns={"age": 3}), None, "column name 3, which is no text"),
])
def test_wrong_tables_are_refused(table, y, text):
    with pytest.raises(ValueError, match=text):
        Reader(TABLE, None, "Model").records_of(table, y, None)


# ---- labels ----


def test_labels_are_coded_by_the_classes():
    assert code_labels(np.array([2, 5, 7]), [2, 5]).tolist() == [2, 5, 7]  # 7: none of the labels
    np.testing.assert_array_equal(
        code_labels(["no", "yes", "?", None, 3], ["no", "yes"]), [0, 1, NAN, NAN, NAN])
    np.testing.assert_array_equal(code_labels([0, "1", None, "x"], [0, 1]), [0, 1, NAN, NAN])
    np.testing.assert_array_equal(  # no classes: numbers
        code_labels([0.25, "1", None, "x"], []), [0.25, 1, NAN, NAN])
    np.testing.assert_array_equal(code_labels(["yes", False, 1, 2], [False, True]), [1, 0, 1, 2])
    for y in (np.array([0, 1]), np.array(["0", "1"]), np.array([0.0, 1.0]), [0, "1"], [False, True]):
        np.testing.assert_array_equal(code_labels(y, ["0", "1"]), [0, 1])
        np.testing.assert_array_equal(code_labels(y, [0, 1]), [0, 1])


def test_the_labels_of_public_rows_are_found():
    assert label_set(labels(np.array(["b", "a", "b"])), binary=True) == ["a", "b"]
    assert label_set(labels(np.array([True, False])), binary=True) == [False, True]
    assert label_set(labels([3, 1, 2, 1]), binary=False) == [1, 2, 3]


@pytest.mark.parametrize("y, text", [
    ([0.5, 1], "continuous"), ([1, np.nan], "continuous"), ([1, 2, 3], "Only binary"),
    ([1, 1], "one class"), ([], "no class"), (np.array([1, "a"], dtype=object), "mixes kinds")])
def test_a_label_set_that_is_no_pair_is_refused(y, text):
    with pytest.raises(ValueError, match=text):
        label_set(labels(y), binary=True)
