/* data/batches/unit.h: a limited number of records of each unit, chosen independently of other
 * units.
 *
 * Idea: every record of a unit gets a random number. It is a keyed hash of the unit's id and of
 * the record's place among the records of that unit. The records with the smallest numbers are
 * kept.
 *
 * Theorem: for every key, the kept records of one unit are a function of only that unit's
 * records. So adding, removing or exchanging all records of one unit adds, removes or exchanges
 * at most `rows_max` kept records, and changes no other.
 *
 * Neighbours: data sets that differ in the records of one unit.
 *
 * Assumes: the key does not depend on the records; it comes from `rng`. A hash that looks random
 * makes the choice fair; privacy does not depend on it.
 *
 * Rule: a unit is identified by the first SOT_UNIT_ID_BYTES bytes of its id. All records with an
 * empty id are one unit.
 *
 * Memory: in proportion to the kept records.
 *
 * Proof note: src/data/batches/unit.md
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

/* Offers the next record, in the order of the data, which belongs to this unit. If it is kept, it
 * goes to *out_slot. That is the first unused slot, so that slots are numbered 0, 1, 2, .... Or
 * it is the slot of a dropped record of the same unit. */
SOTTO_MUST_CHECK sotto_status sot_units_offer(sot_units *units, const char *id,
                                              size_t id_bytes, bool *out_kept,
                                              uint64_t *out_slot, sotto_error *error);

#endif
