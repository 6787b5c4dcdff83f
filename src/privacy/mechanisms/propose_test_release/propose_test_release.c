#include <sotto/propose_test_release.h>

#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/gate/gate.h"
#include "privacy/mechanisms/gate/tape.h"
#include "privacy/mechanisms/propose_test_release/propose_test_release.h"
#include "privacy/mechanisms/selection/selection.h"

sotto_propose_test_release_config sotto_propose_test_release_defaults(void)
{
    return (sotto_propose_test_release_config){.epsilon = SOTTO_UNSET,
                                               .delta = SOTTO_UNSET};
}

static sotto_status check_config(const sotto_propose_test_release_config *config,
                                 sotto_error *error)
{
    const sotto_status status = sot_check_epsilon(config->epsilon, error);
    if (status != SOTTO_OK) return status;
    if (!(config->delta > 0.0 && config->delta <= 0.999999)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "delta is %g; set it to a number above 0, at most 0.999999, for "
                        "example 1e-8",
                        config->delta);
    }
    if (config->adjacency != SOTTO_ADD_REMOVE && config->adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "adjacency is %d; set it to SOTTO_ADD_REMOVE or SOTTO_REPLACE_ONE",
            (int)config->adjacency);
    }
    return SOTTO_OK;
}

sotto_status
sotto_propose_test_release_event(const sotto_propose_test_release_config *config,
                                 sotto_event *out_event, sotto_error *error)
{
    sotto_status status = check_config(config, error);
    if (status != SOTTO_OK) return status;
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_APPROXIMATE;
    event.epsilon = config->epsilon;
    event.delta = config->delta;
    status = sot_event_set_purpose(&event, config->purpose, error);
    if (status == SOTTO_OK) *out_event = event;
    return status;
}

/* ---- the test ---- */

/* An upper bound of r^k/(1+r), r = exp(-epsilon): both r's rounded to the safe side. */
static double tail_upper(double epsilon, double k)
{
    return sot_div_up(sot_exp_up(-sot_mul_down(epsilon, k)),
                      sot_add_down(1.0, sot_exp_down(-epsilon)));
}

int64_t sot_mode_threshold(double epsilon_used, double delta)
{
    /* r^k <= delta (1 + r) <= 2 delta: the search starts below and ends just above. The tail bound
     * does not increase with k; k < 746 2^30 is exact in a double. */
    const double start = floor(-log(2.0 * delta) / epsilon_used) - 2.0;
    double k = fmax(1.0, start * (1.0 - 0x1p-40));
    k = floor(k);
    double step = 1.0;
    while (tail_upper(epsilon_used, k) > delta) {
        k += step;
        step *= 2.0;
    }
    /* Back to the least k from which on the bound holds: bisect (below, k]. */
    double below = fmax(0.0, k - step);
    while (k - below > 1.0) {
        const double middle = floor((below + k) / 2.0);
        if (tail_upper(epsilon_used, middle) <= delta) {
            k = middle;
        } else {
            below = middle;
        }
    }
    assert(k >= 1.0 && tail_upper(epsilon_used, k) <= delta);
    return (int64_t)k;
}

int64_t sot_mode_distance_by(int64_t gap_most, const int64_t *counts, size_t categories,
                             size_t *out_mode)
{
    size_t mode = 0;
    int64_t second = -1;
    for (size_t i = 1; i < categories; i++) {
        if (counts[i] > counts[mode]) { /* strictly: the first of equals stays */
            second = counts[mode];
            mode = i;
        } else if (second < 0 || counts[i] > second) {
            second = counts[i];
        }
    }
    *out_mode = mode;
    const int64_t gap = counts[mode] - second;
    const int64_t steps = gap / gap_most + (gap % gap_most != 0); /* ceil(gap/gap_most) */
    return steps <= 1 ? 0 : steps - 1;
}

/* One vote moved changes the gap by two, one vote more or less by one. */
static int64_t gap_of(sotto_adjacency adjacency)
{
    return adjacency == SOTTO_REPLACE_ONE ? 2 : 1;
}

int64_t sot_mode_distance(sotto_adjacency adjacency, const int64_t *counts,
                          size_t categories, size_t *out_mode)
{
    return sot_mode_distance_by(gap_of(adjacency), counts, categories, out_mode);
}

/* ---- the release ---- */

static sotto_status make_noise(const sotto_propose_test_release_config *config,
                               sot_ratio *out_scale, int64_t *out_threshold,
                               sotto_error *error)
{
    double used = 0.0;
    const sotto_status status =
        sot_noise_for_epsilon(config->epsilon, 1, out_scale, &used, error);
    if (status != SOTTO_OK) return status;
    *out_threshold = sot_mode_threshold(used, config->delta);
    return SOTTO_OK;
}

sotto_status
sotto_propose_test_release_threshold(const sotto_propose_test_release_config *config,
                                     int64_t *out_threshold, sotto_error *error)
{
    const sotto_status status = check_config(config, error);
    if (status != SOTTO_OK) return status;
    sot_ratio scale;
    return make_noise(config, &scale, out_threshold, error);
}

static sotto_status check_counts(const int64_t *counts, size_t categories,
                                 sotto_error *error)
{
    if (categories < 2) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are %zu categories; give at least two", categories);
    }
    for (size_t i = 0; i < categories; i++) {
        if (counts[i] < 0) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "a count of the histogram is negative; give counts of votes");
        }
    }
    return SOTTO_OK;
}

sotto_status sot_propose_test_release(sotto_gate *gate,
                                      const sotto_propose_test_release_config *config,
                                      int64_t gap_most, double l1_most,
                                      const int64_t *counts, size_t categories,
                                      bool *out_released, size_t *out_mode,
                                      sotto_error *error)
{
    sotto_event event;
    sot_ratio scale;
    int64_t threshold = 0;
    sotto_status status = check_counts(counts, categories, error);
    if (status == SOTTO_OK)
        status = sotto_propose_test_release_event(config, &event, error);
    if (status == SOTTO_OK) status = make_noise(config, &scale, &threshold, error);
    if (status == SOTTO_OK)
        status = sot_gate_check_adjacency(gate, config->adjacency, error);
    if (status != SOTTO_OK) return status;

    size_t index = 0;
    int64_t *said = sot_new_array(categories, sizeof *said); /* 1 at the released mode */
    if (said == NULL) return sot_fail_memory(error, categories, sizeof *said);
    status = sot_gate_admit(gate, &event, &index, error);
    if (status != SOTTO_OK) goto done;

    const sot_tape_sum_call call = {.index = index,
                                    .values = counts,
                                    .count = categories,
                                    .norm = SOTTO_L1,
                                    .sensitivity = l1_most};
    if (!sot_tape_sum(gate, &call, said)) {
        size_t mode = 0;
        const int64_t distance =
            sot_mode_distance_by(gap_most, counts, categories, &mode);
        const int64_t noise = sot_discrete_laplace_unchecked(sot_gate_rng(gate), scale);
        status = sot_rng_check(sot_gate_rng(gate), error);
        if (status != SOTTO_OK) goto done;
        /* distance + noise >= threshold; threshold - distance cannot overflow. */
        if (noise >= threshold - distance) said[mode] = 1;
    }
    sot_tape_sum_result(gate, said, categories);
    sot_gate_record(gate, index, 0.0);
    *out_mode = 0;
    while (*out_mode < categories && said[*out_mode] == 0)
        ++*out_mode;
    *out_released = *out_mode < categories;
done:
    sot_wipe_and_free(said, categories * sizeof *said);
    return status;
}

sotto_status
sotto_propose_test_release_mode(sotto_gate *gate,
                                const sotto_propose_test_release_config *config,
                                const int64_t *counts, size_t categories,
                                bool *out_released, size_t *out_mode, sotto_error *error)
{
    /* One vote more or less moves the histogram by 1 in L1, one exchanged by 2: as the gap. */
    const int64_t moved = gap_of(config->adjacency);
    return sot_propose_test_release(gate, config, moved, (double)moved, counts,
                                    categories, out_released, out_mode, error);
}
