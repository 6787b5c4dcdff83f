/* One pass that needs no theta: the length of the rows. And the diagonal of the Hessian, which is
 * also a sum of squares. */
#include <math.h>
#include <string.h>

#include "models/linear/rows/bins.h"
#include "models/linear/solver/pass.h"

typedef struct lengths {
    const sot_matrix *matrix;
    double *numbers; /* of each chunk: the sum of all squares, the most of a row */
} lengths;

static double row_squares(const sot_matrix *matrix, size_t row)
{
    double squares = 0.0;
    if (matrix->layout != NULL) return sot_bins_squares(matrix->layout);
    if (matrix->dense != NULL) {
        const float *x = matrix->dense + row * matrix->stride;
        for (size_t j = 0; j < matrix->columns; j++)
            squares += (double)x[j] * (double)x[j];
        return squares;
    }
    for (size_t k = (size_t)matrix->starts[row]; k < (size_t)matrix->starts[row + 1]; k++)
        squares += (double)matrix->values[k] * (double)matrix->values[k];
    return squares;
}

static sotto_status measure_chunk(size_t chunk, size_t begin, size_t end, void *context,
                                  sotto_error *error)
{
    (void)error;
    const lengths *shared = context;
    double total = 0.0;
    double most = 0.0;
    for (size_t i = begin; i < end; i++) {
        const double squares = row_squares(shared->matrix, i);
        total += squares;
        if (squares > most) most = squares;
    }
    shared->numbers[2 * chunk] = total;
    shared->numbers[2 * chunk + 1] = most;
    return SOTTO_OK;
}

sotto_status sot_rows_measure(const sot_matrix *matrix, sot_pool *pool, size_t chunk_rows,
                              size_t chunks, double *numbers, double *out_frobenius_upper,
                              double *out_row_upper, sotto_error *error)
{
    lengths shared = {.matrix = matrix, .numbers = numbers};
    const sotto_status status =
        sot_parallel_for(pool, matrix->rows, chunk_rows, measure_chunk, &shared, error);
    if (status != SOTTO_OK) return status;
    double total = 0.0;
    double most = 0.0;
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        total += numbers[2 * chunk];
        if (numbers[2 * chunk + 1] > most) most = numbers[2 * chunk + 1];
    }
    /* Squares of floats are exact; a term goes through at most this many additions of positive
     * numbers, each with a relative error of 2^-53. */
    const double additions =
        (double)sot_rows_terms_most(matrix) + (double)chunk_rows + (double)chunks;
    const double more = 1.0 + additions * 0x1p-52 + 0x1p-50;
    *out_frobenius_upper = sqrt(total * more) * (1.0 + 0x1p-50);
    *out_row_upper = sqrt(most * more) * (1.0 + 0x1p-50);
    return SOTTO_OK;
}

void sot_chunks_add_up(const double *sums, size_t chunks, size_t length, double *out)
{
    memset(out, 0, length * sizeof *out);
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        const double *sum = sums + chunk * 2 * length;
        for (size_t j = 0; j < length; j++)
            out[j] += sum[j];
    }
}

sotto_status sot_pass_measure(sot_pass *pass, sot_pass_bounds *out_bounds,
                              sotto_error *error)
{
    const sot_glm *glm = pass->glm;
    const size_t columns = glm->matrix->columns;
    *out_bounds = (sot_pass_bounds){
        .linear_upper = glm->linear != NULL ? sot_norm_upper(glm->linear, columns) : 0.0,
        .center_upper = glm->center != NULL ? sot_norm_upper(glm->center, columns) : 0.0,
        .terms = sot_rows_terms_most(glm->matrix)};
    out_bounds->terms_careful = glm->matrix->layout != NULL ? columns : out_bounds->terms;
    return sot_rows_measure(glm->matrix, glm->pool, pass->chunk_rows, pass->chunks,
                            pass->numbers, &out_bounds->frobenius_upper,
                            &out_bounds->row_upper, error);
}

typedef struct task {
    sot_pass *pass;
    const double *curvatures;
} task;

static sotto_status diagonal_chunk(size_t chunk, size_t begin, size_t end, void *context,
                                   sotto_error *error)
{
    (void)error;
    const task *shared = context;
    const sot_matrix *matrix = shared->pass->glm->matrix;
    double *sum = shared->pass->sums + chunk * 2 * shared->pass->width;
    memset(sum, 0, shared->pass->width * sizeof *sum);
    for (size_t i = begin; i < end; i++) {
        const double curvature = shared->curvatures[i];
        if (matrix->layout != NULL) {
            shared->pass->rows->add(matrix, i, i + 1, &curvature, sum);
            continue;
        }
        if (matrix->dense != NULL) {
            const float *x = matrix->dense + i * matrix->stride;
            for (size_t j = 0; j < matrix->columns; j++)
                sum[j] += curvature * ((double)x[j] * (double)x[j]);
            continue;
        }
        for (size_t k = (size_t)matrix->starts[i]; k < (size_t)matrix->starts[i + 1]; k++)
            sum[matrix->indices[k]] +=
                curvature * ((double)matrix->values[k] * (double)matrix->values[k]);
    }
    return SOTTO_OK;
}

sotto_status sot_pass_diagonal(sot_pass *pass, const double *curvatures, double *out,
                               sotto_error *error)
{
    const sot_glm *glm = pass->glm;
    task shared = {.pass = pass, .curvatures = curvatures};
    const sotto_status status = sot_parallel_for(
        glm->pool, glm->matrix->rows, pass->chunk_rows, diagonal_chunk, &shared, error);
    if (status != SOTTO_OK) return status;
    if (glm->matrix->layout != NULL) {
        sot_chunks_add_up(pass->sums, pass->chunks, pass->width, pass->by_value);
        sot_bins_collapse_squares(glm->matrix->layout, pass->by_value, out);
        for (size_t j = 0; j < glm->matrix->columns; j++)
            out[j] += pass->ridge[j];
        return SOTTO_OK;
    }
    for (size_t j = 0; j < pass->width; j++) {
        out[j] = pass->ridge[j];
        for (size_t chunk = 0; chunk < pass->chunks; chunk++)
            out[j] += pass->sums[chunk * 2 * pass->width + j];
    }
    return SOTTO_OK;
}
