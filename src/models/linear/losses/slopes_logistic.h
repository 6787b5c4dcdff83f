/* models/linear/losses/slopes_logistic.h: the derivative of the logistic loss in float, many at a time.
 *
 * -y / (1 + exp(y u)) by additions, multiplications and one division, each rounded once, in a
 * fixed order. The vector version gives the bits of the plain one.
 */
#ifndef SOT_MODELS_LINEAR_LOSSES_SLOPES_LOGISTIC_H
#define SOT_MODELS_LINEAR_LOSSES_SLOPES_LOGISTIC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* exp on [-40, 40]: x = n log 2 + r with n log2_high exact (15 + 6 bits), |r| < 0.347 + 2^-20.
 * The remainder of the series to r^6 is below a relative 2^-22.9. All roundings together: below
 * 2^-19. */
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

/* exp(u), u brought to [-40, 40]. The comparisons make NaN the lower end, as the vector maximum does. */
static inline float sot_slopes_exp(float u)
{
    static const float series[] = SOT_SLOPES_SERIES;
    float x = u > -SOT_SLOPES_MOST ? u : -SOT_SLOPES_MOST;
    x = x < SOT_SLOPES_MOST ? x : SOT_SLOPES_MOST;
    const float whole = (x * SOT_SLOPES_LOG2E + SOT_SLOPES_ROUND) - SOT_SLOPES_ROUND;
    const float r = (x - whole * SOT_SLOPES_LOG2_HIGH) - whole * SOT_SLOPES_LOG2_LOW;
    float sum = series[0];
    for (int i = 1; i < 7; i++)
        sum = sum * r + series[i];
    const uint32_t bits = (uint32_t)((int32_t)whole + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

#endif
