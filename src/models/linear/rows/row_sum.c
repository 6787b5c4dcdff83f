#include "models/linear/rows/row_sum.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "models/linear/rows/rows.h"

enum {
    BLOCKS_MOST = 64,    /* summed side by side */
    SUMS_MOST = 1 << 21, /* numbers in all of them */
};

typedef struct job {
    const sot_row_sum *asked;
    const double *theta; /* padded */
    double *sums;        /* padded, one a block */
    double *scratch;     /* one a block */
    size_t length;       /* padded */
    size_t first;        /* row of the first block */
} job;

static sotto_status add_block(size_t block, size_t begin, size_t end, void *context,
                              sotto_error *error)
{
    (void)error;
    const job *task = context;
    const sot_row_sum *asked = task->asked;
    double *sum = task->sums + block * task->length;
    double *scratch = task->scratch + block * asked->vectors;
    memset(sum, 0, task->length * sizeof *sum);
    for (size_t i = task->first + begin; i < task->first + end; i++) {
        const size_t row = asked->rows == NULL ? i : asked->rows[i];
        asked->part(asked->problem, row, task->theta, scratch, sum);
    }
    return SOTTO_OK;
}

/* Blocks side by side, then one after another into the sum. */
static sotto_status add_blocks(job *task, size_t count, double *sum, sotto_error *error)
{
    const sot_row_sum *asked = task->asked;
    const size_t columns = asked->matrix->columns;
    const size_t width = sot_rows_plain_width(asked->matrix);
    const sotto_status status =
        sot_parallel_for(asked->pool, count, SOT_ROW_SUM_BLOCK, add_block, task, error);
    if (status != SOTTO_OK) return status;
    for (size_t block = 0; block < sot_size_blocks(count, SOT_ROW_SUM_BLOCK); block++) {
        const double *part = task->sums + block * task->length;
        for (size_t v = 0; v < asked->vectors; v++)
            for (size_t j = 0; j < columns; j++)
                sum[v * columns + j] += part[v * width + j];
    }
    task->first += count;
    return SOTTO_OK;
}

static size_t blocks_at_once(size_t count, size_t length)
{
    size_t most = SUMS_MOST / length;
    const size_t needed = sot_size_blocks(count, SOT_ROW_SUM_BLOCK);
    if (most > BLOCKS_MOST) most = BLOCKS_MOST;
    if (most > needed) most = needed;
    return most == 0 ? 1 : most;
}

sotto_status sot_row_sum_add(const sot_row_sum *asked, const double *theta,
                             double *inout_sum, sotto_error *error)
{
    const sot_matrix *matrix = asked->matrix;
    const size_t count = asked->rows == NULL ? matrix->rows : asked->count;
    const size_t width = sot_rows_plain_width(matrix);
    const size_t length = asked->vectors * width;
    const size_t blocks = blocks_at_once(count, length);
    double *padded = sot_new_array(length, sizeof *padded);
    double *sums = sot_new_array(blocks, length * sizeof *sums);
    double *scratch = sot_new_array(blocks, asked->vectors * sizeof *scratch);
    job task = {.asked = asked,
                .theta = padded,
                .sums = sums,
                .scratch = scratch,
                .length = length};
    sotto_status status = SOTTO_OK;
    if (padded == NULL || sums == NULL || scratch == NULL)
        status = sot_fail_memory(error, blocks + 1, length * sizeof *sums);
    for (size_t v = 0; status == SOTTO_OK && v < asked->vectors; v++)
        memcpy(padded + v * width, theta + v * matrix->columns,
               matrix->columns * sizeof *padded);
    while (status == SOTTO_OK && task.first < count) {
        const size_t left = count - task.first;
        const size_t most = blocks * SOT_ROW_SUM_BLOCK;
        status = add_blocks(&task, left < most ? left : most, inout_sum, error);
    }
    sot_wipe_and_free(padded, length * sizeof *padded); /* between two secrets */
    sot_wipe_and_free(sums, blocks * length * sizeof *sums);
    sot_wipe_and_free(scratch, blocks * asked->vectors * sizeof *scratch);
    return status;
}
