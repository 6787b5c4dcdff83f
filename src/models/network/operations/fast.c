#include <math.h>

#include "models/network/operations/tiled.h"

/* One table of operations for each table of kernels. */
#define OPERATIONS(isa)                                                                  \
    static void isa##_dense_forward(const sot_layer *layer, const sot_packed *packed,    \
                                    const float *bias, const float *const *rows,         \
                                    size_t count, float *out)                            \
    {                                                                                    \
        sot_tiled_dense_forward(&sot_gemm_##isa##_kernels, layer, packed, bias, rows,    \
                                count, out);                                             \
    }                                                                                    \
    static void isa##_dense_delta(const sot_layer *layer, const sot_packed *packed,      \
                                  const float *delta, size_t count, float *out)          \
    {                                                                                    \
        sot_tiled_dense_delta(&sot_gemm_##isa##_kernels, layer, packed, delta, count,    \
                              out);                                                      \
    }                                                                                    \
    static void isa##_dense_gradient(const sot_layer *layer, const float *delta,         \
                                     const float *const *rows, size_t count, bool add,   \
                                     float *out)                                         \
    {                                                                                    \
        sot_tiled_dense_gradient(&sot_gemm_##isa##_kernels, layer, delta, rows, count,   \
                                 add, out);                                              \
    }                                                                                    \
    static void isa##_conv_forward(const sot_layer *layer, const sot_packed *packed,     \
                                   const float *bias, const float *in, float *out,       \
                                   float *scratch)                                       \
    {                                                                                    \
        sot_tiled_conv_forward(&sot_gemm_##isa##_kernels, layer, packed, bias, in, out,  \
                               scratch);                                                 \
    }                                                                                    \
    static void isa##_conv_delta(const sot_layer *layer, const sot_packed *packed,       \
                                 const float *delta, float *out, float *scratch)         \
    {                                                                                    \
        sot_tiled_conv_delta(&sot_gemm_##isa##_kernels, layer, packed, delta, out,       \
                             scratch);                                                   \
    }                                                                                    \
    static void isa##_conv_gradient(const sot_layer *layer, const float *delta,          \
                                    const float *in, float *out, float *scratch)         \
    {                                                                                    \
        sot_tiled_conv_gradient(&sot_gemm_##isa##_kernels, layer, delta, in, out,        \
                                scratch);                                                \
    }                                                                                    \
    static sotto_status isa##_pack(const sot_layer *layer, const float *parameters,      \
                                   bool backward, sot_packed *packed,                    \
                                   sotto_error *error)                                   \
    {                                                                                    \
        return sot_tiled_pack(&sot_gemm_##isa##_kernels, layer, parameters, backward,    \
                              packed, error);                                            \
    }                                                                                    \
    static const sot_operations isa##_operations = {                                     \
        .name = #isa,                                                                    \
        .dense_forward = isa##_dense_forward,                                            \
        .dense_delta = isa##_dense_delta,                                                \
        .dense_gradient = isa##_dense_gradient,                                          \
        .conv_forward = isa##_conv_forward,                                              \
        .conv_delta = isa##_conv_delta,                                                  \
        .conv_gradient = isa##_conv_gradient,                                            \
        .conv_scratch = sot_tiled_conv_scratch,                                          \
        .pack = isa##_pack,                                                              \
        .tanh_forward = sot_##isa##_tanh_forward,                                        \
        .tanh_delta = sot_##isa##_tanh_delta,                                            \
        .squares = sot_##isa##_squares,                                                  \
        .add_truncated = sot_##isa##_add_truncated,                                      \
        .add_rounded = sot_##isa##_add_rounded};

OPERATIONS(portable)

const sot_operations *sot_operations_portable(void)
{
    return &portable_operations;
}

#if defined(__x86_64__) && defined(__GNUC__)

OPERATIONS(avx2)

const sot_operations *sot_operations_avx2(void)
{
    return sot_gemm_has_avx2() ? &avx2_operations : NULL;
}

#else

const sot_operations *sot_operations_avx2(void)
{
    return NULL;
}

#endif

const sot_operations *sot_operations_fast(void)
{
    const sot_operations *vector = sot_operations_avx2();
    if (vector != NULL) return vector;
#ifdef FP_FAST_FMAF
    return sot_operations_portable(); /* the compiler makes one instruction of fmaf() */
#else
    return sot_operations_plain();
#endif
}
