/* models/linear/losses/slopes_logistic.h: the derivative of the logistic loss in float, many at a time.
 *
 * -y / (1 + exp(y u)) by additions, multiplications and one division, each rounded once, in a
 * fixed order: the vector version gives the bits of the plain one.
 */
#ifndef SOT_MODELS_LINEAR_LOSSES_SLOPES_LOGISTIC_H
#define SOT_MODELS_LINEAR_LOSSES_SLOPES_LOGISTIC_H

#include <stddef.h>

/* See sot_loss.slopes. */
void sot_slopes_logistic(const float *margins, const float *labels, size_t count,
                         float *out);

/* The reference. */
void sot_slopes_logistic_portable(const float *margins, const float *labels, size_t count,
                                  float *out);

typedef void (*sot_slopes_function)(const float *margins, const float *labels,
                                    size_t count, float *out);

/* NULL where the processor has no AVX2. */
sot_slopes_function sot_slopes_logistic_avx2(void);

/* exp on [-40, 40]: x = n log 2 + r with n log2_high exact (15 + 6 bits), |r| < 0.347 + 2^-20; the
 * series to r^6 leaves out less than 2^-22.9 relative. All roundings together: below 2^-19. */
#define SOT_SLOPES_MOST      40.0f
#define SOT_SLOPES_LOG2E     0x1.715476p+0f
#define SOT_SLOPES_ROUND     0x1.8p+23f
#define SOT_SLOPES_LOG2_HIGH 0x1.62e4p-1f
#define SOT_SLOPES_LOG2_LOW  0x1.7f7d1cp-20f
#define SOT_SLOPES_SERIES                                                                \
    {                                                                                    \
        0x1.6c16c2p-10f, 0x1.111112p-7f, 0x1.555556p-5f, 0x1.555556p-3f, 0.5f, 1.0f,     \
            1.0f                                                                         \
    }

#endif
