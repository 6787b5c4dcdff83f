/* models/network/operations/tiled.h: the operations of models/network/operations/operations.h,
 * with the kernels of models/network/gemm/gemm.h. It divides layers into panels, rows and pieces.
 * The same for all processors. */
#ifndef SOT_MODELS_NETWORK_OPERATIONS_TILED_H
#define SOT_MODELS_NETWORK_OPERATIONS_TILED_H

#include "models/network/gemm/gemm.h"
#include "models/network/operations/operations.h"

/* The operations on the portable kernels, which all processors have, and on AVX2. */
const sot_operations *sot_operations_portable(void);
const sot_operations *sot_operations_avx2(void); /* NULL: this processor has none */

/* The drivers, on given kernels. */
void sot_tiled_dense_forward(const sot_gemm_kernels *kernels, const sot_layer *layer,
                             const sot_packed *packed, const float *bias,
                             const float *const *rows, size_t count, float *out);
void sot_tiled_dense_delta(const sot_gemm_kernels *kernels, const sot_layer *layer,
                           const sot_packed *packed, const float *delta, size_t count,
                           float *out);
void sot_tiled_dense_gradient(const sot_gemm_kernels *kernels, const sot_layer *layer,
                              const float *delta, const float *const *rows, size_t count,
                              bool add, float *out);
void sot_tiled_conv_forward(const sot_gemm_kernels *kernels, const sot_layer *layer,
                            const sot_packed *packed, const float *bias, const float *in,
                            float *out, float *scratch);
void sot_tiled_conv_gradient(const sot_gemm_kernels *kernels, const sot_layer *layer,
                             const float *delta, const float *in, float *out,
                             float *scratch);
void sot_tiled_conv_delta(const sot_gemm_kernels *kernels, const sot_layer *layer,
                          const sot_packed *packed, const float *delta, float *out,
                          float *scratch);
size_t sot_tiled_conv_scratch(const sot_layer *layer);
sotto_status sot_tiled_pack(const sot_gemm_kernels *kernels, const sot_layer *layer,
                            const float *parameters, bool backward, sot_packed *packed,
                            sotto_error *error);

/* A lane of doubles adds at most 2^15 / 16 squares before lanes and blocks are added up. With
 * 2^22 values each has at most 2^11 + 4 + 2^7 roundings, below 2^-53 each, so 2^-40 in all. */
enum { SOT_SQUARES_BLOCK = 1 << 15 };

/* tanh x = e / (e + 2), e = expm1(2 |x|), with the sign of x. Beyond |x| = 10 it is 1 in floats.
 * Let 2 |x| = n ln 2 + r, |r| <= ln(2) / 2. `expm1(r) = r + r^2 (1/2! + r/3! + ... + r^5/7!)`
 * with a remainder below r 2^-25. In e = 2^n expm1(r) + (2^n - 1) nothing cancels. Within 2.5
 * units in the last place; NaN gives NaN. */
float sot_tiled_tanh(float x);
#define SOT_TANH_LIMIT    20.0F
#define SOT_TANH_LOG2_E   0x1.715476p+0F
#define SOT_TANH_LN2_HIGH 0x1.62e430p-1F /* ln 2 = 0x1.62e42fefa39efp-1 */
#define SOT_TANH_LN2_LOW  -0x1.05c610p-29F
#define SOT_TANH_C2       (1.0F / 2.0F)
#define SOT_TANH_C3       (1.0F / 6.0F)
#define SOT_TANH_C4       (1.0F / 24.0F)
#define SOT_TANH_C5       (1.0F / 120.0F)
#define SOT_TANH_C6       (1.0F / 720.0F)
#define SOT_TANH_C7       (1.0F / 5040.0F)

#endif
