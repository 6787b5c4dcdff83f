/* A tuning as a run of the tape harness, on the table of train_study.h, and public rows to score on. */
#ifndef SOTTO_TESTS_TUNE_STUDY_H
#define SOTTO_TESTS_TUNE_STUDY_H

#include <unistd.h>

#include <sotto/tune.h>

#include "commands/train/train_study.h"

static char tune_validation[64];

/* Public rows: a file of its own for the program. */
static inline int tune_write_validation(void **state)
{
    (void)state;
    strcpy(tune_validation, "/tmp/tune-public-XXXXXX");
    const int fd = mkstemp(tune_validation);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (file == NULL) return -1;
    fputs("age,town,person,smokes\n", file);
    for (int i = 0; i < 40; i++)
        fprintf(file, "%d.5,%s,p1,%s\n", 19 + (i * 37) % 70, i % 3 ? "Lund" : "Ystad",
                (i * 37) % 70 > 30 + i % 11 ? "yes" : "no");
    return fclose(file);
}

static inline int tune_remove_validation(void **state)
{
    (void)state;
    return unlink(tune_validation);
}

typedef struct tune_study {
    sotto_tune_config config;
    uint64_t seed;
    const char *schema; /* NULL: study_schema */
    bool writes_file;
} tune_study;

/* What the command does, in one process: everything that leaves is printed or written. */
static inline int tune_study_run(const tape_table *table, const tape_place *place,
                                 void *context)
{
    const tune_study *study = context;
    sotto_tune_config config = study->config;
    sotto_error error = {0};
    sotto_schema *schema = NULL;
    sotto_train_result *result = NULL;
    char output[512];
    (void)table;
    (void)snprintf(output, sizeof output, "%s/model.json", place->output_directory);
    if (study->writes_file) config.train.output = output;
    config.train.insecure_test = true;
    config.train.test_seed = study->seed;
    config.train.threads = 1;
    const char *text = study->schema == NULL ? study_schema : study->schema;
    const sotto_data_file file = {.path = place->input_path};
    sotto_status status =
        sotto_schema_parse("schema.json", text, strlen(text), &schema, &error);
    if (status == SOTTO_OK)
        status = sotto_tune_data(&config, schema, &file, &result, &error);
    if (status == SOTTO_OK) {
        printf("%s%s%s", sotto_train_text(result), sotto_train_json(result),
               sotto_train_certificate(result));
    } else {
        fprintf(stderr, "%s\n", error.message);
    }
    sotto_train_free(result);
    sotto_schema_free(schema);
    return status == SOTTO_OK ? 0 : 1;
}

static inline tape_study tune_study_of(tune_study *study)
{
    return (tape_study){.run = tune_study_run,
                        .context = study,
                        .columns = study_columns,
                        .column_count = sizeof study_columns / sizeof study_columns[0]};
}

static inline sotto_runs tune_runs(sotto_runs_law law, double shape, double mean)
{
    sotto_runs runs;
    sotto_error error;
    const sotto_status status = sotto_runs_from_mean(law, shape, mean, &runs, &error);
    return status == SOTTO_OK ? runs : sotto_runs_defaults();
}

/* Scored on the public rows; the study of one method with a grid of its own. */
static inline sotto_tune_config tune_config(sotto_method method,
                                            sotto_adjacency adjacency, double delta,
                                            const char *grid)
{
    sotto_tune_config config = sotto_tune_defaults();
    config.train = study_config(method, adjacency, delta);
    config.train.steps = 0;
    config.grid = grid;
    config.runs = tune_runs(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 3.0);
    config.validation = tune_validation;
    return config;
}

#endif
