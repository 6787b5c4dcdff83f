/* SIGKILL at any moment of a training that keeps its state: the same call goes on, until there is one model, whose
 * certificate holds, and one charge. No false alarms: that is so at every moment. */
#include "resume_scene.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "privacy/ledger/kept.h"

/* Under a sanitizer a fork costs a quarter of a second, and finds nothing new. */
#if defined(__SANITIZE_ADDRESS__)
enum { KILLS = 3, NETWORK_KILLS = 4 };
#else
enum { KILLS = 6, NETWORK_KILLS = 20 };
#endif

enum { STEPS = 40 };

static sotto_train_config a_walk(const scene *s, bool of_network)
{
    sotto_train_config config = scene_config(s, NULL);
    config.steps = STEPS;
    if (!of_network) return config;
    config.model = SOTTO_MODEL_NETWORK;
    config.network = "mlp";
    return config;
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* A process of its own that trains; killed after a while, if it lasts so long (below 0: never). Returns whether it
 * was. */
static bool train_and_kill(const scene *s, const sotto_train_config *config,
                           double seconds)
{
    int ready[2], result = 0;
    char byte;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sotto_error error;
        (void)!write(ready[1], "r", 1);
        const sotto_status status = scene_train(s, config, NULL, &error);
        if (status != SOTTO_OK) (void)fprintf(stderr, "%s\n", error.message);
        _exit((int)status);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    (void)close(ready[0]);
    (void)close(ready[1]);
    if (seconds >= 0.0) {
        const struct timespec pause = {(time_t)seconds, (long)(fmod(seconds, 1.0) * 1e9)};
        (void)nanosleep(&pause, NULL);
        assert_int_equal(kill(child, SIGKILL), 0);
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    if (WIFSIGNALED(result)) return true;
    assert_int_equal(WEXITSTATUS(result), SOTTO_OK);
    return false;
}

/* How long a training takes here that nobody kills. */
static double seconds_of_one(bool of_network)
{
    scene s = scene_new(true);
    const sotto_train_config config = a_walk(&s, of_network);
    sot_test_keep_every(0.0);
    const double began = sot_clock_seconds();
    assert_false(train_and_kill(&s, &config, -1.0));
    const double seconds = sot_clock_seconds() - began;
    scene_free(&s);
    return seconds;
}

static void kill_trainings(bool of_network, int most)
{
    uint32_t seed = 20261116;
    int kills = 0, trainings = 0;
    uint64_t on_the_way = 0;
    const double seconds = seconds_of_one(of_network);
    while (kills < most) {
        scene s = scene_new(true);
        const sotto_train_config config = a_walk(&s, of_network);
        uint64_t last = 0;
        bool killed = true;
        sot_test_keep_every(0.0);
        while (killed) {
            const double moment =
                kills < most ? seconds * (double)(next_random(&seed) % 1000) / 1500.0
                             : -1.0;
            killed = train_and_kill(&s, &config, moment);
            const tally counts = scene_tally(&s);
            kills += killed;
            if (scene_has(s.output) && !scene_has(s.checkpoint)) break; /* at its end */
            assert_true(counts.reserves <= 1);
            assert_true(counts.last_step >= last); /* never back */
            last = counts.last_step;
            on_the_way += killed && last > 0 && last < STEPS;
        }
        const tally counts = scene_tally(&s);
        assert_int_equal(counts.reserves, 1);
        assert_int_equal(counts.commits, 1);
        assert_int_equal(counts.checkpoints, STEPS); /* each step was kept once */
        scene_check_model(&s);
        trainings++;
        scene_free(&s);
    }
    print_message("%d kills of %d trainings of %.0f ms, %llu of them on the way\n", kills,
                  trainings, 1e3 * seconds, (unsigned long long)on_the_way);
    if (most >= 20) assert_true(on_the_way > 0);
}

static void killed_at_any_moment_it_goes_on_under_one_charge(void **state)
{
    (void)state;
    kill_trainings(false, KILLS);
}

static void so_does_a_network(void **state)
{
    (void)state;
    kill_trainings(true, NETWORK_KILLS);
}

/* Each step of writing a file, one after another, in every file of the whole way: states, the sealed output, the
 * model itself. */
static void killed_at_each_step_of_writing_it_goes_on(void **state)
{
    (void)state;
    static const sot_file_step steps[] = {SOT_FILE_WRITE, SOT_FILE_SYNC, SOT_FILE_RENAME,
                                          SOT_FILE_SYNC_DIRECTORY};
    for (int has_ledger = 0; has_ledger < 2; has_ledger++) {
        scene s = scene_new(has_ledger);
        sotto_train_config config = scene_config(&s, NULL);
        sotto_error error;
        sot_test_keep_every(0.0);
        config.steps = 2;
        config.again = true;
        int kills = 0;
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            bool killed = true;
            for (size_t nth = 1; killed; nth++) {
                int result = 0;
                const pid_t child = fork();
                assert_true(child >= 0);
                if (child == 0) {
                    sot_test_file_fault(steps[i], nth, 1);
                    _exit((int)scene_train(&s, &config, NULL, &error));
                }
                assert_int_equal(waitpid(child, &result, 0), child);
                killed = WIFSIGNALED(result);
                kills += killed;
                assert_true(killed || WEXITSTATUS(result) == SOTTO_OK);
                if (killed) assert_ok(scene_train(&s, &config, NULL, &error), &error);
                scene_check_model(&s);
                if (has_ledger) /* each charge has its model */
                    assert_int_equal(scene_tally(&s).commits, scene_tally(&s).reserves);
                assert_int_equal(unlink(s.output), 0);
            }
        }
        assert_true(kills >= 12);
        scene_free(&s);
    }
}

/* Killed between the file and its row: the state that nobody recorded is made again, with other noise; so what lies there
 * must tell nothing. No key that is or will be in the ledger opens it. */
static void a_state_that_was_not_recorded_stays_sealed(void **state)
{
    (void)state;
    enum {
        FIFTH = 5
    }; /* sync of the folder: two of the begun file, two of step 1, the first of step 2 */
    scene s = scene_new(true);
    const sotto_train_config config = scene_config(&s, NULL);
    sotto_error error;
    sot_kept_file file;
    sot_kept_run run;
    sotto_ledger *ledger = NULL;
    sotto_plan *plan = NULL;
    unsigned char *body = NULL;
    size_t releases = 0, body_bytes = 0;
    char hash[SOTTO_HASH_HEX_BYTES];
    int result = 0;
    sot_test_keep_every(0.0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sot_test_file_fault(SOT_FILE_SYNC_DIRECTORY, FIFTH, 1);
        _exit((int)scene_train(&s, &config, NULL, &error));
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result));
    assert_int_equal(scene_tally(&s).last_step, 1);

    scene_file left = scene_take(s.next), kept = scene_take(s.checkpoint);
    assert_ok(sot_kept_parse(left.bytes, left.size_bytes, &file, hash, &error), &error);
    assert_int_equal(file.step, 2);
    assert_true(file.sealed);
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
    assert_ok(sotto_ledger_open(s.ledger, &ledger, &error), &error);
    assert_ok(sot_ledger_find_kept(ledger, hash, plan, &run, &error), &error);
    assert_int_equal(run.place, SOT_KEPT_UNKNOWN);
    sot_kept_file recorded;
    assert_ok(sot_kept_parse(kept.bytes, kept.size_bytes, &recorded, hash, &error),
              &error);
    assert_ok(sot_ledger_find_kept(ledger, hash, plan, &run, &error), &error);
    assert_int_equal(run.place, SOT_KEPT_LAST);
    assert_ok(sot_kept_unseal(&recorded, run.seal_key, &body, &body_bytes, &error),
              &error);
    sot_free(body);
    assert_refused(sot_kept_unseal(&file, run.seal_key, &body, &body_bytes, &error),
                   SOTTO_VERIFICATION, &error, "does not open", NULL);

    sot_test_keep_every(-1.0);
    assert_ok(scene_train(&s, &config, &releases, &error), &error);
    assert_int_equal(releases, SCENE_STEPS - 1);
    scene_check_model(&s);
    sotto_ledger_close(ledger);
    sotto_plan_free(plan);
    sot_free(file.released);
    sot_free(recorded.released);
    sot_free(left.bytes);
    sot_free(kept.bytes);
    scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_at_any_moment_it_goes_on_under_one_charge),
        cmocka_unit_test(so_does_a_network),
        cmocka_unit_test(killed_at_each_step_of_writing_it_goes_on),
        cmocka_unit_test(a_state_that_was_not_recorded_stays_sealed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
