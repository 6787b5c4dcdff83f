/* tests/models/concept/classes/classes.h: schemas and classes of the tests of concepts. */
#ifndef SOTTO_TESTS_CONCEPT_CLASSES_H
#define SOTTO_TESTS_CONCEPT_CLASSES_H

#include "support.h"

#include "models/concept/classes/concept.h"

static const char table_text[] =
    "{\"target\": \"ill\", \"columns\": ["
    "{\"name\": \"person\", \"type\": \"id\"},"
    "{\"name\": \"age\", \"type\": \"integer\", \"lower\": 18, \"upper\": 90},"
    "{\"name\": \"dose\", \"type\": \"number\", \"lower\": -1, \"upper\": 7, "
    "\"missing\": 2.5},"
    "{\"name\": \"free\", \"type\": \"number\"},"
    "{\"name\": \"smokes\", \"type\": \"boolean\"},"
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Umeå\", "
    "\"Ystad\"]},"
    "{\"name\": \"note\", \"type\": \"ignore\"},"
    "{\"name\": \"two\", \"type\": \"integer\", \"lower\": 4, \"upper\": 5},"
    "{\"name\": \"ill\", \"type\": \"boolean\"}]}";

static const char matrix_text[] =
    "{\"features\": 30, \"labels\": [0, 1], \"numbers\": {\"lower\": 0, \"upper\": 1}}";

static inline sotto_schema *schema_of(const char *text)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    assert_ok(sotto_schema_parse("schema.json", text, strlen(text), &schema, &error),
              &error);
    return schema;
}

static inline sot_concept_class *class_of(const sotto_schema *schema, const char *text)
{
    sotto_error error;
    sot_concept_class *class = NULL;
    assert_ok(sot_concept_class_new(schema, NULL, text, &class, &error), &error);
    return class;
}

#endif
