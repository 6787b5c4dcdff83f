/* One training under the rules for objective perturbation: the noise that each needs, and the cost of several such trainings. */
#include <math.h>

#include "base/error.h"
#include "commands/session/session.h"
#include "commands/train/train.h"
#include "methods/kinds.h"
#include "methods/learner.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/objective/objective.h"

static const uint64_t counts[SOTTO_RULE_COUNTS] = {1, 5, 20};

uint64_t sotto_rule_count(size_t index)
{
    return index < SOTTO_RULE_COUNTS ? counts[index] : 0;
}

/* The parts of delta that the claims of several trainings take together; every part gives a bound. */
static const double claim_shares[] = {0.1, 0.3, 0.5, 0.7, 0.9, 0.97};

/* A training by one rule, and the delta at which it is compared. */
typedef struct compared {
    const sotto_training *by_rule;
    sot_objective_law law;
    double delta;
} compared;

/* Lowers `least` to epsilon of `count` trainings, each with `first` beside the correction of the solver's error. */
static sotto_status price(const compared *rule, const sotto_event *first, uint64_t count,
                          double *least, sotto_error *error)
{
    const sotto_training *training = rule->by_rule;
    sotto_plan *plan = NULL;
    sotto_account account;
    sotto_status status =
        sot_plan_new_for(training->config.adjacency, training->schema, &plan, error);
    for (size_t i = 0; i < sotto_plan_size(training->plan) && status == SOTTO_OK; i++) {
        sotto_event event = i == 0 ? *first : *sotto_plan_event(training->plan, i);
        event.count = count;
        status = sotto_plan_add(plan, &event, error);
    }
    if (status == SOTTO_OK)
        status = sotto_account_epsilon_inexact(
            plan, SOTTO_EXACT, rule->delta,
            (double)count * training->learner->sampler_error, &account, error);
    sotto_plan_free(plan);
    if (status == SOTTO_OK) *least = fmin(*least, account.epsilon);
    return status == SOTTO_UNREACHABLE ? SOTTO_OK : status;
}

/* Kifer's Gaussian rule has a claim for every delta:
 * `epsilon^2 sigma^2/L^2 >= 8 log(2/delta) + 4 epsilon` and `epsilon >= 2 rank beta/lambda`.
 * sot_objective_event() checks the claim, so rounding here decides nothing. */
static sotto_status price_kifer(const compared *rule, uint64_t count, double *least,
                                sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    const double ratio = rule->law.sigma / rule->law.record_bound;
    const double square = ratio * ratio;
    const double rank = rule->law.rank > 1 ? (double)rule->law.rank : 1.0;
    for (size_t i = 0; i < sizeof claim_shares / sizeof *claim_shares; i++) {
        sot_objective_law claim = rule->law;
        sotto_event event;
        claim.delta = claim_shares[i] * rule->delta / (double)count;
        const double by_noise =
            (2.0 + sqrt(4.0 + 8.0 * square * log(2.0 / claim.delta))) / square;
        const double by_lambda = 2.0 * rank * claim.smoothness / claim.lambda;
        claim.epsilon = fmax(by_noise, by_lambda) * (1.0 + 1e-12);
        if (status == SOTTO_OK) status = sot_objective_event(&claim, &event, error);
        if (status == SOTTO_OK) status = price(rule, &event, count, least, error);
    }
    return status;
}

/* Redberg's bound is on the loss: at most `c + a^2/2 + a|Z|` in both directions,
 * `c = -log(1 - beta/lambda)`. |Z| is the larger of two Gaussians. So this is an event with two
 * vertices (src/privacy/accounting/objective/objective.md, section 7). */
static sotto_status price_redberg(const compared *rule, uint64_t count, double *least,
                                  sotto_error *error)
{
    const sot_objective_law *law = &rule->law;
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_OBJECTIVE_PERTURBATION;
    event.noise_multiplier = sot_div_down(law->sigma, law->record_bound);
    event.shift = -sot_log1p_down(-sot_div_up(law->smoothness, law->lambda));
    event.atom = event.shift;
    event.vertices = 2;
    return price(rule, &event, count, least, error);
}

static sotto_status price_rule(const compared *rule, uint64_t count, double *out_epsilon,
                               sotto_error *error)
{
    const bool is_gaussian = isnan(rule->law.rate);
    double least = HUGE_VAL;
    sotto_status status =
        price(rule, sotto_plan_event(rule->by_rule->plan, 0), count, &least, error);
    if (status == SOTTO_OK && is_gaussian && rule->law.theorem == SOT_OBJECTIVE_KIFER)
        status = price_kifer(rule, count, &least, error);
    if (status == SOTTO_OK && is_gaussian && rule->law.theorem == SOT_OBJECTIVE_REDBERG)
        status = price_redberg(rule, count, &least, error);
    *out_epsilon = least;
    return status;
}

/* |b| has a Gamma distribution of shape d and scale R/rate under pure noise: E|b|^2/d = (d + 1)
 * (R/rate)^2. */
static double deviation_of(const sot_objective_config *config)
{
    const sot_objective_law *law = &config->law;
    if (isnan(law->rate)) return law->sigma;
    return law->record_bound / law->rate * sqrt((double)config->dimension + 1.0);
}

static sotto_status fill(const compared *rule, sotto_rule *out, sotto_error *error)
{
    const sot_objective_config *config = rule->by_rule->learner->state;
    out->lambda = rule->law.lambda;
    out->sigma = deviation_of(config);
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < SOTTO_RULE_COUNTS && status == SOTTO_OK; i++)
        status = price_rule(rule, counts[i], &out->epsilon[i], error);
    return status;
}

/* Plans the same training by the calibration. Published ones need their own adjacency and
 * noise. */
static sotto_status plan_by_rule(const sotto_training *training,
                                 sotto_calibration calibration,
                                 sotto_training **out_by_rule, sotto_error *error)
{
    const sot_objective_config *planned = training->learner->state;
    const sot_training_inputs inputs = {.center = training->center,
                                        .center_count = training->center_count,
                                        .start = training->start};
    sotto_train_config config = training->config;
    config.method = SOTTO_METHOD_OBJECTIVE;
    config.calibration = calibration;
    config.lambda = planned->law.lambda;
    config.lambda_theory = false;
    if (calibration == SOTTO_CALIBRATION_CHAUDHURI) {
        config.adjacency = SOTTO_REPLACE_ONE;
        config.delta = SOTTO_UNSET;
    }
    return sot_training_plan_with(&config, training->schema,
                                  training->center == NULL ? training->inputs : &inputs,
                                  out_by_rule, error);
}

sotto_status sotto_training_rule(const sotto_training *training,
                                 sotto_calibration calibration, sotto_rule *out_rule,
                                 sotto_error *error)
{
    const unsigned takes = sot_method_row_of(training->method)->takes;
    if ((takes & SOT_TAKES_CALIBRATION) == 0 || training->plan == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`method` is %s, and the comparison is of calibrations of "
                        "objective perturbation; give `method=objective`",
                        sotto_method_name(training->method));
    }
    sotto_training *by_rule = NULL;
    sotto_rule found = {.calibration = calibration,
                        .adjacency = calibration == SOTTO_CALIBRATION_CHAUDHURI
                                         ? SOTTO_REPLACE_ONE
                                         : training->config.adjacency,
                        .is_pure = calibration == SOTTO_CALIBRATION_CHAUDHURI ||
                                   isnan(training->config.delta),
                        .lambda = SOTTO_UNSET,
                        .sigma = SOTTO_UNSET,
                        .epsilon = {SOTTO_UNSET, SOTTO_UNSET, SOTTO_UNSET}};
    sotto_status status = plan_by_rule(training, calibration, &by_rule, &found.reason);
    found.applies = status == SOTTO_OK;
    if (found.applies) {
        const sot_objective_config *config = by_rule->learner->state;
        const compared rule = {by_rule, config->law, training->delta};
        status = fill(&rule, &found, error);
    } else if (status == SOTTO_OUT_OF_MEMORY) {
        return sot_fail(error, status, "%s", found.reason.message);
    } else {
        status = SOTTO_OK;
    }
    sotto_training_free(by_rule);
    if (status == SOTTO_OK) *out_rule = found;
    return status;
}
