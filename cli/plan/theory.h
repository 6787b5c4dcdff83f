/* sotto plan --theory: bounds of the excess risk, as text and JSON. */
#ifndef SOTTO_CLI_PLAN_THEORY_H
#define SOTTO_CLI_PLAN_THEORY_H

#include <sotto/json.h>

#include <sotto/train.h>

#include "frame/frame.h"

typedef struct plan_theory {
    bool asked;
    sotto_theory_setting setting;
    sotto_theory_bounds bounds;
} plan_theory;

/* Reads --theory, --excess and --failure; without the first nothing is asked. */
SOTTO_MUST_CHECK sotto_status plan_theory_find(const cli_call *call,
                                               const sotto_training *training,
                                               plan_theory *out_theory,
                                               sotto_error *error);
void plan_theory_text(const plan_theory *theory);
void plan_add_theory(sotto_json_writer *json, const plan_theory *theory);

#endif
