/* models/network/operations/pool.h: max pools, without AVX2 and with it: the same choices, and
 * the same bits. sot_pool_forward() and sot_pool_delta() of
 * models/network/operations/operations.h choose by the processor (sot_gemm_has_avx2()). */
#ifndef SOT_MODELS_NETWORK_OPERATIONS_POOL_H
#define SOT_MODELS_NETWORK_OPERATIONS_POOL_H

#include "models/network/operations/operations.h"

void sot_portable_max_pool(const sot_layer *layer, const float *in, float *out,
                           uint32_t *places);
void sot_portable_max_pool_delta(const sot_layer *layer, const uint32_t *places,
                                 const float *delta, float *out);
void sot_avx2_max_pool(const sot_layer *layer, const float *in, float *out,
                       uint32_t *places);
void sot_avx2_max_pool_delta(const sot_layer *layer, const uint32_t *places,
                             const float *delta, float *out);

#endif
