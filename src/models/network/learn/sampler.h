/* models/network/learn/sampler.h: the sampling of the records of a step, and its event, from one
 * object.
 *
 * Idea: the event states exactly the sampling that is done. The same struct fills in the
 * release's settings and makes the batches, and there is no other way to either.
 */
#ifndef SOT_MODELS_NETWORK_LEARN_SAMPLER_H
#define SOT_MODELS_NETWORK_LEARN_SAMPLER_H

#include <sotto/gaussian.h>

#include "data/batches/tiling.h"
#include "methods/learner.h"

/* Public. */
typedef struct sot_nn_sampler {
    sotto_sampling sampling;
    double rate;         /* Poisson */
    uint64_t population; /* fixed batches, single records: the public number of rows */
    uint64_t batch;      /* fixed batches */
    double
        divisor;  /* of a step's sum: its expected number of records, a public constant */
    size_t tiles; /* of a step */
} sot_nn_sampler;

/* Sets the sampling of the settings with `batch` records per step (ignored if all are taken), of
 * `rows`, a public number. Refuses a sampling without a theorem, or one that needs a public
 * number of rows without having it. */
SOTTO_MUST_CHECK sotto_status sot_nn_sampler_set(const sot_learner_setup *setup,
                                                 double rows, double batch,
                                                 sot_nn_sampler *out_sampler,
                                                 sotto_error *error);

/* True if every step takes all rows: by the settings, or the method gd. */
bool sot_nn_takes_all(const sot_learner_setup *setup);

/* Fills in the sampling of a release, and its sensitivity. It is that of one record or of an
 * exchange, by the accountant's theorem for this sampling and adjacency. */
void sot_nn_sampler_event(const sot_nn_sampler *sampler, sotto_adjacency adjacency,
                          double one, double exchanged, sotto_gaussian_config *noise);

/* Secret: the coins. */
typedef struct sot_nn_draws sot_nn_draws;
/* The pool is borrowed and does not affect the samples. */
SOTTO_MUST_CHECK sotto_status sot_nn_draws_new(const sot_nn_sampler *sampler,
                                               sotto_rng *rng, sot_pool *pool,
                                               sot_nn_draws **out_draws,
                                               sotto_error *error);
void sot_nn_draws_free(sot_nn_draws *draws); /* wipes; NULL is fine */

/* The records of step `step`, of `rows`, tile by tile; valid until the next call. */
SOTTO_MUST_CHECK sotto_status sot_nn_draw(sot_nn_draws *draws, uint64_t step, size_t rows,
                                          sot_cut *out_cut, sotto_error *error);

/* The coin of copy `copy` of the record at `place`: see sot_augment(). */
uint64_t sot_nn_copy_coin(const sot_nn_draws *draws, uint64_t step, uint64_t place,
                          uint64_t copy);

#endif
