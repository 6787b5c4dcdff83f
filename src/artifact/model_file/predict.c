/* From a row to a prediction. Post-processing of a release: no gate, no budget. */
#include <float.h>
#include <math.h>

#include "artifact/model_file/concept.h"
#include "artifact/model_file/model.h"
#include "artifact/model_file/network.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/encode/blocks.h"

/* ---- a row ---- */

/* With two classes twice the margins: sot_scorer_join_draws() computes in the second
 * half. */
static size_t draw_room(const sotto_model *model)
{
    return model->draws * (model->margins == 1 ? 2 : model->margins);
}

static sotto_status open_draws(sot_scorer *scorer, sotto_error *error)
{
    const sotto_model *model = scorer->model;
    const size_t room = draw_room(model);
    scorer->draw_margins = sot_new_array(room, sizeof *scorer->draw_margins);
    scorer->draw_outputs =
        sot_new_array(model->draws * model->outputs, sizeof *scorer->draw_outputs);
    if (scorer->draw_margins != NULL && scorer->draw_outputs != NULL) return SOTTO_OK;
    sot_scorer_close(scorer);
    return sot_fail_memory(error, room, sizeof *scorer->draw_margins);
}

sotto_status sot_scorer_open(const sotto_model *model, sot_scorer *out_scorer,
                             sotto_error *error)
{
    const size_t dimension = sot_encoding_dimension(model->encoding);
    sot_scorer scorer = {.model = model};
    scorer.features.indices = sot_new_array(dimension, sizeof *scorer.features.indices);
    scorer.features.values = sot_new_array(dimension, sizeof *scorer.features.values);
    scorer.margins = sot_new_array(model->margins, sizeof *scorer.margins);
    scorer.outputs = sot_new_array(model->outputs, sizeof *scorer.outputs);
    if (scorer.features.indices == NULL || scorer.features.values == NULL ||
        scorer.margins == NULL || scorer.outputs == NULL) {
        sot_scorer_close(&scorer);
        return sot_fail_memory(error, dimension,
                               sizeof(*scorer.features.indices) +
                                   sizeof(*scorer.features.values));
    }
    if (model->draws > 1) {
        const sotto_status status = open_draws(&scorer, error);
        if (status != SOTTO_OK) return status;
    }
    if (model->net != NULL) {
        const sotto_status status = sot_rows_ahead_open(model, &scorer.ahead, error);
        if (status != SOTTO_OK) {
            sot_scorer_close(&scorer);
            return status;
        }
    }
    *out_scorer = scorer;
    return SOTTO_OK;
}

void sot_scorer_close(sot_scorer *scorer)
{
    const sotto_model *model = scorer->model;
    if (model == NULL) return;
    const size_t dimension = sot_encoding_dimension(model->encoding);
    sot_rows_ahead_close(scorer->ahead);
    sot_wipe_and_free(scorer->features.indices,
                      dimension * sizeof *scorer->features.indices);
    sot_wipe_and_free(scorer->features.values,
                      dimension * sizeof *scorer->features.values);
    sot_wipe_and_free(scorer->margins, model->margins * sizeof *scorer->margins);
    sot_wipe_and_free(scorer->outputs, model->outputs * sizeof *scorer->outputs);
    sot_wipe_and_free(scorer->draw_margins,
                      draw_room(model) * sizeof *scorer->draw_margins);
    sot_wipe_and_free(scorer->draw_outputs,
                      model->draws * model->outputs * sizeof *scorer->draw_outputs);
    *scorer = (sot_scorer){.model = NULL};
}

/* Each branch raises e to a number that is not above 0: nothing overflows, and the small side
 * keeps its digits. A score of finite coefficients may still be infinite, or NaN when two
 * infinite terms meet; NaN says nothing either way. */
double sot_model_sigmoid(double score)
{
    if (isnan(score)) return 0.5;
    if (score >= 0.0) return 1.0 / (1.0 + exp(-score));
    const double odds = exp(score);
    return odds / (1.0 + odds);
}

/* No exponent is above 0 and one is 0: the sum is at least 1, and nothing overflows. */
void sot_model_softmax(const double *margins, size_t count, double *out_probabilities)
{
    double largest = -(double)INFINITY;
    double sum = 0.0;
    bool finite = true;
    for (size_t k = 0; k < count; k++) {
        finite = finite && isfinite(margins[k]);
        largest = fmax(largest, margins[k]);
    }
    for (size_t k = 0; k < count; k++) {
        out_probabilities[k] = finite ? exp(margins[k] - largest) : 1.0;
        sum += out_probabilities[k];
    }
    for (size_t k = 0; k < count; k++)
        out_probabilities[k] /= sum;
}

void sot_model_outputs_of(const sotto_model *model, const double *margins,
                          double *out_outputs)
{
    const double margin = margins[0];
    switch (model->prediction) {
    case SOTTO_PREDICTS_PROBABILITIES:
        if (model->margins > 1) {
            sot_model_softmax(margins, model->margins, out_outputs);
            return;
        }
        out_outputs[0] = sot_model_sigmoid(-margin);
        out_outputs[1] = sot_model_sigmoid(margin);
        return;
    case SOTTO_PREDICTS_SCORE:
    case SOTTO_PREDICTION_UNSET:
        out_outputs[0] = isnan(margin) ? 0.0 : fmax(-DBL_MAX, fmin(DBL_MAX, margin));
        return;
    case SOTTO_PREDICTS_NUMBER:
        out_outputs[0] = sot_encoding_target_value(
            model->encoding, sot_encoding_role(model->encoding) == SOT_TARGET_COUNT
                                 ? exp(margin)
                                 : margin);
        return;
    }
}

/* One look-up for each block. */
static void find_additive(sot_scorer *scorer, const sot_record *record)
{
    const sotto_model *model = scorer->model;
    const size_t values = sot_encoding_values(model->encoding) + 1;
    double *margins =
        scorer->draw_margins != NULL ? scorer->draw_margins : scorer->margins;
    for (size_t k = 0; k < model->draws * model->margins; k++)
        margins[k] =
            sot_encoding_score(model->encoding, model->curves + k * values, record);
}

static void find_margins(sot_scorer *scorer, const sot_record *record)
{
    const sotto_model *model = scorer->model;
    const sot_features *features = &scorer->features;
    const size_t dimension = sot_encoding_dimension(model->encoding);
    sot_encode(model->encoding, record, &scorer->features);
    /* Draws stand one after another, and so do their margins. */
    double *margins =
        scorer->draw_margins != NULL ? scorer->draw_margins : scorer->margins;
    for (size_t k = 0; k < model->draws * model->margins; k++) {
        const double *coefficients = model->coefficients + k * dimension;
        double margin = 0.0;
        for (size_t i = 0; i < features->count; i++)
            margin += coefficients[features->indices[i]] * (double)features->values[i];
        margins[k] = margin;
    }
}

static void read_record(sot_scorer *scorer, const sot_record *record)
{
    const sotto_model *model = scorer->model;
    if (model->concept != NULL) {
        scorer->margins[0] =
            sot_model_concept_score(model, record, scorer->features.indices);
    } else if (model->curves != NULL) {
        find_additive(scorer, record);
    } else {
        find_margins(scorer, record);
    }
    if (sot_encoding_role(model->encoding) == SOT_TARGET_CLASSES) {
        scorer->label = sot_encode_label(model->encoding, record);
    } else {
        scorer->number = sot_encode_number(model->encoding, record);
    }
}

void sot_scorer_conclude(sot_scorer *scorer)
{
    if (scorer->draw_margins != NULL) {
        sot_scorer_join_draws(scorer);
    } else {
        sot_model_outputs_of(scorer->model, scorer->margins, scorer->outputs);
    }
}

sotto_status sot_scorer_next(sot_scorer *scorer, sot_source *source, bool *out_more,
                             sotto_error *error)
{
    sotto_status status;
    if (scorer->ahead != NULL) {
        status = sot_rows_ahead_next(scorer, source, out_more, error);
    } else {
        sot_record record;
        status = sot_source_next(source, &record, out_more, error);
        if (status == SOTTO_OK && *out_more && scorer->on_record != NULL)
            status = scorer->on_record(scorer->on_record_context, &record, error);
        if (status == SOTTO_OK && *out_more) read_record(scorer, &record);
        sot_wipe(&record, sizeof record);
    }
    if (status == SOTTO_OK && *out_more) sot_scorer_conclude(scorer);
    return status;
}

size_t sot_scorer_decide(const sot_scorer *scorer, double threshold)
{
    const double *outputs = scorer->outputs;
    size_t best = 0;
    switch (scorer->model->prediction) {
    case SOTTO_PREDICTS_PROBABILITIES:
        if (scorer->model->outputs == 2) return outputs[1] >= threshold ? 1 : 0;
        for (size_t k = 1; k < scorer->model->outputs; k++)
            if (outputs[k] > outputs[best]) best = k;
        return best;
    case SOTTO_PREDICTS_SCORE:
        return outputs[0] >= 0.0 ? 1 : 0;
    case SOTTO_PREDICTS_NUMBER:
    case SOTTO_PREDICTION_UNSET:
        break;
    }
    return 0;
}

sotto_status sot_model_check_threshold(const sotto_model *model, double threshold,
                                       sotto_error *error)
{
    if (!(threshold >= 0.0 && threshold <= 1.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`threshold` is %g; a probability lies between 0 and 1; for "
                        "example `threshold=0.5`",
                        threshold);
    }
    const bool meant =
        model->prediction == SOTTO_PREDICTS_PROBABILITIES && model->outputs == 2;
    if (meant || threshold == 0.5) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`threshold` is %g, but the model %s does not decide between two "
                    "classes by a probability; leave `threshold` out",
                    threshold, sotto_model_kind_name(model->kind));
}

/* ---- rows ---- */

sotto_status sotto_model_predict(const sotto_model *model, const sotto_array *features,
                                 double *out_values, sotto_error *error)
{
    const sotto_records records = {.features = *features};
    sot_scorer scorer = {.model = NULL};
    sot_source *source = NULL;
    bool more = false;
    sotto_status status =
        sot_source_open_records(&records, model->schema, &source, error);
    if (status == SOTTO_OK) status = sot_scorer_open(model, &scorer, error);
    if (status == SOTTO_OK) status = sot_scorer_next(&scorer, source, &more, error);
    for (double *out = out_values; status == SOTTO_OK && more; out += model->outputs) {
        for (size_t k = 0; k < model->outputs; k++)
            out[k] = scorer.outputs[k];
        status = sot_scorer_next(&scorer, source, &more, error);
    }
    sot_scorer_close(&scorer);
    sot_source_close(source);
    return status;
}

sotto_status sot_model_predict_source(const sotto_model *model, sot_source *source,
                                      double threshold,
                                      sotto_prediction_function function, void *context,
                                      sotto_error *error)
{
    sot_scorer scorer = {.model = NULL};
    bool more = false;
    sotto_status status = sot_scorer_open(model, &scorer, error);
    if (status == SOTTO_OK) status = sot_scorer_next(&scorer, source, &more, error);
    while (status == SOTTO_OK && more) {
        if (function(sot_scorer_decide(&scorer, threshold), scorer.outputs, context) !=
            0) {
            status = sot_fail(error, SOTTO_INTERRUPTED, "the prediction was stopped");
        } else {
            status = sot_scorer_next(&scorer, source, &more, error);
        }
    }
    sot_scorer_close(&scorer);
    return status;
}

sotto_status sotto_model_predict_data(const sotto_model *model,
                                      const sotto_data_file *file, double threshold,
                                      sotto_prediction_function function, void *context,
                                      sotto_error *error)
{
    sot_source *source = NULL;
    sotto_status status = sot_model_check_threshold(model, threshold, error);
    if (status == SOTTO_OK)
        status = sot_source_open(file, model->schema, true, &source, error);
    if (status == SOTTO_OK)
        status =
            sot_model_predict_source(model, source, threshold, function, context, error);
    sot_source_close(source);
    return status;
}
