#include "commands/pac/trials.h"

#include <assert.h>

#include <sotto/exponential.h>
#include <sotto/permute_and_flip.h>

sotto_status sot_pac_trials_open(sotto_method method, sotto_adjacency adjacency,
                                 double epsilon, uint64_t repeats, sotto_rng *rng,
                                 sot_pac_trials *out_trials, sotto_error *error)
{
    static const struct {
        sotto_status (*event)(const sotto_selection_config *config,
                              sotto_event *out_event, sotto_error *error);
    } mechanisms[] = {[SOTTO_METHOD_EXPONENTIAL] = {sotto_exponential_event},
                      [SOTTO_METHOD_PERMUTE_AND_FLIP] = {sotto_permute_and_flip_event}};
    assert((size_t)method < sizeof mechanisms / sizeof mechanisms[0] &&
           mechanisms[method].event != NULL);
    sotto_plan *plan = NULL;
    sotto_event event;
    *out_trials = (sot_pac_trials){.selection = sotto_selection_defaults()};
    out_trials->selection.epsilon = epsilon;
    out_trials->selection.sensitivity = 1;
    /* A record that comes or goes moves no two counts in opposite directions; one that is exchanged may. */
    out_trials->selection.change =
        adjacency == SOTTO_ADD_REMOVE ? SOTTO_CHANGE_MONOTONE : SOTTO_CHANGE_ANY;
    out_trials->selection.adjacency = adjacency;
    out_trials->selection.purpose = "concept of invented rows";
    sotto_status status = mechanisms[method].event(&out_trials->selection, &event, error);
    if (status == SOTTO_OK) status = sotto_plan_new(adjacency, &plan, error);
    if (status == SOTTO_OK) {
        event.count = repeats;
        status = sotto_plan_add(plan, &event, error);
    }
    if (status == SOTTO_OK) status = sotto_gate_new(plan, rng, &out_trials->gate, error);
    if (status == SOTTO_OK) status = sotto_gate_open(out_trials->gate, error);
    sotto_plan_free(plan);
    return status;
}

void sot_pac_trials_close(sot_pac_trials *trials)
{
    sotto_gate_free(trials->gate);
    trials->gate = NULL;
}
