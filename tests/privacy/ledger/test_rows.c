/* Rows whose hash fits and whose members do not: each value is replaced by others, and each name by another one. A reader
 * refuses the row, or reads it as what it is. */
#include "support.h"

#include "privacy/ledger/scratch.h"

#include <sodium.h>

#include "privacy/ledger/entry.h"

enum { LINE_BYTES = 1 << 16, HASH_DIGITS = 64 };

static const char hash_member[] = ",\"hash\":\"";

/* A line with the hash of its bytes. */
static size_t seal(char *line, const char *body, size_t body_bytes)
{
    unsigned char digest[32];
    char hex[HASH_DIGITS + 1];
    (void)crypto_generichash(digest, sizeof digest, (const unsigned char *)body,
                             body_bytes, NULL, 0);
    (void)sodium_bin2hex(hex, sizeof hex, digest, sizeof digest);
    memmove(line, body, body_bytes);
    return body_bytes + (size_t)sprintf(line + body_bytes, "%s%s\"}", hash_member, hex);
}

static sotto_status parse(const char *line, size_t size_bytes, uint64_t row)
{
    sot_entry entry;
    sotto_error error;
    const sotto_status status = sot_entry_parse(line, size_bytes, row, &entry, &error);
    assert_true(status == SOTTO_OK || status == SOTTO_VERIFICATION);
    return status;
}

/* The end of the JSON value that begins at `at`. */
static size_t value_end(const char *body, size_t at, size_t size_bytes)
{
    int depth = 0;
    bool quoted = false;
    for (size_t i = at; i < size_bytes; i++) {
        const char c = body[i];
        if (quoted) {
            if (c == '\\') i++;
            if (c == '"') quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if ((c == '}' || c == ']' || c == ',') && depth == 0) {
            return i;
        } else if (c == '}' || c == ']') {
            depth--;
        }
    }
    return size_bytes;
}

/* The row with `text` in the place of the bytes from..to; how often that is refused is added up. */
static void try_change(const char *body, size_t body_bytes, uint64_t row, size_t from,
                       size_t to, const char *text, size_t *refused)
{
    static char changed[LINE_BYTES], line[LINE_BYTES];
    const int size = snprintf(changed, sizeof changed, "%.*s%s%.*s", (int)from, body,
                              text, (int)(body_bytes - to), body + to);
    assert_true(size > 0 && (size_t)size + 200 < sizeof changed);
    *refused += parse(line, seal(line, changed, (size_t)size), row) != SOTTO_OK;
}

static void change_row(const char *body, size_t body_bytes, uint64_t row, size_t *tried,
                       size_t *refused)
{
    static const char *const values[] = {
        "null", "-1", "0",  "2.5", "1e300", "99999999999999999999", "\"\"", "\"x\"",
        "true", "[]", "{}", "[1]", "[-1]",  "\"00\\u0001\""};
    const size_t count = sizeof values / sizeof values[0];
    bool quoted = false;
    for (size_t i = 0; i < body_bytes; i++) {
        if (quoted && body[i] == '\\')
            i++;
        else if (body[i] == '"')
            quoted = !quoted;
        if (quoted || body[i] != ':') continue;
        const size_t end = value_end(body, i + 1, body_bytes);
        for (size_t k = 0; k < count; k++)
            try_change(body, body_bytes, row, i + 1, end, values[k], refused);
        try_change(body, body_bytes, row, i - 1, i - 1, "x", refused); /* its name */
        *tried += count + 1;
    }
}

static void a_row_with_an_odd_member_is_refused(void **state)
{
    (void)state;
    const scratch made = scratch_new();
    sotto_ledger *ledger = NULL;
    sotto_error error;
    sotto_reservation reservation;
    sotto_ledger_config config = config_of(2.0, 1e-6);
    config.unit = "person";
    config.unit_rows = 3;
    assert_ok(sotto_ledger_init(made.path, &config, &error), &error);
    assert_ok(sotto_ledger_open(made.path, &ledger, &error), &error);
    sotto_plan *plan = approximate_plan(0.01, 1e-9);
    assert_ok(sotto_plan_set_unit(plan, "person", 3, &error), &error);
    assert_ok(reserve(ledger, plan, &reservation, &error), &error);
    assert_ok(sotto_ledger_commit(ledger, &reservation, SOME_HASH, &error), &error);
    assert_ok(sotto_ledger_grant(ledger, 0.5, 0.0, "a reason", NULL, &error), &error);
    exported all = export_of(ledger);
    sotto_ledger_close(ledger);
    size_t tried = 0, refused = 0;
    uint64_t row = 1;
    for (char *line = all.text; line < all.text + all.size_bytes; row++) {
        char *end = strchr(line, '\n');
        const size_t size_bytes = (size_t)(end - line);
        const size_t body = size_bytes - (sizeof hash_member - 1) - HASH_DIGITS - 2;
        assert_int_equal(parse(line, size_bytes, row), SOTTO_OK);
        change_row(line, body, row, &tried, &refused);
        line = end + 1;
    }
    /* Some changes are no errors of the row by itself: another amount, another time, a plan that is read later. */
    assert_true(tried > 500 && refused > tried / 2);
    free(all.text);
    scratch_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_with_an_odd_member_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
