/* When the kernel refuses randomness (after a fork, say), nothing leaves, and the place in the plan is
 * used up: the run has no certificate. */
#include "privacy/mechanisms/release.h"

#include <sotto/exponential.h>
#include <sotto/permute_and_flip.h>
#include <sotto/propose_test_release.h>
#include <sotto/randomized_response.h>
#include <sotto/sparse_vector.h>

static const int64_t scores[] = {70, 3, 1};
static const uint64_t ends[] = {10, 20, 30};
static const sotto_selection_config choice = {0.5, 1, SOTTO_CHANGE_ANY, SOTTO_REPLACE_ONE,
                                              "choice"};

/* A gate whose generator has failed. */
static release broken_gate(sotto_event event)
{
    const release at = open_gate(SOTTO_REPLACE_ONE, event, 1, 3000);
    at.rng->failed = true;
    return at;
}

static void nothing_was_released(release at)
{
    sotto_error error;
    assert_refused(sotto_gate_finish(at.gate, &error), SOTTO_NOT_IN_PLAN, &error, NULL);
    free_gate(at);
}

static void choices_are_not_made(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    size_t chosen = 77;
    uint64_t point = 77;
    assert_ok(sotto_exponential_event(&choice, &event, &error), &error);
    release at = broken_gate(event);
    assert_refused(sotto_exponential_choose(at.gate, &choice, scores, 3, &chosen, &error),
                   SOTTO_ENTROPY, &error, NULL);
    nothing_was_released(at);
    at = broken_gate(event);
    assert_refused(
        sotto_exponential_choose_point(at.gate, &choice, scores, ends, 3, &point, &error),
        SOTTO_ENTROPY, &error, NULL);
    nothing_was_released(at);
    assert_ok(sotto_permute_and_flip_event(&choice, &event, &error), &error);
    at = broken_gate(event);
    assert_refused(
        sotto_permute_and_flip_choose(at.gate, &choice, scores, 3, &chosen, &error),
        SOTTO_ENTROPY, &error, NULL);
    nothing_was_released(at);
    assert_true(chosen == 77 && point == 77);
}

static void runs_do_not_begin_or_answer(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    const sotto_sparse_vector_config config = {
        0.5, 1, SOTTO_CHANGE_ANY, SOTTO_REPLACE_ONE, 4, 2, "run"};
    assert_ok(sotto_sparse_vector_event(&config, &event, &error), &error);
    sotto_sparse_vector *run = NULL;
    release at = broken_gate(event);
    assert_refused(sotto_sparse_vector_begin(at.gate, &config, &run, &error),
                   SOTTO_ENTROPY, &error, NULL);
    assert_null(run);
    nothing_was_released(at);

    at = open_gate(SOTTO_REPLACE_ONE, event, 1, 3001);
    assert_ok(sotto_sparse_vector_begin(at.gate, &config, &run, &error), &error);
    at.rng->failed = true;
    bool above = true;
    assert_refused(sotto_sparse_vector_ask(run, INT64_MIN, &above, &error), SOTTO_ENTROPY,
                   &error, NULL);
    assert_true(above); /* not written */
    sotto_sparse_vector_free(run);
    free_gate(at);
}

static void modes_and_reports_stay_unsaid(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    const sotto_propose_test_release_config stable = {0.5, 0.1, SOTTO_REPLACE_ONE,
                                                      "mode"};
    bool released = false;
    size_t mode = 77;
    assert_ok(sotto_propose_test_release_event(&stable, &event, &error), &error);
    release at = broken_gate(event);
    assert_refused(sotto_propose_test_release_mode(at.gate, &stable, scores, 3, &released,
                                                   &mode, &error),
                   SOTTO_ENTROPY, &error, NULL);
    assert_true(mode == 77 && !released);
    nothing_was_released(at);

    const sotto_randomized_response_config config = {0.5, 3, SOTTO_REPLACE_ONE, "colour"};
    const sotto_coin_survey_config coins = {1, 2, 1, 2, SOTTO_REPLACE_ONE, "yes?"};
    const uint32_t answers[] = {1, 0, 1};
    uint32_t reports[] = {9, 9, 9};
    assert_ok(sotto_randomized_response_event(&config, &event, &error), &error);
    at = broken_gate(event);
    assert_refused(
        sotto_randomized_response_release(at.gate, &config, answers, 3, reports, &error),
        SOTTO_ENTROPY, &error, NULL);
    nothing_was_released(at);
    assert_ok(sotto_coin_survey_event(&coins, &event, &error), &error);
    at = broken_gate(event);
    assert_refused(
        sotto_coin_survey_release(at.gate, &coins, answers, 3, reports, &error),
        SOTTO_ENTROPY, &error, NULL);
    nothing_was_released(at);
    assert_true(reports[0] == 9 && reports[1] == 9 && reports[2] == 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_are_not_made),
        cmocka_unit_test(runs_do_not_begin_or_answer),
        cmocka_unit_test(modes_and_reports_stay_unsaid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
