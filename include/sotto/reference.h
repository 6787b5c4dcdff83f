/* sotto/reference.h: textbook bounds for a plan, for comparison with the certified answer.
 *
 * Idea        Composition theorems, amplification by sampling, and the noise calibrations of a
 *             course on private learning (Di Wang, lecture 15: DP-GD, DP-SGD, moments
 *             accountant). Each is evaluated as stated, with its conditions checked.
 * Theorem     Named at each value below; reference.md has the statements, the
 *             corrections and the proofs that are not in the papers.
 * Neighbours  Those of the plan. The calibrations are relative to the reference norm of
 *             accounting.md.
 * Assumes     The assumptions of the theorem; other plans are refused with the reason.
 * Rounding    Values with `is_guarantee` set are rounded up. The others are formulas evaluated to
 *             nearest: THEY ARE NO GUARANTEE and may be below the true loss.
 */
#ifndef SOTTO_REFERENCE_H
#define SOTTO_REFERENCE_H

#include <stdint.h>

#include <sotto/accountant.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sotto_reference {
    /* The plan as mu-GDP in the limit of many small steps, mu^2 = sum of T q^2 (e^(1/sigma^2)
     * - 1): Bu, Dong, Long & Su, HDSR 2020. An approximation, not a guarantee. */
    SOTTO_REFERENCE_CENTRAL_LIMIT = 1,
    /* The moments accountant with the leading term q^2 lambda (lambda + 1)/((1 - q) sigma^2) of
     * Abadi et al., CCS 2016, Lemma 3. Lecture 15: Lemma 15.10, formula 15.16. Its O() is
     * dropped: not a guarantee. */
    SOTTO_REFERENCE_MOMENTS_LEADING_TERM = 2,
    /* Advanced composition as taught (lecture 15, Lemma 15.2, corrected): epsilon below 1, in the
     * single term 2 sqrt(2 log(1/d') sum e_i^2). */
    SOTTO_REFERENCE_ADVANCED_LECTURE = 3,
    /* Kairouz, Oh & Viswanath, ICML 2015, Thms 3.4 and 3.5: their closed form. */
    SOTTO_REFERENCE_OPTIMAL_SIMPLE = 4,
    /* Kairouz, Oh & Viswanath, ICML 2015, Thm 3.3: multiples of the events' common epsilon. */
    SOTTO_REFERENCE_OPTIMAL_GRID = 5
} sotto_reference;

typedef struct sotto_reference_value {
    double epsilon_said; /* the value of the formula; no bound unless is_guarantee */
    double delta;        /* as asked */
    double mu;           /* of the central limit; NaN for the others */
    double lambda;       /* the moment used by the leading term; NaN for the others */
    int is_guarantee;    /* 1: the plan is (epsilon_said, delta)-DP */
    sotto_reference reference;
} sotto_reference_value;

/* Evaluates a reference for a plan at `delta`. SOTTO_UNSUPPORTED, with the reason, for plans its
 * conditions exclude. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_reference_epsilon(const sotto_plan *plan, sotto_reference reference, double delta,
                        sotto_reference_value *out_value, sotto_error *error);

/* The name the command line uses ("gdp-clt", ...), and one line for people; "unknown" for other
 * values. */
SOTTO_API const char *sotto_reference_name(sotto_reference reference);
SOTTO_API const char *sotto_reference_label(sotto_reference reference);

/* Amplification by sampling (Balle, Barthe & Gaboardi, NeurIPS 2018, Thms 8 and 9). An
 * (epsilon, delta)-DP release, run on a sample, is (log(1 + q (e^epsilon - 1)), q delta)-DP.
 * Under add-remove, q is the rate of Poisson sampling. Under replace-one, q is batch over
 * population, for batches without replacement. The release itself must be private under the
 * same adjacency. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_amplify_by_sampling(double epsilon, double delta, double rate, double *out_epsilon,
                          double *out_delta, sotto_error *error);

/* Group privacy (Dwork & Roth 2014, Thm 2.2, and its proof for a delta). Let a release be (epsilon, delta)-DP
 * for one row. For a unit of k = `rows` rows it is (k epsilon, delta (1 + e^epsilon + ... + e^{(k-1) epsilon}))-DP.
 * The adjacency of rows is the same. A delta of 1 or more is SOTTO_UNREACHABLE. Events with their own `rows` cost less. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_group_privacy(double epsilon, double delta,
                                                            uint64_t rows,
                                                            double *out_epsilon,
                                                            double *out_delta,
                                                            sotto_error *error);

/* The course's calibrations of T = `steps` noisy gradient steps, as noise multipliers.
 * Only DP-GD and corrected DP-SGD are theorems. sotto_account_epsilon() computes the true
 * cost of any of them. */
typedef enum sotto_lecture_noise {
    /* Lemma 15.1: `sigma^2 = 64 L^2 T log(2/delta) log(2.5 T/delta)/(n^2 epsilon^2)`,
     * over the sensitivity 2L/n of the mean gradient. Every record in every step: rate is
     * 1. */
    SOTTO_LECTURE_DP_GD = 1,
    /* Lemma 15.5 as printed: the same times q, log(2.5 T q/delta); q = 1/n for single records. It
     * takes log(1 + x/q) for x/q, so that its own proof fails for few steps. */
    SOTTO_LECTURE_DP_SGD = 2,
    /* Lemma 15.5 with amplification inverted exactly, where the Gaussian lemma (epsilon below 1)
     * holds. */
    SOTTO_LECTURE_DP_SGD_CORRECTED = 3,
    /* Theorem 15.8 with epsilon^2, as in its proof. The multiplier is c q sqrt(T
     * log(1/delta))/epsilon with c = 2, the proof's constant for the leading term of 15.16. The
     * theorem names no constant. */
    SOTTO_LECTURE_MOMENTS = 4
} sotto_lecture_noise;

/* SOTTO_UNSUPPORTED where the statement's conditions fail. Conditions: epsilon is strictly
 * between 0 and 1 (all but Theorem 15.8). The rate is below 1 for a lemma about sampling, and 1
 * for DP-GD. No logarithm is negative. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_lecture_noise_multiplier(
    sotto_lecture_noise lemma, double epsilon, double delta, double rate, uint64_t steps,
    double *out_noise_multiplier, sotto_error *error);

/* "lemma-15.1" and the like; "unknown" for other values. */
SOTTO_API const char *sotto_lecture_noise_name(sotto_lecture_noise lemma);

#ifdef __cplusplus
}
#endif
#endif
