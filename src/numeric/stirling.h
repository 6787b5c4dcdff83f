/* numeric/stirling.h: the error of Stirling's formula, for ratios of factorials.
 *
 * Differences of lgamma() lose all digits when its arguments are large. Written with
 *     log Gamma(x + 1) = (x + 1/2) log x - x + log(2 pi)/2 + stirling_error(x)
 * the large terms combine by hand, and only small ones are left to compute (Loader 2000,
 * "Fast and accurate computation of binomial probabilities").
 */
#ifndef SOT_NUMERIC_STIRLING_H
#define SOT_NUMERIC_STIRLING_H

/* stirling_error(x) for x > 0: positive, decreasing, about 1/(12 x) for large x. Absolute
 * error at most 5e-16 (1 + its value). */
double sot_stirling_error(double x);

/* t - log(1 + t) without cancellation, for t > -1. The caller says 1 + t = scale * z as
 * well, which counts when t is close to -1; z may be subnormal. Relative error at most
 * 1e-15. */
double sot_log_deviation(double t, double scale, double z);

#endif
