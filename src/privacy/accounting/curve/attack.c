/* Bounds on membership tests for one record, from the guarantee.
 *
 * Theorem     Wasserman & Zhou, JASA 2010; Kairouz, Oh & Viswanath, ICML 2015, Thm 2.1. A test
 *             with false positive rate f against an (epsilon, delta)-DP release has a true
 *             positive rate of at most
 *                 min(e^epsilon f + delta, 1 - e^-epsilon (1 - delta - f)).
 *             The first bound is the definition on the event "flagged" with the record. The
 *             second is the definition on "not flagged" without it. A release that has several
 *             pairs obeys the least of all their bounds (Dong, Roth & Su, JRSS B 2022, Prop.
 *             2.5).
 * Rounding    Every step is rounded so that the answer is at least the exact minimum. */
#include <math.h>

#include <sotto/accountant.h>

#include "numeric/outward.h"

static double bound_of(double epsilon, double delta, double false_positive_rate)
{
    const double accuse =
        sot_add_up(sot_mul_up(sot_exp_up(epsilon), false_positive_rate), delta);
    const double acquitted = sot_sub_down(sot_sub_down(1.0, delta), false_positive_rate);
    /* A negative remainder makes this bound exceed 1: it says nothing. */
    const double acquit =
        acquitted > 0.0 ? sot_sub_up(1.0, sot_mul_down(sot_exp_down(-epsilon), acquitted))
                        : 1.0;
    return fmin(accuse, acquit);
}

double sotto_account_attack(const sotto_account *pairs, size_t count,
                            double false_positive_rate)
{
    if (!(false_positive_rate >= 0.0)) return 1.0; /* NaN too: nothing is promised */
    double least = 1.0;
    for (size_t i = 0; i < count; i++) {
        const double epsilon = pairs[i].epsilon, delta = pairs[i].delta;
        if (!(epsilon >= 0.0 && delta >= 0.0)) continue;
        const double bound = bound_of(epsilon, delta, false_positive_rate);
        if (bound < least) least = bound;
    }
    return least;
}
