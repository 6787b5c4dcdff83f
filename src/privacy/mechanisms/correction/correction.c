#include "privacy/mechanisms/correction/correction.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/additive/additive.h"

double sot_power_of_two_below(double x)
{
    assert(x > 0.0 && isfinite(x));
    int exponent = 0;
    (void)frexp(x, &exponent); /* 2^(exponent - 1) <= x < 2^exponent */
    return ldexp(1.0, exponent - 1);
}

double sot_power_of_two_above(double x)
{
    const double below = sot_power_of_two_below(x);
    return below == x ? below : 2.0 * below;
}

double sot_gamma_grid(double scale, size_t dimension)
{
    /* The sampler asks for scale (d + sqrt(1387 d) + 694) <= 2^50 grids; 2^49 leaves room for
     * the rounding here. */
    const double d = (double)dimension;
    return sot_power_of_two_above(scale * (d + sqrt(1387.0 * d) + 694.0) * 0x1p-49);
}

void sot_coefficients_round(const double *theta, size_t dimension, double grid,
                            int64_t *out_units)
{
    const double most = (double)SOT_COEFFICIENT_UNITS_MAX; /* exact: a power of two */
    for (size_t i = 0; i < dimension; i++) {
        const double units = theta[i] / grid;
        if (isnan(units)) {
            out_units[i] = 0;
        } else {
            out_units[i] = (int64_t)nearbyint(fmax(-most, fmin(most, units)));
        }
    }
}

void sot_coefficients_from_units(const int64_t *units, size_t count, double grid,
                                 double *out_theta)
{
    for (size_t i = 0; i < count; i++)
        out_theta[i] = (double)units[i] * grid;
}

sotto_status sot_correction_purpose(const char *purpose,
                                    char out_purpose[SOTTO_PURPOSE_BYTES],
                                    sotto_error *error)
{
    static const char suffix[] = ": solver";
    const size_t most = SOTTO_PURPOSE_BYTES - sizeof suffix;
    const size_t size_bytes = purpose == NULL ? 0 : strnlen(purpose, most + 1);
    if (size_bytes == 0 || size_bytes > most) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the purpose of a minimiser has 1 to %zu bytes; name the "
                        "release, for example 'coefficients'",
                        most);
    }
    (void)snprintf(out_purpose, SOTTO_PURPOSE_BYTES, "%s%s", purpose, suffix);
    return SOTTO_OK;
}

double sot_correction_sensitivity_units(const sot_correction *correction)
{
    const double radii = 2.0 * correction->radius; /* D errs, and so does D' */
    return sot_add_up(sot_div_up(radii, correction->grid),
                      sot_sqrt_up((double)correction->dimension));
}

static sotto_status check(const sot_correction *correction, sotto_error *error)
{
    if (correction->dimension == 0 || correction->dimension > SOT_COEFFICIENTS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are %zu coefficients; a release has 1 to %d",
                        correction->dimension, (int)SOT_COEFFICIENTS_MAX);
    }
    if (!(correction->radius > 0.0 && isfinite(correction->radius))) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the solver's distance to the minimiser is at most %g; give a "
                        "positive tau and lambda",
                        correction->radius);
    }
    const bool is_gaussian =
        correction->noise_multiplier > 0.0 && isfinite(correction->noise_multiplier);
    const bool is_pure = correction->epsilon > 0.0 && isfinite(correction->epsilon);
    if (is_gaussian == is_pure) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the solver's noise has multiplier %g and epsilon %g; exactly "
                        "one of them is set, and positive",
                        correction->noise_multiplier, correction->epsilon);
    }
    return SOTTO_OK;
}

/* sigma = sensitivity * multiplier, a hair above: their quotient, rounded down for the event, is
 * then at least the multiplier that was asked for. */
static sotto_gaussian_config gaussian_of(const sot_correction *correction)
{
    sotto_gaussian_config config = sotto_gaussian_defaults();
    config.l2_sensitivity = sot_correction_sensitivity_units(correction);
    config.sigma =
        sot_widen_up(config.l2_sensitivity * correction->noise_multiplier, 0x1p-40);
    config.adjacency = correction->adjacency;
    config.grid = correction->grid;
    config.purpose = correction->purpose;
    return config;
}

/* |v|_1 <= sqrt(d) |v|_2, and the L1 norm of integers is an integer. */
static sotto_status laplace_of(const sot_correction *correction,
                               sotto_laplace_config *out_config, sotto_error *error)
{
    sotto_laplace_config config = sotto_laplace_defaults();
    config.l1_sensitivity =
        floor(sot_mul_up(sot_sqrt_up((double)correction->dimension),
                         sot_correction_sensitivity_units(correction)));
    config.adjacency = correction->adjacency;
    config.grid = correction->grid;
    config.purpose = correction->purpose;
    const sotto_status status = sotto_laplace_scale(
        correction->epsilon, config.l1_sensitivity, &config.scale, error);
    *out_config = config;
    return status;
}

sotto_status sot_correction_event(const sot_correction *correction,
                                  sotto_event *out_event, sotto_error *error)
{
    sotto_status status = check(correction, error);
    if (status != SOTTO_OK) return status;
    if (isnan(correction->epsilon)) {
        const sotto_gaussian_config config = gaussian_of(correction);
        return sotto_gaussian_event(&config, out_event, error);
    }
    sotto_laplace_config config;
    status = laplace_of(correction, &config, error);
    if (status != SOTTO_OK) return status;
    return sotto_laplace_event(&config, out_event, error);
}

sotto_status sot_correction_release(sotto_gate *gate, const sot_correction *correction,
                                    const int64_t *units, int64_t *out_units,
                                    sotto_error *error)
{
    sotto_status status = check(correction, error);
    if (status != SOTTO_OK) return status;
    const size_t dimension = correction->dimension;
    if (isnan(correction->epsilon)) {
        const sotto_gaussian_config config = gaussian_of(correction);
        return sot_gaussian_release_solved(gate, &config, config.l2_sensitivity, units,
                                           dimension, out_units, error);
    }
    sotto_laplace_config config;
    status = laplace_of(correction, &config, error);
    if (status != SOTTO_OK) return status;
    return sot_laplace_release_solved(gate, &config, config.l1_sensitivity, units,
                                      dimension, out_units, error);
}
