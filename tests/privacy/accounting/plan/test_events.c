/* Plans of events with laws of their own: order, symmetry, copies, far ends, and what each field means. */
#include "privacy/accounting/laws.h"

#include "base/memory.h"
#include "privacy/accounting/plan/composition.h"

static sotto_plan *replaced(sotto_event event)
{
    return plan_under(SOTTO_REPLACE_ONE, event);
}

static double exact_epsilon(sotto_plan *plan, double delta)
{
    return epsilon_of(plan, SOTTO_EXACT, delta).epsilon;
}

/* One event of every kind, `count` times, with the noise (or the smallness of epsilon) `noise`. */
enum { KINDS = 8 };
static sotto_event kind_of(int kind, double noise, double rate, uint64_t count)
{
    sotto_event coins = sampled(rate, noise, count);
    switch (kind) {
    case 0:
        return laplace(noise, count);
    case 1:
        return exponential(1.0 / noise, count);
    case 2:
        return discrete_laplace(4.0 * noise, 4.0, count);
    case 3:
        return discrete_gaussian(noise, 1.0, count);
    case 4:
        return response(1.0 / noise, 5, count);
    case 5:
        return batch(noise, (uint64_t)(1000.0 * rate), 1000, count);
    case 6:
        return coins;
    default:
        coins = batch(noise, 0, 1 + (uint64_t)(1.0 / rate), count);
        coins.sampling = SOTTO_SINGLE_RECORD;
        return coins;
    }
}

static void exact_is_at_most_renyi_and_the_sum(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        for (uint64_t count = 1; count < 3000; count *= 50) {
            const sotto_event event = kind_of(kind, 2.5, 0.02, count);
            const sotto_account exact = epsilon_of(replaced(event), SOTTO_EXACT, 1e-6);
            const sotto_account rdp = epsilon_of(replaced(event), SOTTO_RDP, 1e-6);
            const sotto_account basic = epsilon_of(replaced(event), SOTTO_BASIC, 1e-6);
            assert_true(exact.epsilon >= 0.0 && isfinite(exact.epsilon));
            assert_true(exact.epsilon <= rdp.epsilon * (1.0 + 1e-12));
            assert_true(exact.epsilon <= basic.epsilon * (1.0 + 1e-12));
            assert_true(exact.epsilon_lower <= exact.epsilon);
            /* delta and epsilon are each other's inverse. */
            const sotto_account back =
                delta_of(replaced(event), SOTTO_EXACT, exact.epsilon);
            assert_within(back.delta, 0.0, 1e-6 * (1.0 + 1e-6));
        }
    }
}

static void more_noise_costs_less_and_more_releases_cost_more(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        double before = HUGE_VAL;
        for (double noise = 0.75; noise < 20.0; noise *= 2.0) {
            const double epsilon =
                exact_epsilon(replaced(kind_of(kind, noise, 0.05, 150)), 1e-5);
            assert_true(epsilon <= before * (1.0 + 1e-6));
            before = epsilon;
        }
        before = 0.0;
        for (uint64_t count = 1; count < 20000; count *= 20) {
            const double epsilon =
                exact_epsilon(replaced(kind_of(kind, 3.0, 0.05, count)), 1e-5);
            assert_true(epsilon >= before * (1.0 - 1e-6));
            before = epsilon;
        }
        before = HUGE_VAL;
        for (double delta = 1e-12; delta < 0.1; delta *= 37.0) {
            const double epsilon =
                exact_epsilon(replaced(kind_of(kind, 3.0, 0.05, 170)), delta);
            assert_true(epsilon <= before * (1.0 + 1e-9));
            before = epsilon;
        }
    }
    for (int kind = 5; kind < KINDS; kind++) {
        double before = 0.0;
        for (double rate = 0.002; rate < 0.9; rate *= 2.0) {
            const double epsilon =
                exact_epsilon(replaced(kind_of(kind, 1.5, rate, 300)), 1e-5);
            assert_true(epsilon >= before * (1.0 - 1e-9));
            before = epsilon;
        }
    }
}

static void copies_are_a_count(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        const sotto_event three = kind_of(kind, 2.5, 0.05, 30);
        const sotto_event one = kind_of(kind, 2.5, 0.05, 10);
        const double whole = exact_epsilon(replaced(three), 1e-5);
        const double parts =
            exact_epsilon(plan_under(SOTTO_REPLACE_ONE, one, one, one), 1e-5);
        assert_true(whole == parts);
    }
}

/* Two different lattices, or a lattice and a box, walked over: against the contour of the same with a
 * Gaussian of next to no loss beside it, and against the sum of pure losses. */
static void few_laws_together_have_a_closed_form(void **state)
{
    (void)state;
    const sotto_event a = discrete_laplace(6.0, 3.0, 2);
    const sotto_event b = response(0.75, 6, 1);
    const sotto_event c = laplace(3.0, 4);
    const sotto_event nothing = gdp(1e-3, 1);
    const sotto_account closed =
        epsilon_of(plan_under(SOTTO_REPLACE_ONE, a, b, c), SOTTO_EXACT, 1e-4);
    const sotto_account contour =
        epsilon_of(plan_under(SOTTO_REPLACE_ONE, a, b, c, nothing), SOTTO_EXACT, 1e-4);
    assert_int_equal(closed.kernel, SOTTO_KERNEL_CLOSED_FORM);
    assert_true(contour.epsilon >= closed.epsilon_lower);
    assert_relative(contour.epsilon, closed.epsilon, 1e-4);
    assert_true(closed.epsilon - closed.epsilon_lower < 1e-9);
    assert_true(closed.epsilon < 1.0 + 0.75 + 4.0 / 3.0);
}

/* A batch of everybody, and a rate of 1, are no sampling at all. */
static void everybody_is_no_sample(void **state)
{
    (void)state;
    const double whole = exact_epsilon(replaced(gaussian(2.5, 3)), 1e-6);
    assert_true(exact_epsilon(replaced(batch(2.5, 70, 70, 3)), 1e-6) == whole);
    /* Coins: the multiplier is relative to one record, and two centres are 2 apart. */
    const double coins = exact_epsilon(replaced(sampled(1.0, 5.0, 3)), 1e-6);
    assert_relative(coins, whole, 1e-12);
    const double nearly = exact_epsilon(replaced(sampled(1.0 - 1e-9, 5.0, 3)), 1e-6);
    assert_relative(nearly, whole, 1e-6);
    /* One record out of n is a batch of 1. */
    sotto_event single = batch(2.5, 0, 70, 300);
    single.sampling = SOTTO_SINGLE_RECORD;
    assert_true(exact_epsilon(replaced(single), 1e-6) ==
                exact_epsilon(replaced(batch(2.5, 1, 70, 300)), 1e-6));
}

/* log(1 + q (e^eps - 1)) and q delta. */
static void sampling_amplifies_what_has_an_epsilon(void **state)
{
    (void)state;
    sotto_event event = pure(0.875, 1);
    event.sampling = SOTTO_POISSON;
    event.rate = 0.03125;
    const double expected = log1p(0.03125 * expm1(0.875));
    sotto_account account = epsilon_of(plan_of(event), SOTTO_EXACT, 0.0);
    assert_within(account.epsilon, expected * (1.0 - 1e-15), expected * (1.0 + 1e-14));
    event = approximate(0.875, 1e-4, 1);
    event.sampling = SOTTO_WITHOUT_REPLACEMENT;
    event.population = 64;
    event.batch = 2;
    account = epsilon_of(replaced(event), SOTTO_EXACT, 1e-4 * 0.03125);
    assert_within(account.epsilon, expected * (1.0 - 1e-15), expected * (1.0 + 1e-14));
    event = laplace(1.0 / 0.875, 1);
    event.sampling = SOTTO_POISSON;
    event.rate = 0.03125;
    account = epsilon_of(plan_of(event), SOTTO_EXACT, 0.0);
    assert_relative(account.epsilon, expected, 1e-13);
}

/* Vectors of the discrete Gaussian: one step of one coordinate is known exactly, more is not. */
static void the_dimension_decides_what_is_known(void **state)
{
    (void)state;
    sotto_event event = discrete_gaussian(2.5, 1.0, 4);
    const double one = exact_epsilon(plan_of(event), 1e-6);
    event.dimension = 9;
    assert_true(exact_epsilon(plan_of(event), 1e-6) == one);
    event.dimension = SOTTO_DIMENSION_ANY;
    const double any = exact_epsilon(plan_of(event), 1e-6);
    assert_relative(any, exact_epsilon(plan_of(zcdp(0.5 / 6.25, 4)), 1e-6), 1e-12);
    assert_true(any > 1.02 * one);
    event = discrete_gaussian(5.0, 2.0, 4);
    const double two = exact_epsilon(plan_of(event), 1e-6);
    assert_relative(two, one, 0.02); /* almost the same loss */
    event.dimension = 2;
    assert_true(exact_epsilon(plan_of(event), 1e-6) == any);
    /* A sensitivity off the grid is priced by zCDP, and a grid is a unit. */
    event = discrete_gaussian(2.5, 1.5, 4);
    assert_int_equal(epsilon_of(plan_of(event), SOTTO_EXACT, 1e-6).kernel,
                     SOTTO_KERNEL_RDP);
    event = discrete_gaussian(1.25, 0.5, 4);
    event.grid = 0.5;
    assert_true(exact_epsilon(plan_of(event), 1e-6) == one);
}

/* k-ary randomized response is worth less than its epsilon when neighbours give another answer. */
static void categories_and_neighbours_decide_the_response(void **state)
{
    (void)state;
    const double two = exact_epsilon(replaced(response(1.0, 2, 20)), 1e-5);
    const double nine = exact_epsilon(replaced(response(1.0, 9, 20)), 1e-5);
    assert_true(two == exact_epsilon(replaced(pure(1.0, 20)), 1e-5));
    assert_true(nine < 0.9 * two);
    assert_true(exact_epsilon(plan_of(response(1.0, 9, 20)), 1e-5) == two);
}

/* 1/3 is no double: both ends of the bracket are on their sides of it. */
static void a_quotient_is_between_its_bounds(void **state)
{
    (void)state;
    const sotto_event events[] = {discrete_laplace(3.0, 1.0, 1), laplace(3.0, 1)};
    for (size_t i = 0; i < 2; i++) {
        const sotto_account account = epsilon_of(plan_of(events[i]), SOTTO_EXACT, 0.0);
        assert_true(fma(account.epsilon_lower, 3.0, -1.0) <= 0.0);
        assert_true(fma(account.epsilon, 3.0, -1.0) >= 0.0);
        assert_relative(account.epsilon_lower, account.epsilon, 1e-15);
    }
}

/* ---- a user's curve ---- */

static sotto_event curve(const double *orders, const double *values, uint32_t size,
                         uint64_t count)
{
    sotto_event event = plans_event(SOTTO_RDP_CURVE);
    event.curve_orders = orders;
    event.curve_values = values;
    event.curve_size = size;
    event.count = count;
    return event;
}

static double rdp_at(sotto_plan *plan, double order)
{
    sotto_error error;
    double rdp;
    assert_ok(sotto_account_rdp(plan, order, &rdp, &error), &error);
    sotto_plan_free(plan);
    return rdp;
}

static void a_curve_is_a_chord_between_its_orders(void **state)
{
    (void)state;
    double orders[] = {1.5, 2.0, 8.0};
    double values[] = {0.125, 0.25, 1.5};
    sotto_plan *plan = plan_of(curve(orders, values, 3, 2));
    orders[1] = values[1] = -1.0; /* the plan has its own copy */
    const double expected[][2] = {{1.25, 0.125}, {1.5, 0.125}, {2.0, 0.25}, {8.0, 1.5}};
    sotto_error error;
    double rdp;
    for (size_t i = 0; i < 4; i++) {
        assert_ok(sotto_account_rdp(plan, expected[i][0], &rdp, &error), &error);
        assert_within(rdp, 2.0 * expected[i][1], 2.0 * expected[i][1] * (1.0 + 1e-12));
    }
    /* (order - 1) * value at 5: halfway between 1 * 0.25 and 7 * 1.5 */
    assert_ok(sotto_account_rdp(plan, 5.0, &rdp, &error), &error);
    assert_relative(rdp, 2.0 * 0.5 * (0.25 + 10.5) / 4.0, 1e-12);
    assert_ok(sotto_account_rdp(plan, 8.5, &rdp, &error), &error);
    assert_true(isinf(rdp));
    sotto_plan_free(plan);
}

/* The best order is the last one listed, and the answer is the formula's there: no search comes near it
 * from below. */
static void a_curve_is_priced_at_its_own_orders(void **state)
{
    (void)state;
    static const double orders[] = {2.0, 4.0, 8.0}, values[] = {0.1, 0.2, 0.4};
    const double right = 3.0 * 0.4 + log1p(-0.125) - log(8e-5) / 7.0;
    const sotto_account account =
        epsilon_of(plan_of(curve(orders, values, 3, 3)), SOTTO_EXACT, 1e-5);
    assert_within(account.epsilon, right, right * (1.0 + 1e-13));
    assert_true(account.order == 8.0);
}

/* A bound that jumps between two neighbouring numbers: t + 1 rounds to the lower order, t is above it. */
static void a_jump_of_a_curve_is_never_taken_for_its_lower_side(void **state)
{
    (void)state;
    const double orders[] = {1.5, nextafter(1.5, 2.0)}, values[] = {0.0, 1e6};
    const sotto_event event = curve(orders, values, 2, 1);
    const double above = nextafter(0.5, 1.0); /* 1.5 and half an ulp: half of the chord */
    assert_true(above + 1.0 == 1.5);
    assert_within(sot_curve_log_mgf_upper(&event, above), 0.5 * 0.5e6, 0.51 * 0.5e6);
    assert_true(sot_curve_log_mgf_upper(&event, 0.5) < 1e-300);
}

/* The curve of a Gaussian, on the orders most libraries use, costs what they say; with few orders more. */
static void a_curve_prices_like_what_it_was_taken_from(void **state)
{
    (void)state;
    enum { ORDERS = 400 };
    double orders[ORDERS], values[ORDERS];
    for (int i = 0; i < ORDERS; i++) {
        orders[i] = 1.0 + 0.05 * (i + 1);
        values[i] = rdp_at(plan_of(sampled(0.02, 1.5, 1)), orders[i]);
    }
    const double right =
        epsilon_of(plan_of(sampled(0.02, 1.5, 700)), SOTTO_RDP, 1e-6).epsilon;
    const sotto_event event = curve(orders, values, ORDERS, 700);
    const double rdp = epsilon_of(plan_of(event), SOTTO_RDP, 1e-6).epsilon;
    const double exact = epsilon_of(plan_of(event), SOTTO_EXACT, 1e-6).epsilon;
    assert_within(rdp, right * (1.0 - 1e-9), right * 1.0001);
    assert_true(exact == rdp);
    /* A curve that ends below the best order. */
    const double few =
        epsilon_of(plan_of(curve(orders, values, 5, 700)), SOTTO_RDP, 1e-6).epsilon;
    assert_true(few > right && isfinite(few));
    const double basic = epsilon_of(plan_of(event), SOTTO_BASIC, 1e-6).epsilon;
    assert_true(basic > right && isfinite(basic));
}

/* ---- far ends ---- */

static void far_ends_have_an_answer_that_is_a_number(void **state)
{
    (void)state;
    static const double noises[] = {0.3, 7.0, 1000.0};
    static const double rates[] = {1e-3, 0.2, 0.999};
    static const uint64_t counts[] = {1, 50, 1000000, 1000000000};
    static const double deltas[] = {1e-30, 1e-6};
    sotto_error error;
    for (int kind = 0; kind < KINDS; kind++) {
        for (size_t i = (size_t)kind % 5; i < 3 * 3 * 4 * 2; i += 5) {
            const double noise = noises[i % 3], rate = rates[i / 3 % 3];
            const uint64_t count = counts[i / 9 % 4];
            if (kind < 5 && rate != 0.2) continue;
            sotto_plan *plan = replaced(kind_of(kind, noise, rate, count));
            sotto_account account = {.order = NAN};
            assert_ok(sotto_account_epsilon(plan, SOTTO_EXACT, deltas[i / 36], &account,
                                            &error),
                      &error);
            assert_true(account.epsilon >= 0.0 && isfinite(account.epsilon));
            assert_true(account.epsilon_lower >= 0.0 &&
                        account.epsilon_lower <= account.epsilon);
            assert_ok(sotto_account_delta(plan, SOTTO_EXACT, 700.0, &account, &error),
                      &error);
            assert_true(account.delta >= 0.0 && account.delta <= 1.0);
            assert_true(account.delta_lower >= 0.0 &&
                        account.delta_lower <= account.delta);
            sotto_plan_free(plan);
        }
    }
}

static void open_noise_is_found_for_laplace_and_batches(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_event open[] = {laplace(SOTTO_UNSET, 12),
                                batch(SOTTO_UNSET, 100, 10000, 1000)};
    for (int i = 0; i < 2; i++) {
        sotto_plan *plan = replaced(open[i]);
        sotto_account account;
        double noise;
        assert_ok(
            sotto_account_noise(plan, SOTTO_EXACT, 1.5, 1e-6, &noise, &account, &error),
            &error);
        assert_within(account.epsilon, 1.5 * (1.0 - 1e-4), 1.5);
        sotto_plan_free(plan);
        sotto_event found = open[i];
        found.noise_multiplier = noise * (1.0 - 1e-5);
        assert_true(exact_epsilon(replaced(found), 1e-6) > 1.5);
    }
}

static void lack_of_memory_is_reported(void **state)
{
    (void)state;
    sotto_error error;
    for (int kind = 0; kind <= KINDS; kind++) {
        static const double orders[] = {2.0, 8.0}, values[] = {0.1, 0.5};
        const sotto_event event =
            kind == KINDS ? curve(orders, values, 2, 3) : kind_of(kind, 2.5, 0.02, 200);
        const sotto_account right = epsilon_of(replaced(event), SOTTO_EXACT, 1e-6);
        size_t failures = 0;
        for (size_t nth = 1;; nth++) {
            sotto_plan *plan = NULL;
            sotto_account account;
            (void)sot_test_fail_allocation(nth);
            sotto_status status = sotto_plan_new(SOTTO_REPLACE_ONE, &plan, &error);
            if (status == SOTTO_OK) status = sotto_plan_add(plan, &event, &error);
            if (status == SOTTO_OK)
                status = sotto_account_epsilon(plan, SOTTO_EXACT, 1e-6, &account, &error);
            const size_t asked = sot_test_fail_allocation(0);
            sotto_plan_free(plan);
            if (status == SOTTO_OK) {
                assert_true(account.epsilon == right.epsilon);
            } else {
                assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
                failures++;
            }
            if (asked < nth) break;
        }
        assert_true(failures > 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_is_at_most_renyi_and_the_sum),
        cmocka_unit_test(more_noise_costs_less_and_more_releases_cost_more),
        cmocka_unit_test(copies_are_a_count),
        cmocka_unit_test(few_laws_together_have_a_closed_form),
        cmocka_unit_test(everybody_is_no_sample),
        cmocka_unit_test(sampling_amplifies_what_has_an_epsilon),
        cmocka_unit_test(the_dimension_decides_what_is_known),
        cmocka_unit_test(categories_and_neighbours_decide_the_response),
        cmocka_unit_test(a_quotient_is_between_its_bounds),
        cmocka_unit_test(a_curve_is_a_chord_between_its_orders),
        cmocka_unit_test(a_curve_is_priced_at_its_own_orders),
        cmocka_unit_test(a_jump_of_a_curve_is_never_taken_for_its_lower_side),
        cmocka_unit_test(a_curve_prices_like_what_it_was_taken_from),
        cmocka_unit_test(far_ends_have_an_answer_that_is_a_number),
        cmocka_unit_test(open_noise_is_found_for_laplace_and_batches),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
