/* The largest transform, which needs 600 MB: random access across the whole table, and
 * time. */
#include "numeric/reference.h"

#include "numeric/fft.h"
#include "numeric/unit_roots.h"

static void the_largest_size_works(void **state)
{
    (void)state;
    const size_t size = SOT_FFT_SIZE_MAX;
    const size_t position = 9999999;
    sotto_error error;
    sot_fft *fft = NULL;
    assert_ok(sot_fft_new(size, &fft, &error), &error);
    double *data = calloc(size + 2, sizeof *data);
    sot_complex *roots = calloc(size / 4 + 1, sizeof *roots);
    assert_non_null(data);
    assert_non_null(roots);
    sot_fill_unit_roots(roots, size);
    data[position] = 1.0;
    sot_fft_forward(fft, data, data);
    double largest = 0.0;
    for (size_t k = 0; k <= size / 2; k++) {
        const sot_complex w = sot_unit_root(roots, size, position * k % size);
        largest = worse(largest, fabs(data[2 * k] - w.re) + fabs(data[2 * k + 1] - w.im));
    }
    assert_within(largest, 0.0, 1e-14);

    uint64_t seed = 24;
    for (size_t j = 0; j < size; j++)
        data[j] = next_between(&seed, -1.0, 1.0);
    sot_fft_forward(fft, data, data);
    sot_fft_inverse(fft, data, data);
    seed = 24;
    largest = 0.0;
    for (size_t j = 0; j < size; j++)
        largest = worse(largest, fabs(data[j] - next_between(&seed, -1.0, 1.0)));
    assert_within(largest, 0.0, 5e-15);
    free(roots);
    free(data);
    sot_fft_free(fft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_size_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
