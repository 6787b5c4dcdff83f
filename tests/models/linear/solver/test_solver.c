/* The solver: its answer against a reference in long double, its certificate against the careful
 * bound, and the cases in which solvers give up. */
#include "models/linear/problems.h"

#include "base/memory.h"
#include "models/linear/solver/newton.h"

enum { COLUMNS_MOST = 24 };

/* Gauss elimination without pivoting: the matrix is positive definite. */
static void reference_step(size_t d, long double a[][COLUMNS_MOST], long double *b)
{
    for (size_t k = 0; k < d; k++) {
        for (size_t i = k + 1; i < d; i++) {
            const long double factor = a[i][k] / a[k][k];
            for (size_t j = k; j < d; j++)
                a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (size_t k = d; k-- > 0;) {
        for (size_t j = k + 1; j < d; j++)
            b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
}

typedef struct derivatives {
    long double gradient[COLUMNS_MOST];
    long double hessian[COLUMNS_MOST][COLUMNS_MOST];
} derivatives;

static void derivatives_at(const sot_glm *glm, const long double *theta, derivatives *out)
{
    const size_t d = glm->matrix->columns;
    const long double lambda = (long double)glm->lambda;
    for (size_t j = 0; j < d; j++) {
        out->gradient[j] = lambda * theta[j];
        if (glm->linear != NULL) out->gradient[j] += (long double)glm->linear[j];
        for (size_t k = 0; k < d; k++)
            out->hessian[j][k] = j == k ? lambda : 0.0L;
    }
    for (size_t i = 0; i < glm->matrix->rows; i++) {
        long double u = 0.0L;
        long double x[COLUMNS_MOST];
        for (size_t j = 0; j < d; j++) {
            x[j] = (long double)entry(glm->matrix, i, j);
            u += theta[j] * x[j];
        }
        const long double y = (long double)glm->matrix->labels[i];
        const long double s = 1.0L / (1.0L + expl(y * u));
        for (size_t j = 0; j < d; j++) {
            out->gradient[j] -= y * s * x[j];
            for (size_t k = 0; k < d; k++)
                out->hessian[j][k] += s * (1.0L - s) * x[j] * x[k];
        }
    }
}

/* Newton's method in long double, from the solver's answer: nothing of it comes from the library.
 * It ends when the steps are rounding; that it ends there is the check. */
static void reference(const sot_glm *glm, long double *theta)
{
    const size_t d = glm->matrix->columns;
    static derivatives at;
    for (int round = 0; round < 12; round++) {
        derivatives_at(glm, theta, &at);
        reference_step(d, at.hessian, at.gradient);
        long double moved = 0.0L;
        long double size = 1.0L;
        for (size_t j = 0; j < d; j++) {
            theta[j] -= at.gradient[j];
            moved += fabsl(at.gradient[j]);
            size += fabsl(theta[j]);
        }
        if (moved <= 1e-17L * size) return;
    }
    fail_msg("the reference did not settle");
}

/* Solves, checks the certificate and the distance to the reference. */
static void assert_solved(const sot_glm *glm, double tau, const double *start)
{
    const size_t d = glm->matrix->columns;
    double theta[COLUMNS_MOST] = {0.0};
    long double exact[COLUMNS_MOST] = {0.0L};
    sotto_error error;
    if (start != NULL) memcpy(theta, start, d * sizeof *theta);
    assert_ok(sot_glm_solve(glm, tau, theta, &error), &error);
    double upper;
    assert_ok(sot_glm_gradient_norm_upper(glm, theta, true, &upper, &error), &error);
    assert_within(upper, 0.0, tau);
    for (size_t j = 0; j < d; j++)
        exact[j] = (long double)theta[j];
    reference(glm, exact);
    long double squares = 0.0L;
    long double size = 0.0L;
    for (size_t j = 0; j < d; j++) {
        const long double off = (long double)theta[j] - exact[j];
        squares += off * off;
        size += exact[j] * exact[j];
    }
    const double allowed = tau / glm->lambda + 1e-17 * (double)sqrtl(size);
    assert_within((double)sqrtl(squares), 0.0, allowed);
}

static void the_answer_is_the_minimiser(void **state)
{
    (void)state;
    uint64_t draw = 5;
    for (int i = 0; i < 40; i++) {
        const recipe from = {.rows = (size_t)(1 + i * 23),
                             .columns = (size_t)(1 + i * 7 % COLUMNS_MOST),
                             .sparse = i % 2 == 1,
                             .filled = i % 3 == 0 ? 1.0 : 0.375,
                             .noise = i % 5 == 0 ? 0.0 : 0.5,
                             .seed = (uint64_t)i};
        sot_matrix m = make_matrix(&from);
        double b[COLUMNS_MOST];
        for (size_t j = 0; j < m.columns; j++)
            b[j] = 6.5 * uniform(&draw);
        const sot_glm glm = {.matrix = &m,
                             .loss = &sot_loss_logistic,
                             .lambda = ldexp(1.0, i % 13 - 6),
                             .linear = i % 4 == 0 ? NULL : b};
        assert_solved(&glm, ldexp(1.0, -20 - i % 11), NULL);
        free_matrix(&m);
    }
}

/* lambda from 1e-6 to 1e6, the finest tau, labels that a plane separates and others. */
static void the_whole_range_of_lambda_is_solved(void **state)
{
    (void)state;
    for (int i = 0; i < 14; i++) {
        const recipe from = {.rows = 700,
                             .columns = 9,
                             .sparse = i % 2 == 1,
                             .filled = 1.0,
                             .noise = i >= 7 ? 0.25 : 0.0,
                             .seed = 40};
        sot_matrix m = make_matrix(&from);
        const sot_glm glm = {.matrix = &m,
                             .loss = &sot_loss_logistic,
                             .lambda = pow(10.0, 2.0 * (i % 7) - 6.0)};
        assert_solved(&glm, 1e-9, NULL);
        free_matrix(&m);
    }
}

static void no_rows_and_rows_of_zeros_give_minus_b_by_lambda(void **state)
{
    (void)state;
    sotto_error error;
    for (int i = 0; i < 4; i++) {
        const recipe from = {
            .rows = i < 2 ? 0 : 30, .columns = 3, .sparse = i % 2 == 1, .filled = 0.0};
        sot_matrix m = make_matrix(&from);
        const double b[3] = {4.5, -1e9, 0.0};
        const sot_glm glm = {
            .matrix = &m, .loss = &sot_loss_logistic, .lambda = 2.5, .linear = b};
        double theta[3] = {100.0, -7.0, 3.0};
        assert_ok(sot_glm_solve(&glm, 1e-6, theta, &error), &error);
        for (size_t j = 0; j < 3; j++)
            assert_within(theta[j] - -b[j] / 2.5, -1e-6, 1e-6);
        free_matrix(&m);
    }
}

static void one_row_is_solved(void **state)
{
    (void)state;
    const recipe from = {.rows = 1, .columns = 1, .filled = 1.0, .seed = 3};
    sot_matrix m = make_matrix(&from);
    m.dense[0] = 1.0f;
    for (int i = 0; i < 9; i++) {
        const double b[1] = {i % 3 == 0 ? 0.0 : ldexp(i % 3 == 1 ? 1.0 : -1.0, 3 * i)};
        const sot_glm glm = {.matrix = &m,
                             .loss = &sot_loss_logistic,
                             .lambda = pow(10.0, (double)i - 4.0),
                             .linear = b};
        assert_solved(&glm, 1e-9, NULL);
    }
    free_matrix(&m);
}

/* Far starts and strong tilts: full Newton steps overshoot there. */
static void any_start_and_a_huge_tilt_are_survived(void **state)
{
    (void)state;
    const recipe from = {
        .rows = 250, .columns = 6, .filled = 1.0, .noise = 0.5, .seed = 12};
    sot_matrix m = make_matrix(&from);
    uint64_t draw = 9;
    for (int i = 0; i < 24; i++) {
        double start[6], b[6];
        for (size_t j = 0; j < 6; j++) {
            start[j] = pow(10.0, (double)(i % 6)) * uniform(&draw);
            b[j] = pow(10.0, (double)(i % 5)) * uniform(&draw);
        }
        const sot_glm glm = {.matrix = &m,
                             .loss = &sot_loss_logistic,
                             .lambda = i % 2 == 0 ? 1.0 : 1e-3,
                             .linear = b};
        assert_solved(&glm, 1e-7, start);
    }
    free_matrix(&m);
}

/* Two columns that rows see the difference of, and a b that pushes both far out: no double is near
 * enough to the minimiser for a gradient of tau, but one is within tau / lambda of it. */
static void where_no_double_has_a_small_gradient_the_distance_is_proven(void **state)
{
    (void)state;
    const recipe from = {
        .rows = 4000, .columns = 2, .filled = 1.0, .noise = 0.5, .seed = 6};
    sot_matrix m = make_matrix(&from);
    for (size_t i = 0; i < m.rows; i++) {
        m.dense[i * m.stride] = 0.625f;
        m.dense[i * m.stride + 1] = -0.625f;
    }
    const double b[2] = {-1e4, -1e4};
    const sot_glm glm = {
        .matrix = &m, .loss = &sot_loss_logistic, .lambda = 1e-3, .linear = b};
    const double tau = 1e-10;
    double theta[2] = {0.0, 0.0};
    sotto_error error;
    assert_ok(sot_glm_solve(&glm, tau, theta, &error), &error);
    double upper;
    assert_ok(sot_glm_gradient_norm_upper(&glm, theta, true, &upper, &error), &error);
    assert_true(upper > tau); /* or the test would show nothing */
    /* By symmetry theta = p (1, 1) + q (1, -1): lambda p = 1e4, and q solves one equation. */
    long double plus = 0.0L;
    for (size_t i = 0; i < m.rows; i++)
        plus += m.labels[i] > 0.0 ? 1.0L : 0.0L;
    long double q = 0.0L;
    for (int round = 0; round < 200; round++) {
        const long double s = 1.0L / (1.0L + expl(-1.25L * q)); /* u = 1.25 q */
        const long double slope =
            0.625L * ((4000.0L - plus) * s - plus * (1.0L - s)) + 1e-3L * q;
        q -= slope / (0.78125L * 4000.0L * s * (1.0L - s) + 1e-3L);
    }
    const long double off0 = (long double)theta[0] - (1e4L / (long double)1e-3 + q);
    const long double off1 = (long double)theta[1] - (1e4L / (long double)1e-3 - q);
    assert_within((double)hypotl(off0, off1), 0.0, tau / glm.lambda);
    free_matrix(&m);
}

/* Both ways to a direction end at the same point; the choice is a matter of speed. */
static void conjugate_gradients_and_cholesky_give_the_same_direction(void **state)
{
    (void)state;
    sotto_error error;
    const recipe from = {
        .rows = 900, .columns = 20, .filled = 0.5, .noise = 0.5, .seed = 17};
    sot_matrix m = make_matrix(&from);
    const sot_glm glm = {.matrix = &m, .loss = &sot_loss_logistic, .lambda = 0.25};
    sot_pass pass;
    assert_ok(sot_pass_begin(&glm, &pass, &error), &error);
    static double curvatures[900], gradient[32], direction[2][32];
    uint64_t draw = 4;
    for (size_t i = 0; i < 900; i++)
        curvatures[i] = 0.125 * (1.0 + uniform(&draw));
    for (size_t j = 0; j < 20; j++)
        gradient[j] = uniform(&draw);
    for (int direct = 0; direct < 2; direct++) {
        sot_newton newton;
        assert_ok(sot_newton_begin(&pass, direct == 1, &newton, &error), &error);
        assert_ok(sot_newton_direction(&newton, curvatures, gradient, 1e-12,
                                       direction[direct], &error),
                  &error);
        sot_newton_end(&newton);
    }
    for (size_t j = 0; j < 20; j++)
        assert_within(direction[0][j] - direction[1][j], -1e-9, 1e-9);
    sot_pass_end(&pass);
    free_matrix(&m);
}

/* More columns than the direct method takes. */
static void many_columns_are_solved_by_conjugate_gradients(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    const recipe from = {.rows = 400,
                         .columns = MANY,
                         .sparse = true,
                         .filled = 0.01,
                         .noise = 0.5,
                         .seed = 18};
    sot_matrix m = make_matrix(&from);
    assert_false(sot_newton_direct_pays(&m));
    static double theta[MANY];
    const sot_glm glm = {.matrix = &m, .loss = &sot_loss_logistic, .lambda = 1e-3};
    sotto_error error;
    double upper;
    assert_ok(sot_glm_solve(&glm, 1e-11, theta, &error), &error);
    assert_ok(sot_glm_gradient_norm_upper(&glm, theta, true, &upper, &error), &error);
    assert_within(upper, 0.0, 1e-11);
    free_matrix(&m);
}

static void noise_of_is_minus_the_gradient_and_the_determinant(void **state)
{
    (void)state;
    const recipe from = {
        .rows = 120, .columns = 2, .filled = 1.0, .noise = 0.5, .seed = 30};
    sot_matrix m = make_matrix(&from);
    const double b[2] = {9.0, -3.0}; /* is not part of it */
    const double theta[2] = {1.375, -0.25};
    const sot_glm glm = {
        .matrix = &m, .loss = &sot_loss_logistic, .lambda = 0.75, .linear = b};
    double noise[2];
    double log_determinant;
    sotto_error error;
    assert_ok(sot_glm_noise_of(&glm, theta, noise, &log_determinant, &error), &error);
    double g[2] = {0.75 * theta[0], 0.75 * theta[1]};
    double h[3] = {0.75, 0.0, 0.75};
    for (size_t i = 0; i < m.rows; i++) {
        const double x0 = entry(&m, i, 0);
        const double x1 = entry(&m, i, 1);
        const double y = m.labels[i];
        const double s = 1.0 / (1.0 + exp(y * (theta[0] * x0 + theta[1] * x1)));
        g[0] -= y * s * x0;
        g[1] -= y * s * x1;
        h[0] += s * (1.0 - s) * x0 * x0;
        h[1] += s * (1.0 - s) * x0 * x1;
        h[2] += s * (1.0 - s) * x1 * x1;
    }
    assert_relative(noise[0], -g[0], 1e-12);
    assert_relative(noise[1], -g[1], 1e-12);
    assert_relative(log_determinant, log(h[0] * h[2] - h[1] * h[1]), 1e-12);
    /* The tilt by this noise makes theta the minimiser. */
    const sot_glm tilted = {
        .matrix = &m, .loss = &sot_loss_logistic, .lambda = 0.75, .linear = noise};
    double again[2] = {0.0, 0.0};
    assert_ok(sot_glm_solve(&tilted, 1e-10, again, &error), &error);
    assert_within(hypot(again[0] - theta[0], again[1] - theta[1]), 0.0, 1e-9);
    free_matrix(&m);
}

static void a_tau_that_is_not_positive_is_refused(void **state)
{
    (void)state;
    static const double wrong[] = {0.0, -1.0};
    const recipe from = {.rows = 2, .columns = 1, .filled = 1.0};
    sot_matrix m = make_matrix(&from);
    const sot_glm glm = {.matrix = &m, .loss = &sot_loss_logistic, .lambda = 1.0};
    double theta[1] = {7.0};
    sotto_error error;
    for (size_t i = 0; i < 2; i++)
        assert_refused(sot_glm_solve(&glm, wrong[i], theta, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "tau", "positive", NULL);
    assert_refused(sot_glm_solve(&glm, (double)NAN, theta, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "tau", NULL);
    assert_true(theta[0] == 7.0);
    free_matrix(&m);
}

static void want_of_memory_and_cancellation_are_reported(void **state)
{
    (void)state;
    const recipe from = {
        .rows = 60, .columns = 3, .filled = 1.0, .noise = 0.5, .seed = 2};
    sot_matrix m = make_matrix(&from);
    sot_pool *pool;
    sotto_error error;
    assert_ok(sot_pool_new(2, &pool, &error), &error);
    const sot_glm glm = {
        .matrix = &m, .loss = &sot_loss_logistic, .lambda = 1.0, .pool = pool};
    double theta[3], noise[3], determinant, upper, value;
    for (int which = 0; which < 4; which++) {
        sotto_status status = SOTTO_OUT_OF_MEMORY;
        size_t nth = 0;
        while (status == SOTTO_OUT_OF_MEMORY) {
            theta[0] = theta[1] = theta[2] = 0.5;
            (void)sot_test_fail_allocation(++nth);
            if (which == 0) status = sot_glm_solve(&glm, 1e-12, theta, &error);
            if (which == 1)
                status = sot_glm_noise_of(&glm, theta, noise, &determinant, &error);
            if (which == 2)
                status = sot_glm_gradient_norm_upper(&glm, theta, true, &upper, &error);
            if (which == 3) status = sot_glm_value(&glm, theta, &value, noise, &error);
            (void)sot_test_fail_allocation(0);
            if (status != SOTTO_OK) assert_true(theta[0] == 0.5 && theta[2] == 0.5);
        }
        assert_ok(status, &error);
        assert_true(nth >= 4);
    }
    theta[0] = theta[1] = theta[2] = 0.5;
    sot_pool_cancel(pool);
    assert_refused(sot_glm_solve(&glm, 1e-6, theta, &error), SOTTO_INTERRUPTED, &error,
                   NULL);
    assert_true(theta[0] == 0.5);
    sot_pool_resume(pool);
    sot_pool_free(pool);
    free_matrix(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_is_the_minimiser),
        cmocka_unit_test(the_whole_range_of_lambda_is_solved),
        cmocka_unit_test(no_rows_and_rows_of_zeros_give_minus_b_by_lambda),
        cmocka_unit_test(one_row_is_solved),
        cmocka_unit_test(any_start_and_a_huge_tilt_are_survived),
        cmocka_unit_test(where_no_double_has_a_small_gradient_the_distance_is_proven),
        cmocka_unit_test(conjugate_gradients_and_cholesky_give_the_same_direction),
        cmocka_unit_test(many_columns_are_solved_by_conjugate_gradients),
        cmocka_unit_test(noise_of_is_minus_the_gradient_and_the_determinant),
        cmocka_unit_test(a_tau_that_is_not_positive_is_refused),
        cmocka_unit_test(want_of_memory_and_cancellation_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
