#include "run/pac_trials.h"

#include <assert.h>

#include <sotto/exponential.h>
#include <sotto/permute_and_flip.h>

#include "base/error.h"
#include "base/memory.h"
#include "random/rng.h"

static sotto_status event_of(sot_pac_trials *trials, double epsilon,
                             sotto_event *out_event, sotto_error *error)
{
    sotto_status status;
    switch ((int)trials->method) {
    case SOTTO_METHOD_EXPONENTIAL:
        return sotto_exponential_event(&trials->selection, out_event, error);
    case SOTTO_METHOD_PERMUTE_AND_FLIP:
        return sotto_permute_and_flip_event(&trials->selection, out_event, error);
    case SOTTO_METHOD_LAPLACE:
        /* One record moves each of the counts by one. */
        trials->laplace.l1_sensitivity = (double)trials->candidates;
        status = sotto_laplace_scale(epsilon, trials->laplace.l1_sensitivity,
                                     &trials->laplace.scale, error);
        if (status != SOTTO_OK) return status;
        return sotto_laplace_event(&trials->laplace, out_event, error);
    default:
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the method %s chooses no concept; use exponential, "
                        "permute-and-flip, laplace or none",
                        sotto_method_name(trials->method));
    }
}

static sotto_status open_gate(sot_pac_trials *trials, sotto_adjacency adjacency,
                              double epsilon, uint64_t repeats, sotto_error *error)
{
    sotto_plan *plan = NULL;
    sotto_event event;
    sotto_status status = event_of(trials, epsilon, &event, error);
    if (status == SOTTO_OK) status = sotto_plan_new(adjacency, &plan, error);
    if (status == SOTTO_OK) {
        event.count = repeats;
        status = sotto_plan_add(plan, &event, error);
    }
    if (status == SOTTO_OK)
        status = sotto_gate_new(plan, trials->rng, &trials->gate, error);
    if (status == SOTTO_OK) status = sotto_gate_open(trials->gate, error);
    sotto_plan_free(plan);
    return status;
}

sotto_status sot_pac_trials_open(sotto_method method, sotto_adjacency adjacency,
                                 double epsilon, size_t candidates, uint64_t repeats,
                                 sotto_rng *rng, sot_pac_trials *out_trials,
                                 sotto_error *error)
{
    *out_trials = (sot_pac_trials){.method = method,
                                   .candidates = candidates,
                                   .selection = sotto_selection_defaults(),
                                   .laplace = sotto_laplace_defaults(),
                                   .rng = rng};
    out_trials->selection.epsilon = epsilon;
    out_trials->selection.sensitivity = 1;
    /* A record that comes or goes moves no two counts in opposite directions; one that is exchanged may. */
    out_trials->selection.change =
        adjacency == SOTTO_ADD_REMOVE ? SOTTO_CHANGE_MONOTONE : SOTTO_CHANGE_ANY;
    out_trials->selection.adjacency = adjacency;
    out_trials->selection.purpose = "concept of invented rows";
    out_trials->laplace.adjacency = adjacency;
    out_trials->laplace.purpose = "errors on invented rows";
    if (candidates > 0) {
        out_trials->scores = sot_new_array(candidates, sizeof *out_trials->scores);
        if (out_trials->scores == NULL)
            return sot_fail_memory(error, candidates, sizeof *out_trials->scores);
    }
    if (method == SOTTO_METHOD_NONE) return SOTTO_OK;
    return open_gate(out_trials, adjacency, epsilon, repeats, error);
}

void sot_pac_trials_close(sot_pac_trials *trials)
{
    sotto_gate_free(trials->gate);
    sot_free(trials->scores);
    *trials = (sot_pac_trials){.method = SOTTO_METHOD_AUTO};
}

/* One of the places of the least number, each with the same chance: the k-th of them takes over with chance 1/k. */
static size_t place_of_least(sotto_rng *rng, const int64_t *values, size_t count)
{
    size_t best = 0;
    uint64_t ties = 1;
    for (size_t i = 1; i < count; i++) {
        if (values[i] < values[best]) {
            best = i;
            ties = 1;
        } else if (values[i] == values[best] && sot_rng_below(rng, ++ties) == 0) {
            best = i;
        }
    }
    return best;
}

sotto_status sot_pac_trials_choose(sot_pac_trials *trials, const int64_t *errors,
                                   size_t *out_choice, sotto_error *error)
{
    const size_t count = trials->candidates;
    assert(count > 0);
    if (trials->method == SOTTO_METHOD_NONE) {
        *out_choice = place_of_least(trials->rng, errors, count);
        return SOTTO_OK;
    }
    if (trials->method == SOTTO_METHOD_LAPLACE) {
        const sotto_status status = sotto_laplace_release(
            trials->gate, &trials->laplace, errors, count, trials->scores, error);
        if (status == SOTTO_OK)
            *out_choice = place_of_least(trials->rng, trials->scores, count);
        return status;
    }
    for (size_t i = 0; i < count; i++)
        trials->scores[i] = -errors[i];
    return (trials->method == SOTTO_METHOD_EXPONENTIAL ? sotto_exponential_choose
                                                       : sotto_permute_and_flip_choose)(
        trials->gate, &trials->selection, trials->scores, count, out_choice, error);
}

sotto_status sot_pac_trials_choose_point(sot_pac_trials *trials, int64_t *errors,
                                         const uint64_t *ends, size_t cells,
                                         uint64_t *out_point, sotto_error *error)
{
    assert(trials->method == SOTTO_METHOD_EXPONENTIAL);
    for (size_t i = 0; i < cells; i++)
        errors[i] = -errors[i];
    return sotto_exponential_choose_point(trials->gate, &trials->selection, errors, ends,
                                          cells, out_point, error);
}
