"""Models of several draws of a posterior: their mean, their intervals, and the settings that make them."""

import json

import numpy as np
import pytest
import sotto

DRAWS = 19


def model_file(kind="logistic", draws=DRAWS, seed=5):
    """The text of a model of several draws of three features, made by hand."""
    random = np.random.default_rng(seed)
    schema = {"features": 3, "intercept": 0, "row_norm": {"bound": 4.0, "rule": "clip"}}
    file = {"kind": "model", "version": 4, "model": kind, "method": "posterior", "sampler": "mala",
            "heuristic": True, "draws": draws, "settings": {}}
    shape = (draws, 3)
    if kind == "linear":
        schema["target"] = {"lower": -20, "upper": 60}
    elif kind == "softmax":
        schema["labels"], file["classes"], shape = [4, 7, 9], ["4", "7", "9"], (draws, 3, 3)
    else:
        schema["labels"], file["classes"] = [0, 1], ["0", "1"]
    values = np.round(random.normal(size=shape) * 64) / 64 + 1 / 128
    spelled = np.vectorize(spell, otypes=[object])(values)
    return json.dumps({**file, "schema": schema, "coefficients": spelled.tolist()}), values


def spell(value):
    """A double as the model file has it: hexadecimal, without zeros at the end."""
    digits, exponent = float(value).hex().split("p")
    return f"{digits.rstrip('0').rstrip('.')}p{exponent}"


def rows(count=50, seed=7):
    """Exact on the grid of features, and shorter than the bound."""
    return np.round(np.random.default_rng(seed).uniform(-2, 2, size=(count, 3)) * 64) / 64


def test_a_prediction_is_the_mean_of_the_draws():
    X = rows()
    for kind in ("logistic", "linear", "softmax"):
        text, values = model_file(kind)
        model = sotto.Model(text)
        each = model.predict_draws(X)
        assert model.draws_ == DRAWS and model.sampler_ == "mala"
        assert each.shape[:2] == (len(X), DRAWS)
        if kind == "linear":
            assert np.allclose(each, np.clip(20 + 40 * X @ values.T, -20, 60))
            assert np.allclose(model.predict(X), each.mean(axis=1))
            assert np.allclose(model.coef_draws_, 40 * values)
            assert np.allclose(model.coef_, 40 * values.mean(axis=0))
        else:
            assert np.allclose(model.predict_proba(X), each.mean(axis=1))
            assert np.allclose(model.coef_, values.mean(axis=0).reshape(model.coef_.shape))
            assert (model.predict(X) == model.classes_[each.mean(axis=1).argmax(axis=1)]).all()


def test_an_interval_ends_at_order_statistics():
    X = rows()
    for kind in ("logistic", "linear", "softmax"):
        model = sotto.Model(model_file(kind)[0])
        ordered = np.sort(model.predict_draws(X), axis=1)
        for level, place in ((0.9, 1), (0.8, 2), (0.5, 5)):
            lower, upper = model.predict_interval(X, level)
            assert (lower == ordered[:, place - 1]).all()
            assert (upper == ordered[:, DRAWS - place]).all()


def test_levels_that_cannot_be_are_refused():
    model = sotto.Model(model_file()[0])
    for level in (0.0, 1.0, -1.0, float("nan")):
        with pytest.raises(sotto.SottoError, match="between 0 and 1"):
            model.predict_interval(rows(), level)
    with pytest.raises(sotto.SottoError, match='needs 39 posterior samples, but the model has 19.*method="posterior"'):
        model.predict_interval(rows(), 0.95)


def test_estimators_hand_over_how_to_draw():
    fine = sotto.LogisticRegression(1.0, 1e-6, data_norm=1.0, classes=[0, 1], method="posterior",
                                    draws=DRAWS, lambda_=2.0)
    plan = fine.plan(4)
    assert plan["method"] == "posterior" and plan["sampler"] == "proximal"
    assert plan["settings"]["draws"] == DRAWS and plan["settings"]["lambda"] == 2.0
    with pytest.raises(sotto.SottoError, match="sampler is mala, a heuristic"):
        fine.set_params(sampler="mala").plan(4)
    with pytest.raises(sotto.SottoError, match="sampler is 'gibbs'"):
        fine.set_params(sampler="gibbs").plan(4)
    with pytest.raises(sotto.SottoError, match="draws is 1001; ask for 1 to 1000"):
        fine.set_params(sampler="auto", draws=1001).plan(4)


def test_a_certified_posterior_predicts_with_intervals():
    random = np.random.default_rng(3)
    X = random.uniform(-1, 1, size=(400, 2))
    y = np.clip(10 + 4 * X[:, 0] - 2 * X[:, 1] + random.normal(size=400), 0, 20)
    fitted = sotto.LinearRegression(
        4.0, 1e-6, bounds=(-1, 1), target_bounds=(0, 20), method="posterior", radius=2.0,
        draws=DRAWS).fit(X, y)
    lower, upper = fitted.predict_interval(X, 0.9)
    assert (lower <= upper).all()
    assert fitted.model_.sampler_ == "exact-gaussian"
    assert "exact-gaussian sampler" in fitted.certificate_["route"]
    fitted.model_.verify()
