/* commands/train/concept.h: the parts of a concept's training beside its learner. These are the
 * class, which is a setting, and its texts in plan, certificate and forecast. */
#ifndef SOT_COMMANDS_TRAIN_CONCEPT_H
#define SOT_COMMANDS_TRAIN_CONCEPT_H

#include "base/json/writer.h"
#include "commands/train/train.h"

/* Makes training->class of config->concept, and the encoding by its cells. Refuses a delta, a method and a class
 * that concepts do not have. */
SOTTO_MUST_CHECK sotto_status sot_training_make_class(sotto_training *training,
                                                      sotto_error *error);

/* The learner of a concept, which takes training->class over. */
SOTTO_MUST_CHECK sotto_status sot_training_make_concept(sotto_training *training,
                                                        sotto_error *error);

/* ---- noisy errors, of laplace ---- */

/* Makes room in learner->errors for the learner's further values, if it has any;
 * sot_training_clear_errors() frees it. */
SOTTO_MUST_CHECK sotto_status sot_training_keep_errors(const sotto_training *training,
                                                       sotto_error *error);
void sot_training_clear_errors(const sotto_training *training);
/* Returns the stored errors; no lists: there are none. */
sot_concept_errors sot_training_errors(const sotto_training *training);

/* ---- words ---- */

enum { SOT_CONCEPTS_BYTES = 48 };

/* "1 concept", "4096 concepts", or "about 2^65.2 concepts": the number of the class. */
const char *sot_concept_count_text(const struct sot_concept_class *class,
                                   char out[SOT_CONCEPTS_BYTES]);

/* "class": kind, concepts, features with their cells. */
void sot_training_write_concept(const sotto_training *training, sot_json_writer *writer);
/* One line, and one per feature if asked for. */
void sot_training_show_concept(const sotto_training *training, bool features,
                               sot_prose *prose);
/* True if the line of the class already has it. */
bool sot_training_is_said(const sotto_training *training, const sot_setting *setting);
/* The concept that was chosen, which is released: "yes where age >= 51". */
void sot_training_show_rule(const sotto_training *training, const double *numbers,
                            sot_prose *prose);

/* ---- public rows ---- */

/* sot_public_plant() for a concept: labels of a concept of the class, drawn, of which one in ten is turned over. */
SOTTO_MUST_CHECK sotto_status sot_training_plant_concept(const sotto_training *training,
                                                         sot_matrix *matrix,
                                                         sotto_rng *rng,
                                                         sotto_error *error);

/* sot_public_score() of a concept. */
double sot_training_score_concept(const sotto_training *training,
                                  const sot_matrix *matrix, const double *numbers);

#endif
