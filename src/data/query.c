#include "data/query.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include <sqlite3.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/cell.h"
#include "data/query_text.h"

enum { NAME_BYTES = 128, BUSY_MILLISECONDS = 5000 };

static const uint64_t rows_max = UINT64_C(1) << 32;

/* One column of the result. */
typedef struct query_field {
    size_t column; /* of the schema */
    const sotto_column *described;
    sot_words *categories; /* of a category */
} query_field;

typedef struct id_text {
    const char *text;
    size_t size_bytes;
} id_text;

/* What the query reads, as SQLite sees it while it prepares the text. */
typedef struct query_reads {
    char table[NAME_BYTES]; /* "": none yet */
    char refused[NAME_BYTES];
    const char *why; /* NULL: nothing was refused */
} query_reads;

struct sot_query {
    char *path;
    const sotto_schema *schema;
    sqlite3 *database;
    sqlite3_stmt *statement;
    query_field *fields; /* those of the result, then those that it lacks */
    size_t field_count;  /* of the result */
    id_text *ids;        /* schema column -> id of the current row */
    uint64_t rows;
    bool at_end; /* of this pass: SQLite would begin again */
    query_reads reads;
};

/* ---- failures ---- */

/* Never SQLite's own words about a row: they may quote it. */
static sotto_status fail_reading(const sot_query *query, int code, sotto_error *error)
{
    if ((code & 0xff) == SQLITE_NOMEM) return sot_fail_memory(error, 1, 1);
    return sot_fail(error, SOTTO_IO,
                    "%.120s cannot be read: %s; is it a SQLite database?", query->path,
                    sqlite3_errstr(code & 0xff));
}

/* What was prepared is the text of the query: public, and so is what SQLite says of it. */
static sotto_status fail_preparing(const sot_query *query, int code, sotto_error *error)
{
    char words[120];
    if (query->reads.why != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT, "the query: %s %s",
                        query->reads.refused, query->reads.why);
    }
    if ((code & 0xff) != SQLITE_ERROR) return fail_reading(query, code, error);
    sot_printable(sqlite3_errmsg(query->database), words, sizeof words);
    return sot_fail(error, SOTTO_INVALID_ARGUMENT, "the query does not fit %.90s: %s",
                    query->path, words);
}

/* ---- what the query may read ---- */

static int deny(query_reads *reads, const char *what, const char *why)
{
    (void)sot_printable(what == NULL ? "it" : what, reads->refused, NAME_BYTES);
    reads->why = why;
    return SQLITE_DENY;
}

/* SQLite asks this for everything that the text refers to, while it prepares it. */
static int judge(void *context, int action, const char *first, const char *second,
                 const char *database, const char *view)
{
    query_reads *reads = context;
    (void)database;
    if (view != NULL)
        return deny(reads, view,
                    "is a view or a trigger; give a table that holds the rows");
    switch (action) {
    case SQLITE_SELECT:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        if (sot_query_function_is_total(second)) return SQLITE_OK;
        return deny(reads, second,
                    "is a function that may fail on a row, or see more than one; select "
                    "the columns themselves");
    case SQLITE_READ:
        if (first == NULL || strncasecmp(first, "sqlite_", 7) == 0)
            return deny(reads, first, "is a table of SQLite's own; give one of rows");
        if (strlen(first) >= NAME_BYTES)
            return deny(reads, first, "is too long a name for a table");
        if (reads->table[0] == '\0') memcpy(reads->table, first, strlen(first) + 1);
        if (strcasecmp(reads->table, first) == 0) return SQLITE_OK;
        return deny(reads, first, "is a second table; give one");
    default:
        return deny(reads, NULL,
                    "reads a virtual table, or does more than to select rows; give a "
                    "table that holds its rows");
    }
}

/* One number that SQLite knows about the table. */
static sotto_status ask(const sot_query *query, const char *sql, int64_t *out_number,
                        sotto_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(query->database, sql, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(statement, 1, query->reads.table, -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    if (code == SQLITE_ROW) *out_number = sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    return code == SQLITE_ROW ? SOTTO_OK : fail_reading(query, code, error);
}

/* A table of the file whose columns are all there: not computed when they are read (hidden is 2, or
 * 1 in a virtual table). */
static sotto_status check_table(const sot_query *query, sotto_error *error)
{
    int64_t plain = 0;
    int64_t computed = 0;
    sotto_status status = ask(
        query,
        "SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND rootpage > 0 "
        "AND name = ?1 COLLATE NOCASE",
        &plain, error);
    if (status == SOTTO_OK) {
        status = ask(query,
                     "SELECT count(*) FROM pragma_table_xinfo(?1) WHERE hidden IN (1, 2)",
                     &computed, error);
    }
    if (status != SOTTO_OK) return status;
    if (plain != 1) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the query: %s is not a table that holds its rows; give one that "
                        "does (CREATE TABLE ... AS SELECT ...)",
                        query->reads.table);
    }
    if (computed != 0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the query: %s has columns that are computed when they are read, which may "
            "fail on a row; make them STORED",
            query->reads.table);
    }
    return SOTTO_OK;
}

static sotto_status prepare(sot_query *query, const char *text, sotto_error *error)
{
    const char *rest = NULL;
    (void)sqlite3_set_authorizer(query->database, judge, &query->reads);
    const int code =
        sqlite3_prepare_v2(query->database, text, -1, &query->statement, &rest);
    (void)sqlite3_set_authorizer(query->database, NULL, NULL);
    if (code != SQLITE_OK) return fail_preparing(query, code, error);
    if (query->statement == NULL || query->reads.table[0] == '\0' ||
        sqlite3_bind_parameter_count(query->statement) > 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the query reads no table, or has a parameter; write all of it");
    }
    return check_table(query, error);
}

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
    query_field *field = &query->fields[query->field_count++];
    *field = (query_field){.column = column,
                           .described = sotto_schema_column(query->schema, column)};
    if (field->described->type != SOTTO_COLUMN_CATEGORY) return SOTTO_OK;
    return sot_words_new(field->described->values, field->described->value_count,
                         &field->categories, error);
}

/* Columns that the result lacks: an error, or missing in every row. */
static sotto_status add_absent(sot_query *query, const bool *found, bool without_target,
                               sotto_error *error)
{
    query_field *absent = query->fields + query->field_count;
    for (size_t i = 0; i < sotto_schema_size(query->schema); i++) {
        const sotto_column *described = sotto_schema_column(query->schema, i);
        if (found[i]) continue;
        if (described->type != SOTTO_COLUMN_IGNORE &&
            !sot_cell_is_optional(query->schema, i, without_target)) {
            return sot_fail(error, SOTTO_PARSE,
                            "the query lacks the column '%.80s' of the schema; select it",
                            described->name);
        }
        query->ids[i] = (id_text){"", 0};
        *absent++ = (query_field){.column = i, .described = described};
    }
    return SOTTO_OK;
}

static sotto_status match_columns(sot_query *query, bool without_target,
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
    if (status == SOTTO_OK) status = add_absent(query, found, without_target, error);
    sot_words_free(words);
    sot_free(found);
    sot_free(names);
    return status;
}

/* ---- opening ---- */

/* The file must be there: SQLite would say the same of a file that is missing and of one that it may
 * not read. The transaction's first look takes the snapshot. */
static sotto_status open_database(sot_query *query, sotto_error *error)
{
    int code = sqlite3_open_v2(query->path, &query->database, SQLITE_OPEN_READONLY, NULL);
    if (code != SQLITE_OK) return fail_reading(query, code, error);
    (void)sqlite3_busy_timeout(query->database, BUSY_MILLISECONDS);
    (void)sqlite3_db_config(query->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(query->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(query->database, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    code = sqlite3_exec(query->database, "BEGIN; SELECT count(*) FROM main.sqlite_schema",
                        NULL, NULL, NULL);
    return code == SQLITE_OK ? SOTTO_OK : fail_reading(query, code, error);
}

sotto_status sot_query_open(const char *path, const char *text,
                            const sotto_schema *schema, bool without_target,
                            sot_query **out_query, sotto_error *error)
{
    const size_t size = sotto_schema_size(schema);
    sotto_status status = sot_query_check(text, error);
    if (status != SOTTO_OK) return status;
    sot_query *query = sot_new_array(1, sizeof *query);
    if (query == NULL) return sot_fail_memory(error, 1, sizeof *query);
    query->schema = schema;
    query->path = sot_copy_string(path);
    query->fields = sot_new_array(size, sizeof *query->fields);
    query->ids = sot_new_array(size, sizeof *query->ids);
    status = query->path == NULL || query->fields == NULL || query->ids == NULL
                 ? sot_fail_memory(error, size, sizeof *query->fields)
                 : open_database(query, error);
    if (status == SOTTO_OK) status = prepare(query, text, error);
    if (status == SOTTO_OK) status = match_columns(query, without_target, error);
    if (status != SOTTO_OK) {
        sot_query_close(query);
        return status;
    }
    *out_query = query;
    return SOTTO_OK;
}

void sot_query_close(sot_query *query)
{
    if (query == NULL) return;
    (void)sqlite3_finalize(query->statement);
    (void)sqlite3_close(query->database);
    for (size_t i = 0; i < query->field_count; i++)
        sot_words_free(query->fields[i].categories);
    sot_free(query->fields);
    sot_free(query->ids);
    sot_free(query->path);
    sot_free(query);
}

/* ---- rows ---- */

/* The text of a cell; NULL is empty. SQLite has it until the next row. */
static sotto_status text_at(sot_query *query, int place, id_text *out, sotto_error *error)
{
    const void *text = sqlite3_column_type(query->statement, place) == SQLITE_BLOB
                           ? sqlite3_column_blob(query->statement, place)
                           : (const void *)sqlite3_column_text(query->statement, place);
    *out = (id_text){text == NULL ? "" : text,
                     (size_t)sqlite3_column_bytes(query->statement, place)};
    if (text == NULL && sqlite3_errcode(query->database) == SQLITE_NOMEM)
        return sot_fail_memory(error, 1, 1);
    return SOTTO_OK;
}

static sotto_status read_cell(sot_query *query, const query_field *field, int place,
                              double *out_value, sotto_error *error)
{
    const sotto_column *column = field->described;
    const int kind = sqlite3_column_type(query->statement, place);
    const bool is_number = kind == SQLITE_INTEGER || kind == SQLITE_FLOAT;
    id_text text;
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
        return text_at(query, place, &query->ids[field->column], error);
    case SOTTO_COLUMN_IGNORE:
        return SOTTO_OK;
    case SOTTO_COLUMN_CATEGORY:
        break;
    }
    *out_value = column->missing;
    if (kind == SQLITE_NULL || kind == SQLITE_BLOB) return SOTTO_OK;
    status = text_at(query, place, &text, error);
    if (status == SOTTO_OK)
        *out_value =
            sot_cell_of_text(column, field->categories, text.text, text.size_bytes);
    return status;
}

sotto_status sot_query_next(sot_query *query, double *out_values, bool *out_more,
                            sotto_error *error)
{
    const int code = query->at_end ? SQLITE_DONE : sqlite3_step(query->statement);
    *out_more = code == SQLITE_ROW;
    query->at_end = code == SQLITE_DONE;
    if (query->at_end) return SOTTO_OK;
    if (code != SQLITE_ROW) return fail_reading(query, code, error);
    if (query->rows == rows_max) {
        return sot_fail(error, SOTTO_IO,
                        "the data have more than 2^32 rows; is it the right table?");
    }
    query->rows++;
    for (size_t i = 0; i < query->field_count; i++) {
        const query_field *field = &query->fields[i];
        const sotto_status status =
            read_cell(query, field, (int)i, &out_values[field->column], error);
        if (status != SOTTO_OK) return status;
    }
    for (size_t i = query->field_count; i < sotto_schema_size(query->schema); i++) {
        const query_field *field = &query->fields[i];
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
    (void)sqlite3_reset(query->statement); /* what it says is about the last pass */
    query->rows = 0;
    query->at_end = false;
    return SOTTO_OK;
}
