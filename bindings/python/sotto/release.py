"""One private statistic of a table, with its interval and its certificate: see docs/reference/release.md.

``X`` is a file (a path or :class:`sotto.File`) or any table with the columns of the schema. Each call is a release: it costs
``epsilon``, and ``delta`` with Gaussian noise. All statistics share the settings of :class:`Settings`.

>>> import sotto
>>> schema = {"columns": [{"name": "age", "type": "integer", "lower": 18, "upper": 90}]}
>>> ages = {"age": [31, 44, 62, 27]}
>>> found = sotto.release.mean(ages, "age", schema=schema, epsilon=1)
>>> found.name, found.lower <= found.value <= found.upper, found.certificate_["epsilon"] <= 1
('mean', True, True)
"""

from __future__ import annotations

import html
import json
import os
import pathlib
import warnings
from collections.abc import Iterator, Sequence
from ctypes import byref, c_char_p
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from . import _records, account
from . import schema as schemas
from ._certified import Certified
from ._errors import PrivacyWarning
from ._files import File, Path, file_of, path_bytes, text_bytes
from ._library import (
    CONSTANTS,
    Handle,
    ReleaseConfig,
    call,
    defaults_of,
    library,
    owned_text,
    text_of,
    value_of_name,
)
from ._outputs import flag, outcome_of
from ._progress import Watch
from .model import Model

if TYPE_CHECKING:
    from typing_extensions import Unpack

_MECHANISMS = {name: CONSTANTS[f"SOTTO_{constant}"] for name, constant in (
    ("laplace", "DISCRETE_LAPLACE"), ("gaussian", "GAUSSIAN"), ("permute-and-flip", "PERMUTE_AND_FLIP"),
    ("exponential", "EXPONENTIAL"))}


class Settings(TypedDict, total=False):
    """Settings that all statistics share.

    schema : path, JSON text, dict or Schema
        The public description of the table.
    epsilon, delta : float
        Privacy loss of the release; ``epsilon`` has no default, and without ``delta`` the release is pure.
    mechanism : str, optional
        The noise: "laplace" or "gaussian"; for :func:`choose` "permute-and-flip" or "exponential".
    adjacency : {"add-remove", "replace-one"}
        Definition of neighbours.
    public_n : int, optional
        The number of rows, declared public; needs replace-one.
    where : str or sequence of str, optional
        Conditions on the stored rows of a file; all must hold.
    confidence : float
        Confidence of the intervals; default 0.95.
    units : array, optional
        For a table in memory without the schema's unit column: the id of each row.
    stored_table : bool
        As for the estimators: declares that a computed X has every row of a stored table.
    ledger, output, again, overwrite : optional
        As for the estimators. A ledger is charged before a row is read.
    threads : int, optional
        Threads that read a file; default all. The result is the same for any number.
    sign : path, optional
        The secret key that signs the file.
    insecure_test_seed : int, optional
        For tests: noise from a seed. The certificate then says NOT PRIVATE.
    """

    schema: schemas.Source | schemas.Schema
    epsilon: float
    delta: float | None
    mechanism: str | None
    adjacency: str
    public_n: int | None
    where: str | Sequence[str] | None
    confidence: float | None
    units: Any
    stored_table: bool
    ledger: Path | None
    output: Path | None
    again: bool
    overwrite: bool
    threads: int | None
    sign: Path | None
    insecure_test_seed: int | None


@dataclass(frozen=True)
class Value:
    """A released number with its interval; ``label`` names the bin, the category or the chosen candidate."""

    label: str
    value: float | None
    lower: float | None
    upper: float | None


class Release(Certified):
    """A released statistic: a sequence of values, with the certificate of their privacy loss.

    Attributes
    ----------
    name : str
        The statistic: ``"mean"``, ``"histogram"``, ...
    values : tuple of Value
        One, or one for each bin or category. Empty for randomised answers: ``answers`` has them.
    value, lower, upper : float or None
        Those of the first value.
    label : str
        Its label: the chosen candidate of ``choose``.
    answers : list of str
        Randomised answers, in random order.
    outcome : str
        "new"; "recovered" or "finished" if an earlier call with the same settings and output made it.
    certificate_ : dict or None
        The certificate; None for ``estimate``, which costs nothing.
    json : str
        The whole file.
    """

    def __init__(self, text: str):
        members = json.loads(text)
        if members.get("kind") not in ("release", "estimate"):
            raise ValueError(f"the file is of the kind {members.get('kind')!r}; give one that sotto.release or "
                             "sotto release wrote")
        self.json = text
        self.outcome = "new"
        self.name: str = members.get("statistic", "estimate")
        self.certificate_ = members.get("certificate")
        self.values = tuple(_values_of(members))
        self.answers: list[str] = [members["categories"][place] for place in members["answers"]] if "categories" in members else []

    @property
    def value(self) -> float | None:
        """The first value."""
        return self._first().value

    @property
    def lower(self) -> float | None:
        """Lower end of its interval."""
        return self._first().lower

    @property
    def upper(self) -> float | None:
        """Upper end of its interval."""
        return self._first().upper

    @property
    def label(self) -> str:
        """Label of the first value."""
        return self._first().label

    def _first(self) -> Value:
        if not self.values:
            raise ValueError("the release has randomised answers and no value; use .answers, or sotto.release.estimate()")
        return self.values[0]

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Value]:
        return iter(self.values)

    def __repr__(self) -> str:
        shown = ", ".join(f"{value.label} {_shown(value.value)}" for value in self.values[:3])
        more = ", ..." if len(self.values) > 3 else ""
        return f"<sotto.release.Release: {self.name}: {shown}{more}{_promise(self.certificate_)}>"

    def _repr_html_(self) -> str:
        cells = [(value.label, _shown(value.value), _shown(value.lower), _shown(value.upper)) for value in self.values]
        rows = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in cells)
        return (f"<table><caption>{html.escape(self.name + _promise(self.certificate_))}</caption>"
                f"<tr><th></th><th>value</th><th>lower</th><th>upper</th></tr>{rows}</table>")


def load(path: Path) -> Release:
    """Reads the file of a release; :meth:`Release.verify` checks its certificate."""
    return Release(pathlib.Path(path).read_text(encoding="utf-8"))


def count(X: Any, **settings: Unpack[Settings]) -> Release:
    """Number of rows."""
    return _release("COUNT", X, settings)


def sum(X: Any, column: str, **settings: Unpack[Settings]) -> Release:  # noqa: A001
    """Sum of a numeric column."""
    return _release("SUM", X, settings, column=column)


def mean(X: Any, column: str, **settings: Unpack[Settings]) -> Release:
    """Mean of a numeric column."""
    return _release("MEAN", X, settings, column=column)


def histogram(X: Any, column: str, *, bins: int | None = None, edges: Sequence[float] | None = None,
              **settings: Unpack[Settings]) -> Release:
    """Rows in each category, or in each bin of a numeric column: ``bins`` of equal width, or bins between ``edges``."""
    return _release("HISTOGRAM", X, settings, column=column, bins=bins, edges=_numbers(edges))


def quantile(X: Any, column: str, quantile: float = 0.5, **settings: Unpack[Settings]) -> Release:
    """A quantile of a numeric column, at most three decimals: 0.5 is the median."""
    return _release("QUANTILE", X, settings, column=column, quantile=quantile)


def bounds(X: Any, column: str, **settings: Unpack[Settings]) -> Release:
    """Powers of two that a numeric column lies between."""
    return _release("BOUNDS", X, settings, column=column)


def responses(X: Any, column: str, **settings: Unpack[Settings]) -> Release:
    """One randomised answer for each row, in random order; :func:`estimate` has the frequencies behind them."""
    return _release("RESPONSES", X, settings, column=column)


def choose(X: Any, column: str | None = None, *, score: str, candidates: Sequence[float] | None = None,
           quantile: float | None = None, sensitivity: int | None = None, monotone: bool = False,
           **settings: Unpack[Settings]) -> Release:
    """The best of public candidates by ``score``: "count", "revenue", "quantile", or "given" scores of a file.

    ``candidates`` are those of "revenue" and "quantile". ``sensitivity`` is the largest change of a given score by one row;
    ``monotone`` states that one row moves all of them in one direction.
    """
    return _release("CHOICE", X, settings, column=column, score=score, candidates=_numbers(candidates),
                    quantile=quantile, sensitivity=sensitivity, monotone=monotone)


def accuracy(X: Path | File, model: Model | Path, *, threshold: float = 0.5, **settings: Unpack[Settings]) -> Release:
    """Share of the rows of a file that a model predicts right. The schema is the model's."""
    return _release("ACCURACY", X, settings, model=_model_of(model, settings), threshold=threshold)


def scores(X: Path | File, model: Model | Path, *, threshold: float = 0.5, **settings: Unpack[Settings]) -> Release:
    """AUC, log loss, recall, precision and other scores of the rows of a file, by one release.

    They are those of a model that gives two classes a probability. The schema is the model's. All come from one noisy histogram of
    64 cells of the probability for each class (docs/reference/model.md). ``label`` names the score; a score for which the noise is too
    large has no value.
    """
    return _release("SCORES", X, settings, model=_model_of(model, settings), threshold=threshold)


def _model_of(model: Model | Path, settings: Settings) -> Model:
    """The model. Its file does not have the path of the ledger, so the caller must give it."""
    from .model import load as load_model

    made = model if isinstance(model, Model) else load_model(model)
    dataset = made.schema.get("dataset")
    if dataset is not None and settings.get("ledger") is None:
        raise ValueError(f"ledger is missing: the rows of the data set {dataset!r} have a budget; for example ledger='budget.ledger'")
    return made


def estimate(path: Path, *, confidence: float = 0.95) -> Release:
    """Frequencies behind the randomised answers of a file of :func:`responses`. Costs nothing."""
    result = Handle("sotto_release_free")
    call("sotto_release_estimate", os.fsencode(path), float(confidence), byref(result.pointer))
    return Release(text_of("sotto_release_json", result.pointer))


def plan(statistic: str, column: str | None = None, *, bins: int | None = None, edges: Sequence[float] | None = None,
         quantile: float | None = None, **settings: Unpack[Settings]) -> account.Plan:
    """The plan that a statistic would charge, for example ``plan("mean", "age", schema=..., epsilon=1)``. Reads no row."""
    names = {"responses": "RESPONSES", "choose": "CHOICE"}
    constant = f"SOTTO_RELEASE_{names.get(statistic, statistic.upper())}"
    if constant not in CONSTANTS:
        raise ValueError(f"statistic is {statistic!r}; give the name of a function of sotto.release, for example 'mean'")
    config, _keep = _config(constant, settings, column=column, bins=bins, edges=_numbers(edges), quantile=quantile)
    made, schema = Handle("sotto_plan_free"), _schema_of(settings)
    call("sotto_release_plan", byref(config), schema.pointer, byref(made.pointer))
    return account.Plan(owned_text("sotto_plan_to_json", made.pointer))


def _release(statistic: str, X: Any, settings: Settings, *, model: Model | None = None, **own: Any) -> Release:
    unknown = set(settings) - set(Settings.__annotations__)
    if unknown:
        raise TypeError(f"unknown setting {min(unknown)!r}; the settings are {', '.join(Settings.__annotations__)}")
    config, conditions = _config(f"SOTTO_RELEASE_{statistic}", settings, **own)
    if model is not None:
        config.model = model.pointer
    rows, keep = file_of(X), []
    schema = None if model is not None or own.get("score") == "given" else _schema_of(settings)
    pointer = schema.pointer if schema is not None else library.sotto_model_schema(model.pointer) if model is not None else None
    if rows is None:
        if schema is None:
            raise ValueError("X is a table in memory; this statistic reads a file: give its path")
        reader = _records.Reader({**schema.describe(), "target": {}}, [], f"release.{statistic.lower()}", needs_target=False)
        records, keep = reader.records_of(X, None, settings.get("units"), public_n=settings.get("public_n"),
                                          stored_table=flag("stored_table", settings.get("stored_table", False)))
    elif settings.get("units") is not None:
        raise ValueError("units is given, but X is a file, which has the unit's column; leave units out")
    elif settings.get("stored_table", False):
        raise ValueError("stored_table is True, but X is a file; declare it there: sotto.File(path=..., stored_table=True)")
    result = Handle("sotto_release_free")
    try:
        with Watch(False):
            if rows is None:
                call("sotto_release_records", byref(config), pointer, byref(records), byref(result.pointer))
            else:
                call("sotto_release_data", byref(config), pointer, byref(rows.of_library()), byref(result.pointer))
            made = Release(text_of("sotto_release_json", result.pointer))
            made.outcome = outcome_of("sotto_release_outcome", result.pointer, settings.get("output"), level=4)
    except BaseException:
        if result.pointer:  # paid for: the same call returns it again
            library.sotto_release_hold(result.pointer)
        raise
    del keep, conditions
    return made


def _schema_of(settings: Settings) -> schemas.Schema:
    source = settings.get("schema")
    if source is None:
        raise ValueError("schema is missing: the public description of the table; give a file, a dict or a sotto.Schema")
    return source if isinstance(source, schemas.Schema) else schemas.Schema(source)


def _config(statistic: str, settings: Settings, *, column: str | None = None, edges: bytes | None = None,
            candidates: bytes | None = None, score: str | None = None, monotone: bool = False,
            **numbers: Any) -> tuple[ReleaseConfig, Any]:
    """(the settings as a struct of the library, the array that must outlive it); None keeps the library's default."""
    config = defaults_of("release", ReleaseConfig())
    config.statistic, config.column, config.edges, config.candidates = CONSTANTS[statistic], text_bytes(column), edges, candidates
    numbers = {**numbers, **{name: settings.get(name) for name in ("epsilon", "delta", "public_n", "confidence")}}
    for name, value in numbers.items():
        if value is not None:
            setattr(config, name, account.whole(name, value) if name in ("bins", "public_n", "sensitivity") else float(value))
    config.monotone = flag("monotone", monotone)
    if score is not None:
        config.score = value_of_name("sotto_score_from_name", score)
    mechanism = settings.get("mechanism")
    if mechanism is not None:
        if mechanism not in _MECHANISMS:
            raise ValueError(f"mechanism is {mechanism!r}; give one of {', '.join(_MECHANISMS)}")
        config.mechanism = _MECHANISMS[mechanism]
    config.adjacency = value_of_name("sotto_adjacency_from_name", settings.get("adjacency", "add-remove"))
    config.ledger, config.output, config.sign = (path_bytes(settings.get(name)) for name in ("ledger", "output", "sign"))
    config.again, config.overwrite = (flag(name, settings.get(name, False)) for name in ("again", "overwrite"))
    config.threads = account.whole("threads", settings.get("threads") or 0)
    seed = settings.get("insecure_test_seed")
    if seed is not None:
        config.insecure_test, config.test_seed = True, account.whole("insecure_test_seed", seed)
        warnings.warn("the noise comes from a seed: the release is NOT PRIVATE", PrivacyWarning, stacklevel=4)
    where = settings.get("where")
    conditions = [where] if isinstance(where, str) else list(where or ())
    array = (c_char_p * (len(conditions) + 1))(*(condition.encode() for condition in conditions), None)
    if conditions:
        config.where = array
    return config, array


def _numbers(values: Sequence[float] | None) -> bytes | None:
    return None if values is None else ",".join(repr(float(value)).removesuffix(".0") for value in values).encode()


def _values_of(members: dict[str, Any]) -> Iterator[Value]:
    for value in members.get("values", []):
        yield Value(*(value.get(name) for name in ("label", "value", "lower", "upper")))


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _promise(certificate: dict[str, Any] | None) -> str:
    if certificate is None:
        return ""
    return f", epsilon {account.upward(certificate['epsilon'])} at delta {account.upward(certificate['delta'])}"

