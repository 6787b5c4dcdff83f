"""Estimators, verification and reports on files, as the command has them."""

import os
import pathlib
import subprocess

import pandas
import pytest
import sotto
from sotto import pate

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.path.join(os.environ["SOTTO_BUILD"], "sotto")
CLINIC, SCHEMA = ROOT / "examples/clinic.csv", ROOT / "examples/clinic.schema.json"


@pytest.mark.filterwarnings("ignore:the noise comes from a seed")
def test_a_model_of_a_file_is_that_of_the_command(tmp_path):
    subprocess.run([COMMAND, "train", CLINIC, "--schema", SCHEMA, "--model", "logistic", "--epsilon", "1", "--delta", "1e-6",
                    "--insecure-test-seed", "7", "-o", tmp_path / "command.json"], check=True, capture_output=True)
    model = sotto.LogisticRegression(1.0, 1e-6, schema=SCHEMA, insecure_test_seed=7, output=tmp_path / "python.json").fit(CLINIC)
    assert (tmp_path / "python.json").read_bytes() == (tmp_path / "command.json").read_bytes()
    frame = pandas.read_csv(CLINIC)
    assert len(model.predict(frame)) == len(frame)
    assert (model.predict(frame[frame.columns[::-1]]) == model.predict(frame)).all()
    where = sotto.File(path=CLINIC, where="age > 40")
    assert sotto.LogisticRegression(1.0, 1e-6, schema=SCHEMA, insecure_test_seed=7).fit(where).coef_.tolist() != model.coef_.tolist()


def test_a_tuning_reads_a_file():
    model = sotto.LogisticRegression(2.0, 1e-6, schema=SCHEMA)
    model.tune(str(CLINIC), grid={"lambda_": [10, 30]}, runs_mean=2, score_epsilon=0.2)
    assert "tuning" in model.certificate_
    with pytest.raises(ValueError, match="file of public rows"):
        model.tune(CLINIC, grid={"lambda_": [10, 30]}, runs_mean=2, validation=([[1]], [0]))


def test_a_declaration_is_true_or_false():
    with pytest.raises(ValueError, match="stored_table is 'False'; give True or False"):
        sotto.release.count(sotto.File(path=CLINIC, stored_table="False"), schema=SCHEMA, epsilon=1)


def test_a_file_has_everything_in_it():
    model = sotto.LogisticRegression(1.0, 1e-6, schema=SCHEMA)
    for part in ("y", "units"):
        with pytest.raises(ValueError, match=f"leave {part} out"):
            model.fit(CLINIC, **{part: [1]})
    with pytest.raises(ValueError, match="schema is missing"):
        sotto.LogisticRegression(1.0, 1e-6, bounds=(0, 1), classes=[0, 1]).fit(CLINIC)
    with pytest.raises(ValueError, match="declare it there"):
        model.set_params(stored_table=True).fit(CLINIC)


def test_a_file_is_verified_with_its_ledger_and_signature(tmp_path):
    tmp_path.chmod(0o700)
    key, other = sotto.new_key(tmp_path / "k"), sotto.new_key(tmp_path / "other")
    ledger = sotto.Ledger.init(tmp_path / "b.ledger", dataset="clinic-2026", epsilon=2, delta=1e-5)
    model = sotto.LogisticRegression(1.0, 1e-6, schema=SCHEMA, ledger=ledger, sign=tmp_path / "k", output=tmp_path / "m.json")
    model.fit(CLINIC)
    for source in (tmp_path / "m.json", model, model.model_):
        found = sotto.verify(source, ledger=ledger, signed_by=key)
        assert (found.signer, found.hash) == (key, model.certificate_["hash"]) and found.believed
    assert "Verified" in str(found)
    with pytest.raises(sotto.VerificationError):
        sotto.verify(model, signed_by=other)
    with pytest.raises(sotto.VerificationError):
        sotto.verify(model, ledger=sotto.Ledger.init(tmp_path / "c.ledger", dataset="clinic-2026", epsilon=2))
    text = (tmp_path / "m.json").read_text(encoding="utf-8").replace('"epsilon": 1.0', '"epsilon": 0.1')
    (tmp_path / "forged.json").write_text(text, encoding="utf-8")
    with pytest.raises(sotto.VerificationError):
        sotto.verify(tmp_path / "forged.json")
    assert sotto.report(model, tmp_path / "r.html", ledger=ledger) in ("strong", "moderate")
    page = model._repr_html_()
    assert "at delta" in page and "budget left" in page and model.model_.encoded_features_[0] in page


def test_an_estimator_shows_what_it_is_in_a_notebook():
    model = sotto.LogisticRegression(1.0, 1e-6, schema=SCHEMA)
    assert "not fitted" in model._repr_html_()
    assert "no ledger" in model.fit(CLINIC)._repr_html_()
    gone = model.set_params(ledger="<none>.ledger")._repr_html_()
    assert "unknown" in gone and "<none>" not in gone  # escaped
    public = sotto.LogisticRegression(None, schema=SCHEMA, method="none", data_is_public=True).fit(CLINIC)
    assert "the rows are public" in public._repr_html_()


def test_teachers_label_rows_for_a_student(tmp_path):
    teacher = sotto.LogisticRegression(None, schema=SCHEMA)
    facts = pate.teach(CLINIC, teacher, teachers=20, directory=tmp_path / "t", sharding="content")
    assert (facts["teachers"], facts["sharding"], facts["private"]) == (20, "content", False)
    vote = pate.Vote("gnmax", noise=8)
    labels = pate.label(directory=tmp_path / "t", public=CLINIC, vote=vote, ask=30, epsilon=8, delta=1e-5, output=tmp_path / "l.json")
    assert labels.asked == 30 and set(labels.y) <= {"no", "yes"}
    student = pate.student(tmp_path / "l.json", CLINIC, sotto.LogisticRegression(None, output=tmp_path / "s.json"), self_training=1)
    student.verify()
    assert student.certificate_["epsilon"] == labels.certificate_["epsilon"]
    for wrong in ({"classes": [0, 1]}, {"teachers": 20}, {"counts": [[1, 2]]}):
        with pytest.raises(ValueError, match="beside directory"):
            pate.label(directory=tmp_path / "t", public=CLINIC, vote=vote, ask=30, epsilon=8, delta=1e-5, **wrong)
    with pytest.raises(ValueError, match="ask is missing"):
        pate.label(directory=tmp_path / "t", public=CLINIC, vote=vote, epsilon=8, delta=1e-5)
    with pytest.raises(TypeError, match="public"):
        pate.label(directory=tmp_path / "t", vote=vote, ask=3, epsilon=8, delta=1e-5)
    with pytest.raises(ValueError, match="interactive"):
        pate.label(counts=[[1, 2]], classes=[0, 1], vote=pate.Vote("interactive", noise=8, touched=1), epsilon=8, delta=1e-5)
