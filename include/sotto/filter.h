/* sotto/filter.h: budgets and meters for runs whose plans depend on earlier outputs.
 *
 * Idea        A plan's account holds if everything in it was fixed in advance. An analyst who
 *             chooses the next run from the last output needs a filter or an odometer. A filter
 *             has a budget fixed in advance, and refuses runs that would exceed it. An odometer
 *             is a bound that holds at all times together, so it may decide when to stop. The
 *             ledger keeps a filter in a file; these are the same theorems in memory.
 * Theorem     Renyi filter: Feldman & Zrnic, NeurIPS 2021, Thm 4.5. Gaussian filter: Smith &
 *             Thakurta, 2022 (arXiv 2210.17520). Pure filter: Rogers, Roth, Ullman &
 *             Vadhan, NeurIPS 2016, Thm 3.4. Odometer: Ville's inequality for the mixture of
 *             Renyi supermartingales; proof in filter.md.
 * Neighbours  Those of the configuration; plans of the other adjacency are refused.
 * Assumes     (1) A run's plan is fixed, and charged, before the run. (2) Every run on the data
 *             is charged. (3) The accountant's assumptions hold for each plan.
 * Rounding    Prices and sums are rounded up, budgets down.
 *             Docs: filter.md
 */
#ifndef SOTTO_FILTER_H
#define SOTTO_FILTER_H

#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sotto_filter_kind {
    SOTTO_FILTER_UNSET = 0,
    SOTTO_FILTER_RENYI = 1,    /* any plan; sums the divergence at one fixed order */
    SOTTO_FILTER_GAUSSIAN = 2, /* plans that are mu-GDP; sums mu^2, loses nothing */
    SOTTO_FILTER_PURE = 3      /* plans of pure events; sums epsilon, delta is 0 */
} sotto_filter_kind;

typedef struct sotto_filter_config {
    sotto_filter_kind kind;
    sotto_adjacency adjacency;
    double epsilon;   /* of everything the filter lets through, at most 1e6 */
    double delta;     /* the same; 0 for a pure filter */
    double own_delta; /* part of delta set aside for (epsilon, delta) events; 0 at first,
                       * and below delta; of a Renyi filter only */
    double order; /* of a Renyi filter, fixed now: above 1 and at most 1e6; SOTTO_UNSET:
                       * the best for Gaussian noise */
} sotto_filter_config;

/* The state of a filter. Amounts are divergences (Renyi), mu^2 (Gaussian) or epsilons
 * (pure). */
typedef struct sotto_filter_state {
    double order; /* NaN unless Renyi */
    double budget;
    double spent; /* rounded up */
    double left;  /* rounded down */
    double delta_budget;
    double delta_spent; /* rounded up */
    uint64_t charged;   /* plans let through */
} sotto_filter_state;

typedef struct sotto_filter sotto_filter;

/* Nothing that carries privacy is set. */
SOTTO_API sotto_filter_config sotto_filter_defaults(void);

/* Refuses a value out of range, and a target that no budget meets (SOTTO_UNREACHABLE). Free the
 * filter with sotto_filter_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_filter_new(
    const sotto_filter_config *config, sotto_filter **out_filter, sotto_error *error);
SOTTO_API void sotto_filter_free(sotto_filter *filter); /* NULL is fine */

/* Pays for a run that follows this plan. SOTTO_BUDGET_EXCEEDED, and nothing is paid, if the
 * budget does not hold it: the run must not take place. Later, cheaper runs may still fit. All
 * runs that were paid for together are (epsilon, delta)-DP. SOTTO_UNSUPPORTED for a plan that
 * this kind of filter cannot price. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_filter_charge(sotto_filter *filter,
                                                            const sotto_plan *plan,
                                                            sotto_error *error);

/* Where the filter stands. */
SOTTO_API sotto_filter_state sotto_filter_get_state(const sotto_filter *filter);

/* Returns the epsilon at `delta` of any number of adaptively chosen releases. The i-th is
 * epsilon_i-DP, and the sum of squares never exceeds S = `sum_of_squares`. The result is sqrt(2
 * log(1/delta) S) + S/2, rounded up. Whitehouse, Ramdas, Rogers & Wu, ICML 2023, Thm 1. With
 * (epsilon_i, delta_i) releases, add the sum of the delta_i to delta. A Renyi filter gives at
 * most this epsilon; this one needs no order. NaN unless S is at least 0 and delta between 0 and
 * 1. */
SOTTO_API double sotto_filter_epsilon_of_squares(double sum_of_squares, double delta);

typedef struct sotto_odometer sotto_odometer;

/* A meter whose readings hold all at once but for a probability of `delta` in all. `own_delta`,
 * below delta, is the part of it set aside for (epsilon, delta) events. Free it with
 * sotto_odometer_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_odometer_new(sotto_adjacency adjacency,
                                                           double delta, double own_delta,
                                                           sotto_odometer **out_odometer,
                                                           sotto_error *error);
SOTTO_API void sotto_odometer_free(sotto_odometer *odometer); /* NULL is fine */

/* Charges a run that is about to take place. SOTTO_BUDGET_EXCEEDED, and nothing is recorded, if
 * the plan's own deltas exceed the reserved delta: the run must not take place. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_odometer_charge(sotto_odometer *odometer,
                                                              const sotto_plan *plan,
                                                              sotto_error *error);

/* The loss so far, rounded up; 0 before the first run, infinite when no order prices the runs.
 * With probability 1 - delta the privacy loss is at no time above the reading of that time. So an
 * analyst may stop by any stopping time before the reading passes a number fixed in advance. All
 * releases together are then (that number, delta)-DP. */
SOTTO_API double sotto_odometer_epsilon(const sotto_odometer *odometer);

#ifdef __cplusplus
}
#endif

#endif
