/* sotto/curve.h: the whole privacy profile of a plan, and what it leaves to an attacker.
 *
 * Idea        A release that is (epsilon, delta)-DP at many pairs leaves every test for one
 *             record below many straight lines; their lower envelope is a trade-off curve: no
 *             test that accuses wrongly with probability f finds the record more often.
 * Theorem     Wasserman & Zhou, JASA 2010, Thm 2.4: one pair gives two lines. Dong, Roth & Su,
 *             JRSS B 2022, Prop. 2.12: all pairs together say exactly as much as the trade-off
 *             curve does, so many pairs come as close to it as one likes.
 * Neighbours  Those of the plan.
 * Assumes     What the accountant assumes (sotto/accountant.h).
 * Rounding    Deltas and true positive rates are upper bounds, false negative rates lower
 *             bounds: a finite number of pairs is fewer than all, which errs on the safe side.
 *             Docs: curve.md
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
 * `delta_least` (at least 0 and below 1; 0 for plans of pure events only). Free the curve with
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

/* The most that a test finds (its true positive rate) if it accuses wrongly with probability
 * at most `false_positive_rate`; from all points the curve has. */
SOTTO_API double sotto_curve_attack(const sotto_curve *curve, double false_positive_rate);

/* 1 minus that, rounded down: the least that such a test misses, its false negative rate. As a
 * function of the rate, the trade-off curve. */
SOTTO_API double sotto_curve_trade_off(const sotto_curve *curve,
                                       double false_positive_rate);

/* Prices a dozen more pairs where the bound at this false positive rate (above 0 and below 1)
 * is best, for a sharper answer of sotto_curve_attack() there. The profile stays. The plan is
 * the one the curve was made of. */
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
