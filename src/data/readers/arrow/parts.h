/* data/readers/arrow/parts.h: the common part of the files of the Arrow reader. */
#ifndef SOT_DATA_READERS_ARROW_PARTS_H
#define SOT_DATA_READERS_ARROW_PARTS_H

#include "data/readers/array/view.h"
#include "data/readers/arrow/cell.h"

/* A column of the stream that is read. */
typedef struct sot_arrow_field {
    size_t place; /* the column of the schema, or the feature */
    size_t child; /* of the stream */
    sot_arrow_type type;
    sot_arrow_use use;
    sot_words *categories;
    sot_arrow_column column; /* of the current batch */
} sot_arrow_field;

typedef struct sot_arrow_stream {
    const sotto_schema *schema;
    bool is_matrix;
    size_t columns;     /* of a record */
    size_t unit_column; /* SIZE_MAX: none, or it comes apart */
    size_t target;      /* column of the labels that come apart; SIZE_MAX: none */
    sotto_array labels, units;
    const bool *wanted; /* while the stream is opened */
    struct ArrowArrayStream stream;
    struct ArrowSchema layout;
    struct ArrowArray batch;
    const uint8_t *batch_validity; /* of whole rows; NULL: all are there */
    sot_arrow_field *fields;
    size_t field_count;
    size_t *field_of_column; /* SIZE_MAX: not read */
    double *block;           /* block_room x columns; unread columns stay unchanged */
    uint32_t *indices;       /* of a matrix: 0, 1, 2, ... */
    uint64_t batch_rows,
        batch_next; /* rows of the batch; the first that is in no block */
    size_t block_room, block_rows, block_next;
    uint64_t rows, batches; /* so far */
    bool at_end;
    char id[SOT_UNIT_ID_BYTES]; /* of a unit that comes apart */
    sot_arrow_text *spelled;    /* the last cell that was asked for */
} sot_arrow_stream;

/* Finds the columns of the schema among those of the stream, whose layout was read. */
SOTTO_MUST_CHECK sotto_status sot_arrow_match(sot_arrow_stream *reader,
                                              bool without_target, sotto_error *error);

#endif
