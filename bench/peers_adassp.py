"""Least squares with peers beside ours, in one run, on the same rows.

Run it with the Python of an environment that has the peers, for example

    python3 -m venv VENV && VENV/bin/pip install numpy scikit-learn==1.7.2
    make build && VENV/bin/python bench/peers_adassp.py --sotto build/sotto DATA

or `make bench DATA=DIR PEERS=VENV`. DATA holds the folders bike-sharing and uci-regression. Numbers are scaled to
[-1, 1] by public bounds, rows divided by their norm, a constant column of 1 appended: what the schema written here
makes the command do, and what this program does by itself for the peers.

published   AdaSSP (Wang, UAI 2018, Alg. 2), written here from the paper in NumPy, apart from the one in C of
            bench_adassp.c: epsilon/3 and delta/3 for each of three releases.
by thirds   The same three releases, calibrated together as one Gaussian release (sqrt(3) times its noise each): what
            accounting alone gains.
adassp,     Ours, by the command, from the CSV file to a model file; predictions by the command too.
statistics
no noise    scikit-learn's LinearRegression.

Mean squared error on the test rows, targets scaled to [-1, 1] and predictions cut to it, mean and standard error over
--runs. Fails if a mean of adassp is above that of the published algorithm. Also: seconds to the second moments
of 1e6 rows of 50 features in NumPy, one thread, to hold against the "gram" lines of bench_adassp.

Prints tables, or with --json one JSON line a cell.
"""

import argparse
import csv
import gzip
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

DELTA = 1e-6
EPSILONS = (0.1, 1.0)
FAILURE = 0.05

# Name: files, target, its bounds, bounds of the features.
DATA_SETS = {
    "bike": ("bike-sharing/bike", "cnt", (0, 1000),
             {"season": (1, 4), "yr": (0, 1), "mnth": (1, 12), "hr": (0, 23), "holiday": (0, 1),
              "weekday": (0, 6), "workingday": (0, 1), "weathersit": (1, 4), "temp": (0, 1),
              "atemp": (0, 1), "hum": (0, 1), "windspeed": (0, 1)}),
    "protein": ("uci-regression/protein", "RMSD", (0, 21),
                {"F1": (0, 40000), "F2": (0, 16000), "F3": (0, 0.6), "F4": (0, 400),
                 "F5": (0, 5500000), "F6": (0, 600), "F7": (0, 60000), "F8": (0, 350), "F9": (0, 60)}),
    "airfoil": ("uci-regression/airfoil", "sound_level_db", (100, 145),
                {"frequency_hz": (0, 20000), "angle_of_attack_deg": (0, 25), "chord_m": (0, 0.4),
                 "velocity_m_per_s": (0, 100), "displacement_thickness_m": (0, 0.06)}),
}
BOUND = math.sqrt(2)  # of a row: 1, and the constant column


def scaled(values, bounds):
    lower, upper = bounds
    return np.clip((values - lower) / (upper - lower) * 2 - 1, -1, 1)


def read(path, target, target_bounds, features):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    X = np.column_stack([scaled(np.array([float(record[name]) for record in records]), bounds)
                         for name, bounds in features.items()])
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = scaled(np.array([float(record[target]) for record in records]), target_bounds)
    return np.column_stack([X, np.ones(len(X))]), y


def schema_of(name, header):
    _, target, target_bounds, features = DATA_SETS[name]
    bounds = {**features, target: target_bounds}
    columns = [{"name": column, "type": "number", "lower": bounds[column][0],
                "upper": bounds[column][1]} if column in bounds
               else {"name": column, "type": "ignore"} for column in header]
    return {"dataset": name, "target": target, "row_norm": {"bound": 1, "rule": "scale"},
            "columns": columns}


def mse(theta, X, y):
    return float(np.mean((np.clip(X @ theta, -1, 1) - y) ** 2))


# ---- the published algorithm, and its three releases under one accountant ----


def adassp(A, v, scale, allowance, rng):
    """`scale` is the noise of each release over its sensitivity; `allowance` goes off the eigenvalue."""
    d, square = len(v), BOUND**2
    there = max(0.0, np.linalg.eigvalsh(A)[0] + scale * square * rng.standard_normal() - allowance)
    ridge = max(0.0, scale * square * math.sqrt(d * math.log(2 * d * d / FAILURE)) - there)
    noise = np.tril(rng.standard_normal((d, d)))
    noise = noise + np.tril(noise, -1).T
    return np.linalg.solve(A + scale * square * noise + ridge * np.eye(d),
                           v + scale * BOUND * rng.standard_normal(d))


def published(A, v, epsilon, rng):
    third, logarithm = epsilon / 3, math.log(6 / DELTA)
    return adassp(A, v, math.sqrt(logarithm) / third, BOUND**2 * logarithm / third, rng)


def by_thirds(A, v, multiplier, rng):
    scale = math.sqrt(3) * multiplier
    allowance = scale * BOUND**2 * math.sqrt(2 * math.log(1 / FAILURE))
    return adassp(A, v, scale, allowance, rng)


def log_normal_tail(x):
    """log of P(Z < x), for x from about -30 to 8."""
    if x > -8:
        return math.log(0.5 * math.erfc(-x / math.sqrt(2)))
    return -x * x / 2 - math.log(-x * math.sqrt(2 * math.pi)) + math.log1p(-1 / x**2 + 3 / x**4 - 15 / x**6)


def multiplier_of(epsilon):
    """The least sigma of one Gaussian release of sensitivity 1 (Balle & Wang 2018), by halving."""
    def delta(sigma):
        a, b = 0.5 / sigma - epsilon * sigma, -0.5 / sigma - epsilon * sigma
        return math.exp(log_normal_tail(a)) - math.exp(epsilon + log_normal_tail(b))

    low, high = 1e-3, 1e4
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if delta(middle) > DELTA else (low, middle)
    return high


# ---- ours ----


def command(sotto, folder, name, method, epsilon, seed, files):
    """The mean squared error of one training by the command."""
    model = folder / "model.json"
    subprocess.run([sotto, "train", files[0], "--schema", folder / "schema.json", "--model", "linear",
                    "--method", method, "--epsilon", str(epsilon), "--delta", str(DELTA),
                    "--insecure-test-seed", str(seed + 1), "-o", model], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = subprocess.run([sotto, "evaluate", model, files[1], "--data-is-public", "--json"],
                           check=True, stdout=subprocess.PIPE).stdout
    lower, upper = DATA_SETS[name][2]
    return json.loads(found)["mse"] / ((upper - lower) / 2) ** 2


# ---- the comparison ----


def compare(arguments, name, folder):
    from sklearn.linear_model import LinearRegression

    prefix, target, target_bounds, features = DATA_SETS[name]
    files = [arguments.folder / f"{prefix}-{part}.csv.gz" for part in ("train", "test")]
    (X, y), test = (read(file, target, target_bounds, features) for file in files)
    with gzip.open(files[0], "rt", encoding="utf-8", newline="") as file:
        header = next(csv.reader(file))
    (folder / "schema.json").write_text(json.dumps(schema_of(name, header)), encoding="utf-8")
    A, v = X.T @ X, X.T @ y
    plain = mse(LinearRegression(fit_intercept=False).fit(X, y).coef_, *test)
    failed = False
    for epsilon in arguments.epsilons:
        multiplier = multiplier_of(epsilon)
        runs = range(arguments.runs)
        found = {
            "published": [mse(published(A, v, epsilon, np.random.default_rng(i)), *test) for i in runs],
            "by thirds": [mse(by_thirds(A, v, multiplier, np.random.default_rng(i)), *test) for i in runs],
        }
        for method in ("adassp", "statistics") if arguments.sotto else ():
            found[method] = [command(arguments.sotto, folder, name, method, epsilon, i, files)
                             for i in runs]
        for who, values in {**found, "no noise": [plain] * arguments.runs}.items():
            mean, error = float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(len(values)))
            if arguments.json:
                print(json.dumps({"bench": "peers_adassp", "data": name, "epsilon": epsilon,
                                  "delta": DELTA, "who": who, "runs": arguments.runs, "mse": mean,
                                  "error": error}), flush=True)
            else:
                print(f"{name:<9}{epsilon:<6g}{who:<12}{mean:.5f} ± {error:.5f}", flush=True)
        if "adassp" in found and np.mean(found["adassp"]) > np.mean(found["published"]):
            failed = True
    return failed


def time_moments(arguments):
    X = np.random.default_rng(3).uniform(-0.14, 0.14, (1000000, 50)).astype(np.float32)
    try:
        import threadpoolctl
        limit = threadpoolctl.threadpool_limits(1)
    except ImportError:
        limit = None
    best = math.inf
    for _ in range(5):
        started = time.perf_counter()
        Z = X.astype(np.float64)  # as scikit-learn's solvers ask for
        Z.T @ Z
        best = min(best, time.perf_counter() - started)
    row = {"bench": "peers_adassp", "question": "second moments", "rows": len(X),
           "columns": X.shape[1], "threads": 1 if limit else None, "seconds": best}
    print(json.dumps(row) if arguments.json else f"NumPy, 1e6 x 50 second moments: {best:.3f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="holds bike-sharing and uci-regression")
    parser.add_argument("--sotto", help="the command; without it only the peers run")
    parser.add_argument("--runs", type=int, default=20, help="trainings a cell")
    parser.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    time_moments(arguments)
    with tempfile.TemporaryDirectory() as folder:
        failed = [compare(arguments, name, pathlib.Path(folder)) for name in DATA_SETS]
    if any(failed):
        sys.exit("peers_adassp: adassp is above the published algorithm")


if __name__ == "__main__":
    main()
