"""scikit-learn's conventions, without depending on scikit-learn.

It is imported only when it is there: by its own tools asking for tags, or to raise the very classes
that its users catch.
"""

from __future__ import annotations

import inspect
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ._tables import Table

if TYPE_CHECKING:
    from typing_extensions import Self


class Parameters:
    """get_params, set_params and repr from the arguments of __init__."""

    @classmethod
    def _parameters(cls) -> dict[str, inspect.Parameter]:
        parameters = dict(inspect.signature(cls.__init__).parameters)
        del parameters["self"]
        return parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name. ``deep`` is for scikit-learn: no setting has settings."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **settings: Any) -> Self:
        """Changes settings by name, and returns the estimator."""
        known = self._parameters()
        for name, value in settings.items():
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}. Valid "
                                 f"parameters are: {sorted(known)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        shown = []
        for name, parameter in self._parameters().items():
            value = getattr(self, name, None)
            if value is not parameter.default:
                shown.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(shown)})"


class FeatureNames:
    """Columns with names must have them at fit() and after, as scikit-learn asks.

    That holds for names of any kind, and from any library; only texts are feature_names_in_. The
    names 0, 1, 2, ..., as pandas gives them to the columns of an array, say no more than the place.
    """

    def _note_names(self, table: Table) -> None:
        self._names_in = table.names
        if table.names is not None and all(isinstance(name, str) for name in table.names):
            self.feature_names_in_ = np.array(table.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _check_names(self, table: Table, fitted: list[Any] | None) -> None:
        """Columns with names must be those of fit(), in their order."""
        names = table.names
        if names == fitted:
            return
        if names is not None and fitted is not None:
            raise ValueError("The feature names should match those that were passed during fit.\n"
                             + _difference(names, fitted))
        known = names or fitted
        if known != list(range(len(known))):
            having = "has" if fitted is None else "does not have valid"
            warnings.warn(f"X {having} feature names, but {type(self).__name__} was fitted "
                          f"with{'out' if fitted is None else ''} feature names",
                          UserWarning, stacklevel=5)


def not_fitted(estimator: Any) -> Exception:
    """The error of an estimator that is used before fit()."""
    message = f"This {type(estimator).__name__} is not fitted yet: call fit() first"
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return ValueError(message)
    return NotFittedError(message)


def warn_column_vector() -> None:
    """y has one column where a plain list of labels was expected."""
    try:
        from sklearn.exceptions import DataConversionWarning as category
    except ImportError:
        category = UserWarning
    warnings.warn("A column-vector y was passed when a 1d array was expected; it is read as one",
                  category, stacklevel=4)


def tags(non_deterministic: bool, *, sparse: bool, multi_class: bool | None = None,
         positive: bool = False) -> Any:
    """Missing cells are welcome, texts too: a schema's categories are texts.

    ``sparse`` is True if the features have no bounds of their own, so that they may be sparse.
    ``multi_class`` is for classifiers, None for regressors. ``positive`` is for targets that are counts.
    """
    from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags

    classifies = multi_class is not None
    return Tags(
        estimator_type="classifier" if classifies else "regressor",
        target_tags=TargetTags(required=True, positive_only=positive),
        transformer_tags=None,
        regressor_tags=None if classifies else RegressorTags(),
        classifier_tags=ClassifierTags(multi_class=multi_class) if classifies else None,
        input_tags=InputTags(allow_nan=True, string=True, sparse=sparse),
        non_deterministic=non_deterministic,
    )


def older_tags(non_deterministic: bool, *, multi_class: bool, positive: bool = False) -> dict[str, Any]:
    """The tags as scikit-learn before 1.6 asks for them."""
    return {"non_deterministic": non_deterministic, "allow_nan": True, "requires_y": True, "binary_only": not multi_class,
            "requires_positive_y": positive}


def _difference(names: list[Any], fitted: list[Any]) -> str:
    unseen = sorted(set(names) - set(fitted), key=str)
    missing = sorted(set(fitted) - set(names), key=str)
    text = ""
    for title, listed in (("Feature names unseen at fit time:\n", unseen),
                          ("Feature names seen at fit time, yet now missing:\n", missing)):
        if listed:
            shown = listed[:5] + (["..."] if len(listed) > 5 else [])
            text += title + "".join(f"- {name}\n" for name in shown)
    return text or "Feature names must be in the same order as they were in fit.\n"
