/* privacy/accounting/profile/solve.h: from a certified profile delta(epsilon) to a certified epsilon. */
#ifndef SOT_PRIVACY_ACCOUNTING_PROFILE_SOLVE_H
#define SOT_PRIVACY_ACCOUNTING_PROFILE_SOLVE_H

#include <sotto/error.h>

#include "privacy/accounting/profile/bracket.h"

/* A bracket of the exact delta at epsilon; the exact profile decreases in epsilon. */
typedef sot_bracket (*sot_profile)(double epsilon, void *context);

/* out->upper: an epsilon >= 0 whose upper delta is at most `delta`: the certificate is that
 * one evaluation, so the numerics need not be monotone. out->lower: an epsilon whose
 * lower delta is above `delta` (0 if none was found). `guess` > 0 is where to look first.
 * SOTTO_UNREACHABLE when no epsilon up to 1e9 will do. */
SOTTO_MUST_CHECK sotto_status sot_solve_epsilon(sot_profile profile, void *context,
                                                double delta, double guess,
                                                sot_bracket *out_epsilon,
                                                sotto_error *error);

#endif
