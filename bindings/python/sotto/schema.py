"""What is public about a table, written down before a row is read: see docs/schema.md."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from ctypes import byref
from typing import Any

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
    return owned_text("sotto_schema_to_json", "sotto_schema_free_text", pointer, name)


def of_bounds(names: Sequence[str], lower: Sequence[float], upper: Sequence[float],
              classes: Sequence[Any]) -> dict[str, Any]:
    """A table of bounded numbers and a target, which comes last."""
    columns = [{"name": name, "type": "number", "lower": float(low), "upper": float(high)}
               for name, low, high in zip(names, lower, upper, strict=True)]
    label = _unused("target", names)
    if all(isinstance(name, str) for name in classes):
        column = {"name": label, "type": "category", "values": list(classes)}
        return {"target": label, "columns": [*columns, column]}
    labels = [float(value) for value in classes]
    column = {"name": label, "type": "number", "lower": min(labels), "upper": max(labels)}
    return {"target": {"column": label, "labels": labels}, "columns": [*columns, column]}


def of_norm(features: int, norm: float, rule: str, classes: Sequence[Any]) -> dict[str, Any]:
    """A matrix of rows with a bounded norm. Its labels are numbers: names become 0 and 1."""
    named = any(isinstance(name, str) for name in classes)
    labels = [0.0, 1.0] if named else [float(value) for value in classes]
    return {"features": features, "labels": labels, "row_norm": {"bound": norm, "rule": rule}}


def _unused(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name
