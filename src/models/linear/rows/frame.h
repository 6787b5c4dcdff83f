/* models/linear/rows/frame.h: the common frame of the passes of GLMs and of softmax. Chunks run
 * in parallel and are added up in their order, so the sums have the same bits for any number of
 * threads.
 */
#ifndef SOT_MODELS_LINEAR_ROWS_FRAME_H
#define SOT_MODELS_LINEAR_ROWS_FRAME_H

#include "base/threads.h"
#include "models/linear/losses/double_double.h"

/* The chunks of a pass and their results; borrowed from it. */
typedef struct sot_frame {
    sot_pool *pool; /* NULL: one thread */
    size_t rows, chunk_rows, chunks;
    double *sums;    /* `stride` numbers a chunk */
    size_t stride;   /* 2 lengths of a vector */
    double *numbers; /* 2 a chunk */
} sot_frame;

/* Adds up `numbers` of the chunks of a gradient: the squares of slopes, the losses. */
void sot_frame_add_numbers(const sot_frame *frame, double *out_squares,
                           double *out_values);

/* Losses at some points that share one reading of the rows. */
typedef struct sot_points {
    void *pass; /* of the family */
    const double *const *thetas;
    size_t count;
} sot_points;

/* `chunk_values` gets a sot_points, and writes one sum a point at the beginning of its chunk's sums. */
SOTTO_MUST_CHECK sotto_status sot_frame_values(const sot_frame *frame,
                                               sot_chunk_function chunk_values,
                                               sot_points points, double *out_values,
                                               sotto_error *error);

/* The change of losses between `from` and from + step + step_low, in extended
 * precision. */
typedef struct sot_way {
    void *pass; /* of the family */
    const double *from, *step, *step_low;
    sot_twofold *rows; /* scratch of the family, or NULL */
} sot_way;

/* `chunk_way` gets a sot_way, and writes a double-double number into its chunk's
 * numbers. */
SOTTO_MUST_CHECK sotto_status sot_frame_difference(const sot_frame *frame,
                                                   sot_chunk_function chunk_way,
                                                   sot_way way,
                                                   sot_twofold *out_difference,
                                                   sotto_error *error);

#endif
