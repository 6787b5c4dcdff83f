#include <sotto/noisy_max.h>

#include <sotto/permute_and_flip.h>

sotto_status sotto_noisy_max_event(const sotto_selection_config *config,
                                   sotto_event *out_event, sotto_error *error)
{
    return sotto_permute_and_flip_event(config, out_event, error);
}

sotto_status sotto_noisy_max_report(sotto_gate *gate,
                                    const sotto_selection_config *config,
                                    const int64_t *scores, size_t count,
                                    size_t *out_place, sotto_error *error)
{
    return sotto_permute_and_flip_choose(gate, config, scores, count, out_place, error);
}
