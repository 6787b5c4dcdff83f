/* methods/posterior/oracle.h: one step of the proximal sampler. Proof note: proximal.md.
 *
 *     y = x + sqrt(eta) z,   then x from the density exp(-F(x) - |x - y|^2 / (2 eta)) on the ball: exactly, by rejection
 *
 * Constants: 1/eta' = 1/eta + lambda. sqrt(eta') is a double, `step`; everything else follows
 * from it.
 *
 * State: x is a double-double vector, within the ball up to 2^-100 of its size.
 */
#ifndef SOT_METHODS_POSTERIOR_ORACLE_H
#define SOT_METHODS_POSTERIOR_ORACLE_H

#include "methods/posterior/decide.h"
#include "methods/posterior/listen.h"
#include "methods/posterior/losses.h"

/* A proposal, from several points of view. */
typedef struct sot_trial {
    sot_normal *normals;
    sot_twofold *noise, *p; /* p = mean + noise */
    double *p_high;
    double *way, *way_low; /* p - w */
} sot_trial;

typedef struct sot_oracle {
    sot_losses *losses;
    const sot_sampler_plan *plan;
    sot_sampler_ear ear;
    sotto_rng *rng;
    /* Digits for close decisions: a separate stream, so that a sample has the same bits
     * for either arithmetic. */
    sotto_rng *spare;
    sot_sampler_counts *counts;
    uint64_t done; /* steps, for the listener */
    size_t dimension;
    size_t points; /* whose losses are looked at together */
    double beta, lambda, radius, step;
    const double *center;  /* NULL: 0 */
    sot_twofold precision; /* 1 / eta' */
    sot_twofold pull;      /* 1 / eta */
    sot_twofold noise;     /* sqrt(eta) */
    sot_twofold *x;        /* state */
    sot_twofold *y;
    double *w;        /* where the losses are linearised */
    double *better;   /* one step of projected descent from w */
    double *gradient; /* of beta times the losses, at w */
    double value;     /* the sum of losses at w */
    double gradient_error, w_norm;
    sot_twofold *offset; /* proposals: y + offset + scale xi */
    sot_twofold *mean;   /* y + offset, rounded */
    sot_twofold *linear; /* the linear part that proposals imply */
    double parts;        /* the size of the numbers it was made from */
    double scale;
    sot_twofold tilt; /* 1 / scale^2 - 1 / eta' >= 0 */
    sot_twofold room; /* at least R^2 - |mean|^2 */
    double y_norm;
    double allowance; /* added to the exponent, so that it is not negative */
    sot_trial trials[SOT_LOSSES_POINTS];
} sot_oracle;

/* Free with sot_oracle_end(), also after a failure. The state begins at `start`, a point of the ball. */
SOTTO_MUST_CHECK sotto_status
sot_oracle_begin(sot_losses *losses, const sot_sampler_plan *plan, double step,
                 sotto_rng *rng, const sot_sampler_watch *watch, const double *start,
                 sot_sampler_counts *counts, sot_oracle *out_oracle, sotto_error *error);
void sot_oracle_end(sot_oracle *oracle); /* wipes */

/* x becomes the next x. SOTTO_INTERRUPTED when the listener asks to stop. */
SOTTO_MUST_CHECK sotto_status sot_oracle_step(sot_oracle *oracle, sotto_error *error);

/* The second half: x from y, which the caller has set. For tests of the coupling. */
SOTTO_MUST_CHECK sotto_status sot_oracle_draw(sot_oracle *oracle, sotto_error *error);

/* Asks the listener now and then, by the clock. */
SOTTO_MUST_CHECK sotto_status sot_oracle_listen(sot_oracle *oracle, sotto_error *error);

/* ---- between oracle.c and proposal.c ---- */

/* Computes scale, `tilt`, offset, linear, room and allowance from gradient and w. */
void sot_oracle_aim(sot_oracle *oracle);
/* Samples proposals until one is in the ball and passes the coin of `tilt`. */
SOTTO_MUST_CHECK sotto_status sot_oracle_propose(sot_oracle *oracle, sot_trial *out_trial,
                                                 sotto_error *error);
/* The coin of the losses. `value` is their sum at the trial's point. */
SOTTO_MUST_CHECK sotto_status sot_oracle_accept(sot_oracle *oracle,
                                                const sot_trial *trial, double value,
                                                bool *out_accepted, sotto_error *error);

/* |v| in double; for vectors that nothing is proven about. */
double sot_oracle_norm(const double *v, size_t count);

#endif
