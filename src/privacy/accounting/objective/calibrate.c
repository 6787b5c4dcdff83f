/* From a privacy target to the noise and lambda. Each result of a search is certified by itself. */
#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "numeric/roots.h"
#include "privacy/accounting/objective/theorems.h"
#include "privacy/accounting/plan/closed_form.h"
#include "privacy/accounting/profile/gaussian.h"

/* The accountant's search for epsilon ends within 4e-15 of the root: aim so much lower. */
static const double epsilon_slack = 1e-12;
/* The rest of delta for the atom and the correction together: objective.md, section 5. */
static const double atom_delta_share = 0x1p-20;
/* ---- targets ---- */

static sotto_status check_target(const sot_objective_law *law, double epsilon,
                                 double delta, sotto_error *error)
{
    if (!(epsilon >= 1e-6 && epsilon <= 1e4)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`epsilon` is %g; it lies from 1e-6 to 1e4; for example `epsilon=1`",
            epsilon);
    }
    if (!(delta == 0.0 || (delta >= 1e-100 && delta <= 0.5))) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`delta` is %g; it lies from 1e-100 to 0.5; for example "
                        "`delta=1e-6`; leave it out for pure noise",
                        delta);
    }
    if (law->theorem == SOT_OBJECTIVE_CHAUDHURI && delta > 0.0) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "`delta` is given, but the calibration chaudhuri is for pure "
                        "noise; leave `delta` out");
    }
    if (law->theorem == SOT_OBJECTIVE_REDBERG && delta == 0.0) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "`delta` is missing: the calibration redberg is for Gaussian "
                        "noise; for example `delta=1e-6`");
    }
    return SOTTO_OK;
}

static double gaussian_excess(double log_mu, void *context)
{
    const sot_objective_target *target = context;
    const double mu = exp(log_mu);
    return sot_gaussian_delta((sot_bracket){mu, mu}, target->epsilon).upper -
           target->delta;
}

double sot_objective_largest_mu(double epsilon, double delta)
{
    sot_objective_target target = {epsilon, delta};
    double lower = log(epsilon), upper = lower;
    while (gaussian_excess(lower, &target) > 0.0)
        lower -= 0.5;
    while (gaussian_excess(upper, &target) <= 0.0)
        upper += 0.5;
    (void)sot_find_root(gaussian_excess, &target, &lower, &upper, 1e-13, 0.0, 250);
    return exp(lower);
}

/* x with Phi(-x) <= tail, from Phi(-x) <= e^{-x^2/2}/2 (x >= 0), rounded up. */
static double tail_reach_upper(double tail)
{
    return sot_sqrt_up(2.0 * sot_log_up(sot_div_up(1.0, tail)));
}

double sot_objective_gap_upper(double mu, double tail)
{
    return sot_mul_up(mu, sot_add_up(tail_reach_upper(tail), 0.5 * mu));
}

/* ---- the least lambda ---- */

static double steps_of(const sot_objective_law *law)
{
    const double rows = (double)law->unit_rows;
    return law->adjacency == SOTTO_REPLACE_ONE ? 2.0 * rows : rows;
}

/* With A of the noise and atom <= epsilon - gap, solved for rho = R^2/lambda. */
static sotto_status sharp_least_lambda(const sot_objective_law *law, double epsilon,
                                       double delta, double *out_lambda,
                                       sotto_error *error)
{
    const double share = SOT_OBJECTIVE_CORRECTION_SHARE;
    const double rows = (double)law->unit_rows;
    const double whole = sot_objective_largest_mu(epsilon * (1.0 - epsilon_slack),
                                                  delta * (1.0 - 2.0 * atom_delta_share));
    const double shift = whole / sqrt(1.0 + share * share);
    /* Half of epsilon when delta is so large that the correction needs less room. */
    const double gap = fmin(
        0.5 * epsilon, sot_objective_gap_upper(share * shift, atom_delta_share * delta));
    const double atom = epsilon - gap;
    const double square = shift / steps_of(law) * (shift / steps_of(law));
    double kappa;
    if (law->adjacency == SOTTO_ADD_REMOVE) {
        kappa = atom / rows - 0.5 * (rows - 1.0) * square;
    } else {
        kappa = atom < rows * (2.0 * rows - 1.0) * square ? -1.0
                                                          : 0.5 * (atom / rows + square);
    }
    if (!(kappa >= 0.0)) {
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "no lambda covers epsilon %g at delta %g; give a smaller `delta`",
                        epsilon, delta);
    }
    /* The relative 1e-9 is for the roundings above. */
    const double determinant = (kappa + 0.5 * square) * (1.0 - 1e-9);
    *out_lambda = law->record_bound * law->record_bound / determinant;
    return SOTTO_OK;
}

double sot_objective_first_epsilon_down(double epsilon, double share)
{
    return sot_mul_down(epsilon, 1.0 - share); /* 1 - share is exact for powers of two */
}

double sot_objective_shared_lambda(const sot_objective_law *law, double epsilon)
{
    const double rank = law->rank > 1 ? (double)law->rank : 1.0;
    const double all = fmin(1.0, SOT_OBJECTIVE_DETERMINANT_SHARE * epsilon);
    const double each = sot_expm1_down(all / ((double)law->unit_rows * rank));
    return sot_div_up(sot_objective_curvature_upper(law), each);
}

sotto_status sot_objective_least_lambda(const sot_objective_law *law, double epsilon,
                                        double delta, double *out_lambda,
                                        sotto_error *error)
{
    const double share = SOT_OBJECTIVE_CORRECTION_SHARE;
    sotto_status status = sot_objective_check_problem(law, error);
    if (status == SOTTO_OK) status = check_target(law, epsilon, delta, error);
    if (status != SOTTO_OK) return status;
    if (sot_objective_states_claim(law, delta == 0.0))
        return sot_objective_named_lambda(law, epsilon, delta, out_lambda, error);
    if (law->theorem != SOT_OBJECTIVE_SHARP) {
        *out_lambda = sot_objective_shared_lambda(law, epsilon);
        return SOTTO_OK;
    }
    if (delta > 0.0) return sharp_least_lambda(law, epsilon, delta, out_lambda, error);
    /* rho <= e, and e is the epsilon of one step: then the determinant is free. */
    const double square = sot_mul_up(law->record_bound, law->record_bound);
    *out_lambda = sot_widen_up(
        square * steps_of(law) / sot_objective_first_epsilon_down(epsilon, share), 1e-12);
    return SOTTO_OK;
}

/* ---- the least noise ---- */

typedef struct noise_search {
    sot_objective_law law;
    double epsilon;
    double delta;
    double share;
} noise_search;

/* The sharp event and its correction, composed: delta at epsilon; 1 if there is no event. */
static double composed_delta_upper(noise_search *search, double sigma)
{
    sotto_event event;
    search->law.sigma = sigma;
    if (sot_objective_event(&search->law, &event, NULL) != SOTTO_OK) return 1.0;
    const double shift = sot_div_up(1.0, event.noise_multiplier);
    /* The caller's own rounding of mu = share * A is far below 1e-12. */
    const double mu = sot_widen_up(sot_mul_up(search->share, shift), 1e-12);
    sot_objective objective = sot_objective_of(&event, search->law.adjacency);
    sot_composition composition = {
        .gaussian_square = {0.0, search->share > 0.0 ? sot_mul_up(mu, mu) : 0.0},
        .objective = &objective,
        .objective_count = 1};
    if (objective.atom == 0.0) {
        composition.objective_count = 0;
        composition.gaussian_square.upper =
            sot_add_up(composition.gaussian_square.upper, sot_mul_up(shift, shift));
    }
    const double removed =
        sot_closed_form_delta(&composition, SOT_REMOVE, search->epsilon).upper;
    /* Logistic loss: an addition costs less. */
    if (objective.signs == 0) return removed;
    const double added =
        sot_closed_form_delta(&composition, SOT_ADD, search->epsilon).upper;
    return fmax(removed, added);
}

static double sigma_excess(double log_sigma, void *context)
{
    noise_search *search = context;
    return composed_delta_upper(search, exp(log_sigma)) - search->delta;
}

static sotto_status refuse_lambda(const sot_objective_law *law, double epsilon,
                                  double delta, sotto_error *error)
{
    double least;
    const sotto_status status =
        sot_objective_least_lambda(law, epsilon, delta, &least, error);
    if (status != SOTTO_OK) return status;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`lambda` is %.10g; epsilon %g at delta %g needs more, for example "
                    "`lambda=%.10g`, with which the determinant costs %s",
                    law->lambda, epsilon, delta, least,
                    law->theorem == SOT_OBJECTIVE_SHARP ? "nothing" : "little");
}

/* Starts at the noise of a Gaussian release of the same sensitivity, which is needed in any case,
 * and strides up: more noise lowers the tail, and the atom grows towards its limit. */
static sotto_status search_sigma(sot_objective_law *law, double epsilon, double delta,
                                 double share, sotto_error *error)
{
    noise_search search = {*law, epsilon * (1.0 - epsilon_slack), delta, share};
    const double whole = sot_objective_largest_mu(search.epsilon, delta);
    const double floor_sigma =
        steps_of(law) * law->record_bound * sqrt(1.0 + share * share) / whole;
    search.law.rate = SOTTO_UNSET;
    double lower = log(floor_sigma * (1.0 - 1e-6));
    double upper = lower;
    double stride = 1e-6;
    while (sigma_excess(upper, &search) > 0.0) {
        lower = upper;
        upper += stride;
        stride *= 1.5;
        if (stride > 30.0) return refuse_lambda(law, epsilon, delta, error);
    }
    if (upper > lower)
        (void)sot_find_root(sigma_excess, &search, &lower, &upper, 1e-10, 0.0, 250);
    law->sigma = exp(upper);
    law->rate = SOTTO_UNSET;
    return SOTTO_OK;
}

/* The smallest floor with the same offset as at law->floor: a distribution with a lower atom and the same
 * tail is better. The offset falls as the floor rises, so that halving finds it. */
static double least_floor(const sot_objective_law *law)
{
    sot_objective_law tried = *law;
    sotto_event event;
    if (sot_objective_event(law, &event, NULL) != SOTTO_OK) return law->floor;
    const sotto_event wanted = event;
    double low = 0.0, high = law->floor;
    for (int i = 0; i < 40; i++) {
        tried.floor = 0.5 * (low + high);
        const bool is_same = sot_objective_event(&tried, &event, NULL) == SOTTO_OK &&
                             event.shift == wanted.shift &&
                             event.vertices == wanted.vertices;
        if (is_same) {
            high = tried.floor;
        } else {
            low = tried.floor;
        }
    }
    return high;
}

/* Two-signed rows that come have two vertices and no determinant, rows that go one and the
 * determinant; with a floor one vertex covers both (vertices.c). Near epsilon, as far
 * below it as the correction needs, the floor costs no noise; whether it pays is tried, and then it
 * is lowered as far as it goes, for the sake of composition with other releases. */
static sotto_status calibrate_sigma(sot_objective_law *law, double epsilon, double delta,
                                    double share, sotto_error *error)
{
    sot_objective_law plain = *law;
    plain.floor = SOTTO_UNSET;
    const sotto_status status = search_sigma(&plain, epsilon, delta, share, error);
    if (status != SOTTO_OK) return status;
    *law = plain;
    if (law->theorem != SOT_OBJECTIVE_VERTICES || law->one_signed || law->classes > 1 ||
        law->adjacency != SOTTO_ADD_REMOVE || sot_objective_is_frozen_margin(law)) {
        return SOTTO_OK;
    }
    sot_objective_law raised = plain;
    const double shift = steps_of(law) * law->record_bound / plain.sigma;
    const double gap = share > 0.0 ? sot_objective_gap_upper(1.5 * share * shift,
                                                             atom_delta_share * delta)
                                   : 0.0;
    raised.floor = epsilon * (1.0 - 2.0 * epsilon_slack) - gap;
    if (raised.floor > 0.0 &&
        search_sigma(&raised, epsilon, delta, share, NULL) == SOTTO_OK &&
        raised.sigma < plain.sigma) {
        *law = raised;
        law->floor = least_floor(&raised);
    }
    return SOTTO_OK;
}

static double rate_excess(double log_rate, void *context)
{
    noise_search *search = context;
    sotto_event event;
    search->law.rate = exp(log_rate);
    if (sot_objective_event(&search->law, &event, NULL) != SOTTO_OK) return HUGE_VAL;
    return event.epsilon - search->epsilon;
}

static sotto_status calibrate_rate(sot_objective_law *law, double epsilon, double share,
                                   sotto_error *error)
{
    const double first = sot_objective_first_epsilon_down(epsilon, share);
    const double most = sot_div_down(first, steps_of(law));
    noise_search search = {*law, first, 0.0, share};
    search.law.sigma = SOTTO_UNSET;
    double rate = most;
    sotto_event event;
    search.law.rate = most;
    if (sot_objective_event(&search.law, &event, NULL) != SOTTO_OK ||
        event.epsilon > first) {
        double lower = log(most * 1e-9), upper = log(most);
        if (rate_excess(lower, &search) > 0.0)
            return refuse_lambda(law, epsilon, 0.0, error);
        (void)sot_find_root(rate_excess, &search, &lower, &upper, 1e-12, 0.0, 250);
        rate = exp(lower);
    }
    law->rate = rate;
    law->sigma = SOTTO_UNSET;
    return SOTTO_OK;
}

sotto_status sot_objective_calibrate(sot_objective_law *law, double epsilon, double delta,
                                     double correction_share, sotto_error *error)
{
    sotto_status status = sot_objective_check_problem(law, error);
    if (status == SOTTO_OK) status = check_target(law, epsilon, delta, error);
    if (status != SOTTO_OK) return status;
    if (!(correction_share >= 0.0 && correction_share <= 0.5)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the share of the correction is %g; give a number from 0 to 0.5",
                        correction_share);
    }
    if (sot_objective_states_claim(law, delta == 0.0))
        return sot_objective_calibrate_named(law, epsilon, delta, correction_share,
                                             error);
    if (!(law->lambda > 0.0 && law->lambda <= 1e150)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "lambda is %g; give a positive number, for example the one of "
                        "sot_objective_least_lambda()",
                        law->lambda);
    }
    status = delta > 0.0 ? calibrate_sigma(law, epsilon, delta, correction_share, error)
                         : calibrate_rate(law, epsilon, correction_share, error);
    if (status == SOTTO_OK) law->epsilon = law->delta = SOTTO_UNSET;
    return status;
}

sotto_status sot_objective_correction(const sot_objective_law *law,
                                      double correction_share, double *out_mu,
                                      double *out_epsilon, sotto_error *error)
{
    sotto_event event;
    const sotto_status status = sot_objective_event(law, &event, error);
    if (status != SOTTO_OK) return status;
    *out_mu = *out_epsilon = SOTTO_UNSET;
    if (isnan(law->sigma)) {
        *out_epsilon = sot_mul_down(correction_share, event.epsilon);
        return SOTTO_OK;
    }
    const double shift = event.mechanism == SOTTO_OBJECTIVE_PERTURBATION
                             ? sot_div_down(1.0, event.noise_multiplier)
                             : sot_div_down(law->record_bound, law->sigma);
    *out_mu = sot_mul_down(correction_share, shift);
    return SOTTO_OK;
}
