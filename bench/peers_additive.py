"""Compare additive models with logistic ones, and with DP-EBM if it is installed, on public tables.

    make build && python3 bench/peers_additive.py DATA [--sets bike,wine] [--epsilons 0.2,1] [--test]

DATA holds the folders adult, bike-sharing, california-housing, fair-survey and wine-quality, each with a training file. Rows of
the training file are shuffled by a fixed seed and divided into three folds: models learn from two and are scored on the third.
With --test they learn from the training file and are scored on the test file. The rules of the additive model were chosen by the
first; use the second to report, not to choose.

Every model has delta 1/n^2, the number of training rows as its expected rows, and the bounds of the schema below. DP-EBM
(interpret, pip install interpret) has the same bounds, and its own defaults. Prints AUC and log loss, or R^2 of a number: the mean
over the folds or seeds, and the standard deviation. With --json one line a cell.
"""

import argparse
import csv
import gzip
import json
import pathlib
import random
import statistics
import subprocess
import tempfile

FOLDS = 3


def number(name, lower, upper):
    return {"name": name, "type": "number", "lower": lower, "upper": upper}


def whole(name, lower, upper):
    return {**number(name, lower, upper), "type": "integer"}


def one_of(name, values, **more):
    return {"name": name, "type": "category", "values": values.split("|"), **more}


def left_out(*names):
    return [{"name": name, "type": "ignore"} for name in names]


ADULT = [
    whole("age", 17, 90),
    one_of("workclass", "Private|Self-emp-not-inc|Self-emp-inc|Federal-gov|Local-gov|State-gov|Without-pay|"
           "Never-worked|?", missing="?"),
    *left_out("fnlwgt"),
    one_of("education", "Preschool|1st-4th|5th-6th|7th-8th|9th|10th|11th|12th|HS-grad|Some-college|Assoc-voc|"
           "Assoc-acdm|Bachelors|Masters|Prof-school|Doctorate"),
    whole("education-num", 1, 16),
    one_of("marital-status", "Married-civ-spouse|Divorced|Never-married|Separated|Widowed|"
           "Married-spouse-absent|Married-AF-spouse"),
    one_of("occupation", "Tech-support|Craft-repair|Other-service|Sales|Exec-managerial|Prof-specialty|"
           "Handlers-cleaners|Machine-op-inspct|Adm-clerical|Farming-fishing|Transport-moving|"
           "Priv-house-serv|Protective-serv|Armed-Forces|?", missing="?"),
    one_of("relationship", "Wife|Own-child|Husband|Not-in-family|Other-relative|Unmarried"),
    one_of("race", "White|Asian-Pac-Islander|Amer-Indian-Eskimo|Other|Black"),
    one_of("sex", "Female|Male"),
    whole("capital-gain", 0, 99999), number("capital-loss", 0, 4356), whole("hours-per-week", 1, 99),
    one_of("native-country", "United-States|Cambodia|England|Puerto-Rico|Canada|Germany|"
           "Outlying-US(Guam-USVI-etc)|India|Japan|Greece|South|China|Cuba|Iran|Honduras|Philippines|Italy|"
           "Poland|Jamaica|Vietnam|Mexico|Portugal|Ireland|France|Dominican-Republic|Laos|Ecuador|Taiwan|"
           "Haiti|Columbia|Hungary|Guatemala|Nicaragua|Scotland|Thailand|Yugoslavia|El-Salvador|"
           "Trinadad&Tobago|Peru|Hong|Holand-Netherlands|?", missing="?"),
    one_of("income", "<=50K|>50K"),
]
BIKE = [
    *left_out("instant", "dteday"), whole("season", 1, 4), whole("yr", 0, 1), whole("mnth", 1, 12),
    whole("hr", 0, 23), whole("holiday", 0, 1), whole("weekday", 0, 6), whole("workingday", 0, 1),
    whole("weathersit", 1, 4), number("temp", 0, 1), number("atemp", 0, 1), number("hum", 0, 1),
    number("windspeed", 0, 1), *left_out("casual", "registered"), whole("cnt", 0, 1000),
]
CALIFORNIA = [
    number("longitude", -124.5, -114.1), number("latitude", 32.5, 42.0), whole("housing_median_age", 1, 52),
    number("total_rooms", 0, 10000), number("total_bedrooms", 0, 2000), number("population", 0, 5000),
    number("households", 0, 2000), number("median_income", 0.4999, 15.0001),
    number("median_house_value", 14999, 500001),
    one_of("ocean_proximity", "<1H OCEAN|INLAND|NEAR OCEAN|NEAR BAY|ISLAND"),
]
FAIR = [
    whole("rate_marriage", 1, 5), number("age", 17.5, 42), number("yrs_married", 0.5, 23),
    number("children", 0, 5.5), whole("religious", 1, 4), number("educ", 9, 20),
    one_of("occupation", "1|2|3|4|5|6"), one_of("occupation_husb", "1|2|3|4|5|6"), number("affairs", 0, 60),
]
WINE = [
    one_of("color", "red|white"), number("fixed_acidity", 3.8, 15.9), number("volatile_acidity", 0, 1.6),
    number("citric_acid", 0, 1.7), number("residual_sugar", 0.6, 65.8), number("chlorides", 0, 0.62),
    number("free_sulfur_dioxide", 1, 289), number("total_sulfur_dioxide", 6, 440),
    number("density", 0.987, 1.039), number("pH", 2.7, 4.1), number("sulphates", 0.2, 2.0),
    number("alcohol", 8.0, 14.9), whole("quality", 0, 10),
]
# Files, columns, target.
SETS = {
    "adult": ("adult/adult", ADULT, {"column": "income"}),
    "bike": ("bike-sharing/bike", BIKE, {"column": "cnt", "above": 150}),
    "bike-number": ("bike-sharing/bike", BIKE, {"column": "cnt"}),
    "california": ("california-housing/california", CALIFORNIA,
                   {"column": "median_house_value", "above": 200000}),
    "california-number": ("california-housing/california", CALIFORNIA, {"column": "median_house_value"}),
    "fair": ("fair-survey/fair", FAIR, {"column": "affairs", "above": 0}),
    "wine": ("wine-quality/wine", WINE, {"column": "quality", "above": 5}),
}


def rows_of(path):
    with gzip.open(path, "rt", newline="") as file:
        head, *rows = csv.reader(file)
    return head, rows


def splits(data, files, test, seeds):
    """Training and scoring rows: one split a fold, or a seed of noise."""
    head, rows = rows_of(data / f"{files}-train.csv.gz")
    if test:
        held = rows_of(data / f"{files}-test.csv.gz")[1]
        return head, [(rows, held)] * seeds
    random.Random(7).shuffle(rows)
    return head, [([row for place, row in enumerate(rows) if place % FOLDS != fold], rows[fold::FOLDS])
                  for fold in range(FOLDS)]


def write(path, head, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([head, *rows])


def ours(sotto, folder, model, rows, epsilon, more):
    """The scores of one training of the command."""
    command = [sotto, "train", folder / "train.csv", "--schema", folder / "schema.json", "--model", model,
               "--epsilon", str(epsilon), "--delta", repr(1.0 / rows**2), "--expected-rows", str(rows),
               "-o", folder / "model.json", "--overwrite", *more]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    found = subprocess.run([sotto, "evaluate", folder / "model.json", folder / "held.csv", "--data-is-public",
                            "--json"], check=True, capture_output=True, text=True)
    return json.loads(found.stdout)


def dp_ebm(columns, target, head, seen, held, epsilon):
    """AUC and log loss of interpret's DP-EBM, bounds and categories given; None where it is not installed."""
    try:
        import numpy as np
        from interpret.privacy import DPExplainableBoostingClassifier
        from sklearn.metrics import log_loss, roc_auc_score
    except ImportError:
        return None
    features = [column for column in columns
                if column["type"] != "ignore" and column["name"] != target["column"]]
    kinds = ["nominal" if column["type"] == "category" else "continuous" for column in features]
    bounds = {place: (column["lower"], column["upper"])
              for place, column in enumerate(features) if column["type"] != "category"}

    def table(rows):
        cells = [[row[head.index(column["name"])] for column in features] for row in rows]
        return np.array([[cell if kind == "nominal" else
                          (min(max(float(cell), bounds[place][0]), bounds[place][1]) if cell else
                           sum(bounds[place]) / 2)
                          for place, (cell, kind) in enumerate(zip(row, kinds, strict=True))]
                         for row in cells], dtype=object)

    def labels(rows):
        place = head.index(target["column"])
        return np.array([float(row[place]) > target["above"] if "above" in target else
                         row[place] == columns[-1]["values"][1] for row in rows], dtype=int)

    model = DPExplainableBoostingClassifier(epsilon=epsilon, delta=1.0 / len(seen)**2, feature_types=kinds,
                                            privacy_bounds=bounds)
    model.fit(table(seen), labels(seen))
    said = model.predict_proba(table(held))[:, 1]
    return {"auc": roc_auc_score(labels(held), said), "log_loss": log_loss(labels(held), said)}


def report(cell, found, as_json):
    names = [name for name in ("auc", "log_loss", "r2") if name in found[0]]
    for name in names:
        values = [scores[name] for scores in found]
        cell[name] = statistics.mean(values)
        cell[f"{name}_deviation"] = statistics.stdev(values) if len(values) > 1 else 0.0
    print(json.dumps(cell) if as_json else
          f"{cell['set']:18} epsilon {cell['epsilon']:<5g} {cell['model']:9} " +
          "  ".join(f"{name} {cell[name]:.4f} +- {cell[name + '_deviation']:.4f}" for name in names), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--sets", default="adult,bike,california,fair,wine,bike-number")
    parser.add_argument("--epsilons", default="1")
    parser.add_argument("--models", default="additive,straight,dp-ebm")
    parser.add_argument("--seeds", type=int, default=5, help="trainings a cell, with --test")
    parser.add_argument("--sotto", default="build/sotto")
    parser.add_argument("--test", action="store_true", help="score on the test files")
    parser.add_argument("--json", action="store_true")
    given, more = parser.parse_known_args()
    for name in given.sets.split(","):
        files, columns, target = SETS[name]
        is_number = name.endswith("-number")
        head, parts = splits(given.data, files, given.test, given.seeds)
        for epsilon in map(float, given.epsilons.split(",")):
            for model in given.models.split(","):
                found = []
                for seen, held in parts:
                    with tempfile.TemporaryDirectory() as place:
                        folder = pathlib.Path(place)
                        if model == "dp-ebm":
                            scores = None if is_number else dp_ebm(columns, target, head, seen, held, epsilon)
                        else:
                            write(folder / "train.csv", head, seen)
                            write(folder / "held.csv", head, held)
                            (folder / "schema.json").write_text(json.dumps({"target": target, "columns": columns}))
                            kind = "additive" if model == "additive" else "linear" if is_number else "logistic"
                            scores = ours(given.sotto, folder, kind, len(seen), epsilon,
                                          more if kind == "additive" else [])
                    if scores is not None:
                        found.append(scores)
                if found:
                    report({"set": name, "epsilon": epsilon, "model": model, "trainings": len(found)}, found,
                           given.json)


if __name__ == "__main__":
    main()
