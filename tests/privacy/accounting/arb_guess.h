/* tests/privacy/accounting/arb_guess.h: where to put the contour, in plain doubles.
 *
 * Nothing here is certified and nothing needs to be: any c > 0, step, length and shift of the line
 * give a true ball of delta, these only make it narrow.
 */
#ifndef SOTTO_TESTS_ARB_GUESS_H
#define SOTTO_TESTS_ARB_GUESS_H

#include "privacy/accounting/arb_decay.h"

enum { GUESS_POINTS = 250, GUESS_SHIFTS = 9 };

static inline double guess_d(const arb_t x)
{
    return arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

static inline double guess_log_add(double a, double b)
{
    const double top = fmax(a, b);
    return isinf(top) ? top : top + log(exp(a - top) + exp(b - top));
}

/* log r and arg r at x + ib. */
static inline void guess_ratio(const part *one, double x, double b, double *out_log,
                               double *out_angle)
{
    const double q = guess_d(one->rate), s = guess_d(one->sigma);
    if (one->is_box) { /* on the real line alone */
        *out_log = log1p(q * expm1(guess_d(one->a) * x));
        *out_angle = 0.0;
        return;
    }
    const double u = (2.0 * x - 1.0) / (2.0 * s * s), angle = b / (s * s);
    const double top = fmax(u, 0.0);
    const double re = (1.0 - q) * exp(-top) + q * exp(u - top) * cos(angle);
    const double im = q * exp(u - top) * sin(angle);
    *out_log = top + 0.5 * log(re * re + im * im);
    *out_angle = atan2(im, re);
}

/* log of int |P(x+ib)| e^{c Re L - s Im L} dx; log M(c) at b = s = 0. */
static inline double guess_line(const part *one, double c, double s, double b)
{
    const line_range range = line_range_of(one, c);
    const double h = (range.high - range.low) / GUESS_POINTS;
    const double sigma = guess_d(one->sigma);
    arb_t density;
    double sum = -HUGE_VAL;
    arb_init(density);
    line_density(density, one);
    const double log_h = log(h * guess_d(density));
    arb_clear(density);
    for (int k = 0; k <= GUESS_POINTS; k++) {
        const double x = range.low + h * k;
        double r, angle, back = 0.0, back_angle = 0.0;
        guess_ratio(one, x, b, &r, &angle);
        if (one->kind == PART_REPLACED) guess_ratio(one, -x, -b, &back, &back_angle);
        const double phi =
            log_h - (one->is_box ? 0.5 * guess_d(one->a) * x
                                 : (x * x - b * b) / (2.0 * sigma * sigma));
        const double up = phi + (c + 1.0) * r - c * back - s * (angle - back_angle);
        const double down = phi - c * r + s * angle; /* Im L = -angle */
        if (one->kind != PART_ADD) sum = guess_log_add(sum, up);
        if (one->kind == PART_ADD || one->kind == PART_FIXED)
            sum = guess_log_add(sum, down);
    }
    for (slong i = 0; i < one->atoms; i++) {
        sum =
            guess_log_add(sum, log(guess_d(one->mass + i)) + c * guess_d(one->place + i));
    }
    if (one->kind == PART_FIXED && !one->is_box) {
        const double atom =
            (1.0 - guess_d(one->rate)) * (1.0 - erfc(0.5 / sigma / sqrt(2.0)));
        sum = guess_log_add(sum, log(atom));
    }
    return sum;
}

/* log M(t) of one release. */
static inline double guess_log_mgf(const part *one, double t)
{
    const double a = guess_d(one->a), b = guess_d(one->b);
    double sum = -HUGE_VAL;
    if (one->kind == PART_GAUSSIAN) return 0.5 * t * (t + 1.0) * a;
    if (one->kind == PART_ATOMS) {
        for (slong i = 0; i < one->atoms; i++) {
            sum =
                guess_log_add(sum, log(guess_d(one->mass + i)) + t * (a + b * (double)i));
        }
        return sum;
    }
    if (one->kind == PART_LIST) {
        for (slong i = 0; i < one->atoms; i++) {
            sum = guess_log_add(sum, log(guess_d(one->mass + i)) +
                                         t * guess_d(one->place + i));
        }
        return sum;
    }
    if (one->kind == PART_BOX && one->has_ends) {
        return guess_log_add(log1p(t) + t * a, log(t) - (t + 1.0) * a) - log1p(2.0 * t);
    }
    if (one->kind == PART_BOX) {
        return t * a + log(-expm1(-(2.0 * t + 1.0) * a)) - log1p(2.0 * t) -
               log(-expm1(-a));
    }
    if (one->kind == PART_OBJECTIVE) {
        const double above = 0.5 * erfc((b - 0.5 * a - t * a) / sqrt(2.0 * a));
        sum = t * b + log(0.5 * erfc(-(b - 0.5 * a) / sqrt(2.0 * a)));
        return guess_log_add(sum, 0.5 * t * (t + 1.0) * a + log(1e-300 + above));
    }
    return guess_line(one, t, 0.0, 0.0);
}

static inline double guess_k(const parts *all, double t)
{
    double sum = 0.0;
    for (size_t i = 0; i < all->size; i++)
        sum += (double)all->list[i].count * guess_log_mgf(&all->list[i], t);
    return sum;
}

/* Logarithms of e^{K(c) - c eps}/(c(1+c)), the integrand, and of kappa e^{K(c) - c eps}, Chernoff's
 * bound of delta. */
static inline double guess_height(const parts *all, double epsilon, double c)
{
    return guess_k(all, c) - c * epsilon - log(c) - log1p(c);
}

static inline double guess_chernoff(const parts *all, double epsilon, double c)
{
    return guess_k(all, c) - c * epsilon + c * log(c) - (1.0 + c) * log1p(c);
}

/* The c at which one of them is least: golden section in log c. */
static inline double guess_least(double (*height)(const parts *, double, double),
                                 const parts *all, double epsilon, double c_max,
                                 int steps)
{
    const double g = 0.6180339887498949;
    double low = log(1e-3), high = log(c_max);
    double a = high - g * (high - low), b = low + g * (high - low);
    double fa = height(all, epsilon, exp(a)), fb = height(all, epsilon, exp(b));
    for (int i = 0; i < steps; i++) {
        if (fa < fb) {
            high = b, b = a, fb = fa;
            fa = height(all, epsilon, exp(a = high - g * (high - low)));
        } else {
            low = a, a = b, fa = fb;
            fb = height(all, epsilon, exp(b = low + g * (high - low)));
        }
    }
    return exp(0.5 * (a + b));
}

/* log of line_fixed_decay(). */
static inline double guess_fixed(const part *one, double c, double s)
{
    const line_range range = line_range_of(one, c);
    const double q = guess_d(one->rate), sigma = guess_d(one->sigma);
    double top = -HUGE_VAL, first = 0.0;
    for (int k = 0; k <= 4 * GUESS_POINTS; k++) {
        const double x = 0.5 + (range.high - 0.5) * k / (4 * GUESS_POINTS);
        double r, angle;
        guess_ratio(one, x, 0.0, &r, &angle);
        const double rest =
            -x * x / (2.0 * sigma * sigma) - (2.0 * x - 1.0) / (2.0 * sigma * sigma);
        top = fmax(top, rest + (2.0 + c) * r);
        if (k == 0) first = rest + (1.0 - c) * r;
    }
    const double atom = (1.0 - q) * (1.0 - erfc(0.5 / sigma / sqrt(2.0)));
    const double sum = guess_log_add(top + log(4.0), first + log(2.0)) +
                       log(1.03 * sigma / (q * sqrt(2.0 * 3.14159265358979))) - log(s);
    return guess_log_add(log(atom), sum);
}

/* log(bound of |M(c+is)|/M(c)) of one release, and the shift that gives it. */
static inline double guess_decay(const part *one, double c, double s, double log_m,
                                 double *out_shift)
{
    double best = 0.0;
    *out_shift = 0.0;
    if (one->kind == PART_GAUSSIAN) return -0.5 * s * s * guess_d(one->a);
    if (!part_is_line(one) || one->is_box) return 0.0;
    if (one->kind == PART_FIXED) {
        return fmin(0.0, guess_fixed(one, c, s) - log_m);
    }
    const double sigma = guess_d(one->sigma);
    const double most = fmin(2.2 * sigma * sigma, 8.0 * sigma);
    for (int k = 0; k < GUESS_SHIFTS; k++) {
        const double b = most * exp2(-1.1 * k);
        const double here = guess_line(one, c, s, one->kind == PART_ADD ? -b : b) - log_m;
        if (here < best) {
            best = here;
            *out_shift = b;
        }
    }
    return best;
}

#endif
