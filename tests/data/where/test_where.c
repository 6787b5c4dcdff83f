/* Conditions: what they mean (SQLite's own answers), what is refused, and that their canonical form reads back. */
#include "support.h"

#include <math.h>

#include <sqlite3.h>

#include "base/memory.h"
#include "data/schemas.h"
#include "data/where/where.h"

#define LENGTH(list) (sizeof(list) / sizeof(list)[0])

static const char schema_text[] =
    "{'columns': ["
    "{'name': 'age', 'type': 'number', 'lower': 18, 'upper': 90, 'missing': 40},"
    "{'name': 'visits', 'type': 'integer', 'lower': 0, 'upper': 20},"
    "{'name': 'smokes', 'type': 'boolean'},"
    "{'name': 'town', 'type': 'category', 'values': ['Lund', 'New York', 'O\\u0027Hare', "
    "'5', 'true', 'a=b']},"
    "{'name': 'person', 'type': 'id'},"
    "{'name': 'home \\\"1\\\"', 'type': 'ignore'},"
    "{'name': 'and', 'type': 'category', 'values': ['y', 'x']}]}";

enum { AGE, VISITS, SMOKES, TOWN, PERSON, HOME, AND, COLUMNS };

typedef struct row {
    sot_value cells[COLUMNS];
} row;

static sot_value cell_of(const void *cells, size_t column)
{
    return ((const row *)cells)->cells[column];
}

static sot_value text(const char *bytes)
{
    return sot_value_of_text(bytes, strlen(bytes));
}

static sot_value number(double value)
{
    return sot_value_of_number(value);
}

static const sot_value absent = {.kind = SOT_VALUE_ABSENT};

static sot_where *where_of(const sotto_schema *schema, const char *condition)
{
    sotto_error error;
    sot_where *where = NULL;
    if (sot_where_new(condition, schema, &where, &error) != SOTTO_OK)
        fail_msg("%s: %s", condition, error.message);
    return where;
}

static sot_truth truth_of(const char *condition, const row *cells)
{
    sotto_schema *schema = schema_of(schema_text);
    sot_where *where = where_of(schema, condition);
    const sot_truth truth = sot_where_truth(where, cell_of, cells);
    assert_int_equal(sot_where_selects(where, cell_of, cells), truth == SOT_TRUE);
    sot_where_free(where);
    sotto_schema_free(schema);
    return truth;
}

/* ---- meaning ---- */

static void cells_compare_as_the_schema_says(void **state)
{
    (void)state;
    const row one = {{[AGE] = text(" 130.5 "),
                      [VISITS] = text("2.5"),
                      [SMOKES] = text("Yes"),
                      [TOWN] = text("Paris"),
                      [PERSON] = number(17.0),
                      [HOME] = text("a\"b"),
                      [AND] = text("")}};
    static const struct {
        const char *condition;
        sot_truth truth;
    } cases[] = {
        {"age > 130", SOT_TRUE}, /* not clipped to 90 */
        {"age = 90", SOT_FALSE},
        {"visits IS NULL", SOT_TRUE}, /* a fraction is malformed */
        {"visits > 0", SOT_UNKNOWN},
        {"visits > 0 OR age > 100", SOT_TRUE},
        {"visits > 0 AND age < 100", SOT_FALSE},
        {"NOT visits > 0", SOT_UNKNOWN},
        {"visits NOT IN (1, 2)", SOT_UNKNOWN},
        {"visits NOT BETWEEN 1 AND 2", SOT_UNKNOWN},
        {"visits IS NOT NULL OR smokes = true", SOT_TRUE},
        {"smokes = TRUE", SOT_TRUE},
        {"smokes = 0", SOT_FALSE},
        {"smokes != false", SOT_TRUE},
        {"town != 'Lund'", SOT_TRUE}, /* text, though no category of the schema */
        {"town > 'P' AND town < 'Q'", SOT_TRUE},
        {"town=Lund", SOT_FALSE},
        {"person = '17'", SOT_TRUE},
        {"person >= '17' AND person < '17 '", SOT_TRUE},
        {"\"home \"\"1\"\"\" = 'a\"b'", SOT_TRUE},
        {"\"and\" IS NULL", SOT_TRUE},
        {"and=x", SOT_UNKNOWN},
        {"age BETWEEN 130 AND 131 AND town <> '5'", SOT_TRUE},
        {"age between 131 and 130", SOT_FALSE},
        {"age IN (1, 1.305e2)", SOT_TRUE},
        {"NOT NOT age>-1", SOT_TRUE},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        if (truth_of(cases[i].condition, &one) != cases[i].truth)
            fail_msg("%s: %d", cases[i].condition,
                     (int)truth_of(cases[i].condition, &one));
    }
}

static void odd_cells_are_null(void **state)
{
    (void)state;
    char long_digits[SOT_VALUE_BYTES];
    memset(long_digits, '1', sizeof long_digits);
    const sot_value odd[] = {absent,
                             number(NAN),
                             number(INFINITY),
                             number(-INFINITY),
                             text(""),
                             text("  "),
                             text("nan"),
                             text("1e400"),
                             text("12 13"),
                             text("\"12\""),
                             text("\xff\xfe"),
                             {.kind = SOT_VALUE_TEXT, .text = "1\0", .size_bytes = 2},
                             sot_value_of_text(long_digits, sizeof long_digits)};
    for (size_t i = 0; i < LENGTH(odd); i++) {
        const row one = {{[AGE] = odd[i], [VISITS] = odd[i], [SMOKES] = odd[i]}};
        assert_int_equal(truth_of("age IS NULL", &one), SOT_TRUE);
        assert_int_equal(truth_of("age = 40", &one), SOT_UNKNOWN); /* the missing value */
        assert_int_equal(truth_of("visits != 3", &one), SOT_UNKNOWN);
        assert_int_equal(truth_of("smokes IS NOT NULL", &one), SOT_FALSE);
    }
}

static void texts_compare_byte_for_byte(void **state)
{
    (void)state;
    row one = {{[PERSON] = {.kind = SOT_VALUE_TEXT, .text = "p\0q", .size_bytes = 3}}};
    assert_int_equal(truth_of("person = 'p'", &one), SOT_FALSE);
    assert_int_equal(truth_of("person > 'p' AND person < 'p!'", &one), SOT_TRUE);
    one.cells[PERSON] = text("\xff");
    assert_int_equal(truth_of("person > 'zzz'", &one), SOT_TRUE);
    one.cells[PERSON] = text("P1");
    assert_int_equal(truth_of("person = 'p1'", &one), SOT_FALSE);
    one.cells[PERSON] = text("");
    assert_int_equal(truth_of("person IS NULL", &one), SOT_TRUE);
    one.cells[PERSON] = number(0.1);
    assert_int_equal(truth_of("person = '0.1'", &one), SOT_TRUE);
}

/* Claim 3: of a cell the first bytes decide, one more than a literal can have. */
static void a_longer_text_is_decided_by_its_first_bytes(void **state)
{
    (void)state;
    char literal[256], cell[1024], condition[400];
    memset(literal, 'q', 255);
    literal[255] = '\0';
    memset(cell, 'q', sizeof cell);
    for (size_t size = 254; size <= 1024; size += size < 258 ? 1 : 100) {
        static const char *const signs[] = {"=", "!=", "<", "<=", ">", ">="};
        for (size_t i = 0; i < LENGTH(signs); i++) {
            (void)snprintf(condition, sizeof condition, "person %s '%s'", signs[i],
                           literal);
            row whole = {
                {[PERSON] = {.kind = SOT_VALUE_TEXT, .text = cell, .size_bytes = size}}};
            const sot_truth truth = truth_of(condition, &whole);
            if (whole.cells[PERSON].size_bytes > 256)
                whole.cells[PERSON].size_bytes = 256;
            assert_int_equal(truth_of(condition, &whole), truth);
        }
    }
}

/* ---- refusals ---- */

static void what_is_no_condition_is_refused_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *condition, *words;
    } cases[] = {
        {"", "byte 1, the end of the condition: a column of the schema"},
        {"smokes", "byte 7, the end of the condition: a comparison"},
        {"((age)) > 1", "byte 6, ')': a comparison"},
        {"weight > 5", "byte 1, 'weight': the schema has no column"},
        {"Age > 5", "byte 1, 'Age': the schema has no column"},
        {"age > 'x'", "byte 7, ''x'': the column holds numbers"},
        {"age > true", "byte 7, 'true': the column holds numbers"},
        {"age > 1e999", "beyond the range"},
        {"age > 18years", "byte 7, '18years': it is no decimal number"},
        {"age > 1.2.3", "it is no decimal number"},
        {"age > town", "the column holds numbers"},
        {"age = NULL", "byte 7, 'NULL': nothing is equal to NULL"},
        {"age == 5", "byte 6, '=': the column holds numbers"},
        {"smokes = 2", "byte 10, '2': the column is a boolean"},
        {"smokes = 'yes'", "the column is a boolean"},
        {"town = 5 OR age > 1", "byte 8, '5': the column holds texts"},
        {"town = Lund AND age > 1", "byte 8, 'Lund': the column holds texts"},
        {"town = 'Lnd'", "byte 8, ''Lnd'': the schema's column has no such category"},
        {"town IN ('Lund', 'x')", "no such category"},
        {"person = ''", "an empty cell is null"},
        {"town LIKE 'L%'", "conditions have no LIKE"},
        {"town NOT LIKE 'L%'", "conditions have no LIKE"},
        {"town = 'Lund", "the quotes do not end"},
        {"\"town = 'Lund'", "the quotes do not end"},
        {"age > 5 age < 6", "byte 9, 'age': AND or OR"},
        {"(age > 5", "byte 1, '(': the parenthesis is not closed"},
        {"(age > 5 age", "AND, OR or )"},
        {"age > 5)", "byte 8, ')': AND or OR"},
        {"age IN 5", "IN needs a list"},
        {"age IN ()", "byte 9, ')': the column holds numbers"},
        {"age IN (5", "IN needs a list"},
        {"age BETWEEN 1 OR 2", "BETWEEN needs two bounds"},
        {"age NOT > 5", "NOT is followed by IN or BETWEEN"},
        {"age IS 5", "IS takes NULL"},
        {"age IS NOT 5", "IS takes NULL"},
        {"age > 5; DROP TABLE t", "byte 8, ';': AND or OR"},
        {"age > 5 -- comment", "AND or OR"},
        {"and = 'x'", "byte 1, 'and': a column of the schema is expected"},
        {"5 < age", "a column of the schema is expected"},
        {"age + 1 > 5", "a comparison is expected"},
        {"abs(age) > 5", "the schema has no column"},
    };
    sotto_schema *schema = schema_of(schema_text);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        sotto_error error = {0};
        sot_where *where = NULL;
        assert_int_equal(sot_where_new(cases[i].condition, schema, &where, &error),
                         SOTTO_INVALID_ARGUMENT);
        if (strstr(error.message, cases[i].words) == NULL)
            fail_msg("%s: %s", cases[i].condition, error.message);
    }
    sotto_schema_free(schema);
}

static void length_and_depth_have_limits(void **state)
{
    (void)state;
    sotto_error error;
    sot_where *where = NULL;
    char condition[SOT_WHERE_BYTES_MAX + 64];
    sotto_schema *schema = schema_of(schema_text);
    for (size_t depth = SOT_WHERE_DEPTH_MAX; depth <= SOT_WHERE_DEPTH_MAX + 1; depth++) {
        for (int kind = 0; kind < 3; kind++) {
            /* The deepest stack: every level holds back an OR and an AND. */
            static const char *const opening[] = {"(", "NOT ", "age=1 OR age=2 AND ("};
            condition[0] = '\0';
            for (size_t i = 0; i < depth; i++)
                strcat(condition, opening[kind]);
            strcat(condition, "age=3");
            for (size_t i = 0; i < depth && kind != 1; i++)
                strcat(condition, ")");
            const sotto_status status = sot_where_new(condition, schema, &where, &error);
            if (depth > SOT_WHERE_DEPTH_MAX) {
                assert_int_equal(status, SOTTO_INVALID_ARGUMENT);
                assert_non_null(strstr(error.message, "more than 32"));
                continue;
            }
            assert_ok(status, &error);
            const row one = {{[AGE] = number(3.0)}};
            (void)sot_where_truth(where, cell_of, &one);
            sot_where_free(where);
        }
    }
    memset(condition, ' ', sizeof condition);
    memcpy(condition, "age=3", 5);
    condition[SOT_WHERE_BYTES_MAX] = '\0';
    assert_ok(sot_where_new(condition, schema, &where, &error), &error);
    sot_where_free(where);
    condition[SOT_WHERE_BYTES_MAX] = ' ';
    condition[SOT_WHERE_BYTES_MAX + 1] = '\0';
    assert_int_equal(sot_where_new(condition, schema, &where, &error),
                     SOTTO_INVALID_ARGUMENT);
    sotto_schema_free(schema);
}

/* ---- the old form ---- */

static void the_old_form_keeps_its_meaning(void **state)
{
    (void)state;
    static const struct {
        const char *old, *canonical;
    } cases[] = {
        {"town=Lund", "town = 'Lund'"},
        {"town=New York", "town = 'New York'"},
        {"town=O'Hare", "town = 'O''Hare'"},
        {"town=5", "town = '5'"},
        {"town=true", "town = 'true'"},
        {"town=a=b", "town = 'a=b'"},
        {"town='Lund'", "town = 'Lund'"},
        {"smokes=true", "smokes = TRUE"},
        {"smokes=0", "smokes = FALSE"},
        {"visits=5", "visits = 5"},
        {"visits=5e0", "visits = 5"},
        {"visits=21", "visits = 21"}, /* beyond the bounds: the grammar */
        {"age=40", "age = 40"},
        {"and=x", "\"and\" = 'x'"},
    };
    sotto_schema *schema = schema_of(schema_text);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        sot_where *where = where_of(schema, cases[i].old);
        assert_string_equal(sot_where_text(where), cases[i].canonical);
        sot_where_free(where);
    }
    sotto_schema_free(schema);
}

/* A schema could make the old form of a canonical one. */
static void two_readings_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sot_where *where = NULL;
    sotto_schema *schema =
        schema_of("{'columns': [{'name': '\\u0022a', 'type': 'category', 'values': "
                  "['b\\u0022 = \\u0027x\\u0027']}, {'name': 'a=b', 'type': 'category', "
                  "'values': ['x', 'b']}]}");
    assert_int_equal(sot_where_new(" \"a=b\" = 'x'", schema, &where, &error),
                     SOTTO_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "could also mean COLUMN=VALUE"));
    sotto_schema_free(schema);
}

static void several_conditions_must_all_hold(void **state)
{
    (void)state;
    sotto_error error;
    sot_where *where = NULL;
    sotto_schema *schema = schema_of(schema_text);
    const char *const both[] = {"town=Lund", "age < 30 OR age > 60", NULL};
    assert_ok(sot_where_new_all(both, schema, &where, &error), &error);
    assert_string_equal(sot_where_text(where),
                        "(town = 'Lund') AND (age < 30 OR age > 60)");
    row one = {{[AGE] = number(70.0), [TOWN] = text("Lund")}};
    assert_int_equal(sot_where_truth(where, cell_of, &one), SOT_TRUE);
    one.cells[TOWN] = text("lund");
    assert_int_equal(sot_where_truth(where, cell_of, &one), SOT_FALSE);
    assert_true(sot_where_tests(where, AGE) && sot_where_tests(where, TOWN));
    assert_false(sot_where_tests(where, VISITS));
    sot_where_free(where);
    sotto_schema_free(schema);
}

/* ---- SQLite's answers to generated conditions ---- */

/* Types agree: every cell is NULL or of its column's type. */
static const char oracle_schema[] =
    "{'columns': ["
    "{'name': 'n', 'type': 'number', 'lower': -1, 'upper': 1},"
    "{'name': 'i', 'type': 'integer', 'lower': 0, 'upper': 2},"
    "{'name': 'b', 'type': 'boolean'},"
    "{'name': 'c', 'type': 'category', 'values': ['x', 'yy', 'Z']},"
    "{'name': 't', 'type': 'ignore'}]}";
enum { ORACLE_COLUMNS = 5, ORACLE_ROWS = 60, ORACLE_CONDITIONS = 3000 };
static const char *const oracle_names = "nibct";
static const char *const literals[ORACLE_COLUMNS][6] = {
    {"0", "-1.5", "2e0", "0.1", "+3", "1e300"},
    {"0", "1", "2", "-3", "5", "1.5"},
    {"TRUE", "false", "0", "1", "true", "FALSE"},
    {"'x'", "'yy'", "'Z'", "'x'", "'yy'", "'Z'"},
    {"'x'", "'it''s'", "' '", "'xx'", "'\xc3\xa4'", "'X'"},
};

static uint64_t seed = 20261118;
static size_t below(size_t size)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(seed >> 33) % size;
}

static void append(char *out, const char *word)
{
    /* Blanks come and go where they may. */
    if (out[0] != '\0') strcat(out, below(4) == 0 ? "\t" : " ");
    strcat(out, word);
}

static void generate(char *out, size_t depth)
{
    static const char *const signs[] = {"=", "!=", "<>", "<", "<=", ">", ">="};
    const size_t kind = below(depth > 3 ? 4 : 8);
    if (kind >= 4) {
        if (kind == 7) append(out, below(2) == 0 ? "NOT" : "not");
        const bool grouped = kind == 7 || below(2) == 0;
        if (grouped) append(out, "(");
        generate(out, depth + 1);
        if (kind != 7) {
            append(out, below(2) == 0 ? "AND" : "OR");
            generate(out, depth + 1);
        }
        if (grouped) append(out, ")");
        return;
    }
    const size_t column = below(ORACLE_COLUMNS);
    const char bare[] = {oracle_names[column], '\0'};
    const char quoted[] = {'"', oracle_names[column], '"', '\0'};
    append(out, below(3) == 0 ? quoted : bare);
    if (kind == 0) {
        append(out, "IS");
        if (below(2) == 0) append(out, "NOT");
        append(out, "NULL");
    } else if (kind == 1) {
        append(out, signs[below(LENGTH(signs))]);
        append(out, literals[column][below(6)]);
    } else {
        if (below(2) == 0) append(out, "NOT");
        append(out, kind == 2 ? "IN (" : "BETWEEN");
        append(out, literals[column][below(6)]);
        for (size_t more = below(3); kind == 2 && more > 0; more--) {
            append(out, ",");
            append(out, literals[column][below(6)]);
        }
        if (kind == 3) append(out, "AND");
        append(out, kind == 3 ? literals[column][below(6)] : ")");
    }
}

static sot_value oracle_cells[ORACLE_ROWS][ORACLE_COLUMNS];

static sot_value oracle_cell(const void *cells, size_t column)
{
    return ((const sot_value *)cells)[column];
}

static void fill_oracle(sqlite3 *database)
{
    static const double numbers[] = {0.0, -1.5, 2.0, 0.1, 1e300, -7.25};
    static const char *const texts[] = {"x", "yy", "Z", "it's", "x y", "\xc3\xa4", "xx"};
    sqlite3_stmt *insert = NULL;
    assert_int_equal(
        sqlite3_exec(database, "CREATE TABLE t(n, i, b, c, t)", NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(database, "INSERT INTO t VALUES(?1,?2,?3,?4,?5)",
                                        -1, &insert, NULL),
                     SQLITE_OK);
    for (size_t i = 0; i < ORACLE_ROWS; i++) {
        sot_value *cells = oracle_cells[i];
        cells[0] = number(numbers[below(LENGTH(numbers))]);
        cells[1] = number((double)below(7) - 3.0);
        cells[2] = number((double)below(2));
        cells[3] = text(texts[below(3)]);
        cells[4] = text(texts[below(LENGTH(texts))]);
        (void)sqlite3_reset(insert);
        for (int j = 0; j < ORACLE_COLUMNS; j++) {
            if (below(5) == 0) cells[j] = absent;
            if (cells[j].kind == SOT_VALUE_ABSENT)
                (void)sqlite3_bind_null(insert, j + 1);
            else if (cells[j].kind == SOT_VALUE_NUMBER)
                (void)sqlite3_bind_double(insert, j + 1, cells[j].number);
            else
                (void)sqlite3_bind_text(insert, j + 1, cells[j].text, -1, SQLITE_STATIC);
        }
        assert_int_equal(sqlite3_step(insert), SQLITE_DONE);
    }
    (void)sqlite3_finalize(insert);
}

static void compare_with_sqlite(sqlite3 *database, const sot_where *where,
                                const char *condition)
{
    char sql[SOT_WHERE_BYTES_MAX];
    sqlite3_stmt *select = NULL;
    (void)snprintf(sql, sizeof sql, "SELECT (%s) FROM t ORDER BY rowid", condition);
    if (sqlite3_prepare_v2(database, sql, -1, &select, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(database));
    for (size_t i = 0; i < ORACLE_ROWS; i++) {
        assert_int_equal(sqlite3_step(select), SQLITE_ROW);
        const sot_truth theirs = sqlite3_column_type(select, 0) == SQLITE_NULL
                                     ? SOT_UNKNOWN
                                 : sqlite3_column_int(select, 0) != 0 ? SOT_TRUE
                                                                      : SOT_FALSE;
        const sot_truth ours = sot_where_truth(where, oracle_cell, oracle_cells[i]);
        if (ours != theirs)
            fail_msg("%s, row %zu: %d, SQLite %d", condition, i, (int)ours, (int)theirs);
    }
    (void)sqlite3_finalize(select);
}

/* Parsed again, the canonical form is the same text and has the same answers. */
static void compare_with_canonical(const sotto_schema *schema, const sot_where *where)
{
    sot_where *again = where_of(schema, sot_where_text(where));
    assert_string_equal(sot_where_text(again), sot_where_text(where));
    for (size_t i = 0; i < ORACLE_ROWS; i++)
        assert_int_equal(sot_where_truth(again, oracle_cell, oracle_cells[i]),
                         sot_where_truth(where, oracle_cell, oracle_cells[i]));
    sot_where_free(again);
}

static void generated_conditions_mean_what_sqlite_says(void **state)
{
    (void)state;
    sqlite3 *database = NULL;
    sotto_schema *schema = schema_of(oracle_schema);
    assert_int_equal(sqlite3_open(":memory:", &database), SQLITE_OK);
    fill_oracle(database);
    for (size_t i = 0; i < ORACLE_CONDITIONS; i++) {
        char condition[SOT_WHERE_BYTES_MAX] = "";
        generate(condition, 0);
        if (strlen(condition) > SOT_WHERE_BYTES_MAX / 2) continue;
        sot_where *where = where_of(schema, condition);
        compare_with_sqlite(database, where, condition);
        compare_with_sqlite(database, where, sot_where_text(where));
        compare_with_canonical(schema, where);
        sot_where_free(where);
    }
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
    sotto_schema_free(schema);
}

/* Every test of one column, every cell, every literal. */
static void single_tests_mean_what_sqlite_says(void **state)
{
    (void)state;
    static const char *const tests[] = {"%c = %s",
                                        "%c != %s",
                                        "%c < %s",
                                        "%c <= %s",
                                        "%c > %s",
                                        "%c >= %s",
                                        "%c IN (%s)",
                                        "%c NOT IN (%s)",
                                        "%c BETWEEN %s AND %s",
                                        "%c NOT BETWEEN %s AND %s"};
    sqlite3 *database = NULL;
    sotto_schema *schema = schema_of(oracle_schema);
    assert_int_equal(sqlite3_open(":memory:", &database), SQLITE_OK);
    fill_oracle(database);
    for (size_t column = 0; column < ORACLE_COLUMNS; column++) {
        for (size_t i = 0; i < LENGTH(tests); i++) {
            for (size_t pair = 0; pair < 36; pair++) {
                char condition[128];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
                (void)snprintf(condition, sizeof condition, tests[i],
                               oracle_names[column], literals[column][pair % 6],
                               literals[column][pair / 6]);
#pragma GCC diagnostic pop
                sot_where *where = where_of(schema, condition);
                compare_with_sqlite(database, where, condition);
                compare_with_canonical(schema, where);
                sot_where_free(where);
            }
        }
    }
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
    sotto_schema_free(schema);
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = schema_of(schema_text);
    for (size_t nth = 1; nth < 100; nth++) {
        sot_where *where = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sot_where_new("age > 5 AND town IN ('Lund')", schema, &where, &error);
        (void)sot_test_fail_allocation(0);
        sot_where_free(where);
        if (status == SOTTO_OK) break;
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    sotto_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_compare_as_the_schema_says),
        cmocka_unit_test(odd_cells_are_null),
        cmocka_unit_test(texts_compare_byte_for_byte),
        cmocka_unit_test(a_longer_text_is_decided_by_its_first_bytes),
        cmocka_unit_test(what_is_no_condition_is_refused_with_its_place),
        cmocka_unit_test(length_and_depth_have_limits),
        cmocka_unit_test(the_old_form_keeps_its_meaning),
        cmocka_unit_test(two_readings_are_refused),
        cmocka_unit_test(several_conditions_must_all_hold),
        cmocka_unit_test(generated_conditions_mean_what_sqlite_says),
        cmocka_unit_test(single_tests_mean_what_sqlite_says),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
