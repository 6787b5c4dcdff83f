/* Intervals of a feature, one after another if there are several: claims in pac.md. */
#include <assert.h>

#include <sotto/exponential.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/concept/learn/parts.h"

/* An interval errs on the yes outside and the no inside: with G of line.h, on
 * yes - G(high) + G(low) records. Thresholds in a cell have one G. */
typedef struct interval_scores {
    size_t count;
    int64_t *lows, *highs; /* minus G; G minus yes */
    uint64_t *ends;        /* of the cells of thresholds 0 .. cells */
    int64_t empty;
} interval_scores;

static void free_scores(interval_scores *scores)
{
    sot_wipe_and_free(scores->lows, scores->count * sizeof *scores->lows);
    sot_wipe_and_free(scores->highs, scores->count * sizeof *scores->highs);
    sot_wipe_and_free(scores->ends, scores->count * sizeof *scores->ends);
}

/* The caller frees `out`, also on failure. */
static sotto_status score_line(const sot_line *line, uint64_t yes, uint64_t cells,
                               interval_scores *out, sotto_error *error)
{
    const size_t count = line->count + 1;
    *out = (interval_scores){.count = count,
                             .lows = sot_new_array(count, sizeof *out->lows),
                             .highs = sot_new_array(count, sizeof *out->highs),
                             .ends = sot_new_array(count, sizeof *out->ends),
                             .empty = -(int64_t)yes};
    if (out->lows == NULL || out->highs == NULL || out->ends == NULL)
        return sot_fail_memory(error, count, sizeof *out->lows);
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        out->lows[i] = -sum;
        out->highs[i] = sum - (int64_t)yes;
        out->ends[i] = (i < line->count ? line->places[i] : cells) + 1;
        if (i < line->count) sum += line->nets[i];
    }
    return SOTTO_OK;
}

/* The empty one, then low < high in order. */
static sotto_status choose_listed(const sot_pac *pac, size_t choice, sotto_gate *gate,
                                  const interval_scores *scores, uint64_t *out_low,
                                  uint64_t *out_high, sotto_error *error)
{
    assert(pac->sizes[choice] <= SOT_PAC_LISTED_MAX);
    const size_t size = (size_t)pac->sizes[choice];
    const uint64_t points = scores->ends[scores->count - 1];
    int64_t *list = sot_new_array(size, sizeof *list);
    if (list == NULL) return sot_fail_memory(error, size, sizeof *list);
    size_t next = 1, index = 0;
    list[0] = scores->empty;
    for (size_t i = 0, low = 0; low < points; low++) {
        if (low == scores->ends[i]) i++;
        for (size_t j = i, high = low + 1; high < points; high++) {
            if (high == scores->ends[j]) j++;
            list[next++] = scores->lows[i] + scores->highs[j];
        }
    }
    assert(next == size);
    const sotto_status status =
        sot_pac_choose(pac, choice, gate, list, size, &index, error);
    sot_wipe_and_free(list, size * sizeof *list);
    if (status != SOTTO_OK) return status;
    *out_low = *out_high = 0;
    if (index > 0) sot_concept_find_pair(points - 1, index - 1, out_low, out_high);
    return SOTTO_OK;
}

static uint64_t begin_of(const interval_scores *scores, size_t cell)
{
    return cell == 0 ? 0 : scores->ends[cell - 1];
}

/* No noise. The empty one unless another is better; of those the first end, and the first beginning for it. */
static void choose_best(const interval_scores *scores, uint64_t *out_low,
                        uint64_t *out_high)
{
    int64_t best = scores->empty;
    size_t low = 0;
    *out_low = *out_high = 0;
    for (size_t i = 1; i < scores->count; i++) {
        if (scores->lows[low] + scores->highs[i] > best) {
            best = scores->lows[low] + scores->highs[i];
            *out_low = begin_of(scores, low);
            *out_high = begin_of(scores, i);
        }
        if (scores->lows[i] > scores->lows[low]) low = i;
    }
}

static sotto_status choose(const sot_pac *pac, size_t choice, sotto_gate *gate,
                           const interval_scores *scores, uint64_t *out_low,
                           uint64_t *out_high, sotto_error *error)
{
    if (pac->method == SOTTO_METHOD_EXPONENTIAL)
        return sotto_exponential_choose_interval(
            gate, &pac->choice, scores->lows, scores->highs, scores->ends, scores->count,
            scores->empty, out_low, out_high, error);
    if (pac->method != SOTTO_METHOD_NONE)
        return choose_listed(pac, choice, gate, scores, out_low, out_high, error);
    choose_best(scores, out_low, out_high);
    return SOTTO_OK;
}

/* Feature number `feature`, for the records that the intervals before it hold. */
static sotto_status learn_feature(const sot_pac *pac, size_t feature, sotto_gate *gate,
                                  sot_table *table, uint64_t *lows, uint64_t *highs,
                                  sotto_error *error)
{
    const sot_box box = {.features = feature, .lows = lows, .highs = highs};
    sot_view view = {0};
    sot_line line = {0};
    interval_scores scores = {0};
    sotto_status status = sot_view_new(pac->class, feature, 1, &box, table, &view, error);
    if (status == SOTTO_OK) status = sot_view_line(&view, 0, &line, error);
    if (status == SOTTO_OK)
        status =
            score_line(&line, view.yes, pac->class->grids[feature].cells, &scores, error);
    if (status == SOTTO_OK)
        status =
            choose(pac, feature, gate, &scores, &lows[feature], &highs[feature], error);
    free_scores(&scores);
    sot_line_free(&line);
    sot_view_free(&view);
    return status;
}

sotto_status sot_pac_learn_intervals(const sot_pac *pac, sotto_gate *gate,
                                     sot_table *table, sot_pool *pool,
                                     double *out_numbers, sotto_error *error)
{
    (void)pool;
    const size_t features = pac->choices; /* one each */
    uint64_t *bounds = sot_new_array(2 * features, sizeof *bounds);
    if (bounds == NULL) return sot_fail_memory(error, 2 * features, sizeof *bounds);
    sotto_status status = SOTTO_OK;
    bool is_empty = false;
    for (size_t j = 0; j < features && status == SOTTO_OK; j++) {
        status = learn_feature(pac, j, gate, table, bounds, bounds + features, error);
        is_empty |= bounds[j] == bounds[features + j];
    }
    for (size_t j = 0; j < features && status == SOTTO_OK; j++) {
        /* One empty interval makes the rectangle empty, which has one name. */
        out_numbers[2 * j] = is_empty ? 0.0 : (double)bounds[j];
        out_numbers[2 * j + 1] = is_empty ? 0.0 : (double)bounds[features + j];
    }
    sot_free(bounds); /* released */
    return status;
}
