/* privacy/accounting/exact/contour.h: delta(epsilon) as a contour integral of the moment generating function.
 *
 * Theorem     For any c > 0 with K(c) finite,
 *                 delta(eps) = (1/pi) int_0^inf Re[e^{K(c+is) - (c+is) eps}/((c+is)(c+is+1))] ds,
 *             K(t) = log E[e^{tL}], L the privacy loss of the whole composition. The trapezoid
 *             rule with step ds gives sum_n delta(eps + nP) e^{cnP}, P = 2 pi/ds. All aliases are
 *             positive, so the infinite sum is an upper bound.
 * Rounding    Truncation, quadrature inside M, rounding and aliases are each bounded and added:
 *             contour.md has the proof of every term.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_EXACT_CONTOUR_H
#define SOT_PRIVACY_ACCOUNTING_EXACT_CONTOUR_H

#include "privacy/accounting/plan/composition.h"

/* A tabulated line Re t = c for one direction. It answers delta(epsilon) for every epsilon,
 * best near the one it was made for. */
typedef struct sot_contour sot_contour;

typedef struct sot_contour_request {
    const sot_composition *composition; /* without zCDP events */
    sot_direction direction;
    double epsilon; /* the line is placed for this epsilon; NaN: for log_delta */
    double log_delta;
    double
        smoothing; /* tau: one virtual Gaussian release with mu = tau is added; 0: none */
    double work_max; /* refuse beyond this many node evaluations for one sampled event */
} sot_contour_request;

/* Returns a certified upper bound on log delta at the request's epsilon, only by the
 * Renyi bound (one line search, no integral). It is enough to see that a direction does
 * not matter. */
double sot_contour_log_chernoff(const sot_contour_request *request);

/* SOTTO_UNSUPPORTED when the work limit is reached: retry with smoothing. */
SOTTO_MUST_CHECK sotto_status sot_contour_new(const sot_contour_request *request,
                                              sot_contour **out_contour,
                                              sotto_error *error);
void sot_contour_free(sot_contour *contour);

/* The bracket of the (smoothed) composition's delta at `epsilon`. With smoothing only the
 * upper end speaks of the composition itself; see sot_contour_unsmoothed_lower(). */
sot_bracket sot_contour_delta(const sot_contour *contour, double epsilon);

/* Lower bound for the composition itself from the smoothed distribution:
 * delta(eps) >= delta_tau(eps + shift) - loss, with a loss of a thousandth of `delta`. Both are
 * zero without smoothing. */
void sot_contour_unsmoothed_lower(const sot_contour *contour, double delta,
                                  double *out_shift, double *out_loss);

/* Renyi's bound at the order of this line: where to look for epsilon first. */
double sot_contour_epsilon_guess(const sot_contour *contour, double log_delta);

#endif
