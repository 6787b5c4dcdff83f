/* Random releases on a sample beside independent bookkeeping: 300 of them. */
#include "privacy/accounting/sampled_cases.h"

static void many_sampled_releases_lie_in_their_brackets(void **state)
{
    (void)state;
    uint64_t seed = 1118;
    double worst = 0.0;
    for (int i = 0; i < 300; i++) {
        const sampled_case one = random_case(&seed);
        worst = fmax(worst, check_case(&one, cross_between(&seed, 1e-9, 1e-2)));
    }
    print_message("300 releases, largest reference over claim %.9g\n", worst);
    assert_true(worst > 0.9); /* the reference sees something */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_sampled_releases_lie_in_their_brackets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
