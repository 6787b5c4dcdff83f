/* models/network/gemm/gemm.h: the few loops that take nearly all time of a network, one version
 * per kind of processor.
 *
 * Idea: the forward pass of a dense layer or a convolution, and the deltas of the backward pass,
 * are products of rows with a matrix. A row is a record's inputs, or the pixels under a kernel.
 * The matrix is the same for all rows, and is copied to panels once per step. Gradients of
 * weights are sums of products of a column of deltas with a row of inputs.
 *
 * Rows: a row is `segments` pieces of `length` floats, `pitch` apart: the pixels under a kernel
 * are one piece per kernel row, in place. Nothing is unfolded.
 *
 * Panels: SOT_PANEL columns each. Panel q holds [k][SOT_PANEL], zeros beyond the last column.
 *
 * Order: each output has one accumulator, to which products are added in the order of k, each
 * with one rounding (fused multiply-add). So its bits depend neither on the tile nor on the
 * processor: portable, AVX2 and AVX-512 agree bit by bit. The dot products of dots() have
 * SOT_LANES accumulators, added up in the same way everywhere.
 */
#ifndef SOT_MODELS_NETWORK_GEMM_GEMM_H
#define SOT_MODELS_NETWORK_GEMM_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SOT_PANEL = 16, /* columns of a panel */
    SOT_LANES = 8,  /* accumulators of a dot product */
    SOT_DOT_COLUMNS =
        512, /* of a dot product before they are folded: weights in the first cache */
    SOT_ROWS_MOST = 256 /* rows in one call */
};

/* The left side of a product: `count` rows. */
typedef struct sot_gemm_rows {
    const float *const *at;
    size_t count;
    size_t offset; /* of the first piece from at[i] */
    size_t segments, length, pitch;
} sot_gemm_rows;

/* The output of a product: row i at out + i stride. The initial value is `start`: NULL is zero; a
 * `start_stride` of 0 is one row for all, the biases; out itself adds. */
typedef struct sot_gemm_target {
    float *out;
    size_t stride;
    const float *start;
    size_t start_stride;
} sot_gemm_target;

typedef struct sot_gemm_kernels {
    const char *name;
    /* out_i[j] = start_i[j] + sum_s,k row_i[s pitch + k] panel[(s length + k) SOT_PANEL + j], for
     * j < columns <= SOT_PANEL. */
    void (*panel)(const sot_gemm_rows *rows, const float *panel, size_t columns,
                  const sot_gemm_target *target);
    /* out_i[j] = start_i[j] + row_i . weights_j: few units. Weights are
     * [length / SOT_LANES rounded up][units][SOT_LANES], zeros beyond the last. One segment. */
    void (*dots)(const sot_gemm_rows *rows, const float *weights, size_t units,
                 const sot_gemm_target *target);
    /* out_u[s length + k] (+)= sum_i delta[i delta_stride + u] row_i[s pitch + k], for u < units;
     * `add`: to the current values. */
    void (*outer)(const float *delta, size_t delta_stride, size_t units,
                  const sot_gemm_rows *rows, bool add, float *out, size_t out_stride);
    /* out[u] (+)= sum_i delta[i units + u] */
    void (*sums)(const float *delta, size_t units, size_t count, bool add, float *out);
    /* Panels of the `columns` x `length` matrix from[j length + k]: panel[k SOT_PANEL + j]. */
    void (*pack)(const float *from, size_t columns, size_t length, float *panels);
} sot_gemm_kernels;

extern const sot_gemm_kernels
    sot_gemm_avx2_kernels;    /* to be called where there is AVX2 */
bool sot_gemm_has_avx2(void); /* and FMA */
/* To be read, and for tests: fmaf() is slow where the compiler may not use an instruction for it. */
extern const sot_gemm_kernels sot_gemm_portable_kernels;

/* Element by element: as models/network/operations/operations.h says. */
void sot_portable_tanh_forward(const float *in, size_t count, float *out);
void sot_portable_tanh_delta(const float *out_of_forward, const float *delta,
                             size_t count, float *out);
double sot_portable_squares(const float *values, size_t count);
void sot_portable_add_truncated(const float *values, size_t count, float scale,
                                int32_t *units);
void sot_portable_add_rounded(const float *sums, size_t count, float scale,
                              int64_t *units);
void sot_avx2_tanh_forward(const float *in, size_t count, float *out);
void sot_avx2_tanh_delta(const float *out_of_forward, const float *delta, size_t count,
                         float *out);
double sot_avx2_squares(const float *values, size_t count);
void sot_avx2_add_truncated(const float *values, size_t count, float scale,
                            int32_t *units);
void sot_avx2_add_rounded(const float *sums, size_t count, float scale, int64_t *units);

/* Divides `count` items into blocks of at most `most`, as evenly as possible, so that no block is
 * too small to fill the pipeline. Returns the size of the next block of the `left` ones. */
static inline size_t sot_gemm_block(size_t left, size_t most)
{
    const size_t blocks = (left + most - 1) / most;
    return (left + blocks - 1) / blocks;
}

static inline size_t sot_gemm_round_up(size_t count, size_t multiple)
{
    return (count + multiple - 1) / multiple * multiple;
}

#endif
