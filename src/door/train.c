/* Training behind the front door: one call for rows of every kind, and a model handle as its result. */
#include <string.h>

#include <sotto/model.h>
#include <sotto/train.h>

#include "base/copy.h"
#include "base/memory.h"
#include "door/rows.h"

sotto_status sotto_train(const sotto_train_config *config, const sotto_schema *schema,
                         const sotto_rows *rows, sotto_model **out_model,
                         sotto_error *error)
{
    sotto_train_result *result = NULL;
    sotto_status status = sot_rows_check(rows, error);
    if (status != SOTTO_OK) return status;
    const sotto_data_file *file = sot_rows_file(rows);
    status = file != NULL ? sotto_train_data(config, schema, file, &result, error)
                          : sotto_train_records(config, schema, sot_rows_records(rows),
                                                &result, error);
    if (status != SOTTO_OK) return status;
    const char *json = sotto_train_json(result);
    status = sotto_model_parse("the trained model", json, strlen(json), out_model, error);
    if (status != SOTTO_OK) sotto_train_hold(result); /* the same call gives it again */
    sotto_train_free(result);
    return status;
}

sotto_status sotto_train_plan(const sotto_train_config *config,
                              const sotto_schema *schema, char **out_json,
                              char **out_text, sotto_error *error)
{
    sotto_training *training = NULL;
    char *json = NULL, *text = NULL;
    sotto_status status = sotto_training_plan(config, schema, &training, error);
    if (status != SOTTO_OK) return status;
    if (out_json != NULL)
        status = sot_copy_text(sotto_training_json(training), &json, error);
    if (status == SOTTO_OK && out_text != NULL)
        status = sot_copy_text(sotto_training_text(training), &text, error);
    sotto_training_free(training);
    if (status != SOTTO_OK) {
        sot_free(json);
        return status;
    }
    if (out_json != NULL) *out_json = json;
    if (out_text != NULL) *out_text = text;
    return SOTTO_OK;
}
