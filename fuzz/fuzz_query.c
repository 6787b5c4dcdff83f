/* Any text is a query of records, or none. One that is let pass never fails on a row, and a row that is gone
 * takes at most one record with it and changes no other. The first byte says which row. */
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "data/readers/sqlite/query.h"
#include "require.h"

enum { COLUMNS = 5, ROWS = 12, RECORDS_MAX = 4 * ROWS, PATH_BYTES = 96 };

static const char schema_text[] =
    "{\"columns\": ["
    "{\"name\": \"a\", \"type\": \"number\", \"lower\": -9, \"upper\": 9},"
    "{\"name\": \"b\", \"type\": \"integer\", \"lower\": 0, \"upper\": 20},"
    "{\"name\": \"c\", \"type\": \"category\", \"values\": [\"x\", \"7\"]},"
    "{\"name\": \"d\", \"type\": \"boolean\"},"
    "{\"name\": \"e\", \"type\": \"ignore\"}]}";

static const char *const cells[] = {"NULL",
                                    "0",
                                    "-9223372036854775808",
                                    "1e308",
                                    "-1e999",
                                    "'x'",
                                    "x'00ff'",
                                    "'%%'",
                                    "'now'",
                                    "''",
                                    "zeroblob(3000)",
                                    "'1e400'",
                                    "7",
                                    "'[]'",
                                    "'{'",
                                    "0.5",
                                    "char(0)",
                                    "'2026-11-16'",
                                    "'a\"b'"};
enum { CELLS = sizeof cells / sizeof cells[0] };

typedef struct records {
    double values[RECORDS_MAX][COLUMNS];
    size_t count;
} records;

static void path_of(size_t gone, char path[PATH_BYTES])
{
    (void)snprintf(path, PATH_BYTES, "/tmp/sotto_fuzz_query_%ld_%zu.db", (long)getpid(),
                   gone);
}

/* Database number `gone` lacks that row; number ROWS has all. */
static void make_database(size_t gone)
{
    char path[PATH_BYTES], sql[512];
    sqlite3 *database = NULL;
    path_of(gone, path);
    (void)unlink(path);
    require(sqlite3_open(path, &database) == SQLITE_OK);
    require(sqlite3_exec(database,
                         "PRAGMA synchronous = OFF; CREATE TABLE t(a, b, c, d, e);"
                         "CREATE TABLE u(a, b); INSERT INTO u VALUES(1, 2), (3, 'x');"
                         "CREATE VIEW v AS SELECT * FROM t LIMIT 3;"
                         "CREATE INDEX i ON t(a, c)",
                         NULL, NULL, NULL) == SQLITE_OK);
    for (size_t row = 0; row < ROWS; row++) {
        size_t used = (size_t)snprintf(sql, sizeof sql, "INSERT INTO t VALUES(");
        for (size_t i = 0; i < COLUMNS; i++)
            used += (size_t)snprintf(sql + used, sizeof sql - used, "%s%s",
                                     cells[(row * 7 + i * 5 + row * i) % CELLS],
                                     i + 1 < COLUMNS ? "," : ")");
        if (row != gone)
            require(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK);
    }
    require(sqlite3_close(database) == SQLITE_OK);
}

/* At the end of the run; after a crash they stay in /tmp. */
static void remove_databases(void)
{
    for (size_t gone = 0; gone <= ROWS; gone++) {
        char path[PATH_BYTES];
        path_of(gone, path);
        (void)unlink(path);
    }
}

static bool read_records(size_t gone, const char *text, const sotto_schema *schema,
                         records *out)
{
    char path[PATH_BYTES];
    sotto_error error;
    sot_query *query = NULL;
    path_of(gone, path);
    const sotto_status status = sot_query_open(path, text, schema, true, &query, &error);
    require(status == SOTTO_OK || error.message[0] != '\0');
    out->count = 0;
    for (bool more = status == SOTTO_OK; more;) {
        double *to = out->values[out->count];
        require(sot_query_next(query, to, &more, NULL) == SOTTO_OK);
        if (!more) break;
        require(to[0] >= -9.0 && to[0] <= 9.0 && to[2] <= 1.0 && to[3] <= 1.0);
        require(++out->count <= ROWS);
    }
    sot_query_close(query);
    return status == SOTTO_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sotto_schema *schema;
    static records whole, less;
    char text[512];
    if (schema == NULL) {
        require(sotto_schema_parse("fuzz", schema_text, sizeof schema_text - 1, &schema,
                                   NULL) == SOTTO_OK);
        for (size_t gone = 0; gone <= ROWS; gone++)
            make_database(gone);
        require(atexit(remove_databases) == 0);
    }
    if (size < 2 || size > sizeof text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    const bool passed = read_records(ROWS, text, schema, &whole);
    require(read_records(data[0] % ROWS, text, schema, &less) == passed);
    if (!passed) return 0;
    /* The order may be an index's, but the other records keep theirs. */
    require(less.count == whole.count || less.count + 1 == whole.count);
    size_t skipped = 0;
    for (size_t i = 0; i < less.count; i++) {
        const size_t bytes = sizeof less.values[i];
        if (memcmp(less.values[i], whole.values[i + skipped], bytes) != 0) skipped++;
        require(i + skipped < whole.count && skipped <= whole.count - less.count);
        require(memcmp(less.values[i], whole.values[i + skipped], bytes) == 0);
    }
    return 0;
}
