"""ConceptClassifier: one rule of a finite class."""

import json
import pickle
import warnings

import numpy as np
import pytest
import sotto
from checks import FORBIDDEN, SEEDED, DeclaringConceptClassifier, failed_checks


def rows(count=2000, seed=1):
    """Ill from 4 on in the second column; one row in ten is the contrary."""
    random = np.random.default_rng(seed)
    X = random.uniform(0, 10, size=(count, 2))
    return X, (X[:, 1] >= 4) != (random.uniform(size=count) < 0.1)


def fitted(**settings):
    X, y = rows()
    settings = {"epsilon": 1.0, "bounds": (0, 10), "classes": [0, 1], **settings}
    return sotto.ConceptClassifier(**settings).fit(X, y.astype(int))


def test_the_rule_is_found_and_its_certificate_holds():
    X, y = rows(seed=2)
    model = fitted()
    assert model.score(X, y.astype(int)) > 0.85
    feature, sign, cut = model.rule_.split()
    assert (feature, sign) == ("x1", ">=")
    assert 3.8 < float(cut) < 4.2
    assert (model.certificate_["epsilon"], model.certificate_["delta"]) == (1.0, 0.0)
    model.model_.verify()
    assert set(model.decision_function(X)) == {-1.0, 1.0}
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize("mechanism", ["exponential", "permute-and-flip", "laplace"])
def test_every_mechanism_learns(mechanism):
    concept = {"class": "stumps", "columns": ["x1"], "cuts": {"x1": [2, 4, 6]}}
    model = fitted(concept=concept, mechanism=mechanism, epsilon=4.0)
    assert model.rule_ == "x1 >= 4"
    assert json.loads(model.model_json_)["method"] == mechanism


def test_laplace_hands_out_what_it_counted():
    concept = {"class": "stumps", "columns": ["x1"], "cuts": {"x1": [2, 4, 6]}}
    model = fitted(concept=concept, mechanism="laplace", epsilon=4.0)
    (counts,) = model.noisy_errors_
    assert counts.shape == (10,)  # five cuts, both ways
    assert list(model.error_scales_) == [2.5]
    X, y = rows()
    wrong = int((model.predict(X) != y).sum())
    found = model.model_.training_errors()
    assert (found["noisy"], found["scale"]) == (counts.min(), 2.5)
    assert wrong <= found["upper"] <= counts.min() + 14
    assert model.model_.best_rules(2)[0] == (model.rule_, counts.min())
    assert [errors for _, errors in model.model_.best_rules(99)] == sorted(counts)
    assert fitted().noisy_errors_ is None
    assert fitted().model_.best_rules() == []
    with pytest.raises(sotto.SottoError, match="laplace"):
        fitted().model_.training_errors()


def test_a_class_is_a_name_a_file_a_text_or_an_object(tmp_path):
    concept = {"class": "thresholds", "columns": ["x1"], "cuts": {"x1": [2, 4, 6]}}
    path = tmp_path / "class.json"
    path.write_text(json.dumps(concept), encoding="utf-8")
    for given in (concept, json.dumps(concept), path, str(path)):
        assert fitted(concept=given).rule_ == "x1 >= 4"


def test_public_rows_need_no_epsilon():
    model = fitted(epsilon=None, mechanism="none", data_is_public=True)
    assert model.certificate_ is None
    assert model.rule_.startswith("x1 >= ")


def test_a_plan_says_how_many_errors_more():
    planned = sotto.ConceptClassifier(1.0, bounds=(0, 10), classes=[0, 1],
                                      concept="stumps").plan(n_features=2)
    assert planned["method"] == "exponential"
    assert planned["class"]["kind"] == "stumps"
    assert planned["settings"]["shortfall"] > 0


def test_what_rules_do_not_have_is_refused():
    for settings, words in (({"delta": 1e-6}, "pure"), ({"method": "gd"}, "gd"),
                            ({"concept": "trees"}, "trees"), ({"lambda_": 1.0}, "lambda"),
                            ({"bounds": None, "data_norm": 1.0}, "bounds"),
                            ({"mechanism": "gaussian"}, "gaussian")):
        with pytest.raises(sotto.SottoError, match=words):
            fitted(**settings)


def test_a_copy_is_the_same_model(tmp_path):
    X, _ = rows(seed=3)
    model = fitted()
    model.save(tmp_path / "rule.json")
    for again in (pickle.loads(pickle.dumps(model)), sotto.load(tmp_path / "rule.json")):
        assert (again.predict(X) == model.predict(X)).all()
    assert again.rule_ == model.rule_


def test_every_check_passes():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = DeclaringConceptClassifier(epsilon=100.0, bounds=(-10.0, 10.0), **SEEDED)
        assert failed_checks(estimator, FORBIDDEN) == {}
