/* A training that is ended goes on: from where it was, under its one charge, with fresh noise. */
#include "resume_scene.h"

#include <sys/wait.h>

#include <sotto/loss.h>

#include "base/file/pair.h"
#include "commands/train/train.h"

/* ---- it goes on ---- */

static void a_training_goes_on_where_it_was(void **state)
{
    (void)state;
    for (int has_ledger = 0; has_ledger < 2; has_ledger++) {
        scene s = scene_new(has_ledger);
        sotto_error error;
        size_t releases = 0;
        struct stat facts;
        stopper listener = {.stop_at = 5};
        sotto_train_config config = scene_config(&s, &listener);
        assert_refused(scene_train(&s, &config, &releases, &error), SOTTO_INTERRUPTED,
                       &error, "stopped on request after step 5 of 12",
                       "run the same command to resume",
                       has_ledger ? "the charge stands" : NULL, NULL);
        assert_int_equal(releases, 5);
        assert_int_equal(stat(s.checkpoint, &facts), 0);
        assert_int_equal(facts.st_mode & 07777, 0600);
        assert_false(scene_has(s.output));
        const tally before = has_ledger ? scene_tally(&s) : (tally){0};

        listener = (stopper){.stop_at = 0};
        assert_ok(scene_train(&s, &config, &releases, &error), &error);
        assert_int_equal(releases, SCENE_STEPS - 5);
        assert_int_equal(listener.first, 5);
        assert_int_equal(listener.last, SCENE_STEPS);
        scene_check_model(&s);
        if (has_ledger) {
            const tally after = scene_tally(&s);
            assert_true(before.spent > 0.0 && after.spent == before.spent);
            assert_int_equal(after.reserves, 1);
            assert_int_equal(after.commits, 1);
            assert_int_equal(after.last_step, 5);
        }
        scene_free(&s);
    }
}

static void the_certificate_is_that_of_the_whole_plan(void **state)
{
    (void)state;
    scene_file models[2];
    for (int i = 0; i < 2; i++) {
        scene s = scene_new(true);
        sotto_error error;
        sotto_certificate_summary summary;
        if (i == 1) scene_stop_at(&s, 7);
        const sotto_train_config config = scene_config(&s, NULL);
        assert_ok(scene_train(&s, &config, NULL, &error), &error);
        models[i] = scene_take(s.output);
        assert_ok(sotto_certificate_summarize(models[i].bytes, models[i].size_bytes,
                                              &summary, &error),
                  &error);
        assert_true(summary.is_private && summary.is_verified && summary.is_exact);
        assert_true(summary.epsilon <= 0.75);
        assert_non_null(strstr(models[i].bytes, "\"count\": 12"));
        scene_free(&s);
    }
    /* The same claims, up to the noise, the hashes and the time. */
    const char *first = strstr(models[0].bytes, "\"sampler_error\"");
    const char *second = strstr(models[1].bytes, "\"sampler_error\"");
    assert_non_null(first);
    assert_non_null(second);
    assert_memory_equal(first, second, 40);
    sot_free(models[0].bytes);
    sot_free(models[1].bytes);
}

static void a_limit_of_minutes_stops_behind_a_step(void **state)
{
    (void)state;
    scene s = scene_new(true);
    sotto_error error;
    sotto_train_config config = scene_config(&s, NULL);
    config.max_minutes = 1e-9;
    for (int step = 1; step <= SCENE_STEPS; step++) {
        char words[64];
        snprintf(words, sizeof words, "when the time was up after step %d of 12", step);
        assert_refused(scene_train(&s, &config, NULL, &error), SOTTO_INTERRUPTED, &error,
                       words, NULL);
    }
    assert_ok(scene_train(&s, &config, NULL, &error), &error); /* all steps were done */
    scene_check_model(&s);
    const tally counts = scene_tally(&s);
    assert_int_equal(counts.reserves, 1);
    assert_int_equal(counts.checkpoints, SCENE_STEPS);
    scene_free(&s);
}

static void sgd_and_its_samples_go_on_too(void **state)
{
    (void)state;
    scene s = scene_new(true);
    sotto_error error;
    size_t releases = 0;
    sotto_train_config config = scene_config(&s, NULL);
    config.method = SOTTO_METHOD_SGD;
    config.batch = 2;
    config.steps = 40;
    config.max_minutes = 1e-9;
    assert_int_equal(scene_train(&s, &config, &releases, &error), SOTTO_INTERRUPTED);
    assert_int_equal(releases, 1);
    config.max_minutes = SOTTO_UNSET;
    assert_ok(scene_train(&s, &config, &releases, &error), &error);
    assert_int_equal(releases, 39);
    scene_check_model(&s);
    scene_free(&s);
}

/* Ended between the charge and the first state: the charge is taken over too. */
static void a_charge_without_a_state_is_taken_over(void **state)
{
    (void)state;
    scene s = scene_new(true);
    sotto_error error;
    size_t releases = 0;
    sotto_train_config config = scene_config(&s, NULL);
    scene_file data = scene_take(s.data);
    config.stream = true;
    scene_write(s.data, "age,town,person,smokes\n");
    assert_int_equal(chmod(s.data, 0600), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sot_test_file_fault(SOT_FILE_RENAME, 1, 1); /* charged, not in its place */
        _exit((int)scene_train(&s, &config, NULL, &error));
    }
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result));
    assert_int_equal(scene_tally(&s).reserves, 1);
    assert_true(scene_has(s.next) && !scene_has(s.checkpoint));
    scene_put(s.data, &data);
    assert_ok(scene_train(&s, &config, &releases, &error), &error);
    assert_int_equal(releases, SCENE_STEPS);
    assert_int_equal(scene_tally(&s).reserves, 1);
    scene_check_model(&s);
    sot_free(data.bytes);
    scene_free(&s);
}

static void nothing_is_left_of_a_charge_that_was_refused(void **state)
{
    (void)state;
    scene s = scene_new(true);
    sotto_error error;
    sotto_train_config config = scene_config(&s, NULL);
    config.epsilon = 30.0;
    assert_int_equal(scene_train(&s, &config, NULL, &error), SOTTO_BUDGET_EXCEEDED);
    assert_false(scene_has(s.checkpoint) || scene_has(s.next));
    assert_int_equal(scene_tally(&s).reserves, 0);
    scene_free(&s);
}

/* ---- fresh noise ---- */

/* Without a ledger nobody can refuse the same checkpoint twice: the two walks from it must not share their noise. */
static void noise_is_fresh_in_every_process(void **state)
{
    (void)state;
    scene s = scene_new(false);
    scene_stop_at(&s, 5);
    scene_file kept = scene_take(s.checkpoint), after[2];
    for (int i = 0; i < 2; i++) {
        scene_put(s.checkpoint, &kept);
        scene_stop_at(&s, 6);
        after[i] = scene_take(s.checkpoint);
    }
    assert_int_equal(after[0].size_bytes, after[1].size_bytes);
    assert_memory_not_equal(after[0].bytes, after[1].bytes, after[0].size_bytes);
    for (int i = 0; i < 2; i++)
        sot_free(after[i].bytes);
    sot_free(kept.bytes);
    scene_free(&s);
}

/* A seed is a seed: the same two processes give the same model, and the second has noise of its own. */
static void a_test_seed_is_repeatable_and_does_not_repeat_itself(void **state)
{
    (void)state;
    scene_file models[3];
    for (int i = 0; i < 3; i++) {
        scene s = scene_new(false);
        sotto_error error;
        stopper listener = {.stop_at = i < 2 ? 5 : 0};
        sotto_train_config config = scene_config(&s, &listener);
        config.insecure_test = true;
        config.test_seed = 7;
        const sotto_status status = scene_train(&s, &config, NULL, &error);
        assert_int_equal(status, i < 2 ? SOTTO_INTERRUPTED : SOTTO_OK);
        listener.stop_at = 0;
        if (i < 2) assert_ok(scene_train(&s, &config, NULL, &error), &error);
        models[i] = scene_take(s.output);
        scene_free(&s);
    }
    assert_string_equal(models[0].bytes, models[1].bytes);
    assert_string_not_equal(models[0].bytes, models[2].bytes);
    for (int i = 0; i < 3; i++)
        sot_free(models[i].bytes);
}

/* ---- one continuation ---- */

static void an_older_checkpoint_is_refused(void **state)
{
    (void)state;
    scene s = scene_new(true);
    sotto_error error;
    size_t releases = 99;
    const sotto_train_config config = scene_config(&s, NULL);
    scene_stop_at(&s, 4);
    scene_file older = scene_take(s.checkpoint);
    scene_stop_at(&s, 6);
    scene_file newer = scene_take(s.checkpoint);
    scene_put(s.checkpoint, &older);
    const tally before = scene_tally(&s);
    assert_refused(scene_train(&s, &config, &releases, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "older than the last checkpoint recorded in ledger row 2",
                   "delete it to start a new run, which is charged", NULL);
    assert_int_equal(releases, 0);
    assert_true(scene_tally(&s).spent == before.spent);
    assert_int_equal(scene_tally(&s).checkpoints, before.checkpoints);
    /* As what a crash left behind it is no better: the right one in place counts. */
    scene_put(s.checkpoint, &newer);
    scene_put(s.next, &older);
    assert_ok(scene_train(&s, &config, &releases, &error), &error);
    assert_int_equal(releases, SCENE_STEPS - 6);
    scene_check_model(&s);
    /* Nor behind the end. */
    scene_put(s.checkpoint, &newer);
    assert_refused(scene_train(&s, &config, &releases, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "older", NULL);
    assert_int_equal(releases, 0);
    sot_free(older.bytes);
    sot_free(newer.bytes);
    scene_free(&s);
}

static void a_second_process_is_refused(void **state)
{
    (void)state;
    scene s = scene_new(true);
    sotto_error error;
    size_t releases = 99;
    sot_pair *other = NULL;
    const sotto_train_config config = scene_config(&s, NULL);
    scene_stop_at(&s, 4);
    assert_ok(sot_pair_open(s.checkpoint, &other, &error), &error);
    assert_refused(scene_train(&s, &config, &releases, &error), SOTTO_IO, &error,
                   "in use by another process", NULL);
    assert_int_equal(releases, 0);
    sot_pair_close(other);
    assert_ok(scene_train(&s, &config, &releases, &error), &error);
    assert_int_equal(scene_tally(&s).reserves, 1);
    scene_free(&s);
}

/* Four at once, from nothing and from a checkpoint: the ledger has as many charges as models were made. */
static void of_several_processes_each_is_charged_or_refused(void **state)
{
    (void)state;
    enum { RACERS = 4 };
    for (int begun = 0; begun < 2; begun++) {
        scene s = scene_new(true);
        sotto_error error;
        pid_t racers[RACERS];
        uint64_t done = 0;
        if (begun) scene_stop_at(&s, 3);
        sot_test_keep_every(0.0);
        for (int i = 0; i < RACERS; i++) {
            racers[i] = fork();
            assert_true(racers[i] >= 0);
            if (racers[i] != 0) continue;
            sotto_train_config config = scene_config(&s, NULL);
            config.again = true; /* who comes late is not handed another one's output */
            _exit((int)scene_train(&s, &config, NULL, &error));
        }
        for (int i = 0; i < RACERS; i++) {
            int result = 0;
            assert_int_equal(waitpid(racers[i], &result, 0), racers[i]);
            assert_true(WIFEXITED(result));
            done += WEXITSTATUS(result) == SOTTO_OK;
        }
        const tally counts = scene_tally(&s);
        assert_true(done >= 1);
        assert_int_equal(counts.commits, done);
        assert_true(counts.reserves >= done);
        scene_free(&s);
    }
}

/* ---- with other settings ---- */

static void other_settings_data_schema_or_versions_are_refused(void **state)
{
    (void)state;
    scene s = scene_new(true);
    sotto_error error;
    sotto_train_config config = scene_config(&s, NULL);
    size_t releases = 99;
    scene_stop_at(&s, 4);
    const double spent = scene_tally(&s).spent;

    config.epsilon = 0.5;
    assert_refused(scene_train(&s, &config, &releases, &error), SOTTO_INVALID_ARGUMENT,
                   &error, s.checkpoint, "other settings", "delete it", NULL);
    assert_int_equal(releases, 0);
    config = scene_config(&s, NULL);
    config.steps = 13;
    assert_refused(scene_train(&s, &config, &releases, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "other settings", NULL);

    config = scene_config(&s, NULL);
    scene moved = s;
    snprintf(moved.data, sizeof moved.data, "%s/other.csv", s.folder);
    scene_write(moved.data, "age,town,person,smokes\n44.5,Lund,p1,no\n");
    assert_refused(scene_train(&moved, &config, &releases, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "other data", NULL);

    char text[sizeof study_schema];
    memcpy(text, study_schema, sizeof text);
    *strstr(text, "90") = '8';
    assert_ok(
        sotto_schema_parse("schema.json", text, strlen(text), &moved.schema, &error),
        &error);
    memcpy(moved.data, s.data, sizeof moved.data);
    assert_refused(scene_train(&moved, &config, &releases, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "(the schema)", NULL);
    sotto_schema_free(moved.schema);

    config.ledger = NULL;
    assert_refused(scene_train(&s, &config, &releases, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "needs the ledger", NULL);
    config.ledger = s.ledger;
    scene_file kept = scene_take(s.checkpoint);
    char *version = strstr(kept.bytes, "\"version\":\"") + strlen("\"version\":\"");
    *version = *version == '9' ? '8' : '9';
    char hash[SOTTO_HASH_HEX_BYTES];
    sot_kept_hash(kept.bytes, kept.size_bytes - 65, hash);
    memcpy(kept.bytes + kept.size_bytes - 65, hash, 64);
    scene_file right = scene_take(s.checkpoint);
    scene_put(s.checkpoint, &kept);
    assert_refused(scene_train(&s, &config, &releases, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "is of sotto 9", NULL);
    scene_put(s.checkpoint, &right);
    assert_int_equal(releases, 0);
    assert_true(scene_tally(&s).spent == spent);

    config.threads = 2; /* changes no bit */
    config.max_minutes = 60.0;
    assert_ok(scene_train(&s, &config, &releases, &error), &error);
    assert_int_equal(scene_tally(&s).reserves, 1);
    sot_free(kept.bytes);
    sot_free(right.bytes);
    scene_free(&s);
}

static void hash_of(const sotto_train_config *config, const scene *s,
                    char out_hash[SOTTO_HASH_HEX_BYTES])
{
    sotto_error error;
    sotto_training *training = NULL;
    sotto_train_config base = scene_config(s, NULL);
    assert_ok(sotto_training_plan(&base, s->schema, &training, &error), &error);
    training->config = *config; /* whatever else a plan would say to it */
    assert_ok(sot_training_hash(training, out_hash, &error), &error);
    training->config = base;
    sotto_training_free(training);
}

/* Each byte of the settings, but for the fields that change no number. A field that is new makes the struct
 * longer: it belongs in src/commands/train/keep.c, or in the list of exceptions here. */
static void every_setting_counts(void **state)
{
    (void)state;
    scene s = scene_new(false);
    char before[SOTTO_HASH_HEX_BYTES], after[SOTTO_HASH_HEX_BYTES];
    sotto_train_config base = scene_config(&s, NULL);
    base.insecure_test = true;
    hash_of(&base, &s, before);
    if (sizeof(void *) == 8) assert_int_equal(sizeof base, 400);
#define CHANGED(field, value)                                                            \
    do {                                                                                 \
        sotto_train_config config = base;                                                \
        config.field = value;                                                            \
        hash_of(&config, &s, after);                                                     \
        assert_string_not_equal(before, after);                                          \
    } while (0)
    static const sotto_loss loss = {.name = "mine"};
    CHANGED(model, SOTTO_MODEL_SVM);
    CHANGED(method, SOTTO_METHOD_SGD);
    CHANGED(calibration, SOTTO_CALIBRATION_KIFER);
    CHANGED(epsilon, 0.5);
    CHANGED(delta, 1e-7);
    CHANGED(adjacency, SOTTO_REPLACE_ONE);
    CHANGED(public_n, 3);
    CHANGED(expected_rows, 9);
    CHANGED(target, "smokes");
    CHANGED(sign, "curator.key");
    CHANGED(lambda, 0.5);
    CHANGED(lambda_theory, true);
    CHANGED(steps, 13);
    CHANGED(learning_rate, 0.5);
    CHANGED(width, 0.25);
    CHANGED(threshold, 0.5);
    CHANGED(radius, 2.0);
    CHANGED(l1, 0.5);
    CHANGED(l1_width, 0.5);
    CHANGED(prior, "no such file");
    CHANGED(sampling, SOTTO_SINGLE_RECORD);
    CHANGED(batch, 3);
    CHANGED(schedule, SOTTO_SCHEDULE_ROOT);
    CHANGED(iterate, SOTTO_ITERATE_LAST);
    CHANGED(network, "mlp");
    CHANGED(epochs, 2.0);
    CHANGED(clipping, SOTTO_CLIPPING_PER_LAYER);
    CHANGED(clip, 0.5);
    CHANGED(optimizer, SOTTO_OPTIMIZER_ADAM);
    CHANGED(momentum, 0.5);
    CHANGED(weight_average, 0.5);
    CHANGED(augmentations, 2);
    CHANGED(init, "no such file");
    CHANGED(freeze, "1-2");
    CHANGED(validation, "rows.npy");
    CHANGED(validation_labels, "labels.npy");
    CHANGED(concept, "stumps");
    CHANGED(draws, 3);
    CHANGED(sampler, SOTTO_SAMPLER_MALA);
    CHANGED(public_constants, true);
    CHANGED(basis, SOTTO_BASIS_BINS);
    CHANGED(bins, 8);
    CHANGED(loss, &loss);
    CHANGED(stream, true);
    CHANGED(insecure_test, false);
    CHANGED(test_seed, 5);
#undef CHANGED
    /* Of a file that settings name, what is in it. */
    sotto_train_config config = base;
    config.network = s.data;
    hash_of(&config, &s, before);
    scene_write(s.data, "another network");
    hash_of(&config, &s, after);
    assert_string_not_equal(before, after);
    scene_free(&s);
}

static void limits_and_names_that_cannot_be_kept_are_refused(void **state)
{
    (void)state;
    scene s = scene_new(true);
    sotto_error error;
    sotto_train_config config = scene_config(&s, NULL);
    config.max_minutes = 0.0;
    assert_refused(scene_train(&s, &config, NULL, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "`max_minutes` is 0", NULL);
    config.max_minutes = 5.0;
    config.output = NULL;
    assert_refused(scene_train(&s, &config, NULL, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "needs an output", NULL);
    config.output = s.output;
    config.method = SOTTO_METHOD_OBJECTIVE;
    config.steps = 0;
    assert_refused(scene_train(&s, &config, NULL, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "method with checkpoints", NULL);
    config = scene_config(&s, NULL);
    assert_int_equal(rename(s.data, s.next), 0);
    scene named = s;
    memcpy(named.data, s.next, sizeof named.data);
    if (strlen(s.next) < sizeof named.data) {
        assert_refused(scene_train(&named, &config, NULL, &error), SOTTO_INVALID_ARGUMENT,
                       &error, "would replace", NULL);
    }
    assert_true(scene_has(s.next));
    assert_int_equal(scene_tally(&s).reserves, 0);
    scene_free(&s);
}

static void without_a_ledger_the_certificate_says_what_nobody_saw(void **state)
{
    (void)state;
    scene s = scene_new(false);
    sotto_error error;
    const sotto_train_config config = scene_config(&s, NULL);
    assert_ok(scene_train(&s, &config, NULL, &error), &error);
    scene_file model = scene_take(s.output);
    assert_null(strstr(model.bytes, "resumed once"));
    sot_free(model.bytes);
    scene_stop_at(&s, 4);
    assert_ok(scene_train(&s, &config, NULL, &error), &error);
    model = scene_take(s.output);
    assert_non_null(strstr(model.bytes, "that this training was resumed once from"));
    sot_free(model.bytes);
    scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_training_goes_on_where_it_was),
        cmocka_unit_test(the_certificate_is_that_of_the_whole_plan),
        cmocka_unit_test(a_limit_of_minutes_stops_behind_a_step),
        cmocka_unit_test(sgd_and_its_samples_go_on_too),
        cmocka_unit_test(a_charge_without_a_state_is_taken_over),
        cmocka_unit_test(nothing_is_left_of_a_charge_that_was_refused),
        cmocka_unit_test(noise_is_fresh_in_every_process),
        cmocka_unit_test(a_test_seed_is_repeatable_and_does_not_repeat_itself),
        cmocka_unit_test(an_older_checkpoint_is_refused),
        cmocka_unit_test(a_second_process_is_refused),
        cmocka_unit_test(of_several_processes_each_is_charged_or_refused),
        cmocka_unit_test(other_settings_data_schema_or_versions_are_refused),
        cmocka_unit_test(every_setting_counts),
        cmocka_unit_test(limits_and_names_that_cannot_be_kept_are_refused),
        cmocka_unit_test(without_a_ledger_the_certificate_says_what_nobody_saw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
