/* Stored tables and all their neighbours, as databases: rows of odd cells, in tables of many kinds. */
#ifndef SOTTO_TESTS_QUERY_TABLES_H
#define SOTTO_TESTS_QUERY_TABLES_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

/* ---- rows ---- */

/* age, visits, town, person, smokes, note; the others are made of them. Persons are texts: what a unit's id must be. */
typedef struct stored_row {
    const char *person;
    const char *cells; /* age, visits, town, smokes, note, as SQL */
} stored_row;

static const stored_row stored_rows[] = {
    {"p1", "84.5, 2, 'Lund', 'no', '2020-01-31'"},
    {"p2", "NULL, NULL, NULL, NULL, NULL"},
    {"p1", "x'00ff', x'33', x'4c756e64', x'', x'c328'"},
    {"p3", "9223372036854775807, -9223372036854775808, 'Ystad', 'yes', "
           "-9223372036854775808"},
    {"p2", "1e999, -1e999, '', '', ''"},
    {"p4", "'NaN', 'inf', CAST(x'c328ff' AS TEXT), 'YES', CAST(x'ff' AS TEXT)"},
    {"p5", "' 87.25 ', '3 ', 'lund', 'yes', '%'"},
    {"p1", "90, 6.5, 'Lund', 'yes', char(0, 76, 0)"},
    {"p6", "-0.0, 9.5e-320, 'Ystad', 'no', '[a-z'"},
    {"p7", "86, 4, 'Lund', 'no', '{\"a\":'"},
};
/* Rows that take the place of one of the above, each in its turn. */
static const stored_row other_rows[] = {
    {"p8", "85, 3, 'Ystad', 'yes', 'it''s'"},
    {"p1", "NULL, 1, 'Lund', 'no', -1"},
    {"p9", "80.0, 0, 'Atlantis', 'no', printf('%.60000c', '%')"},
    {"p2", "'1e400', '0x10', zeroblob(3000), 1, 'now and then'"},
    {"p3", "-9223372036854775808, 9223372036854775807, 'Lund', NULL, 12345678901"},
    {"", "89.999, 5, 'Ystad', 'yes', '!'"},
    {"p1", "'', '', '', '', ''"},
    {"p5", "CAST(x'00' AS TEXT), x'00', char(65533), char(55296), '+1 day'"},
    {"p10", "1e308, -1e308, 'LUND', 'No', 1e308"},
    {"p4", "81, 2, 'Lund', 'yes', '23:59:60'"},
};
enum { ROWS = sizeof stored_rows / sizeof stored_rows[0] };
_Static_assert(ROWS == sizeof other_rows / sizeof other_rows[0], "one for each row");

/* ---- tables ---- */

typedef struct stored_table {
    const char *name, *sql;
    bool has_key; /* the place of a row follows what it says */
} stored_table;

#define OTHERS ", note, \"odd name\", `where`, [select], \"a\"\"b\""
static const stored_table stored_tables[] = {
    {"plain", "CREATE TABLE t(age, visits, town, person, smokes" OTHERS ")", false},
    {"indexed",
     "CREATE TABLE t(age, visits, town, person, smokes" OTHERS ");"
     "CREATE INDEX by_age ON t(age); CREATE INDEX by_town ON t(town, age);"
     "CREATE INDEX covering ON t(age, visits, town, person, smokes);"
     "CREATE INDEX part ON t(visits) WHERE age > 85; CREATE INDEX made ON t(age + 1)",
     false},
    {"without rowid",
     "CREATE TABLE t(age, visits, town, person, smokes" OTHERS ", key TEXT PRIMARY KEY) "
     "WITHOUT ROWID; CREATE INDEX by_age ON t(age)",
     true},
    {"without rowid, covered",
     "CREATE TABLE t(age, visits, town, person, smokes" OTHERS
     ", key TEXT, PRIMARY KEY(key DESC, person)) WITHOUT ROWID;"
     "CREATE INDEX by_all ON t(age, visits, town, smokes); CREATE INDEX by_age ON t(age)",
     true},
    {"strict",
     "CREATE TABLE t(age ANY, visits ANY, town ANY, person TEXT, smokes ANY, note ANY, "
     "\"odd name\" ANY, `where` ANY, [select] ANY, \"a\"\"b\" ANY) STRICT",
     false},
    {"stored columns",
     "CREATE TABLE t(age, visits, town, person, smokes, note, \"odd name\" AS (note) "
     "STORED, `where` AS (age IS 85) STORED, [select] AS (typeof(visits)) STORED, "
     "\"a\"\"b\" AS (1) STORED)",
     false},
    {"computed columns",
     "CREATE TABLE t(age, visits, town, person, smokes, note, \"odd name\" AS (note), "
     "`where` AS (length(note)), [select] AS (typeof(visits)), \"a\"\"b\" AS (1))",
     false},
    {"typed",
     "CREATE TABLE t(age REAL DEFAULT 85, visits INTEGER, town TEXT COLLATE NOCASE, "
     "person VARCHAR(3), smokes BLOB, note NUMERIC, \"odd name\" INT, `where` REAL, "
     "[select] TEXT, \"a\"\"b\" DATE)",
     false},
    {"triggers",
     "CREATE TABLE t(age, visits, town, person, smokes" OTHERS ");"
     "CREATE TABLE log(x); CREATE TRIGGER logged AFTER INSERT ON t BEGIN INSERT INTO "
     "log VALUES(new.age); END; CREATE VIRTUAL TABLE words USING fts5(age, visits, town, "
     "person, smokes)",
     false},
    {"utf-16",
     "PRAGMA encoding = 'UTF-16'; CREATE TABLE t(age, visits, town, person, "
     "smokes" OTHERS "); CREATE INDEX by_age ON t(age)",
     false},
};
enum { TABLES = sizeof stored_tables / sizeof stored_tables[0], COMPUTED_TABLE = 6 };

/* ---- neighbours ---- */

/* All rows; without the row i; the row i alone; another row in the place of the row i; that row alone. */
typedef enum stored_kind {
    STORED_ALL,
    STORED_WITHOUT,
    STORED_ALONE,
    STORED_EXCHANGED,
    STORED_OTHER_ALONE,
    STORED_KINDS
} stored_kind;

typedef struct stored_scene {
    char folder[64];
} stored_scene;

static inline void stored_must(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "stored tables: %s\n", what);
    abort(); /* a harness that cannot go on must not look like one that found nothing */
}

static inline const char *stored_path(const stored_scene *scene, size_t table,
                                      stored_kind kind, size_t row)
{
    static char path[128];
    (void)snprintf(path, sizeof path, "%s/%zu-%d-%zu.db", scene->folder, table, (int)kind,
                   kind == STORED_ALL ? 0 : row);
    return path;
}

static inline void stored_run(sqlite3 *database, const char *sql)
{
    const bool good = sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK;
    if (!good) fprintf(stderr, "%s\n", sql);
    stored_must(good, sqlite3_errmsg(database));
}

/* The place of a row is its number, whichever other rows there are; with a key it follows the age. */
static inline void stored_insert(sqlite3 *database, const stored_table *table,
                                 const stored_row *row, size_t number)
{
    char sql[1024], place[64];
    const bool is_made = strstr(table->sql, "\"odd name\" AS") != NULL;
    (void)snprintf(place, sizeof place,
                   table->has_key ? "quote(column1) || 'x%zu'" : "%zu3", number + 1);
    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO t(%s, age, visits, town, smokes, note, person%s) SELECT "
                   "%s, column1, column2, column3, column4, column5, '%s'%s FROM "
                   "(VALUES(%s))",
                   table->has_key ? "key" : "rowid",
                   is_made ? "" : ", \"odd name\", `where`, [select], \"a\"\"b\"", place,
                   row->person, is_made ? "" : ", column3, column2, column1, column4",
                   row->cells);
    stored_run(database, sql);
}

static inline void stored_write(const stored_scene *scene, size_t table, stored_kind kind,
                                size_t row)
{
    sqlite3 *database = NULL;
    const char *path = stored_path(scene, table, kind, row);
    stored_must(sqlite3_open(path, &database) == SQLITE_OK, path);
    stored_run(database, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF");
    stored_run(database, stored_tables[table].sql);
    stored_run(database, "CREATE TABLE u(age); INSERT INTO u VALUES(85);"
                         "CREATE VIEW v AS SELECT * FROM t");
    for (size_t i = 0; i < ROWS; i++) {
        const bool is_here = kind == STORED_ALL || kind == STORED_EXCHANGED ||
                             (i == row) == (kind != STORED_WITHOUT);
        const bool is_other =
            i == row && (kind == STORED_EXCHANGED || kind == STORED_OTHER_ALONE);
        if (is_here)
            stored_insert(database, &stored_tables[table],
                          is_other ? &other_rows[i] : &stored_rows[i], i);
    }
    /* Statistics may be old: the whole table has those of a large one. */
    stored_run(database, "ANALYZE");
    if (kind == STORED_ALL)
        stored_run(database,
                   "UPDATE sqlite_stat1 SET stat = '1000000' || substr(stat, 1 + "
                   "length(CAST(stat AS INTEGER)))");
    stored_must(sqlite3_close(database) == SQLITE_OK, "close");
}

static inline void stored_begin(stored_scene *scene)
{
    const bool has_memory = access("/dev/shm", W_OK | X_OK) == 0;
    (void)snprintf(scene->folder, sizeof scene->folder, "%s/sotto-stored-XXXXXX",
                   has_memory ? "/dev/shm" : "/tmp");
    stored_must(mkdtemp(scene->folder) != NULL, "mkdtemp");
    for (size_t table = 0; table < TABLES; table++)
        for (int kind = 0; kind < STORED_KINDS; kind++)
            for (size_t row = 0; row < (kind == STORED_ALL ? 1 : ROWS); row++)
                stored_write(scene, table, (stored_kind)kind, row);
}

static inline void stored_end(const stored_scene *scene)
{
    for (size_t table = 0; table < TABLES; table++)
        for (int kind = 0; kind < STORED_KINDS; kind++)
            for (size_t row = 0; row < (kind == STORED_ALL ? 1 : ROWS); row++)
                (void)unlink(stored_path(scene, table, (stored_kind)kind, row));
    (void)rmdir(scene->folder);
}

/* The rows of the whole table in the order of its own tree. */
static inline void stored_order(const stored_scene *scene, size_t table, size_t out[ROWS])
{
    sqlite3 *database = NULL;
    sqlite3_stmt *keys = NULL;
    for (size_t i = 0; i < ROWS; i++)
        out[i] = i;
    if (!stored_tables[table].has_key) return;
    const bool is_descending = strstr(stored_tables[table].sql, "key DESC") != NULL;
    const char *path = stored_path(scene, table, STORED_ALL, 0);
    stored_must(sqlite3_open(path, &database) == SQLITE_OK, path);
    stored_must(sqlite3_prepare_v2(database,
                                   is_descending ? "SELECT key FROM t ORDER BY key DESC"
                                                 : "SELECT key FROM t ORDER BY key",
                                   -1, &keys, NULL) == SQLITE_OK,
                "keys");
    for (size_t i = 0; i < ROWS; i++) {
        stored_must(sqlite3_step(keys) == SQLITE_ROW, "a key is missing");
        const char *key = (const char *)sqlite3_column_text(keys, 0);
        out[i] = (size_t)atoi(strrchr(key, 'x') + 1) - 1;
    }
    (void)sqlite3_finalize(keys);
    stored_must(sqlite3_close(database) == SQLITE_OK, "close");
}

/* A database under a name that is the same for all: messages quote it. */
static inline void stored_link(const stored_scene *scene, size_t table, stored_kind kind,
                               size_t row, const char *name)
{
    (void)unlink(name);
    stored_must(symlink(stored_path(scene, table, kind, row), name) == 0, name);
}

#endif
