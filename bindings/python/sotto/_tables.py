"""Rows from any library as columns of cells, by name where they have names.

Nothing is imported that did not make the object, but for pyarrow, which reads streams of libraries
that are not known here. Columns are converted one by one, when they are asked for, and by no
conversion that fails, or gives other cells, because of one cell.

Stored rows are what lies in memory: arrays, frames, tables, lists. Everything that is computed when it
is read may have left rows out, and is *selected*: relations, lazy frames, readers, cursors,
generators, and streams of unknown libraries (src/data/stability.md).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import _arrow, _rows, _series
from ._cells import Cells


class Table:
    """Columns of the same number of rows.

    `names` is None where columns are told by their place. `matrix` holds the rows if they are an
    array of numbers. `listed` holds the rows of a list, whose columns nothing public has told yet:
    with_names() or with_width() tells them, and `width` is None until then.
    """

    def __init__(self, rows: int, columns: Sequence[Callable[[], Cells]] | None, *,
                 names: Sequence[Any] | None = None, matrix: np.ndarray | None = None,
                 listed: Sequence[Any] | None = None, selected: bool = False):
        self.rows = rows
        self.matrix = matrix
        self.listed = listed
        self.names = None if names is None else list(names)
        self.selected = selected
        self.image: Sequence[int] | None = None  # height, width, perhaps channels, of a row of pixels
        self.width = matrix.shape[1] if matrix is not None else (
            None if columns is None else len(columns))
        self._columns = columns

    def column(self, place: int) -> Cells:
        """The cells of one column."""
        return self._columns[place]() if self.matrix is None else self.matrix[:, place]

    def unnamed(self) -> Table:
        """The same columns, told by their place."""
        return Table(self.rows, self._columns, matrix=self.matrix, selected=self.selected)

    def reordered(self, places: Sequence[int]) -> Table:
        """The columns in another order; names, which tell nothing about it, stay."""
        matrix = None if self.matrix is None else self.matrix[:, places]
        columns = None if self._columns is None else [self._columns[place] for place in places]
        return Table(self.rows, columns, names=self.names, matrix=matrix, selected=self.selected)

    def with_width(self, width: int) -> Table:
        """The same rows; those of a list get this number of columns."""
        if self.listed is None:
            return self
        return Table(self.rows, _ready(_rows.by_place(self.listed, width)), selected=self.selected)

    def with_names(self, names: Sequence[str]) -> Table:
        """The same rows; those of a list get the columns of these names."""
        if self.listed is None:
            return self
        return Table(self.rows, _ready(_rows.by_name(self.listed, names)), names=names,
                     selected=self.selected)

    def with_counts(self, names: Sequence[str | None]) -> Table:
        """The rows of a list as counts, one a name in any spelling."""
        return Table(self.rows, _ready(_rows.by_spelling(self.listed, names)),
                     selected=self.selected)

    def with_width_of_most(self, what: str = "X") -> Table:
        """The same rows; those of a list get as many columns as most of them have cells."""
        if self.listed is None:
            return self
        width = _rows.most_common(map(_rows.length_of, self.listed))
        if width is not None:
            return self.with_width(width)
        if not self.listed:
            raise ValueError(f"{what} is a list without rows, which does not say how many features "
                             "there are; give an array of the shape (0, features), or a schema")
        if _rows.most_common(map(_rows.has_names, self.listed)):
            raise ValueError(f"{what} is a list of rows with names, which the records themselves tell; "
                             "give schema=, bounds= as dicts with the names of the columns, or a "
                             "DataFrame")
        raise _not_two_dimensional(1)


class Column:
    """One cell a row: y, units, scores."""

    def __init__(self, cells: Cells, selected: bool = False, is_matrix: bool = False):
        self.cells = cells
        self.selected = selected
        self.is_matrix = is_matrix  # given as a table of one column

    def __len__(self) -> int:
        return len(self.cells)


def read(source: Any, what: str = "X") -> Table:
    """The rows of any table; `what` is the argument's name in messages."""
    if isinstance(source, Table):
        return source
    table = _table_of(source, what)
    if table.names is not None:
        _refuse_doubled(table.names, what)
    if table.width == 0 and table.rows == 0:  # it says nothing about its columns, like []
        return Table(0, None, listed=[], selected=table.selected)
    if table.width == 0:
        # scikit-learn's words, without the number of rows: it is secret.
        raise ValueError(f"Found array with 0 feature(s) (shape=(, 0)) while a minimum of 1 is "
                         f"required: {what} has no columns")
    return table


def read_column(source: Any, what: str = "y") -> Column:
    """One cell a row, from anything of one dimension, or a table of one column."""
    if isinstance(source, Column):
        return source
    if isinstance(source, np.ndarray) and source.ndim == 1 and source.dtype.kind == "O" and (
            not isinstance(source, np.ma.MaskedArray)):
        return _column_of_objects(source.tolist())
    cells = _cells_of(source)
    if cells is not None:
        return Column(cells)
    if isinstance(source, np.ndarray) and source.ndim not in (1, 2):
        raise _not_one_column(what, f"{source.ndim} dimensions")
    if isinstance(source, Iterator):
        return Column(_rows.cells_of(_read_all(lambda: list(source), what)), selected=True)
    if isinstance(source, Sequence) and not isinstance(source, (str, bytes)):
        return Column(_rows.cells_of(source))
    if not _is_table(source):
        raise _not_one_column(what, f"an object of type {type(source).__name__}")
    table = read(source, what)
    if table.width != 1:
        raise _not_one_column(what, f"{table.width} columns")
    return Column(table.column(0), table.selected, is_matrix=True)


def _column_of_objects(cells: list[Any]) -> Column:
    """NumPy gives rows of one cell two dimensions, unless one of them has another length."""
    is_matrix = _rows.most_common(map(_rows.is_one_cell, cells)) or False
    return Column(np.fromiter(_rows.cells_of(cells), dtype=object, count=len(cells)),
                  is_matrix=is_matrix)


def _not_one_column(what: str, found: str) -> ValueError:
    return ValueError(f"{what} should be a 1d array, got {found} instead; give one value a row")


def _refuse_doubled(names: Sequence[Any], what: str) -> None:
    doubled = [name for name, count in Counter(names).items() if count > 1]
    if doubled:
        raise ValueError(f"{what} has two columns of the same name, {doubled[0]!r}; give each "
                         "column once")


# ---- which library ----

def _roots(source: Any) -> set[str]:
    """The packages that the object's classes come from."""
    return {kind.__module__.partition(".")[0].lstrip("_") for kind in type(source).__mro__}


def is_frame(source: Any) -> bool:
    """A pandas DataFrame, or one that behaves like it, told without importing pandas."""
    return all(hasattr(source, name) for name in ("columns", "iloc", "dtypes", "to_numpy"))


def _is_table(source: Any) -> bool:
    return (isinstance(source, np.ndarray) or bool(_roots(source) & {"polars", "pyarrow", "duckdb"})
            or is_frame(source) or hasattr(source, "__array__")
            or hasattr(source, "__arrow_c_stream__") or hasattr(source, "__dataframe__"))


def _table_of(source: Any, what: str) -> Table:
    if isinstance(source, np.ndarray):
        return _of_array(source, what)
    if hasattr(source, "tocsr"):
        raise TypeError(f"Sparse input is not supported: {what} is a sparse matrix; give a dense "
                        "array, for example X.toarray(), or train from a LIBSVM file with the "
                        "command")
    roots = _roots(source)
    for library, make in (("polars", _of_polars), ("pyarrow", _of_pyarrow),
                          ("duckdb", _of_duckdb)):
        if library in roots:
            return make(source, what)
    if is_frame(source):
        return _of_frame(source) if "pandas" in roots else _of_other_frame(source, what)
    if hasattr(source, "iloc"):  # a pandas Series
        raise _not_two_dimensional(1)
    if hasattr(source, "description") and hasattr(source, "fetchall"):
        return _of_cursor(source, what)
    if any(hasattr(source, name) for name in
           ("__arrow_c_stream__", "__arrow_c_array__", "__dataframe__")):
        return _of_stream(source, what)
    return _of_python(source, what)


def _of_python(source: Any, what: str) -> Table:
    """Mappings, lists, iterators, and what NumPy knows how to read."""
    if isinstance(source, Mapping):
        columns = [read_column(cells, f"{what}[{name!r}]") for name, cells in source.items()]
        if any(column.selected for column in columns):
            raise ValueError(f"a column of {what} is computed when it is read, apart from the others; "
                             "collect it first")
        if len(set(map(len, columns))) > 1:
            raise ValueError(f"the columns of {what} have different lengths; give one cell a row "
                             "in each of them")
        return Table(len(columns[0]) if columns else 0,
                     _ready([column.cells for column in columns]), names=list(source))
    if isinstance(source, (str, bytes, set, frozenset)) or hasattr(source, "columns"):
        raise _unknown(source, what)
    if hasattr(source, "__array__"):
        return _of_array(np.asarray(source), what)
    if isinstance(source, Iterator):
        return _of_rows(_read_all(lambda: list(source), what), selected=True)
    if isinstance(source, Sequence):
        return _of_rows(source)
    raise _unknown(source, what)


def _unknown(source: Any, what: str) -> ValueError:
    kind = type(source)
    return ValueError(f"Expected 2D array, got an object of type {kind.__module__}."
                      f"{kind.__qualname__} instead: {what} is no table; give an array, a DataFrame, "
                      "a pyarrow Table or a list of rows")


def _read_all(run: Callable[[], Any], what: str) -> Any:
    """Runs what is computed when it is read. Its own exception may quote a record, and is dropped."""
    try:
        return run()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # noqa: BLE001, S110 - a panic of polars is no Exception
        pass
    raise ValueError(f"{what} cannot be read to its end: the query or program behind it failed; run "
                     "it by itself to see why")


def _ready(columns: Sequence[Cells]) -> list[Callable[[], Cells]]:
    return [lambda cells=cells: cells for cells in columns]


# ---- arrays and lists ----

def _of_array(values: np.ndarray, what: str) -> Table:
    if not isinstance(values, np.ma.MaskedArray):
        values = np.asarray(values)  # of numpy.matrix a column would be a matrix
    if values.dtype.names is not None:
        if values.ndim != 1 or any(values.dtype[name].shape for name in values.dtype.names):
            raise ValueError(f"{what} is a structured array of {values.ndim} dimensions; give one "
                             "dimension, and one value a field")
        return Table(len(values), [lambda name=name: values[name] for name in values.dtype.names],
                     names=values.dtype.names)
    if values.ndim == 1 and (values.dtype.kind == "O" or not len(values)):
        return _of_rows(values.tolist())  # NumPy's array of rows, one of them ragged
    if values.ndim != 2:
        raise _not_two_dimensional(values.ndim)
    if values.dtype.kind in "biuf" and not isinstance(values, np.ma.MaskedArray):
        return Table(len(values), None, matrix=values)
    return Table(len(values), [lambda place=place: values[:, place]
                               for place in range(values.shape[1])])


def _not_two_dimensional(dimensions: int) -> ValueError:
    return ValueError(
        f"Expected 2D array, got {dimensions}D array instead. Reshape your data either using "
        "array.reshape(-1, 1) if it has a single feature or array.reshape(1, -1) if it is a "
        "single row")


def _of_rows(source: Sequence[Any], selected: bool = False) -> Table:
    return Table(len(source), None, listed=source, selected=selected)


def _of_result(rows: Sequence[Any], names: Sequence[Any]) -> Table:
    """The rows of a query, in the order of its columns, whose names the query tells."""
    return Table(len(rows), _ready(_rows.by_place(map(_values_of, rows), len(names))), names=names,
                 selected=True)


def _values_of(row: Any) -> Any:
    """A row of a query: a dict, which some libraries give, has the order of the columns."""
    return list(row.values()) if isinstance(row, Mapping) else row


# ---- pandas ----

def _of_frame(frame: Any) -> Table:
    names, kinds = list(frame.columns), list(frame.dtypes)
    # A set of them would hash the cells of a categorical column.
    if kinds and all(isinstance(kind, np.dtype) and kind == kinds[0] for kind in kinds) and (
            kinds[0].kind in "biuf"):
        return Table(len(frame), None, names=names, matrix=frame.to_numpy())
    return Table(len(frame), [lambda place=place: _series.of_pandas(frame.iloc[:, place])
                              for place in range(len(names))], names=names)


def _of_other_frame(frame: Any, what: str) -> Table:
    """A library with the interface of pandas, which may compute its rows when they are read: once."""
    names = list(frame.columns)
    values = _read_all(lambda: np.asarray(frame.to_numpy(), dtype=object), what)
    if values.ndim != 2 or values.shape[1] != len(names):
        raise _unknown(frame, what)
    return Table(len(values), [lambda place=place: values[:, place] for place in range(len(names))],
                 names=names, selected=True)


# ---- polars ----

def _of_polars(source: Any, what: str) -> Table:
    selected = not hasattr(source, "to_numpy")  # a LazyFrame
    frame = _read_all(source.collect, what) if selected else source
    if not hasattr(frame, "get_column"):
        raise _not_two_dimensional(1)
    return Table(frame.height, [lambda name=name: _series.of_polars(frame.get_column(name))
                                for name in frame.columns], names=frame.columns, selected=selected)


# ---- pyarrow, DuckDB, streams ----

def _of_arrow_table(table: Any, selected: bool) -> Table:
    return Table(table.num_rows, [lambda place=place: _arrow.cells(table.column(place))
                                  for place in range(table.num_columns)],
                 names=table.schema.names, selected=selected)


def _of_pyarrow(source: Any, what: str) -> Table:
    if hasattr(source, "num_rows"):  # a Table, a RecordBatch
        return _of_arrow_table(source, selected=False)
    for name in ("read_all", "to_table"):  # readers; data sets and scanners
        if hasattr(source, name):
            return _of_arrow_table(_read_all(getattr(source, name), what), selected=True)
    if hasattr(source, "type") and hasattr(source, "to_pylist"):
        raise _not_two_dimensional(1)
    raise _unknown(source, what)


def _of_duckdb(source: Any, what: str) -> Table:
    if not hasattr(source, "columns"):
        return _of_cursor(source, what)  # a connection that was asked
    if hasattr(source, "__arrow_c_stream__") and _arrow.library() is not None:
        return _of_stream(source, what)
    return _of_result(_read_all(source.fetchall, what), source.columns)


def _of_cursor(source: Any, what: str) -> Table:
    if source.description is None:
        raise ValueError(f"{what} is a cursor without a result; execute a SELECT with it first")
    names = [description[0] for description in source.description]
    return _of_result(_read_all(lambda: _fetched(source), what), names)


def _fetched(cursor: Any) -> list[Any]:
    """All rows. SQLite's texts come as bytes: one that is not UTF-8 would fail."""
    if "sqlite3" not in _roots(cursor) or cursor.connection.text_factory is not str:
        return cursor.fetchall()
    cursor.connection.text_factory = bytes
    try:
        return cursor.fetchall()
    finally:
        cursor.connection.text_factory = str


def _of_stream(source: Any, what: str) -> Table:
    pyarrow = _arrow.library()
    if pyarrow is None:
        kind = type(source)
        raise ValueError(f"{what} is a {kind.__module__}.{kind.__qualname__}, which sotto reads with "
                         "pyarrow; install pyarrow, or convert it to a pandas DataFrame first")
    return _of_arrow_table(_read_all(lambda: _arrow.read_stream(pyarrow, source), what),
                           selected=True)


# ---- one column ----

def _cells_of(source: Any) -> Cells | None:
    """The cells of what has one dimension in its library; None for all else."""
    if isinstance(source, np.ndarray):
        return source if source.ndim == 1 and source.dtype.names is None else None
    roots = _roots(source)
    if "polars" in roots:
        return _series.of_polars(source) if hasattr(source, "null_count") and hasattr(
            source, "dtype") else None
    if "pyarrow" in roots:
        return _arrow.cells(source) if hasattr(source, "type") else None
    if not hasattr(source, "dtype") or not hasattr(source, "to_numpy"):
        if not hasattr(source, "__array__") or _is_named(source):
            return None
        values = np.asarray(source)
        return values if values.ndim == 1 else None
    if "pandas" in roots and not hasattr(source, "iloc"):  # an Index, or an array of pandas
        source = sys.modules["pandas"].Series(source)
    return _series.of_pandas(source)


def _is_named(source: Any) -> bool:
    return is_frame(source) or hasattr(source, "__arrow_c_stream__") or (
        hasattr(source, "__dataframe__"))
