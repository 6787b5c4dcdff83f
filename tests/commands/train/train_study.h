/* A training as a run of the tape harness, a small table for it, and all methods on it. */
#ifndef SOTTO_TESTS_TRAIN_STUDY_H
#define SOTTO_TESTS_TRAIN_STUDY_H

#include <stdio.h>
#include <string.h>

#include <sotto/train.h>

#include "tape.h"

static const char *const study_towns[] = {"Lund", "Ystad", NULL};
static const char *const study_answers[] = {"no", "yes", NULL};
static const char *const study_people[] = {"p1", "p2", "p3", NULL};

static const tape_column study_columns[] = {{"age", 18.0, 90.0, NULL},
                                            {"town", 0.0, 0.0, study_towns},
                                            {"person", 0.0, 0.0, study_people},
                                            {"smokes", 0.0, 0.0, study_answers}};

#define STUDY_COLUMNS                                                                    \
    "\"target\": \"smokes\", \"columns\": ["                                             \
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90},"           \
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\"]},"   \
    "{\"name\": \"person\", \"type\": \"id\"},"                                          \
    "{\"name\": \"smokes\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}"

static const char study_schema[] = "{\"dataset\": \"study-1\", " STUDY_COLUMNS;
static const char study_unit_schema[] =
    "{\"dataset\": \"study-1\", \"unit\": {\"column\": \"person\", \"rows\": 2}, "
    "\"row_norm\": {\"bound\": 1.25, \"rule\": \"clip\"}, " STUDY_COLUMNS;

typedef struct train_study {
    sotto_train_config config;
    bool n_is_public;   /* declare the table's own number of rows */
    const char *schema; /* NULL: study_schema */
    bool writes_file;
} train_study;

/* What the command does, in one process: everything that leaves is printed or written. */
static inline int study_run(const tape_table *table, const tape_place *place,
                            void *context)
{
    const train_study *study = context;
    sotto_train_config config = study->config;
    sotto_error error = {0};
    sotto_schema *schema = NULL;
    sotto_train_result *result = NULL;
    char output[512];
    (void)snprintf(output, sizeof output, "%s/model.json", place->output_directory);
    if (study->writes_file) config.output = output;
    config.insecure_test = true;
    config.test_seed = 20261115;
    config.threads = 1;
    if (study->n_is_public) config.public_n = table->rows;
    const char *text = study->schema == NULL ? study_schema : study->schema;
    sotto_status status =
        sotto_schema_parse("schema.json", text, strlen(text), &schema, &error);
    if (status == SOTTO_OK)
        status = sotto_train_data(&config, schema,
                                  &(const sotto_data_file){.path = place->input_path},
                                  &result, &error);
    if (status == SOTTO_OK) {
        printf("%s%s", sotto_train_text(result), sotto_train_json(result));
    } else {
        fprintf(stderr, "%s\n", error.message);
    }
    sotto_train_free(result);
    sotto_schema_free(schema);
    return status == SOTTO_OK ? 0 : 1;
}

static inline tape_study study_of(train_study *study)
{
    return (tape_study){.run = study_run,
                        .context = study,
                        .columns = study_columns,
                        .column_count = sizeof study_columns / sizeof study_columns[0]};
}

/* A study that only ever fails would show nothing either: it must release. */
static inline bool study_releases(const tape_study *tape)
{
    int exit_code = -1;
    tape_table *table = tape_table_new(tape->columns, tape->column_count, 9, 4);
    const size_t releases = tape_releases(tape, table, &exit_code);
    tape_table_free(table);
    return releases > 0 && exit_code == 0;
}

static inline sotto_train_config study_config(sotto_method method,
                                              sotto_adjacency adjacency, double delta)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_LOGISTIC;
    config.method = method;
    config.adjacency = adjacency;
    config.epsilon = 0.75;
    config.delta = delta;
    if (method == SOTTO_METHOD_GD) config.steps = 3;
    if (method == SOTTO_METHOD_GD || method == SOTTO_METHOD_OUTPUT)
        config.expected_rows = 8;
    return config;
}

/* One table, every kind of row coming in, going or changing, in both directions; NULL, or a leak. The
 * slow tests try every table and every place. */
static inline const char *study_leak_of(const tape_study *tape, sotto_adjacency adjacency,
                                        size_t rows, size_t place)
{
    const char *leak = NULL;
    tape_table *table = tape_table_new(tape->columns, tape->column_count, rows, 11);
    for (int row = 0; row < TAPE_ROWS && leak == NULL; row++) {
        tape_table *neighbour = tape_neighbour(table, adjacency, (tape_row)row, place);
        if (neighbour == NULL) continue;
        leak = tape_check(tape, table, neighbour);
        if (leak == NULL && row % 4 == 0) leak = tape_check(tape, neighbour, table);
        tape_table_free(neighbour);
    }
    tape_table_free(table);
    return leak;
}

#endif
