#include "methods/convex/erm.h"

#include <math.h>

#include "base/error.h"
#include "base/text.h"
#include "methods/convex/empirical_parts.h"
#include "methods/learner_settings.h"
#include "models/kinds.h"

/* The default kink width of the smoothed L1 norm, times R: a coefficient that moves no margin by
 * more than this counts as 0. */
#define L1_WIDTH_RULE 0x1p-7

sot_empirical_terms sot_erm_terms(const sot_learner *learner, double lambda)
{
    const sotto_train_config *config = learner->setup.config;
    sot_empirical_terms terms = {.lambda = lambda, .center = learner->setup.center};
    if (!isnan(config->radius)) terms.radius = config->radius;
    if (config->l1 > 0.0) {
        terms.l1 = config->l1;
        terms.l1_width = isnan(config->l1_width)
                             ? L1_WIDTH_RULE / sot_encoding_bound(learner->setup.encoding)
                             : config->l1_width;
    }
    return terms;
}

double sot_erm_terms_slope(const sot_empirical_terms *terms, size_t index, double theta)
{
    const double center = terms->center == NULL ? 0.0 : terms->center[index];
    const double slope = terms->lambda * (theta - center);
    return terms->l1 > 0.0 ? slope + terms->l1 * theta / hypot(theta, terms->l1_width)
                           : slope;
}

void sot_erm_project(double *theta, size_t count, double radius)
{
    double squares = 0.0;
    if (!(radius > 0.0)) return;
    for (size_t i = 0; i < count; i++)
        squares += theta[i] * theta[i];
    if (squares <= radius * radius) return;
    const double scale = radius / sqrt(squares);
    for (size_t i = 0; i < count; i++)
        theta[i] *= scale;
}

double sot_erm_delta(const sotto_train_config *config)
{
    return isnan(config->delta) ? 0.0 : config->delta;
}

void sot_erm_round(double *theta, size_t count, double grid)
{
    for (size_t i = 0; i < count; i++)
        theta[i] = nearbyint(theta[i] / grid) * grid;
}

/* ---- settings that no rule of the method could honour ---- */

static sotto_status check_numbers(const sotto_train_config *config, bool may_be_zero,
                                  sotto_error *error)
{
    if (config->lambda_theory && !isnan(config->lambda)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`lambda` is %g and also theory; give one of them",
                        config->lambda);
    }
    if (!isnan(config->lambda) &&
        !(config->lambda <= 1e100 &&
          (config->lambda >= 0x1p-300 || (may_be_zero && config->lambda == 0.0)))) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`lambda` is %g; the regulariser's weight lies in (0, 1e100]; "
                        "leave it out for the default, or give for example `lambda=10`",
                        config->lambda);
    }
    if (!(config->l1 >= 0.0 && config->l1 <= 1e100)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`l1` is %g; the weight of the L1 norm lies in [0, 1e100]; for "
                        "example `l1=0.1`",
                        config->l1);
    }
    if (!isnan(config->l1_width) &&
        !(config->l1_width >= 0x1p-100 && config->l1_width <= 0x1p100)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`l1_width` is %g; give a positive width of the smoothed kink, "
                        "or leave it out. The plain L1 norm (width 0) is refused: which "
                        "coefficients it sets to 0 can depend on one record",
                        config->l1_width);
    }
    if (!isnan(config->l1_width) && config->l1 == 0.0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`l1_width` is %g, but there is no L1 norm; give `l1` too, or "
                        "leave `l1_width` out",
                        config->l1_width);
    }
    return SOTTO_OK;
}

static sotto_status check_strangers(const sot_learner_setup *setup, sotto_error *error)
{
    const unsigned taken = sot_method_row_of(setup->method)->takes;
    const sotto_status status =
        sot_learner_check_settings(setup, taken | SOT_TAKES_CONVEX, error);
    if (status != SOTTO_OK) return status;
    return check_numbers(setup->config, (taken & SOT_TAKES_NO_LAMBDA) != 0, error);
}

/* ---- settings that every method shares ---- */

/* The loss as it is, not as the rule behind it is called. Second moments have none of their own. */
static sotto_status describe_loss(sot_learner *learner, sotto_error *error)
{
    sot_loss loss;
    const sot_learner_setup *setup = &learner->setup;
    const sot_model_row *row = sot_model_row_of(setup->config->model);
    if (row->width_why != NULL)
        sot_learner_set(learner, "width", setup->config->width, row->width_why);
    if (!sot_model_has_threshold(setup->config->model,
                                 sot_encoding_role(setup->encoding)) ||
        sot_method_row_of(setup->method)->fits_moments)
        return SOTTO_OK;
    const sotto_status status = sot_erm_loss(setup, &loss, error);
    if (status == SOTTO_OK)
        sot_learner_set(learner, "threshold", loss.slope_most, row->threshold_why);
    return status;
}

/* Frank-Wolfe's ball is its own, of another norm. */
static void describe_terms(sot_learner *learner)
{
    const sot_empirical_terms terms = sot_erm_terms(learner, 0.0);
    if (terms.radius > 0.0 && !sot_method_row_of(learner->setup.method)->own_ball) {
        sot_learner_set(learner, "radius", terms.radius,
                        "of the ball that holds the coefficients");
    }
    if (terms.l1 > 0.0) {
        sot_learner_set(learner, "l1", terms.l1,
                        "weight of the coefficients' smoothed L1 norm");
        sot_learner_set(learner, "l1_width", terms.l1_width, "of its smoothed kink");
    }
    if (terms.center != NULL) {
        double squares = 0.0;
        const size_t columns = sot_encoding_dimension(learner->setup.encoding);
        for (size_t i = 0; i < learner->outputs * columns; i++)
            squares += terms.center[i] * terms.center[i];
        sot_learner_set(learner, "prior_norm", sqrt(squares),
                        "of the prior's coefficients, the centre of the regulariser");
    }
}

typedef sotto_status (*learner_maker)(sot_learner *learner, sotto_error *error);

static const learner_maker makers[] = {
    [SOTTO_METHOD_OUTPUT] = sot_erm_output,
    [SOTTO_METHOD_OBJECTIVE] = sot_erm_objective,
    [SOTTO_METHOD_GD] = sot_erm_gd,
    [SOTTO_METHOD_NONE] = sot_erm_none,
    [SOTTO_METHOD_SGD] = sot_erm_sgd,
    [SOTTO_METHOD_PERMUTATION_SGD] = sot_erm_stable,
    [SOTTO_METHOD_GD_OUTPUT] = sot_erm_stable,
    [SOTTO_METHOD_FRANK_WOLFE] = sot_erm_frank_wolfe,
    [SOTTO_METHOD_STATISTICS] = sot_erm_statistics,
    [SOTTO_METHOD_ADASSP] = sot_erm_adassp,
    [SOTTO_METHOD_NEWTON] = sot_erm_newton,
};
enum { MAKERS = sizeof makers / sizeof makers[0] };

sotto_status sot_erm_new(const sot_learner_setup *setup, sot_learner **out_learner,
                         sotto_error *error)
{
    sotto_status status = check_strangers(setup, error);
    if (status != SOTTO_OK) return status;
    const learner_maker maker =
        (size_t)setup->method < MAKERS ? makers[setup->method] : NULL;
    if (maker == NULL) {
        return sot_fail(error, SOTTO_UNSUPPORTED, "the method %s has no learner",
                        sotto_method_name(setup->method));
    }
    sot_learner *learner = sot_learner_new(setup);
    if (learner == NULL) return sot_fail_memory(error, 1, sizeof *learner);
    status = sot_empirical_new(setup, &learner->empirical, error);
    if (status == SOTTO_OK) {
        learner->outputs = learner->empirical->facts.outputs;
        status = maker(learner, error);
    }
    if (status == SOTTO_OK) status = describe_loss(learner, error);
    if (status == SOTTO_OK) describe_terms(learner);
    if (status != SOTTO_OK) {
        sot_learner_free(learner);
        return status;
    }
    *out_learner = learner;
    return SOTTO_OK;
}
