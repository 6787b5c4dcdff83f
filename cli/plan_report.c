#include "plan_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "frame.h"
#include "output.h"

/* --- JSON --- */

/* The members of `pairs`, `attack`, `accountants` and `events` are objects. */
static void append(cli_json *json, json_t *array, cli_json *object)
{
    if (object->failed || json_array_append_new(array, object->object) != 0)
        json->failed = true;
}

static json_t *pairs_json(const plan_report *report, cli_json *json)
{
    json_t *array = json_array();
    for (size_t i = 0; i < report->shown_count; i++) {
        cli_json pair = cli_json_new();
        cli_json_number(&pair, "delta", report->pairs[i].delta);
        cli_json_number(&pair, "epsilon", report->pairs[i].epsilon);
        cli_json_number(&pair, "epsilon_lower", report->pairs[i].epsilon_lower);
        append(json, array, &pair);
    }
    return array;
}

static json_t *attacks_json(const plan_report *report, cli_json *json)
{
    json_t *array = json_array();
    for (size_t i = 0; i < PLAN_ATTACKS; i++) {
        cli_json row = cli_json_new();
        cli_json_number(&row, "false_positive_rate",
                        report->attacks[i].false_positive_rate);
        cli_json_number(&row, "true_positive_rate",
                        report->attacks[i].true_positive_rate);
        append(json, array, &row);
    }
    return array;
}

static json_t *opinions_json(const plan_report *report, cli_json *json)
{
    json_t *array = json_array();
    for (size_t i = 0; i < PLAN_ACCOUNTANTS; i++) {
        const plan_opinion *opinion = &report->opinions[i];
        cli_json row = cli_json_new();
        cli_json_text(&row, "accountant", sotto_accountant_name(opinion->accountant));
        if (opinion->status == SOTTO_OK) {
            cli_json_number(&row, "epsilon", opinion->account.epsilon);
            cli_json_text(&row, "kernel", sotto_kernel_name(opinion->account.kernel));
            cli_json_number(&row, "order", opinion->account.order);
        } else {
            cli_json_add(&row, "epsilon", json_null());
            cli_json_text(&row, "reason", opinion->reason.message);
        }
        append(json, array, &row);
    }
    return array;
}

static json_t *events_json(const plan_report *report, cli_json *json)
{
    json_t *array = json_array();
    for (size_t i = 0; i < sotto_plan_size(report->plan); i++) {
        const sotto_event *event = sotto_plan_event(report->plan, i);
        cli_json row = cli_json_new();
        cli_json_text(&row, "mechanism", sotto_mechanism_name(event->mechanism));
        if (event->purpose[0] != '\0') cli_json_text(&row, "purpose", event->purpose);
        cli_json_count(&row, "count", event->count);
        cli_json_number(&row, "share", report->costs[i].share);
        cli_json_number(&row, "epsilon_alone", report->costs[i].epsilon_alone);
        append(json, array, &row);
    }
    return array;
}

sotto_status plan_report_json(const plan_report *report, json_t *first,
                              sotto_error *error)
{
    char *plan = NULL;
    const sotto_status status = sotto_plan_to_json(report->plan, &plan, error);
    if (status != SOTTO_OK) {
        json_decref(first);
        return status;
    }
    cli_json json = cli_json_new();
    if (first != NULL && json_object_update(json.object, first) != 0) json.failed = true;
    json_decref(first);
    cli_json_number(&json, "epsilon", report->headline.epsilon);
    cli_json_number(&json, "epsilon_lower", report->headline.epsilon_lower);
    cli_json_number(&json, "delta", report->headline.delta);
    cli_json_text(&json, "adjacency", sotto_adjacency_name(report->headline.adjacency));
    cli_json_number(&json, "mu", report->mu);
    cli_json_number(&json, "rho", report->rho);
    cli_json_add(&json, "guarantees", pairs_json(report, &json));
    cli_json_add(&json, "attack", attacks_json(report, &json));
    cli_json_add(&json, "accountants", opinions_json(report, &json));
    cli_json_number(&json, "order", report->order);
    cli_json_add(&json, "events", events_json(report, &json));
    if (report->has_ledger)
        cli_json_add(&json, "ledger", plan_ledger_object(&report->ledger));
    cli_json_add(&json, "plan", json_loads(plan, 0, NULL));
    sotto_free(plan);
    return cli_json_print(&json, error);
}

/* --- text --- */

static void show_pairs(const plan_report *report)
{
    char delta[CLI_NUMBER_BYTES], epsilon[CLI_NUMBER_BYTES];
    for (size_t i = 0; i < report->shown_count; i++) {
        cli_line(i == 0 ? "epsilon" : "", "at most %s at delta %s",
                 cli_rounded_up(report->pairs[i].epsilon, CLI_SHOWN_DIGITS, epsilon),
                 cli_shortest(report->pairs[i].delta, delta));
    }
}

static void show_attacks(const plan_report *report)
{
    char right[CLI_NUMBER_BYTES];
    const bool replaced = report->headline.adjacency == SOTTO_REPLACE_ONE;
    for (size_t i = 0; i < PLAN_ATTACKS; i++) {
        const plan_attack *attack = &report->attacks[i];
        /* The margin is far above the rounding of the product. */
        const double percent =
            fmin(100.0, 100.0 * attack->true_positive_rate * (1.0 + 1e-14));
        cli_line(i == 0 ? "attack" : "",
                 replaced
                     ? "believing %g%% of wrong guesses, at most %s%% of right ones"
                     : "accusing %g%% of the absent finds at most %s%% of the present",
                 100.0 * attack->false_positive_rate, cli_rounded_up(percent, 3, right));
    }
}

static void show_opinions(const plan_report *report)
{
    char epsilon[CLI_NUMBER_BYTES];
    for (size_t i = 0; i < PLAN_ACCOUNTANTS; i++) {
        const plan_opinion *opinion = &report->opinions[i];
        const char *name = sotto_accountant_name(opinion->accountant);
        if (opinion->status == SOTTO_OK) {
            cli_line(i == 0 ? "accountants" : "", "%-6s %s", name,
                     cli_rounded_up(opinion->account.epsilon, CLI_SHOWN_DIGITS, epsilon));
        } else {
            cli_line(i == 0 ? "accountants" : "", "%-6s none: %s", name,
                     opinion->reason.message);
        }
    }
}

static void show_events(const plan_report *report)
{
    char alone[CLI_NUMBER_BYTES];
    (void)printf("\n%-5s %-22s %10s %7s %13s  %s\n", "event", "mechanism", "count",
                 "share", "epsilon alone", "purpose");
    for (size_t i = 0; i < sotto_plan_size(report->plan); i++) {
        const sotto_event *event = sotto_plan_event(report->plan, i);
        const plan_cost *cost = &report->costs[i];
        (void)printf("%-5zu %-22s %10" PRIu64 " %6.1f%% %13s  %s\n", i,
                     sotto_mechanism_name(event->mechanism), event->count,
                     100.0 * cost->share,
                     isnan(cost->epsilon_alone)
                         ? "none"
                         : cli_rounded_up(cost->epsilon_alone, CLI_SHOWN_DIGITS, alone),
                     event->purpose[0] != '\0' ? event->purpose : "-");
    }
}

sotto_status plan_report_text(const plan_report *report, sotto_error *error)
{
    char number[CLI_NUMBER_BYTES];
    (void)error;
    show_pairs(report);
    if (report->has_ledger) plan_show_ledger(&report->ledger);
    cli_line("adjacency", "%s", sotto_adjacency_name(report->headline.adjacency));
    if (!isnan(report->mu))
        cli_line("mu (GDP)", "%s", cli_rounded_up(report->mu, CLI_SHOWN_DIGITS, number));
    if (!isnan(report->rho))
        cli_line("rho (zCDP)", "%s",
                 cli_rounded_up(report->rho, CLI_SHOWN_DIGITS, number));
    show_attacks(report);
    show_opinions(report);
    show_events(report);
    return SOTTO_OK;
}
