/* commands/audit/shadows.h: models trained with and without each row, for the likelihood-ratio attack. */
#ifndef SOT_COMMANDS_AUDIT_SHADOWS_H
#define SOT_COMMANDS_AUDIT_SHADOWS_H

#include <sotto/audit_model.h>

#include "commands/train/train.h"
#include "random/rng.h"

/* The training that every shadow has, of about half of `rows`: config->shadow, or without noise, with the model's kind, target, network or class. Refuses models
 * and settings that no shadow can have. Free with sotto_training_free(). */
SOTTO_MUST_CHECK sotto_status sot_shadows_plan(const sotto_model *model,
                                               const sotto_membership_config *config,
                                               size_t rows, sotto_training **out_training,
                                               sotto_error *error);

/* Writes the likelihood-ratio score of every row, those of `members` first: out_scores[rows of
 * both]. Each shadow takes each row by a fair coin. With fewer than 128 shadows, 64 of each kind,
 * all rows share one deviation. For a concept, rates of right answers replace normal
 * distributions. Memory: shadows x rows numbers, and a shadow's rows for every thread. */
SOTTO_MUST_CHECK sotto_status sot_shadows_score(const sotto_model *model,
                                                const sotto_membership_config *config,
                                                sotto_rng *rng, size_t members,
                                                size_t others, double *out_scores,
                                                sotto_error *error);

#endif
