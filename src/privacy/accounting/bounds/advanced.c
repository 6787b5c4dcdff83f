/* Advanced composition, as its authors state it.
 *
 * Theorem     Dwork, Rothblum & Vadhan, FOCS 2010, Thm III.3: k adaptively chosen releases, each
 *             (e, d)-DP, are (e', k d + d')-DP for every d' > 0 with
 *                 e' = e sqrt(2 k log(1/d')) + k e (exp(e) - 1).
 *             Its proof allows steps of different sizes: the loss of step i is at most e_i in
 *             size and e_i (exp(e_i) - 1) in conditional mean. By Azuma's inequality
 *                 e' = sqrt(2 log(1/d') sum e_i^2) + sum e_i (exp(e_i) - 1),
 *             and the deltas add up.
 * Events      As privacy/accounting/bounds/pairs.h turns them into (epsilon, delta).
 * Rounding    Every operation is rounded up; log(1/d') by 4 units.
 * Limits      For large epsilons it exceeds the plain sum: the answer is the theorem's, not the
 * best. */
#include <math.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "privacy/accounting/bounds/pairs.h"

sotto_status sot_advanced_epsilon(const sot_priced *priced, double delta,
                                  sotto_account *out, sotto_error *error)
{
    sot_pairs *pairs;
    sotto_status status = sot_pairs_new(priced, delta, &pairs, error);
    if (status != SOTTO_OK) return status;
    double squares = 0.0;
    double drift = 0.0;
    for (size_t i = 0; i < pairs->count; i++) {
        const sot_pair *pair = &pairs->pair[i];
        const double weighted = sot_mul_up(pair->count, pair->epsilon);
        squares = sot_add_up(squares, sot_mul_up(weighted, pair->epsilon));
        drift = sot_add_up(drift, sot_mul_up(weighted, sot_expm1_up(pair->epsilon)));
    }
    const double slack = pairs->slack;
    sot_pairs_free(pairs);
    /* log(1/d') is infinite at d' = 0; releases that cost nothing need no slack either. */
    const double spread =
        squares > 0.0
            ? sot_sqrt_up(sot_mul_up(2.0 * -sot_log_down(fmax(slack, 0.0)), squares))
            : 0.0;
    *out = (sotto_account){.epsilon = sot_add_up(spread, drift),
                           .epsilon_lower = SOTTO_UNSET,
                           .delta = delta,
                           .delta_lower = SOTTO_UNSET,
                           .order = SOTTO_UNSET,
                           .kernel = SOTTO_KERNEL_COMPOSITION_THEOREM};
    if (slack >= 0.0 && isfinite(out->epsilon)) return SOTTO_OK;
    return sot_fail(error, SOTTO_UNREACHABLE,
                    "advanced composition has no finite epsilon here: it needs a delta "
                    "above those of the events, and `delta`, %g, leaves %g; give a "
                    "larger `delta`, or `accountant=basic`",
                    delta, slack);
}

sotto_status sot_advanced_delta(const sot_priced *priced, double epsilon,
                                sotto_account *out, sotto_error *error)
{
    const sotto_status status =
        sot_delta_by_search(sot_advanced_epsilon, priced, epsilon, out, error);
    out->kernel = SOTTO_KERNEL_COMPOSITION_THEOREM;
    return status;
}
