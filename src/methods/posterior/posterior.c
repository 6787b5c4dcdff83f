#include "methods/posterior/posterior.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/learner_settings.h"
#include "methods/posterior/parts.h"
#include "models/kinds.h"
#include "models/linear/solver/problem.h"
#include "models/softmax/softmax.h"
#include "privacy/mechanisms/correction/correction.h"

/* Default for MALA. */
#define MALA_STEPS 10000

/* ---- public: settings ---- */

static sotto_status check_numbers(const sotto_train_config *config, sotto_error *error)
{
    if (!isnan(config->lambda) && !(config->lambda >= 1e-12 && config->lambda <= 1e12)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`lambda` is %g; a precision of the coefficients' prior lies from 1e-12 to "
            "1e12; for example `lambda=1`; leave it out for the default",
            config->lambda);
    }
    if (config->draws > SOT_POSTERIOR_DRAWS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`draws` is %llu; ask for 1 to %d posterior samples",
                        (unsigned long long)config->draws, (int)SOT_POSTERIOR_DRAWS_MAX);
    }
    return SOTTO_OK;
}

static sotto_status check_sampler(const sotto_train_config *config, sotto_error *error)
{
    if ((int)config->sampler < (int)SOTTO_SAMPLER_AUTO ||
        (int)config->sampler > (int)SOTTO_SAMPLER_MALA) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the sampler is %d; set it to one of sotto_sampler",
                        (int)config->sampler);
    }
    if (config->sampler == SOTTO_SAMPLER_MALA && !config->data_is_public) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`sampler` is mala, a heuristic without a bound on its distance "
                        "from the posterior; use `sampler=proximal`, or declare the rows "
                        "public with `data_is_public=true`");
    }
    if (config->sampler == SOTTO_SAMPLER_MALA && config->public_constants) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`public_constants` has no meaning for the sampler mala; leave it out");
    }
    if (config->sampler != SOTTO_SAMPLER_MALA && config->steps > 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`steps` has a meaning only for the sampler mala: the others "
                        "take the number that their proof requires; leave `steps` out");
    }
    return SOTTO_OK;
}

/* Checks the settings that need a ball. */
static sotto_status check_ball(const sot_learner_setup *setup, sotto_error *error)
{
    const sotto_train_config *config = setup->config;
    if (!isnan(config->radius) || sot_posterior_is_public(config)) return SOTTO_OK;
    if (sot_posterior_is_pure(config)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`radius` is missing: without a ball the loss of one record is unbounded, "
            "and there is no pure guarantee; give `radius=10`, or a `delta`");
    }
    if (sot_model_row_of(config->model)->is_quadratic && isnan(config->threshold)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`radius` is missing: without a ball the squared loss has unbounded slopes "
            "and no guarantee; give `radius=10`, or a `threshold` for the residuals");
    }
    return SOTTO_OK;
}

static sotto_status check_settings(const sot_learner_setup *setup, sotto_error *error)
{
    const sotto_train_config *config = setup->config;
    sotto_status status = sot_learner_check_settings(
        setup, sot_method_row_of(setup->method)->takes | SOT_TAKES_CONVEX, error);
    if (status == SOTTO_OK) status = check_numbers(config, error);
    if (status == SOTTO_OK) status = check_sampler(config, error);
    if (status == SOTTO_OK) status = check_ball(setup, error);
    if (status == SOTTO_OK && sot_posterior_is_public(config) &&
        setup->method == SOTTO_METHOD_REGULARIZED_EM) {
        status = sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`method` is regularized-em, which takes the weight of the losses from the "
            "budget, and public data has none; give `method=posterior`");
    }
    return status;
}

static sotto_status check_loss(const sot_learner *learner, sotto_error *error)
{
    const sot_loss *loss = learner->empirical->loss;
    if (loss != NULL && !loss->smooth) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the slope of the loss %s jumps, and sampling would take hours; "
                        "use `model=svm`, whose kink is smoothed",
                        loss->name);
    }
    return SOTTO_OK;
}

/* ---- secret: the records ---- */

typedef struct drawing {
    const sot_learner *learner;
    const sot_posterior_state *state;
    sot_potential potential;
    const sot_progress *progress;
    uint64_t draw;
} drawing;

static sotto_status draw(void *context, sotto_rng *rng, double *out_theta,
                         sotto_error *error)
{
    const drawing *at = context;
    const sot_posterior_state *state = at->state;
    const sot_sampler_watch watch = {
        .progress = at->progress, .draw = at->draw, .draws = state->law.draws};
    if (state->config.sampler == SOTTO_SAMPLER_MALA) {
        const uint64_t steps = state->config.steps > 0 ? state->config.steps : MALA_STEPS;
        return sot_mala_draw(&at->potential, steps, rng, &watch, out_theta, error);
    }
    return sot_sampler_draw(&state->plan, &at->potential, rng, &watch, out_theta, NULL,
                            error);
}

/* Only for the gate tape: beta times the sum of losses; the rest of the potential does not depend
 * on records. The problems need a positive lambda: 2^-900 is negligible. */
static bool potential_of(const void *context, const double *theta, double *out_value,
                         double *out_gradient)
{
    const drawing *at = context;
    const sot_potential *potential = &at->potential;
    const size_t dimension = at->state->law.dimension;
    sotto_status status;
    if (potential->loss != NULL) {
        const sot_glm glm = {
            .matrix = potential->matrix, .loss = potential->loss, .lambda = 0x1p-900};
        status = sot_glm_value(&glm, theta, out_value, out_gradient, NULL);
    } else {
        const sot_softmax softmax = {.matrix = potential->matrix,
                                     .classes = potential->classes,
                                     .lambda = 0x1p-900};
        status = sot_softmax_value(&softmax, theta, out_value, out_gradient, NULL);
    }
    *out_value *= potential->beta;
    for (size_t i = 0; i < dimension; i++)
        out_gradient[i] *= potential->beta;
    return status == SOTTO_OK;
}

static sot_potential potential_for(const sot_learner *learner,
                                   const sot_posterior_state *state,
                                   const sot_matrix *matrix, sot_pool *pool)
{
    const sot_empirical *empirical = learner->empirical;
    return (sot_potential){.matrix = matrix,
                           .loss = empirical->loss,
                           .classes =
                               empirical->loss == NULL ? empirical->facts.outputs : 0,
                           .beta = state->law.beta,
                           .lambda = state->law.lambda,
                           .center = learner->setup.center,
                           .radius = state->law.ball,
                           .pool = pool};
}

/* Public rows: no gate, and generator of its own. */
static sotto_status draw_public(drawing *at, double *theta, sotto_error *error)
{
    const sotto_train_config *config = &at->state->config;
    const size_t dimension = at->state->law.dimension;
    sotto_rng *rng = NULL;
    sotto_status status = config->insecure_test
                              ? sotto_rng_new_for_test(config->test_seed, &rng, error)
                              : sotto_rng_new(&rng, error);
    for (uint64_t i = 0; status == SOTTO_OK && i < at->state->law.draws; i++) {
        at->draw = i;
        status = draw(at, rng, theta + i * dimension, error);
    }
    for (size_t i = 0; status == SOTTO_OK && i < at->state->law.draws * dimension; i++)
        theta[i] = nearbyint(theta[i] / at->learner->grid) * at->learner->grid;
    sotto_rng_free(rng);
    return status;
}

static sotto_status learn(const sot_learner *learner, sotto_gate *gate, sot_table *table,
                          sot_pool *pool, double *out_theta, sotto_error *error)
{
    const sot_posterior_state *state = learner->state;
    const sotto_train_config *settings = learner->setup.config;
    const size_t dimension = state->law.dimension;
    const sot_progress progress =
        sot_progress_begin(settings->progress, settings->progress_context);
    drawing at = {.learner = learner,
                  .state = state,
                  .potential =
                      potential_for(learner, state, sot_table_matrix(table), pool),
                  .progress = &progress};
    if (sot_posterior_is_public(settings)) return draw_public(&at, out_theta, error);
    if (at.potential.matrix->rows > state->plan.facts.rows_most) {
        /* As with 2^32 rows of any table: it is the wrong one. */
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the data have more rows than the %llu that a posterior sample "
                        "is planned for; use another method",
                        (unsigned long long)state->plan.facts.rows_most);
    }
    const sot_posterior_problem problem = {
        .context = &at, .draw = draw, .potential = potential_of};
    int64_t *units = sot_new_array(dimension, sizeof *units);
    if (units == NULL) return sot_fail_memory(error, dimension, sizeof *units);
    sotto_status status = SOTTO_OK;
    for (uint64_t i = 0; status == SOTTO_OK && i < state->law.draws; i++) {
        at.draw = i;
        status = sot_posterior_release(gate, &state->law, &problem, units, error);
        if (status == SOTTO_OK)
            sot_coefficients_from_units(units, dimension, learner->grid,
                                        out_theta + i * dimension);
    }
    sot_free(units); /* released */
    return status;
}

/* ---- public: the whole ---- */

static sotto_status make(sot_learner *learner, sotto_error *error)
{
    sotto_status status = sot_empirical_new(&learner->setup, &learner->empirical, error);
    if (status == SOTTO_OK) status = check_loss(learner, error);
    if (status != SOTTO_OK) return status;
    const uint64_t draws = learner->setup.config->draws;
    learner->outputs = learner->empirical->facts.outputs;
    learner->draws = draws > 0 ? draws : 1;
    learner->learn = learn;
    status = sot_posterior_make_law(learner, error);
    if (status == SOTTO_OK) sot_posterior_describe(learner);
    return status;
}

sotto_status sot_posterior_new(const sot_learner_setup *setup, sot_learner **out_learner,
                               sotto_error *error)
{
    sotto_status status = check_settings(setup, error);
    if (status != SOTTO_OK) return status;
    sot_learner *learner = sot_learner_new(setup);
    sot_posterior_state *state = sot_new_array(1, sizeof *state);
    if (learner == NULL || state == NULL) {
        status = sot_fail_memory(error, 1, sizeof *learner + sizeof *state);
        sot_learner_free(learner);
        sot_free(state);
        return status;
    }
    state->config = *setup->config;
    double *threshold = &state->config.threshold;
    if (sot_model_row_of(setup->config->model)->is_quadratic && isnan(*threshold)) {
        *threshold = sot_posterior_plain_threshold(setup);
        if (isnan(*threshold) && sot_posterior_is_public(setup->config))
            *threshold = SOT_LARGEST_RESIDUAL; /* there is no noise to shrink */
    }
    learner->setup.config = &state->config;
    learner->state = state;
    status = make(learner, error);
    if (status != SOTTO_OK) {
        sot_learner_free(learner);
        return status;
    }
    *out_learner = learner;
    return SOTTO_OK;
}
