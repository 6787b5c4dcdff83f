/* mechanisms/pate.h: the two steps of a query, each by itself. */
#ifndef SOT_MECHANISMS_PATE_H
#define SOT_MECHANISMS_PATE_H

#include <sotto/pate_aggregate.h>

/* A vote is this many steps of the grid on which noise is added. */
enum { SOT_PATE_GRID_BITS = 32 };

/* Is max_j (n_j - teachers p_j) + N(0, test_noise^2) >= threshold? `student` as in sotto_pate_label(). Of
 * Confident and Interactive. */
SOTTO_MUST_CHECK sotto_status sot_pate_test(sotto_gate *gate,
                                            const sotto_pate_config *config,
                                            const int64_t *votes, size_t classes,
                                            const double *student, bool *out_passes,
                                            sotto_error *error);

/* The first class with the largest noisy count. Of all but Mode. */
SOTTO_MUST_CHECK sotto_status sot_pate_answer(sotto_gate *gate,
                                              const sotto_pate_config *config,
                                              const int64_t *votes, size_t classes,
                                              size_t *out_class, sotto_error *error);

/* What the samplers' laws are off by in all, in total variation, over so many queries and answers; rounded up. */
double sot_pate_sampler_error(const sotto_pate_config *config, size_t classes,
                              uint64_t asked, uint64_t answered);

#endif
