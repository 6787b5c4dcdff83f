/* The methods on second moments as studies of the tape harness: a number or two classes to predict, rows or
 * persons of two rows. */
#ifndef SOTTO_TESTS_STATISTICS_STUDY_H
#define SOTTO_TESTS_STATISTICS_STUDY_H

#include "train_study.h"

static const char age_schema[] =
    "{\"dataset\": \"study-1\", \"target\": \"age\", \"columns\": ["
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90},"
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\"]},"
    "{\"name\": \"person\", \"type\": \"id\"},"
    "{\"name\": \"smokes\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}";
static const char age_unit_schema[] =
    "{\"dataset\": \"study-1\", \"target\": \"age\", "
    "\"unit\": {\"column\": \"person\", \"rows\": 2}, \"columns\": ["
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90},"
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\"]},"
    "{\"name\": \"person\", \"type\": \"id\"},"
    "{\"name\": \"smokes\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}";

static const sotto_method methods[] = {SOTTO_METHOD_STATISTICS, SOTTO_METHOD_ADASSP,
                                       SOTTO_METHOD_NEWTON};
enum { METHODS = sizeof methods / sizeof methods[0] };

static inline train_study study_for(sotto_method method, sotto_adjacency adjacency,
                                    bool units)
{
    const bool newton = method == SOTTO_METHOD_NEWTON;
    train_study study = {.config = study_config(method, adjacency, 1e-6)};
    study.schema = newton ? (units ? study_unit_schema : study_schema)
                          : (units ? age_unit_schema : age_schema);
    if (newton)
        study.config.steps = 3;
    else
        study.config.model = SOTTO_MODEL_LINEAR;
    return study;
}

#endif
