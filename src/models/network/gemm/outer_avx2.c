/* Gradients of weights: sums of outer products. */
#include "models/network/gemm/avx2.h"

#include "base/unroll.h"

#if SOT_HAVE_AVX2

enum { TILE_UNITS = 6 };

/* Up to eight columns that stand together in all rows: where, and where they go. */
typedef struct half {
    size_t offset, column, width;
    __m256i mask;
} half;

INLINE half half_of(const sot_gemm_rows *rows, size_t number)
{
    const size_t of_segment = (rows->length + 7) / 8;
    const size_t segment = number / of_segment;
    if (segment >=
        rows->segments) { /* beyond the last: nothing, read where something is */
        return (half){.offset = rows->offset, .mask = _mm256_setzero_si256()};
    }
    const size_t k = number % of_segment * 8;
    const size_t width = rows->length - k < 8 ? rows->length - k : 8;
    return (half){.offset = rows->offset + segment * rows->pitch + k,
                  .column = segment * rows->length + k,
                  .width = width,
                  .mask = first_lanes(width)};
}

typedef struct panel {
    half left, right;
    bool all; /* sixteen */
} panel;

INLINE void begin(const float *from, const panel *p, __m256 *left, __m256 *right)
{
    *left = _mm256_maskload_ps(from + p->left.column, p->left.mask);
    *right = _mm256_maskload_ps(from + p->right.column, p->right.mask);
}

/* Stores with a mask are slow: only where they must be. */
INLINE void store_half(float *to, const half *h, __m256 values)
{
    if (h->width == 8)
        _mm256_storeu_ps(to + h->column, values);
    else if (h->width > 0)
        _mm256_maskstore_ps(to + h->column, h->mask, values);
}

INLINE void finish(float *to, const panel *p, __m256 left, __m256 right)
{
    store_half(to, &p->left, left);
    store_half(to, &p->right, right);
}

/* Where a tile's columns come from. */
typedef enum source {
    WHOLE,  /* rows, sixteen columns; copied to `kept` on the way */
    PARTS,  /* the same with fewer columns: zeros in the copy */
    COPIED, /* `kept` */
} source;

typedef struct outer_scene {
    const float *delta;
    size_t delta_stride;
    const sot_gemm_rows *rows;
    panel panel;
    bool add;
    float *out;
    size_t out_stride;
    float *kept; /* [rows][SOT_PANEL]: near each other, wherever the rows are */
} outer_scene;

/* Loads sixteen columns of row i. Prefetches the last of the next sixteen, because rows may be
 * far apart; the first may be in the same cache line as these. */
INLINE void load_row(source from, const outer_scene *scene, size_t i, __m256 *left,
                     __m256 *right)
{
    float *kept = scene->kept + i * SOT_PANEL;
    const panel *p = &scene->panel;
    if (from == COPIED) {
        *left = _mm256_loadu_ps(kept);
        *right = _mm256_loadu_ps(kept + 8);
        return;
    }
    const float *x = scene->rows->at[i];
    _mm_prefetch((const char *)(x + p->left.offset + 2 * SOT_PANEL - 1), _MM_HINT_T0);
    *left = from == WHOLE ? _mm256_loadu_ps(x + p->left.offset)
                          : _mm256_maskload_ps(x + p->left.offset, p->left.mask);
    *right = from == WHOLE ? _mm256_loadu_ps(x + p->right.offset)
                           : _mm256_maskload_ps(x + p->right.offset, p->right.mask);
    _mm256_storeu_ps(kept, *left);
    _mm256_storeu_ps(kept + 8, *right);
}

/* Up to six units by sixteen columns; the rows go by. `group` and `from` are constants wherever this is
 * inlined. */
INLINE void outer_tile(size_t group, source from, const outer_scene *scene, size_t unit)
{
    const panel *p = &scene->panel;
    const float *delta = scene->delta + unit;
    const size_t out_stride = scene->out_stride;
    float *out = scene->out + unit * out_stride;
    __m256 l0 = _mm256_setzero_ps(), l1 = l0, l2 = l0, l3 = l0, l4 = l0, l5 = l0;
    __m256 r0 = l0, r1 = l0, r2 = l0, r3 = l0, r4 = l0, r5 = l0;
    if (scene->add) {
#define BEGIN(n) begin(out + n * out_stride, p, &l##n, &r##n);
        SOT_UP_TO_6(group, BEGIN)
    }
    for (size_t i = 0; i < scene->rows->count; i++, delta += scene->delta_stride) {
        __m256 left, right;
        load_row(from, scene, i, &left, &right);
#define ADD(n)                                                                           \
    {                                                                                    \
        const __m256 d = _mm256_broadcast_ss(delta + n);                                 \
        l##n = _mm256_fmadd_ps(d, left, l##n);                                           \
        r##n = _mm256_fmadd_ps(d, right, r##n);                                          \
    }
        SOT_UP_TO_6(group, ADD)
    }
#define FINISH(n) finish(out + n * out_stride, p, l##n, r##n);
    SOT_UP_TO_6(group, FINISH)
}

INLINE void outer_group(size_t group, source from, const outer_scene *scene, size_t unit)
{
#define TILE(n) outer_tile(n, from, scene, unit);
    SOT_ONE_OF_6(group, TILE)
}

AVX2 void sot_avx2_outer(const float *delta, size_t delta_stride, size_t units,
                         const sot_gemm_rows *rows, bool add, float *out,
                         size_t out_stride)
{
    _Alignas(64) float kept[SOT_ROWS_MOST * SOT_PANEL];
    outer_scene scene = {.delta = delta,
                         .delta_stride = delta_stride,
                         .rows = rows,
                         .add = add,
                         .out = out,
                         .out_stride = out_stride,
                         .kept = kept};
    const size_t halves = rows->segments * ((rows->length + 7) / 8);
    for (size_t h = 0; h < halves; h += 2) {
        const panel p = {.left = half_of(rows, h), .right = half_of(rows, h + 1)};
        scene.panel = p;
        scene.panel.all = p.left.width == 8 && p.right.width == 8;
        size_t u = sot_gemm_block(units, TILE_UNITS);
        if (scene.panel.all)
            outer_group(u, WHOLE, &scene, 0);
        else
            outer_group(u, PARTS, &scene, 0);
        while (u < units) {
            const size_t group = sot_gemm_block(units - u, TILE_UNITS);
            outer_group(group, COPIED, &scene, u);
            u += group;
        }
    }
}

AVX2 void sot_avx2_sums(const float *delta, size_t units, size_t count, bool add,
                        float *out)
{
    for (size_t u = 0; u < units; u += 8) {
        const __m256i mask = first_lanes(units - u);
        __m256 sum = add ? _mm256_maskload_ps(out + u, mask) : _mm256_setzero_ps();
        for (size_t i = 0; i < count; i++)
            sum = _mm256_add_ps(sum, _mm256_maskload_ps(delta + i * units + u, mask));
        _mm256_maskstore_ps(out + u, mask, sum);
    }
}

#endif
