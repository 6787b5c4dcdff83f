/* One relation of neighbours for each ledger: rules D1 to D5 of ledger.md, "Units". */
#include "support.h"

#include "privacy/ledger/older.h"

static sotto_ledger *unit_ledger(const scratch *made, sotto_adjacency adjacency,
                                 const char *unit)
{
    sotto_error error;
    sotto_ledger *ledger = NULL;
    sotto_ledger_config config = config_of(2.0, 1e-6);
    config.adjacency = adjacency;
    config.unit = unit;
    config.unit_rows = unit != NULL ? 8 : 0;
    assert_ok(sotto_ledger_init(made->path, &config, &error), &error);
    assert_ok(sotto_ledger_open(made->path, &ledger, &error), &error);
    return ledger;
}

static sotto_plan *about(sotto_adjacency adjacency, const char *unit, uint64_t rows,
                         const sotto_event *event)
{
    sotto_error error;
    sotto_plan *plan = NULL;
    assert_ok(sotto_plan_new(adjacency, &plan, &error), &error);
    assert_ok(sotto_plan_add(plan, event, &error), &error);
    assert_ok(sotto_plan_set_unit(plan, unit, rows, &error), &error);
    return plan;
}

static sotto_event gaussian(double noise)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_GAUSSIAN;
    event.noise_multiplier = noise;
    return event;
}

static sotto_event pure(double epsilon)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_PURE;
    event.epsilon = epsilon;
    return event;
}

/* D1: the relation stands in the first row, and the other adjacency is refused. */
static void a_ledger_has_one_relation(void **state)
{
    (void)state;
    const sotto_adjacency both[] = {SOTTO_ADD_REMOVE, SOTTO_REPLACE_ONE};
    const sotto_event event = pure(0.1);
    for (size_t i = 0; i < 2; i++) {
        const scratch made = scratch_new();
        sotto_ledger *ledger = unit_ledger(&made, both[i], "person");
        sotto_error error;
        const sotto_ledger_balance balance = balance_of(ledger);
        assert_string_equal(balance.unit, "person");
        assert_int_equal(balance.unit_rows, 8);
        assert_refused(
            reserve(ledger, about(both[1 - i], "person", 8, &event), NULL, &error),
            SOTTO_INVALID_ARGUMENT, &error, sotto_adjacency_name(both[1 - i]),
            "`adjacency=", sotto_adjacency_name(both[i]), NULL);
        assert_ok(reserve(ledger, about(both[i], "person", 8, &event), NULL, &error),
                  &error);
        sotto_ledger_close(ledger);
        scratch_free(&made);
    }
}

/* D2 and D5: rows without a cap have an infinite price for a person. */
static void a_row_level_run_is_refused_in_a_person_ledger(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = unit_ledger(&made, SOTTO_ADD_REMOVE, "person");
    sotto_error error;
    const sotto_event event = pure(0.1);
    assert_refused(
        reserve(ledger, about(SOTTO_ADD_REMOVE, NULL, 0, &event), NULL, &error),
        SOTTO_INVALID_ARGUMENT, &error, "one row", "'person'", "all rows of one",
        "\"unit\": {\"column\": \"person\", \"rows\": 8}", NULL);
    assert_int_equal(balance_of(ledger).entries, 1);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* D3 as corrected: person out, changed person in. Never the person's price once. */
static void a_person_level_run_costs_two_steps_in_a_row_ledger(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = unit_ledger(&made, SOTTO_ADD_REMOVE, NULL);
    sotto_error error;
    sotto_reservation reservation;
    const sotto_event tenth = pure(0.1);
    assert_ok(reserve(ledger, about(SOTTO_ADD_REMOVE, "person", 8, &tenth), &reservation,
                      &error),
              &error);
    assert_true(reservation.after.members[0].spent == 0.2);
    /* mu -> 2 mu: four times the divergence. */
    const double before = reservation.after.members[1].spent;
    const sotto_event release = gaussian(40.0);
    assert_ok(reserve(ledger, about(SOTTO_ADD_REMOVE, "person", 8, &release),
                      &reservation, &error),
              &error);
    const double order = reservation.after.members[1].order;
    const double exact = order * 4.0 / (2.0 * 40.0 * 40.0);
    assert_within(reservation.after.members[1].spent - before, exact,
                  exact * (1.0 + 1e-9));
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* Sampled runs: a chain of the sampled curve, at least the exact divergence of the doubled shift without sampling noise. */
static void sampled_run_is_priced_by_a_chain(sotto_event event)
{
    const scratch made = scratch_new();
    sotto_ledger *ledger = unit_ledger(&made, SOTTO_ADD_REMOVE, NULL);
    sotto_error error;
    sotto_reservation one, two;
    event.sampling = SOTTO_POISSON;
    event.rate = 0.02;
    event.count = 50;
    assert_ok(reserve(ledger, about(SOTTO_ADD_REMOVE, NULL, 0, &event), &one, &error),
              &error);
    assert_ok(reserve(ledger, about(SOTTO_ADD_REMOVE, "person", 2, &event), &two, &error),
              &error);
    for (size_t i = 0; i < 3; i++) {
        const double single = one.after.members[i].spent;
        assert_true(two.after.members[i].spent - single >= 2.0 * single);
    }
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

static void sampled_runs_of_persons_are_priced_by_a_chain(void **state)
{
    (void)state;
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_DISCRETE_GAUSSIAN;
    event.scale = 8.0;
    event.sensitivity = 1.0;
    sampled_run_is_priced_by_a_chain(gaussian(8.0));
    sampled_run_is_priced_by_a_chain(event);
}

/* D3: under replace-one a changed row may carry another id, so that two units change. */
static void a_person_level_run_is_refused_in_a_replace_one_row_ledger(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = unit_ledger(&made, SOTTO_REPLACE_ONE, NULL);
    sotto_error error;
    const sotto_event event = pure(0.1);
    assert_refused(
        reserve(ledger, about(SOTTO_REPLACE_ONE, "person", 1, &event), NULL, &error),
        SOTTO_INVALID_ARGUMENT, &error, "replace-one", "two units", "--unit", NULL);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* D4: two id columns need two ledgers. */
static void another_id_column_is_refused(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = unit_ledger(&made, SOTTO_ADD_REMOVE, "patient");
    sotto_error error;
    const sotto_event event = pure(0.1);
    assert_refused(
        reserve(ledger, about(SOTTO_ADD_REMOVE, "doctor", 8, &event), NULL, &error),
        SOTTO_INVALID_ARGUMENT, &error, "'doctor'", "'patient'", "second ledger", NULL);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* D5: each run pays for its own cap, which its plan's events contain. */
static void each_run_has_its_own_cap(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = unit_ledger(&made, SOTTO_ADD_REMOVE, "person");
    sotto_error error;
    const sotto_event event = pure(0.1);
    for (uint64_t rows = 1; rows <= 64; rows *= 8)
        assert_ok(reserve(ledger, about(SOTTO_ADD_REMOVE, "person", rows, &event), NULL,
                          &error),
                  &error);
    assert_true(balance_of(ledger).members[0].spent == 0.3);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* The event's rows are part of its price: fewer than the plan's cap would understate it. */
static void an_event_of_fewer_rows_than_the_unit_is_refused(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = unit_ledger(&made, SOTTO_ADD_REMOVE, "person");
    sotto_error error;
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_OBJECTIVE_PERTURBATION;
    event.noise_multiplier = 40.0;
    event.atom = 0.05;
    for (uint32_t rows = 0; rows <= 4; rows++) {
        event.rows = rows;
        const sotto_status status =
            reserve(ledger, about(SOTTO_ADD_REMOVE, "person", 3, &event), NULL, &error);
        if (rows == 1 || rows == 2) {
            assert_refused(status, SOTTO_INVALID_ARGUMENT, &error, "event 0",
                           "up to 3 rows", NULL);
        } else {
            assert_ok(status, &error);
        }
    }
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

static void a_wrong_unit_is_refused(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_error error;
    sotto_ledger_config config = config_of(1.0, 1e-6);
    config.unit_rows = 3;
    assert_refused(sotto_ledger_init(made.path, &config, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "`unit_rows` is 3", "`unit=person`", NULL);
    config.unit = "";
    assert_refused(sotto_ledger_init(made.path, &config, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "column", NULL);
    config.unit = "person";
    config.unit_rows = 0;
    assert_refused(sotto_ledger_init(made.path, &config, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "0 rows", NULL);
    scratch_free(&made);
}

/* ---- ledgers of the older format ---- */

static void an_older_ledger_gains_a_pure_member(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = older_ledger(&made, 2);
    sotto_error error;
    const sotto_ledger_balance balance = balance_of(ledger);
    assert_int_equal(balance.member_count, 2);
    assert_int_equal(balance.members[0].kind, SOTTO_MEMBER_RENYI);
    assert_within(balance.members[0].delta, 0.8999999e-6, 0.9e-6); /* its whole delta */
    assert_true(balance.members[1].delta == 0.0 && balance.members[1].spent == 0.5);
    assert_int_equal(balance.older_rows, 2);
    assert_int_equal(balance.repriced_rows, 0);
    /* The Renyi member has no room for epsilon 1.5, which the pure one covers. */
    assert_ok(reserve(ledger, pure_plan(1.5), NULL, &error), &error);
    assert_false(balance_of(ledger).members[0].covers);
    assert_int_equal(reserve(ledger, gaussian_plan(1000.0), NULL, &error),
                     SOTTO_BUDGET_EXCEEDED);
    sotto_ledger_close(ledger);
    assert_ok(sotto_ledger_open(made.path, &ledger, &error), &error);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    assert_ok(sotto_ledger_grant(ledger, 1.0, 1e-6, "more", NULL, &error), &error);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* A history with runs of units is priced again as two steps; beyond the budget the ledger is closed and says so. */
static void an_older_ledger_of_mixed_units_is_priced_again_or_closed(void **state)
{
    (void)state;
    static const char plan[] =
        "{\"adjacency\":\"add-remove\",\"events\":[{\"atom\":0.05,\"count\":1,"
        "\"mechanism\":\"objective-perturbation\",\"noise_multiplier\":%s,\"rows\":3}]}";
    const struct {
        const char *noise;
        long long charge;
        bool closed;
    } cases[] = {{"40.0", 1000000000, false}, {"7.0", 300000000000, true}};
    for (size_t i = 0; i < 2; i++) {
        const scratch made = scratch_new();
        older_lines lines = older_begin(&made);
        char text[256];
        sotto_error error;
        (void)snprintf(text, sizeof text, plan, cases[i].noise);
        for (int run = 0; run < 3; run++)
            older_charge(&lines, cases[i].charge, text);
        sotto_ledger *ledger = older_end(&lines, &made);
        const sotto_ledger_balance balance = balance_of(ledger);
        assert_int_equal(balance.repriced_rows, 3);
        assert_true(balance.members[0].spent > 3.0 * ldexp((double)cases[i].charge, -40));
        assert_int_equal(balance.member == balance.member_count, cases[i].closed);
        const sotto_status status = reserve(ledger, gaussian_plan(50.0), NULL, &error);
        if (cases[i].closed) {
            assert_refused(status, SOTTO_BUDGET_EXCEEDED, &error, "closed", "two steps",
                           NULL);
        } else {
            assert_ok(status, &error);
        }
        sotto_ledger_close(ledger);
        scratch_free(&made);
    }
}

/* ledger.md, step 5: one sum of own deltas and sampler errors bounds the two only by twice own_delta. */
static void an_older_ledger_with_sampler_errors_guarantees_more_delta(void **state)
{
    (void)state;
    for (int sampler = 0; sampler < 2; sampler++) {
        const scratch made = scratch_new();
        older_lines lines = older_begin(&made);
        char members[1024];
        (void)snprintf(members, sizeof members,
                       "\"kind\":\"reserve\",\"time\":1,\"label\":\"older\",\"charge\":"
                       "219902325556,\"own_delta\":0,\"sampler_error\":%d,"
                       "\"charge_sum\":219902325556,\"own_delta_sum\":0,"
                       "\"sampler_error_sum\":%d,\"plan\":{\"adjacency\":\"add-remove\","
                       "\"events\":[{\"count\":1,\"epsilon\":0.25,\"mechanism\":"
                       "\"pure\"}]}",
                       sampler, sampler);
        older_add(&lines, members);
        sotto_ledger *ledger = older_end(&lines, &made);
        const sotto_ledger_balance balance = balance_of(ledger);
        assert_true(balance.delta == 1e-6);
        assert_within(balance.delta_guaranteed, sampler ? 1.1e-6 : 1e-6,
                      sampler ? 1.1e-6 * (1.0 + 0x1p-50) : 1e-6);
        assert_true(balance.own_left == balance.sampler_left);
        sotto_ledger_close(ledger);
        scratch_free(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ledger_has_one_relation),
        cmocka_unit_test(a_row_level_run_is_refused_in_a_person_ledger),
        cmocka_unit_test(a_person_level_run_costs_two_steps_in_a_row_ledger),
        cmocka_unit_test(sampled_runs_of_persons_are_priced_by_a_chain),
        cmocka_unit_test(a_person_level_run_is_refused_in_a_replace_one_row_ledger),
        cmocka_unit_test(another_id_column_is_refused),
        cmocka_unit_test(each_run_has_its_own_cap),
        cmocka_unit_test(an_event_of_fewer_rows_than_the_unit_is_refused),
        cmocka_unit_test(a_wrong_unit_is_refused),
        cmocka_unit_test(an_older_ledger_gains_a_pure_member),
        cmocka_unit_test(an_older_ledger_with_sampler_errors_guarantees_more_delta),
        cmocka_unit_test(an_older_ledger_of_mixed_units_is_priced_again_or_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
