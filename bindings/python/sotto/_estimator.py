"""The base of all estimators: settings, training, prediction, scikit-learn's conventions."""

from __future__ import annotations

import json
import operator
import os
import warnings
from collections.abc import Callable, Mapping
from ctypes import byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from . import _misuse, _records, _rows
from . import schema as schemas
from ._errors import PrivacyWarning
from ._files import file_of
from ._library import Handle, Records, TrainConfig, call, defaults_of, library, text_of, value_of_name
from ._outputs import SETTINGS, flag, outcome_of
from ._progress import Watch
from ._sklearn import FeatureNames, Parameters, not_fitted
from ._tables import Column, Table, read
from ._notebook import page_of
from ._tuning import Tuning
from .account import whole
from .model import Model

if TYPE_CHECKING:
    from typing_extensions import Self

# The end of every estimator's docstring; what is its own stands before.
_SETTINGS = """
    epsilon : float
        Privacy of the whole training; has no default.
    delta : float, optional
        Without it only methods without a delta run.
    schema : path, JSON text, dict or Schema, optional
        What is public about the table (docs/reference/schema.md). X is then a table with the schema's
        columns by name, or an array with them in order; y may be left out if X has the target.
    bounds : (lower, upper), optional
        Instead of a schema: public bounds of the features, one pair for all or one number a
        feature. Cells are clipped to them and scaled to [-1, 1].
    data_norm : float, optional
        Instead of bounds: a public bound on the norm of a row. Beside bounds it bounds the norm of
        the scaled row.
    norm_rule : {"clip", "scale"}
        Rows longer than data_norm are shrunk to it; or all rows are stretched to it.
    target : str, optional
        The schema's column to predict; default the schema's own target.
    adjacency : {"add-remove", "replace-one"}
        What it means that two data sets differ in one record.
    method : str
        "auto", "objective", "output", "gd", "sgd", ... (docs/reference/training.md); "none" adds no noise and
        needs data_is_public.
    calibration : {"sharp", "chaudhuri", "kifer", "redberg", "former"}
        The theorem that fixes the noise of objective perturbation.
    lambda_ : float or "theory", optional
        Of (lambda/2)|theta|^2 beside the sum of losses; default the library's rule.
    radius : float, optional
        The coefficients stay in this L2 ball; with method "frank-wolfe" in this L1 ball.
    l1, l1_width : float, optional
        Weight of the smoothed L1 norm of the coefficients, and width of its smoothed corner.
    prior : path, optional
        A model file of public data: lambda draws to its coefficients instead of 0.
    fit_intercept, intercept_scaling : bool, float
        A constant column of this value, inside the norm and regularised like the others.
    expected_rows : int, optional
        A public guess of the number of rows, never compared with the data.
    public_n : int, optional
        The number of rows, declared public; needs replace-one.
    steps, learning_rate : int, float, optional
        Of methods in steps; the rate in units of 1/smoothness.
    sampling : {"poisson", "single-record", "without-replacement", "none"}
        How method "sgd" draws the records of a step; the last two are for networks.
    batch : int, optional
        Records a step of method "sgd", on average.
    schedule : {"auto", "constant", "root", "strong", "linear", "cosine"}
        Step sizes of method "sgd".
    iterate : {"auto", "average", "suffix", "weighted", "last"}
        Which iterate of methods "sgd" and "gd" is the result.
    draws : int, optional
        Of methods "posterior" and "regularized-em": draws that are released, paid for together;
        predict() says their mean, predict_interval() how far they spread.
    sampler : {"auto", "proximal", "exact-gaussian", "mala"}
        How these methods draw; "mala" is a heuristic and needs data_is_public.
    public_constants : bool
        The sampler's steps follow from public facts alone; needs public_n or expected_rows.
    stored_table : bool
        Declares that X, if it is computed when it is read (a DuckDB relation, a pyarrow
        reader, a cursor, a generator), has every row of a stored table. Without it the
        number of its rows is secret under both adjacencies. The certificate lists the declaration
        as not checked.
    dataset, ledger : str, optional
        The data set's id, and the file that keeps its budget.
    data_is_public : bool
        Of method "none" and sampler "mala" only. Refused with a schema that names a ledger.
    sign : path, optional
        The secret key that signs the model file (:func:`sotto.new_key`).
    threads : int, optional
        Default one per CPU; the result is the same for any number.""" + SETTINGS + """    progress : callable or bool, optional
        Called between steps with (step, steps, elapsed_seconds, epsilon_so_far). By default a line with the time left is shown
        after two seconds, in notebooks and on terminals; False shows nothing.
    insecure_test_seed : int, optional
        For tests: noise from a seed. The certificate then says NOT PRIVATE; refused with a ledger.

    Attributes
    ----------
    model_ : Model
        The released model.
    certificate_ : dict or None
        What it reveals at most.
    outcome_ : {"new", "recovered", "finished"}
        Whether this call made the model, or an earlier process that was charged for it.
    coef_, intercept_, n_features_in_
        As in scikit-learn; coef_ belongs to the encoded features, model_.encoded_features_.
        Classifiers have classes_ too.
    feature_names_in_ : ndarray
        The columns of X, if they had names that are texts.
    """


@dataclass(repr=False, eq=False, kw_only=True)
class Estimator(FeatureNames, Parameters):
    """Settings, each a field, and one way to plan, fit and predict for every kind of model.

    ``__init__`` comes from the fields, those of a subclass after these. Nothing that carries
    privacy has a value here but the adjacency: None is the library's word "not given".
    """

    epsilon: float | None = field(kw_only=False)
    delta: float | None = field(default=None, kw_only=False)
    schema: schemas.Source | schemas.Schema | None = None
    bounds: tuple[Any, Any] | None = None
    data_norm: float | None = None
    norm_rule: str = "clip"
    target: str | None = None
    adjacency: str = "add-remove"
    method: str = "auto"
    calibration: str = "sharp"
    lambda_: float | str | None = None
    radius: float | None = None
    l1: float | None = None
    l1_width: float | None = None
    prior: str | os.PathLike[str] | None = None
    fit_intercept: bool = True
    intercept_scaling: float = 1.0
    expected_rows: int | None = None
    public_n: int | None = None
    steps: int | None = None
    learning_rate: float | None = None
    sampling: str = "poisson"
    batch: int | None = None
    schedule: str = "auto"
    iterate: str = "auto"
    draws: int | None = None
    sampler: str = "auto"
    public_constants: bool = False
    stored_table: bool = False
    dataset: str | None = None
    ledger: str | os.PathLike[str] | None = None
    data_is_public: bool = False
    output: str | os.PathLike[str] | None = None
    again: bool = False
    overwrite: bool = False
    threads: int | None = None
    progress: Callable[[int, int, float, float], None] | bool | None = None
    insecure_test_seed: int | None = None
    sign: str | os.PathLike[str] | None = None

    # What a schema says itself, and what fit() takes over from the model.
    _of_schema: ClassVar[tuple[str, ...]] = (
        "bounds", "data_norm", "dataset", "norm_rule", "fit_intercept", "intercept_scaling")
    _of_model: ClassVar[tuple[str, ...]] = ("certificate_", "coef_", "intercept_")

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.__doc__ is not None and "Parameters\n" in cls.__doc__:
            cls.__doc__ = cls.__doc__.rstrip() + _SETTINGS

    # ---- what the estimators differ in ----

    def _kind(self) -> str:
        """The model's name in the library."""
        raise NotImplementedError

    def _goal(self, y: Column | None) -> schemas.Goal:
        """The target without a schema, from settings; from y only if the rows are public."""
        raise NotImplementedError

    def _takes_sparse(self) -> bool:
        """Returns True if rows may be sparse: a matrix of which only the norm is known."""
        return self.schema is None and self.bounds is None

    def _check_public(self, table: Table, y: Column | None) -> None:
        """Refuses public rows that are clearly a mistake. For private rows a refusal would reveal a record."""
        if table.rows == 0:
            raise ValueError("X has no rows (0 samples), and they are public; give at least one")
        for cells in (*table.columns(), *(() if y is None else (y.cells,))):
            if isinstance(cells, np.ndarray) and cells.dtype.kind == "c":
                raise ValueError("Complex data not supported: the rows are public; give real numbers")

    # ---- training ----

    def plan(self, n_features: int | None = None) -> dict[str, Any]:
        """The plan of fit(), only from settings: method, lambda, noise, events. No row is read.

        Without a schema the number of features, and the classes or the target's bounds, must be
        given.
        """
        config, training = self._config(), Handle("sotto_training_free")
        schema = self._schema_of(n_features)
        call("sotto_training_plan", byref(config), schema.pointer, byref(training.pointer))
        return json.loads(text_of("sotto_training_json", training.pointer))

    def _schema_of(self, n_features: int | None) -> schemas.Schema:
        """The schema of a plan, which reads no rows."""
        if self.schema is not None:
            return self._given_schema()
        if n_features is None:
            raise ValueError("n_features is missing, and a plan reads no rows; give n_features=, for example "
                             "n_features=5, or schema=")
        table = read(np.empty((0, operator.index(n_features))))
        return schemas.Schema(self._make_schema(table, self._goal(None)))

    def fit(self, X: Any, y: Any = None, *, units: Any = None) -> Self:
        """Trains on rows X with targets y, and on whose rows they are if the schema has a unit.

        X is a file with the schema's columns: a path or a :class:`sotto.File`. Or it is any table (docs/reference/python.md): columns with names are matched by name. Both y and units have one
        value for each row, in the order of X. An index does not count.
        """
        self._warn_of_misuse()
        if file_of(X) is not None:
            return self._fit_file(X, y, units, "sotto_train_data", None)
        return self._fit(X, y, units, self._train)

    def tune(self, X: Any, y: Any = None, *, grid: str | Mapping[str, Any] | None = None,
             search: str | Mapping[str, Any] | None = None, runs_mean: float,
             distribution: str = "negative-binomial", eta: float | None = None,
             score_epsilon: float | None = None, validation: Any = None,
             candidates: int | None = None, search_seed: int | None = None, units: Any = None) -> Self:
        """Keeps the best of a secret number of trainings, `runs_mean` on average.

        `grid` is {"lambda_": [0.1, 1, 10], "steps": [50, 100]}, `search` {"lambda_": ("log", 0.01,
        100)}, or the command's text. `epsilon` and `delta` are those of the whole. The score is on
        the PUBLIC rows `validation`, (X, y) or a file's path, or a release of `score_epsilon` in each
        training. The number of trainings stays secret, so keep the run time secret too:
        docs/howto/tuning.md.
        """
        tuning = Tuning(grid=grid, search=search, runs_mean=runs_mean, distribution=distribution,
                        eta=eta, score_epsilon=score_epsilon, validation=validation,
                        candidates=candidates, search_seed=search_seed)
        self._warn_of_misuse()
        if file_of(X) is not None:
            return self._fit_file(X, y, units, "sotto_tune_data", tuning)

        def train(watch: Watch, schema: schemas.Schema, records: Any, reader: _records.Reader,
                  table: Table) -> str:
            rows, shown, keep = tuning.rows(), None, None
            if rows is not None:
                if rows[0] is X:  # converted, they are two arrays, which the library cannot know
                    raise ValueError("the validation rows are the training rows, whose scores would "
                                     "reveal them; give public rows")
                public = self._matched(self._rows(rows[0]), table.names, table.width,
                                       self.schema is not None and not reader.is_matrix)
                shown, keep = reader.records_of(public, *rows[1:], public=True)
            config = tuning.config(self._config(), shown)
            text = self._call(watch, "sotto_tune_records", config, config.train, schema, records)
            del keep
            return text

        return self._fit(X, y, units, train)

    def plan_tuning(self, n_features: int | None = None, **settings: Any) -> dict[str, Any]:
        """The plan of tune() with the same settings: candidates, the budget of each training.

        No row is read.
        """
        tuning = Tuning(**settings)
        config = tuning.config(self._config(), None if tuning.rows() is None else Records())
        schema, made = self._schema_of(n_features), Handle("sotto_tuning_free")
        call("sotto_tuning_plan", byref(config), schema.pointer, byref(made.pointer))
        return json.loads(text_of("sotto_tuning_json", made.pointer))

    def _fit(self, X: Any, y: Any, units: Any, train: Any) -> Self:
        """Rows and schema as the library takes them, `train`, and the model that comes of it."""
        owner = type(self).__name__
        for name in ("stored_table", "data_is_public"):
            self._flag(name)
        if self.schema is None and y is None:
            raise ValueError(f"{owner} requires y to be passed, but the target y is None")
        table, labels = self._rows(X), None if y is None else _records.labels(y)
        is_list = table.listed is not None
        if self.schema is None:
            table = self._with_columns(table)
            if self.data_is_public:
                self._check_public(table, labels)
            goal = self._goal(labels)
            made, classes = schemas.Schema(self._make_schema(table, goal)), goal.classes
        else:
            classes, made = None, self._given_schema()
        reader = _records.Reader(made.describe(self.target), classes, owner)
        if self.schema is not None:
            table = reader.shaped(table, labels is not None)
            if self.data_is_public:
                self._check_public(table, labels)
        has_names = self.schema is not None and not reader.is_matrix
        records, keep = reader.records_of(table if has_names else table.unnamed(), labels, units,
                                          stored_table=self.stored_table or self.data_is_public,
                                          public_n=self.public_n)
        self._warn_seed()
        with Watch(self.progress) as watch:  # a model that was paid for is stored before an interrupt is raised
            text = train(watch, made, records, reader, table)
            del keep
            self._take(Model(text, classes=classes, owner=owner))
            self._note_rows(X)
            self.n_features_in_ = table.width
            self._schema_has_names = has_names
            self._note_names(table.unnamed() if is_list and has_names else table)
        return self

    def _fit_file(self, X: Any, y: Any, units: Any, name: str, tuning: Tuning | None) -> Self:
        """Trains on a file, which has the schema's target and unit."""
        owner, file = type(self).__name__, file_of(X)
        for part, given in (("y", y), ("units", units)):
            if given is not None:
                raise ValueError(f"{part} is given, but X is a file, which has all columns of the schema; leave {part} out")
        if self.schema is None:
            raise ValueError("schema is missing: X is a file, whose columns need a schema; give schema=, for example "
                             "schema='survey.schema.json'")
        if self.stored_table:
            raise ValueError("stored_table is True, but X is a file; declare it there: sotto.File(path=..., stored_table=True)")
        schema, config = self._given_schema(), self._config()
        training = config
        if tuning is not None:
            if tuning.rows() is not None:
                raise ValueError("validation is a tuple of rows, but X is a file; give the path of a file of public rows")
            config = tuning.config(config, None)
            training = config.train
        self._warn_seed()
        with Watch(self.progress) as watch:
            training.progress = watch.function
            result = Handle("sotto_train_free")
            call(name, byref(config), schema.pointer, byref(file.of_library()), byref(result.pointer))
            try:
                self.outcome_ = outcome_of("sotto_train_outcome", result.pointer, self.output, level=4)
                self._take(Model(text_of("sotto_train_json", result.pointer), owner=owner))
                self._note_rows(X)
            except BaseException:  # paid for: the same call returns it again
                library.sotto_train_hold(result.pointer)
                raise
            columns = [column["name"] for column in self.model_.schema.get("columns", ())
                       if column["type"] not in ("id", "ignore")
                       and column["name"] != self.model_.schema["target"].get("column")]
            self.n_features_in_ = len(columns) or self.model_.schema["features"]
            self._schema_has_names = bool(columns)
            self._names_in = columns or None
        return self

    def _take(self, model: Model) -> None:
        """Stores the model that was trained."""
        self.model_ = model
        for name in self._of_model:
            setattr(self, name, getattr(model, name))

    def _is_private(self) -> bool:
        """Returns True if the rows are private, and the noise is no test's."""
        return not self.data_is_public and self.insecure_test_seed is None

    def _warn_of_misuse(self) -> None:
        """Warns before the charge of losses that no certificate covers."""
        if not self._is_private():
            return
        _misuse.warn_of_steps()
        fits = getattr(self, "_private_fits", 0) + 1
        if fits > 1 and self._ledger_path() is None:
            _misuse.warn_of_refit(self, fits)

    def _ledger_path(self) -> str | None:
        """The ledger that a training charges: of the settings, or of the schema."""
        if self.ledger is not None:
            return os.fspath(self.ledger)
        schema = None if self.schema is None else self._given_schema()
        path = None if schema is None else library.sotto_schema_ledger(schema.pointer)
        return None if path is None else os.fsdecode(path)

    def _note_rows(self, X: Any) -> None:
        """Remembers the object of the rows, and that there was a training, for warnings."""
        self._fitted_on = _misuse.identities_of(X) if self._is_private() else []
        self._private_fits = getattr(self, "_private_fits", 0) + self._is_private()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_fitted_on"}

    def __sklearn_clone__(self) -> Any:
        from sklearn.base import _clone_parametrized

        if self._is_private():
            _misuse.warn_of_repeats(self)
        return _clone_parametrized(self)

    def _warn_seed(self) -> None:
        if self.insecure_test_seed is not None:
            warnings.warn("the noise comes from a seed: the model is NOT PRIVATE", PrivacyWarning,
                          stacklevel=4)

    def _make_schema(self, table: Table, goal: schemas.Goal) -> dict[str, Any]:
        """The schema that bounds or data_norm stand for."""
        width = table.width
        if self.bounds is not None:
            lower, upper = (schemas.bounds_of(side, width, table.names) for side in self.bounds)
            made = schemas.of_bounds(schemas.names_of(table.names, width), lower, upper, goal)
            if self.data_norm is not None:
                made["row_norm"] = {"bound": float(self.data_norm), "rule": self.norm_rule}
        elif self.data_norm is not None:
            made = schemas.of_norm(width, float(self.data_norm), self.norm_rule, goal)
        else:
            raise ValueError(
                "the features have no public bounds; give schema=, bounds= or data_norm=, and do "
                "not take them from the rows: a bound read from the data reveals a record")
        made["intercept"] = float(self.intercept_scaling) if self.fit_intercept else 0.0
        if self.dataset is not None:
            made["dataset"] = self.dataset
        return made

    def _with_columns(self, table: Table) -> Table:
        """A list gets its columns from the bounds, which are public, if there is one for each feature.

        Else it has as many as most rows (src/data/stability.md, assumption 5).
        """
        sides = () if self.bounds is None else self.bounds
        for side in sides:
            names = schemas.names_of_bounds(side)
            if names is not None:
                return table.with_names(names)
        width = max(map(np.size, sides), default=1)
        return table.with_width(width) if width > 1 else table.with_width_of_most()

    def _given_schema(self) -> schemas.Schema:
        """The user's own schema, with nothing beside it that it says itself."""
        for name in self._of_schema:
            value, default = getattr(self, name), self._parameters()[name].default
            if value is not None if default is None else value != default:
                raise ValueError(f"{name} is {value!r} beside a schema, which states it; "
                                 "leave one of them out")
        return (self.schema if isinstance(self.schema, schemas.Schema)
                else schemas.Schema(self.schema))

    def _config(self) -> TrainConfig:
        """The settings as a struct of the library; None keeps the library's default."""
        config = defaults_of("train", TrainConfig())
        config.model = value_of_name("sotto_model_kind_from_name", self._kind())
        for name, kind in TrainConfig._fields_:
            if name in self._parameters() and getattr(self, name) is not None:
                self._set(config, name, kind)
        if isinstance(self.lambda_, str) and self.lambda_ == "theory":
            config.lambda_theory = True
        elif self.lambda_ is not None:
            setattr(config, "lambda", float(self.lambda_))
        if self.insecure_test_seed is not None:
            config.insecure_test = True
            config.test_seed = self._whole("insecure_test_seed")
        return config

    def _set(self, config: TrainConfig, name: str, kind: Any) -> None:
        """One setting, converted as its field in C asks; callbacks are set elsewhere."""
        value = getattr(self, name)
        if kind is c_double:
            setattr(config, name, float(value))
        elif kind in (c_uint64, c_size_t):
            setattr(config, name, self._whole(name))
        elif kind is c_int:
            setattr(config, name, value_of_name(f"sotto_{name}_from_name", value))
        elif kind is c_char_p:
            setattr(config, name, value.encode() if name == "target" else os.fsencode(value))
        elif kind is c_bool:
            setattr(config, name, self._flag(name))

    def _flag(self, name: str) -> bool:
        return flag(name, getattr(self, name))

    def _whole(self, name: str) -> int:
        """A setting for a field without a sign, where ctypes would wrap a negative number."""
        return whole(name, getattr(self, name))

    def _train(self, watch: Watch, schema: schemas.Schema, records: Any, *_: Any) -> str:
        """The model file of one call of the library."""
        config = self._config()
        return self._call(watch, "sotto_train_records", config, config, schema, records)

    def _call(self, watch: Watch, name: str, config: Any, training: TrainConfig,
              schema: schemas.Schema, records: Any) -> str:
        """The model file of a call with `config`, whose settings of a training are `training`."""
        training.progress = watch.function
        result = Handle("sotto_train_free")
        call(name, byref(config), schema.pointer, byref(records), byref(result.pointer))
        self.outcome_ = outcome_of("sotto_train_outcome", result.pointer, self.output, level=6)
        return text_of("sotto_train_json", result.pointer)

    # ---- prediction: post-processing of the model ----

    def _rows(self, X: Any) -> Table:
        """X as rows of features, or of the schema's columns."""
        return read(X)

    def _matched(self, table: Table, fitted: list[Any] | None, width: int,
                 has_names: bool) -> Table:
        """The columns for the schema to find by name; if it has no names, those of fit() count."""
        if has_names:
            return table
        if fitted is not None and table.listed and _rows.has_names(table.listed[0]):
            table = table.with_names(fitted)
        table = table.with_width_of_most() if table.listed else table.with_width(width)
        self._check_names(table, fitted)
        return table.unnamed()

    def _model(self) -> Model:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        return self.model_

    def _table(self, X: Any) -> Table:
        """Rows to predict for; they are read once, for a stream cannot be read twice."""
        self._model()
        return self._matched(self._rows(X), self._names_in, self.n_features_in_,
                             self._schema_has_names)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row, or its number."""
        return self._model().predict(self._table(X))

    def predict_interval(self, X: Any, level: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper ends of each row's prediction by the share `level` of the posterior.

        For classifiers the probability of each class, or the score. It needs several posterior samples: 19 for 0.9.
        """
        return self._model().predict_interval(self._table(X), level)

    def score(self, X: Any, y: Any = None) -> float:
        """Accuracy on PUBLIC rows, or R^2 for numbers.

        On private rows it is a release that nothing pays for.
        """
        _misuse.warn_of_score(self, X, getattr(self, "_fitted_on", []))
        return self._score(self._table(X), y)

    def _score(self, table: Table, y: Any) -> float:
        return self._model().score(table, y)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes the model file, for sotto.load() and the command.

        A certified file with other content, or a file of another kind, is replaced only with
        ``overwrite=True``.
        """
        self._model().save(path, overwrite=overwrite)

    @property
    def model_json_(self) -> str:
        """The model file's text."""
        return self._model().json

    def _repr_html_(self) -> str:
        """For notebooks: the settings, and of a fitted model its promise, the budget left and its coefficients."""
        return page_of(self)

    # ---- scikit-learn ----

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")
