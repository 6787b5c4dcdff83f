#include "privacy/accounting/plan/price.h"

#include <math.h>
#include <stdbool.h>

#include "numeric/outward.h"
#include "privacy/accounting/plan/composition.h"
#include "privacy/accounting/profile/gaussian.h"

/* ---- one pure release ---- */

/* tanh(epsilon/2) = (1 - e^-epsilon)/(1 + e^-epsilon), the total variation of randomized response. */
static double half_tanh_up(double epsilon)
{
    return sot_div_up(-sot_expm1_down(-epsilon),
                      sot_add_down(1.0, sot_exp_down(-epsilon)));
}

double sot_pure_rho_upper(double epsilon)
{
    return sot_mul_up(epsilon, half_tanh_up(epsilon));
}

double sot_laplace_rho_upper(double epsilon)
{
    return sot_add_up(epsilon, sot_expm1_up(-epsilon));
}

static sot_bracket total_variation(double mu)
{
    return sot_gaussian_delta((sot_bracket){mu, mu}, 0.0);
}

static bool reaches(double mu, double target)
{
    return total_variation(mu).lower >= target;
}

/* Phi(mu/2) >= e^epsilon/(1 + e^epsilon) says 2 Phi(mu/2) - 1 >= tanh(epsilon/2): total variations. */
double sot_pure_mu_upper(double epsilon)
{
    const double target = half_tanh_up(epsilon);
    double low = 0.0, high = 16.0;
    if (epsilon == 0.0) return 0.0;
    if (!(target < 1.0) || !reaches(high, target)) return HUGE_VAL;
    for (int i = 0; i < 200; i++) {
        const double middle = 0.5 * (low + high);
        if (!(middle > low && middle < high)) break;
        if (reaches(middle, target)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

double sot_pure_epsilon_of_mu_lower(double mu)
{
    const double total = total_variation(fmin(mu, 16.0)).lower;
    double low = 0.0, high = 64.0;
    for (int i = 0; i < 100; i++) {
        const double middle = 0.5 * (low + high);
        if (half_tanh_up(middle) <= total) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

double sot_pure_rdp_upper(double epsilon, double order)
{
    const double t = order - 1.0;
    const double log_mgf = sot_pure_log_mgf(epsilon, t);
    return sot_div_up(sot_widen_up(log_mgf, 0x1p-47), t);
}

double sot_pure_epsilon_of_rdp_lower(double rdp, double order)
{
    double low = 0.0, high = 1.0;
    if (!(rdp > 0.0)) return 0.0;
    while (sot_pure_rdp_upper(high, order) <= rdp && high < 1e6) {
        low = high;
        high *= 2.0;
    }
    for (int i = 0; i < 100; i++) {
        const double middle = 0.5 * (low + high);
        if (sot_pure_rdp_upper(middle, order) <= rdp) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* ---- plans ---- */

static double square_up(double x)
{
    return sot_mul_up(x, x);
}

/* A release with a bounded loss is pure; a mixture and the discrete Gaussian are no GDP releases of a known mu. */
static double law_mu_square(const sot_law *law)
{
    const double loss = sot_law_loss_max(law);
    if (!isfinite(loss)) return HUGE_VAL;
    return sot_mul_up(law->count, square_up(sot_pure_mu_upper(loss)));
}

sotto_status sot_price_mu_square(const sotto_plan *plan, double *out_mu_square,
                                 sotto_error *error)
{
    sot_composition *parts = NULL;
    const sotto_status status = sot_composition_new(plan, SOTTO_UNSET, 0, &parts, error);
    if (status != SOTTO_OK) return status;
    double sum = parts->gaussian_square.upper;
    if (parts->sampled_count > 0 || parts->objective_count > 0 ||
        sot_composition_is_renyi(parts))
        sum = HUGE_VAL;
    for (size_t i = 0; i < parts->pure_count && sum < HUGE_VAL; i++)
        sum = sot_add_up(
            sum, sot_mul_up(parts->pure[i].count,
                            square_up(sot_pure_mu_upper(parts->pure[i].epsilon))));
    for (size_t i = 0; i < parts->law_count && sum < HUGE_VAL; i++)
        sum = sot_add_up(sum, law_mu_square(&parts->laws[i]));
    for (size_t i = 0; i < parts->subsampled_count && sum < HUGE_VAL; i++) {
        const double loss = sot_subsampled_loss_max(&parts->subsampled[i]);
        sum = isinf(loss)
                  ? HUGE_VAL
                  : sot_add_up(sum, sot_mul_up(parts->subsampled[i].count,
                                               square_up(sot_pure_mu_upper(loss))));
    }
    sot_composition_free(parts);
    *out_mu_square = sum;
    return SOTTO_OK;
}

/* Bounded range e: e^2/8 (Cesar & Rogers, ALT 2021, Lemma 3.4), and at most the rho of any pure
 * release of e, which is smaller above e = 8. The discrete Gaussian: that of the Gaussian
 * (Canonne, Kamath & Steinke, NeurIPS 2020, Thm 14). */
static double law_rho(const sot_law *law)
{
    if (law->kind == SOT_LAW_REPLACED || law->kind == SOT_LAW_FIXED) return HUGE_VAL;
    double rho = sot_pure_rho_upper(sot_law_loss_max(law));
    if (law->kind == SOT_LAW_BOX)
        rho = fmin(rho, law->has_ends ? sot_laplace_rho_upper(law->loss)
                                      : 0.125 * square_up(law->loss));
    if (law->kind == SOT_LAW_DISCRETE_GAUSSIAN)
        rho = 0.5 * square_up(sot_div_up(law->steps, law->sigma));
    return sot_mul_up(law->count, rho);
}

sotto_status sot_price_rho(const sotto_plan *plan, double *out_rho, sotto_error *error)
{
    return sot_price_rho_with(plan, SOTTO_UNSET, out_rho, error);
}

sotto_status sot_price_rho_with(const sotto_plan *plan, double noise_multiplier,
                                double *out_rho, sotto_error *error)
{
    sot_composition *parts = NULL;
    const sotto_status status =
        sot_composition_new(plan, noise_multiplier, 0, &parts, error);
    if (status != SOTTO_OK) return status;
    double sum = sot_add_up(parts->rho_upper, 0.5 * parts->gaussian_square.upper);
    if (parts->sampled_count > 0 || parts->objective_count > 0 || parts->curve_count > 0)
        sum = HUGE_VAL;
    for (size_t i = 0; i < parts->pure_count && sum < HUGE_VAL; i++)
        sum = sot_add_up(sum, sot_mul_up(parts->pure[i].count,
                                         sot_pure_rho_upper(parts->pure[i].epsilon)));
    for (size_t i = 0; i < parts->law_count && sum < HUGE_VAL; i++)
        sum = sot_add_up(sum, law_rho(&parts->laws[i]));
    for (size_t i = 0; i < parts->subsampled_count && sum < HUGE_VAL; i++) {
        const double loss = sot_subsampled_loss_max(&parts->subsampled[i]);
        sum = isinf(loss) ? HUGE_VAL
                          : sot_add_up(sum, sot_mul_up(parts->subsampled[i].count,
                                                       sot_pure_rho_upper(loss)));
    }
    sot_composition_free(parts);
    *out_rho = sum;
    return SOTTO_OK;
}

/* ---- budgets ---- */

typedef struct gaussian_target {
    double epsilon, delta;
} gaussian_target;

static bool is_within(double mu, const gaussian_target *target)
{
    return sot_gaussian_delta((sot_bracket){mu, mu}, target->epsilon).upper <=
           target->delta;
}

double sot_gaussian_mu_lower(double epsilon, double delta)
{
    const gaussian_target target = {epsilon, delta};
    double low = 0.0, high = 1.0;
    if (!(epsilon >= 0.0 && delta > 0.0)) return 0.0;
    while (high < 1e4 && is_within(high, &target)) {
        low = high;
        high *= 2.0;
    }
    for (int i = 0; i < 200; i++) {
        const double middle = 0.5 * (low + high);
        if (!(middle > low && middle < high)) break;
        if (is_within(middle, &target)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}
