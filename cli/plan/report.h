/* cli/plan/report.h: the answer of `sotto plan`, and its two forms. */
#ifndef SOTTO_CLI_PLAN_REPORT_H
#define SOTTO_CLI_PLAN_REPORT_H

#include <sotto/json.h>

#include <sotto/accountant.h>
#include <sotto/ledger.h>

#include "frame/frame.h"

enum { PLAN_PAIRS = 12, PLAN_ATTACKS = 4, PLAN_ACCOUNTANTS = 3 };

typedef struct plan_opinion {
    sotto_accountant accountant;
    sotto_status status; /* SOTTO_OK: `account` holds; else `reason` says why not */
    sotto_account account;
    sotto_error reason;
} plan_opinion;

typedef struct plan_attack {
    double false_positive_rate;
    double true_positive_rate; /* upper bound */
} plan_attack;

typedef struct plan_cost {
    double share;         /* of the plan's Renyi divergence */
    double epsilon_alone; /* of this event with its count, at the same delta; NaN: none */
} plan_cost;

typedef struct plan_report {
    const sotto_plan *plan;
    sotto_account headline;
    sotto_account pairs[PLAN_PAIRS]; /* certified pairs: the headline first */
    size_t shown_count;              /* of the pairs, for the table */
    size_t pair_count;               /* all, for the attack table */
    plan_attack attacks[PLAN_ATTACKS];
    plan_opinion opinions[PLAN_ACCOUNTANTS];
    double mu, rho;   /* NaN: none */
    double order;     /* at which the shares are taken */
    plan_cost *costs; /* one for each event */
    bool has_ledger;
    sotto_ledger_preview ledger; /* of --ledger */
} plan_report;

/* cli/plan/ledger.c: whether a ledger would admit the plan. `delta` is that of the guarantee; 0: pure. */
SOTTO_MUST_CHECK sotto_status plan_ask_ledger(const cli_call *call, double delta,
                                              plan_report *report, sotto_error *error);
void plan_show_ledger(const sotto_ledger_preview *preview);
void plan_add_ledger(sotto_json_writer *json, const sotto_ledger_preview *preview);

SOTTO_MUST_CHECK sotto_status plan_report_text(const plan_report *report,
                                               sotto_error *error);
/* Adds its members to those `json` has, prints and frees it. */
SOTTO_MUST_CHECK sotto_status plan_report_json(const plan_report *report,
                                               sotto_json_writer *json,
                                               sotto_error *error);

/* cli/plan/plan.c: everything but `plan`, from it; free() the costs, also after a failure. */
SOTTO_MUST_CHECK sotto_status plan_report_fill(plan_report *report, double delta,
                                               sotto_error *error);

/* cli/plan/training.c: `sotto plan --schema`. */
SOTTO_MUST_CHECK sotto_status plan_training(const cli_call *call, sotto_error *error);

#endif
