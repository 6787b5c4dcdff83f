/* sotto/release.h: one private statistic of a table, with its interval and its certificate.
 *
 * Idea        Settings and schema give a plan; the plan is charged to the ledger; then, and only
 *             then, the rows are read, the statistic goes through the gate, and a JSON file with
 *             the certificate comes out.
 * Theorem     Each statistic is one or two mechanisms on a function of the rows whose sensitivity
 *             follows from the schema alone: src/run/release.md has the claims and their proofs.
 * Neighbours  config->adjacency: one row more or less (the number of rows is secret), or one row
 *             exchanged (it is public). If the schema has a `unit`: all rows of one unit more or
 *             less, or exchanged for those of another; the number of rows is secret in both.
 * Assumes     (1) The schema was written without looking at the rows; (2) one person has one row,
 *             or one value of the `unit` of the schema; (3) whoever sees the output does not see how long
 *             the run took.
 * Rounding    Values are clipped to the schema's bounds and rounded to a public power-of-two
 *             grid; sums are exact integers. Docs: docs/release.md
 */
#ifndef SOTTO_RELEASE_H
#define SOTTO_RELEASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/array.h>
#include <sotto/data_file.h>
#include <sotto/error.h>
#include <sotto/ledger.h>
#include <sotto/model.h>
#include <sotto/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values are part of the ABI: written out and never renumbered. */
typedef enum sotto_statistic {
    SOTTO_STATISTIC_UNSET = 0,
    SOTTO_RELEASE_COUNT = 1,     /* how many rows */
    SOTTO_RELEASE_SUM = 2,       /* of a numeric column */
    SOTTO_RELEASE_MEAN = 3,      /* of a numeric column */
    SOTTO_RELEASE_HISTOGRAM = 4, /* rows in each category or bin */
    SOTTO_RELEASE_QUANTILE = 5,  /* of a numeric column */
    SOTTO_RELEASE_BOUNDS = 6,    /* powers of two that a numeric column lies between */
    SOTTO_RELEASE_RESPONSES = 7, /* one randomised answer a row */
    SOTTO_RELEASE_CHOICE = 8,    /* the best of public candidates */
    SOTTO_RELEASE_ACCURACY = 9   /* the share of rows that a model predicts right */
} sotto_statistic;

/* What makes a candidate good. */
typedef enum sotto_score {
    SOTTO_SCORE_GIVEN = 0,   /* a file of lines `candidate,score` */
    SOTTO_SCORE_COUNT = 1,   /* rows that have this value */
    SOTTO_SCORE_REVENUE = 2, /* price times rows that would pay it */
    SOTTO_SCORE_QUANTILE = 3 /* closeness of its rank to the wanted one */
} sotto_score;

/* Start from sotto_release_defaults(). Texts are borrowed for the call. */
typedef struct sotto_release_config {
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
    uint64_t bins;     /* histogram: so many bins between the bounds; 0: none */
    double quantile;   /* above 0, below 1, at most 3 decimals; has no default */
    sotto_score score; /* of a choice */
    const char *candidates; /* revenue, quantile: "9.99,12.5,20"; NULL: none */
    uint64_t sensitivity;   /* given scores: how far one row moves a score; no default */
    bool monotone;          /* given scores: one row moves all of them the same way */
    const char *ledger;     /* NULL: the schema's */
    const char *output;     /* file to write, replaced in one stroke; NULL: none */
    const char *sign;       /* file of the secret key that signs; NULL: none does */
    bool insecure_test;     /* noise from `test_seed`: the certificate says NOT PRIVATE */
    uint64_t test_seed;
    const sotto_model
        *model; /* accuracy: with its own schema, sotto_model_schema(); NULL: none */
    double threshold; /* accuracy: of the second class; default 0.5 */
    bool
        again; /* a new release, newly charged, though the ledger has the same one finished */
    bool overwrite; /* the output may replace a file that <sotto/output.h> protects */
} sotto_release_config;

/* Nothing that carries privacy is set but the adjacency, SOTTO_ADD_REMOVE. */
SOTTO_API sotto_release_config sotto_release_defaults(void);

/* What would be charged: from settings and schema alone, nothing else is opened. `schema` may be
 * NULL for given scores. Free with sotto_plan_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_release_plan(const sotto_release_config *config, const sotto_schema *schema,
                   sotto_plan **out_plan, sotto_error *error);

typedef struct sotto_release_result sotto_release_result;

/* The whole way: plan, header of the data file, charge, gate, rows, release, certificate, file.
 * SOTTO_BUDGET_EXCEEDED: nothing was charged and no row read. After any other failure the charge
 * may stand: the same call then goes on without another one. With a ledger, a release that was finished before with the same
 * settings, schema, data path and output is not made again: its output is read, and nothing is charged
 * (sotto_release_outcome()); without an output there is nothing to read, and the call is refused. Free with
 * sotto_release_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_release_run(
    const sotto_release_config *config, const sotto_schema *schema, const char *data_path,
    sotto_release_result **out_result, sotto_error *error);

/* The same for a file that needs more than its name: labels beside it, a query. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_release_data(
    const sotto_release_config *config, const sotto_schema *schema,
    const sotto_data_file *file, sotto_release_result **out_result, sotto_error *error);

/* The same for records in memory or an Arrow stream, which are borrowed for the call. They have no name: without an output
 * every call is a new release. Not for given scores and SOTTO_RELEASE_ACCURACY, which read files, and not with `where`:
 * hand over selected records and set `selected`. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_release_records(
    const sotto_release_config *config, const sotto_schema *schema,
    const sotto_records *records, sotto_release_result **out_result, sotto_error *error);

/* Frequencies behind the answers of SOTTO_RELEASE_RESPONSES, from the file it wrote: unbiased
 * estimates with standard errors and intervals. Reads no private data and costs nothing; the
 * result has no certificate. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_release_estimate(const char *answers_path, double confidence,
                       sotto_release_result **out_result, sotto_error *error);
/* A result that has no output file is kept beside the ledger until this is called: by then it should be where it is
 * needed. NULL is fine. */
SOTTO_API void sotto_release_free(sotto_release_result *result);
/* To be called before sotto_release_free() when the result could not be passed on: it stays kept, and the same call gives it
 * again without a charge. */
SOTTO_API void sotto_release_hold(sotto_release_result *result);
/* Whether this call made the release. */
SOTTO_API sotto_run_outcome sotto_release_outcome(const sotto_release_result *result);

/* Borrowed from the result: the whole JSON file, the same for people (without the certificate),
 * the certificate for people ("" when there is none). */
SOTTO_API const char *sotto_release_json(const sotto_release_result *result);
SOTTO_API const char *sotto_release_text(const sotto_release_result *result);
SOTTO_API const char *sotto_release_certificate(const sotto_release_result *result);

/* A released value: one, or one a bin or category. */
typedef struct sotto_release_value {
    const char *label; /* borrowed: "mean", a category, a bin, a chosen candidate */
    double value;      /* NaN when the label says it all */
    double lower;      /* interval, each by itself; NaN: none */
    double upper;
} sotto_release_value;

/* How many values there are; 0 for answers, which are in the JSON file alone. */
SOTTO_API size_t sotto_release_size(const sotto_release_result *result);

/* `index` must be below sotto_release_size(). */
SOTTO_API sotto_release_value sotto_release_at(const sotto_release_result *result,
                                               size_t index);

/* "count", "sum", ... as the command line spells them; "unknown" for other values. */
SOTTO_API const char *sotto_statistic_name(sotto_statistic statistic);
SOTTO_API const char *sotto_score_name(sotto_score score);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_score_from_name(const char *name,
                                                              sotto_score *out,
                                                              sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
