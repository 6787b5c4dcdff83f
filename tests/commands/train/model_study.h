/* Every model as a run of the tape harness: a table with a target for each, and settings. */
#ifndef SOTTO_TESTS_MODEL_STUDY_H
#define SOTTO_TESTS_MODEL_STUDY_H

#include <math.h>

#include <sotto/loss.h>

#include "train_study.h"

static const char *const model_towns[] = {"Lund", "Ystad", "Kivik", NULL};

static const tape_column model_columns[] = {{"age", 18.0, 90.0, NULL},
                                            {"visits", 0.0, 4.0, NULL},
                                            {"town", 0.0, 0.0, model_towns},
                                            {"smokes", 0.0, 0.0, study_answers}};

static const char model_schema[] =
    "{\"dataset\": \"study-2\", \"columns\": ["
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90},"
    "{\"name\": \"visits\", \"type\": \"number\", \"lower\": 0, \"upper\": 4},"
    "{\"name\": \"town\", \"type\": \"category\", "
    "\"values\": [\"Lund\", \"Ystad\", \"Kivik\"]},"
    "{\"name\": \"smokes\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}";

/* log cosh(u - y): a caller's loss. */
static inline void log_cosh(double margin, double label, void *context,
                            sotto_loss_at *out)
{
    (void)context;
    const double residual = margin - label;
    const double slope = tanh(residual);
    out->value = fabs(residual) + log1p(exp(-2.0 * fabs(residual))) - 0.6931471805599453;
    out->slope = slope;
    out->curvature = 1.0 - slope * slope;
}

static const sotto_loss model_loss = {.name = "log-cosh",
                                      .at = log_cosh,
                                      .slope_most = 1.0,
                                      .curvature_most = 1.0,
                                      .slope_error = 0x1p-50};

static inline const char *model_target(sotto_model_kind model)
{
    switch (model) {
    case SOTTO_MODEL_LINEAR:
    case SOTTO_MODEL_HUBER:
    case SOTTO_MODEL_CUSTOM:
        return "age";
    case SOTTO_MODEL_POISSON:
        return "visits";
    case SOTTO_MODEL_SOFTMAX:
        return "town";
    case SOTTO_MODEL_UNSET:
    case SOTTO_MODEL_LOGISTIC:
    case SOTTO_MODEL_SVM:
    case SOTTO_MODEL_HINGE:
    case SOTTO_MODEL_NETWORK:
    case SOTTO_MODEL_CONCEPT:
    case SOTTO_MODEL_ADDITIVE:
        break;
    }
    return "smokes";
}

static inline bool is_stable_method(sotto_method method)
{
    return method == SOTTO_METHOD_GD_OUTPUT || method == SOTTO_METHOD_PERMUTATION_SGD;
}

static inline sotto_train_config model_config(sotto_model_kind model, sotto_method method,
                                              sotto_adjacency adjacency, double delta)
{
    sotto_train_config config = study_config(method, adjacency, delta);
    config.model = model;
    config.target = model_target(model);
    if (model == SOTTO_MODEL_CUSTOM) config.loss = &model_loss;
    if (method == SOTTO_METHOD_SGD || method == SOTTO_METHOD_FRANK_WOLFE ||
        is_stable_method(method))
        config.steps = 4;
    if (method == SOTTO_METHOD_SGD) {
        config.expected_rows = 8;
        config.batch = 4;
    }
    if (method == SOTTO_METHOD_PERMUTATION_SGD) config.batch = 3;
    return config;
}

static inline train_study model_study_of(sotto_train_config config)
{
    return (train_study){.config = config,
                         .schema = model_schema,
                         .n_is_public = is_stable_method(config.method)};
}

static inline tape_study model_tape_of(train_study *study)
{
    return (tape_study){.run = study_run,
                        .context = study,
                        .columns = model_columns,
                        .column_count = sizeof model_columns / sizeof model_columns[0]};
}

#endif
