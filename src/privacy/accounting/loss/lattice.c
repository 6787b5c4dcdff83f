/* Losses on a lattice: discrete Laplace noise, k-ary randomized response, discrete Gaussian.
 *
 * Discrete Laplace P(x) proportional to e^{-a|x|}, moved by n steps, has the losses a(n - 2j),
 * j = 0 .. n. Their probabilities are 1/(1 + e^-a) at j = 0, e^{-an}/(1 + e^-a) at j = n and
 * `e^{-aj} (1 - e^-a)/(1 + e^-a)` between. Randomized response among k, e^eps : 1 : ... : 1, has
 * the losses eps, -eps and 0. The discrete Gaussian P(x) proportional to e^{-x^2/(2 sigma^2)} has
 * the losses (n^2 - 2nx)/(2 sigma^2). All are (first + i) * spacing, symmetric about 0. */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/sum.h"
#include "privacy/accounting/loss/kinds.h"

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

/* A distribution without its table: loss_i = (first + i) * spacing has probability
 * mass_of(shape, i). */
typedef struct lattice_shape {
    const sot_law *law;
    double spacing, first, count;
    double total;   /* the masses are divided by this */
    double between; /* discrete Laplace: 1 - e^-a; response: k - 2 */
    double rounding, outside;
} lattice_shape;

/* Returns the sum of e^{-x^2/(2 sigma^2)} over all integers. Direct if it is short, else by
 * Poisson summation, `sqrt(2 pi) sigma (1 + 2 e^{-2 pi^2 sigma^2} + ...)`, where the second term
 * is below 1e-34. */
static double theta(double sigma)
{
    if (sigma >= 2.0) return 2.5066282746310005 * sigma;
    double sum = 0.0;
    for (double x = 80.0; x >= 1.0; x -= 1.0)
        sum += 2.0 * exp(-0.5 * (x / sigma) * (x / sigma));
    return 1.0 + sum;
}

static lattice_shape shape_of(const sot_law *law)
{
    lattice_shape out = {.law = law, .rounding = unit * (16.0 + 4.0 * law->loss)};
    if (law->kind == SOT_LAW_RESPONSE) {
        out.spacing = law->loss;
        out.first = -1.0;
        out.count = 3.0;
        out.total = 1.0 + (law->categories - 1.0) * exp(-law->loss);
        out.between = law->categories - 2.0;
        return out;
    }
    const double n = law->steps;
    if (law->kind == SOT_LAW_DISCRETE_LAPLACE) {
        const double a = law->loss / n;
        out.spacing = 2.0 * a;
        out.first = -0.5 * n;
        out.count = n + 1.0;
        out.total = 1.0 + exp(-a);
        out.between = -expm1(-a);
        return out;
    }
    const double reach_steps = ceil(reach * law->sigma);
    const double most = (reach_steps + n) / law->sigma;
    out.spacing = n / law->sigma / law->sigma;
    out.first = -0.5 * n - reach_steps;
    out.count = 2.0 * reach_steps + n + 1.0;
    out.total = theta(law->sigma);
    out.rounding = unit * (32.0 + 6.0 * most * most);
    out.outside = 1e-300;
    return out;
}

/* The loss rises with i: j = n - i steps back for discrete Laplace, x = reach + n - i for the Gaussian. */
static double mass_of(const lattice_shape *shape, double i)
{
    const sot_law *law = shape->law;
    if (law->kind == SOT_LAW_RESPONSE) {
        if (i == 2.0) return 1.0 / shape->total;
        return (i == 0.0 ? 1.0 : shape->between) * exp(-law->loss) / shape->total;
    }
    if (law->kind == SOT_LAW_DISCRETE_LAPLACE) {
        const double j = law->steps - i;
        const bool is_end = j == 0.0 || j == law->steps;
        return exp(-0.5 * shape->spacing * j) * (is_end ? 1.0 : shape->between) /
               shape->total;
    }
    const double x = (0.5 * law->steps - (shape->first + i)) / law->sigma;
    return exp(-0.5 * x * x) / shape->total;
}

static double loss_of(const lattice_shape *shape, double i)
{
    return (shape->first + i) * shape->spacing;
}

sotto_status sot_lattice_new(const sot_law *law, size_t most, sot_lattice *out,
                             sotto_error *error)
{
    const lattice_shape shape = shape_of(law);
    *out = (sot_lattice){.spacing = shape.spacing,
                         .first = shape.first,
                         .rounding = shape.rounding,
                         .outside = shape.outside};
    if (!(shape.count <= (double)most)) {
        return sot_fail(error, SOTTO_UNSUPPORTED, "the lattice has %g points",
                        shape.count);
    }
    out->count = (size_t)shape.count;
    out->mass = sot_new_array(out->count, sizeof *out->mass);
    if (out->mass == NULL) return sot_fail_memory(error, out->count, sizeof *out->mass);
    for (size_t i = 0; i < out->count; i++)
        out->mass[i] = mass_of(&shape, (double)i);
    return SOTTO_OK;
}

void sot_lattice_clear(sot_lattice *lattice)
{
    sot_free(lattice->mass);
    *lattice = (sot_lattice){0};
}

/* Adds positive terms only, from the top, where they are small. A loss has the relative error of
 * its spacing. So epsilon is moved outward by the error of the losses near it; those far above it
 * have weight 1 anyway. */
static sot_bracket sum_above(const lattice_shape *shape, const double *table,
                             double epsilon)
{
    const double highest = fabs(loss_of(shape, shape->count - 1.0));
    const double moved =
        16.0 * unit * fmin(highest, fabs(epsilon) + 750.0) + 4.0 * unit * fabs(epsilon);
    double upper = 0.0, lower = 0.0;
    for (double i = shape->count - 1.0; i >= 0.0; i -= 1.0) {
        const double loss = loss_of(shape, i);
        const double near = loss - (epsilon - moved);
        const double far = loss - (epsilon + moved);
        if (!(near > 0.0)) break;
        const double mass = table == NULL ? mass_of(shape, i) : table[(size_t)i];
        upper += mass * -expm1(-near);
        if (far > 0.0) lower += mass * -expm1(-far);
    }
    const double relative = shape->rounding + unit * (2.0 * shape->count + 16.0);
    sot_bracket delta = {lower * (1.0 - relative), upper * (1.0 + relative)};
    delta.upper += shape->outside + (upper > 0.0 ? DBL_MIN : 0.0);
    if (!(delta.upper <= 1.0)) delta.upper = 1.0;
    if (!(delta.lower >= 0.0 && delta.lower <= delta.upper)) delta.lower = 0.0;
    return delta;
}

sot_bracket sot_lattice_delta(const sot_lattice *lattice, double epsilon)
{
    const lattice_shape shape = {.spacing = lattice->spacing,
                                 .first = lattice->first,
                                 .count = (double)lattice->count,
                                 .rounding = lattice->rounding,
                                 .outside = lattice->outside};
    return sum_above(&shape, lattice->mass, epsilon);
}

sot_bracket sot_lattice_law_delta(const sot_law *law, double epsilon)
{
    const lattice_shape shape = shape_of(law);
    return sum_above(&shape, NULL, epsilon);
}

/* Discrete Laplace of any number of steps: the sum over j < m of e^{-aj}(...) in closed form.
 * m - 1 is the last j whose loss a(n - 2j) is above eps >= 0. So 1 <= m <= n. */
sot_bracket sot_discrete_laplace_delta(const sot_law *law, double epsilon)
{
    const double positive = fabs(epsilon);
    const double e = law->loss;
    const double n = law->steps;
    const double a = e / n;
    sot_bracket delta = {0.0, 0.0};
    if (positive < e) {
        /* P(j < m) = (1 + e^-a)^-1 (1 + e^-a (1 - e^{-a(m-1)})),
         * Q(j < m) = e^{-a(n-m+1)}/(1 + e^-a) for 1 <= m <= n. Any m gives a lower bound, and the
         * best m gives delta. Rounding may choose a neighbour only where they agree. */
        const double m = fmax(1.0, fmin(n, ceil(0.5 * (n - positive / a))));
        const double p = (1.0 - exp(-a) * expm1(-a * (m - 1.0))) / (1.0 + exp(-a));
        const double q = exp(positive - a * (n - m + 1.0)) / (1.0 + exp(-a));
        double middle = p - q;
        double slack = unit * (64.0 + 16.0 * (e + positive)) * (p + q);
        if (m == 1.0) { /* only the top: no cancellation except that of eps - e */
            middle = -expm1(positive - e) / (1.0 + exp(-a));
            slack = unit * (16.0 * middle + 8.0 * e);
        }
        delta.upper = fmin(1.0, middle + slack);
        delta.lower = fmax(0.0, middle - slack);
    }
    return sot_law_mirror(delta, epsilon);
}

/* log(e^{tl} - 1)(1 - e^{-(t+1)l}) p is at most log p + tl: the largest of these. */
static double log_largest(const lattice_shape *shape, double t)
{
    double largest = 0.0;
    for (double i = shape->count - 1.0; loss_of(shape, i) > 0.0; i -= 1.0) {
        const double mass = mass_of(shape, i);
        if (mass > 0.0) largest = fmax(largest, t * loss_of(shape, i) + log(mass));
    }
    return largest;
}

/* M(t) - 1 in the positive form of loss.h, and log M with it. */
static double finite_log_mgf(const lattice_shape *shape, double t, double *out_error)
{
    const double largest = log_largest(shape, t);
    const double shift = largest > 30.0 ? largest : 0.0;
    sot_sum sum = {0};
    double rounding = 0.0;
    for (double i = shape->count - 1.0; loss_of(shape, i) > 0.0; i -= 1.0) {
        const double loss = loss_of(shape, i);
        const double mass = mass_of(shape, i);
        if (mass == 0.0) continue;
        const double grown = t * loss < 30.0 && shift == 0.0
                                 ? expm1(t * loss) * mass
                                 : exp(t * loss + log(mass) - shift) * -expm1(-t * loss);
        const double term = grown * -expm1(-(t + 1.0) * loss);
        sot_sum_add(&sum, term);
        rounding += term * (32.0 + 8.0 * (t + 1.0) * loss);
    }
    const double excess = sot_sum_value(&sum);
    const double relative =
        shape->rounding + 2.0 * unit * rounding / fmax(excess, DBL_MIN);
    if (shift == 0.0) {
        const double log_mgf = log1p(excess);
        *out_error = relative * excess / (1.0 + excess) + 8.0 * unit * log_mgf;
        return log_mgf;
    }
    const double log_mgf = shift + log(excess + exp(-shift));
    *out_error = relative + 16.0 * unit * (log_mgf + 1.0);
    return log_mgf;
}

/* `M(t) = e^{t(t+1) n^2/(2 sigma^2)} theta(tn)/theta(0)`, theta(v) = sum of
 * `e^{-(x+v)^2/(2 sigma^2)}` over the integers. By Poisson summation both thetas are
 * `sqrt(2 pi) sigma (1 +- 2.1 e^{-2 pi^2 sigma^2})`, equal in double for sigma >= 2. */
static double smooth_log_mgf(const sot_law *law, double t, double *out_error)
{
    const double ratio = law->steps / law->sigma;
    const double log_mgf = 0.5 * t * (t + 1.0) * ratio * ratio;
    *out_error = 16.0 * unit * log_mgf + 5.0 * exp(-19.7 * law->sigma * law->sigma);
    return log_mgf;
}

/* Discrete Laplace of many steps: the geometric sum in closed form,
 * `M = [e^{te} + e^{-(t+1)e} + (1 - e^-a) e^{te} (R - R^n)/(1 - R)]/(1 + e^-a),
 * R = e^{-a(2t+1)}`. */
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
    const bool is_gaussian = law->kind == SOT_LAW_DISCRETE_GAUSSIAN;
    if (law->kind == SOT_LAW_DISCRETE_LAPLACE && law->steps > SHORT)
        return many_steps_log_mgf(law, t, out_error);
    if (is_gaussian && law->sigma >= 2.0) return smooth_log_mgf(law, t, out_error);
    /* The exponentially weighted discrete Gaussian is centred at -tn: in the table for
     * moderate orders only. */
    if (is_gaussian && t * law->steps > 20.0 * law->sigma) {
        *out_error = HUGE_VAL;
        return HUGE_VAL;
    }
    const lattice_shape shape = shape_of(law);
    return finite_log_mgf(&shape, t, out_error);
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
