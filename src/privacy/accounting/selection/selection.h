/* privacy/accounting/selection/selection.h: the bounds of random stopping as formulas; selection.md has the proofs.
 * Every result is rounded up. `runs` has passed sot_runs_check(). */
#ifndef SOT_PRIVACY_ACCOUNTING_SELECTION_SELECTION_H
#define SOT_PRIVACY_ACCOUNTING_SELECTION_SELECTION_H

#include <sotto/selection_cost.h>

SOTTO_MUST_CHECK sotto_status sot_runs_check(const sotto_runs *runs, sotto_error *error);

/* log(1/gamma) of the negative binomial. */
double sot_runs_log_inverse_gamma(const sotto_runs *runs);

/* Returns (1 + shape) ((1 - 1/order) rdp + log(1/gamma)/order), the price of releasing the best.
 * It uses a Renyi bound for one run at any order >= 1 (infinite: a pure one). */
double sot_selection_price(const sotto_runs *runs, double order, double rdp);

/* rdp + price + log E[K]/(order - 1): Thm 2, with the price above. */
double sot_selection_rdp_negative_binomial(const sotto_runs *runs, double order,
                                           double rdp, double price);

/* log(1 + 1/(order - 1)), rounded down: the epsilon at which Thm 6 needs one run's delta. */
double sot_selection_epsilon_hat(double order);

/* log(e^-mean + mean e^((order-1)(rdp + mean delta_hat)))/(order - 1): Thm 6 with the outcome of
 * zero runs. */
double sot_selection_rdp_poisson(double mean, double order, double rdp, double delta_hat);

/* The purpose of every event of sot_selection_price_event(). */
#define SOT_SELECTION_PURPOSE "best of a secret number of trainings"

/* The best of K runs as one event: pure if `count` is 0, else a curve over these orders. `values` has room for one
 * number an order; the event borrows both. Infinite values, which stand at the end, are left out. */
SOTTO_MUST_CHECK sotto_status sot_selection_price_event(const sotto_selection *best,
                                                        const double *orders,
                                                        size_t count, double *values,
                                                        sotto_event *out_event,
                                                        sotto_error *error);

#endif
