/* privacy/accounting/plan/price.h: the prices of a plan for the members of a ledger (ledger.md):
 * mu^2 of Gaussian DP and rho of zCDP.
 *
 * Theorem   An epsilon-DP release is dominated by randomized response (Kairouz, Oh & Viswanath,
 *           ICML 2015). Its trade-off curve is linear between (0, 1), (x, x) and (1, 0),
 *           x = 1/(1 + e^epsilon). So it is mu-GDP exactly for
 *           Phi(mu/2) >= e^epsilon/(1 + e^epsilon). Its Renyi divergence is [log cosh(epsilon
 *           (a - 1/2)) - log cosh(epsilon/2)]/(a - 1) <= a epsilon tanh(epsilon/2), because
 *           v -> log cosh(epsilon sqrt v) is concave; equality as a -> 1.
 * Rounding  Every number is rounded up; HUGE_VAL: the plan has no such price.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_PLAN_PRICE_H
#define SOT_PRIVACY_ACCOUNTING_PLAN_PRICE_H

#include <sotto/accountant.h>

/* rho of any epsilon-DP release, epsilon tanh(epsilon/2); of the Laplace mechanism, epsilon + e^-epsilon - 1 (Harrison &
 * Manurangsi, FORC 2026). */
double sot_pure_rho_upper(double epsilon);
double sot_laplace_rho_upper(double epsilon);

/* mu of any epsilon-DP release. */
double sot_pure_mu_upper(double epsilon);

/* The largest epsilon whose every release is mu-GDP, rounded down. */
double sot_pure_epsilon_of_mu_lower(double mu);

/* The Renyi divergence at `order` of any epsilon-DP release, and the largest epsilon whose divergence is at most `rdp`,
 * rounded down. */
double sot_pure_rdp_upper(double epsilon, double order);
double sot_pure_epsilon_of_rdp_lower(double rdp, double order);

/* Returns the sum of mu_i^2 over the events: unsampled Gaussian and GDP events and all epsilon-DP
 * events. An (epsilon, delta) event counts as an epsilon-DP release, which it is except with
 * probability delta. */
SOTTO_MUST_CHECK sotto_status sot_price_mu_square(const sotto_plan *plan,
                                                  double *out_mu_square,
                                                  sotto_error *error);

/* The sum of rho_i over the events, (epsilon, delta) events likewise. */
SOTTO_MUST_CHECK sotto_status sot_price_rho(const sotto_plan *plan, double *out_rho,
                                            sotto_error *error);

/* The same with `noise_multiplier` in every event whose noise is open. */
SOTTO_MUST_CHECK sotto_status sot_price_rho_with(const sotto_plan *plan,
                                                 double noise_multiplier, double *out_rho,
                                                 sotto_error *error);

/* The largest mu with which a Gaussian release is (epsilon, delta)-DP, rounded down; 0: none. */
double sot_gaussian_mu_lower(double epsilon, double delta);

#endif
