#include "privacy/accounting/exact/contour_parts.h"

#include <math.h>

#include "numeric/roots.h"

/* ---- where the line stands ---- */

typedef struct line_search {
    const sot_contour_request *request;
} line_search;

static double smoothing_log_mgf(const sot_contour_request *request, double t)
{
    return 0.5 * t * (t + 1.0) * request->smoothing * request->smoothing;
}

double sot_contour_log_mgf(const sot_contour_request *request, double t,
                           double *out_error)
{
    const double sum =
        sot_composition_log_mgf(request->composition, request->direction, t, out_error) +
        smoothing_log_mgf(request, t);
    *out_error += 4.0 * sot_contour_unit * fabs(sum);
    return sum;
}

double sot_contour_log_mgf_estimate(const sot_contour_request *request, double t)
{
    return sot_composition_log_mgf_estimate(request->composition, request->direction, t) +
           smoothing_log_mgf(request, t);
}

/* log of a^a/(1+a)^(1+a), the sharpest constant in (1 - e^-y)_+ <= kappa e^{ay}. */
double sot_log_kappa(double a)
{
    return -a * log1p(1.0 / a) - log1p(a);
}

/* For a given epsilon: the exponent of the integrand at s = 0. For a given delta: the
 * epsilon that the Renyi bound gives at order c + 1. Any c is sound: it only sets the
 * width. */
static double line_objective(double log_c, void *context)
{
    const sot_contour_request *request = ((const line_search *)context)->request;
    const double c = exp(log_c);
    const double k = sot_contour_log_mgf_estimate(request, c);
    if (!isfinite(k)) return HUGE_VAL;
    if (!isnan(request->epsilon)) {
        return k - c * request->epsilon - log_c - log1p(c);
    }
    return (k - request->log_delta + sot_log_kappa(c)) / c;
}

double sot_contour_place_line(const sot_contour_request *request)
{
    line_search search = {request};
    /* The best c is about one over the spread of the loss: plans of tiny losses want more. */
    double most = 2e3;
    double c;
    do {
        c = exp(
            sot_minimize(line_objective, &search, log(1e-4), log(most), 0.02, 40, NULL));
        most *= 100.0;
    } while (c > 0.0025 * most && most < 1e13);
    return c;
}

/* ---- where the sum stops ---- */

/* Bound of log |M(c + is')/M(c)| for all s' >= s: sampled parts by the shifted line, Gaussian
 * parts exactly, pure parts by 1. */
double sot_contour_log_decay(sot_contour_decay *bound, double s)
{
    const sot_composition *composition = bound->request->composition;
    const double square = composition->gaussian_square.lower +
                          bound->request->smoothing * bound->request->smoothing;
    double sum = -0.5 * s * s * square * (1.0 - 1e-12);
    for (size_t i = 0; i < composition->sampled_count; i++) {
        sum += composition->sampled[i].count * sot_sampled_tail_log(bound->tails[i], s);
    }
    for (size_t i = 0; i < composition->law_count; i++)
        sum += composition->laws[i].count * sot_law_tail_log(bound->law_tails[i], s);
    return sum;
}

static double decay_excess(double log_s, void *context)
{
    return sot_contour_log_decay(context, exp(log_s)) + 38.0;
}

/* The smallest s (to 5 %) with a decay of e^-38, or 0 when there is none below 1e13. */
double sot_contour_stopping_point(sot_contour_decay *bound)
{
    double lower = 1e-4;
    double upper = 1.0;
    while (sot_contour_log_decay(bound, upper) > -38.0) {
        lower = upper;
        upper *= 4.0;
        if (upper > 1e13) return 0.0;
    }
    double log_lower = log(lower);
    double log_upper = log(upper);
    if (!sot_find_root(decay_excess, bound, &log_lower, &log_upper, 0.05, 0.0, 40)) {
        return upper;
    }
    return exp(log_upper);
}
