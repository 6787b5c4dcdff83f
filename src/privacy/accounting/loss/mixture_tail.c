/* The decay of the transform of the two mixtures along a vertical line: see loss.md, section 5.
 *
 * The line of integration is moved to y + ib (for the mirrored part to y - ib). Let
 * theta = b/sigma, and p, p' the posteriors of r and B. Then
 * `|r(y + ib)|^2 = r^2 (1 - 4p(1-p) sin^2(theta/2))`. arg r and -arg B are a(p), a(p') >= 0, so
 * that `|e^{isl}| = e^{-s (a(p) + a(p'))}`. A batch of fixed size has a kink at y0. The two short
 * paths from y0 up and down to the lines remain, and nearly cancel. */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "privacy/accounting/loss/mixture.h"

enum { SHIFTS = 40, STAIRS = 48 };

struct sot_mixture_tail {
    sot_mixture mixture;
    size_t count;
    double *plus, *minus;         /* weights relative to M(c); minus only for fixed */
    double *posterior, *opposite; /* p and p' */
    double *argument;             /* SHIFTS x count */
    double *weight;               /* SHIFTS x count: both parts, with their moduli */
    bool *filled;                 /* SHIFTS */
    double atom;                  /* of fixed, relative to M(c) */
    double log_mgf;               /* log M(c) */
    double log_error[SHIFTS];     /* quadrature, relative to M(c) */
    double widening;
    int best;
};

/* As in privacy/accounting/sampled/tail.c: shifts up to 0.35 pi sigma, and 0.15 pi sigma for the ellipses. */
static double shift_height(double sigma, int index)
{
    return ldexp(fmin(0.35 * M_PI * sigma, 9.0), -index);
}

static double ellipse_height(double sigma)
{
    return fmin(0.15 * M_PI * sigma, 3.0);
}

static double angle_of(double p, double sine, double one_minus_cosine)
{
    return atan2(p * sine, 1.0 - p * one_minus_cosine);
}

static void fill_shift(sot_mixture_tail *tail, int index)
{
    const sot_mixture *mixture = &tail->mixture;
    const double c = mixture->order;
    const double b = shift_height(mixture->grid.sigma, index);
    const double theta = b * mixture->grid.inverse_sigma;
    const double half_sine = sin(0.5 * theta);
    const double sine = sin(theta);
    const double bend = 2.0 * half_sine * half_sine; /* 1 - cos */
    const double lift = exp(0.5 * b * b);
    double *argument = tail->argument + (size_t)index * tail->count;
    double *weight = tail->weight + (size_t)index * tail->count;
    for (size_t k = 0; k < tail->count; k++) {
        const double p = tail->posterior[k];
        const double log_r = 0.5 * log1p(-2.0 * bend * p * (1.0 - p));
        argument[k] = angle_of(p, sine, bend);
        double log_base = 0.0;
        if (mixture->is_replaced) {
            const double opposite = tail->opposite[k];
            log_base = 0.5 * log1p(-2.0 * bend * opposite * (1.0 - opposite));
            argument[k] += angle_of(opposite, sine, bend);
        }
        weight[k] = tail->plus[k] * exp((1.0 + c) * log_r - c * log_base);
        if (!mixture->is_replaced) weight[k] += tail->minus[k] * exp(-c * log_r);
        weight[k] *= lift;
    }
    tail->filled[index] = true;
}

/* The two short paths of fixed, together: `phi(y0) int_0^b e^{x^2/2} |A - A'| dx` with
 *
 *     A = m^{1+c} e^{-sa} e^{i(-x y0 + (1+c) a + s log m)},  A' = m^{-c} e^{-sa} e^{i(x y0 + c a - s log m)},
 *
 * m and a the modulus and argument of r(y0 + ix), where p = q. |A - A'| is at most
 * `e^{-sa} (m^{-c} - m^{1+c} + |2 x y0 - a| + 2 s |log m|)`. m falls and a rises with x. For all
 * s' >= s, `s' e^{-s'a}` is at most `s e^{-sa}` or 1/(ea). A step function bounds the integrand
 * from above. */
static double short_ways(const sot_mixture_tail *tail, double b, double s)
{
    const sot_mixture *mixture = &tail->mixture;
    const double q = mixture->grid.rate;
    const double c = mixture->order;
    const double y0 = mixture->first;
    double sum = 0.0;
    double angle_before = 0.0;
    for (int i = 1; i <= STAIRS; i++) {
        const double x = b * i / STAIRS;
        const double before = b * (i - 1) / STAIRS;
        const double theta = x * mixture->grid.inverse_sigma;
        const double half_sine = sin(0.5 * theta);
        const double bend = 2.0 * half_sine * half_sine;
        const double log_m = 0.5 * log1p(-2.0 * bend * q * (1.0 - q));
        const double angle = angle_of(q, sin(theta), bend);
        const double decay = exp(-s * angle_before);
        /* sup over s' >= s of s' e^{-s'a} */
        const double turning =
            s * angle_before >= 1.0
                ? s * decay
                : fmin(HUGE_VAL, angle_before > 0.0 ? 0.36787944117144233 / angle_before
                                                    : HUGE_VAL);
        const double turns = 2.0 * -log_m * fmax(turning, 0.0);
        const double drift =
            fmax(fabs(2.0 * x * y0 - angle_before), fabs(angle - 2.0 * before * y0));
        const double apart = exp(-c * log_m) - exp((1.0 + c) * log_m);
        const double most = 2.0 * exp(-c * log_m) * decay;
        const double difference = fmin(
            most, exp(-c * log_m) * (decay * drift + (isfinite(turns) ? turns : most)) +
                      decay * apart);
        sum += exp(0.5 * x * x) * difference;
        angle_before = angle;
    }
    const double density = 0.39894228040143268 * exp(-0.5 * y0 * y0);
    return density * sum * b / STAIRS * exp(-tail->log_mgf);
}

static double bound_at(sot_mixture_tail *tail, int index, double s)
{
    if (index < 0 || index >= SHIFTS) return HUGE_VAL;
    if (!tail->filled[index]) fill_shift(tail, index);
    const double *argument = tail->argument + (size_t)index * tail->count;
    const double *weight = tail->weight + (size_t)index * tail->count;
    double sum = 0.0;
    for (size_t k = 0; k < tail->count; k++)
        sum += weight[k] * exp(-s * argument[k]);
    if (!tail->mixture.is_replaced) {
        sum += tail->atom;
        sum += short_ways(tail, shift_height(tail->mixture.grid.sigma, index), s);
    }
    return sum * tail->widening + exp(tail->log_error[index]);
}

double sot_mixture_tail_bound(sot_mixture_tail *tail, double s)
{
    double least = bound_at(tail, tail->best, s);
    for (int direction = -1; direction <= 1; direction += 2) {
        double next = bound_at(tail, tail->best + direction, s);
        while (next < least) {
            least = next;
            tail->best += direction;
            next = bound_at(tail, tail->best + direction, s);
        }
    }
    return least;
}

/* Panels of equal width whose ellipses with rho = 4 have the height h: half-width h/1.875. The
 * error of Gauss's rule is below 4.3 half-widths times 4^-32 times the supremum on the
 * ellipse. */
static sotto_status fill_nodes(sot_mixture_tail *tail, sotto_error *error)
{
    const sot_mixture *mixture = &tail->mixture;
    const double c = mixture->order;
    const double height = ellipse_height(mixture->grid.sigma);
    const double half = height / 1.875;
    const double first = mixture->is_replaced ? -14.0 : mixture->first;
    const double panels = ceil((mixture->last - first) / (2.0 * half));
    const size_t room = (size_t)panels * 2 * SOT_GAUSS_HALF;
    tail->plus = sot_new_array(room, sizeof *tail->plus);
    tail->minus = sot_new_array(room, sizeof *tail->minus);
    tail->posterior = sot_new_array(room, sizeof *tail->posterior);
    tail->opposite = sot_new_array(room, sizeof *tail->opposite);
    if (tail->plus == NULL || tail->minus == NULL || tail->posterior == NULL ||
        tail->opposite == NULL) {
        return sot_fail_memory(error, room, 4 * sizeof *tail->plus);
    }
    const double peak = fmax(mixture->log_peak, 0.0);
    double sum = sot_mixture_atom(mixture) * exp(-peak);
    double roundings = 0.0, dropped = 0.0;
    double sups = 0.0; /* sum over panels of the suprema, relative to e^peak */
    const double cosine = cos(0.5 * (height + shift_height(mixture->grid.sigma, 0)) *
                              mixture->grid.inverse_sigma);
    for (double i = 0.0; i < panels; i += 1.0) {
        const double middle = first + (2.0 * i + 1.0) * half;
        const sot_ellipse ellipse = {middle - 2.125 * half, middle + 2.125 * half,
                                     height};
        const double off = -c * log(cosine); /* a negative power off the real line */
        sups += exp(sot_mixture_log_sup(mixture, &ellipse, c, 0.0, false) + off - peak);
        if (!mixture->is_replaced)
            sups +=
                exp(sot_mixture_log_sup(mixture, &ellipse, c, 0.0, true) + off - peak);
        for (int j = 0; j < 2 * SOT_GAUSS_HALF; j++) {
            const int n = j / 2;
            const double y = middle + (j % 2 == 0 ? -half : half) * sot_gauss_node[n];
            const double weight = half * sot_gauss_weight[n] * 0.39894228040143268;
            const sot_mixture_node node = sot_mixture_node_at(mixture, y);
            const double density = -0.5 * y * y - peak;
            const double plus =
                weight * exp(density + (1.0 + c) * node.log_ratio - c * node.log_base);
            const double minus =
                mixture->is_replaced
                    ? 0.0
                    : weight * exp(density + node.log_base - c * node.log_ratio);
            sum += plus + minus;
            if (plus + minus < 1e-26) {
                dropped += plus + minus;
                continue;
            }
            roundings = fmax(roundings, y * y + (1.0 + 2.0 * c) *
                                                    (node.error + fabs(node.log_ratio) +
                                                     fabs(node.log_base)));
            tail->plus[tail->count] = plus;
            tail->minus[tail->count] = minus;
            tail->posterior[tail->count] = sot_grid_posterior(&mixture->grid, y);
            tail->opposite[tail->count] = sot_grid_posterior(&mixture->grid, -y);
            tail->count++;
        }
    }
    for (size_t k = 0; k < tail->count; k++) {
        tail->plus[k] /= sum;
        tail->minus[k] /= sum;
    }
    tail->atom = sot_mixture_atom(mixture) * exp(-peak) / sum;
    tail->log_mgf = peak + log(sum);
    tail->widening =
        1.0 + DBL_EPSILON * (2.0 * (roundings + fabs(peak) + 2.0) + (double)room + 64.0);
    for (int i = 0; i < SHIFTS; i++) {
        const double b = shift_height(mixture->grid.sigma, i);
        const double grown = 0.5 * b * b;
        const double rule = 4.3 * half * 0.4 * sups / sum * pow(4.0, -32.0);
        tail->log_error[i] = log(
            exp(grown) * (rule + 4.0 * dropped / sum * pow(cosine, -c) + 1e-34) + 1e-13);
    }
    return SOTTO_OK;
}

sotto_status sot_mixture_tail_new(const sot_law *law, double c,
                                  sot_mixture_tail **out_tail, sotto_error *error)
{
    sot_mixture mixture;
    if (!sot_mixture_make(law, c, &mixture) ||
        (mixture.last + 14.0) / ellipse_height(law->sigma) > 1e4) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the order %g is too large for the quadrature", c);
    }
    sot_mixture_tail *tail = sot_new_array(1, sizeof *tail);
    if (tail == NULL) return sot_fail_memory(error, 1, sizeof *tail);
    tail->mixture = mixture;
    tail->best = 7;
    sotto_status status = fill_nodes(tail, error);
    if (status == SOTTO_OK) {
        tail->argument = sot_new_array(SHIFTS * tail->count, sizeof *tail->argument);
        tail->weight = sot_new_array(SHIFTS * tail->count, sizeof *tail->weight);
        tail->filled = sot_new_array(SHIFTS, sizeof *tail->filled);
        if (tail->argument == NULL || tail->weight == NULL || tail->filled == NULL) {
            status =
                sot_fail_memory(error, 2 * SHIFTS * tail->count, sizeof *tail->weight);
        }
    }
    if (status != SOTTO_OK) {
        sot_mixture_tail_free(tail);
        return status;
    }
    *out_tail = tail;
    return SOTTO_OK;
}

void sot_mixture_tail_free(sot_mixture_tail *tail)
{
    if (tail == NULL) return;
    sot_free(tail->plus);
    sot_free(tail->minus);
    sot_free(tail->posterior);
    sot_free(tail->opposite);
    sot_free(tail->argument);
    sot_free(tail->weight);
    sot_free(tail->filled);
    sot_free(tail);
}
