/* Queries that SQLite must not answer in its own way: conditions that fail on a row, names that are not the unit's,
 * orders that depend on the records. */
#include "data/files.h"

#include <sqlite3.h>

#include "data/readers/sqlite/query.h"

static const char schema_text[] =
    "{\"unit\": {\"column\": \"rowid\", \"rows\": 2}, \"columns\": ["
    "{\"name\": \"pa\", \"type\": \"number\", \"lower\": 0, \"upper\": 120},"
    "{\"name\": \"x\", \"type\": \"number\", \"lower\": -9, \"upper\": 9},"
    "{\"name\": \"rowid\", \"type\": \"id\"},"
    "{\"name\": \"note\", \"type\": \"ignore\"}]}";

static char path[160];

static void make_database(const char *sql)
{
    sqlite3 *database = NULL;
    char *message = NULL;
    (void)snprintf(path, sizeof path, "/tmp/sotto_query_scan_%ld.db", (long)getpid());
    (void)unlink(path);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

static sotto_status open_query(const char *text, sotto_schema **out_schema,
                               sot_query **out_query, sotto_error *error)
{
    *out_schema = parse_schema(schema_text);
    const sotto_status status =
        sot_query_open(path, text, *out_schema, false, out_query, error);
    if (status != SOTTO_OK) sotto_schema_free(*out_schema);
    return status;
}

static void expect_refused(const char *text, const char *word)
{
    sotto_error error = {0};
    sotto_schema *schema = NULL;
    sot_query *query = NULL;
    const sotto_status status = open_query(text, &schema, &query, &error);
    if (status == SOTTO_OK || strstr(error.message, word) == NULL)
        fail_msg("%s: %d %s", text, (int)status, error.message);
    assert_int_equal(status, SOTTO_INVALID_ARGUMENT);
}

/* The second column of every row, in order. */
static size_t read_all(const char *text, double *out_x, size_t room)
{
    sotto_error error = {0};
    sotto_schema *schema = NULL;
    sot_query *query = NULL;
    double cells[4];
    bool more = true;
    size_t count = 0;
    assert_ok(open_query(text, &schema, &query, &error), &error);
    while (more) {
        assert_ok(sot_query_next(query, cells, &more, &error), &error);
        assert_true(!more || count < room);
        if (more) out_x[count++] = cells[1];
    }
    sot_query_close(query);
    sotto_schema_free(schema);
    return count;
}

#define TABLE "CREATE TABLE t(pa, x, rowid TEXT, note);"

static void a_pattern_is_one_literal_and_nothing_continues_it(void **state)
{
    (void)state;
    make_database(TABLE "INSERT INTO t VALUES(1, 2, 'p', 'n')");
    static const char *const refused[] = {
        "SELECT * FROM t WHERE 'a' LIKE 'b' ESCAPE '0' + x",
        "SELECT * FROM t WHERE rowid <> 'p' OR 'a' LIKE 'b' ESCAPE '0' + 10*(x > 5)",
        "SELECT * FROM t WHERE 'a' LIKE 'b' ESCAPE '0' * x",
        "SELECT * FROM t WHERE 'a' LIKE 'b' ESCAPE '0' COLLATE nocase",
        "SELECT * FROM t WHERE 'a' LIKE 'b' ESCAPE/**/'0'/**/- x",
        "SELECT * FROM t WHERE 'a' LIKE 'b' + x",
        "SELECT * FROM t WHERE 'a' GLOB 'b' % x",
        "SELECT pa LIKE 'b' ESCAPE '0' / x AS pa, x, rowid FROM t"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        expect_refused(refused[i], "continues a pattern");
    double x[2];
    assert_int_equal(read_all("SELECT * FROM t WHERE (note LIKE 'n!%' ESCAPE '!') + 1 "
                              "AND CASE WHEN note GLOB 'n' THEN 1 ELSE 0 END",
                              x, 2),
                     1);
    (void)unlink(path);
}

static void the_condition_stays_one_expression(void **state)
{
    (void)state;
    make_database(TABLE "INSERT INTO t VALUES(1, 2, 'p', 'n'), (3, 4, 'q', 'n')");
    expect_refused("SELECT * FROM t WHERE x = 1) OR (1 = 1", "closes no parenthesis");
    expect_refused("SELECT * FROM t WHERE (x = 1", "comes before a closing parenthesis");
    expect_refused("SELECT (pa AS pa, x, rowid FROM t", "comes before a closing");
    double x[4];
    assert_int_equal(read_all("SELECT * FROM t WHERE x = 4 -- and no more", x, 4), 1);
    assert_int_equal(read_all("SELECT * FROM t /* all */ WHERE -- those\n x = 4 ;", x, 4),
                     1);
    assert_true(x[0] == 4.0);
    (void)unlink(path);
}

/* SQLite reports _rowid_ and oid as "rowid", and a word may be a literal. */
static void another_name_is_not_the_unit(void **state)
{
    (void)state;
    make_database(TABLE "INSERT INTO t VALUES(1, 2, 'p', 'n')");
    expect_refused("SELECT _rowid_, pa, x FROM t", "schema's unit");
    expect_refused("SELECT oid, pa, x FROM t", "schema's unit");
    expect_refused("SELECT t.oid, pa, x FROM t", "schema's unit");
    expect_refused("SELECT \"_rowid_\", pa, x FROM t", "schema's unit");
    double x[2];
    assert_int_equal(read_all("SELECT rowid, pa, x FROM t", x, 2), 1);
    assert_int_equal(read_all("SELECT \"ROWID\", pa, x FROM t", x, 2), 1);
    assert_int_equal(read_all("SELECT main.t.[rowid], pa, x FROM t", x, 2), 1);
    (void)unlink(path);
}

static void a_unit_that_is_called_true_is_not_a_literal(void **state)
{
    (void)state;
    static const char text[] =
        "{\"unit\": {\"column\": \"true\", \"rows\": 1}, \"columns\": [{\"name\": "
        "\"true\", \"type\": \"id\"}, {\"name\": \"x\", \"type\": \"number\", "
        "\"lower\": 0, \"upper\": 1}]}";
    sotto_error error = {0};
    sot_query *query = NULL;
    sotto_schema *schema = parse_schema(text);
    make_database("CREATE TABLE t(\"true\", x)");
    assert_refused(
        sot_query_open(path, "SELECT true, x FROM t", schema, false, &query, &error),
        SOTTO_INVALID_ARGUMENT, &error, "schema's unit", NULL);
    assert_ok(
        sot_query_open(path, "SELECT \"true\", x FROM t", schema, false, &query, &error),
        &error);
    sot_query_close(query);
    sotto_schema_free(schema);
    (void)unlink(path);
}

/* A planner that finds rows by the primary key, because of statistics of the records, would give them in another
 * order: the rows come as they are stored. */
static void rows_come_in_stored_order_whatever_the_condition(void **state)
{
    (void)state;
    static const char *const conditions[] = {
        "(pa = 8 AND x > -3) OR (pa = 2 AND x > -3)", "pa IN (8, 2)", "pa >= 2",
        "pa = 8 OR pa = 2", "pa BETWEEN 2 AND 8 AND pb > 0"};
    make_database(
        "CREATE TABLE t(pa, pb, x, rowid TEXT, PRIMARY KEY(pa, pb)) WITHOUT ROWID;"
        "INSERT INTO t VALUES(8, 1, 4, 'a'), (2, 1, 1, 'b'), (8, 2, 5, 'c'),"
        "(2, 2, 2, 'd'), (2, 3, 3, 'e'); ANALYZE");
    for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++) {
        char text[200];
        double x[8];
        (void)snprintf(text, sizeof text, "SELECT pa, x, rowid FROM t WHERE %s",
                       conditions[i]);
        const size_t count = read_all(text, x, 8);
        assert_int_equal(count, 5);
        for (size_t j = 0; j < count; j++)
            assert_true(x[j] == (double)j + 1.0);
    }
    (void)unlink(path);
}

static void texts_are_in_utf_8_and_no_function_reads_the_clock(void **state)
{
    (void)state;
    make_database("PRAGMA encoding = 'UTF-16'; " TABLE);
    expect_refused("SELECT * FROM t", "UTF-16");
    make_database(TABLE);
    expect_refused("SELECT * FROM t WHERE julianday('now') > x", "julianday");
    expect_refused("SELECT * FROM t WHERE date(note) > x", "date");
    (void)unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_is_one_literal_and_nothing_continues_it),
        cmocka_unit_test(the_condition_stays_one_expression),
        cmocka_unit_test(another_name_is_not_the_unit),
        cmocka_unit_test(a_unit_that_is_called_true_is_not_a_literal),
        cmocka_unit_test(rows_come_in_stored_order_whatever_the_condition),
        cmocka_unit_test(texts_are_in_utf_8_and_no_function_reads_the_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
