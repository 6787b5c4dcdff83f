#include "models/network/learn/sampler.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/batches/batch.h"
#include "models/network/engine/engine.h"

/* The number of tiles makes them three quarters full on average. Then about one tile in a
 * thousand overflows (its number of records is about Poisson with mean 96). Each record that does
 * not fit is its own tile. */
#define TILE_FILLING 0.75

/* An even number, if there are several: threads share a step by tiles, and of three tiles one of
 * two threads would get two. */
static size_t tiles_for(double records)
{
    const size_t tiles = (size_t)ceil(records / (TILE_FILLING * SOT_TILE_ROWS));
    return tiles > 1 ? tiles + tiles % 2 : tiles;
}

/* ---- public ---- */

bool sot_nn_takes_all(const sot_learner_setup *setup)
{
    return setup->method == SOTTO_METHOD_GD ||
           setup->config->sampling == SOTTO_NOT_SAMPLED;
}

static sotto_status check_public_rows(const sotto_train_config *config, const char *what,
                                      sotto_error *error)
{
    if (config->public_n > 0 && config->adjacency == SOTTO_REPLACE_ONE) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`sampling` takes %s a step, which needs a public number of rows "
                    "under replace-one; give `adjacency=replace-one` and `public_n=N`, "
                    "or `sampling=poisson`",
                    what);
}

static sotto_status set_law(const sot_learner_setup *setup, double rows, double batch,
                            sot_nn_sampler *sampler, sotto_error *error)
{
    const sotto_train_config *config = setup->config;
    switch (sampler->sampling) {
    case SOTTO_NOT_SAMPLED:
        sampler->divisor = rows;
        return SOTTO_OK;
    case SOTTO_POISSON:
        sampler->rate = batch / rows;
        sampler->divisor = sampler->rate * rows;
        return SOTTO_OK;
    case SOTTO_WITHOUT_REPLACEMENT:
        sampler->population = config->public_n;
        sampler->batch = (uint64_t)batch;
        sampler->divisor = batch;
        return check_public_rows(config, "a batch of fixed size", error);
    case SOTTO_SINGLE_RECORD:
        sampler->population = config->public_n;
        sampler->divisor = 1.0;
        return check_public_rows(config, "one record", error);
    case SOTTO_TRUNCATED_POISSON: /* events of other software */
    case SOTTO_CYCLIC_POISSON:
        break;
    }
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the sampling is %d; set it to one of sotto_sampling",
                    (int)sampler->sampling);
}

sotto_status sot_nn_sampler_set(const sot_learner_setup *setup, double rows, double batch,
                                sot_nn_sampler *out_sampler, sotto_error *error)
{
    *out_sampler = (sot_nn_sampler){
        .sampling = sot_nn_takes_all(setup) ? SOTTO_NOT_SAMPLED : setup->config->sampling,
        .rate = SOTTO_UNSET};
    const sotto_status status = set_law(setup, rows, batch, out_sampler, error);
    out_sampler->tiles = tiles_for(out_sampler->divisor);
    return status;
}

/* Poisson: one record's part, also under replace-one, where the accountant knows that there are two. All rows: the
 * distance of neighbours. A fixed batch, one record: an exchange (sotto/gaussian.h). */
void sot_nn_sampler_event(const sot_nn_sampler *sampler, sotto_adjacency adjacency,
                          double one, double exchanged, sotto_gaussian_config *noise)
{
    noise->sampling = sampler->sampling;
    noise->rate = sampler->rate;
    noise->population = sampler->population;
    noise->batch = sampler->batch;
    noise->adjacency = adjacency;
    const bool single =
        sampler->sampling == SOTTO_POISSON || adjacency == SOTTO_ADD_REMOVE;
    noise->l2_sensitivity = single ? one : exchanged;
}

/* ---- secret ---- */

struct sot_nn_draws {
    sot_nn_sampler sampler;
    sot_batches *batches;
    sot_tiling *tiling;
    sot_place_coins copies;
};

static sotto_status draw_keys(sot_nn_draws *draws, sotto_rng *rng, sotto_error *error)
{
    const sot_nn_sampler *sampler = &draws->sampler;
    sotto_status status = sot_batches_new(rng, sampler->sampling, sampler->rate,
                                          sampler->batch, &draws->batches, error);
    if (status == SOTTO_OK)
        status =
            sot_tiling_new(rng, sampler->tiles, SOT_TILE_ROWS, &draws->tiling, error);
    if (status == SOTTO_OK) status = sot_place_coins_draw(rng, &draws->copies, error);
    return status;
}

sotto_status sot_nn_draws_new(const sot_nn_sampler *sampler, sotto_rng *rng,
                              sot_pool *pool, sot_nn_draws **out_draws,
                              sotto_error *error)
{
    sot_nn_draws *draws = sot_new_array(1, sizeof *draws);
    if (draws == NULL) return sot_fail_memory(error, 1, sizeof *draws);
    draws->sampler = *sampler;
    const sotto_status status = draw_keys(draws, rng, error);
    if (status != SOTTO_OK) {
        sot_nn_draws_free(draws);
        return status;
    }
    sot_batches_set_pool(draws->batches, pool);
    sot_tiling_set_pool(draws->tiling, pool);
    *out_draws = draws;
    return SOTTO_OK;
}

void sot_nn_draws_free(sot_nn_draws *draws)
{
    if (draws == NULL) return;
    sot_batches_free(draws->batches);
    sot_tiling_free(draws->tiling);
    sot_wipe_and_free(draws, sizeof *draws);
}

sotto_status sot_nn_draw(sot_nn_draws *draws, uint64_t step, size_t rows,
                         sot_cut *out_cut, sotto_error *error)
{
    const uint32_t *chosen = NULL;
    size_t count = 0;
    const sotto_status status =
        sot_batches_of_step(draws->batches, step, 0, rows, &chosen, &count, error);
    if (status != SOTTO_OK) return status;
    return sot_tiling_cut(draws->tiling, step, chosen, count, out_cut, error);
}

uint64_t sot_nn_copy_coin(const sot_nn_draws *draws, uint64_t step, uint64_t place,
                          uint64_t copy)
{
    return sot_place_coin(&draws->copies, step, place, copy);
}
