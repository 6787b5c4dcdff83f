/* The certificate's section about the charged ledger. */
#include "artifact/certificate/parts.h"

#include <math.h>
#include <string.h>

static sotto_status read_balance(const sot_json_value *object, const char *key,
                                 sotto_ledger_balance *balance, sotto_error *error)
{
    sot_json_value member;
    sotto_status status = sot_json_get_object(object, key, &member, error);
    const struct {
        const char *key;
        double *out;
    } amounts[] = {{"budget", &balance->budget},
                   {"spent", &balance->spent},
                   {"left", &balance->left},
                   {"delta_budget", &balance->delta_budget},
                   {"delta_spent", &balance->delta_spent},
                   {"delta_left", &balance->delta_left},
                   {"epsilon_spent", &balance->epsilon_spent_upper}};
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0] && status == SOTTO_OK; i++)
        status =
            sot_certificate_read_number(&member, amounts[i].key, amounts[i].out, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_whole(&member, "entries", &balance->entries, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_field(&member, "head", balance->head,
                                            sizeof balance->head, error);
    return status;
}

static sotto_status read_ledger_member(const sot_json_value *item,
                                       sotto_ledger_member *member, sotto_error *error)
{
    char kind[16] = "";
    sot_json_value order;
    member->order = SOTTO_UNSET;
    sotto_status status =
        sot_certificate_read_field(item, "kind", kind, sizeof kind, error);
    for (int i = SOTTO_MEMBER_BASIC; i <= SOTTO_MEMBER_PURE; i++)
        if (strcmp(kind, sotto_member_name((sotto_member_kind)i)) == 0)
            member->kind = (sotto_member_kind)i;
    if (status == SOTTO_OK && member->kind == 0)
        return sot_json_refuse(item, "this sotto knows no such member", error);
    if (status == SOTTO_OK && sot_json_member(item, "order", &order))
        status = sot_json_as_double(&order, &member->order, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_number(item, "delta", &member->delta, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_number(item, "budget", &member->budget, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_number(item, "spent", &member->spent, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_number(item, "left", &member->left, error);
    if (status == SOTTO_OK)
        status = sot_json_get_bool(item, "covers", &member->covers, error);
    if (isnan(member->spent)) member->spent = HUGE_VAL;
    return status;
}

static sotto_status read_optional_number(const sot_json_value *object, const char *key,
                                         double *out, sotto_error *error)
{
    sot_json_value member;
    *out = SOTTO_UNSET;
    return sot_json_member(object, key, &member)
               ? sot_certificate_read_number(object, key, out, error)
               : SOTTO_OK;
}

static sotto_status read_room(const sot_json_value *object, sotto_ledger_room *room,
                              sotto_error *error)
{
    sot_json_value member;
    const struct {
        const char *key;
        double *out;
    } numbers[] = {{"pure_epsilon", &room->pure_epsilon},
                   {"gaussian_noise_multiplier", &room->gaussian_noise},
                   {"gaussian_epsilon", &room->gaussian_epsilon},
                   {"gaussian_delta", &room->gaussian_delta},
                   {"certified_epsilon", &room->certified_epsilon},
                   {"certified_delta", &room->certified_delta}};
    sotto_status status =
        sot_json_get_object(object, "may_still_run_one_of", &member, error);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && status == SOTTO_OK; i++)
        status = read_optional_number(&member, numbers[i].key, numbers[i].out, error);
    if (isnan(room->gaussian_noise)) room->gaussian_noise = HUGE_VAL;
    return status;
}

/* Certificates of older ledgers have no list of members. */
static sotto_status read_ledger_members(const sot_json_value *object,
                                        sotto_ledger_balance *after, sotto_error *error)
{
    sot_json_value list, member;
    uint64_t index = 0;
    after->rho = SOTTO_UNSET;
    if (!sot_json_member(object, "members", &list)) return SOTTO_OK;
    sotto_status status = sot_json_as_array(&list, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_whole(object, "member", &index, error);
    if (status != SOTTO_OK) return status;
    const size_t count = sot_json_size(&list);
    if (count > SOTTO_LEDGER_MEMBERS_MAX || index >= count)
        return sot_json_refuse(&list, "it has 1 to 4 members", error);
    for (size_t i = 0; i < count && status == SOTTO_OK; i++) {
        const sot_json_value item = sot_json_item(&list, i);
        status = read_ledger_member(&item, &after->members[i], error);
    }
    after->member_count = count;
    after->member = (size_t)index;
    if (status == SOTTO_OK)
        status = read_optional_number(object, "rho", &after->rho, error);
    if (status == SOTTO_OK && sot_json_member(object, "unit", &member))
        status = sot_certificate_read_field(object, "unit", after->unit,
                                            sizeof after->unit, error);
    if (status == SOTTO_OK && sot_json_member(object, "unit_rows", &member))
        status =
            sot_certificate_read_whole(object, "unit_rows", &after->unit_rows, error);
    if (status == SOTTO_OK && sot_json_member(object, "curator", &member))
        status = sot_certificate_read_field(object, "curator", after->curator,
                                            sizeof after->curator, error);
    return status == SOTTO_OK ? read_room(object, &after->room, error) : status;
}

sotto_status sot_certificate_read_ledger(const sot_json_value *object,
                                         sot_certificate_file *file, sotto_error *error)
{
    sot_json_value member;
    sotto_reservation *ledger = &file->ledger;
    sotto_ledger_balance *before = &ledger->before, *after = &ledger->after;
    if (sot_json_member(object, "ledger", &member) &&
        sot_json_kind_of(&member) == SOT_JSON_NULL)
        return SOTTO_OK;
    sotto_status status = sot_json_get_object(object, "ledger", &member, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_field(&member, "dataset", after->dataset,
                                            sizeof after->dataset, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_adjacency(&member, &after->adjacency, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_number(&member, "epsilon", &after->epsilon, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_number(&member, "delta", &after->delta, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_number(&member, "order", &after->order, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_whole(&member, "reservation", &ledger->id, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_number(&member, "charged", &ledger->charged, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_number(&member, "delta_charged",
                                             &ledger->delta_charged, error);
    if (status == SOTTO_OK) status = read_ledger_members(&member, after, error);
    if (status != SOTTO_OK) return status;
    *before = *after; /* values that a reservation does not change are written once */
    status = read_balance(&member, "before", before, error);
    if (status == SOTTO_OK) status = read_balance(&member, "after", after, error);
    file->certificate.facts.ledger = ledger;
    return status;
}
