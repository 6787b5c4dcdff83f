/* Scores of a classifier of two classes on private rows, from one histogram. Claims: release.md. */
#include "commands/statistics/scores.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "commands/statistics/release.h"

/* The correction for heavy tails is of first order: beyond this it would only widen intervals
 * of noise that is almost always 0. */
static const double excess_max = 6.0;

static const char *const labels[SOT_SCORE_VALUES] = {
    [SOT_SCORE_AUC] = "auc",
    [SOT_SCORE_LOG_LOSS] = "log loss",
    [SOT_SCORE_BRIER] = "brier",
    [SOT_SCORE_ACCURACY] = "accuracy",
    [SOT_SCORE_BALANCED] = "balanced acc.",
    [SOT_SCORE_RECALL] = "recall",
    [SOT_SCORE_PRECISION] = "precision",
    [SOT_SCORE_RATE] = "class rate",
    [SOT_SCORE_MEAN] = "mean predicted",
};

static sotto_status prepare_scores(sot_release *release, sotto_error *error)
{
    sotto_status status = sot_release_need_classifier(release, error);
    if (status != SOTTO_OK) return status;
    const sotto_model *model = release->config->model;
    if (model->prediction != SOTTO_PREDICTS_PROBABILITIES || model->outputs != 2) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the scores need a model that gives two classes a probability; "
                        "release the accuracy in their place");
    }
    sot_score_cells cells;
    sot_score_make_cells(release->config->threshold, &cells);
    release->edges = sot_new_array(SOT_SCORE_CELLS + 1, sizeof *release->edges);
    if (release->edges == NULL)
        return sot_fail_memory(error, SOT_SCORE_CELLS + 1, sizeof *release->edges);
    memcpy(release->edges, cells.edges, sizeof cells.edges);
    status = sot_release_make_exact(release, SOT_SCORE_COUNTS, error);
    if (status == SOTTO_OK)
        status = sot_release_add_histogram(release, "histogram", error);
    return status;
}

/* The cell of the row, as a number that units can keep. */
static double judge_scores(const sot_release *release, const sot_scorer *scorer)
{
    const int cell = sot_score_cell_of(release->edges, scorer->outputs[1]);
    return (double)(scorer->label * SOT_SCORE_CELLS + (size_t)cell);
}

static sotto_status take_scores(sot_release *release, double value, sotto_error *error)
{
    (void)error;
    release->exact[(size_t)value]++;
    return SOTTO_OK;
}

static double excess_of(const sot_noise *noise)
{
    if (noise->mechanism == SOTTO_GAUSSIAN) return 0.0;
    /* The discrete Laplace distribution has (1 + 4r + r^2)/(2r), r = exp(-1/scale). */
    return fmin(excess_max, 2.0 + cosh(1.0 / noise->scale));
}

static sotto_status set_group(sot_release *release, int group, const sot_score *score,
                              sotto_error *error)
{
    enum { WIDTH = SOT_SCORE_CELLS / SOT_SCORE_GROUPS };
    char label[2 * SOT_DOUBLE_TEXT_BYTES + 8];
    char low[SOT_DOUBLE_TEXT_BYTES], high[SOT_DOUBLE_TEXT_BYTES];
    sot_format_double(rint(1e4 * release->edges[group * WIDTH]) / 1e4, low);
    sot_format_double(rint(1e4 * release->edges[(group + 1) * WIDTH]) / 1e4, high);
    (void)snprintf(label, sizeof label, "p %s-%s", low, high);
    return sot_release_set_value(release, (size_t)(SOT_SCORE_VALUES + group), label,
                                 score->value, score->lower, score->upper, error);
}

static sotto_status conclude_scores(sot_release *release, sotto_error *error)
{
    const sot_noise *part = &release->parts[0];
    const sot_score_noise noise = {.deviation = sot_noise_deviation(part),
                                   .excess = excess_of(part),
                                   .confidence = release->config->confidence};
    sot_score scores[SOT_SCORE_VALUES + SOT_SCORE_GROUPS];
    sot_score_cells cells;
    sot_score_make_cells(release->config->threshold, &cells);
    sot_score_all(&cells, release->counts, &noise, scores);
    sotto_status status =
        sot_release_make_values(release, SOT_SCORE_VALUES + SOT_SCORE_GROUPS, error);
    for (int i = 0; i < SOT_SCORE_VALUES && status == SOTTO_OK; i++)
        status = sot_release_set_value(release, (size_t)i, labels[i], scores[i].value,
                                       scores[i].lower, scores[i].upper, error);
    for (int i = 0; i < SOT_SCORE_GROUPS && status == SOTTO_OK; i++)
        status = set_group(release, i, &scores[SOT_SCORE_VALUES + i], error);
    const double rate = scores[SOT_SCORE_RATE].value;
    if (scores[SOT_SCORE_ACCURACY].value < fmax(rate, 1.0 - rate))
        sot_release_note(release, "the accuracy is below that of always predicting the "
                                  "more frequent class; compare auc and balanced "
                                  "accuracy");
    sot_release_note(release, "the scores are those of the probabilities rounded to 64 "
                              "cells; each interval holds separately");
    return status;
}

static sotto_status make_counts(sot_release *release, sotto_error *error)
{
    release->counts = sot_new_array(SOT_SCORE_COUNTS, sizeof *release->counts);
    return release->counts == NULL
               ? sot_fail_memory(error, SOT_SCORE_COUNTS, sizeof *release->counts)
               : SOTTO_OK;
}

static sotto_status publish_scores(sot_release *release, sotto_gate *gate,
                                   sotto_error *error)
{
    sotto_status status = make_counts(release, error);
    if (status == SOTTO_OK)
        status = sot_noise_release(&release->parts[0], gate, release->exact,
                                   release->counts, error);
    return status == SOTTO_OK ? conclude_scores(release, error) : status;
}

static sotto_status read_counts(const sot_json_value *file, int64_t *out_counts,
                                sotto_error *error)
{
    sot_json_value histogram, classes;
    if (!sot_json_member(file, "histogram", &histogram))
        return sot_fail(error, SOTTO_VERIFICATION, "histogram is missing");
    sotto_status status = sot_json_as_object(&histogram, error);
    if (status == SOTTO_OK)
        status = sot_json_get_array(&histogram, "counts", &classes, error);
    if (status == SOTTO_OK && sot_json_size(&classes) != 2)
        status = sot_json_refuse(&classes, "it has one list for each class", error);
    for (size_t label = 0; status == SOTTO_OK && label < 2; label++) {
        const sot_json_value cells = sot_json_item(&classes, label);
        status = sot_json_as_array(&cells, error);
        if (status == SOTTO_OK && sot_json_size(&cells) != SOT_SCORE_CELLS)
            status = sot_json_refuse(&cells, "it has 64 counts", error);
        for (size_t i = 0; status == SOTTO_OK && i < SOT_SCORE_CELLS; i++) {
            const sot_json_value count = sot_json_item(&cells, i);
            status = sot_json_as_int64(&count, &out_counts[label * SOT_SCORE_CELLS + i],
                                       error);
        }
    }
    return status;
}

static sotto_status restate_scores(sot_release *release, const sot_json_value *file,
                                   sotto_error *error)
{
    sotto_status status = make_counts(release, error);
    if (status == SOTTO_OK) status = read_counts(file, release->counts, error);
    return status == SOTTO_OK ? conclude_scores(release, error) : status;
}

const sot_statistic sot_statistic_scores = {.name = "scores",
                                            .needs_column = false,
                                            .judge = judge_scores,
                                            .prepare = prepare_scores,
                                            .take = take_scores,
                                            .publish = publish_scores,
                                            .restate = restate_scores};
