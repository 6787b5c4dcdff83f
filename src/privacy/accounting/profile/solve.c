#include "privacy/accounting/profile/solve.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "numeric/roots.h"

typedef struct excess {
    sot_profile profile;
    void *context;
    double delta;
    double log_delta;
} excess;

/* Returns log(upper delta) - log(delta), with the sign of upper - delta. The logarithms of two
 * neighbouring doubles may be equal; then only the comparison decides the side. */
static double upper_excess(double epsilon, void *context)
{
    const excess *target = context;
    const double upper = target->profile(epsilon, target->context).upper;
    const double distance = log(fmax(upper, DBL_MIN)) - target->log_delta;
    return upper <= target->delta ? fmin(distance, 0.0) : fmax(distance, DBL_MIN);
}

/* The largest epsilon seen whose lower delta is above the target, stepping down from the
 * upper end by growing steps. */
static double step_down(const excess *target, double upper)
{
    /* A profile without lower bounds has none here either. */
    if (target->profile(upper, target->context).lower == 0.0 &&
        target->profile(0.25 * upper, target->context).lower == 0.0)
        return 0.0;
    for (double step = 1e-14; step < 1.0; step *= 4.0) {
        const double candidate = upper * (1.0 - step);
        if (target->profile(candidate, target->context).lower > target->delta)
            return candidate;
    }
    return 0.0;
}

sotto_status sot_solve_epsilon(sot_profile profile, void *context, double delta,
                               double guess, sot_bracket *out_epsilon, sotto_error *error)
{
    excess target = {profile, context, delta, log(delta)};
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
                            "larger `delta`",
                            delta);
        }
    }
    /* Come close from below before the root finder, which likes short brackets. */
    for (double probe = upper * 0.98; probe > 1e-12 && lower == 0.0; probe *= 0.8) {
        if (upper_excess(probe, &target) > 0.0) {
            lower = probe;
        } else {
            upper = probe;
        }
    }
    /* `upper` was evaluated, and its upper delta is at most `delta`: that is the certificate. */
    if (!sot_find_root(upper_excess, &target, &lower, &upper, 0.0, 4e-15, 300)) {
        return sot_fail(error, SOTTO_INTERNAL, "the search for epsilon lost its bracket");
    }
    out_epsilon->upper = upper;
    out_epsilon->lower = step_down(&target, upper);
    return SOTTO_OK;
}
