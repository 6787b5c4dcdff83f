#include "privacy/ledger/entry.h"

#include <math.h>
#include <string.h>

#include <sodium.h>

#include "base/error.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/memory.h"
#include "base/plant.h"
#include "base/text.h"
#include "privacy/accounting/plan_json_write.h"
#include "privacy/ledger/amount.h"

enum { HASH_BYTES = 32, HASH_DIGITS = 2 * HASH_BYTES };

/* ,"hash":"<64>"} ends every line. */
static const char hash_member[] = ",\"hash\":\"";
enum {
    MEMBER_BYTES = sizeof hash_member - 1,
    TAIL_BYTES = MEMBER_BYTES + HASH_DIGITS + 2 /* "} */
};

static const char *const kind_names[] = {"",        "init",   "grant",
                                         "reserve", "commit", "checkpoint"};

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
                    "the %s is '%s'; give one line of UTF-8 text, 1 to 200 bytes", what,
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
                    "the dataset id is '%s'; give 1 to 63 letters, digits, . _ or -, "
                    "starting with a letter or digit, for example clinic-2026",
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
    const char *amount = SOT_PLANTED(ledger_chain_without_amount)
                             ? find(line, size_bytes, "\"charge\":")
                             : NULL;
    if (amount != NULL) { /* the planted bug: hashes around the amount */
        const size_t before = (size_t)(amount - line) + 9;
        const size_t digits = strspn(line + before, "0123456789");
        (void)crypto_generichash_update(&state, (const unsigned char *)line, before);
        line += before + digits;
        size_bytes -= before + digits;
    }
    (void)crypto_generichash_update(&state, (const unsigned char *)line, size_bytes);
    (void)crypto_generichash_final(&state, hash, sizeof hash);
    (void)sodium_bin2hex(out, SOTTO_HASH_HEX_BYTES, hash, sizeof hash);
}

/* ---- writing ---- */

static void write_text(sot_json_writer *writer, const char *key, const char *text)
{
    sot_json_key(writer, key);
    sot_json_write_string(writer, text);
}

static void write_real(sot_json_writer *writer, const char *key, double value)
{
    sot_json_key(writer, key);
    if (isnan(value)) {
        sot_json_write_null(writer);
    } else {
        sot_json_write_double(writer, value);
    }
}

static void write_whole(sot_json_writer *writer, const char *key, int64_t value)
{
    sot_json_key(writer, key);
    sot_json_write_int64(writer, value);
}

static void write_budget(sot_json_writer *writer, const sot_entry *entry)
{
    write_real(writer, "epsilon", entry->epsilon);
    write_real(writer, "delta", entry->delta);
    write_real(writer, "own_delta", entry->own_delta);
    write_whole(writer, "budget", entry->budget);
    write_whole(writer, "own_delta_budget", entry->own_budget);
}

static void write_init(sot_json_writer *writer, const sot_entry *entry)
{
    write_whole(writer, "format", SOT_LEDGER_FORMAT);
    write_text(writer, "dataset", entry->dataset);
    write_text(writer, "adjacency", sotto_adjacency_name(entry->adjacency));
    write_budget(writer, entry);
    write_real(writer, "order", entry->order);
    write_text(writer, "units",
               "budget and charge 2^-40, own_delta 2^-62, sampler_error 2^-90");
}

static void write_reserve(sot_json_writer *writer, const sot_entry *entry,
                          const sotto_plan *plan)
{
    write_text(writer, "label", entry->text);
    if (entry->checkpoint[0] != '\0') write_text(writer, "checkpoint", entry->checkpoint);
    write_whole(writer, "charge", entry->charge);
    write_whole(writer, "own_delta", entry->own);
    write_whole(writer, "sampler_error", entry->sampler);
    write_whole(writer, "charge_sum", entry->charge_sum);
    write_whole(writer, "own_delta_sum", entry->own_sum);
    write_whole(writer, "sampler_error_sum", entry->sampler_sum);
    sot_json_key(writer, "plan");
    sot_plan_write(plan, writer);
}

static void write_seal(sot_json_writer *writer, const sot_entry *entry)
{
    if (entry->checkpoint[0] == '\0') return;
    write_text(writer, "checkpoint", entry->checkpoint);
    write_text(writer, "seal_key", entry->seal_key);
}

static void write_members(sot_json_writer *writer, const sot_entry *entry,
                          const sotto_plan *plan)
{
    write_whole(writer, "row", (int64_t)entry->row);
    write_text(writer, "kind", kind_names[entry->kind]);
    write_whole(writer, "time", entry->time_seconds);
    switch (entry->kind) {
    case SOTTO_LEDGER_INIT:
        write_init(writer, entry);
        break;
    case SOTTO_LEDGER_GRANT:
        write_budget(writer, entry);
        write_text(writer, "reason", entry->text);
        break;
    case SOTTO_LEDGER_RESERVE:
        write_reserve(writer, entry, plan);
        break;
    case SOTTO_LEDGER_COMMIT:
        write_whole(writer, "reservation", (int64_t)entry->reservation);
        write_text(writer, "output", entry->output);
        write_seal(writer, entry);
        break;
    case SOTTO_LEDGER_CHECKPOINT:
        write_whole(writer, "reservation", (int64_t)entry->reservation);
        write_whole(writer, "step", (int64_t)entry->step);
        write_seal(writer, entry);
        break;
    }
    write_text(writer, "previous", entry->previous);
}

/* The writer's text ends in "}\n"; the hash member takes the place of that. */
static sotto_status close_line(sot_entry *entry, const char *text, size_t size_bytes,
                               char **out_line, size_t *out_size_bytes,
                               sotto_error *error)
{
    const size_t body = size_bytes - 2;
    if (body + TAIL_BYTES > SOT_ENTRY_BYTES_MAX) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the plan is too long for a ledger; write it with fewer events, "
                        "at most 1 MiB of JSON");
    }
    char *line = sot_new_array(body + TAIL_BYTES + 1, 1);
    if (line == NULL) return sot_fail_memory(error, body + TAIL_BYTES + 1, 1);
    memcpy(line, text, body);
    hash_of(line, body, entry->hash);
    memcpy(line + body, hash_member, MEMBER_BYTES);
    memcpy(line + body + MEMBER_BYTES, entry->hash, HASH_DIGITS);
    memcpy(line + body + MEMBER_BYTES + HASH_DIGITS, "\"}", 3);
    *out_line = line;
    *out_size_bytes = body + TAIL_BYTES;
    return SOTTO_OK;
}

sotto_status sot_entry_write(sot_entry *entry, const sotto_plan *plan, char **out_line,
                             size_t *out_size_bytes, sotto_error *error)
{
    sot_json_writer *writer;
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_begin_object(writer);
    write_members(writer, entry, plan);
    sot_json_end_object(writer);
    const char *text;
    size_t size_bytes;
    status = sot_json_writer_finish(writer, &text, &size_bytes, error);
    if (status == SOTTO_OK)
        status = close_line(entry, text, size_bytes, out_line, out_size_bytes, error);
    sot_json_writer_free(writer);
    return status;
}

/* ---- reading ---- */

static sotto_status read_text(const sot_json_value *object, const char *key, char *out,
                              size_t room_bytes, sotto_error *error)
{
    const char *text;
    const sotto_status status = sot_json_get_string(object, key, &text, error);
    if (status != SOTTO_OK) return status;
    const size_t length = strlen(text);
    if (length >= room_bytes)
        return sot_fail(error, SOTTO_PARSE, "%s has %zu bytes, too many", key, length);
    memcpy(out, text, length + 1);
    return SOTTO_OK;
}

static sotto_status read_real(const sot_json_value *object, const char *key, double *out,
                              sotto_error *error)
{
    sot_json_value member;
    if (sot_json_member(object, key, &member) &&
        sot_json_kind_of(&member) == SOT_JSON_NULL) {
        *out = SOTTO_UNSET;
        return SOTTO_OK;
    }
    return sot_json_get_double(object, key, out, error);
}

static sotto_status read_amount(const sot_json_value *object, const char *key,
                                int64_t *out, sotto_error *error)
{
    const sotto_status status = sot_json_get_int64(object, key, out, error);
    if (status != SOTTO_OK) return status;
    if (*out >= 0 && *out <= sot_amount_max) return SOTTO_OK;
    return sot_fail(error, SOTTO_PARSE, "%s is out of range", key);
}

static sotto_status read_hash(const sot_json_value *object, const char *key,
                              char out[SOTTO_HASH_HEX_BYTES], sotto_error *error)
{
    const sotto_status status = read_text(object, key, out, SOTTO_HASH_HEX_BYTES, error);
    return status != SOTTO_OK ? status : sot_entry_check_hash(key, out, error);
}

static sotto_status read_budget(const sot_json_value *object, sot_entry *entry,
                                sotto_error *error)
{
    sotto_status status = sot_json_get_double(object, "epsilon", &entry->epsilon, error);
    if (status == SOTTO_OK)
        status = sot_json_get_double(object, "delta", &entry->delta, error);
    if (status == SOTTO_OK)
        status = sot_json_get_double(object, "own_delta", &entry->own_delta, error);
    if (status == SOTTO_OK) status = read_amount(object, "budget", &entry->budget, error);
    if (status == SOTTO_OK)
        status = read_amount(object, "own_delta_budget", &entry->own_budget, error);
    return status;
}

static sotto_status read_init(const sot_json_value *object, sot_entry *entry,
                              sotto_error *error)
{
    static const char *const keys[] = {
        "row",       "kind",     "time",  "format", "dataset",
        "adjacency", "epsilon",  "delta", "order",  "own_delta",
        "units",     "previous", "hash",  "budget", "own_delta_budget",
        NULL};
    int64_t format = 0;
    char adjacency[32];
    sotto_status status = sot_json_get_int64(object, "format", &format, error);
    if (status == SOTTO_OK && format != SOT_LEDGER_FORMAT) {
        return sot_fail(error, SOTTO_PARSE,
                        "it is in format %lld and this sotto reads format %d; use the "
                        "sotto that wrote it",
                        (long long)format, SOT_LEDGER_FORMAT);
    }
    if (status == SOTTO_OK) status = sot_json_only_keys(object, keys, error);
    if (status == SOTTO_OK)
        status =
            read_text(object, "dataset", entry->dataset, sizeof entry->dataset, error);
    if (status == SOTTO_OK) status = sot_entry_check_dataset(entry->dataset, error);
    if (status == SOTTO_OK)
        status = read_text(object, "adjacency", adjacency, sizeof adjacency, error);
    if (status == SOTTO_OK)
        status = sotto_adjacency_from_name(adjacency, &entry->adjacency, error);
    if (status == SOTTO_OK) status = read_budget(object, entry, error);
    if (status == SOTTO_OK) status = read_real(object, "order", &entry->order, error);
    return status;
}

static sotto_status read_grant(const sot_json_value *object, sot_entry *entry,
                               sotto_error *error)
{
    static const char *const keys[] = {
        "row",      "kind", "time",   "epsilon",          "delta", "own_delta", "reason",
        "previous", "hash", "budget", "own_delta_budget", NULL};
    sotto_status status = sot_json_only_keys(object, keys, error);
    if (status == SOTTO_OK) status = read_budget(object, entry, error);
    if (status == SOTTO_OK)
        status = read_text(object, "reason", entry->text, sizeof entry->text, error);
    if (status == SOTTO_OK) status = sot_entry_check_text("reason", entry->text, error);
    return status;
}

static sotto_status read_reserve(const sot_json_value *object, sot_entry *entry,
                                 sotto_error *error)
{
    static const char *const keys[] = {
        "row",    "kind",          "time",       "label",         "checkpoint",
        "charge", "own_delta",     "charge_sum", "own_delta_sum", "sampler_error_sum",
        "plan",   "sampler_error", "previous",   "hash",          NULL};
    const struct {
        const char *key;
        int64_t *amount;
    } amounts[] = {
        {"charge", &entry->charge},         {"own_delta", &entry->own},
        {"sampler_error", &entry->sampler}, {"charge_sum", &entry->charge_sum},
        {"own_delta_sum", &entry->own_sum}, {"sampler_error_sum", &entry->sampler_sum}};
    sot_json_value plan, checkpoint;
    sotto_status status = sot_json_only_keys(object, keys, error);
    if (status == SOTTO_OK)
        status = read_text(object, "label", entry->text, sizeof entry->text, error);
    if (status == SOTTO_OK) status = sot_entry_check_text("label", entry->text, error);
    for (size_t i = 0; status == SOTTO_OK && i < sizeof amounts / sizeof amounts[0]; i++)
        status = read_amount(object, amounts[i].key, amounts[i].amount, error);
    if (status == SOTTO_OK) status = sot_json_get_object(object, "plan", &plan, error);
    if (status == SOTTO_OK && sot_json_member(object, "checkpoint", &checkpoint))
        status = read_hash(object, "checkpoint", entry->checkpoint, error);
    return status;
}

/* A whole number that is no amount. */
static sotto_status read_row(const sot_json_value *object, const char *key, uint64_t *out,
                             sotto_error *error)
{
    int64_t number = 0;
    const sotto_status status = read_amount(object, key, &number, error);
    *out = (uint64_t)number;
    return status;
}

static sotto_status read_seal(const sot_json_value *object, sot_entry *entry,
                              sotto_error *error)
{
    const sotto_status status = read_hash(object, "checkpoint", entry->checkpoint, error);
    return status != SOTTO_OK ? status
                              : read_hash(object, "seal_key", entry->seal_key, error);
}

static sotto_status read_commit(const sot_json_value *object, sot_entry *entry,
                                sotto_error *error)
{
    static const char *const keys[] = {"row",    "kind",       "time",     "reservation",
                                       "output", "checkpoint", "seal_key", "previous",
                                       "hash",   NULL};
    sot_json_value member;
    sotto_status status = sot_json_only_keys(object, keys, error);
    if (status == SOTTO_OK)
        status = read_row(object, "reservation", &entry->reservation, error);
    if (status == SOTTO_OK) status = read_hash(object, "output", entry->output, error);
    if (status == SOTTO_OK && (sot_json_member(object, "checkpoint", &member) ||
                               sot_json_member(object, "seal_key", &member)))
        status = read_seal(object, entry, error);
    return status;
}

static sotto_status read_checkpoint(const sot_json_value *object, sot_entry *entry,
                                    sotto_error *error)
{
    static const char *const keys[] = {"row",  "kind",       "time",     "reservation",
                                       "step", "checkpoint", "seal_key", "previous",
                                       "hash", NULL};
    sotto_status status = sot_json_only_keys(object, keys, error);
    if (status == SOTTO_OK)
        status = read_row(object, "reservation", &entry->reservation, error);
    if (status == SOTTO_OK) status = read_row(object, "step", &entry->step, error);
    if (status == SOTTO_OK) status = read_seal(object, entry, error);
    return status;
}

static sotto_status read_members(const sot_json_value *object, uint64_t row,
                                 sot_entry *entry, sotto_error *error)
{
    int64_t number = 0;
    const char *kind = "";
    sotto_status status = sot_json_as_object(object, error);
    if (status == SOTTO_OK) status = read_amount(object, "row", &number, error);
    if (status == SOTTO_OK && (uint64_t)number != row) {
        status =
            sot_fail(error, SOTTO_PARSE, "it calls itself row %lld", (long long)number);
    }
    if (status == SOTTO_OK)
        status = sot_json_get_int64(object, "time", &entry->time_seconds, error);
    if (status == SOTTO_OK)
        status = read_hash(object, "previous", entry->previous, error);
    if (status == SOTTO_OK) status = sot_json_get_string(object, "kind", &kind, error);
    if (status != SOTTO_OK) return status;
    entry->row = row;
    for (int i = SOTTO_LEDGER_INIT; i <= SOTTO_LEDGER_CHECKPOINT; i++)
        if (strcmp(kind, kind_names[i]) == 0) entry->kind = (sotto_ledger_kind)i;
    switch ((int)entry->kind) {
    case SOTTO_LEDGER_INIT:
        return read_init(object, entry, error);
    case SOTTO_LEDGER_GRANT:
        return read_grant(object, entry, error);
    case SOTTO_LEDGER_RESERVE:
        return read_reserve(object, entry, error);
    case SOTTO_LEDGER_COMMIT:
        return read_commit(object, entry, error);
    case SOTTO_LEDGER_CHECKPOINT:
        return read_checkpoint(object, entry, error);
    default:
        return sot_fail(error, SOTTO_PARSE,
                        "its kind is '%.20s', which this sotto does not know", kind);
    }
}

/* The stored hash into entry->hash; the line ends as every line does. */
static sotto_status check_hash(const char *line, size_t size_bytes, sot_entry *entry,
                               sotto_error *error)
{
    const char *tail = line + size_bytes - TAIL_BYTES;
    if (size_bytes <= TAIL_BYTES || size_bytes > SOT_ENTRY_BYTES_MAX ||
        memcmp(tail, hash_member, MEMBER_BYTES) != 0 ||
        memcmp(tail + TAIL_BYTES - 2, "\"}", 2) != 0)
        return sot_fail(error, SOTTO_PARSE, "it does not end with its hash");
    hash_of(line, size_bytes - TAIL_BYTES, entry->hash);
    if (memcmp(tail + MEMBER_BYTES, entry->hash, HASH_DIGITS) != 0)
        return sot_fail(error, SOTTO_PARSE,
                        "its content does not have its hash; it was "
                        "changed after it was written");
    return SOTTO_OK;
}

sotto_status sot_entry_parse(const char *line, size_t size_bytes, uint64_t row,
                             sot_entry *out_entry, sotto_error *error)
{
    sotto_error cause = {SOTTO_OK, ""};
    sot_json *document = NULL;
    *out_entry = (sot_entry){.order = SOTTO_UNSET};
    sotto_status status = check_hash(line, size_bytes, out_entry, &cause);
    if (status == SOTTO_OK)
        status = sot_json_parse(NULL, line, size_bytes, SOT_ENTRY_BYTES_MAX, &document,
                                &cause);
    if (status == SOTTO_OK) {
        const sot_json_value root = sot_json_root(document);
        status = read_members(&root, row, out_entry, &cause);
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
