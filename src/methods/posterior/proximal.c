/* The proximal sampler: its step, and its run. Proof note: proximal.md. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/posterior/oracle.h"
#include "methods/posterior/plan.h"
#include "models/linear/rows/cholesky.h"

/* -(directions / 2) log det(I - eta b X^T X), the bound of log trials; infinite where the matrix is not positive. */
static double log_trials(const double *gram, size_t columns, double directions,
                         double weight, double *scratch)
{
    for (size_t i = 0; i < columns; i++) {
        for (size_t j = 0; j <= i; j++)
            scratch[i * columns + j] =
                (i == j ? 1.0 : 0.0) - weight * gram[i * columns + j];
    }
    if (!sot_cholesky(scratch, columns)) return (double)INFINITY;
    return -0.5 * directions * sot_cholesky_log_determinant(scratch, columns);
}

/* Returns the largest eta with at most 2.5 trials per step, by the curvature at the mode,
 * between the trace's eta and the longest. */
static sotto_status spread_step(sot_losses *losses, const sot_sampler_facts *f,
                                const double *mode, double shortest, double longest,
                                double *out_eta, sotto_error *error)
{
    const size_t columns = f->columns;
    const double log_most = log(2.5);
    double *gram = sot_new_array(columns, columns * sizeof *gram);
    double *scratch = sot_new_array(columns, columns * sizeof *scratch);
    sotto_status status = SOTTO_OK;
    if (gram == NULL || scratch == NULL)
        status = sot_fail_memory(error, columns, columns * sizeof *gram);
    if (status == SOTTO_OK) status = sot_losses_bend(losses, mode, gram, error);
    if (status == SOTTO_OK) {
        const double weight = f->beta * f->curvature_most;
        for (int k = 0; k < 20; k++) {
            const double eta = 0.5 * (shortest + longest);
            const bool few = log_trials(gram, columns, (double)f->directions,
                                        eta * weight, scratch) <= log_most;
            *(few ? &shortest : &longest) = eta;
        }
        *out_eta = shortest;
    }
    sot_wipe_and_free(gram, columns * columns * sizeof *gram);
    sot_wipe_and_free(scratch, columns * columns * sizeof *scratch);
    return status;
}

sotto_status sot_sampler_step_of(sot_losses *losses, const sot_sampler_plan *plan,
                                 const double *mode, double *out_step, sotto_error *error)
{
    const sot_sampler_facts *f = &plan->facts;
    const double longest_step = sqrt(0.5 / f->lambda) * (1.0 - 0x1p-30);
    *out_step = longest_step;
    if (plan->public_constants) {
        *out_step = plan->step;
        return SOTTO_OK;
    }
    const double trace = losses->curvature_upper;
    if (!(trace > 0.0)) return SOTTO_OK;
    double eta = SOT_SAMPLER_TRACE / trace;
    const double longest = 0.99 * SOT_SAMPLER_BEND / trace;
    if (f->columns <= SOT_SAMPLER_STEP_COLUMNS && isfinite(longest)) {
        const sotto_status status =
            spread_step(losses, f, mode, eta, longest, &eta, error);
        if (status != SOTTO_OK) return status;
    }
    const double step = sqrt(1.0 / (1.0 / eta + f->lambda)) * (1.0 - 0x1p-30);
    if (step < longest_step) *out_step = step;
    if (!(*out_step >= plan->step_least)) *out_step = plan->step_least;
    return SOTTO_OK;
}

sotto_status sot_proximal_draw(const sot_sampler_plan *plan,
                               const sot_potential *potential, sotto_rng *rng,
                               const sot_sampler_watch *watch, double *out_theta,
                               sot_sampler_counts *counts, sotto_error *error)
{
    sot_losses losses;
    sot_oracle oracle = {0};
    double step;
    double *start = NULL;
    sotto_status status = sot_losses_begin(potential, &losses, error);
    if (status != SOTTO_OK) goto done;
    start = sot_new_array(losses.dimension, sizeof *start);
    if (start == NULL) {
        status = sot_fail_memory(error, losses.dimension, sizeof *start);
        goto done;
    }
    status = sot_losses_mode(potential, plan->facts.row_bound, start, error);
    if (status == SOTTO_OK)
        status = sot_sampler_step_of(&losses, plan, start, &step, error);
    if (status == SOTTO_OK)
        status = sot_oracle_begin(&losses, plan, step, rng, watch, start, counts, &oracle,
                                  error);
    if (status != SOTTO_OK) goto done;
    const uint64_t steps = plan->public_constants
                               ? plan->steps
                               : sot_sampler_steps(potential->lambda, potential->radius,
                                                   step, plan->distance_mixing);
    for (uint64_t k = 0; k < steps && status == SOTTO_OK; k++)
        status = sot_oracle_step(&oracle, error);
    if (status == SOTTO_OK) status = sot_rng_check(rng, error);
    if (status != SOTTO_OK) goto done;
    for (size_t j = 0; j < losses.dimension; j++)
        out_theta[j] = oracle.x[j].high;
done:
    if (start != NULL) sot_wipe_and_free(start, losses.dimension * sizeof *start);
    sot_oracle_end(&oracle);
    sot_losses_end(&losses);
    return status;
}
