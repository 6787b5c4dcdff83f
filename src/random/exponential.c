#include "random/exponential.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "random/normal.h"

/* Bernoulli(exp(-x)), x uniform in [0, 1): the longest run x > z1 > z2 > ... has even length. */
static bool even_run(sotto_rng *rng, sot_digits *x)
{
    sot_digits previous = {0};
    bool even = true;
    for (bool first = true;; first = false) {
        sot_digits next = {0};
        if (!sot_digits_less(rng, &next, first ? x : &previous)) return even;
        previous = next;
        even = !even;
    }
}

sot_u128 sot_exponential(sotto_rng *rng)
{
    for (uint64_t whole = 0;; whole++) {
        sot_digits x = {0};
        if (even_run(rng, &x)) return ((sot_u128)whole << 64) | x.word[0];
    }
}

void sot_exponential_digits(sotto_rng *rng, sot_digits *out_digits)
{
    for (;;) {
        for (uint64_t whole = 0; whole < 512; whole++) {
            sot_digits x = {0};
            if (!even_run(rng, &x)) continue;
            sot_digits_behind(rng, whole, &x, out_digits);
            return;
        }
    }
}

/* With probability 1 - 2^-1000 a Gamma(d) number is below this. P(G > d + sqrt(2 d
 * u) + u) <= e^-u (Boucheron, Lugosi & Massart, Concentration Inequalities, 2.4), u = 1000 ln
 * 2 < 693.5. */
static double gamma_upper(size_t dimension)
{
    const double d = (double)dimension;
    return d + sqrt(1387.0 * d) + 693.5;
}

/* The doubles below err by a few 2^-53; the last factor pays for that. */
sotto_status sot_gamma_direction_error(const sot_gamma_direction *law,
                                       double *out_l2_error_upper, sotto_error *error)
{
    if (law->dimension < 1 || law->dimension > SOT_GAMMA_DIRECTION_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "dimension is %zu; a noise vector has 1 to 2^20 coordinates",
                        law->dimension);
    }
    if (!(law->scale >= 0x1p-400 && law->scale <= 0x1p400)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "scale is %g; give a positive noise scale", law->scale);
    }
    if (!(law->grid >= 0x1p-450 && law->grid <= 0x1p450)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "grid is %g; give a positive spacing", law->grid);
    }
    const double reach = law->scale * gamma_upper(law->dimension);
    if (!(reach <= 0x1p50 * law->grid)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "grid %g is too fine for scale %g in %zu dimensions; make it at least %g",
            law->grid, law->scale, law->dimension, reach * 0x1p-50);
    }
    const double rounding = 0.5 * law->grid * sqrt((double)law->dimension);
    *out_l2_error_upper = (rounding + reach * 0x1p-48) * (1.0 + 0x1p-40);
    return SOTTO_OK;
}

/* Returns the sum of the squares; relative error below 2^-51. Each square is rounded, then a
 * compensated sum of positive terms follows (Higham, Accuracy and Stability, 4.3). */
static double sum_of_squares(const double *values, size_t count)
{
    double sum = 0.0;
    double lost = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double term = values[i] * values[i] - lost;
        const double next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    return sum;
}

/* Returns Gamma(dimension), a sum of exponentials each truncated at 64 binary places. The
 * sum is at most dimension 2^-64 too small; it is below 2^127 units unless one term
 * passes 2^43. */
static double gamma_norm(sotto_rng *rng, size_t dimension)
{
    sot_u128 sum = 0;
    for (size_t i = 0; i < dimension; i++)
        sum += sot_exponential(rng);
    return (double)sum * 0x1p-64;
}

sotto_status sot_gamma_direction_draw(const sot_gamma_direction *law, sotto_rng *rng,
                                      int64_t *out, sotto_error *error)
{
    double bound = 0.0;
    sotto_status status = sot_gamma_direction_error(law, &bound, error);
    if (status != SOTTO_OK) return status;
    const size_t d = law->dimension;
    double *direction = sot_new_array(d, sizeof *direction);
    if (direction == NULL) return sot_fail_memory(error, d, sizeof *direction);
    status = sot_normal_fill(rng, direction, d, error);
    if (status != SOTTO_OK) goto done;

    /* In one dimension the direction is a sign; dividing would only add an error. */
    const double norm = d == 1 ? fabs(direction[0]) : sqrt(sum_of_squares(direction, d));
    const double length = gamma_norm(rng, d) * (law->scale / law->grid);
    for (size_t i = 0; i < d; i++) {
        const double coordinate = norm > 0.0 ? direction[i] / norm * length : 0.0;
        /* Beyond 2^51 only if the Gamma number passes gamma_upper(). */
        out[i] = (int64_t)rint(fmax(-0x1p51, fmin(0x1p51, coordinate)));
    }
    status = sot_rng_check(rng, error);
    if (status != SOTTO_OK) sot_wipe(out, d * sizeof *out);
done:
    sot_wipe_and_free(direction, d * sizeof *direction);
    return status;
}
