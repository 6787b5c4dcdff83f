/* numeric/sum.h: compensated summation (Neumaier, ZAMM 1974).
 *
 * |result - exact sum| <= 2u |exact sum| + (n u)^2 sum |x_i| with u = 2^-53: two
 * roundings, for any number of terms. Needs -ffp-contract=off and no -ffast-math, like
 * the whole library.
 */
#ifndef SOT_NUMERIC_SUM_H
#define SOT_NUMERIC_SUM_H

#include <math.h>

typedef struct sot_sum {
    double high; /* the running sum */
    double low;  /* its lost roundings */
} sot_sum;

static inline void sot_sum_add(sot_sum *sum, double x)
{
    const double high = sum->high + x;
    sum->low +=
        fabs(sum->high) >= fabs(x) ? (sum->high - high) + x : (x - high) + sum->high;
    sum->high = high;
}

static inline double sot_sum_value(const sot_sum *sum)
{
    return sum->high + sum->low;
}

#endif
