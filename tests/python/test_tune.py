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


def test_public_rows_in_memory_are_scored_on_like_a_file(tmp_path):
    X, y = rows(seed=12)
    shown = {"score_epsilon": None, "grid": {"lambda_": [5, 20.0]}}
    in_memory = tuned(validation=(X, y), **shown)
    path = tmp_path / "public.libsvm"
    path.write_text("".join(f"{label} " + " ".join(f"{i + 1}:{cell!r}" for i, cell in enumerate(row))
                            + "\n" for label, row in zip(y.tolist(), X.tolist(), strict=True)))
    assert in_memory.model_json_ == tuned(validation=path, **shown).model_json_
    assert "scored on public rows" in in_memory.certificate_["tuning"]


def test_a_plan_says_the_budget_of_each_training():
    plan = estimator().plan_tuning(3, search={"lambda_": ("log", 5, 50)}, candidates=2, runs_mean=3,
                                   score_epsilon=0.1)
    assert len(plan["candidates"]) == 2 and plan["epsilon_of_run"] < 4.0
    price = sotto.account.selection(sotto.account.event(noise_multiplier=4.0), runs_mean=10, delta=1e-6)
    once = sotto.account.epsilon(sotto.account.event(noise_multiplier=4.0), delta=1e-6)
    assert once.epsilon < price.epsilon < 3 * once.epsilon


@pytest.mark.parametrize("validation", [rows()[0], (), 5, "same"])
def test_rows_that_cannot_be_public_are_refused(validation):
    X, y = rows()
    given = (X, y) if isinstance(validation, str) else validation
    with pytest.raises((sotto.SottoError, ValueError), match="public rows"):
        sotto.LogisticRegression(epsilon=4.0, delta=1e-6, bounds=(-1, 1), classes=[0, 1]).tune(
            X, y, grid={"lambda_": [5]}, runs_mean=4, validation=given)


def test_a_grid_has_lists():
    with pytest.raises(ValueError, match=r"give a list of them, for example \[5\]"):
        estimator().plan_tuning(3, grid={"lambda_": 5}, runs_mean=4, score_epsilon=0.1)
    with pytest.raises(ValueError, match="runs_mean is missing"):
        estimator().plan_tuning(3, grid={"lambda_": [5]}, score_epsilon=0.1)


def test_images_are_tuned_on_as_they_are_trained_on():
    images = np.zeros((4, 8, 8), dtype=np.uint8)
    network = sotto.CNNClassifier(8.0, 1e-5, bounds=(0, 255), classes=[0, 1], expected_rows=4)
    with pytest.raises(sotto.SottoError, match="poisson"):  # read as images, and refused for the law
        network.tune(images, [0, 1, 0, 1], grid={"epochs": [1]}, runs_mean=2, distribution="poisson",
                     validation=(images.copy(), [0, 1, 0, 1]))
