/* Every claim of privacy/accounting/objective/objective.h beside the exact law of the release (objective_density.h):
 * true delta over claimed delta, on neighbours and backgrounds that were made to be bad ones. */
#include "support.h"

#include "privacy/accounting/objective_cases.h"
#include "privacy/accounting/plans.h"

/* The quadrature is good to 1e-9 where delta is above 1e-13. */
static const double rounding = 1e-7;
static const double least_delta = 1e-13;

/* ---- claims ---- */

static double claimed_delta(const sot_objective_law *law, double epsilon)
{
    return delta_of(plan_under(law->adjacency, event_of(law)), SOTTO_EXACT, epsilon)
        .delta;
}

/* The larger of true over claimed delta in both directions; 0 where nothing can be seen. */
static double ratio_at(const density_pair *pair, double epsilon, double claim)
{
    if (claim < least_delta) return 0.0;
    const density_pair swapped = density_swapped(pair);
    return fmax(density_delta(pair, epsilon), density_delta(&swapped, epsilon)) / claim;
}

/* ---- one dimension ---- */

static const double epsilons[] = {0.0, 0.0625, 0.25, 0.75, 1.5, 3.0};
enum { EPSILONS = sizeof epsilons / sizeof epsilons[0] };

/* The worst ratio over backgrounds, at all epsilons and (out) at those above the atom. */
static double worst_on_a_line(const sot_objective_law *law, double length,
                              double *out_least_above)
{
    const double atom = event_of(law).atom;
    double worst = 0.0;
    *out_least_above = 1.0;
    for (size_t e = 0; e < EPSILONS; e++) {
        const double claim = claimed_delta(law, epsilons[e]);
        if (claim < least_delta) continue;
        double here = 0.0;
        for (size_t i = 0; i < BACKGROUNDS; i++) {
            const density_pair pair =
                line_pair(law, &backgrounds[i], length, (double)law->unit_rows);
            here = fmax(here, ratio_at(&pair, epsilons[e], claim));
        }
        if (epsilons[e] >= atom) *out_least_above = fmin(*out_least_above, here);
        worst = fmax(worst, here);
    }
    return worst;
}

/* Above the atom the Gaussian profile is reached by a saturated record, below it is never
 * exceeded. kappa runs from 0 (sigma 1/2, lambda 2.5) to 9.9. */
static void sharp_add_remove_holds_and_is_reached(void **state)
{
    (void)state;
    static const double lambdas[] = {0.1, 0.3, 0.625, 1.25, 2.5};
    static const double sigmas[] = {0.5, 1.0, 2.0, 4.0};
    for (size_t i = 0; i < 5; i++) {
        for (size_t j = 0; j < 4; j++) {
            sot_objective_law law = sharp(SOTTO_ADD_REMOVE, 1, 1.0, lambdas[i]);
            law.sigma = sigmas[j];
            double reached;
            assert_within(worst_on_a_line(&law, 1.0, &reached), 0.0, 1.0 + rounding);
            assert_within(reached, 0.999, 1.0 + rounding);
        }
    }
}

static void shorter_rows_are_dominated(void **state)
{
    (void)state;
    double reached;
    sot_objective_law law = sharp(SOTTO_ADD_REMOVE, 1, 1.75, 0.875);
    law.sigma = 2.0;
    assert_within(worst_on_a_line(&law, 0.6, &reached), 0.0, 1.0 + rounding);
    assert_within(worst_on_a_line(&law, 0.95, &reached), 0.0, 1.0 + rounding);
}

static void units_of_several_rows_hold_and_are_reached(void **state)
{
    (void)state;
    for (uint64_t rows = 2; rows <= 3; rows++) {
        for (int i = 0; i < 2; i++) {
            double reached;
            sot_objective_law law =
                sharp(SOTTO_ADD_REMOVE, rows, 1.0, i == 0 ? 1.5 : 6.0);
            law.sigma = i == 0 ? 2.0 : 4.0;
            assert_within(worst_on_a_line(&law, 1.0, &reached), 0.0, 1.0 + rounding);
            assert_within(reached, 0.99, 1.0 + rounding);
        }
    }
}

/* ---- two dimensions: one record against another ---- */

static double worst_exchange(const sot_objective_law *law,
                             double claim_at(const sot_objective_law *law,
                                             double epsilon))
{
    static const double exchange_epsilons[] = {0.25, 1.5};
    static const struct {
        double angle, drive;
    } shapes[] = {{0.05, 2000.0}, {0.05, 0.0}, {0.4, 12.0}, {0.4, 3.0}, {1.2, 6.0}};
    double worst = 0.0;
    for (size_t e = 0; e < 2; e++) {
        const double claim = claim_at(law, exchange_epsilons[e]);
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            const density_pair pair =
                exchanged(law, shapes[i].angle, shapes[i].drive, (double)law->unit_rows);
            worst = fmax(worst, ratio_at(&pair, exchange_epsilons[e], claim));
        }
    }
    return worst;
}

static void sharp_replace_one_holds_and_is_reached(void **state)
{
    (void)state;
    static const struct {
        double lambda, sigma;
    } cases[] = {{1.25, 1.0}, {1.25, 4.0}, {8.0, 4.0}, {0.5, 2.0}};
    double most = 0.0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sot_objective_law law = sharp(SOTTO_REPLACE_ONE, 1, 1.0, cases[i].lambda);
        law.sigma = cases[i].sigma;
        const double worst = worst_exchange(&law, claimed_delta);
        assert_within(worst, 0.0, 1.0 + rounding);
        most = fmax(most, worst);
    }
    assert_within(most, 0.99, 1.0 + rounding);
}

static void replaced_units_of_two_hold_and_are_reached(void **state)
{
    (void)state;
    sot_objective_law law = sharp(SOTTO_REPLACE_ONE, 2, 1.0, 2.5);
    law.sigma = 6.0;
    assert_within(worst_exchange(&law, claimed_delta), 0.99, 1.0 + rounding);
}

/* A record exchanged for another on the line: 1-d neighbours cannot saturate both, and stay
 * far below. */
static void replace_one_holds_on_a_line(void **state)
{
    (void)state;
    sot_objective_law law = sharp(SOTTO_REPLACE_ONE, 1, 1.0, 1.25);
    law.sigma = 1.5;
    static const double others[] = {1.0, 0.3, -0.4, -1.0};
    for (size_t i = 0; i < BACKGROUNDS; i++) {
        for (size_t j = 0; j < sizeof others / sizeof others[0]; j++) {
            density_pair pair = line_pair(&law, &backgrounds[i], 1.0, 1.0);
            density_add(&pair.second, others[j], 0.0, 1.0);
            for (size_t e = 0; e < EPSILONS; e++) {
                const double claim = claimed_delta(&law, epsilons[e]);
                assert_within(ratio_at(&pair, epsilons[e], claim), 0.0, 1.0 + rounding);
            }
        }
    }
}

/* ---- pure noise: every theta and every b ---- */

/* The largest |loss| over misclassification s of the first record and b along and against it;
 * under replace-one the second record, almost opposite, is saturated by the other axis. */
static double largest_pure_loss(const sot_objective_law *law)
{
    double largest = 0.0;
    const bool replaces = law->adjacency == SOTTO_REPLACE_ONE;
    const double copies = (double)law->unit_rows;
    const double angle = 1e-3, bound = law->record_bound;
    for (double s = 0.005; s < 0.9999; s += 0.005) {
        for (int side = -1; side <= 1; side += 2) {
            density_pair pair = pair_of(law);
            const double margin = log((1.0 - s) / s);
            /* q.theta = margin; q' = (-cos, sin): q'.theta goes to -40. */
            const double across = replaces ? (margin - 40.0) / (2.0 * bound * sin(angle))
                                           : margin / (bound * sin(angle));
            const double along =
                (margin - bound * sin(angle) * across) / (bound * cos(angle));
            density_add(&pair.first, bound * cos(angle), bound * sin(angle), copies);
            if (replaces)
                density_add(&pair.second, -bound * cos(angle), bound * sin(angle),
                            copies);
            const double theta[2] = {along, across};
            const double b[2] = {side * 50.0 * copies * bound, 0.0};
            largest = fmax(largest, fabs(density_pure_loss(&pair, theta, b)));
        }
    }
    return largest;
}

static void pure_claims_hold_and_are_reached(void **state)
{
    (void)state;
    static const double rates[] = {0.1, 0.5, 1.0, 3.0};
    static const double lambda_factors[] = {0.125, 0.5, 1.0, 4.0}; /* of R^2/rate */
    for (int adjacency = SOTTO_ADD_REMOVE; adjacency <= SOTTO_REPLACE_ONE; adjacency++) {
        for (size_t i = 0; i < 16; i++) {
            const double rate = rates[i % 4], bound = 1.25;
            sot_objective_law law = sharp((sotto_adjacency)adjacency, 1, bound,
                                          lambda_factors[i / 4] * bound * bound / rate);
            law.rate = rate;
            const double claim = event_of(&law).epsilon;
            assert_within(largest_pure_loss(&law), 0.985 * claim, claim * (1.0 + 1e-9));
            law.unit_rows = 2;
            const double doubled = event_of(&law).epsilon;
            assert_relative(doubled, 2.0 * claim, 1e-14);
            assert_within(largest_pure_loss(&law), 0.0, doubled * (1.0 + 1e-9));
        }
    }
}

/* ---- the published calibrations ---- */

static sot_objective_law calibrated(sot_objective_theorem theorem, double epsilon,
                                    double delta, double lambda)
{
    sotto_error error;
    sot_objective_law law =
        sharp(theorem == SOT_OBJECTIVE_CHAUDHURI ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE,
              1, 1.0, lambda);
    law.theorem = theorem;
    assert_ok(sot_objective_calibrate(&law, epsilon, delta, 0.0, &error), &error);
    return law;
}

static void published_gaussian_claims_hold(void **state)
{
    (void)state;
    static const struct {
        double epsilon, delta, lambda;
    } cases[] = {{0.5, 1e-3, 1.0}, {1.0, 1e-6, 1.0}, {2.0, 1e-4, 0.5}};
    for (size_t i = 0; i < 6; i++) {
        const sot_objective_theorem theorem =
            i % 2 == 0 ? SOT_OBJECTIVE_KIFER : SOT_OBJECTIVE_REDBERG;
        const sot_objective_law law = calibrated(theorem, cases[i / 2].epsilon,
                                                 cases[i / 2].delta, cases[i / 2].lambda);
        assert_int_equal(event_of(&law).mechanism, SOTTO_APPROXIMATE);
        for (size_t j = 0; j < BACKGROUNDS; j++) {
            const density_pair pair = line_pair(&law, &backgrounds[j], 1.0, 1.0);
            assert_within(ratio_at(&pair, law.epsilon, law.delta), 0.0, 1.0 + rounding);
        }
    }
}

static void published_pure_claims_hold(void **state)
{
    (void)state;
    static const double published_epsilons[] = {0.1, 1.0, 4.0};
    static const double lambdas[] = {1e-4, 0.5, 10.0};
    for (size_t i = 0; i < 18; i++) {
        const sot_objective_theorem theorem =
            i < 9 ? SOT_OBJECTIVE_KIFER : SOT_OBJECTIVE_CHAUDHURI;
        const sot_objective_law law =
            calibrated(theorem, published_epsilons[i % 3], 0.0, lambdas[i / 3 % 3]);
        assert_within(largest_pure_loss(&law), 0.0,
                      event_of(&law).epsilon * (1.0 + 1e-9));
    }
}

/* ---- composition and Renyi divergence ---- */

static double beside_gaussian(double loss, double mu, double target)
{
    const double epsilon = target - loss;
    return 0.5 * erfc((epsilon / mu - 0.5 * mu) / sqrt(2.0)) -
           exp(epsilon) * 0.5 * erfc((epsilon / mu + 0.5 * mu) / sqrt(2.0));
}

/* The exact law of the release, convolved with that of a Gaussian release. */
static void composition_with_a_gaussian_holds(void **state)
{
    (void)state;
    sot_objective_law law = sharp(SOTTO_ADD_REMOVE, 1, 1.0, 0.875);
    law.sigma = 2.0;
    const double mu = 0.25;
    for (size_t e = 0; e < EPSILONS; e++) {
        const double claim =
            delta_of(plan_under(law.adjacency, event_of(&law), gdp(mu, 1)), SOTTO_EXACT,
                     epsilons[e])
                .delta;
        for (size_t i = 0; i < BACKGROUNDS; i++) {
            const density_average of = {beside_gaussian, mu, epsilons[e], 0.0};
            const density_pair pair = line_pair(&law, &backgrounds[i], 1.0, 1.0);
            const density_pair swapped = density_swapped(&pair);
            assert_within(density_integral(&pair, &of) / claim, 0.0, 1.0 + rounding);
            assert_within(density_integral(&swapped, &of) / claim, 0.0, 1.0 + rounding);
        }
    }
}

static void renyi_divergence_holds(void **state)
{
    (void)state;
    static const double orders[] = {1.25, 2.0, 8.0};
    for (int adjacency = SOTTO_ADD_REMOVE; adjacency <= SOTTO_REPLACE_ONE; adjacency++) {
        for (size_t i = 0; i < 3; i++) {
            sotto_error error;
            double claim;
            sot_objective_law law = sharp((sotto_adjacency)adjacency, 1, 1.0, 1.25);
            law.sigma = 2.5;
            sotto_plan *plan = plan_under(law.adjacency, event_of(&law));
            assert_ok(sotto_account_rdp(plan, orders[i], &claim, &error), &error);
            sotto_plan_free(plan);
            for (size_t j = 0; j < BACKGROUNDS; j++) {
                const density_pair pair = line_pair(&law, &backgrounds[j], 1.0, 1.0);
                const density_pair swapped = density_swapped(&pair);
                assert_within(density_rdp(&pair, orders[i]), 0.0, claim * (1.0 + 1e-7));
                assert_within(density_rdp(&swapped, orders[i]), 0.0,
                              claim * (1.0 + 1e-7));
            }
        }
    }
}

/* ---- controls: claims that are wrong are seen to be wrong ---- */

static double claimed_for_add_remove(const sot_objective_law *law, double epsilon)
{
    sot_objective_law other = *law;
    other.adjacency = SOTTO_ADD_REMOVE;
    return claimed_delta(&other, epsilon);
}

static void noise_of_add_remove_is_too_little_for_replace_one(void **state)
{
    (void)state;
    sot_objective_law law = sharp(SOTTO_REPLACE_ONE, 1, 1.0, 8.0);
    law.sigma = 4.0;
    assert_within(worst_exchange(&law, claimed_for_add_remove), 5.0, INFINITY);
}

/* Below the threshold R^2/(epsilon + a^2/2) a Gaussian profile would be wrong. */
static void a_lambda_too_small_breaks_the_gaussian_profile(void **state)
{
    (void)state;
    sot_objective_law law = sharp(SOTTO_ADD_REMOVE, 1, 1.0, 0.3);
    law.sigma = 4.0;
    const double epsilon = 0.75;
    const double gaussian_claim =
        delta_of(plan_of(gaussian(law.sigma, 1)), SOTTO_EXACT, epsilon).delta;
    double worst = 0.0;
    for (size_t i = 0; i < BACKGROUNDS; i++) {
        const density_pair pair = line_pair(&law, &backgrounds[i], 1.0, 1.0);
        worst = fmax(worst, ratio_at(&pair, epsilon, gaussian_claim));
    }
    assert_within(worst, 5.0, INFINITY);
}

/* lambda = R^2/epsilon and e = epsilon/2 satisfy the add-remove equation with 2 e; the truth is
 * 1.0485 epsilon at epsilon 1, 17/16 epsilon in the limit of small epsilon. */
static void the_pure_rule_of_add_remove_is_wrong_for_replace_one(void **state)
{
    (void)state;
    static const double claims[] = {0.1, 0.5, 1.0};
    static const double truth[] = {1.0608, 1.0547, 1.0485};
    for (size_t i = 0; i < 3; i++) {
        sot_objective_law law = sharp(SOTTO_REPLACE_ONE, 1, 1.0, 1.0 / claims[i]);
        law.rate = 0.5 * claims[i];
        assert_relative(largest_pure_loss(&law) / claims[i], truth[i], 2e-4);
        assert_within(event_of(&law).epsilon, truth[i] * claims[i] * (1.0 - 1e-4),
                      truth[i] * claims[i] * (1.0 + 1e-3));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sharp_add_remove_holds_and_is_reached),
        cmocka_unit_test(shorter_rows_are_dominated),
        cmocka_unit_test(units_of_several_rows_hold_and_are_reached),
        cmocka_unit_test(sharp_replace_one_holds_and_is_reached),
        cmocka_unit_test(replaced_units_of_two_hold_and_are_reached),
        cmocka_unit_test(replace_one_holds_on_a_line),
        cmocka_unit_test(pure_claims_hold_and_are_reached),
        cmocka_unit_test(published_gaussian_claims_hold),
        cmocka_unit_test(published_pure_claims_hold),
        cmocka_unit_test(composition_with_a_gaussian_holds),
        cmocka_unit_test(renyi_divergence_holds),
        cmocka_unit_test(noise_of_add_remove_is_too_little_for_replace_one),
        cmocka_unit_test(a_lambda_too_small_breaks_the_gaussian_profile),
        cmocka_unit_test(the_pure_rule_of_add_remove_is_wrong_for_replace_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
