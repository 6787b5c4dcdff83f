/* sotto/grid.h: records become integers on a public grid before anything is summed.
 *
 * Idea        A record's contribution is clipped to a public bound and rounded toward zero to a
 *             multiple of 2^exponent. Its norm is then checked in integers. Sums of such records
 *             are exact int64, in any order and on any number of threads or machines. So the
 *             declared sensitivity is the true one.
 * Theorem     For every record, also one with NaN or infinite cells, the integers written have
 *             norm at most sotto_grid_bound(). Hence a sum over records moves by at most that
 *             when one is added or removed, by at most twice that when one is replaced.
 * Neighbours  Both kinds; sotto_grid_sensitivity() takes the one that is meant.
 * Assumes     (1) A data set has at most 2^32 records. (2) Bound and exponent are public: they
 *             come from settings or a schema, never from records.
 * Rounding    Toward zero, then down until the exact integer norm is within the bound. With at
 *             most 2^30 units per coordinate and 2^32 records no sum leaves +-2^62.
 *             Proof note: grid.md
 */
#ifndef SOTTO_GRID_H
#define SOTTO_GRID_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In which sense one record is bounded. */
typedef enum sotto_norm {
    SOTTO_NORM_UNSET = 0,
    SOTTO_L1 = 1,
    SOTTO_L2 = 2,
    SOTTO_LINF = 3
} sotto_norm;

/* The public caps: grid units a coordinate and record, and records. */
#define SOTTO_GRID_UNITS_MAX   (INT64_C(1) << 30)
#define SOTTO_GRID_RECORDS_MAX (UINT64_C(1) << 32)

/* Spacings from 2^-400 to 2^400. */
enum { SOTTO_GRID_EXPONENT_MAX = 400, SOTTO_GRID_EXPONENT_UNSET = 1 << 30 };

typedef struct sotto_grid {
    int exponent;    /* the spacing is 2^exponent; has no default */
    sotto_norm norm; /* of the bound; has no default */
    double bound;    /* on one record, in the record's units; has no default */
} sotto_grid;

/* Nothing is set. */
SOTTO_API sotto_grid sotto_grid_defaults(void);

/* The coarsest of the grids whose spacing is at most bound / 2^bits: a public function of a
 * public bound. bits from 0 to 29. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_grid_exponent(double bound, int bits,
                                                            int *out_exponent,
                                                            sotto_error *error);

/* The spacing 2^exponent. */
SOTTO_API double sotto_grid_spacing(const sotto_grid *grid);

/* Returns the bound in grid units on the norm of every quantised record. For L1 and Linf it is
 * the whole number below bound / 2^exponent, for L2 that quotient itself. Refuses a grid that is
 * not set, and a bound of more than 2^30 units or of less than one. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_grid_bound(const sotto_grid *grid,
                                                         double *out_bound_units,
                                                         sotto_error *error);

/* Largest distance, in grid units, of sums of quantised records between neighbours: the bound for
 * SOTTO_ADD_REMOVE, twice the bound for SOTTO_REPLACE_ONE. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_grid_sensitivity(const sotto_grid *grid, sotto_adjacency adjacency,
                       double *out_sensitivity_units, sotto_error *error);

/* Clips and rounds one record. Cells that are NaN or infinite count as 0; a record longer than
 * the bound is shortened (Linf: each cell by itself). Total: only a bad `grid` is refused, never
 * a record. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_grid_quantize(const sotto_grid *grid,
                                                            const double *record,
                                                            size_t dimension,
                                                            int64_t *out_units,
                                                            sotto_error *error);

/* sums[i] += units[i]. Refuses only a sum beyond +-2^62, which the limits exclude; the sums then
 * stay as they were. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_grid_add(int64_t *sums,
                                                       const int64_t *units,
                                                       size_t dimension,
                                                       sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
