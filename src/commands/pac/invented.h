/* commands/pac/invented.h: learners, mainly of concepts, on synthetic rows.
 *
 * Idea: a training is planned once and learns repeatedly, each time from other rows and with
 * fresh noise. The learner, its mechanism and its gate are those of a real training. Nothing is
 * charged: all records are synthetic.
 */
#ifndef SOT_COMMANDS_PAC_INVENTED_H
#define SOT_COMMANDS_PAC_INVENTED_H

#include "commands/train/train.h"

/* A training of the class `text` (models/concept/classes/concept.h) by one of the methods of concepts; none: the fewest errors. The schema is
 * borrowed, and has its target. Free with sotto_training_free(). */
SOTTO_MUST_CHECK sotto_status sot_pac_invented_plan(const sotto_schema *schema,
                                                    const char *text, sotto_method method,
                                                    sotto_adjacency adjacency,
                                                    double epsilon,
                                                    sotto_training **out_training,
                                                    sotto_error *error);

/* Rows of the schema's cells, row by row (sotto/array.h). They fit every training of the same schema and class. Free with
 * sot_matrix_free(). */
SOTTO_MUST_CHECK sotto_status sot_pac_invented_rows(const sotto_training *training,
                                                    const double *cells, size_t rows,
                                                    sotto_rng *rng,
                                                    sot_matrix **out_matrix,
                                                    sotto_error *error);

/* Learns once, for any model; `out_numbers` has room for sot_learner_coefficients(). */
SOTTO_MUST_CHECK sotto_status sot_pac_invented_learn(const sotto_training *training,
                                                     const sot_matrix *matrix,
                                                     sotto_rng *rng, double *out_numbers,
                                                     sotto_error *error);

#endif
