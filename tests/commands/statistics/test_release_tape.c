/* Sums on every neighbour by one row more or less: nothing shows but what was paid for. */
#include "support.h"

#include "release_study.h"

static void one_row_more_or_less_shows_nothing(void **state)
{
    (void)state;
    const char *leak = study_leak(SOTTO_ADD_REMOVE, 0, STUDY_CHOICES);
    if (leak != NULL) fail_msg("%s", leak);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_more_or_less_shows_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
