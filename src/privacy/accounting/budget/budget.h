/* privacy/accounting/budget/budget.h: the arithmetic of an (epsilon, delta) budget kept by a Renyi filter.
 *
 * Theorem   A composition that is (order, rdp)-RDP is (epsilon, delta)-DP with
 *               epsilon = rdp + log(1 - 1/order) - (log delta + log order)/(order - 1)
 *           (Canonne, Kamath & Steinke, NeurIPS 2020, Prop. 12). filter.md and ledger.md prove
 *           that the filter composes runs chosen adaptively.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_BUDGET_BUDGET_H
#define SOT_PRIVACY_ACCOUNTING_BUDGET_BUDGET_H

#include <sotto/error.h>

enum { SOT_EPSILON_BUDGET_MAX = 1000000, SOT_ORDER_MAX = 1000000 };

/* The largest rdp at `order` (above 1) that is known to give `epsilon` at `delta`, rounded down;
 * zero or negative when none does. */
double sot_budget_rdp_lower(double order, double epsilon, double delta);

/* The epsilon at `delta` of a composition with this rdp at `order`: rounded up, never below 0. */
double sot_budget_epsilon_upper(double order, double rdp, double delta);

/* The order, rounded to three digits, that admits the most zCDP (Gaussian releases). It is the
 * argmax of budget(order)/order, because the RDP of a Gaussian is order * rho. */
double sot_budget_best_order(double epsilon, double delta);

/* 1 + e^epsilon, rounded up: the delta that one unit of the samplers' total variation
 * costs. */
double sot_budget_sampler_factor(double epsilon);

#endif
