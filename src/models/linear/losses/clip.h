/* models/linear/losses/clip.h: numbers clipped to an interval. NaN becomes its lower end,
 * in every version. */
#ifndef SOT_MODELS_LINEAR_LOSSES_CLIP_H
#define SOT_MODELS_LINEAR_LOSSES_CLIP_H

#include <math.h>

#include "models/linear/losses/double_double.h"

/* To [-most, most]. */
static inline double sot_cut(double x, double most)
{
    return x > most ? most : (x >= -most ? x : -most);
}

static inline float sot_cutf(float x, float most)
{
    return x > most ? most : (x >= -most ? x : -most);
}

/* The first doubles decide unless they are at the end themselves: then the second ones do. */
static inline sot_twofold sot_cut_twofold(sot_twofold x, double most)
{
    if (x.high > most || (x.high == most && x.low > 0.0)) return (sot_twofold){most, 0.0};
    if (!(x.high >= -most) || (x.high == -most && x.low < 0.0))
        return (sot_twofold){-most, 0.0};
    return x;
}

/* The largest float that is at most x >= 0. */
static inline float sot_float_below(double x)
{
    const float nearest = (float)x;
    return (double)nearest > x ? nextafterf(nearest, 0.0f) : nearest;
}

#endif
