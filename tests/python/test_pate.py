"""Labels by the vote of teachers trained elsewhere: arrays in, labels and a certificate out."""

import doctest
import json
import os
import pathlib
import pickle
import subprocess

import numpy as np
import pytest
import sotto
from sotto import pate

COMMAND = pathlib.Path(os.environ["SOTTO_BUILD"]) / "sotto"
CLASSES = ["cat", "dog", "owl"]
GNMAX = pate.Vote("gnmax", noise=2.5, touched=1)
NUMBERS = {"features": 3, "target": {"lower": 0, "upper": 1}, "row_norm": {"bound": 1, "rule": "clip"}}


def votes(queries=12, teachers=250, seed=5):
    """What is right, what teachers say (teachers x queries), and the counts (queries x classes)."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, 3, queries)
    said = np.where(random.random((teachers, queries)) < 0.8, truth,
                    random.integers(0, 3, (teachers, queries)))
    return truth, said, np.stack([(said == place).sum(axis=0) for place in range(3)], axis=1)


def label(counts=None, vote=GNMAX, **given):
    settings = {"classes": CLASSES, "answers": 12, "delta": 1e-5, "insecure_test_seed": 7, **given}
    with pytest.warns(sotto.PrivacyWarning):
        return pate.label(counts, vote, **settings)


def test_labels_are_the_winners_with_a_certificate(tmp_path):
    truth, _, counts = votes()
    labels = pate.label(counts, GNMAX, classes=CLASSES, epsilon=60.0, delta=1e-5)  # fresh noise
    assert labels.asked == labels.answered == 12 == len(labels.rows)
    assert labels.y.tolist() == [CLASSES[place] for place in truth]
    assert labels.certificate_["epsilon"] <= labels.epsilon == 60.0
    assert labels.certificate_["plan"]["events"][0]["count"] == 12
    labels.verify()
    labels.save(tmp_path / "labels.json")
    loaded = pate.load(tmp_path / "labels.json")
    assert loaded.y.tolist() == labels.y.tolist() and loaded.classes == CLASSES
    loaded.verify()
    assert labels.plot().startswith("<svg") and "12 of 12" in repr(labels)
    with pytest.raises(ValueError, match="just made"):
        loaded.plot()
    assert pickle.loads(pickle.dumps(labels)).y.tolist() == labels.y.tolist()


def test_no_answer_is_masked_and_no_class_beneath():
    _, _, counts = votes()
    counts[::2] = [84, 83, 83]  # nobody agrees: the test fails
    vote = pate.Vote("confident", noise=5, test_noise=5, threshold=150, touched=1)
    for classes, absent in ((CLASSES, ""), ([0, 1, 2], -1), ([0.5, 1.5, 2.5], -0.5)):
        labels = label(counts, vote, classes=classes)
        assert labels.rows.tolist() == list(range(1, 12, 2)) and labels.answered == 6
        assert labels.labels.mask.tolist() == [True, False] * 6
        assert labels.labels[labels.rows].tolist() == labels.y.tolist()
        assert set(labels.labels.filled()[::2].tolist()) == {absent}
        assert set(labels.y.tolist()) <= set(classes)
    truth = label([[125, 125], [10, 240]], vote, classes=[False, True])
    assert truth.labels[0] is np.ma.masked and truth.labels.data.tolist() == [None, True]


@pytest.mark.parametrize("classes", [CLASSES, [3, 5, 8]])
def test_predictions_are_counted_as_counts_are(classes):
    _, said, counts = votes()
    from_counts = label(counts, classes=classes, teachers=250, skip=2)
    predictions = np.array(classes)[said]
    from_predictions = label(predictions=predictions, classes=classes, skip=2)
    assert from_predictions.json == from_counts.json
    assert from_counts.rows[0] == 2 and len(from_counts.labels) == 10
    schema = sotto.Schema(json.loads(from_counts.json)["schema"])
    assert label(counts, classes=None, schema=schema, teachers=250, skip=2).y.tolist() == (
        from_counts.y.tolist())


def test_no_vote_can_stop_it():
    _, said, counts = votes()
    strange = counts.astype(float)
    strange[0], strange[1] = [np.nan, -3, 0.5], [np.inf, 1e300, -np.inf]
    assert label(strange).asked == 12
    words = np.array(CLASSES, dtype=object)[said]
    words[0, 0], words[1, 1], words[2, 2] = None, "cow", 17
    assert label(predictions=words).asked == 12
    numbers = said.astype(float)
    numbers[0, 0] = np.nan
    assert label(predictions=numbers, classes=[0, 1, 2]).asked == 12


def test_the_caps_are_charged_to_the_ledger(tmp_path):
    _, _, counts = votes()
    ledger = tmp_path / "budget.ledger"
    subprocess.run([COMMAND, "ledger", "init", ledger, "--dataset", "pets", "--epsilon", "9",
                    "--delta", "1e-4"], check=True, capture_output=True)
    given = {"classes": CLASSES, "delta": 1e-5, "epsilon": 8.0, "dataset": "pets", "ledger": ledger}
    charged = pate.label(counts, GNMAX, **given)
    assert charged.certificate_["ledger"] is not None
    with pytest.raises(sotto.BudgetExceededError, match="budget.ledger|pets"):
        pate.label(counts, GNMAX, **given)
    with pytest.raises(ValueError, match='unit="record"'):
        pate.label(counts, pate.Vote("gnmax", noise=2.5, touched=1, unit="teacher"), **given)
    fits = GNMAX.answers(epsilon=8.0, delta=1e-5)
    labels = label(np.tile(counts, (20, 1)), epsilon=8.0, answers=None)
    assert labels.answer_at_most == fits.answers and fits.epsilon <= 8.0
    caps = GNMAX.plan(asked=fits.answers)
    assert sotto.account.epsilon(caps, delta=1e-5).epsilon == fits.epsilon
    assert labels.realised_epsilon == pytest.approx(fits.epsilon)


def test_how_much_teachers_agree_is_paid_for():
    _, _, counts = votes()
    labels = label(counts, teachers=250, agreement_noise=10.0, agreement_bins=5)
    assert labels.agreement["mean"] == pytest.approx(0.87, abs=0.15)
    assert labels.agreement["share"].sum() == pytest.approx(1.0)
    assert len(labels.certificate_["plan"]["events"]) == 2
    assert label(counts).agreement is None


def test_the_sensitive_epsilon_is_asked_for_by_its_name():
    _, _, counts = votes()
    assert label(counts).sensitive_epsilon is None
    shown = label(counts, show_sensitive_data_dependent_epsilon=True)
    assert 0 <= shown.sensitive_epsilon <= shown.realised_epsilon * (1 + 1e-9)
    assert "sensitive" not in shown.json


def test_teachers_that_one_record_touches():
    assert pate.touched() == 1
    assert pate.touched(adjacency="replace-one") == 2
    assert pate.touched(adjacency="replace-one", shards=3, id_may_change=False) == 3


@pytest.mark.parametrize(("vote", "settings", "words"), [
    ({"aggregator": "gnmx"}, {}, "gnmx"),
    ({"aggregator": "interactive"}, {}, "give directory=, public= and student="),
    ({"touched": None}, {}, "touched is missing"),
    ({"touched": -1}, {}, "touched is -1"),
    ({"noise": None}, {}, "noise"),
    ({"noise": -2.0}, {}, "-2"),
    ({"unit": "row"}, {}, "unit is 'row'"),
    ({}, {"delta": 2.0}, "delta is 2"),
    ({}, {"answers": None}, "neither epsilon nor"),
    ({}, {"ask": 13, "answers": 13}, "12 rows.*ask is 13.*smaller ask"),
    ({}, {"classes": None}, "classes= or by schema="),
    ({}, {"classes": [0, 1]}, "3 columns.*2 classes"),
    ({}, {"counts": None}, "counts.*or predictions"),
    ({}, {"counts": np.array([1, 2, 3])}, "2D array"),
    ({}, {"counts": None, "predictions": [1, 2, 3]}, "2D array"),
    ({}, {"agreement_noise": 5.0}, "teachers"),
    ({}, {"schema": NUMBERS, "classes": None}, "label set"),
])
def test_what_is_refused_says_the_value_and_the_remedy(vote, settings, words):
    given = {"counts": votes()[2], "classes": CLASSES, "answers": 12, "delta": 1e-5, **settings}
    made = pate.Vote(**{"aggregator": "gnmax", "noise": 2.5, "touched": 1, **vote})
    with pytest.raises((sotto.SottoError, ValueError), match=words):
        pate.label(vote=made, **given)


def test_the_examples_of_the_module_run():
    assert doctest.testmod(pate).failed == 0
