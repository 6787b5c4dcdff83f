/* Models of several draws: their files, the mean of what they predict, their intervals. */
#include "artifact/model_file/models.h"

#include <unistd.h>

#include "base/file/file.h"

enum { FEATURES = 3, CLASSES = 3, DRAWS = 19 };

#define NORM   "\"row_norm\": {\"bound\": 4.0, \"rule\": \"clip\"}, \"intercept\": 0"
#define NUMBER "{\"features\": 3, \"target\": {\"lower\": -20, \"upper\": 60}, " NORM "}"
#define COUNT  "{\"features\": 3, \"target\": {\"lower\": 0, \"upper\": 9}, " NORM "}"
#define TWO    "{\"features\": 3, \"labels\": [0, 1], " NORM "}"
#define THREE  "{\"features\": 3, \"labels\": [4, 7, 9], " NORM "}"

static const char *const two[] = {"0", "1"};
static const char *const three[] = {"4", "7", "9"};
static double coefficients[DRAWS * CLASSES * FEATURES]; /* every multiple of 1/64 */

static int fill_coefficients(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof coefficients / sizeof coefficients[0]; i++)
        coefficients[i] = (double)((int)(i * 37 % 101) - 50) / 64.0;
    return 0;
}

static const struct {
    const char *name;
    const char *schema;
    size_t classes, margins, outputs;
} kinds[] = {{"logistic", TWO, 2, 1, 2}, {"linear", NUMBER, 0, 1, 1},
             {"svm", TWO, 2, 1, 1},      {"huber", NUMBER, 0, 1, 1},
             {"softmax", TWO, 2, 2, 2},  {"softmax", THREE, 3, 3, 3},
             {"poisson", COUNT, 0, 1, 1}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static sot_model_content content_of(size_t kind, size_t draws)
{
    sot_model_content content = model_matrix_content();
    content.model = kinds[kind].name;
    content.method = "posterior";
    content.schema_json = kinds[kind].schema;
    content.coefficients = coefficients;
    content.dimension = FEATURES;
    content.class_count = kinds[kind].classes;
    content.classes = kinds[kind].classes == 0   ? NULL
                      : kinds[kind].classes == 2 ? two
                                                 : three;
    content.margins = kinds[kind].margins;
    content.draws = draws;
    content.sampler = "proximal";
    return content;
}

/* A model of one draw, the number `draw` of the several. */
static sotto_model *single_draw(size_t kind, size_t draw)
{
    sot_model_content content = content_of(kind, 0);
    content.coefficients += draw * kinds[kind].margins * FEATURES;
    return model_of(&content);
}

/* Exact on the grid and shorter than the bound. */
static const double rows[][FEATURES] = {
    {1.0, 0.0, 0.0}, {0.5, -0.25, 1.5}, {-1.5, 2.0, 1.0}, {0.0, 0.0, 0.0}};
enum { ROWS = sizeof rows / sizeof rows[0] };

static sotto_array features(void)
{
    return (sotto_array){.data = &rows[0][0],
                         .element = SOTTO_FLOAT64,
                         .rows = ROWS,
                         .columns = FEATURES,
                         .row_stride_bytes = FEATURES * sizeof(double),
                         .column_stride_bytes = sizeof(double)};
}

/* ---- files ---- */

static void several_draws_come_back_bit_by_bit(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        const sot_model_content content = content_of(i, DRAWS);
        const size_t vector = kinds[i].margins * FEATURES;
        char *text = model_text(&content);
        assert_non_null(strstr(text, "\"version\":4,"));
        assert_non_null(strstr(text, "\"sampler\":\"proximal\",\"draws\":19,"));
        assert_null(strstr(text, "heuristic"));
        sot_free(text);
        sotto_model *model = model_of(&content);
        assert_int_equal(sotto_model_draws(model), DRAWS);
        assert_int_equal(sotto_model_coefficients(model), vector);
        for (size_t j = 0; j < vector; j++) {
            double mean = 0.0;
            for (size_t k = 0; k < DRAWS; k++) {
                const double own = coefficients[k * vector + j];
                assert_true(sotto_model_draw_coefficient(model, k, j) == own);
                mean += own / DRAWS;
            }
            assert_within(sotto_model_coefficient(model, j) - mean, -1e-15, 1e-15);
        }
        sotto_model_free(model);
    }
}

static void a_single_draw_is_a_file_like_others_of_the_new_version(void **state)
{
    (void)state;
    sot_model_content content = content_of(1, 1);
    content.sampler = "exact-gaussian";
    char *text = model_text(&content);
    assert_non_null(strstr(text, "\"version\":4,"));
    assert_non_null(strstr(text, "\"sampler\":\"exact-gaussian\","));
    assert_null(strstr(text, "draws"));
    sot_free(text);
    sotto_model *model = model_of(&content);
    assert_int_equal(sotto_model_draws(model), 1);
    assert_true(sotto_model_coefficient(model, 2) == coefficients[2]);
    sotto_model_free(model);
}

static void the_mean_of_huge_coefficients_is_finite(void **state)
{
    (void)state;
    double huge[2 * FEATURES];
    for (size_t i = 0; i < 2 * FEATURES; i++)
        huge[i] = i % 2 == 0 ? 1.7e308 : -1.7e308;
    huge[FEATURES] = 1.7e308; /* both draws of the first */
    sot_model_content content = content_of(0, 2);
    content.coefficients = huge;
    sotto_model *model = model_of(&content);
    double outputs[ROWS * 2];
    const sotto_array view = features();
    sotto_error error;
    assert_true(sotto_model_coefficient(model, 0) == 1.7e308);
    assert_ok(sotto_model_predict(model, &view, outputs, &error), &error);
    for (size_t i = 0; i < ROWS * 2; i++)
        assert_within(outputs[i], 0.0, 1.0);
    sotto_model_free(model);
}

static void assert_changed_file_refused(const char *sampler, const char *from,
                                        const char *to, const char *word)
{
    sot_model_content content = content_of(0, 3);
    char changed[4096];
    sotto_model *model = NULL;
    sotto_error error;
    char *text = NULL;
    content.sampler = sampler;
    assert_ok(sot_model_write(&content, &text, &error), &error);
    model_replace(text, from, to, changed, sizeof changed);
    assert_refused(
        sotto_model_parse("model.json", changed, strlen(changed), &model, &error),
        SOTTO_PARSE, &error, word, NULL);
    sot_free(text);
}

static void a_file_that_contradicts_itself_about_its_draws_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *sampler, *from, *to, *word;
    } wrong[] = {
        {"proximal", "\"draws\":3", "\"draws\":4", "3 posterior samples but states 4"},
        {"proximal", "\"draws\":3", "\"draws\":1", "from 2 to 1000"},
        {"proximal", "\"draws\":3", "\"draws\":0", "from 2 to 1000"},
        {"proximal", "\"draws\":3", "\"draws\":-3", "from 2 to 1000"},
        {"proximal", "\"draws\":3", "\"draws\":1001", "from 2 to 1000"},
        {"proximal", "\"draws\":3", "\"draws\":2.5", "draws"},
        {"proximal", "\"draws\":3", "\"draws\":\"3\"", "draws"},
        {"proximal", "\"draws\":3,", "", "coefficients"},
        {"proximal", "\"version\":4", "\"version\":1", "version is 1"},
        {"proximal", "\"version\":4", "\"version\":7", "versions 1 to 6"},
        {"proximal", "\"version\":4,", "\"version\":1,\"heuristic\":true,", "version"},
        {"proximal", "\"sampler\":\"proximal\",", "", "version"},
        {"proximal", "\"proximal\"", "\"gibbs\"", "proximal, exact-gaussian or mala"},
        {"proximal", "\"proximal\"", "\"mala\"", "does not say \"heuristic\""},
        {"proximal", "\"proximal\"", "\"proximal\",\"heuristic\":true", "leave it out"},
        {"mala", "\"heuristic\":true", "\"heuristic\":false", "leave it out"},
        {"mala", "\"heuristic\":true", "\"heuristic\":1", "heuristic"},
        {"proximal", "\"coefficients\":[[\"", "\"coefficients\":[[\"0x0p+0\",\"",
         "4 coefficients"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_changed_file_refused(wrong[i].sampler, wrong[i].from, wrong[i].to,
                                    wrong[i].word);
    }
}

static void draws_without_a_sampler_are_refused(void **state)
{
    (void)state;
    sot_model_content content = content_of(0, 2);
    char changed[4096];
    char *text = NULL;
    sotto_model *model = NULL;
    sotto_error error;
    content.sampler = NULL;
    assert_refused(sot_model_write(&content, &text, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "2 posterior samples of no sampler", NULL);
    content.sampler = "proximal";
    content.draws = SOT_MODEL_DRAWS_MAX + 1;
    assert_refused(sot_model_write(&content, &text, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "1001 posterior samples", NULL);
    content = content_of(0, 0);
    content.sampler = NULL;
    assert_ok(sot_model_write(&content, &text, &error), &error);
    model_replace(text, "\"method\"", "\"draws\":2,\"method\"", changed, sizeof changed);
    assert_refused(sotto_model_parse("m", changed, strlen(changed), &model, &error),
                   SOTTO_PARSE, &error, "a posterior sample", NULL);
    sot_free(text);
}

static void a_heuristic_says_so_and_has_no_certificate(void **state)
{
    (void)state;
    sot_model_content content = content_of(0, 2);
    char changed[4096];
    sotto_model *model = NULL;
    sotto_error error;
    char *text = NULL;
    content.sampler = "mala";
    assert_ok(sot_model_write(&content, &text, &error), &error);
    assert_non_null(strstr(text, "\"sampler\":\"mala\",\"heuristic\":true,"));
    assert_ok(sotto_model_parse("m", text, strlen(text), &model, &error), &error);
    sotto_model_free(model);
    model_replace(text, "\"settings\"", "\"certificate\":{},\"settings\"", changed,
                  sizeof changed);
    assert_refused(sotto_model_parse("m", changed, strlen(changed), &model, &error),
                   SOTTO_PARSE, &error, "which has no certificate", NULL);
    sot_free(text);
}

/* ---- predictions ---- */

static void what_several_draws_predict_is_the_mean_of_each(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        const sot_model_content content = content_of(i, DRAWS);
        sotto_model *model = model_of(&content);
        const size_t outputs = kinds[i].outputs;
        const sotto_array view = features();
        double said[ROWS * CLASSES], each[ROWS * DRAWS * CLASSES];
        double means[ROWS * CLASSES] = {0.0};
        sotto_error error;
        assert_ok(sotto_model_predict(model, &view, said, &error), &error);
        assert_ok(sotto_model_predict_draws(model, &view, each, &error), &error);
        for (size_t k = 0; k < DRAWS; k++) {
            sotto_model *own = single_draw(i, k);
            double alone[ROWS * CLASSES];
            assert_ok(sotto_model_predict(own, &view, alone, &error), &error);
            for (size_t row = 0; row < ROWS; row++) {
                for (size_t j = 0; j < outputs; j++) {
                    const double value = alone[row * outputs + j];
                    assert_true(each[(row * DRAWS + k) * outputs + j] == value);
                    means[row * outputs + j] += value / DRAWS;
                }
            }
            sotto_model_free(own);
        }
        for (size_t j = 0; j < ROWS * outputs; j++)
            assert_within(said[j] - means[j], -1e-13 * fabs(means[j]) - 1e-15,
                          1e-13 * fabs(means[j]) + 1e-15);
        sotto_model_free(model);
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void an_interval_ends_at_the_draws_of_its_places(void **state)
{
    (void)state;
    static const struct {
        double level;
        size_t place; /* floor(20 (1 - level) / 2) */
    } levels[] = {{0.9, 1}, {0.8, 2}, {0.75, 2}, {0.5, 5}, {0.05, 9}, {1e-12, 10}};
    for (size_t i = 0; i < KINDS; i++) {
        const sot_model_content content = content_of(i, DRAWS);
        sotto_model *model = model_of(&content);
        const size_t outputs = kinds[i].outputs;
        const sotto_array view = features();
        double values[ROWS * CLASSES], lower[ROWS * CLASSES], upper[ROWS * CLASSES];
        double said[ROWS * CLASSES], each[ROWS * DRAWS * CLASSES], sorted[DRAWS];
        sotto_error error;
        assert_ok(sotto_model_predict(model, &view, said, &error), &error);
        assert_ok(sotto_model_predict_draws(model, &view, each, &error), &error);
        for (size_t l = 0; l < sizeof levels / sizeof levels[0]; l++) {
            assert_ok(sotto_model_predict_interval(model, &view, levels[l].level, values,
                                                   lower, upper, &error),
                      &error);
            for (size_t j = 0; j < ROWS * outputs; j++) {
                assert_true(values[j] == said[j]);
                for (size_t k = 0; k < DRAWS; k++)
                    sorted[k] = each[(j / outputs * DRAWS + k) * outputs + j % outputs];
                qsort(sorted, DRAWS, sizeof *sorted, ascending);
                assert_true(lower[j] == sorted[levels[l].place - 1]);
                assert_true(upper[j] == sorted[DRAWS - levels[l].place]);
            }
        }
        sotto_model_free(model);
    }
}

static void a_level_needs_its_number_of_draws(void **state)
{
    (void)state;
    static const struct {
        double level;
        uint64_t needed;
    } levels[] = {{0.5, 3}, {0.8, 9},   {0.9, 19}, {0.95, 39}, {0.99, 199}, {0.998, 999},
                  {0.2, 2}, {0.001, 2}, {1.0, 0},  {0.0, 0},   {-1.0, 0}};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        const uint64_t needed = levels[i].needed;
        assert_int_equal(sotto_model_draws_needed(levels[i].level), needed);
        if (needed == 0) continue;
        assert_true(sot_model_interval_place(needed, levels[i].level) >= 1);
        if (needed > 1)
            assert_int_equal(sot_model_interval_place(needed - 1, levels[i].level), 0);
    }
    assert_int_equal(sotto_model_draws_needed((double)NAN), 0);
    for (size_t draws = 2; draws <= SOT_MODEL_DRAWS_MAX; draws++) { /* rounding */
        const double widest = 1.0 - 2.0 / ((double)draws + 1.0);
        assert_int_equal(sotto_model_draws_needed(widest), draws);
        assert_int_equal(sot_model_interval_place(draws, widest), 1);
    }
}

static void a_level_that_the_draws_cannot_show_is_refused(void **state)
{
    (void)state;
    static const double wrong[] = {0.0, 1.0, -0.5, 90.0, (double)NAN, (double)INFINITY};
    const sot_model_content many = content_of(0, DRAWS), few = content_of(0, 18);
    sotto_model *model = model_of(&many);
    const sotto_array view = features();
    double values[ROWS * 2], lower[ROWS * 2], upper[ROWS * 2];
    sotto_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_refused(sotto_model_predict_interval(model, &view, wrong[i], values, lower,
                                                    upper, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "between 0 and 1", NULL);
    sotto_model_free(model);
    model = model_of(&few);
    assert_refused(
        sotto_model_predict_interval(model, &view, 0.9, values, lower, upper, &error),
        SOTTO_INVALID_ARGUMENT, &error, "needs 19 posterior samples", "has 18", NULL);
    sotto_model_free(model);
    model = single_draw(0, 0);
    assert_refused(
        sotto_model_predict_interval(model, &view, 0.5, values, lower, upper, &error),
        SOTTO_INVALID_ARGUMENT, &error, "needs 3 posterior samples", "has 1", NULL);
    assert_ok(sotto_model_predict_draws(model, &view, values, &error), &error);
    sotto_model_free(model);
}

/* ---- scores ---- */

/* One draw is sure of the wrong class by e^-800: the other alone keeps the mean above 0. */
static void no_small_mean_probability_is_lost(void **state)
{
    (void)state;
    static const double sure[2 * FEATURES] = {-800.0, 0.0, 0.0, -750.0, 0.0, 0.0};
    static const double row[FEATURES] = {1.0, 0.0, 0.0};
    static const double label = 1.0;
    sotto_records records = {
        .features = {&row, SOTTO_FLOAT64, 1, FEATURES, sizeof row, sizeof(double)},
        .labels = {&label, SOTTO_FLOAT64, 1, 1, sizeof(double), sizeof(double)}};
    sot_model_content content = content_of(0, 2);
    sotto_evaluation found;
    sotto_error error;
    content.coefficients = sure;
    sotto_model *model = model_of(&content);
    assert_ok(sotto_model_evaluate_records(model, &records, 0.5, &found, &error), &error);
    /* -log((e^-800 + e^-750) / 2) = 750 + log 2 - log(1 + e^-50) */
    assert_within(found.log_loss, 750.0 + 0.6931471805599452, 750.0 + 0.6931471805599455);
    sotto_evaluation_clear(&found);
    sotto_model_free(model);
}

static void scores_are_those_of_the_mean_prediction(void **state)
{
    (void)state;
    static const double labels[ROWS] = {1.0, 0.0, 0.0, 1.0};
    for (size_t i = 0; i < KINDS; i++) {
        if (kinds[i].classes != 2 || kinds[i].outputs != 2) continue;
        const sot_model_content content = content_of(i, DRAWS);
        sotto_model *model = model_of(&content);
        const sotto_array view = features();
        const sotto_records records = {
            .features = view,
            .labels = {labels, SOTTO_FLOAT64, ROWS, 1, sizeof(double), sizeof(double)}};
        double said[ROWS * 2], log_loss = 0.0, brier = 0.0;
        sotto_evaluation found;
        sotto_error error;
        assert_ok(sotto_model_predict(model, &view, said, &error), &error);
        assert_ok(sotto_model_evaluate_records(model, &records, 0.5, &found, &error),
                  &error);
        for (size_t row = 0; row < ROWS; row++) {
            const double p = said[2 * row + (labels[row] > 0.0 ? 1 : 0)];
            log_loss -= log(p) / ROWS;
            brier += (1.0 - p) * (1.0 - p) / ROWS;
        }
        assert_within(found.log_loss - log_loss, -1e-13, 1e-13);
        assert_within(found.brier - brier, -1e-13, 1e-13);
        sotto_evaluation_clear(&found);
        sotto_model_free(model);
    }
}

/* ---- rows of files ---- */

static int stop_at_once(size_t predicted, const double *outputs, const double *lower,
                        const double *upper, void *context)
{
    (void)predicted, (void)outputs, (void)lower, (void)upper, (void)context;
    return 1;
}

typedef struct lines {
    const double *values, *lower, *upper;
    size_t row, outputs;
} lines;

static int compare(size_t predicted, const double *outputs, const double *lower,
                   const double *upper, void *context)
{
    lines *self = context;
    assert_int_equal(predicted, outputs[1] >= 0.5 ? 1 : 0);
    for (size_t j = 0; j < self->outputs; j++) {
        const size_t place = self->row * self->outputs + j;
        assert_true(outputs[j] == self->values[place]);
        assert_true(lower[j] == self->lower[place]);
        assert_true(upper[j] == self->upper[place]);
    }
    self->row++;
    return 0;
}

static void a_file_has_the_intervals_of_the_array(void **state)
{
    (void)state;
    static const char text[] = "0 1:1\n1 1:0.5 2:-0.25 3:1.5\n0 1:-1.5 2:2 3:1\n0\n";
    const char *path = "draws_rows.libsvm";
    const sot_model_content content = content_of(0, DRAWS);
    sotto_model *model = model_of(&content);
    const sotto_array view = features();
    const sotto_data_file file = {.path = path};
    double values[ROWS * 2], lower[ROWS * 2], upper[ROWS * 2];
    sotto_error error;
    assert_ok(sot_file_write(path, text, strlen(text), 0600, &error), &error);
    assert_ok(
        sotto_model_predict_interval(model, &view, 0.8, values, lower, upper, &error),
        &error);
    lines expected = {values, lower, upper, 0, 2};
    assert_ok(sotto_model_predict_interval_data(model, &file, 0.5, 0.8, compare,
                                                &expected, &error),
              &error);
    assert_int_equal(expected.row, ROWS);
    assert_refused(sotto_model_predict_interval_data(model, &file, 0.5, 0.8, stop_at_once,
                                                     NULL, &error),
                   SOTTO_INTERRUPTED, &error, "stopped", NULL);
    assert_refused(sotto_model_predict_interval_data(model, &file, 1.5, 0.8, compare,
                                                     &expected, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "threshold", NULL);
    sotto_model_free(model);
    (void)unlink(path);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const sot_model_content content = content_of(5, DRAWS);
    char *text = model_text(&content);
    const sotto_array view = features();
    double values[ROWS * CLASSES], lower[ROWS * CLASSES], upper[ROWS * CLASSES];
    sotto_status status = SOTTO_OUT_OF_MEMORY;
    for (size_t nth = 1; status != SOTTO_OK; nth++) {
        sotto_model *model = NULL;
        sotto_error error;
        (void)sot_test_fail_allocation(nth);
        status = sotto_model_parse("m", text, strlen(text), &model, &error);
        if (status == SOTTO_OK)
            status = sotto_model_predict_interval(model, &view, 0.9, values, lower, upper,
                                                  &error);
        (void)sot_test_fail_allocation(0);
        assert_true(status == SOTTO_OK || status == SOTTO_OUT_OF_MEMORY);
        sotto_model_free(model);
    }
    sot_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_draws_come_back_bit_by_bit),
        cmocka_unit_test(a_single_draw_is_a_file_like_others_of_the_new_version),
        cmocka_unit_test(the_mean_of_huge_coefficients_is_finite),
        cmocka_unit_test(a_file_that_contradicts_itself_about_its_draws_is_refused),
        cmocka_unit_test(draws_without_a_sampler_are_refused),
        cmocka_unit_test(a_heuristic_says_so_and_has_no_certificate),
        cmocka_unit_test(what_several_draws_predict_is_the_mean_of_each),
        cmocka_unit_test(an_interval_ends_at_the_draws_of_its_places),
        cmocka_unit_test(a_level_needs_its_number_of_draws),
        cmocka_unit_test(a_level_that_the_draws_cannot_show_is_refused),
        cmocka_unit_test(no_small_mean_probability_is_lost),
        cmocka_unit_test(scores_are_those_of_the_mean_prediction),
        cmocka_unit_test(a_file_has_the_intervals_of_the_array),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, fill_coefficients, NULL);
}
