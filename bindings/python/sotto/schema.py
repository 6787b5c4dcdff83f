"""The public description of a table, written before a row is read: see docs/reference/schema.md."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from ctypes import byref
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._errors import PrivacyWarning
from ._files import File, Path, file_of, path_bytes
from ._library import CONSTANTS, DraftConfig, Handle, call, defaults_of, library, owned_text, owned_texts
from .account import whole

Source = str | os.PathLike[str] | Mapping[str, Any]


class Schema(Handle):
    """A schema from a file, from JSON text (it begins with a brace) or from a dict.

    A relative ``"ledger"`` in a file is relative to the file's folder, else to the working one.
    """

    def __init__(self, source: Source):
        super().__init__("sotto_schema_free")
        if isinstance(source, Mapping):
            source = json.dumps(source)
        self._source_is_text = isinstance(source, str) and source.lstrip().startswith("{")
        if self._source_is_text:
            text = source.encode()
            call("sotto_schema_parse", b"schema", text, len(text), byref(self.pointer))
        else:
            source = os.path.abspath(source)
            call("sotto_schema_load", os.fsencode(source), byref(self.pointer))
        self._source = source

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._source,)

    @classmethod
    def draft(cls, data: Any, *, target: str | None = None, types: Mapping[str, str] | None = None,
              bounds: Mapping[str, tuple[float, float]] | None = None,
              values: Mapping[str, Sequence[str]] | None = None, leave_out: Sequence[str] = (),
              unit: str | None = None, unit_rows: int | None = None, dataset: str | None = None,
              ledger: Path | None = None, data_is_public: bool = False) -> Draft:
        """Drafts a schema from the names of the columns, and from public facts that are declared.

        ``data`` is a CSV or TSV file with a header, a frame, or a list of names. Only the names are used, unless
        ``data_is_public=True`` declares the rows of a file public. ``types`` maps columns to number, integer, boolean, category,
        id or ignore; other types follow from names. ``bounds`` are public bounds of numbers, ``values`` the levels of categories:
        they imply the type. ``unit`` is the id column of a person, who has at most ``unit_rows`` rows.

        >>> import sotto
        >>> draft = sotto.Schema.draft(["age", "town", "ill"], target="ill", types={"ill": "boolean"},
        ...                            values={"town": ["Lund", "Ystad"]})
        >>> draft.fill_in
        {'age': ['lower', 'upper']}
        >>> draft.edit("age", lower=0, upper=110).schema().describe()["target"]["column"]
        'ill'
        """
        known = {**dict.fromkeys(bounds or {}, "number"), **dict.fromkeys(values or {}, "category"), **(types or {})}
        if unit is not None:
            known[unit] = "id"
        path = file_of(data)
        with tempfile.TemporaryDirectory() as folder:
            source = path_bytes(path.path) if path is not None else _header_of(data, folder)
            text, notes = _draft(source, known, leave_out, target=target, dataset=dataset, ledger=ledger, unit=unit,
                                 unit_rows=unit_rows, header_only=path is None or not data_is_public)
        made = Draft(json.loads(text), notes)
        for name, pair in (bounds or {}).items():
            made = made.edit(name, lower=pair[0], upper=pair[1])
        for name, levels in (values or {}).items():
            made = made.edit(name, values=list(levels))
        return made

    def edit(self, column: str, **members: Any) -> Schema:
        """A schema in which members of a column are changed: ``edit("age", lower=0, upper=110)``. None removes one.

        If you looked at private rows to choose them, add ``source="adjusted after viewing private rows"``: the certificate
        lists the column as not protected.
        """
        return Schema(_edited(self._members(), column, members))

    def check(self, data: Path | File) -> None:
        """Checks that the header of a file fits the schema; reads no row."""
        call("sotto_schema_check_data", self.pointer, byref(_file(data).of_library()))

    def check_owner(self, data: Path | File, *, key: Path | None = None, target: str | None = None) -> dict[str, Any]:
        """Exact counts for the OWNER of the rows, NOT PRIVATE: invalid cells, values outside the bounds, long units.

        Nothing is charged. ``key`` is the curator's secret key, required if the schema's ledger names a curator.
        """
        warnings.warn("the counts are exact and NOT PRIVATE: never publish them. A schema that is changed because of them "
                      "reveals information about the rows", PrivacyWarning, stacklevel=2)
        name = None if target is None else target.encode()
        return json.loads(owned_texts("sotto_owner_check_rows", 2, self.pointer, byref(_file(data).of_library()), name,
                                      path_bytes(key))[0])

    def write(self, path: Path, *, overwrite: bool = False) -> str:
        """Writes the schema and returns the path. An existing file is replaced only with ``overwrite=True``."""
        return _write(path, overwrite, json.dumps(self._members(), indent=2))

    def _members(self) -> dict[str, Any]:
        """The schema as it was written, or with all defaults if it came from a file."""
        return json.loads(self._source) if self._source_is_text else self._with_ledger()

    def _with_ledger(self) -> dict[str, Any]:
        members, path = self.describe(), library.sotto_schema_ledger(self.pointer)
        return {**members, "ledger": os.fsdecode(path)} if path else members

    def __str__(self) -> str:
        """Features, dimension, norm bound, labels and warnings."""
        return owned_texts("sotto_schema_describe", 2, self.pointer, None)[1]

    def describe(self, target: str | None = None) -> dict[str, Any]:
        """The schema with all defaults written out, but for the ledger's path."""
        return json.loads(describe(self.pointer, target))


@dataclass(frozen=True)
class Draft:
    """A schema in the making: ``members`` has None for each fact to fill in, ``notes`` explains the guesses.

    ``fill_in`` lists these facts by column. :meth:`schema` gives the schema once nothing is left to fill in.
    """

    members: dict[str, Any]
    notes: str = ""

    @property
    def fill_in(self) -> dict[str, list[str]]:
        """The members to fill in, by column."""
        columns = {column["name"]: [name for name, value in column.items() if value is None]
                   for column in self.members["columns"]}
        return {name: missing for name, missing in columns.items() if missing}

    def edit(self, column: str, **members: Any) -> Draft:
        """A draft in which members of a column are changed: ``edit("age", lower=0, upper=110)``. None removes one."""
        return Draft(_edited(self.members, column, members), self.notes)

    def schema(self) -> Schema:
        """The schema; a SottoError names a fact that is not filled in."""
        return Schema(self.members)

    def write(self, path: Path, *, overwrite: bool = False) -> str:
        """Writes the draft as JSON for an editor, and returns the path."""
        return _write(path, overwrite, json.dumps(self.members, indent=2))


def _edited(schema: Mapping[str, Any], column: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a schema with one column changed; the library checks the result."""
    columns = [dict(known) for known in schema.get("columns", [])]
    found = [known for known in columns if known["name"] == column]
    if not found:
        raise ValueError(f"column is {column!r}; the schema has {', '.join(known['name'] for known in columns) or 'no columns'}")
    for name, value in members.items():
        found[0][name] = value
        if value is None:
            del found[0][name]
    return {**schema, "columns": columns}


def _write(path: Path, overwrite: bool, text: str) -> str:
    data = f"{text}\n".encode()
    call("sotto_output_put", os.fsencode(path), CONSTANTS["SOTTO_OUTPUT_SCHEMA"], overwrite, data, len(data))
    return os.fspath(path)


def _file(data: Path | File) -> File:
    found = file_of(data)
    if found is None:
        raise TypeError(f"data is of the type {type(data).__name__}; give the path of a file, or a sotto.File")
    return found


def _header_of(data: Any, folder: str) -> bytes:
    """A file that has the names of a frame's columns, and no rows."""
    from ._tables import read

    names = list(data) if isinstance(data, (list, tuple)) else read(data).names
    if not names or not all(isinstance(name, str) for name in names):
        raise ValueError("data has no columns with names that are texts; give a frame, a list of names, or a file with a header")
    path, line = os.fsencode(os.path.join(folder, "data.csv")), io.StringIO()
    csv.writer(line).writerow(names)
    text = line.getvalue().encode()
    call("sotto_output_put", path, CONSTANTS["SOTTO_OUTPUT_DATA"], False, text, len(text))
    return path


def _draft(path: bytes, types: Mapping[str, str], leave_out: Sequence[str], *, header_only: bool, target: str | None,
           dataset: str | None, ledger: Path | None, unit: str | None, unit_rows: int | None) -> tuple[str, str]:
    config = defaults_of("draft", DraftConfig())
    config.path, config.header_only, config.unit_rows = path, header_only, whole("unit_rows", unit_rows or 0)
    for name, value in (("target", target), ("dataset", dataset), ("unit", unit)):
        setattr(config, name, None if value is None else value.encode())
    config.ledger = path_bytes(ledger)
    set_types(config, types, leave_out)
    text, notes = owned_texts("sotto_schema_draft", 2, byref(config))
    return text, notes


_LISTS = {"number": "numbers", "integer": "integers", "boolean": "booleans", "category": "categories",
          "id": "ids", "ignore": "leave_out"}


def set_types(config: DraftConfig, types: Mapping[str, str], leave_out: Sequence[str]) -> None:
    """Lists the names of columns in the member of their type."""
    if isinstance(leave_out, str):
        raise TypeError(f"leave_out is {leave_out!r}; give a list of names, for example [{leave_out!r}]")
    lists: dict[str, list[str]] = {}
    for name, kind in [*types.items(), *((name, "ignore") for name in leave_out)]:
        if kind not in _LISTS:
            raise ValueError(f"types[{name!r}] is {kind!r}; give one of {', '.join(_LISTS)}")
        if "," in name:
            raise ValueError(f"the column {name!r} has a comma in its name; give its type in the schema")
        lists.setdefault(_LISTS[kind], []).append(name)
    for member, names in lists.items():
        setattr(config, member, ",".join(names).encode())


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
