#include "privacy/accounting/pld/distribution.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/special.h"

/* More equal pure events than this are composed by FFT like the others. */
static const double binomial_count_max = 4096.0;

/* The line beyond a hull is taken more often than once for a rounding only: more than this says that nothing is there. */
static const double weight_most = 2.0;

/* ---- building ---- */

typedef struct builder {
    sot_pld_laws *laws;
    sot_bracket square; /* sum of mu^2 over Gaussian and GDP events */
    double offset;      /* sum of c over objective perturbations */
    sotto_error *error;
} builder;

/* Returns a distribution with room for `pieces` pieces, owned by the list; NULL if memory
 * is short. */
static sot_pld_law *new_law(builder *b, size_t pieces, double count)
{
    sot_pld_law *law = &b->laws->list[b->laws->count];
    *law = (sot_pld_law){.count = count};
    law->pieces = sot_new_array(pieces, sizeof *law->pieces);
    if (law->pieces == NULL) return NULL;
    b->laws->count++;
    return law;
}

static sotto_status out_of_memory(const builder *b, size_t pieces)
{
    return sot_fail_memory(b->error, pieces, sizeof(sot_pld_piece));
}

static void add_atom(sot_pld_law *law, double place, sot_bracket mass)
{
    law->pieces[law->piece_count++] =
        (sot_pld_piece){.kind = SOT_PLD_ATOM, .from = place, .to = place, .mass = mass};
}

static void add_line(sot_pld_law *law, sot_direction direction, double rate,
                     sot_bracket mu, double floor)
{
    law->pieces[law->piece_count++] = (sot_pld_piece){.kind = SOT_PLD_LINE,
                                                      .direction = direction,
                                                      .rate = rate,
                                                      .mu = mu,
                                                      .floor = floor};
    law->has_density = 1;
}

static sot_bracket around(double nearest, double relative)
{
    return (sot_bracket){fmax(0.0, sot_widen_down(nearest, relative)),
                         sot_widen_up(nearest, relative)};
}

static void add_square(builder *b, sot_bracket mu, double count)
{
    b->square.lower = sot_add_down(b->square.lower,
                                   sot_mul_down(count, sot_mul_down(mu.lower, mu.lower)));
    b->square.upper =
        sot_add_up(b->square.upper, sot_mul_up(count, sot_mul_up(mu.upper, mu.upper)));
}

static sotto_status add_gaussian(builder *b)
{
    if (!(b->square.upper > 0.0)) return SOTTO_OK;
    sot_pld_law *law = new_law(b, 1, 1.0);
    if (law == NULL) return out_of_memory(b, 1);
    const sot_bracket mu = {sot_sqrt_down(b->square.lower), sot_sqrt_up(b->square.upper)};
    add_line(law, SOT_REMOVE, 1.0, mu, -HUGE_VAL);
    return SOTTO_OK;
}

static sotto_status add_sampled(builder *b, double rate, double sigma,
                                sot_direction direction, double count)
{
    sot_pld_law *law = new_law(b, 1, count);
    if (law == NULL) return out_of_memory(b, 1);
    const sot_bracket mu = {sot_div_down(1.0, sigma), sot_div_up(1.0, sigma)};
    add_line(law, direction, rate, mu, -HUGE_VAL);
    law->anchor = direction == SOT_REMOVE ? log1p(-rate) : -log1p(-rate);
    b->laws->is_symmetric = 0;
    return SOTTO_OK;
}

/* Binary randomized response: losses +-epsilon with probabilities 1/(1 + e^-+epsilon) (Kairouz,
 * Oh & Viswanath, ICML 2015). k of them have the losses (2i - k) epsilon with probability C(k, i)
 * p^i (1 - p)^{k-i}. */
static sotto_status add_pure(builder *b, double epsilon, double count)
{
    if (epsilon == 0.0) return SOTTO_OK;
    const double log_true = -log1p(exp(-epsilon));
    const int merged = count <= binomial_count_max;
    const double tosses = merged ? count : 1.0;
    const size_t atoms = (size_t)tosses + 1;
    sot_pld_law *law = new_law(b, atoms, merged ? 1.0 : count);
    if (law == NULL) return out_of_memory(b, atoms);
    for (size_t i = 0; i < atoms; i++) {
        const double successes = (double)i;
        const double choose = sot_log_binomial(tosses, successes);
        const double tilt = (tosses - successes) * epsilon;
        const double log_mass = choose + tosses * log_true - tilt;
        const double relative =
            4.0 * DBL_EPSILON *
            (4.0 + 2.0 * choose + tosses * fabs(log_true) + tilt + tosses);
        sot_bracket mass = around(exp(log_mass), relative);
        mass.upper = fmin(1.0, mass.upper + DBL_MIN);
        if (mass.lower < DBL_MIN) mass.lower = 0.0;
        add_atom(law, (2.0 * successes - tosses) * epsilon, mass);
    }
    law->anchor = -tosses * epsilon;
    law->spacing = 2.0 * epsilon;
    law->place_err = 2.0 * DBL_EPSILON * tosses * epsilon;
    return SOTTO_OK;
}

/* A single event keeps its delta to the last bit. */
static void add_failure(builder *b, double delta, double count)
{
    sot_bracket failed = {delta, delta};
    if (count > 1.0) {
        const double any = -expm1(count * log1p(-delta));
        failed = around(any, 8.0 * DBL_EPSILON);
        failed.upper = fmin(failed.upper, sot_mul_up(count, delta));
    }
    sot_bracket *all = &b->laws->failure; /* F + (1 - F) f, increasing in both */
    all->lower = sot_add_down(all->lower,
                              sot_mul_down(sot_sub_down(1.0, all->lower), failed.lower));
    all->upper = fmin(1.0, sot_add_up(all->upper, sot_mul_up(sot_sub_up(1.0, all->upper),
                                                             failed.upper)));
}

/* Returns the privacy loss distribution that the composition holds for an event, with its hulls. */
static const sot_objective *with_hulls(const sot_priced *priced, const sot_objective *law)
{
    for (size_t i = 0; i < priced->composition->objective_count; i++) {
        const sot_objective *entry = &priced->composition->objective[i];
        if (sot_objective_equals(entry, law)) return entry;
    }
    return law;
}

/* One row by its hull (privacy/accounting/objective_loss/frozen_slope.md, section 5): the Gaussian line outside [0, top], atoms between. For the addition all
 * is mirrored: losses change their sign, and the masses are those of the second distribution. */
static sotto_status add_hull(builder *b, const sot_row_hull *hull,
                             sot_direction direction, double count)
{
    const size_t pieces = SOT_ROW_HULL_CELLS + 3;
    sot_pld_law *law = new_law(b, pieces, count);
    if (law == NULL) return out_of_memory(b, pieces);
    const bool is_removed = direction == SOT_REMOVE;
    const double a = hull->row.shift;
    const double low = is_removed ? 0.0 : -hull->top, high = is_removed ? hull->top : 0.0;
    const double error = 8.0 * DBL_EPSILON;
    const double ceiling = 0.5 * a + low / a, floor = 0.5 * a + high / a;
    const sot_bracket mu = {a, a};
    add_line(law, SOT_REMOVE, 1.0, mu, -HUGE_VAL);
    law->pieces[0].ceiling = ceiling + error * (0.5 * a + fabs(low) / a);
    law->pieces[0].has_ceiling = 1;
    add_line(law, SOT_REMOVE, 1.0, mu, floor - error * floor);
    const size_t end = is_removed ? SOT_ROW_HULL_CELLS : 0;
    const double weight = sot_row_hull_weight_upper(hull, end);
    /* Where the line's profile underflows, infinite loss covers the mass that rounding
     * added. */
    if (weight <= weight_most) {
        law->pieces[1].weight = weight;
    } else {
        law->infinite = hull->value[end];
    }
    for (size_t i = 0; i <= SOT_ROW_HULL_CELLS; i++) {
        const double place = hull->place[i];
        double mass = sot_row_hull_mass_upper(hull, i);
        if (is_removed) mass = sot_mul_up(mass, sot_exp_up(place));
        if (mass > 0.0)
            add_atom(law, is_removed ? place : -place, (sot_bracket){0.0, mass});
    }
    b->laws->is_symmetric = 0;
    b->laws->is_loose = 1;
    return SOTTO_OK;
}

/* A unit by its hull (privacy/accounting/objective_loss/frozen_slope.md, section 8), less the offset of its tail: atoms, and a Gaussian line
 * above the last one. */
static sotto_status add_unit_hull(builder *b, const sot_objective *objective,
                                  sot_direction direction, double count)
{
    const sot_unit_side *side = &objective->unit->side[direction];
    const size_t pieces = SOT_UNIT_HULL_NODES + 1;
    sot_pld_law *law = new_law(b, pieces, count);
    if (law == NULL) return out_of_memory(b, pieces);
    const double shift = objective->unit->shift;
    const double floor = 0.5 * shift + (side->end - side->offset) / shift;
    const double error = 8.0 * DBL_EPSILON * (0.5 * shift + side->end / shift);
    add_line(law, SOT_REMOVE, 1.0, (sot_bracket){shift, shift}, floor - error);
    law->pieces[0].weight = side->weight;
    law->infinite = side->infinite;
    for (size_t i = 0; i < SOT_UNIT_HULL_NODES; i++) {
        if (side->mass[i] > 0.0)
            add_atom(law, sot_sub_up(side->place[i], side->offset),
                     (sot_bracket){0.0, side->mass[i]});
    }
    b->offset = sot_add_up(b->offset, sot_mul_up(count, side->offset));
    if (!objective->is_replaced) b->laws->is_symmetric = 0;
    b->laws->is_loose = 1;
    return SOTTO_OK;
}

/* Objective perturbation less its offset c. Above p = atom - c it is m times t ~ N(A^2/2, A^2), a
 * Gaussian line truncated below, and the rest is on p (privacy/accounting/objective/objective.md,
 * sections 1 and 7). In y the line's P is N(A, 1). The offsets of all events are one atom of mass
 * 1: add_offset(). */
static sotto_status add_objective(builder *b, const sot_priced *priced,
                                  const sotto_event *event, sot_direction direction,
                                  double count)
{
    const sot_objective objective =
        sot_objective_of(event, sotto_plan_adjacency(priced->plan));
    const sot_bracket shift = {sot_div_down(1.0, event->noise_multiplier),
                               objective.shift};
    if (objective.atom == 0.0) {
        add_square(b, shift, count);
        return SOTTO_OK;
    }
    const sot_objective *priced_law = with_hulls(priced, &objective);
    if (priced_law->unit != NULL) return add_unit_hull(b, priced_law, direction, count);
    if (priced_law->hull != NULL && sot_objective_has_directions(priced_law))
        return add_hull(b, priced_law->hull, direction, count);
    b->laws->is_loose =
        1; /* privacy/accounting/exact/exact.c has a lower end of its own */
    sot_pld_law *law = new_law(b, 2, count);
    if (law == NULL) return out_of_memory(b, 2);
    const double place = objective.offset == 0.0
                             ? objective.atom
                             : sot_sub_up(objective.atom, objective.offset);
    const double cut = place / shift.upper + 0.5 * shift.upper;
    const double above = objective.vertices * sot_ndtr(shift.upper - cut);
    const double below =
        objective.vertices > 1.0 ? fmax(0.0, 1.0 - above) : sot_ndtr(cut - shift.upper);
    const double error = 1e-13 * (1.0 + cut * cut);
    sot_bracket mass = around(below, error);
    mass.upper = fmin(1.0, mass.upper + (objective.vertices > 1.0 ? error : 0.0));
    add_line(law, SOT_REMOVE, 1.0, shift, cut * (1.0 - 8.0 * DBL_EPSILON));
    law->pieces[0].weight = objective.vertices;
    add_atom(law, place, mass);
    law->anchor = place;
    b->offset = sot_add_up(b->offset, sot_mul_up(count, objective.offset));
    return SOTTO_OK;
}

static sotto_status add_offset(builder *b)
{
    if (!(b->offset > 0.0)) return SOTTO_OK;
    sot_pld_law *law = new_law(b, 1, 1.0);
    if (law == NULL) return out_of_memory(b, 1);
    add_atom(law, b->offset, (sot_bracket){1.0, 1.0});
    law->anchor = b->offset;
    return SOTTO_OK;
}

static sotto_status refuse(const builder *b, size_t index, sotto_mechanism mechanism)
{
    return sot_fail(
        b->error, SOTTO_UNSUPPORTED,
        "event %zu is %s, whose loss has known moments but no known distribution, so pld "
        "cannot price it; use `accountant=exact` or `accountant=rdp`",
        index + 1, sotto_mechanism_name(mechanism));
}

/* If a distribution cannot be listed, adds a dominating one. That is binary randomized response
 * for an epsilon-DP event, and the unsampled Gaussian for a sampled one. */
static sotto_status add_symmetric(builder *b, const sot_law *source, double count)
{
    sot_pld_law *law = &b->laws->list[b->laws->count];
    switch (sot_pld_law_fill(source, law)) {
    case SOT_PLD_FILLED:
        law->count = count;
        b->laws->count++;
        return SOTTO_OK;
    case SOT_PLD_NO_MEMORY:
        return out_of_memory(b, 1);
    case SOT_PLD_NOT_LISTED:
        break;
    }
    b->laws->is_loose = 1;
    if (source->kind != SOT_LAW_REPLACED) return add_pure(b, source->loss, count);
    const sot_bracket shift = {sot_div_down(2.0, source->sigma),
                               sot_div_up(2.0, source->sigma)};
    add_square(b, shift, count);
    return SOTTO_OK;
}

/* A release on a sample by the table that the composition holds (privacy/accounting/loss/subsampled.md). */
static sotto_status add_subsampled(builder *b, const sot_priced *priced,
                                   const sot_subsampled *release, sot_direction direction,
                                   double count)
{
    const sot_composition *composition = priced->composition;
    size_t at = 0;
    while (at < composition->subsampled_count &&
           !sot_subsampled_equals(&composition->subsampled[at], release))
        at++; /* the composition is that of the plan */
    assert(at < composition->subsampled_count);
    sot_pld_law *law = &b->laws->list[b->laws->count];
    const sotto_status status =
        sot_pld_subsampled_fill(&composition->subsampled[at], direction, law, b->error);
    if (status != SOTTO_OK) return status;
    law->count = count;
    b->laws->count++;
    if (release->kind != SOT_SAMPLE_BATCH) {
        b->laws->is_symmetric = 0;
    } else {
        b->laws->is_loose = 1;
    }
    return SOTTO_OK;
}

/* Gaussian noise without a sot_law (privacy/accounting/loss/loss.h): Poisson sampling under
 * add-remove, or all records take part. Under replace-one the two centres of Poisson sampling are
 * then 2 apart. */
static sotto_status add_noise(builder *b, const sotto_event *event,
                              sotto_adjacency adjacency, double sigma,
                              sot_direction direction, double count)
{
    const bool is_poisson = event->sampling == SOTTO_POISSON;
    if (is_poisson && event->rate < 1.0)
        return add_sampled(b, event->rate, sigma, direction, count);
    const double moved = is_poisson && adjacency == SOTTO_REPLACE_ONE ? 2.0 : 1.0;
    add_square(b, (sot_bracket){sot_div_down(moved, sigma), sot_div_up(moved, sigma)},
               count);
    return SOTTO_OK;
}

static sotto_status add_event(builder *b, const sot_priced *priced, size_t index,
                              sot_direction direction)
{
    const sotto_event *event = sotto_plan_event(priced->plan, index);
    const sotto_adjacency adjacency = sotto_plan_adjacency(priced->plan);
    const double noise = priced->noise_multiplier;
    const double count = (double)(event->count == 0 ? priced->steps : event->count);
    sot_law law;
    sot_subsampled release;
    if (sot_event_subsampled(event, adjacency, noise, &release)) {
        if (event->mechanism == SOTTO_APPROXIMATE && event->delta > 0.0)
            add_failure(b, sot_event_delta(event), count);
        return add_subsampled(b, priced, &release, direction, count);
    }
    if (sot_event_law(event, adjacency, noise, &law))
        return add_symmetric(b, &law, count);
    switch (event->mechanism) {
    case SOTTO_GAUSSIAN:
        return add_noise(b, event, adjacency, sot_event_sigma(event, noise), direction,
                         count);
    case SOTTO_GDP:
        add_square(b, (sot_bracket){event->mu, event->mu}, count);
        return SOTTO_OK;
    case SOTTO_APPROXIMATE:
        if (event->delta > 0.0) add_failure(b, sot_event_delta(event), count);
        return add_pure(b, sot_event_epsilon(event, SOTTO_UNSET), count);
    case SOTTO_LAPLACE:
    case SOTTO_DISCRETE_LAPLACE:
    case SOTTO_PURE:
    case SOTTO_EXPONENTIAL:
    case SOTTO_PERMUTE_AND_FLIP:
    case SOTTO_RANDOMIZED_RESPONSE:
        return add_pure(b, sot_event_epsilon(event, noise), count);
    case SOTTO_OBJECTIVE_PERTURBATION:
        return add_objective(b, priced, event, direction, count);
    case SOTTO_GAUSSIAN_MIXTURE: /* sot_event_subsampled() */
    case SOTTO_ZCDP:
    case SOTTO_RDP_CURVE:
    case SOTTO_DISCRETE_GAUSSIAN:
    case SOTTO_MECHANISM_UNSET:
        break;
    }
    return refuse(b, index, event->mechanism);
}

/* Merges two equal distributions into one with a larger count: one transform instead of
 * two. */
static void merge_last(sot_pld_laws *laws)
{
    if (laws->count < 2) return;
    sot_pld_law *last = &laws->list[laws->count - 1];
    for (size_t i = 0; i + 1 < laws->count; i++) {
        if (!sot_pld_law_equals(&laws->list[i], last)) continue;
        laws->list[i].count += last->count; /* exact: integers below 2^53 */
        sot_free(last->pieces);
        *last = (sot_pld_law){0};
        laws->count--;
        return;
    }
}

sotto_status sot_pld_laws_new(const sot_priced *priced, sot_direction direction,
                              sot_pld_laws *out_laws, sotto_error *error)
{
    const size_t size = sotto_plan_size(priced->plan);
    *out_laws = (sot_pld_laws){.is_symmetric = 1};
    out_laws->list = sot_new_array(size + 2, sizeof *out_laws->list);
    if (out_laws->list == NULL)
        return sot_fail_memory(error, size + 2, sizeof *out_laws->list);
    builder b = {.laws = out_laws, .error = error};
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < size && status == SOTTO_OK; i++) {
        const size_t before = out_laws->count;
        status = add_event(&b, priced, i, direction);
        if (status == SOTTO_OK && out_laws->count > before) merge_last(out_laws);
    }
    if (status == SOTTO_OK) status = add_gaussian(&b);
    if (status == SOTTO_OK) status = add_offset(&b);
    if (status != SOTTO_OK) sot_pld_laws_free(out_laws);
    return status;
}

void sot_pld_laws_free(sot_pld_laws *laws)
{
    for (size_t i = 0; i < laws->count; i++)
        sot_free(laws->list[i].pieces);
    sot_free(laws->list);
    *laws = (sot_pld_laws){0};
}

double sot_pld_law_top(const sot_pld_law *law)
{
    double top = -HUGE_VAL;
    for (size_t i = 0; i < law->piece_count; i++) {
        const sot_pld_piece *piece = &law->pieces[i];
        double here = sot_add_up(piece->to, law->place_err);
        if (piece->kind == SOT_PLD_LINE) {
            here = HUGE_VAL;
            if (piece->direction == SOT_ADD) here = -sot_log1p_down(-piece->rate);
        }
        if (law->infinite > 0.0) here = HUGE_VAL;
        top = fmax(top, here);
    }
    return top;
}
