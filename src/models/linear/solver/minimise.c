/* The minimiser, with or without a ball, of every loss. Proof note: solver.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "models/linear/solver/solver.h"

static sotto_status run(sot_solver *solver, double tau, sotto_error *error)
{
    const sot_twofold none = {0.0, 0.0};
    const sot_glm *glm = &solver->glm;
    if (!glm->loss->smooth) return sot_solver_run_hinge(solver, tau, error);
    if (sot_solver_is_narrow_corner(glm->loss))
        return sot_solver_run_corner(solver, tau, error);
    if (glm->radius > 0.0) return sot_solver_run_in_ball(solver, tau, true, error);
    return sot_solver_run(solver, none, tau, (double)INFINITY, error);
}

sotto_status sot_glm_solve(const sot_glm *glm, double tau, double *theta,
                           sotto_error *error)
{
    if (!(tau > 0.0))
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "tau is %g; set it to a positive bound on the gradient", tau);
    if (!glm->loss->smooth && glm->loss->at != sot_loss_hinge.at)
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the slope of the loss %s jumps, so its minimiser cannot be "
                        "certified; use an iterative method, or smooth the loss",
                        glm->loss->name);
    const size_t columns = glm->matrix->columns;
    sot_solver solver;
    sotto_status status = sot_solver_begin(glm, theta, &solver, error);
    if (status == SOTTO_OK) status = run(&solver, tau, error);
    if (status == SOTTO_OK) memcpy(theta, solver.here.theta, columns * sizeof *theta);
    sot_solver_end(&solver);
    return status;
}
