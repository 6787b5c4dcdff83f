/* sotto/pate.h: private aggregation of teacher ensembles (PATE).
 *
 * Idea        Teachers are trained without noise, each on its own shard. They label public rows
 *             by a noisy vote; only its result is released. A student learns from the labels:
 *             post-processing, at no cost.
 * Order       sotto_pate_teach(): private rows -> a directory of teachers, as secret as the rows.
 *             sotto_pate_label(): teachers and public rows -> labels with their certificate.
 *             sotto_pate_student(): labels and public rows -> a model with the labels' guarantee.
 * Theorem     One record is in one shard. The sharding rule bounds the number of teachers whose
 *             vote it moves (shards.md); then sotto/pate_cost.h. The certificate is for the
 *             charged plan: caps on the queries asked and answered, fixed before a vote is
 *             counted.
 * Neighbours  Those of the teaching: the adjacency and the sharding rule decide the number of teachers that one
 * record touches.
 * Assumes     (1) Schema, settings and public rows were chosen without looking at the private
 *             rows. (2) Only people who may see the rows see the directory of teachers. (3) The
 *             attacker does not observe the running time.
 * Docs        pate.md
 */
#ifndef SOTTO_PATE_H
#define SOTTO_PATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/array.h>
#include <sotto/data_file.h>
#include <sotto/error.h>
#include <sotto/ledger.h>
#include <sotto/memory.h>
#include <sotto/pate_agreement.h>
#include <sotto/pate_cost.h>
#include <sotto/schema.h>
#include <sotto/train_config.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result of a call. Free with sotto_pate_free(). */
typedef struct sotto_pate_result sotto_pate_result;
SOTTO_API void sotto_pate_free(sotto_pate_result *result); /* NULL is fine */
/* Borrowed: the written file (for teachers: their public facts), a summary for people, and the
 * certificate for people ("" for teachers, which have none). */
SOTTO_API const char *sotto_pate_json(const sotto_pate_result *result);
SOTTO_API const char *sotto_pate_text(const sotto_pate_result *result);
SOTTO_API const char *sotto_pate_certificate(const sotto_pate_result *result);

/* ---- teachers ---- */

/* Which shard a record is in. Values are part of the ABI. */
typedef enum sotto_pate_sharding {
    SOTTO_PATE_BY_RULE = 0,    /* by unit, place or content: the first that can be */
    SOTTO_PATE_BY_UNIT = 1,    /* a keyed hash of the schema's unit; 1 teacher, under
                                  replace-one 2 */
    SOTTO_PATE_BY_CONTENT = 2, /* of all that the record says; the same numbers. Equal
                                  records are in one shard */
    SOTTO_PATE_BY_PLACE = 3    /* by the row number; only for replace-one with a public
                                * number of rows; 1 teacher */
} sotto_pate_sharding;
SOTTO_API const char *sotto_pate_sharding_name(sotto_pate_sharding sharding);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_sharding_from_name(
    const char *name, sotto_pate_sharding *out_sharding, sotto_error *error);

typedef struct sotto_pate_teach_config {
    size_t
        size; /* sizeof(sotto_pate_teach_config): sotto_pate_teach_defaults() sets it */
    sotto_train_config
        training; /* of one teacher: method auto or none, without epsilon, delta, ledger and
                       output. Adjacency and public_n are those of the rows; expected_rows are of all
                       teachers together */
    uint64_t teachers; /* 2 to 65536; has no default */
    sotto_pate_sharding sharding;
    const char *directory; /* is created, mode 0700. A directory with the same settings is
                    * resumed: finished teachers stay; has no default */
} sotto_pate_teach_config;
/* The defaults. */
SOTTO_API void sotto_pate_teach_set_defaults(sotto_pate_teach_config *out_config,
                                             size_t size_bytes, size_t training_bytes);
static inline sotto_pate_teach_config sotto_pate_teach_defaults(void)
{
    sotto_pate_teach_config config;
    sotto_pate_teach_set_defaults(&config, sizeof config, sizeof config.training);
    return config;
}

/* Trains every teacher on its shard, one per thread. A teacher that cannot learn (for example,
 * its shard is empty) votes for the first class. Nothing is released: the directory is as secret
 * as the rows. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_teach(
    const sotto_pate_teach_config *config, const sotto_schema *schema,
    const sotto_data_file *file, sotto_pate_result **out_result, sotto_error *error);

/* ---- labels ---- */

typedef struct sotto_pate_label_config {
    size_t
        size; /* sizeof(sotto_pate_label_config): sotto_pate_label_defaults() sets it */
    sotto_pate_config
        vote;      /* aggregator and noise. With a directory, adjacency, unit, touched and
               * teachers come from it; a table of votes needs them. The purpose may be
               * NULL */
    uint64_t ask;  /* queries at most: public rows, in their order; has no default */
    uint64_t skip; /* rows before the first query */
    uint64_t answers; /* at most; 0: as many as epsilon has room for */
    double epsilon;   /* that the answers must fit; SOTTO_UNSET: `answers` is given */
    double delta;     /* has no default */
    sotto_pate_agreement_config
        agreement; /* agreement of the teachers on all `ask` rows, from the same epsilon; noise
                    * SOTTO_UNSET: not released. A table of votes needs vote.teachers */
    const char *directory; /* of teachers; NULL: a table of votes */
    const char *
        votes; /* CSV (NPY): a row a query; a column a class with its count, or columns teacher_1,
                   teacher_2, ... with labels, if `vote_labels`; NULL: none */
    const sotto_array *
        vote_array; /* the same table in memory; a label is its place among the classes. One of the three is
                   not NULL */
    bool vote_labels;
    const char
        *student; /* of Interactive: model file that gives probabilities; else NULL */
    const char *ledger; /* NULL: the schema's */
    const char *output; /* the labels' file, replaced in one stroke; NULL: none */
    const char *sign;   /* file of the secret key that signs; NULL: none does */
    bool
        again; /* a new run, newly charged, though the ledger has the same one finished */
    bool overwrite; /* the output may replace a file that <sotto/output.h> protects */
    bool show_sensitive; /* the data-dependent epsilon: for those who may see the rows */
    bool insecure_test;  /* noise from `test_seed`: the certificate says NOT PRIVATE */
    uint64_t test_seed;
    size_t threads; /* 0: one per CPU */
} sotto_pate_label_config;
/* The defaults. */
SOTTO_API void sotto_pate_label_set_defaults(sotto_pate_label_config *out_config,
                                             size_t size_bytes);
static inline sotto_pate_label_config sotto_pate_label_defaults(void)
{
    sotto_pate_label_config config;
    sotto_pate_label_set_defaults(&config, sizeof config);
    return config;
}

/* `schema` is for a table of votes (its target has the classes) and NULL for a directory, which has its own. `file`
 * is the public rows; NULL for a table of votes that needs none. Stops at the caps. SOTTO_BUDGET_EXCEEDED:
 * nothing was charged and no vote read. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_label_rows(
    const sotto_pate_label_config *config, const sotto_schema *schema,
    const sotto_data_file *file, sotto_pate_result **out_result, sotto_error *error);

/* The charged caps, and the number of queries asked and answered, which are outputs and public.
 * NaN and 0 for other results. */
SOTTO_API uint64_t sotto_pate_asked(const sotto_pate_result *result);
SOTTO_API uint64_t sotto_pate_answered(const sotto_pate_result *result);
/* Returns whether this call made the labels, or an earlier process that was charged for them. */
SOTTO_API sotto_run_outcome sotto_pate_run_outcome(const sotto_pate_result *result);
/* Epsilon of as many queries as were asked and answered, at the labels' delta: for information. It is a function of
 * the
 * outputs, and never the guarantee. */
SOTTO_API double sotto_pate_realised_epsilon(const sotto_pate_result *result);
/* SENSITIVE: a function of the votes. NaN unless it was asked for. Never publish it. */
SOTTO_API double sotto_pate_sensitive_epsilon(const sotto_pate_result *result);
/* Writes the agreement of the teachers if it was charged; otherwise returns false and writes nothing. */
SOTTO_API bool sotto_pate_agreed(const sotto_pate_result *result,
                                 sotto_pate_agreement *out_agreement);

/* Epsilon after each query, as SVG, by the same count: free with sotto_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_pate_plot(const sotto_pate_result *result,
                                                        char **out_svg,
                                                        sotto_error *error);

/* ---- the student ---- */

typedef struct sotto_pate_student_config {
    size_t
        size; /* sizeof(sotto_pate_student_config): sotto_pate_student_defaults() sets it */
    sotto_train_config
        training; /* method auto or none, without epsilon, delta and ledger; output is the
                       model file */
    const char *labels; /* the labels' file; has no default */
    uint64_t
        self_training; /* rounds of self-training: rows without a label get the student's
                        * prediction if its probability is high enough */
    double
        confidence; /* smallest probability of a pseudo-label; above 0.5; default 0.95 */
} sotto_pate_student_config;
/* The defaults. */
SOTTO_API void sotto_pate_student_set_defaults(sotto_pate_student_config *out_config,
                                               size_t size_bytes, size_t training_bytes);
static inline sotto_pate_student_config sotto_pate_student_defaults(void)
{
    sotto_pate_student_config config;
    sotto_pate_student_set_defaults(&config, sizeof config, sizeof config.training);
    return config;
}

/* A model of the rows that were labelled, and with self-training of those that were not. The file
 * carries the guarantee of the labels: it is post-processing of them, and its certificate says so and quotes
 * their hash. SOTTO_VERIFICATION for labels whose certificate does not hold. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_pate_student(const sotto_pate_student_config *config, const sotto_data_file *file,
                   sotto_pate_result **out_result, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
