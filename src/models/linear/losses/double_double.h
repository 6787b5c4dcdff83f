/* models/linear/losses/double_double.h: numbers of about 106 bits, as an unevaluated sum of two doubles.
 *
 * The algorithms and their relative errors, with u = 2^-53, are those of Joldes,
 * Muller & Popescu, ACM TOMS 44(2), 2017. The title is "Tight and rigorous error bounds for basic
 * building blocks of double-word arithmetic"; the number of each algorithm is beside it. They
 * hold without overflow and underflow. If results underflow, the absolute error is below 2^-960.
 * Needs -ffp-contract=off.
 */
#ifndef SOT_MODELS_LINEAR_LOSSES_DOUBLE_DOUBLE_H
#define SOT_MODELS_LINEAR_LOSSES_DOUBLE_DOUBLE_H

#include <math.h>

typedef struct sot_twofold {
    double high; /* the sum, rounded to nearest */
    double low;
} sot_twofold;

/* a + b exactly, if |a| >= |b| or a = 0 (Algorithm 1). */
static inline sot_twofold sot_twofold_ordered(double a, double b)
{
    const double high = a + b;
    return (sot_twofold){high, b - (high - a)};
}

/* a + b exactly (Algorithm 2). */
static inline sot_twofold sot_twofold_of_sum(double a, double b)
{
    const double high = a + b;
    const double part_a = high - b;
    const double part_b = high - part_a;
    return (sot_twofold){high, (a - part_a) + (b - part_b)};
}

/* a b exactly (Algorithm 3). */
static inline sot_twofold sot_twofold_of_product(double a, double b)
{
    const double high = a * b;
    return (sot_twofold){high, fma(a, b, -high)};
}

/* x + y, relative error at most 2 u^2 (Algorithm 4). */
static inline sot_twofold sot_twofold_plus(sot_twofold x, double y)
{
    const sot_twofold sum = sot_twofold_of_sum(x.high, y);
    return sot_twofold_ordered(sum.high, x.low + sum.low);
}

/* x + y, relative error at most 3 u^2 / (1 - 4 u) (Algorithm 6). */
static inline sot_twofold sot_twofold_add(sot_twofold x, sot_twofold y)
{
    const sot_twofold high = sot_twofold_of_sum(x.high, y.high);
    const sot_twofold low = sot_twofold_of_sum(x.low, y.low);
    const sot_twofold middle = sot_twofold_ordered(high.high, high.low + low.high);
    return sot_twofold_ordered(middle.high, low.low + middle.low);
}

/* x y, relative error at most 3 u^2 / 2 + 4 u^3 (Algorithm 7). */
static inline sot_twofold sot_twofold_times(sot_twofold x, double y)
{
    const sot_twofold product = sot_twofold_of_product(x.high, y);
    const sot_twofold rest = sot_twofold_ordered(product.high, x.low * y);
    return sot_twofold_ordered(rest.high, rest.low + product.low);
}

/* x y, relative error at most 7 u^2 / (1 + u)^2 (Algorithm 10). */
static inline sot_twofold sot_twofold_mul(sot_twofold x, sot_twofold y)
{
    const sot_twofold product = sot_twofold_of_product(x.high, y.high);
    const double cross = x.high * y.low + x.low * y.high;
    return sot_twofold_ordered(product.high, product.low + cross);
}

/* x / y, relative error at most 15 u^2 + 56 u^3 (Algorithm 17). */
static inline sot_twofold sot_twofold_div(sot_twofold x, sot_twofold y)
{
    const double quotient = x.high / y.high;
    const sot_twofold back = sot_twofold_times(y, quotient);
    const double rest = (x.high - back.high) + (x.low - back.low);
    return sot_twofold_ordered(quotient, rest / y.high);
}

/* Returns sqrt(x), x >= 0, relative error at most 2^-103. With s the root of the first double,
 * `x = s^2 + r + low = s^2 (1 + e)`, |e| <= 3 u, r exact. The correction has the first term of
 * sqrt(1 + e) = 1 + e/2 - e^2/8 + ..., in three operations. */
static inline sot_twofold sot_twofold_sqrt(sot_twofold x)
{
    const double root = sqrt(x.high);
    if (!(root > 0.0)) return (sot_twofold){0.0, 0.0};
    const double rest = fma(-root, root, x.high) + x.low;
    return sot_twofold_ordered(root, rest / (2.0 * root));
}

/* exp(-a) for a >= -700, relative error below 2^-97 down to 2^-900, absolute below 2^-900
 * beyond; DBL_MAX for smaller a. */
sot_twofold sot_twofold_exp_of_minus(sot_twofold a);

/* exp(x) - 1 for |x| <= 700, relative error below 2^-95; -1 for smaller x. */
sot_twofold sot_twofold_expm1(sot_twofold x);

/* log(1 + x) for x >= 0, exp(700) at most, relative error below 2^-94. */
sot_twofold sot_twofold_log1p(sot_twofold x);

/* log(x) for 2^-900 <= x <= 2^900, absolute error below 2^-95. */
sot_twofold sot_twofold_log(double x);

static inline sot_twofold sot_twofold_minus(sot_twofold x)
{
    return (sot_twofold){-x.high, -x.low};
}

static inline int sot_twofold_less(sot_twofold x, sot_twofold y)
{
    return x.high < y.high || (x.high == y.high && x.low < y.low);
}

#endif
