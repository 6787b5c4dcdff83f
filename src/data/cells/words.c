#include "data/cells/words.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct slot {
    const char *text; /* NULL: free */
    size_t size_bytes;
    size_t index;
} slot;

/* Open addressing, at least half of the slots free. */
struct sot_words {
    slot *slots;
    size_t mask; /* slots - 1; a power of two of them */
};

static uint64_t load(const char *text, size_t size_bytes)
{
    uint64_t word = 0;
    memcpy(&word, text, size_bytes);
    return word;
}

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15); /* 2^64 over the golden ratio */
    return hash ^ hash >> 32;
}

/* The words are public and few, so any even spread will do. Bytes in the middle of a word of 9 to 16
 * bytes count twice. */
static uint64_t hash_of(const char *text, size_t size_bytes)
{
    uint64_t hash = size_bytes;
    if (size_bytes >= 8) {
        for (size_t at = 0; at + 8 < size_bytes; at += 8)
            hash = mixed(hash, load(text + at, 8));
        return mixed(hash, load(text + size_bytes - 8, 8));
    }
    if (size_bytes >= 4) {
        return mixed(hash, load(text, 4) << 32 | load(text + size_bytes - 4, 4));
    }
    for (size_t at = 0; at < size_bytes; at++)
        hash = hash << 8 | (unsigned char)text[at];
    return mixed(hash, size_bytes);
}

static slot *slot_of(const sot_words *words, const char *text, size_t size_bytes)
{
    size_t at = (size_t)hash_of(text, size_bytes) & words->mask;
    for (;; at = (at + 1) & words->mask) {
        slot *candidate = &words->slots[at];
        if (candidate->text == NULL) return candidate;
        if (candidate->size_bytes == size_bytes &&
            memcmp(candidate->text, text, size_bytes) == 0)
            return candidate;
    }
}

sotto_status sot_words_new(const char *const *words, size_t count, sot_words **out_words,
                           sotto_error *error)
{
    size_t slots = 4;
    while (slots < 2 * count)
        slots *= 2;
    sot_words *table = sot_new_array(1, sizeof *table);
    if (table == NULL) return sot_fail_memory(error, 1, sizeof *table);
    table->mask = slots - 1;
    table->slots = sot_new_array(slots, sizeof *table->slots);
    if (table->slots == NULL) {
        sot_words_free(table);
        return sot_fail_memory(error, slots, sizeof *table->slots);
    }
    for (size_t i = 0; i < count; i++) {
        const size_t size_bytes = strlen(words[i]);
        slot *free_slot = slot_of(table, words[i], size_bytes);
        *free_slot = (slot){.text = words[i], .size_bytes = size_bytes, .index = i};
    }
    *out_words = table;
    return SOTTO_OK;
}

void sot_words_free(sot_words *words)
{
    if (words == NULL) return;
    sot_free(words->slots);
    sot_free(words);
}

size_t sot_words_find(const sot_words *words, const char *text, size_t size_bytes)
{
    const slot *found = slot_of(words, text, size_bytes);
    return found->text == NULL ? SIZE_MAX : found->index;
}
