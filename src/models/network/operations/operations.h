/* models/network/operations/operations.h: the operations of layers on raw arrays; a plain and a
 * fast version.
 *
 * Order: every output of a record is a function of only that record and the parameters. Its bits
 * do not depend on the other records of the call, their number or its own place among them. (BLAS
 * does not promise that.) Sums over records, where there are any, are float sums of at most
 * `count` terms each, in the order of the records.
 *
 * Versions: sot_operations_plain() is written to be read, and is the reference.
 * sot_operations_fast() is the best for this processor (models/network/gemm/gemm.h). They agree
 * to rounding.
 *
 * Panels: weights are copied to panels once per step, for all records: sot_pack_*() below.
 */
#ifndef SOT_MODELS_NETWORK_OPERATIONS_OPERATIONS_H
#define SOT_MODELS_NETWORK_OPERATIONS_OPERATIONS_H

#include "models/network/layers/net.h"

/* Weights in the order that the kernels want; made from a layer's parameters, valid until they
 * change. Owned by the caller: sot_packed_free(). */
typedef struct sot_packed {
    float *forward;  /* for the way up */
    float *backward; /* for the deltas on the way down; NULL: not asked for */
    size_t forward_floats, backward_floats; /* allocated */
} sot_packed;

typedef struct sot_operations {
    const char *name;
    /* ---- dense: d inputs, p units ---- */
    /* out[i p + j] = rows[i] . w_j + b_j */
    void (*dense_forward)(const sot_layer *layer, const sot_packed *packed,
                          const float *bias, const float *const *rows, size_t count,
                          float *out);
    /* out[i d + k] = sum_j delta[i p + j] w_jk */
    void (*dense_delta)(const sot_layer *layer, const sot_packed *packed,
                        const float *delta, size_t count, float *out);
    /* out[j d + k] = sum_i delta[i p + j] rows[i][k] (weights), then sum_i delta[i p + j]
     * (biases). Each is a float sum of `count` exact-product terms, with at most `count`
     * roundings per term (fused multiply-add). `add`: to the current values (counted as one more
     * term). */
    void (*dense_gradient)(const sot_layer *layer, const float *delta,
                           const float *const *rows, size_t count, bool add, float *out);
    /* ---- conv: one record ---- */
    void (*conv_forward)(const sot_layer *layer, const sot_packed *packed,
                         const float *bias, const float *in, float *out, float *scratch);
    void (*conv_delta)(const sot_layer *layer, const sot_packed *packed,
                       const float *delta, float *out, float *scratch);
    /* The record's own gradient, weights and biases. */
    void (*conv_gradient)(const sot_layer *layer, const float *delta, const float *in,
                          float *out, float *scratch);
    size_t (*conv_scratch)(const sot_layer *layer); /* floats, for all three */
    /* ---- packing ---- */
    sotto_status (*pack)(const sot_layer *layer, const float *parameters, bool backward,
                         sot_packed *packed, sotto_error *error);
    /* ---- element by element; in place is fine ---- */
    void (*tanh_forward)(const float *in, size_t count, float *out);
    void (*tanh_delta)(const float *out_of_forward, const float *delta, size_t count,
                       float *out); /* delta (1 - y^2) */
    /* ---- a formed gradient into units ---- */
    /* The sum of squares, in double, rounded so that it is within 2^-40 relative of the true one. Infinite or NaN
     * values give infinity or NaN. */
    double (*squares)(const float *values, size_t count);
    /* units[k] += trunc(scale values[k]): values finite, |scale values[k]| < 2^30. */
    void (*add_truncated)(const float *values, size_t count, float scale, int32_t *units);
    /* units[k] += nearest(scale sums[k]); scale a power of two, |scale sums[k]| < 2^30. */
    void (*add_rounded)(const float *sums, size_t count, float scale, int64_t *units);
} sot_operations;

const sot_operations *sot_operations_plain(void);
const sot_operations *sot_operations_fast(void);
void sot_packed_free(sot_packed *packed); /* frees its members, not itself */

/* ---- layers that are cheap: one way for all; one record ---- */
void sot_pool_forward(const sot_layer *layer, const float *in, float *out,
                      uint32_t *places /* of the largest; max pool, else NULL */);
void sot_pool_delta(const sot_layer *layer, const uint32_t *places, const float *delta,
                    float *out);
/* Group norm: out = (x - mean) / sqrt(variance + 1e-5) a group, then scale and shift if affine. `saved`:
 * 2 x groups floats (mean, 1/deviation), or NULL. `delta` may be `out`. */
void sot_group_norm_forward(const sot_layer *layer, const float *parameters,
                            const float *in, float *out, float *saved);
void sot_group_norm_delta(const sot_layer *layer, const float *parameters,
                          const float *in, const float *saved, const float *delta,
                          float *out);
void sot_group_norm_gradient(const sot_layer *layer, const float *in, const float *saved,
                             const float *delta, float *out);
/* (x - mean_c) / deviation_c, and its slopes; the layer has its numbers. In place is fine. */
void sot_normalise_forward(const sot_layer *layer, const float *in, float *out);
void sot_normalise_delta(const sot_layer *layer, const float *delta, float *out);
void sot_relu_forward(const float *in, size_t count, float *out);
void sot_relu_delta(const float *out_of_forward, const float *delta, size_t count,
                    float *out);
/* Softmax cross-entropy or squared loss: returns the loss, and writes its slope at the scores
 * (which `out_delta` may be). The labels of two classes may be 0 and 1, or -1 and 1; an invalid
 * label counts as the first. */
double sot_net_loss_slope(sot_net_loss loss, const float *scores, size_t outputs,
                          double label, float *out_delta);

#endif
