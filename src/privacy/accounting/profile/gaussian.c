#include "privacy/accounting/profile/gaussian.h"

#include <float.h>
#include <math.h>

#include "numeric/outward.h"
#include "numeric/special.h"

/* Ten-point Gauss-Legendre rule on [-1, 1]: positive nodes and their weights. */
static const double legendre_node[5] = {0.14887433898163121, 0.43339539412924719,
                                        0.67940956829902441, 0.86506336668898451,
                                        0.97390652851717172};
static const double legendre_weight[5] = {0.29552422471475287, 0.26926671930999636,
                                          0.21908636251598204, 0.14945134915058059,
                                          0.06667134430868814};

/* R(x) - R(x + mu) for Mills' ratio R. Above mu = 1/2 the caller counts the cancellation. Below,
 * it is the integral of f = -R' = 1 - yR(y) > 0 over [x, x + mu], x >= -1/4. Since
 * `f(y) = int_0^inf t exp(-yt - t^2/2) dt`, `f^(20)(y) = int t^21 exp(...) <= 1e11 f(y)` there.
 * The remainder of the rule, `mu^21 (10!)^4/(21 (20!)^3) max f^(20)`, is below 1e-25 mu f. */
static double mills_difference(double x, double mu)
{
    if (mu > 0.5) return sot_mills(x) - sot_mills(x + mu);
    const double half = 0.5 * mu;
    const double middle = x + half;
    double sum = 0.0;
    for (int i = 0; i < 5; i++) {
        const double offset = half * legendre_node[i];
        sum += legendre_weight[i] *
               (sot_mills_slope(middle - offset) + sot_mills_slope(middle + offset));
    }
    return half * sum;
}

/* Returns the profile at epsilon >= 0 for one double mu > 0, to nearest, and a bound on its
 * relative error. The absolute error of x is 2u(eps/mu + mu/2); phi turns it into a relative
 * error |x| times as large. The functions of special.h are good to 8u. */
static double profile_nearest(double mu, double epsilon, double *out_relative)
{
    const double unit = DBL_EPSILON; /* 2u: generous on purpose */
    const double ratio = epsilon / mu;
    const double x = ratio - 0.5 * mu;
    double difference;
    double cancellation;
    double density;
    if (x < -1.0) {
        /* mu > 2: Phi(-x) - e^eps Phi(-x - mu) directly, the second term far the smaller. */
        const double first = sot_ndtr(-x);
        const double second = exp(epsilon + sot_log_ndtr(-x - mu));
        *out_relative = unit * (32.0 + 8.0 * (ratio + mu) * (ratio + mu)) *
                        (first + second) / (first - second);
        return first - second;
    }
    difference = mills_difference(x, mu);
    cancellation = mu > 0.5 ? (sot_mills(x) + sot_mills(x + mu)) / difference : 1.0;
    density = 0.39894228040143268 * exp(-0.5 * x * x);
    /* The argument error moves R(x) - R(x+mu) by at most 2 (1 + |x|) relative a unit. */
    const double argument = ratio + mu;
    *out_relative =
        unit * (32.0 + 4.0 * (fabs(x) + 2.0) * argument + 16.0 * cancellation);
    return density * difference;
}

static sot_bracket clamp_delta(double nearest, double relative)
{
    sot_bracket delta;
    if (!(relative < 0.5)) { /* hopeless rounding (or NaN): say nothing wrong */
        delta.lower = 0.0;
        delta.upper = 1.0;
        return delta;
    }
    delta.lower = nearest < DBL_MIN ? 0.0 : sot_widen_down(nearest, relative);
    delta.upper = sot_widen_up(nearest, relative);
    if (delta.lower < 0.0) delta.lower = 0.0;
    if (delta.upper < DBL_MIN)
        delta.upper = DBL_MIN; /* underflow lost the relative error */
    if (delta.upper > 1.0) delta.upper = 1.0;
    return delta;
}

static sot_bracket profile_at(double mu, double epsilon)
{
    if (!(mu > 0.0)) return (sot_bracket){0.0, 0.0};
    /* At most Phi(mu/2 - epsilon/mu) <= Phi(-40) < DBL_MIN if epsilon/mu is at least mu and 81.
     * Rounding errors do not matter there. */
    const double far = epsilon / mu;
    if (far >= 81.0 && far >= mu) return (sot_bracket){0.0, DBL_MIN};
    double relative;
    const double nearest = profile_nearest(mu, epsilon, &relative);
    return clamp_delta(nearest, relative);
}

sot_bracket sot_gaussian_delta(sot_bracket mu, double epsilon)
{
    const double positive = fabs(epsilon);
    /* The profile increases with mu. */
    sot_bracket delta = {profile_at(mu.lower, positive).lower,
                         profile_at(mu.upper, positive).upper};
    if (epsilon < 0.0) {
        /* Symmetric pair: delta(-e) = 1 - e^-e + e^-e delta(e), all terms positive. */
        const double lost = -expm1(-positive);
        const double kept = exp(-positive);
        delta.lower = sot_widen_down(lost + kept * delta.lower, 16.0 * DBL_EPSILON);
        delta.upper =
            fmin(1.0, sot_widen_up(lost + kept * delta.upper, 16.0 * DBL_EPSILON));
    }
    return delta;
}

/* Returns weight * delta_G(log alpha), the end of the two closed forms below. A relative error e
 * of alpha moves delta_G(log alpha) by at most e * alpha * Phi(-mu/2 - log(alpha)/mu). That is
 * unbounded relative to delta. So the argument is moved outward instead: delta decreases in
 * epsilon. */
static sot_bracket scaled_profile(double weight, sot_bracket mu, double log_alpha)
{
    const double shift = 16.0 * DBL_EPSILON * (1.0 + fabs(log_alpha));
    sot_bracket delta = {sot_gaussian_delta(mu, log_alpha + shift).lower,
                         sot_gaussian_delta(mu, log_alpha - shift).upper};
    delta.lower = sot_widen_down(weight * delta.lower, 16.0 * DBL_EPSILON);
    delta.upper = fmin(1.0, sot_widen_up(weight * delta.upper, 16.0 * DBL_EPSILON));
    return delta;
}

/* P = (1-q)N(0) + qN(1), Q = N(0), alpha = e^eps, and delta is the hockey stick H_alpha.
 *
 * - remove: `H_alpha(P, Q) = q H_alpha'(N(1), N(0))`, alpha' = (alpha - 1 + q)/q, and 1 - alpha
 *   if alpha <= 1 - q.
 * - add: `H_alpha(Q, P) = (1 - alpha(1-q)) H_alpha'(N(0), N(1))`,
 *   `alpha' = alpha q/(1 - alpha(1-q))`, and 0 if that denominator is not positive. */
sot_bracket sot_sampled_gaussian_delta(double rate, double noise_multiplier,
                                       sot_direction direction, double epsilon)
{
    const double nearest_mu = 1.0 / noise_multiplier;
    const sot_bracket mu = {sot_next_down(nearest_mu), sot_next_up(nearest_mu)};
    if (rate >= 1.0) return sot_gaussian_delta(mu, epsilon);

    const double growth = expm1(epsilon);
    if (direction == SOT_REMOVE) {
        const double shifted = 1.0 + growth / rate; /* alpha' */
        if (epsilon < 0.0 && shifted < 1e-3) {
            /* Near the kink: delta >= 1 - alpha always, and the excess is below q alpha'. */
            sot_bracket delta = {sot_widen_down(-growth, 8.0 * DBL_EPSILON), 1.0};
            delta.upper = fmin(1.0, sot_widen_up(-growth + rate * fmax(shifted, 0.0) +
                                                     4.0 * DBL_EPSILON * rate,
                                                 8.0 * DBL_EPSILON));
            return delta;
        }
        /* log alpha' = log((alpha - 1 + q)/q), from the larger side before alpha overflows. */
        const double log_alpha =
            epsilon > 30.0 ? epsilon - log(rate) + log1p((rate - 1.0) * exp(-epsilon))
                           : log1p(growth / rate);
        return scaled_profile(rate, mu, log_alpha);
    }
    /* 1 - alpha(1-q) = q - (alpha-1)(1-q); the subtraction may cancel, so widen by its error. */
    const double kept = rate - growth * (1.0 - rate);
    const double error = 8.0 * DBL_EPSILON * (rate + fabs(growth) * (1.0 - rate));
    if (kept <= -error) return (sot_bracket){0.0, 0.0};
    if (kept < 1e-3 * rate) {
        /* Near the end of the support: at most the weight itself. */
        return (sot_bracket){0.0, fmin(1.0, kept + error)};
    }
    /* log alpha' = eps + log q - log kept moves with the relative error of kept. */
    const double log_alpha = epsilon + log(rate) - log(kept);
    const double shift =
        2.0 * error / kept + 8.0 * DBL_EPSILON * (fabs(epsilon) + fabs(log(rate)));
    sot_bracket delta = {scaled_profile(kept - error, mu, log_alpha + shift).lower,
                         scaled_profile(kept + error, mu, log_alpha - shift).upper};
    if (delta.lower < 0.0) delta.lower = 0.0;
    return delta;
}
