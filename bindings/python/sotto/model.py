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
from ._library import Evaluation, Handle, call, library, owned_text, text_of, value_of_form
from ._records import Reader
from .schema import describe


class Model(Handle):
    """A model file in memory. What is computed from it reveals nothing more about its rows.

    Attributes
    ----------
    json : str
        The whole file.
    classes_ : ndarray
        The label set, in the schema's order; of two the second is the positive one.
    coef_, intercept_ : ndarray
        Coefficients of the encoded features, one row, and the constant term.
    encoded_features_ : list of str
        Their names: ``"age"``, ``"town=Lund"``, or the place in a matrix.
    certificate_ : dict or None
        What the model reveals at most; None for a model of public data.
    """

    def __init__(self, text: str, *, classes: list[Any] | None = None, owner: str = "Model"):
        super().__init__("sotto_model_free")
        data = text.encode()
        call("sotto_model_parse", b"model", data, len(data), byref(self.pointer))
        self.json = text
        self.schema = json.loads(describe(library.sotto_model_schema(self.pointer)))
        self._given = classes, owner
        self._reader = Reader(self.schema, classes, owner)
        self.classes_ = np.array(_classes_of(self) if classes is None else classes)
        self.certificate_ = json.loads(text).get("certificate")
        self._read_coefficients()

    def __reduce__(self):
        return _restore, (self.json, *self._given)

    def _read_coefficients(self) -> None:
        places = range(library.sotto_model_dimension(self.pointer))
        names = [text_of("sotto_model_feature", self.pointer, place) for place in places]
        values = [library.sotto_model_coefficient(self.pointer, place) for place in places]
        constant = float(self.schema.get("intercept", 0.0))
        term = 0.0
        if constant != 0.0:  # the constant column comes last
            names.pop()
            term = values.pop() * constant
        self.encoded_features_ = names
        self.coef_ = np.array([values])
        self.intercept_ = np.array([term])

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class for each row. Any row has a prediction."""
        features = self._reader.features_of(X)
        out = np.empty((len(features), library.sotto_model_classes(self.pointer)))
        call("sotto_model_predict", self.pointer, byref(view(features)),
             out.ctypes.data_as(ctypes.POINTER(c_double)))
        return out

    def decision_function(self, X: Any) -> np.ndarray:
        """The log-odds of the second class."""
        with np.errstate(divide="ignore"):
            logarithms = np.log(self.predict_proba(X))
        return logarithms[:, 1] - logarithms[:, 0]

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row: the second one if its probability is at least one half."""
        return self.classes_[(self.predict_proba(X)[:, 1] >= 0.5).astype(np.intp)]

    def evaluate(self, X: Any, y: Any = None, *, threshold: float = 0.5) -> dict[str, Any]:
        """How well the model does on PUBLIC rows: accuracy, log_loss, auc, brier, confusion.

        Scores of private rows are a release, which nothing here pays for.
        """
        records, keep = self._reader.records_of(X, y, None)
        scores = Evaluation()
        call("sotto_model_evaluate_records", self.pointer, byref(records), threshold, byref(scores))
        del keep
        size = scores.classes
        found = {"rows": scores.rows, "accuracy": scores.accuracy, "log_loss": scores.log_loss,
                 "auc": scores.auc, "brier": scores.brier,
                 "confusion": [scores.confusion[place * size:(place + 1) * size]
                               for place in range(size)]}
        library.sotto_evaluation_clear(byref(scores))
        return found

    def score(self, X: Any, y: Any) -> float:
        """The accuracy on PUBLIC rows."""
        return self.evaluate(X, y)["accuracy"]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file: all of it or, if that fails, nothing."""
        target = pathlib.Path(path)
        draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            draft.write_text(self.json, encoding="utf-8")
            os.replace(draft, target)
        finally:
            draft.unlink(missing_ok=True)

    def export_c(self, name: str = "sotto_model") -> str:
        """A C header with NAME_probability() and NAME_predict() for one row."""
        return owned_text("sotto_model_export_c", "sotto_model_free_text", self.pointer,
                          name.encode())

    def verify(self) -> None:
        """Recomputes the certificate, and raises VerificationError if anything differs."""
        data = self.json.encode()
        call("sotto_certificate_verify", data, len(data))

    def certificate_page(self, form: str = "text") -> str:
        """The certificate for people to read: ``"text"``, ``"markdown"`` or ``"html"``."""
        data = self.json.encode()
        return owned_text("sotto_certificate_render", "sotto_certificate_free_text", data,
                          len(data), value_of_form(form))

    def __repr__(self) -> str:
        return f"<sotto.Model: {self.coef_.size} features, classes {self.classes_.tolist()}>"


def load(path: str | os.PathLike[str]) -> Model:
    """A model file, all of it checked; :meth:`Model.verify` checks the certificate too."""
    return Model(pathlib.Path(path).read_text(encoding="utf-8"))


def _restore(text: str, classes: list[Any] | None, owner: str) -> Model:
    return Model(text, classes=classes, owner=owner)


def _classes_of(model: Model) -> list[Any]:
    """The labels of the file: numbers where its labels are numbers, else names."""
    names = [text_of("sotto_model_class", model.pointer, place)
             for place in range(library.sotto_model_classes(model.pointer))]
    stated = model.schema.get("labels") or model.schema["target"].get("labels", names)
    if names == ["false", "true"]:
        return [False, True]
    if all(isinstance(value, (int, float)) for value in stated):
        return [int(value) if float(value).is_integer() else value for value in stated]
    return names
