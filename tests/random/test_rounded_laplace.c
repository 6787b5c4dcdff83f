#include "laws.h"

#include "random/rounded_laplace.h"

enum { DRAWS = 60000 };

/* P(round(scale L) >= x) = P(L >= (x - 1/2)/scale). */
static double tail(const void *law, int64_t x)
{
    const double scale = *(const double *)law;
    if (x <= 0) return 1.0 - tail(law, 1 - x);
    return 0.5 * exp(-((double)x - 0.5) / scale);
}

static void results_have_the_law_of_rounded_laplace_numbers(void **state)
{
    (void)state;
    sotto_error error;
    const double scales[] = {0.3, 1.0, 2.5, 20.0, 0x1p20 / 3.0};
    static int64_t drawn[DRAWS];
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        sotto_rng *rng = test_rng(600 + i);
        assert_ok(sot_rounded_laplace_fill(rng, scales[i], drawn, DRAWS, &error), &error);
        const double spread = scales[i], wrong = 1.1 * scales[i];
        assert_same_law(integer_sample_p(drawn, DRAWS, tail, &scales[i], spread));
        assert_other_law(integer_sample_p(drawn, DRAWS, tail, &wrong, spread));
        sotto_rng_free(rng);
    }
}

static void scales_out_of_range_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_rng *rng = test_rng(610);
    int64_t drawn = 7;
    const double scales[] = {0.0, -1.0, 0x1p-21, 0x1p54, (double)NAN};
    for (size_t i = 0; i < 5; i++) {
        assert_refused(sot_rounded_laplace_fill(rng, scales[i], &drawn, 1, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "scale", NULL);
    }
    assert_int_equal(drawn, 7);
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_have_the_law_of_rounded_laplace_numbers),
        cmocka_unit_test(scales_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
