/* privacy/mechanisms/posterior/posterior.h: release samples from a tempered posterior, or from
 * the regularised exponential mechanism.
 *
 * Idea        theta is sampled with density proportional to
 *             `exp(-beta sum of losses - (lambda/2)|theta - centre|^2)` on the ball
 *             |theta| <= ball. The randomness of the sample itself protects the records: one of
 *             them changes the potential little. A computer only approximates such a sample:
 *             within `distance` of it, except with probability `sampler_error`. So the
 *             approximation is clipped to a public box, rounded to a grid, and gets a little
 *             noise (privacy/mechanisms/correction/correction.h). This is adaptive composition of
 *             two releases, both in the plan, once per sample.
 * Theorem     First event, Gaussian: Gopi, Lee & Liu, COLT 2022. It is mu-GDP with mu = beta
 *             G / sqrt(lambda), G = `lipschitz`. Pure: the log-ratios lie in an interval of
 *             length beta `range` (McSherry & Talwar 2007), a SOTTO_EXPONENTIAL event. Second:
 *             Gaussian or discrete Laplace for the sensitivity 2 distance + the grid's rounding.
 * Neighbours  Those of `adjacency`, for which `lipschitz` and `range` must hold. They bound the
 *             change of the whole sum of losses, including a unit's rows and both sides of a
 *             replacement. They never depend on the number of rows.
 * Assumes     (1) Every record's loss is convex (only Gaussian), and `lipschitz` or `range` hold
 *             on the ball. (2) draw() is within `distance` of an exact sample on every data set,
 *             except with probability `sampler_error`; it may not fail because of the data. (3)
 *             beta, lambda, ball and centre are public. The gate tape tests (1) and (3).
 * Rounding    Outward. sampler_error is added to the gate's, and costs (1 + e^epsilon)
 *             sampler_error of delta. A pure sample too is pure only up to that delta, and its
 *             certificate says so.
 * Proof note  posterior.md
 */
#ifndef SOT_PRIVACY_MECHANISMS_POSTERIOR_POSTERIOR_H
#define SOT_PRIVACY_MECHANISMS_POSTERIOR_POSTERIOR_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/gate.h>

#include "privacy/mechanisms/gate/tape.h"

enum { SOT_POSTERIOR_DRAWS_MAX = 1000 };

typedef struct sot_posterior_law {
    sotto_adjacency adjacency;
    size_t dimension; /* 1 .. 2^20 */
    uint64_t draws;   /* 1 .. SOT_POSTERIOR_DRAWS_MAX */
    double beta;      /* weight of the sum of losses */
    double lambda;    /* the potential is at least this strongly convex */
    double
        lipschitz; /* of the change of the sum of losses on the ball; SOTTO_UNSET: pure */
    double
        range; /* of that change: its largest value minus its least; SOTTO_UNSET: Gaussian */
    double ball;          /* |theta| <= ball */
    double distance;      /* distance of draw()'s result to an exact sample */
    double sampler_error; /* of one draw(), in total variation */
    double
        correction_share; /* the second event's mu or epsilon over the first's, 2^-20 .. 1/2 */
    const char *
        purpose; /* borrowed; at most 39 bytes, see privacy/mechanisms/correction/correction.h */
} sot_posterior_law;

/* Nothing that carries privacy is set. */
sot_posterior_law sot_posterior_law_defaults(void);

typedef struct sot_posterior_problem {
    void *context;
    /* Writes a point within `law.distance` of an exact sample, except with probability
     * `law.sampler_error`. */
    sotto_status (*draw)(void *context, sotto_rng *rng, double *out_theta,
                         sotto_error *error);
    sot_tape_potential potential; /* for the gate tape: beta times the sum of losses */
} sot_posterior_problem;

/* Public values derived from a sot_posterior_law. */
typedef struct sot_posterior_facts {
    double mu;            /* of one exact draw; pure: SOTTO_UNSET */
    double epsilon;       /* of one exact draw; Gaussian: SOTTO_UNSET */
    double grid;          /* spacing of the released coefficients, a power of two */
    double sampler_error; /* of all draws and their corrections */
    sotto_event events[2];
} sot_posterior_facts;

/* Refuses inconsistent settings, naming the value. */
SOTTO_MUST_CHECK sotto_status sot_posterior_derive(const sot_posterior_law *law,
                                                   sot_posterior_facts *out_facts,
                                                   sotto_error *error);

/* Fills in the largest beta, at most `beta_most`, with which all events together stay within
 * (epsilon, delta), including (1 + e^epsilon) times the samplers' error. A delta of 0 means pure,
 * whose delta is sot_posterior_pure_delta(). law->beta, distance and purpose need not be set.
 * SOTTO_UNREACHABLE if the samplers' error leaves no room. */
SOTTO_MUST_CHECK sotto_status sot_posterior_calibrate(sot_posterior_law *law,
                                                      double epsilon, double delta,
                                                      double beta_most,
                                                      sotto_error *error);

/* Returns the delta of a pure run's certificate. It is the smallest power of two that is at least
 * 2 (1 + e^epsilon) times the samplers' error of all samples. "epsilon-DP up to this delta." */
double sot_posterior_pure_delta(double epsilon, double sampler_error);

/* Adds the two events, law->draws times each, to a plan, which must be about law->adjacency. */
SOTTO_MUST_CHECK sotto_status sot_posterior_plan(const sot_posterior_law *law,
                                                 sotto_plan *plan, sotto_error *error);

/* Releases one sample. Writes `dimension` coefficients, in units of the facts' grid, only
 * on success. */
SOTTO_MUST_CHECK sotto_status sot_posterior_release(sotto_gate *gate,
                                                    const sot_posterior_law *law,
                                                    const sot_posterior_problem *problem,
                                                    int64_t *out_units,
                                                    sotto_error *error);

/* ---- the formulas ---- */

/* beta lipschitz / sqrt(lambda), rounded up. */
double sot_posterior_mu(double beta, double lambda, double lipschitz);

/* The largest mu whose Gaussian profile is within (epsilon, delta), rounded down; epsilon > 0, 0 < delta < 1. */
double sot_gdp_mu_most(double epsilon, double delta);

/* Minami, Arai, Sato & Nakagawa, NeurIPS 2016, for comparison:
 * `(epsilon / lipschitz) sqrt(lambda / (1 + 2 ln(1/delta)))`, with lipschitz = 2 L under
 * replace-one. Their proof needs `x^2/2 + x sqrt(2 ln(1/delta)) <= epsilon`, x = beta
 * lipschitz / sqrt(lambda). The formula satisfies this only for epsilon <= 1; beyond, it is
 * refused. Rounded down. */
SOTTO_MUST_CHECK sotto_status sot_minami_beta(double epsilon, double delta, double lambda,
                                              double lipschitz, double *out_beta,
                                              sotto_error *error);

/* Returns the largest beta of that condition, for any epsilon, rounded down: the bound of
 * their proof. */
double sot_minami_tail_beta(double epsilon, double delta, double lambda,
                            double lipschitz);

#endif
