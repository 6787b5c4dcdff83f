#include <float.h>
#include <stddef.h>

#include "models/linear/losses/double_double.h"

/* Returns exp(x) - 1 for |x| <= log(2) / 128 + 2^-60, by its series to x^12; the remainder is
 * below 2^-135. From x^7 on a term is below 2^-57 x, so doubles suffice there: 2^-110 x. The rest
 * are six steps of a multiplication and an addition. Each step divides the earlier errors by 180
 * or more, so the relative error is below 2^-101. */
static sot_twofold series(sot_twofold x)
{
    static const double tail[] = {0x1.1eed8eff8d898p-29, 0x1.ae64567f544e4p-26,
                                  0x1.27e4fb7789f5cp-22, 0x1.71de3a556c734p-19,
                                  0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-13};
    static const sot_twofold head[] = {{0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
                                       {0x1.1111111111111p-7, 0x1.1111111111111p-63},
                                       {0x1.5555555555555p-5, 0x1.5555555555555p-59},
                                       {0x1.5555555555555p-3, 0x1.5555555555555p-57},
                                       {0.5, 0.0},
                                       {1.0, 0.0}};
    double rest = 0.0;
    for (size_t i = 0; i < sizeof tail / sizeof *tail; i++)
        rest = rest * x.high + tail[i];
    sot_twofold sum = {rest, 0.0};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        sum = sot_twofold_add(sot_twofold_mul(sum, x), head[i]);
    return sot_twofold_mul(sum, x);
}

/* exp(-a) = 2^-k (1 + p), |p| < 0.42. With a = k log 2 - 64 x the first product is exact (40 + 11
 * bits). So x has an absolute error below 2^-107 (k log2_low and the rounding of sums below 1/2),
 * and none if k = 0. (1 + p)^2 = 1 + p (2 + p) doubles p and its error six times, adding a
 * relative 2^-102 each time. */
static sot_twofold reduced(sot_twofold a, double *out_k)
{
    const double k = rint(a.high * 0x1.71547652b82fep+0);
    sot_twofold x = a;
    if (k != 0.0) {
        x = sot_twofold_plus(a, -k * 0x1.62e42fefa2000p-1);
        x = sot_twofold_add(x, sot_twofold_of_product(-k, 0x1.9ef35793c7673p-41));
        x = sot_twofold_plus(x, -k * 0x1.f97b57a079a19p-103);
    }
    x.high *= -0x1p-6;
    x.low *= -0x1p-6;
    sot_twofold p = series(x);
    for (int i = 0; i < 6; i++)
        p = sot_twofold_mul(p, sot_twofold_plus(p, 2.0));
    *out_k = k;
    return p;
}

sot_twofold sot_twofold_exp_of_minus(sot_twofold a)
{
    if (a.high > 800.0) return (sot_twofold){0.0, 0.0};
    if (a.high < -700.0) return (sot_twofold){DBL_MAX, 0.0};
    double k;
    const sot_twofold one_more = sot_twofold_plus(reduced(a, &k), 1.0);
    return (sot_twofold){ldexp(one_more.high, -(int)k), ldexp(one_more.low, -(int)k)};
}

/* k = 0: p itself, whose relative error is below 2^-98. Otherwise |x| > 0.34, and an error of 2^-97 exp(x) is at most
 * 3.5 times as much of exp(x) - 1. */
sot_twofold sot_twofold_expm1(sot_twofold x)
{
    if (x.high < -700.0) return (sot_twofold){-1.0, 0.0};
    double k;
    const sot_twofold p = reduced(sot_twofold_minus(x), &k);
    if (k == 0.0) return p;
    const sot_twofold one_more = sot_twofold_plus(p, 1.0);
    return sot_twofold_plus(
        (sot_twofold){ldexp(one_more.high, -(int)k), ldexp(one_more.low, -(int)k)}, -1.0);
}

/* Let y be near log(1 + x) and E = exp(y) - 1. The rest is log(1 + r),
 * `r = (x - E) / (1 + E), |r| < 2^-48 log(1 + x)`: two terms of its series suffice. E's error of
 * 2^-95 E becomes 2^-95 E / (1 + E) <= 2^-95 log(1 + x). */
sot_twofold sot_twofold_log1p(sot_twofold x)
{
    const double first = log1p(x.high);
    if (!(first > 0.0)) return x; /* 0; tiny numbers are their own logarithms */
    if (first < 0x1p-100) return x;
    const sot_twofold power = sot_twofold_expm1((sot_twofold){first, 0.0});
    const sot_twofold rest = sot_twofold_add(x, sot_twofold_minus(power));
    const sot_twofold r = sot_twofold_div(rest, sot_twofold_plus(power, 1.0));
    const sot_twofold small = sot_twofold_plus(r, -0.5 * r.high * r.high);
    return sot_twofold_plus(small, first);
}

sot_twofold sot_twofold_log(double x)
{
    const double first = log(x);
    const sot_twofold inverse = sot_twofold_exp_of_minus((sot_twofold){first, 0.0});
    const sot_twofold r = sot_twofold_plus(sot_twofold_times(inverse, x), -1.0);
    const sot_twofold small = sot_twofold_plus(r, -0.5 * r.high * r.high);
    return sot_twofold_plus(small, first);
}
