/* The members of a row, from JSON, in the form of this version and in the older one. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "privacy/ledger/amount.h"
#include "privacy/ledger/entry.h"

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

/* One amount of each member; null: no price. */
static sotto_status read_amounts(const sot_json_value *object, const char *key,
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

static sotto_status read_budget(const sot_json_value *object, sot_entry *entry,
                                sotto_error *error)
{
    sot_budget *budget = &entry->budget;
    int64_t budgets[SOTTO_LEDGER_MEMBERS_MAX] = {0};
    size_t count = 0;
    sotto_status status = read_real(object, "epsilon", &budget->epsilon, error);
    if (status == SOTTO_OK) status = read_real(object, "delta", &budget->delta, error);
    if (status == SOTTO_OK)
        status = read_real(object, "own_delta", &budget->own_delta, error);
    if (status == SOTTO_OK) status = read_real(object, "rho", &budget->rho, error);
    if (status == SOTTO_OK)
        status = read_amounts(object, "budgets", false, budgets, &count, error);
    for (size_t i = 0; i < count; i++)
        entry->members.at[i].budget = budgets[i];
    if (status == SOTTO_OK && entry->kind == SOTTO_LEDGER_INIT &&
        count != entry->members.count)
        return sot_fail(error, SOTTO_PARSE,
                        "it has another number of budgets than members");
    entry->members.count = count;
    return status;
}

/* The budget of a row of the older form: one member, whose kind follows from the first row. */
static sotto_status read_older_budget(const sot_json_value *object, sot_entry *entry,
                                      sotto_error *error)
{
    entry->format = SOT_LEDGER_FORMAT_OLDER;
    entry->members.count = 1;
    sotto_status status =
        sot_json_get_double(object, "epsilon", &entry->budget.epsilon, error);
    if (status == SOTTO_OK)
        status = sot_json_get_double(object, "delta", &entry->budget.delta, error);
    if (status == SOTTO_OK)
        status =
            sot_json_get_double(object, "own_delta", &entry->budget.own_delta, error);
    if (status == SOTTO_OK)
        status = read_amount(object, "budget", &entry->members.at[0].budget, error);
    if (status == SOTTO_OK)
        status = read_amount(object, "own_delta_budget", &entry->own_budget, error);
    return status;
}

static sotto_status read_older_init(const sot_json_value *object, sot_entry *entry,
                                    sotto_error *error)
{
    static const char *const keys[] = {
        "row",       "kind",     "time",  "format", "dataset",
        "adjacency", "epsilon",  "delta", "order",  "own_delta",
        "units",     "previous", "hash",  "budget", "own_delta_budget",
        NULL};
    sotto_status status = sot_json_only_keys(object, keys, error);
    if (status == SOTTO_OK) status = read_older_budget(object, entry, error);
    sot_member *member = &entry->members.at[0];
    if (status == SOTTO_OK) status = read_real(object, "order", &member->order, error);
    member->kind = isnan(member->order) ? SOTTO_MEMBER_PURE : SOTTO_MEMBER_RENYI;
    member->weight = 1;
    if (status == SOTTO_OK && isnan(member->order) && entry->budget.delta > 0.0)
        return sot_fail(error, SOTTO_PARSE, "its budget has a delta and no order");
    return status;
}

static sotto_status read_member(const sot_json_value *item, sot_member *member,
                                sotto_error *error)
{
    static const char *const keys[] = {"kind", "weight", "order", NULL};
    const char *name = "";
    int64_t weight = 0;
    sot_json_value order;
    member->order = SOTTO_UNSET;
    sotto_status status = sot_json_as_object(item, error);
    if (status == SOTTO_OK) status = sot_json_only_keys(item, keys, error);
    if (status == SOTTO_OK) status = sot_json_get_string(item, "kind", &name, error);
    if (status == SOTTO_OK) status = sot_json_get_int64(item, "weight", &weight, error);
    if (status == SOTTO_OK && sot_json_member(item, "order", &order))
        status = sot_json_as_double(&order, &member->order, error);
    if (status != SOTTO_OK) return status;
    for (int i = SOTTO_MEMBER_BASIC; i <= SOTTO_MEMBER_ZCDP; i++)
        if (strcmp(name, sotto_member_name((sotto_member_kind)i)) == 0)
            member->kind = (sotto_member_kind)i;
    if (member->kind == 0 || weight < 0 || weight > 1000)
        return sot_json_refuse(item, "this sotto knows no such member", error);
    member->weight = (uint32_t)weight;
    return SOTTO_OK;
}

static sotto_status read_member_list(const sot_json_value *object, sot_entry *entry,
                                     sotto_error *error)
{
    sot_json_value list;
    size_t basic = 0;
    sotto_status status = sot_json_get_array(object, "members", &list, error);
    if (status != SOTTO_OK) return status;
    const size_t size = sot_json_size(&list);
    if (size < 1 || size > SOTTO_LEDGER_MEMBERS_MAX)
        return sot_json_refuse(&list, "it has 1 to 4 members", error);
    for (size_t i = 0; i < size && status == SOTTO_OK; i++) {
        const sot_json_value item = sot_json_item(&list, i);
        status = read_member(&item, &entry->members.at[i], error);
        basic += entry->members.at[i].kind == SOTTO_MEMBER_BASIC;
    }
    if (status == SOTTO_OK && basic > 1)
        return sot_json_refuse(&list, "one member at most is basic", error);
    entry->members.count = size;
    return status;
}

static sotto_status read_unit(const sot_json_value *object, sot_entry *entry,
                              sotto_error *error)
{
    static const char *const keys[] = {"column", "rows", NULL};
    sot_json_value unit;
    int64_t rows = 0;
    if (sot_json_member(object, "unit", &unit) &&
        sot_json_kind_of(&unit) == SOT_JSON_NULL)
        return SOTTO_OK;
    sotto_status status = sot_json_get_object(object, "unit", &unit, error);
    if (status == SOTTO_OK) status = sot_json_only_keys(&unit, keys, error);
    if (status == SOTTO_OK)
        status = read_text(&unit, "column", entry->unit, sizeof entry->unit, error);
    if (status == SOTTO_OK) status = sot_json_get_int64(&unit, "rows", &rows, error);
    if (status == SOTTO_OK &&
        (entry->unit[0] == '\0' || rows < 1 || (uint64_t)rows > SOTTO_UNIT_ROWS_MAX))
        return sot_json_refuse(&unit, "it names a column and 1 to 1e9 rows", error);
    entry->unit_rows = (uint64_t)rows;
    return status;
}

static sotto_status read_curator(const sot_json_value *object, sot_entry *entry,
                                 sotto_error *error)
{
    sot_json_value curator;
    if (sot_json_member(object, "curator", &curator) &&
        sot_json_kind_of(&curator) == SOT_JSON_NULL)
        return SOTTO_OK;
    return read_hash(object, "curator", entry->curator, error);
}

static sotto_status read_new_init(const sot_json_value *object, sot_entry *entry,
                                  sotto_error *error)
{
    static const char *const keys[] = {"row",      "kind",      "time",  "format",
                                       "dataset",  "adjacency", "unit",  "members",
                                       "epsilon",  "delta",     "rho",   "own_delta",
                                       "budgets",  "curator",   "nonce", "units",
                                       "previous", "signature", "hash",  NULL};
    sotto_status status = sot_json_only_keys(object, keys, error);
    if (status == SOTTO_OK) status = read_unit(object, entry, error);
    if (status == SOTTO_OK) status = read_member_list(object, entry, error);
    if (status == SOTTO_OK) status = read_budget(object, entry, error);
    if (status == SOTTO_OK) status = read_curator(object, entry, error);
    if (status == SOTTO_OK) status = read_hash(object, "nonce", entry->nonce, error);
    return status;
}

static sotto_status read_init(const sot_json_value *object, sot_entry *entry,
                              sotto_error *error)
{
    int64_t format = 0;
    char adjacency[32];
    sotto_status status = sot_json_get_int64(object, "format", &format, error);
    if (status == SOTTO_OK && format != SOT_LEDGER_FORMAT &&
        format != SOT_LEDGER_FORMAT_OLDER) {
        return sot_fail(error, SOTTO_PARSE,
                        "it is in format %lld and this sotto reads formats up to %d; use "
                        "the sotto that wrote it",
                        (long long)format, SOT_LEDGER_FORMAT);
    }
    if (status == SOTTO_OK)
        status = format == SOT_LEDGER_FORMAT ? read_new_init(object, entry, error)
                                             : read_older_init(object, entry, error);
    if (status == SOTTO_OK)
        status =
            read_text(object, "dataset", entry->dataset, sizeof entry->dataset, error);
    if (status == SOTTO_OK) status = sot_entry_check_dataset(entry->dataset, error);
    if (status == SOTTO_OK)
        status = read_text(object, "adjacency", adjacency, sizeof adjacency, error);
    if (status == SOTTO_OK)
        status = sotto_adjacency_from_name(adjacency, &entry->adjacency, error);
    return status;
}

static sotto_status read_grant(const sot_json_value *object, sot_entry *entry,
                               sotto_error *error)
{
    static const char *const keys[] = {
        "row",     "kind",   "time",     "epsilon",   "delta", "rho", "own_delta",
        "budgets", "reason", "previous", "signature", "hash",  NULL};
    static const char *const older_keys[] = {
        "row",      "kind", "time",   "epsilon",          "delta", "own_delta", "reason",
        "previous", "hash", "budget", "own_delta_budget", NULL};
    sot_json_value member;
    const bool is_older = sot_json_member(object, "own_delta_budget", &member);
    sotto_status status = sot_json_only_keys(object, is_older ? older_keys : keys, error);
    if (status == SOTTO_OK)
        status = is_older ? read_older_budget(object, entry, error)
                          : read_budget(object, entry, error);
    if (status == SOTTO_OK)
        status = read_text(object, "reason", entry->text, sizeof entry->text, error);
    if (status == SOTTO_OK) status = sot_entry_check_text("reason", entry->text, error);
    return status;
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
        status = read_amount(object, amounts[i].key, amounts[i].amount, error);
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
        status = read_amounts(object, "charges", true, charges->at, &count, error);
    if (status == SOTTO_OK)
        status = read_amounts(object, "charge_sums", true, sums->at,
                              &entry->members.count, error);
    if (status == SOTTO_OK && count != entry->members.count)
        return sot_fail(error, SOTTO_PARSE, "it has another number of charges than sums");
    if (status == SOTTO_OK)
        status = read_named(object, amounts, sizeof amounts / sizeof amounts[0], error);
    if (status == SOTTO_OK)
        status = read_text(object, "noise", entry->noise, sizeof entry->noise, error);
    if (status == SOTTO_OK) status = sot_entry_check_text("noise", entry->noise, error);
    if (status == SOTTO_OK)
        status =
            read_text(object, "software", entry->software, sizeof entry->software, error);
    if (status == SOTTO_OK)
        status = sot_entry_check_text("software", entry->software, error);
    if (status == SOTTO_OK && sot_json_member(object, "request", &member))
        status = read_hash(object, "request", entry->request, error);
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
        status = read_text(object, "label", entry->text, sizeof entry->text, error);
    if (status == SOTTO_OK) status = sot_entry_check_text("label", entry->text, error);
    if (status == SOTTO_OK) status = sot_json_get_object(object, "plan", &member, error);
    if (status == SOTTO_OK && sot_json_member(object, "checkpoint", &member))
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

sotto_status sot_entry_read_members(const sot_json_value *object, uint64_t row,
                                    sot_entry *entry, sotto_error *error)
{
    char shown[32];
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
        if (strcmp(kind, sot_entry_kind_name((sotto_ledger_kind)i)) == 0)
            entry->kind = (sotto_ledger_kind)i;
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
                        "its kind is '%s', which this sotto does not know",
                        sot_printable(kind, shown, sizeof shown));
    }
}
