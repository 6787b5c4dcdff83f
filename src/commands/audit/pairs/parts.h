/* commands/audit/pairs/parts.h: the common part of the files of pairs. A crafter fills in
 * the members that sot_study_craft() leaves: schema, settings, rows, and the observed
 * direction. */
#ifndef SOT_COMMANDS_AUDIT_PAIRS_PARTS_H
#define SOT_COMMANDS_AUDIT_PAIRS_PARTS_H

#include "commands/audit/pairs/study.h"

/* ---- models.c: one row a kind of model ---- */

/* Models that share crafters. */
enum {
    SOT_PAIR_MARGINS = 1,
    SOT_PAIR_LINES = 2,
    SOT_PAIR_LOGISTIC = 4,
    SOT_PAIR_NETWORK = 8,
    SOT_PAIR_CONCEPT = 16,
    SOT_PAIR_HINGE = 32,
    SOT_PAIR_POISSON = 64,
    SOT_PAIR_SOFTMAX = 128,
    SOT_PAIR_STRAIGHT = SOT_PAIR_MARGINS | SOT_PAIR_LINES |
                        SOT_PAIR_POISSON, /* smooth, with a linear part */
    SOT_PAIR_CURVED = SOT_PAIR_LOGISTIC | SOT_PAIR_SOFTMAX
};

typedef struct sot_pair_row {
    unsigned group;     /* 0: no pair is crafted */
    const char *target; /* of the schema; NULL: two classes */
    double label;       /* of the record */
    bool
        has_threshold; /* slopes are clipped, except by methods that fit the loss itself */
    double scale;      /* lambda of the same margins, over that of logistic */
    double sample_threshold;        /* for samples; 0: the loss has slope 1 as it is */
    double sample_margin;           /* of rows in the linear part, for samples */
    const char *minimiser_short_of; /* without a delta; NULL: nothing is missing */
    void (*set_transcript)(sot_study *study); /* NULL: nothing to add */
} sot_pair_row;

const sot_pair_row *sot_pair_row_of(const sot_study *study);
unsigned sot_pair_group(sotto_model_kind model);

/* ---- rows: rows.c ---- */

/* The others on a line: so few that the minimiser stays at |theta| <= 1/16 if lambda is SOT_LINE_LAMBDA, far inside the linear part. */
enum { SOT_LINE_ROWS = 3, SOT_LINE_LAMBDA = 64 };

/* One feature, all rows at its ends, the record against the others. Its gradient has the largest
 * norm of the loss, and is constant while every margin stays in the linear part of the loss.
 * Thresholds are set accordingly. */
void sot_study_on_line(sot_study *study, size_t base_rows);

/* For losses whose slope is near its bound only far on the wrong side: logistic, softmax of two
 * classes. Two features. Rows of that length along the first take theta far along it; shorter
 * rows take it farther. The record is on the wrong side there, by `aside`, so its slope is nearly
 * 1. It moves theta along the second feature, where the curvature is small. */
void sot_study_aside(sot_study *study, size_t base_rows, double length, double aside);

/* The same with one feature, for releases that the curvature of the others does not
 * affect: the record at 1 against short rows. */
void sot_study_against(sot_study *study, size_t base_rows, double length);

/* Their number, declared as the adjacency wants it. */
void sot_study_set_rows(sot_study *study);

/* True if the loss has no linear part, so that sot_study_aside() applies. */
bool sot_study_is_curved(const sot_study *study);

/* Converts a setting that is `value` for logistic. Softmax of two classes along (-1, 1)/sqrt2 is
 * logistic on rows sqrt2 as long. For the same margins its lambda is twice as large and its
 * learning rate half. */
double sot_study_of_lambda(const sot_study *study, double value);
double sot_study_of_rate(const sot_study *study, double value);

/* ---- crafters ---- */

/* release.c: the noise is added to one release. */
void sot_craft_minimiser(sot_study *study);
void sot_craft_objective(sot_study *study);
void sot_craft_moments(sot_study *study);
void sot_craft_adassp(sot_study *study);
void sot_craft_stable(sot_study *study);
void sot_craft_passes(sot_study *study);

/* steps.c: to every step. */
void sot_craft_descent(sot_study *study);
void sot_craft_stochastic(sot_study *study);
void sot_craft_newton(sot_study *study);
void sot_craft_network(sot_study *study);
void sot_craft_transcript(sot_study *study);
void sot_craft_transcript_network(sot_study *study); /* the part of networks */

/* choice.c: one of a few is chosen. */
void sot_craft_corners(sot_study *study);
void sot_craft_concept(sot_study *study);
void sot_craft_counts(sot_study *study);

/* samples.c: the release is a posterior sample. */
void sot_craft_mechanism(sot_study *study);
SOTTO_MUST_CHECK sotto_status sot_craft_posterior(sot_study *study, sotto_error *error);

#endif
