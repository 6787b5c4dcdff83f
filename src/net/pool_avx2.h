/* net/pool_avx2.h: max pools with AVX2: sot_pool_forward() and sot_pool_delta() of net/operations.h call them
 * where the processor has it (sot_gemm_has_avx2()). The same bits as without. */
#ifndef SOT_NET_POOL_AVX2_H
#define SOT_NET_POOL_AVX2_H

#include "net/operations.h"

void sot_avx2_max_pool(const sot_layer *layer, const float *in, float *out,
                       uint32_t *places /* NULL: not wanted */);
void sot_avx2_max_pool_delta(const sot_layer *layer, const uint32_t *places,
                             const float *delta, float *out);

#endif
