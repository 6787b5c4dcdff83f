/* Least squares from noisy second moments. Claims: statistics.md. */
#include "methods/moments/statistics.h"

#include <math.h>
#include <string.h>

#include <sotto/grid.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/kinds.h"
#include "models/linear/rows/cholesky.h"
#include "models/linear/rows/least_eigenvalue.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/additive/additive.h"
#include "privacy/mechanisms/symmetric/symmetric.h"

/* The share of the budget, in mu^2, for the eigenvalue: measured on three data sets (statistics.md). */
#define EIGENVALUE_SHARE 0.1

/* Eigenvalues below this, in units of sigma, are only noise. */
#define LEAST_OF_SIGMA 0.1

/* ---- public: checks ---- */

static sotto_status check_setup(const sot_learner *learner, bool adaptive,
                                sotto_error *error)
{
    const sot_learner_setup *setup = &learner->setup;
    const sotto_train_config *config = setup->config;
    const char *name = sotto_method_name(setup->method);
    const size_t columns = sot_encoding_dimension(setup->encoding);
    if (!sot_model_row_of(config->model)->is_quadratic) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "`method` is %s, which needs squared loss and so the model "
                        "linear; for the model %s give `method=auto`",
                        name, sotto_model_kind_name(config->model));
    }
    if (isnan(config->delta)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`delta` is missing: the noise of the method %s is Gaussian; "
                        "give `delta=1e-6`, or use `method=objective`",
                        name);
    }
    if (!isnan(config->threshold)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`threshold` has no meaning for the method %s, which clips no "
                        "residual; leave `threshold` out",
                        name);
    }
    if (adaptive && !isnan(config->lambda)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`lambda` is %g, but the method adassp finds its own; leave "
                        "`lambda` out, or give `method=statistics`",
                        config->lambda);
    }
    if (columns > SOT_GRAM_COLUMNS_MOST) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the rows have %zu columns, and the method %s keeps a number for "
                        "each pair of them; it takes at most %d: give `method=auto`",
                        columns, name, SOT_GRAM_COLUMNS_MOST);
    }
    return SOTTO_OK;
}

/* ---- public: units, sensitivity, noise ---- */

/* The target's scale makes the two blocks of v as long as A, in the norm of the gate. A row moves
 * A by S^2, and v, which appears twice, by S V with V = S / sqrt(2). */
static sotto_status choose_units(const sot_learner *learner, sot_statistics *out,
                                 sotto_error *error)
{
    int exponent;
    const sot_encoding *encoding = learner->setup.encoding;
    const double bound = sot_encoding_bound(encoding);
    const sotto_status status =
        sotto_grid_exponent(bound, SOT_GRAM_BITS, &exponent, error);
    if (status != SOTTO_OK) return status;
    out->gram.per_unit = ldexp(1.0, -exponent);
    out->row_units = sot_mul_up(sot_mul_up(bound, out->gram.per_unit), 1.0 + 0x1p-50);
    out->gram.per_target =
        out->row_units * sqrt(0.5) / sot_encoding_target_most(encoding);
    return SOTTO_OK;
}

/* gram.md, 1, 2 and 4. */
static double moments_sensitivity(const sot_learner *learner, const sot_statistics *of)
{
    const sot_learner_setup *setup = &learner->setup;
    const double row = sot_mul_up(of->row_units, of->row_units);
    const double most =
        sot_mul_up(of->gram.per_target, sot_encoding_target_most(setup->encoding));
    const double target =
        sot_mul_up(sot_mul_up(most, most), 1.0 + 0x1p-48); /* V^2, two roundings of V */
    const bool exchange = setup->config->adjacency == SOTTO_REPLACE_ONE;
    const double moved =
        exchange ? sot_mul_up(sot_sqrt_up(2.0), sot_add_up(row, target))
                 : sot_sqrt_up(sot_mul_up(row, sot_add_up(row, 2.0 * target)));
    return sot_mul_up(moved, (double)setup->unit_rows);
}

/* A share of mu^2 costs its root in noise. The hair is for the events' own rounding. */
static void set_noise(sotto_gaussian_config *noise, double multiplier, double share)
{
    const double scaled = sot_div_up(multiplier, sot_sqrt_down(share));
    noise->sigma = sot_mul_up(sot_mul_up(scaled, 1.0 + 0x1p-40), noise->l2_sensitivity);
}

static sotto_status choose_noise(const sot_learner *learner, sot_statistics *out,
                                 sotto_error *error)
{
    double multiplier;
    const sotto_train_config *config = learner->setup.config;
    const double unit = 1.0 / out->gram.per_unit;
    out->moments = sotto_gaussian_defaults();
    out->moments.adjacency = config->adjacency;
    out->moments.purpose = "second moments";
    out->moments.grid = unit * unit;
    out->moments.l2_sensitivity = moments_sensitivity(learner, out);
    out->eigenvalue = out->moments;
    out->eigenvalue.purpose = "least eigenvalue";
    sotto_status status = SOTTO_OK;
    if (out->adaptive) status = sot_adassp_sensitivity(learner, out, error);
    if (status == SOTTO_OK)
        status = sot_gaussian_least_multiplier(config->adjacency, config->epsilon,
                                               config->delta, &multiplier, error);
    if (status != SOTTO_OK) return status;
    set_noise(&out->moments, multiplier, out->adaptive ? 1.0 - EIGENVALUE_SHARE : 1.0);
    set_noise(&out->eigenvalue, multiplier, EIGENVALUE_SHARE);
    return SOTTO_OK;
}

double sot_statistics_ridge(double sigma, size_t size)
{
    return sigma * (sqrt(2.0 * (double)size) + sqrt(-2.0 * log(SOT_STATISTICS_FAILURE)));
}

sotto_status sot_statistics_plan(const sot_learner *learner, sotto_plan *plan,
                                 sotto_error *error)
{
    sotto_event event;
    const sot_statistics *statistics = learner->state;
    sotto_status status = sotto_gaussian_event(&statistics->moments, &event, error);
    if (status == SOTTO_OK) status = sotto_plan_add(plan, &event, error);
    if (status != SOTTO_OK || !statistics->adaptive) return status;
    status = sotto_gaussian_event(&statistics->eigenvalue, &event, error);
    return status == SOTTO_OK ? sotto_plan_add(plan, &event, error) : status;
}

/* ---- secret: the sums ---- */

sotto_status sot_moments_begin(const sot_learner *learner, sot_table *table,
                               sot_pool *pool, sot_moments *out, sotto_error *error)
{
    const sot_statistics *statistics = learner->state;
    const size_t columns = sot_encoding_dimension(learner->setup.encoding);
    const size_t size = columns + 1;
    const sot_matrix *chunk = NULL;
    *out = (sot_moments){.columns = columns,
                         .units = sot_new_array(size * size, sizeof(int64_t)),
                         .matrix = sot_new_array(columns * columns, sizeof(double)),
                         .theta = sot_new_array(columns, sizeof(double))};
    if (out->units == NULL || out->matrix == NULL || out->theta == NULL)
        return sot_fail_memory(error, size * size, 2 * sizeof(double));
    sotto_status status = sot_table_rewind(table, error);
    if (status == SOTTO_OK) status = sot_table_next(table, &chunk, error);
    while (status == SOTTO_OK && chunk != NULL) {
        status = sot_gram_add(&statistics->gram, chunk, pool, out->units, error);
        if (status == SOTTO_OK) status = sot_table_next(table, &chunk, error);
    }
    out->units[size * size - 1] = 0; /* the sum of y^2 is not used */
    return status;
}

void sot_moments_end(sot_moments *moments)
{
    const size_t columns = moments->columns, size = columns + 1;
    sot_wipe_and_free(moments->units, size * size * sizeof *moments->units);
    sot_wipe_and_free(moments->matrix, columns * columns * sizeof *moments->matrix);
    sot_wipe_and_free(moments->theta, columns * sizeof *moments->theta);
    *moments = (sot_moments){0};
}

sotto_status sot_moments_release(const sot_learner *learner, sotto_gate *gate,
                                 sot_moments *moments, sotto_error *error)
{
    const sot_statistics *statistics = learner->state;
    const size_t size = moments->columns + 1;
    return sot_symmetric_release(gate, &statistics->moments, moments->units, size,
                                 moments->units, error);
}

/* ---- public: arithmetic on released numbers ---- */

sotto_status sot_statistics_invert(const double *matrix, size_t size, double ridge,
                                   double sigma, double *inout, sotto_error *error)
{
    double least;
    sotto_status status = sot_least_eigenvalue(
        matrix, size, -(double)INFINITY, 0.5 * LEAST_OF_SIGMA * sigma, &least, error);
    if (status != SOTTO_OK) return status;
    double *work = sot_new_array(size * size, sizeof *work);
    double *answer = sot_new_array(size, sizeof *answer);
    if (work == NULL || answer == NULL)
        status = sot_fail_memory(error, size * size, sizeof *work);
    ridge = fmax(ridge, LEAST_OF_SIGMA * sigma - least);
    for (bool solved = false; status == SOTTO_OK && !solved;) {
        memcpy(work, matrix, size * size * sizeof *work);
        memcpy(answer, inout, size * sizeof *answer);
        for (size_t i = 0; i < size; i++)
            work[i * size + i] += ridge;
        solved = sot_cholesky(work, size);
        if (solved) sot_cholesky_solve(work, size, answer);
        for (size_t i = 0; i < size && solved; i++)
            solved = isfinite(answer[i]);
        ridge = 2.0 * fmax(ridge, sigma); /* ends: a large ridge rules any matrix */
    }
    if (status == SOTTO_OK) memcpy(inout, answer, size * sizeof *answer);
    sot_free(work);
    sot_free(answer);
    return status;
}

sotto_status sot_moments_solve(const sot_learner *learner, const sot_moments *moments,
                               double ridge, double *out_theta, sotto_error *error)
{
    const sot_statistics *statistics = learner->state;
    const sot_gram *gram = &statistics->gram;
    const size_t columns = moments->columns, size = columns + 1;
    for (size_t i = 0; i < columns; i++) {
        for (size_t j = 0; j < columns; j++)
            moments->matrix[i * columns + j] = (double)moments->units[i * size + j];
        moments->theta[i] = (double)moments->units[columns * size + i] *
                            (gram->per_unit / gram->per_target);
    }
    const sotto_status status =
        sot_statistics_invert(moments->matrix, columns, ridge, statistics->moments.sigma,
                              moments->theta, error);
    if (status != SOTTO_OK) return status;
    const double radius = learner->setup.config->radius;
    sot_erm_project(moments->theta, columns, isnan(radius) ? 0.0 : radius);
    memcpy(out_theta, moments->theta, columns * sizeof *out_theta);
    sot_erm_round(out_theta, columns, learner->grid);
    return SOTTO_OK;
}

/* Without a lambda: the noise's requirement, less the eigenvalue that the released matrix
 * shows. */
static sotto_status ridge_of(const sot_learner *learner, const sot_moments *moments,
                             double *out_ridge, sotto_error *error)
{
    double least;
    const sot_statistics *statistics = learner->state;
    const size_t columns = moments->columns, size = columns + 1;
    const double per_unit = statistics->gram.per_unit;
    *out_ridge = statistics->lambda * per_unit * per_unit;
    if (!isnan(statistics->lambda)) return SOTTO_OK;
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j < columns; j++)
            moments->matrix[i * columns + j] = (double)moments->units[i * size + j];
    const sotto_status status =
        sot_least_eigenvalue(moments->matrix, columns, -(double)INFINITY,
                             LEAST_OF_SIGMA * statistics->moments.sigma, &least, error);
    if (status == SOTTO_OK) *out_ridge = fmax(0.0, statistics->ridge - fmax(0.0, least));
    return status;
}

static sotto_status learn(const sot_learner *learner, sotto_gate *gate, sot_table *table,
                          sot_pool *pool, double *out_theta, sotto_error *error)
{
    double ridge = 0.0;
    sot_moments moments;
    sotto_status status = sot_moments_begin(learner, table, pool, &moments, error);
    if (status == SOTTO_OK) status = sot_moments_release(learner, gate, &moments, error);
    if (status == SOTTO_OK) status = ridge_of(learner, &moments, &ridge, error);
    if (status == SOTTO_OK)
        status = sot_moments_solve(learner, &moments, ridge, out_theta, error);
    sot_moments_end(&moments);
    return status;
}

/* ---- the learner ---- */

static void describe(sot_learner *learner, const sot_statistics *of)
{
    const double unit = of->moments.grid;
    const double target_unit = 1.0 / (of->gram.per_unit * of->gram.per_target);
    if (!isnan(of->lambda))
        sot_learner_set(learner, "lambda", of->lambda,
                        "given; more where the released matrix needs it");
    sot_learner_set(learner, "ridge_most", of->ridge * unit,
                    of->adaptive        ? "lambda if the released eigenvalue is 0"
                    : isnan(of->lambda) ? "lambda if the released matrix is only noise"
                                        : "lambda of the noise");
    sot_learner_set(
        learner, "sigma", of->moments.sigma * unit,
        "standard deviation of the diagonal of the sum of x x^T; root half of "
        "it elsewhere");
    sot_learner_set(learner, "sigma_target", of->moments.sigma * sqrt(0.5) * target_unit,
                    "standard deviation of each coordinate of the sum of y x");
    if (of->adaptive)
        sot_learner_set(learner, "sigma_eigenvalue", of->eigenvalue.sigma * unit,
                        "standard deviation of the least eigenvalue");
}

sotto_status sot_statistics_new(sot_learner *learner, bool adaptive, sotto_error *error)
{
    const size_t columns = sot_encoding_dimension(learner->setup.encoding);
    const size_t size = columns + 1;
    sotto_status status = check_setup(learner, adaptive, error);
    if (status != SOTTO_OK) return status;
    sot_statistics *statistics = sot_new_array(1, sizeof *statistics);
    if (statistics == NULL) return sot_fail_memory(error, 1, sizeof *statistics);
    learner->state = statistics;
    learner->plan = sot_statistics_plan;
    learner->streams = true;
    learner->grid = 0x1p-40;
    statistics->adaptive = adaptive;
    statistics->lambda = learner->setup.config->lambda;
    status = choose_units(learner, statistics, error);
    if (status == SOTTO_OK) status = choose_noise(learner, statistics, error);
    if (status != SOTTO_OK) return status;
    statistics->ridge = sot_statistics_ridge(statistics->moments.sigma, columns);
    describe(learner, statistics);
    /* sotto/gaussian.h: at most 2^-900 per coordinate; a hair more than the gate's own sum. */
    learner->sampler_error =
        (1.0 + 0x1p-20) * 0x1p-900 * ((double)(size * size) + (adaptive ? 1.0 : 0.0));
    return SOTTO_OK;
}

sotto_status sot_erm_statistics(sot_learner *learner, sotto_error *error)
{
    const sotto_status status = sot_statistics_new(learner, false, error);
    learner->learn = learn;
    return status;
}
