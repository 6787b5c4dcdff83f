/* sotto/train.h: a private model from a table, in one call: plan, charge, learn, release, certify.
 *
 * Idea        A learner writes its plan from settings and schema alone; the ledger is charged; then
 *             rows are read, the learner computes, and every number leaves through the gate. The
 *             result is a model file with its certificate inside.
 * Methods     objective  objective perturbation: a random linear term is added to the objective,
 *                        and its minimiser released. Best in most settings.
 *             output     the minimiser itself, with noise.
 *             gd         noisy gradient descent: each step's gradient sum, with noise.
 *             posterior, regularized-em
 *                        draws instead of a minimiser: posterior.md.
 *             none       no noise; only for data declared public.
 *             Networks learn by sgd, with settings of their own: networks.md.
 * Theorem     Each method's own, with its proof, stands in the proof notes.
 * Neighbours  config->adjacency; a record is a row, or all rows of a unit when the schema has one.
 * Assumes     (1) The schema and every setting were chosen without looking at the rows; (2) whoever
 *             sees the model does not see how long the training took.
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
#include <sotto/schema.h>
#include <sotto/theory.h>
#include <sotto/train_config.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a training would do, from settings and schema alone: the plan that is charged, and the
 * settings that the rules filled in. */
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

/* What the same training would be worth: it is run `repeats` times on public rows (a file of the
 * same schema, or rows drawn from the schema when `file` is NULL and `rows` says how many), with
 * fresh noise, and scored on rows held back. Nothing is charged; no private row is read. */
typedef enum sotto_forecast_score {
    SOTTO_FORECAST_ACCURACY = 1, /* the share of right classes; larger is better */
    SOTTO_FORECAST_RMSE = 2      /* the root of the mean squared error, in the units of
                                    the target; smaller is better */
} sotto_forecast_score;
typedef struct sotto_forecast {
    uint64_t repeats;
    sotto_forecast_score score; /* what the numbers are, by the model */
    double mean, deviation;     /* over the repeats */
    double
        without_noise; /* of SOTTO_METHOD_NONE on the same rows; of the model hinge, which
                                   has no such method, that of svm */
    double trivial;    /* of always saying the commonest class, or the mean */
} sotto_forecast;
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_training_forecast_data(
    const sotto_training *training, const sotto_data_file *file, uint64_t rows,
    uint64_t repeats, sotto_forecast *out_forecast, sotto_error *error);

/* The numbers of this training that theory speaks about (sotto/theory.h): rows, coefficients, bounds of the
 * loss, budget. The radius is the setting's, or a guess. SOTTO_INVALID_ARGUMENT when nobody gave a
 * number of rows, or the training has no budget. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_training_theory(const sotto_training *training, sotto_theory_setting *out_setting,
                      sotto_error *error);

/* One rule for the noise of objective perturbation, applied to this training's data, lambda and budget, and the epsilon of
 * several such trainings at the training's delta. */
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

/* The whole way. The format follows from the schema and the name (sotto/data_file.h). With
 * config->stream the file is read again for every pass, and memory does not grow with its rows;
 * methods that need all rows at once refuse. SOTTO_BUDGET_EXCEEDED: nothing was charged and no row read. After any other failure
 * the charge may stand: the same call then goes on without another one. With a ledger, a training that was finished before
 * with the same settings, schema, data path and output is not made again: its output is read, and nothing is charged;
 * without an output there is nothing to read, and the call is refused. Free with
 * sotto_train_free(). */
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
/* A result of a data file that has no output file is kept beside the ledger until this is called: by then it should be
 * where it is needed. NULL is fine. */
SOTTO_API void sotto_train_free(sotto_train_result *result);
/* To be called before sotto_train_free() when the result could not be passed on: it stays kept, and the same call gives it
 * again without a charge. */
SOTTO_API void sotto_train_hold(sotto_train_result *result);

/* Borrowed from the result: the whole model file, a summary for people, the certificate for people
 * ("" when there is none). */
SOTTO_API const char *sotto_train_json(const sotto_train_result *result);
SOTTO_API const char *sotto_train_text(const sotto_train_result *result);
SOTTO_API const char *sotto_train_certificate(const sotto_train_result *result);

#ifdef __cplusplus
}
#endif
#endif
