/* The walk itself: the plain path without noise and bound, empty samples, threads, data norms, learning curves,
 * copies, want of memory. */
#include "support.h"

#include "nn_rows.h"

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
    sot_matrix *matrix = nn_rows_of(ROWS, 5, 3);
    nn_begin(&study, &private);
    nn_silence(&private);
    study.config.method = SOTTO_METHOD_NONE;
    study.config.batch = ROWS;
    nn_begin(&study, &plain);
    assert_null(plain.plan);
    double *noisy = nn_learned(&private, matrix, 3, 2),
           *exact = nn_learned(&plain, matrix, 4, 2);
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
    nn_begin(&study, &scene);
    sot_matrix *none = nn_rows_of(0, 5, 3), *few = nn_rows_of(3, 5, 3);
    double *a = nn_learned(&scene, none, 8, 1), *b = nn_learned(&scene, few, 8, 1);
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
    nn_begin(&study, &scene);
    sot_matrix *matrix = nn_rows_of(ROWS, 5, 3);
    double *one = nn_learned(&scene, matrix, 5, 1);
    for (size_t threads = 2; threads <= 3; threads++) {
        nn_forget_norms(scene.learner->net);
        double *more = nn_learned(&scene, matrix, 5, threads);
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
    nn_begin(&study, &scene);
    const sot_nn *nn = scene.learner->state;
    assert_ok(sotto_rng_new_for_test(6, &rng, &error), &error);
    for (size_t run = 0; run < 2; run++)
        assert_ok(sot_nn_draws_new(&nn->sampler, rng, NULL, &draws[run], &error), &error);
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
    nn_begin(&study, &private);
    nn_silence(&private);
    study.config.method = SOTTO_METHOD_NONE;
    nn_begin(&study, &plain);
    sot_matrix *matrix = nn_rows_of(ROWS, CHANNELS + 1, 3);
    for (size_t i = 0; i < ROWS; i++)
        matrix->dense[i * matrix->stride + 2] = 0.25f; /* no variance */
    sot_free(nn_learned(&private, matrix, 3, 1));
    sot_free(nn_learned(&plain, matrix, 3, 1));
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

/* Planes one after another in the rows, channels last in the layers; the front applied to the records of a step, or once
 * to all of them (the plain path). */
static void planes_of_an_image_are_channels(void **state)
{
    (void)state;
    enum { ROWS = 150, PIXELS = 16, PLANES = 2 };
    nn_scene private, plain;
    nn_study study = {
        .config = nn_config(SOTTO_ADD_REMOVE),
        .schema = "{\"dataset\": \"study-9\", \"shape\": [2, 4, 4], "
                  "\"numbers\": {\"lower\": 0, \"upper\": 1, \"scale\": "
                  "\"unit\"}, \"labels\": [0, 1, 2]}",
        .network = "{\"kind\": \"network\", \"version\": 1, \"layers\": ["
                   "{\"type\": \"data-norm\", \"clip\": 8, \"clip_squares\": 8, "
                   "\"noise\": 9}, {\"type\": \"conv2d\", \"channels\": 3, "
                   "\"kernel\": 3}, {\"type\": \"tanh\"}, {\"type\": \"flatten\"}, "
                   "{\"type\": \"dense\", \"units\": \"outputs\"}]}"};
    study.config.method = SOTTO_METHOD_GD;
    study.config.batch = 0;
    study.config.expected_rows = ROWS;
    study.config.steps = 10;
    study.config.clip = 64.0;
    study.config.learning_rate = 0.125;
    sot_matrix *matrix = nn_rows_of(ROWS, PLANES * PIXELS, 3);
    nn_begin(&study, &private);
    nn_silence(&private);
    study.config.method = SOTTO_METHOD_NONE;
    study.config.batch = ROWS;
    nn_begin(&study, &plain);
    double *noisy = nn_learned(&private, matrix, 3, 2),
           *exact = nn_learned(&plain, matrix, 4, 2);
    for (size_t i = 0; i < sot_learner_coefficients(plain.learner); i++)
        assert_within(noisy[i], exact[i] - 1e-4, exact[i] + 1e-4);
    for (size_t c = 0; c < PLANES; c++) {
        double mean = 0.0;
        for (size_t i = 0; i < ROWS; i++)
            for (size_t k = 0; k < PIXELS; k++)
                mean += (double)matrix->dense[i * matrix->stride + c * PIXELS + k];
        mean /= ROWS * PIXELS;
        assert_within(private.learner->net->layers[0].mean[c], mean - 1e-5, mean + 1e-5);
        assert_within(plain.learner->net->layers[0].mean[c], mean - 1e-9, mean + 1e-9);
    }
    sot_free(noisy);
    sot_free(exact);
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
    nn_begin(&study, &scene);
    sot_matrix *matrix = nn_rows_of(ROWS, 5, 3);
    uint64_t steps[ROOM];
    double scores[ROOM];
    sot_validation curve = {
        .matrix = matrix, .room = ROOM, .steps = steps, .scores = scores};
    scene.learner->validation = &curve;
    sot_free(nn_learned(&scene, matrix, 3, 1));
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
        nn_begin(&study, &scene);
        sot_matrix *matrix = nn_rows_of(9, 5, 3);
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
        cmocka_unit_test(data_norms_are_means_and_deviations),
        cmocka_unit_test(planes_of_an_image_are_channels),
        cmocka_unit_test(the_learning_curve_is_about_public_rows),
        cmocka_unit_test(want_of_memory_ends_a_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
