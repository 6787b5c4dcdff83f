#include "privacy/mechanisms/selection_cases.h"

#include "privacy/mechanisms/gate/tape.h"

enum { DRAWS = 40000 };

static sotto_event event_of(const sotto_selection_config *config)
{
    sotto_event event;
    sotto_error error;
    assert_ok(sotto_permute_and_flip_event(config, &event, &error), &error);
    return event;
}

/* False alarms: 1e-6 a comparison. */
static void choices_have_the_law_of_the_vectors(void **state)
{
    (void)state;
    json_t *root = NULL;
    const json_t *cases = load_cases("permute_and_flip", &root);
    assert_int_equal(json_array_size(cases), 8);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const selection_case it = read_case(json_array_get(cases, i));
        const sotto_event event = event_of(&it.config);
        assert_int_equal(event.mechanism, SOTTO_PERMUTE_AND_FLIP);
        assert_true(event.epsilon == it.config.epsilon);
        double seen[CASE_MOST], law[CASE_MOST];
        uint64_t range = 0;
        assert_ok(sotto_selection_range(&it.config, &range, NULL), NULL);
        permute_and_flip_law(it.config.epsilon / (double)range, it.scores, it.count, law);
        for (size_t j = 0; j < it.count; j++)
            assert_relative(law[j], it.law[j], 1e-12);
        tally_choices(sotto_permute_and_flip_choose, &event, &it, DRAWS, 800 + i, seen);
        assert_same_law(chi_square_p(seen, it.law, it.count, DRAWS));
    }
    json_decref(root);
}

static void scores_may_be_any_integers(void **state)
{
    (void)state;
    const int64_t scenes[][4] = {{9, 3, 3, 0},
                                 {-9, -3, -3, 0},
                                 {INT64_MIN, INT64_MIN + 2, INT64_MIN, INT64_MIN + 1},
                                 {INT64_MAX, INT64_MIN, INT64_MAX - 2, 0},
                                 {0, -1000000000, -1, -1000000000}};
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        selection_case it = {.config = plain_config(0.9), .count = 4};
        memcpy(it.scores, scenes[i], sizeof scenes[i]);
        permute_and_flip_law(0.45, it.scores, 4, it.law);
        const sotto_event event = event_of(&it.config);
        double seen[CASE_MOST];
        tally_choices(sotto_permute_and_flip_choose, &event, &it, DRAWS, 810 + i, seen);
        assert_same_law(chi_square_p(seen, it.law, 4, DRAWS));
        it.count = 1;
        tally_choices(sotto_permute_and_flip_choose, &event, &it, 3, 820 + i, seen);
        assert_true(seen[0] == 3.0);
    }
}

/* ---- report noisy max ---- */

/* Ding et al. 2021, seen from the other side: noise in doubles, which is good enough to compare with. */
static void noisy_max_with_exponential_noise_has_the_same_law(void **state)
{
    (void)state;
    const int64_t scores[] = {3, 3, 0, -2, 5};
    double law[5], seen[5] = {0};
    permute_and_flip_law(0.35, scores, 5, law);
    sotto_rng *rng = test_rng(830);
    for (int i = 0; i < DRAWS; i++) {
        size_t best = 0;
        double most = -INFINITY;
        for (size_t j = 0; j < 5; j++) {
            const double uniform = ((double)(sot_rng_u64(rng) >> 11) + 0.5) * 0x1p-53;
            const double noisy = (double)scores[j] - log(uniform) / 0.35;
            if (noisy > most) {
                most = noisy;
                best = j;
            }
        }
        seen[best] += 1.0;
    }
    assert_same_law(chi_square_p(seen, law, 5, DRAWS));
    sotto_rng_free(rng);
}

static void noisy_max_is_drawn_by_permute_and_flip(void **state)
{
    (void)state;
    selection_case it = {.config = plain_config(0.7), .count = 5};
    const int64_t scores[] = {3, 3, 0, -2, 5};
    memcpy(it.scores, scores, sizeof scores);
    sotto_event event;
    sotto_error error;
    assert_ok(sotto_noisy_max_event(&it.config, &event, &error), &error);
    assert_int_equal(event.mechanism, SOTTO_PERMUTE_AND_FLIP);
    double seen[CASE_MOST], same[CASE_MOST];
    tally_choices(sotto_noisy_max_report, &event, &it, DRAWS, 840, seen);
    tally_choices(sotto_permute_and_flip_choose, &event, &it, DRAWS, 840, same);
    assert_memory_equal(seen, same, 5 * sizeof *seen);
    permute_and_flip_law(0.35, scores, 5, it.law);
    assert_same_law(chi_square_p(seen, it.law, 5, DRAWS));
}

/* ---- refusals, memory, tape ---- */

static void what_is_not_planned_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    const int64_t scores[] = {4, 0, 7};
    const sotto_selection_config config = plain_config(0.5);
    sotto_selection_config other = sotto_selection_defaults();
    size_t choice = 77;
    assert_refused(sotto_permute_and_flip_event(&other, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "epsilon", NULL);
    release at = shut_gate(SOTTO_REPLACE_ONE, event_of(&config), 1, 850);
    assert_refused(
        sotto_permute_and_flip_choose(at.gate, &config, scores, 3, &choice, &error),
        SOTTO_NOT_IN_PLAN, &error, NULL);
    assert_ok(sotto_gate_open(at.gate, &error), &error);
    assert_refused(
        sotto_permute_and_flip_choose(at.gate, &config, scores, 0, &choice, &error),
        SOTTO_INVALID_ARGUMENT, &error, "0 candidates", NULL);
    other = config;
    other.epsilon = 0.25;
    assert_refused(
        sotto_permute_and_flip_choose(at.gate, &other, scores, 3, &choice, &error),
        SOTTO_NOT_IN_PLAN, &error, NULL);
    other = config;
    other.adjacency = SOTTO_ADD_REMOVE;
    assert_refused(
        sotto_permute_and_flip_choose(at.gate, &other, scores, 3, &choice, &error),
        SOTTO_NOT_IN_PLAN, &error, "add-remove", NULL);
    assert_refused(sotto_exponential_choose(at.gate, &config, scores, 3, &choice, &error),
                   SOTTO_NOT_IN_PLAN, &error, NULL);
    (void)sot_test_fail_allocation(1);
    assert_refused(
        sotto_permute_and_flip_choose(at.gate, &config, scores, 3, &choice, &error),
        SOTTO_OUT_OF_MEMORY, &error, NULL);
    (void)sot_test_fail_allocation(0);
    assert_true(choice == 77);
    assert_ok(sotto_permute_and_flip_choose(at.gate, &config, scores, 3, &choice, &error),
              &error);
    assert_refused(sotto_noisy_max_report(at.gate, &config, scores, 3, &choice, &error),
                   SOTTO_NOT_IN_PLAN, &error, NULL);
    finish_gate(at);
}

static void the_tape_knows_the_declared_range(void **state)
{
    (void)state;
    sotto_error error;
    sotto_selection_config config = plain_config(0.5);
    config.change = SOTTO_CHANGE_MONOTONE;
    const int64_t data[][3] = {{3, 7, 4}, {3, 8, 5}, {2, 8, 4}};
    for (int other = 1; other <= 2; other++) {
        sot_tape *tape = sot_tape_new();
        assert_non_null(tape);
        for (int i = 0; i < 2; i++) {
            if (i == 0) sot_tape_record(tape);
            if (i == 1) sot_tape_replay(tape, false);
            const release at = open_gate(SOTTO_REPLACE_ONE, event_of(&config), 1, 860);
            size_t choice = 0;
            assert_ok(sotto_permute_and_flip_choose(
                          at.gate, &config, data[i == 0 ? 0 : other], 3, &choice, &error),
                      &error);
            sot_tape_stop(tape);
            free_gate(at);
        }
        /* The second neighbour moves one score up and another one down. */
        assert_true((sot_tape_difference(tape) == NULL) == (other == 1));
        sot_tape_free(tape);
    }
}

/* ---- the accuracy theorem ---- */

static void the_accuracy_bound_is_rounded_up(void **state)
{
    (void)state;
    sotto_error error;
    sotto_selection_config config = plain_config(0.75);
    config.sensitivity = 3;
    double upper = 0.0;
    assert_ok(sotto_selection_failure(&config, 1000, 80, &upper, &error), &error);
    const double exact = 1000.0 * exp(-10.0); /* 0.75 * 80 / (2 * 3) = 10 */
    assert_within(upper, exact, exact * (1.0 + 1e-14));
    config.change = SOTTO_CHANGE_MONOTONE;
    assert_ok(sotto_selection_failure(&config, 1000, 80, &upper, &error), &error);
    assert_within(upper, 1000.0 * exp(-20.0), 1000.0 * exp(-20.0) * (1.0 + 1e-14));
    assert_ok(sotto_selection_failure(&config, 1000, 0, &upper, &error), &error);
    assert_true(upper == 1.0);
    assert_ok(sotto_selection_failure(&config, UINT64_MAX, UINT64_MAX, &upper, &error),
              &error);
    assert_within(upper, 0.0, 1e-300); /* exp() ends near 1e-323 */
}

static void the_shortfall_is_the_least_that_meets_the_target(void **state)
{
    (void)state;
    sotto_error error;
    sotto_selection_config config = plain_config(0.75);
    config.sensitivity = 3;
    uint64_t shortfall = 0;
    assert_ok(sotto_selection_shortfall(&config, 1000, 0.05, &shortfall, &error), &error);
    assert_int_equal(shortfall, 80); /* ln(20000) * 8 = 79.2 */
    double at = 0.0, before = 0.0;
    assert_ok(sotto_selection_failure(&config, 1000, shortfall, &at, &error), &error);
    assert_ok(sotto_selection_failure(&config, 1000, shortfall - 1, &before, &error),
              &error);
    assert_true(at <= 0.05 && before > 0.05);
    config.sensitivity = UINT64_C(1) << 43;
    config.epsilon = 0x1p-30;
    assert_refused(sotto_selection_shortfall(&config, 1000, 0.05, &shortfall, &error),
                   SOTTO_UNREACHABLE, &error, "epsilon", NULL);
    for (int i = 0; i < 4; i++) {
        const double wrong[] = {0.0, 1.0, -0.5, SOTTO_UNSET};
        assert_refused(
            sotto_selection_shortfall(&config, 1000, wrong[i], &shortfall, &error),
            SOTTO_INVALID_ARGUMENT, &error, "failure", NULL);
    }
    assert_refused(sotto_selection_shortfall(&config, 0, 0.05, &shortfall, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "0 candidates", NULL);
    assert_refused(sotto_selection_failure(&config, 0, 4, &at, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "0 candidates", NULL);
    config.change = SOTTO_CHANGE_UNSET;
    assert_refused(sotto_selection_failure(&config, 3, 4, &at, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "change", NULL);
    assert_refused(sotto_selection_shortfall(&config, 3, 0.5, &shortfall, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "change", NULL);
    assert_refused(sotto_selection_range(&config, &shortfall, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "change", NULL);
}

/* Both laws of every case of the vectors keep the theorem at every score that occurs. */
static void the_exact_laws_keep_the_theorem(void **state)
{
    (void)state;
    const char *kinds[] = {"finite_em", "permute_and_flip"};
    for (int kind = 0; kind < 2; kind++) {
        json_t *root = NULL;
        const json_t *cases = load_cases(kinds[kind], &root);
        for (size_t i = 0; i < json_array_size(cases); i++) {
            const selection_case it = read_case(json_array_get(cases, i));
            int64_t best = it.scores[0];
            for (size_t j = 1; j < it.count; j++) {
                if (it.scores[j] > best) best = it.scores[j];
            }
            for (size_t j = 0; j < it.count; j++) {
                double tail = 0.0, bound = 0.0;
                for (size_t k = 0; k < it.count; k++)
                    tail += it.scores[k] <= it.scores[j] ? it.law[k] : 0.0;
                assert_ok(sotto_selection_failure(&it.config, it.ends[it.count - 1],
                                                  (uint64_t)(best - it.scores[j]), &bound,
                                                  NULL),
                          NULL);
                assert_true(tail <= bound * (1.0 + 1e-12));
            }
        }
        json_decref(root);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_have_the_law_of_the_vectors),
        cmocka_unit_test(scores_may_be_any_integers),
        cmocka_unit_test(noisy_max_with_exponential_noise_has_the_same_law),
        cmocka_unit_test(noisy_max_is_drawn_by_permute_and_flip),
        cmocka_unit_test(what_is_not_planned_is_refused),
        cmocka_unit_test(the_tape_knows_the_declared_range),
        cmocka_unit_test(the_accuracy_bound_is_rounded_up),
        cmocka_unit_test(the_shortfall_is_the_least_that_meets_the_target),
        cmocka_unit_test(the_exact_laws_keep_the_theorem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
