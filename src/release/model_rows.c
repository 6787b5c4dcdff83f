/* Rows through a network: read ahead and scored together, handed out one by one. */
#include "release/model_network.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "net/engine.h"

/* Enough to keep every thread at work; fewer where a row is wide: 64 MiB of them. */
enum { ROWS_MOST = 512, FLOATS_MOST = 1 << 24 };

struct sot_net_scorer {
    const sot_net *net;
    sot_pool *pool;
    sot_engine *engine;
    float *parameters;
    size_t room; /* for so many rows */
    float *rows; /* encoded, room x stride */
    size_t stride;
    float *front; /* what the front makes of them; NULL: it does nothing */
    size_t front_size;
    const float **inputs; /* into `rows`, then into `front` */
    float *scores;        /* room x outputs */
    size_t *labels;
    double *numbers;
    size_t count, next; /* rows that are there, and the one to hand out */
    bool ended;         /* the source has no more */
};

/* ---- room ---- */

void sot_net_scorer_close(sot_net_scorer *scorer)
{
    if (scorer == NULL) return;
    sot_engine_free(scorer->engine);
    sot_pool_free(scorer->pool);
    sot_free(scorer->parameters);
    sot_wipe_and_free(scorer->rows, scorer->room * scorer->stride * sizeof *scorer->rows);
    sot_wipe_and_free(scorer->front,
                      scorer->room * scorer->front_size * sizeof *scorer->front);
    sot_free(scorer->inputs);
    sot_wipe_and_free(scorer->scores,
                      scorer->room * scorer->net->outputs * sizeof *scorer->scores);
    sot_wipe_and_free(scorer->labels, scorer->room * sizeof *scorer->labels);
    sot_wipe_and_free(scorer->numbers, scorer->room * sizeof *scorer->numbers);
    sot_free(scorer);
}

static sotto_status make_room(sot_net_scorer *scorer, const sotto_model *model,
                              sotto_error *error)
{
    const sot_net *net = model->net;
    const bool plain = sot_net_front_is_identity(net);
    scorer->parameters = sot_new_aligned(net->parameters, sizeof *scorer->parameters);
    scorer->rows = sot_new_aligned(scorer->room * scorer->stride, sizeof *scorer->rows);
    if (!plain)
        scorer->front =
            sot_new_aligned(scorer->room * scorer->front_size, sizeof *scorer->front);
    scorer->inputs = sot_new_array(scorer->room, sizeof *scorer->inputs);
    scorer->scores = sot_new_array(scorer->room * net->outputs, sizeof *scorer->scores);
    scorer->labels = sot_new_array(scorer->room, sizeof *scorer->labels);
    scorer->numbers = sot_new_array(scorer->room, sizeof *scorer->numbers);
    if (scorer->parameters == NULL || scorer->rows == NULL ||
        (!plain && scorer->front == NULL) || scorer->inputs == NULL ||
        scorer->scores == NULL || scorer->labels == NULL || scorer->numbers == NULL) {
        return sot_fail_memory(error, scorer->room * (scorer->stride + scorer->front_size),
                               sizeof *scorer->rows);
    }
    for (size_t i = 0; i < net->parameters; i++)
        scorer->parameters[i] = (float)model->coefficients[i];
    return SOTTO_OK;
}

sotto_status sot_net_scorer_open(const sotto_model *model, sot_net_scorer **out_scorer,
                                 sotto_error *error)
{
    const size_t dimension = sot_encoding_dimension(model->encoding);
    sot_net_scorer *scorer = sot_new_array(1, sizeof *scorer);
    if (scorer == NULL) return sot_fail_memory(error, 1, sizeof *scorer);
    scorer->net = model->net;
    scorer->stride = (dimension + SOT_MATRIX_LANES - 1) / SOT_MATRIX_LANES * SOT_MATRIX_LANES;
    scorer->front_size = sot_shape_size(sot_net_front_shape(model->net));
    scorer->room = FLOATS_MOST / (scorer->stride + scorer->front_size) + 1;
    if (scorer->room > ROWS_MOST) scorer->room = ROWS_MOST;
    sotto_status status = make_room(scorer, model, error);
    if (status == SOTTO_OK) status = sot_pool_new(0, &scorer->pool, error);
    if (status == SOTTO_OK)
        status = sot_engine_new(model->net, NULL, 1, scorer->pool, &scorer->engine, error);
    if (status != SOTTO_OK) {
        sot_net_scorer_close(scorer);
        return status;
    }
    *out_scorer = scorer;
    return SOTTO_OK;
}

/* ---- rows ---- */

static void keep_row(sot_net_scorer *ahead, const sotto_model *model,
                     sot_features *features, const sot_record *record)
{
    const size_t place = ahead->count++;
    float *row = ahead->rows + place * ahead->stride;
    memset(row, 0, ahead->stride * sizeof *row);
    sot_encode(model->encoding, record, features);
    for (size_t i = 0; i < features->count; i++)
        row[features->indices[i]] = features->values[i];
    if (sot_encoding_role(model->encoding) == SOT_TARGET_CLASSES) {
        ahead->labels[place] = sot_encode_label(model->encoding, record);
    } else {
        ahead->numbers[place] = sot_encode_number(model->encoding, record);
    }
}

static sotto_status score_rows(sot_net_scorer *ahead, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < ahead->count; i++)
        ahead->inputs[i] = ahead->rows + i * ahead->stride;
    if (ahead->front != NULL) {
        status = sot_front_apply(ahead->net, ahead->parameters, ahead->inputs,
                                 ahead->count, ahead->pool, ahead->front, error);
        for (size_t i = 0; i < ahead->count; i++)
            ahead->inputs[i] = ahead->front + i * ahead->front_size;
    }
    if (status == SOTTO_OK)
        status = sot_engine_scores(ahead->engine, ahead->parameters, ahead->inputs,
                                   ahead->count, ahead->scores, error);
    return status;
}

static sotto_status read_ahead(sot_scorer *scorer, sot_source *source, sotto_error *error)
{
    sot_net_scorer *ahead = scorer->ahead;
    sot_record record;
    bool more = !ahead->ended;
    sotto_status status = SOTTO_OK;
    ahead->count = 0;
    ahead->next = 0;
    while (status == SOTTO_OK && more && ahead->count < ahead->room) {
        status = sot_source_next(source, &record, &more, error);
        if (status == SOTTO_OK && more)
            keep_row(ahead, scorer->model, &scorer->features, &record);
    }
    ahead->ended = !more;
    if (status == SOTTO_OK && ahead->count > 0) status = score_rows(ahead, error);
    sot_wipe(&record, sizeof record);
    return status;
}

sotto_status sot_net_scorer_next(sot_scorer *scorer, sot_source *source, bool *out_more,
                                 sotto_error *error)
{
    sot_net_scorer *ahead = scorer->ahead;
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
