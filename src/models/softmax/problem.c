#include "models/softmax/softmax.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/linear/rows/cholesky.h"
#include "models/softmax/pass.h"

sotto_status sot_softmax_value(const sot_softmax *softmax, const double *theta,
                               double *out_value, double *out_gradient,
                               sotto_error *error)
{
    sot_softmax_pass pass;
    double *at = NULL;
    double *gradient = NULL;
    sotto_status status = sot_softmax_pass_begin(softmax, &pass, error);
    if (status != SOTTO_OK) goto done;
    at = sot_softmax_vector(&pass);
    gradient = sot_softmax_vector(&pass);
    if (at == NULL || gradient == NULL) {
        status = sot_fail_memory(error, pass.length, sizeof *at);
        goto done;
    }
    sot_softmax_arrange(&pass, theta, at);
    const sot_softmax_result out = {.gradient = gradient, .value = out_value};
    status = sot_softmax_gradient(&pass, at, &out, error);
    if (status == SOTTO_OK && out_gradient != NULL)
        sot_softmax_restore(&pass, gradient, out_gradient);
done:
    sot_softmax_drop(&pass, at);
    sot_softmax_drop(&pass, gradient);
    sot_softmax_pass_end(&pass);
    return status;
}

static sotto_status norm_upper(sot_softmax_pass *pass, const double *at, double *gradient,
                               double *low, bool careful, double *out_upper,
                               sotto_error *error)
{
    sot_softmax_bounds bounds;
    double squares = 0.0;
    sotto_status status = sot_softmax_measure(pass, &bounds, error);
    if (status != SOTTO_OK) return status;
    if (careful) {
        status =
            sot_softmax_gradient_careful(pass, at, NULL, gradient, low, &squares, error);
        if (status == SOTTO_OK)
            *out_upper =
                sot_softmax_norm_upper_careful(pass, &bounds, at, gradient, low, squares);
        return status;
    }
    const sot_softmax_result out = {.gradient = gradient, .slope_squares = &squares};
    status = sot_softmax_gradient(pass, at, &out, error);
    if (status == SOTTO_OK)
        *out_upper = sot_softmax_norm_upper(pass, &bounds, at, gradient, squares);
    return status;
}

sotto_status sot_softmax_gradient_norm_upper(const sot_softmax *softmax,
                                             const double *theta, bool careful,
                                             double *out_norm_upper, sotto_error *error)
{
    sot_softmax_pass pass;
    double *at = NULL;
    double *gradient = NULL;
    double *low = NULL;
    sotto_status status = sot_softmax_pass_begin(softmax, &pass, error);
    if (status != SOTTO_OK) goto done;
    at = sot_softmax_vector(&pass);
    gradient = sot_softmax_vector(&pass);
    low = sot_softmax_vector(&pass);
    if (at == NULL || gradient == NULL || low == NULL) {
        status = sot_fail_memory(error, pass.length, sizeof *at);
        goto done;
    }
    sot_softmax_arrange(&pass, theta, at);
    status = norm_upper(&pass, at, gradient, low, careful, out_norm_upper, error);
done:
    sot_softmax_drop(&pass, at);
    sot_softmax_drop(&pass, gradient);
    sot_softmax_drop(&pass, low);
    sot_softmax_pass_end(&pass);
    return status;
}

/* Column by column of the Hessian, as its products with the coordinates: few of them. */
static sotto_status fill_hessian(sot_softmax_pass *pass, const double *probabilities,
                                 const double *ridge, double *unit, double *product,
                                 double *out, sotto_error *error)
{
    const sot_matrix *matrix = pass->problem->matrix;
    const size_t classes = pass->problem->classes;
    const size_t dimension = classes * matrix->columns;
    for (size_t a = 0; a < dimension; a++) {
        const size_t place =
            sot_softmax_place(matrix, classes, a / matrix->columns, a % matrix->columns);
        unit[place] = 1.0;
        const sotto_status status =
            sot_softmax_curved(pass, probabilities, ridge, unit, product, error);
        unit[place] = 0.0;
        if (status != SOTTO_OK) return status;
        sot_softmax_restore(pass, product, out + a * dimension);
    }
    return SOTTO_OK;
}

typedef struct workspace {
    double *at, *gradient, *ridge, *unit, *product; /* vectors */
    double *probabilities, *hessian;
} workspace;

sotto_status sot_softmax_noise_of(const sot_softmax *softmax, const double *theta,
                                  double *out_noise, double *out_log_determinant,
                                  sotto_error *error)
{
    const size_t rows = softmax->matrix->rows;
    const size_t dimension = softmax->classes * softmax->matrix->columns;
    sot_softmax untilted = *softmax;
    untilted.linear = NULL;
    sot_softmax_pass pass;
    workspace w = {0};
    sotto_status status = sot_softmax_pass_begin(&untilted, &pass, error);
    if (status != SOTTO_OK) goto done;
    w.at = sot_softmax_vector(&pass);
    w.gradient = sot_softmax_vector(&pass);
    w.ridge = sot_softmax_vector(&pass);
    w.unit = sot_softmax_vector(&pass);
    w.product = sot_softmax_vector(&pass);
    w.probabilities = sot_new_array(rows, softmax->classes * sizeof *w.probabilities);
    w.hessian = sot_new_array(dimension, dimension * sizeof *w.hessian);
    if (w.at == NULL || w.gradient == NULL || w.ridge == NULL || w.unit == NULL ||
        w.product == NULL || w.probabilities == NULL || w.hessian == NULL) {
        status = sot_fail_memory(error, dimension, dimension * sizeof *w.hessian);
        goto done;
    }
    sot_softmax_arrange(&pass, theta, w.at);
    const sot_softmax_result out = {.gradient = w.gradient,
                                    .probabilities = w.probabilities};
    status = sot_softmax_gradient(&pass, w.at, &out, error);
    if (status != SOTTO_OK) goto done;
    sot_softmax_ridge(&pass, w.at, w.ridge);
    status = fill_hessian(&pass, w.probabilities, w.ridge, w.unit, w.product, w.hessian,
                          error);
    if (status != SOTTO_OK) goto done;
    sot_softmax_restore(&pass, w.gradient, out_noise);
    for (size_t j = 0; j < dimension; j++)
        out_noise[j] = -out_noise[j];
    *out_log_determinant = sot_cholesky(w.hessian, dimension)
                               ? sot_cholesky_log_determinant(w.hessian, dimension)
                               : (double)NAN;
done:
    sot_softmax_drop(&pass, w.at);
    sot_softmax_drop(&pass, w.gradient);
    sot_softmax_drop(&pass, w.ridge);
    sot_softmax_drop(&pass, w.unit);
    sot_softmax_drop(&pass, w.product);
    sot_wipe_and_free(w.probabilities, rows * softmax->classes * sizeof(double));
    sot_wipe_and_free(w.hessian, dimension * dimension * sizeof(double));
    sot_softmax_pass_end(&pass);
    return status;
}
