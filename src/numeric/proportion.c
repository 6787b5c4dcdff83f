#include "numeric/proportion.h"

#include <math.h>

#include "numeric/outward.h"
#include "numeric/special.h"

double sot_proportion_lower(uint64_t k, uint64_t n, double alpha)
{
    if (k == 0) return 0.0;
    /* The inverse errs by 2e-12 of alpha and two doubles of the result. */
    const double p = sot_incomplete_beta_inverse((double)k, (double)(n - k) + 1.0,
                                                 alpha * (1.0 - 1e-11));
    return fmax(0.0, sot_widen_down(p, 1e-15));
}

double sot_proportion_upper(uint64_t k, uint64_t n, double alpha)
{
    return sot_sub_up(1.0, sot_proportion_lower(n - k, n, alpha));
}

double sot_binomial_tail_upper(uint64_t n, double p, uint64_t k)
{
    if (k == 0 || p >= 1.0) return 1.0;
    if (k > n || p <= 0.0) return 0.0;
    const double tail = sot_incomplete_beta((double)k, (double)(n - k) + 1.0, p);
    /* Below 1e-300 the relative error is not stated. */
    return fmin(1.0, sot_widen_up(fmax(tail, 1e-300), 2e-12));
}
