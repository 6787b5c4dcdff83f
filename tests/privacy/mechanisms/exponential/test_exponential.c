#include "privacy/mechanisms/selection_cases.h"

#include "privacy/mechanisms/gate/tape.h"

enum { DRAWS = 30000 };

static sotto_event event_of(const sotto_selection_config *config)
{
    sotto_event event;
    sotto_error error;
    assert_ok(sotto_exponential_event(config, &event, &error), &error);
    return event;
}

/* The cell of each drawn point, counted. */
static void tally_points(const selection_case *it, uint64_t draws, uint64_t seed,
                         double *out_seen)
{
    sotto_error error;
    const release at =
        open_gate(it->config.adjacency, event_of(&it->config), draws, seed);
    memset(out_seen, 0, CASE_MOST * sizeof *out_seen);
    for (uint64_t i = 0; i < draws; i++) {
        uint64_t point = UINT64_MAX;
        assert_ok(sotto_exponential_choose_point(at.gate, &it->config, it->scores,
                                                 it->ends, it->count, &point, &error),
                  &error);
        assert_true(point < it->ends[it->count - 1]);
        size_t cell = 0;
        while (it->ends[cell] <= point)
            cell++;
        out_seen[cell] += 1.0;
    }
    finish_gate(at);
}

/* All fifteen cases, as candidates and as cells of a grid. False alarms: 1e-6 a comparison. */
static void choices_have_the_law_of_the_vectors(void **state)
{
    (void)state;
    json_t *root = NULL;
    const json_t *cases = load_cases("finite_em", &root);
    assert_int_equal(json_array_size(cases), 15);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const selection_case it = read_case(json_array_get(cases, i));
        const sotto_event event = event_of(&it.config);
        assert_int_equal(event.mechanism, SOTTO_EXPONENTIAL);
        assert_true(event.epsilon == it.config.epsilon);
        double seen[CASE_MOST];
        tally_points(&it, DRAWS, 400 + i, seen);
        assert_same_law(chi_square_p(seen, it.law, it.count, DRAWS));
        if (it.has_measure) continue;
        tally_choices(sotto_exponential_choose, &event, &it, DRAWS, 500 + i, seen);
        assert_same_law(chi_square_p(seen, it.law, it.count, DRAWS));
    }
    json_decref(root);
}

/* Base-2 weights (x/2^y)^(z cost) are the exponential mechanism at epsilon = 2 eta ln 2: no second
 * sampler is needed for them. Here epsilon is that number to the nearest double. */
static void base_two_weights_are_a_special_case(void **state)
{
    (void)state;
    json_t *root = NULL;
    const json_t *cases = load_cases("base2_em", &root);
    assert_int_equal(json_array_size(cases), 4);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *from = json_array_get(cases, i);
        const json_t *costs = json_object_get(from, "integer_costs");
        const json_t *law = json_object_get(from, "probabilities");
        selection_case it = {.count = json_array_size(costs)};
        it.config = plain_config(
            json_number_value(json_object_get(from, "epsilon_sensitivity1_replace")));
        for (size_t j = 0; j < it.count; j++) {
            it.scores[j] = -(int64_t)json_integer_value(json_array_get(costs, j));
            it.law[j] = json_number_value(json_array_get(law, j));
        }
        const sotto_event event = event_of(&it.config);
        double seen[CASE_MOST];
        tally_choices(sotto_exponential_choose, &event, &it, DRAWS, 600 + i, seen);
        assert_same_law(chi_square_p(seen, it.law, it.count, DRAWS));
    }
    json_decref(root);
}

/* The same scores turned around, tied, shifted to the ends of int64 or alone: nothing overflows and
 * nothing is favoured by its place. */
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
        const double exact[] = {1, 2, 3, 4};
        for (size_t j = 0; j < 4; j++)
            it.ends[j] = (uint64_t)exact[j];
        exponential_law(0.45, it.scores, NULL, 4, it.law);
        const sotto_event event = event_of(&it.config);
        double seen[CASE_MOST];
        tally_choices(sotto_exponential_choose, &event, &it, DRAWS, 700 + i, seen);
        assert_same_law(chi_square_p(seen, it.law, 4, DRAWS));
        tally_points(&it, DRAWS, 710 + i, seen);
        assert_same_law(chi_square_p(seen, it.law, 4, DRAWS));
        it.count = 1;
        tally_choices(sotto_exponential_choose, &event, &it, 3, 720 + i, seen);
        assert_true(seen[0] == 3.0);
    }
}

/* A grid of 2^62 points: the two halves of a cell are drawn equally often, so the point does not
 * show where the cell begins. */
static void points_are_uniform_within_a_cell(void **state)
{
    (void)state;
    selection_case it = {.config = plain_config(2.0), .count = 3};
    const int64_t scores[] = {0, 36, 1};
    const uint64_t ends[] = {UINT64_C(1) << 61, (UINT64_C(1) << 61) + 1000,
                             UINT64_C(1) << 62};
    memcpy(it.scores, scores, sizeof scores);
    memcpy(it.ends, ends, sizeof ends);
    sotto_error error;
    const release at = open_gate(SOTTO_REPLACE_ONE, event_of(&it.config), DRAWS, 730);
    double seen[6] = {0}; /* two halves of three cells */
    for (int i = 0; i < DRAWS; i++) {
        uint64_t point = 0;
        assert_ok(sotto_exponential_choose_point(at.gate, &it.config, it.scores, it.ends,
                                                 3, &point, &error),
                  &error);
        size_t cell = 0;
        while (ends[cell] <= point)
            cell++;
        const uint64_t begin = cell == 0 ? 0 : ends[cell - 1];
        seen[2 * cell + (point - begin < (ends[cell] - begin) / 2 ? 0 : 1)] += 1.0;
    }
    const uint64_t sizes[] = {ends[0], 1000, ends[2] - ends[1]};
    double law[3], halves[6];
    exponential_law(1.0, it.scores, sizes, 3, law);
    assert_true(law[0] > 0.1 && law[1] > 0.01); /* each cell has its share */
    for (size_t i = 0; i < 6; i++)
        halves[i] = law[i / 2] / 2.0;
    assert_same_law(chi_square_p(seen, halves, 6, DRAWS));
    finish_gate(at);
}

/* ---- refusals ---- */

static void settings_out_of_range_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    const sotto_selection_config good = plain_config(0.5);
    sotto_selection_config bad = sotto_selection_defaults();
    assert_refused(sotto_exponential_event(&bad, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "epsilon", "nan", NULL);
    const double epsilons[] = {0.0, -1.0, 0x1p-31, 1.1e6, INFINITY, SOTTO_UNSET};
    for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++) {
        bad = good;
        bad.epsilon = epsilons[i];
        assert_refused(sotto_exponential_event(&bad, &event, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "epsilon", NULL);
    }
    const uint64_t sensitivities[] = {0, (UINT64_C(1) << 43) + 1, UINT64_MAX};
    for (size_t i = 0; i < 3; i++) {
        bad = good;
        bad.sensitivity = sensitivities[i];
        assert_refused(sotto_exponential_event(&bad, &event, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "sensitivity", NULL);
    }
    bad = good;
    bad.change = SOTTO_CHANGE_UNSET;
    assert_refused(sotto_exponential_event(&bad, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "change", "SOTTO_CHANGE_MONOTONE", NULL);
    bad = good;
    bad.adjacency = SOTTO_ADJACENCY_UNSET;
    assert_refused(sotto_exponential_event(&bad, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "adjacency", NULL);
    bad = good;
    bad.purpose = NULL;
    assert_refused(sotto_exponential_event(&bad, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "purpose", NULL);
}

static void cells_must_cover_a_grid(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_selection_config config = plain_config(0.5);
    const release at = open_gate(SOTTO_REPLACE_ONE, event_of(&config), 1, 740);
    const int64_t scores[] = {1, 2};
    const uint64_t empty_cell[] = {5, 5};
    const uint64_t empty_first[] = {0, 5};
    const uint64_t too_large[] = {5, (UINT64_C(1) << 62) + 1};
    uint64_t point = 77;
    assert_refused(sotto_exponential_choose_point(at.gate, &config, scores, empty_cell, 2,
                                                  &point, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "ascend", NULL);
    assert_refused(sotto_exponential_choose_point(at.gate, &config, scores, empty_first,
                                                  2, &point, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "ascend", NULL);
    assert_refused(sotto_exponential_choose_point(at.gate, &config, scores, too_large, 2,
                                                  &point, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "2^62", NULL);
    assert_refused(sotto_exponential_choose_point(at.gate, &config, scores, too_large, 0,
                                                  &point, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "0 cells", NULL);
    size_t choice = 77;
    assert_refused(sotto_exponential_choose(at.gate, &config, scores, 0, &choice, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "0 candidates", NULL);
    assert_true(point == 77 && choice == 77 && sotto_gate_released(at.gate, 0) == 0);
    free_gate(at);
}

static void the_gate_refuses_what_is_not_planned(void **state)
{
    (void)state;
    sotto_error error;
    const int64_t scores[] = {4, 0, 7};
    const uint64_t ends[] = {2, 3, 9};
    const sotto_selection_config config = plain_config(0.5);
    size_t choice = 77;
    uint64_t point = 77;
    release at = shut_gate(SOTTO_REPLACE_ONE, event_of(&config), 2, 750);
    assert_refused(sotto_exponential_choose(at.gate, &config, scores, 3, &choice, &error),
                   SOTTO_NOT_IN_PLAN, &error, NULL);
    assert_ok(sotto_gate_open(at.gate, &error), &error);
    sotto_selection_config other = config;
    other.epsilon = 0.6;
    assert_refused(sotto_exponential_choose(at.gate, &other, scores, 3, &choice, &error),
                   SOTTO_NOT_IN_PLAN, &error, NULL);
    other = config;
    other.purpose = "another question";
    assert_refused(sotto_exponential_choose(at.gate, &other, scores, 3, &choice, &error),
                   SOTTO_NOT_IN_PLAN, &error, NULL);
    other = config;
    other.adjacency = SOTTO_ADD_REMOVE;
    assert_refused(sotto_exponential_choose(at.gate, &other, scores, 3, &choice, &error),
                   SOTTO_NOT_IN_PLAN, &error, "add-remove", NULL);
    assert_refused(
        sotto_permute_and_flip_choose(at.gate, &config, scores, 3, &choice, &error),
        SOTTO_NOT_IN_PLAN, &error, NULL);
    assert_true(choice == 77);
    assert_ok(sotto_exponential_choose(at.gate, &config, scores, 3, &choice, &error),
              &error);
    assert_ok(
        sotto_exponential_choose_point(at.gate, &config, scores, ends, 3, &point, &error),
        &error);
    assert_refused(sotto_exponential_choose(at.gate, &config, scores, 3, &choice, &error),
                   SOTTO_NOT_IN_PLAN, &error, NULL);
    finish_gate(at);
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    sotto_error error;
    const int64_t scores[] = {4, 0, 7};
    const uint64_t ends[] = {2, 3, 9};
    const sotto_selection_config config = plain_config(0.5);
    for (size_t nth = 1; nth <= 2; nth++) {
        const release at = open_gate(SOTTO_REPLACE_ONE, event_of(&config), 1, 760);
        uint64_t point = 77;
        (void)sot_test_fail_allocation(nth);
        assert_refused(sotto_exponential_choose_point(at.gate, &config, scores, ends, 3,
                                                      &point, &error),
                       SOTTO_OUT_OF_MEMORY, &error, NULL);
        (void)sot_test_fail_allocation(0);
        assert_true(point == 77 && sotto_gate_released(at.gate, 0) == 0);
        free_gate(at);
    }
}

/* ---- tape ---- */

/* Two runs of one choice among four, on D and on D'. Returns whether the tape saw a difference. */
static bool tape_sees(sotto_score_change change, const int64_t *scores,
                      const int64_t *neighbour)
{
    sotto_error error;
    sotto_selection_config config = plain_config(0.5);
    config.sensitivity = 2;
    config.change = change;
    sot_tape *tape = sot_tape_new();
    assert_non_null(tape);
    size_t choices[2] = {9, 9};
    for (int i = 0; i < 2; i++) {
        if (i == 0) sot_tape_record(tape);
        if (i == 1) sot_tape_replay(tape, false);
        const release at = open_gate(SOTTO_REPLACE_ONE, event_of(&config), 1, 770);
        assert_ok(sotto_exponential_choose(at.gate, &config, i == 0 ? scores : neighbour,
                                           4, &choices[i], &error),
                  &error);
        const sotto_status finished = sotto_gate_finish(at.gate, &error);
        (void)finished; /* a difference too: on the tape */
        sot_tape_stop(tape);
        free_gate(at);
    }
    const bool sees = sot_tape_difference(tape) != NULL;
    if (!sees) assert_int_equal(choices[0], choices[1]);
    sot_tape_free(tape);
    return sees;
}

static void the_tape_knows_the_declared_range(void **state)
{
    (void)state;
    const int64_t scores[] = {5000, 0, 30, -4};
    const int64_t up_and_down[] = {5002, -2, 30, -4};
    const int64_t all_up[] = {5002, 0, 32, -3};
    const int64_t too_far[] = {5003, 0, 30, -4};
    const int64_t close[] = {31, 0, 30, -4};
    const int64_t closer[] = {29, 2, 30, -4};
    assert_false(tape_sees(SOTTO_CHANGE_ANY, scores, scores));
    assert_false(tape_sees(SOTTO_CHANGE_ANY, scores, up_and_down));
    assert_false(tape_sees(SOTTO_CHANGE_ANY, close, closer));
    assert_false(tape_sees(SOTTO_CHANGE_MONOTONE, scores, all_up));
    assert_true(tape_sees(SOTTO_CHANGE_MONOTONE, scores, up_and_down));
    assert_true(tape_sees(SOTTO_CHANGE_ANY, scores, too_far));
    assert_true(tape_sees(SOTTO_CHANGE_ANY, scores, close));
}

/* A winner that is clear on D and not quite on D': both must ask the gate. */
static void a_clear_winner_is_released_like_any_other(void **state)
{
    (void)state;
    const int64_t clear[] = {1002, 0, 0, 0};
    const int64_t unclear[] = {1000, 2, 0, 0};
    assert_false(tape_sees(SOTTO_CHANGE_ANY, clear, unclear));
    assert_false(tape_sees(SOTTO_CHANGE_ANY, unclear, clear));
}

/* Cells of D and D' may differ; scores are compared point by point. */
static void the_tape_compares_points_not_cells(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_selection_config config = plain_config(0.5);
    const struct {
        size_t cells;
        int64_t scores[4];
        uint64_t ends[4];
        bool is_neighbour;
    } data[] = {{3, {0, 5, 1}, {10, 20, 100}, true},
                {4, {0, 5, 6, 0}, {10, 12, 20, 100}, true}, /* a cell divided */
                {2, {1, 4}, {10, 20}, false},               /* another grid */
                {3, {0, 5, 1}, {11, 20, 100}, false}, /* point 10 fell from 5 to 0 */
                {3, {0, 7, 1}, {10, 20, 100}, false}};
    for (size_t other = 0; other < sizeof data / sizeof data[0]; other++) {
        sot_tape *tape = sot_tape_new();
        assert_non_null(tape);
        uint64_t points[2] = {0, 0};
        for (int i = 0; i < 2; i++) {
            const size_t at_hand = i == 0 ? 0 : other;
            if (i == 0) sot_tape_record(tape);
            if (i == 1) sot_tape_replay(tape, false);
            const release at = open_gate(SOTTO_REPLACE_ONE, event_of(&config), 1, 780);
            assert_ok(sotto_exponential_choose_point(
                          at.gate, &config, data[at_hand].scores, data[at_hand].ends,
                          data[at_hand].cells, &points[i], &error),
                      &error);
            sot_tape_stop(tape);
            free_gate(at);
        }
        assert_true((sot_tape_difference(tape) == NULL) == data[other].is_neighbour);
        if (data[other].is_neighbour) assert_true(points[0] == points[1]);
        sot_tape_free(tape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_have_the_law_of_the_vectors),
        cmocka_unit_test(base_two_weights_are_a_special_case),
        cmocka_unit_test(scores_may_be_any_integers),
        cmocka_unit_test(points_are_uniform_within_a_cell),
        cmocka_unit_test(settings_out_of_range_are_refused),
        cmocka_unit_test(cells_must_cover_a_grid),
        cmocka_unit_test(the_gate_refuses_what_is_not_planned),
        cmocka_unit_test(failing_allocations_are_reported),
        cmocka_unit_test(the_tape_knows_the_declared_range),
        cmocka_unit_test(a_clear_winner_is_released_like_any_other),
        cmocka_unit_test(the_tape_compares_points_not_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
