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
    sot_free(twice);
    twice = NULL;
    walk.weights[0] = NAN; /* never half a state */
    assert_refused(sot_nn_save(net, &walk, &twice, &same, &error), SOTTO_INTERNAL, &error,
                   "not finite", NULL);
    assert_null(twice);
    sot_free(bytes);
    sot_nn_state_free(&walk);
    sot_nn_state_free(&other);
    nn_scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_checkpoint_is_where_a_run_goes_on),
        cmocka_unit_test(a_checkpoint_of_something_else_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
