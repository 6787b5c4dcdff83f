/* The accountant pld: its bounds, its agreement with exact, its refusals. */
#include "privacy/accounting/plans.h"
#include "privacy/accounting/pld_agreement.h"
#include "privacy/accounting/pld_vectors.h"

#include "base/memory.h"
#include "privacy/accounting/pld/nodes.h"
#include "privacy/accounting/profile/gaussian.h"

static void two_accountants_that_share_no_integral_agree(void **state)
{
    (void)state;
    agreement sums = {0};
    for (uint64_t seed = 1; seed <= 52; seed++)
        agreement_check(seed * UINT64_C(0x2545f4914f6cdd1d) + 81, 2e-3, 300.0, &sums);
    print_message("%d plans: %d within 0.1 %%, %d bracketed within 1 %%, %d by pairs\n",
                  sums.plans, sums.close, sums.bracketed, sums.pairs);
    assert_true(sums.pairs >= 36);
    assert_true(sums.close >= 46);
    assert_true(sums.bracketed >= 42);
}

/* ---- one law on the grid against its profile in closed form ---- */

/* delta(epsilon) of a law on a grid, summed as it stands. */
static double grid_delta(const sot_pld_nodes *nodes, double epsilon)
{
    double sum = nodes->infinite;
    for (size_t i = 0; i < nodes->count; i++) {
        const double loss =
            nodes->anchor + (double)(nodes->first + (int64_t)i) * nodes->spacing;
        if (loss > epsilon) sum += nodes->mass[i] * -expm1(epsilon - loss);
    }
    return sum;
}

/* At every epsilon the grid's two laws enclose the exact profile, and closely so. */
static void check_enclosed(double rate, double sigma, sot_direction direction,
                           double spacing)
{
    sotto_error error;
    sot_pld_cells cells;
    sot_pld_nodes upper;
    sot_pld_nodes lower;
    sot_pld_piece line = {.kind = SOT_PLD_LINE,
                          .direction = direction,
                          .rate = rate,
                          .mu = {1.0 / sigma, 1.0 / sigma},
                          .floor = -HUGE_VAL};
    const double end = rate < 1.0 ? log1p(-rate) : 0.0;
    const sot_pld_law law = {.pieces = &line,
                             .piece_count = 1,
                             .count = 1.0,
                             .anchor = direction == SOT_REMOVE ? end : -end,
                             .has_density = 1};
    assert_ok(sot_pld_cells_new(&law, spacing, (sot_pld_reach){-80.0, -HUGE_VAL}, &cells,
                                &error),
              &error);
    assert_ok(sot_pld_nodes_new(&cells, SOT_PLD_UPPER, 1.0, 5.0, &upper, &error), &error);
    assert_ok(sot_pld_nodes_new(&cells, SOT_PLD_LOWER, 1.0, 5.0, &lower, &error), &error);
    for (double epsilon = -1.0; epsilon < 4.0; epsilon += 0.171) {
        const sot_bracket exact =
            sot_sampled_gaussian_delta(rate, sigma, direction, epsilon);
        const double above = grid_delta(&upper, epsilon) * (1.0 + 1e-10) + 1e-15;
        const double below = grid_delta(&lower, epsilon) * (1.0 - 1e-10) - 1e-15;
        if (!(above >= exact.lower && below <= exact.upper) ||
            !(above - below <= 0.02 * exact.upper + 1e-3 * rate)) {
            print_error("rate %g sigma %g direction %d epsilon %g: %.17g %.17g %.17g\n",
                        rate, sigma, (int)direction, epsilon, below, exact.upper, above);
            fail();
        }
    }
    sot_pld_nodes_free(&upper);
    sot_pld_nodes_free(&lower);
    sot_pld_cells_free(&cells);
}

static void a_law_on_the_grid_encloses_its_profile(void **state)
{
    (void)state;
    const double rates[] = {0.037, 0.61, 0.997, 1.0};
    const double sigmas[] = {0.3, 0.87, 3.1};
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 3; j++) {
            const double spacing = 0.0723 * rates[i] / fmax(1.0, sigmas[j]);
            check_enclosed(rates[i], sigmas[j], SOT_REMOVE, spacing);
            if (rates[i] < 1.0) check_enclosed(rates[i], sigmas[j], SOT_ADD, spacing);
        }
    }
}

/* ---- the whole ---- */

static void the_references_are_inside_the_brackets(void **state)
{
    (void)state;
    assert_true(pld_check_vectors(13) >= 8); /* slow_pld.c has them all */
}

/* A merged Gaussian has a closed form at every delta: the tilt keeps the relative accuracy. */
static void tiny_deltas_keep_their_relative_accuracy(void **state)
{
    (void)state;
    const double epsilons[] = {0.0, 1.0, 7.0, 14.5, 20.0};
    for (size_t i = 0; i < 5; i++) {
        const sotto_account pld =
            delta_of(plan_of(gaussian(2.0, 3), gdp(0.5, 4)), SOTTO_PLD, epsilons[i]);
        const sotto_account exact =
            delta_of(plan_of(gaussian(2.0, 3), gdp(0.5, 4)), SOTTO_EXACT, epsilons[i]);
        assert_true(pld.delta >= exact.delta_lower);
        assert_true(pld.delta_lower <= exact.delta);
        assert_true(pld.delta <= exact.delta * 1.001);
        assert_true(pld.delta_lower >= exact.delta * 0.999);
    }
    const sotto_account last =
        delta_of(plan_of(gaussian(2.0, 3), gdp(0.5, 4)), SOTTO_PLD, 20.0);
    assert_true(last.delta < 1e-30); /* the question above was worth asking */
}

static void corners_are_bracketed_or_honestly_wide(void **state)
{
    (void)state;
    const struct {
        double rate, sigma, delta;
        uint64_t count;
    } corners[] = {{1e-9, 1.0, 1e-12, 1000},
                   {1e-9, 0.3, 1e-30, 1},
                   {0.999999, 0.3, 1e-9, 10},
                   {0.5, 1000.0, 1e-6, 100},
                   {0.5, 0.01, 1e-9, 2},
                   {1e-3, 10.0, 1e-30, 1000000000},
                   {0.9, 0.3, 0.3, 40},
                   {0.02, 2.0, 0.999, 10},
                   {1e-6, 1000.0, 1e-12, 100000000}};
    for (size_t i = 0; i < sizeof corners / sizeof corners[0]; i++) {
        const sotto_event event =
            sampled(corners[i].rate, corners[i].sigma, corners[i].count);
        const sotto_account pld = epsilon_of(plan_of(event), SOTTO_PLD, corners[i].delta);
        const sotto_account exact =
            epsilon_of(plan_of(event), SOTTO_EXACT, corners[i].delta);
        const int sound = pld.epsilon >= exact.epsilon_lower &&
                          pld.epsilon_lower <= exact.epsilon &&
                          pld.epsilon_lower >= 0.0 && isfinite(pld.epsilon);
        if (sound) continue;
        print_error("corner %zu: pld [%.17g, %.17g], exact [%.17g, %.17g]\n", i,
                    pld.epsilon_lower, pld.epsilon, exact.epsilon_lower, exact.epsilon);
        fail();
    }
}

/* Below the least and above the largest loss: everything, and nothing. */
static void bounded_losses_end_where_they_should(void **state)
{
    (void)state;
    sotto_account account = epsilon_of(plan_of(pure(0.25, 12)), SOTTO_PLD, 0.0);
    assert_within(account.epsilon, 3.0, 3.0 * (1.0 + 1e-15));
    account = delta_of(plan_of(pure(0.25, 12)), SOTTO_PLD, 3.0 + 1e-14);
    assert_true(account.delta == 0.0);
    account = delta_of(plan_of(pure(0.25, 12)), SOTTO_PLD, 2.9);
    assert_true(account.delta > 0.0 && account.delta_lower > 0.0);
    account = epsilon_of(plan_of(approximate(0.1, 1e-6, 1)), SOTTO_PLD, 1e-6);
    assert_within(account.epsilon, 0.1, 0.1 * (1.0 + 1e-15));
    account = epsilon_of(plan_of(pure(0.0, 5)), SOTTO_PLD, 1e-6);
    assert_true(account.epsilon == 0.0);
    account = epsilon_of(plan_of(gaussian(5.0, 1)), SOTTO_PLD, 0.5);
    assert_true(account.epsilon == 0.0);
}

/* The end of a density is the largest loss, and only the mass next to it is left at so small a delta. */
static void a_small_delta_reaches_the_end_of_a_density(void **state)
{
    (void)state;
    sotto_event range = plans_event(SOTTO_EXPONENTIAL);
    range.epsilon = 1.0;
    range.count = 1;
    sotto_event coin = pure(0.5, 1);
    coin.sampling = SOTTO_POISSON;
    coin.rate = 0.25;
    const double largest = 1.0 + log1p(0.25 * expm1(0.5));
    for (double delta = 1e-4; delta > 1e-13; delta *= 0.1) {
        const sotto_account account = epsilon_of(plan_of(range, coin), SOTTO_PLD, delta);
        assert_within(account.epsilon, largest - 8.0 * sqrt(delta),
                      largest * (1.0 + 1e-12));
    }
}

static void what_has_no_law_is_refused_with_the_reason(void **state)
{
    (void)state;
    sotto_error error;
    sotto_account account;
    sotto_plan *plan = plan_of(gaussian(2.0, 1), zcdp(0.1, 2));
    assert_refused(sotto_account_epsilon(plan, SOTTO_PLD, 1e-6, &account, &error),
                   SOTTO_UNSUPPORTED, &error, "event 2 is zcdp", NULL);
    sotto_plan_free(plan);
    plan = plan_of(gaussian(2.0, 1));
    assert_refused(sotto_account_epsilon(plan, SOTTO_PLD, 0.0, &account, &error),
                   SOTTO_UNREACHABLE, &error, "unbounded loss", NULL);
    sotto_plan_free(plan);
    plan = plan_of(approximate(0.1, 1e-3, 1), gaussian(2.0, 1));
    assert_refused(sotto_account_epsilon(plan, SOTTO_PLD, 1e-4, &account, &error),
                   SOTTO_UNREACHABLE, &error, "use up", NULL);
    sotto_plan_free(plan);
}

static void a_failing_allocation_is_an_error_and_nothing_leaks(void **state)
{
    (void)state;
    sotto_event laplace = plans_event(SOTTO_LAPLACE);
    laplace.noise_multiplier = 2.0;
    laplace.count = 1;
    sotto_plan *plan = plan_of(sampled(0.5, 3.0, 2), laplace);
    size_t failures = 0;
    for (size_t nth = 1; nth < 200; nth++) {
        sotto_account account;
        sotto_error error;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sotto_account_delta(plan, SOTTO_PLD, 1.5, &account, &error);
        (void)sot_test_fail_allocation(0);
        if (status == SOTTO_OK) break;
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        failures++;
    }
    assert_true(failures > 10 && failures < 199);
    sotto_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_accountants_that_share_no_integral_agree),
        cmocka_unit_test(a_law_on_the_grid_encloses_its_profile),
        cmocka_unit_test(the_references_are_inside_the_brackets),
        cmocka_unit_test(tiny_deltas_keep_their_relative_accuracy),
        cmocka_unit_test(corners_are_bracketed_or_honestly_wide),
        cmocka_unit_test(bounded_losses_end_where_they_should),
        cmocka_unit_test(a_small_delta_reaches_the_end_of_a_density),
        cmocka_unit_test(what_has_no_law_is_refused_with_the_reason),
        cmocka_unit_test(a_failing_allocation_is_an_error_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
