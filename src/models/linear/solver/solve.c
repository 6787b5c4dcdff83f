/* Proof note: solver.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/linear/solver/solver.h"
#include "numeric/outward.h"

enum {
    QUICK_STEPS_MOST = 300, /* in double; then the careful stage takes over */
    STUCK_STEPS_MOST = 6,   /* steps without a smaller gradient */
    STUCK_STEPS_JUMPS = 40, /* where curvatures jump the gradient may grow for a while */
    IDLE_STEPS_MOST = 2,    /* the same, where the certificate does not need them */
    BRACKET_TRIALS_MOST =
        8, /* lengths of a step; then the next at which J falls will do */
    TRIALS_MOST = 40,
    SAFE_STEPS_EVERY = 32, /* steps without a gradient half as long, before a safe one */
    NEWTON_STEPS_MOST = 1000 /* in the careful stage; then all steps are safe ones */
};

static bool new_point(const sot_pass *pass, sot_point *out)
{
    out->theta = sot_pass_vector(pass);
    out->theta_low = sot_pass_vector(pass);
    out->gradient = sot_pass_vector(pass);
    out->gradient_low = sot_pass_vector(pass);
    out->curvatures = sot_new_array(pass->glm->matrix->rows, sizeof *out->curvatures);
    return out->theta != NULL && out->theta_low != NULL && out->gradient != NULL &&
           out->gradient_low != NULL && out->curvatures != NULL;
}

static void free_point(const sot_pass *pass, sot_point *old)
{
    sot_pass_drop(pass, old->theta);
    sot_pass_drop(pass, old->theta_low);
    sot_pass_drop(pass, old->gradient);
    sot_pass_drop(pass, old->gradient_low);
    if (old->curvatures != NULL)
        sot_wipe_and_free(old->curvatures,
                          pass->glm->matrix->rows * sizeof *old->curvatures);
}

sotto_status sot_solver_begin(const sot_glm *glm, const double *theta,
                              sot_solver *out_solver, sotto_error *error)
{
    sot_solver *s = out_solver;
    *s = (sot_solver){.glm = *glm, .newton_steps_most = NEWTON_STEPS_MOST};
    sotto_status status = sot_pass_begin(&s->glm, &s->pass, error);
    if (status != SOTTO_OK) return status;
    const bool points = new_point(&s->pass, &s->here) && new_point(&s->pass, &s->there);
    s->direction = sot_pass_vector(&s->pass);
    if (!points || s->direction == NULL)
        return sot_fail_memory(error, glm->matrix->rows + s->pass.width, sizeof(double));
    status = sot_newton_begin(&s->pass, sot_newton_direct_pays(glm->matrix), &s->newton,
                              error);
    if (status != SOTTO_OK) return status;
    memcpy(s->here.theta, theta, glm->matrix->columns * sizeof *theta);
    return sot_pass_measure(&s->pass, &s->bounds, error);
}

void sot_solver_end(sot_solver *s)
{
    if (s->pass.glm == NULL) return;
    sot_newton_end(&s->newton);
    free_point(&s->pass, &s->here);
    free_point(&s->pass, &s->there);
    sot_pass_drop(&s->pass, s->direction);
    sot_pass_end(&s->pass);
    *s = (sot_solver){.proven = 0.0};
}

static void swap(sot_solver *s)
{
    const sot_point passed = s->here;
    s->here = s->there;
    s->there = passed;
}

static sotto_status look(sot_solver *s, sot_point *at, sotto_error *error)
{
    const sot_pass_result out = {.gradient = at->gradient,
                                 .curvatures = at->curvatures,
                                 .slope_squares = &at->slope_squares};
    const sotto_status status = sot_pass_gradient(&s->pass, at->theta, &out, error);
    if (status == SOTTO_OK)
        at->norm = sot_norm_upper(at->gradient, s->glm.matrix->columns);
    return status;
}

/* Moves `there` along the direction. J is convex along it and falls at first. The whole step is
 * taken if J still falls at its end, or hardly rises. Otherwise the bracket around the lowest
 * point is narrowed until the slope is at most half of the initial one. */
static sotto_status step(sot_solver *s, sotto_error *error)
{
    const size_t columns = s->glm.matrix->columns;
    const double slope = fabs(sot_product(s->here.gradient, s->direction, columns));
    double falling = 0.0;
    double rising = 1.0;
    double length = 1.0;
    for (int trial = 0; trial < TRIALS_MOST; trial++) {
        for (size_t j = 0; j < columns; j++)
            s->there.theta[j] = s->here.theta[j] + length * s->direction[j];
        const sotto_status status = look(s, &s->there, error);
        if (status != SOTTO_OK) return status;
        const double next = sot_product(s->there.gradient, s->direction, columns);
        if (fabs(next) <= 0.5 * slope || s->there.norm <= 0.5 * s->here.norm) break;
        if (next <= 0.0 && (trial == 0 || trial >= BRACKET_TRIALS_MOST)) break;
        if (next <= 0.0)
            falling = length;
        else
            rising = length; /* NaN too */
        length = falling > 0.0 ? 0.5 * (falling + rising) : 0.25 * rising;
    }
    return SOTTO_OK;
}

/* The Newton direction at `here`, whose curvatures are known. */
sotto_status sot_solver_aim(sot_solver *s, double tolerance, sotto_error *error)
{
    sot_terms_curvatures(&s->glm, s->pass.nu.high, s->here.theta, s->pass.ridge);
    return sot_newton_direction(&s->newton, s->here.curvatures, s->here.gradient,
                                tolerance, s->direction, error);
}

/* Newton's method in double. *out_done if the certificate holds at `here`. */
static sotto_status quick(sot_solver *s, double wanted, bool *out_done,
                          sotto_error *error)
{
    const bool jumps = isinf(s->glm.loss->twist_most);
    const double goal = fmin(s->tau, wanted);
    double best = (double)INFINITY;
    double first = 0.0;
    int stuck = 0;
    sotto_status status = look(s, &s->here, error);
    for (int steps = 0; status == SOTTO_OK; steps++) {
        const double norm = s->here.norm;
        const double upper = sot_pass_norm_upper(&s->pass, &s->bounds, s->here.theta,
                                                 s->here.gradient, s->here.slope_squares);
        if (steps == 0) first = norm;
        stuck = norm < 0.9 * best ? 0 : stuck + 1;
        best = fmin(best, norm);
        /* Below tau only rounding stands between the point and its certificate. */
        const bool near = upper <= s->tau || norm <= 0.5 * s->tau;
        if (near && (norm <= wanted || stuck > IDLE_STEPS_MOST)) {
            s->proven = upper;
            *out_done = upper <= s->tau;
            return SOTTO_OK;
        }
        if (stuck > (jumps ? STUCK_STEPS_JUMPS : STUCK_STEPS_MOST) ||
            steps == QUICK_STEPS_MOST || !isfinite(norm))
            return SOTTO_OK;
        /* Quadratic convergence, but no step to a gradient far below the goal. */
        const double tolerance = fmax(fmin(0.1, sqrt(norm / first)), 0.25 * goal / norm);
        status = sot_solver_aim(s, tolerance, error);
        if (status != SOTTO_OK) return status;
        status = step(s, error);
        swap(s);
    }
    return status;
}

static sotto_status look_carefully(sot_solver *s, sot_point *at, sotto_error *error)
{
    const sotto_status status =
        sot_pass_gradient_careful(&s->pass, at->theta, at->theta_low, at->gradient,
                                  at->gradient_low, &at->slope_squares, error);
    if (status == SOTTO_OK)
        at->norm =
            sot_pass_norm_upper_careful(&s->pass, &s->bounds, at->theta, at->gradient,
                                        at->gradient_low, at->slope_squares);
    return status;
}

/* The direction from `here`. The gradient in double that comes with the curvatures is dropped. */
static sotto_status aim_carefully(sot_solver *s, sotto_error *error)
{
    const sot_pass_result out = {.gradient = s->direction,
                                 .curvatures = s->here.curvatures};
    const sotto_status status = sot_pass_gradient(&s->pass, s->here.theta, &out, error);
    return status == SOTTO_OK ? sot_solver_aim(s, 0x1p-20, error) : status;
}

double sot_solver_smoothness(const sot_solver *s)
{
    const double rows =
        sot_mul_up(s->glm.loss->curvature_most,
                   sot_mul_up(s->bounds.frobenius_upper, s->bounds.frobenius_upper));
    const sot_twofold none = {0.0, 0.0};
    return sot_add_up(s->bounds.frobenius_upper > 0.0 ? rows : 0.0,
                      sot_terms_curvature_most(&s->glm, none));
}

/* Takes a step along -gradient, which works for any curvatures. */
static void turn_downhill(sot_solver *s)
{
    const double smoothness = sot_add_up(sot_solver_smoothness(s), s->pass.nu.high);
    for (size_t j = 0; j < s->glm.matrix->columns; j++)
        s->direction[j] = -s->here.gradient[j] / smoothness;
}

/* The length of a step along the direction after which K is provably lower. */
static sotto_status safe_length(sot_solver *s, double *out_length, sotto_error *error)
{
    const size_t columns = s->glm.matrix->columns;
    const double twist = fmax(s->glm.loss->twist_most * s->bounds.row_upper,
                              sot_terms_twist_most(&s->glm));
    const double reach = twist * sot_norm_upper(s->direction, columns);
    *out_length = reach > 0.0 ? log1p(reach) / reach : 1.0;
    if (isfinite(reach)) return SOTTO_OK;
    /* Where curvatures jump: by the largest that there could be along the direction. */
    const double most = sot_terms_curvature_most(&s->glm, s->pass.nu);
    for (size_t i = 0; i < s->glm.matrix->rows; i++)
        s->there.curvatures[i] = s->glm.loss->curvature_most;
    for (size_t j = 0; j < s->pass.width; j++)
        s->pass.ridge[j] = most;
    const sotto_status status = sot_pass_curved(&s->pass, s->there.curvatures,
                                                s->direction, s->there.gradient, error);
    const double fall = -sot_product(s->here.gradient, s->direction, columns);
    const double bent = sot_product(s->direction, s->there.gradient, columns);
    *out_length = fall > 0.0 && bent > fall ? fall / bent : 1.0;
    return status;
}

/* Steps to the first length of 1, ..., `shortest` at which J still falls, or the gradient is half
 * of the smallest so far. */
static sotto_status step_carefully(sot_solver *s, double shortest, double least,
                                   bool keep_low, sotto_error *error)
{
    const size_t columns = s->glm.matrix->columns;
    const double slope = sot_product(s->here.gradient, s->direction, columns);
    double length = 1.0;
    for (;;) {
        for (size_t j = 0; j < columns; j++) {
            const sot_twofold at = {s->here.theta[j], s->here.theta_low[j]};
            const sot_twofold next = sot_twofold_plus(at, length * s->direction[j]);
            s->there.theta[j] = next.high;
            s->there.theta_low[j] = keep_low ? next.low : 0.0;
        }
        const sotto_status status = look_carefully(s, &s->there, error);
        if (status != SOTTO_OK) return status;
        const double next = sot_product(s->there.gradient, s->direction, columns);
        if (length <= shortest || next <= 0.0 || s->there.norm <= 0.5 * least)
            return SOTTO_OK;
        const double secant = fabs(slope) / (fabs(slope) + next);
        length = fmax(shortest, length * (secant < 0.5 ? secant : 0.5));
    }
}

/* Newton's method with the gradient in double-double numbers: solver.md proves that it
 * ends. */
static sotto_status careful(sot_solver *s, sotto_error *error)
{
    const size_t columns = s->glm.matrix->columns;
    sotto_status status = look_carefully(s, &s->here, error);
    double least = s->here.norm;
    bool keep_low = sot_norm_upper(s->here.theta_low, columns) > 0.0;
    int stuck = 0;
    for (int steps = 0; status == SOTTO_OK; steps += steps < s->newton_steps_most) {
        const double rounded = s->glm.lambda * sot_norm_upper(s->here.theta_low, columns);
        if ((s->here.norm + rounded) * (1.0 + 0x1p-50) <= s->tau) {
            s->proven = s->here.norm;
            return SOTTO_OK;
        }
        const bool safe = stuck >= SAFE_STEPS_EVERY || steps >= s->newton_steps_most;
        double shortest = 1.0;
        if (safe) turn_downhill(s);
        if (!safe) status = aim_carefully(s, error);
        if (!safe && status == SOTTO_OK) status = safe_length(s, &shortest, error);
        if (status != SOTTO_OK) return status;
        status = step_carefully(s, shortest, least, keep_low, error);
        if (!(s->there.norm <= 0.5 * s->here.norm)) keep_low = true;
        stuck = s->there.norm <= 0.5 * least || safe ? 0 : stuck + 1;
        least = fmin(least, s->there.norm);
        swap(s);
    }
    return status;
}

/* Where a run cannot begin it begins at 0. */
static void start_somewhere(sot_solver *s)
{
    for (size_t j = 0; j < s->glm.matrix->columns; j++) {
        if (fabs(s->here.theta[j]) <= 0x1p900) continue;
        memset(s->here.theta, 0, s->pass.width * sizeof *s->here.theta);
        memset(s->here.theta_low, 0, s->pass.width * sizeof *s->here.theta_low);
        return;
    }
}

sotto_status sot_solver_run_carefully(sot_solver *s, sot_twofold nu, double tau,
                                      sotto_error *error)
{
    s->tau = tau;
    s->pass.nu = nu;
    start_somewhere(s);
    return careful(s, error);
}

sotto_status sot_solver_run(sot_solver *s, sot_twofold nu, double tau, double wanted,
                            sotto_error *error)
{
    bool done = false;
    s->tau = tau;
    s->pass.nu = nu;
    start_somewhere(s);
    memset(s->here.theta_low, 0, s->pass.width * sizeof *s->here.theta_low);
    const sotto_status status = quick(s, wanted, &done, error);
    if (status != SOTTO_OK || done) return status;
    return sot_solver_run_carefully(s, nu, tau, error);
}

sotto_status sot_solver_look(sot_solver *s, sot_twofold nu, sotto_error *error)
{
    s->pass.nu = nu;
    const sotto_status status = look_carefully(s, &s->here, error);
    if (status == SOTTO_OK) s->proven = s->here.norm;
    return status;
}

sotto_status sot_solver_inward(sot_solver *s, sotto_error *error)
{
    const sot_pass_result out = {.gradient = s->there.gradient,
                                 .curvatures = s->here.curvatures};
    sotto_status status = sot_pass_gradient(&s->pass, s->here.theta, &out, error);
    if (status != SOTTO_OK) return status;
    for (size_t j = 0; j < s->glm.matrix->columns; j++)
        s->here.gradient[j] = -s->here.theta[j];
    return sot_solver_aim(s, 0x1p-10, error);
}
