#include "data/readers/csv/parts.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/cells/cell.h"
#include "data/cells/decimal.h"
#include "data/cells/words.h"
#include "data/readers/lines.h"
#include "data/readers/readers.h"

/* A cell of a number, its delimiter and blanks have room in any line; longer names and values are
 * the schema's own. */
enum { LINE_BYTES = 1 << 20, CELL_BYTES = 32 };

/* Bytes kept of a cell of a longer line, or the length of the longest value of a category. A
 * longer number is malformed (decimal.h). For a raw cell SOT_VALUE_BYTES. */
enum { KEPT_BYTES = SOT_NUMBER_BYTES_MAX };

static const uint64_t rows_max = UINT64_C(1) << 32;

typedef sot_csv_cell cell;
typedef sot_csv_field csv_field;

/* ---- cells ---- */

static cell trimmed(char *text, char *end)
{
    while (text < end && (*text == ' ' || *text == '\t'))
        text++;
    while (text < end && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return (cell){text, (size_t)(end - text)};
}

/* Reads a quoted cell and unquotes it in place; moves behind its delimiter, or behind the line.
 * Bytes between the closing quote and the delimiter are ignored. */
static cell quoted_cell(char delimiter, char **at, const char *end)
{
    char *const text = *at + 1;
    char *written = text;
    char *read = text;
    while (read < end) {
        if (*read == '"') {
            if (read + 1 >= end || read[1] != '"') break;
            read++; /* a doubled quote is one */
        }
        *written++ = *read++;
    }
    while (read < end && *read != delimiter)
        read++;
    *at = read + 1;
    return (cell){text, (size_t)(written - text)};
}

/* The first delimiter from `at` on, or the end of the line. Cells are short: eight bytes at once,
 * where the order of bytes allows it. The slack behind a line may be looked at. */
static char *find_delimiter(char *at, const char *end, char delimiter)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t pattern = ones * (unsigned char)delimiter;
    for (; at < end; at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        word ^= pattern;
        /* The lowest byte that is zero gets its highest bit, and none below it does. */
        const uint64_t zeros = (word - ones) & ~word & (ones << 7);
        if (zeros == 0) continue;
        at += __builtin_ctzll(zeros) / 8;
        break;
    }
    return at < end ? at : at - (at - end);
#else
    while (at < end && *at != delimiter)
        at++;
    return at;
#endif
}

/* The cell at `*at`, up to `end`, the end of the line. */
cell sot_csv_next_cell(char delimiter, char **at, const char *end)
{
    char *const begin = *at;
    if (begin < end && *begin == '"') return quoted_cell(delimiter, at, end);
    char *const stop = find_delimiter(begin, end, delimiter);
    *at = stop + 1;
    return trimmed(begin, stop);
}

/* The same for a cell of a record. Blanks within its quotes do not count either: other formats have no quotes. */
static cell next_value(char delimiter, char **at, const char *end)
{
    const cell text = sot_csv_next_cell(delimiter, at, end);
    return trimmed(text.text, text.text + text.size_bytes);
}

static double category_value(const csv_field *field, const cell *text)
{
    const size_t index = sot_words_find(field->categories, text->text, text->size_bytes);
    return index == SIZE_MAX ? field->described->missing : (double)index;
}

static double number_value(const csv_field *field, const cell *text)
{
    double value;
    return sot_cell_read_number(field->described, text->text, text->size_bytes, &value)
               ? sot_cell_bounded(field->described, value)
               : field->described->missing;
}

/* The number at `*at`: most cells are a plain number and then a delimiter, and are read without
 * looking for their end first. */
static double number_cell(const csv_field *field, char delimiter, char **at,
                          const char *end)
{
    double value;
    const char *number = *at;
    while (*number == ' ')
        number++; /* a line feed stops it */
    if (sot_scan_decimal(&number, &value) && (number == end || *number == delimiter)) {
        *at += number - *at + 1;
        return sot_cell_bounded(field->described, value);
    }
    const cell text = next_value(delimiter, at, end);
    return number_value(field, &text);
}

bool sot_csv_is_number(const csv_field *field)
{
    const sotto_column_type type = field->described->type;
    return type == SOTTO_COLUMN_NUMBER || type == SOTTO_COLUMN_INTEGER;
}

/* The comma takes the place of the point, and the point, which groups digits there, makes no number. */
static void exchange_marks(const cell *text)
{
    for (size_t i = 0; i < text->size_bytes; i++) {
        if (text->text[i] == ',') {
            text->text[i] = '.';
        } else if (text->text[i] == '.') {
            text->text[i] = ',';
        }
    }
}

double sot_csv_cell_value(sot_csv *csv, const csv_field *field, cell text)
{
    const sotto_column_type type = field->described->type;
    if (csv->decimal_comma && sot_csv_is_number(field)) exchange_marks(&text);
    if (field->is_raw) csv->raw[field->column] = text;
    if (sot_csv_is_number(field)) return number_value(field, &text);
    if (type == SOTTO_COLUMN_CATEGORY) return category_value(field, &text);
    if (type == SOTTO_COLUMN_BOOLEAN)
        return sot_cell_boolean(field->described, text.text, text.size_bytes);
    return 0.0; /* an id, or ignored */
}

/* The value of the cell at `*at`; moves behind its delimiter. */
static double read_cell(sot_csv *csv, const csv_field *field, char **at, const char *end)
{
    if (field->is_plain) return number_cell(field, csv->delimiter, at, end);
    return sot_csv_cell_value(csv, field, next_value(csv->delimiter, at, end));
}

double sot_csv_absent_cell(sot_csv *csv, const csv_field *field)
{
    static char nothing[1];
    if (field->is_raw) csv->raw[field->column] = (cell){nothing, 0};
    return sot_cell_absent(field->described);
}

/* ---- the reader ---- */

static size_t kept_room_of(const csv_field *field)
{
    const sotto_column *column = field->described;
    size_t room = KEPT_BYTES;
    if (field->is_raw) return SOT_VALUE_BYTES;
    if (column->type == SOTTO_COLUMN_IGNORE) return 0;
    for (size_t i = 0; i < column->value_count; i++) {
        const size_t length = strlen(column->values[i]);
        if (length > room) room = length;
    }
    return room;
}

/* The places where fields keep their cells of a long line. Fields whose text is used have their
 * own, because it must stay valid until the next row; all others share one. */
static sotto_status make_rooms(sot_csv *csv, sotto_error *error)
{
    size_t largest = 0, used;
    for (size_t i = 0; i < csv->field_count; i++) {
        csv_field *field = &csv->fields[i];
        field->kept_room = kept_room_of(field);
        if (field->is_raw) {
            csv->kept_bytes += field->kept_room;
        } else if (field->kept_room > largest) {
            largest = field->kept_room;
        }
    }
    used = largest;
    csv->kept_bytes += largest;
    csv->kept = sot_new_array(csv->kept_bytes, 1);
    if (csv->kept == NULL) return sot_fail_memory(error, csv->kept_bytes, 1);
    for (size_t i = 0; i < csv->field_count; i++) {
        csv_field *field = &csv->fields[i];
        field->kept = csv->kept;
        if (!field->is_raw) continue;
        field->kept += used;
        used += field->kept_room;
    }
    return SOTTO_OK;
}

/* Any line that spells each cell as the schema does fits, and far longer ones. */
static size_t line_bytes_of(const sotto_schema *schema)
{
    size_t bytes = LINE_BYTES;
    for (size_t i = 0; i < sotto_schema_size(schema); i++) {
        const sotto_column *column = sotto_schema_column(schema, i);
        size_t longest = strlen(column->name);
        for (size_t k = 0; k < column->value_count; k++) {
            const size_t length = strlen(column->values[k]);
            if (length > longest) longest = length;
        }
        bytes += CELL_BYTES + 2 * longest; /* quotes may be doubled */
    }
    return bytes;
}

static sotto_status new_csv(const sotto_schema *schema, sot_csv **out_csv,
                            sotto_error *error)
{
    const size_t size = sotto_schema_size(schema);
    sot_csv *csv = sot_new_array(1, sizeof *csv);
    if (csv == NULL) return sot_fail_memory(error, 1, sizeof *csv);
    csv->schema = schema;
    csv->fields = sot_new_array(size, sizeof *csv->fields);
    csv->raw = sot_new_array(size, sizeof *csv->raw);
    csv->values = sot_new_array(size, sizeof *csv->values);
    if (csv->fields == NULL || csv->raw == NULL || csv->values == NULL) {
        sot_csv_close(csv);
        return sot_fail_memory(error, size, sizeof *csv->fields);
    }
    *out_csv = csv;
    return SOTTO_OK;
}

sotto_status sot_csv_open_input(const sot_reader_input *input, char delimiter,
                                bool decimal_comma, sot_csv **out_csv, sotto_error *error)
{
    sot_csv *csv = NULL;
    sotto_status status = new_csv(input->schema, &csv, error);
    if (status != SOTTO_OK) return status;
    csv->path = input->file->path;
    csv->wanted = input->wanted;
    csv->delimiter = delimiter;
    csv->decimal_comma = decimal_comma;
    status = sot_lines_open(csv->path, SOT_PACKED_BY_CONTENT, line_bytes_of(csv->schema),
                            &csv->lines, error);
    if (status == SOTTO_OK) status = sot_csv_read_header(csv, input, error);
    if (status == SOTTO_OK) status = make_rooms(csv, error);
    csv->path = NULL;
    csv->wanted = NULL;
    if (status != SOTTO_OK) {
        sot_csv_close(csv);
        return status;
    }
    *out_csv = csv;
    return SOTTO_OK;
}

sotto_status sot_csv_open(const char *path, char delimiter, const sotto_schema *schema,
                          bool without_target, sot_csv **out_csv, sotto_error *error)
{
    const sotto_data_file file = {.path = path};
    const sot_reader_input input = {
        .file = &file, .schema = schema, .without_target = without_target};
    return sot_csv_open_input(&input, delimiter, false, out_csv, error);
}

sotto_status sot_csv_fork(const sot_csv *of, sot_csv **out_fork, sotto_error *error)
{
    const size_t size = sotto_schema_size(of->schema);
    sot_csv *csv = NULL;
    sotto_status status = new_csv(of->schema, &csv, error);
    if (status != SOTTO_OK) return status;
    csv->is_fork = true;
    csv->delimiter = of->delimiter;
    csv->decimal_comma = of->decimal_comma;
    csv->field_count = of->field_count;
    memcpy(csv->fields, of->fields, size * sizeof *csv->fields);
    status = make_rooms(csv, error);
    if (status == SOTTO_OK) status = sot_lines_of_memory(of->lines, &csv->lines, error);
    if (status != SOTTO_OK) {
        sot_csv_close(csv);
        return status;
    }
    *out_fork = csv;
    return SOTTO_OK;
}

void sot_csv_close(sot_csv *csv)
{
    if (csv == NULL) return;
    for (size_t i = 0; i < csv->field_count && !csv->is_fork; i++)
        sot_words_free(csv->fields[i].categories);
    sot_free(csv->fields);
    sot_free(csv->raw);
    if (csv->values != NULL)
        sot_wipe_and_free(csv->values,
                          sotto_schema_size(csv->schema) * sizeof *csv->values);
    sot_wipe_and_free(csv->kept, csv->kept_bytes);
    sot_lines_close(csv->lines);
    sot_free(csv);
}

/* ---- rows ---- */

static void read_row(sot_csv *csv, char *line, const char *end, double *out_values)
{
    const csv_field *field = csv->fields;
    const csv_field *const in_file_end = field + csv->field_count;
    const csv_field *const all_end = csv->fields + sotto_schema_size(csv->schema);
    for (; field < in_file_end && line <= end; field++)
        out_values[field->column] = read_cell(csv, field, &line, end);
    for (; field < all_end; field++)
        out_values[field->column] = sot_csv_absent_cell(csv, field);
}

sotto_status sot_csv_next(sot_csv *csv, double *out_values, bool *out_more,
                          sotto_error *error)
{
    char *line;
    size_t size_bytes;
    const sotto_status status =
        sot_lines_next(csv->lines, &line, &size_bytes, out_more, error);
    if (status != SOTTO_OK || !*out_more) return status;
    if (csv->rows == rows_max) {
        return sot_fail(error, SOTTO_IO,
                        "the data have more than 2^32 rows; is it the right file?");
    }
    csv->rows++;
    if (sot_lines_was_cut(csv->lines))
        return sot_csv_read_long_row(csv, line, size_bytes, out_values, error);
    read_row(csv, line, line + size_bytes, out_values);
    return SOTTO_OK;
}

const char *sot_csv_id(const sot_csv *csv, size_t column, size_t *out_size_bytes)
{
    *out_size_bytes = csv->raw[column].size_bytes;
    return csv->raw[column].text;
}
