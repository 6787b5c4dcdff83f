/* The Cholesky factor: the same bits with and without vector code and as row by row, and a factor. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "models/linear/rows/cholesky.h"

/* All remainders by 4 and by the band, and several bands. */
static const size_t sizes[] = {1,  2,  3,  4,  5,  7,  8,  9,  15,  16,  17,  18, 19,
                               20, 31, 32, 33, 47, 48, 64, 65, 100, 127, 130, 181};
enum { SIZES = sizeof sizes / sizeof sizes[0], SIZE_MOST = 181 };

/* The reference: row by row, entry by entry, four sums side by side. */
static double product(const double *a, const double *b, size_t count)
{
    double lanes[4] = {0.0, 0.0, 0.0, 0.0};
    const size_t whole = count - count % 4;
    for (size_t k = 0; k < count; k++)
        lanes[k < whole ? k % 4 : 0] += a[k] * b[k];
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

static bool by_rows(double *matrix, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        double *row = matrix + i * size;
        for (size_t j = 0; j < i; j++)
            row[j] = (row[j] - product(row, matrix + j * size, j)) / matrix[j * size + j];
        const double pivot = row[i] - product(row, row, i);
        if (!(pivot > 0.0) || isinf(pivot)) return false;
        row[i] = sqrt(pivot);
    }
    return true;
}

/* Positive definite, with entries that round; the upper triangle holds NaN, for nothing may read it. */
static double *some_matrix(size_t size, uint64_t seed)
{
    uint64_t state = seed;
    double *matrix = calloc(size * size, sizeof *matrix);
    assert_non_null(matrix);
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < size; j++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const double entry = (double)(int64_t)state * 0x1p-63;
            matrix[i * size + j] = j > i ? (double)NAN : entry;
        }
        matrix[i * size + i] += 2.5 * sqrt((double)size); /* beyond the semicircle */
    }
    return matrix;
}

static double *copy_of(const double *matrix, size_t size)
{
    double *copy = calloc(size * size, sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, matrix, size * size * sizeof *copy);
    return copy;
}

/* Every way to the factor; the last one may not be there. */
static const sot_cholesky_corner *corners(size_t *out_count)
{
    static sot_cholesky_corner all[2];
    all[0] = sot_cholesky_corner_portable;
    all[1] = sot_cholesky_corner_avx2();
    *out_count = all[1] == NULL ? 1 : 2;
    return all;
}

static void every_way_gives_the_bits_of_the_plain_one(void **state)
{
    (void)state;
    size_t count;
    const sot_cholesky_corner *all = corners(&count);
    for (size_t s = 0; s < SIZES; s++) {
        const size_t size = sizes[s];
        double *matrix = some_matrix(size, 5 + s), *plain = copy_of(matrix, size);
        assert_true(by_rows(plain, size));
        for (size_t c = 0; c <= count; c++) {
            double *factor = copy_of(matrix, size);
            assert_true(c == count ? sot_cholesky(factor, size)
                                   : sot_cholesky_by(factor, size, all[c]));
            for (size_t i = 0; i < size; i++)
                assert_memory_equal(factor + i * size, plain + i * size,
                                    (i + 1) * sizeof *factor);
            free(factor);
        }
        free(matrix);
        free(plain);
    }
}

/* A pivot that is not positive, or not finite, at each place. */
static void no_factor_is_found_where_there_is_none(void **state)
{
    (void)state;
    enum { SIZE = 39 };
    static const double spoilt[] = {-1.0, 0.0, (double)NAN, (double)INFINITY};
    size_t count;
    const sot_cholesky_corner *all = corners(&count);
    double *matrix = some_matrix(SIZE, 17);
    for (size_t i = 0; i < SIZE; i++) {
        for (size_t k = 0; k < sizeof spoilt / sizeof spoilt[0]; k++) {
            for (size_t c = 0; c < count; c++) {
                double *factor = copy_of(matrix, SIZE);
                factor[i * SIZE + i] = spoilt[k];
                assert_false(sot_cholesky_by(factor, SIZE, all[c]));
                free(factor);
            }
        }
    }
    free(matrix);
}

/* L L^T is the matrix and L L^T x = y is solved, to rounding (Higham, Thm 10.3: (n + 1) u of sums of absolute values). */
static void the_factor_multiplies_out_and_solves(void **state)
{
    (void)state;
    for (size_t s = 0; s < SIZES; s++) {
        const size_t size = sizes[s];
        double *matrix = some_matrix(size, 23 + s), *factor = copy_of(matrix, size);
        double x[SIZE_MOST], log_determinant = 0.0;
        assert_true(sot_cholesky(factor, size));
        for (size_t i = 0; i < size; i++) {
            for (size_t j = 0; j <= i; j++) {
                double sum = 0.0;
                for (size_t k = 0; k <= j; k++)
                    sum += factor[i * size + k] * factor[j * size + k];
                assert_within(sum - matrix[i * size + j], -1e-12, 1e-12);
            }
            x[i] = (double)i - 3.0;
            log_determinant += 2.0 * log(factor[i * size + i]);
        }
        assert_within(sot_cholesky_log_determinant(factor, size) - log_determinant, -1e-9,
                      1e-9);
        sot_cholesky_solve(factor, size, x);
        for (size_t i = 0; i < size; i++) {
            double sum = 0.0;
            for (size_t j = 0; j < size; j++)
                sum += matrix[j < i ? i * size + j : j * size + i] * x[j];
            assert_within(sum - ((double)i - 3.0), -1e-9, 1e-9);
        }
        free(matrix);
        free(factor);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_gives_the_bits_of_the_plain_one),
        cmocka_unit_test(no_factor_is_found_where_there_is_none),
        cmocka_unit_test(the_factor_multiplies_out_and_solves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
