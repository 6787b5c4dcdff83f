/* The largest budget of one training with which the whole tuning stays within its budget.
 * No record is read here. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "commands/session/session.h"
#include "commands/tune/tune.h"
#include "methods/kinds.h"
#include "numeric/outward.h"
#include "privacy/accounting/selection/selection.h"

/* ---- the plans of single trainings ---- */

static void clear_run(sot_tuned_run *run)
{
    sotto_plan_free(run->plan);
    sotto_training_free(run->training);
    *run = (sot_tuned_run){.plan = NULL};
}

static void free_runs(sotto_tuning *tuning)
{
    for (size_t i = 0; tuning->runs != NULL && i < tuning->candidates.count; i++)
        clear_run(&tuning->runs[i]);
}

/* Plans the training's events, and then its score. */
static sotto_status plan_run(const sotto_tuning *tuning, sot_tuned_run *run,
                             sotto_error *error)
{
    const sotto_training *training = run->training;
    if (training->plan == NULL) return SOTTO_OK;
    sotto_status status =
        sotto_plan_new(sotto_plan_adjacency(training->plan), &run->plan, error);
    for (size_t i = 0; status == SOTTO_OK && i < sotto_plan_size(training->plan); i++)
        status = sotto_plan_add(run->plan, sotto_plan_event(training->plan, i), error);
    if (status == SOTTO_OK && !isnan(tuning->config.score_epsilon)) {
        status =
            sot_tune_score_plan(training, tuning->config.score_epsilon, run->plan, error);
    }
    return status;
}

/* Which candidate a refusal is about. */
static sotto_status name_candidate(const sotto_tuning *tuning, size_t index,
                                   sotto_status status, sotto_error *error)
{
    char name[SOT_TUNE_TEXT_BYTES], message[SOTTO_MESSAGE_BYTES];
    if (status != SOTTO_INVALID_ARGUMENT || error == NULL) return status;
    sot_tuning_name(tuning, index, name);
    (void)snprintf(message, sizeof message, "%s", error->message);
    return sot_fail(error, status, "%.60s: %.190s", name, message);
}

static sotto_status plan_candidate(const sotto_tuning *tuning, size_t index,
                                   double epsilon, sot_tuned_run *run, sotto_error *error)
{
    sotto_train_config config = tuning->config.train;
    config.epsilon = epsilon;
    sotto_status status =
        sot_candidates_apply(&tuning->candidates, index, &config, error);
    /* Public rows may serve for a simulation of a private training; its plan is the same. */
    if (!sot_method_row_of(config.method)->noiseless) config.data_is_public = false;
    if (status == SOTTO_OK)
        status = sot_training_plan_with(&config, tuning->schema, tuning->inputs,
                                        &run->training, error);
    return status == SOTTO_OK ? plan_run(tuning, run, error) : status;
}

sotto_status sot_tuning_plan_runs(sotto_tuning *tuning, double epsilon,
                                  sotto_error *error)
{
    free_runs(tuning);
    tuning->run_epsilon = epsilon;
    for (size_t i = 0; i < tuning->candidates.count; i++) {
        const sotto_status status =
            plan_candidate(tuning, i, epsilon, &tuning->runs[i], error);
        if (status != SOTTO_OK) return name_candidate(tuning, i, status, error);
    }
    return SOTTO_OK;
}

/* Without the marks of settings, which only error messages spell out. */
static void copy_plain(char out[SOTTO_MESSAGE_BYTES], const char *message)
{
    for (; *message != '\0'; message++)
        if (*message != '`') *out++ = *message;
    *out = '\0';
}

static bool is_refused(const sotto_tuning *tuning, size_t index, double epsilon,
                       sotto_error *error)
{
    sot_tuned_run run = {.plan = NULL};
    const sotto_status status = plan_candidate(tuning, index, epsilon, &run, error);
    clear_run(&run);
    return status == SOTTO_INVALID_ARGUMENT;
}

bool sot_tuning_skip_refused(sotto_tuning *tuning)
{
    const double ample = 64.0; /* refused here too, a candidate is a mistake */
    const size_t count = tuning->candidates.count;
    bool refused[SOT_TUNE_CANDIDATES_MAX];
    size_t skipped = 0;
    free_runs(tuning);
    for (size_t i = 0; i < count; i++) {
        sotto_error error = {.status = SOTTO_OK};
        refused[i] = is_refused(tuning, i, tuning->run_epsilon, &error);
        if (refused[i] && is_refused(tuning, i, ample, NULL)) return false;
        if (refused[i] && skipped++ == 0 && tuning->skip_reason[0] == '\0')
            copy_plain(tuning->skip_reason, error.message);
    }
    if (skipped == 0 || skipped == count) return false;
    for (size_t i = 0, gone = 0; i < count; i++)
        if (refused[i]) sot_candidates_skip(&tuning->candidates, i - gone++);
    return true;
}

/* Gathers the basis of the price. Settings that do not change the plan share one. */
static sotto_status gather_plans(sotto_tuning *tuning, sotto_error *error)
{
    const size_t candidates = tuning->candidates.count;
    sotto_status status = SOTTO_OK;
    if (tuning->distinct == NULL)
        tuning->distinct = sot_new_array(candidates, sizeof *tuning->distinct);
    if (tuning->distinct == NULL)
        return sot_fail_memory(error, candidates, sizeof *tuning->distinct);
    char **texts = sot_new_array(candidates, sizeof *texts);
    if (texts == NULL) return sot_fail_memory(error, candidates, sizeof *texts);
    size_t count = 0;
    for (size_t i = 0; status == SOTTO_OK && i < candidates; i++) {
        bool known = false;
        status = sotto_plan_to_json(tuning->runs[i].plan, &texts[count], error);
        if (status != SOTTO_OK) break;
        for (size_t k = 0; !known && k < count; k++)
            known = strcmp(texts[k], texts[count]) == 0;
        if (known) {
            sotto_free(texts[count]);
            texts[count] = NULL;
        } else {
            tuning->distinct[count++] = tuning->runs[i].plan;
        }
    }
    for (size_t k = 0; k < candidates; k++)
        sotto_free(texts[k]);
    sot_free(texts);
    tuning->selection = (sotto_selection){
        .runs = tuning->config.runs, .plans = tuning->distinct, .plan_count = count};
    return status;
}

/* ---- the price of the whole ---- */

/* One event: pure without a delta, else a curve over orders that lie close. */
static sotto_status make_event(sotto_tuning *tuning, sotto_error *error)
{
    const double first = log(0.02), last = log(4000.0); /* of order - 1 */
    const bool pure = isnan(tuning->config.train.delta);
    for (size_t i = 0; i < SOT_TUNE_ORDERS; i++) {
        const double share = (double)i / (double)(SOT_TUNE_ORDERS - 1);
        tuning->orders[i] = 1.0 + exp(first + (last - first) * share);
    }
    return sot_selection_price_event(&tuning->selection, tuning->orders,
                                     pure ? 0 : SOT_TUNE_ORDERS, tuning->curve,
                                     &tuning->event, error);
}

/* Samplers' errors: of the worst setting, times the mean number of trainings (best_run.md). Without a delta the runs'
 * own tiny ones, as many times. */
static void add_errors(sotto_tuning *tuning)
{
    const double mean = sotto_runs_mean(&tuning->config.runs);
    double delta = 0.0;
    tuning->run_sampler_error = 0.0;
    for (size_t i = 0; i < tuning->candidates.count; i++) {
        const sotto_training *training = tuning->runs[i].training;
        tuning->run_sampler_error =
            fmax(tuning->run_sampler_error, training->learner->sampler_error);
        delta = fmax(delta, training->delta);
    }
    tuning->sampler_error = sot_mul_up(mean, tuning->run_sampler_error);
    tuning->delta = tuning->config.train.delta;
    if (!isnan(tuning->delta)) return;
    /* The price of (1 + e^epsilon) sampler_error grows with the number of trainings and with the larger epsilon. */
    tuning->delta =
        delta > 0.0
            ? fmin(0.5, delta * fmax(1.0, mean) * exp(tuning->config.train.epsilon))
            : 0.0;
}

/* The whole, if every training has this budget. */
static sotto_status price(sotto_tuning *tuning, double run_epsilon, sotto_error *error)
{
    sotto_plan_free(tuning->plan);
    tuning->plan = NULL;
    sotto_status status = sot_tuning_plan_runs(tuning, run_epsilon, error);
    if (status == SOTTO_OK) status = gather_plans(tuning, error);
    if (status == SOTTO_OK) status = make_event(tuning, error);
    if (status == SOTTO_OK) add_errors(tuning);
    if (status == SOTTO_OK)
        status = sot_plan_new_for(tuning->config.train.adjacency, tuning->schema,
                                  &tuning->plan, error);
    if (status == SOTTO_OK) status = sotto_plan_add(tuning->plan, &tuning->event, error);
    if (status == SOTTO_OK) {
        status =
            sotto_account_epsilon_inexact(tuning->plan, SOTTO_EXACT, tuning->delta,
                                          tuning->sampler_error, &tuning->account, error);
    }
    tuning->run_epsilon = run_epsilon;
    return status;
}

/* ---- the search ---- */

enum { TRIES = 40 };
static const double close_enough = 0.999; /* of the budget */

/* A bracket of budgets of one training: the whole costs `low_cost` at `low`, which fits, and more than is allowed at
 * `high`. Some settings need a budget of their own: at `refused` and below one was refused. */
typedef struct bracket {
    double refused; /* 0: none was */
    double
        first_refused; /* the least of them, with which the message is on the safe side */
    double low, low_cost; /* 0: none found yet */
    double high, high_cost;
} bracket;

static double next_try(const bracket *at, double budget)
{
    if (at->low == 0.0 && at->refused > 0.0)
        return sqrt(at->refused * fmin(at->high, budget));
    if (at->low == 0.0) {
        const double ratio = isfinite(at->high_cost) ? budget / at->high_cost : 0.25;
        return at->high * fmin(0.9, fmax(0.1, 0.98 * ratio));
    }
    if (isinf(at->high)) return at->low * fmin(4.0, 1.001 * budget / at->low_cost);
    const double width = at->high - at->low;
    const double aim = 0.5 * (1.0 + close_enough) * budget;
    const double share = isfinite(at->high_cost)
                             ? (aim - at->low_cost) / (at->high_cost - at->low_cost)
                             : 0.5;
    return at->low + width * fmin(0.9, fmax(0.1, share));
}

static sotto_status refuse(const sotto_tuning *tuning, sotto_error *error)
{
    return sot_fail(error, SOTTO_UNREACHABLE,
                    "`epsilon` is %g, too small for any training of this tuning; give a "
                    "larger one%s, or fewer runs",
                    tuning->config.train.epsilon,
                    isnan(tuning->config.score_epsilon) ? "" : ", a cheaper score");
}

/* Nothing fits: because all cost too much, or because settings want more than there is, which `price` says again. */
static sotto_status give_up(sotto_tuning *tuning, const bracket *at, sotto_error *error)
{
    const double score = tuning->config.score_epsilon;
    const double budget = tuning->config.train.epsilon;
    if (at->refused == 0.0) return refuse(tuning, error);
    if (!isnan(score) && at->high < 0.1 * budget) {
        return sot_fail(error, SOTTO_UNREACHABLE,
                        "`score_epsilon` is %g and leaves each training less than %g of "
                        "the epsilon %g; give a smaller score, or a larger `epsilon`",
                        score, at->high, budget);
    }
    const sotto_status status = price(tuning, at->first_refused, error);
    tuning->run_epsilon =
        at->refused; /* the most generous: nothing is skipped too early */
    return status == SOTTO_OK ? refuse(tuning, error) : status;
}

sotto_status sot_tuning_calibrate(sotto_tuning *tuning, sotto_error *error)
{
    const double budget = tuning->config.train.epsilon;
    bracket at = {.high = HUGE_VAL, .high_cost = HUGE_VAL};
    double guess = budget / 2.5;
    for (int i = 0; i < TRIES; i++) {
        const sotto_status status = price(tuning, guess, error);
        const bool refused = status == SOTTO_INVALID_ARGUMENT && at.low == 0.0;
        if (status != SOTTO_OK && status != SOTTO_UNREACHABLE && !refused) return status;
        const double cost = status == SOTTO_OK ? tuning->account.epsilon : HUGE_VAL;
        if (refused) {
            if (at.refused == 0.0) at.first_refused = guess;
            at.refused = guess;
        } else if (cost <= budget) {
            at.low = guess;
            at.low_cost = cost;
            if (cost >= close_enough * budget) return SOTTO_OK;
        } else {
            at.high = guess;
            at.high_cost = cost;
        }
        if (at.low == 0.0 &&
            (at.high < 1e-4 * budget || fmin(at.high, budget) < 1.01 * at.refused))
            return give_up(tuning, &at, error);
        if (at.low > 0.0 && at.high < 1.0001 * at.low) break;
        guess = next_try(&at, budget);
    }
    if (at.low == 0.0) return give_up(tuning, &at, error);
    return price(tuning, at.low, error); /* the last one that was within the budget */
}
