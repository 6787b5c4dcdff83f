"""Settings of a tuning, as Python has them and as the library does."""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping
from ctypes import pointer
from dataclasses import dataclass
from typing import Any

from ._library import Records, TrainConfig, TuneConfig, defaults_of
from .account import runs_of


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """The settings of :meth:`Estimator.tune` beside the rows."""

    grid: str | Mapping[str, Any] | None = None
    search: str | Mapping[str, Any] | None = None
    runs_mean: float | None = None
    distribution: str = "negative-binomial"
    eta: float | None = None
    score_epsilon: float | None = None
    validation: Any = None
    candidates: int | None = None
    search_seed: int | None = None

    @property
    def is_path(self) -> bool:
        """Returns True if the validation rows are in a file."""
        return isinstance(self.validation, (str, os.PathLike))

    def config(self, training: TrainConfig, validation: Records | None) -> TuneConfig:
        """The library's settings; `validation` are the public rows, if they are in memory."""
        config = TuneConfig()
        defaults_of("tune", config, config.train)
        config.train = training
        if self.runs_mean is None:
            raise ValueError("runs_mean is missing: the mean number of trainings; for example "
                             "runs_mean=5")
        config.runs = runs_of(self.runs_mean, self.distribution, self.eta)
        config.grid = _text_of(self.grid, ",")
        config.search = _text_of(self.search, ":")
        config.candidates = operator.index(self.candidates or 0)
        config.search_seed = operator.index(self.search_seed or 0)
        if self.is_path:
            config.validation = os.fsencode(self.validation)
        elif validation is not None:
            config.validation_records = pointer(validation)
        if self.score_epsilon is not None:
            config.score_epsilon = float(self.score_epsilon)
        return config

    def rows(self) -> tuple[Any, Any, Any] | None:
        """X, y and units of validation rows in memory; None: they are in a file, or there are none."""
        if self.validation is None or self.is_path:
            return None
        if not isinstance(self.validation, tuple) or not 1 <= len(self.validation) <= 3:
            raise ValueError("validation is neither the path of a file nor a tuple (X, y), or (X, y, "
                             "units), of public rows; give one of them")
        return (*self.validation, None, None)[:3]


def _text_of(space: str | Mapping[str, Any] | None, between: str) -> bytes | None:
    """"lambda=0.1,1;steps=50,100" of {"lambda_": [0.1, 1], "steps": [50, 100]}."""
    if space is None:
        return None
    if isinstance(space, Mapping):
        parts = []
        for name, values in space.items():
            if isinstance(values, str) or not hasattr(values, "__iter__"):
                raise ValueError(f"{name!r} has the values {values!r}; give a list of them, for "
                                 f"example [{values!r}]")
            words = (value if isinstance(value, str) else f"{value:.17g}" if isinstance(value, float)
                     else str(value) for value in values)
            parts.append(f"{name.rstrip('_').replace('_', '-')}={between.join(words)}")
        space = ";".join(parts)
    return space.encode()
