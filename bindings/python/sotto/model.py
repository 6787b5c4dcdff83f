"""A released model: predict with it, score it, read and check its certificate."""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
from ctypes import byref, c_double
from typing import Any

import numpy as np

from ._arrays import view
from ._certified import Certified
from ._library import (
    CONSTANTS,
    Evaluation,
    Handle,
    TrainingErrors,
    call,
    library,
    owned_text,
    text_of,
)
from ._records import Reader
from .schema import classes_of, describe

_PROBABILITIES, _SCORE, _NUMBER = (
    CONSTANTS[f"SOTTO_PREDICTS_{name}"] for name in ("PROBABILITIES", "SCORE", "NUMBER"))


class Model(Certified, Handle):
    """A model file in memory. Computations with it reveal nothing more about its rows.

    Attributes
    ----------
    json : str
        The whole file.
    kind : str
        The kind of the model: ``"logistic"``, ``"svm"``, ``"softmax"``, ``"linear"``, ``"concept"``, ...
    classes_ : ndarray or None
        The label set, in the schema's order. The second of two is the positive class. None for
        numbers.
    coef_, intercept_ : ndarray
        Coefficients of the encoded features and the constant term: one row, for softmax one for each
        class. For numbers a plain list and a number, in the units of the target. For counts they
        give its logarithm. The mean, if the file has several posterior samples.
    draws_ : int
        Number of posterior samples in the file; 1 unless method "posterior" or "regularized-em" made several.
    coef_draws_, intercept_draws_ : ndarray
        coef_ and intercept_ of every posterior sample, which is the first index.
    sampler_ : str or None
        Their sampler: ``"proximal"``, ``"exact-gaussian"``, or ``"mala"``, a heuristic for public data.
    encoded_features_ : list of str
        Their names: ``"age"``, ``"town=Lund"``, or the place in a matrix.
    certificate_ : dict or None
        The certificate of the privacy loss; None for a model of public data.
    weights_ : list of ndarray or None
        For a network the parameters of each layer that has some, weights first, then biases, in the
        order of docs/reference/networks.md. Its coef_ and intercept_ are None.
    concept_ : dict or None
        For a concept its class, as in the file, and "numbers": its place in the class
        (docs/reference/concepts.md). Its coef_ and intercept_ are None.
    curves_ : list of dict
        For an additive model the contributions of bins to the score: one dict for each column. It has "column",
        and "edges" between "lower" and "upper", or "values". "adds" has one list, or one for each class of
        several. For an interaction "interaction" has two such columns, and "adds" has a list of lists, one list for
        each bin of the first column. Empty for other models.
    rule_ : str or None
        For a concept the condition of its positive class: ``"age >= 37"``.
    noisy_errors_ : list of ndarray or None
        For mechanism "laplace" the released noisy errors of every concept of the class on the training
        rows. One array, or one for each feature of rectangles over three or more
        (docs/reference/concepts.md has the order). training_errors() and best_rules() read them.
    error_scales_ : ndarray or None
        The scale of the Laplace noise of each of these arrays.
    curve_ : dict or None
        For a network that was scored on public rows during training: "steps" and "scores".
    """

    def __init__(self, text: str, *, classes: list[Any] | None = None, owner: str = "Model"):
        super().__init__("sotto_model_free")
        data = text.encode()
        call("sotto_model_parse", b"model", data, len(data), byref(self.pointer))
        self.json = text
        self.schema = json.loads(describe(library.sotto_model_schema(self.pointer)))
        self._given = classes, owner
        self._reader = Reader(self.schema, classes, owner,
                              library.sotto_model_schema(self.pointer))
        self.kind = text_of("sotto_model_kind_name", library.sotto_model_kind_of(self.pointer))
        self._predicts = library.sotto_model_predicts(self.pointer)
        self.classes_ = None
        if self._predicts != _NUMBER:
            self.classes_ = np.array(_classes_of(self) if classes is None else classes)
        members = json.loads(text)
        self.certificate_ = members.get("certificate")
        self.curve_ = members.get("curve")
        self.sampler_ = members.get("sampler")
        self.draws_ = library.sotto_model_draws(self.pointer)
        self.weights_ = self.concept_ = self.rule_ = None
        self.noisy_errors_ = self.error_scales_ = None
        self.coef_ = self.intercept_ = self.coef_draws_ = self.intercept_draws_ = None
        self.encoded_features_ = self._feature_names()
        self.curves_ = (json.loads(owned_text("sotto_model_curves", self.pointer))
                        if self.kind == "additive" else [])
        if self.kind == "network":
            self.weights_ = [np.array([float.fromhex(value) for value in layer])
                             for layer in members["coefficients"]]
        elif self.kind == "concept":
            places = range(library.sotto_model_coefficients(self.pointer))
            self.concept_ = {**members["concept"], "numbers": [
                int(library.sotto_model_coefficient(self.pointer, place)) for place in places]}
            room = ctypes.create_string_buffer(4096)
            self.rule_ = text_of("sotto_model_concept", self.pointer, room, len(room))
            if library.sotto_model_error_lists(self.pointer) > 0:
                self.noisy_errors_ = [np.array(part["counts"], dtype=np.int64)
                                      for part in members["noisy_errors"]]
                self.error_scales_ = np.array([part["scale"] for part in members["noisy_errors"]])
        else:
            self._read_coefficients()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.json, *self._given)

    def training_errors(self, failure: float = 0.05) -> dict[str, float]:
        """Estimate and bound of the training errors of a concept by "laplace".

        "noisy" is its count with noise of scale "scale". It is the smallest of many, so it is biased low.
        "upper" is a bound that holds with probability 1 - failure or more. Costs no privacy.
        """
        found = TrainingErrors()
        call("sotto_model_training_errors", self.pointer, failure, byref(found))
        return {"noisy": found.noisy, "scale": found.scale, "upper": found.upper}

    def best_rules(self, count: int = 5) -> list[tuple[str, int]]:
        """The rules with the least noisy errors, the least first; [] without such counts.

        For rectangles over three or more features: among those that differ in the last one.
        """
        last = library.sotto_model_error_lists(self.pointer) - 1
        if last < 0 or count < 1:
            return []
        places = (ctypes.c_size_t * min(count, library.sotto_model_error_count(self.pointer, last)))()
        found = library.sotto_model_best_concepts(self.pointer, last, len(places), places)
        room = ctypes.create_string_buffer(4096)
        rules = []
        for place in places[:found]:
            call("sotto_model_concept_at", self.pointer, last, place, room, len(room))
            rules.append((room.value.decode(), library.sotto_model_noisy_errors(
                self.pointer, last, place)))
        return rules

    def _feature_names(self) -> list[str]:
        places = range(library.sotto_model_dimension(self.pointer))
        names = [text_of("sotto_model_feature", self.pointer, place) for place in places]
        if self.kind != "concept" and float(self.schema.get("intercept", 0.0)) != 0.0:
            names.pop()  # the constant column comes last
        return names

    def _read_coefficients(self) -> None:
        places = range(library.sotto_model_dimension(self.pointer)
                       * library.sotto_model_margins(self.pointer))
        self.coef_, self.intercept_ = self._in_units(
            [library.sotto_model_coefficient(self.pointer, place) for place in places])
        parts = [self._in_units([library.sotto_model_draw_coefficient(self.pointer, draw, place)
                                 for place in places]) for draw in range(self.draws_)]
        self.coef_draws_, self.intercept_draws_ = (np.array(side) for side in zip(*parts))

    def _in_units(self, numbers: list[float]) -> tuple[Any, Any]:
        """One vector of the file as coefficients and constant term."""
        margins = library.sotto_model_margins(self.pointer)
        values = np.array(numbers).reshape(margins, -1)
        constant = float(self.schema.get("intercept", 0.0))
        term = np.zeros(margins)
        if constant != 0.0:
            values, term = values[:, :-1], values[:, -1] * constant
        if self._predicts != _NUMBER:
            return values, term
        center, half = (0.0, 1.0) if self.kind == "poisson" else _scale_of(self.schema)
        return half * values[0], center + half * float(term[0])

    def _outputs(self, X: Any) -> np.ndarray:
        """Predictions of the library, one line for each row. Every row has a prediction."""
        size, said = library.sotto_model_outputs(self.pointer), []
        for features in self._reader.features_of(X):
            said.append(np.empty((len(features), size)))
            call("sotto_model_predict", self.pointer, byref(view(features)), _pointer(said[-1]))
        return said[0] if len(said) == 1 else np.concatenate(said)

    def _refuse(self, what: str, *, unless: tuple[int, ...]) -> None:
        if self._predicts not in unless:
            raise AttributeError(f"a model of kind {self.kind} has no {what}; use predict()")

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class for each row; of logistic models, softmax and networks."""
        self._refuse("probabilities", unless=(_PROBABILITIES,))
        return self._outputs(X)

    def decision_function(self, X: Any) -> np.ndarray:
        """Two classes: a score of the second, at least 0 for it: the log-odds, or the margin.

        More classes: the logarithm of each class's probability.
        """
        self._refuse("scores", unless=(_PROBABILITIES, _SCORE))
        outputs = self._outputs(X)
        if self._predicts == _SCORE:
            return outputs[:, 0]
        with np.errstate(divide="ignore"):
            logarithms = np.log(outputs)
        return logarithms if outputs.shape[1] > 2 else logarithms[:, 1] - logarithms[:, 0]

    def predict(self, X: Any, *, threshold: float = 0.5) -> np.ndarray:
        """The number of each row, or its class: of more than two the most probable.

        For two classes it is the second if its probability is at least `threshold`, or its score at least 0. Only models that give
        two classes a probability take a threshold other than 0.5.
        """
        outputs = self._outputs(X)
        self._check_threshold(threshold, outputs.shape[1])
        if self._predicts == _NUMBER:
            return outputs[:, 0]
        if self._predicts == _SCORE:
            return self.classes_[(outputs[:, 0] >= 0).astype(np.intp)]
        if outputs.shape[1] == 2:
            return self.classes_[(outputs[:, 1] >= threshold).astype(np.intp)]
        return self.classes_[outputs.argmax(axis=1)]

    def _check_threshold(self, threshold: float, outputs: int) -> None:
        if threshold != 0.5 and (self._predicts != _PROBABILITIES or outputs != 2):
            raise ValueError(f"threshold is {threshold!r}, but the model does not give two classes a probability; leave it out")
        if not 0.0 <= threshold <= 1.0:  # NaN too
            raise ValueError(f"threshold is {threshold!r}; a probability lies in [0, 1]; for example threshold=0.2")

    def predict_draws(self, X: Any) -> np.ndarray:
        """Predictions of each posterior sample: rows x samples; for probabilities also x classes."""
        size, said = library.sotto_model_outputs(self.pointer), []
        for features in self._reader.features_of(X):
            said.append(np.empty((len(features), self.draws_, size)))
            call("sotto_model_predict_draws", self.pointer, byref(view(features)),
                 _pointer(said[-1]))
        out = np.concatenate(said)
        return out if self._predicts == _PROBABILITIES else out[:, :, 0]

    def predict_interval(self, X: Any, level: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper ends of each row's prediction by the share `level` of the posterior.

        Probabilities have one interval for each class, scores and numbers one for each row. The ends are order
        statistics of the posterior samples: another sample would be between them with probability at least
        `level`. For numbers they cover the mean of such rows, not a new observation. It needs
        2 / (1 - level) - 1 samples.
        """
        size, said = library.sotto_model_outputs(self.pointer), []
        for features in self._reader.features_of(X):
            said.append([np.empty((len(features), size)) for _ in range(3)])
            call("sotto_model_predict_interval", self.pointer, byref(view(features)), float(level),
                 *map(_pointer, said[-1]))
        _, lower, upper = map(np.concatenate, zip(*said, strict=True))
        if self._predicts == _PROBABILITIES:
            return lower, upper
        return lower[:, 0], upper[:, 0]

    def evaluate(self, X: Any, y: Any = None, *, threshold: float = 0.5) -> dict[str, Any]:
        """Scores of the model on PUBLIC rows.

        Classes: accuracy, balanced_accuracy, majority (the share of the most frequent class), log_loss, auc,
        brier, confusion; numbers: mse, mae, r2, deviance. A
        score without meaning for the model is NaN. Scores of private rows are a release that is not
        charged here.
        """
        records, keep = self._reader.records_of(X, y, None, public=True)
        scores = Evaluation()
        call("sotto_model_evaluate_records", self.pointer, byref(records), threshold, byref(scores))
        del keep
        size = scores.classes
        names = (("mse", "mae", "r2", "deviance") if self._predicts == _NUMBER
                 else ("accuracy", "balanced_accuracy", "majority", "log_loss", "auc", "brier"))
        found = {"rows": scores.rows, **{name: getattr(scores, name) for name in names}}
        if size > 0:
            found["confusion"] = [scores.confusion[place * size:(place + 1) * size]
                                  for place in range(size)]
        library.sotto_evaluation_clear(byref(scores))
        return found

    def score(self, X: Any, y: Any = None, *, threshold: float = 0.5) -> float:
        """On PUBLIC rows the accuracy, or for numbers R^2."""
        return self.evaluate(X, y, threshold=threshold)["r2" if self._predicts == _NUMBER else "accuracy"]

    def export_c(self, name: str = "sotto_model") -> str:
        """A C header with NAME_predict() for one row, and the model's parameters."""
        return owned_text("sotto_model_export_c", self.pointer, name.encode())

    def export_sql(self, table: str | None = None) -> str:
        """One SQL expression over the columns, for SQLite, PostgreSQL and DuckDB.

        It is the probability of the second class, the score, or the predicted number. `table` is the name or
        alias before each column. Linear and additive models of tables have one.
        """
        return owned_text("sotto_model_export_sql", self.pointer,
                          None if table is None else table.encode())

    def __repr__(self) -> str:
        features = len(self.encoded_features_)
        what = "numbers" if self.classes_ is None else f"classes {self.classes_.tolist()}"
        return f"<sotto.Model: {self.kind}, {features} features, {what}>"


def load(path: str | os.PathLike[str]) -> Model:
    """A model file, all of it checked; :meth:`Model.verify` checks the certificate too."""
    return Model(pathlib.Path(path).read_text(encoding="utf-8"))


def _pointer(values: np.ndarray) -> Any:
    return values.ctypes.data_as(ctypes.POINTER(c_double))


def _restore(text: str, classes: list[Any] | None, owner: str) -> Model:
    return Model(text, classes=classes, owner=owner)


def _scale_of(schema: dict[str, Any]) -> tuple[float, float]:
    """The middle of the target's bounds and half their distance: it is learned as -1 to 1."""
    target = schema["target"]
    if "columns" in schema:
        (target,) = (column for column in schema["columns"] if column["name"] == target["column"])
    return (target["upper"] + target["lower"]) / 2, (target["upper"] - target["lower"]) / 2


def _classes_of(model: Model) -> list[Any]:
    """The labels of the file: numbers where its labels are numbers, else names."""
    names = [text_of("sotto_model_class", model.pointer, place)
             for place in range(library.sotto_model_classes(model.pointer))]
    return classes_of(names, model.schema)
