/* What a learner sees of the target: classes, numbers, counts; within public bounds, on a grid. */
#include "data/schemas.h"

#include <sotto/rng.h>

#include "data/batches/matrix.h"
#include "data/encode/encode.h"
#include "random/rng.h"

typedef struct fixture {
    sotto_schema *schema;
    sot_encoding *encoding;
} fixture;

static fixture fixture_of(const char *text, const char *target, sot_target_role role)
{
    sotto_error error;
    fixture made = {.schema = schema_of(text)};
    assert_ok(sot_encoding_new(made.schema, target, role, &made.encoding, &error),
              &error);
    assert_int_equal(sot_encoding_role(made.encoding), role);
    return made;
}

static void fixture_free(fixture *made)
{
    sot_encoding_free(made->encoding);
    sotto_schema_free(made->schema);
}

static double target_of(const fixture *made, double number)
{
    const double cells[] = {number, 0.0};
    const bool matrix = sotto_schema_is_matrix(made->schema);
    const sot_record record = {.cells = matrix ? NULL : cells, .label = number};
    return sot_encode_target(made->encoding, &record);
}

static double number_of(const fixture *made, double number)
{
    const double cells[] = {number, 0.0};
    const bool matrix = sotto_schema_is_matrix(made->schema);
    const sot_record record = {.cells = matrix ? NULL : cells, .label = number};
    return sot_encode_number(made->encoding, &record);
}

#define WITH_TARGET(target, column)                                                      \
    "{'target': " target ", 'columns': [{'name': 'y', " column "},"                      \
    "{'name': 'x', 'type': 'boolean'}]}"
#define NUMBER(lower, upper) "'type': 'number', 'lower': " lower ", 'upper': " upper
#define MATRIX(target)       "{'features': 3, " target ", 'row_norm': {'bound': 1}}"

static void the_bounds_of_a_number_become_minus_one_and_one(void **state)
{
    (void)state;
    static const char *const schemas[] = {
        WITH_TARGET("'y'", NUMBER("-20", "60") ", 'missing': 40"),
        MATRIX("'target': {'lower': -20, 'upper': 60, 'missing': 40}")};
    for (size_t i = 0; i < 2; i++) {
        fixture made = fixture_of(schemas[i], NULL, SOT_TARGET_NUMBER);
        assert_true(target_of(&made, -20.0) == -1.0);
        assert_true(target_of(&made, 60.0) == 1.0);
        assert_true(target_of(&made, 20.0) == 0.0);
        assert_true(target_of(&made, 45.0) == 0.625);
        assert_true(target_of(&made, 1e300) == 1.0);
        assert_true(target_of(&made, -20.001) == -1.0);
        assert_true(target_of(&made, NAN) == 0.5);
        assert_true(target_of(&made, INFINITY) == 0.5);
        assert_true(number_of(&made, NAN) == 40.0);
        assert_true(number_of(&made, 61.5) == 60.0);
        assert_true(number_of(&made, 33.25) == 33.25);
        assert_true(sot_encoding_target_most(made.encoding) == 1.0);
        assert_int_equal(sot_encoding_classes(made.encoding), 0);
        fixture_free(&made);
    }
}

static void a_prediction_is_in_the_units_of_the_target_and_within_its_bounds(void **state)
{
    (void)state;
    fixture made = fixture_of(MATRIX("'target': {'lower': -20, 'upper': 60}"), NULL,
                              SOT_TARGET_NUMBER);
    const sotto_target *target = sot_encoding_target(made.encoding);
    assert_true(target->lower == -20.0 && target->upper == 60.0);
    assert_true(target->missing_number == 20.0); /* the middle unless it is said */
    assert_true(sot_encoding_target_value(made.encoding, 0.625) == 45.0);
    assert_true(sot_encoding_target_value(made.encoding, 1.7) == 60.0);
    assert_true(sot_encoding_target_value(made.encoding, -INFINITY) == -20.0);
    assert_true(sot_encoding_target_value(made.encoding, NAN) == 20.0);
    fixture_free(&made);
    made =
        fixture_of(MATRIX("'target': {'lower': 2, 'upper': 7}"), NULL, SOT_TARGET_COUNT);
    assert_true(sot_encoding_target_value(made.encoding, 3.375) == 3.375);
    assert_true(sot_encoding_target_value(made.encoding, 1.25) == 2.0);
    assert_true(sot_encoding_target_value(made.encoding, 1e9) == 7.0);
    fixture_free(&made);
}

static void counts_stay_as_they_are(void **state)
{
    (void)state;
    fixture made = fixture_of(
        WITH_TARGET("'y'", "'type': 'integer', 'lower': 0, 'upper': 1000, 'missing': 3"),
        NULL, SOT_TARGET_COUNT);
    for (double count = 0.0; count <= 1000.0; count += 1.0)
        assert_true(target_of(&made, count) == count);
    assert_true(target_of(&made, 5000.0) == 1000.0);
    assert_true(target_of(&made, -7.0) == 0.0);
    assert_true(target_of(&made, NAN) == 3.0);
    assert_true(sot_encoding_target_most(made.encoding) == 1000.0);
    fixture_free(&made);
    made = fixture_of(MATRIX("'target': {'lower': 0, 'upper': 4503599627370495}"), NULL,
                      SOT_TARGET_COUNT);
    const double most = sot_encoding_target_most(made.encoding);
    assert_within(most, 4503599627370495.0 * (1.0 - 0x1p-23), 4503599627370495.0);
    assert_true(target_of(&made, 1e18) == most);
    fixture_free(&made);
}

/* 2^24 units at most, so a float holds it: whatever the record holds. */
static void every_target_is_on_its_grid_and_within_its_bound(void **state)
{
    (void)state;
    static const char *const schemas[] = {
        MATRIX("'target': {'lower': -0.1, 'upper': 0.7}"),
        MATRIX("'target': {'lower': -4503599627370496, 'upper': 4503599627370496}"),
        MATRIX("'target': {'lower': 1e15, 'upper': 1000000000000001}"),
        MATRIX("'target': {'lower': 1e-300, 'upper': 2e-300}"),
        MATRIX("'target': {'lower': 0, 'upper': 7.3}"),
    };
    sotto_error error;
    sotto_rng *rng = NULL;
    assert_ok(sotto_rng_new_for_test(77, &rng, &error), &error);
    for (size_t k = 0; k < 5; k++) {
        for (size_t role = 0; role < 2; role++) {
            if (role == 1 && (k < 2 || k == 3)) continue; /* no counts */
            fixture made = fixture_of(schemas[k], NULL,
                                      role == 0 ? SOT_TARGET_NUMBER : SOT_TARGET_COUNT);
            const double unit = sot_encoding_target_unit(made.encoding);
            const double most = sot_encoding_target_most(made.encoding);
            const sotto_target *target = sot_encoding_target(made.encoding);
            for (size_t i = 0; i < 20000; i++) {
                const uint64_t bits = sot_rng_u64(rng);
                double any;
                memcpy(&any, &bits, sizeof any);
                const double part = (double)(bits >> 11) * 0x1p-53;
                const double near =
                    target->lower + (target->upper - target->lower) * part;
                const double number = i % 2 == 0 ? any : near;
                const double seen = target_of(&made, number);
                const double units = seen / unit;
                assert_true(fabs(seen) <= most && units == trunc(units));
                assert_true(fabs(units) <= 0x1p24 && (double)(float)seen == seen);
                if (i % 2 == 0) continue;
                /* Back in its own units it is what it was, but for the grid. */
                const double back = sot_encoding_target_value(made.encoding, seen);
                assert_within(back, target->lower, target->upper);
                const double step =
                    role == 0 ? unit * (target->upper - target->lower) : unit;
                assert_within(back - near, -step - fabs(near) * 0x1p-51,
                              step + fabs(near) * 0x1p-51);
            }
            fixture_free(&made);
        }
    }
    sotto_rng_free(rng);
}

static void classes_are_signs_or_places(void **state)
{
    (void)state;
    fixture made = fixture_of(MATRIX("'labels': [0, 1]"), NULL, SOT_TARGET_CLASSES);
    assert_true(target_of(&made, 0.0) == -1.0 && target_of(&made, 1.0) == 1.0);
    assert_true(sot_encoding_target_most(made.encoding) == 1.0);
    fixture_free(&made);
    made = fixture_of(MATRIX("'labels': [4, 7, 9]"), NULL, SOT_TARGET_CLASSES);
    assert_true(target_of(&made, 4.0) == 0.0 && target_of(&made, 9.0) == 2.0);
    assert_true(target_of(&made, 5.0) == 0.0);
    assert_true(sot_encoding_target_most(made.encoding) == 2.0);
    fixture_free(&made);
}

static void a_matrix_in_memory_holds_the_scaled_numbers(void **state)
{
    (void)state;
    fixture made = fixture_of(MATRIX("'target': {'lower': -20, 'upper': 60}"), NULL,
                              SOT_TARGET_NUMBER);
    double features[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    double labels[] = {45.0, 99.0};
    sotto_records records = {
        .features = {features, SOTTO_FLOAT64, 2, 3, 3 * sizeof(double), sizeof(double)},
        .labels = {labels, SOTTO_FLOAT64, 2, 1, sizeof(double), sizeof(double)}};
    sotto_error error;
    sot_source *source = NULL;
    sot_matrix *matrix = NULL;
    sotto_rng *rng = NULL;
    assert_ok(sotto_rng_new_for_test(3, &rng, &error), &error);
    assert_ok(sot_source_open_records(&records, made.schema, &source, &error), &error);
    assert_ok(sot_matrix_load(source, made.schema, made.encoding, rng, &matrix, &error),
              &error);
    assert_true(matrix->labels[0] == 0.625 && matrix->labels[1] == 1.0);
    sot_matrix_free(matrix);
    sot_source_close(source);
    sotto_rng_free(rng);
    fixture_free(&made);
}

/* ---- the schema ---- */

static void the_target_of_a_matrix_survives_being_written(void **state)
{
    (void)state;
    sotto_error error;
    char *json = NULL;
    sotto_schema *schema =
        schema_of(MATRIX("'target': {'lower': -2.5, 'upper': 60.25, 'missing': 7}"));
    assert_ok(sotto_schema_to_json(schema, NULL, &json, &error), &error);
    assert_non_null(
        strstr(json, "\"target\":{\"lower\":-2.5,\"upper\":60.25,\"missing\":7"));
    sotto_schema *again = NULL;
    assert_ok(sotto_schema_parse("again", json, strlen(json), &again, &error), &error);
    const sotto_target *target = sotto_schema_target(again);
    assert_true(target->lower == -2.5 && target->upper == 60.25);
    assert_true(target->missing_number == 7.0 && target->bounded);
    assert_int_equal(target->label_count, 0);
    assert_null(target->column);
    sotto_free(json);
    sotto_schema_free(again);
    sotto_schema_free(schema);
}

static void assert_no_schema(const char *text, const char *first)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    char *json = json_of(text);
    assert_refused(sotto_schema_parse("s", json, strlen(json), &schema, &error),
                   SOTTO_PARSE, &error, first, NULL);
    free(json);
}

static void targets_without_a_range_are_refused(void **state)
{
    (void)state;
    assert_no_schema(MATRIX("'target': 'y'"), "the bounds of each row's number");
    assert_no_schema(MATRIX("'target': {'lower': 0}"), "upper");
    assert_no_schema(MATRIX("'target': {'lower': 1, 'upper': 1}"), "lower below upper");
    assert_no_schema(MATRIX("'target': {'lower': 0, 'upper': 1e300}"), "within 2^52");
    assert_no_schema(MATRIX("'target': {'lower': 0, 'upper': 1, 'missing': 2}"),
                     "within the target's bounds");
    assert_no_schema(MATRIX("'target': {'lower': 0, 'upper': 1, 'column': 'y'}"),
                     "column");
    assert_no_schema(MATRIX("'target': {'lower': 0, 'upper': 1}, 'labels': [0, 1]"),
                     "not both");
}

static void assert_refusal(const char *text, sot_target_role role, const char *first,
                           const char *second)
{
    sotto_error error;
    sot_encoding *encoding;
    sotto_schema *schema = schema_of(text);
    assert_refused(sot_encoding_new(schema, NULL, role, &encoding, &error),
                   SOTTO_INVALID_ARGUMENT, &error, first, second, NULL);
    sotto_schema_free(schema);
}

static void a_target_that_cannot_play_its_role_is_refused(void **state)
{
    (void)state;
    assert_refusal(MATRIX("'labels': [0, 1]"), SOT_TARGET_NUMBER, "is a class",
                   "\"lower\"");
    assert_refusal(WITH_TARGET("'y'", "'type': 'boolean'"), SOT_TARGET_NUMBER,
                   "'y' is a class", "without labels");
    assert_refusal(WITH_TARGET("{'column': 'y', 'above': 3}", NUMBER("0", "9")),
                   SOT_TARGET_COUNT, "'y' is a class", "without labels");
    assert_refusal(WITH_TARGET("'y'", "'type': 'number'"), SOT_TARGET_NUMBER,
                   "'y' no bounds", "known without the data");
    assert_refusal(WITH_TARGET("'y'", NUMBER("-1", "9")), SOT_TARGET_COUNT,
                   "'y' has the lower bound -1", "`model=linear`");
    assert_refusal(WITH_TARGET("'y'", NUMBER("0", "0.5")), SOT_TARGET_COUNT,
                   "'y' has the upper bound 0.5", "larger upper bound");
    assert_refusal(MATRIX("'target': {'lower': 0, 'upper': 1}"), SOT_TARGET_CLASSES,
                   "is a number", "\"labels\"");
}

static void what_a_target_is_follows_from_its_labels(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of(MATRIX("'target': {'lower': 0, 'upper': 1}"));
    assert_int_equal(sot_target_role_of(sotto_schema_target(schema)), SOT_TARGET_NUMBER);
    sotto_schema_free(schema);
    schema = schema_of(MATRIX("'labels': [0, 1]"));
    assert_int_equal(sot_target_role_of(sotto_schema_target(schema)), SOT_TARGET_CLASSES);
    sotto_schema_free(schema);
    assert_int_equal(sot_target_role_of(NULL), SOT_TARGET_CLASSES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bounds_of_a_number_become_minus_one_and_one),
        cmocka_unit_test(
            a_prediction_is_in_the_units_of_the_target_and_within_its_bounds),
        cmocka_unit_test(counts_stay_as_they_are),
        cmocka_unit_test(every_target_is_on_its_grid_and_within_its_bound),
        cmocka_unit_test(classes_are_signs_or_places),
        cmocka_unit_test(a_matrix_in_memory_holds_the_scaled_numbers),
        cmocka_unit_test(the_target_of_a_matrix_survives_being_written),
        cmocka_unit_test(targets_without_a_range_are_refused),
        cmocka_unit_test(a_target_that_cannot_play_its_role_is_refused),
        cmocka_unit_test(what_a_target_is_follows_from_its_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
