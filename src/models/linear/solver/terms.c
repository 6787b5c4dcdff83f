#include "models/linear/solver/terms.h"

#include <math.h>

#include "numeric/outward.h"

static inline double centre_of(const sot_glm *glm, size_t column)
{
    return glm->center != NULL ? glm->center[column] : 0.0;
}

/* t / sqrt(t^2 + w^2), nowhere an overflow; six roundings, each relative. */
static inline double l1_slope(double t, double width)
{
    if (fabs(t) > width) {
        const double ratio = width / t;
        return copysign(1.0, t) / sqrt(1.0 + ratio * ratio);
    }
    const double ratio = t / width;
    return ratio / sqrt(1.0 + ratio * ratio);
}

/* The same: division 16 u^2, its square 40 u^2, root and sum 30 u^2, division 46 u^2 in all. */
static sot_twofold l1_slope_careful(sot_twofold t, double width)
{
    const sot_twofold one = {t.high < 0.0 ? -1.0 : 1.0, 0.0};
    const sot_twofold wide = {width, 0.0};
    const bool far = fabs(t.high) > width;
    const sot_twofold ratio = far ? sot_twofold_div(wide, t) : sot_twofold_div(t, wide);
    const sot_twofold root =
        sot_twofold_sqrt(sot_twofold_plus(sot_twofold_mul(ratio, ratio), 1.0));
    return sot_twofold_div(far ? one : ratio, root);
}

void sot_terms_add_gradient(const sot_glm *glm, sot_twofold nu, const double *theta,
                            double *gradient)
{
    const size_t columns = glm->matrix->columns;
    for (size_t j = 0; j < columns; j++) {
        double sum = glm->lambda * (theta[j] - centre_of(glm, j));
        if (nu.high > 0.0) sum += nu.high * theta[j];
        if (glm->l1 > 0.0) sum += glm->l1 * l1_slope(theta[j], glm->l1_width);
        gradient[j] += sum + (glm->linear != NULL ? glm->linear[j] : 0.0);
    }
}

sot_twofold sot_terms_gradient_careful(const sot_glm *glm, sot_twofold nu, size_t column,
                                       sot_twofold theta)
{
    const double centre = centre_of(glm, column);
    sot_twofold sum = sot_twofold_times(sot_twofold_plus(theta, -centre), glm->lambda);
    if (nu.high > 0.0) sum = sot_twofold_add(sum, sot_twofold_mul(theta, nu));
    if (glm->l1 > 0.0) {
        const sot_twofold slope = l1_slope_careful(theta, glm->l1_width);
        sum = sot_twofold_add(sum, sot_twofold_times(slope, glm->l1));
    }
    if (glm->linear != NULL) sum = sot_twofold_plus(sum, glm->linear[column]);
    return sum;
}

double sot_terms_size_upper(const sot_glm *glm, sot_twofold nu, double theta_norm_upper,
                            double linear_upper, double center_upper)
{
    const double columns = (double)glm->matrix->columns;
    double sum = sot_mul_up(glm->lambda, sot_add_up(theta_norm_upper, center_upper));
    sum =
        sot_add_up(sum, sot_mul_up(sot_add_up(nu.high, fabs(nu.low)), theta_norm_upper));
    sum = sot_add_up(sum, sot_mul_up(glm->l1, sot_sqrt_up(columns)));
    return sot_add_up(sum, linear_upper);
}

/* l1 w^2 / (t^2 + w^2)^(3/2) = (l1 / w) (1 + (t / w)^2)^(-3/2) */
void sot_terms_curvatures(const sot_glm *glm, double nu, const double *theta, double *out)
{
    for (size_t j = 0; j < glm->matrix->columns; j++) {
        out[j] = glm->lambda + nu;
        if (!(glm->l1 > 0.0)) continue;
        const double ratio = theta[j] / glm->l1_width;
        const double inverse = 1.0 / sqrt(1.0 + ratio * ratio);
        out[j] += glm->l1 / glm->l1_width * (inverse * inverse * inverse);
    }
}

double sot_terms_curvature_most(const sot_glm *glm, sot_twofold nu)
{
    const double ridge = sot_add_up(glm->lambda, sot_add_up(nu.high, fabs(nu.low)));
    return glm->l1 > 0.0 ? sot_add_up(ridge, sot_div_up(glm->l1, glm->l1_width)) : ridge;
}

/* |r'''| / r'' = 3 |t| / (t^2 + w^2) <= 3 / (2 w) */
double sot_terms_twist_most(const sot_glm *glm)
{
    return glm->l1 > 0.0 ? sot_div_up(1.5, glm->l1_width) : 0.0;
}

double sot_terms_value(const sot_glm *glm, const double *theta)
{
    double squares = 0.0;
    double rest = 0.0;
    for (size_t j = 0; j < glm->matrix->columns; j++) {
        const double away = theta[j] - centre_of(glm, j);
        squares += away * away;
        if (glm->l1 > 0.0)
            rest += glm->l1 * (hypot(theta[j], glm->l1_width) - glm->l1_width);
        if (glm->linear != NULL) rest += glm->linear[j] * theta[j];
    }
    return 0.5 * glm->lambda * squares + rest;
}
