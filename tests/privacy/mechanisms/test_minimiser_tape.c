/* Minimisers under objective and output perturbation, run on neighbours: the tape. */
#include "support.h"

#include "toy_run.h"

static tape_study study_of(toy_settings *settings)
{
    return (tape_study){.run = toy_run,
                        .context = settings,
                        .columns = toy_columns,
                        .column_count = TOY_COLUMNS};
}

/* The run goes to its end: refusals on both sides would look alike. */
static void assert_releases(const tape_study *study)
{
    const toy_settings *settings = study->context;
    int exit_code = 7;
    tape_table *table = tape_table_new(toy_columns, TOY_COLUMNS, 5, 3);
    assert_int_equal(tape_releases(study, table, &exit_code),
                     settings->is_output && !settings->is_pure ? 1 : 2);
    assert_int_equal(exit_code, 0);
    tape_table_free(table);
}

static void check_neighbours(toy_settings settings)
{
    const tape_study study = study_of(&settings);
    assert_releases(&study);
    const char *leak = tape_check_neighbours(&study, settings.adjacency);
    if (leak != NULL) fail_msg("%s", leak);
}

/* The toy's solver errs as far as it may, in opposite directions on neighbours. */
static void objective_perturbation_shows_nothing_of_one_row(void **state)
{
    (void)state;
    for (int pure = 0; pure < 2; pure++) {
        check_neighbours((toy_settings){.is_pure = pure == 1,
                                        .adjacency = SOTTO_ADD_REMOVE,
                                        .unit_rows = 1,
                                        .spoil = 0.99});
        check_neighbours((toy_settings){.is_pure = pure == 1,
                                        .adjacency = SOTTO_REPLACE_ONE,
                                        .unit_rows = 1,
                                        .spoil = 0.99});
    }
}

static void output_perturbation_shows_nothing_of_one_row(void **state)
{
    (void)state;
    for (int pure = 0; pure < 2; pure++) {
        check_neighbours((toy_settings){.is_output = true,
                                        .is_pure = pure == 1,
                                        .adjacency = SOTTO_ADD_REMOVE,
                                        .unit_rows = 1,
                                        .spoil = 0.99});
        check_neighbours((toy_settings){.is_output = true,
                                        .is_pure = pure == 1,
                                        .adjacency = SOTTO_REPLACE_ONE,
                                        .unit_rows = 1,
                                        .spoil = 0.99});
    }
}

/* ---- units of several rows ---- */

enum { UNIT_ROWS = 12 };

static void set_row(tape_table *table, size_t i, double x1, double x2, const char *label)
{
    tape_cell *row = &table->cells[i * table->column_count];
    row[0].number = x1;
    row[1].number = x2;
    row[2].text = label;
}

/* The first rows exchanged for, or preceded by, rows that pull all one way. */
static tape_table *with_other_unit(const tape_table *table, sotto_adjacency adjacency,
                                   double x1)
{
    tape_table *made = tape_neighbour(table, adjacency, TAPE_HIGH, 0);
    for (size_t i = 1; i < UNIT_ROWS; i++) {
        tape_table *next = tape_neighbour(made, adjacency, TAPE_HIGH, i);
        tape_table_free(made);
        made = next;
    }
    for (size_t i = 0; i < UNIT_ROWS; i++)
        set_row(made, i, x1, 0.0, "yes");
    return made;
}

static const char *check_unit(toy_settings settings)
{
    const tape_study study = study_of(&settings);
    tape_table *table = tape_table_new(toy_columns, TOY_COLUMNS, 15, 3);
    tape_table *left = with_other_unit(table, settings.adjacency, -4.0);
    const char *leak = NULL;
    if (settings.adjacency == SOTTO_ADD_REMOVE) {
        leak = tape_check(&study, table, left);
        if (leak == NULL) leak = tape_check(&study, left, table);
    } else {
        tape_table *right = with_other_unit(table, settings.adjacency, 4.0);
        leak = tape_check(&study, right, left);
        if (leak == NULL) leak = tape_check(&study, left, right);
        tape_table_free(right);
    }
    tape_table_free(left);
    tape_table_free(table);
    return leak;
}

static void a_unit_of_several_rows_is_hidden_whole(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        toy_settings settings = {.is_output = i % 2 == 1,
                                 .is_pure = i / 2 % 2 == 1,
                                 .adjacency =
                                     i / 4 == 1 ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE,
                                 .unit_rows = UNIT_ROWS,
                                 .spoil = 0.99};
        const char *leak = check_unit(settings);
        if (leak != NULL) fail_msg("%s", leak);
        settings.unit_rows = 1; /* and the tape would have seen it */
        if (check_unit(settings) == NULL) fail_msg("case %d is not seen", i);
    }
}

/* ---- what the tape must see ---- */

static void a_sensitivity_divided_by_the_rows_is_seen(void **state)
{
    (void)state;
    toy_settings settings = {.is_output = true,
                             .adjacency = SOTTO_ADD_REMOVE,
                             .unit_rows = 1,
                             .spoil = 0.99,
                             .divides_by_rows = true};
    const tape_study study = study_of(&settings);
    assert_non_null(tape_check_neighbours(&study, settings.adjacency));
}

static void a_solver_that_overstates_its_result_is_seen(void **state)
{
    (void)state;
    for (int pure = 0; pure < 2; pure++) {
        toy_settings settings = {.is_pure = pure == 1,
                                 .adjacency = SOTTO_ADD_REMOVE,
                                 .unit_rows = 1,
                                 .spoil = 1.01};
        const tape_study study = study_of(&settings);
        const char *leak = tape_check_neighbours(&study, SOTTO_ADD_REMOVE);
        assert_non_null(leak);
        assert_non_null(strstr(leak, "residual"));
    }
}

/* Rows that all pull one way, so that row 0, at right angles to them but for a little, has almost
 * the largest gradient there is: exchanged for its mirror image it moves the sum by almost 2. */
static tape_table *saturated(double x1)
{
    enum { ROWS = 200 };
    tape_table *table = tape_table_new(toy_columns, TOY_COLUMNS, ROWS, 3);
    set_row(table, 0, x1, 0.5, "yes");
    for (size_t i = 1; i < ROWS; i++)
        set_row(table, i, 0.0, 1.0, "no");
    return table;
}

static void replacing_a_row_counts_twice(void **state)
{
    (void)state;
    tape_table *table = saturated(0.85), *other = saturated(-0.85);
    for (int i = 0; i < 4; i++) {
        toy_settings settings = {.is_output = i % 2 == 1,
                                 .is_pure = i / 2 == 1,
                                 .adjacency = SOTTO_REPLACE_ONE,
                                 .unit_rows = 1,
                                 .spoil = 0.99};
        const tape_study study = study_of(&settings);
        const char *leak = tape_check(&study, table, other);
        if (leak != NULL) fail_msg("%s", leak);
        settings.adjacency = SOTTO_ADD_REMOVE; /* what covers a row that comes or goes */
        if (tape_check(&study, table, other) == NULL) fail_msg("case %d is not seen", i);
    }
    tape_table_free(other);
    tape_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objective_perturbation_shows_nothing_of_one_row),
        cmocka_unit_test(output_perturbation_shows_nothing_of_one_row),
        cmocka_unit_test(a_unit_of_several_rows_is_hidden_whole),
        cmocka_unit_test(a_sensitivity_divided_by_the_rows_is_seen),
        cmocka_unit_test(a_solver_that_overstates_its_result_is_seen),
        cmocka_unit_test(replacing_a_row_counts_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
