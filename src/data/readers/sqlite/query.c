#include "data/readers/sqlite/query_parts.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/cells/cell.h"
#include "data/readers/readers.h"
#include "data/readers/sqlite/prepare.h"
#include "data/readers/sqlite/text.h"

enum { BUSY_MILLISECONDS = 5000 };

static const uint64_t rows_max = UINT64_C(1) << 32;

/* One column of the result. */
/* ---- the columns ---- */

static sotto_status add_field(sot_query *query, const sot_words *names, int place,
                              bool *found, sotto_error *error)
{
    char shown[80];
    const char *name = sqlite3_column_name(query->statement, place);
    if (name == NULL) return sot_fail_memory(error, 1, 1);
    const size_t column = sot_words_find(names, name, strlen(name));
    sot_printable(name, shown, sizeof shown);
    if (column == SIZE_MAX || found[column]) {
        return sot_fail(error, SOTTO_PARSE,
                        column == SIZE_MAX
                            ? "the query gives a column '%s' that the schema does not "
                              "have; leave it out, or name it with AS"
                            : "the query gives the column '%s' twice; leave one out",
                        shown);
    }
    found[column] = true;
    sot_query_field *field = &query->fields[query->field_count++];
    *field = (sot_query_field){.column = column,
                               .described = sotto_schema_column(query->schema, column)};
    if (field->described->type != SOTTO_COLUMN_CATEGORY) return SOTTO_OK;
    return sot_words_new(field->described->values, field->described->value_count,
                         &field->categories, error);
}

/* Columns that the result lacks: an error, or missing in every row. */
static sotto_status add_absent(sot_query *query, const bool *found,
                               const sot_reader_input *input, sotto_error *error)
{
    sot_query_field *absent = query->fields + query->field_count;
    for (size_t i = 0; i < sotto_schema_size(query->schema); i++) {
        const sotto_column *described = sotto_schema_column(query->schema, i);
        if (found[i]) continue;
        const bool is_tested = input->tested != NULL && input->tested[i];
        if ((described->type != SOTTO_COLUMN_IGNORE || is_tested) &&
            !sot_cell_is_optional(query->schema, i, input->without_target,
                                  input->tested)) {
            return sot_fail(
                error, SOTTO_PARSE, "%s lacks the column '%.80s' of the schema; %s",
                query->table.asked, described->name,
                input->file->query != NULL ? "select it" : "is it the right table?");
        }
        query->ids[i] = (sot_query_text){"", 0};
        *absent++ = (sot_query_field){.column = i, .described = described};
    }
    return SOTTO_OK;
}

static sotto_status match_columns(sot_query *query, const sot_reader_input *input,
                                  sotto_error *error)
{
    const size_t size = sotto_schema_size(query->schema);
    const int count = sqlite3_column_count(query->statement);
    sot_words *words = NULL;
    const char **names = sot_new_array(size, sizeof *names);
    bool *found = sot_new_array(size, sizeof *found);
    sotto_status status = names == NULL || found == NULL
                              ? sot_fail_memory(error, size, sizeof *names)
                              : SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < size; i++)
        names[i] = sotto_schema_column(query->schema, i)->name;
    if (status == SOTTO_OK) status = sot_words_new(names, size, &words, error);
    for (int i = 0; status == SOTTO_OK && i < count; i++)
        status = add_field(query, words, i, found, error);
    if (status == SOTTO_OK) status = add_absent(query, found, input, error);
    sot_words_free(words);
    sot_free(found);
    sot_free(names);
    return status;
}

/* True if the table stores a column of this name, byte for byte. */
static sotto_status is_stored(const sot_query *query, const char *name, bool *out_stored,
                              sotto_error *error)
{
    int64_t stored = 0;
    const sotto_status status = sot_query_ask(
        &query->table,
        "SELECT count(*) FROM pragma_table_xinfo(?1) WHERE hidden = 0 AND name = ?2",
        name, &stored, error);
    *out_stored = stored == 1;
    return status;
}

/* The unit decides which rows belong to one person. It must be a stored column under its own
 * name, so that the query cannot make another person of each row. */
static sotto_status check_unit(const sot_query *query, const char *text,
                               sotto_error *error)
{
    const char *unit = sotto_schema_unit(query->schema);
    bool stored = false;
    size_t place = 0;
    while (unit != NULL && place < query->field_count &&
           strcmp(query->fields[place].described->name, unit) != 0)
        place++;
    if (unit == NULL || place == query->field_count) return SOTTO_OK;
    const bool is_itself =
        sot_query_selects_column(text, query->field_count, place, unit);
    const sotto_status status = is_stored(query, unit, &stored, error);
    if (status != SOTTO_OK) return status;
    if (is_itself && stored) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the query: the schema's unit '%.60s' must be a stored column under "
                    "its own name, not an expression or an alias; "
                    "select the column itself",
                    unit);
}

/* ---- opening ---- */

/* The file must be there: SQLite would say the same of a file that is missing and of one that it may
 * not read. The transaction's first look takes the snapshot. */
static sotto_status begin_reading(sot_query *query, sotto_error *error)
{
    int code =
        sqlite3_open_v2(query->path, &query->table.database, SQLITE_OPEN_READONLY, NULL);
    sqlite3 *database = query->table.database;
    if (code != SQLITE_OK) return sot_query_fail(query->path, code, error);
    (void)sqlite3_busy_timeout(database, BUSY_MILLISECONDS);
    (void)sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    code = sqlite3_exec(database, "BEGIN; SELECT count(*) FROM main.sqlite_schema", NULL,
                        NULL, NULL);
    return code == SQLITE_OK ? SOTTO_OK : sot_query_fail(query->path, code, error);
}

/* Texts in UTF-16 are converted when they are read, which fails on the longest. The encoding was fixed when the
 * database was made, before there were rows. */
static sotto_status open_database(sot_query *query, sotto_error *error)
{
    int64_t is_utf8 = 0;
    sotto_status status = begin_reading(query, error);
    if (status == SOTTO_OK)
        status =
            sot_query_ask(&query->table, "SELECT encoding = 'UTF-8' FROM pragma_encoding",
                          NULL, &is_utf8, error);
    if (status != SOTTO_OK || is_utf8 != 0) return status;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%.90s stores texts in UTF-16; copy it into a database with UTF-8 "
                    "(sqlite3 OLD .dump | sqlite3 NEW)",
                    query->path);
}

/* Writes the query of --table: the columns of the schema that the table stores. match_columns() judges those that it
 * lacks. Free with sqlite3_free(). */
static sotto_status write_query(sot_query *query, char **out_text, sotto_error *error)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    const char *between = "SELECT";
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < sotto_schema_size(query->schema); i++) {
        const char *name = sotto_schema_column(query->schema, i)->name;
        bool stored = false;
        status = is_stored(query, name, &stored, error);
        if (!stored) continue;
        sqlite3_str_appendf(text, "%s \"%w\"", between, name);
        between = ",";
    }
    const bool is_empty = strcmp(between, "SELECT") == 0;
    sqlite3_str_appendf(text, "%s FROM \"%w\"", is_empty ? "SELECT NULL" : "",
                        query->table.name);
    *out_text = sqlite3_str_finish(text);
    if (status == SOTTO_OK && is_empty) {
        return sot_fail(
            error, SOTTO_PARSE,
            "`table`: %s has none of the columns of the schema; is it the right table?",
            query->table.name);
    }
    if (status == SOTTO_OK && *out_text == NULL) return sot_fail_memory(error, 1, 1);
    return status;
}

static sotto_status prepare(sot_query *query, const sot_reader_input *input,
                            sot_query_parts *parts, sotto_error *error)
{
    char *written = NULL;
    const char *text = input->file->query;
    sotto_status status = SOTTO_OK;
    query->table.asked = text == NULL ? "`table`" : "the query";
    if (text == NULL) {
        status = sot_query_name_table(&query->table, input->file->table, error);
        if (status == SOTTO_OK) status = write_query(query, &written, error);
        if (status == SOTTO_OK) parts->from_end = strlen(written);
        text = written;
    }
    if (status == SOTTO_OK)
        status = sot_query_prepare(&query->table, text, parts, &query->statement, error);
    if (status == SOTTO_OK) status = match_columns(query, input, error);
    if (status == SOTTO_OK) status = check_unit(query, text, error);
    sqlite3_free(written);
    return status;
}

sotto_status sot_query_open_input(const sot_reader_input *input, sot_query **out_query,
                                  sotto_error *error)
{
    const size_t size = sotto_schema_size(input->schema);
    sot_query_parts parts = {0};
    sotto_status status = input->file->query == NULL
                              ? SOTTO_OK /* sotto writes it */
                              : sot_query_check(input->file->query, &parts, error);
    if (status != SOTTO_OK) return status; /* before the file */
    sot_query *query = sot_new_array(1, sizeof *query);
    if (query == NULL) return sot_fail_memory(error, 1, sizeof *query);
    query->schema = input->schema;
    query->path = sot_copy_string(input->file->path);
    query->table.path = query->path;
    query->fields = sot_new_array(size, sizeof *query->fields);
    query->ids = sot_new_array(size, sizeof *query->ids);
    query->raw = sot_new_array(size, sizeof *query->raw);
    query->values = sot_new_array(size, sizeof *query->values);
    status = query->path == NULL || query->fields == NULL || query->ids == NULL ||
                     query->raw == NULL || query->values == NULL
                 ? sot_fail_memory(error, size, sizeof *query->fields)
                 : open_database(query, error);
    if (status == SOTTO_OK) status = prepare(query, input, &parts, error);
    if (status != SOTTO_OK) {
        sot_query_close(query);
        return status;
    }
    *out_query = query;
    return SOTTO_OK;
}

sotto_status sot_query_open(const char *path, const char *text,
                            const sotto_schema *schema, bool without_target,
                            sot_query **out_query, sotto_error *error)
{
    const sotto_data_file file = {.path = path, .query = text};
    const sot_reader_input input = {
        .file = &file, .schema = schema, .without_target = without_target};
    return sot_query_open_input(&input, out_query, error);
}

void sot_query_close(sot_query *query)
{
    if (query == NULL) return;
    (void)sqlite3_finalize(query->statement);
    (void)sqlite3_close(query->table.database);
    for (size_t i = 0; i < query->field_count; i++)
        sot_words_free(query->fields[i].categories);
    sot_free(query->fields);
    sot_free(query->ids);
    sot_free(query->raw);
    if (query->values != NULL)
        sot_wipe_and_free(query->values,
                          sotto_schema_size(query->schema) * sizeof *query->values);
    sot_free(query->path);
    sot_free(query);
}

/* ---- rows ---- */

/* A floating-point number as other sources spell it: 17.0 is the same id and category as 17. SQLite's own text has 15
 * digits, so that two ids could become one. */
static void spell(double value, char text[SOT_DOUBLE_TEXT_BYTES])
{
    if (value == floor(value) && fabs(value) < 0x1p63) {
        (void)snprintf(text, SOT_DOUBLE_TEXT_BYTES, "%lld", (long long)value);
    } else {
        (void)sot_format_double(value, text);
    }
}

/* The text of a cell; NULL is empty. It is there until the next row. */
static sotto_status text_at(sot_query *query, sot_query_field *field, int place,
                            sot_query_text *out, sotto_error *error)
{
    if (sqlite3_column_type(query->statement, place) == SQLITE_FLOAT) {
        spell(sqlite3_column_double(query->statement, place), field->spelled);
        *out = (sot_query_text){field->spelled, strlen(field->spelled)};
        return SOTTO_OK;
    }
    const void *text = sqlite3_column_type(query->statement, place) == SQLITE_BLOB
                           ? sqlite3_column_blob(query->statement, place)
                           : (const void *)sqlite3_column_text(query->statement, place);
    *out = (sot_query_text){text == NULL ? "" : text,
                            (size_t)sqlite3_column_bytes(query->statement, place)};
    if (text == NULL && sqlite3_errcode(query->table.database) == SQLITE_NOMEM)
        return sot_fail_memory(error, 1, 1);
    return SOTTO_OK;
}

static sotto_status read_cell(sot_query *query, sot_query_field *field, int place,
                              double *out_value, sotto_error *error)
{
    const sotto_column *column = field->described;
    const int kind = sqlite3_column_type(query->statement, place);
    const bool is_number = kind == SQLITE_INTEGER || kind == SQLITE_FLOAT;
    sot_query_text text;
    sotto_status status = SOTTO_OK;
    *out_value = 0.0;
    switch (column->type) {
    case SOTTO_COLUMN_NUMBER:
    case SOTTO_COLUMN_INTEGER:
    case SOTTO_COLUMN_BOOLEAN:
        if (is_number) {
            *out_value = sot_cell_of_number(
                column, sqlite3_column_double(query->statement, place));
            return SOTTO_OK;
        }
        break;
    case SOTTO_COLUMN_ID:
        return text_at(query, field, place, &query->ids[field->column], error);
    case SOTTO_COLUMN_IGNORE:
        return SOTTO_OK;
    case SOTTO_COLUMN_CATEGORY:
        break;
    }
    *out_value = column->missing;
    if (kind == SQLITE_NULL || kind == SQLITE_BLOB) return SOTTO_OK;
    status = text_at(query, field, place, &text, error);
    if (status == SOTTO_OK)
        *out_value =
            sot_cell_of_text(column, field->categories, text.text, text.size_bytes);
    return status;
}

/* After read_cell(), which may have asked SQLite for the text. */
static sotto_status keep_raw(sot_query *query, sot_query_field *field, int place,
                             sotto_error *error)
{
    const int kind = sqlite3_column_type(query->statement, place);
    sot_value *raw = &query->raw[field->column];
    sot_query_text text = query->ids[field->column];
    const sotto_column_type type = field->described->type;
    if (type != SOTTO_COLUMN_ID) {
        /* A double has no room for all categories either. */
        const bool is_text = type == SOTTO_COLUMN_CATEGORY || type == SOTTO_COLUMN_IGNORE;
        *raw = sot_value_of_text(NULL, 0);
        if (kind == SQLITE_BLOB) return SOTTO_OK; /* missing, as in read_cell() */
        if (!is_text && (kind == SQLITE_INTEGER || kind == SQLITE_FLOAT)) {
            *raw = sot_value_of_number(sqlite3_column_double(query->statement, place));
            return SOTTO_OK;
        }
        const sotto_status status = text_at(query, field, place, &text, error);
        if (status != SOTTO_OK) return status;
    }
    *raw = sot_value_of_text(text.text, text.size_bytes);
    return SOTTO_OK;
}

sotto_status sot_query_next(sot_query *query, double *out_values, bool *out_more,
                            sotto_error *error)
{
    const int code = query->at_end ? SQLITE_DONE : sqlite3_step(query->statement);
    *out_more = code == SQLITE_ROW;
    query->at_end = code == SQLITE_DONE;
    if (query->at_end) return SOTTO_OK;
    if (code != SQLITE_ROW) return sot_query_fail(query->path, code, error);
    if (query->rows == rows_max) {
        return sot_fail(error, SOTTO_IO,
                        "the data have more than 2^32 rows; is it the right table?");
    }
    query->rows++;
    for (size_t i = 0; i < query->field_count; i++) {
        sot_query_field *field = &query->fields[i];
        sotto_status status =
            read_cell(query, field, (int)i, &out_values[field->column], error);
        if (status == SOTTO_OK && field->is_wanted)
            status = keep_raw(query, field, (int)i, error);
        if (status != SOTTO_OK) return status;
    }
    for (size_t i = query->field_count; i < sotto_schema_size(query->schema); i++) {
        const sot_query_field *field = &query->fields[i];
        out_values[field->column] = sot_cell_absent(field->described);
    }
    return SOTTO_OK;
}

const char *sot_query_id(const sot_query *query, size_t column, size_t *out_size_bytes)
{
    *out_size_bytes = query->ids[column].size_bytes;
    return query->ids[column].text;
}

sotto_status sot_query_rewind(sot_query *query, sotto_error *error)
{
    (void)error;
    (void)sqlite3_reset(query->statement); /* its result is about the last pass */
    query->rows = 0;
    query->at_end = false;
    return SOTTO_OK;
}
