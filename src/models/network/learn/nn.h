/* models/network/learn/nn.h: differentially private stochastic gradient descent for networks.
 *
 * Idea        Every step draws its records by public law, bounds each one's gradient, adds them up in
 *             integers (models/network/engine/engine.h), and releases the sum under Gaussian noise, once a logical batch. All that
 *             follows (optimiser, averages, schedules, projection) is a function of released numbers.
 * Theorem     Abadi et al., CCS 2016, in the form nn.md proves for these tiles and roundings: the run is
 *             the composition of `steps` releases of sotto_gaussian_release() with the sampling stated
 *             in each event, and of the one or two of each data norm.
 * Neighbours  config->adjacency, one row. A unit of several rows is refused.
 * Proof note  src/models/network/learn/nn.md
 */
#ifndef SOT_MODELS_NETWORK_LEARN_NN_H
#define SOT_MODELS_NETWORK_LEARN_NN_H

#include "methods/learner.h"
#include "models/network/layers/net.h"

/* The learner of SOTTO_MODEL_NETWORK: methods sgd (auto, gd: all rows every step) and none (public rows). */
SOTTO_MUST_CHECK sotto_status sot_nn_new(const sot_learner_setup *setup,
                                         sot_learner **out_learner, sotto_error *error);

#endif
