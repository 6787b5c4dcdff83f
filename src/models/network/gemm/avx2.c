/* Products of rows with panels, and of rows with few units. */
#include "models/network/gemm/avx2.h"

#include "base/unroll.h"

#if SOT_HAVE_AVX2

enum { TILE_ROWS = 6, DOT_UNITS = 5 };

/* ---- panels ---- */

/* The columns of a panel that are wanted: sixteen, or fewer. */
typedef struct lanes {
    __m256i left, right;
    size_t columns;
} lanes;

/* Loads and stores with a mask are slow: only where they must be. */
INLINE __m256 load_half(const float *from, __m256i mask, bool all)
{
    return all ? _mm256_loadu_ps(from) : _mm256_maskload_ps(from, mask);
}

INLINE void begin(const sot_gemm_target *target, size_t row, const lanes *wanted,
                  __m256 *left, __m256 *right)
{
    *left = *right = _mm256_setzero_ps();
    if (target->start == NULL) return;
    const float *from = target->start + row * target->start_stride;
    *left = load_half(from, wanted->left, wanted->columns >= 8);
    if (wanted->columns > 8)
        *right = load_half(from + 8, wanted->right, wanted->columns == 16);
}

INLINE void finish(const sot_gemm_target *target, size_t row, const lanes *wanted,
                   __m256 left, __m256 right)
{
    float *to = target->out + row * target->stride;
    if (wanted->columns >= 8)
        _mm256_storeu_ps(to, left);
    else
        _mm256_maskstore_ps(to, wanted->left, left);
    if (wanted->columns == 16)
        _mm256_storeu_ps(to + 8, right);
    else if (wanted->columns > 8)
        _mm256_maskstore_ps(to + 8, wanted->right, right);
}

/* Up to six rows by a panel; `height` is a constant wherever this is inlined. Written out: arrays of
 * registers would be kept in memory. */
INLINE void tile(size_t height, const sot_gemm_rows *rows, size_t first,
                 const float *panel, const lanes *wanted, const sot_gemm_target *target)
{
    const float *const *at = rows->at + first;
    const float *x0 = at[0] + rows->offset;
    const float *x1 = height > 1 ? at[1] + rows->offset : x0;
    const float *x2 = height > 2 ? at[2] + rows->offset : x0;
    const float *x3 = height > 3 ? at[3] + rows->offset : x0;
    const float *x4 = height > 4 ? at[4] + rows->offset : x0;
    const float *x5 = height > 5 ? at[5] + rows->offset : x0;
    __m256 l0, l1, l2, l3, l4, l5, r0, r1, r2, r3, r4, r5;
#define BEGIN(n) begin(target, first + n, wanted, &l##n, &r##n);
    SOT_UP_TO_6(height, BEGIN)
    for (size_t s = 0; s < rows->segments; s++) {
        for (size_t k = 0; k < rows->length; k++, panel += SOT_PANEL) {
            const __m256 left = _mm256_loadu_ps(panel);
            const __m256 right = _mm256_loadu_ps(panel + 8);
#define ADD(n)                                                                           \
    {                                                                                    \
        const __m256 x = _mm256_broadcast_ss(x##n + k);                                  \
        l##n = _mm256_fmadd_ps(x, left, l##n);                                           \
        r##n = _mm256_fmadd_ps(x, right, r##n);                                          \
    }
            SOT_UP_TO_6(height, ADD)
        }
        x0 += rows->pitch, x1 += rows->pitch, x2 += rows->pitch;
        x3 += rows->pitch, x4 += rows->pitch, x5 += rows->pitch;
    }
#define FINISH(n) finish(target, first + n, wanted, l##n, r##n);
    SOT_UP_TO_6(height, FINISH)
}

AVX2 void sot_avx2_panel(const sot_gemm_rows *rows, const float *panel, size_t columns,
                         const sot_gemm_target *target)
{
    const lanes wanted = {.left = first_lanes(columns),
                          .right = first_lanes(columns > 8 ? columns - 8 : 0),
                          .columns = columns};
    for (size_t i = 0; i < rows->count;) {
        const size_t height = sot_gemm_block(rows->count - i, TILE_ROWS);
#define TILE(n) tile(n, rows, i, panel, &wanted, target);
        SOT_ONE_OF_6(height, TILE)
        i += height;
    }
}

/* ---- packing ---- */

/* Eight rows of eight, turned. */
INLINE void turn_eight(const float *from, size_t stride, float *to)
{
    const __m256 a0 = _mm256_loadu_ps(from), a1 = _mm256_loadu_ps(from + stride);
    const __m256 a2 = _mm256_loadu_ps(from + 2 * stride),
                 a3 = _mm256_loadu_ps(from + 3 * stride);
    const __m256 a4 = _mm256_loadu_ps(from + 4 * stride),
                 a5 = _mm256_loadu_ps(from + 5 * stride);
    const __m256 a6 = _mm256_loadu_ps(from + 6 * stride),
                 a7 = _mm256_loadu_ps(from + 7 * stride);
    const __m256 b0 = _mm256_unpacklo_ps(a0, a1), b1 = _mm256_unpackhi_ps(a0, a1);
    const __m256 b2 = _mm256_unpacklo_ps(a2, a3), b3 = _mm256_unpackhi_ps(a2, a3);
    const __m256 b4 = _mm256_unpacklo_ps(a4, a5), b5 = _mm256_unpackhi_ps(a4, a5);
    const __m256 b6 = _mm256_unpacklo_ps(a6, a7), b7 = _mm256_unpackhi_ps(a6, a7);
    const __m256 c0 = _mm256_shuffle_ps(b0, b2, 0x44),
                 c1 = _mm256_shuffle_ps(b0, b2, 0xEE);
    const __m256 c2 = _mm256_shuffle_ps(b1, b3, 0x44),
                 c3 = _mm256_shuffle_ps(b1, b3, 0xEE);
    const __m256 c4 = _mm256_shuffle_ps(b4, b6, 0x44),
                 c5 = _mm256_shuffle_ps(b4, b6, 0xEE);
    const __m256 c6 = _mm256_shuffle_ps(b5, b7, 0x44),
                 c7 = _mm256_shuffle_ps(b5, b7, 0xEE);
    _mm256_storeu_ps(to, _mm256_permute2f128_ps(c0, c4, 0x20));
    _mm256_storeu_ps(to + SOT_PANEL, _mm256_permute2f128_ps(c1, c5, 0x20));
    _mm256_storeu_ps(to + 2 * SOT_PANEL, _mm256_permute2f128_ps(c2, c6, 0x20));
    _mm256_storeu_ps(to + 3 * SOT_PANEL, _mm256_permute2f128_ps(c3, c7, 0x20));
    _mm256_storeu_ps(to + 4 * SOT_PANEL, _mm256_permute2f128_ps(c0, c4, 0x31));
    _mm256_storeu_ps(to + 5 * SOT_PANEL, _mm256_permute2f128_ps(c1, c5, 0x31));
    _mm256_storeu_ps(to + 6 * SOT_PANEL, _mm256_permute2f128_ps(c2, c6, 0x31));
    _mm256_storeu_ps(to + 7 * SOT_PANEL, _mm256_permute2f128_ps(c3, c7, 0x31));
}

AVX2 void sot_avx2_pack(const float *from, size_t columns, size_t length, float *panels)
{
    const size_t eights = length / 8 * 8;
    for (size_t j = 0; j < columns; j += SOT_PANEL, panels += length * SOT_PANEL) {
        const float *block = from + j * length;
        size_t done = 0;
        for (; done < SOT_PANEL && j + done + 8 <= columns; done += 8) {
            for (size_t k = 0; k < eights; k += 8)
                turn_eight(block + done * length + k, length,
                           panels + k * SOT_PANEL + done);
        }
        for (size_t k = 0; k < length; k++) {
            for (size_t c = k < eights ? done : 0; c < SOT_PANEL; c++)
                panels[k * SOT_PANEL + c] =
                    j + c < columns ? block[c * length + k] : 0.0F;
        }
    }
}

/* ---- few units ---- */

INLINE float fold(__m256 eight)
{
    const __m128 four =
        _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

/* Sums of two rows by up to five units, eight columns at a time. */
typedef struct dot_sums {
    __m256 x0, x1, x2, x3, x4, y0, y1, y2, y3, y4;
} dot_sums;

/* A load that stays one: else it would be done again for the second product. */
INLINE __m256 load_once(const float *from)
{
    __m256 w = _mm256_loadu_ps(from);
    __asm__("" : "+x"(w));
    return w;
}

/* Eight columns of two rows; `group` is a constant wherever this is inlined. */
INLINE void dot_step(size_t group, __m256 a, __m256 b, const float *weights, dot_sums *s)
{
    __m256 w = load_once(weights);
    s->x0 = _mm256_fmadd_ps(a, w, s->x0);
    s->y0 = _mm256_fmadd_ps(b, w, s->y0);
    if (group > 1) {
        w = load_once(weights + SOT_LANES);
        s->x1 = _mm256_fmadd_ps(a, w, s->x1);
        s->y1 = _mm256_fmadd_ps(b, w, s->y1);
    }
    if (group > 2) {
        w = load_once(weights + 2 * SOT_LANES);
        s->x2 = _mm256_fmadd_ps(a, w, s->x2);
        s->y2 = _mm256_fmadd_ps(b, w, s->y2);
    }
    if (group > 3) {
        w = load_once(weights + 3 * SOT_LANES);
        s->x3 = _mm256_fmadd_ps(a, w, s->x3);
        s->y3 = _mm256_fmadd_ps(b, w, s->y3);
    }
    if (group > 4) {
        w = load_once(weights + 4 * SOT_LANES);
        s->x4 = _mm256_fmadd_ps(a, w, s->x4);
        s->y4 = _mm256_fmadd_ps(b, w, s->y4);
    }
}

/* Rows that are looked at, and those that are looked at next: they are asked for early, as they may be
 * anywhere in memory. */
typedef struct dot_rows {
    const float *x, *y, *next_x, *next_y;
} dot_rows;

/* Two rows by up to five units over some columns; `stride` is from eight columns to the next. */
INLINE void dot_tile(size_t group, bool ahead, const dot_rows *rows, size_t columns,
                     const float *weights, size_t stride, float *out_x, float *out_y)
{
    const float *x = rows->x, *y = rows->y;
    const __m256 zero = _mm256_setzero_ps();
    dot_sums s = {zero, zero, zero, zero, zero, zero, zero, zero, zero, zero};
    size_t j = 0;
    for (; j + 16 <= columns; j += 16, weights += 2 * stride) {
        if (ahead) { /* a line of the cache */
            _mm_prefetch((const char *)(rows->next_x + j), _MM_HINT_T1);
            _mm_prefetch((const char *)(rows->next_y + j), _MM_HINT_T1);
        }
        dot_step(group, _mm256_loadu_ps(x + j), _mm256_loadu_ps(y + j), weights, &s);
        dot_step(group, _mm256_loadu_ps(x + j + 8), _mm256_loadu_ps(y + j + 8),
                 weights + stride, &s);
    }
    for (; j < columns; j += 8, weights += stride) {
        const __m256i mask = first_lanes(columns - j);
        dot_step(group, _mm256_maskload_ps(x + j, mask), _mm256_maskload_ps(y + j, mask),
                 weights, &s);
    }
    out_x[0] += fold(s.x0), out_y[0] += fold(s.y0);
    if (group > 1) out_x[1] += fold(s.x1), out_y[1] += fold(s.y1);
    if (group > 2) out_x[2] += fold(s.x2), out_y[2] += fold(s.y2);
    if (group > 3) out_x[3] += fold(s.x3), out_y[3] += fold(s.y3);
    if (group > 4) out_x[4] += fold(s.x4), out_y[4] += fold(s.y4);
}

/* Some of the units over some columns, two rows. */
INLINE void dot_group(size_t group, bool ahead, const dot_rows *rows, size_t columns,
                      const float *weights, size_t stride, float *out_x, float *out_y)
{
    if (group == 5) dot_tile(5, ahead, rows, columns, weights, stride, out_x, out_y);
    if (group == 4) dot_tile(4, ahead, rows, columns, weights, stride, out_x, out_y);
    if (group == 3) dot_tile(3, ahead, rows, columns, weights, stride, out_x, out_y);
    if (group == 2) dot_tile(2, ahead, rows, columns, weights, stride, out_x, out_y);
    if (group == 1) dot_tile(1, ahead, rows, columns, weights, stride, out_x, out_y);
}

/* All units over some columns, two rows. */
INLINE void dot_pair(const dot_rows *rows, size_t columns, const float *weights,
                     size_t stride, size_t units, float *out_x, float *out_y)
{
    size_t u = sot_gemm_block(units, DOT_UNITS);
    dot_group(u, true, rows, columns, weights, stride, out_x, out_y);
    while (u < units) {
        const size_t group = sot_gemm_block(units - u, DOT_UNITS);
        dot_group(group, false, rows, columns, weights + u * SOT_LANES, stride, out_x + u,
                  out_y + u);
        u += group;
    }
}

AVX2 void sot_avx2_dots(const sot_gemm_rows *rows, const float *weights, size_t units,
                        const sot_gemm_target *target)
{
    const size_t stride = units * SOT_LANES;
    float unused[SOT_PANEL] = {0.0F};
    for (size_t i = 0; i < rows->count; i++) {
        float *to = target->out + i * target->stride;
        const float *start = target->start;
        for (size_t u = 0; u < units; u++)
            to[u] = start == NULL ? 0.0F : start[i * target->start_stride + u];
    }
    for (size_t k = 0; k < rows->length; k += SOT_DOT_COLUMNS) {
        const size_t left = rows->length - k;
        const size_t columns = left < SOT_DOT_COLUMNS ? left : SOT_DOT_COLUMNS;
        for (size_t i = 0; i < rows->count; i += 2) {
            const float *const *at = rows->at + i;
            const size_t offset = rows->offset + k, more = rows->count - i;
            const bool pair = more > 1;
            const dot_rows here = {.x = at[0] + offset,
                                   .y = at[pair ? 1 : 0] + offset,
                                   .next_x = at[more > 4 ? 4 : 0] + offset,
                                   .next_y = at[more > 5 ? 5 : 0] + offset};
            float *out_x = target->out + i * target->stride;
            float *out_y = pair ? out_x + target->stride : unused;
            dot_pair(&here, columns, weights + k * units, stride, units, out_x, out_y);
        }
    }
}

#endif
