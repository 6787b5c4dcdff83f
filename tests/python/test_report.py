"""Reports from Python are those of the command."""

import os
import pathlib
import subprocess

import pytest
import sotto

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
COMMAND = pathlib.Path(os.environ["SOTTO_BUILD"]) / "sotto"


def test_a_report_is_that_of_the_command(tmp_path):
    sotto.load(EXAMPLES / "model.json").report(tmp_path / "python.html", public=EXAMPLES / "survey.csv", expected_rows=500)
    subprocess.run([COMMAND, "report", EXAMPLES / "model.json", "--public", EXAMPLES / "survey.csv", "--expected-rows", "500",
                    "-o", tmp_path / "command.html"], check=True, stdout=subprocess.DEVNULL)
    assert (tmp_path / "python.html").read_bytes() == (tmp_path / "command.html").read_bytes()


def test_a_report_replaces_no_file_of_another_kind(tmp_path):
    model = sotto.load(EXAMPLES / "model.json")
    model.save(tmp_path / "model.json")
    before = (tmp_path / "model.json").read_bytes()
    with pytest.raises(ValueError, match="overwrite=True"):
        model.report(tmp_path / "model.json")
    assert (tmp_path / "model.json").read_bytes() == before


def test_a_report_needs_a_ledger_that_exists(tmp_path):
    with pytest.raises(sotto.SottoError, match="none.ledger"):
        sotto.load(EXAMPLES / "model.json").report(tmp_path / "report.html", ledger=tmp_path / "none.ledger")
    assert not (tmp_path / "report.html").exists()


def test_a_report_tells_how_many_trainings_are_done(tmp_path):
    model = sotto.load(EXAMPLES / "model.json")
    heard = []
    model.report(tmp_path / "report.html", public=EXAMPLES / "survey.csv", progress=lambda step, steps, *_: heard.append((step, steps)))
    assert [step for step, _ in heard] == list(range(1, heard[-1][1] + 1))  # every one is told, up to the last
    assert (tmp_path / "report.html").exists()

    def stop(step, *_):
        if step == 3:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        model.report(tmp_path / "second.html", public=EXAMPLES / "survey.csv", progress=stop)
    assert not (tmp_path / "second.html").exists()
