/* data/encode/blocks.h: a record becomes one bin of every column, for additive models.
 *
 * Idea        Public edges divide every column into bins. A block is the segment of the feature vector x for one
 *             column. It depends on the bin of the record only. K is the number of bins:
 *
 *             bins     coordinate k is (K - 1)/K in the bin of the record, and -1/K elsewhere: centred indicators.
 *             steps    coordinate k = 1 .. K - 1 is s if the bin is at or above step k, else -s. s = 1/sqrt(K - 1).
 *
 *             An interaction of the schema is one more block: its bins are the pairs of bins of two columns. Booleans of an
 *             exclusive list are one column, whose value is the first that is true, or none of them.
 *             Each number is truncated toward 0 to the grid of the encoding.
 * Theorem     For every record |x|^2 is the same number, the square of sot_encoding_bound() before that is rounded
 *             up: a sum of squares in integers. No row is shorter, and none is clipped.
 * Proof note  src/data/encode/blocks.md
 */
#ifndef SOT_DATA_ENCODE_BLOCKS_H
#define SOT_DATA_ENCODE_BLOCKS_H

#include <sotto/basis.h>

#include "data/encode/encode.h"

enum {
    SOT_BINS_OF_VALUES =
        32, /* largest number of values of an integer that has a bin for each */
    SOT_BINS_HALVINGS = 5, /* of the first bin of equal width, if it begins at 0 */
    SOT_BINS_OF_INTERACTION =
        8,              /* of equal width that a number has at most in an interaction */
    SOT_BINS_MAX = 1024 /* that a rule or a list of edges makes of a number */
};

/* The bins of one column. */
typedef struct sot_axis {
    size_t column; /* of the schema; of a matrix the feature */
    const sotto_column
        *facts;  /* type, bounds, values; of a matrix those of its numbers */
    size_t bins; /* 2 or more */
    const double *
        edges; /* bins - 1, ascending: bin k begins at edges[k - 1]. NULL: bin k is value k of the category
                            or boolean */
    bool ordered; /* neighbouring bins have neighbouring values */
    const size_t *
        members; /* the booleans of an exclusive list: bin k if the k-th is the first that is true; the last bin: none.
                    NULL: one column */
} sot_axis;

/* A segment of the feature vector: its coordinates begin at `first`. */
typedef struct sot_bin_block {
    sot_axis axis;
    sot_axis second; /* of an interaction: bin a of `axis` and b of `second` are bin
                        a second.bins + b; else zeroed */
    size_t bins;
    sotto_basis basis; /* SOTTO_BASIS_BINS or SOTTO_BASIS_STEPS */
    size_t first, width;
    size_t value; /* place of its first bin among the values of all blocks */
    float high,
        low; /* the two numbers that a coordinate has: for the own bin, or from a step on; and otherwise */
} sot_bin_block;

/* The public shape of the blocks: numbers without edges of their own have `bins` of equal width. */
typedef struct sot_bins_rule {
    sotto_basis
        basis; /* of ordered columns; never SOTTO_BASIS_AUTO. Others have centred indicators */
    size_t bins; /* 2 .. SOT_BINS_MAX */
} sot_bins_rule;

/* Makes an encoding by blocks. The schema's row_norm does not apply. Refuses a schema without a column of two or more
 * bins, or without bounds. The schema must outlive the encoding. */
SOTTO_MUST_CHECK sotto_status sot_encoding_new_blocks(
    const sotto_schema *schema, const char *target, sot_target_role role,
    const sot_bins_rule *rule, sot_encoding **out_encoding, sotto_error *error);

/* The number of blocks; 0 for other encodings. */
size_t sot_encoding_blocks(const sot_encoding *encoding);
const sot_bin_block *sot_encoding_block(const sot_encoding *encoding, size_t index);
/* The rule that it was made with. */
sot_bins_rule sot_encoding_bins_rule(const sot_encoding *encoding);
/* Bins of all blocks together. */
size_t sot_encoding_values(const sot_encoding *encoding);

/* The blocks without their axes, for rows that are held as bins. Owned. */
typedef struct sot_bins_layout {
    size_t count, values,
        columns;      /* blocks, their bins, coordinates with the constant column */
    double intercept; /* 0: none */
    sot_bin_block *list;
    size_t *offsets; /* list[k].value, side by side */
} sot_bins_layout;

/* A copy to be freed; NULL when memory runs out. */
sot_bins_layout *sot_bins_layout_new(const sot_encoding *encoding);
sot_bins_layout *sot_bins_layout_copy(const sot_bins_layout *layout);
void sot_bins_layout_free(sot_bins_layout *layout); /* NULL is fine */

/* Says that rows are held as bins: matrices of this encoding then have no feature vectors. */
void sot_encoding_hold_bins(sot_encoding *encoding);
bool sot_encoding_holds_bins(const sot_encoding *encoding);
/* Bytes of a bin: 1 if every block has at most 256, else 4. */
size_t sot_encoding_bin_bytes(const sot_encoding *encoding);
/* Writes the bin of each block. */
void sot_encode_bins(const sot_encoding *encoding, const sot_record *record,
                     size_t bin_bytes, unsigned char *out_bins);

/* Returns the bin of a record on an axis. Total: a missing or malformed cell has the bin of the schema's value. */
size_t sot_axis_bin(const sot_axis *axis, const sot_record *record);
size_t sot_bin_block_bin(const sot_bin_block *block, const sot_record *record);
static inline bool sot_bin_block_is_interaction(const sot_bin_block *block)
{
    return block->second.bins > 0;
}

/* Writes the contribution of each bin to the score, for one vector of coefficients: sot_encoding_values() numbers, block
 * after block. The part of the constant column stands behind them. The operations and their order are fixed: every user
 * has the same bits. */
void sot_encoding_curves(const sot_encoding *encoding, const double *theta,
                         double *out_values);
/* The score of a record: the constant part, then block after block. */
double sot_encoding_score(const sot_encoding *encoding, const double *values,
                          const sot_record *record);

/* |segment|^2 of a block, in real numbers: the same in every bin. */
double sot_bin_block_squares(const sot_bin_block *block);

/* Writes the name of a bin, such as "[30, 40)" or "Lund". */
enum { SOT_BIN_NAME_BYTES = 512 };
void sot_axis_name_bin(const sot_axis *axis, size_t bin, char out[SOT_BIN_NAME_BYTES]);
/* Writes the name of a column: of a matrix the number of the feature. */
void sot_axis_name(const sot_encoding *encoding, const sot_axis *axis,
                   char out[SOT_BIN_NAME_BYTES]);

#endif
