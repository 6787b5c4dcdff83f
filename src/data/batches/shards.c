#include "data/batches/shards.h"

#include <string.h>

#include <sodium.h>

#include "base/memory.h"
#include "data/batches/unit.h"
#include "random/wide.h"

enum { HASH_BYTES = 16 }; /* the shortest BLAKE2b output; eight bytes are used */

static void add(crypto_generichash_state *state, const void *bytes, size_t size_bytes)
{
    if (size_bytes > 0)
        (void)crypto_generichash_update(state, bytes, size_bytes); /* never fails */
}

/* Adds the content of a record, in one spelling per source: a function of only this
 * record. */
static void add_content(crypto_generichash_state *state, const sotto_schema *schema,
                        const sot_record *record)
{
    if (record->cells != NULL) {
        add(state, record->cells, sotto_schema_size(schema) * sizeof *record->cells);
        return;
    }
    if (record->bytes != NULL) {
        add(state, record->bytes, record->count);
    } else {
        add(state, record->indices, record->count * sizeof *record->indices);
        add(state, record->values, record->count * sizeof *record->values);
    }
    add(state, &record->label, sizeof record->label);
}

size_t sot_shard_of(const sot_sharding *sharding, const sotto_schema *schema,
                    const sot_record *record, uint64_t place)
{
    crypto_generichash_state state;
    unsigned char output[HASH_BYTES];
    const sot_shard_rule rule = sharding->rule;
    (void)crypto_generichash_init(&state, sharding->key, sizeof sharding->key,
                                  sizeof output);
    if (rule == SOT_SHARD_BY_UNIT) {
        const size_t size = record->unit_bytes < SOT_UNIT_ID_BYTES ? record->unit_bytes
                                                                   : SOT_UNIT_ID_BYTES;
        add(&state, record->unit, size);
    } else if (rule == SOT_SHARD_BY_CONTENT) {
        add_content(&state, schema, record);
    } else {
        add(&state, &place, sizeof place);
    }
    (void)crypto_generichash_final(&state, output, sizeof output);
    const uint64_t number = sot_load_le64(output);
    sot_wipe(&state, sizeof state);
    sot_wipe(output, sizeof output);
    return (size_t)(number % sharding->count);
}

void sot_shards_digest_add(const sot_sharding *sharding, const sotto_schema *schema,
                           const sot_record *record, uint64_t place,
                           unsigned char digest[SOT_SHARD_DIGEST_BYTES])
{
    static const char use[] = "rows"; /* no hash of a shard begins so */
    crypto_generichash_state state;
    unsigned char output[SOT_SHARD_DIGEST_BYTES];
    const uint64_t unit_bytes = record->unit == NULL ? 0 : record->unit_bytes;
    const uint64_t number = sharding->rule == SOT_SHARD_BY_PLACE ? place : 0;
    (void)crypto_generichash_init(&state, sharding->key, sizeof sharding->key,
                                  sizeof output);
    add(&state, use, sizeof use);
    add(&state, &number, sizeof number);
    add(&state, &unit_bytes, sizeof unit_bytes);
    add(&state, record->unit, (size_t)unit_bytes);
    add_content(&state, schema, record);
    (void)crypto_generichash_final(&state, output, sizeof output);
    sodium_add(digest, output, sizeof output);
    sot_wipe(&state, sizeof state);
    sot_wipe(output, sizeof output);
}

uint64_t sot_sharding_touched(sot_shard_rule rule, sotto_adjacency adjacency)
{
    if (adjacency != SOTTO_ADD_REMOVE && adjacency != SOTTO_REPLACE_ONE) return 0;
    switch (rule) {
    case SOT_SHARD_BY_UNIT:
    case SOT_SHARD_BY_CONTENT:
        return adjacency == SOTTO_ADD_REMOVE ? 1 : 2;
    case SOT_SHARD_BY_PLACE:
        return adjacency == SOTTO_REPLACE_ONE ? 1 : 0;
    default:
        return 0;
    }
}
