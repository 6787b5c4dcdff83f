/* The certificate: never below the exact norm of the gradient (MPFR, 300 bits), and not far above. */
#include "softmax_problems.h"

#include <float.h>

enum { NUMBERS_MOST = 160 };

static double norm_upper(const sot_softmax *problem, const double *theta, bool careful)
{
    sotto_error error;
    double upper;
    assert_ok(sot_softmax_gradient_norm_upper(problem, theta, careful, &upper, &error),
              &error);
    return upper;
}

/* Points of all sizes, the rows of all kinds, all terms. */
static void bounds_are_above_the_exact_norm_and_near_it(void **state)
{
    (void)state;
    uint64_t draw = 77;
    for (int i = 0; i < 48; i++) {
        const recipe from = {.rows = (size_t)(1 + i * 5),
                             .columns = (size_t)(1 + i * 13 % 20),
                             .sparse = i % 2 == 1,
                             .filled = i % 3 == 0 ? 1.0 : 0.25,
                             .noise = 0.5,
                             .seed = (uint64_t)i};
        const size_t classes = (size_t)(2 + i % 7);
        sot_matrix m = make_classes(&from, classes);
        double theta[NUMBERS_MOST], b[NUMBERS_MOST], center[NUMBERS_MOST];
        const double size = ldexp(1.0, i % 12 - 4);
        for (size_t j = 0; j < classes * m.columns; j++) {
            theta[j] = size * uniform(&draw);
            b[j] = 3.25 * uniform(&draw);
            center[j] = 2.5 * uniform(&draw);
        }
        const sot_softmax problem = {.matrix = &m,
                                     .classes = classes,
                                     .lambda = ldexp(1.0, i % 21 - 10),
                                     .center = i % 3 == 1 ? center : NULL,
                                     .l1 = i % 5 == 2 ? 1.375 : 0.0,
                                     .l1_width = 0.0625,
                                     .linear = i % 4 == 0 ? NULL : b};
        const double exact = exact_softmax_norm_lower(&problem, theta);
        const double quick = norm_upper(&problem, theta, false);
        const double careful = norm_upper(&problem, theta, true);
        const double scale = (double)m.rows + problem.lambda * (size + 2.5) * 13.0 + 30.0;
        assert_within(quick, exact, exact * (1.0 + 1e-11) + 2e-12 * scale);
        assert_within(careful, exact, exact * (1.0 + 1e-11) + 0x1p-85 * scale);
        free_matrix(&m);
    }
}

/* b is chosen so that the computed gradient vanishes: all that is left of the exact one is
 * rounding, which a certificate without it overlooks. */
static void rounding_is_part_of_the_bound(void **state)
{
    (void)state;
    size_t overlooked = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        enum { D = 8, K = 4 };
        const recipe from = {.rows = 300,
                             .columns = D,
                             .sparse = seed % 2 == 1,
                             .filled = 0.75,
                             .noise = 0.5,
                             .seed = seed};
        sot_matrix m = make_classes(&from, K);
        uint64_t draw = seed + 100;
        double theta[K * D], b[K * D] = {0.0}, gradient[K * D];
        for (size_t j = 0; j < K * D; j++)
            theta[j] = 5.0 * uniform(&draw) + 0x1p-40 * uniform(&draw);
        const sot_softmax problem = {
            .matrix = &m, .classes = K, .lambda = 1.75, .linear = b};
        sotto_error error;
        double squares = 0.0;
        for (int round = 0; round < 4; round++) {
            assert_ok(sot_softmax_value(&problem, theta, NULL, gradient, &error), &error);
            squares = 0.0;
            for (size_t j = 0; j < K * D; j++) {
                squares += gradient[j] * gradient[j];
                if (round < 3) b[j] -= gradient[j];
            }
        }
        const double exact = exact_softmax_norm_lower(&problem, theta);
        overlooked += sqrt(squares) * (1.0 + 1e-9) < exact;
        assert_within(norm_upper(&problem, theta, false), exact, 1e-9);
        assert_within(norm_upper(&problem, theta, true), exact,
                      exact * (1.0 + 1e-9) + 1e-20);
        free_matrix(&m);
    }
    assert_true(overlooked >= 6); /* or the test would show nothing */
}

/* Margins of about 1 made of terms of about 2^30: the rows' products lose 30 bits. */
static void cancellation_within_a_row_is_counted(void **state)
{
    (void)state;
    enum { D = 8, K = 3 };
    const recipe from = {
        .rows = 40, .columns = D, .filled = 1.0, .noise = 0.5, .seed = 9};
    sot_matrix m = make_classes(&from, K);
    uint64_t draw = 3;
    for (size_t i = 0; i < m.rows; i++) {
        float *x = m.dense + i * m.stride;
        for (size_t j = 0; j < D / 2; j++)
            x[2 * j + 1] = x[2 * j];
    }
    double theta[K * D], b[K * D];
    for (size_t j = 0; j < K * D / 2; j++) {
        theta[2 * j] = 0x1p30 * uniform(&draw) + uniform(&draw);
        theta[2 * j + 1] = -theta[2 * j] + uniform(&draw);
    }
    for (size_t j = 0; j < K * D; j++)
        b[j] = -0.5 * theta[j];
    const sot_softmax problem = {.matrix = &m, .classes = K, .lambda = 0.5, .linear = b};
    const double exact = exact_softmax_norm_lower(&problem, theta);
    assert_within(norm_upper(&problem, theta, false), exact, exact + 1e-3);
    assert_within(norm_upper(&problem, theta, true), exact, exact * (1.0 + 1e-9));
    free_matrix(&m);
}

static void extremes_stay_bounds(void **state)
{
    (void)state;
    const recipe from = {.rows = 9, .columns = 1, .filled = 1.0, .noise = 0.5, .seed = 1};
    sot_matrix m = make_classes(&from, 3);
    const double points[][3] = {{0.0, 0.0, 0.0},
                                {1e300, -1e300, 1e299},
                                {DBL_MAX, DBL_MAX, -DBL_MAX},
                                {DBL_TRUE_MIN, 0.0, -DBL_TRUE_MIN},
                                {(double)INFINITY, 0.0, 0.0},
                                {0.0, (double)NAN, 0.0}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const sot_softmax problem = {
            .matrix = &m, .classes = 3, .lambda = 1.0, .l1 = 0.5, .l1_width = 1e-300};
        for (int careful = 0; careful < 2; careful++) {
            const double upper = norm_upper(&problem, points[i], careful == 1);
            if (i >= 4)
                assert_true(isinf(upper));
            else
                assert_within(upper, exact_softmax_norm_lower(&problem, points[i]),
                              (double)INFINITY);
        }
    }
    /* No rows at all: |b| itself. */
    m.rows = 0;
    const double b[3] = {3.0, 0.0, -4.0};
    const double zero[3] = {0.0, 0.0, 0.0};
    const sot_softmax problem = {.matrix = &m, .classes = 3, .lambda = 1.0, .linear = b};
    assert_within(norm_upper(&problem, zero, false), 5.0, 5.0 * (1.0 + 1e-11));
    assert_within(norm_upper(&problem, zero, true), 5.0, 5.0 * (1.0 + 1e-11));
    free_matrix(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_above_the_exact_norm_and_near_it),
        cmocka_unit_test(rounding_is_part_of_the_bound),
        cmocka_unit_test(cancellation_within_a_row_is_counted),
        cmocka_unit_test(extremes_stay_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
