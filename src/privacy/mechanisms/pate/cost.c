/* Settings, sensitivities and events of PATE; cost.md has the proofs. */
#include "privacy/mechanisms/pate/cost.h"

#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "base/names.h"
#include "numeric/outward.h"

/* Noise from far below one vote to the samplers' largest: 2^52 steps of 2^-32. */
#define NOISE_LEAST 0x1p-20
#define NOISE_MOST  0x1p20

static const sot_names aggregators =
    SOT_NAMES("aggregator", [SOTTO_PATE_LNMAX] = "lnmax", [SOTTO_PATE_GNMAX] = "gnmax",
              [SOTTO_PATE_CONFIDENT] = "confident",
              [SOTTO_PATE_INTERACTIVE] = "interactive", [SOTTO_PATE_MODE] = "mode");

SOT_DEFINE_NAMES(sotto_pate_aggregator, aggregators)

sotto_pate_config sotto_pate_defaults(void)
{
    return (sotto_pate_config){.noise = SOTTO_UNSET,
                               .threshold = SOTTO_UNSET,
                               .test_noise = SOTTO_UNSET,
                               .confidence = SOTTO_UNSET,
                               .epsilon = SOTTO_UNSET,
                               .delta = SOTTO_UNSET};
}

uint64_t sotto_pate_touched(sotto_adjacency adjacency, uint64_t shards,
                            bool id_may_change)
{
    const bool two_places = adjacency == SOTTO_REPLACE_ONE && id_may_change;
    return two_places ? 2 * shards : shards;
}

/* ---- settings ---- */

static sotto_status check_neighbours(const sotto_pate_config *config, sotto_error *error)
{
    if (config->adjacency != SOTTO_ADD_REMOVE && config->adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "adjacency is %d; set it to SOTTO_ADD_REMOVE or SOTTO_REPLACE_ONE",
            (int)config->adjacency);
    }
    if (config->unit != SOTTO_PATE_RECORDS && config->unit != SOTTO_PATE_TEACHERS) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the unit is %d; set it to SOTTO_PATE_RECORDS, or to "
                        "SOTTO_PATE_TEACHERS if whole teachers come and go",
                        (int)config->unit);
    }
    if (config->touched < 1 || config->touched > SOT_PATE_TOUCHED_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`touched` is %" PRIu64
                        "; the number of teachers that one unit touches lies from 1 to "
                        "2^20; for example `touched=1`",
                        config->touched);
    }
    return SOTTO_OK;
}

static sotto_status check_noise(const char *name, double noise, sotto_error *error)
{
    if (noise >= NOISE_LEAST && noise <= NOISE_MOST) return SOTTO_OK;
    if (isnan(noise)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`%s` is missing: the noise, in votes; for example `%s=40`", name,
                        name);
    }
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`%s` is %g votes; it lies from 1e-6 to 1e6; for example 40", name,
                    noise);
}

static sotto_status check_absent(const char *name, double value, bool wanted,
                                 const sotto_pate_config *config, sotto_error *error)
{
    if (wanted || isnan(value)) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`%s` is %g, but the aggregator %s has none; leave it out", name,
                    value, sotto_pate_aggregator_name(config->aggregator));
}

bool sot_pate_has_test(const sotto_pate_config *config)
{
    return config->aggregator == SOTTO_PATE_CONFIDENT ||
           config->aggregator == SOTTO_PATE_INTERACTIVE;
}

static sotto_status check_test(const sotto_pate_config *config, sotto_error *error)
{
    sotto_status status = check_noise("sigma1", config->test_noise, error);
    if (status != SOTTO_OK) return status;
    if (isnan(config->threshold)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`threshold` is missing: the votes that a query needs for an "
                        "answer; for example `threshold=200`");
    }
    if (!(fabs(config->threshold) <= (double)SOT_PATE_VOTES_MAX)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`threshold` is %g votes; it is at most 2^24; for example `threshold=200`",
            config->threshold);
    }
    if (config->aggregator != SOTTO_PATE_INTERACTIVE) return SOTTO_OK;
    if (isnan(config->confidence)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`confidence` is missing: the student's probability that needs no "
            "votes; for example `confidence=0.9`");
    }
    if (!(config->confidence >= 0.0 && config->confidence <= 1.0)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`confidence` is %g; it is a probability; for example `confidence=0.9`",
            config->confidence);
    }
    if (config->teachers < 1 || config->teachers > (uint64_t)SOT_PATE_VOTES_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`ensemble` is %" PRIu64
                        "; give the public number of teachers, from 1 to 2^24; for "
                        "example `ensemble=250`",
                        config->teachers);
    }
    return SOTTO_OK;
}

static sotto_status check_pair(const sotto_pate_config *config, sotto_error *error)
{
    if (isnan(config->epsilon)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`epsilon_each` is missing: the epsilon of one query; for example "
            "`epsilon_each=0.5`");
    }
    if (isnan(config->delta)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`delta_each` is missing: the delta of one query; for example "
                        "`delta_each=1e-8`");
    }
    if (!(config->epsilon > 0.0 && config->epsilon <= 1e6)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`epsilon_each` is %g; it is above 0; for example `epsilon_each=0.5`",
            config->epsilon);
    }
    if (!(config->delta > 0.0 && config->delta < 1.0)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`delta_each` is %g; it lies between 0 and 1; for example `delta_each=1e-8`",
            config->delta);
    }
    return SOTTO_OK;
}

sotto_status sot_pate_check(const sotto_pate_config *config, sotto_error *error)
{
    if (config->aggregator < SOTTO_PATE_LNMAX || config->aggregator > SOTTO_PATE_MODE) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the aggregator is %d; set it to one of sotto_pate_aggregator",
                        (int)config->aggregator);
    }
    const bool is_mode = config->aggregator == SOTTO_PATE_MODE;
    const bool is_interactive = config->aggregator == SOTTO_PATE_INTERACTIVE;
    const bool tests = sot_pate_has_test(config);
    sotto_status status = check_neighbours(config, error);
    if (status == SOTTO_OK)
        status = check_absent("sigma2", config->noise, !is_mode, config, error);
    if (status == SOTTO_OK)
        status = check_absent("threshold", config->threshold, tests, config, error);
    if (status == SOTTO_OK)
        status = check_absent("sigma1", config->test_noise, tests, config, error);
    if (status == SOTTO_OK) {
        status =
            check_absent("confidence", config->confidence, is_interactive, config, error);
    }
    if (status == SOTTO_OK)
        status = check_absent("epsilon_each", config->epsilon, is_mode, config, error);
    if (status == SOTTO_OK)
        status = check_absent("delta_each", config->delta, is_mode, config, error);
    if (status == SOTTO_OK)
        status = is_mode
                     ? check_pair(config, error)
                     : check_noise(config->aggregator == SOTTO_PATE_LNMAX ? "vote_scale"
                                                                          : "sigma2",
                                   config->noise, error);
    if (status == SOTTO_OK && tests) status = check_test(config, error);
    return status;
}

/* ---- sensitivities and events ---- */

static sotto_pate_sensitivity sensitivity_of(const sotto_pate_config *config)
{
    const double k = (double)config->touched; /* at most 2^20: products are exact */
    const bool moves =
        config->unit == SOTTO_PATE_RECORDS || config->adjacency == SOTTO_REPLACE_ONE;
    if (!moves) return (sotto_pate_sensitivity){.l1 = k, .l2 = k, .largest = k, .gap = k};
    return (sotto_pate_sensitivity){.l1 = 2.0 * k,
                                    .l2 = sot_mul_up(k, sot_sqrt_up(2.0)),
                                    .largest = k,
                                    .gap = 2.0 * k};
}

sotto_status sotto_pate_sensitivity_of(const sotto_pate_config *config,
                                       sotto_pate_sensitivity *out_sensitivity,
                                       sotto_error *error)
{
    const sotto_status status = check_neighbours(config, error);
    if (status == SOTTO_OK) *out_sensitivity = sensitivity_of(config);
    return status;
}

static sotto_event noise_event(sotto_mechanism mechanism, double scale,
                               double sensitivity)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = mechanism;
    event.noise_multiplier = sot_div_down(scale, sensitivity);
    event.scale = scale;
    event.sensitivity = sensitivity;
    return event;
}

sotto_event sot_pate_event(const sotto_pate_config *config, sotto_pate_step step)
{
    const sotto_pate_sensitivity moved = sensitivity_of(config);
    if (step == SOTTO_PATE_TEST)
        return noise_event(SOTTO_GAUSSIAN, config->test_noise, moved.largest);
    if (config->aggregator == SOTTO_PATE_LNMAX)
        return noise_event(SOTTO_LAPLACE, config->noise, moved.l1);
    if (config->aggregator != SOTTO_PATE_MODE)
        return noise_event(SOTTO_GAUSSIAN, config->noise, moved.l2);
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_APPROXIMATE;
    event.epsilon = config->epsilon;
    event.delta = config->delta;
    return event;
}

size_t sot_pate_first_largest(const int64_t *values, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        if (values[i] > values[best]) best = i;
    }
    return best;
}
