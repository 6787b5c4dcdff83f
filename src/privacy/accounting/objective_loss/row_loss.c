#include "privacy/accounting/objective_loss/row_loss.h"

#include <float.h>
#include <math.h>

#include "numeric/outward.h"
#include "numeric/special.h"
#include "privacy/accounting/profile/gaussian.h"

/* Chords of the parabola, which lie at most kappa / (4 CHORDS^2) above it, and cells of the
 * integral for delta. */
enum { CHORDS = 64, CELLS = 64 };

/* sot_ndtr and sot_log_ndtr are good to a relative 1.5e-15. */
static const double ndtr_error = 2e-15;

static double log_ndtr_up(double z)
{
    const double value = sot_log_ndtr(z);
    if (!(value >= -DBL_MAX)) return -DBL_MAX; /* beyond the doubles, but no zero */
    return fmin(0.0, value + ndtr_error * fabs(value));
}

static double log_ndtr_down(double z)
{
    const double value = sot_log_ndtr(z);
    return value - ndtr_error * fabs(value);
}

/* log P(from < Z < to), rounded up. Both ends in the same tail: the difference of its logarithms
 * keeps the relative accuracy however far out they are. */
static double log_between_up(double from, double to)
{
    if (!(from < to)) return -HUGE_VAL;
    if (from > 0.0) return log_between_up(-to, -from);
    if (to > 0.0) {
        const double outside = sot_widen_down(sot_ndtr(from), ndtr_error) +
                               sot_widen_down(sot_ndtr(-to), ndtr_error);
        return fmin(0.0, sot_log1p_up(-fmax(0.0, outside - DBL_EPSILON)));
    }
    const double high = log_ndtr_up(to);
    const double fall = sot_sub_up(high, log_ndtr_down(from)); /* at least 0 */
    const double lost = sot_expm1_down(-fall);                 /* from -1 to 0 */
    if (!(lost < 0.0)) return -HUGE_VAL;
    return fmin(0.0, sot_add_up(high, sot_log_up(fmin(1.0, -lost))));
}

/* Sums of e^x by their logarithms; the largest one is kept outside. */
typedef struct log_sum {
    double largest, scaled;
} log_sum;

static void add_term(log_sum *sum, double log_term)
{
    if (log_term == -HUGE_VAL) return;
    if (log_term <= sum->largest) {
        sum->scaled =
            sot_add_up(sum->scaled, sot_exp_up(sot_sub_up(log_term, sum->largest)));
        return;
    }
    if (sum->largest == -HUGE_VAL) {
        sum->scaled = 1.0;
    } else {
        const double shrunk = sot_exp_up(sot_sub_up(sum->largest, log_term));
        sum->scaled = sot_add_up(1.0, sot_mul_up(sum->scaled, shrunk));
    }
    sum->largest = log_term;
}

/* Returns E e^{start + slope (t - from)} over from < t < to. Under the exponential weight
 * t ~ N(a^2/2 + slope a^2, a^2). An infinite end is left out of the arithmetic. */
static double log_piece_up(double shift, double start, double slope, double from,
                           double to)
{
    const double square = shift * shift;
    const double tilt = 0.5 * square * slope * (1.0 + slope);
    const double centre = shift * (0.5 + slope);
    const double blur = 8.0 * DBL_EPSILON;
    const double left = from / shift - centre - blur * (fabs(from / shift) + centre);
    const double right =
        isinf(to) ? to : to / shift - centre + blur * (fabs(to / shift) + centre);
    if (isnan(left) || isnan(right)) return HUGE_VAL; /* places beyond the doubles */
    const double exponent =
        start - slope * from + tilt + blur * (fabs(start) + fabs(slope * from) + tilt);
    return sot_add_up(exponent, log_between_up(left, right));
}

double sot_row_log_mgf_upper(const sot_row_loss *row, double order)
{
    const double a = row->shift;
    const double kappa = row->kappa;
    log_sum sum = {-HUGE_VAL, 0.0};
    const double least = -(kappa / a + 0.5 * a) * (1.0 - 4.0 * DBL_EPSILON);
    add_term(&sum, log_ndtr_up(least));
    for (int i = 0; i < CHORDS && kappa > 0.0; i++) {
        /* With v = (t + kappa)/(2 kappa) h = kappa v^2; the chord from i to i + 1. */
        const double from = kappa * (2.0 * i / CHORDS - 1.0);
        const double to = kappa * (2.0 * (i + 1) / CHORDS - 1.0);
        const double height = kappa * ((double)i / CHORDS) * ((double)i / CHORDS);
        const double slope = (2.0 * i + 1.0) / (2.0 * CHORDS);
        add_term(&sum, log_piece_up(a, order * height, order * slope, from, to));
    }
    add_term(&sum, log_piece_up(a, order * kappa, order, kappa, HUGE_VAL));
    const double total = sot_add_up(sum.largest, sot_log_up(sum.scaled));
    return isnan(total) ? HUGE_VAL : fmax(0.0, total);
}

/* Returns z(v) = (kappa (2 v - 1) - a^2/2)/a, rounded down, and the size of the sum. h(t) > kappa
 * v^2 if t is that many standard deviations above its mean. */
static double place_down(const sot_row_loss *row, double v, double *out_size)
{
    const double along = row->kappa * (2.0 * v - 1.0) / row->shift;
    *out_size = fabs(along) + 0.5 * row->shift;
    return along - 0.5 * row->shift - 8.0 * DBL_EPSILON * *out_size;
}

/* log(sinh(x)/x) for x >= 0, at most x^2/6. */
static double log_sinhc_up(double x)
{
    if (x < 0.125) return sot_mul_up(x, x) / 5.999;
    const double ratio = sot_div_up(-sot_expm1_down(-2.0 * x), 2.0 * x);
    return sot_add_up(x, sot_log_up(ratio));
}

/* phi(z)/P(Z > z), and a bound on its relative error when z was summed from terms of that size. */
static double hazard_of(double z, double log_above, double size, double *out_error)
{
    if (z > 1e3) { /* between z and z + 1/z (Gordon 1941) */
        *out_error = 1.0 / (z * z) + 64.0 * DBL_EPSILON * size / z;
        return z + 1.0 / z;
    }
    *out_error = 32.0 * DBL_EPSILON * (size * (fabs(z) + 1.0) + z * z - log_above + 1.0);
    return exp(-0.5 * z * z - 0.91893853320467274 - log_above);
}

/* The integral over from < v < to of e^g,
 * `g = epsilon + log(2 kappa v) - kappa v^2 + log P(Z > z(v))`. g is concave, so it lies under
 * its tangent at the middle m. The integral is at most `(to - from) e^{g(m)} sinh(x)/x`,
 * `x = g'(m) (to - from)/2`. `doubt` bounds the rounding of the slope. */
static double cell_up(const sot_row_loss *row, double epsilon, double from, double to)
{
    const double kappa = row->kappa, blur = 32.0 * DBL_EPSILON;
    const double m = 0.5 * (from + to);
    const double half = sot_widen_up(fmax(to - m, m - from), blur);
    double size;
    const double z = place_down(row, m, &size);
    const double log_above = log_ndtr_up(-z);
    double unsure;
    const double hazard = hazard_of(z, log_above, size, &unsure);
    const double pull = 2.0 * kappa / row->shift * hazard;
    const double slope = 1.0 / m - 2.0 * kappa * m - pull;
    const double doubt = pull * unsure + blur * (1.0 / m + 2.0 * kappa * m + pull);
    const double spread = log_sinhc_up(fabs(slope) * half);
    const double log_kappa = log(kappa), log_width = log(4.0 * m * half);
    const double rest = doubt * half + blur * (epsilon + kappa * m * m + fabs(log_kappa) +
                                               fabs(log_width) - log_above + spread);
    return sot_exp_up(epsilon - kappa * m * m + log_kappa + log_width + log_above +
                      spread + rest);
}

/* Returns the part above v, as if all of it were lost beyond the loss kappa v^2:
 * `e^{epsilon - kappa v^2} P(h > kappa v^2)`. At v = 1 it is known: t > kappa, where h(t) = t. */
static double beyond_up(const sot_row_loss *row, double epsilon, double v)
{
    if (v >= 1.0) {
        const sot_bracket exact_shift = {row->shift, row->shift};
        return sot_mul_up(sot_exp_up(sot_sub_up(epsilon, row->kappa)),
                          sot_gaussian_delta(exact_shift, row->kappa).upper);
    }
    double size;
    const double log_above = log_ndtr_up(-place_down(row, v, &size));
    const double reached = sot_mul_down(sot_mul_down(row->kappa, v), v);
    return sot_exp_up(sot_add_up(sot_sub_up(epsilon, reached), log_above));
}

/* E (1 - e^{epsilon - h})_+ is the integral over x > epsilon of e^{epsilon - x} P(h > x). Below 0
 * P = 1, which leaves 1 - e^epsilon (1 - delta(0)); up to kappa x = kappa v^2; nothing cancels.
 * The cells end where the rest is nothing beside them: 9 standard deviations, or e^-40. */
double sot_row_delta_upper(const sot_row_loss *row, double epsilon)
{
    const double a = row->shift;
    const double kappa = row->kappa;
    if (epsilon < 0.0) {
        const double at_zero = sot_row_delta_upper(row, 0.0);
        const double lost = -sot_expm1_down(epsilon);
        return fmin(1.0, sot_add_up(lost, sot_mul_up(sot_exp_up(epsilon), at_zero)));
    }
    const sot_bracket exact_shift = {a, a};
    if (epsilon >= kappa) return sot_gaussian_delta(exact_shift, epsilon).upper;
    const double first = sot_widen_down(sqrt(epsilon / kappa), 4.0 * DBL_EPSILON);
    const double from = fmin(1.0, fmax(0.0, first));
    double size;
    const double far = fmax(0.0, place_down(row, from, &size)) + 9.0;
    const double to = fmin(1.0, fmin(0.5 + 0.5 * a * (far + 0.5 * a) / kappa,
                                     sqrt((epsilon + 40.0) / kappa)));
    double sum = beyond_up(row, epsilon, to);
    for (int i = 0; i < CELLS && from < to; i++) {
        const double left = from + (to - from) * ((double)i / CELLS);
        const double right =
            i + 1 == CELLS ? to : from + (to - from) * ((double)(i + 1) / CELLS);
        if (left < right) sum = sot_add_up(sum, cell_up(row, epsilon, left, right));
    }
    return sum < 1.0 ? sum : 1.0;
}
