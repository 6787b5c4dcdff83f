/* models/additive/rule.h: the shape of an additive model, from settings only. */
#ifndef SOT_MODELS_ADDITIVE_RULE_H
#define SOT_MODELS_ADDITIVE_RULE_H

#include <sotto/train_config.h>

#include "data/encode/blocks.h"

/* Resolves basis and bins. Refuses settings out of range. */
SOTTO_MUST_CHECK sotto_status sot_additive_rule(const sotto_train_config *config,
                                                sot_target_role role,
                                                sot_bins_rule *out_rule,
                                                sotto_error *error);

/* Returns the reason for the number of bins; static. */
const char *sot_additive_bins_why(const sotto_train_config *config);

#endif
