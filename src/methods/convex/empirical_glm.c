/* One margin per row: the losses of models/linear/losses/loss.h behind methods/empirical.h. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/convex/empirical_parts.h"
#include "methods/kinds.h"
#include "models/kinds.h"
#include "models/linear/rows/row_sum.h"
#include "models/linear/rows/rows.h"
#include "models/linear/solver/problem.h"
#include "numeric/outward.h"

/* The solver's tolerance, relative to the bound on one record's gradient: small against any
 * noise. The hinge is solved through smoothed ones, to the root of their distance
 * (models/linear/solver/solver.md). */
#define TAU_SHARE       0x1p-20
#define TAU_SHARE_HINGE 0x1p-10
/* With a caller's slopes in double the certificate cannot go below the sum of their errors over
 * at most 2^32 rows (models/linear/solver/solver.md). */
#define TAU_ROWS 0x1p35

/* ---- secret: operations on the records ---- */

static sot_glm problem_of(const sot_empirical *empirical, const sot_matrix *matrix,
                          const sot_empirical_terms *terms)
{
    return (sot_glm){.matrix = matrix,
                     .loss = empirical->state,
                     .lambda = terms->lambda,
                     .center = terms->center,
                     .l1 = terms->l1,
                     .l1_width = terms->l1_width,
                     .radius = terms->radius};
}

static sotto_status solve(const sot_empirical *empirical, const sot_matrix *matrix,
                          const sot_empirical_terms *terms, const double *linear,
                          double tau, sot_pool *pool, double *theta, sotto_error *error)
{
    sot_glm glm = problem_of(empirical, matrix, terms);
    glm.linear = linear;
    glm.pool = pool;
    return sot_glm_solve(&glm, tau, theta, error);
}

static sotto_status noise_of(const sot_empirical *empirical, const sot_matrix *matrix,
                             const sot_empirical_terms *terms, const double *theta,
                             double *out_noise, double *out_log_determinant,
                             sotto_error *error)
{
    const sot_glm glm = problem_of(empirical, matrix, terms);
    return sot_glm_noise_of(&glm, theta, out_noise, out_log_determinant, error);
}

static sotto_status add_gradient(const sot_empirical *empirical, const sot_matrix *matrix,
                                 const uint32_t *rows, size_t count, const double *theta,
                                 double spacing, sot_pool *pool, int64_t *units,
                                 sotto_error *error)
{
    const sot_glm glm = {.matrix = matrix, .loss = empirical->state, .pool = pool};
    return sot_glm_add_gradient_units(&glm, rows, count, theta, spacing, units, error);
}

/* f'(theta.x; y) x, as models/linear/rows/row_sum.h wants it. */
static void add_row(const void *problem, size_t row, const double *theta, double *scratch,
                    double *sum)
{
    const sot_glm *glm = problem;
    const sot_rows *kernels = sot_rows_plain(glm->matrix);
    double curvature;
    kernels->dots(glm->matrix, row, row + 1, theta, scratch);
    glm->loss->bend(glm->loss, scratch[0], glm->matrix->labels[row], &scratch[0],
                    &curvature);
    kernels->add(glm->matrix, row, row + 1, scratch, sum);
}

static sotto_status add_gradient_double(const sot_empirical *empirical,
                                        const sot_matrix *matrix, const uint32_t *rows,
                                        size_t count, const double *theta, sot_pool *pool,
                                        double *sum, sotto_error *error)
{
    const sot_glm glm = {.matrix = matrix, .loss = empirical->state};
    const sot_row_sum asked = {.matrix = matrix,
                               .rows = rows,
                               .count = count,
                               .vectors = 1,
                               .part = add_row,
                               .problem = &glm,
                               .pool = pool};
    return sot_row_sum_add(&asked, theta, sum, error);
}

static const sot_empirical_operations operations = {.solve = solve,
                                                    .noise_of = noise_of,
                                                    .add_gradient = add_gradient,
                                                    .add_gradient_double =
                                                        add_gradient_double};

/* ---- public: the whole ---- */

static sot_empirical_facts facts_of(const sot_learner_setup *setup, const sot_loss *loss)
{
    const double bound = sot_encoding_bound(setup->encoding);
    const double record_bound = sot_mul_up(loss->slope_most, bound);
    const double smoothness = sot_mul_up(loss->curvature_most, sot_mul_up(bound, bound));
    const sot_model_row *row = sot_model_row_of(setup->config->model);
    double tau = record_bound * (row->kinked ? TAU_SHARE_HINGE : TAU_SHARE);
    if (row->takes_loss) tau = fmax(tau, TAU_ROWS * loss->slope_error_careful * bound);
    const size_t columns = sot_encoding_dimension(setup->encoding);
    /* A margin is off by at most columns + 1 roundings of |theta| R
     * (models/linear/solver/gradient_norm.md). The slope is off by the curvature times that, plus
     * the loss's own error, and each product is rounded once. */
    const double margin_error = sot_widen_up(((double)columns + 2.0) * 0x1p-53, 0x1p-20);
    const double slope_error =
        sot_add_up(loss->slope_error, sot_mul_up(loss->slope_most, 0x1p-52));
    return (sot_empirical_facts){
        .name = loss->name,
        .outputs = 1,
        .dimension = columns,
        .record_bound = record_bound,
        .smoothness = smoothness,
        .rank = 1,
        .trace = smoothness,
        .one_signed = loss->one_signed,
        .self_bounding = loss->self_bounding,
        .tau = tau,
        .row_error = sot_mul_up(slope_error, bound),
        .row_error_norm = sot_mul_up(smoothness, margin_error),
        .coordinate_bound =
            sot_mul_up(loss->slope_most, sot_encoding_feature_most(setup->encoding))};
}

/* Without noise nothing is gained by clipping. */
sotto_status sot_erm_loss(const sot_learner_setup *setup, sot_loss *out_loss,
                          sotto_error *error)
{
    sotto_train_config config = *setup->config;
    if (sot_method_row_of(setup->method)->noiseless && isnan(config.threshold) &&
        sot_model_row_of(config.model)->is_quadratic)
        config.threshold = SOT_LARGEST_RESIDUAL;
    return sot_model_loss(&config, setup->encoding, out_loss, error);
}

sotto_status sot_empirical_glm(const sot_learner_setup *setup,
                               sot_empirical **out_empirical, sotto_error *error)
{
    sot_loss *loss = sot_new_array(1, sizeof *loss);
    sot_empirical *empirical = sot_new_array(1, sizeof *empirical);
    sotto_status status = SOTTO_OK;
    if (loss == NULL || empirical == NULL)
        status = sot_fail_memory(error, 1, sizeof *loss + sizeof *empirical);
    if (status == SOTTO_OK) status = sot_erm_loss(setup, loss, error);
    if (status != SOTTO_OK) {
        sot_free(loss);
        sot_free(empirical);
        return status;
    }
    *empirical = (sot_empirical){.facts = facts_of(setup, loss),
                                 .operations = &operations,
                                 .loss = loss,
                                 .state = loss};
    *out_empirical = empirical;
    return SOTTO_OK;
}
