/* release/model.h: a model file's content, and the steps between it and its JSON.
 *
 * Idea     A model file is a payload (what this header writes: kind, settings, schema, coefficients)
 *          and a certificate, which sotto_certificate_attach() adds. The payload is a function of
 *          the content alone, byte for byte. Coefficients are hexadecimal floats: exact.
 * File     docs/model.md
 */
#ifndef SOT_RELEASE_MODEL_H
#define SOT_RELEASE_MODEL_H

#include <stddef.h>

#include <sotto/accountant.h>
#include <sotto/ledger.h>
#include <sotto/model.h>
#include <sotto/train_config.h>

#include "data/encode.h"
#include "data/source.h"

enum {
    SOT_MODEL_VERSION = 1,       /* of the format; a reader refuses newer ones */
    SOT_MODEL_SETTINGS_MAX = 64, /* entries of `settings` */
    SOT_MODEL_WORD_BYTES = 64    /* of a model's, a method's or a setting's name */
};

/* No model has more features, the constant column included. */
#define SOT_MODEL_DIMENSION_MAX ((size_t)1 << 22)

/* One public number of the training: "lambda", "sigma", "steps" ... Written as null when it is not
 * finite. */
typedef struct sot_model_setting {
    const char *name; /* [a-z0-9_]+, each once */
    double value;
} sot_model_setting;

/* What a model file says beside its certificate. Everything is borrowed for the call. */
typedef struct sot_model_content {
    const char *model;  /* "logistic" */
    const char *method; /* "objective", ... "none" */
    /* The guarantee: of the whole training, as asked for. All unset (NaN, SOTTO_UNSET, 0) for a
     * model of public rows, which gets no certificate; else epsilon and adjacency are set, and
     * delta is too unless the training is pure. A verifier compares them with the certificate. */
    double epsilon;
    double delta; /* SOTTO_UNSET or 0: pure */
    sotto_adjacency adjacency;
    const char *unit; /* whom the guarantee is for, as in the certificate; NULL: "row" */
    const char *schema_json; /* of sotto_schema_to_json(), with the target; no ledger */
    const char *const *classes; /* the label set, in the schema's order */
    size_t class_count;
    const char *const
        *features;              /* one name a coefficient; NULL: not written (a matrix) */
    const double *coefficients; /* finite */
    size_t dimension;
    const sot_model_setting *settings;
    size_t setting_count;
} sot_model_content;

/* The payload: a JSON object without "certificate", one line. SOTTO_INVALID_ARGUMENT for content
 * that no reader would take (a coefficient that is not finite, too many features). Free with
 * sot_free(). A model of public rows is this text as it is. */
SOTTO_MUST_CHECK sotto_status sot_model_write(const sot_model_content *content,
                                              char **out_json, sotto_error *error);

/* ---- model_kind.c: what a kind of model predicts ---- */

/* What it makes of a target. A model with a loss of the caller's follows the target it was
 * trained for: classes if that has labels. `target` may be NULL for the other kinds. */
sot_target_role sot_model_role(sotto_model_kind kind, const sotto_target *target);

/* Margins a row, hence coefficients a feature: 1, or one a class for softmax. */
size_t sot_model_margins(sotto_model_kind kind, size_t classes);

/* A model that was read. */
struct sotto_model {
    sotto_schema *schema;
    sot_encoding *encoding; /* of the schema's own target */
    double *coefficients;   /* sot_encoding_dimension() of them, finite */
    /* Of the file without certificate.hash: what a true certificate states. */
    char hash[SOTTO_HASH_HEX_BYTES];
};

/* Reads rows one after another and gives what the model says of each. */
typedef struct sot_scorer {
    const sotto_model *model;
    sot_features features; /* room for one row */
} sot_scorer;

SOTTO_MUST_CHECK sotto_status sot_scorer_open(const sotto_model *model,
                                              sot_scorer *out_scorer, sotto_error *error);
void sot_scorer_close(sot_scorer *scorer); /* wipes the last row */

/* theta.x of the record's features: products and sums in double, in the order of the features. */
double sot_scorer_score(sot_scorer *scorer, const sot_record *record);

/* 1 / (1 + exp(-score)), to a few units in the last place however far from 0; never above 1. */
double sot_model_sigmoid(double score);

/* The second class if its probability is at least `threshold`. */
size_t sot_model_decide(double score, double threshold);

/* SOTTO_INVALID_ARGUMENT unless 0 <= threshold <= 1. */
SOTTO_MUST_CHECK sotto_status sot_model_check_threshold(double threshold,
                                                        sotto_error *error);

#endif
