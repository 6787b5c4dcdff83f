#include "models/linear/losses/slopes_logistic.h"

static inline float slope_of(float u, float label)
{
    const int negative = label < 0.0f;
    const float slope = 1.0f / (1.0f + sot_slopes_exp(negative ? -u : u));
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
