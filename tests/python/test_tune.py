"""The best of a secret number of trainings, from Python: the winner is a model like any other, charged once."""

import numpy as np
import pytest
import sotto


def rows(count=200, seed=11):
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, size=(count, 3))
    return X, (X[:, 0] + 0.25 * random.normal(size=count) > 0).astype(int)


def estimator(**settings):
    return sotto.LogisticRegression(epsilon=4.0, delta=1e-6, data_norm=2.0, classes=[0, 1],
                                    insecure_test_seed=3, **settings)


def tuned(**settings):
    X, y = rows()
    given = {"grid": "lambda=5,20", "runs_mean": 4, "score_epsilon": 0.25, **settings}
    with pytest.warns(sotto.PrivacyWarning):
        return estimator().tune(X, y, **given)


def test_the_winner_is_a_model_with_its_certificate():
    model = tuned()
    X, y = rows(seed=12)
    assert model.coef_.shape == (1, 3)
    assert model.score(X, y) > 0.7
    certificate = model.certificate_
    assert certificate["epsilon"] <= 4.0
    assert certificate["tuning"].startswith("tuned: lambda=")
    assert "4 on average" in certificate["tuning"]
    assert [event["mechanism"] for event in certificate["plan"]["events"]] == ["rdp"]


def test_other_laws_and_searches():
    poisson = tuned(distribution="poisson", grid=None, search="lambda=log:5:50", candidates=3, search_seed=2)
    assert "Poisson" in poisson.certificate_["tuning"]
    assert "eta 0" in tuned(eta=0.0).certificate_["tuning"]


@pytest.mark.parametrize(("settings", "word"), [
    ({"grid": "lamda=1"}, "lambda"), ({"runs_mean": 1}, "above 1"), ({"score_epsilon": None}, "score"),
    ({"distribution": "uniform"}, "uniform"), ({"grid": None}, "nothing to choose")])
@pytest.mark.filterwarnings("ignore::sotto.PrivacyWarning")
def test_what_cannot_be_tuned_is_refused(settings, word):
    X, y = rows()
    given = {"grid": "lambda=5,20", "runs_mean": 4, "score_epsilon": 0.25, **settings}
    with pytest.raises(sotto.SottoError, match=word):
        estimator().tune(X, y, **given)
