/* sotto/schema.h: the public description of a table, written before a record is read.
 *
 * Idea        Types, bounds, categories, labels and the treatment of missing values come from
 *             this file and never from rows. Every cell maps to a value inside the column's
 *             public range. So no cell can stop a run or appear in a message.
 * Kinds       A table has columns with names and types. A matrix ("features": d) has d numbers
 *             and a label per row. It is the short schema of LIBSVM files, images ("shape") and
 *             arrays in memory.
 * File        schema.md
 */
#ifndef SOTTO_SCHEMA_H
#define SOTTO_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>
#include <sotto/memory.h>

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

/* The unit of a number or integer whose cells are dates or moments: units since
 * 1970-01-01 00:00 UTC. */
typedef enum sotto_time_unit {
    SOTTO_TIME_NONE = 0, /* the cells are numbers only */
    SOTTO_TIME_DAY = 1,
    SOTTO_TIME_HOUR = 2,
    SOTTO_TIME_MINUTE = 3,
    SOTTO_TIME_SECOND = 4,
    SOTTO_TIME_MILLISECOND = 5,
    SOTTO_TIME_MICROSECOND = 6
} sotto_time_unit;

/* Scaling of the cells of a number, integer or boolean to a feature: (cell - center) / width. */
typedef enum sotto_scaling {
    SOTTO_SCALE_SYMMETRIC = 1, /* the bounds become -1 and 1; the default of numbers */
    SOTTO_SCALE_UNIT = 2,      /* the bounds become 0 and 1; the default of booleans */
    SOTTO_SCALE_NONE = 3,      /* as it is */
    SOTTO_SCALE_AFFINE = 4     /* center and width of the schema */
} sotto_scaling;

/* Borrowed from the schema. */
typedef struct sotto_column {
    const char *name;
    sotto_column_type type;
    double lower, upper;       /* public bounds; 0 and values - 1 for a category */
    bool bounded;              /* false: the schema gives no bounds, these are +-2^40 */
    double missing;            /* the value of a missing or malformed cell */
    const char *const *values; /* of a category, in the order of the schema */
    size_t value_count;
    sotto_scaling scaling;     /* NONE where there is nothing to scale */
    double center, width;      /* of the scaling; width is above 0 */
    const char *source;        /* where bounds or values come from; NULL: not said */
    sotto_time_unit time_unit; /* of a number or integer: dates and moments count too */
    const double *
        bin_edges; /* of a number or integer, ascending: each begins a bin of an additive model */
    size_t bin_edge_count; /* 0: not given */
    bool ordered;          /* a category whose values stand in their order */
} sotto_column;

/* The target of the prediction, and the public set of its labels. Borrowed from the
 * schema. */
typedef struct sotto_target {
    const char *column; /* NULL in a matrix: the row's own label */
    size_t index;       /* of the column; 0 in a matrix */
    /* With two labels the second is the positive one. NULL: a number, for regression;
     * then the last four fields apply. */
    const char *const *labels;
    const double *codes; /* the cell (or the matrix's label) that means each label; of a
                            threshold 0 and 1 */
    size_t label_count;
    size_t missing; /* the label of everything that is none of them */
    bool
        threshold; /* a number becomes the second label where it is greater than `above` */
    double above;  /* 0 without a threshold */
    bool bounded;  /* the number has public bounds: it can be learned */
    double lower, upper;   /* of the number; others count as the nearer one */
    double missing_number; /* the value of a missing or malformed number */
} sotto_target;

/* Rule that gives a row its norm bound. */
typedef enum sotto_norm_rule {
    SOTTO_NORM_CLIP = 1, /* rows longer than the bound are shrunk to it */
    SOTTO_NORM_SCALE = 2 /* every row is divided by its own norm, times the bound */
} sotto_norm_rule;

typedef struct sotto_row_norm {
    bool given;   /* false: no row_norm; the bound follows from the columns, or from the
                     bounds of a matrix's numbers */
    double bound; /* 0 when not given */
    sotto_norm_rule rule;
} sotto_row_norm;

/* The "source" of a part of the schema that was changed because of sotto_owner_check_rows(), or
 * of any other look at the private rows. Parts are a column, "numbers", "target", "row_norm" and
 * "unit". The model's schema keeps it, and certificates list these parts as not protected. */
#define SOTTO_SOURCE_ADJUSTED "adjusted after viewing private rows"

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

/* Number of columns; 0 for a matrix. */
SOTTO_API size_t sotto_schema_size(const sotto_schema *schema);

/* Borrowed; `index` must be below sotto_schema_size(). */
SOTTO_API const sotto_column *sotto_schema_column(const sotto_schema *schema,
                                                  size_t index);

/* The column of that name; SOTTO_INVALID_ARGUMENT suggests the nearest one. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_schema_find(const sotto_schema *schema,
                                                          const char *name,
                                                          size_t *out_index,
                                                          sotto_error *error);

/* A sentence about the data, the dataset id, the ledger's path and the unit's column; NULL when
 * the schema has none. */
SOTTO_API const char *sotto_schema_about(const sotto_schema *schema);
SOTTO_API const char *sotto_schema_dataset(const sotto_schema *schema);
SOTTO_API const char *sotto_schema_ledger(const sotto_schema *schema);
SOTTO_API const char *sotto_schema_unit(const sotto_schema *schema);

/* The most rows one unit may contribute; 0 when the unit is a row. */
SOTTO_API uint64_t sotto_schema_unit_rows(const sotto_schema *schema);

/* A schema with "features" or "shape" and without "columns", and the number of them; else false
 * and 0. */
SOTTO_API bool sotto_schema_is_matrix(const sotto_schema *schema);
SOTTO_API size_t sotto_schema_features(const sotto_schema *schema);

/* Borrowed; NULL when a table's schema names none. A matrix always has one. */
SOTTO_API const sotto_target *sotto_schema_target(const sotto_schema *schema);

/* Bound and rule for the features of a row, without the constant column. */
SOTTO_API sotto_row_norm sotto_schema_row_norm(const sotto_schema *schema);

/* The value of the constant column; 0: there is none. */
SOTTO_API double sotto_schema_intercept(const sotto_schema *schema);

/* Writes the schema as one line of JSON in one spelling, with all defaults. Schemas of the
 * same meaning give the same text, and parsing it gives the same schema, except `ledger`. That
 * member is left out, because it is a path on this machine. `target` names another column as
 * the target, with that column's own labels; NULL: the schema's own, if any. Free the text
 * with sotto_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_schema_to_json(const sotto_schema *schema,
                                                             const char *target,
                                                             char **out_json,
                                                             sotto_error *error);

/* "number", "integer", ...; "unknown" for other values. */
SOTTO_API const char *sotto_column_type_name(sotto_column_type type);
/* "symmetric", "unit", "none"; "affine" for a center and a width; "unknown" for other values. */
SOTTO_API const char *sotto_scaling_name(sotto_scaling scaling);
/* "clip", "scale"; "unknown" for other values. */
SOTTO_API const char *sotto_norm_rule_name(sotto_norm_rule rule);

#ifdef __cplusplus
}
#endif
#endif
