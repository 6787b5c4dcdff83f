/* models/network/learn/nn.h: differentially private stochastic gradient descent for networks.
 *
 * Idea: every step samples its records with a public distribution, bounds each one's gradient,
 * and adds them up in integers (models/network/engine/engine.h). It releases the sum with
 * Gaussian noise, once per logical batch. Everything else (optimizer, averages, schedules,
 * projection) is a function of released numbers.
 *
 * Theorem: Abadi et al., CCS 2016, in the form that nn.md proves for these tiles and roundings.
 * The run is the composition of `steps` releases of sotto_gaussian_release() with the sampling
 * stated in each event. Each data norm adds one or two releases.
 *
 * Neighbours: config->adjacency, one row. A unit of several rows is refused.
 *
 * Proof note: src/models/network/learn/nn.md
 */
#ifndef SOT_MODELS_NETWORK_LEARN_NN_H
#define SOT_MODELS_NETWORK_LEARN_NN_H

#include "methods/learner.h"
#include "models/network/layers/net.h"

/* The learner of SOTTO_MODEL_NETWORK: methods sgd (auto, gd: all rows every step) and none (public rows). */
SOTTO_MUST_CHECK sotto_status sot_nn_new(const sot_learner_setup *setup,
                                         sot_learner **out_learner, sotto_error *error);

#endif
