/* The same as test_pate_tape.c for every aggregator and every rule of the shards. */
#include "pate_study.h"

static void every_aggregator_shows_its_labels_alone(void **state)
{
    (void)state;
    const sotto_pate_aggregator all[] = {SOTTO_PATE_LNMAX, SOTTO_PATE_GNMAX,
                                         SOTTO_PATE_MODE};
    for (size_t i = 0; i < 3; i++)
        expect_no_leak((pate_study){.aggregator = all[i],
                                    .adjacency = SOTTO_ADD_REMOVE,
                                    .agreement_noise = 1.75},
                       9, 0);
}

static void a_replaced_row_moves_two_votes(void **state)
{
    (void)state;
    expect_no_leak((pate_study){.aggregator = SOTTO_PATE_CONFIDENT,
                                .adjacency = SOTTO_REPLACE_ONE,
                                .agreement_noise = 1.75},
                   9, 4);
}

static void a_row_replaced_in_its_place_moves_one_vote(void **state)
{
    (void)state;
    expect_no_leak((pate_study){.aggregator = SOTTO_PATE_GNMAX,
                                .adjacency = SOTTO_REPLACE_ONE,
                                .n_is_public = true},
                   9, 4);
}

static void a_unit_moves_one_vote(void **state)
{
    (void)state;
    expect_no_leak((pate_study){.aggregator = SOTTO_PATE_GNMAX,
                                .adjacency = SOTTO_ADD_REMOVE,
                                .schema = study_unit_schema},
                   9, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_aggregator_shows_its_labels_alone),
        cmocka_unit_test(a_replaced_row_moves_two_votes),
        cmocka_unit_test(a_row_replaced_in_its_place_moves_one_vote),
        cmocka_unit_test(a_unit_moves_one_vote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
