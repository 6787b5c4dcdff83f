#include "methods/posterior/sampler.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "methods/posterior/plan.h"
#include "models/linear/losses/joined.h"

/* A caller's loss may have any name. */
static bool is_squared(const sot_loss *loss)
{
    return loss != NULL && loss->context == NULL && strcmp(loss->name, "squared") == 0;
}

static sotto_status check_sampler(const sot_sampler_facts *facts, const sot_loss *loss,
                                  sotto_sampler sampler, sotto_error *error)
{
    if (sampler == SOTTO_SAMPLER_MALA) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`sampler` is mala, a heuristic without an error bound and so "
                        "without a certificate; give `sampler=proximal`, or declare the "
                        "rows public with `data_is_public=true`");
    }
    if (loss != NULL && !loss->smooth) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the slope of the loss %s jumps, and a sampler needs a continuous one; use "
            "`model=svm`, whose hinge has a smoothed kink",
            loss->name);
    }
    if (sampler != SOTTO_SAMPLER_EXACT_GAUSSIAN) return SOTTO_OK;
    if (!is_squared(loss)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`sampler` is exact-gaussian, which needs the squared loss; give "
                        "`model=linear`, or `sampler=proximal`");
    }
    if (facts->columns > SOT_GAUSSIAN_COLUMNS) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`sampler` is exact-gaussian and there are %zu features; it "
                        "takes at most %d: give `sampler=proximal`",
                        facts->columns, (int)SOT_GAUSSIAN_COLUMNS);
    }
    return SOTTO_OK;
}

sotto_status sot_sampler_plan_new(const sot_sampler_facts *facts, const sot_loss *loss,
                                  sotto_sampler sampler, double distance,
                                  sot_sampler_plan *out_plan, sotto_error *error)
{
    sotto_status status = check_sampler(facts, loss, sampler, error);
    if (status != SOTTO_OK) return status;
    if (!(distance > 0.0 && distance < facts->radius * 2.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the distance from the ideal distribution is %g; give a positive "
                        "one below the diameter of the ball, %g",
                        distance, facts->radius * 2.0);
    }
    /* Beyond the ball's radius times slope and length the squared loss would continue as
     * a line, and the distribution would not be Gaussian. */
    const bool whole =
        is_squared(loss) &&
        loss->slope_most >= facts->radius * facts->row_bound + loss->label_most &&
        facts->columns <= SOT_GAUSSIAN_COLUMNS;
    if (sampler == SOTTO_SAMPLER_EXACT_GAUSSIAN && !whole) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`sampler` is exact-gaussian, but the loss is clipped at "
                        "residuals of %g, and the ball has %g; raise "
                        "`threshold`, lower `radius`, or give `sampler=proximal`",
                        loss->slope_most,
                        facts->radius * facts->row_bound + loss->label_most);
    }
    sot_sampler_plan plan = {.sampler = SOTTO_SAMPLER_PROXIMAL,
                             .public_constants = facts->rows_planned > 0,
                             .distance_mixing = distance,
                             .facts = *facts};
    if (whole && sampler != SOTTO_SAMPLER_PROXIMAL)
        plan.sampler = SOTTO_SAMPLER_EXACT_GAUSSIAN;
    status = sot_proximal_plan(&plan, error);
    if (status != SOTTO_OK) return status;
    if (plan.sampler == SOTTO_SAMPLER_EXACT_GAUSSIAN) sot_gaussian_plan(&plan);
    *out_plan = plan;
    return SOTTO_OK;
}

sotto_status sot_sampler_draw(const sot_sampler_plan *plan,
                              const sot_potential *potential, sotto_rng *rng,
                              const sot_sampler_watch *watch, double *out_theta,
                              sot_sampler_counts *counts, sotto_error *error)
{
    sot_sampler_counts uncounted = {0};
    sot_sampler_counts *to = counts != NULL ? counts : &uncounted;
    *to = (sot_sampler_counts){0};
    sot_potential exact = *potential;
    sot_loss_joined *joined = NULL;
    if (potential->loss != NULL && sot_loss_is_callers(potential->loss)) {
        const sotto_status status = sot_loss_joined_new(potential->loss, &joined, error);
        if (status != SOTTO_OK) return status;
        exact.loss = &joined->loss;
    }
    const sotto_status status =
        plan->sampler == SOTTO_SAMPLER_EXACT_GAUSSIAN
            ? sot_gaussian_draw(plan, &exact, rng, watch, out_theta, to, error)
            : sot_proximal_draw(plan, &exact, rng, watch, out_theta, to, error);
    sot_loss_joined_free(joined);
    return status;
}
