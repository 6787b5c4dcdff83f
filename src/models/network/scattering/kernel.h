/* models/network/scattering/kernel.h: the transform of one plane, for any type of eight lanes.
 * Each including file defines
 *
 *     lanes                                a vector of 8 floats
 *     lanes_load, lanes_store, lanes_of    from memory, to memory, one number in all lanes
 *     lanes_add, lanes_sub, lanes_mul, lanes_root
 *     lanes_fma(a, b, c), lanes_fnma       c + a b and c - a b, rounded once
 *     INLINE, KERNEL                       prefixes of functions
 *     UNROLLED                             prefix of a short loop whose length is known where it is inlined, so
 *                                          that its numbers stay in registers
 *
 * so that all of them do the same operations in the same order, and give the same bits. */
#ifndef SOT_MODELS_NETWORK_SCATTERING_KERNEL_H
#define SOT_MODELS_NETWORK_SCATTERING_KERNEL_H

#include <math.h>

#include "models/network/scattering/dft.h"

/* ---- smoothing: out_i = sum_n A(i, n) in_n ---- */

INLINE void smooth_group(const float *a, size_t h, size_t count, const float *in,
                         size_t step, size_t group, float *out, size_t out_step)
{
    lanes sums[8];
    UNROLLED
    for (size_t i = 0; i < group; i++)
        sums[i] = lanes_of(0.0F);
    for (size_t n = 0; n < count; n++) {
        const lanes x = lanes_load(in + n * step);
        UNROLLED
        for (size_t i = 0; i < group; i++)
            sums[i] = lanes_fma(x, lanes_of(a[n * h + i]), sums[i]);
    }
    UNROLLED
    for (size_t i = 0; i < group; i++)
        lanes_store(out + i * out_step, sums[i]);
}

/* `a` is [count][h]. */
KERNEL void smooth(const float *a, size_t h, size_t count, const float *in, size_t step,
                   float *out, size_t out_step)
{
    size_t i = 0;
    for (; i + 8 <= h; i += 8)
        smooth_group(a + i, h, count, in, step, 8, out + i * out_step, out_step);
    a += i;
    out += i * out_step;
    if (h - i == 7) smooth_group(a, h, count, in, step, 7, out, out_step);
    if (h - i == 6) smooth_group(a, h, count, in, step, 6, out, out_step);
    if (h - i == 5) smooth_group(a, h, count, in, step, 5, out, out_step);
    if (h - i == 4) smooth_group(a, h, count, in, step, 4, out, out_step);
    if (h - i == 3) smooth_group(a, h, count, in, step, 3, out, out_step);
    if (h - i == 2) smooth_group(a, h, count, in, step, 2, out, out_step);
    if (h - i == 1) smooth_group(a, h, count, in, step, 1, out, out_step);
}

/* The second side of A U A': from [count][h][8] to eight channels of the result. */
KERNEL void smooth_rows(const sot_scattering *s, const float *a, size_t count,
                        const float *smoothed, float *out)
{
    const size_t h = s->out_side, channels = SOT_SCATTERING_CHANNELS * s->planes;
    for (size_t i = 0; i < h; i++)
        smooth(a, h, count, smoothed + i * LANES, h * LANES, out + i * h * channels,
               channels);
}

/* ---- the image ---- */

static size_t reflected(size_t i, size_t side)
{
    if (i < SOT_SCATTERING_MARGIN) return SOT_SCATTERING_MARGIN - i;
    i -= SOT_SCATTERING_MARGIN;
    return i < side ? i : 2 * (side - 1) - i;
}

/* Twice the padded plane, eight rows side by side: [row / 8][column] points. Lanes of no row are zero. */
KERNEL void lay_out(const sot_scattering *s, const float *image, size_t plane, float *out)
{
    const size_t padded = s->padded, groups = (padded + LANES - 1) / LANES;
    const point zero = {lanes_of(0.0F), lanes_of(0.0F)};
    for (size_t i = 0; i < groups * padded; i++)
        point_put(out + i * POINT, zero);
    for (size_t row = 0; row < padded; row++) {
        const float *from = image + reflected(row, s->side) * s->side * s->planes + plane;
        float *to = out + row / LANES * padded * POINT + row % LANES;
        for (size_t column = 0; column < padded; column++)
            to[column * POINT] = 2.0F * from[reflected(column, s->side) * s->planes];
    }
}

/* S0 from the layout above. */
KERNEL void smooth_image(const sot_scattering *s, const float *laid, float *smoothed,
                         float *out)
{
    const size_t padded = s->padded, h = s->out_side;
    const size_t groups = (padded + LANES - 1) / LANES;
    const size_t channels = SOT_SCATTERING_CHANNELS * s->planes;
    for (size_t g = 0; g < groups; g++)
        smooth(s->smooth_first, h, padded, laid + g * padded * POINT, POINT,
               smoothed + g * h * LANES, LANES);
    for (size_t j = 0; j < h; j++) {
        float sums[SOT_SCATTERING_SIDE_MAX / 4] = {0.0F};
        for (size_t row = 0; row < padded; row++) {
            const float x = smoothed[(row / LANES * h + j) * LANES + row % LANES];
            for (size_t i = 0; i < h; i++)
                sums[i] = fmaf(s->smooth_first[row * h + i], x, sums[i]);
        }
        for (size_t i = 0; i < h; i++)
            out[(i * h + j) * channels] = 0.5F * sums[i];
    }
}

/* Twice the spectrum of the image: rows in lanes, then frequencies in lanes. `laid` is used up; `other` is as large. */
KERNEL void transform_image(const sot_scattering *s, float *laid, float *other,
                            float *spectrum)
{
    const size_t padded = s->padded, groups = (padded + LANES - 1) / LANES;
    const size_t sheet = padded * POINT;
    for (int side = 0; side < 2; side++) {
        for (size_t g = 0; g < groups; g++) {
            float *from = laid + g * sheet, *to = other + g * sheet;
            dft_points(&s->whole,
                       &(road){from, from + LANES, POINT, to, to + LANES, POINT});
        }
        for (size_t i = 0; i < padded; i++) { /* i stands in lanes, j along the sheet */
            const float *from = other + i / LANES * sheet + i % LANES;
            for (size_t j = 0; j < padded; j++, from += POINT) {
                float *to = side == 0 ? laid + j / LANES * sheet + i * POINT + j % LANES
                                      : spectrum + (j * padded + i) * 2;
                to[0] = from[0];
                to[side == 0 ? LANES : 1] = from[LANES];
            }
        }
    }
}

/* ---- the first wavelets: |x * psi_{0,t}|, t in lanes ---- */

/* Leaves the moduli column by column, and their smoothing in the result. */
KERNEL void first_wavelets(const sot_scattering *s, const sot_scattering_places *at,
                           float *scratch, float *out)
{
    const size_t padded = s->padded, h = s->out_side;
    float *waves = scratch + at->waves, *line = scratch + at->line;
    for (size_t row = 0; row < padded; row++) {
        const float *f = scratch + at->spectrum + row * padded * 2;
        const float *psi = s->psi_first + row * padded * LANES;
        for (size_t k = 0; k < padded; k++) {
            const lanes filter = lanes_load(psi + k * LANES);
            point_put(line + k * POINT,
                      (point){lanes_mul(lanes_of(f[2 * k]), filter),
                              lanes_mul(lanes_of(f[2 * k + 1]), filter)});
        }
        float *to = waves + row * padded * POINT;
        dft_points(&s->whole, &(road){line + LANES, line, POINT, to + LANES, to, POINT});
    }
    for (size_t column = 0; column < padded; column++) {
        const float *from = waves + column * POINT;
        float *moduli = scratch + at->moduli + column * padded * LANES;
        dft_moduli(&s->whole,
                   &(road){from + LANES, from, padded * POINT, moduli, NULL, LANES});
        smooth(s->smooth_first, h, padded, moduli, LANES,
               scratch + at->smoothed + column * h * LANES, LANES);
    }
    smooth_rows(s, s->smooth_first, padded, scratch + at->smoothed, out);
}

/* ---- the second wavelets ---- */

/* Computes one row of down_2(spectrum * psi_{1,t2}), t2 in lanes. `first` and `second` are rows k
 * and M - k of the spectrum of a real signal. Rows k + M come from the second: F(k + M, l) = conj
 * F(M - k, -l). Its numbers are `step` floats apart, the imaginary part `imaginary` after the
 * real one. */
INLINE void fold_row(const float *psi, size_t half, const float *first,
                     const float *second, size_t step, size_t imaginary, float *out)
{
    for (size_t k = 0; k < half; k++, psi += 4 * LANES, out += POINT) {
        const float *f0 = first + k * step, *f1 = first + (k + half) * step;
        const float *g0 = second + (k == 0 ? 0 : 2 * half - k) * step;
        const float *g1 = second + (half - k) * step;
        const lanes p0 = lanes_load(psi), p1 = lanes_load(psi + LANES);
        const lanes p2 = lanes_load(psi + 2 * LANES), p3 = lanes_load(psi + 3 * LANES);
        lanes re = lanes_mul(lanes_of(f0[0]), p0);
        lanes im = lanes_mul(lanes_of(f0[imaginary]), p0);
        re = lanes_fma(lanes_of(f1[0]), p1, re);
        im = lanes_fma(lanes_of(f1[imaginary]), p1, im);
        re = lanes_fma(lanes_of(g0[0]), p2, re);
        im = lanes_fnma(lanes_of(g0[imaginary]), p2, im);
        re = lanes_fma(lanes_of(g1[0]), p3, re);
        im = lanes_fnma(lanes_of(g1[imaginary]), p3, im);
        point_put(out, (point){re, im});
    }
}

/* From [M][M] points, transformed back along rows, to the smoothed moduli: eight channels of the result. */
KERNEL void finish(const sot_scattering *s, const sot_scattering_places *at,
                   const float *waves, float *scratch, float *out)
{
    const size_t half = s->half, h = s->out_side;
    float *column = scratch + at->column, *smoothed = scratch + at->smoothed;
    for (size_t k = 0; k < half; k++) {
        const float *from = waves + k * POINT;
        dft_moduli(&s->halved,
                   &(road){from + LANES, from, half * POINT, column, NULL, LANES});
        smooth(s->smooth_second, h, half, column, LANES, smoothed + k * h * LANES, LANES);
    }
    smooth_rows(s, s->smooth_second, half, smoothed, out);
}

/* |x * psi_{1,t}|, t in lanes. */
KERNEL void coarse_wavelets(const sot_scattering *s, const sot_scattering_places *at,
                            float *scratch, float *out)
{
    const size_t padded = s->padded, half = s->half;
    const float *spectrum = scratch + at->spectrum;
    float *folded = scratch + at->folded, *waves = scratch + at->waves;
    for (size_t row = 0; row < half; row++) {
        fold_row(s->psi_second + row * half * 4 * LANES, half,
                 spectrum + row * padded * 2, spectrum + (half - row) * padded * 2, 2, 1,
                 folded);
        float *to = waves + row * half * POINT;
        dft_points(&s->halved,
                   &(road){folded + LANES, folded, POINT, to + LANES, to, POINT});
    }
    finish(s, at, waves, scratch, out);
}

/* Transforms the moduli along columns, two columns at a time as real and imaginary part, and
 * separates them. With Z the transform of u + i v, `2 U_k = Z_k + conj Z_{-k}` and
 * `2 V_k = -i (Z_k - conj Z_{-k})`. Rows 0..M are enough. t1 in lanes. */
KERNEL void transform_columns(const sot_scattering *s, const float *moduli, float *line,
                              float *lines)
{
    const size_t padded = s->padded, half = s->half;
    for (size_t column = 0; column < padded; column += 2) {
        const float *u = moduli + column * padded * LANES;
        dft_points(&s->whole,
                   &(road){u, u + padded * LANES, LANES, line, line + LANES, POINT});
        for (size_t k = 0; k <= half; k++) {
            const point z = point_at(line + k * POINT);
            const point w = point_at(line + (k == 0 ? 0 : padded - k) * POINT);
            float *to = lines + (k * padded + column) * POINT;
            point_put(to, (point){lanes_add(z.re, w.re), lanes_sub(z.im, w.im)});
            point_put(to + POINT, (point){lanes_add(z.im, w.im), lanes_sub(w.re, z.re)});
        }
    }
}

/* Row `row` of the folded products for all t1, transformed back along the row. */
KERNEL void fold_rows(const sot_scattering *s, size_t row, const float *first,
                      const float *second, float *folded, float *waves)
{
    const size_t half = s->half;
    const float *psi = s->psi_second + row * half * 4 * LANES;
    for (size_t t = 0; t < LANES; t++)
        fold_row(psi, half, first + t, second + t, POINT, LANES,
                 folded + t * half * POINT);
    for (size_t t = 0; t < LANES; t++) {
        const float *from = folded + t * half * POINT;
        float *to = waves + (t * half + row) * half * POINT;
        dft_points(&s->halved, &(road){from + LANES, from, POINT, to + LANES, to, POINT});
    }
}

/* ||x * psi_{0,t1}| * psi_{1,t2}| for all t1 and t2, from the moduli. */
KERNEL void second_wavelets(const sot_scattering *s, const sot_scattering_places *at,
                            float *scratch, float *out)
{
    const size_t padded = s->padded, half = s->half;
    float *lines = scratch + at->lines, *folded = scratch + at->folded;
    float *waves = scratch + at->waves;
    float *one = scratch + at->line, *two = one + padded * POINT;
    transform_columns(s, scratch + at->moduli, one, lines);
    for (size_t row = 0; row <= half / 2; row++) {
        const float *from = lines + row * padded * POINT;
        const float *mirror = lines + (half - row) * padded * POINT;
        dft_points(&s->whole,
                   &(road){from, from + LANES, POINT, one, one + LANES, POINT});
        dft_points(&s->whole,
                   &(road){mirror, mirror + LANES, POINT, two, two + LANES, POINT});
        fold_rows(s, row, one, two, folded, waves);
        if (row != 0 && row != half / 2)
            fold_rows(s, half - row, two, one, folded, waves);
    }
    for (size_t t = 0; t < LANES; t++)
        finish(s, at, waves + t * half * half * POINT, scratch, out + t * LANES);
}

KERNEL void apply(const sot_scattering *s, const float *image, size_t plane, float *out,
                  float *scratch)
{
    const sot_scattering_places at = sot_scattering_places_of(s);
    const size_t groups = (s->padded + LANES - 1) / LANES;
    float *laid = scratch + at.waves, *other = laid + groups * s->padded * POINT;
    float *channels = out + plane * SOT_SCATTERING_CHANNELS;
    lay_out(s, image, plane, laid);
    smooth_image(s, laid, scratch + at.smoothed, channels);
    transform_image(s, laid, other, scratch + at.spectrum);
    coarse_wavelets(s, &at, scratch, channels + 9);
    first_wavelets(s, &at, scratch, channels + 1);
    second_wavelets(s, &at, scratch, channels + 17);
}

#endif
