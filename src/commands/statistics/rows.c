/* The rows of a table on their way into a statistic. */
#include "base/error.h"
#include "base/memory.h"
#include "commands/statistics/release.h"
#include "data/batches/ids.h"
#include "data/batches/room.h"
#include "data/batches/unit.h"
#include "data/source/parallel.h"

enum { FIRST_VALUES = 1024, LINES_MOST = 1 << 16 };

typedef struct reading {
    sot_release *release;
    sot_units *units; /* NULL: the unit is a row */
    sot_kept_rows kept;
} reading;

static double value_of(const sot_release *release, const sot_record *record)
{
    return release->described == NULL ? 0.0 : record->cells[release->column];
}

/* A row goes to its unit, which may drop another one for it. Sums are exact integers, so that the order of the slots
 * does not matter. */
static sotto_status take(reading *own, double value, const char *unit, size_t unit_bytes,
                         sotto_error *error)
{
    bool is_kept = false;
    uint64_t slot = 0;
    own->release->lines++;
    if (own->units == NULL) return sot_release_take(own->release, value, error);
    const sotto_status status =
        sot_units_offer(own->units, unit, unit_bytes, &is_kept, &slot, error);
    if (status != SOTTO_OK || !is_kept) return status;
    return sot_kept_put(&own->kept, (size_t)slot, value, error);
}

static sotto_status read_plain(reading *own, sot_source *source, sotto_error *error)
{
    for (;;) {
        bool more = false;
        sot_record record;
        sotto_status status = sot_source_next(source, &record, &more, error);
        if (status != SOTTO_OK || !more) return status;
        status = take(own, value_of(own->release, &record), record.unit,
                      record.unit_bytes, error);
        if (status != SOTTO_OK) return status;
    }
}

/* ---- on several threads ---- */

/* The values of some rows, and the ids of their units. */
typedef struct piece {
    const sot_release *release;
    double *values;
    size_t count, room, used;
    bool has_units;
    sot_ids ids;
} piece;

static sotto_status make_piece(void *context, void **out_piece, sotto_error *error)
{
    const reading *own = context;
    piece *self = sot_new_array(1, sizeof *self);
    if (self == NULL) return sot_fail_memory(error, 1, sizeof *self);
    self->release = own->release;
    self->has_units = own->units != NULL;
    *out_piece = self;
    return SOTTO_OK;
}

static void drop_piece(void *pointer)
{
    piece *self = pointer;
    if (self == NULL) return;
    sot_free_grown(self->values, self->used * sizeof *self->values);
    sot_ids_clear(&self->ids);
    sot_free(self);
}

static sotto_status add_record(void *pointer, const sot_record *record,
                               sotto_error *error)
{
    piece *self = pointer;
    void *array = self->values;
    const sotto_status status = sot_room_reserve(
        &array, &self->room, self->count + 1, FIRST_VALUES, sizeof *self->values, error);
    self->values = array;
    if (status != SOTTO_OK) return status;
    self->values[self->count++] = value_of(self->release, record);
    if (self->count > self->used) self->used = self->count;
    if (!self->has_units) return SOTTO_OK;
    return sot_ids_add(&self->ids, record->unit, record->unit_bytes, error);
}

static sotto_status take_piece(void *context, void *pointer, bool *out_full,
                               sotto_error *error)
{
    reading *own = context;
    piece *self = pointer;
    sotto_status status = SOTTO_OK;
    (void)out_full;
    for (size_t i = 0; status == SOTTO_OK && i < self->count; i++) {
        size_t unit_bytes = 0;
        const char *unit =
            self->has_units ? sot_ids_at(&self->ids, i, &unit_bytes) : NULL;
        status = take(own, self->values[i], unit, unit_bytes, error);
    }
    self->count = 0;
    sot_ids_empty(&self->ids);
    return status;
}

static const sot_sink values_sink = {
    .make = make_piece, .drop = drop_piece, .add = add_record, .take = take_piece};

static sotto_status read_parallel(reading *own, sot_source *source, sotto_error *error)
{
    sot_parallel *parallel = NULL;
    sotto_status status =
        sot_parallel_new(source, 0, LINES_MOST, &values_sink, own, &parallel, error);
    if (status == SOTTO_OK) status = sot_parallel_run(parallel, error);
    sot_parallel_free(parallel);
    return status;
}

sotto_status sot_release_read(sot_release *release, sot_source *source, sotto_rng *rng,
                              sotto_error *error)
{
    reading own = {.release = release};
    sotto_status status = SOTTO_OK;
    sot_source_set_threads(source, release->config->threads);
    if (sotto_schema_unit(release->schema) != NULL)
        status = sot_units_new(release->unit_rows, rng, &own.units, error);
    if (status == SOTTO_OK)
        status = sot_source_is_parallel(source) ? read_parallel(&own, source, error)
                                                : read_plain(&own, source, error);
    if (status == SOTTO_OK && own.units != NULL)
        status = sot_kept_take(release, &own.kept, error);
    sot_kept_clear(&own.kept);
    sot_units_free(own.units);
    return status;
}
