/* Losses other than the logistic: gradients in a polytope, or any. Proofs: objective.md, section 7. */
#include <math.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "numeric/special.h"
#include "privacy/accounting/objective/theorems.h"
#include "privacy/accounting/objective_loss/loss.h"

/* sot_ndtr is good to a relative 1.5e-15. */
static const double ndtr_error = 2e-15;

static double rank_of(const sot_objective_law *law)
{
    return law->rank > 1 ? (double)law->rank : 1.0;
}

double sot_objective_curvature_upper(const sot_objective_law *law)
{
    if (!(law->trace > 0.0)) return law->smoothness;
    return fmin(law->smoothness, sot_div_up(law->trace, rank_of(law)));
}

/* rank log(1 + curvature/lambda): the eigenvalues that a record adds sum to at most its trace over
 * lambda, and the logarithm is concave. */
static double row_log_determinant_upper(const sot_objective_law *law)
{
    return sot_mul_up(
        rank_of(law),
        sot_log1p_up(sot_div_up(sot_objective_curvature_upper(law), law->lambda)));
}

double sot_objective_log_determinant_upper(const sot_objective_law *law)
{
    sot_objective_law known = *law;
    if (law->theorem == SOT_OBJECTIVE_SHARP && isnan(law->smoothness))
        known.smoothness = 0.25 * sot_mul_up(law->record_bound, law->record_bound);
    return sot_mul_up((double)law->unit_rows, row_log_determinant_upper(&known));
}

/* c of one row's removal. Softmax, Gaussian: where the probabilities p are mixed, the noise's own
 * loss is smaller than at the vertices by (1 - |p|^2) R^2/(2 sigma^2), and the determinant is at
 * most (1 - |p|^2) R^2/lambda; 1 - |p|^2 is at most 1 - 1/K, and L^2 = 2 R^2. */
static double row_offset_upper(const sot_objective_law *law)
{
    const double plain = row_log_determinant_upper(law);
    if (law->classes < 2 || isnan(law->sigma)) return plain;
    const double bound = law->record_bound;
    const double determinant = sot_div_up(0.5 * sot_mul_up(bound, bound), law->lambda);
    const double ratio = sot_div_down(bound, law->sigma);
    const double won = 0.25 * sot_mul_down(ratio, ratio);
    const double mixed = 1.0 - sot_div_down(1.0, (double)law->classes);
    const double coupled =
        sot_mul_up(sot_next_up(mixed), fmax(0.0, sot_sub_up(determinant, won)));
    return fmin(plain, coupled);
}

/* ---- the event of a chain of one-row steps ---- */

/* P(L > x) <= vertices P(t > x - offset) for x >= atom, t ~ N(A^2/2, A^2), A = shift. */
typedef struct tail_law {
    double shift, offset, vertices, atom;
} tail_law;

/* Vertices of one record's gradient that can hurt when it goes, and when it comes. */
static double corners_removed(const sot_objective_law *law)
{
    return law->classes > 1 ? (double)(law->classes - 1) : 1.0;
}

static double corners_added(const sot_objective_law *law)
{
    if (law->classes > 1) return (double)(law->classes - 1);
    return law->one_signed ? 1.0 : 2.0;
}

/* The removal of k rows: profiles m G(a, eps_i - c) at eps_i = c + eta_i, where the eta_i are those
 * of the Gaussian chain for eps - k c. The steps before the i-th weigh it with e^{(i-1) c} more. */
static tail_law chain_of(const sot_objective_law *law)
{
    const double rows = (double)law->unit_rows;
    const bool replaces = law->adjacency == SOTTO_REPLACE_ONE;
    const double steps = replaces ? 2.0 * rows : rows;
    const double one = sot_div_up(law->record_bound, law->sigma);
    const double offset = row_offset_upper(law);
    const double growth = sot_exp_up(sot_mul_up(rows - 1.0, offset));
    /* k (k - 1)/2 or k (2 k - 1): the first eta is not negative; exact, k <= 1e6 */
    const double start = replaces ? rows * (2.0 * rows - 1.0) : 0.5 * rows * (rows - 1.0);
    tail_law chain = {.shift = sot_mul_up(steps, one),
                      .offset = sot_mul_up(rows, offset),
                      .vertices = ceil(sot_mul_up(corners_removed(law), growth))};
    if (replaces) chain.vertices = fmax(chain.vertices, corners_added(law));
    chain.atom = sot_add_up(chain.offset, sot_mul_up(start, sot_mul_up(one, one)));
    return chain;
}

/* The least offset, or a little more, with which `few` vertices cover `many` of no offset above
 * `from`: P(t > x - offset)/P(t > x) grows with x, since log P(t > x) is concave. */
static double covering_offset_up(double shift, double from, double few, double many)
{
    const double far = sot_div_down(from, shift) - 0.5 * shift; /* standard deviations */
    const double log_wanted = sot_log_ndtr(-far) + log(many / few);
    if (!(log_wanted < -1e-6)) return HUGE_VAL;
    double offset = shift * (far + sot_normal_quantile_log(log_wanted));
    offset = fmax(0.0, offset);
    /* The quantile is a guess; this decides. */
    const double rare = sot_mul_up(
        many, sot_widen_up(sot_ndtr(sot_sub_up(0.5 * shift, sot_div_down(from, shift))),
                           ndtr_error));
    for (int i = 0; i < 60; i++) {
        const double place =
            sot_sub_down(0.5 * shift, sot_div_up(sot_sub_up(from, offset), shift));
        if (sot_mul_down(few, sot_widen_down(sot_ndtr(place), ndtr_error)) >= rare)
            return offset;
        offset = sot_widen_up(offset, 1e-12 * (1 << (i / 2)));
    }
    return HUGE_VAL;
}

/* Both directions of add-remove by one distribution: rows that come have more vertices, but no
 * determinant. */
static tail_law both_ways(const sot_objective_law *law, tail_law removed)
{
    const double added = corners_added(law);
    if (law->adjacency == SOTTO_REPLACE_ONE || added <= removed.vertices) return removed;
    tail_law both = removed;
    both.vertices = added;
    if (!(law->floor > 0.0)) return both;
    tail_law raised = removed;
    raised.atom = fmax(removed.atom, law->floor);
    raised.offset = fmax(removed.offset, covering_offset_up(removed.shift, raised.atom,
                                                            removed.vertices, added));
    return raised.offset <= raised.atom ? raised : both;
}

/* privacy/accounting/objective_loss/frozen_slope.md, sections 7 and 8. */
bool sot_objective_is_frozen_margin(const sot_objective_law *law)
{
    const double steps =
        (law->adjacency == SOTTO_REPLACE_ONE ? 2.0 : 1.0) * (double)law->unit_rows;
    return law->theorem == SOT_OBJECTIVE_VERTICES && law->classes <= 1 &&
           !law->is_former && steps <= SOT_FROZEN_STEPS_MAX;
}

sotto_status sot_objective_vertices_event(const sot_objective_law *law,
                                          sotto_event *event, sotto_error *error)
{
    const bool is_frozen = sot_objective_is_frozen_margin(law);
    const tail_law chain = chain_of(law);
    const tail_law tail = is_frozen ? chain : both_ways(law, chain);
    const double noise = sot_div_down(1.0, tail.shift);
    if (!(noise >= 1e-4 &&
          noise <= 1e12)) { /* the range of privacy/accounting/plan/plan.c */
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "sigma is %g, %g times the move by one unit; give from 1e-4 to 1e12 times",
            law->sigma, noise);
    }
    if (!(tail.atom <= 1e6 && tail.vertices <= SOTTO_VERTICES_MAX)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "lambda is %g, which makes the determinant's part of the loss %g "
                        "and the vertices %g; give a larger lambda",
                        law->lambda, tail.offset, tail.vertices);
    }
    event->mechanism = SOTTO_OBJECTIVE_PERTURBATION;
    event->noise_multiplier = noise;
    event->atom = tail.atom;
    event->shift = tail.offset;
    event->vertices = (uint32_t)tail.vertices;
    if (!is_frozen) return SOTTO_OK;
    event->vertices = (uint32_t)corners_added(law); /* the signs of a slope */
    event->rows = (uint32_t)law->unit_rows;
    event->theorem = SOTTO_FROZEN_SLOPE;
    return SOTTO_OK;
}

/* ---- pure noise: any smooth loss ---- */

double sot_objective_step_epsilon_upper(const sot_objective_law *law)
{
    const double steps = law->adjacency == SOTTO_REPLACE_ONE ? 2.0 : 1.0;
    return sot_mul_up((double)law->unit_rows,
                      sot_add_up(sot_mul_up(steps, law->rate), row_offset_upper(law)));
}

/* ---- Gaussian noise, any smooth loss: the length of b ---- */

double sot_objective_general_epsilon_upper(const sot_objective_law *law, double delta)
{
    const double rows = (double)law->unit_rows;
    const double steps = law->adjacency == SOTTO_REPLACE_ONE ? 2.0 * rows : rows;
    const double shift = sot_mul_up(steps, sot_div_up(law->record_bound, law->sigma));
    const double length = sot_objective_length_upper(law->dimension, delta);
    const double noise = sot_mul_up(shift, sot_add_up(0.5 * shift, length));
    return sot_add_up(noise, sot_objective_log_determinant_upper(law));
}

double sot_objective_length_upper(size_t dimension, double delta)
{
    return sot_add_up(sot_sqrt_up((double)dimension),
                      sot_sqrt_up(2.0 * sot_log_up(sot_div_up(1.0, delta))));
}
