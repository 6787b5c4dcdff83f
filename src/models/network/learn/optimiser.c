#include "models/network/learn/optimiser.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/steps.h"

/* Adam's second decay and the number that keeps its quotient finite: the values of its paper. */
#define ADAM_SECOND 0.999
#define ADAM_LEAST  1e-8

#define WEIGHT_MOST 0x1p20f

/* ---- the state ---- */

sotto_status sot_nn_state_begin(const sot_net *net, const sot_nn_moves *moves,
                                const float *weights, sot_nn_state *out_state,
                                sotto_error *error)
{
    const size_t trainable = net->trainable;
    const bool adam = moves->optimizer == SOTTO_OPTIMIZER_ADAM;
    *out_state = (sot_nn_state){.parameters = net->parameters, .trainable = trainable};
    out_state->weights = sot_new_array(net->parameters, sizeof(float));
    out_state->first = sot_new_array(trainable, sizeof(float));
    if (adam) out_state->second = sot_new_array(trainable, sizeof(float));
    if (moves->average > 0.0)
        out_state->average = sot_new_array(trainable, sizeof(float));
    if (moves->radius > 0.0) out_state->start = sot_new_array(trainable, sizeof(float));
    if (out_state->weights == NULL || out_state->first == NULL ||
        (adam && out_state->second == NULL) ||
        (moves->average > 0.0 && out_state->average == NULL) ||
        (moves->radius > 0.0 && out_state->start == NULL))
        return sot_fail_memory(error, net->parameters, sizeof(float));
    memcpy(out_state->weights, weights, net->parameters * sizeof *weights);
    for (size_t i = 0, at = 0; i < net->layer_count; i++) {
        const sot_layer *layer = &net->layers[i];
        const size_t count = layer->frozen ? 0 : layer->parameters;
        if (count == 0) continue;
        const size_t bytes = count * sizeof *weights;
        if (out_state->average != NULL)
            memcpy(out_state->average + at, weights + layer->first, bytes);
        if (out_state->start != NULL)
            memcpy(out_state->start + at, weights + layer->first, bytes);
        at += count;
    }
    return SOTTO_OK;
}

void sot_nn_state_free(sot_nn_state *state)
{
    sot_free(state->weights);
    sot_free(state->first);
    sot_free(state->second);
    sot_free(state->average);
    sot_free(state->start);
    *state = (sot_nn_state){0};
}

/* ---- a step ---- */

/* Numbers are processed LANES at a time, and the rest one by one, which compilers vectorise. The
 * arrays of a call do not overlap. */
enum { LANES = 16 };

/* The change of the weights, less their decay, in place of the gradient. */
static void change_by_momentum(float momentum, float size, size_t count,
                               float *restrict velocity, float *restrict gradient)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (size_t k = i; k < i + LANES; k++) {
            velocity[k] = momentum * velocity[k] + gradient[k];
            gradient[k] = size * velocity[k];
        }
    }
    for (; i < count; i++) {
        velocity[i] = momentum * velocity[i] + gradient[i];
        gradient[i] = size * velocity[i];
    }
}

static void change_by_adam(const sot_nn_moves *moves, double size, double t, size_t count,
                           float *first, float *second, float *gradient)
{
    const float keep = (float)moves->momentum, keep_square = (float)ADAM_SECOND;
    const float lift = (float)(size / (1.0 - pow(moves->momentum, t)));
    const float lift_square = (float)(1.0 / (1.0 - pow(ADAM_SECOND, t)));
    for (size_t i = 0; i < count; i++) {
        const float g = gradient[i];
        first[i] = keep * first[i] + (1.0f - keep) * g;
        second[i] = keep_square * second[i] + (1.0f - keep_square) * g * g;
        gradient[i] =
            lift * first[i] / (sqrtf(lift_square * second[i]) + (float)ADAM_LEAST);
    }
}

/* The comparisons are so that NaN becomes a number too. */
static inline float within(float weight)
{
    const float above = weight > -WEIGHT_MOST ? weight : -WEIGHT_MOST;
    return above < WEIGHT_MOST ? above : WEIGHT_MOST;
}

static void change_some(float keep, size_t count, const float *restrict change,
                        float *restrict weights)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t k = i; k < i + LANES; k++)
            weights[k] = within(keep * weights[k] - change[k]);
    for (; i < count; i++)
        weights[i] = within(keep * weights[i] - change[i]);
}

static void average_some(float fresh, size_t count, const float *restrict weights,
                         float *restrict average)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t k = i; k < i + LANES; k++)
            average[k] += fresh * (weights[k] - average[k]);
    for (; i < count; i++)
        average[i] += fresh * (weights[i] - average[i]);
}

static void change_weights(const sot_net *net, const float *change, float keep,
                           float *weights)
{
    for (size_t i = 0, at = 0; i < net->layer_count; i++) {
        const sot_layer *layer = &net->layers[i];
        const size_t count = layer->frozen ? 0 : layer->parameters;
        change_some(keep, count, change + at, weights + layer->first);
        at += count;
    }
}

/* The nearest point of the ball around `start`, to rounding. */
static void project(const sot_net *net, double radius, const float *start, float *weights)
{
    double squares = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        const double shrink = pass == 0 ? 1.0 : radius / sqrt(squares);
        if (pass == 1 && !(squares > radius * radius)) return;
        for (size_t i = 0, at = 0; i < net->layer_count; i++) {
            const sot_layer *layer = &net->layers[i];
            const size_t count = layer->frozen ? 0 : layer->parameters;
            float *own = weights + layer->first;
            for (size_t k = 0; k < count; k++, at++) {
                const double away = (double)own[k] - (double)start[at];
                if (pass == 0)
                    squares += away * away;
                else
                    own[k] = (float)((double)start[at] + shrink * away);
            }
        }
    }
}

static void average_weights(const sot_net *net, double decay, double t,
                            const float *weights, float *average)
{
    const float fresh = (float)(1.0 - fmin(decay, (1.0 + t) / (10.0 + t)));
    for (size_t i = 0, at = 0; i < net->layer_count; i++) {
        const sot_layer *layer = &net->layers[i];
        const size_t count = layer->frozen ? 0 : layer->parameters;
        average_some(fresh, count, weights + layer->first, average + at);
        at += count;
    }
}

/* Updates velocity and weights in one pass, in blocks that stay in the L1 cache. */
static void move_by_momentum(const sot_net *net, const sot_nn_moves *moves, double size,
                             float *gradient, sot_nn_state *state)
{
    enum { TOGETHER = 1024 };
    const float momentum = (float)moves->momentum;
    const float keep = (float)(1.0 - size * moves->decay);
    for (size_t i = 0, at = 0; i < net->layer_count; i++) {
        const sot_layer *layer = &net->layers[i];
        const size_t count = layer->frozen ? 0 : layer->parameters;
        for (size_t done = 0; done < count; done += TOGETHER) {
            const size_t some = count - done < TOGETHER ? count - done : TOGETHER;
            change_by_momentum(momentum, (float)size, some, state->first + at,
                               gradient + at);
            change_some(keep, some, gradient + at, state->weights + layer->first + done);
            at += some;
        }
    }
}

void sot_nn_move(const sot_net *net, const sot_nn_moves *moves, float *gradient,
                 sot_nn_state *state)
{
    const double t = (double)(state->step + 1);
    const double size =
        sot_step_size(moves->schedule, moves->rate, t, (double)moves->steps);
    if (moves->optimizer == SOTTO_OPTIMIZER_ADAM) {
        change_by_adam(moves, size, t, state->trainable, state->first, state->second,
                       gradient);
        change_weights(net, gradient, (float)(1.0 - size * moves->decay), state->weights);
    } else {
        move_by_momentum(net, moves, size, gradient, state);
    }
    if (state->start != NULL) project(net, moves->radius, state->start, state->weights);
    if (state->average != NULL)
        average_weights(net, moves->average, t, state->weights, state->average);
    state->step++;
}

void sot_nn_result(const sot_net *net, const sot_nn_state *state, float *out_weights)
{
    memcpy(out_weights, state->weights, state->parameters * sizeof *out_weights);
    for (size_t i = 0, at = 0; state->average != NULL && i < net->layer_count; i++) {
        const sot_layer *layer = &net->layers[i];
        const size_t count = layer->frozen ? 0 : layer->parameters;
        if (count > 0)
            memcpy(out_weights + layer->first, state->average + at,
                   count * sizeof *out_weights);
        at += count;
    }
}
