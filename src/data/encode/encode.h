/* data/encode/encode.h: a record becomes a vector of features on a public grid, with a public norm bound.
 *
 * Idea        Numbers are scaled by the schema, categories become indicators, the row is clipped or
 *             scaled to the schema's norm, a constant column is appended, and every feature is
 *             rounded toward zero to a multiple of 2^exponent that a float holds exactly.
 * Theorem     For every record, whatever it holds, |x| <= sot_encoding_bound(), the constant column
 *             included, exactly: the squares are summed in integers. x is a function of the record
 *             and the schema alone. So is the target's number, on a grid of its own and within
 *             sot_encoding_target_most() of 0.
 * Proof note  src/data/encode/encode.md
 */
#ifndef SOT_DATA_ENCODE_ENCODE_H
#define SOT_DATA_ENCODE_ENCODE_H

#include <sotto/schema.h>

#include "data/encode/grid.h"
#include "data/readers/record.h"

typedef struct sot_encoding sot_encoding;

/* What a learner makes of the target. */
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

/* `target` is the column that is not a feature; NULL: the schema's own; a schema without any is
 * refused unless it is a matrix. A target that cannot play its role is refused: labels are asked
 * for by SOT_TARGET_CLASSES, bounds by the others, a lower bound of at least 0 and an upper one of at least 1 by SOT_TARGET_COUNT. The schema must outlive the
 * encoding. */
SOTTO_MUST_CHECK sotto_status sot_encoding_new(const sotto_schema *schema,
                                               const char *target, sot_target_role role,
                                               sot_encoding **out_encoding,
                                               sotto_error *error);

/* Features by cells instead (data/encode/grid.h), for concepts: sot_encoding_dimension() is `count`, the target is classes,
 * there is no norm bound and sot_encode() is not for it. The grids are borrowed and must outlive it. */
SOTTO_MUST_CHECK sotto_status sot_encoding_new_cells(
    const sotto_schema *schema, const char *target, const sot_cells_grid *grids,
    size_t count, sot_encoding **out_encoding, sotto_error *error);
bool sot_encoding_is_cells(const sot_encoding *encoding);
/* One place a feature. Total. */
void sot_encode_cells(const sot_encoding *encoding, const sot_record *record,
                      uint32_t *out_places);

/* What a target is when nobody asks for a model: a number without labels is a number, everything
 * else is classes. `target` NULL: classes. */
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
/* How rows come to their norm, before the constant column is appended: `given` is false when no
 * row of the schema is long enough to be cut, `bound` is what holds in either case. */
sotto_row_norm sot_encoding_row_norm(const sot_encoding *encoding);
/* Every feature is m 2^exponent with |m| <= 2^24. */
int sot_encoding_exponent(const sot_encoding *encoding);
/* Non-zero features a record has at most: says whether a sparse matrix pays. */
size_t sot_encoding_nonzeros_most(const sot_encoding *encoding);
/* Whether a number that a record of a matrix does not list is a feature of 0: not where bounds move
 * it. */
bool sot_encoding_keeps_zeros(const sot_encoding *encoding);
/* "age", "town=Lund", "(intercept)", or "7"; borrowed. */
const char *sot_encoding_feature(const sot_encoding *encoding, size_t index);

/* What the target is, as given to sot_encoding_new(), and its public side; borrowed. */
sot_target_role sot_encoding_role(const sot_encoding *encoding);
const sotto_target *sot_encoding_target(const sot_encoding *encoding);
/* The largest |sot_encode_target()|: 1 for two classes and for a number, the upper bound of a count,
 * rounded down to the grid, the last place of more classes. */
double sot_encoding_target_most(const sot_encoding *encoding);
/* Every sot_encode_target() is m times this power of two with a whole |m| <= 2^24, so a float
 * holds it. */
double sot_encoding_target_unit(const sot_encoding *encoding);
/* What a learner's number means in the units of the target: the inverse of sot_encode_target()
 * for a number, the identity for a count; moved to the nearer bound when it is outside, NaN to the
 * middle. Not for classes. */
double sot_encoding_target_value(const sot_encoding *encoding, double encoded);

/* The label set: from the schema; empty unless the role is SOT_TARGET_CLASSES. Of two the second is the positive one. Borrowed. */
size_t sot_encoding_classes(const sot_encoding *encoding);
const char *sot_encoding_class(const sot_encoding *encoding, size_t index);

/* Total. */
void sot_encode(const sot_encoding *encoding, const sot_record *record,
                sot_features *out_features);
/* Whether sot_encode() shrinks the row to the norm bound. False under the rule "scale", which divides every row by
 * its norm. Secret: for the owner of the data (data/owner/owner.h). */
bool sot_encode_is_shortened(const sot_encoding *encoding, const sot_record *record);
/* The same as a whole row: room for sot_encoding_dimension() floats, all of which are written.
 * `scratch` has room for as many features. */
void sot_encode_dense(const sot_encoding *encoding, const sot_record *record,
                      sot_features *scratch, float *out_row);
/* The place of the record's label in the label set; a label outside it counts as the schema's
 * default, the first one unless it says otherwise. */
size_t sot_encode_label(const sot_encoding *encoding, const sot_record *record);
/* The number that a learner sees as the record's target, by the role: total, a function of the record
 * and the schema alone. */
double sot_encode_target(const sot_encoding *encoding, const sot_record *record);
/* The target's number as it is, within its bounds; what is none counts as the schema's missing
 * one. Not for classes. */
double sot_encode_number(const sot_encoding *encoding, const sot_record *record);

#endif
