/* numeric/special.h: special functions with a stated error.
 *
 * Every function states its relative error against the exact value of its double
 * argument; tests/numeric/ checks the statement against MPFR over the whole range.
 * Results that underflow may lose that accuracy below DBL_MIN; the log_ versions keep it.
 * Infinite arguments give the limit, and NaN gives NaN. libm (glibc 2.28 or later)
 * supplies exp, expm1, log, log1p, erf, each within 1 ulp.
 */
#ifndef SOT_NUMERIC_SPECIAL_H
#define SOT_NUMERIC_SPECIAL_H

#include <stddef.h>

/* exp(x^2) erfc(x); infinite below about -26.6. Relative error at most 1e-15. */
double sot_erfcx(double x);
/* log erfc(x), finite for every x up to 1.34e154. Relative error at most 1e-15, also near
 * the zero at x = 0. */
double sot_log_erfc(double x);

/* Phi(x), the standard normal distribution function, and its logarithm: finite from
 * -1.89e154 on, and about -Phi(-x), not 0, for large x. Relative error at most
 * 1.5e-15. */
double sot_ndtr(double x);
double sot_log_ndtr(double x);

/* Mills' ratio Phi(-x)/phi(x) = sqrt(pi/2) erfcx(x/sqrt(2)); infinite below about -37.6.
 * Relative error at most 1e-15. */
double sot_mills(double x);
/* -d/dx of Mills' ratio: 1 - x sot_mills(x), without cancellation for large x. Relative
 * error at most 1e-15. */
double sot_mills_slope(double x);

/* Return x with Phi(x) = p, and with log Phi(x) = log_p: both tails, full range (log_p
 * down to -DBL_MAX). p = 0, 1 give -inf, +inf; an invalid probability gives NaN. Relative
 * error at most 2e-15, also near the median, where x = 0. */
double sot_normal_quantile(double p);
double sot_normal_quantile_log(double log_p);

/* log(e^a + e^b), log(e^a - e^b) for a >= b, log of the sum of e^terms[i]; -inf for none.
 * The first is the larger of a, b plus g = log(1 + e^-|a-b|), the second a plus
 * g = log(1 - e^(b-a)), the third the largest term plus the g of the others. The absolute
 * error is at most 5e-16 (|larger| + |g|), for any number of terms: a relative error of
 * 5e-16 unless the two nearly cancel. log_sub_exp is -inf for a = b and NaN for a < b. */
double sot_log_add_exp(double a, double b);
double sot_log_sub_exp(double a, double b);
double sot_log_sum_exp(const double *terms, size_t count);

/* log(n choose k) for real n >= k >= 0; NaN outside. Relative error at most 2e-15, for
 * any n and k, however small the result. */
double sot_log_binomial(double n, double k);

/* Regularised incomplete beta function I_x(a, b) for a, b > 0 and 0 <= x <= 1, and x with
 * I_x(a, b) = p; NaN outside. The function has a relative error of at most 1e-12 where it
 * is above 1e-300 (1 - I_x(a, b) is I_(1-x)(b, a), to be called for its own accuracy when
 * it is small). The inverse is x such that p is within a relative 2e-12 of I between the
 * doubles two below and two above x; 0 if the exact one underflows. Stated and tested for
 * a and b from 1e-3 to 1e10. Beyond, accuracy stays but time grows, as sqrt(max(a, b))
 * near the mean and as 1/sqrt(min(a, b)) for tiny shapes; NaN if five million terms do
 * not suffice. */
double sot_incomplete_beta(double a, double b, double x);
double sot_incomplete_beta_inverse(double a, double b, double p);

#endif
