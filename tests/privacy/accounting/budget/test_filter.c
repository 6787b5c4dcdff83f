/* Filters never let through more than their budget, and the odometer is never behind. The
 * values of filter-01 and filter-02 are those of tests/vectors/accounting.json (mpmath, 50
 * digits). */
#include "privacy/accounting/plans.h"

#include <sotto/filter.h>

#include "base/memory.h"

static sotto_filter *new_filter(sotto_filter_kind kind, double epsilon, double delta)
{
    sotto_error error;
    sotto_filter *filter;
    sotto_filter_config config = sotto_filter_defaults();
    config.kind = kind;
    config.adjacency = SOTTO_ADD_REMOVE;
    config.epsilon = epsilon;
    config.delta = delta;
    assert_ok(sotto_filter_new(&config, &filter, &error), &error);
    return filter;
}

/* How many times the filter takes the plan, which is freed. */
static uint64_t fill(sotto_filter *filter, sotto_plan *plan)
{
    sotto_error error;
    sotto_status status;
    while ((status = sotto_filter_charge(filter, plan, &error)) == SOTTO_OK)
        assert_true(sotto_filter_get_state(filter).charged < 100000);
    assert_refused(status, SOTTO_BUDGET_EXCEEDED, &error, "left", NULL);
    sotto_plan_free(plan);
    return sotto_filter_get_state(filter).charged;
}

static void sums_of_squares_are_the_references(void **state)
{
    (void)state;
    assert_within(sotto_filter_epsilon_of_squares(0.5000000000000001, 1e-6),
                  3.96692218884984 * (1.0 - 1e-14), 3.96692218884984 * (1.0 + 1e-13));
    assert_within(sotto_filter_epsilon_of_squares(0.3925, 1e-5),
                  3.20251786730684 * (1.0 - 1e-14), 3.20251786730684 * (1.0 + 1e-13));
    assert_true(isnan(sotto_filter_epsilon_of_squares(-1.0, 1e-5)));
    assert_true(isnan(sotto_filter_epsilon_of_squares(1.0, 0.0)));
    assert_true(isnan(sotto_filter_epsilon_of_squares(1.0, 1.0)));
}

static void a_full_renyi_filter_is_within_its_guarantee(void **state)
{
    (void)state;
    sotto_filter *filter = new_filter(SOTTO_FILTER_RENYI, 2.375, 1e-6);
    const uint64_t runs = fill(filter, plan_of(gaussian(31.25, 1)));
    const sotto_filter_state full = sotto_filter_get_state(filter);
    assert_true(full.spent <= full.budget && full.left >= 0.0);
    assert_within(full.spent, 0.99 * full.budget, full.budget);
    assert_within(epsilon_of(plan_of(gaussian(31.25, runs)), SOTTO_RDP, 1e-6).epsilon,
                  2.3, 2.375);
    sotto_filter_free(filter);
}

/* For Gaussians a filter costs nothing: as many runs as a plan fixed in advance allows. */
static void the_gaussian_filter_lets_through_all_that_fits(void **state)
{
    (void)state;
    sotto_filter *filter = new_filter(SOTTO_FILTER_GAUSSIAN, 2.375, 1e-6);
    const uint64_t runs = fill(filter, plan_of(gaussian(31.25, 1)));
    assert_true(epsilon_of(plan_of(gaussian(31.25, runs)), SOTTO_EXACT, 1e-6).epsilon <=
                2.375);
    assert_true(
        epsilon_of(plan_of(gaussian(31.25, runs + 1)), SOTTO_EXACT, 1e-6).epsilon >
        2.375 * (1.0 - 1e-6));
    sotto_filter_free(filter);
}

static void the_pure_filter_sums_epsilons(void **state)
{
    (void)state;
    sotto_filter *filter = new_filter(SOTTO_FILTER_PURE, 1.0, 0.0);
    assert_int_equal(fill(filter, plan_of(pure(0.0625, 3))), 5);
    assert_within(sotto_filter_get_state(filter).spent, 0.9375, 0.9375 * (1.0 + 1e-14));
    sotto_filter_free(filter);
}

static void a_refused_plan_costs_nothing_and_a_cheaper_one_may_fit(void **state)
{
    (void)state;
    sotto_error error;
    sotto_filter *filter = new_filter(SOTTO_FILTER_RENYI, 1.125, 1e-6);
    sotto_plan *dear = plan_of(gaussian(0.5, 1)), *cheap = plan_of(gaussian(50.0, 1));
    assert_ok(sotto_filter_charge(filter, cheap, &error), &error);
    const sotto_filter_state before = sotto_filter_get_state(filter);
    assert_refused(sotto_filter_charge(filter, dear, &error), SOTTO_BUDGET_EXCEEDED,
                   &error, "costs", NULL);
    const sotto_filter_state after = sotto_filter_get_state(filter);
    assert_true(after.spent == before.spent && after.charged == 1);
    assert_ok(sotto_filter_charge(filter, cheap, &error), &error);
    sotto_plan_free(dear);
    sotto_plan_free(cheap);
    sotto_filter_free(filter);
}

static void own_deltas_are_paid_from_what_was_set_aside(void **state)
{
    (void)state;
    sotto_error error;
    sotto_filter *filter;
    sotto_filter_config config = sotto_filter_defaults();
    config.kind = SOTTO_FILTER_RENYI;
    config.adjacency = SOTTO_ADD_REMOVE;
    config.epsilon = 2.0;
    config.delta = 1e-6;
    config.own_delta = 2.5e-7;
    sotto_plan *plan = plan_of(approximate(0.01, 1e-7, 1));
    assert_ok(sotto_filter_new(&config, &filter, &error), &error);
    assert_ok(sotto_filter_charge(filter, plan, &error), &error);
    assert_ok(sotto_filter_charge(filter, plan, &error), &error);
    assert_refused(sotto_filter_charge(filter, plan, &error), SOTTO_BUDGET_EXCEEDED,
                   &error, "own deltas", NULL);
    assert_int_equal(sotto_filter_get_state(filter).charged, 2);
    sotto_filter_free(filter);
    filter = new_filter(SOTTO_FILTER_RENYI, 2.0, 1e-6); /* nothing set aside */
    assert_refused(sotto_filter_charge(filter, plan, &error), SOTTO_BUDGET_EXCEEDED,
                   &error, "own_delta", NULL);
    sotto_filter_free(filter);
    sotto_plan_free(plan);
}

static void plans_that_a_filter_cannot_price_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_filter *gaussian_only = new_filter(SOTTO_FILTER_GAUSSIAN, 2.0, 1e-6);
    sotto_filter *pure_only = new_filter(SOTTO_FILTER_PURE, 2.0, 0.0);
    sotto_plan *noise = plan_of(sampled(0.01, 1.1, 10)), *other;
    assert_refused(sotto_filter_charge(gaussian_only, noise, &error), SOTTO_UNSUPPORTED,
                   &error, "Renyi", NULL);
    assert_refused(sotto_filter_charge(pure_only, noise, &error), SOTTO_UNSUPPORTED,
                   &error, "pure", NULL);
    const sotto_event event = gaussian(2.0, 1);
    assert_ok(sotto_plan_new(SOTTO_REPLACE_ONE, &other, &error), &error);
    assert_ok(sotto_plan_add(other, &event, &error), &error);
    assert_refused(sotto_filter_charge(gaussian_only, other, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "replace-one", "add-remove", NULL);
    sotto_plan_free(noise);
    sotto_plan_free(other);
    sotto_filter_free(gaussian_only);
    sotto_filter_free(pure_only);
}

static void refuse(sotto_filter_config config, sotto_status status, const char *word)
{
    sotto_error error;
    sotto_filter *filter;
    assert_refused(sotto_filter_new(&config, &filter, &error), status, &error, word,
                   NULL);
}

static void bad_configurations_are_refused(void **state)
{
    (void)state;
    sotto_filter_config good = sotto_filter_defaults(), config;
    good.kind = SOTTO_FILTER_RENYI;
    good.adjacency = SOTTO_ADD_REMOVE;
    good.epsilon = 1.5;
    good.delta = 1e-6;
#define REFUSED(field, value, status, word)                                              \
    do {                                                                                 \
        config = good;                                                                   \
        config.field = value;                                                            \
        refuse(config, status, word);                                                    \
    } while (0)
    REFUSED(kind, SOTTO_FILTER_UNSET, SOTTO_INVALID_ARGUMENT, "kind");
    REFUSED(adjacency, SOTTO_ADJACENCY_UNSET, SOTTO_INVALID_ARGUMENT, "adjacency");
    REFUSED(epsilon, SOTTO_UNSET, SOTTO_INVALID_ARGUMENT, "epsilon");
    REFUSED(epsilon, 0.0, SOTTO_INVALID_ARGUMENT, "epsilon");
    REFUSED(epsilon, 2e6, SOTTO_INVALID_ARGUMENT, "epsilon");
    REFUSED(delta, SOTTO_UNSET, SOTTO_INVALID_ARGUMENT, "delta");
    REFUSED(delta, 0.0, SOTTO_INVALID_ARGUMENT, "delta");
    REFUSED(own_delta, 1e-6, SOTTO_INVALID_ARGUMENT, "own_delta");
    REFUSED(own_delta, SOTTO_UNSET, SOTTO_INVALID_ARGUMENT, "own_delta");
    REFUSED(order, 1.0, SOTTO_INVALID_ARGUMENT, "order");
    REFUSED(order, 1.5, SOTTO_UNREACHABLE, "no budget");
    REFUSED(kind, SOTTO_FILTER_PURE, SOTTO_INVALID_ARGUMENT, "pure");
    good.kind = SOTTO_FILTER_GAUSSIAN;
    REFUSED(order, 8.0, SOTTO_INVALID_ARGUMENT, "order");
    REFUSED(own_delta, 1e-7, SOTTO_INVALID_ARGUMENT, "own_delta");
#undef REFUSED
}

/* --- the odometer --- */

static sotto_odometer *new_odometer(double delta, double own_delta)
{
    sotto_error error;
    sotto_odometer *odometer;
    assert_ok(sotto_odometer_new(SOTTO_ADD_REMOVE, delta, own_delta, &odometer, &error),
              &error);
    return odometer;
}

static void note(sotto_odometer *odometer, sotto_plan *plan)
{
    sotto_error error;
    assert_ok(sotto_odometer_charge(odometer, plan, &error), &error);
    sotto_plan_free(plan);
}

/* It holds at all times, so at a fixed one it is above the exact epsilon; and near it. */
static void the_odometer_is_above_the_exact_epsilon_and_near(void **state)
{
    (void)state;
    sotto_odometer *odometer = new_odometer(1e-6, 0.0);
    double before = 0.0;
    assert_true(sotto_odometer_epsilon(odometer) == 0.0);
    for (uint64_t runs = 1; runs <= 256; runs++) {
        note(odometer, plan_of(gaussian(12.5, 1)));
        const double reading = sotto_odometer_epsilon(odometer);
        assert_true(reading > before);
        before = reading;
        if ((runs & (runs - 1)) != 0) continue;
        const double exact =
            epsilon_of(plan_of(gaussian(12.5, runs)), SOTTO_EXACT, 1e-6).epsilon;
        assert_within(reading, exact, 1.55 * exact);
    }
    sotto_odometer_free(odometer);
}

static void the_odometer_does_not_depend_on_the_order_of_its_runs(void **state)
{
    (void)state;
    sotto_odometer *one = new_odometer(1e-5, 1e-6), *other = new_odometer(1e-5, 1e-6);
    note(one, plan_of(pure(0.25, 2)));
    note(one, plan_of(gaussian(3.5, 4)));
    note(one, plan_of(approximate(0.1, 1e-7, 1)));
    note(other, plan_of(approximate(0.1, 1e-7, 1)));
    note(other, plan_of(gaussian(3.5, 4)));
    note(other, plan_of(pure(0.25, 2)));
    assert_relative(sotto_odometer_epsilon(one), sotto_odometer_epsilon(other), 1e-11);
    sotto_odometer_free(one);
    sotto_odometer_free(other);
}

static uint64_t random_state = 51;

static double uniform(void) /* splitmix64 */
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2.0 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* An analyst who takes dear looks while the loss falls behind its reading, and cheap ones when
 * it is ahead. Of 2000 paths, delta = 0.1 allows 200 that ever pass the reading; a true rate of
 * 0.1 gives more than 260 with probability 1e-5. The seed is fixed. The reading less a third
 * is passed more often than 0.1: the attack has power. */
static void an_adaptive_analyst_does_not_outrun_the_odometer(void **state)
{
    (void)state;
    int passed = 0, passed_two_thirds = 0;
    for (int path = 0; path < 2000; path++) {
        sotto_odometer *odometer = new_odometer(0.1, 0.0);
        double loss = 0.0, reading = 0.0;
        int is_above = 0, is_above_two_thirds = 0;
        for (int step = 0; step < 24; step++) {
            const double sigma = loss > 0.5 * reading ? 4.0 : 1.25;
            note(odometer, plan_of(gaussian(sigma, 1)));
            loss += normal() / sigma + 0.5 / (sigma * sigma);
            reading = sotto_odometer_epsilon(odometer);
            is_above |= loss > reading;
            is_above_two_thirds |= loss > reading * (2.0 / 3.0);
        }
        passed += is_above;
        passed_two_thirds += is_above_two_thirds;
        sotto_odometer_free(odometer);
    }
    assert_within(passed, 1.0, 260.0);
    assert_true(passed_two_thirds > 200);
}

static void the_odometer_refuses_what_it_cannot_hold(void **state)
{
    (void)state;
    sotto_error error;
    sotto_odometer *odometer;
    assert_refused(
        sotto_odometer_new(SOTTO_ADJACENCY_UNSET, 1e-6, 0.0, &odometer, &error),
        SOTTO_INVALID_ARGUMENT, &error, "adjacency", NULL);
    assert_refused(sotto_odometer_new(SOTTO_ADD_REMOVE, 0.0, 0.0, &odometer, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "delta", NULL);
    assert_refused(sotto_odometer_new(SOTTO_ADD_REMOVE, 1e-6, 1e-6, &odometer, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "own_delta", NULL);
    odometer = new_odometer(1e-6, 0.0);
    sotto_plan *plan = plan_of(approximate(0.1, 1e-9, 1));
    assert_refused(sotto_odometer_charge(odometer, plan, &error), SOTTO_BUDGET_EXCEEDED,
                   &error, "own_delta", NULL);
    assert_true(sotto_odometer_epsilon(odometer) == 0.0);
    sotto_plan_free(plan);
    sotto_odometer_free(odometer);
}

static void every_failing_allocation_is_reported(void **state)
{
    (void)state;
    sotto_error error;
    sotto_filter *filter = new_filter(SOTTO_FILTER_GAUSSIAN, 2.0, 1e-6);
    sotto_odometer *odometer = new_odometer(1e-6, 0.0);
    sotto_plan *plan = plan_of(gaussian(20.0, 1));
    for (size_t n = 1;; n++) {
        (void)sot_test_fail_allocation(n);
        const sotto_status charged = sotto_odometer_charge(odometer, plan, &error);
        const size_t asked = sot_test_fail_allocation(0);
        if (asked < n) {
            assert_ok(charged, &error);
            break;
        }
        assert_int_equal(charged, SOTTO_OUT_OF_MEMORY);
        assert_true(sotto_odometer_epsilon(odometer) == 0.0); /* nothing was noted */
    }
    sotto_filter_config config = sotto_filter_defaults();
    config.kind = SOTTO_FILTER_RENYI;
    config.adjacency = SOTTO_ADD_REMOVE;
    config.epsilon = 1.0;
    config.delta = 1e-6;
    sotto_filter *none = NULL;
    (void)sot_test_fail_allocation(1);
    assert_int_equal(sotto_filter_new(&config, &none, &error), SOTTO_OUT_OF_MEMORY);
    (void)sot_test_fail_allocation(0);
    assert_null(none);
    sotto_plan_free(plan);
    sotto_odometer_free(odometer);
    sotto_filter_free(filter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_squares_are_the_references),
        cmocka_unit_test(a_full_renyi_filter_is_within_its_guarantee),
        cmocka_unit_test(the_gaussian_filter_lets_through_all_that_fits),
        cmocka_unit_test(the_pure_filter_sums_epsilons),
        cmocka_unit_test(a_refused_plan_costs_nothing_and_a_cheaper_one_may_fit),
        cmocka_unit_test(own_deltas_are_paid_from_what_was_set_aside),
        cmocka_unit_test(plans_that_a_filter_cannot_price_are_refused),
        cmocka_unit_test(bad_configurations_are_refused),
        cmocka_unit_test(the_odometer_is_above_the_exact_epsilon_and_near),
        cmocka_unit_test(the_odometer_does_not_depend_on_the_order_of_its_runs),
        cmocka_unit_test(an_adaptive_analyst_does_not_outrun_the_odometer),
        cmocka_unit_test(the_odometer_refuses_what_it_cannot_hold),
        cmocka_unit_test(every_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
