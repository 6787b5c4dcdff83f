"""The structs and constants of include/sotto/ that the package uses, mirrored by hand.

tests/python/test_layout.py compares every size, offset and value with the C compiler's.
"""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
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
        ("asks_only", c_int),
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


class Sparse(Structure):
    """sotto_sparse"""

    _fields_ = [("starts", Array), ("indices", Array), ("values", Array)]


class Records(Structure):
    """sotto_records"""

    _fields_ = [("features", Array), ("labels", Array), ("units", Array), ("selected", c_bool),
                ("declared", c_bool), ("stream", c_void_p), ("in_memory", c_bool),
                ("sparse", POINTER(Sparse))]


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
        ("sign", c_char_p),
        ("again", c_bool),
        ("overwrite", c_bool),
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
        ("validation_records", POINTER(Records)),
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


class Target(Structure):
    """sotto_target"""

    _fields_ = [
        ("column", c_char_p),
        ("index", c_size_t),
        ("labels", POINTER(c_char_p)),
        ("codes", POINTER(c_double)),
        ("label_count", c_size_t),
        ("missing", c_size_t),
        ("threshold", c_bool),
        ("above", c_double),
        ("bounded", c_bool),
        ("lower", c_double),
        ("upper", c_double),
        ("missing_number", c_double),
    ]


class PateConfig(Structure):
    """sotto_pate_config"""

    _fields_ = [
        ("aggregator", c_int),
        ("adjacency", c_int),
        ("unit", c_int),
        ("touched", c_uint64),
        ("noise", c_double),
        ("threshold", c_double),
        ("test_noise", c_double),
        ("confidence", c_double),
        ("teachers", c_uint64),
        ("epsilon", c_double),
        ("delta", c_double),
        ("purpose", c_char_p),
    ]


class PateAgreementConfig(Structure):
    """sotto_pate_agreement_config"""

    _fields_ = [("noise", c_double), ("bins", c_uint64)]


class PateAgreement(Structure):
    """sotto_pate_agreement"""

    _fields_ = [
        ("count", c_size_t),
        ("at", c_double * 101),
        ("share", c_double * 101),
        ("deviation", c_double * 101),
        ("mean", c_double),
        ("mean_deviation", c_double),
    ]


class PateLabelConfig(Structure):
    """sotto_pate_label_config"""

    _fields_ = [
        ("vote", PateConfig),
        ("ask", c_uint64),
        ("skip", c_uint64),
        ("answers", c_uint64),
        ("epsilon", c_double),
        ("delta", c_double),
        ("agreement", PateAgreementConfig),
        ("directory", c_char_p),
        ("votes", c_char_p),
        ("vote_array", POINTER(Array)),
        ("vote_labels", c_bool),
        ("student", c_char_p),
        ("ledger", c_char_p),
        ("output", c_char_p),
        ("sign", c_char_p),
        ("again", c_bool),
        ("overwrite", c_bool),
        ("show_sensitive", c_bool),
        ("insecure_test", c_bool),
        ("test_seed", c_uint64),
        ("threads", c_size_t),
    ]


class AuditCounts(Structure):
    """sotto_audit_counts"""

    _fields_ = [
        ("true_positives", c_uint64),
        ("members", c_uint64),
        ("false_positives", c_uint64),
        ("others", c_uint64),
    ]


class AuditBounds(Structure):
    """sotto_audit_bounds"""

    _fields_ = [
        ("true_positive_rate_lower", c_double),
        ("false_positive_rate_upper", c_double),
        ("epsilon_lower_accuse", c_double),
        ("epsilon_lower", c_double),
        ("mu_lower", c_double),
        ("gaussian_epsilon_lower", c_double),
    ]


class AuditVerdict(Structure):
    """sotto_audit_verdict"""

    _fields_ = [
        ("refuted", c_bool),
        ("false_positive_rate_upper", c_double),
        ("false_negative_rate_upper", c_double),
        ("promised", c_double),
    ]


class OneRun(Structure):
    """sotto_one_run"""

    _fields_ = [
        ("canaries", c_uint64),
        ("guesses", c_uint64),
        ("correct", c_uint64),
        ("alpha", c_double),
        ("epsilon_lower", c_double),
        ("mu_guesses", c_uint64),
        ("mu_correct", c_uint64),
        ("mu_lower", c_double),
    ]


class LiraFit(Structure):
    """sotto_lira_fit"""

    _fields_ = [
        ("count", c_size_t),
        ("mean", c_double),
        ("median", c_double),
        ("deviation", c_double),
    ]


class RocPoint(Structure):
    """sotto_roc_point"""

    _fields_ = [
        ("threshold", c_double),
        ("false_positive_rate", c_double),
        ("true_positive_rate", c_double),
    ]


class AuditConfig(Structure):
    """sotto_audit_config"""

    _fields_ = [
        ("model", c_int),
        ("method", c_int),
        ("epsilon", c_double),
        ("delta", c_double),
        ("adjacency", c_int),
        ("transcript", c_bool),
        ("runs", c_uint64),
        ("alpha", c_double),
        ("insecure_test", c_bool),
        ("test_seed", c_uint64),
        ("threads", c_size_t),
        ("progress", ProgressFunction),
        ("progress_context", c_void_p),
    ]


class AuditSummary(Structure):
    """sotto_audit_summary"""

    _fields_ = [
        ("epsilon", c_double),
        ("delta", c_double),
        ("mu", c_double),
        ("adjacency", c_int),
        ("runs", c_uint64),
        ("alpha", c_double),
        ("threshold", c_double),
        ("counts", AuditCounts),
        ("bounds", AuditBounds),
        ("verdict", AuditVerdict),
        ("route", c_int),
        ("epsilon_lower", c_double),
        ("refuted", c_bool),
        ("loss_most", c_double),
        ("delta_seen", c_double),
        ("delta_lower", c_double),
    ]


class Advisory(Structure):
    """sotto_advisory"""

    _fields_ = [
        ("id", c_char_p),
        ("affected", c_char_p),
        ("fixed_in", c_char_p),
        ("affects_privacy", c_bool),
        ("effect", c_char_p),
        ("remedy", c_char_p),
    ]


class VerifyConfig(Structure):
    """sotto_verify_config"""

    _fields_ = [("ledger", c_char_p), ("signed_by", c_char_p), ("curator", c_char_p)]


class Belief(Structure):
    """sotto_belief"""

    _fields_ = [("path", c_char_p), ("meaning", c_char_p)]


class CertificateSummary(Structure):
    """sotto_certificate_summary"""

    _fields_ = [
        ("epsilon", c_double),
        ("delta", c_double),
        ("adjacency", c_int),
        ("is_private", c_bool),
        ("is_verified", c_bool),
        ("is_exact", c_bool),
        ("reason", c_char * 256),
        ("hash", c_char * 65),
        ("advisory_count", c_size_t),
        ("advisories", POINTER(Advisory) * 16),
        ("version", c_int64),
        ("signer", c_char * 65),
        ("believed_count", c_size_t),
        ("believed", POINTER(Belief) * 32),
    ]


STRUCTS = {
    "sotto_error": Error,
    "sotto_account": Account,
    "sotto_progress": Progress,
    "sotto_array": Array,
    "sotto_sparse": Sparse,
    "sotto_records": Records,
    "sotto_train_config": TrainConfig,
    "sotto_runs": Runs,
    "sotto_tune_config": TuneConfig,
    "sotto_training_errors": TrainingErrors,
    "sotto_evaluation": Evaluation,
    "sotto_target": Target,
    "sotto_pate_config": PateConfig,
    "sotto_pate_agreement_config": PateAgreementConfig,
    "sotto_pate_agreement": PateAgreement,
    "sotto_pate_label_config": PateLabelConfig,
    "sotto_audit_counts": AuditCounts,
    "sotto_audit_bounds": AuditBounds,
    "sotto_audit_verdict": AuditVerdict,
    "sotto_one_run": OneRun,
    "sotto_lira_fit": LiraFit,
    "sotto_roc_point": RocPoint,
    "sotto_audit_config": AuditConfig,
    "sotto_audit_summary": AuditSummary,
    "sotto_advisory": Advisory,
    "sotto_belief": Belief,
    "sotto_certificate_summary": CertificateSummary,
    "sotto_verify_config": VerifyConfig,
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
    "SOTTO_OUTPUT_CERTIFIED": 1,
    "SOTTO_CERTIFICATE_TEXT": 1,
    "SOTTO_CERTIFICATE_MARKDOWN": 2,
    "SOTTO_CERTIFICATE_HTML": 3,
    "SOTTO_ADVISORIES_MAX": 16,
    "SOTTO_PATE_RECORDS": 1,
    "SOTTO_PATE_TEACHERS": 2,
    "SOTTO_AIM_MU": 1,
    "SOTTO_AIM_EPSILON": 2,
    "SOTTO_ONE_RUN_FIXED": 1,
    "SOTTO_ONE_RUN_SPLIT": 2,
    "SOTTO_ONE_RUN_UNION": 3,
    "SOTTO_LIRA_MEAN": 1,
    "SOTTO_AUDIT_BY_RATES": 1,
    "SOTTO_AUDIT_BY_MU": 2,
    "SOTTO_AUDIT_BY_NOISE": 3,
}
