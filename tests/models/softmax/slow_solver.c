/* Many rows: the certificate holds at a tau that is small against them, with and without a ball. */
#include "softmax_problems.h"

static void a_quarter_of_a_million_rows_are_solved(void **state)
{
    (void)state;
    enum { D = 20, K = 5 };
    const recipe from = {
        .rows = 250000, .columns = D, .filled = 1.0, .noise = 0.5, .seed = 3};
    sot_matrix m = make_classes(&from, K);
    sot_pool *pool;
    sotto_error error;
    assert_ok(sot_pool_new(0, &pool, &error), &error);
    for (int power = -4; power <= 2; power += 2) {
        sot_softmax problem = {
            .matrix = &m, .classes = K, .lambda = pow(10.0, (double)power), .pool = pool};
        double theta[K * D] = {0.0}, upper;
        assert_ok(sot_softmax_solve(&problem, 0x1p-20, theta, &error), &error);
        assert_ok(sot_softmax_gradient_norm_upper(&problem, theta, true, &upper, &error),
                  &error);
        assert_within(upper, 0.0, 0x1p-20);
        problem.radius = 2.5;
        assert_ok(sot_softmax_solve(&problem, 0x1p-20, theta, &error), &error);
        /* grad J = -nu theta + e: what is left of it beside theta is at most tau. */
        double gradient[K * D], along = 0.0, squares = 0.0, size = 0.0;
        assert_ok(sot_softmax_value(&problem, theta, NULL, gradient, &error), &error);
        for (size_t k = 0; k < K * D; k++) {
            along += gradient[k] * theta[k];
            size += theta[k] * theta[k];
        }
        assert_within(sqrt(size), 2.5 * (1.0 - 1e-14), 2.5 * (1.0 + 1e-14));
        assert_true(along < 0.0);
        for (size_t k = 0; k < K * D; k++)
            squares += pow(gradient[k] - along / size * theta[k], 2.0);
        assert_within(sqrt(squares), 0.0, 0x1p-20);
    }
    sot_pool_free(pool);
    free_matrix(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quarter_of_a_million_rows_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
