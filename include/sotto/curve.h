/* sotto/curve.h: the privacy profile of a plan, and its trade-off curve.
 *
 * Idea        A release that is (epsilon, delta)-DP at many pairs keeps every membership test
 *             below many straight lines. Their lower envelope is a trade-off curve: it bounds the
 *             true positive rate at each false positive rate.
 * Theorem     Wasserman & Zhou, JASA 2010, Thm 2.4: one pair gives two lines. Dong, Roth & Su,
 *             JRSS B 2022, Prop. 2.12: all pairs together are equivalent to the trade-off curve,
 *             and enough pairs approximate it arbitrarily well.
 * Neighbours  Those of the plan.
 * Assumes     The assumptions of the accountant (sotto/accountant.h).
 * Rounding    Deltas and true positive rates are upper bounds, false negative rates lower bounds:
 *             a finite number of pairs gives a weaker, still valid bound. Docs: curve.md
 */
#ifndef SOTTO_CURVE_H
#define SOTTO_CURVE_H

#include <stddef.h>

#include <sotto/accountant.h>
#include <sotto/error.h>
#include <sotto/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_curve sotto_curve;

/* From 2 to this many points. */
#define SOTTO_CURVE_POINTS_MAX 4096

/* Prices the plan at `points` values of epsilon, evenly from 0 to the certified epsilon at
 * `delta_least`. That is in [0, 1), and 0 only for plans of pure events. Free the curve with
 * sotto_curve_free(). Fails as sotto_account_epsilon() does. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_curve_new(const sotto_plan *plan,
                                                        sotto_accountant accountant,
                                                        double delta_least, size_t points,
                                                        sotto_curve **out_curve,
                                                        sotto_error *error);
SOTTO_API void sotto_curve_free(sotto_curve *curve); /* NULL is fine */

/* The profile: epsilon rises from 0, delta never rises. The points are the curve's own. */
SOTTO_API size_t sotto_curve_size(const sotto_curve *curve);
SOTTO_API const sotto_account *sotto_curve_points(const sotto_curve *curve);

/* Returns the largest true positive rate of a test with a false positive rate of at most
 * `false_positive_rate`, from all points of the curve. */
SOTTO_API double sotto_curve_attack(const sotto_curve *curve, double false_positive_rate);

/* Returns 1 minus that, rounded down: the smallest false negative rate of such a test. As a
 * function of the rate it is the trade-off curve. */
SOTTO_API double sotto_curve_trade_off(const sotto_curve *curve,
                                       double false_positive_rate);

/* Prices a dozen more pairs near the best bound for this false positive rate (above 0 and below
 * 1). sotto_curve_attack() is then tighter there. The profile stays. Pass the plan from which the
 * curve was made. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_curve_sharpen(sotto_curve *curve,
                                                            const sotto_plan *plan,
                                                            double false_positive_rate,
                                                            sotto_error *error);

/* The curve as an SVG picture: the profile, the trade-off curve, and the attack at small false
 * positive rates. One self-contained file, light or dark as its reader prefers. Free it with
 * sotto_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_curve_to_svg(const sotto_curve *curve,
                                                           char **out_svg,
                                                           sotto_error *error);

#ifdef __cplusplus
}
#endif

#endif
