/* How well a model does on rows whose labels are known and public. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/sum.h"
#include "release/model.h"

/* The scores of one class, for the area under the curve: eight bytes a row. */
typedef struct score_list {
    double *scores;
    size_t count, room;
} score_list;

typedef struct tally {
    double threshold;
    uint64_t confusion[2][2];
    sot_sum log_loss, brier;
    score_list lists[2]; /* by true class */
} tally;

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

/* -log P(true class), from the score: no probability is rounded to 0 on the way. */
static double log_loss_of(double margin)
{
    return margin >= 0.0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin;
}

static sotto_status count_row(tally *counts, double score, size_t label,
                              sotto_error *error)
{
    if (isnan(score)) score = 0.0; /* sot_model_sigmoid(): it says nothing either way */
    const double miss = label == 1 ? sot_model_sigmoid(-score) : sot_model_sigmoid(score);
    counts->confusion[label][sot_model_decide(score, counts->threshold)]++;
    sot_sum_add(&counts->log_loss, log_loss_of(label == 1 ? score : -score));
    sot_sum_add(&counts->brier, miss * miss);
    return keep_score(&counts->lists[label], score, error);
}

static int compare_scores(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The probability that a random positive row scores above a random negative one, a tie counting
 * half: (2 wins + ties) / (2 n1 n0), counted in whole numbers. At most 2^32 rows: 2 n1 n0 is at
 * most 2^63. */
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

static sotto_evaluation summary_of(tally *counts)
{
    sotto_evaluation evaluation = {.rows = 0};
    for (size_t i = 0; i < 4; i++) {
        evaluation.confusion[i / 2][i % 2] = counts->confusion[i / 2][i % 2];
        evaluation.rows += counts->confusion[i / 2][i % 2];
    }
    const double rows = (double)evaluation.rows;
    evaluation.accuracy =
        (double)(counts->confusion[0][0] + counts->confusion[1][1]) / rows;
    evaluation.log_loss = sot_sum_value(&counts->log_loss) / rows;
    evaluation.brier = sot_sum_value(&counts->brier) / rows;
    evaluation.auc = area_under_curve(counts);
    return evaluation;
}

static sotto_status evaluate(const sotto_model *model, sot_source *source,
                             double threshold, sotto_evaluation *out_evaluation,
                             sotto_error *error)
{
    tally counts = {.threshold = threshold};
    sot_scorer scorer;
    sot_record record;
    bool more = false;
    sotto_status status = sot_scorer_open(model, &scorer, error);
    if (status != SOTTO_OK) return status;
    status = sot_source_next(source, &record, &more, error);
    while (status == SOTTO_OK && more) {
        const size_t label = sot_encode_label(model->encoding, &record);
        status = count_row(&counts, sot_scorer_score(&scorer, &record), label, error);
        if (status == SOTTO_OK) status = sot_source_next(source, &record, &more, error);
    }
    if (status == SOTTO_OK && counts.lists[0].count + counts.lists[1].count == 0) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "there is no row to evaluate; give at least one");
    }
    if (status == SOTTO_OK) *out_evaluation = summary_of(&counts);
    sot_free(counts.lists[0].scores);
    sot_free(counts.lists[1].scores);
    sot_scorer_close(&scorer);
    return status;
}

sotto_status sotto_model_evaluate_file(const sotto_model *model, const char *path,
                                       double threshold, sotto_evaluation *out_evaluation,
                                       sotto_error *error)
{
    sot_source *source = NULL;
    sotto_status status = sot_model_check_threshold(threshold, error);
    if (status == SOTTO_OK)
        status = sot_source_open_file(path, model->schema, false, &source, error);
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
    sotto_status status = sot_model_check_threshold(threshold, error);
    if (status == SOTTO_OK && sotto_schema_is_matrix(model->schema) &&
        records->labels.rows == 0 && records->features.rows > 0) {
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
