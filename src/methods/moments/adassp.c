/* AdaSSP: noisy second moments, regularised as the data need it. Claims: statistics.md. */
#include <math.h>

#include "methods/moments/statistics.h"
#include "models/linear/rows/least_eigenvalue.h"
#include "numeric/outward.h"

/* Bisection stops when it knows the eigenvalue to this part of one row's square. */
#define RESOLUTION 0x1p-8

/* Rows a table has at most. */
#define ROWS_MOST 0x1p32

/* ---- public ---- */

/* gram.md, 3: a unit moves the eigenvalue by k S^2. least_eigenvalue.md: each of the two data
 * sets may be off by half the resolution (the whole is counted) and by rounding. Conversion to an
 * integer adds less than a unit. */
sotto_status sot_adassp_sensitivity(const sot_learner *learner,
                                    sot_statistics *statistics, sotto_error *error)
{
    (void)error;
    const size_t columns = sot_encoding_dimension(learner->setup.encoding);
    const double row = sot_mul_up(statistics->row_units, statistics->row_units);
    const double rounding =
        sot_least_eigenvalue_error(columns, sot_mul_up(ROWS_MOST, row));
    const double error_most =
        sot_add_up(sot_add_up(sot_mul_up(RESOLUTION, row), rounding), 1.0);
    const double rows = (double)learner->setup.unit_rows;
    statistics->eigenvalue.l2_sensitivity =
        sot_add_up(sot_mul_up(rows, row), 2.0 * error_most);
    return SOTTO_OK;
}

/* ---- secret: the eigenvalue ---- */

static sotto_status release_eigenvalue(const sot_statistics *statistics, sotto_gate *gate,
                                       const sot_moments *moments, int64_t *out_units,
                                       sotto_error *error)
{
    double least;
    const size_t columns = moments->columns, size = columns + 1;
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j < columns; j++)
            moments->matrix[i * columns + j] = (double)moments->units[i * size + j];
    const double resolution = RESOLUTION * statistics->row_units * statistics->row_units;
    sotto_status status =
        sot_least_eigenvalue(moments->matrix, columns, 0.0, resolution, &least, error);
    if (status != SOTTO_OK) return status;
    int64_t units = (int64_t)least;
    status = sotto_gaussian_release(gate, &statistics->eigenvalue, &units, 1, out_units,
                                    error);
    units = 0;
    return status;
}

/* Returns lambda: the noise's requirement, less a lower confidence bound on the
 * eigenvalue. */
static double ridge_of(const sot_statistics *statistics, int64_t eigenvalue)
{
    const double allowance =
        statistics->eigenvalue.sigma * sqrt(-2.0 * log(SOT_STATISTICS_FAILURE));
    const double there = fmax(0.0, (double)eigenvalue - allowance);
    return fmax(0.0, statistics->ridge - there);
}

static sotto_status learn(const sot_learner *learner, sotto_gate *gate, sot_table *table,
                          sot_pool *pool, double *out_theta, sotto_error *error)
{
    int64_t eigenvalue = 0;
    sot_moments moments;
    const sot_statistics *statistics = learner->state;
    sotto_status status = sot_moments_begin(learner, table, pool, &moments, error);
    if (status == SOTTO_OK)
        status = release_eigenvalue(statistics, gate, &moments, &eigenvalue, error);
    if (status == SOTTO_OK) status = sot_moments_release(learner, gate, &moments, error);
    if (status == SOTTO_OK)
        status = sot_moments_solve(learner, &moments, ridge_of(statistics, eigenvalue),
                                   out_theta, error);
    sot_moments_end(&moments);
    return status;
}

sotto_status sot_erm_adassp(sot_learner *learner, sotto_error *error)
{
    const sotto_status status = sot_statistics_new(learner, true, error);
    learner->learn = learn;
    return status;
}
