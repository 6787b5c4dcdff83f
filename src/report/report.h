/* report/report.h: the facts of a report, where they come from, and the sections they make.
 *
 * Idea     Facts first, page after: sot_report holds everything the page shows, gathered from the
 *          model file and its certificate (here), the ledger (ledger.c), public rows
 *          (scores.c) and trainings on them (commands/report/report.c). sot_report_write() is a function
 *          of these facts alone. A missing part is stated in its place.
 * Page     docs/howto/report.md
 */
#ifndef SOT_REPORT_REPORT_H
#define SOT_REPORT_REPORT_H

#include <sotto/pate_agreement.h>

#include "artifact/certificate/certificate.h"
#include "artifact/model_file/model.h"
#include "base/growing.h"

enum {
    SOT_REPORT_POINTS_MAX = 9, /* of the epsilon-accuracy curve */
    SOT_REPORT_BINS_MAX = 10,  /* of the calibration plot */
    SOT_REPORT_CLASSES_SHOWN = 20,
    SOT_REPORT_ENTRIES_SHOWN = 40,
    SOT_REPORT_COEFFICIENTS_SHOWN = 30,
    SOT_REPORT_IMAGES_MAX = 100,
    SOT_REPORT_IMAGE_SIDE = 32 /* pixels that an image is shown with, at most */
};

/* ---- the ledger ---- */

typedef struct sot_report_entry {
    sotto_ledger_kind kind;
    uint64_t row;
    int64_t time_seconds;
    char text[SOTTO_LEDGER_TEXT_BYTES];
    double charged, budget, spent; /* as in sotto_ledger_entry */
    bool is_own;                   /* the charge of this very model */
} sot_report_entry;

typedef struct sot_report_ledger {
    sotto_ledger_balance balance;
    sot_report_entry *entries; /* without commits, oldest first */
    size_t count, room;
    size_t unstated;  /* charged runs that do not state the source of their noise */
    bool has_own;     /* this model's output is on the chain */
    bool is_anchored; /* the head that the certificate quotes is on the chain */
    char reason[SOTTO_MESSAGE_BYTES]; /* why it is not */
} sot_report_ledger;

/* Opens and reads the ledger, which verifies its chain. `hash` is the model's (NULL: none; then every charge is recomputed),
 * `head` the one its certificate quotes (NULL: none). Release with sot_report_ledger_clear(), also after failure. */
SOTTO_MUST_CHECK sotto_status sot_report_ledger_read(const char *path, const char *hash,
                                                     const char *head,
                                                     sot_report_ledger *out_ledger,
                                                     sotto_error *error);
void sot_report_ledger_clear(sot_report_ledger *ledger);

/* ---- public rows ---- */

/* Rows whose predictions are neighbours: predictions and true values. */
typedef struct sot_report_bin {
    uint64_t rows;
    double said, found; /* means */
    double lower,
        upper; /* 95% interval of `found`: Wilson's for shares, normal for numbers */
} sot_report_bin;

/* A public row that is an image, and the model's prediction. */
typedef struct sot_report_image {
    uint64_t row; /* of the file, from 0 */
    size_t label, said;
    double sure; /* the probability of the said class; of a score its size */
} sot_report_image;

/* Public rows to look at. The first rows of the file, ascending, then those of all rows that the
 * model was wrong about and surest of, surest first, the earlier one of equals. */
typedef struct sot_report_images {
    sot_report_image shown[SOT_REPORT_IMAGES_MAX];
    size_t first_most, wrong_most;   /* places for each; 0 both: nothing is shown */
    size_t first_count, wrong_count; /* the wrong ones stand behind first_most */
    size_t height, width, channels;  /* as shown */
    unsigned char *pixels;           /* [image][height][width][channels] */
} sot_report_images;

typedef struct sot_report_scores {
    sotto_evaluation evaluation;
    sot_report_images images;
    sot_report_bin bins[SOT_REPORT_BINS_MAX]; /* of nearly equal rows, ascending */
    size_t bin_count;
} sot_report_scores;

/* Places for `count` images, half of them for mistakes, if the model distinguishes classes and its rows are images
 * of one or three planes: the schema gives their shape, or a network that convolves or scatters them infers one. Else for none. */
sot_report_images sot_report_images_for(const sotto_model *model, uint64_t count);

/* Keeps the row that was scored last, the number `row`, if it is one of those to show. */
void sot_report_images_offer(sot_report_images *images, const sot_scorer *scorer,
                             uint64_t row);

/* Reads the pixels of those that were kept: one pass. The bounds of the schema's numbers are black and white,
 * or 0 and 255 of bytes; without bounds, the least and the largest number of a row. An image with a longer
 * side than SOT_REPORT_IMAGE_SIDE shows the means of squares of pixels. */
SOTTO_MUST_CHECK sotto_status sot_report_images_read(sot_report_images *images,
                                                     const sotto_model *model,
                                                     const sotto_data_file *file,
                                                     sotto_error *error);

/* Passes over the file; sixteen bytes per row are kept. At most `images` rows are kept whole. The compared quantity: of two classes the
 * probability (or score) of the second and whether it is the true one; of more the probability
 * of the predicted class and whether it is the true one; of numbers the prediction and the truth. */
SOTTO_MUST_CHECK sotto_status sot_report_scores_read(const sotto_model *model,
                                                     const sotto_data_file *file,
                                                     uint64_t images,
                                                     sot_report_scores *out_scores,
                                                     sotto_error *error);
void sot_report_scores_clear(sot_report_scores *scores);

/* ---- trainings on public rows ---- */

typedef struct sot_report_point {
    double epsilon;
    double mean, deviation; /* of the score, over the repeats */
    double log_loss;        /* its mean; NaN: the model gives no probabilities */
} sot_report_point;

typedef struct sot_report_curve {
    bool
        is_error; /* the score is an error, in the units of the target; else a share of rows */
    bool
        is_auc; /* the score is the AUC, of a model that gives two classes a probability */
    uint64_t repeats;
    uint64_t seen, held; /* public rows to learn from, and to score */
    uint64_t learned;    /* rows learned from: those, perhaps repeated */
    sot_report_point points[SOT_REPORT_POINTS_MAX]; /* epsilons ascending */
    size_t count;                                   /* 0: there is none */
    double own;           /* epsilon of this model: one of the points */
    double without_noise; /* NaN: not known */
    double trivial;
    char reason[SOTTO_MESSAGE_BYTES]; /* why there is none */
} sot_report_curve;

/* ---- the noise in the coefficients ---- */

typedef enum sot_report_noise_kind {
    SOT_NOISE_UNKNOWN = 0, /* nothing to draw */
    SOT_NOISE_ABSENT = 1,  /* made without noise */
    SOT_NOISE_EXACT = 2,   /* output perturbation: the distribution of the noise itself */
    SOT_NOISE_BOUND = 3,   /* objective perturbation: at most this, by lambda */
    SOT_NOISE_MEASURED = 4, /* the same training on public rows, again and again */
    SOT_NOISE_DRAWS = 5,    /* the spread of the file's samples */
    SOT_NOISE_OF_VOTES =
        6 /* none here: it is in the labels that a student learned from */
} sot_report_noise_kind;

typedef struct sot_report_noise {
    sot_report_noise_kind kind;
    double deviation;       /* of every coefficient alike: EXACT, BOUND */
    double *deviations;     /* one a coefficient: MEASURED, DRAWS; borrowed */
    uint64_t repeats, rows; /* trainings and their rows, or draws */
} sot_report_noise;

/* From the method and settings in the model file. */
SOTTO_MUST_CHECK sotto_status sot_report_noise_read(const sot_json_value *root,
                                                    size_t dimension,
                                                    sot_report_noise *out_noise,
                                                    sotto_error *error);

/* ---- labels by teachers ---- */

enum { SOT_REPORT_COURSE_POINTS = 65 };

/* The content of a file of labels: all of it was released. */
typedef struct sot_report_labels {
    const sotto_schema *schema;
    const char *aggregator;
    uint64_t teachers;     /* 0: not known */
    uint64_t ask, answers; /* the caps, which were charged */
    uint64_t asked, answered;
    uint64_t reinforced;    /* labels that are the student's own, of interactive */
    const uint64_t *counts; /* labels of each class of the schema's target */
    /* Queries asked and answered so far, and their cost. */
    double queries[SOT_REPORT_COURSE_POINTS];
    double answers_so_far[SOT_REPORT_COURSE_POINTS];
    double epsilons[SOT_REPORT_COURSE_POINTS];
    double epsilon, delta;                 /* the guarantee */
    const sotto_pate_agreement *agreement; /* NULL: it was not charged */
    uint64_t agreement_queries;
} sot_report_labels;

/* ---- all of it ---- */

typedef enum sot_report_subject {
    SOT_SUBJECT_MODEL = 0,
    SOT_SUBJECT_LABELS = 1,
    SOT_SUBJECT_RELEASE = 2, /* any other certified file: statistics, an application's */
    SOT_SUBJECT_LEDGER = 3   /* no file, only `ledger` */
} sot_report_subject;

typedef struct sot_report {
    sot_report_subject subject;
    const sotto_model *model;         /* of a model; else NULL */
    const sotto_schema *schema;       /* NULL: not known */
    const char *method;               /* "objective", ... "none" */
    const sot_json_value *settings;   /* of the file: numbers and words; NULL: none */
    bool is_student;                  /* of labels: its certificate is theirs */
    const sot_report_labels *labels;  /* of the page, or of its student; NULL: none */
    const sot_certificate_file *file; /* NULL: a model of public rows */
    sotto_status outcome;             /* of its verification */
    bool is_exact;
    const char *reason;              /* why it is not verified */
    const sot_report_scores *scores; /* NULL: no public rows */
    const sot_report_curve *curve;   /* NULL: no public rows */
    const sot_report_ledger *ledger; /* NULL: none was given */
    sot_report_noise noise;
} sot_report;

/* The whole page; free with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_report_write(const sot_report *report, char **out_html,
                                               sotto_error *error);

/* ---- its sections, in their order ---- */

/* True if the file has a valid guarantee: it is verified and private. */
bool sot_report_holds(const sot_report *report);

/* Returns "this model", "these labels", "this release" or "this ledger". */
const char *sot_report_self(const sot_report *report);
/* Returns the same without "this". */
const char *sot_report_noun(const sot_report *report);

/* headline.c: the outcome of the verification with the grade, beside the list of beliefs. */
void sot_report_add_headline(sot_growing *out, const sot_report *report);
void sot_report_add_words(sot_growing *out, const sot_report *report);
/* True if the coefficients were sampled from a distribution; a student's route says of which labels it is a function. Needs the file. */
bool sot_report_is_drawn(const sot_report *report);
SOTTO_MUST_CHECK sotto_status sot_report_add_profile(sot_growing *out,
                                                     const sot_report *report,
                                                     sotto_error *error);
void sot_report_add_budget(sot_growing *out, const sot_report *report);
/* release.c: the released values, with their intervals. */
void sot_report_add_values(sot_growing *out, const sot_report *report);
/* labels.c: on a page of labels, and on that of a student. */
void sot_report_add_labels(sot_growing *out, const sot_report *report);
SOTTO_MUST_CHECK sotto_status sot_report_add_accuracy(sot_growing *out,
                                                      const sot_report *report,
                                                      sotto_error *error);
/* network.c: inside the accuracy, if the file has a learning curve. */
SOTTO_MUST_CHECK sotto_status sot_report_add_learning(sot_growing *out,
                                                      const sot_report *report,
                                                      sotto_error *error);
/* In the place of a network's coefficients. */
void sot_report_add_layers(sot_growing *out, const sot_report *report);
/* In the place of a concept's: concept.c */
SOTTO_MUST_CHECK sotto_status sot_report_add_concept(sot_growing *out,
                                                     const sot_report *report,
                                                     sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_report_add_coefficients(sot_growing *out,
                                                          const sot_report *report,
                                                          sotto_error *error);
/* curves.c: in the place of an additive model's. */
SOTTO_MUST_CHECK sotto_status sot_report_add_curves(sot_growing *out,
                                                    const sot_report *report,
                                                    sotto_error *error);
/* settings.c: its training settings, as numbers and words. */
void sot_report_add_settings(sot_growing *out, const sot_report *report);
void sot_report_add_calibration(sot_growing *out, const sot_report *report);
void sot_report_add_confusion(sot_growing *out, const sot_report *report);
/* sheet.c: inside it, if there are images. */
void sot_report_add_sheet(sot_growing *out, const sot_report *report);
SOTTO_MUST_CHECK sotto_status sot_report_add_certificate(sot_growing *out,
                                                         const sot_report *report,
                                                         sotto_error *error);
void sot_report_add_weaknesses(sot_growing *out, const sot_report *report);

#endif
