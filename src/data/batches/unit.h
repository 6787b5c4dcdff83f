/* data/batches/unit.h: at most so many records of each unit, chosen without a look at the others.
 *
 * Idea        Every record of a unit draws a number: a keyed hash of the unit's id and of the
 *             record's place among the records of that unit. The records with the least numbers
 *             are kept.
 * Theorem     For every key: what is kept of one unit is a function of that unit's records alone.
 *             So adding, removing or exchanging all records of one unit adds, removes or exchanges
 *             at most `rows_max` kept records, and changes no other.
 * Neighbours  Data sets that differ in the records of one unit.
 * Assumes     The key does not depend on the records: it comes from `rng`. That the hash looks
 *             random makes the choice fair; privacy does not rest on it.
 * Rule        A unit is told by the bytes of its id, the first SOT_UNIT_ID_BYTES of them; all records
 *             with an empty id are one unit.
 * Memory      In proportion to the records that are kept.
 * Proof note  src/data/batches/unit.md
 */
#ifndef SOT_DATA_BATCHES_UNIT_H
#define SOT_DATA_BATCHES_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/rng.h>

enum { SOT_UNIT_ID_BYTES = 256 };

typedef struct sot_units sot_units;

/* `rows_max` is at least 1; the key is drawn here. Free with sot_units_free(). */
SOTTO_MUST_CHECK sotto_status sot_units_new(uint64_t rows_max, sotto_rng *rng,
                                            sot_units **out_units, sotto_error *error);
void sot_units_free(sot_units *units); /* wipes; NULL is fine */

/* The next record, in the order of the data, is one of this unit. If it is kept, it goes to
 * *out_slot: either the first slot that was never used, so that slots are numbered 0, 1, 2, ...,
 * or that of a record of the same unit, which is dropped for it. */
SOTTO_MUST_CHECK sotto_status sot_units_offer(sot_units *units, const char *id,
                                              size_t id_bytes, bool *out_kept,
                                              uint64_t *out_slot, sotto_error *error);

#endif
