/* The proximal sampler: its law against quadrature; slow_proximal.c has more draws of more potentials. */
#include "proximal_laws.h"

enum { DRAWS = 1500 };

static void draws_of_one_coefficient_have_the_posterior_law(void **state)
{
    (void)state;
    check_loss(&sot_loss_logistic, 0, 1, 1.5, 0.75, 6.0, DRAWS);
    const sot_loss hinge = sot_loss_smoothed_hinge(0.25);
    check_loss(&hinge, 0, 1, 0.9, 0.75, 6.0, DRAWS);
}

static void a_ball_that_cuts_is_honoured_by_rejection(void **state)
{
    (void)state;
    check_loss(&sot_loss_logistic, 0, 1, 1.5, 0.75, 0.55, DRAWS);
    check_loss(&sot_loss_logistic, 0, 2, 1.5, 0.75, 0.75, DRAWS);
}

static void draws_of_two_coefficients_have_the_posterior_law(void **state)
{
    (void)state;
    check_loss(&sot_loss_logistic, 0, 2, 1.0, 0.75, 6.0, DRAWS);
    check_loss(NULL, 2, 1, 1.0, 0.75, 6.0, DRAWS);
}

static void a_callers_loss_is_drawn_from_too(void **state)
{
    (void)state;
    check_joined(6.0, DRAWS);
}

/* A step made for two rows, where there are seven: too long to be cheap, and no less exact. */
static void public_constants_do_not_change_the_law(void **state)
{
    (void)state;
    scene s;
    begin_scene(&s, &sot_loss_logistic, 0, 7, 1, 1.5, 0.75, 6.0);
    s.facts.rows_planned = 2;
    plan_scene(&s, SOTTO_SAMPLER_PROXIMAL, 1e-3);
    assert_true(s.plan.public_constants && s.plan.steps == s.plan.steps_most);
    check_law(&s, DRAWS);
    end_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_of_one_coefficient_have_the_posterior_law),
        cmocka_unit_test(a_ball_that_cuts_is_honoured_by_rejection),
        cmocka_unit_test(draws_of_two_coefficients_have_the_posterior_law),
        cmocka_unit_test(a_callers_loss_is_drawn_from_too),
        cmocka_unit_test(public_constants_do_not_change_the_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
