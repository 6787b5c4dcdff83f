/* The theorems that claim one (epsilon, delta): the published ones, and the one for any smooth
 * loss. Their conditions on noise and lambda, and both from a target. */
#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "numeric/roots.h"
#include "privacy/accounting/objective/theorems.h"
#include "privacy/accounting/profile/gaussian.h"

/* ---- the published rules: the claim is stated, and checked against noise and lambda ---- */

static sotto_status check_claim(const sot_objective_law *law, sotto_error *error)
{
    if (!(law->epsilon > 0.0 && law->epsilon <= 1e6)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the claimed epsilon is %g; give a number above 0, at most 1e6",
                        law->epsilon);
    }
    if (!isnan(law->sigma) && !(law->delta > 0.0 && law->delta <= 0.999999)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the claimed delta is %g; give a number above 0 and below 1",
                        law->delta);
    }
    return SOTTO_OK;
}

static sotto_status refuse_lambda(const sot_objective_law *law, double least,
                                  sotto_error *error)
{
    return sot_fail(
        error, SOTTO_UNSUPPORTED,
        "`lambda` is %.10g; the calibration '%s' at epsilon %g needs at least %.10g",
        law->lambda, sot_objective_theorem_name(law->theorem), law->epsilon, least);
}

static sotto_status refuse_noise(const sot_objective_law *law, const char *what,
                                 double value, const char *bound, double limit,
                                 sotto_error *error)
{
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "%s is %.10g; the calibration '%s' at epsilon %g asks for %s %.10g",
                    what, value, sot_objective_theorem_name(law->theorem), law->epsilon,
                    bound, limit);
}

double sot_objective_kifer_sigma_upper(double record_bound, double epsilon, double delta)
{
    const double logarithm = sot_log_up(sot_div_up(2.0, delta));
    const double square =
        sot_add_up(sot_mul_up(8.0, logarithm), sot_mul_up(4.0, epsilon));
    return sot_div_up(sot_mul_up(record_bound, sot_sqrt_up(square)), epsilon);
}

double sot_objective_kifer_lambda_upper(const sot_objective_law *law, double epsilon)
{
    const double rank = law->rank > 1 ? (double)law->rank : 1.0;
    return sot_div_up(sot_mul_up(2.0 * rank, law->smoothness), epsilon);
}

static sotto_status check_kifer(const sot_objective_law *law, sotto_error *error)
{
    const double least = sot_objective_kifer_lambda_upper(law, law->epsilon);
    if (law->lambda < least) return refuse_lambda(law, least, error);
    if (isnan(law->sigma)) {
        const double most = 0.5 * law->epsilon;
        if (law->rate <= most) return SOTTO_OK;
        return refuse_noise(law, "rate", law->rate, "at most", most, error);
    }
    const double sigma =
        sot_objective_kifer_sigma_upper(law->record_bound, law->epsilon, law->delta);
    if (law->sigma >= sigma) return SOTTO_OK;
    return refuse_noise(law, "sigma", law->sigma, "at least", sigma, error);
}

double sot_objective_chaudhuri_rate_down(double smoothness, double lambda, double epsilon)
{
    const double determinant = sot_log1p_up(sot_div_up(smoothness, lambda));
    return 0.5 * sot_sub_down(epsilon, 2.0 * determinant);
}

static sotto_status check_chaudhuri(const sot_objective_law *law, sotto_error *error)
{
    const double most =
        sot_objective_chaudhuri_rate_down(law->smoothness, law->lambda, law->epsilon);
    if (!(most > 0.0)) {
        return refuse_lambda(
            law, sot_div_up(law->smoothness, sot_expm1_down(0.25 * law->epsilon)), error);
    }
    if (law->rate <= most) return SOTTO_OK;
    return refuse_noise(law, "rate", law->rate, "at most", most, error);
}

/* Returns 2 G(a, epsilon - c) above c + a^2/2. Below it is `1 - e^x + 2 e^x G(a, a^2/2)`,
 * x = epsilon - c - a^2/2. */
double sot_objective_redberg_delta_upper(double record_bound, double smoothness,
                                         double lambda, double sigma, double epsilon)
{
    const double determinant = -sot_log1p_down(-sot_div_up(smoothness, lambda));
    const double shift = sot_div_up(record_bound, sigma);
    const double half = 0.5 * sot_mul_up(shift, shift);
    const sot_bracket mu = {shift, shift};
    const double left = sot_sub_down(epsilon, determinant);
    if (left > half) return fmin(1.0, 2.0 * sot_gaussian_delta(mu, left).upper);
    const double x = sot_sub_down(left, half);
    const double tail = sot_gaussian_delta(mu, 0.5 * sot_mul_down(shift, shift)).upper;
    return fmin(1.0,
                sot_add_up(-sot_expm1_down(x), sot_mul_up(2.0 * sot_exp_up(x), tail)));
}

static sotto_status check_redberg(const sot_objective_law *law, sotto_error *error)
{
    if (!(law->lambda > law->smoothness)) { /* log(1 - beta/lambda) */
        return refuse_lambda(law, law->smoothness, error);
    }
    const double delta = sot_objective_redberg_delta_upper(
        law->record_bound, law->smoothness, law->lambda, law->sigma, law->epsilon);
    if (delta <= law->delta) return SOTTO_OK;
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "sigma is %.10g, which gives a delta of %g at epsilon %g, more than "
                    "%g; give a larger sigma or lambda",
                    law->sigma, delta, law->epsilon, law->delta);
}

static sotto_status check_general(const sot_objective_law *law, sotto_error *error)
{
    if (law->dimension == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the dimension is not set; Gaussian noise for a loss of any kind "
                        "needs it");
    }
    const double epsilon = sot_objective_general_epsilon_upper(law, law->delta);
    if (epsilon <= law->epsilon) return SOTTO_OK;
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "sigma is %.10g, which gives epsilon %.10g at delta %g, more than "
                    "%.10g; give a larger sigma or lambda",
                    law->sigma, epsilon, law->delta, law->epsilon);
}

sotto_status sot_objective_named_event(const sot_objective_law *law, sotto_event *event,
                                       sotto_error *error)
{
    sotto_status status = check_claim(law, error);
    if (status != SOTTO_OK) return status;
    if (law->theorem == SOT_OBJECTIVE_KIFER) status = check_kifer(law, error);
    if (law->theorem == SOT_OBJECTIVE_CHAUDHURI) status = check_chaudhuri(law, error);
    if (law->theorem == SOT_OBJECTIVE_REDBERG) status = check_redberg(law, error);
    if (law->theorem == SOT_OBJECTIVE_GENERAL) status = check_general(law, error);
    if (status != SOTTO_OK) return status;
    event->epsilon = law->epsilon;
    event->mechanism = SOTTO_PURE;
    if (!isnan(law->sigma)) {
        event->mechanism = SOTTO_APPROXIMATE;
        event->delta = law->delta;
    }
    return SOTTO_OK;
}

/* ---- noise and lambda from a target ---- */

/* The part of delta that pays for the correction beside a published (epsilon, delta). */
static const double named_delta_share = 0x1p-10;

/* Returns the claim for a published theorem that stays within (epsilon, delta) beside a mu-GDP
 * correction. By basic composition the correction takes G(mu, epsilon - claim) of the delta. mu
 * is taken at the smallest noise for the claim. */
static sotto_status named_claim(const sot_objective_law *law, double epsilon,
                                double delta, double share,
                                sot_objective_target *out_claim, sotto_error *error)
{
    *out_claim =
        (sot_objective_target){sot_objective_first_epsilon_down(epsilon, share), delta};
    if (delta == 0.0 || share == 0.0) return SOTTO_OK;
    const double first_delta = sot_mul_down(delta, 1.0 - named_delta_share);
    const double shift =
        law->theorem == SOT_OBJECTIVE_KIFER
            ? sot_div_up(1.0, sot_objective_kifer_sigma_upper(1.0, epsilon, delta))
            : sot_objective_largest_mu(epsilon, 0.5 * delta);
    const double mu = sot_widen_up(share * shift, 1e-9);
    const double gap = sot_objective_gap_upper(mu, 0.5 * named_delta_share * delta);
    if (!(gap <= 0.5 * epsilon)) {
        return sot_fail(
            error, SOTTO_UNREACHABLE,
            "epsilon %g at delta %g leaves nothing beside the correction of the solver's "
            "error; give a larger `epsilon` or a smaller `delta`",
            epsilon, delta);
    }
    *out_claim = (sot_objective_target){sot_sub_down(epsilon, gap), first_delta};
    return SOTTO_OK;
}

/* Returns the smallest lambda of the published theorems. For Redberg's any lambda
 * above beta has some noise; it gets half of epsilon for the determinant, as in the
 * other two. */
static double named_least_lambda(const sot_objective_law *law, double claim)
{
    if (law->theorem == SOT_OBJECTIVE_GENERAL)
        return sot_objective_shared_lambda(law, claim);
    if (law->theorem == SOT_OBJECTIVE_KIFER)
        return sot_objective_kifer_lambda_upper(law, claim);
    if (law->theorem == SOT_OBJECTIVE_CHAUDHURI)
        return sot_div_up(law->smoothness, sot_expm1_down(0.25 * claim));
    return sot_div_up(law->smoothness, -sot_expm1_up(-0.5 * claim));
}

sotto_status sot_objective_named_lambda(const sot_objective_law *law, double epsilon,
                                        double delta, double *out_lambda,
                                        sotto_error *error)
{
    sot_objective_target claim;
    const sotto_status status =
        named_claim(law, epsilon, delta, SOT_OBJECTIVE_CORRECTION_SHARE, &claim, error);
    if (status == SOTTO_OK) *out_lambda = named_least_lambda(law, claim.epsilon);
    return status;
}

typedef struct redberg_search {
    const sot_objective_law *law;
    sot_objective_target claim;
} redberg_search;

static double redberg_excess(double log_sigma, void *context)
{
    const redberg_search *search = context;
    const sot_objective_law *law = search->law;
    return sot_objective_redberg_delta_upper(law->record_bound, law->smoothness,
                                             law->lambda, exp(log_sigma),
                                             search->claim.epsilon) -
           search->claim.delta;
}

static sotto_status redberg_sigma(const sot_objective_law *law,
                                  sot_objective_target claim, double *out_sigma,
                                  sotto_error *error)
{
    redberg_search search = {law, claim};
    /* 2 G(a, epsilon - c) <= delta needs more noise than G(a, epsilon) <= delta/2 does. */
    double lower = log(law->record_bound /
                       sot_objective_largest_mu(claim.epsilon, 0.5 * claim.delta)) -
                   1e-6;
    double upper = lower;
    for (double stride = 1e-6; redberg_excess(upper, &search) > 0.0; stride *= 1.5) {
        lower = upper;
        upper += stride;
        if (stride > 30.0) {
            return sot_fail(error, SOTTO_UNREACHABLE,
                            "no sigma gives epsilon %g at delta %g with lambda %g; give "
                            "a larger `lambda`",
                            claim.epsilon, claim.delta, law->lambda);
        }
    }
    if (upper > lower)
        (void)sot_find_root(redberg_excess, &search, &lower, &upper, 1e-10, 0.0, 250);
    *out_sigma = exp(upper);
    return SOTTO_OK;
}

/* A^2/2 + A q <= E, E the epsilon left by the determinant, q the length of b over
 * sigma. */
static sotto_status general_sigma(const sot_objective_law *law,
                                  sot_objective_target claim, double *out_sigma,
                                  sotto_error *error)
{
    const double rows = (double)law->unit_rows;
    const double steps = law->adjacency == SOTTO_REPLACE_ONE ? 2.0 * rows : rows;
    const double left =
        sot_sub_down(claim.epsilon, sot_objective_log_determinant_upper(law));
    if (!(left > 0.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`lambda` is %.10g, and the determinant takes all of epsilon %g; "
                        "give more, for example `lambda=%.10g`",
                        law->lambda, claim.epsilon,
                        named_least_lambda(law, claim.epsilon));
    }
    const double length = sot_objective_length_upper(law->dimension, claim.delta);
    const double shift = 2.0 * left / (length + sqrt(length * length + 2.0 * left));
    *out_sigma = sot_widen_up(steps * law->record_bound / shift, 1e-13);
    return SOTTO_OK;
}

sotto_status sot_objective_calibrate_named(sot_objective_law *law, double epsilon,
                                           double delta, double share, sotto_error *error)
{
    sot_objective_target claim;
    sotto_status status = named_claim(law, epsilon, delta, share, &claim, error);
    if (status != SOTTO_OK) return status;
    sot_objective_law found = *law;
    found.epsilon = claim.epsilon;
    found.delta = delta > 0.0 ? claim.delta : SOTTO_UNSET;
    found.sigma = found.rate = SOTTO_UNSET;
    const double least = named_least_lambda(&found, claim.epsilon);
    if (law->theorem == SOT_OBJECTIVE_CHAUDHURI) {
        /* The published rule keeps any lambda that leaves something of epsilon. */
        found.rate = sot_objective_chaudhuri_rate_down(found.smoothness, found.lambda,
                                                       claim.epsilon);
        if (!(found.rate > 0.0)) {
            found.lambda = least;
            found.rate =
                sot_objective_chaudhuri_rate_down(found.smoothness, least, claim.epsilon);
        }
    } else if (law->theorem == SOT_OBJECTIVE_GENERAL) {
        if (isnan(found.lambda)) found.lambda = least;
        status = general_sigma(&found, claim, &found.sigma, error);
    } else {
        if (!(found.lambda >= least)) found.lambda = least;
        if (delta == 0.0) {
            found.rate = 0.5 * claim.epsilon;
        } else if (law->theorem == SOT_OBJECTIVE_KIFER) {
            found.sigma = sot_objective_kifer_sigma_upper(found.record_bound,
                                                          claim.epsilon, claim.delta);
        } else {
            status = redberg_sigma(&found, claim, &found.sigma, error);
        }
    }
    sotto_event event;
    if (status == SOTTO_OK) status = sot_objective_event(&found, &event, error);
    if (status == SOTTO_OK) *law = found;
    return status;
}
