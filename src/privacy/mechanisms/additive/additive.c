#include "privacy/mechanisms/additive/additive.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/gate/tape.h"
#include "privacy/mechanisms/grid/grid.h"
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

void sot_add_noise_plain(const int64_t *exact_sums, const int64_t *noise, size_t count,
                         int64_t *out_noisy_sums)
{
    for (size_t i = 0; i < count; i++)
        out_noisy_sums[i] = sot_add_clamped(exact_sums[i], noise[i]);
}

void sot_add_noise(const int64_t *exact_sums, const int64_t *noise, size_t count,
                   int64_t *out_noisy_sums)
{
    const sot_add_noise_function fast = sot_add_noise_avx2();
    (fast != NULL ? fast : sot_add_noise_plain)(exact_sums, noise, count, out_noisy_sums);
}

/* The sampler's errors add up over the coordinates; rounded up. */
static double total_error(double one, size_t count)
{
    return one == 0.0 ? 0.0 : sot_mul_up(one, sot_next_up((double)count));
}

/* ---- long vectors: a stream for every chunk ---- */

typedef struct long_release {
    const sot_additive *mechanism;
    const sot_rng_family *family;
    const int64_t *exact_sums;
    int64_t *out_noisy_sums;
} long_release;

/* Noise is made and used up in pieces that stay in the cache: one pass over the sums. */
static sotto_status release_chunk(size_t chunk, size_t begin, size_t end, void *context,
                                  sotto_error *error)
{
    enum { PIECE = 1024 };
    const long_release *job = context;
    const sot_additive *mechanism = job->mechanism;
    const sot_noise_fill fill =
        mechanism->fill_long != NULL ? mechanism->fill_long : mechanism->fill;
    int64_t noise[PIECE];
    sotto_rng stream;
    sot_rng_stream_start(job->family, chunk, &stream);
    sotto_status status = SOTTO_OK;
    for (size_t at = begin; at < end && status == SOTTO_OK; at += PIECE) {
        const size_t piece = end - at < PIECE ? end - at : PIECE;
        for (size_t i = 0; i < piece; i += SOT_ALIGNMENT_BYTES / sizeof *noise)
            __builtin_prefetch(job->exact_sums + at + i); /* they arrive meanwhile */
        status = fill(&stream, mechanism->law, noise, piece, error);
        if (status == SOTTO_OK)
            sot_add_noise(job->exact_sums + at, noise, piece, job->out_noisy_sums + at);
    }
    sot_wipe(noise, sizeof noise); /* output - noise = exact sums */
    sot_rng_wipe(&stream);
    return status;
}

static sotto_status release_long(sotto_gate *gate, const sot_additive *mechanism,
                                 const int64_t *exact_sums, size_t count,
                                 int64_t *out_noisy_sums, sotto_error *error)
{
    sot_rng_family family;
    sotto_status status =
        sot_rng_family_begin(sot_gate_rng(gate), "noise", &family, error);
    if (status == SOTTO_OK) {
        long_release job = {.mechanism = mechanism,
                            .family = &family,
                            .exact_sums = exact_sums,
                            .out_noisy_sums = out_noisy_sums};
        status = sot_parallel_for(gate->pool, count, SOT_NOISE_CHUNK, release_chunk, &job,
                                  error);
        if (status != SOTTO_OK) sot_wipe(out_noisy_sums, count * sizeof *out_noisy_sums);
    }
    sot_rng_family_end(&family);
    return status;
}

/* ---- joint noise ---- */

static sotto_status release_joint(sotto_gate *gate, const sot_additive *mechanism,
                                  const int64_t *exact_sums, size_t count,
                                  int64_t *out_noisy_sums, sotto_error *error)
{
    const sotto_status status = mechanism->add(sot_gate_rng(gate), mechanism->law,
                                               exact_sums, count, out_noisy_sums, error);
    if (status != SOTTO_OK) sot_wipe(out_noisy_sums, count * sizeof *out_noisy_sums);
    return status;
}

/* ---- through the gate ---- */

/* Numbers of noise that are drawn before the first output is written. */
static size_t held_back(const sot_additive *mechanism, size_t count)
{
    return mechanism->add == NULL && count < SOT_NOISE_LONG ? count : 0;
}

/* `noise` has room for held_back(). */
static sotto_status add_all(sotto_gate *gate, const sot_additive *mechanism,
                            const int64_t *exact_sums, size_t count, int64_t *noise,
                            int64_t *out_noisy_sums, sotto_error *error)
{
    if (mechanism->add != NULL)
        return release_joint(gate, mechanism, exact_sums, count, out_noisy_sums, error);
    if (held_back(mechanism, count) == 0)
        return release_long(gate, mechanism, exact_sums, count, out_noisy_sums, error);
    /* Short vectors: from the gate's own generator. */
    const sotto_status status =
        mechanism->fill(sot_gate_rng(gate), mechanism->law, noise, count, error);
    if (status == SOTTO_OK) sot_add_noise(exact_sums, noise, count, out_noisy_sums);
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

    const size_t held = held_back(mechanism, count);
    int64_t *noise = sot_new_array(held, sizeof *noise);
    if (noise == NULL) return sot_fail_memory(error, held, sizeof *noise);

    size_t index = 0;
    status = sot_gate_admit(gate, &mechanism->event, &index, error);
    if (status != SOTTO_OK) goto done;

    const sot_tape_sum_call call = {.index = index,
                                    .values = exact_sums,
                                    .count = count,
                                    .norm = mechanism->norm,
                                    .sensitivity = mechanism->sensitivity,
                                    .order_slack = mechanism->order_slack};
    if (!sot_tape_sum(gate, &call, out_noisy_sums)) /* no replay gave the output */
        status =
            add_all(gate, mechanism, exact_sums, count, noise, out_noisy_sums, error);
    if (status != SOTTO_OK) goto done;
    sot_tape_sum_result(gate, out_noisy_sums, count);
    sot_gate_record(gate, index, total_error(mechanism->sampler_error, count));
done:
    sot_wipe_and_free(noise, held * sizeof *noise); /* output - noise = exact sums */
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
