/* tests/models/linear/solver/minimisers.h: minimisers in long double that share no code with the library: damped
 * Newton for losses with a slope, coordinate ascent on the dual for the hinge, bisection for a
 * ball. */
#ifndef SOTTO_TESTS_GLM_MINIMISERS_H
#define SOTTO_TESTS_GLM_MINIMISERS_H

#include "models/linear/problems.h"

enum { REF_COLUMNS = 6, REF_ROWS = 400 };

typedef struct ref_at {
    long double slope, curvature;
} ref_at;

static inline ref_at ref_loss(const sot_loss *loss, long double u, double label)
{
    const long double most = (long double)loss->slope_most;
    const long double y = (long double)label;
    if (strcmp(loss->name, "logistic") == 0) {
        const long double s = 1.0L / (1.0L + expl(y * u));
        return (ref_at){-y * s, s * (1.0L - s)};
    }
    if (strcmp(loss->name, "squared") == 0 || strcmp(loss->name, "huber") == 0) {
        const long double r = u - y;
        if (fabsl(r) < most) return (ref_at){r, 1.0L};
        return (ref_at){r > 0.0L ? most : -most, 0.0L};
    }
    if (strcmp(loss->name, "smoothed-hinge") == 0) {
        const long double h = (long double)loss->parameters[0];
        const long double a = 1.0L - y * u;
        if (a >= h) return (ref_at){-y, 0.0L};
        if (a <= -h) return (ref_at){0.0L, 0.0L};
        return (ref_at){-y * (a + h) / (2.0L * h), 0.5L / h};
    }
    assert_string_equal(loss->name, "poisson");
    const long double s = expl(u) - y;
    if (fabsl(s) < most) return (ref_at){s, expl(u)};
    return (ref_at){s > 0.0L ? most : -most, 0.0L};
}

typedef struct ref_problem {
    const sot_glm *glm;
    size_t n, d;
    long double x[REF_ROWS][REF_COLUMNS];
    long double nu;
    long double gradient[REF_COLUMNS];
    long double hessian[REF_COLUMNS][REF_COLUMNS];
} ref_problem;

static inline void ref_begin(ref_problem *p, const sot_glm *glm)
{
    p->glm = glm;
    p->n = glm->matrix->rows;
    p->d = glm->matrix->columns;
    p->nu = 0.0L;
    assert_true(p->n <= REF_ROWS && p->d <= REF_COLUMNS);
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->d; j++)
            p->x[i][j] = (long double)entry(glm->matrix, i, j);
}

static inline long double ref_norm(const long double *v, size_t d)
{
    long double squares = 0.0L;
    for (size_t j = 0; j < d; j++)
        squares += v[j] * v[j];
    return sqrtl(squares);
}

static inline void ref_derivatives(ref_problem *p, const long double *theta)
{
    const sot_glm *glm = p->glm;
    for (size_t j = 0; j < p->d; j++) {
        const long double t = theta[j];
        const long double c = glm->center != NULL ? (long double)glm->center[j] : 0.0L;
        const long double w = (long double)glm->l1_width;
        const long double l1 = (long double)glm->l1;
        const long double root = l1 > 0.0L ? sqrtl(t * t + w * w) : 1.0L;
        p->gradient[j] = (long double)glm->lambda * (t - c) + p->nu * t + l1 * t / root +
                         (glm->linear != NULL ? (long double)glm->linear[j] : 0.0L);
        for (size_t k = 0; k < p->d; k++)
            p->hessian[j][k] = 0.0L;
        p->hessian[j][j] =
            (long double)glm->lambda + p->nu + l1 * w * w / (root * root * root);
    }
    for (size_t i = 0; i < p->n; i++) {
        long double u = 0.0L;
        for (size_t j = 0; j < p->d; j++)
            u += theta[j] * p->x[i][j];
        const ref_at at = ref_loss(glm->loss, u, glm->matrix->labels[i]);
        for (size_t j = 0; j < p->d; j++) {
            p->gradient[j] += at.slope * p->x[i][j];
            for (size_t k = 0; k < p->d; k++)
                p->hessian[j][k] += at.curvature * p->x[i][j] * p->x[i][k];
        }
    }
}

/* Gauss elimination without pivoting: the matrix is positive definite. */
static inline void ref_solve(ref_problem *p, long double *b)
{
    for (size_t k = 0; k < p->d; k++) {
        for (size_t i = k + 1; i < p->d; i++) {
            const long double factor = p->hessian[i][k] / p->hessian[k][k];
            for (size_t j = k; j < p->d; j++)
                p->hessian[i][j] -= factor * p->hessian[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (size_t k = p->d; k-- > 0;) {
        for (size_t j = k + 1; j < p->d; j++)
            b[k] -= p->hessian[k][j] * b[j];
        b[k] /= p->hessian[k][k];
    }
}

/* Damped Newton: the step that is best along the direction, by bisection on the slope. Ends where
 * the gradient is rounding; that it does is checked. */
static inline void ref_minimise(ref_problem *p, long double *theta)
{
    long double scale = (long double)p->n * (long double)p->glm->loss->slope_most + 1.0L;
    for (size_t j = 0; p->glm->linear != NULL && j < p->d; j++)
        scale += fabsl((long double)p->glm->linear[j]);
    scale += ((long double)p->glm->lambda + p->nu) * ref_norm(theta, p->d);
    for (int round = 0; round < 400; round++) {
        long double step[REF_COLUMNS], at[REF_COLUMNS];
        ref_derivatives(p, theta);
        const long double norm = ref_norm(p->gradient, p->d);
        if (norm <= 3e-19L * scale) return;
        memcpy(step, p->gradient, sizeof step);
        ref_solve(p, step);
        long double low = 0.0L;
        long double high = 1.0L;
        long double length = 1.0L;
        for (int trial = 0; trial < 70; trial++) {
            long double along = 0.0L;
            for (size_t j = 0; j < p->d; j++)
                at[j] = theta[j] - length * step[j];
            ref_derivatives(p, at);
            for (size_t j = 0; j < p->d; j++)
                along -= p->gradient[j] * step[j];
            if (ref_norm(p->gradient, p->d) <= 0.5L * norm) break;
            if (trial == 0 && along <= 0.0L) break;
            if (along <= 0.0L)
                low = length;
            else
                high = length;
            length = 0.5L * (low + high);
        }
        const bool still = memcmp(at, theta, p->d * sizeof *at) == 0;
        memcpy(theta, at, p->d * sizeof *at);
        if (still) break;
    }
    ref_derivatives(p, theta);
    scale *= 1.0L + (long double)p->glm->loss->curvature_most;
    assert_true(ref_norm(p->gradient, p->d) <= 1e-15L * scale);
}

/* The hinge's dual: max over 0 <= a <= 1 of sum a_i - |v(a)|^2 / (2 ridge), v(a) = sum a_i y_i x_i - b,
 * theta = v(a) / ridge, ridge = lambda + nu. */
typedef struct ref_dual {
    long double a[REF_ROWS];
    long double ridge;
} ref_dual;

static inline long double ref_margin(const ref_problem *p, size_t i,
                                     const long double *theta)
{
    long double m = 0.0L;
    for (size_t j = 0; j < p->d; j++)
        m += (long double)p->glm->matrix->labels[i] * p->x[i][j] * theta[j];
    return m;
}

static inline void ref_primal(const ref_problem *p, const ref_dual *dual,
                              long double *theta)
{
    for (size_t j = 0; j < p->d; j++) {
        theta[j] = p->glm->linear != NULL ? -(long double)p->glm->linear[j] : 0.0L;
        for (size_t i = 0; i < p->n; i++)
            theta[j] += dual->a[i] * (long double)p->glm->matrix->labels[i] * p->x[i][j];
        theta[j] /= dual->ridge;
    }
}

/* One coordinate after another. */
static inline void ref_ascend(const ref_problem *p, ref_dual *dual, long double *theta)
{
    ref_primal(p, dual, theta);
    for (size_t i = 0; i < p->n; i++) {
        const long double squares = ref_norm(p->x[i], p->d) * ref_norm(p->x[i], p->d);
        const long double short_of = 1.0L - ref_margin(p, i, theta);
        long double next = short_of > 0.0L ? 1.0L : 0.0L;
        if (squares > 0.0L)
            next =
                fminl(1.0L, fmaxl(0.0L, dual->a[i] + short_of * dual->ridge / squares));
        for (size_t j = 0; j < p->d; j++)
            theta[j] += (next - dual->a[i]) * (long double)p->glm->matrix->labels[i] *
                        p->x[i][j] / dual->ridge;
        dual->a[i] = next;
    }
}

/* Takes the rows strictly between the bounds for those with margin 1, solves for their a, and says
 * whether the conditions of optimality then hold. */
static inline bool ref_polish(ref_problem *p, const ref_dual *dual, long double *theta)
{
    ref_dual exact = *dual;
    size_t corner[REF_COLUMNS];
    size_t count = 0;
    for (size_t i = 0; i < p->n; i++) {
        const bool between = dual->a[i] > 1e-9L && dual->a[i] < 1.0L - 1e-9L;
        exact.a[i] = between ? 0.0L : roundl(dual->a[i]);
        if (between && count == p->d) return false;
        if (between) corner[count++] = i;
    }
    ref_primal(p, &exact, theta);
    long double right[REF_COLUMNS];
    const size_t d = p->d;
    for (size_t k = 0; k < count; k++) {
        right[k] = (1.0L - ref_margin(p, corner[k], theta)) * dual->ridge;
        for (size_t l = 0; l < count; l++) {
            p->hessian[k][l] = 0.0L;
            for (size_t j = 0; j < d; j++)
                p->hessian[k][l] += p->x[corner[k]][j] * p->x[corner[l]][j] *
                                    (long double)(p->glm->matrix->labels[corner[k]] *
                                                  p->glm->matrix->labels[corner[l]]);
        }
    }
    p->d = count;
    ref_solve(p, right);
    p->d = d;
    for (size_t k = 0; k < count; k++)
        exact.a[corner[k]] = right[k];
    ref_primal(p, &exact, theta);
    for (size_t i = 0; i < p->n; i++) {
        const long double short_of = 1.0L - ref_margin(p, i, theta);
        if (!(exact.a[i] >= 0.0L && exact.a[i] <= 1.0L)) return false;
        if (short_of > 1e-14L && exact.a[i] < 1.0L) return false;
        if (short_of < -1e-14L && exact.a[i] > 0.0L) return false;
    }
    return true;
}

static inline void ref_minimise_hinge(ref_problem *p, long double *theta)
{
    static ref_dual dual;
    dual.ridge = (long double)p->glm->lambda + p->nu;
    memset(dual.a, 0, sizeof dual.a);
    for (int round = 1; round <= 100000; round++) {
        ref_ascend(p, &dual, theta);
        if (round % 200 != 0) continue;
        /* Rows that are alike have no single solution: then the gap between primal and dual value,
         * of which |theta - minimiser| is at most sqrt(2 gap / ridge). */
        long double gap = 0.0L;
        for (size_t i = 0; i < p->n; i++) {
            const long double short_of = 1.0L - ref_margin(p, i, theta);
            gap += fmaxl(0.0L, short_of) - dual.a[i] * short_of;
        }
        if (gap <= 1e-15L * dual.ridge || ref_polish(p, &dual, theta)) return;
    }
    fail_msg("the dual did not settle");
}

/* Of a gradient that did not vanish, by strong convexity; of the gap that the hinge's dual has left. */
static inline double ref_error(ref_problem *p, const long double *theta)
{
    const double rounding = 1e-14 * (1.0 + (double)ref_norm(theta, p->d));
    if (!p->glm->loss->smooth) return 1e-7;
    ref_derivatives(p, theta);
    return (double)ref_norm(p->gradient, p->d) / p->glm->lambda + rounding;
}

/* The minimiser, within the ball if there is one: nu by bisection. Returns what rounding may have
 * cost. */
static inline double ref_minimiser(const sot_glm *glm, long double *theta)
{
    static ref_problem p;
    const bool hinge = strcmp(glm->loss->name, "hinge") == 0;
    void (*const minimise)(ref_problem *, long double *) =
        hinge ? ref_minimise_hinge : ref_minimise;
    const long double radius = (long double)glm->radius;
    ref_begin(&p, glm);
    for (size_t j = 0; j < p.d; j++)
        theta[j] = 0.0L;
    minimise(&p, theta);
    if (!(radius > 0.0L) || ref_norm(theta, p.d) <= radius) return ref_error(&p, theta);
    long double low = 0.0L;
    long double high = 1.0L;
    for (p.nu = high;; p.nu = high *= 4.0L) {
        minimise(&p, theta);
        if (ref_norm(theta, p.d) <= radius) break;
        low = high;
    }
    while (high - low > (hinge ? 1e-12L : 1e-17L) * high) {
        p.nu = 0.5L * (low + high);
        if (p.nu <= low || p.nu >= high) break;
        minimise(&p, theta);
        *(ref_norm(theta, p.d) > radius ? &low : &high) = p.nu;
    }
    return ref_error(&p, theta);
}

#endif
