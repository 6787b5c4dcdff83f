/* Scores of a model, against counting pairs one by one. */
#include "artifact/model_file/models.h"

#include <unistd.h>

#include "base/file/file.h"

enum { ROWS = 400 };

typedef struct labelled {
    double features[ROWS][MODEL_MATRIX_DIMENSION];
    double labels[ROWS];
} labelled;

static double next_uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ldexp((double)(*state >> 11), -53);
}

/* Coarse features, so that many scores are equal. */
static void make_rows(labelled *rows, uint64_t seed)
{
    uint64_t random = seed;
    memset(rows, 0, sizeof *rows);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < 3; j++)
            rows->features[i][j] = floor(3.0 * next_uniform(&random)) - 1.0;
        rows->labels[i] =
            next_uniform(&random) < 0.3 + 0.2 * rows->features[i][0] ? 1.0 : -1.0;
    }
}

static sotto_records records_of(const labelled *rows, size_t count)
{
    return (sotto_records){.features = {.data = rows->features,
                                        .element = SOTTO_FLOAT64,
                                        .rows = count,
                                        .columns = MODEL_MATRIX_DIMENSION,
                                        .row_stride_bytes = sizeof rows->features[0],
                                        .column_stride_bytes = sizeof(double)},
                           .labels = {.data = rows->labels,
                                      .element = SOTTO_FLOAT64,
                                      .rows = count,
                                      .columns = 1,
                                      .row_stride_bytes = sizeof(double),
                                      .column_stride_bytes = sizeof(double)}};
}

static double auc_by_pairs(const labelled *rows, double (*probabilities)[2])
{
    double won = 0.0, pairs = 0.0;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < ROWS; j++) {
            if (rows->labels[i] != 1.0 || rows->labels[j] != -1.0) continue;
            pairs += 1.0;
            won += probabilities[i][1] > probabilities[j][1]    ? 1.0
                   : probabilities[i][1] == probabilities[j][1] ? 0.5
                                                                : 0.0;
        }
    }
    return won / pairs;
}

static void scores_are_what_the_definitions_say(void **state)
{
    (void)state;
    const sot_model_content content = model_matrix_content();
    sotto_model *model = model_of(&content);
    static labelled rows;
    static double probabilities[ROWS][2];
    sotto_error error;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        sotto_evaluation evaluation;
        make_rows(&rows, seed);
        const sotto_records records = records_of(&rows, ROWS);
        assert_ok(
            sotto_model_predict(model, &records.features, &probabilities[0][0], &error),
            &error);
        const double threshold = 0.375;
        assert_ok(
            sotto_model_evaluate_records(model, &records, threshold, &evaluation, &error),
            &error);
        double right = 0.0, log_loss = 0.0, brier = 0.0;
        uint64_t confusion[2][2] = {{0}};
        for (size_t i = 0; i < ROWS; i++) {
            const size_t truth = rows.labels[i] == 1.0;
            const size_t said = probabilities[i][1] >= threshold;
            confusion[truth][said]++;
            right += truth == said;
            log_loss -= log(probabilities[i][truth]);
            brier += pow((double)truth - probabilities[i][1], 2.0);
        }
        assert_int_equal(evaluation.rows, ROWS);
        assert_memory_equal(evaluation.confusion, confusion, sizeof confusion);
        assert_relative(evaluation.accuracy, right / ROWS, 1e-15);
        assert_relative(evaluation.log_loss, log_loss / ROWS, 1e-12);
        assert_relative(evaluation.brier, brier / ROWS, 1e-12);
        assert_relative(evaluation.auc, auc_by_pairs(&rows, probabilities), 1e-15);
        assert_true(isnan(evaluation.mse) && isnan(evaluation.r2));
        sotto_evaluation_clear(&evaluation);
    }
    sotto_model_free(model);
}

static void one_class_has_no_auc(void **state)
{
    (void)state;
    const sot_model_content content = model_matrix_content();
    sotto_model *model = model_of(&content);
    static labelled rows;
    sotto_evaluation evaluation;
    sotto_error error;
    make_rows(&rows, 9);
    for (size_t i = 0; i < 10; i++)
        rows.labels[i] = -1.0;
    const sotto_records records = records_of(&rows, 10);
    assert_ok(sotto_model_evaluate_records(model, &records, 0.5, &evaluation, &error),
              &error);
    assert_true(isnan(evaluation.auc));
    assert_int_equal(evaluation.rows, 10);
    sotto_evaluation_clear(&evaluation);
    assert_null(evaluation.confusion);
    sotto_model_free(model);
}

static void a_sure_mistake_costs_its_margin(void **state)
{
    (void)state;
    double coefficients[MODEL_MATRIX_DIMENSION] = {900.0, 0, 0, 0, 0, 0};
    sot_model_content content = model_matrix_content();
    content.coefficients = coefficients;
    sotto_model *model = model_of(&content);
    static labelled rows;
    memset(&rows, 0, sizeof rows);
    rows.features[0][0] = 1.0;
    rows.labels[0] = -1.0;
    sotto_evaluation evaluation;
    sotto_error error;
    const sotto_records records = records_of(&rows, 1);
    assert_ok(sotto_model_evaluate_records(model, &records, 0.5, &evaluation, &error),
              &error);
    assert_relative(evaluation.log_loss, 900.0, 1e-6); /* exp(-900) is 0 in a double */
    assert_true(evaluation.brier == 1.0 && evaluation.accuracy == 0.0);
    sotto_evaluation_clear(&evaluation);
    sotto_model_free(model);
}

static void a_file_and_its_arrays_score_the_same(void **state)
{
    (void)state;
    const sot_model_content content = model_table_content();
    sotto_model *model = model_of(&content);
    const char text[] =
        "person,age,town,smokes,visits\na,25,Lund,no,1\nb,80,Ystad,yes,2\n"
        "c,61,Lund,1,8\nd,30,Ystad,perhaps,0\n";
    const double cells[4][5] = {
        {0, 25, 0, 0, 1}, {0, 80, 1, 1, 2}, {0, 61, 0, 1, 8}, {0, 30, 1, 0, 0}};
    const sotto_records records = {.features = {.data = cells,
                                                .element = SOTTO_FLOAT64,
                                                .rows = 4,
                                                .columns = 5,
                                                .row_stride_bytes = sizeof cells[0],
                                                .column_stride_bytes = sizeof(double)}};
    char path[64];
    sotto_error error;
    sotto_evaluation from_file, from_arrays;
    (void)snprintf(path, sizeof path, "/tmp/sotto-evaluate-%ld.csv", (long)getpid());
    assert_ok(sot_file_write(path, text, sizeof text - 1, 0600, &error), &error);
    assert_ok(sotto_model_evaluate_data(model, &(const sotto_data_file){.path = path},
                                        0.5, &from_file, &error),
              &error);
    assert_ok(sotto_model_evaluate_records(model, &records, 0.5, &from_arrays, &error),
              &error);
    assert_memory_equal(from_file.confusion, from_arrays.confusion, 4 * sizeof(uint64_t));
    assert_memory_equal(&from_file, &from_arrays, offsetof(sotto_evaluation, classes));
    assert_int_equal(from_file.rows, 4);
    sotto_evaluation_clear(&from_arrays);
    sotto_evaluation_clear(&from_file);
    assert_ok(sot_file_write(path, "person,age,town,visits\n", 23, 0600, &error), &error);
    assert_refused(sotto_model_evaluate_data(model,
                                             &(const sotto_data_file){.path = path}, 0.5,
                                             &from_file, &error),
                   SOTTO_PARSE, &error, "smokes", NULL);
    assert_int_equal(unlink(path), 0);
    sotto_model_free(model);
}

static void nothing_to_score_is_refused(void **state)
{
    (void)state;
    const sot_model_content content = model_matrix_content();
    sotto_model *model = model_of(&content);
    static labelled rows;
    sotto_evaluation evaluation = {.rows = 7};
    sotto_error error;
    sotto_records records = records_of(&rows, 0);
    assert_refused(
        sotto_model_evaluate_records(model, &records, 0.5, &evaluation, &error),
        SOTTO_INVALID_ARGUMENT, &error, "no row", NULL);
    records = records_of(&rows, 3);
    records.labels.rows = 0;
    assert_refused(
        sotto_model_evaluate_records(model, &records, 0.5, &evaluation, &error),
        SOTTO_INVALID_ARGUMENT, &error, "no labels", NULL);
    records = records_of(&rows, 3);
    assert_refused(
        sotto_model_evaluate_records(model, &records, 1.5, &evaluation, &error),
        SOTTO_INVALID_ARGUMENT, &error, "threshold", NULL);
    assert_int_equal(evaluation.rows, 7);
    sotto_model_free(model);
}

static void no_memory_is_an_error_and_not_a_crash(void **state)
{
    (void)state;
    const sot_model_content content = model_matrix_content();
    sotto_model *model = model_of(&content);
    static labelled rows;
    make_rows(&rows, 3);
    const sotto_records records = records_of(&rows, ROWS);
    for (size_t nth = 1;; nth++) {
        sotto_evaluation evaluation;
        sotto_error error;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sotto_model_evaluate_records(model, &records, 0.5, &evaluation, &error);
        (void)sot_test_fail_allocation(0);
        if (status == SOTTO_OK) {
            sotto_evaluation_clear(&evaluation);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    sotto_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_what_the_definitions_say),
        cmocka_unit_test(one_class_has_no_auc),
        cmocka_unit_test(a_sure_mistake_costs_its_margin),
        cmocka_unit_test(a_file_and_its_arrays_score_the_same),
        cmocka_unit_test(nothing_to_score_is_refused),
        cmocka_unit_test(no_memory_is_an_error_and_not_a_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
