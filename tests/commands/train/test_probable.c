/* Brier score, log loss and AUC of coefficients on rows in memory, against values by hand. */
#include "support.h"

#include "commands/train/probable.h"
#include "train_study.h"

/* Rows with chosen margins: column 0 times a coefficient of 1. */
typedef struct given_rows {
    sotto_schema *schema;
    sotto_training *training;
    sot_matrix matrix;
    float cells[6 * 16];
    double labels[6];
    double theta[16];
} given_rows;

static void open_rows(given_rows *given, const double *margins, const double *labels,
                      size_t count)
{
    sotto_error error;
    sotto_train_config config = sotto_train_defaults();
    *given = (given_rows){.schema = NULL};
    config.model = SOTTO_MODEL_LOGISTIC;
    config.method = SOTTO_METHOD_NONE;
    config.data_is_public = true;
    assert_ok(sotto_schema_parse("s.json", study_schema, strlen(study_schema),
                                 &given->schema, &error),
              &error);
    assert_ok(sotto_training_plan(&config, given->schema, &given->training, &error),
              &error);
    const size_t columns = sot_encoding_dimension(given->training->encoding);
    assert_true(columns <= 16 && count <= 6);
    for (size_t i = 0; i < count; i++) {
        given->cells[i * 16] = (float)margins[i];
        given->labels[i] = labels[i];
    }
    given->theta[0] = 1.0;
    given->matrix = (sot_matrix){.rows = count,
                                 .columns = columns,
                                 .labels = given->labels,
                                 .dense = given->cells,
                                 .stride = 16};
}

static void close_rows(given_rows *given)
{
    sotto_training_free(given->training);
    sotto_schema_free(given->schema);
}

static double chance(double margin)
{
    return 1.0 / (1.0 + exp(-margin));
}

/* Margins -1, 0.5, 0.5, 2 and classes no, no, yes, yes: of four pairs three are right, and one is a tie. */
static void scores_are_those_by_hand(void **state)
{
    (void)state;
    sotto_error error;
    given_rows given;
    sot_probable_scores found;
    const double margins[] = {-1.0, 0.5, 0.5, 2.0}, labels[] = {-1.0, -1.0, 1.0, 1.0};
    double log_loss = 0.0, brier = 0.0, alone = 0.0;
    for (size_t i = 0; i < 4; i++) {
        const double right = chance(labels[i] * margins[i]);
        log_loss -= log(right) / 4.0;
        brier += (1.0 - right) * (1.0 - right) / 4.0;
    }
    open_rows(&given, margins, labels, 4);
    assert_ok(
        sot_probable_all(given.training, &given.matrix, given.theta, &found, &error),
        &error);
    assert_within(found.auc, 0.875 - 1e-15, 0.875 + 1e-15);
    assert_within(found.log_loss, log_loss - 1e-12, log_loss + 1e-12);
    assert_within(found.brier, brier - 1e-12, brier + 1e-12);
    assert_ok(
        sot_probable_brier(given.training, &given.matrix, given.theta, &alone, &error),
        &error);
    assert_within(alone, found.brier, found.brier);
    close_rows(&given);
}

/* Every row's part of the Brier score is in [0, 1], for margins that are no numbers too; a log loss is finite. */
static void odd_margins_have_scores(void **state)
{
    (void)state;
    sotto_error error;
    given_rows given;
    sot_probable_scores found;
    const double margins[] = {-1e30, 1e30, (double)NAN, 1e30},
                 labels[] = {1.0, 1.0, 1.0, -1.0};
    open_rows(&given, margins, labels, 4);
    assert_ok(
        sot_probable_all(given.training, &given.matrix, given.theta, &found, &error),
        &error);
    assert_within(found.brier, (1.0 + 0.0 + 0.25 + 1.0) / 4.0 - 1e-15,
                  (1.0 + 0.0 + 0.25 + 1.0) / 4.0 + 1e-15);
    const double most = 20.0 * log(2.0);
    const double log_loss = (most + 0.0 + log(2.0) + most) / 4.0;
    assert_within(found.log_loss, log_loss - 1e-12, log_loss + 1e-12);
    close_rows(&given);
}

/* Without a row of one class there is no AUC. The shares of the other rows are the baseline. */
static void baselines_follow_from_the_shares(void **state)
{
    (void)state;
    sotto_error error;
    given_rows seen, held;
    sot_probable_scores found;
    const double margins[] = {1.0, 1.0, 1.0, 1.0}, labels[] = {-1.0, 1.0, 1.0, 1.0};
    open_rows(&seen, margins, labels, 4);
    open_rows(&held, margins, labels + 1, 3);
    assert_ok(sot_probable_all(held.training, &held.matrix, held.theta, &found, &error),
              &error);
    assert_true(isnan(found.auc));
    assert_ok(sot_probable_trivial(held.training->encoding, &seen.matrix, &held.matrix,
                                   &found, &error),
              &error);
    assert_within(found.auc, 0.5, 0.5);
    assert_within(found.log_loss, -log(0.75) - 1e-12, -log(0.75) + 1e-12);
    assert_within(found.brier, 0.0625 - 1e-15, 0.0625 + 1e-15);
    close_rows(&seen);
    close_rows(&held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_by_hand),
        cmocka_unit_test(odd_margins_have_scores),
        cmocka_unit_test(baselines_follow_from_the_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
