/* Concepts of every class by every mechanism on every table and neighbour: nothing shows but what was paid for. */
#include "support.h"

#include "concept_study.h"

static void expect_no_leak(sotto_method method, bool listed_alone)
{
    for (size_t i = 0; i < CONCEPT_CASES; i++) {
        if (listed_alone && !concept_cases[i].listed) continue;
        for (int adjacency = SOTTO_ADD_REMOVE; adjacency <= SOTTO_REPLACE_ONE;
             adjacency++) {
            train_study study = concept_study_of(concept_config(
                concept_cases[i].class, method, (sotto_adjacency)adjacency));
            study.writes_file = true;
            const tape_study tape = concept_tape_of(&study);
            assert_true(study_releases(&tape));
            const char *leak = tape_check_neighbours(&tape, (sotto_adjacency)adjacency);
            if (leak != NULL)
                fail_msg("%s by %s: %s", study.config.concept, sotto_method_name(method),
                         leak);
        }
    }
}

static void the_exponential_mechanism_shows_nothing(void **state)
{
    (void)state;
    expect_no_leak(SOTTO_METHOD_EXPONENTIAL, false);
}

static void permute_and_flip_shows_nothing(void **state)
{
    (void)state;
    expect_no_leak(SOTTO_METHOD_PERMUTE_AND_FLIP, true);
}

static void laplace_noise_on_all_counts_shows_nothing(void **state)
{
    (void)state;
    expect_no_leak(SOTTO_METHOD_LAPLACE, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exponential_mechanism_shows_nothing),
        cmocka_unit_test(permute_and_flip_shows_nothing),
        cmocka_unit_test(laplace_noise_on_all_counts_shows_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
