/* tests/models/network/scattering/scattering_reference.h: the scattering transform, written down from its formulas
 * (tests/vectors/scattering.README.md, whose numbered steps it follows) in double precision, with
 * transforms by their definition. Nothing is shared with src/models/network. */
#ifndef SOTTO_TESTS_SCATTERING_REFERENCE_H
#define SOTTO_TESTS_SCATTERING_REFERENCE_H

#include <assert.h>
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REFERENCE_CHANNELS = 81 };

typedef struct reference_filters {
    size_t padded;             /* P */
    double complex *psi[2][8]; /* P x P, Fourier domain: real numbers */
    double complex *phi[2];    /* P x P, and P/2 x P/2 */
} reference_filters;

static inline double complex reference_number(double re, double im)
{
    return re + im * (double complex)I;
}

static inline double complex *reference_plane(size_t side)
{
    double complex *plane = calloc(side * side, sizeof *plane);
    assert(plane != NULL);
    return plane;
}

/* One line of n numbers, `step` apart, replaced by its DFT; `roots` are exp(sign 2 pi i k / n). */
static inline void reference_dft(size_t n, const double complex *roots,
                                 double complex *line, size_t step)
{
    double re[512], im[512];
    for (size_t k = 0; k < n; k++) {
        re[k] = im[k] = 0.0;
        for (size_t j = 0; j < n; j++) {
            const double complex x = line[j * step], w = roots[j * k % n];
            re[k] += creal(x) * creal(w) - cimag(x) * cimag(w);
            im[k] += creal(x) * cimag(w) + cimag(x) * creal(w);
        }
    }
    for (size_t k = 0; k < n; k++)
        line[k * step] = reference_number(re[k], im[k]);
}

/* In place; forward (sign -1) not normalised, inverse (sign +1) divided by n^2. */
static inline void reference_dft2(size_t n, int sign, double complex *plane)
{
    double complex roots[512];
    for (size_t k = 0; k < n; k++) {
        const double angle = sign * 2.0 * acos(-1.0) * (double)k / (double)n;
        roots[k] = reference_number(cos(angle), sin(angle));
    }
    for (size_t i = 0; i < n; i++)
        reference_dft(n, roots, plane + i * n, 1);
    for (size_t i = 0; i < n; i++)
        reference_dft(n, roots, plane + i, n);
    for (size_t i = 0; sign > 0 && i < n * n; i++)
        plane[i] /= (double)(n * n);
}

/* Step 2. */
static inline double complex reference_gabor(size_t padded, double u, double v,
                                             double sigma, double theta, double xi,
                                             double s)
{
    const double cosine = cos(theta), sine = sin(theta), twice = 2.0 * sigma * sigma;
    const double a = (cosine * cosine + s * s * sine * sine) / twice;
    const double b = (1.0 - s * s) * sine * cosine / twice;
    const double d = (sine * sine + s * s * cosine * cosine) / twice;
    double complex sum = 0.0;
    for (int i = -2; i <= 2; i++) {
        for (int j = -2; j <= 2; j++) {
            const double row = u + i * (double)padded, column = v + j * (double)padded;
            const double wave = xi * (row * cosine + column * sine);
            sum += exp(-(a * row * row + 2.0 * b * row * column + d * column * column)) *
                   reference_number(cos(wave), sin(wave));
        }
    }
    return sum / (2.0 * 3.1415 * sigma * sigma / s);
}

/* Steps 3 and 4: psi_{j,t} or, with j = 2, phi; the real part of its transform. */
static inline double complex *reference_filter(size_t padded, int j, int t)
{
    const double pi = acos(-1.0);
    const double sigma = j == 2 ? 1.6 : 0.8 * (1 << j), s = j == 2 ? 1.0 : 0.5;
    const double theta = j == 2 ? 0.0 : (3 - t) * pi / 8.0;
    const double xi = j == 2 ? 0.0 : 0.75 * pi / (1 << j);
    double complex *wave = reference_plane(padded), *still = reference_plane(padded);
    double complex wave_sum = 0.0, still_sum = 0.0;
    for (size_t i = 0; i < padded * padded; i++) {
        const double u = (double)(i / padded), v = (double)(i % padded);
        wave[i] = reference_gabor(padded, u, v, sigma, theta, xi, s);
        still[i] = reference_gabor(padded, u, v, sigma, theta, 0.0, s);
        wave_sum += wave[i];
        still_sum += still[i];
    }
    for (size_t i = 0; j < 2 && i < padded * padded; i++)
        wave[i] -= wave_sum / still_sum * still[i];
    reference_dft2(padded, -1, wave);
    for (size_t i = 0; i < padded * padded; i++)
        wave[i] = creal(wave[i]);
    free(still);
    return wave;
}

static inline reference_filters reference_filters_new(size_t side)
{
    const size_t padded = ((side + 4) / 4 + 1) * 4, half = padded / 2;
    reference_filters filters = {.padded = padded};
    for (int j = 0; j < 2; j++)
        for (int t = 0; t < 8; t++)
            filters.psi[j][t] = reference_filter(padded, j, t);
    filters.phi[0] = reference_filter(padded, 2, 0);
    filters.phi[1] = reference_plane(half);
    for (size_t i = 0; i < half; i++) {
        for (size_t j = 0; j < half; j++) {
            const size_t row = i < half / 2 ? i : i + half;
            const size_t column = j < half / 2 ? j : j + half;
            filters.phi[1][i * half + j] = filters.phi[0][row * padded + column];
        }
    }
    return filters;
}

static inline void reference_filters_free(reference_filters *filters)
{
    for (int i = 0; i < 16; i++)
        free(filters->psi[i / 8][i % 8]);
    free(filters->phi[0]);
    free(filters->phi[1]);
}

/* Step 5, of the product of two m x m arrays, then back to space: a new (m/k) x (m/k) array. */
static inline double complex *reference_filtered(size_t m, const double complex *signal,
                                                 const double complex *filter, size_t k)
{
    const size_t n = m / k;
    double complex *out = reference_plane(n);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            out[i % n * n + j % n] +=
                signal[i * m + j] * creal(filter[i * m + j]) / (double)(k * k);
    reference_dft2(n, 1, out);
    return out;
}

/* S of step 6 for the transform of an m x m array, into one channel of [h][h][81]. */
static inline void reference_smooth(size_t m, const double complex *signal,
                                    const reference_filters *filters, double *channel)
{
    const size_t quarter = filters->padded / 4, h = quarter - 2;
    double complex *s = reference_filtered(
        m, signal, filters->phi[m == filters->padded ? 0 : 1], m / quarter);
    for (size_t i = 0; i < h; i++)
        for (size_t j = 0; j < h; j++)
            channel[(i * h + j) * REFERENCE_CHANNELS] =
                creal(s[(i + 1) * quarter + j + 1]);
    free(s);
}

/* The transform of |signal filtered|. */
static inline double complex *reference_modulus(size_t m, const double complex *signal,
                                                const double complex *filter, size_t k)
{
    const size_t n = m / k;
    double complex *u = reference_filtered(m, signal, filter, k);
    for (size_t i = 0; i < n * n; i++)
        u[i] = cabs(u[i]);
    reference_dft2(n, -1, u);
    return u;
}

/* image [side][side] to out [side/4][side/4][81]. */
static inline void reference_scattering(const reference_filters *filters,
                                        const double *image, double *out)
{
    const size_t padded = filters->padded, side = padded - 8;
    double complex *x = reference_plane(padded);
    for (size_t i = 0; i < padded; i++) { /* step 1 */
        for (size_t j = 0; j < padded; j++) {
            const long last = (long)side - 1;
            const long r = labs((long)i - 4), c = labs((long)j - 4);
            const long row = r > last ? 2 * last - r : r;
            const long column = c > last ? 2 * last - c : c;
            x[i * padded + j] = image[row * (long)side + column];
        }
    }
    reference_dft2(padded, -1, x);
    reference_smooth(padded, x, filters, out);
    for (size_t t = 0; t < 8; t++) {
        double complex *u = reference_modulus(padded, x, filters->psi[0][t], 1);
        reference_smooth(padded, u, filters, out + 1 + t);
        double complex *v = reference_modulus(padded, x, filters->psi[1][t], 2);
        reference_smooth(padded / 2, v, filters, out + 9 + t);
        free(v);
        for (size_t t2 = 0; t2 < 8; t2++) {
            v = reference_modulus(padded, u, filters->psi[1][t2], 2);
            reference_smooth(padded / 2, v, filters, out + 17 + 8 * t + t2);
            free(v);
        }
        free(u);
    }
    free(x);
}

#endif
