/* Attacks on a ledger: its file changed, copied, rolled back, renamed, linked, opened to others. */
#include "support.h"

#include "privacy/ledger/scratch.h"

#include <sqlite3.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "privacy/ledger/amount.h"
#include "privacy/ledger/entry.h"

/* Runs SQL on the file as an attacker with the sqlite3 command would; false if it refused. */
static bool run_sql(const char *path, const char *sql)
{
    sqlite3 *database = NULL;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    const bool done = sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK;
    (void)sqlite3_close(database);
    return done;
}

static void copy_file(const char *from, const char *to)
{
    static char bytes[1 << 20];
    FILE *source = fopen(from, "rb");
    assert_non_null(source);
    const size_t size = fread(bytes, 1, sizeof bytes, source);
    (void)fclose(source);
    FILE *target = fopen(to, "wb");
    assert_non_null(target);
    assert_int_equal(fwrite(bytes, 1, size, target), size);
    (void)fclose(target);
    assert_int_equal(chmod(to, 0600), 0);
}

/* A ledger with an init row, three charges and a commit; closed. */
static scratch filled_ledger(void)
{
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 2.0, 1e-6);
    sotto_error error;
    sotto_reservation reservation;
    for (int i = 0; i < 3; i++)
        assert_ok(reserve(ledger, gaussian_plan(9.0 + i), &reservation, &error), &error);
    assert_ok(sotto_ledger_commit(ledger, &reservation, SOME_HASH, &error), &error);
    sotto_ledger_close(ledger);
    return made;
}

static sotto_status try_open(const char *path, sotto_error *error)
{
    sotto_ledger *ledger = NULL;
    const sotto_status status = sotto_ledger_open(path, &ledger, error);
    sotto_ledger_close(ledger);
    return status;
}

static const char drop_guards[] =
    "DROP TRIGGER entry_in_order; DROP TRIGGER entry_not_changed; "
    "DROP TRIGGER entry_not_removed;";

/* The guards put back, word for word, so that only the chain can tell. */
static const char put_guards_back[] =
    "CREATE TRIGGER entry_in_order BEFORE INSERT ON entry WHEN new.row IS NOT (SELECT "
    "coalesce(max(row), 0) + 1 FROM entry) BEGIN SELECT raise(ABORT, 'ledger rows are "
    "numbered without a gap'); END;"
    "CREATE TRIGGER entry_not_changed BEFORE UPDATE ON entry BEGIN SELECT raise(ABORT, "
    "'ledger rows are never changed'); END;"
    "CREATE TRIGGER entry_not_removed BEFORE DELETE ON entry BEGIN SELECT raise(ABORT, "
    "'ledger rows are never removed'); END;";

static void rows_cannot_be_changed_removed_or_slipped_in(void **state)
{
    (void)state;
    const scratch made = filled_ledger();
    sotto_error error;
    assert_false(run_sql(made.path, "UPDATE entry SET line = '{}' WHERE row = 2"));
    assert_false(run_sql(made.path, "DELETE FROM entry WHERE row = 5"));
    assert_false(run_sql(made.path, "INSERT INTO entry VALUES(7, '{}')"));
    assert_false(run_sql(made.path, "INSERT OR REPLACE INTO entry VALUES(2, '{}')"));
    assert_false(run_sql(made.path, "INSERT INTO entry VALUES(6, x'00')"));
    assert_false(run_sql(made.path, "INSERT INTO entry VALUES(6, NULL)"));
    assert_ok(try_open(made.path, &error), &error);
    scratch_free(&made);
}

static void a_ledger_without_its_guards_is_refused(void **state)
{
    (void)state;
    const scratch made = filled_ledger();
    sotto_error error;
    assert_true(run_sql(made.path, "DROP TRIGGER entry_not_removed"));
    assert_refused(try_open(made.path, &error), SOTTO_VERIFICATION, &error, "triggers",
                   NULL);
    scratch_free(&made);
}

/* Changes made with the guards off and put back: each is found by the chain. */
static void the_chain_catches_every_change(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "UPDATE entry SET line = replace(line, '\"charges\":[', '\"charges\":[1') WHERE "
        "row = 2",
        "UPDATE entry SET line = replace(line, '\"epsilon\":2.0', '\"epsilon\":9.0')",
        "UPDATE entry SET line = replace(line, 'a test', 'a fest') WHERE row = 3",
        "UPDATE entry SET line = replace(line, '\"time\":1', '\"time\":2') WHERE row = 4",
        "UPDATE entry SET line = replace(line, '9.0', '99.0') WHERE row = 2",
        "UPDATE entry SET line = replace(line, '0011', '1100') WHERE row = 5",
        "UPDATE entry SET line = line || ' ' WHERE row = 2",
        "DELETE FROM entry WHERE row = 3",
        "DELETE FROM entry WHERE row = 1",
        "DELETE FROM entry",
        "DELETE FROM entry WHERE row = 3; UPDATE entry SET row = row - 1 WHERE row > 3",
        "UPDATE entry SET line = (SELECT line FROM entry WHERE row = 3) WHERE row = 4",
        "UPDATE entry SET line = 'x' WHERE row = 2",
        "INSERT INTO entry SELECT 6, line FROM entry WHERE row = 5",
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const scratch made = filled_ledger();
        sotto_error error;
        assert_true(run_sql(made.path, drop_guards));
        assert_true(run_sql(made.path, changes[i]));
        assert_true(run_sql(made.path, put_guards_back));
        const sotto_status status = try_open(made.path, &error);
        if (status != SOTTO_VERIFICATION) {
            print_error("not caught: %s\n", changes[i]);
            fail();
        }
        scratch_free(&made);
    }
}

static void an_export_with_any_byte_changed_is_refused(void **state)
{
    (void)state;
    const scratch made = filled_ledger();
    sotto_ledger *ledger = NULL;
    sotto_error error;
    assert_ok(sotto_ledger_open(made.path, &ledger, &error), &error);
    const exported all = export_of(ledger);
    sotto_ledger_close(ledger);
    assert_ok(sotto_ledger_check_export(all.text, all.size_bytes, NULL, NULL, &error),
              &error);
    for (size_t i = 0; i < all.size_bytes; i++) {
        const char kept = all.text[i];
        all.text[i] = kept == '7' ? '8' : '7';
        assert_int_equal(
            sotto_ledger_check_export(all.text, all.size_bytes, NULL, NULL, &error),
            SOTTO_VERIFICATION);
        all.text[i] = kept;
    }
    for (size_t cut = 1; cut < 100; cut++) {
        assert_int_equal(
            sotto_ledger_check_export(all.text, all.size_bytes - cut, NULL, NULL, &error),
            SOTTO_VERIFICATION);
    }
    assert_int_equal(sotto_ledger_check_export("", 0, NULL, NULL, &error),
                     SOTTO_VERIFICATION);
    assert_int_equal(sotto_ledger_check_export(NULL, 0, NULL, NULL, &error),
                     SOTTO_VERIFICATION);
    assert_int_equal(sotto_ledger_check_export("\n", 1, NULL, NULL, &error),
                     SOTTO_VERIFICATION);
    free(all.text);
    scratch_free(&made);
}

/* Changes the first digit of the first charge in the export of a filled ledger; which check
 * finds it depends on what the hash covers. */
static sotto_status check_with_another_charge(sotto_error *error)
{
    const scratch made = filled_ledger();
    sotto_ledger *ledger = NULL;
    assert_ok(sotto_ledger_open(made.path, &ledger, error), error);
    exported all = export_of(ledger);
    sotto_ledger_close(ledger);
    char *digit = strstr(all.text, "\"charges\":[") + 11;
    *digit = *digit == '1' ? '2' : '1';
    const sotto_status status =
        sotto_ledger_check_export(all.text, all.size_bytes, NULL, NULL, error);
    free(all.text);
    scratch_free(&made);
    return status;
}

static void the_hash_covers_the_amount(void **state)
{
    (void)state;
    sotto_error error;
    assert_refused(check_with_another_charge(&error), SOTTO_VERIFICATION, &error, "row 2",
                   "does not have its hash", NULL);
}

/* The first row of a new ledger as an export, and its second row, the charge of a plan. */
static sot_entry second_row(const sotto_plan *plan, exported *out_first)
{
    const scratch made = scratch_new();
    sotto_error error;
    sotto_reservation honest;
    sot_entry second;
    sotto_ledger *ledger = ledger_new(&made, 5.0, 1e-6);
    *out_first = export_of(ledger);
    assert_ok(sotto_ledger_reserve(ledger, plan, 0.0, "a test", &honest, &error), &error);
    exported whole = export_of(ledger);
    const size_t before = out_first->size_bytes;
    assert_ok(sot_entry_parse(whole.text + before, whole.size_bytes - before - 1, 2,
                              &second, &error),
              &error);
    free(whole.text);
    sotto_ledger_close(ledger);
    scratch_free(&made);
    return second;
}

/* Checks the two rows, the second one written anew, with its hash. */
static sotto_status check_second(const exported *first, sot_entry second,
                                 const sotto_plan *plan, sotto_error *error)
{
    exported both = {NULL, 0};
    char *line = NULL;
    size_t size_bytes = 0;
    assert_ok(sot_entry_write(&second, plan, NULL, &line, &size_bytes, error), error);
    (void)append_line(first->text, first->size_bytes, &both, error);
    (void)append_line(line, size_bytes, &both, error);
    (void)append_line("\n", 1, &both, error);
    const sotto_status status =
        sotto_ledger_check_export(both.text, both.size_bytes, NULL, NULL, error);
    sot_free(line);
    free(both.text);
    return status;
}

/* A row whose hash is right and whose amounts are not, as behind a broken hash: the sums speak. */
static void sums_catch_what_a_broken_hash_would_miss(void **state)
{
    (void)state;
    sotto_error error;
    exported first;
    sotto_plan *plan = gaussian_plan(9.0);
    const sot_entry honest = second_row(plan, &first);
    sot_entry charge = honest, sum = honest;
    charge.charges.at[0]--;
    sum.sums.at[0]--;
    assert_ok(check_second(&first, honest, plan, &error), &error);
    assert_refused(check_second(&first, charge, plan, &error), SOTTO_VERIFICATION, &error,
                   "row 2", "its sums are not those of the rows before it", NULL);
    assert_refused(check_second(&first, sum, plan, &error), SOTTO_VERIFICATION, &error,
                   "row 2", "its sums are not those of the rows before it", NULL);
    free(first.text);
    sotto_plan_free(plan);
}

/* A curator's enemy who owns the software: hashes and sums fit, the plan's price does not. */
static void a_charge_below_the_price_of_its_plan_fails_the_check(void **state)
{
    (void)state;
    sotto_error error;
    exported first;
    sotto_plan *cheap = gaussian_plan(9.0), *dear = gaussian_plan(3.0);
    const sot_entry second = second_row(cheap, &first);
    assert_ok(check_second(&first, second, cheap, &error), &error);
    assert_refused(check_second(&first, second, dear, &error), SOTTO_VERIFICATION, &error,
                   "row 2", "its plan costs", NULL);
    free(first.text);
    sotto_plan_free(cheap);
    sotto_plan_free(dear);
}

static void copies_and_rollbacks_are_found_with_an_anchor_only(void **state)
{
    (void)state;
    const scratch made = filled_ledger();
    char old_copy[128];
    (void)snprintf(old_copy, sizeof old_copy, "%s/old", made.folder);
    copy_file(made.path, old_copy);
    sotto_ledger *ledger = NULL;
    sotto_error error;
    sotto_reservation reservation;
    assert_ok(sotto_ledger_open(made.path, &ledger, &error), &error);
    assert_ok(reserve(ledger, gaussian_plan(30.0), &reservation, &error), &error);
    char anchor[SOTTO_HASH_HEX_BYTES]; /* as in the certificate */
    memcpy(anchor, reservation.after.head, sizeof anchor);
    assert_ok(reserve(ledger, gaussian_plan(31.0), NULL, &error), &error);
    assert_ok(sotto_ledger_check(ledger, anchor, &error), &error);
    sotto_ledger_close(ledger);
    /* rollback: the old file in the new one's place */
    assert_int_equal(rename(old_copy, made.path), 0);
    assert_ok(sotto_ledger_open(made.path, &ledger, &error), &error);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error); /* the known weakness */
    assert_refused(sotto_ledger_check(ledger, anchor, &error), SOTTO_VERIFICATION, &error,
                   "older copy", NULL);
    assert_refused(sotto_ledger_check(ledger, "zz", &error), SOTTO_INVALID_ARGUMENT,
                   &error, "expected head", NULL);
    /* and a fork of the history has another head */
    assert_ok(reserve(ledger, gaussian_plan(99.0), &reservation, &error), &error);
    assert_refused(sotto_ledger_check(ledger, anchor, &error), SOTTO_VERIFICATION, &error,
                   "expected head", NULL);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

static void a_file_moved_or_replaced_while_open_takes_no_charge(void **state)
{
    (void)state;
    const scratch made = filled_ledger();
    char other[128];
    (void)snprintf(other, sizeof other, "%s/other", made.folder);
    copy_file(made.path, other);
    sotto_ledger *ledger = NULL;
    sotto_error error;
    assert_ok(sotto_ledger_open(made.path, &ledger, &error), &error);
    assert_int_equal(rename(other, made.path), 0);
    assert_refused(reserve(ledger, gaussian_plan(30.0), NULL, &error), SOTTO_IO, &error,
                   "replaced", NULL);
    assert_int_equal(rename(made.path, other), 0);
    assert_refused(reserve(ledger, gaussian_plan(30.0), NULL, &error), SOTTO_IO, &error,
                   "moved", NULL);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

static void only_a_private_regular_file_in_a_private_directory_is_a_ledger(void **state)
{
    (void)state;
    const scratch made = filled_ledger();
    sotto_error error;
    char other[128], through[256];
    struct stat found;
    assert_int_equal(stat(made.path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0600);
    (void)snprintf(other, sizeof other, "%s/other", made.folder);
    assert_refused(try_open(other, &error), SOTTO_IO, &error, "no ledger", "init", NULL);
    const mode_t open_modes[] = {0640, 0660, 0604, 0602, 0610};
    for (size_t i = 0; i < sizeof open_modes / sizeof open_modes[0]; i++) {
        assert_int_equal(chmod(made.path, open_modes[i]), 0);
        assert_refused(try_open(made.path, &error), SOTTO_IO, &error, "chmod 600", NULL);
    }
    assert_int_equal(chmod(made.path, 0600), 0);
    assert_int_equal(symlink(made.path, other), 0);
    assert_refused(try_open(other, &error), SOTTO_IO, &error, "symbolic link", NULL);
    const sotto_ledger_config config = config_of(1.0, 0.0);
    assert_refused(sotto_ledger_init(other, &config, &error), SOTTO_IO, &error, "already",
                   NULL);
    assert_int_equal(unlink(other), 0);
    assert_int_equal(link(made.path, other), 0);
    assert_refused(try_open(made.path, &error), SOTTO_IO, &error, "hard link", NULL);
    assert_int_equal(unlink(other), 0);
    /* The name that a killed `ledger init` left is no second name: it is removed. */
    char temporary[96];
    (void)snprintf(temporary, sizeof temporary, "%s/.sotto-7-0.tmp", made.folder);
    assert_int_equal(link(made.path, temporary), 0);
    assert_ok(try_open(made.path, &error), &error);
    assert_int_equal(access(temporary, F_OK), -1);
    /* A file of such a name that is another one stays. */
    assert_int_equal(link(made.path, other), 0);
    const int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(file >= 0 && close(file) == 0);
    assert_refused(try_open(made.path, &error), SOTTO_IO, &error, "hard link", NULL);
    assert_int_equal(unlink(temporary), 0);
    assert_int_equal(unlink(other), 0);
    assert_int_equal(mkfifo(other, 0600), 0);
    assert_refused(try_open(other, &error), SOTTO_IO, &error, "regular file", NULL);
    assert_refused(try_open(made.folder, &error), SOTTO_IO, &error, NULL);
    assert_refused(try_open("", &error), SOTTO_INVALID_ARGUMENT, &error, "name of a file",
                   NULL);
    assert_refused(try_open(NULL, &error), SOTTO_INVALID_ARGUMENT, &error, NULL);
    assert_refused(try_open("/no/such/place/x", &error), SOTTO_IO, &error, "No such",
                   NULL);
    assert_int_equal(chmod(made.folder, 0777), 0);
    assert_refused(try_open(made.path, &error), SOTTO_IO, &error, "directory", "go-w",
                   NULL);
    assert_int_equal(chmod(made.folder, 0755), 0);
    /* A symbolic link on the way to the directory is fine: it is resolved once. */
    (void)snprintf(through, sizeof through, "%s-link", made.folder);
    assert_int_equal(symlink(made.folder, through), 0);
    char path[300];
    (void)snprintf(path, sizeof path, "%s/budget.ledger", through);
    assert_ok(try_open(path, &error), &error);
    assert_int_equal(unlink(through), 0);
    scratch_free(&made);
}

static void files_that_are_not_ours_are_refused(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_error error;
    const struct {
        const char *sql;
        sotto_status status;
        const char *word;
    } files[] = {
        {"CREATE TABLE t(x)", SOTTO_VERIFICATION, "not a ledger"},
        {"PRAGMA application_id = 1936684148", SOTTO_UNSUPPORTED, "format 0"},
        {"PRAGMA user_version = 4", SOTTO_UNSUPPORTED, "format 4"},
        {"PRAGMA user_version = 1", SOTTO_VERIFICATION, "triggers"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        assert_true(run_sql(made.path, files[i].sql));
        assert_int_equal(chmod(made.path, 0600), 0);
        assert_refused(try_open(made.path, &error), files[i].status, &error,
                       files[i].word, NULL);
    }
    FILE *file = fopen(made.path, "wb");
    assert_non_null(file);
    for (int i = 0; i < 400; i++)
        (void)fputs("not a database ", file);
    (void)fclose(file);
    assert_refused(try_open(made.path, &error), SOTTO_VERIFICATION, &error, "damaged",
                   NULL);
    assert_int_equal(truncate(made.path, 0), 0);
    assert_refused(try_open(made.path, &error), SOTTO_VERIFICATION, &error,
                   "not a ledger", NULL);
    scratch_free(&made);
}

static void a_ledger_in_wal_mode_is_made_durable_again(void **state)
{
    (void)state;
    const scratch made = filled_ledger();
    sotto_error error;
    assert_true(run_sql(made.path, "PRAGMA journal_mode = WAL"));
    assert_ok(try_open(made.path, &error), &error);
    char wal[128];
    (void)snprintf(wal, sizeof wal, "%s-wal", made.path);
    assert_int_equal(access(wal, F_OK), -1);
    scratch_free(&made);
}

static void a_handle_does_not_cross_fork(void **state)
{
    (void)state;
    const scratch made = filled_ledger();
    sotto_ledger *ledger = NULL;
    sotto_error error;
    assert_ok(sotto_ledger_open(made.path, &ledger, &error), &error);
    const pid_t child = fork();
    if (child == 0) {
        sotto_ledger_balance balance;
        _exit(sotto_ledger_read_balance(ledger, &balance, &error) ==
                          SOTTO_INVALID_ARGUMENT &&
                      strstr(error.message, "fork") != NULL
                  ? 0
                  : 1);
    }
    int result = -1;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(result, 0);
    assert_ok(reserve(ledger, gaussian_plan(50.0), NULL, &error), &error);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_cannot_be_changed_removed_or_slipped_in),
        cmocka_unit_test(a_ledger_without_its_guards_is_refused),
        cmocka_unit_test(the_chain_catches_every_change),
        cmocka_unit_test(an_export_with_any_byte_changed_is_refused),
        cmocka_unit_test(the_hash_covers_the_amount),
        cmocka_unit_test(sums_catch_what_a_broken_hash_would_miss),
        cmocka_unit_test(a_charge_below_the_price_of_its_plan_fails_the_check),
        cmocka_unit_test(copies_and_rollbacks_are_found_with_an_anchor_only),
        cmocka_unit_test(a_file_moved_or_replaced_while_open_takes_no_charge),
        cmocka_unit_test(only_a_private_regular_file_in_a_private_directory_is_a_ledger),
        cmocka_unit_test(files_that_are_not_ours_are_refused),
        cmocka_unit_test(a_ledger_in_wal_mode_is_made_durable_again),
        cmocka_unit_test(a_handle_does_not_cross_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
