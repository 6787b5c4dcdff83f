/* cli/plan/compare.h: `sotto plan --compare` and the line on the theorem: a training under other rules for its noise. */
#ifndef SOTTO_CLI_PLAN_COMPARE_H
#define SOTTO_CLI_PLAN_COMPARE_H

#include <sotto/json.h>

#include <sotto/train.h>

#include "frame/frame.h"

enum { PLAN_RULES = 5 };

typedef struct plan_compare {
    bool asked; /* --compare: all rules hold */
    bool
        is_sharper; /* the last two hold: this training needs less than the former theorem */
    double delta;                 /* at which epsilon is stated */
    sotto_rule rules[PLAN_RULES]; /* published ones first, the former theorem, this one */
} plan_compare;

/* Fills the rules that are shown. Without --compare that is the former theorem and this one, for trainings that use it. */
SOTTO_MUST_CHECK sotto_status plan_compare_find(const cli_call *call,
                                                const sotto_training *training,
                                                double delta, plan_compare *out,
                                                sotto_error *error);

/* "theorem   noise 0.52 of the former theorem's; ...", or nothing. */
void plan_compare_line(const plan_compare *compare);
/* The table of --compare. */
void plan_compare_text(const plan_compare *compare);
/* The members "comparison" and "theorem". */
void plan_add_compare(sotto_json_writer *json, const plan_compare *compare);
void plan_add_theorem(sotto_json_writer *json, const plan_compare *compare);

#endif
