/* The terms of J that hold no records: each is a sum over coordinates. Where dense rows are padded
 * theta, center and linear are 0, and so is every gradient here. */
#include <math.h>

#include "models/softmax/pass.h"

double sot_softmax_add_terms(const sot_softmax_pass *pass, const double *theta,
                             double *gradient)
{
    const sot_softmax *problem = pass->problem;
    double value = 0.0;
    for (size_t j = 0; j < pass->length; j++) {
        const double t = theta[j];
        const double off = pass->center != NULL ? t - pass->center[j] : t;
        gradient[j] += problem->lambda * off;
        value += 0.5 * problem->lambda * (off * off);
        if (pass->extra > 0.0) {
            gradient[j] += pass->extra * t;
            value += 0.5 * pass->extra * (t * t);
        }
        if (problem->l1 > 0.0) {
            const double root = hypot(t, problem->l1_width);
            gradient[j] += problem->l1 * (t / root);
            value += problem->l1 * (root - problem->l1_width);
        }
        if (pass->linear != NULL) {
            gradient[j] += pass->linear[j];
            value += pass->linear[j] * t;
        }
    }
    return value;
}

/* theta / sqrt(theta^2 + w^2), after scaling by a power of two so that no square leaves the range. */
static sot_twofold share(sot_twofold theta, double width)
{
    if (!isfinite(theta.high)) return theta; /* and the gradient's bound is infinite */
    int exponent;
    (void)frexp(fmax(fabs(theta.high), width), &exponent);
    const sot_twofold t = {ldexp(theta.high, -exponent), ldexp(theta.low, -exponent)};
    const double w = ldexp(width, -exponent);
    const sot_twofold squares =
        sot_twofold_add(sot_twofold_mul(t, t), sot_twofold_of_product(w, w));
    return sot_twofold_div(t, sot_twofold_sqrt(squares));
}

sot_twofold sot_softmax_terms_careful(const sot_softmax_pass *pass, size_t place,
                                      sot_twofold theta)
{
    const sot_softmax *problem = pass->problem;
    const sot_twofold off =
        pass->center != NULL ? sot_twofold_plus(theta, -pass->center[place]) : theta;
    sot_twofold sum = sot_twofold_times(off, problem->lambda);
    if (pass->extra > 0.0)
        sum = sot_twofold_add(sum, sot_twofold_times(theta, pass->extra));
    if (problem->l1 > 0.0)
        sum = sot_twofold_add(
            sum, sot_twofold_times(share(theta, problem->l1_width), problem->l1));
    if (pass->linear != NULL) sum = sot_twofold_plus(sum, pass->linear[place]);
    return sum;
}

void sot_softmax_ridge(const sot_softmax_pass *pass, const double *theta, double *out)
{
    const sot_softmax *problem = pass->problem;
    for (size_t j = 0; j < pass->length; j++) {
        out[j] = problem->lambda + pass->extra;
        if (problem->l1 > 0.0) {
            const double root = hypot(theta[j], problem->l1_width);
            const double cosine = problem->l1_width / root;
            out[j] += problem->l1 * (cosine * cosine / root);
        }
    }
}
