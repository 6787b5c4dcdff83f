/* commands/audit/exact_loss.h: the exact privacy loss of objective perturbation.
 *
 * Idea: the minimiser theta of J_D(t) + b.t has b = -grad J_D(theta). So its density is
 * `p_D(theta) = nu(b_D(theta)) |det Hess J_D(theta)|`, nu that of b. Both worlds' densities are
 * computable, and their log-ratio at released points is the optimal statistic. A pure claim
 * bounds it everywhere; any claim bounds E (1 - e^(epsilon - loss))+.
 *
 * Assumes: the release differs from the minimiser by the correction's noise, a thousandth of its
 * own. The loss is evaluated at the released point, as an attacker would.
 */
#ifndef SOT_COMMANDS_AUDIT_EXACT_LOSS_H
#define SOT_COMMANDS_AUDIT_EXACT_LOSS_H

#include "commands/audit/pairs/study.h"
#include "methods/empirical.h"

typedef struct sot_exact_loss {
    const sot_empirical *empirical; /* borrowed, all of them */
    const sot_matrix *rows[2];      /* 0: out; 1: in */
    sot_empirical_terms terms;
    double sigma; /* of b; NaN: */
    double rate;  /* its density is exp(-rate |b|) */
} sot_exact_loss;

/* Prepares the loss for a laboratory whose method is objective perturbation. */
SOTTO_MUST_CHECK sotto_status sot_exact_loss_of(const sot_laboratory *laboratory,
                                                sot_exact_loss *out_loss,
                                                sotto_error *error);

/* log p_in(theta) - log p_out(theta). */
SOTTO_MUST_CHECK sotto_status sot_exact_loss_at(const sot_exact_loss *loss,
                                                const double *theta, double *out_loss,
                                                sotto_error *error);

/* Estimates delta at epsilon from `losses` of the world "in": the mean of
 * (1 - e^(epsilon - loss))+. The lower bound subtracts the empirical Bernstein bound of
 * Maurer & Pontil (COLT 2009, Thm 4), `sqrt(2 V log(2/alpha)/n) + 7 log(2/alpha)/(3 (n - 1))`. It
 * holds with probability 1 - alpha, and is at least 0. Needs at least two losses. */
void sot_exact_loss_delta(const double *losses, size_t count, double epsilon,
                          double alpha, double *out_mean, double *out_lower);

#endif
