/* The log moment generating function of a composition: exact with its error, bounded, estimated. */
#include "privacy/accounting/plan/composition.h"

#include <float.h>
#include <math.h>

/* With p = 1/(1 + e^-eps), `M(t) = p e^{t eps} + (1-p) e^{-t eps}` is computed as
 * `(e^{t eps} + e^{-(t+1) eps})/(1 + e^-eps)`. For small t eps it is near 1, and its logarithm is
 * `log1p((expm1(t eps) + e^-eps expm1(-t eps))/(1 + e^-eps))`. */
double sot_pure_log_mgf(double epsilon, double t)
{
    const double x = t * epsilon;
    const double other = exp(-epsilon);
    if (x < 1.0) {
        /* expm1(x) + e^-eps expm1(-x) = (1 - e^-eps) expm1(x) + e^-eps (2 sinh(x/2))^2 */
        const double half = 2.0 * sinh(0.5 * x);
        return log1p((-expm1(-epsilon) * expm1(x) + other * half * half) / (1.0 + other));
    }
    return x + log1p(exp(-2.0 * x - epsilon)) - log1p(other);
}

/* K(t) of all but the sampled events, and a bound on its error. */
static double symmetric_log_mgf(const sot_composition *composition, double t,
                                double *out_error)
{
    const sot_bracket *square = &composition->gaussian_square;
    double sum = 0.0;
    double error = 0.0;
    if (square->upper > 0.0 || composition->rho_upper > 0.0) { /* t^2 may overflow */
        sum = t * (t + 1.0) * (0.5 * square->upper + composition->rho_upper);
        error = 16.0 * DBL_EPSILON * sum +
                0.5 * t * (t + 1.0) * (square->upper - square->lower);
    }
    for (size_t i = 0; i < composition->pure_count; i++) {
        const sot_pure *pure = &composition->pure[i];
        const double one = sot_pure_log_mgf(pure->epsilon, t);
        sum += pure->count * one;
        error += 32.0 * DBL_EPSILON * pure->count * one; /* no cancellation in it */
    }
    for (size_t i = 0; i < composition->objective_count; i++) {
        const sot_objective *objective = &composition->objective[i];
        const double one = sot_objective_log_mgf_upper(objective, t);
        sum += objective->count * one;
        error += 8.0 * DBL_EPSILON * objective->count * one;
    }
    for (size_t i = 0; i < composition->curve_count; i++) {
        const double one = sot_curve_log_mgf_upper(composition->curves[i].event, t);
        sum += composition->curves[i].count * one;
        error += 8.0 * DBL_EPSILON * composition->curves[i].count * one;
    }
    for (size_t i = 0; i < composition->subsampled_count; i++) {
        const sot_subsampled *release = &composition->subsampled[i];
        const double one = sot_subsampled_log_mgf_upper(release, t);
        sum += release->count * one;
        error += 8.0 * DBL_EPSILON * release->count * one;
    }
    *out_error = error;
    return sum;
}

double sot_composition_log_mgf(const sot_composition *composition,
                               sot_direction direction, double t, double *out_error)
{
    double error;
    double sum = symmetric_log_mgf(composition, t, &error);
    for (size_t i = 0; i < composition->sampled_count; i++) {
        double one_error;
        const double one =
            sot_sampled_log_mgf(&composition->sampled[i], direction, t, &one_error);
        sum += composition->sampled[i].count * one;
        error += composition->sampled[i].count * one_error;
    }
    for (size_t i = 0; i < composition->law_count; i++) {
        double one_error;
        const double one = sot_law_log_mgf(&composition->laws[i], t, &one_error);
        sum += composition->laws[i].count * one;
        error += composition->laws[i].count * one_error;
    }
    *out_error = error * (1.0 + 1e-9) + 16.0 * DBL_EPSILON * fabs(sum);
    return sum;
}

double sot_composition_log_mgf_upper(const sot_composition *composition,
                                     sot_direction direction, double t)
{
    double error;
    double sum = symmetric_log_mgf(composition, t, &error);
    for (size_t i = 0; i < composition->sampled_count; i++) {
        const sot_sampled *sampled = &composition->sampled[i];
        double one_error;
        const double one = sot_sampled_log_mgf(sampled, direction, t, &one_error);
        const double bound = sot_sampled_log_mgf_bound(sampled, t);
        const double exact = one + one_error;
        sum += sampled->count * (exact < bound ? exact : bound); /* NaN: the bound */
    }
    for (size_t i = 0; i < composition->law_count; i++) {
        const sot_law *law = &composition->laws[i];
        sum += law->count * sot_law_renyi_upper(law, t);
    }
    return sum + error * (1.0 + 1e-9) + 16.0 * DBL_EPSILON * fabs(sum);
}

static double all_but_laws_estimate(const sot_composition *composition,
                                    sot_direction direction, double t)
{
    double sum = t * (t + 1.0) *
                 (0.5 * composition->gaussian_square.upper + composition->rho_upper);
    for (size_t i = 0; i < composition->sampled_count; i++) {
        sum += composition->sampled[i].count *
               sot_sampled_log_mgf_estimate(&composition->sampled[i], direction, t);
    }
    for (size_t i = 0; i < composition->pure_count; i++) {
        sum += composition->pure[i].count *
               sot_pure_log_mgf(composition->pure[i].epsilon, t);
    }
    for (size_t i = 0; i < composition->objective_count; i++) {
        const sot_objective *objective = &composition->objective[i];
        sum += objective->count * sot_objective_log_mgf_upper(objective, t);
    }
    for (size_t i = 0; i < composition->curve_count; i++) {
        sum += composition->curves[i].count *
               sot_curve_log_mgf_upper(composition->curves[i].event, t);
    }
    for (size_t i = 0; i < composition->subsampled_count; i++) {
        const sot_subsampled *release = &composition->subsampled[i];
        sum += release->count * sot_subsampled_log_mgf_upper(release, t);
    }
    return sum;
}

double sot_composition_log_mgf_estimate(const sot_composition *composition,
                                        sot_direction direction, double t)
{
    double sum = all_but_laws_estimate(composition, direction, t);
    for (size_t i = 0; i < composition->law_count; i++) {
        const sot_law *law = &composition->laws[i];
        sum += law->count * sot_law_log_mgf_estimate(law, t);
    }
    return sum;
}

double sot_composition_renyi_estimate(const sot_composition *composition, double t)
{
    double sum = all_but_laws_estimate(composition, SOT_REMOVE, t);
    for (size_t i = 0; i < composition->law_count; i++) {
        const sot_law *law = &composition->laws[i];
        sum += law->count * sot_law_renyi_estimate(law, t);
    }
    return sum;
}
