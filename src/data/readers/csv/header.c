/* The first line of a CSV file: the delimiter and the columns. */
#include "data/readers/csv/parts.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/cells/cell.h"

typedef sot_csv_cell cell;
typedef sot_csv_field csv_field;

char sot_csv_delimiter(const char *line, const char *end)
{
    size_t commas = 0, semicolons = 0;
    bool is_quoted = false;
    for (const char *at = line; at < end; at++) {
        const bool begins = at == line || at[-1] == ',' || at[-1] == ';';
        if (*at == '"' && (is_quoted || begins)) is_quoted = !is_quoted;
        if (is_quoted) continue;
        commas += *at == ',' ? 1 : 0;
        semicolons += *at == ';' ? 1 : 0;
    }
    if (commas > 0 && semicolons > 0) return '\0';
    return semicolons > 0 ? ';' : ',';
}

static bool is_raw(const sot_csv *csv, size_t column)
{
    return sotto_schema_column(csv->schema, column)->type == SOTTO_COLUMN_ID ||
           (csv->wanted != NULL && csv->wanted[column]);
}

/* The columns that the header names: csv->fields. `found` has one flag for each of the schema. */
static sotto_status match_columns(sot_csv *csv, const sot_words *names, char *line,
                                  const char *end, bool *found, sotto_error *error)
{
    while (line <= end) {
        const cell name = sot_csv_next_cell(csv->delimiter, &line, end);
        const size_t column = sot_words_find(names, name.text, name.size_bytes);
        if (column == SIZE_MAX) {
            /* Not quoted: in a file without a header it would be a cell of a record. */
            return sot_fail(
                error, SOTTO_PARSE,
                "%.90s: column %zu of the first line is not in the schema; give a "
                "header, and list unused columns in the schema with type "
                "\"ignore\"",
                csv->path, csv->field_count + 1);
        }
        const sotto_column *described = sotto_schema_column(csv->schema, column);
        if (found[column]) {
            return sot_fail(error, SOTTO_PARSE,
                            "%.90s names the column '%.80s' twice in its header",
                            csv->path, described->name);
        }
        found[column] = true;
        csv_field *field = &csv->fields[csv->field_count++];
        *field = (csv_field){
            .column = column, .described = described, .is_raw = is_raw(csv, column)};
        field->is_plain =
            sot_csv_is_number(field) && !field->is_raw && !csv->decimal_comma;
        if (described->type != SOTTO_COLUMN_CATEGORY) continue;
        const sotto_status status = sot_words_new(
            described->values, described->value_count, &field->categories, error);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}

/* Columns that the file lacks: an error, or missing in every row. */
static sotto_status check_found(sot_csv *csv, const bool *found,
                                const sot_reader_input *input, sotto_error *error)
{
    csv_field *absent = csv->fields + csv->field_count;
    for (size_t i = 0; i < sotto_schema_size(csv->schema); i++) {
        if (found[i]) continue;
        if (sot_cell_is_optional(csv->schema, i, input->without_target, input->tested)) {
            *absent++ = (csv_field){.column = i,
                                    .described = sotto_schema_column(csv->schema, i),
                                    .is_raw = is_raw(csv, i)};
            continue;
        }
        return sot_fail(
            error, SOTTO_PARSE,
            "%.90s lacks the column '%.80s' of the schema; is it the right file?",
            csv->path, sotto_schema_column(csv->schema, i)->name);
    }
    return SOTTO_OK;
}

static sotto_status read_first_line(sot_csv *csv, char **out_line, char **out_end,
                                    sotto_error *error)
{
    bool more;
    size_t size_bytes;
    const sotto_status status =
        sot_lines_next(csv->lines, out_line, &size_bytes, &more, error);
    if (status != SOTTO_OK) return status;
    if (!more || size_bytes == 0) {
        return sot_fail(
            error, SOTTO_PARSE,
            "%.90s starts with an empty line or none; its first line must name "
            "the columns of the schema",
            csv->path);
    }
    if (sot_lines_was_cut(csv->lines)) {
        return sot_fail(
            error, SOTTO_PARSE,
            "%.90s: the first line is longer than any header of this schema; is "
            "it the right file?",
            csv->path);
    }
    *out_end = *out_line + size_bytes;
    if (size_bytes >= 3 && memcmp(*out_line, "\xef\xbb\xbf", 3) == 0)
        *out_line += 3; /* a byte order mark */
    return SOTTO_OK;
}

/* The header is public, and may decide the delimiter; no row does. */
static sotto_status find_delimiter_of_header(sot_csv *csv, const char *line,
                                             const char *end, sotto_error *error)
{
    if (csv->delimiter != '\0') return SOTTO_OK;
    csv->delimiter = sot_csv_delimiter(line, end);
    if (csv->delimiter != '\0') return SOTTO_OK;
    return sot_fail(
        error, SOTTO_PARSE,
        "%.90s: the first line has both commas and semicolons outside of quotes; give "
        "the separator: `format=csv-comma` or `format=csv-semicolon`",
        csv->path);
}

sotto_status sot_csv_read_header(sot_csv *csv, const sot_reader_input *input,
                                 sotto_error *error)
{
    const size_t size = sotto_schema_size(csv->schema);
    char *line = NULL;
    char *end = NULL;
    sot_words *words = NULL;
    const char **names = sot_new_array(size, sizeof *names);
    bool *found = sot_new_array(size, sizeof *found);
    sotto_status status = names == NULL || found == NULL
                              ? sot_fail_memory(error, size, sizeof *names)
                              : read_first_line(csv, &line, &end, error);
    if (status == SOTTO_OK) {
        for (size_t i = 0; i < size; i++)
            names[i] = sotto_schema_column(csv->schema, i)->name;
        status = sot_words_new(names, size, &words, error);
    }
    if (status == SOTTO_OK) status = find_delimiter_of_header(csv, line, end, error);
    if (status == SOTTO_OK) status = match_columns(csv, words, line, end, found, error);
    if (status == SOTTO_OK) status = check_found(csv, found, input, error);
    sot_words_free(words);
    sot_free(found);
    sot_free(names);
    return status;
}
