/* Two transforms over all subsets of a few features, in place, bit by bit: one bit pairs every value with one other. */
#include "base/error.h"
#include "models/concept/learn/parts.h"

/* Pairs in a chunk: the division is fixed, and only one chunk touches each pair. */
enum { CHUNK_PAIRS = 1 << 14 };

typedef struct stage {
    int64_t *values;
    size_t half; /* the bit: pairs are m and m + half, for m without the bit */
    bool signs;  /* sum and difference; else only the sum, in the lower one */
} stage;

static sotto_status run_stage(size_t chunk, size_t begin, size_t end, void *context,
                              sotto_error *error)
{
    (void)chunk, (void)error;
    const stage *at = context;
    for (size_t pair = begin; pair < end;) {
        /* The pairs of one block lie beside each other. */
        const size_t within = pair & (at->half - 1);
        const size_t many =
            end - pair < at->half - within ? end - pair : at->half - within;
        int64_t *low = at->values + 2 * (pair - within) + within;
        int64_t *high = low + at->half;
        for (size_t i = 0; i < many; i++) {
            const int64_t sum = low[i] + high[i];
            if (at->signs) high[i] = low[i] - high[i];
            low[i] = sum;
        }
        pair += many;
    }
    return SOTTO_OK;
}

static sotto_status transform(int64_t *values, unsigned bits, bool signs, sot_pool *pool,
                              sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (unsigned bit = 0; bit < bits && status == SOTTO_OK; bit++) {
        stage at = {.values = values, .half = (size_t)1 << bit, .signs = signs};
        status = sot_parallel_for(pool, (size_t)1 << (bits - 1), CHUNK_PAIRS, run_stage,
                                  &at, error);
    }
    return status;
}

sotto_status sot_superset_sums(int64_t *values, unsigned bits, sot_pool *pool,
                               sotto_error *error)
{
    return transform(values, bits, false, pool, error);
}

sotto_status sot_walsh_hadamard(int64_t *values, unsigned bits, sot_pool *pool,
                                sotto_error *error)
{
    return transform(values, bits, true, pool, error);
}
