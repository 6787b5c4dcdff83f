/* Arrow streams as a source: failures, labels and units apart, origin, cells of a prediction. Whatever a producer does, no
 * record stops a reader, and everything is released once. */
#include "arrow_scene.h"

/* ---- failures ---- */

static void a_stream_that_fails_gives_one_sentence(void **state)
{
    (void)state;
    char sentence[256] = "";
    for (size_t at = 1; at <= 3; at++) {
        arrow_producer producer = {.columns = 0, .fails_at = at};
        (void)add_pair(&producer);
        (void)add_pair(&producer);
        const rows found = read_stream(&producer, pair_text, NULL);
        assert_int_equal(found.status, SOTTO_IO);
        assert_int_equal(found.count, 6 * (at - 1));
        if (at == 1) (void)snprintf(sentence, sizeof sentence, "%s", found.error.message);
        assert_string_equal(found.error.message, sentence);
        (void)forget(NULL);
    }
    arrow_producer producer = {.columns = 0, .schema_fails = true};
    (void)add_pair(&producer);
    const rows found = read_stream(&producer, pair_text, NULL);
    assert_int_equal(found.status, SOTTO_IO);
    assert_string_equal(found.error.message, sentence);
}

static void a_stream_is_read_once(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = schema_of(pair_text);
    arrow_producer producer = {.columns = 0};
    (void)add_pair(&producer);
    struct ArrowArrayStream stream = arrow_stream_of(&producer);
    const sotto_records records = {.stream = &stream};
    const sot_reader_input input = {.records = &records, .schema = schema};
    void *reader = NULL, *again = NULL;
    assert_ok(sot_reader_arrow.open(&input, &reader, &error), &error);
    assert_null(stream.release);
    assert_refused(sot_reader_arrow.open(&input, &again, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "was read before", NULL);
    assert_refused(sot_reader_arrow.check_rereading(reader, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "only once", NULL);
    assert_refused(sot_reader_arrow.rewind(reader, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "only once", NULL);
    sot_reader_arrow.close(reader);
    sot_reader_arrow.close(NULL);
    assert_true(arrow_all_released(&producer));
    sotto_schema_free(schema);
}

static void an_endless_stream_ends_at_the_row_limit(void **state)
{
    (void)state;
    arrow_producer producer = {.columns = 0, .endless = true};
    arrow_batch *batch = add_pair(&producer);
    rows found = read_stream(&producer, pair_text, NULL);
    assert_int_equal(found.count, 17); /* it goes on */
    batch->array.length = INT64_C(1) << 33;
    producer.asked = 0;
    found = read_stream(&producer, pair_text, NULL);
    assert_int_equal(found.status, SOTTO_IO);
    assert_non_null(strstr(found.error.message, "more than 2^32 rows"));
    batch->array.length = INT64_MAX;
    producer.asked = 0;
    found = read_stream(&producer, pair_text, NULL);
    assert_int_equal(found.status, SOTTO_IO);
}

/* ---- labels and units beside a stream ---- */

static void labels_and_units_may_come_apart(void **state)
{
    (void)state;
    static const double labels[] = {0, 2, 5, (double)NAN, 1};
    static const int64_t people[] = {-7, 8, 9, 0, 5};
    static const char with_unit[] =
        "{'target': 'town', 'unit': {'column': 'person', 'rows': 1}, 'columns': ["
        "{'name': 'age', 'type': 'number', 'lower': 0, 'upper': 200, 'missing': 41.25},"
        "{'name': 'town', 'type': 'category', 'values': ['Lund', 'Ystad', 'Hoor'], "
        "'missing': 'Hoor'}, {'name': 'person', 'type': 'id'}]}";
    sotto_records apart = {.labels = {labels, SOTTO_FLOAT64, 5, 1, sizeof *labels, 0},
                           .units = {people, SOTTO_INT64, 5, 1, sizeof *people, 0}};
    arrow_producer producer = {.columns = 0};
    arrow_add_column(&producer, "age", "g", NULL);
    arrow_add_batch(&producer, 6)->buffers[0][1] = exactly(ages, sizeof ages);
    rows found = read_stream(&producer, with_unit, &apart);
    assert_ok(found.status, &found.error);
    static const double expected[] = {0, 2, 2, 2, 1, 2};
    static const char *const ids[] = {"-7", "8", "9", "0", "5", ""};
    for (size_t i = 0; i < 6; i++) {
        assert_pair(&found, i, ages[i], expected[i]);
        assert_string_equal(found.ids[i], ids[i]);
    }
    arrow_producer twice = {.columns = 0};
    (void)add_pair(&twice);
    found = read_stream(&twice, with_unit, &apart);
    assert_int_equal(found.status, SOTTO_INVALID_ARGUMENT);
    assert_non_null(strstr(found.error.message, "'town' is given twice"));
    apart.labels.element = SOTTO_ELEMENT_UNSET;
    found = read_stream(&twice, with_unit, &apart);
    assert_int_equal(found.status, SOTTO_INVALID_ARGUMENT);
}

static void a_matrix_has_its_columns_in_order(void **state)
{
    (void)state;
    static const char matrix_text[] =
        "{'features': 2, 'labels': [-1, 1], 'row_norm': {'bound': 1, 'rule': 'clip'}}";
    static const double labels[] = {-1, 1, -1, 1, -1, 1};
    const sotto_records apart = {
        .labels = {labels, SOTTO_FLOAT64, 6, 1, sizeof *labels, 0}};
    arrow_producer producer = {.columns = 0}, wide = {.columns = 0};
    arrow_add_column(&producer, "x", "g", NULL);
    arrow_add_column(&producer, "x", "f", NULL);
    arrow_batch *batch = arrow_add_batch(&producer, 6);
    static const float others[] = {1, 2, 3, (float)INFINITY, 5, 6};
    const uint8_t bits = 0x3e;
    batch->buffers[0][0] = exactly(&bits, 1);
    batch->buffers[0][1] = exactly(ages, sizeof ages);
    batch->buffers[1][1] = exactly(others, sizeof others);
    rows found = read_stream(&producer, matrix_text, &apart);
    assert_ok(found.status, &found.error);
    for (size_t i = 0; i < 6; i++) {
        assert_true(i == 0 ? isnan(found.cells[i][0]) : found.cells[i][0] == ages[i]);
        assert_true(found.cells[i][1] == (double)others[i]);
        assert_true(found.cells[i][COLUMNS - 1] == labels[i]);
    }
    arrow_add_column(&wide, "x", "g", NULL);
    refused(&wide, matrix_text, SOTTO_INVALID_ARGUMENT,
            "1 columns, the schema 2 features");
}

/* ---- origin ---- */

static void a_stream_is_selected_unless_it_is_declared(void **state)
{
    (void)state;
    struct ArrowArrayStream stream = {.release = NULL};
    sotto_records records = {.stream = &stream};
    assert_int_equal(sot_origin_of_records(&records), SOT_ROWS_STREAMED);
    records.declared = true;
    assert_int_equal(sot_origin_of_records(&records), SOT_ROWS_DECLARED);
    records.declared = false;
    records.in_memory = true;
    assert_int_equal(sot_origin_of_records(&records), SOT_ROWS_GIVEN);
    records.selected = true;
    assert_int_equal(sot_origin_of_records(&records), SOT_ROWS_STREAMED);
    assert_int_equal(sot_origin_of_records(&(sotto_records){.in_memory = false}),
                     SOT_ROWS_GIVEN);
}

static void a_stream_needs_labels_and_units_to_learn_from(void **state)
{
    (void)state;
    sotto_error error;
    static const char matrix_text[] =
        "{'features': 1, 'labels': [-1, 1], 'row_norm': {'bound': 1, 'rule': 'clip'}}";
    static const char unit_text[] =
        "{'target': 't', 'unit': {'column': 'person', 'rows': 1}, 'columns': ["
        "{'name': 't', 'type': 'boolean'}, {'name': 'person', 'type': 'id'}]}";
    static const char *const texts[] = {matrix_text, unit_text};
    static const char *const words[] = {"no labels", "lacks its column 'person'"};
    for (size_t i = 0; i < 2; i++) {
        arrow_producer producer = {.columns = 0};
        arrow_add_column(&producer, "t", "b", NULL);
        struct ArrowArrayStream stream = arrow_stream_of(&producer);
        const sotto_records records = {.stream = &stream};
        sotto_schema *schema = schema_of(texts[i]);
        sot_source *source = NULL;
        assert_ok(sot_source_open_records(&records, schema, &source, &error), &error);
        assert_refused(sot_source_check_training(source, &error), SOTTO_INVALID_ARGUMENT,
                       &error, words[i], NULL);
        sot_source_close(source);
        sotto_schema_free(schema);
        assert_true(arrow_all_released(&producer));
        assert_int_equal(producer.asked, 0);
    }
}

/* Neighbours of 0 and 1 rows: what comes apart is as long as the stream. */
static void labels_and_units_without_rows_are_given(void **state)
{
    (void)state;
    sotto_error error;
    static const double label = 1.0;
    static const int64_t person = 17;
    static const char *const texts[] = {
        "{'features': 1, 'labels': [-1, 1], 'row_norm': {'bound': 1, 'rule': 'clip'}}",
        "{'target': 't', 'unit': {'column': 'person', 'rows': 1}, 'columns': ["
        "{'name': 'age', 'type': 'number', 'lower': 0, 'upper': 200, 'missing': 41.25}, "
        "{'name': 't', 'type': 'boolean'}, {'name': 'person', 'type': 'id'}]}"};
    for (size_t i = 0; i < 4; i++) {
        const size_t count = i % 2;
        arrow_producer producer = {.columns = 0};
        arrow_add_column(&producer, "age", "g", NULL);
        if (count > 0)
            arrow_add_batch(&producer, 1)->buffers[0][1] = exactly(ages, sizeof ages[0]);
        struct ArrowArrayStream stream = arrow_stream_of(&producer);
        const sotto_records records = {
            .stream = &stream,
            .in_memory = true,
            .labels = {&label, SOTTO_FLOAT64, count, 1, sizeof label, 0},
            .units = {&person, SOTTO_INT64, count, 1, sizeof person, 0}};
        sotto_schema *schema = schema_of(texts[i / 2]);
        sot_source *source = NULL;
        assert_ok(sot_source_open_records(&records, schema, &source, &error), &error);
        assert_ok(sot_source_check_training(source, &error), &error);
        sot_source_close(source);
        sotto_schema_free(schema);
        assert_true(arrow_all_released(&producer));
    }
}

/* ---- cells of a prediction ---- */

static void cells_of_a_prediction_are_in_memory(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = schema_of(pair_text);
    arrow_producer producer = {.columns = 0};
    arrow_add_column(&producer, "age", "g", NULL); /* without the target */
    for (size_t i = 0; i < 3; i++)
        arrow_add_batch(&producer, 6)->buffers[0][1] = exactly(ages, sizeof ages);
    struct ArrowArrayStream stream = arrow_stream_of(&producer);
    sotto_array cells;
    assert_ok(sotto_arrow_cells(schema, &stream, &cells, &error), &error);
    assert_true(arrow_all_released(&producer));
    assert_int_equal(cells.rows, 18);
    assert_int_equal(cells.columns, 2);
    const double *numbers = cells.data;
    for (size_t i = 0; i < 18; i++) {
        assert_true(numbers[2 * i] == ages[i % 6]);
        assert_true(numbers[2 * i + 1] == 2);
    }
    sotto_arrow_free_cells(&cells);
    assert_null(cells.data);
    sotto_arrow_free_cells(&cells);
    producer.asked = 0;
    producer.fails_at = 2;
    stream = arrow_stream_of(&producer);
    assert_refused(sotto_arrow_cells(schema, &stream, &cells, &error), SOTTO_IO, &error,
                   "the stream of records failed", NULL);
    assert_true(arrow_all_released(&producer));
    sotto_schema_free(schema);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of(pair_text);
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        arrow_producer producer = {.columns = 0};
        (void)add_pair(&producer);
        struct ArrowArrayStream stream = arrow_stream_of(&producer);
        sotto_array cells;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sotto_arrow_cells(schema, &stream, &cells, &error);
        (void)sot_test_fail_allocation(0);
        assert_true(arrow_all_released(&producer));
        (void)forget(NULL);
        if (status == SOTTO_OK) {
            sotto_arrow_free_cells(&cells);
            assert_true(nth > 5);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    sotto_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_stream_that_fails_gives_one_sentence, forget),
        cmocka_unit_test_teardown(a_stream_is_read_once, forget),
        cmocka_unit_test_teardown(an_endless_stream_ends_at_the_row_limit, forget),
        cmocka_unit_test_teardown(labels_and_units_may_come_apart, forget),
        cmocka_unit_test_teardown(a_matrix_has_its_columns_in_order, forget),
        cmocka_unit_test(a_stream_is_selected_unless_it_is_declared),
        cmocka_unit_test(a_stream_needs_labels_and_units_to_learn_from),
        cmocka_unit_test_teardown(labels_and_units_without_rows_are_given, forget),
        cmocka_unit_test_teardown(cells_of_a_prediction_are_in_memory, forget),
        cmocka_unit_test_teardown(every_allocation_may_fail, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
