/* Pairs for methods that release a posterior sample. */
#include <math.h>

#include "base/error.h"
#include "commands/audit/pairs/parts.h"
#include "models/kinds.h"

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

/* A small ball bounds the margins, a strong prior keeps the distribution inside it. */
void sot_craft_mechanism(sot_study *study)
{
    sot_study_on_line(study, 1);
    study->config.lambda = 65536.0;
    study->config.radius = 0.0625;
    study->pair = "one feature in a small ball, a prior that keeps to its middle: the "
                  "record changes the distribution by nearly all that its bound allows";
    study->short_of = "the bound is of a gradient at the ball's edge, the distribution "
                      "is in its middle";
    if (!isnan(study->config.delta)) return;
    /* A pure claim is about the ball's width, which the distribution must fill. Other rows take
     * it to one end, the record to the other. With more of them the normaliser matters less, and
     * the far end is seen less often. This number is best at some 10^4 runs. */
    const double pull = 1.0 + 2.0 / study->config.epsilon;
    study->base[0].copies = (size_t)ceil(pull);
    study->base[0].x[0] = -pull / ceil(pull);
    study->config.lambda = 32.0;
    study->pair = "one feature in a small ball, a distribution that fills it: the record "
                  "makes the end of it likelier that the others make rare";
    study->short_of = "the end has a width, and the normaliser takes a part";
}

/* The weight of the likelihood is at most 1: the prior follows from the budget such that the
 * whole likelihood counts. Squared loss in a ball, one feature. Rows at 1/32 add little curvature
 * and take the distribution towards the ball's edge, where the record's gradient is nearly the
 * bound. */
static void tilt_one_record(sot_study *study, double mu)
{
    const double radius = 4.0, middle = 3.375, length = 0.03125;
    sot_study_on_line(study, 1);
    study->config.radius = radius;
    study->config.lambda = (1.0 + radius) * (1.0 + radius) / (mu * mu);
    const double rows =
        study->config.lambda * middle / (length * (1.0 - length * middle));
    study->base[0] = (sot_study_row){{-length, 0.0}, 1.0, (size_t)rows};
    study->pair = "one feature in a ball of radius 4: rows near 0 move the distribution "
                  "to the edge, where the record's gradient is 4.4 (bound: 5)";
    study->short_of = "the bound is that of a gradient at the ball's edge, and the "
                      "distribution is inside";
}

/* Replace-one: two records at the best angle to theta's axis, on either side, attain the bound 2
 * sqrt(1 - a^2) (1 + a radius). Rows along the axis take the distribution to the edge. Their
 * curvature does not matter, because the records move it across. */
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
    study->pair = "two features in a ball of radius 4: rows along the first move the "
                  "distribution to the edge; the records pull it to opposite sides";
    study->short_of = "the bound is that of a gradient at the ball's edge, and the "
                      "distribution is inside";
}

/* The largest slope of the loss with the threshold that is set, if it has one. */
static double set_slope(sot_study *study)
{
    const double threshold = sot_pair_row_of(study)->sample_threshold;
    return threshold > 0.0 ? (study->config.threshold = threshold) : 1.0;
}

/* For slopes bounded everywhere. Short rows take the distribution far along one axis, but not to
 * the ball's edge. A record aside, on the wrong side, has nearly the largest slope. Lengths are
 * in units of the inverse slope, from which the prior's width follows. One record moves the
 * distribution by mu of its widths towards its own side, where the logistic slope is smaller. So
 * it needs to begin twice as far away. With this lambda the budget, not the whole likelihood,
 * decides. */
static void tilt_aside(sot_study *study, double mu)
{
    const bool replaces = study->config.adjacency == SOTTO_REPLACE_ONE;
    const bool curved = sot_study_is_curved(study);
    const double slope = set_slope(study);
    const double margin = sot_pair_row_of(study)->sample_margin;
    const double middle = (curved && !replaces ? 14.0 : 7.0) / slope;
    const double length = margin / middle; /* of rows that are still in the linear part */
    const double pull = curved ? 1.0 / (1.0 + exp(margin)) : slope;
    const double bound = slope * (replaces ? 1.75 : 1.0);
    const double lambda = bound * bound / (mu * mu);
    sot_study_aside(study, (size_t)ceil(lambda * middle / (length * pull)), length, 0.4);
    study->config.lambda = sot_study_of_lambda(study, lambda);
    study->config.radius = 1.5 * middle;
    study->pair = "two features in a ball: rows along the first move the distribution "
                  "far along it; the record is misclassified and off their axis";
    study->short_of = "off the axis of the others the record is shorter";
}

sotto_status sot_craft_posterior(sot_study *study, sotto_error *error)
{
    double mu;
    if (isnan(study->config.delta)) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "no pair of neighbours is crafted for posterior samples without "
                        "a delta; give one, for example `delta=1e-5`");
    }
    const sotto_status status = mu_of(&study->config, &mu, error);
    if (status != SOTTO_OK) return status;
    if (!sot_model_row_of(study->config.model)->is_quadratic)
        tilt_aside(study, mu);
    else if (study->config.adjacency == SOTTO_REPLACE_ONE)
        tilt_two_records(study, mu);
    else
        tilt_one_record(study, mu);
    return SOTTO_OK;
}
