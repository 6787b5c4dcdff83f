/* artifact/model_file/model.h: a model file's content, and the steps between it and its JSON.
 *
 * Idea: a model file is a payload (written here: kind, settings, schema, coefficients) and a
 * certificate, which sotto_certificate_attach() adds. The payload is a function of only the
 * content, byte for byte. Coefficients are hexadecimal floats: exact.
 *
 * File: docs/reference/model.md
 */
#ifndef SOT_ARTIFACT_MODEL_FILE_MODEL_H
#define SOT_ARTIFACT_MODEL_FILE_MODEL_H

#include <stddef.h>

#include <sotto/accountant.h>
#include <sotto/ledger.h>
#include <sotto/model.h>
#include <sotto/model_kind.h>

#include "base/json/json.h"
#include "data/encode/encode.h"
#include "data/source/source.h"
#include "models/concept/classes/concept.h"
#include "models/kinds.h"
#include "models/network/layers/net.h"

enum {
    SOT_MODEL_VERSION = 6, /* of the format; a reader refuses newer ones. A file says the
                                    least that can read it: sot_model_version() */
    SOT_MODEL_DRAWS_MAX = 1000,
    SOT_MODEL_SETTINGS_MAX = 64, /* entries of `settings` */
    SOT_MODEL_WORD_BYTES = 64    /* of a model's, a method's or a setting's name */
};

/* No model has more coefficients, those of the constant column included. */
#define SOT_MODEL_DIMENSION_MAX ((size_t)1 << 22)

/* One public setting of the training: a number ("lambda", "sigma", "steps" ...), written as null when it is not finite, or a
 * word ("optimizer", "schedule" ...). */
typedef struct sot_model_setting {
    const char *name; /* [a-z0-9_]+, each once */
    double value;     /* unless it is a word */
    const char *word; /* [a-z0-9_-]+; NULL: it is a number */
} sot_model_setting;

/* The scores of a network on public rows while it was learned: a score after each of some steps. */
typedef struct sot_model_curve {
    uint64_t *steps; /* ascending, from 1 */
    double *scores;  /* accuracy; of numbers the root of the mean squared error */
    size_t count;    /* 0: there is none */
} sot_model_curve;
enum { SOT_MODEL_CURVE_MAX = 100000 };

/* The content of a model file beside its certificate. Everything is borrowed for the
 * call. */
typedef struct sot_model_content {
    const char *model;  /* "logistic", ... as sotto_model_kind_name() */
    const char *loss;   /* of a caller's loss: its name; else NULL */
    const char *method; /* "objective", ... "none" */
    /* The guarantee of the whole training, as requested. All unset (NaN, SOTTO_UNSET, 0) for a
     * model of public rows, which gets no certificate. Otherwise epsilon and adjacency are
     * set, and delta too unless the training is pure. A verifier compares them with the
     * certificate. */
    double epsilon;
    double delta; /* SOTTO_UNSET or 0: pure */
    sotto_adjacency adjacency;
    const char *unit; /* whom the guarantee is for, as in the certificate; NULL: "row" */
    const char *schema_json; /* of sotto_schema_to_json(), with the target; no ledger */
    const char *const *classes;  /* the label set, in the schema's order */
    size_t class_count;          /* 0: the model predicts numbers */
    const char *const *features; /* `dimension` names; NULL: not written (a matrix) */
    const double *coefficients;  /* margins x dimension, finite; of a network, its
                                     parameters, which floats hold exactly */
    size_t dimension;
    size_t margins;     /* 1, or the classes of softmax */
    const sot_net *net; /* of a network, its data norms filled in; else NULL */
    const sot_concept_class
        *concept; /* of a concept; else NULL; then `coefficients` are its numbers */
    sot_concept_errors errors; /* of one by laplace: whose least those are */
    size_t draws;              /* vectors of coefficients, one after another; 0: 1 */
    const char *sampler;       /* "proximal", ...: the name of the sampler; NULL: none */
    sot_model_curve curve;     /* of a network */
    const sot_model_setting *settings;
    size_t setting_count;
} sot_model_content;

/* The payload: a JSON object without "certificate", one line. SOTTO_INVALID_ARGUMENT for content
 * that no reader would take (a coefficient that is not finite, too many features). Free with
 * sot_free(). A model of public rows is this text as it is. */
SOTTO_MUST_CHECK sotto_status sot_model_write(const sot_model_content *content,
                                              char **out_json, sotto_error *error);

/* ---- kind.c: files by kind ---- */

/* Returns the format version of a kind's files. 6 for an additive model, 4 for a concept or a sampled model, else 1
 * logistic, 3 network, 2 every other. A concept with noisy errors has 5. */
int sot_model_version(sotto_model_kind kind, bool drawn, bool counted);

/* The reading of files of a kind: the features from the schema, the number of coefficients, the coefficients. */
typedef struct sot_model_format {
    int version;                 /* without draws and noisy errors */
    int counted_version;         /* with noisy errors; 0: it has none */
    const char *refused_sampler; /* remedy for a sampler; NULL: it may have one */
    sotto_status (*encode)(const sot_json_value *root, sotto_model *model,
                           sotto_error *error);
    sotto_status (*count)(sotto_model *model, sotto_error *error);
    sotto_status (*read)(const sot_json_value *root, sotto_model *model,
                         sotto_error *error);
} sot_model_format;

const sot_model_format *sot_model_format_of(sotto_model_kind kind);

/* A model that was read. */
struct sotto_model {
    sotto_schema *schema;
    sot_encoding *encoding; /* of the schema's own target */
    sotto_model_kind kind;
    sotto_adjacency adjacency; /* of its guarantee; 0: it has none */
    sotto_prediction prediction;
    size_t margins; /* a row */
    size_t outputs; /* numbers predicted a row */
    double *
        coefficients; /* draws x coefficient_count of them, finite; of a network floats */
    double *
        curves; /* of an additive model: sot_encoding_curves() of each vector; else NULL */
    size_t coefficient_count;   /* margins x sot_encoding_dimension(), net->parameters, or
                                     sot_concept_numbers() */
    sot_net *net;               /* of a network; else NULL */
    sot_concept_class *concept; /* of a concept; else NULL */
    sot_concept_errors errors;  /* of one by laplace; owned */
    size_t draws; /* 1, or several posterior samples: coefficients has them one after
                * another */
    char sampler[SOT_MODEL_WORD_BYTES]; /* the name of the sampler; "": none */
    sot_model_curve curve;              /* owned */
    char *json;                         /* the whole file, with a NUL behind it */
    /* Hash of the file without certificate.hash, as stated by a valid certificate. */
    char hash[SOTTO_HASH_HEX_BYTES];
};

/* Reads rows one after another and computes the prediction for each. */
typedef struct sot_scorer {
    const sotto_model *model;
    sot_features features; /* room for one row */
    double *margins;       /* theta.x, or a network's scores, of the last row; with
                            * several posterior samples those of the mean prediction:
                            * samples.c */
    double *outputs;       /* and the predictions: sotto_model_predict() */
    double *draw_margins;  /* several posterior samples: draws x margins; else NULL */
    double *draw_outputs;  /* and draws x outputs */
    size_t label;          /* of classes: the true one's place */
    double number;         /* of numbers: the true one */
    struct sot_rows_ahead *ahead; /* of a network: rows that are scored together */
    /* Called with each record when it is read, in their order, before it is scored; NULL:
     * none. */
    sotto_status (*on_record)(void *context, const sot_record *record,
                              sotto_error *error);
    void *on_record_context;
} sot_scorer;

SOTTO_MUST_CHECK sotto_status sot_scorer_open(const sotto_model *model,
                                              sot_scorer *out_scorer, sotto_error *error);
void sot_scorer_close(sot_scorer *scorer); /* wipes the last row */

/* Scores the next row of the source; *out_more is false if there is none. Fills margins, outputs,
 * label and number. Margins are products and sums in double, in the order of the features. For a
 * network they are floats, in the order of models/network/operations/operations.h, the same for a
 * row among any other rows. A network's rows are read ahead, a few hundred at a time. */
SOTTO_MUST_CHECK sotto_status sot_scorer_next(sot_scorer *scorer, sot_source *source,
                                              bool *out_more, sotto_error *error);

/* Computes the outputs of a row from the caller's `margins`, or with several posterior
 * samples from `draw_margins`; then `margins` too. */
void sot_scorer_conclude(sot_scorer *scorer);

/* All rows of a source, as sotto_model_predict_data() hands them to the function; the threshold was checked. */
SOTTO_MUST_CHECK sotto_status sot_model_predict_source(const sotto_model *model,
                                                       sot_source *source,
                                                       double threshold,
                                                       sotto_prediction_function function,
                                                       void *context, sotto_error *error);

/* The predicted class of the row that was read; 0 for a model of numbers. */
size_t sot_scorer_decide(const sot_scorer *scorer, double threshold);

/* Converts margins to predictions, as sotto_model_predict() does: model->outputs
 * numbers. */
void sot_model_outputs_of(const sotto_model *model, const double *margins,
                          double *out_outputs);

/* 1 / (1 + exp(-score)), to a few units in the last place however far from 0; never above 1. */
double sot_model_sigmoid(double score);

/* exp(margin) over their sum, for any margins; where some are not finite, nothing is said: all are equal. */
void sot_model_softmax(const double *margins, size_t count, double *out_probabilities);

/* coefficients.c: those of a model of features, one list, or one per class, or one per
 * posterior sample. Their number is known. */
SOTTO_MUST_CHECK sotto_status sot_model_read_coefficients(const sot_json_value *root,
                                                          sotto_model *model,
                                                          sotto_error *error);

/* ---- samples.c: several posterior samples ---- */

/* The members "draws", "sampler" and "heuristic", before the schema is read. */
SOTTO_MUST_CHECK sotto_status sot_model_read_draws(const sot_json_value *root,
                                                   sotto_model *model,
                                                   sotto_error *error);
/* From draw_margins of a row to draw_outputs, outputs and margins. */
void sot_scorer_join_draws(sot_scorer *scorer);
/* Return the mean over the posterior samples, and the standard deviation around it (0 for
 * one sample). */
double sot_model_mean_coefficient(const sotto_model *model, size_t index);
double sot_model_spread(const sotto_model *model, size_t index);
/* SOTTO_INVALID_ARGUMENT unless 0 < level < 1 and there are draws enough. */
SOTTO_MUST_CHECK sotto_status sot_model_check_level(const sotto_model *model,
                                                    double level, sotto_error *error);
/* Which of the sorted draws ends the interval, from 1; 0: there are too few. */
size_t sot_model_interval_place(size_t draws, double level);
/* Ends of the interval of the row that was read, of a checked level: model->outputs of each. Sorts in
 * `room` for draws numbers. */
void sot_scorer_interval(const sot_scorer *scorer, double level, double *room,
                         double *out_lower, double *out_upper);

/* SOTTO_INVALID_ARGUMENT unless 0 <= threshold <= 1, and unless it is 0.5 for a model that does not
 * distinguish two classes by a probability. */
SOTTO_MUST_CHECK sotto_status sot_model_check_threshold(const sotto_model *model,
                                                        double threshold,
                                                        sotto_error *error);

#endif
