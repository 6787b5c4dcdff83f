/* commands/pac/experiment.h: an experiment with its results. */
#ifndef SOT_COMMANDS_PAC_EXPERIMENT_H
#define SOT_COMMANDS_PAC_EXPERIMENT_H

#include <sotto/pac_experiment.h>

struct sotto_pac_experiment {
    sotto_pac_experiment_config config; /* its rows are the experiment's own */
    uint64_t rows[SOTTO_STUDY_PLACES_MAX];
    sotto_pac_experiment_point points[SOTTO_STUDY_PLACES_MAX];
};

#endif
