/* The minimiser over |theta| <= radius: of J + (extra/2)|theta|^2, for the extra >= 0 at which it lies
 * on the sphere. Proof note: solver.md. */
#include <math.h>
#include <string.h>

#include "models/linear/solver/pass.h"
#include "models/softmax/solver.h"

enum { QUICK_ROUNDS_MOST = 40 }; /* then the rest is in double-double numbers */

/* |v|^2, relative error below (4 count + 16) 2^-105. */
static sot_twofold squares_of(const double *v, const double *low, size_t count)
{
    sot_twofold sum = {0.0, 0.0};
    for (size_t j = 0; j < count; j++) {
        const sot_twofold t = {v[j], low[j]};
        sum = sot_twofold_add(sum, sot_twofold_mul(t, t));
    }
    return sum;
}

static sot_twofold product_of(const sot_softmax_point *at, size_t count, bool precise)
{
    sot_twofold sum = {0.0, 0.0};
    for (size_t j = 0; j < count; j++) {
        const sot_twofold g = {at->gradient[j], precise ? at->gradient_low[j] : 0.0};
        const sot_twofold t = {at->theta[j], at->theta_low[j]};
        sum = sot_twofold_add(sum, sot_twofold_mul(g, t));
    }
    return sum;
}

/* `there` becomes `here`, drawn out or in to the sphere; doubles only, unless `precise`. */
static void scale_to_sphere(sot_softmax_solver *s, bool precise)
{
    const size_t length = s->pass.length;
    const sot_twofold size =
        sot_twofold_sqrt(squares_of(s->here.theta, s->here.theta_low, length));
    const sot_twofold factor =
        sot_twofold_div((sot_twofold){s->pass.problem->radius, 0.0}, size);
    for (size_t j = 0; j < length; j++) {
        const sot_twofold t = {s->here.theta[j], s->here.theta_low[j]};
        const sot_twofold scaled = sot_twofold_mul(t, factor);
        s->there.theta[j] = scaled.high;
        s->there.theta_low[j] = precise ? scaled.low : 0.0;
    }
}

/* The gradient of J at `there` becomes grad J + nu theta, with the nu >= 0 that makes it shortest. */
static void add_pull(sot_softmax_solver *s, bool precise, double *out_nu)
{
    sot_softmax_point *at = &s->there;
    const size_t length = s->pass.length;
    const double radius = s->pass.problem->radius;
    sot_twofold nu = sot_twofold_div(product_of(at, length, precise),
                                     sot_twofold_of_product(-radius, radius));
    if (!(nu.high > 0.0)) nu = (sot_twofold){0.0, 0.0};
    for (size_t j = 0; j < length; j++) {
        const sot_twofold g = {at->gradient[j], precise ? at->gradient_low[j] : 0.0};
        const sot_twofold t = {at->theta[j], at->theta_low[j]};
        const sot_twofold sum = sot_twofold_add(g, sot_twofold_mul(nu, t));
        at->gradient[j] = sum.high;
        at->gradient_low[j] = sum.low;
    }
    *out_nu = nu.high;
}

/* The certificate on the sphere: an upper bound of lambda |theta - theta*| for the theta of `there`. */
static sotto_status sphere_upper(sot_softmax_solver *s, bool precise, double *out_upper,
                                 sotto_error *error)
{
    const sot_softmax *problem = s->pass.problem;
    const size_t length = s->pass.length;
    sot_softmax_point *at = &s->there;
    const double extra = s->pass.extra;
    s->pass.extra = 0.0;
    scale_to_sphere(s, precise);
    const sotto_status status = precise ? sot_softmax_look_carefully(s, at, error)
                                        : sot_softmax_look(s, at, error);
    if (status == SOTTO_OK) {
        add_pull(s, precise, &s->pass.extra);
        const double residual =
            precise ? sot_softmax_norm_upper_careful(&s->pass, &s->bounds, at->theta,
                                                     at->gradient, at->gradient_low,
                                                     at->slope_squares)
                    : sot_softmax_norm_upper(&s->pass, &s->bounds, at->theta,
                                             at->gradient, at->slope_squares);
        const sot_twofold size =
            sot_twofold_sqrt(squares_of(at->theta, at->theta_low, length));
        const double off = fabs((size.high - problem->radius) + size.low) +
                           problem->radius * (double)(length + 8) * 0x1p-102;
        const double smoothness =
            0.5 * s->bounds.frobenius_upper * s->bounds.frobenius_upper +
            2.0 * problem->lambda +
            (problem->l1 > 0.0 ? problem->l1 / problem->l1_width : 0.0);
        const double rounded = problem->lambda * sot_norm_upper(at->theta_low, length);
        *out_upper = (residual + smoothness * off + rounded) * (1.0 + 0x1p-40);
    }
    s->pass.extra = extra;
    return status;
}

/* The bracket of extra -> |theta|, which falls. */
typedef struct search {
    double low, high; /* |theta| is above the radius at low, not above it at high */
    double before_at, before_inverse; /* the point before the last: 1 / |theta| */
    bool has_before;
    int rounds;
} search;

/* 1 / |theta| is nearly linear in extra, and exactly linear for rows without curvature. Returns
 * the secant's point, kept within the bracket; every third time the middle, so that the bracket
 * always shrinks. */
static double next_extra(search *known, double at, double size, double radius,
                         double lambda)
{
    const double inverse = 1.0 / size;
    double next;
    if (known->has_before && inverse != known->before_inverse)
        next = at + (1.0 / radius - inverse) * (at - known->before_at) /
                        (inverse - known->before_inverse);
    else
        next = at + (lambda + at) * (size / radius - 1.0);
    known->before_at = at;
    known->before_inverse = inverse;
    known->has_before = true;
    const double middle = known->low + 0.5 * (known->high - known->low);
    const bool inside = next > known->low && next < known->high;
    return known->rounds % 3 != 2 && inside ? next : middle;
}

/* |grad J(0)| / radius: there the minimiser is inside for sure. */
static double extra_most(const sot_softmax_solver *s)
{
    const sot_softmax *problem = s->pass.problem;
    const double rows = (double)problem->matrix->rows;
    const double columns = (double)s->pass.length;
    const double gradient = 2.0 * sqrt(rows) * s->bounds.frobenius_upper +
                            problem->lambda * s->bounds.center_upper +
                            s->bounds.linear_upper + problem->l1 * sqrt(columns);
    return 1.01 * gradient / problem->radius;
}

static void accept(sot_softmax_solver *s)
{
    const sot_softmax_point passed = s->here;
    s->here = s->there;
    s->there = passed;
}

typedef struct stage {
    bool precise;
    double goal; /* of the gradient at this extra */
    double tau;
} stage;

/* From here on everything is proven; earlier decisions in double may have been
 * rounding. */
static void go_precise(const sot_softmax_solver *s, stage *now, search *known)
{
    if (now->precise) return;
    now->precise = true;
    *known = (search){.high = extra_most(s)};
}

/* Solves at this extra. *out_proven: only for extra = 0,
 * |theta - minimiser| <= tau / lambda. */
static sotto_status solve_here(sot_softmax_solver *s, stage *now, search *known,
                               bool *out_proven, sotto_error *error)
{
    bool proven = false;
    sotto_status status = SOTTO_OK;
    if (!now->precise) {
        status = sot_softmax_quick(s, now->goal, &proven, error);
        if (status != SOTTO_OK) return status;
        if (!proven && !(s->here.norm <= now->goal)) go_precise(s, now, known);
    }
    const bool last = s->pass.extra == 0.0 && now->goal <= now->tau;
    if (now->precise || (last && !proven)) {
        status = sot_softmax_careful(s, now->goal, last, error);
        proven = true;
    }
    *out_proven = last && proven;
    return status;
}

/* One round at one extra. *out_done: `here` is the answer. */
static sotto_status round_here(sot_softmax_solver *s, stage *now, search *known,
                               bool *out_done, sotto_error *error)
{
    const sot_softmax *problem = s->pass.problem;
    const double radius = problem->radius;
    bool proven = false;
    sotto_status status = solve_here(s, now, known, &proven, error);
    if (status != SOTTO_OK) return status;
    const sot_twofold size =
        sot_twofold_sqrt(squares_of(s->here.theta, s->here.theta_low, s->pass.length));
    const double beyond = (size.high - radius) + size.low;
    const double slack = now->goal / (problem->lambda + s->pass.extra);
    if (s->pass.extra == 0.0 && sot_norm_upper(s->here.theta, s->pass.length) <= radius) {
        *out_done = proven;
        now->goal = fmin(now->tau, now->goal * 0x1p-4);
        return SOTTO_OK;
    }
    if (fabs(beyond) <= 0.01 * radius) { /* not before it is near */
        double upper;
        status = sphere_upper(s, now->precise, &upper, error);
        if (status != SOTTO_OK) return status;
        if (upper <= now->tau) {
            accept(s);
            *out_done = true;
            return SOTTO_OK;
        }
    }
    if (fabs(beyond) <= 4.0 * slack) { /* on which side is not known yet */
        now->goal *= 0x1p-5;
        return SOTTO_OK;
    }
    if (beyond > 0.0)
        known->low = s->pass.extra;
    else
        known->high = s->pass.extra;
    known->rounds++;
    s->pass.extra = next_extra(known, s->pass.extra, size.high, radius, problem->lambda);
    const double wanted = 0.01 * fabs(beyond) * (problem->lambda + s->pass.extra);
    now->goal = fmin(now->goal, fmax(wanted, now->precise ? 0.0 : 0x1p-6 * now->tau));
    return SOTTO_OK;
}

sotto_status sot_softmax_in_ball(sot_softmax_solver *s, double tau, sotto_error *error)
{
    search known = {.high = extra_most(s)};
    stage now = {.tau = tau};
    bool done = false;
    s->pass.extra = 0.0;
    if (s->pass.problem->lambda * s->pass.problem->radius * (1.0 + 0x1p-50) <= tau) {
        memset(s->here.theta, 0, s->pass.length * sizeof *s->here.theta);
        return SOTTO_OK; /* the whole ball is that near to 0 */
    }
    sotto_status status = sot_softmax_look(s, &s->here, error);
    if (!isfinite(s->here.norm))
        memset(s->here.theta, 0, s->pass.length * sizeof *s->here.theta);
    now.goal = fmax(tau, isfinite(s->here.norm) ? 0.01 * s->here.norm : tau);
    for (int round = 0; status == SOTTO_OK && !done; round++) {
        if (round == QUICK_ROUNDS_MOST) go_precise(s, &now, &known);
        status = round_here(s, &now, &known, &done, error);
    }
    return status;
}
