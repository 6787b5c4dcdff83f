/* sotto/train.h: a private model from a table, in one call: plan, charge, learn, release, certify.
 *
 * Idea        A learner writes its plan from settings and schema only, and the ledger is charged.
 *             Then rows are read, the learner computes, and every released number passes the
 *             gate. The result is a model file with its certificate.
 * Methods     - objective: objective perturbation. A random linear term is added to the objective,
 *               and its minimiser is released. Best in most settings.
 *             - output: the minimiser itself, with noise.
 *             - gd: noisy gradient descent. Each step's gradient sum has noise.
 *             - posterior, regularized-em: samples instead of a minimiser (posterior.md).
 *             - none: no noise; only for data declared public.
 *             Networks learn by sgd, with their own settings: networks.md.
 * Theorem     The proof note of each method.
 * Neighbours  config->adjacency; a record is a row, or all rows of a unit when the schema has one.
 * Assumes     (1) The schema and every setting were chosen without looking at the rows. (2) The
 *             attacker does not observe the running time.
 * Docs        training.md, choosing-parameters.md
 */
#ifndef SOTTO_TRAIN_H
#define SOTTO_TRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/array.h>
#include <sotto/data_file.h>
#include <sotto/error.h>
#include <sotto/ledger.h>
#include <sotto/progress.h>
#include <sotto/schema.h>
#include <sotto/theory.h>
#include <sotto/train_config.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A planned training, from settings and schema only: the plan that is charged, and the settings
 * filled in by default. */
typedef struct sotto_training sotto_training;
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_training_plan(const sotto_train_config *config, const sotto_schema *schema,
                    sotto_training **out_training, sotto_error *error);
SOTTO_API void sotto_training_free(sotto_training *training); /* NULL is fine */

/* Borrowed from the training. The plan is NULL for SOTTO_METHOD_NONE. */
SOTTO_API const sotto_plan *sotto_training_events(const sotto_training *training);
/* The filled-in settings as a JSON object, and as lines for people: method and why, lambda, noise,
 * norm bound, dimension, steps. */
SOTTO_API const char *sotto_training_json(const sotto_training *training);
SOTTO_API const char *sotto_training_text(const sotto_training *training);

/* A forecast: the same training is run `repeats` times on public rows, with fresh noise, and
 * scored on held-out rows. The public rows are a file of the same schema; if `file` is NULL,
 * `rows` rows are sampled from the schema. Nothing is charged; no private row is read. */
typedef enum sotto_forecast_score {
    SOTTO_FORECAST_ACCURACY = 1, /* the share of right classes; larger is better */
    SOTTO_FORECAST_RMSE = 2      /* the root of the mean squared error, in the units of
                                    the target; smaller is better */
} sotto_forecast_score;
/* A score of a model that gives classes a probability; NaN for other models. */
typedef struct sotto_forecast_part {
    double mean, deviation; /* over the repeats */
    double without_noise;
    double trivial; /* of giving every row the class shares; an AUC of 1/2 */
} sotto_forecast_part;
typedef struct sotto_forecast {
    uint64_t repeats;
    sotto_forecast_score score; /* the meaning of the numbers, by the model */
    double mean, deviation;     /* over the repeats */
    double
        without_noise; /* of SOTTO_METHOD_NONE on the same rows; of the model hinge, which
                                   has no such method, that of svm */
    double trivial;    /* of always saying the commonest class, or the mean */
    sotto_forecast_part auc;      /* of two classes */
    sotto_forecast_part log_loss; /* in nats; a probability below 2^-20 counts as 2^-20 */
    uint64_t
        rows; /* learned from: the expected or public number of rows, if it is set; public rows are
                    * repeated or left out for it */
    uint64_t held; /* rows held back for the score */
} sotto_forecast;
/* Half the width of Student's interval for the score of one more training on such rows, with a probability of 95%.
 * The held-out rows are the same, and scores are taken as normal. NaN below two repeats. */
SOTTO_API double sotto_forecast_reach(double deviation, uint64_t repeats);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_training_forecast_data(
    const sotto_training *training, const sotto_data_file *file, uint64_t rows,
    uint64_t repeats, sotto_forecast *out_forecast, sotto_error *error);
/* The same; `progress` (NULL: none) counts the trainings. SOTTO_INTERRUPTED if it asks to stop. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_training_forecast_watched(
    const sotto_training *training, const sotto_data_file *file, uint64_t rows,
    uint64_t repeats, sotto_progress_function progress, void *progress_context,
    sotto_forecast *out_forecast, sotto_error *error);

/* Fills in the numbers of this training for sotto/theory.h: rows, coefficients, bounds on the
 * loss, budget. The radius is the setting's, or an estimate. SOTTO_INVALID_ARGUMENT if the number
 * of rows is not set, or the training has no budget. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_training_theory(const sotto_training *training, sotto_theory_setting *out_setting,
                      sotto_error *error);

/* One calibration of objective perturbation, applied to this training's data, lambda and budget.
 * It includes the epsilon of several such trainings at the training's delta. */
enum { SOTTO_RULE_COUNTS = 3 }; /* 1, 5 and 20 trainings */
typedef struct sotto_rule {
    sotto_calibration calibration;
    sotto_adjacency adjacency; /* the training's; Chaudhuri's rule has replace-one */
    bool is_pure;              /* noise of density exp(-rate |b|/R), not Gaussian */
    bool applies;              /* false: `reason` says why, and no number is set */
    sotto_error reason;
    double lambda; /* the training's, or the smallest that the rule accepts */
    double sigma;  /* standard deviation of one coordinate of the noise b */
    double epsilon[SOTTO_RULE_COUNTS]; /* certified; infinite: no finite bound at delta */
} sotto_rule;

/* Compares rules: no record is read and nothing is charged. A rule keeps to its published claims. (epsilon, delta)
 * claims compose by the optimal theorem, loss bounds (Redberg, former, sharp) as distributions of the loss.
 * SOTTO_INVALID_ARGUMENT for a training by another method. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_training_rule(const sotto_training *training, sotto_calibration calibration,
                    sotto_rule *out_rule, sotto_error *error);
/* 1, 5 or 20 for index 0, 1 or 2. */
SOTTO_API uint64_t sotto_rule_count(size_t index);

typedef struct sotto_train_result sotto_train_result;

/* Makes the whole training. The format follows from the schema and the name (sotto/data_file.h).
 * With config->stream the file is read again for every pass, and memory does not grow with its
 * rows. Methods that need all rows at once refuse. SOTTO_BUDGET_EXCEEDED: nothing was charged and
 * no row read. After any other failure the charge may stand; the same call then resumes without
 * another charge. With a ledger, a finished training with the same settings, schema, data path
 * and output is not repeated. Its output is read, and nothing is charged. Without an output such
 * a call is refused. Free with sotto_train_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_train_data(const sotto_train_config *config,
                                                         const sotto_schema *schema,
                                                         const sotto_data_file *file,
                                                         sotto_train_result **out_result,
                                                         sotto_error *error);

/* The same for records in memory, which are borrowed for the call. They have no name: without an output every call is a new
 * training. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_train_records(
    const sotto_train_config *config, const sotto_schema *schema,
    const sotto_records *records, sotto_train_result **out_result, sotto_error *error);
/* Frees a result; NULL is fine. A result of a data file without an output file is stored beside
 * the ledger until this call. Save the result elsewhere first. */
SOTTO_API void sotto_train_free(sotto_train_result *result);
/* Call this before sotto_train_free() if the result could not be passed on. The result stays
 * stored, and the same call returns it again without a charge. */
SOTTO_API void sotto_train_hold(sotto_train_result *result);

/* Borrowed from the result: the whole model file, a summary for people, the certificate for people
 * ("" when there is none). */
SOTTO_API const char *sotto_train_json(const sotto_train_result *result);
SOTTO_API const char *sotto_train_text(const sotto_train_result *result);
SOTTO_API const char *sotto_train_certificate(const sotto_train_result *result);
/* Returns whether this call made the model, or an earlier process that was charged for it. */
SOTTO_API sotto_run_outcome sotto_train_outcome(const sotto_train_result *result);

#ifdef __cplusplus
}
#endif
#endif
