"""Files of records, for every call that takes rows from a file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from ._library import DataFile
from ._outputs import flag

Path = str | os.PathLike[str]


@dataclass(frozen=True, kw_only=True)
class File:
    """A file of records, with the facts that its name and schema do not give (docs/reference/records.md).

    A call that takes rows also takes a path: it means ``File(path)``.

    Parameters
    ----------
    path : path
        CSV, TSV, JSON lines, LIBSVM, NPY, IDX, CIFAR-10 or a SQLite database, plain or gzip.
    labels : path, optional
        The file of the labels of an NPY or IDX file.
    format : str, optional
        Declares the format, for example ``"csv"``. By default it follows from the name and the content.
    table : str, optional
        The table of a database.
    where : str, optional
        A condition on the stored cells of each row: ``"age >= 18 AND town = 'Lund'"``. The number of selected rows is secret.
    stored_table : bool
        Declares that a stream has every row of a stored table. The certificate lists it as not checked.
    """

    path: Path
    labels: Path | None = None
    format: str | None = None
    table: str | None = None
    where: str | None = None
    stored_table: bool = False

    def of_library(self) -> DataFile:
        """Returns the struct of the library."""
        return DataFile(path=os.fsencode(self.path), labels=path_bytes(self.labels), format=text_bytes(self.format),
                        table=text_bytes(self.table), where=text_bytes(self.where), stored_table=flag("stored_table", self.stored_table))


def file_of(source: Any) -> File | None:
    """Returns the file that rows come from; None for rows in memory."""
    if isinstance(source, File):
        return source
    return File(path=source) if isinstance(source, (str, os.PathLike)) else None


def path_bytes(path: Path | None) -> bytes | None:
    """Returns a path as the library takes it."""
    return None if path is None else os.fsencode(path)


def text_bytes(text: str | None) -> bytes | None:
    """Returns a text as the library takes it."""
    return None if text is None else text.encode()
