#include "privacy/mechanisms/best_run/run_count.h"

#include <math.h>

#include "base/error.h"
#include "privacy/accounting/selection/selection.h"
#include "random/run_count.h"

static const double mean_most = 1e6, shape_most = 1e4, words_most = 1e8;

/* Negative binomial: the random words used until the sum is not zero. */
static double words(const sotto_runs *runs)
{
    if (runs->shape <= 1.0) return sotto_runs_mean(runs);
    return (runs->shape + sotto_runs_mean(runs)) / -expm1(runs->shape * log(runs->gamma));
}

sotto_status sot_run_count_draw(sotto_rng *rng, const sotto_runs *runs,
                                uint64_t *out_count, sotto_error *error)
{
    sotto_status status = sot_runs_check(runs, error);
    if (status != SOTTO_OK) return status;
    const bool is_poisson = runs->law == SOTTO_RUNS_POISSON;
    const double mean = sotto_runs_mean(runs);
    if (mean > mean_most ||
        (!is_poisson && (runs->shape > shape_most || words(runs) > words_most))) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the number of runs has mean %g and shape %g; the sampler takes "
                        "a mean up to %g and a shape up to %g",
                        mean, runs->shape, mean_most, shape_most);
    }
    const uint64_t count =
        is_poisson ? sot_run_count_poisson(rng, runs->mean)
                   : sot_run_count_negative_binomial(rng, runs->shape, runs->gamma);
    status = sot_rng_check(rng, error);
    if (status == SOTTO_OK) *out_count = count;
    return status;
}
