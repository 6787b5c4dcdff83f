/* Squared loss: the exact Gaussian sampler, and the proximal one against it; slow_proximal.c has more draws. */
#include "gaussian_laws.h"

static void the_exact_sampler_has_the_gaussian_posterior(void **state)
{
    (void)state;
    check_twenty(SOTTO_SAMPLER_EXACT_GAUSSIAN, 1500);
}

static void the_proximal_sampler_has_the_gaussian_posterior(void **state)
{
    (void)state;
    check_twenty(SOTTO_SAMPLER_PROXIMAL, 400);
}

static void a_ball_that_cuts_a_gaussian_is_honoured(void **state)
{
    (void)state;
    check_cut(0.4, false, 1500);
}

/* The ball holds next to nothing of the Gaussian's mass. */
static void a_ball_that_is_rarely_hit_takes_the_second_route(void **state)
{
    (void)state;
    check_cut(0.35, true, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_sampler_has_the_gaussian_posterior),
        cmocka_unit_test(the_proximal_sampler_has_the_gaussian_posterior),
        cmocka_unit_test(a_ball_that_cuts_a_gaussian_is_honoured),
        cmocka_unit_test(a_ball_that_is_rarely_hit_takes_the_second_route),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
