/* sotto/selection_cost.h: the cost of running a private algorithm several times and releasing the
 * best.
 *
 * Idea        Training with k settings and releasing the best run costs almost k runs if k is
 *             fixed. Instead, let the number of runs K be secret, with a suitable distribution,
 *             and release only the best run. The price is then that of two or three runs, for any
 *             mean of K.
 * Theorem     Papernot & Steinke, ICLR 2022, Thm 2 (truncated negative binomial) and Thm 6
 *             (Poisson). The published Thm 6 omits the outcome of zero runs and is false for
 *             means below 1; here it is counted. Proof note: selection.md
 * Neighbours  Those of the plan.
 * Assumes     (1) The plan prices one run, including its score if that uses private data. (2)
 *             Every run samples its setting independently of the data, with replacement, and the
 *             plan covers the most expensive setting. (3) K has exactly the stated distribution
 *             and is independent of everything else. (4) Only the best run is released: not K,
 *             not the other runs, not their scores; if there was no run, a fixed output.
 * Rounding    All costs are upper bounds for the distribution with exactly the parameters in the
 *             struct. Docs: selection.md
 */
#ifndef SOTTO_SELECTION_COST_H
#define SOTTO_SELECTION_COST_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sotto_runs_law {
    SOTTO_RUNS_UNSET = 0,
    SOTTO_RUNS_NEGATIVE_BINOMIAL = 1, /* truncated: at least one run; shape, gamma */
    SOTTO_RUNS_POISSON = 2            /* mean; no run at all is possible */
} sotto_runs_law;

/* The distribution of the number of runs. Fill it in by sotto_runs_from_mean(), or by
 * hand. */
typedef struct sotto_runs {
    sotto_runs_law law;
    double shape; /* eta > -1: 1 is geometric, 0 logarithmic; SOTTO_UNSET for Poisson */
    double
        gamma;   /* between 0 and 1, the smaller the more runs; SOTTO_UNSET for Poisson */
    double mean; /* of Poisson, above 0; SOTTO_UNSET for the negative binomial */
} sotto_runs;

/* Nothing is set. */
SOTTO_API sotto_runs sotto_runs_defaults(void);

/* The distribution with a given mean: above 1 for the negative binomial (for one run none is
 * needed), and at most 1e9. `shape` is from -1, exclusive, to 1e6; it must be SOTTO_UNSET for
 * Poisson. gamma gives the mean to a relative 1e-12. Refuses a shape so close to -1 that gamma
 * underflows. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_runs_from_mean(sotto_runs_law law,
                                                             double shape, double mean,
                                                             sotto_runs *out_runs,
                                                             sotto_error *error);

/* The mean number of runs, rounded up, and the probability of k runs, to a relative 1e-10. NaN
 * for a distribution that sotto_account_selection() would refuse. */
SOTTO_API double sotto_runs_mean(const sotto_runs *runs);
SOTTO_API double sotto_runs_probability(const sotto_runs *runs, uint64_t k);

/* The basis of the price of the best of K runs: the distribution of K, and the plans that
 * one run may have. */
typedef struct sotto_selection {
    sotto_runs runs;
    const sotto_plan *const
        *plans; /* borrowed; of one run with each setting, alike ones once */
    size_t plan_count;
} sotto_selection;

/* The Renyi divergence of the best of K runs of `plan`, at a real order > 1: the least bound of
 * this and all larger orders. (epsilon, delta) events have none: SOTTO_UNSUPPORTED. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_account_selection_rdp(const sotto_plan *plan, const sotto_runs *runs, double order,
                            double *out_rdp_upper, sotto_error *error);

/* The same at several increasing orders, as a curve for an event SOTTO_RDP_CURVE: the best of K
 * runs becomes one line of a larger plan. Each value is the smallest of its own and all later
 * orders' bounds, infinite if there is none. At most SOTTO_CURVE_MAX orders. For pure runs
 * SOTTO_PURE is better, with the epsilon at delta 0 below. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_account_selection_curve(
    const sotto_plan *plan, const sotto_runs *runs, const double *orders, size_t count,
    double *out_rdp_upper, sotto_error *error);

/* The same for runs whose settings are sampled independently of the data, each with its own plan.
 * One run is bounded by the most expensive plan at every order. All plans are for the same
 * neighbours. The bound covers every distribution of the settings. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_account_selection_curve_of(
    const sotto_plan *const *plans, size_t plan_count, const sotto_runs *runs,
    const double *orders, size_t count, double *out_rdp_upper, sotto_error *error);

/* The pure epsilon of the best of K such runs: (2 + shape) times the dearest one for the negative binomial.
 * SOTTO_UNREACHABLE unless all plans are pure. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_account_selection_pure_of(
    const sotto_plan *const *plans, size_t plan_count, const sotto_runs *runs,
    double *out_epsilon_upper, sotto_error *error);

/* Epsilon of the best of K runs at `delta`. delta 0 is for plans of pure events: (2 + shape)
 * epsilon for the negative binomial. The account's order is the order used, its lower bounds
 * are unknown, and its accountant is SOTTO_RDP. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_account_selection(const sotto_plan *plan, const sotto_runs *runs, double delta,
                        sotto_account *out_account, sotto_error *error);

/* Names as the command line spells them; "unknown" for other values. */
SOTTO_API const char *sotto_runs_law_name(sotto_runs_law law);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_runs_law_from_name(const char *name,
                                                                 sotto_runs_law *out_law,
                                                                 sotto_error *error);

#ifdef __cplusplus
}
#endif

#endif
