#include "models/linear/solver/pass.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "models/linear/rows/bins.h"

enum {
    CHUNKS_MOST = 64,    /* beyond it more threads do not help */
    SUMS_MOST = 1 << 21, /* numbers in all chunks' sums, 32 MB with their blocks' */
    CHUNK_ROWS_LEAST = 512,
    BLOCK_ROWS = 256
};

sotto_status sot_pass_begin(const sot_glm *glm, sot_pass *out_pass, sotto_error *error)
{
    const sot_matrix *matrix = glm->matrix;
    assert(glm->lambda > 0.0 && matrix->columns > 0);
    sot_pass pass = {.glm = glm, .rows = sot_rows_for(matrix)};
    pass.width = sot_rows_width(matrix);
    pass.step = sot_rows_step(matrix);
    /* A block's sums are added to the chunk's: `width` additions, few against the block's own. */
    pass.block_rows = BLOCK_ROWS;
    if (matrix->dense == NULL && pass.width / 8 > BLOCK_ROWS)
        pass.block_rows = pass.width / 8;
    size_t chunks_most = SUMS_MOST / pass.width;
    if (chunks_most > CHUNKS_MOST) chunks_most = CHUNKS_MOST;
    if (chunks_most == 0) chunks_most = 1;
    pass.chunk_rows = sot_size_blocks(matrix->rows, chunks_most);
    if (pass.chunk_rows < CHUNK_ROWS_LEAST) pass.chunk_rows = CHUNK_ROWS_LEAST;
    pass.chunks = sot_size_blocks(matrix->rows, pass.chunk_rows);

    pass.sums = sot_new_array(pass.chunks * 2, pass.width * sizeof *pass.sums);
    pass.numbers = sot_new_array(pass.chunks * 2, sizeof *pass.numbers);
    pass.ridge = sot_new_array(pass.width, sizeof *pass.ridge);
    bool complete = pass.sums != NULL && pass.numbers != NULL && pass.ridge != NULL;
    if (matrix->layout != NULL) {
        pass.values[0] = sot_new_array(pass.width, sizeof *pass.values[0]);
        pass.values[1] = sot_new_array(pass.width, sizeof *pass.values[1]);
        pass.by_value = sot_new_array(pass.width, sizeof *pass.by_value);
        complete = complete && pass.values[0] != NULL && pass.values[1] != NULL &&
                   pass.by_value != NULL;
    }
    *out_pass = pass;
    if (!complete)
        return sot_fail_memory(error, pass.chunks * 2, pass.width * sizeof *pass.sums);
    for (size_t j = 0; j < pass.width; j++)
        pass.ridge[j] = glm->lambda;
    return SOTTO_OK;
}

void sot_pass_end(sot_pass *pass)
{
    if (pass->sums != NULL)
        sot_wipe_and_free(pass->sums, pass->chunks * 2 * pass->width * sizeof(double));
    if (pass->numbers != NULL)
        sot_wipe_and_free(pass->numbers, pass->chunks * 2 * sizeof(double));
    sot_pass_drop(pass, pass->ridge);
    sot_pass_drop(pass, pass->values[0]);
    sot_pass_drop(pass, pass->values[1]);
    sot_pass_drop(pass, pass->by_value);
    *pass = (sot_pass){0};
}

double *sot_pass_vector(const sot_pass *pass)
{
    return sot_new_array(pass->width, sizeof(double));
}

void sot_pass_drop(const sot_pass *pass, double *vector)
{
    if (vector != NULL) sot_wipe_and_free(vector, pass->width * sizeof *vector);
}

const double *sot_pass_expand(sot_pass *pass, const double *theta, size_t point)
{
    if (pass->by_value == NULL) return theta;
    sot_bins_expand(pass->glm->matrix->layout, theta, pass->values[point]);
    return pass->values[point];
}

void sot_pass_collect(sot_pass *pass, double *out)
{
    double *sum = pass->by_value == NULL ? out : pass->by_value;
    sot_chunks_add_up(pass->sums, pass->chunks, pass->width, sum);
    if (sum != out) sot_bins_collapse(pass->glm->matrix->layout, sum, out);
}

/* The common state of the chunks of one pass. */
typedef struct job job;
struct job {
    sot_pass *pass;
    void (*scale)(const job *task, size_t begin, size_t count, double *scales,
                  double numbers[2]);
    const double *vector;
    const double *curvatures_in;
    double *curvatures_out;
    bool with_value;
};

/* The chunk's sum of scales[i] x_i, where scales[i] comes from the row's product with `vector`. */
static sotto_status add_chunk(size_t chunk, size_t begin, size_t end, void *context,
                              sotto_error *error)
{
    (void)error;
    const job *task = context;
    const sot_pass *pass = task->pass;
    const sot_matrix *matrix = pass->glm->matrix;
    double *sum = pass->sums + chunk * 2 * pass->width;
    double *block = sum + pass->width;
    double numbers[2] = {0.0, 0.0};
    double scales[SOT_ROWS_STEP_MOST];

    memset(sum, 0, pass->width * sizeof *sum);
    for (size_t first = begin; first < end; first += pass->block_rows) {
        const size_t last =
            end - first > pass->block_rows ? first + pass->block_rows : end;
        memset(block, 0, pass->width * sizeof *block);
        for (size_t i = first; i < last; i += pass->step) {
            const size_t next = last - i > pass->step ? i + pass->step : last;
            pass->rows->dots(matrix, i, next, task->vector, scales);
            task->scale(task, i, next - i, scales, numbers);
            pass->rows->add(matrix, i, next, scales, block);
        }
        for (size_t j = 0; j < pass->width; j++)
            sum[j] += block[j];
    }
    pass->numbers[2 * chunk] = numbers[0];
    pass->numbers[2 * chunk + 1] = numbers[1];
    sot_wipe(scales, sizeof scales);
    return SOTTO_OK;
}

/* Margins become slopes. */
static void slopes(const job *task, size_t begin, size_t count, double *scales,
                   double numbers[2])
{
    const sot_loss *loss = task->pass->glm->loss;
    const double *labels = task->pass->glm->matrix->labels + begin;
    double squares = 0.0;
    double values = 0.0;
    for (size_t i = 0; i < count; i++) {
        sot_loss_at at;
        if (task->with_value) {
            loss->at(loss, scales[i], labels[i], &at);
            values += at.value;
        } else {
            loss->bend(loss, scales[i], labels[i], &at.slope, &at.curvature);
        }
        if (task->curvatures_out != NULL) task->curvatures_out[begin + i] = at.curvature;
        squares += at.slope * at.slope;
        scales[i] = at.slope;
    }
    numbers[0] += squares;
    numbers[1] += values;
}

/* Products with v are weighted by the curvatures. */
static void curved(const job *task, size_t begin, size_t count, double *scales,
                   double numbers[2])
{
    (void)numbers;
    for (size_t i = 0; i < count; i++)
        scales[i] *= task->curvatures_in[begin + i];
}

sot_frame sot_pass_frame(const sot_pass *pass)
{
    return (sot_frame){.pool = pass->glm->pool,
                       .rows = pass->glm->matrix->rows,
                       .chunk_rows = pass->chunk_rows,
                       .chunks = pass->chunks,
                       .sums = pass->sums,
                       .stride = 2 * pass->width,
                       .numbers = pass->numbers};
}

sotto_status sot_pass_gradient(sot_pass *pass, const double *theta,
                               const sot_pass_result *out, sotto_error *error)
{
    const sot_glm *glm = pass->glm;
    job task = {.pass = pass,
                .scale = slopes,
                .vector = sot_pass_expand(pass, theta, 0),
                .curvatures_out = out->curvatures,
                .with_value = out->value != NULL};
    const sotto_status status = sot_parallel_for(
        glm->pool, glm->matrix->rows, pass->chunk_rows, add_chunk, &task, error);
    if (status != SOTTO_OK) return status;

    sot_pass_collect(pass, out->gradient);
    sot_terms_add_gradient(glm, pass->nu, theta, out->gradient);
    double squares, values;
    const sot_frame frame = sot_pass_frame(pass);
    sot_frame_add_numbers(&frame, &squares, &values);
    if (out->slope_squares != NULL) *out->slope_squares = squares;
    if (out->value != NULL) *out->value = values + sot_terms_value(glm, theta);
    return SOTTO_OK;
}

sotto_status sot_pass_curved(sot_pass *pass, const double *curvatures, const double *v,
                             double *out, sotto_error *error)
{
    const sot_glm *glm = pass->glm;
    job task = {.pass = pass,
                .scale = curved,
                .vector = sot_pass_expand(pass, v, 0),
                .curvatures_in = curvatures};
    const sotto_status status = sot_parallel_for(
        glm->pool, glm->matrix->rows, pass->chunk_rows, add_chunk, &task, error);
    if (status != SOTTO_OK) return status;
    sot_pass_collect(pass, out);
    for (size_t j = 0; j < glm->matrix->columns; j++)
        out[j] += pass->ridge[j] * v[j];
    return SOTTO_OK;
}
