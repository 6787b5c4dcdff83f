/* Chooses the method, only from public facts. Measured: bench/bench_erm.c,
 * docs/howto/choosing-parameters.md. */
#include <math.h>

#include "methods/convex/erm.h"
#include "models/kinds.h"

/* Below this epsilon per record the curvature costs Huber's and Poisson's losses too much, and
 * gradient descent, which pays for none, is better. */
#define LOW_EPSILON 1.0

/* The squared loss: below this epsilon too, where the expected rows times epsilon are not fewer
 * than this (docs/results/defaults.md). */
#define SQUARED_EPSILON 0.25
#define SQUARED_ROWS    200.0

/* Calibrations are objective perturbation's. */
static bool may_descend(const sotto_train_config *config)
{
    return !isnan(config->delta) && config->calibration == SOTTO_CALIBRATION_SHARP &&
           (config->public_n > 0 || config->expected_rows > 0);
}

static bool descends_on_squares(const sotto_train_config *config, double steps)
{
    const uint64_t rows = config->public_n > 0 ? config->public_n : config->expected_rows;
    return sot_model_row_of(config->model)->is_quadratic && may_descend(config) &&
           config->epsilon < SQUARED_EPSILON * steps &&
           (double)rows * config->epsilon >= SQUARED_ROWS * steps;
}

sotto_method sot_erm_choose(const sotto_train_config *config, const char **out_why)
{
    const double steps = config->adjacency == SOTTO_REPLACE_ONE ? 2.0 : 1.0;
    if (config->stream) {
        *out_why = "gradient descent reads the rows again for every step, and holds none";
        return SOTTO_METHOD_GD;
    }
    if (!sot_model_is_smooth(config)) {
        *out_why = "the loss has a kink, so that objective perturbation has no proof";
        return may_descend(config) ? SOTTO_METHOD_GD : SOTTO_METHOD_OUTPUT;
    }
    if (sot_model_pays_for_curvature(config) && may_descend(config) &&
        config->epsilon < LOW_EPSILON * steps) {
        *out_why = "for this loss and a small epsilon gradient descent does better than "
                   "objective "
                   "perturbation, which pays for the loss's curvature";
        return SOTTO_METHOD_GD;
    }
    if (descends_on_squares(config, steps)) {
        *out_why = "for squared residuals at a small epsilon, with this number of "
                   "expected rows, "
                   "gradient descent does better than objective perturbation";
        return SOTTO_METHOD_GD;
    }
    *out_why = isnan(config->delta)
                   ? "without a delta objective perturbation is the pure method with the "
                     "least noise"
                   : "for a convex loss with a norm bound objective perturbation needs "
                     "the least noise, and no public number of rows";
    return SOTTO_METHOD_OBJECTIVE;
}
