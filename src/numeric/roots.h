/* numeric/roots.h: bracketed root finding and one-dimensional minimisation. */
#ifndef SOT_NUMERIC_ROOTS_H
#define SOT_NUMERIC_ROOTS_H

#include <stdbool.h>

typedef double (*sot_function)(double x, void *context);

/* Narrows [*lower, *upper], whose ends have f of opposite sign (or zero), until
 * upper - lower <= absolute + relative * max(|lower|, |upper|) or `evaluations_max` is spent.
 * On return the sign change is still between the two. False when f(lower), f(upper) do not
 * bracket a root or f returned NaN. */
bool sot_find_root(sot_function f, void *context, double *lower, double *upper,
                   double absolute, double relative, int evaluations_max);

/* The minimiser of a unimodal f on [lower, upper] (Brent: golden section and parabolas), to
 * `tolerance` in x. f may be infinite away from the minimum. The value is stored in
 * out_minimum (may be NULL). */
double sot_minimize(sot_function f, void *context, double lower, double upper,
                    double tolerance, int evaluations_max, double *out_minimum);

#endif
