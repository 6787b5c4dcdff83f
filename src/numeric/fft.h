/* numeric/fft.h: real fast Fourier transform in double precision, sizes 2^1 to 2^24.
 *
 * Idea: the size reals are taken as size/2 complex numbers and transformed in place by
 * radix-4 butterflies (depth first, so that small blocks stay in cache). They are put in
 * order, and combined to the spectrum of the reals. Twiddle factors come from a table in
 * which each is within 0.72 u of the exact root of unity, where u = 2^-53 (1.5 u if long
 * double is no wider than double).
 *
 * Theorem: after Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., Thm
 * 24.2: see sot_fft_error_bound(). fft.c derives its constants.
 *
 * Memory: the tables take 12 bytes times size (200 MB at 2^24), the transforms none.
 *
 * Threads: after sot_fft_new() the tables are only read: threads may share them.
 *
 * Assumes: no overflow, and no underflow that matters: the input's norm times size is
 * within the range of double.
 */
#ifndef SOT_NUMERIC_FFT_H
#define SOT_NUMERIC_FFT_H

#include <stddef.h>

#include <sotto/error.h>

#define SOT_FFT_SIZE_MAX ((size_t)1 << 24)

typedef struct sot_fft sot_fft;

/* Tables for transforms of `size` reals: a power of two, at least 2 and at most
 * SOT_FFT_SIZE_MAX, else SOTTO_INVALID_ARGUMENT. Free with sot_fft_free(). */
SOTTO_MUST_CHECK sotto_status sot_fft_new(size_t size, sot_fft **out_fft,
                                          sotto_error *error);
void sot_fft_free(sot_fft *fft); /* NULL is fine */

/* out[2k], out[2k+1] = real and imaginary part of sum_j in[j] exp(-2 pi i j k / size),
 * for k = 0 .. size/2: size + 2 doubles. `in` and `out` may be the same array of that
 * length; they must not overlap otherwise. */
void sot_fft_forward(const sot_fft *fft, const double *in, double *out);

/* The inverse, scaled so that forward then inverse gives the input back. `in` holds the
 * size + 2 doubles; the imaginary parts at k = 0 and size/2 are not read (they are zero
 * for a real signal). `out` takes `size`. In place as above. The scaling is by a power of
 * two. */
void sot_fft_inverse(const sot_fft *fft, const double *in, double *out);

/* Bound on |computed - exact| of any output of a forward (or unscaled inverse) transform
 * in units of the Euclidean norm of the input array (for the inverse, of its size + 2
 * doubles). It is about 3.5 u sqrt(size) log2(size), rounded up, for the worst input and
 * rounding. Typical errors are a few u times the norm, for every size. The scaled inverse
 * has this bound divided by size. */
double sot_fft_error_bound(const sot_fft *fft);

#endif
