/* commands/pac/packing_study.h: the parts of a study of the packing. */
#ifndef SOT_COMMANDS_PAC_PACKING_STUDY_H
#define SOT_COMMANDS_PAC_PACKING_STUDY_H

#include <sotto/pac_experiment.h>
#include <sotto/rng.h>

struct sotto_packing_study {
    sotto_packing_config config; /* its arrays are the study's own */
    uint64_t rows[SOTTO_STUDY_PLACES_MAX], class_sizes[SOTTO_STUDY_PLACES_MAX];
    sotto_packing_rows needed[SOTTO_STUDY_PLACES_MAX];
    sotto_packing_contrast contrast[SOTTO_STUDY_PLACES_MAX];
    sotto_packing_point *points;
};

/* Fills in both lipschitz_ members: the mean excess of the logistic loss of objective
 * perturbation over the best weights of norm at most 4. Half of the `rows` rows are at the ends
 * -1 (no) and 1 (yes). The others are at two neighbouring points of K between them, no and yes;
 * the points are sampled anew each time. */
SOTTO_MUST_CHECK sotto_status sot_pac_lipschitz_contrast(
    const sotto_packing_setting *setting, uint64_t repeats, sotto_rng *rng,
    sotto_packing_contrast *out_contrast, sotto_error *error);

/* Numbers of rows or classes of a study: 1 to SOTTO_STUDY_PLACES_MAX of them, ascending. */
SOTTO_MUST_CHECK sotto_status sot_pac_check_places(const char *what,
                                                   const uint64_t *places, size_t count,
                                                   sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_pac_check_repeats(uint64_t repeats, uint64_t least,
                                                    sotto_error *error);

#endif
