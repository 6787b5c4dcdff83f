/* Texts about posterior samples: beside the model, and in the certificate. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "artifact/model_file/model.h"
#include "commands/train/train.h"
#include "methods/kinds.h"

/* Every trained model can be written. */
_Static_assert((int)SOT_MODEL_DRAWS_MAX == (int)SOTTO_DRAWS_MAX, "samples_of_a_file");

void sot_training_name_draws(const sotto_training *training, const char *model, char *out,
                             size_t size_bytes)
{
    const size_t draws = training->learner->draws;
    char count[32] = "one sample";
    if (draws > 1) (void)snprintf(count, sizeof count, "%zu samples", draws);
    (void)snprintf(out, size_bytes, "%s from the %s of %s", count,
                   sot_method_row_of(training->method)->distribution, model);
}

bool sot_training_route(const sotto_training *training, char *out, size_t size_bytes)
{
    const sot_learner *learner = training->learner;
    const double mixing = sot_learner_setting(learner, "distance_mix");
    const double rounding = sot_learner_setting(learner, "distance_fp");
    const double error = sot_learner_setting(learner, "delta_fp");
    const bool constant = training->config.public_constants;
    char shown[3][SOT_SHOWN_BYTES];
    if (learner->sampler == NULL || training->plan == NULL) return false;
    (void)snprintf(out, size_bytes,
                   "by the %s sampler%s: each sample is within %s (mixing, Delta_mix) "
                   "plus %s (rounding, Delta_fp) of an exact one. The correction's noise "
                   "hides that distance. The exception has probability at most %s "
                   "per sample (delta_fp), which the samplers' error includes",
                   learner->sampler,
                   constant
                       ? ", its steps fixed by public constants"
                       : ", the number of its steps and its time depending on the rows",
                   sot_shown(mixing, 1, shown[0]), sot_shown(rounding, 1, shown[1]),
                   sot_shown(error, 1, shown[2]));
    return true;
}
