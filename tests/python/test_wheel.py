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
def dist(tmp_path_factory):
    """The source distribution, and the wheel that was built from it in isolation."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([ROOT / "tools" / "wheel", folder], check=True, env=clean_environment())
    return folder


@pytest.fixture(scope="module")
def wheel(dist):
    (made,) = dist.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(fresh, wheel):
    """The environment with the wheel. NumPy is the one dependency; the test environment's copy serves."""
    python = fresh / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel],
                   check=True, env=clean_environment())
    (site,) = (fresh / "lib").glob("python*/site-packages")
    packages = pathlib.Path(numpy.__file__).parents[1]
    for name in ("numpy", "numpy.libs"):
        if (packages / name).exists():
            (site / name).symlink_to(packages / name)
    return fresh


def clean_environment():
    """Without the build tree's package, which an installed one must not need."""
    hidden = {"PYTHONPATH", "SOTTO_BUILD"}
    return {name: value for name, value in os.environ.items() if name not in hidden}


def run(installed, *words):
    """What a program of the environment prints; only its own programs are on PATH, no compiler."""
    environment = {**clean_environment(), "PATH": str(installed / "bin")}
    return subprocess.run([installed / "bin" / words[0], *words[1:]], check=True, capture_output=True, text=True,
                          env=environment).stdout


def test_the_distribution_is_libsotto(dist, wheel):
    name, version, python, abi, platform = wheel.stem.split("-")
    assert (name, python, abi) == ("libsotto", "py3", "none")
    assert platform.startswith("manylinux")
    assert [path.name for path in dist.glob("*.tar.gz")] == [f"libsotto-{version}.tar.gz"]


def test_the_wheel_carries_package_library_command_and_pages(wheel):
    names = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith(("sotto/", "_sotto")) and not name.endswith("/")}
    modules = {f"sotto/{path.name}" for path in (ROOT / "bindings" / "python" / "sotto").glob("*.py")}
    assert names == modules | {"sotto/_version.py", "sotto/libsotto.so", "sotto/bin/sotto", "sotto/py.typed", "_sotto_command.py"}
    pages = {pathlib.PurePath(name).name for name in zipfile.ZipFile(wheel).namelist() if "/share/man/man1/" in name and not name.endswith("/")}
    assert pages == {page.name for page in (ROOT / "man").glob("*.1")}


def test_an_installed_package_answers(installed):
    path, epsilon = run(installed, "python", "-c", PROGRAM).split()
    assert path.startswith(str(installed))
    assert 0.99 < float(epsilon) < 1  # Balle & Wang 2018: 1 at 3.730631634816


def test_the_command_is_installed(installed):
    assert run(installed, "sotto", "--version") == run(installed, "python", "-m", "sotto", "--version")
    assert run(installed, "sotto", "--version").startswith("sotto ")
    refused = subprocess.run([installed / "bin" / "sotto", "ledger", "show", "none.ledger"], capture_output=True)
    assert refused.returncode == 1 and b"none.ledger" in refused.stderr  # arguments and exit code pass through


def test_the_libraries_are_the_wheels(installed):
    loaded = run(installed, "python", "-c", "import sotto; print(open('/proc/self/maps').read())")
    for name in ("libsodium", "libsqlite3"):
        (path,) = {line.split()[-1] for line in loaded.splitlines() if name in line}
        assert path.startswith(str(installed))


def test_a_data_set_is_governed_from_python_only(installed, tmp_path):
    tmp_path.chmod(0o700)
    told = run(installed, "python", str(ROOT / "examples/govern.py"), str(tmp_path)).splitlines()
    assert [line.split()[0] for line in told] == ["mean", "model", "refused:", "age.json", "model.json", "ledger", "report:"]
    assert "verified" in run(installed, "sotto", "verify", str(tmp_path / "model.json"), "--ledger", str(tmp_path / "clinic.ledger"), "--json")
