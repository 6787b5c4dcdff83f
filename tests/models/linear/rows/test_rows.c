/* The kernels: AVX2 gives the reference's bits, sparse and dense agree, threads change nothing. */
#include "models/linear/problems.h"

#include "models/linear/solver/pass.h"

static const recipe shapes[] = {
    {.rows = 1, .columns = 1, .filled = 1.0, .noise = 1.0, .seed = 11},
    {.rows = 7, .columns = 16, .filled = 0.75, .noise = 0.5, .seed = 12},
    {.rows = 67, .columns = 33, .filled = 0.5, .noise = 0.25, .seed = 13},
    {.rows = 1301, .columns = 105, .filled = 0.125, .noise = 0.25, .seed = 14},
    {.rows = 5, .columns = 1030, .filled = 0.875, .noise = 0.25, .seed = 15},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, COLUMNS_MOST = 1040, ROWS_MOST = 1301 };

static void fill(double *v, size_t count, size_t padded, uint64_t seed)
{
    for (size_t j = 0; j < padded; j++)
        v[j] = j < count ? uniform(&seed) * 3.7 + 0x1p-40 * uniform(&seed) : 0.0;
}

static void vectors_give_the_bits_of_the_reference(void **state)
{
    (void)state;
    static double theta[COLUMNS_MOST], scales[ROWS_MOST], a[ROWS_MOST], b[ROWS_MOST];
    static double sum_a[COLUMNS_MOST], sum_b[COLUMNS_MOST];
    if (sot_rows_avx2() == NULL) skip();
    for (size_t s = 0; s < SHAPES; s++) {
        sot_matrix m = make_matrix(&shapes[s]);
        fill(theta, m.columns, m.stride, 5);
        fill(scales, m.rows, m.rows, 6);
        sot_rows_portable(&m)->dots(&m, 0, m.rows, theta, a);
        sot_rows_avx2()->dots(&m, 0, m.rows, theta, b);
        assert_memory_equal(a, b, m.rows * sizeof *a);
        static double other[COLUMNS_MOST], c[ROWS_MOST];
        fill(other, m.columns, m.stride, 15);
        sot_rows_avx2()->dots_of_two(&m, 0, m.rows,
                                     (const double *const[2]){other, theta}, c, b);
        assert_memory_equal(a, b, m.rows * sizeof *a);
        sot_rows_portable(&m)->dots(&m, 0, m.rows, other, a);
        assert_memory_equal(a, c, m.rows * sizeof *a);
        fill(sum_a, m.columns, m.stride, 7);
        memcpy(sum_b, sum_a, sizeof sum_b);
        sot_rows_portable(&m)->add(&m, 0, m.rows, scales, sum_a);
        sot_rows_avx2()->add(&m, 0, m.rows, scales, sum_b);
        assert_memory_equal(sum_a, sum_b, m.stride * sizeof *sum_a);
        free_matrix(&m);
    }
}

static void corners_give_the_bits_of_the_reference(void **state)
{
    (void)state;
    if (sot_tile_avx2() == NULL) skip();
    static double left[SOT_PANEL * SOT_PANEL_ROWS], right[SOT_PANEL * SOT_PANEL_ROWS];
    double a[4 * 11], b[4 * 11];
    fill(left, SOT_PANEL * SOT_PANEL_ROWS, SOT_PANEL * SOT_PANEL_ROWS, 1);
    fill(right, SOT_PANEL * SOT_PANEL_ROWS, SOT_PANEL * SOT_PANEL_ROWS, 2);
    for (size_t rows = 0; rows <= SOT_PANEL_ROWS; rows += 7) {
        fill(a, 44, 44, 3);
        memcpy(b, a, sizeof b);
        sot_tile_portable(left + 4, right, rows, a, 11);
        sot_tile_avx2()(left + 4, right, rows, b, 11);
        assert_memory_equal(a, b, sizeof a);
    }
}

/* One row's product is the same alone and in company: no row's rounding depends on another. */
static void products_depend_on_their_own_row_alone(void **state)
{
    (void)state;
    static double theta[COLUMNS_MOST], together[ROWS_MOST];
    for (size_t s = 0; s < 2 * SHAPES; s++) {
        recipe from = shapes[s / 2];
        from.sparse = s % 2 == 1;
        sot_matrix m = make_matrix(&from);
        fill(theta, m.columns, sot_rows_width(&m), 5);
        const sot_rows *rows = sot_rows_for(&m);
        rows->dots(&m, 0, m.rows, theta, together);
        for (size_t i = 0; i < m.rows; i++) {
            double alone;
            rows->dots(&m, i, i + 1, theta, &alone);
            assert_true(alone == together[i]);
        }
        free_matrix(&m);
    }
}

static void sparse_and_dense_agree(void **state)
{
    (void)state;
    static double theta[COLUMNS_MOST], g[2][COLUMNS_MOST];
    double values[2];
    sotto_error error;
    for (size_t s = 0; s < SHAPES; s++) {
        for (int sparse = 0; sparse < 2; sparse++) {
            recipe from = shapes[s];
            from.sparse = sparse == 1;
            sot_matrix m = make_matrix(&from);
            fill(theta, m.columns, m.columns, 5);
            const sot_glm glm = {.matrix = &m, .loss = &sot_loss_logistic, .lambda = 0.5};
            assert_ok(sot_glm_value(&glm, theta, &values[sparse], g[sparse], &error),
                      &error);
            free_matrix(&m);
        }
        assert_relative(values[0], values[1], 1e-13);
        for (size_t j = 0; j < shapes[s].columns; j++)
            assert_within(g[0][j] - g[1][j], -1e-11, 1e-11);
    }
}

/* The Hessian as a matrix, its products and its diagonal are one and the same. */
static void three_ways_to_the_hessian_agree(void **state)
{
    (void)state;
    sotto_error error;
    for (int sparse = 0; sparse < 2; sparse++) {
        const recipe from = {.rows = 1500,
                             .columns = 45,
                             .sparse = sparse == 1,
                             .filled = 0.5,
                             .noise = 0.5,
                             .seed = 3};
        sot_matrix m = make_matrix(&from);
        const sot_glm glm = {.matrix = &m, .loss = &sot_loss_logistic, .lambda = 0.375};
        sot_pass pass;
        assert_ok(sot_pass_begin(&glm, &pass, &error), &error);
        static double curvatures[1500], hessian[45 * 45], diagonal[48], v[48],
            product[48];
        fill(curvatures, 1500, 1500, 9);
        for (size_t i = 0; i < 1500; i++)
            curvatures[i] = 0.0625 * fabs(curvatures[i]);
        fill(v, 45, 48, 10);
        assert_ok(sot_pass_hessian(&pass, curvatures, hessian, &error), &error);
        assert_ok(sot_pass_diagonal(&pass, curvatures, diagonal, &error), &error);
        assert_ok(sot_pass_curved(&pass, curvatures, v, product, &error), &error);
        for (size_t a = 0; a < 45; a++) {
            double sum = 0.0;
            for (size_t b = 0; b < 45; b++)
                sum += (b <= a ? hessian[a * 45 + b] : hessian[b * 45 + a]) * v[b];
            assert_relative(diagonal[a], hessian[a * 45 + a], 1e-13);
            assert_within(product[a] - sum, -1e-11, 1e-11);
        }
        /* One entry, term by term. */
        double entry_7_3 = 0.0;
        for (size_t i = 0; i < 1500; i++)
            entry_7_3 += curvatures[i] * entry(&m, i, 7) * entry(&m, i, 3);
        assert_relative(hessian[7 * 45 + 3], entry_7_3, 1e-12);
        sot_pass_end(&pass);
        free_matrix(&m);
    }
}

/* Value, gradient, both bounds, solution, noise and integer sums, with 1, 2, 3 and 7 threads. */
static void threads_change_no_bit(void **state)
{
    (void)state;
    enum { COLUMNS = 21 };
    static const size_t threads[] = {1, 2, 3, 7};
    sotto_error error;
    for (int sparse = 0; sparse < 2; sparse++) {
        const recipe from = {.rows = 5003,
                             .columns = COLUMNS,
                             .sparse = sparse == 1,
                             .filled = 0.5,
                             .noise = 0.5,
                             .seed = 4};
        sot_matrix m = make_matrix(&from);
        double theta[COLUMNS], b[COLUMNS];
        fill(theta, COLUMNS, COLUMNS, 5);
        fill(b, COLUMNS, COLUMNS, 6);
        struct answers {
            double value, bound, careful, log_determinant;
            double gradient[COLUMNS], solution[COLUMNS], noise[COLUMNS];
            int64_t units[COLUMNS];
        } first, next;
        for (size_t t = 0; t < 4; t++) {
            sot_pool *pool;
            assert_ok(sot_pool_new(threads[t], &pool, &error), &error);
            const sot_glm glm = {.matrix = &m,
                                 .loss = &sot_loss_logistic,
                                 .lambda = 0.5,
                                 .linear = b,
                                 .pool = pool};
            memset(&next, 0, sizeof next);
            assert_ok(sot_glm_value(&glm, theta, &next.value, next.gradient, &error),
                      &error);
            assert_ok(
                sot_glm_gradient_norm_upper(&glm, theta, false, &next.bound, &error),
                &error);
            assert_ok(
                sot_glm_gradient_norm_upper(&glm, theta, true, &next.careful, &error),
                &error);
            assert_ok(sot_glm_solve(&glm, 0x1p-30, next.solution, &error), &error);
            assert_ok(
                sot_glm_noise_of(&glm, theta, next.noise, &next.log_determinant, &error),
                &error);
            assert_ok(sot_glm_gradient_units(&glm, theta, 0x1p-18, next.units, &error),
                      &error);
            sot_pool_free(pool);
            if (t == 0) first = next;
            assert_memory_equal(&first, &next, sizeof first);
        }
        free_matrix(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_give_the_bits_of_the_reference),
        cmocka_unit_test(corners_give_the_bits_of_the_reference),
        cmocka_unit_test(products_depend_on_their_own_row_alone),
        cmocka_unit_test(sparse_and_dense_agree),
        cmocka_unit_test(three_ways_to_the_hessian_agree),
        cmocka_unit_test(threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
