/* sotto/model.h: a released model: read it, predict with it, score it, export it.
 *
 * Idea        A model file is JSON: version, schema, settings, coefficients as exact hexadecimal
 *             floats, and the certificate. It carries all that is needed to turn a row into a
 *             prediction. What is computed from a released model is post-processing: it reveals
 *             nothing more about the training rows.
 * Assumes     Rows given to predict are the caller's own affair: predictions on a private row tell
 *             about that row. Scores on private rows are a release: sotto_model_evaluate_data() is
 *             for public rows only; SOTTO_RELEASE_ACCURACY of sotto/release.h is for the others.
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

/* Reads a model file, all of it checked: version, schema, number of coefficients, finiteness, and
 * that its certificate, if it has one, is about these very bytes. What the certificate claims is
 * not recomputed here: sotto_certificate_verify() does. Free with sotto_model_free(). */
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

/* What was learned, and what it says of a row. */
SOTTO_API sotto_model_kind sotto_model_kind_of(const sotto_model *model);
SOTTO_API sotto_prediction sotto_model_predicts(const sotto_model *model);
/* Numbers a row: the classes for SOTTO_PREDICTS_PROBABILITIES, else 1. */
SOTTO_API size_t sotto_model_outputs(const sotto_model *model);

/* Features after encoding, the constant column last if there is one. */
SOTTO_API size_t sotto_model_dimension(const sotto_model *model);
/* Borrowed: "age", "town=Lund", "(intercept)", or "7" in a matrix. `index` below the dimension. */
SOTTO_API const char *sotto_model_feature(const sotto_model *model, size_t index);
/* Scores a row: 1, or one a class for softmax and a network of classes. */
SOTTO_API size_t sotto_model_margins(const sotto_model *model);
/* How many there are: margins times the dimension; of a network its parameters, of a concept its numbers. */
SOTTO_API size_t sotto_model_coefficients(const sotto_model *model);
/* The coefficient of the encoded feature `index`, of several draws their mean; of softmax class by class: that of a feature
 * for a class stands at class * dimension + feature; of a network layer by layer (networks.md). */
SOTTO_API double sotto_model_coefficient(const sotto_model *model, size_t index);
/* Draws of a posterior that the file has: 1 unless it was trained by posterior or regularized-em for
 * several. Each is a vector of sotto_model_coefficients() numbers. */
SOTTO_API size_t sotto_model_draws(const sotto_model *model);
/* `draw` below sotto_model_draws(), `index` as above. */
SOTTO_API double sotto_model_draw_coefficient(const sotto_model *model, size_t draw,
                                              size_t index);

/* Of a concept: what it says yes to, in words, "age >= 37"; "" for every other kind. Cut to the buffer, which has room
 * for a byte at least; 512 are enough for most. Returns `out`. */
SOTTO_API const char *sotto_model_concept(const sotto_model *model, char *out,
                                          size_t size_bytes);

/* ---- a concept by laplace: all counts that its epsilon paid for ----
 * The errors of every concept of the class on the training rows, each under discrete Laplace noise of the list's scale, as they were
 * released; the concept is the one with the first of the least. One list, or, of rectangles over three features and more, one a
 * feature: in each stand the rectangles with the sides that were taken before, all intervals of its feature, and open sides behind
 * it. Order of a list: concepts.md. */

/* 0: the model has no such counts. */
SOTTO_API size_t sotto_model_error_lists(const sotto_model *model);
/* Concepts in a list, which is below the number of lists; as everywhere below. */
SOTTO_API size_t sotto_model_error_count(const sotto_model *model, size_t list);
/* The noise's law is proportional to exp(-|x| / scale) on the whole numbers. */
SOTTO_API double sotto_model_error_scale(const sotto_model *model, size_t list);
/* `index` below the count. May be below 0: nothing is cut away. */
SOTTO_API int64_t sotto_model_noisy_errors(const sotto_model *model, size_t list,
                                           size_t index);
/* The places of the `many` concepts of the list with the least noisy errors, the least first; of equals the first. Writes
 * min(many, count) of them and returns how many. */
SOTTO_API size_t sotto_model_best_concepts(const sotto_model *model, size_t list,
                                           size_t many, size_t *out_indices);
/* What the concept at `index` says yes to, as sotto_model_concept(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_concept_at(const sotto_model *model,
                                                               size_t list, size_t index,
                                                               char *out,
                                                               size_t size_bytes,
                                                               sotto_error *error);

/* What is known of the errors that the concept makes on its training rows. */
typedef struct sotto_training_errors {
    int64_t noisy; /* its count; the least of many, so rather too low than too high */
    double scale;  /* of that noise */
    int64_t
        upper; /* it makes at most so many, with probability 1 - failure or more over the
                      noise: at most `noisy` plus scale ln(concepts/failure), whichever was chosen */
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

/* For each row what the model predicts: rows x sotto_model_outputs() numbers, row by row. Any row
 * has a prediction: a bad cell counts as missing, the target's cell is not looked at. Of several
 * draws it is the mean of what each predicts: of probabilities, scores or numbers. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_predict(const sotto_model *model,
                                                            const sotto_array *features,
                                                            double *out_values,
                                                            sotto_error *error);

/* A file, row after row, with bounded memory. The target column may be absent from the file. The
 * function gets the place of the predicted class (of two, with probabilities, the positive one
 * if its probability is at least `threshold`; of two by a score, the positive one from 0 on; of more the most probable;
 * 0 for numbers) and the outputs; anything but 0 ends the call with SOTTO_INTERRUPTED. A threshold
 * other than 0.5 is refused where it has no meaning. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_predict_data(
    const sotto_model *model, const sotto_data_file *file, double threshold,
    sotto_prediction_function function, void *context, sotto_error *error);

/* ---- several draws: how sure the model is ---- */

/* What each draw predicts: rows x draws x outputs numbers. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_model_predict_draws(const sotto_model *model, const sotto_array *features,
                          double *out_values, sotto_error *error);

/* Beside the prediction the interval that holds the share `level` of the posterior's predictions:
 * of k draws, sorted, those with the places i and k + 1 - i, i = floor((k + 1)(1 - level)/2). One more draw
 * would predict a number within it with probability (k + 1 - 2i)/(k + 1), which is at least `level`. Of a
 * number it is about the mean of such rows, not about a new observation, which varies around it. Each of
 * the three arrays has rows x outputs numbers. SOTTO_INVALID_ARGUMENT for fewer than
 * sotto_model_draws_needed(level) draws, and for a level that is not between 0 and 1. */
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

/* A C99 header, whole and without dependencies but <math.h> and <string.h>, with the function
 * NAME_predict() for one row, and NAME_probability(), NAME_probabilities() or NAME_score() behind it,
 * as the kind of model has them; `name` is a letter and up to 30 letters, digits and _. Compiled without fused products it has the bits of sotto_model_predict(), as far as exp()
 * does. Free with sotto_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_export_c(const sotto_model *model,
                                                             const char *name,
                                                             char **out_text,
                                                             sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
