/* Rows of SQLite: each by itself, whatever it holds, the same in every pass. */
#include "data/files.h"

#include <sqlite3.h>

#include "base/memory.h"
#include "data/readers/sqlite/query.h"
#include "data/readers/sqlite/text.h"
#include "data/source/source.h"

static const char schema_text[] =
    "{\"unit\": {\"column\": \"person\", \"rows\": 2}, \"columns\": ["
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 0, \"upper\": 120, "
    "\"missing\": 40},"
    "{\"name\": \"children\", \"type\": \"integer\", \"lower\": 0, \"upper\": 20},"
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"7\"]},"
    "{\"name\": \"smokes\", \"type\": \"boolean\"},"
    "{\"name\": \"person\", \"type\": \"id\"},"
    "{\"name\": \"note\", \"type\": \"ignore\"}]}";

enum { COLUMNS = 6 };

/* ---- databases ---- */

static void run_sql(sqlite3 *database, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(database, sql, NULL, NULL, &message) == SQLITE_OK) return;
    print_error("%s: %s\n", sql, message);
    fail();
}

/* A database file of its own; the path is good until the next call. */
static const char *make_database(const char *sql, sqlite3 **out_open)
{
    static char path[160];
    sqlite3 *database = NULL;
    (void)snprintf(path, sizeof path, "/tmp/sotto_query_test_%ld.db", (long)getpid());
    (void)unlink(path);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    run_sql(database, "PRAGMA synchronous = OFF"); /* nobody pulls the plug */
    run_sql(database, sql);
    if (out_open != NULL) {
        *out_open = database;
    } else {
        assert_int_equal(sqlite3_close(database), SQLITE_OK);
    }
    return path;
}

#define TABLE "CREATE TABLE t(age, children, town, smokes, person, note);"

/* All rows of a query as text, one line each; free() it. NULL: refused with `error`. */
static char *rows_of(const char *path, const char *query, const sotto_schema *schema,
                     sotto_error *error)
{
    sot_query *reader = NULL;
    if (sot_query_open(path, query, schema, false, &reader, error) != SOTTO_OK)
        return NULL;
    char *text = calloc(1, 1 << 16);
    size_t used = 0;
    assert_non_null(text);
    for (;;) {
        double cells[COLUMNS];
        bool more = false;
        size_t id_bytes;
        assert_ok(sot_query_next(reader, cells, &more, error), error);
        if (!more) break;
        const char *id = sot_query_id(reader, 4, &id_bytes);
        used += (size_t)snprintf(text + used, 512, "%g %g %g %g %.*s\n", cells[0],
                                 cells[1], cells[2], cells[3], (int)id_bytes, id);
    }
    sot_query_close(reader);
    return text;
}

static const char all[] = "SELECT age, children, town, smokes, person FROM t";

static void assert_rows(const char *path, const char *query, const char *wanted)
{
    sotto_error error = {0};
    sotto_schema *schema = parse_schema(schema_text);
    char *rows = rows_of(path, query, schema, &error);
    if (rows == NULL) print_error("%s: %s\n", query, error.message);
    assert_non_null(rows);
    assert_string_equal(rows, wanted);
    free(rows);
    sotto_schema_free(schema);
}

/* ---- cells ---- */

static void cells_count_as_they_would_in_a_csv(void **state)
{
    (void)state;
    const char *path = make_database(
        TABLE "INSERT INTO t VALUES(23.75, 3, 'Lund', 1, 'p1', x'00');"
              "INSERT INTO t VALUES(' 23.75 ', '3', 7, 'yes', 17, NULL);"
              "INSERT INTO t VALUES(NULL, NULL, NULL, NULL, NULL, NULL);"
              "INSERT INTO t VALUES(x'01', 2.5, 'Lunds', 2, x'7071', 'x');"
              "INSERT INTO t VALUES(1e999, -1e999, x'4c756e64', 'maybe', '', 'x');"
              "INSERT INTO t VALUES('1e5', 9223372036854775807, ' 7 ', 'F', 2.5, 'x');",
        NULL);
    assert_rows(path, all,
                "23.75 3 0 1 p1\n"
                "23.75 3 1 1 17\n"
                "40 10 0 0 \n"
                "40 10 0 0 pq\n"
                "40 10 0 0 \n"
                "120 20 1 0 2.5\n");
    (void)unlink(path);
}

static void columns_may_come_in_any_order_and_be_computed(void **state)
{
    (void)state;
    const char *path =
        make_database(TABLE "INSERT INTO t VALUES(30, 2, 'Lund', 0, 'a', 'kept');"
                            "INSERT INTO t VALUES(50, 4, '7', 1, 'b', NULL);",
                      NULL);
    assert_rows(path, "select person, smokes, town, children, age + 0.5 as age from t",
                "30.5 2 0 0 a\n50.5 4 1 1 b\n");
    assert_rows(path,
                "SELECT coalesce(note, town) AS town, iif(age > 40, 1, 0) AS smokes, "
                "round(age / 7, 1) AS age, children, person "
                "FROM main.t AS x WHERE town LIKE 'L%' OR x.age IN (50, 51) -- both\n;",
                "4 2 0 0 a\n7 4 1 1 b\n");
    assert_rows(path, "SELECT * FROM \"t\" WHERE (age BETWEEN 40 AND 60) /* one */",
                "50 4 1 1 b\n");
    assert_rows(path,
                "SELECT * FROM t WHERE town LIKE 'L!_nd' ESCAPE '!' OR \"age\" IN (50)",
                "50 4 1 1 b\n");
    assert_rows(path, "SELECT * FROM t WHERE 0", "");
    (void)unlink(path);
}

/* ---- refusals ---- */

static void assert_query_refused(const char *path, const sotto_schema *schema,
                                 const char *query, const char *word)
{
    sotto_error error = {0};
    sot_query *reader = NULL;
    const sotto_status status =
        sot_query_open(path, query, schema, false, &reader, &error);
    if (status == SOTTO_OK) print_error("%s was let pass\n", query);
    assert_true(status == SOTTO_INVALID_ARGUMENT || status == SOTTO_PARSE);
    if (strstr(error.message, word) == NULL)
        print_error("%s: the message lacks %s: %s\n", query, word, error.message);
    assert_non_null(strstr(error.message, word));
}

/* Each of them lets one row of the table decide about others of the result, or stop the query. */
static void queries_that_mix_rows_or_can_fail_are_refused(void **state)
{
    (void)state;
    static const char *const refused[][2] = {
        {"SELECT * FROM t LIMIT 3", "LIMIT"},
        {"SELECT * FROM t ORDER BY age", "ORDER"},
        {"SELECT DISTINCT * FROM t", "DISTINCT"},
        {"SELECT * FROM t GROUP BY age", "GROUP"},
        {"SELECT * FROM t UNION ALL SELECT * FROM t", "UNION"},
        {"SELECT * FROM t EXCEPT SELECT * FROM u", "EXCEPT"},
        {"SELECT t.* FROM t JOIN u", "JOIN"},
        {"SELECT t.* FROM t, u", ","},
        {"SELECT t.* FROM t, t AS x", ","},
        {"SELECT t.* FROM t CROSS JOIN t AS x", "JOIN"},
        {"SELECT * FROM t ON age > 5", "ON"},
        {"SELECT t.* FROM t NATURAL JOIN u", "JOIN"},
        {"SELECT * FROM (SELECT * FROM t)", "("},
        {"SELECT * FROM (t)", "("},
        {"SELECT * FROM t WHERE age > (SELECT 5)", "SELECT"},
        {"SELECT * FROM t WHERE EXISTS (SELECT 1 FROM u)", "SELECT"},
        {"SELECT * FROM t WHERE age IN u", "IN"},
        {"SELECT * FROM t WHERE age IN (SELECT age FROM u)", "SELECT"},
        {"SELECT * FROM t WHERE age IN (VALUES (1), (2))", "VALUES"},
        {"WITH x AS (SELECT 1) SELECT * FROM t", "WITH"},
        {"VALUES (1, 2)", "VALUES"},
        {"SELECT max(age) AS age FROM t", "max"},
        {"SELECT count(*) AS age FROM t", "count"},
        {"SELECT sum(age) OVER () AS age FROM t", "OVER"},
        {"SELECT abs(age) AS age FROM t", "abs"},
        {"SELECT json_extract(note, '$.a') AS age FROM t", "json_extract"},
        {"SELECT note -> 'a' AS age FROM t", "->"},
        {"SELECT random() AS age FROM t", "random"},
        {"SELECT town || note AS town FROM t", "||"},
        {"SELECT * FROM t WHERE town LIKE note", "LIKE"},
        {"SELECT * FROM t WHERE like(note, town)", "like"},
        {"SELECT * FROM t WHERE town GLOB note", "GLOB"},
        {"SELECT * FROM t WHERE town LIKE \"a%\"", "LIKE"},
        {"SELECT * FROM t WHERE \"like\"(note, town)", "in quotes"},
        {"SELECT * FROM t WHERE [glob] /* */ (note, town)", "in quotes"},
        {"SELECT `substr`(town, 1, 2) AS town FROM t", "in quotes"},
        {"SELECT * FROM t WHERE town LIKE 'L%' ESCAPE note", "ESCAPE"},
        {"SELECT * FROM t WHERE town NOT LIKE 'L%' escape '!!'", "escape"},
        {"SELECT * FROM t WHERE town LIKE 'L%' ESCAPE ''", "ESCAPE"},
        {"SELECT * FROM t WHERE town LIKE 'L%' ESCAPE substr(note, 1, 1)", "ESCAPE"},
        {"SELECT * FROM t WHERE town = \"Lund\"", "no such column"},
        {"SELECT * FROM t WHERE age > ?", "parameter"},
        {"SELECT * FROM v", "v"},
        {"SELECT name AS town FROM sqlite_schema", "SQLite's own"},
        {"SELECT * FROM computed", "computed"},
        {"SELECT * FROM words", "virtual"},
        {"SELECT name AS town FROM pragma_table_list", "virtual"},
        {"SELECT 1 AS age", "FROM"},
        {"SELECT * FROM", "table"},
        {"SELECT * FROM t; SELECT * FROM t", "SELECT"},
        {"SELECT * FROM t; x", "x"},
        {"DELETE FROM t", "DELETE"},
        {"PRAGMA user_version", "PRAGMA"},
        {"ATTACH 'x' AS y", "ATTACH"},
        {"", "its end"},
        {"SELECT * FROM t \xef\xbb\xbfLIMIT 1", "double quotes"},
        {"SELECT * FROM t WHERE \xc3\xa5lder > 3", "double quotes"},
        {"SELECT age, age FROM t", "twice"},
        {"SELECT *, 3 AS shoe FROM t", "shoe"},
        {"SELECT age FROM t", "children"},
        {"SELECT nothing FROM t", "nothing"},
        {"SELECT * FROM nowhere", "nowhere"},
    };
    sotto_schema *schema = parse_schema(schema_text);
    const char *path = make_database(
        TABLE
        "CREATE TABLE u(age); CREATE VIEW v AS SELECT * FROM t;"
        "CREATE TABLE computed(age, children AS (abs(age)), town, smokes, person, note);"
        "CREATE VIRTUAL TABLE words USING fts5(age, children, town, smokes, person);"
        "INSERT INTO t VALUES(1, 2, 'Lund', 0, 'a', 'x');",
        NULL);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        assert_query_refused(path, schema, refused[i][0], refused[i][1]);
    char *longer = malloc(SOT_QUERY_BYTES_MAX + 2);
    assert_non_null(longer);
    memset(longer, ' ', SOT_QUERY_BYTES_MAX + 1);
    longer[SOT_QUERY_BYTES_MAX + 1] = '\0';
    assert_query_refused(path, schema, longer, "8192");
    free(longer);
    (void)unlink(path);
    sotto_schema_free(schema);
}

static void files_that_are_no_database_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sot_query *reader = NULL;
    sotto_schema *schema = parse_schema(schema_text);
    assert_refused(sot_query_open("no/such.db", all, schema, false, &reader, &error),
                   SOTTO_IO, &error, "no/such.db", NULL);
    const char text[] =
        "age,children\n1,2\n and more, so that it is longer than a header "
        "of a database, which has a hundred bytes\n";
    const char *path = write_bytes("text.db", text, sizeof text - 1);
    assert_refused(sot_query_open(path, all, schema, false, &reader, &error), SOTTO_IO,
                   &error, "SQLite database", NULL);
    assert_null(strstr(error.message, "and more"));
    (void)unlink(path);
    sotto_schema_free(schema);
}

/* ---- one row more or less ---- */

static const char *const hostile_cells[] = {"NULL",
                                            "0",
                                            "-9223372036854775808",
                                            "1e308",
                                            "-1e999",
                                            "'Lund'",
                                            "x'00ff'",
                                            "'%%%%'",
                                            "'now'",
                                            "''",
                                            "zeroblob(5000)",
                                            "'1e400'",
                                            "'[]'",
                                            "9.5e-320",
                                            "'\"'",
                                            "char(0)",
                                            "'{\"a\":'",
                                            "-0.0"};
enum { HOSTILE = sizeof hostile_cells / sizeof hostile_cells[0] };

/* Queries of all functions that are let pass. */
static const char *const fine[] = {
    "SELECT * FROM t",
    "SELECT * FROM t WHERE age > 0 OR NOT (town IS NULL AND smokes)",
    "SELECT coalesce(age, children) AS age, ifnull(children, 3) AS children, "
    "nullif(town, note) AS town, iif(smokes, note, town) AS smokes, person FROM t",
    "SELECT length(note) AS age, instr(town, note) AS children, substr(note, age, "
    "children) AS town, smokes, person FROM t",
    "SELECT round(age, children) AS age, typeof(note) AS children, town, smokes, person "
    "FROM t WHERE substr(note, 1, 1) IS NOT town",
    "SELECT substring(age, -3) AS age, children, town, smokes, person FROM t "
    "WHERE note LIKE '%a_' ESCAPE 'e' OR note GLOB '[a-z]*' OR 1",
    "SELECT age * children + smokes AS age, -children AS children, CAST(note AS TEXT) AS "
    "town, age / 0 AS smokes, person FROM t WHERE age << children >= 0 "
    "OR 1",
    "SELECT CASE WHEN age > 5 THEN town ELSE note END AS town, age, children, smokes, "
    "person FROM t WHERE note COLLATE NOCASE BETWEEN 'a' AND 'z' OR age NOT IN (1, 2)",
};

/* No row stops a query, and a row that is gone takes one line of the result with it, or none. */
static void one_row_less_is_one_record_less_and_nothing_else(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = parse_schema(schema_text);
    uint64_t stream = 5;
    sqlite3 *database = NULL;
    const char *path = make_database(TABLE, &database);
    for (size_t row = 0; row < 40; row++) {
        char sql[512];
        size_t used = (size_t)snprintf(sql, sizeof sql, "INSERT INTO t VALUES(");
        for (size_t i = 0; i < COLUMNS; i++)
            used += (size_t)snprintf(sql + used, sizeof sql - used, "%s%s",
                                     hostile_cells[next_bits(&stream) % HOSTILE],
                                     i + 1 < COLUMNS ? "," : ")");
        run_sql(database, sql);
    }
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++) {
        char *whole = rows_of(path, fine[i], schema, &error);
        if (whole == NULL) print_error("%s: %s\n", fine[i], error.message);
        assert_non_null(whole);
        for (int gone = 1; gone <= 40; gone += 7) {
            char sql[64];
            char *rest = whole;
            run_sql(database, "BEGIN");
            (void)snprintf(sql, sizeof sql, "DELETE FROM t WHERE rowid = %d", gone);
            run_sql(database, sql);
            run_sql(database, "COMMIT");
            char *less = rows_of(path, fine[i], schema, &error);
            assert_non_null(less);
            (void)snprintf(sql, sizeof sql,
                           "INSERT INTO t(rowid, age) VALUES(%d, 'gone')", gone);
            run_sql(database, sql); /* so that every turn takes one row away */
            char *with = rows_of(path, fine[i], schema, &error);
            /* `less` is `whole` without at most one line. */
            size_t at = 0;
            while (less[at] != '\0' && less[at] == rest[at])
                at++;
            while (at > 0 && less[at - 1] != '\n')
                at--;
            const size_t lost = strlen(rest) - strlen(less);
            assert_true(strlen(rest) >= strlen(less));
            const char *end = lost == 0 ? rest + at : strchr(rest + at, '\n') + 1;
            assert_int_equal((size_t)(end - rest) - at, lost);
            assert_string_equal(less + at, end);
            free(less);
            free(whole);
            whole = with;
        }
        free(whole);
    }
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
    (void)unlink(path);
    sotto_schema_free(schema);
}

/* ---- passes ---- */

/* What is written while it is read is not seen, in no pass. */
static void every_pass_sees_the_same_rows(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = parse_schema(schema_text);
    sqlite3 *database = NULL;
    const char *path = make_database("PRAGMA journal_mode = WAL;" TABLE
                                     "INSERT INTO t(age) VALUES(1), (2), (3);",
                                     &database);
    const sotto_data_file file = {.path = path, .query = "SELECT * FROM t"};
    sot_source *source = NULL;
    assert_ok(sot_source_open(&file, schema, false, &source, &error), &error);
    assert_ok(sot_source_check_rereading(source, &error), &error);
    for (int pass = 0; pass < 3; pass++) {
        size_t rows = 0;
        if (pass > 0) assert_ok(sot_source_rewind(source, &error), &error);
        for (;; rows++) {
            sot_record record;
            bool more = false;
            assert_ok(sot_source_next(source, &record, &more, &error), &error);
            if (!more) break;
            assert_true(record.cells[0] == (double)(rows + 1));
            run_sql(database, "INSERT INTO t(age) VALUES(99)");
        }
        assert_int_equal(rows, 3);
        sot_record record;
        bool more = true;
        assert_ok(sot_source_next(source, &record, &more, &error), &error);
        assert_false(more); /* the end stays the end */
        assert_ok(sot_source_check_unchanged(source, &error), &error);
        run_sql(database, "DELETE FROM t WHERE age = 2");
    }
    sot_source_close(source);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
    (void)unlink(path);
    sotto_schema_free(schema);
}

static void prediction_does_without_target_and_ids(void **state)
{
    (void)state;
    sotto_error error;
    sot_query *reader = NULL;
    sotto_schema *schema = parse_schema(
        "{\"target\": \"smokes\", \"columns\": [{\"name\": \"age\", \"type\": "
        "\"number\", "
        "\"lower\": 0, \"upper\": 9}, {\"name\": \"smokes\", \"type\": \"boolean\"}, "
        "{\"name\": \"person\", \"type\": \"id\"}]}");
    const char *path = make_database(TABLE "INSERT INTO t(age) VALUES(4)", NULL);
    const char query[] = "SELECT age FROM t";
    assert_refused(sot_query_open(path, query, schema, false, &reader, &error),
                   SOTTO_PARSE, &error, "smokes", NULL);
    assert_ok(sot_query_open(path, query, schema, true, &reader, &error), &error);
    double cells[3] = {-1, -1, -1};
    bool more = false;
    assert_ok(sot_query_next(reader, cells, &more, &error), &error);
    assert_true(more && cells[0] == 4.0 && cells[1] == 0.0 && cells[2] == 0.0);
    sot_query_close(reader);
    (void)unlink(path);
    sotto_schema_free(schema);
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    sotto_schema *schema = parse_schema(schema_text);
    const char *path = make_database(TABLE "INSERT INTO t(age) VALUES(4)", NULL);
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        sot_source *source = NULL;
        const sotto_data_file file = {.path = path, .query = all};
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sot_source_open(&file, schema, false, &source, &error);
        const size_t asked = sot_test_fail_allocation(0);
        sot_source_close(source);
        if (asked < nth) {
            assert_int_equal(status, SOTTO_OK);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    (void)unlink(path);
    sotto_schema_free(schema);
}

/* ---- units ---- */

/* One person with many rows must not become many persons. */
static void the_unit_is_a_stored_column(void **state)
{
    (void)state;
    static const char *const refused[] = {
        "SELECT age, children, town, smokes, rowid AS person FROM t",
        "SELECT age, children, town, smokes, rowid person FROM t",
        "SELECT age, children, town, smokes, rowid AS \"person\" FROM t",
        "SELECT age, children, town, smokes, note AS person FROM t",
        "SELECT age, children, town, smokes, (person) AS person FROM t",
        "SELECT age, children, town, smokes, 'x' AS person FROM t",
        "SELECT substr(person, 1, 1) AS person, age, children, town, smokes FROM t",
        "SELECT coalesce(1, person, 2) AS age, rowid AS person, children, town, smokes "
        "FROM t",
        "SELECT (age + (children)) AS age, children, town, smokes, rowid AS person FROM "
        "t",
        "SELECT age, children, town, smokes, person COLLATE NOCASE AS person FROM t",
        "SELECT age, children, town, smokes, person FROM generated",
        "SELECT * FROM generated"};
    static const char *const allowed[] = {
        "SELECT * FROM t",
        "SELECT t.* FROM t",
        "SELECT x.* FROM t AS x",
        "SELECT person, age, children, town, smokes FROM t",
        "SELECT \"person\", t.age, [children], `town`, smokes FROM t",
        "SELECT main.t.person, age + 1 AS age, children, town, smokes FROM t",
        "SELECT PERSON, age, children, town, iif(age > 3, 1, 0) AS smokes FROM t"};
    const char *path =
        make_database(TABLE "CREATE TABLE generated(age, children, town, smokes, note, "
                            "person AS (note) STORED);"
                            "INSERT INTO t VALUES(1, 2, 'Lund', 1, 'p1', 'n');",
                      NULL);
    sotto_schema *schema = parse_schema(schema_text);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        sotto_error error = {0};
        sot_query *query = NULL;
        assert_refused(sot_query_open(path, refused[i], schema, false, &query, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "the schema's unit 'person'",
                       NULL);
    }
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++) {
        sotto_error error = {0};
        char *rows = rows_of(path, allowed[i], schema, &error);
        if (rows == NULL) print_error("%s: %s\n", allowed[i], error.message);
        assert_non_null(rows);
        assert_non_null(strstr(rows, " p1\n"));
        free(rows);
    }
    sotto_schema_free(schema);
}

/* A literal has a name too: a column of that name is not what is selected. */
static void a_literal_is_not_the_unit(void **state)
{
    (void)state;
    static const char *const names[] = {"1", "null"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[200], sql[200], query[80];
        (void)snprintf(text, sizeof text,
                       "{\"unit\": {\"column\": \"%s\", \"rows\": 1}, \"columns\": ["
                       "{\"name\": \"%s\", \"type\": \"id\"}]}",
                       names[i], names[i]);
        (void)snprintf(sql, sizeof sql,
                       "CREATE TABLE t(\"%s\"); INSERT INTO t VALUES('a');", names[i]);
        (void)snprintf(query, sizeof query, "SELECT %s FROM t", names[i]);
        sotto_error error = {0};
        sot_query *reader = NULL;
        sotto_schema *schema = parse_schema(text);
        const char *path = make_database(sql, NULL);
        assert_refused(sot_query_open(path, query, schema, false, &reader, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "unit", NULL);
        (void)snprintf(query, sizeof query, "SELECT \"%s\" FROM t", names[i]);
        assert_ok(sot_query_open(path, query, schema, false, &reader, &error), &error);
        sot_query_close(reader);
        sotto_schema_free(schema);
    }
}

/* The same id, whatever the type it is stored in; and other ids stay others. */
static void ids_and_categories_do_not_depend_on_the_stored_type(void **state)
{
    (void)state;
    const char *path =
        make_database(TABLE "INSERT INTO t VALUES(1, 1, 7, 1, 17, '');"
                            "INSERT INTO t VALUES(1, 1, 7.0, 1, 17.0, '');"
                            "INSERT INTO t VALUES(1, 1, '7', 1, '17', '');"
                            "INSERT INTO t VALUES(1, 1, x'37', 1, x'3137', '');"
                            "INSERT INTO t VALUES(1, 1, 7.5, 1, 0.1 + 0.2, '');"
                            "INSERT INTO t VALUES(1, 1, 7.5, 1, 0.3, '');",
                      NULL);
    assert_rows(path, all,
                "1 1 1 1 17\n1 1 1 1 17\n1 1 1 1 17\n1 1 0 1 17\n"
                "1 1 0 1 0.30000000000000004\n1 1 0 1 0.3\n");
}

/* ---- order ---- */

/* As of a table of a million rows, so that any search looks cheaper than reading all of it. */
#define LARGE_STATISTICS                                                                 \
    "ANALYZE; UPDATE sqlite_stat1 SET stat = replace(stat, '4 ', '1000000 ')"

static void rows_come_in_stored_order_whatever_the_indexes(void **state)
{
    (void)state;
    static const char *const queries[] = {
        "SELECT age, children, town, smokes, person FROM t WHERE age > 0",
        "SELECT age, children, town, smokes, person FROM t WHERE age > 0 AND town = "
        "'Lund'",
        "SELECT age, children, town, smokes, person FROM t AS x WHERE x.age >= 3",
        "SELECT age, children, town, smokes, person FROM t -- a comment",
        "SELECT age, children, town, smokes, person FROM t /* one */ ; -- two",
        "SELECT age, children, town, smokes, person FROM t;",
        "SELECT age, children, town, smokes, person FROM t WHERE rowid > 2 OR rowid < 3",
        "SELECT age, children, town, smokes, person FROM t WHERE rowid IN (4, 3) OR "
        "rowid "
        "BETWEEN 1 AND 2 -- no search",
        "SELECT age, children, town, smokes, person FROM t WHERE rowid = 4 OR rowid = 3 "
        "AND age > 0 OR rowid <= 2;"};
    const char *path = make_database(
        TABLE
        "CREATE INDEX by_age ON t(age);"
        "CREATE INDEX cover ON t(age, children, town, smokes, person);"
        "CREATE INDEX part ON t(age) WHERE age > 0;"
        "INSERT INTO t VALUES(9, 1, 'Lund', 1, 'a', ''), (3, 1, 'Lund', 1, 'b', ''),"
        "(7, 1, 'Lund', 1, 'c', ''), (5, 1, 'Lund', 1, 'd', '');" LARGE_STATISTICS,
        NULL);
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++)
        assert_rows(path, queries[i], "9 1 0 1 a\n3 1 0 1 b\n7 1 0 1 c\n5 1 0 1 d\n");
    sotto_error error = {0};
    sot_query *query = NULL;
    sotto_schema *schema = parse_schema(schema_text);
    assert_refused(sot_query_open(path, "SELECT * FROM t INDEXED BY by_age WHERE age > 0",
                                  schema, false, &query, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "INDEXED is for indexes", NULL);
    sotto_schema_free(schema);
}

/* SQLite ignores NOT INDEXED for these tables, and every index of them has the primary key. */
static void a_table_without_rowids_is_read_by_its_key(void **state)
{
    (void)state;
    static const char *const conditions[] = {
        "",
        " WHERE age > 0",
        " WHERE age > 6 OR age < 6",
        " WHERE person > 'b' OR person < 'c'",
        " WHERE person IN ('d', 'c') OR person BETWEEN 'a' AND 'b'",
        " AS x WHERE x.person = 'd' OR x.age > 0;"};
    const char *path = make_database(
        "CREATE TABLE t(age, children, town, smokes, person, note, PRIMARY KEY(person)) "
        "WITHOUT ROWID; CREATE INDEX cover ON t(age, children, town, smokes);"
        "CREATE INDEX by_age ON t(age); CREATE INDEX part ON t(age) WHERE age > 0;"
        "INSERT INTO t VALUES(9, 1, 'Lund', 1, 'a', ''), (3, 1, 'Lund', 1, 'b', ''),"
        "(7, 1, 'Lund', 1, 'c', ''), (5, 1, 'Lund', 1, 'd', '');" LARGE_STATISTICS,
        NULL);
    for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++) {
        char query[200];
        (void)snprintf(query, sizeof query, "%s%s", all, conditions[i]);
        assert_rows(path, query, "9 1 0 1 a\n3 1 0 1 b\n7 1 0 1 c\n5 1 0 1 d\n");
    }
    (void)unlink(path);
}

/* One record that moves leaves the others in their order. */
static void a_record_that_moves_moves_no_other(void **state)
{
    (void)state;
    static const char table[] =
        "CREATE TABLE t(age PRIMARY KEY, children, town, smokes, person, note) WITHOUT "
        "ROWID; INSERT INTO t VALUES(1, 1, '', 1, 'a', ''), (%d, 1, '', 1, 'b', ''), "
        "(3, 1, '', 1, 'c', ''), (5, 1, '', 1, 'd', ''); CREATE INDEX i ON t(person);";
    char sql[400];
    (void)snprintf(sql, sizeof sql, table, 2);
    assert_rows(make_database(sql, NULL), all,
                "1 1 0 1 a\n2 1 0 1 b\n3 1 0 1 c\n5 1 0 1 d\n");
    (void)snprintf(sql, sizeof sql, table, 9);
    assert_rows(make_database(sql, NULL), all,
                "1 1 0 1 a\n3 1 0 1 c\n5 1 0 1 d\n9 1 0 1 b\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_count_as_they_would_in_a_csv),
        cmocka_unit_test(columns_may_come_in_any_order_and_be_computed),
        cmocka_unit_test(queries_that_mix_rows_or_can_fail_are_refused),
        cmocka_unit_test(files_that_are_no_database_are_refused),
        cmocka_unit_test(one_row_less_is_one_record_less_and_nothing_else),
        cmocka_unit_test(every_pass_sees_the_same_rows),
        cmocka_unit_test(prediction_does_without_target_and_ids),
        cmocka_unit_test(the_unit_is_a_stored_column),
        cmocka_unit_test(a_literal_is_not_the_unit),
        cmocka_unit_test(ids_and_categories_do_not_depend_on_the_stored_type),
        cmocka_unit_test(rows_come_in_stored_order_whatever_the_indexes),
        cmocka_unit_test(a_table_without_rowids_is_read_by_its_key),
        cmocka_unit_test(a_record_that_moves_moves_no_other),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
