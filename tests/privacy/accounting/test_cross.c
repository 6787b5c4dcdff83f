/* The accountant against an independent computation, on random plans: the short run. */
#include "privacy/accounting/cross_check.h"

/* The reference knows some answers itself: its brackets contain the closed forms. */
static void the_reference_contains_the_closed_forms(void **state)
{
    (void)state;
    const double mu = 0.8, epsilon = 1.3; /* Balle & Wang 2018, Thm 8 */
    const double exact = 0.5 * erfc((epsilon / mu - mu / 2.0) / sqrt(2.0)) -
                         0.5 * exp(epsilon) * erfc((epsilon / mu + mu / 2.0) / sqrt(2.0));
    for (int remove = 0; remove < 2; remove++) {
        double delta[2];
        for (int side = 0; side < 2; side++) {
            loss_pair pair = loss_repeat(
                loss_of_gaussian((loss_side)side, 1.0, sqrt(7.0) / mu, remove, 300), 7,
                300);
            delta[side] = loss_delta(&pair, epsilon);
            loss_pair_free(&pair);
        }
        assert_true(delta[0] <= exact && exact <= delta[1]);
        assert_true(delta[1] <= delta[0] * 1.01);
    }
    /* Two coins of epsilon 1/2: delta(0.7) = p^2 (1 - e^{0.7 - 1}), p = 1/(1 + e^-1/2). */
    const double p = 1.0 / (1.0 + exp(-0.5));
    const double coins = p * p * -expm1(-0.3);
    for (int side = 0; side < 2; side++) {
        loss_pair pair = loss_repeat(loss_of_pure((loss_side)side, 0.5), 2, 300);
        assert_relative(loss_delta(&pair, 0.7), coins, 1e-12);
        loss_pair_free(&pair);
    }
}

static void random_plans_agree_with_the_reference(void **state)
{
    (void)state;
    enum { PLANS = 50 };
    int narrow = 0;
    for (uint64_t i = 0; i < PLANS; i++) {
        /* Mostly short plans, where the reference is sharpest; some long ones. Tiny rates
         * with few steps cost the accountant most and are left to the long run. */
        const cross_range range =
            i % 5 == 0 ? (cross_range){1e-4, 1e5} : (cross_range){3e-3, 200.0};
        narrow += cross_check_plan(1000 + i, range, 200).narrow;
    }
    print_message("the reference was within 10 %% on %d of %d plans\n", narrow, PLANS);
    assert_true(narrow >= PLANS / 2); /* a reference that says nothing tests nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_contains_the_closed_forms),
        cmocka_unit_test(random_plans_agree_with_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
