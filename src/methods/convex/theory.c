/* Bounds on the excess risk. Proofs: theory.md. */
#include <sotto/theory.h>

#include <math.h>

#include "base/error.h"

sotto_theory_setting sotto_theory_defaults(void)
{
    return (sotto_theory_setting){.epsilon = SOTTO_UNSET,
                                  .delta = SOTTO_UNSET,
                                  .rows = SOTTO_UNSET,
                                  .dimension = SOTTO_UNSET,
                                  .unit_rows = 1.0,
                                  .lipschitz = SOTTO_UNSET,
                                  .trace = SOTTO_UNSET,
                                  .objective_least = SOTTO_UNSET,
                                  .radius = SOTTO_UNSET,
                                  .lambda = SOTTO_UNSET,
                                  .excess = SOTTO_UNSET,
                                  .failure = SOTTO_UNSET};
}

static sotto_status check_positive(const char *name, double value, sotto_error *error)
{
    if (value > 0.0 && isfinite(value)) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT, "%s is %g; give a positive number",
                    name, value);
}

static sotto_status check(const sotto_theory_setting *s, sotto_error *error)
{
    const struct {
        const char *name;
        double value;
    } needed[] = {{"epsilon", s->epsilon},
                  {"the number of rows", s->rows},
                  {"the dimension", s->dimension},
                  {"the rows of a unit", s->unit_rows},
                  {"the Lipschitz bound", s->lipschitz},
                  {"the radius", s->radius}};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        const sotto_status status =
            check_positive(needed[i].name, needed[i].value, error);
        if (status != SOTTO_OK) return status;
    }
    if (!(s->trace > 0.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the trace of a row's Hessian is %g; give a positive bound, "
                        "infinite for a loss with a kink",
                        s->trace);
    }
    if (s->adjacency != SOTTO_ADD_REMOVE && s->adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the adjacency is %d; set it to one of sotto_adjacency",
                        (int)s->adjacency);
    }
    if (!isnan(s->delta) && !(s->delta > 0.0 && s->delta < 1.0)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`delta` is %g; it lies between 0 and 1; for example `delta=1e-6`", s->delta);
    }
    if (!isnan(s->lambda) && !(s->lambda >= 0.0 && isfinite(s->lambda))) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`lambda` is %g; give 0 or a positive weight, or leave it out",
                        s->lambda);
    }
    if (isnan(s->excess)) return SOTTO_OK;
    const sotto_status status = check_positive("the excess", s->excess, error);
    if (status != SOTTO_OK) return status;
    if (s->failure > 0.0 && s->failure < 1.0) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`failure` is %g; the probability lies between 0 and 1; for example "
                    "`failure=0.05`",
                    s->failure);
}

/* mu of the one Gaussian release that costs the budget. */
static sotto_status find_mu(const sotto_theory_setting *s, double *out_mu,
                            sotto_error *error)
{
    sotto_plan *open = NULL;
    sotto_account account;
    double multiplier = SOTTO_UNSET;
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_GAUSSIAN;
    sotto_status status = sotto_plan_new(s->adjacency, &open, error);
    if (status == SOTTO_OK) status = sotto_plan_add(open, &event, error);
    if (status == SOTTO_OK) {
        status = sotto_account_noise(open, SOTTO_EXACT, s->epsilon, s->delta, &multiplier,
                                     &account, error);
    }
    sotto_plan_free(open);
    *out_mu = 1.0 / multiplier;
    return status;
}

/* Lecture 003's sample sizes without their constant, for rows of norm 1 and a 1-Lipschitz loss.
 * In general the excess is in units of L and the norm is D. */
static void fill_orders(const sotto_theory_setting *s, sotto_theory_bounds *out)
{
    const double gamma = s->excess / s->lipschitz;
    const double tail = log(1.0 / s->failure);
    const double d = s->dimension;
    const double budget = sqrt(log(1.0 / s->delta)) / s->epsilon;
    const double printed = d * log(d / s->failure);
    const double corrected = sqrt(d * tail);
    const double larger =
        fmax(s->radius / gamma, s->radius * s->radius / pow(gamma, 1.5));
    out->order_rows_not_private = s->radius * s->radius * tail / (gamma * gamma);
    out->order_rows_printed =
        fmax(out->order_rows_not_private, printed * budget * larger);
    out->order_rows_corrected =
        fmax(out->order_rows_not_private, corrected * budget * larger);
}

/* n times the bound, by noise of norm `deviation`, and the lambda that gives the least of it. */
static double objective_sum(const sotto_theory_setting *s, double deviation,
                            double *out_lambda)
{
    const double lambda = fmax(s->objective_least, deviation / s->radius);
    *out_lambda = lambda;
    return (lambda * s->radius * s->radius + deviation * deviation / lambda) / 2.0;
}

static void fill_objective(const sotto_theory_setting *s, double noise,
                           sotto_theory_bounds *out)
{
    double lambda;
    const double root = sqrt(s->dimension);
    if (isnan(s->objective_least)) return;
    out->objective = objective_sum(s, root * noise, &out->objective_lambda) / s->rows;
    if (isnan(s->excess)) return;
    const double most = root + sqrt(2.0 * log(1.0 / s->failure));
    out->rows_needed = ceil(objective_sum(s, most * noise, &lambda) / s->excess);
}

static void fill_gaussian(const sotto_theory_setting *s, double step,
                          sotto_theory_bounds *out)
{
    const double n = s->rows;
    const double root = sqrt(s->dimension);
    const double noise = step / out->mu; /* of a sum in which a row counts L */
    const double unit = s->radius * root * noise / n;
    out->gradient_convex = sqrt(2.0) * unit;
    out->gradient_steps =
        ceil(n * n * s->lipschitz * s->lipschitz / (s->dimension * noise * noise));
    if (s->lambda > 0.0) {
        const double length = s->lipschitz + s->lambda * s->radius / n;
        out->gradient_strong = 2.0 * n / s->lambda *
                               (length * length / out->gradient_steps +
                                unit * unit / (s->radius * s->radius));
    }
    fill_objective(s, noise, out);
    out->exponential_regularized = sqrt(2.0) * unit;
    if (isfinite(s->trace)) {
        out->output_lambda =
            cbrt(2.0 * n * s->trace * noise * noise / (s->radius * s->radius));
        const double deviation = noise / out->output_lambda;
        out->output = deviation * deviation * s->trace / 2.0 +
                      out->output_lambda * s->radius * s->radius / (2.0 * n);
    }
    if (isnan(s->excess)) return;
    fill_orders(s, out);
}

/* The proof exchanges a row; under add-remove that is one row less and then one more, which costs
 * (2 epsilon, (1 + e^epsilon) delta). */
static double generalization(const sotto_theory_setting *s)
{
    const double delta = isnan(s->delta) ? 0.0 : s->delta;
    return s->adjacency == SOTTO_REPLACE_ONE
               ? expm1(s->epsilon) + delta
               : expm1(2.0 * s->epsilon) + (1.0 + exp(s->epsilon)) * delta;
}

sotto_status sotto_theory_bound(const sotto_theory_setting *setting,
                                sotto_theory_bounds *out_bounds, sotto_error *error)
{
    sotto_theory_bounds found = {SOTTO_UNSET, SOTTO_UNSET, SOTTO_UNSET, SOTTO_UNSET,
                                 SOTTO_UNSET, SOTTO_UNSET, SOTTO_UNSET, SOTTO_UNSET,
                                 SOTTO_UNSET, SOTTO_UNSET, SOTTO_UNSET, SOTTO_UNSET,
                                 SOTTO_UNSET, SOTTO_UNSET, SOTTO_UNSET};
    sotto_status status = check(setting, error);
    if (status == SOTTO_OK && !isnan(setting->delta))
        status = find_mu(setting, &found.mu, error);
    if (status != SOTTO_OK) return status;
    const double step = setting->unit_rows * setting->lipschitz *
                        (setting->adjacency == SOTTO_REPLACE_ONE ? 2.0 : 1.0);
    found.exponential_pure = 2.0 * setting->dimension * step * setting->radius /
                             (setting->rows * setting->epsilon);
    if (setting->unit_rows == 1.0) found.generalization = generalization(setting);
    if (!isnan(found.mu)) fill_gaussian(setting, step, &found);
    *out_bounds = found;
    return SOTTO_OK;
}
