/* The unit is a person with at most two rows: any of them may come, go or change. */
#include "support.h"

#include "train_study.h"

/* Which of a person's rows are kept depends on their order, so that only neighbours are compared. */
static void expect_no_leak(sotto_train_config config)
{
    train_study study = {.config = config, .schema = study_unit_schema};
    const tape_study tape = study_of(&study);
    assert_true(study_releases(&tape));
    const char *leak = study_leak_of(&tape, config.adjacency, 7, 3);
    if (leak != NULL) fail_msg("%s", leak);
}

static void a_person_more_or_less_shows_nothing(void **state)
{
    (void)state;
    expect_no_leak(study_config(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, 1e-6));
    expect_no_leak(study_config(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, SOTTO_UNSET));
    expect_no_leak(study_config(SOTTO_METHOD_OUTPUT, SOTTO_ADD_REMOVE, 1e-6));
    expect_no_leak(study_config(SOTTO_METHOD_GD, SOTTO_ADD_REMOVE, 1e-6));
}

static void a_person_exchanged_shows_nothing(void **state)
{
    (void)state;
    expect_no_leak(study_config(SOTTO_METHOD_OBJECTIVE, SOTTO_REPLACE_ONE, 1e-6));
    expect_no_leak(study_config(SOTTO_METHOD_OUTPUT, SOTTO_REPLACE_ONE, SOTTO_UNSET));
    expect_no_leak(study_config(SOTTO_METHOD_GD, SOTTO_REPLACE_ONE, 1e-6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_person_more_or_less_shows_nothing),
        cmocka_unit_test(a_person_exchanged_shows_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
