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
    study.config.adjacency = SOTTO_ADD_REMOVE;
    study.network = nn_center_net;
    expect_no_leak(&study, 6, 6);
}

/* ---- copies of images ---- */

enum { SIDE = 8 };

static const char image_schema[] =
    "{\"dataset\": \"study-8\", \"shape\": [1, 8, 8], \"numbers\": {\"lower\": 0, "
    "\"upper\": 1, \"scale\": \"unit\"}, \"labels\": [0, 1, 2]}";
static const char image_net[] =
    "{\"kind\": \"network\", \"version\": 1, \"layers\": ["
    "{\"type\": \"conv2d\", \"channels\": 2, \"kernel\": 3, \"stride\": 2}, "
    "{\"type\": \"tanh\"}, {\"type\": \"flatten\"}, "
    "{\"type\": \"dense\", \"units\": \"outputs\"}]}";

/* An image from the numbers of a row; what is no number there is none here. */
static sot_matrix *images_of(const tape_table *table)
{
    sot_matrix *matrix = sot_new_array(1, sizeof *matrix);
    matrix->rows = matrix->room_rows = table->rows;
    matrix->columns = matrix->stride = SIDE * SIDE;
    matrix->dense = sot_new_aligned(table->rows * SIDE * SIDE, sizeof(float));
    matrix->labels = sot_new_array(table->rows, sizeof(double));
    for (size_t i = 0; i < table->rows; i++) {
        const double age = tape_at(table, i, 0)->number;
        for (size_t k = 0; k < SIDE * SIDE; k++)
            matrix->dense[i * SIDE * SIDE + k] =
                isfinite(age) ? (float)fabs(sin(fmod(age, 100.0) * (double)(k + 1)))
                              : NAN;
        matrix->labels[i] = age > 50.0 ? 2.0 : 1.0;
    }
    return matrix;
}

static int image_run(const tape_table *table, const tape_place *place, void *context)
{
    const nn_study *study = context;
    nn_scene *scene = study->kept;
    sotto_error error = {0};
    double theta[1024] = {0};
    sot_matrix *matrix = images_of(table);
    (void)place;
    const sotto_status status = sot_learner_coefficients(scene->learner) > 1024
                                    ? SOTTO_INTERNAL
                                    : nn_learn(scene, matrix, 20261116, 1, theta, &error);
    for (size_t i = 0; i < sot_learner_coefficients(scene->learner); i++)
        printf("%.17g\n", theta[i]);
    if (status != SOTTO_OK) fprintf(stderr, "%s\n", error.message);
    sot_matrix_free(matrix);
    return status == SOTTO_OK ? 0 : 1;
}

static void copies_of_images_show_nothing(void **state)
{
    (void)state;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE),
                      .schema = image_schema,
                      .network = image_net,
                      .run = image_run};
    study.config.augmentations = 3;
    expect_no_leak(&study, 6, 6);
    study.config.adjacency = SOTTO_REPLACE_ONE;
    expect_no_leak(&study, 6, 1);
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
        cmocka_unit_test(copies_of_images_show_nothing),
        cmocka_unit_test(other_clippings_and_optimisers_show_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
