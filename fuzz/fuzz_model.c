/* Any bytes as a model file: refused in one line, or a model all of whose parts are there, which
 * gives every row a prediction and exports as text. */
#include <math.h>
#include <string.h>

#include <sotto/model.h>

#include "artifact/model_file/model.h"
#include "base/memory.h"
#include "require.h"

/* Wide models are slow to export and have no more to show. */
static const size_t dimension_tried = 4096;

static void check_parts(const sotto_model *model)
{
    require(sotto_model_dimension(model) > 0);
    for (size_t i = 0; i < sotto_model_dimension(model); i++)
        require(sotto_model_feature(model, i)[0] != '\0');
    require(model->net != NULL || model->concept != NULL ||
            sotto_model_coefficients(model) ==
                sotto_model_margins(model) * sotto_model_dimension(model));
    for (size_t i = 0; i < sotto_model_coefficients(model); i++)
        require(isfinite(sotto_model_coefficient(model, i)));
    char rule[64];
    require((sotto_model_concept(model, rule, sizeof rule)[0] != '\0') ==
            (model->concept != NULL));
    const size_t classes = sotto_model_classes(model);
    const bool numbers = sotto_model_predicts(model) == SOTTO_PREDICTS_NUMBER;
    require(numbers ? classes == 0 : classes >= 2);
    require(sotto_model_margins(model) == 1 || sotto_model_margins(model) == classes);
    for (size_t i = 1; i < classes; i++)
        require(strcmp(sotto_model_class(model, i - 1), sotto_model_class(model, i)) !=
                0);
}

/* Counts of a concept by laplace: the rule is that of the least, and every place has one. */
static void check_errors(const sotto_model *model)
{
    sotto_training_errors errors;
    sotto_error error;
    const size_t lists = sotto_model_error_lists(model);
    require((sotto_model_training_errors(model, 0.05, &errors, &error) == SOTTO_OK) ==
            (lists > 0));
    for (size_t list = 0; list < lists; list++) {
        char rule[64], own[64];
        size_t places[3];
        const size_t count = sotto_model_error_count(model, list);
        const size_t found = sotto_model_best_concepts(model, list, 3, places);
        require(sotto_model_error_scale(model, list) > 0.0);
        require(found == (count < 3 ? count : 3));
        for (size_t i = 0; i < found; i++)
            require(sotto_model_concept_at(model, list, places[i], rule, sizeof rule,
                                           &error) == SOTTO_OK &&
                    rule[0] != '\0');
        if (list + 1 < lists) continue;
        require(sotto_model_noisy_errors(model, list, places[0]) == errors.noisy);
        require(errors.upper >= errors.noisy - 1);
        require(sotto_model_concept_at(model, list, places[0], rule, sizeof rule,
                                       &error) == SOTTO_OK &&
                strcmp(rule, sotto_model_concept(model, own, sizeof own)) == 0);
    }
}

/* The widest that the draws show holds something, and the prediction is the same. */
static void check_interval(const sotto_model *model, const sotto_array *row,
                           const double *outputs)
{
    double values[SOT_MODEL_CLASSES_MAX];
    double lower[SOT_MODEL_CLASSES_MAX], upper[SOT_MODEL_CLASSES_MAX];
    const double level = 1.0 - 2.0 / ((double)sotto_model_draws(model) + 1.0);
    sotto_error error;
    require(sotto_model_draws_needed(level) == sotto_model_draws(model));
    require(sotto_model_predict_interval(model, row, level, values, lower, upper,
                                         &error) == SOTTO_OK);
    for (size_t i = 0; i < sotto_model_outputs(model); i++)
        require(values[i] == outputs[i] && lower[i] <= upper[i]);
}

static void check_prediction(const sotto_model *model, double cell)
{
    const sotto_schema *schema = sotto_model_schema(model);
    const size_t columns = sotto_schema_is_matrix(schema) ? sotto_schema_features(schema)
                                                          : sotto_schema_size(schema);
    double *cells = sot_new_array(columns, sizeof *cells);
    double outputs[SOT_MODEL_CLASSES_MAX];
    const size_t count = sotto_model_outputs(model);
    const sotto_target *target = sotto_schema_target(sotto_model_schema(model));
    sotto_error error;
    require(cells != NULL);
    for (size_t i = 0; i < columns; i++)
        cells[i] = cell;
    const sotto_array row = {.data = cells,
                             .element = SOTTO_FLOAT64,
                             .rows = 1,
                             .columns = columns,
                             .row_stride_bytes = 0,
                             .column_stride_bytes = sizeof *cells};
    require(count >= 1 && count <= SOT_MODEL_CLASSES_MAX);
    require(sotto_model_predict(model, &row, outputs, &error) == SOTTO_OK);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        require(!isnan(outputs[i]));
        sum += outputs[i];
    }
    for (size_t i = 0; i < count; i++)
        require(sotto_model_predicts(model) != SOTTO_PREDICTS_PROBABILITIES ||
                (outputs[i] >= 0.0 && outputs[i] <= 1.0 && fabs(sum - 1.0) < 1e-9));
    if (sotto_model_predicts(model) == SOTTO_PREDICTS_NUMBER)
        require(outputs[0] >= target->lower && outputs[0] <= target->upper);
    if (sotto_model_draws(model) > 1) check_interval(model, &row, outputs);
    sot_free(cells);
}

/* Numbers that a row is on its way: a network of a short file can be wide. */
static bool is_small(const sotto_model *model)
{
    size_t size = sotto_model_dimension(model);
    for (size_t i = 0; model->net != NULL && i < model->net->layer_count; i++)
        size += sot_shape_size(model->net->layers[i].out);
    return size <= dimension_tried;
}

/* Only plain text gets out: no byte of a name leaves its literal or its comment. */
static void check_export(const sotto_model *model)
{
    char *text = NULL;
    sotto_error error;
    const sotto_status status = sotto_model_export_c(model, "m", &text, &error);
    /* Scattering, or more scores than a stack holds. */
    if (status == SOTTO_UNSUPPORTED && (model->net != NULL || model->draws > 1)) return;
    require(status == SOTTO_OK);
    size_t opened = 0, closed = 0;
    for (const char *c = text; *c != '\0'; c++) {
        require((unsigned char)*c >= 0x20 || *c == '\n');
        opened += c[0] == '/' && c[1] == '*';
        closed += c[0] == '*' && c[1] == '/';
    }
    require(opened > 0 && closed > 0);
    require(strstr(text, " m_predict(") != NULL);
    sotto_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sotto_model *model = NULL;
    sotto_error error = {SOTTO_OK, ""};
    if (size > (1u << 20)) return 0;
    const sotto_status status =
        sotto_model_parse("fuzz", (const char *)data, size, &model, &error);
    if (status != SOTTO_OK) {
        require(model == NULL && error.status == status);
        require(error.message[0] != '\0' && strchr(error.message, '\n') == NULL);
        return 0;
    }
    check_parts(model);
    check_errors(model);
    if (is_small(model)) {
        static const double cells[] = {0.0, 1.0, -2.5e300, 1e-310, 0.375};
        for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
            check_prediction(model, cells[i]);
        check_prediction(model, (double)NAN);
        check_export(model);
    }
    sotto_model_free(model);
    return 0;
}
