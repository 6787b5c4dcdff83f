#include "privacy/accounting/row_loss.h"

#include <float.h>
#include <math.h>

#include "numeric/outward.h"
#include "numeric/special.h"
#include "privacy/accounting/gaussian_profile.h"

/* Chords of the parabola: they lie at most kappa / (4 CHORDS^2) above it. */
enum { CHORDS = 64, STAIRS = 512 };

/* sot_ndtr and sot_log_ndtr are good to a relative 1.5e-15. */
static const double ndtr_error = 2e-15;

static double log_ndtr_up(double z)
{
    const double value = sot_log_ndtr(z);
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
    if (!isfinite(high)) return -HUGE_VAL;
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

/* E e^{start + slope (t - from)} over from < t < to. Under the tilted law t ~ N(a^2/2 + slope
 * a^2, a^2); an infinite end is left out of the arithmetic. */
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

/* Below kappa: stairs over the parabola, each at the height of its right end, and the tail
 * where h(t) = t. Nothing cancels. */
double sot_row_delta_upper(const sot_row_loss *row, double epsilon)
{
    const double a = row->shift;
    const double kappa = row->kappa;
    const sot_bracket exact_shift = {a, a};
    if (epsilon >= kappa) return sot_gaussian_delta(exact_shift, epsilon).upper;
    double sum = 0.0;
    if (epsilon < 0.0) {
        const double least = -(kappa / a + 0.5 * a) * (1.0 - 4.0 * DBL_EPSILON);
        sum = sot_mul_up(-sot_expm1_down(epsilon), sot_exp_up(log_ndtr_up(least)));
    }
    for (int i = 0; i < STAIRS; i++) {
        const double v = (double)(i + 1) / STAIRS; /* exact: a power of two */
        const double rise = sot_sub_down(epsilon, sot_mul_up(kappa, v * v));
        if (rise >= 0.0) continue;
        const double from = kappa * (2.0 * i / STAIRS - 1.0);
        const double to = kappa * (2.0 * (i + 1) / STAIRS - 1.0);
        const double mass = sot_exp_up(log_piece_up(a, 0.0, 0.0, from, to));
        sum = sot_add_up(sum, sot_mul_up(-sot_expm1_down(rise), mass));
    }
    /* Over t >= kappa: 1 - e^{epsilon - kappa} (1 - G) of the part beyond, as a whole. */
    const double place = 0.5 * a - kappa / a;
    const double beyond =
        sot_exp_up(log_ndtr_up(place + 4.0 * DBL_EPSILON * (0.5 * a + kappa / a)));
    const double fall = sot_sub_down(epsilon, kappa);
    const double tail = sot_gaussian_delta(exact_shift, kappa).upper;
    /* E[1 - e^{epsilon - t}; t > kappa] = (1 - e^fall) P(t > kappa) + e^fall G(a, kappa) */
    sum = sot_add_up(sum, sot_mul_up(-sot_expm1_down(fall), beyond));
    sum = sot_add_up(sum, sot_mul_up(sot_exp_up(fall), tail));
    return fmin(1.0, sum);
}
