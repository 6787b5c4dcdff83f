#include "base/reduce.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Wide enough for the sum of 2^64 int64 values, so that no order of additions overflows. */
__extension__ typedef __int128 wide;

/* Coordinates summed at a time: 8 KiB of accumulators stay in the first-level cache while
 * the partial vectors stream by. */
enum { BLOCK = 512 };

static bool sum_block(const int64_t *partials, size_t chunks, size_t stride, size_t block,
                      int64_t *out_sum)
{
    wide sums[BLOCK] = {0};
    for (size_t chunk = 0; chunk < chunks; chunk++)
        for (size_t i = 0; i < block; i++)
            sums[i] += partials[chunk * stride + i];
    bool fits = true;
    for (size_t i = 0; i < block; i++) {
        fits = fits && sums[i] >= INT64_MIN && sums[i] <= INT64_MAX;
        out_sum[i] = (int64_t)sums[i];
    }
    sot_wipe(sums, sizeof sums);
    return fits;
}

sotto_status sot_sum_chunks_int64(const int64_t *partials, size_t chunks, size_t count,
                                  int64_t *out_sum, sotto_error *error)
{
    for (size_t begin = 0; begin < count; begin += BLOCK) {
        const size_t block = count - begin < BLOCK ? count - begin : BLOCK;
        if (sum_block(partials + begin, chunks, count, block, out_sum + begin)) continue;
        sot_wipe(out_sum, count * sizeof *out_sum);
        return sot_fail(error, SOTTO_INTERNAL,
                        "a sum of contributions left the 64-bit range; please report it");
    }
    return SOTTO_OK;
}

struct sot_reduce {
    sot_reduce_backend backend;
    void *state;
};

/* One rank: the vector is already the sum over all ranks. */
static sotto_status sum_alone(void *state, int64_t *vector, size_t count,
                              sotto_error *error)
{
    (void)state;
    (void)vector;
    (void)count;
    (void)error;
    return SOTTO_OK;
}

sotto_status sot_reduce_new(sot_reduce **out_reduce, sotto_error *error)
{
    const sot_reduce_backend alone = {.rank = 0, .size = 1, .sum_int64 = sum_alone};
    return sot_reduce_new_with(&alone, NULL, out_reduce, error);
}

sotto_status sot_reduce_new_with(const sot_reduce_backend *backend, void *state,
                                 sot_reduce **out_reduce, sotto_error *error)
{
    assert(backend->rank < backend->size && backend->sum_int64 != NULL);
    sot_reduce *reduce = sot_new_array(1, sizeof *reduce);
    if (reduce == NULL) return sot_fail_memory(error, 1, sizeof *reduce);
    reduce->backend = *backend;
    reduce->state = state;
    *out_reduce = reduce;
    return SOTTO_OK;
}

void sot_reduce_free(sot_reduce *reduce)
{
    if (reduce == NULL) return;
    if (reduce->backend.free != NULL) reduce->backend.free(reduce->state);
    sot_free(reduce);
}

size_t sot_reduce_rank(const sot_reduce *reduce)
{
    return reduce->backend.rank;
}

size_t sot_reduce_size(const sot_reduce *reduce)
{
    return reduce->backend.size;
}

sotto_status sot_reduce_sum_int64(sot_reduce *reduce, int64_t *vector, size_t count,
                                  sotto_error *error)
{
    const sotto_status status =
        reduce->backend.sum_int64(reduce->state, vector, count, error);
    if (status != SOTTO_OK) sot_wipe(vector, count * sizeof *vector);
    return status;
}
