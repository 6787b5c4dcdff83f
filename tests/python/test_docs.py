"""The examples of the documents give what they show."""

import doctest
import importlib
import os
import pathlib
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest
import sotto

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", ["docs/reference/python.md", "docs/howto/resume.md"])
def test_the_examples_of_the_document_run(tmp_path, monkeypatch, page):
    text = (ROOT / page).read_text(encoding="utf-8")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "vault").mkdir(mode=0o700)
    subprocess.run([os.path.join(os.environ["SOTTO_BUILD"], "sotto"), "ledger", "init", tmp_path / "vault/budget.ledger",
                    "--dataset", "survey-2026", "--epsilon", "4", "--delta", "1e-5"], check=True, capture_output=True)
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestParser().get_doctest(text, {}, page, None, 0)
    assert len(examples.examples) == text.count(">>> ") > 0
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    with warnings.catch_warnings():
        warnings.simplefilter("error", sotto.PrivacyWarning)  # no page shows what privacy forbids
        runner.run(examples, out=lambda line: pytest.fail(line) if "Failed example" in line else None)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("name", ["ledger", "release", "schema"])
def test_the_examples_of_a_module_run(name):
    found = doctest.testmod(importlib.import_module(f"sotto.{name}"))
    assert found.attempted > 0 and found.failed == 0


def test_the_example_of_the_readme_runs():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    X = np.random.default_rng(1).uniform(-0.5, 0.5, size=(500, 2))
    names = {"X": X, "y": (X[:, 0] > 0).astype(int), "X_new": X[:5]}
    exec(compile(code, "README.md", "exec"), names)  # noqa: S102
    assert names["model"].certificate_["epsilon"] <= 1


def test_the_governed_story_runs(tmp_path):
    tmp_path.chmod(0o700)
    told = subprocess.run([sys.executable, ROOT / "examples/govern.py", tmp_path], check=True,
                          capture_output=True, text=True).stdout
    assert [line.split()[0] for line in told.splitlines()] == [
        "mean", "model", "refused:", "age.json", "model.json", "ledger", "report:"]
    assert sotto.Ledger(tmp_path / "clinic.ledger").show().entries == 5


def test_the_story_is_typed(tmp_path):
    """As for a user: the package is installed, and its annotations serve."""
    told = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir", tmp_path,
                               ROOT / "examples/govern.py"], capture_output=True, text=True,
                              env={**os.environ, "MYPYPATH": os.environ["PYTHONPATH"]})
    assert told.returncode == 0, told.stdout
