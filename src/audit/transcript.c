#include "audit/transcript.h"

#include <string.h>

#include "base/error.h"

static bool is_due(void *context)
{
    (void)context;
    return true; /* every step */
}

/* The state of a descent (learn/erm/descent.h): weight, theta, average. */
static sotto_status keep(void *context, uint64_t step, const unsigned char *state,
                         size_t state_bytes, sotto_error *error)
{
    sot_transcript *transcript = context;
    double along = 0.0;
    if (state_bytes < (1 + transcript->numbers) * sizeof(double))
        return sot_fail(error, SOTTO_INTERNAL, "a step's state is too short");
    for (size_t i = 0; i < transcript->numbers; i++) {
        double theta;
        memcpy(&theta, state + (1 + i) * sizeof theta, sizeof theta);
        along += transcript->study->direction[i] * theta;
    }
    const double move = along - transcript->previous;
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
        .checkpoint = {.is_due = is_due, .keep = keep, .context = transcript}};
    return &transcript->checkpoint;
}

double sot_transcript_score(const sot_transcript *transcript)
{
    return transcript->score;
}
