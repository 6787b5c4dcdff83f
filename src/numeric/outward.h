/* numeric/outward.h: arithmetic that errs on the safe side.
 *
 * Idea: an operation with the suffix _up returns a double that is at least the exact real
 * result of the operation on its double arguments, _down one that is at most it. The
 * rounding mode is never changed. Each result is computed to nearest, and the sign of its
 * rounding error is found exactly. The result is moved to the next double only if it lies
 * on the wrong side.
 *
 * Theorem: without overflow, the rounding error of a sum is a double and Fast2Sum returns
 * it (Dekker 1971). The errors of a product and the residuals of a quotient and a square
 * root are doubles that one fused multiply-add returns, if no operand or result is near
 * the subnormal range (Boldo & Daumas 2003). Near it the operands are first scaled by
 * powers of two. So +, -, *, / and sqrt are the correctly directed roundings, over the
 * whole range: an exact result stays exact.
 *
 * Overflow: a finite exact result beyond DBL_MAX gives inf upward and DBL_MAX downward
 * (and the mirror image). One between 0 and DBL_TRUE_MIN gives one of these two.
 *
 * Infinities: infinite arguments follow IEEE 754, in both directions. inf + 1 is inf,
 * 1 / inf is 0, a / 0 is infinite with the sign of a and of the zero. inf - inf, 0 * inf,
 * 0 / 0, inf / inf, sqrt(-1) are NaN. NaN in, NaN out.
 *
 * Assumes: round-to-nearest and no wider intermediates (FLT_EVAL_METHOD is 0), the
 * default on every 64-bit platform; outward.c refuses to compile otherwise.
 */
#ifndef SOT_NUMERIC_OUTWARD_H
#define SOT_NUMERIC_OUTWARD_H

#include <math.h>

/* The next double above or below; infinities and NaN stay. Both zeros have the same
 * neighbours, DBL_TRUE_MIN and -DBL_TRUE_MIN. The neighbour of DBL_MAX is inf. */
double sot_next_up(double x);
double sot_next_down(double x);

double sot_add_up(double a, double b);
double sot_add_down(double a, double b);
double sot_sub_up(double a, double b);
double sot_sub_down(double a, double b);
double sot_mul_up(double a, double b);
double sot_mul_down(double a, double b);
double sot_div_up(double a, double b);
double sot_div_down(double a, double b);
double sot_sqrt_up(double x);
double sot_sqrt_down(double x);

/* libm's exp, log, expm1, log1p are within 1 ulp (glibc manual, "Known Maximum Errors");
 * these allow 4: they move the libm value by 4 doubles. Where the exact value is a double
 * (exp(0), log(1), expm1(0), log1p(0), limits at infinity) they return it, and they never
 * cross a value that the function itself cannot cross: exp_down(x) >= 0, exp_down(x) >= 1
 * for x >= 0, exp_up(x) <= 1 for x <= 0, expm1_down(x) >= -1 and expm1_down(x) >= x;
 * log1p_up(x) <= x. */
double sot_exp_up(double x);
double sot_exp_down(double x);
double sot_log_up(double x);
double sot_log_down(double x);
double sot_expm1_up(double x);
double sot_expm1_down(double x);
double sot_log1p_up(double x);
double sot_log1p_down(double x);

/* x moved up (down) by |x| * relative + DBL_TRUE_MIN, rounded outward: for results with a
 * known error. `relative` is at least 0. Infinities and NaN stay. */
double sot_widen_up(double x, double relative);
double sot_widen_down(double x, double relative);

#endif
