"""Choose the default lambda of objective perturbation on public data sets: accuracy against lambda.

    python3 bench/experiments_lambda.py DATA california-housing --epsilon 0.5,1,2,4 --seeds 12
    python3 bench/experiments_lambda.py DATA california-housing --rules

Trains logistic models by the exact minimiser with Gaussian noise that the frozen-slope theorem asks for, delta 1/rows^2, rows scaled to
norm 1, and prints one JSON line for each multiple of R^2/epsilon. Every multiple has the same noise vectors, up to their length, so
that differences between multiples are more exact than the scores. Adult is not among the sets: results are quoted on it.

--rules trains at two lambdas only, those of the default rule without and with a public number of rows
(src/methods/objective/objective.c), and prints the line of the table in docs/howto/choosing-parameters.md.
"""

import argparse
import csv
import gzip
import json
import pathlib

import numpy
from scipy.optimize import brentq
from scipy.special import expit, log_ndtr, ndtr

SLOPES = numpy.linspace(0.5, 1.0, 400)
MULTIPLES = [10, 6, 3, 2, 1.5, 1, 0.8, 0.6, 0.45, 0.3, 0.2, 0.1]

CANCER = [28, 39, 188, 2501, 0.16, 0.35, 0.43, 0.2, 0.3, 0.097, 2.9, 4.9, 22, 542, 0.03, 0.14, 0.4, 0.05, 0.08, 0.03, 36, 50, 251, 4254, 0.22,
          1.06, 1.25, 0.29, 0.66, 0.21]
COVER = [4000, 360, 60, 1400, 600, 7200, 255, 255, 255, 7200]


def number(text, lower, upper):
    value = (lower + upper) / 2 if text in ("", "NA", "?") else float(text)
    return min(1.0, max(-1.0, 2 * (value - lower) / (upper - lower) - 1))


def bounded(**bounds):
    return lambda row: [number(row[column], *limits) for column, limits in bounds.items()]


def housing(row):
    places = ("NEAR BAY", "<1H OCEAN", "INLAND", "NEAR OCEAN")
    return bounded(longitude=(-125, -114), latitude=(32, 42), housing_median_age=(1, 52), total_rooms=(0, 10000),
                   total_bedrooms=(0, 2000), population=(0, 5000), households=(0, 2000), median_income=(0, 12))(row) + [
                       float(row["ocean_proximity"] == place) for place in places]


def wine(row):
    return bounded(fixed_acidity=(3, 16), volatile_acidity=(0, 1.6), citric_acid=(0, 1.5), residual_sugar=(0, 30), chlorides=(0, 0.3),
                   free_sulfur_dioxide=(0, 120), total_sulfur_dioxide=(0, 350), density=(0.985, 1.005), pH=(2.7, 4.1),
                   sulphates=(0.2, 1.5), alcohol=(8, 15))(row) + [1.0 if row["color"] == "red" else -1.0]


def spam(row):
    values = [float(text) for text in list(row.values())[:57]]
    return [min(1.0, (value / 5)**0.5) for value in values[:54]] + [numpy.log1p(value) / 10 for value in values[54:]]


def cover(row):
    values = list(row.values())[:54]
    return [number(text, 0, upper) for text, upper in zip(values, COVER)] + [float(text) for text in values[10:]]


def cancer(row):
    return [number(text, 0, upper) for text, upper in zip(list(row.values())[:30], CANCER, strict=True)]


# The files' prefix, the target and its second class, the features by public bounds, and the rows used (None: all).
SETS = {
    "california-housing": ("california", "median_house_value", lambda text: float(text) >= 180000, housing, None),
    "covertype": ("covertype-100k", "Cover_Type", lambda text: text == "2", cover, (15000, 8000)),
    "fair-survey": ("fair", "affairs", lambda text: float(text) > 0,
                    bounded(rate_marriage=(1, 5), age=(17, 42), yrs_married=(0, 23), children=(0, 6), religious=(1, 4), educ=(9, 20),
                            occupation=(1, 6), occupation_husb=(1, 6)), None),
    "wine-quality": ("wine", "quality", lambda text: int(text) >= 6, wine, None),
    "spambase": ("spambase", "spam", lambda text: text == "1", spam, None),
    "pima-diabetes": ("pima", "diabetes", lambda text: text == "1",
                      bounded(pregnancies=(0, 17), glucose=(0, 200), blood_pressure=(0, 122), skin_thickness=(0, 99),
                              insulin=(0, 846), bmi=(0, 67), pedigree=(0, 2.5), age=(21, 81)), None),
    "heart-cleveland": ("heart", "num", lambda text: float(text) > 0,
                        bounded(age=(20, 80), sex=(0, 1), cp=(1, 4), trestbps=(90, 200), chol=(100, 500), fbs=(0, 1), restecg=(0, 2),
                                thalach=(70, 205), exang=(0, 1), oldpeak=(0, 6), slope=(1, 3), ca=(0, 3), thal=(3, 7)), None),
    "breast-cancer": ("wdbc", "benign", lambda text: text == "1", cancer, None),
}


def gaussian_delta(shift, epsilon):
    return ndtr(shift / 2 - epsilon / shift) - numpy.exp(epsilon + log_ndtr(-shift / 2 - epsilon / shift))


def frozen_delta(shift, determinant, epsilon):
    """The frozen-slope bound on a grid of slopes (src/privacy/accounting/objective_loss/frozen_slope.md)."""
    curvature = numpy.log1p(SLOPES * (1 - SLOPES) * determinant)
    return max(numpy.max(gaussian_delta(SLOPES * shift, epsilon - curvature)), 1e-300)


def noise(multiple, epsilon, delta):
    """sigma/R at lambda = multiple R^2/epsilon; None where no noise is enough."""
    def excess(log_sigma):
        return numpy.log(frozen_delta(numpy.exp(-log_sigma), epsilon / multiple, epsilon) / delta)
    return None if excess(12.0) > 0 else float(numpy.exp(brentq(excess, -3.0, 12.0, xtol=1e-5)))


def threshold(epsilon, delta):
    """Least lambda epsilon/R^2 that costs no noise, by sharp_least_lambda() of src/privacy/accounting/objective/calibrate.c."""
    share = 2.0**-10
    shift = numpy.exp(brentq(lambda log_mu: numpy.log(max(gaussian_delta(numpy.exp(log_mu), epsilon), 1e-300) / delta), -12.0, 4.0, xtol=1e-12))
    gap = share * shift * ((2 * numpy.log(2.0**20 / delta))**0.5 + share * shift / 2)
    return epsilon / (epsilon - min(gap, epsilon / 2) + shift**2 / 2)


def rules(epsilon, delta, count, dimension):
    """Multiples of R^2/epsilon by the default rule: without and with a public number of rows."""
    factor = 3.0 if epsilon < 0.5 else 0.8 if epsilon >= 1 else 1.0
    by_rows = factor if epsilon < 0.5 else min(factor, max(0.4, 12 / (count * epsilon / dimension)**0.5))
    least = threshold(epsilon, delta)
    return factor * least, by_rows * least


def load(directory, name, part):
    """Rows times their label, scaled to norm 1 with a constant column."""
    prefix, target, is_second, features_of, used = SETS[name]
    with gzip.open(directory / name / f"{prefix}-{part}.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    rows = rows[:None if used is None else used[part == "test"]]
    features = numpy.array([features_of(row) + [1.0] for row in rows])
    labels = numpy.array([1.0 if is_second(row[target]) else -1.0 for row in rows])
    return features / numpy.linalg.norm(features, axis=1, keepdims=True) * labels[:, None]


def minimise(rows, ridge, tilt, theta):
    """Newton's method with step halving."""
    def objective(point):
        return numpy.logaddexp(0, -(rows @ point)).sum() + ridge / 2 * point @ point + tilt @ point
    for _ in range(30):
        slope = expit(-(rows @ theta))
        gradient = -(rows.T @ slope) + ridge * theta + tilt
        hessian = (rows * (slope * (1 - slope))[:, None]).T @ rows + ridge * numpy.eye(len(theta))
        step = numpy.linalg.solve(hessian, gradient)
        length, start = 1.0, objective(theta)
        while objective(theta - length * step) > start - 1e-4 * length * (gradient @ step) + 1e-9 and length > 1e-3:
            length /= 2
        theta = theta - length * step
        if length * numpy.linalg.norm(step) < 1e-3 * (1 + numpy.linalg.norm(theta)):
            break
    return theta


def scores_of(train, test, epsilon, multiple, seeds):
    """sigma/R and the test accuracy of each seed; None where no noise is enough."""
    count, dimension = train.shape
    sigma = noise(multiple, epsilon, 1 / count**2)
    if sigma is None:
        return None, None
    start = minimise(train, multiple / epsilon, numpy.zeros(dimension), numpy.zeros(dimension))
    terms = [sigma * numpy.random.default_rng([seed, 7]).standard_normal(dimension) for seed in range(seeds)]
    return sigma, numpy.array([numpy.mean(test @ minimise(train, multiple / epsilon, term, start) > 0) for term in terms])


def standard_error(values):
    return float(numpy.std(values, ddof=1)) / len(values)**0.5


def print_multiples(name, train, test, epsilons, seeds):
    for epsilon in epsilons:
        for multiple in MULTIPLES:
            sigma, scores = scores_of(train, test, epsilon, multiple, seeds)
            if sigma is None:
                continue
            print(json.dumps({"data": name, "rows": len(train), "features": train.shape[1], "epsilon": epsilon, "multiple": multiple,
                              "sigma": round(sigma, 4), "accuracy": round(float(numpy.mean(scores)), 4),
                              "standard_error": round(standard_error(scores), 4)}), flush=True)


def print_rules(name, train, test, epsilons, seeds):
    cells = []
    for epsilon in epsilons:
        plain, by_rows = rules(epsilon, 1 / len(train)**2, *train.shape)
        _, before = scores_of(train, test, epsilon, plain, seeds)
        if plain == by_rows:
            cells.append(f"{numpy.mean(before):.4f}")
            continue
        _, after = scores_of(train, test, epsilon, by_rows, seeds)
        cells.append(f"{numpy.mean(before):.4f} -> {numpy.mean(after):.4f} ({standard_error(after - before):.4f})")
    print(f"| {name}: {len(train)}, {train.shape[1]} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--epsilon", default="0.5,1,2,4")
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--rules", action="store_true")
    arguments = parser.parse_args()
    train, test = (load(arguments.data, arguments.set, part) for part in ("train", "test"))
    shown = print_rules if arguments.rules else print_multiples
    shown(arguments.set, train, test, [float(text) for text in arguments.epsilon.split(",")], arguments.seeds)


if __name__ == "__main__":
    main()
