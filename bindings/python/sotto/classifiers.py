"""Private classifiers: logistic regression, a support vector machine, softmax regression, an additive model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ._targets import Bins, Classifier, Probabilities


@dataclass(repr=False, eq=False, kw_only=True)
class LogisticRegression(Probabilities):
    """Logistic regression for two classes, trained with differential privacy.

    Nothing about the rows is read but by the private learner: bounds and classes are given. A cell
    that makes no sense counts as missing, without a message. Each fit is a release, charged to the
    ledger if there is one.

    Parameters
    ----------
    classes : pair
        The label set; the second is the positive class. Needed unless there is a schema, or the rows
        are public.
    decision_threshold : float
        With two classes predict() and score() choose the second from this probability on; default 0.5. It
        changes no release: set_params() may change it after fit().
    """

    def _kind(self) -> str:
        return "logistic"


@dataclass(repr=False, eq=False, kw_only=True)
class LinearSVC(Classifier):
    """A linear support vector machine for two classes, trained with differential privacy.

    Its loss is the hinge with a smoothed kink, or the hinge itself. It has scores and no
    probabilities. Nothing about the rows is read but by the private learner.

    Parameters
    ----------
    classes : pair
        The label set; the second is the positive class. Needed unless there is a schema, or the rows
        are public.
    width : float, optional
        Width of the smoothed kink, in units of the margin; default 0.5. 0 is the hinge itself, which is
        not smooth: for methods other than "objective".
    """

    width: float | None = None

    def _kind(self) -> str:
        return "hinge" if self.width == 0 else "svm"

    def _set(self, config: Any, name: str, kind: Any) -> None:
        if name != "width" or self.width != 0:  # the hinge itself has none
            super()._set(config, name, kind)


@dataclass(repr=False, eq=False, kw_only=True)
class SoftmaxRegression(Probabilities):
    """Softmax regression for two classes or more, trained with differential privacy.

    Nothing about the rows is read but by the private learner: bounds and classes are given. All
    classes are learned in one release.

    Parameters
    ----------
    classes : sequence
        The label set; needed unless there is a schema, or the rows are public.
    decision_threshold : float
        With two classes predict() and score() choose the second from this probability on; default 0.5. It
        changes no release: set_params() may change it after fit().
    """

    _multi_class: ClassVar[bool] = True

    def _kind(self) -> str:
        return "softmax"


@dataclass(repr=False, eq=False, kw_only=True)
class AdditiveClassifier(Bins, Probabilities):
    """An additive model of two classes or more, trained with differential privacy.

    Public edges divide each column into bins, and the score is a sum of one number for each column: its bin's. So
    the model is nonlinear in every column, and every column has a curve to look at. Nothing about the rows is read
    but by the private learner: bounds and classes are given.

    Parameters
    ----------
    classes : sequence
        The label set; needed unless there is a schema, or the rows are public.
    decision_threshold : float
        With two classes predict() and score() choose the second from this probability on; default 0.5. It
        changes no release: set_params() may change it after fit().
    basis : {"auto", "bins", "steps", "mixed"}
        One coefficient for each bin, or one for each step between neighbouring bins. "mixed": bins for integers with a
        bin for each value, steps for other ordered columns.
    bins : int, optional
        Number of bins of a number whose edges the schema does not give; default the library's rule.
    """

    _multi_class: ClassVar[bool] = True
