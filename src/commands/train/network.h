/* commands/train/network.h: the parts of a network's training beside its learner. These
 * are initial weights, public rows to score it on, and the texts about its layers. */
#ifndef SOT_COMMANDS_TRAIN_NETWORK_H
#define SOT_COMMANDS_TRAIN_NETWORK_H

#include "base/json/writer.h"
#include "commands/train/train.h"

/* The learner of a network: refuses settings of other models, loads config->init into training->center and
 * training->init_net, which the learner borrows. */
SOTTO_MUST_CHECK sotto_status sot_training_make_network(sotto_training *training,
                                                        sotto_error *error);

/* ---- public rows for the learning curve ---- */

/* Loads the public rows of a file, at least one, encoded as for the training. Errors in them are
 * reported. `data` (NULL: records in memory) is the training file, which cannot be public unless
 * the training is. */
SOTTO_MUST_CHECK sotto_status sot_validation_load(const sotto_training *training,
                                                  const sotto_data_file *file,
                                                  const sotto_data_file *data,
                                                  sotto_rng *rng, sot_matrix **out_matrix,
                                                  sotto_error *error);

/* The same for rows in memory. `data` (NULL: a file) has the training rows. */
SOTTO_MUST_CHECK sotto_status sot_validation_load_records(const sotto_training *training,
                                                          const sotto_records *records,
                                                          const sotto_records *data,
                                                          sotto_rng *rng,
                                                          sot_matrix **out_matrix,
                                                          sotto_error *error);

typedef struct sot_curve_rows {
    sot_matrix *matrix;
    sot_validation validation;
} sot_curve_rows;

/* Loads config->validation, which is there, and gives it to the learner. The rows are public, so
 * errors in them are reported. `data` (NULL: records in memory) is the training file, which
 * cannot be public. Start with {0}; release with sot_curve_rows_clear(), also after failure. */
SOTTO_MUST_CHECK sotto_status sot_curve_rows_load(const sotto_training *training,
                                                  const sotto_data_file *data,
                                                  sotto_rng *rng, sot_curve_rows *rows,
                                                  sotto_error *error);
void sot_curve_rows_clear(sot_curve_rows *rows);
/* After a training: errors of a number, in the learner's units, become errors in those of the target. */
void sot_curve_rows_finish(const sotto_training *training, sot_curve_rows *rows);

/* ---- words ---- */

/* "network": layers with shapes and parameters. */
void sot_training_write_network(const sotto_training *training, sot_json_writer *writer);
/* One line, and one a layer if asked for. */
void sot_training_show_network(const sotto_training *training, bool layers,
                               sot_prose *prose);

/* ---- the result ---- */

/* A network computes in floats: its parameters become the nearest ones. The written numbers are
 * those that predict; multiples of a power of two stay multiples. */
void sot_training_round_network(const sotto_training *training, double *theta);

/* Makes the learner's data norms those that no training has filled in yet: before it learns once more. */
void sot_training_forget_norms(const sotto_training *training);

/* sot_public_score() of a network. */
SOTTO_MUST_CHECK sotto_status sot_training_score_network(const sotto_training *training,
                                                         const sot_matrix *matrix,
                                                         const double *theta,
                                                         double *out_score,
                                                         sotto_error *error);

#endif
