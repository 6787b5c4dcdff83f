/* Many releases of one distribution on a lattice, by a sum over one turn of the circle.
 *
 * The sum of k losses lies on the lattice l_n = (k first + n) h, and its transform has the period
 * 2 pi/h. Take J points on one turn, t_j = c + 2 pi i j/(hJ). Let l be the smallest lattice point
 * above eps and d = l - eps. Then
 *
 *     (1/J) sum_j M(t_j)^k e^{-t_j eps} [e^{-td}/(1 - e^{-th}) - e^{-(t+1)d}/(1 - e^{-(t+1)h})]
 *
 *         = sum_m e^{cmP} delta(eps + mP),  P = Jh.
 *
 * This is delta plus aliases, which are positive and bounded as in
 * privacy/accounting/exact/contour.md, section 2. Nothing is truncated, except for the discrete
 * Gaussian: it stops where |M|^k is negligible, by the bound of loss.md, section 4. */
#include <complex.h>
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/roots.h"
#include "numeric/sum.h"
#include "privacy/accounting/loss/circle.h"
#include "privacy/accounting/loss/kinds.h"

#define i_unit ((double complex)I)

static const double unit = 0x1p-53;

/* Nodes times atoms of one evaluation of delta. */
static const double work_max = 4e6;

/* Discrete Gaussians of this many steps or more have the transform of a Gaussian on half a turn. */
static const double smooth_sigma = 2.0;

static bool is_smooth(const sot_law *law)
{
    return law->kind == SOT_LAW_DISCRETE_GAUSSIAN && law->sigma >= smooth_sigma;
}

bool sot_circle_covers(const sot_law *law)
{
    return law->kind == SOT_LAW_DISCRETE_LAPLACE || law->kind == SOT_LAW_RESPONSE ||
           law->kind == SOT_LAW_DISCRETE_GAUSSIAN;
}

static double spacing_of(const sot_law *law)
{
    if (law->kind == SOT_LAW_RESPONSE) return law->loss;
    if (law->kind == SOT_LAW_DISCRETE_LAPLACE) return 2.0 * law->loss / law->steps;
    return law->steps / law->sigma / law->sigma;
}

static double first_of(const sot_law *law)
{
    return law->kind == SOT_LAW_RESPONSE ? 0.0
                                         : 0.5 * law->steps; /* up to whole numbers */
}

/* ---- where the line stands ---- */

/* log of a^a/(1+a)^(1+a), the sharpest constant in (1 - e^-y)_+ <= kappa e^{ay}. */
static double log_kappa(double a)
{
    return -a * log1p(1.0 / a) - log1p(a);
}

/* For a given epsilon the exponent of the integrand at s = 0, else the epsilon that Renyi's bound gives
 * for log_delta. Any c is sound. */
typedef struct place {
    const sot_law *law;
    double epsilon; /* NaN: for log_delta */
    double log_delta;
} place;

static double exponent_at(double log_c, void *context)
{
    const place *at = context;
    const double c = exp(log_c);
    double error;
    const double k = at->law->count * sot_lattice_log_mgf(at->law, c, &error);
    if (!isfinite(k)) return HUGE_VAL;
    if (isnan(at->epsilon)) return (k - at->log_delta + log_kappa(c)) / c;
    return k - c * at->epsilon - log_c - log1p(c);
}

static double place_line(place *at)
{
    double best = log(1e-3);
    double least = exponent_at(best, at);
    for (double trial = best + 1.0; trial < log(1e9); trial += 1.0) {
        const double value = exponent_at(trial, at);
        if (!(value < least)) break;
        least = value;
        best = trial;
    }
    return exp(sot_minimize(exponent_at, at, best - 1.0, best + 1.0, 0.02, 40, NULL));
}

/* ---- the sum ---- */

struct sot_circle {
    sot_law law;
    double c, spacing;
    double log_mgf, log_mgf_error;     /* k log M(c) */
    double alias_order, alias_log_mgf; /* k log M(c + alias_order), upper bound */
    double turns;                      /* J, odd */
    size_t nodes;                      /* j = 0 .. nodes - 1 */
    double log_tail; /* of |M|^k beyond the last node; -inf when there is none */
    double dropped;  /* sum of 2 |M/M(c)|^k over nodes left out */
    double *log_modulus, *argument, *error, *place; /* place: j */
};

/* Both kinds of aliases below e^-32 of a guess of delta. */
static double choose_period(sot_circle *line, double epsilon, double log_delta)
{
    const double k = line->law.count;
    const double c = line->c;
    double period = HUGE_VAL;
    for (double ratio = 1.0 / 64.0; ratio <= 8.0; ratio *= 2.0) {
        const double d = ratio * c;
        double error;
        const double upper = sot_lattice_log_mgf(&line->law, c + d, &error);
        const double log_mgf = k * (upper + error);
        const double needed =
            (log_mgf - (c + d) * epsilon + log_kappa(c + d) - log_delta + 32.0) / d;
        if (isfinite(needed) && needed < period) {
            period = needed;
            line->alias_order = d;
            line->alias_log_mgf = sot_widen_up(log_mgf, 4.0 * unit);
        }
    }
    return fmax(period, (32.0 - log_delta) / c);
}

static double alias_upper(const sot_circle *line, double epsilon)
{
    const double period = line->turns * line->spacing * (1.0 - 1e-9);
    const double d = line->alias_order;
    const double below = 1.0 / expm1(fmin(line->c * period, 700.0));
    const double exponent =
        log_kappa(line->c + d) + line->alias_log_mgf - (line->c + d) * epsilon;
    const double above = exp(fmin(exponent, 700.0)) / expm1(fmin(d * period, 700.0));
    return (below + above) * (1.0 + 1e-6);
}

/* With u = s n/sigma, |M(c + is)|/M(c) is at most
 * `e^{-u^2/2} (1 + 2.2 e^{-2 pi sigma (pi sigma - u)})` up to half a turn, u = pi sigma. The
 * second term comes from the neighbouring turn. For u <= pi sigma/2 it is below
 * `2.2 e^{-pi^2 sigma^2}`; beyond, the whole is below `3.2 e^{-pi^2 sigma^2/8}`. */
static double smooth_log_decay(const sot_law *law, double s)
{
    const double u = s * law->steps / law->sigma;
    const double width = M_PI * law->sigma;
    const double far = log(3.2) - 0.125 * width * width;
    if (u > 0.5 * width) return law->count * far;
    return law->count * fmax(far, log1p(2.2 * exp(-width * width)) - 0.5 * u * u);
}

/* Fills the nodes' table of a smooth distribution:
 * `M(c + is)/M(c) = e^{-u^2/2 + i s (c + 1/2) n^2/sigma^2}` up to the neighbouring turns. */
static void fill_smooth(sot_circle *line, double step)
{
    const sot_law *law = &line->law;
    const double k = law->count;
    const double ratio = law->steps / law->sigma;
    const double width = M_PI * law->sigma;
    for (size_t j = 0; j < line->nodes; j++) {
        const double s = (double)j * step;
        const double u = s * ratio;
        const double angle = s * (line->c + 0.5) * ratio * ratio;
        const double neighbours = 2.2 * exp(-2.0 * width * (width - u));
        line->log_modulus[j] = k * (log1p(neighbours) - 0.5 * u * u);
        line->argument[j] = k * angle;
        line->error[j] =
            k * (2.2 * neighbours + 8.0 * unit * (0.5 * u * u + fabs(angle)));
    }
}

/* After many releases few nodes are left that matter: the others are counted together. */
static void drop_small(sot_circle *line)
{
    size_t kept = 0;
    for (size_t j = 0; j < line->nodes; j++) {
        if (line->log_modulus[j] < -60.0) {
            line->dropped += 2.0 * exp(line->log_modulus[j]);
            continue;
        }
        line->log_modulus[kept] = line->log_modulus[j];
        line->argument[kept] = line->argument[j];
        line->error[kept] = line->error[j];
        line->place[kept++] = (double)j;
    }
    line->nodes = kept;
}

static sotto_status fill_table(sot_circle *line, double period, sotto_error *error)
{
    const sot_law *law = &line->law;
    const double wanted = ceil(period / line->spacing);
    line->turns = 2.0 * ceil(0.5 * wanted) + 1.0;
    const double step = 2.0 * M_PI / (line->spacing * line->turns);
    double nodes = 0.5 * (line->turns + 1.0);
    line->log_tail = -HUGE_VAL;
    if (is_smooth(law)) {
        double stop = step;
        while (stop < step * (nodes - 1.0) && smooth_log_decay(law, stop) > -40.0)
            stop *= 1.05;
        if (ceil(stop / step) + 1.0 < nodes) {
            nodes = ceil(stop / step) + 1.0;
            line->log_tail = smooth_log_decay(law, stop);
        }
        /* The table's error is proved for u <= pi sigma only. */
    }
    const double atoms = is_smooth(law) ? 8.0 : sot_lattice_points(law);
    if (!(nodes * atoms <= work_max))
        return sot_fail(error, SOTTO_UNSUPPORTED, "the sum over the circle is too long");
    line->nodes = (size_t)nodes;
    line->log_modulus = sot_new_array(4 * line->nodes, sizeof *line->log_modulus);
    if (line->log_modulus == NULL)
        return sot_fail_memory(error, 4 * line->nodes, sizeof *line->log_modulus);
    line->argument = line->log_modulus + line->nodes;
    line->error = line->argument + line->nodes;
    line->place = line->error + line->nodes;
    if (is_smooth(law)) {
        fill_smooth(line, step);
        drop_small(line);
        return SOTTO_OK;
    }
    sot_atoms table = {0};
    sotto_status status = sot_lattice_atoms(law, line->c, &table, error);
    if (status != SOTTO_OK) return status;
    status = sot_atoms_accumulate(&table, law->count, step, line->nodes,
                                  line->log_modulus, line->argument, line->error, error);
    sot_atoms_clear(&table);
    if (status == SOTTO_OK) drop_small(line);
    return status;
}

static double complex complex_expm1(double complex z)
{
    const double half = sin(0.5 * cimag(z));
    const double grown = exp(creal(z));
    return expm1(creal(z)) - 2.0 * grown * half * half + i_unit * (grown * sin(cimag(z)));
}

/* The sum and its slack at one epsilon. */
static sot_bracket sum_nodes(const sot_circle *line, double epsilon)
{
    const double h = line->spacing;
    const double c = line->c;
    /* The least lattice point that is not below epsilon. */
    const double odd = fmod(line->law.count * first_of(&line->law), 1.0);
    const double l = (ceil(epsilon / h - odd) + odd) * h;
    const double d = fmax(0.0, l - epsilon);
    const double step = 2.0 * M_PI / (h * line->turns);
    sot_sum sum = {0};
    double slack = 0.0;
    for (size_t j = 0; j < line->nodes; j++) {
        const double s = line->place[j] * step;
        const double complex t = c + i_unit * s;
        const double complex first = cexp(-t * d) / -complex_expm1(-t * h);
        const double complex second =
            cexp(-(t + 1.0) * d) / -complex_expm1(-(t + 1.0) * h);
        const double modulus =
            exp(line->log_modulus[j]) * (line->place[j] == 0.0 ? 1.0 : 2.0);
        const double phase = line->argument[j] - s * epsilon;
        const double complex term =
            modulus * (cos(phase) + i_unit * sin(phase)) * (first - second);
        sot_sum_add(&sum, creal(term));
        const double roundings = 4.0 * (fabs(line->argument[j]) +
                                        fabs(line->log_modulus[j]) + s * fabs(epsilon)) +
                                 16.0 * (c + 1.0 + s) * (h + d) + 64.0;
        slack += modulus * (cabs(first - second) * 2.0 * line->error[j] +
                            (cabs(first) + cabs(second)) * 2.0 * unit * roundings);
    }
    /* The truncated part and, beyond the last node, the rest of the turn: each bracket is at most
     * 2/(1 - e^{-ch}). */
    const double beyond =
        line->log_tail == -HUGE_VAL ? 0.0 : line->turns * exp(line->log_tail);
    const double rest = (line->dropped + beyond) * 2.0 / -expm1(-c * h);
    const double front = exp(line->log_mgf - c * epsilon) / line->turns;
    const double front_error =
        line->log_mgf_error +
        8.0 * unit * (fabs(line->log_mgf) + c * fabs(epsilon) + 2.0);
    const double middle = front * sot_sum_value(&sum);
    const double error = front * (slack + rest) * exp(front_error) * (1.0 + 1e-6) +
                         fabs(middle) * expm1(front_error) + 1e-300;
    return (sot_bracket){middle - error, middle + error};
}

sotto_status sot_circle_new(const sot_law *law, double epsilon, double log_delta,
                            sot_circle **out_circle, sotto_error *error)
{
    sot_circle *line = sot_new_array(1, sizeof *line);
    if (line == NULL) return sot_fail_memory(error, 1, sizeof *line);
    line->law = *law;
    line->spacing = spacing_of(law);
    place at = {law, epsilon, log_delta};
    line->c = place_line(&at);
    double once_error;
    const double once = sot_lattice_log_mgf(law, line->c, &once_error);
    line->log_mgf = law->count * once;
    line->log_mgf_error = law->count * once_error + 4.0 * unit * fabs(line->log_mgf);
    sotto_status status = SOTTO_OK;
    if (isfinite(line->log_mgf) && isfinite(line->log_mgf_error)) {
        const double c = line->c;
        const double renyi = line->log_mgf + log_kappa(c);
        const double near = isnan(epsilon) ? (renyi - log_delta) / c : epsilon;
        const double guess =
            isnan(epsilon) ? log_delta : fmin(0.0, renyi - c * epsilon) - 4.0;
        status = fill_table(line, choose_period(line, near, guess), error);
    } else {
        status = sot_fail(error, SOTTO_UNSUPPORTED, "the moments overflow");
    }
    if (status != SOTTO_OK) {
        sot_circle_free(line);
        return status;
    }
    *out_circle = line;
    return SOTTO_OK;
}

void sot_circle_free(sot_circle *line)
{
    if (line == NULL) return;
    sot_free(line->log_modulus);
    sot_free(line);
}

double sot_circle_epsilon_guess(const sot_circle *line, double log_delta)
{
    return (line->log_mgf - log_delta + log_kappa(line->c)) / line->c;
}

sot_bracket sot_circle_delta(const sot_circle *line, double epsilon)
{
    if (epsilon >= sot_mul_up(line->law.count, sot_lattice_loss_max(&line->law)))
        return (sot_bracket){0.0, 0.0};
    /* The spacing is rounded: losses near epsilon move by a relative 8u, and those far above are worth 1. */
    const double moved = 16.0 * unit * (epsilon + 750.0);
    const double far = epsilon + moved;
    sot_bracket delta = {sum_nodes(line, far).lower - alias_upper(line, far),
                         sum_nodes(line, fmax(0.0, epsilon - moved)).upper};
    if (!(delta.upper >= 0.0 && delta.upper <= 1.0)) delta.upper = 1.0;
    if (!(delta.lower > 0.0 && delta.lower <= delta.upper)) delta.lower = 0.0;
    return delta;
}
