/* What theory says: every bound is the least of what it balances, and scales as it should. */
#include "support.h"

#include <math.h>

#include <sotto/theory.h>

static sotto_theory_setting ordinary(void)
{
    sotto_theory_setting setting = sotto_theory_defaults();
    setting.adjacency = SOTTO_ADD_REMOVE;
    setting.epsilon = 1.0;
    setting.delta = 1e-6;
    setting.rows = 30000.0;
    setting.dimension = 100.0;
    setting.lipschitz = 1.5;
    setting.trace = 0.5;
    setting.objective_least = 0.0;
    setting.radius = 3.0;
    return setting;
}

static sotto_theory_bounds bounds_of(const sotto_theory_setting *setting)
{
    sotto_theory_bounds bounds;
    sotto_error error;
    assert_ok(sotto_theory_bound(setting, &bounds, &error), &error);
    return bounds;
}

static void assert_near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-9 * fabs(b))) fail_msg("%.17g is not %.17g", a, b);
}

/* sigma over sensitivity at (1, 1e-6) is 4.224678889327 (Balle & Wang 2018). */
static void the_budget_buys_its_mu(void **state)
{
    (void)state;
    const sotto_theory_setting setting = ordinary();
    assert_true(fabs(bounds_of(&setting).mu * 4.224678889327 - 1.0) < 1e-6);
}

static void each_bound_is_the_least_of_what_it_balances(void **state)
{
    (void)state;
    const sotto_theory_setting s = ordinary();
    const sotto_theory_bounds b = bounds_of(&s);
    const double w = s.lipschitz / b.mu;
    double objective = INFINITY, output = INFINITY, regularized = INFINITY;
    for (double x = -12.0; x <= 12.0; x += 1e-4) {
        const double lambda = exp(x);
        objective = fmin(objective, (s.dimension * w * w / (2.0 * lambda) +
                                     lambda * s.radius * s.radius / 2.0) /
                                        s.rows);
        output = fmin(output, w * w * s.trace / (2.0 * lambda * lambda) +
                                  lambda * s.radius * s.radius / (2.0 * s.rows));
        const double prior = lambda * lambda * s.lipschitz * s.lipschitz / (b.mu * b.mu);
        regularized = fmin(regularized, (s.dimension / lambda +
                                         prior * s.radius * s.radius / (2.0 * lambda)) /
                                            s.rows);
    }
    assert_true(fabs(b.objective / objective - 1.0) < 1e-6);
    assert_true(fabs(b.output / output - 1.0) < 1e-6);
    assert_true(fabs(b.exponential_regularized / regularized - 1.0) < 1e-6);
    const double noise = s.dimension * w * w / (s.rows * s.rows);
    const double descent =
        s.radius * sqrt(s.lipschitz * s.lipschitz / b.gradient_steps + noise);
    assert_true(fabs(b.gradient_convex / descent - 1.0) < 1e-3); /* whole steps */
}

static void rates_are_those_of_the_theory(void **state)
{
    (void)state;
    sotto_theory_setting s = ordinary();
    s.lambda = 2.0;
    const sotto_theory_bounds b = bounds_of(&s);
    s.dimension *= 4.0;
    const sotto_theory_bounds wide = bounds_of(&s);
    assert_near(wide.objective, 2.0 * b.objective);
    assert_near(wide.exponential_pure, 4.0 * b.exponential_pure);
    assert_true(wide.gradient_strong > 3.9 * b.gradient_strong &&
                wide.gradient_strong < 4.1 * b.gradient_strong);
    s = ordinary();
    s.rows *= 8.0;
    const sotto_theory_bounds many = bounds_of(&s);
    assert_near(many.objective, b.objective / 8.0);
    assert_near(many.output, b.output / 4.0);
    s = ordinary();
    s.adjacency = SOTTO_REPLACE_ONE;
    assert_near(bounds_of(&s).objective, 2.0 * b.objective);
    assert_near(bounds_of(&s).generalization, expm1(1.0) + 1e-6);
    assert_near(b.generalization, expm1(2.0) + (1.0 + exp(1.0)) * 1e-6);
    s.unit_rows = 3.0;
    assert_near(bounds_of(&s).objective, 6.0 * b.objective);
    assert_true(isnan(bounds_of(&s).generalization));
}

static void a_pure_budget_has_the_pure_bounds_alone(void **state)
{
    (void)state;
    sotto_theory_setting s = ordinary();
    s.delta = SOTTO_UNSET;
    const sotto_theory_bounds b = bounds_of(&s);
    assert_true(isnan(b.mu) && isnan(b.objective) && isnan(b.output));
    assert_near(b.exponential_pure, 2.0 * 100.0 * 1.5 * 3.0 / 30000.0);
}

static void sample_sizes_bring_the_excess_that_was_asked_for(void **state)
{
    (void)state;
    sotto_theory_setting s = ordinary();
    s.excess = 0.01;
    s.failure = 0.05;
    const sotto_theory_bounds b = bounds_of(&s);
    const double w = s.lipschitz / b.mu;
    const double norm = w * (10.0 + sqrt(2.0 * log(20.0)));
    assert_true(norm * s.radius / b.rows_needed <= s.excess);
    assert_true(norm * s.radius / (b.rows_needed - 1.0) > s.excess);
    assert_true(b.order_rows_corrected < b.order_rows_printed);
    assert_near(b.order_rows_not_private, 9.0 * log(20.0) / pow(0.01 / 1.5, 2.0));
    s.trace = INFINITY; /* a loss with a corner */
    assert_true(isnan(bounds_of(&s).output));
}

static void objective_perturbation_is_bounded_where_its_theorem_holds(void **state)
{
    (void)state;
    sotto_theory_setting s = ordinary();
    s.excess = 0.01;
    s.failure = 0.05;
    const sotto_theory_bounds free = bounds_of(&s);
    s.objective_least = 4.0 * free.objective_lambda;
    const sotto_theory_bounds more = bounds_of(&s);
    assert_near(more.objective_lambda, s.objective_least);
    assert_near(more.objective, free.objective * (4.0 + 0.25) / 2.0);
    assert_true(more.rows_needed > free.rows_needed);
    s.objective_least = SOTTO_UNSET; /* a loss that pays for its curvature */
    const sotto_theory_bounds none = bounds_of(&s);
    assert_true(isnan(none.objective) && isnan(none.objective_lambda) &&
                isnan(none.rows_needed));
    assert_near(none.gradient_convex, free.gradient_convex);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    sotto_theory_bounds bounds;
    sotto_error error;
    sotto_theory_setting s = ordinary();
    s.rows = 0.0;
    assert_refused(sotto_theory_bound(&s, &bounds, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "rows", NULL);
    s = ordinary();
    s.adjacency = SOTTO_ADJACENCY_UNSET;
    assert_refused(sotto_theory_bound(&s, &bounds, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "adjacency", NULL);
    s = ordinary();
    s.excess = 0.1;
    assert_refused(sotto_theory_bound(&s, &bounds, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "failure", NULL);
    s = ordinary();
    s.delta = 1.5;
    assert_refused(sotto_theory_bound(&s, &bounds, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "delta", NULL);
    s = ordinary();
    s.lambda = -1.0;
    assert_refused(sotto_theory_bound(&s, &bounds, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "lambda", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_budget_buys_its_mu),
        cmocka_unit_test(each_bound_is_the_least_of_what_it_balances),
        cmocka_unit_test(rates_are_those_of_the_theory),
        cmocka_unit_test(a_pure_budget_has_the_pure_bounds_alone),
        cmocka_unit_test(sample_sizes_bring_the_excess_that_was_asked_for),
        cmocka_unit_test(objective_perturbation_is_bounded_where_its_theorem_holds),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
