/* Rows and integer gradient sums: exact, isolated by rows, within the norm bound, the same bits
 * everywhere. */
#include "softmax_problems.h"

#include <float.h>

#include "base/memory.h"
#include "models/softmax/kernels.h"

enum { NUMBERS_MOST = 6 * 300 };

static void units_of(const sot_matrix *matrix, size_t classes, const double *theta,
                     double spacing, int64_t *out)
{
    sotto_error error;
    const sot_softmax problem = {.matrix = matrix, .classes = classes, .lambda = 1.0};
    memset(out, 0, classes * matrix->columns * sizeof *out);
    assert_ok(
        sot_softmax_add_units(&problem, NULL, matrix->rows, theta, spacing, out, &error),
        &error);
}

/* A matrix of one row of another. */
static sot_matrix row_of(const sot_matrix *matrix, size_t row)
{
    sot_matrix one = *matrix;
    one.rows = 1;
    one.labels = matrix->labels + row;
    if (matrix->dense != NULL)
        one.dense = matrix->dense + row * matrix->stride;
    else
        one.starts = matrix->starts + row;
    return one;
}

static void some_theta(double *theta, size_t count, double size, uint64_t seed)
{
    for (size_t j = 0; j < count; j++)
        theta[j] = size * uniform(&seed);
}

typedef struct shape {
    recipe from;
    size_t classes;
} shape;

static const shape shapes[] = {
    {{.rows = 1, .columns = 1, .filled = 1.0, .noise = 1.0, .seed = 21}, 2},
    {{.rows = 37, .columns = 16, .filled = 0.75, .noise = 0.5, .seed = 22}, 3},
    {{.rows = 1500, .columns = 33, .filled = 0.5, .noise = 0.25, .seed = 23}, 4},
    {{.rows = 301, .columns = 105, .filled = 0.125, .noise = 0.25, .seed = 24}, 5},
    {{.rows = 65, .columns = 300, .filled = 0.5, .noise = 0.25, .seed = 25}, 6},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Removing a row changes the sum by that row's own contribution, exactly: hence the whole is the
 * sum of what the rows give alone, in any order and however they are picked. */
static void the_sum_is_the_sum_of_what_rows_give_alone(void **state)
{
    (void)state;
    static double theta[NUMBERS_MOST];
    static int64_t whole[NUMBERS_MOST], one[NUMBERS_MOST], total[NUMBERS_MOST];
    static uint32_t picked[1500];
    for (size_t s = 0; s < 2 * SHAPES; s++) {
        recipe from = shapes[s / 2].from;
        const size_t classes = shapes[s / 2].classes;
        from.sparse = s % 2 == 1;
        sot_matrix m = make_classes(&from, classes);
        const size_t numbers = classes * m.columns;
        some_theta(theta, numbers, 4.0, s);
        units_of(&m, classes, theta, 0x1p-19, whole);
        memset(total, 0, sizeof total);
        for (size_t i = 0; i < m.rows; i++) {
            const sot_matrix row = row_of(&m, i);
            units_of(&row, classes, theta, 0x1p-19, one);
            for (size_t j = 0; j < numbers; j++)
                total[j] += one[j];
            picked[i] = (uint32_t)(m.rows - 1 - i);
        }
        assert_memory_equal(whole, total, numbers * sizeof *whole);
        /* Backwards, and on top of what is there; then all but one, and the one alone. */
        const sot_softmax problem = {.matrix = &m, .classes = classes, .lambda = 1.0};
        sotto_error error;
        memset(total, 0, sizeof total);
        assert_ok(sot_softmax_add_units(&problem, picked, m.rows - 1, theta, 0x1p-19,
                                        total, &error),
                  &error);
        assert_ok(sot_softmax_add_units(&problem, picked + m.rows - 1, 1, theta, 0x1p-19,
                                        total, &error),
                  &error);
        assert_memory_equal(whole, total, numbers * sizeof *whole);
        free_matrix(&m);
    }
}

/* |c| <= sqrt2 R / spacing (1 + 2^-20), at margins where the slope is sqrt2 long, and at spacings of
 * a few units where rounding to nearest would lengthen. */
static void a_rows_contribution_is_within_the_bound(void **state)
{
    (void)state;
    enum { D = 24, K = 3 };
    static int64_t units[K * D];
    size_t near = 0;
    for (int sparse = 0; sparse < 2; sparse++) {
        const recipe from = {.rows = 60,
                             .columns = D,
                             .sparse = sparse == 1,
                             .filled = 0.75,
                             .noise = 1.0,
                             .seed = 31};
        sot_matrix m = make_classes(&from, K);
        for (int power = 0; power <= 20; power++) {
            const double spacing = ldexp(1.0, -power) * 2.0;
            for (size_t i = 0; i < m.rows; i++) {
                const sot_matrix row = row_of(&m, i);
                const size_t label = sot_softmax_class(m.labels[i], K);
                double theta[K * D] = {0.0};
                /* The wrong class by far: p - e_y = e_c - e_y. */
                for (size_t j = 0; j < D; j++)
                    theta[(label + 1) % K * D + j] =
                        (i % 4 == 0 ? 2.0 : 60.0) * entry(&m, i, j);
                units_of(&row, K, theta, spacing, units);
                double squares = 0.0;
                double norm = 0.0;
                for (size_t j = 0; j < K * D; j++)
                    squares += (double)units[j] * (double)units[j];
                for (size_t j = 0; j < D; j++)
                    norm += pow(entry(&m, i, j), 2.0);
                const double bound = sqrt(2.0 * norm) / spacing * (1.0 + 0x1p-20);
                assert_within(sqrt(squares), 0.0, bound);
                near += sqrt(squares) > 0.999 * bound;
            }
        }
        free_matrix(&m);
    }
    assert_true(near > 300); /* the bound is the least one */
}

static void vector_kernels_give_the_bits_of_the_reference(void **state)
{
    (void)state;
    const sot_softmax_kernels *fast = sot_softmax_kernels_avx2();
    if (fast == NULL) skip();
    static double theta[6 * 304], out[2][64 * 6], sum[2][6 * 304];
    static float scales[64 * 6];
    static int32_t units[2][6 * 304];
    for (size_t s = 0; s < SHAPES; s++) {
        const size_t classes = shapes[s].classes;
        sot_matrix m = make_classes(&shapes[s].from, classes);
        const sot_softmax_kernels *both[2] = {sot_softmax_kernels_portable(&m), fast};
        uint64_t draw = s;
        for (size_t count = 1; count <= 64 && count <= m.rows; count += 7) {
            sot_softmax_rows rows = {.matrix = &m, .classes = classes, .count = count};
            for (size_t i = 0; i < count; i++)
                rows.at[i] = mixed(&draw) % m.rows;
            for (size_t j = 0; j < classes * m.stride; j++)
                theta[j] = uniform(&draw);
            for (size_t j = 0; j < count * classes; j++)
                scales[j] = (float)(0x1p18 * uniform(&draw));
            for (size_t k = 0; k < 2; k++) {
                memset(units[k], 0, sizeof units[k]);
                memcpy(sum[k], theta, sizeof sum[k]);
                both[k]->dots(&rows, theta, out[k]);
                both[k]->add(&rows, out[k], sum[k]);
                both[k]->add_units(&rows, scales, units[k]);
            }
            assert_memory_equal(out[0], out[1], count * classes * sizeof out[0][0]);
            assert_memory_equal(sum[0], sum[1], classes * m.stride * sizeof sum[0][0]);
            assert_memory_equal(units[0], units[1],
                                classes * m.stride * sizeof units[0][0]);
        }
        free_matrix(&m);
    }
}

/* 5000 rows of the largest contribution: no partial sum overflows. */
static void many_large_contributions_add_up_exactly(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        const recipe from = {.rows = 5000,
                             .columns = 1,
                             .sparse = sparse == 1,
                             .filled = 1.0,
                             .noise = 1.0,
                             .seed = 41};
        sot_matrix m = make_classes(&from, 2);
        for (size_t i = 0; i < m.rows; i++) {
            *(sparse == 1 ? &m.values[i] : &m.dense[i * m.stride]) = 1.0f;
            m.labels[i] = -1.0;
        }
        if (sparse == 1)
            for (size_t i = 0; i <= m.rows; i++)
                m.starts[i] = i;
        for (size_t i = 0; sparse == 1 && i < m.rows; i++)
            m.indices[i] = 0;
        const double theta[2] = {-500.0, 500.0};
        int64_t units[2];
        units_of(&m, 2, theta, 0x1p-19, units);
        assert_true(units[0] == -INT64_C(5000) * (1 << 19));
        assert_true(units[1] == INT64_C(5000) * (1 << 19));
        free_matrix(&m);
    }
}

static void any_theta_gives_a_bounded_sum(void **state)
{
    (void)state;
    static const double odd[] = {(double)INFINITY, -(double)INFINITY, (double)NAN,
                                 DBL_MAX,          -DBL_MAX,          1e-320};
    const recipe from = {
        .rows = 50, .columns = 4, .filled = 1.0, .noise = 1.0, .seed = 5};
    sot_matrix m = make_classes(&from, 3);
    uint64_t draw = 8;
    for (int i = 0; i < 200; i++) {
        double theta[12];
        int64_t units[12];
        for (size_t j = 0; j < 12; j++)
            theta[j] = odd[mixed(&draw) % 6];
        for (size_t r = 0; r < m.rows; r++) {
            const sot_matrix row = row_of(&m, r);
            double squares = 0.0;
            units_of(&row, 3, theta, 0x1p-10, units);
            for (size_t j = 0; j < 12; j++)
                squares += (double)units[j] * (double)units[j];
            assert_within(sqrt(squares), 0.0, sqrt(2.0) * 0x1p10 * (1.0 + 0x1p-20));
        }
    }
    free_matrix(&m);
}

static void threads_change_nothing_and_failures_are_reported(void **state)
{
    (void)state;
    enum { D = 9, K = 5 };
    for (int sparse = 0; sparse < 2; sparse++) {
        const recipe from = {.rows = 3000,
                             .columns = D,
                             .sparse = sparse == 1,
                             .filled = 0.5,
                             .noise = 0.5,
                             .seed = 61};
        sot_matrix m = make_classes(&from, K);
        double theta[K * D];
        int64_t first[K * D], again[K * D];
        some_theta(theta, K * D, 3.0, 2);
        units_of(&m, K, theta, 0x1p-19, first);
        sot_softmax problem = {.matrix = &m, .classes = K};
        sotto_error error;
        for (size_t threads = 2; threads < 6; threads += 3) {
            assert_ok(sot_pool_new(threads, &problem.pool, &error), &error);
            memset(again, 0, sizeof again);
            assert_ok(sot_softmax_add_units(&problem, NULL, m.rows, theta, 0x1p-19, again,
                                            &error),
                      &error);
            assert_memory_equal(first, again, sizeof first);
            sot_pool_free(problem.pool);
        }
        problem.pool = NULL;
        sotto_status status = SOTTO_OUT_OF_MEMORY;
        for (size_t nth = 1; status == SOTTO_OUT_OF_MEMORY; nth++) {
            memset(again, 0, sizeof again);
            (void)sot_test_fail_allocation(nth);
            status = sot_softmax_add_units(&problem, NULL, m.rows, theta, 0x1p-19, again,
                                           &error);
            (void)sot_test_fail_allocation(0);
            assert_true(status == SOTTO_OK || nth < 8);
        }
        assert_ok(status, &error);
        assert_memory_equal(first, again, sizeof first);
        static const double wrong[] = {0.0, -1.0, 0.75, 0x1p-101, 0x1p100};
        for (size_t i = 0; i < 5; i++)
            assert_refused(sot_softmax_add_units(&problem, NULL, m.rows, theta, wrong[i],
                                                 again, &error),
                           SOTTO_INVALID_ARGUMENT, &error, "spacing", "power of two",
                           NULL);
        assert_memory_equal(first, again, sizeof first);
        free_matrix(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_is_the_sum_of_what_rows_give_alone),
        cmocka_unit_test(a_rows_contribution_is_within_the_bound),
        cmocka_unit_test(vector_kernels_give_the_bits_of_the_reference),
        cmocka_unit_test(many_large_contributions_add_up_exactly),
        cmocka_unit_test(any_theta_gives_a_bounded_sum),
        cmocka_unit_test(threads_change_nothing_and_failures_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
