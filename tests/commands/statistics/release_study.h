/* A release as a run of the tape harness, a small table for it, and all statistics of it. */
#ifndef SOTTO_TESTS_RELEASE_STUDY_H
#define SOTTO_TESTS_RELEASE_STUDY_H

#include <stdio.h>
#include <string.h>

#include <sotto/release.h>

#include "tape.h"

static const char *const study_towns[] = {"Lund", "Ystad", "Kivik", NULL};

static const tape_column study_columns[] = {{"age", 18.0, 90.0, NULL},
                                            {"visits", 0.0, 6.0, NULL},
                                            {"town", 0.0, 0.0, study_towns}};

static const char study_schema[] =
    "{\"dataset\": \"study-1\", \"columns\": ["
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90},"
    "{\"name\": \"visits\", \"type\": \"integer\", \"lower\": 0, \"upper\": 6},"
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\", "
    "\"Kivik\"]}]}";

typedef struct release_study {
    sotto_release_config config;
    bool n_is_public;   /* declare the table's own number of rows */
    const char *schema; /* NULL: study_schema */
    bool writes_file;
} release_study;

static inline int study_exit_code(sotto_status status)
{
    if (status == SOTTO_OK) return 0;
    return status == SOTTO_BUDGET_EXCEEDED ? 3 : 1;
}

/* What the command does, in one process: everything that leaves is printed or written. */
static inline int study_run(const tape_table *table, const tape_place *place,
                            void *context)
{
    const release_study *study = context;
    sotto_release_config config = study->config;
    sotto_error error = {0};
    sotto_schema *schema = NULL;
    sotto_release_result *result = NULL;
    char output[512];
    (void)snprintf(output, sizeof output, "%s/release.json", place->output_directory);
    /* The file's text is printed too; writing it, with its fsync, is tried where it counts. */
    if (study->writes_file) config.output = output;
    config.insecure_test = true;
    config.test_seed = 20261115;
    if (study->n_is_public) config.public_n = table->rows;
    const char *text = study->schema == NULL ? study_schema : study->schema;
    sotto_status status =
        sotto_schema_parse("schema.json", text, strlen(text), &schema, &error);
    if (status == SOTTO_OK)
        status = sotto_release_data(&config, schema,
                                    &(const sotto_data_file){.path = place->input_path},
                                    &result, &error);
    if (status == SOTTO_OK) {
        printf("%s%s", sotto_release_text(result), sotto_release_json(result));
        fprintf(stderr, "%s", sotto_release_certificate(result));
    } else {
        fprintf(stderr, "%s\n", error.message);
    }
    sotto_release_free(result);
    sotto_schema_free(schema);
    return study_exit_code(status);
}

static inline tape_study study_of(release_study *study)
{
    return (tape_study){.run = study_run,
                        .context = study,
                        .columns = study_columns,
                        .column_count = sizeof study_columns / sizeof study_columns[0]};
}

static const char *const in_lund[] = {"town=Lund", NULL};

/* Sums come first, choices from STUDY_CHOICES on: the tests share the work. */
enum { STUDIES_MAX = 20, STUDY_CHOICES = 7 };

typedef struct named_config {
    const char *name;
    sotto_release_config config;
} named_config;

/* The statistics with everything they can be asked for. */
static inline size_t all_statistics(named_config *out, sotto_adjacency adjacency)
{
    size_t count = 0;
    sotto_release_config base = sotto_release_defaults();
    base.adjacency = adjacency;
    base.epsilon = 0.75;
#define ADD(label, ...)                                                                  \
    do {                                                                                 \
        sotto_release_config config = base;                                              \
        __VA_ARGS__;                                                                     \
        out[count++] = (named_config){label, config};                                    \
    } while (0)
    ADD("count where", config.statistic = SOTTO_RELEASE_COUNT; config.where = in_lund);
    ADD("sum", config.statistic = SOTTO_RELEASE_SUM; config.column = "age");
    ADD("sum where", config.statistic = SOTTO_RELEASE_SUM; config.column = "visits";
        config.where = in_lund);
    ADD("mean", config.statistic = SOTTO_RELEASE_MEAN; config.column = "age");
    ADD("mean where, gaussian", config.statistic = SOTTO_RELEASE_MEAN;
        config.column = "visits"; config.where = in_lund; config.delta = 1e-6);
    ADD("histogram", config.statistic = SOTTO_RELEASE_HISTOGRAM; config.column = "town");
    ADD("histogram of bins, gaussian", config.statistic = SOTTO_RELEASE_HISTOGRAM;
        config.column = "age"; config.edges = "20,30.5,65,80"; config.delta = 1e-6);
    ADD("quantile", config.statistic = SOTTO_RELEASE_QUANTILE; config.column = "visits";
        config.quantile = 0.25);
    ADD("bounds", config.statistic = SOTTO_RELEASE_BOUNDS; config.column = "age");
    ADD("choice by count", config.statistic = SOTTO_RELEASE_CHOICE;
        config.column = "town"; config.score = SOTTO_SCORE_COUNT);
    ADD("choice by revenue", config.statistic = SOTTO_RELEASE_CHOICE;
        config.column = "age"; config.score = SOTTO_SCORE_REVENUE;
        config.candidates = "18,30.25,44.5,90"; config.mechanism = SOTTO_EXPONENTIAL);
    ADD("choice by quantile", config.statistic = SOTTO_RELEASE_CHOICE;
        config.column = "visits"; config.score = SOTTO_SCORE_QUANTILE;
        config.candidates = "1,2,5"; config.quantile = 0.5; config.where = in_lund);
    if (adjacency == SOTTO_ADD_REMOVE)
        ADD("count", config.statistic = SOTTO_RELEASE_COUNT);
#undef ADD
    return count;
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

/* The first leak of the statistics from `begin` to before `end`, or NULL. */
static inline const char *study_leak(sotto_adjacency adjacency, size_t begin, size_t end)
{
    static char found[2048];
    named_config all[STUDIES_MAX];
    const size_t count = all_statistics(all, adjacency);
    for (size_t i = begin; i < end && i < count; i++) {
        release_study study = {.config = all[i].config,
                               .writes_file = i == 0,
                               .n_is_public = adjacency == SOTTO_REPLACE_ONE &&
                                              all[i].config.where == NULL};
        const tape_study tape = study_of(&study);
        const char *leak = study_releases(&tape) ? tape_check_neighbours(&tape, adjacency)
                                                 : "it releases nothing";
        if (leak == NULL) continue;
        (void)snprintf(found, sizeof found, "%s: %s", all[i].name, leak);
        return found;
    }
    return NULL;
}

#endif
