/* numeric/outward.h: arithmetic that errs on the safe side.
 *
 * An operation with the suffix _up returns a double that is at least the exact real result of
 * the operation on its double arguments, _down one that is at most it; at most two units in
 * the last place away. The rounding mode is never touched: each result is computed to nearest and
 * moved outward, unless it is known to be exact.
 */
#ifndef SOT_NUMERIC_OUTWARD_H
#define SOT_NUMERIC_OUTWARD_H

#include <math.h>

/* The next double above or below; infinities and NaN stay. */
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

/* libm's exp, log, expm1, log1p are within 1 ulp (glibc); these allow 4. */
double sot_exp_up(double x);
double sot_exp_down(double x);
double sot_log_up(double x);
double sot_log_down(double x);

/* x moved up (down) by |x| * relative + DBL_TRUE_MIN: for results with a known error. */
double sot_widen_up(double x, double relative);
double sot_widen_down(double x, double relative);

#endif
