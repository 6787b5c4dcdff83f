/* cli/ledger/paid.h: the common part of commands that charge a ledger. */
#ifndef SOTTO_CLI_PAID_H
#define SOTTO_CLI_PAID_H

#include <sotto/release.h>

#include "frame/frame.h"

/* --again. A command adds it with `.shared`. */
extern const cli_option cli_again_option[];

/* Prints a release: values on standard output; the certificate on standard error unless a file has it. A result without a
 * file stays kept beside the ledger if it could not be printed. Frees it. */
SOTTO_MUST_CHECK sotto_status cli_print_release(const cli_call *call,
                                                sotto_release_result *result,
                                                sotto_error *error);

#endif
