/* Predictions of rows by each posterior sample of a model, and the interval of most of
 * them. */
#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/memory.h"

/* A row's interval in the making. */
typedef struct reader {
    sot_scorer scorer;
    sot_source *source;
    double *room; /* draws numbers to sort, then the lower ends, then the upper ones */
    double *lower, *upper;
} reader;

static sotto_status open_reader(reader *self, const sotto_model *model,
                                sotto_error *error)
{
    const size_t room = model->draws + 2 * model->outputs;
    self->room = sot_new_array(room, sizeof *self->room);
    if (self->room == NULL) return sot_fail_memory(error, room, sizeof *self->room);
    self->lower = self->room + model->draws;
    self->upper = self->lower + model->outputs;
    return sot_scorer_open(model, &self->scorer, error);
}

static void close_reader(reader *self, const sotto_model *model)
{
    sot_wipe_and_free(self->room,
                      (model->draws + 2 * model->outputs) * sizeof *self->room);
    sot_scorer_close(&self->scorer);
    sot_source_close(self->source);
}

static void copy(const double *from, size_t count, double **out)
{
    for (size_t j = 0; j < count; j++)
        *(*out)++ = from[j];
}

/* `level` 0: each sample's predictions go to `out_values`, one sample after another. */
static sotto_status predict_records(const sotto_model *model, const sotto_array *features,
                                    double level, double *out_values, double *out_lower,
                                    double *out_upper, sotto_error *error)
{
    const sotto_records records = {.features = *features};
    reader self = {.scorer = {.model = NULL}};
    bool more = false;
    sotto_status status =
        sot_source_open_records(&records, model->schema, &self.source, error);
    if (status == SOTTO_OK) status = open_reader(&self, model, error);
    if (status == SOTTO_OK)
        status = sot_scorer_next(&self.scorer, self.source, &more, error);
    while (status == SOTTO_OK && more) {
        if (level > 0.0) {
            sot_scorer_interval(&self.scorer, level, self.room, self.lower, self.upper);
            copy(self.scorer.outputs, model->outputs, &out_values);
            copy(self.lower, model->outputs, &out_lower);
            copy(self.upper, model->outputs, &out_upper);
        } else if (model->draws == 1) {
            copy(self.scorer.outputs, model->outputs, &out_values);
        } else {
            copy(self.scorer.draw_outputs, model->draws * model->outputs, &out_values);
        }
        status = sot_scorer_next(&self.scorer, self.source, &more, error);
    }
    close_reader(&self, model);
    return status;
}

sotto_status sotto_model_predict_draws(const sotto_model *model,
                                       const sotto_array *features, double *out_values,
                                       sotto_error *error)
{
    return predict_records(model, features, 0.0, out_values, NULL, NULL, error);
}

sotto_status sotto_model_predict_interval(const sotto_model *model,
                                          const sotto_array *features, double level,
                                          double *out_values, double *out_lower,
                                          double *out_upper, sotto_error *error)
{
    const sotto_status status = sot_model_check_level(model, level, error);
    if (status != SOTTO_OK) return status;
    return predict_records(model, features, level, out_values, out_lower, out_upper,
                           error);
}

sotto_status sotto_model_predict_interval_data(const sotto_model *model,
                                               const sotto_data_file *file,
                                               double threshold, double level,
                                               sotto_interval_function function,
                                               void *context, sotto_error *error)
{
    reader self = {.scorer = {.model = NULL}};
    bool more = false;
    sotto_status status = sot_model_check_threshold(model, threshold, error);
    if (status == SOTTO_OK) status = sot_model_check_level(model, level, error);
    if (status == SOTTO_OK)
        status = sot_source_open(file, model->schema, true, &self.source, error);
    if (status == SOTTO_OK) status = open_reader(&self, model, error);
    if (status == SOTTO_OK)
        status = sot_scorer_next(&self.scorer, self.source, &more, error);
    while (status == SOTTO_OK && more) {
        sot_scorer_interval(&self.scorer, level, self.room, self.lower, self.upper);
        if (function(sot_scorer_decide(&self.scorer, threshold), self.scorer.outputs,
                     self.lower, self.upper, context) != 0) {
            status = sot_fail(error, SOTTO_INTERRUPTED, "the prediction was stopped");
        } else {
            status = sot_scorer_next(&self.scorer, self.source, &more, error);
        }
    }
    close_reader(&self, model);
    return status;
}
