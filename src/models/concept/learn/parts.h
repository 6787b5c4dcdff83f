/* models/concept/learn/parts.h: the common part of the files of this folder. */
#ifndef SOT_MODELS_CONCEPT_LEARN_PARTS_H
#define SOT_MODELS_CONCEPT_LEARN_PARTS_H

#include <sotto/laplace.h>
#include <sotto/selection.h>

#include "models/concept/learn/line.h"
#include "models/concept/learn/pac.h"

/* Permute-and-flip and Laplace noise visit the concepts one by one: at most this number. With
 * Laplace noise, whose counts the model file has, at most SOT_CONCEPT_COUNTS_MAX. */
#define SOT_PAC_LISTED_MAX (UINT64_C(1) << 24)
/* Limit for each side of a rectangle over two features; all of them take the cube of
 * it. */
#define SOT_PAC_SIDE_MAX 256

/* The state of a learner: public, all of it. */
typedef struct sot_pac {
    const sot_concept_class *class; /* the learner's */
    sotto_method method;
    sotto_selection_config choice; /* of one event */
    size_t choices;                /* one, or one per feature */
    uint64_t *sizes; /* of each choice: the measure of all concepts; owned */
    /* For a class with weights, per feature: sums of the weights of the thresholds below
     * 0 .. cells + 1. NULL where every weight is 1; owned. */
    uint64_t **sums;
    double *scales; /* of laplace: of the noise of each choice; owned */
    int64_t *kept; /* of laplace, while it learns: where noisy errors go; NULL: nowhere */
} sot_pac;

/* ---- choosing (choose.c) ---- */

/* The scale of choice number `index` of laplace. */
SOTTO_MUST_CHECK sotto_status sot_pac_scale(const sot_pac *pac, size_t index,
                                            double *out_scale, sotto_error *error);

/* The event of choice number `index`. */
SOTTO_MUST_CHECK sotto_status sot_pac_event(const sot_pac *pac, size_t index,
                                            sotto_event *out_event, sotto_error *error);

/* Choice number `choice` among concepts with a score each: minus their errors. The first of the best where
 * nothing is private; the gate is NULL then. */
SOTTO_MUST_CHECK sotto_status sot_pac_choose(const sot_pac *pac, size_t choice,
                                             sotto_gate *gate, const int64_t *scores,
                                             size_t count, size_t *out_index,
                                             sotto_error *error);

/* Scores on a public line, constant on cells that may depend on records: cell i ends before ends[i]. */
typedef struct sot_pac_cells {
    size_t count, room;
    int64_t *scores;
    uint64_t *ends;
} sot_pac_cells;

void sot_pac_cells_free(sot_pac_cells *cells); /* wipes */
SOTTO_MUST_CHECK sotto_status sot_pac_cells_reserve(sot_pac_cells *cells, size_t room,
                                                    sotto_error *error);
/* A cell that ends where the last one does is left out; one with the last one's score makes it longer. */
SOTTO_MUST_CHECK sotto_status sot_pac_cells_add(sot_pac_cells *cells, int64_t score,
                                                uint64_t end, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_pac_choose_point(const sot_pac *pac, sotto_gate *gate,
                                                   const sot_pac_cells *cells,
                                                   uint64_t *out_point,
                                                   sotto_error *error);

/* ---- the classes: from records to a released concept's numbers ---- */

typedef sotto_status (*sot_pac_learn)(const sot_pac *pac, sotto_gate *gate,
                                      sot_table *table, sot_pool *pool,
                                      double *out_numbers, sotto_error *error);

/* Thresholds and stumps: of all features, one after another, the thresholds, then the
 * flipped ones. */
sotto_status sot_pac_learn_cuts(const sot_pac *pac, sotto_gate *gate, sot_table *table,
                                sot_pool *pool, double *out_numbers, sotto_error *error);
/* The public measure of that line; SOTTO_INVALID_ARGUMENT if it is 0 or more than 2^62. Fills pac->sums. */
SOTTO_MUST_CHECK sotto_status sot_pac_cuts_measure(sot_pac *pac, uint64_t *out_measure,
                                                   sotto_error *error);

/* Conjunctions and parities: all 2^features masks. */
sotto_status sot_pac_learn_masks(const sot_pac *pac, sotto_gate *gate, sot_table *table,
                                 sot_pool *pool, double *out_numbers, sotto_error *error);
/* Candidates: all as they are, then all flipped. */
sotto_status sot_pac_learn_candidates(const sot_pac *pac, sotto_gate *gate,
                                      sot_table *table, sot_pool *pool,
                                      double *out_numbers, sotto_error *error);

/* Intervals of one feature; rectangles of one feature, or of three and more. One interval per
 * feature, each the best given the earlier ones, with later features unbounded. */
sotto_status sot_pac_learn_intervals(const sot_pac *pac, sotto_gate *gate,
                                     sot_table *table, sot_pool *pool,
                                     double *out_numbers, sotto_error *error);
/* Rectangles of two features. */
sotto_status sot_pac_learn_rectangles(const sot_pac *pac, sotto_gate *gate,
                                      sot_table *table, sot_pool *pool,
                                      double *out_numbers, sotto_error *error);

/* In place, values[m] for m = 0 .. 2^bits - 1; linear in the values, which stay within 2^bits times the largest.
 * Superset sums: values[m] becomes the sum of values[k] over all k that hold every bit of m. */
SOTTO_MUST_CHECK sotto_status sot_superset_sums(int64_t *values, unsigned bits,
                                                sot_pool *pool, sotto_error *error);
/* Walsh and Hadamard's: the sum of values[k] times -1 to the power of the number of bits that k and m share. */
SOTTO_MUST_CHECK sotto_status sot_walsh_hadamard(int64_t *values, unsigned bits,
                                                 sot_pool *pool, sotto_error *error);

#endif
