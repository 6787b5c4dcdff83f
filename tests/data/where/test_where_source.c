/* Conditions and tables at the source: the same rows are selected in every format, and what cannot be selected is refused
 * before a row is read. */
#include "support.h"

#include <sqlite3.h>

#include "data/schemas.h"
#include "data/source/source.h"

#define LENGTH(list) (sizeof(list) / sizeof(list)[0])

static const char schema_text[] =
    "{'target': 'smokes', 'columns': ["
    "{'name': 'serial', 'type': 'integer', 'lower': 0, 'upper': 100},"
    "{'name': 'age', 'type': 'number', 'lower': 18, 'upper': 90, 'missing': 40},"
    "{'name': 'town', 'type': 'category', 'values': ['Lund', 'Ystad'], 'missing': "
    "'Lund'},"
    "{'name': 'person', 'type': 'id'},"
    "{'name': 'note', 'type': 'ignore'},"
    "{'name': 'smokes', 'type': 'boolean'}]}";

/* The same cells for every format; "" is a missing one. */
static const char *const cells[][6] = {
    {"0", "44.5", "Lund", "p1", "a", "yes"},  {"1", "130", "Ystad", "p2", "b c", "no"},
    {"2", "", "Lund", "p3", "", "yes"},       {"3", "forty", "Kivik", "p1", "it's", ""},
    {"4", "90", "", "", "\xff", "no"},        {"5", "nan", "Ystad", "p9", "a", "maybe"},
    {"6", "1e999", "lund", "p10", "aa", "1"}, {"7", "17.5", "Lund", "P1", "a", "false"},
};
enum { ROWS = sizeof cells / sizeof cells[0], COLUMNS = 6 };
static const char *const names[] = {"serial", "age", "town", "person", "note", "smokes"};

static const struct {
    const char *condition, *rows;
} cases[] = {
    {"age > 0", "0147"},
    {"age = 40", ""},
    {"age = 90", "4"},
    {"age >= 90", "14"},
    {"age IS NULL", "2356"},
    {"NOT age > 50", "07"},
    {"town = 'Lund'", "027"},
    {"town=Lund", "027"},
    {"town != 'Lund'", "1356"},
    {"town IS NULL OR person IS NULL", "4"},
    {"person = 'p1'", "03"},
    {"person BETWEEN 'p1' AND 'p2'", "0136"},
    {"note IN ('a', 'b c')", "0157"},
    {"note > 'b'", "134"},
    {"note = 'it''s'", "3"},
    {"smokes = TRUE", "026"},
    {"smokes = FALSE AND age < 50", "7"},
    {"smokes IS NULL", "35"},
    {"serial IN (1, 3) OR age < 18", "137"},
    {"serial BETWEEN 0 AND 100", "01234567"},
    {"serial > 100", ""},
};

/* ---- storage ---- */

static void write_csv(FILE *file, bool is_long)
{
    for (size_t i = 0; i < COLUMNS; i++)
        fprintf(file, "%s%s", i == 0 ? "" : ",", names[i]);
    for (size_t i = 0; i < ROWS; i++) {
        fputc('\n', file);
        for (size_t j = 0; j < COLUMNS; j++)
            fprintf(file, "%s%s", j == 0 ? "" : ",", cells[i][j]);
        if (is_long) fprintf(file, ",%2200000s", "x"); /* beyond what is kept of a line */
    }
    fputc('\n', file);
}

static void run_sql(sqlite3 *database, const char *sql)
{
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(database));
}

static void write_database(const char *path)
{
    sqlite3 *database = NULL;
    sqlite3_stmt *insert = NULL;
    (void)unlink(path);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    run_sql(
        database,
        "PRAGMA synchronous = OFF; CREATE TABLE \"the \"\"rows\"\"\"(extra, note, "
        "smokes, town, age, person, serial INTEGER);"
        "CREATE INDEX by_age ON \"the \"\"rows\"\"\"(age DESC);"
        "CREATE VIEW seen AS SELECT * FROM \"the \"\"rows\"\"\" LIMIT 3;"
        "CREATE TABLE computed(serial, age, town, person, note, smokes, twice AS (2 * "
        "serial));"
        "CREATE TABLE few(serial, age, town, person, smokes);"
        "CREATE TABLE none(x);"
        "CREATE VIRTUAL TABLE words USING fts5(serial, age, town, person, note, "
        "smokes)");
    assert_int_equal(
        sqlite3_prepare_v2(database,
                           "INSERT INTO \"the \"\"rows\"\"\"(serial, age, town, person, "
                           "note, smokes) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
                           -1, &insert, NULL),
        SQLITE_OK);
    for (size_t i = 0; i < ROWS; i++) {
        (void)sqlite3_reset(insert);
        for (int j = 0; j < COLUMNS; j++) {
            const char *cell = cells[i][j];
            /* NULL and the empty text are the same. */
            if (cell[0] == '\0' && i % 2 == 0) {
                (void)sqlite3_bind_null(insert, j + 1);
            } else if (j == 1 && strcmp(cell, "130") == 0) {
                (void)sqlite3_bind_double(insert, j + 1, 130.0);
            } else if (j == 1 && strcmp(cell, "1e999") == 0) {
                (void)sqlite3_bind_double(insert, j + 1, HUGE_VAL);
            } else if (j == 1 && strcmp(cell, "nan") == 0) {
                (void)sqlite3_bind_blob(insert, j + 1, "50", 2, SQLITE_STATIC);
            } else {
                (void)sqlite3_bind_text(insert, j + 1, cell, -1, SQLITE_STATIC);
            }
        }
        assert_int_equal(sqlite3_step(insert), SQLITE_DONE);
    }
    (void)sqlite3_finalize(insert);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

/* ---- reading ---- */

static void read_serials(sot_source *source, char *out)
{
    sotto_error error;
    bool more = true;
    size_t count = 0;
    while (more) {
        sot_record record;
        assert_ok(sot_source_next(source, &record, &more, &error), &error);
        if (more) out[count++] = (char)('0' + (int)record.cells[0]);
    }
    out[count] = '\0';
}

/* Twice: the second pass selects the same rows. */
static void expect_rows(const sotto_data_file *file, const sotto_schema *schema,
                        const char *rows)
{
    sotto_error error;
    sot_source *source = NULL;
    char serials[ROWS + 1];
    assert_ok(sot_source_open(file, schema, false, &source, &error), &error);
    read_serials(source, serials);
    if (strcmp(serials, rows) != 0)
        fail_msg("%s, %s: %s instead of %s", file->path, file->where, serials, rows);
    assert_int_equal(sot_origin_of_file(file), SOT_ROWS_SELECTED);
    assert_ok(sot_source_rewind(source, &error), &error);
    read_serials(source, serials);
    assert_string_equal(serials, rows);
    sot_source_close(source);
}

static void the_same_rows_are_selected_in_every_format(void **state)
{
    (void)state;
    char paths[3][64];
    sotto_schema *schema = schema_of(schema_text);
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(paths[i], sizeof paths[i], "where_%ld_%zu.csv", (long)getpid(), i);
        FILE *file = fopen(paths[i], "wb");
        assert_non_null(file);
        write_csv(file, i == 1);
        assert_int_equal(fclose(file), 0);
    }
    (void)snprintf(paths[2], sizeof paths[2], "where_%ld.db", (long)getpid());
    write_database(paths[2]);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        sotto_data_file file = {.path = paths[0], .where = cases[i].condition};
        expect_rows(&file, schema, cases[i].rows);
        if (i % 5 == 0) {
            file.path = paths[1];
            expect_rows(&file, schema, cases[i].rows);
        }
        file.path = paths[2];
        file.table = "the \"rows\"";
        expect_rows(&file, schema, cases[i].rows);
        file.table = NULL;
        file.query = "SELECT serial, age, town, person, note, smokes FROM \"the "
                     "\"\"rows\"\"\"";
        expect_rows(&file, schema, cases[i].rows);
    }
    for (size_t i = 0; i < 3; i++)
        (void)unlink(paths[i]);
    sotto_schema_free(schema);
}

/* A number is the same to a condition as to the encoding, however the dialect writes it. */
static void dialects_select_the_same_rows(void **state)
{
    (void)state;
    static const struct {
        const char *name, *format, *text;
    } files[] = {
        {"comma.csv", "csv-decimal-comma",
         "serial;age;town;person;note;smokes\n1;44,5;Lund;p1;1,5;yes\n2;44.5;Lund;p1;1.5;"
         "yes\n"},
        {"lines.jsonl", NULL,
         "{\"serial\": 1, \"age\": 44.5, \"town\": \"Lund\", \"note\": \"1,5\"}\n"
         "{\"serial\": 2, \"age\": \"forty\", \"note\": \"1.5\"}\n{broken\n"},
    };
    sotto_schema *schema = schema_of(schema_text);
    for (size_t i = 0; i < LENGTH(files); i++) {
        sotto_data_file file = {.path = write_file(files[i].name, files[i].text),
                                .format = files[i].format,
                                .where = "age = 44.5"};
        expect_rows(&file, schema, "1");
        file.where = "note = '1,5'";
        expect_rows(&file, schema, "1");
        file.where = "age IS NULL AND note = '1.5'";
        expect_rows(&file, schema, "2");
        (void)unlink(file.path);
    }
    sotto_schema_free(schema);
}

/* Blanks around a text are no part of it: the encoding, a condition and a unit see the same cell in every format. */
static void blanks_around_a_text_do_not_count(void **state)
{
    (void)state;
    static const char rows[] = "INSERT INTO t VALUES(1, ' Lund', 'p1\t', ' '), "
                               "(2, 'Lund ', ' p1', ' a b ')";
    static const char *const conditions[] = {"town = 'Lund'", "person = 'p1'",
                                             "note IS NULL OR note = 'a b'"};
    sotto_error error;
    sqlite3 *database = NULL;
    sotto_schema *schema = schema_of(
        "{'unit': {'column': 'person', 'rows': 1}, 'columns': ["
        "{'name': 'serial', 'type': 'integer', 'lower': 0, 'upper': 100},"
        "{'name': 'town', 'type': 'category', 'values': ['Ystad', 'Lund']},"
        "{'name': 'person', 'type': 'id'}, {'name': 'note', 'type': 'ignore'}]}");
    char path[64], csv[128], *lines = malloc(2200000);
    assert_non_null(lines);
    (void)snprintf(path, sizeof path, "blanks_%ld.db", (long)getpid());
    (void)unlink(path);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    run_sql(database, "CREATE TABLE t(serial, town, person, note)");
    run_sql(database, rows);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
    (void)sprintf(lines,
                  "serial,town,person,note\n1,\" Lund\",\"p1\t\",\" \"\n"
                  "2,\"Lund \",\" p1\",\" a b \",%*s\n",
                  2000000, "x"); /* the second line is read in blocks */
    (void)snprintf(csv, sizeof csv, "%s", write_file("blanks.csv", lines));
    const sotto_data_file files[] = {
        {.path = csv},
        {.path = write_file(
             "blanks.jsonl",
             "{\"serial\": 1, \"town\": \" Lund\", \"person\": \"p1\\t\", \"note\": \" "
             "\"}\n"
             "{\"serial\": 2, \"town\": \"Lund \", \"person\": \" p1\", \"note\": \" a b "
             "\"}\n")},
        {.path = path, .table = "t"}};
    for (size_t i = 0; i < LENGTH(files); i++) {
        sotto_data_file file = files[i];
        sot_source *source = NULL;
        sot_record record;
        bool more;
        for (size_t j = 0; j < LENGTH(conditions); j++) {
            file.where = conditions[j];
            expect_rows(&file, schema, "12");
        }
        assert_ok(sot_source_open(&files[i], schema, false, &source, &error), &error);
        for (size_t row = 0; row < 2; row++) {
            assert_ok(sot_source_next(source, &record, &more, &error), &error);
            assert_true(more && record.cells[1] == 1.0);
            assert_int_equal(record.unit_bytes, 2);
            assert_memory_equal(record.unit, "p1", 2);
        }
        sot_source_close(source);
        (void)unlink(files[i].path);
    }
    free(lines);
    sotto_schema_free(schema);
}

/* A double has no room for 2^53 + 1; a text has. */
static void a_condition_on_texts_sees_all_digits_of_an_integer(void **state)
{
    (void)state;
    static const char rows[] =
        "INSERT INTO t VALUES(1, 9007199254740993, 9007199254740993), "
        "(2, 9007199254740992, 9007199254740992), (3, 17.0, 17.0)";
    sqlite3 *database = NULL;
    char path[64];
    sotto_schema *schema = schema_of(
        "{'columns': [{'name': 'serial', 'type': 'integer', 'lower': 0, 'upper': 100},"
        "{'name': 'code', 'type': 'category', 'values': ['17', '9007199254740993']},"
        "{'name': 'note', 'type': 'ignore'}]}");
    (void)snprintf(path, sizeof path, "digits_%ld.db", (long)getpid());
    (void)unlink(path);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    run_sql(database, "CREATE TABLE t(serial, code, note)");
    run_sql(database, rows);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
    sotto_data_file file = {.path = path, .table = "t"};
    file.where = "code = '9007199254740993'";
    expect_rows(&file, schema, "1");
    file.where = "note = '9007199254740993'";
    expect_rows(&file, schema, "1");
    file.where = "note = '9007199254740992'";
    expect_rows(&file, schema, "2");
    file.where = "note = '17' AND code = '17'";
    expect_rows(&file, schema, "3");
    (void)unlink(path);
    sotto_schema_free(schema);
}

static void all_rows_of_a_table_are_stored(void **state)
{
    (void)state;
    char path[64], serials[ROWS + 1];
    sotto_error error;
    sot_source *source = NULL;
    sotto_schema *schema = schema_of(schema_text);
    (void)snprintf(path, sizeof path, "where_%ld.db", (long)getpid());
    write_database(path);
    const sotto_data_file file = {.path = path, .table = "THE \"ROWS\""};
    assert_int_equal(sot_origin_of_file(&file), SOT_ROWS_STORED);
    assert_ok(sot_source_open(&file, schema, false, &source, &error), &error);
    read_serials(source, serials);
    assert_string_equal(serials,
                        "01234567"); /* in stored order, whatever the index says */
    assert_null(sot_source_where(source));
    sot_source_close(source);
    (void)unlink(path);
    sotto_schema_free(schema);
}

/* ---- refusals ---- */

static void tables_that_do_not_hold_their_rows_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *table, *words;
    } wrong[] = {{"seen", "not a table that holds its rows"},
                 {"words", "not a table that holds its rows"},
                 {"computed", "computed when they are read"},
                 {"nowhere", "not a table that holds its rows"},
                 {"", "`table` is ''"},
                 {"few; DROP TABLE few", "not a table that holds its rows"},
                 {"none", "none of the columns"},
                 {"sqlite_schema", "not a table that holds its rows"}};
    char path[64];
    sotto_error error;
    sot_source *source = NULL;
    sotto_schema *schema = schema_of(schema_text);
    (void)snprintf(path, sizeof path, "where_%ld.db", (long)getpid());
    write_database(path);
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        const sotto_data_file file = {.path = path, .table = wrong[i].table};
        sotto_status status = sot_source_open(&file, schema, false, &source, &error);
        assert_true(status == SOTTO_INVALID_ARGUMENT || status == SOTTO_PARSE);
        if (strstr(error.message, wrong[i].words) == NULL)
            fail_msg("%s: %s", wrong[i].table, error.message);
    }
    /* An ignored column may be missing, unless a condition tests it. */
    sotto_data_file few = {.path = path, .table = "few", .where = "age > 5"};
    assert_ok(sot_source_open(&few, schema, false, &source, &error), &error);
    sot_source_close(source);
    few.where = "note = 'a'";
    assert_refused(sot_source_open(&few, schema, false, &source, &error), SOTTO_PARSE,
                   &error, "lacks the column 'note'", NULL);
    const sotto_data_file both = {.path = path, .table = "few", .query = "SELECT 1"};
    assert_refused(sot_source_open(&both, schema, false, &source, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`table` and `query`", NULL);
    (void)unlink(path);
    sotto_schema_free(schema);
}

static void a_tested_column_must_be_there(void **state)
{
    (void)state;
    sotto_error error;
    sot_source *source = NULL;
    sotto_schema *schema = schema_of(schema_text);
    const char *path = write_file("predict.csv", "serial,age,town\n1,40,Lund\n");
    sotto_data_file file = {.path = path, .where = "age > 5"};
    assert_ok(sot_source_open(&file, schema, true, &source, &error), &error);
    sot_source_close(source);
    file.where = "person = 'p1'";
    assert_refused(sot_source_open(&file, schema, true, &source, &error), SOTTO_PARSE,
                   &error, "lacks the column 'person'", NULL);
    (void)unlink(path);
    sotto_schema_free(schema);
}

static void formats_without_names_refuse_a_condition(void **state)
{
    (void)state;
    sotto_error error;
    sot_source *source = NULL;
    sotto_schema *matrix = schema_of(
        "{'features': 2, 'labels': [0, 1], 'row_norm': {'bound': 1.0, 'rule': 'scale'}}");
    sotto_schema *table = schema_of("{'columns': [{'name': 'a', 'type': 'number'}]}");
    static const char *const paths[] = {"a.libsvm", "a.npy", "a.idx"};
    for (size_t i = 0; i < LENGTH(paths); i++) {
        const sotto_data_file file = {.path = paths[i], .where = "a > 1"};
        assert_refused(sot_source_open(&file, matrix, false, &source, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "`where`", "by name", "CSV", NULL);
    }
    const sotto_data_file array = {.path = "a.npy", .where = "a > 1"};
    assert_refused(sot_source_open(&array, table, false, &source, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "by name", NULL);
    const sotto_data_file csv = {.path = "a.csv", .format = "csv", .table = "t"};
    assert_refused(sot_source_open(&csv, table, false, &source, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`table` is for SQLite", NULL);
    sotto_schema_free(matrix);
    sotto_schema_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_rows_are_selected_in_every_format),
        cmocka_unit_test(dialects_select_the_same_rows),
        cmocka_unit_test(blanks_around_a_text_do_not_count),
        cmocka_unit_test(a_condition_on_texts_sees_all_digits_of_an_integer),
        cmocka_unit_test(all_rows_of_a_table_are_stored),
        cmocka_unit_test(tables_that_do_not_hold_their_rows_are_refused),
        cmocka_unit_test(a_tested_column_must_be_there),
        cmocka_unit_test(formats_without_names_refuse_a_condition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
