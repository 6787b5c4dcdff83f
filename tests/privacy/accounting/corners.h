/* tests/privacy/accounting/corners.h: what must hold at every corner of the range of questions.
 *
 * Promise     For a Poisson-sampled or fixed-size Gaussian of rate 1e-9 to 1, noise multiplier 0.3 to 1000, 1 to
 *             1e9 steps, delta down to 1e-30 and epsilon up to 700 the accountant answers, with a finite number that is
 *             not negative; its two ends are in order; it is never above Renyi's bound, nor above the sum of the
 *             steps' epsilons; and it never falls below what one step, or an elementary event, already shows:
 *                 T steps lose at least as much as one (post-processing: forget the others);
 *                 delta(epsilon) >= P(E) - e^epsilon Q(E) for every event E.
 *             The last is computed here from the normal distribution alone.
 */
#ifndef SOTTO_TESTS_CORNERS_H
#define SOTTO_TESTS_CORNERS_H

#include <math.h>

#include "privacy/accounting/plans.h"

typedef struct corner {
    double rate;
    double sigma;
    uint64_t count;
    sotto_adjacency adjacency;
} corner;

static inline sotto_plan *corner_plan(const corner *at)
{
    return plan_under(at->adjacency, sampled(at->rate, at->sigma, at->count));
}

static inline void corner_fails(const corner *at, const char *what, double question,
                                const sotto_account *account)
{
    print_error(
        "%s: %s, rate %g, sigma %g, %llu steps, asked %g: epsilon [%.12g, %.12g], "
        "delta [%.12g, %.12g] by %s\n",
        what, at->adjacency == SOTTO_ADD_REMOVE ? "add-remove" : "replace-one", at->rate,
        at->sigma, (unsigned long long)at->count, question, account->epsilon_lower,
        account->epsilon, account->delta_lower, account->delta,
        sotto_kernel_name(account->kernel));
    fail();
}

/* log of the standard normal's upper tail: by erfc while it is in range, then by the asymptotic series, whose
 * first three terms are good to 15/x^6, below 1e-8 there. */
static inline double corner_log_tail(double x)
{
    if (x < 36.0) return log(0.5 * erfc(x * M_SQRT1_2));
    const double square = 1.0 / (x * x);
    return -0.5 * x * x - 0.918938533204672742 - log(x) +
           log1p(-square * (1.0 - 3.0 * square));
}

/* A lower bound of delta(epsilon) of one step, from the events {y > x}: the best of many x. P =
 * (1-q)N(0) + qN(1); Q = N(0), or (1-q)N(0) + qN(-1) under replace-one; in units of sigma. 1e-6 of it is given up
 * for the rounding of this. */
static inline double corner_delta_below(const corner *at, double epsilon)
{
    const double q = at->rate;
    const double mu = 1.0 / at->sigma;
    double best = 0.0;
    for (double x = -8.0; x < mu + 38.0; x += 0.05) {
        const double none = exp(corner_log_tail(x));
        const double with = exp(corner_log_tail(x - mu));
        /* e^epsilon Q(E), where e^epsilon or Q(E) alone may be out of range */
        double against = exp(epsilon + corner_log_tail(x));
        if (at->adjacency == SOTTO_REPLACE_ONE)
            against = (1.0 - q) * against + q * exp(epsilon + corner_log_tail(x + mu));
        const double excess = (1.0 - q) * none + q * with - against;
        const double size = (1.0 - q) * none + q * with + against;
        best = fmax(best, excess - 1e-12 * size);
    }
    return best * (1.0 - 1e-6);
}

static inline double corner_other(const corner *at, sotto_accountant accountant,
                                  double delta)
{
    sotto_account account;
    sotto_plan *plan = corner_plan(at);
    const sotto_status status =
        sotto_account_epsilon(plan, accountant, delta, &account, NULL);
    sotto_plan_free(plan);
    return status == SOTTO_OK ? account.epsilon : HUGE_VAL;
}

/* Epsilon at one corner, checked; returns the account. */
static inline sotto_account corner_check_epsilon(const corner *at, double delta)
{
    sotto_account account = epsilon_of(corner_plan(at), SOTTO_EXACT, delta);
    if (!isfinite(account.epsilon) || !(account.epsilon >= 0.0) ||
        !(account.epsilon_lower >= 0.0) || account.epsilon_lower > account.epsilon)
        corner_fails(at, "no honest bracket", delta, &account);
    const double most =
        fmin(corner_other(at, SOTTO_RDP, delta), corner_other(at, SOTTO_BASIC, delta));
    if (account.epsilon > most * (1.0 + 1e-12))
        corner_fails(at, "another bound is less", delta, &account);
    /* at the epsilon claimed one step must not already exceed delta */
    if (corner_delta_below(at, account.epsilon) > delta)
        corner_fails(at, "one step shows more", delta, &account);
    return account;
}

static inline sotto_account corner_check_delta(const corner *at, double epsilon)
{
    sotto_account account = delta_of(corner_plan(at), SOTTO_EXACT, epsilon);
    if (!(account.delta >= 0.0 && account.delta <= 1.0) ||
        !(account.delta_lower >= 0.0 && account.delta_lower <= account.delta))
        corner_fails(at, "no honest bracket", epsilon, &account);
    if (account.delta < corner_delta_below(at, epsilon))
        corner_fails(at, "one step shows more", epsilon, &account);
    return account;
}

/* Both ends of two answers of which the second must be the larger: brackets may overlap, never be in
 * the wrong order. */
static inline void corner_check_order(const corner *at, const char *what, double question,
                                      const sotto_account *smaller,
                                      const sotto_account *larger)
{
    if (smaller->epsilon_lower > larger->epsilon * (1.0 + 1e-12))
        corner_fails(at, what, question, larger);
}

typedef struct corner_grid {
    const double *rates, *sigmas, *counts, *deltas, *epsilons;
    size_t rate_count, sigma_count, count_count, delta_count, epsilon_count;
} corner_grid;

/* The whole grid, with monotonicity between its neighbours in each of the four directions: more noise, fewer records,
 * fewer steps and a larger delta lose less. Returns how many answers were checked. */
static inline size_t corner_walk(const corner_grid *grid, sotto_adjacency adjacency)
{
    size_t checked = 0;
    enum { MOST = 512 };
    sotto_account by_rate[MOST]; /* of the rate before, for each (sigma, count, delta) */
    assert_true(grid->sigma_count * grid->count_count * grid->delta_count <= MOST);
    for (size_t r = 0; r < grid->rate_count; r++) {
        sotto_account now[MOST];
        for (size_t s = 0; s < grid->sigma_count; s++) {
            for (size_t t = 0; t < grid->count_count; t++) {
                const corner at = {grid->rates[r], grid->sigmas[s],
                                   (uint64_t)grid->counts[t], adjacency};
                const size_t row = (s * grid->count_count + t) * grid->delta_count;
                for (size_t d = 0; d < grid->delta_count; d++) {
                    const double delta = grid->deltas[d];
                    const size_t i = row + d;
                    now[i] = corner_check_epsilon(&at, delta);
                    checked++;
                    if (d > 0)
                        corner_check_order(&at, "a smaller delta loses less", delta,
                                           &now[i - 1], &now[i]);
                    if (t > 0)
                        corner_check_order(&at, "more steps lose less", delta,
                                           &now[i - grid->delta_count], &now[i]);
                    if (s > 0)
                        corner_check_order(
                            &at, "more noise loses more", delta, &now[i],
                            &now[i - grid->count_count * grid->delta_count]);
                    if (r > 0)
                        corner_check_order(&at, "a larger rate loses less", delta,
                                           &by_rate[i], &now[i]);
                }
                double last_lower = 1.0;
                for (size_t e = 0; e < grid->epsilon_count; e++) {
                    const sotto_account account =
                        corner_check_delta(&at, grid->epsilons[e]);
                    checked++;
                    if (e > 0 && account.delta_lower > last_lower * (1.0 + 1e-12))
                        corner_fails(&at, "a larger epsilon has a larger delta",
                                     grid->epsilons[e], &account);
                    last_lower = account.delta;
                }
            }
        }
        for (size_t i = 0; i < grid->sigma_count * grid->count_count * grid->delta_count;
             i++)
            by_rate[i] = now[i];
    }
    return checked;
}

#endif
