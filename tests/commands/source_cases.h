/* Commands on tables in storage, and every neighbour of them. NULL, or the first leak. */
#ifndef SOTTO_TESTS_SOURCE_CASES_H
#define SOTTO_TESTS_SOURCE_CASES_H

#include "source_study.h"

static const char *const in_lund[] = {"town=Lund", NULL};

enum { STUDIES_MAX = 24 };

static inline source_study statistic(const char *name, sotto_statistic kind,
                                     const char *column)
{
    source_study study = {
        .name = name, .is_release = true, .schema = source_schema, .needs_n = false};
    study.release = sotto_release_defaults();
    study.release.statistic = kind;
    study.release.column = column;
    study.release.epsilon = 0.75;
    return study;
}

static inline size_t all_releases(source_study *out, bool replaced, bool selects)
{
    size_t count = 0;
    if (!replaced || selects)
        out[count++] = statistic("count", SOTTO_RELEASE_COUNT, NULL);
    out[count] = statistic("count where", SOTTO_RELEASE_COUNT, NULL);
    out[count++].release.where = in_lund;
    out[count++] = statistic("sum", SOTTO_RELEASE_SUM, "age");
    out[count] = statistic("mean", SOTTO_RELEASE_MEAN, "age");
    out[count++].needs_n = replaced;
    out[count] = statistic("gaussian mean", SOTTO_RELEASE_MEAN, "visits");
    out[count].needs_n = replaced;
    out[count++].release.delta = 1e-6;
    out[count++] = statistic("histogram", SOTTO_RELEASE_HISTOGRAM, "town");
    out[count] = statistic("quantile", SOTTO_RELEASE_QUANTILE, "visits");
    out[count++].release.quantile = 0.25;
    out[count++] = statistic("bounds", SOTTO_RELEASE_BOUNDS, "age");
    out[count] = statistic("choice by count", SOTTO_RELEASE_CHOICE, "town");
    out[count++].release.score = SOTTO_SCORE_COUNT;
    out[count] = statistic("choice by revenue", SOTTO_RELEASE_CHOICE, "visits");
    out[count].release.score = SOTTO_SCORE_REVENUE;
    out[count++].release.candidates = "1,2.5,4";
    out[count] = statistic("choice by quantile", SOTTO_RELEASE_CHOICE, "visits");
    out[count].release.score = SOTTO_SCORE_QUANTILE;
    out[count].release.quantile = 0.5;
    out[count++].release.candidates = "1,3,5";
    out[count] = statistic("accuracy", SOTTO_RELEASE_ACCURACY, NULL);
    out[count].is_accuracy = true;
    out[count++].needs_n = replaced;
    out[count] = statistic("scores", SOTTO_RELEASE_SCORES, NULL);
    out[count++].is_accuracy = true;
    if (replaced && !selects) /* selected rows are refused: test_stability.c */
        out[count++] = statistic("randomised answers", SOTTO_RELEASE_RESPONSES, "smokes");
    for (size_t i = 0; i < count; i++)
        out[i].release.adjacency = replaced ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE;
    return count;
}

static inline source_study training(const char *name, sotto_model_kind model,
                                    sotto_method method, sotto_adjacency adjacency)
{
    source_study study = {.name = name, .schema = source_schema};
    study.train = sotto_train_defaults();
    study.train.model = model;
    study.train.method = method;
    study.train.adjacency = adjacency;
    study.train.epsilon = 0.75;
    study.train.delta = 1e-6;
    if (method != SOTTO_METHOD_OBJECTIVE) study.train.expected_rows = 8;
    if (method == SOTTO_METHOD_GD || method == SOTTO_METHOD_SGD) study.train.steps = 2;
    if (method == SOTTO_METHOD_SGD) study.train.batch = 4;
    return study;
}

static inline size_t all_trainings(source_study *out, sotto_adjacency adjacency)
{
    size_t count = 0;
    /* The first is the quickest: some tests take it. */
    out[count++] = training("gd", SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_GD, adjacency);
    out[count++] =
        training("objective", SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_OBJECTIVE, adjacency);
    out[count++] = training("output", SOTTO_MODEL_SVM, SOTTO_METHOD_OUTPUT, adjacency);
    out[count++] = training("sgd", SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_SGD, adjacency);
    out[count] = training("newton", SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_NEWTON, adjacency);
    out[count++].train.steps = 2;
    out[count] =
        training("tuning", SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_OBJECTIVE, adjacency);
    out[count++].is_tuning = true;
    out[count++] = training("softmax", SOTTO_MODEL_SOFTMAX, SOTTO_METHOD_GD, adjacency);
    out[count++] =
        training("additive", SOTTO_MODEL_ADDITIVE, SOTTO_METHOD_OBJECTIVE, adjacency);
    out[count] =
        training("concept", SOTTO_MODEL_CONCEPT, SOTTO_METHOD_EXPONENTIAL, adjacency);
    out[count].train.concept = "{\"class\": \"stumps\", \"columns\": [\"age\"], "
                               "\"bits\": 4}";
    out[count].train.expected_rows = 0;
    out[count++].train.delta = SOTTO_UNSET;
    out[count] = training("teachers", SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_AUTO, adjacency);
    out[count++].is_pate = true;
    return count;
}

/* Answers and coins belong to places: a record that moves in the table moves those of others. The proof couples coins
 * with records (stability.md), which the tape, with its one seed, cannot: so the record that differs comes last. That
 * answers leave in a random order is test_stability.c's to see. */
static inline bool moves_others(const source_study *study)
{
    return study->is_release ? study->release.statistic == SOTTO_RELEASE_RESPONSES
                             : study->train.method == SOTTO_METHOD_SGD;
}

/* Conditions, scores of models and teachers are for files: sotto/release.h, sotto/pate.h. */
static inline bool needs_a_file(const source_study *study)
{
    return study->is_pate || study->is_accuracy ||
           (study->is_release && study->release.where != NULL);
}

/* Releases of all statistics, or trainings by the first `most` methods, from the layouts. */
static inline const char *source_leak_of_all(bool is_release, size_t most,
                                             sotto_adjacency adjacency,
                                             const source_layout *layouts, size_t count)
{
    source_study studies[STUDIES_MAX];
    const char *leak = NULL;
    for (size_t j = 0; j < count && leak == NULL; j++) {
        const size_t size = is_release
                                ? all_releases(studies, adjacency == SOTTO_REPLACE_ONE,
                                               source_selects(layouts[j]))
                                : all_trainings(studies, adjacency);
        for (size_t i = 0; i < size && i < most && leak == NULL; i++) {
            if (moves_others(&studies[i]) && layouts[j] == SOURCE_WITHOUT_ROWID) continue;
            if (source_is_arrow(layouts[j]) && needs_a_file(&studies[i])) continue;
            studies[i].layout = layouts[j];
            leak =
                source_leak(&studies[i], adjacency, 5, moves_others(&studies[i]) ? 4 : 2);
        }
    }
    return leak;
}

/* ---- units ---- */

/* All rows of one person at once; the table has three people. */
static inline tape_table *without_person(const tape_table *table, const char *person)
{
    tape_table *rest =
        tape_table_new(table->columns, table->column_count, table->rows, 1);
    size_t kept = 0;
    for (size_t i = 0; i < table->rows; i++) {
        if (strcmp(tape_at(table, i, 3)->text, person) == 0) continue;
        memcpy(&rest->cells[kept * table->column_count], tape_at(table, i, 0),
               table->column_count * sizeof *rest->cells);
        kept++;
    }
    rest->rows = kept;
    return rest;
}

static inline const char *source_leak_of_persons(source_study *study)
{
    const tape_study tape = source_tape(study);
    const char *leak = NULL;
    tape_table *table = tape_table_new(source_columns, SOURCE_COLUMNS, 12, 5);
    for (size_t i = 0; source_people[i] != NULL && leak == NULL; i++) {
        tape_table *rest = without_person(table, source_people[i]);
        source_must(rest->rows < table->rows);
        leak = tape_check(&tape, table, rest);
        if (leak == NULL) leak = tape_check(&tape, rest, table);
        tape_table_free(rest);
    }
    tape_table_free(table);
    return leak == NULL ? NULL : source_name_leak(study, leak);
}

static inline const char *source_leak_of_units(const source_layout *layouts, size_t count)
{
    source_study studies[STUDIES_MAX];
    const char *leak = NULL;
    for (size_t j = 0; j < count && leak == NULL; j++) {
        size_t size = all_releases(studies, false, false);
        studies[size++] =
            training("gd", SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_GD, SOTTO_ADD_REMOVE);
        for (size_t i = 0; i < size && leak == NULL; i++) {
            const sotto_statistic kind = studies[i].release.statistic;
            if (source_is_arrow(layouts[j]) && needs_a_file(&studies[i])) continue;
            studies[i].layout = layouts[j];
            studies[i].schema = source_unit_schema;
            if (!studies[i].is_release || kind == SOTTO_RELEASE_COUNT ||
                kind == SOTTO_RELEASE_SUM || kind == SOTTO_RELEASE_MEAN ||
                kind == SOTTO_RELEASE_HISTOGRAM)
                leak = source_leak_of_persons(&studies[i]);
        }
    }
    return leak;
}

#endif
