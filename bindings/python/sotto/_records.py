"""From X, y and units to the records that a schema speaks of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _arrays
from ._library import Array, Records
from ._sklearn import warn_column_vector


def labels(y: Any) -> np.ndarray:
    """One label a row, as it was given."""
    values = _arrays.column(y)
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported: give real labels")
    if values.ndim == 2 and values.shape[1] == 1:
        warn_column_vector()
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {values.shape} instead")
    return values


def label_set(y: np.ndarray, binary: bool) -> list[Any]:
    """The labels in y, in order. Reading them from y declares them public."""
    if y.dtype.kind == "f" and not np.all(np.isfinite(y) & (y == np.floor(y))):
        raise ValueError("Unknown label type: continuous. y has values that are no class labels; "
                         "give the classes with classes=")
    try:
        found = np.unique(y)
    except TypeError as problem:
        raise ValueError("Unknown label type: y mixes kinds of labels; give the classes with "
                         "classes=") from problem
    if binary and len(found) > 2:
        raise ValueError("Only binary classification is supported. The type of the target is "
                         "multiclass")
    if len(found) < 2:
        raise ValueError(f"y has {'one class' if len(found) else 'no class'}; give the classes "
                         "with classes=")
    return found.tolist()


def code_labels(y: np.ndarray, classes: list[Any]) -> np.ndarray:
    """Labels as a schema made for these classes has them; everything else is missing.

    No classes: the labels are numbers.
    """
    texts = any(isinstance(name, str) for name in classes)
    if (y.dtype.kind in "SU") if not texts else (y.dtype.kind in "fiub"):
        wanted = f"classes are {classes}; give them alike" if classes else "numbers are learned"
        raise ValueError(f"y is of type {y.dtype}, but {wanted}")
    if not texts:
        return _arrays.readable(y)
    places = {name: float(place) for place, name in enumerate(classes)}
    return np.fromiter((places.get(cell, np.nan) if isinstance(cell, str) else np.nan
                        for cell in y), np.float64, len(y))


def _cells_of(description: dict[str, Any]) -> Callable[[np.ndarray], np.ndarray]:
    """What turns a column into the cells of a schema's column."""
    if description["type"] == "category":
        return lambda values: _arrays.category_cells(values, description["values"])
    if description["type"] == "boolean":
        return _arrays.boolean_cells
    return _arrays.number_cells


class Reader:
    """Reads rows by a schema's description; `owner` is who complains about a wrong shape.

    `classes` are the label values in Python when the schema was made for them, none of them for
    numbers; None when the schema is the user's own, and y has the cells of its target column.
    """

    def __init__(self, description: dict[str, Any], classes: list[Any] | None, owner: str):
        self.owner = owner
        self.classes = classes
        self.is_matrix = "features" in description
        if self.is_matrix:
            self.features = description["features"]
            return
        self.columns = description["columns"]
        self.target = description.get("target", {}).get("column")
        self.unit = description.get("unit", {}).get("column")

    def features_of(self, table: Any) -> np.ndarray:
        """The rows to predict for: no labels, no units."""
        if self.is_matrix:
            return self._matrix(table)
        return self._table(table, None)[0]

    def records_of(self, table: Any, y: Any, units: Any) -> tuple[Records, list[np.ndarray]]:
        """The records of a training or evaluation, and the arrays that must outlive them."""
        label_values = None if y is None else labels(y)
        if self.is_matrix:
            if label_values is None:
                raise ValueError(f"{self.owner} requires y to be passed, but the target y is None")
            features, found_units = self._matrix(table), None
            label_cells = (_arrays.readable(label_values) if self.classes is None
                           else code_labels(label_values, self.classes))
        else:
            features, found_units = self._table(table, label_values, needs_target=True)
            label_cells = None
        units = found_units if units is None else _arrays.column(units)
        parts = [features, label_cells, None if units is None else _arrays.unit_codes(units)]
        for part in parts:
            if part is not None and len(part) != len(features):
                raise ValueError("Found input variables with inconsistent numbers of samples: "
                                 f"{[len(features), len(part)]}")
        records = Records(*(Array() if part is None else _arrays.view(part) for part in parts))
        return records, [part for part in parts if part is not None]

    def _check_width(self, width: int, expected: int) -> None:
        if width != expected:
            raise ValueError(f"X has {width} features, but {self.owner} is expecting {expected} "
                             "features as input")

    def _matrix(self, table: Any) -> np.ndarray:
        values = _arrays.matrix(table)
        self._check_width(values.shape[1], self.features)
        return values

    def _table(self, table: Any, y: np.ndarray | None, needs_target: bool = False):
        """(cells in the schema's order, units or None). A column that is absent is missing.

        An array of numbers has cells as <sotto/array.h> has them: a category is its place. In a
        DataFrame, or an array of objects, a category is its name.
        """
        if hasattr(table, "tocsr"):
            raise TypeError("Sparse input is not supported with a table's schema: give a DataFrame "
                            "or a dense array")
        if _arrays.frame_names(table) is not None:
            given = self._by_name(table)
        else:
            table = _arrays.two_dimensional(np.asarray(table))
            given = self._by_place(table)
        if needs_target and (y is None) == (self.target not in given):
            raise ValueError(
                f"{self.owner} requires y to be passed, but the target y is None" if y is None else
                f"the target '{self.target}' is given twice: in X and as y; drop one of them")
        rows = len(table)
        if y is not None and len(y) != rows:
            raise ValueError("Found input variables with inconsistent numbers of samples: "
                             f"{[rows, len(y)]}")
        coded = isinstance(table, np.ndarray) and table.dtype.kind in "fiub"
        if coded and len(given) == len(self.columns):
            return _arrays.readable(table), given.get(self.unit)
        cells = np.full((rows, len(self.columns)), np.nan, order="F")
        for place, description in enumerate(self.columns):
            name = description["name"]
            if description["type"] in ("id", "ignore"):
                continue
            if name in given:
                cells[:, place] = given[name] if coded else _cells_of(description)(given[name])
            elif y is not None and name == self.target:
                cells[:, place] = (_cells_of(description)(y) if self.classes is None
                                   else code_labels(y, self.classes))
        return cells, given.get(self.unit)

    def _by_name(self, frame: Any) -> dict[str, np.ndarray]:
        names = list(frame.columns)
        if len(set(names)) != len(names):
            raise ValueError("X has two columns of the same name; give each column once")
        known = {description["name"]: description for description in self.columns}
        for name in names:
            if name not in known:
                raise ValueError(f"X has a column {name!r} that the schema does not have; drop it, "
                                 "or add it to the schema with type \"ignore\"")
        for name, description in known.items():
            if (name not in names and name != self.target
                    and description["type"] not in ("id", "ignore")):
                raise ValueError(f"X has no column {name!r}; give all columns of the schema")
        return {name: _arrays.column(frame[name]) for name in names}

    def _by_place(self, values: np.ndarray) -> dict[str, np.ndarray]:
        """An array has the schema's columns in their order.

        The target may be among them, but not when the schema was made for X and y.
        """
        names = [description["name"] for description in self.columns]
        if values.shape[1] != len(names) or self.classes is not None:
            names = [name for name in names if name != self.target]
            self._check_width(values.shape[1], len(names))
        return {name: values[:, place] for place, name in enumerate(names)}
