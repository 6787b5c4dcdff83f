#include "privacy/accounting/loss/loss.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "privacy/accounting/loss/kinds.h"

bool sot_law_equals(const sot_law *a, const sot_law *b)
{
    return a->kind == b->kind && a->loss == b->loss && a->steps == b->steps &&
           a->categories == b->categories && a->sigma == b->sigma && a->rate == b->rate &&
           a->has_ends == b->has_ends;
}

sot_bracket sot_law_mirror(sot_bracket delta, double epsilon)
{
    if (epsilon >= 0.0) return delta;
    const double lost = -expm1(epsilon);
    const double kept = exp(epsilon);
    return (sot_bracket){
        sot_widen_down(lost + kept * delta.lower, 16.0 * DBL_EPSILON),
        fmin(1.0, sot_widen_up(lost + kept * delta.upper, 16.0 * DBL_EPSILON))};
}

static bool is_mixture(const sot_law *law)
{
    return law->kind == SOT_LAW_REPLACED || law->kind == SOT_LAW_FIXED;
}

sot_bracket sot_law_delta(const sot_law *law, double epsilon)
{
    if (law->kind == SOT_LAW_BOX) return sot_box_delta(law, epsilon);
    if (law->kind == SOT_LAW_DISCRETE_LAPLACE)
        return sot_discrete_laplace_delta(law, epsilon);
    if (is_mixture(law)) return sot_mixture_delta(law, epsilon);
    return sot_lattice_law_delta(law, epsilon);
}

double sot_law_log_mgf(const sot_law *law, double t, double *out_error)
{
    if (law->kind == SOT_LAW_BOX) return sot_box_log_mgf(law, t, out_error);
    if (is_mixture(law)) return sot_mixture_log_mgf(law, t, out_error);
    return sot_lattice_log_mgf(law, t, out_error);
}

/* Bounded losses: t times the largest. Discrete Gaussian: its divergence is at most the
 * Gaussian's (Canonne, Kamath & Steinke, NeurIPS 2020, Thm 4). Mixtures: P^{t+1} Q^{-t} is
 * convex in the pair. Each part of the mixture is a Gaussian moved by at most 2 (replaced) or
 * 1 (fixed). */
double sot_law_log_mgf_bound(const sot_law *law, double t)
{
    double bound = t * sot_law_loss_max(law);
    if (isinf(sot_law_loss_max(law))) {
        const double moved = law->kind == SOT_LAW_DISCRETE_GAUSSIAN ? law->steps
                             : law->kind == SOT_LAW_REPLACED        ? 2.0
                                                                    : 1.0;
        const double ratio = moved / law->sigma;
        const double whole = 0.5 * t * (t + 1.0) * ratio * ratio;
        bound = whole;
        if (is_mixture(law)) {
            /* A batch of fixed size is the worse of two pairs: at most the sum of their excesses. */
            const double q = law->kind == SOT_LAW_FIXED ? 2.0 * law->rate : law->rate;
            bound = whole < 30.0 ? log1p(q * expm1(whole))
                                 : whole + log(q) + log1p(exp(-whole) / q);
            bound += 16.0 * DBL_EPSILON * whole;
        }
    }
    return sot_widen_up(bound, 16.0 * DBL_EPSILON) + 1e-300;
}

static bool is_range(const sot_law *law)
{
    return law->kind == SOT_LAW_BOX && !law->has_ends;
}

double sot_law_renyi_upper(const sot_law *law, double t)
{
    double error;
    const double log_mgf = sot_law_log_mgf(law, t, &error) + error;
    const double bound = sot_law_log_mgf_bound(law, t);
    const double least = log_mgf < bound ? log_mgf : bound; /* NaN: the bound */
    return is_range(law) ? fmin(least, sot_range_renyi_upper(law->loss, t)) : least;
}

double sot_law_renyi_estimate(const sot_law *law, double t)
{
    return is_range(law) ? sot_range_renyi_upper(law->loss, t)
                         : sot_law_log_mgf_estimate(law, t);
}

double sot_law_log_mgf_estimate(const sot_law *law, double t)
{
    if (is_mixture(law)) return sot_mixture_log_mgf_estimate(law, t);
    double ignored;
    const double log_mgf = sot_law_log_mgf(law, t, &ignored);
    return isfinite(log_mgf) ? log_mgf : sot_law_log_mgf_bound(law, t);
}

double sot_law_loss_max(const sot_law *law)
{
    if (law->kind == SOT_LAW_BOX) return law->loss;
    return is_mixture(law) ? sot_mixture_loss_max(law) : sot_lattice_loss_max(law);
}

sotto_status sot_law_accumulate(const sot_law *law, const sot_law_table *table,
                                double work_max, sotto_error *error)
{
    if (law->kind == SOT_LAW_BOX) return sot_box_accumulate(law, table, error);
    const double s_max = (double)(table->nodes - 1) * table->step;
    sot_atoms atoms = {0};
    sotto_status status = is_mixture(law)
                              ? sot_mixture_atoms(law, table->c, s_max, &atoms, error)
                              : sot_lattice_atoms(law, table->c, &atoms, error);
    if (status != SOTTO_OK) return status;
    if (sot_atoms_work((double)atoms.count, (double)table->nodes) > work_max) {
        status = sot_fail(error, SOTTO_UNSUPPORTED, "the contour integral is too long");
    } else {
        status = sot_atoms_accumulate(&atoms, law->count, table->step, table->nodes,
                                      table->log_modulus, table->argument, table->error,
                                      error);
    }
    sot_atoms_clear(&atoms);
    return status;
}

double sot_law_atoms_estimate(const sot_law *law, double c, double s_max, double most)
{
    if (law->kind == SOT_LAW_BOX) return 8.0;
    return is_mixture(law) ? sot_mixture_atoms_estimate(law, c, s_max, most)
                           : sot_lattice_points(law);
}

/* ---- tails ---- */

struct sot_law_tail {
    double limit, slope; /* of a box */
    sot_mixture_tail *mixture;
};

sotto_status sot_law_tail_new(const sot_law *law, double c, sot_law_tail **out_tail,
                              sotto_error *error)
{
    sot_law_tail *tail = sot_new_array(1, sizeof *tail);
    if (tail == NULL) return sot_fail_memory(error, 1, sizeof *tail);
    tail->limit = 1.0; /* a lattice does not decay */
    if (law->kind == SOT_LAW_BOX) sot_box_tail(law, c, &tail->limit, &tail->slope);
    if (is_mixture(law)) {
        const sotto_status status = sot_mixture_tail_new(law, c, &tail->mixture, error);
        if (status != SOTTO_OK) {
            sot_law_tail_free(tail);
            return status;
        }
    }
    *out_tail = tail;
    return SOTTO_OK;
}

void sot_law_tail_free(sot_law_tail *tail)
{
    if (tail == NULL) return;
    sot_mixture_tail_free(tail->mixture);
    sot_free(tail);
}

double sot_law_tail_log(sot_law_tail *tail, double s)
{
    const double bound = tail->mixture != NULL ? sot_mixture_tail_bound(tail->mixture, s)
                                               : tail->limit + tail->slope / s;
    return log(fmin(1.0, bound)); /* 1 is the trivial bound */
}

/* ---- many releases ---- */

struct sot_law_sum {
    sot_law law;
    sot_lattice lattice; /* empty unless the distribution has one */
};

sotto_status sot_law_sum_new(const sot_law *law, sot_law_sum **out_sum,
                             sotto_error *error)
{
    *out_sum = NULL;
    /* Without ends the terms cancel more and the transform falls like s^-k: the contour is better. */
    const double repeats = law->has_ends ? SOT_BOX_REPEATS_MAX : SOT_RANGE_REPEATS_MAX;
    const bool is_box = law->kind == SOT_LAW_BOX && law->count <= repeats &&
                        law->count * law->loss <= SOT_BOX_LOSS_MAX;
    const bool is_lattice =
        (law->kind == SOT_LAW_DISCRETE_LAPLACE || law->kind == SOT_LAW_RESPONSE ||
         law->kind == SOT_LAW_DISCRETE_GAUSSIAN) &&
        sot_lattice_power_fits(law);
    if (law->count > 1.0 && !is_box && !is_lattice) return SOTTO_OK;
    sot_law_sum *sum = sot_new_array(1, sizeof *sum);
    if (sum == NULL) return sot_fail_memory(error, 1, sizeof *sum);
    sum->law = *law;
    if (is_lattice) {
        const sotto_status status = sot_lattice_power(law, &sum->lattice, error);
        if (status != SOTTO_OK) {
            sot_free(sum);
            return status;
        }
    }
    *out_sum = sum;
    return SOTTO_OK;
}

void sot_law_sum_free(sot_law_sum *sum)
{
    if (sum == NULL) return;
    sot_lattice_clear(&sum->lattice);
    sot_free(sum);
}

sot_bracket sot_law_sum_delta(const sot_law_sum *sum, double epsilon)
{
    if (sum->lattice.mass != NULL) return sot_lattice_delta(&sum->lattice, epsilon);
    if (sum->law.count == 1.0) return sot_law_delta(&sum->law, epsilon);
    return sot_box_sum_delta(&sum->law, epsilon);
}

const sot_lattice *sot_law_sum_lattice(const sot_law_sum *sum)
{
    return sum->lattice.mass == NULL ? NULL : &sum->lattice;
}

double sot_law_sum_points(const sot_law_sum *sum)
{
    return sum->lattice.mass == NULL ? HUGE_VAL : (double)sum->lattice.count;
}
