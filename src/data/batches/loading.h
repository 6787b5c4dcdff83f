/* data/batches/loading.h: a matrix that grows, row by row. Private to this folder. */
#ifndef SOT_DATA_BATCHES_LOADING_H
#define SOT_DATA_BATCHES_LOADING_H

#include "data/batches/matrix.h"
#include "data/batches/unit.h"

enum { SOT_LOADING_ROWS = 1024 };

/* The matrix, and the rows in it that were dropped again for others of their unit. */
typedef struct sot_loading {
    const sot_encoding *encoding;
    sot_matrix *matrix;
    sot_features features; /* of one record */
    size_t features_used;  /* of their arrays, ever written to */
    sot_units *units;      /* NULL: the unit is a row */
    uint64_t *row_of_slot; /* for each slot of the units the row that it has now */
    uint64_t *slot_of_row; /* and back; NO_SLOT: dropped */
    size_t slots, slots_room, rows_room;
    size_t dropped_rows;
} sot_loading;

/* Makes the matrix, with room for `rows` rows if it can be had, for `least` in any case. loader->encoding is set. On failure
 * too: sot_loading_end(), sot_matrix_free(). */
SOTTO_MUST_CHECK sotto_status sot_loading_begin(sot_loading *loader,
                                                const sot_source *source, uint64_t rows,
                                                size_t least, sotto_error *error);
/* Wipes all but the matrix. */
void sot_loading_end(sot_loading *loader);

/* Appends the record; of units, if its unit keeps it. */
SOTTO_MUST_CHECK sotto_status sot_loading_add(sot_loading *loader,
                                              const sot_record *record,
                                              sotto_error *error);

/* Appends rows first ... first + count - 1 of another matrix of the encoding. */
SOTTO_MUST_CHECK sotto_status sot_loading_add_rows(sot_loading *loader,
                                                   const sot_matrix *from, size_t first,
                                                   size_t count, sotto_error *error);

/* Appends row `row` of another matrix if the unit keeps it. */
SOTTO_MUST_CHECK sotto_status sot_loading_add_of_unit(sot_loading *loader,
                                                      const sot_matrix *from, size_t row,
                                                      const char *unit, size_t unit_bytes,
                                                      sotto_error *error);

/* Takes the dropped rows out, without changing the order of the others. */
void sot_loading_close_gaps(sot_loading *loader);

/* ---- on several threads (gather.c) ---- */

struct sot_parallel;

/* Reads the source, for which sot_source_is_parallel(), to its end: the rows of sot_loading_add(). */
SOTTO_MUST_CHECK sotto_status sot_loading_gather(sot_loading *loader, sot_source *source,
                                                 sotto_error *error);

/* The same in parts: rows are appended until the matrix has *rows_most. *parallel: NULL at first; free it with
 * sot_parallel_free() before the source is read again. `loader` and `rows_most` stay where they are meanwhile. */
typedef struct sot_gathering {
    sot_loading *loader;
    const sot_source *source;
    size_t rows_most;
} sot_gathering;
SOTTO_MUST_CHECK sotto_status sot_gathering_new(sot_gathering *gathering,
                                                sot_source *source,
                                                struct sot_parallel **out_parallel,
                                                sotto_error *error);

#endif
