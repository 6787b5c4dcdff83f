/* The certificate: never below the exact norm of the gradient (MPFR, 400 bits), and not far above. */
#include "models/linear/problems.h"

#include <float.h>

#include "models/linear/solver/pass.h"

enum { COLUMNS_MOST = 40 };

static double norm_upper(const sot_glm *glm, const double *theta, bool careful)
{
    sotto_error error;
    double upper;
    assert_ok(sot_glm_gradient_norm_upper(glm, theta, careful, &upper, &error), &error);
    return upper;
}

/* Points of all sizes, the rows of all kinds. */
static void bounds_are_above_the_exact_norm_and_near_it(void **state)
{
    (void)state;
    uint64_t draw = 77;
    for (int i = 0; i < 60; i++) {
        const recipe from = {.rows = (size_t)(1 + i * 7),
                             .columns = (size_t)(1 + i * 13 % COLUMNS_MOST),
                             .sparse = i % 2 == 1,
                             .filled = i % 3 == 0 ? 1.0 : 0.25,
                             .noise = 0.5,
                             .seed = (uint64_t)i};
        sot_matrix m = make_matrix(&from);
        double theta[COLUMNS_MOST], b[COLUMNS_MOST];
        const double size = ldexp(1.0, i % 12 - 4);
        for (size_t j = 0; j < m.columns; j++) {
            theta[j] = size * uniform(&draw);
            b[j] = 3.25 * uniform(&draw);
        }
        const sot_glm glm = {.matrix = &m,
                             .loss = &sot_loss_logistic,
                             .lambda = ldexp(1.0, i % 21 - 10),
                             .linear = i % 4 == 0 ? NULL : b};
        const double exact = exact_norm_lower(&glm, theta);
        const double quick = norm_upper(&glm, theta, false);
        const double careful = norm_upper(&glm, theta, true);
        const double scale = (double)m.rows + glm.lambda * size * 7.0 + 20.0;
        assert_within(quick, exact, exact * (1.0 + 1e-11) + 1e-12 * scale);
        assert_within(careful, exact, exact * (1.0 + 1e-11) + 0x1p-70 * scale);
        free_matrix(&m);
    }
}

/* The other losses, a centre and a smoothed L1 norm. */
static void the_other_losses_and_terms_are_bounded_too(void **state)
{
    (void)state;
    const sot_loss losses[] = {
        sot_loss_squared(2.0, 1.0),   sot_loss_huber(0.125, 1.0),
        sot_loss_smoothed_hinge(0.5), sot_loss_smoothed_hinge(1e-3),
        sot_loss_poisson(5.0, 5.0),   sot_loss_logistic};
    uint64_t draw = 78;
    for (int i = 0; i < 48; i++) {
        const recipe from = {.rows = (size_t)(3 + i * 5),
                             .columns = (size_t)(1 + i * 13 % COLUMNS_MOST),
                             .sparse = i % 2 == 1,
                             .filled = 0.5,
                             .noise = 0.5,
                             .seed = (uint64_t)i};
        sot_matrix m = make_matrix(&from);
        const sot_loss *loss = &losses[i % 6];
        for (size_t k = 0; k < m.rows && loss->label_most > 1.0; k++)
            m.labels[k] += 1.0;
        double theta[COLUMNS_MOST], b[COLUMNS_MOST], centre[COLUMNS_MOST];
        const double size = ldexp(1.0, i % 8 - 4);
        for (size_t j = 0; j < m.columns; j++) {
            theta[j] = size * uniform(&draw);
            b[j] = 3.25 * uniform(&draw);
            centre[j] = i % 3 == 0 ? theta[j] + 0x1p-30 * uniform(&draw) : uniform(&draw);
        }
        const sot_glm glm = {.matrix = &m,
                             .loss = loss,
                             .lambda = ldexp(1.0, i % 21 - 10),
                             .center = centre,
                             .l1 = i % 4 == 0 ? 0.0 : 2.75,
                             .l1_width = ldexp(1.0, -(i % 17)),
                             .linear = i % 5 == 0 ? NULL : b};
        const double exact = exact_norm_lower(&glm, theta);
        const double quick = norm_upper(&glm, theta, false);
        const double careful = norm_upper(&glm, theta, true);
        const double scale =
            ((double)m.rows * (1.0 + loss->curvature_most) + glm.lambda * 7.0) *
                (1.0 + size) * (1.0 + loss->slope_most) +
            40.0;
        assert_within(quick, exact, exact * (1.0 + 1e-11) + 1e-12 * scale);
        assert_within(careful, exact, exact * (1.0 + 1e-11) + 0x1p-70 * scale);
        free_matrix(&m);
    }
}

/* What a solver adds, nu, in two doubles: the gradient is that of a larger lambda. */
static void the_weight_of_a_ball_is_part_of_the_gradient(void **state)
{
    (void)state;
    const recipe from = {
        .rows = 30, .columns = 5, .filled = 1.0, .noise = 0.5, .seed = 3};
    sot_matrix m = make_matrix(&from);
    const sot_glm glm = {.matrix = &m, .loss = &sot_loss_logistic, .lambda = 0.75};
    const sot_glm heavier = {.matrix = &m, .loss = &sot_loss_logistic, .lambda = 4.0};
    static double theta[16], gradient[16], low[16], as_one[16], as_one_low[16];
    uint64_t draw = 5;
    for (size_t j = 0; j < 5; j++)
        theta[j] = uniform(&draw);
    sotto_error error;
    sot_pass pass, other;
    sot_pass_bounds bounds;
    double squares;
    assert_ok(sot_pass_begin(&glm, &pass, &error), &error);
    assert_ok(sot_pass_begin(&heavier, &other, &error), &error);
    assert_ok(sot_pass_measure(&pass, &bounds, &error), &error);
    pass.nu = (sot_twofold){3.25, 0x1p-60};
    assert_ok(
        sot_pass_gradient_careful(&pass, theta, NULL, gradient, low, &squares, &error),
        &error);
    assert_ok(sot_pass_gradient_careful(&other, theta, NULL, as_one, as_one_low, &squares,
                                        &error),
              &error);
    for (size_t j = 0; j < 5; j++) {
        const double off = (gradient[j] - as_one[j]) + (low[j] - as_one_low[j]);
        assert_within(off - 0x1p-60 * theta[j], -0x1p-95, 0x1p-95);
    }
    const sot_pass_result out = {.gradient = gradient, .slope_squares = &squares};
    assert_ok(sot_pass_gradient(&pass, theta, &out, &error), &error);
    const double exact = exact_norm_lower(&heavier, theta);
    assert_within(sot_pass_norm_upper(&pass, &bounds, theta, gradient, squares),
                  exact - 0x1p-58, exact + 1e-10);
    sot_pass_end(&pass);
    sot_pass_end(&other);
    free_matrix(&m);
}

/* b is chosen so that the computed gradient vanishes: all that is left of the exact one is
 * rounding, which a certificate without it overlooks. */
static void rounding_is_part_of_the_bound(void **state)
{
    (void)state;
    size_t overlooked = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        const recipe from = {.rows = 300,
                             .columns = 24,
                             .sparse = seed % 2 == 1,
                             .filled = 0.75,
                             .noise = 0.5,
                             .seed = seed};
        sot_matrix m = make_matrix(&from);
        uint64_t draw = seed + 100;
        double theta[24], b[24] = {0.0};
        for (size_t j = 0; j < 24; j++)
            theta[j] = 5.0 * uniform(&draw) + 0x1p-40 * uniform(&draw);
        sot_glm glm = {
            .matrix = &m, .loss = &sot_loss_logistic, .lambda = 1.75, .linear = b};
        sotto_error error;
        double gradient[24];
        for (int round = 0; round < 3; round++) {
            assert_ok(sot_glm_value(&glm, theta, NULL, gradient, &error), &error);
            for (size_t j = 0; j < 24; j++)
                b[j] -= gradient[j];
        }
        assert_ok(sot_glm_value(&glm, theta, NULL, gradient, &error), &error);
        double squares = 0.0;
        for (size_t j = 0; j < 24; j++)
            squares += gradient[j] * gradient[j];
        const double exact = exact_norm_lower(&glm, theta);
        overlooked += sqrt(squares) * (1.0 + 1e-9) < exact;
        assert_within(norm_upper(&glm, theta, false), exact, 1e-9);
        assert_within(norm_upper(&glm, theta, true), exact, exact * (1.0 + 1e-9) + 1e-18);
        free_matrix(&m);
    }
    assert_true(overlooked >= 6); /* or the test would show nothing */
}

/* Margins of about 1 made of terms of about 2^30: the rows' products lose 30 bits. */
static void cancellation_within_a_row_is_counted(void **state)
{
    (void)state;
    const recipe from = {
        .rows = 40, .columns = 8, .filled = 1.0, .noise = 0.5, .seed = 9};
    sot_matrix m = make_matrix(&from);
    uint64_t draw = 3;
    for (size_t i = 0; i < m.rows; i++) {
        float *x = m.dense + i * m.stride;
        for (size_t j = 0; j < 4; j++)
            x[2 * j + 1] = x[2 * j];
    }
    double theta[8];
    for (size_t j = 0; j < 4; j++) {
        theta[2 * j] = 0x1p30 * uniform(&draw) + uniform(&draw);
        theta[2 * j + 1] = -theta[2 * j] + uniform(&draw);
    }
    double b[8];
    for (size_t j = 0; j < 8; j++)
        b[j] = -0.5 * theta[j];
    const sot_glm glm = {
        .matrix = &m, .loss = &sot_loss_logistic, .lambda = 0.5, .linear = b};
    const double exact = exact_norm_lower(&glm, theta);
    assert_within(norm_upper(&glm, theta, false), exact, exact + 1e-3);
    assert_within(norm_upper(&glm, theta, true), exact, exact * (1.0 + 1e-9));
    free_matrix(&m);
}

static void extremes_stay_bounds(void **state)
{
    (void)state;
    const recipe from = {.rows = 9, .columns = 3, .filled = 1.0, .noise = 0.5, .seed = 1};
    sot_matrix m = make_matrix(&from);
    const double points[][3] = {{0.0, 0.0, 0.0},
                                {1e300, -1e300, 1e299},
                                {DBL_MAX, DBL_MAX, DBL_MAX},
                                {DBL_TRUE_MIN, 0.0, -DBL_TRUE_MIN},
                                {(double)INFINITY, 0.0, 0.0},
                                {0.0, (double)NAN, 0.0}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const sot_glm glm = {.matrix = &m, .loss = &sot_loss_logistic, .lambda = 1.0};
        for (int careful = 0; careful < 2; careful++) {
            const double upper = norm_upper(&glm, points[i], careful == 1);
            if (i >= 4)
                assert_true(isinf(upper));
            else
                assert_within(upper, exact_norm_lower(&glm, points[i]), (double)INFINITY);
        }
    }
    /* No rows at all: |b| itself. */
    m.rows = 0;
    const double b[3] = {3.0, 0.0, -4.0};
    const double zero[3] = {0.0, 0.0, 0.0};
    const sot_glm glm = {
        .matrix = &m, .loss = &sot_loss_logistic, .lambda = 1.0, .linear = b};
    assert_within(norm_upper(&glm, zero, false), 5.0, 5.0 * (1.0 + 1e-11));
    assert_within(norm_upper(&glm, zero, true), 5.0, 5.0 * (1.0 + 1e-11));
    free_matrix(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_above_the_exact_norm_and_near_it),
        cmocka_unit_test(the_other_losses_and_terms_are_bounded_too),
        cmocka_unit_test(the_weight_of_a_ball_is_part_of_the_gradient),
        cmocka_unit_test(rounding_is_part_of_the_bound),
        cmocka_unit_test(cancellation_within_a_row_is_counted),
        cmocka_unit_test(extremes_stay_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
