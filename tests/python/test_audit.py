"""From counts and scores of an attack to lower bounds, with the library's own numbers."""

import doctest
import math
import statistics

import numpy as np
import pytest
import sotto
from sotto import audit

COUNTS = {"true_positives": 450, "members": 500, "false_positives": 20, "others": 500}


def test_bounds_are_the_rates_limits_put_into_the_definitions():
    found = audit.bounds(**COUNTS, delta=1e-3, alpha=0.05)
    found_rate, _ = audit.rate_limits(450, 500, alpha=0.025)
    _, false_rate = audit.rate_limits(20, 500, alpha=0.025)
    assert (found["true_positive_rate_lower"], found["false_positive_rate_upper"]) == (found_rate,
                                                                                      false_rate)
    accuse = math.log((found_rate - 1e-3) / false_rate)
    assert found["epsilon_lower_accuse"] == pytest.approx(accuse, rel=1e-9)
    assert found["epsilon_lower"] >= found["epsilon_lower_accuse"]
    normal = statistics.NormalDist()
    assert found["mu_lower"] == pytest.approx(normal.inv_cdf(found_rate) - normal.inv_cdf(false_rate))
    assert audit.bounds(**COUNTS, delta=0.0)["gaussian_epsilon_lower"] is None


def test_scores_of_gaussian_worlds_bound_mu():
    random = np.random.default_rng(3)
    found = audit.bounds_of_scores(random.normal(1.5, size=4000), random.normal(size=4000),
                                   delta=1e-5, alpha=0.01, aim="mu")
    assert 1.2 < found["mu_lower"] < 1.5
    assert found["members"] == 2000  # the other half chose the threshold
    curve = audit.roc([3.0, 2.0, 1.0], [0.5, 2.0])
    assert curve["area"] == pytest.approx((2 + 1.5 + 1) / 6)
    assert curve["true_positive_rate"].tolist() == pytest.approx([0, 1 / 3, 2 / 3, 1, 1])
    assert curve["advantage"] == pytest.approx(0.5) and curve["threshold"][0] == math.inf


def test_lira_is_the_ratio_of_two_normal_laws():
    random = np.random.default_rng(6)
    taken = random.random((200, 3)) < 0.5
    theirs = random.normal(size=(200, 3)) * 0.5 + 2 * taken
    own = [1.5, 0.25, -1.0]
    for pooled in (False, True):
        sides = [[theirs[side[:, i], i] for i in range(3)] for side in (taken, ~taken)]
        deviations = [[values.std() for values in side] for side in sides]
        if pooled:
            deviations = [[np.concatenate([values - values.mean() for values in side]).std()] * 3
                          for side in sides]
        expected = [math.log(statistics.NormalDist(theirs[taken[:, i], i].mean(), a).pdf(phi)
                             / statistics.NormalDist(theirs[~taken[:, i], i].mean(), b).pdf(phi))
                    for i, (phi, a, b) in enumerate(zip(own, *deviations, strict=True))]
        assert audit.lira(own, theirs, taken, pooled=pooled) == pytest.approx(expected, rel=1e-9)
    offline = audit.lira(own, theirs, taken, offline=True)
    assert ((0 <= offline) & (offline <= 1)).all() and offline[0] > 0.99
    taken[:, 1] = True
    assert audit.lira(own, theirs, taken)[1] == 0 and audit.lira(own, theirs, taken, offline=True)[1] == 0.5


def test_a_claim_is_refuted_by_what_it_forbids_alone():
    small = sotto.account.event(noise_multiplier=2.0)
    large = sotto.account.event(noise_multiplier=0.25)
    assert audit.against(small, **COUNTS, delta=1e-6)["refuted"] is True
    verdict = audit.against(large, **COUNTS, delta=1e-6)
    assert verdict["refuted"] is False
    assert verdict["false_negative_rate_upper"] >= verdict["promised"]


def test_one_run_with_canaries():
    coins = audit.toss(400, insecure_test_seed=9)
    assert coins.dtype == bool and 140 < coins.sum() < 260
    assert (audit.toss(400) != audit.toss(400)).any()
    scores = np.random.default_rng(4).normal(size=400) + 5 * coins
    split = audit.one_run(scores, coins, delta=1e-5)
    assert split["canaries"] == 200 and split["epsilon_lower"] > 2
    fixed = audit.one_run(scores, coins, delta=1e-5, choice="fixed", guesses=100)
    again = audit.one_run_epsilon(canaries=400, guesses=100, correct=fixed["correct"], delta=1e-5)
    assert fixed["epsilon_lower"] == again
    assert fixed["mu_lower"] == audit.one_run_mu(canaries=400, guesses=fixed["mu_guesses"],
                                                 correct=fixed["mu_correct"]) > 0.5
    assert audit.one_run(-scores, coins, delta=1e-5, choice="union")["epsilon_lower"] == 0


def test_a_learner_is_attacked():
    found = audit.learner("svm", "output", epsilon=2.0, delta=1e-5, runs=400, alpha=0.05,
                          insecure_test_seed=1, svg=True)
    assert not found["refuted"] and 0 < found["epsilon_lower"] < found["epsilon"] <= 2.0
    assert found["route"] == "mu" and found["loss_most"] is None and found["runs"] == 400
    assert found["counts"]["members"] == 200 and "at least" in found["sentence"]
    assert found["svg"].startswith("<svg")
    with pytest.raises(KeyError, match="enough"):
        audit.learner("svm", "output", epsilon=2.0, delta=1e-5, runs=400, progress=stop)


def stop(*_):
    raise KeyError("enough")


@pytest.mark.parametrize(("call", "words"), [
    (lambda: audit.rate_limits(3, 2), "k is 3, n is 2"),
    (lambda: audit.rate_limits(-1, 2), "k is -1"),
    (lambda: audit.bounds(**{**COUNTS, "members": 400}, delta=0.0), "450"),
    (lambda: audit.bounds(**COUNTS, delta=-1.0), "delta is -1"),
    (lambda: audit.bounds_of_scores([1.0], [2.0], delta=0.0), "at least 4"),
    (lambda: audit.bounds_of_scores(np.array([[1.0]]), [2.0], delta=0.0), r"shape \(1, 1\)"),
    (lambda: audit.bounds_of_scores([1.0] * 9, [2.0] * 9, delta=0.0, aim="rho"), "aim is 'rho'"),
    (lambda: audit.lira([1.0], [[1.0, 2.0]], [[True, False]]), r"shape \(1, 2\).*1 examples"),
    (lambda: audit.one_run([1.0] * 16, [True] * 15, delta=0.0), "one coin a canary"),
    (lambda: audit.one_run([1.0] * 16, [2] * 16, delta=0.0), "True and False"),
    (lambda: audit.one_run([1.0] * 16, [True] * 16, delta=0.0, choice="best"), "'best'"),
    (lambda: audit.one_run_epsilon(canaries=5, guesses=6, correct=1, delta=0.0), "6 guesses of 5"),
    (lambda: audit.one_run_mu(canaries=5, guesses=0, correct=0), "0 guesses of 5"),
    (lambda: audit.learner("svm", "auto", epsilon=1.0), "auto"),
    (lambda: audit.learner("tree", "output", epsilon=1.0), "tree"),
])
def test_what_is_refused_says_the_value(call, words):
    with pytest.raises((sotto.SottoError, ValueError), match=words):
        call()


def test_the_examples_of_the_module_run():
    assert doctest.testmod(audit).failed == 0
