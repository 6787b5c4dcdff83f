/* accounting/accountants.h: the accountants, behind one table. */
#ifndef SOT_ACCOUNTING_ACCOUNTANTS_H
#define SOT_ACCOUNTING_ACCOUNTANTS_H

#include <stdbool.h>

#include "privacy/accounting/plan/composition.h"

/* The input of an accountant: the plan and its compiled form, with open targets filled
 * in. */
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

/* The Renyi divergence of an order above 1, as sotto_account_rdp_with_delta() has it, of a plan that is compiled already: for
 * questions at many orders. */
double sot_rdp_at_upper(const sot_composition *composition, double order);

sotto_status sot_basic_epsilon(const sot_priced *priced, double delta, sotto_account *out,
                               sotto_error *error);
sotto_status sot_basic_delta(const sot_priced *priced, double epsilon, sotto_account *out,
                             sotto_error *error);

sotto_status sot_pld_epsilon(const sot_priced *priced, double delta, sotto_account *out,
                             sotto_error *error);
sotto_status sot_pld_delta(const sot_priced *priced, double epsilon, sotto_account *out,
                           sotto_error *error);

/* The same with another aim: exact asks for its bracket where no contour is cheap. Limits set the width
 * and the time, never the truth. */
typedef struct sot_pld_limits {
    double tolerance; /* relative error of epsilon aimed at */
    size_t size_max;  /* nodes of the ring, a power of two */
} sot_pld_limits;

sotto_status sot_pld_epsilon_within(const sot_priced *priced, double delta,
                                    const sot_pld_limits *limits, sotto_account *out,
                                    sotto_error *error);
sotto_status sot_pld_delta_within(const sot_priced *priced, double epsilon,
                                  const sot_pld_limits *limits, sotto_account *out,
                                  sotto_error *error);

sotto_status sot_moments_epsilon(const sot_priced *priced, double delta,
                                 sotto_account *out, sotto_error *error);
sotto_status sot_moments_delta(const sot_priced *priced, double epsilon,
                               sotto_account *out, sotto_error *error);

sotto_status sot_gdp_epsilon(const sot_priced *priced, double delta, sotto_account *out,
                             sotto_error *error);
sotto_status sot_gdp_delta(const sot_priced *priced, double epsilon, sotto_account *out,
                           sotto_error *error);

sotto_status sot_advanced_epsilon(const sot_priced *priced, double delta,
                                  sotto_account *out, sotto_error *error);
sotto_status sot_advanced_delta(const sot_priced *priced, double epsilon,
                                sotto_account *out, sotto_error *error);

sotto_status sot_optimal_epsilon(const sot_priced *priced, double delta,
                                 sotto_account *out, sotto_error *error);
sotto_status sot_optimal_delta(const sot_priced *priced, double epsilon,
                               sotto_account *out, sotto_error *error);

/* log(value/target), with the sign of value - target: the distance of a search from its target. */
double sot_search_excess(double value, double target);

/* Refuses, in the name of `method`, plans with events other than gaussian and gdp of all records or
 * (if `allows_sampled`) Poisson-sampled gaussian under add-remove. */
sotto_status sot_only_gaussian_events(const sotto_plan *plan, bool allows_sampled,
                                      const char *method, sotto_error *error);

/* The delta left for the finite part, or the error that the events' own deltas exceed it. */
sotto_status sot_finite_delta(const sot_composition *composition, double delta,
                              double *out_delta, sotto_error *error);

#endif
