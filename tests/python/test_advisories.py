"""Files that a version with a known defect made: verify() warns, and advisories_ lists them."""

import pathlib
import warnings

import numpy as np
import pytest
import sotto
from sotto import pate

MADE = pathlib.Path(__file__).resolve().parents[1] / "cli" / "verify" / "made-by-0.1.0"


def ids(certified):
    return [advisory["id"] for advisory in certified.advisories_]


@pytest.mark.parametrize(("name", "expected"), [
    ("python-labels", ["SOTTO-2026-06"]), ("python-units", ["SOTTO-2026-04"]),
    ("python-bounds", ["SOTTO-2026-04", "SOTTO-2026-06"]), ("query-unit-train", ["SOTTO-2026-03"]),
    ("matrix-train", ["SOTTO-2026-05"])])
def test_a_model_of_an_affected_version_warns(name, expected):
    model = sotto.load(MADE / f"{name}.json")
    assert ids(model) == expected
    with pytest.warns(sotto.PrivacyWarning) as caught:
        model.verify()
    assert [expected_id in str(warning.message)
            for expected_id, warning in zip(expected, caught, strict=True)] == [True] * len(expected)


@pytest.mark.parametrize("name", ["csv-train", "python-numbers"])
def test_a_model_that_no_advisory_concerns_is_silent(name):
    model = sotto.load(MADE / f"{name}.json")
    assert model.advisories_ == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.verify()


def test_an_advisory_says_what_to_do():
    advisory, = sotto.load(MADE / "python-rows.json").advisories_
    assert set(advisory) == {"id", "affected", "fixed_in", "affects_privacy", "effect", "remedy"}
    assert advisory["affects_privacy"] is False
    assert (advisory["affected"], advisory["fixed_in"]) == ("0.1.0", "0.2.0")
    assert "train the model again" in advisory["remedy"]


def test_labels_by_teachers_warn():
    labels = pate.load(MADE / "teachers-labels.json")
    assert ids(labels) == ["SOTTO-2026-01", "SOTTO-2026-03", "SOTTO-2026-09"]
    with pytest.warns(sotto.PrivacyWarning, match="SOTTO-2026-01"):
        labels.verify()


def test_a_model_of_this_version_has_none():
    random = np.random.default_rng(7)
    X, y = random.uniform(0, 1, (40, 2)), np.arange(40) % 2
    model = sotto.LogisticRegression(1.0, 1e-6, data_norm=1.5, classes=[0, 1]).fit(X, y).model_
    assert model.advisories_ == []
    public = sotto.LogisticRegression(None, data_norm=1.5, classes=[0, 1], method="none",
                                      data_is_public=True).fit(X, y).model_
    assert public.advisories_ == []
