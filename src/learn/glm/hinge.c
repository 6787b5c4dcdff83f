/* The hinge's minimiser: that of a smoothed hinge whose corner is narrow enough. Proof note:
 * solver.md. */
#include <math.h>

#include "learn/glm/solver.h"
#include "numeric/outward.h"

/* Each corner is between a quarter and a thousandth of the one before; the sum that is to vanish is
 * about proportional to it. */
#define WIDTH_FIRST  0.5
#define SHRINK_LEAST 0x1p-10
#define SHRINK_MOST  0.25

sotto_status sot_solver_run_hinge(sot_solver *solver, double tau, sotto_error *error)
{
    const sot_twofold none = {0.0, 0.0};
    const double lambda = solver->glm.lambda;
    const double target = tau / (4.0 * lambda) * tau; /* sqrt(lambda sum) <= tau / 2 */
    double width = WIDTH_FIRST;
    for (;;) {
        const sot_loss smoothed = sot_loss_smoothed_hinge(width);
        solver->glm.loss = &smoothed;
        sotto_status status =
            solver->glm.radius > 0.0
                ? sot_solver_run_in_ball(solver, 0.5 * tau, false, error)
                : sot_solver_run(solver, none, 0.5 * tau, 0, error);
        double sum = 0.0;
        if (status == SOTTO_OK)
            status = sot_pass_corner(&solver->pass, &solver->bounds, solver->here.theta,
                                     solver->here.theta_low, width, &sum, error);
        solver->glm.loss = &sot_loss_hinge;
        if (status != SOTTO_OK) return status;
        if (sot_sqrt_up(sot_mul_up(lambda, sum)) <= 0.5 * tau) return SOTTO_OK;
        width *= fmin(SHRINK_MOST, fmax(SHRINK_LEAST, 0.5 * target / sum));
    }
}
