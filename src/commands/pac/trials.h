/* commands/pac/trials.h: repeated trials of the mechanisms that choose concepts, on known errors.
 *
 * Idea: on the packing the errors of every threshold are known without rows, so learning is only
 * the choice. The mechanisms of the private learners make it, through a gate with a plan for all
 * choices. This works for classes far too large to be learned from rows. Nothing is charged: no
 * record is real.
 */
#ifndef SOT_COMMANDS_PAC_TRIALS_H
#define SOT_COMMANDS_PAC_TRIALS_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/gate.h>
#include <sotto/selection.h>
#include <sotto/train_config.h>

typedef struct sot_pac_trials {
    sotto_selection_config selection;
    sotto_gate *gate;
} sot_pac_trials;

/* For `repeats` choices by SOTTO_METHOD_EXPONENTIAL or SOTTO_METHOD_PERMUTE_AND_FLIP; scores are minus errors. The rng is borrowed. Close with
 * sot_pac_trials_close(), also after failure. */
SOTTO_MUST_CHECK sotto_status sot_pac_trials_open(
    sotto_method method, sotto_adjacency adjacency, double epsilon, uint64_t repeats,
    sotto_rng *rng, sot_pac_trials *out_trials, sotto_error *error);
void sot_pac_trials_close(sot_pac_trials *trials);

#endif
