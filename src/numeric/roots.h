/* numeric/roots.h: bracketed root finding and one-dimensional minimisation. */
#ifndef SOT_NUMERIC_ROOTS_H
#define SOT_NUMERIC_ROOTS_H

#include <stdbool.h>

typedef double (*sot_function)(double x, void *context);

/* Narrows [*lower, *upper], whose ends have f of opposite sign (or zero), until
 *     upper - lower <= absolute + relative * max(|lower|, |upper|),
 * or no double lies between the two, or `evaluations_max` is spent (both ends are
 * evaluated, and count).
 *
 * On return the sign change is still between the two: each end is a point where f was
 * evaluated, and keeps the sign that f had at that end at the start, so a caller who
 * needs the safe side of a monotone f takes the end on that side. Where f is found to be
 * zero both ends become that point.
 *
 * False, with the bracket as narrow as it was when the trouble came, when the ends are
 * not finite or not ordered, when f(lower), f(upper) do not bracket a root, when f
 * returned NaN or when evaluations_max is below 2. f may be infinite.
 *
 * Cost: superlinear on smooth f (about 10 evaluations to full precision from a good
 * bracket); at most 250, for any f, any bracket of doubles and any tolerance. */
bool sot_find_root(sot_function f, void *context, double *lower, double *upper,
                   double absolute, double relative, int evaluations_max);

/* Returns the minimiser of a unimodal f on [lower, upper], which is finite (Brent: golden
 * section and parabolas), to `tolerance` in x (never below 4 DBL_EPSILON |x|). f may be
 * infinite (or NaN, which counts as infinite) away from the minimum, on either side. The
 * finite part is first searched on finer and finer grids. The value is stored in
 * out_minimum (may be NULL); it is infinite if no point with a finite value was found.
 * The ends themselves are never evaluated. The best point seen within `evaluations_max`
 * is returned.
 *
 * Accuracy: near a smooth minimum f changes by less than its rounding error over a
 * distance of sqrt(2 DBL_EPSILON |f| / f''): a smaller tolerance costs time and gains
 * nothing. */
double sot_minimize(sot_function f, void *context, double lower, double upper,
                    double tolerance, int evaluations_max, double *out_minimum);

#endif
