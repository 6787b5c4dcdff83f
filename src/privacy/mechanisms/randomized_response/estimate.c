#include "privacy/mechanisms/randomized_response/randomized_response.h"

#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "numeric/proportion.h"
#include "numeric/special.h"

/* Probabilities of reporting one category: `truth` if it is the answer, `other` if not. Their
 * difference is stored, because the subtraction would cancel. */
typedef struct channel {
    double truth;
    double other;
    double difference;
} channel;

#define REPORTS_MAX (UINT64_C(1) << 33)

/* p = e^eps/(e^eps + k - 1), q = p e^-eps, p - q = p (1 - e^-eps): no overflow for large epsilon. */
static channel channel_of_response(const sotto_randomized_response_config *config)
{
    const double others = (double)(config->categories - 1);
    const double truth = 1.0 / (1.0 + others * exp(-config->epsilon));
    return (channel){.truth = truth,
                     .other = truth * exp(-config->epsilon),
                     .difference = truth * -expm1(-config->epsilon)};
}

static channel channel_of_coins(const sotto_coin_survey_config *config)
{
    const double truth =
        (double)config->truth_numerator / (double)config->truth_denominator;
    const double random = (double)(config->truth_denominator - config->truth_numerator) /
                          (double)config->truth_denominator;
    const double other =
        random * ((double)config->yes_numerator / (double)config->yes_denominator);
    return (channel){.truth = truth + other, .other = other, .difference = truth};
}

static sotto_status check_survey(uint64_t total, double confidence,
                                 sotto_interval interval, sotto_error *error)
{
    if (total == 0 || total > REPORTS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are %" PRIu64 " reports; give from 1 to 2^33", total);
    }
    if (!(confidence >= 0.5 && confidence < 1.0)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "confidence is %g; give a number from 0.5 to below 1, for example "
            "0.95",
            confidence);
    }
    if (interval != SOTTO_INTERVAL_EXACT && interval != SOTTO_INTERVAL_NORMAL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "interval is %d; set it to SOTTO_INTERVAL_EXACT or "
                        "SOTTO_INTERVAL_NORMAL",
                        (int)interval);
    }
    return SOTTO_OK;
}

static double within_unit(double x)
{
    return fmin(1.0, fmax(0.0, x));
}

/* Variance of the estimate. For fixed people each report has its own coin; for people sampled
 * from a population all reports have the same coin. */
static void variances(const channel *by, double frequency, double total,
                      double *out_fixed, double *out_population)
{
    const double scale = total * by->difference * by->difference;
    const double report = frequency * by->truth + (1.0 - frequency) * by->other;
    *out_fixed = (frequency * by->truth * (1.0 - by->truth) +
                  (1.0 - frequency) * by->other * (1.0 - by->other)) /
                 scale;
    *out_population = report * (1.0 - report) / scale;
}

static sotto_frequency estimate(const channel *by, uint64_t seen, uint64_t total,
                                double confidence, sotto_interval interval)
{
    const double many = (double)total;
    const double report = (double)seen / many;
    sotto_frequency result = {.estimate = (report - by->other) / by->difference};
    variances(by, within_unit(result.estimate), many, &result.variance,
              &result.variance_population);
    double low = report;
    double high = report;
    if (interval == SOTTO_INTERVAL_EXACT) {
        const double tail = 0.5 * (1.0 - confidence); /* each side its half */
        low = sot_proportion_lower(seen, total, tail);
        high = sot_proportion_upper(seen, total, tail);
    } else {
        const double reach = -sot_normal_quantile(0.5 * (1.0 - confidence)) *
                             sqrt(report * (1.0 - report) / many);
        low -= reach;
        high += reach;
    }
    result.lower = within_unit((low - by->other) / by->difference);
    result.upper = within_unit((high - by->other) / by->difference);
    return result;
}

sotto_status
sotto_randomized_response_estimate(const sotto_randomized_response_config *config,
                                   const uint64_t *reports, double confidence,
                                   sotto_interval interval,
                                   sotto_frequency *out_frequencies, sotto_error *error)
{
    sotto_status status = sot_check_response(config, error);
    if (status != SOTTO_OK) return status;
    uint64_t total = 0; /* stops growing once it is too large */
    for (uint32_t i = 0; i < config->categories && total <= REPORTS_MAX; i++)
        total = reports[i] > REPORTS_MAX ? REPORTS_MAX + 1 : total + reports[i];
    status = check_survey(total, confidence, interval, error);
    if (status != SOTTO_OK) return status;
    const channel by = channel_of_response(config);
    for (uint32_t i = 0; i < config->categories; i++)
        out_frequencies[i] = estimate(&by, reports[i], total, confidence, interval);
    return SOTTO_OK;
}

sotto_status sotto_coin_survey_estimate(const sotto_coin_survey_config *config,
                                        uint64_t yes, uint64_t total, double confidence,
                                        sotto_interval interval,
                                        sotto_frequency *out_frequency,
                                        sotto_error *error)
{
    sotto_status status = sot_check_coins(config, error);
    if (status == SOTTO_OK) status = check_survey(total, confidence, interval, error);
    if (status != SOTTO_OK) return status;
    if (yes > total) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are %" PRIu64 " yes among %" PRIu64
                        " reports; give at most all",
                        yes, total);
    }
    const channel by = channel_of_coins(config);
    *out_frequency = estimate(&by, yes, total, confidence, interval);
    return SOTTO_OK;
}

/* ---- before the survey ---- */

static sotto_status outlook(const channel *by, double frequency, uint64_t total,
                            sotto_response_outlook *out_outlook, sotto_error *error)
{
    if (!(frequency >= 0.0 && frequency <= 1.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "frequency is %g; give a number from 0 to 1", frequency);
    }
    if (total == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are 0 people; give at least one");
    }
    sotto_response_outlook result = {.truth = by->truth,
                                     .other = by->other,
                                     .report_frequency = frequency * by->truth +
                                                         (1.0 - frequency) * by->other};
    variances(by, frequency, (double)total, &result.variance,
              &result.variance_population);
    *out_outlook = result;
    return SOTTO_OK;
}

sotto_status
sotto_randomized_response_outlook(const sotto_randomized_response_config *config,
                                  double frequency, uint64_t total,
                                  sotto_response_outlook *out_outlook, sotto_error *error)
{
    const sotto_status status = sot_check_response(config, error);
    if (status != SOTTO_OK) return status;
    const channel by = channel_of_response(config);
    return outlook(&by, frequency, total, out_outlook, error);
}

sotto_status sotto_coin_survey_outlook(const sotto_coin_survey_config *config,
                                       double frequency, uint64_t total,
                                       sotto_response_outlook *out_outlook,
                                       sotto_error *error)
{
    const sotto_status status = sot_check_coins(config, error);
    if (status != SOTTO_OK) return status;
    const channel by = channel_of_coins(config);
    return outlook(&by, frequency, total, out_outlook, error);
}
