/* models/network/learn/parts.h: the common part of the learner of networks. */
#ifndef SOT_MODELS_NETWORK_LEARN_PARTS_H
#define SOT_MODELS_NETWORK_LEARN_PARTS_H

#include <sotto/gaussian.h>

#include "methods/learner.h"
#include "methods/steps.h"
#include "models/network/engine/engine.h"
#include "models/network/learn/optimiser.h"
#include "models/network/learn/sampler.h"

/* Public: everything that is decided before a record is read. */
typedef struct sot_nn {
    sot_nn_sampler sampler;
    sot_nn_moves moves; /* the optimiser's settings */
    sot_clip clip;
    sotto_gaussian_config noise; /* of one step's sum */
    double multiplier;           /* sigma over sensitivity */
    double rows;     /* public: N, by which rules divide; 0: method none, not known yet */
    double epochs;   /* method none: passes over the rows; else for the eye */
    uint64_t copies; /* of a record, whose gradients are averaged; 0: the record itself */
    sotto_gaussian_config
        before[2 *
               SOT_NET_LAYERS_MAX]; /* the releases of data norms, one or two a layer */
    size_t before_count;
} sot_nn;

/* Returns the releases of a training, for methods/steps.h. Borrows from `nn`. */
sot_steps sot_nn_steps(const sot_nn *nn);

/* ---- rules.c: defaults ---- */

/* Sets batch, passes, steps, learning rate, momentum, clip norm and average, given or by default;
 * refuses invalid values. Sets the learner's settings for them. */
SOTTO_MUST_CHECK sotto_status sot_nn_decide(sot_learner *learner, sot_nn *nn,
                                            sotto_error *error);

/* ---- data_norm.c ---- */

/* The number of releases that data norm `layer` makes: 2, or 1 if it only moves channels. */
size_t sot_data_norm_releases(const sot_layer *layer);

/* They, in order: the sum of channel means, and of channel means of squares. */
SOTTO_MUST_CHECK sotto_status sot_data_norm_noise(const sot_layer *layer,
                                                  sotto_adjacency adjacency,
                                                  sotto_gaussian_config out_noise[2],
                                                  sotto_error *error);

/* Gives the layer room for its mean and deviation. */
SOTTO_MUST_CHECK sotto_status sot_data_norm_make_room(sot_layer *layer,
                                                      sotto_error *error);

/* Releases them, of the layer's inputs at rows[i], and fills in layer->mean and layer->deviation. `divisor`
 * is the public number of rows. A channel without variance gets a deviation of 2^60: nothing is left of it. */
SOTTO_MUST_CHECK sotto_status sot_data_norm_learn(sot_layer *layer,
                                                  const sotto_gaussian_config noise[2],
                                                  sotto_gate *gate,
                                                  const float *const *rows, size_t count,
                                                  double divisor, sot_pool *pool,
                                                  sotto_error *error);

/* The same from public rows, without noise. */
SOTTO_MUST_CHECK sotto_status sot_data_norm_measure(sot_layer *layer,
                                                    const float *const *rows,
                                                    size_t count, sotto_error *error);

/* ---- rows.c: the records on their way to the first layer that learns ---- */

typedef struct sot_nn_rows {
    size_t count;
    const float **inputs; /* one per record: encoded, or the output of some layers */
    const double *labels; /* borrowed from the matrix */
    double *squares; /* of the inputs, for the engine; NULL: it has no use for them */
    float *owned;    /* the memory behind `inputs`; NULL: the matrix */
    size_t owned_floats;
    bool
        encoded; /* as the matrix has them: planes one after another, no layer was applied */
} sot_nn_rows;

/* Encoded rows, where the matrix has them if it is dense. Free with sot_nn_rows_free(), also after a
 * failure. The matrix must outlive them. */
SOTTO_MUST_CHECK sotto_status sot_nn_rows_of(const sot_net *net, const sot_matrix *matrix,
                                             sot_nn_rows *out_rows, sotto_error *error);
/* Replaces inputs of layer `from` by inputs of layer `to`, both of the front. */
SOTTO_MUST_CHECK sotto_status sot_nn_rows_apply(sot_nn_rows *rows, const sot_net *net,
                                                size_t from, size_t to,
                                                const float *parameters, sot_pool *pool,
                                                sotto_error *error);
/* Fills in the squares of inputs of the first layer that learns, if the engine wants them. */
SOTTO_MUST_CHECK sotto_status sot_nn_rows_square(sot_nn_rows *rows,
                                                 const sot_engine *engine,
                                                 sotto_error *error);
void sot_nn_rows_free(sot_nn_rows *rows); /* wipes */

/* ---- augment.c: copies of a record ---- */

/* Writes a copy of an encoded image (planes one after another). It is moved by up to an eighth of
 * its height and width with mirrored borders, and perhaps mirrored itself, all by `coin`. */
void sot_augment(sot_shape shape, const float *image, uint64_t coin, float *out);

/* ---- checkpoint.c ---- */

/* Saves the state that a later run needs to resume: released or public numbers, and the learning
 * curve so far. NULL: no scoring; it is not changed. Free with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_nn_save(const sot_net *net, const sot_nn_state *state,
                                          sot_validation *curve,
                                          unsigned char **out_bytes, size_t *out_size,
                                          sotto_error *error);
/* Fills a state that was begun, the data norms, and the curve, if there is one. SOTTO_PARSE when it is not of this
 * network and these settings. */
SOTTO_MUST_CHECK sotto_status sot_nn_restore(sot_net *net, sot_nn_state *state,
                                             sot_validation *curve,
                                             const unsigned char *bytes,
                                             size_t size_bytes, sotto_error *error);

/* ---- loop.c, plain.c ---- */

SOTTO_MUST_CHECK sotto_status sot_nn_walk(const sot_learner *learner, sotto_gate *gate,
                                          sot_table *table, sot_pool *pool,
                                          double *out_theta, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_nn_walk_plain(const sot_learner *learner,
                                                sotto_gate *gate, sot_table *table,
                                                sot_pool *pool, double *out_theta,
                                                sotto_error *error);

/* ---- learned.c: begin and end of both training loops ---- */

/* Parameters to begin with: those of setup.center, or random ones from a public seed. */
void sot_nn_first_parameters(const sot_learner *learner, float *out_parameters);

/* The result, multiples of `grid` that are floats. */
SOTTO_MUST_CHECK sotto_status sot_nn_write_result(const sot_net *net,
                                                  const sot_nn_state *state, double grid,
                                                  double *out_theta, sotto_error *error);

/* Public rows, scored some twenty times on the way. */
typedef struct sot_nn_validation sot_nn_validation;
SOTTO_MUST_CHECK sotto_status sot_nn_validation_new(const sot_learner *learner,
                                                    const float *parameters,
                                                    sot_pool *pool,
                                                    sot_nn_validation **out_validation,
                                                    sotto_error *error);
void sot_nn_validation_free(sot_nn_validation *validation); /* NULL is fine */
/* Scores the weights that would be the result after `step` of `steps`, if it is time. NULL: nothing to do. */
SOTTO_MUST_CHECK sotto_status sot_nn_validate(sot_nn_validation *validation,
                                              const sot_nn_state *state, uint64_t step,
                                              uint64_t steps, sotto_error *error);

#endif
