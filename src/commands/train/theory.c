/* The numbers of a training that theory speaks about. */
#include <math.h>

#include "base/error.h"
#include "commands/train/train.h"
#include "methods/convex/erm.h"
#include "privacy/accounting/objective/objective.h"

/* Losses other than the logistic pay for their curvature: the theory of the noise does
 * not apply to them. */
static sotto_status find_objective_least(const sot_learner *learner, double *out,
                                         sotto_error *error)
{
    const sotto_train_config *config = learner->setup.config;
    const sot_empirical_facts *facts = &learner->empirical->facts;
    if (!facts->self_bounding || isnan(config->delta)) return SOTTO_OK;
    sot_objective_law law = sot_erm_objective_law(learner);
    law.theorem = SOT_OBJECTIVE_SHARP;
    return sot_objective_least_lambda(&law, config->epsilon, config->delta, out, error);
}

sotto_status sotto_training_theory(const sotto_training *training,
                                   sotto_theory_setting *out_setting, sotto_error *error)
{
    const sot_learner *learner = training->learner;
    const sotto_train_config *config = &training->config;
    const uint64_t rows = sot_learner_rows(&learner->setup);
    if (training->plan == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`method` is none, which has no privacy budget for the theory; "
                        "choose a private method, for example `method=auto`");
    }
    if (learner->empirical == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`theory` is given, but its bounds are for convex losses, and "
                        "the model %s has none; use %s instead",
                        sotto_model_kind_name(config->model),
                        learner->concept == NULL ? "a forecast on public rows"
                                                 : "the sizes of sotto pac sample-size");
    }
    if (rows == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`expected_rows` is missing: the bounds depend on the number of "
                        "rows; pass `expected_rows=N` (an estimate is fine)");
    }
    sotto_theory_setting setting = sotto_theory_defaults();
    setting.adjacency = config->adjacency;
    setting.epsilon = config->epsilon;
    setting.delta = config->delta;
    setting.rows = (double)rows;
    setting.dimension = (double)learner->empirical->facts.dimension;
    setting.unit_rows = (double)learner->setup.unit_rows;
    setting.lipschitz = learner->empirical->facts.record_bound;
    setting.trace = learner->empirical->facts.trace;
    setting.radius =
        isnan(config->radius) ? sot_learner_norm_guess(learner) : config->radius;
    setting.lambda = config->lambda;
    const sotto_status status =
        find_objective_least(learner, &setting.objective_least, error);
    if (status == SOTTO_OK) *out_setting = setting;
    return status;
}
