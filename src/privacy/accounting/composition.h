/* accounting/composition.h: a plan, compiled: events of one kind merged, ready to be priced. */
#ifndef SOT_ACCOUNTING_COMPOSITION_H
#define SOT_ACCOUNTING_COMPOSITION_H

#include <stdbool.h>

#include <sotto/accountant.h>

#include "privacy/accounting/bracket.h"
#include "privacy/accounting/objective_loss.h"
#include "privacy/accounting/sampled_gaussian.h"

typedef struct sot_pure {
    double epsilon;
    double count;
} sot_pure;

typedef struct sot_composition {
    sot_bracket gaussian_square; /* sum of mu^2 over Gaussian and GDP events */
    double rho_upper;            /* sum of rho over zCDP events */
    sot_sampled *sampled;        /* one entry for each (rate, noise multiplier) */
    size_t sampled_count;
    sot_pure
        *pure; /* one entry for each epsilon; (epsilon, delta) events count here too */
    size_t pure_count;
    sot_objective *objective; /* one entry for each law; none without an atom */
    size_t objective_count;
    bool
        is_loose; /* some event is priced by a worse pair: lower bounds do not hold for it */
    sot_bracket
        failure; /* that some (epsilon, delta) event fails: 1 - prod(1 - delta_i) */
} sot_composition;

/* Open targets of the plan are filled with `noise_multiplier` and `steps` (NaN and 0 when the
 * plan has none). Refuses a plan that still has open targets. */
SOTTO_MUST_CHECK sotto_status sot_composition_new(const sotto_plan *plan,
                                                  double noise_multiplier, uint64_t steps,
                                                  sot_composition **out_composition,
                                                  sotto_error *error);
void sot_composition_free(sot_composition *composition);

/* K(t) = sum of count * log M(t) at real t > 0 for one direction, zCDP events at their bound
 * rho t(t+1) and objective perturbation at its rounded-up value, with a bound on the error. Infinite when it overflows. */
double sot_composition_log_mgf(const sot_composition *composition,
                               sot_direction direction, double t, double *out_error);

/* A certified upper bound of the same, finite unless it overflows: where the quadrature gives
 * up, a closed form speaks for the sampled events. */
double sot_composition_log_mgf_upper(const sot_composition *composition,
                                     sot_direction direction, double t);

/* K(t) without the bound, for searches only. */
double sot_composition_log_mgf_estimate(const sot_composition *composition,
                                        sot_direction direction, double t);

/* True when both directions have the same law, so that one suffices. */
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

/* The zCDP parameter of a zCDP or discrete Gaussian event, and the epsilon of an event priced
 * as pure; rounded up. */
double sot_event_rho(const sotto_event *event);
double sot_event_epsilon(const sotto_event *event);

/* log M(t) of an arbitrary epsilon-DP release (binary randomized response). */
double sot_pure_log_mgf(double epsilon, double t);

#endif
