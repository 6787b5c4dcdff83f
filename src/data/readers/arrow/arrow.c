#include "data/readers/readers.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/cells/cell.h"
#include "data/readers/arrow/parts.h"

/* Rows that are decoded at once: as many as fit a first-level cache, so that columns become rows within it. */
enum { BLOCK_NUMBERS = 3072, BLOCK_ROWS_MIN = 8, BLOCK_ROWS_MAX = 256 };

static const uint64_t rows_max = UINT64_C(1) << 32; /* and batches */

/* ---- opening ---- */

/* Nothing that the producer says of it is passed on: a query may have run, and its error may quote a record. */
static sotto_status fail_stream(sotto_error *error)
{
    return sot_fail(error, SOTTO_IO,
                    "the stream of records failed; run the query or program behind it by "
                    "itself to see why");
}

static sotto_status read_layout(sot_arrow_stream *reader, sotto_error *error)
{
    const struct ArrowSchema *layout = &reader->layout;
    if (reader->stream.get_schema(&reader->stream, &reader->layout) != 0) {
        reader->layout = (struct ArrowSchema){.release = NULL};
        return fail_stream(error);
    }
    bool whole = layout->release != NULL && layout->format != NULL &&
                 strcmp(layout->format, "+s") == 0 && layout->n_children >= 0 &&
                 (layout->n_children == 0 || layout->children != NULL);
    for (int64_t i = 0; whole && i < layout->n_children; i++)
        whole = layout->children[i] != NULL;
    if (whole) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the stream is not one of tables: its Arrow type is no struct of "
                    "columns; hand over a table, not a column");
}

/* Labels and units beside the stream: one for each row. */
static sotto_status take_apart(sot_arrow_stream *reader, const sotto_records *records,
                               sotto_error *error)
{
    const sotto_target *target = sotto_schema_target(reader->schema);
    const char *unit = sotto_schema_unit(reader->schema);
    reader->labels = records->labels;
    reader->units = records->units;
    sotto_status status = sot_view_check_labels(&records->labels, SIZE_MAX, error);
    if (status == SOTTO_OK)
        status = sot_view_check_units(&records->units, SIZE_MAX, error);
    if (status == SOTTO_OK && records->features.rows > 0)
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "the records have features and a stream; give one of them");
    if (status == SOTTO_OK && !reader->is_matrix && unit != NULL)
        status = sotto_schema_find(reader->schema, unit, &reader->unit_column, error);
    if (!reader->is_matrix && sot_view_is_given(&records->labels) && target != NULL &&
        target->column != NULL)
        reader->target = target->index;
    return status;
}

static sotto_status make_room(sot_arrow_stream *reader, sotto_error *error)
{
    const size_t columns = reader->columns, fields = columns == 0 ? 1 : columns;
    const size_t fitting = BLOCK_NUMBERS / fields;
    reader->block_room = fitting < BLOCK_ROWS_MIN   ? BLOCK_ROWS_MIN
                         : fitting > BLOCK_ROWS_MAX ? BLOCK_ROWS_MAX
                                                    : fitting;
    reader->fields = sot_new_array(fields, sizeof *reader->fields);
    reader->field_of_column = sot_new_array(fields, sizeof *reader->field_of_column);
    reader->indices = sot_new_array(fields, sizeof *reader->indices);
    reader->block = sot_new_array(fields, reader->block_room * sizeof *reader->block);
    reader->spelled = sot_new_array(1, sizeof *reader->spelled);
    if (reader->fields == NULL || reader->field_of_column == NULL ||
        reader->indices == NULL || reader->block == NULL || reader->spelled == NULL)
        return sot_fail_memory(error, fields, reader->block_room * sizeof *reader->block);
    for (size_t i = 0; i < columns; i++) {
        reader->field_of_column[i] = SIZE_MAX;
        reader->indices[i] = (uint32_t)i;
        for (size_t row = 0; row < reader->block_room && !reader->is_matrix; row++)
            reader->block[row * columns + i] =
                sot_cell_absent(sotto_schema_column(reader->schema, i));
    }
    return SOTTO_OK;
}

static void close_arrow(void *of_reader)
{
    sot_arrow_stream *reader = of_reader;
    if (reader == NULL) return;
    if (reader->batch.release != NULL) reader->batch.release(&reader->batch);
    if (reader->layout.release != NULL) reader->layout.release(&reader->layout);
    if (reader->stream.release != NULL) reader->stream.release(&reader->stream);
    for (size_t i = 0; i < reader->field_count; i++)
        sot_words_free(reader->fields[i].categories);
    sot_free(reader->fields);
    sot_free(reader->field_of_column);
    sot_free(reader->indices);
    sot_wipe_and_free(reader->block,
                      reader->columns * reader->block_room * sizeof *reader->block);
    sot_wipe_and_free(reader->spelled, sizeof *reader->spelled);
    sot_wipe_and_free(reader, sizeof *reader);
}

static sotto_status open_arrow(const sot_reader_input *input, void **out_reader,
                               sotto_error *error)
{
    struct ArrowArrayStream *stream = input->records->stream;
    if (stream->release == NULL || stream->get_schema == NULL ||
        stream->get_next == NULL) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the stream of records was read before, and can be read once; make "
            "a new one");
    }
    sot_arrow_stream *reader = sot_new_array(1, sizeof *reader);
    if (reader == NULL) return sot_fail_memory(error, 1, sizeof *reader);
    reader->stream = *stream;
    stream->release = NULL; /* taken over */
    reader->schema = input->schema;
    reader->is_matrix = sotto_schema_is_matrix(input->schema);
    reader->columns = reader->is_matrix ? sotto_schema_features(input->schema)
                                        : sotto_schema_size(input->schema);
    reader->wanted = input->wanted;
    reader->unit_column = SIZE_MAX;
    reader->target = SIZE_MAX;
    sotto_status status = take_apart(reader, input->records, error);
    if (status == SOTTO_OK) status = make_room(reader, error);
    if (status == SOTTO_OK) status = read_layout(reader, error);
    if (status == SOTTO_OK)
        status = sot_arrow_match(reader, input->without_target, error);
    if (status != SOTTO_OK) {
        close_arrow(reader);
        return status;
    }
    reader->wanted = NULL; /* the caller's */
    *out_reader = reader;
    return SOTTO_OK;
}

static sotto_status check_training(const void *of_reader, sotto_error *error)
{
    const sot_arrow_stream *reader = of_reader;
    const bool lacks_unit = reader->unit_column == SIZE_MAX ||
                            reader->field_of_column[reader->unit_column] == SIZE_MAX;
    if (reader->is_matrix && !sot_view_is_given(&reader->labels)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the records have no labels; give one for each row");
    }
    if (sotto_schema_unit_rows(reader->schema) > 0 && lacks_unit &&
        !sot_view_is_given(&reader->units)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema has a unit, but the stream lacks its column '%.60s'; "
                        "give it, or the id of each row's unit beside the stream",
                        sotto_schema_unit(reader->schema));
    }
    return SOTTO_OK;
}

/* Labels and units beside a stream are as many as its rows. */
static uint64_t rows_hint(const void *of_reader)
{
    const sot_arrow_stream *reader = of_reader;
    return reader->labels.rows > 0 ? reader->labels.rows : reader->units.rows;
}

static sotto_status check_rereading(const void *of_reader, sotto_error *error)
{
    (void)of_reader;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`stream` is given, but an Arrow stream can be read only once; leave "
                    "`stream` out, or give a file");
}

static sotto_status rewind_arrow(void *of_reader, sotto_error *error)
{
    return check_rereading(of_reader, error);
}

static sotto_status check_unchanged(const void *of_reader, sotto_error *error)
{
    (void)of_reader;
    (void)error;
    return SOTTO_OK;
}

/* ---- batches ---- */

/* Takes the columns of a batch, as far as they are present. The offset of the struct applies to
 * its children, and a null in it is a row without cells. */
static void take_batch(sot_arrow_stream *reader)
{
    const struct ArrowArray *batch = &reader->batch;
    const uint64_t skip = batch->offset < 0 ? UINT64_MAX : (uint64_t)batch->offset;
    reader->batch_rows = batch->length < 0 ? 0 : (uint64_t)batch->length;
    reader->batch_next = 0;
    reader->batch_validity =
        batch->n_buffers > 0 && batch->buffers != NULL && batch->offset >= 0
            ? batch->buffers[0]
            : NULL;
    for (size_t i = 0; i < reader->field_count; i++) {
        sot_arrow_field *field = &reader->fields[i];
        const bool there = batch->n_children > 0 && batch->children != NULL &&
                           field->child < (uint64_t)batch->n_children;
        field->column = sot_arrow_column_of(
            &field->type, there ? batch->children[field->child] : NULL, skip);
    }
}

/* The next batch that has rows. */
static sotto_status next_batch(sot_arrow_stream *reader, sotto_error *error)
{
    do {
        if (reader->batch.release != NULL) reader->batch.release(&reader->batch);
        reader->batch = (struct ArrowArray){.release = NULL};
        reader->batch_rows = reader->batch_next = 0;
        if (reader->stream.get_next(&reader->stream, &reader->batch) != 0) {
            reader->batch = (struct ArrowArray){.release = NULL};
            return fail_stream(error);
        }
        reader->at_end = reader->batch.release == NULL;
        if (reader->at_end) return SOTTO_OK;
        take_batch(reader);
        reader->batches++;
        if (reader->batches > rows_max || reader->batch_rows > rows_max - reader->rows) {
            return sot_fail(error, SOTTO_IO,
                            "the data have more than 2^32 rows; is it the right stream?");
        }
        reader->rows += reader->batch_rows;
    } while (reader->batch_rows == 0);
    return SOTTO_OK;
}

static bool row_is_there(const sot_arrow_stream *reader, uint64_t row)
{
    return reader->batch_validity == NULL ||
           sot_arrow_bit(reader->batch_validity, (uint64_t)reader->batch.offset + row);
}

/* Labels that come apart from a table are the cells of its target. */
static void fill_target(sot_arrow_stream *reader, uint64_t first_row)
{
    const sotto_column *column = sotto_schema_column(reader->schema, reader->target);
    for (size_t i = 0; i < reader->block_rows; i++)
        reader->block[i * reader->columns + reader->target] =
            first_row + i < reader->labels.rows
                ? sot_cell_of_number(column, sot_view_number(&reader->labels,
                                                             (size_t)(first_row + i), 0))
                : sot_cell_absent(column);
}

static void fill_block(sot_arrow_stream *reader)
{
    const uint64_t left = reader->batch_rows - reader->batch_next;
    const uint64_t first_row = reader->rows - left;
    static const sot_arrow_value missing = {.kind = SOT_ARROW_MISSING};
    reader->block_rows = left < reader->block_room ? (size_t)left : reader->block_room;
    reader->block_next = 0;
    for (size_t i = 0; i < reader->field_count; i++) {
        const sot_arrow_field *field = &reader->fields[i];
        const sotto_column *column = field->use.column;
        double *out = reader->block + field->place;
        if (column != NULL &&
            (column->type == SOTTO_COLUMN_ID || column->type == SOTTO_COLUMN_IGNORE))
            continue; /* asked for by arrow_cell() */
        sot_arrow_fill(&field->use, &field->column, reader->batch_next,
                       reader->block_rows, out, reader->columns);
        for (size_t row = 0; reader->batch_validity != NULL && row < reader->block_rows;
             row++)
            if (!row_is_there(reader, reader->batch_next + row))
                out[row * reader->columns] = sot_arrow_cell(&field->use, &missing);
    }
    if (reader->target != SIZE_MAX) fill_target(reader, first_row);
    reader->batch_next += reader->block_rows;
}

/* ---- records ---- */

/* The place of the current record among all, and in its batch. */
static uint64_t current_row(const sot_arrow_stream *reader)
{
    return reader->batch_next - reader->block_rows + reader->block_next - 1;
}

static sot_value arrow_cell(const void *of_reader, size_t column)
{
    const sot_arrow_stream *reader = of_reader;
    const size_t place = reader->field_of_column[column];
    const uint64_t row = current_row(reader);
    if (place == SIZE_MAX || !row_is_there(reader, row))
        return sot_value_of_text(NULL, 0);
    const sot_arrow_field *field = &reader->fields[place];
    const sot_arrow_value value = sot_arrow_value_at(&field->column, row);
    const bool is_number =
        value.kind != SOT_ARROW_MISSING && value.kind != SOT_ARROW_TEXT;
    const bool is_id = field->use.column->type == SOTTO_COLUMN_ID;
    if (is_number && !is_id)
        return sot_value_of_number(sot_arrow_raw_number(&field->use, &value));
    sot_arrow_spell(&value, reader->spelled);
    sot_value text =
        sot_value_of_text(reader->spelled->text, reader->spelled->size_bytes);
    while (is_id && text.size_bytes > 0 && text.text[text.size_bytes - 1] == '\0')
        text.size_bytes--; /* as in arrays, where zeros only fill up */
    return text.size_bytes == 0 ? sot_value_of_text(NULL, 0) : text;
}

/* The id of a column of the stream, or of the units beside it. */
static void fill_unit(sot_arrow_stream *reader, uint64_t number, sot_record *out_record)
{
    out_record->unit = "";
    if (reader->unit_column != SIZE_MAX && !sot_view_is_given(&reader->units)) {
        const sot_value id = arrow_cell(reader, reader->unit_column);
        if (id.kind == SOT_VALUE_TEXT) {
            out_record->unit = id.text;
            out_record->unit_bytes = id.size_bytes;
        }
    } else if (number < reader->units.rows) {
        out_record->unit = reader->id;
        out_record->unit_bytes = sot_view_id(&reader->units, (size_t)number, reader->id);
    }
}

static sotto_status next_arrow(void *of_reader, sot_record *out_record, bool *out_more,
                               sotto_error *error)
{
    sot_arrow_stream *reader = of_reader;
    *out_more = false;
    if (reader->block_next == reader->block_rows && !reader->at_end) {
        if (reader->batch_next == reader->batch_rows) {
            const sotto_status status = next_batch(reader, error);
            if (status != SOTTO_OK) return status;
        }
        if (!reader->at_end) fill_block(reader);
    }
    if (reader->at_end) return SOTTO_OK;
    const double *row = reader->block + reader->block_next++ * reader->columns;
    const uint64_t number = reader->rows - reader->batch_rows + current_row(reader);
    *out_more = true;
    *out_record = (sot_record){.label = (double)NAN};
    if (reader->is_matrix) {
        out_record->indices = reader->indices;
        out_record->values = row;
        out_record->count = reader->columns;
        if (number < reader->labels.rows)
            out_record->label = sot_view_number(&reader->labels, (size_t)number, 0);
    } else {
        out_record->cells = row;
    }
    if (sotto_schema_unit_rows(reader->schema) > 0) fill_unit(reader, number, out_record);
    return SOTTO_OK;
}

const sot_reader_kind sot_reader_arrow = {
    .name = "Arrow",
    .of_tables = true,
    .of_matrices = true,
    .has_names = true,
    .has_ids = true,
    .keeps_order = true,
    .open = open_arrow,
    .close = close_arrow,
    .next = next_arrow,
    .cell = arrow_cell,
    .rows_hint = rows_hint,
    .check_training = check_training,
    .check_rereading = check_rereading,
    .rewind = rewind_arrow,
    .check_unchanged = check_unchanged,
};
