#include "privacy/mechanisms/posterior/posterior.h"

#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "privacy/accounting/profile/gaussian.h"
#include "privacy/mechanisms/correction/correction.h"

/* The grid's rounding is at most an eighth of the sampler's distance. For pure releases it is
 * twice as much: the accountant's work grows with the sensitivity in grids, which is then at most
 * 3 d; */
#define GRID_SHARE      0x1p-3
#define GRID_SHARE_PURE 2.0
/* and the ball at most 2^51 grids wide, so that coefficients are exact as doubles. */
#define BALL_GRID 0x1p-51

/* For the rounding of potential() and of the gate tape's differences. */
#define TAPE_TOLERANCE 1e-6

/* Bound on the error of one correction: 2^20 coordinates of 2^-900 each, with a
 * margin. */
#define CORRECTION_ERROR 0x1p-870

/* A calibration leaves this much, relatively, to the rounding of the events. */
#define ROOM 0x1p-40

static bool is_pure(const sot_posterior_law *law)
{
    return isnan(law->lipschitz);
}

sot_posterior_law sot_posterior_law_defaults(void)
{
    return (sot_posterior_law){.draws = 1,
                               .beta = SOTTO_UNSET,
                               .lambda = SOTTO_UNSET,
                               .lipschitz = SOTTO_UNSET,
                               .range = SOTTO_UNSET,
                               .ball = SOTTO_UNSET,
                               .distance = SOTTO_UNSET,
                               .sampler_error = SOTTO_UNSET,
                               .correction_share = SOTTO_UNSET};
}

/* ---- the formulas ---- */

double sot_posterior_mu(double beta, double lambda, double lipschitz)
{
    return sot_div_up(sot_mul_up(beta, lipschitz), sot_sqrt_down(lambda));
}

double sot_gdp_mu_most(double epsilon, double delta)
{
    /* delta(mu) rises with mu: the lower end always satisfies the target, and is
     * returned. */
    double lower = 0.0, upper = 1.0;
    while (upper < 0x1p60 &&
           sot_gaussian_delta((sot_bracket){upper, upper}, epsilon).upper <= delta) {
        lower = upper;
        upper *= 2.0;
    }
    for (int i = 0; i < 1100 && sot_next_up(lower) < upper; i++) {
        /* Below 2^-30 of the upper end by its root: as many steps for a small mu as for a large one. */
        const double middle = lower > 0.0        ? lower + 0.5 * (upper - lower)
                              : upper > 0x1p-300 ? upper * 0x1p-8
                                                 : 0.5 * upper;
        const double cost =
            sot_gaussian_delta((sot_bracket){middle, middle}, epsilon).upper;
        if (cost <= delta)
            lower = middle;
        else
            upper = middle;
    }
    return lower;
}

sotto_status sot_minami_beta(double epsilon, double delta, double lambda,
                             double lipschitz, double *out_beta, sotto_error *error)
{
    if (!(epsilon > 0.0 && epsilon <= 1.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`epsilon` is %g; the proof of Minami's condition covers epsilon "
                        "up to 1; use the Gaussian calibration, which has no limit",
                        epsilon);
    }
    /* 1 + 2 ln(1/delta), rounded up. */
    const double under = sot_sub_up(1.0, 2.0 * sot_log_down(delta));
    *out_beta = sot_mul_down(sot_div_down(epsilon, lipschitz),
                             sot_sqrt_down(sot_div_down(lambda, under)));
    return SOTTO_OK;
}

double sot_minami_tail_beta(double epsilon, double delta, double lambda, double lipschitz)
{
    /* x = sqrt(2 l + 2 epsilon) - sqrt(2 l), l = ln(1/delta), without the cancellation. */
    const double twice = -2.0 * sot_log_down(delta);
    const double under =
        sot_add_up(sot_sqrt_up(sot_add_up(twice, 2.0 * epsilon)), sot_sqrt_up(twice));
    const double x = sot_div_down(2.0 * epsilon, under);
    return sot_div_down(sot_mul_down(x, sot_sqrt_down(lambda)), lipschitz);
}

/* ---- from settings to facts ---- */

static sotto_status check_positive(const char *name, double value, sotto_error *error)
{
    /* The negation catches NaN. */
    if (value > 0.0 && isfinite(value)) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%s is %g; set it to a positive finite number", name, value);
}

/* Checks all fields except those that a calibration fills in or does not need. */
static sotto_status check_law(const sot_posterior_law *law, sotto_error *error)
{
    if (law->dimension == 0 || law->dimension > SOT_COEFFICIENTS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are %zu coefficients; a posterior sample has 1 to %d",
                        law->dimension, (int)SOT_COEFFICIENTS_MAX);
    }
    if (law->draws == 0 || law->draws > SOT_POSTERIOR_DRAWS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`draws` is %llu; ask for 1 to %d posterior samples",
                        (unsigned long long)law->draws, (int)SOT_POSTERIOR_DRAWS_MAX);
    }
    if (isnan(law->lipschitz) == isnan(law->range)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "lipschitz is %g and range %g; set exactly one of them",
                        law->lipschitz, law->range);
    }
    if (!(law->correction_share >= 0x1p-20 && law->correction_share <= 0.5)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "correction_share is %g; set it from 2^-20 to 1/2, for example "
                        "to 2^-10",
                        law->correction_share);
    }
    if (!(law->sampler_error >= 0.0 && law->sampler_error <= 1.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "sampler_error is %g; give the sampler's total variation, from 0 "
                        "to 1",
                        law->sampler_error);
    }
    sotto_status status = check_positive("lambda", law->lambda, error);
    if (status == SOTTO_OK)
        status = check_positive("the ball's radius", law->ball, error);
    if (status != SOTTO_OK) return status;
    return is_pure(law) ? check_positive("range", law->range, error)
                        : check_positive("lipschitz", law->lipschitz, error);
}

static double coefficient_grid(const sot_posterior_law *law)
{
    const double share = is_pure(law) ? GRID_SHARE_PURE : GRID_SHARE;
    const double fine = sot_power_of_two_below(law->distance * share /
                                               sot_sqrt_up((double)law->dimension));
    return fmax(fine, sot_power_of_two_above(law->ball * BALL_GRID));
}

/* The first event. */
static sotto_status exact_event(const sot_posterior_law *law, sot_posterior_facts *facts,
                                sotto_error *error)
{
    sotto_event event = sotto_event_defaults();
    if (is_pure(law)) {
        facts->mu = SOTTO_UNSET;
        facts->epsilon = sot_mul_up(law->beta, law->range);
        event.mechanism = SOTTO_EXPONENTIAL;
        event.epsilon = facts->epsilon;
    } else {
        facts->mu = sot_posterior_mu(law->beta, law->lambda, law->lipschitz);
        facts->epsilon = SOTTO_UNSET;
        event.mechanism = SOTTO_GDP;
        event.mu = facts->mu;
    }
    event.count = law->draws;
    facts->events[0] = event;
    return sot_event_set_purpose(&facts->events[0], law->purpose, error);
}

/* `purpose` is where the second event's lives. */
static sotto_status correction_of(const sot_posterior_law *law,
                                  const sot_posterior_facts *facts,
                                  char purpose[SOTTO_PURPOSE_BYTES],
                                  sot_correction *out_correction, sotto_error *error)
{
    *out_correction = (sot_correction){.adjacency = law->adjacency,
                                       .dimension = law->dimension,
                                       .radius = law->distance,
                                       .grid = facts->grid,
                                       .noise_multiplier = SOTTO_UNSET,
                                       .epsilon = SOTTO_UNSET,
                                       .purpose = purpose};
    if (is_pure(law)) {
        out_correction->epsilon = sot_mul_down(law->correction_share, facts->epsilon);
    } else {
        out_correction->noise_multiplier =
            sot_div_up(1.0, sot_mul_down(law->correction_share, facts->mu));
    }
    return sot_correction_purpose(law->purpose, purpose, error);
}

/* Returns the error of all samples, with a margin for the gate, which adds them one by
 * one and rounds up each time. */
static double total_error(const sot_posterior_law *law)
{
    const double each = sot_add_up(law->sampler_error, CORRECTION_ERROR);
    return sot_widen_up(sot_mul_up((double)law->draws, each), ROOM);
}

sotto_status sot_posterior_derive(const sot_posterior_law *law,
                                  sot_posterior_facts *out_facts, sotto_error *error)
{
    sot_posterior_facts facts = {0};
    sotto_status status = check_law(law, error);
    if (status == SOTTO_OK) status = check_positive("beta", law->beta, error);
    if (status == SOTTO_OK)
        status = check_positive("the sampler's distance", law->distance, error);
    if (status == SOTTO_OK) status = exact_event(law, &facts, error);
    if (status != SOTTO_OK) return status;
    facts.grid = coefficient_grid(law);
    facts.sampler_error = total_error(law);

    char purpose[SOTTO_PURPOSE_BYTES];
    sot_correction correction;
    status = correction_of(law, &facts, purpose, &correction, error);
    if (status == SOTTO_OK)
        status = sot_correction_event(&correction, &facts.events[1], error);
    if (status != SOTTO_OK) return status;
    facts.events[1].count = law->draws;
    *out_facts = facts;
    return SOTTO_OK;
}

/* ---- calibration ---- */

double sot_posterior_pure_delta(double epsilon, double sampler_error)
{
    const double price = sot_mul_up(sot_add_up(1.0, sot_exp_up(epsilon)), sampler_error);
    return fmin(1.0, sot_power_of_two_above(2.0 * price));
}

/* Returns delta without the samplers' cost: (1 + e^epsilon) of their error. A small margin is
 * added, because the accountant's search begins slightly above its epsilon. */
static sotto_status delta_left(const sot_posterior_law *law, double epsilon, double delta,
                               double *out_left, sotto_error *error)
{
    const double factor = sot_add_up(1.0, sot_exp_up(sot_widen_up(epsilon, 0x1p-20)));
    const double price = sot_widen_up(sot_mul_up(factor, total_error(law)), 0x1p-20);
    *out_left = sot_sub_down(delta, price);
    if (*out_left >= 0.5 * delta) return SOTTO_OK;
    return sot_fail(
        error, SOTTO_UNREACHABLE,
        "`epsilon` is %g and `delta` %g, too small for the samplers' total variation of "
        "%g times e^epsilon; give a smaller `epsilon` or a larger `delta`",
        epsilon, delta, total_error(law));
}

sotto_status sot_posterior_calibrate(sot_posterior_law *law, double epsilon, double delta,
                                     double beta_most, sotto_error *error)
{
    sotto_status status = check_law(law, error);
    if (status != SOTTO_OK) return status;
    const double draws = (double)law->draws;
    double beta;
    if (is_pure(law)) {
        assert(delta == 0.0);
        const double shares =
            sot_mul_up(sot_mul_up(draws, law->range), 1.0 + law->correction_share);
        beta = sot_div_down(sot_widen_down(epsilon, ROOM), shares);
    } else {
        double left;
        status = delta_left(law, epsilon, delta, &left, error);
        if (status != SOTTO_OK) return status;
        const double share = law->correction_share;
        const double parts = sot_mul_up(draws, sot_add_up(1.0, share * share));
        const double mu =
            sot_div_down(sot_gdp_mu_most(epsilon, left), sot_sqrt_up(parts));
        beta = sot_div_down(
            sot_mul_down(sot_widen_down(mu, ROOM), sot_sqrt_down(law->lambda)),
            law->lipschitz);
    }
    law->beta = fmin(beta, beta_most);
    return SOTTO_OK;
}

sotto_status sot_posterior_plan(const sot_posterior_law *law, sotto_plan *plan,
                                sotto_error *error)
{
    sot_posterior_facts facts;
    sotto_status status = sot_posterior_derive(law, &facts, error);
    if (status != SOTTO_OK) return status;
    if (sotto_plan_adjacency(plan) != law->adjacency) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the posterior sample protects %s neighbours and the plan %s; "
                        "calibrate it for the plan's",
                        sotto_adjacency_name(law->adjacency),
                        sotto_adjacency_name(sotto_plan_adjacency(plan)));
    }
    status = sotto_plan_add(plan, &facts.events[0], error);
    if (status != SOTTO_OK) return status;
    return sotto_plan_add(plan, &facts.events[1], error);
}

/* ---- the release ---- */

/* The first event: theta, near an exact draw. */
static sotto_status draw(sotto_gate *gate, const sot_posterior_law *law,
                         const sot_posterior_facts *facts,
                         const sot_posterior_problem *problem, double *theta,
                         sotto_error *error)
{
    size_t index = 0;
    sotto_status status = sot_gate_admit(gate, &facts->events[0], &index, error);
    if (status != SOTTO_OK) return status;
    const sot_tape_draw_call call = {
        .index = index,
        .dimension = law->dimension,
        .lipschitz_most = is_pure(law) ? (double)NAN : law->beta * law->lipschitz,
        .range_most = is_pure(law) ? law->beta * law->range : (double)NAN,
        .ball = law->ball,
        .tolerance = TAPE_TOLERANCE,
        .potential = problem->potential,
        .context = problem->context};
    if (!sot_tape_draw(gate, &call, theta)) {
        status = problem->draw(problem->context, sot_gate_rng(gate), theta, error);
        if (status != SOTTO_OK) return status;
    }
    sot_tape_draw_result(gate, &call, theta);
    sot_gate_record(gate, index, law->sampler_error);
    return SOTTO_OK;
}

sotto_status sot_posterior_release(sotto_gate *gate, const sot_posterior_law *law,
                                   const sot_posterior_problem *problem,
                                   int64_t *out_units, sotto_error *error)
{
    sot_posterior_facts facts;
    char purpose[SOTTO_PURPOSE_BYTES];
    sot_correction correction;
    sotto_status status = sot_posterior_derive(law, &facts, error);
    if (status == SOTTO_OK)
        status = correction_of(law, &facts, purpose, &correction, error);
    if (status == SOTTO_OK)
        status = sot_gate_check_adjacency(gate, law->adjacency, error);
    if (status != SOTTO_OK) return status;

    const size_t dimension = law->dimension;
    double *theta = sot_new_array(dimension, sizeof *theta);
    int64_t *units = sot_new_array(dimension, sizeof *units);
    if (theta == NULL || units == NULL) {
        status = sot_fail_memory(error, dimension, sizeof *units);
        goto done;
    }
    status = draw(gate, law, &facts, problem, theta, error);
    if (status != SOTTO_OK) goto done;
    sot_coefficients_round(theta, dimension, facts.grid, units);
    status = sot_correction_release(gate, &correction, units, out_units, error);
done:
    /* Without the noise: the output and theta together reveal the noise, and so more than was paid for. */
    sot_wipe_and_free(theta, dimension * sizeof *theta);
    sot_wipe_and_free(units, dimension * sizeof *units);
    return status;
}
