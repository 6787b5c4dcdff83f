#include "privacy/accounting/plan/composition.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/special.h"
#include "privacy/accounting/plan/closed_form.h"
#include "privacy/accounting/plan/variants.h"

static void add_square(sot_composition *composition, sot_bracket mu, double count)
{
    sot_bracket *square = &composition->gaussian_square;
    square->lower = sot_add_down(square->lower,
                                 sot_mul_down(count, sot_mul_down(mu.lower, mu.lower)));
    square->upper =
        sot_add_up(square->upper, sot_mul_up(count, sot_mul_up(mu.upper, mu.upper)));
}

static void add_sampled(sot_composition *composition, double rate, double sigma,
                        double count)
{
    for (size_t i = 0; i < composition->sampled_count; i++) {
        sot_sampled *entry = &composition->sampled[i];
        if (entry->rate == rate && entry->sigma == sigma) {
            entry->count += count; /* exact: counts are integers below 2^53 */
            return;
        }
    }
    composition->sampled[composition->sampled_count++] =
        (sot_sampled){rate, sigma, count};
}

static void add_pure(sot_composition *composition, double epsilon, double count)
{
    if (epsilon == 0.0) return;
    for (size_t i = 0; i < composition->pure_count; i++) {
        if (composition->pure[i].epsilon == epsilon) {
            composition->pure[i].count += count;
            return;
        }
    }
    composition->pure[composition->pure_count++] = (sot_pure){epsilon, count};
}

/* delta(epsilon) <= G(A, epsilon) for every epsilon >= 0, in both directions, is A-GDP (Dong, Roth
 * & Su, JRSS B 2022, Cor. 2.13): without an atom it is a Gaussian release. */
static void add_objective(sot_composition *composition, const sotto_event *event,
                          sotto_adjacency adjacency, double count)
{
    const sot_objective law = sot_objective_of(event, adjacency);
    if (law.atom == 0.0) {
        const double shift_down = sot_div_down(1.0, event->noise_multiplier);
        add_square(composition, (sot_bracket){shift_down, law.shift}, count);
        return;
    }
    for (size_t i = 0; i < composition->objective_count; i++) {
        sot_objective *entry = &composition->objective[i];
        if (sot_objective_equals(entry, &law)) {
            entry->count += count;
            return;
        }
    }
    composition->objective[composition->objective_count] = law;
    composition->objective[composition->objective_count++].count = count;
}

/* 1 - (1 - F)(1 - f) = F + (1 - F) f, increasing in both. */
static sot_bracket either_fails(sot_bracket first, sot_bracket second)
{
    sot_bracket either;
    either.lower = sot_add_down(
        first.lower, sot_mul_down(sot_sub_down(1.0, first.lower), second.lower));
    either.upper =
        sot_add_up(first.upper, sot_mul_up(sot_sub_up(1.0, first.upper), second.upper));
    either.lower = fmin(fmax(either.lower, 0.0), 1.0);
    either.upper = fmin(either.upper, 1.0);
    return either;
}

/* A single event keeps its delta to the last bit: (0.1, 1e-6)-DP is 0.1 at delta 1e-6. */
static void add_failure(sot_composition *composition, double delta, double count)
{
    sot_bracket failed = {delta, delta};
    if (count > 1.0) {
        const double once = -expm1(count * log1p(-delta));
        failed.lower = sot_widen_down(once, 8.0 * DBL_EPSILON);
        failed.upper =
            fmin(sot_mul_up(count, delta), sot_widen_up(once, 8.0 * DBL_EPSILON));
    }
    composition->failure = either_fails(composition->failure, failed);
}

static void add_law(sot_composition *composition, const sot_law *law, double count)
{
    for (size_t i = 0; i < composition->law_count; i++) {
        if (sot_law_equals(&composition->laws[i], law)) {
            composition->laws[i].count += count;
            return;
        }
    }
    composition->laws[composition->law_count] = *law;
    composition->laws[composition->law_count++].count = count;
}

static void add_subsampled(sot_composition *composition, const sot_subsampled *release,
                           double count)
{
    for (size_t i = 0; i < composition->subsampled_count; i++) {
        if (sot_subsampled_equals(&composition->subsampled[i], release)) {
            composition->subsampled[i].count += count;
            return;
        }
    }
    composition->subsampled[composition->subsampled_count] = *release;
    composition->subsampled[composition->subsampled_count++].count = count;
}

/* Sampled Gaussians without a sot_law: all records take part, or Poisson sampling under
 * add-remove. Under replace-one the two centres are 2 apart. */
static void add_gaussian(sot_composition *composition, const sotto_event *event,
                         sotto_adjacency adjacency, double sigma, double count)
{
    const bool is_poisson = event->sampling == SOTTO_POISSON;
    if (is_poisson && event->rate < 1.0) {
        add_sampled(composition, event->rate, sigma, count);
        return;
    }
    const double moved = is_poisson && adjacency == SOTTO_REPLACE_ONE ? 2.0 : 1.0;
    const sot_bracket mu = {sot_div_down(moved, sigma), sot_div_up(moved, sigma)};
    add_square(composition, mu, count);
}

static void add_event(sot_composition *composition, const sotto_event *event,
                      sotto_adjacency adjacency, double noise_multiplier, double count)
{
    sot_law law;
    sot_subsampled release;
    const bool has_law = sot_event_law(event, adjacency, noise_multiplier, &law);
    const bool is_subsampled =
        sot_event_subsampled(event, adjacency, noise_multiplier, &release);
    composition->is_loose =
        composition->is_loose ||
        sot_event_is_loose(event, has_law, is_subsampled ? &release : NULL);
    if (is_subsampled) {
        if (event->mechanism == SOTTO_APPROXIMATE && event->delta > 0.0)
            add_failure(composition, sot_event_delta(event), count);
        add_subsampled(composition, &release, count);
        return;
    }
    if (has_law) {
        add_law(composition, &law, count);
        return;
    }
    switch (event->mechanism) {
    case SOTTO_GAUSSIAN:
        add_gaussian(composition, event, adjacency,
                     sot_event_sigma(event, noise_multiplier), count);
        break;
    case SOTTO_GDP:
        add_square(composition, (sot_bracket){event->mu, event->mu}, count);
        break;
    case SOTTO_ZCDP:
    case SOTTO_DISCRETE_GAUSSIAN:
        composition->rho_upper =
            sot_add_up(composition->rho_upper, sot_mul_up(count, sot_event_rho(event)));
        break;
    case SOTTO_RDP_CURVE:
        composition->curves[composition->curve_count++] = (sot_curve){event, count};
        break;
    case SOTTO_APPROXIMATE:
        if (event->delta > 0.0) add_failure(composition, sot_event_delta(event), count);
        add_pure(composition, sot_event_epsilon(event, SOTTO_UNSET), count);
        break;
    case SOTTO_LAPLACE:
    case SOTTO_DISCRETE_LAPLACE:
        composition->is_rounded = true;
        add_pure(composition, sot_event_epsilon(event, noise_multiplier), count);
        break;
    case SOTTO_PURE:
    case SOTTO_EXPONENTIAL:
    case SOTTO_PERMUTE_AND_FLIP:
    case SOTTO_RANDOMIZED_RESPONSE:
        add_pure(composition, sot_event_epsilon(event, noise_multiplier), count);
        break;
    case SOTTO_GAUSSIAN_MIXTURE: /* sot_event_subsampled() */
        break;
    case SOTTO_OBJECTIVE_PERTURBATION:
        add_objective(composition, event, adjacency, count);
        break;
    case SOTTO_MECHANISM_UNSET:
        assert(false); /* sotto_plan_add refuses this */
        break;
    }
}

/* One block for all the lists, each with room for every event: elements are of doubles and
 * pointers, so each list begins well aligned. */
static sotto_status allocate(size_t size, sot_composition *composition,
                             sotto_error *error)
{
    const size_t each = sizeof *composition->sampled + sizeof *composition->pure +
                        sizeof *composition->objective + sizeof *composition->laws +
                        sizeof *composition->curves + sizeof *composition->law_sums +
                        sizeof *composition->subsampled;
    char *block = sot_new_array(size, each);
    if (block == NULL) return sot_fail_memory(error, size, each);
    composition->block = block;
    composition->sampled = (void *)block;
    block += size * sizeof *composition->sampled;
    composition->pure = (void *)block;
    block += size * sizeof *composition->pure;
    composition->objective = (void *)block;
    block += size * sizeof *composition->objective;
    composition->laws = (void *)block;
    block += size * sizeof *composition->laws;
    composition->curves = (void *)block;
    block += size * sizeof *composition->curves;
    composition->law_sums = (void *)block;
    block += size * sizeof *composition->law_sums;
    composition->subsampled = (void *)block;
    return SOTTO_OK;
}

/* For Renyi bounds and for pld. */
static sotto_status add_tables(sot_composition *composition, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < composition->subsampled_count && status == SOTTO_OK; i++) {
        sot_subsampled *release = &composition->subsampled[i];
        status =
            release->kind == SOT_SAMPLE_MIXTURE
                ? sot_gaussian_mixture_table(&release->mixture, &release->table, error)
                : sot_pair_table_new(&release->base, &release->table, error);
    }
    return status;
}

/* For moments and for pld. */
static sotto_status add_hulls(sot_composition *composition, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < composition->objective_count && status == SOTTO_OK; i++)
        status = sot_objective_add_hulls(&composition->objective[i], error);
    return status;
}

/* Closed forms are tried only with few distributions, and not together with Gaussians, which make
 * the contour short. */
static sotto_status sum_laws(sot_composition *composition, sotto_error *error)
{
    const size_t count = composition->law_count;
    const size_t few = 4;
    if (count > few || composition->gaussian_square.upper > 0.0 ||
        composition->sampled_count > 1 || composition->objective_count > 0 ||
        composition->subsampled_count > 0 || sot_composition_is_renyi(composition)) {
        return SOTTO_OK;
    }
    sotto_status status = SOTTO_OK;
    double most = 0.0;
    for (size_t i = 0; i < count && status == SOTTO_OK; i++) {
        sot_law_sum **sum = &composition->law_sums[i];
        status = sot_law_sum_new(&composition->laws[i], sum, error);
        if (*sum != NULL && sot_law_sum_points(*sum) > most) {
            most = sot_law_sum_points(*sum);
            composition->law_rest = i;
        }
    }
    return status;
}

static sotto_status compile(const sotto_plan *plan, double noise_multiplier,
                            uint64_t steps, sot_composition **out_composition,
                            sotto_error *error)
{
    if (sotto_plan_size(plan) == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the plan has no events; add at least one");
    }
    sot_composition *composition = sot_new_array(1, sizeof *composition);
    if (composition == NULL) return sot_fail_memory(error, 1, sizeof *composition);
    size_t size = 0;
    composition->plan = plan;
    sotto_status status = sot_plan_without_variants(plan, noise_multiplier, steps,
                                                    &composition->owned, error);
    if (status != SOTTO_OK) goto failed;
    if (composition->owned != NULL) composition->plan = composition->owned;
    composition->is_loose = sot_plan_variants_are_loose(plan, noise_multiplier);
    size = sotto_plan_size(composition->plan);
    status = allocate(size, composition, error);
    if (status != SOTTO_OK) goto failed;
    for (size_t i = 0; i < size; i++) {
        const sotto_event *event = sotto_plan_event(composition->plan, i);
        const double sigma = sot_event_sigma(event, noise_multiplier);
        const uint64_t count = event->count == 0 ? steps : event->count;
        const bool is_open =
            sot_event_takes_scale(event->mechanism)
                ? isnan(event->scale)
                : sot_event_takes_noise(event->mechanism) && isnan(sigma);
        if (is_open || count == 0) {
            status = sot_fail(
                error, SOTTO_INVALID_ARGUMENT,
                "event %zu leaves its %s open; give it a value, or use sotto account %s",
                i + 1, count == 0 ? "count" : "noise_multiplier",
                count == 0 ? "steps" : "noise");
            goto failed;
        }
        if (event->sampling == SOTTO_POISSON && isnan(event->rate)) {
            status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                              "event %zu leaves its rate open; give it a value, or use "
                              "sotto account rate",
                              i + 1);
            goto failed;
        }
        add_event(composition, event, sotto_plan_adjacency(plan), noise_multiplier,
                  (double)count);
    }
    status = add_tables(composition, error);
    if (status == SOTTO_OK) status = sum_laws(composition, error);
    if (status != SOTTO_OK) goto failed;
    *out_composition = composition;
    return SOTTO_OK;
failed:
    sot_composition_free(composition);
    return status;
}

static sotto_status finish(sot_composition *composition, bool with_hulls,
                           sot_composition **out_composition, sotto_error *error)
{
    const sotto_status status = with_hulls ? add_hulls(composition, error) : SOTTO_OK;
    if (status == SOTTO_OK) {
        *out_composition = composition;
    } else {
        sot_composition_free(composition);
    }
    return status;
}

sotto_status sot_composition_new(const sotto_plan *plan, double noise_multiplier,
                                 uint64_t steps, sot_composition **out_composition,
                                 sotto_error *error)
{
    sot_composition *composition = NULL;
    const sotto_status status =
        compile(plan, noise_multiplier, steps, &composition, error);
    return status == SOTTO_OK ? finish(composition, true, out_composition, error)
                              : status;
}

/* The closed form of a training is the answer (privacy/accounting/exact/exact.c), unless a range has to be bounded by the theorems. */
static bool needs_hulls(const sot_composition *composition)
{
    return !sot_closed_form_is_training(composition) ||
           sot_composition_has_range(composition);
}

sotto_status sot_composition_new_for_exact(const sotto_plan *plan,
                                           double noise_multiplier, uint64_t steps,
                                           sot_composition **out_composition,
                                           sotto_error *error)
{
    sot_composition *composition = NULL;
    const sotto_status status =
        compile(plan, noise_multiplier, steps, &composition, error);
    return status == SOTTO_OK
               ? finish(composition, needs_hulls(composition), out_composition, error)
               : status;
}

void sot_composition_free(sot_composition *composition)
{
    if (composition == NULL) return;
    for (size_t i = 0; i < composition->law_count; i++)
        sot_law_sum_free(composition->law_sums[i]);
    for (size_t i = 0; i < composition->objective_count; i++)
        sot_objective_free_hulls(&composition->objective[i]);
    for (size_t i = 0; i < composition->subsampled_count; i++)
        sot_pair_table_clear(&composition->subsampled[i].table);
    sot_free(composition->block);
    sotto_plan_free(composition->owned);
    sot_free(composition);
}

bool sot_composition_is_renyi(const sot_composition *composition)
{
    return composition->rho_upper > 0.0 || composition->curve_count > 0;
}

double sot_composition_t_max(const sot_composition *composition)
{
    double most = HUGE_VAL;
    for (size_t i = 0; i < composition->curve_count; i++) {
        const sotto_event *event = composition->curves[i].event;
        most = fmin(most, event->curve_orders[event->curve_size - 1] - 1.0);
    }
    return most;
}

bool sot_composition_has_range(const sot_composition *composition)
{
    for (size_t i = 0; i < composition->law_count; i++) {
        const sot_law *law = &composition->laws[i];
        if (law->kind == SOT_LAW_BOX && !law->has_ends && law->count > 1.0) return true;
    }
    return false;
}

int sot_composition_is_symmetric(const sot_composition *composition)
{
    for (size_t i = 0; i < composition->objective_count; i++) {
        if (sot_objective_has_directions(&composition->objective[i])) return 0;
    }
    for (size_t i = 0; i < composition->subsampled_count; i++) {
        if (composition->subsampled[i].kind != SOT_SAMPLE_BATCH) return 0;
    }
    return composition->sampled_count == 0;
}

double sot_composition_finite_delta(const sot_composition *composition, double delta)
{
    /* 1 - (1 - delta)/(1 - F) = (delta - F)/(1 - F) */
    const sot_bracket *failed = &composition->failure;
    if (failed->upper == 0.0) return delta;
    if (delta < failed->upper) return -1.0;
    const double left = sot_sub_down(delta, failed->upper);
    return sot_div_down(left, sot_sub_up(1.0, failed->lower));
}

sot_bracket sot_composition_whole_delta(const sot_composition *composition,
                                        sot_bracket finite)
{
    if (composition->failure.upper == 0.0) return finite;
    return either_fails(composition->failure, finite);
}
