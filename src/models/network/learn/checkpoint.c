/* The state of a training as bytes: released and public numbers, the same on every machine.
 *
 * Layout: "sotto nn", then little-endian words of 64 bits: version, step, parameters, trainable,
 * flags of the arrays. Then the arrays of floats, as words of 32 bits: weights, first, second,
 * average. Then for each data norm of the network mean and deviation of each channel, doubles as
 * words of 64 bits. Then the learning curve so far, from public rows and released weights: number
 * of points, the step of each, the score of each. Version 1 has no curve. Nothing else: no key,
 * no sum, no record.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/network/learn/parts.h"

static const char magic[8] = {'s', 'o', 't', 't', 'o', ' ', 'n', 'n'};
enum {
    VERSION = 2,
    VERSION_WITHOUT_CURVE = 1,
    WORDS = 5,
    HAS_SECOND = 1,
    HAS_AVERAGE = 2
};

/* Where the next number is written, or read from; `bytes` NULL: only counted. */
typedef struct byte_cursor {
    unsigned char *bytes;
    const unsigned char *source; /* reading, if not NULL */
    size_t at, size;
    bool failed;
} byte_cursor;

/* The `width` low bytes of a number, least significant first, in or out. */
static void pass_word(byte_cursor *cursor, uint64_t *word, size_t width)
{
    if (cursor->source != NULL && cursor->size - cursor->at < width) {
        cursor->failed = true;
        return;
    }
    if (cursor->source != NULL) *word = 0;
    for (size_t i = 0; i < width; i++) {
        if (cursor->source != NULL)
            *word |= (uint64_t)cursor->source[cursor->at + i] << (8 * i);
        else if (cursor->bytes != NULL)
            cursor->bytes[cursor->at + i] = (unsigned char)(*word >> (8 * i));
    }
    cursor->at += width;
}

static void pass_floats(byte_cursor *cursor, float *values, size_t count)
{
    for (size_t i = 0; i < count && !cursor->failed; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        uint64_t word = bits;
        pass_word(cursor, &word, sizeof bits);
        bits = (uint32_t)word;
        memcpy(&values[i], &bits, sizeof bits);
        if (!isfinite(values[i])) cursor->failed = true;
    }
}

static void pass_doubles(byte_cursor *cursor, double *values, size_t count)
{
    for (size_t i = 0; i < count && !cursor->failed; i++) {
        uint64_t word;
        memcpy(&word, &values[i], sizeof word);
        pass_word(cursor, &word, sizeof word);
        memcpy(&values[i], &word, sizeof word);
        if (!isfinite(values[i])) cursor->failed = true;
    }
}

/* Checks that the header fits this network and these settings, except for the step. */
static uint64_t pass_header(byte_cursor *cursor, sot_nn_state *state)
{
    uint64_t version = VERSION;
    const uint64_t arrays = (state->second != NULL ? HAS_SECOND : 0U) |
                            (state->average != NULL ? HAS_AVERAGE : 0U);
    const uint64_t expected[WORDS] = {VERSION, state->step, state->parameters,
                                      state->trainable, arrays};
    for (size_t i = 0; i < sizeof magic; i++) {
        uint64_t letter = (unsigned char)magic[i];
        pass_word(cursor, &letter, 1);
        if (letter != (unsigned char)magic[i]) cursor->failed = true;
    }
    for (size_t i = 0; i < WORDS && !cursor->failed; i++) {
        uint64_t word = expected[i];
        pass_word(cursor, &word, sizeof word);
        if (i == 1)
            state->step = word;
        else if (i == 0 && word == VERSION_WITHOUT_CURVE)
            version = word;
        else if (word != expected[i])
            cursor->failed = true;
    }
    return version;
}

/* Points have increasing steps that are done. `curve` is NULL, and has no points, if
 * there is no scoring. */
static void pass_curve(byte_cursor *cursor, const sot_nn_state *state,
                       sot_validation *curve)
{
    uint64_t count = curve == NULL ? 0 : curve->count, last = 0;
    pass_word(cursor, &count, sizeof count);
    if (cursor->failed || count > (curve == NULL ? 0 : curve->room)) {
        cursor->failed = true;
        return;
    }
    for (size_t i = 0; i < count && !cursor->failed; i++) {
        pass_word(cursor, &curve->steps[i], sizeof curve->steps[i]);
        if (curve->steps[i] <= last || curve->steps[i] > state->step)
            cursor->failed = true;
        last = curve->steps[i];
    }
    if (count > 0) pass_doubles(cursor, curve->scores, count);
    if (cursor->source != NULL && curve != NULL)
        curve->count = cursor->failed ? 0 : count;
}

static void pass_state(byte_cursor *cursor, const sot_net *net, sot_nn_state *state,
                       sot_validation *curve)
{
    const uint64_t version = pass_header(cursor, state);
    pass_floats(cursor, state->weights, state->parameters);
    pass_floats(cursor, state->first, state->trainable);
    if (state->second != NULL) pass_floats(cursor, state->second, state->trainable);
    if (state->average != NULL) pass_floats(cursor, state->average, state->trainable);
    for (size_t i = 0; i < net->front; i++) {
        const sot_layer *layer = &net->layers[i];
        if (layer->kind != SOT_LAYER_DATA_NORM || layer->mean == NULL) continue;
        pass_doubles(cursor, layer->mean, layer->in.channels);
        pass_doubles(cursor, layer->deviation, layer->in.channels);
    }
    if (version != VERSION_WITHOUT_CURVE) pass_curve(cursor, state, curve);
}

sotto_status sot_nn_save(const sot_net *net, const sot_nn_state *state,
                         sot_validation *curve, unsigned char **out_bytes,
                         size_t *out_size, sotto_error *error)
{
    sot_nn_state same = *state; /* writing changes nothing */
    byte_cursor measured = {0};
    pass_state(&measured, net, &same, curve);
    /* Weights, momenta and averages stay finite (optimiser.c). Otherwise half a state
     * would be saved, and none could be resumed. */
    if (measured.failed) {
        return sot_fail(error, SOTTO_INTERNAL,
                        "the state of the training has a number that is not finite, and "
                        "cannot be stored");
    }
    byte_cursor written = {.bytes = sot_new_array(measured.at, 1), .size = measured.at};
    if (written.bytes == NULL) return sot_fail_memory(error, measured.at, 1);
    pass_state(&written, net, &same, curve);
    *out_bytes = written.bytes;
    *out_size = measured.at;
    return SOTTO_OK;
}

sotto_status sot_nn_restore(sot_net *net, sot_nn_state *state, sot_validation *curve,
                            const unsigned char *bytes, size_t size_bytes,
                            sotto_error *error)
{
    for (size_t i = 0; i < net->front; i++) {
        sot_layer *layer = &net->layers[i];
        if (layer->kind != SOT_LAYER_DATA_NORM) continue;
        const sotto_status status = sot_data_norm_make_room(layer, error);
        if (status != SOTTO_OK) return status;
    }
    byte_cursor cursor = {.source = bytes, .size = size_bytes};
    pass_state(&cursor, net, state, curve);
    if (!cursor.failed && cursor.at == size_bytes) return SOTTO_OK;
    return sot_fail(error, SOTTO_PARSE,
                    "the checkpoint belongs to another network or other settings; train "
                    "with those, or delete it to start a new run");
}
