#include "privacy/mechanisms/release.h"

#include "privacy/mechanisms/best_run/run_count.h"
#include "random/entropy.h"

enum { DRAWS = 20000, CELLS = 64 };

static sotto_runs law_of(sotto_runs_law law, double shape, double mean)
{
    sotto_error error;
    sotto_runs runs;
    assert_ok(sotto_runs_from_mean(law, shape, mean, &runs, &error), &error);
    return runs;
}

/* False alarms: 1e-6 a law. */
static void numbers_of_runs_have_the_law_that_is_priced(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_runs laws[] = {law_of(SOTTO_RUNS_NEGATIVE_BINOMIAL, 0.5, 5.0),
                               law_of(SOTTO_RUNS_POISSON, SOTTO_UNSET, 4.5)};
    for (size_t i = 0; i < 2; i++) {
        double seen[CELLS] = {0}, probability[CELLS], rest = 1.0;
        sotto_rng *rng = test_rng(800 + i);
        for (int j = 0; j < DRAWS; j++) {
            uint64_t count = 0;
            assert_ok(sot_run_count_draw(rng, &laws[i], &count, &error), &error);
            seen[count < CELLS ? count : CELLS - 1] += 1.0;
        }
        for (uint64_t k = 0; k + 1 < CELLS; k++) {
            probability[k] = sotto_runs_probability(&laws[i], k);
            rest -= probability[k];
        }
        probability[CELLS - 1] = fmax(0.0, rest);
        assert_same_law(chi_square_p(seen, probability, CELLS, DRAWS));
        sotto_rng_free(rng);
    }
}

static void laws_that_cannot_be_drawn_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    uint64_t count = 77;
    sotto_rng *rng = test_rng(810);
    const sotto_runs unset = sotto_runs_defaults();
    assert_refused(sot_run_count_draw(rng, &unset, &count, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "the distribution of the runs", NULL);
    const sotto_runs far[] = {law_of(SOTTO_RUNS_POISSON, SOTTO_UNSET, 2e6),
                              law_of(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 2e6),
                              law_of(SOTTO_RUNS_NEGATIVE_BINOMIAL, 2e4, 10.0),
                              law_of(SOTTO_RUNS_NEGATIVE_BINOMIAL, 9e3, 1.000002)};
    for (size_t i = 0; i < 4; i++) {
        assert_refused(sot_run_count_draw(rng, &far[i], &count, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "runs", NULL);
    }
    rng->failed = true; /* as after a fork that the kernel gave no bytes to */
    const sotto_runs fine = law_of(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 3.0);
    assert_refused(sot_run_count_draw(rng, &fine, &count, &error), SOTTO_ENTROPY, &error,
                   NULL);
    assert_int_equal(count, 77);
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_runs_have_the_law_that_is_priced),
        cmocka_unit_test(laws_that_cannot_be_drawn_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
