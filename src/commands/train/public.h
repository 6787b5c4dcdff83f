/* commands/train/public.h: public rows for a forecast: drawn from a schema, split, scored. */
#ifndef SOT_COMMANDS_TRAIN_PUBLIC_H
#define SOT_COMMANDS_TRAIN_PUBLIC_H

#include <sotto/array.h>
#include <sotto/rng.h>
#include <sotto/schema.h>
#include <sotto/train.h>

#include "data/batches/matrix.h"

/* Records in memory, owned by this struct. Start with {0}. */
typedef struct sot_public_records {
    sotto_records records;
    double *cells;
    double *labels; /* of a matrix schema */
    int64_t *units; /* if the schema has a unit: each has as many rows as it may */
} sot_public_records;

/* Every cell uniform in its column's range, independent of the others; features of a matrix uniform
 * in [-1, 1]. At most 2^26 rows, and 2^28 cells. */
SOTTO_MUST_CHECK sotto_status sot_public_draw(const sotto_schema *schema, uint64_t rows,
                                              sotto_rng *rng, sot_public_records *out,
                                              sotto_error *error);
void sot_public_clear(sot_public_records *records);

/* Every `nth` row goes to `out_held`, the others to `out_seen`, in order. */
SOTTO_MUST_CHECK sotto_status sot_public_split(const sot_matrix *all, size_t nth,
                                               sot_matrix **out_seen,
                                               sot_matrix **out_held, sotto_error *error);

/* Takes the rows marked `taken`, in order, of two matrices of one encoding, one after the
 * other. */
SOTTO_MUST_CHECK sotto_status sot_public_take(const sot_matrix *first,
                                              const sot_matrix *second, const bool *taken,
                                              sot_matrix **out_part, sotto_error *error);

/* The rows with these places, in this order. */
SOTTO_MUST_CHECK sotto_status sot_public_pick(const sot_matrix *all, const size_t *rows,
                                              size_t count, sot_matrix **out_picked,
                                              sotto_error *error);

/* As many rows as asked for: the same ones again and again, in order. `few` has at least one. */
SOTTO_MUST_CHECK sotto_status sot_public_repeat(const sot_matrix *few, size_t rows,
                                                sot_matrix **out_many,
                                                sotto_error *error);

/* Replaces the labels by synthetic ones, on the target's grid and within its bounds. A model of
 * the target's role explains most of them. */
SOTTO_MUST_CHECK sotto_status sot_public_plant(const sot_encoding *encoding,
                                               sot_matrix *matrix, sotto_rng *rng,
                                               sotto_error *error);

/* The sum of a row's features times coefficients. */
double sot_public_margin(const sot_matrix *matrix, size_t row, const double *theta);

/* Returns the distance of the predicted number from the true one, in the units of the target; for
 * models of numbers that are no network. */
double sot_public_miss(const sotto_training *training, const sot_matrix *matrix,
                       size_t row, const double *theta);

/* Returns the share of rows with a correctly predicted class, or the root mean squared error in
 * the units of the target. Needs at least one row. */
SOTTO_MUST_CHECK sotto_status sot_public_score(const sotto_training *training,
                                               const sot_matrix *matrix,
                                               const double *theta, double *out_score,
                                               sotto_error *error);

/* The same of always saying the commonest class, or the mean, of the rows `seen`. */
SOTTO_MUST_CHECK sotto_status sot_public_trivial(const sot_encoding *encoding,
                                                 const sot_matrix *seen,
                                                 const sot_matrix *held,
                                                 double *out_score, sotto_error *error);

#endif
