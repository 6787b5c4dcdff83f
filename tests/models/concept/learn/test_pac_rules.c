#include "privacy/mechanisms/selection_cases.h"

#include <sotto/pac.h>

#include "privacy/mechanisms/gate/tape.h"

enum { DRAWS = 20000, RULES = 6, ROWS = 150, WORDS = (ROWS + 63) / 64 };

typedef struct class
{
    uint8_t says[RULES][ROWS];
    uint8_t labels[ROWS];
    uint64_t bits[RULES * WORDS];
    int64_t scores[RULES];
} class;

/* Rules that agree with the labels more or less often; bits behind the last row are rubbish. */
static class make_class(uint64_t seed, size_t rows)
{
    class made = {.labels = {0}};
    sotto_rng *rng = test_rng(seed);
    memset(made.bits, 0xa5, sizeof made.bits);
    for (size_t i = 0; i < rows; i++)
        made.labels[i] = (uint8_t)(sot_rng_below(rng, 2) == 0 ? 0 : 1 + i % 200);
    const size_t words = (rows + 63) / 64;
    for (size_t h = 0; h < RULES; h++) {
        for (size_t i = 0; i < rows; i++) {
            const bool wrong = sot_rng_below(rng, 40) < h;
            made.says[h][i] = (made.labels[i] != 0) != wrong ? 1 : 0;
            made.scores[h] -= wrong ? 1 : 0;
            uint64_t *word = &made.bits[h * words + i / 64];
            *word &= ~(UINT64_C(1) << (i % 64));
            *word |= (uint64_t)made.says[h][i] << (i % 64);
        }
    }
    sotto_rng_free(rng);
    return made;
}

static bool predict(void *context, size_t rule, size_t row)
{
    return ((const class *)context)->says[rule][row] != 0;
}

static sotto_event event_of(const sotto_selection_config *config,
                            sotto_mechanism mechanism)
{
    sotto_event event;
    sotto_error error;
    assert_ok(mechanism == SOTTO_EXPONENTIAL
                  ? sotto_exponential_event(config, &event, &error)
                  : sotto_permute_and_flip_event(config, &event, &error),
              &error);
    return event;
}

static void rules_are_chosen_by_their_errors(void **state)
{
    (void)state;
    const size_t rows[] = {ROWS, 128, 1, 0};
    const sotto_mechanism mechanisms[] = {SOTTO_EXPONENTIAL, SOTTO_PERMUTE_AND_FLIP};
    sotto_selection_config config = plain_config(0.25);
    config.adjacency = SOTTO_ADD_REMOVE;
    config.change = SOTTO_CHANGE_MONOTONE;
    for (size_t k = 0; k < 16; k++) {
        class made = make_class(11 + k / 4, rows[k / 4]);
        const sotto_mechanism mechanism = mechanisms[k % 2];
        const bool by_bits = k / 2 % 2 == 1;
        const sotto_pac_problem problem = {.rules = RULES,
                                           .rows = rows[k / 4],
                                           .labels =
                                               rows[k / 4] == 0 ? NULL : made.labels,
                                           .predictions = by_bits ? made.bits : NULL,
                                           .predict = by_bits ? NULL : predict,
                                           .context = &made};
        double law[RULES], seen[RULES] = {0};
        if (mechanism == SOTTO_EXPONENTIAL)
            exponential_law(0.25, made.scores, NULL, RULES, law);
        else
            permute_and_flip_law(0.25, made.scores, RULES, law);
        sotto_error error;
        const int draws = by_bits ? DRAWS : DRAWS / 10;
        const release at = open_gate(SOTTO_ADD_REMOVE, event_of(&config, mechanism),
                                     (uint64_t)draws, 900 + k);
        for (int draw = 0; draw < draws; draw++) {
            size_t rule = RULES;
            assert_ok(
                sotto_pac_choose(at.gate, &config, mechanism, &problem, &rule, &error),
                &error);
            assert_true(rule < RULES);
            seen[rule] += 1.0;
        }
        finish_gate(at);
        assert_same_law(chi_square_p(seen, law, RULES, draws));
    }
}

/* A record more changes every count by 0 or 1, in one direction; forty records more do not. */
static void the_tape_agrees_with_the_settings(void **state)
{
    (void)state;
    sotto_selection_config config = plain_config(0.25);
    config.adjacency = SOTTO_ADD_REMOVE;
    config.change = SOTTO_CHANGE_MONOTONE;
    const size_t leaving[] = {0, 1, 40};
    for (size_t k = 0; k < 3; k++) {
        const size_t gone = leaving[k];
        class made = make_class(17, ROWS);
        sot_tape *tape = sot_tape_new();
        size_t rules[2] = {RULES, RULES};
        for (size_t i = 0; i < 2; i++) {
            const sotto_pac_problem problem = {.rules = RULES,
                                               .rows = i == 0 ? ROWS : ROWS - gone,
                                               .labels = made.labels,
                                               .predict = predict,
                                               .context = &made};
            sotto_error error;
            if (i == 0) sot_tape_record(tape);
            if (i == 1) sot_tape_replay(tape, false);
            const release at =
                open_gate(SOTTO_ADD_REMOVE, event_of(&config, SOTTO_EXPONENTIAL), 1, 950);
            assert_ok(sotto_pac_choose(at.gate, &config, SOTTO_EXPONENTIAL, &problem,
                                       &rules[i], &error),
                      &error);
            sot_tape_stop(tape);
            free_gate(at);
        }
        assert_true((sot_tape_difference(tape) == NULL) == (gone <= 1));
        assert_int_equal(rules[0], rules[1]);
        sot_tape_free(tape);
    }
}

static void bad_problems_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    class made = make_class(19, ROWS);
    const sotto_selection_config config = plain_config(0.25);
    const sotto_pac_problem good = {.rules = RULES,
                                    .rows = ROWS,
                                    .labels = made.labels,
                                    .predict = predict,
                                    .context = &made};
    const release at =
        open_gate(SOTTO_REPLACE_ONE, event_of(&config, SOTTO_EXPONENTIAL), 1, 960);
    size_t rule = 77;
    sotto_pac_problem bad = good;
    bad.rules = 0;
    assert_refused(
        sotto_pac_choose(at.gate, &config, SOTTO_EXPONENTIAL, &bad, &rule, &error),
        SOTTO_INVALID_ARGUMENT, &error, "0 rules", NULL);
    bad = good;
    bad.predictions = made.bits;
    assert_refused(
        sotto_pac_choose(at.gate, &config, SOTTO_EXPONENTIAL, &bad, &rule, &error),
        SOTTO_INVALID_ARGUMENT, &error, "either", NULL);
    bad.predictions = NULL;
    bad.predict = NULL;
    assert_refused(
        sotto_pac_choose(at.gate, &config, SOTTO_EXPONENTIAL, &bad, &rule, &error),
        SOTTO_INVALID_ARGUMENT, &error, "either", NULL);
    assert_refused(
        sotto_pac_choose(at.gate, &config, SOTTO_GAUSSIAN, &good, &rule, &error),
        SOTTO_INVALID_ARGUMENT, &error, "gaussian", "permute-and-flip", NULL);
    sotto_selection_config monotone = config;
    monotone.change = SOTTO_CHANGE_MONOTONE;
    assert_refused(
        sotto_pac_choose(at.gate, &monotone, SOTTO_EXPONENTIAL, &good, &rule, &error),
        SOTTO_INVALID_ARGUMENT, &error, "SOTTO_CHANGE_ANY", NULL);
    assert_refused(
        sotto_pac_choose(at.gate, &config, SOTTO_PERMUTE_AND_FLIP, &good, &rule, &error),
        SOTTO_NOT_IN_PLAN, &error, NULL);
    bad = good;
    bad.predict = NULL;
    bad.predictions = made.bits;
    for (size_t nth = 1; nth <= 2; nth++) {
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sotto_pac_choose(at.gate, &config, SOTTO_EXPONENTIAL, &bad, &rule, &error);
        (void)sot_test_fail_allocation(0);
        assert_refused(status, SOTTO_OUT_OF_MEMORY, &error, NULL);
    }
    assert_int_equal(rule, 77);
    free_gate(at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_chosen_by_their_errors),
        cmocka_unit_test(the_tape_agrees_with_the_settings),
        cmocka_unit_test(bad_problems_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
