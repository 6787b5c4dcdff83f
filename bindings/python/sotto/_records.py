"""From X, y and units to the records that a schema speaks of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ctypes import c_void_p, pointer
from typing import Any

import numpy as np

from . import _arrays, _cells
from ._library import Array, Records, Sparse
from ._rows import has_names
from ._sklearn import warn_column_vector
from ._tables import Column, Table, read, read_column


# Numbers of a block of dense rows: 32 MiB.
_BLOCK_NUMBERS = 1 << 22


def labels(y: Any) -> Column:
    """One label per row."""
    column = read_column(y, "y")
    if column.is_matrix:
        warn_column_vector()
        column.is_matrix = False
    return column


def label_set(y: Column, binary: bool) -> list[Any]:
    """The labels in y, in order: of PUBLIC rows, for nothing else may be read from them."""
    values = np.asarray(y.cells)
    if values.dtype.kind == "f" and not np.all(np.isfinite(values) & (values == np.floor(values))):
        raise ValueError("Unknown label type: continuous. y has values that are no class labels; "
                         "give the classes with classes=")
    try:
        found = np.unique(values)
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


def code_labels(cells: _cells.Cells, classes: list[Any]) -> np.ndarray:
    """Labels as a schema made for these classes has them; everything else is missing.

    Names become their places, numbers stay. No classes: the labels are numbers.
    """
    if any(isinstance(name, str) for name in classes):
        return _cells.places(cells, [str(name) for name in classes])
    if classes and all(isinstance(name, bool) for name in classes):
        return _cells.truths(cells)
    return _arrays.numbers(cells)


def _cells_of(description: dict[str, Any]) -> Callable[[_cells.Cells], np.ndarray]:
    """Returns the function that turns a column into the cells of a schema's column."""
    if description["type"] == "category":
        return lambda cells: _cells.places(cells, description["values"])
    if "time_unit" in description:
        whole = description["type"] == "integer"
        return lambda cells: _cells.moments(cells, description["time_unit"], whole)
    return _cells.truths if description["type"] == "boolean" else _cells.numbers


class Reader:
    """Reads rows by a schema's description; `owner` is who complains about a wrong shape.

    `classes` are the label values in Python when the schema was made for them, and empty for
    numbers. It is None for a schema of the user: then y has the cells of its target column.
    `schema` is the library's, for rows to predict. `needs_target` is False for statistics, which have
    no target.
    """

    def __init__(self, description: dict[str, Any], classes: list[Any] | None, owner: str,
                 schema: c_void_p | None = None, needs_target: bool = True):
        self.owner = owner
        self.needs_target = needs_target
        self.schema = schema
        self.classes = classes
        self.is_matrix = "features" in description
        self.has_unit = "unit" in description
        if self.is_matrix:
            self.features = description["features"]
            return
        self.columns = description["columns"]
        self.target = description.get("target", {}).get("column")
        self.unit = description.get("unit", {}).get("column")
        self.has_categories = any(column["type"] == "category" for column in self.columns)

    def shaped(self, table: Table, target_apart: bool) -> Table:
        """Rows of a list with the schema's columns: a schema of features has no names."""
        if self.is_matrix:
            return table.with_width(self.features)
        return table.with_names([description["name"] for description in self.columns
                                 if not target_apart or description["name"] != self.target])

    def features_of(self, X: Any) -> Iterator[np.ndarray]:
        """The rows to predict for, in blocks of dense ones: no labels, no units."""
        table = read(X)
        if table.sparse is not None:
            self._check_sparse(table)
            rows = max(1, _BLOCK_NUMBERS // self.features)
            for first in range(0, max(table.rows, 1), rows):
                yield _arrays.readable(table.sparse[first:first + rows].toarray())
        elif self.is_matrix:
            yield self._matrix(table)
        else:
            if table.listed and not has_names(table.listed[0]):
                table = table.with_width_of_most()  # they may have the target, or not
            table = self._by_stream(self.shaped(table, False))
            stream = table.opened()
            if stream is None:
                yield self._table(table.numeric(), None)[0]
            else:
                self._places_of(table)
                yield stream.cells(self.schema)

    def records_of(self, X: Any, y: Any, units: Any, *, public: bool = False,
                   stored_table: bool = False, public_n: int | None = None
                   ) -> tuple[Records, list[Any]]:
        """The records of a training or evaluation, and the objects that must outlive them.

        `public` rows of every origin may be matched by their place, and need no unit. A stream is
        opened last: a refusal runs no query.
        """
        table = self._by_stream(self.shaped(read(X), y is not None))
        label_column = None if y is None else labels(y)
        unit_column = None if units is None else read_column(units, "units")
        apart = [part for part in (label_column, unit_column) if part is not None]
        computed = any(part.selected for part in (table, *apart))
        selected = computed and not stored_table
        if selected and apart and not public:
            raise ValueError(
                "X, y or units is computed when it is read, and separately: nothing shows that "
                "their rows are in the same order; collect them into one table that has the schema's "
                "target and unit, or declare them stored tables with stored_table=True")
        if selected and self.has_unit and not public:
            raise ValueError(
                "the schema has a unit, but X is computed when it is read: an unknown program made its "
                "columns, the unit's too; collect the stored rows into one table, or declare with "
                "stored_table=True that X has every row and the unit's column of a stored table")
        if selected and public_n is not None:
            raise ValueError(f"public_n is {public_n!r}, but X is computed when it is read, so that "
                             "its number of rows is secret; leave public_n out, or declare with "
                             "stored_table=True that X has every row of a stored table")
        _check_rows(table, apart)
        if self.is_matrix and self.needs_target and label_column is None:
            raise ValueError(f"{self.owner} requires y to be passed, but the target y is None")
        if table.stream is not None and not self.is_matrix:
            given = self._places_of(table)
            self._check_target(given, label_column)
            if not public:
                self._check_units(self.unit in given, unit_column is not None)
        records = Records(selected=selected, declared=computed and stored_table,
                          in_memory=not table.selected)
        keep, found_units = self._features_into(records, table, label_column)
        if not public and records.stream is None:
            self._check_units(found_units is not None, unit_column is not None)
        unit_cells = found_units if unit_column is None else unit_column.cells
        if unit_cells is not None:
            keep.append(_cells.ids(unit_cells))
            records.units = _arrays.view(keep[-1])
        return records, keep

    def _features_into(self, records: Records, table: Table, y: Column | None
                       ) -> tuple[list[Any], _cells.Cells | None]:
        """Fills features and labels. Returns (objects that must outlive them, the unit's cells).

        The library finds the unit in a stream itself.
        """
        if self.is_matrix:
            self._check_width(self.shaped(table, True).width, self.features)
        if table.sparse is not None:
            return [*self._sparse_into(records, table), *self._labels_into(records, y)], None
        stream = table.opened()
        if stream is not None:
            records.stream = stream.pointer
            return [stream, *self._labels_into(records, y)], None
        if self.is_matrix:
            features, units = self._matrix(table), None
        else:
            features, units = self._table(table.numeric(), y, needs_target=True)
            y = None
        records.features = _arrays.view(features)
        return [features, *self._labels_into(records, y)], units

    def _labels_into(self, records: Records, y: Column | None) -> list[np.ndarray]:
        """Labels beside the features: of a matrix, or of a stream without the target."""
        if y is None:
            return []
        if self.is_matrix or self.classes is not None:
            cells = code_labels(y.cells, self.classes or [])
        else:
            (target,) = (column for column in self.columns if column["name"] == self.target)
            cells = _cells_of(target)(y.cells)
        records.labels = _arrays.view(cells)
        return [cells]

    def _sparse_into(self, records: Records, table: Table) -> list[Any]:
        self._check_sparse(table)
        rows = table.sparse
        parts = [_arrays.readable(part) for part in (rows.indptr, rows.indices)]
        parts.append(_arrays.numbers(rows.data))
        made = Sparse(*map(_arrays.view, parts))
        records.sparse = pointer(made)
        return [*parts, made]

    def _check_sparse(self, table: Table) -> None:
        if not self.is_matrix:
            raise TypeError("Sparse input is not supported by a schema of columns, or by bounds=: X is a "
                            "sparse matrix; give data_norm= or a schema with \"features\", or a dense "
                            "array, for example X.toarray()")
        self._check_width(table.width, self.features)

    def _by_stream(self, table: Table) -> Table:
        """The table, without its stream if that has other names than the schema.

        Columns that are matched by position are numbers.
        """
        if table.stream is None or self.is_matrix or table.names is not None:
            return table
        names = [description["name"] for description in self.columns]
        without = [name for name in names if name != self.target]
        return table if list(table.streamed) in (names, without) else table.numeric()

    def _places_of(self, table: Table) -> dict[str, int]:
        """Where each column of the schema is, by name or by place."""
        return self._by_place(table) if table.names is None else self._by_name(table)

    def _check_target(self, given: dict[str, int], y: Column | None) -> None:
        """The target is one of the columns of X, or y."""
        if self.needs_target and (y is None) == (self.target not in given):
            raise ValueError(
                f"{self.owner} requires y to be passed, but the target y is None" if y is None else
                f"the target '{self.target}' is given twice: in X and as y; drop one of them")

    def _check_units(self, in_table: bool, apart: bool) -> None:
        """Checks that the unit is the schema's, given once: another one would bound no unit's rows."""
        if apart and not self.has_unit:
            raise ValueError("units is given, but the schema has no unit, so that the rows of one "
                             "person are not bounded; give a schema with \"unit\", or leave units "
                             "out")
        if apart and in_table:
            raise ValueError(f"the unit '{self.unit}' is given twice: in X and as units; drop one of "
                             "them (a list of rows has all columns of the schema)")
        if self.has_unit and not apart and not in_table:
            raise ValueError("the schema has a unit, but the rows have none: X lacks its column, and "
                             "units is None; give one of them, an id for each row")

    def _check_width(self, width: int, expected: int) -> None:
        if width != expected:
            raise ValueError(f"X has {width} features, but {self.owner} is expecting {expected} "
                             "features as input")

    def _matrix(self, table: Table) -> np.ndarray:
        """A schema of features has no names: columns are matched by position."""
        table = self.shaped(table, True)
        self._check_width(table.width, self.features)
        return _arrays.matrix(table)

    def _table(self, table: Table, y: Column | None, needs_target: bool = False
               ) -> tuple[np.ndarray, _cells.Cells | None]:
        """(cells in the schema's order, units or None). A column that is absent is missing.

        A category is its name, in an array of numbers too: one odd cell makes objects of them all.
        """
        given = self._places_of(table)
        if needs_target:
            self._check_target(given, y)
        units = table.column(given[self.unit]) if self.unit in given else None
        if table.matrix is not None and table.names is None and (
                len(given) == len(self.columns) and not self.has_categories):
            return _arrays.readable(table.matrix), units
        cells = np.full((table.rows, len(self.columns)), np.nan, order="F")
        for place, description in enumerate(self.columns):
            name = description["name"]
            if description["type"] in ("id", "ignore"):
                continue
            if name in given:
                cells[:, place] = _cells_of(description)(table.column(given[name]))
            elif y is not None and name == self.target:
                cells[:, place] = (_cells_of(description)(y.cells) if self.classes is None
                                   else code_labels(y.cells, self.classes))
        return cells, units

    def _by_name(self, table: Table) -> dict[str, int]:
        """Where each column of the schema is. All names are matched, and matched once."""
        known = {description["name"]: description for description in self.columns}
        for name in table.names:
            if not isinstance(name, str):
                raise ValueError(
                    f"X has the column name {name!r}, which is no text, and cannot be matched with the "
                    "schema; rename the columns after the schema, or give an array without names, "
                    "in the schema's order")
            if name not in known:
                raise ValueError(f"X has a column {name!r} that the schema does not have; drop it, "
                                 "or add it to the schema with type \"ignore\"")
        for name, description in known.items():
            if (name not in table.names and name != self.target
                    and description["type"] not in ("id", "ignore")):
                raise ValueError(f"X has no column {name!r}; give all columns of the schema")
        return {name: place for place, name in enumerate(table.names)}

    def _by_place(self, table: Table) -> dict[str, int]:
        """An array has the schema's columns in their order.

        The target may be among them, but not when the schema was made for X and y.
        """
        names = [description["name"] for description in self.columns]
        if table.width != len(names) or self.classes is not None:
            names = [name for name in names if name != self.target]
            self._check_width(table.width, len(names))
        return {name: place for place, name in enumerate(names)}


def _check_rows(table: Table, apart: list[Column]) -> None:
    """Checks the numbers of rows. They are secret, and no message states them. That of a stream is not known."""
    if table.rows is not None and any(len(part) != table.rows for part in apart):
        raise ValueError("Found input variables with inconsistent numbers of samples: X, y and units "
                         "must have the same number of rows")
