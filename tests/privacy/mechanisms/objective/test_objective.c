/* Objective perturbation: its facts and events, its refusals, its failures. */
#include "support.h"

#include "base/memory.h"
#include "privacy/mechanisms/correction/correction.h"
#include "privacy/mechanisms/toy_gate.h"
#include "random/rng.h"

/* ---- facts ---- */

static void the_radius_counts_solver_and_noise(void **state)
{
    (void)state;
    sotto_error error;
    sot_objective_facts facts;
    const sot_objective_config config = toy_objective_config(&gaussian, 2);
    assert_ok(sot_objective_derive(&config, &facts, &error), &error);
    assert_true(facts.noise_grid == 0x1p-44); /* 2^2 >= 2.5, 46 bits below */
    assert_within(facts.noise_error, sqrt(2.0) * 0x1p-45,
                  sqrt(2.0) * 0x1p-45 * (1.0 + 1e-15));
    const double radius = (1e-3 + sqrt(2.0) * 0x1p-45) / 1.25;
    assert_within(facts.radius, radius * (1.0 - 1e-15), radius * (1.0 + 1e-15));
    /* An eighth of the radius over sqrt(2) is 7.07e-5; 2^-14 is below, 2^-13 above. */
    assert_true(facts.grid == 0x1p-14);
    double grid = 0.0;
    assert_ok(sot_objective_grid(&config, &grid, &error), &error);
    assert_true(grid == facts.grid);

    const sot_objective_config other = toy_objective_config(&pure, 2);
    assert_ok(sot_objective_derive(&other, &facts, &error), &error);
    /* scale 1/0.8, reach 1.25 (2 + sqrt(2774) + 694) = 936: 2^10 2^-49 */
    assert_true(facts.noise_grid == 0x1p-39);
    assert_within(facts.noise_error, sqrt(2.0) * 0x1p-40,
                  sqrt(2.0) * 0x1p-40 + 936.0 * 0x1p-48 * 1.01);
}

/* The claim of the second event is what the proof asks for, no more and no less. */
static void the_correction_covers_both_sides(void **state)
{
    (void)state;
    sotto_error error;
    sot_objective_facts facts;
    sot_objective_config config = toy_objective_config(&gaussian, 2);
    assert_ok(sot_objective_derive(&config, &facts, &error), &error);
    const sotto_event *second = &facts.events[1];
    const double sensitivity = 2.0 * facts.radius + sqrt(2.0) * facts.grid;
    assert_int_equal(second->mechanism, SOTTO_GAUSSIAN);
    assert_within(second->sensitivity, sensitivity * (1.0 - 1e-14),
                  sensitivity * (1.0 + 1e-14));
    /* mu = 2^-10 / 2.5 */
    assert_within(second->noise_multiplier, 2.5 * 1024.0, 2.5 * 1024.0 * (1.0 + 1e-11));
    assert_string_equal(facts.events[0].purpose, "coefficients");
    assert_string_equal(second->purpose, "coefficients: solver");
    assert_int_equal(facts.events[0].mechanism, SOTTO_OBJECTIVE_PERTURBATION);
    assert_true(facts.events[0].noise_multiplier == 2.5);

    config = toy_objective_config(&pure, 2);
    assert_ok(sot_objective_derive(&config, &facts, &error), &error);
    const double units =
        floor(sqrt(2.0) * (2.0 * facts.radius / facts.grid + sqrt(2.0)) * (1.0 + 1e-14));
    assert_int_equal(second->mechanism, SOTTO_DISCRETE_LAPLACE);
    assert_true(second->sensitivity == units * facts.grid);
    const double epsilon = facts.events[0].epsilon * 0x1p-10;
    assert_within(second->sensitivity / second->scale, epsilon * (1.0 - 1e-11),
                  epsilon * (1.0 + 1e-15));
    assert_int_equal(facts.events[0].mechanism, SOTTO_PURE);
}

static void replace_one_and_larger_units_cost_more(void **state)
{
    (void)state;
    sotto_error error;
    sot_objective_facts facts;
    toy_settings settings = gaussian;
    settings.adjacency = SOTTO_REPLACE_ONE;
    settings.unit_rows = 3;
    sot_objective_config config = toy_objective_config(&settings, 2);
    assert_ok(sot_objective_derive(&config, &facts, &error), &error);
    assert_within(facts.events[0].noise_multiplier, 2.5 / 6.0 * (1.0 - 1e-15), 2.5 / 6.0);
    settings.is_pure = true;
    config = toy_objective_config(&settings, 2);
    assert_ok(sot_objective_derive(&config, &facts, &error), &error);
    /* rho = 0.8 = e: the maximum over s is at 1, m = e; 3 (e + m) */
    assert_within(facts.events[0].epsilon, 4.8, 4.8 * (1.0 + 1e-14));
}

static void a_fine_tau_does_not_shrink_the_box(void **state)
{
    (void)state;
    sotto_error error;
    sot_objective_facts facts;
    sot_objective_config config = toy_objective_config(&gaussian, 2);
    config.tau = 1e-15;
    assert_ok(sot_objective_derive(&config, &facts, &error), &error);
    assert_true(facts.grid == 0x1p-29); /* R/lambda 2^-29, up to a power of two */
    assert_true(facts.grid * (double)SOT_COEFFICIENT_UNITS_MAX >= 0x1p32 / 1.25);
}

/* What sot_objective_calibrate() promises for both events holds for these two. */
static void a_calibrated_plan_stays_within_its_target(void **state)
{
    (void)state;
    sotto_error error;
    for (int i = 0; i < 16; i++) {
        const double epsilon = i % 4 < 2 ? 0.1 : 1.0;
        const double delta = i % 2 == 0 ? 1e-6 : 0.0;
        sot_objective_config config = toy_objective_config(&gaussian, 105);
        config.tau = 1e-8;
        config.law.adjacency = i / 8 == 0 ? SOTTO_ADD_REMOVE : SOTTO_REPLACE_ONE;
        config.law.unit_rows = i / 4 % 2 == 0 ? 1 : 2;
        config.law.sigma = SOTTO_UNSET;
        assert_ok(sot_objective_least_lambda(&config.law, epsilon, delta,
                                             &config.law.lambda, &error),
                  &error);
        assert_ok(sot_objective_calibrate(&config.law, epsilon, delta,
                                          config.correction_share, &error),
                  &error);
        sotto_plan *plan = NULL;
        sotto_account account;
        assert_ok(sotto_plan_new(config.law.adjacency, &plan, &error), &error);
        assert_ok(sot_objective_plan(&config, plan, &error), &error);
        const double room = delta > 0.0 ? delta : SOT_OBJECTIVE_PURE_DELTA;
        const double sampler = ldexp(210.0, -900);
        assert_ok(sotto_account_epsilon_inexact(plan, SOTTO_EXACT, room, sampler,
                                                &account, &error),
                  &error);
        assert_within(account.epsilon, 0.99 * epsilon, epsilon);
        sotto_plan_free(plan);
    }
}

/* Losses with two signs, softmax, and any smooth loss: the same promise. */
static void plans_for_other_losses_stay_within_their_target(void **state)
{
    (void)state;
    sotto_error error;
    for (int i = 0; i < 12; i++) {
        const double epsilon = 1.0, delta = i % 2 == 0 ? 1e-6 : 0.0;
        sot_objective_config config = toy_objective_config(&gaussian, 30);
        config.tau = 1e-8;
        config.law.theorem = i < 8 ? SOT_OBJECTIVE_VERTICES : SOT_OBJECTIVE_GENERAL;
        config.law.adjacency = i / 2 % 2 == 0 ? SOTTO_ADD_REMOVE : SOTTO_REPLACE_ONE;
        config.law.smoothness = 0.5;
        config.law.classes = i / 4 == 1 ? 3 : 0;
        config.law.rank = i / 4 == 1 ? 2 : 1;
        config.law.dimension = 30;
        config.law.sigma = SOTTO_UNSET;
        assert_ok(sot_objective_least_lambda(&config.law, epsilon, delta,
                                             &config.law.lambda, &error),
                  &error);
        assert_ok(sot_objective_calibrate(&config.law, epsilon, delta,
                                          config.correction_share, &error),
                  &error);
        sotto_plan *plan = NULL;
        sotto_account account;
        assert_ok(sotto_plan_new(config.law.adjacency, &plan, &error), &error);
        assert_ok(sot_objective_plan(&config, plan, &error), &error);
        assert_ok(sotto_account_epsilon_inexact(
                      plan, SOTTO_EXACT, delta > 0.0 ? delta : SOT_OBJECTIVE_PURE_DELTA,
                      ldexp(60.0, -900), &account, &error),
                  &error);
        assert_within(account.epsilon, 0.98 * epsilon, epsilon);
        sotto_plan_free(plan);
    }
}

/* From small models to the largest, weak to strong noise: the grids always fit, and what is added
 * for the solver stays far below what the theorem asks for. */
static void every_ordinary_setting_has_its_grids(void **state)
{
    (void)state;
    sotto_error error;
    const size_t dimensions[] = {1, 105, 20000, 1 << 20};
    const double epsilons[] = {0.01, 1.0, 20.0}, bounds[] = {0.01, 1.0, 300.0};
    for (int i = 0; i < 4 * 3 * 3 * 2; i++) {
        const size_t dimension = dimensions[i % 4];
        const double epsilon = epsilons[i / 4 % 3], bound = bounds[i / 12 % 3];
        const double delta = i / 36 == 0 ? 1e-9 : 0.0;
        sot_objective_config config = toy_objective_config(&gaussian, dimension);
        config.tau = 1e-8 * bound;
        config.law.record_bound = bound;
        config.law.smoothness = bound * bound / 4.0;
        config.law.sigma = SOTTO_UNSET;
        assert_ok(sot_objective_least_lambda(&config.law, epsilon, delta,
                                             &config.law.lambda, &error),
                  &error);
        assert_ok(sot_objective_calibrate(&config.law, epsilon, delta, 0x1p-10, &error),
                  &error);
        sot_objective_facts facts;
        assert_ok(sot_objective_derive(&config, &facts, &error), &error);
        /* A coordinate of theta moves by sigma/lambda, or sqrt(d) s/lambda, because of b. */
        const double d = (double)dimension;
        const double noise =
            (delta > 0.0 ? config.law.sigma : sqrt(d) * bound / config.law.rate) /
            config.law.lambda;
        /* A million coefficients under pure noise of norm 10^8 are beyond doubles' reach. */
        const double most = d > 1e6 && delta == 0.0 && epsilon < 0.1 ? 0.7 : 0.01;
        assert_true(facts.events[1].scale < most * noise);
        assert_true(facts.grid * (double)SOT_COEFFICIENT_UNITS_MAX >=
                    0x1p32 * bound / config.law.lambda);
    }
}

/* ---- refusals ---- */

static void settings_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sot_objective_facts facts;
    const sot_objective_config good = toy_objective_config(&gaussian, 2);
    const size_t bad_dimensions[] = {0, (1 << 20) + 1};
    const double bad_taus[] = {SOTTO_UNSET, 0.0, -1e-8, (double)INFINITY};
    const double bad_shares[] = {SOTTO_UNSET, 0.0, 0.6, 1e-9, -1.0};
    for (size_t i = 0; i < 2; i++) {
        sot_objective_config config = good;
        config.dimension = bad_dimensions[i];
        assert_refused(sot_objective_derive(&config, &facts, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "coefficients", "1048576", NULL);
    }
    for (size_t i = 0; i < 4; i++) {
        sot_objective_config config = good;
        config.tau = bad_taus[i];
        assert_refused(sot_objective_derive(&config, &facts, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "tau", NULL);
    }
    for (size_t i = 0; i < 5; i++) {
        sot_objective_config config = good;
        config.correction_share = bad_shares[i];
        assert_refused(sot_objective_derive(&config, &facts, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "correction_share", NULL);
    }
    sot_objective_config config = good;
    config.law.rate = 1.0;
    assert_refused(sot_objective_derive(&config, &facts, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "sigma", "rate", "one of them", NULL);
    config = good;
    config.law.lambda = 0.0;
    assert_refused(sot_objective_derive(&config, &facts, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "lambda", NULL);
    config = good;
    config.law.unit_rows = 0;
    assert_refused(sot_objective_derive(&config, &facts, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "unit", NULL);
}

static void purposes_leave_room_for_the_second_event(void **state)
{
    (void)state;
    sotto_error error;
    sot_objective_facts facts;
    sot_objective_config config = toy_objective_config(&gaussian, 2);
    config.purpose = "a purpose of thirty-nine bytes, exactly";
    assert_int_equal(strlen(config.purpose), 39);
    assert_ok(sot_objective_derive(&config, &facts, &error), &error);
    assert_string_equal(facts.events[1].purpose,
                        "a purpose of thirty-nine bytes, exactly: solver");
    const char *const bad[] = {NULL, "", "a purpose of forty bytes, that is one more"};
    for (size_t i = 0; i < 3; i++) {
        config.purpose = bad[i];
        assert_refused(sot_objective_derive(&config, &facts, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "purpose", NULL);
    }
    config.purpose = "line\nbreak";
    assert_refused(sot_objective_derive(&config, &facts, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "purpose", NULL);
}

/* ---- releases ---- */

static void the_gate_and_the_release_agree_on_everything(void **state)
{
    (void)state;
    sotto_error error;
    int64_t out[] = {77, 78};
    const sot_objective_config planned = toy_objective_config(&gaussian, 2);
    toy made = toy_of(&planned);
    const sot_objective_problem problem = toy_problem(&made);
    toy_gate at = toy_gate_new(&planned, 1, 1);

    sot_objective_config config = planned;
    config.law.sigma = 2.0; /* less noise than planned */
    assert_refused(sot_objective_release(at.gate, &config, &problem, out, &error),
                   SOTTO_NOT_IN_PLAN, &error, "noise_multiplier", NULL);
    config = planned;
    config.law.lambda = 0.25; /* another determinant */
    assert_refused(sot_objective_release(at.gate, &config, &problem, out, &error),
                   SOTTO_NOT_IN_PLAN, &error, "atom", NULL);
    config = planned;
    config.law.adjacency = SOTTO_REPLACE_ONE;
    assert_refused(sot_objective_release(at.gate, &config, &problem, out, &error),
                   SOTTO_NOT_IN_PLAN, &error, "replace-one", "add-remove", NULL);
    assert_int_equal(made.solved, 0); /* refused before anything is drawn or solved */
    assert_int_equal(out[0], 77);

    assert_ok(sot_objective_release(at.gate, &planned, &problem, out, &error), &error);
    assert_ok(sotto_gate_finish(at.gate, &error), &error);
    assert_int_equal(made.solved, 1);
    /* d draws for b and d for the correction */
    assert_within(sotto_gate_sampler_error_upper(at.gate), 4.0 * 0x1p-900,
                  4.0 * 0x1p-900 * (1.0 + 1e-14));
    toy_gate_free(at);
}

static void a_plan_for_other_neighbours_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_plan *plan = NULL;
    const sot_objective_config config = toy_objective_config(&gaussian, 2);
    assert_ok(sotto_plan_new(SOTTO_REPLACE_ONE, &plan, &error), &error);
    assert_refused(sot_objective_plan(&config, plan, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "add-remove", "replace-one", NULL);
    assert_int_equal(sotto_plan_size(plan), 0);
    sotto_plan_free(plan);
}

/* The second release is wider than planned: the first has happened, nothing leaves. */
static void a_looser_solver_than_planned_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    int64_t out[] = {77, 78};
    const sot_objective_config planned = toy_objective_config(&gaussian, 2);
    sot_objective_config config = planned;
    config.tau *= 1.5;
    toy made = toy_of(&config);
    const sot_objective_problem problem = toy_problem(&made);
    toy_gate at = toy_gate_new(&planned, 1, 1);
    assert_refused(sot_objective_release(at.gate, &config, &problem, out, &error),
                   SOTTO_NOT_IN_PLAN, &error, "coefficients: solver", NULL);
    assert_int_equal(out[0], 77);
    assert_refused(sotto_gate_finish(at.gate, &error), SOTTO_NOT_IN_PLAN, &error, NULL);
    toy_gate_free(at);
}

static sotto_status out_of_memory(void *context, const double *b, double *out_theta,
                                  sotto_error *error)
{
    (void)context, (void)b, (void)out_theta, (void)error;
    return SOTTO_OUT_OF_MEMORY;
}

static void failures_release_nothing(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        sotto_error error;
        const sot_objective_config config =
            toy_objective_config(kind == 0 ? &gaussian : &pure, 2);
        toy made = toy_of(&config);
        sot_objective_problem problem = toy_problem(&made);
        size_t failed = 0;
        for (size_t nth = 1; nth < 20; nth++) {
            int64_t out[] = {77, 78};
            toy_gate at = toy_gate_new(&config, 1, 1);
            (void)sot_test_fail_allocation(nth);
            const sotto_status status =
                sot_objective_release(at.gate, &config, &problem, out, &error);
            (void)sot_test_fail_allocation(0);
            toy_gate_free(at);
            if (status == SOTTO_OK) break;
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
            assert_int_equal(out[0], 77);
            assert_int_equal(out[1], 78);
            failed++;
        }
        assert_in_range(failed, 5, 18);

        int64_t out[] = {77, 78};
        toy_gate at = toy_gate_new(&config, 2, 1);
        at.rng->failed = true; /* as after a fork without entropy */
        assert_refused(sot_objective_release(at.gate, &config, &problem, out, &error),
                       SOTTO_ENTROPY, &error, NULL);
        at.rng->failed = false;
        problem.solve = out_of_memory;
        assert_int_equal(sot_objective_release(at.gate, &config, &problem, out, &error),
                         SOTTO_OUT_OF_MEMORY);
        assert_int_equal(out[0], 77);
        assert_int_equal(out[1], 78);
        toy_gate_free(at);
    }
}

static void the_same_seed_gives_the_same_coefficients(void **state)
{
    (void)state;
    sotto_error error;
    const sot_objective_config config = toy_objective_config(&pure, 2);
    toy made = toy_of(&config);
    const sot_objective_problem problem = toy_problem(&made);
    int64_t out[3][2];
    for (size_t i = 0; i < 3; i++) {
        toy_gate at = toy_gate_new(&config, 1, i / 2);
        assert_ok(sot_objective_release(at.gate, &config, &problem, out[i], &error),
                  &error);
        toy_gate_free(at);
    }
    assert_memory_equal(out[0], out[1], sizeof out[0]);
    assert_memory_not_equal(out[0], out[2], sizeof out[0]);
}

static void coefficients_are_cut_to_the_box_and_rounded(void **state)
{
    (void)state;
    const double theta[] = {0.75, -0.25, 0.125, 1e300, -(double)INFINITY, (double)NAN};
    int64_t units[6];
    sot_coefficients_round(theta, 6, 0.25, units);
    const int64_t expected[] = {
        3, -1, 0, SOT_COEFFICIENT_UNITS_MAX, -SOT_COEFFICIENT_UNITS_MAX, 0};
    assert_memory_equal(units, expected, sizeof units);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_radius_counts_solver_and_noise),
        cmocka_unit_test(the_correction_covers_both_sides),
        cmocka_unit_test(replace_one_and_larger_units_cost_more),
        cmocka_unit_test(a_fine_tau_does_not_shrink_the_box),
        cmocka_unit_test(a_calibrated_plan_stays_within_its_target),
        cmocka_unit_test(plans_for_other_losses_stay_within_their_target),
        cmocka_unit_test(every_ordinary_setting_has_its_grids),
        cmocka_unit_test(settings_that_do_not_fit_are_refused),
        cmocka_unit_test(purposes_leave_room_for_the_second_event),
        cmocka_unit_test(the_gate_and_the_release_agree_on_everything),
        cmocka_unit_test(a_plan_for_other_neighbours_is_refused),
        cmocka_unit_test(a_looser_solver_than_planned_is_refused),
        cmocka_unit_test(failures_release_nothing),
        cmocka_unit_test(the_same_seed_gives_the_same_coefficients),
        cmocka_unit_test(coefficients_are_cut_to_the_box_and_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
