/* Many draws of the proximal sampler, and of the Gaussian one, against quadrature and the exact posterior. */
#include "gaussian_laws.h"
#include "proximal_laws.h"

enum { MANY = 25000 };

static void one_coefficient(void **state)
{
    (void)state;
    const sot_loss hinge = sot_loss_smoothed_hinge(0.25);
    const sot_loss counts = sot_loss_poisson(4.0, 3.0);
    const sot_loss huber = sot_loss_huber(0.25, 1.0);
    check_loss(&sot_loss_logistic, 0, 1, 1.5, 0.75, 6.0, MANY);
    check_loss(&hinge, 0, 1, 0.9, 0.75, 6.0, MANY);
    check_loss(&counts, 0, 1, 0.1, 0.75, 6.0, MANY);
    check_loss(&huber, 0, 1, 0.75, 0.75, 6.0, MANY);
    check_joined(6.0, MANY);
}

static void one_coefficient_in_a_ball_that_cuts(void **state)
{
    (void)state;
    const sot_loss hinge = sot_loss_smoothed_hinge(0.25);
    check_loss(&sot_loss_logistic, 0, 1, 1.5, 0.75, 0.55, MANY);
    check_loss(&hinge, 0, 1, 0.9, 0.75, 0.3, MANY);
    check_joined(0.4, MANY);
}

static void two_coefficients(void **state)
{
    (void)state;
    const sot_loss hinge = sot_loss_smoothed_hinge(0.25);
    check_loss(&sot_loss_logistic, 0, 2, 1.5, 0.75, 6.0, MANY);
    check_loss(&sot_loss_logistic, 0, 2, 1.5, 0.75, 0.75, MANY);
    check_loss(&hinge, 0, 2, 0.9, 0.75, 5.0, MANY);
    check_loss(&hinge, 0, 2, 0.9, 0.75, 0.4, MANY);
    check_loss(NULL, 2, 1, 1.0, 0.75, 6.0, MANY);
    check_loss(NULL, 2, 1, 1.0, 0.75, 0.5, MANY);
}

static void twenty_coefficients(void **state)
{
    (void)state;
    check_twenty(SOTTO_SAMPLER_PROXIMAL, 10000);
    check_twenty(SOTTO_SAMPLER_EXACT_GAUSSIAN, 20000);
}

static void gaussians_that_are_cut(void **state)
{
    (void)state;
    check_cut(0.4, false, MANY);
    check_cut(0.35, true, MANY / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_coefficient),
        cmocka_unit_test(one_coefficient_in_a_ball_that_cuts),
        cmocka_unit_test(two_coefficients),
        cmocka_unit_test(twenty_coefficients),
        cmocka_unit_test(gaussians_that_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
