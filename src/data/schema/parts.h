/* data/schema/parts.h: the common part of the files that read and write schemas. */
#ifndef SOT_DATA_SCHEMA_PARTS_H
#define SOT_DATA_SCHEMA_PARTS_H

#include <stdint.h>

#include <sotto/schema.h>

#include "base/json/json.h"
#include "data/schema/relations.h"

enum {
    SOT_SCHEMA_COLUMNS_MAX = 65536,
    SOT_SCHEMA_VALUES_MAX = 100000,
    SOT_SCHEMA_FEATURES_MAX = 1
                              << 24, /* a learner holds several vectors of this length */
    SOT_SCHEMA_LABELS_MAX = 1000,
    SOT_SCHEMA_EDGES_MAX = 1023,
    SOT_SCHEMA_NAME_BYTES_MAX = 256,
    SOT_SCHEMA_BYTES_MAX = 16 << 20
};

/* Bounds of numbers are at most this far from 0: every whole number up to it is a double, and so is
 * twice its half. */
#define SOT_SCHEMA_BOUND_MOST 0x1p52

struct sotto_schema {
    char *about;
    char *dataset;
    char *ledger;
    char *unit;
    /* Where the cap, the label set and the norm bound come from; NULL: not said. */
    char *unit_source, *target_source, *row_norm_source;
    uint64_t unit_rows;
    sotto_column *columns;
    size_t size;
    sot_column_lists interactions, exclusive; /* of a table */
    size_t features;                          /* of a matrix; 0: a table */
    size_t shape[3];      /* of a matrix of images: planes, height, width; else 0, 0, 0 */
    sotto_column numbers; /* of a matrix: the bounds of all of them, if `bounded` */
    bool has_target;      /* then `target` owns its members, except `column` */
    sotto_target target;  /* zeroed without one */
    sotto_row_norm row_norm;
    double intercept;
};

/* Public text, but it ends up in messages, file names and reports: 1 to 255 bytes of printable
 * UTF-8. The copy is the caller's to free. */
SOTTO_MUST_CHECK sotto_status sot_schema_copy_name(const sot_json_value *value,
                                                   char **out_copy, sotto_error *error);

/* Copies the member "source" of an object, if it has one. Checks the member "about", a comment, which is not kept. */
SOTTO_MUST_CHECK sotto_status sot_schema_copy_source(const sot_json_value *object,
                                                     char **out_copy, sotto_error *error);

/* Reads "columns" (columns.c); frees one column's parts. */
SOTTO_MUST_CHECK sotto_status sot_schema_read_columns(const sot_json_value *root,
                                                      sotto_schema *schema,
                                                      sotto_error *error);
void sot_schema_free_column(sotto_column *column);

/* Reads the bounds of a number, its missing value and the scale; the type is already
 * set. */
SOTTO_MUST_CHECK sotto_status sot_schema_read_number(const sot_json_value *value,
                                                     sotto_column *column,
                                                     sotto_error *error);

/* Read "bin_edges" of a number with its bounds, and "ordered" of a category (bins.c). */
SOTTO_MUST_CHECK sotto_status sot_schema_read_bin_edges(const sot_json_value *value,
                                                        sotto_column *column,
                                                        sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_schema_read_order(const sot_json_value *value,
                                                    sotto_column *column,
                                                    sotto_error *error);

/* Reads "features", "shape" and "numbers" of a matrix, one of the first two (matrix.c). */
SOTTO_MUST_CHECK sotto_status sot_schema_read_matrix(const sot_json_value *root,
                                                     sotto_schema *schema,
                                                     sotto_error *error);

/* Reads the members for learners, after the columns: "target" or "labels", "row_norm",
 * "intercept" (norm.c; the first two in target.c). A matrix has "labels", or a "target" with
 * bounds. */
SOTTO_MUST_CHECK sotto_status sot_schema_read_learning(const sot_json_value *root,
                                                       sotto_schema *schema,
                                                       sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_schema_read_target(const sot_json_value *value,
                                                     sotto_schema *schema,
                                                     sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_schema_read_matrix_target(const sot_json_value *root,
                                                            sotto_schema *schema,
                                                            sotto_error *error);

/* Makes the default target of a column: a category's values, false and true for a boolean, no
 * labels for a number. Refuses id and ignored columns (SOTTO_INVALID_ARGUMENT). Free with
 * sot_target_free(). */
SOTTO_MUST_CHECK sotto_status sot_target_of_column(const sotto_schema *schema,
                                                   size_t index, sotto_target *out_target,
                                                   sotto_error *error);
void sot_target_free(sotto_target *target); /* a zeroed one is fine */

/* Chooses the target: the schema's own for NULL and for its own name, else the column of that
 * name, made in `out_own`. The caller zeroes `out_own` before and frees it after. *out_target is
 * NULL if there is none. */
SOTTO_MUST_CHECK sotto_status sot_schema_choose_target(const sotto_schema *schema,
                                                       const char *name,
                                                       sotto_target *out_own,
                                                       const sotto_target **out_target,
                                                       sotto_error *error);

/* The first text that stands twice in the list, or NULL; SOTTO_OUT_OF_MEMORY. */
SOTTO_MUST_CHECK sotto_status sot_schema_find_double(const char *const *texts,
                                                     size_t count,
                                                     const char **out_double,
                                                     sotto_error *error);

#endif
