#include "plan/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "frame/frame.h"
#include "frame/output.h"

/* --- JSON --- */

static void add_pairs(sotto_json_writer *json, const plan_report *report)
{
    sotto_json_array(json, "guarantees");
    for (size_t i = 0; i < report->shown_count; i++) {
        sotto_json_object(json, NULL);
        sotto_json_number(json, "delta", report->pairs[i].delta);
        sotto_json_number(json, "epsilon", report->pairs[i].epsilon);
        sotto_json_number(json, "epsilon_lower", report->pairs[i].epsilon_lower);
        sotto_json_end(json);
    }
    sotto_json_end(json);
}

static void add_attacks(sotto_json_writer *json, const plan_report *report)
{
    sotto_json_array(json, "attack");
    for (size_t i = 0; i < PLAN_ATTACKS; i++) {
        sotto_json_object(json, NULL);
        sotto_json_number(json, "false_positive_rate",
                          report->attacks[i].false_positive_rate);
        sotto_json_number(json, "true_positive_rate",
                          report->attacks[i].true_positive_rate);
        sotto_json_end(json);
    }
    sotto_json_end(json);
}

static void add_opinions(sotto_json_writer *json, const plan_report *report)
{
    sotto_json_array(json, "accountants");
    for (size_t i = 0; i < PLAN_ACCOUNTANTS; i++) {
        const plan_opinion *opinion = &report->opinions[i];
        sotto_json_object(json, NULL);
        sotto_json_text(json, "accountant", sotto_accountant_name(opinion->accountant));
        if (opinion->status == SOTTO_OK) {
            sotto_json_number(json, "epsilon", opinion->account.epsilon);
            sotto_json_text(json, "kernel", sotto_kernel_name(opinion->account.kernel));
            sotto_json_number(json, "order", opinion->account.order);
        } else {
            sotto_json_null(json, "epsilon");
            sotto_json_text(json, "reason", opinion->reason.message);
        }
        sotto_json_end(json);
    }
    sotto_json_end(json);
}

static void add_events(sotto_json_writer *json, const plan_report *report)
{
    sotto_json_array(json, "events");
    for (size_t i = 0; i < sotto_plan_size(report->plan); i++) {
        const sotto_event *event = sotto_plan_event(report->plan, i);
        sotto_json_object(json, NULL);
        sotto_json_text(json, "mechanism", sotto_mechanism_name(event->mechanism));
        if (event->purpose[0] != '\0') sotto_json_text(json, "purpose", event->purpose);
        sotto_json_count(json, "count", event->count);
        sotto_json_number(json, "share", report->costs[i].share);
        sotto_json_number(json, "epsilon_alone", report->costs[i].epsilon_alone);
        sotto_json_end(json);
    }
    sotto_json_end(json);
}

sotto_status plan_report_json(const plan_report *report, sotto_json_writer *json,
                              sotto_error *error)
{
    char *plan = NULL;
    const sotto_status status = sotto_plan_to_json(report->plan, &plan, error);
    if (status != SOTTO_OK) {
        sotto_json_writer_free(json);
        return status;
    }
    sotto_json_number(json, "epsilon", report->headline.epsilon);
    sotto_json_number(json, "epsilon_lower", report->headline.epsilon_lower);
    sotto_json_number(json, "delta", report->headline.delta);
    sotto_json_text(json, "adjacency", sotto_adjacency_name(report->headline.adjacency));
    sotto_json_number(json, "mu", report->mu);
    sotto_json_number(json, "rho", report->rho);
    add_pairs(json, report);
    add_attacks(json, report);
    add_opinions(json, report);
    sotto_json_number(json, "order", report->order);
    add_events(json, report);
    if (report->has_ledger) plan_add_ledger(json, &report->ledger);
    sotto_json_embed(json, "plan", plan);
    sotto_free(plan);
    return cli_json_print(json, error);
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
                     ? "with at most %g%% false positives of an attack, at most %s%% "
                       "true positives"
                     : "at a false positive rate of %g%%, at most %s%% true positives",
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
                 "share", "own epsilon", "purpose");
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
