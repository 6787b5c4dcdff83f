/* A million rows, dense and sparse: certified in double and, at the finest tau, carefully. */
#include "models/linear/problems.h"

static void a_million_rows_are_solved(void **state)
{
    (void)state;
    enum { COLUMNS = 12 };
    sotto_error error;
    sot_pool *pool;
    assert_ok(sot_pool_new(0, &pool, &error), &error);
    for (int sparse = 0; sparse < 2; sparse++) {
        const recipe from = {.rows = 1000000,
                             .columns = COLUMNS,
                             .sparse = sparse == 1,
                             .filled = 0.75,
                             .noise = 0.5,
                             .seed = 99};
        sot_matrix m = make_matrix(&from);
        for (int i = 0; i < 6; i++) {
            const double b[COLUMNS] = {3.0, -1e3, 0.5};
            const sot_glm glm = {.matrix = &m,
                                 .loss = &sot_loss_logistic,
                                 .lambda = pow(10.0, 4.0 * (i % 3) - 4.0),
                                 .linear = b,
                                 .pool = pool};
            const double tau = i < 3 ? 1e-9 : 0x1p-20;
            double theta[COLUMNS] = {0.0};
            double upper;
            assert_ok(sot_glm_solve(&glm, tau, theta, &error), &error);
            assert_ok(sot_glm_gradient_norm_upper(&glm, theta, true, &upper, &error),
                      &error);
            assert_within(upper, 0.0, tau);
        }
        free_matrix(&m);
    }
    sot_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_million_rows_are_solved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
