#include "numeric/reference.h"

#include "numeric/roots.h"
#include "numeric/special.h"

/* A function that counts its calls. */
typedef struct counted {
    double (*function)(double x, double parameter);
    double parameter;
    int calls;
} counted;

static double call(double x, void *context)
{
    counted *c = context;
    c->calls++;
    return c->function(x, c->parameter);
}

static double line(double x, double p)
{
    return x - p;
}

static double cubic(double x, double p)
{
    return x * x * x - p;
}

static double logarithm(double x, double p)
{
    return log(x) - p;
}

static double flat_power(double x, double p)
{
    return pow(x - p, 9);
}

static double step(double x, double p)
{
    return x < p ? -1.0 : 1e6;
}

static double steep(double x, double p)
{
    return exp(-x) - p;
}

static double with_poles(double x, double p)
{
    const double distance = p - x;
    return distance > 0.5    ? (double)INFINITY
           : distance < -0.5 ? -(double)INFINITY
                             : distance;
}

static double minute(double x, double p)
{
    return 1e-250 * (exp(x) - p);
}

static double no_root(double x, double p)
{
    return x * x + p;
}

static double nan_inside(double x, double p)
{
    return fabs(x) < p ? (double)NAN : x;
}

/* The contract, for one search: the sign change is inside, and the width is as asked. */
static int check_root(counted c, double lower, double upper, double absolute,
                      double relative)
{
    const double sign_low = c.function(lower, c.parameter);
    const double sign_high = c.function(upper, c.parameter);
    double low = lower;
    double high = upper;
    assert_true(sot_find_root(call, &c, &low, &high, absolute, relative, 400));
    assert_true(low >= lower && high <= upper && low <= high);
    assert_true(c.calls <= 250);
    const double value_low = c.function(low, c.parameter);
    const double value_high = c.function(high, c.parameter);
    if (low == high) {
        assert_true(value_low == 0.0);
        return c.calls;
    }
    assert_true(value_low != 0.0 && value_high != 0.0);
    assert_int_equal(signbit(value_low), signbit(sign_low));
    assert_int_equal(signbit(value_high), signbit(sign_high));
    const double allowed = absolute + relative * fmax(fabs(low), fabs(high));
    assert_true(high - low <= allowed || nextafter(low, high) == high);
    return c.calls;
}

static void the_bracket_narrows_to_the_tolerance(void **state)
{
    (void)state;
    const double tolerances[][2] = {{1e-3, 0.0}, {0.0, 1e-12}, {1e-9, 1e-9}, {0.0, 0.0}};
    for (size_t i = 0; i < sizeof tolerances / sizeof tolerances[0]; i++) {
        const double a = tolerances[i][0];
        const double r = tolerances[i][1];
        (void)check_root((counted){line, 2.375, 0}, -10.0, 100.0, a, r);
        (void)check_root((counted){cubic, 2.375, 0}, 0.0, 100.0, a, r);
        (void)check_root((counted){cubic, -2.375, 0}, -1e9, 100.0, a, r);
        (void)check_root((counted){logarithm, 2.375, 0}, 1e-300, 1e300, a, r);
        (void)check_root((counted){logarithm, -600.0, 0}, 1e-300, 1e300, a, r);
        (void)check_root((counted){flat_power, 0.3, 0}, -4.0, 7.0, a, r);
        (void)check_root((counted){step, 1e-5, 0}, 0.0, 1e5, a, r);
        (void)check_root((counted){step, -1e-200, 0}, -DBL_MAX, DBL_MAX, a, r);
        (void)check_root((counted){steep, 1e-300, 0}, -700.0, 1e4, a, r);
        (void)check_root((counted){with_poles, 2.375, 0}, -1e6, 1e7, a, r);
        (void)check_root((counted){minute, 2.375, 0}, -3.0, 5.0, a, r);
        (void)check_root((counted){line, 0.0, 0}, -1.0, 3.0, a, r);
        (void)check_root((counted){line, DBL_TRUE_MIN, 0}, 0.0, 3.0, a, r);
    }
}

/* A step at `parameter`, with values of any size, different at every call. */
static double wild_step(double x, double parameter)
{
    static uint64_t seed = 1;
    const double size = fmax(fabs(next_finite_double(&seed)), DBL_TRUE_MIN);
    return x < parameter ? -size : size;
}

static void no_function_and_no_bracket_takes_long(void **state)
{
    (void)state;
    uint64_t seed = 21;
    int searches = 0;
    for (int i = 0; i < 20000; i++) {
        const double a = next_finite_double(&seed);
        const double b = next_finite_double(&seed);
        const double root = i % 2 == 0 ? next_finite_double(&seed) : 0.3 * a + 0.7 * b;
        if (!(root > fmin(a, b) && root <= fmax(a, b))) continue;
        (void)check_root((counted){wild_step, root, 0}, fmin(a, b), fmax(a, b),
                         i % 3 == 0 ? 1e-9 : 0.0, i % 5 == 0 ? 1e-12 : 0.0);
        searches++;
    }
    assert_true(searches > 10000);
}

static void smooth_functions_converge_fast(void **state)
{
    (void)state;
    assert_true(check_root((counted){cubic, 2.375, 0}, 1.0, 2.0, 0.0, 1e-15) <= 12);
    assert_true(check_root((counted){steep, 0.5, 0}, 0.0, 2.0, 1e-15, 0.0) <= 12);
    assert_true(check_root((counted){logarithm, 2.375, 0}, 5.0, 20.0, 0.0, 1e-15) <= 12);
    assert_true(check_root((counted){minute, 2.375, 0}, 0.5, 1.5, 0.0, 1e-15) <= 12);
}

static void a_root_at_an_end_is_found(void **state)
{
    (void)state;
    counted c = {line, 2.375, 0};
    double low = 2.375;
    double high = 9.0;
    assert_true(sot_find_root(call, &c, &low, &high, 0.0, 0.0, 100));
    assert_same(low, 2.375);
    assert_same(high, 2.375);
    low = -1.0;
    high = 2.375;
    assert_true(sot_find_root(call, &c, &low, &high, 0.0, 0.0, 100));
    assert_same(low, 2.375);
}

static void the_bracket_survives_when_evaluations_run_out(void **state)
{
    (void)state;
    counted c = {flat_power, 0.3, 0};
    double low = -4.0;
    double high = 7.0;
    assert_true(sot_find_root(call, &c, &low, &high, 0.0, 0.0, 9));
    assert_int_equal(c.calls, 9);
    assert_true(low < 0.3 && high > 0.3 && high - low < 11.0);
}

static void what_brackets_no_root_is_refused(void **state)
{
    (void)state;
    counted positive = {no_root, 1.0, 0};
    counted holed = {nan_inside, 0.5, 0};
    double low = -1.0;
    double high = 2.0;
    assert_false(sot_find_root(call, &positive, &low, &high, 1e-9, 0.0, 100));
    assert_false(sot_find_root(call, &holed, &low, &high, 1e-9, 0.0, 100));
    assert_true(low <= -0.5 && high >= 0.5);
    assert_false(sot_find_root(call, &positive, &low, &high, 1e-9, 0.0, 1));
    double wrong_order = -2.0;
    assert_false(sot_find_root(call, &positive, &low, &wrong_order, 1e-9, 0.0, 100));
    double infinite = INFINITY;
    assert_false(sot_find_root(call, &positive, &low, &infinite, 1e-9, 0.0, 100));
    double nan = NAN;
    assert_false(sot_find_root(call, &positive, &nan, &high, 1e-9, 0.0, 100));
}

/* ---- minima ---- */

static double parabola(double x, double p)
{
    return (x - p) * (x - p) + 0.25;
}

static double valley(double x, double p)
{
    return fabs(x - p);
}

static double well(double x, double p)
{
    return fabs(x - p) < 0.01 ? (x - p) * (x - p) : (double)INFINITY;
}

static double nan_well(double x, double p)
{
    return fabs(x - p) < 0.01 ? fabs(x - p) : (double)NAN;
}

static double renyi_like(double x, double p)
{
    return x <= 1.0 ? (double)INFINITY : p * x + 11.5 / (x - 1.0);
}

static double rising(double x, double p)
{
    return x * p;
}

static double nowhere(double x, double p)
{
    (void)x;
    return p;
}

static void minima_are_found_to_the_tolerance(void **state)
{
    (void)state;
    const struct {
        counted c;
        double lower, upper, minimiser, tolerance;
    } cases[] = {
        {{parabola, 2.375, 0}, -10.0, 50.0, 2.375, 1e-6},
        {{parabola, -0.01, 0}, -1e3, 1e6, -0.01, 1e-6},
        {{valley, 2.375, 0}, -10.0, 50.0, 2.375, 1e-12},
        {{valley, 1e-9, 0}, -1.0, 1.0, 1e-9, 1e-14},
        {{well, 2.375, 0}, 0.0, 10.0, 2.375, 1e-9},
        {{well, 9.991, 0}, 0.0, 10.0, 9.991, 1e-9},
        {{nan_well, 0.04, 0}, 0.0, 10.0, 0.04, 1e-9},
        {{renyi_like, 0.05, 0}, 0.0, 1e4, 1.0 + sqrt(230.0), 1e-5},
        {{rising, 3.0, 0}, 2.0, 5.0, 2.0, 1e-9},
        {{rising, -3.0, 0}, 2.0, 5.0, 5.0, 1e-9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        counted c = cases[i].c;
        double minimum;
        const double x = sot_minimize(call, &c, cases[i].lower, cases[i].upper,
                                      cases[i].tolerance, 2000, &minimum);
        assert_within(x, cases[i].minimiser - cases[i].tolerance,
                      cases[i].minimiser + cases[i].tolerance);
        assert_same(minimum, c.function(x, c.parameter));
        assert_true(c.calls < 1600);
    }
}

static void smooth_minima_take_few_evaluations(void **state)
{
    (void)state;
    counted c = {renyi_like, 0.05, 0};
    (void)sot_minimize(call, &c, 1.0, 200.0, 1e-6, 200, NULL);
    assert_true(c.calls <= 35);
}

static void the_budget_of_evaluations_is_kept(void **state)
{
    (void)state;
    counted c = {valley, 2.375, 0};
    double minimum;
    const double x = sot_minimize(call, &c, 0.0, 10.0, 0.0, 17, &minimum);
    assert_int_equal(c.calls, 17);
    assert_same(minimum, fabs(x - 2.375));
    counted infinite = {nowhere, INFINITY, 0};
    (void)sot_minimize(call, &infinite, 0.0, 10.0, 1e-9, 100, &minimum);
    assert_same(minimum, INFINITY);
    assert_int_equal(infinite.calls, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bracket_narrows_to_the_tolerance),
        cmocka_unit_test(no_function_and_no_bracket_takes_long),
        cmocka_unit_test(smooth_functions_converge_fast),
        cmocka_unit_test(a_root_at_an_end_is_found),
        cmocka_unit_test(the_bracket_survives_when_evaluations_run_out),
        cmocka_unit_test(what_brackets_no_root_is_refused),
        cmocka_unit_test(minima_are_found_to_the_tolerance),
        cmocka_unit_test(smooth_minima_take_few_evaluations),
        cmocka_unit_test(the_budget_of_evaluations_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
