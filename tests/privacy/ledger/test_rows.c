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

/* ---- whole chains ---- */

enum { ROWS_MAX = 16, BODY_BYTES = 4096 };

typedef struct chain {
    char bodies[ROWS_MAX][BODY_BYTES]; /* rows without their hashes */
    size_t rows;
} chain;

static chain chain_of(const exported *all)
{
    static chain made;
    made.rows = 0;
    for (const char *line = all->text; line < all->text + all->size_bytes;) {
        const char *end = strchr(line, '\n');
        const size_t tail = sizeof hash_member - 1 + HASH_DIGITS + 2;
        assert_true(made.rows < ROWS_MAX && end - line < BODY_BYTES);
        (void)snprintf(made.bodies[made.rows++], BODY_BYTES, "%.*s",
                       (int)((size_t)(end - line) - tail), line);
        line = end + 1;
    }
    return made;
}

/* What someone writes who can compute hashes: every row names the one before it. */
static sotto_status check_chain(chain *forged, sotto_error *error)
{
    static char text[ROWS_MAX * LINE_BYTES];
    static const char previous[] = "\"previous\":\"";
    size_t at = 0;
    for (size_t i = 0; i < forged->rows; i++) {
        char *place = strstr(forged->bodies[i], previous);
        assert_non_null(place);
        if (i > 0) /* the hash of the line before, which ends in it */
            memcpy(place + sizeof previous - 1, text + at - 3 - HASH_DIGITS, HASH_DIGITS);
        at += seal(text + at, forged->bodies[i], strlen(forged->bodies[i]));
        text[at++] = '\n';
    }
    return sotto_ledger_check_export(text, at, NULL, NULL, error);
}

/* Writes `text` in the place of the first `old` in a row. */
static void forge(chain *of, size_t row, const char *old, const char *text)
{
    char changed[BODY_BYTES + 256];
    char *body = of->bodies[row - 1];
    const char *found = strstr(body, old);
    if (found == NULL) fail_msg("row %zu has no %s", row, old);
    (void)snprintf(changed, sizeof changed, "%.*s%s%s", (int)(found - body), body, text,
                   found + strlen(old));
    assert_true(strlen(changed) < BODY_BYTES);
    memcpy(body, changed, strlen(changed) + 1);
}

/* A chain of right hashes is no excuse: rows must follow from those before them. */
static void a_forged_chain_is_refused(void **state)
{
    (void)state;
    static const struct {
        size_t row;
        const char *old, *text, *word;
    } forgeries[] = {
        {1, "\"epsilon\":2.0", "\"epsilon\":0.0", "row 1 of the ledger"},
        {1, "\"epsilon\":2.0", "\"epsilon\":1.0",
         "its budget is larger than its epsilon and delta allow"},
        {1, "\"budgets\":[", "\"budgets\":[4",
         "its budget is larger than its epsilon and delta allow"},
        {1, "\"kind\":\"init\"", "\"kind\":\"gift\"", "row 1"},
        {1, "\"weight\":", "\"weight\":100", "row 1"},
        {2, "\"charges\":[", "\"charges\":[0,", "row 2"},
        {2, "\"charges\":[10000000000,", "\"charges\":[0,", "a run that costs nothing"},
        {2, "\"charges\":[10000000000,", "\"charges\":[1,",
         "its sums are not those of the rows before it"},
        {2, "\"charges\":[10000000000,", "\"charges\":[",
         "it has another number of charges than sums"},
        {2, "\"charges\":[10000000000,", "\"charges\":[20000000000,",
         "its sums are not those of the rows before it"},
        {2, "\"mechanism\":\"approximate\"", "\"mechanism\":\"hope\"", "row 2"},
        {2, "\"epsilon\":0.01", "\"epsilon\":0.02", "its plan costs 0.02"},
        {2, "\"delta\":1e-9", "\"delta\":2e-9", "row 2"},
        {3, "\"reservation\":2", "\"reservation\":1", "row 3"},
        {3, "\"reservation\":2", "\"reservation\":3", "row 3"},
        {4, "\"budgets\":[", "\"budgets\":[1,1,1,1,", "it has 1 to 4 members"},
        {4, "\"budgets\":[", "\"budgets\":[1,",
         "it has budgets of members that are not there"},
        {4, "\"budgets\":[2", "\"budgets\":[1", "a grant that lowers the budget"},
        {4, "\"epsilon\":0.5", "\"epsilon\":0.0", "do not raise the budget"},
        {4, "\"epsilon\":0.5", "\"epsilon\":-0.5", "do not raise the budget"},
        {4, "\"epsilon\":0.5", "\"epsilon\":0.25",
         "its budget is larger than its epsilon and delta allow"},
    };
    const scratch made = scratch_new();
    sotto_ledger *ledger = ledger_new(&made, 2.0, 1e-6);
    sotto_error error;
    sotto_reservation reservation;
    assert_ok(reserve(ledger, approximate_plan(0.01, 1e-9), &reservation, &error),
              &error);
    assert_ok(sotto_ledger_commit(ledger, &reservation, SOME_HASH, &error), &error);
    assert_ok(sotto_ledger_grant(ledger, 0.5, 0.0, "a reason", NULL, &error), &error);
    exported all = export_of(ledger);
    sotto_ledger_close(ledger);
    chain whole = chain_of(&all);
    assert_int_equal(whole.rows, 4);
    assert_ok(check_chain(&whole, &error), &error);

    for (size_t i = 0; i < sizeof forgeries / sizeof forgeries[0]; i++) {
        chain forged = whole;
        forge(&forged, forgeries[i].row, forgeries[i].old, forgeries[i].text);
        assert_refused(check_chain(&forged, &error), SOTTO_VERIFICATION, &error,
                       forgeries[i].word, NULL);
    }
    static const char *const seconds[] = {"a second init row", NULL,
                                          "a second output for one reservation"};
    for (size_t i = 0; i < 3; i += 2) { /* the first row, then the commit, once more */
        char old[16];
        chain twice = whole;
        memcpy(twice.bodies[3], twice.bodies[i], BODY_BYTES);
        (void)snprintf(old, sizeof old, "\"row\":%zu", i + 1);
        forge(&twice, 4, old, "\"row\":4");
        assert_refused(check_chain(&twice, &error), SOTTO_VERIFICATION, &error, "row 4",
                       seconds[i], NULL);
    }
    chain headless = whole;
    for (size_t i = 1; i < 4; i++) {
        char old[16], new[16];
        memcpy(headless.bodies[i - 1], whole.bodies[i], BODY_BYTES);
        (void)snprintf(old, sizeof old, "\"row\":%zu", i + 1);
        (void)snprintf(new, sizeof new, "\"row\":%zu", i);
        forge(&headless, i, old, new);
    }
    headless.rows = 3;
    char *place = strstr(headless.bodies[0], "\"previous\":\"") + 12;
    memset(place, '0', HASH_DIGITS);
    assert_refused(check_chain(&headless, &error), SOTTO_VERIFICATION, &error, "row 1",
                   NULL);
    free(all.text);
    scratch_free(&made);
}

static void texts_of_rows_are_one_line_of_letters(void **state)
{
    (void)state;
    sotto_error error;
    char longest[300];
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    const char *const wrong[] = {NULL,   "",         longest, "two\nlines",
                                 "\x7f", "\xc2\x85", "\xff"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_refused(sot_entry_check_text("reason", wrong[i], &error),
                       SOTTO_INVALID_ARGUMENT, &error, "`reason` is '",
                       "one line of UTF-8 text, 1 to 200 bytes", NULL);
    assert_ok(sot_entry_check_text("reason", "für \xc2\xa0 Lund", &error), &error);
    const char *const names[] = {"",   "-a", ".a", "a b", "a/b",      "a{",
                                 "a`", "a[", "a@", "a:",  "\xc3\xa9", longest};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_refused(sot_entry_check_dataset(names[i], &error), SOTTO_INVALID_ARGUMENT,
                       &error, "`dataset` is '", "for example `dataset=clinic-2026`",
                       NULL);
    assert_ok(sot_entry_check_dataset("Z9._-z", &error), &error);
    assert_ok(sot_entry_check_dataset("0A", &error), &error);
    const char *const hashes[] = {NULL, "", "00", longest};
    for (size_t i = 0; i < sizeof hashes / sizeof hashes[0]; i++)
        assert_refused(sot_entry_check_hash("output", hashes[i], &error),
                       SOTTO_INVALID_ARGUMENT, &error, "the output is '",
                       "64 lower-case hexadecimal digits", NULL);
    longest[HASH_DIGITS] = '\0';
    assert_ok(sot_entry_check_hash("output", longest, &error), &error);
    longest[5] = 'A';
    assert_refused(sot_entry_check_hash("output", longest, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "lower-case", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_with_an_odd_member_is_refused),
        cmocka_unit_test(a_forged_chain_is_refused),
        cmocka_unit_test(texts_of_rows_are_one_line_of_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
