/* The minimiser within a ball: the least weight nu of (nu/2)|theta|^2 that keeps it inside. Proof
 * note: solver.md. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "models/linear/solver/solver.h"
#include "numeric/outward.h"

enum { SEARCH_STEPS_MOST = 60 };

typedef struct search {
    sot_solver *s;
    double tau;
    double smoothness;  /* of J on these rows; infinite: must not be used */
    sot_twofold nu;     /* of the last run */
    sot_twofold lo, hi; /* too little, too much; negative: not known yet */
    sot_twofold norm;   /* |theta + theta_low|, and its error */
    double norm_error;
} search;

static sot_twofold minus(sot_twofold a, sot_twofold b)
{
    return sot_twofold_add(a, (sot_twofold){-b.high, -b.low});
}

static void measure(search *f)
{
    const size_t columns = f->s->glm.matrix->columns;
    f->norm = sot_norm_twofold(f->s->here.theta, f->s->here.theta_low, columns);
    f->norm_error = f->norm.high * ((double)columns + 16.0) * 0x1p-101;
}

/* An upper bound of radius - |theta|, and whether the point is inside for sure. */
static bool inside(const search *f, double *out_gap)
{
    const sot_twofold radius = {f->s->glm.radius, 0.0};
    const double gap = minus(radius, f->norm).high;
    *out_gap = sot_add_up(fmax(gap, 0.0), f->norm_error) * (1.0 + 0x1p-40);
    return gap >= f->norm_error;
}

/* The distance from the sphere at which a point may lie inside if the rest of tau goes to the gradient. */
static double room(const search *f)
{
    const double radius = f->s->glm.radius;
    const double lambda = f->s->glm.lambda;
    const double by_root =
        f->nu.high > 0.0 ? f->tau / (8.0 * lambda) * (f->tau / (f->nu.high * radius))
                         : 0.0;
    const double by_smoothness = f->tau / (4.0 * (f->smoothness + lambda));
    return fmin(0.25 * radius, fmax(by_root, by_smoothness));
}

static sot_twofold goal(const search *f)
{
    return sot_twofold_of_sum(f->s->glm.radius, -0.5 * room(f));
}

/* The certificate: tau is enough for the gradient, the second doubles and the way to the sphere. */
static bool certified(const search *f)
{
    const sot_solver *s = f->s;
    const double lambda = s->glm.lambda;
    double gap;
    if (!inside(f, &gap)) return false;
    const double nu = sot_add_up(f->nu.high, fabs(f->nu.low));
    const double product =
        sot_mul_up(sot_mul_up(lambda, nu), sot_mul_up(s->glm.radius, gap));
    const double by_root = sot_sqrt_up(product);
    const double by_smoothness = sot_mul_up(sot_add_up(f->smoothness, lambda), gap);
    const double way = nu > 0.0 ? fmin(by_root, by_smoothness) : 0.0;
    const double low =
        sot_mul_up(lambda, sot_norm_upper(s->here.theta_low, s->glm.matrix->columns));
    return sot_add_up(sot_add_up(s->proven, low), way) <= f->tau;
}

/* Back to the goal's sphere, if the point is outside. */
static void project(search *f)
{
    sot_solver *s = f->s;
    const sot_twofold aim = goal(f);
    if (minus(f->norm, aim).high <= 0.0) return;
    const sot_twofold scale = sot_twofold_div(aim, f->norm);
    for (size_t j = 0; j < s->glm.matrix->columns; j++) {
        const sot_twofold at = {s->here.theta[j], s->here.theta_low[j]};
        const sot_twofold scaled = sot_twofold_mul(at, scale);
        s->here.theta[j] = scaled.high;
        s->here.theta_low[j] = scaled.low;
    }
    measure(f);
}

/* Moves to the next nu: Newton's step for 1/|theta(nu)|, which is nearly linear, if it lies
 * inside the bracket; else the middle. Moves theta along the curve theta(nu). */
static sotto_status advance(search *f, bool halve, sotto_error *error)
{
    sot_solver *s = f->s;
    const size_t columns = s->glm.matrix->columns;
    const sot_twofold aim = goal(f);
    const sotto_status status = sot_solver_inward(s, error);
    if (status != SOTTO_OK) return status;
    const double along = sot_product(s->here.theta, s->direction, columns);
    const double step = along > 0.0 ? minus(f->norm, aim).high / aim.high *
                                          (f->norm.high * (f->norm.high / along))
                                    : (double)NAN;
    sot_twofold next = sot_twofold_plus(f->nu, step);
    const bool low = f->lo.high >= 0.0;
    const bool high = f->hi.high >= 0.0;
    const bool between = next.high > 0.0 && (!low || minus(next, f->lo).high > 0.0) &&
                         (!high || minus(f->hi, next).high > 0.0);
    if (isfinite(step) && between && !halve) {
        for (size_t j = 0; j < columns; j++)
            s->here.theta[j] -= step * s->direction[j];
    } else if (!low) {
        next = (sot_twofold){0.0, 0.0}; /* perhaps no weight is needed at all */
    } else if (high) {
        const sot_twofold sum = sot_twofold_add(f->lo, f->hi);
        next = (sot_twofold){0.5 * sum.high, 0.5 * sum.low};
    } else {
        next = (sot_twofold){8.0 * f->lo.high + s->glm.lambda, 0.0};
    }
    f->nu = next;
    return SOTTO_OK;
}

/* Runs at one nu after another; *out_done if the certificate holds. */
static sotto_status narrow(search *f, bool *out_done, sotto_error *error)
{
    double before = (double)INFINITY;
    for (int i = 0; i < SEARCH_STEPS_MOST; i++) {
        /* theta(nu) to within a little of the room. */
        const double wanted = 0.125 * room(f) * (f->s->glm.lambda + f->nu.high);
        const sotto_status status =
            sot_solver_run(f->s, f->nu, 0.5 * f->tau,
                           i > 0 || f->nu.high > 0.0 ? wanted : (double)INFINITY, error);
        if (status != SOTTO_OK) return status;
        measure(f);
        *out_done = certified(f);
        if (*out_done) return SOTTO_OK;
        const double excess = minus(f->norm, goal(f)).high;
        if (excess > 0.0)
            f->lo = f->nu;
        else
            f->hi = f->nu;
        const bool known = f->lo.high >= 0.0 && f->hi.high >= 0.0;
        const double width = known ? minus(f->hi, f->lo).high : (double)INFINITY;
        if (width <= 0x1p-95 * f->hi.high) return SOTTO_OK; /* rounding decides by now */
        const bool slow = i % 3 == 2 && width > 0.5 * before;
        if (i % 3 == 2) before = width;
        const sotto_status moved = advance(f, slow, error);
        if (moved != SOTTO_OK) return moved;
    }
    return SOTTO_OK;
}

/* theta becomes theta (1 + nu / L) - r / L: with r the gradient of K that is a step of length 1/L along
 * -grad J. */
static void step_downhill(search *f, double smoothness)
{
    sot_solver *s = f->s;
    const double grow = f->nu.high / smoothness;
    for (size_t j = 0; j < s->glm.matrix->columns; j++) {
        sot_twofold at = {s->here.theta[j], s->here.theta_low[j]};
        at = sot_twofold_add(at, sot_twofold_times(at, grow));
        at = sot_twofold_plus(at, -s->here.gradient[j] / smoothness);
        s->here.theta[j] = at.high;
        s->here.theta_low[j] = at.low;
    }
    measure(f);
}

/* Projected gradient descent in double-double numbers: slow, and it ends. */
static sotto_status descend(search *f, sotto_error *error)
{
    sot_solver *s = f->s;
    const size_t columns = s->glm.matrix->columns;
    const double smoothness = sot_solver_smoothness(s);
    measure(f);
    f->nu.low = 0.0;
    for (;;) {
        const sotto_status status = sot_solver_look(s, f->nu, error);
        if (status != SOTTO_OK || certified(f)) return status;
        /* r = grad J + nu theta; the nu that leaves nothing along theta. */
        const double along = sot_product(s->here.gradient, s->here.theta, columns);
        const double squares = f->norm.high * f->norm.high;
        const double outward = squares > 0.0 ? along / squares : 0.0;
        step_downhill(f, smoothness);
        project(f);
        const double nu = fmax(0.0, f->nu.high - outward);
        f->nu.high = isfinite(nu) ? nu : 0.0;
        if (f->norm.high < goal(f).high * (1.0 - 0x1p-40)) f->nu.high = 0.0;
    }
}

static search begin(sot_solver *solver, double tau, bool smooth)
{
    assert(solver->glm.radius > 0.0);
    return (search){.s = solver,
                    .tau = tau,
                    .smoothness =
                        smooth ? sot_solver_smoothness(solver) : (double)INFINITY,
                    .nu = solver->nu,
                    .lo = {-1.0, 0.0},
                    .hi = {-1.0, 0.0}};
}

sotto_status sot_solver_run_in_ball(sot_solver *solver, double tau, bool smooth,
                                    sotto_error *error)
{
    search f = begin(solver, tau, smooth);
    bool done = false;
    sotto_status status = narrow(&f, &done, error);
    if (status == SOTTO_OK && !done) status = descend(&f, error);
    solver->nu = f.nu;
    return status;
}

sotto_status sot_solver_descend_in_ball(sot_solver *solver, double tau, bool smooth,
                                        sotto_error *error)
{
    search f = begin(solver, tau, smooth);
    return descend(&f, error);
}
