"""libsotto through ctypes: the functions of include/sotto/ that the package uses.

They mirror the headers by hand; tests/python/test_layout.py compares them with the headers' own
declarations. The library that is loaded must have the package's version: the two are built and
shipped together.
"""

from __future__ import annotations

import ctypes
import math
import pathlib
from ctypes import (
    POINTER,
    byref,
    c_bool,
    c_char_p,
    c_double,
    c_int,
    c_int64,
    c_size_t,
    c_uint64,
    c_void_p,
)
from typing import Any

from ._errors import Status, error_of
from ._structs import (  # noqa: F401
    CONSTANTS,
    STRUCTS,
    Account,
    Advisory,
    Array,
    AuditBounds,
    AuditConfig,
    AuditCounts,
    AuditSummary,
    AuditVerdict,
    Belief,
    CertificateSummary,
    DataFile,
    DraftConfig,
    Error,
    Evaluation,
    LedgerBalance,
    LedgerConfig,
    LedgerEntry,
    LedgerPreview,
    LedgerRoom,
    LiraFit,
    OneRun,
    PateAgreement,
    PateConfig,
    PateLabelConfig,
    PateStudentConfig,
    PateTeachConfig,
    Progress,
    ProgressFunction,
    Records,
    ReleaseConfig,
    ReleaseValue,
    ReportConfig,
    RocPoint,
    Runs,
    Sparse,
    StartConfig,
    Target,
    TrainConfig,
    TrainingErrors,
    TuneConfig,
    VerifyConfig,
)
from ._version import VERSION

# Name: (result, arguments). Functions that return a sotto_status are called through call().
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "sotto_version": (c_char_p, []),
    "sotto_error_spell": (None, [POINTER(Error), c_int, c_void_p, c_void_p]),
    "sotto_plan_parse": (c_int, [c_char_p, c_size_t, POINTER(c_void_p), POINTER(Error)]),
    "sotto_plan_to_json": (c_int, [c_void_p, POINTER(c_void_p), POINTER(Error)]),
    "sotto_free": (None, [c_void_p]),
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
    "sotto_schema_ledger": (c_char_p, [c_void_p]),
    "sotto_schema_to_json": (c_int, [c_void_p, c_char_p, POINTER(c_void_p), POINTER(Error)]),
    "sotto_arrow_cells": (c_int, [c_void_p, c_void_p, POINTER(Array), POINTER(Error)]),
    "sotto_arrow_free_cells": (None, [POINTER(Array)]),
    "sotto_train_set_defaults": (None, [POINTER(TrainConfig), c_size_t]),
    "sotto_training_plan": (
        c_int, [POINTER(TrainConfig), c_void_p, POINTER(c_void_p), POINTER(Error)]),
    "sotto_training_json": (c_char_p, [c_void_p]),
    "sotto_training_free": (None, [c_void_p]),
    "sotto_train_records": (
        c_int, [POINTER(TrainConfig), c_void_p, POINTER(Records), POINTER(c_void_p),
                POINTER(Error)]),
    "sotto_runs_from_mean": (c_int, [c_int, c_double, c_double, POINTER(Runs), POINTER(Error)]),
    "sotto_runs_law_from_name": (c_int, [c_char_p, POINTER(c_int), POINTER(Error)]),
    "sotto_start_set_defaults": (None, [POINTER(StartConfig), c_size_t, c_size_t]),
    "sotto_start_propose": (
        c_int, [POINTER(StartConfig), POINTER(c_void_p), POINTER(c_void_p), POINTER(c_void_p),
                POINTER(Error)]),
    "sotto_tune_set_defaults": (None, [POINTER(TuneConfig), c_size_t, c_size_t]),
    "sotto_tune_records": (
        c_int, [POINTER(TuneConfig), c_void_p, POINTER(Records), POINTER(c_void_p),
                POINTER(Error)]),
    "sotto_train_json": (c_char_p, [c_void_p]),
    "sotto_train_outcome": (c_int, [c_void_p]),
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
    "sotto_model_curves": (c_int, [c_void_p, POINTER(c_void_p), POINTER(Error)]),
    "sotto_model_export_c": (c_int, [c_void_p, c_char_p, POINTER(c_void_p), POINTER(Error)]),
    "sotto_model_export_sql": (c_int, [c_void_p, c_char_p, POINTER(c_void_p), POINTER(Error)]),
    "sotto_schema_target": (POINTER(Target), [c_void_p]),
    "sotto_account_selection": (
        c_int, [c_void_p, POINTER(Runs), c_double, POINTER(Account), POINTER(Error)]),
    "sotto_tuning_plan": (
        c_int, [POINTER(TuneConfig), c_void_p, POINTER(c_void_p), POINTER(Error)]),
    "sotto_tuning_json": (c_char_p, [c_void_p]),
    "sotto_tuning_free": (None, [c_void_p]),
    "sotto_pate_defaults": (PateConfig, []),
    "sotto_pate_aggregator_from_name": (c_int, [c_char_p, POINTER(c_int), POINTER(Error)]),
    "sotto_pate_touched": (c_uint64, [c_int, c_uint64, c_bool]),
    "sotto_pate_plan": (
        c_int, [POINTER(PateConfig), c_uint64, c_uint64, POINTER(c_void_p), POINTER(Error)]),
    "sotto_pate_answers": (
        c_int, [POINTER(PateConfig), c_uint64, c_double, c_double, POINTER(c_uint64),
                POINTER(Account), POINTER(Error)]),
    "sotto_pate_label_set_defaults": (None, [POINTER(PateLabelConfig), c_size_t]),
    "sotto_pate_label_rows": (
        c_int, [POINTER(PateLabelConfig), c_void_p, POINTER(DataFile), POINTER(c_void_p),
                POINTER(Error)]),
    "sotto_pate_json": (c_char_p, [c_void_p]),
    "sotto_pate_realised_epsilon": (c_double, [c_void_p]),
    "sotto_pate_sensitive_epsilon": (c_double, [c_void_p]),
    "sotto_pate_agreed": (c_bool, [c_void_p, POINTER(PateAgreement)]),
    "sotto_pate_plot": (c_int, [c_void_p, POINTER(c_void_p), POINTER(Error)]),
    "sotto_pate_run_outcome": (c_int, [c_void_p]),
    "sotto_pate_free": (None, [c_void_p]),
    "sotto_audit_rate_lower": (c_double, [c_uint64, c_uint64, c_double]),
    "sotto_audit_rate_upper": (c_double, [c_uint64, c_uint64, c_double]),
    "sotto_audit_bounds_of": (
        c_int, [POINTER(AuditCounts), c_double, c_double, POINTER(AuditBounds), POINTER(Error)]),
    "sotto_audit_split": (
        c_int, [POINTER(c_double), c_size_t, POINTER(c_double), c_size_t, c_int, c_double,
                c_double, POINTER(c_double), POINTER(AuditCounts), POINTER(Error)]),
    "sotto_audit_against_curve": (
        c_int, [POINTER(AuditCounts), c_double, c_void_p, c_void_p, POINTER(AuditVerdict),
                POINTER(Error)]),
    "sotto_curve_new": (
        c_int, [c_void_p, c_int, c_double, c_size_t, POINTER(c_void_p), POINTER(Error)]),
    "sotto_curve_free": (None, [c_void_p]),
    "sotto_audit_one_run_epsilon": (
        c_double, [c_uint64, c_uint64, c_uint64, c_double, c_double]),
    "sotto_audit_one_run_mu": (c_double, [c_uint64, c_uint64, c_uint64, c_double]),
    "sotto_audit_one_run": (
        c_int, [POINTER(c_double), POINTER(c_bool), c_size_t, c_int, c_size_t, c_double, c_double,
                POINTER(OneRun), POINTER(Error)]),
    "sotto_canaries_toss": (
        c_int, [c_size_t, POINTER(c_uint64), POINTER(c_bool), POINTER(Error)]),
    "sotto_lira_fit_of": (
        c_int, [POINTER(c_double), c_size_t, POINTER(LiraFit), POINTER(Error)]),
    "sotto_lira_pooled_deviation": (c_double, [POINTER(LiraFit), c_size_t]),
    "sotto_lira_online": (c_double, [c_double, POINTER(LiraFit), POINTER(LiraFit), c_int]),
    "sotto_lira_offline": (c_double, [c_double, POINTER(LiraFit), c_int]),
    "sotto_roc_new": (
        c_int, [POINTER(c_double), c_size_t, POINTER(c_double), c_size_t, POINTER(c_void_p),
                POINTER(Error)]),
    "sotto_roc_free": (None, [c_void_p]),
    "sotto_roc_size": (c_size_t, [c_void_p]),
    "sotto_roc_points": (POINTER(RocPoint), [c_void_p]),
    "sotto_roc_area": (c_double, [c_void_p]),
    "sotto_roc_advantage": (c_double, [c_void_p]),
    "sotto_audit_set_defaults": (None, [POINTER(AuditConfig), c_size_t]),
    "sotto_audit_learner": (c_int, [POINTER(AuditConfig), POINTER(c_void_p), POINTER(Error)]),
    "sotto_audit_free": (None, [c_void_p]),
    "sotto_audit_found": (POINTER(AuditSummary), [c_void_p]),
    "sotto_audit_pair": (c_char_p, [c_void_p]),
    "sotto_audit_short_of": (c_char_p, [c_void_p]),
    "sotto_audit_sentence": (c_char_p, [c_void_p]),
    "sotto_audit_to_svg": (c_int, [c_void_p, POINTER(c_void_p), POINTER(Error)]),
    "sotto_output_put": (
        c_int, [c_char_p, c_int, c_bool, c_void_p, c_size_t, POINTER(Error)]),
    "sotto_verify_set_defaults": (None, [POINTER(VerifyConfig), c_size_t]),
    "sotto_verify": (
        c_int, [c_char_p, c_size_t, POINTER(VerifyConfig), POINTER(CertificateSummary),
                POINTER(Error)]),
    "sotto_verify_render": (
        c_int, [c_char_p, c_size_t, POINTER(VerifyConfig), c_int, POINTER(c_void_p),
                POINTER(Error)]),
    "sotto_report_set_defaults": (None, [POINTER(ReportConfig), c_size_t]),
    "sotto_report_render": (
        c_int, [c_char_p, c_char_p, c_size_t, POINTER(ReportConfig), POINTER(c_void_p), POINTER(Error)]),
    "sotto_report_render_graded": (
        c_int, [c_char_p, c_char_p, c_size_t, POINTER(ReportConfig), POINTER(c_int), POINTER(c_void_p), POINTER(Error)]),
    "sotto_report_render_ledger": (c_int, [c_char_p, POINTER(c_int), POINTER(c_void_p), POINTER(Error)]),
    "sotto_grade_name": (c_char_p, [c_int]),
    "sotto_ledger_set_defaults": (None, [POINTER(LedgerConfig), c_size_t]),
    "sotto_ledger_init": (c_int, [c_char_p, POINTER(LedgerConfig), POINTER(Error)]),
    "sotto_ledger_open": (c_int, [c_char_p, POINTER(c_void_p), POINTER(Error)]),
    "sotto_ledger_close": (None, [c_void_p]),
    "sotto_ledger_read_balance": (c_int, [c_void_p, POINTER(LedgerBalance), POINTER(Error)]),
    "sotto_ledger_try": (
        c_int, [c_void_p, c_void_p, c_double, c_double, POINTER(LedgerPreview), POINTER(Error)]),
    "sotto_ledger_grant": (c_int, [c_void_p, c_double, c_double, c_char_p, c_void_p, POINTER(Error)]),
    "sotto_ledger_visit": (c_int, [c_void_p, c_void_p, c_void_p, POINTER(Error)]),
    "sotto_ledger_export": (c_int, [c_void_p, c_void_p, c_void_p, POINTER(Error)]),
    "sotto_ledger_check": (c_int, [c_void_p, c_char_p, POINTER(Error)]),
    "sotto_ledger_check_export": (
        c_int, [c_char_p, c_size_t, c_char_p, POINTER(LedgerBalance), POINTER(Error)]),
    "sotto_ledger_account": (c_int, [c_void_p, c_int, POINTER(Account), POINTER(Error)]),
    "sotto_ledger_describe_room": (None, [POINTER(LedgerRoom), c_char_p]),
    "sotto_member_name": (c_char_p, [c_int]),
    "sotto_key_new": (c_int, [c_char_p, c_char_p, c_char_p, POINTER(Error)]),
    "sotto_key_open": (c_int, [c_char_p, POINTER(c_void_p), POINTER(Error)]),
    "sotto_key_close": (None, [c_void_p]),
    "sotto_release_set_defaults": (None, [POINTER(ReleaseConfig), c_size_t]),
    "sotto_release_plan": (c_int, [POINTER(ReleaseConfig), c_void_p, POINTER(c_void_p), POINTER(Error)]),
    "sotto_release_data": (
        c_int, [POINTER(ReleaseConfig), c_void_p, POINTER(DataFile), POINTER(c_void_p), POINTER(Error)]),
    "sotto_release_records": (
        c_int, [POINTER(ReleaseConfig), c_void_p, POINTER(Records), POINTER(c_void_p), POINTER(Error)]),
    "sotto_release_estimate": (c_int, [c_char_p, c_double, POINTER(c_void_p), POINTER(Error)]),
    "sotto_release_free": (None, [c_void_p]),
    "sotto_release_hold": (None, [c_void_p]),
    "sotto_release_outcome": (c_int, [c_void_p]),
    "sotto_release_json": (c_char_p, [c_void_p]),
    "sotto_score_from_name": (c_int, [c_char_p, POINTER(c_int), POINTER(Error)]),
    "sotto_draft_set_defaults": (None, [POINTER(DraftConfig), c_size_t]),
    "sotto_schema_draft": (
        c_int, [POINTER(DraftConfig), POINTER(c_void_p), POINTER(c_void_p), POINTER(Error)]),
    "sotto_schema_describe": (
        c_int, [c_void_p, c_char_p, POINTER(c_void_p), POINTER(c_void_p), POINTER(Error)]),
    "sotto_schema_check_data": (c_int, [c_void_p, POINTER(DataFile), POINTER(Error)]),
    "sotto_owner_check_rows": (
        c_int, [c_void_p, POINTER(DataFile), c_char_p, c_char_p, POINTER(c_void_p), POINTER(c_void_p), POINTER(Error)]),
    "sotto_train_data": (
        c_int, [POINTER(TrainConfig), c_void_p, POINTER(DataFile), POINTER(c_void_p), POINTER(Error)]),
    "sotto_train_hold": (None, [c_void_p]),
    "sotto_training_events": (c_void_p, [c_void_p]),
    "sotto_tune_data": (
        c_int, [POINTER(TuneConfig), c_void_p, POINTER(DataFile), POINTER(c_void_p), POINTER(Error)]),
    "sotto_pate_sharding_from_name": (c_int, [c_char_p, POINTER(c_int), POINTER(Error)]),
    "sotto_pate_teach_set_defaults": (None, [POINTER(PateTeachConfig), c_size_t, c_size_t]),
    "sotto_pate_teach": (
        c_int, [POINTER(PateTeachConfig), c_void_p, POINTER(DataFile), POINTER(c_void_p), POINTER(Error)]),
    "sotto_pate_student_set_defaults": (None, [POINTER(PateStudentConfig), c_size_t, c_size_t]),
    "sotto_pate_student": (
        c_int, [POINTER(PateStudentConfig), POINTER(DataFile), POINTER(c_void_p), POINTER(Error)]),
    "sotto_certificate_advisories": (
        c_int, [c_char_p, c_size_t, POINTER(POINTER(Advisory)), POINTER(c_size_t),
                POINTER(Error)]),
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


UNSET = math.nan  # SOTTO_UNSET
SPELL_ARGUMENT = 2  # sotto_spelling: settings in messages as rate=0.01


def call(name: str, *arguments: Any) -> None:
    """Calls a function that returns a status, and raises SottoError unless it is OK."""
    error = Error()
    raise_unless_ok(getattr(library, name)(*arguments, byref(error)), error)


def message_of(error: Error) -> str:
    """The library's message, with settings spelled as arguments of Python."""
    library.sotto_error_spell(byref(error), SPELL_ARGUMENT, None, None)
    return error.message.decode("utf-8", "replace")


def raise_unless_ok(status: int, error: Error) -> None:
    """Raises the error of a call that has returned a status other than OK."""
    if status != Status.OK:
        raise error_of(status, message_of(error))


def text_of(name: str, *arguments: Any) -> str:
    """The text that a function borrows from its handle."""
    return getattr(library, name)(*arguments).decode("utf-8")


def defaults_of(kind: str, config: Any, *inner: Any) -> Any:
    """The config, filled with the library's defaults; `inner` are the sized structs in it."""
    sizes = [ctypes.sizeof(part) for part in (config, *inner)]
    getattr(library, f"sotto_{kind}_set_defaults")(byref(config), *sizes)
    return config


def owned_text(make: str, *arguments: Any) -> str:
    """The text that a function makes for its caller."""
    return owned_texts(make, 1, *arguments)[0]


def owned_texts(make: str, count: int, *arguments: Any) -> list[str]:
    """The texts that a function makes for its caller."""
    texts = [c_void_p() for _ in range(count)]
    call(make, *arguments, *map(byref, texts))
    try:
        return [ctypes.string_at(text).decode("utf-8") for text in texts]
    finally:
        for text in texts:
            library.sotto_free(text)


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

    def __del__(self) -> None:
        self._free(self.pointer)

    def __reduce__(self) -> tuple[Any, ...]:
        """Refuses: a copy would free the pointer twice. Classes that can be copied override this."""
        raise TypeError(f"{type(self).__name__} cannot be copied or pickled")

