#include "privacy/accounting/solve.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "numeric/roots.h"

typedef struct excess {
    sot_profile profile;
    void *context;
    double log_delta;
} excess;

static double upper_excess(double epsilon, void *context)
{
    const excess *target = context;
    const double upper = target->profile(epsilon, target->context).upper;
    return log(fmax(upper, DBL_MIN)) - target->log_delta;
}

/* The largest epsilon seen whose lower delta is above the target, stepping down from the
 * upper end by growing steps. */
static double step_down(const excess *target, double delta, double upper)
{
    for (double step = 1e-14; step < 1.0; step *= 4.0) {
        const double candidate = upper * (1.0 - step);
        if (target->profile(candidate, target->context).lower > delta) return candidate;
    }
    return 0.0;
}

sotto_status sot_solve_epsilon(sot_profile profile, void *context, double delta,
                               double guess, sot_bracket *out_epsilon, sotto_error *error)
{
    excess target = {profile, context, log(delta)};
    if (profile(0.0, context).upper <= delta) {
        *out_epsilon = (sot_bracket){0.0, 0.0};
        return SOTTO_OK;
    }
    double lower = 0.0;
    double upper = guess;
    while (upper_excess(upper, &target) > 0.0) {
        lower = upper;
        upper *= 1.5;
        if (!(upper < 1e9)) {
            return sot_fail(error, SOTTO_UNREACHABLE,
                            "no epsilon up to 1e9 holds at delta %g; use more noise or a "
                            "larger delta",
                            delta);
        }
    }
    /* Come close from below before the root finder, which likes short brackets. */
    for (double probe = upper * 0.98; probe > lower && lower == 0.0; probe *= 0.8) {
        if (upper_excess(probe, &target) > 0.0) {
            lower = probe;
        } else {
            upper = probe;
        }
    }
    if (!sot_find_root(upper_excess, &target, &lower, &upper, 0.0, 4e-15, 60) &&
        upper_excess(upper, &target) > 0.0) {
        return sot_fail(error, SOTTO_INTERNAL, "the search for epsilon lost its bracket");
    }
    while (profile(upper, context).upper > delta)
        upper *= 1.0 + 1e-13;
    out_epsilon->upper = upper;
    out_epsilon->lower = step_down(&target, delta, upper);
    return SOTTO_OK;
}
