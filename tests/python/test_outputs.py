"""output=: a result that a ledger charged is never lost and never charged twice."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import warnings

import numpy as np
import pytest

import sotto
from sotto import pate

SOTTO = os.path.join(os.environ["SOTTO_BUILD"], "sotto")
CLASSES = [0, 1]


@pytest.fixture
def place(tmp_path):
    """A directory with a ledger, which only its owner may write to."""
    tmp_path.chmod(0o700)
    subprocess.run([SOTTO, "ledger", "init", str(tmp_path / "b.ledger"), "--dataset", "d", "--epsilon", "400",
                    "--delta", "1e-3"], check=True, capture_output=True)
    return tmp_path


def rows(seed=3, size=60):
    X = np.random.default_rng(seed).normal(size=(size, 2))
    return X, (X[:, 0] > 0).astype(int)


def charges(place, kind="reserve"):
    with sqlite3.connect(place / "b.ledger") as database:
        kinds = [json.loads(line)["kind"] for line, in database.execute("SELECT line FROM entry")]
    return kinds.count(kind)


def settings(place, **others):
    return {"epsilon": 0.5, "delta": 1e-6, "dataset": "d", "ledger": place / "b.ledger",
            "output": place / "o.json", **others}


def linear(place, **others):
    return sotto.LogisticRegression(data_norm=2.0, classes=CLASSES, **settings(place, **others))


def fit(place, **others):
    return linear(place, **others).fit(*rows())


def gd(place, **others):
    return linear(place, method="gd", steps=10, expected_rows=60, threads=1, **others)


def tune(place, **others):
    return linear(place, **others).tune(*rows(), grid={"lambda_": [10, 30]}, runs_mean=2, score_epsilon=0.1)


def network(place, **others):
    return sotto.MLPClassifier(bounds=(-4, 4), classes=CLASSES, expected_rows=60, steps=2, batch=20, hidden=(3,),
                               **settings(place, **others)).fit(*rows())


def concept(place, **others):
    return sotto.ConceptClassifier(bounds=(-4, 4), classes=CLASSES, concept="stumps",
                                   **settings(place, delta=None, **others)).fit(*rows())


def label(place, **others):
    votes = np.random.default_rng(5).integers(0, 2, size=(30, 12))
    return pate.label(predictions=votes, vote=pate.Vote("gnmax", noise=20, touched=1), classes=CLASSES,
                      **settings(place, epsilon=2.0, delta=1e-5, **others))


CHARGING = {"fit": fit, "gd": lambda place, **others: gd(place, **others).fit(*rows()), "tune": tune,
            "network": network, "concept": concept, "label": label}


def outcome(result):
    return result.outcome if isinstance(result, pate.Labels) else result.outcome_


def text(result):
    return result.json if isinstance(result, pate.Labels) else result.model_json_


@pytest.mark.parametrize("name", CHARGING)
def test_a_finished_call_is_handed_over_and_not_charged_again(place, name):
    run = CHARGING[name]
    first = run(place)
    assert outcome(first) == "new"
    assert (place / "o.json").read_text() == text(first)
    assert sorted(path.name for path in place.iterdir()) == ["b.ledger", "o.json"]
    with pytest.warns(sotto.FinishedWarning, match="finished before.*records may have changed.*again=True"):
        second = run(place)
    assert outcome(second) == "finished" and text(second) == text(first)
    assert charges(place) == charges(place, "commit") == 1
    third = run(place, again=True, overwrite=True)
    assert outcome(third) == "new" and text(third) != text(first)
    assert charges(place) == 2


def test_rows_are_never_compared(place):
    """Whether a record changed would be told for free."""
    first = fit(place)
    X, y = rows(seed=4, size=61)
    with pytest.warns(sotto.FinishedWarning):
        second = linear(place).fit(X, y)
    assert text(second) == text(first) and charges(place) == 1


def test_settings_schema_and_output_make_another_run(place):
    fit(place)
    for number, others in enumerate(({"epsilon": 0.25}, {"data_norm": 2.5}, {"output": place / "p.json"}), 2):
        made = sotto.LogisticRegression(**{"data_norm": 2.0, "classes": CLASSES, **settings(place), "overwrite": True,
                                           **others}).fit(*rows())
        assert made.outcome_ == "new" and charges(place) == number


def test_a_declared_table_is_another_run(place):
    """Its certificate lists the declaration."""
    schema = {"dataset": "d", "target": "ill", "columns": [
        {"name": "x", "type": "number", "lower": -4, "upper": 4},
        {"name": "ill", "type": "category", "values": ["no", "yes"]}]}

    def train(**declared):
        table = ({"x": x, "ill": "yes" if x > 0 else "no"} for x in rows()[0][:, 0].tolist())
        return sotto.LogisticRegression(schema=schema, **settings(place, dataset=None, **declared)).fit(table)

    assert train().outcome_ == "new"
    assert train(stored_table=True, overwrite=True).outcome_ == "new"
    assert charges(place) == 2


def test_a_lost_or_changed_output_is_reported_and_not_computed_again(place):
    first = fit(place)
    (place / "o.json").unlink()
    with pytest.raises(sotto.InvalidArgumentError, match="no longer there.*nothing was charged; .*give again=True"):
        fit(place)
    (place / "o.json").write_text(text(first).replace('"logistic"', '"softmax"'))
    with pytest.raises(sotto.InvalidArgumentError, match="has changed since"):
        fit(place, overwrite=True)
    (place / "o.json").write_text(text(first))
    with pytest.warns(sotto.FinishedWarning):
        fit(place)
    assert charges(place) == 1


@pytest.mark.parametrize("run", [fit, tune, label])
def test_an_output_of_another_kind_is_refused_before_the_charge(place, run):
    other = place / "o.json"
    other.write_text("my notes\n")
    with pytest.raises(sotto.InvalidArgumentError, match="overwrite=True"):
        run(place)
    assert other.read_text() == "my notes\n" and charges(place) == 0
    before = (place / "b.ledger").read_bytes()
    for again in (False, True):
        with pytest.raises(sotto.InvalidArgumentError, match="ledger"):
            run(place, output=place / "b.ledger", overwrite=again)
    assert (place / "b.ledger").read_bytes() == before
    assert outcome(run(place, overwrite=True)) == "new"


@pytest.mark.parametrize("run", [fit, label])
def test_a_directory_that_is_not_there_is_found_before_the_charge(place, run):
    with pytest.raises(sotto.SottoError, match="nowhere"):
        run(place, output=place / "nowhere" / "o.json")
    assert charges(place) == 0


@pytest.mark.parametrize("name", ["again", "overwrite"])
def test_flags_are_true_or_false(place, name):
    for run in (fit, label):
        with pytest.raises(ValueError, match=f"{name} is 'yes'; give True or False"):
            run(place, **{name: "yes"})
    assert charges(place) == 0


def test_an_interrupted_fit_resumes_under_one_charge(place):
    def interrupt(step, *_):
        if step == 4:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt, match=r"after step \d+ of 10; make the same call to resume; the charge stands"):
        gd(place, progress=interrupt).fit(*rows())
    assert (charges(place), charges(place, "commit")) == (1, 0)
    assert (place / "o.json.checkpoint").exists() and not (place / "o.json").exists()
    heard = []
    made = gd(place, progress=lambda step, *_: heard.append(step)).fit(*rows())
    assert made.outcome_ == "new" and min(heard) > 4
    assert (charges(place), charges(place, "commit")) == (1, 1)
    made.model_.verify(ledger=place / "b.ledger")
    assert not (place / "o.json.checkpoint").exists()


def test_an_interrupted_call_without_an_output_says_what_an_output_does(place):
    def interrupt(*_):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt, match="charge stands, and a new run is charged again; with an output"):
        gd(place, output=None, progress=interrupt).fit(*rows())


def test_other_settings_do_not_resume_a_checkpoint(place):
    def interrupt(step, *_):
        if step == 4:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        gd(place, progress=interrupt).fit(*rows())
    with pytest.raises(sotto.InvalidArgumentError, match="other settings"):
        gd(place, epsilon=0.75).fit(*rows())
    os.rename(place / "o.json.checkpoint", place / "p.json.checkpoint")
    with pytest.raises(sotto.InvalidArgumentError, match="another output"):
        gd(place, output=place / "p.json").fit(*rows())
    assert charges(place) == 1


TWO = """
import sys
import numpy as np
import sotto
X = np.random.default_rng(3).normal(size=(60, 2))
model = sotto.LogisticRegression(0.5, 1e-6, data_norm=2.0, classes=[0, 1], dataset="d", ledger="b.ledger",
                                 output="o.json", method="gd", steps=2000, expected_rows=60, threads=1)
try:
    print(model.fit(X, (X[:, 0] > 0).astype(int)).outcome_)
except sotto.SottoError as refused:
    print(refused)
"""


def test_of_several_processes_at_once_one_is_charged(place):
    started = [subprocess.Popen([sys.executable, "-W", "ignore", "-c", TWO], cwd=place, stdout=subprocess.PIPE, text=True)
               for _ in range(4)]
    said = [process.communicate(timeout=120)[0].strip() for process in started]
    assert said.count("new") == 1, said
    for words in said:
        assert words in ("new", "finished") or "in use by another process" in words, said
    assert (charges(place), charges(place, "commit")) == (1, 1)
    assert sorted(path.name for path in place.iterdir()) == ["b.ledger", "o.json"]


def test_an_output_without_a_ledger_is_written_and_protected(place):
    free = {"dataset": None, "ledger": None}
    first = fit(place, **free)
    assert first.outcome_ == "new" and (place / "o.json").read_text() == text(first)
    with pytest.raises(sotto.InvalidArgumentError, match="overwrite=True"):
        fit(place, **free)
    assert (place / "o.json").read_text() == text(first)
    assert fit(place, overwrite=True, **free).outcome_ == "new"


def test_settings_of_an_output_are_parameters_like_the_others(place):
    clone = pytest.importorskip("sklearn.base").clone
    model = clone(linear(place))
    assert model.output == place / "o.json" and model.get_params()["again"] is False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.plan(n_features=2)["method"] == "objective"
    assert charges(place) == 0 and not (place / "o.json").exists()
