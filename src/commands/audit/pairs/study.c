/* The pairs, model by model and method by method: docs/howto/audit.md says what each attains. */
#include <math.h>

#include "base/error.h"
#include "commands/audit/pairs/parts.h"

/* ---- the table ---- */

typedef void (*crafter)(sot_study *study);
typedef sotto_status (*careful_crafter)(sot_study *study, sotto_error *error);

enum {
    MARGINS = 1,
    LINES = 2,
    LOGISTIC = 4,
    NETWORK = 8,
    CONCEPT = 16,
    HINGE = 32,
    POISSON = 64,
    SOFTMAX = 128,
    STRAIGHT = MARGINS | LINES | POISSON, /* smooth, with a linear part */
    CURVED = LOGISTIC | SOFTMAX
};

static const struct {
    sotto_method method;
    unsigned models;
    bool replaces;             /* replace-one alone */
    crafter craft;             /* or */
    careful_crafter calibrate; /* which may fail */
} crafters[] = {
    {SOTTO_METHOD_OUTPUT, STRAIGHT | CURVED | HINGE, false, sot_craft_minimiser, NULL},
    {SOTTO_METHOD_OBJECTIVE, STRAIGHT | CURVED, false, sot_craft_objective, NULL},
    {SOTTO_METHOD_GD, STRAIGHT | CURVED | HINGE, false, sot_craft_descent, NULL},
    {SOTTO_METHOD_SGD, STRAIGHT | CURVED | HINGE, false, sot_craft_stochastic, NULL},
    {SOTTO_METHOD_SGD, NETWORK, false, sot_craft_network, NULL},
    {SOTTO_METHOD_NEWTON, LOGISTIC, false, sot_craft_newton, NULL},
    {SOTTO_METHOD_STATISTICS, LINES, false, sot_craft_moments, NULL},
    {SOTTO_METHOD_ADASSP, LINES, false, sot_craft_moments, NULL},
    {SOTTO_METHOD_PERMUTATION_SGD, STRAIGHT | CURVED, true, sot_craft_stable, NULL},
    {SOTTO_METHOD_GD_OUTPUT, STRAIGHT | CURVED, true, sot_craft_stable, NULL},
    {SOTTO_METHOD_FRANK_WOLFE, STRAIGHT, false, sot_craft_corners, NULL},
    {SOTTO_METHOD_POSTERIOR, STRAIGHT | CURVED, false, NULL, sot_craft_posterior},
    {SOTTO_METHOD_REGULARIZED_EM, STRAIGHT | CURVED, false, sot_craft_mechanism, NULL},
    {SOTTO_METHOD_EXPONENTIAL, CONCEPT, false, sot_craft_concept, NULL},
    {SOTTO_METHOD_PERMUTE_AND_FLIP, CONCEPT, false, sot_craft_concept, NULL},
    {SOTTO_METHOD_LAPLACE, CONCEPT, false, sot_craft_counts, NULL},
};
enum { CRAFTERS = sizeof crafters / sizeof crafters[0] };

static unsigned group_of(sotto_model_kind model)
{
    switch (model) {
    case SOTTO_MODEL_SVM:
        return MARGINS;
    case SOTTO_MODEL_HINGE:
        return HINGE;
    case SOTTO_MODEL_LINEAR:
    case SOTTO_MODEL_HUBER:
        return LINES;
    case SOTTO_MODEL_LOGISTIC:
        return LOGISTIC;
    case SOTTO_MODEL_NETWORK:
        return NETWORK;
    case SOTTO_MODEL_CONCEPT:
        return CONCEPT;
    case SOTTO_MODEL_SOFTMAX:
        return SOFTMAX;
    case SOTTO_MODEL_POISSON:
        return POISSON;
    case SOTTO_MODEL_UNSET:
    case SOTTO_MODEL_CUSTOM:
        break;
    }
    return 0;
}

/* Where the record must move a choice or a law by a small epsilon, the rows that oppose it are as many as 1/epsilon or its square. */
static const double epsilon_least = 1e-6;
enum { ROWS_MOST = 100000 };

static sotto_status check_rows(const sotto_audit_config *config, const sot_study *study,
                               sotto_error *error)
{
    size_t rows = 0;
    for (size_t i = 0; i < study->groups; i++)
        rows += study->base[i].copies;
    if (rows <= ROWS_MOST) return SOTTO_OK;
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "epsilon is %g, and the pair for the method %s would have %zu rows; "
                    "audit a larger one: a mistake does not depend on it",
                    config->epsilon, sotto_method_name(config->method), rows);
}

static sotto_status find_crafter(const sotto_audit_config *config, size_t *out_index,
                                 sotto_error *error)
{
    const unsigned group = group_of(config->model);
    if (config->epsilon < epsilon_least) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "epsilon is %g, which no attack would see; audit one of at least "
                        "%g: a mistake does not depend on it",
                        config->epsilon, epsilon_least);
    }
    for (size_t i = 0; i < CRAFTERS; i++) {
        *out_index = i;
        if (crafters[i].method == config->method && (crafters[i].models & group) != 0)
            return SOTTO_OK;
    }
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "no pair of neighbours is crafted for the model %s by the method %s; "
                    "docs/howto/audit.md lists those that are",
                    sotto_model_kind_name(config->model),
                    sotto_method_name(config->method));
}

sotto_status sot_study_craft(const sotto_audit_config *config, sot_study *out_study,
                             sotto_error *error)
{
    size_t index;
    sotto_status status = find_crafter(config, &index, error);
    if (status != SOTTO_OK) return status;
    *out_study =
        (sot_study){.aim = isnan(config->delta) ? SOTTO_AIM_EPSILON : SOTTO_AIM_MU};
    sotto_train_config *train = &out_study->config;
    *train = sotto_train_defaults();
    train->model = config->model;
    train->method = config->method;
    train->epsilon = config->epsilon;
    train->delta = config->delta;
    train->adjacency = crafters[index].replaces ? SOTTO_REPLACE_ONE : config->adjacency;
    train->threads = 1;
    const bool steps =
        (config->method == SOTTO_METHOD_GD && config->model == SOTTO_MODEL_SVM) ||
        (config->method == SOTTO_METHOD_SGD && config->model == SOTTO_MODEL_NETWORK);
    if (config->transcript && !steps) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "a transcript is audited of the model svm by gd and of networks "
                        "by sgd, not of %s by %s; leave it out",
                        sotto_model_kind_name(config->model),
                        sotto_method_name(config->method));
    }
    if (crafters[index].calibrate != NULL)
        status = crafters[index].calibrate(out_study, error);
    else if (config->transcript)
        sot_craft_transcript(out_study);
    else
        crafters[index].craft(out_study);
    return status == SOTTO_OK ? check_rows(config, out_study, error) : status;
}
