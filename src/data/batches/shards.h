/* data/batches/shards.h: the assignment of records to a public number of shards.
 *
 * Idea: a shard is a keyed hash of a property of the record itself. A change of one record leaves
 * all others where they are. So one record touches one shard, for anything that is learned there.
 *
 * Theorem: take any key, and neighbours that differ in one record (or all records of one unit).
 *
 * - unit: add-remove: 1 shard differs. Replace-one: 2, because the new unit may have another id
 *   than the old one.
 * - content: the same: 1, and 2 under replace-one. Equal records are in one shard.
 * - place: replace-one with a public number of records: 1, because the new record takes the place
 *   of the old one. Add-remove: ALL shards may differ, because every later record moves up. It is
 *   refused there: sot_sharding_touched().
 *
 * Assumes: the key is sampled without looking at the records, and the number of shards is public.
 * A hash that looks random gives shards of similar size; privacy does not depend on it.
 *
 * Proof note: src/data/batches/shards.md
 */
#ifndef SOT_DATA_BATCHES_SHARDS_H
#define SOT_DATA_BATCHES_SHARDS_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/schema.h>

#include "data/readers/record.h"

typedef enum sot_shard_rule {
    SOT_SHARD_BY_UNIT = 1,    /* the id of the record's unit, its first 256 bytes */
    SOT_SHARD_BY_CONTENT = 2, /* everything that the schema lets a record say */
    SOT_SHARD_BY_PLACE = 3    /* its number in the data */
} sot_shard_rule;

enum { SOT_SHARD_KEY_BYTES = 32, SOT_SHARD_DIGEST_BYTES = 32, SOT_SHARDS_MAX = 1 << 16 };

typedef struct sot_sharding {
    sot_shard_rule rule;
    unsigned char key[SOT_SHARD_KEY_BYTES];
    size_t count; /* 1 to SOT_SHARDS_MAX */
} sot_sharding;

/* Total. `place` counts the records of the data from 0. */
size_t sot_shard_of(const sot_sharding *sharding, const sotto_schema *schema,
                    const sot_record *record, uint64_t place);

/* Adds a record to a keyed digest of all records, which starts as zeros. The digest is the sum
 * modulo 2^256 of keyed hashes of unit and content, and by place also of the number. Records in
 * any order have the same digest; by place, only in the same order. The digest is as secret as
 * the records; it checks that a resumed run has the same records. */
void sot_shards_digest_add(const sot_sharding *sharding, const sotto_schema *schema,
                           const sot_record *record, uint64_t place,
                           unsigned char digest[SOT_SHARD_DIGEST_BYTES]);

/* The number of shards in which neighbours may differ, by the theorem; 0: more than can be said, or no such neighbours. */
uint64_t sot_sharding_touched(sot_shard_rule rule, sotto_adjacency adjacency);

#endif
