/* Pairs for methods whose release is a draw. */
#include <math.h>

#include "base/error.h"
#include "commands/audit/pairs/parts.h"

/* 1 over the noise multiplier of one Gaussian release within the budget. */
static sotto_status mu_of(const sotto_train_config *config, double *out_mu,
                          sotto_error *error)
{
    sotto_plan *plan = NULL;
    sotto_event event = sotto_event_defaults();
    sotto_account account;
    double multiplier = 1.0;
    sotto_status status = sotto_plan_new(config->adjacency, &plan, error);
    event.mechanism = SOTTO_GAUSSIAN;
    if (status == SOTTO_OK) status = sotto_plan_add(plan, &event, error);
    if (status == SOTTO_OK)
        status = sotto_account_noise(plan, SOTTO_EXACT, config->epsilon, config->delta,
                                     &multiplier, &account, error);
    *out_mu = 1.0 / multiplier;
    sotto_plan_free(plan);
    return status;
}

/* A small ball bounds the margins, a strong prior keeps the law inside it. */
void sot_craft_mechanism(sot_study *study)
{
    sot_study_on_line(study, 1);
    study->config.lambda = 65536.0;
    study->config.radius = 0.0625;
    study->pair = "one feature in a small ball, a prior that keeps to its middle: the "
                  "record tilts the law by nearly all that its bound allows";
    study->short_of = "the bound is of a gradient at the ball's edge, the law is in its "
                      "middle";
    if (!isnan(study->config.delta)) return;
    /* A pure claim is of the ball's width, which the law must fill: other rows take it to one end, the
     * record to the other. With more of them the normaliser is worth less, and the far end is seen less often: so many are best at some 10^4 runs. */
    const double pull = 1.0 + 2.0 / study->config.epsilon;
    study->base[0].copies = (size_t)ceil(pull);
    study->base[0].x[0] = -pull / ceil(pull);
    study->config.lambda = 32.0;
    study->pair = "one feature in a small ball, a law that fills it: the record makes "
                  "the end of it likelier that the others make rare";
    study->short_of = "the end has a width, and the normaliser takes a part";
}

/* The tilt of a posterior is at most the likelihood's own: the prior follows from the budget, such that the whole likelihood counts. Squared
 * loss in a ball: one feature, rows at 1/32 bend nothing and take the law towards the ball's edge, where the record's gradient is nearly the bound's. */
static void tilt_one_record(sot_study *study, double mu)
{
    const double radius = 4.0, middle = 3.375, length = 0.03125;
    sot_study_on_line(study, 1);
    study->config.radius = radius;
    study->config.lambda = (1.0 + radius) * (1.0 + radius) / (mu * mu);
    const double rows =
        study->config.lambda * middle / (length * (1.0 - length * middle));
    study->base[0] = (sot_study_row){{-length, 0.0}, 1.0, (size_t)rows};
    study->pair =
        "one feature in a ball of radius 4: rows near 0 take the law towards its "
        "edge, where the record's gradient is 4.4 of 5 that are allowed";
    study->short_of = "the bound is of a gradient at the ball's edge, the law is inside";
}

/* Replace-one: the bound is of two records as far from theta's axis as pays, 2 sqrt(1 - a^2) (1 + a radius), on either side. Rows along the axis take the
 * law to the edge; they may bend, for the records move it across. */
static void tilt_two_records(sot_study *study, double mu)
{
    const double radius = 4.0, middle = 3.5, length = 0.2;
    const double aside = (sqrt(1.0 + 8.0 * radius * radius) - 1.0) / (4.0 * radius);
    const double rest = sqrt(1.0 - aside * aside) * (1.0 - 0x1p-20);
    const double bound = 2.0 * rest * (1.0 + aside * radius);
    sot_study_aside(study, 1, length, aside);
    study->config.radius = radius;
    study->config.lambda = bound * bound / (mu * mu);
    const double rows =
        study->config.lambda * middle / (length * (1.0 - length * middle));
    study->base[0].copies = (size_t)rows;
    study->record = (sot_study_row){{aside, -rest}, -1.0, 1};
    study->other = (sot_study_row){{aside, rest}, -1.0, 1};
    study->pair = "two features in a ball of radius 4: rows along the first take the law "
                  "towards its edge, both records pull it aside, against each other";
    study->short_of = "the bound is of a gradient at the ball's edge, the law is inside";
}

/* The largest slope of the loss with the threshold that is set, if it has one. */
static double set_slope(sot_study *study)
{
    if (study->config.model == SOTTO_MODEL_HUBER) return study->config.threshold = 0.25;
    if (study->config.model == SOTTO_MODEL_POISSON) return study->config.threshold = 0.75;
    return 1.0;
}

/* Where slopes are bounded everywhere: short rows take the law far along one axis, but not to the ball's edge, and a record that is aside, on the wrong
 * side, has nearly the largest slope. Lengths are in units of the inverse slope, which the prior's width follows from. One record alone moves the law by
 * mu of its widths towards its own side, where the logistic slope is less: it needs to begin twice as far away. The lambda is one at which the budget, not the
 * whole likelihood, decides. */
static void tilt_aside(sot_study *study, double mu)
{
    const bool replaces = study->config.adjacency == SOTTO_REPLACE_ONE;
    const bool curved = sot_study_is_curved(study);
    const double slope = set_slope(study);
    const double margin = study->config.model == SOTTO_MODEL_POISSON ? 0.1875 : 0.4375;
    const double middle = (curved && !replaces ? 14.0 : 7.0) / slope;
    const double length = margin / middle; /* of rows that are still in the linear part */
    const double pull = curved ? 1.0 / (1.0 + exp(margin)) : slope;
    const double bound = slope * (replaces ? 1.75 : 1.0);
    const double lambda = bound * bound / (mu * mu);
    sot_study_aside(study, (size_t)ceil(lambda * middle / (length * pull)), length, 0.4);
    study->config.lambda = sot_study_of_lambda(study, lambda);
    study->config.radius = 1.5 * middle;
    study->pair =
        "two features in a ball: rows along the first take the law far along it, "
        "the record is on their wrong side and aside of them";
    study->short_of = "aside of the others the record is shorter";
}

sotto_status sot_craft_posterior(sot_study *study, sotto_error *error)
{
    double mu;
    if (isnan(study->config.delta)) {
        return sot_fail(
            error, SOTTO_UNSUPPORTED,
            "no pair of neighbours is crafted for draws without a delta; give "
            "one");
    }
    const sotto_status status = mu_of(&study->config, &mu, error);
    if (status != SOTTO_OK) return status;
    if (study->config.model != SOTTO_MODEL_LINEAR)
        tilt_aside(study, mu);
    else if (study->config.adjacency == SOTTO_REPLACE_ONE)
        tilt_two_records(study, mu);
    else
        tilt_one_record(study, mu);
    return SOTTO_OK;
}
