#include <sotto/exponential.h>

#include "base/error.h"
#include "base/memory.h"
#include "privacy/mechanisms/gate/gate.h"
#include "privacy/mechanisms/gate/tape.h"
#include "privacy/mechanisms/selection/selection.h"

sotto_status sotto_exponential_event(const sotto_selection_config *config,
                                     sotto_event *out_event, sotto_error *error)
{
    return sot_selection_event(config, SOTTO_EXPONENTIAL, out_event, error);
}

static sot_tape_choice_call describe(const sotto_selection_config *config, size_t index,
                                     const int64_t *scores, size_t cells)
{
    return (sot_tape_choice_call){
        .index = index,
        .scores = scores,
        .cells = cells,
        .candidates = cells,
        .range_most = sot_selection_range_of(config->change, config->sensitivity),
        .change_most = config->sensitivity};
}

sotto_status sotto_exponential_choose(sotto_gate *gate,
                                      const sotto_selection_config *config,
                                      const int64_t *scores, size_t count,
                                      size_t *out_choice, sotto_error *error)
{
    if (count == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are 0 candidates; give at least one");
    }
    size_t index = 0;
    sotto_status status =
        sot_selection_admit(gate, config, SOTTO_EXPONENTIAL, &index, error);
    if (status != SOTTO_OK) return status;

    size_t choice = 0;
    const sot_tape_choice_call call = describe(config, index, scores, count);
    if (!sot_tape_choice(gate, &call, &choice)) {
        choice = sot_choice_rejection(sot_gate_rng(gate), sot_selection_slope(config),
                                      scores, count);
        status = sot_rng_check(sot_gate_rng(gate), error);
        if (status != SOTTO_OK) return status;
    }
    sot_tape_choice_result(gate, choice);
    sot_gate_record(gate, index, 0.0);
    *out_choice = choice;
    return SOTTO_OK;
}

/* ---- cells ---- */

/* A cell by its weight, then a point of it: all points of a cell are alike. */
static uint64_t draw_point(sotto_rng *rng, sot_slope slope, const int64_t *scores,
                           const uint64_t *ends, size_t cells, uint64_t *sizes,
                           sot_u128 *sums)
{
    for (size_t i = 0; i < cells; i++)
        sizes[i] = ends[i] - (i == 0 ? 0 : ends[i - 1]);
    const size_t cell = sot_choice_weighted(rng, slope, scores, sizes, cells, sums);
    const uint64_t begin = ends[cell] - sizes[cell];
    return begin + sot_rng_below(rng, sizes[cell]);
}

sotto_status sotto_exponential_choose_point(sotto_gate *gate,
                                            const sotto_selection_config *config,
                                            const int64_t *scores, const uint64_t *ends,
                                            size_t cells, uint64_t *out_point,
                                            sotto_error *error)
{
    sotto_status status =
        sot_selection_check_cells(ends, cells, SOT_CHOICE_MEASURE_MAX, "2^62", error);
    if (status != SOTTO_OK) return status;
    size_t index = 0;
    sot_u128 *sums = sot_new_array(cells, sizeof *sums);
    uint64_t *sizes = sot_new_array(cells, sizeof *sizes);
    if (sums == NULL || sizes == NULL) {
        status = sot_fail_memory(error, cells, sizeof *sums);
        goto done;
    }
    status = sot_selection_admit(gate, config, SOTTO_EXPONENTIAL, &index, error);
    if (status != SOTTO_OK) goto done;

    uint64_t point = 0;
    size_t replayed = 0;
    sot_tape_choice_call call = describe(config, index, scores, cells);
    call.ends = ends;
    call.candidates = ends[cells - 1];
    if (sot_tape_choice(gate, &call, &replayed)) {
        point = replayed;
    } else {
        point = draw_point(sot_gate_rng(gate), sot_selection_slope(config), scores, ends,
                           cells, sizes, sums);
        status = sot_rng_check(sot_gate_rng(gate), error);
        if (status != SOTTO_OK) goto done;
    }
    sot_tape_choice_result(gate, (size_t)point);
    sot_gate_record(gate, index, 0.0);
    *out_point = point;
done:
    sot_wipe_and_free(sums, sums == NULL ? 0 : cells * sizeof *sums);
    sot_wipe_and_free(sizes, sizes == NULL ? 0 : cells * sizeof *sizes);
    return status;
}
