/* models/linear/rows/gram.h: exact second moments: the sum over rows of q q^T, in integers.
 *
 * Idea: a row becomes a vector q of whole numbers, toward zero, and its products are added up
 * exactly. The sums are first in doubles that hold whole numbers below 2^53, for the vector
 * kernels of the Hessian, and then in int64.
 *
 * Theorem: q is a function of only its row (and of the weight's public parameters), and is no
 * longer than the row in units. Hence a row moves the sum by a matrix of rank one with the
 * Frobenius norm |q|^2. Two exchanged rows move it by at most sqrt(2) times the longer.
 *
 * Proof note: gram.md
 */
#ifndef SOT_MODELS_LINEAR_ROWS_GRAM_H
#define SOT_MODELS_LINEAR_ROWS_GRAM_H

#include "base/threads.h"
#include "data/batches/matrix.h"

/* A row is at most 2^15 units long: with 2^32 rows a sum is at most 2^62. */
enum { SOT_GRAM_BITS = 14 };

/* More columns than this would be a matrix of gigabytes. */
enum { SOT_GRAM_COLUMNS_MOST = 4096 };

/* Computes weights of the rows begin .. end - 1, at most 64 of them, each from 0 to 1 and a
 * function of only that row. */
typedef void (*sot_gram_weights)(const void *context, const sot_matrix *matrix,
                                 size_t begin, size_t end, double *out_weights);

typedef struct sot_gram {
    double per_unit; /* units a feature of 1 has: a power of two; w R per_unit <= 2^15 */
    double
        per_target; /* units a target of 1 has; at most 2^15 for the largest; 0: no target */
    sot_gram_weights weights; /* NULL: 1 */
    const void *context;      /* of `weights` */
} sot_gram;

/* Columns, and one for the target: rows and columns of the sums. */
static inline size_t sot_gram_size(const sot_gram *gram, size_t columns)
{
    return gram->per_target > 0.0 ? columns + 1 : columns;
}

/* Adds q q^T for all rows to `inout_sums`, size x size, both triangles. q_j = trunc(w x_j
 * per_unit), and last, if there is a target y, trunc(w y per_target). |q_x| <= w R per_unit
 * (1 + 2^-50). Sparse and dense rows give the same. Fails only for lack of memory. */
SOTTO_MUST_CHECK sotto_status sot_gram_add(const sot_gram *gram, const sot_matrix *matrix,
                                           sot_pool *pool, int64_t *inout_sums,
                                           sotto_error *error);

#endif
