"""The public description of a table, written before a row is read: see docs/reference/schema.md."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from ctypes import byref
from typing import Any

import numpy as np

from ._library import Handle, call, owned_text

Source = str | os.PathLike[str] | Mapping[str, Any]


class Schema(Handle):
    """A schema from a file, from JSON text (it begins with a brace) or from a dict.

    A relative ``"ledger"`` in a file is relative to the file's folder, else to the working one.
    """

    def __init__(self, source: Source):
        super().__init__("sotto_schema_free")
        if isinstance(source, Mapping):
            source = json.dumps(source)
        if isinstance(source, str) and source.lstrip().startswith("{"):
            text = source.encode()
            call("sotto_schema_parse", b"schema", text, len(text), byref(self.pointer))
        else:
            source = os.path.abspath(source)
            call("sotto_schema_load", os.fsencode(source), byref(self.pointer))
        self._source = source

    def __reduce__(self):
        return type(self), (self._source,)

    def describe(self, target: str | None = None) -> dict[str, Any]:
        """The schema with all defaults written out, but for the ledger's path."""
        return json.loads(describe(self.pointer, target))


def describe(pointer: Any, target: str | None = None) -> str:
    """The JSON of a schema of the library, in its one spelling."""
    name = None if target is None else target.encode()
    return owned_text("sotto_schema_to_json", pointer, name)


def classes_of(names: list[str], description: Mapping[str, Any]) -> list[Any]:
    """The label set as Python has it: numbers where the schema's labels are numbers, else names."""
    stated = description.get("labels") or description["target"].get("labels", names)
    if names == ["false", "true"]:
        return [False, True]
    if all(isinstance(value, (int, float)) for value in stated):
        return [int(value) if float(value).is_integer() else value for value in stated]
    return list(names)


class Labels:
    """A target that is one of these classes; of two the second is the positive one."""

    def __init__(self, classes: Sequence[Any]):
        self.classes = list(classes)
        self.named = any(isinstance(name, str) for name in self.classes)

    def column(self, name: str) -> tuple[dict[str, Any], Any]:
        """The column of a table, and its target."""
        if all(isinstance(label, str) for label in self.classes):
            return {"name": name, "type": "category", "values": self.classes}, name
        labels = [float(value) for value in self.classes]
        column = {"name": name, "type": "number", "lower": min(labels), "upper": max(labels)}
        return column, {"column": name, "labels": labels}

    def matrix(self) -> dict[str, Any]:
        """The members of a matrix. Its labels are numbers: names become their places."""
        places = range(len(self.classes))
        return {"labels": [float(value) for value in (places if self.named else self.classes)]}


class Numbers:
    """A target that is a number within bounds. It has no classes."""

    def __init__(self, lower: float, upper: float):
        self.bounds = {"lower": float(lower), "upper": float(upper)}
        self.classes: list[Any] = []

    def column(self, name: str) -> tuple[dict[str, Any], Any]:
        """The column of a table, and its target."""
        return {"name": name, "type": "number", **self.bounds}, name

    def matrix(self) -> dict[str, Any]:
        """The members of a matrix."""
        return {"target": self.bounds}


Goal = Labels | Numbers


def names_of(names: Sequence[Any] | None, width: int) -> Sequence[str]:
    """The names of columns in a schema that is made for them."""
    if names is not None and all(isinstance(name, str) for name in names):
        return names
    return [f"x{place}" for place in range(width)]


def names_of_bounds(side: Any) -> list[Any] | None:
    """The columns that bounds name: a dict, or a pandas Series with names of its own."""
    if isinstance(side, Mapping):
        return list(side)
    if hasattr(side, "iloc") and list(side.index) != list(range(len(side))):
        return list(side.index)
    return None


def bounds_of(side: Any, width: int, names: Sequence[Any] | None) -> np.ndarray:
    """Lower or upper bounds, one for each feature: by name if they have names and X does."""
    labels = names_of_bounds(side)
    if labels is not None:
        if names is None or set(labels) != set(names) or len(labels) != len(names):
            raise ValueError("bounds has other names than the columns of X; give one bound for "
                             "each column, under its name, or lists in the order of the columns")
        side = [side[name] for name in names]
    return np.broadcast_to(np.asarray(side, dtype=np.float64), (width,))


def of_bounds(names: Sequence[str], lower: Sequence[float], upper: Sequence[float],
              goal: Goal) -> dict[str, Any]:
    """A table of bounded numbers and a target, which comes last."""
    columns = [{"name": name, "type": "number", "lower": float(low), "upper": float(high)}
               for name, low, high in zip(names, lower, upper, strict=True)]
    column, target = goal.column(_unused("target", names))
    return {"target": target, "columns": [*columns, column]}


def of_norm(features: int, norm: float, rule: str, goal: Goal) -> dict[str, Any]:
    """A matrix of rows with a bounded norm."""
    return {"features": features, **goal.matrix(), "row_norm": {"bound": norm, "rule": rule}}


def of_images(shape: Sequence[int], goal: Goal) -> dict[str, Any]:
    """A matrix of images: planes, height and width."""
    return {"shape": [int(size) for size in shape], **goal.matrix()}


def _unused(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name
