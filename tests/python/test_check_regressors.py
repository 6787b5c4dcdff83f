"""The regressors pass scikit-learn's own checks, but for three that a promise of privacy forbids."""

import checks
import pytest
import sotto
from checks import SEEDED, failed_checks
from sklearn.base import clone, is_regressor

REGRESSORS = {
    sotto.LinearRegression: {"target_bounds": (-4.0, 4.0)},
    sotto.HuberRegressor: {"target_bounds": (-4.0, 4.0)},
    # A check asks for an R^2 of 0.5 on 200 rows.
    sotto.PoissonRegressor: {"target_bounds": (0.0, 8.0), "method": "gd", "expected_rows": 200},
}
FORBIDDEN = {
    **checks.FORBIDDEN,
    "check_estimators_empty_data_messages": "no rows must be refused, but their number is secret",
    "check_supervised_y_no_nan": "labels must be refused for what they are, but they are secret",
}


@pytest.mark.parametrize("kind, public", [
    (sotto.LinearRegression, {"data_norm": 5.0}), (sotto.HuberRegressor, {"bounds": (-3.0, 3.0)}),
    (sotto.PoissonRegressor, {"data_norm": 5.0})], ids=["linear", "huber", "poisson"])
def test_a_private_regressor_passes_what_privacy_allows(kind, public):
    estimator = kind(epsilon=100.0, delta=1e-6, **REGRESSORS[kind], **public, **SEEDED)
    assert failed_checks(estimator, FORBIDDEN) == {}


@pytest.mark.parametrize("kind", REGRESSORS, ids=lambda kind: kind.__name__)
def test_on_public_rows_every_check_passes(kind):
    settings = {**REGRESSORS[kind], "method": "none", "expected_rows": None}
    assert failed_checks(kind(None, data_is_public=True, data_norm=5.0, threads=1,
                              **settings)) == {}


@pytest.mark.parametrize("kind", REGRESSORS, ids=lambda kind: kind.__name__)
def test_a_regressor_is_known_as_one(kind):
    estimator = kind(1.0, data_norm=1.0, **REGRESSORS[kind])
    assert is_regressor(estimator)
    assert clone(estimator).get_params() == estimator.get_params()
    assert estimator.__sklearn_tags__().non_deterministic
    assert estimator.__sklearn_tags__().target_tags.positive_only == (kind.__name__[0] == "P")
