/* What a training of a network plans, from public facts alone; its rules; its refusals. */
#include "support.h"

#include "nn_study.h"

static void begin(const nn_study *study, nn_scene *scene)
{
    sotto_error error;
    assert_ok(nn_scene_begin(study, 0, scene, &error), &error);
}

static double setting(const nn_scene *scene, const char *name)
{
    for (size_t i = 0; i < scene->learner->setting_count; i++)
        if (strcmp(scene->learner->settings[i].name, name) == 0)
            return scene->learner->settings[i].value;
    fail_msg("there is no setting '%s'", name);
    return 0.0;
}

static double epsilon_of(const nn_scene *scene)
{
    sotto_error error;
    sotto_account account;
    assert_ok(sotto_account_epsilon(scene->plan, SOTTO_EXACT, scene->config.delta,
                                    &account, &error),
              &error);
    return account.epsilon;
}

static void the_sampler_is_the_event(void **state)
{
    (void)state;
    nn_scene scene;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE)};
    begin(&study, &scene);
    assert_int_equal(sotto_plan_size(scene.plan), 1);
    const sotto_event *event = sotto_plan_event(scene.plan, 0);
    assert_int_equal(event->sampling, SOTTO_POISSON);
    assert_true(event->rate == 0.5);
    assert_int_equal(event->count, 4);
    assert_within(epsilon_of(&scene), 0.99 * 2.5, 2.5);
    assert_true(setting(&scene, "divisor") == 4.0);
    assert_relative(setting(&scene, "sigma") / event->sensitivity,
                    setting(&scene, "noise_multiplier"), 1e-9);
    assert_within(event->sensitivity, 0.375, 0.378);
    assert_within(scene.learner->sampler_error, 1e-300, 1e-200);
    nn_scene_end(&scene);

    study.config.adjacency = SOTTO_REPLACE_ONE;
    study.config.expected_rows = 0;
    study.config.public_n = 9;
    study.config.sampling = SOTTO_WITHOUT_REPLACEMENT;
    begin(&study, &scene);
    event = sotto_plan_event(scene.plan, 0);
    assert_int_equal(event->sampling, SOTTO_WITHOUT_REPLACEMENT);
    assert_int_equal(event->population, 9);
    assert_int_equal(event->batch, 4);
    assert_within(event->sensitivity, 0.75, 0.754); /* an exchange */
    nn_scene_end(&scene);

    study.config.sampling = SOTTO_SINGLE_RECORD;
    study.config.batch = 0;
    begin(&study, &scene);
    event = sotto_plan_event(scene.plan, 0);
    assert_int_equal(event->sampling, SOTTO_SINGLE_RECORD);
    assert_int_equal(event->population, 9);
    assert_true(setting(&scene, "divisor") == 1.0);
    nn_scene_end(&scene);

    study.config.method = SOTTO_METHOD_GD;
    study.config.sampling = SOTTO_POISSON;
    begin(&study, &scene);
    event = sotto_plan_event(scene.plan, 0);
    assert_int_equal(event->sampling, SOTTO_NOT_SAMPLED);
    assert_true(setting(&scene, "divisor") == 9.0);
    nn_scene_end(&scene);
}

static void data_norms_are_in_the_plan(void **state)
{
    (void)state;
    nn_scene scene, without;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE), .network = nn_norm_net};
    begin(&study, &scene);
    study.network = NULL;
    begin(&study, &without);
    assert_int_equal(sotto_plan_size(scene.plan), 3);
    for (size_t i = 0; i < 2; i++) {
        const sotto_event *event = sotto_plan_event(scene.plan, i);
        assert_int_equal(event->sampling, SOTTO_NOT_SAMPLED);
        assert_int_equal(event->count, 1);
        assert_within(event->noise_multiplier, 9.0 * (1.0 - 1e-12), 9.0);
        assert_true(event->sensitivity == (i == 0 ? 0.75 : 0.5));
    }
    assert_within(epsilon_of(&scene), 0.99 * 2.5, 2.5);
    assert_true(setting(&scene, "noise_multiplier") >
                setting(&without, "noise_multiplier"));
    nn_scene_end(&scene);
    nn_scene_end(&without);
}

static void data_norms_of_means_alone_release_once(void **state)
{
    (void)state;
    static const double sensitivities[] = {0.6, 0.75, 0.5};
    nn_scene scene;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE), .network = nn_center_net};
    begin(&study, &scene);
    assert_int_equal(sotto_plan_size(scene.plan), 4);
    for (size_t i = 0; i < 3; i++)
        assert_true(sotto_plan_event(scene.plan, i)->sensitivity == sensitivities[i]);
    nn_scene_end(&scene);
}

/* The published recipes, at the sizes they were published for; src/models/network/learn/rules.c. */
static void rules_follow_from_public_facts(void **state)
{
    (void)state;
    nn_scene scene;
    nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE)};
    study.config.batch = 0;
    study.config.steps = 0;
    study.config.clip = SOTTO_UNSET;
    study.config.expected_rows = 60000;
    begin(&study, &scene);
    assert_true(setting(&scene, "batch") == 4096.0);
    assert_true(setting(&scene, "clip") == 0.1);
    assert_true(setting(&scene, "momentum") == 0.9);
    assert_true(setting(&scene, "steps") == 586.0);
    assert_within(setting(&scene, "epochs"), 39.9, 40.1);
    assert_relative(setting(&scene, "learning_rate"), 8.0, 1e-12);
    assert_true(setting(&scene, "weight_average") == 0.999);
    nn_scene_end(&scene);
    study.config.clip = 0.5; /* the step stays what it is */
    study.config.epochs = 2.0;
    begin(&study, &scene);
    assert_relative(setting(&scene, "learning_rate"), 1.6, 1e-12);
    assert_true(setting(&scene, "steps") == 29.0);
    nn_scene_end(&scene);
}

/* ---- refusals ---- */

static void refuse(sotto_train_config config, sotto_status expected, const char *word)
{
    sotto_error error;
    nn_scene scene;
    nn_study study = {.config = config};
    assert_refused(nn_scene_begin(&study, 0, &scene, &error), expected, &error, word,
                   NULL);
    nn_scene_end(&scene);
}

#define REFUSED(field, value, word)                                                      \
    do {                                                                                 \
        sotto_train_config config = nn_config(SOTTO_ADD_REMOVE);                         \
        config.field = (value);                                                          \
        refuse(config, SOTTO_INVALID_ARGUMENT, word);                                    \
    } while (0)

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    REFUSED(delta, SOTTO_UNSET, "delta");
    REFUSED(expected_rows, 0, "`expected_rows` is missing");
    REFUSED(batch, 9, "at most that many");
    REFUSED(steps, 2000000, "steps");
    REFUSED(learning_rate, -1.0, "`learning_rate` is -1");
    REFUSED(clip, 0.0, "clip");
    REFUSED(clip, (double)INFINITY, "clip");
    REFUSED(momentum, 1.0, "momentum");
    REFUSED(weight_average, 1.0, "weight_average");
    REFUSED(radius, 0.0, "radius");
    REFUSED(lambda, -1.0, "lambda");
    REFUSED(epochs, 3.0, "`epochs` is 3 and `steps` is 4"); /* steps are given */
    REFUSED(augmentations, 2, "images");
    REFUSED(sampling, SOTTO_WITHOUT_REPLACEMENT, "replace-one");
    REFUSED(sampling, SOTTO_NOT_SAMPLED, "all rows");
    sotto_train_config config = nn_config(SOTTO_ADD_REMOVE);
    config.batch = 0;
    config.sampling = SOTTO_SINGLE_RECORD;
    refuse(config, SOTTO_INVALID_ARGUMENT, "public number");
    config = nn_config(SOTTO_ADD_REMOVE);
    config.steps = 0;
    config.epochs = 1e6;
    refuse(config, SOTTO_INVALID_ARGUMENT, "larger `batch`");
    config = nn_config(SOTTO_ADD_REMOVE);
    config.method = SOTTO_METHOD_NEWTON;
    refuse(config, SOTTO_UNSUPPORTED, "newton");
    config.method = SOTTO_METHOD_SGD;
    config.schedule = SOTTO_SCHEDULE_STRONG;
    refuse(config, SOTTO_UNSUPPORTED, "strong");
    config.schedule = SOTTO_SCHEDULE_AUTO;
    config.iterate = SOTTO_ITERATE_SUFFIX;
    refuse(config, SOTTO_UNSUPPORTED, "suffix");
}

static void a_unit_of_several_rows_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    nn_scene scene;
    sot_learner *learner = NULL;
    const nn_study study = {.config = nn_config(SOTTO_ADD_REMOVE)};
    begin(&study, &scene);
    sot_learner_setup setup = scene.learner->setup;
    setup.unit_rows = 3;
    assert_refused(sot_nn_new(&setup, &learner, &error), SOTTO_UNSUPPORTED, &error,
                   "unit", NULL);
    nn_scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sampler_is_the_event),
        cmocka_unit_test(data_norms_are_in_the_plan),
        cmocka_unit_test(data_norms_of_means_alone_release_once),
        cmocka_unit_test(rules_follow_from_public_facts),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(a_unit_of_several_rows_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
