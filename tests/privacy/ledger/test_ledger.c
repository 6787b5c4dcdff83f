/* What a ledger promises while nothing goes wrong: prices, refusals, rows, chain. */
#include "support.h"

#include <time.h>

#include "privacy/accounting/budget/budget.h"
#include "privacy/ledger/scratch.h"

/* ---- charges ---- */

static void a_pure_charge_is_rounded_up_to_the_unit(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 1.0, 0.0);
    sotto_error error;
    sotto_reservation reservation;
    assert_ok(reserve(ledger, pure_plan(0.1), &reservation, &error), &error);
    assert_true(reservation.charged == 0.1); /* 10^11 units of 10^-12, exactly */
    assert_true(reservation.delta_charged == 0.0);
    /* A cost below one unit is one unit: it does not vanish. */
    assert_ok(reserve(ledger, pure_plan(1e-300), &reservation, &error), &error);
    assert_true(reservation.charged == 1e-12);
    assert_true(reservation.after.spent == 0.100000000001);
    assert_true(reservation.after.left == 0.899999999999);
    assert_true(isnan(reservation.after.order));
    assert_ok(reserve(ledger, pure_plan(1.0 / 3.0), &reservation, &error), &error);
    assert_true(reservation.charged == 0.333333333334);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

static void a_gaussian_charge_is_its_rdp_at_the_fixed_order(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 3.0, 1e-6);
    sotto_error error;
    sotto_reservation reservation;
    assert_ok(reserve(ledger, gaussian_plan(7.5), &reservation, &error), &error);
    const sotto_ledger_balance *after = &reservation.after;
    assert_int_equal(after->members[after->member].kind, SOTTO_MEMBER_RENYI);
    for (size_t i = 1; i < after->member_count; i++) {
        const double exact = after->members[i].order / (2.0 * 7.5 * 7.5);
        assert_within(after->members[i].spent, exact, exact + 0x1p-40 + 1e-14);
    }
    assert_true(reservation.before.spent == 0.0 && reservation.before.entries == 1);
    assert_true(reservation.after.spent == reservation.charged);
    assert_string_not_equal(reservation.before.head, reservation.after.head);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* Own deltas fill seven eighths of their part, sampler errors one eighth: neither may use the other's. */
static void own_deltas_and_sampler_errors_have_columns_of_their_own(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_error error;
    sotto_reservation reservation;
    sotto_ledger_config config = config_of(2.0, 1e-6);
    config.filter = SOTTO_LEDGER_GAUSSIAN; /* its basic member pays for no delta */
    assert_ok(sotto_ledger_init(made.path, &config, &error), &error);
    sotto_ledger *ledger = NULL;
    assert_ok(sotto_ledger_open(made.path, &ledger, &error), &error);
    assert_ok(reserve(ledger, approximate_plan(0.05, 3e-8), &reservation, &error),
              &error);
    assert_within(reservation.delta_charged, 3e-8, 3.0000001e-8);
    sotto_plan *plan = gaussian_plan(50.0);
    assert_ok(sotto_ledger_reserve(ledger, plan, 1e-9, "a test", &reservation, &error),
              &error);
    const double price = (1.0 + exp(2.0)) * 1e-9; /* what a total variation costs */
    assert_within(reservation.delta_charged, price, price * (1.0 + 1e-9));
    assert_within(reservation.after.delta_spent, 3e-8 + price, 3.00001e-8 + price);
    /* 1.25e-8 is for samplers; 4.1e-9 of it is left, though own deltas have more. */
    assert_refused(
        sotto_ledger_reserve(ledger, plan, 0.6e-9, "a test", &reservation, &error),
        SOTTO_BUDGET_EXCEEDED, &error, "sampler error", "ledger epsilon 2", "left", NULL);
    /* 8.75e-8 is for own deltas. */
    assert_refused(reserve(ledger, approximate_plan(0.05, 5.8e-8), NULL, &error),
                   SOTTO_BUDGET_EXCEEDED, &error, "you may still run", NULL);
    assert_ok(reserve(ledger, approximate_plan(0.05, 5.7e-8), NULL, &error), &error);
    sotto_plan_free(plan);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

static void the_budget_is_never_exceeded_and_refusals_say_why(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 1.0, 0.0);
    sotto_error error;
    for (int i = 0; i < 3; i++)
        assert_ok(reserve(ledger, pure_plan(0.25), NULL, &error), &error);
    assert_refused(reserve(ledger, pure_plan(0.2500001), NULL, &error),
                   SOTTO_BUDGET_EXCEEDED, &error, "clinic-2026",
                   "you may still run one of", "a pure release of epsilon 0.25", NULL);
    assert_ok(reserve(ledger, pure_plan(0.25), NULL, &error), &error); /* to the unit */
    assert_true(balance_of(ledger).left == 0.0);
    assert_refused(reserve(ledger, pure_plan(1e-12), NULL, &error), SOTTO_BUDGET_EXCEEDED,
                   &error, "one of: nothing", NULL);
    assert_refused(reserve(ledger, pure_plan(1e6), NULL, &error), SOTTO_BUDGET_EXCEEDED,
                   &error, "does not cover", NULL);
    assert_true(balance_of(ledger).spent == 1.0);
    assert_int_equal(balance_of(ledger).entries, 5);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

static void a_grant_raises_the_budget_and_stays_on_record(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 1.0, 1e-6);
    sotto_error error;
    const sotto_ledger_balance before = balance_of(ledger);
    assert_ok(sotto_ledger_grant(ledger, 0.5, 1e-6, "second wave", NULL, &error), &error);
    const sotto_ledger_balance after = balance_of(ledger);
    assert_true(after.epsilon == 1.5 && after.delta == 2e-6);
    assert_true(after.members[1].order == before.members[1].order);
    for (size_t i = 0; i < after.member_count; i++)
        assert_true(after.members[i].budget >= before.members[i].budget + 0.5);
    assert_true(after.members[0].delta > 1.99 * before.members[0].delta);
    assert_refused(sotto_ledger_grant(ledger, 0.0, 0.0, "x", NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "do not raise", NULL);
    assert_refused(sotto_ledger_grant(ledger, -1.0, 0.0, "x", NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "-1", NULL);
    assert_refused(sotto_ledger_grant(ledger, NAN, 0.0, "x", NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "nan", NULL);
    assert_refused(sotto_ledger_grant(ledger, 1e9, 0.0, "x", NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "epsilon", NULL);
    assert_refused(sotto_ledger_grant(ledger, 1.0, 1.0, "x", NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "delta", NULL);
    assert_refused(sotto_ledger_grant(ledger, 1.0, 0.0, "", NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "reason", NULL);
    assert_refused(sotto_ledger_grant(ledger, 1.0, 0.0, "two\nlines", NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "reason", "one line", NULL);
    assert_int_equal(balance_of(ledger).entries, 2);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

static void a_grant_cannot_make_past_sampler_errors_dearer_than_their_budget(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 1.0, 1e-6);
    sotto_error error;
    sotto_reservation reservation;
    sotto_plan *plan = gaussian_plan(100.0);
    assert_ok(sotto_ledger_reserve(ledger, plan, 1e-9, "a test", &reservation, &error),
              &error);
    sotto_plan_free(plan);
    /* 1e-9 (1 + e^5.5) = 2.5e-7 is more than 1.25e-8 */
    assert_refused(sotto_ledger_grant(ledger, 4.5, 0.0, "more", NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "sampler", "more delta", NULL);
    assert_ok(sotto_ledger_grant(ledger, 4.5, 3e-5, "more", NULL, &error), &error);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* What the samplers of a training err by: 2^-900 a number, and there are 2^36 of them. Rounded up to 2^-90 it would cost
 * e^100 2^-90, which is more than 1. */
static void specks_of_sampler_error_cost_a_unit_at_any_epsilon(void **state)
{
    (void)state;
    const double epsilons[] = {0.5, 100.0, 500.0};
    for (size_t i = 0; i < sizeof epsilons / sizeof epsilons[0]; i++) {
        const scratch made = scratch_new();
        sotto_ledger *ledger = ledger_new(&made, epsilons[i], 1e-3);
        sotto_error error;
        sotto_reservation reservation;
        sotto_plan *plan = gaussian_plan(50.0);
        for (int run = 1; run <= 3; run++) {
            assert_ok(sotto_ledger_reserve(ledger, plan, 0x1p-864, "a test", &reservation,
                                           &error),
                      &error);
            const sotto_ledger_balance *after = &reservation.after;
            if (after->members[after->member].kind == SOTTO_MEMBER_BASIC) continue;
            assert_true(reservation.delta_charged == 0x1p-62);
            assert_true(balance_of(ledger).delta_spent == run * 0x1p-62);
        }
        /* (1 + e^500) 2^-800 is less than that unit; one that is more is priced by epsilon, as ever. */
        assert_true(sot_budget_sampler_factor(500.0) * 0x1p-800 < 0x1p-62);
        const sotto_status dear = sotto_ledger_reserve(ledger, plan, 0x1.8p-800, "a test",
                                                       &reservation, &error);
        assert_int_equal(dear, epsilons[i] < 60.0 ? SOTTO_OK : SOTTO_BUDGET_EXCEEDED);
        sotto_plan_free(plan);
        assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
        /* What has been paid for holds for every epsilon that can be granted. */
        assert_refused(sotto_ledger_grant(ledger, 500.5, 0.0, "more", NULL, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "at most 500", NULL);
        sotto_ledger_close(ledger);
        scratch_free(&made);
    }
}

/* ---- what is refused ---- */

static void a_pure_budget_takes_pure_events_only(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 5.0, 0.0);
    sotto_error error;
    sotto_reservation reservation;
    assert_refused(reserve(ledger, gaussian_plan(5.0), NULL, &error), SOTTO_UNSUPPORTED,
                   &error, "pure budget", "gaussian", "delta", NULL);
    assert_refused(reserve(ledger, approximate_plan(0.1, 1e-9), NULL, &error),
                   SOTTO_UNSUPPORTED, &error, "approximate", NULL);
    sotto_plan *plan = pure_plan(0.1);
    assert_refused(
        sotto_ledger_reserve(ledger, plan, 1e-18, "a test", &reservation, &error),
        SOTTO_UNSUPPORTED, &error, "sampler error", "exact", NULL);
    sotto_plan_free(plan);
    assert_refused(sotto_ledger_grant(ledger, 0.0, 1e-6, "x", NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "pure", NULL);
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_DISCRETE_LAPLACE;
    event.scale = 4.0;
    event.sensitivity = 1.0;
    event.count = 2;
    assert_ok(reserve(ledger, plan_of(&event), &reservation, &error), &error);
    assert_true(reservation.charged == 0.5);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

static void what_is_no_plan_of_this_ledger_is_refused(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 2.0, 1e-6);
    sotto_error error;
    sotto_reservation reservation;
    sotto_plan *other = NULL, *plan = gaussian_plan(9.0);
    sotto_event event = *sotto_plan_event(plan, 0);
    assert_ok(sotto_plan_new(SOTTO_REPLACE_ONE, &other, &error), &error);
    assert_refused(sotto_ledger_reserve(ledger, other, 0.0, "x", &reservation, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "replace-one", "add-remove", NULL);
    assert_ok(sotto_plan_add(other, &event, &error), &error);
    assert_refused(sotto_ledger_reserve(ledger, other, 0.0, "x", &reservation, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "replace-one", "add-remove", NULL);
    const double wrong[] = {NAN, -1e-9, 1.0, INFINITY};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_refused(
            sotto_ledger_reserve(ledger, plan, wrong[i], "x", &reservation, &error),
            SOTTO_INVALID_ARGUMENT, &error, "sampler error", NULL);
    const char *const labels[] = {"", "a\tb", "\xff",
                                  "\xc2\x9b"
                                  "31m",
                                  NULL};
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++)
        assert_refused(
            sotto_ledger_reserve(ledger, plan, 0.0, labels[i], &reservation, &error),
            SOTTO_INVALID_ARGUMENT, &error, "label", NULL);
    assert_refused(reserve(ledger, pure_plan(0.0), NULL, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "costs nothing", NULL);
    event.count = 0; /* an open target */
    assert_refused(reserve(ledger, plan_of(&event), NULL, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "open", NULL);
    sotto_plan_free(plan);
    sotto_plan_free(other);
    assert_int_equal(balance_of(ledger).entries, 1);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

static void a_wrong_budget_is_refused_before_a_file_is_made(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_error error;
    const struct {
        double epsilon, delta, own_delta, order;
        const char *word;
    } wrong[] = {
        {NAN, 1e-6, NAN, NAN, "epsilon"},   {0.0, 1e-6, NAN, NAN, "epsilon"},
        {-1.0, 1e-6, NAN, NAN, "epsilon"},  {INFINITY, 0.0, NAN, NAN, "epsilon"},
        {1e-300, 0.0, NAN, NAN, "unit"},    {1.0, NAN, NAN, NAN, "delta"},
        {1.0, 1.0, NAN, NAN, "delta"},      {1.0, -1e-9, NAN, NAN, "delta"},
        {1.0, 1e-6, 1e-6, NAN, "own"},      {1.0, 1e-6, -1.0, NAN, "own"},
        {1.0, 0.0, 1e-7, NAN, "own"},       {1.0, 1e-6, NAN, 1.0, "order"},
        {1.0, 1e-6, NAN, 2.0, "no budget"}, {1.0, 1e-6, NAN, 1e7, "order"},
        {1.0, 0.0, NAN, 8.0, "pure"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        sotto_ledger_config config = config_of(wrong[i].epsilon, wrong[i].delta);
        config.own_delta = wrong[i].own_delta;
        config.order = wrong[i].order;
        assert_refused(sotto_ledger_init(made.path, &config, &error),
                       SOTTO_INVALID_ARGUMENT, &error, wrong[i].word, NULL);
    }
    const char *const ids[] = {"", ".hidden", "a b", "a/b", "-x", "\xc3\xa4"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        sotto_ledger_config config = config_of(1.0, 1e-6);
        (void)snprintf(config.dataset, sizeof config.dataset, "%s", ids[i]);
        assert_refused(sotto_ledger_init(made.path, &config, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "dataset", NULL);
    }
    sotto_ledger_config config = config_of(1.0, 1e-6);
    memset(config.dataset, 'x', sizeof config.dataset); /* no NUL */
    assert_refused(sotto_ledger_init(made.path, &config, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "dataset", NULL);
    config = config_of(1.0, 1e-6);
    config.adjacency = SOTTO_ADJACENCY_UNSET;
    assert_refused(sotto_ledger_init(made.path, &config, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "adjacency", NULL);
    assert_int_equal(access(made.path, F_OK), -1);
    scratch_free(&made);
}

/* ---- commits ---- */

static void an_output_is_committed_once_for_its_reservation(void **state)
{
    (void)state;
    const scratch made = scratch_new(), elsewhere = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 2.0, 1e-6);
    sotto_ledger *other = ledger_new(&elsewhere, 1.0, 1e-6);
    sotto_error error;
    sotto_reservation reservation, foreign;
    assert_ok(reserve(ledger, gaussian_plan(9.0), &reservation, &error), &error);
    assert_ok(reserve(other, gaussian_plan(9.0), &foreign, &error), &error);
    assert_refused(sotto_ledger_commit(ledger, &reservation, "abc", &error),
                   SOTTO_INVALID_ARGUMENT, &error, "hexadecimal", NULL);
    assert_refused(sotto_ledger_commit(ledger, &foreign, SOME_HASH, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "not in ledger", NULL);
    assert_ok(sotto_ledger_commit(ledger, &reservation, SOME_HASH, &error), &error);
    assert_refused(sotto_ledger_commit(ledger, &reservation, SOME_HASH, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "already", NULL);
    assert_int_equal(balance_of(ledger).entries, 3);
    sotto_ledger_close(other);
    sotto_ledger_close(ledger);
    scratch_free(&elsewhere);
    scratch_free(&made);
}

static sotto_status count_kinds(const sotto_ledger_entry *entry, void *context,
                                sotto_error *error)
{
    (void)error;
    int *counts = context;
    counts[entry->kind]++;
    if (entry->kind == SOTTO_LEDGER_COMMIT)
        assert_string_equal(entry->output_hash, SOME_HASH);
    if (entry->kind == SOTTO_LEDGER_GRANT) assert_string_equal(entry->text, "a reason");
    if (entry->kind == SOTTO_LEDGER_RESERVE) {
        assert_string_equal(entry->text, "a test");
        assert_true(entry->charged > 0.0 && entry->delta_charged >= 0.0);
        assert_string_equal(entry->noise, "not stated");
        assert_non_null(strstr(entry->software, "sotto "));
    }
    return entry->row < 4 ? SOTTO_OK : SOTTO_INTERRUPTED;
}

/* Charges the ledger through another handle at every row. */
static sotto_status charge_meanwhile(const sotto_ledger_entry *entry, void *context,
                                     sotto_error *error)
{
    sotto_ledger **other = context;
    assert_true(entry->row <= 300);
    if (entry->row % 100 != 0) return SOTTO_OK;
    return reserve(*other, pure_plan(0.001), NULL, error);
}

static sotto_status count_lines(const char *line, size_t size_bytes, void *context,
                                sotto_error *error)
{
    (void)error;
    assert_true(size_bytes > 1 && line[size_bytes - 1] == '\n');
    ++*(size_t *)context;
    return SOTTO_OK;
}

static void a_reader_holds_up_no_writer_and_sees_one_moment(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 2.0, 0.0), *other = NULL;
    sotto_error error;
    size_t lines = 0;
    for (int row = 2; row <= 300; row++) /* more than one part: history.c */
        assert_ok(sotto_ledger_grant(ledger, 0.001, 0.0, "more", NULL, &error), &error);
    assert_ok(sotto_ledger_open(made.path, &other, &error), &error);
    assert_ok(sotto_ledger_visit(ledger, charge_meanwhile, &other, &error), &error);
    assert_int_equal(balance_of(ledger).entries, 303);
    assert_ok(sotto_ledger_export(ledger, count_lines, &lines, &error), &error);
    assert_int_equal(lines, 303);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    sotto_ledger_close(other);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

static void a_visitor_sees_every_row_and_may_stop(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 2.0, 1e-6);
    sotto_error error;
    sotto_reservation reservation;
    int counts[5] = {0};
    assert_ok(reserve(ledger, approximate_plan(0.01, 1e-9), &reservation, &error),
              &error);
    assert_ok(sotto_ledger_commit(ledger, &reservation, SOME_HASH, &error), &error);
    assert_ok(sotto_ledger_grant(ledger, 0.5, 0.0, "a reason", NULL, &error), &error);
    assert_ok(reserve(ledger, gaussian_plan(9.0), &reservation, &error), &error);
    assert_int_equal(sotto_ledger_visit(ledger, count_kinds, counts, &error),
                     SOTTO_INTERRUPTED);
    for (int i = 1; i <= 4; i++)
        assert_int_equal(counts[i], 1);
    /* The walk's transaction has ended: the ledger is free for others. */
    assert_ok(reserve(ledger, gaussian_plan(9.0), &reservation, &error), &error);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

static void information_is_below_what_the_filter_guarantees(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 2.0, 1e-6);
    sotto_error error;
    sotto_account account;
    assert_refused(sotto_ledger_account(ledger, SOTTO_EXACT, &account, &error),
                   SOTTO_UNREACHABLE, &error, "nothing", NULL);
    for (int i = 0; i < 5; i++)
        assert_ok(reserve(ledger, gaussian_plan(20.0), NULL, &error), &error);
    assert_ok(sotto_ledger_account(ledger, SOTTO_EXACT, &account, &error), &error);
    const sotto_ledger_balance balance = balance_of(ledger);
    assert_true(account.delta == 1e-6);
    assert_within(account.epsilon, 0.3, balance.epsilon_spent_upper);
    assert_within(balance.epsilon_spent_upper, account.epsilon, 2.0);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

static sotto_status take_time(const sotto_ledger_entry *entry, void *context,
                              sotto_error *error)
{
    int64_t *times = context;
    (void)error;
    times[entry->kind] = entry->time_seconds;
    return SOTTO_OK;
}

/* Rows are public; how long a run took may tell of its records, and of a tuning how many trainings there were. */
static void a_ledger_does_not_tell_how_long_a_run_took(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 1.0, 0.0);
    sotto_error error;
    sotto_reservation reservation;
    int64_t times[SOTTO_LEDGER_CHECKPOINT + 1] = {0};
    assert_ok(reserve(ledger, pure_plan(0.1), &reservation, &error), &error);
    for (const time_t then = time(NULL); time(NULL) == then;)
        (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    assert_ok(sotto_ledger_commit(ledger, &reservation, SOME_HASH, &error), &error);
    assert_ok(sotto_ledger_visit(ledger, take_time, times, &error), &error);
    assert_true(times[SOTTO_LEDGER_RESERVE] > 0);
    assert_true(times[SOTTO_LEDGER_COMMIT] == times[SOTTO_LEDGER_RESERVE]);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pure_charge_is_rounded_up_to_the_unit),
        cmocka_unit_test(a_gaussian_charge_is_its_rdp_at_the_fixed_order),
        cmocka_unit_test(own_deltas_and_sampler_errors_have_columns_of_their_own),
        cmocka_unit_test(the_budget_is_never_exceeded_and_refusals_say_why),
        cmocka_unit_test(a_grant_raises_the_budget_and_stays_on_record),
        cmocka_unit_test(specks_of_sampler_error_cost_a_unit_at_any_epsilon),
        cmocka_unit_test(
            a_grant_cannot_make_past_sampler_errors_dearer_than_their_budget),
        cmocka_unit_test(a_pure_budget_takes_pure_events_only),
        cmocka_unit_test(what_is_no_plan_of_this_ledger_is_refused),
        cmocka_unit_test(a_wrong_budget_is_refused_before_a_file_is_made),
        cmocka_unit_test(an_output_is_committed_once_for_its_reservation),
        cmocka_unit_test(a_ledger_does_not_tell_how_long_a_run_took),
        cmocka_unit_test(a_visitor_sees_every_row_and_may_stop),
        cmocka_unit_test(a_reader_holds_up_no_writer_and_sees_one_moment),
        cmocka_unit_test(information_is_below_what_the_filter_guarantees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
