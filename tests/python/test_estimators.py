"""Every estimator beside LogisticRegression, whose tests cover what all of them share."""

import json
import os
import pathlib
import pickle
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest
import sotto
from sklearn.base import clone

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = pathlib.Path(os.environ["SOTTO_BUILD"]) / "sotto"
SURVEY = {
    "columns": [
        {"name": "person", "type": "ignore"},
        {"name": "age", "type": "number", "lower": 18, "upper": 90, "missing": 45},
        {"name": "town", "type": "category", "missing": "elsewhere",
         "values": ["Lund", "Ystad", "Malmo", "Kivik", "elsewhere"]},
        {"name": "smokes", "type": "boolean", "missing": False},
        {"name": "visits", "type": "integer", "lower": 0, "upper": 12, "missing": 0},
        {"name": "income", "type": "ignore"},
        {"name": "offer", "type": "number", "lower": 0, "upper": 25, "missing": 0},
    ],
}
WEIGHTS = np.array([1.0, -2.0, 0.5])
CLASSIFIERS = (sotto.LinearSVC, sotto.SoftmaxRegression)
REGRESSORS = (sotto.LinearRegression, sotto.HuberRegressor, sotto.PoissonRegressor)
EVERY = pytest.mark.parametrize("kind", [*CLASSIFIERS, *REGRESSORS], ids=lambda kind: kind.__name__)


def rows(kind, count=2000, seed=1):
    """Rows with targets that this kind of model can learn."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(count, 3))
    if kind is sotto.SoftmaxRegression:
        return X, X.argmax(axis=1)
    if kind is sotto.PoissonRegressor:
        return X, random.poisson(np.exp(X @ WEIGHTS / 4 + 1))
    return X, ((X @ WEIGHTS > 0).astype(np.int64) if kind in CLASSIFIERS else 10 + 3 * X @ WEIGHTS)


def private(kind, **settings):
    """A private estimator for rows(kind), with everything public given."""
    goal = {"classes": [0, 1]}
    if kind is sotto.SoftmaxRegression:
        goal = {"classes": [0, 1, 2]}
    if kind in REGRESSORS:
        goal = {"target_bounds": (0, 20) if kind is sotto.PoissonRegressor else (-10, 30)}
    return kind(**{"epsilon": 4.0, "delta": 1e-6, "data_norm": 3.5, **goal, **settings})


def seeded(kind, X, y, **settings):
    """A fit whose noise is repeatable."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sotto.PrivacyWarning)
        return private(kind, insecure_test_seed=3, **settings).fit(X, y)


# ---- what all of them keep ----


@EVERY
@pytest.mark.parametrize("public", [{}, {"data_norm": None, "bounds": (-4, 4)}],
                         ids=["matrix", "table"])
def test_a_private_model_predicts_and_its_certificate_holds(kind, public):
    X, y = rows(kind)
    model = private(kind, **public).fit(X, y)
    assert model.score(*rows(kind, seed=2)) > (0.3 if kind is sotto.PoissonRegressor else 0.95)
    assert model.certificate_["epsilon"] <= 4
    model.model_.verify()
    assert (model.n_features_in_, model.predict(X).shape) == (3, (2000,))
    assert model.plan(n_features=3)["epsilon_of_plan"] <= 4


@EVERY
def test_a_saved_model_is_the_same_model(kind, tmp_path):
    X, y = rows(kind, 300)
    model = private(kind).fit(X, y)
    model.save(tmp_path / "model.json")
    loaded = sotto.load(tmp_path / "model.json")
    loaded.verify()
    for other in (loaded, pickle.loads(pickle.dumps(model)), pickle.loads(pickle.dumps(loaded))):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
        np.testing.assert_array_equal(other.coef_, model.coef_)
        np.testing.assert_array_equal(other.intercept_, model.intercept_)
    subprocess.run([COMMAND, "verify", tmp_path / "model.json"], check=True, capture_output=True)


@EVERY
def test_no_row_can_stop_a_training(kind):
    X, y = rows(kind, 100)
    X[3], X[4], X[5, 1], X[6] = np.nan, np.inf, -np.inf, 1e300
    y = y.astype(float)
    y[7:11] = [np.nan, np.inf, -np.inf, 1e300]
    model = private(kind).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    odd = y.astype(object)
    odd[:3] = [{"foo": "bar"}, "x", None]
    for few in (0, 1, 100):
        assert private(kind).fit(X[:few], odd[:few]).predict(X).shape == (100,)


@EVERY
@pytest.mark.parametrize("public", [{}, {"data_norm": None, "bounds": (-4, 4)}],
                         ids=["matrix", "table"])
def test_nothing_that_is_said_to_be_public_comes_from_the_rows(kind, public):
    X, y = rows(kind, 100)
    one = seeded(kind, X, y, **public)
    other = seeded(kind, 1000 * X[:7], 0 * y[:7], **public)
    assert one.model_.schema == other.model_.schema
    for name in ("settings", "epsilon", "delta", "method"):
        assert json.loads(one.model_json_)[name] == json.loads(other.model_json_)[name]
    assert one.certificate_["plan"] == other.certificate_["plan"]


@EVERY
def test_the_help_lists_every_setting_once(kind):
    text = kind.__doc__
    assert text.count("Parameters\n") == text.count("Attributes\n") == 1
    listed = [name.strip() for line in text.splitlines() if line[:5].strip() and " : " in line
              for name in line.split(" : ")[0].split(",")]
    listed = listed[:listed.index("model_")]
    assert sorted(listed) == sorted(kind._parameters())


# What a setting does is the command's affair: the same flags and seed give the same coefficients.
@pytest.mark.parametrize("kind, model, target, settings", [
    (sotto.LinearSVC, "svm", "smokes", {}),
    (sotto.LinearSVC, "svm", "smokes", {"width": 0.25, "lambda_": 40.0}),
    (sotto.LinearSVC, "svm", "smokes", {"l1": 2.5, "l1_width": 0.125, "delta": None}),
    (sotto.SoftmaxRegression, "softmax", "town", {}),
    (sotto.SoftmaxRegression, "softmax", "smokes", {"radius": 0.75}),
    (sotto.LinearRegression, "linear", "offer", {}),
    (sotto.LinearRegression, "linear", "offer", {"method": "adassp"}),
    (sotto.LinearRegression, "linear", "offer", {"method": "statistics", "expected_rows": 400}),
    (sotto.LinearRegression, "linear", "offer", {"threshold": 0.75, "adjacency": "replace-one"}),
    (sotto.HuberRegressor, "huber", "offer", {"threshold": 0.375}),
    (sotto.PoissonRegressor, "poisson", "visits", {"threshold": 2.5}),
    (sotto.PoissonRegressor, "poisson", "visits",
     {"method": "gd", "expected_rows": 400, "steps": 30, "learning_rate": 0.75, "iterate": "last"}),
    (sotto.LogisticRegression, "logistic", "smokes",
     {"method": "sgd", "expected_rows": 400, "batch": 40, "steps": 30, "schedule": "root",
      "iterate": "last", "radius": 4.0}),
    (sotto.LogisticRegression, "logistic", "smokes",
     {"method": "sgd", "sampling": "single-record", "adjacency": "replace-one", "public_n": 400,
      "steps": 5, "schedule": "constant", "iterate": "average"}),
    (sotto.LogisticRegression, "logistic", "smokes", {"method": "newton", "expected_rows": 400}),
    (sotto.LogisticRegression, "logistic", "smokes",
     {"method": "frank-wolfe", "radius": 2.0, "expected_rows": 400}),
    (sotto.LogisticRegression, "logistic", "smokes",
     {"method": "permutation-sgd", "adjacency": "replace-one", "public_n": 400, "steps": 3}),
    (sotto.LogisticRegression, "logistic", "smokes",
     {"method": "gd-output", "adjacency": "replace-one", "public_n": 400}),
], ids=str)
def test_every_setting_means_what_it_means_to_the_command(kind, model, target, settings, tmp_path):
    schema = {**SURVEY, "target": target}
    (tmp_path / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
    given = {"epsilon": 2.0, "delta": 1e-6, **settings}
    flags = [text for name, value in given.items() if value is not None
             for text in (f"--{name.rstrip('_').replace('_', '-')}", str(value))]
    subprocess.run([COMMAND, "train", ROOT / "examples" / "survey.csv", "--schema", "schema.json",
                    "--model", model, *flags, "--insecure-test-seed", "5", "--output",
                    "model.json"], check=True, capture_output=True, cwd=tmp_path)
    expected = sotto.load(tmp_path / "model.json")
    frame = pd.read_csv(ROOT / "examples" / "survey.csv")
    with pytest.warns(sotto.PrivacyWarning):
        fitted = kind(**given, schema=schema, insecure_test_seed=5).fit(frame)
    assert fitted.model_.kind == expected.kind == model
    np.testing.assert_array_equal(fitted.coef_, expected.coef_)
    np.testing.assert_array_equal(fitted.intercept_, expected.intercept_)
    scored = subprocess.run([COMMAND, "evaluate", "model.json", ROOT / "examples" / "survey.csv",
                             "--data-is-public", "--json"], check=True, capture_output=True,
                            cwd=tmp_path)
    told, ours = json.loads(scored.stdout), fitted.model_.evaluate(frame)
    name = "mse" if kind in REGRESSORS else "accuracy"
    assert (ours["rows"], ours[name]) == (told["rows"], told[name])


def test_a_prior_of_public_rows_is_the_centre(tmp_path):
    X, y = rows(sotto.LinearSVC)
    path = tmp_path / "public.json"
    private(sotto.LinearSVC, epsilon=None, delta=None, method="none",
            data_is_public=True).fit(X, y).save(path)
    centre = sotto.load(path).coef_
    near = seeded(sotto.LinearSVC, X[:5], y[:5], lambda_=1e7, prior=path).coef_
    far = seeded(sotto.LinearSVC, X[:5], y[:5], lambda_=1e7).coef_
    np.testing.assert_allclose(near, centre, atol=1e-4)
    np.testing.assert_allclose(far, 0, atol=1e-4)


# ---- classes ----


def test_a_support_vector_machine_has_scores_and_no_probabilities():
    X, y = rows(sotto.LinearSVC)
    model = private(sotto.LinearSVC).fit(X, y)
    scores = model.decision_function(X)
    np.testing.assert_array_equal(model.predict(X), (scores >= 0).astype(int))
    short = X[np.linalg.norm(X, axis=1) < 3.5]
    np.testing.assert_allclose(model.decision_function(short),
                               short @ model.coef_[0] + model.intercept_[0], atol=1e-5)
    assert not hasattr(model, "predict_proba") and not hasattr(model, "predict_log_proba")
    with pytest.raises(AttributeError, match="kind svm has no probabilities"):
        model.model_.predict_proba(X)
    assert np.isnan(model.model_.evaluate(X, y)["log_loss"])


def test_a_corner_of_no_width_is_the_hinge():
    X, y = rows(sotto.LinearSVC)
    model = private(sotto.LinearSVC, width=0, method="output", expected_rows=2000).fit(X, y)
    assert model.model_.kind == "hinge"
    assert model.score(X, y) > 0.95
    with pytest.raises(sotto.SottoError):
        private(sotto.LinearSVC, width=0, method="objective").fit(X, y)


@pytest.mark.parametrize("public", [{}, {"data_norm": None, "bounds": (-4, 4)}],
                         ids=["matrix", "table"])
@pytest.mark.parametrize("classes", [[0, 1, 2], ["a", "c", "b"], [7, -1, 3], [0.5, 2.5, 1.5]],
                         ids=str)
def test_softmax_learns_any_labels(classes, public):
    X, place = rows(sotto.SoftmaxRegression)
    y = np.array(classes)[place]
    model = private(sotto.SoftmaxRegression, classes=classes, **public).fit(X, y)
    probabilities = model.predict_proba(X)
    assert model.classes_.tolist() == classes
    assert (model.coef_.shape, model.intercept_.shape) == ((3, 3), (3,))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-14)
    np.testing.assert_array_equal(model.predict(X), model.classes_[probabilities.argmax(axis=1)])
    np.testing.assert_array_equal(model.decision_function(X), model.predict_log_proba(X))
    assert np.mean(model.predict(X) == y) == pytest.approx(model.score(X, y))
    assert model.score(X, y) > 0.95
    found = model.model_.evaluate(X, y)
    assert np.trace(found["confusion"]) == round(found["accuracy"] * 2000)


def test_softmax_of_two_classes_decides_like_the_others():
    X, y = rows(sotto.LinearSVC)
    model = private(sotto.SoftmaxRegression, classes=["no", "yes"]).fit(
        X, np.where(y, "yes", "no"))
    assert model.decision_function(X).shape == (2000,)
    np.testing.assert_array_equal(model.predict(X) == "yes", model.predict_proba(X)[:, 1] >= 0.5)
    short = X[np.linalg.norm(X, axis=1) < 3.5]
    scores = short @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(model.decision_function(short), scores[:, 1] - scores[:, 0],
                               atol=1e-4)


def test_more_than_two_classes_are_for_softmax():
    X, y = rows(sotto.SoftmaxRegression, 100)
    public = {"classes": None, "epsilon": None, "delta": None, "method": "none",
              "data_is_public": True}
    assert private(sotto.SoftmaxRegression, **public).fit(X, y).classes_.size == 3
    with pytest.raises(ValueError, match="Only binary"):
        private(sotto.LinearSVC, **public).fit(X, y)
    for kind in CLASSIFIERS:
        with pytest.raises(ValueError, match="give classes="):
            private(kind, classes=None).fit(X, y)
    with pytest.raises(ValueError, match="softmax"):
        private(sotto.LinearSVC, classes=[0, 1, 2]).fit(X, y)


# ---- numbers ----


@pytest.mark.parametrize("public", [{}, {"data_norm": None, "bounds": (-4, 4)}],
                         ids=["matrix", "table"])
@pytest.mark.parametrize("kind", REGRESSORS, ids=lambda kind: kind.__name__)
def test_coefficients_are_in_the_units_of_the_target(kind, public):
    X, y = rows(kind)
    model = private(kind, **public).fit(X, y)
    assert (model.coef_.shape, np.shape(model.intercept_)) == ((3,), ())
    inside = X[np.linalg.norm(X, axis=1) < 3.5]
    encoded = inside / 4 if "bounds" in public else inside
    lines = encoded @ model.coef_ + model.intercept_
    if kind is sotto.PoissonRegressor:
        lines = np.exp(lines)
    np.testing.assert_allclose(model.predict(inside), np.clip(lines, *model.target_bounds),
                               rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", REGRESSORS, ids=lambda kind: kind.__name__)
def test_targets_and_predictions_are_within_the_bounds(kind):
    X, y = rows(kind)
    tight = {"target_bounds": (2.0, 5.0)}
    model = seeded(kind, X, y, **tight)
    np.testing.assert_array_equal(model.coef_, seeded(kind, X, np.clip(y, 2, 5), **tight).coef_)
    predicted = model.predict(X)
    assert 2 <= predicted.min() <= predicted.max() <= 5
    assert not hasattr(model, "classes_") and model.model_.classes_ is None
    with pytest.raises(AttributeError, match="has no scores"):
        model.model_.decision_function(X)


@pytest.mark.parametrize("kind", REGRESSORS, ids=lambda kind: kind.__name__)
def test_numbers_are_scored_as_numbers(kind):
    X, y = rows(kind)
    model = private(kind, target_bounds=(0, 60) if kind is sotto.PoissonRegressor
                    else (-100, 100)).fit(X, y)
    found, residuals = model.model_.evaluate(X, y), y - model.predict(X)
    assert found["mse"] == pytest.approx(np.mean(residuals**2))
    assert found["mae"] == pytest.approx(np.mean(abs(residuals)))
    assert found["r2"] == model.score(X, y) == pytest.approx(1 - found["mse"] / np.var(y))
    assert np.isnan(found["deviance"]) == (kind is not sotto.PoissonRegressor)
    assert "confusion" not in found and "accuracy" not in found


@pytest.mark.parametrize("settings, text", [
    ({"target_bounds": None}, "the target has no public bounds; give target_bounds="),
    ({"target_bounds": (3.0, -3.0)}, "lower"), ({"target_bounds": (0, np.inf)}, "schema"),
    ({"threshold": -1.0}, "threshold"),
    ({"schedule": "magic"}, "schedule"), ({"iterate": "magic"}, "iterate"),
    ({"sampling": "magic"}, "sampling"), ({"batch": -3}, "batch is -3"),
    ({"schema": {**SURVEY, "target": "offer"}, "data_norm": None}, "target_bounds is .* beside"),
])
def test_wrong_settings_are_refused_by_name(settings, text):
    X, y = rows(sotto.LinearRegression, 100)
    with pytest.raises(ValueError, match=text):
        private(sotto.LinearRegression, **settings).fit(X, y)


def test_a_model_is_refused_what_it_cannot_learn_or_use():
    X, y = rows(sotto.LinearRegression, 100)
    with pytest.raises(sotto.SottoError, match="newton") as caught:
        private(sotto.LinearRegression, method="newton").fit(X, y)
    assert caught.value.status is sotto.Status.UNSUPPORTED
    frame = pd.read_csv(ROOT / "examples" / "survey.csv")
    for kind, target in ((sotto.LinearRegression, "town"), (sotto.LinearSVC, "offer")):
        with pytest.raises(ValueError, match=target):
            kind(1.0, 1e-6, schema={**SURVEY, "target": target}).fit(frame)


def test_counts_are_not_negative():
    X, y = rows(sotto.PoissonRegressor, 100)
    with pytest.raises(ValueError, match="lower"):
        private(sotto.PoissonRegressor, target_bounds=(-1, 10)).fit(X, y)


def test_a_plan_needs_what_is_public_and_no_row():
    with pytest.raises(ValueError, match="n_features"):
        private(sotto.LinearRegression).plan()
    with pytest.raises(ValueError, match="target_bounds="):
        private(sotto.LinearRegression, target_bounds=None).plan(3)
    with pytest.raises(ValueError, match="classes="):
        private(sotto.LinearSVC, classes=None).plan(3)
    planned = sotto.HuberRegressor(1.0, schema={**SURVEY, "target": "offer"}).plan()
    assert planned["epsilon_of_plan"] <= 1


def test_public_rows_may_be_refused_for_what_they_hold():
    X, y = rows(sotto.LinearRegression, 50)
    model = private(sotto.LinearRegression, epsilon=None, delta=None, method="none",
                    data_is_public=True)
    assert model.fit(X, y).certificate_ is None
    with pytest.raises(ValueError, match="no rows"):
        model.fit(X[:0], y[:0])
    y[3] = np.nan
    with pytest.raises(ValueError, match="y has NaN"):
        model.fit(X, y)


def test_the_decision_threshold_moves_the_second_class():
    X, y = rows(sotto.LogisticRegression)
    y = (y > 10).astype(int)
    model = sotto.LogisticRegression(4.0, 1e-6, data_norm=3.5, classes=[0, 1], decision_threshold=0.2).fit(X, y)
    second = model.predict_proba(X)[:, 1]
    assert (model.predict(X) == (second >= 0.2)).all()
    model.set_params(decision_threshold=0.8)
    assert (model.predict(X) == (second >= 0.8)).all()
    copy = X.copy()  # public
    assert model.score(copy, y) == pytest.approx(((second >= 0.8) == y).mean())
    assert model.model_.predict(X, threshold=0.0).all()
    assert clone(model).decision_threshold == 0.8 and pickle.loads(pickle.dumps(model)).decision_threshold == 0.8


@pytest.mark.parametrize("threshold", [-0.1, 1.5, float("nan")])
def test_a_threshold_is_a_probability(threshold):
    X, y = rows(sotto.LogisticRegression)
    model = sotto.LogisticRegression(4.0, 1e-6, data_norm=3.5, classes=[0, 1]).fit(X, y > 10)
    with pytest.raises(ValueError, match="lies in"):
        model.model_.predict(X, threshold=threshold)


def test_only_probabilities_of_two_classes_have_a_threshold():
    X, y = rows(sotto.SoftmaxRegression)
    model = private(sotto.SoftmaxRegression, decision_threshold=0.2).fit(X, y)
    with pytest.raises(ValueError, match="two classes a probability"):
        model.predict(X)
    with pytest.raises(TypeError, match="decision_threshold"):
        private(sotto.LinearSVC, decision_threshold=0.2)
