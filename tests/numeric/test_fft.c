#include "numeric/reference.h"

#include "base/memory.h"
#include "numeric/bit_reversal.h"
#include "numeric/fft.h"
#include "numeric/unit_roots.h"

/* ---- helpers ---- */

static sot_fft *new_fft(size_t size)
{
    sotto_error error;
    sot_fft *fft = NULL;
    assert_ok(sot_fft_new(size, &fft, &error), &error);
    assert_non_null(fft);
    return fft;
}

static double *new_array(size_t count)
{
    double *array = calloc(count, sizeof *array);
    assert_non_null(array);
    return array;
}

static double norm(const double *array, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += array[i] * array[i];
    return sqrt(sum);
}

/* Inputs of every kind: noise, signs, an impulse, a constant, alternating signs, a pure
 * wave between two frequencies, a huge value among small ones, a smooth decay of
 * 1e200. */
enum { KINDS = 8 };

static void fill_input(double *x, size_t size, int kind, uint64_t *seed)
{
    const size_t special = (size_t)(next_random(seed) % size);
    for (size_t j = 0; j < size; j++) {
        const double noise = next_between(seed, -1.0, 1.0);
        const double inputs[KINDS] = {noise,
                                      noise < 0.0 ? -1.0 : 1.0,
                                      j == special ? 2.375 : 0.0,
                                      2.375,
                                      j % 2 == 0 ? 2.375 : -2.375,
                                      cos(0.3 * (double)j),
                                      j == special ? 1e12 : noise,
                                      pow(10.0, -200.0 * (double)j / (double)size)};
        x[j] = inputs[kind];
    }
}

/* exp(-2 pi i k / size) for all k. */
static void exact_roots(mpfr_t *cosines, mpfr_t *sines, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        mpfr_inits2(REFERENCE_BITS, cosines[k], sines[k], (mpfr_ptr)0);
        mpfr_const_pi(cosines[k], MPFR_RNDN);
        mpfr_mul_si(cosines[k], cosines[k], -2 * (long)k, MPFR_RNDN);
        mpfr_div_ui(cosines[k], cosines[k], (unsigned long)size, MPFR_RNDN);
        mpfr_sin_cos(sines[k], cosines[k], cosines[k], MPFR_RNDN);
    }
}

static void clear_roots(mpfr_t *cosines, mpfr_t *sines, size_t size)
{
    for (size_t k = 0; k < size; k++)
        mpfr_clears(cosines[k], sines[k], (mpfr_ptr)0);
}

static double distance(mpfr_srcptr re, mpfr_srcptr im, double computed_re,
                       double computed_im)
{
    mpfr_t a;
    mpfr_t b;
    mpfr_inits2(REFERENCE_BITS, a, b, (mpfr_ptr)0);
    mpfr_sub_d(a, re, computed_re, MPFR_RNDN);
    mpfr_sub_d(b, im, computed_im, MPFR_RNDN);
    mpfr_hypot(a, a, b, MPFR_RNDN);
    const double result = mpfr_get_d(a, MPFR_RNDU);
    mpfr_clears(a, b, (mpfr_ptr)0);
    return result;
}

/* The largest |computed - exact| over the norm of x, where exact is the sum by
 * definition. */
static double forward_error(const double *x, const double *spectrum, size_t size,
                            mpfr_t *cosines, mpfr_t *sines)
{
    mpfr_t re;
    mpfr_t im;
    mpfr_t term;
    mpfr_inits2(REFERENCE_BITS, re, im, term, (mpfr_ptr)0);
    double largest = 0.0;
    for (size_t k = 0; k <= size / 2; k++) {
        mpfr_set_zero(re, 1);
        mpfr_set_zero(im, 1);
        for (size_t j = 0; j < size; j++) {
            mpfr_mul_d(term, cosines[j * k % size], x[j], MPFR_RNDN);
            mpfr_add(re, re, term, MPFR_RNDN);
            mpfr_mul_d(term, sines[j * k % size], x[j], MPFR_RNDN);
            mpfr_add(im, im, term, MPFR_RNDN);
        }
        largest = worse(largest, distance(re, im, spectrum[2 * k], spectrum[2 * k + 1]));
    }
    mpfr_clears(re, im, term, (mpfr_ptr)0);
    return largest / norm(x, size);
}

/* The same for size times the inverse of a half spectrum: X_0 + X_half (-1)^j + twice the
 * real part of X_k exp(2 pi i j k / size). */
static double inverse_error(const double *spectrum, const double *x, size_t size,
                            mpfr_t *cosines, mpfr_t *sines)
{
    mpfr_t sum;
    mpfr_t term;
    mpfr_t zero;
    mpfr_inits2(REFERENCE_BITS, sum, term, zero, (mpfr_ptr)0);
    mpfr_set_zero(zero, 1);
    double largest = 0.0;
    for (size_t j = 0; j < size; j++) {
        mpfr_set_zero(sum, 1);
        for (size_t k = 0; k <= size / 2; k++) {
            const double weight = k == 0 || k == size / 2 ? 1.0 : 2.0;
            mpfr_mul_d(term, cosines[j * k % size], weight * spectrum[2 * k], MPFR_RNDN);
            mpfr_add(sum, sum, term, MPFR_RNDN);
            if (weight < 2.0) continue;
            mpfr_mul_d(term, sines[j * k % size], 2.0 * spectrum[2 * k + 1], MPFR_RNDN);
            mpfr_add(sum, sum, term, MPFR_RNDN);
        }
        largest = worse(largest, distance(sum, zero, x[j] * (double)size, 0.0));
    }
    mpfr_clears(sum, term, zero, (mpfr_ptr)0);
    return largest / norm(spectrum, size + 2);
}

/* ---- accuracy ---- */

enum { REFERENCE_SIZE_MAX = 256 };

typedef struct errors {
    double forward, inverse; /* over the stated bound, the largest */
} errors;

static errors compare_with_definition(size_t size, double damage)
{
    mpfr_t cosines[REFERENCE_SIZE_MAX];
    mpfr_t sines[REFERENCE_SIZE_MAX];
    double x[REFERENCE_SIZE_MAX];
    double spectrum[REFERENCE_SIZE_MAX + 2];
    double back[REFERENCE_SIZE_MAX];
    exact_roots(cosines, sines, size);
    sot_fft *fft = new_fft(size);
    const double bound = sot_fft_error_bound(fft);
    errors worst = {0};
    uint64_t seed = size;
    for (int kind = 0; kind < KINDS; kind++) {
        fill_input(x, size, kind, &seed);
        sot_fft_forward(fft, x, spectrum);
        spectrum[size] += damage * norm(x, size);
        const double forward = forward_error(x, spectrum, size, cosines, sines);
        worst.forward = worse(worst.forward, forward / bound);
        fill_input(spectrum, size + 2, kind, &seed);
        spectrum[0] += 1.0; /* some norm is left when the two that are not read go */
        spectrum[1] = spectrum[size + 1] = 0.0;
        sot_fft_inverse(fft, spectrum, back);
        const double inverse = inverse_error(spectrum, back, size, cosines, sines);
        worst.inverse = worse(worst.inverse, inverse / bound);
    }
    sot_fft_free(fft);
    clear_roots(cosines, sines, size);
    return worst;
}

static void every_output_is_within_the_stated_bound(void **state)
{
    (void)state;
    for (size_t size = 2; size <= REFERENCE_SIZE_MAX; size *= 2) {
        const errors worst = compare_with_definition(size, 0.0);
        if (getenv("SOTTO_TEST_VERBOSE") != NULL)
            print_message("size %zu: forward %.3g, inverse %.3g of the bound\n", size,
                          worst.forward, worst.inverse);
        assert_within(worst.forward, 0.0, 1.0);
        assert_within(worst.inverse, 0.0, 1.0);
        /* Were it a thousand times too large, it would be no bound to rely on. */
        if (size >= 8) assert_true(worst.forward > 1e-3 && worst.inverse > 1e-3);
    }
}

static void the_comparison_catches_a_wrong_digit(void **state)
{
    (void)state;
    assert_true(compare_with_definition(64, 1e-13).forward > 1.0);
}

static void roots_of_unity_are_as_accurate_as_stated(void **state)
{
    (void)state;
    enum { LARGE = 1 << 20 };
    sot_complex *roots = calloc(LARGE / 4 + 1, sizeof *roots);
    assert_non_null(roots);
    worst_error worst = {0};
    uint64_t seed = 8;
    for (size_t size = 4; size <= LARGE; size *= 2) {
        sot_fill_unit_roots(roots, size);
        const size_t points = size < 512 ? size : 512;
        for (size_t i = 0; i < points; i++) {
            const size_t k = size < 512 ? i : (size_t)(next_random(&seed) % size);
            mpfr_t c;
            mpfr_t s;
            mpfr_inits2(REFERENCE_BITS, c, s, (mpfr_ptr)0);
            mpfr_const_pi(c, MPFR_RNDN);
            mpfr_mul_si(c, c, -2 * (long)k, MPFR_RNDN);
            mpfr_div_ui(c, c, (unsigned long)size, MPFR_RNDN);
            mpfr_sin_cos(s, c, c, MPFR_RNDN);
            const sot_complex root = sot_unit_root(roots, size, k);
            note_error(&worst, distance(c, s, root.re, root.im), (double)k, (double)size,
                       0.0);
            mpfr_clears(c, s, (mpfr_ptr)0);
        }
    }
    free(roots);
    assert_worst(&worst, SOT_UNIT_ROOT_ERROR, 6000, "unit roots");
}

/* ---- large sizes ---- */

enum { LARGE_SIZE = 1 << 20 };

/* The response to an impulse at j is exp(-2 pi i j k / size). */
static void impulse_responses_are_roots_of_unity(void **state)
{
    (void)state;
    sot_fft *fft = new_fft(LARGE_SIZE);
    sot_complex *roots = calloc(LARGE_SIZE / 4 + 1, sizeof *roots);
    double *data = new_array(LARGE_SIZE + 2);
    assert_non_null(roots);
    sot_fill_unit_roots(roots, LARGE_SIZE);
    const size_t positions[] = {
        0, 1, 2, 3, LARGE_SIZE / 2, LARGE_SIZE / 4 + 1, 777777, LARGE_SIZE - 1};
    for (size_t i = 0; i < sizeof positions / sizeof positions[0]; i++) {
        memset(data, 0, (LARGE_SIZE + 2) * sizeof *data);
        data[positions[i]] = 1.0;
        sot_fft_forward(fft, data, data);
        double largest = 0.0;
        for (size_t k = 0; k <= LARGE_SIZE / 2; k++) {
            const sot_complex w =
                sot_unit_root(roots, LARGE_SIZE, positions[i] * k % LARGE_SIZE);
            largest =
                worse(largest, fabs(data[2 * k] - w.re) + fabs(data[2 * k + 1] - w.im));
        }
        /* One product of at most 11 factors: far better than the bound for all inputs. */
        assert_within(largest, 0.0, 5e-15);
    }
    free(data);
    free(roots);
    sot_fft_free(fft);
}

static void energy_is_kept_and_the_inverse_brings_the_input_back(void **state)
{
    (void)state;
    sot_fft *fft = new_fft(LARGE_SIZE);
    double *x = new_array(LARGE_SIZE);
    double *spectrum = new_array(LARGE_SIZE + 2);
    uint64_t seed = 99;
    fill_input(x, LARGE_SIZE, 0, &seed);
    sot_fft_forward(fft, x, spectrum);
    /* Parseval: the sum over the whole spectrum is size times that of the input. */
    const double ends =
        spectrum[0] * spectrum[0] + spectrum[LARGE_SIZE] * spectrum[LARGE_SIZE];
    const double half = norm(spectrum, LARGE_SIZE + 2);
    const double energy = norm(x, LARGE_SIZE) * norm(x, LARGE_SIZE);
    assert_relative(2.0 * half * half - ends, energy * LARGE_SIZE, 1e-12);
    assert_true(spectrum[1] == 0.0 && spectrum[LARGE_SIZE + 1] == 0.0);

    sot_fft_inverse(fft, spectrum, spectrum);
    double largest = 0.0;
    for (size_t j = 0; j < LARGE_SIZE; j++)
        largest = worse(largest, fabs(spectrum[j] - x[j]));
    assert_within(largest, 0.0, 2e-15);
    free(spectrum);
    free(x);
    sot_fft_free(fft);
}

/* 2^11 integers below 2^10: the exact convolution is below 2^31 and must be hit by
 * rounding, because the error stays far below 1/2. */
static void convolution_of_integers_is_exact(void **state)
{
    (void)state;
    enum { LENGTH = 1 << 11, SIZE = 2 * LENGTH };
    sot_fft *fft = new_fft(SIZE);
    double *a = new_array(SIZE + 2);
    double *b = new_array(SIZE + 2);
    int64_t *exact = calloc(SIZE, sizeof *exact);
    assert_non_null(exact);
    uint64_t seed = 10;
    for (size_t i = 0; i < LENGTH; i++) {
        a[i] = (double)(next_random(&seed) % 1024);
        b[i] = (double)(next_random(&seed) % 1024);
    }
    for (size_t i = 0; i < LENGTH; i++) {
        for (size_t j = 0; j < LENGTH; j++)
            exact[i + j] += (int64_t)a[i] * (int64_t)b[j];
    }
    sot_fft_forward(fft, a, a);
    sot_fft_forward(fft, b, b);
    for (size_t k = 0; k <= SIZE / 2; k++) {
        const double re = a[2 * k] * b[2 * k] - a[2 * k + 1] * b[2 * k + 1];
        a[2 * k + 1] = a[2 * k] * b[2 * k + 1] + a[2 * k + 1] * b[2 * k];
        a[2 * k] = re;
    }
    sot_fft_inverse(fft, a, a);
    for (size_t i = 0; i < SIZE; i++)
        assert_true(llround(a[i]) == exact[i]);
    free(exact);
    free(b);
    free(a);
    sot_fft_free(fft);
}

/* ---- the contract ---- */

static void in_place_and_out_of_place_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (size_t size = 2; size <= 1 << 15; size *= 2) {
        sot_fft *fft = new_fft(size);
        double *x = new_array(size);
        double *spectrum = new_array(size + 2);
        double *in_place = new_array(size + 2);
        double *back = new_array(size); /* ASan sees a write beyond `size` */
        fill_input(x, size, 0, &seed);
        memcpy(in_place, x, size * sizeof *x);
        sot_fft_forward(fft, x, spectrum);
        sot_fft_forward(fft, in_place, in_place);
        assert_memory_equal(in_place, spectrum, (size + 2) * sizeof *x);
        spectrum[1] = spectrum[size + 1] = NAN; /* not read */
        sot_fft_inverse(fft, spectrum, back);
        sot_fft_inverse(fft, in_place, in_place);
        assert_memory_equal(in_place, back, size * sizeof *x);
        for (size_t j = 0; j < size; j++)
            assert_within(back[j] - x[j], -1e-15, 1e-15);
        free(back);
        free(in_place);
        free(spectrum);
        free(x);
        sot_fft_free(fft);
    }
}

static void bit_reversal_reverses_bits(void **state)
{
    (void)state;
    enum { BITS_MAX = 15 };
    sot_complex *values = calloc((size_t)1 << BITS_MAX, sizeof *values);
    assert_non_null(values);
    for (unsigned bits = 0; bits <= BITS_MAX; bits++) {
        const size_t count = (size_t)1 << bits;
        for (size_t i = 0; i < count; i++)
            values[i] = (sot_complex){(double)i, -(double)i};
        sot_reverse_order(values, bits);
        for (size_t i = 0; i < count; i++) {
            size_t reversed = 0;
            for (unsigned b = 0; b < bits; b++)
                reversed |= (i >> b & 1) << (bits - 1 - b);
            assert_true(values[reversed].re == (double)i);
            assert_true(values[reversed].im == -(double)i);
        }
    }
    free(values);
}

static void sizes_that_are_no_powers_of_two_are_refused(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 3, 12, (1 << 20) + 2, SOT_FFT_SIZE_MAX * 2, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        sotto_error error;
        sot_fft *fft = (sot_fft *)&error; /* must be overwritten */
        assert_refused(sot_fft_new(sizes[i], &fft, &error), SOTTO_INVALID_ARGUMENT,
                       &error, "FFT size", "power of two", "16777216", NULL);
        assert_null(fft);
        assert_int_equal(sot_fft_new(sizes[i], &fft, NULL), SOTTO_INVALID_ARGUMENT);
    }
    sot_fft_free(NULL);
}

static void a_failed_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    size_t failures = 0;
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        sot_fft *fft = (sot_fft *)&error;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sot_fft_new(1024, &fft, &error);
        (void)sot_test_fail_allocation(0);
        if (status == SOTTO_OK) {
            sot_fft_free(fft);
            break;
        }
        assert_refused(status, SOTTO_OUT_OF_MEMORY, &error, "memory", NULL);
        assert_null(fft);
        failures++;
    }
    assert_int_equal(failures, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_output_is_within_the_stated_bound),
        cmocka_unit_test(the_comparison_catches_a_wrong_digit),
        cmocka_unit_test(roots_of_unity_are_as_accurate_as_stated),
        cmocka_unit_test(impulse_responses_are_roots_of_unity),
        cmocka_unit_test(energy_is_kept_and_the_inverse_brings_the_input_back),
        cmocka_unit_test(convolution_of_integers_is_exact),
        cmocka_unit_test(in_place_and_out_of_place_give_the_same_bits),
        cmocka_unit_test(bit_reversal_reverses_bits),
        cmocka_unit_test(sizes_that_are_no_powers_of_two_are_refused),
        cmocka_unit_test(a_failed_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
