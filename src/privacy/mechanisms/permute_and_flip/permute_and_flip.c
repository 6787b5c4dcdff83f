#include <sotto/permute_and_flip.h>

#include "base/error.h"
#include "base/memory.h"
#include "privacy/mechanisms/gate/gate.h"
#include "privacy/mechanisms/gate/tape.h"
#include "privacy/mechanisms/selection/selection.h"

sotto_status sotto_permute_and_flip_event(const sotto_selection_config *config,
                                          sotto_event *out_event, sotto_error *error)
{
    return sot_selection_event(config, SOTTO_PERMUTE_AND_FLIP, out_event, error);
}

sotto_status sotto_permute_and_flip_choose(sotto_gate *gate,
                                           const sotto_selection_config *config,
                                           const int64_t *scores, size_t count,
                                           size_t *out_choice, sotto_error *error)
{
    if (count == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are 0 candidates; give at least one");
    }
    size_t index = 0;
    size_t *order = sot_new_array(count, sizeof *order);
    if (order == NULL) return sot_fail_memory(error, count, sizeof *order);
    sotto_status status =
        sot_selection_admit(gate, config, SOTTO_PERMUTE_AND_FLIP, &index, error);
    if (status != SOTTO_OK) goto done;

    const uint64_t range = sot_selection_range_of(config->change, config->sensitivity);
    const sot_tape_choice_call call = {.index = index,
                                       .scores = scores,
                                       .cells = count,
                                       .candidates = count,
                                       .range_most = range,
                                       .change_most = config->sensitivity};
    size_t choice = 0;
    if (!sot_tape_choice(gate, &call, &choice)) {
        choice = sot_choice_permute_and_flip(
            sot_gate_rng(gate), sot_selection_slope(config), scores, count, order);
        status = sot_rng_check(sot_gate_rng(gate), error);
        if (status != SOTTO_OK) goto done;
    }
    sot_tape_choice_result(gate, choice);
    sot_gate_record(gate, index, 0.0);
    *out_choice = choice;
done:
    sot_wipe_and_free(order, count * sizeof *order);
    return status;
}
