/* The data-dependent analysis: a display for those who may see the votes. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/special.h"
#include "numeric/sum.h"
#include "privacy/mechanisms/pate/cost.h"

enum { LONG_ORDERS = 209, LAPLACE_ORDERS = 24 };

/* ---- the formulas, in log space: erfc underflows at gaps of 53 sigma ---- */

/* log(1 - e^x) for x < 0. */
static double log_one_less(double x)
{
    return x > -1.0 ? log(-expm1(x)) : log1p(-exp(x));
}

double sot_pate_gnmax_log_q(const int64_t *votes, size_t classes, double sigma)
{
    const size_t best = sot_pate_first_largest(votes, classes);
    double log_sum = -HUGE_VAL;
    for (size_t i = 0; i < classes; i++) {
        if (i == best) continue;
        const double gap = (double)(votes[best] - votes[i]);
        log_sum = sot_log_add_exp(log_sum, sot_log_erfc(gap / (2.0 * sigma)) - log(2.0));
    }
    return fmin(log_sum, log1p(-1.0 / (double)classes));
}

double sot_pate_gaussian_rdp(double log_q, double sigma, double order, bool *out_used)
{
    const double variance = sigma * sigma;
    const double independent = order / variance;
    if (out_used != NULL) *out_used = false;
    if (!(log_q < 0.0)) return independent;
    if (log_q == -HUGE_VAL) {
        if (out_used != NULL) *out_used = true;
        return 0.0;
    }
    const double mu_2 = sigma * sqrt(-log_q), mu_1 = mu_2 + 1.0;
    const double epsilon_1 = mu_1 / variance, epsilon_2 = mu_2 / variance;
    if (!(mu_1 > order && mu_2 > 1.0 && -log_q > epsilon_2)) return independent;
    const double limit =
        (mu_2 - 1.0) * epsilon_2 - mu_2 * log(mu_1 / (mu_1 - 1.0) * mu_2 / (mu_2 - 1.0));
    if (!(log_q <= limit)) return independent;
    const double log_rest = log_one_less(log_q); /* log(1 - q) */
    const double log_a =
        log_rest - log_one_less((log_q + epsilon_2) * (mu_2 - 1.0) / mu_2);
    const double log_b = epsilon_1 - log_q / (mu_1 - 1.0);
    const double t = order - 1.0;
    const double log_sum = sot_log_add_exp(log_rest + t * log_a, log_q + t * log_b);
    const double dependent = fmax(0.0, log_sum / t);
    if (!(dependent < independent)) return independent;
    if (out_used != NULL) *out_used = true;
    return dependent;
}

double sot_pate_test_log_answered(double top, double threshold, double sigma_1)
{
    return sot_log_ndtr((top - threshold) / sigma_1);
}

double sot_pate_test_log_q(double top, double threshold, double sigma_1)
{
    return sot_log_ndtr(-fabs(top - threshold) / sigma_1);
}

double sot_pate_lnmax_q(const int64_t *votes, size_t classes, double gamma)
{
    const size_t best = sot_pate_first_largest(votes, classes);
    double sum = 0.0;
    for (size_t i = 0; i < classes; i++) {
        if (i == best) continue;
        const double gap = gamma * (double)(votes[best] - votes[i]);
        sum += (2.0 + gap) / 4.0 * exp(-gap);
    }
    return fmin(sum, 1.0 - 1.0 / (double)classes);
}

double sot_pate_lnmax_log_moment(double q, double gamma, double lambda)
{
    const double epsilon = 2.0 * gamma;
    const double independent =
        fmin(epsilon * epsilon * lambda * (lambda + 1.0) / 2.0, epsilon * lambda);
    /* Beyond it 1 - e^epsilon q is not bounded by the proof (the 2017 code tests q < 1/2). */
    if (!(q <= 1.0 / (1.0 + exp(epsilon)))) return independent;
    const double often = (lambda + 1.0) * log1p(-q) - lambda * log1p(-exp(epsilon) * q);
    return fmin(independent, sot_log_add_exp(often, log(q) + epsilon * lambda));
}

double sot_pate_top(const int64_t *votes, size_t classes, const double *student,
                    uint64_t teachers)
{
    double top = -HUGE_VAL;
    for (size_t i = 0; i < classes; i++) {
        const double known = student == NULL ? 0.0 : (double)teachers * student[i];
        top = fmax(top, (double)votes[i] - known);
    }
    return top;
}

/* ---- the meter ---- */

struct sotto_pate_meter {
    sotto_pate_config config;
    size_t orders;
    double order[LONG_ORDERS];
    sot_sum total[LONG_ORDERS];
};

static void fill_orders(sotto_pate_meter *meter)
{
    static const double far[] = {110, 120, 135, 150, 175, 200,
                                 250, 300, 350, 400, 450, 500};
    size_t count = 0;
    if (meter->config.aggregator == SOTTO_PATE_LNMAX) {
        while (count < LAPLACE_ORDERS) {
            meter->order[count] = (double)count + 2.0;
            count++;
        }
    } else {
        for (double order = 2.0; order <= 100.0; order += 0.5)
            meter->order[count++] = order;
        for (size_t i = 0; i < sizeof far / sizeof *far; i++)
            meter->order[count++] = far[i];
    }
    meter->orders = count;
}

sotto_status sotto_pate_meter_new(const sotto_pate_config *config,
                                  sotto_pate_meter **out_meter, sotto_error *error)
{
    const sotto_status status = sot_pate_check(config, error);
    if (status != SOTTO_OK) return status;
    if (config->unit != SOTTO_PATE_RECORDS || config->touched != 1 ||
        config->aggregator == SOTTO_PATE_MODE) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the data-dependent analysis is about one moved vote and noisy "
                        "maxima; there is none for the aggregator %s with %" PRIu64
                        " touched teachers of this unit",
                        sotto_pate_aggregator_name(config->aggregator), config->touched);
    }
    sotto_pate_meter *meter = sot_new_array(1, sizeof *meter);
    if (meter == NULL) return sot_fail_memory(error, 1, sizeof *meter);
    meter->config = *config;
    meter->config.purpose = NULL; /* borrowed: it may be gone */
    fill_orders(meter);
    *out_meter = meter;
    return SOTTO_OK;
}

void sotto_pate_meter_free(sotto_pate_meter *meter)
{
    sot_wipe_and_free(meter, meter == NULL ? 0 : sizeof *meter);
}

static void add_laplace(sotto_pate_meter *meter, const int64_t *votes, size_t classes)
{
    const double gamma = 1.0 / meter->config.noise;
    const double q = sot_pate_lnmax_q(votes, classes, gamma);
    for (size_t i = 0; i < meter->orders; i++) {
        const double lambda = meter->order[i] - 1.0;
        sot_sum_add(&meter->total[i],
                    sot_pate_lnmax_log_moment(q, gamma, lambda) / lambda);
    }
}

static void add_gaussian(sotto_pate_meter *meter, double log_q, double sigma)
{
    for (size_t i = 0; i < meter->orders; i++) {
        sot_sum_add(&meter->total[i],
                    sot_pate_gaussian_rdp(log_q, sigma, meter->order[i], NULL));
    }
}

sotto_status sotto_pate_meter_ask(sotto_pate_meter *meter, const int64_t *votes,
                                  size_t classes, const double *student, bool answered,
                                  sotto_error *error)
{
    const sotto_pate_config *config = &meter->config;
    const bool is_interactive = config->aggregator == SOTTO_PATE_INTERACTIVE;
    if (classes < 2) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are %zu classes; give at least two", classes);
    }
    if (is_interactive != (student != NULL)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the student's probabilities are for the aggregator interactive, "
                        "and it needs them");
    }
    if (config->aggregator == SOTTO_PATE_LNMAX) {
        add_laplace(meter, votes, classes);
        return SOTTO_OK;
    }
    if (sot_pate_has_test(config)) {
        const double top = sot_pate_top(votes, classes, student, config->teachers);
        add_gaussian(meter,
                     sot_pate_test_log_q(top, config->threshold, config->test_noise),
                     sqrt(2.0) * config->test_noise);
    }
    if (answered || !sot_pate_has_test(config))
        add_gaussian(meter, sot_pate_gnmax_log_q(votes, classes, config->noise),
                     config->noise);
    return SOTTO_OK;
}

void sot_pate_meter_add_gaussian(sotto_pate_meter *meter, double noise_multiplier)
{
    for (size_t i = 0; i < meter->orders; i++) {
        sot_sum_add(&meter->total[i],
                    meter->order[i] / (2.0 * noise_multiplier * noise_multiplier));
    }
}

double sotto_pate_meter_rdp(const sotto_pate_meter *meter, double order)
{
    for (size_t i = 0; i < meter->orders; i++) {
        if (meter->order[i] == order) return sot_sum_value(&meter->total[i]);
    }
    return SOTTO_UNSET;
}

double sotto_pate_meter_epsilon(const sotto_pate_meter *meter, double delta, bool classic,
                                double *out_order)
{
    double least = HUGE_VAL, best = SOTTO_UNSET;
    if (!(delta > 0.0 && delta < 1.0)) return SOTTO_UNSET;
    for (size_t i = 0; i < meter->orders; i++) {
        const double a = meter->order[i];
        const double rdp = sot_sum_value(&meter->total[i]);
        const double epsilon =
            classic ? rdp - log(delta) / (a - 1.0)
                    : rdp + log1p(-1.0 / a) - (log(delta) + log(a)) / (a - 1.0);
        if (epsilon < least) {
            least = epsilon;
            best = a;
        }
    }
    if (out_order != NULL) *out_order = best;
    return fmax(0.0, least);
}
