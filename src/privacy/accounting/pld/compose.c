#include "privacy/accounting/pld/compose.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/fft.h"
#include "numeric/outward.h"
#include "numeric/sum.h"

/* max over x of (1 - e^-x) e^{-theta x} = theta^theta/(1 + theta)^{1 + theta}, at most 1/(1+theta). */
static double largest_weight(double theta)
{
    return 1.0 / (1.0 + theta);
}

/* ---- the exponentially weighted distributions ---- */

/* Fills `ring` with the exponentially weighted masses, rounded to the safe side of `side`, and
 * returns a bound on their Euclidean norm. */
static double tilt(const sot_pld_nodes *law, const sot_pld_view *view, double kappa,
                   sot_pld_side side, double *ring)
{
    const int64_t size = (int64_t)view->size;
    const double sign = side == SOT_PLD_UPPER ? 1.0 : -1.0;
    double squares = 0.0;
    memset(ring, 0, (view->size + 2) * sizeof *ring);
    for (size_t i = 0; i < law->count; i++) {
        if (law->mass[i] == 0.0) continue;
        const int64_t index = law->first + (int64_t)i;
        const double loss = law->anchor + (double)index * law->spacing;
        const double power = view->theta * loss;
        const double blur =
            DBL_EPSILON * (8.0 + 2.0 * (fabs(power) + fabs(kappa)) +
                           2.0 * view->theta * (fabs(law->anchor) + fabs(loss)));
        double mass = law->mass[i] * exp(power - kappa) * (1.0 + sign * blur);
        if (side == SOT_PLD_UPPER) mass += DBL_MIN; /* may have underflowed */
        double *place = &ring[((index % size) + size) % size];
        *place =
            side == SOT_PLD_UPPER ? sot_add_up(*place, mass) : sot_add_down(*place, mass);
    }
    for (size_t i = 0; i < view->size; i++)
        squares += ring[i] * ring[i];
    return sqrt(squares) * (1.0 + 1e-9);
}

/* Per frequency, over the distributions so far. */
typedef struct spectra {
    double *log_size;  /* sum of T log|X| */
    double *turn;      /* sum of T arg X, reduced */
    double *log_bound; /* sum of T log(|X| + b): b bounds the transform's error */
    double *error;     /* relative to e^log_bound */
} spectra;

/* `|prod X^T - prod X'^T| <= prod A^T sum T b/A` for `|X - X'| <= b`, `A = |X'| + b`. Rounding of
 * the powers: the logarithm and the argument are good to 2u + 2u of themselves, times T. */
static void raise(const double *ring, size_t size, double bound, double count,
                  spectra *product)
{
    const double two_pi = 6.283185307179586;
    for (size_t k = 0; k <= size / 2; k++) {
        const double re = ring[2 * k];
        const double im = ring[2 * k + 1];
        const double square = re * re + im * im;
        const double modulus = sqrt(square);
        const double around = modulus + bound;
        if (!(around > 0.0)) { /* no mass on any node: the product is 0 */
            product->log_bound[k] = product->log_size[k] = -HUGE_VAL;
            continue;
        }
        const double log_around = count * log(around);
        product->log_bound[k] +=
            log_around + 4.0 * DBL_EPSILON * (fabs(log_around) + count);
        product->error[k] += count * bound / around;
        if (square < DBL_MIN || log_around < -90.0) { /* 0 will do: off by A^T at most */
            product->log_size[k] = -HUGE_VAL;
            product->error[k] += 1.0;
            continue;
        }
        const double log_modulus = 0.5 * log(square);
        const double angle = atan2(im, re);
        product->log_size[k] += count * log_modulus;
        product->turn[k] += remainder(count * angle, two_pi);
        product->error[k] +=
            count * DBL_EPSILON * (4.0 + 4.0 * fabs(log_modulus) + 4.0 * fabs(angle));
    }
}

/* Writes the product spectrum into `ring`; returns a bound on the error of every weighted
 * mass after the transform back. */
static double finish(const spectra *product, size_t size, double fft_bound, double *ring)
{
    double errors = 0.0;
    double squares = 0.0;
    for (size_t k = 0; k <= size / 2; k++) {
        const double both = k == 0 || k == size / 2 ? 1.0 : 2.0;
        const double log_size = product->log_size[k];
        /* e^-80 for all that is less: no digit of the sum changes, and no exponent underflows */
        const double bound = exp(fmax(product->log_bound[k], -80.0));
        double modulus = 0.0;
        double rounding = 0.0;
        if (log_size > -90.0) {
            modulus = exp(log_size);
            rounding = DBL_EPSILON *
                       (16.0 + 2.0 * fabs(product->turn[k]) + 2.0 * fabs(log_size));
        } else {
            rounding = 1.0; /* 0 instead of it */
        }
        ring[2 * k] = modulus > 0.0 ? modulus * cos(product->turn[k]) : 0.0;
        ring[2 * k + 1] = modulus > 0.0 ? modulus * sin(product->turn[k]) : 0.0;
        errors += both * bound * (product->error[k] + rounding);
        squares += modulus * modulus;
    }
    return (errors + fft_bound * sqrt(squares)) / (double)size * (1.0 + 1e-9);
}

/* ---- delta at every node, from the top down ---- */

/* With S_j = sum over i > j of a_i and D_j = sum over i > j of (1 - e^{-(i-j)h}) a_i:
 *
 *     S_{j-1} = S_j + a_j,  D_{j-1} = (1 - e^-h) S_{j-1} + e^-h D_j,
 *
 * all terms positive; scaled by e^{theta j h} the weighted masses enter as they are. */
static void accumulate(const double *ring, int64_t low, sot_pld_curve *curve)
{
    const double h = curve->spacing;
    const int64_t size = (int64_t)curve->size;
    const double fade = exp(-curve->theta * h);
    const double gain = -expm1(-h);
    const double keep = exp(-h);
    double sum = 0.0;
    double value = 0.0;
    for (int64_t j = size - 1; j >= 0; j--) {
        curve->value[j] = value;
        const double mass = ring[(((low + j) % size) + size) % size];
        sum =
            fade *
            (sum + fmax(0.0, curve->side == SOT_PLD_UPPER ? mass : mass - curve->noise));
        value = gain * sum + keep * fade * value;
    }
}

/* Returns K(theta') over all distributions, rounded up. */
static double log_mgf_upper(const sot_pld_nodes *laws, size_t count,
                            const sot_pld_view *view, size_t order, double theta)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double one =
            sot_pld_nodes_log_mgf_upper(&laws[i], theta, view->guess[3 * i + order]);
        sum = sot_add_up(sum, sot_mul_up(laws[i].repeat, one));
    }
    return sum;
}

/* Returns the sum's first and last index. Within the ring nothing wraps around or is
 * truncated. */
static void sum_range(const sot_pld_nodes *laws, size_t count, double *out_first,
                      double *out_last)
{
    *out_first = 0.0;
    *out_last = 0.0;
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        size_t last = laws[i].count - 1;
        while (first < last && laws[i].mass[first] == 0.0)
            first++;
        while (last > first && laws[i].mass[last] == 0.0)
            last--;
        *out_first += laws[i].repeat * (double)(laws[i].first + (int64_t)first);
        *out_last += laws[i].repeat * (double)(laws[i].first + (int64_t)last);
    }
}

static void bound_the_rest(const sot_pld_nodes *laws, size_t count,
                           const sot_pld_view *view, double low, sot_pld_curve *curve)
{
    const double size = (double)curve->size;
    const double top = curve->start + size * curve->spacing;
    double first;
    double last;
    sum_range(laws, count, &first, &last);
    double above = 0.0;
    double below = 0.0;
    curve->up_theta = view->up_theta;
    curve->up_log = -HUGE_VAL;
    if (!(last * (1.0 + 1e-12) < low + size)) {
        curve->up_log = log_mgf_upper(laws, count, view, 1, view->up_theta);
        above =
            exp(curve->up_log - curve->log_scale - (view->up_theta - view->theta) * top);
    }
    if (!(first >= low)) {
        below = exp(log_mgf_upper(laws, count, view, 2, view->down_theta) -
                    curve->log_scale + (view->theta - view->down_theta) * curve->start);
    }
    curve->wrapped = (above + below) * (1.0 + 1e-9);
    double infinite = 0.0;
    double shift = 0.0;
    for (size_t i = 0; i < count; i++) {
        infinite = sot_add_up(infinite, sot_mul_up(laws[i].repeat, laws[i].infinite));
        shift +=
            laws[i].repeat * (laws[i].moved + 4.0 * DBL_EPSILON * fabs(laws[i].anchor));
    }
    curve->infinite = fmin(1.0, infinite);
    curve->shift = shift + 8.0 * DBL_EPSILON * (fabs(curve->start) + fabs(top));
}

static sotto_status spectra_new(size_t size, spectra *out, double **out_ring,
                                sotto_error *error)
{
    const size_t half = size / 2 + 1;
    double *memory = sot_new_array(4 * half + size + 2, sizeof *memory);
    if (memory == NULL)
        return sot_fail_memory(error, 4 * half + size + 2, sizeof *memory);
    *out_ring = memory;
    out->log_size = memory + size + 2;
    out->turn = out->log_size + half;
    out->log_bound = out->turn + half;
    out->error = out->log_bound + half;
    return SOTTO_OK;
}

sotto_status sot_pld_compose(const sot_pld_nodes *laws, size_t count,
                             const sot_pld_view *view, sot_pld_side side,
                             sot_pld_curve *out_curve, sotto_error *error)
{
    sot_fft *fft = NULL;
    double *ring = NULL;
    spectra product = {0};
    *out_curve = (sot_pld_curve){
        .side = side, .theta = view->theta, .spacing = view->spacing, .size = view->size};
    sotto_status status = sot_fft_new(view->size, &fft, error);
    if (status != SOTTO_OK) return status;
    status = spectra_new(view->size, &product, &ring, error);
    if (status != SOTTO_OK) goto done;
    out_curve->value = sot_new_array(view->size, sizeof *out_curve->value);
    if (out_curve->value == NULL) {
        status = sot_fail_memory(error, view->size, sizeof *out_curve->value);
        goto done;
    }
    double offset = 0.0;
    const double fft_bound = sot_fft_error_bound(fft);
    for (size_t i = 0; i < count; i++) {
        const double found =
            sot_pld_nodes_log_mgf_upper(&laws[i], view->theta, view->guess[3 * i]);
        const double kappa = isfinite(found) ? found : view->guess[3 * i];
        const double norm = tilt(&laws[i], view, kappa, side, ring);
        sot_fft_forward(fft, ring, ring);
        raise(ring, view->size, fft_bound * norm, laws[i].repeat, &product);
        offset += laws[i].repeat * laws[i].anchor;
        out_curve->log_scale += laws[i].repeat * kappa;
        out_curve->relative += 4.0 * DBL_EPSILON * laws[i].repeat * fabs(kappa);
    }
    out_curve->noise = finish(&product, view->size, fft_bound, ring);
    sot_fft_inverse(fft, ring, ring);
    const double low = floor((view->bottom - offset) / view->spacing);
    out_curve->start = offset + low * view->spacing;
    out_curve->relative += 8.0 * DBL_EPSILON * (double)view->size;
    accumulate(ring, (int64_t)low, out_curve);
    bound_the_rest(laws, count, view, low, out_curve);
done:
    sot_fft_free(fft);
    sot_free(ring);
    if (status != SOTTO_OK) sot_pld_curve_free(out_curve);
    return status;
}

void sot_pld_curve_free(sot_pld_curve *curve)
{
    sot_free(curve->value);
    *curve = (sot_pld_curve){0};
}

/* ---- one epsilon ---- */

/* Returns delta of the grid's distribution at epsilon, scaled by e^{theta epsilon - log_scale}:
 * between two nodes delta is linear in e^epsilon. */
static double scaled_value(const sot_pld_curve *curve, double place, double rest)
{
    const size_t j = (size_t)place;
    const double h = curve->spacing;
    const double here = curve->value[j] * exp(curve->theta * rest);
    if (j + 1 >= curve->size) return here;
    const double next = curve->value[j + 1] * exp(curve->theta * (rest - h));
    /* (e^h - e^rest)/(e^h - 1) */
    const double weight = fmin(1.0, fmax(0.0, exp(rest) * expm1(h - rest) / expm1(h)));
    return weight * here + (1.0 - weight) * next;
}

static double upper_delta(const sot_pld_curve *curve, double epsilon)
{
    const double position = (epsilon - curve->start) / curve->spacing;
    if (!(position >= 0.0)) return 1.0;
    const double place = floor(position);
    const double beyond =
        exp(curve->up_log -
            curve->up_theta *
                fmax(epsilon, curve->start + (double)curve->size * curve->spacing)) *
        (1.0 + 1e-6);
    double inside = 0.0;
    if (place < (double)curve->size) {
        const double h = curve->spacing;
        const double rest = fmax(0.0, epsilon - (curve->start + place * h));
        const double value = scaled_value(curve, place, rest) * (1.0 + curve->relative);
        /* sum over the nodes above of (1 - e^-x) e^{-theta x}: an integral and a largest term */
        const double weights = fmin((double)curve->size * largest_weight(curve->theta),
                                    1.0 / (h * curve->theta * (curve->theta + 1.0)) +
                                        largest_weight(curve->theta));
        const double exponent = curve->log_scale - curve->theta * epsilon;
        inside = (value + curve->noise * weights) * exp(exponent) *
                 (1.0 + DBL_EPSILON * (32.0 + 4.0 * (fabs(curve->log_scale) +
                                                     curve->theta * fabs(epsilon))));
    }
    const double total = inside + beyond + curve->infinite;
    return total < 1.0 ? sot_widen_up(total, 4.0 * DBL_EPSILON) : 1.0; /* NaN is 1 */
}

static double lower_delta(const sot_pld_curve *curve, double epsilon)
{
    const double at = fmax(epsilon, curve->start); /* delta falls with epsilon */
    const double h = curve->spacing;
    const double place = floor((at - curve->start) / h);
    if (!(place < (double)curve->size)) return 0.0;
    const double rest = fmax(0.0, at - (curve->start + place * h));
    const double exponent = curve->log_scale - curve->theta * at;
    const double scaled = scaled_value(curve, place, rest) * (1.0 - curve->relative) -
                          curve->wrapped * largest_weight(curve->theta);
    const double blur =
        DBL_EPSILON * (32.0 + 4.0 * (fabs(curve->log_scale) + curve->theta * fabs(at)));
    const double total = scaled * exp(exponent) * (1.0 - blur);
    return total > 0.0 ? fmin(1.0, total) : 0.0; /* NaN is 0 */
}

double sot_pld_curve_delta(const sot_pld_curve *curve, double epsilon)
{
    if (curve->side == SOT_PLD_UPPER) return upper_delta(curve, epsilon - curve->shift);
    return lower_delta(curve, epsilon + curve->shift);
}
