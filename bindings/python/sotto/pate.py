"""Labels of public rows by the noisy vote of teachers: PATE, for teachers trained anywhere.

The private rows are divided into disjoint shards, and a teacher, a model of any kind, is trained on each without
noise. Teachers vote on public rows. Only the noisy winner of each vote is released, with a
certificate. Any model may learn from these labels at no further cost (docs/howto/pate.md).

>>> import sotto
>>> vote = sotto.pate.Vote("confident", noise=40, test_noise=150, threshold=200, touched=1)
>>> vote.answers(ask=2000, epsilon=4, delta=1e-5).answers
613
"""

from __future__ import annotations

import json
import os
import pathlib
import warnings
from collections.abc import Sequence
from ctypes import byref, c_uint64, c_void_p, pointer
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _arrays, _records, account
from . import schema as schemas
from ._cells import numbers, spelling_of, value_of
from ._certified import Certified
from ._errors import PrivacyWarning
from ._estimator import Estimator
from ._files import File, Path, file_of, path_bytes
from ._library import (
    CONSTANTS,
    Account,
    Handle,
    PateAgreement,
    PateConfig,
    PateLabelConfig,
    PateStudentConfig,
    PateTeachConfig,
    TrainConfig,
    call,
    defaults_of,
    library,
    owned_text,
    text_of,
    value_of_name,
)
from ._outputs import flag, outcome_of
from ._progress import Report, Watch
from ._tables import Table, read
from .model import Model

_UNITS = {"record": CONSTANTS["SOTTO_PATE_RECORDS"], "teacher": CONSTANTS["SOTTO_PATE_TEACHERS"]}


@dataclass(frozen=True)
class Vote:
    """Rule that turns votes into labels, and the largest change of the votes by one record.

    Parameters
    ----------
    aggregator : {"confident", "gnmax", "lnmax", "mode", "interactive"}
        "gnmax" and "lnmax" release the class with the most votes under Gaussian or Laplace noise.
        "confident" does so only if the largest count passes a noisy test. "mode" releases the most
        frequent class if it is clear, by propose-test-release. "interactive" asks the teachers only where a student
        is not sure: it needs a directory of teachers.
    noise : float
        Noise of the answer, in votes: sigma, or the scale of Laplace noise. Not for "mode".
    test_noise, threshold : float
        Noise and threshold of the test of "confident", in votes.
    epsilon, delta : float
        Privacy loss of one query of "mode".
    touched : int
        Teachers whose vote one record (or unit) can change: 1 if shards are disjoint by a keyed hash
        of the record. Under "replace-one" 2, if the new record may be in another shard.
        :func:`touched` counts them. sotto cannot check it, and the certificate lists it as such.
    adjacency : {"add-remove", "replace-one"}
        Definition of neighbours: data sets that differ in one record.
    unit : {"record", "teacher"}
        The protected unit: a record in a teacher's shard, or a whole teacher that is added or removed.
    """

    aggregator: str
    noise: float | None = None
    test_noise: float | None = None
    threshold: float | None = None
    epsilon: float | None = None
    delta: float | None = None
    touched: int | None = None
    adjacency: str = "add-remove"
    unit: str = "record"

    def _config(self, of_directory: bool = False) -> PateConfig:
        """The settings as a struct of the library. None stays unset, and the library names the missing ones.

        A directory of teachers states adjacency, unit and touched itself.
        """
        config = library.sotto_pate_defaults()
        config.aggregator = value_of_name("sotto_pate_aggregator_from_name", self.aggregator)
        for name in ("noise", "test_noise", "threshold", "epsilon", "delta"):
            if getattr(self, name) is not None:
                setattr(config, name, float(getattr(self, name)))
        config.purpose = b"labels"
        if of_directory:
            return config
        if self.aggregator == "interactive":
            raise ValueError("aggregator is 'interactive', which needs a directory of teachers, a student's model file and "
                             "public rows; give directory=, public= and student=")
        config.adjacency = value_of_name("sotto_adjacency_from_name", self.adjacency)
        if self.unit not in _UNITS:
            raise ValueError(f"unit is {self.unit!r}; give 'record' or 'teacher'")
        config.unit = _UNITS[self.unit]
        if self.touched is None:
            raise ValueError("touched is missing: the number of teachers that one record can change; "
                             "give touched=1 if shards are disjoint, or the result of "
                             "sotto.pate.touched()")
        config.touched = account.whole("touched", self.touched)
        return config

    def plan(self, *, asked: int, answered: int | None = None) -> dict[str, Any]:
        """The plan of at most `asked` queries, of which `answered` are answered: for sotto.account.

        Without `answered` all are. Aggregators without a test answer all.
        """
        asked = account.whole("asked", asked)
        answered = asked if answered is None else account.whole("answered", answered)
        made = Handle("sotto_plan_free")
        call("sotto_pate_plan", byref(self._config()), asked, answered, byref(made.pointer))
        return json.loads(owned_text("sotto_plan_to_json", made.pointer))

    def answers(self, *, epsilon: float, delta: float, ask: int = 0) -> account.Account:
        """The largest number of answers that fits, if all of `ask` queries are tested, and its cost.

        `ask` is for "confident"; without a test the answer is the number of queries. ``answers`` of
        the account has the number, which may be larger than `ask`: then all can be answered.
        """
        found, cost = c_uint64(), Account()
        call("sotto_pate_answers", byref(self._config()), account.whole("ask", ask), float(epsilon),
             float(delta), byref(found), byref(cost))
        return account.answer_of(cost, answers=found.value)


def touched(*, adjacency: str = "add-remove", shards: int = 1, id_may_change: bool = True) -> int:
    """Teachers that one unit touches whose records are in at most `shards` shards, by a keyed hash.

    Under "replace-one" twice as many, if the new record may have another id than the old one, or
    another content where the content is hashed.
    """
    value = value_of_name("sotto_adjacency_from_name", adjacency)
    return library.sotto_pate_touched(value, account.whole("shards", shards), bool(id_may_change))


class Labels(Certified):
    """Labels of public rows, with the certificate of their privacy loss.

    Attributes
    ----------
    rows : ndarray of int
        Positions of the public rows that have a label, ascending.
    y : ndarray
        Their labels: ``model.fit(X[labels.rows], labels.y)``.
    labels : masked array
        One for each query, masked where there is no answer. The value under the mask is no class: an
        empty name, or the smallest number minus 1, as in scikit-learn.
    classes : list
        The label set.
    asked, answered : int
        Queries that were asked and answered. They are outputs, and public.
    ask_at_most, answer_at_most : int
        The charged caps. The guarantee covers them.
    epsilon, delta : float
        The requested guarantee. The caps may cost less: ``certificate_["epsilon"]``.
    realised_epsilon : float or None
        Privacy loss of the queries that were asked and answered: for information, never the guarantee.
    sensitive_epsilon : float or None
        SENSITIVE, if requested: a function of the votes, as secret as they are.
    agreement : dict or None
        The noisy agreement of teachers, if it was released.
    outcome : {"new", "recovered", "finished"} or None
        As outcome_ of the estimators. None: labels of load().
    certificate_ : dict
        The certificate of their privacy loss.
    json : str
        The whole file.
    """

    def __init__(self, text: str, classes: list[Any] | None = None):
        members = json.loads(text)
        if members.get("kind") != "labels":
            raise ValueError(f"the file is of the kind {members.get('kind')!r}; give one that "
                             "sotto.pate.label() or sotto pate label wrote")
        self.json = text
        self.certificate_ = members.get("certificate")
        names = _names_of(schemas.Schema(members["schema"]))
        self.classes = schemas.classes_of(names, members["schema"]) if classes is None else classes
        for name in ("asked", "answered", "ask_at_most", "answer_at_most", "epsilon", "delta"):
            setattr(self, name, members[name])
        self.first_row = members["first_row"]
        self.rows = np.array(members["rows"], dtype=np.intp)
        places = {name: place for place, name in enumerate(names)}
        codes = np.array([places[name] for name in members["labels"]], dtype=np.intp)
        known = np.array(self.classes)
        self.y = known[codes]
        self.labels = _masked(self.ask_at_most, self.rows - self.first_row, self.y, known)
        self.realised_epsilon = self.sensitive_epsilon = self.agreement = self.outcome = None
        self._result: Handle | None = None

    def plot(self) -> str:
        """Epsilon after each query, as SVG; of labels that were just made."""
        if self._result is None:
            raise ValueError("the epsilon of each query is not in the file; plot labels that "
                             "sotto.pate.label() has just made")
        return owned_text("sotto_pate_plot", self._result.pointer)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_result": None}  # a copy would free it twice

    def __repr__(self) -> str:
        return (f"<sotto.pate.Labels: {self.answered} of {self.asked} queries answered, epsilon "
                f"{self.epsilon:g} at delta {self.delta:g}>")


def load(path: str | os.PathLike[str]) -> Labels:
    """A labels' file; :meth:`Labels.verify` checks its certificate."""
    return Labels(pathlib.Path(path).read_text(encoding="utf-8"))


def teach(X: Path | File, model: Estimator, *, teachers: int, directory: Path, sharding: str = "auto",
          progress: Report | bool | None = None) -> dict[str, Any]:
    """Trains teachers on disjoint shards of the rows of a file, without noise, and returns their public facts.

    Nothing is released and nothing is charged: the ``directory`` is as SECRET as the rows. ``model`` states schema and settings of
    one teacher, without a privacy loss: ``sotto.LogisticRegression(None, schema=...)``. ``sharding`` assigns records to shards:
    "unit", "content", "place", or the first that can be. The same call resumes an interrupted one.
    """
    file, config = _public(X, "X"), defaults_of("pate_teach", PateTeachConfig(), TrainConfig())
    config.training, config.teachers = model._config(), account.whole("teachers", teachers)
    config.directory = os.fsencode(directory)
    config.sharding = value_of_name("sotto_pate_sharding_from_name", sharding)
    made, result = model._given_schema(), Handle("sotto_pate_free")
    with Watch(progress) as watch:
        config.training.progress = watch.function
        call("sotto_pate_teach", byref(config), made.pointer, byref(file.of_library()), byref(result.pointer))
    return json.loads(text_of("sotto_pate_json", result.pointer))


def student(labels: Path, public: Path | File, model: Estimator, *, self_training: int = 0,
            confidence: float | None = None, progress: Report | bool | None = None) -> Model:
    """A model of released labels and public rows, at no further cost: it has the labels' guarantee.

    ``labels`` is the file of :func:`label`, ``public`` the file of the rows that were labelled. ``model`` states the settings of the
    student, without a privacy loss: ``sotto.LogisticRegression(None, output="student.json")``. In ``self_training`` rounds the
    predictions of other rows become pseudo-labels, if their probability is at least ``confidence`` (default 0.95).
    """
    file, config = _public(public, "public"), defaults_of("pate_student", PateStudentConfig(), TrainConfig())
    config.training, config.labels = model._config(), os.fsencode(labels)
    config.self_training = account.whole("self_training", self_training)
    if confidence is not None:
        config.confidence = float(confidence)
    result = Handle("sotto_pate_free")
    with Watch(progress) as watch:
        config.training.progress = watch.function
        call("sotto_pate_student", byref(config), byref(file.of_library()), byref(result.pointer))
    return Model(text_of("sotto_pate_json", result.pointer), owner="pate.student")


def _public(rows: Any, name: str) -> File:
    file = file_of(rows)
    if file is None:
        raise TypeError(f"{name} is of the type {type(rows).__name__}; give the path of a file, or a sotto.File")
    return file


def label(counts: Any = None, vote: Vote | None = None, *, predictions: Any = None,
          directory: Path | None = None, public: Path | File | None = None, student: Path | None = None,
          classes: Sequence[Any] | None = None,
          schema: schemas.Source | schemas.Schema | None = None, delta: float,
          epsilon: float | None = None, answers: int | None = None, ask: int | None = None,
          skip: int = 0, agreement_noise: float | None = None, agreement_bins: int | None = None,
          teachers: int | None = None, ledger: str | os.PathLike[str] | None = None,
          dataset: str | None = None, output: str | os.PathLike[str] | None = None,
          again: bool = False, overwrite: bool = False, sign: Path | None = None,
          show_sensitive_data_dependent_epsilon: bool = False,
          insecure_test_seed: int | None = None) -> Labels:
    """Labels public rows by the noisy vote of teachers, and certifies it. Each call is a release.

    Parameters
    ----------
    counts : table of queries x classes
        Number of teachers that vote for each class. A cell that is no count is 0, without a message. Columns
        with names are matched with the classes by name.
    vote : Vote
        Aggregator, noise, and the largest change of the votes by one record.
    predictions : array of teachers x queries, instead of counts
        Votes of each teacher. A cell that is no class counts as the first one, without a message. Its
        columns must not have names.
    directory, public : paths, instead of counts
        Teachers of :func:`teach`, and the file of the PUBLIC rows. The directory states classes, adjacency and `touched`.
    student : path, optional
        For the aggregator "interactive": a model file that gives probabilities.
    classes : sequence, or schema : as for the estimators
        The label set: in order, or the target of a schema.
    epsilon, delta : float
        The guarantee of all labels together. Without epsilon give `answers`. The certificate then
        states the cost.
    ask, answers : int, optional
        Largest number of queries (default all) and of answers (default as many as fit). These caps are
        fixed and charged before a vote is counted.
    skip : int
        Rows before the first query.
    agreement_noise : float, optional
        Also releases the average agreement of teachers, with this noise in votes for each query. It is
        paid from the same epsilon and needs `teachers` beside counts. `agreement_bins` is its resolution.
    ledger, dataset : optional
        The ledger, which holds the budget of the private rows, and their id in it.
    output, again, overwrite : optional
        As for the estimators. The output is the labels' file.
    show_sensitive_data_dependent_epsilon : bool
        Only for users who may see the votes: sets ``sensitive_epsilon``, which must not be published.
    insecure_test_seed : int, optional
        For tests: noise from a seed. The certificate then says NOT PRIVATE.
    """
    if vote is None:
        raise ValueError("there is no vote; give a sotto.pate.Vote, for example "
                         "Vote('gnmax', noise=40, touched=1)")
    config = defaults_of("pate_label", PateLabelConfig())
    config.vote, config.delta = vote._config(directory is not None), float(delta)
    config.skip, config.student, config.sign = account.whole("skip", skip), path_bytes(student), path_bytes(sign)
    if directory is None:
        made, known = _target_of(classes, schema, dataset)
        cells = _votes_of(counts, predictions, known)
        view = _arrays.view(cells)
        config.vote_array, config.vote_labels = pointer(view), predictions is not None
        if predictions is not None or teachers is not None:
            config.vote.teachers = account.whole("teachers", cells.shape[1] if teachers is None else teachers)
        queries, target, rows = len(cells), made.pointer, None
    else:
        _only_directory(counts=counts, predictions=predictions, classes=classes, schema=schema, dataset=dataset, teachers=teachers)
        config.directory, known, queries, target = os.fsencode(directory), None, None, None
        rows = byref(_public(public, "public").of_library())
    if ask is None and queries is None:
        raise ValueError("ask is missing: the largest number of public rows to label; for example ask=500")
    config.ask = max(queries - config.skip, 0) if ask is None else account.whole("ask", ask)
    config.answers = account.whole("answers", answers or 0)
    if epsilon is not None:
        config.epsilon = float(epsilon)
    if agreement_noise is not None:
        config.agreement.noise = float(agreement_noise)
    if agreement_bins is not None:
        config.agreement.bins = account.whole("agreement_bins", agreement_bins)
    config.ledger, config.output = path_bytes(ledger), path_bytes(output)
    config.again, config.overwrite = flag("again", again), flag("overwrite", overwrite)
    config.show_sensitive = bool(show_sensitive_data_dependent_epsilon)
    if config.show_sensitive:
        warnings.warn("sensitive_epsilon is a function of the votes, as secret as they are: never "
                      "publish it", PrivacyWarning, stacklevel=2)
    if insecure_test_seed is not None:
        config.insecure_test = True
        config.test_seed = account.whole("insecure_test_seed", insecure_test_seed)
        warnings.warn("the noise comes from a seed: the labels are NOT PRIVATE", PrivacyWarning,
                      stacklevel=2)
    result = Handle("sotto_pate_free")
    call("sotto_pate_label_rows", byref(config), target, rows, byref(result.pointer))
    outcome = outcome_of("sotto_pate_run_outcome", result.pointer, output, level=3)
    found = Labels(text_of("sotto_pate_json", result.pointer), known)
    found.outcome = outcome
    found.realised_epsilon = library.sotto_pate_realised_epsilon(result.pointer)
    if config.show_sensitive:
        found.sensitive_epsilon = library.sotto_pate_sensitive_epsilon(result.pointer)
    found.agreement = _agreement_of(result.pointer)
    found._result = result
    return found


def _only_directory(**given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name} is given beside directory, whose teachers state it; leave {name} out")


def _names_of(schema: schemas.Schema) -> list[str]:
    """The target's labels as files spell them."""
    target = library.sotto_schema_target(schema.pointer)
    if not target or target.contents.label_count < 2:
        raise ValueError("the schema's target has no label set of two or more; give one, or classes=")
    return [target.contents.labels[place].decode() for place in range(target.contents.label_count)]


def _target_of(classes: Sequence[Any] | None, source: Any, dataset: str | None) -> tuple[schemas.Schema, list[Any]]:
    """(schema, the labels in Python)"""
    if (classes is None) == (source is None):
        raise ValueError("the classes are given by classes= or by schema=; give one of them, and do "
                         "not take them from the votes: a label set read from the data reveals it")
    if source is not None:
        if dataset is not None:
            raise ValueError(f"dataset is {dataset!r} beside a schema, which states it; leave "
                             "one of them out")
        made = source if isinstance(source, schemas.Schema) else schemas.Schema(source)
        return made, schemas.classes_of(_names_of(made), made.describe())
    known = np.asarray(classes).tolist()
    column, target = schemas.Labels(known).column("label")
    text = {"target": target, "columns": [column]}
    return schemas.Schema(text if dataset is None else {**text, "dataset": dataset}), known


def _votes_of(counts: Any, predictions: Any, classes: list[Any]) -> np.ndarray:
    """Queries x classes with counts, or queries x teachers with places among the classes."""
    if (counts is None) == (predictions is None):
        raise ValueError("give counts, queries x classes, or predictions, teachers x queries: one of "
                         "them")
    if counts is not None:
        return _arrays.matrix(_in_class_order(read(counts, "counts").numeric(), classes))
    said = read(predictions, "predictions").with_width_of_most("predictions")
    if said.names not in (None, list(range(said.width or 0))):
        raise ValueError("predictions has columns with names, and nothing to match them with; give an "
                         "array of teachers x queries, for example predictions.to_numpy()")
    places = np.empty((said.width or 0, said.rows))
    for query in range(said.width or 0):
        places[query] = _places(said.column(query), classes)
    return places


def _in_class_order(counts: Table, classes: list[Any]) -> Table:
    """The columns of counts in the order of the classes, if they have names.

    Names come from votes, as in pandas.crosstab(). A class without a column has no votes, and
    a column that is no class does not count.
    """
    wanted = [spelling_of(value_of(name)) for name in classes]
    if counts.listed is not None:
        return counts.with_counts(wanted)
    if counts.names is None:
        return counts
    total = np.zeros((counts.rows, len(wanted)))
    for place, name in enumerate(counts.names):
        spelling = spelling_of(value_of(name))
        if spelling in wanted:
            total[:, wanted.index(spelling)] += numbers(counts.column(place))
    return read(total)


def _places(said: Any, classes: list[Any]) -> np.ndarray:
    """The place of each label among the classes; NaN for everything else."""
    values = _records.code_labels(said, classes)
    if any(isinstance(name, str) for name in classes):
        return values
    places = np.full(values.shape, np.nan)
    for place, value in enumerate(classes):
        places[values == value] = place
    return places


def _masked(length: int, places: np.ndarray, y: np.ndarray, classes: np.ndarray) -> Any:
    """One label per query, masked where there is none."""
    numbers = classes.dtype.kind in "fiu"
    if classes.dtype.kind == "b":  # there is no third truth value to put beneath
        y, classes, numbers = y.astype(object), classes.astype(object), False
    absent = classes.min() - 1 if numbers else None if classes.dtype.kind == "O" else ""
    beneath = np.full(length, absent, dtype=classes.dtype)
    beneath[places] = y
    mask = np.ones(length, dtype=bool)
    mask[places] = False
    return np.ma.MaskedArray(beneath, mask, fill_value=absent)


def _agreement_of(result: c_void_p) -> dict[str, Any] | None:
    found = PateAgreement()
    if not library.sotto_pate_agreed(result, byref(found)):
        return None
    lists = {name: np.array(getattr(found, name)[:found.count])
             for name in ("at", "share", "deviation")}
    return {**lists, "mean": found.mean, "mean_deviation": found.mean_deviation}
