/* One choice among concepts by their errors, in each of the ways there are. */
#include <assert.h>

#include <sotto/exponential.h>
#include <sotto/permute_and_flip.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/concept/learn/parts.h"
#include "numeric/outward.h"

/* ---- Laplace noise on every count: the baseline ---- */

static sotto_status laplace_of(const sot_pac *pac, size_t index,
                               sotto_laplace_config *out_config, sotto_error *error)
{
    sotto_laplace_config config = sotto_laplace_defaults();
    /* One record may be an error of every concept. */
    const uint64_t moved = pac->sizes[index];
    config.l1_sensitivity = sot_mul_up((double)pac->choice.sensitivity, (double)moved);
    config.adjacency = pac->choice.adjacency;
    config.purpose = pac->choice.purpose;
    const sotto_status status = sotto_laplace_scale(
        pac->choice.epsilon, config.l1_sensitivity, &config.scale, error);
    if (status == SOTTO_OK) *out_config = config;
    return status;
}

sotto_status sot_pac_scale(const sot_pac *pac, size_t index, double *out_scale,
                           sotto_error *error)
{
    sotto_laplace_config config;
    const sotto_status status = laplace_of(pac, index, &config, error);
    if (status == SOTTO_OK) *out_scale = config.scale;
    return status;
}

/* The first of the largest. */
static size_t best_of(const int64_t *scores, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        if (scores[i] > scores[best]) best = i;
    }
    return best;
}

/* From noisy scores to noisy errors. */
static void count_errors(int64_t *noisy, size_t count)
{
    for (size_t i = 0; i < count; i++) { /* the gate clips at 2^62: none overflows */
        const int64_t errors = -noisy[i];
        noisy[i] = errors > SOT_CONCEPT_COUNT_MOST    ? SOT_CONCEPT_COUNT_MOST
                   : errors < -SOT_CONCEPT_COUNT_MOST ? -SOT_CONCEPT_COUNT_MOST
                                                      : errors;
    }
}

/* Where the counts of a choice go: to who keeps them, or nowhere. */
static int64_t *place_of(const sot_pac *pac, size_t choice)
{
    if (pac->kept == NULL) return NULL;
    int64_t *place = pac->kept;
    for (size_t i = 0; i < choice; i++)
        place += pac->sizes[i];
    return place;
}

/* The whole vector is released, and its post-processing is free: the concept is the first
 * with the smallest count. */
static sotto_status choose_by_laplace(const sot_pac *pac, size_t choice, sotto_gate *gate,
                                      const int64_t *scores, size_t count,
                                      size_t *out_index, sotto_error *error)
{
    sotto_laplace_config config;
    sotto_status status = laplace_of(pac, choice, &config, error);
    if (status != SOTTO_OK) return status;
    int64_t *kept = place_of(pac, choice);
    int64_t *noisy = kept != NULL ? kept : sot_new_array(count, sizeof *noisy);
    if (noisy == NULL) return sot_fail_memory(error, count, sizeof *noisy);
    status = sotto_laplace_release(gate, &config, scores, count, noisy, error);
    if (status == SOTTO_OK) {
        count_errors(noisy, count);
        *out_index = (size_t)sot_concept_least(noisy, count);
    }
    if (kept == NULL) sot_free(noisy); /* released */
    return status;
}

/* ---- lists ---- */

sotto_status sot_pac_event(const sot_pac *pac, size_t index, sotto_event *out_event,
                           sotto_error *error)
{
    sotto_laplace_config config;
    if (pac->method == SOTTO_METHOD_EXPONENTIAL)
        return sotto_exponential_event(&pac->choice, out_event, error);
    if (pac->method == SOTTO_METHOD_PERMUTE_AND_FLIP)
        return sotto_permute_and_flip_event(&pac->choice, out_event, error);
    assert(pac->method == SOTTO_METHOD_LAPLACE);
    const sotto_status status = laplace_of(pac, index, &config, error);
    return status == SOTTO_OK ? sotto_laplace_event(&config, out_event, error) : status;
}

sotto_status sot_pac_choose(const sot_pac *pac, size_t choice, sotto_gate *gate,
                            const int64_t *scores, size_t count, size_t *out_index,
                            sotto_error *error)
{
    if (pac->method == SOTTO_METHOD_EXPONENTIAL)
        return sotto_exponential_choose(gate, &pac->choice, scores, count, out_index,
                                        error);
    if (pac->method == SOTTO_METHOD_PERMUTE_AND_FLIP)
        return sotto_permute_and_flip_choose(gate, &pac->choice, scores, count, out_index,
                                             error);
    if (pac->method == SOTTO_METHOD_LAPLACE)
        return choose_by_laplace(pac, choice, gate, scores, count, out_index, error);
    *out_index = best_of(scores, count);
    return SOTTO_OK;
}

/* ---- cells ---- */

void sot_pac_cells_free(sot_pac_cells *cells)
{
    sot_wipe_and_free(cells->scores, cells->room * sizeof *cells->scores);
    sot_wipe_and_free(cells->ends, cells->room * sizeof *cells->ends);
    *cells = (sot_pac_cells){0};
}

sotto_status sot_pac_cells_reserve(sot_pac_cells *cells, size_t room, sotto_error *error)
{
    if (room <= cells->room) return SOTTO_OK;
    int64_t *scores =
        sot_move_array(cells->scores, cells->room, room, sizeof *cells->scores);
    if (scores == NULL) return sot_fail_memory(error, room, sizeof *scores);
    cells->scores = scores;
    uint64_t *ends = sot_move_array(cells->ends, cells->room, room, sizeof *cells->ends);
    if (ends == NULL) return sot_fail_memory(error, room, sizeof *ends);
    cells->ends = ends;
    cells->room = room;
    return SOTTO_OK;
}

sotto_status sot_pac_cells_add(sot_pac_cells *cells, int64_t score, uint64_t end,
                               sotto_error *error)
{
    const size_t last = cells->count - 1;
    if (end == (cells->count == 0 ? 0 : cells->ends[last])) return SOTTO_OK;
    if (cells->count > 0 && cells->scores[last] == score) {
        cells->ends[last] = end;
        return SOTTO_OK;
    }
    if (cells->count == cells->room) {
        const size_t room = cells->room == 0 ? 1024 : 2 * cells->room;
        const sotto_status status = sot_pac_cells_reserve(cells, room, error);
        if (status != SOTTO_OK) return status;
    }
    cells->scores[cells->count] = score;
    cells->ends[cells->count++] = end;
    return SOTTO_OK;
}

/* Every point by itself. */
static sotto_status choose_listed(const sot_pac *pac, sotto_gate *gate,
                                  const sot_pac_cells *cells, uint64_t *out_point,
                                  sotto_error *error)
{
    assert(cells->ends[cells->count - 1] <= SOT_PAC_LISTED_MAX);
    const size_t points = (size_t)cells->ends[cells->count - 1];
    int64_t *scores = sot_new_array(points, sizeof *scores);
    if (scores == NULL) return sot_fail_memory(error, points, sizeof *scores);
    size_t point = 0;
    for (size_t i = 0; i < cells->count; i++) {
        while (point < cells->ends[i])
            scores[point++] = cells->scores[i];
    }
    const sotto_status status =
        sot_pac_choose(pac, 0, gate, scores, points, &point, error);
    if (status == SOTTO_OK) *out_point = point;
    sot_wipe_and_free(scores, points * sizeof *scores);
    return status;
}

sotto_status sot_pac_choose_point(const sot_pac *pac, sotto_gate *gate,
                                  const sot_pac_cells *cells, uint64_t *out_point,
                                  sotto_error *error)
{
    if (pac->method == SOTTO_METHOD_EXPONENTIAL)
        return sotto_exponential_choose_point(gate, &pac->choice, cells->scores,
                                              cells->ends, cells->count, out_point,
                                              error);
    if (pac->method != SOTTO_METHOD_NONE)
        return choose_listed(pac, gate, cells, out_point, error);
    const size_t best = best_of(cells->scores, cells->count);
    *out_point = best == 0 ? 0 : cells->ends[best - 1];
    return SOTTO_OK;
}
