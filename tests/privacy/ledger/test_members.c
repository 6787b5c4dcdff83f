/* What several members admit that one would not, and what none may forget. */
#include "support.h"

#include <jansson.h>

#include "privacy/accounting/plan/price.h"
#include "privacy/ledger/scratch.h"

static sotto_ledger *ledger_of(const scratch *made, const sotto_ledger_config *config)
{
    sotto_error error;
    sotto_ledger *ledger = NULL;
    assert_ok(sotto_ledger_init(made->path, config, &error), &error);
    assert_ok(sotto_ledger_open(made->path, &ledger, &error), &error);
    return ledger;
}

/* ---- the issue's own cases ---- */

static void three_pure_releases_of_one_fit_a_budget_of_three(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 3.0, 1e-6);
    sotto_error error;
    for (int i = 0; i < 3; i++)
        assert_ok(reserve(ledger, pure_plan(1.0), NULL, &error), &error);
    assert_true(balance_of(ledger).room.pure_epsilon == 0.0);
    assert_refused(reserve(ledger, pure_plan(1e-6), NULL, &error), SOTTO_BUDGET_EXCEEDED,
                   &error, "one of: nothing", NULL);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

static void ten_tenths_are_one(void **state)
{
    (void)state;
    const double deltas[] = {0.0, 1e-6};
    for (size_t i = 0; i < 2; i++) {
        const scratch made = scratch_new();
        sotto_ledger *ledger = ledger_new(&made, 1.0, deltas[i]);
        sotto_error error;
        for (int run = 0; run < 10; run++)
            assert_ok(reserve(ledger, pure_plan(0.1), NULL, &error), &error);
        assert_int_equal(reserve(ledger, pure_plan(1e-11), NULL, &error),
                         SOTTO_BUDGET_EXCEEDED);
        sotto_ledger_close(ledger);
        scratch_free(&made);
    }
    /* One plan of ten releases too, and 0.3 is no more than three tenths. */
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 1.3, 0.0);
    sotto_error error;
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_DISCRETE_LAPLACE;
    event.scale = 10.0;
    event.sensitivity = 1.0;
    event.count = 10;
    assert_ok(reserve(ledger, plan_of(&event), NULL, &error), &error);
    event.sensitivity = 3.0;
    event.count = 1;
    assert_ok(reserve(ledger, plan_of(&event), NULL, &error), &error);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* One run may use the whole ledger, at a fifth of its delta. */
static void one_training_may_use_the_whole_ledger(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 1.0, 1e-6);
    sotto_error error;
    sotto_ledger_preview preview;
    sotto_account account;
    double noise;
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_GAUSSIAN;
    event.sampling = SOTTO_POISSON;
    event.rate = 0.01;
    event.count = 200;
    sotto_plan *open = plan_of(&event);
    assert_ok(sotto_account_noise(open, SOTTO_EXACT, 1.0, 1e-7, &noise, &account, &error),
              &error);
    event.noise_multiplier = noise;
    sotto_plan *plan = plan_of(&event);
    assert_ok(sotto_ledger_try(ledger, plan, 0.0, 1e-7, &preview, &error), &error);
    assert_true(preview.admitted);
    assert_int_equal(preview.after.members[preview.after.member].kind,
                     SOTTO_MEMBER_BASIC);
    assert_within(preview.charged, 0.999, 1.0);
    assert_int_equal(balance_of(ledger).entries, 1); /* nothing was charged */
    sotto_plan_free(open);
    sotto_plan_free(plan);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* ---- what no member may forget ---- */

/* A run without a price in a member closes it for good: it may not cover what it did not count. */
static void a_missing_price_is_infinite(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_error error;
    sotto_ledger_config config = config_of(3.0, 1e-6);
    config.filter = SOTTO_LEDGER_GAUSSIAN;
    sotto_ledger *ledger = ledger_of(&made, &config);
    assert_ok(reserve(ledger, gaussian_plan(20.0), NULL, &error), &error);
    sotto_ledger_balance balance = balance_of(ledger);
    assert_int_equal(balance.members[0].kind, SOTTO_MEMBER_GAUSSIAN);
    assert_true(balance.members[0].covers);
    /* The basic member of a Gaussian ledger has no delta: the run has no price in it. */
    assert_int_equal(balance.members[1].kind, SOTTO_MEMBER_BASIC);
    assert_false(balance.members[1].covers);
    assert_true(isinf(balance.members[1].spent));
    /* Nor does a grant bring it back. */
    assert_ok(sotto_ledger_grant(ledger, 2.0, 0.0, "more", NULL, &error), &error);
    assert_false(balance_of(ledger).members[1].covers);
    assert_int_equal(reserve(ledger, pure_plan(4.9), NULL, &error),
                     SOTTO_BUDGET_EXCEEDED);
    /* A plan without any mu is refused. */
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_ZCDP;
    event.rho = 1e-6;
    assert_int_equal(reserve(ledger, plan_of(&event), NULL, &error),
                     SOTTO_BUDGET_EXCEEDED);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* Pure runs count in the Renyi members too, and Gaussian ones in the basic member. */
static void every_member_counts_every_run(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 3.0, 1e-6);
    sotto_error error;
    sotto_ledger_balance before = balance_of(ledger);
    sotto_plan *(*const plans[])(double) = {pure_plan, gaussian_plan};
    const double arguments[] = {0.5, 12.5};
    for (size_t i = 0; i < 2; i++) {
        assert_ok(reserve(ledger, plans[i](arguments[i]), NULL, &error), &error);
        const sotto_ledger_balance after = balance_of(ledger);
        for (size_t k = 0; k < after.member_count; k++)
            assert_true(after.members[k].spent > before.members[k].spent);
        before = after;
    }
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* Exceeded is not for ever: coverage follows the budgets. */
static void a_grant_lets_an_exceeded_member_cover_again(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 3.0, 1e-6);
    sotto_error error;
    for (int i = 0; i < 3; i++)
        assert_ok(reserve(ledger, pure_plan(1.0), NULL, &error), &error);
    assert_false(balance_of(ledger).members[1].covers);
    assert_ok(sotto_ledger_grant(ledger, 7.0, 0.0, "more", NULL, &error), &error);
    assert_true(balance_of(ledger).members[1].covers);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* The sentence promises runs: each of them is admitted, and the next one up is not. */
static void what_is_left_can_be_run(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_error error;
    sotto_ledger_config configs[4] = {config_of(3.0, 1e-6), config_of(3.0, 1e-6),
                                      config_of(1.0, 0.0), config_of(NAN, NAN)};
    configs[1].filter = SOTTO_LEDGER_GAUSSIAN;
    configs[3].rho = 0.25;
    for (size_t i = 0; i < 4; i++) {
        sotto_ledger *ledger = ledger_of(&made, &configs[i]);
        assert_ok(reserve(ledger, pure_plan(0.3), NULL, &error), &error);
        const sotto_ledger_room room = balance_of(ledger).room;
        sotto_ledger_preview preview;
        const struct {
            sotto_plan *plan;
            double delta;
            bool admitted;
        } runs[] = {
            {pure_plan(room.pure_epsilon), SOTTO_UNSET, true},
            {pure_plan(room.pure_epsilon * 1.0001), SOTTO_UNSET, false},
            {isfinite(room.gaussian_noise) ? gaussian_plan(room.gaussian_noise) : NULL,
             SOTTO_UNSET, true},
            {isfinite(room.gaussian_noise) ? gaussian_plan(room.gaussian_noise * 0.999)
                                           : NULL,
             SOTTO_UNSET, false},
            {room.certified_delta > 0.0
                 ? approximate_plan(room.certified_epsilon, room.certified_delta)
                 : NULL,
             SOTTO_UNSET, true},
        };
        for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
            if (runs[k].plan == NULL) continue;
            assert_ok(sotto_ledger_try(ledger, runs[k].plan, 0.0, runs[k].delta, &preview,
                                       &error),
                      &error);
            if (preview.admitted != runs[k].admitted)
                print_error("ledger %zu, run %zu: %s\n", i, k, preview.reason.message);
            assert_int_equal(preview.admitted, runs[k].admitted);
            sotto_plan_free(runs[k].plan);
        }
        sotto_ledger_close(ledger);
        assert_int_equal(unlink(made.path), 0);
    }
    scratch_free(&made);
}

static sotto_plan *repeated(sotto_mechanism mechanism, double epsilon, uint64_t count)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = mechanism;
    event.epsilon = epsilon;
    event.count = count;
    return plan_of(&event);
}

/* "Any run certified at epsilon E, delta D" is also said of a run of many pure releases, whose sum is far above E. It pays
 * for the point that it certifies, delta included, and check() finds the same price again. */
static void a_certified_run_of_many_pure_releases_fits(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 0.5, 1e-6);
    sotto_error error;
    sotto_account account;
    sotto_ledger_preview preview;
    const sotto_ledger_room room = balance_of(ledger).room;
    sotto_plan *plan = repeated(SOTTO_PURE, 0.00572, 400);
    assert_ok(sotto_account_epsilon(plan, SOTTO_EXACT, 1.9e-7, &account, &error), &error);
    assert_within(account.epsilon, 0.4, room.certified_epsilon);
    assert_true(room.certified_delta >= 1.9e-7);
    assert_ok(sotto_ledger_try(ledger, plan, 0.0, 1.9e-7, &preview, &error), &error);
    assert_true(preview.admitted);
    const sotto_ledger_member *basic = &preview.after.members[0];
    assert_int_equal(basic->kind, SOTTO_MEMBER_BASIC);
    assert_within(basic->spent, account.epsilon, account.epsilon + 2e-12);
    assert_within(basic->delta_spent, 1.9e-7, 1.9e-7 * (1.0 + 1e-9));
    assert_ok(reserve(ledger, plan, NULL, &error),
              &error); /* at what is left: no delta is stated */
    assert_true(balance_of(ledger).members[0].covers);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* The sum is rounded once: three thirds are one. */
static void three_thirds_are_one(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 1.0, 0.0);
    sotto_error error;
    assert_ok(reserve(ledger, repeated(SOTTO_PURE, 1.0 / 3.0, 3), NULL, &error), &error);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* Above epsilon 8 the bound of a bounded range is above that of every pure release. */
static void a_choice_costs_no_more_rho_than_a_pure_release(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_error error;
    sotto_reservation reservation;
    sotto_ledger_config config = config_of(NAN, NAN);
    config.rho = 20.0;
    sotto_ledger *ledger = ledger_of(&made, &config);
    const double pure = 9.5 * tanh(4.75);
    assert_ok(reserve(ledger, repeated(SOTTO_EXPONENTIAL, 9.5, 1), &reservation, &error),
              &error);
    assert_within(reservation.charged, pure, pure + 0x1p-38);
    assert_ok(reserve(ledger, repeated(SOTTO_EXPONENTIAL, 4.0, 1), &reservation, &error),
              &error);
    assert_within(reservation.charged, 2.0, 2.0 + 0x1p-38);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* A sampler error of at most 2^-800 costs a zCDP budget no delta: it has none. */
static void a_zcdp_balance_has_no_deltas(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_error error;
    sotto_reservation reservation;
    sotto_ledger_config config = config_of(NAN, NAN);
    config.rho = 0.5;
    sotto_ledger *ledger = ledger_of(&made, &config);
    sotto_plan *plan = gaussian_plan(2.0);
    assert_ok(sotto_ledger_reserve(ledger, plan, 0x1p-870, "a run", &reservation, &error),
              &error);
    assert_true(reservation.delta_charged == 0.0);
    assert_true(reservation.after.delta_spent == 0.0);
    assert_true(reservation.after.delta_left == 0.0);
    sotto_plan_free(plan);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

static void a_zcdp_budget_adds_up_rho(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_error error;
    sotto_reservation reservation;
    sotto_ledger_config config = config_of(NAN, NAN);
    config.rho = 0.5;
    sotto_ledger *ledger = ledger_of(&made, &config);
    assert_ok(reserve(ledger, pure_plan(0.5), &reservation, &error), &error);
    const double pure = 0.5 * tanh(0.25);
    assert_within(reservation.charged, pure, pure + 0x1p-39);
    assert_ok(reserve(ledger, gaussian_plan(2.0), &reservation, &error), &error);
    assert_within(reservation.charged, 0.125, 0.125 + 0x1p-39);
    assert_int_equal(reserve(ledger, gaussian_plan(1.0), NULL, &error),
                     SOTTO_BUDGET_EXCEEDED);
    assert_int_equal(reserve(ledger, approximate_plan(0.01, 1e-9), NULL, &error),
                     SOTTO_BUDGET_EXCEEDED);
    assert_ok(sotto_ledger_grant(ledger, 0.5, 0.0, "more rho", NULL, &error), &error);
    assert_ok(reserve(ledger, gaussian_plan(1.0), NULL, &error), &error);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    config.epsilon = 1.0;
    assert_refused(sotto_ledger_init("unused", &config, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "rho", "epsilon", NULL);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* ---- reference vectors ---- */

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) ? strtod(json_string_value(value), NULL)
                                 : json_number_value(value);
}

/* The plans of runs_that_fit. */
static sotto_plan *plan_named(const char *name)
{
    sotto_event event = sotto_event_defaults();
    if (strcmp(name, "pure.1") == 0) return pure_plan(0.1);
    if (strcmp(name, "pure.5") == 0) return pure_plan(0.5);
    if (strcmp(name, "pure1") == 0) return pure_plan(1.0);
    if (strcmp(name, "gauss mu.1") == 0) return gaussian_plan(10.0);
    if (strcmp(name, "gauss(1,1e-6)") == 0) return gaussian_plan(1.0 / 0.2367043);
    if (strcmp(name, "obj new") == 0) { /* README's plan, without its correction */
        const double a = 0.23411384102583635, rho = 1.2828682082279452;
        event.mechanism = SOTTO_OBJECTIVE_PERTURBATION;
        event.noise_multiplier = 1.0 / a;
        event.atom = rho - 0.5 * a * a;
        event.rows = 1;
        event.theorem = SOTTO_FROZEN_SLOPE;
        event.count = 1;
        return plan_of(&event);
    }
    assert_string_equal(name, "sgd");
    event.mechanism = SOTTO_GAUSSIAN;
    event.noise_multiplier = 1.0;
    event.sampling = SOTTO_POISSON;
    event.rate = 0.01;
    event.count = 500;
    return plan_of(&event);
}

/* Charges until the ledger refuses; -1 if a fixed part is refused already. */
static long long count_runs(const json_t *params)
{
    const scratch made = scratch_new();
    sotto_error error;
    sotto_ledger_config config =
        config_of(number_of(params, "ledger_epsilon"), number_of(params, "ledger_delta"));
    config.order = number_of(params, "order");
    sotto_ledger *ledger = ledger_of(&made, &config);
    const json_t *runs = json_object_get(params, "runs");
    long long fitted = 0;
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        const json_t *count = json_array_get(run, 1);
        const long long most = json_is_null(count) ? 100000 : json_integer_value(count);
        for (fitted = 0; fitted < most; fitted++) {
            sotto_plan *plan = plan_named(json_string_value(json_array_get(run, 0)));
            if (reserve(ledger, plan, NULL, &error) != SOTTO_OK) break;
        }
        if (!json_is_null(count) && fitted < most) {
            fitted = -1;
            break;
        }
    }
    sotto_ledger_close(ledger);
    scratch_free(&made);
    return fitted;
}

static void members_and_prices_are_those_of_the_reference(void **state)
{
    (void)state;
    json_error_t problem;
    json_t *file = json_load_file(SOTTO_TEST_VECTORS "/ledger_members.json", 0, &problem);
    assert_non_null(file);
    const json_t *cases = json_object_get(file, "cases");
    size_t checked = 0;
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *one = json_array_get(cases, i),
                     *params = json_object_get(one, "params");
        const char *ask = json_string_value(json_object_get(one, "ask"));
        const char *id = json_string_value(json_object_get(one, "id"));
        const double value = json_number_value(json_object_get(one, "value"));
        const double rtol = json_number_value(json_object_get(one, "rtol"));
        const double epsilon = number_of(params, "epsilon"),
                     order = number_of(params, "order");
        double got = NAN;
        if (strcmp(ask, "pure_zcdp_rho") == 0) got = sot_pure_rho_upper(epsilon);
        if (strcmp(ask, "laplace_zcdp_rho") == 0) got = sot_laplace_rho_upper(epsilon);
        if (strcmp(ask, "pure_gdp_mu") == 0) got = sot_pure_mu_upper(epsilon);
        if (strcmp(ask, "pure_rdp") == 0) got = sot_pure_rdp_upper(epsilon, order);
        if (!isnan(got)) {
            if (!(got >= value * (1.0 - rtol) && got <= value * (1.0 + 1e-10 + rtol)))
                print_error("%s: %.17g, not %.17g\n", id, got, value);
            assert_within(got, value * (1.0 - rtol), value * (1.0 + 1e-10 + rtol));
            checked++;
            continue;
        }
        if (strcmp(ask, "runs_that_fit") == 0) {
            /* Long histories of 0.1s price the same plan hundreds of times. */
            if (value > 120.0) continue;
            const long long fitted = count_runs(params);
            if (fitted != (long long)value)
                print_error("%s: %lld runs, not %g\n", id, fitted, value);
            assert_int_equal(fitted, (long long)value);
            const json_t *first = json_array_get(json_object_get(params, "runs"), 0);
            if (strcmp(json_string_value(json_array_get(first, 0)), "obj new") == 0)
                print_message(
                    "a ledger of epsilon %g takes %lld trainings of README's plan\n",
                    number_of(params, "ledger_epsilon"), fitted);
            checked++;
            continue;
        }
        /* Budgets: read off a ledger's members. */
        const scratch made = scratch_new();
        sotto_ledger_config config = config_of(epsilon, number_of(params, "delta"));
        const double share = number_of(params, "share");
        const bool gaussian = strcmp(ask, "gaussian_budget_mu2") == 0;
        if (!gaussian && share == 0.9) { /* one member only: the older ledgers */
            scratch_free(&made);
            continue;
        }
        config.filter = gaussian ? SOTTO_LEDGER_GAUSSIAN : SOTTO_LEDGER_GENERAL;
        if (!gaussian) config.order = share == 0.5 ? order : 0.5 * order;
        sotto_ledger *ledger = ledger_of(&made, &config);
        const sotto_ledger_balance balance = balance_of(ledger);
        const double budget = balance.members[gaussian ? 0 : share == 0.5 ? 1 : 2].budget;
        if (!(budget <= value * (1.0 + rtol) && budget >= value * (1.0 - 1e-9) - 0x1p-39))
            print_error("%s: %.17g, not %.17g\n", id, budget, value);
        assert_within(budget, value * (1.0 - 1e-9) - 0x1p-39, value * (1.0 + rtol));
        checked++;
        sotto_ledger_close(ledger);
        scratch_free(&made);
    }
    assert_true(checked > 80);
    json_decref(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_pure_releases_of_one_fit_a_budget_of_three),
        cmocka_unit_test(ten_tenths_are_one),
        cmocka_unit_test(one_training_may_use_the_whole_ledger),
        cmocka_unit_test(a_missing_price_is_infinite),
        cmocka_unit_test(every_member_counts_every_run),
        cmocka_unit_test(a_grant_lets_an_exceeded_member_cover_again),
        cmocka_unit_test(what_is_left_can_be_run),
        cmocka_unit_test(a_certified_run_of_many_pure_releases_fits),
        cmocka_unit_test(three_thirds_are_one),
        cmocka_unit_test(a_choice_costs_no_more_rho_than_a_pure_release),
        cmocka_unit_test(a_zcdp_balance_has_no_deltas),
        cmocka_unit_test(a_zcdp_budget_adds_up_rho),
        cmocka_unit_test(members_and_prices_are_those_of_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
