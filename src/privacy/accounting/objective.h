/* accounting/objective.h: what the minimiser of a randomly tilted objective reveals.
 *
 * theta* = argmin sum of losses + (lambda/2)|theta|^2 + b.theta, b random. One record's gradient
 * is at most `record_bound` (R; logistic loss: the norm bound of a row). `record_bound`, `lambda`
 * and the noise are in sum units. rho = R^2/lambda, a = R/sigma, kappa = max(0, rho - a^2/2).
 *
 * Shape of the sharp Gaussian claim: "delta(epsilon) <= G(A, epsilon) for every epsilon >= atom",
 * G the Gaussian profile. Because hockey-stick curves are convex in e^epsilon, this is the same as:
 * the pair is dominated by the privacy loss max(t, atom), t ~ N(A^2/2, A^2), an atom and a tail.
 * So an event has two numbers, noise_multiplier = 1/A and atom, and composes like any other.
 *
 * A unit of k rows (k = 1: a row), by a chain of one-row steps (objective.md has the proofs):
 *     add-remove    A = k a     atom = k kappa + k (k - 1) a^2 / 2
 *     replace-one   A = 2 k a   atom = max(k (2 k - 1) a^2, 2 k kappa - k a^2)
 * Pure, density of b proportional to exp(-e |b| / R), m = max over s in [0,1] of
 * log(1 + s (1 - s) rho) + e s:    add-remove k m,    replace-one k (e + m).
 */
#ifndef SOT_ACCOUNTING_OBJECTIVE_H
#define SOT_ACCOUNTING_OBJECTIVE_H

#include <stdint.h>

#include <sotto/accountant.h>

/* The theorems, each with what it needs. */
typedef enum sot_objective_theorem {
    SOT_OBJECTIVE_SHARP = 1,     /* logistic loss: f'' <= |f'| (1 - |f'|) R^2 */
    SOT_OBJECTIVE_CHAUDHURI = 2, /* pure, replace-one, one row a unit */
    SOT_OBJECTIVE_KIFER = 3,     /* pure or Gaussian, add-remove, one row a unit */
    SOT_OBJECTIVE_REDBERG = 4    /* Gaussian, add-remove, one row a unit, lambda > beta */
} sot_objective_theorem;

typedef struct sot_objective_law {
    sot_objective_theorem theorem;
    sotto_adjacency adjacency;
    uint64_t unit_rows;  /* k >= 1 */
    double record_bound; /* R */
    double smoothness;   /* beta: R^2/4 for the logistic loss */
    double lambda;
    double sigma;          /* Gaussian b: standard deviation; SOTTO_UNSET: pure */
    double rate;           /* pure b: e, of exp(-e |b| / R); SOTTO_UNSET: Gaussian */
    double epsilon, delta; /* KIFER, REDBERG, CHAUDHURI: the claim; else SOTTO_UNSET */
} sot_objective_law;

/* The event of the exact minimiser, rounded outward: SOTTO_OBJECTIVE_PERTURBATION (sharp,
 * Gaussian), SOTTO_PURE or SOTTO_APPROXIMATE. Refuses what the theorem does not cover, naming the
 * value and the least that would do. Purpose and count are the caller's. */
SOTTO_MUST_CHECK sotto_status sot_objective_event(const sot_objective_law *law,
                                                  sotto_event *out_event,
                                                  sotto_error *error);

/* The least lambda with which the sharp rule covers (epsilon, delta), from public numbers, a
 * little above R^2/epsilon (add-remove, k = 1): see objective.md for the margin. */
SOTTO_MUST_CHECK sotto_status sot_objective_least_lambda(const sot_objective_law *law,
                                                         double epsilon, double delta,
                                                         double *out_lambda,
                                                         sotto_error *error);

/* Fills law->sigma (delta > 0) or law->rate (delta 0) and, for the named theorems, law->lambda if
 * it is below what they ask for, so that the exact minimiser AND a correction that is
 * (correction_mu)-GDP with mu = correction_share * A (Gaussian) or correction_share * epsilon pure
 * stay within (epsilon, delta). Least noise, rounded up. For SHARP law->lambda must be set. */
SOTTO_MUST_CHECK sotto_status sot_objective_calibrate(sot_objective_law *law,
                                                      double epsilon, double delta,
                                                      double correction_share,
                                                      sotto_error *error);

#endif
