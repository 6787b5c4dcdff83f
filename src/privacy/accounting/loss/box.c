/* Ends and middle: the loss of Laplace noise, and of a release of bounded range.
 *
 * With e the largest loss, the measure e^{-l/2} dP is symmetric: mass A e^{-e/2} at each of +-e
 * and the density B e^{-e/2}/(2e) between. Laplace noise of scale 1/e has A = 1/2, B = e/2. For
 * log ratios in a range of length e, the smallest dominating pair has A = 0, B = e/(1 - e^-e)
 * (loss.md, section 2). With w = (2t + 1) e and g(w) = (1 - e^-w)/w,
 *     M(t) = e^{te} [A (1 + e^-w) + B g(w)]. */
#include <complex.h>
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "privacy/accounting/loss/kinds.h"

static const double unit = 0x1p-53;

#define i_unit ((double complex)I)

static double ends_of(const sot_law *law)
{
    return law->has_ends ? 0.5 : 0.0;
}

static double middle_of(const sot_law *law)
{
    return law->has_ends ? 0.5 * law->loss : law->loss / -expm1(-law->loss);
}

sot_bracket sot_box_delta(const sot_law *law, double epsilon)
{
    const double e = law->loss;
    const double positive = fabs(epsilon);
    sot_bracket delta = {0.0, 0.0};
    if (positive < e) {
        /* 1 - e^{(eps-e)/2}; squared over 1 - e^-e without ends. */
        const double far = positive + 8.0 * unit * e;
        const double low = far < e ? -expm1(0.5 * (far - e)) : 0.0;
        const double high = -expm1(0.5 * (positive - e));
        const double relative = 16.0 * unit;
        delta.lower = law->has_ends ? low : low * low / -expm1(-e);
        delta.upper = law->has_ends ? high : high * high / -expm1(-e);
        delta.lower = sot_widen_down(delta.lower, relative);
        delta.upper = fmin(1.0, sot_widen_up(delta.upper, relative));
    }
    return sot_law_mirror(delta, epsilon);
}

/* sinh d - d and y cosh y - sinh y, by their series while they cancel. */
static double sinh_beyond(double d)
{
    if (d > 1.0) return sinh(d) - d;
    double term = d * d * d / 6.0;
    double sum = 0.0;
    for (double n = 3.0; term > 1e-18 * sum && n < 41.0; n += 2.0) {
        sum += term;
        term *= d * d / ((n + 1.0) * (n + 2.0));
    }
    return sum;
}

static double cosh_beyond(double y)
{
    if (y > 1.0) return y * cosh(y) - sinh(y);
    double power = y * y * y / 6.0; /* y^{2n+1}/(2n+1)! */
    double sum = 0.0;
    for (double n = 1.0; n < 20.0; n += 1.0) {
        sum += 2.0 * n * power;
        power *= y * y / ((2.0 * n + 2.0) * (2.0 * n + 3.0));
    }
    return sum;
}

/* sinh(x)/x - sinh(y)/y for x = y + d, in positive terms only. Times x y it is 2 y
 * sinh(y) sinh^2(d/2) + y cosh(y) (sinh d - d) + d (y cosh y - sinh y). */
static double shc_difference(double y, double d)
{
    const double half = sinh(0.5 * d);
    const double sum = 2.0 * y * sinh(y) * half * half + y * cosh(y) * sinh_beyond(d) +
                       d * cosh_beyond(y);
    return sum / (y * (y + d));
}

double sot_box_log_mgf(const sot_law *law, double t, double *out_error)
{
    const double e = law->loss;
    const double ends = ends_of(law);
    const double middle = middle_of(law);
    const double y = 0.5 * e;
    const double d = t * e;
    if (y + d < 20.0) {
        const double pair = 4.0 * sinh(0.5 * (t + 1.0) * e) * sinh(0.5 * d);
        const double excess =
            exp(-y) * (ends * pair + middle * shc_difference(y, d)); /* M(t) - 1 */
        const double log_mgf = log1p(excess);
        *out_error =
            unit * ((128.0 + 16.0 * (y + d)) * excess / (1.0 + excess) + 8.0 * log_mgf);
        return log_mgf;
    }
    const double w = (2.0 * t + 1.0) * e;
    const double bracket = log(ends * (1.0 + exp(-w)) + middle * -expm1(-w) / w);
    *out_error = unit * (16.0 * d + 8.0 * fabs(bracket) + 64.0);
    return d + bracket;
}

/* Dong, Durfee & Rogers (ICML 2020): the pairs are
 * `p/q = e^x, (1-p)/(1-q) = e^{x-e}, 0 <= x <= e`. Let the order be a = t + 1,
 * `A = (1 - e^{-ae})/(1 - e^-e)` and y = e^-x. Then e^{t D_a} is `y^-a (A (y - e^-e) + e^{-ae})`.
 * It is largest at `y = a (A e^-e - e^{-ae})/(t A)`, clipped to [e^-e, 1]. An error in y enters
 * only by its square. Also D_a <= a e^2/8 (Cesar & Rogers, ALT 2021). */
double sot_range_renyi_upper(double loss, double t)
{
    const double order = t + 1.0;
    const double zcdp = sot_widen_up(0.125 * t * order * loss * loss, 16.0 * unit);
    const double least = exp(-loss);
    const double power = exp(-order * loss);
    const double whole = -expm1(-order * loss) / -expm1(-loss);
    const double best = order * (whole * least - power) / (t * whole);
    const double y = fmin(1.0, fmax(least, best));
    const double first = -order * log(y);
    const double second = log(whole * (y - least) + power);
    const double slack = unit * (32.0 * order + 8.0 * fabs(first) + 8.0 * fabs(second));
    const double exact = first + second + slack;
    return exact < zcdp ? fmax(exact, 0.0) : zcdp; /* NaN: zCDP */
}

/* e^z - 1 without cancellation. */
static double complex complex_expm1(double complex z)
{
    const double x = creal(z);
    const double half = sin(0.5 * cimag(z));
    const double grown = exp(x);
    return expm1(x) - 2.0 * grown * half * half + i_unit * (grown * sin(cimag(z)));
}

sotto_status sot_box_accumulate(const sot_law *law, const sot_law_table *table,
                                sotto_error *error)
{
    (void)error;
    const double e = law->loss;
    const double ends = ends_of(law);
    const double middle = middle_of(law);
    const double w0 = (2.0 * table->c + 1.0) * e;
    const double whole = ends * (1.0 + exp(-w0)) + middle * -expm1(-w0) / w0;
    for (size_t j = 0; j < table->nodes; j++) {
        const double s = (double)j * table->step;
        const double complex w = w0 + i_unit * (2.0 * s * e);
        const double complex lost = -complex_expm1(-w); /* 1 - e^-w */
        const double complex bracket = ends * (2.0 - lost) + middle * lost / w;
        const double complex ratio =
            (cos(s * e) + i_unit * sin(s * e)) * bracket / whole - 1.0;
        /* Angles carry u s e each, factors a few u; the whole is at most M(c). */
        const double rho = j == 0 ? 0.0 : unit * (64.0 + 16.0 * s * e);
        sot_atoms_add_node(law->count, rho, creal(ratio), cimag(ratio),
                           &table->log_modulus[j], &table->argument[j], &table->error[j]);
    }
    return SOTTO_OK;
}

void sot_box_tail(const sot_law *law, double c, double *out_limit, double *out_slope)
{
    const double e = law->loss;
    const double ends = ends_of(law);
    const double middle = middle_of(law);
    const double w = (2.0 * c + 1.0) * e;
    const double whole = ends * (1.0 + exp(-w)) + middle * -expm1(-w) / w;
    const double widening = 1.0 + 64.0 * unit;
    *out_limit = ends * (1.0 + exp(-w)) / whole * widening;
    *out_slope = middle * (1.0 + exp(-w)) / (2.0 * e * whole) * widening;
}
