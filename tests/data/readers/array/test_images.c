/* Matrices of images: their shape, the bounds of their numbers, and bytes that need no arithmetic. */
#include "data/schemas.h"

#include <sotto/array.h>
#include <sotto/rng.h>

#include "base/memory.h"
#include "data/batches/matrix.h"
#include "data/schema/matrix.h"
#include "random/rng.h"

/* ---- the shape ---- */

static void assert_shape(const char *text, sot_shape_origin origin, size_t planes,
                         size_t height, size_t width)
{
    size_t shape[3];
    sotto_schema *schema = schema_of(text);
    assert_int_equal(sot_schema_shape(schema, shape), origin);
    assert_true(shape[0] == planes && shape[1] == height && shape[2] == width);
    if (origin != SOT_SHAPE_NONE)
        assert_int_equal(planes * height * width, sotto_schema_features(schema));
    /* And after it was written out. */
    sotto_error error;
    char *written = NULL, *again = NULL;
    sotto_schema *second = NULL;
    assert_ok(sotto_schema_to_json(schema, NULL, &written, &error), &error);
    assert_ok(sotto_schema_parse("w", written, strlen(written), &second, &error), &error);
    assert_int_equal(sot_schema_shape(second, shape), origin);
    assert_true(shape[0] == planes && shape[1] == height && shape[2] == width);
    assert_ok(sotto_schema_to_json(second, NULL, &again, &error), &error);
    assert_string_equal(written, again);
    sotto_free(written);
    sotto_free(again);
    sotto_schema_free(second);
    sotto_schema_free(schema);
}

#define REST ", 'labels': [0, 1], 'row_norm': {'bound': 2.5}}"

static void a_shape_is_given_or_inferred_or_none(void **state)
{
    (void)state;
    assert_shape("{'shape': [28, 20]" REST, SOT_SHAPE_GIVEN, 1, 28, 20);
    assert_shape("{'shape': [3, 32, 24], 'features': 2304" REST, SOT_SHAPE_GIVEN, 3, 32,
                 24);
    assert_shape("{'shape': [1, 1, 7]" REST, SOT_SHAPE_GIVEN, 1, 1, 7);
    assert_shape("{'shape': [4096, 4096]" REST, SOT_SHAPE_GIVEN, 1, 4096, 4096);
    assert_shape("{'features': 784" REST, SOT_SHAPE_INFERRED, 1, 28, 28);
    assert_shape("{'features': 3072" REST, SOT_SHAPE_INFERRED, 3, 32, 32);
    assert_shape("{'features': 16777216" REST, SOT_SHAPE_INFERRED, 1, 4096, 4096);
    assert_shape("{'features': 12" REST, SOT_SHAPE_INFERRED, 3, 2, 2);
    assert_shape("{'features': 785" REST, SOT_SHAPE_NONE, 0, 0, 0);
    assert_shape("{'features': 1" REST, SOT_SHAPE_NONE, 0, 0, 0);
    assert_shape("{'features': 3" REST, SOT_SHAPE_NONE, 0, 0, 0);
    assert_shape("{'columns': [{'name': 'a', 'type': 'boolean'}]}", SOT_SHAPE_NONE, 0, 0,
                 0);
}

static void assert_schema_refused(const char *text, const char *word)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    char *json = json_of(text);
    assert_refused(sotto_schema_parse("s.json", json, strlen(json), &schema, &error),
                   SOTTO_PARSE, &error, word, NULL);
    free(json);
}

static void shapes_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "784",          "[784]",         "[1, 2, 3, 4]",   "[]",
        "[28, 0]",      "[28, -28]",     "[28, 28.5]",     "['28', 2]",
        "[4096, 4097]", "[2, 5e3, 5e3]", "{'height': 28}", "null"};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        char text[128];
        (void)snprintf(text, sizeof text, "{'shape': %s" REST, shapes[i]);
        assert_schema_refused(text, "[height, width]");
    }
    assert_schema_refused("{'shape': [28, 28], 'features': 783" REST, "product");
    assert_schema_refused("{'features': 783, 'shape': [28, 28]" REST, "product");
    assert_schema_refused("{'shape': [1, 1], 'columns': [{'name': 'a', 'type': "
                          "'boolean'}]}",
                          "belongs to a matrix");
    assert_schema_refused("{'numbers': {'lower': 0, 'upper': 1}, 'columns': [{'name': "
                          "'a', 'type': 'boolean'}]}",
                          "belongs to a matrix");
    assert_schema_refused("{'shape': [2, 2], 'unit': {'column': 'a', 'rows': 1}" REST,
                          "\"numbers\"");
    assert_schema_refused("{'features': 4, 'labels': [0, 1]}", "\"numbers\"");
}

static void bounds_that_are_none_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *numbers, *word;
    } cases[] = {{"255", "bounds of every number"},
                 {"{}", "\"lower\""},
                 {"{'lower': 0}", "upper"},
                 {"{'lower': 3, 'upper': 3}", "lower below upper"},
                 {"{'lower': 0, 'upper': 1e300}", "2^52"},
                 {"{'lower': 0, 'upper': 1, 'missing': 2}", "within its bounds"},
                 {"{'lower': 0, 'upper': 1, 'scale': 'wide'}", "symmetric"},
                 {"{'lower': 0, 'upper': 1, 'type': 'integer'}", "type"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[160];
        (void)snprintf(text, sizeof text,
                       "{'features': 4, 'labels': [0, 1], 'numbers': %s}",
                       cases[i].numbers);
        assert_schema_refused(text, cases[i].word);
    }
}

/* ---- encoding ---- */

typedef struct fixture {
    sotto_schema *schema;
    sot_encoding *encoding;
    sot_features features;
    float *dense;
    size_t dimension;
} fixture;

static fixture fixture_of(const char *text)
{
    sotto_error error;
    fixture made = {.schema = schema_of(text)};
    assert_ok(
        sot_encoding_new(made.schema, NULL, SOT_TARGET_CLASSES, &made.encoding, &error),
        &error);
    made.dimension = sot_encoding_dimension(made.encoding);
    made.features.indices = calloc(made.dimension, sizeof *made.features.indices);
    made.features.values = calloc(made.dimension, sizeof *made.features.values);
    made.dense = calloc(made.dimension, sizeof *made.dense);
    assert_true(made.features.indices != NULL && made.features.values != NULL &&
                made.dense != NULL);
    return made;
}

static void fixture_free(fixture *made)
{
    free(made->features.indices);
    free(made->features.values);
    free(made->dense);
    sot_encoding_free(made->encoding);
    sotto_schema_free(made->schema);
}

/* Both ways give the same bits, and in integers the squares are within the bound. */
static void encode_both_ways(fixture *made, const sot_record *record)
{
    const double unit = ldexp(1.0, sot_encoding_exponent(made->encoding));
    const double radius = sot_encoding_bound(made->encoding) / unit;
    uint64_t squares = 0;
    size_t entry = 0;
    sot_features other = {.indices = calloc(made->dimension, sizeof(uint32_t)),
                          .values = calloc(made->dimension, sizeof(float))};
    assert_true(other.indices != NULL && other.values != NULL);
    memset(made->dense, 0xff, made->dimension * sizeof *made->dense);
    sot_encode(made->encoding, record, &made->features);
    sot_encode_dense(made->encoding, record, &other, made->dense);
    for (size_t i = 0; i < made->dimension; i++) {
        float wanted = 0.0F;
        if (entry < made->features.count && made->features.indices[entry] == i)
            wanted = made->features.values[entry++];
        assert_memory_equal(&made->dense[i], &wanted, sizeof wanted);
        const double units = (double)wanted / unit;
        assert_true(units == trunc(units) && fabs(units) <= 0x1p24);
        assert_true(fabs((double)wanted) <= sot_encoding_feature_most(made->encoding));
        squares += (uint64_t)((int64_t)units * (int64_t)units);
    }
    assert_int_equal(entry, made->features.count);
    const double product = radius * radius;
    assert_true(squares < UINT64_C(1) << 53);
    assert_true((double)squares < product ||
                ((double)squares == product && fma(radius, radius, -product) >= 0.0));
    free(other.indices);
    free(other.values);
}

static void pixels_become_fractions_on_the_grid(void **state)
{
    (void)state;
    fixture made = fixture_of("{'shape': [16, 16], 'labels': [0, 1], 'numbers': "
                              "{'lower': 0, 'upper': 255, 'scale': 'unit'}}");
    unsigned char bytes[256];
    double values[256];
    uint32_t indices[256];
    for (size_t i = 0; i < 256; i++) {
        bytes[i] = (unsigned char)i;
        values[i] = (double)i;
        indices[i] = (uint32_t)i;
    }
    sot_record record = {.indices = indices, .values = values, .count = 256};
    assert_true(sot_encoding_bound(made.encoding) == 16.0);
    assert_true(sot_encoding_feature_most(made.encoding) == 1.0);
    assert_int_equal(sot_encoding_exponent(made.encoding), -20);
    assert_false(sot_encoding_row_norm(made.encoding).given);
    assert_true(sot_encoding_keeps_zeros(made.encoding));
    for (int by_bytes = 0; by_bytes < 2; by_bytes++) {
        record.bytes = by_bytes ? bytes : NULL;
        encode_both_ways(&made, &record);
        for (size_t i = 0; i < 256; i++) {
            const double pixel = (double)i / 255.0;
            assert_true((double)made.dense[i] ==
                        floor(pixel * 0x1p20) * 0x1p-20); /* 255: exactly 1 */
        }
    }
    fixture_free(&made);
}

/* Any bit patterns, numbers in and out of the bounds, all there or some. */
static void rows_of_anything_are_within_the_bound(void **state)
{
    (void)state;
    static const char *const schemas[] = {
        "{'features': 12, 'labels': [0, 1], 'numbers': {'lower': 0, 'upper': 255, "
        "'scale': 'unit'}}",
        "{'features': 12, 'labels': [0, 1], 'numbers': {'lower': -3, 'upper': 100.5}, "
        "'intercept': 0.75}",
        "{'features': 12, 'labels': [0, 1], 'numbers': {'lower': 7, 'upper': 200, "
        "'scale': 'none', 'missing': 8.5}, 'intercept': 3}",
        "{'features': 12, 'labels': [0, 1], 'numbers': {'lower': 0, 'upper': 255, "
        "'scale': {'center': 120.7, 'width': 64.1}}, 'row_norm': {'bound': 1.5}}",
        "{'features': 12, 'labels': [0, 1], 'numbers': {'lower': 0, 'upper': 255}, "
        "'row_norm': {'bound': 1.5, 'rule': 'scale'}}"};
    sotto_error error;
    sotto_rng *rng = NULL;
    assert_ok(sotto_rng_new_for_test(11, &rng, &error), &error);
    for (size_t s = 0; s < sizeof schemas / sizeof schemas[0]; s++) {
        fixture made = fixture_of(schemas[s]);
        for (size_t trial = 0; trial < 4000; trial++) {
            unsigned char bytes[12];
            double values[12];
            uint32_t indices[12];
            sot_record record = {.indices = indices, .values = values};
            const uint64_t kind = trial % 4;
            for (uint32_t i = 0; i < 12; i++) {
                const uint64_t bits = sot_rng_u64(rng);
                if (kind == 3 && bits % 3 == 0) continue; /* not listed */
                double *value = &values[record.count];
                indices[record.count] = i;
                bytes[record.count++] = (unsigned char)(bits >> 8);
                *value = (double)(unsigned char)(bits >> 8);
                if (kind == 1) memcpy(value, &bits, sizeof bits);
                if (kind == 2) *value = ldexp((double)(int64_t)bits, -54);
            }
            record.bytes = kind == 0 ? bytes : NULL;
            encode_both_ways(&made, &record);
        }
        fixture_free(&made);
    }
    sotto_rng_free(rng);
}

static void what_is_no_number_is_the_missing_one(void **state)
{
    (void)state;
    fixture made = fixture_of("{'features': 4, 'labels': [0, 1], 'numbers': {'lower': "
                              "-8, 'upper': 8, 'missing': 2}}");
    static const double values[] = {(double)NAN, (double)INFINITY, -1e300, 6.0};
    static const uint32_t indices[] = {0, 1, 2, 3};
    static const float wanted[] = {0.25F, 0.25F, -1.0F, 0.75F};
    const sot_record record = {.indices = indices, .values = values, .count = 4};
    encode_both_ways(&made, &record);
    assert_memory_equal(made.dense, wanted, sizeof wanted);
    fixture_free(&made);
    /* What is not listed is a 0, and a 0 may be moved. */
    made = fixture_of("{'features': 4, 'labels': [0, 1], 'numbers': {'lower': 0, "
                      "'upper': 8}}");
    static const float moved[] = {-1.0F, -1.0F, -1.0F, 0.5F};
    const sot_record sparse = {.indices = indices + 3, .values = values + 3, .count = 1};
    assert_false(sot_encoding_keeps_zeros(made.encoding));
    encode_both_ways(&made, &sparse);
    assert_memory_equal(made.dense, moved, sizeof moved);
    fixture_free(&made);
}

/* ---- records ---- */

static sot_matrix *load(const fixture *made, sot_source *source)
{
    sotto_error error;
    sotto_rng *rng = NULL;
    sot_matrix *matrix = NULL;
    assert_ok(sotto_rng_new_for_test(3, &rng, &error), &error);
    assert_ok(sot_matrix_load(source, made->schema, made->encoding, rng, &matrix, &error),
              &error);
    sot_source_close(source);
    sotto_rng_free(rng);
    return matrix;
}

static sotto_array view(const void *data, sotto_element element, size_t size, size_t rows,
                        size_t columns)
{
    return (sotto_array){.data = data,
                         .element = element,
                         .rows = rows,
                         .columns = columns,
                         .row_stride_bytes = (ptrdiff_t)(size * columns),
                         .column_stride_bytes = (ptrdiff_t)size};
}

static void bytes_in_memory_are_the_numbers_they_are(void **state)
{
    (void)state;
    enum { ROWS = 5, SIDE = 6, COLUMNS = SIDE * SIDE };
    unsigned char bytes[ROWS][COLUMNS], labels[ROWS] = {0, 1, 1, 0, 9};
    double numbers[ROWS][COLUMNS];
    fixture made =
        fixture_of("{'shape': [6, 6], 'labels': [0, 1], 'intercept': 0.5, 'numbers': "
                   "{'lower': 10, 'upper': 200}}");
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        (&bytes[0][0])[i] = (unsigned char)(i * 37);
        (&numbers[0][0])[i] = (double)(unsigned char)(i * 37);
    }
    sotto_error error;
    sot_source *sources[2];
    sot_matrix *matrices[2];
    for (int i = 0; i < 2; i++) {
        const sotto_records records = {
            .features = i == 0 ? view(bytes, SOTTO_UINT8, 1, ROWS, COLUMNS)
                               : view(numbers, SOTTO_FLOAT64, 8, ROWS, COLUMNS),
            .labels = view(labels, SOTTO_UINT8, 1, ROWS, 1)};
        assert_ok(sot_source_open_records(&records, made.schema, &sources[i], &error),
                  &error);
        matrices[i] = load(&made, sources[i]);
    }
    assert_int_equal(matrices[0]->rows, ROWS);
    assert_int_equal(matrices[0]->columns, COLUMNS + 1);
    const size_t floats = ROWS * matrices[0]->stride;
    assert_memory_equal(matrices[0]->dense, matrices[1]->dense, floats * sizeof(float));
    assert_true(matrices[0]->dense[COLUMNS] == 0.5F);
    for (size_t j = COLUMNS + 1; j < matrices[0]->stride; j++)
        assert_true(matrices[0]->dense[j] == 0.0F); /* the padding */
    sot_matrix_free(matrices[0]);
    sot_matrix_free(matrices[1]);
    fixture_free(&made);
}

/* Storage follows the schema and the kind of file, never the rows. */
static void zeros_that_are_moved_are_stored(void **state)
{
    (void)state;
    static const struct {
        const char *lower;
        bool sparse;
    } cases[] = {{"0", true}, {"-8", false}};
    const char *path = write_file("moved.libsvm", "1 3:4\n0\n");
    for (size_t i = 0; i < 2; i++) {
        char text[160];
        sotto_error error;
        sot_source *source = NULL;
        (void)snprintf(text, sizeof text,
                       "{'features': 64, 'labels': [0, 1], 'numbers': {'lower': %s, "
                       "'upper': 8, 'scale': 'unit'}}",
                       cases[i].lower);
        fixture made = fixture_of(text);
        assert_ok(sot_source_open_file(path, made.schema, false, &source, &error),
                  &error);
        sot_matrix *matrix = load(&made, source);
        assert_int_equal(matrix->rows, 2);
        assert_int_equal(matrix->dense == NULL, cases[i].sparse);
        if (!cases[i].sparse) {
            assert_true(matrix->dense[2] == 0.75F && matrix->dense[3] == 0.5F);
            assert_true(matrix->dense[matrix->stride + 63] == 0.5F);
        }
        sot_matrix_free(matrix);
        fixture_free(&made);
    }
    (void)unlink(path);
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    sotto_schema *schema =
        schema_of("{'shape': [2, 2], 'labels': [0, 1], 'numbers': {'lower': 0, 'upper': "
                  "255, 'scale': 'unit'}}");
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        sot_encoding *encoding = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sot_encoding_new(schema, NULL, SOT_TARGET_CLASSES, &encoding, &error);
        const size_t asked = sot_test_fail_allocation(0);
        sot_encoding_free(encoding);
        if (asked < nth) {
            assert_int_equal(status, SOTTO_OK);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    sotto_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shape_is_given_or_inferred_or_none),
        cmocka_unit_test(shapes_that_are_none_are_refused),
        cmocka_unit_test(bounds_that_are_none_are_refused),
        cmocka_unit_test(pixels_become_fractions_on_the_grid),
        cmocka_unit_test(rows_of_anything_are_within_the_bound),
        cmocka_unit_test(what_is_no_number_is_the_missing_one),
        cmocka_unit_test(bytes_in_memory_are_the_numbers_they_are),
        cmocka_unit_test(zeros_that_are_moved_are_stored),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
