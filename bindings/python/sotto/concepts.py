"""Private choice of one rule of a finite class: thresholds, stumps, rectangles, conjunctions, ..."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from . import schema as schemas
from ._library import TrainConfig, value_of_name
from ._tables import Table
from ._targets import Classifier


@dataclass(repr=False, eq=False, kw_only=True)
class ConceptClassifier(Classifier):
    """One rule of a finite class, chosen by its errors with pure differential privacy.

    The concept is sampled exactly, with pure epsilon: the fewer errors it makes on the rows, the likelier
    it is. Only the private learner reads the rows: bounds, classes and thresholds are
    given. The number of errors of the concept stays secret, except for mechanism "laplace". That one
    counts the errors of all concepts with noise and releases the counts. fit_intercept and
    intercept_scaling have no effect.

    Parameters
    ----------
    concept : str, path or dict
        The class of concepts: "thresholds", "intervals", "stumps", "rectangles", "conjunctions",
        "parities" or "candidates". Or a class with its own columns, thresholds or weights: a file's
        path, its text or its object (docs/reference/pac.md).
    mechanism : {"exponential", "permute-and-flip", "laplace", "none"}
        Mechanism of the choice; it replaces method. "none" needs data_is_public.
    classes : pair
        The label set; the second is the positive class. Needed unless there is a schema, or the
        rows are public.

    After fit() the rule in words is rule_, for example "age >= 50". With "laplace" noisy_errors_
    holds all noisy counts, error_scales_ the scales of their noise; model_.training_errors() bounds
    the errors of the rule, model_.best_rules() lists the next best.
    """

    concept: str | os.PathLike[str] | Mapping[str, Any] = "stumps"
    mechanism: str = "exponential"

    _of_model: ClassVar[tuple[str, ...]] = (
        "certificate_", "classes_", "concept_", "rule_", "noisy_errors_", "error_scales_")

    def _kind(self) -> str:
        return "concept"

    def _config(self) -> TrainConfig:
        config = super()._config()
        text = json.dumps(self.concept) if isinstance(self.concept, Mapping) else self.concept
        config.concept = os.fsencode(text)
        if self.method == "auto":  # any other was given, and the library says what it makes of it
            config.method = value_of_name("sotto_method_from_name", self.mechanism)
        return config

    def _set(self, config: TrainConfig, name: str, kind: Any) -> None:
        if name != "concept":  # _config() knows all its forms
            super()._set(config, name, kind)

    def _make_schema(self, table: Table, goal: schemas.Goal) -> dict[str, Any]:
        made = super()._make_schema(table, goal)
        made["intercept"] = 0.0  # a rule has no constant term
        return made
