/* data/encode/encode.h: a record becomes a vector of features on a public grid, with a public norm bound.
 *
 * Idea        Numbers are scaled by the schema, categories become indicators, and the row is
 *             clipped or scaled to the schema's norm. A constant column is appended. Every
 *             feature is rounded toward zero to a multiple of 2^exponent that a float holds
 *             exactly.
 * Theorem     For every record, |x| <= sot_encoding_bound() exactly, including the constant
 *             column: the squares are summed in integers. x is a function of only the record and
 *             the schema. The same holds for the target's number, on its own grid and within
 *             sot_encoding_target_most() of 0.
 * Proof note  src/data/encode/encode.md
 */
#ifndef SOT_DATA_ENCODE_ENCODE_H
#define SOT_DATA_ENCODE_ENCODE_H

#include <sotto/schema.h>

#include "data/encode/grid.h"
#include "data/readers/record.h"

typedef struct sot_encoding sot_encoding;

/* The role of the target for a learner. */
typedef enum sot_target_role {
    SOT_TARGET_CLASSES, /* a label set: -1 and 1 for two labels, places from 0 for more */
    SOT_TARGET_NUMBER,  /* the number, moved and scaled from its bounds to [-1, 1] */
    SOT_TARGET_COUNT    /* the number as it is, from 0 to its upper bound */
} sot_target_role;

/* Features that are not 0, indices ascending. Room for sot_encoding_dimension() of each. */
typedef struct sot_features {
    size_t count;
    uint32_t *indices;
    float *values;
} sot_features;

/* `target` is the column that is not a feature; NULL: the schema's own. A schema without any is
 * refused unless it is a matrix. A target that does not fit its role is refused.
 * SOT_TARGET_CLASSES needs labels, the others bounds; SOT_TARGET_COUNT needs a lower bound of at
 * least 0 and an upper one of at least 1. The schema must outlive the encoding. */
SOTTO_MUST_CHECK sotto_status sot_encoding_new(const sotto_schema *schema,
                                               const char *target, sot_target_role role,
                                               sot_encoding **out_encoding,
                                               sotto_error *error);

/* Makes an encoding by cells instead (data/encode/grid.h), for concepts. sot_encoding_dimension()
 * is `count`, the target is classes, there is no norm bound, and sot_encode() does not apply. The
 * grids are borrowed and must outlive it. */
SOTTO_MUST_CHECK sotto_status sot_encoding_new_cells(
    const sotto_schema *schema, const char *target, const sot_cells_grid *grids,
    size_t count, sot_encoding **out_encoding, sotto_error *error);
bool sot_encoding_is_cells(const sot_encoding *encoding);
/* One place per feature. Total. */
void sot_encode_cells(const sot_encoding *encoding, const sot_record *record,
                      uint32_t *out_places);

/* Returns the default role of a target: a number without labels is a number, everything else is
 * classes. `target` NULL: classes. */
sot_target_role sot_target_role_of(const sotto_target *target);

void sot_encoding_free(sot_encoding *encoding); /* NULL is fine */

/* Features, the constant column (last, if the schema has an intercept) included. */
size_t sot_encoding_dimension(const sot_encoding *encoding);
/* R: the bound on |x|, the constant column included. Rounded up to a double. */
double sot_encoding_bound(const sot_encoding *encoding);
/* The bound on every |x_j|, the constant column included; at most sot_encoding_bound(). */
double sot_encoding_feature_most(const sot_encoding *encoding);
/* The value of the constant column; 0: none. */
double sot_encoding_intercept(const sot_encoding *encoding);
/* The rule for the norm of rows, before the constant column is appended. `given` is false if no
 * row of the schema is long enough to be clipped; `bound` holds in either case. */
sotto_row_norm sot_encoding_row_norm(const sot_encoding *encoding);
/* Every feature is m 2^exponent with |m| <= 2^24. */
int sot_encoding_exponent(const sot_encoding *encoding);
/* Non-zero features a record has at most: says whether a sparse matrix pays. */
size_t sot_encoding_nonzeros_most(const sot_encoding *encoding);
/* True if a number that a record of a matrix does not list is a feature of 0; false if bounds
 * move it. */
bool sot_encoding_keeps_zeros(const sot_encoding *encoding);
/* "age", "town=Lund", "(intercept)", or "7"; borrowed. */
const char *sot_encoding_feature(const sot_encoding *encoding, size_t index);

/* Return the role, as given to sot_encoding_new(), and the public description of the
 * target; borrowed. */
sot_target_role sot_encoding_role(const sot_encoding *encoding);
const sotto_target *sot_encoding_target(const sot_encoding *encoding);
/* Returns the largest |sot_encode_target()|: 1 for two classes and for a number, the last place
 * of more classes. For a count it is the upper bound, rounded down to the grid. */
double sot_encoding_target_most(const sot_encoding *encoding);
/* Every sot_encode_target() is m times this power of two with a whole |m| <= 2^24, so a float
 * holds it. */
double sot_encoding_target_unit(const sot_encoding *encoding);
/* Returns a learner's number in the units of the target. That is the inverse of
 * sot_encode_target() for a number, the identity for a count. A number outside the bounds is
 * clipped, NaN becomes the middle. Not for classes. */
double sot_encoding_target_value(const sot_encoding *encoding, double encoded);

/* The label set: from the schema; empty unless the role is SOT_TARGET_CLASSES. With two
 * labels the second is the positive one. Borrowed. */
size_t sot_encoding_classes(const sot_encoding *encoding);
const char *sot_encoding_class(const sot_encoding *encoding, size_t index);

/* Total. */
void sot_encode(const sot_encoding *encoding, const sot_record *record,
                sot_features *out_features);
/* True if sot_encode() shrinks the row to the norm bound. False under the rule "scale", which
 * divides every row by its norm. Secret: for the owner of the data (data/owner/owner.h). */
bool sot_encode_is_shortened(const sot_encoding *encoding, const sot_record *record);
/* The same as a whole row: room for sot_encoding_dimension() floats, all of which are written.
 * `scratch` has room for as many features. */
void sot_encode_dense(const sot_encoding *encoding, const sot_record *record,
                      sot_features *scratch, float *out_row);
/* Returns the place of the record's label in the label set. A label outside it counts as the
 * schema's default label, or as the first one. */
size_t sot_encode_label(const sot_encoding *encoding, const sot_record *record);
/* Returns the number that a learner sees as the record's target, by the role: total, a function
 * of only the record and the schema. */
double sot_encode_target(const sot_encoding *encoding, const sot_record *record);
/* Returns the target's number, within its bounds; an invalid one counts as the schema's missing
 * value. Not for classes. */
double sot_encode_number(const sot_encoding *encoding, const sot_record *record);

#endif
