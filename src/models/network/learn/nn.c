/* The learner of networks: its public side. Claims: nn.md. */
#include "models/network/learn/nn.h"

#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/network/learn/parts.h"

enum { COPIES_MOST = 64 };

sot_steps sot_nn_steps(const sot_nn *nn)
{
    return (sot_steps){.noise = &nn->noise,
                       .count = nn->moves.steps,
                       .before = nn->before,
                       .before_count = nn->before_count};
}

/* ---- refusals ---- */

static sotto_status check_setup(const sot_learner_setup *setup, sotto_error *error)
{
    const sotto_train_config *config = setup->config;
    if (setup->unit_rows != 1) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the schema's unit has up to %llu rows, but networks clip the "
                        "gradients of single rows; use a "
                        "linear model, for example `model=logistic`",
                        (unsigned long long)setup->unit_rows);
    }
    if (setup->method != SOTTO_METHOD_SGD && setup->method != SOTTO_METHOD_GD &&
        setup->method != SOTTO_METHOD_NONE) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "`method` is %s; networks take sgd, gd or none",
                        sotto_method_name(setup->method));
    }
    if (config->schedule == SOTTO_SCHEDULE_STRONG) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "`schedule` is strong, which is for convex losses; networks take "
                        "constant, root, linear or cosine");
    }
    if (config->iterate != SOTTO_ITERATE_AUTO) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "`iterate` is %s, which is for convex losses; networks take "
                        "`weight_average`, 0 for the last weights",
                        sotto_iterate_name(config->iterate));
    }
    if (setup->method == SOTTO_METHOD_NONE) return SOTTO_OK;
    return sot_steps_check(setup, "the training of a network", "", error);
}

/* Copies are images. (That data norms stand before all that learns, the network sees to.) */
static sotto_status check_copies(const sot_learner_setup *setup, const sot_net *net,
                                 sotto_error *error)
{
    const uint64_t copies = setup->config->augmentations;
    if (copies > COPIES_MOST) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`augmentations` is %llu; give at most %d",
                        (unsigned long long)copies, (int)COPIES_MOST);
    }
    if (copies > 0 && setup->method == SOTTO_METHOD_NONE) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`augmentations` is %llu, but the method none makes no copies; leave "
            "`augmentations` out, or write the copies into the public file",
            (unsigned long long)copies);
    }
    if (copies > 0 && (net->input.height < 2 || net->input.width < 2)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`augmentations` moves and mirrors images, and the records of "
                        "this schema are none; leave it out, or give the schema a shape");
    }
    return SOTTO_OK;
}

/* ---- noise ---- */

static sotto_status add_data_norms(const sot_learner *learner, sot_nn *nn,
                                   sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < learner->net->front; i++) {
        const sot_layer *layer = &learner->net->layers[i];
        if (layer->kind != SOT_LAYER_DATA_NORM || layer->mean != NULL) continue;
        status = sot_data_norm_noise(layer, learner->setup.config->adjacency,
                                     nn->before + nn->before_count, error);
        nn->before_count += sot_data_norm_releases(layer);
    }
    return status;
}

static sotto_status set_noise(sot_learner *learner, sot_nn *nn, sotto_error *error)
{
    const sotto_train_config *config = learner->setup.config;
    const sot_engine_sensitivity moved =
        sot_engine_sensitivity_of(learner->net, &nn->clip);
    nn->noise = sotto_gaussian_defaults();
    sot_nn_sampler_event(&nn->sampler, config->adjacency, moved.one, moved.exchanged,
                         &nn->noise);
    nn->noise.purpose = "gradient sum";
    nn->noise.grid = nn->clip.spacing;
    sotto_status status = add_data_norms(learner, nn, error);
    const sot_steps steps = sot_nn_steps(nn);
    if (status == SOTTO_OK)
        status = sot_steps_calibrate(&steps, config, &nn->noise, &nn->multiplier, error);
    if (status == SOTTO_UNREACHABLE && nn->before_count > 0) {
        return sot_fail(
            error, SOTTO_UNREACHABLE,
            "the data norms of the network leave nothing for %llu steps at epsilon %g "
            "and delta %g; give them more noise, or use a group-norm",
            (unsigned long long)steps.count, config->epsilon, config->delta);
    }
    return status;
}

static void describe_noise(sot_learner *learner, const sot_nn *nn)
{
    double numbers = (double)nn->moves.steps * (double)learner->net->trainable;
    sot_learner_set(learner, "noise_multiplier", nn->multiplier,
                    "noise scale over the largest move by one record");
    sot_learner_set(learner, "sigma", nn->noise.sigma * nn->clip.spacing,
                    "standard deviation of each coordinate of a step's gradient sum");
    sot_learner_set(learner, "divisor", nn->sampler.divisor,
                    "records of a step: a public number, not counted in the data");
    if (nn->sampler.sampling == SOTTO_POISSON)
        sot_learner_set(learner, "rate", nn->sampler.rate,
                        "probability that a record takes part in a step");
    for (size_t i = 0; i < learner->net->front; i++) {
        const sot_layer *layer = &learner->net->layers[i];
        if (layer->kind == SOT_LAYER_DATA_NORM)
            numbers += 2.0 * (double)layer->in.channels;
    }
    learner->sampler_error = sot_steps_sampler_error(numbers);
}

static sotto_status plan(const sot_learner *learner, sotto_plan *events,
                         sotto_error *error)
{
    const sot_steps steps = sot_nn_steps(learner->state);
    return sot_steps_plan(&steps, events, error);
}

/* ---- the learner ---- */

static sotto_status make_net(const sot_learner_setup *setup, sot_net **out_net,
                             sotto_error *error)
{
    const sotto_train_config *config = setup->config;
    sot_net_task task;
    assert(config->network != NULL); /* the run sees to it */
    sotto_status status = sot_net_task_of(setup->encoding, setup->schema, &task, error);
    if (status == SOTTO_OK) status = sot_net_make(config->network, &task, out_net, error);
    if (status == SOTTO_OK && setup->init != NULL)
        status = sot_net_take_norms(*out_net, setup->init, error);
    if (status == SOTTO_OK && config->freeze != NULL)
        status = sot_net_freeze(*out_net, config->freeze, error);
    return status;
}

static sotto_status fill(sot_learner *learner, sotto_error *error)
{
    const bool plain = learner->setup.method == SOTTO_METHOD_NONE;
    sotto_status status = check_setup(&learner->setup, error);
    if (status == SOTTO_OK) status = make_net(&learner->setup, &learner->net, error);
    if (status == SOTTO_OK) status = check_copies(&learner->setup, learner->net, error);
    if (status != SOTTO_OK) return status;
    sot_nn *nn = sot_new_array(1, sizeof *nn);
    if (nn == NULL) return sot_fail_memory(error, 1, sizeof *nn);
    learner->state = nn;
    learner->outputs = learner->net->outputs;
    learner->coefficients = learner->net->parameters;
    learner->grid = 0x1p-40;
    learner->learn = plain ? sot_nn_walk_plain : sot_nn_walk;
    status = sot_nn_decide(learner, nn, error);
    if (status != SOTTO_OK || plain) return status;
    learner->plan = plan;
    learner->resumes = true;
    status = set_noise(learner, nn, error);
    if (status == SOTTO_OK) describe_noise(learner, nn);
    return status;
}

sotto_status sot_nn_new(const sot_learner_setup *setup, sot_learner **out_learner,
                        sotto_error *error)
{
    sot_learner *learner = sot_learner_new(setup);
    if (learner == NULL) return sot_fail_memory(error, 1, sizeof *learner);
    const sotto_status status = fill(learner, error);
    if (status != SOTTO_OK) {
        sot_learner_free(learner);
        return status;
    }
    *out_learner = learner;
    return SOTTO_OK;
}
