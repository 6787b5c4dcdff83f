#include "methods/empirical.h"

#include "base/memory.h"
#include "methods/convex/empirical_parts.h"
#include "models/kinds.h"
#include "models/softmax/softmax.h"

sotto_status sot_empirical_new(const sot_learner_setup *setup,
                               sot_empirical **out_empirical, sotto_error *error)
{
    /* Coefficients in one vector for each class are those of softmax; a loss of one margin has one vector. */
    return sot_model_has_class_vectors(setup->config->model,
                                       sot_encoding_classes(setup->encoding))
               ? sot_softmax_empirical(setup, out_empirical, error)
               : sot_empirical_glm(setup, out_empirical, error);
}

void sot_empirical_free(sot_empirical *empirical)
{
    if (empirical == NULL) return;
    sot_free(empirical->state);
    sot_free(empirical);
}
