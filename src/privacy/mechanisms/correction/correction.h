/* privacy/mechanisms/correction/correction.h: the release of a solver's result.
 *
 * Idea        A release Y* is private, but a computer only has an approximation w,
 *             |w - Y*| <= radius on every data set. w is clipped to a public box, rounded to a
 *             public grid, and gets its own noise. The sensitivity is 2 radius (both sides err)
 *             plus the rounding of both sides, sqrt(dimension) grid. This is a second release,
 *             after Y*.
 * Theorem     Adaptive composition of Y* and the second release (correction.md).
 * Neighbours  Those of `adjacency`; the radius is the same for all pairs.
 * Assumes     `radius` holds on every data set. The gate tape tests it. Proof note correction.md
 */
#ifndef SOT_PRIVACY_MECHANISMS_CORRECTION_CORRECTION_H
#define SOT_PRIVACY_MECHANISMS_CORRECTION_CORRECTION_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/gate.h>

enum { SOT_COEFFICIENTS_MAX = 1 << 20 };

/* Coefficients are clipped to this many grid units before they are rounded. */
#define SOT_COEFFICIENT_UNITS_MAX (INT64_C(1) << 61)

typedef struct sot_correction {
    sotto_adjacency adjacency;
    size_t dimension;        /* 1 .. SOT_COEFFICIENTS_MAX */
    double radius;           /* L2, in the units of the coefficients */
    double grid;             /* a power of two */
    double noise_multiplier; /* Gaussian noise, at least this; SOTTO_UNSET: pure */
    double epsilon; /* discrete Laplace noise, at most this; SOTTO_UNSET: Gaussian */
    const char *purpose;
} sot_correction;

/* The event: SOTTO_GAUSSIAN or SOTTO_DISCRETE_LAPLACE. */
SOTTO_MUST_CHECK sotto_status sot_correction_event(const sot_correction *correction,
                                                   sotto_event *out_event,
                                                   sotto_error *error);

/* `units` are multiples of the grid from sot_coefficients_round(). Writes only on success. */
SOTTO_MUST_CHECK sotto_status sot_correction_release(sotto_gate *gate,
                                                     const sot_correction *correction,
                                                     const int64_t *units,
                                                     int64_t *out_units,
                                                     sotto_error *error);

/* 2 radius + sqrt(dimension) grid in units of the grid, rounded up. */
double sot_correction_sensitivity_units(const sot_correction *correction);

/* Clips to the box, then rounds to the nearest multiple of the grid, ties to even. This is exact:
 * the grid is a power of two. NaN, which no proven result is, counts as 0. */
void sot_coefficients_round(const double *theta, size_t dimension, double grid,
                            int64_t *out_units);

/* The way back: multiples of a power of two become doubles, exactly up to 2^53 units. */
void sot_coefficients_from_units(const int64_t *units, size_t count, double grid,
                                 double *out_theta);

/* "PURPOSE: solver". SOTTO_INVALID_ARGUMENT if PURPOSE leaves no room for it. */
SOTTO_MUST_CHECK sotto_status sot_correction_purpose(
    const char *purpose, char out_purpose[SOTTO_PURPOSE_BYTES], sotto_error *error);

/* The power of two at or below (above) x > 0. */
double sot_power_of_two_below(double x);
double sot_power_of_two_above(double x);

/* Returns the smallest grid, a power of two, on which sot_gamma_direction_draw() can sample
 * vectors of density exp(-|b| / scale). It is at most twice the required grid, so it is never
 * refused. */
double sot_gamma_grid(double scale, size_t dimension);

#endif
