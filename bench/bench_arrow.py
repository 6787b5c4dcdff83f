#!/usr/bin/env python3
"""Time of the hand-over of one table of doubles, as a NumPy array and by the Arrow C stream interface.

    PYTHONPATH=build/release/python python3 bench/bench_arrow.py [--rows N] [--columns D] [--repeats R] [--matrix]

One step of noisy gradient descent on the same rows, under a test seed: what differs is how the rows come to the matrix.
The two ways alternate in one run, and the least time of each counts. The models must be equal bit by bit. Needs
pyarrow. Prints one line of JSON with the times in seconds and their ratio.
"""

import argparse
import json
import time
import warnings

import numpy as np
import pyarrow as pa
import sotto


def fitted(rows, y, public):
    """A training of one step; its time is that of the hand-over and of one pass."""
    model = sotto.LogisticRegression(
        1.0, 1e-6, classes=[0, 1], method="gd", steps=1, expected_rows=len(y), insecure_test_seed=1,
        **public)
    start = time.perf_counter()
    model.fit(rows, y)
    return time.perf_counter() - start, model.coef_


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--matrix", action="store_true", help="a bound on the norm in place of bounds")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    random = np.random.default_rng(1)
    X = random.normal(size=(asked.rows, asked.columns))
    y = (X[:, 0] > 0).astype(np.int64)
    names = [f"x{place}" for place in range(asked.columns)]
    tables = {"numpy": X, "numpy_by_columns": np.asfortranarray(X),
              "arrow": pa.table({name: np.ascontiguousarray(column)
                                 for name, column in zip(names, X.T, strict=True)})}
    public = {"data_norm": 8.0} if asked.matrix else {"bounds": (-4.0, 4.0)}
    times = {name: [] for name in tables}
    found = {}
    for _ in range(asked.repeats):
        for name, table in tables.items():
            seconds, found[name] = fitted(table, y, public)
            times[name].append(seconds)
    for name in ("numpy_by_columns", "arrow"):
        if not np.array_equal(found[name], found["numpy"]):
            raise SystemExit(f"the rows by {name} gave another model")
    least = {name: min(all_times) for name, all_times in times.items()}
    print(json.dumps({"bench": "arrow", "rows": asked.rows, "columns": asked.columns,
                      **{f"{name}_seconds": round(value, 4) for name, value in least.items()},
                      "ratio": round(least["arrow"] / least["numpy"], 3)}))


if __name__ == "__main__":
    main()
