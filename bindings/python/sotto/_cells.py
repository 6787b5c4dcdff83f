"""A cell of a record, as a number, a truth value, one of some categories or an id.

No cell can stop a run, and none affects the reading of another one. Libraries choose the type of a
column by its cells. One missing cell makes floats of whole numbers; one text makes texts or objects
of all. So a value counts the same from a column of any type, and has one spelling. 1, 1.0,
Decimal("1.0"), True and "1" are all the category and the id "1". Cells of other kinds are missing.
"""

from __future__ import annotations

import datetime
import re
import uuid
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

# One column: an array of one dimension, perhaps with a mask, or a list of any objects.
Cells = np.ndarray | list[Any]
# A cell as one of Python's own types; None is a missing one.
Value = str | bool | int | float | Decimal | None

PLAIN = frozenset((str, bool, int, float, Decimal, type(None)))
# src/base/text.h: the grammar of a number in a file, and its longest text.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NUMBER_BYTES_MAX = 2048
# docs/reference/schema.md: the words of a boolean cell in a file.
_WORDS = {word: value for value, words in ((1.0, "1 true yes t y"), (0.0, "0 false no f n"))
          for word in words.split()}
# A category that has one of these names is what True and False mean; the first one counts.
_TRUTHS = {True: ("1", "true", "True"), False: ("0", "false", "False")}
_BLANKS = " \t"
# src/data/cells/time.h: the grammar of a date or a moment, its range, and the nanoseconds of each unit.
_MOMENT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?"
                     r"(?:Z|([+-])([0-9]{2})(?::?([0-9]{2}))?)?)?")
_SECOND = 10**9
_DAYS_TO_1970 = datetime.date(1970, 1, 1).toordinal()
_RANGE = range(-62135596800 * _SECOND, 253402300800 * _SECOND)  # the years 0001 to 9999
_UNITS = {"day": 86400 * _SECOND, "hour": 3600 * _SECOND, "minute": 60 * _SECOND, "second": _SECOND,
          "millisecond": 10**6, "microsecond": 10**3}
# Whole numbers are spelled by all their digits. Longer ones are no ids, and 10^1000000 would take long.
_DIGITS_MAX = 300
_WHOLE_END = 10**_DIGITS_MAX
# src/data/batches/unit.h: bytes of an id that count.
_ID_BYTES_MAX = 256


# ---- one cell ----

def _from_numpy(cell: Any, kind: type) -> Value:
    if issubclass(kind, np.str_):
        return str.__str__(cell)
    if issubclass(kind, np.bytes_):
        return _decoded(bytes(cell))
    if issubclass(kind, np.bool_):
        return bool(cell)
    if issubclass(kind, np.integer) and not issubclass(kind, np.timedelta64):
        return int(cell)
    if issubclass(kind, np.floating):
        return float(cell)
    if issubclass(kind, np.complexfloating):
        return _real(complex(cell))
    if issubclass(kind, np.datetime64):
        return _times(np.array([cell]))[0]
    return None


def _from_python(cell: Any, kind: type) -> Value:
    if issubclass(kind, str):
        return str.__str__(cell)
    if issubclass(kind, (bytes, bytearray)):
        return _decoded(bytes(memoryview(cell)))
    if issubclass(kind, int):
        return int.__int__(cell)
    if issubclass(kind, float):
        return float.__float__(cell)
    if issubclass(kind, complex):
        return _real(complex(cell))
    if issubclass(kind, Decimal):
        return Decimal(cell)
    if issubclass(kind, (datetime.date, datetime.time)):
        return _time(_in_utc(cell, kind))
    if issubclass(kind, uuid.UUID):
        return str(cell)
    return None


def value_of(cell: Any) -> Value:
    """The cell as a value of Python's own types; None if it is missing or of another kind."""
    kind = type(cell)
    try:
        if kind in PLAIN:
            return cell
        if issubclass(kind, np.generic):
            return _from_numpy(cell, kind)
        return _from_python(cell, kind)
    except Exception:  # noqa: BLE001 - whatever an object does, it is one cell
        return None


def _decoded(text: bytes) -> str:
    """Reads bytes as UTF-8 text, as in a file; other bytes stay bytes."""
    return text.decode("utf-8", "surrogateescape")


def _real(number: complex) -> float | None:
    """One complex cell makes all cells of an array complex."""
    return number.real if number.imag == 0 else None


def _in_utc(moment: Any, kind: type) -> str:
    if issubclass(kind, datetime.datetime) and moment.tzinfo is not None:
        moment = moment.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return moment.isoformat()


def _time(text: str) -> str | None:
    """"2026-03-01" or "2026-03-01 12:30:00.25" of an ISO text of any resolution."""
    day, separator, moment = text.rpartition("T")
    if text == "NaT":
        return None
    if not separator:
        day, moment = (text, "") if ":" not in text else ("", text)
    if "." in moment:
        moment = moment.rstrip("0").rstrip(".")
    return day if day and moment == "00:00:00" else f"{day} {moment}".strip()


def _times(values: np.ndarray) -> list[str | None]:
    """Texts of datetime64; resolutions above a day become days."""
    if np.datetime_data(values.dtype)[0] in ("Y", "M", "W", "generic"):
        values = values.astype("M8[D]")
    elif np.datetime_data(values.dtype)[0] in ("h", "m"):
        values = values.astype("M8[s]")
    return [_time(text) for text in np.datetime_as_string(values).tolist()]


def number_of(value: Value) -> float:
    """A number, or a text that is one by the grammar of files; NaN for everything else."""
    if isinstance(value, str):
        text = value.strip(_BLANKS)
        if len(text) > _NUMBER_BYTES_MAX or _NUMBER.fullmatch(text) is None:
            return np.nan
        return float(text)
    if value is None or (isinstance(value, Decimal) and value.is_nan()):
        return np.nan
    try:
        return float(value)
    except OverflowError:
        return np.nan


def _nanoseconds_of(text: str) -> int | None:
    """Nanoseconds from 1970 to the moment that the text states; None: it states none."""
    found = _MOMENT.fullmatch(text)
    if found is None:
        return None
    date, hours, minutes, seconds, fraction, sign, *ahead = found.groups(default="")
    hours, minutes, seconds, *ahead = (int(part or 0) for part in (hours, minutes, seconds, *ahead))
    if hours > 23 or minutes > 59 or seconds > 59 or ahead[0] > 23 or ahead[1] > 59:
        return None
    try:
        days = datetime.date.fromisoformat(date).toordinal() - _DAYS_TO_1970
    except ValueError:
        return None
    zone = (3600 * ahead[0] + 60 * ahead[1]) * (-1 if sign == "-" else 1)
    whole = 86400 * days + 3600 * hours + 60 * minutes + seconds - zone
    found_ns = whole * _SECOND + int(fraction.ljust(9, "0"))
    return found_ns if found_ns in _RANGE else None


def moment_of(value: Value, unit: str, whole: bool) -> float:
    """A moment in units since 1970, of `whole` ones rounded down; else a number as it is; else NaN."""
    nanoseconds = _nanoseconds_of(value.strip(_BLANKS)) if isinstance(value, str) else None
    if nanoseconds is None:
        return number_of(value)
    # Python rounds the quotient of two whole numbers once.
    return float(nanoseconds // _UNITS[unit]) if whole else nanoseconds / _UNITS[unit]


def truth_of(value: Value) -> float:
    """0 or 1 for the words of a file and for these numbers; no other number is a truth value."""
    if isinstance(value, str):
        return _WORDS.get(value.strip(_BLANKS).lower(), np.nan)
    return number_of(value)


def spelling_of(value: Value) -> str | None:
    """The one spelling of a value, as a file or a database has it; None is missing."""
    if isinstance(value, str):
        return value.strip(_BLANKS) or None
    if isinstance(value, (bool, int)):
        return _spelled_whole(int(value))
    if isinstance(value, float):
        if value.is_integer():
            return _spelled_whole(int(value))
        return None if value != value else _spelled_decimal(Decimal(repr(value)))  # noqa: PLR0124
    return None if value is None else _spelled_decimal(value)


def _spelled_whole(number: int) -> str | None:
    return str(number) if -_WHOLE_END < number < _WHOLE_END else None


def _spelled_decimal(number: Decimal) -> str | None:
    """As sot_format_double() in src/base/text.h, and whole numbers by their digits."""
    if number.is_nan():
        return None
    sign, digits, exponent = number.as_tuple()
    minus = "-" if sign else ""
    if number.is_infinite():
        return minus + "inf"
    text = "".join(map(str, digits)).lstrip("0")
    if not text:
        return "0"
    stripped = text.rstrip("0")
    exponent += len(text) - len(stripped)
    place = len(stripped) + exponent  # of the point: digits before it
    if exponent >= 0:
        return minus + stripped + "0" * exponent if place <= _DIGITS_MAX else None
    if not -4 < place <= 16:
        fraction = "." + stripped[1:] if len(stripped) > 1 else ""
        return f"{minus}{stripped[0]}{fraction}e{place - 1}"
    if place <= 0:
        return f"{minus}0.{'0' * -place}{stripped}"
    return f"{minus}{stripped[:place]}.{stripped[place:]}"


# ---- a column ----

def _typed(cells: Cells) -> np.ndarray | None:
    """The column as numbers or times, if its type says that all cells are; else None."""
    if isinstance(cells, list) or cells.dtype.kind not in "biufcMmV":
        return None
    values = np.ma.getdata(cells)
    if values.dtype.kind != "c":
        return values
    with np.errstate(all="ignore"):
        return np.where(values.imag == 0, values.real, np.nan)


def _marked(found: np.ndarray, cells: Cells) -> np.ndarray:
    """NaN where the column has a mask."""
    if isinstance(cells, np.ma.MaskedArray) and cells.mask is not np.ma.nomask:
        found[np.ma.getmaskarray(cells)] = np.nan
    return found


def _each(cells: Cells, convert: Callable[[Value], float]) -> np.ndarray:
    data = _as_list(cells)
    return np.fromiter((convert(value_of(cell)) for cell in data), np.float64, len(data))


def _as_list(cells: Cells) -> list[Any]:
    return cells if isinstance(cells, list) else np.ma.getdata(cells).tolist()


def _all_numbers(cells: list[Any]) -> np.ndarray | None:
    """The same as cell by cell, and quicker, for a list of Python's numbers; else None."""
    try:
        if not frozenset(map(type, cells)) <= {float, int, bool}:
            return None
        return np.array(cells, dtype=np.float64)
    except Exception:  # noqa: BLE001 - a whole number beyond all floats
        return None


def _numbers(cells: Cells, convert: Callable[[Value], float]) -> np.ndarray:
    values = _typed(cells)
    if values is None:
        found = _all_numbers(_as_list(cells))
        found = _each(cells, convert) if found is None else found
    elif values.dtype.kind in "biuf":
        with np.errstate(all="ignore"):
            found = values.astype(np.float64)
    else:
        found = np.full(len(values), np.nan)
    return _marked(found, cells)


def numbers(cells: Cells) -> np.ndarray:
    """A column of numbers; everything else is missing."""
    return _numbers(cells, number_of)


def moments(cells: Cells, unit: str, whole: bool) -> np.ndarray:
    """A column of dates, moments or numbers, in units since 1970; everything else is missing."""
    def convert(value: Value) -> float:
        return moment_of(value, unit, whole)

    values = _typed(cells)
    if values is None or values.dtype.kind != "M":
        return _numbers(cells, convert)
    once, which = _distinct(values)
    return _marked(np.array([convert(value) for value in once], dtype=np.float64)[which], cells)


def truths(cells: Cells) -> np.ndarray:
    """A column of 0 and 1; everything else is missing, or a number that the library calls missing."""
    return _numbers(cells, truth_of)


def _distinct(values: np.ndarray) -> tuple[list[Value], np.ndarray]:
    """The values of a typed column, each once, and which of them each cell is."""
    if values.dtype.kind in "mV":
        return [None], np.zeros(len(values), dtype=np.intp)
    if values.dtype.kind == "f":
        with np.errstate(all="ignore"):
            values = values.astype(np.float64)
    once, which = np.unique(values, return_inverse=True)
    return (_times(once) if once.dtype.kind == "M" else once.tolist()), which.reshape(-1)


def places(cells: Cells, categories: Sequence[str]) -> np.ndarray:
    """The place of each cell among the categories; everything else is missing."""
    known = {category: float(place) for place, category in enumerate(categories)}
    of_truth = {truth: next((known[name] for name in names if name in known), np.nan)
                for truth, names in _TRUTHS.items()}

    def place(value: Value) -> float:
        if isinstance(value, bool):
            return of_truth[value]
        return known.get(spelling_of(value), np.nan)

    values = _typed(cells)
    if values is None:
        return _marked(_each(cells, place), cells)
    once, which = _distinct(values)
    return _marked(np.array([place(value) for value in once], dtype=np.float64)[which], cells)


def ids(cells: Cells) -> np.ndarray:
    """Whose row it is, for `units` of <sotto/array.h>: whole numbers, or the bytes of texts.

    The library takes a number as its text, so that an id is the same unit from a column of any type.
    A missing id is empty.
    """
    values = _typed(cells)
    masked = isinstance(cells, np.ma.MaskedArray) and np.ma.is_masked(cells)
    if values is not None and values.dtype.kind in "biu" and not masked and (
            values.dtype != np.uint64):
        return values.astype(np.int64, copy=False)
    if values is None:
        texts = _as_bytes([_id_of(value_of(cell)) for cell in _as_list(cells)])
    else:
        once, which = _distinct(values)
        texts = _as_bytes([_id_of(value) for value in once])[which]
    if masked:
        texts[np.ma.getmaskarray(cells)] = b""
    return texts.view(np.uint8).reshape(len(texts), texts.dtype.itemsize)


def _as_bytes(texts: list[bytes]) -> np.ndarray:
    width = max(map(len, texts), default=1)
    return np.array(texts, dtype=f"S{max(width, 1)}")


def _id_of(value: Value) -> bytes:
    text = spelling_of(value)
    return b"" if text is None else text.encode("utf-8", "surrogatepass")[:_ID_BYTES_MAX]
