/* The price of keeping the best of several runs: against the exact divergence of small
 * mechanisms, and what is refused. The references are in test_selection_vectors.c. */
#include "privacy/accounting/plans.h"

#include <sotto/selection_cost.h>

#include "base/memory.h"
#include "privacy/accounting/selection/selection.h"

static sotto_runs with_mean(double shape, double mean)
{
    sotto_error error;
    sotto_runs runs;
    const sotto_runs_law law =
        isnan(shape) ? SOTTO_RUNS_POISSON : SOTTO_RUNS_NEGATIVE_BINOMIAL;
    assert_ok(sotto_runs_from_mean(law, shape, mean, &runs, &error), &error);
    return runs;
}

/* --- against the exact law of the best of K --- */

static uint64_t random_state = 2026;

static double uniform(void) /* splitmix64 */
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

enum { OUTCOMES = 6 };

/* E[x^K]. */
static double generating(const sotto_runs *runs, double x)
{
    if (runs->law == SOTTO_RUNS_POISSON) return exp(runs->mean * (x - 1.0));
    const double inside = log1p(-(1.0 - runs->gamma) * x);
    if (runs->shape == 0.0) return inside / log(runs->gamma);
    return expm1(-runs->shape * inside) / expm1(-runs->shape * log(runs->gamma));
}

/* The winner's law: outcomes in the order of their score; the last is "no run at all". */
static void best_of_k(const sotto_runs *runs, const double *base, double *out)
{
    double below = 0.0;
    for (size_t i = 0; i < OUTCOMES; i++) {
        const double up_to = i + 1 == OUTCOMES ? 1.0 : fmin(1.0, below + base[i]);
        out[i] = generating(runs, up_to) - generating(runs, below);
        below = up_to;
    }
    out[OUTCOMES] = generating(runs, 0.0);
}

static double divergence(const double *p, const double *q, size_t count, double order)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (p[i] > 0.0) sum += exp(order * log(p[i]) - (order - 1.0) * log(q[i]));
    }
    return log(sum) / (order - 1.0);
}

static double hockey_stick(const double *p, const double *q, double epsilon)
{
    double sum = 0.0;
    for (size_t i = 0; i < OUTCOMES; i++)
        sum += fmax(0.0, p[i] - exp(epsilon) * q[i]);
    return sum;
}

static double both(const double *p, const double *q, size_t count, double order)
{
    return fmax(divergence(p, q, count, order), divergence(q, p, count, order));
}

static void draw_pair(double *p, double *q)
{
    const double width = 0.1 + 2.0 * uniform();
    double p_sum = 0.0, q_sum = 0.0;
    for (size_t i = 0; i < OUTCOMES; i++) {
        p[i] = exp(6.0 * (uniform() - 0.5));
        q[i] = p[i] * exp(width * (uniform() - 0.5));
        p_sum += p[i];
        q_sum += q[i];
    }
    for (size_t i = 0; i < OUTCOMES; i++) {
        p[i] /= p_sum;
        q[i] /= q_sum;
    }
}

static sotto_runs draw_runs(void)
{
    sotto_runs runs = sotto_runs_defaults();
    if (uniform() < 0.5) {
        runs.law = SOTTO_RUNS_POISSON;
        runs.mean = exp(5.0 * uniform() - 2.5); /* 0.08 to 12 */
        return runs;
    }
    runs.law = SOTTO_RUNS_NEGATIVE_BINOMIAL;
    runs.shape = uniform() < 0.2 ? 0.0 : 4.0 * uniform() - 0.9;
    runs.gamma = exp(-5.0 * uniform() - 0.01);
    return runs;
}

/* 4000 random pairs of laws on six outcomes, random orders: the divergence of the best of K is
 * never above the bound computed from the divergences of one run. */
static void the_exact_divergence_of_the_best_never_exceeds_the_bound(void **state)
{
    (void)state;
    double closest = 0.0;
    for (int trial = 0; trial < 4000; trial++) {
        double p[OUTCOMES], q[OUTCOMES], best_p[OUTCOMES + 1], best_q[OUTCOMES + 1];
        const sotto_runs runs = draw_runs();
        const double order = 1.0 + exp(4.0 * uniform() - 2.0);
        draw_pair(p, q);
        best_of_k(&runs, p, best_p);
        best_of_k(&runs, q, best_q);
        const size_t count =
            runs.law == SOTTO_RUNS_POISSON ? OUTCOMES + 1 : (size_t)OUTCOMES;
        const double exact = both(best_p, best_q, count, order);
        const double one = both(p, q, OUTCOMES, order);
        double bound;
        if (runs.law == SOTTO_RUNS_POISSON) {
            const double at = sot_selection_epsilon_hat(order);
            const double delta = fmax(hockey_stick(p, q, at), hockey_stick(q, p, at));
            bound = sot_selection_rdp_poisson(runs.mean, order, one, delta);
        } else {
            const double hat = 1.0 + exp(4.0 * uniform() - 2.0);
            const double price =
                sot_selection_price(&runs, hat, both(p, q, OUTCOMES, hat));
            bound = sot_selection_rdp_negative_binomial(&runs, order, one, price);
        }
        assert_within(exact, -1e-9, bound + 1e-9);
        closest = fmax(closest, exact / bound);
    }
    assert_within(closest, 0.5, 1.0); /* the attack came near: it could have succeeded */
}

/* The published form is negative here: with no difference between runs, and half a run on
 * average, log(mean)/(order - 1) < 0. */
static void half_a_run_on_average_is_never_free_of_charge(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_runs runs = with_mean(SOTTO_UNSET, 0.5);
    const double bound = sot_selection_rdp_poisson(0.5, 3.0, 0.0, 0.0);
    assert_within(bound, 0.5 * log(exp(-0.5) + 0.5), 0.051);
    sotto_plan *plan = plan_of(gdp(0.75, 1));
    double rdp;
    assert_ok(sotto_account_selection_rdp(plan, &runs, 3.0, &rdp, &error), &error);
    assert_within(rdp, bound, 1.7);
    sotto_plan_free(plan);
}

static void more_runs_cost_more(void **state)
{
    (void)state;
    sotto_error error;
    static const double shapes[] = {-0.5, 0.0, 1.0, SOTTO_UNSET};
    sotto_plan *plan = plan_of(gaussian(4.25, 3));
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        double before = 0.0;
        for (double mean = 1.25; mean < 1e4; mean *= 5.0) {
            const sotto_runs runs = with_mean(shapes[i], mean);
            sotto_account account;
            assert_ok(sotto_account_selection(plan, &runs, 1e-6, &account, &error),
                      &error);
            assert_true(account.epsilon > before);
            before = account.epsilon;
        }
    }
    sotto_plan_free(plan);
}

/* As one event of a larger plan the best of K runs costs what it costs alone, but for the orders that the curve
 * leaves out. */
static void the_best_of_k_runs_is_one_event_of_a_plan(void **state)
{
    (void)state;
    enum { ORDERS = 64 };
    sotto_error error;
    const sotto_runs laws[] = {with_mean(0.5, 10.0), with_mean(SOTTO_UNSET, 10.0)};
    for (size_t i = 0; i < 2; i++) {
        double orders[ORDERS], values[ORDERS], rdp;
        sotto_account alone, as_event;
        sotto_plan *run = plan_of(gaussian(4.0, 10));
        for (size_t j = 0; j < ORDERS; j++)
            orders[j] = 1.0 + exp(-2.0 + 0.1 * (double)j);
        assert_ok(
            sotto_account_selection_curve(run, &laws[i], orders, ORDERS, values, &error),
            &error);
        for (size_t j = 1; j < ORDERS; j += 20) {
            assert_true(values[j] >= values[j - 1]);
            assert_ok(sotto_account_selection_rdp(run, &laws[i], orders[j], &rdp, &error),
                      &error);
            assert_within(values[j], rdp * (1.0 - 1e-12), rdp * 1.01);
        }
        sotto_event event = plans_event(SOTTO_RDP_CURVE);
        event.curve_orders = orders;
        event.curve_values = values;
        event.curve_size = ORDERS;
        event.count = 1;
        assert_ok(sotto_account_selection(run, &laws[i], 1e-5, &alone, &error), &error);
        sotto_plan *plan = plan_of(event);
        assert_ok(sotto_account_epsilon(plan, SOTTO_RDP, 1e-5, &as_event, &error),
                  &error);
        assert_within(as_event.epsilon, alone.epsilon * (1.0 - 1e-9),
                      alone.epsilon * 1.01);
        orders[3] = orders[2];
        assert_refused(
            sotto_account_selection_curve(run, &laws[i], orders, ORDERS, values, &error),
            SOTTO_INVALID_ARGUMENT, &error, "orders", NULL);
        assert_refused(
            sotto_account_selection_curve(run, &laws[i], orders, 0, values, &error),
            SOTTO_INVALID_ARGUMENT, &error, "orders", NULL);
        sotto_plan_free(plan);
        sotto_plan_free(run);
    }
}

/* Runs whose settings are drawn: the dearest plan at every order prices them, which is no less than the dearer of the two
 * tunings, and for equal plans the same to the last bit. Of these two one is dearer at small orders, one at large. */
static void runs_of_several_plans_cost_the_dearest(void **state)
{
    (void)state;
    enum { ORDERS = 16 };
    sotto_error error;
    const sotto_runs laws[] = {with_mean(0.5, 10.0), with_mean(SOTTO_UNSET, 10.0)};
    double orders[ORDERS];
    for (size_t j = 0; j < ORDERS; j++)
        orders[j] = 1.0 + exp(-1.0 + 0.5 * (double)j);
    sotto_event release = plans_event(SOTTO_PURE);
    release.epsilon = 1.125;
    release.count = 1;
    sotto_plan *first = plan_of(release), *second = plan_of(gdp(0.5, 1));
    const sotto_plan *both[] = {first, second}, *twice[] = {second, second};
    for (size_t i = 0; i < 2; i++) {
        double one[ORDERS], two[ORDERS], mixed[ORDERS], same[ORDERS];
        int above_one = 0;
        assert_ok(
            sotto_account_selection_curve(first, &laws[i], orders, ORDERS, one, &error),
            &error);
        assert_ok(
            sotto_account_selection_curve(second, &laws[i], orders, ORDERS, two, &error),
            &error);
        assert_ok(sotto_account_selection_curve_of(both, 2, &laws[i], orders, ORDERS,
                                                   mixed, &error),
                  &error);
        assert_ok(sotto_account_selection_curve_of(twice, 2, &laws[i], orders, ORDERS,
                                                   same, &error),
                  &error);
        for (size_t j = 0; j < ORDERS; j++) {
            assert_true(mixed[j] >= one[j] && mixed[j] >= two[j]);
            assert_true(same[j] == two[j]);
            above_one = above_one || one[j] > two[j];
        }
        assert_true(above_one);
    }
    double epsilon;
    assert_ok(sotto_account_selection_pure_of(&both[0], 1, &laws[0], &epsilon, &error),
              &error);
    assert_relative(epsilon, 2.5 * 1.125, 1e-14);
    assert_refused(sotto_account_selection_pure_of(both, 2, &laws[0], &epsilon, &error),
                   SOTTO_UNREACHABLE, &error, "pure", NULL);
    assert_refused(sotto_account_selection_pure_of(both, 0, &laws[0], &epsilon, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "no plan", NULL);
    sotto_plan_free(first);
    sotto_plan_free(second);
}

static void bad_laws_and_plans_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_runs runs;
    sotto_account account;
    assert_refused(sotto_runs_from_mean(SOTTO_RUNS_UNSET, 1.0, 5.0, &runs, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "the distribution of the runs", NULL);
    assert_refused(
        sotto_runs_from_mean(SOTTO_RUNS_NEGATIVE_BINOMIAL, -1.0, 5.0, &runs, &error),
        SOTTO_INVALID_ARGUMENT, &error, "shape", "-1", NULL);
    assert_refused(
        sotto_runs_from_mean(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 1.0, &runs, &error),
        SOTTO_INVALID_ARGUMENT, &error, "mean", "above 1", NULL);
    assert_refused(
        sotto_runs_from_mean(SOTTO_RUNS_NEGATIVE_BINOMIAL, -0.9999, 1e3, &runs, &error),
        SOTTO_UNREACHABLE, &error, "shape", NULL);
    assert_refused(sotto_runs_from_mean(SOTTO_RUNS_POISSON, 1.0, 5.0, &runs, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "Poisson", NULL);
    assert_refused(
        sotto_runs_from_mean(SOTTO_RUNS_POISSON, SOTTO_UNSET, 0.0, &runs, &error),
        SOTTO_INVALID_ARGUMENT, &error, "mean", NULL);

    sotto_plan *plan = plan_of(gaussian(4.25, 3));
    runs = with_mean(1.0, 5.0);
    assert_refused(sotto_account_selection(plan, &runs, 0.0, &account, &error),
                   SOTTO_UNREACHABLE, &error, "pure", NULL);
    assert_refused(sotto_account_selection(plan, &runs, SOTTO_UNSET, &account, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "delta", NULL);
    double rdp;
    assert_refused(sotto_account_selection_rdp(plan, &runs, 1.0, &rdp, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "order", NULL);
    runs.mean = 5.0;
    assert_refused(sotto_account_selection(plan, &runs, 1e-6, &account, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "sotto_runs_from_mean", NULL);
    assert_true(isnan(sotto_runs_mean(&runs)));
    assert_true(isnan(sotto_runs_probability(&runs, 1)));
    runs.mean = SOTTO_UNSET;
    runs.gamma = 1.0;
    assert_refused(sotto_account_selection(plan, &runs, 1e-6, &account, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "gamma", NULL);
    const sotto_event event = approximate(0.1, 1e-9, 1);
    assert_ok(sotto_plan_add(plan, &event, &error), &error);
    runs = with_mean(1.0, 5.0);
    assert_refused(sotto_account_selection(plan, &runs, 1e-6, &account, &error),
                   SOTTO_UNSUPPORTED, &error, "approximate", NULL);
    sotto_plan_free(plan);
}

static void probabilities_sum_to_one_and_give_the_mean(void **state)
{
    (void)state;
    static const double shapes[] = {-0.25, 0.0, 0.5, 1.0, 7.25, SOTTO_UNSET};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const sotto_runs runs = with_mean(shapes[i], 3.5);
        double sum = 0.0, mean = 0.0;
        for (uint64_t k = 0; k < 1500; k++) {
            const double probability = sotto_runs_probability(&runs, k);
            sum += probability;
            mean += (double)k * probability;
        }
        assert_relative(sum, 1.0, 1e-10);
        assert_relative(mean, 3.5, 1e-8);
    }
}

static void names_go_both_ways(void **state)
{
    (void)state;
    sotto_error error;
    sotto_runs_law law;
    assert_ok(sotto_runs_law_from_name("poisson", &law, &error), &error);
    assert_string_equal(sotto_runs_law_name(law), "poisson");
    assert_ok(sotto_runs_law_from_name("negative-binomial", &law, &error), &error);
    assert_string_equal(sotto_runs_law_name(law), "negative-binomial");
    assert_refused(sotto_runs_law_from_name("binomial", &law, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "binomial", "poisson", NULL);
    assert_string_equal(sotto_runs_law_name(SOTTO_RUNS_UNSET), "unknown");
}

/* With its n-th allocation failing, a question says so or gives the very same answer. */
static void every_failing_allocation_is_reported(void **state)
{
    (void)state;
    sotto_error error;
    sotto_account right, account;
    sotto_plan *plan = plan_of(pure(0.25, 3));
    const sotto_runs runs = with_mean(SOTTO_UNSET, 4.0);
    assert_ok(sotto_account_selection(plan, &runs, 1e-6, &right, &error), &error);
    size_t failures = 0;
    for (size_t n = 1;; n += 1 + n / 4) {
        (void)sot_test_fail_allocation(n);
        const sotto_status status =
            sotto_account_selection(plan, &runs, 1e-6, &account, &error);
        const size_t asked = sot_test_fail_allocation(0);
        if (status == SOTTO_OK) {
            assert_true(account.epsilon == right.epsilon);
        } else {
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
            failures++;
        }
        if (asked < n) break;
    }
    assert_true(failures > 0);
    sotto_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_divergence_of_the_best_never_exceeds_the_bound),
        cmocka_unit_test(half_a_run_on_average_is_never_free_of_charge),
        cmocka_unit_test(more_runs_cost_more),
        cmocka_unit_test(the_best_of_k_runs_is_one_event_of_a_plan),
        cmocka_unit_test(runs_of_several_plans_cost_the_dearest),
        cmocka_unit_test(bad_laws_and_plans_are_refused),
        cmocka_unit_test(probabilities_sum_to_one_and_give_the_mean),
        cmocka_unit_test(names_go_both_ways),
        cmocka_unit_test(every_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
