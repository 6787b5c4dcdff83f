/* tests/privacy/accounting/unit_profile.h: a unit with its hulls, and the profile of the pair from its masses. */
#ifndef SOTTO_TESTS_UNIT_PROFILE_H
#define SOTTO_TESTS_UNIT_PROFILE_H

#include "privacy/accounting/loss_cases.h"
#include "privacy/accounting/objective_loss/loss.h"
#include "privacy/accounting/profile/gaussian.h"

static inline sot_objective unit_of(const sot_objective_law *law)
{
    sotto_error error;
    const sotto_event event = loss_event(law);
    sot_objective objective = sot_objective_of(&event, law->adjacency);
    assert_ok(sot_objective_add_hulls(&objective, &error), &error);
    return objective;
}

static inline double normal_above(double z)
{
    return 0.5 * erfc(z / sqrt(2.0));
}

/* The profile of one direction of the pair, from its masses. */
static inline double profile_of(const sot_unit_hull *hull, sot_direction direction,
                                double epsilon)
{
    const sot_unit_side *side = &hull->side[direction];
    const double a = hull->shift, far = (side->end - side->offset) / a;
    double sum = side->infinite;
    for (int i = 0; i < SOT_UNIT_HULL_NODES; i++) {
        if (side->place[i] > epsilon)
            sum += side->mass[i] * -expm1(epsilon - side->place[i]);
    }
    if (epsilon >= side->end)
        return sum +
               side->weight *
                   sot_gaussian_delta((sot_bracket){a, a}, epsilon - side->offset).upper;
    return sum +
           side->weight * (normal_above(far - 0.5 * a) -
                           exp(epsilon - side->offset) * normal_above(far + 0.5 * a));
}

#endif
