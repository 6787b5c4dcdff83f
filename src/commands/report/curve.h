/* commands/report/curve.h: the cost of privacy for a model, by trainings on public
 * rows. */
#ifndef SOT_COMMANDS_REPORT_CURVE_H
#define SOT_COMMANDS_REPORT_CURVE_H

#include <sotto/data_file.h>
#include <sotto/train_config.h>

#include "base/json/json.h"
#include "data/encode/blocks.h"
#include "report/report.h"

/* The training of a model file, as far as it can be repeated. */
typedef struct sot_report_training {
    const sotto_schema *schema;
    sotto_model_kind model;
    sotto_method method;
    double epsilon, delta; /* delta SOTTO_UNSET: pure */
    sotto_adjacency adjacency;
    /* Settings that the file keeps; SOTTO_UNSET: not known. */
    double lambda, steps, learning_rate, batch;
    sotto_schedule schedule; /* auto: not known */
    sotto_iterate iterate;   /* the same */
    bool single_records;     /* sgd: one record per step, not batches */
    sot_bins_rule rule;      /* of an additive model; zeros: it is none */
    const char *concept;     /* the class of a concept as JSON; NULL: none */
    double radius; /* of the ball, which is a part of the model: for the curve too */
    uint64_t expected_rows; /* to learn from; 0: as many as there are */
    size_t threads;
    sotto_progress_function progress; /* counts trainings; NULL: none */
    void *progress_context;
} sot_report_training;

/* Fills the curve, by the default rules of the method at each epsilon. Writes the deviation of
 * each shown number at the model's own epsilon and lambda into `out_deviations` (of `count`),
 * unless it is NULL. A training that cannot be repeated (a caller's loss, too few rows, a method
 * that refuses) leaves the curve empty, with the reason. Only lack of memory, unreadable rows
 * and a listener that stops fail. */
SOTTO_MUST_CHECK sotto_status sot_report_curve_fill(
    const sot_report_training *training, const sotto_data_file *file, uint64_t repeats,
    sot_report_curve *out_curve, double *out_deviations, size_t count, bool *out_measured,
    sotto_error *error);

#endif
