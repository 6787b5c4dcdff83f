/* methods/moments/statistics.h: least squares from noisy second moments; the common part of its
 * two methods.
 *
 * Idea: the minimiser of (1/2) sum of (theta.x - y)^2 + (lambda/2)|theta|^2 is a function of only
 * A = sum of x x^T and v = sum of y x. Both pass the gate, in one pass over the rows. The rest is
 * arithmetic on released numbers: theta = (A~ + lambda I)^-1 v~.
 *
 * Methods: statistics: lambda is given, or follows from A~ itself. The method adassp spends a
 * tenth of the budget on the smallest eigenvalue of A, so that lambda is as small as the data
 * allow (Wang, UAI 2018).
 *
 * Proof note: statistics.md
 */
#ifndef SOT_METHODS_MOMENTS_STATISTICS_H
#define SOT_METHODS_MOMENTS_STATISTICS_H

#include <sotto/gaussian.h>

#include "methods/convex/erm.h"
#include "models/linear/rows/gram.h"

/* Public: the settings. Noise is in units of a product of two features, 1 / per_unit^2. */
typedef struct sot_statistics {
    sot_gram gram;
    double row_units;                 /* a row in units, an upper bound */
    sotto_gaussian_config moments;    /* of A and v, together */
    sotto_gaussian_config eigenvalue; /* adassp: of A's least eigenvalue */
    bool adaptive;                    /* adassp */
    double lambda;                    /* NaN: the rule */
    double ridge; /* keeps A~ + ridge I positive definite in most runs */
} sot_statistics;

/* Sums, secret until released, and the released values. */
typedef struct sot_moments {
    size_t columns; /* of x */
    int64_t *units; /* A, v, and 0 in the last entry, (columns + 1)^2 */
    double *matrix; /* columns^2, in units */
    double *theta;  /* columns */
} sot_moments;

/* Fills an empty learner, for either method. */
SOTTO_MUST_CHECK sotto_status sot_statistics_new(sot_learner *learner, bool adaptive,
                                                 sotto_error *error);

/* Adds up the rows. Free with sot_moments_end(), also after a failure. */
SOTTO_MUST_CHECK sotto_status sot_moments_begin(const sot_learner *learner,
                                                sot_table *table, sot_pool *pool,
                                                sot_moments *out_moments,
                                                sotto_error *error);
void sot_moments_end(sot_moments *moments); /* wipes */

/* Releases A and v; from here on `units` and `matrix` are public. */
SOTTO_MUST_CHECK sotto_status sot_moments_release(const sot_learner *learner,
                                                  sotto_gate *gate, sot_moments *moments,
                                                  sotto_error *error);

/* theta from the released moments and a ridge in units, raised as far as they need it. */
SOTTO_MUST_CHECK sotto_status sot_moments_solve(const sot_learner *learner,
                                                const sot_moments *moments, double ridge,
                                                double *out_theta, sotto_error *error);

/* Adds the events of either method. */
SOTTO_MUST_CHECK sotto_status sot_statistics_plan(const sot_learner *learner,
                                                  sotto_plan *plan, sotto_error *error);

/* ---- adassp.c ---- */

/* The slack that the eigenvalue's computation adds to its sensitivity, and its noise. */
SOTTO_MUST_CHECK sotto_status sot_adassp_sensitivity(const sot_learner *learner,
                                                     sot_statistics *statistics,
                                                     sotto_error *error);

/* Failure probability of the allowance for noise: 1 in 20 runs has more. */
#define SOT_STATISTICS_FAILURE 0.05

/* ---- shared with Newton's method ---- */

/* Returns the ridge for a symmetric noise matrix of scale sigma: sigma (sqrt(2 d) + sqrt(2
 * log(1/0.05))). Its smallest eigenvalue is below minus this in 1 of 20 samples
 * (statistics.md). */
double sot_statistics_ridge(double sigma, size_t size);

/* x of (M + ridge I) x = y, in place of y. M: size^2 released numbers, both triangles. The ridge is raised
 * until M + ridge I has no eigenvalue below sigma / 10 and the answer is finite. */
SOTTO_MUST_CHECK sotto_status sot_statistics_invert(const double *matrix, size_t size,
                                                    double ridge, double sigma,
                                                    double *inout, sotto_error *error);

#endif
