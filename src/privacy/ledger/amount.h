/* ledger/amount.h: charges, as whole numbers of units.
 *
 * Idea      A sum of doubles loses small terms: 1e6 + 1e-12 is 1e6, and a million such runs would be
 *           free. Amounts are int64 in units of a power of two, so adding them is exact.
 * Range     Amounts and their sums are at most 2^62 - 1, so an int64 never overflows:
 *           ledger.md section "Rounding".
 */
#ifndef SOT_LEDGER_AMOUNT_H
#define SOT_LEDGER_AMOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* log2 of the unit of each column. */
enum {
    SOT_CHARGE_UNIT =
        -40, /* Renyi divergence, mu^2, rho; epsilon of older pure ledgers: up to 4.2e6 */
    SOT_DELTA_UNIT = -62,  /* the runs' own deltas: up to 1 */
    SOT_SAMPLER_UNIT = -90 /* total variation of samplers: up to 3.7e-9 */
};

/* A sampler error so small that it costs less than one delta unit in every budget with a delta,
 * where epsilon is at most SOT_EPSILON_SPECK_MAX. (1 + e^500) 2^-800 < 2^-78. The library's own
 * samplers err less (2^-900 a number). */
#define SOT_SAMPLER_SPECK 0x1p-800
enum { SOT_EPSILON_SPECK_MAX = 500 };

static const int64_t sot_amount_max = (INT64_C(1) << 62) - 1;

/* The least amount whose value is at least `value`, and the greatest that is at most it. False,
 * with *out untouched, for NaN, negative, infinite and too large values. */
bool sot_amount_up(double value, int unit, int64_t *out_amount);
bool sot_amount_down(double value, int unit, int64_t *out_amount);

/* The same in units of 10^-12, the currency of the basic member: ten releases of epsilon 0.1 are one of epsilon 1. A double
 * within 2^-50 of itself of a whole number of units counts as that number. */
bool sot_decimal_up(double value, int64_t *out_amount);
bool sot_decimal_down(double value, int64_t *out_amount);
double sot_decimal_value(int64_t amount); /* the nearest double */

/* a + b, or false beyond sot_amount_max; both are amounts. */
bool sot_amount_add(int64_t a, int64_t b, int64_t *out_sum);

/* The value as a double, on the safe side where 53 bits do not hold it. */
double sot_amount_value_up(int64_t amount, int unit);
double sot_amount_value_down(int64_t amount, int unit);

#endif
