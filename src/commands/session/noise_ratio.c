/* The distribution of A - theta B for two independent noises, and Fieller's interval from
 * it. */
#include <assert.h>
#include <math.h>

#include "commands/session/noise.h"
#include "numeric/roots.h"
#include "numeric/special.h"

/* 1 + x + ... + x^(terms-1) for x = exp(log_x) <= 1. */
static double geometric_sum(double log_x, double terms)
{
    assert(log_x <= 0.0);
    if (log_x * terms > -1e-9) return terms;
    return expm1(log_x * terms) / expm1(log_x);
}

/* Returns P(A - theta B >= d) for theta > 0, d >= 0. A is Laplace of scale a, B discrete Laplace
 * of scale b: `P(B = k) = c r^|k|, r = e^(-1/b), c = (1-r)/(1+r)`. With B = -j:
 *
 *     c sum_j r^|j| P(A >= d - theta j),   P(A >= x) = e^(-x/a)/2 or 1 - e^(x/a)/2 for x < 0.
 *
 * Let m be the last j with d - theta j >= 0. Three geometric sums: j <= 0, 1 <= j <= m, j > m. In
 * the middle one the terms are exp(-(d - theta j)/a - j/b)/2. Their logarithms are linear in j,
 * so the sum starts at the larger end and falls. */
static double laplace_tail(double a, double b, double theta, double d)
{
    const double c = tanh(0.5 / b); /* (1-r)/(1+r) */
    const double m = floor(d / theta);
    const double before = 0.5 * exp(-d / a) / -expm1(-1.0 / b - theta / a);
    double middle = 0.0;
    if (m >= 1.0) {
        const double slope = theta / a - 1.0 / b; /* of the logarithms */
        const double last = exp(-(d - theta * m) / a - m / b);
        const double first = exp(-(d - theta) / a - 1.0 / b);
        middle = 0.5 * (slope > 0.0 ? last : first) * geometric_sum(-fabs(slope), m);
    }
    const double behind = exp(-(m + 1.0) / b);
    const double after =
        behind / -expm1(-1.0 / b) -
        0.5 * exp((d - theta * (m + 1.0)) / a) * behind / -expm1(-1.0 / b - theta / a);
    return c * (before + middle + after);
}

/* The same for normal A and rounded normal B: a sum over B's values while they are few, else B's
 * variance with Sheppard's correction. A smooths B's steps of theta. For theta <= a the effect of
 * the lattice is at most e^(-2 pi^2) < 3e-9. Sums and counts that share a budget keep theta below
 * a. */
static double gaussian_tail(double a, double b, double theta, double d)
{
    if (b > 6.0 && (theta <= a || b > 1000.0)) {
        return sot_ndtr(-d / sqrt(a * a + theta * theta * (b * b + 1.0 / 12.0)));
    }
    const int most = (int)(10.0 * b) + 2;
    double sum = 0.0;
    for (int k = -most; k <= most; k++) {
        const double low = (k - 0.5) / b;
        const double high = (k + 0.5) / b;
        const double mass =
            k > 0 ? sot_ndtr(-low) - sot_ndtr(-high) : sot_ndtr(high) - sot_ndtr(low);
        sum += mass * sot_ndtr(-(d + theta * k) / a);
    }
    return sum;
}

double sot_noise_ratio_tail(const sot_noise *sum, const sot_noise *count, double theta,
                            double distance)
{
    assert(sum->mechanism == count->mechanism);
    const double d = fabs(distance);
    const double t = fabs(theta); /* B is symmetric */
    double tail;
    if (sum->mechanism == SOTTO_GAUSSIAN) {
        tail = gaussian_tail(sum->scale, count->scale, t, d);
    } else {
        /* B is of no account where theta B is below a billionth of A. */
        tail = t * count->scale < 1e-9 * sum->scale
                   ? 0.5 * exp(-d / sum->scale)
                   : laplace_tail(sum->scale, count->scale, t, d);
    }
    return fmin(1.0, 2.0 * tail);
}

typedef struct test {
    const sot_noise *sum, *count;
    double noisy_sum, noisy_count, alpha;
} test;

/* At least 0 where theta is not rejected. */
static double evidence(double theta, void *context)
{
    const test *t = context;
    return sot_noise_ratio_tail(t->sum, t->count, theta,
                                t->noisy_sum - theta * t->noisy_count) -
           t->alpha;
}

/* Where the evidence changes sign between two points, to the side that keeps more. */
static double edge(test *t, double inside, double outside)
{
    double low = fmin(inside, outside);
    double high = fmax(inside, outside);
    if (!sot_find_root(evidence, t, &low, &high, 0.0, 1e-12, 250)) return outside;
    return outside > inside ? high : low;
}

void sot_noise_ratio_interval(const sot_noise *sum, const sot_noise *count,
                              double noisy_sum, double noisy_count, double half,
                              double confidence, double *out_lower, double *out_upper)
{
    test t = {sum, count, noisy_sum, noisy_count, 1.0 - confidence};
    const bool low_kept = evidence(-half, &t) >= 0.0;
    const bool high_kept = evidence(half, &t) >= 0.0;
    /* The evidence is 1 - alpha at `middle` and falls on both sides. It may rise again farther
     * out if noisy_count is not clearly above 0. Beyond an end that is not rejected nothing is
     * excluded. */
    const double middle = noisy_count != 0.0 ? noisy_sum / noisy_count : HUGE_VAL;
    const bool has_middle = fabs(middle) <= half;
    *out_lower = -half;
    *out_upper = half;
    if (low_kept && high_kept) return;
    if (has_middle) {
        if (!low_kept) *out_lower = edge(&t, middle, -half);
        if (!high_kept) *out_upper = edge(&t, middle, half);
    } else if (high_kept) {
        *out_lower = edge(&t, half, -half);
    } else if (low_kept) {
        *out_upper = edge(&t, -half, half);
    }
}
