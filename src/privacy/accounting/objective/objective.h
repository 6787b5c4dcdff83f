/* privacy/accounting/objective/objective.h: the privacy loss of the minimiser of an objective with a random linear term.
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
 * For the logistic loss the event states `theorem` too, SOTTO_FROZEN_SLOPE unless is_former: smaller bounds of the same
 * release below the atom, and in composition (privacy/accounting/objective_loss/frozen_slope.md).
 *
 * For other losses of one margin (VERTICES) too: the event states C, the signs of a slope and the rows of a unit.
 *
 * Without that theorem, and for softmax of three classes or more, the event has shift = C and vertices = m. The claim is
 * "delta(epsilon) <= m G(A, epsilon - C) for every epsilon >= atom". C is the cost of the determinant, m the number of
 * vertices to which the gradient of one record may be pushed (objective.md, section 7).
 *
 * A unit of k rows (k = 1: a row), logistic loss, by a chain of one-row steps (objective.md has the proofs):
 *     add-remove    A = k a     atom = k kappa + k (k - 1) a^2 / 2
 *     replace-one   A = 2 k a   atom = max(k (2 k - 1) a^2, 2 k kappa - k a^2)
 * Pure, density of b proportional to exp(-e |b| / R), m = max over s in [0,1] of
 * log(1 + s (1 - s) rho) + e s:    add-remove k m,    replace-one k (e + m).
 */
#ifndef SOT_PRIVACY_ACCOUNTING_OBJECTIVE_OBJECTIVE_H
#define SOT_PRIVACY_ACCOUNTING_OBJECTIVE_OBJECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>

/* The theorems, each with its conditions. Published ones are about losses of one margin, but for
 * Kifer's pure one. */
typedef enum sot_objective_theorem {
    SOT_OBJECTIVE_SHARP = 1,     /* logistic loss: f'' <= |f'| (1 - |f'|) R^2 */
    SOT_OBJECTIVE_CHAUDHURI = 2, /* pure, replace-one, one row per unit */
    SOT_OBJECTIVE_KIFER = 3,     /* pure or Gaussian, add-remove, one row per unit */
    SOT_OBJECTIVE_REDBERG = 4, /* Gaussian, add-remove, one row per unit, lambda > beta */
    SOT_OBJECTIVE_VERTICES =
        5, /* one margin per row, or softmax: gradients in a public polytope */
    SOT_OBJECTIVE_GENERAL = 6 /* any smooth convex loss; Gaussian: needs the dimension */
} sot_objective_theorem;

typedef struct sot_objective_law {
    sot_objective_theorem theorem;
    sotto_adjacency adjacency;
    uint64_t unit_rows;  /* k >= 1 */
    double record_bound; /* L: R for the logistic loss, sqrt(2) R for softmax */
    double smoothness;   /* beta: R^2/4 for the logistic loss */
    size_t rank;         /* of one record's Hessian, at most; 0 means 1 */
    double trace;        /* of it, at most; not above 0: rank * smoothness */
    bool one_signed;     /* VERTICES: one margin, and its slope has one sign */
    size_t classes;      /* VERTICES: of softmax; 0 or 1: one margin */
    size_t dimension;    /* GENERAL with Gaussian noise: of theta */
    bool
        is_former; /* Gaussian: without the theorem of privacy/accounting/objective_loss/frozen_slope.md */
    double
        floor; /* VERTICES, two-signed, add-remove, without that theorem: losses below it
                     count as it, for which one vertex is enough above; not above 0: no
                     floor, two vertices; set by sot_objective_calibrate() */
    double lambda;
    double sigma;          /* Gaussian b: standard deviation; SOTTO_UNSET: pure */
    double rate;           /* pure b: e, of exp(-e |b| / R); SOTTO_UNSET: Gaussian */
    double epsilon, delta; /* KIFER, REDBERG, CHAUDHURI, and GENERAL with Gaussian noise:
                              the claim; else SOTTO_UNSET */
} sot_objective_law;

/* The largest number of rows of a unit. */
#define SOT_OBJECTIVE_UNIT_ROWS_MAX 1000000

/* The part of the budget that the second release, which covers the solver's error, takes by
 * default: a thousandth, so that the first one has 1 - 2^-21 of all noise to itself. */
#define SOT_OBJECTIVE_CORRECTION_SHARE 0x1p-10

/* The part of epsilon that the determinant takes at the least lambda of the theorems that have to
 * pay for it (VERTICES, GENERAL): more lambda is less determinant and less noise. */
#define SOT_OBJECTIVE_DETERMINANT_SHARE 0.125

/* A distribution with nothing set. */
sot_objective_law sot_objective_law_defaults(void);

/* The change of the log-determinant by one unit of the Hessian, at most: k rank log(1 + beta/lambda), or
 * less where the trace is known. */
double sot_objective_log_determinant_upper(const sot_objective_law *law);

/* The event of the exact minimiser, rounded outward: SOTTO_OBJECTIVE_PERTURBATION (sharp or
 * vertices, Gaussian), SOTTO_PURE or SOTTO_APPROXIMATE. Refuses settings that the theorem does not cover, and
 * names the value and the smallest that it covers. Purpose and count are the caller's. */
SOTTO_MUST_CHECK sotto_status sot_objective_event(const sot_objective_law *law,
                                                  sotto_event *out_event,
                                                  sotto_error *error);

/* The least lambda with which the theorem covers (epsilon, delta) at no cost to the noise, from
 * public numbers; a delta of 0 asks for pure noise. Sharp, add-remove, k = 1: R^2 over epsilon +
 * a^2/2 less a margin of about a thousandth of epsilon, which leaves room for a correction of
 * SOT_OBJECTIVE_CORRECTION_SHARE (objective.md, section 5). For VERTICES and GENERAL no lambda is
 * free: the one with which the determinant takes SOT_OBJECTIVE_DETERMINANT_SHARE of epsilon, and at most 1.
 * law->lambda and the noise need not be set. */
SOTTO_MUST_CHECK sotto_status sot_objective_least_lambda(const sot_objective_law *law,
                                                         double epsilon, double delta,
                                                         double *out_lambda,
                                                         sotto_error *error);

/* Fills law->sigma (delta > 0) or law->rate (delta 0) and, for the named theorems, the claim and
 * law->lambda if it is unset or below sot_objective_least_lambda(), so that the exact minimiser AND
 * the correction of sot_objective_correction() stay within (epsilon, delta): the account of the
 * two events is at most epsilon. Least noise, to a relative 1e-9, rounded up. For SHARP and
 * VERTICES law->lambda must be set, law->floor is set where it applies; a lambda below the least one costs noise, and is refused where no noise
 * would do. correction_share is from 0 to 1/2. */
SOTTO_MUST_CHECK sotto_status sot_objective_calibrate(sot_objective_law *law,
                                                      double epsilon, double delta,
                                                      double correction_share,
                                                      sotto_error *error);

/* The privacy loss that the release beside a calibrated distribution may have, rounded down: out_mu (it is mu-GDP, mu =
 * correction_share * A, A = R/sigma for the named theorems) if b is Gaussian, out_epsilon
 * (pure, correction_share of the event's epsilon) if not; the other is SOTTO_UNSET. */
SOTTO_MUST_CHECK sotto_status sot_objective_correction(const sot_objective_law *law,
                                                       double correction_share,
                                                       double *out_mu,
                                                       double *out_epsilon,
                                                       sotto_error *error);

#endif
