/* From the noise and the objective to the event: the theorems of objective.md. */
#include "privacy/accounting/objective.h"

#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/plant.h"
#include "numeric/outward.h"
#include "privacy/accounting/gaussian_profile.h"
#include "privacy/accounting/objective_theorems.h"

sot_objective_law sot_objective_law_defaults(void)
{
    return (sot_objective_law){.record_bound = SOTTO_UNSET,
                               .smoothness = SOTTO_UNSET,
                               .trace = SOTTO_UNSET,
                               .floor = SOTTO_UNSET,
                               .lambda = SOTTO_UNSET,
                               .sigma = SOTTO_UNSET,
                               .rate = SOTTO_UNSET,
                               .epsilon = SOTTO_UNSET,
                               .delta = SOTTO_UNSET};
}

/* ---- what every theorem needs ---- */

static bool is_positive(double value)
{
    return value > 0.0 && value <= 1e150; /* squares stay finite; NaN fails */
}

static sotto_status check_positive(const char *name, double value, sotto_error *error)
{
    if (is_positive(value)) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%s is %g; give a positive number, at most 1e150", name, value);
}

static const char *theorem_name(sot_objective_theorem theorem)
{
    switch (theorem) {
    case SOT_OBJECTIVE_SHARP:
        return "sharp";
    case SOT_OBJECTIVE_CHAUDHURI:
        return "chaudhuri";
    case SOT_OBJECTIVE_KIFER:
        return "kifer";
    case SOT_OBJECTIVE_REDBERG:
        return "redberg";
    case SOT_OBJECTIVE_VERTICES:
    case SOT_OBJECTIVE_GENERAL:
        return "sharp"; /* what the theorem is for another loss */
    }
    return "unknown";
}

/* The published theorems are about one row and one kind of neighbours. */
static sotto_status check_neighbours(const sot_objective_law *law, sotto_error *error)
{
    if (law->adjacency != SOTTO_ADD_REMOVE && law->adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "adjacency is %d; set it to SOTTO_ADD_REMOVE or SOTTO_REPLACE_ONE",
            (int)law->adjacency);
    }
    if (law->unit_rows < 1 || law->unit_rows > SOT_OBJECTIVE_UNIT_ROWS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "a unit has %llu rows; give a number from 1 to %d",
                        (unsigned long long)law->unit_rows, SOT_OBJECTIVE_UNIT_ROWS_MAX);
    }
    if (law->theorem == SOT_OBJECTIVE_SHARP) return SOTTO_OK;
    const sotto_adjacency covered =
        law->theorem == SOT_OBJECTIVE_CHAUDHURI ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE;
    if (law->adjacency != covered) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the calibration '%s' is proved for adjacency %s, not for %s; "
                        "change one of the two",
                        theorem_name(law->theorem), sotto_adjacency_name(covered),
                        sotto_adjacency_name(law->adjacency));
    }
    if (law->unit_rows != 1) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the calibration '%s' is proved for one row a unit, and the unit "
                        "has %llu; use the calibration 'sharp'",
                        theorem_name(law->theorem), (unsigned long long)law->unit_rows);
    }
    return SOTTO_OK;
}

sotto_status sot_objective_check_problem(const sot_objective_law *law, sotto_error *error)
{
    if (law->theorem < SOT_OBJECTIVE_SHARP || law->theorem > SOT_OBJECTIVE_REDBERG) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the calibration is %d; give one of sharp, chaudhuri, kifer, "
                        "redberg",
                        (int)law->theorem);
    }
    sotto_status status = check_neighbours(law, error);
    if (status == SOTTO_OK)
        status = check_positive("the bound of one record", law->record_bound, error);
    if (status != SOTTO_OK) return status;
    if (law->theorem != SOT_OBJECTIVE_SHARP) {
        return check_positive("the smoothness of the loss", law->smoothness, error);
    }
    /* f'' <= |f'| (1 - |f'|) R^2 is at most R^2/4: a larger one is another loss. */
    const double most =
        sot_widen_up(0.25 * sot_mul_up(law->record_bound, law->record_bound), 1e-12);
    if (law->smoothness > most) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the smoothness of the loss is %g; the calibration 'sharp' is "
                        "for the logistic loss, at most %g",
                        law->smoothness, most);
    }
    return SOTTO_OK;
}

static sotto_status check_noise(const sot_objective_law *law, sotto_error *error)
{
    if (isnan(law->sigma) == isnan(law->rate)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s; give sigma for Gaussian noise, or rate for pure noise",
                        isnan(law->rate) ? "the noise is not set"
                                         : "sigma and rate are both set");
    }
    const bool is_pure = isnan(law->sigma);
    if (law->theorem == SOT_OBJECTIVE_CHAUDHURI && !is_pure) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the calibration 'chaudhuri' is for pure noise; leave delta out");
    }
    if (law->theorem == SOT_OBJECTIVE_REDBERG && is_pure) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the calibration 'redberg' is for Gaussian noise; give a delta "
                        "above 0");
    }
    return is_pure ? check_positive("rate", law->rate, error)
                   : check_positive("sigma", law->sigma, error);
}

/* ---- the sharp rule ---- */

static double unit_steps(const sot_objective_law *law)
{
    const double rows = (double)law->unit_rows;
    if (SOT_PLANTED(objective_noise_of_the_other_adjacency)) return rows;
    return law->adjacency == SOTTO_REPLACE_ONE ? 2.0 * rows : rows;
}

/* kappa = max(0, R^2/lambda - R^2/(2 sigma^2)), rounded up: what the determinant adds at most
 * where the noise's own loss is small. */
static double kappa_upper(const sot_objective_law *law)
{
    const double square = sot_mul_up(law->record_bound, law->record_bound);
    const double determinant = sot_div_up(square, law->lambda);
    const double ratio = sot_div_down(law->record_bound, law->sigma);
    const double half = 0.5 * sot_mul_down(ratio, ratio);
    if (SOT_PLANTED(objective_forgets_log_det)) return 0.0;
    if (SOT_PLANTED(objective_kappa_of_the_wrong_sign))
        return fmax(0.0, sot_sub_up(half, determinant));
    return fmax(0.0, sot_sub_up(determinant, half));
}

double sot_objective_atom_upper(const sot_objective_law *law)
{
    const double rows = (double)law->unit_rows;
    const double ratio_up = sot_div_up(law->record_bound, law->sigma);
    const double square_up = sot_mul_up(ratio_up, ratio_up);
    const double ratio_down = sot_div_down(law->record_bound, law->sigma);
    const double square_down = sot_mul_down(ratio_down, ratio_down);
    const double kappa = kappa_upper(law);
    if (law->adjacency == SOTTO_ADD_REMOVE) {
        /* k kappa + k (k - 1) a^2/2; the integers are exact, k <= 1e6 */
        return sot_add_up(sot_mul_up(rows, kappa),
                          sot_mul_up(0.5 * rows * (rows - 1.0), square_up));
    }
    /* max(k (2 k - 1) a^2, 2 k kappa - k a^2) */
    return fmax(
        sot_mul_up(rows * (2.0 * rows - 1.0), square_up),
        sot_sub_up(sot_mul_up(2.0 * rows, kappa), sot_mul_down(rows, square_down)));
}

static sotto_status sharp_gaussian_event(const sot_objective_law *law, sotto_event *event,
                                         sotto_error *error)
{
    const double noise =
        sot_div_down(law->sigma, sot_mul_up(unit_steps(law), law->record_bound));
    const double atom = sot_objective_atom_upper(law);
    if (!(noise >= 1e-4 && noise <= 1e12)) { /* the range of plan.c */
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "sigma is %g, which is %g times what one unit can move; give "
                        "from 1e-4 to 1e12 times",
                        law->sigma, noise);
    }
    if (!(atom <= 1e6)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "lambda is %g, which makes the atom of the loss %g; give a "
                        "larger lambda, R^2/epsilon or above",
                        law->lambda, atom);
    }
    event->mechanism = SOTTO_OBJECTIVE_PERTURBATION;
    event->noise_multiplier = noise;
    event->atom = atom;
    event->rows = (uint32_t)law->unit_rows;
    return SOTTO_OK;
}

/* max over s in [0, 1] of log(1 + s (1 - s) rho) + e s, rounded up. The function is concave, so
 * its tangent at any s bounds it: the derivative need not vanish at the s that is found. */
static double sharp_pure_maximum(double determinant, double rate)
{
    if (determinant <= rate) return rate; /* the derivative at s = 1 is e - rho */
    /* e rho s^2 + (2 - e) rho s - (rho + e) = 0, the root in (1/2, 1) */
    const double half_b = 0.5 * (2.0 - rate);
    const double c = 1.0 + rate / determinant;
    const double root = sqrt(half_b * half_b + rate * c);
    const double s =
        fmin(1.0, half_b > 0.0 ? c / (half_b + root) : (root - half_b) / rate);
    const double curve = sot_mul_up(sot_mul_up(s, sot_sub_up(1.0, s)), determinant);
    const double value = sot_add_up(sot_log1p_up(curve), sot_mul_up(rate, s));
    const double steepness = determinant / (1.0 + s * (1.0 - s) * determinant);
    const double slope = steepness * (1.0 - 2.0 * s) + rate;
    /* 1 - 2 s is exact; the rest rounds a few times, and no s is further away than 1. */
    const double slope_up = fabs(slope) + 0x1p-48 * (steepness + rate);
    return sot_add_up(value, sot_widen_up(slope_up, 1e-15));
}

static double sharp_pure_epsilon(const sot_objective_law *law)
{
    const double rows = (double)law->unit_rows;
    const double square = sot_mul_up(law->record_bound, law->record_bound);
    const double determinant = sot_div_up(square, law->lambda);
    if (law->adjacency == SOTTO_ADD_REMOVE)
        return sot_mul_up(rows, sharp_pure_maximum(determinant, law->rate));
    if (SOT_PLANTED(objective_pure_rule_of_the_other_adjacency))
        return sot_mul_up(rows, sharp_pure_maximum(determinant, 2.0 * law->rate));
    return sot_mul_up(rows,
                      sot_add_up(law->rate, sharp_pure_maximum(determinant, law->rate)));
}

static sotto_status sharp_pure_event(const sot_objective_law *law, sotto_event *event,
                                     sotto_error *error)
{
    const double epsilon = sharp_pure_epsilon(law);
    if (!(epsilon <= 1e6)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "rate is %g and lambda %g, which makes epsilon %g; give a smaller "
            "rate or a larger lambda",
            law->rate, law->lambda, epsilon);
    }
    event->mechanism = SOTTO_PURE;
    event->epsilon = epsilon;
    return SOTTO_OK;
}

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
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "lambda is %.10g; the calibration '%s' at epsilon %g asks for at "
                    "least %.10g",
                    law->lambda, theorem_name(law->theorem), law->epsilon, least);
}

static sotto_status refuse_noise(const sot_objective_law *law, const char *what,
                                 double value, const char *bound, double limit,
                                 sotto_error *error)
{
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "%s is %.10g; the calibration '%s' at epsilon %g asks for %s %.10g",
                    what, value, theorem_name(law->theorem), law->epsilon, bound, limit);
}

double sot_objective_kifer_sigma_upper(double record_bound, double epsilon, double delta)
{
    const double logarithm = sot_log_up(sot_div_up(2.0, delta));
    const double square =
        sot_add_up(sot_mul_up(8.0, logarithm), sot_mul_up(4.0, epsilon));
    return sot_div_up(sot_mul_up(record_bound, sot_sqrt_up(square)), epsilon);
}

static sotto_status check_kifer(const sot_objective_law *law, sotto_error *error)
{
    const double least = sot_div_up(2.0 * law->smoothness, law->epsilon);
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

/* 2 G(a, epsilon - c) above c + a^2/2, and 1 - e^x + 2 e^x G(a, a^2/2), x = epsilon - c - a^2/2,
 * below. */
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

static sotto_status named_event(const sot_objective_law *law, sotto_event *event,
                                sotto_error *error)
{
    sotto_status status = check_claim(law, error);
    if (status != SOTTO_OK) return status;
    if (law->theorem == SOT_OBJECTIVE_KIFER) status = check_kifer(law, error);
    if (law->theorem == SOT_OBJECTIVE_CHAUDHURI) status = check_chaudhuri(law, error);
    if (law->theorem == SOT_OBJECTIVE_REDBERG) status = check_redberg(law, error);
    if (status != SOTTO_OK) return status;
    event->epsilon = law->epsilon;
    event->mechanism = SOTTO_PURE;
    if (!isnan(law->sigma)) {
        event->mechanism = SOTTO_APPROXIMATE;
        event->delta = law->delta;
    }
    return SOTTO_OK;
}

sotto_status sot_objective_event(const sot_objective_law *law, sotto_event *out_event,
                                 sotto_error *error)
{
    sotto_status status = sot_objective_check_problem(law, error);
    if (status == SOTTO_OK) status = check_positive("lambda", law->lambda, error);
    if (status == SOTTO_OK) status = check_noise(law, error);
    if (status != SOTTO_OK) return status;
    sotto_event event = sotto_event_defaults();
    if (law->theorem != SOT_OBJECTIVE_SHARP) {
        status = named_event(law, &event, error);
    } else if (isnan(law->sigma)) {
        status = sharp_pure_event(law, &event, error);
    } else {
        status = sharp_gaussian_event(law, &event, error);
    }
    if (status == SOTTO_OK) *out_event = event;
    return status;
}
