/* run/pac_trials.h: one learner over a finite class, run again and again on rows that somebody invents.
 *
 * Idea     The errors of every concept on invented rows are known, so learning is the choice alone: by the mechanisms of
 *          the private learners, through a gate with a plan of so many choices. Nothing is charged: no record is real.
 */
#ifndef SOT_RUN_PAC_TRIALS_H
#define SOT_RUN_PAC_TRIALS_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/gate.h>
#include <sotto/laplace.h>
#include <sotto/selection.h>
#include <sotto/train_config.h>

typedef struct sot_pac_trials {
    sotto_method
        method; /* exponential, permute-and-flip, laplace, or none: the fewest errors */
    size_t candidates;
    sotto_selection_config selection;
    sotto_laplace_config laplace;
    sotto_rng *rng;   /* borrowed */
    sotto_gate *gate; /* NULL for none */
    int64_t *scores;  /* room for all candidates; NULL when there are none */
} sot_pac_trials;

/* For `repeats` choices. `candidates` may be 0 when only sot_pac_trials_choose_point() is called. Close it with
 * sot_pac_trials_close(), also after failure. */
SOTTO_MUST_CHECK sotto_status sot_pac_trials_open(
    sotto_method method, sotto_adjacency adjacency, double epsilon, size_t candidates,
    uint64_t repeats, sotto_rng *rng, sot_pac_trials *out_trials, sotto_error *error);
void sot_pac_trials_close(sot_pac_trials *trials);

/* Chooses by the errors of all candidates. Ties of the fewest errors are broken by chance. */
SOTTO_MUST_CHECK sotto_status sot_pac_trials_choose(sot_pac_trials *trials,
                                                    const int64_t *errors,
                                                    size_t *out_choice,
                                                    sotto_error *error);

/* The exponential mechanism on the points 0 .. ends[cells - 1] - 1, errors constant on cells
 * (sotto_exponential_choose_point()). `errors` are negated in place. */
SOTTO_MUST_CHECK sotto_status
sot_pac_trials_choose_point(sot_pac_trials *trials, int64_t *errors, const uint64_t *ends,
                            size_t cells, uint64_t *out_point, sotto_error *error);

#endif
