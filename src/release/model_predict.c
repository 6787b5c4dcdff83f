/* From a row to a probability. Post-processing of what was released: no gate, no budget. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "release/model.h"

sotto_status sot_scorer_open(const sotto_model *model, sot_scorer *out_scorer,
                             sotto_error *error)
{
    const size_t dimension = sot_encoding_dimension(model->encoding);
    sot_scorer scorer = {.model = model};
    scorer.features.indices = sot_new_array(dimension, sizeof *scorer.features.indices);
    scorer.features.values = sot_new_array(dimension, sizeof *scorer.features.values);
    if (scorer.features.indices == NULL || scorer.features.values == NULL) {
        sot_scorer_close(&scorer);
        return sot_fail_memory(error, dimension,
                               sizeof(*scorer.features.indices) +
                                   sizeof(*scorer.features.values));
    }
    *out_scorer = scorer;
    return SOTTO_OK;
}

void sot_scorer_close(sot_scorer *scorer)
{
    if (scorer->model == NULL) return;
    const size_t dimension = sot_encoding_dimension(scorer->model->encoding);
    sot_wipe_and_free(scorer->features.indices,
                      dimension * sizeof *scorer->features.indices);
    sot_wipe_and_free(scorer->features.values,
                      dimension * sizeof *scorer->features.values);
    *scorer = (sot_scorer){.model = NULL};
}

double sot_scorer_score(sot_scorer *scorer, const sot_record *record)
{
    const sot_features *features = &scorer->features;
    sot_encode(scorer->model->encoding, record, &scorer->features);
    double score = 0.0;
    for (size_t i = 0; i < features->count; i++) {
        score += scorer->model->coefficients[features->indices[i]] *
                 (double)features->values[i];
    }
    return score;
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

size_t sot_model_decide(double score, double threshold)
{
    return sot_model_sigmoid(score) >= threshold ? 1 : 0;
}

sotto_status sot_model_check_threshold(double threshold, sotto_error *error)
{
    if (threshold >= 0.0 && threshold <= 1.0) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the threshold is %g; give a probability, from 0 to 1", threshold);
}

sotto_status sotto_model_predict(const sotto_model *model, const sotto_array *features,
                                 double *out_probabilities, sotto_error *error)
{
    const sotto_records records = {.features = *features};
    sot_scorer scorer = {.model = NULL};
    sot_source *source = NULL;
    sot_record record;
    bool more = false;
    sotto_status status =
        sot_source_open_records(&records, model->schema, &source, error);
    if (status == SOTTO_OK) status = sot_scorer_open(model, &scorer, error);
    if (status == SOTTO_OK) status = sot_source_next(source, &record, &more, error);
    for (size_t row = 0; status == SOTTO_OK && more; row++) {
        const double score = sot_scorer_score(&scorer, &record);
        out_probabilities[2 * row] = sot_model_sigmoid(-score);
        out_probabilities[2 * row + 1] = sot_model_sigmoid(score);
        status = sot_source_next(source, &record, &more, error);
    }
    sot_scorer_close(&scorer);
    sot_source_close(source);
    return status;
}

sotto_status sotto_model_predict_file(const sotto_model *model, const char *path,
                                      double threshold,
                                      sotto_prediction_function function, void *context,
                                      sotto_error *error)
{
    sot_scorer scorer = {.model = NULL};
    sot_source *source = NULL;
    sot_record record;
    bool more = false;
    sotto_status status = sot_model_check_threshold(threshold, error);
    if (status == SOTTO_OK)
        status = sot_source_open_file(path, model->schema, true, &source, error);
    if (status == SOTTO_OK) status = sot_scorer_open(model, &scorer, error);
    if (status == SOTTO_OK) status = sot_source_next(source, &record, &more, error);
    while (status == SOTTO_OK && more) {
        const double score = sot_scorer_score(&scorer, &record);
        const double probabilities[2] = {sot_model_sigmoid(-score),
                                         sot_model_sigmoid(score)};
        if (function(sot_model_decide(score, threshold), probabilities, context) != 0) {
            status = sot_fail(error, SOTTO_INTERRUPTED, "the prediction was stopped");
        } else {
            status = sot_source_next(source, &record, &more, error);
        }
    }
    sot_scorer_close(&scorer);
    sot_source_close(source);
    return status;
}
