/* The model behind the front door: its file, and predictions and scores on rows of every kind. */
#include <string.h>

#include <sotto/model.h>
#include <sotto/output.h>

#include "artifact/model_file/model.h"
#include "data/source/source.h"
#include "door/rows.h"

const char *sotto_model_json(const sotto_model *model)
{
    return model->json;
}

sotto_status sotto_model_save(const sotto_model *model, const char *path, bool overwrite,
                              sotto_error *error)
{
    return sotto_output_put(path, SOTTO_OUTPUT_CERTIFIED, overwrite, model->json,
                            strlen(model->json), error);
}

/* ---- predictions ---- */

static sotto_status predict_records(const sotto_model *model,
                                    const sotto_records *records, double threshold,
                                    sotto_prediction_function function, void *context,
                                    sotto_error *error)
{
    sot_source *source = NULL;
    sotto_status status = sot_source_open_records(records, model->schema, &source, error);
    if (status == SOTTO_OK)
        status =
            sot_model_predict_source(model, source, threshold, function, context, error);
    sot_source_close(source);
    return status;
}

/* A stream to predict for may lack the target: sotto_arrow_cells() knows that. */
static sotto_status predict_stream(const sotto_model *model,
                                   struct ArrowArrayStream *stream, double threshold,
                                   sotto_prediction_function function, void *context,
                                   sotto_error *error)
{
    sotto_records records = {.stream = NULL};
    sotto_status status =
        sotto_arrow_cells(model->schema, stream, &records.features, error);
    if (status != SOTTO_OK) return status;
    status = predict_records(model, &records, threshold, function, context, error);
    sotto_arrow_free_cells(&records.features);
    return status;
}

sotto_status sotto_model_predict_rows(const sotto_model *model, const sotto_rows *rows,
                                      double threshold,
                                      sotto_prediction_function function, void *context,
                                      sotto_error *error)
{
    sotto_status status = sot_rows_check(rows, error);
    if (status == SOTTO_OK) status = sot_model_check_threshold(model, threshold, error);
    if (status != SOTTO_OK) return status;
    const sotto_data_file *file = sot_rows_file(rows);
    if (file != NULL)
        return sotto_model_predict_data(model, file, threshold, function, context, error);
    const sotto_records *records = sot_rows_records(rows);
    return records->stream != NULL
               ? predict_stream(model, records->stream, threshold, function, context,
                                error)
               : predict_records(model, records, threshold, function, context, error);
}

sotto_status sotto_model_evaluate(const sotto_model *model, const sotto_rows *rows,
                                  double threshold, sotto_evaluation *out_evaluation,
                                  sotto_error *error)
{
    const sotto_status status = sot_rows_check(rows, error);
    if (status != SOTTO_OK) return status;
    const sotto_data_file *file = sot_rows_file(rows);
    return file != NULL
               ? sotto_model_evaluate_data(model, file, threshold, out_evaluation, error)
               : sotto_model_evaluate_records(model, sot_rows_records(rows), threshold,
                                              out_evaluation, error);
}
