/* The learner of networks on neighbours of every kind, for every way of drawing records: nothing shows but what was
 * paid for. */
#include "support.h"

#include "nn_study.h"

/* Every kind of row comes, goes or takes another's place, in both directions, at `place` of `rows`. */
static void expect_no_leak(nn_study *study, size_t rows, size_t place)
{
    const sotto_adjacency adjacency = study->config.adjacency;
    sotto_error error;
    nn_scene scene;
    assert_ok(nn_scene_begin(study, rows, &scene, &error), &error);
    study->kept = &scene;
    const tape_study tape = nn_tape_of(study);
    tape_table *table = tape_table_new(tape.columns, tape.column_count, rows, 11);
    int exit_code = -1;
    assert_true(tape_releases(&tape, table, &exit_code) >= study->config.steps);
    assert_int_equal(exit_code, 0); /* a study that fails shows nothing either */
    for (int row = 0; row < TAPE_ROWS; row++) {
        tape_table *neighbour = tape_neighbour(table, adjacency, (tape_row)row, place);
        if (neighbour == NULL) continue;
        const char *leak = tape_check(&tape, table, neighbour);
        if (leak == NULL && row % 4 == 0) leak = tape_check(&tape, neighbour, table);
        if (leak != NULL) fail_msg("row %d: %s", row, leak);
        tape_table_free(neighbour);
    }
    tape_table_free(table);
    nn_scene_end(&scene);
    study->kept = NULL;
}

/* Records in other places keep their coins: a row comes or goes at the end, or is exchanged anywhere. */
static void poisson_shows_nothing(void **state)
{
    (void)state;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE)};
    study.config.batch = 6; /* most of 8 */
    expect_no_leak(&study, 6, 6);
    expect_no_leak(&study, 6, 5);
    expect_no_leak(&study, 0, 0); /* the first row of all */
    study.config.adjacency = SOTTO_REPLACE_ONE;
    expect_no_leak(&study, 6, 2);
}

static void batches_of_fixed_size_show_nothing(void **state)
{
    (void)state;
    nn_study study = {.config = nn_config(SOTTO_REPLACE_ONE), .n_is_public = true};
    study.config.sampling = SOTTO_WITHOUT_REPLACEMENT;
    study.config.expected_rows = 0;
    expect_no_leak(&study, 6, 2);
}

static void a_single_record_shows_nothing(void **state)
{
    (void)state;
    nn_study study = {.config = nn_config(SOTTO_REPLACE_ONE), .n_is_public = true};
    study.config.sampling = SOTTO_SINGLE_RECORD;
    study.config.expected_rows = 0;
    study.config.batch = 0;
    expect_no_leak(&study, 2, 1);
}

static void all_rows_every_step_show_nothing(void **state)
{
    (void)state;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE)};
    study.config.batch = 0;
    study.config.sampling = SOTTO_NOT_SAMPLED;
    expect_no_leak(&study, 6, 6);
    study.config.adjacency = SOTTO_REPLACE_ONE;
    study.config.method = SOTTO_METHOD_GD;
    study.config.sampling = SOTTO_POISSON; /* gd takes all rows whatever is said */
    expect_no_leak(&study, 6, 3);
}

static void data_norms_show_nothing(void **state)
{
    (void)state;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE), .network = nn_norm_net};
    study.config.steps = 2;
    expect_no_leak(&study, 6, 6);
    expect_no_leak(&study, 0, 0);
    study.config.adjacency = SOTTO_REPLACE_ONE;
    expect_no_leak(&study, 6, 2);
}

static void other_clippings_and_optimisers_show_nothing(void **state)
{
    (void)state;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE)};
    study.config.clipping = SOTTO_CLIPPING_PER_LAYER;
    study.config.optimizer = SOTTO_OPTIMIZER_ADAM;
    study.config.schedule = SOTTO_SCHEDULE_COSINE;
    study.config.radius = 0.5;
    study.config.lambda = 0.25;
    expect_no_leak(&study, 5, 5);
    study.config.clipping = SOTTO_CLIPPING_AUTOMATIC;
    study.config.optimizer = SOTTO_OPTIMIZER_SGD;
    expect_no_leak(&study, 5, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poisson_shows_nothing),
        cmocka_unit_test(batches_of_fixed_size_show_nothing),
        cmocka_unit_test(a_single_record_shows_nothing),
        cmocka_unit_test(all_rows_every_step_show_nothing),
        cmocka_unit_test(data_norms_show_nothing),
        cmocka_unit_test(other_clippings_and_optimisers_show_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
