/* Output perturbation: its facts and events, calibration, refusals, the law of what it releases. */
#include "random/statistics.h"

#include "base/memory.h"
#include "privacy/mechanisms/correction/correction.h"
#include "privacy/mechanisms/toy_gate.h"
#include "random/rng.h"

/* ---- facts ---- */

static void the_sensitivity_counts_solver_and_grid(void **state)
{
    (void)state;
    sotto_error error;
    sot_output_facts facts;
    sot_output_config config = toy_output_config(&gaussian, 2, 3);
    assert_ok(sot_output_derive(&config, &facts, &error), &error);
    /* 0.8 2^-20 / sqrt(2), down to a power of two */
    assert_true(facts.grid == 0x1p-21);
    const double solver = 2.0 * 1e-3 / 1.25 + sqrt(2.0) * facts.grid;
    assert_within(facts.solver_units * facts.grid, solver * (1.0 - 1e-14),
                  solver * (1.0 + 1e-14));
    assert_within(facts.sensitivity_units * facts.grid, (0.8 + solver) * (1.0 - 1e-14),
                  (0.8 + solver) * (1.0 + 1e-14));
    assert_int_equal(facts.event_count, 1);
    assert_int_equal(facts.events[0].mechanism, SOTTO_GAUSSIAN);
    assert_true(facts.events[0].scale == 3.5);
    const double multiplier = 3.5 / (0.8 + solver);
    assert_within(facts.events[0].noise_multiplier, multiplier * (1.0 - 1e-14),
                  multiplier * (1.0 + 1e-14));
    double grid = 0.0;
    assert_ok(sot_output_grid(&config, &grid, &error), &error);
    assert_true(grid == facts.grid);
}

static void pure_noise_leaves_its_rounding_to_a_second_event(void **state)
{
    (void)state;
    sotto_error error;
    sot_output_facts facts;
    const sot_output_config config = toy_output_config(&pure, 2, 3);
    assert_ok(sot_output_derive(&config, &facts, &error), &error);
    assert_int_equal(facts.event_count, 2);
    assert_int_equal(facts.events[0].mechanism, SOTTO_PURE);
    assert_true(facts.events[0].epsilon == 0.75);
    assert_string_equal(facts.events[0].purpose, "coefficients");
    assert_string_equal(facts.events[1].purpose, "coefficients: solver");
    /* |v - v*| <= sqrt(2) grid / 2 + scale (2 + sqrt(2774) + 694) 2^-48 */
    const double rounding = sqrt(2.0) * facts.grid / 2.0;
    assert_within(facts.noise_error, rounding, rounding + 800.0 * 0x1p-48);
    const double radius = 1e-3 / 1.25 + facts.noise_error;
    const double units = floor(sqrt(2.0) * (2.0 * radius / facts.grid + sqrt(2.0)));
    assert_int_equal(facts.events[1].mechanism, SOTTO_DISCRETE_LAPLACE);
    assert_true(facts.events[1].sensitivity == units * facts.grid);
    const double epsilon = 0.75 * 0x1p-10;
    assert_within(facts.events[1].sensitivity / facts.events[1].scale,
                  epsilon * (1.0 - 1e-11), epsilon);
}

/* ---- calibration ---- */

static double epsilon_of(const sot_output_config *config, double delta)
{
    sotto_error error;
    sotto_plan *plan = NULL;
    sotto_account account;
    assert_ok(sotto_plan_new(config->adjacency, &plan, &error), &error);
    assert_ok(sot_output_plan(config, plan, &error), &error);
    assert_ok(sotto_account_epsilon_inexact(plan, SOTTO_EXACT, delta, 0x1p-890, &account,
                                            &error),
              &error);
    sotto_plan_free(plan);
    return account.epsilon;
}

static void calibration_meets_its_target_and_wastes_little(void **state)
{
    (void)state;
    sotto_error error;
    for (int i = 0; i < 8; i++) {
        const double epsilon = i % 2 == 0 ? 0.1 : 1.0;
        const double delta = i / 2 % 2 == 0 ? 1e-6 : 0.0;
        toy_settings settings = gaussian;
        settings.adjacency = i / 4 == 0 ? SOTTO_ADD_REMOVE : SOTTO_REPLACE_ONE;
        sot_output_config config = toy_output_config(&settings, 105, 3);
        config.tau = 1e-8;
        config.sigma = SOTTO_UNSET;
        config.correction_share = 0x1p-10;
        assert_ok(sot_output_calibrate(&config, epsilon, delta, &error), &error);
        const double found =
            epsilon_of(&config, delta > 0.0 ? delta : SOT_OBJECTIVE_PURE_DELTA);
        assert_within(found, epsilon * (1.0 - 1e-5), epsilon);
        if (delta == 0.0) continue;
        /* The analytic Gaussian mechanism (Balle & Wang, ICML 2018), in 40-digit arithmetic. */
        const double sigma = epsilon < 0.5 ? 36.3046904262 : 4.224678889327;
        assert_relative(config.sigma / config.sensitivity, sigma, 4e-6);
        assert_true(config.sigma > config.sensitivity * sigma);
        assert_true(isnan(config.epsilon) && isnan(config.correction_share));
    }
}

static void every_ordinary_setting_has_its_grids(void **state)
{
    (void)state;
    sotto_error error;
    const size_t dimensions[] = {1, 105, 20000, 1 << 20};
    const double epsilons[] = {0.01, 1.0, 20.0}, lambdas[] = {0.01, 1.0, 1e6};
    for (int i = 0; i < 4 * 3 * 3 * 2; i++) {
        sot_output_config config = toy_output_config(&gaussian, dimensions[i % 4], 3);
        config.lambda = lambdas[i / 12 % 3];
        config.sensitivity = 1.0 / config.lambda;
        config.tau = 1e-8;
        config.correction_share = 0x1p-10;
        const double epsilon = epsilons[i / 4 % 3], delta = i / 36 == 0 ? 1e-9 : 0.0;
        assert_ok(sot_output_calibrate(&config, epsilon, delta, &error), &error);
        sot_output_facts facts;
        assert_ok(sot_output_derive(&config, &facts, &error), &error);
        assert_true(facts.solver_units < 2e-3 * facts.sensitivity_units);
        assert_true(facts.grid * (double)SOT_COEFFICIENT_UNITS_MAX >=
                    0x1p30 * config.sensitivity);
        if (delta > 0.0) continue;
        /* The second event's noise against a coordinate of the first's. */
        const double noise =
            sqrt((double)config.dimension) * config.sensitivity / config.epsilon;
        const double most = config.dimension > 1000000 && epsilon < 0.1 ? 0.7 : 0.01;
        assert_true(facts.events[1].scale < most * noise);
    }
}

static void an_unreachable_target_changes_nothing(void **state)
{
    (void)state;
    sotto_error error;
    sot_output_config config = toy_output_config(&pure, 2, 3);
    assert_refused(sot_output_calibrate(&config, -1.0, 1e-6, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "epsilon", NULL);
    assert_refused(sot_output_calibrate(&config, -1.0, 0.0, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "epsilon", NULL);
    assert_true(config.epsilon == 0.75 && isnan(config.sigma));
    for (size_t nth = 1; nth < 60; nth++) {
        sot_output_config filled = config;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sot_output_calibrate(&filled, 1.0, 1e-6, &error);
        (void)sot_test_fail_allocation(0);
        if (status == SOTTO_OK) {
            assert_true(nth > 2);
            return;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        assert_true(filled.epsilon == 0.75 && isnan(filled.sigma));
    }
    fail();
}

/* ---- refusals ---- */

static void settings_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sot_output_facts facts;
    const sot_output_config good = toy_output_config(&gaussian, 2, 3);
    const double bad[] = {SOTTO_UNSET, 0.0, -1.0, (double)INFINITY};
    for (size_t i = 0; i < 4; i++) {
        sot_output_config config = good;
        config.sensitivity = bad[i];
        assert_refused(sot_output_derive(&config, &facts, &error), SOTTO_INVALID_ARGUMENT,
                       &error, "sensitivity is", NULL);
        config = good;
        config.lambda = bad[i];
        assert_refused(sot_output_derive(&config, &facts, &error), SOTTO_INVALID_ARGUMENT,
                       &error, "lambda is", NULL);
        config = good;
        config.tau = bad[i];
        assert_refused(sot_output_derive(&config, &facts, &error), SOTTO_INVALID_ARGUMENT,
                       &error, "tau is", NULL);
        config = good;
        config.sigma = bad[i];
        assert_refused(sot_output_derive(&config, &facts, &error), SOTTO_INVALID_ARGUMENT,
                       &error, "sigma is", "epsilon", NULL);
    }
    sot_output_config config = good;
    config.epsilon = 1.0;
    assert_refused(sot_output_derive(&config, &facts, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "one of them", NULL);
    config = good;
    config.dimension = 0;
    assert_refused(sot_output_derive(&config, &facts, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "0 coefficients", NULL);
    config.dimension = (1 << 20) + 1;
    assert_refused(sot_output_derive(&config, &facts, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "1048577 coefficients", NULL);
    config = good;
    config.adjacency = SOTTO_ADJACENCY_UNSET;
    assert_refused(sot_output_derive(&config, &facts, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "adjacency", NULL);
    config = toy_output_config(&pure, 2, 3);
    config.adjacency = SOTTO_ADJACENCY_UNSET;
    assert_refused(sot_output_derive(&config, &facts, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "adjacency", NULL);
    config = toy_output_config(&pure, 2, 3);
    config.correction_share = 0.75;
    assert_refused(sot_output_derive(&config, &facts, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "correction_share", NULL);
    config = toy_output_config(&pure, 2, 3);
    config.purpose = "a purpose of more bytes than leave room for the rest";
    assert_refused(sot_output_derive(&config, &facts, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "purpose", NULL);
}

/* ---- releases ---- */

static toy_gate gate_for(const sot_output_config *config, uint64_t count, uint64_t seed)
{
    sotto_error error;
    sot_output_facts facts;
    assert_ok(sot_output_derive(config, &facts, &error), &error);
    return toy_gate_open(config->adjacency, facts.events, facts.event_count, count, seed);
}

static const double theta[] = {0.375, -1.25};

static void the_gate_and_the_release_agree_on_everything(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        sotto_error error;
        int64_t out[] = {77, 78};
        const sot_output_config planned =
            toy_output_config(kind == 0 ? &gaussian : &pure, 2, 3);
        toy_gate at = gate_for(&planned, 1, 1);
        sot_output_config config = planned;
        if (kind == 0) config.sigma *= 0.5;
        if (kind == 1) config.epsilon *= 2.0;
        assert_refused(sot_output_release(at.gate, &config, theta, out, &error),
                       SOTTO_NOT_IN_PLAN, &error, kind == 0 ? "scale" : "epsilon", NULL);
        config = planned;
        config.adjacency = SOTTO_REPLACE_ONE;
        assert_refused(sot_output_release(at.gate, &config, theta, out, &error),
                       SOTTO_NOT_IN_PLAN, &error, "replace-one", NULL);
        assert_int_equal(out[0], 77);
        assert_int_equal(out[1], 78);
        assert_ok(sot_output_release(at.gate, &planned, theta, out, &error), &error);
        assert_ok(sotto_gate_finish(at.gate, &error), &error);
        const double sampler = kind == 0 ? 2.0 * 0x1p-900 : 0x1p-900;
        assert_within(sotto_gate_sampler_error_upper(at.gate), sampler,
                      sampler * (1.0 + 1e-14));
        toy_gate_free(at);

        sotto_plan *plan = NULL;
        assert_ok(sotto_plan_new(SOTTO_REPLACE_ONE, &plan, &error), &error);
        assert_refused(sot_output_plan(&planned, plan, &error), SOTTO_INVALID_ARGUMENT,
                       &error, "replace-one", NULL);
        sotto_plan_free(plan);
    }
}

static void failures_release_nothing(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        sotto_error error;
        const sot_output_config config =
            toy_output_config(kind == 0 ? &gaussian : &pure, 2, 3);
        size_t failed = 0;
        for (size_t nth = 1; nth < 20; nth++) {
            int64_t out[] = {77, 78};
            toy_gate at = gate_for(&config, 1, 1);
            (void)sot_test_fail_allocation(nth);
            const sotto_status status =
                sot_output_release(at.gate, &config, theta, out, &error);
            (void)sot_test_fail_allocation(0);
            toy_gate_free(at);
            if (status == SOTTO_OK) break;
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
            assert_int_equal(out[0], 77);
            assert_int_equal(out[1], 78);
            failed++;
        }
        assert_in_range(failed, 2, 18);
        int64_t out[] = {77, 78};
        toy_gate at = gate_for(&config, 1, 1);
        at.rng->failed = true; /* as after a fork without entropy */
        assert_refused(sot_output_release(at.gate, &config, theta, out, &error),
                       SOTTO_ENTROPY, &error, NULL);
        assert_int_equal(out[0], 77);
        toy_gate_free(at);
    }
}

/* Chi-square of norm and direction of what was added; false-alarm rate 4 FALSE_ALARM. */
static void the_noise_has_its_law(void **state)
{
    (void)state;
    enum { CELLS = 24, DRAWS = 10000 };
    for (int kind = 0; kind < 2; kind++) {
        sotto_error error;
        sot_output_config config = toy_output_config(kind == 0 ? &gaussian : &pure, 2, 3);
        config.tau = 1e-8; /* the correction is far below the noise */
        double grid = 0.0;
        assert_ok(sot_output_grid(&config, &grid, &error), &error);
        double norms[CELLS] = {0}, angles[CELLS] = {0}, even[CELLS];
        for (size_t i = 0; i < CELLS; i++)
            even[i] = 1.0 / CELLS;
        const double rate = config.epsilon / config.sensitivity;
        toy_gate at = gate_for(&config, DRAWS, 5 + (uint64_t)kind);
        for (size_t i = 0; i < DRAWS; i++) {
            int64_t units[2];
            assert_ok(sot_output_release(at.gate, &config, theta, units, &error), &error);
            const double v[] = {(double)units[0] * grid - theta[0],
                                (double)units[1] * grid - theta[1]};
            const double norm = hypot(v[0], v[1]);
            const double tail = kind == 0 ? exp(-norm * norm / (2.0 * 3.5 * 3.5))
                                          : (1.0 + rate * norm) * exp(-rate * norm);
            const double turn = atan2(v[1], v[0]) / (2.0 * acos(-1.0)) + 0.5;
            norms[(size_t)fmin(CELLS - 1, floor(tail * CELLS))] += 1.0;
            angles[(size_t)fmin(CELLS - 1, floor(turn * CELLS))] += 1.0;
        }
        assert_ok(sotto_gate_finish(at.gate, &error), &error);
        toy_gate_free(at);
        assert_true(chi_square_p(norms, even, CELLS, DRAWS) > FALSE_ALARM);
        assert_true(chi_square_p(angles, even, CELLS, DRAWS) > FALSE_ALARM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sensitivity_counts_solver_and_grid),
        cmocka_unit_test(pure_noise_leaves_its_rounding_to_a_second_event),
        cmocka_unit_test(calibration_meets_its_target_and_wastes_little),
        cmocka_unit_test(every_ordinary_setting_has_its_grids),
        cmocka_unit_test(an_unreachable_target_changes_nothing),
        cmocka_unit_test(settings_that_do_not_fit_are_refused),
        cmocka_unit_test(the_gate_and_the_release_agree_on_everything),
        cmocka_unit_test(failures_release_nothing),
        cmocka_unit_test(the_noise_has_its_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
