/* The former theorem, under which older files verify: what the rows of a unit buy (privacy/accounting/objective_loss/row_loss.h) beside the exact law of the release
 * (objective_density.h): delta below the atom, and Renyi divergence. */
#include "support.h"

#include "privacy/accounting/objective_cases.h"
#include "privacy/accounting/plans.h"

/* The quadrature is good to 1e-9 where delta is above 1e-13. */
static const double rounding = 1e-7;

static sotto_plan *plan_with(const sot_objective_law *law, uint32_t rows)
{
    sotto_error error;
    sotto_plan *plan = NULL;
    sotto_event event = event_of(law);
    event.rows = rows;
    event.theorem = 0;
    assert_ok(sotto_plan_new(law->adjacency, &plan, &error), &error);
    assert_ok(sotto_plan_add(plan, &event, &error), &error);
    return plan;
}

static double claimed_delta(const sot_objective_law *law, double epsilon)
{
    return delta_of(plan_with(law, (uint32_t)law->unit_rows), SOTTO_EXACT, epsilon).delta;
}

static double claimed_rdp(const sot_objective_law *law, double order)
{
    sotto_error error;
    double claim;
    sotto_plan *plan = plan_with(law, (uint32_t)law->unit_rows);
    assert_ok(sotto_account_rdp(plan, order, &claim, &error), &error);
    sotto_plan_free(plan);
    return claim;
}

/* The atom alone: the same event, its rows unsaid. */
static double atom_delta(const sot_objective_law *law, double epsilon)
{
    return delta_of(plan_with(law, 0), SOTTO_EXACT, epsilon).delta;
}

static double worse_direction(double of(const density_pair *pair, double at),
                              const density_pair *pair, double at)
{
    const density_pair swapped = density_swapped(pair);
    return fmax(of(pair, at), of(&swapped, at));
}

/* Slopes from indifference to saturation, and backgrounds. */
static density_pair drawn_pair(const sot_objective_law *law, int i, double copies)
{
    if (i < BACKGROUNDS) return line_pair(law, &backgrounds[i], 1.0, copies);
    const background driven = {0.25 * (BACKGROUNDS - i), 0.0, 0.0};
    return line_pair(law, &driven, 1.0, copies);
}
enum { PAIRS = BACKGROUNDS + 16 };

/* ---- delta below kappa ---- */

static void delta_below_the_atom_holds_and_comes_close(void **state)
{
    (void)state;
    static const double lambdas[] = {0.1, 0.4, 0.974}, sigmas[] = {1.0, 4.0, 10.0};
    static const double places[] = {0.0, 0.1, 0.25, 0.4, 0.6, 0.9};
    double most = 0.0, least_gain = 1.0;
    for (int i = 0; i < 9; i++) {
        sot_objective_law law = sharp(SOTTO_ADD_REMOVE, 1, 1.0, lambdas[i % 3]);
        law.sigma = sigmas[i / 3];
        const double atom = event_of(&law).atom;
        for (size_t e = 0; e < sizeof places / sizeof places[0]; e++) {
            const double epsilon = places[e] * atom;
            const double claim = claimed_delta(&law, epsilon);
            if (claim < 1e-13) continue;
            least_gain = fmin(least_gain, claim / atom_delta(&law, epsilon));
            for (int j = 0; j < PAIRS; j++) {
                const density_pair pair = drawn_pair(&law, j, 1.0);
                const double truth = worse_direction(density_delta, &pair, epsilon);
                assert_within(truth / claim, 0.0, 1.0 + rounding);
                most = fmax(most, truth / claim);
            }
        }
    }
    print_message(
        "below the atom: true/claimed delta up to %.4f; claimed/atom's down to %.2g\n",
        most, least_gain);
    assert_within(most, 0.9, 1.0 + rounding);
    assert_within(least_gain, 0.0, 1e-6);
}

/* ---- Renyi divergence ---- */

static const double orders[] = {1.5, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0};
enum { ORDERS = sizeof orders / sizeof orders[0] };

static double worst_rdp_on_a_line(const sot_objective_law *law)
{
    double worst = 0.0;
    for (size_t o = 0; o < ORDERS; o++) {
        const double claim = claimed_rdp(law, orders[o]);
        for (int j = 0; j < PAIRS; j += 2) {
            const density_pair pair = drawn_pair(law, j, (double)law->unit_rows);
            const double truth = worse_direction(density_rdp, &pair, orders[o]);
            assert_within(truth / claim, 0.0, 1.0 + rounding);
            worst = fmax(worst, truth / claim);
        }
    }
    return worst;
}

static void renyi_divergence_of_a_row_holds_and_comes_close(void **state)
{
    (void)state;
    static const double lambdas[] = {0.3, 0.974}, sigmas[] = {4.72, 10.0};
    double most = 0.0;
    for (int i = 0; i < 4; i++) {
        sot_objective_law law = sharp(SOTTO_ADD_REMOVE, 1, 1.0, lambdas[i % 2]);
        law.sigma = sigmas[i / 2];
        most = fmax(most, worst_rdp_on_a_line(&law));
    }
    print_message("one row: true/claimed divergence up to %.4f\n", most);
    assert_within(most, 0.95, 1.0 + rounding);
}

static void renyi_divergence_of_two_rows_holds_and_comes_close(void **state)
{
    (void)state;
    double most = 0.0;
    for (int i = 0; i < 2; i++) {
        sot_objective_law law = sharp(SOTTO_ADD_REMOVE, 2, 1.0, i == 0 ? 1.0 : 4.0);
        law.sigma = 10.0;
        most = fmax(most, worst_rdp_on_a_line(&law));
    }
    print_message("two rows: true/claimed divergence up to %.4f\n", most);
    assert_within(most, 0.9, 1.0 + rounding);
}

static double worst_exchanged_rdp(const sot_objective_law *law, double order)
{
    static const struct {
        double angle, drive;
    } shapes[] = {{0.05, 2000.0}, {0.05, 0.0}, {0.4, 12.0}, {1.2, 6.0}};
    double worst = 0.0;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const density_pair pair =
            exchanged(law, shapes[i].angle, shapes[i].drive, (double)law->unit_rows);
        worst = fmax(worst, density_rdp(&pair, order)); /* symmetric */
    }
    return worst;
}

static void renyi_divergence_of_exchanges_holds_and_comes_close(void **state)
{
    (void)state;
    static const double some_orders[] = {1.5, 4.0, 16.0, 64.0};
    double most = 0.0;
    for (int i = 0; i < 8; i++) {
        sot_objective_law law = sharp(SOTTO_REPLACE_ONE, 1 + (uint64_t)i / 4, 1.0, 1.5);
        law.sigma = i < 4 ? 9.6 : 19.2;
        const double truth = worst_exchanged_rdp(&law, some_orders[i % 4]);
        const double ratio = truth / claimed_rdp(&law, some_orders[i % 4]);
        assert_within(ratio, 0.0, 1.0 + rounding);
        most = fmax(most, ratio);
    }
    print_message("exchanges: true/claimed divergence up to %.4f\n", most);
    assert_within(most, 0.9, 1.0 + rounding);
}

/* ---- two releases ---- */

static double beside_gaussian(double loss, double mu, double target)
{
    const double epsilon = target - loss;
    return 0.5 * erfc((epsilon / mu - 0.5 * mu) / sqrt(2.0)) -
           exp(epsilon) * 0.5 * erfc((epsilon / mu + 0.5 * mu) / sqrt(2.0));
}

/* A correction beside a release whose atom is above epsilon: the price is little more than that of
 * the release alone. */
static void a_small_gaussian_below_the_atom_holds(void **state)
{
    (void)state;
    static const double mus[] = {0.0003, 0.02, 0.3};
    for (int i = 0; i < 9; i++) {
        sot_objective_law law = sharp(SOTTO_ADD_REMOVE, 1, 1.0, i / 3 == 0 ? 0.3 : 0.5);
        law.sigma = i / 3 == 2 ? 2.0 : 4.9;
        const double epsilon = 0.9, mu = mus[i % 3], alone = claimed_delta(&law, epsilon);
        sotto_event event = event_of(&law);
        event.theorem = 0;
        assert_within(event.atom, 1.5, 4.0);
        const double claim =
            delta_of(plan_of(event, gdp(mu, 1)), SOTTO_EXACT, epsilon).delta;
        assert_within(claim, alone, i % 3 == 0 ? 1.1 * alone : 1.0);
        const density_average of = {beside_gaussian, mu, epsilon, 0.0};
        for (int j = 0; j < PAIRS; j++) {
            const density_pair pair = drawn_pair(&law, j, 1.0);
            const density_pair swapped = density_swapped(&pair);
            assert_within(density_integral(&pair, &of) / claim, 0.0, 1.0 + rounding);
            assert_within(density_integral(&swapped, &of) / claim, 0.0, 1.0 + rounding);
        }
    }
}

/* delta of the second release at what the first has left. */
static const density_pair *second_release;

static double left_to_the_second(double loss, double parameter, double kink)
{
    (void)kink;
    return density_delta(second_release, parameter - loss);
}

static void two_releases_hold_by_renyi_divergence(void **state)
{
    (void)state;
    sot_objective_law law = sharp(SOTTO_ADD_REMOVE, 1, 1.0, 0.974);
    law.sigma = 4.72;
    static const double slopes[] = {0.0, -2.0, -20.0};
    for (int i = 0; i < 3; i++) {
        const background behind = {slopes[i], 0.0, 0.0};
        const density_pair pair = line_pair(&law, &behind, 1.0, 1.0);
        second_release = &pair;
        const double epsilon = 1.0;
        const density_average of = {left_to_the_second, epsilon, NAN, 0.0};
        const double truth = density_integral(&pair, &of);
        sotto_event twice = event_of(&law);
        twice.count = 2;
        twice.theorem = 0;
        const double claim = delta_of(plan_of(twice), SOTTO_RDP, epsilon).delta;
        assert_within(truth / claim, 0.0, 1.0 + rounding);
        twice.rows = 0;
        const double atoms = delta_of(plan_of(twice), SOTTO_RDP, epsilon).delta;
        assert_within(claim, 0.0, 0.1 * atoms);
        print_message("two releases: true %.3g, claimed %.3g, by the atom %.3g\n", truth,
                      claim, atoms);
    }
}

/* ---- what it buys ---- */

/* The values of docs/reference/accounting.md. */
static void divergence_at_one_and_a_millionth_has_its_values(void **state)
{
    (void)state;
    sotto_error error;
    sot_objective_law law = sharp(SOTTO_ADD_REMOVE, 1, 1.0, NAN);
    assert_ok(sot_objective_least_lambda(&law, 1.0, 1e-6, &law.lambda, &error), &error);
    assert_ok(
        sot_objective_calibrate(&law, 1.0, 1e-6, SOT_OBJECTIVE_CORRECTION_SHARE, &error),
        &error);
    const sotto_event event = event_of(&law);
    const double gaussian_rdp = 8.0 / (event.noise_multiplier * event.noise_multiplier);
    print_message("sigma %.6f atom %.6f: divergence of order 16 %.6f, Gaussian %.6f\n",
                  law.sigma, event.atom, claimed_rdp(&law, 16.0), gaussian_rdp);
    assert_within(claimed_rdp(&law, 16.0), 0.4, 0.5);
}

/* Very much noise beside a still smaller Gaussian: delta falls below the doubles soon after 1/2, and stays there. */
static void delta_beside_a_small_gaussian_never_grows(void **state)
{
    (void)state;
    sotto_error error;
    double last = 1.0;
    sotto_event release = sotto_event_defaults(), solver = sotto_event_defaults();
    release.mechanism = SOTTO_OBJECTIVE_PERTURBATION;
    release.noise_multiplier = 0x1p18;
    release.atom = 2.0;
    release.rows = 1;
    release.count = solver.count = 1;
    solver.mechanism = SOTTO_GAUSSIAN;
    solver.noise_multiplier = 0x1p28;
    for (double epsilon = 0.4999; epsilon < 0.501; epsilon += 1e-5) {
        sotto_plan *plan = NULL;
        assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
        assert_ok(sotto_plan_add(plan, &release, &error), &error);
        assert_ok(sotto_plan_add(plan, &solver, &error), &error);
        const double delta = delta_of(plan, SOTTO_EXACT, epsilon).delta;
        assert_true(delta <= last);
        last = delta;
    }
    assert_true(last < 1e-300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delta_below_the_atom_holds_and_comes_close),
        cmocka_unit_test(renyi_divergence_of_a_row_holds_and_comes_close),
        cmocka_unit_test(renyi_divergence_of_two_rows_holds_and_comes_close),
        cmocka_unit_test(renyi_divergence_of_exchanges_holds_and_comes_close),
        cmocka_unit_test(a_small_gaussian_below_the_atom_holds),
        cmocka_unit_test(delta_beside_a_small_gaussian_never_grows),
        cmocka_unit_test(two_releases_hold_by_renyi_divergence),
        cmocka_unit_test(divergence_at_one_and_a_millionth_has_its_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
