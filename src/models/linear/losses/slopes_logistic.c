#include "models/linear/losses/slopes_logistic.h"

#include <stdint.h>
#include <string.h>

/* The comparisons are written so that NaN becomes the lower end, as the vector maximum does. */
static inline float slope_of(float u, float label)
{
    static const float series[] = SOT_SLOPES_SERIES;
    const int negative = label < 0.0f;
    float x = negative ? -u : u;
    x = x > -SOT_SLOPES_MOST ? x : -SOT_SLOPES_MOST;
    x = x < SOT_SLOPES_MOST ? x : SOT_SLOPES_MOST;
    const float whole = (x * SOT_SLOPES_LOG2E + SOT_SLOPES_ROUND) - SOT_SLOPES_ROUND;
    const float r = (x - whole * SOT_SLOPES_LOG2_HIGH) - whole * SOT_SLOPES_LOG2_LOW;
    float sum = series[0];
    for (int i = 1; i < 7; i++)
        sum = sum * r + series[i];
    const uint32_t bits = (uint32_t)((int32_t)whole + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    const float slope = 1.0f / (1.0f + sum * power);
    return negative ? slope : -slope;
}

void sot_slopes_logistic_portable(const float *margins, const float *labels, size_t count,
                                  float *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = slope_of(margins[i], labels[i]);
}

void sot_slopes_logistic(const float *margins, const float *labels, size_t count,
                         float *out)
{
    const sot_slopes_function vector = sot_slopes_logistic_avx2();
    (vector != NULL ? vector : sot_slopes_logistic_portable)(margins, labels, count, out);
}
