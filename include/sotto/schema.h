/* sotto/schema.h: what is public about a table, written down before a record is read.
 *
 * Idea        Types, bounds, categories and the treatment of missing values come from this file
 *             and never from rows. Every cell maps to a value inside the column's public range,
 *             so that no cell can stop a run, and none leaves a trace in a message.
 * File        docs/schema.md
 */
#ifndef SOTTO_SCHEMA_H
#define SOTTO_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sotto_column_type {
    SOTTO_COLUMN_NUMBER = 1,   /* lower, upper, or none of the two */
    SOTTO_COLUMN_INTEGER = 2,  /* the same, whole numbers */
    SOTTO_COLUMN_CATEGORY = 3, /* values */
    SOTTO_COLUMN_BOOLEAN = 4,  /* 0 or 1 */
    SOTTO_COLUMN_ID = 5,       /* names the privacy unit; never released */
    SOTTO_COLUMN_IGNORE = 6    /* in the file, not read */
} sotto_column_type;

/* Borrowed from the schema. */
typedef struct sotto_column {
    const char *name;
    sotto_column_type type;
    double lower, upper;       /* public bounds; 0 and values - 1 for a category */
    bool bounded;              /* false: the schema gives no bounds, these are +-2^40 */
    double missing;            /* what a missing or malformed cell counts as */
    const char *const *values; /* of a category, in the order of the schema */
    size_t value_count;
} sotto_column;

typedef struct sotto_schema sotto_schema;

/* Parses the JSON text; `name` starts messages. Free with sotto_schema_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_schema_parse(const char *name,
                                                           const char *json,
                                                           size_t size_bytes,
                                                           sotto_schema **out_schema,
                                                           sotto_error *error);

/* Reads a schema file. A relative ledger path in it is relative to the file's directory. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_schema_load(const char *path,
                                                          sotto_schema **out_schema,
                                                          sotto_error *error);
SOTTO_API void sotto_schema_free(sotto_schema *schema);

/* Number of columns. */
SOTTO_API size_t sotto_schema_size(const sotto_schema *schema);

/* Borrowed; `index` must be below sotto_schema_size(). */
SOTTO_API const sotto_column *sotto_schema_column(const sotto_schema *schema,
                                                  size_t index);

/* The column of that name; SOTTO_INVALID_ARGUMENT suggests the nearest one. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_schema_find(const sotto_schema *schema,
                                                          const char *name,
                                                          size_t *out_index,
                                                          sotto_error *error);

/* The dataset id, the ledger's path and the unit's column; NULL when the schema has none. */
SOTTO_API const char *sotto_schema_dataset(const sotto_schema *schema);
SOTTO_API const char *sotto_schema_ledger(const sotto_schema *schema);
SOTTO_API const char *sotto_schema_unit(const sotto_schema *schema);

/* The most rows one unit may contribute; 0 when the unit is a row. */
SOTTO_API uint64_t sotto_schema_unit_rows(const sotto_schema *schema);

/* "number", "integer", ...; "unknown" for other values. */
SOTTO_API const char *sotto_column_type_name(sotto_column_type type);

#ifdef __cplusplus
}
#endif
#endif
