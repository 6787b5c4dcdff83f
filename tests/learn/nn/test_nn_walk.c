/* The walk itself: the plain path without noise and bound, empty samples, threads, checkpoints, data norms, learning curves,
 * copies, want of memory. */
#include "support.h"

#include "nn_study.h"

/* ---- rows in memory ---- */

/* Three features and a constant column of 1/4, labels of three classes. */
static sot_matrix *rows_of(size_t rows, size_t columns, size_t classes)
{
    sot_matrix *matrix = sot_new_array(1, sizeof *matrix);
    matrix->rows = rows;
    matrix->columns = columns;
    matrix->stride =
        (columns + SOT_MATRIX_LANES - 1) / SOT_MATRIX_LANES * SOT_MATRIX_LANES;
    matrix->dense = sot_new_aligned(rows * matrix->stride, sizeof(float));
    matrix->labels = sot_new_array(rows, sizeof(double));
    matrix->room_rows = rows;
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++)
            matrix->dense[i * matrix->stride + j] =
                (float)sin((double)(i * columns + j) * (double)(i + 3));
        matrix->labels[i] =
            (double)(matrix->dense[i * matrix->stride] > 0.0f ? classes - 1 : i % 2);
    }
    return matrix;
}

/* A scene whose noise is next to nothing: for comparisons, not for people. */
static void silence(nn_scene *scene)
{
    sotto_error error;
    sot_nn *nn = scene->learner->state;
    nn->noise.sigma = 0x1p-20; /* and a sensitivity that is a lie */
    nn->noise.l2_sensitivity = 0x1p-10;
    for (size_t i = 0; i < nn->before_count; i++) {
        nn->before[i].sigma = 0x1p-20;
        nn->before[i].l2_sensitivity = 0x1p-10;
    }
    sotto_plan_free(scene->plan);
    scene->plan = NULL;
    assert_ok(sotto_plan_new(scene->config.adjacency, &scene->plan, &error), &error);
    assert_ok(scene->learner->plan(scene->learner, scene->plan, &error), &error);
}

static double *learned(nn_scene *scene, const sot_matrix *matrix, uint64_t seed,
                       size_t threads)
{
    sotto_error error;
    double *theta =
        sot_new_array(sot_learner_coefficients(scene->learner), sizeof *theta);
    assert_non_null(theta);
    assert_ok(nn_learn(scene, matrix, seed, threads, theta, &error), &error);
    return theta;
}

static void begin(const nn_study *study, nn_scene *scene)
{
    sotto_error error;
    assert_ok(nn_scene_begin(study, 0, scene, &error), &error);
}

/* ---- promises ---- */

/* All rows every step, a bound that none reaches, no noise: the plain path. */
static void without_bound_and_noise_it_is_the_plain_path(void **state)
{
    (void)state;
    enum { ROWS = 300 };
    nn_scene private, plain;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE)};
    study.config.method = SOTTO_METHOD_GD;
    study.config.batch = 0;
    study.config.expected_rows = ROWS;
    study.config.steps = 20;
    study.config.clip = 16.0;
    study.config.learning_rate = 0.125;
    sot_matrix *matrix = rows_of(ROWS, 5, 3);
    begin(&study, &private);
    silence(&private);
    study.config.method = SOTTO_METHOD_NONE;
    study.config.batch = ROWS;
    begin(&study, &plain);
    assert_null(plain.plan);
    double *noisy = learned(&private, matrix, 3, 2),
           *exact = learned(&plain, matrix, 4, 2);
    const size_t count = sot_learner_coefficients(plain.learner);
    double far = 0.0, moved = 0.0;
    float first[256];
    assert_true(count <= 256);
    sot_nn_first_parameters(plain.learner, first);
    for (size_t i = 0; i < count; i++) {
        far = fmax(far, fabs(noisy[i] - exact[i]));
        moved = fmax(moved, fabs(exact[i] - (double)first[i]));
        assert_true(ldexp(exact[i], 40) == rint(ldexp(exact[i], 40))); /* on the grid */
        assert_true((double)(float)exact[i] == exact[i]);
    }
    assert_within(far, 0.0, 1e-6);
    assert_true(moved > 0.1); /* or there was nothing to compare */
    sot_free(noisy);
    sot_free(exact);
    sot_matrix_free(matrix);
    nn_scene_end(&private);
    nn_scene_end(&plain);
}

/* Nobody takes part: every step is released all the same, and the result is noise. */
static void an_empty_sample_is_a_step_of_noise(void **state)
{
    (void)state;
    nn_scene scene;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE)};
    study.config.batch = 1;
    study.config.expected_rows = 1000000;
    begin(&study, &scene);
    sot_matrix *none = rows_of(0, 5, 3), *few = rows_of(3, 5, 3);
    double *a = learned(&scene, none, 8, 1), *b = learned(&scene, few, 8, 1);
    float first[256];
    double moved = 0.0;
    sot_nn_first_parameters(scene.learner, first);
    for (size_t i = 0; i < sot_learner_coefficients(scene.learner); i++) {
        assert_true(a[i] == b[i]); /* with three coins of one in a million */
        moved = fmax(moved, fabs(a[i] - (double)first[i]));
    }
    assert_true(moved > 0.0);
    sot_free(a);
    sot_free(b);
    sot_matrix_free(none);
    sot_matrix_free(few);
    nn_scene_end(&scene);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    enum { ROWS = 900 };
    nn_scene scene;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE), .network = nn_norm_net};
    study.config.expected_rows = ROWS;
    study.config.batch = 600;
    begin(&study, &scene);
    sot_matrix *matrix = rows_of(ROWS, 5, 3);
    double *one = learned(&scene, matrix, 5, 1);
    for (size_t threads = 2; threads <= 3; threads++) {
        nn_forget_norms(scene.learner->net);
        double *more = learned(&scene, matrix, 5, threads);
        assert_memory_equal(one, more,
                            sot_learner_coefficients(scene.learner) * sizeof *one);
        sot_free(more);
    }
    sot_free(one);
    sot_matrix_free(matrix);
    nn_scene_end(&scene);
}

/* Coins of one run say nothing about those of the next, and tiles hold all that were drawn. */
static void every_run_draws_coins_of_its_own(void **state)
{
    (void)state;
    enum { ROWS = 500, STEPS = 8 };
    sotto_error error;
    nn_scene scene;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE)};
    sotto_rng *rng = NULL;
    sot_nn_draws *draws[2] = {NULL, NULL};
    size_t both = 0, all = 0;
    begin(&study, &scene);
    const sot_nn *nn = scene.learner->state;
    assert_ok(sotto_rng_new_for_test(6, &rng, &error), &error);
    for (size_t run = 0; run < 2; run++)
        assert_ok(sot_nn_draws_new(&nn->sampler, rng, &draws[run], &error), &error);
    for (uint64_t step = 1; step <= STEPS; step++) {
        unsigned char met[ROWS] = {0};
        for (size_t run = 0; run < 2; run++) {
            sot_cut cut;
            assert_ok(sot_nn_draw(draws[run], step, ROWS, &cut, &error), &error);
            for (size_t i = 0; i < cut.starts[cut.tiles]; i++)
                met[cut.rows[i]] |= (unsigned char)(1U << run);
        }
        for (size_t i = 0; i < ROWS; i++) {
            all += met[i] != 0;
            both += met[i] == 3;
        }
    }
    /* 4000 pairs of coins of 1/2: 3000 and 1000, with a deviation of 27; 7 of them. */
    assert_within((double)all, 2810.0, 3190.0);
    assert_within((double)both, 810.0, 1190.0);
    sot_nn_draws_free(draws[0]);
    sot_nn_draws_free(draws[1]);
    sotto_rng_free(rng);
    nn_scene_end(&scene);
}

/* ---- checkpoints ---- */

typedef struct store {
    uint64_t due; /* keep the state after this step */
    bool stop;
    uint64_t asked, step;
    unsigned char *bytes;
    size_t size;
} store;

static bool is_due(void *context)
{
    store *own = context;
    return ++own->asked == own->due;
}

static sotto_status keep(void *context, uint64_t step, const unsigned char *state,
                         size_t state_bytes, sotto_error *error)
{
    store *own = context;
    (void)error;
    own->step = step;
    own->bytes = sot_new_array(state_bytes, 1);
    own->size = state_bytes;
    memcpy(own->bytes, state, state_bytes);
    return own->stop ? SOTTO_INTERRUPTED : SOTTO_OK;
}

static sot_checkpoint checkpoint_of(store *own)
{
    return (sot_checkpoint){.is_due = is_due, .keep = keep, .context = own};
}

/* The state after the last step is the result; one before it goes on from there; and says nothing of keys: the way
 * from there is another one with other coins. */
static void a_checkpoint_is_where_a_run_goes_on(void **state)
{
    (void)state;
    enum { ROWS = 40, STEPS = 4 };
    sotto_error error;
    nn_scene scene;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE), .network = nn_norm_net};
    study.config.optimizer = SOTTO_OPTIMIZER_ADAM;
    study.config.expected_rows = ROWS;
    study.config.batch = 20;
    study.config.weight_average = 0.5;
    begin(&study, &scene);
    sot_matrix *matrix = rows_of(ROWS, 5, 3);
    const size_t bytes = sot_learner_coefficients(scene.learner) * sizeof(double);
    double *theta = sot_new_array(bytes, 1), *again = sot_new_array(bytes, 1);

    store last = {.due = STEPS};
    sot_checkpoint checkpoint = checkpoint_of(&last);
    scene.learner->checkpoint = &checkpoint;
    assert_ok(nn_learn(&scene, matrix, 5, 1, theta, &error), &error);
    assert_int_equal(last.step, STEPS);
    nn_forget_norms(scene.learner->net);
    sot_checkpoint resumed = {.state = last.bytes,
                              .state_bytes = last.size,
                              .step = STEPS,
                              .is_due = is_due,
                              .keep = keep,
                              .context = &last};
    scene.learner->checkpoint = &resumed;
    /* Nothing is released, so this gate is not through with its plan. */
    assert_int_equal(nn_learn(&scene, matrix, 6, 1, again, &error), SOTTO_NOT_IN_PLAN);
    assert_memory_equal(theta, again, bytes);

    store half = {.due = 2, .stop = true};
    checkpoint = checkpoint_of(&half);
    scene.learner->checkpoint = &checkpoint;
    nn_forget_norms(scene.learner->net);
    assert_int_equal(nn_learn(&scene, matrix, 5, 1, again, &error), SOTTO_INTERRUPTED);
    assert_int_equal(half.step, 2);
    assert_int_equal(half.size, last.size);
    for (uint64_t seed = 7; seed <= 8; seed++) {
        store end = {.due = STEPS - 2};
        resumed = (sot_checkpoint){.state = half.bytes,
                                   .state_bytes = half.size,
                                   .step = 2,
                                   .is_due = is_due,
                                   .keep = keep,
                                   .context = &end};
        scene.learner->checkpoint = &resumed;
        nn_forget_norms(scene.learner->net);
        assert_int_equal(nn_learn(&scene, matrix, seed, 1, again, &error),
                         SOTTO_NOT_IN_PLAN);
        assert_int_equal(end.asked, 2); /* the steps that were left */
        assert_int_equal(end.step, STEPS);
        assert_memory_not_equal(theta, again, bytes);
        sot_free(end.bytes);
    }
    sot_free(half.bytes);
    sot_free(last.bytes);
    sot_free(theta);
    sot_free(again);
    sot_matrix_free(matrix);
    nn_scene_end(&scene);
}

static void a_checkpoint_of_something_else_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    nn_scene scene;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE), .network = nn_norm_net};
    begin(&study, &scene);
    const sot_nn *nn = scene.learner->state;
    sot_net *net = scene.learner->net;
    float first[256];
    sot_nn_state walk, other;
    unsigned char *bytes = NULL, *twice = NULL;
    size_t size, same;
    sot_nn_first_parameters(scene.learner, first);
    assert_ok(sot_nn_state_begin(net, &nn->moves, first, &walk, &error), &error);
    walk.step = 3;
    walk.first[1] = -0.625f;
    walk.average[2] = 5.0f;
    assert_ok(sot_data_norm_make_room(&net->layers[0], &error), &error);
    net->layers[0].mean[1] = 0.1;
    assert_ok(sot_nn_save(net, &walk, &bytes, &size, &error), &error);
    first[0] = 9.0f;
    assert_ok(sot_nn_state_begin(net, &nn->moves, first, &other, &error), &error);
    nn_forget_norms(net);
    assert_ok(sot_nn_restore(net, &other, bytes, size, &error), &error);
    assert_true(net->layers[0].mean[1] == 0.1);
    assert_int_equal(other.step, 3);
    assert_ok(sot_nn_save(net, &other, &twice, &same, &error), &error);
    assert_int_equal(size, same);
    assert_memory_equal(bytes, twice, size);
    assert_int_equal(sot_nn_restore(net, &other, bytes, size - 1, &error), SOTTO_PARSE);
    for (size_t i = 0; i < 48;
         i++) { /* magic, version, numbers of things: not the step */
        if (i >= 16 && i < 24) continue;
        bytes[i] ^= 4;
        assert_refused(sot_nn_restore(net, &other, bytes, size, &error), SOTTO_PARSE,
                       &error, "checkpoint", NULL);
        bytes[i] ^= 4;
    }
    memset(bytes + 48, 0xff, 4); /* NaN for a weight */
    assert_int_equal(sot_nn_restore(net, &other, bytes, size, &error), SOTTO_PARSE);
    sot_free(bytes);
    sot_free(twice);
    sot_nn_state_free(&walk);
    sot_nn_state_free(&other);
    nn_scene_end(&scene);
}

/* ---- data norms ---- */

static void data_norms_are_means_and_deviations(void **state)
{
    (void)state;
    enum { ROWS = 200, CHANNELS = 4 };
    nn_scene private, plain;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE),
                      .network =
                          "{\"kind\": \"network\", \"version\": 1, \"layers\": ["
                          "{\"type\": \"data-norm\", \"clip\": 8, \"clip_squares\": 8, "
                          "\"noise\": 9}, {\"type\": \"dense\", \"units\": 3}]}"};
    study.config.expected_rows = ROWS;
    begin(&study, &private);
    silence(&private);
    study.config.method = SOTTO_METHOD_NONE;
    begin(&study, &plain);
    sot_matrix *matrix = rows_of(ROWS, CHANNELS + 1, 3);
    for (size_t i = 0; i < ROWS; i++)
        matrix->dense[i * matrix->stride + 2] = 0.25f; /* no variance */
    sot_free(learned(&private, matrix, 3, 1));
    sot_free(learned(&plain, matrix, 3, 1));
    const sot_layer *noisy = &private.learner->net->layers[0];
    const sot_layer *exact = &plain.learner->net->layers[0];
    for (size_t c = 0; c < CHANNELS; c++) {
        double mean = 0.0, square = 0.0;
        for (size_t i = 0; i < ROWS; i++) {
            const double value = (double)matrix->dense[i * matrix->stride + c];
            mean += value / ROWS;
            square += value * value / ROWS;
        }
        assert_within(exact->mean[c], mean - 1e-12, mean + 1e-12);
        assert_within(noisy->mean[c], mean - 1e-5, mean + 1e-5);
        if (c == 2) continue;
        const double deviation = sqrt(square - mean * mean + 1e-5);
        assert_relative(exact->deviation[c], deviation, 1e-9);
        assert_relative(noisy->deviation[c], deviation, 1e-4);
    }
    assert_true(exact->deviation[2] == SOT_NET_NORM_MOST || exact->deviation[2] < 0.0033);
    sot_matrix_free(matrix);
    nn_scene_end(&private);
    nn_scene_end(&plain);
}

/* ---- learning curves ---- */

static void the_learning_curve_is_about_public_rows(void **state)
{
    (void)state;
    enum { ROWS = 64, ROOM = 30 };
    nn_scene scene;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE)};
    study.config.method = SOTTO_METHOD_NONE;
    study.config.expected_rows = 0;
    study.config.batch = 32;
    study.config.steps = 90;
    study.config.learning_rate = 0.5;
    begin(&study, &scene);
    sot_matrix *matrix = rows_of(ROWS, 5, 3);
    uint64_t steps[ROOM];
    double scores[ROOM];
    sot_validation curve = {
        .matrix = matrix, .room = ROOM, .steps = steps, .scores = scores};
    scene.learner->validation = &curve;
    sot_free(learned(&scene, matrix, 3, 1));
    assert_in_range(curve.count, 15, 21);
    for (size_t i = 0; i < curve.count; i++) {
        assert_within(scores[i], 0.0, 1.0);
        if (i > 0) assert_true(steps[i] > steps[i - 1]);
    }
    assert_int_equal(steps[curve.count - 1], 90);
    assert_within(scores[curve.count - 1], 0.7, 1.0); /* half of the rows tell */
    sot_matrix_free(matrix);
    nn_scene_end(&scene);
}

/* ---- want of memory ---- */

static void want_of_memory_ends_a_walk(void **state)
{
    (void)state;
    sotto_error error;
    nn_scene scene;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE), .network = nn_norm_net};
    study.config.steps = 2;
    for (int plain = 0; plain < 2; plain++) {
        if (plain == 1) study.config.method = SOTTO_METHOD_NONE;
        begin(&study, &scene);
        sot_matrix *matrix = rows_of(9, 5, 3);
        double theta[256];
        sotto_status status = SOTTO_OUT_OF_MEMORY;
        size_t nth = 1;
        for (; status != SOTTO_OK && nth < 500; nth++) {
            nn_forget_norms(scene.learner->net);
            (void)sot_test_fail_allocation(nth);
            status = nn_learn(&scene, matrix, 3, 1, theta, &error);
            if (status != SOTTO_OK) assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        }
        (void)sot_test_fail_allocation(0);
        assert_in_range(nth, 20, 499);
        sot_matrix_free(matrix);
        nn_scene_end(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_bound_and_noise_it_is_the_plain_path),
        cmocka_unit_test(an_empty_sample_is_a_step_of_noise),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(every_run_draws_coins_of_its_own),
        cmocka_unit_test(a_checkpoint_is_where_a_run_goes_on),
        cmocka_unit_test(a_checkpoint_of_something_else_is_refused),
        cmocka_unit_test(data_norms_are_means_and_deviations),
        cmocka_unit_test(the_learning_curve_is_about_public_rows),
        cmocka_unit_test(want_of_memory_ends_a_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
