/* A model of the study's table, its rows in a file, and a run of one of its statistics. */
#ifndef SOTTO_TESTS_MODEL_STUDY_H
#define SOTTO_TESTS_MODEL_STUDY_H

#include "support.h"

#include <unistd.h>

#include <sotto/model.h>

#include "base/file/file.h"
#include "release_study.h"

/* Of the study's table: whether a row has more than two visits. */
static const char model_text[] =
    "{\"kind\": \"model\", \"version\": 1, \"model\": \"logistic\", \"method\": "
    "\"none\", "
    "\"settings\": {}, \"classes\": [\"<=2\", \">2\"], \"schema\": {\"dataset\": "
    "\"study-1\", \"target\": {\"column\": \"visits\", \"above\": 2}, \"columns\": ["
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90},"
    "{\"name\": \"visits\", \"type\": \"integer\", \"lower\": 0, \"upper\": 6},"
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\", "
    "\"Kivik\"]}]}, \"features\": [\"age\", \"town=Lund\", \"town=Ystad\", "
    "\"town=Kivik\", \"(intercept)\"], \"coefficients\": [\"0x1.8p+1\", \"-0x1p+0\", "
    "\"0x1p-1\", \"0x1p+0\", \"-0x1p-3\"]}";

static inline sotto_model *read_model(const char *text)
{
    sotto_model *model = NULL;
    sotto_error error;
    assert_ok(sotto_model_parse("model.json", text, strlen(text), &model, &error),
              &error);
    return model;
}

/* What the command does, as study_run(), with a model's schema. */
static inline int model_run(const tape_table *table, const tape_place *place,
                            void *context)
{
    const release_study *study = context;
    sotto_release_config config = study->config;
    sotto_error error = {0};
    sotto_release_result *result = NULL;
    if (study->n_is_public) config.public_n = table->rows;
    const sotto_status status = sotto_release_data(
        &config, sotto_model_schema(config.model),
        &(const sotto_data_file){.path = place->input_path}, &result, &error);
    if (status == SOTTO_OK) {
        printf("%s%s", sotto_release_text(result), sotto_release_json(result));
        fprintf(stderr, "%s", sotto_release_certificate(result));
    } else {
        fprintf(stderr, "%s\n", error.message);
    }
    sotto_release_free(result);
    return study_exit_code(status);
}

static inline const char *write_rows(void)
{
    static char path[64];
    char text[8192];
    size_t size = (size_t)snprintf(text, sizeof text, "town,age,visits\n");
    for (int i = 0; i < 300; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%s,%d.5,%d\n",
                                 study_towns[i % 3], 18 + (i * 37) % 72, (i * i) % 7);
    sotto_error error;
    (void)snprintf(path, sizeof path, "/tmp/sotto-accuracy-%ld.csv", (long)getpid());
    assert_ok(sot_file_write(path, text, size, 0600, &error), &error);
    return path;
}

/* The same table: which town a row has, by a softmax model; the visits, by a linear one. */
#define STUDY_MODEL(model, target, classes, features, coefficients)                      \
    "{\"kind\": \"model\", \"version\": 2, \"model\": \"" model                          \
    "\", \"method\": \"none\", \"settings\": {}, " classes                               \
    "\"schema\": {\"dataset\": \"study-1\", \"target\": \"" target "\", \"columns\": ["  \
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90},"           \
    "{\"name\": \"visits\", \"type\": \"integer\", \"lower\": 0, \"upper\": 6},"         \
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\", "    \
    "\"Kivik\"]}]}, \"features\": [" features                                            \
    ", \"(intercept)\"], \"coefficients\": [" coefficients "]}"
static const char softmax_text[] =
    STUDY_MODEL("softmax", "town", "\"classes\": [\"Lund\", \"Ystad\", \"Kivik\"], ",
                "\"age\", \"visits\"",
                "[\"0x1p+1\", \"0x1p+0\", \"0x1p-3\"], [\"-0x1p+0\", \"0x1.8p+1\", "
                "\"0x0p+0\"], [\"0x1p-1\", \"-0x1p+0\", \"-0x1p-2\"]");
static const char linear_text[] = STUDY_MODEL(
    "linear", "visits", "", "\"age\", \"town=Lund\", \"town=Ystad\", \"town=Kivik\"",
    "\"0x1p+1\", \"0x1p+0\", \"0x1p-3\", \"0x1p+0\", \"0x1p-1\"");

#endif
