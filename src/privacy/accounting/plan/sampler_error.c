/* The price of noise that differs from the theorem's distribution.
 *
 * Claim       Let the ideal plan M be (epsilon, delta')-DP and let the plan as run, N, be within
 *             total variation tau of M on every data set. Then N is
 *             (epsilon, delta' + (1 + e^epsilon) tau)-DP.
 * Proof       P[N(D) in S] <= P[M(D) in S] + tau <= e^epsilon P[M(D') in S] + delta' + tau
 *                          <= e^epsilon (P[N(D') in S] + tau) + delta' + tau.
 *             Over many samples the errors add: replace the samples one at a time. A coupling of
 *             each sample, given the past, fails with probability at most its error.
 * Search      epsilon must satisfy epsilon(delta - (1 + e^epsilon) tau) <= epsilon. The search
 *             tries guesses g. Any epsilon' = epsilon(delta - (1 + e^g) tau) <= g is valid, since
 *             (1 + e^epsilon') tau <= (1 + e^g) tau. Guesses are the last answer, enlarged by a
 *             margin that doubles, from 1e-9.
 * Lower       Conversely, M is (epsilon, delta + (1 + e^epsilon) tau)-DP if N is (epsilon,
 *             delta)-DP. So N's epsilon is at least M's at delta + (1 + e^upper) tau. */
#include <math.h>

#include <sotto/accountant.h>

#include "base/error.h"
#include "numeric/outward.h"

/* (1 + e^epsilon) tau, rounded up. */
static double error_in_delta(double epsilon, double sampler_error)
{
    return sot_mul_up(sot_add_up(1.0, sot_exp_up(epsilon)), sampler_error);
}

static sotto_status unreachable(double delta, double sampler_error, sotto_error *error)
{
    return sot_fail(error, SOTTO_UNREACHABLE,
                    "delta %g leaves no room for the sampler's total-variation error %g; "
                    "give a larger delta or use exact samplers",
                    delta, sampler_error);
}

static sotto_status solve(const sotto_plan *plan, sotto_accountant accountant,
                          double delta, double sampler_error, double first_epsilon,
                          sotto_account *out_account, sotto_error *error)
{
    enum { TRIES = 64 };
    double guess = first_epsilon;
    for (int i = 0; i < TRIES; i++) {
        guess = sot_widen_up(guess, ldexp(1e-9, i)) + ldexp(1e-12, i);
        const double left = sot_sub_down(delta, error_in_delta(guess, sampler_error));
        if (!(left > 0.0)) break;
        sotto_account account;
        const sotto_status status =
            sotto_account_epsilon(plan, accountant, left, &account, error);
        if (status == SOTTO_UNREACHABLE) break;
        if (status != SOTTO_OK) return status;
        if (account.epsilon <= guess) {
            *out_account = account;
            return SOTTO_OK;
        }
        guess = account.epsilon;
    }
    return unreachable(delta, sampler_error, error);
}

sotto_status sotto_account_epsilon_inexact(const sotto_plan *plan,
                                           sotto_accountant accountant, double delta,
                                           double sampler_error,
                                           sotto_account *out_account, sotto_error *error)
{
    if (!(sampler_error >= 0.0 && sampler_error <= 1.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "sampler_error is %g; give a total-variation error from 0 to 1",
                        sampler_error);
    }
    if (sampler_error > 0.0 && delta == 0.0) {
        return unreachable(delta, sampler_error, error);
    }
    sotto_account ideal;
    sotto_status status = sotto_account_epsilon(plan, accountant, delta, &ideal, error);
    if (status != SOTTO_OK) return status;
    if (sampler_error == 0.0) {
        *out_account = ideal;
        return SOTTO_OK;
    }
    sotto_account account;
    status =
        solve(plan, accountant, delta, sampler_error, ideal.epsilon, &account, error);
    if (status != SOTTO_OK) return status;

    account.delta = delta;
    if (!isnan(account.epsilon_lower)) {
        const double raised =
            sot_add_up(delta, error_in_delta(account.epsilon, sampler_error));
        account.epsilon_lower = 0.0;
        if (raised < 1.0) {
            status = sotto_account_epsilon(plan, accountant, raised, &ideal, error);
            if (status != SOTTO_OK) return status;
            account.epsilon_lower = ideal.epsilon_lower;
        }
    }
    *out_account = account;
    return SOTTO_OK;
}
