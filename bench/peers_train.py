"""Train logistic models with peers beside ours, in one run, on the same rows.

Run it with the Python of an environment that has the peers, for example

    python3 -m venv VENV && VENV/bin/pip install diffprivlib==0.6.6 scikit-learn==1.7.2
    make build && PYTHONPATH=build/release/python VENV/bin/python bench/peers_train.py DATA

or `make bench DATA=DIR PEERS=VENV`. DATA holds the folder adult-onehot or kddcup99-70k (--data), with
a training and a test file in LIBSVM format. Every row is divided by its own norm, for everybody. A peer
that is not installed is left out, and said so. (diffprivlib 0.6.6 fails on scikit-learn 1.8 and later.)

Accuracy    On the test rows, mean and standard deviation over --seeds trainings, nothing tuned. diffprivlib
            is asked with C=1, with and without an intercept; its guarantee is pure and between data sets
            that differ in one exchanged record ("replace-one"). Ours are asked for each adjacency, with
            the data set's delta and without ("pure"), at the settings of their rules.
Time        Of one fit from an array in memory, C=1 (lambda 1), no intercept: the best of --rounds, in wall
            and processor time. Solvers stop by rules of their own, so scikit-learn's are asked at the
            largest tolerance of a ladder at which the gradient of the summed objective has at most a
            given norm. Ours certifies its own bound, "tau" of the model file, on rows rounded to its
            grid; on the rows as they were the gradient is what the rounding leaves.

Prints tables, or with --json one JSON line a cell.
"""

import argparse
import contextlib
import functools
import importlib.metadata
import json
import pathlib
import sys
import time
import warnings

import numpy as np
import sotto

# Files, number of features, delta (1 / rows^2).
DATA_SETS = {
    "adult-onehot": ("adult_train.libsvm.gz", "adult_test.libsvm.gz", 105, 9.4e-10),
    "kddcup99-70k": ("kddcup99_train.libsvm.gz", "kddcup99_test.libsvm.gz", None, 3.2e-10),
}
EPSILONS = (0.1, 0.5, 1.0, 2.0)
GRADIENT_BOUNDS = (1.0, 1e-3)


def read(folder, name):
    """((X, y), (X, y), delta): dense rows of norm one, labels -1 and 1."""
    from sklearn.datasets import load_svmlight_files

    train, test, features, delta = DATA_SETS[name]
    paths = [str(folder / name / file) for file in (train, test)]
    X, y, X_test, y_test = load_svmlight_files(paths, n_features=features)
    return (unit_rows(X), y), (unit_rows(X_test), y_test), delta


def unit_rows(X):
    X = np.ascontiguousarray(X.toarray())
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(norms > 0, norms, 1)


# ---- accuracy: a name, and an estimator for an epsilon and a seed ----


def ours(epsilon, seed, **settings):
    return sotto.LogisticRegression(epsilon, data_norm=1.0, norm_rule="scale", classes=[-1, 1],
                                    fit_intercept=False, insecure_test_seed=seed, **settings)


def diffprivlib(epsilon, seed, **settings):
    from diffprivlib.models import LogisticRegression

    return LogisticRegression(epsilon=epsilon, data_norm=1.0, C=1.0, random_state=seed, **settings)


def contestants(delta, installed):
    found = {}
    for adjacency in ("add-remove", "replace-one"):
        found[f"sotto, {adjacency}"] = functools.partial(ours, delta=delta, adjacency=adjacency)
        found[f"sotto, {adjacency}, pure"] = functools.partial(ours, adjacency=adjacency)
    if "diffprivlib" in installed:
        found["diffprivlib, intercept"] = functools.partial(diffprivlib, fit_intercept=True)
        found["diffprivlib, no intercept"] = functools.partial(diffprivlib, fit_intercept=False)
    return found


def accuracies(make, epsilon, seeds, train, test):
    return [make(epsilon, seed).fit(*train).score(*test) for seed in range(seeds)]


def compare_accuracy(arguments, installed, train, test, delta):
    majority = max(np.mean(test[1] == label) for label in (-1, 1))
    if not arguments.json:
        print(f"\naccuracy on {arguments.data}, delta {delta:g}, {arguments.seeds} trainings, "
              f"mean and deviation; the commoner class {majority:.4f}")
        print(f"{'':<28}" + "".join(f"{f'epsilon {epsilon:g}':>18}" for epsilon in arguments.epsilons))
    for name, make in contestants(delta, installed).items():
        cells = []
        for epsilon in arguments.epsilons:
            found = accuracies(make, epsilon, arguments.seeds, train, test)
            mean, deviation = float(np.mean(found)), float(np.std(found, ddof=1))
            cells.append(f"{mean:.4f} ± {deviation:.4f}")
            if arguments.json:
                print(json.dumps({"bench": "peers_train", "question": "accuracy",
                                  "data": arguments.data, "who": name, "epsilon": epsilon,
                                  "delta": 0.0 if "sotto" not in name or "pure" in name else delta,
                                  "trainings": arguments.seeds, "mean": mean,
                                  "deviation": deviation, "majority": float(majority)}), flush=True)
        if not arguments.json:
            print(f"{name:<28}" + "".join(f"{cell:>18}" for cell in cells), flush=True)


# ---- time ----


def gradient_norm(theta, X, y):
    """Of the summed logistic loss with lambda 1, in the usual arithmetic."""
    margins = y * (X @ theta)
    return float(np.linalg.norm(X.T @ (-y / (1 + np.exp(margins))) + theta))


def sklearn_fit(solver, tolerance):
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=1.0, solver=solver, fit_intercept=False, tol=tolerance,
                              max_iter=100000)


def diffprivlib_fit(tolerance):
    return diffprivlib(1.0, 0, fit_intercept=False, tol=tolerance, max_iter=100000)


def best_time(make, train, rounds):
    """(seconds on the clock, seconds of processors, the fitted estimator), the best of rounds."""
    wall, processor = np.inf, np.inf
    for _ in range(rounds):
        estimator = make()
        started, used = time.perf_counter(), time.process_time()
        estimator.fit(*train)
        wall = min(wall, time.perf_counter() - started)
        processor = min(processor, time.process_time() - used)
    return wall, processor, estimator


def loosest(make, train, bound):
    """The largest tolerance at which the solver's gradient is within the bound, or None."""
    for tolerance in 10.0 ** -np.arange(1, 13):
        estimator = make(tolerance).fit(*train)
        if gradient_norm(estimator.coef_[0], *train) <= bound:
            return float(tolerance)
    return None


def private_ours(delta, threads):
    return sotto.LogisticRegression(1.0, delta, data_norm=1.0, norm_rule="scale", classes=[-1, 1],
                                    fit_intercept=False, lambda_=1.0, threads=threads)


def public_ours(threads):
    return sotto.LogisticRegression(None, data_norm=1.0, norm_rule="scale", classes=[-1, 1],
                                    fit_intercept=False, lambda_=1.0, method="none",
                                    data_is_public=True, threads=threads)


def limited(threads):
    """Every thread pool of the peers at this size; 0: as they like."""
    if threads == 0:
        return contextlib.nullcontext()
    import threadpoolctl

    return threadpoolctl.threadpool_limits(threads)


def timings(arguments, installed, train, delta, threads):
    """Rows of (who, tolerance or None, wall, processor, gradient norm or None)."""
    private = functools.partial(private_ours, delta, threads)
    wall, processor, model = best_time(private, train, arguments.rounds)
    tau = json.loads(model.model_json_)["settings"]["tau"]
    yield "sotto, epsilon 1", tau, wall, processor, None
    wall, processor, model = best_time(functools.partial(public_ours, threads), train,
                                       arguments.rounds)
    yield "sotto, no noise", None, wall, processor, gradient_norm(model.coef_[0], *train)
    for bound in GRADIENT_BOUNDS:
        for solver in ("lbfgs", "liblinear", "newton-cholesky"):
            make = functools.partial(sklearn_fit, solver)
            tolerance = loosest(make, train, bound)
            if tolerance is None:
                yield f"scikit-learn {solver}, gradient {bound:.1g}", None, None, None, None
                continue
            wall, processor, model = best_time(functools.partial(make, tolerance), train,
                                               arguments.rounds)
            yield (f"scikit-learn {solver}, gradient {bound:.1g}", tolerance, wall, processor,
                   gradient_norm(model.coef_[0], *train))
    if "diffprivlib" in installed:
        for tolerance in (1e-4, 1e-8):  # its default, and a stricter one
            wall, processor, _ = best_time(functools.partial(diffprivlib_fit, tolerance), train,
                                           arguments.rounds)
            yield "diffprivlib, epsilon 1", tolerance, wall, processor, None


def compare_time(arguments, installed, train, delta):
    for threads in arguments.threads:
        if not arguments.json:
            print(f"\none fit of {train[0].shape[0]} x {train[0].shape[1]}, best of "
                  f"{arguments.rounds}, threads: {threads or 'each its own default'}")
            print(f"{'':<40}{'tolerance':>10}{'wall ms':>10}{'cpu ms':>10}{'gradient':>11}")
        with limited(threads):
            for who, tolerance, wall, processor, gradient in timings(arguments, installed, train,
                                                                     delta, threads):
                row = {"who": who, "threads": threads, "tolerance": tolerance,
                       "wall_seconds": wall, "cpu_seconds": processor, "gradient_norm": gradient}
                if arguments.json:
                    print(json.dumps({"bench": "peers_train", "question": "time",
                                      "data": arguments.data, **row}), flush=True)
                else:
                    print(f"{who:<40}{show(tolerance, '.1g'):>10}{show(wall, '.1f', 1e3):>10}"
                          f"{show(processor, '.1f', 1e3):>10}{show(gradient, '.2g'):>11}", flush=True)


def show(value, form, factor=1.0):
    return "-" if value is None else format(value * factor, form)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="holds adult-onehot or kddcup99-70k")
    parser.add_argument("--data", choices=DATA_SETS, default="adult-onehot")
    parser.add_argument("--seeds", type=int, default=20, help="trainings a cell")
    parser.add_argument("--rounds", type=int, default=5, help="fits of which the best is timed")
    parser.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    parser.add_argument("--threads", type=int, nargs="+", default=(1, 0), help="0: the default")
    parser.add_argument("--only", choices=("accuracy", "time"))
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")

    installed = set()
    for package in ("sotto", "numpy", "scikit-learn", "diffprivlib"):
        try:
            version = sotto.__version__ if package == "sotto" else importlib.metadata.version(package)
            installed.add(package)
            print(f"{package} {version}", file=sys.stderr)
        except importlib.metadata.PackageNotFoundError:
            print(f"{package} is not installed, left out", file=sys.stderr)
    if "scikit-learn" not in installed:
        sys.exit("peers_train: scikit-learn reads the data; install it")
    if not (arguments.folder / arguments.data).is_dir():
        sys.exit(f"peers_train: {arguments.folder} has no folder {arguments.data}")

    train, test, delta = read(arguments.folder, arguments.data)
    if arguments.only != "time":
        compare_accuracy(arguments, installed, train, test, delta)
    if arguments.only != "accuracy":
        compare_time(arguments, installed, train, delta)


if __name__ == "__main__":
    main()
