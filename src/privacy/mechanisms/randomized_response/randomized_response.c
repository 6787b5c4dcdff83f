#include "privacy/mechanisms/randomized_response/randomized_response.h"

#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/gate/gate.h"
#include "privacy/mechanisms/gate/tape.h"
#include "privacy/mechanisms/selection/selection.h"
#include "random/bernoulli.h"

#define COIN_PART_MAX (UINT64_C(1) << 31)

/* ---- one answer ---- */

/* Values for randomising one answer of either kind. */
typedef struct response_coins {
    uint32_t categories;
    sot_slope epsilon; /* k-ary */
    const sotto_coin_survey_config *coins;
} response_coins;

/* A uniform category is kept if it is the truth, otherwise with probability exp(-epsilon): odds of
 * e^epsilon to 1, without computing them. Without a true category the report is uniform. */
static uint32_t randomise_category(sotto_rng *rng, const response_coins *with,
                                   uint32_t truth)
{
    for (;;) {
        const uint32_t report = (uint32_t)sot_rng_below(rng, with->categories);
        if (report == truth) return report;
        if (sot_bernoulli_exp_unchecked(rng, with->epsilon.numerator,
                                        with->epsilon.denominator)) {
            return report;
        }
    }
}

static uint32_t randomise_coin(sotto_rng *rng, const response_coins *with, uint32_t truth)
{
    const sotto_coin_survey_config *coins = with->coins;
    const bool is_truthful =
        sot_bernoulli_unchecked(rng, coins->truth_numerator, coins->truth_denominator);
    if (is_truthful && truth < 2) return truth;
    return sot_bernoulli_unchecked(rng, coins->yes_numerator, coins->yes_denominator) ? 1
                                                                                      : 0;
}

/* ---- a batch through the gate ---- */

static sotto_status check_adjacency(sotto_adjacency adjacency, sotto_error *error)
{
    if (adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "adjacency is %s; randomized response needs replace-one: the reports "
            "can be counted, so the number of people is public",
            sotto_adjacency_name(adjacency));
    }
    return SOTTO_OK;
}

static sotto_status release(sotto_gate *gate, const sotto_event *event,
                            const response_coins *with, const uint32_t *answers,
                            size_t count, uint32_t *out_reports, sotto_error *error)
{
    sotto_status status = sot_gate_check_adjacency(gate, SOTTO_REPLACE_ONE, error);
    if (status != SOTTO_OK) return status;

    size_t index = 0;
    int64_t *values = sot_new_array(count, sizeof *values); /* answers, then reports */
    if (values == NULL) return sot_fail_memory(error, count, sizeof *values);
    status = sot_gate_admit(gate, event, &index, error);
    if (status != SOTTO_OK) goto done;

    /* An answer that is no category counts as one more category without a name. One
     * person's answer moves one coordinate by at most the number of categories. */
    for (size_t i = 0; i < count; i++)
        values[i] = answers[i] < with->categories ? answers[i] : with->categories;
    const sot_tape_sum_call call = {.index = index,
                                    .values = values,
                                    .count = count,
                                    .norm = SOTTO_L1,
                                    .sensitivity = (double)with->categories};
    if (!sot_tape_sum(gate, &call, values)) {
        sotto_rng *rng = sot_gate_rng(gate);
        for (size_t i = 0; i < count; i++) {
            const uint32_t answer = (uint32_t)values[i];
            values[i] = with->coins == NULL ? randomise_category(rng, with, answer)
                                            : randomise_coin(rng, with, answer);
        }
        status = sot_rng_check(rng, error);
        if (status != SOTTO_OK) goto done;
    }
    sot_tape_sum_result(gate, values, count);
    sot_gate_record(gate, index, 0.0);
    for (size_t i = 0; i < count; i++)
        out_reports[i] = (uint32_t)values[i];
done:
    sot_wipe_and_free(values, count * sizeof *values);
    return status;
}

static sotto_status fill_event(double epsilon, uint32_t categories, const char *purpose,
                               sotto_event *out_event, sotto_error *error)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_RANDOMIZED_RESPONSE;
    event.epsilon = epsilon;
    event.categories = categories;
    const sotto_status status = sot_event_set_purpose(&event, purpose, error);
    if (status == SOTTO_OK) *out_event = event;
    return status;
}

/* ---- k-ary ---- */

sotto_randomized_response_config sotto_randomized_response_defaults(void)
{
    return (sotto_randomized_response_config){.epsilon = SOTTO_UNSET};
}

sotto_status sot_check_response(const sotto_randomized_response_config *config,
                                sotto_error *error)
{
    if (config->categories < 2) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "categories is %" PRIu32
                        "; set it to the number of possible answers, at least 2",
                        config->categories);
    }
    return sot_check_epsilon(config->epsilon, error);
}

sotto_status
sotto_randomized_response_event(const sotto_randomized_response_config *config,
                                sotto_event *out_event, sotto_error *error)
{
    sotto_status status = sot_check_response(config, error);
    if (status == SOTTO_OK) status = check_adjacency(config->adjacency, error);
    if (status != SOTTO_OK) return status;
    return fill_event(config->epsilon, config->categories, config->purpose, out_event,
                      error);
}

sotto_status sotto_randomized_response_release(
    sotto_gate *gate, const sotto_randomized_response_config *config,
    const uint32_t *answers, size_t count, uint32_t *out_reports, sotto_error *error)
{
    sotto_event event;
    const sotto_status status = sotto_randomized_response_event(config, &event, error);
    if (status != SOTTO_OK) return status;
    const response_coins with = {.categories = config->categories,
                                 .epsilon = sot_exact_slope(config->epsilon, 1)};
    return release(gate, &event, &with, answers, count, out_reports, error);
}

/* ---- binary ---- */

sotto_coin_survey_config sotto_coin_survey_defaults(void)
{
    return (sotto_coin_survey_config){0};
}

static bool is_proper(uint64_t numerator, uint64_t denominator)
{
    return numerator > 0 && numerator < denominator && denominator <= COIN_PART_MAX;
}

sotto_status sot_check_coins(const sotto_coin_survey_config *config, sotto_error *error)
{
    const bool truth_is_proper =
        is_proper(config->truth_numerator, config->truth_denominator);
    if (!truth_is_proper || !is_proper(config->yes_numerator, config->yes_denominator)) {
        const bool first = !truth_is_proper;
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the %s coin is %" PRIu64 "/%" PRIu64
            "; give a ratio strictly between 0 and 1 with parts of at most 2^31",
            first ? "truth" : "yes",
            first ? config->truth_numerator : config->yes_numerator,
            first ? config->truth_denominator : config->yes_denominator);
    }
    return SOTTO_OK;
}

sotto_status sotto_coin_survey_epsilon(const sotto_coin_survey_config *config,
                                       double *out_epsilon_upper, sotto_error *error)
{
    const sotto_status status = sot_check_coins(config, error);
    if (status != SOTTO_OK) return status;
    /* t = a/b, y = c/d: `P(yes|yes)/P(yes|no) = 1 + a d/((b-a) c)`, and for "no" d-c stands in
     * place of c. All products are below 2^62; the rarer answer of the second coin decides. */
    const uint64_t no = config->yes_denominator - config->yes_numerator;
    const uint64_t yes = config->yes_numerator;
    const uint64_t rarer = yes < no ? yes : no;
    const uint64_t top = config->truth_numerator * config->yes_denominator;
    const uint64_t bottom = (config->truth_denominator - config->truth_numerator) * rarer;
    const double top_upper = sot_next_up((double)top); /* the conversions round */
    const double bottom_lower = sot_next_down((double)bottom);
    const double ratio = top < UINT64_C(1) << 53 && bottom < UINT64_C(1) << 53
                             ? sot_div_up((double)top, (double)bottom)
                             : sot_div_up(top_upper, bottom_lower);
    *out_epsilon_upper = sot_log1p_up(ratio);
    return SOTTO_OK;
}

sotto_status sotto_coin_survey_event(const sotto_coin_survey_config *config,
                                     sotto_event *out_event, sotto_error *error)
{
    double epsilon = 0.0;
    sotto_status status = sotto_coin_survey_epsilon(config, &epsilon, error);
    if (status == SOTTO_OK) status = check_adjacency(config->adjacency, error);
    if (status != SOTTO_OK) return status;
    return fill_event(epsilon, 2, config->purpose, out_event, error);
}

sotto_status sotto_coin_survey_release(sotto_gate *gate,
                                       const sotto_coin_survey_config *config,
                                       const uint32_t *answers, size_t count,
                                       uint32_t *out_reports, sotto_error *error)
{
    sotto_event event;
    const sotto_status status = sotto_coin_survey_event(config, &event, error);
    if (status != SOTTO_OK) return status;
    const response_coins with = {.categories = 2, .coins = config};
    return release(gate, &event, &with, answers, count, out_reports, error);
}
