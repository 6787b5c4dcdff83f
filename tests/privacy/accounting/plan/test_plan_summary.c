/* Plans as JSON, in single numbers, by shares, and against an attacker. */
#include "support.h"

#include <sotto/accountant.h>

#include "base/memory.h"
#include "numeric/special.h"

static sotto_plan *parse(const char *json)
{
    sotto_plan *plan = NULL;
    sotto_error error;
    assert_ok(sotto_plan_parse(json, strlen(json), &plan, &error), &error);
    return plan;
}

/* ---- JSON ---- */

static const char every_mechanism[] =
    "{\"adjacency\":\"add-remove\",\"events\":["
    "{\"count\":14063,\"grid\":0.125,\"mechanism\":\"gaussian\","
    "\"noise_multiplier\":1.1000000000000003,\"purpose\":\"gradient \\\"sum\\\" "
    "\xc3\xa9\","
    "\"sampling\":{\"method\":\"poisson\",\"rate\":0.00427},\"sensitivity\":2.0,"
    "\"sigma\":2.375},"
    "{\"count\":1000000000000,\"epsilon\":0.0,\"mechanism\":\"pure\"},"
    "{\"count\":2,\"delta\":1e-8,\"epsilon\":0.1,\"mechanism\":\"approximate\"},"
    "{\"count\":1,\"mechanism\":\"zcdp\",\"rho\":0.01},"
    "{\"count\":1,\"mechanism\":\"gdp\",\"mu\":0.5},"
    "{\"count\":10,\"mechanism\":\"discrete-gaussian\",\"sensitivity\":1.0,\"sigma\":5.0}"
    ","
    "{\"count\":10,\"mechanism\":\"discrete-laplace\",\"scale\":2.5,\"sensitivity\":1.0},"
    "{\"count\":1,\"epsilon\":0.2,\"mechanism\":\"exponential\"},"
    "{\"count\":1,\"epsilon\":0.2,\"mechanism\":\"permute-and-flip\"},"
    "{\"categories\":3,\"count\":1,\"epsilon\":1.0986122886681098,"
    "\"mechanism\":\"randomized-response\",\"purpose\":\"poll\"}]}";

static void assert_same_event(const sotto_event *a, const sotto_event *b)
{
    const double left[] = {
        a->noise_multiplier, a->epsilon, a->delta, a->rho,  a->mu,   a->scale,
        a->sensitivity,      a->grid,    a->rate,  a->atom, a->shift};
    const double right[] = {
        b->noise_multiplier, b->epsilon, b->delta, b->rho,  b->mu,   b->scale,
        b->sensitivity,      b->grid,    b->rate,  b->atom, b->shift};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
        assert_int_equal(isnan(left[i]), isnan(right[i]));
        if (!isnan(left[i])) assert_memory_equal(&left[i], &right[i], sizeof left[i]);
    }
    assert_int_equal(a->mechanism, b->mechanism);
    assert_int_equal(a->sampling, b->sampling);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->categories, b->categories);
    assert_int_equal(a->vertices, b->vertices);
    assert_string_equal(a->purpose, b->purpose);
}

static void the_canonical_form_reads_back_as_the_same_plan(void **state)
{
    (void)state;
    sotto_error error;
    char *json = NULL, *again = NULL;
    sotto_plan *plan = parse(every_mechanism);
    assert_ok(sotto_plan_to_json(plan, &json, &error), &error);
    assert_string_equal(json, every_mechanism); /* it was written in that form */
    sotto_plan *copy = parse(json);
    assert_int_equal(sotto_plan_size(copy), 10);
    assert_int_equal(sotto_plan_adjacency(copy), SOTTO_ADD_REMOVE);
    for (size_t i = 0; i < sotto_plan_size(plan); i++)
        assert_same_event(sotto_plan_event(plan, i), sotto_plan_event(copy, i));
    assert_ok(sotto_plan_to_json(copy, &again, &error), &error);
    assert_string_equal(json, again);
    sotto_free(json);
    sotto_free(again);
    sotto_free(NULL);
    sotto_plan_free(plan);
    sotto_plan_free(copy);
}

static void open_targets_survive(void **state)
{
    (void)state;
    static const char open[] =
        "{\"adjacency\":\"replace-one\",\"events\":[{\"count\":\"search\","
        "\"mechanism\":\"gaussian\",\"noise_multiplier\":\"search\"}]}";
    sotto_error error;
    char *json = NULL;
    sotto_plan *plan = parse(open);
    assert_ok(sotto_plan_to_json(plan, &json, &error), &error);
    assert_string_equal(json, open);
    sotto_free(json);
    sotto_plan_free(plan);
}

static void what_has_no_json_form_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_plan *plan = NULL;
    char *json = NULL;
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
    assert_refused(sotto_plan_to_json(plan, &json, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "no events", NULL);
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_PURE;
    event.epsilon = 0.1;
    (void)snprintf(event.purpose, sizeof event.purpose, "\xff");
    if (sotto_plan_add(plan, &event, &error) == SOTTO_OK) {
        assert_refused(sotto_plan_to_json(plan, &json, &error), SOTTO_INVALID_ARGUMENT,
                       &error, "UTF-8", NULL);
    }
    assert_null(json);
    sotto_plan_free(plan);
}

static void lack_of_memory_is_reported_at_every_allocation(void **state)
{
    (void)state;
    sotto_plan *plan = parse(every_mechanism);
    sotto_status status = SOTTO_OUT_OF_MEMORY;
    size_t nth = 0;
    while (status == SOTTO_OUT_OF_MEMORY) {
        char *json = NULL;
        sotto_error error;
        (void)sot_test_fail_allocation(++nth);
        status = sotto_plan_to_json(plan, &json, &error);
        (void)sot_test_fail_allocation(0);
        if (status != SOTTO_OK) assert_null(json);
        sotto_free(json);
    }
    assert_int_equal(status, SOTTO_OK);
    assert_true(nth > 2);
    sotto_plan_free(plan);
}

/* ---- single numbers ---- */

static void numbers_of(const char *json, double *mu, double *rho)
{
    sotto_error error;
    sotto_plan *plan = parse(json);
    assert_ok(sotto_account_single_numbers(plan, mu, rho, &error), &error);
    sotto_plan_free(plan);
}

static void mu_and_rho_add_up_where_they_exist(void **state)
{
    (void)state;
    double mu, rho;
    numbers_of("{\"events\": [{\"noise_multiplier\": 2, \"count\": 3}, "
               "{\"mechanism\": \"gdp\", \"mu\": 0.5}]}",
               &mu, &rho);
    assert_within(mu, 1.0, 1.0 + 1e-15); /* sqrt(3/4 + 1/4) */
    assert_within(rho, 0.5, 0.5 + 1e-15);
    numbers_of("{\"events\": [{\"noise_multiplier\": 2}, {\"mechanism\": \"zcdp\", "
               "\"rho\": 0.25}, {\"mechanism\": \"discrete-laplace\", \"scale\": 4, "
               "\"sensitivity\": 2, \"count\": 2}]}",
               &mu, &rho);
    assert_true(isnan(mu));
    /* 1/8 + 1/4 + 2 (1/2) tanh(1/4) */
    assert_within(rho, 0.375 + tanh(0.25), 0.375 + tanh(0.25) + 1e-15);
    numbers_of("{\"events\": [{\"mechanism\": \"pure\", \"epsilon\": 4}]}", &mu, &rho);
    assert_within(rho, 4.0 * tanh(2.0), 4.0 * tanh(2.0) + 1e-14); /* 3.856, not 8 */
    numbers_of("{\"events\": [{\"noise_multiplier\": 2, \"sampling\": {\"method\": "
               "\"poisson\", \"rate\": 0.5}}]}",
               &mu, &rho);
    assert_true(isnan(mu) && isnan(rho));
    numbers_of(
        "{\"events\": [{\"noise_multiplier\": 2}, {\"mechanism\": \"approximate\", "
        "\"epsilon\": 0.1, \"delta\": 1e-9}]}",
        &mu, &rho);
    assert_true(isnan(mu) && isnan(rho));
    numbers_of("{\"events\": [{\"mechanism\": \"pure\", \"epsilon\": 0}]}", &mu, &rho);
    assert_true(isnan(mu) && rho == 0.0);
}

/* ---- shares ---- */

static void shares_are_those_of_the_renyi_divergence(void **state)
{
    (void)state;
    double shares[4];
    sotto_error error;
    sotto_plan *plan =
        parse("{\"events\": [{\"noise_multiplier\": 1}, "
              "{\"noise_multiplier\": 1, \"count\": 2}, "
              "{\"mechanism\": \"zcdp\", \"rho\": 0.5}, "
              "{\"mechanism\": \"approximate\", \"epsilon\": 0, \"delta\": "
              "1e-9}]}");
    assert_ok(sotto_account_shares(plan, 8.0, shares, &error), &error);
    assert_relative(shares[0], 0.25, 1e-14);
    assert_relative(shares[1], 0.5, 1e-14);
    assert_relative(shares[2], 0.25, 1e-14);
    assert_true(shares[3] == 0.0);
    assert_refused(sotto_account_shares(plan, 1.0, shares, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`order` is 1", NULL);
    sotto_plan_free(plan);
    plan = parse("{\"events\": [{\"mechanism\": \"pure\", \"epsilon\": 0}]}");
    assert_ok(sotto_account_shares(plan, 8.0, shares, &error), &error);
    assert_true(shares[0] == 0.0);
    sotto_plan_free(plan);
}

/* ---- the attack ---- */

static void one_pair_bounds_an_attack_as_the_theorem_says(void **state)
{
    (void)state;
    const sotto_account pair = {.epsilon = 1.0, .delta = 1e-3};
    /* e f + d at a small f, 1 - (1 - d - f)/e at a large one. */
    assert_relative(sotto_account_attack(&pair, 1, 0.01), exp(1.0) * 0.01 + 1e-3, 1e-14);
    assert_relative(sotto_account_attack(&pair, 1, 0.5), 1.0 - exp(-1.0) * 0.499, 1e-14);
    assert_true(sotto_account_attack(&pair, 1, 0.9999) == 1.0);
    assert_true(sotto_account_attack(&pair, 1, 1.0) == 1.0);
    assert_true(sotto_account_attack(&pair, 0, 0.01) == 1.0);
    assert_true(sotto_account_attack(&pair, 1, NAN) == 1.0);
    const sotto_account none = {.epsilon = NAN, .delta = 1e-3};
    assert_true(sotto_account_attack(&none, 1, 0.01) == 1.0);
    const sotto_account useless = {.epsilon = 800.0, .delta = 0.0};
    assert_true(sotto_account_attack(&useless, 1, 0.01) == 1.0);
}

/* The best attack on one Gaussian release accepts with probability Phi(Phi^-1(f) + mu) (Dong,
 * Roth & Su 2022, eq. 6): the bound from a few pairs is above, and close. */
static void the_bound_is_above_the_best_attack_on_a_gaussian(void **state)
{
    (void)state;
    const double deltas[] = {0.3, 0.1, 0.03, 0.01, 0.003, 1e-3, 1e-4, 1e-5, 1e-6};
    const double rates[] = {1e-3, 1e-2, 0.05, 0.1};
    const double noises[] = {0.5, 1.0, 2.375, 20.0};
    for (size_t k = 0; k < 4; k++) {
        sotto_error error;
        sotto_plan *plan = NULL;
        sotto_account pairs[9];
        sotto_event event = sotto_event_defaults();
        event.mechanism = SOTTO_GAUSSIAN;
        event.noise_multiplier = noises[k];
        assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
        assert_ok(sotto_plan_add(plan, &event, &error), &error);
        for (size_t i = 0; i < 9; i++)
            assert_ok(
                sotto_account_epsilon(plan, SOTTO_EXACT, deltas[i], &pairs[i], &error),
                &error);
        for (size_t i = 0; i < 4; i++) {
            const double best =
                exp(sot_log_ndtr(sot_normal_quantile(rates[i]) + 1.0 / noises[k]));
            const double bound = sotto_account_attack(pairs, 9, rates[i]);
            assert_within(bound, best, best * 1.25);
        }
        sotto_plan_free(plan);
    }
}

/* ---- the sampler's error ---- */

static void an_exact_sampler_costs_nothing(void **state)
{
    (void)state;
    sotto_error error;
    sotto_account plain, inexact;
    sotto_plan *plan = parse("{\"events\": [{\"noise_multiplier\": 2, \"count\": 3}]}");
    assert_ok(sotto_account_epsilon(plan, SOTTO_EXACT, 1e-6, &plain, &error), &error);
    assert_ok(
        sotto_account_epsilon_inexact(plan, SOTTO_EXACT, 1e-6, 0.0, &inexact, &error),
        &error);
    assert_true(plain.epsilon == inexact.epsilon);
    assert_true(plain.epsilon_lower == inexact.epsilon_lower);
    /* Half of delta for the sampler: between epsilon(delta) and epsilon(delta/2). */
    const double error_bound = 0.5e-6 / (1.0 + exp(plain.epsilon));
    assert_ok(sotto_account_epsilon_inexact(plan, SOTTO_EXACT, 1e-6, error_bound,
                                            &inexact, &error),
              &error);
    assert_true(inexact.epsilon > plain.epsilon);
    assert_true(inexact.epsilon_lower < plain.epsilon_lower);
    assert_true(inexact.delta == 1e-6);
    assert_refused(
        sotto_account_epsilon_inexact(plan, SOTTO_EXACT, 1e-6, -1e-9, &inexact, &error),
        SOTTO_INVALID_ARGUMENT, &error, "sampler_error", NULL);
    assert_refused(
        sotto_account_epsilon_inexact(plan, SOTTO_EXACT, 1e-6, NAN, &inexact, &error),
        SOTTO_INVALID_ARGUMENT, &error, "sampler_error", NULL);
    assert_refused(
        sotto_account_epsilon_inexact(plan, SOTTO_EXACT, 1e-6, 1e-3, &inexact, &error),
        SOTTO_UNREACHABLE, &error, "no room", NULL);
    sotto_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_canonical_form_reads_back_as_the_same_plan),
        cmocka_unit_test(open_targets_survive),
        cmocka_unit_test(what_has_no_json_form_is_refused),
        cmocka_unit_test(lack_of_memory_is_reported_at_every_allocation),
        cmocka_unit_test(mu_and_rho_add_up_where_they_exist),
        cmocka_unit_test(shares_are_those_of_the_renyi_divergence),
        cmocka_unit_test(one_pair_bounds_an_attack_as_the_theorem_says),
        cmocka_unit_test(the_bound_is_above_the_best_attack_on_a_gaussian),
        cmocka_unit_test(an_exact_sampler_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
