/* Predictions of public rows against the truth. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/sum.h"
#include "report/report.h"

/* The prediction for a row, and its true value. */
typedef struct outcome {
    double said, found;
} outcome;

typedef struct outcomes {
    outcome *rows;
    size_t count, room;
} outcomes;

#define NORMAL_975 1.959963984540054 /* its 97.5% point */

/* Rows to a bin that are worth a point. */
enum { BIN_ROWS = 5 };

/* ---- the rows ---- */

static sotto_status keep(outcomes *all, outcome row, sotto_error *error)
{
    if (all->count == all->room) {
        const size_t room = all->room == 0 ? 1024 : all->room + all->room / 2;
        outcome *grown =
            all->room == 0 ? sot_new_array(room, sizeof *grown)
                           : sot_resize_array(all->rows, all->room, room, sizeof *grown);
        if (grown == NULL) return sot_fail_memory(error, room, sizeof *grown);
        all->rows = grown;
        all->room = room;
    }
    all->rows[all->count++] = row;
    return SOTTO_OK;
}

static outcome judge(const sot_scorer *scorer)
{
    const sotto_model *model = scorer->model;
    const size_t classes = sot_encoding_classes(model->encoding);
    if (classes == 0) return (outcome){scorer->outputs[0], scorer->number};
    const size_t label = scorer->label;
    if (classes > 2) {
        const size_t said = sot_scorer_decide(scorer, 0.5);
        return (outcome){scorer->outputs[said], said == label ? 1.0 : 0.0};
    }
    const double said = scorer->outputs[model->outputs - 1];
    return (outcome){isnan(said) ? 0.0 : said, label == 1 ? 1.0 : 0.0};
}

static sotto_status read_rows(const sotto_model *model, const sotto_data_file *file,
                              outcomes *all, sot_report_images *images,
                              sotto_error *error)
{
    sot_source *source = NULL;
    sot_scorer scorer = {.model = NULL};
    bool more = true;
    sotto_status status = sot_source_open(file, model->schema, false, &source, error);
    if (status == SOTTO_OK) status = sot_scorer_open(model, &scorer, error);
    while (status == SOTTO_OK && more) {
        status = sot_scorer_next(&scorer, source, &more, error);
        if (status == SOTTO_OK && more) {
            sot_report_images_offer(images, &scorer, all->count);
            status = keep(all, judge(&scorer), error);
        }
    }
    sot_scorer_close(&scorer);
    sot_source_close(source);
    return status;
}

/* ---- the bins ---- */

static int compare(const void *a, const void *b)
{
    const outcome *x = a, *y = b;
    if (x->said != y->said) return x->said < y->said ? -1 : 1;
    return (x->found > y->found) - (x->found < y->found);
}

/* Wilson's score interval: it stays within [0, 1], and is right for few rows too. */
static void share_interval(sot_report_bin *bin)
{
    const double n = (double)bin->rows, z2 = NORMAL_975 * NORMAL_975;
    const double middle = (bin->found + z2 / (2.0 * n)) / (1.0 + z2 / n);
    const double reach = NORMAL_975 / (1.0 + z2 / n) *
                         sqrt(bin->found * (1.0 - bin->found) / n + z2 / (4.0 * n * n));
    /* It holds the share itself, up to rounding. */
    bin->lower = fmin(bin->found, fmax(0.0, middle - reach));
    bin->upper = fmax(bin->found, fmin(1.0, middle + reach));
}

static sot_report_bin summarise(const outcome *rows, size_t count, bool is_share)
{
    sot_sum said = {0}, found = {0}, squares = {0};
    for (size_t i = 0; i < count; i++) {
        sot_sum_add(&said, rows[i].said);
        sot_sum_add(&found, rows[i].found);
    }
    sot_report_bin bin = {.rows = count,
                          .said = sot_sum_value(&said) / (double)count,
                          .found = sot_sum_value(&found) / (double)count};
    if (is_share) {
        share_interval(&bin);
        return bin;
    }
    for (size_t i = 0; i < count; i++) {
        const double miss = rows[i].found - bin.found;
        sot_sum_add(&squares, miss * miss);
    }
    const double reach = count < 2
                             ? 0.0
                             : NORMAL_975 * sqrt(sot_sum_value(&squares) /
                                                 ((double)(count - 1) * (double)count));
    bin.lower = bin.found - reach;
    bin.upper = bin.found + reach;
    return bin;
}

/* Bins of nearly equal rows; rows of which the same was said stay together. */
static void fill_bins(outcomes *all, bool is_share, sot_report_scores *out)
{
    qsort(all->rows, all->count, sizeof *all->rows, compare);
    size_t bins = all->count / BIN_ROWS;
    if (bins > SOT_REPORT_BINS_MAX) bins = SOT_REPORT_BINS_MAX;
    if (bins == 0) bins = 1;
    size_t begin = 0;
    for (size_t k = 1; k <= bins && begin < all->count; k++) {
        size_t end = all->count * k / bins;
        if (end <= begin) continue;
        while (end < all->count && all->rows[end].said == all->rows[end - 1].said)
            end++;
        out->bins[out->bin_count++] = summarise(all->rows + begin, end - begin, is_share);
        begin = end;
    }
}

sotto_status sot_report_scores_read(const sotto_model *model, const sotto_data_file *file,
                                    uint64_t images, sot_report_scores *out_scores,
                                    sotto_error *error)
{
    outcomes all = {0};
    *out_scores = (sot_report_scores){.images = sot_report_images_for(model, images)};
    sotto_status status =
        sotto_model_evaluate_data(model, file, 0.5, &out_scores->evaluation, error);
    if (status == SOTTO_OK)
        status = read_rows(model, file, &all, &out_scores->images, error);
    if (status == SOTTO_OK)
        status = sot_report_images_read(&out_scores->images, model, file, error);
    if (status == SOTTO_OK)
        fill_bins(&all, sot_encoding_classes(model->encoding) > 0, out_scores);
    sot_free(all.rows);
    return status;
}

void sot_report_scores_clear(sot_report_scores *scores)
{
    sotto_evaluation_clear(&scores->evaluation);
    sot_free(scores->images.pixels);
    scores->images = (sot_report_images){.first_count = 0};
    scores->bin_count = 0;
}
