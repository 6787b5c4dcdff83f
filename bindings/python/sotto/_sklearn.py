"""What scikit-learn's conventions ask for, without depending on scikit-learn.

It is imported only when it is there: by its own tools asking for tags, or to raise the very classes
that its users catch.
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any


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

    def set_params(self, **settings: Any):
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


def classifier_tags(non_deterministic: bool) -> Any:
    """Two classes, missing cells welcome, texts too: a schema's categories are texts."""
    from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

    return Tags(
        estimator_type="classifier",
        target_tags=TargetTags(required=True),
        transformer_tags=None,
        regressor_tags=None,
        classifier_tags=ClassifierTags(multi_class=False),
        input_tags=InputTags(allow_nan=True, string=True),
        non_deterministic=non_deterministic,
    )
