/* base/reduce.h: exact sums of integers over chunks and over machines.
 *
 * Idea: a record's contribution is a vector of int64. Integers add exactly, so the sum does not
 * depend on order, threads or ranks. Removing one record changes the sum by exactly that record's
 * contribution. Float sums do not have this property.
 *
 * Overflow: is refused, never wrapped or clamped: a wrapped sum would break the declared
 * sensitivity. The limits of the loader (2^32 rows, 2^30 units per coordinate) make it impossible,
 * so it is SOTTO_INTERNAL. The message has no place and no amount, which would be about the
 * records. A refusal depends only on the exact total, not on the order of the additions.
 *
 * Ranks: a back end (one process here; MPI in src/distributed) sums over ranks. Every rank makes
 * the same calls in the same order and receives the same sums.
 */
#ifndef SOT_BASE_REDUCE_H
#define SOT_BASE_REDUCE_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>

/* Adds `chunks` vectors of `count` numbers, one after another in `partials`, in that order.
 * On failure `out_sum` is wiped: a part of a sum is as secret as the whole. */
SOTTO_MUST_CHECK sotto_status sot_sum_chunks_int64(const int64_t *partials, size_t chunks,
                                                   size_t count, int64_t *out_sum,
                                                   sotto_error *error);

typedef struct sot_reduce sot_reduce;

/* The functions of a back end. `sum_int64` replaces the vector by the sum over all ranks,
 * with the overflow rule above (if one rank refuses, all do). `free` may be NULL. */
typedef struct sot_reduce_backend {
    size_t rank; /* 0 .. size - 1; rank 0 adds the noise and writes the files */
    size_t size;
    sotto_status (*sum_int64)(void *state, int64_t *vector, size_t count,
                              sotto_error *error);
    void (*free)(void *state);
} sot_reduce_backend;

/* One rank: this process. Free with sot_reduce_free(). */
SOTTO_MUST_CHECK sotto_status sot_reduce_new(sot_reduce **out_reduce, sotto_error *error);

/* Takes over `state`, but on failure leaves it with the caller. */
SOTTO_MUST_CHECK sotto_status sot_reduce_new_with(const sot_reduce_backend *backend,
                                                  void *state, sot_reduce **out_reduce,
                                                  sotto_error *error);
void sot_reduce_free(sot_reduce *reduce); /* NULL is fine */

size_t sot_reduce_rank(const sot_reduce *reduce);
size_t sot_reduce_size(const sot_reduce *reduce);

/* In place. On failure the vector is wiped. */
SOTTO_MUST_CHECK sotto_status sot_reduce_sum_int64(sot_reduce *reduce, int64_t *vector,
                                                   size_t count, sotto_error *error);

#endif
