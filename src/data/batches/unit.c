#include "data/batches/unit.h"

#include <assert.h>
#include <string.h>

#include <sodium.h>

#include "base/error.h"
#include "base/memory.h"
#include "random/rng.h"

enum { KEY_BYTES = crypto_shorthash_KEYBYTES, HASH_BYTES = crypto_shorthash_BYTES };
_Static_assert(HASH_BYTES == 8, "SipHash-2-4 gives 64 bits");

/* A record that is kept. */
typedef struct entry {
    uint64_t number;     /* its random number */
    uint64_t occurrence; /* its place among the unit's records; breaks ties */
    uint64_t slot;
} entry;

/* Its records that are kept, a heap with the one on top that is dropped next. */
typedef struct unit {
    char *id; /* NULL: this place of the table is free */
    size_t id_bytes;
    uint64_t seen; /* records so far */
    entry *kept;
    size_t kept_count, kept_room;
} unit;

/* A table with open addressing, at least half of it free. */
struct sot_units {
    uint64_t rows_max;
    unsigned char number_key[KEY_BYTES];
    unsigned char table_key[KEY_BYTES]; /* so that no choice of ids can crowd the table */
    unit *table;
    size_t mask; /* places - 1; a power of two of them */
    size_t unit_count;
    uint64_t slot_count;
};

/* ---- the table ---- */

static uint64_t hash(const unsigned char *key, const void *bytes, size_t size_bytes)
{
    unsigned char output[HASH_BYTES];
    (void)crypto_shorthash(output, bytes, size_bytes, key); /* never fails */
    return sot_load_le64(output);
}

/* The unit's place in the table, or the free one where it belongs. */
static unit *place_of(const sot_units *units, const char *id, size_t id_bytes)
{
    size_t at = (size_t)hash(units->table_key, id, id_bytes) & units->mask;
    for (;; at = (at + 1) & units->mask) {
        unit *candidate = &units->table[at];
        if (candidate->id == NULL) return candidate;
        if (candidate->id_bytes == id_bytes && memcmp(candidate->id, id, id_bytes) == 0)
            return candidate;
    }
}

static sotto_status grow_table(sot_units *units, sotto_error *error)
{
    const size_t places = units->table == NULL ? 64 : 2 * (units->mask + 1);
    unit *old = units->table;
    const size_t old_places = old == NULL ? 0 : units->mask + 1;
    unit *table = sot_new_array(places, sizeof *table);
    if (table == NULL) return sot_fail_memory(error, places, sizeof *table);
    units->table = table;
    units->mask = places - 1;
    for (size_t i = 0; i < old_places; i++) {
        if (old[i].id != NULL) *place_of(units, old[i].id, old[i].id_bytes) = old[i];
    }
    sot_wipe_and_free(old, old_places * sizeof *old);
    return SOTTO_OK;
}

static sotto_status find_or_add(sot_units *units, const char *id, size_t id_bytes,
                                unit **out_unit, sotto_error *error)
{
    unit *found = units->table == NULL ? NULL : place_of(units, id, id_bytes);
    if (found != NULL && found->id != NULL) {
        *out_unit = found;
        return SOTTO_OK;
    }
    if (found == NULL || 2 * (units->unit_count + 1) > units->mask + 1) {
        const sotto_status status = grow_table(units, error);
        if (status != SOTTO_OK) return status;
        found = place_of(units, id, id_bytes);
    }
    char *copy = sot_new_array(id_bytes, 1);
    if (copy == NULL) return sot_fail_memory(error, id_bytes, 1);
    if (id_bytes > 0) memcpy(copy, id, id_bytes);
    found->id = copy;
    found->id_bytes = id_bytes;
    units->unit_count++;
    *out_unit = found;
    return SOTTO_OK;
}

/* ---- the heap ---- */

static bool is_after(const entry *a, const entry *b)
{
    return a->number != b->number ? a->number > b->number : a->occurrence > b->occurrence;
}

static sotto_status make_room(unit *owner, sotto_error *error)
{
    if (owner->kept_count < owner->kept_room) return SOTTO_OK;
    const size_t room = owner->kept_room == 0 ? 1 : 2 * owner->kept_room;
    entry *kept = sot_move_array(owner->kept, owner->kept_room, room, sizeof *kept);
    if (kept == NULL) return sot_fail_memory(error, room, sizeof *kept);
    owner->kept = kept;
    owner->kept_room = room;
    return SOTTO_OK;
}

static void push(unit *owner, entry added)
{
    size_t at = owner->kept_count++;
    while (at > 0 && is_after(&added, &owner->kept[(at - 1) / 2])) {
        owner->kept[at] = owner->kept[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    owner->kept[at] = added;
}

static void replace_top(unit *owner, entry added)
{
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= owner->kept_count) break;
        if (child + 1 < owner->kept_count &&
            is_after(&owner->kept[child + 1], &owner->kept[child]))
            child++;
        if (!is_after(&owner->kept[child], &added)) break;
        owner->kept[at] = owner->kept[child];
        at = child;
    }
    owner->kept[at] = added;
}

/* ---- the choice ---- */

/* Returns the random number of the unit's record number `occurrence`. */
static uint64_t number_of(const sot_units *units, const unit *owner, uint64_t occurrence)
{
    unsigned char message[sizeof occurrence + SOT_UNIT_ID_BYTES];
    for (size_t i = 0; i < sizeof occurrence; i++)
        message[i] = (unsigned char)(occurrence >> 8 * i);
    memcpy(message + sizeof occurrence, owner->id, owner->id_bytes);
    const uint64_t number =
        hash(units->number_key, message, sizeof occurrence + owner->id_bytes);
    sot_wipe(message, sizeof message);
    return number;
}

sotto_status sot_units_offer(sot_units *units, const char *id, size_t id_bytes,
                             bool *out_kept, uint64_t *out_slot, sotto_error *error)
{
    if (id_bytes > SOT_UNIT_ID_BYTES) id_bytes = SOT_UNIT_ID_BYTES;
    unit *owner = NULL;
    sotto_status status = find_or_add(units, id, id_bytes, &owner, error);
    if (status != SOTTO_OK) return status;
    entry offered = {.occurrence = owner->seen};
    offered.number = number_of(units, owner, offered.occurrence);
    if (owner->kept_count < units->rows_max) {
        status = make_room(owner, error);
        if (status != SOTTO_OK) return status;
        offered.slot = units->slot_count++;
        push(owner, offered);
        *out_kept = true;
    } else {
        *out_kept = is_after(&owner->kept[0], &offered);
        offered.slot = owner->kept[0].slot;
        if (*out_kept) replace_top(owner, offered);
    }
    owner->seen++;
    *out_slot = offered.slot;
    return SOTTO_OK;
}

/* ---- making and freeing ---- */

sotto_status sot_units_new(uint64_t rows_max, sotto_rng *rng, sot_units **out_units,
                           sotto_error *error)
{
    assert(rows_max >= 1);
    sot_units *units = sot_new_array(1, sizeof *units);
    if (units == NULL) return sot_fail_memory(error, 1, sizeof *units);
    units->rows_max = rows_max;
    sot_rng_bytes(rng, units->number_key, KEY_BYTES);
    sot_rng_bytes(rng, units->table_key, KEY_BYTES);
    const sotto_status status = sot_rng_check(rng, error);
    if (status != SOTTO_OK) {
        sot_units_free(units);
        return status;
    }
    *out_units = units;
    return SOTTO_OK;
}

void sot_units_free(sot_units *units)
{
    if (units == NULL) return;
    const size_t places = units->table == NULL ? 0 : units->mask + 1;
    for (size_t i = 0; i < places; i++) {
        unit *owner = &units->table[i];
        if (owner->id == NULL) continue;
        sot_wipe_and_free(owner->id, owner->id_bytes);
        sot_wipe_and_free(owner->kept, owner->kept_room * sizeof *owner->kept);
    }
    sot_wipe_and_free(units->table, places * sizeof *units->table);
    sot_wipe_and_free(units, sizeof *units);
}
