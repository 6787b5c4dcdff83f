/* Predictions, against a plain computation that knows nothing of grids. */
#include "artifact/model_file/models.h"

#include <unistd.h>
#include <zlib.h>

#include "base/file/file.h"

/* The features of data/encode/encode.h are rounded toward zero to 24 bits below the row's norm. */
static const double tolerance = 1e-6;

static double sigmoid(double score)
{
    return 1.0 / (1.0 + exp(-score));
}

/* The model of MODEL_TABLE written out: age 20..84 and visits 0..8 become -1..1. */
static double plain_table(double age, int town, double visits)
{
    const double *theta = model_table_coefficients;
    return sigmoid(theta[0] * (age - 52.0) / 32.0 + theta[1 + town] +
                   theta[3] * (visits - 4.0) / 4.0 + theta[4]);
}

static double next_uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ldexp((double)(*state >> 11), -53);
}

static sotto_array table_of(const double *cells, size_t rows)
{
    return (sotto_array){.data = cells,
                         .element = SOTTO_FLOAT64,
                         .rows = rows,
                         .columns = 5,
                         .row_stride_bytes = 5 * sizeof(double),
                         .column_stride_bytes = sizeof(double)};
}

static void table_predictions_follow_the_formula(void **state)
{
    (void)state;
    enum { ROWS = 500 };
    const sot_model_content content = model_table_content();
    sotto_model *model = model_of(&content);
    double cells[ROWS][5], probabilities[ROWS][2];
    uint64_t random = 17;
    for (size_t i = 0; i < ROWS; i++) {
        cells[i][0] = 1e9; /* ignored */
        cells[i][1] = 20.0 + 64.0 * next_uniform(&random);
        cells[i][2] = floor(2.0 * next_uniform(&random));
        cells[i][3] = (double)NAN; /* the target */
        cells[i][4] = floor(9.0 * next_uniform(&random));
    }
    const sotto_array table = table_of(&cells[0][0], ROWS);
    sotto_error error;
    assert_ok(sotto_model_predict(model, &table, &probabilities[0][0], &error), &error);
    for (size_t i = 0; i < ROWS; i++) {
        const double expected = plain_table(cells[i][1], (int)cells[i][2], cells[i][4]);
        assert_relative(probabilities[i][1], expected, tolerance);
        assert_relative(probabilities[i][0] + probabilities[i][1], 1.0, 1e-15);
    }
    sotto_model_free(model);
}

static void bad_cells_count_as_missing(void **state)
{
    (void)state;
    const sot_model_content content = model_table_content();
    sotto_model *model = model_of(&content);
    const double nan = (double)NAN, infinity = (double)INFINITY;
    const double cells[][5] = {
        {0, 36, 1, 0, 4},           {0, nan, nan, nan, nan},
        {nan, infinity, 2, 7, 3.5}, {0, -infinity, -1, 0, -infinity},
        {0, 84, 0, 0, 8},           {0, 1e300, 0, 0, 1e18}};
    enum { ROWS = sizeof cells / sizeof cells[0] };
    double probabilities[ROWS][2];
    const sotto_array table = table_of(&cells[0][0], ROWS);
    sotto_error error;
    assert_ok(sotto_model_predict(model, &table, &probabilities[0][0], &error), &error);
    for (size_t i = 1; i < 4; i++)
        assert_memory_equal(probabilities[i], probabilities[0], sizeof probabilities[0]);
    assert_relative(probabilities[0][1], plain_table(36, 1, 4), tolerance);
    assert_memory_equal(probabilities[5], probabilities[4], sizeof probabilities[0]);
    sotto_model_free(model);
}

static void matrix_rows_are_scaled_to_the_norm(void **state)
{
    (void)state;
    const sot_model_content content = model_matrix_content();
    sotto_model *model = model_of(&content);
    uint64_t random = 23;
    float rows[200][MODEL_MATRIX_DIMENSION];
    double probabilities[200][2];
    for (size_t i = 0; i < 200; i++) {
        for (size_t j = 0; j < MODEL_MATRIX_DIMENSION; j++)
            rows[i][j] = (float)ldexp(next_uniform(&random) - 0.5, (int)i - 100);
    }
    memset(rows[7], 0, sizeof rows[7]);
    const sotto_array matrix = {.data = rows,
                                .element = SOTTO_FLOAT32,
                                .rows = 200,
                                .columns = MODEL_MATRIX_DIMENSION,
                                .row_stride_bytes = sizeof rows[0],
                                .column_stride_bytes = sizeof rows[0][0]};
    sotto_error error;
    assert_ok(sotto_model_predict(model, &matrix, &probabilities[0][0], &error), &error);
    for (size_t i = 0; i < 200; i++) {
        double norm = 0.0, score = 0.0;
        for (size_t j = 0; j < MODEL_MATRIX_DIMENSION; j++)
            norm = hypot(norm, (double)rows[i][j]);
        for (size_t j = 0; j < MODEL_MATRIX_DIMENSION && norm > 0.0; j++)
            score += model_matrix_coefficients[j] * (double)rows[i][j] / norm;
        assert_relative(probabilities[i][1], sigmoid(score), 4e-6);
    }
    assert_true(probabilities[7][1] == 0.5);
    sotto_model_free(model);
}

static void extreme_scores_stay_probabilities(void **state)
{
    (void)state;
    assert_true(sot_model_sigmoid(0.0) == 0.5);
    assert_true(sot_model_sigmoid(1e308) == 1.0);
    assert_true(sot_model_sigmoid((double)INFINITY) == 1.0);
    assert_true(sot_model_sigmoid(-(double)INFINITY) == 0.0);
    assert_true(sot_model_sigmoid((double)NAN) == 0.5);
    assert_relative(sot_model_sigmoid(-700.0), exp(-700.0), 1e-15);
    assert_relative(sot_model_sigmoid(-2.5), 1.0 - sot_model_sigmoid(2.5), 1e-14);
    assert_relative(sot_model_sigmoid(-36.0), 2.3195228302435691e-16, 1e-15);
}

static void shapes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const sot_model_content content = model_table_content();
    sotto_model *model = model_of(&content);
    const double cells[5] = {0};
    double probabilities[2] = {2.375, 2.375};
    sotto_error error;
    sotto_array table = table_of(cells, 1);
    table.columns = 4;
    assert_refused(sotto_model_predict(model, &table, probabilities, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "4 columns", NULL);
    table.columns = 5;
    table.element = SOTTO_ELEMENT_UNSET;
    assert_refused(sotto_model_predict(model, &table, probabilities, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "element", NULL);
    assert_true(probabilities[0] == 2.375);
    sotto_model_free(model);
}

/* ---- files ---- */

typedef struct collected {
    size_t rows, stop_after;
    size_t predicted[16];
    double probabilities[16][2];
} collected;

static int collect(size_t predicted, const double *probabilities, void *context)
{
    collected *self = context;
    assert_true(self->rows < 16);
    self->predicted[self->rows] = predicted;
    memcpy(self->probabilities[self->rows], probabilities, 2 * sizeof(double));
    self->rows++;
    return self->rows == self->stop_after;
}

static const char *write_rows(const char *text, const char *ending, bool compressed)
{
    static char path[64];
    (void)snprintf(path, sizeof path, "/tmp/sotto-predict-%ld%s", (long)getpid(), ending);
    gzFile file = gzopen(path, compressed ? "wb" : "wbT");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text, (unsigned)strlen(text)), (int)strlen(text));
    assert_int_equal(gzclose(file), Z_OK);
    return path;
}

static void predict_rows(const sotto_model *model, const char *text, const char *ending,
                         bool compressed, double threshold, collected *out)
{
    sotto_error error;
    const char *path = write_rows(text, ending, compressed);
    *out = (collected){0};
    assert_ok(sotto_model_predict_data(model, &(const sotto_data_file){.path = path},
                                       threshold, collect, out, &error),
              &error);
    assert_int_equal(unlink(path), 0);
}

static void a_file_is_predicted_row_by_row(void **state)
{
    (void)state;
    const sot_model_content content = model_table_content();
    sotto_model *model = model_of(&content);
    const char rows[] = "person,age,town,smokes,visits\nx,20,Lund,yes,0\n,84,Ystad,,8\n"
                        "\ny,abc,Kivik,no,1e99\n";
    collected got;
    for (int compressed = 0; compressed < 2; compressed++) {
        predict_rows(model, rows, compressed ? ".csv.gz" : ".csv", compressed, 0.5, &got);
        assert_int_equal(got.rows, 4);
        assert_relative(got.probabilities[0][1], plain_table(20, 0, 0), tolerance);
        assert_relative(got.probabilities[1][1], plain_table(84, 1, 8), tolerance);
        assert_relative(got.probabilities[2][1], plain_table(36, 1, 4), tolerance);
        assert_relative(got.probabilities[3][1], plain_table(36, 1, 8), tolerance);
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(got.predicted[i], got.probabilities[i][1] >= 0.5);
    }
    sotto_model_free(model);
}

static void the_target_may_be_absent_from_the_file(void **state)
{
    (void)state;
    const sot_model_content content = model_table_content();
    sotto_model *model = model_of(&content);
    collected got;
    predict_rows(model, "visits,age,town\n2,50,Lund\n", ".csv", false, 0.5, &got);
    assert_int_equal(got.rows, 1);
    assert_relative(got.probabilities[0][1], plain_table(50, 0, 2), tolerance);
    sotto_error error;
    const char *path = write_rows("visits,town\n2,Lund\n", ".csv", false);
    assert_refused(sotto_model_predict_data(model, &(const sotto_data_file){.path = path},
                                            0.5, collect, &got, &error),
                   SOTTO_PARSE, &error, "age", NULL);
    assert_int_equal(unlink(path), 0);
    sotto_model_free(model);
}

static void a_libsvm_file_is_predicted(void **state)
{
    (void)state;
    const sot_model_content content = model_matrix_content();
    sotto_model *model = model_of(&content);
    collected got;
    predict_rows(model, "1 1:3 2:4\n-1 6:0.5\n1\n", ".svm", false, 0.5, &got);
    assert_int_equal(got.rows, 3);
    assert_relative(got.probabilities[0][1], sigmoid(0.6 * 3.0 - 0.8 * 5.0), 4e-6);
    assert_relative(got.probabilities[1][1], sigmoid(0.1), tolerance);
    assert_true(got.probabilities[2][1] == 0.5);
    assert_int_equal(got.predicted[2], 1);
    sotto_model_free(model);
}

static void the_threshold_moves_the_label_only(void **state)
{
    (void)state;
    const sot_model_content content = model_table_content();
    sotto_model *model = model_of(&content);
    const char rows[] = "age,town,visits\n20,Lund,0\n84,Ystad,8\n";
    collected got;
    predict_rows(model, rows, ".csv", false, 0.0, &got);
    assert_true(got.predicted[0] == 1 && got.predicted[1] == 1);
    predict_rows(model, rows, ".csv", false, 1.0, &got);
    assert_true(got.predicted[0] == 0 && got.predicted[1] == 0);
    predict_rows(model, rows, ".csv", false, 0.5, &got);
    assert_true(got.predicted[0] == 0 && got.predicted[1] == 1);
    predict_rows(model, rows, ".csv", false, got.probabilities[0][1], &got);
    assert_int_equal(got.predicted[0], 1);
    const double wrong[] = {-0.25, 1.25, (double)NAN};
    for (size_t i = 0; i < 3; i++) {
        sotto_error error;
        assert_refused(
            sotto_model_predict_data(model, &(const sotto_data_file){.path = "none.csv"},
                                     wrong[i], collect, &got, &error),
            SOTTO_INVALID_ARGUMENT, &error, "threshold", NULL);
    }
    sotto_model_free(model);
}

static void the_caller_can_stop(void **state)
{
    (void)state;
    const sot_model_content content = model_table_content();
    sotto_model *model = model_of(&content);
    collected got = {.stop_after = 2};
    sotto_error error;
    const char *path = write_rows("age,town,visits\n1,,\n2,,\n3,,\n", ".csv", false);
    assert_refused(sotto_model_predict_data(model, &(const sotto_data_file){.path = path},
                                            0.5, collect, &got, &error),
                   SOTTO_INTERRUPTED, &error, "stopped", NULL);
    assert_int_equal(got.rows, 2);
    assert_int_equal(unlink(path), 0);
    sotto_model_free(model);
}

static void no_memory_is_an_error_and_not_a_crash(void **state)
{
    (void)state;
    const sot_model_content content = model_table_content();
    sotto_model *model = model_of(&content);
    const double cells[5] = {0, 40, 1, 0, 2};
    const sotto_array table = table_of(cells, 1);
    const char *path = write_rows("age,town,visits\n1,,\n", ".csv", false);
    for (int from_file = 0; from_file < 2; from_file++) {
        for (size_t nth = 1;; nth++) {
            sotto_error error;
            double probabilities[2];
            collected got = {0};
            (void)sot_test_fail_allocation(nth);
            const sotto_status status =
                from_file
                    ? sotto_model_predict_data(model,
                                               &(const sotto_data_file){.path = path},
                                               0.5, collect, &got, &error)
                    : sotto_model_predict(model, &table, probabilities, &error);
            (void)sot_test_fail_allocation(0);
            if (status == SOTTO_OK) break;
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        }
    }
    assert_int_equal(unlink(path), 0);
    sotto_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_predictions_follow_the_formula),
        cmocka_unit_test(bad_cells_count_as_missing),
        cmocka_unit_test(matrix_rows_are_scaled_to_the_norm),
        cmocka_unit_test(extreme_scores_stay_probabilities),
        cmocka_unit_test(shapes_that_do_not_fit_are_refused),
        cmocka_unit_test(a_file_is_predicted_row_by_row),
        cmocka_unit_test(the_target_may_be_absent_from_the_file),
        cmocka_unit_test(a_libsvm_file_is_predicted),
        cmocka_unit_test(the_threshold_moves_the_label_only),
        cmocka_unit_test(the_caller_can_stop),
        cmocka_unit_test(no_memory_is_an_error_and_not_a_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
