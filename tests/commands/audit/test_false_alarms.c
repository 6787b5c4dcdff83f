/* Auditors have bugs too: on scores that say nothing every estimator must keep its level, and on scores that say much it
 * must say so. Fixed seeds; a correct estimator fails one of these comparisons with a probability below 1e-6 each. */
#include "random/laws.h"

#include <sotto/audit_statistics.h>

#include "base/memory.h"
#include "random/normal.h"

enum { STUDIES = 1500, RUNS = 400, CANARIES = 256 };

static void draw_normals(sotto_rng *rng, double *out, size_t count, double shift)
{
    sotto_error error;
    assert_ok(sot_normal_fill(rng, out, count, &error), &error);
    for (size_t i = 0; i < count; i++)
        out[i] += shift;
}

/* With level alpha at most this many of STUDIES alarms, but for a chance of 1e-6. */
static double alarms_most(double alpha)
{
    const double mean = alpha * STUDIES;
    return mean + 4.8 * sqrt(mean) + 4.0;
}

static void thresholds_of_the_other_half_raise_no_false_alarms(void **state)
{
    (void)state;
    sotto_error error;
    const double alpha = 0.05;
    sotto_rng *rng = test_rng(1000);
    static double members[RUNS], others[RUNS];
    double mu_alarms = 0.0, epsilon_alarms = 0.0;
    for (int study = 0; study < STUDIES; study++) {
        draw_normals(rng, members, RUNS, 0.0);
        draw_normals(rng, others, RUNS, 0.0);
        for (int kind = SOTTO_AIM_MU; kind <= SOTTO_AIM_EPSILON; kind++) {
            sotto_audit_counts counts;
            sotto_audit_bounds bounds;
            double threshold;
            assert_ok(sotto_audit_split(members, RUNS, others, RUNS,
                                        (sotto_audit_aim)kind, alpha, 0.0, &threshold,
                                        &counts, &error),
                      &error);
            assert_int_equal(counts.members, RUNS / 2);
            assert_int_equal(counts.others, RUNS / 2);
            assert_ok(sotto_audit_bounds_of(&counts, alpha, 0.0, &bounds, &error),
                      &error);
            mu_alarms += kind == SOTTO_AIM_MU && bounds.mu_lower > 0.0 ? 1.0 : 0.0;
            epsilon_alarms +=
                kind == SOTTO_AIM_EPSILON && bounds.epsilon_lower > 0.0 ? 1.0 : 0.0;
        }
    }
    /* Two limits at alpha/2 must both be badly placed: far fewer than alpha, when the threshold was fixed
     * before. Chosen on the same runs it is a few per cent. */
    assert_within(mu_alarms, 0.0, alarms_most(0.01));
    assert_within(epsilon_alarms, 0.0, alarms_most(0.01));
    sotto_rng_free(rng);
}

/* Claims that are just true: N(mu, 1) against N(0, 1) is mu-GDP. */
static void true_claims_are_not_refuted(void **state)
{
    (void)state;
    sotto_error error;
    const double alpha = 0.05, mu = 1.25;
    sotto_rng *rng = test_rng(1010);
    static double members[RUNS], others[RUNS];
    double alarms = 0.0, near = 0.0;
    for (int study = 0; study < STUDIES; study++) {
        sotto_audit_counts counts;
        sotto_audit_bounds bounds;
        double threshold;
        draw_normals(rng, members, RUNS, mu);
        draw_normals(rng, others, RUNS, 0.0);
        assert_ok(sotto_audit_split(members, RUNS, others, RUNS, SOTTO_AIM_MU, alpha, 0.0,
                                    &threshold, &counts, &error),
                  &error);
        assert_ok(sotto_audit_bounds_of(&counts, alpha, 0.0, &bounds, &error), &error);
        alarms += bounds.mu_lower > mu ? 1.0 : 0.0;
        near += bounds.mu_lower > 0.6 * mu ? 1.0 : 0.0;
    }
    assert_within(alarms, 0.0, alarms_most(alpha));
    assert_true(near > 0.5 * STUDIES); /* and most see a good part of it */
    sotto_rng_free(rng);
}

/* Canaries whose scores are shifted by `signal` where they are in. */
static sotto_one_run one_study(sotto_rng *rng, sotto_one_run_choice choice,
                               size_t guesses, double signal, double alpha)
{
    sotto_error error;
    static double scores[CANARIES];
    static bool included[CANARIES];
    sotto_one_run result;
    draw_normals(rng, scores, CANARIES, 0.0);
    for (size_t i = 0; i < CANARIES; i++) {
        included[i] = (sot_rng_u64(rng) & 1) != 0;
        scores[i] += included[i] ? signal : 0.0;
    }
    assert_ok(sotto_audit_one_run(scores, included, CANARIES, choice, guesses, 0.0, alpha,
                                  &result, &error),
              &error);
    return result;
}

static void choices_of_guesses_are_paid_for(void **state)
{
    (void)state;
    const double alpha = 0.05;
    sotto_rng *rng = test_rng(1020);
    for (int choice = SOTTO_ONE_RUN_FIXED; choice <= SOTTO_ONE_RUN_UNION; choice++) {
        const size_t guesses = choice == SOTTO_ONE_RUN_FIXED ? 64 : 0;
        double alarms = 0.0;
        for (int study = 0; study < STUDIES; study++) {
            const sotto_one_run got =
                one_study(rng, (sotto_one_run_choice)choice, guesses, 0.0, alpha);
            alarms += got.epsilon_lower > 0.0 ? 1.0 : 0.0;
        }
        assert_within(alarms, 0.0, alarms_most(alpha));
        /* A loud canary is heard, and not above what is true: signal 4 tells nearly all. */
        const sotto_one_run loud =
            one_study(rng, (sotto_one_run_choice)choice, guesses, 4.0, alpha);
        assert_true(loud.epsilon_lower > 1.5);
        assert_true(loud.correct <= loud.guesses && loud.guesses <= loud.canaries);
        assert_int_equal(loud.canaries,
                         choice == SOTTO_ONE_RUN_SPLIT ? CANARIES / 2 : CANARIES);
    }
    sotto_rng_free(rng);
}

/* The number of guesses that a split chooses is a function of the model; with a delta that is paid for. */
static void a_split_pays_for_its_choice_if_there_is_a_delta(void **state)
{
    (void)state;
    sotto_error error;
    double scores[64];
    bool included[64];
    for (size_t i = 0; i < 64; i++) {
        included[i] = i % 4 < 2;
        scores[i] = included[i] ? 1.0 : -1.0;
    }
    for (int pure = 0; pure < 2; pure++) {
        const double delta = pure == 1 ? 0.0 : 1e-6;
        sotto_one_run got;
        assert_ok(sotto_audit_one_run(scores, included, 64, SOTTO_ONE_RUN_SPLIT, 0, delta,
                                      0.05, &got, &error),
                  &error);
        assert_true(got.alpha == (pure == 1 ? 0.05 : 0.025));
        assert_true(got.epsilon_lower ==
                    sotto_audit_one_run_epsilon(got.canaries, got.guesses, got.correct,
                                                delta, got.alpha));
        assert_true(got.epsilon_lower > 1.0);
        /* Of mu every number is paid for that could have been chosen: 32, 16 or 8 of 32. */
        assert_true(got.mu_lower == sotto_audit_one_run_mu(got.canaries, got.mu_guesses,
                                                           got.mu_correct, 0.05 / 3.0));
    }
}

/* Randomized response is epsilon-DP for every canary at once: nothing above epsilon may be found. */
static void canaries_under_randomized_response_stay_below_epsilon(void **state)
{
    (void)state;
    sotto_error error;
    const double alpha = 0.05, epsilon = 1.0;
    const double truth = 1.0 / (1.0 + exp(-epsilon));
    sotto_rng *rng = test_rng(1030);
    double alarms = 0.0, largest = 0.0;
    for (int study = 0; study < STUDIES; study++) {
        double scores[CANARIES];
        bool included[CANARIES];
        sotto_one_run got;
        for (size_t i = 0; i < CANARIES; i++) {
            included[i] = (sot_rng_u64(rng) & 1) != 0;
            const bool tells = (double)(sot_rng_u64(rng) >> 11) * 0x1p-53 < truth;
            /* The tie is broken by noise that knows nothing. */
            scores[i] = (included[i] == tells ? 1.0 : -1.0) +
                        (double)(sot_rng_u64(rng) >> 11) * 0x1p-60;
        }
        assert_ok(sotto_audit_one_run(scores, included, CANARIES, SOTTO_ONE_RUN_FIXED,
                                      CANARIES, 0.0, alpha, &got, &error),
                  &error);
        alarms += got.epsilon_lower > epsilon ? 1.0 : 0.0;
        largest = fmax(largest, got.epsilon_lower);
    }
    assert_within(alarms, 0.0, alarms_most(alpha));
    assert_within(largest, 0.7 * epsilon, 2.0 * epsilon);
    sotto_rng_free(rng);
}

/* Whatever order the canaries are listed in, scores that are all the same find nothing. */
static void equal_scores_say_nothing(void **state)
{
    (void)state;
    sotto_error error;
    const double scores[64] = {0};
    bool included[64];
    for (int order = 0; order < 4; order++) {
        for (int i = 0; i < 64; i++)
            included[i] = order == 0 ? i < 32 : order == 1 ? i >= 32 : i % 2 == order - 2;
        for (int choice = SOTTO_ONE_RUN_FIXED; choice <= SOTTO_ONE_RUN_UNION; choice++) {
            sotto_one_run got;
            assert_ok(sotto_audit_one_run(scores, included, 64,
                                          (sotto_one_run_choice)choice,
                                          choice == SOTTO_ONE_RUN_FIXED ? 20 : 0, 0.0,
                                          0.05, &got, &error),
                      &error);
            assert_true(got.epsilon_lower == 0.0);
            if (choice != SOTTO_ONE_RUN_SPLIT) assert_true(got.correct == 0);
        }
    }
}

static void bad_scores_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    double scores[32] = {0};
    bool included[32] = {false};
    sotto_one_run result;
    sotto_audit_counts counts;
    double threshold;
    assert_refused(sotto_audit_split(scores, 3, scores, 8, SOTTO_AIM_MU, 0.05, 0.0,
                                     &threshold, &counts, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "at least 4", NULL);
    assert_refused(sotto_audit_split(scores, 8, scores, 8, SOTTO_AIM_UNSET, 0.05, 0.0,
                                     &threshold, &counts, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "aim", NULL);
    assert_refused(sotto_audit_one_run(scores, included, 15, SOTTO_ONE_RUN_SPLIT, 0, 0.0,
                                       0.05, &result, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "canaries", NULL);
    assert_refused(sotto_audit_one_run(scores, included, 32, SOTTO_ONE_RUN_UNSET, 0, 0.0,
                                       0.05, &result, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "choice", NULL);
    assert_refused(sotto_audit_one_run(scores, included, 32, SOTTO_ONE_RUN_FIXED, 33, 0.0,
                                       0.05, &result, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "33 guesses", NULL);
    assert_refused(sotto_audit_one_run(scores, included, 32, SOTTO_ONE_RUN_UNION, 5, 0.0,
                                       0.05, &result, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "5 guesses", NULL);
    scores[4] = (double)NAN;
    assert_refused(sotto_audit_one_run(scores, included, 32, SOTTO_ONE_RUN_SPLIT, 0, 0.0,
                                       0.05, &result, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "score 5", NULL);
    scores[4] = 0.0;
    for (size_t failing = 1; failing <= 2; failing++) {
        (void)sot_test_fail_allocation(failing);
        assert_refused(sotto_audit_one_run(scores, included, 32, SOTTO_ONE_RUN_SPLIT, 0,
                                           0.0, 0.05, &result, &error),
                       SOTTO_OUT_OF_MEMORY, &error, NULL);
        (void)sot_test_fail_allocation(1);
        assert_refused(sotto_audit_split(scores, 8, scores, 8, SOTTO_AIM_MU, 0.05, 0.0,
                                         &threshold, &counts, &error),
                       SOTTO_OUT_OF_MEMORY, &error, NULL);
        (void)sot_test_fail_allocation(0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thresholds_of_the_other_half_raise_no_false_alarms),
        cmocka_unit_test(true_claims_are_not_refuted),
        cmocka_unit_test(choices_of_guesses_are_paid_for),
        cmocka_unit_test(a_split_pays_for_its_choice_if_there_is_a_delta),
        cmocka_unit_test(canaries_under_randomized_response_stay_below_epsilon),
        cmocka_unit_test(equal_scores_say_nothing),
        cmocka_unit_test(bad_scores_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
