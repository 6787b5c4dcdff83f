/* sotto/schema_tools.h: help with schemas: a draft, a description, rows to rehearse with.
 *
 * Draft       What a PUBLIC file suggests: a schema takes names, types, bounds and categories from
 *             it, so all of them become public. Never from the private data: a bound taken from
 *             the largest value is the largest value, published.
 * Describe    What a learner will see of a schema, before any row is read.
 * Sample      Synthetic rows drawn from the schema alone, for a rehearsal of commands, files and
 *             budgets. They say nothing about the data, and scores on them nothing about scores.
 * Docs        schema.md
 */
#ifndef SOTTO_SCHEMA_TOOLS_H
#define SOTTO_SCHEMA_TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/data_file.h>
#include <sotto/error.h>
#include <sotto/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_draft_config {
    size_t size; /* sizeof(sotto_draft_config): sotto_draft_defaults() sets it */
    const char
        *path; /* a PUBLIC file: CSV or TSV with a header, or LIBSVM; plain or gzip */
    const char *target;  /* column to predict; NULL: none. Not for LIBSVM */
    const char *dataset; /* id for the schema; NULL: none */
    /* Of a table: only the first line of the file is read, which names its columns, so that the file may be a private one. The
     * names become public. Bounds and categories of the draft are null, and such a schema is refused until they are
     * filled in. So is the draft of a public table without rows. */
    bool header_only;
    /* Names of columns of a table, with commas between them; NULL: none. */
    const char *leave_out; /* listed with type "ignore" */
    const char *numbers, *integers, *booleans, *categories, *ids; /* their types */
    /* Categories get one more value for what the sample does not know, and a missing cell counts as it. */
    bool other_value;
} sotto_draft_config;

/* All NULL and false. */
SOTTO_API void sotto_draft_set_defaults(sotto_draft_config *out_config,
                                        size_t size_bytes);
static inline sotto_draft_config sotto_draft_defaults(void)
{
    sotto_draft_config config;
    sotto_draft_set_defaults(&config, sizeof config);
    return config;
}

/* A schema for files like this one, as JSON for people to edit, and notes on what was guessed, a
 * line each. Bounds are rounded outward to friendly numbers; columns that look like names or
 * ids, or have too many values, are ignored, unless their type is stated. Without rows types that are not stated follow from names. A file whose name ends in .libsvm, .svm or .svmlight
 * (.gz) is a matrix; arrays (NPY, IDX, CIFAR-10) are refused: their schema is three lines. Free both texts with sotto_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_schema_draft(const sotto_draft_config *config, char **out_json, char **out_notes,
                   sotto_error *error);

/* What a learner will see: features, dimension, norm bound, labels, where bounds come from, and
 * warnings. `target` NULL: the schema's. As a JSON object and as lines for people; either may be
 * NULL. A schema that nothing can be learned from is described too, and the reason is given. Free
 * with sotto_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_schema_describe(const sotto_schema *schema,
                                                              const char *target,
                                                              char **out_json,
                                                              char **out_text,
                                                              sotto_error *error);

/* Whether the file's header fits the schema; no row is looked at. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_schema_check_data(
    const sotto_schema *schema, const sotto_data_file *file, sotto_error *error);

typedef struct sotto_sample_config {
    size_t size;   /* sizeof(sotto_sample_config): sotto_sample_defaults() sets it */
    uint64_t rows; /* has no default */
    uint64_t seed; /* the same seed, the same rows; default 1 */
    bool tabs;     /* TSV in place of CSV */
} sotto_sample_config;
/* The defaults. */
SOTTO_API void sotto_sample_set_defaults(sotto_sample_config *out_config,
                                         size_t size_bytes);
static inline sotto_sample_config sotto_sample_defaults(void)
{
    sotto_sample_config config;
    sotto_sample_set_defaults(&config, sizeof config);
    return config;
}

/* Gets the text piece by piece; anything but 0 ends the call with SOTTO_INTERRUPTED. */
typedef int (*sotto_text_function)(const char *text, size_t size_bytes, void *context);

/* Rows drawn from the schema: numbers uniform within their bounds, every category and both
 * booleans alike often, ids with as many rows as the schema's unit allows, ignored columns empty;
 * a matrix has up to 16 features a row. One of two labels follows a linear rule in the features,
 * with weights and errors from the seed, so that there is something to be learned. CSV with a
 * header, or LIBSVM for a matrix. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_schema_sample(const sotto_schema *schema, const sotto_sample_config *config,
                    sotto_text_function function, void *context, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
