/* sotto/train_config.h: the settings of a training, and the words for them.
 *
 * Idea        Everything that is decided before a record is read, beside the schema. What carries
 *             privacy has no default: epsilon, delta, the number of rows.
 * Use         sotto/train.h
 */
#ifndef SOTTO_TRAIN_CONFIG_H
#define SOTTO_TRAIN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>
#include <sotto/progress.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values are part of the ABI: written out and never renumbered. */
typedef enum sotto_model_kind {
    SOTTO_MODEL_UNSET = 0,
    SOTTO_MODEL_LOGISTIC = 1 /* two classes */
} sotto_model_kind;

typedef enum sotto_method {
    SOTTO_METHOD_AUTO = 0, /* chosen from public facts; the result says which and why */
    SOTTO_METHOD_OUTPUT = 1,
    SOTTO_METHOD_OBJECTIVE = 2,
    SOTTO_METHOD_GD = 3,
    SOTTO_METHOD_NONE = 4
} sotto_method;

/* Which theorem fixes the noise of objective perturbation. The others are for comparison. */
typedef enum sotto_calibration {
    SOTTO_CALIBRATION_SHARP =
        0, /* the determinant costs nothing: src/learn/erm/objective.md */
    SOTTO_CALIBRATION_CHAUDHURI =
        1, /* Chaudhuri, Monteleoni & Sarwate 2011: pure, replace-one */
    SOTTO_CALIBRATION_KIFER = 2,  /* Kifer, Smith & Thakurta 2012: add-remove */
    SOTTO_CALIBRATION_REDBERG = 3 /* Redberg, Koskela & Wang 2023: add-remove, Gaussian */
} sotto_calibration;

/* Start from sotto_train_defaults(). Texts are borrowed for the call. */
typedef struct sotto_train_config {
    sotto_model_kind model;        /* has no default */
    sotto_method method;           /* default auto */
    sotto_calibration calibration; /* of objective perturbation */
    double epsilon;                /* of the whole training; has no default */
    double delta;                  /* SOTTO_UNSET: pure methods only */
    sotto_adjacency adjacency;     /* default SOTTO_ADD_REMOVE */
    uint64_t public_n; /* rows, declared public; needs replace-one; 0: not said */
    uint64_t
        expected_rows;  /* a public guess, never compared with the data; 0: not said */
    const char *target; /* column; NULL: the schema's */
    double
        lambda; /* of (lambda/2)|theta|^2 beside the SUM of losses; SOTTO_UNSET: the rule */
    bool
        lambda_theory; /* output: the lambda that is optimal in theory; needs expected_rows */
    uint64_t steps;       /* gd; 0: the rule */
    double learning_rate; /* gd, in units of 1/smoothness; SOTTO_UNSET: the rule */
    bool data_is_public;  /* needed by, and only for, SOTTO_METHOD_NONE */
    const char *ledger;   /* NULL: the schema's */
    const char *output;   /* model file to write, replaced in one stroke; NULL: none */
    bool insecure_test;   /* noise from `test_seed`: the certificate says NOT PRIVATE */
    uint64_t test_seed;
    size_t threads; /* 0: one per CPU; the result is the same for any number */
    sotto_progress_function progress; /* NULL: none */
    void *progress_context;
} sotto_train_config;

/* Nothing that carries privacy is set but the adjacency, SOTTO_ADD_REMOVE. */
SOTTO_API sotto_train_config sotto_train_defaults(void);

/* "logistic", "objective", ... as the command line and the model file spell them; "unknown" for
 * other values; and the values behind such names. */
SOTTO_API const char *sotto_model_kind_name(sotto_model_kind kind);
SOTTO_API const char *sotto_method_name(sotto_method method);
SOTTO_API const char *sotto_calibration_name(sotto_calibration calibration);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_kind_from_name(const char *name,
                                                                   sotto_model_kind *out,
                                                                   sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_method_from_name(const char *name,
                                                               sotto_method *out,
                                                               sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_calibration_from_name(const char *name, sotto_calibration *out, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
