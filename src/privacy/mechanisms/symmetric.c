#include "privacy/mechanisms/symmetric.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plant.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/additive.h"
#include "random/rounded_gaussian.h"

#define SIGMA_LEAST 0x1p-19

/* 1/sqrt(2), rounded up: its square is at least 1/2. */
#define ROOT_HALF_UP 0x1.6a09e667f3bcdp-1

typedef struct law {
    double sigma;
    size_t size;
} law;

static double off_diagonal_sigma(double sigma)
{
    if (SOT_PLANTED(symmetric_off_diagonal_halved)) return sigma / 2.0;
    return sot_mul_up(sigma, ROOT_HALF_UP);
}

/* A row of the lower triangle at a time; the upper triangle mirrors it. */
static sotto_status fill_symmetric(sotto_rng *rng, const void *context, int64_t *out,
                                   size_t count, sotto_error *error)
{
    const law *of = context;
    const size_t size = of->size;
    const double beside = off_diagonal_sigma(of->sigma);
    assert(count == size * size);
    (void)count;
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < size && status == SOTTO_OK; i++) {
        int64_t *row = out + i * size;
        if (i > 0) status = sot_rounded_gaussian_fill(rng, beside, row, i, error);
        if (status == SOTTO_OK)
            status = sot_rounded_gaussian_fill(rng, of->sigma, row + i, 1, error);
        for (size_t j = 0; j < i; j++)
            out[j * size + i] = row[j];
    }
    return status;
}

#ifndef NDEBUG
static bool is_symmetric(const int64_t *matrix, size_t size)
{
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < i; j++)
            if (matrix[i * size + j] != matrix[j * size + i]) return false;
    return true;
}
#endif

sotto_status sot_symmetric_release(sotto_gate *gate, const sotto_gaussian_config *config,
                                   const int64_t *exact, size_t size, int64_t *out_noisy,
                                   sotto_error *error)
{
    const law of = {.sigma = config->sigma, .size = size};
    sot_additive mechanism = {
        .adjacency = config->adjacency,
        .norm = SOTTO_L2, /* over both triangles: Frobenius's */
        .sensitivity = config->l2_sensitivity,
        .fill = fill_symmetric,
        .law = &of,
        .sampler_error = ldexp(1.0, SOT_ROUNDED_GAUSSIAN_LOG2_TV),
    };
    sotto_status status = sotto_gaussian_event(config, &mechanism.event, error);
    if (status != SOTTO_OK) return status;
    if (!(config->sigma >= SIGMA_LEAST)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "sigma is %g units of a matrix; choose noise and grid so that it is "
            "at least %g",
            config->sigma, SIGMA_LEAST);
    }
    if (config->sampling != SOTTO_NOT_SAMPLED) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "a matrix of sums is not sampled here; leave sampling unset");
    }
    if (size > SOT_SYMMETRIC_SIZE_MOST) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the matrix has %zu rows; at most %d can be released", size,
                        SOT_SYMMETRIC_SIZE_MOST);
    }
    assert(is_symmetric(exact, size));
    return sot_additive_release(gate, &mechanism, exact, size * size, out_noisy, error);
}
