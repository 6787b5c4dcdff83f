"""The examples of docs/reference/python.md give what they show."""

import doctest
import pathlib
import re

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_examples_of_the_document_run(tmp_path, monkeypatch):
    text = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestParser().get_doctest(text, {}, "docs/reference/python.md", None, 0)
    assert len(examples.examples) == text.count(">>> ")
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
