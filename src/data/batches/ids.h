/* data/batches/ids.h: the ids of the units of some rows, in their order. Secret. */
#ifndef SOT_DATA_BATCHES_IDS_H
#define SOT_DATA_BATCHES_IDS_H

#include <stddef.h>

#include <sotto/error.h>

/* Starts as {0}. */
typedef struct sot_ids {
    char *bytes;  /* one after another */
    size_t *ends; /* where each of them ends */
    size_t count, bytes_room, ends_room;
    size_t bytes_used, ends_used; /* ever written to */
} sot_ids;

SOTTO_MUST_CHECK sotto_status sot_ids_add(sot_ids *ids, const char *id, size_t id_bytes,
                                          sotto_error *error);

/* The id of row `row`; not NUL-terminated. */
const char *sot_ids_at(const sot_ids *ids, size_t row, size_t *out_bytes);

void sot_ids_empty(sot_ids *ids); /* keeps the room */
void sot_ids_clear(sot_ids *ids); /* wipes and frees */

#endif
