/* Draws from a posterior: formulas against the vectors, events, calibration, refusals, what leaves. */
#include "random/laws.h"

#include "base/memory.h"
#include "privacy/accounting/profile/gaussian.h"
#include "privacy/mechanisms/correction/correction.h"
#include "privacy/mechanisms/posterior/posterior.h"
#include "privacy/mechanisms/release.h"

static double field(const json_t *vector, const char *key)
{
    const json_t *value = json_object_get(vector, key);
    if (value == NULL) fail_msg("no field %s", key);
    return json_decimal(value);
}

static bool has(const json_t *vector, const char *key)
{
    return json_object_get(vector, key) != NULL;
}

/* ---- the formulas ---- */

static void check_profile(double mu, const json_t *points)
{
    size_t index;
    const json_t *point;
    json_array_foreach(points, index, point)
    {
        const sot_bracket delta =
            sot_gaussian_delta((sot_bracket){mu, mu}, field(point, "epsilon"));
        const double exact = field(point, "delta");
        assert_within(delta.upper, exact * (1.0 - 1e-13), exact * (1.0 + 1e-10));
    }
    assert_true(index > 0);
}

/* The sum form, and the average form as a sum: beta = k/n, lambda = k mu. Two sides of a replacement. */
static void the_gdp_parameter_is_the_reference(void **state)
{
    (void)state;
    json_t *root;
    const json_t *vector;
    size_t index;
    const json_t *all = load_cases("regularised_em_gdp", &root);
    json_array_foreach(all, index, vector)
    {
        const bool average = has(vector, "n");
        const double g = field(vector, "G");
        const double beta =
            average ? field(vector, "k") / field(vector, "n") : field(vector, "beta");
        const double lambda =
            average ? field(vector, "k") * field(vector, "mu") : field(vector, "lam");
        const double once =
            field(vector, average ? "gdp_mu_zero_out" : "gdp_mu_add_remove");
        const double twice = field(vector, "gdp_mu_replace");
        const double single = sot_posterior_mu(beta, lambda, g);
        const double pair = sot_posterior_mu(beta, lambda, 2.0 * g);
        assert_within(single, once * (1.0 - 1e-15), once * (1.0 + 1e-14));
        assert_within(pair, twice * (1.0 - 1e-15), twice * (1.0 + 1e-14));
        check_profile(pair, json_object_get(vector, "delta_replace"));
        if (!average) check_profile(single, json_object_get(vector, "delta_add_remove"));
    }
    assert_int_equal(index, 6);
    json_decref(root);
}

/* As exact as a law can be: nothing for the sampler, next to nothing for the correction. */
static sot_posterior_law exact_law(double lambda, double lipschitz, double range)
{
    sot_posterior_law law = sot_posterior_law_defaults();
    law.adjacency = SOTTO_REPLACE_ONE;
    law.dimension = 3;
    law.lambda = lambda;
    law.lipschitz = lipschitz;
    law.range = range;
    law.ball = 7.5;
    law.distance = 1e-8;
    law.sampler_error = 0.0;
    law.correction_share = 0x1p-20;
    law.purpose = "coefficients";
    return law;
}

static double calibrated(sot_posterior_law law, double epsilon, double delta,
                         double beta_most)
{
    sotto_error error;
    assert_ok(sot_posterior_calibrate(&law, epsilon, delta, beta_most, &error), &error);
    return law.beta;
}

static void calibration_is_the_reference_from_below(void **state)
{
    (void)state;
    json_t *root;
    const json_t *vector;
    size_t index;
    const json_t *all = load_cases("calibration", &root);
    json_array_foreach(all, index, vector)
    {
        const double epsilon = field(vector, "epsilon"), delta = field(vector, "delta");
        const double lambda = field(vector, "lam"), g = field(vector, "G");
        const double mu = field(vector, "gdp_mu");
        assert_within(sot_gdp_mu_most(epsilon, delta), mu * (1.0 - 1e-11),
                      mu * (1.0 + 1e-15));
        const double replace = field(vector, "beta_replace_gdp");
        const double add = field(vector, "beta_add_remove_gdp");
        assert_within(
            calibrated(exact_law(lambda, 2.0 * g, SOTTO_UNSET), epsilon, delta, 1e300),
            replace * (1.0 - 1e-10), replace * (1.0 + 1e-15));
        assert_within(
            calibrated(exact_law(lambda, g, SOTTO_UNSET), epsilon, delta, 1e300),
            add * (1.0 - 1e-10), add * (1.0 + 1e-15));
    }
    assert_int_equal(index, 6);
    json_decref(root);
}

/* And its profile; and the condition of its proof, which it breaks where it is refused. */
static void minamis_condition_is_the_reference_and_refused_beyond_its_proof(void **state)
{
    (void)state;
    sotto_error error;
    json_t *root;
    const json_t *vector;
    size_t index, refused = 0;
    const json_t *all = load_cases("calibration", &root);
    json_array_foreach(all, index, vector)
    {
        const double epsilon = field(vector, "epsilon"), delta = field(vector, "delta");
        const double lambda = field(vector, "lam"), g = 2.0 * field(vector, "G");
        const double closed = field(vector, "beta_minami_closed_form");
        const double tail = field(vector, "beta_tail_bound");
        assert_within(sot_minami_tail_beta(epsilon, delta, lambda, g),
                      tail * (1.0 - 1e-14), tail * (1.0 + 1e-15));
        const double x = closed * g / sqrt(lambda);
        const double needs = x * x / 2.0 + x * sqrt(2.0 * log(1.0 / delta));
        const bool covers =
            json_is_true(json_object_get(vector, "closed_form_proof_covers"));
        assert_int_equal(needs <= epsilon, covers);
        double beta = 0.0;
        const sotto_status status =
            sot_minami_beta(epsilon, delta, lambda, g, &beta, &error);
        if (!covers) {
            refused++;
            assert_refused(status, SOTTO_INVALID_ARGUMENT, &error, "up to 1", NULL);
            continue;
        }
        assert_ok(status, &error);
        assert_within(beta, closed * (1.0 - 1e-14), closed * (1.0 + 1e-15));
        const double exact = field(vector, "delta_of_closed_form");
        const double upper = sot_gaussian_delta((sot_bracket){x, x}, epsilon).upper;
        assert_relative(upper, exact, 1e-10);
    }
    assert_int_equal(index, 6);
    assert_int_equal(refused, 2);
    json_decref(root);
}

/* The power of a likelihood within +-B, or within [-B, 0]; what an untempered draw costs. */
static void tempering_is_the_reference(void **state)
{
    (void)state;
    sotto_error error;
    json_t *root;
    const json_t *vector;
    size_t index;
    const json_t *all = load_cases("posterior_tempering", &root);
    json_array_foreach(all, index, vector)
    {
        const double b = field(vector, "B"), epsilon = field(vector, "epsilon");
        const char *bound = json_string_value(json_object_get(vector, "bound"));
        const double one = strcmp(bound, "|log p|<=B") == 0 ? 2.0 * b : b;
        const char *const costs[] = {"untempered_epsilon_add_remove",
                                     "untempered_epsilon_replace"};
        const char *const powers[] = {"temperature_add_remove", "temperature_replace"};
        for (int sides = 1; sides <= 2; sides++) {
            sot_posterior_law law = exact_law(1.0, SOTTO_UNSET, sides * one);
            const double power = field(vector, powers[sides - 1]);
            const double beta = calibrated(law, epsilon, 0.0, 1.0);
            assert_within(beta, power * (1.0 - 1e-6), power);
            sot_posterior_facts facts;
            law.beta = 1.0;
            assert_ok(sot_posterior_derive(&law, &facts, &error), &error);
            const double cost = field(vector, costs[sides - 1]);
            assert_within(facts.epsilon, cost * (1.0 - 1e-15), cost * (1.0 + 1e-15));
            assert_int_equal(facts.events[0].mechanism, SOTTO_EXPONENTIAL);
        }
    }
    assert_int_equal(index, 5);
    json_decref(root);
}

/* Draw and correction together, and what total variation takes of delta. */
static void the_budget_of_an_inexact_draw_is_the_reference(void **state)
{
    (void)state;
    sotto_error error;
    json_t *root;
    const json_t *vector;
    size_t index;
    const json_t *all = load_cases("proximal_plan", &root);
    json_array_foreach(all, index, vector)
    {
        const double mu = field(vector, "gdp_mu"), lambda = field(vector, "alpha");
        const double distance = field(vector, "winf_target");
        sot_posterior_law law = exact_law(lambda, 1.0, SOTTO_UNSET);
        law.beta = mu * sqrt(lambda);
        law.distance = distance;
        law.dimension = (size_t)field(vector, "d");
        law.correction_share = 2.0 * distance / field(vector, "final_sigma") / mu;
        sotto_plan *plan = NULL;
        double total, rho;
        assert_ok(sotto_plan_new(law.adjacency, &plan, &error), &error);
        assert_ok(sot_posterior_plan(&law, plan, &error), &error);
        assert_ok(sotto_account_single_numbers(plan, &total, &rho, &error), &error);
        assert_relative(total, field(vector, "gdp_mu_total"), 1e-12);
        sotto_plan_free(plan);

        /* delta and what the total variation costs leave room for what delta alone does. */
        const double epsilon = field(vector, "eps");
        law = exact_law(lambda, 1.0, SOTTO_UNSET);
        const double alone = calibrated(law, epsilon, field(vector, "delta"), 1e300);
        law.sampler_error = field(vector, "tv_target");
        assert_within(calibrated(law, epsilon, field(vector, "tv_total_delta"), 1e300),
                      alone * (1.0 - 1e-9), alone);
    }
    assert_int_equal(index, 3);
    json_decref(root);
}

/* ---- facts ---- */

static sot_posterior_law three_draws(void)
{
    sot_posterior_law law = exact_law(1.5625, 1.25, SOTTO_UNSET);
    law.adjacency = SOTTO_ADD_REMOVE;
    law.beta = 0.375;
    law.draws = 3;
    law.sampler_error = 0x1p-90;
    law.correction_share = 0x1p-7;
    return law;
}

static sot_posterior_law pure_draws(void)
{
    sot_posterior_law law = three_draws();
    law.lipschitz = SOTTO_UNSET;
    law.range = 2.5;
    law.correction_share = 0x1p-10;
    return law;
}

static void events_state_the_draw_and_its_correction(void **state)
{
    (void)state;
    sotto_error error;
    sot_posterior_facts facts;
    sot_posterior_law law = three_draws();
    assert_ok(sot_posterior_derive(&law, &facts, &error), &error);
    assert_int_equal(facts.events[0].mechanism, SOTTO_GDP);
    assert_true(facts.mu == 0.375 && facts.events[0].mu == 0.375); /* 0.375 1.25 / 1.25 */
    assert_int_equal(facts.events[0].count, 3);
    assert_int_equal(facts.events[1].mechanism, SOTTO_GAUSSIAN);
    assert_int_equal(facts.events[1].count, 3);
    assert_string_equal(facts.events[1].purpose, "coefficients: solver");
    const double multiplier = 128.0 / 0.375;
    assert_within(facts.events[1].noise_multiplier, multiplier,
                  multiplier * (1.0 + 0x1p-39));
    /* 1e-8 / (8 sqrt(3)), down to a power of two; two distances and sqrt(3) grids */
    assert_true(facts.grid == 0x1p-31);
    const double sensitivity = 2e-8 + sqrt(3.0) * facts.grid;
    assert_relative(facts.events[1].sensitivity, sensitivity, 1e-12);
    assert_within(facts.sampler_error, 3.0 * 0x1p-90, 3.0 * 0x1p-90 * (1.0 + 0x1p-39));

    law = pure_draws();
    assert_ok(sot_posterior_derive(&law, &facts, &error), &error);
    assert_int_equal(facts.events[0].mechanism, SOTTO_EXPONENTIAL);
    assert_true(facts.epsilon == 0.9375 && facts.events[0].epsilon == 0.9375);
    assert_int_equal(facts.events[1].mechanism, SOTTO_DISCRETE_LAPLACE);
    const double epsilon = 0.9375 * 0x1p-10;
    assert_within(facts.events[1].sensitivity / facts.events[1].scale,
                  epsilon * (1.0 - 1e-11), epsilon);
}

/* The ball is at most 2^51 grids wide: released coefficients are exact as doubles. */
static void a_wide_ball_has_a_grid_that_doubles_can_hold(void **state)
{
    (void)state;
    sotto_error error;
    sot_posterior_facts facts;
    sot_posterior_law law = three_draws();
    law.ball = 0x1p30;
    assert_ok(sot_posterior_derive(&law, &facts, &error), &error);
    assert_true(facts.grid == 0x1p-21);
}

static double cost_of(const sot_posterior_law *law, double delta)
{
    sotto_error error;
    sotto_plan *plan = NULL;
    sotto_account account;
    sot_posterior_facts facts;
    assert_ok(sot_posterior_derive(law, &facts, &error), &error);
    assert_ok(sotto_plan_new(law->adjacency, &plan, &error), &error);
    assert_ok(sot_posterior_plan(law, plan, &error), &error);
    assert_ok(sotto_account_epsilon_inexact(plan, SOTTO_EXACT, delta, facts.sampler_error,
                                            &account, &error),
              &error);
    sotto_plan_free(plan);
    return account.epsilon;
}

/* As the certificate will compute it. */
static void a_calibrated_law_costs_what_was_asked_for(void **state)
{
    (void)state;
    sotto_error error;
    const double epsilons[] = {0.05, 0.75, 4.5}, deltas[] = {1e-5, 1e-9};
    for (int i = 0; i < 12; i++) {
        sot_posterior_law law = three_draws();
        const double epsilon = epsilons[i % 3], delta = deltas[i / 3 % 2];
        law.draws = i / 6 == 0 ? 1 : 40;
        law.sampler_error = i % 2 == 0 ? 0x1p-90 : delta * 0x1p-10 / 40.0 / exp(epsilon);
        assert_ok(sot_posterior_calibrate(&law, epsilon, delta, 1e300, &error), &error);
        assert_within(cost_of(&law, delta), epsilon * (1.0 - 1e-3), epsilon);
    }
    for (int i = 0; i < 6; i++) {
        sot_posterior_law law = pure_draws();
        sot_posterior_facts facts;
        const double epsilon = epsilons[i % 3];
        law.draws = i / 3 == 0 ? 1 : 40;
        assert_ok(sot_posterior_calibrate(&law, epsilon, 0.0, 1e300, &error), &error);
        assert_ok(sot_posterior_derive(&law, &facts, &error), &error);
        const double delta = sot_posterior_pure_delta(epsilon, facts.sampler_error);
        const double price = (1.0 + exp(epsilon)) * facts.sampler_error;
        assert_within(delta, 2.0 * price, 4.0 * price * (1.0 + 1e-12));
        /* Of many draws the accountant knows better than their sum. */
        assert_within(cost_of(&law, delta), epsilon * (law.draws == 1 ? 0.998 : 0.5),
                      epsilon);
    }
    /* No more than beta_most, though the budget has more. */
    assert_true(calibrated(pure_draws(), 100.0, 0.0, 1.0) == 1.0);
}

static void samplers_that_use_up_delta_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sot_posterior_law law = three_draws();
    law.sampler_error = 1e-7;
    assert_refused(sot_posterior_calibrate(&law, 1.5, 1e-6, 1e300, &error),
                   SOTTO_UNREACHABLE, &error, "`epsilon` is 1.5", "total variation",
                   NULL);
    law.sampler_error = 0x1p-90;
    assert_refused(sot_posterior_calibrate(&law, 50.0, 1e-6, 1e300, &error),
                   SOTTO_UNREACHABLE, &error, "smaller `epsilon`", NULL);
}

static void laws_that_do_not_fit_together_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t offset;
        double value;
        const char *word;
    } broken[] = {
        {offsetof(sot_posterior_law, beta), NAN, "beta"},
        {offsetof(sot_posterior_law, beta), 0.0, "beta"},
        {offsetof(sot_posterior_law, lambda), -1.0, "lambda"},
        {offsetof(sot_posterior_law, lambda), INFINITY, "lambda"},
        {offsetof(sot_posterior_law, lipschitz), 0.0, "lipschitz"},
        {offsetof(sot_posterior_law, lipschitz), NAN, "exactly one"},
        {offsetof(sot_posterior_law, range), 2.0, "exactly one"},
        {offsetof(sot_posterior_law, ball), INFINITY, "ball"},
        {offsetof(sot_posterior_law, distance), 0.0, "distance"},
        {offsetof(sot_posterior_law, sampler_error), NAN, "sampler_error"},
        {offsetof(sot_posterior_law, correction_share), 0.75, "correction_share"},
    };
    sotto_error error;
    sot_posterior_facts facts;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        sot_posterior_law law = three_draws();
        memcpy((char *)&law + broken[i].offset, &broken[i].value, sizeof(double));
        assert_refused(sot_posterior_derive(&law, &facts, &error), SOTTO_INVALID_ARGUMENT,
                       &error, broken[i].word, NULL);
    }
    sot_posterior_law law = three_draws();
    law.draws = 1001;
    assert_refused(sot_posterior_derive(&law, &facts, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "`draws` is 1001", NULL);
    law = three_draws();
    law.dimension = 0;
    assert_refused(sot_posterior_derive(&law, &facts, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "coefficients", NULL);
    law = three_draws();
    sotto_plan *plan = NULL;
    assert_ok(sotto_plan_new(SOTTO_REPLACE_ONE, &plan, &error), &error);
    assert_refused(sot_posterior_plan(&law, plan, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "replace-one", NULL);
    sotto_plan_free(plan);
}

/* ---- the release ---- */

/* A "draw" that is known: 1 + i/8 in coordinate i. */
typedef struct known {
    bool fails;
} known;

static sotto_status known_draw(void *context, sotto_rng *rng, double *out_theta,
                               sotto_error *error)
{
    (void)rng, (void)error;
    for (size_t i = 0; i < 3; i++)
        out_theta[i] = 1.0 + (double)i / 8.0;
    return ((known *)context)->fails ? SOTTO_INTERRUPTED : SOTTO_OK;
}

static sotto_gate *gate_of(const sot_posterior_law *law, sotto_rng *rng)
{
    sotto_error error;
    sotto_plan *plan = NULL;
    sotto_gate *gate = NULL;
    assert_ok(sotto_plan_new(law->adjacency, &plan, &error), &error);
    assert_ok(sot_posterior_plan(law, plan, &error), &error);
    assert_ok(sotto_gate_new(plan, rng, &gate, &error), &error);
    assert_ok(sotto_gate_open(gate, &error), &error);
    sotto_plan_free(plan);
    return gate;
}

/* The deviation of what is added: sigma of the Gaussian; sqrt2 scale of the Laplace, in grids. 3000 numbers: within 12 %. */
static void what_leaves_has_noise_of_its_own(void **state)
{
    (void)state;
    for (int pure = 0; pure < 2; pure++) {
        sotto_error error;
        sot_posterior_facts facts;
        sot_posterior_law law = pure == 1 ? pure_draws() : three_draws();
        law.draws = 1000;
        known context = {0};
        const sot_posterior_problem problem = {.context = &context, .draw = known_draw};
        assert_ok(sot_posterior_derive(&law, &facts, &error), &error);
        sotto_rng *rng = test_rng(20261116);
        sotto_gate *gate = gate_of(&law, rng);
        double squares = 0.0;
        for (int draw = 0; draw < 1000; draw++) {
            int64_t units[3];
            assert_ok(sot_posterior_release(gate, &law, &problem, units, &error), &error);
            for (int i = 0; i < 3; i++) {
                const double noise = (double)units[i] - (1.0 + i / 8.0) / facts.grid;
                squares += noise * noise / 3000.0;
            }
        }
        const double scale = facts.events[1].scale / facts.grid;
        assert_relative(sqrt(squares), pure == 1 ? sqrt(2.0) * scale : scale, 0.12);
        assert_ok(sotto_gate_finish(gate, &error), &error);
        assert_within(sotto_gate_sampler_error_upper(gate), 1000.0 * law.sampler_error,
                      facts.sampler_error);
        int64_t units[3];
        assert_int_equal(sot_posterior_release(gate, &law, &problem, units, &error),
                         SOTTO_NOT_IN_PLAN);
        sotto_gate_free(gate);
        sotto_rng_free(rng);
    }
}

static void a_draw_that_fails_releases_nothing(void **state)
{
    (void)state;
    sotto_error error;
    sot_posterior_law law = three_draws();
    law.draws = 1;
    known context = {.fails = true};
    const sot_posterior_problem problem = {.context = &context, .draw = known_draw};
    sotto_rng *rng = test_rng(3);
    sotto_gate *gate = gate_of(&law, rng);
    int64_t units[3] = {5, 6, 7};
    assert_int_equal(sot_posterior_release(gate, &law, &problem, units, &error),
                     SOTTO_INTERRUPTED);
    assert_true(units[0] == 5 && units[2] == 7);
    /* Fail closed: its place in the plan is used up. */
    context.fails = false;
    assert_int_equal(sot_posterior_release(gate, &law, &problem, units, &error),
                     SOTTO_NOT_IN_PLAN);
    sotto_gate_free(gate);
    sotto_rng_free(rng);
}

static void failing_memory_releases_nothing(void **state)
{
    (void)state;
    sot_posterior_law law = three_draws();
    known context = {0};
    const sot_posterior_problem problem = {.context = &context, .draw = known_draw};
    for (size_t nth = 1; nth < 50; nth++) {
        sotto_error error;
        sotto_rng *rng = test_rng(3);
        sotto_gate *gate = gate_of(&law, rng);
        int64_t units[3] = {5, 6, 7};
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sot_posterior_release(gate, &law, &problem, units, &error);
        (void)sot_test_fail_allocation(0);
        sotto_gate_free(gate);
        sotto_rng_free(rng);
        if (status == SOTTO_OK) {
            assert_true(nth > 2);
            return;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        assert_true(units[0] == 5 && units[2] == 7);
    }
    fail_msg("it never succeeded");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gdp_parameter_is_the_reference),
        cmocka_unit_test(calibration_is_the_reference_from_below),
        cmocka_unit_test(minamis_condition_is_the_reference_and_refused_beyond_its_proof),
        cmocka_unit_test(tempering_is_the_reference),
        cmocka_unit_test(the_budget_of_an_inexact_draw_is_the_reference),
        cmocka_unit_test(events_state_the_draw_and_its_correction),
        cmocka_unit_test(a_wide_ball_has_a_grid_that_doubles_can_hold),
        cmocka_unit_test(a_calibrated_law_costs_what_was_asked_for),
        cmocka_unit_test(samplers_that_use_up_delta_are_refused),
        cmocka_unit_test(laws_that_do_not_fit_together_are_refused),
        cmocka_unit_test(what_leaves_has_noise_of_its_own),
        cmocka_unit_test(a_draw_that_fails_releases_nothing),
        cmocka_unit_test(failing_memory_releases_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
