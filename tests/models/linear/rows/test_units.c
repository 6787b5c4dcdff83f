/* Integer gradient sums: exact, isolated by rows, within the norm bound, the same bits everywhere. */
#include "models/linear/problems.h"

#include <float.h>

#include "base/memory.h"
#include "models/linear/rows/units.h"

enum { COLUMNS_MOST = 128 };

static void units_of(const sot_matrix *matrix, const double *theta, double spacing,
                     int64_t *out)
{
    sotto_error error;
    const sot_glm glm = {.matrix = matrix, .loss = &sot_loss_logistic, .lambda = 1.0};
    assert_ok(sot_glm_gradient_units(&glm, theta, spacing, out, &error), &error);
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

static void some_theta(double *theta, size_t columns, double size, uint64_t seed)
{
    for (size_t j = 0; j < columns; j++)
        theta[j] = size * uniform(&seed);
}

static const recipe shapes[] = {
    {.rows = 1, .columns = 1, .filled = 1.0, .noise = 1.0, .seed = 21},
    {.rows = 37, .columns = 16, .filled = 0.75, .noise = 0.5, .seed = 22},
    {.rows = 2500, .columns = 33, .filled = 0.5, .noise = 0.25, .seed = 23},
    {.rows = 1301, .columns = 105, .filled = 0.125, .noise = 0.25, .seed = 24},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Removing a row changes the sum by that row's own contribution, exactly: hence the whole is the
 * sum of what the rows give alone. */
static void the_sum_is_the_sum_of_what_rows_give_alone(void **state)
{
    (void)state;
    double theta[COLUMNS_MOST];
    int64_t whole[COLUMNS_MOST], one[COLUMNS_MOST], total[COLUMNS_MOST];
    for (size_t s = 0; s < 2 * SHAPES; s++) {
        recipe from = shapes[s / 2];
        from.sparse = s % 2 == 1;
        sot_matrix m = make_matrix(&from);
        some_theta(theta, m.columns, 4.0, s);
        units_of(&m, theta, 0x1p-20, whole);
        memset(total, 0, sizeof total);
        for (size_t i = 0; i < m.rows; i++) {
            const sot_matrix row = row_of(&m, i);
            units_of(&row, theta, 0x1p-20, one);
            for (size_t j = 0; j < m.columns; j++)
                total[j] += one[j];
        }
        assert_memory_equal(whole, total, m.columns * sizeof *whole);
        /* Without its first row: all others move to another place. */
        sot_matrix fewer = m;
        fewer.rows -= 1;
        fewer.labels += 1;
        if (m.dense != NULL)
            fewer.dense += m.stride;
        else
            fewer.starts += 1;
        units_of(&fewer, theta, 0x1p-20, total);
        const sot_matrix first = row_of(&m, 0);
        units_of(&first, theta, 0x1p-20, one);
        for (size_t j = 0; j < m.columns; j++)
            assert_true(whole[j] - total[j] == one[j]);
        free_matrix(&m);
    }
}

/* Rows of norm R at most, slopes near 1, spacings fine and coarse: |units|^2 <= (R/spacing)^2, with
 * the claimed 2^-20 to spare. Coordinates a little above one half of a unit are what rounding to
 * nearest would double. */
static void a_contribution_is_never_longer_than_the_bound(void **state)
{
    (void)state;
    double theta[COLUMNS_MOST];
    int64_t one[COLUMNS_MOST];
    for (int s = 0; s < 2; s++) {
        const recipe from = {.rows = 400,
                             .columns = 100,
                             .sparse = s == 1,
                             .filled = 1.0,
                             .noise = 1.0,
                             .seed = 31};
        sot_matrix m = make_matrix(&from);
        for (size_t i = 0; i < m.rows; i += 2) { /* every second row: 100 times 0.0996 */
            for (size_t j = 0; j < 100; j++) {
                if (m.dense != NULL)
                    m.dense[i * m.stride + j] = 0x1.98p-4f;
                else if (m.starts[i + 1] - m.starts[i] > j)
                    m.values[m.starts[i] + j] = 0x1.98p-4f;
            }
        }
        for (int exponent = -20; exponent <= 0; exponent++) {
            some_theta(theta, m.columns, exponent % 2 == 0 ? 1e4 : 0.5,
                       (uint64_t)exponent);
            const double spacing = ldexp(1.0, exponent);
            for (size_t i = 0; i < m.rows; i++) {
                const sot_matrix row = row_of(&m, i);
                units_of(&row, theta, spacing, one);
                double squares = 0.0; /* integers below 2^53: exact */
                for (size_t j = 0; j < m.columns; j++)
                    squares += (double)one[j] * (double)one[j];
                const double bound = 1.0 / spacing * (1.0 + 0x1p-20);
                assert_within(squares, 0.0, bound * bound);
            }
        }
        free_matrix(&m);
    }
}

/* Each coordinate is the exact -y s x_j / spacing to within one unit and float's errors. */
static void units_are_the_gradient(void **state)
{
    (void)state;
    double theta[COLUMNS_MOST];
    int64_t one[COLUMNS_MOST];
    for (size_t s = 0; s < 2 * SHAPES; s++) {
        recipe from = shapes[s / 2];
        from.sparse = s % 2 == 1;
        sot_matrix m = make_matrix(&from);
        some_theta(theta, m.columns, 2.5, s);
        for (size_t i = 0; i < m.rows; i += 17) {
            const sot_matrix row = row_of(&m, i);
            units_of(&row, theta, 0x1p-20, one);
            double u = 0.0;
            for (size_t j = 0; j < m.columns; j++)
                u += theta[j] * entry(&m, i, j);
            double slope;
            double curvature;
            sot_loss_logistic.bend(&sot_loss_logistic, u, m.labels[i], &slope,
                                   &curvature);
            for (size_t j = 0; j < m.columns; j++) {
                const double exact = slope * entry(&m, i, j) * 0x1p20;
                assert_within((double)one[j] - exact, -3.0, 3.0);
            }
        }
        free_matrix(&m);
    }
}

static void vectors_give_the_bits_of_the_reference(void **state)
{
    (void)state;
    if (sot_units_avx2() == NULL) skip();
    static float theta[COLUMNS_MOST], a[2500], b[2500];
    int32_t sum_a[COLUMNS_MOST] = {0}, sum_b[COLUMNS_MOST] = {0};
    for (size_t s = 0; s < SHAPES; s++) {
        sot_matrix m = make_matrix(&shapes[s]);
        uint64_t draw = s;
        for (size_t j = 0; j < m.stride; j++)
            theta[j] = j < m.columns ? (float)(3.7 * uniform(&draw)) : 0.0f;
        const sot_units *plain = sot_units_portable(&m);
        plain->dots(&m, 0, m.rows, theta, a);
        sot_units_avx2()->dots(&m, 0, m.rows, theta, b);
        assert_memory_equal(a, b, m.rows * sizeof *a);
        for (size_t i = 0; i < m.rows; i++)
            a[i] = (float)(uniform(&draw) * 0x1p13);
        plain->add(&m, 0, m.rows, a, 0x1p3f, sum_a);
        sot_units_avx2()->add(&m, 0, m.rows, a, 0x1p3f, sum_b);
        assert_memory_equal(sum_a, sum_b, m.stride * sizeof *sum_a);
        free_matrix(&m);
    }
}

/* 5000 rows that give 2^20 units each: 2^32.3 in all, beyond an int32. */
static void sums_do_not_overflow(void **state)
{
    (void)state;
    enum { ROWS = 5000 };
    for (int s = 0; s < 2; s++) {
        const recipe from = {.rows = ROWS, .columns = 1, .sparse = s == 1, .filled = 1.0};
        sot_matrix m = make_matrix(&from);
        for (size_t i = 0; i < ROWS; i++) {
            m.labels[i] = -1.0;
            if (m.dense != NULL) m.dense[i * m.stride] = 1.0f;
        }
        if (m.dense == NULL) {
            assert_int_equal(m.starts[ROWS], ROWS);
            for (size_t i = 0; i < ROWS; i++)
                m.values[i] = 1.0f;
        }
        const double theta[1] = {1000.0};
        int64_t units[1];
        units_of(&m, theta, 0x1p-20, units);
        assert_true(units[0] == (int64_t)ROWS << 20);
        free_matrix(&m);
    }
}

/* Whatever theta is, rows give numbers within the bound, and no row disturbs another. */
static void every_theta_is_taken(void **state)
{
    (void)state;
    const recipe from = {
        .rows = 64, .columns = 5, .filled = 1.0, .noise = 0.5, .seed = 8};
    sot_matrix m = make_matrix(&from);
    const double points[][5] = {
        {1e308, -1e308, 1e308, -1e308, 1e308},
        {(double)INFINITY, -(double)INFINITY, 0.0, 0.0, 1.0},
        {(double)NAN, 1.0, 2.0, 3.0, 4.0},
        {1e-310, -1e-310, 0.0, 1e-45, -1e-45},
    };
    for (size_t p = 0; p < 4; p++) {
        int64_t units[5], one[5], total[5] = {0};
        units_of(&m, points[p], 0x1p-12, units);
        for (size_t i = 0; i < m.rows; i++) {
            const sot_matrix row = row_of(&m, i);
            units_of(&row, points[p], 0x1p-12, one);
            for (size_t j = 0; j < 5; j++) {
                assert_true(llabs(one[j]) <= 4096);
                total[j] += one[j];
            }
        }
        assert_memory_equal(units, total, sizeof units);
    }
    free_matrix(&m);
}

static void no_rows_give_nothing(void **state)
{
    (void)state;
    const recipe from = {.rows = 0, .columns = 4};
    sot_matrix m = make_matrix(&from);
    const double theta[4] = {1.0, 2.0, 3.0, 4.0};
    int64_t units[4] = {9, 9, 9, 9};
    units_of(&m, theta, 0.5, units);
    for (size_t j = 0; j < 4; j++)
        assert_true(units[j] == 0);
    free_matrix(&m);
}

/* Some rows, in any order, some twice: what each gives alone, added to what was there. */
static void rows_of_a_list_give_what_they_give_alone(void **state)
{
    (void)state;
    const sot_loss losses[] = {sot_loss_logistic, sot_loss_squared(2.0, 1.0),
                               sot_loss_smoothed_hinge(0.5), sot_loss_poisson(3.0, 4.0),
                               sot_loss_hinge};
    sotto_error error;
    sot_pool *pool;
    assert_ok(sot_pool_new(3, &pool, &error), &error);
    for (size_t s = 0; s < 10; s++) {
        recipe from = shapes[2];
        from.sparse = s % 2 == 1;
        sot_matrix m = make_matrix(&from);
        const sot_glm glm = {.matrix = &m, .loss = &losses[s / 2], .pool = pool};
        double theta[COLUMNS_MOST];
        static uint32_t rows[4000];
        int64_t units[COLUMNS_MOST], total[COLUMNS_MOST];
        const double spacing = 0x1p-17;
        some_theta(theta, m.columns, 2.0, s);
        uint64_t draw = s;
        for (size_t j = 0; j < m.columns; j++)
            units[j] = total[j] = (int64_t)(mixed(&draw) % 1000);
        for (size_t k = 0; k < 4000; k++) {
            rows[k] = (uint32_t)(mixed(&draw) % m.rows);
            const sot_matrix row = row_of(&m, rows[k]);
            const sot_glm alone = {.matrix = &row, .loss = &losses[s / 2], .lambda = 1.0};
            int64_t one[COLUMNS_MOST];
            assert_ok(sot_glm_gradient_units(&alone, theta, spacing, one, &error),
                      &error);
            for (size_t j = 0; j < m.columns; j++)
                total[j] += one[j];
        }
        assert_ok(
            sot_glm_add_gradient_units(&glm, rows, 4000, theta, spacing, units, &error),
            &error);
        assert_memory_equal(units, total, m.columns * sizeof *units);
        assert_ok(
            sot_glm_add_gradient_units(&glm, rows, 0, theta, spacing, units, &error),
            &error);
        assert_memory_equal(units, total, m.columns * sizeof *units);
        free_matrix(&m);
    }
    sot_pool_free(pool);
}

static void spacings_that_are_no_powers_of_two_are_refused(void **state)
{
    (void)state;
    static const double wrong[] = {0.0, -0.5, 0.375, 3.0, 0x1p-101, 0x1p100, 1e-320};
    const recipe from = {.rows = 2, .columns = 2, .filled = 1.0};
    sot_matrix m = make_matrix(&from);
    const sot_glm glm = {.matrix = &m, .loss = &sot_loss_logistic, .lambda = 1.0};
    const double theta[2] = {1.0, 1.0};
    int64_t units[2] = {7, 7};
    sotto_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_refused(sot_glm_gradient_units(&glm, theta, wrong[i], units, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "spacing", "power of two", NULL);
        assert_true(units[0] == 7 && units[1] == 7);
    }
    assert_refused(sot_glm_gradient_units(&glm, theta, (double)NAN, units, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "spacing", NULL);
    free_matrix(&m);
}

static void want_of_memory_is_reported_and_writes_nothing(void **state)
{
    (void)state;
    const recipe from = {
        .rows = 50, .columns = 3, .filled = 1.0, .noise = 0.5, .seed = 2};
    sot_matrix m = make_matrix(&from);
    const sot_glm glm = {.matrix = &m, .loss = &sot_loss_logistic, .lambda = 1.0};
    const double theta[3] = {1.0, 2.0, 3.0};
    sotto_error error;
    sotto_status status = SOTTO_OUT_OF_MEMORY;
    size_t nth = 0;
    while (status == SOTTO_OUT_OF_MEMORY) {
        int64_t units[3] = {5, 5, 5};
        (void)sot_test_fail_allocation(++nth);
        status = sot_glm_gradient_units(&glm, theta, 0x1p-10, units, &error);
        if (status != SOTTO_OK) assert_true(units[0] == 5 && units[2] == 5);
    }
    (void)sot_test_fail_allocation(0);
    assert_ok(status, &error);
    assert_true(nth > 3);
    free_matrix(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_is_the_sum_of_what_rows_give_alone),
        cmocka_unit_test(a_contribution_is_never_longer_than_the_bound),
        cmocka_unit_test(units_are_the_gradient),
        cmocka_unit_test(vectors_give_the_bits_of_the_reference),
        cmocka_unit_test(sums_do_not_overflow),
        cmocka_unit_test(every_theta_is_taken),
        cmocka_unit_test(no_rows_give_nothing),
        cmocka_unit_test(rows_of_a_list_give_what_they_give_alone),
        cmocka_unit_test(spacings_that_are_no_powers_of_two_are_refused),
        cmocka_unit_test(want_of_memory_is_reported_and_writes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
