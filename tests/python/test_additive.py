"""Additive estimators: scikit-learn's checks, curves, and a score that a straight line does not reach."""

import json

import checks
import numpy as np
import pandas as pd
import pytest
import sotto
from checks import SEEDED, failed_checks

FORBIDDEN = {
    **checks.FORBIDDEN,
    "check_estimators_empty_data_messages": "no rows must be refused, but their number is secret",
    "check_supervised_y_no_nan": "labels must be refused for what they are, but they are secret",
}


def arc(count=3000, seed=5):
    """Two columns; only the first matters, and not along a line."""
    X = np.random.default_rng(seed).uniform(-1.0, 1.0, size=(count, 2))
    return X, (np.abs(X[:, 0]) > 0.5).astype(int)


def test_a_private_regressor_passes_what_privacy_allows():
    estimator = sotto.AdditiveRegressor(epsilon=300.0, delta=1e-6, bounds=(-3.0, 3.0), bins=8,
                                        target_bounds=(-4.0, 4.0), lambda_=0.5, **SEEDED)
    assert failed_checks(estimator, FORBIDDEN) == {}


def test_on_public_rows_every_check_passes():
    estimator = sotto.AdditiveClassifier(None, method="none", data_is_public=True, bins=8,
                                         bounds=(-10.0, 10.0), threads=1)
    assert failed_checks(estimator) == {}


def test_a_curve_shows_the_form_of_a_column():
    X, y = arc()
    model = sotto.AdditiveClassifier(2.0, 1e-6, bounds=(-1.0, 1.0), classes=[0, 1], bins=16,
                                     expected_rows=3000, **SEEDED).fit(X, y)
    line = sotto.LogisticRegression(2.0, 1e-6, bounds=(-1.0, 1.0), classes=[0, 1], **SEEDED).fit(X, y)
    assert model.score(X, y) > 0.9 > 0.7 > line.score(X, y)
    first, second = model.curves_
    assert first["column"] == "x0" and (first["lower"], first["upper"]) == (-1.0, 1.0)
    assert len(first["edges"]) == 15 and len(first["adds"]) == 1 and len(first["adds"][0]) == 16
    heights = np.array(first["adds"][0])
    assert heights[[0, 1, 14, 15]].min() > heights[6:10].max()
    assert np.ptp(heights) > 3 * np.ptp(second["adds"][0])
    assert line.model_.curves_ == []


def test_settings_stand_in_the_file_which_verifies():
    X, y = arc(400)
    model = sotto.AdditiveClassifier(1.0, 1e-6, bounds=(-1.0, 1.0), classes=[0, 1], basis="bins",
                                     bins=4, **SEEDED).fit(X, y)
    members = json.loads(model.model_json_)
    assert members["settings"]["basis"] == "bins" and members["settings"]["bins"] == 4
    assert members["features"][:2] == ["x0=[-1, -0.5)", "x0=[-0.5, 0)"]
    assert model.plan(n_features=2)["norm_bound"] == pytest.approx((1 + 2 * 0.75) ** 0.5, rel=1e-6)


def test_categories_and_edges_come_from_the_schema():
    random = np.random.default_rng(3)
    table = pd.DataFrame({"town": random.choice(["Lund", "Ystad"], 800),
                          "age": random.uniform(18, 90, 800)})
    table["pay"] = 10.0 * (table["town"] == "Ystad") + 5.0 * (table["age"] >= 65)
    schema = {"target": "pay", "columns": [
        {"name": "town", "type": "category", "values": ["Lund", "Ystad"]},
        {"name": "age", "type": "number", "lower": 18, "upper": 90, "bin_edges": [40, 65]},
        {"name": "pay", "type": "number", "lower": 0, "upper": 15}]}
    model = sotto.AdditiveRegressor(20.0, 1e-6, schema=schema, lambda_=1.0, **SEEDED).fit(table)
    assert model.score(table) > 0.95
    town, age = model.curves_
    assert town["values"] == ["Lund", "Ystad"] and age["edges"] == [40.0, 65.0]


def test_an_interaction_is_what_two_curves_are_not():
    random = np.random.default_rng(4)
    table = pd.DataFrame({"hour": random.integers(0, 4, 3000), "works": random.random(3000) < 0.5})
    table["busy"] = (table["hour"] >= 2) == table["works"]
    columns = [{"name": "hour", "type": "integer", "lower": 0, "upper": 3},
               {"name": "works", "type": "boolean"}, {"name": "busy", "type": "boolean"}]
    schema = {"target": "busy", "columns": columns, "interactions": [["hour", "works"]]}
    settings = {"expected_rows": 3000, **SEEDED}
    model = sotto.AdditiveClassifier(1.0, 1e-6, schema=schema, **settings).fit(table)
    alone = sotto.AdditiveClassifier(1.0, 1e-6, schema={**schema, "interactions": []}, **settings).fit(table)
    assert model.score(table) > 0.99 > 0.7 > alone.score(table)
    pair = model.curves_[2]
    assert [axis["column"] for axis in pair["interaction"]] == ["hour", "works"]
    assert pair["interaction"][1]["values"] == ["false", "true"]
    numbers = np.array(pair["adds"][0])
    assert numbers.shape == (4, 2)
    assert (np.sign(numbers) == [[1, -1], [1, -1], [-1, 1], [-1, 1]]).all()


def test_exclusive_booleans_are_one_column():
    random = np.random.default_rng(5)
    soil = random.integers(0, 4, 800)
    table = pd.DataFrame({f"soil_{i}": soil == i for i in range(3)})
    table["grows"] = soil == 1
    schema = {"target": "grows", "exclusive": [["soil_0", "soil_1", "soil_2"]],
              "columns": [{"name": name, "type": "boolean"} for name in table.columns]}
    model = sotto.AdditiveClassifier(5.0, 1e-6, schema=schema, **SEEDED).fit(table)
    assert model.score(table) > 0.99
    (curve,) = model.curves_
    assert curve["values"] == ["soil_0", "soil_1", "soil_2", "none of them"]
    line = sotto.LogisticRegression(5.0, 1e-6, schema=schema, **SEEDED).fit(table)
    assert line.plan()["norm_bound"] == pytest.approx(2 ** 0.5, rel=1e-6) and line.score(table) > 0.99


def test_columns_without_bounds_are_refused():
    X, y = arc(50)
    with pytest.raises(sotto.InvalidArgumentError, match="no bounds"):
        sotto.AdditiveClassifier(1.0, 1e-6, data_norm=1.0, classes=[0, 1]).fit(X, y)
