/* The hinge's minimiser: that of a smoothed hinge with a sufficiently narrow kink. Proof note:
 * solver.md. */
#include <float.h>
#include <math.h>

#include "models/linear/solver/solver.h"

/* The kink width shrinks step by step; the sum that must vanish is about proportional to
 * it. */
#define WIDTH_FIRST  0.5
#define SHRINK_LEAST 0.125
#define SHRINK_MOST  0.25

#define WANTED_SHARE 0x1p-10

/* For the derivative by the width. */
#define WIDTH_NUDGE 0x1p-8

/* Moves theta to the minimiser for the width times `share`, to first order. The slopes of the
 * rows in the kink stay unchanged, so their a = 1 - y u shrink with the width. The solver must be
 * at the minimiser of `width`. This is only a guess. */
static sotto_status follow(sot_solver *s, double width, double share, sotto_error *error)
{
    const size_t columns = s->glm.matrix->columns;
    const sot_loss *const own = s->glm.loss;
    const sot_loss here = sot_loss_smoothed_hinge(width);
    const sot_loss wider = sot_loss_smoothed_hinge(width * (1.0 + WIDTH_NUDGE));
    s->glm.loss = &wider;
    const sot_pass_result aside = {.gradient = s->there.gradient};
    sotto_status status = sot_pass_gradient(&s->pass, s->here.theta, &aside, error);
    s->glm.loss = &here;
    const sot_pass_result at = {.gradient = s->here.gradient,
                                .curvatures = s->here.curvatures};
    if (status == SOTTO_OK)
        status = sot_pass_gradient(&s->pass, s->here.theta, &at, error);
    s->glm.loss = own;
    if (status != SOTTO_OK) return status;
    for (size_t j = 0; j < columns; j++)
        s->here.gradient[j] =
            (1.0 - share) / WIDTH_NUDGE * (s->here.gradient[j] - s->there.gradient[j]);
    status = sot_solver_aim(s, 0x1p-10, error);
    for (size_t j = 0; status == SOTTO_OK && j < columns; j++)
        s->here.theta[j] += s->direction[j];
    return status;
}

/* Minimises at one width. The ball's second certificate is for `smooth` losses, not for the
 * hinge. */
static sotto_status run_at(sot_solver *s, double width, double tau, bool smooth,
                           sotto_error *error)
{
    const sot_twofold none = {0.0, 0.0};
    const sot_loss *const own = s->glm.loss;
    const sot_loss smoothed = sot_loss_smoothed_hinge(width);
    /* Computes margins to a small part of the kink's width, to find the rows in it. */
    const double wanted =
        WANTED_SHARE * width * s->glm.lambda / (s->bounds.row_upper + DBL_MIN);
    s->glm.loss = &smoothed;
    const sotto_status status = s->glm.radius > 0.0
                                    ? sot_solver_run_in_ball(s, tau, smooth, error)
                                    : sot_solver_run(s, none, tau, wanted, error);
    s->glm.loss = own;
    return status;
}

/* Returns the kink's sum: in double, and again in extended precision if only rounding
 * prevents the target. */
static sotto_status corner(sot_solver *s, double width, double target, double *out_sum,
                           sotto_error *error)
{
    double computed = 0.0;
    for (int careful = 0; careful < 2; careful++) {
        const sotto_status status =
            sot_pass_corner(&s->pass, &s->bounds, s->here.theta, s->here.theta_low, width,
                            careful == 1, &computed, out_sum, error);
        if (status != SOTTO_OK || *out_sum <= target) return status;
        if (computed > target) break;
    }
    *out_sum = fmax(computed, target * (1.0 + 0x1p-20)); /* not there yet */
    return SOTTO_OK;
}

sotto_status sot_solver_run_hinge(sot_solver *solver, double tau, sotto_error *error)
{
    const double lambda = solver->glm.lambda;
    /* sqrt(lambda sum) <= tau / 2, less the rounding of these operations. */
    const double target = tau / (4.0 * lambda) * tau * (1.0 - 0x1p-40);
    double width = WIDTH_FIRST;
    for (;;) {
        double sum = 0.0;
        sotto_status status = run_at(solver, width, 0.5 * tau, false, error);
        if (status == SOTTO_OK) status = corner(solver, width, target, &sum, error);
        if (status != SOTTO_OK) return status;
        if (sum <= target) return SOTTO_OK;
        const double share = fmin(SHRINK_MOST, fmax(SHRINK_LEAST, 0.5 * target / sum));
        status = follow(solver, width, share, error);
        if (status != SOTTO_OK) return status;
        width *= share;
    }
}

bool sot_solver_is_narrow_corner(const sot_loss *loss)
{
    const sot_loss any = sot_loss_smoothed_hinge(WIDTH_FIRST);
    return loss->at == any.at && loss->parameters[0] < SHRINK_MOST * WIDTH_FIRST;
}

sotto_status sot_solver_run_corner(sot_solver *solver, double tau, sotto_error *error)
{
    const double last = solver->glm.loss->parameters[0];
    for (double width = WIDTH_FIRST; width > last;) {
        const double share = fmax(SHRINK_LEAST, last / width);
        sotto_status status = run_at(solver, width, tau, true, error);
        if (status == SOTTO_OK) status = follow(solver, width, share, error);
        if (status != SOTTO_OK) return status;
        width *= share;
    }
    return run_at(solver, last, tau, true, error);
}
