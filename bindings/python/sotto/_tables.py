"""Rows from any library: Arrow streams as they are, all else as columns of cells, by name where they have names.

A table with `__arrow_c_stream__` goes to the library by that interface: types and names are public, and no
cell can fail. pandas converts a frame before it exports it, which can fail on a cell of an object column.
Such frames, arrays and lists are converted here, column by column. One cell can neither make this
conversion fail nor change other cells. Only libraries that made the object are imported.

Stored rows lie in memory: arrays, frames, tables, lists. Rows computed while they are read count as
*selected*, because the computation may leave rows out (src/data/stability.md). These are relations,
readers, cursors, generators and streams of unknown libraries.
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

    `names` is None where columns are matched by their place. `matrix` holds the rows if they are an
    array of numbers, `sparse` if they are a CSR array. `stream` makes their Arrow stream, which is
    read once. `rows` is None if the stream does not state their number. `listed` holds the rows of a list
    whose columns are not known yet. with_names() or with_width() sets them, and `width` is None until then.
    """

    def __init__(self, rows: int | None, columns: Sequence[Callable[[], Cells]] | None, *,
                 names: Sequence[Any] | None = None, matrix: np.ndarray | None = None,
                 stream: Callable[[], _arrow.Stream] | None = None, sparse: Any = None,
                 listed: Sequence[Any] | None = None, width: int | None = None,
                 streamed: Sequence[str] | None = None, selected: bool = False):
        self.rows = rows
        self.matrix = matrix
        self.stream = stream
        self.streamed = names if streamed is None else streamed  # names of the stream
        self.sparse = sparse
        self.listed = listed
        self.names = None if names is None else list(names)
        self.selected = selected
        self.image: Sequence[int] | None = None  # height, width, perhaps channels, of a row of pixels
        self.width = width if width is not None else (
            matrix.shape[1] if matrix is not None else None if columns is None else len(columns))
        self._columns = columns

    def column(self, place: int) -> Cells:
        """The cells of one column; not of a stream."""
        if self.sparse is not None:
            return self.sparse[:, [place]].toarray().ravel()
        return self._columns[place]() if self.matrix is None else self.matrix[:, place]

    def columns(self) -> list[Cells]:
        """The cells of all columns; none of a stream, whose types are those of Arrow."""
        return [] if self.stream is not None or self.sparse is not None else [
            self.column(place) for place in range(self.width)]

    def unnamed(self) -> Table:
        """The same columns, matched by position."""
        return Table(self.rows, self._columns, matrix=self.matrix, stream=self.stream,
                     sparse=self.sparse, width=self.width, streamed=self.streamed,
                     selected=self.selected)

    def opened(self) -> _arrow.Stream | None:
        """The stream; None without one, and where pandas' export fails: its columns are converted."""
        if self.stream is None or self._columns is None:
            return None if self.stream is None else self.stream()
        try:
            return self.stream()
        except Exception:  # noqa: BLE001
            return None

    def numeric(self) -> Table:
        """The same columns; those of a stream as an array of numbers. For rows that are no secret."""
        if self.stream is None:
            return self
        if self._columns is not None:
            return Table(self.rows, self._columns, names=self.names, selected=self.selected)
        matrix = self.stream().numbers()
        return Table(len(matrix), None, names=self.names, matrix=matrix, selected=self.selected)

    def reordered(self, places: Sequence[int]) -> Table:
        """The columns in another order; names stay, because they do not depend on it."""
        if self.stream is not None:
            return self.numeric().reordered(places)
        matrix = None if self.matrix is None else self.matrix[:, places]
        sparse = None if self.sparse is None else self.sparse[:, places]
        columns = None if self._columns is None else [self._columns[place] for place in places]
        return Table(self.rows, columns, names=self.names, matrix=matrix, sparse=sparse,
                     width=self.width, selected=self.selected)

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
    """One cell per row: y, units, scores."""

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
    """One cell per row, from anything of one dimension, or a table of one column."""
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
    if isinstance(source, Iterator) and not hasattr(source, "__arrow_c_stream__"):
        return Column(_rows.cells_of(_read_all(lambda: list(source), what)), selected=True)
    if isinstance(source, Sequence) and not isinstance(source, (str, bytes)):
        return Column(_rows.cells_of(source))
    if not _is_table(source):
        raise _not_one_column(what, f"an object of type {type(source).__name__}")
    table = read(source, what)
    if table.width != 1:
        raise _not_one_column(what, f"{table.width} columns")
    if table.stream is None or hasattr(source, "iloc"):
        return Column(table.column(0), table.selected, is_matrix=True)
    if table.selected:
        raise ValueError(f"{what} is computed when it is read, apart from X; collect it into an array "
                         "first")
    return Column(_cells_of(source.get_columns()[0] if hasattr(source, "get_columns")
                            else source.column(0)), is_matrix=True)


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
    """Returns True for a pandas DataFrame or an object with its interface, without importing pandas."""
    return all(hasattr(source, name) for name in ("columns", "iloc", "dtypes", "to_numpy"))


def _is_table(source: Any) -> bool:
    return (isinstance(source, np.ndarray) or bool(_roots(source) & {"polars", "pyarrow", "duckdb"})
            or is_frame(source) or hasattr(source, "__array__")
            or hasattr(source, "__arrow_c_stream__") or hasattr(source, "__dataframe__"))


def _table_of(source: Any, what: str) -> Table:
    if isinstance(source, np.ndarray):
        return _of_array(source, what)
    if hasattr(source, "tocsr"):
        return _of_sparse(source)
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
    if hasattr(source, "__arrow_c_stream__"):
        return _of_stream(source, what, None)
    if hasattr(source, "__arrow_c_array__") or hasattr(source, "__dataframe__"):
        return _of_protocol(source, what)
    return _of_python(source, what)


def _of_python(source: Any, what: str) -> Table:
    """Mappings, lists, iterators, and objects that NumPy can read."""
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
    """Runs a computed table. Its own exception may quote a record, and is dropped."""
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


def _of_sparse(source: Any) -> Table:
    """A sparse array of scipy, by rows; the entries of a row are in order, and none is there twice.

    scipy does not check indices: one beyond the columns would be written into another row, or outside of the array.
    """
    rows = _with_valid_starts(source.tocsr())
    outside = (rows.indices < 0) | (rows.indices >= rows.shape[1])
    if outside.any() or not rows.has_canonical_format:
        rows = rows.copy()
        rows.data[outside] = rows.indices[outside] = 0
        rows.sum_duplicates()
    return Table(rows.shape[0], None, sparse=rows, width=rows.shape[1])


def _with_valid_starts(rows: Any) -> Any:
    """The CSR array, whose rows with invalid starts have no entries: scipy would read beyond its arrays."""
    starts, size = rows.indptr.astype(np.int64), min(len(rows.indices), len(rows.data))
    begin, end = starts[:-1], starts[1:]
    valid = (begin >= 0) & (begin <= end) & (end <= size)
    if valid.all() and (len(starts) == 1 or starts[0] == 0):
        return rows
    places = [np.arange(first, last) for first, last in zip(begin[valid], end[valid])]
    taken = np.concatenate([np.empty(0, np.int64), *places])
    counts = np.where(valid, end - begin, 0)
    return type(rows)((rows.data[taken], rows.indices[taken], np.concatenate([[0], np.cumsum(counts)])), shape=rows.shape)


def _not_two_dimensional(dimensions: int) -> ValueError:
    return ValueError(
        f"Expected 2D array, got {dimensions}D array instead. Reshape your data either using "
        "array.reshape(-1, 1) if it has a single feature or array.reshape(1, -1) if it is a "
        "single row")


def _of_rows(source: Sequence[Any], selected: bool = False) -> Table:
    return Table(len(source), None, listed=source, selected=selected)


def _of_result(rows: Sequence[Any], names: Sequence[Any]) -> Table:
    """The rows of a query, in the order of its columns, whose names come from the query."""
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
    stream = (lambda: _arrow.Stream(_without_index(frame).__arrow_c_stream__())) if _is_plain(frame, names) else None
    return Table(len(frame), [lambda place=place: _series.of_pandas(frame.iloc[:, place])
                              for place in range(len(names))], names=names, stream=stream)


def _without_index(frame: Any) -> Any:
    """The same columns, without a copy, and an index that pandas does not export as one of them."""
    same = frame.copy(deep=False)
    same.index = range(len(frame))
    return same


def _is_plain(frame: Any, names: Sequence[Any]) -> bool:
    """Returns True if pandas exports the frame only by types, without a look at its cells.

    One cell may decide a type: both ways give the same records.
    """
    return (hasattr(frame, "__arrow_c_stream__") and len(names) > 0
            and all(isinstance(name, str) for name in names)
            and all(map(_series.is_plain, frame.dtypes)) and _arrow.pyarrow_is_there())


def _of_other_frame(frame: Any, what: str) -> Table:
    """A library with the interface of pandas, which may compute its rows when they are read: once."""
    names = list(frame.columns)
    values = _read_all(lambda: np.asarray(frame.to_numpy(), dtype=object), what)
    if values.ndim != 2 or values.shape[1] != len(names):
        raise _unknown(frame, what)
    return Table(len(values), [lambda place=place: values[:, place] for place in range(len(names))],
                 names=names, selected=True)


# ---- Arrow streams ----

def _of_stream(source: Any, what: str, rows: int | None, names: Sequence[str] | None = None
               ) -> Table:
    """Any table with the Arrow PyCapsule interface; rows that do not lie in memory have no number.

    Opening the stream may run a query: not before it is needed, if the names are known.
    """
    def opened() -> _arrow.Stream:
        return _read_all(lambda: _arrow.Stream(source.__arrow_c_stream__()), what)

    if names is None:
        stream = opened()
        if stream.names is None:
            raise _not_two_dimensional(1)
        return Table(rows, None, names=stream.names, stream=lambda: stream,
                     width=len(stream.names), selected=rows is None)
    return Table(rows, None, names=names, stream=opened, width=len(names), selected=rows is None)


def _of_protocol(source: Any, what: str) -> Table:
    """A table that pyarrow can read: one array of structs, or the data frame protocol."""
    if not _arrow.pyarrow_is_there():
        kind = type(source)
        raise ValueError(f"{what} is a {kind.__module__}.{kind.__qualname__}, which sotto reads with "
                         "pyarrow; install pyarrow, or convert it to a pandas DataFrame first")
    return _of_stream(_read_all(lambda: _arrow.converted(source), what), what, None)


def _of_polars(source: Any, what: str) -> Table:
    if hasattr(source, "collect") and not hasattr(source, "to_numpy"):
        raise ValueError(f"{what} is a polars LazyFrame, a query that was not run; give {what}.collect()")
    if not hasattr(source, "get_column"):
        raise _not_two_dimensional(1)
    if not all(map(_series.is_plain_polars, source.dtypes)):
        # One cell may have made polars choose such a type, and a stream of it would be refused.
        return Table(source.height, [lambda name=name: _series.of_polars(source.get_column(name))
                                     for name in source.columns], names=source.columns)
    return _of_stream(source, what, source.height, source.columns)


def _of_pyarrow(source: Any, what: str) -> Table:
    if hasattr(source, "num_rows"):  # a Table, a RecordBatch
        return _of_stream(source, what, source.num_rows, source.schema.names)
    if hasattr(source, "to_table"):  # data sets and scanners
        return _of_stream(_read_all(source.to_table, what), what, None)
    if hasattr(source, "type") and hasattr(source, "to_pylist"):
        raise _not_two_dimensional(1)
    if hasattr(source, "__arrow_c_stream__"):  # a reader
        return _of_stream(source, what, None)
    raise _unknown(source, what)


def _of_duckdb(source: Any, what: str) -> Table:
    if not hasattr(source, "columns"):
        return _of_cursor(source, what)  # a connection that was asked
    return _of_stream(source, what, None, source.columns)


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


# ---- one column ----

def _cells_of(source: Any) -> Cells | None:
    """The cells of an object of one dimension; None for all others."""
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
