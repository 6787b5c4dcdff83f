/* The Hessian as a matrix: for direct solutions of few columns, and for its determinant. Dense
 * rows are scaled by the roots of their curvatures and copied to panels of eight columns. The
 * matrix then consists of tiles of four by eight numbers, each a sum over two panels. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "models/linear/rows/bins.h"
#include "models/linear/solver/pass.h"

enum { CHUNKS_MOST = 16, SUMS_MOST = 1 << 22, CHUNK_ROWS_LEAST = 256 };

typedef struct task {
    const sot_matrix *matrix;
    const double *curvatures;
    sot_tile_function tile;
    size_t width;
    double *sums;   /* width^2 a chunk */
    double *panels; /* dense: SOT_PANEL_ROWS width a chunk */
} task;

/* Copies rows from `first` on until `end` or until the panels are full, and passes over those without
 * curvature, which add nothing. Returns the next row; *out_rows have been copied. */
static size_t fill_panels(const task *shared, size_t first, size_t end, double *panels,
                          size_t *out_rows)
{
    const sot_matrix *matrix = shared->matrix;
    size_t rows = 0;
    size_t i = first;
    for (; i < end && rows < SOT_PANEL_ROWS; i++) {
        if (shared->curvatures[i] == 0.0) continue;
        const float *x = matrix->dense + i * matrix->stride;
        const double root = sqrt(shared->curvatures[i]);
        for (size_t j = 0; j < shared->width; j += SOT_PANEL) {
            double *place = panels + j * SOT_PANEL_ROWS + rows * SOT_PANEL;
            for (size_t k = 0; k < SOT_PANEL; k++)
                place[k] = root * (double)x[j + k];
        }
        rows++;
    }
    *out_rows = rows;
    return i;
}

static void add_dense(const task *shared, size_t begin, size_t end, double *panels,
                      double *sum)
{
    const size_t width = shared->width;
    for (size_t first = begin; first < end;) {
        size_t rows;
        first = fill_panels(shared, first, end, panels, &rows);
        for (size_t a = 0; a < width; a += 4) {
            const double *left =
                panels + a / SOT_PANEL * SOT_PANEL * SOT_PANEL_ROWS + a % SOT_PANEL;
            for (size_t b = 0; b < a + 4; b += SOT_PANEL)
                shared->tile(left, panels + b * SOT_PANEL_ROWS, rows, sum + a * width + b,
                             width);
        }
    }
}

static void add_sparse(const task *shared, size_t begin, size_t end, double *sum)
{
    const sot_matrix *matrix = shared->matrix;
    for (size_t i = begin; i < end; i++) {
        const size_t first = (size_t)matrix->starts[i];
        const size_t last = (size_t)matrix->starts[i + 1];
        if (shared->curvatures[i] == 0.0) continue;
        for (size_t a = first; a < last; a++) {
            const double scaled = shared->curvatures[i] * (double)matrix->values[a];
            double *line = sum + matrix->indices[a] * shared->width;
            for (size_t b = first; b <= a; b++) /* indices ascend */
                line[matrix->indices[b]] += scaled * (double)matrix->values[b];
        }
    }
}

static sotto_status hessian_chunk(size_t chunk, size_t begin, size_t end, void *context,
                                  sotto_error *error)
{
    (void)error;
    const task *shared = context;
    double *sum = shared->sums + chunk * shared->width * shared->width;
    if (shared->matrix->layout != NULL)
        sot_bins_add_products(shared->matrix, begin, end, shared->curvatures, sum);
    else if (shared->matrix->dense != NULL)
        add_dense(shared, begin, end,
                  shared->panels + chunk * SOT_PANEL_ROWS * shared->width, sum);
    else
        add_sparse(shared, begin, end, sum);
    return SOTTO_OK;
}

/* In the order of the chunks; the lower triangle. */
static void add_up(const task *shared, size_t chunks, const double *ridge, double *out)
{
    const size_t columns = shared->matrix->columns;
    for (size_t a = 0; a < columns; a++) {
        double *line = out + a * columns;
        memset(line, 0, columns * sizeof *line);
        for (size_t chunk = 0; chunk < chunks; chunk++) {
            const double *sum =
                shared->sums + (chunk * shared->width + a) * shared->width;
            for (size_t b = 0; b <= a; b++)
                line[b] += sum[b];
        }
        line[a] += ridge[a];
    }
}

/* B^T S B of the sum S over all chunks, by lines and then by columns; `room` for width^2 numbers. S is symmetric, and only its
 * lower triangle was added up. */
static void add_up_bins(const task *shared, size_t chunks, const double *ridge,
                        double *room, double *out)
{
    const sot_bins_layout *layout = shared->matrix->layout;
    const size_t width = shared->width, columns = layout->columns;
    double *sum = shared->sums;
    for (size_t chunk = 1; chunk < chunks; chunk++)
        for (size_t i = 0; i < width * width; i++)
            sum[i] += shared->sums[chunk * width * width + i];
    for (size_t a = 0; a < width; a++)
        for (size_t b = 0; b < a; b++)
            sum[b * width + a] = sum[a * width + b];
    for (size_t a = 0; a < width; a++)
        sot_bins_collapse(layout, sum + a * width, room + a * columns); /* S B */
    for (size_t a = 0; a < width; a++)
        for (size_t b = 0; b < columns; b++)
            sum[b * width + a] = room[a * columns + b];
    for (size_t b = 0; b < columns; b++) {
        sot_bins_collapse(layout, sum + b * width, out + b * columns);
        out[b * columns + b] += ridge[b];
    }
}

sotto_status sot_pass_hessian(sot_pass *pass, const double *curvatures, double *out,
                              sotto_error *error)
{
    const sot_glm *glm = pass->glm;
    const size_t rows = glm->matrix->rows;
    const size_t size = pass->width * pass->width;
    size_t chunks_most = SUMS_MOST / size;
    if (chunks_most > CHUNKS_MOST) chunks_most = CHUNKS_MOST;
    if (chunks_most == 0) chunks_most = 1;
    size_t chunk_rows = sot_size_blocks(rows, chunks_most);
    if (chunk_rows < CHUNK_ROWS_LEAST) chunk_rows = CHUNK_ROWS_LEAST;
    const size_t chunks = sot_size_blocks(rows, chunk_rows);
    const size_t panels = glm->matrix->dense != NULL ? chunks : 0;

    task shared = {.matrix = glm->matrix, .curvatures = curvatures, .width = pass->width};
    shared.tile = sot_tile_avx2() != NULL ? sot_tile_avx2() : sot_tile_portable;
    shared.sums = sot_new_array(chunks, size * sizeof *shared.sums);
    shared.panels =
        sot_new_array(panels * SOT_PANEL_ROWS, pass->width * sizeof *shared.panels);
    sotto_status status = SOTTO_OK;
    if (shared.sums == NULL || shared.panels == NULL)
        status = sot_fail_memory(error, chunks, size * sizeof *shared.sums);
    if (status == SOTTO_OK)
        status =
            sot_parallel_for(glm->pool, rows, chunk_rows, hessian_chunk, &shared, error);
    double *room = NULL;
    if (status == SOTTO_OK && glm->matrix->layout != NULL) {
        room = sot_new_array(size, sizeof *room);
        if (room == NULL) status = sot_fail_memory(error, size, sizeof *room);
    }
    if (status == SOTTO_OK && room != NULL)
        add_up_bins(&shared, chunks, pass->ridge, room, out);
    else if (status == SOTTO_OK)
        add_up(&shared, chunks, pass->ridge, out);
    sot_wipe_and_free(room, size * sizeof *room);
    if (shared.sums != NULL)
        sot_wipe_and_free(shared.sums, chunks * size * sizeof *shared.sums);
    if (shared.panels != NULL)
        sot_wipe_and_free(shared.panels,
                          panels * SOT_PANEL_ROWS * pass->width * sizeof *shared.panels);
    return status;
}
