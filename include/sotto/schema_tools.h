/* sotto/schema_tools.h: help with schemas: a draft, a description, synthetic rows.
 *
 * Draft       A schema drafted from a PUBLIC file. Its names, types, bounds and categories become
 *             public. Never draft from the private data: a bound taken from the largest value is
 *             the largest value, published.
 * Describe    The features, bounds and labels that a learner derives from a schema, before any
 *             row is read.
 * Sample      Synthetic rows sampled only from the schema, to try commands, files and budgets.
 *             They carry no information about the data, and scores on them predict nothing.
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
    /* For a table: read only the first line of the file, which names its columns, so the file may
     * be a private one. The names become public. Bounds and categories of the draft are null, and
     * such a schema is refused until they are filled in. The same holds for a draft from a public
     * table without rows. */
    bool header_only;
    /* Names of columns of a table, with commas between them; NULL: none. */
    const char *leave_out; /* listed with type "ignore" */
    const char *numbers, *integers, *booleans, *categories, *ids; /* their types */
    /* Categories get one more value, for values that the sample does not have; a missing
     * cell counts as it. */
    bool other_value;
    const char *ledger; /* of a table: the schema names this ledger; NULL: none */
    /* Id column that identifies one person, who may have several rows; NULL: each row is a unit. `unit_rows` is the largest
     * number of rows to keep of one; 0: 1. */
    const char *unit;
    uint64_t unit_rows;
    bool comments; /* each column of a table gets a comment, its member "about" */
} sotto_draft_config;

/* All NULL, 0 and false. */
SOTTO_API void sotto_draft_set_defaults(sotto_draft_config *out_config,
                                        size_t size_bytes);
static inline sotto_draft_config sotto_draft_defaults(void)
{
    sotto_draft_config config;
    sotto_draft_set_defaults(&config, sizeof config);
    return config;
}

/* Drafts a schema for files like this one, as JSON for people to edit, and notes on the guesses,
 * one per line. Bounds are rounded outward to round numbers. Columns that look like names or ids,
 * or have too many values, are ignored, unless their type is stated. Without rows, types that are
 * not stated follow from names. A file whose name ends in .libsvm, .svm or .svmlight (.gz) is a
 * matrix. Arrays (NPY, IDX, CIFAR-10) are refused: write their three lines by hand. Free both
 * texts with sotto_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_schema_draft(const sotto_draft_config *config, char **out_json, char **out_notes,
                   sotto_error *error);

/* Describes features, dimension, norm bound, labels, the origin of bounds, and warnings. `target`
 * NULL: the schema's. As a JSON object and as lines for people; either may be NULL. A schema
 * without a usable target is described too, with the reason. Free with sotto_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_schema_describe(const sotto_schema *schema,
                                                              const char *target,
                                                              char **out_json,
                                                              char **out_text,
                                                              sotto_error *error);

/* Checks that the file's header fits the schema; no row is read. */
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

/* Samples rows from the schema. Numbers are uniform within their bounds, categories and booleans
 * are uniform, and ignored columns are empty. Ids have as many rows as the schema's unit allows;
 * a matrix has up to 16 features per row. If there are two labels, they follow a linear function
 * of the features, with weights and errors from the seed. CSV with a header, or LIBSVM for a
 * matrix. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_schema_sample(const sotto_schema *schema, const sotto_sample_config *config,
                    sotto_text_function function, void *context, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
