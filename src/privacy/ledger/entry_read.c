/* The members of a row, from JSON, in the form of this version and in the older one. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "privacy/ledger/amount.h"
#include "privacy/ledger/entry.h"

sotto_status sot_entry_read_text(const sot_json_value *object, const char *key, char *out,
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

sotto_status sot_entry_read_label(const sot_json_value *object, const char *key,
                                  char *out, size_t room_bytes, sotto_error *error)
{
    const sotto_status status = sot_entry_read_text(object, key, out, room_bytes, error);
    return status != SOTTO_OK ? status : sot_entry_check_text(key, out, error);
}

sotto_status sot_entry_read_real(const sot_json_value *object, const char *key,
                                 double *out, sotto_error *error)
{
    sot_json_value member;
    if (sot_json_member(object, key, &member) &&
        sot_json_kind_of(&member) == SOT_JSON_NULL) {
        *out = SOTTO_UNSET;
        return SOTTO_OK;
    }
    return sot_json_get_double(object, key, out, error);
}

sotto_status sot_entry_read_amount(const sot_json_value *object, const char *key,
                                   int64_t *out, sotto_error *error)
{
    const sotto_status status = sot_json_get_int64(object, key, out, error);
    if (status != SOTTO_OK) return status;
    if (*out >= 0 && *out <= sot_amount_max) return SOTTO_OK;
    return sot_fail(error, SOTTO_PARSE, "%s is out of range", key);
}

sotto_status sot_entry_read_hash(const sot_json_value *object, const char *key,
                                 char out[SOTTO_HASH_HEX_BYTES], sotto_error *error)
{
    const sotto_status status =
        sot_entry_read_text(object, key, out, SOTTO_HASH_HEX_BYTES, error);
    return status != SOTTO_OK ? status : sot_entry_check_hash(key, out, error);
}

/* One amount of each member; null: no price. */
sotto_status sot_entry_read_amounts(const sot_json_value *object, const char *key,
                                    bool may_miss, int64_t *out, size_t *count,
                                    sotto_error *error)
{
    sot_json_value list;
    sotto_status status = sot_json_get_array(object, key, &list, error);
    if (status != SOTTO_OK) return status;
    const size_t size = sot_json_size(&list);
    if (size < 1 || size > SOTTO_LEDGER_MEMBERS_MAX)
        return sot_json_refuse(&list, "it has 1 to 4 members", error);
    for (size_t i = 0; i < size; i++) {
        const sot_json_value item = sot_json_item(&list, i);
        if (may_miss && sot_json_kind_of(&item) == SOT_JSON_NULL) {
            out[i] = SOT_MISSING;
            continue;
        }
        status = sot_json_as_int64(&item, &out[i], error);
        if (status != SOTTO_OK) return status;
        if (out[i] < 0 || out[i] > sot_amount_max)
            return sot_json_refuse(&item, "it is out of range", error);
    }
    *count = size;
    return SOTTO_OK;
}

/* ---- charges ---- */

typedef struct named_amount {
    const char *key;
    int64_t *amount;
} named_amount;

static sotto_status read_named(const sot_json_value *object, const named_amount *amounts,
                               size_t count, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < count && status == SOTTO_OK; i++)
        status = sot_entry_read_amount(object, amounts[i].key, amounts[i].amount, error);
    return status;
}

static sotto_status read_older_charges(const sot_json_value *object, sot_entry *entry,
                                       sotto_error *error)
{
    static const char *const keys[] = {
        "row",    "kind",          "time",       "label",         "checkpoint",
        "charge", "own_delta",     "charge_sum", "own_delta_sum", "sampler_error_sum",
        "plan",   "sampler_error", "previous",   "hash",          NULL};
    sot_charges *charges = &entry->charges, *sums = &entry->sums;
    const named_amount amounts[] = {
        {"charge", &charges->at[0]},          {"own_delta", &charges->own},
        {"sampler_error", &charges->sampler}, {"charge_sum", &sums->at[0]},
        {"own_delta_sum", &sums->own},        {"sampler_error_sum", &sums->sampler}};
    entry->format = SOT_LEDGER_FORMAT_OLDER;
    entry->members.count = 1;
    const sotto_status status = sot_json_only_keys(object, keys, error);
    return status != SOTTO_OK
               ? status
               : read_named(object, amounts, sizeof amounts / sizeof amounts[0], error);
}

static sotto_status read_charges(const sot_json_value *object, sot_entry *entry,
                                 sotto_error *error)
{
    static const char *const keys[] = {"row",
                                       "kind",
                                       "time",
                                       "label",
                                       "checkpoint",
                                       "noise",
                                       "software",
                                       "request",
                                       "charges",
                                       "point_delta",
                                       "own_delta",
                                       "sampler_error",
                                       "specks",
                                       "charge_sums",
                                       "point_delta_sum",
                                       "own_delta_sum",
                                       "sampler_error_sum",
                                       "specks_sum",
                                       "plan",
                                       "previous",
                                       "hash",
                                       NULL};
    sot_charges *charges = &entry->charges, *sums = &entry->sums;
    const named_amount amounts[] = {
        {"point_delta", &charges->point_delta},  {"own_delta", &charges->own},
        {"sampler_error", &charges->sampler},    {"specks", &charges->specks},
        {"point_delta_sum", &sums->point_delta}, {"own_delta_sum", &sums->own},
        {"sampler_error_sum", &sums->sampler},   {"specks_sum", &sums->specks}};
    size_t count = 0;
    sot_json_value member;
    sotto_status status = sot_json_only_keys(object, keys, error);
    if (status == SOTTO_OK)
        status =
            sot_entry_read_amounts(object, "charges", true, charges->at, &count, error);
    if (status == SOTTO_OK)
        status = sot_entry_read_amounts(object, "charge_sums", true, sums->at,
                                        &entry->members.count, error);
    if (status == SOTTO_OK && count != entry->members.count)
        return sot_fail(error, SOTTO_PARSE, "it has another number of charges than sums");
    if (status == SOTTO_OK)
        status = read_named(object, amounts, sizeof amounts / sizeof amounts[0], error);
    if (status == SOTTO_OK)
        status = sot_entry_read_label(object, "noise", entry->noise, sizeof entry->noise,
                                      error);
    if (status == SOTTO_OK)
        status = sot_entry_read_label(object, "software", entry->software,
                                      sizeof entry->software, error);
    if (status == SOTTO_OK && sot_json_member(object, "request", &member))
        status = sot_entry_read_hash(object, "request", entry->request, error);
    return status;
}

static sotto_status read_reserve(const sot_json_value *object, sot_entry *entry,
                                 sotto_error *error)
{
    sot_json_value member;
    sotto_status status = sot_json_member(object, "charge", &member)
                              ? read_older_charges(object, entry, error)
                              : read_charges(object, entry, error);
    if (status == SOTTO_OK)
        status =
            sot_entry_read_label(object, "label", entry->text, sizeof entry->text, error);
    if (status == SOTTO_OK) status = sot_json_get_object(object, "plan", &member, error);
    if (status == SOTTO_OK && sot_json_member(object, "checkpoint", &member))
        status = sot_entry_read_hash(object, "checkpoint", entry->checkpoint, error);
    return status;
}

/* A whole number that is no amount. */
static sotto_status read_row(const sot_json_value *object, const char *key, uint64_t *out,
                             sotto_error *error)
{
    int64_t number = 0;
    const sotto_status status = sot_entry_read_amount(object, key, &number, error);
    *out = (uint64_t)number;
    return status;
}

static sotto_status read_seal(const sot_json_value *object, sot_entry *entry,
                              sotto_error *error)
{
    const sotto_status status =
        sot_entry_read_hash(object, "checkpoint", entry->checkpoint, error);
    return status != SOTTO_OK
               ? status
               : sot_entry_read_hash(object, "seal_key", entry->seal_key, error);
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
    if (status == SOTTO_OK)
        status = sot_entry_read_hash(object, "output", entry->output, error);
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

sotto_status sot_entry_read_members(const sot_json_value *object, uint64_t row,
                                    sot_entry *entry, sotto_error *error)
{
    char shown[32];
    int64_t number = 0;
    const char *kind = "";
    sotto_status status = sot_json_as_object(object, error);
    if (status == SOTTO_OK) status = sot_entry_read_amount(object, "row", &number, error);
    if (status == SOTTO_OK && (uint64_t)number != row) {
        status =
            sot_fail(error, SOTTO_PARSE, "it calls itself row %lld", (long long)number);
    }
    if (status == SOTTO_OK)
        status = sot_json_get_int64(object, "time", &entry->time_seconds, error);
    if (status == SOTTO_OK)
        status = sot_entry_read_hash(object, "previous", entry->previous, error);
    if (status == SOTTO_OK) status = sot_json_get_string(object, "kind", &kind, error);
    if (status != SOTTO_OK) return status;
    entry->row = row;
    for (int i = SOTTO_LEDGER_INIT; i <= SOTTO_LEDGER_CHECKPOINT; i++)
        if (strcmp(kind, sot_entry_kind_name((sotto_ledger_kind)i)) == 0)
            entry->kind = (sotto_ledger_kind)i;
    switch ((int)entry->kind) {
    case SOTTO_LEDGER_INIT:
        return sot_entry_read_init(object, entry, error);
    case SOTTO_LEDGER_GRANT:
        return sot_entry_read_grant(object, entry, error);
    case SOTTO_LEDGER_RESERVE:
        return read_reserve(object, entry, error);
    case SOTTO_LEDGER_COMMIT:
        return read_commit(object, entry, error);
    case SOTTO_LEDGER_CHECKPOINT:
        return read_checkpoint(object, entry, error);
    default:
        return sot_fail(error, SOTTO_PARSE,
                        "its kind is '%s', which this sotto does not know",
                        sot_printable(kind, shown, sizeof shown));
    }
}
