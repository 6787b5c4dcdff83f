/* A private model from a CSV file: cc train.c $(pkg-config --cflags --libs sotto) -o train
 * Use: train SCHEMA TABLE MODEL, for example train smokers.schema.json survey.csv model.json */
#include <stdio.h>

#include <sotto/sotto.h>

static int show(size_t predicted, const double *outputs, void *model)
{
    return printf("%s %.4f\n", sotto_model_class(model, predicted), outputs[1]) < 0;
}

int main(int count, char **words)
{
    sotto_error error = {SOTTO_OK, ""};
    sotto_schema *schema = NULL;
    sotto_rows *rows = NULL;
    sotto_model *model = NULL;
    if (count != 4) return 2;

    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_LOGISTIC;
    config.epsilon = 1.0; /* privacy has no default */
    config.delta = 1e-6;
    config.output = words[3]; /* the model file, with its certificate */

    sotto_status status = sotto_schema_load(words[1], &schema, &error);
    if (status == SOTTO_OK) status = sotto_rows_from_file(words[2], &rows, &error);
    if (status == SOTTO_OK) status = sotto_train(&config, schema, rows, &model, &error);
    if (status == SOTTO_OK)
        status = sotto_model_predict_rows(model, rows, 0.5, show, model, &error);
    if (status != SOTTO_OK) fprintf(stderr, "train: %s\n", error.message);
    sotto_model_free(model);
    sotto_rows_free(rows);
    sotto_schema_free(schema);
    return status != SOTTO_OK;
}
