/* cli/train/tune.h: the common part of the files of `sotto tune`. */
#ifndef SOTTO_CLI_TUNE_H
#define SOTTO_CLI_TUNE_H

#include <sotto/tune.h>

#include "frame/frame.h"

/* cli/train/tune_compare.c: a fixed number of the same training, all released, against
 * the best of a secret number. */
SOTTO_MUST_CHECK sotto_status cli_tune_compare(const cli_call *call,
                                               const sotto_tune_config *config,
                                               const sotto_tuning *tuning,
                                               sotto_error *error);

#endif
