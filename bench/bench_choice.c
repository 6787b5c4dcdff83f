/* Times the three choices and checks each against its law: the frequency of one
 * candidate within 6 standard deviations. Prints one JSON line a case; exits 1 if one is off. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "random/choice.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct problem {
    size_t count;
    int64_t *scores;
    uint64_t *measures;
    size_t *order;
    sot_u128 *sums;
} problem;

typedef size_t (*draw)(sotto_rng *rng, const problem *at);

static const sot_slope slope = {1, 2};

static size_t by_rejection(sotto_rng *rng, const problem *at)
{
    return sot_choice_rejection(rng, slope, at->scores, at->count);
}

static size_t by_permutation(sotto_rng *rng, const problem *at)
{
    return sot_choice_permute_and_flip(rng, slope, at->scores, at->count, at->order);
}

static size_t by_weight(sotto_rng *rng, const problem *at)
{
    return sot_choice_weighted(rng, slope, at->scores, at->measures, at->count, at->sums);
}

/* Score 0 for the first candidate, -20 for all others: exp(-10) each. */
static int bench(const char *name, size_t count, draw choose, sotto_rng *rng)
{
    problem at = {.count = count,
                  .scores = calloc(count, sizeof *at.scores),
                  .measures = calloc(count, sizeof *at.measures),
                  .order = calloc(count, sizeof *at.order),
                  .sums = calloc(count, sizeof *at.sums)};
    if (at.scores == NULL || at.measures == NULL || at.order == NULL || at.sums == NULL) {
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        at.scores[i] = i == 0 ? 0 : -20;
        at.measures[i] = 1;
    }
    double first = 0.0, draws = 0.0;
    const double start = seconds();
    while (draws < 20.0 || seconds() - start < 0.3) {
        first += choose(rng, &at) == 0 ? 1.0 : 0.0;
        draws += 1.0;
    }
    const double took = seconds() - start;
    const double w = exp(-10.0), n = (double)count;
    /* Permute and flip: integral of (1 - w u)^(n-1), u from 0 to 1. */
    const double p = choose == by_permutation ? (1.0 - pow(1.0 - w, n)) / (n * w)
                                              : 1.0 / (1.0 + (n - 1.0) * w);
    const double off = fabs(first - draws * p) / sqrt(draws * p * (1.0 - p));
    printf("{\"bench\": \"choice\", \"sampler\": \"%s\", \"candidates\": %zu, "
           "\"microseconds\": %.3f, \"nanoseconds_a_candidate\": %.2f, \"deviations\": "
           "%.2f}\n",
           name, count, 1e6 * took / draws, 1e9 * took / draws / n, off);
    free(at.scores);
    free(at.measures);
    free(at.order);
    free(at.sums);
    return off < 6.0 ? 0 : 1;
}

int main(void)
{
    sotto_rng *rng = NULL;
    if (sotto_rng_new_for_test(7, &rng, NULL) != SOTTO_OK) return 1;
    int failed = 0;
    const size_t counts[] = {100, 10000, 1000000};
    for (size_t i = 0; i < 3; i++) {
        failed |= bench("rejection", counts[i], by_rejection, rng);
        failed |= bench("permute-and-flip", counts[i], by_permutation, rng);
        failed |= bench("weighted", counts[i], by_weight, rng);
    }
    sotto_rng_free(rng);
    return failed;
}
