"""sotto.release: the statistics of the command, on files and on tables in memory."""

import json
import os
import pathlib
import subprocess

import numpy as np
import pandas
import pytest
import sotto
from sotto import release

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.path.join(os.environ["SOTTO_BUILD"], "sotto")
SURVEY, SCHEMA = ROOT / "examples/survey.csv", ROOT / "examples/survey.schema.json"
SEED = pytest.mark.filterwarnings("ignore:the noise comes from a seed")
ONE = {"schema": SCHEMA, "epsilon": 1.0, "insecure_test_seed": 7}

# (words of the command, call of the package)
CASES = {
    "count": (["count"], lambda X, **more: release.count(X, **ONE, **more)),
    "sum": (["sum", "age", "--delta", "1e-6"], lambda X, **more: release.sum(X, "age", delta=1e-6, **ONE, **more)),
    "mean": (["mean", "age", "--mechanism", "laplace"], lambda X, **more: release.mean(X, "age", mechanism="laplace", **ONE, **more)),
    "histogram": (["histogram", "age", "--edges", "18,40,90"],
                  lambda X, **more: release.histogram(X, "age", edges=[18, 40, 90], **ONE, **more)),
    "categories": (["histogram", "town"], lambda X, **more: release.histogram(X, "town", **ONE, **more)),
    "quantile": (["quantile", "age", "--quantile", "0.25"], lambda X, **more: release.quantile(X, "age", 0.25, **ONE, **more)),
    "bounds": (["bounds", "income"], lambda X, **more: release.bounds(X, "income", **ONE, **more)),
    "rr": (["rr", "smokes", "--adjacency", "replace-one"],
           lambda X, **more: release.responses(X, "smokes", adjacency="replace-one", **ONE, **more)),
    "choose": (["choose", "offer", "--score", "revenue", "--candidates", "5,9.99,20"],
               lambda X, **more: release.choose(X, "offer", score="revenue", candidates=[5, 9.99, 20], mechanism="permute-and-flip", **ONE, **more)),
}


@SEED
@pytest.mark.parametrize("name", CASES)
def test_a_statistic_is_that_of_the_command(tmp_path, name):
    words, call = CASES[name]
    subprocess.run([COMMAND, "release", words[0], SURVEY, *words[1:], "--schema", SCHEMA, "--epsilon", "1", "--insecure-test-seed", "7",
                    "-o", tmp_path / "command.json"], check=True, capture_output=True)
    found = call(SURVEY, output=tmp_path / "python.json")
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "command.json").read_bytes()
    assert release.load(tmp_path / "python.json").json == found.json
    in_memory = call(pandas.read_csv(SURVEY))
    assert in_memory.values == found.values  # the noise is the seed's
    assert sorted(in_memory.answers) == sorted(found.answers)


@SEED
def test_values_are_read_as_they_are_written():
    found = CASES["histogram"][1](SURVEY)
    assert [value.label for value in found] == ["[18.0, 40.0)", "[40.0, 90.0]"]
    assert len(found) == 2 and found.value == found.values[0].value and found.lower < found.value < found.upper
    assert "histogram" in repr(found) and "<td>[18.0, 40.0)</td>" in found._repr_html_()
    chosen = CASES["choose"][1](SURVEY)
    assert chosen.label in ("5", "9.99", "20")
    answers = CASES["rr"][1](SURVEY)
    assert len(answers.answers) == 400 and set(answers.answers) == {"false", "true"}
    with pytest.raises(ValueError, match="answers"):
        answers.value


@SEED
def test_conditions_select_rows_of_a_file():
    every = release.count(SURVEY, **ONE).value
    some = release.count(SURVEY, where=["age >= 40", "town = 'Lund'"], **ONE).value
    same = release.count(sotto.File(path=SURVEY, where="age >= 40 AND town = 'Lund'"), **ONE).value
    assert some == same < every
    with pytest.raises(sotto.SottoError, match="where"):
        release.count(pandas.read_csv(SURVEY), where="age >= 40", **ONE)


def test_frequencies_come_from_the_answers(tmp_path):
    release.responses(SURVEY, "smokes", schema=SCHEMA, epsilon=3, adjacency="replace-one", output=tmp_path / "rr.json")
    found = release.estimate(tmp_path / "rr.json")
    assert found.certificate_ is None and [value.label for value in found] == ["false", "true"]


def test_the_accuracy_of_a_model_is_released(tmp_path):
    schema = json.loads((ROOT / "examples/clinic.schema.json").read_text())
    schema.pop("dataset", None)
    model = sotto.LogisticRegression(5.0, schema=schema).fit(ROOT / "examples/clinic.csv")
    found = release.accuracy(ROOT / "examples/clinic.csv", model.model_, epsilon=1.0)
    assert found.name == "accuracy" and found.certificate_["epsilon"] <= 1
    with pytest.raises(ValueError, match="reads a file"):
        release.accuracy(pandas.read_csv(ROOT / "examples/clinic.csv"), model.model_, epsilon=1.0)


@SEED
def test_the_scores_are_those_of_the_command(tmp_path):
    path, schema = tmp_path / "model.json", json.loads((ROOT / "examples/smokers.schema.json").read_text())
    schema.pop("dataset")
    sotto.LogisticRegression(5.0, schema=schema).fit(SURVEY).save(path)
    subprocess.run([COMMAND, "evaluate", path, SURVEY, "--epsilon", "1", "--insecure-test-seed", "7", "--threshold", "0.2",
                    "-o", tmp_path / "command.json"], check=True, capture_output=True)
    found = release.scores(SURVEY, path, epsilon=1.0, threshold=0.2, insecure_test_seed=7, output=tmp_path / "python.json")
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "command.json").read_bytes()
    assert {"auc", "log loss", "recall", "precision"} <= {value.label for value in found}


def test_the_score_of_governed_rows_needs_their_ledger():
    """As in the command: the model file does not have the path of the ledger."""
    for score in (release.scores, release.accuracy):
        with pytest.raises(ValueError, match="ledger is missing: the rows of the data set 'survey-2026'"):
            score(SURVEY, ROOT / "examples/model.json", epsilon=1.0)


def test_a_plan_reads_no_row_and_costs_the_release(tmp_path):
    plan = release.plan("mean", "age", schema=SCHEMA, epsilon=1)
    assert 0.99 < plan.epsilon(delta=0).epsilon <= 1.0 and len(plan.events) == 2
    with pytest.raises(ValueError, match="statistic is 'mode'"):
        release.plan("mode", "age", schema=SCHEMA, epsilon=1)


def test_a_refusal_charges_nothing(tmp_path):
    tmp_path.chmod(0o700)
    ledger = sotto.Ledger.init(tmp_path / "b.ledger", dataset="survey-2026", epsilon=0.5)

    with pytest.raises(sotto.BudgetExceededError):
        release.count(SURVEY, schema=SCHEMA, epsilon=1, ledger=ledger)
    assert ledger.show().entries == 1


def test_a_finished_release_is_not_charged_again(tmp_path):
    tmp_path.chmod(0o700)
    ledger = sotto.Ledger.init(tmp_path / "b.ledger", dataset="survey-2026", epsilon=2)
    first = release.count(SURVEY, schema=SCHEMA, epsilon=0.5, ledger=ledger, output=tmp_path / "c.json")
    with pytest.warns(sotto.FinishedWarning, match="c.json"):
        second = release.count(SURVEY, schema=SCHEMA, epsilon=0.5, ledger=ledger, output=tmp_path / "c.json")
    assert first.json == second.json and ledger.show().spent == 0.5
    assert (first.outcome, second.outcome) == ("new", "finished")
    release.count(SURVEY, schema=SCHEMA, epsilon=0.5, ledger=ledger, output=tmp_path / "c.json", again=True,
                  overwrite=True)
    assert ledger.show().spent == 1.0


def test_a_release_of_another_table_says_that_it_is_the_earlier_one(tmp_path):
    tmp_path.chmod(0o700)
    ledger = sotto.Ledger.init(tmp_path / "b.ledger", dataset="ages", epsilon=2)
    schema = {"dataset": "ages", "columns": [{"name": "age", "type": "integer", "lower": 0, "upper": 90}]}
    settings = {"schema": schema, "epsilon": 0.5, "ledger": ledger, "output": tmp_path / "mean.json"}
    young = release.mean({"age": [10] * 40}, "age", **settings)
    with pytest.warns(sotto.FinishedWarning) as caught:
        old = release.mean({"age": [80] * 40}, "age", **settings)
    assert old.value == young.value and old.outcome == "finished"
    assert caught[0].filename == __file__


def test_a_result_that_was_paid_for_survives_an_exception(tmp_path, monkeypatch):
    tmp_path.chmod(0o700)
    ledger = sotto.Ledger.init(tmp_path / "b.ledger", dataset="survey-2026", epsilon=2)

    def fail(text):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(release, "Release", fail)
        with pytest.raises(KeyboardInterrupt):
            release.count(SURVEY, schema=SCHEMA, epsilon=0.5, ledger=ledger)
    assert ledger.show().spent == 0.5
    assert abs(release.count(SURVEY, schema=SCHEMA, epsilon=0.5, ledger=ledger).value - 400) < 100
    assert ledger.show().spent == 0.5  # the same call returned the stored result


def test_units_are_bounded_in_memory():
    schema = {"unit": {"column": "person", "rows": 1}, "columns": [
        {"name": "person", "type": "id"}, {"name": "age", "type": "number", "lower": 0, "upper": 90}]}
    frame = pandas.DataFrame({"person": ["p1"] * 500 + ["p2"], "age": np.arange(501.0) % 90})
    assert abs(release.count(frame, schema=schema, epsilon=5).value - 2) < 10  # 500 rows of one person count once
    apart = release.count(frame[["age"]], units=frame["person"], schema=schema, epsilon=5)
    assert abs(apart.value - 2) < 10
    with pytest.raises(ValueError, match="unit"):
        release.count(frame[["age"]], schema=schema, epsilon=5)


def test_wrong_settings_are_named():
    with pytest.raises(TypeError, match="epsillon"):
        release.count(SURVEY, schema=SCHEMA, epsillon=1)
    with pytest.raises(ValueError, match="schema is missing"):
        release.count(SURVEY, epsilon=1)
    with pytest.raises(sotto.InvalidArgumentError, match="epsilon"):
        release.count(SURVEY, schema=SCHEMA)
    with pytest.raises(ValueError, match="mechanism is 'uniform'"):
        release.count(SURVEY, schema=SCHEMA, epsilon=1, mechanism="uniform")
    with pytest.raises(ValueError, match="leave units out"):
        release.count(SURVEY, schema=SCHEMA, epsilon=1, units=[1])
    with pytest.raises(ValueError, match=r"sotto\.File"):
        release.count(SURVEY, schema=SCHEMA, epsilon=1, stored_table=True)
    with pytest.raises(ValueError, match="no column 'income'"):
        release.count(pandas.read_csv(SURVEY).drop(columns="income"), schema=SCHEMA, epsilon=1)


def test_only_releases_are_loaded():
    with pytest.raises(ValueError, match="release"):
        release.load(ROOT / "examples/model.json")
