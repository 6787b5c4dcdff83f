/* The filters, in double precision, from their formulas (tests/vectors/scattering.README.md, steps 2-5). */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/network/scattering/parts.h"

static const double pi = 3.14159265358979323846;

/* The filters were published with this value in their normalisation, and differ from ones with pi by more than
 * the accuracy of float32. */
static const double published_pi = 3.1415;

/* A Gaussian is left out where it is below exp(-60) < 2^-86 of its peak: nothing next to a float32. */
static const double exponent_most = 60.0;

typedef struct gabor {
    double sigma, theta, xi, slant;
} gabor;

/* A filter in space and its transform along rows: P x P numbers each. */
typedef struct canvas {
    size_t padded;
    double *re, *im, *still;
    double *along_re, *along_im;
    double *cosine, *sine; /* of 2 pi k / P */
    bool *empty;           /* rows of zeros */
} canvas;

/* The sum over the copies of the Gabor function, and of its envelope, at row u and column v of the torus. */
static void add_copies(const gabor *g, double padded, double u, double v, double *re,
                       double *im, double *still)
{
    const double c = cos(g->theta), s = sin(g->theta), slant = g->slant * g->slant;
    const double twice = 2.0 * g->sigma * g->sigma;
    const double a = (c * c + slant * s * s) / twice;
    const double b = (1.0 - slant) * s * c / twice;
    const double d = (s * s + slant * c * c) / twice;
    for (int i = -2; i <= 2; i++) {
        for (int j = -2; j <= 2; j++) {
            const double row = u + i * padded, column = v + j * padded;
            const double exponent =
                a * row * row + 2.0 * b * row * column + d * column * column;
            if (exponent > exponent_most) continue;
            const double height = exp(-exponent);
            const double wave = g->xi * (row * c + column * s);
            *re += height * cos(wave);
            *im += height * sin(wave);
            *still += height;
        }
    }
}

/* The Morlet wavelet in space: the Gabor function less the multiple of its envelope that makes its sum 0. */
static void draw(const gabor *g, canvas *out)
{
    const size_t padded = out->padded;
    const double norm = 2.0 * published_pi * g->sigma * g->sigma / g->slant;
    double sum_re = 0.0, sum_im = 0.0, sum_still = 0.0;
    for (size_t i = 0; i < padded * padded; i++) {
        double re = 0.0, im = 0.0, still = 0.0;
        add_copies(g, (double)padded, (double)(i / padded), (double)(i % padded), &re,
                   &im, &still);
        sum_re += out->re[i] = re / norm;
        sum_im += out->im[i] = im / norm;
        sum_still += out->still[i] = still / norm;
    }
    for (size_t i = 0; i < padded; i++) {
        out->empty[i] = true;
        for (size_t j = i * padded; j < (i + 1) * padded; j++) {
            out->re[j] -= sum_re / sum_still * out->still[j];
            out->im[j] -= sum_im / sum_still * out->still[j];
            if (out->still[j] != 0.0) out->empty[i] = false;
        }
    }
}

static void transform_rows(canvas *c)
{
    const size_t padded = c->padded;
    for (size_t i = 0; i < padded; i++) {
        double *re = c->along_re + i * padded, *im = c->along_im + i * padded;
        for (size_t k = 0; k < padded; k++)
            re[k] = im[k] = 0.0;
        for (size_t j = 0; j < padded && !c->empty[i]; j++) {
            const size_t at = i * padded + j;
            if (c->still[at] == 0.0) continue;
            for (size_t k = 0, angle = 0; k < padded; k++, angle = (angle + j) % padded) {
                re[k] += c->re[at] * c->cosine[angle] + c->im[at] * c->sine[angle];
                im[k] += c->im[at] * c->cosine[angle] - c->re[at] * c->sine[angle];
            }
        }
    }
}

/* The real part of the transform at one row of frequencies; the imaginary part is rounding. */
static void transform_columns(const canvas *c, size_t row, double *out)
{
    const size_t padded = c->padded;
    for (size_t k = 0; k < padded; k++)
        out[k] = 0.0;
    for (size_t i = 0; i < padded; i++) {
        if (c->empty[i]) continue;
        const double cosine = c->cosine[i * row % padded];
        const double sine = c->sine[i * row % padded];
        for (size_t k = 0; k < padded; k++)
            out[k] +=
                c->along_re[i * padded + k] * cosine + c->along_im[i * padded + k] * sine;
    }
}

static void make_wavelets(sot_scattering *s, int scale, size_t t, canvas *c)
{
    const gabor g = {.sigma = 0.8 * (1 << scale),
                     .theta = (3.0 - (double)t) * pi / 8.0,
                     .xi = 0.75 * pi / (1 << scale),
                     .slant = 0.5};
    const size_t padded = s->padded, half = s->half;
    const double factor = 0.5 / ((double)padded * (double)padded);
    draw(&g, c);
    transform_rows(c);
    for (size_t row = 0; row < padded; row++) {
        double *line = c->still; /* its work is done */
        transform_columns(c, row, line);
        for (size_t column = 0; column < padded; column++) {
            const float value = (float)(line[column] * factor);
            if (scale == 0) {
                s->psi_first[(row * padded + column) * SOT_SCATTERING_LANES + t] = value;
                continue;
            }
            const size_t part = 2 * (row / half) + column / half;
            const size_t at = (row % half * half + column % half) * 4 + part;
            s->psi_second[at * SOT_SCATTERING_LANES + t] = value;
        }
    }
}

/* phi(u, v) = a(u) a(v) with `a(u) = exp(-u^2 / (2 1.6^2)) / sqrt(2 pi 1.6^2)` over the copies;
 * its transform is g(k) g(l). Row m of A takes the sample 4 (m + 1) of the P, or 2 (m + 1) of the
 * M. With d = 4 (m + 1) - n
 *
 *     A(m, n) = a(d) = 1/P sum_k g(k) cos(2 pi k d / P), respectively
 *     A(m, n) = 1/M sum over -M/2 <= k < M/2 of g(k) cos(2 pi k d / M), d = 2 (m + 1) - n:
 *
 * the same frequencies, truncated at the new Nyquist frequency, which counts once. */
static void make_smoothing(sot_scattering *s, canvas *c)
{
    const size_t padded = s->padded, half = s->half, h = s->out_side;
    const double variance = 1.6 * 1.6;
    double *a = c->re, *g = c->im, *b = c->still;
    for (size_t u = 0; u < padded; u++) {
        a[u] = 0.0;
        for (int i = -2; i <= 2; i++) {
            const double x = (double)u + i * (double)padded;
            a[u] += exp(-x * x / (2.0 * variance)) / sqrt(2.0 * published_pi * variance);
        }
    }
    for (size_t k = 0; k <= half; k++) {
        g[k] = 0.0;
        for (size_t u = 0; u < padded; u++)
            g[k] += a[u] * c->cosine[k * u % padded];
    }
    for (size_t d = 0; d < half; d++) { /* cos(2 pi k d / M) = cos(2 pi 2 k d / P) */
        b[d] = g[0] + g[half / 2] * (d % 2 == 0 ? 1.0 : -1.0);
        for (size_t k = 1; k < half / 2; k++)
            b[d] += 2.0 * g[k] * c->cosine[2 * k * d % padded];
        b[d] /= (double)half;
    }
    for (size_t m = 0; m < h; m++) {
        for (size_t n = 0; n < padded; n++)
            s->smooth_first[n * h + m] = (float)a[(4 * (m + 1) + padded - n) % padded];
        for (size_t n = 0; n < half; n++)
            s->smooth_second[n * h + m] = (float)b[(2 * (m + 1) + half - n) % half];
    }
}

sotto_status sot_scattering_design(sot_scattering *scattering, sotto_error *error)
{
    const size_t padded = scattering->padded, area = padded * padded;
    const size_t numbers = 5 * area + 2 * padded;
    double *memory = sot_new_array(numbers, sizeof *memory);
    bool *empty = sot_new_array(padded, sizeof *empty);
    if (memory == NULL || empty == NULL) {
        sot_free(empty);
        sot_free(memory);
        return sot_fail_memory(error, numbers, sizeof *memory);
    }
    canvas c = {.padded = padded,
                .re = memory,
                .im = memory + area,
                .still = memory + 2 * area,
                .along_re = memory + 3 * area,
                .along_im = memory + 4 * area,
                .cosine = memory + 5 * area,
                .sine = memory + 5 * area + padded,
                .empty = empty};
    for (size_t k = 0; k < padded; k++) {
        c.cosine[k] = cos(2.0 * pi * (double)k / (double)padded);
        c.sine[k] = sin(2.0 * pi * (double)k / (double)padded);
    }
    for (int scale = 0; scale < 2; scale++)
        for (size_t t = 0; t < SOT_SCATTERING_LANES; t++)
            make_wavelets(scattering, scale, t, &c);
    make_smoothing(scattering, &c);
    sot_free(empty);
    sot_free(memory);
    return SOTTO_OK;
}
