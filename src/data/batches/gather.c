/* Rows from several threads: each piece is encoded where it is parsed, and appended in the order of the file. */
#include "base/error.h"
#include "base/memory.h"
#include "data/batches/ids.h"
#include "data/batches/loading.h"
#include "data/source/parallel.h"

/* A piece begins with this room. It has at most PIECE_BYTES of rows, or this number of rows if they are larger. */
enum { ROWS_OF_PIECE = 64, PIECE_BYTES = 1 << 20 };

/* Some rows, and the ids of their units. */
typedef struct piece {
    sot_loading rows;
    size_t taken; /* of them, into the whole */
    bool has_units;
    sot_ids ids; /* of the units */
} piece;

static void drop_piece(void *pointer)
{
    piece *self = pointer;
    if (self == NULL) return;
    sot_loading_end(&self->rows);
    sot_matrix_free(self->rows.matrix);
    sot_ids_clear(&self->ids);
    sot_free(self);
}

static sotto_status make_piece(void *context, void **out_piece, sotto_error *error)
{
    const sot_gathering *own = context;
    piece *self = sot_new_array(1, sizeof *self);
    if (self == NULL) return sot_fail_memory(error, 1, sizeof *self);
    self->rows.encoding = own->loader->encoding;
    self->has_units = own->loader->units != NULL;
    const sotto_status status =
        sot_loading_begin(&self->rows, own->source, 0, ROWS_OF_PIECE, error);
    if (status != SOTTO_OK) {
        drop_piece(self);
        return status;
    }
    *out_piece = self;
    return SOTTO_OK;
}

static sotto_status add_record(void *pointer, const sot_record *record,
                               sotto_error *error)
{
    piece *self = pointer;
    const sotto_status status = sot_loading_add(&self->rows, record, error);
    if (status != SOTTO_OK || !self->has_units) return status;
    return sot_ids_add(&self->ids, record->unit, record->unit_bytes, error);
}

/* The whole bounds the rows of a unit in the order of the file. */
static sotto_status take_units(sot_gathering *own, const piece *self, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (size_t row = 0; status == SOTTO_OK && row < self->rows.matrix->rows; row++) {
        size_t unit_bytes;
        const char *unit = sot_ids_at(&self->ids, row, &unit_bytes);
        status = sot_loading_add_of_unit(own->loader, self->rows.matrix, row, unit,
                                         unit_bytes, error);
    }
    return status;
}

static sotto_status take_piece(void *context, void *pointer, bool *out_full,
                               sotto_error *error)
{
    sot_gathering *own = context;
    piece *self = pointer;
    size_t count = self->rows.matrix->rows - self->taken;
    const size_t room = own->rows_most - own->loader->matrix->rows;
    if (count > room && !self->has_units) count = room;
    const sotto_status status = self->has_units
                                    ? take_units(own, self, error)
                                    : sot_loading_add_rows(own->loader, self->rows.matrix,
                                                           self->taken, count, error);
    if (status != SOTTO_OK) return status;
    self->taken += count;
    *out_full = self->taken < self->rows.matrix->rows;
    if (*out_full) return SOTTO_OK;
    self->rows.matrix->rows = 0;
    self->taken = 0;
    sot_ids_empty(&self->ids);
    return SOTTO_OK;
}

static const sot_sink rows_sink = {
    .make = make_piece, .drop = drop_piece, .add = add_record, .take = take_piece};

/* The bytes of a row that do not follow from the text of its line. */
static size_t fixed_bytes(const sot_matrix *matrix)
{
    const size_t label = sizeof *matrix->labels;
    if (matrix->layout != NULL) return label + sot_matrix_row_bytes(matrix);
    if (matrix->cells != NULL) return label + matrix->columns * sizeof *matrix->cells;
    if (matrix->starts == NULL) return label + matrix->stride * sizeof *matrix->dense;
    return label + sizeof *matrix->starts;
}

sotto_status sot_gathering_new(sot_gathering *gathering, sot_source *source,
                               sot_parallel **out_parallel, sotto_error *error)
{
    const size_t lines = PIECE_BYTES / fixed_bytes(gathering->loader->matrix);
    return sot_parallel_new(source, 0, lines < ROWS_OF_PIECE ? ROWS_OF_PIECE : lines,
                            &rows_sink, gathering, out_parallel, error);
}

sotto_status sot_loading_gather(sot_loading *loader, sot_source *source,
                                sotto_error *error)
{
    sot_parallel *parallel = NULL;
    sot_gathering gathering = {.loader = loader, .source = source, .rows_most = SIZE_MAX};
    sotto_status status = sot_gathering_new(&gathering, source, &parallel, error);
    if (status == SOTTO_OK) status = sot_parallel_run(parallel, error);
    sot_parallel_free(parallel);
    return status;
}
