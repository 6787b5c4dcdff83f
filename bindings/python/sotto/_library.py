"""libsotto through ctypes: the structs and functions of include/sotto/ that the package uses.

Everything here mirrors the headers by hand; tests/python/test_layout.py compiles a C program
against them and compares every size, offset and constant, and the declared functions with the
headers' own declarations. The library that is loaded must have the package's version: the two are
built and shipped together.
"""

from __future__ import annotations

import ctypes
import pathlib
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_int,
    c_int64,
    c_size_t,
    c_ssize_t,
    c_uint64,
    c_void_p,
)
from typing import Any

from ._errors import Status, error_of
from ._version import VERSION


class Error(Structure):
    """sotto_error"""

    _fields_ = [("status", c_int), ("message", c_char * 256)]


class Account(Structure):
    """sotto_account"""

    _fields_ = [
        ("epsilon", c_double),
        ("epsilon_lower", c_double),
        ("delta", c_double),
        ("delta_lower", c_double),
        ("order", c_double),
        ("accountant", c_int),
        ("kernel", c_int),
        ("adjacency", c_int),
    ]


class Progress(Structure):
    """sotto_progress"""

    _fields_ = [
        ("step", c_uint64),
        ("steps", c_uint64),
        ("elapsed_seconds", c_double),
        ("epsilon_so_far", c_double),
        ("unit", c_char_p),
    ]


ProgressFunction = CFUNCTYPE(c_int, POINTER(Progress), c_void_p)


class Array(Structure):
    """sotto_array"""

    _fields_ = [
        ("data", c_void_p),
        ("element", c_int),
        ("rows", c_size_t),
        ("columns", c_size_t),
        ("row_stride_bytes", c_ssize_t),
        ("column_stride_bytes", c_ssize_t),
    ]


class Records(Structure):
    """sotto_records"""

    _fields_ = [("features", Array), ("labels", Array), ("units", Array)]


class TrainConfig(Structure):
    """sotto_train_config"""

    _fields_ = [
        ("model", c_int),
        ("method", c_int),
        ("calibration", c_int),
        ("epsilon", c_double),
        ("delta", c_double),
        ("adjacency", c_int),
        ("public_n", c_uint64),
        ("expected_rows", c_uint64),
        ("target", c_char_p),
        ("lambda", c_double),
        ("lambda_theory", c_bool),
        ("steps", c_uint64),
        ("learning_rate", c_double),
        ("width", c_double),
        ("threshold", c_double),
        ("radius", c_double),
        ("l1", c_double),
        ("l1_width", c_double),
        ("prior", c_char_p),
        ("sampling", c_int),
        ("batch", c_uint64),
        ("schedule", c_int),
        ("iterate", c_int),
        ("network", c_char_p),
        ("epochs", c_double),
        ("clipping", c_int),
        ("clip", c_double),
        ("optimizer", c_int),
        ("momentum", c_double),
        ("weight_average", c_double),
        ("augmentations", c_uint64),
        ("init", c_char_p),
        ("freeze", c_char_p),
        ("max_minutes", c_double),
        ("validation", c_char_p),
        ("validation_labels", c_char_p),
        ("concept", c_char_p),
        ("draws", c_uint64),
        ("sampler", c_int),
        ("public_constants", c_bool),
        ("loss", c_void_p),
        ("stream", c_bool),
        ("data_is_public", c_bool),
        ("ledger", c_char_p),
        ("output", c_char_p),
        ("insecure_test", c_bool),
        ("test_seed", c_uint64),
        ("threads", c_size_t),
        ("progress", ProgressFunction),
        ("progress_context", c_void_p),
    ]


class Runs(Structure):
    """sotto_runs"""

    _fields_ = [("law", c_int), ("shape", c_double), ("gamma", c_double), ("mean", c_double)]


class TuneConfig(Structure):
    """sotto_tune_config"""

    _fields_ = [
        ("train", TrainConfig),
        ("grid", c_char_p),
        ("search", c_char_p),
        ("candidates", c_uint64),
        ("search_seed", c_uint64),
        ("runs", Runs),
        ("validation", c_char_p),
        ("validation_labels", c_char_p),
        ("score_epsilon", c_double),
        ("repeats", c_uint64),
    ]


class TrainingErrors(Structure):
    """sotto_training_errors"""

    _fields_ = [("noisy", c_int64), ("scale", c_double), ("upper", c_int64)]


class Evaluation(Structure):
    """sotto_evaluation"""

    _fields_ = [
        ("rows", c_uint64),
        ("accuracy", c_double),
        ("log_loss", c_double),
        ("auc", c_double),
        ("brier", c_double),
        ("classes", c_size_t),
        ("confusion", POINTER(c_uint64)),
        ("mse", c_double),
        ("mae", c_double),
        ("r2", c_double),
        ("deviance", c_double),
    ]


STRUCTS = {
    "sotto_error": Error,
    "sotto_account": Account,
    "sotto_progress": Progress,
    "sotto_array": Array,
    "sotto_records": Records,
    "sotto_train_config": TrainConfig,
    "sotto_runs": Runs,
    "sotto_tune_config": TuneConfig,
    "sotto_evaluation": Evaluation,
}

# Values of the headers that the package writes itself.
CONSTANTS = {
    "SOTTO_FLOAT64": 1,
    "SOTTO_FLOAT32": 2,
    "SOTTO_INT64": 3,
    "SOTTO_INT32": 4,
    "SOTTO_UINT8": 5,
    "SOTTO_PREDICTS_PROBABILITIES": 1,
    "SOTTO_PREDICTS_SCORE": 2,
    "SOTTO_PREDICTS_NUMBER": 3,
    "SOTTO_CERTIFICATE_TEXT": 1,
    "SOTTO_CERTIFICATE_MARKDOWN": 2,
    "SOTTO_CERTIFICATE_HTML": 3,
}

# Name: (result, arguments). Functions that return a sotto_status are called through call().
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "sotto_version": (c_char_p, []),
    "sotto_plan_parse": (c_int, [c_char_p, c_size_t, POINTER(c_void_p), POINTER(Error)]),
    "sotto_plan_to_json": (c_int, [c_void_p, POINTER(c_void_p), POINTER(Error)]),
    "sotto_plan_free_json": (None, [c_void_p]),
    "sotto_plan_free": (None, [c_void_p]),
    "sotto_account_epsilon": (
        c_int, [c_void_p, c_int, c_double, POINTER(Account), POINTER(Error)]),
    "sotto_account_delta": (
        c_int, [c_void_p, c_int, c_double, POINTER(Account), POINTER(Error)]),
    "sotto_account_noise": (
        c_int, [c_void_p, c_int, c_double, c_double, POINTER(c_double), POINTER(Account),
                POINTER(Error)]),
    "sotto_account_steps": (
        c_int, [c_void_p, c_int, c_double, c_double, POINTER(c_uint64), POINTER(Account),
                POINTER(Error)]),
    "sotto_account_rate": (
        c_int, [c_void_p, c_int, c_double, c_double, POINTER(c_double), POINTER(Account),
                POINTER(Error)]),
    "sotto_account_rdp": (c_int, [c_void_p, c_double, POINTER(c_double), POINTER(Error)]),
    "sotto_adjacency_name": (c_char_p, [c_int]),
    "sotto_accountant_name": (c_char_p, [c_int]),
    "sotto_kernel_name": (c_char_p, [c_int]),
    "sotto_accountant_from_name": (c_int, [c_char_p, POINTER(c_int), POINTER(Error)]),
    "sotto_adjacency_from_name": (c_int, [c_char_p, POINTER(c_int), POINTER(Error)]),
    "sotto_model_kind_name": (c_char_p, [c_int]),
    "sotto_model_kind_from_name": (c_int, [c_char_p, POINTER(c_int), POINTER(Error)]),
    "sotto_sampling_from_name": (c_int, [c_char_p, POINTER(c_int), POINTER(Error)]),
    "sotto_schedule_from_name": (c_int, [c_char_p, POINTER(c_int), POINTER(Error)]),
    "sotto_iterate_from_name": (c_int, [c_char_p, POINTER(c_int), POINTER(Error)]),
    "sotto_clipping_from_name": (c_int, [c_char_p, POINTER(c_int), POINTER(Error)]),
    "sotto_optimizer_from_name": (c_int, [c_char_p, POINTER(c_int), POINTER(Error)]),
    "sotto_sampler_from_name": (c_int, [c_char_p, POINTER(c_int), POINTER(Error)]),
    "sotto_method_from_name": (c_int, [c_char_p, POINTER(c_int), POINTER(Error)]),
    "sotto_calibration_from_name": (c_int, [c_char_p, POINTER(c_int), POINTER(Error)]),
    "sotto_schema_parse": (
        c_int, [c_char_p, c_char_p, c_size_t, POINTER(c_void_p), POINTER(Error)]),
    "sotto_schema_load": (c_int, [c_char_p, POINTER(c_void_p), POINTER(Error)]),
    "sotto_schema_free": (None, [c_void_p]),
    "sotto_schema_to_json": (c_int, [c_void_p, c_char_p, POINTER(c_void_p), POINTER(Error)]),
    "sotto_schema_free_text": (None, [c_void_p]),
    "sotto_train_defaults": (TrainConfig, []),
    "sotto_training_plan": (
        c_int, [POINTER(TrainConfig), c_void_p, POINTER(c_void_p), POINTER(Error)]),
    "sotto_training_json": (c_char_p, [c_void_p]),
    "sotto_training_free": (None, [c_void_p]),
    "sotto_train_records": (
        c_int, [POINTER(TrainConfig), c_void_p, POINTER(Records), POINTER(c_void_p),
                POINTER(Error)]),
    "sotto_runs_from_mean": (c_int, [c_int, c_double, c_double, POINTER(Runs), POINTER(Error)]),
    "sotto_runs_law_from_name": (c_int, [c_char_p, POINTER(c_int), POINTER(Error)]),
    "sotto_tune_defaults": (TuneConfig, []),
    "sotto_tune_records": (
        c_int, [POINTER(TuneConfig), c_void_p, POINTER(Records), POINTER(c_void_p),
                POINTER(Error)]),
    "sotto_train_json": (c_char_p, [c_void_p]),
    "sotto_train_free": (None, [c_void_p]),
    "sotto_model_parse": (
        c_int, [c_char_p, c_char_p, c_size_t, POINTER(c_void_p), POINTER(Error)]),
    "sotto_model_free": (None, [c_void_p]),
    "sotto_model_schema": (c_void_p, [c_void_p]),
    "sotto_model_dimension": (c_size_t, [c_void_p]),
    "sotto_model_feature": (c_char_p, [c_void_p, c_size_t]),
    "sotto_model_coefficient": (c_double, [c_void_p, c_size_t]),
    "sotto_model_concept": (c_char_p, [c_void_p, c_char_p, c_size_t]),
    "sotto_model_error_lists": (c_size_t, [c_void_p]),
    "sotto_model_error_count": (c_size_t, [c_void_p, c_size_t]),
    "sotto_model_error_scale": (c_double, [c_void_p, c_size_t]),
    "sotto_model_noisy_errors": (c_int64, [c_void_p, c_size_t, c_size_t]),
    "sotto_model_best_concepts": (
        c_size_t, [c_void_p, c_size_t, c_size_t, POINTER(c_size_t)]),
    "sotto_model_concept_at": (
        c_int, [c_void_p, c_size_t, c_size_t, c_char_p, c_size_t, POINTER(Error)]),
    "sotto_model_training_errors": (
        c_int, [c_void_p, c_double, POINTER(TrainingErrors), POINTER(Error)]),
    "sotto_model_coefficients": (c_size_t, [c_void_p]),
    "sotto_model_draws": (c_size_t, [c_void_p]),
    "sotto_model_draw_coefficient": (c_double, [c_void_p, c_size_t, c_size_t]),
    "sotto_model_classes": (c_size_t, [c_void_p]),
    "sotto_model_class": (c_char_p, [c_void_p, c_size_t]),
    "sotto_model_predict": (
        c_int, [c_void_p, POINTER(Array), POINTER(c_double), POINTER(Error)]),
    "sotto_model_predict_draws": (
        c_int, [c_void_p, POINTER(Array), POINTER(c_double), POINTER(Error)]),
    "sotto_model_predict_interval": (
        c_int, [c_void_p, POINTER(Array), c_double, POINTER(c_double), POINTER(c_double),
                POINTER(c_double), POINTER(Error)]),
    "sotto_model_evaluate_records": (
        c_int, [c_void_p, POINTER(Records), c_double, POINTER(Evaluation), POINTER(Error)]),
    "sotto_model_kind_of": (c_int, [c_void_p]),
    "sotto_model_predicts": (c_int, [c_void_p]),
    "sotto_model_outputs": (c_size_t, [c_void_p]),
    "sotto_model_margins": (c_size_t, [c_void_p]),
    "sotto_evaluation_clear": (None, [POINTER(Evaluation)]),
    "sotto_model_export_c": (c_int, [c_void_p, c_char_p, POINTER(c_void_p), POINTER(Error)]),
    "sotto_model_free_text": (None, [c_void_p]),
    "sotto_certificate_verify": (c_int, [c_char_p, c_size_t, POINTER(Error)]),
    "sotto_certificate_render": (
        c_int, [c_char_p, c_size_t, c_int, POINTER(c_void_p), POINTER(Error)]),
    "sotto_certificate_free_text": (None, [c_void_p]),
}


def _load() -> ctypes.CDLL:
    path = pathlib.Path(__file__).with_name("libsotto.so")
    try:
        loaded = ctypes.CDLL(str(path))
    except OSError as problem:
        raise ImportError(
            f"sotto cannot load its library: {problem}. In a source tree, build first and put "
            "build/dev/python or build/release/python on PYTHONPATH; otherwise install the "
            "package with pip") from problem
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(loaded, name)
        function.restype = result
        function.argtypes = arguments
    version = loaded.sotto_version().decode()
    if version != VERSION:
        raise ImportError(f"{path} is version {version}, but the package is {VERSION}; "
                          "install both from one source")
    return loaded


library = _load()


def call(name: str, *arguments: Any) -> None:
    """Calls a function that returns a status, and raises SottoError unless it is OK."""
    error = Error()
    status = getattr(library, name)(*arguments, byref(error))
    if status != Status.OK:
        raise error_of(status, error.message.decode("utf-8", "replace"))


def text_of(name: str, *arguments: Any) -> str:
    """The text that a function borrows from its handle."""
    return getattr(library, name)(*arguments).decode("utf-8")


def owned_text(make: str, free: str, *arguments: Any) -> str:
    """The text that a function makes for its caller, who frees it with another."""
    text = c_void_p()
    call(make, *arguments, byref(text))
    try:
        return ctypes.string_at(text).decode("utf-8")
    finally:
        getattr(library, free)(text)


def value_of_name(function: str, name: str) -> int:
    """The enum's value behind a name, by the library's own list of names."""
    value = c_int()
    call(function, str(name).encode(), byref(value))
    return value.value


def value_of_form(name: str) -> int:
    """The form of a certificate's page."""
    value = CONSTANTS.get(f"SOTTO_CERTIFICATE_{name.upper()}")
    if value is None:
        raise ValueError(f"form is {name!r}; give 'text', 'markdown' or 'html'")
    return value


class Handle:
    """Owns a pointer of the library, freed with the object."""

    def __init__(self, free: str):
        self._free = getattr(library, free)
        self.pointer = c_void_p()

    def __del__(self):
        self._free(self.pointer)

    def __reduce__(self):
        """A copy would free the pointer twice: who can be copied says how."""
        raise TypeError(f"{type(self).__name__} cannot be copied or pickled")

