/* The methods on second moments, on every table and neighbour: nothing shows but what was paid for. */
#include "support.h"

#include "statistics_study.h"

static void expect_no_leak(sotto_adjacency adjacency)
{
    for (size_t i = 0; i < METHODS; i++) {
        train_study study = study_for(methods[i], adjacency, false);
        const tape_study tape = study_of(&study);
        assert_true(study_releases(&tape));
        const char *leak = tape_check_neighbours(&tape, adjacency);
        if (leak != NULL) fail_msg("%s: %s", sotto_method_name(methods[i]), leak);
    }
}

static void a_row_more_or_less_shows_nothing(void **state)
{
    (void)state;
    expect_no_leak(SOTTO_ADD_REMOVE);
}

static void a_row_exchanged_shows_nothing(void **state)
{
    (void)state;
    expect_no_leak(SOTTO_REPLACE_ONE);
}

/* A person of two rows for another, whatever the rows hold: ages at both ends and between, every town and
 * answer, both rows alike or not. */
static void persons_show_nothing(void **state)
{
    (void)state;
    static const double ages[] = {18.0, 54.0, 90.0, NAN};
    for (size_t i = 0; i < METHODS; i++) {
        train_study study = study_for(methods[i], SOTTO_REPLACE_ONE, true);
        const tape_study tape = study_of(&study);
        for (size_t kind = 0; kind < 64; kind++) {
            tape_table *tables[2];
            for (size_t side = 0; side < 2; side++) {
                const size_t drawn = side == 0 ? kind : kind * 37 + 11;
                tables[side] = tape_table_new(tape.columns, tape.column_count, 5, 7);
                for (size_t row = 3; row < 5; row++) {
                    tape_cell *cells = &tables[side]->cells[row * tape.column_count];
                    cells[0].number = ages[(drawn + (row == 4 ? drawn / 16 : 0)) % 4];
                    cells[1].text = study_towns[drawn / 4 % 2];
                    cells[2].text = "p9";
                    cells[3].text = study_answers[drawn / 8 % 2];
                }
            }
            const char *leak = tape_check(&tape, tables[0], tables[1]);
            if (leak != NULL) fail_msg("%s: %s", sotto_method_name(methods[i]), leak);
            tape_table_free(tables[0]);
            tape_table_free(tables[1]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_more_or_less_shows_nothing),
        cmocka_unit_test(a_row_exchanged_shows_nothing),
        cmocka_unit_test(persons_show_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
