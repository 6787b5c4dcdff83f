/* The decision threshold of predict and evaluate: a number, or the noisy rate of the second class. */
#ifndef SOTTO_CLI_MODEL_THRESHOLD_H
#define SOTTO_CLI_MODEL_THRESHOLD_H

#include "frame/frame.h"

/* --threshold and --threshold-from. */
extern const cli_option cli_threshold_options[];

/* Of --threshold-from it is the released class rate: noisy and paid, so the threshold costs nothing more. */
SOTTO_MUST_CHECK sotto_status cli_decision_threshold(const cli_call *call,
                                                     double *out_threshold,
                                                     sotto_error *error);

#endif
