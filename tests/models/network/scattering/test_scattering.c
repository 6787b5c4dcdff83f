/* The scattering transform against the published vectors (tests/vectors/scattering.json), against its
 * formulas in double precision, and fast against portable. */
#include "support.h"

#include <jansson.h>

#include "base/memory.h"
#include "models/network/scattering/scattering.h"

#include "models/network/scattering/scattering_reference.h"

/* For pixels of size 1: what is allowed against the vectors, which are within 2e-7 themselves, and against the
 * formulas. Found: 1.7e-7. */
static const double tolerance = 1e-6, close_tolerance = 4e-7;

static double sawtooth(size_t i, size_t j)
{
    return sin(0.3 * (double)i + 0.1 * (double)j) + (double)((7 * i + 3 * j) % 11) / 11.0;
}

static double stroke(size_t n, size_t row, size_t column)
{
    const long i = (long)row, j = (long)column, side = (long)n;
    double value = (i - 9) * (i - 9) + (j - 17) * (j - 17) <= 30 ? 1.0 : 0.0;
    if (labs(i - 2 * j + 6) <= 2) value = 0.5;
    if (i >= side - 4 && i < side - 2 && j >= 3 && j < side - 5) value = 0.25;
    return value;
}

/* splitmix64 (Steele, Lea & Flood 2014): a fixed stream of pixels in [0, 1). */
static double next_pixel(uint64_t *stream)
{
    uint64_t z = (*stream += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ (z >> 31)) >> 40) * 0x1p-24;
}

/* A handle with its scratch memory and a result. */
typedef struct study {
    sot_scattering *scattering;
    float *scratch, *out;
    size_t outputs;
} study;

static study study_new(size_t side, size_t planes)
{
    study s;
    sotto_error error;
    assert_ok(sot_scattering_new(side, planes, &s.scattering, &error), &error);
    const size_t h = sot_scattering_out_side(s.scattering);
    assert_int_equal(h, side / 4);
    assert_int_equal(sot_scattering_channels(s.scattering), 81 * planes);
    s.outputs = h * h * 81 * planes;
    s.scratch =
        sot_new_aligned(sot_scattering_scratch_floats(s.scattering), sizeof(float));
    s.out = calloc(s.outputs, sizeof(float));
    assert_non_null(s.scratch);
    assert_non_null(s.out);
    return s;
}

static void study_free(study *s)
{
    sot_scattering_free(s->scattering);
    sot_free(s->scratch);
    free(s->out);
}

static void study_apply(study *s, const float *image)
{
    sot_scattering_apply(s->scattering, image, s->out, s->scratch);
}

/* ---- the vectors ---- */

static json_t *load_vectors(void)
{
    json_error_t problem;
    json_t *root = json_load_file(SOTTO_TEST_VECTORS "/scattering.json", 0, &problem);
    if (root == NULL) fail_msg("%s", problem.text);
    return root;
}

static double number_at(const json_t *array, size_t i)
{
    return json_number_value(json_array_get(array, i));
}

static double member(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* The case's image, checked by its sums. */
static double *case_image(const json_t *test)
{
    const size_t n = (size_t)member(test, "n");
    const char *name = json_string_value(json_object_get(test, "name"));
    double *image = calloc(n * n, sizeof *image);
    assert_non_null(image);
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < n * n; i++) {
        image[i] = strncmp(name, "strokes", 7) == 0 ? stroke(n, i / n, i % n)
                                                    : sawtooth(i / n, i % n);
        sum += image[i];
        squares += image[i] * image[i];
    }
    assert_relative(sum, member(test, "input_sum"), 1e-8);
    assert_relative(squares, member(test, "input_sumsq"), 1e-8);
    return image;
}

/* `value` is [h][h][81]. */
static void assert_case(const json_t *test, const double *value, double allowed)
{
    const size_t h = (size_t)member(test, "n") / 4;
    const json_t *values = json_object_get(test, "values");
    assert_int_equal(json_array_size(values), 200);
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *entry = json_array_get(values, i);
        const size_t channel = (size_t)number_at(entry, 0);
        const size_t row = (size_t)number_at(entry, 1);
        const size_t column = (size_t)number_at(entry, 2);
        const double expected = number_at(entry, 3);
        assert_within(value[(row * h + column) * 81 + channel], expected - allowed,
                      expected + allowed);
    }
    for (size_t channel = 0; channel < 81; channel++) {
        double sum = 0.0, squares = 0.0;
        for (size_t i = 0; i < h * h; i++) {
            sum += value[i * 81 + channel];
            squares += value[i * 81 + channel] * value[i * 81 + channel];
        }
        const double mean = number_at(json_object_get(test, "channel_mean"), channel);
        const double norm = number_at(json_object_get(test, "channel_l2"), channel);
        assert_within(sum / (double)(h * h), mean - allowed, mean + allowed);
        assert_within(sqrt(squares), norm - allowed * (double)h,
                      norm + allowed * (double)h);
    }
}

static void published_vectors_are_met(void **state)
{
    (void)state;
    json_t *root = load_vectors();
    const json_t *cases = json_object_get(root, "cases");
    assert_int_equal(json_array_size(cases), 3);
    for (size_t k = 0; k < json_array_size(cases); k++) {
        const json_t *test = json_array_get(cases, k);
        const size_t n = (size_t)member(test, "n");
        double *image = case_image(test);
        float *pixels = calloc(n * n, sizeof *pixels);
        assert_non_null(pixels);
        for (size_t i = 0; i < n * n; i++)
            pixels[i] = (float)image[i];
        study s = study_new(n, 1);
        double *value = calloc(s.outputs, sizeof *value);
        assert_non_null(value);
        for (int portable = 0; portable < 2; portable++) {
            if (portable) sot_scattering_test_portable(s.scattering);
            study_apply(&s, pixels);
            for (size_t i = 0; i < s.outputs; i++)
                value[i] = (double)s.out[i];
            assert_case(test, value, tolerance);
        }
        free(value);
        free(pixels);
        free(image);
        study_free(&s);
    }
    json_decref(root);
}

static void reference_meets_published_vectors(void **state)
{
    (void)state;
    json_t *root = load_vectors();
    const json_t *cases = json_object_get(root, "cases");
    for (size_t k = 0; k < json_array_size(cases); k++) {
        const json_t *test = json_array_get(cases, k);
        const size_t n = (size_t)member(test, "n"), h = n / 4;
        double *image = case_image(test);
        double *value = calloc(h * h * 81, sizeof *value);
        assert_non_null(value);
        reference_filters filters = reference_filters_new(n);
        reference_scattering(&filters, image, value);
        assert_case(test, value, 3e-7); /* the vectors' own accuracy is 2e-7 */
        reference_filters_free(&filters);
        free(value);
        free(image);
    }
    json_decref(root);
}

/* ---- other sides, planes ---- */

static float *random_image(size_t numbers, uint64_t seed)
{
    float *image = calloc(numbers, sizeof *image);
    assert_non_null(image);
    for (size_t i = 0; i < numbers; i++)
        image[i] = (float)next_pixel(&seed);
    return image;
}

static void assert_near_reference(size_t side, size_t planes)
{
    study s = study_new(side, planes);
    float *image = random_image(side * side * planes, 17 * side + planes);
    double *plane = calloc(side * side, sizeof *plane);
    double *expected = calloc(s.outputs / planes, sizeof *expected);
    assert_non_null(plane);
    assert_non_null(expected);
    reference_filters filters = reference_filters_new(side);
    study_apply(&s, image);
    double largest = 0.0;
    for (size_t p = 0; p < planes; p++) {
        for (size_t i = 0; i < side * side; i++)
            plane[i] = (double)image[i * planes + p];
        reference_scattering(&filters, plane, expected);
        for (size_t i = 0; i < s.outputs / planes; i++) {
            const size_t at = (i / 81 * planes + p) * 81 + i % 81;
            largest = fmax(largest, fabs((double)s.out[at] - expected[i]));
        }
    }
    assert_within(largest, 0.0, close_tolerance);
    reference_filters_free(&filters);
    free(expected);
    free(plane);
    free(image);
    study_free(&s);
}

static void every_kind_of_length_is_near_the_formulas(void **state)
{
    (void)state;
    assert_near_reference(8, 2);  /* lengths 16 and 8 */
    assert_near_reference(12, 1); /* 20, 10 */
    assert_near_reference(20, 1); /* 28 = 4 7, 14 */
    assert_near_reference(28, 1); /* 36, 18 */
    assert_near_reference(32, 3); /* 40, 20 */
    assert_near_reference(36, 1); /* 44 = 4 11, 22 */
    assert_near_reference(40, 1); /* 48 = 16 3, 24 */
    assert_near_reference(52, 1); /* 60 = 4 15, 30 */
    assert_near_reference(56, 1); /* 64, 32 */
}

static void large_sides_are_near_the_formulas(void **state)
{
    (void)state;
    assert_near_reference(64, 1); /* 72 = 8 9, 36 */
}

static void fast_and_portable_give_the_same_bits(void **state)
{
    (void)state;
    const size_t sides[] = {8, 20, 24, 28, 32, 40, 56, 64};
    for (size_t k = 0; k < sizeof sides / sizeof sides[0]; k++) {
        study s = study_new(sides[k], 2);
        float *image = random_image(sides[k] * sides[k] * 2, k);
        float *fast = calloc(s.outputs, sizeof *fast);
        assert_non_null(fast);
        study_apply(&s, image);
        memcpy(fast, s.out, s.outputs * sizeof *fast);
        sot_scattering_test_portable(s.scattering);
        study_apply(&s, image);
        assert_memory_equal(fast, s.out, s.outputs * sizeof *fast);
        free(fast);
        free(image);
        study_free(&s);
    }
}

/* ---- a record's result is its own ---- */

static void result_depends_on_the_record_alone(void **state)
{
    (void)state;
    study s = study_new(28, 1);
    float *image = random_image(28 * 28, 5), *other = random_image(28 * 28, 6);
    float *first = calloc(s.outputs, sizeof *first);
    assert_non_null(first);
    study_apply(&s, image);
    memcpy(first, s.out, s.outputs * sizeof *first);
    other[3] = NAN; /* what another record left behind does not matter */
    other[99] = INFINITY;
    other[500] = 3e38F;
    study_apply(&s, other);
    study_apply(&s, image);
    assert_memory_equal(first, s.out, s.outputs * sizeof *first);

    /* Nor does the alignment of the arrays. */
    const size_t floats = sot_scattering_scratch_floats(s.scattering);
    float *scratch = calloc(floats + 1, sizeof *scratch);
    assert_non_null(scratch);
    sot_scattering_apply(s.scattering, image, s.out, scratch + 1);
    assert_memory_equal(first, s.out, s.outputs * sizeof *first);
    free(scratch);
    free(first);
    free(other);
    free(image);
    study_free(&s);
}

static void pixels_that_are_not_finite_stay_in_their_plane(void **state)
{
    (void)state;
    study s = study_new(28, 2);
    float *image = random_image(28 * 28 * 2, 8);
    float *clean = calloc(s.outputs, sizeof *clean);
    float *spoilt = calloc(s.outputs, sizeof *spoilt);
    assert_non_null(clean);
    assert_non_null(spoilt);
    study_apply(&s, image);
    memcpy(clean, s.out, s.outputs * sizeof *clean);
    const float bad[] = {NAN, -INFINITY, 1e38F};
    for (size_t k = 0; k < 3; k++) {
        image[2 * 77] = bad[k]; /* of plane 0 */
        study_apply(&s, image);
        memcpy(spoilt, s.out, s.outputs * sizeof *spoilt);
        study_apply(&s, image);
        assert_memory_equal(spoilt, s.out, s.outputs * sizeof *spoilt);
        for (size_t i = 0; i < s.outputs; i += 162)
            assert_memory_equal(spoilt + i + 81, clean + i + 81, 81 * sizeof *clean);
    }
    free(spoilt);
    free(clean);
    free(image);
    study_free(&s);
}

/* ---- refusals ---- */

static void sides_and_planes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    sot_scattering *scattering;
    sotto_error error;
    const size_t sides[] = {0, 4, 30, 260, SIZE_MAX - 3};
    for (size_t k = 0; k < sizeof sides / sizeof sides[0]; k++) {
        assert_refused(sot_scattering_new(sides[k], 1, &scattering, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "multiple of 4", "pad or crop",
                       NULL);
        assert_null(scattering);
    }
    assert_refused(sot_scattering_new(28, 0, &scattering, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "planes, not 0", NULL);
    assert_refused(sot_scattering_new(28, 1025, &scattering, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "planes, not 1025", NULL);
    sot_scattering_free(NULL);
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    size_t nth = 1;
    for (;; nth++) {
        sot_scattering *scattering;
        sotto_error error;
        sot_test_fail_allocation(nth);
        const sotto_status status = sot_scattering_new(8, 1, &scattering, &error);
        sot_test_fail_allocation(0);
        if (status == SOTTO_OK) {
            sot_scattering_free(scattering);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        assert_null(scattering);
    }
    assert_true(nth > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_meets_published_vectors),
        cmocka_unit_test(published_vectors_are_met),
        cmocka_unit_test(every_kind_of_length_is_near_the_formulas),
        cmocka_unit_test(large_sides_are_near_the_formulas),
        cmocka_unit_test(fast_and_portable_give_the_same_bits),
        cmocka_unit_test(result_depends_on_the_record_alone),
        cmocka_unit_test(pixels_that_are_not_finite_stay_in_their_plane),
        cmocka_unit_test(sides_and_planes_that_do_not_fit_are_refused),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
