/* Rows that set a budget: the first one of a ledger, and grants. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "privacy/ledger/amount.h"
#include "privacy/ledger/entry.h"

static sotto_status read_budget(const sot_json_value *object, sot_entry *entry,
                                sotto_error *error)
{
    sot_budget *budget = &entry->budget;
    int64_t budgets[SOTTO_LEDGER_MEMBERS_MAX] = {0};
    size_t count = 0;
    sotto_status status = sot_entry_read_real(object, "epsilon", &budget->epsilon, error);
    if (status == SOTTO_OK)
        status = sot_entry_read_real(object, "delta", &budget->delta, error);
    if (status == SOTTO_OK)
        status = sot_entry_read_real(object, "own_delta", &budget->own_delta, error);
    if (status == SOTTO_OK)
        status = sot_entry_read_real(object, "rho", &budget->rho, error);
    if (status == SOTTO_OK)
        status = sot_entry_read_amounts(object, "budgets", false, budgets, &count, error);
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
        status =
            sot_entry_read_amount(object, "budget", &entry->members.at[0].budget, error);
    if (status == SOTTO_OK)
        status =
            sot_entry_read_amount(object, "own_delta_budget", &entry->own_budget, error);
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
    if (status == SOTTO_OK)
        status = sot_entry_read_real(object, "order", &member->order, error);
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
        status =
            sot_entry_read_text(&unit, "column", entry->unit, sizeof entry->unit, error);
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
    return sot_entry_read_hash(object, "curator", entry->curator, error);
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
    if (status == SOTTO_OK)
        status = sot_entry_read_hash(object, "nonce", entry->nonce, error);
    return status;
}

sotto_status sot_entry_read_init(const sot_json_value *object, sot_entry *entry,
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
        status = sot_entry_read_text(object, "dataset", entry->dataset,
                                     sizeof entry->dataset, error);
    if (status == SOTTO_OK) status = sot_entry_check_dataset(entry->dataset, error);
    if (status == SOTTO_OK)
        status =
            sot_entry_read_text(object, "adjacency", adjacency, sizeof adjacency, error);
    if (status == SOTTO_OK)
        status = sotto_adjacency_from_name(adjacency, &entry->adjacency, error);
    return status;
}

sotto_status sot_entry_read_grant(const sot_json_value *object, sot_entry *entry,
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
        status = sot_entry_read_label(object, "reason", entry->text, sizeof entry->text,
                                      error);
    return status;
}
