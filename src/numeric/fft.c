#include "numeric/fft.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/bit_reversal.h"
#include "numeric/outward.h"
#include "numeric/unit_roots.h"

/* ---- tables ---- */

/* The factors of one radix-4 butterfly: w^j, w^2j, w^3j. */
typedef struct twiddles {
    sot_complex one, two, three;
} twiddles;

/* Stages of a complex transform of 2^23: lengths 2^23, 2^21, ... */
enum { STAGES_MAX = 12 };

struct sot_fft {
    size_t size;        /* of the real transform */
    unsigned bits;      /* log2 of size / 2, the size of the complex transform */
    sot_complex *roots; /* exp(-2 pi i k / size), k = 0 .. size/4 */
    twiddles *twiddles; /* all stages, one after the other */
    size_t stage_start[STAGES_MAX]; /* of the stage of length (size / 2) / 4^i */
};

/* The twiddle factors of the stages of length size/2, size/8, ... above 4. A stage of
 * length L has L/4 triples, so all have less than size/6 together. */
static void fill_twiddles(sot_fft *fft)
{
    size_t start = 0;
    unsigned stage = 0;
    for (size_t length = fft->size / 2; length > 4; length /= 4, stage++) {
        fft->stage_start[stage] = start;
        const size_t step =
            fft->size / length; /* exp(-2 pi i j / length) is root j * step */
        for (size_t j = 0; j < length / 4; j++) {
            twiddles *t = &fft->twiddles[start + j];
            t->one = sot_unit_root(fft->roots, fft->size, j * step);
            t->two = sot_unit_root(fft->roots, fft->size, 2 * j * step);
            t->three = sot_unit_root(fft->roots, fft->size, 3 * j * step);
        }
        start += length / 4;
    }
}

static sotto_status check_size(size_t size, sotto_error *error)
{
    if (size >= 2 && size <= SOT_FFT_SIZE_MAX && (size & (size - 1)) == 0)
        return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the FFT size is %zu; use a power of two from 2 to %zu", size,
                    SOT_FFT_SIZE_MAX);
}

sotto_status sot_fft_new(size_t size, sot_fft **out_fft, sotto_error *error)
{
    *out_fft = NULL;
    const sotto_status status = check_size(size, error);
    if (status != SOTTO_OK) return status;

    const size_t root_count = size / 4 + 1;
    const size_t twiddle_count = size / 6 + 1;
    sot_fft *fft = sot_new_array(1, sizeof *fft);
    if (fft == NULL) return sot_fail_memory(error, 1, sizeof *fft);
    fft->size = size;
    while (((size_t)2 << fft->bits) < size)
        fft->bits++;
    fft->roots = sot_new_array(root_count, sizeof *fft->roots);
    if (fft->roots == NULL) {
        sot_fft_free(fft);
        return sot_fail_memory(error, root_count, sizeof *fft->roots);
    }
    fft->twiddles = sot_new_array(twiddle_count, sizeof *fft->twiddles);
    if (fft->twiddles == NULL) {
        sot_fft_free(fft);
        return sot_fail_memory(error, twiddle_count, sizeof *fft->twiddles);
    }
    if (size >= 4) {
        sot_fill_unit_roots(fft->roots, size);
        fill_twiddles(fft);
    }
    *out_fft = fft;
    return SOTTO_OK;
}

void sot_fft_free(sot_fft *fft)
{
    if (fft == NULL) return;
    sot_free(fft->twiddles);
    sot_free(fft->roots);
    sot_free(fft);
}

/* ---- complex arithmetic ---- */

static inline sot_complex add(sot_complex a, sot_complex b)
{
    return (sot_complex){a.re + b.re, a.im + b.im};
}

static inline sot_complex subtract(sot_complex a, sot_complex b)
{
    return (sot_complex){a.re - b.re, a.im - b.im};
}

static inline sot_complex multiply(sot_complex a, sot_complex b)
{
    return (sot_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline sot_complex conjugate(sot_complex a)
{
    return (sot_complex){a.re, -a.im};
}

static inline sot_complex times_i(sot_complex a)
{
    return (sot_complex){-a.im, a.re};
}

/* ---- the complex transform, in place, results in bit-reversed order ---- */

/* One radix-4 stage (decimation in frequency) over a block. The four results of a
 * butterfly belong to the four quarters in the order 0, 2, 1, 3, which is bit reversal
 * again. */
static void butterflies(const twiddles *factors, sot_complex *block, size_t length)
{
    const size_t quarter = length / 4;
    sot_complex *x0 = block;
    sot_complex *x1 = block + quarter;
    sot_complex *x2 = block + 2 * quarter;
    sot_complex *x3 = block + 3 * quarter;
    for (size_t j = 0; j < quarter; j++) {
        const sot_complex sum02 = add(x0[j], x2[j]);
        const sot_complex difference02 = subtract(x0[j], x2[j]);
        const sot_complex sum13 = add(x1[j], x3[j]);
        const sot_complex turned13 = times_i(subtract(x1[j], x3[j]));
        x0[j] = add(sum02, sum13);
        x1[j] = multiply(factors[j].two, subtract(sum02, sum13));
        x2[j] = multiply(factors[j].one, subtract(difference02, turned13));
        x3[j] = multiply(factors[j].three, add(difference02, turned13));
    }
}

/* The last stage, without factors: transforms of 4, or of 2 if the logarithm is odd. */
static void last_butterflies(sot_complex *x, size_t count, size_t length)
{
    if (length == 2) {
        for (size_t i = 0; i < count; i += 2) {
            const sot_complex sum = add(x[i], x[i + 1]);
            x[i + 1] = subtract(x[i], x[i + 1]);
            x[i] = sum;
        }
        return;
    }
    for (size_t i = 0; i < count; i += 4) {
        const sot_complex sum02 = add(x[i], x[i + 2]);
        const sot_complex difference02 = subtract(x[i], x[i + 2]);
        const sot_complex sum13 = add(x[i + 1], x[i + 3]);
        const sot_complex turned13 = times_i(subtract(x[i + 1], x[i + 3]));
        x[i] = add(sum02, sum13);
        x[i + 1] = subtract(sum02, sum13);
        x[i + 2] = subtract(difference02, turned13);
        x[i + 3] = add(difference02, turned13);
    }
}

/* Depth first down to blocks that fit in the first cache, then stage by stage. The
 * recursion is at most 6 deep. */
static void transform(const sot_fft *fft, sot_complex *block, size_t length,
                      unsigned stage)
{
    enum { CACHED_LENGTH = 2048 }; /* 32 KiB */
    if (length > CACHED_LENGTH) {
        butterflies(fft->twiddles + fft->stage_start[stage], block, length);
        for (size_t i = 0; i < 4; i++)
            transform(fft, block + i * (length / 4), length / 4, stage + 1);
        return;
    }
    size_t part = length;
    for (; part > 4; part /= 4, stage++) {
        for (size_t i = 0; i < length; i += part)
            butterflies(fft->twiddles + fft->stage_start[stage], block + i, part);
    }
    if (part > 1) last_butterflies(block, length, part);
}

static void transform_in_order(const sot_fft *fft, sot_complex *values)
{
    transform(fft, values, fft->size / 2, 0);
    sot_reverse_order(values, fft->bits);
}

/* ---- real data ---- */

/* The arrays of doubles hold pairs (re, im): a sot_complex is two doubles without
 * padding. */
_Static_assert(sizeof(sot_complex) == 2 * sizeof(double), "no padding");

static sot_complex load(const double *array, size_t k)
{
    return (sot_complex){array[2 * k], array[2 * k + 1]};
}

static void store(double *array, size_t k, sot_complex value)
{
    array[2 * k] = value.re;
    array[2 * k + 1] = value.im;
}

/* From the transform Z of z_j = x_2j + i x_(2j+1), half = size/2 numbers, to that of x:
 * with E = (Z_k + conj Z_(half-k)) / 2 and O = (Z_k - conj Z_(half-k)) / (2i), the
 * transforms of the even and the odd x, X_k = E + w^k O and X_(half-k) =
 * conj(E - w^k O). */
static void unpack(const sot_fft *fft, double *out)
{
    const size_t half = fft->size / 2;
    const sot_complex zero = load(out, 0);
    store(out, 0, (sot_complex){zero.re + zero.im, 0.0});
    store(out, half, (sot_complex){zero.re - zero.im, 0.0});
    for (size_t k = 1; 2 * k < half; k++) {
        const sot_complex z = load(out, k);
        const sot_complex mirrored = conjugate(load(out, half - k));
        const sot_complex sum = add(z, mirrored);
        const sot_complex turned =
            times_i(multiply(fft->roots[k], subtract(z, mirrored)));
        store(out, k,
              (sot_complex){0.5 * (sum.re - turned.re), 0.5 * (sum.im - turned.im)});
        store(out, half - k,
              (sot_complex){0.5 * (sum.re + turned.re), -0.5 * (sum.im + turned.im)});
    }
    if (half >= 2) store(out, half / 2, conjugate(load(out, half / 2)));
}

void sot_fft_forward(const sot_fft *fft, const double *in, double *out)
{
    if (in != out) memcpy(out, in, fft->size * sizeof *out);
    transform_in_order(fft, (sot_complex *)(void *)out);
    unpack(fft, out);
}

/* The way back, twice: 2 Z_k = S + i t and 2 Z_(half-k) = conj(S - i t), where S = X_k +
 * conj X_(half-k) and t = conj(w^k) (X_k - conj X_(half-k)). The conjugates are stored,
 * because the forward transform of the conjugate is the conjugate of the inverse one. */
static void pack_conjugate(const sot_fft *fft, const double *in, double *out)
{
    const size_t half = fft->size / 2;
    const double first = in[0];
    const double last = in[2 * half];
    store(out, 0, (sot_complex){first + last, -(first - last)});
    for (size_t k = 1; 2 * k < half; k++) {
        const sot_complex x = load(in, k);
        const sot_complex mirrored = conjugate(load(in, half - k));
        const sot_complex sum = add(x, mirrored);
        const sot_complex turned =
            times_i(multiply(conjugate(fft->roots[k]), subtract(x, mirrored)));
        store(out, k, conjugate(add(sum, turned)));
        store(out, half - k, subtract(sum, turned));
    }
    if (half >= 2) {
        const sot_complex middle = load(in, half / 2);
        store(out, half / 2, (sot_complex){2.0 * middle.re, 2.0 * middle.im});
    }
}

void sot_fft_inverse(const sot_fft *fft, const double *in, double *out)
{
    pack_conjugate(fft, in, out);
    transform_in_order(fft, (sot_complex *)(void *)out);
    const double scale = 1.0 / (double)fft->size; /* a power of two */
    for (size_t j = 0; j < fft->size; j += 2) {
        out[j] *= scale;
        out[j + 1] *= -scale;
    }
}

/* ---- the error bound ---- */

/* With u = 2^-53, N = size/2, and norms Euclidean:
 *
 * A complex sum is computed with a relative error of u, a complex product with sqrt(5) u
 * (Brent, Percival & Zimmermann, Math. Comp. 76 (2007) 1469), and a twiddle factor is off
 * by mu. A stage is twice a unitary map; its two levels of sums and its product add
 *     2 u + sqrt(5) u + mu
 * to the relative error of the vector, the last stage, without factors, at most 2 u. So
 * the complex transform has a relative error e, the sum over the stages, as in Higham,
 * Thm 24.2: |dZ| <= e sqrt(N) |z|.
 *
 * Forward: |z| = |x|, and unpacking moves an output by at most |dZ_k| + |dZ_(N-k)| <=
 * sqrt(2) |dZ|. Its own roundings are u |E| + (u + sqrt(5) u + mu) |O| + u |X_k|, where
 * |E|^2 + |O|^2 <= |Z|^2 / 2 and |X_k| <= |Z|: at most 4 u |Z|. Together sqrt(size) (e +
 * 2.9 u) |x|.
 *
 * Inverse, unscaled: for the array's norm h, |S|^2 + |D|^2 <= 4 h^2 over all k, so
 * packing errs by at most (8.4 + 2) u h in a vector of norm at most 2 h. Together sqrt(N)
 * (2 e + 10.4 u) h = sqrt(size) (sqrt(2) e + 7.4 u) h: the larger one, and so the one
 * that is returned. */
double sot_fft_error_bound(const sot_fft *fft)
{
    const double u = 0x1p-53;
    double stages = 0.0;
    for (size_t length = fft->size / 2; length > 4; length /= 4)
        stages += 1.0;
    const double stage_error = 2.0 * u + 2.2361 * u + SOT_UNIT_ROOT_ERROR;
    const double relative = 1.4143 * (stages * stage_error + 2.0 * u) + 7.4 * u;
    /* The roundings of this formula, and products of errors, are below 1e-12 of it. */
    return sot_widen_up(sot_sqrt_up((double)fft->size) * relative, 1e-12);
}
