/* Proof note: solver.md. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "learn/glm/newton.h"
#include "learn/glm/pass.h"
#include "learn/glm/problem.h"

enum {
    QUICK_STEPS_MOST = 100, /* in double; then the careful stage takes over */
    STUCK_STEPS_MOST = 6,   /* steps without a smaller gradient */
    BRACKET_TRIALS_MOST =
        8, /* lengths of a step; then the next at which J falls will do */
    TRIALS_MOST = 40
};

/* A point with all that a pass found there. */
typedef struct point {
    double *theta, *theta_low;       /* theta_low: 0 until the careful stage needs it */
    double *gradient, *gradient_low; /* likewise */
    double *curvatures;              /* of each row */
    double slope_squares;
    double
        norm; /* |gradient|: computed in the quick stage, a proven bound in the careful one */
} point;

typedef struct solver {
    sot_pass pass;
    sot_newton newton;
    sot_pass_bounds bounds;
    double tau;
    point here, there;
    double *direction;
} solver;

static bool new_point(const sot_pass *pass, point *out)
{
    out->theta = sot_pass_vector(pass);
    out->theta_low = sot_pass_vector(pass);
    out->gradient = sot_pass_vector(pass);
    out->gradient_low = sot_pass_vector(pass);
    out->curvatures = sot_new_array(pass->glm->matrix->rows, sizeof *out->curvatures);
    return out->theta != NULL && out->theta_low != NULL && out->gradient != NULL &&
           out->gradient_low != NULL && out->curvatures != NULL;
}

static void free_point(const sot_pass *pass, point *old)
{
    sot_pass_drop(pass, old->theta);
    sot_pass_drop(pass, old->theta_low);
    sot_pass_drop(pass, old->gradient);
    sot_pass_drop(pass, old->gradient_low);
    if (old->curvatures != NULL)
        sot_wipe_and_free(old->curvatures,
                          pass->glm->matrix->rows * sizeof *old->curvatures);
}

static sotto_status begin(const sot_glm *glm, double tau, solver *s, sotto_error *error)
{
    s->tau = tau;
    sotto_status status = sot_pass_begin(glm, &s->pass, error);
    if (status != SOTTO_OK) return status;
    const bool points = new_point(&s->pass, &s->here) && new_point(&s->pass, &s->there);
    s->direction = sot_pass_vector(&s->pass);
    if (!points || s->direction == NULL)
        return sot_fail_memory(error, glm->matrix->rows + s->pass.width, sizeof(double));
    status = sot_newton_begin(&s->pass, sot_newton_direct_pays(glm->matrix), &s->newton,
                              error);
    if (status != SOTTO_OK) return status;
    return sot_pass_measure(&s->pass, &s->bounds, error);
}

static void end(solver *s)
{
    if (s->pass.glm == NULL) return;
    sot_newton_end(&s->newton);
    free_point(&s->pass, &s->here);
    free_point(&s->pass, &s->there);
    sot_pass_drop(&s->pass, s->direction);
    sot_pass_end(&s->pass);
}

static sotto_status look(solver *s, point *at, sotto_error *error)
{
    const sot_pass_result out = {.gradient = at->gradient,
                                 .curvatures = at->curvatures,
                                 .slope_squares = &at->slope_squares};
    const sotto_status status = sot_pass_gradient(&s->pass, at->theta, &out, error);
    if (status == SOTTO_OK)
        at->norm = sot_norm_upper(at->gradient, s->pass.glm->matrix->columns);
    return status;
}

/* Moves `there` along the direction. J is convex along it and falls at first: the whole step is
 * taken if J still falls at its end, or hardly rises; otherwise the bracket around the lowest
 * point is narrowed until the slope is half of what it was at the start, or less. */
static sotto_status step(solver *s, sotto_error *error)
{
    const size_t columns = s->pass.glm->matrix->columns;
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

/* Newton's method in double. *out_done if the certificate holds at `here`. */
static sotto_status quick(solver *s, bool *out_done, sotto_error *error)
{
    double best = (double)INFINITY;
    double first = 0.0;
    int stuck = 0;
    sotto_status status = look(s, &s->here, error);
    for (int steps = 0; status == SOTTO_OK; steps++) {
        const double upper = sot_pass_norm_upper(&s->pass, &s->bounds, s->here.theta,
                                                 s->here.gradient, s->here.slope_squares);
        if (upper <= s->tau) {
            *out_done = true;
            return SOTTO_OK;
        }
        if (steps == 0) first = s->here.norm;
        stuck = s->here.norm < 0.9 * best ? 0 : stuck + 1;
        if (s->here.norm < best) best = s->here.norm;
        /* Below tau, so only rounding stands between the point and its certificate. */
        const bool rounding_only = s->here.norm <= 0.5 * s->tau;
        if (rounding_only || stuck > STUCK_STEPS_MOST || steps == QUICK_STEPS_MOST ||
            !isfinite(s->here.norm))
            return SOTTO_OK;
        /* Quadratic convergence, but no step to a gradient far below tau. */
        const double tolerance =
            fmax(fmin(0.1, sqrt(s->here.norm / first)), 0.25 * s->tau / s->here.norm);
        status = sot_newton_direction(&s->newton, s->here.curvatures, s->here.gradient,
                                      tolerance, s->direction, error);
        if (status != SOTTO_OK) return status;
        status = step(s, error);
        const point passed = s->here;
        s->here = s->there;
        s->there = passed;
    }
    return status;
}

static sotto_status look_carefully(solver *s, point *at, sotto_error *error)
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
static sotto_status aim(solver *s, sotto_error *error)
{
    const sot_pass_result out = {.gradient = s->direction,
                                 .curvatures = s->here.curvatures};
    const sotto_status status = sot_pass_gradient(&s->pass, s->here.theta, &out, error);
    if (status != SOTTO_OK) return status;
    return sot_newton_direction(&s->newton, s->here.curvatures, s->here.gradient, 0x1p-20,
                                s->direction, error);
}

/* Steps to the first length of 1, ..., `shortest` at which J still falls, or the gradient is half
 * of the smallest so far. */
static sotto_status step_carefully(solver *s, double shortest, double least,
                                   bool keep_low, sotto_error *error)
{
    const size_t columns = s->pass.glm->matrix->columns;
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

/* Newton's method with the gradient in twofold numbers: solver.md proves that it ends. */
static sotto_status careful(solver *s, sotto_error *error)
{
    const sot_glm *glm = s->pass.glm;
    const size_t columns = glm->matrix->columns;
    for (size_t j = 0; j < columns; j++) {
        if (!(fabs(s->here.theta[j]) <= 0x1p900)) {
            memset(s->here.theta, 0, s->pass.width * sizeof *s->here.theta);
            break;
        }
    }
    memset(s->here.theta_low, 0, s->pass.width * sizeof *s->here.theta_low);
    sotto_status status = look_carefully(s, &s->here, error);
    double least = s->here.norm;
    bool keep_low = false;
    while (status == SOTTO_OK) {
        const double rounded = glm->lambda * sot_norm_upper(s->here.theta_low, columns);
        if ((s->here.norm + rounded) * (1.0 + 0x1p-50) <= s->tau) return SOTTO_OK;
        status = aim(s, error);
        if (status != SOTTO_OK) return status;
        const double reach = glm->loss->twist_most * s->bounds.row_upper *
                             sot_norm_upper(s->direction, columns);
        status = step_carefully(s, reach > 0.0 ? log1p(reach) / reach : 1.0, least,
                                keep_low, error);
        if (!(s->there.norm <= 0.5 * s->here.norm)) keep_low = true;
        least = fmin(least, s->there.norm);
        const point passed = s->here;
        s->here = s->there;
        s->there = passed;
    }
    return status;
}

sotto_status sot_glm_solve(const sot_glm *glm, double tau, double *theta,
                           sotto_error *error)
{
    if (!(tau > 0.0))
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "tau is %g; set it to a positive bound on the gradient", tau);
    const size_t columns = glm->matrix->columns;
    solver s = {0};
    bool done = false;
    sotto_status status = begin(glm, tau, &s, error);
    if (status != SOTTO_OK) goto finish;
    memcpy(s.here.theta, theta, columns * sizeof *theta);
    status = quick(&s, &done, error);
    if (status == SOTTO_OK && !done) status = careful(&s, error);
    if (status == SOTTO_OK) memcpy(theta, s.here.theta, columns * sizeof *theta);
finish:
    end(&s);
    return status;
}
