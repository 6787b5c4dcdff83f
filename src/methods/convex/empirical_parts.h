/* methods/convex/empirical_parts.h: the common part of the files of
 * sot_empirical_new(). */
#ifndef SOT_METHODS_CONVEX_EMPIRICAL_PARTS_H
#define SOT_METHODS_CONVEX_EMPIRICAL_PARTS_H

#include "methods/empirical.h"
#include "models/linear/losses/loss.h"

/* As sot_empirical_new(), for models of one margin. */
SOTTO_MUST_CHECK sotto_status sot_empirical_glm(const sot_learner_setup *setup,
                                                sot_empirical **out_empirical,
                                                sotto_error *error);

/* The loss of the training: the model's, clipped where that saves noise. */
SOTTO_MUST_CHECK sotto_status sot_erm_loss(const sot_learner_setup *setup,
                                           sot_loss *out_loss, sotto_error *error);

#endif
