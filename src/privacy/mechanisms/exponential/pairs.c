/* The exponential mechanism among intervals and rectangles of a public grid. Claims: pairs.md. */
#include <sotto/exponential.h>

#include "base/error.h"
#include "base/memory.h"
#include "privacy/mechanisms/gate/gate.h"
#include "privacy/mechanisms/gate/tape.h"
#include "privacy/mechanisms/selection/selection.h"
#include "random/choice_pairs.h"

/* Sides of a grid whose rectangles are weighed; the time grows with the cube. */
enum { SIDE_MOST = 1024 };

static sotto_status fail_scores(sotto_error *error)
{
    /* Scores come from records: no number in the message. */
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "a score is beyond +-2^60; give the scores in larger units");
}

static bool is_score(int64_t score)
{
    return score >= -SOT_PAIR_SCORE_MAX && score <= SOT_PAIR_SCORE_MAX;
}

static void declare_range(const sotto_selection_config *config, sot_tape_pairs_call *call)
{
    call->range_most = sot_selection_range_of(config->change, config->sensitivity);
    call->change_most = config->sensitivity;
}

/* ---- intervals ---- */

static sotto_status check_line(const sot_pair_cells *cells, int64_t empty_score,
                               sotto_error *error)
{
    const sotto_status status = sot_selection_check_cells(
        cells->ends, cells->count, SOT_PAIR_POINTS_MAX, "2^32 + 1", error);
    if (status != SOTTO_OK) return status;
    bool are_scores = is_score(empty_score);
    for (size_t i = 0; i < cells->count; i++)
        are_scores &= is_score(cells->low_scores[i]) && is_score(cells->high_scores[i]);
    return are_scores ? SOTTO_OK : fail_scores(error);
}

sotto_status sotto_exponential_choose_interval(
    sotto_gate *gate, const sotto_selection_config *config, const int64_t *low_scores,
    const int64_t *high_scores, const uint64_t *ends, size_t cells, int64_t empty_score,
    uint64_t *out_low, uint64_t *out_high, sotto_error *error)
{
    const sot_pair_cells line = {low_scores, high_scores, ends, cells};
    sotto_status status = check_line(&line, empty_score, error);
    if (status != SOTTO_OK) return status;
    sot_tape_pairs_call call = {.low_scores = low_scores,
                                .high_scores = high_scores,
                                .ends = ends,
                                .cells = cells,
                                .empty_score = empty_score};
    const sot_pair_scratch scratch = {sot_new_array(cells, sizeof *scratch.places),
                                      sot_new_array(cells, sizeof *scratch.sums)};
    if (scratch.places == NULL || scratch.sums == NULL) {
        /* Cells may come from records: their number is not released. */
        status = sot_fail(error, SOTTO_OUT_OF_MEMORY,
                          "out of memory for the weights of the intervals");
        goto done;
    }
    status = sot_selection_admit(gate, config, SOTTO_EXPONENTIAL, &call.index, error);
    if (status != SOTTO_OK) goto done;

    uint64_t chosen[SOT_TAPE_CHOSEN] = {0};
    declare_range(config, &call);
    if (!sot_tape_pairs(gate, &call, chosen)) {
        const sot_pair pair = sot_choice_interval(
            sot_gate_rng(gate), sot_selection_slope(config), &line, empty_score, scratch);
        status = sot_rng_check(sot_gate_rng(gate), error);
        if (status != SOTTO_OK) goto done;
        chosen[0] = pair.low;
        chosen[1] = pair.high;
    }
    sot_tape_pairs_result(gate, chosen);
    sot_gate_record(gate, call.index, 0.0);
    *out_low = chosen[0];
    *out_high = chosen[1];
done:
    sot_wipe_and_free(scratch.places, cells * sizeof *scratch.places);
    sot_wipe_and_free(scratch.sums, cells * sizeof *scratch.sums);
    return status;
}

/* ---- rectangles ---- */

static sotto_status check_grid(const sot_box_cells *grid, int64_t empty_score,
                               sotto_error *error)
{
    if (grid->width < 1 || grid->width > SIDE_MOST || grid->height < 1 ||
        grid->height > SIDE_MOST) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the grid has %zu x %zu cells; give 1 to %d each way",
                        grid->width, grid->height, (int)SIDE_MOST);
    }
    if (!is_score(empty_score)) return fail_scores(error);
    uint64_t sum = 0; /* of absolute values */
    for (size_t i = 0; i < grid->width * grid->height; i++) {
        if (!is_score(grid->gains[i])) return fail_scores(error);
        sum += grid->gains[i] < 0 ? (uint64_t)-grid->gains[i] : (uint64_t)grid->gains[i];
        if (sum > (uint64_t)SOT_PAIR_SCORE_MAX) return fail_scores(error);
    }
    return SOTTO_OK;
}

static void free_scratch(const sot_box_cells *grid, sot_box_scratch *scratch)
{
    const size_t strips = grid->width * (grid->width + 1) / 2;
    const size_t points = grid->height + 1;
    sot_wipe_and_free(scratch->sums, strips * sizeof *scratch->sums);
    sot_wipe_and_free(scratch->line.places, points * sizeof *scratch->line.places);
    sot_wipe_and_free(scratch->line.sums, points * sizeof *scratch->line.sums);
    sot_wipe_and_free(scratch->lows, points * sizeof *scratch->lows);
    sot_wipe_and_free(scratch->highs, points * sizeof *scratch->highs);
    sot_wipe_and_free(scratch->column, grid->height * sizeof *scratch->column);
    sot_free(scratch->ends);
}

static sotto_status new_scratch(const sot_box_cells *grid, sot_box_scratch *out,
                                sotto_error *error)
{
    const size_t strips = grid->width * (grid->width + 1) / 2;
    const size_t points = grid->height + 1;
    *out = (sot_box_scratch){
        .sums = sot_new_array(strips, sizeof *out->sums),
        .line = {.places = sot_new_array(points, sizeof *out->line.places),
                 .sums = sot_new_array(points, sizeof *out->line.sums)},
        .lows = sot_new_array(points, sizeof *out->lows),
        .highs = sot_new_array(points, sizeof *out->highs),
        .column = sot_new_array(grid->height, sizeof *out->column),
        .ends = sot_new_array(points, sizeof *out->ends)};
    if (out->sums != NULL && out->line.places != NULL && out->line.sums != NULL &&
        out->lows != NULL && out->highs != NULL && out->column != NULL &&
        out->ends != NULL)
        return SOTTO_OK;
    free_scratch(grid, out);
    return sot_fail_memory(error, strips, sizeof *out->sums);
}

sotto_status sotto_exponential_choose_rectangle(sotto_gate *gate,
                                                const sotto_selection_config *config,
                                                const int64_t *gains, size_t width,
                                                size_t height, int64_t empty_score,
                                                sotto_rectangle *out_rectangle,
                                                sotto_error *error)
{
    const sot_box_cells grid = {gains, width, height};
    sot_tape_pairs_call call = {
        .gains = gains, .width = width, .height = height, .empty_score = empty_score};
    sot_box_scratch scratch = {0};
    sotto_status status = check_grid(&grid, empty_score, error);
    if (status == SOTTO_OK) status = new_scratch(&grid, &scratch, error);
    if (status != SOTTO_OK) return status;
    status = sot_selection_admit(gate, config, SOTTO_EXPONENTIAL, &call.index, error);
    if (status != SOTTO_OK) goto done;

    uint64_t chosen[SOT_TAPE_CHOSEN] = {0};
    declare_range(config, &call);
    if (!sot_tape_pairs(gate, &call, chosen)) {
        const sot_box_choice box = sot_choice_rectangle(
            sot_gate_rng(gate), sot_selection_slope(config), &grid, &scratch);
        status = sot_rng_check(sot_gate_rng(gate), error);
        if (status != SOTTO_OK) goto done;
        chosen[0] = box.x.low;
        chosen[1] = box.x.high;
        chosen[2] = box.y.low;
        chosen[3] = box.y.high;
    }
    sot_tape_pairs_result(gate, chosen);
    sot_gate_record(gate, call.index, 0.0);
    *out_rectangle = (sotto_rectangle){chosen[0], chosen[1], chosen[2], chosen[3]};
done:
    free_scratch(&grid, &scratch);
    return status;
}
