#include "models/linear/solver/problem.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/linear/rows/cholesky.h"
#include "models/linear/solver/pass.h"

sotto_status sot_glm_value(const sot_glm *glm, const double *theta, double *out_value,
                           double *out_gradient, sotto_error *error)
{
    const size_t columns = glm->matrix->columns;
    sot_pass pass;
    sotto_status status = sot_pass_begin(glm, &pass, error);
    double *at = status == SOTTO_OK ? sot_pass_vector(&pass) : NULL;
    double *gradient = status == SOTTO_OK ? sot_pass_vector(&pass) : NULL;
    if (status == SOTTO_OK && (at == NULL || gradient == NULL))
        status = sot_fail_memory(error, columns, sizeof *at);
    if (status != SOTTO_OK) goto done;

    memcpy(at, theta, columns * sizeof *at);
    status = sot_pass_gradient(
        &pass, at, &(sot_pass_result){.gradient = gradient, .value = out_value}, error);
    if (status == SOTTO_OK && out_gradient != NULL)
        memcpy(out_gradient, gradient, columns * sizeof *gradient);
done:
    sot_pass_drop(&pass, at);
    sot_pass_drop(&pass, gradient);
    sot_pass_end(&pass);
    return status;
}

sotto_status sot_glm_gradient_norm_upper(const sot_glm *glm, const double *theta,
                                         bool careful, double *out_norm_upper,
                                         sotto_error *error)
{
    const size_t columns = glm->matrix->columns;
    sot_pass pass;
    sot_pass_bounds bounds;
    sotto_status status = sot_pass_begin(glm, &pass, error);
    double *at = status == SOTTO_OK ? sot_pass_vector(&pass) : NULL;
    double *gradient = status == SOTTO_OK ? sot_pass_vector(&pass) : NULL;
    double *low = status == SOTTO_OK ? sot_pass_vector(&pass) : NULL;
    if (status == SOTTO_OK && (at == NULL || gradient == NULL || low == NULL))
        status = sot_fail_memory(error, columns, sizeof *at);
    if (status != SOTTO_OK) goto done;

    memcpy(at, theta, columns * sizeof *at);
    status = sot_pass_measure(&pass, &bounds, error);
    if (status != SOTTO_OK) goto done;
    double squares = 0.0;
    if (careful) {
        status =
            sot_pass_gradient_careful(&pass, at, NULL, gradient, low, &squares, error);
        if (status != SOTTO_OK) goto done;
        *out_norm_upper =
            sot_pass_norm_upper_careful(&pass, &bounds, at, gradient, low, squares);
    } else {
        const sot_pass_result out = {.gradient = gradient, .slope_squares = &squares};
        status = sot_pass_gradient(&pass, at, &out, error);
        if (status != SOTTO_OK) goto done;
        *out_norm_upper = sot_pass_norm_upper(&pass, &bounds, at, gradient, squares);
    }
done:
    sot_pass_drop(&pass, at);
    sot_pass_drop(&pass, gradient);
    sot_pass_drop(&pass, low);
    sot_pass_end(&pass);
    return status;
}

sotto_status sot_glm_noise_of(const sot_glm *glm, const double *theta, double *out_noise,
                              double *out_log_determinant, sotto_error *error)
{
    const size_t columns = glm->matrix->columns;
    const size_t rows = glm->matrix->rows;
    sot_glm untilted = *glm;
    untilted.linear = NULL;
    sot_pass pass;
    sotto_status status = sot_pass_begin(&untilted, &pass, error);
    double *at = status == SOTTO_OK ? sot_pass_vector(&pass) : NULL;
    double *gradient = status == SOTTO_OK ? sot_pass_vector(&pass) : NULL;
    double *curvatures = sot_new_array(rows, sizeof *curvatures);
    double *hessian = sot_new_array(columns, columns * sizeof *hessian);
    if (status == SOTTO_OK &&
        (at == NULL || gradient == NULL || curvatures == NULL || hessian == NULL))
        status = sot_fail_memory(error, columns, columns * sizeof *hessian);
    if (status != SOTTO_OK) goto done;

    memcpy(at, theta, columns * sizeof *at);
    status = sot_pass_gradient(
        &pass, at, &(sot_pass_result){.gradient = gradient, .curvatures = curvatures},
        error);
    if (status != SOTTO_OK) goto done;
    sot_terms_curvatures(glm, 0.0, at, pass.ridge);
    status = sot_pass_hessian(&pass, curvatures, hessian, error);
    if (status != SOTTO_OK) goto done;
    for (size_t j = 0; j < columns; j++)
        out_noise[j] = -gradient[j];
    *out_log_determinant = sot_cholesky(hessian, columns)
                               ? sot_cholesky_log_determinant(hessian, columns)
                               : (double)NAN;
done:
    sot_pass_drop(&pass, at);
    sot_pass_drop(&pass, gradient);
    if (curvatures != NULL) sot_wipe_and_free(curvatures, rows * sizeof *curvatures);
    if (hessian != NULL) sot_wipe_and_free(hessian, columns * columns * sizeof *hessian);
    sot_pass_end(&pass);
    return status;
}
