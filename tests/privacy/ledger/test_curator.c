/* Budgets and grants signed by the curator: no grant without the key, no signature in another place. */
#include "support.h"

#include "base/memory.h"
#include "privacy/ledger/entry.h"
#include "privacy/ledger/older.h"

typedef struct keys {
    scratch place;
    sotto_key *curator, *other;
} keys;

static keys keys_new(void)
{
    keys made = {.place = scratch_new()};
    sotto_error error;
    char secret[128], public_path[132], hex[SOTTO_KEY_HEX_BYTES];
    sotto_key **const out[] = {&made.curator, &made.other};
    for (int i = 0; i < 2; i++) {
        (void)snprintf(secret, sizeof secret, "%s/key%d", made.place.folder, i);
        (void)snprintf(public_path, sizeof public_path, "%s.pub", secret);
        assert_ok(sotto_key_new(secret, public_path, hex, &error), &error);
        assert_ok(sotto_key_open(secret, out[i], &error), &error);
    }
    return made;
}

static void keys_free(keys *made)
{
    sotto_key_close(made->curator);
    sotto_key_close(made->other);
    scratch_free(&made->place);
}

static sotto_ledger *signed_ledger(const scratch *made, const sotto_key *curator)
{
    sotto_error error;
    sotto_ledger *ledger = NULL;
    sotto_ledger_config config = config_of(1.0, 1e-6);
    config.curator = curator;
    assert_ok(sotto_ledger_init(made->path, &config, &error), &error);
    assert_ok(sotto_ledger_open(made->path, &ledger, &error), &error);
    return ledger;
}

static void only_the_curator_grants(void **state)
{
    (void)state;
    keys made = keys_new();
    const scratch place = scratch_new(), plain = scratch_new();
    sotto_ledger *ledger = signed_ledger(&place, made.curator);
    sotto_error error;
    assert_string_equal(balance_of(ledger).curator, sotto_key_public(made.curator));
    assert_refused(sotto_ledger_grant(ledger, 1000.0, 0.0, "mine", NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "only the curator",
                   "`key=curator.key`", NULL);
    assert_refused(sotto_ledger_grant(ledger, 1000.0, 0.0, "mine", made.other, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "another one", NULL);
    assert_int_equal(balance_of(ledger).entries, 1);
    assert_ok(sotto_ledger_grant(ledger, 1.0, 0.0, "wave two", made.curator, &error),
              &error);
    assert_true(balance_of(ledger).epsilon == 2.0);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    sotto_ledger_close(ledger);
    /* A key that the ledger does not know signs nothing. */
    ledger = ledger_new(&plain, 1.0, 1e-6);
    assert_refused(sotto_ledger_grant(ledger, 1.0, 0.0, "x", made.curator, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "names no curator", NULL);
    sotto_ledger_close(ledger);
    scratch_free(&plain);
    scratch_free(&place);
    keys_free(&made);
}

/* Checks the lines of `all` with one more, made from `entry` by the library itself but for the key. */
static sotto_status check_with(const exported *all, sot_entry *entry,
                               const sotto_key *key, sotto_error *error)
{
    char *line = NULL;
    size_t size_bytes = 0;
    exported both = {NULL, 0};
    assert_ok(sot_entry_write(entry, NULL, key, &line, &size_bytes, error), error);
    (void)append_line(all->text, all->size_bytes, &both, error);
    (void)append_line(line, size_bytes, &both, error);
    (void)append_line("\n", 1, &both, error);
    const sotto_status status =
        sotto_ledger_check_export(both.text, both.size_bytes, NULL, NULL, error);
    sot_free(line);
    free(both.text);
    return status;
}

/* The last line of an export as an entry. */
static sot_entry last_of(const exported *all, uint64_t row)
{
    sotto_error error;
    sot_entry entry;
    size_t from = all->size_bytes - 1;
    while (from > 0 && all->text[from - 1] != '\n')
        from--;
    assert_ok(sot_entry_parse(all->text + from, all->size_bytes - 1 - from, row, &entry,
                              &error),
              &error);
    return entry;
}

/* Whoever may write the file may write rows; without the key none of them is a grant. */
static void a_forged_grant_fails_verification(void **state)
{
    (void)state;
    keys made = keys_new();
    const scratch place = scratch_new();
    sotto_ledger *ledger = signed_ledger(&place, made.curator);
    sotto_error error;
    const exported first = export_of(ledger);
    assert_ok(sotto_ledger_grant(ledger, 1.0, 0.0, "wave two", made.curator, &error),
              &error);
    const exported two = export_of(ledger);
    sot_entry grant = last_of(&two, 2);
    assert_ok(check_with(&first, &grant, made.curator, &error), &error);
    assert_refused(check_with(&first, &grant, NULL, &error), SOTTO_VERIFICATION, &error,
                   "row 2", "lacks the signature", NULL);
    assert_refused(check_with(&first, &grant, made.other, &error), SOTTO_VERIFICATION,
                   &error, "row 2", "not the curator's", NULL);
    free(first.text);
    free(two.text);
    sotto_ledger_close(ledger);
    scratch_free(&place);
    keys_free(&made);
}

/* Puts the signature of one line into another; both hashes are made right again. */
static void move_signature(const sot_entry *from, const char *line, char out[8400])
{
    char body[8192], hash[65];
    unsigned char digest[32];
    const char *at = strstr(line, ",\"signature\":\"");
    assert_non_null(at);
    (void)snprintf(body, sizeof body, "%.*s,\"signature\":\"%s\"", (int)(at - line), line,
                   from->signature);
    (void)crypto_generichash(digest, sizeof digest, (const unsigned char *)body,
                             strlen(body), NULL, 0);
    (void)sodium_bin2hex(hash, sizeof hash, digest, sizeof digest);
    (void)snprintf(out, 8400, "%s,\"hash\":\"%s\"}\n", body, hash);
}

/* The signed bytes contain the row before, and with it the ledger's nonce: the same grant signed for another ledger or
 * for another row of this one is no grant here. */
static void a_signature_counts_in_one_place_only(void **state)
{
    (void)state;
    keys made = keys_new();
    const scratch places[2] = {scratch_new(), scratch_new()};
    sotto_error error;
    sot_entry grants[2][2];
    exported firsts[2], alls[2];
    for (int i = 0; i < 2; i++) {
        sotto_ledger *ledger = signed_ledger(&places[i], made.curator);
        firsts[i] = export_of(ledger);
        for (int k = 0; k < 2; k++) {
            assert_ok(sotto_ledger_grant(ledger, 0.5, 0.0, "same", made.curator, &error),
                      &error);
            exported now = export_of(ledger);
            grants[i][k] = last_of(&now, (uint64_t)k + 2);
            free(now.text);
        }
        alls[i] = export_of(ledger);
        sotto_ledger_close(ledger);
    }
    const sot_entry *const strangers[] = {&grants[1][0], &grants[0][1]};
    for (int i = 0; i < 2; i++) {
        char line[8400];
        exported forged = {NULL, 0};
        move_signature(strangers[i], alls[0].text + firsts[0].size_bytes, line);
        (void)append_line(firsts[0].text, firsts[0].size_bytes, &forged, &error);
        (void)append_line(line, strlen(line), &forged, &error);
        assert_refused(
            sotto_ledger_check_export(forged.text, forged.size_bytes, NULL, NULL, &error),
            SOTTO_VERIFICATION, &error, "row 2", "not the curator's", NULL);
        free(forged.text);
    }
    for (int i = 0; i < 2; i++) {
        free(firsts[i].text);
        free(alls[i].text);
        scratch_free(&places[i]);
    }
    keys_free(&made);
}

/* The budget itself is signed: a larger one under the curator's name fails when the file is opened. */
static void a_forged_budget_is_not_opened(void **state)
{
    (void)state;
    keys made = keys_new();
    const scratch place = scratch_new();
    sotto_ledger *ledger = signed_ledger(&place, made.curator);
    sotto_error error;
    const exported all = export_of(ledger);
    sotto_ledger_close(ledger);
    sot_entry first = last_of(&all, 1);
    const exported nothing = {NULL, 0};
    exported empty = nothing;
    assert_ok(append_line("", 0, &empty, &error), &error);
    assert_refused(check_with(&empty, &first, NULL, &error), SOTTO_VERIFICATION, &error,
                   "row 1", "lacks the signature", NULL);
    assert_refused(check_with(&empty, &first, made.other, &error), SOTTO_VERIFICATION,
                   &error, "row 1", "not the curator's", NULL);
    assert_ok(check_with(&empty, &first, made.curator, &error), &error);
    free(empty.text);
    free(all.text);
    scratch_free(&place);
    keys_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_curator_grants),
        cmocka_unit_test(a_forged_grant_fails_verification),
        cmocka_unit_test(a_signature_counts_in_one_place_only),
        cmocka_unit_test(a_forged_budget_is_not_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
