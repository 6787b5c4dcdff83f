"""The examples of the documents give what they show."""

import doctest
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

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
    runner.run(examples, out=lambda line: pytest.fail(line) if "Failed example" in line else None)
    assert runner.summarize(verbose=False).failed == 0


def test_the_example_of_the_readme_runs():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    X = np.random.default_rng(1).uniform(-0.5, 0.5, size=(500, 2))
    names = {"X": X, "y": (X[:, 0] > 0).astype(int), "X_new": X[:5]}
    exec(compile(code, "README.md", "exec"), names)  # noqa: S102
    assert names["model"].certificate_["epsilon"] <= 1
