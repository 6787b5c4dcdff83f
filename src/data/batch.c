#include "data/batch.h"

#include <assert.h>

#include "base/error.h"
#include "base/memory.h"
#include "random/poisson.h"

struct sot_batches {
    sotto_sampling sampling;
    sotto_rng *rng;      /* single records */
    sot_poisson sampler; /* Poisson */
    uint64_t *chosen;
    uint32_t *rows;
    size_t room;
};

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
                             sot_batches **out_batches, sotto_error *error)
{
    sotto_status status;
    sot_batches *batches = sot_new_array(1, sizeof *batches);
    if (batches == NULL) return sot_fail_memory(error, 1, sizeof *batches);
    batches->sampling = sampling;
    if (sampling == SOTTO_POISSON) {
        status = start_poisson(batches, rng, rate, error);
    } else if (sampling == SOTTO_SINGLE_RECORD) {
        status = split_off(rng, &batches->rng, error);
    } else {
        status = sot_fail(error, SOTTO_UNSUPPORTED,
                          "records are drawn by poisson or single-record, not by %s",
                          sotto_sampling_name(sampling));
    }
    if (status != SOTTO_OK) {
        sot_batches_free(batches);
        return status;
    }
    *out_batches = batches;
    return SOTTO_OK;
}

/* Who took part is a secret. */
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

sotto_status sot_batches_of_step(sot_batches *batches, uint64_t step, uint64_t first,
                                 size_t count, const uint32_t **out_rows,
                                 size_t *out_count, sotto_error *error)
{
    const bool single = batches->sampling == SOTTO_SINGLE_RECORD;
    const sotto_status status = make_room(batches, single ? 1 : count, error);
    *out_count = 0;
    if (status != SOTTO_OK) return status;
    *out_rows = batches->rows;
    if (count == 0) return SOTTO_OK;
    if (single) {
        assert(first == 0);
        batches->rows[0] = (uint32_t)sot_rng_below(batches->rng, count);
        *out_count = 1;
        return sot_rng_check(batches->rng, error);
    }
    const size_t taken =
        sot_poisson_select(&batches->sampler, step, first, count, batches->chosen);
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
