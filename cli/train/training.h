/* cli/train/training.h: the settings of a training, which `sotto train`, `sotto plan` and `sotto pac learn` share. */
#ifndef SOTTO_CLI_TRAINING_H
#define SOTTO_CLI_TRAINING_H

#include <sotto/train.h>

#include "frame/frame.h"

/* --target, --method, --epsilon ... A command adds them with `.shared`, and has --model and --delta
 * in its own table: they are required in one and not in the other. */
extern const cli_option cli_training_options[];

/* The words of --model: kinds of model, then networks that have a name. */
const char *cli_model_choice(size_t index);
bool cli_is_json_file(const char *text); /* by its name */
/* The path of a network's JSON file, or a network by name with a variant behind a colon. */
bool cli_is_network(const char *text);

/* Fills the settings of the tables. Texts are those of the call. */
SOTTO_MUST_CHECK sotto_status cli_training_config(const cli_call *call,
                                                  sotto_train_config *out_config,
                                                  sotto_error *error);

/* cli/train/train.c: --report, --ledger, --data-is-public, --insecure-test-seed, of every command that trains. */
extern const cli_option cli_train_options[];

/* cli/train/train.c: trains with the settings and prints. The command has DATA, --schema, --output and the tables
 * cli_train_options and cli_data_options, from which the rest of the settings is filled in. */
SOTTO_MUST_CHECK sotto_status cli_train_run(const cli_call *call,
                                            sotto_train_config *config,
                                            sotto_error *error);

/* cli/train/train.c: the common part of `sotto train` and other training commands. */

/* --report, if it was asked for. */
SOTTO_MUST_CHECK sotto_status cli_train_write_page(const cli_call *call,
                                                   const sotto_train_result *result,
                                                   sotto_error *error);
/* The members that scripts rely on. `seconds` NaN: instead of the time,
 * which tells how many trainings a tuning had, how it was tuned. */
SOTTO_MUST_CHECK sotto_status cli_train_print_json(const cli_call *call,
                                                   const sotto_train_result *result,
                                                   double seconds, sotto_error *error);
/* cli/train/train.c: cli_watch() for a training. */
void cli_watch_training(sotto_train_config *config);

#endif
