/* models/network/engine/scores.h: the scores of a network for encoded rows, many at a time:
 * front, then engine.
 *
 * A row's scores are a function of only that row, the network and its parameters. The bits are
 * the same for any other rows in the call, on any number of threads.
 */
#ifndef SOT_MODELS_NETWORK_ENGINE_SCORES_H
#define SOT_MODELS_NETWORK_ENGINE_SCORES_H

#include "base/threads.h"
#include "data/batches/matrix.h"
#include "models/network/layers/net.h"

typedef struct sot_scores sot_scores;

/* Room for sot_scores_room() rows at a time, less where rows are wide. The network (its data norms
 * filled in) and the pool are borrowed. Free with sot_scores_free(). */
SOTTO_MUST_CHECK sotto_status sot_scores_new(const sot_net *net, sot_pool *pool,
                                             sot_scores **out_scores, sotto_error *error);
void sot_scores_free(sot_scores *scores); /* wipes; NULL is fine */
size_t sot_scores_room(const sot_scores *scores);

/* net->outputs scores a row, row by row, of at most sot_scores_room() encoded rows. */
SOTTO_MUST_CHECK sotto_status sot_scores_find(sot_scores *scores, const float *parameters,
                                              const float *const *rows, size_t count,
                                              float *out_scores, sotto_error *error);

/* Everything that scoring by the parameters of a model file needs. Start with {0}; close also after failure. */
typedef struct sot_scores_kit {
    sot_pool *pool;
    sot_scores *scores;
    float *parameters;
} sot_scores_kit;
SOTTO_MUST_CHECK sotto_status sot_scores_kit_open(const sot_net *net, const double *theta,
                                                  size_t threads, sot_scores_kit *kit,
                                                  sotto_error *error);
void sot_scores_kit_close(sot_scores_kit *kit);

/* Receives the scores of each encoded row of a matrix, in their order. */
typedef void (*sot_scores_visitor)(size_t row, const float *scores, void *context);
SOTTO_MUST_CHECK sotto_status sot_scores_visit(sot_scores *scores,
                                               const float *parameters,
                                               const sot_matrix *matrix,
                                               sot_scores_visitor visit, void *context,
                                               sotto_error *error);

/* Scores a network on public rows, at least one. The score is the share of rows whose class has
 * the largest score (the first of equal ones). For numbers it is the root mean squared error in
 * the units of the target. */
SOTTO_MUST_CHECK sotto_status sot_scores_rate(sot_scores *scores, const float *parameters,
                                              const sot_encoding *encoding,
                                              const sot_matrix *matrix, double *out_rate,
                                              sotto_error *error);

#endif
