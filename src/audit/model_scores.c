#include "audit/model_scores.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/source.h"
#include "release/model.h"

enum { ROOM_FIRST = 1024 };

double sot_log_odds(const double *margins, size_t count, size_t label)
{
    double most = -INFINITY, sum = 0.0;
    for (size_t i = 0; i < count; i++)
        if (i != label) most = fmax(most, margins[i]);
    for (size_t i = 0; i < count; i++)
        if (i != label) sum += exp(margins[i] - most);
    return margins[label] - most - log(sum);
}

static double score_of(const sot_scorer *scorer)
{
    const sotto_model *model = scorer->model;
    if (model->prediction == SOTTO_PREDICTS_NUMBER) {
        const double error = scorer->outputs[0] - scorer->number;
        return -error * error;
    }
    if (model->margins > 1)
        return sot_log_odds(scorer->margins, model->margins, scorer->label);
    if (model->prediction == SOTTO_PREDICTS_SCORE)
        return scorer->label == 1 ? scorer->outputs[0] : -scorer->outputs[0];
    return scorer->label == 1 ? scorer->margins[0] : -scorer->margins[0];
}

static sotto_status append(sot_confidences *out, size_t *room, double value,
                           sotto_error *error)
{
    if (out->count == *room) {
        const size_t more = *room == 0 ? ROOM_FIRST : 2 * *room;
        double *values = sot_new_array(more, sizeof *values);
        if (values == NULL) return sot_fail_memory(error, more, sizeof *values);
        if (out->count > 0) memcpy(values, out->values, out->count * sizeof *values);
        sot_free(out->values);
        out->values = values;
        *room = more;
    }
    out->values[out->count++] = value;
    return SOTTO_OK;
}

sotto_status sot_confidences_of(const sotto_model *model, const sotto_data_file *file,
                                sot_confidences *out, sotto_error *error)
{
    sot_source *source = NULL;
    sot_scorer scorer;
    size_t room = 0;
    bool more = true;
    *out = (sot_confidences){.values = NULL};
    sotto_status status = sot_source_open(file, model->schema, false, &source, error);
    if (status != SOTTO_OK) return status;
    status = sot_scorer_open(model, &scorer, error);
    if (status == SOTTO_OK) {
        while (status == SOTTO_OK && more) {
            status = sot_scorer_next(&scorer, source, &more, error);
            if (status == SOTTO_OK && more)
                status = append(out, &room, score_of(&scorer), error);
        }
        sot_scorer_close(&scorer);
    }
    sot_source_close(source);
    return status;
}
