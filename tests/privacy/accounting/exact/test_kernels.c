/* Kernels against each other and against exact arithmetic. */
#include "support.h"

#include <mpfr.h>

#include <sotto/accountant.h>

#include "privacy/accounting/exact/contour.h"
#include "privacy/accounting/plan/closed_form.h"
#include "privacy/accounting/plan/composition.h"
#include "privacy/accounting/profile/gaussian.h"
#include "privacy/accounting/sampled/grid.h"

static double next_uniform(uint64_t *seed) /* splitmix64: test points only */
{
    uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double log_uniform(uint64_t *seed, double least, double most)
{
    return exp(log(least) + (log(most) - log(least)) * next_uniform(seed));
}

/* Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu) with 400 bits. */
static double gaussian_delta_reference(double mu, double epsilon)
{
    mpfr_t a, b, half, root, shift;
    mpfr_inits2(400, a, b, half, root, shift, (mpfr_ptr)0);
    mpfr_set_d(shift, epsilon, MPFR_RNDN);
    mpfr_div_d(shift, shift, mu, MPFR_RNDN);
    mpfr_set_d(half, mu, MPFR_RNDN);
    mpfr_div_ui(half, half, 2, MPFR_RNDN);
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_sub(a, shift, half, MPFR_RNDN); /* Phi(-x) = erfc(x/sqrt 2)/2 */
    mpfr_div(a, a, root, MPFR_RNDN);
    mpfr_erfc(a, a, MPFR_RNDN);
    mpfr_add(b, shift, half, MPFR_RNDN);
    mpfr_div(b, b, root, MPFR_RNDN);
    mpfr_erfc(b, b, MPFR_RNDN);
    mpfr_set_d(shift, epsilon, MPFR_RNDN);
    mpfr_exp(shift, shift, MPFR_RNDN);
    mpfr_mul(b, b, shift, MPFR_RNDN);
    mpfr_sub(a, a, b, MPFR_RNDN);
    mpfr_div_ui(a, a, 2, MPFR_RNDN);
    const double delta = mpfr_get_d(a, MPFR_RNDN);
    mpfr_clears(a, b, half, root, shift, (mpfr_ptr)0);
    return delta;
}

static void the_gaussian_bracket_contains_the_exact_delta(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < 4000; i++) {
        const double mu = log_uniform(&seed, 1e-9, 50.0);
        double epsilon = mu * 36.0 * next_uniform(&seed) * next_uniform(&seed);
        if (i % 7 == 0) epsilon = -epsilon;
        const sot_bracket delta = sot_gaussian_delta((sot_bracket){mu, mu}, epsilon);
        const double exact = gaussian_delta_reference(mu, epsilon);
        assert_within(exact, delta.lower, delta.upper);
        assert_true(delta.upper - delta.lower <= 2e-11 * exact + 1e-300);
    }
}

/* M(z - 1) at integer z from its finite sum, 300 bits: independent of the quadrature. */
static double log_mgf_reference(double rate, double sigma, unsigned long z)
{
    mpfr_t sum, term, q, complement, exponent;
    mpfr_inits2(300, sum, term, q, complement, exponent, (mpfr_ptr)0);
    mpfr_set_d(q, rate, MPFR_RNDN);
    mpfr_ui_sub(complement, 1, q, MPFR_RNDN);
    mpfr_set_ui(sum, 0, MPFR_RNDN);
    for (unsigned long k = 0; k <= z; k++) {
        mpfr_set_d(exponent, sigma, MPFR_RNDN);
        mpfr_sqr(exponent, exponent, MPFR_RNDN);
        mpfr_mul_ui(exponent, exponent, 2, MPFR_RNDN);
        mpfr_ui_div(exponent, k * (k - (k > 0)), exponent, MPFR_RNDN);
        mpfr_exp(term, exponent, MPFR_RNDN);
        mpfr_pow_ui(exponent, q, k, MPFR_RNDN);
        mpfr_mul(term, term, exponent, MPFR_RNDN);
        mpfr_pow_ui(exponent, complement, z - k, MPFR_RNDN);
        mpfr_mul(term, term, exponent, MPFR_RNDN);
        for (unsigned long i = 1; i <= k; i++) { /* times (z choose k) */
            mpfr_mul_ui(term, term, z - k + i, MPFR_RNDN);
            mpfr_div_ui(term, term, i, MPFR_RNDN);
        }
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    mpfr_log(sum, sum, MPFR_RNDN);
    const double log_mgf = mpfr_get_d(sum, MPFR_RNDN);
    mpfr_clears(sum, term, q, complement, exponent, (mpfr_ptr)0);
    return log_mgf;
}

/* The quadrature just beside an integer order, where the finite sum is not used, against the
 * finite sum; the two orders differ by 1e-9. */
static void the_quadrature_agrees_with_the_finite_sum(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 150; i++) {
        const sot_sampled sampled = {log_uniform(&seed, 1e-7, 0.99),
                                     log_uniform(&seed, 0.25, 30.0), 1.0};
        const unsigned long z = 2 + (unsigned long)(30.0 * next_uniform(&seed));
        const double exact = log_mgf_reference(sampled.rate, sampled.sigma, z);
        double error;
        double value = sot_sampled_log_mgf(&sampled, SOT_REMOVE, (double)z - 1.0, &error);
        assert_true(fabs(value - exact) <= error + 1e-15 * exact);
        const double above =
            sot_sampled_log_mgf(&sampled, SOT_REMOVE, (double)z - 1.0 + 1e-9, &error);
        assert_true(error < 1e-9);
        const double slope = fmax(exact, 1e-300) * 1e-9 * 20.0 * (double)z;
        assert_within(above, exact - error, exact + slope + error);
        const double estimate =
            sot_sampled_log_mgf_estimate(&sampled, SOT_REMOVE, (double)z - 1.0 + 1e-9);
        assert_relative(estimate, above, 1e-3);
    }
}

/* arg r <= 1.2 p theta for theta <= 2, the inequality under the bent contour. */
static void the_argument_bound_of_the_contour_holds(void **state)
{
    (void)state;
    for (double theta = 0.004; theta <= 2.0; theta += 0.004) {
        for (double p = 0.002; p < 1.0; p += 0.002) {
            const double argument = atan2(p * sin(theta), 1.0 - p + p * cos(theta));
            assert_true(argument <= 1.2 * p * theta);
        }
    }
}

/* The tail bound is above |M(c + is)|/M(c) computed from the atoms, and decreases. */
static void the_tail_bound_is_above_the_transform(void **state)
{
    (void)state;
    uint64_t seed = 23;
    sotto_error error;
    for (int i = 0; i < 40; i++) {
        const sot_sampled sampled = {log_uniform(&seed, 1e-4, 0.95),
                                     log_uniform(&seed, 0.3, 10.0), 1.0};
        const sot_direction direction = i % 2 == 0 ? SOT_REMOVE : SOT_ADD;
        const double c = log_uniform(&seed, 0.05, 20.0);
        const double s_max = log_uniform(&seed, 1.0, 200.0);
        enum { NODES = 40 };
        double log_modulus[NODES] = {0}, argument[NODES] = {0}, slack[NODES] = {0};
        sot_atoms atoms;
        sot_sampled_tail *tail;
        assert_ok(sot_sampled_atoms(&sampled, direction, c, s_max, &atoms, &error),
                  &error);
        assert_true(atoms.quadrature < 1e-13);
        assert_ok(sot_atoms_accumulate(&atoms, 1.0, s_max / (NODES - 1), NODES,
                                       log_modulus, argument, slack, &error),
                  &error);
        assert_ok(sot_sampled_tail_new(&sampled, direction, c, &tail, &error), &error);
        double before = 0.0;
        for (int j = 1; j < NODES; j++) {
            const double s = s_max * j / (NODES - 1);
            const double bound = sot_sampled_tail_log(tail, s);
            assert_true(exp(bound) >= exp(log_modulus[j]) - 1e-11);
            assert_true(bound <= before + 1e-9);
            before = bound;
        }
        sot_sampled_tail_free(tail);
        sot_atoms_clear(&atoms);
    }
}

static sot_composition *compose(const sotto_event *events, size_t count)
{
    sotto_error error;
    sotto_plan *plan;
    sot_composition *composition;
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
    for (size_t i = 0; i < count; i++) {
        assert_ok(sotto_plan_add(plan, &events[i], &error), &error);
    }
    assert_ok(sot_composition_new(plan, SOTTO_UNSET, 0, &composition, &error), &error);
    sotto_plan_free(plan);
    return composition;
}

/* Gaussian and pure events have a closed form; the contour does not know it. */
static void the_contour_agrees_with_the_closed_form(void **state)
{
    (void)state;
    uint64_t seed = 77;
    sotto_error error;
    for (int i = 0; i < 60; i++) {
        sotto_event events[2] = {sotto_event_defaults(), sotto_event_defaults()};
        events[0].mechanism = SOTTO_GAUSSIAN;
        events[0].noise_multiplier = log_uniform(&seed, 0.5, 20.0);
        events[0].count = 1 + (uint64_t)(30.0 * next_uniform(&seed));
        events[1].mechanism = SOTTO_PURE;
        events[1].epsilon = log_uniform(&seed, 0.01, 1.0);
        events[1].count = 1 + (uint64_t)(20.0 * next_uniform(&seed));
        sot_composition *composition = compose(events, 2);
        const double epsilon = log_uniform(&seed, 0.1, 8.0);
        const sot_bracket exact = sot_closed_form_delta(composition, SOT_REMOVE, epsilon);
        const sot_contour_request request = {.composition = composition,
                                             .direction =
                                                 i % 2 == 0 ? SOT_REMOVE : SOT_ADD,
                                             .epsilon = epsilon,
                                             .work_max = 1e8};
        sot_contour *contour;
        assert_ok(sot_contour_new(&request, &contour, &error), &error);
        const sot_bracket delta = sot_contour_delta(contour, epsilon);
        assert_true(delta.upper >= exact.lower && delta.lower <= exact.upper);
        assert_relative(delta.upper, exact.upper, 1e-8);
        assert_true(exact.upper <= exact.lower * (1.0 + 1e-10));
        assert_true(sot_contour_log_chernoff(&request) >= log(exact.lower) - 1e-9);
        sot_contour_free(contour);
        sot_composition_free(composition);
    }
}

/* One sampled step has a closed form too, in both directions. */
static void one_sampled_step_agrees_with_its_closed_form(void **state)
{
    (void)state;
    sotto_error error;
    for (int i = 0; i < 12; i++) {
        sotto_event event = sotto_event_defaults();
        event.mechanism = SOTTO_GAUSSIAN;
        event.sampling = SOTTO_POISSON;
        event.rate = 0.5 + 0.04 * i;
        event.noise_multiplier = 1.75;
        sot_composition *composition = compose(&event, 1);
        const sot_direction direction = i % 2 == 0 ? SOT_REMOVE : SOT_ADD;
        const double epsilon = 0.3;
        const sot_bracket exact = sot_sampled_gaussian_delta(
            event.rate, event.noise_multiplier, direction, epsilon);
        /* tau = 0.02 makes a single step short enough; it may only raise delta. */
        const sot_contour_request request = {.composition = composition,
                                             .direction = direction,
                                             .epsilon = epsilon,
                                             .smoothing = 0.02,
                                             .work_max = 1e9};
        sot_contour *contour;
        assert_ok(sot_contour_new(&request, &contour, &error), &error);
        const sot_bracket delta = sot_contour_delta(contour, epsilon);
        double shift;
        double loss;
        sot_contour_unsmoothed_lower(contour, exact.upper, &shift, &loss);
        assert_within(delta.upper, exact.lower, exact.upper * 1.02);
        assert_true(sot_contour_delta(contour, epsilon + shift).lower - loss <=
                    exact.upper);
        sot_contour_free(contour);
        sot_composition_free(composition);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gaussian_bracket_contains_the_exact_delta),
        cmocka_unit_test(the_quadrature_agrees_with_the_finite_sum),
        cmocka_unit_test(the_argument_bound_of_the_contour_holds),
        cmocka_unit_test(the_tail_bound_is_above_the_transform),
        cmocka_unit_test(the_contour_agrees_with_the_closed_form),
        cmocka_unit_test(one_sampled_step_agrees_with_its_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
