/* sotto/release_settings.h: the settings of one private statistic, and its values.
 *
 * Use         sotto/sotto.h, sotto/release.h; release.md
 */
#ifndef SOTTO_RELEASE_SETTINGS_H
#define SOTTO_RELEASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>
#include <sotto/evaluation.h>
#include <sotto/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values are part of the ABI: written out and never renumbered. */
typedef enum sotto_statistic {
    SOTTO_STATISTIC_UNSET = 0,
    SOTTO_RELEASE_COUNT = 1,     /* number of rows */
    SOTTO_RELEASE_SUM = 2,       /* of a numeric column */
    SOTTO_RELEASE_MEAN = 3,      /* of a numeric column */
    SOTTO_RELEASE_HISTOGRAM = 4, /* rows in each category or bin */
    SOTTO_RELEASE_QUANTILE = 5,  /* of a numeric column */
    SOTTO_RELEASE_BOUNDS = 6,    /* powers of two that a numeric column lies between */
    SOTTO_RELEASE_RESPONSES = 7, /* one randomised answer a row */
    SOTTO_RELEASE_CHOICE = 8,    /* the best of public candidates */
    SOTTO_RELEASE_ACCURACY = 9,  /* the share of rows that a model predicts right */
    SOTTO_RELEASE_SCORES =
        10 /* auc, log loss, recall and others of a model of two classes */
} sotto_statistic;

/* The score of a candidate. */
typedef enum sotto_score {
    SOTTO_SCORE_GIVEN = 0,   /* a file of lines `candidate,score` */
    SOTTO_SCORE_COUNT = 1,   /* rows that have this value */
    SOTTO_SCORE_REVENUE = 2, /* price times rows that would pay it */
    SOTTO_SCORE_QUANTILE = 3 /* closeness of its rank to the wanted one */
} sotto_score;

/* Start from sotto_release_defaults(). Texts are borrowed for the call. */
typedef struct sotto_release_config {
    size_t size; /* sizeof(sotto_release_config): sotto_release_defaults() sets it */
    sotto_statistic statistic;
    const char *column; /* NULL for a count and for scores from a file */
    double epsilon;     /* of the whole release; has no default */
    double delta;       /* SOTTO_UNSET: pure */
    sotto_mechanism
        mechanism; /* unset: SOTTO_DISCRETE_LAPLACE, with a delta SOTTO_GAUSSIAN;
                                  SOTTO_PERMUTE_AND_FLIP for a choice */
    sotto_adjacency adjacency; /* default SOTTO_ADD_REMOVE */
    uint64_t public_n;         /* rows of the file, declared public; 0: not said */
    const char *const *
        where; /* conditions as those of sotto_data_file.where, at most 64, all must hold;
                          NULL ends; NULL: all rows */
    double confidence; /* of intervals and accuracy; default 0.95 */
    const char *edges; /* histogram: bin edges, ascending: "0,18,65,110"; NULL: none */
    uint64_t bins;     /* histogram: number of bins between the bounds; 0: none */
    double quantile;   /* above 0, below 1, at most 3 decimals; has no default */
    sotto_score score; /* of a choice */
    const char *candidates; /* revenue, quantile: "9.99,12.5,20"; NULL: none */
    uint64_t
        sensitivity; /* given scores: largest change of a score by one row; no default */
    bool monotone;   /* given scores: one row moves all of them the same way */
    const char *ledger; /* NULL: the schema's */
    const char *output; /* file to write, replaced in one stroke; NULL: none */
    const char *sign;   /* file of the secret key that signs; NULL: none does */
    bool insecure_test; /* noise from `test_seed`: the certificate says NOT PRIVATE */
    uint64_t test_seed;
    const sotto_model *
        model; /* accuracy, scores: with its own schema, sotto_model_schema(); NULL: none */
    double threshold; /* accuracy, scores: of the second class; default 0.5 */
    bool
        again; /* a new release, newly charged, though the ledger has the same one finished */
    bool overwrite; /* the output may replace a file that <sotto/output.h> protects */
    size_t threads; /* 0: one per CPU; the result is the same for any number */
} sotto_release_config;

/* Nothing that carries privacy is set but the adjacency, SOTTO_ADD_REMOVE. */
SOTTO_API void sotto_release_set_defaults(sotto_release_config *out_config,
                                          size_t size_bytes);
static inline sotto_release_config sotto_release_defaults(void)
{
    sotto_release_config config;
    sotto_release_set_defaults(&config, sizeof config);
    return config;
}

/* A released value: one, or one a bin or category. */
typedef struct sotto_release_value {
    const char *label; /* borrowed: "mean", a category, a bin, a chosen candidate */
    double
        value; /* NaN when the label says it all, and for a score for which the noise is too large */
    double lower; /* interval, each by itself; NaN: none */
    double upper;
} sotto_release_value;

typedef struct sotto_release_result sotto_release_result;

#ifdef __cplusplus
}
#endif
#endif
