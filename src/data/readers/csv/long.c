/* Lines of CSV that are longer than the kept bytes: read in blocks, a byte at a time. */
#include "data/readers/csv/parts.h"

#include "data/cells/cell.h"

/* A truncated line is read a byte at a time, by the rules of next_cell(), so that every cell
 * counts. If such a line gave no row, it would reveal its record (stability.md, claim 2); without
 * its id it would count for another unit. */
typedef enum cell_part {
    AT_BEGIN,    /* no byte of the cell was read */
    PLAIN,       /* without quotes */
    QUOTED,      /* between its quotes */
    AT_QUOTE,    /* behind a quote: it closes the cell, or another one follows */
    BEHIND_QUOTE /* passed over, up to the delimiter */
} cell_part;

typedef struct long_line {
    sot_csv *csv;
    double *values; /* one for each column of the schema */
    sot_csv_field *field, *end;
    cell_part part;
    size_t size_bytes;  /* of the cell's text, kept or not; blanks at its end included */
    size_t solid_bytes; /* up to the last byte that is no blank */
    bool has_return;    /* a carriage return waits: it counts unless it ends the line */
} long_line;

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static void add_byte(long_line *line, char byte)
{
    if (line->size_bytes == 0 && is_blank(byte)) return;
    if (line->size_bytes < line->field->kept_room)
        line->field->kept[line->size_bytes] = byte;
    line->size_bytes++;
    if (!is_blank(byte)) line->solid_bytes = line->size_bytes;
}

/* A text that is longer than its room has no value; its first bytes are its raw cell all the same. */
static void end_cell(long_line *line)
{
    const sot_csv_field *field = line->field++;
    sot_csv_cell text = {field->kept, line->solid_bytes};
    if (text.size_bytes > field->kept_room) text.size_bytes = field->kept_room;
    const bool is_whole = text.size_bytes == line->solid_bytes;
    line->values[field->column] = is_whole ? sot_csv_cell_value(line->csv, field, text)
                                           : sot_cell_absent(field->described);
    if (field->is_raw) line->csv->raw[field->column] = text;
    line->part = AT_BEGIN;
    line->size_bytes = line->solid_bytes = 0;
}

static void take_byte(long_line *line, char byte)
{
    if (line->field == line->end) return; /* more cells than columns */
    if (line->part == AT_QUOTE && byte == '"') {
        line->part = QUOTED;
        add_byte(line, byte); /* a doubled quote is one */
        return;
    }
    if (line->part == QUOTED) {
        if (byte == '"') {
            line->part = AT_QUOTE;
        } else {
            add_byte(line, byte);
        }
        return;
    }
    if (byte == line->csv->delimiter) {
        end_cell(line);
        return;
    }
    if (line->part == AT_BEGIN && byte == '"') {
        line->part = QUOTED;
        return;
    }
    if (line->part == AT_BEGIN) line->part = PLAIN;
    if (line->part == AT_QUOTE) line->part = BEHIND_QUOTE;
    if (line->part == PLAIN) add_byte(line, byte);
}

static void take_bytes(long_line *line, const char *bytes, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++) {
        if (line->has_return) take_byte(line, '\r');
        line->has_return = bytes[i] == '\r';
        if (!line->has_return) take_byte(line, bytes[i]);
    }
}

sotto_status sot_csv_read_long_row(sot_csv *csv, const char *bytes, size_t size_bytes,
                                   double *out_values, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    long_line line = {.csv = csv,
                      .values = out_values,
                      .field = csv->fields,
                      .end = csv->fields + csv->field_count,
                      .part = AT_BEGIN};
    while (status == SOTTO_OK && size_bytes > 0) {
        take_bytes(&line, bytes, size_bytes);
        status = sot_lines_rest(csv->lines, &bytes, &size_bytes, error);
    }
    if (status != SOTTO_OK) return status;
    if (line.field < line.end) end_cell(&line);
    const sot_csv_field *const all_end = csv->fields + sotto_schema_size(csv->schema);
    for (const sot_csv_field *field = line.field; field < all_end; field++)
        out_values[field->column] = sot_csv_absent_cell(csv, field);
    return SOTTO_OK;
}
