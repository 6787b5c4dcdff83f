/* The price of keeping the best of several runs, against the reference answers of tests/vectors
 * (accounting.json "tuning-*", pate_audit.json "private_tuning"; their README files say how they
 * were made). */
#include "privacy/accounting/plans.h"

#include <jansson.h>

#include <sotto/selection_cost.h>

#include "privacy/accounting/selection/selection.h"

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static json_t *load(const char *name)
{
    char path[512];
    json_error_t problem;
    (void)snprintf(path, sizeof path, "%s/%s", SOTTO_TEST_VECTORS, name);
    json_t *loaded = json_load_file(path, 0, &problem);
    assert_non_null(loaded);
    return loaded;
}

static sotto_runs with_mean(double shape, double mean)
{
    sotto_error error;
    sotto_runs runs;
    const sotto_runs_law law =
        isnan(shape) ? SOTTO_RUNS_POISSON : SOTTO_RUNS_NEGATIVE_BINOMIAL;
    assert_ok(sotto_runs_from_mean(law, shape, mean, &runs, &error), &error);
    return runs;
}

/* --- the references' own computation: a grid of orders --- */

enum { ORDERS_MAX = 256 };

typedef struct grid {
    size_t count;
    double orders[ORDERS_MAX];
    double rdp[ORDERS_MAX];
} grid;

static double plan_rdp(const sotto_plan *plan, double order)
{
    sotto_error error;
    double rdp;
    assert_ok(sotto_account_rdp(plan, order, &rdp, &error), &error);
    return rdp;
}

static void add_order(grid *on, const sotto_plan *plan, double order)
{
    on->orders[on->count] = order;
    on->rdp[on->count++] = plan_rdp(plan, order);
}

/* README: 1.1, 1.2, ..., 10.9, 11, 12, ..., 63, 128, 256, 512, 1024. */
static grid default_grid(const sotto_plan *plan)
{
    grid on = {.count = 0};
    for (int tenths = 11; tenths <= 109; tenths++)
        add_order(&on, plan, tenths / 10.0);
    for (int order = 11; order <= 63; order++)
        add_order(&on, plan, order);
    for (int order = 128; order <= 1024; order *= 2)
        add_order(&on, plan, order);
    return on;
}

/* README of pate_audit: dhat from the orders of the grid alone. */
static double delta_hat(const grid *on, double order)
{
    const double epsilon = sot_selection_epsilon_hat(order);
    double least = 1.0;
    for (size_t i = 0; i < on->count; i++) {
        const double b = on->orders[i], rdp = on->rdp[i];
        least = fmin(least, sqrt(-expm1(-rdp)));
        least = fmin(least, exp((b - 1.0) * (rdp - epsilon + log1p(-1.0 / b)) - log(b)));
    }
    return least;
}

static double best_price(const grid *on, const sotto_runs *runs)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i < on->count; i++)
        least = fmin(least, sot_selection_price(runs, on->orders[i], on->rdp[i]));
    return least;
}

static double on_grid(const grid *on, const sotto_runs *runs, size_t i)
{
    const double order = on->orders[i], rdp = on->rdp[i];
    return runs->law == SOTTO_RUNS_POISSON
               ? sot_selection_rdp_poisson(runs->mean, order, rdp, delta_hat(on, order))
               : sot_selection_rdp_negative_binomial(runs, order, rdp,
                                                     best_price(on, runs));
}

/* The least over the orders of the grid from `order` on, or the bound at it alone. */
static double grid_rdp(const grid *on, const sotto_runs *runs, double order,
                       int is_monotone)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i < on->count; i++) {
        if (on->orders[i] < order || (!is_monotone && on->orders[i] > order)) continue;
        least = fmin(least, on_grid(on, runs, i));
    }
    return least;
}

static double grid_epsilon(const grid *on, const sotto_runs *runs, double delta)
{
    double least = HUGE_VAL;
    for (size_t i = 0; i < on->count; i++) {
        const double a = on->orders[i];
        least = fmin(least, grid_rdp(on, runs, a, 1) + log1p(-1.0 / a) -
                                (log(delta) + log(a)) / (a - 1.0));
    }
    return least;
}

/* --- accounting.json --- */

static double shape_of(const json_t *params)
{
    const json_t *shape = json_object_get(params, "shape");
    return json_is_string(shape) ? SOTTO_UNSET : json_number_value(shape);
}

static void check_answer(const grid *on, const sotto_plan *plan, const sotto_runs *runs,
                         const json_t *expect)
{
    sotto_error error;
    sotto_account account;
    const char *ask = json_string_value(json_object_get(expect, "ask"));
    const double value = number(expect, "value"), rtol = number(expect, "rtol");
    if (strcmp(ask, "gamma") == 0) {
        assert_relative(runs->gamma, value, 1e-11);
    } else if (strcmp(ask, "rdp") == 0) {
        const double order = number(expect, "order");
        double rdp;
        /* The reference takes the least over larger orders for one law only. */
        const int is_monotone = runs->law == SOTTO_RUNS_NEGATIVE_BINOMIAL;
        assert_relative(grid_rdp(on, runs, order, is_monotone), value, rtol);
        assert_ok(sotto_account_selection_rdp(plan, runs, order, &rdp, &error), &error);
        assert_within(rdp, 0.0, value * (1.0 + 1e-9));
    } else if (strcmp(ask, "epsilon") == 0) {
        const double delta = number(expect, "delta");
        assert_relative(grid_epsilon(on, runs, delta), value, rtol);
        assert_ok(sotto_account_selection(plan, runs, delta, &account, &error), &error);
        /* Any real order, and for Poisson the exact delta: never more than the reference. */
        assert_within(account.epsilon, 0.5 * value, value * (1.0 + 1e-9));
        if (runs->law == SOTTO_RUNS_NEGATIVE_BINOMIAL)
            assert_within(account.epsilon, 0.998 * value, value * (1.0 + 1e-9));
    } else {
        assert_string_equal(ask, "epsilon_single_run");
    }
}

static void references_for_tuning_are_met(void **state)
{
    (void)state;
    json_t *all = load("accounting.json");
    size_t index, asked, cases = 0;
    const json_t *vector, *expect;
    json_array_foreach(all, index, vector)
    {
        const char *mechanism = json_string_value(json_object_get(vector, "mechanism"));
        if (strcmp(mechanism, "repeat_and_select") != 0) continue;
        const json_t *params = json_object_get(vector, "params");
        const json_t *base = json_object_get(params, "base");
        const json_t *rate = json_object_get(base, "q");
        sotto_plan *plan =
            plan_of(rate == NULL
                        ? gaussian(number(base, "sigma"), (uint64_t)number(base, "steps"))
                        : sampled(json_number_value(rate), number(base, "sigma"),
                                  (uint64_t)number(base, "steps")));
        const sotto_runs runs = with_mean(shape_of(params), number(params, "mean"));
        const grid on = default_grid(plan);
        json_array_foreach(json_object_get(vector, "expect"), asked, expect)
            check_answer(&on, plan, &runs, expect);
        sotto_plan_free(plan);
        cases++;
    }
    assert_int_equal(cases, 6);
    json_decref(all);
}

/* --- pate_audit.json --- */

static const json_t *tuning_part(const json_t *all, const char *key)
{
    return json_object_get(json_object_get(all, "private_tuning"), key);
}

static grid audit_grid(const json_t *all, const sotto_plan *plan)
{
    grid on = {.count = 0};
    size_t index;
    const json_t *order;
    json_array_foreach(tuning_part(all, "orders_ps"), index, order)
        add_order(&on, plan, json_number_value(order));
    return on;
}

static sotto_plan *audit_plan(const json_t *vector)
{
    const json_t *base = json_object_get(vector, "base");
    return plan_of(gaussian(number(base, "noise_multiplier"),
                            (uint64_t)number(base, "compositions")));
}

static void check_orders(const json_t *expected, const grid *on, const sotto_runs *runs,
                         int is_monotone)
{
    assert_true(json_object_size(expected) > 0);
    for (void *at = json_object_iter((json_t *)(uintptr_t)expected); at != NULL;
         at = json_object_iter_next((json_t *)(uintptr_t)expected, at)) {
        const double order = strtod(json_object_iter_key(at), NULL);
        assert_relative(grid_rdp(on, runs, order, is_monotone),
                        json_number_value(json_object_iter_value(at)), 1e-9);
    }
}

static void probabilities_and_gammas_are_the_references(void **state)
{
    (void)state;
    json_t *all = load("pate_audit.json");
    size_t index;
    const json_t *vector;
    json_array_foreach(tuning_part(all, "tnb"), index, vector)
    {
        const double mean = number(vector, "mean");
        const sotto_runs runs = with_mean(number(vector, "eta"), mean);
        assert_relative(runs.gamma, number(vector, "gamma"), 1e-11);
        assert_within(sotto_runs_mean(&runs), mean * (1.0 - 1e-12), mean * (1.0 + 1e-12));
        assert_relative(sotto_runs_probability(&runs, 1), number(vector, "pr_k1"), 1e-10);
        assert_relative(sotto_runs_probability(&runs, 2), number(vector, "pr_k2"), 1e-10);
        assert_relative(sotto_runs_probability(&runs, 5), number(vector, "pr_k5"), 1e-10);
    }
    assert_int_equal(index, 7);
    json_decref(all);
}

static void negative_binomial_tuning_is_the_reference(void **state)
{
    (void)state;
    json_t *all = load("pate_audit.json");
    size_t index, row;
    const json_t *vector, *expect;
    json_array_foreach(tuning_part(all, "tuned_tnb"), index, vector)
    {
        sotto_error error;
        sotto_account account;
        sotto_plan *plan = audit_plan(vector);
        const sotto_runs runs = with_mean(number(vector, "eta"), number(vector, "mean"));
        const grid on = audit_grid(all, plan);
        check_orders(json_object_get(vector, "rdp_raw_at"), &on, &runs, 0);
        check_orders(json_object_get(vector, "rdp_monotone_at"), &on, &runs, 1);
        json_array_foreach(json_object_get(vector, "eps"), row, expect)
        {
            const double delta = number(expect, "delta");
            const double value = number(expect, "tuned_eps_improved");
            assert_relative(grid_epsilon(&on, &runs, delta), value, 1e-8);
            assert_ok(sotto_account_selection(plan, &runs, delta, &account, &error),
                      &error);
            assert_within(account.epsilon, 0.98 * value, value * (1.0 + 1e-9));
            double classic = HUGE_VAL, base = HUGE_VAL;
            for (size_t i = 0; i < on.count; i++) {
                const double a = on.orders[i];
                /* No order is better for the bound of a larger one: its own penalty is less. */
                classic = fmin(classic, on_grid(&on, &runs, i) - log(delta) / (a - 1.0));
                base = fmin(base, on.rdp[i] + log1p(-1.0 / a) -
                                      (log(delta) + log(a)) / (a - 1.0));
            }
            assert_relative(classic, number(expect, "tuned_eps_classic"), 1e-8);
            assert_relative(base, number(expect, "base_eps_improved"), 1e-8);
        }
        sotto_plan_free(plan);
    }
    assert_int_equal(index, 6);
    json_decref(all);
}

/* The published form, which forgets the outcome of zero runs. */
static double published_poisson(const grid *on, double mean, size_t i)
{
    const double order = on->orders[i];
    return on->rdp[i] + mean * delta_hat(on, order) + log(mean) / (order - 1.0);
}

static void poisson_tuning_counts_the_outcome_of_zero_runs(void **state)
{
    (void)state;
    json_t *all = load("pate_audit.json");
    size_t index;
    const json_t *vector;
    json_array_foreach(tuning_part(all, "tuned_poisson"), index, vector)
    {
        sotto_plan *plan = audit_plan(vector);
        const sotto_runs runs = with_mean(SOTTO_UNSET, number(vector, "mean"));
        const grid on = audit_grid(all, plan);
        check_orders(json_object_get(vector, "rdp_at_with_zero_runs"), &on, &runs, 0);
        const json_t *published = json_object_get(vector, "rdp_at");
        for (size_t i = 0; i < on.count; i++) {
            char key[32];
            (void)snprintf(key, sizeof key, "%g", on.orders[i]);
            const json_t *value = json_object_get(published, key);
            if (value == NULL) continue;
            assert_relative(published_poisson(&on, runs.mean, i),
                            json_number_value(value), 1e-9);
        }
        const json_t *expect;
        size_t row;
        json_array_foreach(json_object_get(vector, "eps"), row, expect)
        {
            /* The vectors' epsilon is of the published form; what is charged is never less than
             * the divergence it is made of. */
            const double delta = number(expect, "delta");
            double epsilon = HUGE_VAL;
            for (size_t i = 0; i < on.count; i++) {
                const double a = on.orders[i];
                const double rdp = published_poisson(&on, runs.mean, i);
                assert_true(grid_rdp(&on, &runs, a, 0) >= rdp * (1.0 - 1e-12));
                epsilon = fmin(epsilon,
                               rdp + log1p(-1.0 / a) - (log(delta) + log(a)) / (a - 1.0));
            }
            assert_relative(epsilon, number(expect, "tuned_eps_improved"), 1e-8);
        }
        sotto_plan_free(plan);
    }
    assert_int_equal(index, 3);
    json_decref(all);
}

static void closed_forms_for_zcdp_and_pure_runs_are_met(void **state)
{
    (void)state;
    sotto_error error;
    json_t *all = load("pate_audit.json");
    size_t index;
    const json_t *vector;
    json_array_foreach(tuning_part(all, "zcdp_closed_form"), index, vector)
    {
        sotto_plan *plan = plan_of(zcdp(number(vector, "rho"), 1));
        sotto_runs runs = sotto_runs_defaults();
        runs.law = SOTTO_RUNS_NEGATIVE_BINOMIAL;
        runs.shape = number(vector, "eta");
        runs.gamma = number(vector, "gamma");
        double rdp;
        assert_relative(sotto_runs_mean(&runs), number(vector, "mean"), 1e-13);
        assert_ok(sotto_account_selection_rdp(plan, &runs, number(vector, "order"), &rdp,
                                              &error),
                  &error);
        assert_within(rdp, number(vector, "rdp") * (1.0 - 1e-12),
                      number(vector, "rdp") * (1.0 + 1e-8));
        sotto_plan_free(plan);
    }
    assert_int_equal(index, 5);
    json_array_foreach(tuning_part(all, "pure_dp"), index, vector)
    {
        sotto_plan *plan = plan_of(pure(number(vector, "eps"), 1));
        const sotto_runs runs = with_mean(number(vector, "eta"), 10.0);
        sotto_account account;
        assert_ok(sotto_account_selection(plan, &runs, 0.0, &account, &error), &error);
        assert_within(account.epsilon, number(vector, "tuned_eps"),
                      number(vector, "tuned_eps") * (1.0 + 1e-14));
        sotto_plan_free(plan);
    }
    assert_int_equal(index, 4);
    json_decref(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_for_tuning_are_met),
        cmocka_unit_test(probabilities_and_gammas_are_the_references),
        cmocka_unit_test(negative_binomial_tuning_is_the_reference),
        cmocka_unit_test(poisson_tuning_counts_the_outcome_of_zero_runs),
        cmocka_unit_test(closed_forms_for_zcdp_and_pure_runs_are_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
