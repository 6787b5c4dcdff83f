/* data/batches/batch.h: the records of a step, and their order in a pass.
 *
 * Idea: the choice has its own randomness and stays secret, as amplification by sampling needs.
 * Its key comes from the gate's generator and is used for nothing else.
 *
 * Distribution:
 *
 * - SOTTO_POISSON: every record by its own coin of exactly `rate`, a function of the key, the
 *   step and the record's place.
 * - SOTTO_SINGLE_RECORD: one place, exactly uniform, fresh in every step.
 * - SOTTO_WITHOUT_REPLACEMENT: `batch` places, fresh in every step, all such sets equally likely
 *   (random/subset.h).
 * - SOTTO_NOT_SAMPLED: all of them.
 *
 * An order is exactly uniform among all orders.
 */
#ifndef SOT_DATA_BATCHES_BATCH_H
#define SOT_DATA_BATCHES_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>
#include <sotto/rng.h>

#include "base/threads.h"

typedef struct sot_batches sot_batches;

/* `rate` is that of Poisson sampling, `batch` that of sampling without replacement; they are unused
 * otherwise. Values that are no sampling are refused. Free with sot_batches_free(). */
SOTTO_MUST_CHECK sotto_status sot_batches_new(sotto_rng *rng, sotto_sampling sampling,
                                              double rate, uint64_t batch,
                                              sot_batches **out_batches,
                                              sotto_error *error);
void sot_batches_free(sot_batches *batches); /* wipes; NULL is fine */

/* Coins of Poisson sampling are tossed on all threads of the pool, which is borrowed: the same ones. NULL: on one. */
void sot_batches_set_pool(sot_batches *batches, sot_pool *pool);

/* Writes those of the records first, ..., first + count - 1 that take part in step `step`,
 * counted from `first`, ascending, valid until the next call. A single record, or a batch of a
 * fixed number, is sampled among the `count` given, which must be all. A batch of more records
 * than there are is all of them. No record: none takes part. */
SOTTO_MUST_CHECK sotto_status sot_batches_of_step(sot_batches *batches, uint64_t step,
                                                  uint64_t first, size_t count,
                                                  const uint32_t **out_rows,
                                                  size_t *out_count, sotto_error *error);

/* Writes 0 .. count - 1 in random order, count at most 2^32. */
SOTTO_MUST_CHECK sotto_status sot_shuffle(sotto_rng *rng, size_t count,
                                          uint32_t *out_order, sotto_error *error);

#endif
