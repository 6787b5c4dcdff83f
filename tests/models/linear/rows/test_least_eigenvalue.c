/* The least eigenvalue: within what is claimed, of matrices whose spectrum is known. */
#include "models/linear/problems.h"

#include "base/memory.h"
#include "models/linear/rows/least_eigenvalue.h"

enum { SIZE_MOST = 48 };

static double trace_of(const double *matrix, size_t size)
{
    double sum = 0.0;
    for (size_t i = 0; i < size; i++)
        sum += matrix[i * size + i];
    return sum;
}

static void expect(const double *matrix, size_t size, double least, double resolution)
{
    double found;
    sotto_error error;
    assert_ok(sot_least_eigenvalue(matrix, size, 0.0, resolution, &found, &error),
              &error);
    const double slack =
        resolution / 2.0 + sot_least_eigenvalue_error(size, trace_of(matrix, size));
    assert_within(found, least - slack, least + slack);
}

/* Sylvester's: H H^T = size I, entries -1 and 1. */
static double hadamard(size_t i, size_t j)
{
    return __builtin_parityll((unsigned long long)(i & j)) ? -1.0 : 1.0;
}

/* H D H^T has the eigenvalues size d_i, and its entries are whole numbers below 2^53 that doubles hold. */
static void known_spectra(void **state)
{
    (void)state;
    static double matrix[32 * 32];
    uint64_t seed = 5;
    for (size_t size = 2; size <= 32; size *= 2) {
        for (int spread = 0; spread < 40; spread += 3) {
            double d[32], least = INFINITY;
            for (size_t i = 0; i < size; i++) {
                d[i] = floor(ldexp(0.5 * (uniform(&seed) + 1.0), spread)) +
                       (spread % 2 == 0 ? 0.0 : 3.0);
                least = fmin(least, d[i]);
            }
            for (size_t i = 0; i < size; i++) {
                for (size_t j = 0; j < size; j++) {
                    double sum = 0.0;
                    for (size_t k = 0; k < size; k++)
                        sum += hadamard(i, k) * d[k] * hadamard(k, j);
                    matrix[i * size + j] = sum;
                }
            }
            expect(matrix, size, least * (double)size, 0x1p-4);
            expect(matrix, size, least * (double)size, 256.0);
        }
    }
}

/* Sums of fewer squares than columns: the least eigenvalue is 0 exactly, the others up to 2^60. */
static void singular_matrices_have_none(void **state)
{
    (void)state;
    static double matrix[SIZE_MOST * SIZE_MOST];
    uint64_t seed = 7;
    for (size_t rank = 1; rank < SIZE_MOST; rank += 11) {
        memset(matrix, 0, sizeof matrix);
        for (size_t r = 0; r < rank; r++) {
            double q[SIZE_MOST];
            for (size_t j = 0; j < SIZE_MOST; j++)
                q[j] = trunc(32768.0 * uniform(&seed));
            for (size_t a = 0; a < SIZE_MOST * SIZE_MOST; a++)
                matrix[a] += q[a / SIZE_MOST] * q[a % SIZE_MOST]; /* below 2^36: exact */
        }
        for (int power = 0; power <= 24; power += 12) {
            expect(matrix, SIZE_MOST, 0.0, 0x1p22);
            for (size_t a = 0; a < SIZE_MOST * SIZE_MOST; a++)
                matrix[a] *= 0x1p12;
        }
    }
}

/* What removing a row can do: at most |q|^2, and the result may not say more. */
static void a_row_moves_it_by_its_square(void **state)
{
    (void)state;
    static double with[SIZE_MOST * SIZE_MOST], without[SIZE_MOST * SIZE_MOST];
    uint64_t seed = 9;
    const size_t size = 6;
    const double resolution = 0x1p22;
    for (int trial = 0; trial < 50; trial++) {
        double q[6], found[2], squares = 0.0;
        sotto_error error;
        memset(without, 0, sizeof without);
        for (int row = 0; row < 1000 + trial; row++) {
            squares = 0.0;
            for (size_t j = 0; j < size; j++) {
                q[j] = trunc(13000.0 * uniform(&seed));
                squares += q[j] * q[j];
            }
            memcpy(with, without, sizeof with);
            for (size_t a = 0; a < size * size; a++)
                with[a] += q[a / size] * q[a % size];
            if (row < 999 + trial) memcpy(without, with, sizeof with);
        }
        assert_ok(sot_least_eigenvalue(with, size, 0.0, resolution, &found[0], &error),
                  &error);
        assert_ok(sot_least_eigenvalue(without, size, 0.0, resolution, &found[1], &error),
                  &error);
        const double slack =
            resolution + 2.0 * sot_least_eigenvalue_error(size, trace_of(with, size));
        assert_within(found[0] - found[1], -slack, squares + slack);
    }
}

static void eigenvalues_below_zero_are_found(void **state)
{
    (void)state;
    double found;
    sotto_error error;
    const double two[] = {1.0, 3.0, 3.0, 1.0}; /* -2 and 4 */
    assert_ok(sot_least_eigenvalue(two, 2, -INFINITY, 0x1p-20, &found, &error), &error);
    assert_within(found, -2.0 - 0x1p-20, -2.0 + 0x1p-20);
    const double one[] = {-5.5};
    assert_ok(sot_least_eigenvalue(one, 1, -INFINITY, 0x1p-20, &found, &error), &error);
    assert_within(found, -5.5 - 0x1p-20, -5.5 + 0x1p-20);
    const double none[] = {0.0, 0.0, 0.0, 0.0};
    assert_ok(sot_least_eigenvalue(none, 2, -INFINITY, 0x1p-20, &found, &error), &error);
    assert_within(found, -0x1p-20, 0x1p-20);
    assert_ok(sot_least_eigenvalue(none, 2, 0.0, 0x1p-20, &found, &error), &error);
    assert_true(found == 0.0);
    /* A resolution finer than doubles still ends. */
    const double large[] = {0x1p60, 0.0, 0.0, 0x1p61};
    assert_ok(sot_least_eigenvalue(large, 2, 0.0, 0x1p-60, &found, &error), &error);
    assert_relative(found, 0x1p60, 0x1p-50);
}

static void a_failed_allocation_is_reported(void **state)
{
    (void)state;
    double found;
    sotto_error error;
    const double two[] = {1.0, 0.0, 0.0, 1.0};
    (void)sot_test_fail_allocation(1);
    assert_int_equal(sot_least_eigenvalue(two, 2, 0.0, 0.5, &found, &error),
                     SOTTO_OUT_OF_MEMORY);
    (void)sot_test_fail_allocation(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_spectra),
        cmocka_unit_test(singular_matrices_have_none),
        cmocka_unit_test(a_row_moves_it_by_its_square),
        cmocka_unit_test(eigenvalues_below_zero_are_found),
        cmocka_unit_test(a_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
