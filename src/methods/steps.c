#include "methods/steps.h"

#include <math.h>

#include "base/error.h"
#include "numeric/outward.h"

sotto_status sot_steps_check(const sot_learner_setup *setup, const char *subject,
                             const char *instead, sotto_error *error)
{
    const sotto_train_config *config = setup->config;
    if (isnan(config->delta)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`delta` is missing: the noise of %s is Gaussian; give `delta=1e-6`%s",
            subject, instead);
    }
    if (sot_learner_rows(setup) == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`expected_rows` is missing: %s needs a public row count; pass "
                        "`expected_rows=N` (an estimate is fine)",
                        subject);
    }
    if (config->steps > SOT_STEPS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`steps` is %llu, more than %s can use; give at most %d",
                        (unsigned long long)config->steps, subject, (int)SOT_STEPS_MAX);
    }
    return SOTTO_OK;
}

static sotto_status add_before(const sot_steps *steps, sotto_plan *plan,
                               sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < steps->before_count; i++) {
        sotto_event event;
        status = sotto_gaussian_event(&steps->before[i], &event, error);
        if (status == SOTTO_OK) {
            event.count = 1;
            status = sotto_plan_add(plan, &event, error);
        }
    }
    return status;
}

sotto_status sot_steps_calibrate(const sot_steps *steps, const sotto_train_config *config,
                                 sotto_gaussian_config *noise, double *out_multiplier,
                                 sotto_error *error)
{
    sotto_plan *open = NULL;
    sotto_account account;
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_GAUSSIAN;
    event.count = steps->count;
    event.sampling = noise->sampling;
    event.rate = noise->rate;
    event.population = noise->population;
    event.batch = noise->batch;
    sotto_status status = sotto_plan_new(config->adjacency, &open, error);
    if (status == SOTTO_OK) status = add_before(steps, open, error);
    if (status == SOTTO_OK) status = sotto_plan_add(open, &event, error);
    if (status == SOTTO_OK) {
        status = sotto_account_noise(open, SOTTO_EXACT, config->epsilon, config->delta,
                                     out_multiplier, &account, error);
    }
    sotto_plan_free(open);
    if (status != SOTTO_OK) return status;
    /* A hair more: the event's own multiplier is sigma / sensitivity rounded down. */
    noise->sigma =
        sot_mul_up(sot_mul_up(*out_multiplier, 1.0 + 0x1p-40), noise->l2_sensitivity);
    return SOTTO_OK;
}

sotto_status sot_steps_plan(const sot_steps *steps, sotto_plan *plan, sotto_error *error)
{
    sotto_event event;
    sotto_status status = add_before(steps, plan, error);
    if (status != SOTTO_OK || steps->count == 0) return status;
    status = sotto_gaussian_event(steps->noise, &event, error);
    if (status != SOTTO_OK) return status;
    event.count = steps->count;
    return sotto_plan_add(plan, &event, error);
}

/* sotto/gaussian.h: at most 2^-900 a number; a hair more than the gate's own sum. */
double sot_steps_sampler_error(double numbers)
{
    return (1.0 + 0x1p-20) * 0x1p-900 * numbers;
}

/* ---- the listener ---- */

static sotto_status epsilon_after(const sot_steps *steps,
                                  const sotto_train_config *config, uint64_t done,
                                  double *out_epsilon, sotto_error *error)
{
    sotto_plan *plan = NULL;
    sotto_account account;
    sot_steps part = *steps;
    *out_epsilon = 0.0;
    if (done == 0) return SOTTO_OK;
    part.count = done;
    sotto_status status = sotto_plan_new(config->adjacency, &plan, error);
    if (status == SOTTO_OK) status = sot_steps_plan(&part, plan, error);
    if (status == SOTTO_OK)
        status = sotto_account_epsilon(plan, SOTTO_EXACT, config->delta, &account, error);
    sotto_plan_free(plan);
    if (status == SOTTO_OK) *out_epsilon = account.epsilon;
    return status;
}

sotto_status sot_steps_report(const sot_steps *steps, const sotto_train_config *config,
                              const sot_progress *progress, uint64_t done,
                              sotto_error *error)
{
    double epsilon = SOTTO_UNSET;
    if (progress->function == NULL) return SOTTO_OK;
    const sotto_status status = epsilon_after(steps, config, done, &epsilon, error);
    if (status != SOTTO_OK) return status;
    return sot_progress_report(progress, done, steps->count, epsilon, error);
}

/* ---- schedules ---- */

double sot_step_size(sotto_schedule schedule, double rate, double t, double steps)
{
    switch (schedule) {
    case SOTTO_SCHEDULE_ROOT:
        return rate / sqrt(t);
    case SOTTO_SCHEDULE_LINEAR:
        return rate * (1.0 - (t - 1.0) / steps);
    case SOTTO_SCHEDULE_COSINE:
        return 0.5 * rate * (1.0 + cos(acos(-1.0) * (t - 1.0) / steps));
    case SOTTO_SCHEDULE_STRONG: /* has a rate of its own, by the terms */
    case SOTTO_SCHEDULE_CONSTANT:
    case SOTTO_SCHEDULE_AUTO:
        break;
    }
    return rate;
}
