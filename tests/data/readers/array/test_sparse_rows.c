/* Records as entries, compressed by rows: an entry or a row that makes no sense does not count, and stops nothing. */
#include "data/schemas.h"

#include <math.h>

#include "base/memory.h"
#include "data/source/source.h"

static const char matrix_text[] =
    "{'features': 4, 'labels': [-1, 1], 'row_norm': {'bound': 1, 'rule': 'clip'}}";

static sotto_array column_of(const void *data, sotto_element element, size_t rows,
                             size_t size)
{
    return (sotto_array){data, element, rows, 1, (ptrdiff_t)size, 0};
}

static void entries_are_those_of_their_row(void **state)
{
    (void)state;
    static const int64_t starts[] = {0, 2, 2, 9, 4, 5, -1, 8, INT64_MAX};
    static const int32_t indices[] = {0, 3, 2, 1, 3, -1, 4, INT32_MAX, 3};
    static const float values[] = {1.5F, (float)NAN, 3, 4, 5, 6, 7, 8, 9};
    static const double labels[] = {-1, 1, 1, -1, 1, 1, -1, 1};
    const sotto_sparse sparse = {
        .starts = column_of(starts, SOTTO_INT64, 9, sizeof *starts),
        .indices = column_of(indices, SOTTO_INT32, 9, sizeof *indices),
        .values = column_of(values, SOTTO_FLOAT32, 9, sizeof *values)};
    const sotto_records records = {
        .sparse = &sparse, .labels = column_of(labels, SOTTO_FLOAT64, 8, sizeof *labels)};
    static const size_t counts[] = {2, 0, 2, 0, 1, 0, 0, 0};
    sotto_error error;
    sotto_schema *schema = schema_of(matrix_text);
    sot_source *source = NULL;
    assert_ok(sot_source_open_records(&records, schema, &source, &error), &error);
    assert_ok(sot_source_check_training(source, &error), &error);
    assert_true(sot_source_is_sparse(source));
    assert_int_equal(sot_source_rows(source), 8);
    for (size_t row = 0; row < 9; row++) {
        sot_record record;
        bool more = false;
        assert_ok(sot_source_next(source, &record, &more, &error), &error);
        assert_int_equal(more, row < 8);
        if (!more) break;
        assert_int_equal(record.count, counts[row]);
        assert_true(record.label == labels[row]);
        if (row == 0) {
            assert_true(record.indices[0] == 0 && record.values[0] == 1.5);
            assert_true(record.indices[1] == 3 && isnan(record.values[1]));
        }
        if (row == 2) /* 2, then 3: the index 1 is not above 2 */
            assert_true(record.indices[0] == 2 && record.indices[1] == 3 &&
                        record.values[1] == 5);
    }
    sot_source_close(source);
    sotto_schema_free(schema);
}

static void shapes_are_checked_before_the_first_row(void **state)
{
    (void)state;
    static const int32_t starts[] = {0, 1};
    static const double values[] = {1, 2};
    const sotto_sparse good = {
        .starts = column_of(starts, SOTTO_INT32, 2, sizeof *starts),
        .indices = column_of(starts, SOTTO_INT32, 1, sizeof *starts),
        .values = column_of(values, SOTTO_FLOAT64, 1, sizeof *values)};
    sotto_error error;
    sotto_schema *schema = schema_of(matrix_text);
    for (size_t harm = 0; harm < 6; harm++) {
        sotto_sparse wrong = good;
        sotto_records records = {.sparse = &wrong};
        if (harm == 0) wrong.starts.rows = 0;
        if (harm == 1) wrong.starts.element = SOTTO_FLOAT64;
        if (harm == 2) wrong.values.rows = 2;
        if (harm == 3) wrong.indices.columns = 2;
        if (harm == 4) wrong.values.data = NULL;
        if (harm == 5)
            records.labels = column_of(values, SOTTO_FLOAT64, 2, sizeof *values);
        sot_source *source = NULL;
        assert_int_equal(sot_source_open_records(&records, schema, &source, &error),
                         SOTTO_INVALID_ARGUMENT);
        assert_null(source);
    }
    sot_source *source = NULL;
    const sotto_records unlabelled = {.sparse = &good};
    assert_ok(sot_source_open_records(&unlabelled, schema, &source, &error), &error);
    assert_refused(sot_source_check_training(source, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "no labels", NULL);
    sot_source_close(source);
    sotto_schema_free(schema);
    schema = schema_of("{'columns': [{'name': 'a', 'type': 'boolean'}]}");
    assert_refused(sot_source_open_records(&unlabelled, schema, &source, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "\"features\"", NULL);
    sotto_schema_free(schema);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const int32_t starts[] = {0, 1};
    static const double values[] = {1};
    const sotto_sparse sparse = {
        .starts = column_of(starts, SOTTO_INT32, 2, sizeof *starts),
        .indices = column_of(starts, SOTTO_INT32, 1, sizeof *starts),
        .values = column_of(values, SOTTO_FLOAT64, 1, sizeof *values)};
    const sotto_records records = {.sparse = &sparse};
    sotto_schema *schema = schema_of(matrix_text);
    size_t nth = 1;
    for (sotto_status status = SOTTO_OUT_OF_MEMORY; status != SOTTO_OK; nth++) {
        sotto_error error;
        sot_source *source = NULL;
        (void)sot_test_fail_allocation(nth);
        status = sot_source_open_records(&records, schema, &source, &error);
        (void)sot_test_fail_allocation(0);
        if (status != SOTTO_OK) assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        sot_source_close(source);
    }
    assert_int_equal(nth, 6); /* the source, the reader, two arrays; then it succeeds */
    sotto_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_those_of_their_row),
        cmocka_unit_test(shapes_are_checked_before_the_first_row),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
