/* From the noise and the objective to the event: the theorems of objective.md. */
#include "privacy/accounting/objective/objective.h"

#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "privacy/accounting/objective/theorems.h"

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

/* ---- needs of every theorem ---- */

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

const char *sot_objective_theorem_name(sot_objective_theorem theorem)
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
        return "sharp"; /* the theorem for another loss */
    }
    return "unknown";
}

static bool is_published(sot_objective_theorem theorem)
{
    return theorem == SOT_OBJECTIVE_CHAUDHURI || theorem == SOT_OBJECTIVE_KIFER ||
           theorem == SOT_OBJECTIVE_REDBERG;
}

bool sot_objective_states_claim(const sot_objective_law *law, bool is_pure)
{
    return is_published(law->theorem) ||
           (law->theorem == SOT_OBJECTIVE_GENERAL && !is_pure);
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
    if (!is_published(law->theorem)) return SOTTO_OK;
    const sotto_adjacency covered =
        law->theorem == SOT_OBJECTIVE_CHAUDHURI ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE;
    if (law->adjacency != covered) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "`calibration` is %s, which is proved for adjacency %s, not for "
                        "%s; change one of the two",
                        sot_objective_theorem_name(law->theorem),
                        sotto_adjacency_name(covered),
                        sotto_adjacency_name(law->adjacency));
    }
    if (law->unit_rows != 1) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "`calibration` is %s, which is proved for one row per unit, and "
                        "the unit has %llu; give `calibration=sharp`",
                        sot_objective_theorem_name(law->theorem),
                        (unsigned long long)law->unit_rows);
    }
    return SOTTO_OK;
}

/* The subject of the theorem: one margin per row, softmax, or anything. */
static sotto_status check_margins(const sot_objective_law *law, sotto_error *error)
{
    const bool has_one = law->rank <= 1 && law->classes <= 1;
    const bool is_pure = isnan(law->sigma) && !(law->delta > 0.0);
    switch (law->theorem) {
    case SOT_OBJECTIVE_GENERAL:
        return SOTTO_OK;
    case SOT_OBJECTIVE_VERTICES:
        if (has_one ||
            (law->classes > 1 && law->classes <= 1000000 && law->rank < law->classes)) {
            return SOTTO_OK;
        }
        break;
    case SOT_OBJECTIVE_KIFER:
        if (has_one || is_pure) return SOTTO_OK;
        break;
    case SOT_OBJECTIVE_SHARP:
    case SOT_OBJECTIVE_CHAUDHURI:
    case SOT_OBJECTIVE_REDBERG:
        if (has_one) return SOTTO_OK;
        break;
    }
    return sot_fail(
        error, SOTTO_UNSUPPORTED,
        "`calibration` is %s, which is proved for losses of one margin per row, and this "
        "loss has rank %zu with %zu classes; give `calibration=sharp`",
        sot_objective_theorem_name(law->theorem), law->rank, law->classes);
}

sotto_status sot_objective_check_problem(const sot_objective_law *law, sotto_error *error)
{
    if (law->theorem < SOT_OBJECTIVE_SHARP || law->theorem > SOT_OBJECTIVE_GENERAL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the calibration is %d; give one of sharp, chaudhuri, kifer, "
                        "redberg",
                        (int)law->theorem);
    }
    sotto_status status = check_neighbours(law, error);
    if (status == SOTTO_OK)
        status = check_positive("the bound of one record", law->record_bound, error);
    if (status != SOTTO_OK) return status;
    if (isinf(law->smoothness)) {
        return sot_fail(
            error, SOTTO_UNSUPPORTED,
            "the loss is not smooth, and objective perturbation needs a smooth loss; use "
            "output perturbation or noisy gradient descent, or smooth the kink");
    }
    status = check_margins(law, error);
    if (status != SOTTO_OK) return status;
    if (law->theorem != SOT_OBJECTIVE_SHARP)
        return check_positive("the smoothness of the loss", law->smoothness, error);
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
                        "`delta` is given, but the calibration chaudhuri is for pure "
                        "noise; leave `delta` out");
    }
    if (law->theorem == SOT_OBJECTIVE_REDBERG && is_pure) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "`delta` is missing: the calibration redberg is for Gaussian "
                        "noise; for example `delta=1e-6`");
    }
    return is_pure ? check_positive("rate", law->rate, error)
                   : check_positive("sigma", law->sigma, error);
}

/* ---- the sharp rule ---- */

static double unit_steps(const sot_objective_law *law)
{
    const double rows = (double)law->unit_rows;
    return law->adjacency == SOTTO_REPLACE_ONE ? 2.0 * rows : rows;
}

/* kappa = max(0, R^2/lambda - R^2/(2 sigma^2)), rounded up: the largest addition by the determinant
 * where the noise's own loss is small. */
static double kappa_upper(const sot_objective_law *law)
{
    const double square = sot_mul_up(law->record_bound, law->record_bound);
    const double determinant = sot_div_up(square, law->lambda);
    const double ratio = sot_div_down(law->record_bound, law->sigma);
    const double half = 0.5 * sot_mul_down(ratio, ratio);
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
    if (!(noise >= 1e-4 &&
          noise <= 1e12)) { /* the range of privacy/accounting/plan/plan.c */
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "sigma is %g, %g times the move by one unit; give from 1e-4 to 1e12 times",
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
    event->theorem = law->is_former ? 0 : SOTTO_FROZEN_SLOPE;
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
    return sot_mul_up(rows,
                      sot_add_up(law->rate, sharp_pure_maximum(determinant, law->rate)));
}

static sotto_status pure_event(const sot_objective_law *law, sotto_event *event,
                               sotto_error *error)
{
    const double epsilon = law->theorem == SOT_OBJECTIVE_SHARP
                               ? sharp_pure_epsilon(law)
                               : sot_objective_step_epsilon_upper(law);
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

sotto_status sot_objective_event(const sot_objective_law *law, sotto_event *out_event,
                                 sotto_error *error)
{
    sotto_status status = sot_objective_check_problem(law, error);
    if (status == SOTTO_OK) status = check_positive("lambda", law->lambda, error);
    if (status == SOTTO_OK) status = check_noise(law, error);
    if (status != SOTTO_OK) return status;
    sotto_event event = sotto_event_defaults();
    if (sot_objective_states_claim(law, isnan(law->sigma))) {
        status = sot_objective_named_event(law, &event, error);
    } else if (isnan(law->sigma)) {
        status = pure_event(law, &event, error);
    } else if (law->theorem == SOT_OBJECTIVE_SHARP) {
        status = sharp_gaussian_event(law, &event, error);
    } else {
        status = sot_objective_vertices_event(law, &event, error);
    }
    if (status == SOTTO_OK) *out_event = event;
    return status;
}
