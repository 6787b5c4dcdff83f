#include "privacy/ledger/entry.h"

#include <math.h>
#include <string.h>

#include <sodium.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

enum { HASH_BYTES = 32, HASH_DIGITS = 2 * HASH_BYTES };

/* ,"hash":"<64>"} ends every line. */
static const char hash_member[] = ",\"hash\":\"";
enum {
    MEMBER_BYTES = sizeof hash_member - 1,
    TAIL_BYTES = MEMBER_BYTES + HASH_DIGITS + 2 /* "} */
};

/* ,"signature":"<128>" stands before it in a signed row. */
static const char signature_member[] = ",\"signature\":\"";
enum {
    SIGNATURE_MEMBER_BYTES = sizeof signature_member - 1,
    SIGNATURE_DIGITS = SOTTO_SIGNATURE_HEX_BYTES - 1,
    SIGNATURE_BYTES = SIGNATURE_MEMBER_BYTES + SIGNATURE_DIGITS + 1 /* " */
};

const char *sot_entry_kind_name(sotto_ledger_kind kind)
{
    static const char *const names[] = {"",        "init",   "grant",
                                        "reserve", "commit", "checkpoint"};
    return names[kind];
}

sot_entry sot_entry_new(sotto_ledger_kind kind)
{
    return (sot_entry){
        .kind = kind, .format = SOT_LEDGER_FORMAT, .budget = {.rho = SOTTO_UNSET}};
}

/* ---- checks of public texts ---- */

sotto_status sot_entry_check_text(const char *what, const char *text, sotto_error *error)
{
    const size_t length = text != NULL ? strlen(text) : 0;
    bool good = length > 0 && length < SOTTO_LEDGER_TEXT_BYTES;
    for (size_t at = 0; good && at < length;) {
        const size_t step = sot_utf8_length(text + at, length - at);
        const unsigned char byte = (unsigned char)text[at];
        /* U+0000 to U+001F, U+007F, and U+0080 to U+009F, which terminals obey too */
        const bool is_c1 =
            byte == 0xc2 && step == 2 && (unsigned char)text[at + 1] < 0xa0;
        good = step > 0 && byte >= 0x20 && byte != 0x7f && !is_c1;
        at += step;
    }
    if (good) return SOTTO_OK;
    char shown[64];
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`%s` is '%s'; give one line of UTF-8 text, 1 to 200 bytes", what,
                    text != NULL ? sot_printable(text, shown, sizeof shown) : "");
}

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

sotto_status sot_entry_check_dataset(const char *dataset, sotto_error *error)
{
    size_t length = 0;
    bool good = is_letter_or_digit(dataset[0]);
    while (length < SOTTO_DATASET_BYTES && dataset[length] != '\0') {
        const char c = dataset[length++];
        good = good && (is_letter_or_digit(c) || c == '.' || c == '_' || c == '-');
    }
    if (good && length < SOTTO_DATASET_BYTES) return SOTTO_OK;
    char copy[SOTTO_DATASET_BYTES + 1] = "", shown[SOTTO_DATASET_BYTES + 1];
    memcpy(copy, dataset, length);
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`dataset` is '%s'; give 1 to 63 letters, digits, . _ or -, starting "
                    "with a letter or digit, for example `dataset=clinic-2026`",
                    sot_printable(copy, shown, sizeof shown));
}

sotto_status sot_entry_check_hash(const char *what, const char *hash, sotto_error *error)
{
    const char *digits = "0123456789abcdef";
    if (hash != NULL && strlen(hash) == HASH_DIGITS &&
        strspn(hash, digits) == HASH_DIGITS)
        return SOTTO_OK;
    char shown[80];
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the %s is '%s'; give 64 lower-case hexadecimal digits", what,
                    hash != NULL ? sot_printable(hash, shown, sizeof shown) : "");
}

/* Where `word` begins in the line, or NULL. */
static const char *find(const char *line, size_t size_bytes, const char *word)
{
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= size_bytes; i++)
        if (memcmp(line + i, word, length) == 0) return line + i;
    return NULL;
}

/* ---- the hash ---- */

static void hash_of(const char *line, size_t size_bytes, char out[SOTTO_HASH_HEX_BYTES])
{
    unsigned char hash[HASH_BYTES];
    crypto_generichash_state state;
    (void)crypto_generichash_init(&state, NULL, 0, sizeof hash);
    (void)crypto_generichash_update(&state, (const unsigned char *)line, size_bytes);
    (void)crypto_generichash_final(&state, hash, sizeof hash);
    (void)sodium_bin2hex(out, SOTTO_HASH_HEX_BYTES, hash, sizeof hash);
}

/* ---- lines ---- */

/* The writer's text ends in "}\n"; the hash member takes the place of that. */
static sotto_status close_line(sot_entry *entry, const char *text, size_t size_bytes,
                               const sotto_key *key, char **out_line,
                               size_t *out_size_bytes, sotto_error *error)
{
    size_t body = size_bytes - 2;
    if (body + SIGNATURE_BYTES + TAIL_BYTES > SOT_ENTRY_BYTES_MAX) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the plan is too long for a ledger; write it with fewer events, "
                        "at most 1 MiB of JSON");
    }
    const size_t room = body + SIGNATURE_BYTES + TAIL_BYTES + 1;
    char *line = sot_new_array(room, 1);
    if (line == NULL) return sot_fail_memory(error, room, 1);
    memcpy(line, text, body);
    hash_of(line, body, entry->body);
    if (key != NULL) {
        const sotto_status status = sotto_key_sign(key, SOTTO_PURPOSE_BUDGET, entry->body,
                                                   HASH_DIGITS, entry->signature, error);
        if (status != SOTTO_OK) {
            sot_free(line);
            return status;
        }
        memcpy(line + body, signature_member, SIGNATURE_MEMBER_BYTES);
        memcpy(line + body + SIGNATURE_MEMBER_BYTES, entry->signature, SIGNATURE_DIGITS);
        body += SIGNATURE_BYTES;
        line[body - 1] = '"';
    }
    hash_of(line, body, entry->hash);
    memcpy(line + body, hash_member, MEMBER_BYTES);
    memcpy(line + body + MEMBER_BYTES, entry->hash, HASH_DIGITS);
    memcpy(line + body + MEMBER_BYTES + HASH_DIGITS, "\"}", 3);
    *out_line = line;
    *out_size_bytes = body + TAIL_BYTES;
    return SOTTO_OK;
}

sotto_status sot_entry_write(sot_entry *entry, const sotto_plan *plan,
                             const sotto_key *key, char **out_line,
                             size_t *out_size_bytes, sotto_error *error)
{
    sot_json_writer *writer;
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_begin_object(writer);
    sot_entry_write_members(writer, entry, plan);
    sot_json_end_object(writer);
    const char *text;
    size_t size_bytes;
    status = sot_json_writer_finish(writer, &text, &size_bytes, error);
    if (status == SOTTO_OK)
        status =
            close_line(entry, text, size_bytes, key, out_line, out_size_bytes, error);
    sot_json_writer_free(writer);
    return status;
}

/* ---- reading ---- */

/* The stored hash into entry->hash; the line ends as every line does. */
static sotto_status check_hash(const char *line, size_t size_bytes, sot_entry *entry,
                               sotto_error *error)
{
    const char *tail = line + size_bytes - TAIL_BYTES;
    if (size_bytes <= TAIL_BYTES || size_bytes > SOT_ENTRY_BYTES_MAX ||
        memcmp(tail, hash_member, MEMBER_BYTES) != 0 ||
        memcmp(tail + TAIL_BYTES - 2, "\"}", 2) != 0)
        return sot_fail(error, SOTTO_PARSE, "it does not end with its hash");
    size_t body = size_bytes - TAIL_BYTES;
    hash_of(line, body, entry->hash);
    if (memcmp(tail + MEMBER_BYTES, entry->hash, HASH_DIGITS) != 0)
        return sot_fail(error, SOTTO_PARSE,
                        "its content does not have its hash; it was "
                        "changed after it was written");
    if (body > SIGNATURE_BYTES && memcmp(line + body - SIGNATURE_BYTES, signature_member,
                                         SIGNATURE_MEMBER_BYTES) == 0) {
        memcpy(entry->signature, line + body - 1 - SIGNATURE_DIGITS, SIGNATURE_DIGITS);
        body -= SIGNATURE_BYTES;
    }
    hash_of(line, body, entry->body);
    return SOTTO_OK;
}

sotto_status sot_entry_parse(const char *line, size_t size_bytes, uint64_t row,
                             sot_entry *out_entry, sotto_error *error)
{
    sotto_error cause = {SOTTO_OK, ""};
    sot_json *document = NULL;
    *out_entry = sot_entry_new(SOTTO_LEDGER_INIT);
    out_entry->kind = 0;
    sotto_status status = check_hash(line, size_bytes, out_entry, &cause);
    if (status == SOTTO_OK)
        status = sot_json_parse(NULL, line, size_bytes, SOT_ENTRY_BYTES_MAX, &document,
                                &cause);
    if (status == SOTTO_OK) {
        const sot_json_value root = sot_json_root(document);
        status = sot_entry_read_members(&root, row, out_entry, &cause);
    }
    sot_json_free(document);
    if (status == SOTTO_OK) return SOTTO_OK;
    if (status == SOTTO_OUT_OF_MEMORY)
        return sot_fail(error, status, "%s", cause.message);
    return sot_fail(error, SOTTO_VERIFICATION, "row %llu of the ledger: %.200s",
                    (unsigned long long)row, cause.message);
}

/* The plan is the last member but the chain. A quote inside a string is escaped, so the first
 * ,"plan": of the line is the row's own member and the last ,"previous": too. */
sotto_status sot_entry_plan(const char *line, size_t size_bytes, sotto_plan **out_plan,
                            sotto_error *error)
{
    static const char start[] = ",\"plan\":", end[] = ",\"previous\":";
    const char *from = find(line, size_bytes, start);
    const char *to = NULL;
    for (size_t i = size_bytes; from != NULL && to == NULL && i > (size_t)(from - line);
         i--)
        to = find(line + i, size_bytes - i, end);
    if (to == NULL)
        return sot_fail(error, SOTTO_VERIFICATION, "the plan is not where it belongs");
    from += sizeof start - 1;
    return sotto_plan_parse(from, (size_t)(to - from), out_plan, error);
}
