/* A certificate as JSON. Members stand in the order a person wants to read them. */
#include <math.h>

#include "artifact/certificate/certificate.h"
#include "privacy/accounting/plan/json_write.h"

static void write_text(sot_json_writer *writer, const char *key, const char *text)
{
    sot_json_key(writer, key);
    if (text == NULL) {
        sot_json_write_null(writer);
    } else {
        sot_json_write_string(writer, text);
    }
}

static void write_list(sot_json_writer *writer, const char *key, const char *const *list)
{
    sot_json_open_array(writer, key);
    for (size_t i = 0; list != NULL && list[i] != NULL; i++)
        sot_json_write_string(writer, list[i]);
    sot_json_end_array(writer);
}

static void write_rows(sot_json_writer *writer, const char *key,
                       const sot_guarantee *rows, size_t count)
{
    sot_json_open_array(writer, key);
    for (size_t i = 0; i < count; i++) {
        sot_json_begin_object(writer);
        sot_json_put_number_or_null(writer, "delta", rows[i].delta);
        sot_json_put_number_or_null(writer, "epsilon", rows[i].epsilon);
        sot_json_put_number_or_null(writer, "epsilon_lower", rows[i].epsilon_lower);
        sot_json_end_object(writer);
    }
    sot_json_end_array(writer);
}

static void write_attacks(sot_json_writer *writer, const sot_claims *claims)
{
    sot_json_open_array(writer, "attack");
    for (size_t i = 0; i < SOT_ATTACKS_SIZE; i++) {
        sot_json_begin_object(writer);
        sot_json_put_number_or_null(writer, "false_positive_rate",
                                    sot_false_positive_rates[i]);
        sot_json_put_number_or_null(writer, "true_positive_rate",
                                    claims->true_positive_rates[i]);
        sot_json_end_object(writer);
    }
    sot_json_end_array(writer);
}

static void write_claims(sot_json_writer *writer, const sot_claims *claims)
{
    write_rows(writer, "guarantees", claims->guarantees, claims->guarantee_count);
    sot_json_put_number_or_null(writer, "mu", claims->mu);
    sot_json_put_number_or_null(writer, "rho", claims->rho);
    write_attacks(writer, claims);
    write_rows(writer, "profile", claims->profile, SOT_PROFILE_SIZE);
    sot_json_open_object(writer, "accountant");
    write_text(writer, "name", sotto_accountant_name(SOTTO_EXACT));
    write_text(writer, "kernel", sotto_kernel_name(claims->kernel));
    sot_json_end_object(writer);
}

static double finite_or_unset(double value)
{
    return isfinite(value) ? value : SOTTO_UNSET;
}

static void write_balance(sot_json_writer *writer, const char *key,
                          const sotto_ledger_balance *balance)
{
    sot_json_open_object(writer, key);
    sot_json_put_number_or_null(writer, "budget", balance->budget);
    sot_json_put_number_or_null(writer, "spent", balance->spent);
    sot_json_put_number_or_null(writer, "left", balance->left);
    sot_json_put_number_or_null(writer, "delta_budget", balance->delta_budget);
    sot_json_put_number_or_null(writer, "delta_spent", balance->delta_spent);
    sot_json_put_number_or_null(writer, "delta_left", balance->delta_left);
    sot_json_put_number_or_null(writer, "epsilon_spent",
                                finite_or_unset(balance->epsilon_spent_upper));
    sot_json_put_whole(writer, "entries", balance->entries);
    write_text(writer, "head", balance->head);
    sot_json_end_object(writer);
}

/* Writes the relation, the members after the charge, and the runs that still fit. Ledgers
 * of older certificates had none of it. */
static void write_ledger_members(sot_json_writer *writer,
                                 const sotto_ledger_balance *after)
{
    if (after->member_count == 0) return;
    sot_json_put_text(writer, "unit", after->unit[0] != '\0' ? after->unit : NULL);
    if (after->unit_rows > 0) sot_json_put_whole(writer, "unit_rows", after->unit_rows);
    sot_json_put_number(writer, "rho", after->rho);
    sot_json_put_text(writer, "curator",
                      after->curator[0] != '\0' ? after->curator : NULL);
    sot_json_put_whole(writer, "member", after->member);
    sot_json_open_array(writer, "members");
    for (size_t i = 0; i < after->member_count; i++) {
        const sotto_ledger_member *member = &after->members[i];
        sot_json_begin_object(writer);
        write_text(writer, "kind", sotto_member_name(member->kind));
        sot_json_put_number(writer, "order", member->order);
        sot_json_put_number(writer, "delta", member->delta);
        sot_json_put_number(writer, "budget", member->budget);
        sot_json_put_number_or_null(writer, "spent", finite_or_unset(member->spent));
        sot_json_put_number(writer, "left", member->left);
        sot_json_put_bool(writer, "covers", member->covers);
        sot_json_end_object(writer);
    }
    sot_json_end_array(writer);
    sot_json_open_object(writer, "may_still_run_one_of");
    sot_json_put_number(writer, "pure_epsilon", after->room.pure_epsilon);
    sot_json_put_number_or_null(writer, "gaussian_noise_multiplier",
                                finite_or_unset(after->room.gaussian_noise));
    sot_json_put_number(writer, "gaussian_epsilon", after->room.gaussian_epsilon);
    sot_json_put_number(writer, "gaussian_delta", after->room.gaussian_delta);
    sot_json_put_number(writer, "certified_epsilon", after->room.certified_epsilon);
    sot_json_put_number(writer, "certified_delta", after->room.certified_delta);
    sot_json_end_object(writer);
}

static void write_ledger(sot_json_writer *writer, const sotto_reservation *ledger)
{
    sot_json_key(writer, "ledger");
    if (ledger == NULL) {
        sot_json_write_null(writer);
        return;
    }
    sot_json_begin_object(writer);
    write_text(writer, "dataset", ledger->after.dataset);
    write_text(writer, "adjacency", sotto_adjacency_name(ledger->after.adjacency));
    sot_json_put_number_or_null(writer, "epsilon", ledger->after.epsilon);
    sot_json_put_number_or_null(writer, "delta", ledger->after.delta);
    sot_json_put_number_or_null(writer, "order", ledger->after.order);
    sot_json_put_whole(writer, "reservation", ledger->id);
    sot_json_put_number_or_null(writer, "charged", ledger->charged);
    sot_json_put_number_or_null(writer, "delta_charged", ledger->delta_charged);
    write_balance(writer, "before", &ledger->before);
    write_balance(writer, "after", &ledger->after);
    write_ledger_members(writer, &ledger->after);
    sot_json_end_object(writer);
}

static void write_software(sot_json_writer *writer, const sot_software *software)
{
    sot_json_open_object(writer, "software");
    write_text(writer, "name", "sotto");
    write_text(writer, "version", software->version);
    write_text(writer, "build", software->build);
    write_text(writer, "arithmetic", software->arithmetic);
    sot_json_end_object(writer);
}

/* Writes the releases and their noise. */
static void write_run(sot_json_writer *writer, const sot_certificate *certificate)
{
    sot_json_key(writer, "plan");
    sot_plan_write(certificate->plan, writer);
    sot_json_open_array(writer, "released");
    for (size_t i = 0; i < sotto_plan_size(certificate->plan); i++)
        sot_json_write_int64(writer, (int64_t)certificate->released[i]);
    sot_json_end_array(writer);
    if (certificate->is_capped) write_text(writer, "counts", "caps");
    if (certificate->facts.selection != NULL)
        sot_certificate_write_selection(certificate->facts.selection, writer);
    write_text(writer, "noise_source",
               certificate->is_secure ? "operating system" : "TEST SEED: NOT PRIVATE");
    sot_json_put_number_or_null(writer, "sampler_error", certificate->sampler_error);
}

void sot_certificate_write(const sot_certificate *certificate, sot_json_writer *writer)
{
    const sotto_certificate_facts *facts = &certificate->facts;
    const sotto_adjacency adjacency = sotto_plan_adjacency(certificate->plan);
    write_text(writer, "format", "sotto certificate");
    sot_json_put_whole(writer, "version", (uint64_t)certificate->version);
    write_text(writer, "statement", certificate->statement);
    sot_json_put_bool(writer, "private", certificate->is_secure);
    sot_json_put_number_or_null(writer, "epsilon", certificate->claims.epsilon);
    sot_json_put_number_or_null(writer, "delta", certificate->claims.delta);
    write_text(writer, "output", facts->output);
    write_text(writer, "dataset", facts->dataset);
    write_text(writer, "unit", facts->unit);
    write_text(writer, "adjacency", sotto_adjacency_name(adjacency));
    sot_json_put_bool(writer, "rows_public",
                      adjacency == SOTTO_REPLACE_ONE && !facts->selected);
    write_claims(writer, &certificate->claims);
    write_run(writer, certificate);
    write_list(writer, "covered", facts->covered);
    write_list(writer, "unprotected", facts->unprotected);
    write_text(writer, "tuning", facts->tuning);
    if (facts->route != NULL) write_text(writer, "route", facts->route);
    write_ledger(writer, facts->ledger);
    write_software(writer, &certificate->software);
}
