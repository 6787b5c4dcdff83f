"""Private logistic regression with scikit-learn's manners."""

from __future__ import annotations

import json
import operator
import os
import warnings
from collections.abc import Callable
from ctypes import byref
from typing import Any

import numpy as np

from . import _arrays, _records
from . import schema as schemas
from ._errors import PrivacyWarning, SottoError
from ._library import (
    MODEL_LOGISTIC,
    Handle,
    ProgressFunction,
    TrainConfig,
    call,
    library,
    text_of,
    value_of_name,
)
from ._sklearn import Parameters, classifier_tags, not_fitted
from .model import Model


class LogisticRegression(Parameters):
    """Logistic regression for two classes, trained with differential privacy.

    Nothing about the rows is read but by the private learner: bounds and classes are given. A cell
    that makes no sense counts as missing, without a message. Each fit is a release, charged to the
    ledger if there is one.

    Parameters
    ----------
    epsilon : float
        Privacy of the whole training; has no default.
    delta : float, optional
        Without it only methods without a delta run.
    schema : path, JSON text, dict or Schema, optional
        What is public about the table (docs/schema.md). X is then a DataFrame with the schema's
        columns by name, or an array with them in order; y may be left out if X has the target.
    bounds : (lower, upper), optional
        Instead of a schema: public bounds of the features, one pair for all or one number a
        feature. Cells are clipped to them and scaled to [-1, 1].
    data_norm : float, optional
        Instead of bounds: a public bound on the norm of a row. Beside bounds it bounds the norm of
        the scaled row.
    norm_rule : {"clip", "scale"}
        Rows longer than data_norm are shrunk to it; or all rows are stretched to it.
    classes : pair, optional
        The label set; the second is the positive class. Without it, or a schema, the labels in y
        are declared public, with a PrivacyWarning.
    target : str, optional
        The schema's column to predict; default the schema's own target.
    adjacency : {"add-remove", "replace-one"}
        What it means that two data sets differ in one record.
    method : {"auto", "objective", "output", "gd", "none"}
        "none" adds no noise and needs data_is_public.
    calibration : {"sharp", "chaudhuri", "kifer", "redberg"}
        The theorem that fixes the noise of objective perturbation.
    lambda_ : float or "theory", optional
        Of (lambda/2)|theta|^2 beside the sum of losses; default the library's rule.
    fit_intercept, intercept_scaling : bool, float
        A constant column of this value, inside the norm and regularised like the others.
    expected_rows : int, optional
        A public guess of the number of rows, never compared with the data.
    public_n : int, optional
        The number of rows, declared public; needs replace-one.
    steps, learning_rate : int, float, optional
        Of method "gd".
    dataset, ledger : str, optional
        The data set's id, and the file that keeps its budget.
    data_is_public : bool
        Of method "none" only.
    threads : int, optional
        Default one per CPU; the result is the same for any number.
    progress : callable, optional
        Called between steps with (step, steps, elapsed_seconds, epsilon_so_far).
    insecure_test_seed : int, optional
        For tests: noise from a seed. The certificate then says NOT PRIVATE.

    Attributes
    ----------
    model_ : Model
        The released model.
    certificate_ : dict or None
        What it reveals at most.
    classes_, coef_, intercept_, n_features_in_
        As in scikit-learn; coef_ belongs to the encoded features, model_.encoded_features_.
    feature_names_in_ : ndarray
        The columns of X, if it was a DataFrame with names.
    """

    def __init__(
        self,
        epsilon: float | None,
        delta: float | None = None,
        *,
        schema: schemas.Source | schemas.Schema | None = None,
        bounds: tuple[Any, Any] | None = None,
        data_norm: float | None = None,
        norm_rule: str = "clip",
        classes: Any = None,
        target: str | None = None,
        adjacency: str = "add-remove",
        method: str = "auto",
        calibration: str = "sharp",
        lambda_: float | str | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        expected_rows: int | None = None,
        public_n: int | None = None,
        steps: int | None = None,
        learning_rate: float | None = None,
        dataset: str | None = None,
        ledger: str | os.PathLike[str] | None = None,
        data_is_public: bool = False,
        threads: int | None = None,
        progress: Callable[[int, int, float, float], None] | None = None,
        insecure_test_seed: int | None = None,
    ):
        self.epsilon = epsilon
        self.delta = delta
        self.schema = schema
        self.bounds = bounds
        self.data_norm = data_norm
        self.norm_rule = norm_rule
        self.classes = classes
        self.target = target
        self.adjacency = adjacency
        self.method = method
        self.calibration = calibration
        self.lambda_ = lambda_
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.expected_rows = expected_rows
        self.public_n = public_n
        self.steps = steps
        self.learning_rate = learning_rate
        self.dataset = dataset
        self.ledger = ledger
        self.data_is_public = data_is_public
        self.threads = threads
        self.progress = progress
        self.insecure_test_seed = insecure_test_seed

    # ---- training ----

    def plan(self, n_features: int | None = None) -> dict[str, Any]:
        """What fit() would do, from settings alone: method, lambda, noise, events. No row is read.

        Without a schema the number of features and ``classes`` must be given.
        """
        if self.schema is None:
            if n_features is None or self.classes is None:
                raise ValueError("a plan reads no rows; give n_features and classes=, or a schema")
            table = np.empty((0, operator.index(n_features)))
            made = schemas.Schema(self._make_schema(table, self._classes_for(None)))
        else:
            made = self._given_schema()
        config, training = self._config(), Handle("sotto_training_free")
        call("sotto_training_plan", byref(config), made.pointer, byref(training.pointer))
        return json.loads(text_of("sotto_training_json", training.pointer))

    def fit(self, X: Any, y: Any = None, *, units: Any = None) -> LogisticRegression:
        """Trains on rows X with labels y, and on whose rows they are if the schema has a unit."""
        owner = type(self).__name__
        if self.schema is None:
            table, classes = _shape(X), self._classes_for(y)
            made = schemas.Schema(self._make_schema(table, classes))
        else:
            table = X if hasattr(X, "shape") else np.asarray(X)
            classes, made = None, self._given_schema()
        reader = _records.Reader(made.describe(self.target), classes, owner)
        records, keep = reader.records_of(table, y, units)
        if self.insecure_test_seed is not None:
            warnings.warn("the noise comes from a seed: the model is NOT PRIVATE", PrivacyWarning,
                          stacklevel=2)
        text = self._train(made, records)
        del keep
        self.model_ = Model(text, classes=classes, owner=owner)
        self.n_features_in_ = table.shape[1]
        self._note_names(X)
        for name in ("certificate_", "classes_", "coef_", "intercept_"):
            setattr(self, name, getattr(self.model_, name))
        return self

    def _classes_for(self, y: Any) -> list[Any]:
        """The label set of a training without a schema, as Python's own values."""
        if self.classes is not None:
            return np.asarray(self.classes).tolist()
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is "
                             "None")
        found = _records.label_set(_records.labels(y))
        warnings.warn("the label set is read from y, which declares it public; give classes=",
                      PrivacyWarning, stacklevel=3)
        return found

    def _make_schema(self, table: Any, classes: list[Any]) -> dict[str, Any]:
        """The schema that bounds or data_norm stand for."""
        width = table.shape[1]
        if self.bounds is not None:
            lower, upper = (np.broadcast_to(np.asarray(side, dtype=np.float64), (width,))
                            for side in self.bounds)
            made = schemas.of_bounds(_names_of(table), lower, upper, classes)
            if self.data_norm is not None:
                made["row_norm"] = {"bound": float(self.data_norm), "rule": self.norm_rule}
        elif self.data_norm is not None:
            made = schemas.of_norm(width, float(self.data_norm), self.norm_rule, classes)
        else:
            raise ValueError(
                "the features have no public bounds; give schema=, bounds= or data_norm=, and do "
                "not take them from the rows: a bound read from the data reveals a record")
        made["intercept"] = float(self.intercept_scaling) if self.fit_intercept else 0.0
        if self.dataset is not None:
            made["dataset"] = self.dataset
        return made

    def _given_schema(self) -> schemas.Schema:
        """The user's own schema, with nothing beside it that it says itself."""
        for name in ("bounds", "data_norm", "classes", "dataset", "norm_rule", "fit_intercept",
                     "intercept_scaling"):
            value, default = getattr(self, name), self._parameters()[name].default
            if value is not None if default is None else value != default:
                raise ValueError(f"{name} is {value!r} beside a schema, which says it itself; "
                                 "leave one of them out")
        return (self.schema if isinstance(self.schema, schemas.Schema)
                else schemas.Schema(self.schema))

    def _config(self) -> TrainConfig:
        config = library.sotto_train_defaults()
        config.model = MODEL_LOGISTIC
        config.method = value_of_name("sotto_method_from_name", self.method)
        config.calibration = value_of_name("sotto_calibration_from_name", self.calibration)
        config.adjacency = value_of_name("sotto_adjacency_from_name", self.adjacency)
        for name in ("epsilon", "delta", "learning_rate"):
            if getattr(self, name) is not None:
                setattr(config, name, float(getattr(self, name)))
        for name in ("public_n", "expected_rows", "steps", "threads"):
            if getattr(self, name) is not None:
                setattr(config, name, self._whole(name))
        if isinstance(self.lambda_, str) and self.lambda_ == "theory":
            config.lambda_theory = True
        elif self.lambda_ is not None:
            setattr(config, "lambda", float(self.lambda_))
        config.target = None if self.target is None else self.target.encode()
        config.ledger = None if self.ledger is None else os.fsencode(self.ledger)
        if self.data_is_public not in (True, False):
            raise ValueError(f"data_is_public is {self.data_is_public!r}; give True or False")
        config.data_is_public = bool(self.data_is_public)
        if self.insecure_test_seed is not None:
            config.insecure_test = True
            config.test_seed = self._whole("insecure_test_seed")
        return config

    def _whole(self, name: str) -> int:
        """A setting for a field without a sign, where ctypes would wrap a negative number."""
        value = getattr(self, name)
        number = operator.index(value)
        if not 0 <= number < 2**63:
            raise ValueError(f"{name} is {value!r}; give a whole number that is not negative")
        return number

    def _train(self, schema: schemas.Schema, records: Any) -> str:
        """The model file of one call of the library."""
        config, watch = self._config(), _Watch(self.progress)
        config.progress = watch.function
        result = Handle("sotto_train_free")
        try:
            call("sotto_train_records", byref(config), schema.pointer, byref(records),
                 byref(result.pointer))
        except SottoError:
            if watch.failure is not None:
                raise watch.failure from None
            raise
        return text_of("sotto_train_json", result.pointer)

    # ---- prediction: post-processing of the model ----

    def _model(self, X: Any = None) -> Model:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        if X is not None and self.schema is None:
            self._check_names(X)
        return self.model_

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class for each row."""
        return self._model(X).predict_proba(X)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Its logarithm."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> np.ndarray:
        """The log-odds of the second class."""
        return self._model(X).decision_function(X)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        return self._model(X).predict(X)

    def score(self, X: Any, y: Any = None) -> float:
        """The accuracy on PUBLIC rows: on private ones it is a release that nothing pays for."""
        return self._model(X).score(X, y)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, for sotto.load() and the command."""
        self._model().save(path)

    @property
    def model_json_(self) -> str:
        """The model file's text."""
        return self._model().json

    # ---- scikit-learn ----

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        return classifier_tags(non_deterministic=self.insecure_test_seed is None)

    def _note_names(self, X: Any) -> None:
        names = _arrays.frame_names(X)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _check_names(self, X: Any) -> None:
        """Columns with names must be those of fit(), in their order."""
        fitted, names = getattr(self, "feature_names_in_", None), _arrays.frame_names(X)
        if fitted is None or names is None:
            if (fitted is None) != (names is None):
                having = "has" if fitted is None else "does not have valid"
                warnings.warn(f"X {having} feature names, but {type(self).__name__} was fitted "
                              f"with{'out' if fitted is None else ''} feature names",
                              UserWarning, stacklevel=4)
            return
        if names != fitted.tolist():
            raise ValueError("The feature names should match those that were passed during fit.\n"
                             + _difference(names, fitted.tolist()))


class _Watch:
    """Lets an interrupt, or an exception of the caller's function, end a training between steps."""

    def __init__(self, report: Callable[[int, int, float, float], None] | None):
        self.report = report
        self.failure: BaseException | None = None
        self.function = ProgressFunction(self._step)

    def _step(self, progress: Any, _: Any) -> int:
        try:
            if self.report is not None:
                now = progress.contents
                self.report(now.step, now.steps, now.elapsed_seconds, now.epsilon_so_far)
        except BaseException as problem:  # noqa: BLE001
            # An interrupt too: it is raised again when the library has returned.
            self.failure = problem
            return 1
        return 0


def _shape(X: Any) -> Any:
    """X with a shape: a DataFrame as it is, anything else as an array."""
    return X if _arrays.is_frame(X) else _arrays.matrix(X)


def _names_of(table: Any) -> list[str]:
    return _arrays.frame_names(table) or [f"x{place}" for place in range(table.shape[1])]


def _difference(names: list[str], fitted: list[str]) -> str:
    unseen = sorted(set(names) - set(fitted))
    missing = sorted(set(fitted) - set(names))
    text = ""
    for title, listed in (("Feature names unseen at fit time:\n", unseen),
                          ("Feature names seen at fit time, yet now missing:\n", missing)):
        if listed:
            shown = listed[:5] + (["..."] if len(listed) > 5 else [])
            text += title + "".join(f"- {name}\n" for name in shown)
    return text or "Feature names must be in the same order as they were in fit.\n"
