#include "models/softmax/pass.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "models/linear/rows/rows.h"
#include "models/softmax/row.h"

enum {
    CHUNKS_MOST = 64,    /* beyond it more threads do not help */
    SUMS_MOST = 1 << 22, /* numbers in all chunks' sums, 64 MB with their blocks' */
    CHUNK_ROWS_LEAST = 256,
    BLOCK_ROWS = 256,
    STEP_BYTES = 1 << 17,   /* rows that are read twice stay in the second cache */
    STEP_NUMBERS = 1 << 14, /* margins of a step */
    STEP_LEAST = 4
};

/* Rows looked at together: 4 to 64. */
static size_t step_of(const sot_matrix *matrix, size_t classes)
{
    size_t step = STEP_NUMBERS / classes;
    if (matrix->dense != NULL) {
        const size_t fit = (size_t)STEP_BYTES / (matrix->stride * sizeof *matrix->dense);
        step = fit < step ? fit : step;
    }
    if (step > SOT_SOFTMAX_STEP_MOST) step = SOT_SOFTMAX_STEP_MOST;
    return step < STEP_LEAST ? STEP_LEAST : step / 4 * 4;
}

static void set_shape(sot_softmax_pass *pass)
{
    const sot_matrix *matrix = pass->problem->matrix;
    pass->length = sot_softmax_length(matrix, pass->problem->classes);
    pass->step = step_of(matrix, pass->problem->classes);
    /* A block's sums are added to the chunk's: few additions against the block's own. */
    pass->block_rows = BLOCK_ROWS;
    if (matrix->dense == NULL && matrix->columns / 8 > BLOCK_ROWS)
        pass->block_rows = matrix->columns / 8;
    size_t chunks_most = SUMS_MOST / pass->length;
    if (chunks_most > CHUNKS_MOST) chunks_most = CHUNKS_MOST;
    if (chunks_most == 0) chunks_most = 1;
    pass->chunk_rows = sot_size_blocks(matrix->rows, chunks_most);
    if (pass->chunk_rows < CHUNK_ROWS_LEAST) pass->chunk_rows = CHUNK_ROWS_LEAST;
    pass->chunks = sot_size_blocks(matrix->rows, pass->chunk_rows);
}

/* A vector of the given numbers; NULL if memory runs out. */
static double *arranged(const sot_softmax_pass *pass, const double *from)
{
    double *vector = sot_softmax_vector(pass);
    if (vector != NULL) sot_softmax_arrange(pass, from, vector);
    return vector;
}

sotto_status sot_softmax_pass_begin(const sot_softmax *problem,
                                    sot_softmax_pass *out_pass, sotto_error *error)
{
    assert(problem->lambda > 0.0 && problem->matrix->columns > 0 &&
           problem->classes >= 2);
    sot_softmax_pass pass = {.problem = problem,
                             .kernels = sot_softmax_kernels_for(problem->matrix)};
    set_shape(&pass);
    const size_t scales = pass.step * problem->classes;
    pass.sums = sot_new_array(pass.chunks * 2, pass.length * sizeof *pass.sums);
    pass.scales = sot_new_array(pass.chunks, scales * sizeof *pass.scales);
    pass.numbers = sot_new_array(pass.chunks * 2, sizeof *pass.numbers);
    if (problem->center != NULL) pass.center = arranged(&pass, problem->center);
    if (problem->linear != NULL) pass.linear = arranged(&pass, problem->linear);
    *out_pass = pass;
    if (pass.sums == NULL || pass.scales == NULL || pass.numbers == NULL ||
        (problem->center != NULL && pass.center == NULL) ||
        (problem->linear != NULL && pass.linear == NULL))
        return sot_fail_memory(error, pass.chunks * 2 + 1,
                               pass.length * sizeof *pass.sums);
    return SOTTO_OK;
}

void sot_softmax_pass_end(sot_softmax_pass *pass)
{
    if (pass->problem == NULL) return;
    const size_t scales = pass->step * pass->problem->classes;
    sot_wipe_and_free(pass->sums, pass->chunks * 2 * pass->length * sizeof(double));
    sot_wipe_and_free(pass->scales, pass->chunks * scales * sizeof(double));
    sot_wipe_and_free(pass->numbers, pass->chunks * 2 * sizeof(double));
    sot_softmax_drop(pass, pass->center);
    sot_softmax_drop(pass, pass->linear);
    *pass = (sot_softmax_pass){0};
}

double *sot_softmax_vector(const sot_softmax_pass *pass)
{
    return sot_new_array(pass->length, sizeof(double));
}

void sot_softmax_drop(const sot_softmax_pass *pass, double *vector)
{
    sot_wipe_and_free(vector, pass->length * sizeof *vector);
}

void sot_softmax_arrange(const sot_softmax_pass *pass, const double *from, double *out)
{
    const sot_matrix *matrix = pass->problem->matrix;
    const size_t classes = pass->problem->classes;
    for (size_t c = 0; c < classes; c++) {
        for (size_t j = 0; j < matrix->columns; j++)
            out[sot_softmax_place(matrix, classes, c, j)] = from[c * matrix->columns + j];
    }
}

void sot_softmax_restore(const sot_softmax_pass *pass, const double *from, double *out)
{
    const sot_matrix *matrix = pass->problem->matrix;
    const size_t classes = pass->problem->classes;
    for (size_t c = 0; c < classes; c++) {
        for (size_t j = 0; j < matrix->columns; j++)
            out[c * matrix->columns + j] = from[sot_softmax_place(matrix, classes, c, j)];
    }
}

/* The common state of the chunks of one pass. */
typedef struct job job;
struct job {
    sot_softmax_pass *pass;
    void (*scale)(const job *task, size_t row, double *scales, double numbers[2]);
    const double *vector;
    const double *probabilities_in;
    double *probabilities_out;
    bool with_value;
};

/* The chunk's sum of scales[i] (x) x_i, where scales[i] comes from the row's products. */
static sotto_status add_chunk(size_t chunk, size_t begin, size_t end, void *context,
                              sotto_error *error)
{
    (void)error;
    const job *task = context;
    const sot_softmax_pass *pass = task->pass;
    const size_t classes = pass->problem->classes;
    double *sum = pass->sums + chunk * 2 * pass->length;
    double *block = sum + pass->length;
    double *scales = pass->scales + chunk * pass->step * classes;
    double numbers[2] = {0.0, 0.0};
    sot_softmax_rows rows = {.matrix = pass->problem->matrix, .classes = classes};

    memset(sum, 0, pass->length * sizeof *sum);
    for (size_t first = begin; first < end; first += pass->block_rows) {
        const size_t last =
            end - first > pass->block_rows ? first + pass->block_rows : end;
        memset(block, 0, pass->length * sizeof *block);
        for (size_t i = first; i < last; i += pass->step) {
            rows.count = last - i > pass->step ? pass->step : last - i;
            for (size_t k = 0; k < rows.count; k++)
                rows.at[k] = i + k;
            pass->kernels->dots(&rows, task->vector, scales);
            for (size_t k = 0; k < rows.count; k++)
                task->scale(task, i + k, scales + k * classes, numbers);
            pass->kernels->add(&rows, scales, block);
        }
        for (size_t j = 0; j < pass->length; j++)
            sum[j] += block[j];
    }
    pass->numbers[2 * chunk] = numbers[0];
    pass->numbers[2 * chunk + 1] = numbers[1];
    return SOTTO_OK;
}

/* Margins become slopes. */
static void slopes(const job *task, size_t row, double *scales, double numbers[2])
{
    const sot_softmax *problem = task->pass->problem;
    const size_t classes = problem->classes;
    const size_t label = sot_softmax_class(problem->matrix->labels[row], classes);
    numbers[1] += sot_softmax_row(scales, classes, label, task->with_value);
    if (task->probabilities_out != NULL)
        memcpy(task->probabilities_out + row * classes, scales, classes * sizeof *scales);
    scales[label] -= 1.0;
    double squares = 0.0;
    for (size_t c = 0; c < classes; c++)
        squares += scales[c] * scales[c];
    numbers[0] += squares;
}

/* q = x.v becomes (diag p - p p^T) q. */
static void curved(const job *task, size_t row, double *scales, double numbers[2])
{
    (void)numbers;
    const size_t classes = task->pass->problem->classes;
    const double *p = task->probabilities_in + row * classes;
    double mean = 0.0;
    for (size_t c = 0; c < classes; c++)
        mean += p[c] * scales[c];
    for (size_t c = 0; c < classes; c++)
        scales[c] = p[c] * (scales[c] - mean);
}

sot_frame sot_softmax_frame(const sot_softmax_pass *pass)
{
    return (sot_frame){.pool = pass->problem->pool,
                       .rows = pass->problem->matrix->rows,
                       .chunk_rows = pass->chunk_rows,
                       .chunks = pass->chunks,
                       .sums = pass->sums,
                       .stride = 2 * pass->length,
                       .numbers = pass->numbers};
}

sotto_status sot_softmax_gradient(sot_softmax_pass *pass, const double *theta,
                                  const sot_softmax_result *out, sotto_error *error)
{
    const sot_softmax *problem = pass->problem;
    job task = {.pass = pass,
                .scale = slopes,
                .vector = theta,
                .probabilities_out = out->probabilities,
                .with_value = out->value != NULL};
    const sotto_status status = sot_parallel_for(
        problem->pool, problem->matrix->rows, pass->chunk_rows, add_chunk, &task, error);
    if (status != SOTTO_OK) return status;
    sot_chunks_add_up(pass->sums, pass->chunks, pass->length, out->gradient);
    const double terms = sot_softmax_add_terms(pass, theta, out->gradient);
    double squares, values;
    const sot_frame frame = sot_softmax_frame(pass);
    sot_frame_add_numbers(&frame, &squares, &values);
    if (out->slope_squares != NULL) *out->slope_squares = squares;
    if (out->value != NULL) *out->value = values + terms;
    return SOTTO_OK;
}

sotto_status sot_softmax_curved(sot_softmax_pass *pass, const double *probabilities,
                                const double *ridge, const double *v, double *out,
                                sotto_error *error)
{
    const sot_softmax *problem = pass->problem;
    job task = {
        .pass = pass, .scale = curved, .vector = v, .probabilities_in = probabilities};
    const sotto_status status = sot_parallel_for(
        problem->pool, problem->matrix->rows, pass->chunk_rows, add_chunk, &task, error);
    if (status != SOTTO_OK) return status;
    sot_chunks_add_up(pass->sums, pass->chunks, pass->length, out);
    for (size_t j = 0; j < pass->length; j++)
        out[j] += ridge[j] * v[j];
    return SOTTO_OK;
}
