"""`pip install .` works in a fresh environment, and what it installs is whole."""

import os
import pathlib
import subprocess
import sys
import zipfile

import numpy
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = """
import sotto
print(sotto.__file__)
print(sotto.account.epsilon(sotto.account.event(noise_multiplier=3.75), delta=1e-5).epsilon)
model = sotto.LogisticRegression(1.0, data_norm=1.0, classes=[0, 1]).fit([[0.5], [-0.5]], [1, 0])
model.model_.verify()
"""


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A new environment with pip; the tests' own may have none (tools/python_env)."""
    environment = tmp_path_factory.mktemp("fresh") / "environment"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    return environment


@pytest.fixture(scope="module")
def wheel(fresh, tmp_path_factory):
    """The wheel, built as pip builds it: in isolation, from the repository's root."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([fresh / "bin" / "python", "-m", "pip", "wheel", "--quiet", "--no-deps",
                    "--no-cache-dir", "--wheel-dir", folder, ROOT],
                   check=True, env=clean_environment())
    (made,) = folder.glob("*.whl")
    return made


def clean_environment():
    """Without the build tree's package, which an installed one must not need."""
    hidden = {"PYTHONPATH", "SOTTO_BUILD"}
    return {name: value for name, value in os.environ.items() if name not in hidden}


def test_one_wheel_serves_every_python(wheel):
    assert wheel.name.split("-")[2:4] == ["py3", "none"]


def test_the_wheel_carries_the_package_and_the_library(wheel):
    names = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("sotto/")}
    modules = {f"sotto/{path.name}"
               for path in (ROOT / "bindings" / "python" / "sotto").glob("*.py")}
    assert names == modules | {"sotto/_version.py", "sotto/libsotto.so", "sotto/py.typed"}


def test_an_installed_package_answers(fresh, wheel, tmp_path):
    # NumPy is the one dependency; the test environment's copy serves.
    python = fresh / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel],
                   check=True, env=clean_environment())
    (site,) = (fresh / "lib").glob("python*/site-packages")
    (site / "numpy.pth").write_text(
        str(pathlib.Path(numpy.__file__).parents[1]), encoding="utf-8")
    answer = subprocess.run(
        [python, "-c", PROGRAM],
        check=True, capture_output=True, text=True, cwd=tmp_path, env=clean_environment())
    path, epsilon = answer.stdout.split()
    assert path.startswith(str(fresh))
    assert 0.99 < float(epsilon) < 1  # Balle & Wang 2018: 1 at 3.730631634816
