"""Dates and moments: the same records from a file, from every library and from Python's own values."""

import datetime
import json
import os
import pathlib
import subprocess

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sotto
from sotto import _cells
from sources import QUIET, private

COMMAND = pathlib.Path(os.environ["SOTTO_BUILD"]) / "sotto"
pytestmark = QUIET

UNITS = ["day", "hour", "minute", "second", "millisecond", "microsecond"]
SCHEMA = {"dataset": "visits", "target": "ill", "columns": [
    {"name": "born", "type": "integer", "lower": -20000, "upper": 20000, "time_unit": "day"},
    {"name": "seen", "type": "number", "lower": 438000, "upper": 500000, "time_unit": "hour"},
    {"name": "ill", "type": "boolean"}]}


def made_rows():
    random = np.random.default_rng(11)
    rows = []
    for at in range(60):
        born = datetime.date(1930, 1, 1) + datetime.timedelta(days=int(random.integers(0, 34000)))
        seen = datetime.datetime(2019, 6, 1) + datetime.timedelta(
            microseconds=int(random.integers(0, 250_000_000_000_000)))
        rows.append((None if at == 7 else born, None if at in (3, 7) else seen, bool(random.integers(2))))
    rows[9] = (datetime.date(1850, 2, 28), datetime.datetime(1950, 1, 1), True)  # clipped
    return rows


ROWS = made_rows()
NAMES = ["born", "seen", "ill"]


def table(unit="us", zone=None, day=None):
    born, seen, ill = zip(*ROWS, strict=True)
    return pa.table({"born": pa.array(born, day or pa.date32()),
                     "seen": pa.array(seen, pa.timestamp("us")).cast(pa.timestamp(unit, zone), safe=False),
                     "ill": pa.array(ill)})


def frame(rows=ROWS):
    return pd.DataFrame(rows, columns=NAMES)


def model_of(source, **settings):
    members = json.loads(private(schema=SCHEMA, stored_table=True, **settings).fit(source).model_json_)
    del members["request"]["rows"], members["certificate"]["hash"], members["certificate"]["unprotected"]
    return members


@pytest.fixture(scope="module")
def expected():
    return model_of(table())


SOURCES = {
    "rows": lambda: ROWS,
    "pyarrow, nanoseconds": lambda: table("ns"),
    "pyarrow, zone": lambda: table("us", "Asia/Kathmandu"),
    "pyarrow, date64": lambda: table(day=pa.date64()),
    "pyarrow, dictionary": lambda: table().set_column(0, "born", table()["born"].dictionary_encode()),
    "polars": lambda: pl.from_arrow(table()),
    "DuckDB": lambda: duckdb.connect().from_arrow(table()),
    "pandas, objects": frame,
    "pandas": lambda: frame().astype({"born": "datetime64[s]", "seen": "datetime64[us]"}),
    "pandas, nanoseconds": lambda: frame().astype({"seen": "datetime64[us]"}).assign(
        seen=lambda of: of["seen"].astype("datetime64[ns]")),
    "pandas, zone": lambda: frame().astype({"seen": "datetime64[us]"}).assign(
        seen=lambda of: of["seen"].dt.tz_localize("UTC").dt.tz_convert("America/New_York")),
    "pandas, Arrow": lambda: table().to_pandas(types_mapper=pd.ArrowDtype),
    "texts": lambda: table().set_column(0, "born", table()["born"].cast(pa.string()))
    .set_column(1, "seen", table()["seen"].cast(pa.string())),
}


@pytest.mark.parametrize("name", list(SOURCES))
def test_a_library_changes_no_byte(name, expected):
    assert model_of(SOURCES[name]()) == expected


@pytest.mark.parametrize("write", ["pandas", "pandas, zone", "polars", "DuckDB", "JSON lines", "SQLite"])
def test_a_file_gives_what_a_stream_gives(write, expected, tmp_path):
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    path, more = tmp_path / "r.csv", []
    if write == "pandas":
        SOURCES["pandas"]().to_csv(path, index=False)
    elif write == "pandas, zone":
        SOURCES["pandas, zone"]().to_csv(path, index=False)
    elif write == "polars":
        pl.from_arrow(table()).write_csv(path)
    elif write == "DuckDB":
        duckdb.connect().from_arrow(table("us", "UTC")).write_csv(str(path))
    elif write == "JSON lines":
        path = tmp_path / "r.jsonl"
        path.write_text("".join(json.dumps(dict(zip(NAMES, row, strict=True)), default=str) + "\n"
                                for row in ROWS), encoding="utf-8")
    else:
        import sqlite3

        path, more = tmp_path / "r.db", ["--table", "r"]
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE r (born TEXT, seen TEXT, ill INTEGER)")
            database.executemany("INSERT INTO r VALUES (?, ?, ?)", [
                (born and str(born), seen and seen.isoformat(), ill) for born, seen, ill in ROWS])
    subprocess.run([COMMAND, "train", path, *more, "--schema", "schema.json", "--model", "logistic",
                    "--epsilon", "4", "--delta", "1e-6", "--method", "gd", "--steps", "1",
                    "--expected-rows", "60", "--insecure-test-seed", "5", "-o", "m.json"],
                   check=True, capture_output=True, cwd=tmp_path)
    made = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    for member in ("coefficients", "schema", "settings"):
        assert made[member] == expected[member]


def test_numbers_are_in_the_unit_already(expected):
    numbers = [(None if born is None else born.toordinal() - 719163,
                None if seen is None else (seen - datetime.datetime(1970, 1, 1))
                / datetime.timedelta(microseconds=1) / 3.6e9, ill) for born, seen, ill in ROWS]
    assert model_of(numbers) == expected


def test_predictions_take_dates(expected):
    model = private(schema=SCHEMA, stored_table=True).fit(table())
    for name, source in SOURCES.items():
        if name != "rows":
            np.testing.assert_array_equal(model.predict_proba(source()), model.predict_proba(table()))


def test_one_odd_cell_changes_no_other():
    """A text in a column of dates makes objects of them all."""
    for odd in ("yesterday", 3.5, object(), datetime.timedelta(1), datetime.time(1), np.datetime64("NaT")):
        changed = [list(row) for row in ROWS]
        changed[5][1] = odd
        value = odd if isinstance(odd, float) else None
        plain = [[*row[:1], value if at == 5 else row[1], row[2]] for at, row in enumerate(ROWS)]
        assert model_of(frame(changed)) == model_of(plain)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("kind", ["number", "integer"])
def test_python_and_c_read_a_moment_alike(unit, kind):
    """One cell by the library's reader of streams and by the conversion of Python: the same bits."""
    random = np.random.default_rng(5)
    texts = ["1969-12-31T23:59:59.999999999", "0001-01-01", "9999-12-31 23:59:59.999999999", "2026-02-29",
             "0000-01-01", "2026-01-01 24:00", "2026-01-01Z", "2026-03-01 12:30+05:30", "2026-03-01 12:30-0530",
             "2026-03-01 12:30+05:", "2026-03-01 12:30:00,5", "2026-03-01T12:30Z", "0001-01-01 00:00+01", "12.5",
             "2026-03-01 12:00:00.1234567891", "\u0662026-03-01", "x", "", " 2026-03-01\t"]
    for _ in range(500):
        moment = np.datetime64(int(random.integers(-62135596800, 253402300800)), "s")
        texts.append(f"{moment}.{random.integers(10**9):09d}"[:int(random.integers(17, 31))])
    schema = sotto.Schema({"columns": [{"name": "m", "type": kind, "lower": -2**52, "upper": 2**52,
                                        "missing": 1, "time_unit": unit}]})
    from sotto._arrow import Stream

    found = Stream(pa.table({"m": texts}).__arrow_c_stream__()).cells(schema.pointer)[:, 0]
    by_python = _cells.moments(texts, unit, kind == "integer")
    if kind == "integer":
        by_python = np.where(by_python == np.floor(by_python), by_python, np.nan)
    by_python = np.where(np.isnan(by_python), 1, np.clip(by_python, -2**52, 2**52))
    np.testing.assert_array_equal(found, by_python)


def test_without_a_unit_a_stream_of_dates_is_refused():
    plain = {**SCHEMA, "columns": [{name: value for name, value in column.items() if name != "time_unit"}
                                   for column in SCHEMA["columns"]]}
    with pytest.raises(sotto.InvalidArgumentError, match='the column \'born\' of the stream is a date; .*"time_unit": "day"'):
        private(schema=plain, stored_table=True).fit(table())


def test_conditions_compare_in_the_unit(tmp_path):
    """--where sees the number before it is clipped."""
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    frame().to_csv(tmp_path / "r.csv", index=False)
    chosen = frame([row for row in ROWS if row[0] is not None and row[0] < datetime.date(1900, 1, 1)])
    chosen.to_csv(tmp_path / "chosen.csv", index=False)

    def count(path, *more):
        return json.loads(subprocess.run(
            [COMMAND, "release", "count", path, *more, "--schema", "schema.json", "--epsilon", "1",
             "--insecure-test-seed", "3", "--json"], check=True, capture_output=True, cwd=tmp_path).stdout)["values"][0]

    assert count("r.csv", "--where", "born < -25567") == count("chosen.csv")
