/* Proof note: solver.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/linear/solver/newton.h"
#include "models/softmax/solver.h"

enum {
    QUICK_STEPS_MOST = 100, /* in double; then the careful stage takes over */
    STUCK_STEPS_MOST = 6,   /* steps without a smaller gradient */
    BRACKET_TRIALS_MOST =
        8, /* lengths of a step; then the next at which J falls will do */
    TRIALS_MOST = 40
};

static bool new_point(const sot_softmax_pass *pass, sot_softmax_point *out)
{
    const sot_softmax *problem = pass->problem;
    out->theta = sot_softmax_vector(pass);
    out->theta_low = sot_softmax_vector(pass);
    out->gradient = sot_softmax_vector(pass);
    out->gradient_low = sot_softmax_vector(pass);
    out->probabilities = sot_new_array(problem->matrix->rows,
                                       problem->classes * sizeof *out->probabilities);
    return out->theta != NULL && out->theta_low != NULL && out->gradient != NULL &&
           out->gradient_low != NULL && out->probabilities != NULL;
}

static void free_point(const sot_softmax_pass *pass, sot_softmax_point *old)
{
    const sot_softmax *problem = pass->problem;
    sot_softmax_drop(pass, old->theta);
    sot_softmax_drop(pass, old->theta_low);
    sot_softmax_drop(pass, old->gradient);
    sot_softmax_drop(pass, old->gradient_low);
    sot_wipe_and_free(old->probabilities, problem->matrix->rows * problem->classes *
                                              sizeof *old->probabilities);
}

sotto_status sot_softmax_solver_begin(const sot_softmax *problem,
                                      sot_softmax_solver *out_solver, sotto_error *error)
{
    sot_softmax_solver *s = out_solver;
    *s = (sot_softmax_solver){0};
    const sotto_status status = sot_softmax_pass_begin(problem, &s->pass, error);
    if (status != SOTTO_OK) return status;
    const bool points = new_point(&s->pass, &s->here) && new_point(&s->pass, &s->there);
    s->direction = sot_softmax_vector(&s->pass);
    s->ridge = sot_softmax_vector(&s->pass);
    s->diagonal = sot_softmax_vector(&s->pass);
    s->residual = sot_softmax_vector(&s->pass);
    s->search = sot_softmax_vector(&s->pass);
    s->curved = sot_softmax_vector(&s->pass);
    if (!points || s->direction == NULL || s->ridge == NULL || s->diagonal == NULL ||
        s->residual == NULL || s->search == NULL || s->curved == NULL)
        return sot_fail_memory(error, problem->matrix->rows + s->pass.length,
                               sizeof(double));
    return sot_softmax_measure(&s->pass, &s->bounds, error);
}

void sot_softmax_solver_end(sot_softmax_solver *s)
{
    if (s->pass.problem == NULL) return;
    free_point(&s->pass, &s->here);
    free_point(&s->pass, &s->there);
    sot_softmax_drop(&s->pass, s->direction);
    sot_softmax_drop(&s->pass, s->ridge);
    sot_softmax_drop(&s->pass, s->diagonal);
    sot_softmax_drop(&s->pass, s->residual);
    sot_softmax_drop(&s->pass, s->search);
    sot_softmax_drop(&s->pass, s->curved);
    sot_softmax_pass_end(&s->pass);
}

sotto_status sot_softmax_look(sot_softmax_solver *s, sot_softmax_point *at,
                              sotto_error *error)
{
    const sot_softmax_result out = {.gradient = at->gradient,
                                    .probabilities = at->probabilities,
                                    .slope_squares = &at->slope_squares};
    const sotto_status status = sot_softmax_gradient(&s->pass, at->theta, &out, error);
    if (status == SOTTO_OK) at->norm = sot_norm_upper(at->gradient, s->pass.length);
    return status;
}

static void turn(sot_softmax_solver *s)
{
    const sot_softmax_point passed = s->here;
    s->here = s->there;
    s->there = passed;
}

/* Moves `there` along the direction. J is convex along it and falls at first. The whole step is
 * taken if J still falls at its end, or hardly rises. Otherwise the bracket around the lowest
 * point is narrowed until the slope is at most half of the initial one. */
static sotto_status step(sot_softmax_solver *s, sotto_error *error)
{
    const size_t length = s->pass.length;
    const double slope = fabs(sot_product(s->here.gradient, s->direction, length));
    double falling = 0.0;
    double rising = 1.0;
    double distance = 1.0;
    for (int trial = 0; trial < TRIALS_MOST; trial++) {
        for (size_t j = 0; j < length; j++)
            s->there.theta[j] = s->here.theta[j] + distance * s->direction[j];
        const sotto_status status = sot_softmax_look(s, &s->there, error);
        if (status != SOTTO_OK) return status;
        const double next = sot_product(s->there.gradient, s->direction, length);
        if (fabs(next) <= 0.5 * slope || s->there.norm <= 0.5 * s->here.norm) break;
        if (next <= 0.0 && (trial == 0 || trial >= BRACKET_TRIALS_MOST)) break;
        if (next <= 0.0)
            falling = distance;
        else
            rising = distance; /* NaN too */
        distance = falling > 0.0 ? 0.5 * (falling + rising) : 0.25 * rising;
    }
    return SOTTO_OK;
}

sotto_status sot_softmax_quick(sot_softmax_solver *s, double goal, bool *out_proven,
                               sotto_error *error)
{
    double best = (double)INFINITY;
    double first = 0.0;
    int stuck = 0;
    *out_proven = false;
    memset(s->here.theta_low, 0, s->pass.length * sizeof *s->here.theta_low);
    sotto_status status = sot_softmax_look(s, &s->here, error);
    for (int steps = 0; status == SOTTO_OK; steps++) {
        const double upper = sot_softmax_norm_upper(
            &s->pass, &s->bounds, s->here.theta, s->here.gradient, s->here.slope_squares);
        if (upper <= goal) {
            *out_proven = true;
            return SOTTO_OK;
        }
        if (steps == 0) first = s->here.norm;
        stuck = s->here.norm < 0.9 * best ? 0 : stuck + 1;
        if (s->here.norm < best) best = s->here.norm;
        /* Below the goal, so only rounding stands between the point and its certificate. */
        const bool rounding_only = s->here.norm <= 0.5 * goal;
        if (rounding_only || stuck > STUCK_STEPS_MOST || steps == QUICK_STEPS_MOST ||
            !isfinite(s->here.norm))
            return SOTTO_OK;
        /* Quadratic convergence, but no step to a gradient far below the goal. */
        const double tolerance =
            fmax(fmin(0.1, sqrt(s->here.norm / first)), 0.25 * goal / s->here.norm);
        status = sot_softmax_direction(s, tolerance, error);
        if (status != SOTTO_OK) return status;
        status = step(s, error);
        turn(s);
    }
    return status;
}

/* ---- careful ---- */

sotto_status sot_softmax_look_carefully(sot_softmax_solver *s, sot_softmax_point *at,
                                        sotto_error *error)
{
    const sotto_status status =
        sot_softmax_gradient_careful(&s->pass, at->theta, at->theta_low, at->gradient,
                                     at->gradient_low, &at->slope_squares, error);
    if (status == SOTTO_OK)
        at->norm =
            sot_softmax_norm_upper_careful(&s->pass, &s->bounds, at->theta, at->gradient,
                                           at->gradient_low, at->slope_squares);
    return status;
}

/* The direction from `here`. The gradient in double that comes with the probabilities is dropped. */
static sotto_status aim(sot_softmax_solver *s, sotto_error *error)
{
    const sot_softmax_result out = {.gradient = s->direction,
                                    .probabilities = s->here.probabilities};
    const sotto_status status =
        sot_softmax_gradient(&s->pass, s->here.theta, &out, error);
    if (status != SOTTO_OK) return status;
    return sot_softmax_direction(s, 0x1p-20, error);
}

/* Steps to the first length of 1, ..., `shortest` at which J still falls, or the gradient is half
 * of the smallest so far. */
static sotto_status step_carefully(sot_softmax_solver *s, double shortest, double least,
                                   bool keep_low, sotto_error *error)
{
    const size_t length = s->pass.length;
    const double slope = sot_product(s->here.gradient, s->direction, length);
    double distance = 1.0;
    for (;;) {
        for (size_t j = 0; j < length; j++) {
            const sot_twofold at = {s->here.theta[j], s->here.theta_low[j]};
            const sot_twofold next = sot_twofold_plus(at, distance * s->direction[j]);
            s->there.theta[j] = next.high;
            s->there.theta_low[j] = keep_low ? next.low : 0.0;
        }
        const sotto_status status = sot_softmax_look_carefully(s, &s->there, error);
        if (status != SOTTO_OK) return status;
        const double next = sot_product(s->there.gradient, s->direction, length);
        if (distance <= shortest || next <= 0.0 || s->there.norm <= 0.5 * least)
            return SOTTO_OK;
        const double secant = fabs(slope) / (fabs(slope) + next);
        distance = fmax(shortest, distance * (secant < 0.5 ? secant : 0.5));
    }
}

/* A length at which the step provably works: solver.md. */
static double safe_length(const sot_softmax_solver *s)
{
    const sot_softmax *problem = s->pass.problem;
    const double size = sot_norm_upper(s->direction, s->pass.length);
    double reach = sqrt(2.0) * s->bounds.row_upper * size;
    if (problem->l1 > 0.0) reach = fmax(reach, 1.5 * size / problem->l1_width);
    return reach > 0.0 ? log1p(reach) / reach : 1.0;
}

sotto_status sot_softmax_careful(sot_softmax_solver *s, double goal, bool to_round,
                                 sotto_error *error)
{
    const double lambda = to_round ? s->pass.problem->lambda : 0.0;
    const size_t length = s->pass.length;
    for (size_t j = 0; j < length; j++) {
        if (fabs(s->here.theta[j]) <= 0x1p900) continue;
        memset(s->here.theta, 0, length * sizeof *s->here.theta); /* NaN too */
        memset(s->here.theta_low, 0, length * sizeof *s->here.theta_low);
        break;
    }
    sotto_status status = sot_softmax_look_carefully(s, &s->here, error);
    double least = s->here.norm;
    bool keep_low = sot_norm_upper(s->here.theta_low, length) > 0.0;
    while (status == SOTTO_OK) {
        const double rounded = lambda * sot_norm_upper(s->here.theta_low, length);
        if ((s->here.norm + rounded) * (1.0 + 0x1p-50) <= goal) return SOTTO_OK;
        status = aim(s, error);
        if (status != SOTTO_OK) return status;
        status = step_carefully(s, safe_length(s), least, keep_low, error);
        if (!(s->there.norm <= 0.5 * s->here.norm)) keep_low = true;
        least = fmin(least, s->there.norm);
        turn(s);
    }
    return status;
}

static sotto_status solve_anywhere(sot_softmax_solver *s, double tau, sotto_error *error)
{
    bool proven = false;
    const sotto_status status = sot_softmax_quick(s, tau, &proven, error);
    return status == SOTTO_OK && !proven ? sot_softmax_careful(s, tau, true, error)
                                         : status;
}

sotto_status sot_softmax_solve(const sot_softmax *softmax, double tau, double *theta,
                               sotto_error *error)
{
    if (!(tau > 0.0))
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "tau is %g; set it to a positive bound on the gradient", tau);
    sot_softmax_solver s;
    sotto_status status = sot_softmax_solver_begin(softmax, &s, error);
    if (status != SOTTO_OK) goto finish;
    sot_softmax_arrange(&s.pass, theta, s.here.theta);
    status = softmax->radius > 0.0 ? sot_softmax_in_ball(&s, tau, error)
                                   : solve_anywhere(&s, tau, error);
    if (status == SOTTO_OK) sot_softmax_restore(&s.pass, s.here.theta, theta);
finish:
    sot_softmax_solver_end(&s);
    return status;
}
