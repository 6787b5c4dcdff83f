"""sotto: differentially private machine learning you can prove.

A thin layer over libsotto, the C library that this package carries: it converts, calls and raises.
``sotto.account`` computes the privacy loss of a plan. ``sotto.LogisticRegression`` and the other
estimators train and tune. ``sotto.pate`` labels public rows by a private ensemble, ``sotto.audit`` turns
attacks into lower bounds, and ``sotto.load`` reads a model file. ``sotto.start`` begins with a
new data set.
"""

from . import account, audit, pate
from ._errors import (
    BudgetExceededError,
    FinishedWarning,
    InvalidArgumentError,
    PrivacyWarning,
    SottoError,
    Status,
    VerificationError,
)
from ._start import Start, start
from ._version import VERSION as __version__
from .classifiers import LinearSVC, LogisticRegression, SoftmaxRegression
from .concepts import ConceptClassifier
from .model import Model, load
from .networks import CNNClassifier, MLPClassifier
from .regressors import HuberRegressor, LinearRegression, PoissonRegressor
from .schema import Schema

__all__ = [
    "BudgetExceededError",
    "CNNClassifier",
    "ConceptClassifier",
    "FinishedWarning",
    "HuberRegressor",
    "InvalidArgumentError",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "MLPClassifier",
    "Model",
    "PoissonRegressor",
    "PrivacyWarning",
    "Schema",
    "SoftmaxRegression",
    "SottoError",
    "Start",
    "Status",
    "VerificationError",
    "__version__",
    "account",
    "audit",
    "load",
    "pate",
    "start",
]

for _name in ("BudgetExceededError", "FinishedWarning", "InvalidArgumentError", "PrivacyWarning",
              "SottoError", "VerificationError"):
    globals()[_name].__module__ = "sotto"  # where users know them from, in tracebacks too
del _name
