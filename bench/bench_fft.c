/* Times the real FFT at 2^14, 2^17 and 2^20 and checks some outputs against the
 * definition, summed in long double. Prints one JSON line a size; exits 1 if an output is
 * beyond the stated bound. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "numeric/fft.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* |computed - exact| of output k over the norm of the input. */
static double error_at(const double *x, const double *spectrum, size_t size, size_t k)
{
    const long double turn = 6.283185307179586476925286766559005768L;
    long double re = 0.0L;
    long double im = 0.0L;
    long double square = 0.0L;
    for (size_t j = 0; j < size; j++) {
        const long double angle = turn * (long double)(j * k % size) / (long double)size;
        re += (long double)x[j] * cosl(angle);
        im -= (long double)x[j] * sinl(angle);
        square += (long double)x[j] * (long double)x[j];
    }
    const long double distance =
        hypotl(re - (long double)spectrum[2 * k], im - (long double)spectrum[2 * k + 1]);
    return (double)(distance / sqrtl(square));
}

static int bench_size(size_t size)
{
    sotto_error error;
    sot_fft *fft;
    if (sot_fft_new(size, &fft, &error) != SOTTO_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    double *x = calloc(size, sizeof *x);
    double *spectrum = calloc(size + 2, sizeof *spectrum);
    if (x == NULL || spectrum == NULL) return 1;
    uint64_t state = size;
    for (size_t j = 0; j < size; j++) { /* Knuth's MMIX generator */
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[j] = (double)(state >> 11) * 0x1p-52 - 1.0;
    }
    double best = (double)INFINITY;
    const double start = seconds();
    for (int runs = 0; runs < 5 || seconds() - start < 0.5; runs++) {
        const double before = seconds();
        sot_fft_forward(fft, x, spectrum);
        best = fmin(best, seconds() - before);
    }
    double largest = 0.0;
    for (size_t i = 0; i < 8; i++)
        largest = fmax(largest, error_at(x, spectrum, size, i * 7919 % (size / 2 + 1)));
    const double bound = sot_fft_error_bound(fft);
    const double flops = 2.5 * (double)size * log2((double)size);
    printf(
        "{\"bench\": \"fft\", \"size\": %zu, \"milliseconds\": %.4f, \"gflops\": %.2f, "
        "\"error\": %.3g, \"error_bound\": %.3g}\n",
        size, 1e3 * best, 1e-9 * flops / best, largest, bound);
    free(spectrum);
    free(x);
    sot_fft_free(fft);
    return largest <= bound ? 0 : 1;
}

int main(void)
{
    int failed = 0;
    const unsigned bits[] = {14, 17, 20};
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++)
        failed |= bench_size((size_t)1 << bits[i]);
    return failed;
}
