/* cli/tune.h: what the files of `sotto tune` share. */
#ifndef SOTTO_CLI_TUNE_H
#define SOTTO_CLI_TUNE_H

#include <sotto/tune.h>

#include "frame.h"

/* cli/tune_compare.c: the same training so many times, all released, against the best of a secret number. */
SOTTO_MUST_CHECK sotto_status cli_tune_compare(const cli_call *call,
                                               const sotto_tune_config *config,
                                               const sotto_tuning *tuning,
                                               sotto_error *error);

#endif
