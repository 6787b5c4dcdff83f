#include "privacy/mechanisms/grid/grid.h"

#include <math.h>

#include "base/error.h"

__extension__ typedef unsigned __int128 u128;

/* ---- powers of two ---- */

bool sot_is_power_of_two(double value, int *out_exponent)
{
    if (!isnormal(value) || value < 0.0) return false;
    int exponent = 0;
    if (frexp(value, &exponent) != 0.5) return false;
    *out_exponent = exponent - 1;
    return true;
}

/* ---- exact norms ---- */

/* |a - b| of any two int64: below 2^64. */
static uint64_t magnitude_of_difference(int64_t a, int64_t b)
{
    return a >= b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* n <= bound, for an integer n and bound >= 0. */
static bool integer_within(u128 n, double bound)
{
    if (bound >= 0x1p128) return true;
    return n <=
           (u128)bound; /* the conversion drops the fraction, which no integer needs */
}

/* n <= bound^2: with bound = m 2^e, m < 2^53, bound^2 is the 106-bit integer m^2 shifted. */
static bool integer_within_square(u128 n, double bound)
{
    if (bound == 0.0) return n == 0;
    int exponent = 0;
    const u128 mantissa = (u128)ldexp(frexp(bound, &exponent), 53);
    const u128 square = mantissa * mantissa; /* at least 2^104 */
    const int shift = 2 * (exponent - 53);
    if (shift >= 24) return true; /* bound^2 >= 2^128 */
    if (shift > 0 && square >> (128 - shift) != 0) return true;
    if (shift >= 0) return n <= square << shift;
    return shift > -128 ? n <= square >> -shift : n == 0;
}

bool sot_norm_within(sotto_norm norm, const int64_t *a, const int64_t *b, size_t count,
                     double bound)
{
    if (!(bound >= 0.0)) return false;
    if (isinf(bound)) return true;
    u128 total = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t part = magnitude_of_difference(a[i], b == NULL ? 0 : b[i]);
        if (norm == SOTTO_LINF) {
            if (part > total) total = part;
        } else {
            const u128 term = norm == SOTTO_L1 ? part : (u128)part * part;
            if (total > ~(u128)0 - term) return false; /* above 2^64: no sum of ours */
            total += term;
        }
    }
    return norm == SOTTO_L2 ? integer_within_square(total, bound)
                            : integer_within(total, bound);
}

/* ---- the grid ---- */

sotto_grid sotto_grid_defaults(void)
{
    return (sotto_grid){.exponent = SOTTO_GRID_EXPONENT_UNSET,
                        .norm = SOTTO_NORM_UNSET,
                        .bound = SOTTO_UNSET};
}

sotto_status sotto_grid_exponent(double bound, int bits, int *out_exponent,
                                 sotto_error *error)
{
    int exponent = 0;
    (void)frexp(bound, &exponent); /* 2^(exponent - 1) <= bound < 2^exponent */
    if (!isnormal(bound) || bound < 0.0 || bits < 0 || bits > 29 ||
        exponent - 1 - bits < -SOTTO_GRID_EXPONENT_MAX ||
        exponent - 1 > SOTTO_GRID_EXPONENT_MAX) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "no grid for a bound of %g with %d bits; give a bound from 1e-100 "
            "to 1e100 and 0 to 29 bits",
            bound, bits);
    }
    *out_exponent = exponent - 1 - bits;
    return SOTTO_OK;
}

double sotto_grid_spacing(const sotto_grid *grid)
{
    return ldexp(1.0, grid->exponent);
}

sotto_status sotto_grid_bound(const sotto_grid *grid, double *out_bound_units,
                              sotto_error *error)
{
    if (grid->exponent < -SOTTO_GRID_EXPONENT_MAX ||
        grid->exponent > SOTTO_GRID_EXPONENT_MAX) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the exponent of the grid is not set, or beyond +-%d; choose it with "
            "sotto_grid_exponent()",
            SOTTO_GRID_EXPONENT_MAX);
    }
    if (grid->norm != SOTTO_L1 && grid->norm != SOTTO_L2 && grid->norm != SOTTO_LINF) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the norm of the grid is %d; set it to SOTTO_L1, SOTTO_L2 or "
                        "SOTTO_LINF",
                        (int)grid->norm);
    }
    const double units = ldexp(grid->bound, -grid->exponent);
    if (!(units >= 1.0 && units <= (double)SOTTO_GRID_UNITS_MAX)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the bound of the grid is %g, or %g units of 2^%d; choose the "
                        "exponent so that it is from 1 to 2^30 units",
                        grid->bound, units, grid->exponent);
    }
    *out_bound_units = grid->norm == SOTTO_L2 ? units : floor(units);
    return SOTTO_OK;
}

sotto_status sotto_grid_sensitivity(const sotto_grid *grid, sotto_adjacency adjacency,
                                    double *out_sensitivity_units, sotto_error *error)
{
    if (adjacency != SOTTO_ADD_REMOVE && adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "adjacency is %d; set it to SOTTO_ADD_REMOVE or SOTTO_REPLACE_ONE",
            (int)adjacency);
    }
    double bound_units = 0.0;
    const sotto_status status = sotto_grid_bound(grid, &bound_units, error);
    if (status != SOTTO_OK) return status;
    /* Replacing removes one record and adds another: each moves the sum by its own norm. */
    const bool counts_twice = adjacency == SOTTO_REPLACE_ONE;
    *out_sensitivity_units = counts_twice ? 2.0 * bound_units : bound_units;
    return SOTTO_OK;
}

/* ---- one record ---- */

static double finite_or_zero(double cell)
{
    return isfinite(cell) ? cell : 0.0;
}

static double largest_cell(const double *record, size_t dimension)
{
    double largest = 0.0;
    for (size_t i = 0; i < dimension; i++) {
        const double cell = fabs(finite_or_zero(record[i]));
        if (cell > largest) largest = cell;
    }
    return largest;
}

/* The norm of the record times `scale`, a power of two that makes the largest cell less than 1:
 * nothing overflows. The result decides the shrinking factor; the integers decide if it was
 * enough. */
static double scaled_norm(sotto_norm norm, const double *record, size_t dimension,
                          double scale)
{
    double total = 0.0;
    for (size_t i = 0; i < dimension; i++) {
        const double cell = fabs(finite_or_zero(record[i]) * scale);
        total += norm == SOTTO_L1 ? cell : cell * cell;
    }
    return norm == SOTTO_L1 ? total : sqrt(total);
}

static int64_t round_cell(double units)
{
    return (int64_t)units; /* toward zero: the norm cannot grow */
}

/* L1, L2: cells times min(1, bound / norm). */
static void shrink(const sotto_grid *grid, double bound_units, const double *record,
                   size_t dimension, int64_t *out_units)
{
    double scale =
        ldexp(1.0, -grid->exponent); /* from the record's units to the grid's */
    double factor = 1.0;
    int k = 0;
    (void)frexp(largest_cell(record, dimension), &k); /* the largest cell is below 2^k */
    if (k >
        -1000) { /* else all of it is below 2^-900, and every bound is at least 2^-400 */
        const double below_one = ldexp(1.0, -k);
        const double norm = scaled_norm(grid->norm, record, dimension, below_one);
        if (ldexp(norm, k - grid->exponent) > bound_units) {
            scale = below_one;
            factor = bound_units / norm;
        }
    }
    /* At most bound_units and a few units in the last place: within int64. */
    for (size_t i = 0; i < dimension; i++)
        out_units[i] = round_cell(finite_or_zero(record[i]) * scale * factor);
}

/* Linf: each cell by itself. */
static void clamp(const sotto_grid *grid, double bound_units, const double *record,
                  size_t dimension, int64_t *out_units)
{
    const double scale = ldexp(1.0, -grid->exponent);
    for (size_t i = 0; i < dimension; i++) {
        double units = finite_or_zero(record[i]) * scale; /* at times infinite */
        if (units > bound_units) units = bound_units;
        if (units < -bound_units) units = -bound_units;
        out_units[i] = round_cell(units);
    }
}

sotto_status sotto_grid_quantize(const sotto_grid *grid, const double *record,
                                 size_t dimension, int64_t *out_units, sotto_error *error)
{
    double bound_units = 0.0;
    const sotto_status status = sotto_grid_bound(grid, &bound_units, error);
    if (status != SOTTO_OK) return status;

    if (grid->norm == SOTTO_LINF) {
        clamp(grid, bound_units, record, dimension, out_units);
    } else {
        shrink(grid, bound_units, record, dimension, out_units);
    }
    /* The doubles above may have rounded up to the next unit, so the norm may exceed the bound by
     * their last digits. Step toward zero until the integer norm is within the bound. */
    while (!sot_norm_within(grid->norm, out_units, NULL, dimension, bound_units)) {
        for (size_t i = 0; i < dimension; i++)
            out_units[i] -= (out_units[i] > 0) - (out_units[i] < 0);
    }
    return SOTTO_OK;
}

sotto_status sotto_grid_add(int64_t *sums, const int64_t *units, size_t dimension,
                            sotto_error *error)
{
    const int64_t most = INT64_C(1) << 62; /* 2^32 records of 2^30 units */
    size_t done = 0;
    for (; done < dimension; done++) {
        int64_t sum = 0;
        if (__builtin_add_overflow(sums[done], units[done], &sum)) break;
        if (sum > most || sum < -most) break;
        sums[done] = sum;
    }
    if (done == dimension) return SOTTO_OK;
    while (done-- > 0)
        sums[done] -= units[done];
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "a sum leaves the public caps of 2^32 records and 2^30 grid units; "
                    "give another file");
}
