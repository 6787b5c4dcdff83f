#include "methods/posterior/moments.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "models/linear/losses/clip.h"

enum {
    CHUNKS_MOST = 16,
    NUMBERS_MOST = 1 << 21, /* double-double numbers, in all chunks' sums */
    BLOCK_ROWS = 4096
};

typedef struct task {
    const sot_matrix *matrix;
    double label_most;
    size_t length;     /* of a sum: triangle and product */
    sot_twofold *sums; /* of a chunk: its sum and its block's */
} task;

/* Products of two floats are exact, and so is a label's in two parts. */
static void add_row(const task *shared, size_t row, sot_twofold *sum)
{
    const sot_matrix *m = shared->matrix;
    const double y = sot_cut(m->labels[row], shared->label_most);
    sot_twofold *product = sum + sot_triangle(m->columns);
    if (m->dense != NULL) {
        const float *x = m->dense + row * m->stride;
        for (size_t i = 0; i < m->columns; i++) {
            const double xi = (double)x[i];
            sot_twofold *line = sum + sot_triangle(i);
            if (xi == 0.0) continue;
            for (size_t j = 0; j <= i; j++)
                line[j] = sot_twofold_plus(line[j], xi * (double)x[j]);
            product[i] = sot_twofold_add(product[i], sot_twofold_of_product(xi, y));
        }
        return;
    }
    const size_t first = (size_t)m->starts[row];
    const size_t last = (size_t)m->starts[row + 1];
    for (size_t a = first; a < last; a++) {
        const double xa = (double)m->values[a];
        const size_t i = m->indices[a];
        for (size_t b = first; b < last; b++) {
            const size_t j = m->indices[b];
            if (j > i) continue;
            sot_twofold *place = &sum[sot_triangle(i) + j];
            *place = sot_twofold_plus(*place, xa * (double)m->values[b]);
        }
        product[i] = sot_twofold_add(product[i], sot_twofold_of_product(xa, y));
    }
}

static sotto_status add_chunk(size_t chunk, size_t begin, size_t end, void *context,
                              sotto_error *error)
{
    (void)error;
    const task *shared = context;
    sot_twofold *sum = shared->sums + chunk * 2 * shared->length;
    sot_twofold *block = sum + shared->length;
    for (size_t first = begin; first < end; first += BLOCK_ROWS) {
        const size_t last = end - first > BLOCK_ROWS ? first + BLOCK_ROWS : end;
        memset(block, 0, shared->length * sizeof *block);
        for (size_t i = first; i < last; i++)
            add_row(shared, i, block);
        for (size_t k = 0; k < shared->length; k++)
            sum[k] = sot_twofold_add(sum[k], block[k]);
    }
    return SOTTO_OK;
}

double sot_moments_roundings(double rows)
{
    return BLOCK_ROWS + rows / BLOCK_ROWS + CHUNKS_MOST + 2.0;
}

sotto_status sot_moments(const sot_matrix *matrix, sot_pool *pool, double label_most,
                         sot_twofold *out_gram, sot_twofold *out_product,
                         sotto_error *error)
{
    const size_t triangle = sot_triangle(matrix->columns);
    task shared = {
        .matrix = matrix, .label_most = label_most, .length = triangle + matrix->columns};
    size_t chunks = NUMBERS_MOST / (2 * shared.length);
    if (chunks > CHUNKS_MOST) chunks = CHUNKS_MOST;
    if (chunks == 0) chunks = 1;
    size_t chunk_rows = sot_size_blocks(matrix->rows, chunks);
    if (chunk_rows == 0) chunk_rows = 1;
    chunks = sot_size_blocks(matrix->rows, chunk_rows);
    shared.sums = sot_new_array(chunks * 2, shared.length * sizeof *shared.sums);
    if (shared.sums == NULL)
        return sot_fail_memory(error, chunks * 2, shared.length * sizeof *shared.sums);
    const sotto_status status =
        sot_parallel_for(pool, matrix->rows, chunk_rows, add_chunk, &shared, error);
    if (status == SOTTO_OK) {
        memset(out_gram, 0, triangle * sizeof *out_gram);
        memset(out_product, 0, matrix->columns * sizeof *out_product);
        for (size_t chunk = 0; chunk < chunks; chunk++) {
            const sot_twofold *sum = shared.sums + chunk * 2 * shared.length;
            for (size_t k = 0; k < triangle; k++)
                out_gram[k] = sot_twofold_add(out_gram[k], sum[k]);
            for (size_t k = 0; k < matrix->columns; k++)
                out_product[k] = sot_twofold_add(out_product[k], sum[triangle + k]);
        }
    }
    sot_wipe_and_free(shared.sums, chunks * 2 * shared.length * sizeof *shared.sums);
    return status;
}

/* Two sums side by side, so that additions need not wait for each other. */
static sot_twofold less_products(sot_twofold from, const sot_twofold *a,
                                 const sot_twofold *b, size_t count)
{
    sot_twofold even = {0.0, 0.0};
    sot_twofold odd = {0.0, 0.0};
    size_t k = 0;
    for (; k + 1 < count; k += 2) {
        even = sot_twofold_add(even, sot_twofold_mul(a[k], b[k]));
        odd = sot_twofold_add(odd, sot_twofold_mul(a[k + 1], b[k + 1]));
    }
    if (k < count) even = sot_twofold_add(even, sot_twofold_mul(a[k], b[k]));
    return sot_twofold_add(from, sot_twofold_minus(sot_twofold_add(even, odd)));
}

bool sot_factor(sot_twofold *triangle, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        sot_twofold *row = triangle + sot_triangle(i);
        for (size_t j = 0; j < i; j++) {
            const sot_twofold *above = triangle + sot_triangle(j);
            row[j] = sot_twofold_div(less_products(row[j], row, above, j), above[j]);
        }
        const sot_twofold pivot = less_products(row[i], row, row, i);
        if (!(pivot.high > 0.0) || isinf(pivot.high)) return false;
        row[i] = sot_twofold_sqrt(pivot);
    }
    return true;
}

void sot_factor_forward(const sot_twofold *factor, size_t size, sot_twofold *inout)
{
    for (size_t i = 0; i < size; i++) {
        const sot_twofold *row = factor + sot_triangle(i);
        inout[i] = sot_twofold_div(less_products(inout[i], row, inout, i), row[i]);
    }
}

void sot_factor_back(const sot_twofold *factor, size_t size, sot_twofold *inout)
{
    for (size_t i = size; i-- > 0;) {
        const sot_twofold *row = factor + sot_triangle(i);
        inout[i] = sot_twofold_div(inout[i], row[i]);
        for (size_t j = 0; j < i; j++)
            inout[j] = sot_twofold_add(
                inout[j], sot_twofold_minus(sot_twofold_mul(row[j], inout[i])));
    }
}
