"""Measure a peer beside our solver, in one run: MNIST, unit rows, no intercept, ten classes.

Run it with the Python of an environment that has scikit-learn, for example

    python3 -m venv VENV && VENV/bin/pip install scikit-learn
    VENV/bin/python bench/peers_softmax.py build/release/bench/bench_softmax DIR

DIR has mnist/train-images-idx3-ubyte.gz and its labels. Prints one JSON line per lambda, solver and
tolerance: the processor time of one thread, without reading the data, and the norm of the gradient
that was reached, beside our time to a proven norm of 2^-20.
"""

import gzip
import json
import os
import subprocess
import sys
import time
import warnings

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

GOAL = 2.0**-20
TOLERANCES = [1e-4, 1e-8, 1e-12]
SOLVERS = ["lbfgs", "newton-cg"]


def load(directory, name, header):
    with gzip.open(f"{directory}/mnist/{name}") as file:
        return numpy.frombuffer(file.read(), numpy.uint8, offset=header)


def gradient_norm(rows, labels, theta, strength):
    margins = rows @ theta.T
    slopes = numpy.exp(margins - margins.max(axis=1, keepdims=True))
    slopes /= slopes.sum(axis=1, keepdims=True)
    slopes[numpy.arange(len(labels)), labels] -= 1.0
    return float(numpy.linalg.norm(slopes.T @ rows + strength * theta))


def measure(solver, strength, tolerance, rows, labels):
    model = LogisticRegression(C=1.0 / strength, solver=solver, tol=tolerance,
                               fit_intercept=False, max_iter=20000)
    start = time.process_time()
    model.fit(rows, labels)
    seconds = time.process_time() - start
    return seconds, gradient_norm(rows, labels, model.coef_, strength)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, directory = sys.argv[1:]
    warnings.simplefilter("ignore")
    output = subprocess.run([program, directory], check=True, capture_output=True, text=True)
    lines = [json.loads(line) for line in output.stdout.splitlines()]
    ours = {line["lambda"]: line for line in lines if line.get("data") == "mnist"
            and line["bench"] == "softmax_solve" and line["threads"] == 1}
    pixels = load(directory, "train-images-idx3-ubyte.gz", 16).reshape(60000, 784)
    labels = load(directory, "train-labels-idx1-ubyte.gz", 8).astype(int)
    rows = normalize(pixels.astype(numpy.float64))
    for strength, line in ours.items():
        for solver in SOLVERS:
            for tolerance in TOLERANCES:
                seconds, norm = measure(solver, strength, tolerance, rows, labels)
                print(json.dumps({
                    "bench": "softmax_solve", "peer": solver, "lambda": strength,
                    "tolerance": tolerance, "seconds": seconds, "gradient": norm,
                    "reached": norm <= GOAL, "ours_seconds": line["seconds"],
                    "ours_gradient": line["gradient"],
                    "ours_times_faster": seconds / line["seconds"]}), flush=True)
                if norm <= GOAL:
                    break


if __name__ == "__main__":
    main()
