#include <math.h>

#include <sotto/gaussian.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/additive/additive.h"
#include "random/discrete_gaussian.h"
#include "random/rounded_gaussian/rounded_gaussian.h"

/* The samplers' ranges; sigmas beyond them are typing errors or call for another grid. */
#define ROUNDED_SIGMA_LEAST  0x1p-20
#define ROUNDED_SIGMA_MOST   0x1p56
#define DISCRETE_SIGMA_LEAST 0x1p-10
#define DISCRETE_SIGMA_MOST  0x1p30

sotto_gaussian_config sotto_gaussian_defaults(void)
{
    return (sotto_gaussian_config){.l2_sensitivity = SOTTO_UNSET,
                                   .sigma = SOTTO_UNSET,
                                   .adjacency = SOTTO_ADJACENCY_UNSET,
                                   .grid = 1.0,
                                   .sampling = SOTTO_NOT_SAMPLED,
                                   .rate = SOTTO_UNSET,
                                   .purpose = NULL};
}

static sotto_status check_config(const sotto_gaussian_config *config, double sigma_least,
                                 double sigma_most, sotto_error *error)
{
    /* The negations catch NaN. */
    if (!(config->sigma >= sigma_least && config->sigma <= sigma_most)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "sigma is %g units of the sum; choose noise and grid so that it "
                        "is from %g to %g",
                        config->sigma, sigma_least, sigma_most);
    }
    if (!(config->l2_sensitivity > 0.0 && config->l2_sensitivity <= 0x1p62)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "l2_sensitivity is %g; set it to the largest move of the sums by "
                        "one person, more than 0 and at most 2^62 units",
                        config->l2_sensitivity);
    }
    return SOTTO_OK;
}

static sotto_status check_sampling(const sotto_gaussian_config *config,
                                   sotto_error *error)
{
    if (config->sampling > SOTTO_SINGLE_RECORD) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "sampling is %d; set it to one of sotto_sampling",
                        (int)config->sampling);
    }
    if (config->sampling != SOTTO_POISSON && !isnan(config->rate)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "rate is %g, but there is no Poisson sampling; set sampling or "
                        "leave the rate unset",
                        config->rate);
    }
    if (config->sampling == SOTTO_POISSON &&
        !(config->rate > 0.0 && config->rate <= 1.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "rate is %g; set it to a probability above 0", config->rate);
    }
    const bool needs_batch = config->sampling == SOTTO_WITHOUT_REPLACEMENT;
    const bool needs_population = needs_batch || config->sampling == SOTTO_SINGLE_RECORD;
    if (needs_population != (config->population > 0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "population is %llu; set it for batches and single records, and "
                        "leave it 0 for anything else",
                        (unsigned long long)config->population);
    }
    if (needs_batch != (config->batch > 0) || config->batch > config->population) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "batch is %llu; set it for batches, at most to the population, and "
            "leave it 0 for anything else",
            (unsigned long long)config->batch);
    }
    return SOTTO_OK;
}

/* ---- rounded ---- */

sotto_status sotto_gaussian_event(const sotto_gaussian_config *config,
                                  sotto_event *out_event, sotto_error *error)
{
    sotto_status status =
        check_config(config, ROUNDED_SIGMA_LEAST, ROUNDED_SIGMA_MOST, error);
    if (status == SOTTO_OK) status = check_sampling(config, error);
    if (status != SOTTO_OK) return status;

    sotto_event event = sotto_event_defaults();
    status = sot_additive_event(&event, config->adjacency, config->grid, config->purpose,
                                error);
    if (status != SOTTO_OK) return status;
    event.mechanism = SOTTO_GAUSSIAN;
    event.noise_multiplier = sot_div_down(config->sigma, config->l2_sensitivity);
    event.scale = config->sigma * config->grid; /* exact: a power of two */
    event.sensitivity = config->l2_sensitivity * config->grid;
    event.sampling = config->sampling;
    event.rate = config->rate;
    event.population = config->population;
    event.batch = config->batch;
    *out_event = event;
    return SOTTO_OK;
}

static double rounded_sigma(const void *law)
{
    return *(const double *)law;
}

static sotto_status fill_rounded(sotto_rng *rng, const void *law, int64_t *out,
                                 size_t count, sotto_error *error)
{
    return sot_rounded_gaussian_fill(rng, rounded_sigma(law), out, count, error);
}

static sotto_status fill_rounded_long(sotto_rng *rng, const void *law, int64_t *out,
                                      size_t count, sotto_error *error)
{
    return sot_rounded_gaussian_fill_lean(rng, rounded_sigma(law), out, count, error);
}

/* Returns the largest distance of neighbouring sums, for the gate tape. Under Poisson sampling
 * l2_sensitivity is one record's part: a replacement removes one and adds one. */
static double moved_most(const sotto_gaussian_config *config)
{
    const bool exchanged =
        config->sampling == SOTTO_POISSON && config->adjacency == SOTTO_REPLACE_ONE;
    return exchanged ? 2.0 * config->l2_sensitivity : config->l2_sensitivity;
}

sotto_status sot_gaussian_release_solved(sotto_gate *gate,
                                         const sotto_gaussian_config *config,
                                         double order_slack, const int64_t *values,
                                         size_t count, int64_t *out_noisy,
                                         sotto_error *error)
{
    sot_additive mechanism = {
        .adjacency = config->adjacency,
        .norm = SOTTO_L2,
        .sensitivity = moved_most(config),
        .order_slack = order_slack,
        .fill = fill_rounded,
        .fill_long = fill_rounded_long,
        .law = &config->sigma,
        .sampler_error = ldexp(1.0, SOT_ROUNDED_GAUSSIAN_LOG2_TV),
    };
    const sotto_status status = sotto_gaussian_event(config, &mechanism.event, error);
    if (status != SOTTO_OK) return status;
    return sot_additive_release(gate, &mechanism, values, count, out_noisy, error);
}

sotto_status sotto_gaussian_release(sotto_gate *gate, const sotto_gaussian_config *config,
                                    const int64_t *exact_sums, size_t count,
                                    int64_t *out_noisy_sums, sotto_error *error)
{
    return sot_gaussian_release_solved(gate, config, 0.0, exact_sums, count,
                                       out_noisy_sums, error);
}

/* ---- discrete ---- */

sotto_status sotto_discrete_gaussian_event(const sotto_gaussian_config *config,
                                           sotto_event *out_event, sotto_error *error)
{
    sotto_status status =
        check_config(config, DISCRETE_SIGMA_LEAST, DISCRETE_SIGMA_MOST, error);
    if (status != SOTTO_OK) return status;
    if (config->sampling != SOTTO_NOT_SAMPLED || !isnan(config->rate) ||
        config->population > 0 || config->batch > 0) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "no theorem here covers a sampled discrete Gaussian; use "
                        "sotto_gaussian_release(), or leave sampling and rate unset");
    }
    sotto_event event = sotto_event_defaults();
    status = sot_additive_event(&event, config->adjacency, config->grid, config->purpose,
                                error);
    if (status != SOTTO_OK) return status;
    event.mechanism = SOTTO_DISCRETE_GAUSSIAN;
    event.dimension = SOTTO_DIMENSION_ANY; /* the config serves vectors of any length */
    event.scale = config->sigma * config->grid;
    event.sensitivity = config->l2_sensitivity * config->grid;
    *out_event = event;
    return SOTTO_OK;
}

static sotto_status fill_discrete(sotto_rng *rng, const void *law, int64_t *out,
                                  size_t count, sotto_error *error)
{
    return sot_discrete_gaussian_fill(law, rng, out, count, error);
}

sotto_status sotto_discrete_gaussian_release(sotto_gate *gate,
                                             const sotto_gaussian_config *config,
                                             const int64_t *exact_sums, size_t count,
                                             int64_t *out_noisy_sums, sotto_error *error)
{
    sot_additive mechanism = {
        .adjacency = config->adjacency,
        .norm = SOTTO_L2,
        .sensitivity = config->l2_sensitivity,
        .fill = fill_discrete,
        .sampler_error = ldexp(1.0, SOT_DISCRETE_GAUSSIAN_LOG2_TV),
    };
    sotto_status status = sotto_discrete_gaussian_event(config, &mechanism.event, error);
    if (status != SOTTO_OK) return status;

    sot_ratio variance = {0};
    status = sot_variance_at_least(config->sigma, &variance, error);
    if (status != SOTTO_OK) return status;
    sot_discrete_gaussian *table = NULL;
    status = sot_discrete_gaussian_new(variance, &table, error);
    if (status != SOTTO_OK) return status;

    mechanism.law = table;
    status =
        sot_additive_release(gate, &mechanism, exact_sums, count, out_noisy_sums, error);
    sot_discrete_gaussian_free(table);
    return status;
}
