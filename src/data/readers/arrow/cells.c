#include <string.h>

#include <sotto/arrow.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/readers/readers.h"

enum { FIRST_ROWS = 1024 };

/* Appends a row; grows by doubling. */
static sotto_status append(const sot_record *record, double **cells, sotto_array *out,
                           size_t *room, sotto_error *error)
{
    const size_t columns = out->columns;
    if (out->rows == *room) {
        const size_t wanted = *room == 0 ? FIRST_ROWS : 2 * *room;
        double *moved = sot_move_array(*cells, *room, wanted, columns * sizeof *moved);
        if (moved == NULL) return sot_fail_memory(error, wanted, columns * sizeof *moved);
        *cells = moved;
        *room = wanted;
    }
    memcpy(*cells + out->rows * columns,
           record->cells != NULL ? record->cells : record->values,
           columns * sizeof **cells);
    out->rows++;
    return SOTTO_OK;
}

sotto_status sotto_arrow_cells(const sotto_schema *schema,
                               struct ArrowArrayStream *stream, sotto_array *out_cells,
                               sotto_error *error)
{
    const sotto_records records = {.stream = stream};
    const sot_reader_input input = {
        .records = &records, .schema = schema, .without_target = true};
    const size_t columns = sotto_schema_is_matrix(schema) ? sotto_schema_features(schema)
                                                          : sotto_schema_size(schema);
    sotto_array found = {.element = SOTTO_FLOAT64,
                         .columns = columns,
                         .row_stride_bytes = (ptrdiff_t)(columns * sizeof(double)),
                         .column_stride_bytes = sizeof(double)};
    double *cells = NULL;
    size_t room = 0;
    void *reader = NULL;
    sot_record record;
    bool more = true;
    sotto_status status = sot_reader_arrow.open(&input, &reader, error);
    while (status == SOTTO_OK && more) {
        status = sot_reader_arrow.next(reader, &record, &more, error);
        if (status == SOTTO_OK && more)
            status = append(&record, &cells, &found, &room, error);
    }
    sot_reader_arrow.close(reader);
    if (stream->release != NULL) stream->release(stream);
    if (status != SOTTO_OK) {
        sot_wipe_and_free(cells, room * columns * sizeof *cells);
        return status;
    }
    found.data = cells;
    *out_cells = found;
    return SOTTO_OK;
}

void sotto_arrow_free_cells(sotto_array *cells)
{
    /* The array was made here, and is the caller's own: the view says const for those that are not. */
    union {
        const void *lent;
        void *owned;
    } data = {.lent = cells->data};
    sot_wipe_and_free(data.owned, cells->rows * cells->columns * sizeof(double));
    *cells = (sotto_array){.element = SOTTO_ELEMENT_UNSET};
}
