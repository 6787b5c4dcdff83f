/* sotto plan: the cost of a plan or a training, before any data is read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/accountant.h>
#include <sotto/setting.h>

#include "commands.h"
#include "data/data_file.h"
#include "frame/input.h"
#include "plan/report.h"
#include "train/training.h"

enum { PLAN_BYTES_MAX = 1 << 20 };

static const cli_option options[] = {
    {"plan", CLI_FILE, CLI_OPTIONAL_OPERAND,
     "JSON file with the events; - is standard input; none for a training",
     .value = "PLAN", .example = "plan.json"},
    {"delta", CLI_NUMBER, CLI_OPTIONAL,
     "delta of the guarantee, at least 0 and below 1; a training without it is pure",
     .value = "D", .example = "1e-6", .range = CLI_BELOW_ONE},
    {"schema", CLI_FILE, CLI_OPTIONAL, "plan a training on data of this schema",
     .value = "FILE", .example = "survey.schema.json"},
    {"model", CLI_CHOICE, CLI_OPTIONAL, "training: model to train", .value = "NAME",
     .example = "logistic", .choices = cli_model_choice, .is_other = cli_is_network,
     .other = "FILE.json"},
    {"forecast", CLI_FLAG, CLI_OPTIONAL,
     "training: simulate it on public or synthetic rows and score it", .value = NULL},
    {"within", CLI_NUMBER, CLI_OPTIONAL,
     "training: find the epsilon whose forecast is this close to the score without "
     "noise (AUC of two classes, else log loss, accuracy or error)",
     .value = "D", .example = "0.01", .range = CLI_POSITIVE},
    {"public", CLI_FILE, CLI_OPTIONAL, "forecast: a file of public rows", .value = "FILE",
     .example = "survey.csv"},
    {"rows", CLI_COUNT, CLI_OPTIONAL,
     "forecast: number of synthetic rows, sampled from the schema", .value = "N",
     .example = "10000", .count_max = UINT64_C(1) << 26},
    {"repeats", CLI_COUNT, CLI_OPTIONAL, "forecast: number of repeats", .value = "K",
     .example = "10", .fallback = "10", .count_max = 10000},
    {"theory", CLI_FLAG, CLI_OPTIONAL,
     "training: bounds of the theory on the excess risk", .value = NULL},
    {"excess", CLI_NUMBER, CLI_OPTIONAL,
     "theory: excess risk; print the number of rows that it needs", .value = "G",
     .example = "0.01", .range = CLI_POSITIVE},
    {"failure", CLI_NUMBER, CLI_OPTIONAL, "theory: failure probability of the bounds",
     .value = "B", .example = "0.05", .fallback = "0.05", .range = CLI_POSITIVE},
    {"compare", CLI_FLAG, CLI_OPTIONAL,
     "training: noise and epsilon under the published rules and the former theorem",
     .value = NULL},
    {"ledger", CLI_FILE, CLI_OPTIONAL,
     "check whether this ledger would admit the plan; nothing is charged",
     .value = "FILE", .example = "budget.ledger"},
    {"insecure-test-seed", CLI_COUNT, CLI_OPTIONAL,
     "forecast: seed of the noise, for tests", .value = "N", .example = "7",
     .count_max = UINT64_MAX},
    {0},
};

static const double other_deltas[] = {1e-5, 1e-6, 1e-9};
static const double attack_deltas[] = {0.3, 0.1, 0.03, 0.01, 0.003, 1e-3, 1e-4};
static const double attack_rates[PLAN_ATTACKS] = {1e-3, 1e-2, 0.05, 0.1};

static bool is_listed(const plan_report *report, double delta)
{
    for (size_t i = 0; i < report->pair_count; i++)
        if (report->pairs[i].delta == delta) return true;
    return false;
}

/* A pair for the tables; at deltas where no epsilon is finite there is none. */
static sotto_status add_pair(plan_report *report, double delta, sotto_error *error)
{
    sotto_account *pair = &report->pairs[report->pair_count];
    if (is_listed(report, delta)) return SOTTO_OK;
    const sotto_status status =
        sotto_account_epsilon(report->plan, SOTTO_EXACT, delta, pair, error);
    if (status == SOTTO_OK) report->pair_count++;
    return status == SOTTO_UNREACHABLE ? SOTTO_OK : status;
}

static sotto_status find_pairs(plan_report *report, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    report->pairs[report->pair_count++] = report->headline;
    for (size_t i = 0; i < sizeof other_deltas / sizeof other_deltas[0]; i++)
        if (status == SOTTO_OK) status = add_pair(report, other_deltas[i], error);
    report->shown_count = report->pair_count;
    for (size_t i = 0; i < sizeof attack_deltas / sizeof attack_deltas[0]; i++)
        if (status == SOTTO_OK) status = add_pair(report, attack_deltas[i], error);
    for (size_t i = 0; i < PLAN_ATTACKS; i++) {
        report->attacks[i] = (plan_attack){
            attack_rates[i],
            sotto_account_attack(report->pairs, report->pair_count, attack_rates[i])};
    }
    return status;
}

/* Asks every accountant; one without an answer gives the reason. */
static sotto_status ask_accountants(plan_report *report, double delta, sotto_error *error)
{
    for (int i = 0; i < PLAN_ACCOUNTANTS; i++) {
        plan_opinion *opinion = &report->opinions[i];
        opinion->accountant = (sotto_accountant)(i + 1);
        opinion->status = sotto_account_epsilon(report->plan, opinion->accountant, delta,
                                                &opinion->account, &opinion->reason);
        if (opinion->status == SOTTO_OUT_OF_MEMORY)
            return cli_fail(error, opinion->status, "%s", opinion->reason.message);
        if (opinion->status != SOTTO_OK)
            sotto_error_spell(&opinion->reason, SOTTO_SPELL_OPTION, NULL, NULL);
    }
    return SOTTO_OK;
}

static sotto_status price_alone(const plan_report *report, const sotto_event *event,
                                double delta, plan_cost *cost, sotto_error *error)
{
    sotto_plan *alone = NULL;
    sotto_account account;
    sotto_status status =
        sotto_plan_new(sotto_plan_adjacency(report->plan), &alone, error);
    if (status == SOTTO_OK) status = sotto_plan_add(alone, event, error);
    if (status == SOTTO_OK)
        status = sotto_account_epsilon(alone, SOTTO_EXACT, delta, &account, error);
    sotto_plan_free(alone);
    cost->epsilon_alone = status == SOTTO_OK ? account.epsilon : SOTTO_UNSET;
    return status == SOTTO_UNREACHABLE ? SOTTO_OK : status;
}

/* Computes shares of the Renyi divergence at the order that prices the plan best. Without one
 * (delta 0) it uses an order so high that they are the shares of epsilon. */
static sotto_status find_costs(plan_report *report, double delta, sotto_error *error)
{
    const size_t size = sotto_plan_size(report->plan);
    const plan_opinion *rdp = &report->opinions[SOTTO_RDP - 1];
    double *shares = calloc(size, sizeof *shares);
    report->costs = calloc(size, sizeof *report->costs);
    sotto_status status = SOTTO_OK;
    if (shares == NULL || report->costs == NULL) {
        status = cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the events");
    }
    report->order = rdp->status == SOTTO_OK ? rdp->account.order : 1e6;
    if (status == SOTTO_OK)
        status = sotto_account_shares(report->plan, report->order, shares, error);
    for (size_t i = 0; i < size && status == SOTTO_OK; i++) {
        report->costs[i].share = shares[i];
        status = price_alone(report, sotto_plan_event(report->plan, i), delta,
                             &report->costs[i], error);
    }
    free(shares);
    return status;
}

static sotto_status read_plan(const char *path, sotto_plan **out_plan, sotto_error *error)
{
    char *json = NULL;
    size_t size_bytes = 0;
    sotto_error inner = {.status = SOTTO_OK};
    sotto_status status = cli_read_file("PLAN", path, PLAN_BYTES_MAX, SOTTO_PARSE, &json,
                                        &size_bytes, error);
    if (status != SOTTO_OK) return status;
    status = sotto_plan_parse(json, size_bytes, out_plan, &inner);
    free(json);
    if (status == SOTTO_OK) return SOTTO_OK;
    return cli_fail(error, status, "PLAN %.60s: %.180s", path, inner.message);
}

sotto_status plan_report_fill(plan_report *report, double delta, sotto_error *error)
{
    sotto_status status =
        sotto_account_epsilon(report->plan, SOTTO_EXACT, delta, &report->headline, error);
    if (status == SOTTO_OK) status = find_pairs(report, error);
    if (status == SOTTO_OK) status = ask_accountants(report, delta, error);
    if (status == SOTTO_OK) status = find_costs(report, delta, error);
    if (status == SOTTO_OK) {
        status =
            sotto_account_single_numbers(report->plan, &report->mu, &report->rho, error);
    }
    return status;
}

/* Refuses options of a training beside a file of events. */
static sotto_status check_strangers(const cli_call *call, sotto_error *error)
{
    static const char *const strangers[] = {
        "model", "forecast",           "public", "rows",  "theory", "excess", "labels",
        "query", "insecure-test-seed", "table",  "where", "compare"};
    if (cli_text(call, "plan") == NULL) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "PLAN is missing; give it, for example plan.json, or --schema "
                        "for a training");
    }
    const char *given = NULL;
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++)
        if (cli_given(call, strangers[i])) given = strangers[i];
    for (const cli_option *option = cli_training_options; option->name != NULL; option++)
        if (strcmp(option->name, "adjacency") != 0 && cli_given(call, option->name))
            given = option->name;
    if (given != NULL) {
        return cli_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "--%s is of a training, PLAN a file of events; leave one of them out", given);
    }
    if (cli_given(call, "delta")) return SOTTO_OK;
    return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                    "--delta is missing; give it, for example --delta 1e-6");
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    plan_report report = {.plan = NULL};
    if (cli_text(call, "schema") != NULL) return plan_training(call, error);
    sotto_plan *plan = NULL;
    sotto_status status = check_strangers(call, error);
    if (status == SOTTO_OK) status = read_plan(cli_text(call, "plan"), &plan, error);
    report.plan = plan;
    if (status == SOTTO_OK)
        status = plan_report_fill(&report, cli_number(call, "delta"), error);
    if (status == SOTTO_OK)
        status = plan_ask_ledger(call, cli_number(call, "delta"), &report, error);
    if (status == SOTTO_OK) {
        status = cli_flag(call, "json")
                     ? plan_report_json(&report, sotto_json_new(), error)
                     : plan_report_text(&report, error);
    }
    free(report.costs);
    sotto_plan_free(plan);
    return status;
}

static const cli_option *const shared[] = {cli_data_options, cli_training_options, NULL};

const cli_command cli_plan = {
    .name = "plan",
    .summary = "Compute the cost of a plan or a training; reads no data",
    .options = options,
    .shared = shared,
    .example = "sotto plan examples/plan.json --delta 1e-5",
    .run = run,
};
