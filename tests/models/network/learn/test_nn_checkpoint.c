/* What a training keeps for a later run: released numbers, whole, of this network; and no key. */
#include "support.h"

#include "nn_rows.h"

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
    nn_begin(&study, &scene);
    sot_matrix *matrix = nn_rows_of(ROWS, 5, 3);
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
    nn_begin(&study, &scene);
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
    assert_ok(sot_nn_save(net, &walk, NULL, &bytes, &size, &error), &error);
    first[0] = 9.0f;
    assert_ok(sot_nn_state_begin(net, &nn->moves, first, &other, &error), &error);
    nn_forget_norms(net);
    assert_ok(sot_nn_restore(net, &other, NULL, bytes, size, &error), &error);
    assert_true(net->layers[0].mean[1] == 0.1);
    assert_int_equal(other.step, 3);
    assert_ok(sot_nn_save(net, &other, NULL, &twice, &same, &error), &error);
    assert_int_equal(size, same);
    assert_memory_equal(bytes, twice, size);
    assert_int_equal(sot_nn_restore(net, &other, NULL, bytes, size - 1, &error),
                     SOTTO_PARSE);
    for (size_t i = 0; i < 48;
         i++) { /* magic, version, numbers of things: not the step */
        if (i >= 16 && i < 24) continue;
        bytes[i] ^= 4;
        assert_refused(sot_nn_restore(net, &other, NULL, bytes, size, &error),
                       SOTTO_PARSE, &error, "checkpoint", NULL);
        bytes[i] ^= 4;
    }
    memset(bytes + 48, 0xff, 4); /* NaN for a weight */
    assert_int_equal(sot_nn_restore(net, &other, NULL, bytes, size, &error), SOTTO_PARSE);
    sot_free(twice);
    twice = NULL;
    walk.weights[0] = NAN; /* never half a state */
    assert_refused(sot_nn_save(net, &walk, NULL, &twice, &same, &error), SOTTO_INTERNAL,
                   &error, "not finite", NULL);
    assert_null(twice);
    sot_free(bytes);
    sot_nn_state_free(&walk);
    sot_nn_state_free(&other);
    nn_scene_end(&scene);
}

/* A curve has a point a step here; after the stop the points before it are still there. */
static void the_learning_curve_goes_on(void **state)
{
    (void)state;
    enum { ROWS = 40, STEPS = 4, ROOM = 8 };
    sotto_error error;
    nn_scene scene;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE), .network = nn_norm_net};
    study.config.expected_rows = ROWS;
    study.config.batch = 20;
    nn_begin(&study, &scene);
    sot_matrix *matrix = nn_rows_of(ROWS, 5, 3), *public_rows = nn_rows_of(9, 5, 4);
    uint64_t steps[ROOM] = {0};
    double scores[ROOM] = {0}, first[2];
    sot_validation curve = {
        .matrix = public_rows, .room = ROOM, .steps = steps, .scores = scores};
    double *theta =
        sot_new_array(sot_learner_coefficients(scene.learner), sizeof(double));
    store half = {.due = 2, .stop = true}, end = {.due = STEPS - 2};
    sot_checkpoint checkpoint = checkpoint_of(&half);
    scene.learner->validation = &curve;
    scene.learner->checkpoint = &checkpoint;
    assert_int_equal(nn_learn(&scene, matrix, 5, 1, theta, &error), SOTTO_INTERRUPTED);
    assert_int_equal(curve.count, 2);
    memcpy(first, scores, sizeof first);
    memset(steps, 0, sizeof steps);
    memset(scores, 0, sizeof scores);
    curve.count = 0;
    checkpoint = (sot_checkpoint){.state = half.bytes,
                                  .state_bytes = half.size,
                                  .step = 2,
                                  .is_due = is_due,
                                  .keep = keep,
                                  .context = &end};
    nn_forget_norms(scene.learner->net);
    assert_int_equal(nn_learn(&scene, matrix, 6, 1, theta, &error), SOTTO_NOT_IN_PLAN);
    assert_int_equal(curve.count, STEPS);
    for (uint64_t i = 0; i < STEPS; i++)
        assert_int_equal(steps[i], i + 1);
    assert_memory_equal(scores, first, sizeof first);
    /* Points that do not fit, or are of steps to come, are of another training. */
    const size_t at = half.size - 2 * 8 - 2 * 8 - 8; /* how many, steps, scores */
    const sot_nn *nn = scene.learner->state;
    float weights[256];
    sot_nn_state begun;
    sot_nn_first_parameters(scene.learner, weights);
    assert_ok(sot_nn_state_begin(scene.learner->net, &nn->moves, weights, &begun, &error),
              &error);
    for (size_t which = 0; which < 3; which++) {
        half.bytes[at + 8 * which] ^= 9; /* 2 to 11, 1 to 8, 2 to 11 */
        assert_int_equal(sot_nn_restore(scene.learner->net, &begun, &curve, half.bytes,
                                        half.size, &error),
                         SOTTO_PARSE);
        half.bytes[at + 8 * which] ^= 9;
    }
    assert_int_equal(
        sot_nn_restore(scene.learner->net, &begun, NULL, half.bytes, half.size, &error),
        SOTTO_PARSE);
    half.bytes[8] = 1; /* a version without a curve */
    assert_ok(sot_nn_restore(scene.learner->net, &begun, &curve, half.bytes, at, &error),
              &error);
    sot_nn_state_free(&begun);
    sot_free(half.bytes);
    sot_free(end.bytes);
    sot_free(theta);
    sot_matrix_free(matrix);
    sot_matrix_free(public_rows);
    nn_scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_checkpoint_is_where_a_run_goes_on),
        cmocka_unit_test(a_checkpoint_of_something_else_is_refused),
        cmocka_unit_test(the_learning_curve_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
