/* The packing of thresholds: the success of mechanisms on it, and the upper bound for
 * every learner. Proofs: theory.md. */
#include <sotto/pac_packing.h>

#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "numeric/outward.h"

#define CLASS_MAX (UINT64_C(1) << 62)
#define ROWS_MAX  (UINT64_C(1) << 53)

static sotto_status check_class(const sotto_packing_setting *s, sotto_error *error)
{
    if (!(s->epsilon > 0.0 && s->epsilon <= 1e6)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`epsilon` is %g; it is above 0 and at most 1e6; for example `epsilon=1`",
            s->epsilon);
    }
    if (s->adjacency != SOTTO_ADD_REMOVE && s->adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the adjacency is %d; set it to one of sotto_adjacency",
                        (int)s->adjacency);
    }
    if (s->class_size < 2 || s->class_size > CLASS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`class_size` is %" PRIu64 "; give from 2 to 2^62 thresholds",
                        s->class_size);
    }
    return SOTTO_OK;
}

/* Returns the contribution of n rows to the exponent: of the mechanisms' weights, s n/2,
 * and between two data sets. */
static double weight_steps(const sotto_packing_setting *s)
{
    return s->adjacency == SOTTO_ADD_REMOVE ? s->epsilon / 2.0 : s->epsilon / 4.0;
}

static double between_steps(const sotto_packing_setting *s)
{
    return s->adjacency == SOTTO_ADD_REMOVE ? 2.0 * s->epsilon : s->epsilon;
}

/* 1/(1 + (K - 1) e^-x). */
static double share(double class_size, double x)
{
    return 1.0 / (1.0 + (class_size - 1.0) * exp(-x));
}

/* (1 - (1 - w)^K)/(K w), 1 in the limit of small K w. */
static double flipped_share(double class_size, double x)
{
    const double w = exp(-x);
    const double all = class_size * w;
    return all > 0.0 ? fmin(1.0, -expm1(class_size * log1p(-w)) / all) : 1.0;
}

sotto_status sotto_packing_success_of(const sotto_packing_setting *setting,
                                      sotto_packing_success *out_success,
                                      sotto_error *error)
{
    const sotto_status status = check_class(setting, error);
    if (status != SOTTO_OK) return status;
    if (setting->rows < 2 || setting->rows % 2 != 0 || setting->rows > ROWS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`rows` is %" PRIu64
                        "; give an even number up to 2^53, half for each side",
                        setting->rows);
    }
    const double n = (double)setting->rows, size = (double)setting->class_size;
    *out_success = (sotto_packing_success){
        .exponential = share(size, n * weight_steps(setting)),
        .permute_and_flip = flipped_share(size, n * weight_steps(setting)),
        .ceiling = share(size, n * between_steps(setting))};
    return SOTTO_OK;
}

/* The least even n with success(K, n step) >= wanted; 0: none up to ROWS_MAX. */
static uint64_t least_even(double (*success)(double, double), double class_size,
                           double step, double wanted)
{
    uint64_t few = 0, enough = 1; /* halves */
    while (success(class_size, 2.0 * (double)enough * step) < wanted) {
        if (enough >= ROWS_MAX / 2) return 0;
        few = enough;
        enough *= 2;
    }
    while (enough - few > 1) {
        const uint64_t middle = few + (enough - few) / 2;
        *(success(class_size, 2.0 * (double)middle * step) < wanted ? &few : &enough) =
            middle;
    }
    return 2 * enough;
}

/* ln((K - 1) p/(1 - p)), rounded down. */
static double log_odds_down(const sotto_packing_setting *setting, double success)
{
    const double odds = sot_div_down(success, sot_sub_up(1.0, success));
    return sot_log_down(
        sot_mul_down(sot_sub_down((double)setting->class_size, 1.0), odds));
}

sotto_status sotto_packing_rows_for(const sotto_packing_setting *setting, double success,
                                    sotto_packing_rows *out_rows, sotto_error *error)
{
    const sotto_status status = check_class(setting, error);
    if (status != SOTTO_OK) return status;
    if (!(success > 0.5 && success < 1.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the probability of success is %g; give one above 1/2 and below "
                        "1, for example 0.9",
                        success);
    }
    const double size = (double)setting->class_size;
    const double exponent = log_odds_down(setting, success);
    sotto_packing_rows found = {
        .exponential = least_even(share, size, weight_steps(setting), success),
        .permute_and_flip =
            least_even(flipped_share, size, weight_steps(setting), success)};
    const double least = ceil(sot_div_down(exponent, between_steps(setting)));
    if (found.exponential == 0 || found.permute_and_flip == 0 || least > 0x1p53) {
        return sot_fail(
            error, SOTTO_UNREACHABLE,
            "`epsilon` is %g and needs more than 2^53 rows; give a larger one",
            setting->epsilon);
    }
    found.least = (uint64_t)least;
    *out_rows = found;
    return SOTTO_OK;
}

sotto_status sotto_packing_least_rows(const sotto_packing_setting *setting, double alpha,
                                      double beta, uint64_t *out_rows, sotto_error *error)
{
    const sotto_status status = check_class(setting, error);
    if (status != SOTTO_OK) return status;
    if (!(alpha > 0.0 && alpha < 0.5 && beta > 0.0 && beta < 0.5)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "alpha is %g and beta %g; give them above 0 and below 1/2", alpha,
                        beta);
    }
    const double success = sot_sub_down(1.0, beta);
    const double a_row =
        sot_mul_up(2.0 * alpha, between_steps(setting)); /* of the exponent, on average */
    const double least = ceil(sot_div_down(
        sot_mul_down(success, fmax(0.0, log_odds_down(setting, success))), a_row));
    if (!(least <= 0x1p53)) {
        return sot_fail(
            error, SOTTO_UNREACHABLE,
            "`epsilon` is %g and needs more than 2^53 rows; give a larger one",
            setting->epsilon);
    }
    *out_rows = (uint64_t)least;
    return SOTTO_OK;
}
