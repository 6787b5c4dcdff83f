#include "privacy/accounting/loss/subsampled.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "privacy/accounting/loss/kinds.h"

bool sot_subsampled_equals(const sot_subsampled *a, const sot_subsampled *b)
{
    if (a->kind == SOT_SAMPLE_MIXTURE && b->kind == SOT_SAMPLE_MIXTURE)
        return sot_gaussian_mixture_equals(&a->mixture, &b->mixture);
    return a->kind == b->kind && a->rate == b->rate && sot_law_equals(&a->base, &b->base);
}

/* log(1 - q + q e^l), within 8u of itself and, for l far above 1, 4u of l. */
static double log_ratio(double rate, double loss)
{
    if (loss < 30.0) return log1p(rate * expm1(loss));
    return loss + log(rate + (1.0 - rate) * exp(-loss));
}

double sot_subsampled_loss_max(const sot_subsampled *release)
{
    if (release->kind == SOT_SAMPLE_MIXTURE) return HUGE_VAL;
    const double most = sot_law_loss_max(&release->base);
    return isinf(most) ? most
                       : sot_widen_up(log_ratio(release->rate, most), 32.0 * DBL_EPSILON);
}

/* ---- one release ---- */

/* e^eps (1-q)Q + ... : `H_a((1-q)Q + qP, Q) = q H_a'(P, Q)` with a' = (a - 1 + q)/q, for a > 1 - q; else 1 - a. */
static sot_bracket remove_delta(const sot_subsampled *release, double epsilon)
{
    const double x = expm1(epsilon) / release->rate; /* a' - 1 */
    if (!(x > -1.0 + 16.0 * DBL_EPSILON)) {
        const double lost =
            -expm1(epsilon); /* the least there is, and near the end of it */
        return (sot_bracket){sot_widen_down(lost, 8.0 * DBL_EPSILON),
                             fmin(1.0, sot_widen_up(lost, 8.0 * DBL_EPSILON) +
                                           32.0 * DBL_EPSILON * release->rate)};
    }
    const double at = log1p(x);
    const double error = 8.0 * DBL_EPSILON * (fabs(x) / (1.0 + x) + fabs(at));
    const sot_bracket near = sot_law_delta(&release->base, at - error);
    const sot_bracket far = sot_law_delta(&release->base, at + error);
    return (sot_bracket){sot_mul_down(release->rate, far.lower),
                         sot_mul_up(release->rate, near.upper)};
}

/* `H_a(Q, (1-q)Q + qP) = c H_b(Q, P)`, c = 1 - a(1-q), b = aq/c, for c > 0; else 0. (Q, P) has the profile of (P, Q). */
static sot_bracket add_delta(const sot_subsampled *release, double epsilon)
{
    const double q = release->rate;
    const double grown = expm1(epsilon); /* c = q - (1-q)(a - 1) */
    const double c = q - (1.0 - q) * grown;
    const double error = 4.0 * DBL_EPSILON * (q + fabs(grown));
    const double high = c + error;
    if (!(high > 0.0)) return (sot_bracket){0.0, 0.0};
    const double log_top = epsilon + log(q);
    const double blur = 8.0 * DBL_EPSILON * (fabs(epsilon) + fabs(log(q)) + 1.0);
    const double near = log_top - log(high) - blur; /* a larger c, a smaller b: more */
    sot_bracket delta = {0.0,
                         sot_mul_up(high, sot_law_delta(&release->base, near).upper)};
    if (c - error > 0.0) {
        const double far = log_top - log(c - error) + blur;
        delta.lower = sot_mul_down(c - error, sot_law_delta(&release->base, far).lower);
    }
    delta.upper = fmin(1.0, delta.upper);
    return delta;
}

sot_bracket sot_subsampled_delta(const sot_subsampled *release, sot_direction direction,
                                 double epsilon)
{
    if (release->kind == SOT_SAMPLE_MIXTURE)
        return sot_gaussian_mixture_delta(&release->mixture, direction, epsilon);
    if (release->kind == SOT_SAMPLE_COINS && direction == SOT_ADD)
        return add_delta(release, epsilon);
    if (release->kind == SOT_SAMPLE_COINS) return remove_delta(release, epsilon);
    return sot_law_mirror(remove_delta(release, fabs(epsilon)), epsilon);
}

/* ---- moments ---- */

/* Convexity of x^{t+1} and x^-t: M(t) <= 1 - q + q M_base(t), twice the excess for a batch. */
static double log_mgf_bound(const sot_subsampled *release, double t)
{
    const double whole = sot_law_log_mgf_bound(&release->base, t);
    const double q =
        release->kind == SOT_SAMPLE_BATCH ? 2.0 * release->rate : release->rate;
    const double bound =
        whole < 30.0 ? log1p(q * expm1(whole)) : whole + log(q + (1.0 + q) * exp(-whole));
    return fmin(sot_widen_up(bound + 16.0 * DBL_EPSILON * whole, 16.0 * DBL_EPSILON),
                sot_mul_up(t, sot_subsampled_loss_max(release)));
}

/* `M(t) - 1 = E_Q f(r)` with `f(r) = r^z - 1 - z(r - 1) >= 0` and z = t + 1 or -t. A batch has both over
 * l > 0, without their linear parts. The error of f is 4u of its terms. */
static double excess_of(double log_r, double r_minus_1, double z)
{
    const double grown = expm1(z * log_r);
    const double linear = z * r_minus_1;
    const double error = 16.0 * DBL_EPSILON * (fabs(grown) + fabs(linear)) +
                         8.0 * DBL_EPSILON * (1.0 + grown) * fabs(z * log_r);
    return fmax(0.0, grown - linear) + error;
}

/* The same times a mass, for a mixture. Far out it returns `r^z`, a bound of f for r >= 1, z >= 1 and for r <= 1, z <= 0. */
static double weighted_excess(double log_mass, double log_r, double r_minus_1, double z)
{
    const double power = z * log_r;
    const double relative =
        DBL_EPSILON * (16.0 + 8.0 * fabs(power) + 8.0 * fabs(log_mass));
    if (power < 30.0)
        return sot_widen_up(exp(log_mass), relative) * excess_of(log_r, r_minus_1, z);
    return sot_widen_up(exp(power + log_mass), relative);
}

double sot_subsampled_log_mgf_upper(const sot_subsampled *release, double t)
{
    const bool is_mixture = release->kind == SOT_SAMPLE_MIXTURE;
    const double bound = is_mixture
                             ? sot_gaussian_mixture_log_mgf_bound(&release->mixture, t)
                             : log_mgf_bound(release, t);
    const sot_law *base = &release->base;
    /* The weighted discrete Gaussian must lie inside the table. */
    const bool is_gaussian = !is_mixture && base->kind == SOT_LAW_DISCRETE_GAUSSIAN;
    if (is_gaussian && (t + 1.0) * base->steps > 18.0 * base->sigma) return bound;
    double removed = 0.0, added = 0.0;
    for (size_t i = 0; i < release->table.count; i++) {
        const sot_pair_atom *atom = &release->table.atoms[i];
        if (atom->mass.upper == 0.0) continue;
        if (release->kind == SOT_SAMPLE_BATCH && !(atom->loss > 0.0)) continue;
        const double mass = atom->mass.upper * exp(-atom->loss); /* of Q */
        const double log_r = log_ratio(release->rate, atom->loss);
        const double w = release->rate * expm1(atom->loss);
        if (is_mixture) {
            const double log_mass = log(atom->mass.upper) - atom->loss; /* of Q */
            removed += weighted_excess(log_mass, log_r, w, t + 1.0);
            added += weighted_excess(log_mass, log_r, w, -t);
            continue;
        }
        if (!((t + 1.0) * fabs(log_r) < 600.0)) return bound;
        removed += mass * excess_of(log_r, w, t + 1.0);
        added += mass * excess_of(log_r, w, -t);
    }
    if (!(removed < 1e300 && added < 1e300)) return bound;
    double excess =
        release->kind == SOT_SAMPLE_BATCH ? removed + added : fmax(removed, added);
    const double relative = DBL_EPSILON * (64.0 + (double)release->table.count) +
                            2.0 * (t + 1.0) * release->table.place_error;
    excess = sot_widen_up(excess, 4.0 * relative);
    if (is_mixture) excess += sot_gaussian_mixture_tail(&release->mixture, t);
    /* Beyond 38 sigma: below e^-200 of M_base(t), since the weight moves the centre by 18 sigma at most. */
    if (is_gaussian) excess += 1e-80 * sot_exp_up(sot_law_log_mgf_bound(base, t));
    return fmin(bound, sot_widen_up(log1p(excess), 8.0 * DBL_EPSILON));
}

/* ---- atoms ---- */

static sot_bracket times(sot_bracket mass, double factor, double relative)
{
    return (sot_bracket){sot_widen_down(mass.lower * factor, relative),
                         sot_widen_up(mass.upper * factor, relative)};
}

/* The atom of the sampled release for one of the base. Removal has the mass of (1-q)Q + qP at log r, addition the
 * mass of Q at -log r. */
static sot_pair_atom atom_of(const sot_subsampled *release, const sot_pair_atom *base,
                             sot_direction direction)
{
    const double q = release->rate;
    const double fallen = exp(-base->loss);
    const double log_r = log_ratio(q, base->loss);
    const double relative =
        DBL_EPSILON * (16.0 + 4.0 * fabs(base->loss)) + 2.0 * release->table.place_error;
    const bool is_removed = direction == SOT_REMOVE;
    return (sot_pair_atom){
        is_removed ? log_r : -log_r,
        times(base->mass, is_removed ? q + (1.0 - q) * fallen : fallen, relative)};
}

/* The rest of a batch is at 0. This is an upper end: no single data set attains the pair. */
static sot_bracket mass_at_zero(const sot_pair_table *atoms, double place_error)
{
    double taken = 0.0;
    for (size_t i = 0; i < atoms->count; i++)
        taken += atoms->atoms[i].mass.upper;
    const double relative =
        DBL_EPSILON * (64.0 + 2.0 * (double)atoms->count) + 4.0 * place_error;
    return (sot_bracket){0.0, fmax(0.0, 1.0 - taken + relative * (1.0 + taken))};
}

sotto_status sot_subsampled_atoms(const sot_subsampled *release, sot_direction direction,
                                  sot_pair_table *out_atoms, sotto_error *error)
{
    const sot_pair_table *table = &release->table;
    const bool is_batch = release->kind == SOT_SAMPLE_BATCH;
    *out_atoms = (sot_pair_table){.outside = table->outside};
    out_atoms->atoms = sot_new_array(2 * table->count + 1, sizeof *out_atoms->atoms);
    if (out_atoms->atoms == NULL)
        return sot_fail_memory(error, 2 * table->count + 1, sizeof *out_atoms->atoms);
    double largest = 0.0, slope = 0.0; /* of |log r|, and of d log r/dl = q e^l/r */
    for (size_t i = 0; i < table->count; i++) {
        const sot_pair_atom *base = &table->atoms[i];
        if (is_batch && !(base->loss > 0.0)) continue;
        const double log_r = log_ratio(release->rate, base->loss);
        largest = fmax(largest, fabs(log_r));
        slope = fmax(slope, fmin(1.0, release->rate * exp(base->loss - log_r)));
        out_atoms->atoms[out_atoms->count++] =
            atom_of(release, base, is_batch ? SOT_REMOVE : direction);
        if (is_batch)
            out_atoms->atoms[out_atoms->count++] = atom_of(release, base, SOT_ADD);
    }
    if (is_batch) {
        const sot_bracket rest = mass_at_zero(out_atoms, table->place_error);
        out_atoms->atoms[out_atoms->count++] = (sot_pair_atom){0.0, rest};
    }
    out_atoms->place_error =
        1.01 * slope * table->place_error + 16.0 * DBL_EPSILON * largest;
    return SOTTO_OK;
}
