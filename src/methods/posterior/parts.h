/* methods/posterior/parts.h: the common part of the files of sot_posterior_new(). */
#ifndef SOT_METHODS_POSTERIOR_PARTS_H
#define SOT_METHODS_POSTERIOR_PARTS_H

#include <math.h>

#include "methods/empirical.h"
#include "methods/learner.h"
#include "methods/posterior/constants.h"
#include "methods/posterior/sampler.h"
#include "privacy/mechanisms/posterior/posterior.h"

/* Limit on the rows of a sample, unless their number is public: some 10^14 visits of rows per
 * sample. The sampler's bounds, and with them delta_fp, hold up to this number. */
#define SOT_POSTERIOR_ROWS_MOST (UINT64_C(1) << 24)

/* State of a learner; public. */
typedef struct sot_posterior_state {
    sotto_train_config
        config; /* the caller's, but that the plain squared loss has its threshold */
    sot_posterior_law law; /* public rows: only beta, lambda, ball, dimension, draws */
    sot_sampler_plan plan; /* not of MALA */
    double center_norm;    /* at most */
} sot_posterior_state;

/* True for public rows without a guarantee: only MALA. */
static inline bool sot_posterior_is_public(const sotto_train_config *config)
{
    return config->sampler == SOTTO_SAMPLER_MALA;
}

static inline bool sot_posterior_is_pure(const sotto_train_config *config)
{
    return isnan(config->delta);
}

/* Returns the threshold above which the squared loss is exact on the whole ball; NaN
 * without a ball. */
double sot_posterior_plain_threshold(const sot_learner_setup *setup);

/* Fills in `law` and plan of the learner's state, and the learner's settings, plan, grid and
 * errors. The learner has its empirical. */
SOTTO_MUST_CHECK sotto_status sot_posterior_make_law(sot_learner *learner,
                                                     sotto_error *error);

/* Sets the descriptions for a plan, a certificate and a model file. */
void sot_posterior_describe(sot_learner *learner);

#endif
