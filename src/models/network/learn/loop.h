/* models/network/learn/loop.h: the state of a training loop, for loop.c and sum.c. */
#ifndef SOT_MODELS_NETWORK_LEARN_LOOP_H
#define SOT_MODELS_NETWORK_LEARN_LOOP_H

#include "models/network/learn/parts.h"

/* Tiles whose records go through the front at once, at most. */
enum { SOT_TILES_AT_ONCE = 16 };

typedef struct sot_nn_walking {
    const sot_learner *learner;
    const sot_nn *nn;
    sot_net *net; /* the learner's: the numbers of its data norms are filled in */
    sotto_gate *gate;
    sot_pool *pool;
    sot_engine *engine;
    sot_nn_rows rows;
    sot_nn_draws *draws;
    sot_nn_validation *validation;
    sot_nn_state state; /* released */
    int64_t *units;     /* one per parameter: the exact sum, then the released one */
    float *gradient;    /* one a trainable parameter */
    /* One step's records, tile by tile: */
    const float **inputs;
    double *labels;
    double *squares; /* of the inputs, where the rows have them */
    size_t room;
    size_t starts[SOT_TILES_AT_ONCE + 1];
    bool fronts; /* every step applies the front to its records, some tiles at a time: */
    float *images, *behind; /* copies, and the output of the front */
    size_t front_room;
} sot_nn_walking;

/* The exact sum of step `step`'s records, in units, into walk->units; *out_count of them. */
SOTTO_MUST_CHECK sotto_status sot_nn_walk_sum(sot_nn_walking *walk, uint64_t step,
                                              size_t *out_count, sotto_error *error);

/* Wipes and frees the rest of a step's records. */
void sot_nn_walk_drop_records(sot_nn_walking *walk);

#endif
