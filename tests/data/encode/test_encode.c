/* The encoding: every record becomes a vector on the grid whose norm is at most R, exactly. */
#include "data/schemas.h"

#include <float.h>

#include <sotto/rng.h>

#include "base/memory.h"
#include "data/encode/encode.h"
#include "random/rng.h"

typedef struct fixture {
    sotto_schema *schema;
    sot_encoding *encoding;
    sot_features features;
} fixture;

static fixture fixture_of(const char *text, const char *target)
{
    sotto_error error;
    fixture made = {.schema = schema_of(text)};
    assert_ok(
        sot_encoding_new(made.schema, target, SOT_TARGET_CLASSES, &made.encoding, &error),
        &error);
    const size_t dimension = sot_encoding_dimension(made.encoding);
    made.features.indices = calloc(dimension, sizeof *made.features.indices);
    made.features.values = calloc(dimension, sizeof *made.features.values);
    assert_non_null(made.features.indices);
    assert_non_null(made.features.values);
    return made;
}

static void fixture_free(fixture *made)
{
    free(made->features.indices);
    free(made->features.values);
    sot_encoding_free(made->encoding);
    sotto_schema_free(made->schema);
}

static void encode_cells(fixture *made, const double *cells)
{
    const sot_record record = {.cells = cells};
    sot_encode(made->encoding, &record, &made->features);
}

static void encode_values(fixture *made, const uint32_t *indices, const double *values,
                          size_t count)
{
    const sot_record record = {.indices = indices, .values = values, .count = count};
    sot_encode(made->encoding, &record, &made->features);
}

/* The sum of the squared units, in integers; every feature is seen to be on the grid, and within its own
 * bound. */
static uint64_t squares_of(const fixture *made)
{
    const double unit = ldexp(1.0, sot_encoding_exponent(made->encoding));
    uint64_t squares = 0;
    for (size_t i = 0; i < made->features.count; i++) {
        const double units = (double)made->features.values[i] / unit;
        assert_true(units == trunc(units) && units != 0.0 && fabs(units) <= 0x1p24);
        assert_true(made->features.indices[i] < sot_encoding_dimension(made->encoding));
        if (i > 0) assert_true(made->features.indices[i - 1] < made->features.indices[i]);
        assert_true(fabs((double)made->features.values[i]) <=
                    sot_encoding_feature_most(made->encoding));
        const int64_t whole = (int64_t)units;
        squares += (uint64_t)(whole * whole);
    }
    return squares;
}

/* squares <= (R / unit)^2, without rounding: the error of the product is a double. */
static bool within_bound(const fixture *made, uint64_t squares)
{
    const double radius =
        ldexp(sot_encoding_bound(made->encoding), -sot_encoding_exponent(made->encoding));
    const double product = radius * radius;
    const double rest = fma(radius, radius, -product);
    assert_true(squares < UINT64_C(1) << 53);
    return (double)squares < product || ((double)squares == product && rest >= 0.0);
}

static double norm_of(const fixture *made)
{
    return ldexp(sqrt((double)squares_of(made)), sot_encoding_exponent(made->encoding));
}

static const char table[] =
    "{'target': 'sick', 'columns': ["
    "{'name': 'age', 'type': 'number', 'lower': 18, 'upper': 90},"
    "{'name': 'note', 'type': 'ignore'},"
    "{'name': 'town', 'type': 'category', 'values': ['Lund', 'Ystad', 'Kivik']},"
    "{'name': 'sick', 'type': 'boolean'},"
    "{'name': 'smokes', 'type': 'boolean'},"
    "{'name': 'visits', 'type': 'integer', 'lower': 0, 'upper': 12, 'scale': 'unit'},"
    "{'name': 'dose', 'type': 'number', 'lower': -3, 'upper': 1.5, 'scale': 'none'},"
    "{'name': 'weight', 'type': 'number', 'lower': 40, 'upper': 200,"
    " 'scale': {'center': 72, 'width': 64}}]}";

static void features_are_what_the_schema_says(void **state)
{
    (void)state;
    static const char *const names[] = {"age",        "town=Lund", "town=Ystad",
                                        "town=Kivik", "smokes",    "visits",
                                        "dose",       "weight",    "(intercept)"};
    fixture made = fixture_of(table, NULL);
    assert_int_equal(sot_encoding_dimension(made.encoding), 9);
    assert_int_equal(sot_encoding_nonzeros_most(made.encoding), 7);
    for (size_t i = 0; i < 9; i++)
        assert_string_equal(sot_encoding_feature(made.encoding, i), names[i]);
    /* age 36 -> (36-54)/36; Kivik; smokes; 3 of 12; -1.25; (56-72)/64; 1 */
    const double cells[] = {36.0, 0.0, 2.0, 1.0, 1.0, 3.0, -1.25, 56.0};
    const uint32_t indices[] = {0, 3, 4, 5, 6, 7, 8};
    const float values[] = {-0.5F, 1.0F, 1.0F, 0.25F, -1.25F, -0.25F, 1.0F};
    encode_cells(&made, cells);
    assert_int_equal(made.features.count, 7);
    assert_memory_equal(made.features.indices, indices, sizeof indices);
    assert_memory_equal(made.features.values, values, sizeof values);
    /* 1 + 1 + 1 + 1 + 9 + 4 of the columns and 1 of the constant */
    assert_true(sot_encoding_bound(made.encoding) == nextafter(sqrt(18.0), 5.0) ||
                sot_encoding_bound(made.encoding) == sqrt(18.0));
    assert_true(sot_encoding_intercept(made.encoding) == 1.0);
    assert_false(sot_encoding_row_norm(made.encoding).given);
    const double middle[] = {54.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 72.0};
    encode_cells(&made, middle); /* zeros are left out */
    assert_int_equal(made.features.count, 2);
    fixture_free(&made);
}

static void another_target_makes_other_features(void **state)
{
    (void)state;
    fixture made = fixture_of(table, "town");
    assert_int_equal(sot_encoding_dimension(made.encoding), 7);
    assert_string_equal(sot_encoding_feature(made.encoding, 1), "sick");
    assert_int_equal(sot_encoding_classes(made.encoding), 3);
    assert_string_equal(sot_encoding_class(made.encoding, 2), "Kivik");
    fixture_free(&made);
}

static void the_bound_is_attained_where_nothing_is_cut(void **state)
{
    (void)state;
    fixture made = fixture_of(table, NULL);
    const double longest[] = {90.0, 0.0, 1.0, 1.0, 1.0, 12.0, -3.0, 200.0};
    encode_cells(&made, longest);
    const uint64_t squares = squares_of(&made);
    assert_true(within_bound(&made, squares));
    assert_false(within_bound(&made, squares + 1));
    fixture_free(&made);
}

/* ---- every record ---- */

/* Bit patterns, extreme values and ordinary ones. */
static double any_number(sotto_rng *rng)
{
    static const double extremes[] = {
        0.0,      -0.0,       NAN,    INFINITY, -INFINITY, DBL_MAX, -DBL_MAX,
        DBL_MIN,  -DBL_MIN,   5e-324, -5e-324,  0x1p490,   0x1p491, 0x1p-500,
        0x1p-501, -0x1p-1000, 1e300,  1e-300,   1.0,       -1.0,    0x1p52,
        0.1,      1e17,       -1e-17, 0x1p24,   0x1p-24};
    const uint64_t word = sot_rng_u64(rng);
    double number;
    switch (word & 3) {
    case 0:
        return extremes[(word >> 2) % (sizeof extremes / sizeof extremes[0])];
    case 1:
        memcpy(&number, &word, sizeof number);
        return number;
    default:
        return ldexp((double)(int64_t)word, (int)(word >> 2 & 63) - 80);
    }
}

static void every_row_of_a_matrix_is_within_the_bound(void **state)
{
    (void)state;
    static const char *const norms[] = {
        "'bound': 1.0, 'rule': 'scale'",    "'bound': 1.0, 'rule': 'clip'",
        "'bound': 0.3, 'rule': 'scale'",    "'bound': 7.3e11, 'rule': 'clip'",
        "'bound': 1.1e-12, 'rule': 'clip'", "'bound': 1e18, 'rule': 'scale'"};
    static const char *const intercepts[] = {"0", "1", "0", "3e11", "1e-12", "1e15"};
    sotto_rng *rng = NULL;
    sotto_error error;
    assert_ok(sotto_rng_new_for_test(20, &rng, &error), &error);
    for (size_t k = 0; k < 6; k++) {
        char text[256];
        (void)snprintf(text, sizeof text,
                       "{'features': 40, 'labels': [-1, 1], 'intercept': %s, "
                       "'row_norm': {%s}}",
                       intercepts[k], norms[k]);
        fixture made = fixture_of(text, NULL);
        const bool ordinary = k % 2 == 0;
        for (size_t trial = 0; trial < 20000; trial++) {
            uint32_t indices[41];
            double values[41];
            const size_t count = sot_rng_u64(rng) % 42;
            for (size_t i = 0; i < count; i++) {
                indices[i] = (uint32_t)i; /* the last one is none of the features */
                values[i] = ordinary && trial % 2 == 0
                                ? ldexp((double)(int64_t)sot_rng_u64(rng), -63)
                                : any_number(rng);
            }
            encode_values(&made, indices, values, count);
            assert_true(within_bound(&made, squares_of(&made)));
        }
        fixture_free(&made);
    }
    sotto_rng_free(rng);
}

static void every_row_of_a_table_is_within_the_bound(void **state)
{
    (void)state;
    static const char *const norms[] = {"", "'row_norm': {'bound': 1.7, 'rule': 'clip'},",
                                        "'row_norm': {'bound': 0.9, 'rule': 'scale'},",
                                        "'row_norm': {'bound': 900, 'rule': 'clip'},",
                                        "'row_norm': {'bound': 40, 'rule': 'scale'},"};
    sotto_rng *rng = NULL;
    sotto_error error;
    assert_ok(sotto_rng_new_for_test(21, &rng, &error), &error);
    for (size_t k = 0; k < sizeof norms / sizeof norms[0]; k++) {
        char text[2048];
        (void)snprintf(text, sizeof text, "{%s%s", norms[k], table + 1);
        fixture made = fixture_of(text, NULL);
        for (size_t trial = 0; trial < 20000; trial++) {
            double cells[8];
            for (size_t i = 0; i < 8; i++) {
                cells[i] = any_number(rng);
                if (trial % 2 == 0)
                    cells[i] = (double)sot_rng_below(rng, 250000) * 0.001 - 20.0;
            }
            encode_cells(&made, cells);
            assert_true(within_bound(&made, squares_of(&made)));
        }
        fixture_free(&made);
    }
    sotto_rng_free(rng);
}

static void rows_longer_than_the_bound_come_close_to_it(void **state)
{
    (void)state;
    fixture made = fixture_of("{'features': 3, 'labels': [0, 1],"
                              " 'row_norm': {'bound': 5, 'rule': 'clip'}}",
                              NULL);
    const uint32_t indices[] = {0, 1, 2};
    const double three_four[] = {3.0, 4.0, 0.0};
    encode_values(&made, indices, three_four, 3); /* as long as allowed: untouched */
    assert_int_equal(made.features.count, 2);
    assert_true(made.features.values[0] == 3.0F && made.features.values[1] == 4.0F);
    const double longer[] = {-1e200, 0.0, 1e200};
    encode_values(&made, indices, longer, 3);
    assert_within(norm_of(&made), 5.0 * (1.0 - 0x1p-21), 5.0);
    assert_true(made.features.values[0] == -made.features.values[1]);
    const double small[] = {0.25, 0.0, 0.0};
    encode_values(&made, indices, small, 3);
    assert_true(made.features.values[0] == 0.25F);
    fixture_free(&made);
}

static void scaled_rows_have_the_norm_of_the_schema(void **state)
{
    (void)state;
    fixture made = fixture_of("{'features': 3, 'labels': [0, 1],"
                              " 'row_norm': {'bound': 1.0, 'rule': 'scale'}}",
                              NULL);
    assert_true(sot_encoding_bound(made.encoding) == 1.0);
    const uint32_t indices[] = {0, 1, 2};
    static const double rows[][3] = {{0.001, 0.002, -0.0005}, {1e100, 3e99, 2e100},
                                     {1e-120, 0.0, 1e-120},   {7.0, 24.0, 0.0},
                                     {1.0, 0.0, 0.0},         {1e-3, 1e3, 1e-9}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        encode_values(&made, indices, rows[i], 3);
        assert_within(norm_of(&made), 1.0 - 0x1p-21, 1.0);
    }
    encode_values(&made, indices, rows[4], 3);
    assert_true(made.features.count == 1 && made.features.values[0] == 1.0F);
    const double zeros[] = {0.0, -0.0, 0.0};
    encode_values(&made, indices, zeros, 3); /* has no direction, and stays where it is */
    assert_int_equal(made.features.count, 0);
    encode_values(&made, indices, NULL, 0);
    assert_int_equal(made.features.count, 0);
    fixture_free(&made);
}

static void what_is_no_number_counts_as_a_public_constant(void **state)
{
    (void)state;
    fixture made = fixture_of("{'features': 3, 'labels': [0, 1], 'intercept': 0.5,"
                              " 'row_norm': {'bound': 1.0, 'rule': 'scale'}}",
                              NULL);
    const uint32_t indices[] = {0, 1, 2};
    const double bad[] = {NAN, INFINITY, -INFINITY};
    encode_values(&made, indices, bad, 3);
    assert_true(made.features.count == 1 && made.features.indices[0] == 3 &&
                made.features.values[0] == 0.5F);
    fixture_free(&made);
    made = fixture_of(table, NULL);
    const double missing[] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    const double middles[] = {54.0, 0.0, 0.0, 0.0, 0.0, 6.0, -0.75, 120.0};
    float values[9];
    encode_cells(&made, missing);
    memcpy(values, made.features.values, sizeof values);
    const size_t count = made.features.count;
    encode_cells(&made, middles);
    assert_int_equal(count, made.features.count);
    assert_memory_equal(values, made.features.values, count * sizeof *values);
    const double beyond[] = {-INFINITY, 0.0, 1e9, 0.0, 7.0, 1e300, -4.0, 39.0};
    const double ends[] = {18.0, 0.0, 2.0, 0.0, 1.0, 12.0, -3.0, 40.0};
    encode_cells(&made, beyond);
    memcpy(values, made.features.values, sizeof values);
    encode_cells(&made, ends);
    assert_memory_equal(values, made.features.values,
                        made.features.count * sizeof *values);
    fixture_free(&made);
}

static void a_record_does_not_depend_on_the_others(void **state)
{
    (void)state;
    fixture made = fixture_of(table, NULL);
    const double first[] = {33.3, 0.0, 1.0, 1.0, 0.0, 7.0, 0.7, 61.7};
    const double other[] = {77.7, 0.0, 2.0, 0.0, 1.0, 11.0, -2.9, 199.0};
    float values[9];
    encode_cells(&made, first);
    memcpy(values, made.features.values, sizeof values);
    encode_cells(&made, other);
    encode_cells(&made, first);
    assert_memory_equal(values, made.features.values,
                        made.features.count * sizeof *values);
    fixture_free(&made);
}

/* ---- labels ---- */

static size_t label_of(const fixture *made, double label)
{
    const sot_record record = {.label = label};
    return sot_encode_label(made->encoding, &record);
}

static size_t label_of_cell(const fixture *made, double cell)
{
    const double cells[] = {cell, 0.0};
    const sot_record record = {.cells = cells};
    return sot_encode_label(made->encoding, &record);
}

static void labels_outside_the_set_count_as_the_default(void **state)
{
    (void)state;
    fixture made =
        fixture_of("{'features': 1, 'labels': [-1, 1], 'row_norm': {'bound': 1}}", NULL);
    assert_int_equal(label_of(&made, -1.0), 0);
    assert_int_equal(label_of(&made, 1.0), 1);
    static const double others[] = {0.0, 2.0, 1e300, NAN, INFINITY, 0.999};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(label_of(&made, others[i]), 0);
    fixture_free(&made);
    made = fixture_of("{'features': 1, 'labels': [1, 2, 3], 'default_label': 3,"
                      " 'row_norm': {'bound': 1}}",
                      NULL);
    assert_int_equal(sot_encoding_classes(made.encoding), 3);
    assert_string_equal(sot_encoding_class(made.encoding, 2), "3");
    assert_int_equal(label_of(&made, 2.0), 1);
    assert_int_equal(label_of(&made, 7.0), 2);
    fixture_free(&made);
}

#define WITH_TARGET(target, column)                                                      \
    "{'target': " target ", 'columns': [{'name': 'y', " column "},"                      \
    "{'name': 'x', 'type': 'boolean'}]}"

static void labels_of_tables_follow_the_schema(void **state)
{
    (void)state;
    fixture made =
        fixture_of(WITH_TARGET("{'column': 'y', 'above': 0, 'labels': ['no', 'yes']}",
                               "'type': 'number', 'lower': 0, 'upper': 60, 'missing': 0"),
                   NULL);
    assert_string_equal(sot_encoding_class(made.encoding, 1), "yes");
    assert_int_equal(label_of_cell(&made, 0.0), 0);
    assert_int_equal(label_of_cell(&made, 0.0416), 1);
    assert_int_equal(label_of_cell(&made, 1e9), 1);
    assert_int_equal(label_of_cell(&made, NAN), 0);
    fixture_free(&made);
    made = fixture_of(WITH_TARGET("{'column': 'y', 'labels': ['c', 'a']}",
                                  "'type': 'category', 'values': ['a', 'b', 'c']"),
                      NULL);
    assert_int_equal(label_of_cell(&made, 0.0), 1);
    assert_int_equal(label_of_cell(&made, 1.0), 1); /* b counts as the default, a */
    assert_int_equal(label_of_cell(&made, 2.0), 0);
    fixture_free(&made);
    made = fixture_of(WITH_TARGET("{'column': 'y', 'labels': [4, 2]}",
                                  "'type': 'integer', 'lower': 0, 'upper': 9"),
                      NULL);
    assert_int_equal(label_of_cell(&made, 2.0), 1);
    assert_int_equal(label_of_cell(&made, 4.0), 0);
    assert_int_equal(label_of_cell(&made, 5.0), 0);
    fixture_free(&made);
    made = fixture_of(WITH_TARGET("'y'", "'type': 'boolean', 'missing': true"), NULL);
    assert_int_equal(label_of_cell(&made, 0.0), 0);
    assert_int_equal(label_of_cell(&made, 1.0), 1);
    assert_int_equal(label_of_cell(&made, NAN), 1);
    fixture_free(&made);
}

/* ---- refusals ---- */

static void assert_refusal(const char *text, const char *target, const char *first,
                           const char *second)
{
    sotto_error error;
    sot_encoding *encoding;
    sotto_schema *schema = schema_of(text);
    assert_refused(
        sot_encoding_new(schema, target, SOT_TARGET_CLASSES, &encoding, &error),
        SOTTO_INVALID_ARGUMENT, &error, first, second, NULL);
    sotto_schema_free(schema);
}

static void a_schema_that_cannot_be_learned_from_is_refused(void **state)
{
    (void)state;
#define NUMBER "'type': 'number', 'lower': 0, 'upper': 1"
    assert_refusal("{'columns': [{'name': 'y', 'type': 'boolean'}]}", NULL,
                   "does not name the column to predict", "\"target\"");
    assert_refusal("{'columns': [{'name': 'y', 'type': 'boolean'}]}", "z",
                   "no column 'z'", "");
    assert_refusal(WITH_TARGET("'y'", NUMBER), NULL, "'y' is a number without labels",
                   "above");
    assert_refusal(WITH_TARGET("'y'", "'type': 'category', 'values': ['a']"), NULL,
                   "'y' has one value", "at least two");
    assert_refusal(WITH_TARGET("'x'", "'type': 'number'"), NULL, "'y' no bounds",
                   "\"ignore\"");
    assert_refusal("{'target': 'y', 'columns': [{'name': 'y', 'type': 'boolean'},"
                   "{'name': 'z', 'type': 'id'}]}",
                   NULL, "no column to learn from", "'y'");
    assert_refusal(WITH_TARGET("'x'", "'type': 'number', 'lower': 0, 'upper': 1e12, "
                                      "'scale': 'none'"),
                   NULL, "hide a constant column of 1", "\"intercept\"");
    assert_refusal("{'features': 2, 'labels': [0, 1], 'row_norm': {'bound': 1e-6},"
                   "'intercept': 1000}",
                   NULL, "hides rows of norm up to 1e-06", "\"intercept\"");
    assert_refusal("{'features': 2, 'labels': [0, 1], 'row_norm': {'bound': 1}}", "y",
                   "matrix", "leave the target out");
#undef NUMBER
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of(table);
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        sot_encoding *encoding = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sot_encoding_new(schema, "town", SOT_TARGET_CLASSES, &encoding, &error);
        const bool done = sot_test_fail_allocation(0) < nth;
        sot_encoding_free(encoding);
        if (done) {
            assert_int_equal(status, SOTTO_OK);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    sotto_schema_free(schema);
}

/* ---- exclusive booleans ---- */

static const char listed[] =
    "{'target': 'sick', 'exclusive': [['sand', 'clay', 'peat']], 'columns': ["
    "{'name': 'age', 'type': 'number', 'lower': 18, 'upper': 90},"
    "{'name': 'clay', 'type': 'boolean'}, {'name': 'peat', 'type': 'boolean'},"
    "{'name': 'sick', 'type': 'boolean'}, {'name': 'sand', 'type': 'boolean'},"
    "{'name': 'wet', 'type': 'boolean'}]}";

/* R^2 is 1 for the age, 1 for the list, 1 for `wet` and 1 for the constant. Every combination of cells is within it. */
static void exclusive_booleans_count_once(void **state)
{
    (void)state;
    static const char *const names[] = {"age",  "sand", "clay",
                                        "peat", "wet",  "(intercept)"};
    static const double values[] = {0.0, 1.0, (double)NAN, 7.0, -1.0};
    fixture made = fixture_of(listed, NULL);
    assert_int_equal(sot_encoding_dimension(made.encoding), 6);
    assert_int_equal(sot_encoding_nonzeros_most(made.encoding), 4);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(sot_encoding_feature(made.encoding, i), names[i]);
    assert_true(sot_encoding_bound(made.encoding) == 2.0);
    for (size_t i = 0; i < 625; i++) {
        const double clay = values[i % 5], peat = values[i / 5 % 5],
                     sand = values[i / 25 % 5], wet = values[i / 125];
        const double cells[] = {90.0, clay, peat, 0.0, sand, wet};
        encode_cells(&made, cells);
        assert_true(within_bound(&made, squares_of(&made)));
        /* The first of the list that is true, and no other. */
        const size_t wanted = sand >= 1.0 ? 1 : clay >= 1.0 ? 2 : peat >= 1.0 ? 3 : 0;
        size_t found = 0;
        for (size_t k = 0; k < made.features.count; k++) {
            const uint32_t index = made.features.indices[k];
            if (index < 1 || index > 3) continue;
            assert_int_equal(found, 0);
            assert_true(made.features.values[k] == 1.0F);
            found = index;
        }
        assert_int_equal(found, wanted);
    }
    fixture_free(&made);
}

static void the_target_leaves_its_list(void **state)
{
    (void)state;
    fixture made = fixture_of(listed, "sand");
    assert_int_equal(sot_encoding_dimension(made.encoding), 6);
    assert_string_equal(sot_encoding_feature(made.encoding, 1), "clay");
    assert_string_equal(sot_encoding_feature(made.encoding, 2), "peat");
    assert_string_equal(sot_encoding_feature(made.encoding, 3), "sick");
    assert_true(sot_encoding_bound(made.encoding) > 2.2);
    fixture_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_are_what_the_schema_says),
        cmocka_unit_test(another_target_makes_other_features),
        cmocka_unit_test(the_bound_is_attained_where_nothing_is_cut),
        cmocka_unit_test(every_row_of_a_matrix_is_within_the_bound),
        cmocka_unit_test(every_row_of_a_table_is_within_the_bound),
        cmocka_unit_test(rows_longer_than_the_bound_come_close_to_it),
        cmocka_unit_test(scaled_rows_have_the_norm_of_the_schema),
        cmocka_unit_test(what_is_no_number_counts_as_a_public_constant),
        cmocka_unit_test(a_record_does_not_depend_on_the_others),
        cmocka_unit_test(labels_outside_the_set_count_as_the_default),
        cmocka_unit_test(labels_of_tables_follow_the_schema),
        cmocka_unit_test(a_schema_that_cannot_be_learned_from_is_refused),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
        cmocka_unit_test(exclusive_booleans_count_once),
        cmocka_unit_test(the_target_leaves_its_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
