#include "privacy/mechanisms/selection_cases.h"

#include "privacy/mechanisms/gate/tape.h"

enum { DRAWS = 30000, POINTS = 9, PAIRS = POINTS * (POINTS - 1) / 2 + 1 };

static sotto_event event_of(const sotto_selection_config *config)
{
    sotto_event event;
    sotto_error error;
    assert_ok(sotto_exponential_event(config, &event, &error), &error);
    return event;
}

/* ---- the review's counterexample: neighbours by replacing a record, cells of other widths ---- */

typedef struct line {
    size_t cells;
    uint64_t ends[4];
    int64_t lows[4], highs[4];
    int64_t empty;
} line;

/* Grid 0 .. 8. D: a yes at 3 and a no at 5. D': a yes at 3 and a yes at 2. Scores: minus the errors of low <= x < high. */
static const line data[] = {{3, {4, 6, 9}, {0, -1, 0}, {-1, 0, -1}, -1},
                            {3, {3, 4, 9}, {0, -1, -2}, {-2, -1, 0}, -2}};

static size_t cell_at(const line *at, uint64_t point)
{
    size_t cell = 0;
    while (at->ends[cell] <= point)
        cell++;
    return cell;
}

static void law_of(const line *at, double slope, double *out_law)
{
    int64_t scores[PAIRS];
    size_t count = 0;
    for (uint64_t low = 0; low < POINTS; low++) {
        for (uint64_t high = low + 1; high < POINTS; high++)
            scores[count++] = at->lows[cell_at(at, low)] + at->highs[cell_at(at, high)];
    }
    scores[count++] = at->empty;
    exponential_law(slope, scores, NULL, count, out_law);
}

static double p_of(const line *at, const sotto_selection_config *config, uint64_t seed)
{
    sotto_error error;
    double law[PAIRS], seen[PAIRS] = {0};
    law_of(at, config->epsilon / 2.0, law);
    const release gate = open_gate(config->adjacency, event_of(config), DRAWS, seed);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t low = 77, high = 77;
        assert_ok(sotto_exponential_choose_interval(gate.gate, config, at->lows,
                                                    at->highs, at->ends, at->cells,
                                                    at->empty, &low, &high, &error),
                  &error);
        assert_true(low < high ? high < POINTS : low == 0 && high == 0);
        size_t index = PAIRS - 1;
        if (high > 0) {
            index = (size_t)(high - low - 1);
            for (uint64_t i_low = 0; i_low < low; i_low++)
                index += (size_t)(POINTS - 1 - i_low);
        }
        seen[index] += 1.0;
    }
    finish_gate(gate);
    return chi_square_p(seen, law, PAIRS, DRAWS);
}

/* The exact laws are within epsilon of each other, pair by pair; what is drawn has these laws. */
static void intervals_of_neighbours_are_within_epsilon(void **state)
{
    (void)state;
    const sotto_selection_config config = plain_config(0.1);
    double laws[2][PAIRS], most = 0.0;
    for (size_t i = 0; i < 2; i++) {
        law_of(&data[i], 0.05, laws[i]);
        assert_same_law(p_of(&data[i], &config, 800 + i));
    }
    for (size_t i = 0; i < PAIRS; i++)
        most = fmax(most, fabs(log(laws[0][i] / laws[1][i])));
    assert_within(most, 0.05, 0.1);
}

/* ---- rectangles ---- */

static void a_rectangle_has_the_law_of_all(void **state)
{
    (void)state;
    const int64_t gains[6] = {2, -1, 0, -3, 4, 1}; /* 2 x 3 */
    sotto_selection_config config = plain_config(0.6);
    config.change = SOTTO_CHANGE_MONOTONE;
    config.adjacency = SOTTO_ADD_REMOVE;
    int64_t scores[19] = {0};
    double law[19], seen[19] = {0};
    size_t index_of[3][3][4][4];
    size_t count = 1; /* the empty one is number 0 */
    for (size_t a = 0; a < 2; a++)
        for (size_t b = a + 1; b <= 2; b++)
            for (size_t c = 0; c < 3; c++)
                for (size_t d = c + 1; d <= 3; d++) {
                    for (size_t x = a; x < b; x++)
                        for (size_t y = c; y < d; y++)
                            scores[count] += gains[3 * x + y];
                    index_of[a][b][c][d] = count++;
                }
    assert_int_equal(count, 19);
    exponential_law(0.6, scores, NULL, count, law);
    sotto_error error;
    const release gate = open_gate(SOTTO_ADD_REMOVE, event_of(&config), DRAWS, 810);
    for (int i = 0; i < DRAWS; i++) {
        sotto_rectangle box = {9, 9, 9, 9};
        assert_ok(sotto_exponential_choose_rectangle(gate.gate, &config, gains, 2, 3, -7,
                                                     &box, &error),
                  &error);
        seen[box.x_high == 0 ? 0
                             : index_of[box.x_low][box.x_high][box.y_low][box.y_high]] +=
            1.0;
    }
    finish_gate(gate);
    assert_same_law(chi_square_p(seen, law, count, DRAWS));
}

/* ---- the tape ---- */

typedef struct change {
    int64_t least, most;
} change;

static bool tape_sees_lines(const line *here, const line *there, uint64_t sensitivity,
                            sotto_score_change direction)
{
    sotto_error error;
    sotto_selection_config config = plain_config(0.5);
    config.sensitivity = sensitivity;
    config.change = direction;
    sot_tape *tape = sot_tape_new();
    uint64_t lows[2] = {7, 8}, highs[2] = {7, 8};
    for (int i = 0; i < 2; i++) {
        const line *at = i == 0 ? here : there;
        if (i == 0) sot_tape_record(tape);
        if (i == 1) sot_tape_replay(tape, false);
        const release gate = open_gate(SOTTO_REPLACE_ONE, event_of(&config), 1, 820);
        assert_ok(sotto_exponential_choose_interval(
                      gate.gate, &config, at->lows, at->highs, at->ends, at->cells,
                      at->empty, &lows[i], &highs[i], &error),
                  &error);
        sot_tape_stop(tape);
        free_gate(gate);
    }
    const bool sees = sot_tape_difference(tape) != NULL;
    if (!sees) assert_true(lows[0] == lows[1] && highs[0] == highs[1]);
    sot_tape_free(tape);
    return sees;
}

/* The change of every candidate, by brute force. */
static change change_of_lines(const line *here, const line *there)
{
    change seen = {there->empty - here->empty, there->empty - here->empty};
    for (uint64_t low = 0; low < POINTS; low++) {
        for (uint64_t high = low + 1; high < POINTS; high++) {
            const int64_t moved =
                there->lows[cell_at(there, low)] + there->highs[cell_at(there, high)] -
                here->lows[cell_at(here, low)] - here->highs[cell_at(here, high)];
            if (moved < seen.least) seen.least = moved;
            if (moved > seen.most) seen.most = moved;
        }
    }
    return seen;
}

static line random_line(sotto_rng *rng)
{
    line at = {.cells = 1 + sot_rng_below(rng, 4),
               .empty = (int64_t)(sot_rng_below(rng, 5))};
    uint64_t end = 0;
    for (size_t i = 0; i < at.cells; i++) {
        end += 1 + sot_rng_below(rng, 2);
        at.ends[i] = i + 1 == at.cells ? POINTS : end;
        at.lows[i] = (int64_t)(sot_rng_below(rng, 5));
        at.highs[i] = (int64_t)(sot_rng_below(rng, 5));
    }
    return at;
}

/* Just enough is enough, one less is a difference: range and size of the change as over all candidates. */
static void the_tape_compares_all_pairs(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(5);
    for (int trial = 0; trial < 150; trial++) {
        const line here = random_line(rng), there = random_line(rng);
        const change moved = change_of_lines(&here, &there);
        const uint64_t range = (uint64_t)(moved.most - moved.least);
        const uint64_t size =
            (uint64_t)(moved.most > -moved.least ? moved.most : -moved.least);
        const uint64_t enough = size > range ? size : range; /* monotone: both */
        if (enough > 0)
            assert_false(tape_sees_lines(&here, &there, enough, SOTTO_CHANGE_MONOTONE));
        if (enough > 1)
            assert_true(
                tape_sees_lines(&here, &there, enough - 1, SOTTO_CHANGE_MONOTONE));
        const uint64_t any = size > (range + 1) / 2 ? size : (range + 1) / 2;
        if (any > 0) assert_false(tape_sees_lines(&here, &there, any, SOTTO_CHANGE_ANY));
        if (any > 1)
            assert_true(tape_sees_lines(&here, &there, any - 1, SOTTO_CHANGE_ANY));
    }
    sotto_rng_free(rng);
}

static bool tape_sees_boxes(const int64_t *here, const int64_t *there, int64_t empty,
                            uint64_t sensitivity)
{
    sotto_error error;
    sotto_selection_config config = plain_config(0.5);
    config.sensitivity = sensitivity;
    config.change = SOTTO_CHANGE_MONOTONE;
    sot_tape *tape = sot_tape_new();
    for (int i = 0; i < 2; i++) {
        sotto_rectangle box;
        if (i == 0) sot_tape_record(tape);
        if (i == 1) sot_tape_replay(tape, false);
        const release gate = open_gate(SOTTO_REPLACE_ONE, event_of(&config), 1, 830);
        assert_ok(sotto_exponential_choose_rectangle(gate.gate, &config,
                                                     i == 0 ? here : there, 3, 2,
                                                     i == 0 ? 0 : empty, &box, &error),
                  &error);
        sot_tape_stop(tape);
        free_gate(gate);
    }
    const bool sees = sot_tape_difference(tape) != NULL;
    sot_tape_free(tape);
    return sees;
}

static void the_tape_compares_all_rectangles(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(6);
    for (int trial = 0; trial < 60; trial++) {
        int64_t here[6], there[6];
        const int64_t empty = (int64_t)(sot_rng_below(rng, 5)) - 2;
        change moved = {empty, empty};
        for (size_t i = 0; i < 6; i++) {
            here[i] = (int64_t)(sot_rng_below(rng, 7)) - 3;
            there[i] = (int64_t)(sot_rng_below(rng, 7)) - 3;
        }
        for (size_t a = 0; a < 3; a++)
            for (size_t b = a; b < 3; b++)
                for (size_t c = 0; c < 2; c++)
                    for (size_t d = c; d < 2; d++) {
                        int64_t sum = empty;
                        for (size_t x = a; x <= b; x++)
                            for (size_t y = c; y <= d; y++)
                                sum += there[2 * x + y] - here[2 * x + y];
                        if (sum < moved.least) moved.least = sum;
                        if (sum > moved.most) moved.most = sum;
                    }
        const uint64_t range = (uint64_t)(moved.most - moved.least);
        const uint64_t size =
            (uint64_t)(moved.most > -moved.least ? moved.most : -moved.least);
        const uint64_t enough = size > range ? size : range;
        if (enough > 0) assert_false(tape_sees_boxes(here, there, empty, enough));
        if (enough > 1) assert_true(tape_sees_boxes(here, there, empty, enough - 1));
    }
    sotto_rng_free(rng);
}

/* ---- refusals ---- */

static void what_cannot_be_drawn_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_selection_config config = plain_config(0.5);
    const release at = open_gate(SOTTO_REPLACE_ONE, event_of(&config), 1, 840);
    const int64_t fine[2] = {1, 2};
    const int64_t large[2] = {0, (INT64_C(1) << 60) + 1};
    const int64_t together[2] = {INT64_C(1) << 60, 1};
    const uint64_t ends[2] = {3, 5}, empty_cell[2] = {5, 5};
    const uint64_t wide[2] = {5, (UINT64_C(1) << 32) + 2};
    uint64_t low = 77, high = 77;
    const struct {
        const int64_t *lows, *highs;
        const uint64_t *ends;
        size_t cells;
        int64_t empty;
        const char *word;
    } bad[] = {
        {fine, fine, ends, 0, 0, "0 cells"},  {fine, fine, empty_cell, 2, 0, "ascend"},
        {fine, fine, wide, 2, 0, "2^32 + 1"}, {large, fine, ends, 2, 0, "2^60"},
        {fine, large, ends, 2, 0, "2^60"},    {fine, fine, ends, 2, -large[1], "2^60"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_refused(sotto_exponential_choose_interval(
                           at.gate, &config, bad[i].lows, bad[i].highs, bad[i].ends,
                           bad[i].cells, bad[i].empty, &low, &high, &error),
                       SOTTO_INVALID_ARGUMENT, &error, bad[i].word, NULL);
    sotto_rectangle box = {77, 77, 77, 77};
    assert_refused(
        sotto_exponential_choose_rectangle(at.gate, &config, fine, 0, 2, 0, &box, &error),
        SOTTO_INVALID_ARGUMENT, &error, "0 x 2", NULL);
    assert_refused(sotto_exponential_choose_rectangle(at.gate, &config, fine, 1, 1025, 0,
                                                      &box, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "1 x 1025", NULL);
    assert_refused(sotto_exponential_choose_rectangle(at.gate, &config, large, 1, 2, 0,
                                                      &box, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "2^60", NULL);
    assert_refused(sotto_exponential_choose_rectangle(at.gate, &config, together, 1, 2, 0,
                                                      &box, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "2^60", NULL);
    assert_refused(sotto_exponential_choose_rectangle(at.gate, &config, fine, 1, 2,
                                                      large[1], &box, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "2^60", NULL);
    sotto_selection_config other = config;
    other.epsilon = 0.25;
    assert_refused(sotto_exponential_choose_interval(at.gate, &other, fine, fine, ends, 2,
                                                     0, &low, &high, &error),
                   SOTTO_NOT_IN_PLAN, &error, NULL);
    assert_refused(
        sotto_exponential_choose_rectangle(at.gate, &other, fine, 1, 2, 0, &box, &error),
        SOTTO_NOT_IN_PLAN, &error, NULL);
    assert_true(low == 77 && high == 77 && box.x_low == 77);
    assert_int_equal(sotto_gate_released(at.gate, 0), 0);
    free_gate(at);
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_selection_config config = plain_config(0.5);
    const int64_t scores[2] = {1, 2};
    const uint64_t ends[2] = {3, 5};
    for (size_t nth = 1; nth <= 9; nth++) {
        const release at = open_gate(SOTTO_REPLACE_ONE, event_of(&config), 1, 850);
        uint64_t low = 77, high = 77;
        sotto_rectangle box = {77, 77, 77, 77};
        (void)sot_test_fail_allocation(nth <= 2 ? nth : nth - 2);
        const sotto_status status =
            nth <= 2 ? sotto_exponential_choose_interval(at.gate, &config, scores, scores,
                                                         ends, 2, 0, &low, &high, &error)
                     : sotto_exponential_choose_rectangle(at.gate, &config, scores, 1, 2,
                                                          0, &box, &error);
        (void)sot_test_fail_allocation(0);
        assert_refused(status, SOTTO_OUT_OF_MEMORY, &error, NULL);
        assert_true(low == 77 && box.x_low == 77 && sotto_gate_released(at.gate, 0) == 0);
        free_gate(at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_of_neighbours_are_within_epsilon),
        cmocka_unit_test(a_rectangle_has_the_law_of_all),
        cmocka_unit_test(the_tape_compares_all_pairs),
        cmocka_unit_test(the_tape_compares_all_rectangles),
        cmocka_unit_test(what_cannot_be_drawn_is_refused),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
