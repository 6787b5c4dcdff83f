/* The pairs, model by model and method by method: docs/howto/audit.md lists the bound
 * that each attains. */
#include <math.h>

#include "base/error.h"
#include "commands/audit/pairs/parts.h"

/* ---- the table ---- */

typedef void (*crafter)(sot_study *study);
typedef sotto_status (*careful_crafter)(sot_study *study, sotto_error *error);

static const struct {
    sotto_method method;
    unsigned models;
    bool replaces;             /* replace-one only */
    unsigned transcripts;      /* models whose steps are audited too */
    crafter craft;             /* or */
    careful_crafter calibrate; /* which may fail */
} crafters[] = {
    {SOTTO_METHOD_OUTPUT, SOT_PAIR_STRAIGHT | SOT_PAIR_CURVED | SOT_PAIR_HINGE, false, 0,
     sot_craft_minimiser, NULL},
    {SOTTO_METHOD_OBJECTIVE, SOT_PAIR_STRAIGHT | SOT_PAIR_CURVED, false, 0,
     sot_craft_objective, NULL},
    {SOTTO_METHOD_GD, SOT_PAIR_STRAIGHT | SOT_PAIR_CURVED | SOT_PAIR_HINGE, false,
     SOT_PAIR_MARGINS, sot_craft_descent, NULL},
    {SOTTO_METHOD_SGD, SOT_PAIR_STRAIGHT | SOT_PAIR_CURVED | SOT_PAIR_HINGE, false, 0,
     sot_craft_stochastic, NULL},
    {SOTTO_METHOD_SGD, SOT_PAIR_NETWORK, false, SOT_PAIR_NETWORK, sot_craft_network,
     NULL},
    {SOTTO_METHOD_NEWTON, SOT_PAIR_LOGISTIC, false, 0, sot_craft_newton, NULL},
    {SOTTO_METHOD_STATISTICS, SOT_PAIR_LINES, false, 0, sot_craft_moments, NULL},
    {SOTTO_METHOD_ADASSP, SOT_PAIR_LINES, false, 0, sot_craft_adassp, NULL},
    {SOTTO_METHOD_PERMUTATION_SGD, SOT_PAIR_STRAIGHT | SOT_PAIR_CURVED, true, 0,
     sot_craft_passes, NULL},
    {SOTTO_METHOD_GD_OUTPUT, SOT_PAIR_STRAIGHT | SOT_PAIR_CURVED, true, 0,
     sot_craft_stable, NULL},
    {SOTTO_METHOD_FRANK_WOLFE, SOT_PAIR_STRAIGHT, false, 0, sot_craft_corners, NULL},
    {SOTTO_METHOD_POSTERIOR, SOT_PAIR_STRAIGHT | SOT_PAIR_CURVED, false, 0, NULL,
     sot_craft_posterior},
    {SOTTO_METHOD_REGULARIZED_EM, SOT_PAIR_STRAIGHT | SOT_PAIR_CURVED, false, 0,
     sot_craft_mechanism, NULL},
    {SOTTO_METHOD_EXPONENTIAL, SOT_PAIR_CONCEPT, false, 0, sot_craft_concept, NULL},
    {SOTTO_METHOD_PERMUTE_AND_FLIP, SOT_PAIR_CONCEPT, false, 0, sot_craft_concept, NULL},
    {SOTTO_METHOD_LAPLACE, SOT_PAIR_CONCEPT, false, 0, sot_craft_counts, NULL},
};
enum { CRAFTERS = sizeof crafters / sizeof crafters[0] };

/* Where the record must move a choice or a distribution by a small epsilon, 1/epsilon rows or its square oppose it. */
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
                    "`epsilon` is %g, and the pair for the method %s would have %zu "
                    "rows; audit a larger epsilon, for example `epsilon=6`",
                    config->epsilon, sotto_method_name(config->method), rows);
}

static sotto_status find_crafter(const sotto_audit_config *config, size_t *out_index,
                                 sotto_error *error)
{
    const unsigned group = sot_pair_group(config->model);
    if (config->epsilon < epsilon_least) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "`epsilon` is %g, too small for any attack to show; audit at "
                        "least %g: a bug does not depend on it",
                        config->epsilon, epsilon_least);
    }
    for (size_t i = 0; i < CRAFTERS; i++) {
        *out_index = i;
        if (crafters[i].method == config->method && (crafters[i].models & group) != 0)
            return SOTTO_OK;
    }
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "no pair of neighbours is crafted for the model %s by the method %s; "
                    "docs/howto/audit.md lists the pairs",
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
    const unsigned group = sot_pair_group(config->model);
    if (config->transcript && (crafters[index].transcripts & group) == 0) {
        return sot_fail(
            error, SOTTO_UNSUPPORTED,
            "`transcript` needs `model=svm` with `method=gd`, or `model=network` with "
            "`method=sgd`, not %s by %s; leave `transcript` out",
            sotto_model_kind_name(config->model), sotto_method_name(config->method));
    }
    if (crafters[index].calibrate != NULL)
        status = crafters[index].calibrate(out_study, error);
    else if (config->transcript)
        sot_craft_transcript(out_study);
    else
        crafters[index].craft(out_study);
    return status == SOTTO_OK ? check_rows(config, out_study, error) : status;
}
