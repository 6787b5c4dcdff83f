/* A small audit: do repeated releases on neighbours refute what the event claims?
 *
 * Method      Two worlds whose sums differ by the declared sensitivity, RUNS independent releases
 *             in each, a threshold fixed in advance. Clopper and Pearson's bounds on the false
 *             positive and false negative rate, at ALPHA / 2 each, bound the true privacy loss
 *             from below: for a GDP claim mu >= quantile(1 - fpr) - quantile(fnr) (Nasr et al.
 *             2023), for a pure claim epsilon >= log(tpr / fpr), for (epsilon, delta)
 *             delta >= tpr - e^epsilon fpr.
 * False alarm A true claim is refuted with probability at most ALPHA, once and for all: seeds are
 *             fixed. The auditor itself is tried on equal worlds and on false claims.
 * Power       Noise too small by 1.2 is found in the rounded Gaussian and in Laplace with
 *             probability above 0.999; in the discrete Gaussian, whose zCDP price leaves a gap,
 *             noise too small by 2. */
#include "random/laws.h"
#include "release_support.h"

#include "numeric/special.h"

enum { RUNS = 65536 };
#define ALPHA 1e-6

typedef struct rates {
    double tpr_lower, fpr_upper, fnr_upper;
} rates;

static double upper_rate(size_t hits)
{
    if (hits == RUNS) return 1.0;
    return sot_incomplete_beta_inverse((double)hits + 1.0, (double)(RUNS - hits),
                                       1.0 - ALPHA / 2.0);
}

/* Worlds of `width` coordinates, `shift` apart in each; the score is the sum of the coordinates. */
static rates attack(const additive *mechanism, size_t width, int64_t shift,
                    double threshold)
{
    int64_t *values = new_integers(RUNS * width);
    size_t hits[2] = {0};
    for (int world = 0; world < 2; world++) {
        const uint64_t seed = 9000 + 10 * width + (uint64_t)world;
        release_many(mechanism, seed, world * shift, RUNS, width, values);
        for (size_t i = 0; i < RUNS; i++) {
            double score = 0.0;
            for (size_t j = 0; j < width; j++)
                score += (double)values[i * width + j];
            hits[world] += score > threshold;
        }
    }
    free(values);
    const rates found = {.fpr_upper = upper_rate(hits[0]),
                         .fnr_upper = upper_rate(RUNS - hits[1]),
                         .tpr_lower = 1.0 - upper_rate(RUNS - hits[1])};
    return found;
}

static double mu_lower(rates found)
{
    return sot_normal_quantile(1.0 - found.fpr_upper) -
           sot_normal_quantile(found.fnr_upper);
}

static double epsilon_lower(rates found)
{
    return log(found.tpr_lower / found.fpr_upper);
}

/* mu = 1: the claim is what the event says. */
static void gaussian_releases_keep_their_gdp(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    const additive mechanism = {ROUNDED, 4.0, 4.0};
    assert_ok(additive_event(&mechanism, &event, &error), &error);
    const double claim = 1.0 / event.noise_multiplier;
    /* One coordinate that moves by 4, and sixteen that move by 1: the same distance. */
    assert_within(mu_lower(attack(&mechanism, 1, 4, 2.0)), 0.9 * claim, claim);
    assert_within(mu_lower(attack(&mechanism, 16, 1, 8.0)), 0.9 * claim, claim);
}

static void laplace_releases_keep_their_epsilon(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    const additive mechanism = {LAPLACE, 2.0, 2.0};
    assert_ok(additive_event(&mechanism, &event, &error), &error);
    const double claim = event.sensitivity / event.scale;
    assert_within(epsilon_lower(attack(&mechanism, 1, 2, 1.5)), 0.9 * claim, claim);
}

/* The claim is the certified delta at epsilon = 1/2 of the planned event. */
static void discrete_gaussian_releases_keep_their_delta(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    const additive mechanism = {DISCRETE, 16.0, 16.0};
    assert_ok(additive_event(&mechanism, &event, &error), &error);
    open_gate made = open_gate_new(&event, 1, SOTTO_ADD_REMOVE, 1);
    sotto_account account;
    assert_ok(sotto_account_delta(made.plan, SOTTO_EXACT, 0.5, &account, &error), &error);
    open_gate_free(&made);
    /* The best threshold: where the likelihood ratio is e^(1/2). */
    const rates found = attack(&mechanism, 1, 16, 8.0 + 0.5 * 16.0);
    const double delta_lower = found.tpr_lower - exp(0.5) * found.fpr_upper;
    assert_within(delta_lower, 0.2 * account.delta, account.delta);
}

/* ---- the auditor itself ---- */

static void equal_worlds_refute_nothing(void **state)
{
    (void)state;
    const additive gaussian = {ROUNDED, 4.0, 4.0}, laplace = {LAPLACE, 2.0, 2.0};
    assert_within(mu_lower(attack(&gaussian, 1, 0, 2.0)), -0.1, 0.0);
    assert_within(epsilon_lower(attack(&laplace, 1, 0, 1.5)), -0.1, 0.0);
}

static void claims_that_are_too_good_are_refuted(void **state)
{
    (void)state;
    /* Noise of 4 / 1.2, as if 4 had been meant; 2 / 1.2 likewise. */
    const additive gaussian = {ROUNDED, 4.0 / 1.2, 4.0},
                   laplace = {LAPLACE, 2.0 / 1.2, 2.0};
    assert_true(mu_lower(attack(&gaussian, 1, 4, 2.0)) > 1.0);
    assert_true(epsilon_lower(attack(&laplace, 1, 2, 1.5)) > 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussian_releases_keep_their_gdp),
        cmocka_unit_test(laplace_releases_keep_their_epsilon),
        cmocka_unit_test(discrete_gaussian_releases_keep_their_delta),
        cmocka_unit_test(equal_worlds_refute_nothing),
        cmocka_unit_test(claims_that_are_too_good_are_refuted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
