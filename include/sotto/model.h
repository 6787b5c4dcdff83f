/* sotto/model.h: a released model: read it, predict with it, score it, export it.
 *
 * Idea        A model file is JSON: version, schema, settings, coefficients as exact hexadecimal
 *             floats, and the certificate. It carries all that is needed to turn a row into a
 *             prediction. What is computed from a released model is post-processing: it reveals
 *             nothing more about the training rows.
 * Assumes     Rows given to predict are the caller's own affair: predictions on a private row tell
 *             about that row. Scores on private rows are a release: sotto_model_evaluate_file() is
 *             for public rows only; SOTTO_RELEASE_ACCURACY of sotto/release.h is for the others.
 * File        docs/model.md
 */
#ifndef SOTTO_MODEL_H
#define SOTTO_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/array.h>
#include <sotto/error.h>
#include <sotto/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_model sotto_model;

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

/* Features after encoding, the constant column last if there is one. */
SOTTO_API size_t sotto_model_dimension(const sotto_model *model);
/* Borrowed: "age", "town=Lund", "(intercept)", or "7" in a matrix. `index` below the dimension. */
SOTTO_API const char *sotto_model_feature(const sotto_model *model, size_t index);
/* The coefficient of the encoded feature. */
SOTTO_API double sotto_model_coefficient(const sotto_model *model, size_t index);

/* The label set, in the schema's order; of two the second is the positive one. */
SOTTO_API size_t sotto_model_classes(const sotto_model *model);
SOTTO_API const char *sotto_model_class(const sotto_model *model,
                                        size_t index); /* borrowed */

/* For each row the probability of each class: rows x classes numbers, row by row. Any row has a
 * prediction: a bad cell counts as missing, the target's cell is not looked at. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_predict(const sotto_model *model,
                                                            const sotto_array *features,
                                                            double *out_probabilities,
                                                            sotto_error *error);

/* A file, row after row, with bounded memory. The target column may be absent from the file. The
 * function gets the place of the predicted class (the positive one if its probability is at least
 * `threshold`) and the probabilities; anything but 0 ends the call with SOTTO_INTERRUPTED. */
typedef int (*sotto_prediction_function)(size_t predicted, const double *probabilities,
                                         void *context);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_predict_file(
    const sotto_model *model, const char *path, double threshold,
    sotto_prediction_function function, void *context, sotto_error *error);

/* How well the model does on PUBLIC rows. No rows at all are refused. Eight bytes a row are kept,
 * for the auc. */
typedef struct sotto_evaluation {
    uint64_t rows;
    double accuracy;
    double
        log_loss; /* mean of -log P(true class), in nats; from the scores, nothing is cut off */
    double auc;   /* NaN when only one class is there */
    double brier; /* mean squared error of the probability of the positive class */
    uint64_t confusion[2][2]; /* [true class][predicted class] */
} sotto_evaluation;
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_model_evaluate_file(const sotto_model *model, const char *path, double threshold,
                          sotto_evaluation *out_evaluation, sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_evaluate_records(
    const sotto_model *model, const sotto_records *records, double threshold,
    sotto_evaluation *out_evaluation, sotto_error *error);

/* A C99 header, whole and without dependencies but <math.h> and <string.h>, with the functions
 * NAME_probability() and NAME_predict() for one row; `name` is a letter and up to 30 letters, digits
 * and _. Compiled without fused products it has the bits of sotto_model_predict(), as far as exp()
 * does. Free with sotto_model_free_text(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_export_c(const sotto_model *model,
                                                             const char *name,
                                                             char **out_text,
                                                             sotto_error *error);
SOTTO_API void sotto_model_free_text(char *text); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
