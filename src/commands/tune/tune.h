/* commands/tune/tune.h: the common part of the files of a tuning: its plan, its runs, its
 * score, its texts. */
#ifndef SOT_COMMANDS_TUNE_TUNE_H
#define SOT_COMMANDS_TUNE_TUNE_H

#include <sotto/tune.h>

#include "commands/train/train.h"
#include "commands/tune/candidates.h"

enum { SOT_TUNE_ORDERS = 72 };

/* One candidate: its training, and the plan of that and of the score. */
typedef struct sot_tuned_run {
    sotto_training *training;
    sotto_plan *plan; /* NULL: public rows */
} sot_tuned_run;

/* Everything here follows from settings and schema. */
struct sotto_tuning {
    sotto_tune_config
        config;  /* its texts are borrowed only while it is made, except those below */
    char *space; /* the grid or search, as it was given */
    const sotto_schema *schema;        /* borrowed */
    const sot_training_inputs *inputs; /* borrowed; NULL: files are read */
    sot_candidates candidates;
    sot_tuned_run *runs;                   /* one a candidate */
    char skip_reason[SOTTO_MESSAGE_BYTES]; /* why the first candidate was skipped */
    double run_epsilon;                    /* that each training is calibrated to */
    const sotto_plan **distinct; /* of the runs' plans; room for one a candidate */
    sotto_selection selection;   /* the basis of the price: those */
    double orders[SOT_TUNE_ORDERS], curve[SOT_TUNE_ORDERS];
    sotto_event event;        /* the total cost: the one line of the plan */
    sotto_plan *plan;         /* NULL: public rows */
    double sampler_error;     /* of all trainings, on average over their number */
    double run_sampler_error; /* of the worst one */
    double delta;             /* that is certified */
    sotto_account account;    /* of the plan at that delta */
    char *json;
    char *text;
};

/* Settings and neighbours are one for all candidates: that of the first. */
static inline const sotto_training *sot_tuning_first(const sotto_tuning *tuning)
{
    return tuning->runs[0].training;
}

/* Public rows to score on: in a file, or in memory. */
static inline bool sot_tune_has_validation(const sotto_tune_config *config)
{
    return config->validation != NULL || config->validation_records != NULL;
}

static inline bool sot_tuning_is_public(const sotto_tuning *tuning)
{
    return tuning->config.train.data_is_public;
}

/* sotto_tuning_plan() with the content of files in place of the files; `inputs` NULL: these are read. */
SOTTO_MUST_CHECK sotto_status sot_tuning_plan_with(const sotto_tune_config *config,
                                                   const sotto_schema *schema,
                                                   const sot_training_inputs *inputs,
                                                   sotto_tuning **out_tuning,
                                                   sotto_error *error);

/* ---- request.c ---- */

/* The request of `sotto tune`; free with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_tuning_request(const sotto_tuning *tuning,
                                                 size_t winner,
                                                 const sot_session *session,
                                                 char **out_json, sotto_error *error);

/* Hashes the request into session->identity and session->asked. */
SOTTO_MUST_CHECK sotto_status sot_tuning_identify(const sotto_tuning *tuning,
                                                  sot_session *session,
                                                  sotto_error *error);
/* The winner of session->file, which an earlier process wrote, and its rule, if it is one. */
SOTTO_MUST_CHECK sotto_status sot_tuning_take_file(const sotto_tuning *tuning,
                                                   const sot_session *session,
                                                   size_t *out_winner, double *theta,
                                                   sotto_error *error);

/* The guarantee in the model file is the whole tuning's; its validation rows are the
 * training's. */
typedef struct sot_own_budget {
    double epsilon, delta;
} sot_own_budget;
sot_own_budget sot_tuning_dress(const sotto_tuning *tuning, sotto_training *training);
void sot_tuning_undress(sot_own_budget own, sotto_training *training);

/* ---- price.c ---- */

/* Finds the largest budget of one training with which the whole is within the budget asked for; fills in runs,
 * run_epsilon, event, plan, account. */
SOTTO_MUST_CHECK sotto_status sot_tuning_calibrate(sotto_tuning *tuning,
                                                   sotto_error *error);

/* Plans the training of every candidate with this budget; SOTTO_UNSET: public rows. */
SOTTO_MUST_CHECK sotto_status sot_tuning_plan_runs(sotto_tuning *tuning, double epsilon,
                                                   sotto_error *error);

/* After plan_runs() or calibrate() refused a candidate: skips those that are refused with the last budget that was
 * tried. False if that is none or all of them, or if one is refused at every budget: that is a mistake. A function of
 * settings and schema only, so that the list stays public. */
bool sot_tuning_skip_refused(sotto_tuning *tuning);

/* ---- score.c: a score on the rows that are learned from, which is a release ---- */

/* Adds the score's event to the plan of one training. */
SOTTO_MUST_CHECK sotto_status sot_tune_score_plan(const sotto_training *training,
                                                  double epsilon, sotto_plan *plan,
                                                  sotto_error *error);
/* Releases the noisy score of `theta`; the larger the better. */
SOTTO_MUST_CHECK sotto_status sot_tune_score_release(
    const sotto_training *training, double epsilon, sotto_gate *gate,
    const sot_matrix *matrix, const double *theta, double *out_score, sotto_error *error);
/* Returns the score on public rows, the larger the better. It is minus the Brier score of a model of
 * probabilities, the accuracy of another model of classes, or minus the root mean squared error. */
SOTTO_MUST_CHECK sotto_status sot_tune_score_public(const sotto_training *training,
                                                    const sot_matrix *matrix,
                                                    const double *theta,
                                                    double *out_score,
                                                    sotto_error *error);

/* "Brier score", "accuracy" or "root mean squared error". */
const char *sot_tune_score_name(const sotto_training *training);

/* Loads the validation rows, encoded; NULL if there are none. `file` or `records` has the
 * training rows, the other is NULL. */
SOTTO_MUST_CHECK sotto_status sot_tuning_load_validation(
    const sotto_tuning *tuning, const sotto_data_file *file, const sotto_records *records,
    sotto_rng *rng, sot_matrix **out_matrix, sotto_error *error);

/* ---- text.c ---- */

enum { SOT_TUNE_STATEMENT_BYTES = 1000 };

/* The origin of the settings, for the certificate. `winner` is the candidate that leaves. */
void sot_tuning_state(const sotto_tuning *tuning, size_t winner,
                      char out[SOT_TUNE_STATEMENT_BYTES]);
/* "lambda=1, steps=50" */
void sot_tuning_name(const sotto_tuning *tuning, size_t candidate,
                     char out[SOT_TUNE_TEXT_BYTES]);
SOTTO_MUST_CHECK sotto_status sot_tuning_describe(sotto_tuning *tuning,
                                                  sotto_error *error);
/* The summary of the winner, which is `summary` with lines behind it; free with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_tuning_summary(const sotto_tuning *tuning,
                                                 size_t winner, const char *summary,
                                                 char **out_text, sotto_error *error);

/* ---- public.c ---- */

/* The whole way for public rows. One of `file` and `records` is NULL. */
SOTTO_MUST_CHECK sotto_status sot_tune_public(
    sotto_tuning *tuning, const sotto_tune_config *config, const sotto_data_file *file,
    const sotto_records *records, sotto_train_result *result, sotto_error *error);

#endif
