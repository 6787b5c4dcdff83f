/* The distributions of the number of runs: parameters, mean, probabilities. */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/names.h"
#include "numeric/outward.h"
#include "numeric/roots.h"
#include "privacy/accounting/selection/selection.h"

/* Below, log(1/gamma) and powers of gamma leave the range that the rounding is stated for. */
static const double gamma_least = 1e-300;
static const double shape_most = 1e6;
static const double mean_most = 1e9;

enum { PROBABILITY_K_MAX = 10000000 }; /* a sum of k terms: half a second */

static const sot_names laws =
    SOT_NAMES("distribution", [SOTTO_RUNS_NEGATIVE_BINOMIAL] = "negative-binomial",
              [SOTTO_RUNS_POISSON] = "poisson");

SOT_DEFINE_NAMES(sotto_runs_law, laws)

sotto_runs sotto_runs_defaults(void)
{
    return (sotto_runs){.law = SOTTO_RUNS_UNSET,
                        .shape = SOTTO_UNSET,
                        .gamma = SOTTO_UNSET,
                        .mean = SOTTO_UNSET};
}

static sotto_status check_shape(double shape, sotto_error *error)
{
    if (shape > -1.0 && shape <= shape_most) return SOTTO_OK; /* NaN fails */
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`eta` is %g; the shape of a negative binomial is above -1 and at "
                    "most %g; for example `eta=1` (geometric) or 0 (logarithmic)",
                    shape, shape_most);
}

static sotto_status check_poisson(double shape, double mean, sotto_error *error)
{
    if (!isnan(shape)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`eta` is %g, but a Poisson distribution has no shape; leave `eta` out",
            shape);
    }
    if (mean > 0.0 && mean <= mean_most) return SOTTO_OK;
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "`runs_mean` is %g; it is above 0 and at most %g; for example `runs_mean=10`",
        mean, mean_most);
}

static sotto_status check_law(sotto_runs_law law, sotto_error *error)
{
    if (law == SOTTO_RUNS_NEGATIVE_BINOMIAL || law == SOTTO_RUNS_POISSON) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the distribution of the runs is %d; give "
                    "SOTTO_RUNS_NEGATIVE_BINOMIAL or SOTTO_RUNS_POISSON",
                    (int)law);
}

sotto_status sot_runs_check(const sotto_runs *runs, sotto_error *error)
{
    sotto_status status = check_law(runs->law, error);
    if (status != SOTTO_OK) return status;
    if (runs->law == SOTTO_RUNS_POISSON) {
        status = check_poisson(runs->shape, runs->mean, error);
        if (status != SOTTO_OK || isnan(runs->gamma)) return status;
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "gamma of the runs is %g, but a Poisson distribution has none; leave it out",
            runs->gamma);
    }
    status = check_shape(runs->shape, error);
    if (status != SOTTO_OK) return status;
    if (!isnan(runs->mean)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the mean of the runs is %g, but a negative binomial distribution has it "
            "from gamma; make it by sotto_runs_from_mean()",
            runs->mean);
    }
    if (runs->gamma >= gamma_least && runs->gamma < 1.0) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "gamma of the runs is %g; give a number from %g up to, but not "
                    "including, 1, for example 0.1",
                    runs->gamma, gamma_least);
}

double sot_runs_log_inverse_gamma(const sotto_runs *runs)
{
    return -sot_log_down(runs->gamma);
}

/* Returns x/(1 - e^-x), the factor by which the shape moves the mean away from the
 * logarithmic distribution's. */
static double shape_factor(double x)
{
    return fabs(x) < DBL_MIN ? 1.0 : x / -expm1(-x);
}

/* E[K] = ((1/gamma - 1)/L) shape_factor(shape L), L = log(1/gamma). Its relative error is at most
 * (12 + 4 |shape L|) ulps. The second part comes from expm1, which magnifies the error of a
 * positive argument (a negative shape). */
static double mean_estimate(double shape, double gamma, double *out_relative)
{
    const double log_inverse = -log(gamma);
    const double x = shape * log_inverse;
    *out_relative = (12.0 + (x < 0.0 ? 4.0 * -x : 4.0)) * DBL_EPSILON;
    return (1.0 - gamma) / gamma / log_inverse * shape_factor(x);
}

double sotto_runs_mean(const sotto_runs *runs)
{
    double relative;
    if (sot_runs_check(runs, NULL) != SOTTO_OK) return SOTTO_UNSET;
    if (runs->law == SOTTO_RUNS_POISSON) return runs->mean;
    const double mean = mean_estimate(runs->shape, runs->gamma, &relative);
    return fmax(1.0, sot_widen_up(mean, relative));
}

typedef struct wanted_mean {
    double shape;
    double log_mean;
} wanted_mean;

/* Falls in log gamma. */
static double mean_excess(double log_gamma, void *context)
{
    const wanted_mean *wanted = context;
    double relative;
    return log(mean_estimate(wanted->shape, exp(log_gamma), &relative)) -
           wanted->log_mean;
}

sotto_status sotto_runs_from_mean(sotto_runs_law law, double shape, double mean,
                                  sotto_runs *out_runs, sotto_error *error)
{
    sotto_runs runs = sotto_runs_defaults();
    sotto_status status = check_law(law, error);
    if (status != SOTTO_OK) return status;
    runs.law = law;
    if (law == SOTTO_RUNS_POISSON) {
        status = check_poisson(shape, mean, error);
        runs.mean = mean;
        if (status == SOTTO_OK) *out_runs = runs;
        return status;
    }
    status = check_shape(shape, error);
    if (status != SOTTO_OK) return status;
    if (!(mean >= 1.0 + 1e-6 && mean <= mean_most)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`runs_mean` is %g; it is above 1 and at most %g; for example `runs_mean=10`",
            mean, mean_most);
    }
    runs.shape = shape;
    runs.gamma = 1.0 / mean; /* the geometric distribution */
    if (shape == 1.0) {
        *out_runs = runs;
        return SOTTO_OK;
    }
    wanted_mean wanted = {shape, log(mean)};
    double lower = log(gamma_least) + 1.0, upper = -1e-13;
    if (!(mean_excess(lower, &wanted) > 0.0 && mean_excess(upper, &wanted) < 0.0) ||
        !sot_find_root(mean_excess, &wanted, &lower, &upper, 0.0, 1e-15, 200)) {
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "`runs_mean` is %g, which at shape %g needs a gamma beyond the "
                        "range of numbers; give an `eta` further from -1",
                        mean, shape);
    }
    runs.gamma = exp(lower); /* any gamma near is sound: costs are those of this one */
    *out_runs = runs;
    return SOTTO_OK;
}

/* `P[K = k] = (1 - gamma)^k (shape/(gamma^-shape - 1)) (1/k) prod_{l=1}^{k-1}
 * (1 + shape/l)`, and `shape/(gamma^-shape - 1) = shape_factor(-shape
 * L)/L`: one form for every shape. */
static double negative_binomial(const sotto_runs *runs, uint64_t k)
{
    const double log_inverse = -log(runs->gamma);
    if (k == 0) return 0.0;
    double log_product = 0.0;
    for (uint64_t l = 1; l < k; l++)
        log_product += log1p(runs->shape / (double)l);
    const double exponent = (double)k * log1p(-runs->gamma) + log_product;
    /* For a large shape L, shape_factor(-x) = x e^-x/(1 - e^-x) would underflow first. */
    const double x = runs->shape * log_inverse;
    const double scale = fabs(x) < DBL_MIN ? 1.0 : x / -expm1(-x);
    return exp(exponent - x + log(scale / (log_inverse * (double)k)));
}

double sotto_runs_probability(const sotto_runs *runs, uint64_t k)
{
    if (sot_runs_check(runs, NULL) != SOTTO_OK || k > PROBABILITY_K_MAX)
        return SOTTO_UNSET;
    if (runs->law == SOTTO_RUNS_NEGATIVE_BINOMIAL) return negative_binomial(runs, k);
    double exponent = -runs->mean;
    for (uint64_t l = 1; l <= k; l++)
        exponent += log(runs->mean / (double)l);
    return exp(exponent);
}
