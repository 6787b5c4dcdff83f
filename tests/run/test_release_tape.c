/* Every statistic on every neighbour by one row more or less: nothing shows but what was paid for. */
#include "support.h"

#include "release_study.h"

static void one_row_more_or_less_shows_nothing(void **state)
{
    (void)state;
    named_config all[STUDIES_MAX];
    const size_t count = all_statistics(all, SOTTO_ADD_REMOVE);
    for (size_t i = 0; i < count; i++) {
        release_study study = {.config = all[i].config, .writes_file = i == 0};
        const tape_study tape = study_of(&study);
        assert_true(study_releases(&tape));
        const char *leak = tape_check_neighbours(&tape, SOTTO_ADD_REMOVE);
        if (leak != NULL) fail_msg("%s: %s", all[i].name, leak);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_more_or_less_shows_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
