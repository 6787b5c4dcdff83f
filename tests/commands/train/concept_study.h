/* Every class of concepts as a run of the tape harness: a table that all of them can be learned from, and settings. */
#ifndef SOTTO_TESTS_CONCEPT_STUDY_H
#define SOTTO_TESTS_CONCEPT_STUDY_H

#include "train_study.h"

static const char *const concept_towns[] = {"Lund", "Ystad", "Kivik", NULL};

static const tape_column concept_columns[] = {
    {"age", 18.0, 90.0, NULL},          {"visits", 0.0, 4.0, NULL},
    {"town", 0.0, 0.0, concept_towns},  {"guess", 0.0, 0.0, study_answers},
    {"person", 0.0, 0.0, study_people}, {"smokes", 0.0, 0.0, study_answers}};

#define CONCEPT_COLUMNS                                                                  \
    "\"target\": \"smokes\", \"columns\": ["                                             \
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90},"           \
    "{\"name\": \"visits\", \"type\": \"integer\", \"lower\": 0, \"upper\": 4},"         \
    "{\"name\": \"town\", \"type\": \"category\", "                                      \
    "\"values\": [\"Lund\", \"Ystad\", \"Kivik\"]},"                                     \
    "{\"name\": \"guess\", \"type\": \"boolean\"},"                                      \
    "{\"name\": \"person\", \"type\": \"id\"},"                                          \
    "{\"name\": \"smokes\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}"

static const char concept_schema[] = "{\"dataset\": \"study-3\", " CONCEPT_COLUMNS;
static const char concept_unit_schema[] =
    "{\"dataset\": \"study-3\", \"unit\": {\"column\": \"person\", \"rows\": "
    "2}, " CONCEPT_COLUMNS;

typedef struct concept_case {
    const char *class;
    bool listed; /* small enough for permute-and-flip and laplace */
} concept_case;

static const concept_case concept_cases[] = {
    {"{\"class\": \"thresholds\", \"columns\": [\"age\"], \"bits\": 5, \"both\": true}",
     true},
    {"{\"class\": \"thresholds\", \"columns\": [\"age\"], \"bits\": 32}", false},
    {"{\"class\": \"thresholds\", \"columns\": [\"age\"], \"cuts\": {\"age\": [30, 44.5, "
     "60]}}",
     true},
    {"{\"class\": \"intervals\", \"columns\": [\"age\"], \"bits\": 4}", true},
    {"{\"class\": \"stumps\", \"columns\": [\"age\", \"visits\"], \"bits\": 4}", true},
    {"{\"class\": \"rectangles\", \"columns\": [\"age\", \"visits\"], \"bits\": 3}",
     true},
    {"{\"class\": \"rectangles\", \"columns\": [\"age\", \"visits\", \"guess\"], "
     "\"bits\": 3}",
     true},
    {"{\"class\": \"conjunctions\", \"columns\": [\"town\", \"guess\"]}", true},
    {"{\"class\": \"parities\", \"columns\": [\"town\", \"guess\"]}", true},
    {"{\"class\": \"candidates\", \"columns\": [\"guess\"], \"both\": true}", true},
};
enum { CONCEPT_CASES = sizeof concept_cases / sizeof concept_cases[0] };

static inline sotto_train_config concept_config(const char *class, sotto_method method,
                                                sotto_adjacency adjacency)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_CONCEPT;
    config.concept = class;
    config.method = method;
    config.adjacency = adjacency;
    config.epsilon = 0.75;
    return config;
}

static inline train_study concept_study_of(sotto_train_config config)
{
    return (train_study){.config = config, .schema = concept_schema};
}

static inline tape_study concept_tape_of(train_study *study)
{
    return (tape_study){.run = study_run,
                        .context = study,
                        .columns = concept_columns,
                        .column_count =
                            sizeof concept_columns / sizeof concept_columns[0]};
}

#endif
