/* commands/pate/pate.h: the common part of the three commands of PATE: the directory of
 * teachers, votes, the labels' file. */
#ifndef SOT_COMMANDS_PATE_PATE_H
#define SOT_COMMANDS_PATE_PATE_H

#include <sotto/model.h>
#include <sotto/pate.h>

#include "artifact/certificate/certificate.h"
#include "base/json/json.h"
#include "base/json/writer.h"
#include "data/batches/shards.h"
#include "data/source/source.h"

struct sotto_pate_result {
    char *json;
    char *text;
    char *certificate;
    /* of labels */
    uint64_t asked, answered;
    double realised, sensitive;
    double epsilon, delta; /* the guarantee */
    bool is_agreed;        /* the agreement was paid for */
    sotto_pate_agreement agreement;
    bool has_test;
    sotto_plan *plan;
    uint64_t *
        paid; /* answers paid for after 0, 1, ... queries: asked + 1 numbers; NULL: none */
    sotto_run_outcome outcome;
    struct sot_pair
        *kept; /* beside the ledger, until the result is taken; NULL: nothing */
};

/* A request's `public_rows`. sotto cannot check the declaration, so a certificate lists
 * it as an assumption. */
#define SOT_PATE_PUBLIC_ROWS "declared public"

/* Takes the texts over; "" for those that are NULL. */
SOTTO_MUST_CHECK sotto_status sot_pate_result_new(char *json, char *text,
                                                  char *certificate,
                                                  sotto_pate_result **out_result,
                                                  sotto_error *error);

/* ---- directory.c: the files beside the teachers ---- */

enum {
    SOT_PATE_PATH_BYTES = 1024,
    SOT_PATE_FILE_BYTES_MAX = 64 << 20,
    SOT_PATE_TEACHERS_MAX = SOT_SHARDS_MAX
};

/* Start with {0}; end with sot_pate_directory_close(). */
typedef struct sot_pate_directory {
    const char *path; /* borrowed */
    sot_sharding sharding;
    sotto_adjacency adjacency;
    uint64_t touched;
    sot_origin origin; /* of the rows that were taught with; 0: not known */
    char *settings;    /* of the teachers' training, as JSON: a run that resumes has the
                        * same */
    char *schema_json;
    char *ledger; /* of the schema that was taught with; NULL: none */
    sotto_schema *schema;
    int lock; /* descriptor of the directory, if `is_locked` */
    bool is_locked;
} sot_pate_directory;

/* Reads it and holds the shared lock until it is closed; SOTTO_IO when there is none, SOTTO_INVALID_ARGUMENT while
 * teachers are being written. */
SOTTO_MUST_CHECK sotto_status sot_pate_directory_open(const char *path,
                                                      sot_pate_directory *out_directory,
                                                      sotto_error *error);
/* Makes the directory and writes the members of `directory`, with a key sampled here (`rng`). An
 * existing directory must have the same members; its key is then used. Holds the exclusive lock
 * until the directory is closed: SOTTO_INVALID_ARGUMENT while another run holds one. */
SOTTO_MUST_CHECK sotto_status sot_pate_directory_make(sot_pate_directory *directory,
                                                      sotto_rng *rng, sotto_error *error);
void sot_pate_directory_close(sot_pate_directory *directory);

/* Stores the digest of the rows beside the teachers, or compares it with the stored one: a run
 * resumes only with the same rows. SOTTO_INVALID_ARGUMENT for others. */
SOTTO_MUST_CHECK sotto_status sot_pate_directory_check_rows(
    const sot_pate_directory *directory,
    const unsigned char digest[SOT_SHARD_DIGEST_BYTES], sotto_error *error);

/* <path>/<name>; false, with a message of the second, if it is too long. */
bool sot_pate_path(const sot_pate_directory *directory, const char *name,
                   char out[SOT_PATE_PATH_BYTES]);
sotto_status sot_pate_fail_long(const sot_pate_directory *directory, sotto_error *error);

/* ---- lock.c ---- */

/* flock(2) on the directory, for this run only (`alone`) or shared by those that read. It ends with the process. */
SOTTO_MUST_CHECK sotto_status sot_pate_directory_lock(sot_pate_directory *directory,
                                                      bool alone, sotto_error *error);
void sot_pate_directory_unlock(sot_pate_directory *directory); /* if it is locked */
/* Removes partial files, which hold teachers without noise. The directory is locked. */
SOTTO_MUST_CHECK sotto_status
sot_pate_directory_sweep(const sot_pate_directory *directory, sotto_error *error);

/* ---- teachers.c ---- */

/* <path>/teacher-00017.json; false if it is too long. */
bool sot_pate_teacher_path(const sot_pate_directory *directory, size_t teacher,
                           char out_path[SOT_PATE_PATH_BYTES]);
/* Sets whether this teacher is finished: files are written atomically. A file that does not begin
 * like a teacher's is not one. SOTTO_INVALID_ARGUMENT for a teacher of another ensemble, or
 * another teacher of this one. */
SOTTO_MUST_CHECK sotto_status sot_pate_teacher_find(const sot_pate_directory *directory,
                                                    size_t teacher, bool *out_is_finished,
                                                    sotto_error *error);
/* The teacher's file: its model, or that it is constant (`model_json` NULL), in a wrapping that no reader of models
 * takes. */
SOTTO_MUST_CHECK sotto_status sot_pate_teacher_write(const sot_pate_directory *directory,
                                                     size_t teacher,
                                                     const char *model_json,
                                                     sotto_error *error);
/* NULL for a constant one. */
SOTTO_MUST_CHECK sotto_status sot_pate_teacher_load(const sot_pate_directory *directory,
                                                    size_t teacher,
                                                    sotto_model **out_model,
                                                    sotto_error *error);

/* The certificate's unit where whole teachers come and go: no schema's unit is called so. */
#define SOT_PATE_UNIT_TEACHER "teacher"

/* ---- teach_text.c ---- */

/* Writes the output of a teaching, as lines and as JSON, to be freed with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_pate_teach_text(const sot_pate_directory *directory,
                                                  sotto_model_kind model, char **out_text,
                                                  char **out_json, sotto_error *error);

/* ---- votes.c ---- */

/* Checks that there are public rows for all queries: `skip` + `ask` of them; counts no
 * further. */
SOTTO_MUST_CHECK sotto_status sot_pate_count_rows(const sotto_data_file *file,
                                                  const sotto_schema *schema,
                                                  uint64_t skip, uint64_t ask,
                                                  sotto_error *error);

/* Secret. votes[query * classes + class]: `ask` queries. */
typedef struct sot_pate_votes {
    int64_t *votes;
    size_t queries, classes;
} sot_pate_votes;
void sot_pate_votes_clear(sot_pate_votes *votes); /* wipes */

/* Every teacher's vote on the rows skip, skip + 1, ... */
SOTTO_MUST_CHECK sotto_status sot_pate_vote(const sot_pate_directory *directory,
                                            const sotto_data_file *file, uint64_t skip,
                                            uint64_t ask, size_t threads,
                                            sot_pate_votes *out_votes,
                                            sotto_error *error);

/* A table of votes, opened up to its header, or its shape: config->votes or config->vote_array. */
typedef struct sot_pate_table sot_pate_table;
SOTTO_MUST_CHECK sotto_status sot_pate_table_open(const sotto_pate_label_config *config,
                                                  const sotto_target *target,
                                                  sot_pate_table **out_table,
                                                  sotto_error *error);
/* Rows that are not there have no votes: of a file. Memory has its shape, and too few rows were refused. */
SOTTO_MUST_CHECK sotto_status sot_pate_table_read(sot_pate_table *table, uint64_t skip,
                                                  uint64_t ask, sot_pate_votes *out_votes,
                                                  sotto_error *error);
void sot_pate_table_close(sot_pate_table *table); /* NULL is fine */

/* Checks a student. Its certificate must be valid, without a test seed unless the labels have
 * one too. A student without a certificate was trained on public rows, by the caller's
 * declaration. */
SOTTO_MUST_CHECK sotto_status sot_pate_check_student(const char *path, bool insecure_test,
                                                     sotto_error *error);
/* The student's probabilities of each class for the rows skip, skip + 1, ...: `ask` x classes, to be freed with
 * sot_free(). They are public. */
SOTTO_MUST_CHECK sotto_status sot_pate_student_rows(
    const char *path, const sotto_data_file *file, uint64_t skip, uint64_t ask,
    const sotto_target *target, double **out_probabilities, sotto_error *error);

/* ---- plot.c ---- */

enum { SOT_PATE_POINTS = 65, SOT_PATE_EVENTS_MAX = 3 };

/* A plan of labels: the agreement (if any), tests (if the aggregator has them) and answers are its events, in this order. */
typedef struct sot_pate_course {
    const sotto_plan *plan; /* borrowed */
    bool is_agreed, has_test;
    double delta;
} sot_pate_course;

/* Returns the epsilon of these numbers of queries and answers, and of the agreement, by
 * the exact accountant. 0 without any. */
SOTTO_MUST_CHECK sotto_status sot_pate_price(const sot_pate_course *course,
                                             uint64_t asked, uint64_t answers,
                                             double *out_epsilon, sotto_error *error);

/* Returns the number of queries, from 0 to `asked`, at point `index` of a curve. */
uint64_t sot_pate_point(uint64_t asked, size_t index);

/* The price along the way: answers[i] were paid for after sot_pate_point(asked, i) queries. */
SOTTO_MUST_CHECK sotto_status sot_pate_curve(const sot_pate_course *course,
                                             uint64_t asked,
                                             const uint64_t answers[SOT_PATE_POINTS],
                                             double out_epsilons[SOT_PATE_POINTS],
                                             sotto_error *error);

/* ---- labels.c: the labels' file ---- */

/* The released agreement of the teachers. */
typedef struct sot_pate_agreed {
    double noise; /* votes a query */
    double sigma; /* of the sums */
    uint64_t queries, teachers;
    size_t edge_count; /* 0: it was not paid for */
    int64_t edges[SOTTO_PATE_AGREEMENT_BINS_MAX + 1];
    int64_t sums[SOTTO_PATE_AGREEMENT_BINS_MAX];
} sot_pate_agreed;

/* The members beside the certificate. Borrowed when the file is written. */
typedef struct sot_pate_labels {
    const sotto_pate_config *vote;
    double epsilon, delta;
    const char *unit;
    const char *schema_json;
    const sotto_target *target;
    uint64_t teachers;        /* 0: not known */
    uint64_t first;           /* row of the first query */
    uint64_t ask, answers;    /* the caps */
    uint64_t asked, answered; /* the numbers of queries */
    const sot_pate_agreed *agreed;
    const uint64_t *rows;      /* that have a label */
    const size_t *classes;     /* which */
    const bool *is_reinforced; /* the student's own */
    size_t count;
} sot_pate_labels;
SOTTO_MUST_CHECK sotto_status sot_pate_labels_write(const sot_pate_labels *labels,
                                                    char **out_json, sotto_error *error);

/* A labels' file that was read. Start with {0}. */
typedef struct sot_pate_labels_file {
    sot_certificate_file file;
    bool is_open; /* `file` */
    sotto_schema *schema;
    double epsilon, delta;
    uint64_t asked, answered; /* queries */
    size_t count;
    size_t *rows;
    size_t *classes;
} sot_pate_labels_file;
/* Its certificate was recomputed, and holds but for the source of the noise. */
SOTTO_MUST_CHECK sotto_status sot_pate_labels_read(const char *path,
                                                   sot_pate_labels_file *out_file,
                                                   sotto_error *error);
/* The text of a file whose certificate is about these bytes; nothing else of it was checked. Messages begin with `name`. */
SOTTO_MUST_CHECK sotto_status sot_pate_labels_parse(const char *name, const char *text,
                                                    size_t size_bytes,
                                                    sot_pate_labels_file *out_file,
                                                    sotto_error *error);
/* Sets whether the text is JSON whose kind is "labels"; false for other texts. */
SOTTO_MUST_CHECK sotto_status sot_pate_is_labels(const char *text, size_t size_bytes,
                                                 bool *out_is_labels, sotto_error *error);

/* The beginning of the route in a student's certificate: the hash of the labels'
 * certificate follows. */
#define SOT_PATE_ROUTE "post-processing of the labels whose certificate has the hash "
void sot_pate_labels_close(sot_pate_labels_file *file);

/* The member "schema" through the schema's own reader. */
SOTTO_MUST_CHECK sotto_status sot_pate_read_schema(const char *name,
                                                   const sot_json_value *root,
                                                   sotto_schema **out_schema,
                                                   sotto_error *error);
/* "schema": that text, an object. */
SOTTO_MUST_CHECK sotto_status sot_pate_write_schema(const char *schema_json,
                                                    sot_json_writer *writer,
                                                    sotto_error *error);

/* Sets the settings of a training without noise: method none, on rows declared public to the
 * learner. Refuses settings of a private training; `who` is "teachers" or "the student". */
SOTTO_MUST_CHECK sotto_status sot_pate_plain_training(const char *who,
                                                      sotto_train_config *config,
                                                      sotto_error *error);

#endif
