/* Runs that keep checkpoints: rows go forward, one file at a time counts, and old ledgers and readers are told. */
#include "support.h"

#include "privacy/ledger/older.h"
#include "privacy/ledger/scratch.h"

#include <sqlite3.h>

#include "base/memory.h"
#include "privacy/ledger/kept.h"

#define HASH_OF(digit)                                                                   \
    digit digit digit digit digit digit digit digit digit digit digit digit digit digit  \
        digit digit digit digit digit digit digit digit digit digit digit digit digit    \
            digit digit digit digit digit digit digit digit digit digit digit digit      \
                digit digit digit digit digit digit digit digit digit digit digit digit  \
                    digit digit digit digit digit digit digit digit digit digit digit    \
                        digit digit

static const sot_kept_mark first = {HASH_OF("1"), HASH_OF("a")};
static const sot_kept_mark second = {HASH_OF("2"), HASH_OF("b")};
static const sot_kept_mark output = {HASH_OF("3"), HASH_OF("c")};

static sotto_status charge(sotto_ledger *ledger, const sotto_plan *plan,
                           double sampler_error, const char *label,
                           const char *checkpoint, sotto_reservation *out,
                           sotto_error *error)
{
    const sot_request request = {.plan = plan,
                                 .sampler_error = sampler_error,
                                 .delta = SOTTO_UNSET,
                                 .label = label,
                                 .noise = "a test",
                                 .checkpoint = checkpoint};
    return sot_ledger_charge(ledger, &request, out, error);
}

static sotto_reservation reserve_kept(sotto_ledger *ledger, const sotto_plan *plan)
{
    sotto_error error;
    sotto_reservation reservation;
    assert_ok(
        charge(ledger, plan, 0x1p-80, "a long run", HASH_OF("0"), &reservation, &error),
        &error);
    return reservation;
}

static sot_kept_run find(sotto_ledger *ledger, const sotto_plan *plan, const char *hash)
{
    sotto_error error;
    sot_kept_run run;
    assert_ok(sot_ledger_find_kept(ledger, hash, plan, &run, &error), &error);
    return run;
}

static void assert_same_balance(const sotto_ledger_balance *a,
                                const sotto_ledger_balance *b)
{
    assert_true(a->budget == b->budget && a->spent == b->spent && a->left == b->left);
    assert_true(a->delta_budget == b->delta_budget && a->delta_spent == b->delta_spent);
    assert_true(a->delta_left == b->delta_left && a->entries == b->entries);
    assert_true(a->epsilon_spent_upper == b->epsilon_spent_upper);
    assert_string_equal(a->head, b->head);
    assert_string_equal(a->dataset, b->dataset);
}

/* To the last bit: the certificate quotes it. */
static void assert_same(const sotto_reservation *a, const sotto_reservation *b)
{
    assert_int_equal(a->id, b->id);
    assert_true(a->charged == b->charged && a->delta_charged == b->delta_charged);
    assert_same_balance(&a->before, &b->before);
    assert_same_balance(&a->after, &b->after);
}

static void a_run_is_found_by_its_last_file_alone(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 3.0, 1e-6);
    sotto_error error;
    sotto_plan *plan = gaussian_plan(7.5), *other = gaussian_plan(8.0);
    assert_ok(reserve(ledger, gaussian_plan(20.0), NULL, &error), &error);
    const sotto_reservation reservation = reserve_kept(ledger, plan);
    assert_int_equal(find(ledger, plan, first.checkpoint).place, SOT_KEPT_UNKNOWN);

    sot_kept_run run = find(ledger, plan, HASH_OF("0"));
    assert_int_equal(run.place, SOT_KEPT_LAST);
    assert_true(run.same_plan && !run.committed);
    assert_string_equal(run.label, "a long run");
    assert_false(find(ledger, other, HASH_OF("0")).same_plan);
    assert_same(&run.reservation, &reservation);

    assert_ok(sot_ledger_keep(ledger, &reservation, 5, HASH_OF("0"), &first, &error),
              &error);
    assert_ok(reserve(ledger, gaussian_plan(20.0), NULL, &error), &error);
    assert_int_equal(find(ledger, plan, HASH_OF("0")).place, SOT_KEPT_OLDER);
    run = find(ledger, plan, first.checkpoint);
    assert_int_equal(run.place, SOT_KEPT_LAST);
    assert_int_equal(run.step, 5);
    assert_string_equal(run.seal_key, first.seal_key);
    /* As it was made, whatever was charged since. */
    assert_same(&run.reservation, &reservation);

    assert_ok(sot_ledger_commit_kept(ledger, &run.reservation, SOME_HASH,
                                     first.checkpoint, &output, &error),
              &error);
    assert_int_equal(find(ledger, plan, first.checkpoint).place, SOT_KEPT_OLDER);
    run = find(ledger, plan, output.checkpoint);
    assert_true(run.place == SOT_KEPT_LAST && run.committed);
    assert_string_equal(run.output, SOME_HASH);
    assert_string_equal(run.seal_key, output.seal_key);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    sotto_plan_free(plan);
    sotto_plan_free(other);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

static void no_run_goes_back_or_two_ways(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 3.0, 1e-6);
    sotto_error error;
    sotto_plan *plan = gaussian_plan(7.5);
    const sotto_reservation reservation = reserve_kept(ledger, plan);
    assert_ok(sot_ledger_keep(ledger, &reservation, 5, HASH_OF("0"), &first, &error),
              &error);
    const sotto_ledger_balance before = balance_of(ledger);
    /* Another process that still goes by the file before. */
    assert_refused(
        sot_ledger_keep(ledger, &reservation, 6, HASH_OF("0"), &second, &error),
        SOTTO_INVALID_ARGUMENT, &error, "another process", NULL);
    assert_refused(
        sot_ledger_keep(ledger, &reservation, 5, first.checkpoint, &second, &error),
        SOTTO_VERIFICATION, &error, "goes back", NULL);
    sotto_reservation plain;
    assert_ok(reserve(ledger, gaussian_plan(20.0), &plain, &error), &error);
    assert_refused(sot_ledger_keep(ledger, &plain, 1, "", &second, &error),
                   SOTTO_VERIFICATION, &error, "keeps none", NULL);
    assert_refused(sot_ledger_commit_kept(ledger, &plain, SOME_HASH, "", &second, &error),
                   SOTTO_VERIFICATION, &error, "keeps none", NULL);
    /* It has seen no row since, and would commit other steps than those that were kept. */
    assert_refused(sot_ledger_commit_kept(ledger, &reservation, SOME_HASH, HASH_OF("0"),
                                          &output, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "another process", NULL);
    assert_ok(sot_ledger_commit_kept(ledger, &reservation, SOME_HASH, first.checkpoint,
                                     &output, &error),
              &error);
    assert_refused(
        sot_ledger_keep(ledger, &reservation, 7, output.checkpoint, &second, &error),
        SOTTO_INVALID_ARGUMENT, &error, "committed already", NULL);
    const sotto_ledger_balance after = balance_of(ledger);
    assert_int_equal(after.entries, before.entries + 2);
    sotto_plan_free(plan);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

static int format_of(const scratch *made)
{
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_open_v2(made->path, &database, SQLITE_OPEN_READONLY, NULL),
                     SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(database, "PRAGMA user_version", -1, &statement, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    const int format = sqlite3_column_int(statement, 0);
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(database);
    return format;
}

/* A sotto of the older format says that it does not know this one; an older ledger rises with its first new row. */
static void the_format_rises_with_the_first_new_row(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = older_ledger(&made, 0);
    sotto_error error;
    sotto_plan *plan = gaussian_plan(7.5), *large = gaussian_plan(0.01);
    sotto_reservation reservation;
    assert_int_equal(format_of(&made), 1);
    /* Refused: nothing was written, nothing rises. */
    assert_int_equal(
        charge(ledger, large, 0.0, "a long run", HASH_OF("0"), &reservation, &error),
        SOTTO_BUDGET_EXCEEDED);
    assert_int_equal(format_of(&made), 1);
    (void)reserve_kept(ledger, plan);
    assert_int_equal(format_of(&made), 3);
    sotto_ledger_close(ledger);
    assert_ok(sotto_ledger_open(made.path, &ledger, &error), &error);
    sotto_plan_free(plan);
    sotto_plan_free(large);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* An export holds all of it, and no row of it can be changed. */
static void an_export_tells_and_guards_the_checkpoints(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 3.0, 1e-6);
    sotto_error error;
    sotto_plan *plan = gaussian_plan(7.5);
    const sotto_reservation reservation = reserve_kept(ledger, plan);
    assert_ok(sot_ledger_keep(ledger, &reservation, 5, HASH_OF("0"), &first, &error),
              &error);
    assert_ok(sot_ledger_commit_kept(ledger, &reservation, SOME_HASH, first.checkpoint,
                                     &output, &error),
              &error);
    exported all = export_of(ledger);
    assert_ok(sotto_ledger_check_export(all.text, all.size_bytes, NULL, NULL, &error),
              &error);
    char *step = strstr(all.text, "\"step\":5");
    assert_non_null(step);
    step[7] = '4';
    assert_refused(
        sotto_ledger_check_export(all.text, all.size_bytes, NULL, NULL, &error),
        SOTTO_VERIFICATION, &error, "row 3", NULL);
    free(all.text);
    sotto_plan_free(plan);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

static void failing_memory_is_reported(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 3.0, 1e-6);
    sotto_error error;
    sotto_plan *plan = gaussian_plan(7.5);
    const sotto_reservation reservation = reserve_kept(ledger, plan);
    sotto_status status = SOTTO_OUT_OF_MEMORY;
    size_t nth = 1;
    for (; status != SOTTO_OK && nth < 1000; nth++) {
        (void)sot_test_fail_allocation(nth);
        status = sot_ledger_keep(ledger, &reservation, 5, HASH_OF("0"), &first, &error);
        (void)sot_test_fail_allocation(0);
        if (status != SOTTO_OK) assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    assert_int_equal(status, SOTTO_OK);
    assert_true(nth > 3);
    status = SOTTO_OUT_OF_MEMORY;
    for (nth = 1; status != SOTTO_OK && nth < 1000; nth++) {
        sot_kept_run run;
        (void)sot_test_fail_allocation(nth);
        status = sot_ledger_find_kept(ledger, first.checkpoint, plan, &run, &error);
        (void)sot_test_fail_allocation(0);
        if (status != SOTTO_OK) assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    assert_int_equal(status, SOTTO_OK);
    sotto_plan_free(plan);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_found_by_its_last_file_alone),
        cmocka_unit_test(no_run_goes_back_or_two_ways),
        cmocka_unit_test(the_format_rises_with_the_first_new_row),
        cmocka_unit_test(an_export_tells_and_guards_the_checkpoints),
        cmocka_unit_test(failing_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
