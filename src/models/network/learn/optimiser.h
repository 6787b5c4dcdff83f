/* models/network/learn/optimiser.h: from released sums to weights: everything here is
 * post-processing.
 *
 * Idea: the gradient g_t is a noisy sum over its public divisor. SGD: v = m v + g, w -= h_t v.
 * Adam (Kingma & Ba 2015): both moments with their corrections. Then lambda, decoupled
 * (Loshchilov & Hutter 2019): w -= h_t (lambda / N) w. Then the nearest point of the ball around
 * the first weights. The result is the last w, or a moving average:
 * `a = d_t a + (1 - d_t) w, d_t = min(d, (1 + t)/(10 + t))`, in which the first weights
 * lose their influence quickly.
 *
 * Privacy: all of it is a function of released sums and public numbers.
 */
#ifndef SOT_MODELS_NETWORK_LEARN_OPTIMISER_H
#define SOT_MODELS_NETWORK_LEARN_OPTIMISER_H

#include <sotto/train_config.h>

#include "models/network/layers/net.h"

/* Public settings. */
typedef struct sot_nn_moves {
    sotto_optimizer optimizer;
    sotto_schedule schedule; /* never auto */
    double rate;             /* h */
    double momentum;         /* m, or Adam's first decay */
    double average;          /* d; 0: the last weights */
    double decay;            /* lambda / N */
    double radius;           /* 0: no ball */
    uint64_t steps;
} sot_nn_moves;

/* Released or public numbers. */
typedef struct sot_nn_state {
    size_t parameters; /* of the network */
    size_t trainable;
    uint64_t step;  /* done */
    float *weights; /* all, frozen ones included */
    /* One a trainable parameter, in their order: */
    float *first;   /* momentum, or Adam's first moment */
    float *second;  /* Adam's, else NULL */
    float *average; /* NULL: none */
    float *start;   /* the first weights; NULL: there is no ball */
} sot_nn_state;

/* Begins at `weights`, net->parameters of them. Free with sot_nn_state_free(), also after a failure. */
SOTTO_MUST_CHECK sotto_status sot_nn_state_begin(const sot_net *net,
                                                 const sot_nn_moves *moves,
                                                 const float *weights,
                                                 sot_nn_state *out_state,
                                                 sotto_error *error);
void sot_nn_state_free(sot_nn_state *state);

/* Takes one step along `gradient`, one number per trainable parameter, which it may overwrite.
 * Weights stay finite: they are clipped to +-2^20. */
void sot_nn_move(const sot_net *net, const sot_nn_moves *moves, float *gradient,
                 sot_nn_state *state);

/* The weights that would be the result now, net->parameters of them. */
void sot_nn_result(const sot_net *net, const sot_nn_state *state, float *out_weights);

#endif
