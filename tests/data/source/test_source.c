/* Sources: files and arrays give the same records; shapes are checked, numbers never. */
#include "data/files.h"

#include "base/memory.h"
#include "data/batches/unit.h"
#include "data/source/source.h"

static const char table_text[] =
    "{\"unit\": {\"column\": \"person\", \"rows\": 2}, \"target\": \"smokes\", "
    "\"columns\": ["
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": -1.5, \"upper\": 110.5, "
    "\"missing\": 41.25},"
    "{\"name\": \"children\", \"type\": \"integer\", \"lower\": 0, \"upper\": 12},"
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\", "
    "\"Hoor\"], \"missing\": \"Ystad\"},"
    "{\"name\": \"smokes\", \"type\": \"boolean\", \"missing\": true},"
    "{\"name\": \"person\", \"type\": \"id\"},"
    "{\"name\": \"note\", \"type\": \"ignore\"}]}";

static const char matrix_text[] = "{\"features\": 3, \"labels\": [-1, 1], \"row_norm\": "
                                  "{\"bound\": 1.0, \"rule\": \"clip\"}}";

static void assert_unit(const sot_record *record, const char *id)
{
    assert_int_equal(record->unit_bytes, strlen(id));
    assert_memory_equal(record->unit, id, strlen(id));
}

static void a_table_and_an_array_of_its_cells_are_the_same(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = parse_schema(table_text);
    static const char text[] = "age,children,town,smokes,person,note\n"
                               "23.75,3,Lund,no,-7,x\n,,,,8,\n1e9,-4,Hoor,1,9,\n"
                               "0.5,2.5,Malmo,maybe,,y\n";
    static const double cells[4][6] = {
        {23.75, 3, 0, 0, 5, 5},
        {(double)NAN, (double)NAN, (double)NAN, (double)NAN, 0, 0},
        {1e9, -4, 2, 1, 0, (double)INFINITY},
        {0.5, 2.5, 3, 2, 0, 0}};
    static const int64_t people[] = {-7, 8, 9, 0};
    const sotto_records records = {
        .features = {cells, SOTTO_FLOAT64, 4, 6, sizeof cells[0], sizeof(double)},
        .units = {people, SOTTO_INT64, 4, 1, sizeof(int64_t), 0}};
    const char *path = write_bytes("table.csv", text, sizeof text - 1);
    sot_source *file = NULL;
    sot_source *memory = NULL;
    assert_ok(sot_source_open_file(path, schema, false, &file, &error), &error);
    assert_ok(sot_source_open_records(&records, schema, &memory, &error), &error);
    assert_ok(sot_source_check_training(file, &error), &error);
    assert_ok(sot_source_check_training(memory, &error), &error);
    assert_false(sot_source_is_sparse(file));
    for (size_t row = 0; row < 5; row++) {
        sot_record a, b;
        bool more_a, more_b;
        assert_ok(sot_source_next(file, &a, &more_a, &error), &error);
        assert_ok(sot_source_next(memory, &b, &more_b, &error), &error);
        assert_int_equal(more_a, row < 4);
        assert_int_equal(more_b, row < 4);
        if (row == 4) break;
        assert_memory_equal(a.cells, b.cells, 6 * sizeof(double));
        static const char *const ids[] = {"-7", "8", "9", ""};
        assert_unit(&a, ids[row]);
        assert_unit(&b, row == 3 ? "0" : ids[row]); /* a number is never empty */
    }
    sot_source_close(memory);
    sot_source_close(file);
    (void)unlink(path);
    sotto_schema_free(schema);
}

/* A person has one id, whatever kind of element it comes in: the choice of rows is a function of its bytes. */
static void a_unit_is_the_text_of_its_id_in_every_kind_of_element(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = parse_schema(table_text);
    static const double cells[3][6] = {{0}};
    static const int64_t numbers[] = {INT64_MIN, 17, 9007199254740993};
    static const char *const ids[] = {"-9223372036854775808", "17", "9007199254740993"};
    static char texts[3]
                     [2 * SOT_UNIT_ID_BYTES]; /* every second byte: strides are kept to */
    for (size_t row = 0; row < 3; row++)
        for (size_t i = 0; ids[row][i] != '\0'; i++)
            texts[row][2 * i] = ids[row][i];
    const sotto_array units[] = {
        {numbers, SOTTO_INT64, 3, 1, sizeof(int64_t), 0},
        {texts, SOTTO_UINT8, 3, SOT_UNIT_ID_BYTES, sizeof texts[0], 2}};
    for (size_t kind = 0; kind < 2; kind++) {
        const sotto_records records = {
            .features = {cells, SOTTO_FLOAT64, 3, 6, sizeof cells[0], sizeof(double)},
            .units = units[kind]};
        sot_source *source = NULL;
        assert_ok(sot_source_open_records(&records, schema, &source, &error), &error);
        for (size_t row = 0; row < 3; row++) {
            sot_record record;
            bool more;
            assert_ok(sot_source_next(source, &record, &more, &error), &error);
            assert_true(more);
            assert_unit(&record, ids[row]);
        }
        sot_source_close(source);
    }
    sotto_schema_free(schema);
}

/* The same numbers in every kind of element, backwards, transposed and between other things. */
static void every_layout_gives_the_same_record(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = parse_schema(matrix_text);
    static const double float64[2][3] = {{3, 0, 200}, {7, 1, 9}};
    static const float float32[2][5] = {{3, 0, 200, -1, -1}, {7, 1, 9, -1, -1}};
    static const int64_t int64[3][2] = {{3, 7}, {0, 1}, {200, 9}};
    static const int32_t int32[2][3] = {{9, 1, 7}, {200, 0, 3}};
    static const unsigned char uint8[1 + 2 * 6] = {0, 3, 0, 0, 0, 200, 0,
                                                   7, 0, 1, 0, 9, 0};
    unsigned char packed[1 + sizeof float64]; /* not aligned */
    memcpy(packed + 1, float64, sizeof float64);
    const sotto_array layouts[] = {
        {float64, SOTTO_FLOAT64, 2, 3, 24, 8},
        {packed + 1, SOTTO_FLOAT64, 2, 3, 24, 8},
        {float32, SOTTO_FLOAT32, 2, 3, 20, 4},
        {int64, SOTTO_INT64, 2, 3, 8, 16},
        {&int32[1][2], SOTTO_INT32, 2, 3, -12, -4},
        {uint8 + 1, SOTTO_UINT8, 2, 3, 6, 2},
    };
    static const float labels[] = {1.0f, -1.0f};
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        const sotto_records records = {.features = layouts[i],
                                       .labels = {labels, SOTTO_FLOAT32, 2, 1, 4, 0}};
        sot_source *source = NULL;
        assert_ok(sot_source_open_records(&records, schema, &source, &error), &error);
        for (size_t row = 0; row < 3; row++) {
            sot_record record;
            bool more;
            assert_ok(sot_source_next(source, &record, &more, &error), &error);
            assert_int_equal(more, row < 2);
            if (!more) break;
            assert_null(record.cells);
            assert_null(record.unit);
            assert_int_equal(record.count, 3);
            assert_true(record.label == (double)labels[row]);
            for (uint32_t k = 0; k < 3; k++) {
                assert_int_equal(record.indices[k], k);
                assert_true(record.values[k] == float64[row][k]);
            }
        }
        sot_source_close(source);
    }
    sotto_schema_free(schema);
}

static void shapes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sot_source *source = NULL;
    sotto_schema *matrix = parse_schema(matrix_text);
    sotto_schema *table = parse_schema(table_text);
    static const double numbers[12] = {0};
    static const int64_t people[2] = {1, 2};
    const sotto_array good = {numbers, SOTTO_FLOAT64, 2, 3, 24, 8};
    const sotto_array label = {numbers, SOTTO_FLOAT64, 2, 1, 8, 8};
    const sotto_array cells = {numbers, SOTTO_FLOAT64, 2, 6, 48, 8};
    const struct {
        const sotto_schema *schema;
        sotto_records records;
        const char *word;
    } cases[] = {
        {matrix, {.features = {numbers, SOTTO_FLOAT64, 2, 4, 32, 8}}, "4 columns"},
        {matrix, {.features = {numbers, SOTTO_ELEMENT_UNSET, 2, 3, 24, 8}}, "kind"},
        {matrix, {.features = {numbers, (sotto_element)9, 2, 3, 24, 8}}, "9"},
        {matrix, {.features = {NULL, SOTTO_FLOAT64, 2, 3, 24, 8}}, "pointer"},
        {matrix,
         {.features = good, .labels = {numbers, SOTTO_FLOAT64, 3, 1, 8, 8}},
         "labels"},
        {matrix,
         {.features = good, .labels = {numbers, SOTTO_FLOAT64, 2, 2, 8, 8}},
         "labels"},
        {matrix,
         {.features = good, .labels = {NULL, SOTTO_FLOAT64, 2, 1, 8, 8}},
         "labels"},
        {table, {.features = good}, "6 columns"},
        {table,
         {.features = cells, .units = {numbers, SOTTO_FLOAT64, 2, 1, 8, 8}},
         "SOTTO_INT64"},
        {table, {.features = cells, .units = {people, SOTTO_INT64, 1, 1, 8, 8}}, "units"},
        {table, {.features = cells, .units = {people, SOTTO_INT64, 2, 2, 8, 8}}, "units"},
        {table,
         {.features = cells, .units = {people, SOTTO_UINT8, 2, 257, 0, 0}},
         "256 columns"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_refused(
            sot_source_open_records(&cases[i].records, cases[i].schema, &source, &error),
            SOTTO_INVALID_ARGUMENT, &error, cases[i].word, NULL);
    }
    /* Enough to predict, not enough to learn. */
    const sotto_records no_labels = {.features = good};
    assert_ok(sot_source_open_records(&no_labels, matrix, &source, &error), &error);
    assert_refused(sot_source_check_training(source, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "labels", NULL);
    sot_record record;
    bool more;
    assert_ok(sot_source_next(source, &record, &more, &error), &error);
    assert_true(more && isnan(record.label));
    sot_source_close(source);
    const sotto_records no_units = {.features = cells};
    assert_ok(sot_source_open_records(&no_units, table, &source, &error), &error);
    assert_refused(sot_source_check_training(source, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "units", NULL);
    sot_source_close(source);
    const sotto_records whole = {.features = good, .labels = label};
    assert_ok(sot_source_open_records(&whole, matrix, &source, &error), &error);
    assert_ok(sot_source_check_training(source, &error), &error);
    sot_source_close(source);
    sotto_schema_free(table);
    sotto_schema_free(matrix);
}

/* Whatever the numbers are, the cells are within the schema's bounds. */
static void any_numbers_are_cells_within_their_bounds(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = parse_schema(table_text);
    uint64_t stream = 91;
    enum { ROWS = 3000 };
    static double numbers[ROWS][6];
    for (size_t i = 0; i < ROWS * 6; i++) {
        const uint64_t bits = next_bits(&stream);
        if (i % 2)
            memcpy(&numbers[i / 6][i % 6], &bits, sizeof bits);
        else
            numbers[i / 6][i % 6] = (double)(bits % 16) / 2.0 - 2.0;
    }
    const sotto_records records = {
        .features = {numbers, SOTTO_FLOAT64, ROWS, 6, sizeof numbers[0], 8}};
    sot_source *source = NULL;
    assert_ok(sot_source_open_records(&records, schema, &source, &error), &error);
    for (size_t row = 0; row < ROWS; row++) {
        sot_record record;
        bool more;
        assert_ok(sot_source_next(source, &record, &more, &error), &error);
        assert_true(more);
        for (size_t i = 0; i < 4; i++) {
            const sotto_column *column = sotto_schema_column(schema, i);
            assert_within(record.cells[i], column->lower, column->upper);
            assert_true(i == 0 || record.cells[i] == floor(record.cells[i]));
        }
        assert_true(record.cells[4] == 0.0 && record.cells[5] == 0.0);
    }
    sot_source_close(source);
    sotto_schema_free(schema);
}

/* Rows to predict need neither target nor id nor notes; rows to learn from need all. */
static void prediction_does_without_the_target(void **state)
{
    (void)state;
    sotto_error error;
    sot_source *source = NULL;
    sotto_schema *schema = parse_schema(table_text);
    static const char text[] = "town,children,age\nHoor,4,2.25\n";
    const char *path = write_bytes("predict.csv", text, sizeof text - 1);
    assert_refused(sot_source_open_file(path, schema, false, &source, &error),
                   SOTTO_PARSE, &error, "'smokes'", NULL);
    assert_ok(sot_source_open_file(path, schema, true, &source, &error), &error);
    sot_record record;
    bool more;
    assert_ok(sot_source_next(source, &record, &more, &error), &error);
    assert_true(more);
    const double expected[] = {2.25, 4.0, 2.0, 1.0, 0.0, 0.0};
    assert_memory_equal(record.cells, expected, sizeof expected);
    assert_int_equal(record.unit_bytes, 0);
    sot_source_close(source);
    (void)unlink(path);
    static const char less[] = "town,age\nHoor,2.25\n";
    path = write_bytes("predict.csv", less, sizeof less - 1);
    assert_refused(sot_source_open_file(path, schema, true, &source, &error), SOTTO_PARSE,
                   &error, "'children'", NULL);
    (void)unlink(path);
    sotto_schema_free(schema);
}

static void a_matrix_schema_reads_libsvm(void **state)
{
    (void)state;
    sotto_error error;
    sot_source *source = NULL;
    sotto_schema *schema = parse_schema(matrix_text);
    const char *path = write_bytes("rows.libsvm", "-1 2:0.5 4:1\n", 13);
    assert_ok(sot_source_open_file(path, schema, false, &source, &error), &error);
    assert_true(sot_source_is_sparse(source));
    assert_ok(sot_source_check_training(source, &error), &error);
    sot_record record;
    bool more;
    assert_ok(sot_source_next(source, &record, &more, &error), &error);
    assert_true(more && record.label == -1.0 && record.count == 1);
    assert_true(record.indices[0] == 1 && record.values[0] == 0.5);
    assert_ok(sot_source_next(source, &record, &more, &error), &error);
    assert_false(more);
    sot_source_close(source);
    (void)unlink(path);
    assert_refused(sot_source_open_file("no/such.svm", schema, false, &source, &error),
                   SOTTO_IO, &error, "no/such.svm", NULL);
    sotto_schema_free(schema);
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    sotto_schema *schema = parse_schema(table_text);
    static const char text[] = "age,children,town,smokes,person,note\n";
    static const double cells[6] = {0};
    const sotto_records records = {.features = {cells, SOTTO_FLOAT64, 1, 6, 48, 8}};
    const char *path = write_bytes("memory.csv", text, sizeof text - 1);
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        sot_source *file = NULL;
        sot_source *memory = NULL;
        (void)sot_test_fail_allocation(nth);
        sotto_status status = sot_source_open_file(path, schema, false, &file, &error);
        if (status == SOTTO_OK)
            status = sot_source_open_records(&records, schema, &memory, &error);
        const size_t asked = sot_test_fail_allocation(0);
        sot_source_close(file);
        sot_source_close(memory);
        if (asked < nth) {
            assert_int_equal(status, SOTTO_OK);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    (void)unlink(path);
    sotto_schema_free(schema);
}

/* Rows and labels of files are joined by their place, and both headers tell how many there are: a stream that lacks a row must
 * not be told from one that has it. */
static void labels_of_a_stream_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sot_source *source = NULL;
    char pipe_path[160], stored[160];
    (void)snprintf(pipe_path, sizeof pipe_path, "/tmp/sotto_data_test_%ld_pipe.npy",
                   (long)getpid());
    (void)snprintf(stored, sizeof stored, "%s", write_bytes("stored.npy", "", 0));
    (void)unlink(pipe_path);
    int ends[2];
    char descriptor[64];
    assert_int_equal(pipe(ends), 0); /* an empty one: no reader waits */
    assert_int_equal(close(ends[1]), 0);
    (void)snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", ends[0]);
    assert_int_equal(symlink(descriptor, pipe_path), 0);
    sotto_schema *schema = parse_schema(matrix_text);
    const sotto_data_file files[] = {{.path = pipe_path, .labels = stored},
                                     {.path = stored, .labels = pipe_path},
                                     {.path = pipe_path, .labels = pipe_path}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        assert_refused(sot_source_open(&files[i], schema, false, &source, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "`labels` is", "pipe.npy",
                       "`stored_table=true`", NULL);
    const sotto_data_file missing = {.path = "/nonexistent.npy", .labels = stored};
    assert_refused(sot_source_open(&missing, schema, false, &source, &error), SOTTO_IO,
                   &error, "cannot open", NULL);
    sotto_schema_free(schema);
    assert_int_equal(close(ends[0]), 0);
    (void)unlink(pipe_path);
    (void)unlink(stored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_and_an_array_of_its_cells_are_the_same),
        cmocka_unit_test(a_unit_is_the_text_of_its_id_in_every_kind_of_element),
        cmocka_unit_test(every_layout_gives_the_same_record),
        cmocka_unit_test(shapes_that_do_not_fit_are_refused),
        cmocka_unit_test(any_numbers_are_cells_within_their_bounds),
        cmocka_unit_test(prediction_does_without_the_target),
        cmocka_unit_test(a_matrix_schema_reads_libsvm),
        cmocka_unit_test(labels_of_a_stream_are_refused),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
