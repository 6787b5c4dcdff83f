#include "privacy/mechanisms/additive.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plant.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/grid.h"
#include "privacy/mechanisms/tape.h"
#include "random/rng.h"

static int64_t cut(int64_t value, int64_t most)
{
    if (value > most) return most;
    return value < -most ? -most : value;
}

int64_t sot_add_clamped(int64_t exact, int64_t noise)
{
    int64_t sum = 0;
    if (__builtin_add_overflow(cut(exact, SOT_SUM_MAX), noise, &sum)) {
        return noise > 0 ? SOT_RESULT_MAX : -SOT_RESULT_MAX;
    }
    return cut(sum, SOT_RESULT_MAX);
}

/* The sampler's errors add up over the coordinates; rounded up. */
static double total_error(double one, size_t count)
{
    return one == 0.0 ? 0.0 : sot_mul_up(one, sot_next_up((double)count));
}

static sotto_status draw(sotto_gate *gate, const sot_additive *mechanism, int64_t *noise,
                         size_t count, sotto_error *error)
{
    sotto_rng *rng = sot_gate_rng(gate);
    if (!SOT_PLANTED(rng_stream_reused))
        return mechanism->fill(rng, mechanism->law, noise, count, error);
    const sotto_rng before = *rng;
    const sotto_status status = mechanism->fill(rng, mechanism->law, noise, count, error);
    *rng = before;
    return status;
}

sotto_status sot_additive_release(sotto_gate *gate, const sot_additive *mechanism,
                                  const int64_t *exact_sums, size_t count,
                                  int64_t *out_noisy_sums, sotto_error *error)
{
    if (count == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the release has no values; leave its event out of the plan");
    }
    sotto_status status = sot_gate_check_adjacency(gate, mechanism->adjacency, error);
    if (status != SOTTO_OK) return status;

    int64_t *noise = sot_new_array(count, sizeof *noise);
    if (noise == NULL) return sot_fail_memory(error, count, sizeof *noise);

    size_t index = 0;
    status = sot_gate_admit(gate, &mechanism->event, &index, error);
    if (status != SOTTO_OK) goto done;

    const sot_tape_sum_call call = {.index = index,
                                    .values = exact_sums,
                                    .count = count,
                                    .norm = mechanism->norm,
                                    .sensitivity = mechanism->sensitivity,
                                    .order_slack = mechanism->order_slack};
    if (!sot_tape_sum(gate, &call, out_noisy_sums)) {
        status = draw(gate, mechanism, noise, count, error);
        if (status != SOTTO_OK) goto done;
        for (size_t i = 0; i < count; i++)
            out_noisy_sums[i] = sot_add_clamped(exact_sums[i], noise[i]);
    }
    sot_tape_sum_result(gate, out_noisy_sums, count);
    sot_gate_record(gate, index, total_error(mechanism->sampler_error, count));
done:
    sot_wipe_and_free(noise, count * sizeof *noise); /* output - noise = exact sums */
    return status;
}

sotto_status sot_additive_event(sotto_event *event, sotto_adjacency adjacency,
                                double grid, const char *purpose, sotto_error *error)
{
    if (adjacency != SOTTO_ADD_REMOVE && adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "adjacency is %d; set it to SOTTO_ADD_REMOVE or SOTTO_REPLACE_ONE",
            (int)adjacency);
    }
    int exponent = 0;
    if (!sot_is_power_of_two(grid, &exponent) || exponent < -SOTTO_GRID_EXPONENT_MAX ||
        exponent > SOTTO_GRID_EXPONENT_MAX) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "grid is %g; give a power of two from 2^-%d to 2^%d, 1 for counts", grid,
            SOTTO_GRID_EXPONENT_MAX, SOTTO_GRID_EXPONENT_MAX);
    }
    event->grid = grid;
    return sot_event_set_purpose(event, purpose, error);
}

sotto_status sot_gaussian_least_multiplier(sotto_adjacency adjacency, double epsilon,
                                           double delta, double *out_multiplier,
                                           sotto_error *error)
{
    sotto_account account;
    sotto_plan *plan = NULL;
    sotto_status status = sotto_plan_new(adjacency, &plan, error);
    if (status != SOTTO_OK) return status;
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_GAUSSIAN;
    event.count = 1;
    status = sotto_plan_add(plan, &event, error);
    if (status == SOTTO_OK) {
        status = sotto_account_noise(plan, SOTTO_EXACT, epsilon, delta, out_multiplier,
                                     &account, error);
    }
    sotto_plan_free(plan);
    return status;
}
