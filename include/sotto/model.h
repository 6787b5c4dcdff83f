/* sotto/model.h: a released model: read it, predict with it, score it, export it.
 *
 * Idea        A model file is JSON: version, schema, settings, coefficients as exact hexadecimal
 *             floats, and the certificate. Predictions need no other file. Any computation on a
 *             released model is post-processing: it reveals nothing more about the training rows.
 * Assumes     Rows to predict are not protected: a prediction on a private row reveals
 *             information about that row. Scores on private rows are a release.
 *             sotto_model_evaluate_data() is for public rows only; SOTTO_RELEASE_ACCURACY of
 *             sotto/release.h is for private rows.
 * File        model.md
 */
#ifndef SOTTO_MODEL_H
#define SOTTO_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/array.h>
#include <sotto/data_file.h>
#include <sotto/error.h>
#include <sotto/evaluation.h>
#include <sotto/memory.h>
#include <sotto/model_kind.h>
#include <sotto/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads and checks a model file: version, schema, number of coefficients, finiteness. Checks that
 * its certificate, if it has one, is for these bytes. Does not recompute the certificate's
 * claims; sotto_certificate_verify() does. Free with sotto_model_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_parse(const char *name,
                                                          const char *json,
                                                          size_t size_bytes,
                                                          sotto_model **out_model,
                                                          sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_load(const char *path,
                                                         sotto_model **out_model,
                                                         sotto_error *error);
SOTTO_API void sotto_model_free(sotto_model *model); /* NULL is fine */

/* Borrowed: the schema inside the file, with the target it was trained for. */
SOTTO_API const sotto_schema *sotto_model_schema(const sotto_model *model);

/* The kind of the model, and of its predictions. */
SOTTO_API sotto_model_kind sotto_model_kind_of(const sotto_model *model);
SOTTO_API sotto_prediction sotto_model_predicts(const sotto_model *model);
/* Numbers a row: the classes for SOTTO_PREDICTS_PROBABILITIES, else 1. */
SOTTO_API size_t sotto_model_outputs(const sotto_model *model);

/* Features after encoding, the constant column last if there is one. */
SOTTO_API size_t sotto_model_dimension(const sotto_model *model);
/* Borrowed: "age", "town=Lund", "(intercept)", or "7" in a matrix. `index` below the dimension. */
SOTTO_API const char *sotto_model_feature(const sotto_model *model, size_t index);
/* Number of scores of a row: 1, or one per class for softmax and a network of classes. */
SOTTO_API size_t sotto_model_margins(const sotto_model *model);
/* Number of coefficients: margins times the dimension; of a network its parameters, of a concept its numbers. */
SOTTO_API size_t sotto_model_coefficients(const sotto_model *model);
/* Returns the coefficient of the encoded feature `index`; the mean of several posterior samples.
 * Softmax: a feature's coefficient for a class is at class * dimension + feature. Networks: layer
 * by layer (networks.md). */
SOTTO_API double sotto_model_coefficient(const sotto_model *model, size_t index);
/* Number of posterior samples in the file: 1 unless it was trained by posterior or regularized-em for
 * several. Each is a vector of sotto_model_coefficients() numbers. */
SOTTO_API size_t sotto_model_draws(const sotto_model *model);
/* `draw` below sotto_model_draws(), `index` as above. */
SOTTO_API double sotto_model_draw_coefficient(const sotto_model *model, size_t draw,
                                              size_t index);

/* A concept in words: "age >= 37"; "" for every other kind. Truncated to the buffer, which has
 * room for at least one byte; 512 are enough for most. Returns `out`. */
SOTTO_API const char *sotto_model_concept(const sotto_model *model, char *out,
                                          size_t size_bytes);

/* Writes the contributions of bins to the score as JSON, one object per column. "column" is its name, or its place in a
 * matrix. A number has "lower", "upper" and "edges"; a category or boolean has "values". "adds" has one list per margin, with
 * one number per bin: the mean of several posterior samples. SOTTO_UNSUPPORTED for models that are not additive. Free with
 * sotto_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_curves(const sotto_model *model,
                                                           char **out_json,
                                                           sotto_error *error);

/* ---- a concept by laplace: the released noisy counts ----
 *
 * The errors of every concept of the class on the training rows, with discrete Laplace noise of
 * the list's scale. The model's concept is the first one with the smallest count. There is one
 * list, or one per feature for rectangles over three or more features. The list of a feature has
 * one rectangle for each interval of that feature. Earlier features have the sides already
 * chosen, later ones are unbounded. Order of a list: concepts.md. */

/* 0: the model has no such counts. */
SOTTO_API size_t sotto_model_error_lists(const sotto_model *model);
/* Concepts in a list, which is below the number of lists; as everywhere below. */
SOTTO_API size_t sotto_model_error_count(const sotto_model *model, size_t list);
/* The noise distribution is proportional to exp(-|x| / scale) on the whole numbers. */
SOTTO_API double sotto_model_error_scale(const sotto_model *model, size_t list);
/* `index` is below the count. May be negative: counts are not clipped. */
SOTTO_API int64_t sotto_model_noisy_errors(const sotto_model *model, size_t list,
                                           size_t index);
/* The places of the `many` concepts of the list with the least noisy errors, the least first; of equals the first.
 * Writes min(many, count) of them and returns their number. */
SOTTO_API size_t sotto_model_best_concepts(const sotto_model *model, size_t list,
                                           size_t many, size_t *out_indices);
/* Describes the concept at `index` as sotto_model_concept() does. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_concept_at(const sotto_model *model,
                                                               size_t list, size_t index,
                                                               char *out,
                                                               size_t size_bytes,
                                                               sotto_error *error);

/* Bounds on the errors of the concept on its training rows. */
typedef struct sotto_training_errors {
    int64_t noisy; /* its count; the least of many, so rather too low than too high */
    double scale;  /* of that noise */
    int64_t
        upper; /* upper bound on the errors, with probability at least 1 - failure over the noise:
                * `noisy` plus scale ln(concepts/failure), for every choice */
} sotto_training_errors;
/* SOTTO_UNSUPPORTED for a model without counts; SOTTO_INVALID_ARGUMENT unless 0 < failure < 1. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_model_training_errors(const sotto_model *model, double failure,
                            sotto_training_errors *out_errors, sotto_error *error);

/* The label set, in the schema's order; of two the second is the positive one. None for a model of
 * numbers. */
SOTTO_API size_t sotto_model_classes(const sotto_model *model);
SOTTO_API const char *sotto_model_class(const sotto_model *model,
                                        size_t index); /* borrowed */

/* Writes the predictions: rows x sotto_model_outputs() numbers, row by row. Every row has a
 * prediction: an invalid cell counts as missing, and the target's cell is ignored. With several
 * posterior samples it is the mean of their predictions: of probabilities, scores or numbers. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_predict(const sotto_model *model,
                                                            const sotto_array *features,
                                                            double *out_values,
                                                            sotto_error *error);

/* Predicts for a file row by row, with bounded memory. The target column may be absent from the
 * file. The function receives the index of the predicted class and the outputs. With two classes
 * it is the positive class if its probability is at least `threshold`, or its score at least 0.
 * With more classes it is the most probable one; for numbers it is 0. Any result of the function
 * but 0 ends the call with SOTTO_INTERRUPTED. A threshold other than 0.5 is refused if the model
 * has no probability of a second class. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_predict_data(
    const sotto_model *model, const sotto_data_file *file, double threshold,
    sotto_prediction_function function, void *context, sotto_error *error);

/* ---- several posterior samples: uncertainty of the prediction ---- */

/* Writes the prediction of each posterior sample: rows x samples x outputs numbers. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_model_predict_draws(const sotto_model *model, const sotto_array *features,
                          double *out_values, sotto_error *error);

/* Also writes the interval that holds the share `level` of the posterior's predictions. It takes
 * the sorted samples, k in all, with the places i and k + 1 - i, i = floor((k + 1)(1 - level)/2).
 * One more sample would predict a number within it with probability (k + 1 - 2i)/(k + 1), which
 * is at least `level`. For a number the interval is about the mean of such rows, not about a new
 * observation, which varies around it. Each of the three arrays has rows x outputs numbers.
 * SOTTO_INVALID_ARGUMENT for fewer than sotto_model_draws_needed(level) samples, and for a level
 * that is not between 0 and 1. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_predict_interval(
    const sotto_model *model, const sotto_array *features, double level,
    double *out_values, double *out_lower, double *out_upper, sotto_error *error);
/* 2 / (1 - level) - 1, rounded up; 0 for a level that is not between 0 and 1. */
SOTTO_API uint64_t sotto_model_draws_needed(double level);

/* The same for a file, row after row; otherwise as sotto_model_predict_data(). */
typedef int (*sotto_interval_function)(size_t predicted, const double *outputs,
                                       const double *lower, const double *upper,
                                       void *context);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_predict_interval_data(
    const sotto_model *model, const sotto_data_file *file, double threshold, double level,
    sotto_interval_function function, void *context, sotto_error *error);

/* Scores the model on PUBLIC rows (sotto/evaluation.h). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_evaluate_data(
    const sotto_model *model, const sotto_data_file *file, double threshold,
    sotto_evaluation *out_evaluation, sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_evaluate_records(
    const sotto_model *model, const sotto_records *records, double threshold,
    sotto_evaluation *out_evaluation, sotto_error *error);
SOTTO_API void sotto_evaluation_clear(sotto_evaluation *evaluation); /* frees, zeroes */

/* Writes a self-contained C99 header, which needs only <math.h> and <string.h>. It has the
 * function NAME_predict() for one row, and by the kind of model NAME_probability(),
 * NAME_probabilities() or NAME_score(). `name` is a letter and up to 30 letters, digits and _.
 * Compiled without fused multiply-add it gives the bits of sotto_model_predict(), if exp() is the
 * same. Free with sotto_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_export_c(const sotto_model *model,
                                                             const char *name,
                                                             char **out_text,
                                                             sotto_error *error);

/* Writes a linear or additive model of a table as one SQL expression over its columns. SQLite (with its
 * mathematical functions), PostgreSQL and DuckDB read it. Its value is the probability of the second class, the score,
 * or the number.
 * `table` stands before each column; NULL: none. SOTTO_UNSUPPORTED for models with a score for each class, networks,
 * concepts, several posterior samples, a schema without names, and columns of dates. Free with sotto_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_export_sql(const sotto_model *model,
                                                               const char *table,
                                                               char **out_text,
                                                               sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
