/* models/linear/losses/loss.h: convex losses of a margin, f(u; y) with u = theta.x, and their certified constants. */
#ifndef SOT_MODELS_LINEAR_LOSSES_LOSS_H
#define SOT_MODELS_LINEAR_LOSSES_LOSS_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/loss.h>

#include "models/linear/losses/double_double.h"

typedef struct sot_loss_at {
    double value, slope, curvature; /* f, f', f'' in u */
} sot_loss_at;

/* Every function is total: it takes any double, and NaN for the margin counts as 0. Each is given the
 * loss itself, which holds the parameters. */
typedef struct sot_loss sot_loss;
struct sot_loss {
    const char *name;
    double slope_most;     /* sup |f'|: the loss is slope_most R-Lipschitz for |x| <= R */
    double curvature_most; /* sup f'': it is curvature_most R^2-smooth */
    bool self_bounding;    /* f'' <= |f'| (1 - |f'|): the determinant is free */
    bool one_signed;       /* for a given label f' does not change its sign */
    bool
        ball_gain; /* the largest |f'| over labels, as a function of the margin, is concave beyond 0 and point-symmetric
                              or lower below: posterior.md */
    bool smooth;   /* f' is Lipschitz; else curvature_most is infinite, f' jumps */
    double
        twist_most; /* sup |f'''| / f'': the rate at which the curvature may change; infinite
                          where f'' jumps */
    double label_most;    /* the largest |label|; others are clipped */
    double parameters[4]; /* the loss's own: width, threshold ... */
    const void *context;  /* of a caller's loss; else NULL */

    /* In double. Errors: value_error in f, relative to |f| + slope_most (1 + |u|); slope_error
     * absolute in f'; curvature_error absolute in f''. Where f'' jumps, it is that of a margin
     * within `2^-50 (1 + |u| + label_most)` of u. |slope| <= slope_most and
     * 0 <= curvature <= curvature_most (1 + 2^-50) hold exactly. */
    void (*at)(const sot_loss *loss, double u, double label, sot_loss_at *out);
    /* The same slope and curvature, without the value. */
    void (*bend)(const sot_loss *loss, double u, double label, double *out_slope,
                 double *out_curvature);
    double value_error, slope_error, curvature_error;
    /* The sum of the values at some margins, at most 256, its error at most the sum of theirs; NULL: one by one. */
    double (*sum)(const sot_loss *loss, const double *margins, const double *labels,
                  size_t count);

    /* f' of a margin of about 106 bits, with an absolute error of at most slope_error_careful. */
    sot_twofold (*slope_careful)(const sot_loss *loss, sot_twofold u, double label);
    double slope_error_careful;

    /* Returns f(u + step) - f(u) of numbers of about 106 bits, with an error of at most
     * difference_error_careful |step|. The samplers decide by it. NULL: the loss has none (a
     * slope that jumps; a caller's loss, see joined.h). Finite u and step, below 2^500 in
     * size. */
    sot_twofold (*difference_careful)(const sot_loss *loss, sot_twofold u,
                                      sot_twofold step, double label);
    double difference_error_careful;

    /* Computes f' in float for many margins, the same bits on every machine. out[i] is a function
     * of only margins[i] and labels[i], and |out[i]| <= slope_most exactly. For a margin that is
     * a number, its absolute error is at most slopes_error. */
    void (*slopes)(const sot_loss *loss, const float *margins, const float *labels,
                   size_t count, float *out);
    double slopes_error;
};

/* The sum of f over at most 256 margins: by `sum`, or one after another. */
double sot_loss_sum(const sot_loss *loss, const double *margins, const double *labels,
                    size_t count);

/* log(1 + exp(-y u)), y = -1 or 1; any other label counts by its sign, 0 and NaN as 1.
 * slope_most 1, curvature_most 1/4, self-bounding, |f'''| <= f''. */
extern const sot_loss sot_loss_logistic;

/* The others are made from their parameters, which the caller has checked; r = u - y. Where f'' jumps
 * twist_most is infinite. loss.md has their constants, with proofs.
 *
 * Squared (1/2) r^2 where |r| <= threshold, a line beyond: slope_most threshold, curvature_most 1,
 * two-signed. With threshold = R B + Y it is the squared loss for all |theta| <= B. */
sot_loss sot_loss_squared(double threshold, double label_most);
/* The same function under its own name: Huber's loss. */
sot_loss sot_loss_huber(double threshold, double label_most);
/* Chaudhuri's: 0 for y u > 1 + h, 1 - y u for y u < 1 - h, (1 + h - y u)^2 / (4 h) between. */
sot_loss sot_loss_smoothed_hinge(double width);
/* max(0, 1 - y u), with the subgradient -y at the kink; not smooth: curvature 0, no
 * objective perturbation. */
extern const sot_loss sot_loss_hinge;
/* exp(u) - y u, 0 <= y <= label_most, its slope clipped to |f'| <= threshold:
 * curvature_most threshold + label_most, which is at most 2^50. */
sot_loss sot_loss_poisson(double threshold, double label_most);

/* Beyond this margin a caller's loss continues as a line. So rounding a margin to a double costs
 * a bounded error of the slope. */
#define SOT_LOSS_CUSTOM_MARGIN 64.0

/* Makes a caller's loss, which must outlive the result. Refuses invalid bounds. On a grid of
 * margins and labels it also refuses a function that exceeds them, is not convex, or is not
 * one-signed as claimed. */
SOTTO_MUST_CHECK sotto_status sot_loss_custom(const sotto_loss *given, sot_loss *out_loss,
                                              sotto_error *error);

#endif
