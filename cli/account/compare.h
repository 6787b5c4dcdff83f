/* cli/account/compare.h: the comparison of `sotto account compare` as a picture. */
#ifndef SOTTO_CLI_ACCOUNT_COMPARE_H
#define SOTTO_CLI_ACCOUNT_COMPARE_H

#include <sotto/accountant.h>

#include "frame/frame.h"

/* cli/account/compare_svg.c: plots epsilon at `delta` against the number of releases. Each
 * accountant with an answer has a line, the central limit approximation a dashed one. The plan's
 * counts grow in proportion from one release to the whole. Writes --svg. */
SOTTO_MUST_CHECK sotto_status account_compare_draw(const cli_call *call,
                                                   const sotto_plan *plan, double delta,
                                                   const sotto_accountant *accountants,
                                                   size_t accountant_count,
                                                   sotto_error *error);

#endif
