#include "numeric/reference.h"

#include "numeric/outward.h"

/* ---- the five operations against MPFR's directed rounding ---- */

typedef double (*binary)(double, double);
typedef int (*exact_binary)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

typedef struct operation {
    const char *name;
    binary up, down;
    exact_binary exact;
} operation;

static double sqrt_up_of_first(double a, double b)
{
    (void)b;
    return sot_sqrt_up(a);
}

static double sqrt_down_of_first(double a, double b)
{
    (void)b;
    return sot_sqrt_down(a);
}

static int exact_sqrt_of_first(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b,
                               mpfr_rnd_t mode)
{
    (void)b;
    return mpfr_sqrt(out, a, mode);
}

static const operation operations[] = {
    {"add", sot_add_up, sot_add_down, mpfr_add},
    {"sub", sot_sub_up, sot_sub_down, mpfr_sub},
    {"mul", sot_mul_up, sot_mul_down, mpfr_mul},
    {"div", sot_div_up, sot_div_down, mpfr_div},
    {"sqrt", sqrt_up_of_first, sqrt_down_of_first, exact_sqrt_of_first},
};

/* a op b, correctly rounded in a direction: rounded to 53 bits and then, for subnormal
 * results, again on the coarser grid, with the first rounding's direction known to
 * MPFR. */
static double directed(const operation *op, double a, double b, mpfr_rnd_t mode)
{
    mpfr_t x;
    mpfr_t y;
    mpfr_t result;
    mpfr_inits2(53, x, y, result, (mpfr_ptr)0);
    mpfr_set_d(x, a, MPFR_RNDN);
    mpfr_set_d(y, b, MPFR_RNDN);
    int ternary = op->exact(result, x, y, mode);
    ternary = mpfr_check_range(result, ternary, mode);
    (void)mpfr_subnormalize(result, ternary, mode);
    const double value = mpfr_get_d(result, mode);
    mpfr_clears(x, y, result, (mpfr_ptr)0);
    return value;
}

/* The exponent range of double, so that MPFR over- and underflows where double does. */
static int set_double_range(void **state)
{
    (void)state;
    return mpfr_set_emin(-1073) | mpfr_set_emax(1024);
}

static void check_pair(double a, double b)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        const operation *op = &operations[i];
        const double up = op->up(a, b);
        const double down = op->down(a, b);
        const double exact_up = directed(op, a, b, MPFR_RNDU);
        const double exact_down = directed(op, a, b, MPFR_RNDD);
        const int same_up = up == exact_up || (isnan(up) && isnan(exact_up));
        const int same_down = down == exact_down || (isnan(down) && isnan(exact_down));
        if (same_up && same_down) continue;
        print_error("%s(%a, %a): [%a, %a], not [%a, %a]\n", op->name, a, b, down, up,
                    exact_down, exact_up);
        fail();
    }
}

static void results_are_the_directed_roundings_of_any_two_doubles(void **state)
{
    (void)state;
    uint64_t seed = 1971;
    for (int i = 0; i < 100000; i++)
        check_pair(next_finite_double(&seed), next_finite_double(&seed));
}

/* Pairs of similar size, sums with cancellation, short significands (exact products),
 * results at the edge of overflow and in the subnormal range: what random bits seldom
 * hit. */
static void results_are_the_directed_roundings_of_awkward_pairs(void **state)
{
    (void)state;
    uint64_t seed = 2003;
    for (int i = 0; i < 12000; i++) {
        const double a = next_between(&seed, -2.0, 2.0);
        const double b = next_between(&seed, -2.0, 2.0);
        const int shift = (int)(next_random(&seed) % 110);
        const double short_a = trunc(a * 0x1p20);
        const double short_b = trunc(b * 0x1p20);
        check_pair(a, b);
        check_pair(a, ldexp(b, -shift));
        check_pair(a, -nextafter(a, b));
        check_pair(short_a, short_b);
        check_pair(short_a * short_b, short_b);
        check_pair(ldexp(a, 1023), ldexp(b, 1023 - shift / 4));
        check_pair(ldexp(a, -520), ldexp(b, -500 - shift));
        check_pair(ldexp(a, -960 - shift), ldexp(b, shift / 2));
        check_pair(ldexp(a, -1000 - shift), ldexp(b, -1074 + shift));
    }
}

static void results_are_right_at_the_ends_of_the_range(void **state)
{
    (void)state;
    const double ends[] = {0.0,
                           -0.0,
                           1.0,
                           -1.0,
                           DBL_TRUE_MIN,
                           -DBL_TRUE_MIN,
                           DBL_MIN,
                           -DBL_MIN,
                           DBL_MAX,
                           -DBL_MAX,
                           INFINITY,
                           -INFINITY,
                           NAN,
                           3.0,
                           0x1p-960,
                           -0x1p-960,
                           0x1p-961,
                           0x1p960,
                           0x1p-537,
                           0x1.8p-1074,
                           DBL_MIN - DBL_TRUE_MIN,
                           0x1.fffffffffffffp-961};
    const size_t count = sizeof ends / sizeof ends[0];
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++)
            check_pair(ends[i], ends[j]);
    }
}

static void overflow_and_underflow_stay_on_the_safe_side(void **state)
{
    (void)state;
    assert_same(sot_add_up(DBL_MAX, DBL_MAX), INFINITY);
    assert_same(sot_add_down(DBL_MAX, DBL_MAX), DBL_MAX);
    assert_same(sot_add_up(-DBL_MAX, -DBL_MAX), -DBL_MAX);
    assert_same(sot_mul_up(1e-200, 1e-200), DBL_TRUE_MIN);
    assert_same(sot_mul_down(1e-200, 1e-200), 0.0);
    assert_same(sot_mul_up(-1e-200, 1e-200), 0.0);
    assert_same(sot_div_up(DBL_TRUE_MIN, DBL_MAX), DBL_TRUE_MIN);
    assert_same(sot_div_down(1.0, 0.0), INFINITY);
    assert_same(sot_div_up(1.0, -0.0), -INFINITY);
}

static void plain_rounding_would_be_caught(void **state)
{
    (void)state;
    uint64_t seed = 5;
    int wrong = 0;
    for (int i = 0; i < 1000; i++) {
        const double a = next_between(&seed, 1.0, 2.0);
        const double b = next_between(&seed, 1.0, 2.0);
        wrong += a * b < directed(&operations[2], a, b, MPFR_RNDU);
    }
    assert_in_range(wrong, 400,
                    600); /* to nearest is on the wrong side half of the time */
}

/* ---- libm with a margin ---- */

typedef double (*unary)(double);
typedef int (*exact_unary)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

/* down <= exact <= up, and at most 10 doubles apart (4 on each side, 1 of libm's error
 * each). */
static void check_function(unary up_of, unary down_of, exact_unary exact, double x)
{
    mpfr_t value;
    mpfr_init2(value, 160);
    mpfr_set_d(value, x, MPFR_RNDN);
    (void)exact(value, value, MPFR_RNDN);
    const double up = up_of(x);
    const double down = down_of(x);
    if (mpfr_cmp_d(value, up) > 0 || mpfr_cmp_d(value, down) < 0) {
        print_error("at %a: [%a, %a]\n", x, down, up);
        fail();
    }
    double reached = down;
    for (int i = 0; i < 10 && reached < up; i++)
        reached = sot_next_up(reached);
    assert_true(reached >= up);
    mpfr_clear(value);
}

static void transcendental_bounds_enclose_and_stay_close(void **state)
{
    (void)state;
    uint64_t seed = 42;
    for (int i = 0; i < 4000; i++) {
        const double tiny = next_log_between(&seed, 1e-300, 1.0);
        const double wide = next_between(&seed, -746.0, 710.0);
        const double any = fabs(next_finite_double(&seed));
        const double near_one = 1.0 + next_between(&seed, -1.0, 1.0) * tiny;
        check_function(sot_exp_up, sot_exp_down, mpfr_exp, wide);
        check_function(sot_exp_up, sot_exp_down, mpfr_exp, tiny);
        check_function(sot_exp_up, sot_exp_down, mpfr_exp, -tiny);
        check_function(sot_log_up, sot_log_down, mpfr_log, any);
        check_function(sot_log_up, sot_log_down, mpfr_log, fabs(near_one));
        check_function(sot_expm1_up, sot_expm1_down, mpfr_expm1, wide);
        check_function(sot_expm1_up, sot_expm1_down, mpfr_expm1, -tiny);
        check_function(sot_log1p_up, sot_log1p_down, mpfr_log1p, any);
        check_function(sot_log1p_up, sot_log1p_down, mpfr_log1p, -tiny);
    }
}

static void transcendental_bounds_are_exact_where_the_function_is(void **state)
{
    (void)state;
    const unary at_zero_one[] = {sot_exp_up, sot_exp_down};
    for (size_t i = 0; i < 2; i++) {
        assert_same(at_zero_one[i](0.0), 1.0);
        assert_same(at_zero_one[i](-0.0), 1.0);
        assert_same(at_zero_one[i](-INFINITY), 0.0);
        assert_same(at_zero_one[i](INFINITY), INFINITY);
        assert_true(isnan(at_zero_one[i](NAN)));
    }
    const unary logs[] = {sot_log_up, sot_log_down};
    for (size_t i = 0; i < 2; i++) {
        assert_same(logs[i](1.0), 0.0);
        assert_same(logs[i](0.0), -INFINITY);
        assert_same(logs[i](INFINITY), INFINITY);
        assert_true(isnan(logs[i](-1.0)));
        assert_true(isnan(logs[i](NAN)));
    }
    assert_same(sot_expm1_up(-INFINITY), -1.0);
    assert_same(sot_expm1_down(0.0), 0.0);
    assert_same(sot_log1p_down(-1.0), -INFINITY);
    assert_same(sot_log1p_up(0.0), 0.0);
    assert_true(isnan(sot_log1p_up(-1.5)));
}

static void transcendental_bounds_respect_the_functions_range(void **state)
{
    (void)state;
    assert_same(sot_exp_up(-1e-300), 1.0);
    assert_same(sot_exp_down(1e-300), 1.0);
    assert_same(sot_exp_down(-800.0), 0.0);
    assert_within(sot_exp_up(-800.0), DBL_TRUE_MIN, 4 * DBL_TRUE_MIN);
    assert_same(sot_exp_up(800.0), INFINITY);
    assert_same(sot_exp_down(800.0), DBL_MAX);
    assert_same(sot_expm1_down(-800.0), -1.0);
    assert_same(sot_expm1_down(800.0), DBL_MAX);
    assert_same(sot_log1p_up(1e-20), 1e-20);
}

/* ---- neighbours and widening ---- */

static void neighbours_are_those_of_the_library(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 10000; i++) {
        const double x = next_finite_double(&seed);
        assert_same(sot_next_up(x), nextafter(x, INFINITY));
        assert_same(sot_next_down(x), nextafter(x, -INFINITY));
    }
    assert_same(sot_next_up(-0.0), DBL_TRUE_MIN);
    assert_same(sot_next_down(0.0), -DBL_TRUE_MIN);
    assert_same(sot_next_up(DBL_MAX), INFINITY);
    assert_same(sot_next_down(DBL_TRUE_MIN), 0.0);
    assert_same(sot_next_up(INFINITY), INFINITY);
    assert_same(sot_next_up(-INFINITY), -INFINITY);
    assert_true(isnan(sot_next_down(NAN)));
}

static void widening_covers_the_stated_error(void **state)
{
    (void)state;
    uint64_t seed = 11;
    mpfr_t bound;
    mpfr_init2(bound, 4000); /* exact: holds x (1 + relative) + DBL_TRUE_MIN for any x */
    for (int i = 0; i < 5000; i++) {
        const double x = next_finite_double(&seed);
        const double relative = next_log_between(&seed, 1e-17, 1e-3);
        mpfr_set_d(bound, fabs(x), MPFR_RNDN);
        mpfr_mul_d(bound, bound, relative, MPFR_RNDN);
        mpfr_add_d(bound, bound, DBL_TRUE_MIN, MPFR_RNDN);
        mpfr_add_d(bound, bound, x, MPFR_RNDN);
        assert_true(mpfr_cmp_d(bound, sot_widen_up(x, relative)) <= 0);
        assert_same(sot_widen_down(-x, relative), -sot_widen_up(x, relative));
    }
    mpfr_clear(bound);
    assert_same(sot_widen_up(0.0, 1e-10), DBL_TRUE_MIN);
    assert_same(sot_widen_down(0.0, 0.0), -DBL_TRUE_MIN);
    assert_same(sot_widen_up(INFINITY, 0.0), INFINITY);
    assert_same(sot_widen_up(-INFINITY, 0.5), -INFINITY);
}

int main(void)
{
    const struct CMUnitTest directed_tests[] = {
        cmocka_unit_test(results_are_the_directed_roundings_of_any_two_doubles),
        cmocka_unit_test(results_are_the_directed_roundings_of_awkward_pairs),
        cmocka_unit_test(results_are_right_at_the_ends_of_the_range),
        cmocka_unit_test(overflow_and_underflow_stay_on_the_safe_side),
        cmocka_unit_test(plain_rounding_would_be_caught),
    };
    const struct CMUnitTest other_tests[] = {
        cmocka_unit_test(transcendental_bounds_enclose_and_stay_close),
        cmocka_unit_test(transcendental_bounds_are_exact_where_the_function_is),
        cmocka_unit_test(transcendental_bounds_respect_the_functions_range),
        cmocka_unit_test(neighbours_are_those_of_the_library),
        cmocka_unit_test(widening_covers_the_stated_error),
    };
    const int failed = cmocka_run_group_tests(directed_tests, set_double_range, NULL);
    return failed + cmocka_run_group_tests(other_tests, widen_reference_range, NULL);
}
