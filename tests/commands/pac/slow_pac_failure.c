/* At the calculator's number of rows the learners fail with probability at most beta: the learners themselves, on
 * distributions that are as hard as the proofs allow. And with fewer rows they fail more often than that, so the test can
 * tell.
 *
 * Level: where a learner fails with probability beta exactly, a test alarms with probability 1e-3 (one-sided binomial, as
 * Clopper & Pearson's interval at that level); seeds are fixed, so once and for all. Too few rows are told at 1e-6. */
#include "failure_study.h"

static void expect_success(failure_study study, uint64_t rows)
{
    const double failures = failures_at(&study, rows);
    const double tail = tail_of(&study, failures);
    print_message(
        "%-17s %-11s |C| %-4zu eps %-4g alpha %-4g best %-5g: %6llu rows, failed "
        "%.4f of %llu (beta %g)\n",
        sotto_method_name(study.method), sotto_adjacency_name(study.adjacency),
        study.size, study.epsilon, study.alpha, study.best, (unsigned long long)rows,
        failures / (double)study.repeats, (unsigned long long)study.repeats, study.beta);
    if (!(tail >= 1e-3)) fail_msg("so many failures have probability %g", tail);
}

static void expect_failure(failure_study study, uint64_t rows)
{
    const double failures = failures_at(&study, rows);
    const double tail = tail_of(&study, failures);
    print_message("%-17s %-11s with %llu rows: failed %.4f (beta %g)\n",
                  sotto_method_name(study.method), sotto_adjacency_name(study.adjacency),
                  (unsigned long long)rows, failures / (double)study.repeats, study.beta);
    if (!(tail <= 1e-6)) fail_msg("so many failures have probability %g", tail);
}

static const sotto_adjacency adjacencies[] = {SOTTO_REPLACE_ONE, SOTTO_ADD_REMOVE};
static const sotto_method methods[] = {SOTTO_METHOD_EXPONENTIAL,
                                       SOTTO_METHOD_PERMUTE_AND_FLIP};

/* The first case of the vectors: 190 and 117 rows. */
static void the_realizable_size_is_enough(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < 2; j++) {
            const failure_study study = {.adjacency = adjacencies[i],
                                         .method = methods[j],
                                         .size = 100,
                                         .epsilon = 1.0,
                                         .alpha = 0.1,
                                         .beta = 0.05,
                                         .repeats = 4000,
                                         .seed = 10 + 2 * i + j};
            const uint64_t rows = study_rows(&study);
            expect_success(study, rows);
            expect_failure(study, rows * 8 / 10);
        }
    }
}

/* Small epsilon and a large one, other beta. */
static void the_realizable_size_is_enough_for_other_budgets(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < 2; j++) {
            const failure_study small = {.adjacency = adjacencies[i],
                                         .method = methods[j],
                                         .size = 20,
                                         .epsilon = 0.2,
                                         .alpha = 0.2,
                                         .beta = 0.1,
                                         .repeats = 3000,
                                         .seed = 20 + 2 * i + j};
            const failure_study large = {.adjacency = adjacencies[i],
                                         .method = methods[j],
                                         .size = 50,
                                         .epsilon = 5.0,
                                         .alpha = 0.2,
                                         .beta = 0.1,
                                         .repeats = 8000,
                                         .seed = 30 + 2 * i + j};
            expect_success(small, study_rows(&small));
            expect_success(large, study_rows(&large));
        }
    }
}

/* The sixth case of the vectors, where privacy costs rows: 786 and 457. */
static void the_agnostic_size_is_enough(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < 2; j++) {
            const failure_study study = {.adjacency = adjacencies[i],
                                         .method = methods[j],
                                         .size = 100,
                                         .epsilon = 0.1,
                                         .alpha = 0.2,
                                         .beta = 0.1,
                                         .best = 0.4,
                                         .repeats = 1000,
                                         .seed = 40 + 2 * i + j};
            const uint64_t rows = study_rows(&study);
            expect_success(study, rows);
            expect_failure(study, rows / 2);
        }
    }
}

/* Two concepts, one wrong exactly where the other is right: the law of the proof's worst case. */
static void the_agnostic_size_is_enough_for_complements(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < 2; j++) {
            for (size_t k = 0; k < 2; k++) {
                const failure_study study = {.adjacency = adjacencies[i],
                                             .method = methods[j],
                                             .size = 2,
                                             .epsilon = k == 0 ? 1.0 : 0.05,
                                             .alpha = 0.25,
                                             .beta = 0.25,
                                             .best = 0.375,
                                             .is_complement = true,
                                             .repeats = 20000,
                                             .seed = 50 + 4 * i + 2 * j + k};
                const uint64_t rows = study_rows(&study);
                expect_success(study, rows);
                expect_failure(study, rows / 16 + 1);
            }
        }
    }
}

static void the_sizes_of_laplace_noise_and_of_no_privacy_are_enough(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const bool is_laplace = i < 2;
        const failure_study study = {.adjacency = SOTTO_ADD_REMOVE,
                                     .method = is_laplace ? SOTTO_METHOD_LAPLACE
                                                          : SOTTO_METHOD_NONE,
                                     .size = is_laplace ? 10 : 100,
                                     .epsilon = 1.0,
                                     .alpha = 0.2,
                                     .beta = 0.1,
                                     .best = i % 2 == 0 ? 0.0 : 0.4,
                                     .repeats = 2000,
                                     .seed = 70 + i};
        const uint64_t rows = study_rows(&study);
        expect_success(study, rows);
        expect_failure(study, rows / 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_realizable_size_is_enough),
        cmocka_unit_test(the_realizable_size_is_enough_for_other_budgets),
        cmocka_unit_test(the_agnostic_size_is_enough),
        cmocka_unit_test(the_agnostic_size_is_enough_for_complements),
        cmocka_unit_test(the_sizes_of_laplace_noise_and_of_no_privacy_are_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
