/* tests/privacy/mechanisms/toy_minimiser.h: logistic regression in one or two dimensions, solved to
 * the last digit, for tests of the mechanisms that release minimisers.
 *
 * The solver then spoils its result as far as its certificate allows: it leaves a gradient of 0.99
 * tau, in a direction that the parity of the rows decides. So neighbours err in opposite directions,
 * which is what the proofs must survive.
 */
#ifndef SOTTO_TESTS_TOY_MINIMISER_H
#define SOTTO_TESTS_TOY_MINIMISER_H

#include "support.h"

#include <assert.h>
#include <stdbool.h>

#include "privacy/mechanisms/objective/objective.h"
#include "tape.h"

enum { TOY_ROWS_MAX = 256, TOY_DIMENSION_MAX = 2 };

typedef struct toy {
    size_t dimension;
    double lambda, tau;
    double spoil; /* the gradient that is left over, in units of tau */
    size_t rows;
    double x[TOY_ROWS_MAX][TOY_DIMENSION_MAX];
    double y[TOY_ROWS_MAX];
    size_t solved;                   /* how often solve() was called */
    double theta[TOY_DIMENSION_MAX]; /* what it returned last */
    double noise[TOY_DIMENSION_MAX]; /* and for which b */
} toy;

/* ---- rows ---- */

static const char *const toy_labels[] = {"no", "yes", NULL};
static const tape_column toy_columns[] = {
    {"x1", -0.9, 0.9, NULL}, {"x2", -0.5, 0.7, NULL}, {"label", 0, 0, toy_labels}};
enum { TOY_COLUMNS = 3 };

/* Cells that are not numbers count as 0, rows are clipped to norm 1: a function of the row. */
static inline void toy_add(toy *made, double x1, double x2, double label)
{
    assert(made->rows < TOY_ROWS_MAX);
    double *row = made->x[made->rows];
    row[0] = isfinite(x1) ? fmax(-4.0, fmin(4.0, x1)) : 0.0;
    row[1] = isfinite(x2) && made->dimension > 1 ? fmax(-4.0, fmin(4.0, x2)) : 0.0;
    const double norm = hypot(row[0], row[1]) * (1.0 + 1e-15);
    for (size_t j = 0; j < TOY_DIMENSION_MAX; j++)
        row[j] = norm > 1.0 ? row[j] / norm : row[j];
    made->y[made->rows++] = label;
}

static inline void toy_fill(toy *made, const tape_table *table)
{
    made->rows = 0;
    for (size_t i = 0; i < table->rows; i++) {
        const char *label = tape_at(table, i, 2)->text;
        toy_add(made, tape_at(table, i, 0)->number, tape_at(table, i, 1)->number,
                strcmp(label, "yes") == 0 ? 1.0 : -1.0);
    }
}

/* ---- the objective without its linear part ---- */

typedef struct toy_at {
    long double value, gradient[TOY_DIMENSION_MAX];
    long double hessian[TOY_DIMENSION_MAX][TOY_DIMENSION_MAX];
} toy_at;

static inline toy_at toy_objective(const toy *made, const long double *theta)
{
    toy_at at = {0};
    const long double lambda = (long double)made->lambda;
    for (size_t i = 0; i < made->rows; i++) {
        const long double y = (long double)made->y[i];
        const long double x[] = {(long double)made->x[i][0], (long double)made->x[i][1]};
        const long double margin = y * (theta[0] * x[0] + theta[1] * x[1]);
        const long double s = 1.0L / (1.0L + expl(margin));
        at.value += margin > 0.0L ? log1pl(expl(-margin)) : log1pl(expl(margin)) - margin;
        for (size_t j = 0; j < TOY_DIMENSION_MAX; j++) {
            at.gradient[j] -= y * s * x[j];
            for (size_t k = 0; k < TOY_DIMENSION_MAX; k++)
                at.hessian[j][k] += s * (1.0L - s) * x[j] * x[k];
        }
    }
    for (size_t j = 0; j < TOY_DIMENSION_MAX; j++) {
        at.value += lambda / 2.0L * theta[j] * theta[j];
        at.gradient[j] += lambda * theta[j];
        at.hessian[j][j] += lambda;
    }
    return at;
}

/* One damped Newton step; false when it no longer helps. */
static inline bool toy_step(const toy *made, const long double *b, long double *theta)
{
    const toy_at at = toy_objective(made, theta);
    const long double g0 = at.gradient[0] + b[0], g1 = at.gradient[1] + b[1];
    const long double determinant =
        at.hessian[0][0] * at.hessian[1][1] - at.hessian[0][1] * at.hessian[1][0];
    const long double step[] = {
        -(at.hessian[1][1] * g0 - at.hessian[0][1] * g1) / determinant,
        -(at.hessian[0][0] * g1 - at.hessian[1][0] * g0) / determinant};
    const long double slope = g0 * step[0] + g1 * step[1];
    const long double here = at.value + b[0] * theta[0] + b[1] * theta[1];
    for (long double length = 1.0L; length > 1e-9L; length /= 2.0L) {
        const long double next[] = {theta[0] + length * step[0],
                                    theta[1] + length * step[1]};
        const long double value =
            toy_objective(made, next).value + b[0] * next[0] + b[1] * next[1];
        /* Near the minimum values are equal but for rounding: there Newton is safe. */
        if (value > here + 0.25L * length * slope + 1e-15L * (1.0L + fabsl(here)))
            continue;
        const bool moved = hypotl(theta[0] - next[0], theta[1] - next[1]) >
                           1e-17L * (1.0L + hypotl(next[0], next[1]));
        theta[0] = next[0];
        theta[1] = next[1];
        return moved;
    }
    return false;
}

static inline void toy_minimise(const toy *made, const double *b, double *out_theta)
{
    /* Away from the minimum by a gradient of spoil tau, this way or that. */
    const long double sign = made->rows % 2 == 0 ? 1.0L : -1.0L;
    const long double spoiled = sign * (long double)(made->spoil * made->tau);
    const bool is_plane = made->dimension > 1;
    const long double tilt[] = {(long double)b[0] - (is_plane ? 0.6L : 1.0L) * spoiled,
                                is_plane ? (long double)b[1] - 0.8L * spoiled : 0.0L};
    long double theta[TOY_DIMENSION_MAX] = {0};
    for (int i = 0; i < 200 && toy_step(made, tilt, theta); i++)
        continue;
    for (size_t j = 0; j < made->dimension; j++)
        out_theta[j] = (double)theta[j];
}

/* ---- as the mechanisms ask for it ---- */

static inline sotto_status toy_solve(void *context, const double *b, double *out_theta,
                                     sotto_error *error)
{
    (void)error;
    toy *made = context;
    toy_minimise(made, b, out_theta);
    made->solved++;
    memcpy(made->theta, out_theta, made->dimension * sizeof *out_theta);
    memcpy(made->noise, b, made->dimension * sizeof *b);
    return SOTTO_OK;
}

static inline void toy_noise_of(const void *context, const double *theta,
                                double *out_noise, double *out_log_determinant)
{
    const toy *made = context;
    const long double at_theta[] = {(long double)theta[0],
                                    made->dimension > 1 ? (long double)theta[1] : 0.0L};
    const toy_at at = toy_objective(made, at_theta);
    for (size_t j = 0; j < made->dimension; j++)
        out_noise[j] = (double)-at.gradient[j];
    *out_log_determinant =
        (double)(made->dimension == 1 ? logl(at.hessian[0][0])
                                      : logl(at.hessian[0][0] * at.hessian[1][1] -
                                             at.hessian[0][1] * at.hessian[1][0]));
}

static inline sot_objective_problem toy_problem(toy *made)
{
    return (sot_objective_problem){
        .context = made, .solve = toy_solve, .noise_of = toy_noise_of};
}

#endif
