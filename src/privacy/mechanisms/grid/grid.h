/* privacy/mechanisms/grid/grid.h: norms of integer vectors, decided exactly. */
#ifndef SOT_PRIVACY_MECHANISMS_GRID_GRID_H
#define SOT_PRIVACY_MECHANISMS_GRID_GRID_H

#include <stdbool.h>

#include <sotto/grid.h>

/* Is the norm of a - b at most `bound`, as real numbers? b NULL stands for zeros. No rounding:
 * integers of 128 bits, and the square of a double has at most 106 bits. A bound that is NaN or
 * negative holds nothing. */
bool sot_norm_within(sotto_norm norm, const int64_t *a, const int64_t *b, size_t count,
                     double bound);

/* True, and the exponent, if `value` is a normal power of two. */
bool sot_is_power_of_two(double value, int *out_exponent);

#endif
