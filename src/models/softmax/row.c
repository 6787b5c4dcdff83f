/* Errors: softmax.md. */
#include "models/softmax/row.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MARGIN_MOST 1e300

size_t sot_softmax_class(double label, size_t classes)
{
    if (classes == 2) return label < 0.0 ? 0 : 1;
    if (!(label >= 1.0)) return 0; /* NaN too */
    return label >= (double)classes ? classes - 1 : (size_t)label;
}

/* x = n log 2 + r, |r| <= 0.3466: n log2_high is exact (32 + 10 bits). The remainder of the
 * series to r^13 is below 2^-57, and its additions and multiplications cost less than 2^-51. */
static inline double exp_of(double x)
{
    static const double series[] = {0x1.6124613a86d09p-33,
                                    0x1.1eed8eff8d898p-29,
                                    0x1.ae64567f544e4p-26,
                                    0x1.27e4fb7789f5cp-22,
                                    0x1.71de3a556c734p-19,
                                    0x1.a01a01a01a01ap-16,
                                    0x1.a01a01a01a01ap-13,
                                    0x1.6c16c16c16c17p-10,
                                    0x1.1111111111111p-7,
                                    0x1.5555555555555p-5,
                                    0x1.5555555555555p-3,
                                    0.5,
                                    1.0,
                                    1.0};
    x = x > -708.0 ? x : -708.0;
    const double whole = (x * 0x1.71547652b82fep+0 + 0x1.8p52) - 0x1.8p52;
    const double r = (x - whole * 0x1.62e42feep-1) - whole * 0x1.a39ef35793c76p-33;
    double sum = series[0];
    for (size_t i = 1; i < sizeof series / sizeof *series; i++)
        sum = sum * r + series[i];
    const uint64_t bits = (uint64_t)((int64_t)whole + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

double sot_softmax_exp(double x)
{
    return exp_of(x);
}

static inline double bounded(double margin)
{
    margin = margin > -MARGIN_MOST ? margin : -MARGIN_MOST; /* NaN too */
    return margin < MARGIN_MOST ? margin : MARGIN_MOST;
}

double sot_softmax_row(double *inout, size_t classes, size_t label, int with_value)
{
    double most = -MARGIN_MOST;
    for (size_t c = 0; c < classes; c++) {
        inout[c] = bounded(inout[c]);
        most = inout[c] > most ? inout[c] : most;
    }
    const double below = most - inout[label];
    double sum = 0.0;
    for (size_t c = 0; c < classes; c++) {
        inout[c] = exp_of(inout[c] - most);
        sum += inout[c];
    }
    for (size_t c = 0; c < classes; c++)
        inout[c] = inout[c] / sum;
    return with_value ? log(sum) + below : 0.0;
}

double sot_softmax_row_error(size_t classes)
{
    return 0x1p-48 + (2.0 * (double)classes + 8.0) * 0x1p-53;
}

void sot_softmax_row_careful(sot_twofold *inout, size_t classes, size_t label)
{
    sot_twofold most = {-MARGIN_MOST, 0.0};
    for (size_t c = 0; c < classes; c++) {
        const bool finite = fabs(inout[c].high) < MARGIN_MOST && !isnan(inout[c].low);
        if (!finite) inout[c] = (sot_twofold){bounded(inout[c].high), 0.0};
        const bool above = inout[c].high > most.high ||
                           (inout[c].high == most.high && inout[c].low > most.low);
        if (above) most = inout[c];
    }
    sot_twofold sum = {0.0, 0.0};
    for (size_t c = 0; c < classes; c++) {
        const sot_twofold minus = {-inout[c].high, -inout[c].low};
        inout[c] = sot_twofold_exp_of_minus(sot_twofold_add(most, minus));
        sum = sot_twofold_add(sum, inout[c]);
    }
    for (size_t c = 0; c < classes; c++) {
        inout[c] = sot_twofold_div(inout[c], sum);
        if (c == label) inout[c] = sot_twofold_plus(inout[c], -1.0);
    }
}

/* With s the smallest step: s - step of the label + log1p(sum p_c (exp(step_c - s) - 1)). All terms are positive, so that relative
 * errors stay small: p to 2^-95 + classes 2^-102, exp - 1 and log1p to 2^-94. A margin that is off by e costs at most e times the
 * change of slope. `part` of the steps, from `begun` of them on. */
static sot_twofold part_of_difference(const sot_twofold *margins,
                                      const sot_twofold *steps, size_t classes,
                                      size_t label, sot_twofold *p, double begun,
                                      double part)
{
    sot_twofold least = steps[0];
    for (size_t c = 0; c < classes; c++) {
        if (sot_twofold_less(steps[c], least)) least = steps[c];
        p[c] = sot_twofold_add(margins[c], sot_twofold_times(steps[c], begun));
    }
    sot_softmax_row_careful(p, classes,
                            classes); /* probabilities: no class is the label */
    sot_twofold sum = {0.0, 0.0};
    for (size_t c = 0; c < classes; c++) {
        const sot_twofold over =
            sot_twofold_times(sot_twofold_add(steps[c], sot_twofold_minus(least)), part);
        sum = sot_twofold_add(sum, sot_twofold_mul(p[c], sot_twofold_expm1(over)));
    }
    const sot_twofold own =
        sot_twofold_times(sot_twofold_add(least, sot_twofold_minus(steps[label])), part);
    return sot_twofold_add(own, sot_twofold_log1p(sum));
}

sot_twofold sot_softmax_row_difference(const sot_twofold *margins,
                                       const sot_twofold *steps, size_t classes,
                                       size_t label, sot_twofold *scratch)
{
    double least = steps[0].high;
    double most = steps[0].high;
    for (size_t c = 1; c < classes; c++) {
        least = steps[c].high < least ? steps[c].high : least;
        most = steps[c].high > most ? steps[c].high : most;
    }
    /* exp() must not overflow: long ways go in equal parts, whose number is a power of two. */
    double parts = 1.0;
    while ((most - least) / parts > 512.0)
        parts *= 2.0;
    sot_twofold sum = {0.0, 0.0};
    for (double k = 0.0; k < parts; k += 1.0)
        sum = sot_twofold_add(sum, part_of_difference(margins, steps, classes, label,
                                                      scratch, k / parts, 1.0 / parts));
    return sum;
}

double sot_softmax_difference_error(size_t classes)
{
    return 0x1p-92 + (double)classes * 0x1p-102;
}

double sot_softmax_row_error_careful(size_t classes)
{
    return 0x1p-95 + (8.0 * (double)classes + 32.0) * 0x1p-105;
}
