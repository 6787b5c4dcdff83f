#include "data/batches/ids.h"

#include <string.h>

#include "base/memory.h"
#include "data/batches/room.h"

enum { FIRST_BYTES = 16384, FIRST_ENDS = 1024 };

sotto_status sot_ids_add(sot_ids *ids, const char *id, size_t id_bytes,
                         sotto_error *error)
{
    const size_t begin = ids->count == 0 ? 0 : ids->ends[ids->count - 1];
    void *array = ids->bytes;
    sotto_status status = sot_room_reserve(&array, &ids->bytes_room, begin + id_bytes,
                                           FIRST_BYTES, 1, error);
    ids->bytes = array;
    if (status != SOTTO_OK) return status;
    array = ids->ends;
    status = sot_room_reserve(&array, &ids->ends_room, ids->count + 1, FIRST_ENDS,
                              sizeof *ids->ends, error);
    ids->ends = array;
    if (status != SOTTO_OK) return status;
    if (id_bytes > 0) memcpy(ids->bytes + begin, id, id_bytes);
    ids->ends[ids->count++] = begin + id_bytes;
    if (begin + id_bytes > ids->bytes_used) ids->bytes_used = begin + id_bytes;
    if (ids->count > ids->ends_used) ids->ends_used = ids->count;
    return SOTTO_OK;
}

const char *sot_ids_at(const sot_ids *ids, size_t row, size_t *out_bytes)
{
    const size_t begin = row == 0 ? 0 : ids->ends[row - 1];
    *out_bytes = ids->ends[row] - begin;
    return *out_bytes == 0 ? "" : ids->bytes + begin;
}

void sot_ids_empty(sot_ids *ids)
{
    ids->count = 0;
}

void sot_ids_clear(sot_ids *ids)
{
    sot_free_grown(ids->bytes, ids->bytes_used);
    sot_free_grown(ids->ends, ids->ends_used * sizeof *ids->ends);
    *ids = (sot_ids){0};
}
