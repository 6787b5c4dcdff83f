/* models/network/scattering/dft.h: short Fourier transforms of points of eight lanes. A part of a
 * kernel, to be included only by models/network/scattering/kernel.h, for the lanes that are
 * defined there.
 *
 * All transforms are forward: X_k = sum_n x_n exp(-2 pi i n k / q). The inverse is the same one
 * with the real and imaginary parts exchanged, before and after. Fused operations are explicit,
 * so no compiler chooses them. */
#ifndef SOT_MODELS_NETWORK_SCATTERING_DFT_H
#define SOT_MODELS_NETWORK_SCATTERING_DFT_H

#include "models/network/scattering/parts.h"

enum { LANES = SOT_SCATTERING_LANES, POINT = SOT_SCATTERING_POINT };

typedef struct point {
    lanes re, im;
} point;

/* Where a transform takes its numbers and where it puts them; steps are in floats. */
typedef struct road {
    const float *re, *im;
    size_t step;
    float *out_re, *out_im;
    size_t out_step;
} road;

INLINE point point_at(const float *x)
{
    return (point){lanes_load(x), lanes_load(x + LANES)};
}

INLINE void point_put(float *out, point x)
{
    lanes_store(out, x.re);
    lanes_store(out + LANES, x.im);
}

INLINE point plus(point x, point y)
{
    return (point){lanes_add(x.re, y.re), lanes_add(x.im, y.im)};
}

INLINE point minus(point x, point y)
{
    return (point){lanes_sub(x.re, y.re), lanes_sub(x.im, y.im)};
}

INLINE point plus_i(point x, point y) /* x + i y */
{
    return (point){lanes_sub(x.re, y.im), lanes_add(x.im, y.re)};
}

INLINE point minus_i(point x, point y) /* x - i y */
{
    return (point){lanes_add(x.re, y.im), lanes_sub(x.im, y.re)};
}

INLINE point scaled(point x, lanes c)
{
    return (point){lanes_mul(x.re, c), lanes_mul(x.im, c)};
}

INLINE point plus_scaled(point x, point y, lanes c) /* x + c y */
{
    return (point){lanes_fma(c, y.re, x.re), lanes_fma(c, y.im, x.im)};
}

INLINE point minus_scaled(point x, point y, lanes c) /* x - c y */
{
    return (point){lanes_fnma(c, y.re, x.re), lanes_fnma(c, y.im, x.im)};
}

INLINE point plus_scaled_i(point x, point y, lanes c) /* x + i c y */
{
    return (point){lanes_fnma(c, y.im, x.re), lanes_fma(c, y.re, x.im)};
}

INLINE point minus_scaled_i(point x, point y, lanes c) /* x - i c y */
{
    return (point){lanes_fma(c, y.im, x.re), lanes_fnma(c, y.re, x.im)};
}

/* x exp(-i angle) */
INLINE point turned(point x, float cosine, float sine)
{
    const lanes c = lanes_of(cosine), s = lanes_of(sine);
    return (point){lanes_fma(x.im, s, lanes_mul(x.re, c)),
                   lanes_fnma(x.re, s, lanes_mul(x.im, c))};
}

/* ---- lengths 2, 3, 4, 5, 8, 9, in place ---- */

INLINE void dft2(point *x)
{
    const point a = x[0], b = x[1];
    x[0] = plus(a, b);
    x[1] = minus(a, b);
}

INLINE void dft3(point *x0, point *x1, point *x2)
{
    const lanes s = lanes_of(0.866025403784438647F); /* sin(2 pi / 3) */
    const point sum = plus(*x1, *x2), difference = minus(*x1, *x2);
    const point middle = minus_scaled(*x0, sum, lanes_of(0.5F));
    *x0 = plus(*x0, sum);
    *x1 = minus_scaled_i(middle, difference, s);
    *x2 = plus_scaled_i(middle, difference, s);
}

INLINE void dft4(point *x)
{
    const point a = plus(x[0], x[2]), b = minus(x[0], x[2]);
    const point c = plus(x[1], x[3]), d = minus(x[1], x[3]);
    x[0] = plus(a, c);
    x[1] = minus_i(b, d);
    x[2] = minus(a, c);
    x[3] = plus_i(b, d);
}

INLINE void dft5(point *x)
{
    const lanes c1 = lanes_of(0.309016994374947424F),
                s1 = lanes_of(0.951056516295153572F);
    const lanes c2 = lanes_of(-0.809016994374947424F),
                s2 = lanes_of(0.587785252292473129F);
    const point a = plus(x[1], x[4]), b = minus(x[1], x[4]);
    const point c = plus(x[2], x[3]), d = minus(x[2], x[3]);
    const point even1 = plus_scaled(plus_scaled(x[0], a, c1), c, c2);
    const point even2 = plus_scaled(plus_scaled(x[0], a, c2), c, c1);
    const point odd1 = plus_scaled(scaled(b, s1), d, s2);
    const point odd2 = minus_scaled(scaled(b, s2), d, s1);
    x[0] = plus(x[0], plus(a, c));
    x[1] = minus_i(even1, odd1);
    x[2] = minus_i(even2, odd2);
    x[3] = plus_i(even2, odd2);
    x[4] = plus_i(even1, odd1);
}

INLINE void dft8(point *x)
{
    const lanes r = lanes_of(0.707106781186547524F);
    point even[4] = {x[0], x[2], x[4], x[6]};
    point odd[4] = {x[1], x[3], x[5], x[7]};
    dft4(even);
    dft4(odd);
    /* exp(-i pi/4) z = (z - i z) / sqrt 2 and exp(-3 i pi/4) z = -(z + i z) / sqrt 2 */
    const point first = minus_i(odd[1], odd[1]), third = plus_i(odd[3], odd[3]);
    x[0] = plus(even[0], odd[0]);
    x[1] = plus_scaled(even[1], first, r);
    x[2] = minus_i(even[2], odd[2]);
    x[3] = minus_scaled(even[3], third, r);
    x[4] = minus(even[0], odd[0]);
    x[5] = minus_scaled(even[1], first, r);
    x[6] = plus_i(even[2], odd[2]);
    x[7] = plus_scaled(even[3], third, r);
}

/* 3 x 3, with the factors exp(-2 pi i n k / 9) in between. Leaves X_{k + 3l} at place 3k + l. */
INLINE void dft9(point *x)
{
    dft3(&x[0], &x[3], &x[6]);
    dft3(&x[1], &x[4], &x[7]);
    dft3(&x[2], &x[5], &x[8]);
    x[4] = turned(x[4], 0.766044443118978035F, 0.642787609686539327F);
    x[7] = turned(x[7], 0.173648177666930349F, 0.984807753012208059F);
    x[5] = turned(x[5], 0.173648177666930349F, 0.984807753012208059F);
    x[8] = turned(x[8], -0.939692620785908384F, 0.342020143325668733F);
    dft3(&x[0], &x[1], &x[2]);
    dft3(&x[3], &x[4], &x[5]);
    dft3(&x[6], &x[7], &x[8]);
}

/* Any odd length, by sums and differences of x_n and x_{q-n}: (q - 1)^2 fused operations. `in` and `out` are points,
 * one after another. */
KERNEL void dft_direct(size_t q, const float *cosines, const float *sines,
                       const float *in, float *out)
{
    for (size_t k = 0; k <= q / 2; k++) {
        point even = point_at(in);
        point odd = {lanes_of(0.0F), lanes_of(0.0F)};
        for (size_t n = 1, angle = k; n <= q / 2; n++, angle = (angle + k) % q) {
            const point x = point_at(in + n * POINT), y = point_at(in + (q - n) * POINT);
            even = plus_scaled(even, plus(x, y), lanes_of(cosines[angle]));
            odd = plus_scaled(odd, minus(x, y), lanes_of(sines[angle]));
        }
        point_put(out + k * POINT, minus_i(even, odd));
        if (k != 0) point_put(out + (q - k) * POINT, plus_i(even, odd));
    }
}

/* Powers of two from 8 on: even and odd places, then X_k = E_k + w^k O_k. `in` has `step` floats from point to point;
 * the tables have `turn` places for the angle 2 pi / q. */
KERNEL void dft_power(size_t q, const float *cosines, const float *sines, size_t turn,
                      const float *in, size_t step, float *out)
{
    if (q == 8) {
        point x[8];
        UNROLLED
        for (size_t n = 0; n < 8; n++)
            x[n] = point_at(in + n * step);
        dft8(x);
        UNROLLED
        for (size_t k = 0; k < 8; k++)
            point_put(out + k * POINT, x[k]);
        return;
    }
    float *upper = out + q / 2 * POINT;
    dft_power(q / 2, cosines, sines, 2 * turn, in, 2 * step, out);
    dft_power(q / 2, cosines, sines, 2 * turn, in + step, 2 * step, upper);
    for (size_t k = 0; k < q / 2; k++) {
        const point even = point_at(out + k * POINT);
        const point odd =
            turned(point_at(upper + k * POINT), cosines[k * turn], sines[k * turn]);
        point_put(out + k * POINT, plus(even, odd));
        point_put(upper + k * POINT, minus(even, odd));
    }
}

/* ---- whole transforms ---- */

INLINE void road_put(const road *r, size_t k, point x, bool modulus)
{
    if (modulus) {
        lanes_store(r->out_re + k * r->out_step,
                    lanes_root(lanes_fma(x.re, x.re, lanes_mul(x.im, x.im))));
        return;
    }
    lanes_store(r->out_re + k * r->out_step, x.re);
    lanes_store(r->out_im + k * r->out_step, x.im);
}

/* even = 2, 4 or 8, odd = 5 or 9, known where this is inlined. With `modulus` |X_k| goes to out_re. */
INLINE void dft_fixed(const sot_scattering_dft *dft, size_t even, size_t odd, road r,
                      bool modulus)
{
    _Alignas(SOT_SCATTERING_POINT * sizeof(float)) float between[8 * 9 * POINT];
    for (size_t b = 0; b < odd; b++) {
        point x[8];
        UNROLLED
        for (size_t a = 0; a < even; a++) {
            const size_t at = dft->from[b * even + a] * r.step;
            x[a] = (point){lanes_load(r.re + at), lanes_load(r.im + at)};
        }
        if (even == 2) dft2(x);
        if (even == 4) dft4(x);
        if (even == 8) dft8(x);
        UNROLLED
        for (size_t k = 0; k < even; k++)
            point_put(between + (k * odd + b) * POINT, x[k]);
    }
    for (size_t k1 = 0; k1 < even; k1++) {
        point x[9];
        UNROLLED
        for (size_t b = 0; b < odd; b++)
            x[b] = point_at(between + (k1 * odd + b) * POINT);
        if (odd == 5) dft5(x);
        if (odd == 9) dft9(x);
        UNROLLED
        for (size_t k2 = 0; k2 < odd; k2++) {
            const size_t place = odd == 9 ? k2 % 3 * 3 + k2 / 3 : k2;
            road_put(&r, dft->to[k1 * odd + k2], x[place], modulus);
        }
    }
}

/* One of the two factors: a power of two, or an odd number. */
KERNEL void dft_part(size_t q, const float *cosines, const float *sines, const float *in,
                     float *out)
{
    if (q % 8 == 0) {
        dft_power(q, cosines, sines, 1, in, POINT, out);
        return;
    }
    if (q != 2 && q != 4 && q != 5 && q != 9) {
        dft_direct(q, cosines, sines, in, out);
        return;
    }
    point x[9];
    for (size_t n = 0; n < q; n++)
        x[n] = point_at(in + n * POINT);
    if (q == 2) dft2(x);
    if (q == 4) dft4(x);
    if (q == 5) dft5(x);
    if (q == 9) dft9(x);
    for (size_t k = 0; k < q; k++)
        point_put(out + k * POINT, x[q == 9 ? k % 3 * 3 + k / 3 : k]);
}

KERNEL void dft_any(const sot_scattering_dft *dft, road r, bool modulus)
{
    enum { ROOM = SOT_SCATTERING_LENGTH_MAX * POINT };
    _Alignas(SOT_SCATTERING_POINT * sizeof(float)) float between[ROOM], in[ROOM],
        out[ROOM];
    const size_t even = dft->even, odd = dft->odd;
    for (size_t b = 0; b < odd; b++) {
        for (size_t a = 0; a < even; a++) {
            const size_t at = dft->from[b * even + a] * r.step;
            point_put(in + a * POINT,
                      (point){lanes_load(r.re + at), lanes_load(r.im + at)});
        }
        dft_part(even, dft->even_cos, dft->even_sin, in, out);
        for (size_t k = 0; k < even; k++)
            point_put(between + (k * odd + b) * POINT, point_at(out + k * POINT));
    }
    for (size_t k1 = 0; k1 < even; k1++) {
        dft_part(odd, dft->odd_cos, dft->odd_sin, between + k1 * odd * POINT, out);
        for (size_t k2 = 0; k2 < odd; k2++)
            road_put(&r, dft->to[k1 * odd + k2], point_at(out + k2 * POINT), modulus);
    }
}

/* The lengths of images of 28 and 32 pixels, and of halves of 64, are written out. */
INLINE void dft_choose(const sot_scattering_dft *dft, road r, bool modulus)
{
    if (dft->length == 36)
        dft_fixed(dft, 4, 9, r, modulus);
    else if (dft->length == 18)
        dft_fixed(dft, 2, 9, r, modulus);
    else if (dft->length == 40)
        dft_fixed(dft, 8, 5, r, modulus);
    else if (dft->length == 20)
        dft_fixed(dft, 4, 5, r, modulus);
    else
        dft_any(dft, r, modulus);
}

KERNEL void dft_points(const sot_scattering_dft *dft, const road *r)
{
    dft_choose(dft, *r, false);
}

/* |X_k| to out_re: 8 floats a number. */
KERNEL void dft_moduli(const sot_scattering_dft *dft, const road *r)
{
    dft_choose(dft, *r, true);
}

#endif
