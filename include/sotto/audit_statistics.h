/* sotto/audit_statistics.h: lower bounds on epsilon from the results of attacks.
 *
 * Idea        An attack on a release decides whether one record was there. If it is right more
 *             often than the claim allows, the claim is false. These functions turn counts of
 *             right and wrong decisions into lower bounds on epsilon with a stated confidence.
 *             They also turn membership scores into such counts.
 * Theorem     Rates: Clopper & Pearson, Biometrika 1934. (epsilon, delta)-DP bounds rates:
 *             Wasserman & Zhou, JASA 2010. Trade-off curves: Dong, Roth & Su, JRSS B 2022. One
 *             run: Steinke, Nasr & Jagielski, NeurIPS 2023, Thm 5.2. One run with a curve:
 *             Mahloujifar, Melis & Chaudhuri, ICML 2025. Derivations: statistics.md
 * Neighbours  Those of the claim: with and without the record (add-remove), or with one or the other (replace-one).
 * Assumes     (1) The runs of the two worlds are independent, with fresh noise. (2) Threshold,
 *             direction and number of guesses of an attack do not depend on the runs that are
 *             counted. Functions below that choose them use the other half of the runs, or
 *             correct for every choice. (3) One run: each canary was included by its own fair
 *             coin.
 * Rounding    Every `_lower` is rounded down and every `_upper` up: an error makes an audit weaker, never a false
 *             alarm.
 */
#ifndef SOTTO_AUDIT_STATISTICS_H
#define SOTTO_AUDIT_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/curve.h>
#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The largest count. */
#define SOTTO_AUDIT_COUNT_MAX (UINT64_C(1) << 33)

/* One-sided Clopper-Pearson limits of the probability behind k successes of n: each is wrong with probability at most
 * alpha. NaN unless k <= n, 1 <= n <= 2^33 and 0 < alpha < 1. */
SOTTO_API double sotto_audit_rate_lower(uint64_t k, uint64_t n, double alpha);
SOTTO_API double sotto_audit_rate_upper(uint64_t k, uint64_t n, double alpha);

/* ---- many runs, one decision each ---- */

/* Counts of an attack's decisions; a positive is a run flagged as "with the record". */
typedef struct sotto_audit_counts {
    uint64_t true_positives;  /* of the runs with the record */
    uint64_t members;         /* runs with the record */
    uint64_t false_positives; /* of the runs without it */
    uint64_t others;          /* runs without the record */
} sotto_audit_counts;

/* All of it holds at once with probability at least 1 - alpha. */
typedef struct sotto_audit_bounds {
    double true_positive_rate_lower;  /* at alpha/2 */
    double false_positive_rate_upper; /* at alpha/2 */
    double epsilon_lower_accuse; /* log((TPR - delta)/FPR): only the event "flagged" */
    double
        epsilon_lower; /* of it and of log((1 - FPR - delta)/(1 - TPR)), the event "acquitted" */
    double mu_lower; /* of Gaussian DP: Phi^-1(TPR) - Phi^-1(FPR), at least 0 */
    double
        gaussian_epsilon_lower; /* of a mu_lower-GDP release at delta: an extrapolation along the
                                 * Gaussian curve. Valid only for mechanisms with a Gaussian
                                 * curve. NaN if delta is 0 and mu_lower is not */
} sotto_audit_bounds;

/* alpha in (0, 1), delta in [0, 1). */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_audit_bounds_of(const sotto_audit_counts *counts, double alpha, double delta,
                      sotto_audit_bounds *out_bounds, sotto_error *error);

/* Does what was seen contradict a trade-off curve? */
typedef struct sotto_audit_verdict {
    bool
        refuted; /* false_negative_rate_upper < promised: wrong with probability at most alpha */
    double false_positive_rate_upper;
    double false_negative_rate_upper;
    double
        promised; /* the least false negative rate that the claim allows at that false positive rate */
} sotto_audit_verdict;

/* The claim is the curve (sotto/curve.h), which errs on the claim's side. With a plan, the one that the curve was
 * made
 * of, the curve is sharpened at this rate first; NULL: as it is. The sound test of mechanisms whose curve is not
 * Gaussian, sampled ones above all. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_audit_against_curve(
    const sotto_audit_counts *counts, double alpha, sotto_curve *curve,
    const sotto_plan *plan, sotto_audit_verdict *out_verdict, sotto_error *error);

/* The objective of a threshold. */
typedef enum sotto_audit_aim {
    SOTTO_AIM_UNSET = 0,
    SOTTO_AIM_MU = 1,     /* the largest mu_lower */
    SOTTO_AIM_EPSILON = 2 /* the largest epsilon_lower */
} sotto_audit_aim;

/* Counts from scores, one per run, larger where the record seems present. The threshold with the
 * best bound is chosen on the first half of the runs of each world. The counts are of the second
 * halves only (score >= threshold flags the run). Give at least four runs of each world, in the
 * order in which they ran, not sorted. NaN is refused. alpha and delta are those of the bound
 * that will be computed. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_audit_split(
    const double *members, size_t member_count, const double *others, size_t other_count,
    sotto_audit_aim aim, double alpha, double delta, double *out_threshold,
    sotto_audit_counts *out_counts, sotto_error *error);

/* ---- one run, many canaries ---- */

/* Returns an upper bound on the probability of at least `correct` right guesses among
 * `guesses` of `canaries` coins, under (epsilon, delta)-DP. The bound:
 *
 *     f(v) + 2 m delta max_{1 <= i <= v} (f(v - i) - f(v))/i, f(v) = P[Bin(r, 1/(1 + e^-epsilon)) >= v].
 *
 * NaN unless correct <= guesses <= canaries <= 2^33, guesses >= 1, epsilon >= 0, 0 <= delta <=
 * 1. */
SOTTO_API double sotto_audit_one_run_probability(uint64_t canaries, uint64_t guesses,
                                                 uint64_t correct, double epsilon,
                                                 double delta);

/* The largest epsilon found for which that probability is below alpha; 0 if there is none. The number of guesses
 * must have been fixed before the run, or on other canaries. NaN as above, and unless 0 < alpha < 1. */
SOTTO_API double sotto_audit_one_run_epsilon(uint64_t canaries, uint64_t guesses,
                                             uint64_t correct, double delta,
                                             double alpha);

/* The same probability under f-DP, with the trade-off curve of a plan (sotto/curve.h), or under
 * mu-GDP. Mahloujifar, Melis & Chaudhuri, ICML 2025; evaluated by tails (statistics.md). Much
 * tighter than the above for claims that are not one (epsilon, delta). Takes time in proportion
 * to `correct`. NaN as above, and unless mu >= 0. */
SOTTO_API double sotto_audit_one_run_probability_curve(uint64_t canaries,
                                                       uint64_t guesses, uint64_t correct,
                                                       const sotto_curve *curve);
SOTTO_API double sotto_audit_one_run_probability_mu(uint64_t canaries, uint64_t guesses,
                                                    uint64_t correct, double mu);

/* Returns the largest mu found for which that probability is below alpha; 0 if there is none. The
 * claim mu-GDP is refuted, and so is every smaller mu. Valid only for claims of Gaussian DP. See
 * sotto_audit_one_run_epsilon(). */
SOTTO_API double sotto_audit_one_run_mu(uint64_t canaries, uint64_t guesses,
                                        uint64_t correct, double alpha);

/* Valid choices of the number of guesses. */
typedef enum sotto_one_run_choice {
    SOTTO_ONE_RUN_UNSET = 0,
    SOTTO_ONE_RUN_FIXED = 1, /* as many as the caller says */
    SOTTO_ONE_RUN_SPLIT =
        2, /* chosen on every second canary, counted on the others; with a delta at alpha/2. For
            * mu at a share of alpha. The next strategy gives more for mu */
    SOTTO_ONE_RUN_UNION =
        3 /* all of m, m/2, m/4, ... guesses, each at its share of alpha (Bonferroni) */
} sotto_one_run_choice;

typedef struct sotto_one_run {
    uint64_t canaries; /* that were counted */
    uint64_t guesses;
    uint64_t correct;
    double alpha; /* of this number of guesses, and of epsilon */
    double epsilon_lower;
    /* For claims of Gaussian DP, with their own number of guesses. Each of the two claims is
     * wrongly refuted with probability at most alpha; the two together are not. */
    uint64_t mu_guesses;
    uint64_t mu_correct;
    double mu_lower;
} sotto_one_run;

/* Canary i was put in iff included[i]; scores are larger where it seems to be in. The guesses are "in" for the larger
 * half
 * and "out" for the smaller half of the `guesses` most extreme ranks. `guesses` is used by SOTTO_ONE_RUN_FIXED, and 0
 * for the others; equal scores count as guessed wrong first. The order of the canaries is older than their coins. At
 * least
 * 16 canaries; NaN is refused. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_audit_one_run(const double *scores, const bool *included, size_t canaries,
                    sotto_one_run_choice choice, size_t guesses, double delta,
                    double alpha, sotto_one_run *out_result, sotto_error *error);

/* ---- scores of membership ---- */

/* Fit of the confidences phi = log(p/(1 - p)) that shadow models give the true label. */
typedef struct sotto_lira_fit {
    size_t count;
    double mean;
    double median;
    double deviation; /* of the population: divided by count */
} sotto_lira_fit;

/* At least one number; NaN is refused. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_lira_fit_of(const double *values,
                                                          size_t count,
                                                          sotto_lira_fit *out_fit,
                                                          sotto_error *error);

/* One deviation for all examples: the root of the mean squared distance from each example's own mean. For fewer than
 * some 64 shadow models an example. 0 for no example. */
SOTTO_API double sotto_lira_pooled_deviation(const sotto_lira_fit *fits, size_t examples);

typedef enum sotto_lira_centre {
    SOTTO_LIRA_MEAN = 1,
    SOTTO_LIRA_MEDIAN = 2
} sotto_lira_centre;

/* log N(phi; in) - log N(phi; out): Carlini et al., S&P 2022. Deviations are the fits' own, or other ones that are
 * put there (pooled). Deviations below 1e-30 count as that. */
SOTTO_API double sotto_lira_online(double phi, const sotto_lira_fit *in,
                                   const sotto_lira_fit *out, sotto_lira_centre centre);

/* Phi((phi - out)/deviation), one-sided as in the paper; and -log N(phi; out), two-sided as in its code. */
SOTTO_API double sotto_lira_offline(double phi, const sotto_lira_fit *out,
                                    sotto_lira_centre centre);
SOTTO_API double sotto_lira_offline_two_sided(double phi, const sotto_lira_fit *out,
                                              sotto_lira_centre centre);

/* Shadow models that give a label without a confidence. */
typedef struct sotto_lira_labels {
    size_t count;
    size_t right; /* of them, that say the true label */
} sotto_lira_labels;

/* The same with a Bernoulli distribution in place of the normal one, with rate
 * (right + 1)/(count + 2). Online: the logarithm of the ratio of the probabilities of the
 * observed correctness. Offline: P[less right] + P[equally right]/2 of a shadow without the
 * example. */
SOTTO_API double sotto_lira_labels_online(bool right, const sotto_lira_labels *in,
                                          const sotto_lira_labels *out);
SOTTO_API double sotto_lira_labels_offline(bool right, const sotto_lira_labels *out);

/* Zarifzadeh, Liu & Shokri, ICML 2024, offline. The ratio is p / ((1 + a)/2 mean(p_out) + (1 -
 * a)/2); the score is the share of population points z with ratio_x/ratio_z > gamma. */
SOTTO_API double sotto_rmia_ratio(double probability, const double *references,
                                  size_t count, double a);
SOTTO_API double sotto_rmia_score(double ratio, const double *population, size_t count,
                                  double gamma);

/* ---- receiver operating characteristic ---- */

typedef struct sotto_roc sotto_roc;

/* The rates at one threshold: score >= threshold is flagged. */
typedef struct sotto_roc_point {
    double threshold;
    double false_positive_rate;
    double true_positive_rate;
} sotto_roc_point;

/* One point for each different score, from the largest down, and before them (infinity, 0, 0). At least one score
 * each; NaN is refused. Free it with sotto_roc_free(). These are rates as seen: no confidence is claimed. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_roc_new(const double *members, size_t member_count, const double *others,
              size_t other_count, sotto_roc **out_roc, sotto_error *error);
SOTTO_API void sotto_roc_free(sotto_roc *roc); /* NULL is fine */

/* Its points, which are the curve's own. */
SOTTO_API size_t sotto_roc_size(const sotto_roc *roc);
SOTTO_API const sotto_roc_point *sotto_roc_points(const sotto_roc *roc);

/* P[member's score > other's] + P[equal]/2; the largest TPR - FPR; the largest TPR at an FPR of at most `rate`. */
SOTTO_API double sotto_roc_area(const sotto_roc *roc);
SOTTO_API double sotto_roc_advantage(const sotto_roc *roc);
SOTTO_API double sotto_roc_true_positive_rate(const sotto_roc *roc, double rate);

#ifdef __cplusplus
}
#endif
#endif
