/* The theorems of objective perturbation: published vectors, the chain rule, calibration. The
 * densities themselves are in test_objective_density.c. */
#include "support.h"

#include <float.h>

#include "numeric/special.h"
#include "privacy/accounting/objective/objective.h"
#include "privacy/accounting/objective/theorems.h"
#include "privacy/accounting/objective_loss/loss.h"
#include "privacy/accounting/plans.h"
#include "privacy/accounting/profile/gaussian.h"

static sot_objective_law law_of(sot_objective_theorem theorem, sotto_adjacency adjacency,
                                double lambda)
{
    sot_objective_law law = sot_objective_law_defaults();
    law.theorem = theorem;
    law.adjacency = adjacency;
    law.unit_rows = 1;
    law.record_bound = 1.0;
    law.smoothness = 0.25;
    law.lambda = lambda;
    return law;
}

static sotto_event event_of(const sot_objective_law *law)
{
    sotto_error error;
    sotto_event event;
    assert_ok(sot_objective_event(law, &event, &error), &error);
    return event;
}

static sotto_event objective(double noise_multiplier, double atom, uint64_t count)
{
    sotto_event event = plans_event(SOTTO_OBJECTIVE_PERTURBATION);
    event.noise_multiplier = noise_multiplier;
    event.atom = atom;
    event.count = count;
    return event;
}

static double gaussian_profile(double mu, double epsilon)
{
    return sot_gaussian_delta((sot_bracket){mu, mu}, epsilon).upper;
}

/* ---- vectors: 40-digit arithmetic, printed to the digits given ---- */

static void gaussian_profile_has_its_values(void **state)
{
    (void)state;
    static const struct {
        double mu, epsilon, delta;
    } rows[] = {{1.0, 1.0, 0.1269367375066},
                {0.5, 1.0, 0.006829594983115},
                {0.1, 0.1, 0.00875176814581},
                {2.0, 4.0, 0.08495331867107},
                {0.25, 2.0, 5.092130893864e-17}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_relative(gaussian_profile(rows[i].mu, rows[i].epsilon), rows[i].delta,
                        3e-12);
}

/* Above the threshold the sharp rule needs the noise of a Gaussian release, and no more. */
static void sharp_noise_is_that_of_a_gaussian_release(void **state)
{
    (void)state;
    static const struct {
        double epsilon, delta, sigma;
    } rows[] = {{0.1, 1e-6, 36.3046904262},
                {1.0, 1e-6, 4.224678889327},
                {1.0, 1e-5, 3.730631634816},
                {8.0, 1e-5, 0.600229072199},
                {0.5, 1e-9, 10.67389681508}};
    sotto_error error;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int adjacency = 1; adjacency <= 2; adjacency++) {
            sot_objective_law law =
                law_of(SOT_OBJECTIVE_SHARP, (sotto_adjacency)adjacency,
                       adjacency / rows[i].epsilon);
            law.record_bound = 1.25;
            law.lambda *= 1.25 * 1.25;
            assert_ok(sot_objective_calibrate(&law, rows[i].epsilon, rows[i].delta, 0.0,
                                              &error),
                      &error);
            const double floor = adjacency * 1.25 * rows[i].sigma;
            assert_within(law.sigma, floor * (1.0 - 1e-11), floor * (1.0 + 2e-9));
            assert_true(isnan(law.rate) && isnan(law.epsilon) && isnan(law.delta));
        }
    }
}

/* sigma/R at (1, 1e-6), add-remove, R = 1: the printed digits of the comparison of rules. */
static void published_rules_need_their_noise(void **state)
{
    (void)state;
    static const struct {
        double lambda, redberg;
    } rows[] = {{1.0, 5.992}, {2.0, 4.989}, {10.0, 4.471}};
    sotto_error error;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sot_objective_law law =
            law_of(SOT_OBJECTIVE_REDBERG, SOTTO_ADD_REMOVE, rows[i].lambda);
        assert_ok(sot_objective_calibrate(&law, 1.0, 1e-6, 0.0, &error), &error);
        assert_within(law.sigma, rows[i].redberg - 6e-4, rows[i].redberg + 6e-4);
        assert_true(law.lambda == rows[i].lambda);

        law = law_of(SOT_OBJECTIVE_KIFER, SOTTO_ADD_REMOVE, rows[i].lambda);
        assert_ok(sot_objective_calibrate(&law, 1.0, 1e-6, 0.0, &error), &error);
        assert_within(law.sigma, 10.955, 10.965);

        law = law_of(SOT_OBJECTIVE_SHARP, SOTTO_ADD_REMOVE, rows[i].lambda);
        assert_ok(sot_objective_calibrate(&law, 1.0, 1e-6, 0.0, &error), &error);
        assert_within(law.sigma, 4.2246, 4.2248);
    }
    /* lambda 1/2 is below what calibrate asks for, but 13.21 is enough and 13.20 is not. */
    sot_objective_law law = law_of(SOT_OBJECTIVE_REDBERG, SOTTO_ADD_REMOVE, 0.5);
    law.epsilon = 1.0;
    law.delta = 1e-6;
    law.sigma = 13.215;
    assert_int_equal(event_of(&law).mechanism, SOTTO_APPROXIMATE);
    law.sigma = 13.20;
    sotto_event event;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "sigma is 13.2", "more than 1e-06", NULL);
}

static void chaudhuri_splits_epsilon_as_published(void **state)
{
    (void)state;
    sotto_error error;
    /* n = 1000, Lambda = .01, c = 1/4, epsilon = .1: epsilon' = 0.05061477481926 */
    sot_objective_law law = law_of(SOT_OBJECTIVE_CHAUDHURI, SOTTO_REPLACE_ONE, 10.0);
    assert_ok(sot_objective_calibrate(&law, 0.1, 0.0, 0.0, &error), &error);
    assert_relative(2.0 * law.rate, 0.05061477481926, 1e-12);
    assert_true(law.lambda == 10.0);
    /* Lambda = 1e-4: Delta = 0.009775520827908 on top, epsilon' = epsilon/2 */
    law = law_of(SOT_OBJECTIVE_CHAUDHURI, SOTTO_REPLACE_ONE, 0.1);
    assert_ok(sot_objective_calibrate(&law, 0.1, 0.0, 0.0, &error), &error);
    assert_relative(law.lambda, 1000.0 * (0.009775520827908 + 1e-4), 1e-12);
    assert_relative(2.0 * law.rate, 0.05, 1e-12);
    assert_int_equal(event_of(&law).mechanism, SOTTO_PURE);
}

static void redberg_profile_has_its_values(void **state)
{
    (void)state;
    /* a = 1/2, beta/lambda = 1/4, epsilon = 1; below c + a^2/2 the other formula */
    assert_relative(sot_objective_redberg_delta_upper(1.0, 0.25, 1.0, 2.0, 1.0),
                    0.04848994281497, 1e-12);
    const double c = -log1p(-0.25), half = 0.125;
    const double at_kink =
        sot_objective_redberg_delta_upper(1.0, 0.25, 1.0, 2.0, c + half);
    assert_relative(at_kink, 2.0 * gaussian_profile(0.5, half), 1e-12);
    assert_within(sot_objective_redberg_delta_upper(1.0, 0.25, 1.0, 2.0, 0.3), at_kink,
                  1.0);
}

static void renyi_divergence_has_its_value(void **state)
{
    (void)state;
    sotto_error error;
    double rdp;
    sotto_plan *plan = plan_of(objective(2.0, 0.5, 1));
    assert_ok(sotto_account_rdp(plan, 8.0, &rdp, &error), &error);
    assert_within(rdp, 1.002881327507 * (1.0 - 1e-12), 1.002881327507 * (1.0 + 1e-12));
    sotto_plan_free(plan);
    plan = plan_of(objective(2.0, 0.0, 1));
    assert_ok(sotto_account_rdp(plan, 8.0, &rdp, &error), &error);
    assert_within(rdp, 1.0, 1.0 + 1e-12); /* the Gaussian alone */
    sotto_plan_free(plan);
}

/* ---- the proofs' identities ---- */

/* G(k a, eps) = sum_i e^{sum_{j<i} eps_j} G(a, eps_i), eps_i = eps/k + (2 i - k - 1) a^2/2. */
static void chain_of_steps_loses_nothing(void **state)
{
    (void)state;
    static const double shifts[] = {0.05, 0.3, 0.8};
    static const double epsilons[] = {0.2, 1.0, 3.5};
    for (int k = 2; k <= 6; k++) {
        for (size_t i = 0; i < 9; i++) {
            const double a = shifts[i / 3], epsilon = epsilons[i % 3];
            double sum = 0.0, before = 0.0;
            for (int step = 1; step <= k; step++) {
                const double part = epsilon / k + (2 * step - k - 1) * a * a / 2.0;
                sum += exp(before) * gaussian_profile(a, part);
                before += part;
            }
            assert_relative(sum, gaussian_profile(k * a, epsilon), 1e-9);
        }
    }
}

/* The event's numbers are the header's formulas, rounded outward. */
static void events_follow_the_formulas(void **state)
{
    (void)state;
    for (uint64_t k = 1; k <= 5; k += 2) {
        for (size_t i = 0; i < 6; i++) {
            const double rows = (double)k, lambda = ldexp(0.3, (int)i);
            sot_objective_law law = law_of(SOT_OBJECTIVE_SHARP, SOTTO_ADD_REMOVE, lambda);
            law.unit_rows = k;
            law.sigma = 1.7;
            const double square = 1.0 / (1.7 * 1.7);
            const double kappa = fmax(0.0, 1.0 / lambda - square / 2.0);
            sotto_event event = event_of(&law);
            assert_within(event.noise_multiplier, 1.7 / rows * (1.0 - 1e-15), 1.7 / rows);
            const double atom = rows * kappa + rows * (rows - 1.0) * square / 2.0;
            assert_within(event.atom, atom * (1.0 - 1e-15), atom * (1.0 + 3e-15));
            law.adjacency = SOTTO_REPLACE_ONE;
            event = event_of(&law);
            assert_relative(event.noise_multiplier, 1.7 / (2.0 * rows), 1e-15);
            assert_relative(event.atom,
                            fmax(rows * (2.0 * rows - 1.0) * square,
                                 2.0 * rows * kappa - rows * square),
                            4e-15);
        }
    }
}

/* Above lambda = 2 sigma^2 there is no atom, and the release is a Gaussian one. */
static void without_an_atom_it_is_a_gaussian_release(void **state)
{
    (void)state;
    sotto_error error;
    double mu, rho;
    sot_objective_law law = law_of(SOT_OBJECTIVE_SHARP, SOTTO_ADD_REMOVE, 8.0000001);
    law.sigma = 2.0;
    assert_true(event_of(&law).atom == 0.0);
    sotto_plan *plan = plan_under(law.adjacency, event_of(&law), gaussian(1.5, 1));
    assert_ok(sotto_account_single_numbers(plan, &mu, &rho, &error), &error);
    assert_relative(mu, sqrt(0.25 + 1.0 / 2.25), 1e-15);
    const sotto_account account = delta_of(plan, SOTTO_EXACT, 1.0);
    assert_relative(account.delta, gaussian_profile(mu, 1.0), 1e-12);
    assert_relative(account.delta_lower, account.delta,
                    1e-12); /* saturated rows attain it */
    plan = plan_of(objective(2.0, 0.125, 1));
    assert_ok(sotto_account_single_numbers(plan, &mu, &rho, &error), &error);
    assert_true(isnan(mu) && isnan(rho));
    sotto_plan_free(plan);
}

/* ---- composition: the law max(t, atom) convolved with itself by quadrature ---- */

static double self_composed(double shift, double atom, double epsilon)
{
    /* E over t of delta(epsilon - max(t, atom)), midpoints; the atom apart. */
    const double from = (atom - 0.5 * shift * shift) / shift, step = 1e-4;
    const sot_objective law = {
        .vertices = 1.0, .shift = shift, .atom = atom, .count = 1.0};
    double sum = sot_ndtr(from) * sot_objective_delta_upper(&law, epsilon - atom);
    for (double z = from + 0.5 * step; z < from + 12.0 && z < 12.0; z += step) {
        const double t = 0.5 * shift * shift + shift * z;
        sum += step * 0.3989422804014327 * exp(-0.5 * z * z) *
               sot_objective_delta_upper(&law, epsilon - t);
    }
    return sum;
}

static void several_releases_are_never_underpriced(void **state)
{
    (void)state;
    static const struct {
        double noise, atom, epsilon;
    } rows[] = {{2.0, 0.25, 1.5}, {4.0, 0.5, 1.25}, {1.0, 0.125, 3.0}, {1.5, 1.0, 2.5}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double truth =
            self_composed(1.0 / rows[i].noise, rows[i].atom, rows[i].epsilon);
        sotto_account account =
            delta_of(plan_of(objective(rows[i].noise, rows[i].atom, 2)), SOTTO_EXACT,
                     rows[i].epsilon);
        assert_within(account.delta, truth * (1.0 - 1e-6), 2.0 * truth);
        account = delta_of(plan_of(objective(rows[i].noise, rows[i].atom, 2)), SOTTO_RDP,
                           rows[i].epsilon);
        assert_within(account.delta, truth * (1.0 - 1e-6), 1.0);
        account = delta_of(plan_of(objective(rows[i].noise, rows[i].atom, 2)),
                           SOTTO_BASIC, rows[i].epsilon);
        assert_within(account.delta, truth * (1.0 - 1e-6), 1.0);
    }
}

/* Beside other events the answer is finite, ordered by accountant, and above each part alone. */
static void every_accountant_prices_every_mixture(void **state)
{
    (void)state;
    static const sotto_accountant accountants[] = {SOTTO_EXACT, SOTTO_RDP, SOTTO_BASIC};
    for (int mixture = 0; mixture < 6; mixture++) {
        double exact = NAN;
        for (size_t i = 0; i < 3; i++) {
            const sotto_event event = objective(5.0, 0.75, mixture == 5 ? 5000 : 1);
            const sotto_event others[] = {
                gaussian(9.0, 3),          pure(0.05, 7),  sampled(0.01, 2.0, 90),
                approximate(0.1, 1e-8, 2), zcdp(0.001, 1), gdp(0.01, 1)};
            const sotto_account account =
                epsilon_of(plan_of(event, others[mixture]), accountants[i], 1e-6);
            assert_within(account.epsilon, 0.75, 1e5);
            if (i == 0) exact = account.epsilon;
            assert_within(exact, 0.0, account.epsilon * (1.0 + 1e-12));
            assert_true(isnan(account.epsilon_lower) || account.epsilon_lower == 0.0);
        }
    }
}

static void shares_and_filters_know_it(void **state)
{
    (void)state;
    sotto_error error;
    double shares[2], rdp, delta;
    sotto_plan *plan = plan_of(objective(2.0, 0.5, 1), gaussian(2.0, 1));
    assert_ok(sotto_account_shares(plan, 8.0, shares, &error), &error);
    assert_relative(shares[0], 1.002881327507 / 2.002881327507, 1e-9);
    assert_ok(sotto_account_rdp_with_delta(plan, 8.0, &rdp, &delta, &error), &error);
    assert_relative(rdp, 2.002881327507, 1e-11);
    assert_true(delta == 0.0);
    /* No order is too small or too large for a number. */
    static const double orders[] = {1.0000001, 1.01, 1e3, 1e9};
    for (size_t i = 0; i < 4; i++) {
        assert_ok(sotto_account_rdp(plan, orders[i], &rdp, &error), &error);
        assert_within(rdp, 0.5, 1e9);
    }
    sotto_plan_free(plan);
}

/* ---- calibration ---- */

/* The account of the law's event and its correction. */
static double whole_epsilon(const sot_objective_law *law, double share, double delta)
{
    sotto_error error;
    double mu, epsilon;
    assert_ok(sot_objective_correction(law, share, &mu, &epsilon, &error), &error);
    assert_true(isnan(mu) != isnan(epsilon));
    const sotto_event correction = isnan(mu) ? pure(epsilon, 1) : gdp(mu, 1);
    return epsilon_of(plan_under(law->adjacency, event_of(law), correction), SOTTO_EXACT,
                      delta)
        .epsilon;
}

/* Over the whole range of targets the two events stay within them, and the noise is within a
 * millionth of what one Gaussian release alone would need. */
static void calibration_meets_every_target(void **state)
{
    (void)state;
    const double share = SOT_OBJECTIVE_CORRECTION_SHARE;
    static const double epsilons[] = {1e-3, 0.1, 1.0, 2.0, 100.0};
    static const double deltas[] = {1e-3, 9.4e-10, 1e-15};
    for (size_t i = 0; i < 60; i++) {
        sotto_error error;
        sotto_account account;
        double floor;
        const double epsilon = epsilons[i % 5], delta = deltas[i / 5 % 3];
        const int adjacency = 1 + (i / 15) % 2;
        sot_objective_law law =
            law_of(SOT_OBJECTIVE_SHARP, (sotto_adjacency)adjacency, NAN);
        law.unit_rows = i < 30 ? 1 : 4;
        assert_ok(sot_objective_least_lambda(&law, epsilon, delta, &law.lambda, &error),
                  &error);
        assert_ok(sot_objective_calibrate(&law, epsilon, delta, share, &error), &error);
        assert_within(whole_epsilon(&law, share, delta), epsilon * (1.0 - 1e-9), epsilon);
        sotto_plan *plan = plan_of(gaussian(NAN, 1));
        assert_ok(sotto_account_noise(plan, SOTTO_EXACT, epsilon, delta, &floor, &account,
                                      &error),
                  &error);
        sotto_plan_free(plan);
        floor *= adjacency * (double)law.unit_rows;
        assert_within(law.sigma, floor * (1.0 - 1e-6), floor * (1.0 + 1e-6));
    }
}

static void the_least_lambda_is_close_to_the_rule_of_thumb(void **state)
{
    (void)state;
    static const struct {
        double epsilon, delta, least, most; /* of lambda epsilon/R^2 */
    } rows[] = {
        {0.1, 1e-9, 0.999, 1.001}, {2.0, 1e-9, 0.97, 1.0}, {0.1, 0.0, 1.0, 1.001}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sotto_error error;
        double lambda;
        sot_objective_law law = law_of(SOT_OBJECTIVE_SHARP, SOTTO_ADD_REMOVE, NAN);
        law.record_bound = sqrt(2.0);
        assert_ok(sot_objective_least_lambda(&law, rows[i].epsilon, rows[i].delta,
                                             &lambda, &error),
                  &error);
        assert_within(lambda * rows[i].epsilon / 2.0, rows[i].least, rows[i].most);
    }
}

/* Below the least lambda more noise makes up for it, as long as any noise can. */
static void a_smaller_lambda_costs_noise_and_then_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    sot_objective_law law = law_of(SOT_OBJECTIVE_SHARP, SOTTO_ADD_REMOVE, 0.9);
    assert_ok(sot_objective_calibrate(&law, 1.0, 1e-6, 0.0, &error), &error);
    assert_within(law.sigma, 1.0001 * 4.2247, 1.0002 * 4.2247);
    law.lambda = 0.5; /* half of it: a twelfth more noise */
    assert_ok(sot_objective_calibrate(&law, 1.0, 1e-6, 0.0, &error), &error);
    assert_within(law.sigma, 4.5758, 4.5760);
    assert_within(whole_epsilon(&law, 0.0, 1e-6), 1.0 - 1e-6, 1.0);
    const double alone = law.sigma, share = SOT_OBJECTIVE_CORRECTION_SHARE;
    assert_ok(sot_objective_calibrate(&law, 1.0, 1e-6, share, &error), &error);
    assert_within(law.sigma / alone, 1.0, 1.005); /* the correction's own price */
    assert_within(whole_epsilon(&law, share, 1e-6), 1.0 - 1e-6, 1.0);
    law.lambda =
        0.145; /* log(1 + 1/(4 lambda)) > 1: frozen at 1/2 the slope costs more than epsilon */
    assert_refused(sot_objective_calibrate(&law, 1.0, 1e-6, 0.0, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "lambda is 0.145", "needs more",
                   "0.974", NULL);
    law.lambda = 0.5;
    assert_ok(sot_objective_calibrate(&law, 1.0, 0.0, 0.0, &error), &error);
    assert_within(law.rate, 0.9029,
                  0.9030); /* log(1 + 2 s (1 - s)) + rate s = 1 at its top */
    assert_within(event_of(&law).epsilon, 1.0 - 1e-9, 1.0);
    law.lambda = 0.1; /* log(1 + 10/4) > 1 */
    assert_refused(sot_objective_calibrate(&law, 1.0, 0.0, 0.0, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "lambda is 0.1", NULL);
}

static void named_calibrations_leave_room_for_the_correction(void **state)
{
    (void)state;
    const double share = SOT_OBJECTIVE_CORRECTION_SHARE;
    static const sot_objective_theorem theorems[] = {
        SOT_OBJECTIVE_KIFER, SOT_OBJECTIVE_REDBERG, SOT_OBJECTIVE_KIFER,
        SOT_OBJECTIVE_CHAUDHURI};
    for (size_t i = 0; i < 12; i++) {
        sotto_error error;
        const double epsilon = i / 4 == 0 ? 0.1 : i / 4 == 1 ? 1.0 : 8.0;
        const double delta = i % 4 < 2 ? 1e-6 : 0.0;
        sot_objective_law law =
            law_of(theorems[i % 4], i % 4 == 3 ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE,
                   SOTTO_UNSET);
        double least;
        assert_ok(sot_objective_least_lambda(&law, epsilon, delta, &least, &error),
                  &error);
        assert_ok(sot_objective_calibrate(&law, epsilon, delta, share, &error), &error);
        assert_relative(law.lambda, least, 1e-12);
        assert_within(whole_epsilon(&law, share, delta), 0.98 * epsilon, epsilon);
    }
}

/* ---- refusals ---- */

static void laws_that_no_theorem_covers_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    sot_objective_law law = law_of(SOT_OBJECTIVE_SHARP, SOTTO_ADD_REMOVE, 1.0);
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "the noise is not set", NULL);
    law.sigma = 4.25;
    law.rate = 0.5;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "both set", NULL);
    law.rate = SOTTO_UNSET;
    law.smoothness = 0.375;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "smoothness of the loss is 0.375", "logistic", "0.25", NULL);
    law.smoothness = 0.25;
    law.record_bound = SOTTO_UNSET;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "bound of one record is nan", NULL);
    law.record_bound = 1.0;
    law.lambda = 0.0;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "lambda is 0", NULL);
    law.lambda = 1e-7;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "lambda is 1e-07", "atom", NULL);
    law.lambda = 1.0;
    law.sigma = 1e-5;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "sigma is 1e-05", NULL);
    law.unit_rows = 0;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "a unit has 0 rows", NULL);
    law.unit_rows = 1;
    law.adjacency = SOTTO_ADJACENCY_UNSET;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "adjacency", NULL);
    law.theorem = (sot_objective_theorem)9;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "calibration is 9", NULL);
    law = law_of(SOT_OBJECTIVE_SHARP, SOTTO_ADD_REMOVE, 1e-9);
    law.rate = 1e7;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "rate is 1e+07", NULL);
}

static void published_rules_refuse_what_they_do_not_cover(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    sot_objective_law law = law_of(SOT_OBJECTIVE_KIFER, SOTTO_REPLACE_ONE, 1.0);
    assert_refused(sot_objective_calibrate(&law, 1.0, 1e-6, 0.0, &error),
                   SOTTO_UNSUPPORTED, &error, "kifer", "add-remove", NULL);
    law.adjacency = SOTTO_ADD_REMOVE;
    law.unit_rows = 2;
    assert_refused(sot_objective_calibrate(&law, 1.0, 1e-6, 0.0, &error),
                   SOTTO_UNSUPPORTED, &error, "one row per unit", "has 2", NULL);
    law.unit_rows = 1;
    law.sigma = 11.0;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "claimed epsilon is nan", NULL);
    law.epsilon = 1.0;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "claimed delta is nan", NULL);
    law.delta = 1e-6;
    assert_ok(sot_objective_event(&law, &event, &error), &error);
    law.sigma = 10.9;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "sigma is 10.9", "at least 10.95", NULL);
    law.lambda = 0.25;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "lambda is 0.25", "at least 0.5", NULL);
    law.lambda = 0.5;
    law.sigma = law.delta = SOTTO_UNSET;
    law.rate = 0.501;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "rate is 0.501", "at most 0.5", NULL);
    law = law_of(SOT_OBJECTIVE_CHAUDHURI, SOTTO_REPLACE_ONE, 0.25);
    law.epsilon = 1.0;
    law.rate = 0.1;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "lambda is 0.25", "0.880", NULL);
    law.lambda = 1.0;
    law.rate = 0.3;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "rate is 0.3", "at most 0.276", NULL);
    law.rate = SOTTO_UNSET;
    law.sigma = 5.0;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "pure noise", NULL);
    law = law_of(SOT_OBJECTIVE_REDBERG, SOTTO_ADD_REMOVE, 0.25);
    law.epsilon = 1.0;
    law.delta = 1e-6;
    law.sigma = 50.0;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "lambda is 0.25", NULL);
    law.sigma = SOTTO_UNSET;
    law.rate = 0.5;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "Gaussian noise", NULL);
}

static void targets_out_of_range_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    double lambda;
    sot_objective_law law = law_of(SOT_OBJECTIVE_SHARP, SOTTO_ADD_REMOVE, 1.0);
    assert_refused(sot_objective_calibrate(&law, 0.0, 1e-6, 0.0, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`epsilon` is 0", NULL);
    assert_refused(sot_objective_calibrate(&law, NAN, 1e-6, 0.0, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`epsilon` is nan", NULL);
    assert_refused(sot_objective_calibrate(&law, 1.0, 0.75, 0.0, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`delta` is 0.75", NULL);
    assert_refused(sot_objective_calibrate(&law, 1.0, 1e-6, 0.625, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "correction is 0.625", NULL);
    law.lambda = SOTTO_UNSET;
    assert_refused(sot_objective_calibrate(&law, 1.0, 1e-6, 0.0, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "lambda is nan", NULL);
    law.theorem = SOT_OBJECTIVE_REDBERG;
    assert_refused(sot_objective_least_lambda(&law, 1.0, 0.0, &lambda, &error),
                   SOTTO_UNSUPPORTED, &error, "redberg", "`delta` is missing", NULL);
    law.theorem = SOT_OBJECTIVE_CHAUDHURI;
    law.adjacency = SOTTO_REPLACE_ONE;
    assert_refused(sot_objective_least_lambda(&law, 1.0, 1e-6, &lambda, &error),
                   SOTTO_UNSUPPORTED, &error, "chaudhuri", "leave `delta` out", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussian_profile_has_its_values),
        cmocka_unit_test(sharp_noise_is_that_of_a_gaussian_release),
        cmocka_unit_test(published_rules_need_their_noise),
        cmocka_unit_test(chaudhuri_splits_epsilon_as_published),
        cmocka_unit_test(redberg_profile_has_its_values),
        cmocka_unit_test(renyi_divergence_has_its_value),
        cmocka_unit_test(chain_of_steps_loses_nothing),
        cmocka_unit_test(events_follow_the_formulas),
        cmocka_unit_test(without_an_atom_it_is_a_gaussian_release),
        cmocka_unit_test(several_releases_are_never_underpriced),
        cmocka_unit_test(every_accountant_prices_every_mixture),
        cmocka_unit_test(shares_and_filters_know_it),
        cmocka_unit_test(calibration_meets_every_target),
        cmocka_unit_test(the_least_lambda_is_close_to_the_rule_of_thumb),
        cmocka_unit_test(a_smaller_lambda_costs_noise_and_then_is_refused),
        cmocka_unit_test(named_calibrations_leave_room_for_the_correction),
        cmocka_unit_test(laws_that_no_theorem_covers_are_refused),
        cmocka_unit_test(published_rules_refuse_what_they_do_not_cover),
        cmocka_unit_test(targets_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
