/* privacy/accounting/plan/composition.h: a plan, compiled: events of one kind merged, ready to be priced. */
#ifndef SOT_PRIVACY_ACCOUNTING_PLAN_COMPOSITION_H
#define SOT_PRIVACY_ACCOUNTING_PLAN_COMPOSITION_H

#include <stdbool.h>

#include <sotto/accountant.h>

#include "privacy/accounting/loss/subsampled.h"
#include "privacy/accounting/objective_loss/loss.h"
#include "privacy/accounting/profile/bracket.h"
#include "privacy/accounting/sampled/gaussian.h"

typedef struct sot_pure {
    double epsilon;
    double count;
} sot_pure;

/* A user's Renyi curve. */
typedef struct sot_curve {
    const sotto_event *event; /* of the plan, which outlives the composition */
    double count;
} sot_curve;

typedef struct sot_composition {
    const sotto_plan *
        plan; /* as it is priced: variants of sampling and groups of rows are replaced (variants.md) */
    sotto_plan *owned;           /* that plan, if it is not the caller's */
    void *block;                 /* holds the lists below */
    sot_bracket gaussian_square; /* sum of mu^2 over Gaussian and GDP events */
    double rho_upper;            /* sum of rho over zCDP events */
    sot_sampled *sampled;        /* one entry for each (rate, noise multiplier) */
    size_t sampled_count;
    sot_pure
        *pure; /* one entry for each epsilon; (epsilon, delta) events count here too */
    size_t pure_count;
    sot_objective *objective; /* one entry for each distribution; none without an atom */
    size_t objective_count;
    sot_law *laws; /* one entry for each distribution with the same loss in both
                    * directions */
    size_t law_count;
    size_t law_rest; /* the distribution with the most points: closed forms end with it */
    sot_law_sum *
        *law_sums; /* for each distribution all its releases, NULL without a closed
                    * form */
    sot_curve *curves;
    size_t curve_count;
    sot_subsampled *subsampled; /* releases on a sample, but for Gaussians */
    size_t subsampled_count;
    bool
        is_loose; /* some event is priced by a worse pair: lower bounds do not hold for it */
    bool is_rounded; /* some epsilon of `pure` is a quotient, rounded up */
    sot_bracket
        failure; /* that some (epsilon, delta) event fails: 1 - prod(1 - delta_i) */
} sot_composition;

/* Open targets of the plan are filled with `noise_multiplier` and `steps` (NaN and 0 when the
 * plan has none). Refuses a plan that still has open targets. */
SOTTO_MUST_CHECK sotto_status sot_composition_new(const sotto_plan *plan,
                                                  double noise_multiplier, uint64_t steps,
                                                  sot_composition **out_composition,
                                                  sotto_error *error);
/* The same for one question to the exact accountant. Its closed form for a training needs no
 * hull, which takes longer than the answer. Without a hull every bound holds, and Renyi bounds
 * are looser. */
SOTTO_MUST_CHECK sotto_status sot_composition_new_for_exact(
    const sotto_plan *plan, double noise_multiplier, uint64_t steps,
    sot_composition **out_composition, sotto_error *error);
void sot_composition_free(sot_composition *composition);

/* True if some event is known only by its Renyi divergence: zCDP and curves. */
bool sot_composition_is_renyi(const sot_composition *composition);

/* The largest order minus 1 at which all curves are finite; infinite without curves. */
double sot_composition_t_max(const sot_composition *composition);

/* Returns K(t) = sum of count * log M(t) at real t > 0 for one direction, with a bound on the
 * error. Events of zCDP enter by their bound rho t(t+1), objective perturbation by its rounded-up
 * value. Infinite if it overflows. */
double sot_composition_log_mgf(const sot_composition *composition,
                               sot_direction direction, double t, double *out_error);

/* Returns t times a certified upper bound on the Renyi divergence of order t + 1, finite unless
 * it overflows. Where a quadrature fails, a closed form replaces it. The value is at most K(t).
 * It is less with events of bounded range, whose worst pair depends on the order. */
double sot_composition_log_mgf_upper(const sot_composition *composition,
                                     sot_direction direction, double t);

/* The two without the bounds, for searches only. */
double sot_composition_log_mgf_estimate(const sot_composition *composition,
                                        sot_direction direction, double t);
double sot_composition_renyi_estimate(const sot_composition *composition, double t);

/* True when some event is of bounded range: Renyi's bound may then beat the exact composition of pairs. */
bool sot_composition_has_range(const sot_composition *composition);

/* True if both directions have the same distribution, so one is enough. */
int sot_composition_is_symmetric(const sot_composition *composition);

/* The delta left for the finite part when the whole may have `delta`: rounded down. 0 when the
 * events' own deltas use it up, negative when they exceed it. */
double sot_composition_finite_delta(const sot_composition *composition, double delta);

/* The whole's delta from the finite part's bracket. */
sot_bracket sot_composition_whole_delta(const sot_composition *composition,
                                        sot_bracket finite);

/* The noise multiplier of a Gaussian event, `noise_multiplier` if its own is open, and at most
 * scale/sensitivity if those are stated. NaN when still open. */
double sot_event_sigma(const sotto_event *event, double noise_multiplier);

/* Return the zCDP parameter of a zCDP or discrete Gaussian event, and the epsilon of an event
 * that is epsilon-DP (up to its delta), amplified by its sampling. The last returns that delta.
 * All are rounded up. An epsilon is NaN while the noise is open. */
double sot_event_rho(const sotto_event *event);
double sot_event_epsilon(const sotto_event *event, double noise_multiplier);
double sot_event_delta(const sotto_event *event);

/* True for events whose loss is a sot_law, which is then written, with count 1. */
bool sot_event_law(const sotto_event *event, sotto_adjacency adjacency,
                   double noise_multiplier, sot_law *out_law);

/* True for events on a random sample, but Gaussians, whose release on all records has a pair with a table. It is then
 * written, with count 1 and without the table. */
bool sot_event_subsampled(const sotto_event *event, sotto_adjacency adjacency,
                          double noise_multiplier, sot_subsampled *out_release);

/* True if the pair by which an event is priced is worse than the event's own. A lower bound on
 * the pair's loss is then none for the event. Discrete Laplace noise that one record moves by one
 * step of the grid, and two-way randomized response, are binary randomized response itself. */
bool sot_event_is_loose(const sotto_event *event, bool has_law,
                        const sot_subsampled *sampled);

/* Returns the bound (order - 1) * divergence of a curve at order t + 1, rounded up. It is a chord
 * between the listed orders, since the exact function is convex. Infinite beyond the last. */
double sot_curve_log_mgf_upper(const sotto_event *event, double t);

/* True for the mechanisms whose noise_multiplier `noise` may search for. */
int sot_event_takes_noise(sotto_mechanism mechanism);

/* True for mechanisms whose noise has a scale in units of the query: the search finds scale/sensitivity. */
int sot_event_takes_scale(sotto_mechanism mechanism);

/* True if sotto_account_noise() has to find the event's noise. */
int sot_event_noise_is_open(const sotto_event *event);

/* True for Poisson sampling and its variants, whose rate `rate` may search for. */
bool sot_sampling_has_rate(sotto_sampling sampling);

/* The probability that a record takes part, rounded up; 1 when not sampled. */
double sot_event_rate(const sotto_event *event);

/* log M(t) of an arbitrary epsilon-DP release (binary randomized response). */
double sot_pure_log_mgf(double epsilon, double t);

#endif
