#include "privacy/accounting/plan/variants.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "numeric/special.h"
#include "privacy/accounting/plan/composition.h"

bool sot_sampling_has_rate(sotto_sampling sampling)
{
    return sampling == SOTTO_POISSON || sampling == SOTTO_TRUNCATED_POISSON ||
           sampling == SOTTO_CYCLIC_POISSON;
}

static bool is_group(const sotto_event *event)
{
    return event->mechanism == SOTTO_GAUSSIAN && event->rows > 1;
}

/* Rounded to nearest: it is the scale that is priced, and the one to use. */
double sot_search_scale(const sotto_event *event, double noise_multiplier)
{
    return noise_multiplier * event->sensitivity;
}

/* A mixture beyond its table is priced by its largest norm. */
static bool is_large(const sotto_event *event, double noise_multiplier)
{
    return event->mechanism == SOTTO_GAUSSIAN_MIXTURE &&
           event->curve_orders[event->curve_size - 1] >
               SOT_MIXTURE_RATIO_MAX * sot_event_sigma(event, noise_multiplier);
}

/* Discrete noise whose scale is searched for, and is now known. */
static bool is_scaled(const sotto_event *event, double noise_multiplier)
{
    return sot_event_takes_scale(event->mechanism) && isnan(event->scale) &&
           !isnan(noise_multiplier);
}

static bool is_variant(const sotto_event *event, double noise_multiplier)
{
    return is_group(event) || is_scaled(event, noise_multiplier) ||
           is_large(event, noise_multiplier) ||
           event->sampling == SOTTO_TRUNCATED_POISSON ||
           event->sampling == SOTTO_CYCLIC_POISSON;
}

/* A group with sampling that is priced by all its rows. */
static bool is_whole_group(const sotto_event *event, double noise_multiplier)
{
    return is_group(event) &&
           (double)event->rows >
               SOT_MIXTURE_RATIO_MAX * sot_event_sigma(event, noise_multiplier);
}

bool sot_plan_variants_are_loose(const sotto_plan *plan, double noise_multiplier)
{
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        const sotto_event *event = sotto_plan_event(plan, i);
        const bool is_cut = event->sampling == SOTTO_TRUNCATED_POISSON &&
                            event->batch < event->population;
        const bool is_whole = event->sampling == SOTTO_POISSON && event->rate < 1.0 &&
                              is_whole_group(event, noise_multiplier);
        if (is_cut || is_whole || is_large(event, noise_multiplier)) return true;
    }
    return false;
}

/* P[Bin(n - 1, q) >= B] = I_q(B, n - B), rounded up: its relative error is 1e-12 above 1e-300. */
static double truncation_upper(const sotto_event *event)
{
    if (event->batch >= event->population) return 0.0;
    const double batch = (double)event->batch;
    const double tail = sot_incomplete_beta(batch, (double)event->population - batch,
                                            fmin(event->rate, 1.0));
    if (!(tail <= 1.0)) return 1.0; /* NaN: the function gave up */
    return fmin(1.0, sot_widen_up(tail, 1e-11) + 1e-299);
}

/* The failures of a truncated batch, as an (0, delta)-DP event. */
static sotto_status add_truncation(sotto_plan *plan, const sotto_event *event,
                                   uint64_t count, sotto_error *error)
{
    const double failed = isnan(event->rate) ? 0.0 : truncation_upper(event);
    if (failed == 0.0) return SOTTO_OK;
    sotto_event failure = sotto_event_defaults();
    failure.mechanism = SOTTO_APPROXIMATE;
    failure.epsilon = 0.0;
    failure.delta = failed;
    failure.count = count;
    if (failed > 0.999999) { /* more than an event may have */
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "`batch` is %llu, and of %llu records at `rate` %g more are "
                        "chosen almost surely; give a larger batch or a smaller rate",
                        (unsigned long long)event->batch,
                        (unsigned long long)event->population, event->rate);
    }
    return sotto_plan_add(plan, &failure, error);
}

/* One Gaussian release of `norm` times the reference norm. It dominates a sample of it. */
static sotto_status add_whole(sotto_plan *plan, const sotto_event *event, double norm,
                              sotto_error *error)
{
    sotto_event whole = sotto_event_defaults();
    whole.mechanism = SOTTO_GAUSSIAN;
    whole.noise_multiplier = sot_div_down(event->noise_multiplier, norm);
    whole.count = event->count;
    if (!(whole.noise_multiplier >= 1e-4)) { /* the smallest that an event may have */
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "`noise_multiplier` is %g, less than 1e-4 times the largest norm "
                        "%g of a unit; give more noise",
                        event->noise_multiplier, norm);
    }
    return sotto_plan_add(plan, &whole, error);
}

/* The norms 1, ..., k of a unit's rows, with the probabilities of Bin(k, q). Rounding up moves weight from no row to some, and
 * the pair grows. */
static sotto_status add_group(sotto_plan *plan, const sotto_event *event,
                              sotto_error *error)
{
    double norms[SOTTO_GROUP_ROWS_MAX], weights[SOTTO_GROUP_ROWS_MAX];
    const double k = (double)event->rows;
    const double log_q = log(event->rate), log_rest = log1p(-event->rate);
    double sum = 0.0;
    for (uint32_t j = 1; j <= event->rows; j++) {
        const double chosen = (double)j;
        const double log_weight =
            sot_log_binomial(k, chosen) + chosen * log_q + (k - chosen) * log_rest;
        const double size =
            sot_log_binomial(k, chosen) - chosen * log_q - (k - chosen) * log_rest;
        norms[j - 1] = chosen;
        weights[j - 1] = sot_widen_up(exp(log_weight), DBL_EPSILON * (8.0 + 16.0 * size));
        sum += weights[j - 1];
    }
    if (sum > SOT_MIXTURE_WEIGHT_MAX) return add_whole(plan, event, k, error);
    sotto_event mixture = sotto_event_defaults();
    mixture.mechanism = SOTTO_GAUSSIAN_MIXTURE;
    mixture.noise_multiplier = event->noise_multiplier;
    mixture.count = event->count;
    mixture.curve_size = event->rows;
    mixture.curve_orders = norms;
    mixture.curve_values = weights;
    return sotto_plan_add(plan, &mixture, error);
}

static sotto_status add_replaced(sotto_plan *plan, const sotto_event *event,
                                 double noise_multiplier, uint64_t steps,
                                 sotto_error *error)
{
    sotto_event core = *event;
    if (is_scaled(event, noise_multiplier)) {
        core.scale = sot_search_scale(event, noise_multiplier);
        return sotto_plan_add(plan, &core, error);
    }
    if (core.count == 0) core.count = steps;
    const bool has_all =
        !isnan(sot_event_sigma(event, noise_multiplier)) && core.count > 0;
    if (event->sampling == SOTTO_CYCLIC_POISSON) {
        core.sampling = SOTTO_POISSON;
        core.bands = 0;
        core.count = core.count / event->bands + (core.count % event->bands != 0);
    }
    if (event->sampling == SOTTO_TRUNCATED_POISSON) {
        core.sampling = SOTTO_POISSON;
        core.population = core.batch = 0;
    }
    const bool is_one = !is_group(event) && !is_large(event, noise_multiplier);
    if (is_one || !has_all) return sotto_plan_add(plan, &core, error);
    core.noise_multiplier = sot_event_sigma(event, noise_multiplier);
    core.scale = core.sensitivity = SOTTO_UNSET;
    if (!is_group(event))
        return add_whole(plan, &core, event->curve_orders[event->curve_size - 1], error);
    if (core.sampling == SOTTO_POISSON && isnan(core.rate))
        return sotto_plan_add(plan, &core, error); /* refused as open */
    if (core.sampling == SOTTO_POISSON && core.rate < 1.0 &&
        !is_whole_group(event, noise_multiplier))
        return add_group(plan, &core, error);
    return add_whole(plan, &core, (double)event->rows, error);
}

/* Failures come last, so that the places of the events stay. */
static sotto_status replace_all(const sotto_plan *plan, double noise_multiplier,
                                uint64_t steps, sotto_plan *out, sotto_error *error)
{
    const size_t size = sotto_plan_size(plan);
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < size && status == SOTTO_OK; i++) {
        const sotto_event *event = sotto_plan_event(plan, i);
        status = is_variant(event, noise_multiplier)
                     ? add_replaced(out, event, noise_multiplier, steps, error)
                     : sotto_plan_add(out, event, error);
    }
    for (size_t i = 0; i < size && status == SOTTO_OK; i++) {
        const sotto_event *event = sotto_plan_event(plan, i);
        const uint64_t count = event->count == 0 ? steps : event->count;
        if (event->sampling == SOTTO_TRUNCATED_POISSON && count > 0)
            status = add_truncation(out, event, count, error);
    }
    return status;
}

sotto_status sot_plan_without_variants(const sotto_plan *plan, double noise_multiplier,
                                       uint64_t steps, sotto_plan **out_plan,
                                       sotto_error *error)
{
    bool has_variant = false;
    *out_plan = NULL;
    for (size_t i = 0; i < sotto_plan_size(plan); i++)
        has_variant =
            has_variant || is_variant(sotto_plan_event(plan, i), noise_multiplier);
    if (!has_variant) return SOTTO_OK;
    sotto_plan *core = NULL;
    sotto_status status = sotto_plan_new(sotto_plan_adjacency(plan), &core, error);
    if (status == SOTTO_OK)
        status = replace_all(plan, noise_multiplier, steps, core, error);
    if (status != SOTTO_OK) {
        sotto_plan_free(core);
        return status;
    }
    *out_plan = core;
    return SOTTO_OK;
}
