/* Images in a report: which public rows are shown, their pixels, and that nobody gets any without asking. */
#include "artifact/model_file/models.h"

#include <unistd.h>

#include <sotto/report.h>

#include "report/report.h"

/* Four pixels, three classes: class k has the score 6 x_k. */
#define SMALL                                                                            \
    "{\"shape\": [2, 2], \"labels\": [4, 7, 9], \"numbers\": {\"lower\": 0, "            \
    "\"upper\": 8, \"scale\": \"unit\"}}"
enum { CLASSES = 3, FEATURES_MOST = 64 * 33 };

static const char *const labels[] = {"4", "7", "9"};

/* Right, wrong, right, wrong, wrong, right, wrong: of the mistakes the fourth row's is the surest, then the
 * last one's, then the second's and the fifth's, which are equal. */
static const char rows[] = "4 1:8\n7 1:4\n9 3:6\n9 2:8\n4 2:4\n7 2:2\n7 3:6\n";

static const char *path_of_rows(const char *text)
{
    static char path[64];
    (void)snprintf(path, sizeof path, "images_%ld.libsvm", (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* A softmax model of public rows with `features` numbers a row. */
static sot_model_content content_of(const char *schema, size_t features)
{
    static double coefficients[CLASSES * FEATURES_MOST];
    sot_model_content content = model_matrix_content();
    memset(coefficients, 0, sizeof coefficients);
    for (size_t k = 0; k < CLASSES && k < features; k++)
        coefficients[k * features + k] = 6.0;
    content.model = "softmax";
    content.schema_json = schema;
    content.classes = labels;
    content.class_count = CLASSES;
    content.coefficients = coefficients;
    content.dimension = features;
    content.margins = CLASSES;
    return content;
}

static sot_report_images read_images(const char *schema, size_t features,
                                     const char *text, uint64_t count)
{
    sotto_error error;
    sot_report_scores scores;
    const sot_model_content content = content_of(schema, features);
    const sotto_data_file file = {.path = path_of_rows(text)};
    sotto_model *model = model_of(&content);
    assert_ok(sot_report_scores_read(model, &file, count, &scores, &error), &error);
    const sot_report_images images = scores.images;
    scores.images.pixels = NULL; /* handed on */
    sot_report_scores_clear(&scores);
    sotto_model_free(model);
    (void)unlink(file.path);
    return images;
}

/* ---- which rows ---- */

static void assert_rows(const sot_report_image *images, size_t count,
                        const uint64_t *expected, size_t expected_count)
{
    assert_int_equal(count, expected_count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(images[i].row, expected[i]);
}

static void the_first_rows_and_the_surest_mistakes_are_shown(void **state)
{
    (void)state;
    static const uint64_t first[] = {0, 1, 2, 3, 4, 5, 6}, wrong[] = {3, 6, 1, 4};
    sot_report_images images = read_images(SMALL, 4, rows, 5);
    assert_rows(images.shown, images.first_count, first, 3);
    assert_rows(images.shown + images.first_most, images.wrong_count, wrong, 2);
    assert_int_equal(images.shown[1].label, 1);
    assert_int_equal(images.shown[1].said, 0);
    /* exp(6 / 2) against two of exp(0) */
    assert_relative(images.shown[1].sure, 1.0 / (1.0 + 2.0 * exp(-3.0)), 1e-12);
    sot_free(images.pixels);
    images = read_images(SMALL, 4, rows, 6); /* the later of equal mistakes is left out */
    assert_rows(images.shown + images.first_most, images.wrong_count, wrong, 3);
    sot_free(images.pixels);
    images = read_images(SMALL, 4, rows, 100); /* more places than rows */
    assert_rows(images.shown, images.first_count, first, 7);
    assert_rows(images.shown + images.first_most, images.wrong_count, wrong, 4);
    sot_free(images.pixels);
    images = read_images(SMALL, 4, rows, 1);
    assert_rows(images.shown, images.first_count, first, 1);
    assert_int_equal(images.wrong_count, 0);
    sot_free(images.pixels);
}

static void rows_that_are_no_images_are_not_shown(void **state)
{
    (void)state;
    static const char *const schemas[] = {
        SMALL, /* none is asked for */
        "{\"features\": 4, \"labels\": [4, 7, 9], \"row_norm\": {\"bound\": 1, \"rule\": "
        "\"clip\"}}", /* four numbers may be an image, but nobody says so */
        "{\"shape\": [2, 1, 2], \"labels\": [4, 7, 9], \"row_norm\": {\"bound\": 1, "
        "\"rule\": \"clip\"}}"}; /* of two planes */
    for (size_t i = 0; i < 3; i++) {
        const sot_report_images images = read_images(schemas[i], 4, rows, i == 0 ? 0 : 9);
        assert_int_equal(images.first_count, 0);
        assert_int_equal(images.wrong_count, 0);
        assert_null(images.pixels);
    }
}

/* ---- their pixels ---- */

static void assert_pixels(const sot_report_images *images, size_t place,
                          const unsigned char *expected, size_t count)
{
    assert_int_equal(images->height * images->width * images->channels, count);
    assert_memory_equal(images->pixels + place * count, expected, count);
}

static void the_bounds_are_black_and_white(void **state)
{
    (void)state;
    static const unsigned char second[] = {128, 0, 0, 0}, surest[] = {0, 255, 0, 0};
    sot_report_images images = read_images(SMALL, 4, rows, 5);
    assert_pixels(&images, 1, second, 4);
    assert_pixels(&images, images.first_most, surest, 4);
    sot_free(images.pixels);
    /* Without bounds a row's own numbers are; what is no number is black. */
    static const unsigned char own[] = {0, 255, 128, 128}, none[] = {0, 255, 0, 0};
    images = read_images("{\"shape\": [2, 2], \"labels\": [4, 7, 9], \"row_norm\": "
                         "{\"bound\": 1, \"rule\": \"clip\"}}",
                         4, "4 1:-2 2:2\n7 1:1 2:3 3:nan 4:-1e999\n9\n", 6);
    assert_int_equal(images.first_count, 3);
    assert_pixels(&images, 0, own, 4);
    assert_memory_equal(images.pixels + 4 + 1, none + 1, 1);
    assert_int_equal(images.pixels[4 + 2], 0);
    assert_int_equal(images.pixels[2 * 4], 0); /* all numbers equal */
    sot_free(images.pixels);
}

static void planes_become_colours(void **state)
{
    (void)state;
    static const unsigned char expected[] = {255, 0, 51, 0, 0, 102};
    sot_report_images images = read_images(
        "{\"shape\": [3, 1, 2], \"labels\": [4, 7, 9], \"numbers\": {\"lower\": 0, "
        "\"upper\": 5, \"scale\": \"unit\"}}",
        6, "4 1:5 5:1 6:2\n", 1);
    assert_int_equal(images.channels, 3);
    assert_pixels(&images, 0, expected, sizeof expected);
    sot_free(images.pixels);
}

static void large_images_shrink_to_means(void **state)
{
    (void)state;
    /* 64 x 33: squares of 2 x 2, of which the last column's have half. (0,0) = 8, (0,1) = 4, (0,32) = 8. */
    sot_report_images images = read_images(
        "{\"shape\": [64, 33], \"labels\": [4, 7, 9], \"numbers\": {\"lower\": 0, "
        "\"upper\": 8, \"scale\": \"unit\"}}",
        FEATURES_MOST, "4 1:8 2:4 33:8\n", 2);
    assert_int_equal(images.height, 32);
    assert_int_equal(images.width, 17);
    assert_int_equal(images.pixels[0], 96); /* 255 * 12/32 */
    assert_int_equal(images.pixels[1], 0);
    assert_int_equal(images.pixels[16], 128);
    assert_int_equal(images.pixels[17], 0);
    sot_free(images.pixels);
}

/* ---- the page ---- */

static size_t count_of(const char *page, const char *text)
{
    size_t count = 0;
    for (const char *at = strstr(page, text); at != NULL; at = strstr(at + 1, text))
        count++;
    return count;
}

static void a_page_holds_the_images_that_were_asked_for(void **state)
{
    (void)state;
    sotto_error error;
    const sot_model_content content = content_of(SMALL, 4);
    char *model = model_text(&content), *page = NULL;
    sotto_report_config config = sotto_report_defaults();
    config.data.path = path_of_rows(rows);
    for (uint64_t images = 0; images <= 6; images += 6) {
        config.images = images;
        assert_ok(sotto_report_render("m", model, strlen(model), &config, &page, &error),
                  &error);
        assert_int_equal(count_of(page, "<img alt=\"Row "), images);
        assert_int_equal(count_of(page, "src=\"data:image/png;base64,"), images);
        assert_int_equal(count_of(page, "; img-src data:\">"), images > 0);
        assert_int_equal(count_of(page, "<li class=\"wrong\">"), images == 0 ? 0 : 1 + 3);
        sotto_free(page);
        page = NULL;
    }
    /* Without public rows there is nothing to show. */
    config.data.path = NULL;
    assert_ok(sotto_report_render("m", model, strlen(model), &config, &page, &error),
              &error);
    assert_int_equal(count_of(page, "<img"), 0);
    sotto_free(page);
    page = NULL;
    config.images = 101;
    assert_refused(sotto_report_render("m", model, strlen(model), &config, &page, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "101", NULL);
    (void)unlink(path_of_rows(rows));
    sot_free(model);
}

static void recall_and_precision_are_those_of_the_matrix(void **state)
{
    (void)state;
    sotto_error error;
    const sot_model_content content = content_of(SMALL, 4);
    char *model = model_text(&content), *page = NULL;
    sotto_report_config config = sotto_report_defaults();
    config.data.path = path_of_rows(rows);
    assert_ok(sotto_report_render("m", model, strlen(model), &config, &page, &error),
              &error);
    /* 4: rows 0 (right) and 4 (7); 7: rows 1 (4), 5 (right), 6 (9); 9: rows 2 (right), 3 (7). */
    assert_int_equal(count_of(page, "<th scope=\"row\">4</th><td>2</td><td>50%</td>"
                                    "<td>50%</td><td>7 (50%)</td>"),
                     1);
    assert_int_equal(count_of(page, "<th scope=\"row\">7</th><td>3</td><td>33.3%</td>"
                                    "<td>33.3%</td><td>4 (33.3%)</td>"),
                     1);
    assert_int_equal(count_of(page, "<th scope=\"row\">9</th><td>2</td><td>50%</td>"
                                    "<td>50%</td><td>7 (50%)</td>"),
                     1);
    sotto_free(page);
    /* A class without rows, one that is never said, and one without a mistake. */
    config.data.path = path_of_rows("4 1:8\n7 1:8\n");
    assert_ok(sotto_report_render("m", model, strlen(model), &config, &page, &error),
              &error);
    assert_int_equal(count_of(page, "<th scope=\"row\">4</th><td>1</td><td>100%</td>"
                                    "<td>50%</td><td>none</td>"),
                     1);
    assert_int_equal(count_of(page, "<th scope=\"row\">7</th><td>1</td><td>0%</td>"
                                    "<td>no rows</td><td>4 (100%)</td>"),
                     1);
    assert_int_equal(count_of(page, "<th scope=\"row\">9</th><td>0</td><td>no rows</td>"
                                    "<td>no rows</td><td>none</td>"),
                     1);
    sotto_free(page);
    (void)unlink(path_of_rows(rows));
    sot_free(model);
}

static void a_failed_allocation_is_reported(void **state)
{
    (void)state;
    const sot_model_content content = content_of(SMALL, 4);
    char *model = model_text(&content);
    sotto_report_config config = sotto_report_defaults();
    config.data.path = path_of_rows(rows);
    config.threads = 1;
    bool done = false;
    for (size_t nth = 1; !done; nth++) {
        sotto_error error = {.status = SOTTO_OK};
        char *page = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sotto_report_render("m", model, strlen(model), &config, &page, &error);
        (void)sot_test_fail_allocation(0);
        done = status == SOTTO_OK;
        assert_true(done || status == SOTTO_OUT_OF_MEMORY);
        assert_true(done == (page != NULL));
        sotto_free(page);
        assert_true(nth < 10000);
    }
    (void)unlink(config.data.path);
    sot_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_rows_and_the_surest_mistakes_are_shown),
        cmocka_unit_test(rows_that_are_no_images_are_not_shown),
        cmocka_unit_test(the_bounds_are_black_and_white),
        cmocka_unit_test(planes_become_colours),
        cmocka_unit_test(large_images_shrink_to_means),
        cmocka_unit_test(a_page_holds_the_images_that_were_asked_for),
        cmocka_unit_test(recall_and_precision_are_those_of_the_matrix),
        cmocka_unit_test(a_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
