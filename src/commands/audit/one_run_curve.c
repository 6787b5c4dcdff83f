/* Many canaries in one run, against a trade-off curve: statistics.md has the proof. */
#include <math.h>

#include <sotto/audit_statistics.h>

#include "commands/audit/scores.h"
#include "numeric/outward.h"
#include "numeric/proportion.h"
#include "numeric/special.h"

/* ---- curves ---- */

/* The least probability that an event has in one world if it has y in the other; rounded down, not falling in y. */
typedef double (*least_rate)(const void *claim, double y);

/* 1 - y is rounded up, and the curve falls. */
static double least_of_curve(const void *claim, double y)
{
    const sotto_curve *curve = claim;
    return fmax(0.0, sotto_curve_trade_off(curve, fmin(1.0, sot_sub_up(1.0, y))));
}

/* Phi(Phi^-1(y) - mu); errors of 2e-15 and 1.5e-15 (special.h). */
static double least_of_mu(const void *claim, double y)
{
    const double *mu = claim;
    if (!(y > 0.0)) return 0.0;
    const double at = sot_widen_down(sot_normal_quantile(fmin(y, 1.0)), 3e-15);
    return fmax(0.0, sot_widen_down(sot_ndtr(sot_sub_down(at, *mu)), 2e-15));
}

/* ---- the probability ---- */

typedef struct experiment {
    double canaries, guesses, correct;
    least_rate least;
    const void *claim;
} experiment;

/* True if P[>= correct] >= `tail` would need a total probability above 1. Q_i are the smallest
 * tails P[>= i] that the claim allows, from i = correct down. Everything is rounded down, and
 * increasing in its inputs. */
static bool is_too_much(const experiment *at, double tail)
{
    double least = tail; /* Q_(i + 1) */
    double above = 0.0;  /* the sum of Q_l, l > i + 1 */
    for (double i = at->correct - 1.0; i >= 0.0 && least <= 1.0; i -= 1.0) {
        const double right =
            sot_div_down(sot_add_down(sot_mul_down(i + 1.0, least), above), at->canaries);
        above = sot_add_down(above, least);
        const double wrong = sot_mul_down(at->canaries, at->least(at->claim, right));
        least = fmax(least, sot_div_down(sot_add_down(above, wrong), at->guesses - i));
    }
    return least > 1.0;
}

/* The least tail found that is too much. */
static double probability_upper(const experiment *at)
{
    double log_low = log(1e-300), log_high = 0.0;
    if (at->correct == 0.0) return 1.0;
    if (is_too_much(at, exp(log_low))) return exp(log_low);
    for (int i = 0; i < 60 && log_high - log_low > 1e-12; i++) {
        const double middle = 0.5 * (log_low + log_high);
        if (is_too_much(at, exp(middle)))
            log_high = middle;
        else
            log_low = middle;
    }
    return log_high == 0.0 ? 1.0 : exp(log_high);
}

static experiment experiment_of(uint64_t canaries, uint64_t guesses, uint64_t correct,
                                least_rate least, const void *claim)
{
    return (experiment){.canaries = (double)canaries,
                        .guesses = (double)guesses,
                        .correct = (double)correct,
                        .least = least,
                        .claim = claim};
}

double sotto_audit_one_run_probability_curve(uint64_t canaries, uint64_t guesses,
                                             uint64_t correct, const sotto_curve *curve)
{
    if (!sot_one_run_counts(canaries, guesses, correct)) return SOTTO_UNSET;
    const experiment at =
        experiment_of(canaries, guesses, correct, least_of_curve, curve);
    return probability_upper(&at);
}

double sotto_audit_one_run_probability_mu(uint64_t canaries, uint64_t guesses,
                                          uint64_t correct, double mu)
{
    if (!sot_one_run_counts(canaries, guesses, correct) || !(mu >= 0.0))
        return SOTTO_UNSET;
    const experiment at = experiment_of(canaries, guesses, correct, least_of_mu, &mu);
    return probability_upper(&at);
}

/* ---- the largest mu that is refuted ---- */

/* More than any release that is worth an audit: all of 2^33 guesses right show less than 16. */
#define MU_MOST 64.0

double sotto_audit_one_run_mu(uint64_t canaries, uint64_t guesses, uint64_t correct,
                              double alpha)
{
    if (!sot_one_run_counts(canaries, guesses, correct) || !(alpha > 0.0 && alpha < 1.0))
        return SOTTO_UNSET;
    double mu = 0.0, lower = 0.0, upper = 1.0;
    const experiment at = experiment_of(canaries, guesses, correct, least_of_mu, &mu);
    /* Guesses by tossing coins are 0-GDP: if they do as well with probability alpha, nothing is refuted. */
    if (correct == 0 || sot_binomial_tail_upper(guesses, 0.5, correct) >= alpha ||
        !is_too_much(&at, alpha))
        return 0.0;
    for (mu = upper; mu < MU_MOST && is_too_much(&at, alpha); mu = upper) {
        lower = upper;
        upper *= 2.0;
    }
    /* Refuted at the lower end, and not at the upper. */
    for (int i = 0; i < 40 && upper - lower > 1e-6 * upper; i++) {
        mu = 0.5 * (lower + upper);
        if (is_too_much(&at, alpha))
            lower = mu;
        else
            upper = mu;
    }
    return lower;
}
