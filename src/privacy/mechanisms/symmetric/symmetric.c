#include "privacy/mechanisms/symmetric/symmetric.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/additive/additive.h"
#include "random/rounded_gaussian/rounded_gaussian.h"

#define SIGMA_LEAST 0x1p-19

/* 1/sqrt(2), rounded up: its square is at least 1/2. */
#define ROOT_HALF_UP 0x1.6a09e667f3bcdp-1

typedef struct law {
    double sigma;
    size_t size;
} law;

static double off_diagonal_sigma(double sigma)
{
    return sot_mul_up(sigma, ROOT_HALF_UP);
}

/* Adds noise of scale `sigma` to `count` entries of a row. */
static sotto_status add_to_row(sotto_rng *rng, double sigma, const int64_t *exact,
                               size_t count, int64_t *out, sotto_error *error)
{
    enum { PIECE = 1024 }; /* stays in the cache */
    int64_t noise[PIECE];
    sotto_status status = SOTTO_OK;
    for (size_t at = 0; at < count && status == SOTTO_OK; at += PIECE) {
        const size_t piece = count - at < PIECE ? count - at : PIECE;
        status = sot_rounded_gaussian_fill(rng, sigma, noise, piece, error);
        if (status == SOTTO_OK) sot_add_noise(exact + at, noise, piece, out + at);
    }
    sot_wipe(noise, sizeof noise); /* output - noise = exact sums */
    return status;
}

/* Copies the lower triangle to the upper one, in blocks that stay in the cache. */
static void mirror(int64_t *matrix, size_t size)
{
    enum { BLOCK = 32 };
    for (size_t top = 0; top < size; top += BLOCK) {
        const size_t bottom = size - top < BLOCK ? size : top + BLOCK;
        for (size_t left = 0; left <= top; left += BLOCK)
            for (size_t i = top; i < bottom; i++)
                for (size_t j = left; j < left + BLOCK && j < i; j++)
                    matrix[j * size + i] = matrix[i * size + j];
    }
}

/* Adds noise to one row of the lower triangle at a time, for every size: one sample for each
 * unordered pair. The exact upper triangle is not read, and is written last, so the two arrays
 * may be the same. */
static sotto_status add_symmetric(sotto_rng *rng, const void *context,
                                  const int64_t *exact, size_t count, int64_t *out,
                                  sotto_error *error)
{
    const law *of = context;
    const size_t size = of->size;
    const double beside = off_diagonal_sigma(of->sigma);
    assert(count == size * size);
    (void)count;
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < size && status == SOTTO_OK; i++) {
        const int64_t *row = exact + i * size;
        int64_t *out_row = out + i * size;
        status = add_to_row(rng, beside, row, i, out_row, error);
        if (status == SOTTO_OK)
            status = add_to_row(rng, of->sigma, row + i, 1, out_row + i, error);
    }
    if (status == SOTTO_OK) mirror(out, size);
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
        .add = add_symmetric,
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
