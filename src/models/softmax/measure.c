/* One pass that needs no theta: the length of the rows. And the diagonal of the Hessian, which is also a
 * sum of squares. */
#include <string.h>

#include "base/size.h"
#include "models/linear/solver/pass.h"
#include "models/softmax/pass.h"

sotto_status sot_softmax_measure(sot_softmax_pass *pass, sot_softmax_bounds *out_bounds,
                                 sotto_error *error)
{
    const sot_softmax *problem = pass->problem;
    *out_bounds = (sot_softmax_bounds){
        .center_upper =
            pass->center != NULL ? sot_norm_upper(pass->center, pass->length) : 0.0,
        .linear_upper =
            pass->linear != NULL ? sot_norm_upper(pass->linear, pass->length) : 0.0,
        .terms = sot_rows_terms_most(problem->matrix)};
    return sot_rows_measure(problem->matrix, problem->pool, pass->chunk_rows,
                            pass->chunks, pass->numbers, &out_bounds->frobenius_upper,
                            &out_bounds->row_upper, error);
}

typedef struct task {
    sot_softmax_pass *pass;
    const double *probabilities;
    size_t every;
} task;

static void add_squares(const sot_softmax_pass *pass, size_t row, const double *p,
                        double *sum)
{
    const sot_matrix *matrix = pass->problem->matrix;
    const size_t classes = pass->problem->classes;
    if (matrix->dense != NULL) {
        const float *x = matrix->dense + row * matrix->stride;
        for (size_t c = 0; c < classes; c++) {
            const double curvature = p[c] * (1.0 - p[c]);
            double *line = sum + c * matrix->stride;
            for (size_t j = 0; j < matrix->columns; j++)
                line[j] += curvature * ((double)x[j] * (double)x[j]);
        }
        return;
    }
    for (size_t k = (size_t)matrix->starts[row]; k < (size_t)matrix->starts[row + 1];
         k++) {
        const double square = (double)matrix->values[k] * (double)matrix->values[k];
        double *column = sum + matrix->indices[k] * classes;
        for (size_t c = 0; c < classes; c++)
            column[c] += p[c] * (1.0 - p[c]) * square;
    }
}

static sotto_status diagonal_chunk(size_t chunk, size_t begin, size_t end, void *context,
                                   sotto_error *error)
{
    (void)error;
    const task *shared = context;
    const sot_softmax_pass *pass = shared->pass;
    double *sum = pass->sums + chunk * 2 * pass->length;
    memset(sum, 0, pass->length * sizeof *sum);
    for (size_t i = sot_size_blocks(begin, shared->every) * shared->every; i < end;
         i += shared->every)
        add_squares(pass, i, shared->probabilities + i * pass->problem->classes, sum);
    return SOTTO_OK;
}

sotto_status sot_softmax_diagonal(sot_softmax_pass *pass, const double *probabilities,
                                  const double *ridge, size_t every, double *out,
                                  sotto_error *error)
{
    const sot_softmax *problem = pass->problem;
    task shared = {.pass = pass, .probabilities = probabilities, .every = every};
    const sotto_status status =
        sot_parallel_for(problem->pool, problem->matrix->rows, pass->chunk_rows,
                         diagonal_chunk, &shared, error);
    if (status != SOTTO_OK) return status;
    for (size_t j = 0; j < pass->length; j++) {
        double sum = 0.0;
        for (size_t chunk = 0; chunk < pass->chunks; chunk++)
            sum += pass->sums[chunk * 2 * pass->length + j];
        out[j] = ridge[j] + sum * (double)every;
    }
    return SOTTO_OK;
}
