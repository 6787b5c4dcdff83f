/* Many canaries in one run. */
#include <math.h>
#include <stdlib.h>

#include <sotto/audit_statistics.h>

#include "base/error.h"
#include "base/memory.h"
#include "commands/audit/scores.h"
#include "numeric/outward.h"
#include "numeric/proportion.h"
#include "numeric/special.h"

/* ---- the probability ---- */

typedef struct binomial {
    double n, epsilon;
    double log_p, log_rest; /* p = 1/(1 + e^-epsilon), and log(1 - p) */
} binomial;

static double log_probability(const binomial *law, double k)
{
    return sot_log_binomial(law->n, k) + k * law->log_p + (law->n - k) * law->log_rest;
}

static const double log_least = -700.0;

/* The largest k from `mode` to `k` whose probability is not tiny; probabilities fall from the mode on. */
static double first_visible(const binomial *law, double mode, double k)
{
    if (log_probability(law, k) >= log_least || k <= mode) return k;
    double visible = mode; /* P[mode] >= 1/(n + 1) */
    while (k - visible > 1.0) {
        const double middle = floor((visible + k) / 2.0);
        if (log_probability(law, middle) >= log_least) {
            visible = middle;
        } else {
            k = middle;
        }
    }
    return visible;
}

/* Returns an upper bound on max over 1 <= i <= v of the mean of P[Bin(r, p) = j], j = v - 1, ...,
 * v - i. Downward from v - 1 the terms rise to the mode and then fall. So the running mean rises
 * until a term is below it, and falls from there on. Terms below e^-700 before the mode count as
 * e^-700. */
static double largest_mean_upper(uint64_t r, uint64_t v, double epsilon)
{
    binomial law = {.n = (double)r, .epsilon = epsilon, .log_p = -log1p(exp(-epsilon))};
    law.log_rest = law.log_p - epsilon;
    const double top = (double)(v - 1), odds = exp(-epsilon);
    const double start = first_visible(&law, floor((law.n + 1.0) * exp(law.log_p)), top);
    double steps = top - start, sum = steps * exp(log_least), most = exp(log_least);
    double term = exp(log_probability(&law, start));
    for (double j = start; j >= 0.0; j -= 1.0) {
        sum += term;
        steps += 1.0;
        const double mean = sum / steps;
        most = fmax(most, mean);
        if (term < mean) break;
        term *= j / (law.n - j + 1.0) * odds; /* P[j - 1] */
    }
    /* Errors: 2e-15 of each logarithm; 5 roundings a term and one for each addition. */
    const double logarithms = sot_log_binomial(law.n, start) - start * law.log_p -
                              (law.n - start) * law.log_rest;
    return sot_widen_up(most, 4e-15 * (logarithms + 1.0) + 8.0 * 0x1p-53 * steps);
}

bool sot_one_run_counts(uint64_t canaries, uint64_t guesses, uint64_t correct)
{
    return correct <= guesses && guesses >= 1 && guesses <= canaries &&
           canaries <= SOTTO_AUDIT_COUNT_MAX;
}

double sotto_audit_one_run_probability(uint64_t canaries, uint64_t guesses,
                                       uint64_t correct, double epsilon, double delta)
{
    if (!sot_one_run_counts(canaries, guesses, correct)) return SOTTO_UNSET;
    if (!(epsilon >= 0.0 && delta >= 0.0 && delta <= 1.0)) return SOTTO_UNSET;
    if (correct == 0) return 1.0;
    const double p =
        fmin(1.0, sot_div_up(1.0, sot_add_down(1.0, sot_exp_down(-epsilon))));
    const double tail = sot_binomial_tail_upper(guesses, p, correct);
    if (delta == 0.0 || tail >= 1.0) return tail;
    const double often = sot_mul_up(sot_mul_up(2.0 * (double)canaries, delta),
                                    largest_mean_upper(guesses, correct, epsilon));
    return fmin(1.0, sot_add_up(tail, often));
}

double sotto_audit_one_run_epsilon(uint64_t canaries, uint64_t guesses, uint64_t correct,
                                   double delta, double alpha)
{
    if (!(alpha > 0.0 && alpha < 1.0)) return SOTTO_UNSET;
    const double at_zero =
        sotto_audit_one_run_probability(canaries, guesses, correct, 0.0, delta);
    if (isnan(at_zero)) return SOTTO_UNSET;
    if (!(at_zero < alpha)) return 0.0;
    double lower = 0.0,
           upper = 1.0; /* below alpha at the lower end, and not at the upper */
    while (upper < 1e6 && sotto_audit_one_run_probability(canaries, guesses, correct,
                                                          upper, delta) < alpha) {
        lower = upper;
        upper *= 2.0;
    }
    for (int i = 0; i < 60 && upper - lower > 1e-12 * upper; i++) {
        const double middle = lower + (upper - lower) / 2.0;
        if (sotto_audit_one_run_probability(canaries, guesses, correct, middle, delta) <
            alpha) {
            lower = middle;
        } else {
            upper = middle;
        }
    }
    return lower;
}

/* ---- guesses from scores ---- */

typedef struct canary {
    double score;
    bool included;
} canary;

/* Ascending. Among equal scores, included canaries come first. Guesses at either end then meet
 * the wrong ones first, so the order of the list cannot turn uninformative scores into right
 * guesses. */
static int compare_canaries(const void *a, const void *b)
{
    const canary *x = a, *y = b;
    const int by_score = sot_compare_scores(&x->score, &y->score);
    return by_score != 0 ? by_score : (int)y->included - (int)x->included;
}

/* "Out" for the guesses/2 smallest scores, "in" for the others of the largest. */
static uint64_t count_correct(const canary *sorted, size_t count, size_t guesses)
{
    const size_t outs = guesses / 2, ins = guesses - outs;
    uint64_t correct = 0;
    for (size_t i = 0; i < outs; i++)
        correct += sorted[i].included ? 0 : 1;
    for (size_t i = count - ins; i < count; i++)
        correct += sorted[i].included ? 1 : 0;
    return correct;
}

static sotto_one_run result_of(const canary *sorted, size_t count, size_t guesses,
                               double delta, double alpha)
{
    const uint64_t correct = count_correct(sorted, count, guesses);
    return (sotto_one_run){
        .canaries = count,
        .guesses = guesses,
        .correct = correct,
        .alpha = alpha,
        .epsilon_lower =
            sotto_audit_one_run_epsilon(count, guesses, correct, delta, alpha),
        .mu_guesses = guesses,
        .mu_correct = correct,
        .mu_lower = sotto_audit_one_run_mu(count, guesses, correct, alpha)};
}

enum { GUESSES_LEAST = 8 };

static void take_mu(sotto_one_run *into, const sotto_one_run *from)
{
    into->mu_guesses = from->mu_guesses;
    into->mu_correct = from->mu_correct;
    into->mu_lower = from->mu_lower;
}

/* All of count, count/2, count/4, ..., down to 8 guesses; each at `alpha`; the best for either. */
static sotto_one_run best_of_halves(const canary *sorted, size_t count, double delta,
                                    double alpha)
{
    sotto_one_run best = result_of(sorted, count, count, delta, alpha);
    for (size_t guesses = count / 2; guesses >= GUESSES_LEAST; guesses /= 2) {
        sotto_one_run other = result_of(sorted, count, guesses, delta, alpha);
        if (!(other.mu_lower > best.mu_lower)) take_mu(&other, &best);
        if (other.epsilon_lower > best.epsilon_lower)
            best = other;
        else
            take_mu(&best, &other);
    }
    return best;
}

/* The number of guess counts that it tries. */
static size_t halves_of(size_t count)
{
    size_t tried = 1;
    for (size_t guesses = count / 2; guesses >= GUESSES_LEAST; guesses /= 2)
        tried++;
    return tried;
}

/* Sorts every second canary before the others, each half by score. */
static size_t sort_halves(canary *all, size_t count, canary *scratch)
{
    size_t first = 0, second = (count + 1) / 2;
    for (size_t i = 0; i < count; i++)
        scratch[i % 2 == 0 ? first++ : second++] = all[i];
    for (size_t i = 0; i < count; i++)
        all[i] = scratch[i];
    qsort(all, first, sizeof *all, compare_canaries);
    qsort(all + first, count - first, sizeof *all, compare_canaries);
    return first;
}

/* The same share of `rest` that the guesses are of `half`. */
static size_t share_of(size_t rest, uint64_t guesses, size_t half)
{
    const size_t share = (size_t)((double)rest * (double)guesses / (double)half);
    return share < 1 ? 1 : share;
}

/* The number of guesses is a function of the model, through the scores of the first half. Without
 * a delta this costs nothing: the bound on epsilon holds for every model. With a delta the two
 * parts of the bound, the tail and the delta's, may have their largest values at different
 * numbers of guesses. If each is below alpha/2, their sum is below alpha. The bound on mu is for
 * all models together, and pays for every number of guesses that could have been chosen:
 * statistics.md. */
static sotto_one_run by_split(canary *all, canary *scratch, size_t count, double delta,
                              double alpha)
{
    const size_t half = sort_halves(all, count, scratch);
    const size_t rest = count - half;
    const sotto_one_run chosen = best_of_halves(all, half, delta, alpha);
    sotto_one_run found =
        result_of(all + half, rest, share_of(rest, chosen.guesses, half), delta,
                  delta > 0.0 ? 0.5 * alpha : alpha);
    const sotto_one_run by_mu =
        result_of(all + half, rest, share_of(rest, chosen.mu_guesses, half), delta,
                  alpha / (double)halves_of(half));
    take_mu(&found, &by_mu);
    return found;
}

static sotto_status check_one_run(const double *scores, size_t canaries,
                                  sotto_one_run_choice choice, size_t guesses,
                                  double delta, double alpha, sotto_error *error)
{
    sotto_status status = sot_audit_check_levels(alpha, delta, error);
    if (status == SOTTO_OK)
        status = sot_audit_check_scores(scores, canaries, 16, "canaries", error);
    if (status != SOTTO_OK) return status;
    if (choice < SOTTO_ONE_RUN_FIXED || choice > SOTTO_ONE_RUN_UNION) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the choice is %d; set it to one of sotto_one_run_choice",
                        (int)choice);
    }
    const bool fits = choice == SOTTO_ONE_RUN_FIXED ? guesses >= 1 && guesses <= canaries
                                                    : guesses == 0;
    if (fits) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%zu guesses about %zu canaries; give from 1 to all of them if their "
                    "number is fixed, and 0 if it is to be chosen",
                    guesses, canaries);
}

sotto_status sotto_audit_one_run(const double *scores, const bool *included,
                                 size_t canaries, sotto_one_run_choice choice,
                                 size_t guesses, double delta, double alpha,
                                 sotto_one_run *out_result, sotto_error *error)
{
    const sotto_status status =
        check_one_run(scores, canaries, choice, guesses, delta, alpha, error);
    if (status != SOTTO_OK) return status;
    canary *all = sot_new_array(canaries, sizeof *all);
    canary *scratch = sot_new_array(canaries, sizeof *scratch);
    if (all == NULL || scratch == NULL) {
        sot_free(all);
        sot_free(scratch);
        return sot_fail_memory(error, canaries, sizeof *all);
    }
    for (size_t i = 0; i < canaries; i++)
        all[i] = (canary){.score = scores[i], .included = included[i]};
    if (choice == SOTTO_ONE_RUN_SPLIT) {
        *out_result = by_split(all, scratch, canaries, delta, alpha);
    } else {
        qsort(all, canaries, sizeof *all, compare_canaries);
        const double share = alpha / (double)halves_of(canaries);
        *out_result = choice == SOTTO_ONE_RUN_FIXED
                          ? result_of(all, canaries, guesses, delta, alpha)
                          : best_of_halves(all, canaries, delta, share);
    }
    sot_free(all);
    sot_free(scratch);
    return SOTTO_OK;
}
