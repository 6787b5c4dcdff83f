"""The SQL expression of a model, run by engines: the same predictions for every cell."""

import math
import sqlite3

import duckdb
import pytest
import sotto
from postgres import server

TABLE = "odd \"table\""
COLUMNS = [
    {"name": "age", "type": "number", "lower": 18, "upper": 90, "missing": 45},
    {"name": "do\"se", "type": "number", "lower": -0.3, "upper": 1.7, "missing": 0.2,
     "scale": "unit"},
    {"name": "visits", "type": "integer", "lower": 0, "upper": 12, "missing": 3},
    {"name": "town", "type": "category", "values": ["Lund", "O'Brien", "Å\\n", "-- "],
     "missing": "Lund"},
    {"name": "member", "type": "boolean", "missing": True},
]
TARGETS = {
    "logistic": {"name": "smokes", "type": "boolean"},
    "svm": {"name": "smokes", "type": "boolean"},
    "linear": {"name": "income", "type": "number", "lower": -5, "upper": 37},
    "huber": {"name": "income", "type": "number", "lower": -5, "upper": 37},
    "poisson": {"name": "claims", "type": "integer", "lower": 0, "upper": 9},
    "additive": {"name": "smokes", "type": "boolean"},
    "additive-number": {"name": "income", "type": "number", "lower": -5, "upper": 37},
}
NORMS = [None, {"bound": 0.8, "rule": "clip"}, {"bound": 1.3, "rule": "scale"}]
INFINITY = float("inf")


def rows():
    """Every column has each of its odd cells beside plain ones."""
    ages = [25.5, 18, 90, 17.999, 90.001, -1e300, 1e300, None, math.nan, INFINITY, -INFINITY, 53.25]
    doses = [0.1, -0.3, 1.7, -4.0, 1e9, None, 0.7]
    visits = [0, 12, 13, -1, None, 7, 2**40, 5]
    towns = ["Lund", "O'Brien", "Å\\n", " Lund\t", "lund", "", None, "--", "elsewhere"]
    members = [True, False, None]
    return [(ages[i % 12], doses[i % 7], visits[i % 8], towns[i % 9], members[i % 3])
            for i in range(600)]


def model_of(kind, norm):
    """Trained on made-up rows without privacy: only the file matters here."""
    target = TARGETS[kind]
    schema = {"dataset": "odd", "target": target["name"], "intercept": 1, "columns": [*COLUMNS, target]}
    if norm is not None:
        schema["row_norm"] = norm
    names = [column["name"] for column in schema["columns"]]
    random = [(i * 7919 % 1000) / 1000 for i in range(1200)]
    table = []
    for at, row in enumerate(rows()):
        score = random[at] + (0.5 if row[3] == "Lund" else 0) + (row[2] or 0) % 13 / 12
        answer = {"smokes": score > 0.9, "income": 10 * score, "claims": int(4 * score)}
        table.append(dict(zip(names, [*row, answer[target["name"]]], strict=True)))
    makers = {"logistic": sotto.LogisticRegression, "svm": sotto.LinearSVC, "linear": sotto.LinearRegression,
              "huber": sotto.HuberRegressor, "poisson": sotto.PoissonRegressor,
              "additive": sotto.AdditiveClassifier, "additive-number": sotto.AdditiveRegressor}
    made = makers[kind](epsilon=3.0, delta=1e-6, schema=schema, insecure_test_seed=5, threads=1)
    return made.fit(table).model_, names[:-1]


def predicted(model, names):
    table = [dict(zip(names, row, strict=True)) for row in rows()]
    if model.kind in ("logistic", "additive") and model.classes_ is not None:
        return [float(value) for value in model.predict_proba(table)[:, 1]]
    if model.classes_ is not None:
        return [float(value) for value in model.decision_function(table)]
    return [float(value) for value in model.predict(table)]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def tables():
    """The kinds of table in one engine: name, types of the columns."""
    return {
        "sqlite": ("REAL", "REAL", "INTEGER", "TEXT", "INTEGER"),
        "duckdb": ("DOUBLE", "DOUBLE", "BIGINT", "VARCHAR", "BOOLEAN"),
        "postgresql": ("double precision", "double precision", "bigint", "text", "boolean"),
        "postgresql-numeric": ("numeric", "numeric", "numeric", "varchar(20)", "smallint"),
    }


def create(types, names):
    return f"CREATE TABLE {quoted(TABLE)} (place INTEGER, " + ", ".join(
        f"{quoted(name)} {kind}" for name, kind in zip(names, types, strict=True)) + ")"


def by_sqlite(expression, names, types):
    base = sqlite3.connect(":memory:")
    base.execute(create(types, names))
    base.executemany(f"INSERT INTO {quoted(TABLE)} VALUES (?, ?, ?, ?, ?, ?)",
                     [(at, *row) for at, row in enumerate(rows())])
    return [row[0] for row in base.execute(f"SELECT {expression} FROM {quoted(TABLE)} ORDER BY place")]


def by_duckdb(expression, names, types):
    base = duckdb.connect()
    base.execute(create(types, names))
    base.executemany(f"INSERT INTO {quoted(TABLE)} VALUES (?, ?, ?, ?, ?, ?)",
                     [(at, *row) for at, row in enumerate(rows())])
    return [row[0] for row in
            base.execute(f"SELECT {expression} FROM {quoted(TABLE)} ORDER BY place").fetchall()]


def literal(cell):
    if cell is None:
        return "NULL"
    if isinstance(cell, bool):
        return "'true'" if cell else "'false'"
    if isinstance(cell, float):
        return {INFINITY: "'Infinity'", -INFINITY: "'-Infinity'"}.get(cell, "'NaN'" if math.isnan(cell)
                                                                    else repr(cell))
    return "'" + cell.replace("'", "''") + "'" if isinstance(cell, str) else str(cell)


@pytest.fixture(scope="module", name="postgres")
def _postgres():
    with server() as made:
        yield made


def by_postgres(postgres, expression, names, types):
    whole = types[4] == "boolean"
    values = ",\n".join(
        f"({at}, " + ", ".join(literal(cell) for cell in row[:4]) + ", "
        + (literal(row[4]) if whole or row[4] is None else str(int(row[4]))) + ")"
        for at, row in enumerate(rows()))
    answer = postgres.sql(f"DROP TABLE IF EXISTS {quoted(TABLE)};\n{create(types, names)};\n"
                          f"INSERT INTO {quoted(TABLE)} VALUES {values};\n"
                          f"SELECT {expression} FROM {quoted(TABLE)} ORDER BY place;\n")
    return [float(row[0]) for row in answer]


def tolerance(expression):
    """Rounding, and what the expression says of rows that it shortens."""
    found = [line for line in expression.splitlines() if "differs from" in line]
    return 1e-12 + (float(found[0].split()[-1].strip("().")) if found else 0.0)


def check(model, expression, names, answer):
    expected = predicted(model, names)
    # A number is the score times half the width of the target; no score of a count is above log(9).
    factor = 21.0 if "income" in expression.splitlines()[0] else 9.0
    bound = factor * tolerance(expression)
    assert len(answer) == len(expected)
    for at, (got, wanted) in enumerate(zip(answer, expected, strict=True)):
        assert abs(got - wanted) <= bound, (at, rows()[at], got, wanted)
    # The rows have many different predictions: a constant would not pass.
    assert len({round(value, 6) for value in expected}) > 60


def cases():
    return [(kind, norm) for kind in TARGETS for norm in (NORMS if "additive" not in kind else [None])]


@pytest.mark.parametrize(("kind", "norm"), cases())
def test_engines_predict_what_sotto_predicts(kind, norm):
    model, names = model_of(kind, norm)
    expression = model.export_sql(TABLE)
    for engine, run in (("sqlite", by_sqlite), ("duckdb", by_duckdb)):
        check(model, expression, names, run(expression, names, tables()[engine]))


@pytest.mark.parametrize(("kind", "norm"), cases())
def test_postgresql_predicts_what_sotto_predicts(postgres, kind, norm):
    model, names = model_of(kind, norm)
    expression = model.export_sql(TABLE)
    for engine in ("postgresql", "postgresql-numeric"):
        check(model, expression, names, by_postgres(postgres, expression, names, tables()[engine]))


def test_columns_without_a_table_stand_alone():
    model, names = model_of("linear", None)
    expression = model.export_sql()
    assert TABLE.replace('"', '""') not in expression
    check(model, expression, names, by_sqlite(expression, names, tables()["sqlite"]))


def test_text_in_a_column_of_numbers_is_missing_in_sqlite():
    model, names = model_of("logistic", None)
    expression = model.export_sql(TABLE)
    base = sqlite3.connect(":memory:")
    base.execute(create(("TEXT", "", "", "TEXT", ""), names))
    base.execute(f"INSERT INTO {quoted(TABLE)} VALUES (0, 'forty', 'x', '', 'Lund', 1)")
    base.execute(f"INSERT INTO {quoted(TABLE)} VALUES (1, NULL, NULL, NULL, 'Lund', 1)")
    # A number in a column of texts is a text there.
    base.execute(f"INSERT INTO {quoted(TABLE)} VALUES (2, 39, NULL, NULL, 'Lund', 1)")
    found = [row[0] for row in base.execute(f"SELECT {expression} FROM {quoted(TABLE)} ORDER BY place")]
    assert found[0] == found[1] == found[2]


def test_a_missing_column_is_an_error_with_the_table():
    model, names = model_of("logistic", None)
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE other (age REAL)")
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        base.execute(f"SELECT {model.export_sql('other')} FROM other")


@pytest.mark.parametrize(("connect", "width"), [(sqlite3.connect, 900), (duckdb.connect, 60)])
@pytest.mark.parametrize("norm", [None, {"bound": 3.0, "rule": "clip"}])
def test_wide_models_are_read_by_the_engines(connect, width, norm):
    names = [f"x{at}" for at in range(width)]
    schema = {"dataset": "wide", "target": "y", "columns": [
        *[{"name": name, "type": "number", "lower": 0, "upper": 1} for name in names],
        {"name": "y", "type": "boolean"}]}
    if norm is not None:
        schema["row_norm"] = norm
    table = [dict.fromkeys(names, (at % 10) / 10) | {"y": at % 10 > 4} for at in range(200)]
    model = sotto.LogisticRegression(epsilon=3.0, delta=1e-6, schema=schema, insecure_test_seed=5,
                                     threads=1).fit(table).model_
    expression = model.export_sql("wide")
    base = connect(":memory:")
    base.execute("CREATE TABLE wide (" + ", ".join(f"{name} DOUBLE" for name in names) + ")")
    for row in table[:10]:
        base.execute("INSERT INTO wide VALUES (" + ", ".join(str(row[name]) for name in names) + ")")
    found = base.execute(f"SELECT {expression} FROM wide").fetchall()
    for got, wanted in zip(found, model.predict_proba(table[:10])[:, 1], strict=True):
        assert abs(got[0] - wanted) <= tolerance(expression)


def test_other_models_are_refused():
    schema = {"dataset": "odd", "target": "town", "columns": COLUMNS}
    table = [dict(zip([column["name"] for column in COLUMNS], row, strict=True)) for row in rows()]
    model = sotto.SoftmaxRegression(epsilon=3.0, delta=1e-6, schema=schema, insecure_test_seed=5,
                                    threads=1).fit(table).model_
    with pytest.raises(sotto.SottoError, match="a score for each class"):
        model.export_sql()
    dated = [{"name": "seen", "type": "number", "lower": 0, "upper": 40000, "time_unit": "day"},
             {"name": "y", "type": "boolean"}]
    model = sotto.LogisticRegression(
        epsilon=3.0, delta=1e-6, schema={"dataset": "odd", "target": "y", "columns": dated},
        insecure_test_seed=5, threads=1).fit([{"seen": at, "y": at % 2 == 0} for at in range(50)]).model_
    with pytest.raises(sotto.SottoError, match="dates"):
        model.export_sql()
