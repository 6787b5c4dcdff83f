/* The study of the packing: formulas, the mechanisms themselves, and the contrast. */
#include "commands/pac/packing_study.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/exponential.h>
#include <sotto/permute_and_flip.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "commands/pac/trials.h"
#include "random/rng.h"

/* Permute-and-flip visits its candidates one by one. */
enum { LISTED_MOST = 1 << 16, CONTRAST_ROWS_MOST = 1 << 16 };

static const double success_wanted = 0.9; /* of the lecture */

/* ---- settings ---- */

sotto_status sot_pac_check_places(const char *what, const uint64_t *places, size_t count,
                                  sotto_error *error)
{
    if (count < 1 || count > SOTTO_STUDY_PLACES_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are %zu %s; give from 1 to %d", count, what,
                        SOTTO_STUDY_PLACES_MAX);
    }
    for (size_t i = 1; i < count; i++) {
        if (places[i] > places[i - 1]) continue;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the %s %" PRIu64 " and %" PRIu64
                        " do not ascend; give each once, the smaller first",
                        what, places[i - 1], places[i]);
    }
    return SOTTO_OK;
}

sotto_status sot_pac_check_repeats(uint64_t repeats, uint64_t least, sotto_error *error)
{
    if (repeats >= least && repeats <= SOTTO_STUDY_REPEATS_MAX) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the number of repeats is %" PRIu64 "; give from %" PRIu64 " to %d",
                    repeats, least, SOTTO_STUDY_REPEATS_MAX);
}

static sotto_packing_setting setting_of(const sotto_packing_config *config,
                                        uint64_t class_size, uint64_t rows)
{
    return (sotto_packing_setting){.adjacency = config->adjacency,
                                   .epsilon = config->epsilon,
                                   .class_size = class_size,
                                   .rows = rows};
}

static sotto_status check(const sotto_packing_config *config, sotto_error *error)
{
    sotto_status status =
        sot_pac_check_places("numbers of rows", config->rows, config->rows_count, error);
    if (status == SOTTO_OK)
        status = sot_pac_check_places("class sizes", config->class_sizes,
                                      config->class_count, error);
    if (status == SOTTO_OK) status = sot_pac_check_repeats(config->repeats, 0, error);
    if (status != SOTTO_OK || config->contrast_rows == 0) return status;
    if (config->contrast_rows % 2 == 0 && config->contrast_rows >= 4 &&
        config->contrast_rows <= CONTRAST_ROWS_MOST && config->repeats > 0)
        return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "a contrast at %" PRIu64 " rows, %" PRIu64
                    " repeats; give an even number of rows from 4 to %d, and repeats",
                    config->contrast_rows, config->repeats, CONTRAST_ROWS_MOST);
}

/* ---- the packing ---- */

/* The frequency with which the exponential mechanism names the right one of K: three cells are enough. */
static sotto_status exponential_share(const sotto_packing_setting *setting,
                                      uint64_t repeats, sotto_rng *rng, double *out_share,
                                      sotto_error *error)
{
    sot_pac_trials trials;
    uint64_t hits = 0;
    const int64_t wrong = -(int64_t)(setting->rows / 2);
    sotto_status status =
        sot_pac_trials_open(SOTTO_METHOD_EXPONENTIAL, setting->adjacency,
                            setting->epsilon, repeats, rng, &trials, error);
    for (uint64_t i = 0; i < repeats && status == SOTTO_OK; i++) {
        const uint64_t right = sot_rng_below(rng, setting->class_size);
        const int64_t scores[3] = {wrong, 0, wrong};
        const uint64_t ends[3] = {right, right + 1, setting->class_size};
        const size_t first = right == 0, last = right + 1 == setting->class_size ? 1 : 2;
        uint64_t point = 0;
        status =
            sotto_exponential_choose_point(trials.gate, &trials.selection, scores + first,
                                           ends + first, last - first + 1, &point, error);
        hits += point == right;
    }
    sot_pac_trials_close(&trials);
    *out_share = (double)hits / (double)repeats;
    return status;
}

static sotto_status flip_share(const sotto_packing_setting *setting, uint64_t repeats,
                               sotto_rng *rng, double *out_share, sotto_error *error)
{
    sot_pac_trials trials;
    const size_t count = (size_t)setting->class_size;
    const int64_t wrong = -(int64_t)(setting->rows / 2);
    uint64_t hits = 0;
    int64_t *scores = sot_new_array(count, sizeof *scores);
    if (scores == NULL) return sot_fail_memory(error, count, sizeof *scores);
    for (size_t i = 0; i < count; i++)
        scores[i] = wrong;
    sotto_status status =
        sot_pac_trials_open(SOTTO_METHOD_PERMUTE_AND_FLIP, setting->adjacency,
                            setting->epsilon, repeats, rng, &trials, error);
    for (uint64_t i = 0; i < repeats && status == SOTTO_OK; i++) {
        const size_t right = (size_t)sot_rng_below(rng, count);
        size_t choice = count;
        scores[right] = 0;
        status = sotto_permute_and_flip_choose(trials.gate, &trials.selection, scores,
                                               count, &choice, error);
        scores[right] = wrong;
        hits += choice == right;
    }
    sot_pac_trials_close(&trials);
    sot_free(scores);
    *out_share = (double)hits / (double)repeats;
    return status;
}

static sotto_status fill_point(const sotto_packing_config *config, uint64_t class_size,
                               uint64_t rows, sotto_rng *rng, sotto_packing_point *out,
                               sotto_error *error)
{
    const sotto_packing_setting setting = setting_of(config, class_size, rows);
    *out = (sotto_packing_point){.class_size = class_size,
                                 .rows = rows,
                                 .exponential_seen = SOTTO_UNSET,
                                 .permute_and_flip_seen = SOTTO_UNSET};
    sotto_status status = sotto_packing_success_of(&setting, &out->success, error);
    if (status != SOTTO_OK || config->repeats == 0) return status;
    status =
        exponential_share(&setting, config->repeats, rng, &out->exponential_seen, error);
    if (status == SOTTO_OK && class_size <= LISTED_MOST)
        status = flip_share(&setting, config->repeats, rng, &out->permute_and_flip_seen,
                            error);
    return status;
}

/* ---- bounded density ---- */

static int ascending(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The right answer begins at `start`; places are sorted. A threshold with j places below it is wrong about |j - those below
 * `start`| of them, so scores are constant between places. Returns the number of cells. */
static size_t fill_cells(const uint64_t *places, size_t rows, uint64_t start,
                         uint64_t class_size, int64_t *out_scores, uint64_t *out_ends)
{
    int64_t below = 0;
    size_t cells = 0;
    for (size_t i = 0; i < rows; i++)
        below += places[i] < start;
    for (size_t j = 0; j <= rows; j++) {
        const uint64_t end = j < rows ? places[j] + 1 : class_size;
        if (end == (cells > 0 ? out_ends[cells - 1] : 0)) continue; /* equal places */
        out_scores[cells] = -llabs((int64_t)j - below);
        out_ends[cells++] = end;
    }
    return cells;
}

/* Rows spread evenly over the K points: the mean error of the exponential mechanism. */
static sotto_status dense_error(const sotto_packing_setting *setting, uint64_t repeats,
                                sotto_rng *rng, double *out_error, sotto_error *error)
{
    const size_t rows = (size_t)setting->rows;
    sot_pac_trials trials = {.gate = NULL};
    double sum = 0.0;
    uint64_t *places = sot_new_array(2 * rows + 1, sizeof *places);
    int64_t *scores = sot_new_array(rows + 1, sizeof *scores);
    sotto_status status = SOTTO_OK;
    if (places == NULL || scores == NULL)
        status = sot_fail_memory(error, 2 * rows + 1, sizeof *places);
    if (status == SOTTO_OK)
        status = sot_pac_trials_open(SOTTO_METHOD_EXPONENTIAL, setting->adjacency,
                                     setting->epsilon, repeats, rng, &trials, error);
    for (uint64_t i = 0; i < repeats && status == SOTTO_OK; i++) {
        uint64_t *ends = places + rows, point = 0;
        const uint64_t start = sot_rng_below(rng, setting->class_size);
        for (size_t j = 0; j < rows; j++)
            places[j] = sot_rng_below(rng, setting->class_size);
        qsort(places, rows, sizeof *places, ascending);
        const size_t cells =
            fill_cells(places, rows, start, setting->class_size, scores, ends);
        status = sotto_exponential_choose_point(trials.gate, &trials.selection, scores,
                                                ends, cells, &point, error);
        const uint64_t distance = point > start ? point - start : start - point;
        sum += (double)distance / (double)setting->class_size;
    }
    sot_pac_trials_close(&trials);
    sot_free(places);
    sot_free(scores);
    *out_error = sum / (double)repeats;
    return status;
}

static sotto_status fill_contrast(const sotto_packing_config *config, uint64_t class_size,
                                  sotto_rng *rng, sotto_packing_contrast *out,
                                  sotto_error *error)
{
    const sotto_packing_setting setting =
        setting_of(config, class_size, config->contrast_rows);
    sotto_packing_success success;
    double seen = 0.0;
    out->class_size = class_size;
    sotto_status status = sotto_packing_success_of(&setting, &success, error);
    if (status == SOTTO_OK)
        status = exponential_share(&setting, config->repeats, rng, &seen, error);
    if (status == SOTTO_OK)
        status = dense_error(&setting, config->repeats, rng, &out->dense_error, error);
    if (status == SOTTO_OK)
        status = sot_pac_lipschitz_contrast(&setting, config->repeats, rng, out, error);
    if (status != SOTTO_OK) return status;
    out->packed_error = (1.0 - seen) / 2.0;
    out->packed_error_exact = (1.0 - success.exponential) / 2.0;
    out->packed_error_least = (1.0 - success.ceiling) / 2.0;
    return SOTTO_OK;
}

/* ---- the study ---- */

static sotto_status fill(sotto_packing_study *study, sotto_rng *rng, sotto_error *error)
{
    const sotto_packing_config *config = &study->config;
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < config->class_count && status == SOTTO_OK; i++) {
        const sotto_packing_setting setting =
            setting_of(config, config->class_sizes[i], 0);
        sotto_packing_point *points = study->points + i * config->rows_count;
        status =
            sotto_packing_rows_for(&setting, success_wanted, &study->needed[i], error);
        for (size_t j = 0; j < config->rows_count && status == SOTTO_OK; j++)
            status = fill_point(config, config->class_sizes[i], config->rows[j], rng,
                                &points[j], error);
        if (status == SOTTO_OK && config->contrast_rows > 0)
            status = fill_contrast(config, config->class_sizes[i], rng,
                                   &study->contrast[i], error);
    }
    return status;
}

void sotto_packing_set_defaults(sotto_packing_config *out_config, size_t size_bytes)
{
    const sotto_packing_config defaults = {.epsilon = SOTTO_UNSET};
    sot_sized_give(SOT_SIZED(packing), &defaults, out_config, size_bytes, 0);
}

sotto_status sotto_packing_study_new(const sotto_packing_config *given,
                                     sotto_packing_study **out_study, sotto_error *error)
{
    sotto_rng *rng = NULL;
    sotto_packing_config own;
    const sotto_packing_config *const config = &own;
    sotto_status status = SOT_TAKE(packing, given, &own, error);
    if (status == SOTTO_OK) status = check(config, error);
    if (status != SOTTO_OK) return status;
    sotto_packing_study *made = sot_new_array(1, sizeof *made);
    if (made == NULL) return sot_fail_memory(error, 1, sizeof *made);
    const size_t count = config->class_count * config->rows_count;
    made->config = *config;
    memcpy(made->rows, config->rows, config->rows_count * sizeof *made->rows);
    memcpy(made->class_sizes, config->class_sizes,
           config->class_count * sizeof *made->class_sizes);
    made->config.rows = made->rows;
    made->config.class_sizes = made->class_sizes;
    made->points = sot_new_array(count, sizeof *made->points);
    if (made->points == NULL)
        status = sot_fail_memory(error, count, sizeof *made->points);
    if (status == SOTTO_OK) status = sotto_rng_new_for_test(config->seed, &rng, error);
    if (status == SOTTO_OK) status = fill(made, rng, error);
    sotto_rng_free(rng);
    if (status == SOTTO_OK) {
        *out_study = made;
    } else {
        sotto_packing_study_free(made);
    }
    return status;
}

void sotto_packing_study_free(sotto_packing_study *study)
{
    if (study == NULL) return;
    sot_free(study->points);
    sot_free(study);
}

const sotto_packing_point *sotto_packing_study_points(const sotto_packing_study *study)
{
    return study->points;
}

const sotto_packing_rows *sotto_packing_study_rows(const sotto_packing_study *study)
{
    return study->needed;
}

const sotto_packing_contrast *
sotto_packing_study_contrast(const sotto_packing_study *study)
{
    return study->config.contrast_rows > 0 ? study->contrast : NULL;
}
