#include <sotto/sparse_vector.h>

#include <inttypes.h>

#include "base/error.h"
#include "base/memory.h"
#include "privacy/mechanisms/gate/gate.h"
#include "privacy/mechanisms/gate/tape.h"
#include "privacy/mechanisms/selection/selection.h"

__extension__ typedef __int128 wide_integer;

enum { ABOVE_MOST = 1 << 20 };

struct sotto_sparse_vector {
    sotto_gate *gate; /* borrowed */
    size_t index;     /* of the event in the plan */
    uint64_t left;
    int64_t threshold;
    uint64_t sensitivity;
    sot_ratio threshold_scale;
    sot_ratio answer_scale;
    int64_t threshold_noise; /* secret */
};

sotto_sparse_vector_config sotto_sparse_vector_defaults(void)
{
    return (sotto_sparse_vector_config){.epsilon = SOTTO_UNSET};
}

/* The settings that a run shares with a choice. */
static sotto_selection_config as_selection(const sotto_sparse_vector_config *config)
{
    return (sotto_selection_config){.epsilon = config->epsilon,
                                    .sensitivity = config->sensitivity,
                                    .change = config->change,
                                    .adjacency = config->adjacency,
                                    .purpose = config->purpose};
}

/* Noise for one "above" at epsilon / above_most: 2 Delta c/epsilon on the threshold. On the
 * answers it is 2 c/epsilon times the range (2 Delta, or Delta if monotone). */
static sotto_status make_scales(const sotto_sparse_vector_config *config,
                                sot_ratio *out_threshold, sot_ratio *out_answer,
                                sotto_error *error)
{
    const uint64_t parts = config->above_most;
    const uint64_t range = sot_selection_range_of(config->change, config->sensitivity);
    if (range > SOT_DISCRETE_LAPLACE_MAX / (2 * parts)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "sensitivity %" PRIu64 " times above_most %" PRIu64
                        " is beyond 2^48; use a coarser unit",
                        config->sensitivity, config->above_most);
    }
    double used = 0.0;
    sotto_status status = sot_noise_for_epsilon(
        config->epsilon, 2 * config->sensitivity * parts, out_threshold, &used, error);
    if (status == SOTTO_OK) {
        status = sot_noise_for_epsilon(config->epsilon, 2 * range * parts, out_answer,
                                       &used, error);
    }
    return status;
}

static sotto_status check_config(const sotto_sparse_vector_config *config,
                                 sotto_error *error)
{
    const sotto_selection_config selection = as_selection(config);
    const sotto_status status = sot_selection_check(&selection, error);
    if (status != SOTTO_OK) return status;
    if (config->above_most < 1 || config->above_most > ABOVE_MOST) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "above_most is %" PRIu64
            "; set it to the largest number of \"above\" answers, from 1 to 2^20",
            config->above_most);
    }
    sot_ratio threshold_scale, answer_scale;
    return make_scales(config, &threshold_scale, &answer_scale, error);
}

sotto_status sotto_sparse_vector_event(const sotto_sparse_vector_config *config,
                                       sotto_event *out_event, sotto_error *error)
{
    const sotto_status status = check_config(config, error);
    if (status != SOTTO_OK) return status;
    const sotto_selection_config selection = as_selection(config);
    return sot_selection_event(&selection, SOTTO_PURE, out_event, error);
}

/* Threshold and number of answers are public: the same for all neighbours. */
static void show_settings(sotto_sparse_vector *run)
{
    const int64_t settings[2] = {run->threshold, (int64_t)run->left};
    const sot_tape_sum_call call = {
        .index = run->index, .values = settings, .count = 2, .norm = SOTTO_L1};
    int64_t replayed[2];
    (void)sot_tape_sum(run->gate, &call, replayed);
    sot_tape_sum_result(run->gate, settings, 2);
}

sotto_status sotto_sparse_vector_begin(sotto_gate *gate,
                                       const sotto_sparse_vector_config *config,
                                       sotto_sparse_vector **out_run, sotto_error *error)
{
    *out_run = NULL;
    sotto_event event;
    sotto_status status = sotto_sparse_vector_event(config, &event, error);
    if (status == SOTTO_OK)
        status = sot_gate_check_adjacency(gate, config->adjacency, error);
    if (status != SOTTO_OK) return status;

    sotto_sparse_vector *run = sot_new_array(1, sizeof *run);
    if (run == NULL) return sot_fail_memory(error, 1, sizeof *run);
    run->gate = gate;
    run->left = config->above_most;
    run->threshold = config->threshold;
    run->sensitivity = config->sensitivity;
    status = make_scales(config, &run->threshold_scale, &run->answer_scale, error);
    if (status == SOTTO_OK) status = sot_gate_admit(gate, &event, &run->index, error);
    if (status == SOTTO_OK) {
        show_settings(run);
        run->threshold_noise =
            sot_discrete_laplace_unchecked(sot_gate_rng(gate), run->threshold_scale);
        status = sot_rng_check(sot_gate_rng(gate), error);
    }
    if (status != SOTTO_OK) {
        sotto_sparse_vector_free(run);
        return status;
    }
    /* Paid as a whole, now: the number of later questions may depend on the answers. */
    sot_gate_record(gate, run->index, 0.0);
    *out_run = run;
    return SOTTO_OK;
}

/* answer + noise >= threshold + noise, in integers that cannot overflow. */
static bool compare(sotto_sparse_vector *run, int64_t answer)
{
    sotto_rng *rng = sot_gate_rng(run->gate);
    const int64_t noise = sot_discrete_laplace_unchecked(rng, run->answer_scale);
    const bool above = (wide_integer)answer + noise >=
                       (wide_integer)run->threshold + run->threshold_noise;
    /* The next "above" is a new run: its threshold has its own noise. */
    if (above)
        run->threshold_noise = sot_discrete_laplace_unchecked(rng, run->threshold_scale);
    return above;
}

sotto_status sotto_sparse_vector_ask(sotto_sparse_vector *run, int64_t answer,
                                     bool *out_above, sotto_error *error)
{
    if (run->left == 0) {
        return sot_fail(error, SOTTO_NOT_IN_PLAN,
                        "\"above\" was answered as often as above_most allows; this run "
                        "answers no more");
    }
    const sot_tape_sum_call call = {.index = run->index,
                                    .values = &answer,
                                    .count = 1,
                                    .norm = SOTTO_L1,
                                    .sensitivity = (double)run->sensitivity};
    int64_t said = 0;
    if (!sot_tape_sum(run->gate, &call, &said)) {
        said = compare(run, answer) ? 1 : 0;
        const sotto_status status = sot_rng_check(sot_gate_rng(run->gate), error);
        if (status != SOTTO_OK) return status;
    }
    sot_tape_sum_result(run->gate, &said, 1);
    if (said != 0) run->left--;
    *out_above = said != 0;
    return SOTTO_OK;
}

uint64_t sotto_sparse_vector_left(const sotto_sparse_vector *run)
{
    return run->left;
}

void sotto_sparse_vector_free(sotto_sparse_vector *run)
{
    sot_wipe_and_free(run, run == NULL ? 0 : sizeof *run);
}
