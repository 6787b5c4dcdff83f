/* privacy/accounting/pld/plan.h: the exponential weight, window and spacing for a question.
 *
 * Idea        A rough copy of every distribution (a few hundred atoms) gives K(t) to a per cent.
 *             From it follow the saddle point of the question, the width of the weighted sum, and
 *             the cost of a spacing h. Connect-the-dots adds h^2/6 to the variance of every
 *             release, which moves epsilon by about (theta + 1)/2 times that.
 * Trust       Nothing here is certified, and nothing needs to be.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_PLD_PLAN_H
#define SOT_PRIVACY_ACCOUNTING_PLD_PLAN_H

#include "privacy/accounting/accountants.h"
#include "privacy/accounting/pld/compose.h"

typedef struct sot_pld_question {
    double epsilon;   /* NaN: asked for */
    double log_delta; /* used when epsilon is NaN */
} sot_pld_question;

/* `out_guess` has 3 places per distribution; the view borrows it. */
SOTTO_MUST_CHECK sotto_status sot_pld_plan(const sot_pld_laws *laws,
                                           const sot_pld_question *question,
                                           const sot_pld_limits *limits,
                                           double *out_guess, sot_pld_view *out_view,
                                           sotto_error *error);

#endif
