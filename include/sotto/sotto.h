/* sotto/sotto.h: the front door: a private model, a statistic, a budget and their certificates, in 40 functions.
 *
 * Idea        Read a schema, pass rows, train. The library writes the plan from settings and schema, charges the
 * ledger,
 *             reads the rows, and gives back a model with its certificate. Everything else of the library has a
 *             header
 *             of its own, by subject: sotto/accountant.h, sotto/tune.h, sotto/pate.h, sotto/audit.h, sotto/report.h
 *             ...
 * Errors      A function that can fail returns a sotto_status and takes a sotto_error, which may be NULL. The message
 * names
 *             the setting, its value and the remedy, and never a record. Outputs are written on success only.
 * Ownership   A handle that a function gives out (`sotto_x **out_x`) belongs to the caller, who frees it with
 * sotto_x_free();
 *             a text (`char **out_text`) is freed with sotto_free(). A text or struct that is returned as `const *`
 *             belongs to the handle it came from. Freeing NULL is fine. Settings and paths are borrowed for the call.
 * Settings    Start from sotto_train_defaults(), sotto_release_defaults() or sotto_ledger_defaults(). Settings that
 * carry
 *             privacy have no default: epsilon, delta, bounds. A config begins with its size, so that a program keeps
 *             working with a later library that knows more settings.
 * Threads     A handle is used by one thread at a time. A model that is not changed may be shared.
 * Pages       Names that end in .md are pages of the installed documentation (share/doc/sotto).
 * Example     train.c in share/doc/sotto/examples: schema, training, file and predictions in 40 lines.
 */
#ifndef SOTTO_SOTTO_H
#define SOTTO_SOTTO_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/array.h>
#include <sotto/data_file.h>
#include <sotto/error.h>
#include <sotto/evaluation.h>
#include <sotto/event.h>
#include <sotto/ledger_settings.h>
#include <sotto/memory.h>
#include <sotto/progress.h>
#include <sotto/release_settings.h>
#include <sotto/train_settings.h>
#include <sotto/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- schema: the public description of the rows (schema.md) ---- */

typedef struct sotto_schema sotto_schema;

/* Reads a schema file. SOTTO_IO: it cannot be read; SOTTO_PARSE: it is no schema, and the message names the line. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_schema_load(const char *path,
                                                          sotto_schema **out_schema,
                                                          sotto_error *error);

/* Reads a schema from `size_bytes` bytes of JSON; messages begin with `name`. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_schema_parse(const char *name,
                                                           const char *json,
                                                           size_t size_bytes,
                                                           sotto_schema **out_schema,
                                                           sotto_error *error);

/* Describes features, dimension, norm bound, labels and warnings for a training with the schema.
 * As JSON and as text; either may be NULL. `target` names another column to predict; NULL: the
 * schema's. Reads no row. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_schema_describe(const sotto_schema *schema,
                                                              const char *target,
                                                              char **out_json,
                                                              char **out_text,
                                                              sotto_error *error);

/* Frees a schema, after the rows and calls that use it. */
SOTTO_API void sotto_schema_free(sotto_schema *schema);

/* ---- rows: a file, arrays or an Arrow stream ---- */

/* Where the rows are. Making one reads nothing: the file is opened by the call that uses it. */
typedef struct sotto_rows sotto_rows;

/* Names a file: CSV, TSV, JSON lines, LIBSVM, NPY, IDX or CIFAR-10, by its name and the schema (records.md). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_rows_from_file(const char *path,
                                                             sotto_rows **out_rows,
                                                             sotto_error *error);

/* Names a file that needs more than its path: labels beside it, a table of an SQLite database, a condition. The texts
 * are
 * copied. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_rows_from_data_file(
    const sotto_data_file *file, sotto_rows **out_rows, sotto_error *error);

/* Names a matrix in memory, and the label of each row. `labels` NULL: with a table's schema the
 * target is one of the columns, and predictions need none. The numbers are borrowed until the
 * rows are freed. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_rows_from_array(const sotto_array *features,
                                                              const sotto_array *labels,
                                                              sotto_rows **out_rows,
                                                              sotto_error *error);

/* Names records with all that sotto/array.h knows of them: units, sparse matrices, selected rows. The struct is
 * copied, its
 * numbers are borrowed until the rows are freed. A stream in it is taken over as by sotto_rows_from_arrow(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_rows_from_records(
    const sotto_records *records, sotto_rows **out_rows, sotto_error *error);

/* Moves an Arrow C stream into the rows: `stream->release` is NULL afterwards, also on failure.
 * One call reads it to its end; the next one refuses the rows. `in_memory`: the stream provides a
 * whole table in memory. Otherwise it counts as the result of a query. The number of rows is then
 * secret under both adjacencies, and a schema with a unit is refused. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_rows_from_arrow(struct ArrowArrayStream *stream, bool in_memory,
                      sotto_rows **out_rows, sotto_error *error);

/* Frees the rows, and releases a stream that no call has read. */
SOTTO_API void sotto_rows_free(sotto_rows *rows);

/* ---- training ---- */

/* Trains a model: plans, charges the ledger, reads the rows, learns, and certifies. With
 * config->output the complete model file is written before the call returns. The same call
 * resumes an interrupted charged training, without another charge. Without an output the model
 * exists only in the handle until sotto_model_save().
 *
 * SOTTO_BUDGET_EXCEEDED: the ledger refuses the charge, nothing was charged and no row read.
 * SOTTO_INVALID_ARGUMENT, SOTTO_UNSUPPORTED and SOTTO_UNREACHABLE name the setting. After any
 * other failure the charge may stand. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_train(const sotto_train_config *config,
                                                    const sotto_schema *schema,
                                                    const sotto_rows *rows,
                                                    sotto_model **out_model,
                                                    sotto_error *error);

/* Describes a training without running it: the settings that the default rules fill in, noise,
 * steps and warnings. As JSON and as text; either may be NULL. Reads no row and charges nothing.
 * Fails as sotto_train() would. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_train_plan(const sotto_train_config *config,
                                                         const sotto_schema *schema,
                                                         char **out_json, char **out_text,
                                                         sotto_error *error);

/* ---- the model (model.md) ---- */

/* Reads a model file. SOTTO_PARSE: it is none; SOTTO_VERIFICATION: it was changed after it was certified. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_load(const char *path,
                                                         sotto_model **out_model,
                                                         sotto_error *error);

/* Reads a model from the `size_bytes` bytes of its file; messages begin with `name`. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_parse(const char *name,
                                                          const char *json,
                                                          size_t size_bytes,
                                                          sotto_model **out_model,
                                                          sotto_error *error);

/* Writes the model file, complete or not at all. An existing file is replaced only with `overwrite`; a ledger and a
 * secret key
 * never are (sotto/output.h). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_save(const sotto_model *model,
                                                         const char *path, bool overwrite,
                                                         sotto_error *error);

/* Returns the text of the model file, with its certificate. */
SOTTO_API const char *sotto_model_json(const sotto_model *model);

/* Frees a model. */
SOTTO_API void sotto_model_free(sotto_model *model);

/* Returns the count of numbers that sotto_model_predict() gives for a row: one for each class where the model has
 * probabilities, else 1. */
SOTTO_API size_t sotto_model_outputs(const sotto_model *model);

/* Returns the number of classes; 0: the model predicts numbers. */
SOTTO_API size_t sotto_model_classes(const sotto_model *model);

/* Returns the name of a class; `index` is below sotto_model_classes(). With two classes
 * the second is the positive one. */
SOTTO_API const char *sotto_model_class(const sotto_model *model, size_t index);

/* Predicts for each row of a matrix: rows x sotto_model_outputs() numbers, row by row, into the caller's array. Every
 * row has a
 * prediction: a cell that makes no sense counts as missing. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_predict(const sotto_model *model,
                                                            const sotto_array *features,
                                                            double *out_values,
                                                            sotto_error *error);

/* Predicts for rows of any kind, one after another, with bounded memory for a file. The function gets the index of
 * the predicted class (0 for
 * numbers) and the outputs; SOTTO_INTERRUPTED if it returns anything but 0. `threshold` is the decision threshold on
 * the
 * probability of the second of two classes; 0.5 for every other model. The target may be absent from the rows. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_predict_rows(
    const sotto_model *model, const sotto_rows *rows, double threshold,
    sotto_prediction_function function, void *context, sotto_error *error);

/* Scores the model on PUBLIC rows with their labels; on private rows the scores would be a release. Clear the result
 * with
 * sotto_evaluation_clear(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_model_evaluate(const sotto_model *model, const sotto_rows *rows, double threshold,
                     sotto_evaluation *out_evaluation, sotto_error *error);

/* Frees the members of an evaluation, and zeroes it. */
SOTTO_API void sotto_evaluation_clear(sotto_evaluation *evaluation);

/* ---- certificates (certificate.md) ---- */

/* Verifies a model, a statistic or labels: plans the run again from the request in the file, and
 * recomputes every number. `ledger` (a ledger or its export) must have charged this file.
 * `signed_by` (a public key file, or "ed25519:...") must have signed it. NULL: not checked.
 * SOTTO_VERIFICATION names the first difference. `out_text` gets the certificate as text; NULL:
 * not needed. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_verify_file(const char *path,
                                                          const char *ledger,
                                                          const char *signed_by,
                                                          char **out_text,
                                                          sotto_error *error);

/* ---- one statistic (release.md) ---- */

/* Releases a count, sum, mean, histogram, quantile, choice ... of the rows, with its certificate. Charges and fails
 * as sotto_train()
 * does. Given scores, SOTTO_RELEASE_ACCURACY and conditions (`where`) need a file. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_release(const sotto_release_config *config,
                                                      const sotto_schema *schema,
                                                      const sotto_rows *rows,
                                                      sotto_release_result **out_result,
                                                      sotto_error *error);

/* Returns the number of values: one, or one for each bin or category; 0 for randomised answers, which only the JSON
 * has. */
SOTTO_API size_t sotto_release_size(const sotto_release_result *result);

/* Returns a value with its interval; `index` is below sotto_release_size(). */
SOTTO_API sotto_release_value sotto_release_at(const sotto_release_result *result,
                                               size_t index);

/* Returns the whole file: the values and their certificate. */
SOTTO_API const char *sotto_release_json(const sotto_release_result *result);

/* Frees a result. A result without an output file is kept beside its ledger until now: store it first. */
SOTTO_API void sotto_release_free(sotto_release_result *result);

/* ---- the budget (ledger.md) ---- */

/* Creates the ledger of a data set. Trainings and releases charge it: name it in the schema, or in config->ledger.
 * Never replaces a
 * file. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_init(
    const char *path, const sotto_ledger_config *config, sotto_error *error);

/* Reads the spent and the remaining budget, and the runs that still fit.
 * SOTTO_VERIFICATION: the ledger was changed by hand. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_read(
    const char *path, sotto_ledger_balance *out_balance, sotto_error *error);

/* Recomputes every charge and the chain of hashes. `expected_head` is a hash that must be on the chain, for example
 * from the last
 * certificate; NULL: none. SOTTO_VERIFICATION names the first row that does not hold. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_ledger_verify(const char *path,
                                                            const char *expected_head,
                                                            sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
