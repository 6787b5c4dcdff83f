/* All readers: raw cells mean the same in every format, and public facts are complete. */
#include "data/files.h"

#include <sqlite3.h>

#include "data/readers/readers.h"

enum { COLUMNS = 4 };

static const char schema_text[] =
    "{\"columns\": ["
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 0, \"upper\": 9},"
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"a\", \"b\"]},"
    "{\"name\": \"note\", \"type\": \"ignore\"},"
    "{\"name\": \"person\", \"type\": \"id\"}]}";

/* The same records in every format: texts as they are, an absent cell, a cell out of bounds and type. */
static const char csv_text[] = "person,note,town,age\n17,\"x \"\"y\"\"\",zz,41.5\n"
                               ",,,\n9007199254740993, n ,b,none\n";
static const char tsv_text[] = "age\tperson\tnote\ttown\n41.5\t17\tx \"y\"\tzz\n"
                               "\t\t\t\nnone\t9007199254740993\tn\tb\n";
static const char json_text[] =
    "{\"age\": 41.5, \"person\": 17, \"note\": \"x \\\"y\\\"\", \"town\": \"zz\"}\n"
    "{\"age\": null, \"note\": [1], \"town\": \"\"}\n"
    "{\"age\": \"none\", \"person\": \"9007199254740993\", \"note\": \"n\", \"town\": "
    "\"b\"}\n";

static const char *const expected[3][COLUMNS] = {{"41.5", "zz", "x \"y\"", "17"},
                                                 {NULL, NULL, NULL, NULL},
                                                 {"none", "b", "n", "9007199254740993"}};

static void assert_value(sot_value value, const char *text, bool may_be_number)
{
    if (text == NULL) {
        assert_int_equal(value.kind, SOT_VALUE_ABSENT);
    } else if (may_be_number && value.kind == SOT_VALUE_NUMBER) {
        assert_true(value.number == strtod(text, NULL));
    } else {
        assert_int_equal(value.kind, SOT_VALUE_TEXT);
        assert_int_equal(value.size_bytes, strlen(text));
        assert_memory_equal(value.text, text, strlen(text));
    }
}

/* Reads the three records; all cells are wanted, or only the last column's. */
static void read_expected(const sot_reader_kind *kind, const sotto_data_file *file,
                          bool all)
{
    const bool wanted[COLUMNS] = {all, all, all, true};
    sotto_error error;
    sotto_schema *schema = parse_schema(schema_text);
    const sot_reader_input input = {.file = file, .schema = schema, .wanted = wanted};
    void *reader = NULL;
    sot_record record;
    bool more = true;
    assert_ok(kind->open(&input, &reader, &error), &error);
    for (size_t row = 0; row < 3; row++) {
        assert_ok(kind->next(reader, &record, &more, &error), &error);
        assert_true(more);
        for (size_t column = 0; column < COLUMNS; column++)
            if (wanted[column])
                assert_value(kind->cell(reader, column), expected[row][column],
                             column == 0);
        assert_true(record.cells[0] == (row == 0 ? 9.0 : 4.5));
        assert_true(record.cells[1] == (row == 2 ? 1.0 : 0.0));
    }
    assert_ok(kind->next(reader, &record, &more, &error), &error);
    assert_false(more);
    kind->close(reader);
    kind->close(NULL);
    sotto_schema_free(schema);
}

static void read_text(const sot_reader_kind *kind, const char *name, const char *text)
{
    const sotto_data_file file = {.path = write_bytes(name, text, strlen(text))};
    read_expected(kind, &file, true);
    read_expected(kind, &file, false);
    (void)unlink(file.path);
}

static void raw_cells_mean_the_same_in_every_format(void **state)
{
    (void)state;
    read_text(&sot_reader_csv, "r.csv", csv_text);
    read_text(&sot_reader_csv_comma, "r.csv", csv_text);
    read_text(&sot_reader_tsv, "r.tsv", tsv_text);
    read_text(&sot_reader_json_lines, "r.jsonl", json_text);
    const char *path = write_bytes("r.db", "", 0);
    sqlite3 *database = NULL;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(database,
                     "CREATE TABLE t(age, town, note, person);"
                     "INSERT INTO t VALUES (41.5, 'zz', 'x \"y\"', 17), (NULL, '', NULL, "
                     "NULL), ('none', 'b', 'n', 9007199254740993)",
                     NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
    const sotto_data_file file = {.path = path, .query = "SELECT * FROM t"};
    read_expected(&sot_reader_sqlite, &file, true);
    read_expected(&sot_reader_sqlite, &file, false);
    (void)unlink(path);
}

/* A record's raw cells are its own: also behind a long line, and where its texts are too long. */
static void raw_cells_of_long_lines_are_their_own(void **state)
{
    (void)state;
    enum { LONG = 2 << 20 };
    static const struct {
        const sot_reader_kind *kind;
        const char *header, *begin, *between, *end, *second;
    } formats[] = {
        {&sot_reader_csv, "age,town,note,person\n", "4,b,", ",", "\n", "5,a,n,q\n"},
        {&sot_reader_json_lines, "", "{\"age\": 4, \"town\": \"b\", \"note\": \"",
         "\", \"person\": \"", "\"}\n",
         "{\"age\": 5, \"town\": \"a\", \"note\": \"n\", \"person\": \"q\"}\n"}};
    const bool wanted[COLUMNS] = {true, true, true, true};
    char *text = malloc(LONG + 16384);
    assert_non_null(text);
    for (size_t i = 0; i < 2; i++) {
        sotto_error error;
        sotto_schema *schema = parse_schema(schema_text);
        size_t size = (size_t)sprintf(text, "%s%s", formats[i].header, formats[i].begin);
        memset(text + size, 'n', LONG);
        size += LONG;
        size += (size_t)sprintf(text + size, "%s", formats[i].between);
        memset(text + size, 'p', 4000);
        size += 4000;
        size += (size_t)sprintf(text + size, "%s%s", formats[i].end, formats[i].second);
        const sotto_data_file file = {.path = write_bytes("long", text, size)};
        const sot_reader_input input = {
            .file = &file, .schema = schema, .wanted = wanted};
        const sot_reader_kind *kind = formats[i].kind;
        void *reader = NULL;
        sot_record record;
        bool more;
        assert_ok(kind->open(&input, &reader, &error), &error);
        assert_ok(kind->next(reader, &record, &more, &error), &error);
        assert_value(kind->cell(reader, 0), "4", false);
        assert_value(kind->cell(reader, 1), "b", false);
        for (size_t column = 2; column < 4; column++) {
            const sot_value value = kind->cell(reader, column);
            assert_int_equal(value.size_bytes, SOT_VALUE_BYTES);
            for (size_t k = 0; k < value.size_bytes; k++)
                assert_int_equal(value.text[k], column == 2 ? 'n' : 'p');
        }
        assert_ok(kind->next(reader, &record, &more, &error), &error);
        assert_value(kind->cell(reader, 2), "n", false);
        assert_value(kind->cell(reader, 3), "q", false);
        kind->close(reader);
        (void)unlink(file.path);
        sotto_schema_free(schema);
    }
    free(text);
}

static void records_in_memory_have_raw_cells(void **state)
{
    (void)state;
    static const double cells[2][COLUMNS] = {{41.5, 7, 3, 0}, {2, 1, 0, 0}};
    const sotto_records records = {
        .features = {cells, SOTTO_FLOAT64, 2, COLUMNS, sizeof cells[0], sizeof(double)}};
    sotto_error error;
    sotto_schema *schema = parse_schema(schema_text);
    const sot_reader_input input = {.records = &records, .schema = schema};
    void *reader = NULL;
    sot_record record;
    bool more;
    assert_ok(sot_reader_memory.open(&input, &reader, &error), &error);
    for (int pass = 0; pass < 2; pass++) {
        assert_ok(sot_reader_memory.next(reader, &record, &more, &error), &error);
        assert_true(record.cells[0] == 9.0);
        assert_value(sot_reader_memory.cell(reader, 0), "41.5", true);
        assert_value(sot_reader_memory.cell(reader, 1), "7", true);
        assert_value(sot_reader_memory.cell(reader, 3), NULL, false);
        assert_ok(sot_reader_memory.rewind(reader, &error), &error);
    }
    sot_reader_memory.close(reader);
    sotto_schema_free(schema);
}

static void every_reader_states_its_facts(void **state)
{
    (void)state;
    for (size_t i = 0; sot_readers[i] != NULL; i++) {
        const sot_reader_kind *kind = sot_readers[i];
        assert_true(kind->name != NULL && kind->open != NULL && kind->close != NULL &&
                    kind->next != NULL);
        assert_true(kind->of_tables || kind->of_matrices);
        assert_true(!kind->has_ids || kind->cell != NULL);
        assert_true(!kind->begins_with_names || kind->has_names);
        assert_true(kind->is_named != NULL || kind->option != NULL);
        assert_true((kind->rewind == NULL) == (kind->check_unchanged == NULL));
        for (size_t j = 0; j < i; j++)
            assert_true(kind->option == NULL || sot_readers[j]->option == NULL ||
                        strcmp(kind->option, sot_readers[j]->option) != 0);
    }
    for (size_t i = 0; sotto_data_format(i) != NULL; i++)
        assert_true(i < 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_cells_mean_the_same_in_every_format),
        cmocka_unit_test(raw_cells_of_long_lines_are_their_own),
        cmocka_unit_test(records_in_memory_have_raw_cells),
        cmocka_unit_test(every_reader_states_its_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
