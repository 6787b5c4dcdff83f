/* tests/random/statistics.h: is this sample drawn from that law?
 *
 * Every test draws from a fixed seed, so it passes or fails once and for all; its false-alarm rate
 * says how likely an exact sampler was to fail it when the seed was chosen.
 */
#ifndef SOTTO_TESTS_RANDOM_STATISTICS_H
#define SOTTO_TESTS_RANDOM_STATISTICS_H

#include "support.h"

/* An exact sampler fails a single comparison with this probability. */
#define FALSE_ALARM 1e-6

/* P(chi-square with `freedom` degrees > statistic): the regularised upper incomplete gamma function
 * Q(a, x) by its series or its continued fraction (Lentz). */
static inline double chi_square_tail(double statistic, double freedom)
{
    const double a = freedom / 2.0;
    const double x = statistic / 2.0;
    if (x <= 0.0) return 1.0;
    const double factor = exp(a * log(x) - x - lgamma(a));
    if (x < a + 1.0) {
        double term = 1.0 / a;
        double sum = term;
        for (double n = a + 1.0; term > sum * 1e-16; n += 1.0) {
            term *= x / n;
            sum += term;
        }
        return 1.0 - factor * sum;
    }
    double b = x + 1.0 - a;
    double c = 1e300;
    double d = 1.0 / b;
    double fraction = d;
    for (int i = 1; i < 100000; i++) {
        const double an = -i * (i - a);
        b += 2.0;
        d = 1.0 / (an * d + b);
        c = b + an / c;
        fraction *= c * d;
        if (fabs(c * d - 1.0) < 1e-15) break;
    }
    return factor * fraction;
}

/* The p-value of Pearson's test; cells with fewer than ten expected are pooled with the next. */
static inline double chi_square_p(const double *observed, const double *probability,
                                  size_t cells, double draws)
{
    double statistic = 0.0;
    double seen = 0.0;
    double expected = 0.0;
    double last_seen = 0.0;
    double last_expected = 0.0;
    double pooled = 0.0;
    for (size_t i = 0; i < cells; i++) {
        seen += observed[i];
        expected += probability[i] * draws;
        if (expected < 10.0) continue;
        statistic += (seen - expected) * (seen - expected) / expected;
        last_seen = seen;
        last_expected = expected;
        pooled += 1.0;
        seen = expected = 0.0;
    }
    if (pooled == 0.0) return 1.0;
    if (expected > 0.0 || seen > 0.0) { /* what remains joins the last cell */
        statistic -=
            (last_seen - last_expected) * (last_seen - last_expected) / last_expected;
        const double more_seen = last_seen + seen;
        const double more_expected = last_expected + expected;
        statistic +=
            (more_seen - more_expected) * (more_seen - more_expected) / more_expected;
    }
    return pooled < 2.0 ? 1.0 : chi_square_tail(statistic, pooled - 1.0);
}

/* P(X >= x) of an integer law, x any integer. */
typedef double (*upper_tail)(const void *law, int64_t x);

enum { INTEGER_BINS = 321 };

/* The p-value of `values` against a law of about the given spread: cells of spread / 40 (or single
 * integers) out to four spreads, and one beyond on each side. */
static inline double integer_sample_p(const int64_t *values, size_t count,
                                      upper_tail tail, const void *law, double spread)
{
    int64_t edge[INTEGER_BINS + 1]; /* bin i holds edge[i] .. edge[i+1] - 1 */
    size_t edges = 0;
    for (int i = -160; i <= 160; i++) {
        const int64_t at = (int64_t)rint((double)i / 40.0 * fmax(spread, 0.75));
        if (edges == 0 || at > edge[edges - 1]) edge[edges++] = at;
    }
    double observed[INTEGER_BINS + 1] = {0};
    double probability[INTEGER_BINS + 1];
    for (size_t i = 0; i < count; i++) {
        size_t low = 0; /* number of edges at or below the value */
        size_t high = edges;
        while (low < high) {
            const size_t middle = (low + high) / 2;
            if (edge[middle] <= values[i]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        observed[low] += 1.0;
    }
    probability[0] = 1.0 - tail(law, edge[0]);
    for (size_t i = 1; i < edges; i++)
        probability[i] = tail(law, edge[i - 1]) - tail(law, edge[i]);
    probability[edges] = tail(law, edge[edges - 1]);
    return chi_square_p(observed, probability, edges + 1, (double)count);
}

static inline int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef double (*distribution)(double x);

/* Kolmogorov and Smirnov's p-value (asymptotic series, Stephens' correction); sorts the values. */
static inline double kolmogorov_p(double *values, size_t count, distribution cdf)
{
    qsort(values, count, sizeof *values, compare_doubles);
    const double n = (double)count;
    double distance = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double p = cdf(values[i]);
        distance = fmax(distance, fmax(p - (double)i / n, (double)(i + 1) / n - p));
    }
    const double lambda = (sqrt(n) + 0.12 + 0.11 / sqrt(n)) * distance;
    if (lambda < 0.2) return 1.0;
    double sum = 0.0;
    for (int k = 1; k < 200; k++)
        sum += (k % 2 == 1 ? 2.0 : -2.0) * exp(-2.0 * k * k * lambda * lambda);
    return fmin(1.0, fmax(0.0, sum));
}

/* A sampler must pass what it should, and the same statistic must reject what it should. */
#define assert_same_law(p_value)                                                         \
    support_assert_within((p_value), FALSE_ALARM, 1.0, #p_value, __FILE__, __LINE__)
#define assert_other_law(p_value)                                                        \
    support_assert_within((p_value), 0.0, FALSE_ALARM, #p_value, __FILE__, __LINE__)

#endif
