/* numeric/special.h: special functions with a stated error.
 *
 * Every function states its relative error against the exact value of its double argument;
 * tests/numeric/ checks the statement against MPFR over the whole range. Results that
 * underflow may lose that accuracy below DBL_MIN; the log_ versions keep it.
 */
#ifndef SOT_NUMERIC_SPECIAL_H
#define SOT_NUMERIC_SPECIAL_H

#include <stddef.h>

/* exp(x^2) erfc(x); infinite below about -26.6. */
double sot_erfcx(double x);
/* log erfc(x), finite for every finite x. */
double sot_log_erfc(double x);

/* Phi(x), the standard normal distribution function, and its logarithm. */
double sot_ndtr(double x);
double sot_log_ndtr(double x);

/* Mills' ratio Phi(-x)/phi(x) = sqrt(pi/2) erfcx(x/sqrt(2)). */
double sot_mills(double x);
/* -d/dx of Mills' ratio: 1 - x sot_mills(x), without cancellation for large x. */
double sot_mills_slope(double x);

/* x with Phi(x) = p, and with log Phi(x) = log_p: both tails, full range; p = 0, 1 give
 * -inf, +inf. */
double sot_normal_quantile(double p);
double sot_normal_quantile_log(double log_p);

/* log(e^a + e^b), log(e^a - e^b) for a >= b, log of the sum of e^terms[i]; -inf for none. */
double sot_log_add_exp(double a, double b);
double sot_log_sub_exp(double a, double b);
double sot_log_sum_exp(const double *terms, size_t count);

/* log(n choose k) for real n >= k >= 0. */
double sot_log_binomial(double n, double k);

/* Regularised incomplete beta function I_x(a, b), and x with I_x(a, b) = p. */
double sot_incomplete_beta(double a, double b, double x);
double sot_incomplete_beta_inverse(double a, double b, double p);

#endif
