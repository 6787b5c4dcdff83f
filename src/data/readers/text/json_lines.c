/* JSON lines: one record per line, an object whose members are the cells by name (RFC 8259).
 *
 * - Isolation: a record is exactly one line.
 * - Totality: every line gives a row; a line that is no JSON object is a row of missing cells.
 *   An absent member, null, an array and an object are missing. Other values count as their
 *   spelling, as a cell of CSV does (data/cells/cell.h): 17 and "17" are one id.
 * - Names: decoded and compared byte by byte. Unknown members are ignored: no record may stop a
 *   run. The last of members with the same name counts, also if it is missing.
 * - Texts: escapes are decoded; half of a surrogate pair is U+FFFD. Other bytes stay unchanged.
 * - Header: none. Every line is a record, and no content of a line can be refused.
 * - Compression: by the name (.gz). The first bytes cannot decide: they are a record's.
 * - Memory: bounded by the schema. Only the bytes of a text are kept that its value can depend
 *   on. Nesting is limited to SOT_JSON_DEPTH_MAX; a deeper line is malformed.
 * - base/json/json.h is not for records: it quotes the text in messages. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/readers/readers.h"
#include "data/readers/text/json_scan.h"

enum { LINE_BYTES = 1 << 16 };

static const uint64_t rows_max = UINT64_C(1) << 32;

/* ---- the reader ---- */

static bool is_json_lines(const char *path, bool is_matrix)
{
    (void)is_matrix;
    return sot_is_named(path, ".jsonl") || sot_is_named(path, ".ndjson");
}

static void close_reader(void *reader)
{
    sot_json_scan *json = reader;
    if (json == NULL) return;
    for (size_t i = 0; !json->is_fork && json->fields != NULL && i < json->columns; i++)
        sot_words_free(json->fields[i].categories);
    if (!json->is_fork) {
        sot_words_free(json->names);
        sot_free(json->absent);
    }
    sot_free(json->fields);
    if (json->values != NULL)
        sot_wipe_and_free(json->values, json->columns * sizeof *json->values);
    if (json->raw != NULL) sot_wipe_and_free(json->raw, json->raw_bytes);
    sot_lines_close(json->lines);
    sot_wipe_and_free(json, sizeof *json);
}

static sotto_status make_raw(sot_json_scan *json, const bool *wanted, sotto_error *error)
{
    char *place;
    for (size_t i = 0; i < json->columns; i++)
        if (wanted != NULL && wanted[i]) json->raw_bytes += SOT_VALUE_BYTES;
    json->raw = place = sot_new_array(json->raw_bytes, 1);
    if (json->raw == NULL) return sot_fail_memory(error, json->raw_bytes, 1);
    for (size_t i = 0; i < json->columns; i++) {
        if (wanted == NULL || !wanted[i]) continue;
        json->fields[i].raw = place;
        place += SOT_VALUE_BYTES;
    }
    return SOTTO_OK;
}

static sotto_status make_fields(sot_json_scan *json, const sotto_schema *schema,
                                sotto_error *error)
{
    const char **names = sot_new_array(json->columns, sizeof *names);
    if (names == NULL) return sot_fail_memory(error, json->columns, sizeof *names);
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < json->columns; i++) {
        const sotto_column *column = sotto_schema_column(schema, i);
        names[i] = column->name;
        json->fields[i].described = column;
        json->absent[i] = sot_cell_absent(column);
        if (column->type == SOTTO_COLUMN_CATEGORY)
            status = sot_words_new(column->values, column->value_count,
                                   &json->fields[i].categories, error);
    }
    if (status == SOTTO_OK)
        status = sot_words_new(names, json->columns, &json->names, error);
    sot_free(names);
    return status;
}

static sotto_status open_reader(const sot_reader_input *input, void **out_reader,
                                sotto_error *error)
{
    sot_json_scan *json = sot_new_array(1, sizeof *json);
    if (json == NULL) return sot_fail_memory(error, 1, sizeof *json);
    json->columns = sotto_schema_size(input->schema);
    json->fields = sot_new_array(json->columns, sizeof *json->fields);
    json->absent = sot_new_array(json->columns, sizeof *json->absent);
    json->values = sot_new_array(json->columns, sizeof *json->values);
    sotto_status status =
        json->fields == NULL || json->absent == NULL || json->values == NULL
            ? sot_fail_memory(error, json->columns, sizeof *json->fields)
            : make_fields(json, input->schema, error);
    if (status == SOTTO_OK) status = make_raw(json, input->wanted, error);
    if (status == SOTTO_OK)
        status = sot_lines_open(input->file->path, SOT_PACKED_BY_NAME, LINE_BYTES,
                                &json->lines, error);
    if (status != SOTTO_OK) {
        close_reader(json);
        return status;
    }
    *out_reader = json;
    return SOTTO_OK;
}

static sot_lines *lines_of(void *reader)
{
    return ((sot_json_scan *)reader)->lines;
}

static sotto_status fork_reader(const void *reader, void **out_fork, sotto_error *error)
{
    const sot_json_scan *of = reader;
    sot_json_scan *json = sot_new_array(1, sizeof *json);
    if (json == NULL) return sot_fail_memory(error, 1, sizeof *json);
    json->is_fork = true;
    json->columns = of->columns;
    json->names = of->names;
    json->absent = of->absent;
    json->raw_bytes = of->raw_bytes;
    json->fields = sot_new_array(json->columns, sizeof *json->fields);
    json->values = sot_new_array(json->columns, sizeof *json->values);
    json->raw = sot_new_array(json->raw_bytes, 1);
    sotto_status status =
        json->fields == NULL || json->values == NULL || json->raw == NULL
            ? sot_fail_memory(error, json->columns, sizeof *json->fields)
            : sot_lines_of_memory(of->lines, &json->lines, error);
    for (size_t i = 0; status == SOTTO_OK && i < json->columns; i++) {
        json->fields[i] = of->fields[i];
        if (of->fields[i].raw != NULL)
            json->fields[i].raw = json->raw + (of->fields[i].raw - of->raw);
    }
    if (status != SOTTO_OK) {
        close_reader(json);
        return status;
    }
    *out_fork = json;
    return SOTTO_OK;
}

static sotto_status next_record(void *reader, sot_record *out_record, bool *out_more,
                                sotto_error *error)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    sot_json_scan *json = reader;
    char *line;
    size_t size_bytes;
    sotto_status status =
        sot_lines_next(json->lines, &line, &size_bytes, out_more, error);
    if (status != SOTTO_OK || !*out_more) return status;
    if (json->rows == rows_max) {
        return sot_fail(error, SOTTO_IO,
                        "the data have more than 2^32 rows; is it the right file?");
    }
    json->rows++;
    json->at = SOT_JSON_AT_RECORD;
    json->depth = 0;
    sot_json_scan_clear(json);
    /* At the head of any line, not only of the file: a record must not depend on its
     * place. */
    const size_t mark = size_bytes >= 3 && memcmp(line, byte_order_mark, 3) == 0 ? 3 : 0;
    sot_json_scan_take(json, line + mark, size_bytes - mark);
    if (sot_lines_was_cut(json->lines)) {
        const char *rest;
        do {
            status = sot_lines_rest(json->lines, &rest, &size_bytes, error);
            if (status != SOTTO_OK) return status;
            sot_json_scan_take(json, rest, size_bytes);
        } while (size_bytes > 0);
    }
    if (json->at != SOT_JSON_AT_END) sot_json_scan_clear(json);
    *out_record = (sot_record){.cells = json->values};
    return SOTTO_OK;
}

static sot_value raw_cell(const void *reader, size_t column)
{
    const sot_json_field *field = &((const sot_json_scan *)reader)->fields[column];
    return sot_value_of_text(field->raw, field->raw_bytes);
}

const sot_reader_kind sot_reader_json_lines = {
    .name = "JSON lines",
    .option = "jsonl",
    .of_tables = true,
    .has_names = true,
    .has_ids = true,
    .keeps_order = true,
    .labels = "the target of a table is one of its columns",
    .is_named = is_json_lines,
    .open = open_reader,
    .close = close_reader,
    .next = next_record,
    .cell = raw_cell,
    .lines = lines_of,
    .fork = fork_reader,
};
