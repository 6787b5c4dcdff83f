/* Softmax regression as the methods see it. The constants: softmax.md. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/linear/rows/row_sum.h"
#include "models/linear/rows/rows.h"
#include "models/softmax/row.h"
#include "models/softmax/softmax.h"
#include "numeric/outward.h"

static sot_softmax problem_of(const sot_empirical *empirical, const sot_matrix *matrix,
                              const sot_empirical_terms *terms, const double *linear,
                              sot_pool *pool)
{
    return (sot_softmax){.matrix = matrix,
                         .classes = empirical->facts.outputs,
                         .lambda = terms->lambda,
                         .center = terms->center,
                         .l1 = terms->l1,
                         .l1_width = terms->l1_width,
                         .radius = terms->radius,
                         .linear = linear,
                         .pool = pool};
}

static sotto_status solve(const sot_empirical *empirical, const sot_matrix *matrix,
                          const sot_empirical_terms *terms, const double *linear,
                          double tau, sot_pool *pool, double *theta, sotto_error *error)
{
    const sot_softmax softmax = problem_of(empirical, matrix, terms, linear, pool);
    return sot_softmax_solve(&softmax, tau, theta, error);
}

static sotto_status noise_of(const sot_empirical *empirical, const sot_matrix *matrix,
                             const sot_empirical_terms *terms, const double *theta,
                             double *out_noise, double *out_log_determinant,
                             sotto_error *error)
{
    const sot_softmax softmax = problem_of(empirical, matrix, terms, NULL, NULL);
    return sot_softmax_noise_of(&softmax, theta, out_noise, out_log_determinant, error);
}

static sotto_status add_gradient(const sot_empirical *empirical, const sot_matrix *matrix,
                                 const uint32_t *rows, size_t count, const double *theta,
                                 double spacing, sot_pool *pool, int64_t *units,
                                 sotto_error *error)
{
    const sot_softmax softmax = {
        .matrix = matrix, .classes = empirical->facts.outputs, .pool = pool};
    return sot_softmax_add_units(&softmax, rows, rows != NULL ? count : matrix->rows,
                                 theta, spacing, units, error);
}

/* (p - e_y) (x) x, as models/linear/rows/row_sum.h wants it. */
static void add_row(const void *problem, size_t row, const double *theta, double *scratch,
                    double *sum)
{
    const sot_softmax *softmax = problem;
    const sot_matrix *matrix = softmax->matrix;
    const sot_rows *kernels = sot_rows_for(matrix);
    const size_t width = sot_rows_width(matrix);
    const size_t label = sot_softmax_class(matrix->labels[row], softmax->classes);
    for (size_t c = 0; c < softmax->classes; c++)
        kernels->dots(matrix, row, row + 1, theta + c * width, &scratch[c]);
    (void)sot_softmax_row(scratch, softmax->classes, label, 0);
    scratch[label] -= 1.0;
    for (size_t c = 0; c < softmax->classes; c++)
        kernels->add(matrix, row, row + 1, &scratch[c], sum + c * width);
}

static sotto_status add_gradient_double(const sot_empirical *empirical,
                                        const sot_matrix *matrix, const uint32_t *rows,
                                        size_t count, const double *theta, sot_pool *pool,
                                        double *sum, sotto_error *error)
{
    const sot_softmax softmax = {.matrix = matrix, .classes = empirical->facts.outputs};
    const sot_row_sum asked = {.matrix = matrix,
                               .rows = rows,
                               .count = count,
                               .vectors = softmax.classes,
                               .part = add_row,
                               .problem = &softmax,
                               .pool = pool};
    return sot_row_sum_add(&asked, theta, sum, error);
}

static const sot_empirical_operations operations = {.solve = solve,
                                                    .noise_of = noise_of,
                                                    .add_gradient = add_gradient,
                                                    .add_gradient_double =
                                                        add_gradient_double};

/* The solver's tolerance, relative to the bound on one record's gradient: small against
 * any noise. */
#define TAU_SHARE 0x1p-20

static sot_empirical_facts facts_of(const sot_encoding *encoding)
{
    const double bound = sot_encoding_bound(encoding);
    const double square = sot_mul_up(bound, bound);
    const double classes = (double)sot_encoding_classes(encoding);
    const double root = sot_sqrt_up(2.0);
    const double record_bound = sot_mul_up(root, bound);
    return (sot_empirical_facts){
        .name = "softmax",
        .outputs = sot_encoding_classes(encoding),
        .dimension = sot_encoding_classes(encoding) * sot_encoding_dimension(encoding),
        .record_bound = record_bound,
        .smoothness = 0.5 * square,
        .rank = sot_encoding_classes(encoding) - 1,
        .trace = sot_mul_up(sot_div_up(classes - 1.0, classes), square),
        /* Two classes: the logistic loss of the margin (x, -x).(theta_1, theta_2), a row of norm sqrt(2) |x|. */
        .self_bounding = sot_encoding_classes(encoding) == 2,
        .tau = TAU_SHARE * record_bound,
        /* softmax.md: a margin passes columns + 1 roundings here, and each product one. */
        .row_error = sot_mul_up(
            bound,
            sot_add_up(sot_softmax_row_error(sot_encoding_classes(encoding)), 0x1p-51)),
        .row_error_norm = sot_mul_up(
            0.5 * square,
            sot_widen_up(((double)sot_encoding_dimension(encoding) + 2.0) * 0x1p-53,
                         0x1p-20)),
        .coordinate_bound = sot_encoding_feature_most(encoding), /* |p_c - e_c| <= 1 */
    };
}

static sotto_status check_settings(const sotto_train_config *config, sotto_error *error)
{
    const char *stranger = NULL;
    if (config->width != sotto_train_defaults().width) stranger = "`width`";
    if (!isnan(config->threshold)) stranger = "`threshold`";
    if (config->loss != NULL) stranger = "`loss`";
    if (stranger != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s has no meaning for the model softmax; leave it out",
                        stranger);
    }
    if (!isnan(config->radius) &&
        !(config->radius >= 0x1p-100 && config->radius <= 0x1p100)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`radius` is %g; a bound of the coefficients' norm lies from "
                        "1e-30 to 1e30; for example `radius=10`",
                        config->radius);
    }
    return SOTTO_OK;
}

static sotto_status check_target(const sot_encoding *encoding, sotto_error *error)
{
    const size_t classes = sot_encoding_classes(encoding);
    if (sot_encoding_role(encoding) != SOT_TARGET_CLASSES) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the model softmax needs classes: a target with a label set");
    }
    if (classes < 2 || classes > SOT_SOFTMAX_CLASSES_MOST) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the label set has %zu labels; the model softmax needs 2 to %d",
                        classes, (int)SOT_SOFTMAX_CLASSES_MOST);
    }
    return SOTTO_OK;
}

sotto_status sot_softmax_empirical(const sot_learner_setup *setup,
                                   sot_empirical **out_empirical, sotto_error *error)
{
    sotto_status status = check_settings(setup->config, error);
    if (status == SOTTO_OK) status = check_target(setup->encoding, error);
    if (status != SOTTO_OK) return status;
    sot_empirical *empirical = sot_new_array(1, sizeof *empirical);
    if (empirical == NULL) return sot_fail_memory(error, 1, sizeof *empirical);
    empirical->facts = facts_of(setup->encoding);
    empirical->operations = &operations;
    *out_empirical = empirical;
    return SOTTO_OK;
}
