/* A thousand generated queries, on all tables, for all rows: see test_generated_queries.c. */
#include "support.h"

#include "query_cases.h"

enum { QUERIES = 1000, SEED = 100000 };

static void every_stored_row_contributes_a_row_or_none(void **state)
{
    (void)state;
    expect_claims(SEED, QUERIES, TABLES, 1);
}

static void no_command_shows_a_stored_row(void **state)
{
    (void)state;
    expect_silence(SEED, QUERIES, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stored_row_contributes_a_row_or_none),
        cmocka_unit_test(no_command_shows_a_stored_row),
    };
    return cmocka_run_group_tests(tests, begin_scene, end_scene);
}
