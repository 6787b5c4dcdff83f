#include "data/readers/sqlite/prepare.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/readers/sqlite/text.h"

/* ---- failures ---- */

sotto_status sot_query_fail(const char *path, int code, sotto_error *error)
{
    if ((code & 0xff) == SQLITE_NOMEM) return sot_fail_memory(error, 1, 1);
    if ((code & 0xff) == SQLITE_NOTADB) {
        return sot_fail(error, SOTTO_IO,
                        "`table` needs a SQLite database, and %.120s is none; leave "
                        "`table` out",
                        path);
    }
    return sot_fail(error, SOTTO_IO,
                    "%.120s cannot be read: %s; is it a SQLite database?", path,
                    sqlite3_errstr(code & 0xff));
}

/* ---- the tables and functions of the query ---- */

/* The tables and functions that SQLite reports while it prepares the text. */
typedef struct query_reads {
    char table[SOT_QUERY_NAME_BYTES]; /* "": none yet */
    char refused[SOT_QUERY_NAME_BYTES];
    const char *why; /* NULL: nothing was refused */
} query_reads;

static int deny(query_reads *reads, const char *what, const char *why)
{
    (void)sot_printable(what == NULL ? "it" : what, reads->refused, SOT_QUERY_NAME_BYTES);
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
        if (strlen(first) >= SOT_QUERY_NAME_BYTES)
            return deny(reads, first, "is too long a name for a table");
        if (reads->table[0] == '\0') memcpy(reads->table, first, strlen(first) + 1);
        if (strcasecmp(reads->table, first) == 0) return SQLITE_OK;
        return deny(reads, first, "is a second table; give one");
    default:
        return deny(reads, NULL,
                    "reads a virtual table, or does more than select rows; give a table "
                    "that holds its rows");
    }
}

/* ---- the table ---- */

sotto_status sot_query_ask(const sot_query_table *table, const char *sql,
                           const char *name, int64_t *out_number, sotto_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(table->database, sql, -1, &statement, NULL);
    if (code == SQLITE_OK && sqlite3_bind_parameter_count(statement) > 0)
        code = sqlite3_bind_text(statement, 1, table->name, -1, SQLITE_STATIC);
    if (code == SQLITE_OK && name != NULL)
        code = sqlite3_bind_text(statement, 2, name, -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    if (code == SQLITE_ROW) *out_number = sqlite3_column_int64(statement, 0);
    (void)sqlite3_finalize(statement);
    return code == SQLITE_ROW ? SOTTO_OK : sot_query_fail(table->path, code, error);
}

/* A table of the file whose columns are all there: not computed when they are read (hidden is 2, or
 * 1 in a virtual table). */
static sotto_status check_table(const sot_query_table *table, sotto_error *error)
{
    int64_t plain = 0;
    int64_t computed = 0;
    sotto_status status = sot_query_ask(
        table,
        "SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND rootpage > 0 "
        "AND name = ?1 COLLATE NOCASE",
        NULL, &plain, error);
    if (status == SOTTO_OK) {
        status = sot_query_ask(
            table, "SELECT count(*) FROM pragma_table_xinfo(?1) WHERE hidden IN (1, 2)",
            NULL, &computed, error);
    }
    if (status != SOTTO_OK) return status;
    if (plain != 1) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s: %s is not a table that holds its rows; give one that "
                        "does (CREATE TABLE ... AS SELECT ...)",
                        table->asked, table->name);
    }
    if (computed != 0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "%s: %s has columns that are computed when they are read, which may "
            "fail on a row; make them STORED",
            table->asked, table->name);
    }
    return SOTTO_OK;
}

sotto_status sot_query_name_table(sot_query_table *table, const char *name,
                                  sotto_error *error)
{
    char shown[80];
    if (name[0] == '\0' || strlen(name) >= sizeof table->name) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`table` is '%s'; give the name of a table, of 1 to %d bytes",
                        sot_printable(name, shown, sizeof shown),
                        (int)sizeof table->name - 1);
    }
    memcpy(table->name, name, strlen(name) + 1);
    return check_table(table, error);
}

/* ---- the order of rows ---- */

/* Returns the clause after FROM that leaves only the table's own tree: " NOT INDEXED ". For a
 * table without rowids it is " INDEXED BY " and the index that is its primary key. Free with
 * sqlite3_free(). */
static sotto_status choose_tree(const sot_query_table *table, char **out_clause,
                                sotto_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(
        table->database,
        "SELECT i.name FROM pragma_table_list(?1) AS t, pragma_index_list(?1) AS i "
        "WHERE t.schema = 'main' AND t.wr AND i.origin = 'pk'",
        -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(statement, 1, table->name, -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        *out_clause = sqlite3_mprintf(" INDEXED BY \"%w\" ",
                                      (const char *)sqlite3_column_text(statement, 0));
    } else if (code == SQLITE_DONE) {
        *out_clause = sqlite3_mprintf(" NOT INDEXED ");
    }
    (void)sqlite3_finalize(statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return sot_query_fail(table->path, code, error);
    return *out_clause == NULL ? sot_fail_memory(error, 1, 1) : SOTTO_OK;
}

/* The text with the clause behind FROM, and its condition behind a unary plus. Free with sot_free(). */
static char *text_in_order(const char *text, const sot_query_parts *parts,
                           const char *clause)
{
    const size_t room = strlen(text) + strlen(clause) + sizeof " +()";
    char *whole = sot_new_array(room, 1);
    if (whole == NULL) return NULL;
    int used = snprintf(whole, room, "%.*s%s", (int)parts->from_end, text, clause);
    if (parts->where_begin == 0) {
        (void)snprintf(whole + used, room - (size_t)used, "%s", text + parts->from_end);
        return whole;
    }
    used +=
        snprintf(whole + used, room - (size_t)used, "%.*s +(%.*s)",
                 (int)(parts->where_begin - parts->from_end), text + parts->from_end,
                 (int)(parts->where_end - parts->where_begin), text + parts->where_begin);
    (void)snprintf(whole + used, room - (size_t)used, "%s", text + parts->where_end);
    return whole;
}

/* Checks that SQLite's program for the query opens one tree and scans it from its first
 * entry on: no step seeks a key. */
static sotto_status check_scan(const sot_query_table *table, const char *whole,
                               sotto_error *error)
{
    static const char *const finders[] = {"Seek", "NotExists", "Last", "Prev", "Sort"};
    sqlite3_stmt *program = NULL;
    size_t trees = 0;
    bool finds = false;
    char *explain = sqlite3_mprintf("EXPLAIN %s", whole);
    if (explain == NULL) return sot_fail_memory(error, strlen(whole), 1);
    int code = sqlite3_prepare_v2(table->database, explain, -1, &program, NULL);
    sqlite3_free(explain);
    if (code == SQLITE_OK) code = sqlite3_step(program);
    for (; code == SQLITE_ROW; code = sqlite3_step(program)) {
        const char *step = (const char *)sqlite3_column_text(program, 1);
        if (step == NULL) continue; /* no memory: the next step says so */
        trees += strcmp(step, "OpenRead") == 0 ? 1 : 0;
        for (size_t i = 0; i < sizeof finders / sizeof finders[0]; i++)
            finds = finds || strncmp(step, finders[i], strlen(finders[i])) == 0;
    }
    (void)sqlite3_finalize(program);
    if (code != SQLITE_DONE) return sot_query_fail(table->path, code, error);
    if (trees <= 1 && !finds) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the query: this version of SQLite would not read the table in its "
                    "stored order; give a simpler condition");
}

/* ---- preparing ---- */

/* Prepares the text of the query. It is public, and so are SQLite's messages about it. */
static sotto_status prepare_judged(const sot_query_table *table, const char *text,
                                   query_reads *reads, sqlite3_stmt **out_statement,
                                   sotto_error *error)
{
    char words[120];
    *reads = (query_reads){.why = NULL};
    (void)sqlite3_set_authorizer(table->database, judge, reads);
    const int code = sqlite3_prepare_v2(table->database, text, -1, out_statement, NULL);
    (void)sqlite3_set_authorizer(table->database, NULL, NULL);
    if (code == SQLITE_OK) return SOTTO_OK;
    if (reads->why != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT, "%s: %s %s", table->asked,
                        reads->refused, reads->why);
    }
    if ((code & 0xff) != SQLITE_ERROR) return sot_query_fail(table->path, code, error);
    sot_printable(sqlite3_errmsg(table->database), words, sizeof words);
    return sot_fail(error, SOTTO_INVALID_ARGUMENT, "the query does not fit %.90s: %s",
                    table->path, words);
}

/* Tries the caller's own text first, so that SQLite's messages refer to it. */
static sotto_status find_table(sot_query_table *table, const char *text,
                               sotto_error *error)
{
    query_reads reads;
    sqlite3_stmt *statement = NULL;
    const sotto_status status = prepare_judged(table, text, &reads, &statement, error);
    const bool is_whole = statement != NULL && reads.table[0] != '\0' &&
                          sqlite3_bind_parameter_count(statement) == 0;
    (void)sqlite3_finalize(statement);
    if (status != SOTTO_OK) return status;
    if (!is_whole) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the query reads no table, or has a parameter; write all of it");
    }
    memcpy(table->name, reads.table, sizeof table->name);
    return check_table(table, error);
}

sotto_status sot_query_prepare(sot_query_table *table, const char *text,
                               const sot_query_parts *parts, sqlite3_stmt **out_statement,
                               sotto_error *error)
{
    query_reads reads;
    char *clause = NULL;
    char *whole = NULL;
    sotto_status status = find_table(table, text, error);
    if (status == SOTTO_OK) status = choose_tree(table, &clause, error);
    if (status == SOTTO_OK) {
        whole = text_in_order(text, parts, clause);
        if (whole == NULL) status = sot_fail_memory(error, strlen(text), 1);
    }
    if (status == SOTTO_OK)
        status = prepare_judged(table, whole, &reads, out_statement, error);
    if (status == SOTTO_OK) status = check_scan(table, whole, error);
    sot_free(whole);
    sqlite3_free(clause);
    return status;
}
