#include "commands/session/noise.h"

#include <assert.h>
#include <math.h>

#include <sotto/gaussian.h>
#include <sotto/laplace.h>

#include "numeric/outward.h"
#include "numeric/special.h"

static sotto_laplace_config laplace_of(const sot_noise *noise)
{
    sotto_laplace_config config = sotto_laplace_defaults();
    config.l1_sensitivity = noise->sensitivity;
    config.scale = noise->scale;
    config.adjacency = noise->adjacency;
    config.grid = noise->grid;
    config.purpose = noise->purpose;
    return config;
}

static sotto_gaussian_config gaussian_of(const sot_noise *noise)
{
    sotto_gaussian_config config = sotto_gaussian_defaults();
    config.l2_sensitivity = noise->sensitivity;
    config.sigma = noise->scale;
    config.adjacency = noise->adjacency;
    config.grid = noise->grid;
    config.purpose = noise->purpose;
    return config;
}

sotto_status sot_noise_plan(const sot_noise *noise, sotto_plan *plan, sotto_error *error)
{
    sotto_event event;
    sotto_status status;
    if (noise->mechanism == SOTTO_GAUSSIAN) {
        const sotto_gaussian_config config = gaussian_of(noise);
        status = sotto_gaussian_event(&config, &event, error);
    } else {
        const sotto_laplace_config config = laplace_of(noise);
        status = sotto_laplace_event(&config, &event, error);
    }
    if (status != SOTTO_OK) return status;
    event.count = 1;
    return sotto_plan_add(plan, &event, error);
}

sotto_status sot_noise_release(const sot_noise *noise, sotto_gate *gate,
                               const int64_t *exact, int64_t *out_noisy,
                               sotto_error *error)
{
    if (noise->mechanism == SOTTO_GAUSSIAN) {
        const sotto_gaussian_config config = gaussian_of(noise);
        return sotto_gaussian_release(gate, &config, exact, noise->dimension, out_noisy,
                                      error);
    }
    const sotto_laplace_config config = laplace_of(noise);
    return sotto_laplace_release(gate, &config, exact, noise->dimension, out_noisy,
                                 error);
}

double sot_noise_sampler_error(const sot_noise *noise)
{
    /* sotto/gaussian.h: at most 2^-900 per coordinate; sotto/laplace.h: exact. Rounded up as the
     * gate does: the charge is at least the amount that the gate will record. */
    if (noise->mechanism != SOTTO_GAUSSIAN) return 0.0;
    return sot_mul_up(0x1p-900, sot_next_up((double)noise->dimension));
}

/* Laplace: P(|X| > k) = 2 r^(k+1) / (1 + r), r = exp(-1/scale). Gaussian, rounded:
 * P(|X| > k) = 2 Phi(-(k + 1/2) / sigma). Both are inverted, then moved to the first whole number
 * that is not short of the inverse by more than rounding. */
double sot_noise_margin(const sot_noise *noise, double confidence)
{
    const double alpha = 1.0 - confidence;
    double least;
    if (noise->mechanism == SOTTO_GAUSSIAN) {
        least = -noise->scale * sot_normal_quantile(0.5 * alpha) - 0.5;
    } else {
        const double r = exp(-1.0 / noise->scale);
        least = -noise->scale * log(0.5 * alpha * (1.0 + r)) - 1.0;
    }
    return fmax(0.0, ceil(least - 1e-9 * fabs(least)));
}

double sot_noise_deviation(const sot_noise *noise)
{
    if (noise->mechanism == SOTTO_GAUSSIAN) {
        /* Rounding adds 1/12 to the variance; exactly so but for e^(-2 pi^2 sigma^2). */
        return sqrt(noise->scale * noise->scale + 1.0 / 12.0);
    }
    /* Variance 2r/(1-r)^2 = 1/(2 sinh^2(1/(2 scale))). */
    return sqrt(0.5) / sinh(0.5 / noise->scale);
}
