#include "privacy/accounting/loss/gaussian_mixture.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/special.h"
#include "privacy/accounting/loss/mixture.h"

/* The table covers y from -REACH to REACH + b, b the largest norm over sigma: Phi(-24) < 2e-127. At y = 36 the
 * density is 1e-282. */
static const double reach = 24.0;
static const double outside = 1e-126;

bool sot_gaussian_mixture_equals(const sot_gaussian_mixture *a,
                                 const sot_gaussian_mixture *b)
{
    if (a->sigma != b->sigma || a->size != b->size) return false;
    for (size_t i = 0; i < a->size; i++) {
        if (a->norms[i] != b->norms[i] || a->weights[i] != b->weights[i]) return false;
    }
    return true;
}

/* b_i = c_i/sigma, rounded up: the pair grows with it. */
static double ratio_at(const sot_gaussian_mixture *mixture, size_t i)
{
    return sot_div_up(mixture->norms[i], mixture->sigma);
}

static double ratio_most(const sot_gaussian_mixture *mixture)
{
    return ratio_at(mixture, mixture->size - 1);
}

/* ---- delta ---- */

/* r(y) - 1 = sum of w_i (e^{b_i y - b_i^2/2} - 1), and the sum of the absolute terms. */
static double ratio_minus_1(const sot_gaussian_mixture *mixture, double y,
                            double *out_size)
{
    double sum = 0.0, size = 0.0;
    for (size_t i = 0; i < mixture->size; i++) {
        const double b = ratio_at(mixture, i);
        const double term = mixture->weights[i] * expm1(b * y - 0.5 * b * b);
        sum += term;
        size += fabs(term);
    }
    *out_size = size;
    return sum;
}

/* A point near the one where log r(y) = epsilon; any point gives valid bounds. Infinite if r stays above or below. */
static double threshold(const sot_gaussian_mixture *mixture, double epsilon)
{
    const double b = ratio_most(mixture);
    const double target = expm1(epsilon);
    double size, low = -40.0, high = 40.0 + b;
    while (high < 1e9 && ratio_minus_1(mixture, high, &size) < target)
        high = 2.0 * high;
    while (low > -1e9 && ratio_minus_1(mixture, low, &size) > target)
        low = 2.0 * low;
    if (low <= -1e9) return -HUGE_VAL;
    for (int i = 0; i < 100; i++) {
        const double middle = 0.5 * (low + high);
        if (!(middle > low && middle < high)) break;
        if (ratio_minus_1(mixture, middle, &size) < target) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

/* Returns `P(y > t) - e^eps Q(y > t)`, which is `sum w_i (Phi(b_i - t) - Phi(-t)) - (e^eps - 1) Phi(-t)`. Writes the sum of
 * the absolute terms. */
static double removed_beyond(const sot_gaussian_mixture *mixture, double t,
                             double epsilon, double *out_size)
{
    const double beyond = sot_ndtr(-t);
    double sum = 0.0, size = 0.0;
    for (size_t i = 0; i < mixture->size; i++) {
        const double moved = sot_ndtr(ratio_at(mixture, i) - t);
        sum += mixture->weights[i] * (moved - beyond);
        size += mixture->weights[i] * (moved + beyond);
    }
    const double paid = expm1(epsilon) * beyond;
    *out_size = size + fabs(paid);
    return sum - paid;
}

/* Q(y < t) - e^eps P(y < t). */
static double added_before(const sot_gaussian_mixture *mixture, double t, double epsilon,
                           double *out_size)
{
    const double before = sot_ndtr(t);
    const double factor = exp(epsilon);
    double sum = 0.0, size = 0.0;
    for (size_t i = 0; i < mixture->size; i++) {
        const double moved = sot_ndtr(t - ratio_at(mixture, i));
        sum += mixture->weights[i] * (before - moved);
        size += mixture->weights[i] * (before + moved);
    }
    const double paid = expm1(epsilon) * before;
    *out_size = factor * size + fabs(paid);
    return factor * sum - paid;
}

/* log r(t) - log_ratio and a bound on the rounding of that difference. */
static double log_ratio_over(const sot_gaussian_mixture *mixture, double t,
                             double log_ratio, double *out_error)
{
    double size;
    const double at = ratio_minus_1(mixture, t, &size);
    const double b = ratio_most(mixture);
    *out_error = DBL_EPSILON *
                 (64.0 + 4.0 * (double)mixture->size + 8.0 * b * (fabs(t) + b) +
                  8.0 * fabs(log_ratio)) *
                 (size / (1.0 + at) + 1.0);
    return log1p(at) - log_ratio;
}

/* The mass that the best threshold may add or leave: Q or P beyond a point that is certainly on the other side of it. */
static double mass_near(const sot_gaussian_mixture *mixture, bool is_removed, double t,
                        double log_ratio)
{
    const double step = 1e-4 * (1.0 + fabs(t));
    const double other = is_removed ? t - step : t + step;
    double error;
    const double over = log_ratio_over(mixture, other, log_ratio, &error);
    if (is_removed ? over + error >= 0.0 : over - error <= 0.0) return 1.0;
    double mass = is_removed ? sot_ndtr(-other) : sot_ndtr(other);
    for (size_t i = 0; is_removed && i < mixture->size; i++)
        mass += mixture->weights[i] * sot_ndtr(ratio_at(mixture, i) - other);
    return mass * (1.0 + 1e-12);
}

/* The value at a threshold is a lower bound. The best threshold is at most `off` away in log r. Between the two
 * `|p - e^eps q|` is at most `expm1(off) p`, or `expm1(off) q` for addition. */
sot_bracket sot_gaussian_mixture_delta(const sot_gaussian_mixture *mixture,
                                       sot_direction direction, double epsilon)
{
    const bool is_removed = direction == SOT_REMOVE;
    const double log_ratio = is_removed ? epsilon : -epsilon;
    const double lost = fmax(0.0, -expm1(epsilon)); /* of no event at all */
    if (epsilon >
        600.0) { /* e^eps is near its overflow: the tail of P itself, or nothing */
        const double t = threshold(mixture, 600.0);
        return (sot_bracket){0.0, is_removed ? mass_near(mixture, true, t, 600.0) : 0.0};
    }
    const double t = threshold(mixture, log_ratio);
    if (isinf(t)) { /* removal: r > e^eps everywhere; addition: nowhere */
        return (sot_bracket){sot_widen_down(lost, 8.0 * DBL_EPSILON),
                             sot_widen_up(lost, 8.0 * DBL_EPSILON)};
    }
    double size, error;
    const double value = is_removed ? removed_beyond(mixture, t, epsilon, &size)
                                    : added_before(mixture, t, epsilon, &size);
    const double off = fabs(log_ratio_over(mixture, t, log_ratio, &error)) + error;
    const double b = ratio_most(mixture);
    /* Phi has 7u; its argument's rounding moves it by 4u (|t| + b)^2 of itself at most. */
    const double rounding =
        DBL_EPSILON *
        (64.0 + 4.0 * (double)mixture->size + 4.0 * (fabs(t) + b) * (fabs(t) + b)) * size;
    const double missed = expm1(off) * mass_near(mixture, is_removed, t, log_ratio);
    const double upper = fmax(lost, value) + rounding + 1.01 * missed;
    return (sot_bracket){sot_widen_down(fmax(lost, value - rounding), 8.0 * DBL_EPSILON),
                         fmin(1.0, sot_widen_up(upper, 8.0 * DBL_EPSILON))};
}

/* ---- moments ---- */

/* Convexity of x^{t+1} and x^-t: M(t) <= w_0 + sum of w_i e^{t (t+1) b_i^2/2} in both directions. */
double sot_gaussian_mixture_log_mgf_bound(const sot_gaussian_mixture *mixture, double t)
{
    const double b = ratio_most(mixture);
    const double most = 0.5 * t * (t + 1.0) * b * b;
    double sum = 0.0; /* of M - 1, over e^most if that is large */
    const double scale = most < 600.0 ? 0.0 : most;
    for (size_t i = 0; i < mixture->size; i++) {
        const double at = ratio_at(mixture, i);
        const double log_one = 0.5 * t * (t + 1.0) * at * at;
        sum +=
            mixture->weights[i] * (scale > 0.0 ? exp(log_one - scale) : expm1(log_one));
    }
    const double bound = scale > 0.0 ? scale + log(sum + exp(-scale)) : log1p(sum);
    return sot_widen_up(bound, 32.0 * DBL_EPSILON * (2.0 + (double)mixture->size)) +
           16.0 * DBL_EPSILON * most;
}

/* `f(r) = r^z - 1 - z(r - 1)` is at most `r^{t+1} + t + 1`, or `r^-t + t r`. There are two bounds of the powers. One is their
 * w-mean over `e^{b_i y - b_i^2/2}`, which integrates to `e^{t(t+1) b_i^2/2}` times a normal tail. The other takes the largest b
 * and the sum W of the weights: `r <= 1 + W e^{by - b^2/2}` on the right, `r >= 1 - W` on the left. */
double sot_gaussian_mixture_tail(const sot_gaussian_mixture *mixture, double t)
{
    const double b = ratio_most(mixture), last = reach + b;
    double removed = log(outside), added = log(outside), weight = 0.0;
    for (size_t i = 0; i < mixture->size; i++) {
        if (mixture->weights[i] == 0.0) continue;
        const double at = ratio_at(mixture, i);
        const double power = log(mixture->weights[i]) + 0.5 * t * (t + 1.0) * at * at;
        removed = sot_log_add_exp(removed, power + sot_log_ndtr((t + 1.0) * at - last));
        added = sot_log_add_exp(added, power + sot_log_ndtr(t * at - reach));
        weight += mixture->weights[i];
    }
    const double power = (t + 1.0) * log(weight) + 0.5 * t * (t + 1.0) * b * b +
                         sot_log_ndtr((t + 1.0) * b - last);
    removed = fmin(removed, t * log(2.0) + sot_log_add_exp(log(outside), power));
    added = fmin(added, log(outside) - t * log1p(-weight));
    const double linear = log(outside * (2.0 * t + 2.0));
    const double all = sot_log_add_exp(linear, sot_log_add_exp(removed, added));
    return sot_exp_up(all + 1e-9 * fabs(all) + 1e-9);
}

/* ---- the table ---- */

enum { CELLS_PER_UNIT = 256, NODES = 2 * SOT_GAUSS_HALF };

/* Everything that is the same in all cells: nodes t in (0, h), weights, and expm1(b_i t), expm1(-b_i (h - t)). */
typedef struct cells {
    const sot_gaussian_mixture *mixture;
    double h;
    double node[NODES], weight[NODES];
    double *rise, *fall; /* NODES for each norm */
    double *ratio;
} cells;

static sotto_status make_cells(const sot_gaussian_mixture *mixture, cells *out,
                               sotto_error *error)
{
    *out = (cells){.mixture = mixture, .h = 1.0 / CELLS_PER_UNIT};
    const size_t each = 2 * NODES + 1;
    double *block = sot_new_array(mixture->size * each, sizeof *block);
    if (block == NULL) return sot_fail_memory(error, mixture->size * each, sizeof *block);
    out->ratio = block;
    out->rise = block + mixture->size;
    out->fall = out->rise + mixture->size * NODES;
    for (int k = 0; k < NODES; k++) {
        const int half = k < SOT_GAUSS_HALF ? SOT_GAUSS_HALF - 1 - k : k - SOT_GAUSS_HALF;
        const double x =
            k < SOT_GAUSS_HALF ? -sot_gauss_node[half] : sot_gauss_node[half];
        out->node[k] = 0.5 * out->h * (1.0 + x);
        out->weight[k] = 0.5 * out->h * sot_gauss_weight[half];
    }
    for (size_t i = 0; i < mixture->size; i++) {
        out->ratio[i] = ratio_at(mixture, i);
        for (int k = 0; k < NODES; k++) {
            out->rise[i * NODES + (size_t)k] = expm1(out->ratio[i] * out->node[k]);
            out->fall[i * NODES + (size_t)k] =
                -expm1(-out->ratio[i] * (out->h - out->node[k]));
        }
    }
    return SOTTO_OK;
}

/* One cell [y, y + h]: masses for its two ends and the merged atom, losses. */
typedef struct cell {
    double left, right;           /* log r at the ends */
    double mass_left, mass_right; /* of P, from above */
    double middle, mass;          /* merged, from below */
} cell;

/* The masses of the ends are `r(y + h) A/(r(y + h) - r(y))` and `r(y) B/(r(y + h) - r(y))`, with `A = p - s r(y)` and
 * `B = s r(y + h) - p` as sums of positive terms. p is the mass of P, s that of Q. */
static cell cell_at(const cells *all, double y)
{
    const sot_gaussian_mixture *mixture = all->mixture;
    double density[NODES], q = 0.0;
    const double top = exp(-0.5 * y * y) * 0.3989422804014327;
    for (int k = 0; k < NODES; k++) {
        const double t = all->node[k];
        density[k] = all->weight[k] * top * exp(-t * (y + 0.5 * t));
        q += density[k];
    }
    double a = 0.0, b = 0.0, grown = 0.0, size;
    for (size_t i = 0; i < mixture->size; i++) {
        const double shift = all->ratio[i];
        const double w = mixture->weights[i];
        const double low = w * exp(shift * y - 0.5 * shift * shift);
        const double high = low * exp(shift * all->h);
        double rise = 0.0, fall = 0.0;
        for (int k = 0; k < NODES; k++) {
            rise += density[k] * all->rise[i * NODES + (size_t)k];
            fall += density[k] * all->fall[i * NODES + (size_t)k];
        }
        a += low * rise;
        b += high * fall;
        grown += low * expm1(shift * all->h);
    }
    const double left = ratio_minus_1(mixture, y, &size);
    cell one;
    one.left = log1p(left);
    one.right = one.left + log1p(grown / (1.0 + left));
    one.mass_right = grown > 0.0 ? (1.0 + left + grown) * a / grown : 0.0;
    one.mass_left = grown > 0.0 ? (1.0 + left) * b / grown : 0.0;
    one.mass = one.mass_left + one.mass_right;
    one.middle = one.left + log1p(a / (q * (1.0 + left)));
    return one;
}

sotto_status sot_gaussian_mixture_table(const sot_gaussian_mixture *mixture,
                                        sot_pair_table *out_table, sotto_error *error)
{
    const double b = ratio_most(mixture);
    assert(b <= SOT_MIXTURE_RATIO_MAX * (1.0 + 1e-9)); /* variants.c prices the others */
    const size_t count = (size_t)ceil((2.0 * reach + b) * CELLS_PER_UNIT);
    cells all;
    sotto_status status = make_cells(mixture, &all, error);
    if (status != SOTTO_OK) return status;
    *out_table = (sot_pair_table){.outside = outside};
    out_table->atoms = sot_new_array(2 * count + 1, sizeof *out_table->atoms);
    if (out_table->atoms == NULL) {
        sot_free(all.ratio);
        return sot_fail_memory(error, 2 * count + 1, sizeof *out_table->atoms);
    }
    /* Exponents of densities and ratios are at most 650 + 36 b in size and come with two roundings each. */
    const double relative =
        DBL_EPSILON * (1024.0 + 128.0 * b + 8.0 * (double)mixture->size);
    double before = 0.0, size, least = HUGE_VAL;
    for (size_t j = 0; j < count; j++) {
        const double y = (double)j / CELLS_PER_UNIT - reach; /* exact */
        const cell one = cell_at(&all, y);
        out_table->atoms[2 * j] = (sot_pair_atom){
            one.left, {0.0, sot_widen_up(before + one.mass_left, relative)}};
        out_table->atoms[2 * j + 1] =
            (sot_pair_atom){one.middle, {sot_widen_down(one.mass, relative), 0.0}};
        before = one.mass_right;
        if (j + 1 == count)
            out_table->atoms[2 * count] =
                (sot_pair_atom){one.right, {0.0, sot_widen_up(before, relative)}};
        const double at = ratio_minus_1(mixture, y, &size);
        least = fmin(least, (1.0 + at) / (1.0 + size));
    }
    out_table->count = 2 * count + 1;
    out_table->place_error =
        DBL_EPSILON * (64.0 + 8.0 * (double)mixture->size + 100.0 * b * (reach + b)) +
        DBL_EPSILON * 32.0 * (1.0 / least - 1.0);
    sot_free(all.ratio);
    return SOTTO_OK;
}
