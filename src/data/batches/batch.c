#include "data/batches/batch.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "random/poisson.h"
#include "random/subset.h"

struct sot_batches {
    sotto_sampling sampling;
    uint64_t batch;      /* without replacement */
    sotto_rng *rng;      /* single records, batches without replacement */
    sot_poisson sampler; /* Poisson */
    sot_pool *pool;      /* NULL: one thread */
    uint64_t *chosen;
    uint32_t *rows;
    size_t room;
};

/* Coins that a thread tosses at a time, and the largest number of chunks: more calls of a
 * pool would cost more than a step. */
enum { COINS_AT_ONCE = 8192, CHUNKS_MOST = 64 };

/* A generator that nothing else draws from. */
static sotto_status split_off(sotto_rng *rng, sotto_rng **out_child, sotto_error *error)
{
    sot_rng_family family;
    sotto_status status = sot_rng_family_begin(rng, "records", &family, error);
    if (status != SOTTO_OK) return status;
    status = sot_rng_stream(&family, 0, out_child, error);
    sot_rng_family_end(&family);
    return status;
}

static sotto_status start_poisson(sot_batches *batches, sotto_rng *rng, double rate,
                                  sotto_error *error)
{
    uint8_t key[SOT_RNG_KEY_BYTES];
    sotto_status status = sot_poisson_draw_key(rng, key, error);
    if (status == SOTTO_OK)
        status = sot_poisson_start(key, rate, &batches->sampler, error);
    sot_wipe(key, sizeof key);
    return status;
}

sotto_status sot_batches_new(sotto_rng *rng, sotto_sampling sampling, double rate,
                             uint64_t batch, sot_batches **out_batches,
                             sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    sot_batches *batches = sot_new_array(1, sizeof *batches);
    if (batches == NULL) return sot_fail_memory(error, 1, sizeof *batches);
    batches->sampling = sampling;
    batches->batch = batch;
    if (sampling == SOTTO_POISSON) {
        status = start_poisson(batches, rng, rate, error);
    } else if (sampling == SOTTO_SINGLE_RECORD || sampling == SOTTO_WITHOUT_REPLACEMENT) {
        status = split_off(rng, &batches->rng, error);
    } else if (sampling != SOTTO_NOT_SAMPLED) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "the sampling is %d; set it to one of sotto_sampling",
                          (int)sampling);
    }
    if (status != SOTTO_OK) {
        sot_batches_free(batches);
        return status;
    }
    *out_batches = batches;
    return SOTTO_OK;
}

/* The set of records that took part is a secret. */
static void drop_rows(sot_batches *batches)
{
    sot_wipe_and_free(batches->chosen, batches->room * sizeof *batches->chosen);
    sot_wipe_and_free(batches->rows, batches->room * sizeof *batches->rows);
    batches->chosen = NULL;
    batches->rows = NULL;
    batches->room = 0;
}

void sot_batches_free(sot_batches *batches)
{
    if (batches == NULL) return;
    drop_rows(batches);
    sot_poisson_wipe(&batches->sampler);
    sotto_rng_free(batches->rng);
    sot_free(batches);
}

void sot_batches_set_pool(sot_batches *batches, sot_pool *pool)
{
    batches->pool = pool;
}

static sotto_status make_room(sot_batches *batches, size_t count, sotto_error *error)
{
    if (count <= batches->room) return SOTTO_OK;
    drop_rows(batches);
    batches->chosen = sot_new_array(count, sizeof *batches->chosen);
    batches->rows = sot_new_array(count, sizeof *batches->rows);
    if (batches->chosen != NULL && batches->rows != NULL) {
        batches->room = count;
        return SOTTO_OK;
    }
    sot_free(batches->chosen); /* nothing was written to either */
    sot_free(batches->rows);
    batches->chosen = NULL;
    batches->rows = NULL;
    return sot_fail_memory(error, count, sizeof *batches->chosen + sizeof *batches->rows);
}

/* The largest number of `count` records that can take part. */
static size_t most_of(const sot_batches *batches, size_t count)
{
    if (batches->sampling == SOTTO_SINGLE_RECORD) return count > 0 ? 1 : 0;
    if (batches->sampling == SOTTO_WITHOUT_REPLACEMENT && batches->batch < count)
        return (size_t)batches->batch;
    return count;
}

typedef struct coins_job {
    sot_batches *batches;
    uint64_t step, first;
    size_t taken[CHUNKS_MOST];
} coins_job;

static sotto_status toss_some(size_t chunk, size_t begin, size_t end, void *context,
                              sotto_error *error)
{
    coins_job *own = context;
    (void)error;
    own->taken[chunk] =
        sot_poisson_select(&own->batches->sampler, own->step, own->first + begin,
                           end - begin, own->batches->chosen + begin);
    return SOTTO_OK;
}

/* Every chunk writes to its own place; then they move together, in order. */
static sotto_status toss(sot_batches *batches, uint64_t step, uint64_t first,
                         size_t count, size_t *out_taken, sotto_error *error)
{
    coins_job own = {.batches = batches, .step = step, .first = first};
    const size_t least = (count + CHUNKS_MOST - 1) / CHUNKS_MOST;
    const size_t size = least > COINS_AT_ONCE ? least : COINS_AT_ONCE;
    const sotto_status status =
        sot_parallel_for(batches->pool, count, size, toss_some, &own, error);
    size_t taken = 0;
    for (size_t begin = 0; status == SOTTO_OK && begin < count; begin += size) {
        const size_t here = own.taken[begin / size];
        memmove(batches->chosen + taken, batches->chosen + begin,
                here * sizeof *batches->chosen);
        taken += here;
    }
    sot_wipe(own.taken, sizeof own.taken);
    *out_taken = taken;
    return status;
}

/* Into batches->chosen, counted from the table's beginning; their number in *out_taken. */
static sotto_status choose(sot_batches *batches, uint64_t step, uint64_t first,
                           size_t count, size_t *out_taken, sotto_error *error)
{
    const size_t most = most_of(batches, count);
    *out_taken = most;
    switch (batches->sampling) {
    case SOTTO_POISSON:
        return toss(batches, step, first, count, out_taken, error);
    case SOTTO_SINGLE_RECORD:
        assert(first == 0);
        batches->chosen[0] = sot_rng_below(batches->rng, count);
        return sot_rng_check(batches->rng, error);
    case SOTTO_WITHOUT_REPLACEMENT:
        assert(first == 0);
        return sot_subset_draw(batches->rng, count, most, batches->chosen, error);
    case SOTTO_TRUNCATED_POISSON: /* refused by sot_batches_new() */
    case SOTTO_CYCLIC_POISSON:
    case SOTTO_NOT_SAMPLED:
        break;
    }
    for (size_t i = 0; i < count; i++)
        batches->chosen[i] = first + i;
    return SOTTO_OK;
}

sotto_status sot_batches_of_step(sot_batches *batches, uint64_t step, uint64_t first,
                                 size_t count, const uint32_t **out_rows,
                                 size_t *out_count, sotto_error *error)
{
    size_t taken = 0;
    sotto_status status = make_room(batches, most_of(batches, count), error);
    *out_count = 0;
    if (status != SOTTO_OK) return status;
    *out_rows = batches->rows;
    if (count == 0) return SOTTO_OK;
    status = choose(batches, step, first, count, &taken, error);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < taken; i++)
        batches->rows[i] = (uint32_t)(batches->chosen[i] - first);
    *out_count = taken;
    return SOTTO_OK;
}

/* Fisher and Yates: place i gets one of those not yet placed, each as likely. */
sotto_status sot_shuffle(sotto_rng *rng, size_t count, uint32_t *out_order,
                         sotto_error *error)
{
    sotto_rng *own = NULL;
    sotto_status status = split_off(rng, &own, error);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < count; i++)
        out_order[i] = (uint32_t)i;
    for (size_t i = count; i > 1; i--) {
        const size_t other = (size_t)sot_rng_below(own, i);
        const uint32_t kept = out_order[i - 1];
        out_order[i - 1] = out_order[other];
        out_order[other] = kept;
    }
    status = sot_rng_check(own, error);
    sotto_rng_free(own);
    return status;
}
