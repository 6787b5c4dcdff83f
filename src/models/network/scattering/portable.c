/* The kernel of the scattering transform for any processor. */
#include <math.h>

#define INLINE static inline
#define KERNEL static
#define UNROLLED

typedef struct lanes {
    float x[8];
} lanes;

/* One operation, lane by lane. */
#define LANES_OF(expression)                                                             \
    lanes result;                                                                        \
    for (int i = 0; i < 8; i++)                                                          \
        result.x[i] = (expression);                                                      \
    return result

INLINE lanes lanes_load(const float *from)
{
    LANES_OF(from[i]);
}

INLINE void lanes_store(float *to, lanes a)
{
    for (int i = 0; i < 8; i++)
        to[i] = a.x[i];
}

INLINE lanes lanes_of(float x)
{
    LANES_OF(x);
}

INLINE lanes lanes_add(lanes a, lanes b)
{
    LANES_OF(a.x[i] + b.x[i]);
}

INLINE lanes lanes_sub(lanes a, lanes b)
{
    LANES_OF(a.x[i] - b.x[i]);
}

INLINE lanes lanes_mul(lanes a, lanes b)
{
    LANES_OF(a.x[i] * b.x[i]);
}

INLINE lanes lanes_fma(lanes a, lanes b, lanes c)
{
    LANES_OF(fmaf(a.x[i], b.x[i], c.x[i]));
}

INLINE lanes lanes_fnma(lanes a, lanes b, lanes c)
{
    LANES_OF(fmaf(-a.x[i], b.x[i], c.x[i]));
}

INLINE lanes lanes_root(lanes a)
{
    LANES_OF(sqrtf(a.x[i]));
}

#include "models/network/scattering/kernel.h"

void sot_scattering_portable(const sot_scattering *scattering, const float *image,
                             size_t plane, float *out, float *scratch)
{
    apply(scattering, image, plane, out, scratch);
}
