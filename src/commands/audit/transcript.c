#include "commands/audit/transcript.h"

#include <string.h>

#include "base/error.h"

enum { NETWORK_HEADER = 48 };

static bool is_due(void *context)
{
    (void)context;
    return true; /* every step */
}

/* Returns number `index` of the weights in a state. A network (models/network/learn/checkpoint.c)
 * has floats after a name of 8 bytes and 5 words. A descent (methods/descent/descent.h) has
 * doubles after one. */
static double weight_at(const sot_transcript *transcript, const unsigned char *state,
                        size_t index)
{
    double number;
    if (transcript->is_network) {
        const unsigned char *at = state + NETWORK_HEADER + index * sizeof(float);
        const uint32_t bits = (uint32_t)at[0] | (uint32_t)at[1] << 8 |
                              (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        float weight;
        memcpy(&weight, &bits, sizeof weight);
        return (double)weight;
    }
    memcpy(&number, state + (1 + index) * sizeof number, sizeof number);
    return number;
}

static double along_of(const sot_transcript *transcript, const unsigned char *state)
{
    double along = 0.0;
    for (size_t i = 0; i < transcript->numbers; i++)
        along += transcript->study->direction[i] * weight_at(transcript, state, i);
    return along;
}

static sotto_status keep(void *context, uint64_t step, const unsigned char *state,
                         size_t state_bytes, sotto_error *error)
{
    sot_transcript *transcript = context;
    const size_t least = transcript->is_network
                             ? NETWORK_HEADER + transcript->numbers * sizeof(float)
                             : (1 + transcript->numbers) * sizeof(double);
    if (state_bytes < least)
        return sot_fail(error, SOTTO_INTERNAL, "a step's state is too short");
    const double along = along_of(transcript, state);
    const double move = along - transcript->previous;
    /* The first iterate is the same in both worlds: it moves all scores alike. */
    transcript->score += step % 2 == 1 ? move : -move;
    transcript->previous = along;
    return SOTTO_OK;
}

sot_checkpoint *sot_transcript_begin(sot_transcript *transcript, const sot_study *study,
                                     const sotto_training *training)
{
    *transcript = (sot_transcript){
        .study = study,
        .numbers = sot_learner_coefficients(training->learner),
        .is_network = training->learner->net != NULL,
        .checkpoint = {.is_due = is_due, .keep = keep, .context = transcript}};
    return &transcript->checkpoint;
}

double sot_transcript_score(const sot_transcript *transcript)
{
    return transcript->score;
}
