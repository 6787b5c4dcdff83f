/* methods/convex/empirical_parts.h: what the files of sot_empirical_new() share. */
#ifndef SOT_METHODS_CONVEX_EMPIRICAL_PARTS_H
#define SOT_METHODS_CONVEX_EMPIRICAL_PARTS_H

#include "methods/empirical.h"
#include "models/linear/losses/loss.h"

/* The loss of a model of one margin. A caller's loss is borrowed from the setup's config. Refuses a
 * target or settings that the model cannot use. */
SOTTO_MUST_CHECK sotto_status sot_empirical_loss(const sot_learner_setup *setup,
                                                 sot_loss *out_loss, sotto_error *error);

/* As sot_empirical_new(), for models of one margin. */
SOTTO_MUST_CHECK sotto_status sot_empirical_glm(const sot_learner_setup *setup,
                                                sot_empirical **out_empirical,
                                                sotto_error *error);

#endif
