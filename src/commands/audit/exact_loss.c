#include "commands/audit/exact_loss.h"

#include <math.h>

#include "base/error.h"
#include "methods/convex/erm.h"

sotto_status sot_exact_loss_of(const sot_laboratory *laboratory, sot_exact_loss *out_loss,
                               sotto_error *error)
{
    const sot_learner *learner = laboratory->training->learner;
    const double lambda = sot_laboratory_setting(laboratory, "lambda");
    const double rate = sot_laboratory_setting(laboratory, "rate");
    const double sigma = sot_laboratory_setting(laboratory, "sigma");
    if (learner->empirical == NULL || isnan(lambda) || (isnan(rate) && isnan(sigma))) {
        return sot_fail(error, SOTTO_INTERNAL, "the learner does not state its noise");
    }
    *out_loss = (sot_exact_loss){
        .empirical = learner->empirical,
        .rows = {laboratory->worlds[0], laboratory->worlds[1]},
        .terms = sot_erm_terms(learner, lambda),
        .sigma = sigma,
        .rate = rate / learner->empirical->facts.record_bound,
    };
    return SOTTO_OK;
}

/* log of the density of theta in one world, but for a constant that both share. */
static sotto_status log_density(const sot_exact_loss *loss, const sot_matrix *rows,
                                const double *theta, double *out_log, sotto_error *error)
{
    double noise[SOT_STUDY_NUMBERS] = {0.0};
    double log_determinant, squares = 0.0;
    const sotto_status status = loss->empirical->operations->noise_of(
        loss->empirical, rows, &loss->terms, theta, noise, &log_determinant, error);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < loss->empirical->facts.dimension; i++)
        squares += noise[i] * noise[i];
    *out_log =
        log_determinant - (isnan(loss->rate) ? squares / (2.0 * loss->sigma * loss->sigma)
                                             : loss->rate * sqrt(squares));
    return SOTTO_OK;
}

sotto_status sot_exact_loss_at(const sot_exact_loss *loss, const double *theta,
                               double *out_loss, sotto_error *error)
{
    double in, out;
    sotto_status status = log_density(loss, loss->rows[1], theta, &in, error);
    if (status == SOTTO_OK) status = log_density(loss, loss->rows[0], theta, &out, error);
    if (status == SOTTO_OK) *out_loss = in - out;
    return status;
}

void sot_exact_loss_delta(const double *losses, size_t count, double epsilon,
                          double alpha, double *out_mean, double *out_lower)
{
    const double n = (double)count;
    const double level = log(2.0 / alpha);
    double mean = 0.0, squares = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double part = losses[i] > epsilon ? -expm1(epsilon - losses[i]) : 0.0;
        const double step = part - mean;
        mean += step / (double)(i + 1);
        squares += step * (part - mean);
    }
    const double reach =
        sqrt(2.0 * squares / (n - 1.0) * level / n) + 7.0 * level / (3.0 * (n - 1.0));
    *out_mean = mean;
    *out_lower = fmax(0.0, mean - reach);
}
