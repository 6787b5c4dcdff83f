/* sotto/randomized_response.h: each person's answer is randomised before it is collected.
 *
 * Idea        k-ary: report the truth with odds e^epsilon to 1 against each other category. Coin survey:
 *             toss a coin; answer truthfully, or as a second coin says. Every single report is
 *             deniable; the frequencies in a crowd can still be estimated without bias.
 * Theorem     Warner 1965; Kairouz, Oh & Viswanath, JMLR 2016. For any two answers, the
 *             probabilities of a report differ by a factor of at most e^epsilon. The coin
 *             survey's factor is the larger of 1 + t/((1-t) y) and 1 + t/((1-t)(1-y)),
 *             t = P(truth), y = P(yes | no truth). Two fair coins give 3, epsilon = ln 3.
 * Neighbours  SOTTO_REPLACE_ONE: one person's answer is exchanged for any other. The number of people
 *             who take part is public, since every report can be counted; add-remove is refused.
 * Assumes     One person gives one answer. An answer that is no category is reported at random:
 *             refusing it would reveal information about a record.
 * Rounding    None in the k-ary sampler: epsilon is the exact number that the double is, and
 *             coins are exact. The coin survey's probabilities are exact ratios; its epsilon is
 *             rounded up. Proof note: randomized_response.md
 */
#ifndef SOTTO_RANDOMIZED_RESPONSE_H
#define SOTTO_RANDOMIZED_RESPONSE_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>
#include <sotto/gate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- k-ary ---- */

typedef struct sotto_randomized_response_config {
    double epsilon;            /* from 2^-30 to 1e6; has no default */
    uint32_t categories;       /* public, at least 2; has no default */
    sotto_adjacency adjacency; /* SOTTO_REPLACE_ONE; has no default */
    const char *purpose;       /* the question, 1 to 47 bytes; borrowed; has no default */
} sotto_randomized_response_config;

/* Nothing is set. */
SOTTO_API sotto_randomized_response_config sotto_randomized_response_defaults(void);

/* Fills in the plan line of one question, put to any number of people. Each answer is used once,
 * so the question costs each person one epsilon. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_randomized_response_event(const sotto_randomized_response_config *config,
                                sotto_event *out_event, sotto_error *error);

/* Randomises `count` answers, which may be none; `out_reports` may be `answers`. At most min(categories, e^epsilon)
 * trials an answer on average; an answer that is not below `categories` gives a uniform report. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_randomized_response_release(
    sotto_gate *gate, const sotto_randomized_response_config *config,
    const uint32_t *answers, size_t count, uint32_t *out_reports, sotto_error *error);

/* ---- binary, with any two coins ---- */

typedef struct sotto_coin_survey_config {
    uint64_t
        truth_numerator; /* t = P(answer truthfully), strictly between 0 and 1; the */
    uint64_t
        truth_denominator;    /* parts of both ratios are at most 2^31; have no default */
    uint64_t yes_numerator;   /* y = P(report yes, if not truthfully), strictly between */
    uint64_t yes_denominator; /* 0 and 1 */
    sotto_adjacency adjacency; /* SOTTO_REPLACE_ONE; has no default */
    const char *purpose;       /* 1 to 47 bytes; borrowed; has no default */
} sotto_coin_survey_config;

/* Nothing is set. */
SOTTO_API sotto_coin_survey_config sotto_coin_survey_defaults(void);

/* The survey's epsilon, rounded up. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_coin_survey_epsilon(const sotto_coin_survey_config *config,
                          double *out_epsilon_upper, sotto_error *error);

/* The line of a plan that one question takes: SOTTO_RANDOMIZED_RESPONSE of two categories. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_coin_survey_event(
    const sotto_coin_survey_config *config, sotto_event *out_event, sotto_error *error);

/* Randomises `count` answers, 0 (no) or 1 (yes), which may be none; `out_reports` may be `answers`. Any other
 * answer is reported as the second coin says. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_coin_survey_release(
    sotto_gate *gate, const sotto_coin_survey_config *config, const uint32_t *answers,
    size_t count, uint32_t *out_reports, sotto_error *error);

/* ---- estimates from the reports: post-processing, costs nothing ---- */

/* Method of an interval. Values are part of the ABI. */
typedef enum sotto_interval {
    SOTTO_INTERVAL_UNSET = 0,
    SOTTO_INTERVAL_EXACT =
        1, /* Clopper & Pearson 1934: covers at least as often as stated */
    SOTTO_INTERVAL_NORMAL = 2 /* estimate +- z standard errors: for large crowds */
} sotto_interval;

typedef struct sotto_frequency {
    double
        estimate; /* unbiased; may leave [0, 1], and a clipped one would not be unbiased */
    double variance; /* of the estimate around the frequency among the people asked */
    double
        variance_population; /* around the frequency of the population they come from */
    double lower;            /* interval for the population's frequency, within [0, 1] */
    double upper;
} sotto_frequency;

/* Estimates for every category from the number of reports of each; `config` needs epsilon and
 * categories only. The estimates sum to 1. confidence in [0.5, 1), at most 2^33 reports. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_randomized_response_estimate(
    const sotto_randomized_response_config *config, const uint64_t *reports,
    double confidence, sotto_interval interval, sotto_frequency *out_frequencies,
    sotto_error *error);

/* The frequency of "yes", from `yes` reports among `total`. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_coin_survey_estimate(const sotto_coin_survey_config *config, uint64_t yes,
                           uint64_t total, double confidence, sotto_interval interval,
                           sotto_frequency *out_frequency, sotto_error *error);

typedef struct sotto_response_outlook {
    double truth;            /* P(report a category | it is the answer) */
    double other;            /* P(report it | it is not) */
    double report_frequency; /* share of the reports */
    double variance;         /* as in sotto_frequency */
    double variance_population;
} sotto_response_outlook;

/* Predicts the precision of a survey before it is made, for a category of true frequency
 * `frequency` among `total` people. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_randomized_response_outlook(
    const sotto_randomized_response_config *config, double frequency, uint64_t total,
    sotto_response_outlook *out_outlook, sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_coin_survey_outlook(
    const sotto_coin_survey_config *config, double frequency, uint64_t total,
    sotto_response_outlook *out_outlook, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
