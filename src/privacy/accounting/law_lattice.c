/* Losses on a lattice: discrete Laplace noise, k-ary randomized response, discrete Gaussian.
 *
 * Discrete Laplace P(x) proportional to e^{-a|x|}, moved by n steps: losses a(n - 2j), j = 0 .. n,
 * with probability 1/(1 + e^-a) at j = 0, e^{-an}/(1 + e^-a) at j = n and
 * e^{-aj} (1 - e^-a)/(1 + e^-a) between. Randomized response among k: e^eps : 1 : ... : 1, losses eps, -eps and
 * 0. Discrete Gaussian P(x) proportional to e^{-x^2/(2 sigma^2)}: losses (n^2 - 2nx)/(2 sigma^2).
 * All are (first + i) * spacing, symmetric about 0. */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/sum.h"
#include "privacy/accounting/law_kinds.h"

static const double unit = 0x1p-53;

/* Beyond this many standard deviations the discrete Gaussian has less than 1e-300. */
static const double reach = 38.0;

double sot_lattice_points(const sot_law *law)
{
    if (law->kind == SOT_LAW_RESPONSE) return 3.0;
    if (law->kind == SOT_LAW_DISCRETE_LAPLACE) return law->steps + 1.0;
    return 2.0 * reach * law->sigma + law->steps + 2.0;
}

double sot_lattice_loss_max(const sot_law *law)
{
    return law->kind == SOT_LAW_DISCRETE_GAUSSIAN ? HUGE_VAL : law->loss;
}

static void fill_discrete_laplace(const sot_law *law, sot_lattice *lattice)
{
    const double a = law->loss / law->steps;
    const double whole = 1.0 + exp(-a);
    const double n = law->steps;
    lattice->spacing = 2.0 * a;
    lattice->first = -0.5 * n;
    for (size_t i = 0; i < lattice->count; i++) {
        const double j = n - (double)i; /* the loss rises with i */
        const double between = j == 0.0 || j == n ? 1.0 : -expm1(-a);
        lattice->mass[i] = exp(-a * j) * between / whole;
    }
    lattice->rounding = unit * (16.0 + 4.0 * law->loss);
}

static void fill_response(const sot_law *law, sot_lattice *lattice)
{
    const double other = exp(-law->loss);
    const double whole = 1.0 + (law->categories - 1.0) * other;
    lattice->spacing = law->loss;
    lattice->first = -1.0;
    lattice->mass[0] = other / whole;
    lattice->mass[1] = (law->categories - 2.0) * other / whole;
    lattice->mass[2] = 1.0 / whole;
    lattice->rounding = unit * (16.0 + 4.0 * law->loss);
}

/* x runs downward, so that the loss rises. */
static void fill_discrete_gaussian(const sot_law *law, sot_lattice *lattice)
{
    const double n = law->steps;
    const double inverse = 1.0 / law->sigma;
    const double reach_steps = ceil(reach * law->sigma);
    lattice->spacing = n * inverse * inverse;
    lattice->first = 0.5 * n - (reach_steps + n);
    sot_sum sum = {0};
    for (size_t i = 0; i < lattice->count; i++) {
        const double x = (reach_steps + n - (double)i) * inverse;
        lattice->mass[i] = exp(-0.5 * x * x);
        sot_sum_add(&sum, lattice->mass[i]);
    }
    for (size_t i = 0; i < lattice->count; i++)
        lattice->mass[i] /= sot_sum_value(&sum);
    const double most = (reach_steps + n) * inverse;
    lattice->rounding = unit * (32.0 + 6.0 * most * most);
    lattice->outside = 1e-300;
}

sotto_status sot_lattice_new(const sot_law *law, size_t most, sot_lattice *out,
                             sotto_error *error)
{
    *out = (sot_lattice){0};
    double points = sot_lattice_points(law);
    if (law->kind == SOT_LAW_DISCRETE_GAUSSIAN)
        points = 2.0 * ceil(reach * law->sigma) + law->steps + 1.0;
    if (!(points <= (double)most)) {
        return sot_fail(error, SOTTO_UNSUPPORTED, "the lattice has %g points", points);
    }
    out->count = (size_t)points;
    out->mass = sot_new_array(out->count, sizeof *out->mass);
    if (out->mass == NULL) return sot_fail_memory(error, out->count, sizeof *out->mass);
    switch (law->kind) {
    case SOT_LAW_DISCRETE_LAPLACE:
        fill_discrete_laplace(law, out);
        break;
    case SOT_LAW_RESPONSE:
        fill_response(law, out);
        break;
    case SOT_LAW_DISCRETE_GAUSSIAN:
        fill_discrete_gaussian(law, out);
        break;
    case SOT_LAW_BOX:
    case SOT_LAW_REPLACED:
    case SOT_LAW_FIXED:
        break;
    }
    return SOTTO_OK;
}

void sot_lattice_clear(sot_lattice *lattice)
{
    sot_free(lattice->mass);
    *lattice = (sot_lattice){0};
}

/* Positive terms only. A loss (first + i) * spacing has the relative error of its spacing, so epsilon
 * is moved outward by that of the largest loss that counts. */
sot_bracket sot_lattice_delta(const sot_lattice *lattice, double epsilon)
{
    const double highest =
        fabs(lattice->first + (double)lattice->count - 1.0) * lattice->spacing;
    const double moved =
        16.0 * unit * fmin(highest, fabs(epsilon) + 750.0) + 4.0 * unit * fabs(epsilon);
    double upper = 0.0, lower = 0.0;
    /* From the top, where the terms are small. */
    for (size_t i = lattice->count; i-- > 0;) {
        const double loss = (lattice->first + (double)i) * lattice->spacing;
        const double near = loss - (epsilon - moved);
        const double far = loss - (epsilon + moved);
        if (!(near > 0.0)) break;
        upper += lattice->mass[i] * -expm1(-near);
        if (far > 0.0) lower += lattice->mass[i] * -expm1(-far);
    }
    const double relative =
        lattice->rounding + unit * (2.0 * (double)lattice->count + 16.0);
    sot_bracket delta = {lower * (1.0 - relative), upper * (1.0 + relative)};
    delta.upper = delta.upper + lattice->outside + (upper > 0.0 ? DBL_MIN : 0.0);
    if (!(delta.upper <= 1.0)) delta.upper = 1.0;
    if (!(delta.lower >= 0.0 && delta.lower <= delta.upper)) delta.lower = 0.0;
    return delta;
}

/* Discrete Laplace of any number of steps: the sum over j < m of e^{-aj}(...) in closed form.
 * m - 1 is the last j whose loss a(n - 2j) is above eps >= 0, so that 1 <= m <= n. */
sot_bracket sot_discrete_laplace_delta(const sot_law *law, double epsilon)
{
    const double positive = fabs(epsilon);
    const double e = law->loss;
    const double n = law->steps;
    const double a = e / n;
    sot_bracket delta = {0.0, 0.0};
    if (positive < e) {
        /* P(j < m) = (1 + e^-a)^-1 (1 + e^-a (1 - e^{-a(m-1)})),
         * Q(j < m) = e^{-a(n-m+1)}/(1 + e^-a) for 1 <= m <= n. Any m bounds delta from below, and the
         * best one is it: rounding may choose a neighbour only where they agree. */
        const double m = fmax(1.0, fmin(n, ceil(0.5 * (n - positive / a))));
        const double p = (1.0 - exp(-a) * expm1(-a * (m - 1.0))) / (1.0 + exp(-a));
        const double q = exp(positive - a * (n - m + 1.0)) / (1.0 + exp(-a));
        double middle = p - q;
        double slack = unit * (64.0 + 16.0 * (e + positive)) * (p + q);
        if (m == 1.0) { /* the top alone: no cancellation but that of eps - e */
            middle = -expm1(positive - e) / (1.0 + exp(-a));
            slack = unit * (16.0 * middle + 8.0 * e);
        }
        delta.upper = fmin(1.0, middle + slack);
        delta.lower = fmax(0.0, middle - slack);
    }
    return sot_law_mirror(delta, epsilon);
}

/* M(t) - 1 in the positive form of law.h, and log M with it. */
static double finite_log_mgf(const sot_lattice *lattice, double t, double *out_error)
{
    const size_t top = lattice->count - 1;
    /* The largest exponent is taken out: a term is at most its mass times e^{t l}. */
    double largest = 0.0;
    for (size_t i = top; i > 0; i--) {
        const double loss = (lattice->first + (double)i) * lattice->spacing;
        if (!(loss > 0.0)) break;
        if (lattice->mass[i] > 0.0)
            largest = fmax(largest, t * loss + log(lattice->mass[i]));
    }
    const double shift = largest > 30.0 ? largest : 0.0;
    sot_sum sum = {0};
    double rounding = 0.0;
    for (size_t i = top; i > 0; i--) {
        const double loss = (lattice->first + (double)i) * lattice->spacing;
        if (!(loss > 0.0)) break;
        if (lattice->mass[i] == 0.0) continue;
        /* (e^{tl} - 1)(1 - e^{-(t+1)l}) */
        const double grown =
            t * loss < 30.0 && shift == 0.0
                ? expm1(t * loss) * lattice->mass[i]
                : exp(t * loss + log(lattice->mass[i]) - shift) * -expm1(-t * loss);
        const double term = grown * -expm1(-(t + 1.0) * loss);
        sot_sum_add(&sum, term);
        rounding += term * (32.0 + 8.0 * (t + 1.0) * loss);
    }
    const double excess = sot_sum_value(&sum);
    const double relative =
        lattice->rounding + 2.0 * unit * rounding / fmax(excess, DBL_MIN);
    if (shift == 0.0) {
        const double log_mgf = log1p(excess);
        *out_error = relative * excess / (1.0 + excess) + 8.0 * unit * log_mgf;
        return log_mgf;
    }
    const double log_mgf = shift + log(excess + exp(-shift));
    *out_error = relative + 16.0 * unit * (log_mgf + 1.0);
    return log_mgf;
}

/* Discrete Laplace of many steps: the geometric sum in closed form,
 * M = [e^{te} + e^{-(t+1)e} + (1 - e^-a) e^{te} (R - R^n)/(1 - R)]/(1 + e^-a), R = e^{-a(2t+1)}. */
static double many_steps_log_mgf(const sot_law *law, double t, double *out_error)
{
    const double e = law->loss;
    const double n = law->steps;
    const double a = e / n;
    const double log_ratio = -a * (2.0 * t + 1.0);
    const double between =
        -expm1(-a) * exp(log_ratio) * expm1((n - 1.0) * log_ratio) / expm1(log_ratio);
    const double bracket = log1p(exp(n * log_ratio) + between) - log1p(exp(-a));
    const double log_mgf = fmax(0.0, t * e + bracket);
    *out_error = unit * (16.0 * t * e + 64.0 + 8.0 * fabs(bracket));
    return log_mgf;
}

enum { POINTS_MAX = 200000, SHORT = 64 };

double sot_lattice_log_mgf(const sot_law *law, double t, double *out_error)
{
    *out_error = HUGE_VAL;
    if (law->kind == SOT_LAW_DISCRETE_LAPLACE && law->steps > SHORT)
        return many_steps_log_mgf(law, t, out_error);
    sot_lattice lattice;
    if (sot_lattice_new(law, POINTS_MAX, &lattice, NULL) != SOTTO_OK) return HUGE_VAL;
    /* The tilted discrete Gaussian sits at -tn: within the table for moderate orders only. */
    const bool leaves =
        law->kind == SOT_LAW_DISCRETE_GAUSSIAN && t * law->steps > 20.0 * law->sigma;
    const double log_mgf = leaves ? HUGE_VAL : finite_log_mgf(&lattice, t, out_error);
    sot_lattice_clear(&lattice);
    return log_mgf;
}

sotto_status sot_lattice_atoms(const sot_law *law, double c, sot_atoms *out_atoms,
                               sotto_error *error)
{
    sot_lattice lattice;
    sotto_status status = sot_lattice_new(law, POINTS_MAX, &lattice, error);
    if (status != SOTTO_OK) return status;
    status = sot_atoms_new(lattice.count, out_atoms, error);
    if (status != SOTTO_OK) {
        sot_lattice_clear(&lattice);
        return status;
    }
    double largest = -HUGE_VAL;
    for (size_t i = 0; i < lattice.count; i++) {
        const double loss = (lattice.first + (double)i) * lattice.spacing;
        if (lattice.mass[i] > 0.0)
            largest = fmax(largest, c * loss + log(lattice.mass[i]));
    }
    size_t kept = 0;
    double dropped = 0.0, sum = 0.0, sizes = 0.0;
    for (size_t i = 0; i < lattice.count; i++) {
        const double loss = (lattice.first + (double)i) * lattice.spacing;
        if (lattice.mass[i] == 0.0) continue;
        const double weight = exp(c * loss + log(lattice.mass[i]) - largest);
        if (weight < 1e-30) {
            dropped += weight;
            continue;
        }
        out_atoms->loss[kept] = loss;
        out_atoms->weight[kept] = weight;
        sum += weight;
        sizes += weight * fabs(loss);
        kept++;
    }
    const size_t lanes = SOT_ATOM_LANES;
    const double highest =
        fabs(lattice.first + (double)lattice.count - 1.0) * lattice.spacing;
    out_atoms->count = (kept + lanes - 1) / lanes * lanes;
    sot_atoms_normalize(out_atoms);
    const double one =
        lattice.rounding +
        unit * (SOT_ATOM_ROUNDINGS + (double)kept / SOT_ATOM_BLOCK + 16.0 +
                8.0 * c * fmin(highest, sizes / sum + 40.0) + fabs(largest));
    out_atoms->rounding_per_s = 4.0 * one * sizes / sum;
    out_atoms->quadrature = 4.0 * dropped / sum + (lattice.outside > 0.0 ? 1e-30 : 0.0);
    sot_lattice_clear(&lattice);
    return SOTTO_OK;
}

/* ---- many releases ---- */

enum { POWER_POINTS_MAX = 6000 };

bool sot_lattice_power_fits(const sot_law *law)
{
    return law->count * (sot_lattice_points(law) - 1.0) + 1.0 <= POWER_POINTS_MAX;
}

/* Positive terms: the relative errors of the factors add up, and the sum's own. */
static sotto_status convolve(const sot_lattice *a, const sot_lattice *b, sot_lattice *out,
                             sotto_error *error)
{
    *out = (sot_lattice){.spacing = a->spacing,
                         .first = a->first + b->first,
                         .count = a->count + b->count - 1,
                         .outside = a->outside + b->outside};
    out->mass = sot_new_array(out->count, sizeof *out->mass);
    if (out->mass == NULL) return sot_fail_memory(error, out->count, sizeof *out->mass);
    for (size_t i = 0; i < a->count; i++) {
        const double weight = a->mass[i];
        if (weight == 0.0) continue;
        for (size_t j = 0; j < b->count; j++)
            out->mass[i + j] += weight * b->mass[j];
    }
    const double least = (double)(a->count < b->count ? a->count : b->count);
    out->rounding = (a->rounding + b->rounding + unit * (least + 2.0)) * (1.0 + 1e-9);
    /* Products below the least double are lost: at most one a term. */
    out->outside += DBL_MIN * (double)a->count * (double)b->count;
    return SOTTO_OK;
}

sotto_status sot_lattice_power(const sot_law *law, sot_lattice *out, sotto_error *error)
{
    sot_lattice square, product = {0}, next;
    sotto_status status = sot_lattice_new(law, POWER_POINTS_MAX, &square, error);
    for (double left = law->count; status == SOTTO_OK; left = floor(0.5 * left)) {
        if (fmod(left, 2.0) == 1.0) {
            if (product.mass == NULL) {
                const sot_lattice one = {.spacing = square.spacing, .count = 1};
                double mass = 1.0;
                sot_lattice unit_mass = one;
                unit_mass.mass = &mass;
                status = convolve(&unit_mass, &square, &next, error);
            } else {
                status = convolve(&product, &square, &next, error);
            }
            if (status != SOTTO_OK) break;
            sot_lattice_clear(&product);
            product = next;
        }
        if (left <= 1.0) break;
        status = convolve(&square, &square, &next, error);
        if (status != SOTTO_OK) break;
        sot_lattice_clear(&square);
        square = next;
    }
    sot_lattice_clear(&square);
    if (status != SOTTO_OK) {
        sot_lattice_clear(&product);
        return status;
    }
    *out = product;
    return SOTTO_OK;
}
