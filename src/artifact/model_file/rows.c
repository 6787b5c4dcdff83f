/* Rows through a network: read ahead and scored together, returned one by one. */
#include "artifact/model_file/network.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "models/network/engine/scores.h"

struct sot_rows_ahead {
    const sot_net *net;
    sot_pool *pool;
    sot_scores *finder;
    float *parameters;
    size_t room; /* rows */
    float *rows; /* encoded, room x dimension */
    size_t dimension;
    const float **places; /* of the rows */
    float *scores;        /* room x outputs */
    size_t *labels;
    double *numbers;
    size_t count, next; /* rows that are there, and the one to hand out */
    bool ended;         /* the source has no more */
};

/* ---- room ---- */

void sot_rows_ahead_close(sot_rows_ahead *ahead)
{
    if (ahead == NULL) return;
    sot_scores_free(ahead->finder);
    sot_pool_free(ahead->pool);
    sot_free(ahead->parameters);
    sot_wipe_and_free(ahead->rows, ahead->room * ahead->dimension * sizeof *ahead->rows);
    sot_free(ahead->places);
    sot_wipe_and_free(ahead->scores,
                      ahead->room * ahead->net->outputs * sizeof *ahead->scores);
    sot_wipe_and_free(ahead->labels, ahead->room * sizeof *ahead->labels);
    sot_wipe_and_free(ahead->numbers, ahead->room * sizeof *ahead->numbers);
    sot_free(ahead);
}

static sotto_status make_room(sot_rows_ahead *ahead, const sotto_model *model,
                              sotto_error *error)
{
    const sot_net *net = model->net;
    ahead->room = sot_scores_room(ahead->finder);
    ahead->parameters = sot_new_aligned(net->parameters, sizeof *ahead->parameters);
    ahead->rows = sot_new_array(ahead->room * ahead->dimension, sizeof *ahead->rows);
    ahead->places = sot_new_array(ahead->room, sizeof *ahead->places);
    ahead->scores = sot_new_array(ahead->room * net->outputs, sizeof *ahead->scores);
    ahead->labels = sot_new_array(ahead->room, sizeof *ahead->labels);
    ahead->numbers = sot_new_array(ahead->room, sizeof *ahead->numbers);
    if (ahead->parameters == NULL || ahead->rows == NULL || ahead->places == NULL ||
        ahead->scores == NULL || ahead->labels == NULL || ahead->numbers == NULL)
        return sot_fail_memory(error, ahead->room * ahead->dimension,
                               sizeof *ahead->rows);
    for (size_t i = 0; i < net->parameters; i++)
        ahead->parameters[i] = (float)model->coefficients[i];
    for (size_t i = 0; i < ahead->room; i++)
        ahead->places[i] = ahead->rows + i * ahead->dimension;
    return SOTTO_OK;
}

sotto_status sot_rows_ahead_open(const sotto_model *model, sot_rows_ahead **out_ahead,
                                 sotto_error *error)
{
    sot_rows_ahead *ahead = sot_new_array(1, sizeof *ahead);
    if (ahead == NULL) return sot_fail_memory(error, 1, sizeof *ahead);
    ahead->net = model->net;
    ahead->dimension = sot_encoding_dimension(model->encoding);
    sotto_status status = sot_pool_new(0, &ahead->pool, error);
    if (status == SOTTO_OK)
        status = sot_scores_new(model->net, ahead->pool, &ahead->finder, error);
    if (status == SOTTO_OK) status = make_room(ahead, model, error);
    if (status != SOTTO_OK) {
        sot_rows_ahead_close(ahead);
        return status;
    }
    *out_ahead = ahead;
    return SOTTO_OK;
}

/* ---- rows ---- */

static void keep_row(sot_rows_ahead *ahead, const sotto_model *model,
                     sot_features *features, const sot_record *record)
{
    const size_t place = ahead->count++;
    float *row = ahead->rows + place * ahead->dimension;
    memset(row, 0, ahead->dimension * sizeof *row);
    sot_encode(model->encoding, record, features);
    for (size_t i = 0; i < features->count; i++)
        row[features->indices[i]] = features->values[i];
    if (sot_encoding_role(model->encoding) == SOT_TARGET_CLASSES) {
        ahead->labels[place] = sot_encode_label(model->encoding, record);
    } else {
        ahead->numbers[place] = sot_encode_number(model->encoding, record);
    }
}

static sotto_status read_ahead(sot_scorer *scorer, sot_source *source, sotto_error *error)
{
    sot_rows_ahead *ahead = scorer->ahead;
    sot_record record;
    bool more = !ahead->ended;
    sotto_status status = SOTTO_OK;
    ahead->count = 0;
    ahead->next = 0;
    while (status == SOTTO_OK && more && ahead->count < ahead->room) {
        status = sot_source_next(source, &record, &more, error);
        if (status == SOTTO_OK && more && scorer->on_record != NULL)
            status = scorer->on_record(scorer->on_record_context, &record, error);
        if (status == SOTTO_OK && more)
            keep_row(ahead, scorer->model, &scorer->features, &record);
    }
    ahead->ended = !more;
    if (status == SOTTO_OK && ahead->count > 0)
        status = sot_scores_find(ahead->finder, ahead->parameters, ahead->places,
                                 ahead->count, ahead->scores, error);
    sot_wipe(&record, sizeof record);
    return status;
}

sotto_status sot_rows_ahead_next(sot_scorer *scorer, sot_source *source, bool *out_more,
                                 sotto_error *error)
{
    sot_rows_ahead *ahead = scorer->ahead;
    if (ahead->next == ahead->count) {
        const sotto_status status = read_ahead(scorer, source, error);
        if (status != SOTTO_OK) return status;
    }
    *out_more = ahead->next < ahead->count;
    if (!*out_more) return SOTTO_OK;
    const size_t place = ahead->next++;
    for (size_t k = 0; k < ahead->net->outputs; k++)
        scorer->margins[k] = (double)ahead->scores[place * ahead->net->outputs + k];
    scorer->label = ahead->labels[place];
    scorer->number = ahead->numbers[place];
    return SOTTO_OK;
}
