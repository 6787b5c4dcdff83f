/* numeric/fft.h: real fast Fourier transform in double precision, sizes 2^1 to 2^24. */
#ifndef SOT_NUMERIC_FFT_H
#define SOT_NUMERIC_FFT_H

#include <stddef.h>

#include <sotto/error.h>

typedef struct sot_fft sot_fft;

/* Tables for transforms of `size` reals. Free with sot_fft_free(). */
SOTTO_MUST_CHECK sotto_status sot_fft_new(size_t size, sot_fft **out_fft,
                                          sotto_error *error);
void sot_fft_free(sot_fft *fft);

/* out[2k], out[2k+1] = real and imaginary part of sum_j in[j] exp(-2 pi i j k / size), for
 * k = 0 .. size/2: size + 2 doubles. `in` and `out` may be the same array of size + 2. */
void sot_fft_forward(const sot_fft *fft, const double *in, double *out);

/* The inverse, scaled so that forward then inverse gives the input back. */
void sot_fft_inverse(const sot_fft *fft, const double *in, double *out);

/* Bound on |computed - exact| of any output of a forward (or unscaled inverse) transform in units of the
 * Euclidean norm of the input. */
double sot_fft_error_bound(const sot_fft *fft);

#endif
