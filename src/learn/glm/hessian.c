/* The Hessian as a matrix: for direct solutions of few columns, and for its determinant. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "learn/glm/pass.h"

enum { HESSIAN_CHUNKS_MOST = 16, HESSIAN_SUMS_MOST = 1 << 22 };

typedef struct task {
    const sot_matrix *matrix;
    const double *curvatures;
    double *sums; /* columns^2 a chunk */
} task;

static void add_dense(const task *shared, size_t begin, size_t end, double *sum)
{
    const sot_matrix *matrix = shared->matrix;
    const size_t columns = matrix->columns;
    for (size_t i = begin; i < end; i++) {
        const float *x = matrix->dense + i * matrix->stride;
        for (size_t a = 0; a < columns; a++) {
            const double scaled = shared->curvatures[i] * (double)x[a];
            if (scaled == 0.0) continue;
            for (size_t b = 0; b <= a; b++)
                sum[a * columns + b] += scaled * (double)x[b];
        }
    }
}

static void add_sparse(const task *shared, size_t begin, size_t end, double *sum)
{
    const sot_matrix *matrix = shared->matrix;
    for (size_t i = begin; i < end; i++) {
        const size_t first = (size_t)matrix->starts[i];
        const size_t last = (size_t)matrix->starts[i + 1];
        for (size_t a = first; a < last; a++) {
            const double scaled = shared->curvatures[i] * (double)matrix->values[a];
            double *row = sum + matrix->indices[a] * matrix->columns;
            for (size_t b = first; b <= a; b++) /* indices ascend */
                row[matrix->indices[b]] += scaled * (double)matrix->values[b];
        }
    }
}

static sotto_status hessian_chunk(size_t chunk, size_t begin, size_t end, void *context,
                                  sotto_error *error)
{
    (void)error;
    const task *shared = context;
    double *sum =
        shared->sums + chunk * shared->matrix->columns * shared->matrix->columns;
    if (shared->matrix->dense != NULL)
        add_dense(shared, begin, end, sum);
    else
        add_sparse(shared, begin, end, sum);
    return SOTTO_OK;
}

sotto_status sot_pass_hessian(sot_pass *pass, const double *curvatures, double *out,
                              sotto_error *error)
{
    const sot_glm *glm = pass->glm;
    const size_t rows = glm->matrix->rows;
    const size_t columns = glm->matrix->columns;
    const size_t size = columns * columns;
    size_t chunks_most = HESSIAN_SUMS_MOST / size;
    if (chunks_most > HESSIAN_CHUNKS_MOST) chunks_most = HESSIAN_CHUNKS_MOST;
    if (chunks_most == 0) chunks_most = 1;
    size_t chunk_rows = sot_size_blocks(rows, chunks_most);
    if (chunk_rows < 256) chunk_rows = 256;
    const size_t chunks = sot_size_blocks(rows, chunk_rows);

    task shared = {.matrix = glm->matrix, .curvatures = curvatures};
    shared.sums = sot_new_array(chunks, size * sizeof *shared.sums);
    if (shared.sums == NULL)
        return sot_fail_memory(error, chunks, size * sizeof *shared.sums);
    const sotto_status status =
        sot_parallel_for(glm->pool, rows, chunk_rows, hessian_chunk, &shared, error);
    if (status == SOTTO_OK) {
        memset(out, 0, size * sizeof *out);
        for (size_t chunk = 0; chunk < chunks; chunk++) {
            for (size_t k = 0; k < size; k++)
                out[k] += shared.sums[chunk * size + k];
        }
        for (size_t j = 0; j < columns; j++)
            out[j * columns + j] += glm->lambda;
    }
    sot_wipe_and_free(shared.sums, chunks * size * sizeof *shared.sums);
    return status;
}
