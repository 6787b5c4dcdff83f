"""sotto: differentially private machine learning you can prove.

A thin layer over libsotto, the C library that this package carries: it converts, calls and raises.
``sotto.start`` begins with a new data set, and ``sotto.Ledger`` is its budget. ``sotto.release`` gives one
statistic, ``sotto.LogisticRegression`` and the other estimators train and tune. ``sotto.verify`` checks a
certified file and ``sotto.report`` explains it; ``sotto.load`` reads a model file. ``sotto.Plan`` and ``sotto.account`` compute
the privacy loss of releases. ``sotto.pate`` labels public rows by a private ensemble, and ``sotto.audit`` turns
attacks into lower bounds. ``python -m sotto`` is the command ``sotto``.
"""

from . import account, audit, pate, release
from ._certified import Verification, report, verify
from ._errors import (
    BudgetExceededError,
    FinishedWarning,
    InvalidArgumentError,
    PrivacyWarning,
    SottoError,
    Status,
    VerificationError,
)
from ._files import File
from ._keys import new_key
from ._start import Start, start
from ._version import VERSION as __version__
from .account import Plan
from .classifiers import AdditiveClassifier, LinearSVC, LogisticRegression, SoftmaxRegression
from .concepts import ConceptClassifier
from .ledger import Ledger, check_export
from .model import Model, load
from .networks import CNNClassifier, MLPClassifier
from .regressors import AdditiveRegressor, HuberRegressor, LinearRegression, PoissonRegressor
from .schema import Draft, Schema

__all__ = [
    "AdditiveClassifier",
    "AdditiveRegressor",
    "BudgetExceededError",
    "CNNClassifier",
    "ConceptClassifier",
    "Draft",
    "File",
    "FinishedWarning",
    "HuberRegressor",
    "InvalidArgumentError",
    "Ledger",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "MLPClassifier",
    "Model",
    "Plan",
    "PoissonRegressor",
    "PrivacyWarning",
    "Schema",
    "SoftmaxRegression",
    "SottoError",
    "Start",
    "Status",
    "Verification",
    "VerificationError",
    "__version__",
    "account",
    "audit",
    "check_export",
    "load",
    "new_key",
    "pate",
    "release",
    "report",
    "start",
    "verify",
]

for _name in ("BudgetExceededError", "FinishedWarning", "InvalidArgumentError", "PrivacyWarning",
              "SottoError", "VerificationError"):
    globals()[_name].__module__ = "sotto"  # where users know them from, in tracebacks too
del _name
