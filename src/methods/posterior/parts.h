/* methods/posterior/parts.h: what the files of sot_posterior_new() share. */
#ifndef SOT_METHODS_POSTERIOR_PARTS_H
#define SOT_METHODS_POSTERIOR_PARTS_H

#include <math.h>

#include "methods/empirical.h"
#include "methods/learner.h"
#include "methods/posterior/constants.h"
#include "methods/posterior/sampler.h"
#include "privacy/mechanisms/posterior/posterior.h"

/* More rows than this no draw is made of, unless their number is public: some 10^14 visits of rows a draw. The sampler's bounds,
 * and with them delta_fp, hold up to so many. */
#define SOT_POSTERIOR_ROWS_MOST (UINT64_C(1) << 24)

/* Of a learner; public. */
typedef struct sot_posterior_state {
    sotto_train_config
        config; /* the caller's, but that the plain squared loss has its threshold */
    sot_posterior_law
        law; /* of public rows: beta, lambda, ball, dimension, draws alone */
    sot_sampler_plan plan; /* not of MALA */
    double center_norm;    /* at most */
} sot_posterior_state;

/* Of public rows, without a guarantee: MALA's alone. */
static inline bool sot_posterior_is_public(const sotto_train_config *config)
{
    return config->sampler == SOTTO_SAMPLER_MALA;
}

static inline bool sot_posterior_is_pure(const sotto_train_config *config)
{
    return isnan(config->delta);
}

/* The threshold at which the squared loss is what it says on the whole ball; NaN without a ball. */
double sot_posterior_plain_threshold(const sot_learner_setup *setup);

/* Fills in law and plan of the learner's state, and what follows from them for the learner: settings, plan, grid, errors. The
 * learner has its empirical. */
SOTTO_MUST_CHECK sotto_status sot_posterior_make_law(sot_learner *learner,
                                                     sotto_error *error);

/* Sets what a plan, a certificate and a model file say of it. */
void sot_posterior_describe(sot_learner *learner);

#endif
