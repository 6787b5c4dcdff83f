/* privacy/mechanisms/pate/pate.h: the two steps of a query, each by itself. */
#ifndef SOT_PRIVACY_MECHANISMS_PATE_PATE_H
#define SOT_PRIVACY_MECHANISMS_PATE_PATE_H

#include <sotto/pate_aggregate.h>

/* A vote is this many steps of the grid on which noise is added. */
enum { SOT_PATE_GRID_BITS = 32 };

/* Tests max_j (n_j - teachers p_j) + N(0, test_noise^2) >= threshold, for Confident and
 * Interactive. `student` as in sotto_pate_label(). */
SOTTO_MUST_CHECK sotto_status sot_pate_test(sotto_gate *gate,
                                            const sotto_pate_config *config,
                                            const int64_t *votes, size_t classes,
                                            const double *student, bool *out_passes,
                                            sotto_error *error);

/* Returns the first class with the largest noisy count; all aggregators except Mode. */
SOTTO_MUST_CHECK sotto_status sot_pate_answer(sotto_gate *gate,
                                              const sotto_pate_config *config,
                                              const int64_t *votes, size_t classes,
                                              size_t *out_class, sotto_error *error);

/* Returns a bound on the samplers' total variation over these queries and answers;
 * rounded up. */
double sot_pate_sampler_error(const sotto_pate_config *config, size_t classes,
                              uint64_t asked, uint64_t answered);

/* The exact sums of sotto_pate_agreement_release(): for each of `bins` bins the number of its
 * votes that the largest counts reach. For any votes, a sum is between 0 and queries times the
 * width of its bin. */
void sot_pate_agreement_sums(const int64_t *votes, uint64_t queries, size_t classes,
                             const int64_t *edges, size_t bins, int64_t *out_sums);

/* Returns a bound on the sampler's total variation over `bins` sums; rounded up. */
double sot_pate_agreement_sampler_error(uint64_t bins);

/* The purpose of the votes with `suffix` behind it. */
SOTTO_MUST_CHECK sotto_status sot_pate_purpose(const sotto_pate_config *config,
                                               const char *suffix,
                                               char out_purpose[SOTTO_PURPOSE_BYTES],
                                               sotto_error *error);

/* sotto_pate_plan() and sotto_pate_answers() with something that is released once beside the labels, from the same budget;
 * NULL: nothing. It is the plan's first line; answers are the last. */
SOTTO_MUST_CHECK sotto_status sot_pate_plan_beside(const sotto_pate_config *config,
                                                   const sotto_event *beside,
                                                   uint64_t asked, uint64_t answered,
                                                   sotto_plan **out_plan,
                                                   sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_pate_answers_beside(
    const sotto_pate_config *config, const sotto_event *beside, uint64_t asked,
    double epsilon, double delta, uint64_t *out_answered, sotto_account *out_account,
    sotto_error *error);

#endif
