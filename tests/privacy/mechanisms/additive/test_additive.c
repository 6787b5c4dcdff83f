/* Gaussian and Laplace releases: their events, their refusals, their edges. */
#include "support.h"

#include "base/memory.h"
#include "privacy/mechanisms/additive/additive.h"
#include "privacy/mechanisms/release_support.h"
#include "random/entropy.h"
#include "random/rng.h"

static const additive mechanisms[] = {
    {ROUNDED, 6.5, 2.375}, {DISCRETE, 6.5, 2.375}, {LAPLACE, 6.5, 2.0}};

/* ---- events ---- */

static void a_gaussian_event_claims_no_more_noise_than_there_is(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    sotto_gaussian_config config = gaussian_config(&mechanisms[ROUNDED]);
    config.sigma = 1.0;
    config.l2_sensitivity = 3.0;
    config.grid = 0x1p-20;
    assert_ok(sotto_gaussian_event(&config, &event, &error), &error);
    assert_int_equal(event.mechanism, SOTTO_GAUSSIAN);
    assert_true(event.noise_multiplier * 3.0 <= 1.0); /* 1/3 rounded down */
    assert_true(event.noise_multiplier == 0x1.5555555555555p-2);
    assert_true(event.scale == 0x1p-20 && event.sensitivity == 3.0 * 0x1p-20);
    assert_true(event.grid == 0x1p-20);
    assert_true(isnan(event.rate) && isnan(event.rho) && isnan(event.epsilon));
    assert_int_equal(event.count, 1);
    assert_string_equal(event.purpose, "sums");

    config.sigma = 5.0; /* 5/3 to nearest is above 5/3 */
    assert_ok(sotto_gaussian_event(&config, &event, &error), &error);
    assert_true(event.noise_multiplier == nextafter(5.0 / 3.0, 0.0));

    config.sampling = SOTTO_POISSON;
    config.rate = 0.125;
    assert_ok(sotto_gaussian_event(&config, &event, &error), &error);
    assert_int_equal(event.sampling, SOTTO_POISSON);
    assert_true(event.rate == 0.125);
}

static void a_discrete_gaussian_costs_its_zcdp(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    double rdp = 0.0;
    assert_ok(additive_event(&mechanisms[DISCRETE], &event, &error), &error);
    assert_int_equal(event.mechanism, SOTTO_DISCRETE_GAUSSIAN);
    open_gate made = open_gate_new(&event, 1, SOTTO_ADD_REMOVE, 1);
    assert_ok(sotto_account_rdp(made.plan, 3.0, &rdp, &error), &error);
    open_gate_free(&made);
    const double rho = 361.0 / 5408.0; /* (19/8)^2 / (2 (13/2)^2) */
    assert_within(rdp, 3.0 * rho, 3.0 * rho * (1.0 + 1e-14));
}

static void a_laplace_event_states_the_scale_that_is_drawn(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    sotto_laplace_config config = laplace_config(&mechanisms[LAPLACE]);
    const double scales[] = {0x1p-10, 0.1, 1.0, 1.0 / 3.0, 6.5, 1e6 / 7.0, 3e14, 0x1p50};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        config.scale = scales[i];
        assert_ok(sotto_laplace_event(&config, &event, &error), &error);
        assert_within(event.scale, scales[i], scales[i] * (1.0 + 0x1p-39));
        if (scales[i] >= 1.0) assert_true(event.scale <= scales[i] * (1.0 + 0x1p-48));
        /* A ratio of integers up to 2^50: 50 binary places suffice, or 50 digits. */
        const double numerator = ldexp(event.scale, 50);
        assert_true(floor(numerator) == numerator);
        /* The stated scale is drawable: asking for it gives it back. */
        const double stated = event.scale;
        config.scale = stated;
        assert_ok(sotto_laplace_event(&config, &event, &error), &error);
        assert_true(event.scale == stated);
    }
    assert_int_equal(event.mechanism, SOTTO_DISCRETE_LAPLACE);
}

static void a_scale_for_an_epsilon_costs_at_most_that(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    for (int i = 1; i < 400; i++) {
        const double epsilon = 0.01 * i, sensitivity = 1 + i % 7;
        sotto_laplace_config config = laplace_config(&mechanisms[LAPLACE]);
        config.l1_sensitivity = sensitivity;
        assert_ok(sotto_laplace_scale(epsilon, sensitivity, &config.scale, &error),
                  &error);
        assert_ok(sotto_laplace_event(&config, &event, &error), &error);
        assert_true(event.scale == config.scale);
        open_gate made = open_gate_new(&event, 1, SOTTO_ADD_REMOVE, 1);
        sotto_account account;
        assert_ok(sotto_account_epsilon(made.plan, SOTTO_BASIC, 0.0, &account, &error),
                  &error);
        assert_within(account.epsilon, epsilon * (1.0 - 1e-11), epsilon);
        open_gate_free(&made);
    }
}

/* ---- refusals ---- */

static void gaussian_settings_out_of_range_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    const sotto_gaussian_config good = gaussian_config(&mechanisms[ROUNDED]);
    const double bad_sigmas[] = {SOTTO_UNSET, 0.0,    -1.0,
                                 0x1p-21,     0x1p57, (double)INFINITY};
    for (size_t i = 0; i < sizeof bad_sigmas / sizeof bad_sigmas[0]; i++) {
        sotto_gaussian_config config = good;
        config.sigma = bad_sigmas[i];
        assert_refused(sotto_gaussian_event(&config, &event, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "sigma", NULL);
        assert_refused(sotto_discrete_gaussian_event(&config, &event, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "sigma", NULL);
    }
    sotto_gaussian_config config = good;
    config.sigma = 0x1p31; /* fine for the one kind of noise, not for the other */
    assert_ok(sotto_gaussian_event(&config, &event, &error), &error);
    assert_refused(sotto_discrete_gaussian_event(&config, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "sigma", NULL);
    const double bad_sensitivities[] = {SOTTO_UNSET, 0.0, -2.0, 0x1p63, (double)INFINITY};
    for (size_t i = 0; i < sizeof bad_sensitivities / sizeof bad_sensitivities[0]; i++) {
        config = good;
        config.l2_sensitivity = bad_sensitivities[i];
        assert_refused(sotto_gaussian_event(&config, &event, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "l2_sensitivity", NULL);
    }
    config = good;
    config.rate = 0.5;
    assert_refused(sotto_gaussian_event(&config, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "rate", "Poisson", NULL);
    assert_refused(sotto_discrete_gaussian_event(&config, &event, &error),
                   SOTTO_UNSUPPORTED, &error, "sampled", NULL);
    config.sampling = (sotto_sampling)7;
    assert_refused(sotto_gaussian_event(&config, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "sampling is 7", NULL);
    config.sampling = SOTTO_POISSON;
    config.rate = 1.5;
    assert_refused(sotto_gaussian_event(&config, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "rate is 1.5", NULL);
    const sotto_gaussian_config unset = sotto_gaussian_defaults();
    assert_refused(sotto_gaussian_event(&unset, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, NULL);
}

static void laplace_settings_out_of_range_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    double scale = 77.0;
    const double bad_scales[] = {SOTTO_UNSET, 0.0, -1.0, 0x1p-11, 0x1.0000000000001p50};
    for (size_t i = 0; i < sizeof bad_scales / sizeof bad_scales[0]; i++) {
        sotto_laplace_config config = laplace_config(&mechanisms[LAPLACE]);
        config.scale = bad_scales[i];
        assert_refused(sotto_laplace_event(&config, &event, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "scale", NULL);
    }
    const double bad_sensitivities[] = {SOTTO_UNSET, 0.0, 0.5, 1.5, -1.0, 0x1p51};
    for (size_t i = 0; i < sizeof bad_sensitivities / sizeof bad_sensitivities[0]; i++) {
        sotto_laplace_config config = laplace_config(&mechanisms[LAPLACE]);
        config.l1_sensitivity = bad_sensitivities[i];
        assert_refused(sotto_laplace_event(&config, &event, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "l1_sensitivity", "whole", NULL);
        assert_refused(sotto_laplace_scale(1.0, bad_sensitivities[i], &scale, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "l1_sensitivity", NULL);
    }
    const double bad_epsilons[] = {SOTTO_UNSET,      0.0,   -1.0,
                                   (double)INFINITY, 1e-20, 5000.0};
    for (size_t i = 0; i < sizeof bad_epsilons / sizeof bad_epsilons[0]; i++) {
        assert_refused(sotto_laplace_scale(bad_epsilons[i], 2.0, &scale, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "epsilon", NULL);
    }
    assert_true(scale == 77.0);
}

static void grid_purpose_and_adjacency_are_asked_for(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    sotto_gaussian_config gaussian = gaussian_config(&mechanisms[ROUNDED]);
    sotto_laplace_config laplace = laplace_config(&mechanisms[LAPLACE]);
    gaussian.adjacency = SOTTO_ADJACENCY_UNSET;
    laplace.adjacency = (sotto_adjacency)3;
    assert_refused(sotto_gaussian_event(&gaussian, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "adjacency is 0", NULL);
    assert_refused(sotto_discrete_gaussian_event(&gaussian, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "adjacency is 0", NULL);
    assert_refused(sotto_laplace_event(&laplace, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "adjacency is 3", NULL);
    gaussian = gaussian_config(&mechanisms[ROUNDED]);
    const double bad_grids[] = {0.0, -1.0, 0.1, 0x1p401, 0x1p-401, SOTTO_UNSET};
    for (size_t i = 0; i < sizeof bad_grids / sizeof bad_grids[0]; i++) {
        gaussian.grid = bad_grids[i];
        assert_refused(sotto_gaussian_event(&gaussian, &event, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "power of two", NULL);
    }
    gaussian.grid = 1.0;
    gaussian.purpose = NULL;
    assert_refused(sotto_gaussian_event(&gaussian, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "purpose", NULL);
}

/* ---- releases ---- */

static void a_release_needs_values(void **state)
{
    (void)state;
    for (int kind = 0; kind < ADDITIVE_KINDS; kind++) {
        sotto_error error;
        sotto_event event;
        int64_t value = 5;
        assert_ok(additive_event(&mechanisms[kind], &event, &error), &error);
        open_gate made = open_gate_new(&event, 1, SOTTO_ADD_REMOVE, 1);
        assert_refused(
            additive_release(made.gate, &mechanisms[kind], &value, 0, &value, &error),
            SOTTO_INVALID_ARGUMENT, &error, "no values", NULL);
        assert_int_equal(sotto_gate_released(made.gate, 0), 0);
        const additive bad = {mechanisms[kind].kind, -1.0, 1.0};
        assert_refused(additive_release(made.gate, &bad, &value, 1, &value, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "-1", NULL);
        open_gate_free(&made);
    }
}

static void the_same_seed_gives_the_same_release(void **state)
{
    (void)state;
    int64_t first[40], second[40], other[40];
    for (int kind = 0; kind < ADDITIVE_KINDS; kind++) {
        release_many(&mechanisms[kind], 5, -9, 2, 20, first);
        release_many(&mechanisms[kind], 5, -9, 2, 20, second);
        release_many(&mechanisms[kind], 6, -9, 2, 20, other);
        assert_memory_equal(first, second, sizeof first);
        assert_memory_not_equal(first, other, sizeof first);
    }
}

static void results_are_cut_at_the_ends(void **state)
{
    (void)state;
    assert_int_equal(sot_add_clamped(5, -7), -2);
    assert_int_equal(sot_add_clamped(SOT_SUM_MAX, -1), SOT_RESULT_MAX);
    assert_int_equal(sot_add_clamped(SOT_SUM_MAX, 0), SOT_RESULT_MAX);
    assert_int_equal(sot_add_clamped(INT64_MAX, -SOT_SUM_MAX), 0); /* cut first */
    /* Noise that stands for everything beyond says nothing about the sum. */
    const int64_t sums[] = {INT64_MIN, -SOT_SUM_MAX, -5, 0, 3, SOT_SUM_MAX, INT64_MAX};
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        assert_int_equal(sot_add_clamped(sums[i], INT64_MAX), SOT_RESULT_MAX);
        assert_int_equal(sot_add_clamped(sums[i], -INT64_MAX), -SOT_RESULT_MAX);
        assert_int_equal(sot_add_clamped(sums[i], INT64_MIN), -SOT_RESULT_MAX);
    }
}

static void sampler_errors_are_recorded(void **state)
{
    (void)state;
    for (int kind = 0; kind < ADDITIVE_KINDS; kind++) {
        sotto_error error;
        sotto_event event;
        int64_t values[10] = {0};
        assert_ok(additive_event(&mechanisms[kind], &event, &error), &error);
        open_gate made = open_gate_new(&event, 2, SOTTO_ADD_REMOVE, 1);
        for (int i = 0; i < 2; i++) {
            assert_ok(additive_release(made.gate, &mechanisms[kind], values, 10, values,
                                       &error),
                      &error);
        }
        const double least = kind == LAPLACE ? 0.0 : 20.0 * 0x1p-900;
        assert_within(sotto_gate_sampler_error_upper(made.gate), least,
                      least * (1.0 + 1e-14));
        open_gate_free(&made);
    }
}

static void a_failing_random_source_releases_nothing(void **state)
{
    (void)state;
    sotto_rng *rng = NULL;
    sotto_error error;
    sot_test_set_entropy(SOT_TEST_ENTROPY_FAILS);
    assert_refused(sotto_rng_new(&rng, &error), SOTTO_ENTROPY, &error, NULL);
    sot_test_set_entropy(SOT_TEST_ENTROPY_REAL);
    for (int kind = 0; kind < ADDITIVE_KINDS; kind++) {
        sotto_event event;
        const int64_t exact[] = {3, 4};
        int64_t out[] = {77, 78};
        assert_ok(additive_event(&mechanisms[kind], &event, &error), &error);
        open_gate made = open_gate_new(&event, 1, SOTTO_ADD_REMOVE, 1);
        made.rng->failed = true; /* as after a fork without entropy */
        assert_refused(
            additive_release(made.gate, &mechanisms[kind], exact, 2, out, &error),
            SOTTO_ENTROPY, &error, NULL);
        assert_int_equal(out[0], 77);
        assert_int_equal(out[1], 78);
        open_gate_free(&made);
    }
}

static void releases_survive_every_failing_allocation(void **state)
{
    (void)state;
    for (int kind = 0; kind < ADDITIVE_KINDS; kind++) {
        size_t failed = 0;
        for (size_t nth = 1; nth < 20; nth++) {
            sotto_error error;
            sotto_event event;
            const int64_t exact[] = {3, 4};
            int64_t out[] = {77, 78};
            assert_ok(additive_event(&mechanisms[kind], &event, &error), &error);
            open_gate made = open_gate_new(&event, 1, SOTTO_ADD_REMOVE, 1);
            (void)sot_test_fail_allocation(nth);
            const sotto_status status =
                additive_release(made.gate, &mechanisms[kind], exact, 2, out, &error);
            (void)sot_test_fail_allocation(0);
            open_gate_free(&made);
            if (status == SOTTO_OK) break;
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
            assert_int_equal(out[0], 77);
            assert_int_equal(out[1], 78);
            failed++;
        }
        assert_in_range(failed, 1, 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gaussian_event_claims_no_more_noise_than_there_is),
        cmocka_unit_test(a_discrete_gaussian_costs_its_zcdp),
        cmocka_unit_test(a_laplace_event_states_the_scale_that_is_drawn),
        cmocka_unit_test(a_scale_for_an_epsilon_costs_at_most_that),
        cmocka_unit_test(gaussian_settings_out_of_range_are_refused),
        cmocka_unit_test(laplace_settings_out_of_range_are_refused),
        cmocka_unit_test(grid_purpose_and_adjacency_are_asked_for),
        cmocka_unit_test(a_release_needs_values),
        cmocka_unit_test(the_same_seed_gives_the_same_release),
        cmocka_unit_test(results_are_cut_at_the_ends),
        cmocka_unit_test(sampler_errors_are_recorded),
        cmocka_unit_test(a_failing_random_source_releases_nothing),
        cmocka_unit_test(releases_survive_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
