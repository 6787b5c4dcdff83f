/* data/encode/parts.h: the common part of making an encoding (new.c) and using it
 * (encode.c). */
#ifndef SOT_DATA_ENCODE_PARTS_H
#define SOT_DATA_ENCODE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "data/encode/blocks.h"
#include "data/encode/encode.h"

/* One column of a table, on its way to one feature or to `values` indicators. Or the booleans of an exclusive list: the
 * first that is true has the feature 1, the others 0. */
typedef struct sot_encode_part {
    const sotto_column *column; /* of a list its first boolean */
    const size_t *members;      /* columns of the booleans of a list; else NULL */
    size_t member_count;
    size_t cell;    /* its place among the cells */
    size_t first;   /* feature */
    size_t values;  /* of a category; 0: a number */
    double largest; /* |feature| at most, before the row's norm is looked at */
} sot_encode_part;

/* The booleans of an exclusive list, without the target, as one category. */
typedef struct sot_group {
    sotto_column facts; /* owns its name; its values but the last are names of columns */
    size_t *columns;
    size_t count;
} sot_group;

/* The blocks of an additive model (blocks.h), and the storage of their edges. */
typedef struct sot_blocks {
    sot_bins_rule rule;
    sot_bin_block *list;
    size_t count;
    size_t values; /* bins of all of them */
    double *edges;
    size_t edge_count;
    sot_group *groups; /* one an exclusive list */
    size_t group_count;
    bool held; /* rows are held as bins */
} sot_blocks;

struct sot_encoding {
    const sotto_schema *schema;
    const sotto_target *target; /* the schema's, or &own */
    sotto_target own;
    sot_target_role role;
    double target_center,
        target_half; /* of a number: (lower + upper) / 2, and half the width */
    double target_unit, target_most;
    size_t *label_of_code; /* of a category or boolean: cell -> place in the label set */
    size_t code_count;
    sot_encode_part *parts; /* of a table; NULL for a matrix */
    size_t *members;        /* of the lists of all parts */
    size_t part_count;
    size_t features;             /* without the constant column */
    const sot_cells_grid *grids; /* features of them; borrowed; NULL: not by cells */
    sot_blocks *blocks;          /* NULL: not by blocks */
    const sotto_column *numbers; /* of a matrix whose numbers have bounds; else NULL */
    double largest;              /* |feature| of them at most, before the row's norm */
    double absent;               /* the feature of a number that a record does not list */
    /* The feature of each byte, if rows are never clipped: a file of bytes needs no
     * arithmetic. */
    float *of_byte;
    bool cut; /* rows may be longer than `bound`, or are scaled to it */
    sotto_norm_rule rule;
    double bound; /* B */
    int exponent;
    double unit;           /* 2^exponent */
    double inverse_unit;   /* 2^-exponent */
    uint64_t squares_most; /* the sum of m^2 over the features may not exceed it */
    double intercept;      /* on the grid */
    double total_bound;    /* R */
    char *text;            /* of all names */
    const char **names;
};

/* Chooses the target for `role` and lists its labels (new.c). */
SOTTO_MUST_CHECK sotto_status sot_encode_choose_target(sot_encoding *encoding,
                                                       const char *name,
                                                       sotto_error *error);

/* Chooses the unit of the grid: 2^24 units hold `most` (new.c). */
void sot_encode_set_unit(sot_encoding *encoding, double most);

/* Puts the constant column on the grid beside rows of `squares_most`, and finds R (new.c). */
SOTTO_MUST_CHECK sotto_status sot_encode_add_constant(sot_encoding *encoding,
                                                      double constant,
                                                      sotto_error *error);

/* Writes the segments of all blocks, without the constant column (bins.c). */
void sot_encode_blocks(const sot_encoding *encoding, const sot_record *record,
                       sot_features *out_features);
void sot_blocks_free(sot_blocks *blocks); /* NULL is fine (blocks.c) */

/* Makes the axis of a column. The room for edges was reserved. If `halves`, the first of the bins of equal width that begins
 * at 0 is halved SOT_BINS_HALVINGS times (axes.c). */
sot_axis sot_axis_of_column(sot_blocks *blocks, size_t column, const sotto_column *facts,
                            size_t bins, bool halves);
/* True for a small integer without edges of its own: it has a bin for each value. */
bool sot_axis_has_own_values(const sotto_column *facts, size_t bins);
size_t sot_axis_edges_most(const sotto_column *facts, size_t bins);
SOTTO_MUST_CHECK sotto_status sot_blocks_list_groups(sot_encoding *encoding,
                                                     sotto_error *error);
void sot_group_free(sot_group *group);
/* The list of a column that is one of the encoding's groups, or NULL. */
const sot_group *sot_blocks_group_of(const sot_blocks *blocks, size_t column);

static const char sot_encode_intercept_name[] = "(intercept)";

/* Writes the name `first`, or `first`=`second`, at `place` and returns where the next one begins
 * (new.c). */
char *sot_encode_write_name(const char **out_name, char *place, const char *first,
                            const char *second);

/* Returns the feature of a number of a matrix with bounds, before the row's norm is
 * applied (encode.c). Total, and monotone for numbers. */
double sot_encode_value(const sot_encoding *encoding, double number);

/* Tabulates the result of sot_encode() for each byte, if the numbers of a matrix have bounds and
 * rows are never clipped (dense.c). */
SOTTO_MUST_CHECK sotto_status sot_encode_map_bytes(sot_encoding *encoding,
                                                   sotto_error *error);

#endif
