/* The scores of a model on rows whose labels are known and public. */
#include <math.h>
#include <stdlib.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/memory.h"
#include "numeric/sum.h"

/* The scores of one class, for the area under the curve: eight bytes per row. */
typedef struct score_list {
    double *scores;
    size_t count, room;
} score_list;

typedef struct tally {
    const sotto_model *model;
    double threshold;
    uint64_t rows;
    /* For classes. */
    size_t classes;
    uint64_t *confusion; /* classes x classes */
    sot_sum log_loss, brier;
    score_list lists[2]; /* by true class, of two */
    /* For numbers. */
    sot_sum squared, absolute, deviance;
    double mean, squares; /* of the true numbers, around their mean: Welford's update */
} tally;

/* ---- classes ---- */

static sotto_status keep_score(score_list *list, double score, sotto_error *error)
{
    if (list->count == list->room) {
        const size_t room = list->room == 0 ? 1024 : list->room + list->room / 2;
        double *grown = list->room == 0 ? sot_new_array(room, sizeof *grown)
                                        : sot_resize_array(list->scores, list->room, room,
                                                           sizeof *grown);
        if (grown == NULL) return sot_fail_memory(error, room, sizeof *grown);
        list->scores = grown;
        list->room = room;
    }
    list->scores[list->count++] = score;
    return SOTTO_OK;
}

/* -log P(true class) for two classes, from the score: no probability is rounded to 0 on the way. */
static double log_loss_of_two(double margin)
{
    return margin >= 0.0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin;
}

/* -log P(true class) = log(sum over k of e^(m_k - m)), from the margins, as exactly. */
static double log_loss_of_many(const double *margins, size_t count, size_t label)
{
    double largest = -(double)INFINITY;
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(margins[k])) return log((double)count); /* sot_model_softmax() */
        largest = fmax(largest, margins[k]);
    }
    for (size_t k = 0; k < count; k++)
        sum += exp(margins[k] - largest);
    return log(sum) + (largest - margins[label]);
}

static double brier_of(const sot_scorer *scorer, size_t label)
{
    double sum = 0.0;
    for (size_t k = 0; k < scorer->model->outputs; k++) {
        const double miss = scorer->outputs[k] - (k == label ? 1.0 : 0.0);
        sum += miss * miss;
    }
    return 0.5 * sum;
}

/* The margin of the second class over the first. NaN says nothing either way. */
static double score_of_two(const sot_scorer *scorer)
{
    const double *margins = scorer->margins;
    const double score =
        scorer->model->margins == 2 ? margins[1] - margins[0] : margins[0];
    return isnan(score) ? 0.0 : score;
}

static sotto_status count_two(tally *counts, const sot_scorer *scorer, size_t label,
                              sotto_error *error)
{
    const double score = score_of_two(scorer);
    const double miss = label == 1 ? sot_model_sigmoid(-score) : sot_model_sigmoid(score);
    sot_sum_add(&counts->log_loss, log_loss_of_two(label == 1 ? score : -score));
    sot_sum_add(&counts->brier, miss * miss);
    return keep_score(&counts->lists[label], score, error);
}

static sotto_status count_class(tally *counts, const sot_scorer *scorer,
                                sotto_error *error)
{
    const size_t label = scorer->label;
    const size_t said = sot_scorer_decide(scorer, counts->threshold);
    counts->confusion[label * counts->classes + said]++;
    if (counts->classes == 2) return count_two(counts, scorer, label, error);
    sot_sum_add(&counts->log_loss,
                log_loss_of_many(scorer->margins, counts->classes, label));
    sot_sum_add(&counts->brier, brier_of(scorer, label));
    return SOTTO_OK;
}

static int compare_scores(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the probability that a random positive row scores above a random negative one; a tie
 * counts half. It is (2 wins + ties) / (2 n1 n0), counted in whole numbers. At most 2^32 rows: 2
 * n1 n0 is at most 2^63. */
static double area_under_curve(tally *counts)
{
    const score_list *negative = &counts->lists[0], *positive = &counts->lists[1];
    if (negative->count == 0 || positive->count == 0) return (double)NAN;
    qsort(negative->scores, negative->count, sizeof *negative->scores, compare_scores);
    qsort(positive->scores, positive->count, sizeof *positive->scores, compare_scores);
    uint64_t twice_won = 0;
    size_t below = 0, at_most = 0; /* negatives below, and not above, the positive */
    for (size_t i = 0; i < positive->count; i++) {
        const double score = positive->scores[i];
        while (below < negative->count && negative->scores[below] < score)
            below++;
        while (at_most < negative->count && negative->scores[at_most] <= score)
            at_most++;
        twice_won += (uint64_t)below + (uint64_t)at_most;
    }
    const uint64_t pairs = (uint64_t)negative->count * (uint64_t)positive->count;
    return (double)twice_won / (2.0 * (double)pairs);
}

/* A class without rows has no share, and does not count. */
static void sum_up_confusion(const tally *counts, sotto_evaluation *evaluation)
{
    const size_t classes = counts->classes;
    uint64_t right = 0, most = 0;
    double shares = 0.0, there = 0.0;
    for (size_t k = 0; k < classes; k++) {
        const uint64_t hits = counts->confusion[k * classes + k];
        uint64_t all = 0;
        for (size_t said = 0; said < classes; said++)
            all += counts->confusion[k * classes + said];
        right += hits;
        if (all > most) most = all;
        if (all > 0) {
            shares += (double)hits / (double)all;
            there += 1.0;
        }
    }
    evaluation->accuracy = (double)right / (double)counts->rows;
    evaluation->balanced_accuracy = shares / there;
    evaluation->majority = (double)most / (double)counts->rows;
}

static void sum_up_classes(tally *counts, sotto_evaluation *evaluation)
{
    const double rows = (double)counts->rows;
    sum_up_confusion(counts, evaluation);
    evaluation->auc = area_under_curve(counts);
    evaluation->classes = counts->classes;
    evaluation->confusion = counts->confusion;
    counts->confusion = NULL; /* the caller's now */
    if (counts->model->prediction != SOTTO_PREDICTS_PROBABILITIES) return;
    evaluation->log_loss = sot_sum_value(&counts->log_loss) / rows;
    evaluation->brier = sot_sum_value(&counts->brier) / rows;
}

/* ---- numbers ---- */

/* 2 (y log(y / m) - y + m): 0 where the prediction is right, infinite where 0 was predicted and
 * something was there. */
static double deviance_of(double truth, double said)
{
    const double ratio = truth > 0.0 ? truth * log(truth / said) : 0.0;
    return fmax(0.0, 2.0 * (ratio - truth + said));
}

static void count_number(tally *counts, const sot_scorer *scorer)
{
    const sot_encoding *encoding = counts->model->encoding;
    const double truth = scorer->number;
    const double said = scorer->outputs[0];
    const double miss = truth - said;
    const double step = truth - counts->mean;
    sot_sum_add(&counts->squared, miss * miss);
    sot_sum_add(&counts->absolute, fabs(miss));
    if (sot_encoding_role(encoding) == SOT_TARGET_COUNT)
        sot_sum_add(&counts->deviance, deviance_of(truth, said));
    counts->mean += step / (double)counts->rows;
    counts->squares += step * (truth - counts->mean);
}

static void sum_up_numbers(const tally *counts, sotto_evaluation *evaluation)
{
    const double rows = (double)counts->rows;
    const double squared = sot_sum_value(&counts->squared);
    evaluation->mse = squared / rows;
    evaluation->mae = sot_sum_value(&counts->absolute) / rows;
    if (counts->squares > 0.0) evaluation->r2 = 1.0 - squared / counts->squares;
    if (sot_encoding_role(counts->model->encoding) == SOT_TARGET_COUNT)
        evaluation->deviance = sot_sum_value(&counts->deviance) / rows;
}

/* ---- rows ---- */

static sotto_status begin(tally *counts, sotto_error *error)
{
    counts->classes = sot_encoding_classes(counts->model->encoding);
    if (counts->classes == 0) return SOTTO_OK;
    const size_t cells = counts->classes * counts->classes;
    counts->confusion = sot_new_array(cells, sizeof *counts->confusion);
    return counts->confusion == NULL
               ? sot_fail_memory(error, cells, sizeof *counts->confusion)
               : SOTTO_OK;
}

static sotto_status read_rows(tally *counts, sot_scorer *scorer, sot_source *source,
                              sotto_error *error)
{
    bool more = false;
    sotto_status status = sot_scorer_next(scorer, source, &more, error);
    while (status == SOTTO_OK && more) {
        counts->rows++;
        if (counts->classes == 0) {
            count_number(counts, scorer);
        } else {
            status = count_class(counts, scorer, error);
        }
        if (status == SOTTO_OK) status = sot_scorer_next(scorer, source, &more, error);
    }
    if (status == SOTTO_OK && counts->rows == 0) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "there is no row to evaluate; give at least one");
    }
    return status;
}

static sotto_status evaluate(const sotto_model *model, sot_source *source,
                             double threshold, sotto_evaluation *out_evaluation,
                             sotto_error *error)
{
    tally counts = {.model = model, .threshold = threshold};
    sot_scorer scorer = {.model = NULL};
    sotto_status status = begin(&counts, error);
    if (status == SOTTO_OK) status = sot_scorer_open(model, &scorer, error);
    if (status == SOTTO_OK) status = read_rows(&counts, &scorer, source, error);
    if (status == SOTTO_OK) {
        const double none = (double)NAN;
        *out_evaluation = (sotto_evaluation){.rows = counts.rows,
                                             .accuracy = none,
                                             .log_loss = none,
                                             .auc = none,
                                             .brier = none,
                                             .mse = none,
                                             .mae = none,
                                             .r2 = none,
                                             .deviance = none,
                                             .balanced_accuracy = none,
                                             .majority = none};
        if (counts.classes == 0) {
            sum_up_numbers(&counts, out_evaluation);
        } else {
            sum_up_classes(&counts, out_evaluation);
        }
    }
    sot_free(counts.confusion);
    sot_free(counts.lists[0].scores);
    sot_free(counts.lists[1].scores);
    sot_scorer_close(&scorer);
    return status;
}

void sotto_evaluation_clear(sotto_evaluation *evaluation)
{
    sot_free(evaluation->confusion);
    *evaluation = (sotto_evaluation){.rows = 0};
}

sotto_status sotto_model_evaluate_data(const sotto_model *model,
                                       const sotto_data_file *file, double threshold,
                                       sotto_evaluation *out_evaluation,
                                       sotto_error *error)
{
    sot_source *source = NULL;
    sotto_status status = sot_model_check_threshold(model, threshold, error);
    if (status == SOTTO_OK)
        status = sot_source_open(file, model->schema, false, &source, error);
    if (status == SOTTO_OK)
        status = evaluate(model, source, threshold, out_evaluation, error);
    sot_source_close(source);
    return status;
}

sotto_status sotto_model_evaluate_records(const sotto_model *model,
                                          const sotto_records *records, double threshold,
                                          sotto_evaluation *out_evaluation,
                                          sotto_error *error)
{
    sot_source *source = NULL;
    sotto_status status = sot_model_check_threshold(model, threshold, error);
    if (status == SOTTO_OK && sotto_schema_is_matrix(model->schema) &&
        records->labels.rows == 0 &&
        (records->features.rows > 0 || records->stream != NULL ||
         records->sparse != NULL)) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "the records have no labels; give one for each row");
    }
    if (status == SOTTO_OK)
        status = sot_source_open_records(records, model->schema, &source, error);
    if (status == SOTTO_OK)
        status = evaluate(model, source, threshold, out_evaluation, error);
    sot_source_close(source);
    return status;
}
