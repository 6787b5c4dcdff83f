/* tests/artifact/model_file/models.h: model files of made-up trainings, for the tests of src/artifact/model_file. */
#ifndef SOTTO_TESTS_MODELS_H
#define SOTTO_TESTS_MODELS_H

#include "artifact/certificate/certificates.h"

#include <sotto/model.h>

#include "artifact/model_file/model.h"
#include "base/memory.h"

/* Encoded: age, town=Lund, town=Ystad, visits, (intercept); the target is smokes. */
#define MODEL_TABLE                                                                      \
    "{\"dataset\": \"clinic-2026\", \"target\": \"smokes\", \"columns\": ["              \
    "{\"name\": \"person\", \"type\": \"ignore\"}, "                                     \
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 20, \"upper\": 84, "           \
    "\"missing\": 36}, "                                                                 \
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\"], "   \
    "\"missing\": \"Ystad\"}, "                                                          \
    "{\"name\": \"smokes\", \"type\": \"boolean\", \"missing\": false}, "                \
    "{\"name\": \"visits\", \"type\": \"integer\", \"lower\": 0, \"upper\": 8}]}"
enum { MODEL_TABLE_DIMENSION = 5 };

#define MODEL_MATRIX                                                                     \
    "{\"features\": 6, \"labels\": [-1, 1], "                                            \
    "\"row_norm\": {\"bound\": 1.0, \"rule\": \"scale\"}}"
enum { MODEL_MATRIX_DIMENSION = 6 };

static const double model_table_coefficients[MODEL_TABLE_DIMENSION] = {
    0x1.8p+0, -0x1.4p-1, 0x1.2cp+1, -0x1.8p-3, 0x1.4p-2};
static const double model_matrix_coefficients[MODEL_MATRIX_DIMENSION] = {
    0x1.8p+1, -0x1.4p+2, 0x1.2cp+1, -0x1.8p+0, 0x1.4p-2, 0x1.99999999999ap-4};
static const char *const model_table_features[MODEL_TABLE_DIMENSION] = {
    "age", "town=Lund", "town=Ystad", "visits", "(intercept)"};
static const char *const model_table_classes[2] = {"false", "true"};
static const char *const model_matrix_classes[2] = {"-1", "1"};
static const sot_model_setting model_settings[2] = {{.name = "lambda", .value = 2.375},
                                                    {.name = "tau", .value = 1.0 / 3.0}};

/* Content of a model of public rows; fields may be changed before it is written. */
static inline sot_model_content model_table_content(void)
{
    return (sot_model_content){.model = "logistic",
                               .method = "none",
                               .epsilon = SOTTO_UNSET,
                               .delta = SOTTO_UNSET,
                               .schema_json = MODEL_TABLE,
                               .classes = model_table_classes,
                               .class_count = 2,
                               .features = model_table_features,
                               .coefficients = model_table_coefficients,
                               .dimension = MODEL_TABLE_DIMENSION,
                               .margins = 1,
                               .settings = model_settings,
                               .setting_count = 2};
}

static inline sot_model_content model_matrix_content(void)
{
    sot_model_content content = model_table_content();
    content.schema_json = MODEL_MATRIX;
    content.classes = model_matrix_classes;
    content.features = NULL;
    content.coefficients = model_matrix_coefficients;
    content.dimension = MODEL_MATRIX_DIMENSION;
    return content;
}

/* Free with sot_free(). */
static inline char *model_text(const sot_model_content *content)
{
    char *text = NULL;
    sotto_error error;
    assert_ok(sot_model_write(content, &text, &error), &error);
    return text;
}

/* A model of SAMPLE_PURE's training (epsilon 0.5), certified. Free with
 * sotto_free(). */
static inline char *model_certified_text(double epsilon)
{
    sot_model_content content = model_table_content();
    sample made;
    sotto_error error;
    char hash[SOTTO_HASH_HEX_BYTES];
    content.method = "output";
    content.epsilon = epsilon;
    content.adjacency = SOTTO_ADD_REMOVE;
    char *payload = model_text(&content);
    char *text = NULL;
    sample_from_json(&made, SAMPLE_PURE, 0.0);
    assert_ok(sot_certificate_attach(payload, &made.certificate, &text, hash, &error),
              &error);
    sample_free(&made);
    sot_free(payload);
    return text;
}

static inline sotto_model *model_of(const sot_model_content *content)
{
    char *text = model_text(content);
    sotto_model *model = NULL;
    sotto_error error;
    assert_ok(sotto_model_parse("model.json", text, strlen(text), &model, &error),
              &error);
    sot_free(text);
    return model;
}

/* `text` with the first `from` replaced. */
static inline void model_replace(const char *text, const char *from, const char *to,
                                 char *out, size_t size)
{
    const char *found = strstr(text, from);
    if (found == NULL) fail_msg("the file has no %s: %s", from, text);
    const int before = (int)(found - text);
    (void)snprintf(out, size, "%.*s%s%s", before, text, to, text + before + strlen(from));
}

/* The content's file with the first `from` replaced is refused, and the message has `word`. */
static inline void model_refuse_damaged(const sot_model_content *content,
                                        const char *from, const char *to,
                                        const char *word)
{
    sotto_error error;
    sotto_model *model = NULL;
    char changed[4096];
    char *text = model_text(content);
    model_replace(text, from, to, changed, sizeof changed);
    assert_refused(sotto_model_parse("m.json", changed, strlen(changed), &model, &error),
                   SOTTO_PARSE, &error, word, NULL);
    assert_null(model);
    sot_free(text);
}

#endif
