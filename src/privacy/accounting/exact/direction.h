/* privacy/accounting/exact/direction.h: one direction of neighbours by closed form, circle or contour. */
#ifndef SOT_PRIVACY_ACCOUNTING_EXACT_DIRECTION_H
#define SOT_PRIVACY_ACCOUNTING_EXACT_DIRECTION_H

#include <stdbool.h>

#include "privacy/accounting/plan/composition.h"

/* Which contours are tried where there is no closed form. */
typedef enum sot_effort {
    SOT_EFFORT_PLAIN = 0,   /* of the composition itself */
    SOT_EFFORT_SMOOTHED = 1 /* with a virtual Gaussian, the smallest that fits */
} sot_effort;

/* The finite part's bracket, and the kernel that made it. SOTTO_UNSUPPORTED when every contour
 * would take too long, SOTTO_UNREACHABLE when none resolves so small a delta. */
SOTTO_MUST_CHECK sotto_status sot_exact_direction_delta(
    const sot_composition *composition, sot_direction direction, sot_effort effort,
    double epsilon, sot_bracket *out_delta, sotto_kernel *out_kernel, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_exact_direction_epsilon(
    const sot_composition *composition, sot_direction direction, sot_effort effort,
    double delta, sot_bracket *out_epsilon, sotto_kernel *out_kernel, sotto_error *error);

/* The largest loss the whole composition can have in this direction. */
double sot_exact_loss_max(const sot_composition *composition, sot_direction direction);

/* True if the Renyi bound already shows that delta in this direction is at most `delta`. The add
 * direction is usually far below the other, and then costs almost nothing. */
bool sot_exact_surely_below(const sot_composition *composition, sot_direction direction,
                            double epsilon, double delta);

/* The sum of the events' own delta(0), their total variations: an upper bound of delta(0). */
double sot_exact_total_variation(const sot_composition *composition);

#endif
