#!/usr/bin/env python3
"""Trains on Adult from every source of records; the model must be the same.

    PYTHONPATH=build/release/python VENV/bin/python bench/same_model.py DATA [--sotto build/sotto]

DATA has adult/adult-train.csv.gz. The environment has the packages of tests/python/requirements.txt. Tables (CSV, gzip, TSV,
semicolons, SQLite, JSON lines, pandas, polars, pyarrow, DuckDB) give the same model file with one test seed, apart from the
statement where the rows came from and the hash over it. Matrices (NPY, LIBSVM, NumPy, CSR) give the coefficients of a CSV with
the same columns.
"""

import argparse
import gzip
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse
import sotto

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "examples" / "adult.schema.json"
EPSILON, DELTA, SEED = 1.0, 1e-6, 7


# ---- trainings ----


def payload(text):
    """The model file without the origin of its rows: members that state it, and the hash over them."""
    members = json.loads(text)
    for name in ("rows", "source", "table", "where"):
        members["request"].pop(name, None)
    for name in ("hash", "unprotected", "accesses", "covered"):
        members["certificate"].pop(name, None)
    return members


def by_command(arguments, folder, schema, data, *options):
    output = folder / "model.json"
    command = [arguments.sotto, "train", data, "--schema", schema, "--model", "logistic", "--method", "objective",
               "--epsilon", str(EPSILON), "--delta", str(DELTA), "--insecure-test-seed", str(SEED), "-o", output,
               "--overwrite", *options]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    return output.read_text("utf-8")


def by_python(table, *labels, **settings):
    model = sotto.LogisticRegression(EPSILON, DELTA, method="objective", insecure_test_seed=SEED, stored_table=True,
                                     **settings)
    return model.fit(table, *labels).model_json_


# ---- tables ----


def write_tables(frame, rows, folder):
    """File name and further options of each format."""
    names = list(frame.columns)
    (folder / "adult.csv").write_text(rows, "utf-8")
    (folder / "adult.csv.gz").write_bytes(gzip.compress(rows.encode()))
    for name, delimiter in (("adult.tsv", "\t"), ("semicolon.csv", ";")):
        (folder / name).write_text(rows.replace(",", delimiter), "utf-8")
    with (folder / "adult.jsonl").open("w", encoding="utf-8") as file:
        for record in frame.to_dict("records"):
            file.write(json.dumps(record) + "\n")
    with sqlite3.connect(folder / "adult.db") as database:
        quoted = ", ".join(f'"{name}"' for name in names)
        database.execute(f"CREATE TABLE adult ({quoted})")
        database.executemany(f"INSERT INTO adult VALUES ({', '.join('?' * len(names))})",
                             frame.astype(object).itertuples(index=False, name=None))
    return [("CSV", "adult.csv"), ("gzip", "adult.csv.gz"), ("TSV", "adult.tsv"), ("semicolons", "semicolon.csv"),
            ("JSON lines", "adult.jsonl"), ("SQLite", "adult.db", "--table", "adult")]


def compare_tables(arguments, folder):
    rows = gzip.decompress((arguments.data / "adult" / "adult-train.csv.gz").read_bytes()).decode()
    path = folder / "adult.csv"
    path.write_text(rows, "utf-8")
    frame = pd.read_csv(path, keep_default_na=False)
    for name, file, *options in write_tables(frame, rows, folder):
        yield name, payload(by_command(arguments, folder, SCHEMA, folder / file, *options))
    schema = sotto.Schema(SCHEMA.read_text("utf-8"))
    permuted = frame[frame.columns[::-1]]
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    for name, table in (("pandas", frame), ("pandas, permuted", permuted), ("polars", pl.from_arrow(arrow)),
                        ("pyarrow", arrow), ("pyarrow, chunks", pa.Table.from_batches(arrow.to_batches(1000))),
                        ("DuckDB relation", duckdb.connect().from_arrow(arrow))):
        yield name, payload(by_python(table, schema=schema))


# ---- matrices ----


def write_matrices(features, labels, folder):
    count = features.shape[1]
    rule = {"row_norm": {"bound": 1.0, "rule": "scale"}, "intercept": 0}
    (folder / "matrix.schema.json").write_text(json.dumps({"features": count, "labels": [-1, 1], **rule}), "utf-8")
    columns = [{"name": f"x{i}", "type": "number", "lower": 0, "upper": 1, "missing": 0, "scale": "none"}
               for i in range(count)]
    target = {"column": "y", "labels": [-1, 1]}
    table = {"target": target, **rule,
             "columns": [*columns, {"name": "y", "type": "number", "lower": -1, "upper": 1}]}
    (folder / "table.schema.json").write_text(json.dumps(table), "utf-8")
    header = ",".join([*(f"x{i}" for i in range(count)), "y"])
    np.savetxt(folder / "matrix.csv", np.column_stack([features, labels]), "%.17g", ",", header=header, comments="")
    np.save(folder / "x.npy", features)
    np.save(folder / "y.npy", labels)
    with (folder / "matrix.libsvm").open("w", encoding="ascii") as file:
        for row, label in zip(features, labels):
            entries = " ".join(f"{i + 1}:{row[i]:.17g}" for i in np.flatnonzero(row))
            file.write(f"{label:.0f} {entries}\n")


def compare_matrices(arguments, folder):
    frame = pd.read_csv(folder / "adult.csv", keep_default_na=False)
    labels = np.where(frame["income"] == ">50K", 1.0, -1.0)
    numbers = frame[["age", "education-num", "hours-per-week"]].to_numpy() / np.array([90.0, 16.0, 99.0])
    features = np.hstack([numbers, pd.get_dummies(frame[["sex", "race", "relationship"]]).to_numpy(float)])
    write_matrices(features, labels, folder)

    def coefficients(text):
        return json.loads(text)["coefficients"]

    matrix = folder / "matrix.schema.json"
    yield "CSV of the matrix", coefficients(by_command(arguments, folder, folder / "table.schema.json",
                                                       folder / "matrix.csv"))
    yield "NPY", coefficients(by_command(arguments, folder, matrix, folder / "x.npy", "--labels", folder / "y.npy"))
    yield "LIBSVM", coefficients(by_command(arguments, folder, matrix, folder / "matrix.libsvm"))
    schema = sotto.Schema(matrix.read_text("utf-8"))
    yield "NumPy", coefficients(by_python(features, labels, schema=schema))
    yield "CSR", coefficients(by_python(scipy.sparse.csr_array(features), labels, schema=schema))


def judge(models):
    first, differences = None, 0
    for name, model in models:
        first = model if first is None else first
        same = model == first
        differences += not same
        print(f"{name:<20} {'same' if same else 'DIFFERENT'}", flush=True)
        if not same and isinstance(model, dict):
            print("  ", {key: (first[key], model.get(key)) for key in first if model.get(key) != first[key]})
    return differences


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path, help="folder with adult/adult-train.csv.gz")
    parser.add_argument("--sotto", default=str(ROOT / "build" / "sotto"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        differences = judge(compare_tables(arguments, pathlib.Path(folder)))
        differences += judge(compare_matrices(arguments, pathlib.Path(folder)))
    print(f"same model: {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
