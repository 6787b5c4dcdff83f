/* An analyst's afternoon with one table: which colour is the most frequent (four ways), which colours
 * are frequent at all, what is the median. On every neighbour it must look the same from outside. */
#include "privacy/mechanisms/release.h"

#include <sotto/exponential.h>
#include <sotto/noisy_max.h>
#include <sotto/permute_and_flip.h>
#include <sotto/propose_test_release.h>
#include <sotto/sparse_vector.h>

#include "tape.h"

enum { COLOURS = 4, GRID = 1001, ROWS_MOST = 64 };

static const char *const colours[] = {"red", "green", "blue", NULL};
static const tape_column columns[] = {{"amount", 0.0, 100.0, NULL},
                                      {"colour", 0.0, 0.0, colours}};

/* What is no colour of the schema counts as the last one: every row has one vote. */
static size_t colour_of(const tape_table *table, size_t row)
{
    const char *text = tape_at(table, row, 1)->text;
    for (size_t i = 0; colours[i] != NULL; i++) {
        if (text != NULL && strcmp(text, colours[i]) == 0) return i;
    }
    return COLOURS - 1;
}

/* A tenth of the unit; what is no number, or lies outside, goes to an end. */
static uint64_t point_of(const tape_table *table, size_t row)
{
    const double amount = tape_at(table, row, 0)->number;
    if (!(amount > 0.0)) return 0;
    return amount >= 100.0 ? GRID - 1 : (uint64_t)(amount * 10.0);
}

typedef struct statistics {
    int64_t counts[COLOURS];
    size_t cells; /* of the grid: the median's scores are constant between values */
    int64_t scores[ROWS_MOST + 1];
    uint64_t ends[ROWS_MOST + 1];
} statistics;

/* Score of point p: -|2 (rows below p) - rows|. One row more or less moves it by at most one, one row
 * exchanged by at most two. */
static statistics measure(const tape_table *table)
{
    statistics all = {.cells = 0};
    int64_t at_point[GRID] = {0};
    assert_true(table->rows < ROWS_MOST);
    for (size_t i = 0; i < table->rows; i++) {
        all.counts[colour_of(table, i)]++;
        at_point[point_of(table, i)]++;
    }
    int64_t below = 0;
    const int64_t rows = (int64_t)table->rows;
    for (uint64_t p = 0; p < GRID; p++) {
        if (at_point[p] == 0 && p < GRID - 1) continue;
        all.ends[all.cells] = p + 1;
        all.scores[all.cells++] = -llabs(2 * below - rows);
        below += at_point[p];
    }
    return all;
}

typedef struct settings {
    sotto_adjacency adjacency;
    sotto_selection_config choice, median;
    sotto_sparse_vector_config frequent;
    sotto_propose_test_release_config stable;
} settings;

static settings settings_for(sotto_adjacency adjacency)
{
    const bool replace = adjacency == SOTTO_REPLACE_ONE;
    settings with = {.adjacency = adjacency};
    /* A row more raises one count; an exchanged one raises one and lowers another. */
    with.choice = (sotto_selection_config){
        0.8, 1, replace ? SOTTO_CHANGE_ANY : SOTTO_CHANGE_MONOTONE, adjacency, "colour"};
    with.median = (sotto_selection_config){0.8, replace ? 2 : 1, SOTTO_CHANGE_ANY,
                                           adjacency, "median amount"};
    with.frequent = (sotto_sparse_vector_config){0.8, 1, with.choice.change, adjacency,
                                                 3,   2, "frequent colours"};
    with.stable = (sotto_propose_test_release_config){0.8, 0.1, adjacency, "sure colour"};
    return with;
}

static sotto_plan *plan_for(const settings *with)
{
    sotto_error error;
    sotto_event events[5];
    sotto_plan *plan = NULL;
    assert_ok(sotto_exponential_event(&with->choice, &events[0], &error), &error);
    assert_ok(sotto_permute_and_flip_event(&with->choice, &events[1], &error), &error);
    events[1].count = 2; /* noisy max has its law and its line */
    assert_ok(sotto_exponential_event(&with->median, &events[2], &error), &error);
    assert_ok(sotto_sparse_vector_event(&with->frequent, &events[3], &error), &error);
    assert_ok(sotto_propose_test_release_event(&with->stable, &events[4], &error),
              &error);
    assert_ok(sotto_plan_new(with->adjacency, &plan, &error), &error);
    for (size_t i = 0; i < 5; i++)
        assert_ok(sotto_plan_add(plan, &events[i], &error), &error);
    return plan;
}

static void ask_all(sotto_gate *gate, const settings *with, const int64_t *counts)
{
    sotto_error error;
    sotto_sparse_vector *run = NULL;
    assert_ok(sotto_sparse_vector_begin(gate, &with->frequent, &run, &error), &error);
    for (size_t i = 0; i < COLOURS && sotto_sparse_vector_left(run) > 0; i++) {
        bool above = false;
        assert_ok(sotto_sparse_vector_ask(run, counts[i], &above, &error), &error);
        printf("colour %zu is %s\n", i, above ? "frequent" : "rare");
    }
    sotto_sparse_vector_free(run);
}

static int afternoon(const tape_table *table, const tape_place *place, void *context)
{
    (void)place;
    sotto_error error;
    const settings with = settings_for(*(const sotto_adjacency *)context);
    const statistics of = measure(table);
    sotto_plan *plan = plan_for(&with);
    sotto_rng *rng = test_rng(2000);
    sotto_gate *gate = NULL;
    assert_ok(sotto_gate_new(plan, rng, &gate, &error), &error);
    assert_ok(sotto_gate_open(gate, &error), &error);

    size_t one = 0, two = 0, three = 0, four = 0;
    uint64_t point = 0;
    bool released = false;
    assert_ok(
        sotto_exponential_choose(gate, &with.choice, of.counts, COLOURS, &one, &error),
        &error);
    assert_ok(sotto_permute_and_flip_choose(gate, &with.choice, of.counts, COLOURS, &two,
                                            &error),
              &error);
    assert_ok(
        sotto_noisy_max_report(gate, &with.choice, of.counts, COLOURS, &three, &error),
        &error);
    assert_ok(sotto_exponential_choose_point(gate, &with.median, of.scores, of.ends,
                                             of.cells, &point, &error),
              &error);
    ask_all(gate, &with, of.counts);
    assert_ok(sotto_propose_test_release_mode(gate, &with.stable, of.counts, COLOURS,
                                              &released, &four, &error),
              &error);
    printf("colours %zu %zu %zu %zu, median %g\n", one, two, three, four,
           (double)point / 10.0);
    assert_ok(sotto_gate_finish(gate, &error), &error);
    sotto_gate_free(gate);
    sotto_rng_free(rng);
    sotto_plan_free(plan);
    return released ? 0 : 1;
}

static void check(sotto_adjacency adjacency)
{
    const tape_study study = {
        .run = afternoon, .context = &adjacency, .columns = columns, .column_count = 2};
    const char *leak = tape_check_neighbours(&study, adjacency);
    if (leak != NULL) fail_msg("%s", leak);
}

static void neighbours_by_one_row_more_or_less_look_the_same(void **state)
{
    (void)state;
    check(SOTTO_ADD_REMOVE);
}

static void neighbours_by_one_row_replaced_look_the_same(void **state)
{
    (void)state;
    check(SOTTO_REPLACE_ONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_by_one_row_more_or_less_look_the_same),
        cmocka_unit_test(neighbours_by_one_row_replaced_look_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
