/* Generated queries on stored tables and their neighbours: each is refused alike everywhere, or no stored row shows beyond
 * its own contribution (src/data/stability.md). slow_generated_queries.c has more of them. */
#include "support.h"

#include "query_cases.h"

enum { QUERIES = 400, SEED = 1 };

static void every_stored_row_contributes_a_row_or_none(void **state)
{
    (void)state;
    expect_claims(SEED, QUERIES, 2, 3);
}

static void no_command_shows_a_stored_row(void **state)
{
    (void)state;
    expect_silence(SEED, QUERIES, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stored_row_contributes_a_row_or_none),
        cmocka_unit_test(no_command_shows_a_stored_row),
    };
    return cmocka_run_group_tests(tests, begin_scene, end_scene);
}
