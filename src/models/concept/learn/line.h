/* models/concept/learn/line.h: records seen through one feature of a class. All of it is secret:
 * wiped when freed.
 *
 * Idea: for thresholds and intervals of a feature a record is its place and its label. Let
 * net(p) = records of place p with label yes, minus those with label no, and G(c) = sum of net(p)
 * over p < c. The errors of a concept are one or two values of G and constants. G changes only
 * after places with a nonzero net: those are stored. Thresholds between two of them make the same
 * errors, so they come in cells of public measure. The positions of the cells are secret and
 * never released, and no threshold is left out because of them.
 */
#ifndef SOT_MODELS_CONCEPT_LEARN_LINE_H
#define SOT_MODELS_CONCEPT_LEARN_LINE_H

#include "data/batches/table.h"
#include "models/concept/classes/concept.h"

/* More cells than this (all features together) are not counted one by one. */
#define SOT_PAC_COUNTED_MAX (UINT64_C(1) << 24)

/* Places whose net is not 0, ascending. */
typedef struct sot_line {
    size_t count;
    uint32_t *places;
    int64_t *nets;
} sot_line;

void sot_line_free(sot_line *line);

/* Released before: of the features 0 .. features - 1 records lie in low <= place < high, the others are not counted. */
typedef struct sot_box {
    size_t features;
    const uint64_t *lows, *highs;
} sot_box;

bool sot_box_holds(const sot_box *box, const uint32_t *places); /* NULL: everything */

/* The features first .. first + count - 1 of the records in a box (NULL: of all). */
typedef struct sot_view {
    const sot_concept_class *class; /* borrowed */
    const sot_box *box;             /* borrowed */
    size_t first, count;
    uint64_t yes, no;         /* records of each label, in the box or not */
    const sot_matrix *matrix; /* rows to sort; NULL: they were counted */
    int64_t *nets;            /* counted: of every cell, feature by feature */
    uint64_t cells;           /* of these features together */
} sot_view;

/* One pass. Rows that are not in memory are counted, so their cells are at most SOT_PAC_COUNTED_MAX. */
SOTTO_MUST_CHECK sotto_status sot_view_new(const sot_concept_class *class, size_t first,
                                           size_t count, const sot_box *box,
                                           sot_table *table, sot_view *out_view,
                                           sotto_error *error);
void sot_view_free(sot_view *view);

/* Makes the line of feature first + index. */
SOTTO_MUST_CHECK sotto_status sot_view_line(const sot_view *view, size_t index,
                                            sot_line *out_line, sotto_error *error);

#endif
