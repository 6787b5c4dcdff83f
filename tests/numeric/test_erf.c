#include "numeric/exact_normal.h"

#include "numeric/mills_series.h"
#include "numeric/special.h"

/* ---- comparison over a range ---- */

typedef void (*exact_function)(mpfr_ptr out, mpfr_srcptr x);

typedef struct comparison {
    const char *name;
    double (*function)(double);
    exact_function exact;
    double allowed;
    double lower,
        upper;      /* the range that is covered evenly, besides the log-spaced points */
    double largest; /* the largest magnitude for log-spaced points */
} comparison;

static void compare_at(const comparison *c, double x, worst_error *worst)
{
    mpfr_t argument;
    mpfr_t exact;
    mpfr_init2(argument, 53);
    mpfr_init2(exact, REFERENCE_BITS);
    mpfr_set_d(argument, x, MPFR_RNDN);
    c->exact(exact, argument);
    note_error(worst, reference_error(c->function(x), exact), x, 0.0, 0.0);
    mpfr_clear(argument);
    mpfr_clear(exact);
}

static worst_error compare(const comparison *c)
{
    worst_error worst = {0};
    uint64_t seed = 20240229;
    for (int i = 0; i < 3000; i++)
        compare_at(c, next_between(&seed, c->lower, c->upper), &worst);
    for (int i = 0; i < 1000; i++) {
        const double magnitude = next_log_between(&seed, 1e-300, c->largest);
        compare_at(c, magnitude, &worst);
        compare_at(c, -magnitude, &worst);
    }
    for (int i = -400; i <= 400; i++) { /* around the places where a branch may change */
        compare_at(c, 0.1 * i, &worst);
        compare_at(c, nextafter(0.5 * i, INFINITY), &worst);
        compare_at(c, nextafter(0.5 * i, -INFINITY), &worst);
    }
    return worst;
}

static void every_function_keeps_its_stated_error(void **state)
{
    (void)state;
    const comparison comparisons[] = {
        {"erfcx", sot_erfcx, exact_erfcx, 1e-15, -27.0, 40.0, 1e300},
        {"log_erfc", sot_log_erfc, exact_log_erfc, 1e-15, -8.0, 40.0, 1e150},
        {"ndtr", sot_ndtr, exact_ndtr, 1.5e-15, -39.0, 10.0, 1e8},
        {"log_ndtr", sot_log_ndtr, exact_log_ndtr, 1.5e-15, -50.0, 39.0, 1e150},
        {"mills", sot_mills, exact_mills, 1e-15, -38.0, 60.0, 1e300},
        {"mills_slope", sot_mills_slope, exact_mills_slope, 1e-15, -38.0, 60.0, 1e150},
    };
    for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++) {
        const worst_error worst = compare(&comparisons[i]);
        assert_worst(&worst, comparisons[i].allowed, 7000, comparisons[i].name);
    }
}

static double naive_log_ndtr(double x)
{
    return log(0.5 * erfc(-x / sqrt(2.0)));
}

static double naive_mills_slope(double x)
{
    return 1.0 - x * sot_mills(x);
}

static void the_comparison_catches_textbook_formulas(void **state)
{
    (void)state;
    const comparison log_ndtr = {
        "naive log_ndtr", naive_log_ndtr, exact_log_ndtr, 0.0, -5.0, 5.0, 10.0};
    const comparison slope = {
        "naive slope", naive_mills_slope, exact_mills_slope, 0.0, -5.0, 20.0, 50.0};
    assert_true(compare(&log_ndtr).error > 1e-9);
    assert_true(compare(&slope).error > 1e-14);
}

/* ---- the tables ---- */

/* coefficients[0 .. terms - 1] of the Chebyshev series of `values` at the nodes
 * cos((j + 1/2) pi / nodes); 1/2 is applied to the first. */
static void chebyshev_coefficient(mpfr_ptr out, mpfr_t *values, unsigned nodes,
                                  unsigned k)
{
    mpfr_t angle;
    mpfr_init2(angle, REFERENCE_BITS);
    mpfr_set_zero(out, 1);
    for (unsigned j = 0; j < nodes; j++) {
        mpfr_const_pi(angle, MPFR_RNDN);
        mpfr_mul_ui(angle, angle, (2 * j + 1) * k, MPFR_RNDN);
        mpfr_div_ui(angle, angle, 2 * nodes, MPFR_RNDN);
        mpfr_cos(angle, angle, MPFR_RNDN);
        mpfr_fma(out, values[j], angle, out, MPFR_RNDN);
    }
    mpfr_mul_ui(out, out, k == 0 ? 1 : 2, MPFR_RNDN);
    mpfr_div_ui(out, out, nodes, MPFR_RNDN);
    mpfr_clear(angle);
}

/* x = 5 (1 + t) / (1 - t) at the node of angle (j + 1/2) pi / nodes: 5 cot^2(angle /
 * 2). */
static void half_line_node(mpfr_ptr x, unsigned nodes, unsigned j)
{
    mpfr_const_pi(x, MPFR_RNDN);
    mpfr_mul_ui(x, x, 2 * j + 1, MPFR_RNDN);
    mpfr_div_ui(x, x, 4 * nodes, MPFR_RNDN);
    mpfr_cot(x, x, MPFR_RNDN);
    mpfr_sqr(x, x, MPFR_RNDN);
    mpfr_mul_d(x, x, MILLS_SERIES_CENTRE, MPFR_RNDN);
}

/* The weighted function at every node; quadratic: weight 1 + x + x^2, else 1 + x. */
static void fill_values(mpfr_t *values, unsigned nodes, exact_function exact,
                        int quadratic)
{
    mpfr_t x;
    mpfr_t weight;
    mpfr_init2(x, REFERENCE_BITS);
    mpfr_init2(weight, REFERENCE_BITS);
    for (unsigned j = 0; j < nodes; j++) {
        half_line_node(x, nodes, j);
        exact(values[j], x);
        mpfr_add_ui(weight, x, 1, MPFR_RNDN);
        if (quadratic) {
            mpfr_mul(weight, weight, x, MPFR_RNDN);
            mpfr_add_ui(weight, weight, 1, MPFR_RNDN);
        }
        mpfr_mul(values[j], values[j], weight, MPFR_RNDN);
    }
    mpfr_clear(x);
    mpfr_clear(weight);
}

/* Every coefficient is correctly rounded and those left out sum to less than
 * `tail_max`. */
static void check_series(const double *series, unsigned terms, exact_function exact,
                         int quadratic, double tail_max)
{
    enum { NODES = 64 };
    mpfr_t values[NODES];
    mpfr_t coefficient;
    for (unsigned j = 0; j < NODES; j++)
        mpfr_init2(values[j], REFERENCE_BITS);
    mpfr_init2(coefficient, REFERENCE_BITS);
    fill_values(values, NODES, exact, quadratic);
    double tail = 0.0;
    for (unsigned k = 0; k < NODES; k++) {
        chebyshev_coefficient(coefficient, values, NODES, k);
        const double rounded = mpfr_get_d(coefficient, MPFR_RNDN);
        if (k < terms)
            assert_true(series[k] == rounded);
        else
            tail += fabs(rounded);
    }
    assert_within(tail, 0.0, tail_max);
    mpfr_clear(coefficient);
    for (unsigned j = 0; j < NODES; j++)
        mpfr_clear(values[j]);
}

static void the_chebyshev_tables_are_correctly_rounded(void **state)
{
    (void)state;
    check_series(mills_series, MILLS_TERMS, exact_mills, 0, 1.9e-17);
    check_series(slope_series, SLOPE_TERMS, exact_mills_slope, 1, 5.0e-18);
}

/* ---- special points ---- */

static void limits_at_infinity_are_the_functions_limits(void **state)
{
    (void)state;
    assert_same(sot_erfcx(INFINITY), 0.0);
    assert_same(sot_erfcx(-INFINITY), INFINITY);
    assert_same(sot_log_erfc(INFINITY), -INFINITY);
    assert_relative(sot_log_erfc(-INFINITY), log(2.0), 1e-15);
    assert_same(sot_ndtr(INFINITY), 1.0);
    assert_same(sot_ndtr(-INFINITY), 0.0);
    assert_same(sot_log_ndtr(INFINITY), 0.0);
    assert_same(sot_log_ndtr(-INFINITY), -INFINITY);
    assert_same(sot_mills(INFINITY), 0.0);
    assert_same(sot_mills(-INFINITY), INFINITY);
    assert_same(sot_mills_slope(INFINITY), 0.0);
    assert_same(sot_mills_slope(-INFINITY), INFINITY);
}

static void only_results_beyond_dbl_max_are_infinite(void **state)
{
    (void)state;
    assert_same(sot_log_erfc(DBL_MAX), -INFINITY);
    assert_same(sot_log_ndtr(-DBL_MAX), -INFINITY);
    assert_true(isfinite(sot_log_erfc(1.34e154)));
    assert_true(isfinite(sot_log_ndtr(-1.89e154)));
    assert_true(sot_erfcx(DBL_MAX) > 0.0);
    assert_true(sot_mills(DBL_MAX) > 0.0);
}

static void nan_in_nan_out(void **state)
{
    (void)state;
    double (*const functions[])(double) = {sot_erfcx,    sot_log_erfc, sot_ndtr,
                                           sot_log_ndtr, sot_mills,    sot_mills_slope};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        assert_true(isnan(functions[i](NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_keeps_its_stated_error),
        cmocka_unit_test(the_comparison_catches_textbook_formulas),
        cmocka_unit_test(the_chebyshev_tables_are_correctly_rounded),
        cmocka_unit_test(limits_at_infinity_are_the_functions_limits),
        cmocka_unit_test(only_results_beyond_dbl_max_are_infinite),
        cmocka_unit_test(nan_in_nan_out),
    };
    return cmocka_run_group_tests(tests, widen_reference_range, NULL);
}
