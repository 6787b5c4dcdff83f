"""The two kinds of target: one of some classes, or a number within bounds. Both are declared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from . import _cells, _records
from . import schema as schemas
from ._estimator import Estimator
from ._sklearn import older_tags, tags
from ._tables import Column, Table


@dataclass(repr=False, eq=False, kw_only=True)
class Classifier(Estimator):
    """Predicts one of the classes, which are public: given, and never read from private rows."""

    classes: Any = None

    _of_schema: ClassVar[tuple[str, ...]] = (*Estimator._of_schema, "classes")
    _of_model: ClassVar[tuple[str, ...]] = (*Estimator._of_model, "classes_")
    _multi_class: ClassVar[bool] = False

    def _goal(self, y: Column | None) -> schemas.Goal:
        if self.classes is not None:
            return schemas.Labels(np.asarray(self.classes).tolist())
        if y is not None and self.data_is_public:
            return schemas.Labels(_records.label_set(y, binary=not self._multi_class))
        raise ValueError(
            "the classes are not given; give classes=, for example classes=[0, 1], or a schema, and do "
            "not take them from y: a label set read from the data reveals a record")

    _estimator_type: ClassVar[str] = "classifier"  # scikit-learn before 1.6

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        return self._model().predict(self._table(X), threshold=self._threshold())

    def _score(self, table: Table, y: Any) -> float:
        return self._model().score(table, y, threshold=self._threshold())

    def _threshold(self) -> float:
        return 0.5

    def decision_function(self, X: Any) -> np.ndarray:
        """Two classes: a score of the second, at least 0 for it. More: one score for each class."""
        return self._model().decision_function(self._table(X))

    def __sklearn_tags__(self) -> Any:
        return tags(self.insecure_test_seed is None, sparse=self._takes_sparse(),
                    multi_class=self._multi_class)

    def _more_tags(self) -> dict[str, Any]:
        return older_tags(self.insecure_test_seed is None, multi_class=self._multi_class)


@dataclass(repr=False, eq=False, kw_only=True)
class Probabilities(Classifier):
    """Classifiers whose model gives probabilities. With two classes predict() chooses the second from `decision_threshold` on."""

    decision_threshold: float = 0.5

    def _threshold(self) -> float:
        return self.decision_threshold

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class for each row."""
        return self._model().predict_proba(self._table(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Its logarithm."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


@dataclass(repr=False, eq=False, kw_only=True)
class Regressor(Estimator):
    """Predicts a number within public bounds."""

    target_bounds: tuple[float, float] | None = None
    threshold: float | None = None

    _of_schema: ClassVar[tuple[str, ...]] = (*Estimator._of_schema, "target_bounds")
    _counts: ClassVar[bool] = False
    _estimator_type: ClassVar[str] = "regressor"  # scikit-learn before 1.6

    def _goal(self, y: Column | None) -> schemas.Goal:
        if self.target_bounds is None:
            raise ValueError(
                "the target has no public bounds; give target_bounds=, or a schema, and do not "
                "take them from y: a bound read from the data reveals a record")
        lower, upper = self.target_bounds
        return schemas.Numbers(lower, upper)

    def _check_public(self, table: Table, y: Column | None) -> None:
        super()._check_public(table, y)
        if y is not None and not np.isfinite(_cells.numbers(y.cells)).all():
            raise ValueError("y has NaN, infinity or cells that are no numbers, and is public; drop these "
                             "rows, or replace the values")

    def __sklearn_tags__(self) -> Any:
        return tags(self.insecure_test_seed is None, sparse=self._takes_sparse(),
                    positive=self._counts)

    def _more_tags(self) -> dict[str, Any]:
        return older_tags(self.insecure_test_seed is None, multi_class=True, positive=self._counts)


@dataclass(repr=False, eq=False, kw_only=True)
class Bins(Estimator):
    """Additive models: settings of their bins, and their curves."""

    basis: str = "auto"
    bins: int | None = None

    def _kind(self) -> str:
        return "additive"

    def _takes_sparse(self) -> bool:
        return False

    @property
    def curves_(self) -> list[dict[str, Any]]:
        """The contributions of bins to the score: Model.curves_."""
        return self._model().curves_
