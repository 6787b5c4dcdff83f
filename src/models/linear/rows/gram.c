/* Proof note: gram.md. */
#include "models/linear/rows/gram.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "models/linear/rows/rows.h"

/* A chunk's sums stay below 2^20 2^30, so that doubles hold them exactly. */
enum { CHUNKS_MOST = 16, SUMS_MOST = 1 << 22, CHUNK_ROWS_LEAST = 512 };
enum { CHUNK_ROWS_MOST = 1 << 20 };

typedef struct task {
    const sot_gram *gram;
    const sot_matrix *matrix;
    sot_tile_function tile;
    size_t first;   /* row of this round */
    size_t size;    /* of the result */
    size_t width;   /* size, rounded up to whole panels */
    double *sums;   /* width^2 a chunk */
    double *panels; /* SOT_PANEL_ROWS width a chunk */
} task;

/* Toward zero. All numbers here are at most 2^15 (1 + 2^-50), far inside int32. */
static inline double whole(double x)
{
    return (double)(int32_t)x;
}

static void weigh(const task *shared, size_t begin, size_t end, double *weights)
{
    const sot_gram *gram = shared->gram;
    if (gram->weights != NULL) {
        gram->weights(gram->context, shared->matrix, begin, end, weights);
        return;
    }
    for (size_t i = begin; i < end; i++)
        weights[i - begin] = 1.0;
}

static double target_of(const task *shared, size_t row, double weight)
{
    return whole(weight * shared->matrix->labels[row] * shared->gram->per_target);
}

/* ---- dense rows: panels of eight columns ---- */

static inline double *place_of(double *panels, size_t row, size_t column)
{
    return panels + column / SOT_PANEL * SOT_PANEL * SOT_PANEL_ROWS + row * SOT_PANEL +
           column % SOT_PANEL;
}

static void fill_panels(const task *shared, size_t begin, size_t end, double *panels)
{
    double weights[SOT_PANEL_ROWS];
    const sot_matrix *matrix = shared->matrix;
    weigh(shared, begin, end, weights);
    for (size_t i = begin; i < end; i++) {
        const float *x = matrix->dense + i * matrix->stride;
        const double scale = weights[i - begin] * shared->gram->per_unit; /* exact */
        for (size_t j = 0; j < matrix->columns; j += SOT_PANEL) {
            const size_t count =
                matrix->columns - j < SOT_PANEL ? matrix->columns - j : SOT_PANEL;
            double *place = place_of(panels, i - begin, j);
            for (size_t k = 0; k < count; k++)
                place[k] = whole(scale * (double)x[j + k]);
        }
        if (shared->size > matrix->columns)
            *place_of(panels, i - begin, matrix->columns) =
                target_of(shared, i, weights[i - begin]);
    }
}

static void add_dense(const task *shared, size_t begin, size_t end, double *panels,
                      double *sum)
{
    const size_t width = shared->width;
    for (size_t first = begin; first < end; first += SOT_PANEL_ROWS) {
        const size_t rows = end - first > SOT_PANEL_ROWS ? SOT_PANEL_ROWS : end - first;
        fill_panels(shared, first, first + rows, panels);
        for (size_t a = 0; a < width; a += 4) {
            const double *left =
                panels + a / SOT_PANEL * SOT_PANEL * SOT_PANEL_ROWS + a % SOT_PANEL;
            for (size_t b = 0; b < a + 4; b += SOT_PANEL)
                shared->tile(left, panels + b * SOT_PANEL_ROWS, rows, sum + a * width + b,
                             width);
        }
    }
}

/* ---- sparse rows: entry by entry, the lower triangle ---- */

static void add_sparse_row(const task *shared, size_t row, double weight, double *sum)
{
    const sot_matrix *matrix = shared->matrix;
    const size_t first = (size_t)matrix->starts[row],
                 last = (size_t)matrix->starts[row + 1];
    const double scale = weight * shared->gram->per_unit;
    for (size_t a = first; a < last; a++) {
        const double left = whole(scale * (double)matrix->values[a]);
        double *line = sum + matrix->indices[a] * shared->width;
        for (size_t b = first; b <= a; b++) /* indices ascend */
            line[matrix->indices[b]] += left * whole(scale * (double)matrix->values[b]);
    }
    if (shared->size == matrix->columns) return;
    const double target = target_of(shared, row, weight);
    double *line = sum + matrix->columns * shared->width;
    for (size_t b = first; b < last; b++)
        line[matrix->indices[b]] += target * whole(scale * (double)matrix->values[b]);
    line[matrix->columns] += target * target;
}

static void add_sparse(const task *shared, size_t begin, size_t end, double *sum)
{
    double weights[SOT_PANEL_ROWS];
    for (size_t first = begin; first < end; first += SOT_PANEL_ROWS) {
        const size_t last = end - first > SOT_PANEL_ROWS ? first + SOT_PANEL_ROWS : end;
        weigh(shared, first, last, weights);
        for (size_t i = first; i < last; i++)
            add_sparse_row(shared, i, weights[i - first], sum);
    }
}

/* ---- all rows ---- */

static sotto_status gram_chunk(size_t chunk, size_t begin, size_t end, void *context,
                               sotto_error *error)
{
    (void)error;
    const task *shared = context;
    double *sum = shared->sums + chunk * shared->width * shared->width;
    begin += shared->first;
    end += shared->first;
    if (shared->matrix->dense != NULL)
        add_dense(shared, begin, end,
                  shared->panels + chunk * SOT_PANEL_ROWS * shared->width, sum);
    else
        add_sparse(shared, begin, end, sum);
    return SOTTO_OK;
}

/* Moves the sums of a round's chunks to the integers. */
static void collect(const task *shared, size_t chunks, int64_t *inout_sums)
{
    const size_t size = shared->size, width = shared->width;
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        double *sum = shared->sums + chunk * width * width;
        for (size_t a = 0; a < size; a++) {
            for (size_t b = 0; b <= a; b++) {
                const int64_t part = (int64_t)sum[a * width + b];
                inout_sums[a * size + b] += part;
                if (a != b) inout_sums[b * size + a] += part;
            }
        }
        memset(sum, 0, width * width * sizeof *sum);
    }
}

static sotto_status add_rounds(task *shared, size_t chunks, size_t chunk_rows,
                               sot_pool *pool, int64_t *inout_sums, sotto_error *error)
{
    const size_t rows = shared->matrix->rows;
    sotto_status status = SOTTO_OK;
    for (size_t first = 0; first < rows && status == SOTTO_OK;) {
        const size_t left = rows - first;
        const size_t count = left > chunks * chunk_rows ? chunks * chunk_rows : left;
        shared->first = first;
        status = sot_parallel_for(pool, count, chunk_rows, gram_chunk, shared, error);
        if (status == SOTTO_OK)
            collect(shared, sot_size_blocks(count, chunk_rows), inout_sums);
        first += count;
    }
    return status;
}

sotto_status sot_gram_add(const sot_gram *gram, const sot_matrix *matrix, sot_pool *pool,
                          int64_t *inout_sums, sotto_error *error)
{
    const size_t size = sot_gram_size(gram, matrix->columns);
    const size_t width = sot_size_blocks(size, SOT_PANEL) * SOT_PANEL;
    const size_t square = width * width;
    size_t chunks = SUMS_MOST / square;
    if (chunks > CHUNKS_MOST) chunks = CHUNKS_MOST;
    if (chunks == 0) chunks = 1;
    size_t chunk_rows = sot_size_blocks(matrix->rows, chunks);
    if (chunk_rows < CHUNK_ROWS_LEAST) chunk_rows = CHUNK_ROWS_LEAST;
    if (chunk_rows > CHUNK_ROWS_MOST) chunk_rows = CHUNK_ROWS_MOST;
    if (chunks > sot_size_blocks(matrix->rows, chunk_rows))
        chunks = sot_size_blocks(matrix->rows, chunk_rows);
    const size_t panels = matrix->dense != NULL ? chunks * SOT_PANEL_ROWS * width : 0;

    task shared = {.gram = gram, .matrix = matrix, .size = size, .width = width};
    shared.tile = sot_tile_avx2() != NULL ? sot_tile_avx2() : sot_tile_portable;
    shared.sums = sot_new_array(chunks, square * sizeof *shared.sums);
    shared.panels = sot_new_array(panels, sizeof *shared.panels);
    sotto_status status = SOTTO_OK;
    if (shared.sums == NULL || shared.panels == NULL)
        status = sot_fail_memory(error, chunks, square * sizeof *shared.sums);
    if (status == SOTTO_OK)
        status = add_rounds(&shared, chunks, chunk_rows, pool, inout_sums, error);
    sot_wipe_and_free(shared.sums, chunks * square * sizeof *shared.sums);
    sot_wipe_and_free(shared.panels, panels * sizeof *shared.panels);
    return status;
}
