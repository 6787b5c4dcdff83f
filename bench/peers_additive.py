"""Compare additive models with logistic ones, and with DP-EBM if it is installed, on public tables.

    make build && python3 bench/peers_additive.py DATA [--sets bike,wine] [--epsilons 0.2,1] [--test]

DATA holds the folders of SETS below, each with a training file. Rows of the training file are shuffled by a fixed seed and
divided into three folds: models learn from two and are scored on the third. With --test they learn from the training file and
are scored on the test file. The rules of the additive model were chosen by the first on adult, bike, california, fair and wine;
use the second to report, not to choose. The other sets are for reports only. --shard I/N takes every N-th set.

Every model has delta 1/n^2, the number of training rows as its expected rows, and the bounds of the schema below. DP-EBM
(pip install interpret-core) has the same bounds and categories, and its own defaults; dp-ebm:0.05 has that learning rate. Prints AUC and log loss, or R^2 of a number: the mean
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


def yes_or_no(name):
    return {"name": name, "type": "boolean"}


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
SPAM = ("make address all 3d our over remove internet order mail receive will people report addresses free business email you "
        "credit your font 000 money hp hpl george 650 lab labs telnet 857 data 415 85 technology 1999 parts pm direct cs "
        "meeting original project re edu table conference").split()
SPAMBASE = [
    *(number(f"word_freq_{word}", 0, 100) for word in SPAM),
    *(number(f"char_freq_{sign}", 0, 100)
      for sign in ("semicolon", "paren", "bracket", "exclamation", "dollar", "hash")),
    number("capital_run_average", 1, 1000), whole("capital_run_longest", 1, 10000),
    whole("capital_run_total", 1, 20000), whole("spam", 0, 1),
]
COVERTYPE = [
    whole("Elevation", 1800, 4000), whole("Aspect", 0, 360), whole("Slope", 0, 90),
    whole("Horizontal_Distance_To_Hydrology", 0, 1400), whole("Vertical_Distance_To_Hydrology", -200, 600),
    whole("Horizontal_Distance_To_Roadways", 0, 7200), whole("Hillshade_9am", 0, 255),
    whole("Hillshade_Noon", 0, 255), whole("Hillshade_3pm", 0, 255),
    whole("Horizontal_Distance_To_Fire_Points", 0, 7200),
    *(yes_or_no(f"Wilderness_Area{i}") for i in range(1, 5)), *(yes_or_no(f"Soil_Type{i}") for i in range(1, 41)),
    whole("Cover_Type", 1, 7),
]
COVERTYPE_LISTS = [[f"Wilderness_Area{i}" for i in range(1, 5)], [f"Soil_Type{i}" for i in range(1, 41)]]
HEART = [
    number("age", 18, 100), one_of("sex", "0.0|1.0"), one_of("cp", "1.0|2.0|3.0|4.0"), number("trestbps", 80, 220),
    number("chol", 100, 600), one_of("fbs", "0.0|1.0"), one_of("restecg", "0.0|1.0|2.0"),
    number("thalach", 60, 220), one_of("exang", "0.0|1.0"), number("oldpeak", 0, 7), whole("slope", 1, 3), whole("ca", 0, 3),
    one_of("thal", "3.0|6.0|7.0"), whole("num", 0, 4),
]
PIMA = [
    whole("pregnancies", 0, 20), number("glucose", 0, 250), number("blood_pressure", 0, 150),
    number("skin_thickness", 0, 100), number("insulin", 0, 900), number("bmi", 0, 70), number("pedigree", 0, 2.5),
    whole("age", 21, 90), whole("diabetes", 0, 1),
]
# The published minima and maxima of the data set's documentation.
BREAST = [
    *(number(*bounds) for bounds in (
        ("mean_radius", 6.981, 28.11), ("mean_texture", 9.71, 39.28), ("mean_perimeter", 43.79, 188.5),
        ("mean_area", 143.5, 2501), ("mean_smoothness", 0.053, 0.163), ("mean_compactness", 0.019, 0.345),
        ("mean_concavity", 0, 0.427), ("mean_concave_points", 0, 0.201), ("mean_symmetry", 0.106, 0.304),
        ("mean_fractal_dimension", 0.05, 0.097), ("se_radius", 0.112, 2.873), ("se_texture", 0.36, 4.885),
        ("se_perimeter", 0.757, 21.98), ("se_area", 6.802, 542.2), ("se_smoothness", 0.002, 0.031),
        ("se_compactness", 0.002, 0.135), ("se_concavity", 0, 0.396), ("se_concave_points", 0, 0.053),
        ("se_symmetry", 0.008, 0.079), ("se_fractal_dimension", 0.001, 0.03), ("worst_radius", 7.93, 36.04),
        ("worst_texture", 12.02, 49.54), ("worst_perimeter", 50.41, 251.2), ("worst_area", 185.2, 4254),
        ("worst_smoothness", 0.071, 0.223), ("worst_compactness", 0.027, 1.058), ("worst_concavity", 0, 1.252),
        ("worst_concave_points", 0, 0.291), ("worst_symmetry", 0.156, 0.664),
        ("worst_fractal_dimension", 0.055, 0.208))),
    whole("benign", 0, 1),
]
# The encoding of this file brings every entry to [0, 1].
KDD = [*(number(f"x{i}", 0, 1) for i in range(1, 119)), whole("normal", -1, 1)]
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
    "bike-pair": ("bike-sharing/bike", BIKE, {"column": "cnt", "above": 150}),
    "bike-pair-number": ("bike-sharing/bike", BIKE, {"column": "cnt"}),
    "covertype": ("covertype/covertype-100k", COVERTYPE, {"column": "Cover_Type", "labels": [1, 2]}),
    "spambase": ("spambase/spambase", SPAMBASE, {"column": "spam", "above": 0}),
    "heart": ("heart-cleveland/heart", HEART, {"column": "num", "above": 0}),
    "pima": ("pima-diabetes/pima", PIMA, {"column": "diabetes", "above": 0}),
    "breast-cancer": ("breast-cancer/wdbc", BREAST, {"column": "benign", "above": 0}),
    "kddcup99-70k": ("kddcup99-70k/kddcup99", KDD, {"column": "normal", "above": 0}),
}
# More of the schema, from public knowledge.
MORE = {
    "bike-pair": {"interactions": [["hr", "workingday"]]},
    "bike-pair-number": {"interactions": [["hr", "workingday"]]},
    "covertype": {"exclusive": COVERTYPE_LISTS},
}


def rows_of(path):
    with gzip.open(path, "rt", newline="") as file:
        head, *rows = csv.reader(file)
    return head, rows


def sparse_rows_of(path, columns):
    """The rows of a LIBSVM file as cells, the label last."""
    rows = []
    with gzip.open(path, "rt") as file:
        for line in file:
            label, *entries = line.split()
            cells = ["0"] * (len(columns) - 1) + [label.lstrip("+")]
            for place, value in (entry.split(":") for entry in entries):
                cells[int(place) - 1] = value
            rows.append(cells)
    return [column["name"] for column in columns], rows


def table_of(data, files, part, columns):
    dense = data / f"{files}-{part}.csv.gz"
    return rows_of(dense) if dense.exists() else sparse_rows_of(data / f"{files}_{part}.libsvm.gz", columns)


def splits(data, files, columns, test, seeds):
    """Training and scoring rows: one split a fold, or a seed of noise."""
    head, rows = table_of(data, files, "train", columns)
    if test:
        held = table_of(data, files, "test", columns)[1]
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


def cell_of(text, lower, upper):
    """A number within its bounds; a missing one is the middle."""
    try:
        return min(max(float(text), lower), upper)
    except ValueError:
        return (lower + upper) / 2


def is_positive(text, columns, target):
    if "above" in target:
        return float(text) > target["above"]
    return float(text) == target["labels"][1] if "labels" in target else text == columns[-1]["values"][1]


def dp_ebm(columns, target, head, seen, held, epsilon, rate):
    """AUC and log loss of interpret's DP-EBM, bounds and categories given; None where it is not installed."""
    try:
        import numpy as np
        from interpret.privacy import DPExplainableBoostingClassifier
        from sklearn.metrics import log_loss, roc_auc_score
    except ImportError:
        return None
    features = [column for column in columns
                if column["type"] != "ignore" and column["name"] != target["column"]]
    kinds = ["continuous" if "lower" in column else "nominal" for column in features]
    bounds = {place: (column["lower"], column["upper"])
              for place, column in enumerate(features) if "lower" in column}

    def table(rows):
        cells = [[row[head.index(column["name"])] for column in features] for row in rows]
        return np.array([[cell if kind == "nominal" else
                          cell_of(cell, *bounds[place])
                          for place, (cell, kind) in enumerate(zip(row, kinds, strict=True))]
                         for row in cells], dtype=object)

    def labels(rows):
        place = head.index(target["column"])
        return np.array([is_positive(row[place], columns, target) for row in rows], dtype=int)

    model = DPExplainableBoostingClassifier(epsilon=epsilon, delta=1.0 / len(seen)**2, feature_types=kinds,
                                            privacy_bounds=bounds,
                                            **({} if rate is None else {"learning_rate": rate}))
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
    parser.add_argument("--peer-seeds", type=int, default=5, help="the same of DP-EBM, which is slow")
    parser.add_argument("--shard", default="0/1", help="I/N: every N-th set from the I-th on")
    given, more = parser.parse_known_args()
    shard, shards = map(int, given.shard.split("/"))
    for name in given.sets.split(",")[shard::shards]:
        files, columns, target = SETS[name]
        is_number = name.endswith("-number")
        head, parts = splits(given.data, files, columns, given.test, given.seeds)
        for epsilon in map(float, given.epsilons.split(",")):
            for model in given.models.split(","):
                found = []
                for seen, held in parts[:given.peer_seeds] if model.startswith("dp-ebm") else parts:
                    with tempfile.TemporaryDirectory() as place:
                        folder = pathlib.Path(place)
                        if model.startswith("dp-ebm"):
                            rate = float(model.split(":")[1]) if ":" in model else None
                            scores = None if is_number else dp_ebm(columns, target, head, seen, held, epsilon, rate)
                        else:
                            write(folder / "train.csv", head, seen)
                            write(folder / "held.csv", head, held)
                            schema = {"target": target, "columns": columns, **MORE.get(name, {})}
                            (folder / "schema.json").write_text(json.dumps(schema))
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
