/* accounting/accountants.h: the accountants, behind one table. */
#ifndef SOT_ACCOUNTING_ACCOUNTANTS_H
#define SOT_ACCOUNTING_ACCOUNTANTS_H

#include "privacy/accounting/composition.h"

/* What an accountant works on: the plan and its compiled form, open targets filled in. */
typedef struct sot_priced {
    const sotto_plan *plan;
    const sot_composition *composition;
    double noise_multiplier; /* fills open events; NaN when there are none */
    uint64_t steps;          /* fills open counts; 0 when there are none */
} sot_priced;

typedef sotto_status (*sot_price_epsilon)(const sot_priced *priced, double delta,
                                          sotto_account *out, sotto_error *error);
typedef sotto_status (*sot_price_delta)(const sot_priced *priced, double epsilon,
                                        sotto_account *out, sotto_error *error);

sotto_status sot_exact_epsilon(const sot_priced *priced, double delta, sotto_account *out,
                               sotto_error *error);
sotto_status sot_exact_delta(const sot_priced *priced, double epsilon, sotto_account *out,
                             sotto_error *error);

sotto_status sot_rdp_epsilon(const sot_priced *priced, double delta, sotto_account *out,
                             sotto_error *error);
sotto_status sot_rdp_delta(const sot_priced *priced, double epsilon, sotto_account *out,
                           sotto_error *error);

sotto_status sot_basic_epsilon(const sot_priced *priced, double delta, sotto_account *out,
                               sotto_error *error);
sotto_status sot_basic_delta(const sot_priced *priced, double epsilon, sotto_account *out,
                             sotto_error *error);

sotto_status sot_pld_epsilon(const sot_priced *priced, double delta, sotto_account *out,
                             sotto_error *error);
sotto_status sot_pld_delta(const sot_priced *priced, double epsilon, sotto_account *out,
                           sotto_error *error);

/* The delta left for the finite part, or the error that the events' own deltas exceed it. */
sotto_status sot_finite_delta(const sot_composition *composition, double delta,
                              double *out_delta, sotto_error *error);

#endif
