"""Private regressors: least squares, Huber's loss, counts, an additive model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ._targets import Bins, Regressor


@dataclass(repr=False, eq=False, kw_only=True)
class LinearRegression(Regressor):
    """Linear least squares, trained with differential privacy.

    Nothing about the rows is read but by the private learner: the bounds of features and target are
    given. A number beyond them counts as the nearer bound, one that makes no sense as missing,
    without a message. Each fit is a release, charged to the ledger if there is one.

    Parameters
    ----------
    target_bounds : (lower, upper)
        Public bounds of y; needed unless there is a schema. Predictions stay within them.
    threshold : float, optional
        Clips the loss derivative, for y scaled to [-1, 1]; default from the library.
    """

    def _kind(self) -> str:
        return "linear"


@dataclass(repr=False, eq=False, kw_only=True)
class HuberRegressor(Regressor):
    """Linear regression with Huber's loss, trained with differential privacy.

    Residuals beyond the threshold count linearly: rows far off pull less, and the noise is smaller
    than for least squares. Otherwise as LinearRegression.

    Parameters
    ----------
    target_bounds : (lower, upper)
        Public bounds of y; needed unless there is a schema. Predictions stay within them.
    threshold : float, optional
        Residuals beyond it count linearly, for y scaled to [-1, 1]; default the library's rule.
    """

    def _kind(self) -> str:
        return "huber"


@dataclass(repr=False, eq=False, kw_only=True)
class PoissonRegressor(Regressor):
    """Poisson regression of counts, trained with differential privacy.

    The logarithm of the expected count is linear in the features. Otherwise as LinearRegression.

    Parameters
    ----------
    target_bounds : (lower, upper)
        Public bounds of y, from 0 on; needed unless there is a schema. Predictions stay within them.
    threshold : float, optional
        Where the slope of the loss is cut off, in counts; default the library's rule.
    """

    _counts: ClassVar[bool] = True

    def _kind(self) -> str:
        return "poisson"


@dataclass(repr=False, eq=False, kw_only=True)
class AdditiveRegressor(Bins, Regressor):
    """An additive model of a number, trained with differential privacy.

    Public edges divide each column into bins, and the prediction is a sum of one number for each column: its
    bin's. Residuals beyond the threshold count linearly. Otherwise as LinearRegression.

    Parameters
    ----------
    target_bounds : (lower, upper)
        Public bounds of y; needed unless there is a schema. Predictions stay within them.
    threshold : float, optional
        Residuals beyond it count linearly, for y scaled to [-1, 1]; default 0.5.
    basis : {"auto", "bins", "steps", "mixed"}
        One coefficient for each bin, or one for each step between neighbouring bins. "mixed": bins for integers with a
        bin for each value, steps for other ordered columns.
    bins : int, optional
        Number of bins of a number whose edges the schema does not give; default the library's rule.
    """
