/* sotto/tune.h: release the best of many trainings for one charge.
 *
 * Idea        A secret, random number of trainings is run, each with settings sampled from a
 *             public list. The one with the best score is released and the others are wiped. This
 *             costs two or three trainings, for any mean number. The settings epsilon and delta
 *             are those of the whole tuning; the budget of a single training follows from them.
 * Theorem     Papernot & Steinke, ICLR 2022, Thms 2 and 6, the latter with the outcome of no run
 *             (sotto/selection_cost.h). Proof note: best_run.md
 * Neighbours  config->train.adjacency.
 * Assumes     (1) List, distributions and schema were chosen without looking at the rows. (2)
 *             Validation rows are public. (3) The attacker does not observe the running time,
 *             which reveals the number of trainings.
 * Rounding    The budget of one training is rounded down, the total cost up. Docs: tuning.md
 */
#ifndef SOTTO_TUNE_H
#define SOTTO_TUNE_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/array.h>
#include <sotto/data_file.h>
#include <sotto/error.h>
#include <sotto/schema.h>
#include <sotto/selection_cost.h>
#include <sotto/train.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Start from sotto_tune_defaults(). Texts are borrowed for the call. */
typedef struct sotto_tune_config {
    size_t size; /* sizeof(sotto_tune_config): sotto_tune_defaults() sets it */
    sotto_train_config
        train; /* common settings of all trainings; epsilon and delta are of the whole tuning.
                * With data_is_public the rows are public, and nothing is charged */
    const char *grid; /* "lambda=0.1,1,10;steps=50,100": every combination */
    const char *
        search; /* "lambda=log:0.01:100;steps=int:10:1000": points sampled beforehand; one of the two */
    uint64_t candidates;  /* of a search: number of points; 0: 32 */
    uint64_t search_seed; /* of a search: public, the points follow from it */
    sotto_runs runs; /* distribution of the number of trainings; for private rows, has no
               * default */
    const char *validation;        /* public rows to score on; NULL: none */
    const char *validation_labels; /* beside it; NULL: none */
    const sotto_records
        *validation_records; /* public rows in memory, in place of the file; NULL: none */
    double
        score_epsilon; /* the score is a release on the private rows, pure, in each training; SOTTO_UNSET: the
                             validation rows are scored */
    uint64_t
        repeats; /* of public rows, with a private method: trainings of each candidate; 0: 5 */
} sotto_tune_config;

/* Nothing that carries privacy is set but the adjacency. */
SOTTO_API void sotto_tune_set_defaults(sotto_tune_config *out_config, size_t size_bytes,
                                       size_t train_bytes);
static inline sotto_tune_config sotto_tune_defaults(void)
{
    sotto_tune_config config;
    sotto_tune_set_defaults(&config, sizeof config, sizeof config.train);
    return config;
}

/* A planned tuning, from settings and schema only. Free with sotto_tuning_free().
 * SOTTO_UNREACHABLE: no budget of a single training is small enough. */
typedef struct sotto_tuning sotto_tuning;
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_tuning_plan(const sotto_tune_config *config,
                                                          const sotto_schema *schema,
                                                          sotto_tuning **out_tuning,
                                                          sotto_error *error);
SOTTO_API void sotto_tuning_free(sotto_tuning *tuning); /* NULL is fine */

/* Borrowed from the tuning: the plan that is charged, one event; NULL for public rows. */
SOTTO_API const sotto_plan *sotto_tuning_events(const sotto_tuning *tuning);
/* The candidates: their number, and the events of one training with each, including its
 * score; NULL for public rows. */
SOTTO_API size_t sotto_tuning_candidates(const sotto_tuning *tuning);
SOTTO_API const sotto_plan *sotto_tuning_run_events(const sotto_tuning *tuning,
                                                    size_t index);
/* Epsilon that one training is calibrated to, its score not included; SOTTO_UNSET for public rows. */
SOTTO_API double sotto_tuning_run_epsilon(const sotto_tuning *tuning);
/* For people, and as a JSON object. */
SOTTO_API const char *sotto_tuning_text(const sotto_tuning *tuning);
SOTTO_API const char *sotto_tuning_json(const sotto_tuning *tuning);

/* Makes the whole tuning: plan, charge, trainings, certificate, file. The result is that of one
 * training, the best. On public rows all candidates are trained on four fifths of them and scored
 * on the rest, or trained on all with validation rows. The text has the table. With the method
 * none the best is then trained on all rows and written. With other methods its settings are a
 * recommendation, and nothing is written. SOTTO_BUDGET_EXCEEDED: nothing was charged and no row
 * read. After any other failure the charge may stand. Free with sotto_train_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_tune_data(const sotto_tune_config *config,
                                                        const sotto_schema *schema,
                                                        const sotto_data_file *file,
                                                        sotto_train_result **out_result,
                                                        sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_tune_records(
    const sotto_tune_config *config, const sotto_schema *schema,
    const sotto_records *records, sotto_train_result **out_result, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
