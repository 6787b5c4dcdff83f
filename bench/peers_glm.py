"""Measure peers beside our solver, in one run: Adult, lambda = 1, unit rows, no intercept.

Run it with the Python of an environment that has scikit-learn, for example

    python3 -m venv VENV && VENV/bin/pip install scikit-learn
    VENV/bin/python bench/peers_glm.py build/release/bench/bench_glm DIR

DIR has adult-onehot/adult_train.libsvm.gz. Prints one JSON line per solver and storage: the time at the
loosest of its tolerances with which the norm of the gradient is at most 2^-20, as ours is; if there
is none, at its finest, with the norm it reached. Processor time of one thread, the best of five
fits, without reading the data. LIBLINEAR is the copy within scikit-learn.
"""

import json
import os
import subprocess
import sys
import time
import warnings

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

GOAL = 2.0**-20
TOLERANCES = [10.0**-k for k in range(3, 13)]
ROUNDS = 5


def gradient_norm(rows, labels, theta):
    slopes = -labels / (1.0 + numpy.exp(labels * (rows @ theta)))
    return float(numpy.linalg.norm(rows.T @ slopes + theta))


def fit_seconds(solver, tolerance, rows, labels):
    model = LogisticRegression(C=1.0, solver=solver, tol=tolerance, fit_intercept=False,
                               max_iter=100000)
    start = time.process_time()
    model.fit(rows, labels)
    return time.process_time() - start, model.coef_[0]


def measure(solver, rows, labels):
    for tolerance in TOLERANCES:
        _, theta = fit_seconds(solver, tolerance, rows, labels)
        norm = gradient_norm(rows, labels, theta)
        if norm <= GOAL:
            break
    seconds = min(fit_seconds(solver, tolerance, rows, labels)[0] for _ in range(ROUNDS))
    return seconds, norm


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, directory = sys.argv[1:]
    warnings.simplefilter("ignore")
    output = subprocess.run([program, directory], check=True, capture_output=True, text=True)
    lines = [json.loads(line) for line in output.stdout.splitlines()]
    ours = next(row for row in lines if row.get("data") == "adult" and row["threads"] == 1)
    rows, labels = load_svmlight_file(f"{directory}/adult-onehot/adult_train.libsvm.gz")
    rows = normalize(rows).tocsr()
    for solver in ("lbfgs", "liblinear", "newton-cholesky", "newton-cg"):
        for storage, matrix in (("sparse", rows), ("dense", rows.toarray())):
            seconds, norm = measure(solver, matrix, labels)
            print(json.dumps({
                "bench": "glm_solve", "peer": solver, "storage": storage,
                "seconds": seconds, "gradient": norm, "reached": norm <= GOAL,
                "ours_seconds": ours["seconds"], "ours_gradient": ours["gradient"],
                "ours_times_faster": seconds / ours["seconds"]}), flush=True)


if __name__ == "__main__":
    main()
