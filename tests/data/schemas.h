/* tests/data/schemas.h: schemas and small files for the tests of src/data. */
#ifndef SOTTO_TESTS_DATA_SCHEMAS_H
#define SOTTO_TESTS_DATA_SCHEMAS_H

#include "support.h"

#include <unistd.h>

#include <sotto/schema.h>

/* JSON from a text whose quotes are written as ' to keep it legible; free() it. */
static inline char *json_of(const char *text)
{
    char *json = strdup(text);
    assert_non_null(json);
    for (char *at = json; *at != '\0'; at++)
        if (*at == '\'') *at = '"';
    return json;
}

static inline sotto_schema *schema_of(const char *text)
{
    sotto_error error;
    sotto_schema *schema;
    char *json = json_of(text);
    assert_ok(sotto_schema_parse("s", json, strlen(json), &schema, &error), &error);
    free(json);
    return schema;
}

/* Writes a file of this process; the path is valid until the next call. */
static inline char *write_file(const char *name, const char *text)
{
    static char path[128];
    (void)snprintf(path, sizeof path, "/tmp/sotto_schema_test_%ld_%s", (long)getpid(),
                   name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    return path;
}

#endif
