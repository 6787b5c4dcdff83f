/* cli/model/model_files.h: the common part of predict, evaluate and export: the operand
 * MODEL. */
#ifndef SOTTO_CLI_MODEL_FILES_H
#define SOTTO_CLI_MODEL_FILES_H

#include <sotto/model.h>

#include "frame/frame.h"

/* The operand MODEL, read; "-" is standard input. Free with sotto_model_free(). */
SOTTO_MUST_CHECK sotto_status cli_load_model(const cli_call *call,
                                             sotto_model **out_model, sotto_error *error);

#endif
