/* bench/bench_scattering.c: the scattering transform, images a second on one core.
 *
 *     bench_scattering
 *
 * 28 x 28 x 1 (as MNIST) and 32 x 32 x 3 (as CIFAR-10), random pixels. The answer is compared, bit for bit, with the
 * portable code's; exits 1 if it differs. `gflops` counts the additions and multiplications that this algorithm
 * does (a fused one as two, a root as one), and `of_fma_peak` is their share of what a loop of independent fused
 * operations on registers reaches on the same core in the same run; transforms are mostly additions, which cannot
 * be fused: all additions would be half of that peak. JSON lines, processor time, the best of several rounds. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "models/network/scattering/scattering.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

enum { IMAGES = 64, ROUNDS = 15 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the machine's limit ---- */

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2,fma"))) static double fma_rate(void)
{
    enum { TURNS = 2000000, CHAINS = 12 };
    const __m256 factor = _mm256_set1_ps(0.999F), term = _mm256_set1_ps(1e-3F);
    double best = 0.0;
    for (int round = 0; round < 5; round++) {
        __m256 x[CHAINS];
        _Pragma("GCC unroll 16") for (int i = 0; i < CHAINS; i++) x[i] =
            _mm256_set1_ps((float)i);
        const double before = seconds();
        for (int turn = 0; turn < TURNS; turn++) {
            _Pragma("GCC unroll 16") for (int i = 0; i < CHAINS; i++) x[i] =
                _mm256_fmadd_ps(x[i], factor, term);
        }
        const double took = seconds() - before;
        float sum[8];
        _Pragma("GCC unroll 16") for (int i = 1; i < CHAINS; i++) x[0] =
            _mm256_add_ps(x[0], x[i]);
        _mm256_storeu_ps(sum, x[0]);
        if (!(sum[0] < 1e9F)) return 0.0; /* the loop is not to be left out */
        best = fmax(best, 16.0 * CHAINS * TURNS / took);
    }
    return best;
}

static double fma_peak(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? fma_rate()
                                                                           : 0.0;
}
#else
static double fma_peak(void)
{
    return 0.0;
}
#endif

/* ---- the work ---- */

/* Additions and multiplications of one transform of length P or P/2, on one lane (src/models/network/scattering/dft.h). */
static double dft_work(size_t length)
{
    const double dft2 = 4, dft4 = 16, dft5 = 48, dft8 = 60, dft9 = 6 * 18 + 4 * 6;
    if (length == 36) return 9 * dft4 + 4 * dft9;
    if (length == 18) return 9 * dft2 + 2 * dft9;
    if (length == 40) return 5 * dft8 + 8 * dft5;
    if (length == 20) return 5 * dft4 + 4 * dft5;
    return 0.0;
}

static double plane_work(size_t side)
{
    const double padded = (double)side + 8, half = padded / 2, h = (double)side / 4;
    const double groups = ceil(padded / 8);
    const double whole =
        2 * groups + 2 * padded + half + half + 2; /* transforms of length P */
    const double halved = 9 * 2 * half;
    const double products = 2 * padded * padded + 9 * 14 * half * half;
    const double parting = 2 * (half + 1) * padded;
    const double roots = 4 * (padded * padded + 9 * half * half);
    const double smoothing =
        2 * h * padded * (padded + h + groups) + 9 * 2 * h * half * (half + h);
    return 8 * (whole * dft_work(side + 8) + halved * dft_work(side / 2 + 4) + products +
                parting + roots + smoothing) +
           2 * h * h * padded;
}

static int bench(size_t side, size_t planes, double peak)
{
    sotto_error error;
    sot_scattering *scattering;
    if (sot_scattering_new(side, planes, &scattering, &error) != SOTTO_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    const size_t pixels = side * side * planes;
    const size_t h = sot_scattering_out_side(scattering);
    const size_t outputs = h * h * sot_scattering_channels(scattering);
    float *images = calloc(IMAGES * pixels, sizeof *images);
    float *out = calloc(IMAGES * outputs, sizeof *out);
    float *plain = calloc(outputs, sizeof *plain);
    float *scratch =
        sot_new_aligned(sot_scattering_scratch_floats(scattering), sizeof *scratch);
    if (images == NULL || out == NULL || plain == NULL || scratch == NULL) return 1;
    uint64_t state = side;
    for (size_t i = 0; i < IMAGES * pixels; i++) { /* Knuth's MMIX generator */
        state = state * 6364136223846793005u + 1442695040888963407u;
        images[i] = (float)(state >> 40) * 0x1p-24F;
    }
    double best = (double)INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        const double before = seconds();
        for (size_t i = 0; i < IMAGES; i++)
            sot_scattering_apply(scattering, images + i * pixels, out + i * outputs,
                                 scratch);
        best = fmin(best, (seconds() - before) / IMAGES);
    }
    sot_scattering_test_portable(scattering);
    const double before = seconds();
    sot_scattering_apply(scattering, images, plain, scratch);
    const double portable = seconds() - before;
    const int same = memcmp(plain, out, outputs * sizeof *plain) == 0;
    const double rate = (double)planes * plane_work(side) / best;
    printf("{\"bench\": \"scattering\", \"side\": %zu, \"planes\": %zu, "
           "\"images_per_second\": %.0f, \"microseconds\": %.1f, \"gflops\": %.1f, "
           "\"fma_peak_gflops\": %.1f, \"of_fma_peak\": %.3f, "
           "\"portable_images_per_second\": %.0f, \"same_bits\": %s}\n",
           side, planes, 1.0 / best, 1e6 * best, 1e-9 * rate, 1e-9 * peak,
           peak > 0.0 ? rate / peak : 0.0, 1.0 / portable, same ? "true" : "false");
    sot_free(scratch);
    free(plain);
    free(out);
    free(images);
    sot_scattering_free(scattering);
    return same ? 0 : 1;
}

int main(void)
{
    const double peak = fma_peak();
    return bench(28, 1, peak) | bench(32, 3, peak);
}
