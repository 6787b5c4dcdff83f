/* cli/account/account.h: the parts of `sotto account`: the plan a question is about, the answer shown. */
#ifndef SOTTO_CLI_ACCOUNT_H
#define SOTTO_CLI_ACCOUNT_H

#include <stdint.h>

#include <sotto/accountant.h>

#include "frame/frame.h"
#include "frame/output.h"

/* cli/account/plan.c: the plan in the file of --plan, or one event made from the flags. A flag
 * the command does not have is left open for the search: `noise` has no --noise-multiplier,
 * `steps` no --count, `rate` no --rate. Free the plan with sotto_plan_free(). */
SOTTO_MUST_CHECK sotto_status account_plan_make(const cli_call *call,
                                                sotto_plan **out_plan,
                                                sotto_error *error);

/* Prints (epsilon, delta), which were rounded up, and the releases that they hold for. */
SOTTO_MUST_CHECK sotto_status account_show_guarantee(const cli_call *call, double epsilon,
                                                     double delta, const char *holds_for,
                                                     sotto_error *error);

typedef enum account_question {
    ACCOUNT_EPSILON = 1,
    ACCOUNT_DELTA = 2,
    ACCOUNT_NOISE = 3,
    ACCOUNT_STEPS = 4,
    ACCOUNT_RATE = 5
} account_question;

typedef struct account_answer {
    account_question question;
    sotto_account account;
    double target_epsilon;   /* of noise, steps and rate */
    double noise_multiplier; /* of noise */
    double scale;            /* of noise, discrete mechanisms; NaN: none */
    uint64_t steps;          /* of steps */
    double rate;             /* of rate */
    const char *calibration; /* of noise */
    bool has_second;         /* of --cross-check */
    sotto_account second;
} account_answer;

/* cli/account/show.c: prints the answer as text or as one JSON object. */
SOTTO_MUST_CHECK sotto_status account_show(const account_answer *answer, bool as_json,
                                           sotto_error *error);

/* cli/account/cross.c: asks exact and pld, and fails if both cannot be right; then shows the second one. */
SOTTO_MUST_CHECK sotto_status account_cross_check(const cli_call *call,
                                                  const sotto_plan *plan,
                                                  account_answer *answer,
                                                  sotto_error *error);
void account_cross_show(const account_answer *answer);
void account_cross_json(const account_answer *answer, sotto_json_writer *json);

/* cli/account/account.c: the index-th accountant of the library, NULL after the last. */
const char *account_accountant(size_t index);

/* cli/account/lecture.c: `noise --calibration lecture`, the course's noise beside the tight one. */
SOTTO_MUST_CHECK sotto_status account_lecture(const cli_call *call, sotto_error *error);

/* cli/account/compare.c: every accountant on one plan; and `epsilon --accountant gdp-clt`, which is
 * an approximation and says so. */
extern const cli_command account_compare;
SOTTO_MUST_CHECK sotto_status account_approximate(const cli_call *call,
                                                  sotto_error *error);

/* cli/account/amplify.c: the effect of sampling on an (epsilon, delta) release. */
extern const cli_command account_amplify;
extern const cli_command account_group;
extern const cli_command account_zcdp;

/* The tables of options that describe a whole plan, for commands in files of their own. */
extern const cli_option *const account_event_tables[];
extern const cli_option *const account_zcdp_tables[]; /* nor a mechanism's parameters */
const char *
account_noise_choice(size_t index); /* mechanisms whose noise is searched for */
extern const cli_option *const account_run_tables[]; /* without --accountant */

extern const cli_command account_curve;     /* cli/account/curve.c */
extern const cli_command account_selection; /* cli/account/selection.c */
extern const cli_command account_tree;      /* cli/account/tree.c */

#endif
